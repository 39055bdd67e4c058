//! The waiver file, valid by construction: a list of entries, each with an id and a reason.
//!
//! Reads no files: the caller brings the text. An unknown key, an id that is given twice, a day that does not exist:
//! each is an error with its place, because an entry that is half understood would let a break pass.

use std::sync::Arc;

use serde::Deserialize;
use serde_saphyr::{Location, Spanned};

use super::place::Text;
use super::yaml;
use crate::change::Span;
use crate::date::Date;
use crate::failure::Failure;
use crate::fingerprint::{self, earlier};
use crate::ordered::OrderedMap;
use crate::safeguards::{Waiver, WaiverFile};
use crate::text::is_blank;

/// The file's name where the configuration names none.
pub const WAIVERS: &str = ".wireproof-waivers.yaml";

/// How entries are written.
const SHAPES: &str = "an entry has `id: ID`, or `covers:` with a list of ids and `rule:`, `under:` or both";

/// What an id is made of.
pub const ID_DIGITS: usize = fingerprint::DIGITS;

/// One entry as it is written: with an id, or with all ids that it covers.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(test, schemars(title = "wireproof waiver"))]
struct RawWaiver {
    /// The id of the finding, sixteen hexadecimal digits, as every report shows it; an earlier form had twelve.
    #[cfg_attr(test, schemars(with = "Option<String>", regex(pattern = "^([0-9a-f]{16}|[0-9a-f]{12})$")))]
    id: Option<Spanned<String>>,
    /// Instead of `id`: the ids of all findings that the entry covers. Others of the same rule or place are not covered.
    #[cfg_attr(test, schemars(with = "Option<Vec<String>>", length(min = 1)))]
    covers: Option<Vec<Spanned<String>>>,
    /// Why the break is intended.
    #[cfg_attr(test, schemars(with = "String", length(min = 1)))]
    reason: Spanned<String>,
    /// Who answers for it.
    #[cfg_attr(test, schemars(with = "Option<String>", length(min = 1)))]
    owner: Option<Spanned<String>>,
    /// The last day on which the waiver counts, in UTC, such as 2026-12-31.
    #[cfg_attr(test, schemars(with = "Option<String>", regex(pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")))]
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
    /// With `covers`: the file or the folder that the findings lie in; a finding elsewhere is not covered.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    under: Option<Spanned<String>>,
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
    let lines = LineStarts::of(&text, mark);
    let mut seen: OrderedMap<String, u64> = OrderedMap::new();
    let mut waivers = Vec::new();
    for entry in raw {
        let (ids, shared) = shared(&text, entry, &lines)?;
        for id in ids {
            let line = id.referenced.line();
            if !is_id(&id.value) {
                let message =
                    format!("`{}` is not the id of a finding: {ID_DIGITS} digits out of 0-9 and a-f", id.value);
                let help = "copy it from a report; `wireproof accept ID` writes whole entries";
                return Err(error(&text, &id, &message, help));
            }
            if let Some(first) = seen.insert(id.value.clone(), line) {
                let message = format!("the id `{}` is waived twice, first in line {first}", id.value);
                return Err(error(&text, &id, &message, "keep one of the two entries"));
            }
            let (line, span) = (u32::try_from(line).unwrap_or(u32::MAX), lines.span(id.referenced));
            waivers.push(Waiver { line, span, id: id.value, ..shared.clone() });
        }
    }
    Ok(WaiverFile { path: Arc::from(path), waivers })
}

/// The ids of an entry, and what it says of each of them.
fn shared(text: &Text<'_>, raw: RawWaiver, lines: &LineStarts<'_>) -> Result<(Vec<Spanned<String>>, Waiver), Failure> {
    if is_blank(&raw.reason.value) {
        return Err(error(text, &raw.reason, "the reason is blank", "say why the break is intended, for the reviewer"));
    }
    if let Some(owner) = raw.owner.as_ref().filter(|owner| owner.value.trim().is_empty()) {
        return Err(error(text, owner, "the owner is blank", "name who answers for the break, or leave `owner` out"));
    }
    let day = |until: &Spanned<String>| {
        Date::parse(&until.value).map_err(|why| error(text, until, &why, "write the last day as in 2026-12-31"))
    };
    let under = raw.under.as_ref().map(|under| match super::place::relative(&under.value) {
        Some(inside) if raw.covers.is_some() => Ok(inside),
        _ => Err(error(text, under, "`under` stands beside `covers` and names a path of the repository", SHAPES)),
    });
    let wrong = |message| Err(error(text, &raw.reason, message, SHAPES));
    let ids = match (raw.id, raw.covers) {
        (Some(id), None) => vec![id],
        (None, Some(ids)) if ids.is_empty() => return wrong("the entry covers nothing: `covers` is empty"),
        (None, Some(_)) if raw.path.is_some() || raw.file.is_some() => {
            return wrong("an entry for several findings has no `path` and no `file`");
        }
        (None, Some(ids)) => ids,
        (Some(_), Some(_)) => return wrong("the entry has both `id` and `covers`"),
        (None, None) => return wrong("the entry says nothing of what it covers: it has neither `id` nor `covers`"),
    };
    let shared = Waiver {
        until: raw.until.as_ref().map(day).transpose()?,
        until_span: raw.until.as_ref().map(|until| lines.span(until.referenced)),
        line: 0,
        span: Span::new(0, 0),
        id: String::new(),
        reason: raw.reason.value.trim().to_owned(),
        owner: raw.owner.map(|owner| owner.value.trim().to_owned()),
        standing: raw.standing,
        rule: raw.rule,
        path: raw.path,
        file: raw.file,
        under: under.transpose()?,
        comment_in: None,
    };
    Ok((ids, shared))
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

/// Where each line of a text starts.
struct LineStarts<'a> {
    text: &'a str,
    mark: usize,
    starts: Vec<usize>,
}

