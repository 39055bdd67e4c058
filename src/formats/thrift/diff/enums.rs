//! Values of two paired enums.

use crate::change::{ChangeKind, FactKey, Pair};
use crate::evidence::Outcome;
use crate::ordered::OrderedSet;

use super::super::fix;
use super::super::model::{Enum, EnumId, EnumValue};
use super::super::pairing;
use super::annotations::Declared;
use super::differ::Differ;
use crate::formats::frame::comparison;
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::{Draft, yes};
use crate::formats::frame::ends;
use crate::formats::frame::meanings::Meaning;

/// Two versions of one enum.
type EnumPair<'s, 'b> = comparison::EnumPair<'s, Enum<'b>>;

fn named<'s, 'b>(of: &'s Enum<'b>, name: &str) -> Option<&'s EnumValue<'b>> {
    of.named(name)
}

fn at<'s, 'b>(of: &'s Enum<'b>, number: i32) -> Vec<&'s EnumValue<'b>> {
    of.numbered(number).collect()
}

/// Whether the name sits at another number on the other side.
fn is_moved(value: &EnumValue<'_>, other: &Enum<'_>) -> bool {
    named(other, &value.name.text).is_some_and(|found| found.number != value.number)
}

impl<'s, 'b> Differ<'s, 'b> {
    /// Compares two enums.
    pub(super) fn diff_enum(&mut self, types: Pair<EnumId>) {
        let pair = self.enum_pair(types);
        let enums = pair.enums;
        for old in &enums.old.values {
            if let Some(new) = named(enums.new, &old.name.text) {
                if new.number != old.number {
                    self.value_renumbered(&pair, Pair::new(old, new));
                }
                self.value_annotations(&pair, Pair::new(old, new));
            }
        }
        let numbers: OrderedSet<i32> =
            enums.old.values.iter().chain(&enums.new.values).map(|value| value.number).collect();
        for number in numbers {
            self.diff_number(&pair, number);
        }
        if !pair.replaced {
            let Pair { old, new } = enums;
            let sites = Pair::new(self.schemas.old.name_site(old), self.schemas.new.name_site(new));
            let declared = Declared { role: "enum", path: &new.full_name, sites };
            self.annotations(&declared, Pair::new(&old.annotations, &new.annotations));
        }
    }

