//! What round trips showed of a finding: which observations are worth showing, and their bytes taken apart.

use super::cells::{cells, clauses, in_force, role};
use super::{BytePart, Cell, Encoded, Evidence, Finding, Report};
use crate::ordered::OrderedMap;
use crate::text;
use crate::vocabulary::{Direction, Open, Outcome, SPEC, Status, Surface};

/// The observations worth showing, the deciding runtime first: one per direction in force, the worst of its surfaces.
pub(crate) fn witnesses<'a>(report: &'a Report, finding: &'a Finding) -> Vec<&'a Evidence> {
    let mut best: OrderedMap<&Open<Direction>, &Evidence> = OrderedMap::new();
    let cells = cells(report, finding);
    for evidence in finding.evidence.iter().filter(|evidence| evidence.runtime == SPEC && has_bytes(evidence)) {
        let forced = cells.iter().any(|cell| cell.surface == evidence.surface && cell.direction == evidence.direction);
        if !forced || evidence.outcome < Outcome::Unrecognized {
            continue;
        }
        let slot = best.entry(&evidence.direction).or_insert(evidence);
        if evidence.outcome > slot.outcome {
            *slot = evidence;
        }
    }
    best.into_values().collect()
}

/// Whether anything travelled: an empty message has no bytes and still is a witness when something was written or read.
pub(crate) fn has_bytes(evidence: &Evidence) -> bool {
    evidence.status != Status::NotObservable
        && !(evidence.bytes.is_empty() && evidence.wrote.is_null() && evidence.read.is_null())
}

/// What other runtimes saw that differs from what the deciding one saw, in force only: one clause a line,
/// `with prost, old readers of new data reject the message (wire: fails)`.
pub(crate) fn dissent(report: &Report, finding: &Finding) -> Vec<String> {
    let mut seen: Vec<(&str, Vec<Cell>)> = Vec::new();
    for Evidence { runtime, surface, direction, outcome, .. } in dissenters(finding) {
        let cell = Cell { surface: surface.clone(), direction: direction.clone(), outcome: outcome.clone() };
        match seen.iter_mut().find(|(known, _)| known == runtime) {
            _ if !in_force(report, finding, &cell) => {}
            Some((_, cells)) => cells.push(cell),
            None => seen.push((runtime, vec![cell])),
        }
    }
    let told = |(runtime, cells): &(&str, Vec<Cell>)| {
        clauses(&cells.iter().collect::<Vec<_>>(), role(finding))
            .into_iter()
            .map(|clause| format!("with {runtime}, {clause}"))
            .collect::<Vec<_>>()
    };
    seen.iter().flat_map(told).collect()
}

/// What peers say in the directions in force, in their own words.
pub(crate) fn peers(report: &Report, finding: &Finding) -> Vec<String> {
    const MOST: usize = 4;
    let is_meant = |direction: &Open<Direction>| {
        let cell = Cell { surface: Surface::Wire.into(), direction: direction.clone(), outcome: Outcome::Fails.into() };
        in_force(report, finding, &cell)
    };
    let told = finding.peer_reports.iter().filter(|one| one.direction.as_ref().is_none_or(is_meant));
    let words = told.map(|one| {
        let who = one.direction.as_ref().map(|direction| format!(", {}", text::who(direction, role(finding))));
        let pointer = one.pointer.as_ref().map(|pointer| format!(" at {pointer}"));
        let (who, pointer) = (who.unwrap_or_default(), pointer.unwrap_or_default());
        format!("{} reports {}{who}{pointer}: {}", one.tool, one.id, one.message)
    });
    let mut words: Vec<String> = words.collect();
    if words.len() > MOST {
        let more = text::number(words.len() - MOST);
        words.truncate(MOST);
        words.push(format!("and {more} more, which `--format json` lists"));
    }
    words
}

