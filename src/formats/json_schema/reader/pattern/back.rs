//! A pattern tried on a text, way by way.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::Found;
use super::program::{Program, Step};

/// How often one text may make it go back and try another way.
const BACKTRACK_LIMIT: usize = 20_000;
/// How many steps one text may take.
const STEP_LIMIT: usize = 1_000_000;

/// Nothing, in a register.
const NOTHING: usize = usize::MAX;

/// Whether a pattern is found anywhere in a text.
pub(super) fn search(program: &Program, text: &str) -> Found {
    let mut search = Search {
        program,
        text,
        registers: vec![NOTHING; program.registers],
        undone: Vec::new(),
        open: Vec::new(),
        backs: BACKTRACK_LIMIT,
        steps: STEP_LIMIT,
    };
    let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    for at in starts.take(if program.is_anchored { 1 } else { usize::MAX }) {
        match search.from(0, at) {
            Some(true) => return Found::Yes,
            Some(false) => {}
            None => return Found::Unknown,
        }
    }
    Found::No
}

/// Another way: the step, the place of the text, and how many registers had been written.
type Way = (usize, usize, usize);

struct Search<'p> {
    program: &'p Program,
    text: &'p str,
    registers: Vec<usize>,
    /// What registers held before they were written.
    undone: Vec<(usize, usize)>,
    open: Vec<Way>,
    backs: usize,
    steps: usize,
}

impl Search<'_> {
    /// Whether a step leads to the end of what it belongs to; `None` where that takes too long.
    fn from(&mut self, mut step: usize, mut at: usize) -> Option<bool> {
        let (base, written) = (self.open.len(), self.undone.len());
        loop {
            self.steps = self.steps.checked_sub(1)?;
            if matches!(self.program.steps[step], Step::Done) {
                self.open.truncate(base);
                return Some(true);
            }
            match self.after(step, at)? {
                Some(next) => (step, at) = next,
                None if self.open.len() == base => {
                    self.undo(written);
                    return Some(false);
                }
                None => {
                    self.backs = self.backs.checked_sub(1)?;
                    let (way, place, written) = self.open.pop()?;
                    self.undo(written);
                    (step, at) = (way, place);
                }
            }
        }
    }

    /// Where one step leads, if anywhere.
    fn after(&mut self, step: usize, at: usize) -> Option<Option<(usize, usize)>> {
        let program = self.program;
        let on = |is_so: bool| is_so.then_some((step + 1, at));
        Some(match &program.steps[step] {
            Step::Set { set, is_back } => {
                let (letter, place) = self.letter(at, *is_back);
                letter.filter(|letter| program.sets[*set].has(*letter)).map(|_| (step + 1, place))
            }
            Step::Split(first, second) => {
                self.open.push((*second, at, self.undone.len()));
                Some((*first, at))
            }
            Step::Jump(place) => Some((*place, at)),
            Step::Save(register) => {
                self.set(*register, at);
                on(true)
            }
            Step::Clear(from, to) => {
                (*from..*to).for_each(|register| self.set(register, NOTHING));
                on(true)
            }
            Step::Start { has_lines } => on(at == 0 || *has_lines && self.letter(at, true).0.is_some_and(ends_line)),
            Step::End { has_lines } => {
                on(at == self.text.len() || *has_lines && self.letter(at, false).0.is_some_and(ends_line))
            }
            Step::Bound(is_there) => {
                let is_word =
                    |letter: Option<char>| letter.is_some_and(|one| one.is_ascii_alphanumeric() || one == '_');
                on((is_word(self.letter(at, true).0) != is_word(self.letter(at, false).0)) == *is_there)
            }
            Step::Again { pairs, folds, is_back } => {
                self.again(pairs, *folds, *is_back, at).map(|place| (step + 1, place))
            }
            Step::Look { end, is_negated } => {
                let written = self.undone.len();
                let is_there = self.from(step + 1, at)?;
                if *is_negated {
                    self.undo(written);
                }
                (is_there != *is_negated).then_some((*end, at))
            }
            Step::Done => None,
            Step::Begin(_) | Step::Loop { .. } | Step::Enter(_) | Step::Next { .. } => self.repeated(step, at),
        })
    }

    /// Where a step of what is repeated leads.
    fn repeated(&mut self, step: usize, at: usize) -> Option<(usize, usize)> {
        let program = self.program;
        match &program.steps[step] {
            Step::Begin(count) => {
                self.set(*count, 0);
                Some((step + 1, at))
            }
            Step::Loop { count, least, most, is_greedy, end } => {
                let count = self.registers[*count];
                let is_enough = count >= *least as usize;
                let is_most = most.is_some_and(|most| count >= most as usize);
                let (first, second) = match (is_enough, is_most, is_greedy) {
                    (false, ..) => return Some((step + 1, at)),
                    (_, true, _) => return Some((*end, at)),
                    (.., true) => (step + 1, *end),
                    (.., false) => (*end, step + 1),
                };
                self.open.push((second, at, self.undone.len()));
                Some((first, at))
            }
            Step::Enter(count) => {
                let next = self.registers[*count].saturating_add(1);
                self.set(*count, next);
                self.set(*count + 1, at);
                Some((step + 1, at))
            }
            Step::Next { count, least, head } => {
                if self.registers[*count + 1] == at {
                    // One time that took nothing leads nowhere, unless it has to be; then it is the same as all that have to.
                    if self.registers[*count] > *least as usize {
                        return None;
                    }
                    self.set(*count, *least as usize);
                }
                Some((*head, at))
            }
            _ => None,
        }
    }

    fn set(&mut self, register: usize, value: usize) {
        self.undone.push((register, self.registers[register]));
        self.registers[register] = value;
    }

    fn undo(&mut self, written: usize) {
        while self.undone.len() > written {
            if let Some((register, value)) = self.undone.pop() {
                self.registers[register] = value;
            }
        }
    }

    /// The character at a place or before it, and the place behind or before that.
    fn letter(&self, at: usize, is_back: bool) -> (Option<char>, usize) {
        let letter = if is_back { self.text[..at].chars().next_back() } else { self.text[at..].chars().next() };
        let size = letter.map_or(0, char::len_utf8);
        (letter, if is_back { at - size } else { at + size })
    }

    /// The place behind or before what a group took, where that is there again.
    fn again(&self, pairs: &[usize], folds: bool, is_back: bool, at: usize) -> Option<usize> {
        let taken = pairs.iter().map(|pair| (self.registers[*pair], self.registers[*pair + 1]));
        let Some((from, to)) = taken.into_iter().find(|(from, to)| *from != NOTHING && *to != NOTHING) else {
            return Some(at);
        };
        let taken = self.text.get(from..to)?;
        let letters: Vec<char> = if is_back { taken.chars().rev().collect() } else { taken.chars().collect() };
        let mut place = at;
        for letter in letters {
            let (there, next) = self.letter(place, is_back);
            let is_same = there.is_some_and(|there| there == letter || folds && is_other_case(there, letter));
            place = is_same.then_some(next)?;
        }
        Some(place)
    }
}

const fn ends_line(letter: char) -> bool {
    matches!(letter, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

fn is_other_case(one: char, other: char) -> bool {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(other, other)]);
    class.case_fold_simple();
    class.iter().any(|range| (range.start()..=range.end()).contains(&one))
}
