//! The wording of everything people read: plurals, lists, and every sentence about modes, directions, outcomes and orders.
//!
//! One place, so that the terminal, the comment, the pages and the help never disagree about what "backward" means. A word
//! of a saved report that this version does not know gets a sentence that says so.

mod difference;

use std::borrow::Cow;

use crate::vocabulary::{Class, Direction, Mode, Open, Outcome, ProblemSide, Severity, Surface, UpgradeOrder};

pub(crate) use self::difference::{Difference, Group, Line};

/// What the parser of YAML says, where it speaks of its own functions, for people.
pub fn of_yaml_parser(message: &str) -> &str {
    match message.contains("from_str_multiple") {
        true => "a second document begins here, and only one is understood",
        false if message.contains("mapping values are not allowed") => {
            "`key: value` cannot stand here; is this line indented as those of its level are?"
        }
        false if message.contains("DuplicateKeyPolicy") => "this key is given twice: keep one of the two",
        false => message,
    }
}

/// Of a line that is too long for a report, so many characters stand before what is meant, behind a `…`.
pub const BEFORE_IN_LONG_LINE: usize = 60;

/// Bytes as two digits each: `0a96`.
pub fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
    text
}

/// Words that begin a sentence.
pub fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// `1 error`, `2 errors`, `1,204 bytes`.
pub fn plural(count: usize, noun: &str) -> String {
    let ending = match (count, noun.ends_with("ch") || noun.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{} {noun}{ending}", number(count))
}

/// A count with its thousands apart: `12,345`.
pub fn number(count: usize) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `a`, `a and b`, `a, b and c`.
pub fn list<T: AsRef<str>>(items: &[T]) -> String {
    match items {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}

/// The first of many, and how many more there are.
pub fn first_of(items: impl ExactSizeIterator<Item = String>, most: usize, between: &str) -> String {
    let more = items.len().saturating_sub(most);
    let mut told = items.take(most).collect::<Vec<_>>().join(between);
    if more > 0 {
        told.push_str(&format!("{between}and {} more", number(more)));
    }
    told
}

/// How long a [`digest`] is.
pub const DIGEST_DIGITS: usize = 16;

/// Sixteen hexadecimal digits that stand for a list of texts: the first 64 bits of a SHA-256 digest. Each text is hashed
/// with its length in front, so that no two lists run together.
pub fn digest(texts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.as_ref().len() as u64).to_be_bytes());
        hash.update(text.as_ref());
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// A text, percent signs resolved (RFC 3986, section 2.1).
pub(crate) fn without_percent_signs(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match digits.and_then(byte_of) {
            Some(byte) => {
                plain.push(byte);
                at += 3;
            }
            None => {
                plain.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// The byte that two digits say.
pub(crate) fn byte_of(digits: &str) -> Option<u8> {
    let are_digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    are_digits.then(|| u8::from_str_radix(digits, 16).ok())?
}

/// What a mode demands, as a sentence without its period.
pub fn mode_sentence(mode: &Open<Mode>) -> &'static str {
    match mode {
        Open::Known(Mode::None) => "changes are reported, none is refused",
        Open::Known(Mode::Backward) => "new readers can read old data",
        Open::Known(Mode::Forward) => "old readers can read new data",
        Open::Known(Mode::Full) => "new readers can read old data, and old readers can read new data",
        Open::Known(Mode::BackwardTransitive) => "new readers can read data of every earlier version",
        Open::Known(Mode::ForwardTransitive) => "readers of every earlier version can read new data",
        Open::Known(Mode::FullTransitive) => {
            "new readers can read data of every earlier version, and readers of every earlier version can read new data"
        }
        Open::Unknown(_) => "a mode that this version of wireproof does not know",
    }
}

/// What a mode demands, with its name: `mode full demands: new readers can read old data, and …`.
pub fn demand(mode: &Open<Mode>) -> String {
    match mode {
        Open::Known(Mode::None) => format!("mode {mode}: {}", mode_sentence(mode)),
        Open::Known(
            Mode::Backward
            | Mode::Forward
            | Mode::Full
            | Mode::BackwardTransitive
            | Mode::ForwardTransitive
            | Mode::FullTransitive,
        )
        | Open::Unknown(_) => {
            format!("mode {mode} demands: {}", mode_sentence(mode))
        }
    }
}

/// Whose data is read by whom, or who calls whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Data that is written and read.
    Data,
    /// Whether a method or a service can be called.
    Call,
    /// Code that is written against one version of the generated types and built with the other.
    Code,
}

/// What travels in calls: data like any other.
const OF_WHAT_TRAVELS: &str = "method-type-changed";

/// Whether a finding is about calls or about data, by the family of its rule. Requests, responses and what is thrown are data:
/// servers read the first, and clients the others.
pub fn role_of(family: &str) -> Role {
    let is_of_calls = ["service-", "method-", "function-"].iter().any(|kind| family.starts_with(kind));
    if is_of_calls && family != OF_WHAT_TRAVELS { Role::Call } else { Role::Data }
}

/// The role in which a surface is felt, for a change that is otherwise about `role`.
pub fn role_on(surface: &Open<Surface>, role: Role) -> Role {
    match surface {
        Open::Known(Surface::Source) => Role::Code,
        Open::Known(Surface::Wire | Surface::Json) | Open::Unknown(_) => role,
    }
}

/// Who feels a direction: `new readers of old data`, `old clients of new servers`.
pub fn who(direction: &Open<Direction>, role: Role) -> &'static str {
    let Open::Known(direction) = direction else { return "readers in a direction this version does not know" };
    match (direction, role) {
        (Direction::Backward, Role::Data) => "new readers of old data",
        (Direction::Forward, Role::Data) => "old readers of new data",
        (Direction::Backward, Role::Call) => "old clients of new servers",
        (Direction::Forward, Role::Call) => "new clients of old servers",
        (Direction::Backward, Role::Code) => "old code built with the new schema",
        (Direction::Forward, Role::Code) => "new code built with the old schema",
    }
}

/// Who did what in one round trip: `a new reader read what an old writer wrote`.
pub fn reading(direction: &Open<Direction>) -> &'static str {
    match direction {
        Open::Known(Direction::Backward) => "written by the old schema, read by the new one",
        Open::Known(Direction::Forward) => "written by the new schema, read by the old one",
        Open::Unknown(_) => "written and read in a direction this version does not know",
    }
}