/// Observations by other runtimes that differ from what the deciding one saw.
fn dissenters(finding: &Finding) -> Vec<&Evidence> {
    let spec = |other: &Evidence| {
        finding
            .evidence
            .iter()
            .find(|e| e.runtime == SPEC && e.surface == other.surface && e.direction == other.direction)
            .map(|e| &e.outcome)
    };
    finding
        .evidence
        .iter()
        .filter(|e| {
            let is_other = spec(e).map_or(e.status == Status::Contradicts, |seen| *seen != e.outcome);
            e.runtime != SPEC && e.status != Status::NotObservable && is_other
        })
        .collect()
}

/// Which side wrote and which read, and as what, where the reader has another type.
pub(crate) fn journey(evidence: &Evidence) -> String {
    let reading = text::reading(&evidence.direction);
    match evidence.reader.is_empty() || evidence.reader == evidence.writer {
        true => reading.to_owned(),
        false => format!("{reading} as `{}`", text::visible(&text::elide(&evidence.reader, 200))),
    }
}

/// How the bytes of Protocol Buffers are read by `protoc`, once as written and once as read; the files are those of the
/// two sides.
pub(crate) fn replay(evidence: &Evidence, format: &str) -> Vec<String> {
    if format != PROTOBUF || evidence.surface != Surface::Wire || evidence.writer.is_empty() {
        return Vec::new();
    }
    let decode = |name: &str| {
        let message = if evidence.wrapper.is_empty() { name } else { "Wrapper" };
        match evidence.bytes.as_str() {
            "" => format!("replay protoc --decode={} FILE </dev/null", text::visible(message)),
            bytes => format!("replay printf {bytes} | xxd -r -p | protoc --decode={} FILE", text::visible(message)),
        }
    };
    let mut lines = vec![decode(&evidence.writer)];
    if evidence.wrapper.is_empty() {
        lines.extend((evidence.reader != evidence.writer).then(|| decode(&evidence.reader)));
    } else {
        let types = format!("TYPE: {} written, {} read", evidence.writer, evidence.reader);
        lines.push(format!("where FILE imports the schema and says {} ({})", evidence.wrapper, text::visible(&types)));
    }
    lines
}

/// What the value costs in the encodings in which it travels: `12 bytes as CBOR; as BSON it cannot be written: …`.
pub(crate) fn costs(evidence: &Evidence) -> Option<String> {
    let one = |encoded: &Encoded| match encoded.length {
        Some(length) => format!("{} as {}", text::plural(length as usize, "byte"), encoded.encoding),
        None => format!("as {} it cannot be written: {}", encoded.encoding, text::visible(&encoded.refused)),
    };
    let told: Vec<String> = evidence.encoded.iter().map(one).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// Hexadecimal digits in pairs, at most `most` bytes, and how many there are.
pub(crate) fn grouped_hex(hex: &str, most: usize) -> String {
    let pairs = hex_pairs(hex);
    let count = text::plural(pairs.len(), "byte");
    match pairs.len() {
        0 => "(none: an empty message)".to_owned(),
        total if total <= most => format!("{} ({count})", pairs.join(" ")),
        _ => format!("{} … ({count}, the first {most} shown)", pairs[..most].join(" ")),
    }
}

fn hex_pairs(hex: &str) -> Vec<&str> {
    let digits = hex.as_bytes();
    (0..digits.len()).step_by(2).map(|at| hex.get(at..(at + 2).min(hex.len())).unwrap_or("??")).collect()
}

/// A value as one line of JSON, shortened.
pub(crate) fn compact_json(value: &serde_json::Value, most: usize) -> String {
    let full = value.to_string();
    let shown = text::visible(&full);
    let length = shown.chars().count();
    if length <= most {
        return shown.into_owned();
    }
    format!("{} ({} in all)", text::shorten(&shown, most), text::plural(length, "character"))
}

/// What was written, as one line of JSON: where that is long, the member that the reason for a rejection is about, and how much
/// more there is.
pub(crate) fn wrote_words(evidence: &Evidence, most: usize) -> String {
    let full = evidence.wrote.to_string();
    let length = text::visible(&full).chars().count();
    let about = match &*evidence.read {
        serde_json::Value::String(reason) if length > most => around(&evidence.wrote, reason),
        _ => None,
    };
    match about {
        Some(about) => {
            let about = about.to_string();
            let shown = text::visible(&about);
            format!("{} ({} in all)", text::shorten(&shown, most), text::plural(length, "character"))
        }
        None => compact_json(&evidence.wrote, most),
    }
}

/// A value without what does not lie on the way to the place that a reason begins with, `/a/0: …`; nothing where it begins with
/// none.
fn around(value: &serde_json::Value, reason: &str) -> Option<serde_json::Value> {
    let rest = reason.strip_prefix('/')?;
    let inside = |rest: &str, inner: &serde_json::Value| match rest.starts_with(": ") {
        true => Some(inner.clone()),
        false => around(inner, rest),
    };
    match value {
        serde_json::Value::Object(members) => {
            let step = |name: &str| name.replace('~', "~0").replace('/', "~1");
            let mut found = members.iter().filter_map(|(name, inner)| {
                let rest = rest.strip_prefix(&*step(name))?;
                Some((name.clone(), inside(rest, inner)?))
            });
            let mut shown = serde_json::Map::from_iter([found.next()?]);
            if members.len() > 1 {
                let more = format!("and {}", text::plural(members.len() - 1, "more member"));
                shown.insert("…".to_owned(), more.into());
            }
            Some(shown.into())
        }
        serde_json::Value::Array(items) => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let at: usize = rest[..digits].parse().ok()?;
            let shown = inside(&rest[digits..], items.get(at)?)?;
            let before = (at > 0).then(|| "…".into());
            let behind = (at + 1 < items.len()).then(|| "…".into());
            Some(before.into_iter().chain([shown]).chain(behind).collect())
        }
        _ => None,
    }
}