    /// What became of a number, the names aside that moved here from another number or away to one.
    fn diff_number(&mut self, pair: &EnumPair<'s, 'b>, number: i32) {
        let all = pair.enums.map(|side| at(side, number));
        let staying = Pair::new(
            all.old.iter().copied().find(|value| !is_moved(value, pair.enums.new)),
            all.new.iter().copied().find(|value| !is_moved(value, pair.enums.old)),
        );
        let same = |old: &&EnumValue<'_>| all.new.iter().any(|new| new.name.text == old.name.text);
        if all.old.iter().any(same) {
            return self.aliases(pair, &all);
        }
        let unread = |wrote: &[&EnumValue<'_>], read: &[&EnumValue<'_>], reader: &Enum<'_>| {
            let is_told_elsewhere = wrote.iter().any(|value| is_moved(value, reader));
            match read.is_empty() && !is_told_elsewhere {
                true => Outcome::Unrecognized,
                false => Outcome::Safe,
            }
        };
        let enums = pair.enums;
        match (staying.old, staying.new) {
            (None, None) => {}
            (Some(gone), None) => {
                let reads = Pair::new(unread(&all.old, &all.new, enums.new), Outcome::Safe);
                let taken = state(!all.new.is_empty(), enums.new, number);
                let draft = self
                    .value_draft(ChangeKind::EnumValueRemoved, pair, &gone.name.text, number)
                    .at(Pair::new(Some(self.schemas.old.site(enums.old.file, gone.span)), None))
                    .fact(FactKey::NumberNow, taken);
                self.push(draft.reads(reads));
            }
            (None, Some(come)) => {
                let reads = Pair::new(Outcome::Safe, unread(&all.new, &all.old, enums.old));
                let was = state(!all.old.is_empty(), enums.old, number);
                let draft = self
                    .value_draft(ChangeKind::EnumValueAdded, pair, &come.name.text, number)
                    .at(Pair::new(None, Some(self.schemas.new.site(enums.new.file, come.span))))
                    .fact(FactKey::NumberWas, was);
                self.push(draft.reads(reads));
            }
            (Some(old), Some(new)) => {
                let draft = self
                    .value_draft(ChangeKind::EnumValueRenamed, pair, &new.name.text, number)
                    .at(self.value_sites(pair, Pair::new(old, new)))
                    .fact(FactKey::OldName, &*old.name.text)
                    .fact(FactKey::NewName, &*new.name.text);
                let names = all.map(|values| values.iter().map(|value| &*value.name.text).collect::<Vec<_>>());
                let names = names.as_ref().map(Vec::as_slice);
                let meaning = Meaning::of(enums.map(Enum::called), names, number.into(), pair.replaced);
                self.push(draft.fact(FactKey::Direction, meaning.name()).reads(meaning.reads()));
            }
        }
    }

    /// The number keeps a name; what of its other names?
    fn aliases(&mut self, pair: &EnumPair<'s, 'b>, all: &Pair<Vec<&'s EnumValue<'b>>>) {
        let alone = |value: &EnumValue<'_>, others: &[&EnumValue<'_>], other: &Enum<'_>| {
            others.iter().all(|one| one.name.text != value.name.text) && !is_moved(value, other)
        };
        for old in all.old.iter().filter(|value| alone(value, &all.new, pair.enums.new)) {
            let site = self.schemas.old.site(pair.enums.old.file, old.span);
            let draft = self
                .value_draft(ChangeKind::EnumAliasChanged, pair, &old.name.text, old.number)
                .at(Pair::new(Some(site), None))
                .fact(FactKey::Direction, "removed");
            self.push(draft);
        }
        for new in all.new.iter().filter(|value| alone(value, &all.old, pair.enums.old)) {
            let site = self.schemas.new.site(pair.enums.new.file, new.span);
            let draft = self
                .value_draft(ChangeKind::EnumAliasChanged, pair, &new.name.text, new.number)
                .at(Pair::new(None, Some(site)))
                .fact(FactKey::Direction, "added");
            self.push(draft);
        }
    }

    fn value_sites(&self, pair: &EnumPair<'s, 'b>, values: Pair<&EnumValue<'_>>) -> Pair<Option<crate::change::Site>> {
        Pair::new(
            Some(self.schemas.old.site(pair.enums.old.file, values.old.span)),
            Some(self.schemas.new.site(pair.enums.new.file, values.new.span)),
        )
    }

    fn value_draft(&self, kind: ChangeKind, pair: &EnumPair<'s, 'b>, name: &str, number: i32) -> Draft {
        let path = &pair.enums.new.full_name;
        Draft::new(kind, format!("{path}.{name}"), pairing::by_number(&pair.container, number))
            .fact(FactKey::Number, number.to_string())
            .fact(FactKey::Name, name)
            .fact(FactKey::Replaced, yes(pair.replaced))
            .fact(FactKey::Container, &**path)
    }

    fn value_renumbered(&mut self, pair: &EnumPair<'s, 'b>, values: Pair<&EnumValue<'b>>) {
        let Pair { old, new } = values;
        let numbers = Pair::new(old.number, new.number);
        let reads = Pair::new(
            renumbered_reads(pair.enums, numbers),
            renumbered_reads(pair.enums.mirrored(), numbers.mirrored()),
        );
        let all = |of: &'s Enum<'b>| of.values.iter().map(|value| (&*value.name.text, value.number.into()));
        let sides = pair.enums.zip(numbers, |of, number| (number.into(), all(of)));
        let is_counted = !old.is_explicit || !new.is_explicit;
        let mut draft = self
            .value_draft(ChangeKind::EnumValueRenumbered, pair, &new.name.text, new.number)
            .at(self.value_sites(pair, values))
            .fact(FactKey::OldNumber, old.number.to_string())
            .fact(FactKey::NewNumber, new.number.to_string())
            .fact(FactKey::Direction, ends::direction(&new.name.text, sides, reads))
            .fact(FactKey::Structure, if is_counted { "counted" } else { "written" });
        draft.identity = pairing::by_name(&pair.container, &new.name.text);
        let suggestion = pair.kept.get_or_init(|| fix::number(self.schemas.new, pair.enums)).clone();
        self.push(draft.suggest(suggestion).reads(reads));
    }

    fn value_annotations(&mut self, pair: &EnumPair<'s, 'b>, values: Pair<&EnumValue<'b>>) {
        let path = format!("{}.{}", pair.enums.new.full_name, values.new.name.text);
        let Pair { old: Some(old), new: Some(new) } = self.value_sites(pair, values) else { return };
        let declared = Declared { role: "enum value", path: &path, sites: Pair::new(old, new) };
        self.annotations(&declared, Pair::new(&values.old.annotations, &values.new.annotations));
    }
}

/// What the reader (`new`) sees of a name that sits at other numbers. A number that keeps a name means the same to both.
fn renumbered_reads(enums: Pair<&Enum<'_>>, numbers: Pair<i32>) -> Outcome {
    let names = |number: i32| (at(enums.old, number), at(enums.new, number));
    let common = |old: &[&EnumValue<'_>], new: &[&EnumValue<'_>]| {
        old.iter().any(|value| new.iter().any(|other| other.name.text == value.name.text))
    };
    let (wrote, read) = names(numbers.old);
    let left = match read.is_empty() {
        _ if common(&wrote, &read) => Outcome::Safe,
        true => Outcome::Lossy,
        false => Outcome::Wrong,
    };
    let (wrote, read) = names(numbers.new);
    let taken = if wrote.is_empty() || common(&wrote, &read) { Outcome::Safe } else { Outcome::Wrong };
    left.max(taken)
}

/// What a number is on a side: `used`, `reserved` or `free`.
fn state(is_used: bool, of: &Enum<'_>, number: i32) -> &'static str {
    let is_reserved = || of.reserved.iter().any(|(from, to)| (*from..=*to).contains(&number));
    match is_used {
        true => "used",
        false if is_reserved() => "reserved",
        false => "free",
    }
}
