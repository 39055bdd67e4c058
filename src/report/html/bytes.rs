//! The bytes of a witness as a picture: a cell for each byte, above as the writer meant it, below as the reader took it.
//!
//! A field has a colour and a letter in both rows, so no colour is the only sign. The table below the picture says in
//! words what every part is.

use super::{code, escape};
use crate::report::{BytePart, Evidence, parts};
use crate::text;

/// Bytes that have a cell.
const SHOWN: usize = 160;
/// Rows of a table.
const ROWS: usize = 40;
/// Colours of the style sheet, `f0` to `f7`.
const COLOURS: usize = 8;

/// The picture and its tables; `None` where there are no bytes to show.
pub(super) fn picture(evidence: &Evidence, format: &str) -> Option<String> {
    let bytes = bytes(&evidence.bytes)?;
    if evidence.surface != "wire" || bytes.is_empty() {
        return None;
    }
    if evidence.written_parts.is_empty() && evidence.read_parts.is_empty() {
        let records = records(evidence, format);
        let rows = [Row { label: "The bytes", parts: &records }];
        return Some(drawn(&bytes, &rows, &Fields(Vec::new())));
    }
    let (writer, reader) = match evidence.direction.as_str() {
        "forward" => ("As the writer (new schema) meant them", "As the reader (old schema) took them"),
        _ => ("As the writer (old schema) meant them", "As the reader (new schema) took them"),
    };
    let fields = Fields::of(&[&evidence.written_parts, &evidence.read_parts]);
    let rows =
        [Row { label: writer, parts: &evidence.written_parts }, Row { label: reader, parts: &evidence.read_parts }];
    Some(drawn(&bytes, &rows, &fields))
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        hex.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect::<Option<_>>()?;
    Some(digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte * 16 + digit)).collect())
}

/// Without a schema the records of Protobuf can still be told apart.
fn records(evidence: &Evidence, format: &str) -> Vec<BytePart> {
    let mut start = 0;
    let mut out = Vec::new();
    for record in parts::records(evidence, format).unwrap_or_default() {
        let end = start + u32::try_from(record.hex.split(' ').count()).unwrap_or(0);
        out.push(BytePart { start, end, field: String::new(), what: record.meaning });
        start = end;
    }
    out
}

struct Row<'a> {
    label: &'static str,
    parts: &'a [BytePart],
}

/// The fields in the order in which they appear; its place gives a field its letter and its colour.
struct Fields<'a>(Vec<&'a str>);

impl<'a> Fields<'a> {
    fn of(rows: &[&'a [BytePart]]) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for part in rows.iter().copied().flatten() {
            if !part.field.is_empty() && !names.contains(&part.field.as_str()) {
                names.push(&part.field);
            }
        }
        Fields(names)
    }

    /// Class and letter; what belongs to no field has neither.
    fn sign(&self, field: &str) -> (String, String) {
        match self.0.iter().position(|name| *name == field) {
            None => (String::new(), String::from("·")),
            Some(at) => (format!("f{}", at % COLOURS), letters(at)),
        }
    }
}

/// `a` to `z`, then `a2` and so on.
fn letters(at: usize) -> String {
    let letter = char::from(b'a' + u8::try_from(at % 26).expect("a remainder of 26"));
    if at < 26 { letter.to_string() } else { format!("{letter}{}", at / 26 + 1) }
}

