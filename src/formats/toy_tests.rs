//! The laws of the frame, asked of a language that has nothing but what a language owes.

#[path = "../../tests/it/frame_laws/situations.rs"]
#[allow(dead_code, reason = "the other languages are asked more of it")]
mod situations;

use super::*;
use crate::change::Identity;
use crate::formats::Part;
use crate::formats::check::Checked;
use crate::formats::frame::{Parsed, check};
use crate::ordered::OrderedSet;

use self::situations::Text::{self, *};
use self::situations::{BREAKING, COMPATIBLE, Command, ROWS, Row, UNKNOWN};

fn text(text: Text) -> &'static str {
    match text {
        A => "namespace shop\ntype A\n  x: int\n",
        AGrown => "namespace shop\ntype A\n  x: int\n  more: int\n",
        ABroken => "namespace shop\ntype A\n  x: text\n",
        AWithEnum => "namespace shop\nenum E: P Q\ntype A\n  e: E\n",
        ACutOff => "namespace shop\nenum E: P\ntype A\n  e: E\ntype\n  x",
        ARefused => "namespace shop\nenum E: P\ntype A\n  e: E\ntype M\n  x: int\n  x: int\n",
        // Its enums give no numbers.
        ValuesRefused => "namespace shop\ntype A\n  x: int\n  x: text\n",
        AInvalid => "namespace shop\ntype A\n  x: int = one\n",
        AInvalidGrown => "namespace shop\ntype A\n  x: int = one\n  y: int\n",
        AInvalidNow => "namespace shop\ntype A\n  y: int = one\n",
        AUsesB => "namespace shop\nuse lib/b.toy\ntype A\n  b: B\n",
        AUsesBGrown => "namespace shop\nuse lib/b.toy\ntype A\n  b: B\n  more: int\n",
        AHoldsB => "namespace shop\ntype A\n  b: B\ntype B\n  x: int\n",
        AImportsB => "namespace shop\nuse lib/b.toy\ntype A\n  x: int\n",
        AUsesBBesideN => "namespace shop\nuse lib/b.toy\ntype A\n  b: B\n  n: N\ntype N\n  x: int\n",
        AUsesBBesideNBroken => "namespace shop\nuse lib/b.toy\ntype A\n  b: B\n  n: N\ntype N\n  x: text\n",
        AUsesAbove => "namespace shop\nuse ../common/b.toy\ntype A\n  b: B\n",
        B => "namespace shop\ntype B\n  x: int\n",
        BGrown => "namespace shop\ntype B\n  x: int\n  more: int\n",
        BRefused => "namespace shop\ntype B\n  x: int\ntype M\n  y: int\n  y: int\n",
        BRefusedUsesA => "namespace shop\nuse a.toy\ntype B\n  a: A\ntype M\n  y: int\n  y: int\n",
        CUsesB => "namespace shop\nuse lib/b.toy\ntype C\n  b: B\n",
        Twice => "namespace shop\ntype A\n  x: int\ntype A\n  x: text\n",
        Order => "namespace shop\ntype Order\n  x: int\ntype Other\n  x: int\n",
        OrderBroken => "namespace shop\ntype Order\n  x: text\ntype Other\n  x: int\n",
        OtherBroken => "namespace shop\ntype Order\n  x: int\ntype Other\n  x: text\n",
        StoreOrder => "namespace store\ntype Order\n  x: int\n",
    }
}

fn asked(row: &Row, part: Option<Part>) -> Checked {
    let side = |files: &[(&str, Text)]| {
        Snapshot::from_files(files.iter().map(|(name, what)| (format!("{name}.toy"), text(*what).as_bytes())))
    };
    let roots: &[&str] = match row.command {
        Command::Compare | Command::Check | Command::Full | Command::Strict => &[],
        Command::FullRoot => &["shop.Order"],
        Command::SimpleRoot => &["Order"],
        Command::UnknownRoot => &["Nowhere"],
    };
    let options = CheckOptions {
        roots: roots.iter().map(|root| (*root).to_owned()).collect(),
        strict_imports: row.command == Command::Strict,
        lenient_unchanged: matches!(row.command, Command::Check | Command::Full),
        everything: row.command == Command::Full,
        part,
        ..CheckOptions::default()
    };
    let (old, new) = (side(row.old), side(row.new));
    let pair = Pair::new(&old, &new);
    let mut checked = check::<Toy>(pair, &options);
    let unknown = |root: &String| crate::formats::unknown_root(root, pair);
    let unknown: Vec<Problem> = checked.unknown_roots.iter().map(unknown).collect();
    checked.problems.new.extend(unknown);
    checked
}

