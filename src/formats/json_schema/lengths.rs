//! Texts that several patterns take together, with so many characters: the automata of all of them, walked through side by
//! side, with a count.
//!
//! What [`super::patterns`] does not compare is not known here either.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::patterns::{At, Finder, Finders, plain_first};

/// States that are walked through.
const MOST_STATES: usize = 20_000;
/// As many bytes as an automaton takes to be made.
const OF_AUTOMATON: usize = 20_000;
/// Patterns that are walked through together.
const MOST_PATTERNS: usize = 6;

/// What is asked of a text.
#[derive(Debug, Clone)]
pub(super) struct Asked<'p> {
    /// The patterns that are found in it.
    pub(super) takes: Vec<&'p str>,
    /// Those that are not.
    pub(super) refuses: Vec<&'p str>,
    /// How many characters it has at least and at most.
    pub(super) least: usize,
    pub(super) most: usize,
}

/// Where all searches stand, and after how many characters: those of the patterns that are found, of those that are not, and of
/// texts as such.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    at: [At; MOST_PATTERNS + 1],
    count: usize,
}

/// The automata of what is asked.
struct Automata {
    /// Those of the patterns that are found, of those that are not, and of texts as such.
    all: Vec<Arc<Finder>>,
    /// How many of them are found, and how many are patterns.
    takes: usize,
    patterns: usize,
    least: usize,
    most: usize,
}

/// A text as it is asked for, of the shortest; `Some(None)` where there is none, and `None` where that is not known. Counts the
/// bytes that are walked, and each automaton as some.
pub(super) fn text(asked: &Asked<'_>, finders: &Finders, looks: &mut usize) -> Option<Option<String>> {
    let (takes, patterns) = (asked.takes.len(), asked.takes.len() + asked.refuses.len());
    if patterns > MOST_PATTERNS || asked.least > MOST_STATES {
        return None;
    }
    *looks += OF_AUTOMATON * patterns;
    let all = asked.takes.iter().chain(&asked.refuses).map(|pattern| finders.of(pattern));
    let mut all = all.collect::<Option<Vec<Arc<Finder>>>>()?;
    all.push(finders.of_texts()?);
    Automata { all, takes, patterns, least: asked.least, most: asked.most }.shortest(looks)
}

impl Automata {
    fn start(&self) -> Option<State> {
        // What is not asked of is lost from the start, and stays so.
        let mut at = [At::Lost; MOST_PATTERNS + 1];
        for (at, finder) in at.iter_mut().zip(&self.all) {
            *at = At::start(&finder.dfa)?;
        }
        Some(State { at, count: 0 })
    }

    /// Where all stand after one more byte; nothing where no text comes of it.
    fn after(&self, state: &State, byte: u8) -> Option<State> {
        // A character is as many bytes as its first says; the others of it are of one shape.
        let starts = byte & 0xC0 != 0x80;
        let count = state.count + usize::from(starts);
        if count > self.most {
            return None;
        }
        let mut at = state.at;
        for (index, finder) in self.all.iter().enumerate() {
            at[index] = at[index].after(&finder.dfa, byte);
            let is_refused = (self.takes..self.patterns).contains(&index);
            if at[index] == if is_refused { At::Found } else { At::Lost } {
                return None;
            }
        }
        // Beyond what is asked for, how many there are no longer matters.
        let kept = if self.most == usize::MAX { self.least } else { usize::MAX };
        Some(State { at, count: count.min(kept) })
    }

    fn is_asked_for(&self, state: &State) -> bool {
        state.count >= self.least
            && self.all.iter().enumerate().all(|(index, finder)| {
                let is_refused = (self.takes..self.patterns).contains(&index);
                state.at[index].is_found_at_end(&finder.dfa) != is_refused
            })
    }