/// What somebody experiences, to follow `new readers of old data`.
pub fn outcome(outcome: &Open<Outcome>, role: Role) -> &'static str {
    let Open::Known(outcome) = outcome else { return "experience something this version has no word for" };
    match (outcome, role) {
        (Outcome::Safe, Role::Data) => "see every shared value unchanged",
        (Outcome::Safe, Role::Call) => "are served as before",
        (Outcome::Safe, Role::Code) => "compiles and means the same",
        (Outcome::Defaulted, Role::Data | Role::Call) => "see the documented default of a field nobody wrote",
        (Outcome::Defaulted, Role::Code) => "compiles and does not use what is new",
        (Outcome::Unrecognized, Role::Data | Role::Call) => {
            "meet a value they have no name for, or its documented fallback"
        }
        (Outcome::Unrecognized, Role::Code) => "compiles and may meet a case it does not handle",
        (Outcome::Lossy, Role::Data) => "lose a value that was written",
        (Outcome::Lossy, Role::Call) => "lose part of the exchange",
        (Outcome::Lossy, Role::Code) => "compiles and loses something it could express",
        (Outcome::Fails, Role::Data) => "reject the message",
        (Outcome::Fails, Role::Call) => "are refused",
        (Outcome::Fails, Role::Code) => "does not compile",
        (Outcome::Wrong, Role::Data | Role::Call) => "accept the message and see a value nobody wrote",
        (Outcome::Wrong, Role::Code) => "compiles and means something else",
    }
}

/// What an outcome means, as a sentence for a table.
pub fn outcome_meaning(word: Outcome, role: Role) -> &'static str {
    match (word, role) {
        (_, Role::Call | Role::Code) => outcome(&word.into(), role),
        (Outcome::Safe, Role::Data) => "every shared value arrives unchanged",
        (Outcome::Defaulted, Role::Data) => {
            "the reader has a field that the writer lacks and uses its documented default"
        }
        (Outcome::Unrecognized, Role::Data) => {
            "the reader is told of a value it has no name for, or applies a documented fallback"
        }
        (Outcome::Lossy, Role::Data) => {
            "a shared value is dropped, or its presence is lost; nothing is mistaken for something else"
        }
        (Outcome::Fails, Role::Data) => "the reader rejects the message",
        (Outcome::Wrong, Role::Data) => "the reader accepts the message and sees a value nobody wrote",
    }
}