fn drawn(bytes: &[u8], rows: &[Row<'_>], fields: &Fields<'_>) -> String {
    let mut out = format!("<div class=bytes role=img aria-label=\"{}\">", escape(&in_words(bytes, rows)));
    for (at, byte) in bytes.iter().take(SHOWN).enumerate() {
        out.push_str(&format!("<span><u>{at}</u>"));
        let found: Vec<Option<&BytePart>> = rows.iter().map(|row| part_at(row.parts, at)).collect();
        for (index, part) in found.iter().enumerate() {
            if index > 0 {
                out.push_str(if agree(found[0], *part) { "<s></s>" } else { "<s>≠</s>" });
            }
            out.push_str(&cell(*byte, at, *part, fields));
        }
        out.push_str("</span>");
    }
    out.push_str("</div>");
    if bytes.len() > SHOWN {
        let more = text::plural(bytes.len() - SHOWN, "more byte");
        out.push_str(&format!("<p class=\"small quiet\">… {more}; the JSON report has all</p>"));
    }
    if rows.len() > 1 {
        out.push_str("<p class=\"small quiet\">Upper row: as the writer meant them. Lower row: as the reader took them. ≠ stands where the two differ, hatching where nobody reads.</p>");
    }
    out.push_str("<div class=two>");
    for row in rows.iter().filter(|row| !row.parts.is_empty()) {
        out.push_str(&table(row, bytes, fields));
    }
    out.push_str("</div>");
    out
}

/// The innermost part: one that starts last.
fn part_at(parts: &[BytePart], at: usize) -> Option<&BytePart> {
    let at = u32::try_from(at).ok()?;
    parts.iter().rev().find(|part| part.start <= at && at < part.end)
}

fn agree(one: Option<&BytePart>, other: Option<&BytePart>) -> bool {
    let told = |part: &BytePart| (part.field.clone(), part.what.clone());
    one.map(told) == other.map(told)
}

fn cell(byte: u8, at: usize, part: Option<&BytePart>, fields: &Fields<'_>) -> String {
    let Some(part) = part else { return format!("<b class=n>{byte:02x}</b>") };
    let (class, letter) = fields.sign(&part.field);
    let starts = usize::try_from(part.start).is_ok_and(|start| start == at);
    match starts {
        true => format!("<b class=\"{class} s\">{byte:02x}<i>{letter}</i></b>"),
        false => format!("<b class=\"{class}\">{byte:02x}</b>"),
    }
}

fn table(row: &Row<'_>, bytes: &[u8], fields: &Fields<'_>) -> String {
    let mut out = format!(
        "<table><caption>{}</caption><thead><tr><th scope=col>Bytes</th><th scope=col>Field</th><th scope=col>What</th></tr></thead><tbody>",
        row.label
    );
    for part in row.parts.iter().take(ROWS) {
        let (class, letter) = fields.sign(&part.field);
        let field = if part.field.is_empty() { String::new() } else { format!(" {}", code(&part.field, 120)) };
        out.push_str(&format!(
            "<tr><td>{} {}</td><td><span class=\"chip {class}\">{letter}</span>{field}</td><td>{}</td></tr>",
            range(part),
            code(&hex(part, bytes), 60),
            escape(&text::shorten(&part.what, 120))
        ));
    }
    if row.parts.len() > ROWS {
        out.push_str(&format!("<tr><td colspan=3>… {} more</td></tr>", text::number(row.parts.len() - ROWS)));
    }
    out.push_str("</tbody></table>");
    out
}

fn range(part: &BytePart) -> String {
    let last = part.end.saturating_sub(1);
    if last > part.start { format!("{}–{last}", part.start) } else { part.start.to_string() }
}

fn hex(part: &BytePart, bytes: &[u8]) -> String {
    const MOST: usize = 8;
    let (start, end) = (part.start as usize, part.end as usize);
    let inside = bytes.get(start..end.min(bytes.len())).unwrap_or_default();
    let digits: Vec<String> = inside.iter().take(MOST).map(|byte| format!("{byte:02x}")).collect();
    let more = if inside.len() > MOST { " …" } else { "" };
    format!("{}{more}", digits.join(" "))
}

/// The picture for those who do not see it.
fn in_words(bytes: &[u8], rows: &[Row<'_>]) -> String {
    let hex = parts::grouped_hex(&bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), 32);
    let words = |row: &Row<'_>| {
        let told: Vec<String> = row.parts.iter().take(8).map(|part| format!("{} {}", part.field, part.what)).collect();
        let told = if told.is_empty() { "nothing".to_owned() } else { told.join(", ") };
        format!("{}: {told}", row.label)
    };
    let rows: Vec<String> = rows.iter().map(words).collect();
    text::shorten(&format!("Bytes {hex}. {}. The tables below tell all.", rows.join(". ")), 800).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_letters() {
        assert_eq!([0, 25, 26, 52].map(letters), ["a", "z", "a2", "a3"]);
    }

    #[test]
    fn of_two_parts_at_a_byte_the_inner_one_counts() {
        let part = |start, end, what: &str| BytePart { start, end, field: String::new(), what: what.to_owned() };
        let parts = [part(0, 8, "table"), part(4, 6, "slot")];
        let what = |at| part_at(&parts, at).map(|part| part.what.as_str());
        assert_eq!((what(3), what(5), what(6), what(8)), (Some("table"), Some("slot"), Some("table"), None));
    }
}
