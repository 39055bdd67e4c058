//! Pairs of schemas as one text, and how they are changed at random: for the fuzz targets, and for the short run of them.
//!
//! Changes are those that people make (a token, a number, a statement, a name everywhere), with material of both sides and
//! of other pairs: what they make is a schema far more often than what noise makes.

use std::collections::BTreeMap;

use wireproof::change::Pair;
use wireproof::source::Snapshot;

/// The files of both sides.
pub type Files = Pair<BTreeMap<String, String>>;

/// Longer pairs are not made.
const LONGEST: usize = 24 << 10;
/// What begins the line that names a file.
const HEADER: &str = "=== ";

/// Numbers at which something ends.
const EDGES: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "3",
    "7",
    "15",
    "16",
    "127",
    "128",
    "255",
    "256",
    "32767",
    "32768",
    "65535",
    "65536",
    "19000",
    "536870911",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "0.1",
    "1e40",
    "-0.0",
    "nan",
    "inf",
];

/// A sequence of pseudo-random numbers.
pub struct Dice(pub u64);

impl Dice {
    /// A number below another one.
    pub fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides.max(1)
    }

    fn one_of<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        let at = self.below(of.len());
        of.get(at)
    }
}

/// A text of files: each begins with a line `=== old/PATH` or `=== new/PATH`.
pub fn parse(text: &[u8]) -> Option<Files> {
    let mut files = Files::default();
    let text = std::str::from_utf8(text).ok().filter(|text| text.len() <= LONGEST)?;
    let mut open: Option<&mut String> = None;
    for line in text.split_inclusive('\n') {
        let Some(path) = line.strip_prefix(HEADER) else {
            open.as_mut()?.push_str(line);
            continue;
        };
        let (side, path) = path.trim_end().split_once('/').filter(|(_, path)| !path.is_empty())?;
        let side = match side {
            "old" => &mut files.old,
            "new" => &mut files.new,
            _ => return None,
        };
        open = Some(side.entry(path.to_owned()).or_default());
    }
    (!files.old.is_empty() && !files.new.is_empty()).then_some(files)
}

/// The text of some files.
pub fn print(files: &Files) -> String {
    let mut text = String::new();
    for (side, files) in [("old", &files.old), ("new", &files.new)] {
        for (path, content) in files {
            let end = if content.ends_with('\n') || content.is_empty() { "" } else { "\n" };
            text += &format!("{HEADER}{side}/{path}\n{content}{end}");
        }
    }
    text
}

/// The files of a case that are texts.
pub fn of_snapshots(sides: Pair<&Snapshot>) -> Files {
    sides.map(|side| {
        let files = side.iter().filter_map(|(path, file)| Some((path, std::str::from_utf8(&file.bytes).ok()?)));
        files.map(|(path, text)| (path.to_string(), text.to_owned())).collect()
    })
}

/// Changes a pair at random, with material of another one.
pub fn mutate(files: &Files, other: &Files, dice: &mut Dice) -> Files {
    let mut files = files.clone();
    for _ in 0..=dice.below(3) {
        match dice.below(24) {
            0 => files.new = files.old.clone(),
            1 => std::mem::swap(&mut files.old, &mut files.new),
            _ => mutate_file(&mut files, other, dice),
        }
    }
    if print(&files).len() > LONGEST { other.clone() } else { files }
}

/// Changes one file: mostly of the new side, so that sides stay alike.
fn mutate_file(files: &mut Files, other: &Files, dice: &mut Dice) {
    let from = if dice.below(3) == 0 { other } else { &*files };
    let sources: Vec<&String> = from.old.values().chain(from.new.values()).collect();
    let material = dice.one_of(&sources).map(|text| tokens(text).into_iter().map(str::to_owned).collect());
    let material: Vec<String> = material.unwrap_or_default();
    let both = dice.below(8) == 0;
    let side = if dice.below(4) == 0 { &mut files.old } else { &mut files.new };
    let paths: Vec<String> = side.keys().cloned().collect();
    let Some(path) = dice.one_of(&paths).cloned() else { return };
    let seed = dice.0;
    let material: Vec<&str> = material.iter().map(String::as_str).collect();
    let changed = |text: &String| changed(text, &material, &mut Dice(seed));
    dice.below(2);
    let sides = if both { vec![&mut files.old, &mut files.new] } else { vec![side] };
    for text in sides.into_iter().filter_map(|side| side.get_mut(&path)) {
        *text = changed(text);
    }
}

