//! What things are called, apart from how it is spelled: whether a number means the same to both sides.
//!
//! The wire has the number alone, and the name is what it means. So a name that has another number now is another meaning for
//! both numbers; that is seen by the names where they stay as they are, and here where all of them are spelled otherwise at
//! once: `fromAccount` as `from_account`, `OPEN` as `STATE_OPEN`, `A_ONE` as `B_ONE` in an enum that is called `B` now. Names
//! are one if their words are, without those of the enum that they begin with, or with which all of its names begin, as the
//! style guides of languages ask for that have no scopes for values.
//!
//! Where the enum of a field is replaced by another one, a number that both name is the same value only if they call it the same.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Pair;
use crate::evidence::Outcome;

use super::roots::simple_name;
use super::words::words;

/// The last word of what a value is called that stands for none: of numbers that are zero, all of these mean the same.
const NOTHING: [&str; 10] =
    ["unspecified", "unknown", "none", "nothing", "void", "undefined", "unset", "invalid", "default", "null"];
/// The value of the one enum that JSON has a word for.
const NULL: &str = "NULL_VALUE";

/// What all names of an enum begin with is looked for in so many of them.
const LOOKED_AT: usize = 16;

/// What the values of an enum or the fields of a record are called.
#[derive(Debug, Default)]
pub(crate) struct Called {
    /// What is no part of it, where a name begins with it.
    prefixes: Vec<Vec<String>>,
    /// By what is left of a name its spelling and its number, where it is the only one.
    meant: FxHashMap<String, Option<(Box<str>, i128)>>,
    /// All names, as they are spelled.
    spelled: FxHashSet<Box<str>>,
}

impl Called {
    /// The names and numbers of the fields of a record.
    pub(crate) fn of_fields<'n>(all: impl Iterator<Item = (&'n str, i128)>) -> Self {
        Called::default().with(all)
    }

    /// The names and numbers of the values of an enum of some full name.
    pub(crate) fn of_enum<'n>(name: &str, all: impl Iterator<Item = (&'n str, i128)> + Clone) -> Self {
        let some: Vec<Vec<String>> = all.clone().take(LOOKED_AT).map(|(name, _)| words(name)).collect();
        let common = match &some[..] {
            [first, _, ..] => {
                let is_common = |length: &usize| some.iter().all(|one| one.get(..*length) == first.get(..*length));
                let most = some.iter().map(|one| one.len().saturating_sub(1)).min().unwrap_or_default();
                (0..=most).rev().find(is_common).map_or(&[][..], |length| &first[..length])
            }
            _ => &[],
        };
        let prefixes = vec![words(simple_name(name)), common.to_vec()];
        Called { prefixes, ..Called::default() }.with(all)
    }

    fn with<'n>(mut self, all: impl Iterator<Item = (&'n str, i128)>) -> Self {
        for (name, number) in all {
            let is_new = self.spelled.insert(name.into());
            let meant = self.meant(name);
            let entry = self.meant.entry(meant);
            if is_new {
                entry.and_modify(|known| *known = None).or_insert_with(|| Some((name.into(), number)));
            }
        }
        self
    }

    /// What is left of a name: its words as one, without what it has from its enum.
    fn meant(&self, name: &str) -> String {
        let own = words(name);
        let begins = |with: &&Vec<String>| own.len() > with.len() && own.starts_with(with);
        let prefix = self.prefixes.iter().filter(begins).map(Vec::len).max().unwrap_or_default();
        own[prefix..].concat()
    }

    /// A name of another side, which is none of this one, as it is spelled here under another number.
    fn elsewhere(&self, other: &Called, name: &str, number: i128) -> Option<(&str, i128)> {
        let meant = other.meant(name);
        let is_only = matches!(other.meant.get(&meant), Some(Some(_)));
        let (found, at) = self.meant.get(&meant)?.as_ref()?;
        (is_only && *at != number && !other.spelled.contains(found)).then_some((found, *at))
    }
}

/// Which field of the old record is which of the new one under another number, where it is spelled otherwise and another
/// field has the one number or had the other. Each side is the names and numbers of its fields.
pub(crate) fn crossed(sides: Pair<&[(&str, i128)]>) -> Vec<Pair<usize>> {
    let names = sides.map(|side| side.iter().map(|(name, _)| *name).collect::<FxHashSet<_>>());
    let is_alone =
        |side: &[(&str, i128)], others: &FxHashSet<&str>| side.iter().any(|(name, _)| !others.contains(name));
    if !is_alone(sides.old, &names.new) || !is_alone(sides.new, &names.old) {
        return Vec::new();
    }
    let numbers = sides.map(|side| side.iter().map(|(_, number)| *number).collect::<FxHashSet<_>>());
    let called = sides.map(|side| Called::of_fields(side.iter().copied()));
    let places: FxHashMap<&str, usize> = sides.old.iter().enumerate().map(|(at, (name, _))| (*name, at)).collect();
    let found = |(at, (name, number)): (usize, &(&str, i128))| {
        let is_free = || !names.old.contains(name);
        let (before, was) = is_free().then(|| called.old.elsewhere(&called.new, name, *number)).flatten()?;
        let is_crossed = numbers.new.contains(&was) || numbers.old.contains(number);
        is_crossed.then_some(Pair::new(*places.get(before)?, at))
    };
    sides.new.iter().enumerate().filter_map(found).collect()
}

/// What a number is to both sides whose names for it are spelled otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The same under another name, as far as anybody can tell.
    Renamed,
    /// Another one: the name of the one side has another number on the other.
    Exchanged,
    /// Another one: the two are values of two enums, and called otherwise.
    Replaced,
}

