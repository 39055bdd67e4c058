//! What two patterns have to do with each other: whether each text in which the one is found holds the other as well.
//!
//! Patterns are those of ECMA-262 with the flag `u`, and a text is valid where the pattern is found anywhere in it (JSON Schema
//! Validation, section 6.3.3). Both are made automata and walked through side by side; what looks around, refers back or asks
//! for bounds of words is not compared, and neither is what grows too large.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::util::syntax;
use regex_automata::{Anchored, MatchKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Pair;

/// Bytes of one automaton.
const LARGEST: usize = 1 << 21;
/// Automata that are kept.
const MOST_FINDERS: usize = 64;
/// Pairs of states that are walked through.
const MOST_PAIRS: usize = 20_000;

/// What ECMA-262 calls white space and ends of lines (`\s`).
const SPACES: &str = r"\t\n\x0B\x0C\r \u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}";

/// For each side a text that only its pattern takes; none where the other one takes all that it takes. `None` where that is not
/// known.
pub(super) fn only(patterns: Pair<&str>) -> Option<Pair<Option<String>>> {
    let (old, new, texts) = (finder(patterns.old)?, finder(patterns.new)?, automaton(TEXTS)?);
    Some(Pair::new(taken_by_first(&old, &new, &texts)?, taken_by_first(&new, &old, &texts)?))
}

type Dfa = dense::DFA<Vec<u32>>;

/// What takes any text and nothing else; no pattern of ECMA-262 is spelled like that.
const TEXTS: &str = r"(?s)\A.*\z";

/// What takes the texts in which a pattern of ECMA-262 is found, where that is known.
fn finder(pattern: &str) -> Option<Dfa> {
    automaton(&translated(pattern)?)
}

/// An automaton, and the kinds of bytes that it tells apart.
#[derive(Debug)]
pub(super) struct Finder {
    pub(super) dfa: Dfa,
    pub(super) kinds: [u8; 256],
}

/// Automata that were made, each once, for whoever asks.
#[derive(Debug, Default)]
pub(super) struct Finders(Mutex<FxHashMap<String, Option<Arc<Finder>>>>);

impl Finders {
    /// What takes the texts in which a pattern of ECMA-262 is found, where that is known.
    pub(super) fn of(&self, pattern: &str) -> Option<Arc<Finder>> {
        self.made(pattern, || finder(pattern))
    }

    /// What takes any text and nothing else.
    pub(super) fn of_texts(&self) -> Option<Arc<Finder>> {
        self.made(TEXTS, || automaton(TEXTS))
    }

    fn made(&self, pattern: &str, make: impl FnOnce() -> Option<Dfa>) -> Option<Arc<Finder>> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(pattern) {
            return known.clone();
        }
        let made = make().map(Finder::of);
        let mut known = known();
        if known.len() >= MOST_FINDERS {
            known.clear();
        }
        known.insert(pattern.to_owned(), made.clone());
        made
    }
}

impl Finder {
    fn of(dfa: Dfa) -> Arc<Finder> {
        // Bytes are of one kind as long as all states go on with them alike.
        let mut kinds = [0; 256];
        let mut seen = FxHashSet::default();
        let mut open: Vec<StateID> =
            dfa.start_state(&start::Config::new().anchored(Anchored::No)).into_iter().collect();
        while let Some(state) = open.pop() {
            if !seen.insert(state) {
                continue;
            }
            let mut known: FxHashMap<(u8, StateID), u8> = FxHashMap::default();
            for byte in 0..=u8::MAX {
                let next = dfa.next_state(state, byte);
                let kind = &mut kinds[usize::from(byte)];
                let count = known.len() as u8;
                *kind = *known.entry((*kind, next)).or_insert(count);
                open.push(next);
            }
        }
        Arc::new(Finder { dfa, kinds })
    }
}

fn automaton(pattern: &str) -> Option<Dfa> {
    let config = dense::Config::new()
        .start_kind(StartKind::Unanchored)
        .match_kind(MatchKind::LeftmostFirst)
        .dfa_size_limit(Some(LARGEST))
        .determinize_size_limit(Some(2 * LARGEST));
    let syntax = syntax::Config::new().nest_limit(100);
    // What is repeated in what is repeated is written out first.
    let written_out = thompson::Config::new().nfa_size_limit(Some(2 * LARGEST));
    dense::Builder::new().configure(config).syntax(syntax).thompson(written_out).build(pattern).ok()
}

/// Where the search for a pattern stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum At {
    State(StateID),
    /// It was found.
    Found,
    /// It cannot be found any more.
    Lost,
}

impl At {
    pub(super) fn start(dfa: &Dfa) -> Option<At> {
        dfa.start_state(&start::Config::new().anchored(Anchored::No)).ok().map(At::State)
    }

    pub(super) fn after(self, dfa: &Dfa, byte: u8) -> At {
        let At::State(state) = self else { return self };
        let next = dfa.next_state(state, byte);
        match (dfa.is_match_state(next), dfa.is_dead_state(next)) {
            (true, _) => At::Found,
            (_, true) => At::Lost,
            _ => At::State(next),
        }
    }

