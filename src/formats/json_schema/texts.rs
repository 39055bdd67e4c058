//! Texts that match a pattern, or nearly.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::random::Random;

/// Repetitions beyond what is demanded.
const MORE: u32 = 3;
/// Characters of a text.
const LONGEST: usize = 2_000;
/// Nesting of a pattern.
const DEEPEST: u32 = 60;

/// Texts of a pattern. What looks around is left out of it, so that not every text matches: a reader tells.
pub(super) struct Texts(Option<Hir>);

impl Texts {
    pub(super) fn of(pattern: &str) -> Texts {
        let plain = without_looks(pattern);
        let parser = ParserBuilder::new().utf8(true).nest_limit(DEEPEST).build().parse(&plain);
        Texts(parser.ok())
    }

    /// A text, sometimes with more around it where the pattern is not bound to start and end.
    pub(super) fn one(&self, random: &mut Random) -> Option<String> {
        let mut text = String::new();
        write(self.0.as_ref()?, random, &mut text);
        Some(text)
    }
}

fn write(hir: &Hir, random: &mut Random, text: &mut String) {
    if text.len() > LONGEST {
        return;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges: Vec<(char, char)> = class.iter().map(|range| (range.start(), range.end())).collect();
            let within = |least: char, most: char| -> Vec<(char, char)> {
                let both = ranges.iter().map(|(start, end)| ((*start).max(least), (*end).min(most)));
                both.filter(|(start, end)| start <= end).collect()
            };
            // Readers do not agree on what ends a line.
            let (plain, printed) = (within(' ', '~'), within('\u{a1}', '\u{1fff}'));
            let from = match random.percent(10) {
                true if !printed.is_empty() => &printed,
                _ if !plain.is_empty() => &plain,
                _ if !printed.is_empty() => &printed,
                _ => &ranges,
            };
            if let Some((start, end)) = random.pick(from) {
                let width = (*end as u32).saturating_sub(*start as u32).min(60);
                let letter = char::from_u32(*start as u32 + random.below(width as usize + 1) as u32);
                text.push(letter.unwrap_or(*start));
            }
        }
        HirKind::Class(Class::Bytes(class)) => {
            if let Some(range) = class.iter().next() {
                text.push(char::from(range.start()));
            }
        }
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX).min(repetition.min.saturating_add(MORE));
            let times = repetition.min as usize + random.below((most - repetition.min) as usize + 1);
            for _ in 0..times.min(LONGEST) {
                write(&repetition.sub, random, text);
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, random, text),
        HirKind::Concat(parts) => bound(parts).iter().for_each(|part| write(part, random, text)),
        HirKind::Alternation(parts) => {
            if let Some(part) = random.pick(parts) {
                write(part, random, text);
            }
        }
    }
}

/// Of parts in a row those between where the text has to start and where it has to end: what need not be there is not.
fn bound(parts: &[Hir]) -> &[Hir] {
    let may_lack = |parts: &[Hir]| parts.iter().all(|part| part.properties().minimum_len() == Some(0));
    let is = |part: &Hir, look: Look| matches!(part.kind(), HirKind::Look(own) if *own == look);
    let start = parts.iter().rposition(|part| is(part, Look::Start)).filter(|start| may_lack(&parts[..*start]));
    let parts = &parts[start.unwrap_or(0)..];
    let end = parts.iter().position(|part| is(part, Look::End)).filter(|end| may_lack(&parts[*end..]));
    &parts[..end.unwrap_or(parts.len())]
}

/// A pattern without `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`, `\b` and `\B`: it is found wherever the whole is found.
pub(super) fn without_looks(pattern: &str) -> String {
    let mut plain = String::with_capacity(pattern.len());
    let letters: Vec<char> = pattern.chars().collect();
    let (mut at, mut is_class) = (0, false);
    while at < letters.len() {
        let starts = |look: &str| !is_class && letters[at..].iter().take(look.len()).copied().eq(look.chars());
        if letters[at] == '\\' {
            if !["\\b", "\\B"].iter().any(|bound| starts(bound)) {
                plain.extend(letters[at..].iter().take(2));
            }
            at += 2;
        } else if ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| starts(look)) {
            at = closing(&letters, at);
        } else {
            is_class = if is_class { letters[at] != ']' } else { letters[at] == '[' };
            plain.push(letters[at]);
            at += 1;
        }
    }
    plain
}

/// What follows the group that opens at `at`.
fn closing(letters: &[char], mut at: usize) -> usize {
    let mut depth = 0usize;
    while at < letters.len() {
        match letters[at] {
            '\\' => at += 1,
            '(' => depth += 1,
            ')' if depth == 1 => return at + 1,
            ')' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    letters.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_match_the_pattern_they_are_made_of() {
        let mut random = Random::new(1);
        for (pattern, is_it) in [
            (
                "^[A-Z]{3}$",
                (|text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase()))
                    as fn(&str) -> bool,
            ),
            ("^a|bb$", |text| matches!(text, "a" | "bb")),
            ("^(?!admin)x+$", |text| text.bytes().all(|byte| byte == b'x') && !text.is_empty()),
            (".*^\\bx\\b$.*", |text| text == "x"),
            ("^[(?=)]$", |text| matches!(text, "(" | "?" | "=" | ")")),
        ] {
            let texts = Texts::of(pattern);
            for _ in 0..20 {
                let text = texts.one(&mut random).expect("the pattern is known");
                assert!(is_it(&text), "{text:?} of {pattern}");
            }
        }
    }

    #[test]
    fn what_is_no_pattern_has_no_texts() {
        assert!(Texts::of("(").one(&mut Random::new(1)).is_none());
    }
}
