//! What is about arrays.

use super::compare::{Checker, Difference};
use super::shape::{Array, Kind, Rest, ShapeId, Shapes};

type Ids = (ShapeId, ShapeId);

impl Checker<'_> {
    pub(super) fn arrays(&mut self, ids: Ids, (old, new): (&Array, &Array), found: &mut Vec<Difference>) {
        match (old.all, new.all) {
            (Some(old), Some(new)) => self.at((old, new), "items", found),
            (None, Some(_)) => self.tell(ids, "SCHEMA_ADDED", "items", found),
            _ => {}
        }
        self.first_items(ids, (old, new), found);
        let words = ("additionalItems", "ADDITIONAL_ITEMS_REMOVED", "ADDITIONAL_ITEMS_NARROWED");
        self.rest(ids, words, (old.additional, new.additional), found);
        let words = ("unevaluatedItems", "UNEVALUATED_ITEMS_REMOVED", "UNEVALUATED_ITEMS_NARROWED");
        self.unevaluated(ids, words, (old.unevaluated, new.unevaluated), found);
        self.upper(ids, ("maxItems", "MAX_ITEMS_ADDED", "MAX_ITEMS_DECREASED"), (old.max_items, new.max_items), found);
        self.lower(ids, ("minItems", "MIN_ITEMS_ADDED", "MIN_ITEMS_INCREASED"), (old.min_items, new.min_items), found);
        if new.is_unique && !old.is_unique {
            self.tell(ids, "UNIQUE_ITEMS_ADDED", "uniqueItems", found);
        }
        let contains = (old.max_contains, new.max_contains);
        self.upper(ids, ("maxContains", "MAX_CONTAINS_ADDED", "MAX_CONTAINS_DECREASED"), contains, found);
        let contains = (old.min_contains, new.min_contains);
        self.lower(ids, ("minContains", "MIN_CONTAINS_ADDED", "MIN_CONTAINS_INCREASED"), contains, found);
    }

    fn first_items(&mut self, ids: Ids, (old, new): (&Array, &Array), found: &mut Vec<Difference>) {
        for at in 0..old.first.len().max(new.first.len()) {
            let step = if self.is_brief { String::new() } else { format!("items/{at}") };
            match (old.first.get(at).copied(), new.first.get(at).copied()) {
                (Some(old), Some(new)) => self.at((old, new), &step, found),
                (Some(gone), None) => match content(self.shapes.new, new) {
                    Rest::Open => {}
                    Rest::Schema(covers) => {
                        self.at((gone, covers), &step, found);
                        if !self.is_compatible(gone, covers) {
                            self.tell(ids, "ITEM_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL", &step, found);
                        }
                    }
                    Rest::Closed if matches!(self.shapes.old.kind(gone), Kind::False) => {}
                    Rest::Closed => self.tell(ids, "ITEM_REMOVED_FROM_CLOSED_CONTENT_MODEL", &step, found),
                },
                (None, Some(come)) => match content(self.shapes.old, old) {
                    Rest::Open if matches!(self.shapes.new.kind(come), Kind::Empty) => {}
                    Rest::Open => self.tell(ids, "ITEM_ADDED_TO_OPEN_CONTENT_MODEL", &step, found),
                    Rest::Schema(covers) => {
                        self.at((covers, come), &step, found);
                        if !self.is_compatible(covers, come) {
                            self.tell(ids, "ITEM_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL", &step, found);
                        }
                    }
                    Rest::Closed => {}
                },
                (None, None) => {}
            }
        }
    }

    /// What is said of members or items beyond those that are named.
    pub(super) fn rest(
        &mut self,
        ids: Ids,
        (keyword, removed, narrowed): (&str, &'static str, &'static str),
        rest: (Rest, Rest),
        found: &mut Vec<Difference>,
    ) {
        match rest {
            (Rest::Closed, _) => {}
            (_, Rest::Closed) => self.tell(ids, removed, keyword, found),
            (Rest::Open, Rest::Schema(_)) => self.tell(ids, narrowed, keyword, found),
            (Rest::Schema(old), Rest::Schema(new)) => self.at((old, new), keyword, found),
            (_, Rest::Open) => {}
        }
    }

    pub(super) fn unevaluated(
        &mut self,
        ids: Ids,
        (keyword, removed, narrowed): (&str, &'static str, &'static str),
        (old, new): (Option<ShapeId>, Option<ShapeId>),
        found: &mut Vec<Difference>,
    ) {
        let Some(new) = new else { return };
        let reads = self.shapes.new.kind(new);
        match old.map(|old| (old, self.shapes.old.kind(old))) {
            Some((_, Kind::False)) if !matches!(reads, Kind::False) => {}
            Some((old, Kind::False)) => self.at((old, new), keyword, found),
            _ if matches!(reads, Kind::False) => self.tell(ids, removed, keyword, found),
            None => self.tell(ids, narrowed, keyword, found),
            Some((_, Kind::Empty)) if !matches!(reads, Kind::Empty) => self.tell(ids, narrowed, keyword, found),
            Some(_) if matches!(reads, Kind::Empty) => {}
            Some((old, _)) => self.at((old, new), keyword, found),
        }
    }
}

/// Which items there may be behind those that have schemas of their own.
fn content(shapes: &Shapes, of: &Array) -> Rest {
    unnamed(shapes, of.additional, of.unevaluated)
}

/// What is said of what has no schema of its own, by the keyword for that or by the one for what is unevaluated.
pub(super) fn unnamed(shapes: &Shapes, additional: Rest, unevaluated: Option<ShapeId>) -> Rest {
    match (additional, unevaluated) {
        (Rest::Open, Some(id)) => match shapes.kind(id) {
            Kind::Empty => Rest::Open,
            Kind::False => Rest::Closed,
            _ => Rest::Schema(id),
        },
        (additional, _) => additional,
    }
}