    /// Whether the pattern is found in a text that ends here.
    pub(super) fn is_found_at_end(self, dfa: &Dfa) -> bool {
        match self {
            At::State(state) => dfa.is_match_state(dfa.next_eoi_state(state)),
            At::Found => true,
            At::Lost => false,
        }
    }
}

/// The shortest text that the first takes and the second does not; `None` where there may be more to look at than is looked at.
fn taken_by_first(first: &Dfa, second: &Dfa, texts: &Dfa) -> Option<Option<String>> {
    let start = [At::start(first)?, At::start(second)?, At::start(texts)?];
    // From where each was reached, and by which byte.
    let mut seen: FxHashMap<[At; 3], Option<([At; 3], u8)>> = FxHashMap::from_iter([(start, None)]);
    let mut open = VecDeque::from([start]);
    while let Some(at) = open.pop_front() {
        let [one, other, text] = at;
        let is_text = text.is_found_at_end(texts);
        if is_text && one.is_found_at_end(first) && !other.is_found_at_end(second) {
            return Some(Some(way_to(at, &seen)));
        }
        for byte in plain_first() {
            let next = [one.after(first, byte), other.after(second, byte), text.after(texts, byte)];
            if next[0] == At::Lost || next[1] == At::Found || next[2] == At::Lost || seen.contains_key(&next) {
                continue;
            }
            if seen.len() >= MOST_PAIRS {
                return None;
            }
            seen.insert(next, Some((at, byte)));
            open.push_back(next);
        }
    }
    Some(None)
}

/// All bytes, letters and digits before others.
pub(super) fn plain_first() -> impl Iterator<Item = u8> {
    let rank = |byte: &u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' | b'0'..=b'9' => 1,
        b' '..=b'~' => 2,
        _ => 3,
    };
    (0..=3).flat_map(move |wanted| (0..=u8::MAX).filter(move |byte| rank(byte) == wanted))
}

fn way_to(mut at: [At; 3], seen: &FxHashMap<[At; 3], Option<([At; 3], u8)>>) -> String {
    let mut bytes = Vec::new();
    while let Some(Some((before, byte))) = seen.get(&at) {
        bytes.push(*byte);
        at = *before;
    }
    bytes.reverse();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A pattern of ECMA-262 as the automaton's syntax has it; `None` where that cannot say the same.
pub(super) fn translated(pattern: &str) -> Option<String> {
    let letters: Vec<char> = pattern.chars().collect();
    let (mut plain, mut at, mut is_class) = (String::new(), 0, false);
    while let Some(letter) = letters.get(at).copied() {
        at += 1;
        match (letter, is_class) {
            ('\\', _) => at = escaped(&letters, at, &mut plain)?,
            ('[', false) => {
                is_class = true;
                plain.push('[');
                if letters.get(at) == Some(&'^') {
                    at += 1;
                    plain.push('^');
                }
                // In ECMA-262 there are classes of nothing.
                if letters.get(at) == Some(&']') {
                    return None;
                }
            }
            ('[' | '&' | '~', true) => plain.extend(['\\', letter]),
            ('-', true) if letters.get(at) == Some(&'-') => return None,
            (']', true) => {
                is_class = false;
                plain.push(']');
            }
            ('(', false) if letters.get(at) == Some(&'?') => {
                let follows: String = letters[at..].iter().take(3).collect();
                let is_named = follows.starts_with("?<") && !follows.starts_with("?<=") && !follows.starts_with("?<!");
                if !is_named && !follows.starts_with("?:") {
                    return None;
                }
                plain.push('(');
            }
            ('^', false) => plain.push_str(r"\A"),
            ('$', false) => plain.push_str(r"\z"),
            ('.', false) => plain.push_str(r"[^\n\r\u{2028}\u{2029}]"),
            _ => plain.push(letter),
        }
    }
    Some(plain)
}

/// A pattern of ECMA-262 of one text, without what is before and after it; `None` where it has what is not spelled.
pub(super) fn spelled(text: &str) -> Option<String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '/' | ' ');
    let letters = text.chars().map(|letter| match letter {
        letter if is_plain(letter) || !letter.is_ascii() => Some(letter.to_string()),
        letter if letter.is_ascii_punctuation() => Some(format!("\\{letter}")),
        _ => None,
    });
    letters.collect()
}