/// What a surface is, in words.
pub fn surface(surface: Surface) -> &'static str {
    match surface {
        Surface::Wire => "the binary encoding",
        Surface::Json => "the JSON mapping",
        Surface::Source => "generated code and the shape of the API",
    }
}

/// In which order to upgrade.
pub fn upgrade_order(order: &Open<UpgradeOrder>) -> &'static str {
    match order {
        Open::Known(order @ UpgradeOrder::Any) => order.name(),
        Open::Known(UpgradeOrder::ReadersFirst) => "readers first, then writers",
        Open::Known(UpgradeOrder::WritersFirst) => {
            "writers first; readers only when no old data is left (queues, caches, backups)"
        }
        Open::Known(UpgradeOrder::None) => "no order works; add a new field, topic or version beside the old one",
        Open::Unknown(_) => "an order that this version does not know",
    }
}

/// The same, and what going back would mean, where all that wants an order are methods that came.
pub const SERVERS_FIRST: (&str, &str) =
    ("servers before clients", "safe until the first upgraded client is in use; after that servers must not go back");

/// What going back would mean.
pub fn rollback(order: &Open<UpgradeOrder>) -> &'static str {
    match order {
        Open::Known(UpgradeOrder::Any) => "safe at any time",
        Open::Known(UpgradeOrder::ReadersFirst) => {
            "safe until the first upgraded writer is in use; after that readers must not go back"
        }
        Open::Known(UpgradeOrder::WritersFirst) => {
            "readers may go back; a writer that goes back breaks upgraded readers, and so does replaying old data"
        }
        Open::Known(UpgradeOrder::None) => "not safe once both versions have run",
        Open::Unknown(_) => "not known to this version",
    }
}

/// What a severity means.
pub fn severity_meaning(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "breaks: the check fails",
        Severity::Warning => "reported, the check passes",
        Severity::Note => "mentioned, the check passes",
    }
}

/// What the class of a rule means.
pub fn class_meaning(class: Class) -> &'static str {
    match class {
        Class::Compatibility => {
            "the severity follows from the worst outcome in force: an error from `lossy` on, a warning at `unrecognized`, else a note; `--fail-on` moves the line"
        }
        Class::Hygiene => {
            "today's bytes are safe, but the guard against the next mistake is gone; the rule states its severity, and an error breaks in every mode but `none`"
        }
    }
}

/// The side of a problem, to stand before the name of a file: `old and new `; empty where it concerns none.
pub fn problem_side(side: Option<&Open<ProblemSide>>) -> Cow<'static, str> {
    match side {
        None => Cow::Borrowed(""),
        Some(Open::Known(ProblemSide::Both)) => Cow::Borrowed("old and new "),
        Some(Open::Known(side @ (ProblemSide::Old | ProblemSide::New))) => Cow::Owned(format!("{side} ")),
        Some(Open::Unknown(word)) => Cow::Owned(format!("{} ", visible(&shorten(word, 40)))),
    }
}

/// Makes text from a schema, a path or a message safe to print on one line: control characters, ANSI escapes and the
/// characters that reorder or hide text become visible.
pub fn visible(text: &str) -> Cow<'_, str> {
    escape(text, is_hazard)
}

/// The same for text of several lines: line feeds and tabs stay.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| c != '\n' && c != '\t' && is_hazard(c))
}

/// A line of a build log: nothing acts on a screen, and nothing is a command to a CI runner. `::error::` at the start of a
/// line, however indented, and `##[` anywhere are; `:::` is none and marks a second place.
pub fn harmless_line(line: &str) -> String {
    let shown = escape(line, |c| c != '\t' && is_hazard(c)).replace("##[", "#\\#[");
    let start = shown.trim_start();
    if start.starts_with("::") && !start.starts_with(":::") { shown.replacen("::", "\\::", 1) } else { shown }
}

/// JSON in which every character that acts on a screen is written as an escape: what it says stays exact. Such characters
/// stand in strings only.
pub fn harmless_json(json: String) -> String {
    let acts = |c: char| c != '\n' && is_hazard(c);
    if !json.chars().any(acts) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if !acts(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}

fn escape(text: &str, hazard: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&hazard) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            c if !hazard(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
        }
    }
    Cow::Owned(out)
}

