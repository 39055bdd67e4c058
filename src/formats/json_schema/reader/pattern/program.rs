//! What a pattern says → steps that are tried one after the other.

use regex_syntax::hir::ClassUnicode;

use super::parse::Item;

/// Some characters.
#[derive(Debug)]
pub(super) struct Set {
    ascii: u128,
    ranges: Box<[(char, char)]>,
}

impl Set {
    fn of(class: &ClassUnicode) -> Set {
        let ranges: Box<[(char, char)]> = class.iter().map(|range| (range.start(), range.end())).collect();
        let has = |code: u8| ranges.iter().any(|(from, to)| (*from..=*to).contains(&char::from(code)));
        let ascii = (0..128_u8).filter(|code| has(*code)).fold(0, |all, code| all | 1 << code);
        Set { ascii, ranges }
    }

    pub(super) fn has(&self, letter: char) -> bool {
        if letter.is_ascii() {
            return self.ascii & (1 << u32::from(letter)) != 0;
        }
        let after = self.ranges.partition_point(|(from, _)| *from <= letter);
        after > 0 && letter <= self.ranges[after - 1].1
    }
}

/// One step. Places are indices of steps, and registers hold places of the text or counts.
#[derive(Debug)]
pub(super) enum Step {
    /// One character, before the place where `is_back`.
    Set {
        set: usize,
        is_back: bool,
    },
    /// The first, and if that leads nowhere, the second.
    Split(usize, usize),
    Jump(usize),
    /// The place into a register.
    Save(usize),
    /// Registers from one to before another hold nothing.
    Clear(usize, usize),
    Start {
        has_lines: bool,
    },
    End {
        has_lines: bool,
    },
    Bound(bool),
    /// What is between two registers, for the first of some pairs that holds something.
    Again {
        pairs: Vec<usize>,
        folds: bool,
        is_back: bool,
    },
    /// What follows has to lead to `Done`, or must not; then it goes on elsewhere, and at the same place of the text.
    Look {
        end: usize,
        is_negated: bool,
    },
    Done,
    /// Begins to count in a register.
    Begin(usize),
    /// Once more, or on. The step that follows is the one to go in.
    Loop {
        count: usize,
        least: u32,
        most: Option<u32>,
        is_greedy: bool,
        end: usize,
    },
    /// Counts one, and notes the place in the register after.
    Enter(usize),
    /// The end of one time.
    Next {
        count: usize,
        least: u32,
        head: usize,
    },
}

/// The steps of a pattern.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
    pub(super) sets: Vec<Set>,
    pub(super) registers: usize,
    /// Whether it may start only where the text does.
    pub(super) is_anchored: bool,
}

impl Program {
    pub(super) fn new(item: &Item) -> Program {
        let groups = 2 * (1 + last_group(item) as usize);
        let mut program =
            Program { steps: Vec::new(), sets: Vec::new(), registers: groups, is_anchored: is_anchored(item) };
        program.write(item, false);
        program.steps.push(Step::Done);
        program
    }

    fn write(&mut self, item: &Item, is_back: bool) {
        match item {
            Item::Set(class) => {
                self.steps.push(Step::Set { set: self.sets.len(), is_back });
                self.sets.push(Set::of(class));
            }
            Item::Sequence(list) if is_back => list.iter().rev().for_each(|item| self.write(item, is_back)),
            Item::Sequence(list) => list.iter().for_each(|item| self.write(item, is_back)),
            Item::Either(list) => self.either(list, is_back),
            Item::Repeat { item, least, most, is_greedy, groups } => {
                let count = self.registers;
                self.registers += 2;
                self.steps.push(Step::Begin(count));
                let head = self.steps.len();
                self.steps.push(Step::Loop { count, least: *least, most: *most, is_greedy: *is_greedy, end: 0 });
                self.steps.push(Step::Enter(count));
                if groups.0 < groups.1 {
                    self.steps.push(Step::Clear(2 * groups.0 as usize, 2 * groups.1 as usize));
                }
                self.write(item, is_back);
                self.steps.push(Step::Next { count, least: *least, head });
                let here = self.steps.len();
                if let Step::Loop { end, .. } = &mut self.steps[head] {
                    *end = here;
                }
            }
            Item::Group(item, number) => {
                let register = 2 * *number as usize;
                self.steps.push(Step::Save(register + usize::from(is_back)));
                self.write(item, is_back);
                self.steps.push(Step::Save(register + usize::from(!is_back)));
            }
            Item::Again { groups, folds } => {
                let pairs = groups.iter().map(|number| 2 * *number as usize).collect();
                self.steps.push(Step::Again { pairs, folds: *folds, is_back });
            }
            Item::Start { has_lines } => self.steps.push(Step::Start { has_lines: *has_lines }),
            Item::End { has_lines } => self.steps.push(Step::End { has_lines: *has_lines }),
            Item::Bound(is_there) => self.steps.push(Step::Bound(*is_there)),
            Item::Look { item, is_behind, is_negated } => {
                let head = self.steps.len();
                self.steps.push(Step::Look { end: 0, is_negated: *is_negated });
                self.write(item, *is_behind);
                self.steps.push(Step::Done);
                let here = self.steps.len();
                if let Step::Look { end, .. } = &mut self.steps[head] {
                    *end = here;
                }
            }
        }
    }

    fn either(&mut self, list: &[Item], is_back: bool) {
        let mut jumps = Vec::new();
        for (index, item) in list.iter().enumerate() {
            let head = self.steps.len();
            let is_last = index + 1 == list.len();
            if !is_last {
                self.steps.push(Step::Split(head + 1, 0));
            }
            self.write(item, is_back);
            if !is_last {
                jumps.push(self.steps.len());
                self.steps.push(Step::Jump(0));
                let here = self.steps.len();
                self.steps[head] = Step::Split(head + 1, here);
            }
        }
        let here = self.steps.len();
        jumps.into_iter().for_each(|jump| self.steps[jump] = Step::Jump(here));
    }
}

fn last_group(item: &Item) -> u32 {
    match item {
        Item::Sequence(list) | Item::Either(list) => list.iter().map(last_group).max().unwrap_or(0),
        Item::Group(item, number) => last_group(item).max(*number),
        Item::Repeat { item, .. } | Item::Look { item, .. } => last_group(item),
        Item::Set(_) | Item::Again { .. } | Item::Start { .. } | Item::End { .. } | Item::Bound(_) => 0,
    }
}

fn is_anchored(item: &Item) -> bool {
    match item {
        Item::Start { has_lines } => !has_lines,
        Item::Sequence(list) => list.first().is_some_and(is_anchored),
        Item::Either(list) => list.iter().all(is_anchored),
        Item::Group(item, _) => is_anchored(item),
        Item::Repeat { item, least, .. } => *least > 0 && is_anchored(item),
        Item::Set(_) | Item::Again { .. } | Item::End { .. } | Item::Bound(_) | Item::Look { .. } => false,
    }
}