/// A text with one thing changed.
fn changed(text: &str, material: &[&str], dice: &mut Dice) -> String {
    let mut tokens = tokens(text);
    let renamed;
    let solid: Vec<usize> = (0..tokens.len()).filter(|at| !tokens[*at].trim().is_empty()).collect();
    let Some(&at) = dice.one_of(&solid) else { return material.concat() };
    let alike: Vec<&str> = material.iter().filter(|token| class(token) == class(tokens[at])).copied().collect();
    match dice.below(16) {
        0..4 => tokens[at] = dice.one_of(&alike).copied().unwrap_or(tokens[at]),
        4 | 5 => {
            let numbers: Vec<usize> = solid.into_iter().filter(|at| class(tokens[*at]) == Class::Number).collect();
            if let Some(&at) = dice.one_of(&numbers) {
                tokens[at] = dice.one_of(EDGES).copied().unwrap_or(tokens[at]);
            }
        }
        6 => {
            let (name, by) = (tokens[at], dice.one_of(&alike).copied().unwrap_or("renamed"));
            renamed = if dice.below(2) == 0 { by.to_owned() } else { unlike(name) };
            tokens.iter_mut().filter(|token| **token == name).for_each(|token| *token = &renamed);
        }
        7 => drop(tokens.remove(at)),
        8 | 9 => drop(tokens.drain(statement(&tokens, at))),
        10 | 11 => {
            let piece = tokens[statement(&tokens, at)].to_vec();
            let to = statement(&tokens, dice.below(tokens.len())).end;
            tokens.splice(to..to, piece);
        }
        12 => {
            let range = statement(&tokens, at);
            let piece: Vec<&str> = tokens.drain(range).collect();
            let to = if tokens.is_empty() { 0 } else { statement(&tokens, dice.below(tokens.len())).start };
            tokens.splice(to..to, piece);
        }
        13 | 14 if !material.is_empty() => {
            let piece = material[statement(material, dice.below(material.len()))].to_vec();
            let range = statement(&tokens, at);
            let range = if dice.below(2) == 0 { range } else { range.end..range.end };
            tokens.splice(range, piece);
        }
        _ => {
            let other = dice.below(tokens.len());
            tokens.swap(at, other);
        }
    }
    tokens.concat()
}

/// A name that is nobody's.
fn unlike(name: &str) -> String {
    match name.strip_suffix('"') {
        Some(text) => format!("{text}x\""),
        None => format!("{name}x"),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Name,
    Number,
    Text,
    Space,
    Mark,
}

fn class(token: &str) -> Class {
    match token.bytes().next() {
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => Class::Name,
        Some(b'0'..=b'9') => Class::Number,
        Some(b'-' | b'.') if token.len() > 1 => Class::Number,
        Some(b'"' | b'\'') => Class::Text,
        Some(byte) if byte.is_ascii_whitespace() => Class::Space,
        _ => Class::Mark,
    }
}

/// A text in pieces: names, numbers, texts in quotes, spaces, and marks of one character.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |at: char| at.is_ascii_alphanumeric() || at == '_' || at == '.';
        let bytes = rest.as_bytes();
        let length = match first {
            '"' | '\'' => quoted(rest, first),
            '-' if bytes.get(1).is_some_and(u8::is_ascii_digit) => 1 + run(&rest[1..], is_word),
            _ if is_word(first) => run(rest, is_word),
            _ if first.is_whitespace() => run(rest, char::is_whitespace),
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        tokens.push(token);
        rest = behind;
    }
    tokens
}

fn run(text: &str, is_in: impl Fn(char) -> bool) -> usize {
    text.find(|at| !is_in(at)).unwrap_or(text.len())
}

fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        if char == '\n' || (char == quote && !is_escaped) {
            return at + usize::from(char == quote);
        }
        is_escaped = char == '\\' && !is_escaped;
    }
    text.len()
}

/// The statement around a token: from behind what separates to what separates, with everything in brackets.
fn statement(tokens: &[&str], at: usize) -> std::ops::Range<usize> {
    let mut start = at;
    let mut depth = 0usize;
    while start > 0 {
        match tokens[start - 1] {
            "}" | "]" | ")" if depth == 0 && start - 1 < at => break,
            "}" | "]" | ")" => depth += 1,
            "{" | "[" | "(" if depth == 0 => break,
            "{" | "[" | "(" => depth -= 1,
            ";" | "," if depth == 0 => break,
            _ => {}
        }
        start -= 1;
    }
    let mut end = at;
    while end < tokens.len() {
        match tokens[end] {
            "{" | "[" | "(" => depth += 1,
            "}" | "]" | ")" if depth == 0 => break,
            "}" if depth == 1 => return start..end + 1,
            "}" | "]" | ")" => depth -= 1,
            ";" | "," if depth == 0 => return start..end + 1,
            _ => {}
        }
        end += 1;
    }
    start..end.max(start)
}
