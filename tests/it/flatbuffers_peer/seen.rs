//! What a reader of the real library experienced of data, from what it read and what the writer's own schema reads.
//!
//! This judges by the rules of `docs/modes.md` and shares no code with the program under test. Where the two types are
//! other ones, it says the least that is sure.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use wireproof::change::Pair;
use wireproof::evidence::Outcome;

/// The enums and unions of a writer and of a reader: full name → name of a value → number.
pub struct Names<'j> {
    pub writer: &'j Json,
    pub reader: &'j Json,
}

/// The worst that was experienced of a table.
pub fn tables(names: &Names<'_>, wrote: &Json, read: &Json) -> Outcome {
    let (written, seen) = (list(wrote, "fields"), list(read, "fields"));
    let felt = seen.iter().filter(|field| !flag(field, "deprecated")).map(|reads| {
        let of_name = written.iter().find(|field| text(field, "name") == text(reads, "name"));
        let of_slot = written.iter().find(|field| field["slot"] == reads["slot"]);
        // The slot identifies, unless the name sits elsewhere.
        let goes_on = |field: &&Json| !seen.iter().any(|other| text(other, "name") == text(field, "name"));
        match of_name.or(of_slot.filter(goes_on)) {
            // What a writer has given up, an earlier one wrote by the same declaration, if it is there.
            Some(writes) if !flag(writes, "deprecated") || flag(writes, "has") => fields(names, writes, reads),
            _ if reads["value"] == reads["default"] || !is_there(reads) => Outcome::Defaulted,
            // An earlier writer's data, of which nothing is known.
            Some(_) => Outcome::Safe,
            None => Outcome::Wrong,
        }
    });
    felt.max().unwrap_or(Outcome::Safe)
}

fn fields(names: &Names<'_>, writes: &Json, reads: &Json) -> Outcome {
    let (wrote, read) = (&writes["value"], &reads["value"]);
    let found = match (wrote.is_null(), read.is_null()) {
        (true, true) => Outcome::Safe,
        // An empty text for nothing is what languages disagree on.
        (false, true) if !flag(writes, "has") && is_empty(wrote) => Outcome::Safe,
        (false, true) => Outcome::Lossy,
        (true, false) if !flag(reads, "has") => Outcome::Lossy,
        (true, false) => Outcome::Wrong,
        (false, false) if is_one_default(names, writes, reads) => Outcome::Safe,
        (false, false) => values(names, wrote, read),
    };
    let has_moved = writes["slot"] != reads["slot"];
    let is_default = read == &reads["default"];
    if has_moved && found > Outcome::Unrecognized && is_default { Outcome::Lossy } else { found }
}

/// Whether both take what is not there for the value of one name, whatever its number is.
fn is_one_default(names: &Names<'_>, writes: &Json, reads: &Json) -> bool {
    let (Some(writer), Some(reader)) = (writes["value"]["enum"].as_str(), reads["value"]["enum"].as_str()) else {
        return false;
    };
    let called = |all: &'_ Json, of: &str, field: &Json| -> BTreeSet<String> {
        let number = field["value"]["number"].as_i64();
        let named = named(all, of).into_iter().filter(|(_, other)| Some(*other) == number);
        named.map(|(name, _)| name.to_owned()).collect()
    };
    let is_absent = !flag(writes, "has") && !flag(reads, "has");
    is_absent && !called(names.writer, writer, writes).is_disjoint(&called(names.reader, reader, reads))
}

/// Whether a reader finds anything of a field; of a union that is its discriminator as well.
fn is_there(reads: &Json) -> bool {
    let has_kind = reads["value"].get("union").is_some() && reads["value"]["number"] != 0;
    flag(reads, "has") || has_kind
}