/// Whether the bytes are the text of what was written, so that they say nothing more.
pub(crate) fn is_written_as_shown(evidence: &Evidence) -> bool {
    let text = evidence.wrote.to_string();
    let hex = hex_pairs(&evidence.bytes);
    hex.len() == text.len() && hex.iter().zip(text.bytes()).all(|(pair, byte)| *pair == format!("{byte:02x}"))
}

/// What was read; a rejected message shows the reason as words.
pub(crate) fn read_words(evidence: &Evidence, most: usize) -> String {
    match &*evidence.read {
        // A text is never what is read of a message, so it is the reason why the whole was rejected.
        serde_json::Value::String(reason)
            if evidence.outcome == Outcome::Fails || evidence.wrote.is_object() || evidence.wrote.is_array() =>
        {
            format!("rejected: {}", text::shorten(&text::visible(reason), most))
        }
        value => compact_json(value, most),
    }
}

/// A record of encoded bytes and what it says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) hex: String,
    pub(crate) meaning: String,
}

/// The format whose bytes tell their fields without a schema.
const PROTOBUF: &str = "protobuf";

/// Takes wire bytes apart, one top-level field a record, without a schema. `None` when they are not well formed or too many.
pub(crate) fn records(evidence: &Evidence, format: &str) -> Option<Vec<Record>> {
    const MOST_BYTES: usize = 96;
    const MOST_RECORDS: usize = 12;
    if format != PROTOBUF || evidence.surface != Surface::Wire || evidence.bytes.is_empty() {
        return None;
    }
    let bytes = hex_pairs(&evidence.bytes)
        .into_iter()
        .map(|pair| u8::from_str_radix(pair, 16).ok())
        .collect::<Option<Vec<u8>>>()?;
    let (mut rest, mut out) = (bytes.as_slice(), Vec::new());
    while !rest.is_empty() {
        let (length, meaning) = record(rest)?;
        out.push(Record { hex: spaced(rest.get(..length)?), meaning });
        rest = &rest[length..];
    }
    (bytes.len() <= MOST_BYTES && out.len() <= MOST_RECORDS).then_some(out)
}

/// The bytes of a witness with what they are, as the writer meant them and, where that differs, as the reader took them.
///
/// `None` when the report does not tell, or tells of bytes that are not there.
pub(crate) fn annotated(evidence: &Evidence) -> Option<(Vec<Record>, Option<Vec<Record>>)> {
    if evidence.surface != Surface::Wire || evidence.written_parts.is_empty() {
        return None;
    }
    let pairs = hex_pairs(&evidence.bytes);
    let written = annotations(&pairs, &evidence.written_parts)?;
    let read = annotations(&pairs, &evidence.read_parts)?;
    let differs = !read.is_empty() && read != written;
    Some((written, differs.then_some(read)))
}

