//! Edits of several findings in one file: put together where they say parts of one thing, and left out where they meet.

use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::report::Edit;

/// A text with edits made.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) text: String,
    /// The names of those that were made.
    pub(super) made: OrderedSet<String>,
    /// The names of those that meet others and were left out.
    pub(super) left: OrderedSet<String>,
}

/// Makes edits, each with a name. Statements that reserve something at one place become one, and join the one that stands
/// there already.
pub(super) fn made(text: &str, wanted: &[(&str, &[Edit])]) -> Made {
    let mut result = Made::default();
    let mut taken: Vec<(u32, u32)> = Vec::new();
    let mut inserted: OrderedMap<u32, Vec<&str>> = OrderedMap::new();
    let mut replaced: Vec<&Edit> = Vec::new();
    for (name, edits) in wanted {
        let is_inside = |edit: &Edit| text.get(edit.start as usize..edit.end as usize).is_some();
        let is_insertion = |edit: &Edit| edit.start == edit.end;
        let meets = |edit: &Edit| {
            let crosses = |(start, end): &(u32, u32)| edit.start < *end && *start < edit.end;
            let is_within = taken.iter().any(|one| crosses(one) || one.0 < edit.start && edit.start < one.1);
            let covers = !is_insertion(edit) && inserted.keys().any(|at| edit.start < *at && *at < edit.end);
            is_within || covers
        };
        if !edits.iter().all(is_inside) || edits.iter().any(meets) {
            result.left.insert((*name).to_owned());
            continue;
        }
        for edit in *edits {
            if is_insertion(edit) {
                let known = inserted.entry(edit.start).or_default();
                if !known.contains(&edit.insert.as_str()) {
                    known.push(&edit.insert);
                }
            } else if !replaced.contains(&edit) {
                taken.push((edit.start, edit.end));
                replaced.push(edit);
            }
        }
        result.made.insert((*name).to_owned());
    }
    let mut all: Vec<(usize, usize, String)> = replaced
        .into_iter()
        .map(|edit| (edit.start as usize, edit.end as usize, edit.insert.clone()))
        .chain(inserted.into_iter().map(|(at, inserts)| together(text, at as usize, &inserts)))
        .collect();
    all.sort_in_order();
    let mut from = 0;
    for (start, end, insert) in all {
        result.text.push_str(&text[from..start]);
        result.text.push_str(&insert);
        from = end;
    }
    result.text.push_str(&text[from..]);
    result
}

/// What is reserved by statements: numbers as ranges from and to, and names as they are written.
#[derive(Debug, Default)]
struct Reserved<'r> {
    ranges: Vec<(i64, i64)>,
    names: Vec<&'r str>,
}

/// The largest number, which is written `max`.
const MAX: i64 = i64::MAX;

/// Insertions at one place as one edit.
fn together(text: &str, at: usize, inserts: &[&str]) -> (usize, usize, String) {
    let mut reserved = Reserved::default();
    let Some(white) = inserts.iter().try_fold(None, |white, insert| statements(insert, &mut reserved, white)).flatten()
    else {
        return (at, at, inserts.concat());
    };
    // Statements that stand there already, each with what is left behind it.
    let (mut rest, mut end, mut all) = (&text[at..], at, Reserved::default());
    while let Some((length, statement)) = next_statement(rest, white) {
        if !understood(statement, &mut all) {
            break;
        }
        (rest, end) = (&rest[length..], end + length);
    }
    all.ranges.extend(reserved.ranges);
    all.names.extend(reserved.names);
    (at, end, written(all, white))
}

/// Adds the statements of an insertion, all of which have the same white space before them; `None` where it is something else.
fn statements<'t>(insert: &'t str, reserved: &mut Reserved<'t>, mut white: Option<&'t str>) -> Option<Option<&'t str>> {
    let mut rest = insert;
    while !rest.is_empty() {
        let own = &rest[..rest.len() - rest.trim_start().len()];
        if white.is_some_and(|white| white != own) {
            return None;
        }
        white = Some(own);
        let (length, statement) = next_statement(rest, own)?;
        understood(statement, reserved).then_some(())?;
        rest = &rest[length..];
    }
    Some(white)
}

/// The statement behind some white space: how long both are, and what it reserves.
fn next_statement<'t>(text: &'t str, white: &str) -> Option<(usize, &'t str)> {
    let behind = text.strip_prefix(white)?.strip_prefix("reserved ")?;
    let end = behind.find(';')?;
    Some((text.len() - behind.len() + end + 1, &behind[..end]))
}

