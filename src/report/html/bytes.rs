//! The bytes of a witness as a picture: a cell for each byte, above as the writer meant it, below as the reader took it.
//!
//! A field has a colour and a letter in both rows, so no colour is the only sign. The table below the picture says in
//! words what every part is.

use std::cmp::Reverse;

use super::markup::{code, escape};
use crate::ordered::OrderedSet;
use crate::report::{BytePart, Evidence, witness};
use crate::text;
use crate::vocabulary::{Direction, Open, Surface};

/// Bytes that have a cell.
const SHOWN: usize = 160;
/// Rows of the table …
const ROWS: usize = 60;
/// … which is folded when it has more than this.
const UNFOLDED: usize = 12;
/// Colours of the style sheet, `f0` to `f7`.
const COLOURS: usize = 8;

/// The picture and its tables; `None` where there are no bytes to show.
pub(super) fn picture(evidence: &Evidence, format: &str) -> Option<String> {
    let bytes = bytes(&evidence.bytes)?;
    if evidence.surface != Surface::Wire || bytes.is_empty() {
        return None;
    }
    if evidence.written_parts.is_empty() && evidence.read_parts.is_empty() {
        let records = records(evidence, format);
        let rows = [Row { label: "What they say", parts: &records }];
        return Some(drawn(&bytes, &rows, &Fields(Vec::new())));
    }
    let (writer, reader) = match &evidence.direction {
        Open::Known(Direction::Forward) => ("The writer (new schema) meant", "The reader (old schema) took"),
        Open::Known(Direction::Backward) => ("The writer (old schema) meant", "The reader (new schema) took"),
        Open::Unknown(_) => ("The writer meant", "The reader took"),
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
    for record in witness::records(evidence, format).unwrap_or_default() {
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
    let mut out = format!("<div class=picture role=img aria-label=\"{}\">", escape(&in_words(bytes, rows)));
    if rows.len() > 1 {
        out.push_str("<div class=who><u></u><b>writer</b><s></s><b>reader</b></div>");
    }
    out.push_str("<div class=bytes>");
    for (at, byte) in bytes.iter().take(SHOWN).enumerate() {
        out.push_str(&format!("<span><u>{at}</u>"));
        let found = told_apart(rows, at);
        for (index, part) in found.iter().enumerate() {
            if index > 0 {
                out.push_str(if agree(found[0], *part) { "<s></s>" } else { "<s>≠</s>" });
            }
            out.push_str(&cell(*byte, at, *part, fields));
        }
        out.push_str("</span>");
    }
    out.push_str("</div></div>");
    if bytes.len() > SHOWN {
        let more = text::plural(bytes.len() - SHOWN, "more byte");
        out.push_str(&format!("<p class=\"small quiet\">… {more}; the JSON report has all</p>"));
    }
    if rows.len() > 1 {
        out.push_str("<p class=\"small quiet\">Upper row: as the writer meant them. Lower row: as the reader took them. ≠ stands where the two differ, hatching where nobody reads.</p>");
    }
    out.push_str(&table(rows, bytes, fields));
    out
}

/// The part that each row shows at a byte. Bytes may be read twice, a vector's length also as the end of a struct; then
/// what only one of the rows has is the news. Else it is the innermost, the one that starts last.
fn told_apart<'a>(rows: &[Row<'a>], at: usize) -> Vec<Option<&'a BytePart>> {
    let all: Vec<Vec<&BytePart>> = rows.iter().map(|row| parts_at(row.parts, at)).collect();
    let has_only = |own: usize, part: &BytePart| {
        !all.iter()
            .enumerate()
            .any(|(row, parts)| row != own && parts.iter().any(|other| agree(Some(part), Some(other))))
    };
    let pick = |(row, parts): (usize, &Vec<&'a BytePart>)| {
        parts.iter().copied().find(|part| has_only(row, part)).or_else(|| parts.first().copied())
    };
    all.iter().enumerate().map(pick).collect()
}