/// Whether a character acts on the screen instead of standing there: controls, bidirectional controls (the "Trojan
/// Source" set and the marks), invisible separators and joiners, tags, and the line separators of Unicode.
pub(crate) fn is_hazard(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether there is nothing in a text that stands on the screen.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_hazard(c))
}

/// At most `most` characters, an ellipsis standing for the rest.
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some(_) => {
            let end = text.char_indices().nth(most.saturating_sub(1)).map_or(0, |(at, _)| at);
            Cow::Owned(format!("{}…", &text[..end]))
        }
    }
}

/// At most about `most` characters: both ends of the text, an ellipsis standing for the middle. Words stay whole, where they
/// are short.
pub fn elide(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most || text.chars().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    let tail = most / 3;
    let head = text.char_indices().nth(most - tail).map_or(text.len(), |(at, _)| at);
    let start = text.char_indices().rev().nth(tail.saturating_sub(1)).map_or(head, |(at, _)| at);
    let (front, back) = (&text[..head], &text[start..]);
    let is_cut = |at: usize| !text[..at].ends_with(' ') && !text[at..].starts_with(' ');
    let front = match front.rfind(' ') {
        Some(blank) if is_cut(head) && blank + WORD > head => &front[..blank],
        _ => front.trim_end_matches(' '),
    };
    let back = match back.find(' ') {
        Some(blank) if is_cut(start) && blank < WORD => &back[blank..],
        _ => back,
    };
    Cow::Owned(format!("{front} … {}", back.trim_start_matches(' ')))
}

/// Words of fewer characters are not cut.
const WORD: usize = 16;

/// Bytes that two texts have in common at their beginnings, in whole characters.
pub(crate) fn common_prefix(one: &str, other: &str) -> usize {
    let alike = one.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    alike.map(|(one, _)| one.len_utf8()).sum()
}

/// Bytes that two texts have in common at their ends, in whole characters.
pub(crate) fn common_suffix(one: &str, other: &str) -> usize {
    let alike = one.chars().rev().zip(other.chars().rev()).take_while(|(one, other)| one == other);
    alike.map(|(one, _)| one.len_utf8()).sum()
}

/// A piece of prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    /// Words.
    Words(&'t str),
    /// Code, without its fences.
    Code(&'t str),
}

/// The pieces of prose with code between backticks: as in Markdown, a fence of several holds shorter runs of them.
pub(crate) fn pieces(prose: &str) -> Vec<Piece<'_>> {
    let (mut out, mut words, mut at) = (Vec::new(), 0, 0);
    while let Some(open) = prose[at..].find('`').map(|found| at + found) {
        let run = run_of_backticks(&prose[open..]);
        let Some(length) = code_before(&prose[open + run..], run) else {
            at = open + run;
            continue;
        };
        if words < open {
            out.push(Piece::Words(&prose[words..open]));
        }
        let inside = &prose[open + run..open + run + length];
        let padded = inside.strip_prefix(' ').and_then(|inside| inside.strip_suffix(' ')).filter(|_| run > 1);
        out.push(Piece::Code(padded.unwrap_or(inside)));
        at = open + run + length + run;
        words = at;
    }
    if words < prose.len() {
        out.push(Piece::Words(&prose[words..]));
    }
    out
}

fn run_of_backticks(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'`').count()
}

/// How much code stands before the next run of so many backticks, if there is one.
fn code_before(text: &str, fence: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`').map(|found| at + found) {
        let run = run_of_backticks(&text[found..]);
        if run == fence {
            return Some(found);
        }
        at = found + run;
    }
    None
}

/// Joins the lines of each paragraph; a list entry, an indented line and an empty line start anew.
fn paragraphs(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.trim_end().split('\n') {
        let line = line.trim_end();
        let starts =
            line.starts_with([' ', '-', '*', '|', '`', '#', ':']) || line.starts_with(|c: char| c.is_ascii_digit());
        match out.last_mut() {
            Some(paragraph) if open && !starts && !line.is_empty() => {
                paragraph.push(' ');
                paragraph.push_str(line);
            }
            _ => out.push(line.to_owned()),
        }
        open = !line.is_empty() && !line.starts_with([' ', '|', '`']);
    }
    out
}

