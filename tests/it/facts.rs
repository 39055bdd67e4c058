//! Which facts the changes of each format state: measured over every rule example and every fixture, both ways round, and
//! written down for people (`docs/facts.md`) and for the check of users' own rules (`src/rules/stated.txt`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::compared::{COMPARED, Compared};
use crate::support::{expect_file, root};
use wireproof::change::{ChangeKind, FactKey};
use wireproof::formats::Format;
use wireproof::rules::{Cell, RuleSet, placeholders};

/// What was seen of a fact of one kind of change.
#[derive(Default)]
struct Seen {
    /// How many changes stated it.
    times: usize,
    /// The values, and those that rules ask for.
    values: BTreeSet<String>,
    /// Whether rules choose by its values, so that these are a closed list.
    decides: bool,
}

/// What was seen of one kind of change.
#[derive(Default)]
struct Kind {
    changes: usize,
    facts: BTreeMap<FactKey, Seen>,
}

type Kinds = BTreeMap<(Format, ChangeKind), Kind>;

fn measured() -> Kinds {
    let both = |one: &'static Compared| {
        one.there.changes.iter().chain(&one.back.changes).map(|change| (one.case.format, change))
    };
    let mut kinds = Kinds::new();
    for (format, change) in COMPARED.iter().flat_map(both) {
        let kind = kinds.entry((format, change.kind)).or_default();
        kind.changes += 1;
        for (key, value) in change.facts.iter() {
            let seen = kind.facts.entry(key).or_default();
            seen.times += 1;
            seen.values.insert(value.to_owned());
        }
    }
    add_what_rules_ask(&mut kinds);
    kinds
}

/// What a built-in rule asks for, claims or names is stated, even where no case shows it.
fn add_what_rules_ask(kinds: &mut Kinds) {
    for rule in RuleSet::built_in().iter() {
        let Some(format) = Format::from_name(rule.format()) else { continue };
        let claimed = rule.impact.iter().filter_map(|(_, _, cell)| match cell {
            Cell::Fact(key) => Some(*key),
            Cell::Is(_) => None,
        });
        let named = [&rule.message, &rule.why, &rule.fix].into_iter().flat_map(|text| placeholders(text));
        let keys: Vec<FactKey> = claimed.chain(named.filter_map(FactKey::from_name)).collect();
        for kind in &rule.when.kinds {
            let facts = &mut kinds.entry((format, *kind)).or_default().facts;
            for key in &keys {
                facts.entry(*key).or_default();
            }
            for (key, values) in &rule.when.facts {
                let seen = facts.entry(*key).or_default();
                seen.decides = true;
                seen.values.extend(values.iter().filter(|value| *value != "absent").cloned());
            }
        }
    }
}

#[test]
fn the_facts_that_changes_state_are_written_down() {
    let kinds = measured();
    let unseen: Vec<_> = kinds.iter().filter(|(_, kind)| kind.changes == 0).map(|(of, _)| of).collect();
    assert!(unseen.is_empty(), "rules judge these kinds of change, and no case shows one: {unseen:?}");
    let mut stated =
        "# Written by `UPDATE=1 cargo test`; do not edit. Format, kind of change, the facts that it states.\n"
            .to_owned();
    for ((format, kind), Kind { facts, .. }) in &kinds {
        let words: Vec<String> = facts.iter().map(|(key, seen)| listed(*key, seen)).collect();
        writeln!(stated, "{} {kind}: {}", format.name(), words.join(" ")).expect("a string can be written to");
    }
    let written = [
        expect_file(&root().join("src/rules/stated.txt"), &stated),
        expect_file(&root().join("docs/facts.md"), &page(&kinds)),
    ];
    let failures: Vec<String> = written.into_iter().filter_map(Result::err).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn listed(key: FactKey, seen: &Seen) -> String {
    let values: Vec<&str> = seen.values.iter().map(String::as_str).collect();
    if seen.decides { format!("{key}={}", values.join("|")) } else { key.to_string() }
}

/// What stands above the tables.
const PAGE: &str = "# Kinds of change and the facts they state

Written by `UPDATE=1 cargo test`; do not edit.

What `when` of a rule can ask for, and what its cells and texts can name in braces, by format: as it was seen in the
examples of the rules and in the fixtures, compared both ways round. A fact with a star is stated by some changes of the
kind only; a rule asks for its absence with `absent`. Values are given where rules choose by them.

What a fact means is said in `src/change.rs`, where the kinds and the facts are declared.
";

fn page(kinds: &Kinds) -> String {
    let mut page = PAGE.to_owned();
    let mut last = None;
    for ((format, kind), Kind { changes, facts }) in kinds {
        if last != Some(format) {
            page.push_str(&format!("\n## {}\n\n| change | facts |\n|---|---|\n", format.name()));
        }
        last = Some(format);
        let cells: Vec<String> = facts.iter().map(|(key, seen)| cell(*key, seen, *changes)).collect();
        page.push_str(&format!("| `{kind}` | {} |\n", cells.join("; ")));
    }
    page
}

fn cell(key: FactKey, seen: &Seen, changes: usize) -> String {
    let star = if seen.times < changes { "\\*" } else { "" };
    let values: Vec<String> = seen.values.iter().map(|value| format!("`{value}`")).collect();
    if seen.decides { format!("`{key}`{star}: {}", values.join(", ")) } else { format!("`{key}`{star}") }
}