/// The parts that a byte belongs to, the innermost first.
fn parts_at(parts: &[BytePart], at: usize) -> Vec<&BytePart> {
    let Ok(at) = u32::try_from(at) else { return Vec::new() };
    parts.iter().rev().filter(|part| part.start <= at && at < part.end).collect()
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

/// What every part is: a row for each range of bytes that some row of the picture has as a part.
fn table(rows: &[Row<'_>], bytes: &[u8], fields: &Fields<'_>) -> String {
    let parts: Vec<&BytePart> = rows.iter().flat_map(|row| row.parts).collect();
    let ranges: OrderedSet<(u32, Reverse<u32>)> = parts.iter().map(|part| (part.start, Reverse(part.end))).collect();
    if ranges.is_empty() {
        return String::new();
    }
    let heads: String = rows.iter().map(|row| format!("<th scope=col>{}</th>", row.label)).collect();
    let mut body = String::new();
    for (start, Reverse(end)) in ranges.iter().take(ROWS) {
        let of_row = |row: &Row<'_>| {
            let found = row.parts.iter().filter(|part| (part.start, part.end) == (*start, *end));
            let words: Vec<String> = found.map(|part| meaning(part, fields)).collect();
            if words.is_empty() { "—".to_owned() } else { words.join("<br>") }
        };
        let cells: Vec<String> = rows.iter().map(of_row).collect();
        let words: String = cells.iter().map(|words| format!("<td>{words}</td>")).collect();
        let class = if cells.iter().all(|words| *words == cells[0]) { "" } else { " class=differs" };
        body.push_str(&format!(
            "<tr{class}><td>{} {}</td>{words}</tr>",
            range(*start, *end),
            code(&hex(*start, *end, bytes), 60)
        ));
    }
    if ranges.len() > ROWS {
        let (more, columns) = (text::number(ranges.len() - ROWS), rows.len() + 1);
        body.push_str(&format!("<tr><td colspan={columns}>… {more} more</td></tr>"));
    }
    let open = if ranges.len() <= UNFOLDED { " open" } else { "" };
    format!(
        "<details{open}><summary>What each byte is</summary><div class=body><table><thead><tr><th scope=col>Bytes</th>{heads}</tr></thead><tbody>{body}</tbody></table></div></details>"
    )
}

fn meaning(part: &BytePart, fields: &Fields<'_>) -> String {
    let (class, letter) = fields.sign(&part.field);
    let field = if part.field.is_empty() { String::new() } else { format!("{} ", code(&part.field, 120)) };
    format!(
        "<span class=\"chip {class}\">{letter}</span> {field}<span>{}</span>",
        escape(&text::shorten(&part.what, 120))
    )
}

fn range(start: u32, end: u32) -> String {
    let last = end.saturating_sub(1);
    if last > start { format!("{start}–{last}") } else { start.to_string() }
}

fn hex(start: u32, end: u32, bytes: &[u8]) -> String {
    const MOST: usize = 8;
    let inside = bytes.get(start as usize..(end as usize).min(bytes.len())).unwrap_or_default();
    let digits: Vec<String> = inside.iter().take(MOST).map(|byte| format!("{byte:02x}")).collect();
    let more = if inside.len() > MOST { " …" } else { "" };
    format!("{}{more}", digits.join(" "))
}

/// The picture for those who do not see it.
fn in_words(bytes: &[u8], rows: &[Row<'_>]) -> String {
    let hex = witness::grouped_hex(&bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), 32);
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
        let rows = [Row { label: "", parts: &parts }, Row { label: "", parts: &parts }];
        let what = |at| told_apart(&rows, at)[1].map(|part| part.what.as_str());
        assert_eq!((what(3), what(5), what(6), what(8)), (Some("table"), Some("slot"), Some("table"), None));
    }

    #[test]
    fn what_only_the_reader_sees_is_shown() {
        let part = |what: &str| BytePart { start: 0, end: 4, field: what.to_owned(), what: what.to_owned() };
        let (written, read) = ([part("length")], [part("z"), part("length")]);
        let rows = [Row { label: "", parts: &written }, Row { label: "", parts: &read }];
        let seen: Vec<&str> = told_apart(&rows, 2).into_iter().flatten().map(|part| part.what.as_str()).collect();
        assert_eq!(seen, ["length", "z"]);
    }
}
