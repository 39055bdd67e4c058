//! What a reader of the real runtime experienced of data, from what it read and what the writer's own schema reads.
//!
//! This judges by the rules of `docs/modes.md` and shares no code with the program under test. Where the two types are
//! other ones, it says the least that is sure.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use wireproof::change::Pair;
use wireproof::evidence::Outcome;

/// What a side declares: its enums with the numbers of their values, and the names of its structs.
pub struct Names<'j> {
    pub enums: Pair<&'j Json>,
    pub structs: Pair<&'j Json>,
}

/// The worst that was experienced of a struct: `wrote` is what its writer reads of it.
pub fn structs(names: &Names<'_>, wrote: &Json, read: &Json) -> Outcome {
    if read["sort"] == "result" {
        return results(names, wrote, read);
    }
    let (written, seen) = (list(wrote, "fields"), list(read, "fields"));
    let mut worst = Outcome::Safe;
    for reads in seen {
        let of_name = written.iter().find(|field| text(field, "name") == text(reads, "name"));
        let of_id = written.iter().find(|field| field["id"] == reads["id"]);
        // The id identifies, unless the name sits elsewhere.
        let goes_on = |field: &&Json| !seen.iter().any(|other| text(other, "name") == text(field, "name"));
        worst = worst.max(match of_name.or(of_id.filter(goes_on)) {
            Some(writes) => fields(names, writes, reads),
            None if flag(reads, "has") => Outcome::Wrong,
            None => Outcome::Defaulted,
        });
    }
    let has = |fields: &[Json]| fields.iter().any(|field| flag(field, "has"));
    let unknown = |field: &&Json| flag(field, "has") && seen.iter().all(|other| other["id"] != field["id"]);
    if read["sort"] == "union" && !has(seen) && written.iter().any(|field| unknown(&field)) {
        worst = worst.max(Outcome::Unrecognized);
    }
    worst
}

fn fields(names: &Names<'_>, writes: &Json, reads: &Json) -> Outcome {
    let (wrote, read) = (&writes["value"], &reads["value"]);
    match (flag(writes, "has"), flag(reads, "has")) {
        (true, true) => values(names, wrote, read),
        (true, false) => Outcome::Lossy,
        (false, true) => Outcome::Wrong,
        (false, false) => match (wrote.is_null(), read.is_null()) {
            (true, true) => Outcome::Safe,
            (true, false) | (false, true) => Outcome::Defaulted,
            (false, false) => values(names, wrote, read),
        },
    }
}

/// What a caller learns from a reply.
fn results(names: &Names<'_>, wrote: &Json, read: &Json) -> Outcome {
    let set = |of: &Json| list(of, "fields").iter().find(|field| flag(field, "has")).cloned();
    let awaits = list(read, "fields").iter().any(|field| field["id"] == 0);
    let nothing = if awaits { Outcome::Fails } else { Outcome::Safe };
    match (set(wrote), set(read)) {
        (None, None) => nothing,
        // An empty reply is a failure to who awaits a value, and success to all others.
        (Some(gave), None) if gave["id"] == 0 => nothing,
        (Some(_), None) => {
            if awaits {
                Outcome::Fails
            } else {
                Outcome::Wrong
            }
        }
        (None, Some(_)) => Outcome::Wrong,
        (Some(gave), Some(got)) if gave["id"] != got["id"] => Outcome::Wrong,
        (Some(gave), Some(got)) => {
            let names_of = Pair::new(text(&gave["value"], "struct"), text(&got["value"], "struct"));
            let is_thrown = gave["id"] != 0;
            let stays = !names.structs.new[names_of.old].is_null() || !names.structs.old[names_of.new].is_null();
            let is_other = is_thrown && names_of.old != names_of.new && stays;
            if is_other { Outcome::Wrong } else { values(names, &gave["value"], &got["value"]) }
        }
    }
}

fn values(names: &Names<'_>, wrote: &Json, read: &Json) -> Outcome {
    let both = |key: &str| wrote.get(key).is_some() && read.get(key).is_some();
    let items = |of: &Json| of.get("list").or(of.get("set")).and_then(Json::as_array).cloned();
    if both("struct") {
        return structs(names, wrote, read);
    }
    if both("map") {
        return maps(names, list(wrote, "map"), list(read, "map"));
    }
    if let (Some(written), Some(seen)) = (items(wrote), items(read)) {
        let is_reduced = read.get("set").is_some() && wrote.get("list").is_some();
        let mut distinct: Vec<Json> = Vec::new();
        written.iter().for_each(|item| {
            if !distinct.contains(item) {
                distinct.push(item.clone())
            }
        });
        let lost = if is_reduced && distinct.len() < written.len() { Outcome::Lossy } else { Outcome::Safe };
        let written = if is_reduced { distinct } else { written };
        return lost.max(all(names, &written, &seen));
    }
    match (number(wrote), number(read)) {
        (Some(number), Some(same)) if number == same => meaning(names, wrote, read, number),
        (Some(meant), Some(shown)) if share_a_name(names, (wrote, meant), (read, shown)) => Outcome::Safe,
        (None, None) if wrote == read => Outcome::Safe,
        _ => Outcome::Wrong,
    }
}