fn values(names: &Names<'_>, wrote: &Json, read: &Json) -> Outcome {
    if is_number(wrote) && is_number(read) {
        return numbers(names, wrote, read);
    }
    for (key, judge) in [("table", tables as fn(&Names<'_>, &Json, &Json) -> Outcome), ("struct", structs)] {
        if wrote.get(key).is_some() && read.get(key).is_some() {
            // A buffer inside of bytes is no table that a field leads to: what is found there was written by nobody.
            let are_alike = flag(wrote, "nested") == flag(read, "nested");
            return if are_alike { judge(names, wrote, read) } else { Outcome::Wrong };
        }
    }
    if wrote.get("union").is_some() && read.get("union").is_some() {
        return unions(names, wrote, read);
    }
    // A buffer inside of bytes that the reader does not look into.
    if flag(wrote, "nested") && bytes(read).is_some_and(|bytes| !bytes.is_empty()) && read.get("list").is_some() {
        return Outcome::Safe;
    }
    // Readers with checked texts reject what is none.
    if read["text"].as_str().is_some_and(|text| wrote.get("text").is_none() && !is_utf8(text)) {
        return Outcome::Fails;
    }
    match (bytes(wrote), bytes(read)) {
        (Some(wrote), Some(read)) if wrote == read => return Outcome::Safe,
        _ => {}
    }
    // A discriminator that nobody wrote, and that no member has.
    if read.get("union").is_some()
        && named(names.reader, text(read, "union")).values().all(|number| read["number"] != *number)
    {
        return Outcome::Lossy;
    }
    match (wrote.get("list"), read.get("list")) {
        (Some(_), Some(_)) => lists(names, &list(wrote, "list"), &list(read, "list")),
        _ => Outcome::Wrong,
    }
}

fn lists(names: &Names<'_>, wrote: &[Json], read: &[Json]) -> Outcome {
    if wrote.len() != read.len() {
        return Outcome::Wrong;
    }
    let each = wrote.iter().zip(read).map(|(wrote, read)| values(names, wrote, read));
    each.max().unwrap_or(Outcome::Safe)
}

fn unions(names: &Names<'_>, wrote: &Json, read: &Json) -> Outcome {
    let (number, seen) = (&wrote["number"], &read["number"]);
    if number != seen {
        return if seen == 0 { Outcome::Lossy } else { Outcome::Wrong };
    }
    let (writes, reads) = (text(wrote, "union"), text(read, "union"));
    let felt = meaning(names, Pair::new(writes, reads), number.as_i64().unwrap_or_default());
    match (&wrote["value"], &read["value"]) {
        (Json::Null, Json::Null) => felt,
        (_, Json::String(_)) => felt.max(Outcome::Unrecognized),
        (_, Json::Null) => Outcome::Lossy,
        (Json::Null, _) => Outcome::Wrong,
        (wrote, read) => felt.max(values(names, wrote, read)),
    }
}

/// What a number of an enum means to both: `old` writes, `new` reads.
fn meaning(names: &Names<'_>, of: Pair<&str>, number: i64) -> Outcome {
    let (written, read) = (named(names.writer, of.old), named(names.reader, of.new));
    let of_number = |all: &BTreeMap<&str, i64>| {
        all.iter().filter(|(_, other)| **other == number).map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>()
    };
    let (wrote, seen) = (of_number(&written), of_number(&read));
    let has_moved = |name: &String| match (written.get(name.as_str()), read.get(name.as_str())) {
        (Some(old), Some(new)) => old != new,
        _ => false,
    };
    // Where both sides have both, the one took the other's place, and nothing was given another name.
    let is_replaced = of.old != of.new && names.reader.get(of.old).is_some() && names.writer.get(of.new).is_some();
    match () {
        () if wrote.is_empty() || wrote.iter().any(|name| seen.contains(name)) => Outcome::Safe,
        () if is_replaced && !seen.is_empty() => Outcome::Wrong,
        // The reader knows what was meant, and does not find it.
        () if seen.is_empty() && wrote.iter().any(has_moved) => Outcome::Lossy,
        () if seen.is_empty() => Outcome::Unrecognized,
        () if wrote.iter().chain(&seen).any(has_moved) => Outcome::Wrong,
        () => Outcome::Safe,
    }
}

fn named<'j>(names: &'j Json, of: &str) -> BTreeMap<&'j str, i64> {
    let values = names[of].as_object().into_iter().flatten();
    values.filter_map(|(name, number)| Some((name.as_str(), number.as_i64()?))).collect()
}

fn numbers(names: &Names<'_>, wrote: &Json, read: &Json) -> Outcome {
    if exact(wrote) != exact(read) {
        return Outcome::Wrong;
    }
    let number = exact(wrote).parse::<f64>().unwrap_or_default() as i64;
    match (wrote["enum"].as_str(), read["enum"].as_str()) {
        (Some(writes), Some(reads)) => {
            // What the writer has one name for is one value, whatever the reader takes it apart into.
            let is_one = named(names.writer, writes).values().any(|value| *value == number);
            let all = if is_one { vec![number] } else { bits(names, reads, number) };
            let felt = all.into_iter().map(|bit| meaning(names, Pair::new(writes, reads), bit));
            felt.max().unwrap_or(Outcome::Safe)
        }
        (None, Some(reads)) => {
            let known = named(names.reader, reads);
            let is_known = |number: i64| known.values().any(|other| *other == number);
            let all = bits(names, reads, number).into_iter().all(is_known);
            if all { Outcome::Safe } else { Outcome::Unrecognized }
        }
        _ => Outcome::Safe,
    }
}

/// A set of flags taken apart, where no name stands for all of it.
fn bits(names: &Names<'_>, reads: &str, number: i64) -> Vec<i64> {
    let known = named(names.reader, reads);
    let are_flags = known.values().all(|value| *value > 0 && value.count_ones() == 1);
    if known.values().any(|value| *value == number) || !are_flags {
        return vec![number];
    }
    (0..63).map(|bit| 1i64 << bit).filter(|bit| number & bit != 0).collect()
}

/// A place of a struct that holds one number.
struct Leaf<'j> {
    at: u64,
    path: Vec<String>,
    size: u64,
    value: &'j Json,
}

