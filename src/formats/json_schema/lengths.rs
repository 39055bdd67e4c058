//! Texts that several patterns take together, with so many characters: the automata of all of them, walked through side by
//! side, with a count.
//!
//! What [`super::patterns`] does not compare is not known here either.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

use super::patterns::{At, Dfa, finder, plain_first, texts};

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

/// Where all searches stand, and after how many characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    takes: Vec<At>,
    refuses: Vec<At>,
    text: At,
    count: usize,
}

/// The automata of what is asked.
struct Automata {
    takes: Vec<Dfa>,
    refuses: Vec<Dfa>,
    texts: Dfa,
    least: usize,
    most: usize,
}

/// A text as it is asked for, of the shortest; `Some(None)` where there is none, and `None` where that is not known. Counts the
/// bytes that are walked, and each automaton as some.
pub(super) fn text(asked: &Asked<'_>, looks: &mut usize) -> Option<Option<String>> {
    if asked.takes.len() + asked.refuses.len() > MOST_PATTERNS || asked.least > MOST_STATES {
        return None;
    }
    *looks += OF_AUTOMATON * (asked.takes.len() + asked.refuses.len());
    let automata = Automata {
        takes: asked.takes.iter().map(|pattern| finder(pattern)).collect::<Option<_>>()?,
        refuses: asked.refuses.iter().map(|pattern| finder(pattern)).collect::<Option<_>>()?,
        texts: texts()?,
        least: asked.least,
        most: asked.most,
    };
    automata.shortest(looks)
}

impl Automata {
    fn start(&self) -> Option<State> {
        Some(State {
            takes: self.takes.iter().map(At::start).collect::<Option<_>>()?,
            refuses: self.refuses.iter().map(At::start).collect::<Option<_>>()?,
            text: At::start(&self.texts)?,
            count: 0,
        })
    }

    /// Where all stand after one more byte; nothing where no text comes of it.
    fn after(&self, state: &State, byte: u8) -> Option<State> {
        // A character is as many bytes as its first says; the others of it are of one shape.
        let starts = byte & 0xC0 != 0x80;
        let count = state.count + usize::from(starts);
        let text = state.text.after(&self.texts, byte);
        let after = |(dfa, at): (&Dfa, &At)| at.after(dfa, byte);
        let refuses: Vec<At> = self.refuses.iter().zip(&state.refuses).map(after).collect();
        if count > self.most || text == At::Lost || refuses.contains(&At::Found) {
            return None;
        }
        let takes: Vec<At> = self.takes.iter().zip(&state.takes).map(after).collect();
        // Beyond what is asked for, how many there are no longer matters.
        let kept = if self.most == usize::MAX { self.least } else { usize::MAX };
        (!takes.contains(&At::Lost)).then_some(State { takes, refuses, text, count: count.min(kept) })
    }

    fn is_asked_for(&self, state: &State) -> bool {
        state.count >= self.least
            && state.text.is_found_at_end(&self.texts)
            && self.takes.iter().zip(&state.takes).all(|(dfa, at)| at.is_found_at_end(dfa))
            && !self.refuses.iter().zip(&state.refuses).any(|(dfa, at)| at.is_found_at_end(dfa))
    }

    fn shortest(&self, looks: &mut usize) -> Option<Option<String>> {
        let start = self.start()?;
        let mut seen = FxHashSet::from_iter([start.clone()]);
        // Each with the one that it was reached from, and by which byte.
        let mut steps: Vec<(usize, u8)> = vec![(0, 0)];
        let mut open = VecDeque::from([(start, 0)]);
        while let Some((state, at)) = open.pop_front() {
            if self.is_asked_for(&state) {
                return Some(Some(way_to(at, &steps)));
            }
            *looks += usize::from(u8::MAX);
            let mut last = None;
            for byte in plain_first() {
                let next = self.after(&state, byte);
                // Neighbours mostly lead to the same.
                if next == last {
                    continue;
                }
                last.clone_from(&next);
                let Some(next) = next.filter(|next| !seen.contains(next)) else { continue };
                if seen.len() >= MOST_STATES {
                    return None;
                }
                seen.insert(next.clone());
                steps.push((at, byte));
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
            let text = text(&asked(takes, refuses, lengths), &mut 0).expect("it is known");
            // What ends a line is any of several.
            let is_control = found == Some("\0") && text.as_ref().is_some_and(|text| !text.is_empty());
            assert!(is_control || text.as_deref() == found, "{text:?} of {takes:?} {refuses:?} {lengths:?}");
        }
    }

    #[test]
    fn what_no_automaton_knows_is_not_known() {
        assert_eq!(text(&asked(&["(?=a)b"], None, (0, 3)), &mut 0), None);
        assert_eq!(text(&asked(&["a"], Some(r"\bword\b"), (0, 3)), &mut 0), None);
        assert_eq!(text(&asked(&["a"; 7], None, (0, 3)), &mut 0), None);
    }
}