fn all(names: &Names<'_>, wrote: &[Json], read: &[Json]) -> Outcome {
    if wrote.len() > read.len() {
        // Items that differ for their writer may be one to the reader; which, nobody knows.
        let nearest = |read: &Json| wrote.iter().map(|wrote| values(names, wrote, read)).min();
        return read.iter().filter_map(nearest).max().unwrap_or(Outcome::Safe).max(Outcome::Lossy);
    }
    let each = wrote.iter().zip(read).map(|(wrote, read)| values(names, wrote, read));
    let worst = each.max().unwrap_or(Outcome::Safe);
    if wrote.len() == read.len() { worst } else { Outcome::Wrong }
}

fn maps(names: &Names<'_>, wrote: &[Json], read: &[Json]) -> Outcome {
    let split = |entries: &[Json]| -> Vec<Json> {
        entries.iter().flat_map(|entry| [entry[0].clone(), entry[1].clone()]).collect()
    };
    match wrote.len() == read.len() {
        true => all(names, &split(wrote), &split(read)),
        false => Outcome::Lossy,
    }
}

/// Whether two numbers, each of an enum, have a name in common: a default that is another number is the same value then.
fn share_a_name(names: &Names<'_>, (wrote, meant): (&Json, i64), (read, shown): (&Json, i64)) -> bool {
    let (Some(writes), Some(reads)) = (wrote["enum"].as_str(), read["enum"].as_str()) else { return false };
    let (written, known) = (named(names.enums.old, writes), named(names.enums.new, reads));
    written.iter().any(|(name, number)| *number == meant && known.get(name) == Some(&shown))
}

/// What a number means to both, where it is of an enum.
fn meaning(names: &Names<'_>, wrote: &Json, read: &Json, number: i64) -> Outcome {
    let Some(reads) = read["enum"].as_str() else { return Outcome::Safe };
    let known = named(names.enums.new, reads);
    let of_number = |all: &BTreeMap<&str, i64>| -> Vec<String> {
        all.iter().filter(|(_, other)| **other == number).map(|(name, _)| (*name).to_owned()).collect()
    };
    let seen = of_number(&known);
    let Some(writes) = wrote["enum"].as_str() else {
        return if seen.is_empty() { Outcome::Unrecognized } else { Outcome::Safe };
    };
    let written = named(names.enums.old, writes);
    let meant = of_number(&written);
    let has_moved = |name: &String| match (written.get(name.as_str()), known.get(name.as_str())) {
        (Some(old), Some(new)) => old != new,
        _ => false,
    };
    // Where both sides have both, the one took the other's place, and nothing was given another name.
    let is_there = |all: &Json, of: &str| all.get(of).is_some();
    let is_replaced = writes != reads && is_there(names.enums.new, writes) && is_there(names.enums.old, reads);
    match () {
        () if meant.is_empty() || meant.iter().any(|name| seen.contains(name)) => Outcome::Safe,
        () if is_replaced && !seen.is_empty() => Outcome::Wrong,
        () if seen.is_empty() && meant.iter().any(has_moved) => Outcome::Lossy,
        () if seen.is_empty() => Outcome::Unrecognized,
        () if meant.iter().chain(&seen).any(has_moved) => Outcome::Wrong,
        () => Outcome::Safe,
    }
}

fn named<'j>(names: &'j Json, of: &str) -> BTreeMap<&'j str, i64> {
    let values = names[of].as_object().into_iter().flatten();
    values.filter_map(|(name, number)| Some((name.as_str(), number.as_i64()?))).collect()
}

fn number(value: &Json) -> Option<i64> {
    value.get("number").unwrap_or(value).as_i64()
}

fn list<'j>(of: &'j Json, key: &str) -> &'j [Json] {
    of[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'j>(of: &'j Json, key: &str) -> &'j str {
    of[key].as_str().unwrap_or_default()
}

fn flag(of: &Json, key: &str) -> bool {
    of[key].as_bool().unwrap_or_default()
}
