//! Values of two paired enums.

use crate::change::{ChangeKind, FactKey, Pair};
use crate::evidence::Outcome;

use super::super::model::{Enum, EnumId, EnumValue};
use super::super::pairing::{self, by_name, by_number};
use super::differ::{Differ, Met};
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::{Draft, SAFE, yes};
use crate::formats::frame::ends;
use crate::formats::frame::meanings::Meaning;

impl<'s, 'b> Differ<'s, 'b> {
    /// Compares two enums.
    pub(super) fn diff_enum(&mut self, types: Pair<EnumId>) {
        let enums = self.schemas.zip(types, |schema, id| schema.enumeration(id));
        let is_replaced = self.is_replaced(Met::Enum(types));
        let container = pairing::enum_container(self.schemas, types);
        if !is_replaced {
            self.annotations("enum", enums, enums.map(|of| &of.annotations));
        }
        let moved = |name: &str| pairing::moved_value(enums, name);
        for value in &enums.new.values {
            if moved(&value.name.text) {
                self.value_renumbered(enums, &container, value);
                continue;
            }
            match enums.old.numbered(value.number).filter(|before| !moved(&before.name.text)) {
                Some(before) if before.name.text == value.name.text => {
                    let path = format!("{}.{}", enums.new.full_name, value.name.text);
                    let old = self.schemas.old.site(enums.old.file, before.span);
                    let new = self.schemas.new.site(enums.new.file, value.span);
                    let annotations = Pair::new(&before.annotations, &value.annotations);
                    self.annotations_at(("enum value", &path), Pair::new(Some(old), Some(new)), annotations);
                }
                Some(before) => {
                    let values = Pair::new(before, value);
                    match pairing::meaning(enums, value.number, is_replaced) {
                        Meaning::Renamed => self.value_renamed(enums, &container, values),
                        meaning => self.value_exchanged(enums, &container, values, meaning),
                    }
                }
                None => self.value_alone(enums, &container, Pair::new(None, Some(value)), is_replaced),
            }
        }
        for value in enums.old.values.iter().filter(|value| !moved(&value.name.text)) {
            if enums.new.numbered(value.number).is_none_or(|after| moved(&after.name.text)) {
                self.value_alone(enums, &container, Pair::new(Some(value), None), is_replaced);
            }
        }
    }

    fn value_draft(
        &self,
        kind: ChangeKind,
        enums: Pair<&Enum<'b>>,
        values: Pair<Option<&EnumValue<'b>>>,
        identity: crate::change::Identity,
    ) -> Draft {
        let name = values.new.or(values.old).map_or("", |value| &value.name.text);
        let old = values.old.map(|value| self.schemas.old.site(enums.old.file, value.span));
        let new = values.new.map(|value| self.schemas.new.site(enums.new.file, value.span));
        Draft::new(kind, format!("{}.{name}", enums.new.full_name), identity)
            .at(Pair::new(old, new))
            .fact(FactKey::Container, &*enums.new.full_name)
    }

    fn value_renumbered(&mut self, enums: Pair<&Enum<'b>>, container: &str, value: &EnumValue<'b>) {
        let Some(before) = enums.old.named(&value.name.text) else { return };
        let is_taken = |number: u16| {
            let is_other = |name: Option<&str>| name.is_some_and(|name| name != value.name.text);
            is_other(enums.old.name_of(number)) || is_other(enums.new.name_of(number))
        };
        let outcome = match is_taken(before.number) || is_taken(value.number) {
            true => Outcome::Wrong,
            false => Outcome::Unrecognized,
        };
        let identity = by_name(container, &value.name.text);
        let reads = Pair::new(outcome, outcome);
        let all = |of: &'_ Enum<'b>| -> Vec<(String, i128)> {
            of.values.iter().map(|value| (value.name.text.to_string(), value.number.into())).collect()
        };
        let (olds, news) = (all(enums.old), all(enums.new));
        let sides = Pair::new((before.number, &olds), (value.number, &news))
            .map(|(number, all)| (number.into(), all.iter().map(|(name, number)| (&**name, *number))));
        let draft = self
            .value_draft(ChangeKind::EnumValueRenumbered, enums, Pair::new(Some(before), Some(value)), identity)
            .fact(FactKey::OldNumber, before.number.to_string())
            .fact(FactKey::NewNumber, value.number.to_string())
            .fact(FactKey::Direction, ends::direction(&value.name.text, sides, reads))
            .reads(reads);
        self.push(draft);
    }

    fn value_renamed(&mut self, enums: Pair<&Enum<'b>>, container: &str, values: Pair<&EnumValue<'b>>) {
        let identity = by_number(container, values.new.number);
        let is_retired = pairing::is_retired(&values.new.name.text) && !pairing::is_retired(&values.old.name.text);
        let draft = self
            .value_draft(ChangeKind::EnumValueRenamed, enums, values.map(Some), identity)
            .fact(FactKey::Number, values.new.number.to_string())
            .fact(FactKey::OldName, &*values.old.name.text)
            .fact(FactKey::NewName, &*values.new.name.text)
            .fact(FactKey::Direction, if is_retired { "retired" } else { "renamed" })
            .reads(SAFE);
        self.push(draft);
    }

    /// A number that means another value than before.
    fn value_exchanged(
        &mut self,
        enums: Pair<&Enum<'b>>,
        container: &str,
        values: Pair<&EnumValue<'b>>,
        meaning: Meaning,
    ) {
        let identity = by_number(container, values.new.number);
        let draft = self
            .value_draft(ChangeKind::EnumValueRenamed, enums, values.map(Some), identity)
            .fact(FactKey::Number, values.new.number.to_string())
            .fact(FactKey::OldName, &*values.old.name.text)
            .fact(FactKey::NewName, &*values.new.name.text)
            .fact(FactKey::Direction, meaning.name())
            .reads(meaning.reads());
        self.push(draft);
    }

    fn value_alone(
        &mut self,
        enums: Pair<&Enum<'b>>,
        container: &str,
        values: Pair<Option<&EnumValue<'b>>>,
        is_replaced: bool,
    ) {
        let Some(value) = values.new.or(values.old) else { return };
        let kind = if values.old.is_none() { ChangeKind::EnumValueAdded } else { ChangeKind::EnumValueRemoved };
        let other = if values.old.is_none() { enums.old } else { enums.new };
        // Where the other side has a name for the number, that one moved, and it is told there.
        let there = match other.name_of(value.number) {
            Some(_) => Outcome::Safe,
            None => Outcome::Unrecognized,
        };
        let reads = match values.old {
            None => Pair::new(Outcome::Safe, there),
            Some(_) => Pair::new(there, Outcome::Safe),
        };
        let name = if values.old.is_none() { FactKey::NewName } else { FactKey::OldName };
        let draft = self
            .value_draft(kind, enums, values, by_number(container, value.number))
            .fact(FactKey::Number, value.number.to_string())
            .fact(FactKey::Name, &*value.name.text)
            .fact(FactKey::Replaced, yes(is_replaced))
            .fact(name, &*value.name.text)
            .reads(reads);
        self.push(draft);
    }
}
