//! What is about objects. Members that come are judged by what the writer's schema says of those that it does not name,
//! members that go by what the reader's does.

use std::cmp::Ordering;

use super::arrays::unnamed;
use super::compare::{Checker, Difference};
use super::shape::{Kind, Object, Rest, ShapeId, Shapes};
use crate::formats::json_schema::address;

type Ids = (ShapeId, ShapeId);

impl Checker<'_> {
    pub(super) fn objects(&mut self, ids: Ids, (old, new): (&Object, &Object), found: &mut Vec<Difference>) {
        self.required(ids, (old, new), found);
        self.properties(ids, (old, new), found);
        if self.is_answered(found) {
            return;
        }
        self.dependencies(ids, (old, new), found);
        let words = ("additionalProperties", "ADDITIONAL_PROPERTIES_REMOVED", "ADDITIONAL_PROPERTIES_NARROWED");
        self.rest(ids, words, (old.additional, new.additional), found);
        let words = ("unevaluatedProperties", "UNEVALUATED_PROPERTIES_REMOVED", "UNEVALUATED_PROPERTIES_NARROWED");
        self.unevaluated(ids, words, (old.unevaluated, new.unevaluated), found);
        let most = (old.max_properties, new.max_properties);
        self.upper(ids, ("maxProperties", "MAX_PROPERTIES_ADDED", "MAX_PROPERTIES_DECREASED"), most, found);
        let least = (old.min_properties, new.min_properties);
        self.lower(ids, ("minProperties", "MIN_PROPERTIES_ADDED", "MIN_PROPERTIES_INCREASED"), least, found);
    }

    /// Members that both name and the reader requires. Of those that nobody names nothing is said.
    fn required(&mut self, ids: Ids, (old, new): (&Object, &Object), found: &mut Vec<Difference>) {
        for name in new.required.difference(&old.required) {
            if let (Some(_), Some(after)) = (old.properties.get(name), new.properties.get(name))
                && !self.shapes.new.get(*after).has_default
            {
                self.tell(ids, "REQUIRED_ATTRIBUTE_ADDED", &self.step("required", name), found);
            }
        }
    }

    fn properties(&mut self, ids: Ids, (old, new): (&Object, &Object), found: &mut Vec<Difference>) {
        let (mut before, mut after) = (old.properties.iter().peekable(), new.properties.iter().peekable());
        loop {
            let next = match (before.peek(), after.peek()) {
                (Some((one, _)), Some((other, _))) => one.cmp(other),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return,
            };
            if self.is_answered(found) {
                return;
            }
            let gone = if next.is_le() { before.next() } else { None };
            let come = if next.is_ge() { after.next() } else { None };
            let Some((name, _)) = gone.or(come) else { return };
            let step = self.step("properties", name);
            match (gone.map(|(_, schema)| *schema), come.map(|(_, schema)| *schema)) {
                (Some(before), Some(after)) => self.at((before, after), &step, found),
                (Some(gone), None) => self.removed(ids, (gone, name), (new, &step), found),
                (None, Some(come)) => self.added(ids, (come, name), (old, new, &step), found),
                (None, None) => {}
            }
        }
    }

    /// A step of a path, where anybody asks for it.
    fn step(&self, keyword: &str, name: &str) -> String {
        if self.is_brief { String::new() } else { address::step(keyword, name) }
    }

    fn removed(
        &mut self,
        ids: Ids,
        (gone, name): (ShapeId, &str),
        (new, step): (&Object, &str),
        found: &mut Vec<Difference>,
    ) {
        match self.content(self.shapes.new, new, name) {
            Rest::Open => {}
            Rest::Schema(covers) => {
                // Its own differences are not told under the step.
                self.at((gone, covers), step, found);
                if !self.is_compatible(gone, covers) {
                    self.tell(ids, "PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL", step, found);
                }
            }
            Rest::Closed if matches!(self.shapes.old.kind(gone), Kind::False) => {}
            Rest::Closed => self.tell(ids, "PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL", step, found),
        }
    }

    fn added(
        &mut self,
        ids: Ids,
        (come, name): (ShapeId, &str),
        (old, new, step): (&Object, &Object, &str),
        found: &mut Vec<Difference>,
    ) {
        let is_required = new.required.contains(name);
        let has_default = self.shapes.new.get(come).has_default;
        let content = self.content(self.shapes.old, old, name);
        if content == Rest::Open {
            let kind = match (is_required, has_default) {
                _ if matches!(self.shapes.new.kind(come), Kind::Empty) => return,
                (true, true) => "REQUIRED_PROPERTY_WITH_DEFAULT_ADDED_TO_OPEN_CONTENT_MODEL",
                (true, false) => "REQUIRED_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL",
                (false, _) => "OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL",
            };
            self.tell(ids, kind, step, found);
            return;
        }
        if let Rest::Schema(covers) = content {
            self.at((covers, come), step, found);
            if !self.is_compatible(covers, come) {
                self.tell(ids, "PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL", step, found);
            }
        }
        if is_required && !has_default {
            self.tell(ids, "REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL", step, found);
        }
    }

    fn dependencies(&mut self, ids: Ids, (old, new): (&Object, &Object), found: &mut Vec<Difference>) {
        for (name, after) in &new.names_needed {
            let step = self.step("dependencies", name);
            let kind = match old.names_needed.get(name) {
                None => "DEPENDENCY_ARRAY_ADDED",
                Some(before) if before.is_superset(after) => continue,
                Some(before) if after.is_superset(before) => "DEPENDENCY_ARRAY_EXTENDED",
                Some(_) => "DEPENDENCY_ARRAY_CHANGED",
            };
            self.tell(ids, kind, &step, found);
        }
        for (name, after) in &new.schemas_needed {
            let step = self.step("dependencies", name);
            match old.schemas_needed.get(name) {
                None => self.tell(ids, "DEPENDENCY_SCHEMA_ADDED", &step, found),
                Some(before) => self.at((*before, *after), &step, found),
            }
        }
    }

    /// What the writer's schema says of a member that it does not name, or the reader's.
    fn content(&mut self, shapes: &Shapes, of: &Object, name: &str) -> Rest {
        // The first pattern that takes the name decides.
        if let Some((_, schema)) = of.patterns.iter().find(|(pattern, _)| self.takes(pattern, name)) {
            return Rest::Schema(*schema);
        }
        match unnamed(shapes, of.additional, of.unevaluated) {
            // With patterns beside it, what fits none is neither open nor covered.
            Rest::Open if !of.patterns.is_empty() => Rest::Closed,
            rest => rest,
        }
    }
}