/// What follows a backslash at `at`; where it ends.
fn escaped(letters: &[char], at: usize, plain: &mut String) -> Option<usize> {
    let letter = *letters.get(at)?;
    match letter {
        'd' => plain.push_str("[0-9]"),
        'D' => plain.push_str("[^0-9]"),
        'w' => plain.push_str("[0-9A-Za-z_]"),
        'W' => plain.push_str("[^0-9A-Za-z_]"),
        's' => plain.push_str(&format!("[{SPACES}]")),
        'S' => plain.push_str(&format!("[^{SPACES}]")),
        't' | 'n' | 'r' | 'f' => plain.extend(['\\', letter]),
        'v' => plain.push_str(r"\x0B"),
        'x' | 'u' => {
            let length = if letter == 'x' { 2 } else { 4 };
            let digits: String = letters.get(at + 1..at + 1 + length)?.iter().collect();
            let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32)?;
            plain.push_str(&format!(r"\u{{{:X}}}", u32::from(code)));
            return Some(at + 1 + length);
        }
        letter if letter.is_ascii_alphanumeric() => return None,
        letter if letter.is_ascii_punctuation() && letter != '_' && letter != '/' => plain.extend(['\\', letter]),
        letter => plain.push(letter),
    }
    Some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::super::reader::Reader;
    use super::*;

    fn both(old: &str, new: &str) -> (Option<String>, Option<String>) {
        let only = only(Pair::new(old, new)).expect("both are compared");
        (only.old, only.new)
    }

    #[test]
    fn one_more_alternative_takes_all_that_was_taken() {
        let (old, new) = both("^(CVE|GHSA|SUSE-[SRF]U)-", "^(CVE|GHSA|SUSE-[SRFO]U|OSV)-");
        assert_eq!((old, new.as_deref()), (None, Some("OSV-")));
    }

    #[test]
    fn what_is_spelled_otherwise_is_the_same() {
        for (old, new) in [
            (r"^x-[\w\d\.\x2d_]+$", r"^x-[\w.\-]+$"),
            ("^[a-c]$", "^(a|b|c)$"),
            ("a", "^.*a|[^a]a|^[\\s\\S]*a"),
            ("^\\u00e9?$", "^(é|)$"),
            ("^.*$", "^[^\\n\\r\\u2028\\u2029]*$"),
        ] {
            assert_eq!(both(old, new), (None, None), "{old} {new}");
        }
    }

    #[test]
    fn a_text_of_one_side_shows_what_differs() {
        for (old, new, of_old, of_new) in [
            ("^[a-z]{1,3}$", "^[a-z]{2,4}$", Some("a"), Some("aaaa")),
            ("", "x", Some(""), None),
            ("^a", "a$", Some("ab"), Some("ba")),
            ("^[^@]+$", "^.+$", Some("\n"), Some("@")),
        ] {
            let told = both(old, new);
            assert_eq!((told.0.as_deref(), told.1.as_deref()), (of_old, of_new), "{old} {new}");
        }
    }

    /// Some pattern of a few letters.
    fn pattern(random: &mut Random, depth: usize) -> String {
        const ATOMS: [&str; 10] = ["a", "b", "[ab]", "[^a]", ".", r"\d", r"\w", "é", r"\s", "-"];
        let atom = |random: &mut Random| random.pick(&ATOMS).copied().unwrap_or("a").to_owned();
        match random.below(if depth > 3 { 1 } else { 6 }) {
            0 => atom(random),
            1 => format!("(?:{}|{})", pattern(random, depth + 1), pattern(random, depth + 1)),
            2 => format!("{}{}", pattern(random, depth + 1), pattern(random, depth + 1)),
            3 => {
                let times = random.pick(&["?", "*", "+", "{2}", "{1,2}"]).copied().unwrap_or("?");
                format!("(?:{}){times}", pattern(random, depth + 1))
            }
            4 => format!("^{}", pattern(random, depth + 1)),
            _ => format!("{}$", pattern(random, depth + 1)),
        }
    }

    #[test]
    fn readers_find_what_is_said_to_be_taken() {
        let mut random = Random::new(17);
        let letters = ["a", "b", "1", "_", "é", "\n", " ", "-"];
        for _ in 0..400 {
            let sides = Pair::new(pattern(&mut random, 0), pattern(&mut random, 0));
            let readers = sides.as_ref().map(|pattern| Reader::of_pattern(pattern).expect("it is a pattern"));
            let only = only(sides.as_ref().map(String::as_str)).expect("it is compared");
            let takes = |reader: &Reader, text: &str| reader.takes(&serde_json::Value::from(text));
            for (text, taking, other) in
                [(&only.old, &readers.old, &readers.new), (&only.new, &readers.new, &readers.old)]
            {
                if let Some(text) = text {
                    assert!(takes(taking, text) && !takes(other, text), "{text:?} of {sides:?}");
                    continue;
                }
                for _ in 0..60 {
                    let length = random.below(5);
                    let text: String = (0..length).filter_map(|_| random.pick(&letters).copied()).collect();
                    assert!(!takes(taking, &text) || takes(other, &text), "{text:?} of {sides:?}");
                }
            }
        }
    }

    #[test]
    fn what_no_automaton_knows_is_not_compared() {
        for pattern in [r"(a)\1", "(?=a)b", r"\bword\b", "(?<!x)y", "[]", "(", r"\p{L}"] {
            assert_eq!(only(Pair::new(pattern, "a")), None, "{pattern}");
        }
    }
}