/// What readers feel of each element, as it is claimed and as it was observed.
fn felt(checked: &Checked) -> Pair<OrderedSet<(Identity, Direction, Outcome)>> {
    let claims = checked.changes.iter().flat_map(|change| {
        let claim = |direction, key| {
            let outcome = change.facts.get(key).and_then(Outcome::from_name)?;
            (outcome != Outcome::Safe).then(|| (change.identity.clone(), direction, outcome))
        };
        [claim(Direction::Backward, FactKey::ReadsOld), claim(Direction::Forward, FactKey::ReadsNew)]
    });
    let seen = checked.observed.observations.iter();
    Pair::new(
        claims.flatten().collect(),
        seen.map(|seen| (seen.identity.clone(), seen.direction, seen.outcome)).collect(),
    )
}

#[test]
fn it_answers_as_every_language_does() {
    for row in ROWS {
        let checked = asked(row, None);
        let problems: Vec<&Problem> = checked.problems.old.iter().chain(&checked.problems.new).collect();
        let errors = problems.iter().filter(|problem| problem.is_error()).count();
        let Pair { old: claimed, new: seen } = felt(&checked);
        let verdict = match claimed.iter().any(|(_, _, outcome)| *outcome >= Outcome::Lossy) {
            true => BREAKING,
            false if errors > 0 => UNKNOWN,
            false => COMPATIBLE,
        };
        // It says nothing of types that are gone; a language for people does, by its rules for roots.
        let expected = if row.situation == "an empty new side" { COMPATIBLE } else { row.verdict };
        assert_eq!(verdict, expected, "{}: {problems:?}", row.situation);
        assert_eq!((errors, problems.len() - errors), row.problems, "{}: {problems:?}", row.situation);
        assert_eq!(checked.not_checked.len(), row.not_checked, "{}", row.situation);
        assert!(seen.is_subset(&claimed), "{}: {seen:?} is more than {claimed:?}", row.situation);
        let told = problems.iter().map(|problem| format!("{} | {}", problem.message, problem.help)).collect::<String>();
        for says in row.says {
            assert!(told.contains(says), "{}: `{says}` is not said in {told}", row.situation);
        }
    }
}

#[test]
fn what_is_claimed_of_it_is_observed() {
    for row in ROWS.iter().filter(|row| row.problems == (0, 0)) {
        let Pair { old: claimed, new: seen } = felt(&asked(row, None));
        assert_eq!(claimed, seen, "{}", row.situation);
    }
}

#[test]
fn its_parts_are_the_whole() {
    for row in ROWS {
        let whole = felt(&asked(row, None)).new;
        let parts = (1..=3).flat_map(|number| felt(&asked(row, Some(Part { number, of: 3 }))).new);
        assert_eq!(parts.collect::<OrderedSet<_>>(), whole, "{}", row.situation);
    }
}

#[test]
fn each_content_is_parsed_once_across_any_number_of_versions() {
    let version = |what: Text| Snapshot::from_files([("a.toy", text(what).as_bytes()), ("b.toy", text(B).as_bytes())]);
    let versions = [version(A), version(AGrown), version(ABroken), version(A)];
    let options = CheckOptions::default();
    let parsed = Parsed::<Toy>::of(&versions.each_ref(), &options);
    assert_eq!(parsed.parsed(), 4, "`A` in three versions of it, and `B`");
    let changes = |old, new| parsed.link_versions(Pair::new(old, new)).diff().changes().len();
    assert_eq!([changes(0, 1), changes(1, 2), changes(0, 3)], [1, 2, 0]);
}
