//! Writing into the text of a waiver file, which belongs to people: what is there stays byte for byte.
//!
//! Nothing is trusted: the text that would be written is read back, and must say what was there and what was added.

use super::waivers;
use crate::failure::Failure;
use crate::ordered::{InOrder, OrderedSet};
use crate::safeguards::Waiver;
use crate::text;

/// An entry to write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// What it covers.
    pub of: Covered,
    /// The rule of what it covers; empty where there are several.
    pub rule: String,
    /// Why the break is intended.
    pub reason: String,
    /// Who answers for it.
    pub owner: Option<String>,
    /// The last day on which it counts.
    pub until: Option<String>,
}

/// What an entry covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Covered {
    /// A finding: its id, element and file, and what it says.
    One { id: String, path: String, file: String, what: String },
    /// Findings: the file or folder that all of them lie in, and of each the id and what it says.
    Several { under: Option<String>, each: Vec<(String, String)> },
}

impl Default for Covered {
    fn default() -> Self {
        Covered::Several { under: None, each: Vec::new() }
    }
}

impl Covered {
    fn ids(&self) -> Vec<&str> {
        match self {
            Covered::One { id, .. } => vec![id],
            Covered::Several { each, .. } => each.iter().map(|(id, _)| id.as_str()).collect(),
        }
    }
}

/// A text with the line at which something was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The whole text.
    pub text: String,
    /// The line of the entry, from 1.
    pub line: usize,
    /// The entry as it stands there.
    pub entry: String,
}

const HEADER: &str = "\
# Intended breaks. Each entry lets exactly the findings of wireproof pass whose ids it has, and says why.
# Review it like code; `wireproof accept ID --reason TEXT` adds entries, `wireproof accept --prune` removes old ones.
";

/// The text with one entry more at its end. An empty text gets a header.
///
/// # Errors
/// The file is not written in a way that an entry can be put behind it.
pub fn appended(name: &str, before: &str, entry: &Entry) -> Result<Written, Failure> {
    let newline = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = if before.trim().is_empty() { HEADER.replace('\n', newline) } else { before.to_owned() };
    if !text.ends_with('\n') {
        text.push_str(newline);
    }
    text.push_str(newline);
    let line = text.matches('\n').count() + 1;
    let lines = lines_of(entry, indent(before));
    let shown = lines.join("\n");
    text.push_str(&lines.join(newline));
    text.push_str(newline);
    let old = waivers::parse(name, before)?.waivers;
    let is_kept = waivers::parse(name, &text).is_ok_and(|file| {
        let is_there = file.waivers.get(..old.len()) == Some(old.as_slice());
        let added = || file.waivers.iter().skip(old.len());
        is_there
            && added().map(|waiver| waiver.id.as_str()).eq(entry.of.ids())
            && added().all(|waiver| waiver.reason == entry.reason.trim())
    });
    match is_kept {
        true => Ok(Written { text, line, entry: shown }),
        false => Err(Failure::usage(
            format!("an entry cannot be put behind `{name}` as it is written"),
            format!("write it as a list of entries that start with `- id:`, or add this one by hand:\n{shown}"),
        )),
    }
}

