//! Text with insertions: what is planted never replaces what is there.

use std::collections::BTreeSet;
use std::ops::Range;

/// One change of the program.
pub struct Mutant {
    pub number: u32,
    /// From 1.
    pub line: usize,
    pub change: String,
}

/// A source file and what is planted in it.
pub struct Planted<'a> {
    source: &'a str,
    skipped: &'a BTreeSet<u32>,
    /// The number of the last mutant.
    pub last: u32,
    pub mutants: Vec<Mutant>,
    /// Where, whether it closes, how deep, what.
    inserted: Vec<(usize, bool, i64, String)>,
    depth: i64,
}

impl<'a> Planted<'a> {
    pub fn new(source: &'a str, last: u32, skipped: &'a BTreeSet<u32>) -> Self {
        Self { source, skipped, last, mutants: Vec::new(), inserted: Vec::new(), depth: 0 }
    }

    /// The text of a place, as it was.
    pub fn source(&self, range: &Range<usize>) -> &'a str {
        &self.source[range.clone()]
    }

    /// The condition under which a mutant is not itself; nothing if it does not compile.
    pub fn mutant(&mut self, at: usize, change: impl Into<String>) -> Option<String> {
        self.last += 1;
        let number = self.last;
        if self.skipped.contains(&number) {
            return None;
        }
        let line = self.source[..at].matches('\n').count() + 1;
        let change = change.into().split_whitespace().collect::<Vec<_>>().join(" ");
        self.mutants.push(Mutant { number, line, change });
        Some(format!("crate::mutants::on({number})"))
    }

    /// Puts text before and after a place. What is wrapped later is inside of what was wrapped before.
    pub fn wrap(&mut self, range: &Range<usize>, before: String, after: String) {
        self.depth += 1;
        self.inserted.push((range.start, true, self.depth, before));
        self.inserted.push((range.end, false, -self.depth, after));
    }

    /// Puts text where nothing is wrapped.
    pub fn insert(&mut self, at: usize, text: String) {
        self.depth += 1;
        self.inserted.push((at, true, self.depth, text));
    }

    /// The file with everything planted. At one place, what ends comes before what begins.
    pub fn text(mut self) -> String {
        self.inserted.sort_by(|one, other| (one.0, one.1, one.2).cmp(&(other.0, other.1, other.2)));
        let mut text = String::with_capacity(self.source.len() * 2);
        let mut done = 0;
        for (at, _, _, inserted) in &self.inserted {
            text.push_str(&self.source[done..*at]);
            text.push_str(inserted);
            done = *at;
        }
        text.push_str(&self.source[done..]);
        text
    }
}