fn annotations(pairs: &[&str], parts: &[BytePart]) -> Option<Vec<Record>> {
    const MOST_ROWS: usize = 16;
    const BYTES_IN_A_ROW: usize = 16;
    const FIELD: usize = 40;
    let shown = &parts[..parts.len().min(MOST_ROWS)];
    let width = shown.iter().map(|part| part.field.chars().count()).max().unwrap_or(0).min(FIELD);
    let (mut rows, mut before) = (Vec::new(), "");
    for part in shown {
        let bytes = pairs.get(part.start as usize..part.end as usize)?;
        let mut hex = bytes.iter().take(BYTES_IN_A_ROW).copied().collect::<Vec<_>>().join(" ");
        if bytes.len() > BYTES_IN_A_ROW {
            hex.push_str(&format!(" … ({})", text::plural(bytes.len(), "byte")));
        }
        // A field is named once, in front of its first part.
        let field = if part.field == before { "" } else { part.field.as_str() };
        before = &part.field;
        let gap = if width == 0 { "" } else { "  " };
        let meaning = format!("{:<width$}{gap}{}", text::elide(field, FIELD), text::elide(&part.what, 120));
        rows.push(Record { hex, meaning });
    }
    if parts.len() > MOST_ROWS {
        let meaning = format!("and {} more parts", text::number(parts.len() - MOST_ROWS));
        rows.push(Record { hex: "…".to_owned(), meaning });
    }
    Some(rows)
}

/// The length of the first field and what it says. Groups are shown by their tags alone.
fn record(bytes: &[u8]) -> Option<(usize, String)> {
    let (tag, tag_length) = varint(bytes)?;
    let number = tag >> 3;
    let payload = bytes.get(tag_length..)?;
    let (length, what) = match tag & 7 {
        0 => varint(payload).map(|(value, length)| (length, format!("varint {value}")))?,
        1 => (8, "8 fixed bytes".to_owned()),
        5 => (4, "4 fixed bytes".to_owned()),
        2 => {
            let (size, length) = varint(payload)?;
            let size = usize::try_from(size).ok()?;
            let content = payload.get(length..length.checked_add(size)?)?;
            (length + size, delimited(content))
        }
        3 => (0, "group starts".to_owned()),
        4 => (0, "group ends".to_owned()),
        _ => return None,
    };
    payload.get(..length)?;
    Some((tag_length + length, format!("field {number}: {what}")))
}

fn delimited(content: &[u8]) -> String {
    let count = text::plural(content.len(), "byte");
    match std::str::from_utf8(content) {
        Ok(words) if !words.is_empty() && !words.chars().any(text::is_hazard) => {
            format!("{count}, \"{}\"", text::shorten(words, 40))
        }
        _ => count,
    }
}

fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (at, byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
    }
    None
}

fn spaced(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::around;

    #[test]
    fn of_a_long_document_the_way_to_what_is_rejected_is_shown() {
        let document = json!({"a": 1, "b/c": [1, {"d": "no", "e": 2}, 3], "f: g": true});
        let shown = |reason: &str| around(&document, reason).map(|shown| shown.to_string());
        let members = |one: &str, more: &str| Some(format!("{{{one},\"…\":\"and {more}\"}}"));
        assert_eq!(shown("/a: 1 is too small"), members("\"a\":1", "2 more members"));
        let inner = members("\"d\":\"no\"", "1 more member").unwrap_or_default();
        let way = members(&format!("\"b/c\":[\"…\",{inner},\"…\"]"), "2 more members");
        assert_eq!(shown("/b~1c/1/d: \"no\" is no number"), way);
        assert_eq!(shown("/f: g: true is not false"), members("\"f: g\":true", "2 more members"));
        for reason in ["a member is missing", "/x: gone", "/b~1c/7: gone", "/a/0: gone"] {
            assert_eq!(shown(reason), None, "{reason}");
        }
    }
}