impl Leaf<'_> {
    /// The field that it is of; behind it are only indices of arrays.
    fn name(&self) -> &str {
        let is_name = |part: &&String| part.parse::<u64>().is_err();
        self.path.iter().rev().find(is_name).map_or("", String::as_str)
    }
}

/// Structs by who owns each byte on both sides.
fn structs(names: &Names<'_>, wrote: &Json, read: &Json) -> Outcome {
    let (written, seen) = (leaves(wrote), leaves(read));
    let felt = seen.iter().map(|reads| {
        let end = reads.at + reads.size;
        let met: Vec<&Leaf<'_>> = written.iter().filter(|one| one.at < end && reads.at < one.at + one.size).collect();
        match met[..] {
            [one]
                if one.at == reads.at && one.size == reads.size && !has_another_owner(&written, &seen, one, reads) =>
            {
                numbers(names, one.value, reads.value)
            }
            _ => match written.iter().find(|one| one.path == reads.path) {
                Some(own) => numbers(names, own.value, reads.value),
                None if is_zero(reads.value) => Outcome::Defaulted,
                None => Outcome::Wrong,
            },
        }
    });
    felt.max().unwrap_or(Outcome::Safe)
}

/// Whether two numbers at one place belong to fields that both sides know, and know apart.
fn has_another_owner(written: &[Leaf<'_>], seen: &[Leaf<'_>], wrote: &Leaf<'_>, read: &Leaf<'_>) -> bool {
    for depth in 0..wrote.path.len().min(read.path.len()) {
        let (writes, reads) = (&wrote.path[depth], &read.path[depth]);
        if writes == reads {
            continue;
        }
        let knows = |leaves: &[Leaf<'_>], above: &[String], name: &String| {
            leaves
                .iter()
                .any(|leaf| leaf.path.len() > depth && leaf.path[..depth] == *above && leaf.path[depth] == *name)
        };
        let is_known = knows(seen, &read.path[..depth], writes) || knows(written, &wrote.path[..depth], reads);
        // Where fields were put into structs, the names inside tell.
        let has_moved = |name: &str| {
            let places = |leaves: &[Leaf<'_>]| -> BTreeSet<u64> {
                leaves.iter().filter(|leaf| leaf.name() == name).map(|leaf| leaf.at).collect()
            };
            let (old, new) = (places(written), places(seen));
            let is_gone = old.contains(&wrote.at) != new.contains(&wrote.at);
            is_gone && !old.is_empty() && !new.is_empty() && old.symmetric_difference(&new).count() > 1
        };
        let names = [wrote.name(), read.name()];
        return is_known || names[0] != names[1] && names.into_iter().any(has_moved);
    }
    false
}

fn leaves(of: &Json) -> Vec<Leaf<'_>> {
    let all = of["leaves"].as_array().into_iter().flatten();
    all.map(|leaf| Leaf {
        at: leaf["at"].as_u64().unwrap_or_default(),
        path: list(leaf, "path").iter().map(|part| part.as_str().map_or(part.to_string(), str::to_owned)).collect(),
        size: leaf["size"].as_u64().unwrap_or_default(),
        value: &leaf["value"],
    })
    .collect()
}

fn is_number(value: &Json) -> bool {
    value.is_number() || value.is_boolean() || value.get("real").is_some() || value.get("enum").is_some()
}

/// A number in a form in which equal numbers are equal texts, of whatever type they are.
fn exact(value: &Json) -> String {
    let plain = value.get("number").unwrap_or(value);
    match plain {
        Json::Bool(truth) => u8::from(*truth).to_string(),
        _ => match value.get("real").and_then(Json::as_str).map(str::to_owned) {
            Some(real) => real.parse::<f64>().map_or(real, |number| number.to_string()),
            None => plain.to_string(),
        },
    }
}

fn is_zero(value: &Json) -> bool {
    ["0", "-0"].contains(&exact(value).as_str())
}

fn is_empty(value: &Json) -> bool {
    bytes(value).is_some_and(|bytes| bytes.is_empty()) || value["list"].as_array().is_some_and(Vec::is_empty)
}

/// Whether hexadecimal digits are of bytes that are text.
fn is_utf8(digits: &str) -> bool {
    let byte = |at: usize| digits.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    bytes.is_some_and(|bytes| std::str::from_utf8(&bytes).is_ok())
}

/// The bytes of a text, or of a vector of small numbers.
fn bytes(value: &Json) -> Option<String> {
    if let Some(text) = value["text"].as_str() {
        return Some(text.to_owned());
    }
    let items = value["list"].as_array().filter(|_| value["width"] == 1)?.iter();
    items.map(|item| item.as_u64().filter(|byte| *byte < 256).map(|byte| format!("{byte:02x}"))).collect()
}

fn list(of: &Json, key: &str) -> Vec<Json> {
    of[key].as_array().cloned().unwrap_or_default()
}

fn text<'j>(of: &'j Json, key: &str) -> &'j str {
    of[key].as_str().unwrap_or_default()
}

fn flag(of: &Json, key: &str) -> bool {
    of[key].as_bool().unwrap_or_default()
}