impl LineStarts<'_> {
    fn of<'a>(text: &Text<'a>, mark: usize) -> LineStarts<'a> {
        let ends = text.text.match_indices('\n').map(|(at, _)| at + 1);
        LineStarts { text: text.text, mark, starts: std::iter::once(0).chain(ends).collect() }
    }

    /// The rest of the line from a place on: what is shown to people is the line.
    fn span(&self, at: Location) -> Span {
        let start = self.starts.get((at.line() as usize).saturating_sub(1)).copied().unwrap_or(self.text.len());
        let line = self.text[start..].lines().next().unwrap_or_default();
        let skipped: usize = line.chars().take((at.column() as usize).saturating_sub(1)).map(char::len_utf8).sum();
        let offset = |at: usize| u32::try_from(self.mark + at).unwrap_or(u32::MAX);
        Span::new(offset(start + skipped), offset(start + line.trim_end().len()))
    }
}

/// The JSON Schema of the waiver file, as text: held against the type of an entry by the tests, and written by them.
pub fn schema() -> &'static str {
    include_str!("waivers.schema.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_of_the_waivers_is_that_of_its_types() {
        let schema = schemars::schema_for!(Vec<RawWaiver>);
        crate::formats::table_tests::assert_schema("config/waivers.schema.json", &schema);
    }

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
    fn an_entry_for_several_findings_says_the_same_of_each() {
        let text =
            "- rule: r\n  under: ./proto/\n  covers:\n    - 9c1f03ab27de # one\n    - 123456789012\n  reason: gone\n";
        let file = parse("w.yaml", text).expect("valid");
        let lines: Vec<(&str, u32)> = file.waivers.iter().map(|one| (one.id.as_str(), one.line)).collect();
        assert_eq!(lines, [("9c1f03ab27de", 4), ("123456789012", 5)]);
        for waiver in &file.waivers {
            assert_eq!((waiver.under.as_deref(), waiver.reason.as_str()), (Some("proto"), "gone"));
            assert!(text[waiver.span.range()].starts_with(&waiver.id));
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
            ("- id: 9c1f03ab27de\n  reason: \"\\u200b \\u2060\"\n", "w.yaml:2:11", "the reason is blank"),
            ("- id: 9c1f03ab27de\n", "w.yaml:1:", "reason"),
            ("- id: 9c1f03ab27de\n  reason: x\n  untill: 2026-01-01\n", "w.yaml:3:3", "did you mean `until`?"),
            ("- id: 9c1f03ab27de\n  reason: x\n  until: 2026-02-30\n", "w.yaml:3:10", "28 days"),
            ("- id: 9c1f03ab27de\n  reason: x\n  until: soon\n", "w.yaml:3:10", "not a date"),
            ("- id: 9c1f03ab27de\n  reason: x\n  owner: ''\n", "w.yaml:3:10", "owner is blank"),
            (&format!("{entry}{entry}"), "w.yaml:3:7", "waived twice, first in line 1"),
            ("id: 9c1f03ab27de\nreason: x\n", "w.yaml:1:1", "list"),
            ("- reason: x\n", "w.yaml:1:11", "neither `id` nor `covers`"),
            ("- reason: x\n  covers: []\n", "w.yaml:1:11", "`covers` is empty"),
            ("- reason: x\n  covers: [9c1f03ab27de, 9c1f03ab27de]\n", "w.yaml:2:26", "waived twice"),
            ("- reason: x\n  covers: [9c1f03ab27d]\n", "w.yaml:2:12", "not the id of a finding"),
            ("- reason: x\n  covers: [9c1f03ab27de]\n  id: 9c1f03ab27df\n", "w.yaml:1:11", "both `id` and `covers`"),
            ("- reason: x\n  covers: [9c1f03ab27de]\n  path: a.B\n", "w.yaml:1:11", "no `path`"),
            ("- reason: x\n  covers: [9c1f03ab27de]\n  under: ../b\n", "w.yaml:3:10", "path of the repository"),
            ("- reason: x\n  id: 9c1f03ab27de\n  under: b\n", "w.yaml:3:10", "beside `covers`"),
            ("- reason: x\n  id: 9c1f03ab27de\n  owner:\n", "w.yaml:3:3", "`owner` has no value"),
            ("- reason: x\n  id: 9c1f03ab27de\n  until: ~\n", "w.yaml:3:3", "`until` has no value"),
        ] {
            let error = error(text);
            assert!(error.contains(place) && error.contains(words), "{text}\n{error}");
        }
    }
}