/// The text without some entries; comments right above one go with it.
///
/// # Errors
/// The file is not written in a way that an entry can be taken out of it.
pub fn without(name: &str, before: &str, ids: &[&str]) -> Result<String, Failure> {
    let ids: OrderedSet<&str> = ids.iter().copied().collect();
    let mut old = waivers::parse(name, before)?.waivers;
    old.sort_in_order_by_key(|waiver| waiver.line);
    let lines: Vec<&str> = before.split_inclusive('\n').collect();
    let indent = indent(before);
    let starts_entry = |line: &str| line.strip_prefix(indent).is_some_and(|rest| rest == "-" || rest.starts_with("- "));
    let is_aside = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let dashes: Vec<usize> = (0..lines.len()).filter(|at| starts_entry(lines[*at].trim_end())).collect();
    // What stands right above an entry, up to a blank line, belongs to it.
    let starts: Vec<usize> = dashes
        .iter()
        .map(|dash| {
            let above = lines[..*dash].iter().rev().take_while(|line| is_aside(line) && !line.trim().is_empty());
            let own = dash - above.count();
            if own == 0 { *dash } else { own }
        })
        .collect();
    let mut kept = String::new();
    let first = starts.first().copied().unwrap_or(lines.len());
    kept.extend(lines[..first].iter().copied());
    for (at, start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(lines.len());
        let first = old.partition_point(|waiver| (waiver.line as usize) <= *start);
        let own: Vec<&Waiver> = old[first..].iter().take_while(|waiver| (waiver.line as usize) <= end).collect();
        let goes = |waiver: &&&Waiver| ids.contains(waiver.id.as_str());
        let gone: OrderedSet<usize> = own.iter().filter(goes).map(|waiver| waiver.line as usize).collect();
        match own.iter().filter(goes).count() {
            0 => kept.extend(lines[*start..end].iter().copied()),
            count if count == own.len() => {}
            // Of an entry for several findings only the lines with the ids go.
            _ => kept.extend((*start..end).filter(|at| !gone.contains(&(at + 1))).map(|at| lines[at])),
        }
    }
    let same =
        |left: &Waiver, right: &Waiver| (&left.id, &left.reason, left.until) == (&right.id, &right.reason, right.until);
    let wanted: Vec<&Waiver> = old.iter().filter(|waiver| !ids.contains(waiver.id.as_str())).collect();
    let is_right = waivers::parse(name, &kept).is_ok_and(|file| {
        file.waivers.len() == wanted.len() && file.waivers.iter().zip(&wanted).all(|(left, right)| same(left, right))
    });
    match is_right {
        true => Ok(kept),
        false => Err(Failure::usage(
            format!("entries cannot be taken out of `{name}` as it is written"),
            format!("remove these by hand: {}", ids.into_iter().collect::<Vec<_>>().join(", ")),
        )),
    }
}

/// The text with other ids for some entries, which are (entry, new id).
///
/// # Errors
/// The file is not written in a way that an id can be replaced.
pub fn renamed(name: &str, before: &str, ids: &[(&Waiver, &str)]) -> Result<String, Failure> {
    let mut text = before.to_owned();
    // From the end, so that what stands before keeps its place.
    let mut ids = ids.to_vec();
    ids.sort_in_order_by_key(|(waiver, _)| std::cmp::Reverse(waiver.span.start));
    for (waiver, id) in &ids {
        let range = waiver.span.range();
        let written = text.get(range.clone()).and_then(|line| line.find(&waiver.id));
        if let Some(at) = written {
            text.replace_range(range.start + at..range.start + at + waiver.id.len(), id);
        }
    }
    let is_right = waivers::parse(name, &text)
        .is_ok_and(|file| ids.iter().all(|(_, id)| file.waivers.iter().any(|waiver| waiver.id == **id)));
    match is_right {
        true => Ok(text),
        false => Err(Failure::usage(
            format!("the ids of some entries cannot be replaced in `{name}` as it is written"),
            "write them by hand: `wireproof check` names each",
        )),
    }
}

/// How far the dashes of the list are indented.
fn indent(text: &str) -> &str {
    let first = text.lines().find(|line| line.trim_start().starts_with("- ") || line.trim() == "-");
    first.map_or("", |line| &line[..line.len() - line.trim_start().len()])
}