    /// The first byte of each kind: those of one kind lead to the same, whichever automaton is asked, and both begin a character
    /// or neither does.
    fn bytes(&self) -> Vec<u8> {
        let mut seen = FxHashSet::default();
        let kind = |byte: u8| {
            let kinds: Vec<u8> = self.all.iter().map(|finder| finder.kinds[usize::from(byte)]).collect();
            (kinds, byte & 0xC0 != 0x80)
        };
        plain_first().filter(|byte| seen.insert(kind(*byte))).collect()
    }

    fn shortest(&self, looks: &mut usize) -> Option<Option<String>> {
        let start = self.start()?;
        let bytes = self.bytes();
        let mut seen = FxHashSet::from_iter([start]);
        // Each with the one that it was reached from, and by which byte.
        let mut steps: Vec<(usize, u8)> = vec![(0, 0)];
        let mut open = VecDeque::from([(start, 0)]);
        while let Some((state, at)) = open.pop_front() {
            if self.is_asked_for(&state) {
                return Some(Some(way_to(at, &steps)));
            }
            *looks += usize::from(u8::MAX);
            for byte in &bytes {
                let Some(next) = self.after(&state, *byte).filter(|next| !seen.contains(next)) else { continue };
                if seen.len() >= MOST_STATES {
                    return None;
                }
                seen.insert(next);
                steps.push((at, *byte));
                open.push_back((next, steps.len() - 1));
            }
        }
        Some(None)
    }
}

fn way_to(mut at: usize, steps: &[(usize, u8)]) -> String {
    let mut bytes = Vec::new();
    while at != 0 {
        bytes.push(steps[at].1);
        at = steps[at].0;
    }
    bytes.reverse();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked<'p>(takes: &[&'p str], refuses: Option<&'p str>, (least, most): (usize, usize)) -> Asked<'p> {
        Asked { takes: takes.to_vec(), refuses: refuses.into_iter().collect(), least, most }
    }

    #[test]
    fn a_pattern_and_a_length_are_met_together() {
        const ANY: usize = usize::MAX;
        for (takes, refuses, lengths, found) in [
            (&[r"^\d{3}-\d{4}$"][..], None, (9, ANY), None),
            (&["^[A-Z]{2}$"], None, (0, 1), None),
            (&["^https?://"], None, (0, 6), None),
            (&["^https?://"], None, (0, 7), Some("http://")),
            (&["^(ab)+$"], None, (0, 1), None),
            (&["^(ab)+$"], None, (3, ANY), Some("abab")),
            (&["^[a-z]+$"], Some("^[a-z]{1,4}$"), (0, 4), None),
            (&["^[a-z]+$"], Some("^[a-z]{1,4}$"), (0, 5), Some("aaaaa")),
            (&["^(a|1)b*$"], None, (5, ANY), Some("abbbb")),
            (&["a"], Some("^[a-z]$"), (0, ANY), Some("aa")),
            (&[], Some("."), (1, ANY), Some("\0")),
            (&[], Some(r"^[\s\S]+$"), (1, ANY), None),
            (&["^.?$"], None, (2, ANY), None),
            (&["a", "b", "^..$"], None, (0, ANY), Some("ab")),
            (&["é"], None, (2, 2), Some("aé")),
        ] {
            let text = text(&asked(takes, refuses, lengths), &Finders::default(), &mut 0).expect("it is known");
            // What ends a line is any of several.
            let is_control = found == Some("\0") && text.as_ref().is_some_and(|text| !text.is_empty());
            assert!(is_control || text.as_deref() == found, "{text:?} of {takes:?} {refuses:?} {lengths:?}");
        }
    }

    #[test]
    fn what_no_automaton_knows_is_not_known() {
        assert_eq!(text(&asked(&["(?=a)b"], None, (0, 3)), &Finders::default(), &mut 0), None);
        assert_eq!(text(&asked(&["a"], Some(r"\bword\b"), (0, 3)), &Finders::default(), &mut 0), None);
        assert_eq!(text(&asked(&["a"; 7], None, (0, 3)), &Finders::default(), &mut 0), None);
    }
}
