//! The waiver file, valid by construction: a list of entries, each with an id and a reason.
//!
//! Reads no files: the caller brings the text. An unknown key, an id that is given twice, a day that does not exist:
//! each is an error with its place, because an entry that is half understood would let a break pass.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_saphyr::{Location, Spanned};

use super::place::Text;
use super::yaml;
use crate::change::Span;
use crate::date::Date;
use crate::failure::Failure;
use crate::fingerprint::{self, earlier};
use crate::safeguards::{Waiver, WaiverFile};

/// The file's name where the configuration names none.
pub const WAIVERS: &str = ".wireproof-waivers.yaml";

/// What an id is made of.
pub const ID_DIGITS: usize = fingerprint::DIGITS;

/// One entry as it is written.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(title = "wireproof waiver")]
struct RawWaiver {
    /// The id of the finding, sixteen hexadecimal digits, as every report shows it; an earlier form had twelve.
    #[schemars(with = "String", regex(pattern = "^([0-9a-f]{16}|[0-9a-f]{12})$"))]
    id: Spanned<String>,
    /// Why the break is intended.
    #[schemars(with = "String", length(min = 1))]
    reason: Spanned<String>,
    /// Who answers for it.
    #[schemars(with = "Option<String>", length(min = 1))]
    owner: Option<Spanned<String>>,
    /// The last day on which the waiver counts, in UTC, such as 2026-12-31.
    #[schemars(with = "Option<String>", regex(pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))]
    until: Option<Spanned<String>>,
    /// Whether it counts in later changes as well, without an end. Without it and without `until` it counts in the change
    /// that it comes with.
    #[serde(default)]
    standing: bool,
    /// The rule of the finding; an entry that names another rule covers nothing.
    rule: Option<String>,
    /// The element of the finding; an entry that names another one covers nothing.
    path: Option<String>,
    /// The file of the finding; an entry that names another one covers nothing, unless that one is gone on both sides.
    file: Option<String>,
    /// What the finding says, for those who read the file.
    #[serde(rename = "what")]
    #[expect(dead_code, reason = "written down for people")]
    what: Option<String>,
}

/// The waivers in a text; `path` is how reports spell the file.
///
/// # Errors
/// The first thing in the file that is wrong, with its place.
pub fn parse(path: &str, text: &str) -> Result<WaiverFile, Failure> {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let text = Text { name: path, text: &text[mark..], form: "`wireproof schema waivers`" };
    let raw: Vec<RawWaiver> = yaml::read(&text)?;
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    let mut waivers = Vec::new();
    for entry in raw {
        let line = entry.id.referenced.line();
        if let Some(first) = seen.insert(entry.id.value.clone(), line) {
            let message = format!("the id `{}` is waived twice, first in line {first}", entry.id.value);
            return Err(error(&text, &entry.id, &message, "keep one of the two entries"));
        }
        waivers.push(waiver(&text, entry, mark)?);
    }
    Ok(WaiverFile { path: Arc::from(path), waivers })
}

fn waiver(text: &Text<'_>, raw: RawWaiver, mark: usize) -> Result<Waiver, Failure> {
    if !is_id(&raw.id.value) {
        let message = format!("`{}` is not the id of a finding: {ID_DIGITS} digits out of 0-9 and a-f", raw.id.value);
        return Err(error(
            text,
            &raw.id,
            &message,
            "copy it from a report; `wireproof accept ID` writes whole entries",
        ));
    }
    if raw.reason.value.trim().is_empty() {
        return Err(error(text, &raw.reason, "the reason is blank", "say why the break is intended, for the reviewer"));
    }
    if let Some(owner) = raw.owner.as_ref().filter(|owner| owner.value.trim().is_empty()) {
        return Err(error(text, owner, "the owner is blank", "name who answers for the break, or leave `owner` out"));
    }
    let day = |until: &Spanned<String>| {
        Date::parse(&until.value).map_err(|why| error(text, until, &why, "write the last day as in 2026-12-31"))
    };
    Ok(Waiver {
        until: raw.until.as_ref().map(day).transpose()?,
        until_span: raw.until.as_ref().map(|until| span(text, until.referenced, mark)),
        line: u32::try_from(raw.id.referenced.line()).unwrap_or(u32::MAX),
        span: span(text, raw.id.referenced, mark),
        id: raw.id.value,
        reason: raw.reason.value.trim().to_owned(),
        owner: raw.owner.map(|owner| owner.value.trim().to_owned()),
        standing: raw.standing,
        rule: raw.rule,
        path: raw.path,
        file: raw.file,
    })
}

