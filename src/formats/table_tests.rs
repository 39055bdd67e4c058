//! Tables that tests write themselves under `UPDATE=1`: how each two types relate, and what models of other checkers say of
//! pairs of schemas. Whether these are true, the checkers show (`tests/it/peer_tables.rs`).

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::check::CheckOptions;
use super::frame::{self, Probes};
use crate::change::{Change, Pair, Site};
use crate::evidence::Outcome;
use crate::ordered::OrderedMap;
use crate::snapshot::Snapshot;

/// Asserts that a file in `src` holds a text, line for line; `UPDATE=1 cargo test` writes it.
///
/// # Panics
///
/// If it does not, with the lines that differ and their numbers.
pub(crate) fn assert_holds(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file);
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(&path, text).expect("it can be written");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let lines = (1..).zip(known.lines().zip(text.lines()));
    let changed: Vec<(usize, (&str, &str))> = lines.filter(|(_, (known, now))| known != now).collect();
    let numbers: Vec<usize> = changed.iter().map(|(number, _)| *number).collect();
    let shown = changed.iter().take(20).map(|(_, (known, now))| format!("- {known}\n+ {now}\n"));
    let shown = shown.collect::<String>();
    assert!(known == text, "{file} is not what it was, in lines {numbers:?}; `UPDATE=1` writes it anew:\n{shown}");
}

/// Asserts that a file in `src` holds a JSON Schema; `UPDATE=1 cargo test` writes it.
pub(crate) fn assert_schema(file: &str, schema: &schemars::Schema) {
    let text = serde_json::to_string_pretty(schema).expect("a JSON Schema is JSON");
    assert_holds(file, &format!("{text}\n"));
}

/// Each item by itself, and below it those that come after it, together of which the same is told. What begins as is
/// told of most is left out.
pub(crate) fn each_two(names: &[&str], told: impl Fn(usize, usize) -> String, of_most: Option<&str>) -> String {
    let mut table = String::new();
    for (index, name) in names.iter().enumerate() {
        let _ = writeln!(table, "\n{name}: {}", told(index, index));
        let mut alike: OrderedMap<String, Vec<&str>> = OrderedMap::new();
        for (other, name) in names.iter().enumerate().skip(index + 1) {
            alike.entry(told(index, other)).or_default().push(name);
        }
        for (told, names) in
            alike.into_iter().filter(|(told, _)| !of_most.is_some_and(|of_most| told.starts_with(of_most)))
        {
            let _ = writeln!(table, "  {told}: {}", names.join(", "));
        }
    }
    table
}

/// Asserts that a table says of each two types how they relate, and what new readers see of old data and old readers of new
/// data, by the first letters of the outcomes.
pub(crate) fn assert_relations(
    file: &str,
    head: &str,
    types: &[&str],
    told: impl Fn([&str; 2]) -> (&'static str, Outcome, Outcome),
    of_most: &str,
) {
    let letter = |outcome: Outcome| outcome.name()[..1].to_uppercase();
    let line = |old: usize, new: usize| {
        let (there, seen, of_old) = told([types[old], types[new]]);
        let back = told([types[new], types[old]]).0;
        let back = if there == back { String::new() } else { format!("/{back}") };
        format!("{}{} {there}{back}", letter(seen), letter(of_old))
    };
    assert_holds(file, &(head.to_owned() + &each_two(types, line, Some(of_most))));
}

/// Asserts that a table of lines of JSON says what is said of its pairs now. A side is a text, which lies in the file
/// named, or an object of texts by their files. Of a line that says why it is `unasked` the checker itself has nothing to
/// say.
pub(crate) fn assert_table(table: &str, file: &str, said: impl Fn(Pair<&Snapshot>) -> Json) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(table);
    let known = std::fs::read_to_string(path).expect("the table is there");
    let line = |line: &str| {
        let line: Json = serde_json::from_str(line).expect("it is JSON");
        let sides = Pair::new(&line["old"], &line["new"]);
        let snapshots = sides.map(|side| match side.as_object() {
            Some(files) => Snapshot::from_files(files.iter().map(|(path, text)| (path.as_str(), bytes(text)))),
            None => Snapshot::from_files([(file, bytes(side))]),
        });
        let said = said(snapshots.as_ref());
        let unasked = line.get("unasked").map_or_else(String::new, |why| format!("\"unasked\":{why},"));
        format!("{{\"old\":{},\"new\":{},{unasked}\"said\":{said}}}\n", sides.old, sides.new)
    };
    assert_holds(table, &known.lines().map(line).collect::<String>());
}

fn bytes(text: &Json) -> Vec<u8> {
    text.as_str().expect("it is a text").as_bytes().to_vec()
}

/// The changes that other checkers have something to say of: what happened, what identifies it, what is said, and how
/// it begins on each side.
pub(crate) fn told<L: Probes>(pair: Pair<&Snapshot>) -> Json {
    let checked = frame::check::<L>(pair, &CheckOptions::default());
    let errors = checked.problems.old.iter().chain(&checked.problems.new).map(|problem| &problem.message);
    let told = checked.changes.iter().filter_map(|change| {
        let facts = change.facts.iter().filter(|(key, _)| key.name().starts_with("peer-"));
        let mut said: Vec<String> = facts.map(|(key, value)| format!("{} {value}", key.name())).collect();
        said.extend(change.reports.iter().map(|one| format!("{} {}", one.tool, one.id)));
        let Change { kind, identity, at, .. } = change;
        let line = |of: &Snapshot, site: &Option<Site>| site.as_ref().map(|site| begins(of, site));
        let lines = [line(pair.old, &at.old), line(pair.new, &at.new)];
        (!said.is_empty()).then(|| json!([kind.name(), identity.0, said, lines]))
    });
    told.chain(errors.map(|error| json!(error))).collect()
}

/// What stands there, to the end of its line at most.
fn begins(snapshot: &Snapshot, site: &Site) -> String {
    let text = snapshot.get(&site.file).and_then(|file| std::str::from_utf8(&file.bytes).ok()).unwrap_or_default();
    let from = text.get(site.span.start as usize..).unwrap_or_default();
    from.lines().next().unwrap_or_default().chars().take(30).collect()
}
