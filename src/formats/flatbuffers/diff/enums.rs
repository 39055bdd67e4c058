//! Values of two paired enums.

use crate::change::{ChangeKind, FactKey, Pair, Site};
use crate::evidence::Outcome;
use crate::formats::frame::comparison;
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::ends;
use crate::formats::frame::meanings::Meaning;

use super::super::fix;
use super::super::model::{Enum, EnumId, EnumValue};
use super::super::pairing;
use super::files::Declared;
use super::{Differ, Draft, yes};

/// Two versions of one enum or union.
pub(super) type EnumPair<'s, 'b> = comparison::EnumPair<'s, Enum<'b>>;

pub(super) fn named<'s, 'b>(of: &'s Enum<'b>, name: &str) -> Option<&'s EnumValue<'b>> {
    of.named(name)
}

pub(super) fn at<'s, 'b>(of: &'s Enum<'b>, number: i128) -> Option<&'s EnumValue<'b>> {
    of.numbered(number)
}

/// What has the number of a value on the other side: the value itself, or one that is not on its own side. (In a file that
/// is refused, two may have one number.)
pub(super) fn continued<'s, 'b>(
    value: &EnumValue<'b>,
    own: &Enum<'b>,
    other: &'s Enum<'b>,
) -> Option<&'s EnumValue<'b>> {
    match named(other, &value.name.text) {
        Some(found) => (found.number == value.number).then_some(found),
        None => at(other, value.number).filter(|found| named(own, &found.name.text).is_none()),
    }
}

/// Whether the name sits at another number on the other side.
pub(super) fn is_moved(value: &EnumValue<'_>, other: &Enum<'_>) -> bool {
    named(other, &value.name.text).is_some_and(|found| found.number != value.number)
}

impl<'s, 'b> Differ<'s, 'b> {
    /// Compares two enums or two unions.
    pub(super) fn diff_enum(&mut self, types: Pair<EnumId>) {
        let pair = self.enum_pair(types);
        let enums = pair.enums;
        if pair.replaced && !enums.old.is_union && !enums.new.is_union {
            self.own.replaced.insert(types);
        }
        if enums.old.is_union && enums.new.is_union {
            self.diff_members(&pair);
        } else if !enums.old.is_union && !enums.new.is_union {
            self.diff_values(&pair);
        }
        self.diff_storage(&pair);
        if !pair.replaced {
            let sites = self.enum_sites(&pair);
            let role = if enums.new.is_union { "union" } else { "enum" };
            let declared = Declared { role, path: &enums.new.full_name, sites };
            self.attributes(&declared, Pair::new(&enums.old.attributes, &enums.new.attributes));
        }
    }

    fn enum_sites(&self, pair: &EnumPair<'_, '_>) -> Pair<Site> {
        let Pair { old, new } = pair.enums;
        Pair::new(self.schemas.old.name_site(old), self.schemas.new.name_site(new))
    }

    fn diff_storage(&mut self, pair: &EnumPair<'s, 'b>) {
        let Pair { old, new } = pair.enums;
        let sites = self.enum_sites(pair);
        let identity = |what: &str| pairing::declaration(what, &new.full_name);
        if old.underlying != new.underlying {
            let draft = Draft::new(ChangeKind::EnumUnderlyingChanged, &*new.full_name, identity("underlying"))
                .at(Pair::new(Some(sites.old.clone()), Some(sites.new.clone())))
                .fact(FactKey::OldType, old.underlying.name())
                .fact(FactKey::NewType, new.underlying.name())
                .fact(FactKey::Role, if new.is_union { "union" } else { "enum" })
                .fact(FactKey::Container, &*new.full_name);
            self.push(draft);
        }
        if old.is_bit_flags != new.is_bit_flags {
            let draft = Draft::new(ChangeKind::EnumBitFlagsChanged, &*new.full_name, identity("bit_flags"))
                .at(Pair::new(Some(sites.old), Some(sites.new)))
                .fact(FactKey::Direction, if new.is_bit_flags { "gained" } else { "lost" })
                .fact(FactKey::Container, &*new.full_name);
            self.push(draft);
        }
    }

    fn diff_values(&mut self, pair: &EnumPair<'s, 'b>) {
        let Pair { old, new } = pair.enums;
        for value in &old.values {
            if let Some(other) = named(new, &value.name.text) {
                if other.number != value.number {
                    self.renumbered(ChangeKind::EnumValueRenumbered, pair, Pair::new(value, other));
                }
                self.value_attributes(pair, Pair::new(value, other));
            }
        }
        for value in old.values.iter().filter(|value| !is_moved(value, new)) {
            match continued(value, old, new) {
                Some(other) if other.name.text == value.name.text => {}
                Some(other) => {
                    let draft = self
                        .value_draft(ChangeKind::EnumValueRenamed, pair, other)
                        .at(self.value_sites(pair, Pair::new(Some(value), Some(other))))
                        .fact(FactKey::OldName, &*value.name.text)
                        .fact(FactKey::NewName, &*other.name.text);
                    let names = Pair::new(value, other).map(|value| [&*value.name.text]);
                    let names = names.as_ref().map(|names| &names[..]);
                    let meaning = Meaning::of(pair.enums.map(Enum::called), names, value.number, pair.replaced);
                    self.push(draft.fact(FactKey::Direction, meaning.name()).reads(meaning.reads()));
                }
                None => self.value_gone(pair, value, at(new, value.number).is_some()),
            }
        }
        for value in new.values.iter().filter(|value| !is_moved(value, old)) {
            if continued(value, new, old).is_none() {
                self.value_come(pair, value, at(old, value.number).is_some());
            }
        }
    }

