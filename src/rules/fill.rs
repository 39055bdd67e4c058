//! Texts of rules with `{path}` and facts in braces.

use crate::change::{Change, FactKey};

/// A text with its placeholders filled, and the facts it asked for in vain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// The text; a fact that the change does not state prints `?`.
    pub text: String,
    /// The placeholders without a fact.
    pub missing: Vec<FactKey>,
}

/// Fills `{path}` and every fact named in braces. Braces around anything else stay, so that a text may show schemas. What
/// stands between backticks stays code whatever it is filled with.
pub fn fill(template: &str, change: &Change) -> Filled {
    let mut filled = Filled { text: String::with_capacity(template.len() + 32), missing: Vec::new() };
    for (at, piece) in template.split('`').enumerate() {
        if at > 0 {
            filled.text.push('`');
        }
        let start = filled.text.len();
        fill_piece(piece, change, &mut filled);
        if at % 2 == 1 && filled.text[start..].contains('`') {
            fence(&mut filled.text, start);
        }
    }
    filled
}

/// Makes the fence around what starts there longer than any run of backticks inside; a single one on either side is there.
fn fence(text: &mut String, start: usize) {
    let inside = text.split_off(start);
    let longest = inside.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let gap = if inside.starts_with('`') || inside.ends_with('`') { " " } else { "" };
    let more = "`".repeat(longest);
    text.push_str(&format!("{more}{gap}{inside}{gap}{more}"));
}

fn fill_piece(template: &str, change: &Change, filled: &mut Filled) {
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        filled.text.push_str(&rest[..open]);
        let Some((name, after)) = placeholder(&rest[open..]) else {
            filled.text.push('{');
            rest = &rest[open + 1..];
            continue;
        };
        rest = after;
        match (name, FactKey::from_name(name)) {
            ("path", _) => filled.text.push_str(&change.path),
            (_, Some(key)) => match change.facts.get(key) {
                Some(value) => {
                    filled.text.push_str(value);
                    filled
                        .text
                        .extend(beside(key).and_then(|key| change.facts.get(key)).map(|sort| format!(" ({sort})")));
                }
                None => {
                    filled.text.push('?');
                    filled.missing.push(key);
                }
            },
            (_, None) => {
                filled.text.push('{');
                filled.text.push_str(name);
                filled.text.push('}');
            }
        }
    }
    filled.text.push_str(rest);
}

/// What is written behind a fact, where it is stated: what a type is, where its name alone does not tell it from the
/// other side's.
pub fn beside(key: FactKey) -> Option<FactKey> {
    match key {
        FactKey::OldType => Some(FactKey::OldSort),
        FactKey::NewType => Some(FactKey::NewSort),
        _ => None,
    }
}

/// The name in the braces that `text` starts with, and what follows them; `None` when the braces hold anything but
/// one word.
fn placeholder(text: &str) -> Option<(&str, &str)> {
    let (name, after) = text.strip_prefix('{')?.split_once('}')?;
    let is_word =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    is_word.then_some((name, after))
}

/// The names of all placeholders of a text.
pub fn placeholders(template: &str) -> Vec<&str> {
    template.match_indices('{').filter_map(|(at, _)| placeholder(&template[at..])).map(|(name, _)| name).collect()
}