fn lines_of(entry: &Entry, indent: &str) -> Vec<String> {
    let said = |value: &str| Some(value).filter(|value| !value.is_empty()).map(scalar);
    let mut keys = match &entry.of {
        Covered::One { id, path, file, what } => {
            let keys = [("rule", &entry.rule), ("path", path), ("file", file), ("what", what)];
            let keys = keys.map(|(key, value)| (key, said(value)));
            std::iter::once(("id", Some(scalar(id)))).chain(keys).collect()
        }
        Covered::Several { under, .. } => {
            vec![("rule", said(&entry.rule)), ("under", under.as_deref().and_then(said))]
        }
    };
    keys.push(("reason", Some(scalar(entry.reason.trim()))));
    keys.push(("owner", entry.owner.as_deref().map(scalar)));
    keys.push(("until", entry.until.clone()));
    let keys = keys.into_iter().filter_map(|(key, value)| Some(format!("{key}: {}", value?)));
    let mut lines: Vec<String> =
        keys.enumerate().map(|(at, said)| format!("{indent}{} {said}", if at == 0 { "-" } else { " " })).collect();
    if let Covered::Several { each, .. } = &entry.of {
        lines.push(format!("{indent}  covers:"));
        lines.extend(each.iter().map(|(id, what)| format!("{indent}    - {} # {}", scalar(id), comment(what))));
    }
    lines
}

/// A text as a comment of YAML.
fn comment(value: &str) -> String {
    value.chars().map(|char| if text::is_hazard(char) || char.is_control() { ' ' } else { char }).collect()
}