/// Whether a word has the form of an id.
pub fn is_id(word: &str) -> bool {
    [ID_DIGITS, earlier::DIGITS].contains(&word.len()) && is_start_of_id(word)
}

/// Whether a word could be the start of an id.
pub fn is_start_of_id(word: &str) -> bool {
    word.len() <= ID_DIGITS && word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn error(text: &Text<'_>, at: &Spanned<String>, message: &str, help: &str) -> Failure {
    let (line, column) = (at.referenced.line() as usize, at.referenced.column() as usize);
    text.error_at(line.max(1), column.max(1), at.value.chars().count(), message, help)
}

/// The rest of the line from a place on: what is shown to people is the line.
fn span(text: &Text<'_>, at: Location, mark: usize) -> Span {
    let line_start: usize =
        text.text.split_inclusive('\n').take((at.line() as usize).saturating_sub(1)).map(str::len).sum();
    let line = text.text[line_start..].lines().next().unwrap_or_default();
    let skipped: usize = line.chars().take((at.column() as usize).saturating_sub(1)).map(char::len_utf8).sum();
    let offset = |at: usize| u32::try_from(mark + at).unwrap_or(u32::MAX);
    Span::new(offset(line_start + skipped), offset(line_start + line.trim_end().len()))
}

/// The JSON Schema of the waiver file.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Vec<RawWaiver>)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse("w.yaml", text).expect_err("must be refused").to_string()
    }

    #[test]
    fn an_entry_says_who_why_and_until_when() {
        let text = "# intended breaks\n- id: 9c1f03ab27de\n  rule: protobuf/field-reused\n  path: shop.Order.note\n  what: it was reused\n\
                    \x20 reason: \"the old app is gone\"\n  owner: payments\n  until: 2026-12-31\n- {id: \"123456789012\", reason: x}\n";
        let file = parse("w.yaml", text).expect("valid");
        let [first, second] = file.waivers.as_slice() else { panic!("{file:?}") };
        assert_eq!((first.id.as_str(), first.line), ("9c1f03ab27de", 2));
        assert_eq!(first.until.map(|until| until.to_string()).as_deref(), Some("2026-12-31"));
        assert_eq!((first.owner.as_deref(), first.reason.as_str()), (Some("payments"), "the old app is gone"));
        assert_eq!(&text[first.span.range()], "9c1f03ab27de");
        assert_eq!(first.until_span.map(|span| &text[span.range()]), Some("2026-12-31"));
        assert_eq!((second.id.as_str(), second.until, second.line), ("123456789012", None, 9));
    }

    #[test]
    fn numbers_that_look_like_ids_are_ids() {
        for id in ["1234567890123456", "123456789012e456", "0000000000000000", "123456789012", "12345678e012"] {
            let file = parse("w.yaml", &format!("- id: {id}\n  reason: x\n")).expect(id);
            assert_eq!(file.waivers[0].id, id);
        }
    }

    #[test]
    fn an_empty_file_waives_nothing() {
        for text in ["", "# nothing\n", "[]\n", "\u{feff}[]\n"] {
            assert!(parse("w.yaml", text).expect("valid").waivers.is_empty(), "{text:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let entry = "- id: 9c1f03ab27de\n  reason: gone\n";
        for (text, place, words) in [
            ("- id: 9c1f03ab27\n  reason: x\n", "w.yaml:1:7", "not the id of a finding"),
            ("- id: 9C1F03AB27DE\n  reason: x\n", "w.yaml:1:7", "not the id of a finding"),
            ("- id: 9c1f03ab27de\n  reason: ' '\n", "w.yaml:2:11", "the reason is blank"),
            ("- id: 9c1f03ab27de\n", "w.yaml:1:", "reason"),
            ("- id: 9c1f03ab27de\n  reason: x\n  untill: 2026-01-01\n", "w.yaml:3:3", "did you mean `until`?"),
            ("- id: 9c1f03ab27de\n  reason: x\n  until: 2026-02-30\n", "w.yaml:3:10", "28 days"),
            ("- id: 9c1f03ab27de\n  reason: x\n  until: soon\n", "w.yaml:3:10", "not a date"),
            ("- id: 9c1f03ab27de\n  reason: x\n  owner: ''\n", "w.yaml:3:10", "owner is blank"),
            (&format!("{entry}{entry}"), "w.yaml:3:7", "waived twice, first in line 1"),
            ("id: 9c1f03ab27de\nreason: x\n", "w.yaml:1:1", "list"),
        ] {
            let error = error(text);
            assert!(error.contains(place) && error.contains(words), "{text}\n{error}");
        }
    }
}