/// Breaks prose at spaces into lines of at most `width` characters; a longer word keeps its own line.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in paragraphs(text) {
        let indent: String = paragraph.chars().take_while(|c| *c == ' ').collect();
        let mut line = String::new();
        let mut length = 0;
        for word in paragraph.split_whitespace() {
            let word_length = word.chars().count();
            if length > 0 && length + 1 + word_length > width {
                lines.push(std::mem::take(&mut line));
                length = 0;
            }
            let gap = if length == 0 { indent.as_str() } else { " " };
            line.push_str(gap);
            line.push_str(word);
            length += gap.len() + word_length;
        }
        lines.push(line);
    }
    lines
}

/// The columns that a text takes, its colours aside.
pub(crate) fn columns(text: &str) -> usize {
    let mut parts = text.split('\u{1b}');
    let plain = parts.next().map_or(0, |part| part.chars().count());
    plain + parts.map(|part| part.split_once('m').map_or(0, |(_, rest)| rest.chars().count())).sum::<usize>()
}

/// Lines of what must not be broken: each piece with what stands before it, unless it begins a line.
pub(crate) fn in_lines<'p>(pieces: impl Iterator<Item = (&'p str, String)>, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (between, piece) in pieces {
        match lines.last_mut() {
            Some(line) if columns(line).saturating_add(between.len() + columns(&piece)) <= width => {
                line.push_str(between);
                line.push_str(&piece);
            }
            Some(_) | None => lines.push(piece),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_take_no_columns_and_pieces_stay_whole() {
        let pieces = |mark: &str| ["none", "full"].map(|mode| ("  ", format!("{mode} {mark}"))).into_iter();
        assert_eq!(in_lines(pieces("✓"), 14), ["none ✓  full ✓"]);
        assert_eq!(in_lines(pieces("✓"), 13), ["none ✓", "full ✓"]);
        let painted = "\u{1b}[1m\u{1b}[32m✓\u{1b}[0m";
        assert_eq!(in_lines(pieces(painted), 14), [format!("none {painted}  full {painted}")]);
        assert_eq!(in_lines(pieces(painted), 3).len(), 2);
    }

    #[test]
    fn counts_read_well() {
        assert_eq!(plural(1, "error"), "1 error");
        assert_eq!(plural(0, "error"), "0 errors");
        assert_eq!(plural(1_234_567, "byte"), "1,234,567 bytes");
        assert_eq!(plural(2, "branch"), "2 branches");
    }

    #[test]
    fn lists_read_well() {
        assert_eq!(list::<&str>(&[]), "");
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b"]), "a and b");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
    }

    #[test]
    fn what_would_act_on_the_screen_becomes_visible() {
        assert_eq!(visible("a\u{1b}[31mb\n\u{202e}c\u{9b}1m"), "a\\u{1b}[31mb\\n\\u{202e}c\\u{9b}1m");
        assert_eq!(visible_lines("a\nb\r"), "a\nb\\r");
        assert!(matches!(visible("grün 🦀"), Cow::Borrowed(_)));
    }

    #[test]
    fn shortening_counts_characters() {
        assert_eq!(shorten("äöü", 3), "äöü");
        assert_eq!(shorten("äöüß", 3), "äö…");
    }

    #[test]
    fn a_long_text_keeps_both_ends() {
        assert_eq!(elide("abcdef", 6), "abcdef");
        assert_eq!(elide("abcdefg", 6), "abcd … fg");
        assert_eq!(elide("äöüßäöü", 3), "äö … ü");
        assert_eq!(elide("the pattern changed from one to another one", 24), "the pattern … one");
    }

    #[test]
    fn code_in_prose_has_fences_as_long_as_it_needs() {
        use Piece::{Code, Words};
        assert_eq!(pieces("`a` is `b`, not"), [Code("a"), Words(" is "), Code("b"), Words(", not")]);
        assert_eq!(pieces("``a`b`` is"), [Code("a`b"), Words(" is")]);
        assert_eq!(pieces("`` `a` `` is"), [Code("`a`"), Words(" is")]);
        assert_eq!(pieces("one ` alone, and `` two"), [Words("one ` alone, and `` two")]);
    }

    #[test]
    fn wrapping_keeps_every_word() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("incomprehensibilities of it", 5), ["incomprehensibilities", "of it"]);
        assert_eq!(wrap("a\nb\n\nc\n- d\n- e\n", 9), ["a b", "", "c", "- d", "- e"]);
    }
}