impl Meaning {
    /// The name in facts.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Meaning::Renamed => "renamed",
            Meaning::Exchanged => "exchanged",
            Meaning::Replaced => "replaced",
        }
    }

    /// What both readers make of it.
    pub(crate) fn reads(self) -> Pair<Outcome> {
        let outcome = if self == Meaning::Renamed { Outcome::Safe } else { Outcome::Wrong };
        Pair::new(outcome, outcome)
    }

    /// What a number is that both sides name, and neither by a name that has another number on the other side; in two enums
    /// of which the one took the place of the other, or in one.
    pub(crate) fn of(sides: Pair<&Called>, names: Pair<&[&str]>, number: i128, are_replaced: bool) -> Self {
        if mean_one(sides, names, number) {
            Meaning::Renamed
        } else if are_replaced {
            Meaning::Replaced
        } else if are_exchanged(sides, names, number) {
            Meaning::Exchanged
        } else {
            Meaning::Renamed
        }
    }
}

/// Whether names of the two sides mean one thing.
fn mean_one(sides: Pair<&Called>, names: Pair<&[&str]>, number: i128) -> bool {
    if names.old.iter().any(|name| names.new.contains(name)) {
        return true;
    }
    let stands_for_none = |name: &&str| {
        let last = words(name).pop();
        *name == NULL || last.is_some_and(|last| NOTHING.contains(&last.as_str()))
    };
    let is_nothing = |names: &[&str]| number == 0 && names.iter().any(stands_for_none);
    let meant = sides.zip(names, |side, names| names.iter().map(|name| side.meant(name)).collect::<Vec<_>>());
    meant.old.iter().any(|one| meant.new.contains(one)) || is_nothing(names.old) && is_nothing(names.new)
}

/// Whether a name of one side has another number on the other, spelled otherwise.
fn are_exchanged(sides: Pair<&Called>, names: Pair<&[&str]>, number: i128) -> bool {
    names.old.iter().any(|name| sides.new.elsewhere(sides.old, name, number).is_some())
        || names.new.iter().any(|name| sides.old.elsewhere(sides.new, name, number).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Side<'s> = (&'s str, &'s [&'s str]);

    fn meaning(sides: Pair<Side<'_>>, number: usize, are_replaced: bool) -> Meaning {
        let called = sides.map(|(name, all)| Called::of_enum(name, all.iter().copied().zip(0..)));
        let names = sides.map(|(_, all)| [all[number]]);
        Meaning::of(called.as_ref(), names.as_ref().map(|names| &names[..]), number as i128, are_replaced)
    }

    const SIZE: Side<'_> = ("shop.Size", &["SIZE_UNKNOWN", "SIZE_SMALL", "SIZE_LARGE"]);
    const WIDTH: Side<'_> = ("DoorWidth", &["DOOR_WIDTH_UNSPECIFIED", "DOOR_WIDTH_SMALL", "DOOR_WIDTH_WIDE"]);
    const PLAIN: Side<'_> = ("Plain", &["unknown", "Large", "small"]);

    #[test]
    fn of_two_enums_a_number_means_what_stands_behind_the_name_of_the_enum() {
        for (number, expected) in [(0, Meaning::Renamed), (1, Meaning::Renamed), (2, Meaning::Replaced)] {
            assert_eq!(meaning(Pair::new(SIZE, WIDTH), number, true), expected, "{number}");
            assert_eq!(meaning(Pair::new(WIDTH, SIZE), number, true), expected, "{number}");
        }
    }

    #[test]
    fn in_one_enum_a_number_means_something_else_where_its_name_is_taken() {
        for (number, expected) in [(0, Meaning::Renamed), (1, Meaning::Exchanged), (2, Meaning::Exchanged)] {
            assert_eq!(meaning(Pair::new(SIZE, PLAIN), number, false), expected, "{number}");
            assert_eq!(meaning(Pair::new(PLAIN, SIZE), number, false), expected, "{number}");
            assert_eq!(meaning(Pair::new(SIZE, WIDTH), number, false), Meaning::Renamed, "{number}");
        }
    }

    #[test]
    fn what_all_names_begin_with_is_no_part_of_what_they_say() {
        let (one, two) = (("Before", &["A_NO", "A_ONE"][..]), ("After", &["B_NO", "B_TWO"][..]));
        assert_eq!(meaning(Pair::new(one, two), 0, true), Meaning::Renamed);
        assert_eq!(meaning(Pair::new(one, two), 1, true), Meaning::Replaced);
        let alone = ("Only", &["C_NO"][..]);
        assert_eq!(meaning(Pair::new(alone, one), 0, true), Meaning::Replaced, "of one name all is said");
    }

    #[test]
    fn a_name_that_two_have_or_that_stays_tells_nothing() {
        let twice = ("E", &["FOO_BAR", "fooBar", "X"][..]);
        let other = ("E", &["Y", "Z", "foo_bar"][..]);
        assert_eq!(meaning(Pair::new(twice, other), 0, false), Meaning::Renamed, "two names mean one thing");
        let stays = ("E", &["one", "E_ONE"][..]);
        let gone = ("E", &["two", "E_ONE"][..]);
        assert_eq!(meaning(Pair::new(stays, gone), 0, false), Meaning::Renamed, "it is what it was");
    }

    #[test]
    fn fields_are_one_whose_words_are() {
        let old = [("fromAccount", 1), ("toAccount", 2), ("note", 3), ("lastSeen", 4)];
        let new = [("to_account", 1), ("from_account", 2), ("note", 3), ("last_seen", 9)];
        assert_eq!(
            crossed(Pair::new(&old, &new)),
            [Pair::new(1, 0), Pair::new(0, 1)],
            "9 is nobody's, and neither is 4"
        );
        assert_eq!(crossed(Pair::new(&old, &old)), []);
    }
}