/// Adds what a statement reserves; `false`, and nothing is added, where it holds something else, such as a comment.
fn understood<'t>(statement: &'t str, reserved: &mut Reserved<'t>) -> bool {
    let (mut ranges, mut names) = (Vec::new(), Vec::new());
    for part in statement.split(',').map(str::trim) {
        let range = part.split_once(" to ").unwrap_or((part, part));
        let number = |word: &str| if word.trim() == "max" { Some(MAX) } else { word.trim().parse().ok() };
        let is_name = |word: &str| {
            let inner = word.strip_prefix('"').and_then(|word| word.strip_suffix('"')).unwrap_or(word);
            !inner.is_empty() && inner.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        };
        match (number(range.0), number(range.1)) {
            (Some(from), Some(to)) if from <= to => ranges.push((from, to)),
            (None, None) if is_name(part) => names.push(part),
            _ => return false,
        }
    }
    reserved.ranges.extend(ranges);
    reserved.names.extend(names);
    true
}

/// Statements with everything in order, ranges that touch as one, each behind the white space.
fn written(reserved: Reserved<'_>, white: &str) -> String {
    let Reserved { mut ranges, names } = reserved;
    ranges.sort_in_order();
    let mut tidy: Vec<(i64, i64)> = Vec::new();
    for (from, to) in ranges {
        match tidy.last_mut() {
            Some(last) if from <= last.1.saturating_add(1) => last.1 = last.1.max(to),
            _ => tidy.push((from, to)),
        }
    }
    let end = |to: i64| if to == MAX { "max".to_owned() } else { to.to_string() };
    let one = |(from, to): &(i64, i64)| match to - from {
        0 => vec![from.to_string()],
        1 if *to != MAX => vec![from.to_string(), to.to_string()],
        _ => vec![format!("{from} to {}", end(*to))],
    };
    let numbers: Vec<String> = tidy.iter().flat_map(one).collect();
    let mut known = OrderedSet::new();
    let names: Vec<&str> = names.into_iter().filter(|name| known.insert(*name)).collect();
    let statement = |parts: &[String]| match parts {
        [] => String::new(),
        parts => format!("{white}reserved {};", parts.join(", ")),
    };
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    statement(&numbers) + &statement(&names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(at: usize, insert: &str) -> Edit {
        Edit { start: at as u32, end: at as u32, insert: insert.to_owned() }
    }

    fn after(text: &str, edits: &[(&str, Vec<Edit>)]) -> Made {
        let wanted: Vec<(&str, &[Edit])> = edits.iter().map(|(name, edits)| (*name, edits.as_slice())).collect();
        made(text, &wanted)
    }

    #[test]
    fn what_is_reserved_at_one_place_is_one_statement() {
        let text = "message M {\n  int32 a = 1;\n}\n";
        let edits = [
            ("one", vec![edit(11, "\n  reserved 4;\n  reserved \"d\";")]),
            ("two", vec![edit(11, "\n  reserved 2;\n  reserved \"b\";")]),
            ("three", vec![edit(11, "\n  reserved 3;\n  reserved \"c\";")]),
            ("four", vec![edit(11, "\n  reserved 9 to max;")]),
        ];
        let made = after(text, &edits);
        assert_eq!(
            made.text,
            "message M {\n  reserved 2 to 4, 9 to max;\n  reserved \"d\", \"b\", \"c\";\n  int32 a = 1;\n}\n"
        );
        assert_eq!((made.made.len(), made.left.len()), (4, 0));
    }

    #[test]
    fn what_stands_there_already_is_joined() {
        let text = "message M {\n  reserved 2, 5 to 6;\n  reserved \"b\";\n  int32 a = 1;\n}\n";
        let made = after(text, &[("one", vec![edit(11, "\n  reserved 4;\n  reserved \"d\";")])]);
        assert_eq!(made.text, "message M {\n  reserved 2, 4 to 6;\n  reserved \"b\", \"d\";\n  int32 a = 1;\n}\n");
        let text = "message M {\n  reserved 2 /* old */, 5;\n}\n";
        let made = after(text, &[("one", vec![edit(11, "\n  reserved 4;")])]);
        assert_eq!(made.text, "message M {\n  reserved 4;\n  reserved 2 /* old */, 5;\n}\n");
        let made = after("enum E { A = 0; }", &[("one", vec![edit(8, " reserved -1;")])]);
        assert_eq!(made.text, "enum E { reserved -1; A = 0; }");
    }

    #[test]
    fn edits_that_meet_are_left_for_another_run() {
        let replace = |start, end, insert: &str| vec![Edit { start, end, insert: insert.to_owned() }];
        let made =
            after("abcdef", &[("one", replace(1, 4, "X")), ("two", replace(3, 5, "Y")), ("far", replace(5, 6, ""))]);
        assert_eq!(made.text, "aXe");
        assert_eq!(made.left, OrderedSet::from(["two".to_owned()]));
        let made =
            after("abcdef", &[("one", vec![edit(2, "X")]), ("same", vec![edit(2, "X")]), ("gone", replace(9, 12, ""))]);
        assert_eq!((made.text.as_str(), made.made.len(), made.left.len()), ("abXcdef", 2, 1));
    }
}