/// A text as YAML: plain where every reader takes it for the same text, else between double quotes.
fn scalar(value: &str) -> String {
    const MEANT_OTHERWISE: [&str; 8] = ["true", "false", "null", "yes", "no", "on", "off", "y"];
    let plain = |c: char| c.is_ascii_alphanumeric() || " _./-".contains(c);
    let starts = value.starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_word = !MEANT_OTHERWISE.contains(&value.to_ascii_lowercase().as_str()) && value.len() > 1;
    if starts && is_word && !value.ends_with(' ') && value.chars().all(plain) && value.parse::<f64>().is_err() {
        return value.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in value.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if text::is_hazard(c) => quoted.push_str(&format!("\\U{:08x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, reason: &str) -> Entry {
        Entry {
            of: Covered::One {
                id: id.to_owned(),
                path: "shop.Store.Buy()".to_owned(),
                file: "shop/store.proto".to_owned(),
                what: "`shop.Store.Buy()` went: \"gone\"".to_owned(),
            },
            rule: "protobuf/field-reused".to_owned(),
            reason: reason.to_owned(),
            owner: Some("payments".to_owned()),
            until: Some("2026-12-31".to_owned()),
        }
    }

    const ID: &str = "9c1f03ab27de";

    #[test]
    fn an_entry_is_put_behind_what_is_there() {
        for before in [
            "",
            "# mine\n",
            "# mine\n- id: 123456789abc   # kept\n  reason: x",
            "- id: 123456789abc\r\n  reason: x\r\n",
            "  - id: 123456789abc\n    reason: |\n      one\n      two\n",
            "\u{feff}- {id: 123456789abc, reason: x}\n\n\n",
        ] {
            let written = appended("w.yaml", before, &entry(ID, "it is: gone")).expect(before);
            assert!(before.is_empty() || written.text.starts_with(before), "{}", written.text);
            let file = waivers::parse("w.yaml", &written.text).expect("valid");
            let last = file.waivers.last().expect("written");
            assert_eq!((last.id.as_str(), last.line as usize), (ID, written.line));
            assert_eq!(last.reason, "it is: gone");
            assert_eq!(last.path.as_deref(), Some("shop.Store.Buy()"));
        }
    }

    #[test]
    fn whatever_a_reason_holds_is_read_back() {
        for reason in [
            "true",
            "null",
            "12",
            "# no comment",
            "a: b",
            "- x",
            "'",
            "\"",
            "\\",
            "{",
            "ünïcode → ok",
            "two\nlines",
            "tab\there",
            "\u{202e}evil\u{1b}[31m",
            "@team",
            "x #y",
            "1e3",
            "~",
            "?",
            "*a",
            "&a",
            "!t",
            "%",
            "`",
        ] {
            let written = appended("w.yaml", "", &entry("123456789012", reason)).expect(reason);
            let file = waivers::parse("w.yaml", &written.text).expect(reason);
            assert_eq!((file.waivers[0].id.as_str(), file.waivers[0].reason.as_str()), ("123456789012", reason));
            assert!(!written.text.contains(['\u{202e}', '\u{1b}']), "{}", written.text);
        }
    }

    #[test]
    fn a_file_that_cannot_take_an_entry_stays_and_the_entry_is_shown() {
        for before in ["[]\n", "[{id: 123456789abc, reason: x}]\n", "- id: 123456789abc\n  reason: x\n...\n"] {
            let failure = appended("w.yaml", before, &entry(ID, "gone")).expect_err(before);
            assert!(failure.help.contains("- id: 9c1f03ab27de"), "{failure}");
        }
    }

    #[test]
    fn entries_are_taken_out_and_the_rest_stays() {
        let text = "# header\n\n# of a\n- id: aaaaaaaaaaaa\n  reason: one\n\n# of b\n- reason: two\n  id: bbbbbbbbbbbb\n- id: cccccccccccc\n  reason: three\n";
        let left = without("w.yaml", text, &["bbbbbbbbbbbb"]).expect("possible");
        assert_eq!(
            left,
            "# header\n\n# of a\n- id: aaaaaaaaaaaa\n  reason: one\n\n- id: cccccccccccc\n  reason: three\n"
        );
        let none = without("w.yaml", text, &["aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"]).expect("possible");
        assert_eq!(none, "# header\n\n");
        assert!(without("w.yaml", "[{id: aaaaaaaaaaaa, reason: x}]\n", &["aaaaaaaaaaaa"]).is_err());
    }

    #[test]
    fn an_entry_for_several_findings_lists_them_and_can_lose_some() {
        let each = ["aaaaaaaaaaaa", "bbbbbbbbbbbb"].map(|id| (id.to_owned(), "gone: \n \u{1b}[31m #1".to_owned()));
        let of = Covered::Several { under: Some("proto/legacy".to_owned()), each: each.to_vec() };
        let before = "# mine\n- id: cccccccccccc\n  reason: x\n";
        let written = appended("w.yaml", before, &Entry { of, ..entry("", "all of it goes") }).expect("possible");
        assert!(!written.text.contains('\u{1b}'), "{}", written.text);
        let file = waivers::parse("w.yaml", &written.text).expect("valid");
        let said: Vec<_> = file.waivers.iter().map(|one| (one.id.as_str(), one.under.as_deref())).collect();
        let under = Some("proto/legacy");
        assert_eq!(said, [("cccccccccccc", None), ("aaaaaaaaaaaa", under), ("bbbbbbbbbbbb", under)]);
        let fewer = without("w.yaml", &written.text, &["aaaaaaaaaaaa", "cccccccccccc"]).expect("possible");
        assert_eq!(waivers::parse("w.yaml", &fewer).expect("valid").waivers.len(), 1, "{fewer}");
        let none = without("w.yaml", &fewer, &["bbbbbbbbbbbb"]).expect("possible");
        assert!(!none.contains("proto/legacy"), "{none}");
    }

    #[test]
    fn an_id_is_replaced_and_the_rest_stays() {
        let text = "# ids: aaaaaaaaaaaa\n- id: aaaaaaaaaaaa # of old\n  reason: aaaaaaaaaaaa\n- {reason: x, id: bbbbbbbbbbbb}\n";
        let file = waivers::parse("w.yaml", text).expect("valid");
        let [first, second] = file.waivers.as_slice() else { panic!("{file:?}") };
        let (one, two) = ("0123456789abcdef", "fedcba9876543210");
        assert_eq!(
            renamed("w.yaml", text, &[(first, one), (second, two)]).expect("possible"),
            "# ids: aaaaaaaaaaaa\n- id: 0123456789abcdef # of old\n  reason: aaaaaaaaaaaa\n- {reason: x, id: fedcba9876543210}\n"
        );
    }
}