    fn value_gone(&mut self, pair: &EnumPair<'s, 'b>, value: &'s EnumValue<'b>, is_taken: bool) {
        let reads = if is_taken { Outcome::Safe } else { Outcome::Unrecognized };
        let draft = self
            .value_draft(ChangeKind::EnumValueRemoved, pair, value)
            .at(self.value_sites(pair, Pair::new(Some(value), None)));
        self.push(draft.reads(Pair::new(reads, Outcome::Safe)));
    }

    fn value_come(&mut self, pair: &EnumPair<'s, 'b>, value: &'s EnumValue<'b>, was_used: bool) {
        let reads = if was_used { Outcome::Safe } else { Outcome::Unrecognized };
        let draft = self
            .value_draft(ChangeKind::EnumValueAdded, pair, value)
            .at(self.value_sites(pair, Pair::new(None, Some(value))));
        self.push(draft.reads(Pair::new(Outcome::Safe, reads)));
    }

    pub(super) fn value_sites(
        &self,
        pair: &EnumPair<'_, '_>,
        values: Pair<Option<&EnumValue<'_>>>,
    ) -> Pair<Option<Site>> {
        Pair::new(
            values.old.map(|value| self.schemas.old.site(pair.enums.old.file, value.span)),
            values.new.map(|value| self.schemas.new.site(pair.enums.new.file, value.span)),
        )
    }

    pub(super) fn value_draft(&self, kind: ChangeKind, pair: &EnumPair<'s, 'b>, value: &EnumValue<'_>) -> Draft {
        let path = &pair.enums.new.full_name;
        let identity = pairing::by_number(&pair.container, value.number);
        Draft::new(kind, format!("{path}.{}", value.name.text), identity)
            .fact(FactKey::Number, value.number.to_string())
            .fact(FactKey::Name, &*value.name.text)
            .fact(FactKey::Replaced, yes(pair.replaced))
            .fact(FactKey::Container, &**path)
    }

    /// A name that sits at another number: of an enum's value or of a union's member.
    pub(super) fn renumbered(&mut self, kind: ChangeKind, pair: &EnumPair<'s, 'b>, values: Pair<&'s EnumValue<'b>>) {
        let Pair { old, new } = values;
        let numbers = Pair::new(old.number, new.number);
        let reads = Pair::new(
            renumbered_reads(pair.enums, numbers),
            renumbered_reads(pair.enums.mirrored(), numbers.mirrored()),
        );
        let all = |of: &'s Enum<'b>| of.values.iter().map(|value| (&*value.name.text, value.number));
        let direction = match kind {
            ChangeKind::EnumValueRenumbered => {
                ends::direction(&new.name.text, pair.enums.zip(numbers, |of, number| (number, all(of))), reads)
            }
            _ => ends::without_end(reads),
        };
        let mut draft = self
            .value_draft(kind, pair, new)
            .at(self.value_sites(pair, Pair::new(Some(old), Some(new))))
            .fact(FactKey::OldNumber, old.number.to_string())
            .fact(FactKey::NewNumber, new.number.to_string())
            .fact(FactKey::Direction, direction);
        draft.identity = pairing::by_name(&pair.container, &new.name.text);
        let suggestion = match kind {
            ChangeKind::EnumValueRenumbered => {
                pair.kept.get_or_init(|| fix::number(self.schemas.new, pair.enums)).clone()
            }
            _ => None,
        };
        self.push(draft.suggest(suggestion).reads(reads));
    }

    pub(super) fn value_attributes(&mut self, pair: &EnumPair<'s, 'b>, values: Pair<&'s EnumValue<'b>>) {
        let path = format!("{}.{}", pair.enums.new.full_name, values.new.name.text);
        let sites = self.value_sites(pair, Pair::new(Some(values.old), Some(values.new)));
        let Pair { old: Some(old), new: Some(new) } = sites else { return };
        let role = if pair.enums.new.is_union { "union member" } else { "enum value" };
        let declared = Declared { role, path: &path, sites: Pair::new(old, new) };
        self.attributes(&declared, Pair::new(&values.old.attributes, &values.new.attributes));
    }
}

/// What the reader (`new`) sees of a name that sits at other numbers.
fn renumbered_reads(enums: Pair<&Enum<'_>>, numbers: Pair<i128>) -> Outcome {
    let left = if at(enums.new, numbers.old).is_some() { Outcome::Wrong } else { Outcome::Lossy };
    let taken = if at(enums.old, numbers.new).is_some() { Outcome::Wrong } else { Outcome::Safe };
    left.max(taken)
}
