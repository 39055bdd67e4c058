//! Two texts, line by line.
//!
//! Lines end with a line feed, as for git. They are numbered first, so that what compares them is compiled once.

use std::fmt::Write as _;
use std::ops::Range;

use rustc_hash::FxHashMap;
use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{DiffOp, group_diff_ops};

use super::is_hazard;

/// How two texts differ, by the algorithm of Myers.
pub(crate) struct Difference<'t> {
    old: Vec<&'t str>,
    new: Vec<&'t str>,
    steps: Vec<DiffOp>,
}

/// A line of one text or of both, with its line feed if it has one.
pub(crate) struct Line<'t> {
    /// ` ` for both texts, `-` for the old one, `+` for the new one.
    pub(crate) mark: char,
    pub(crate) text: &'t str,
    /// Its number in the old text, from 0.
    pub(crate) old: Option<usize>,
    /// Its number in the new text, from 0.
    pub(crate) new: Option<usize>,
}

/// Lines that differ, with those around them.
pub(crate) struct Group<'d, 't> {
    difference: &'d Difference<'t>,
    steps: Vec<DiffOp>,
}

impl<'t> Difference<'t> {
    pub(crate) fn of(old: &'t str, new: &'t str) -> Self {
        let lines = |text: &'t str| text.split_inclusive('\n').collect::<Vec<_>>();
        let (old, new) = (lines(old), lines(new));
        let mut known = FxHashMap::default();
        let mut numbers = |lines: &[&'t str]| {
            let number = |line: &&'t str| {
                let next = known.len();
                *known.entry(*line).or_insert(next)
            };
            lines.iter().map(number).collect::<Vec<_>>()
        };
        let steps = steps(&numbers(&old), &numbers(&new));
        Difference { old, new, steps }
    }

    /// All lines.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Line<'t>> {
        self.steps.iter().flat_map(|step| self.lines_of(step))
    }

    /// What differs, with up to `context` lines before and after; what lies nearer together is one group.
    pub(crate) fn groups(&self, context: usize) -> impl Iterator<Item = Group<'_, 't>> {
        let groups = group_diff_ops(self.steps.clone(), context).into_iter().filter(|steps| !steps.is_empty());
        groups.map(|steps| Group { difference: self, steps })
    }

    /// A patch of one file, as `git apply` and `patch` take it; empty where the texts are the same. The names are quoted as git
    /// quotes them.
    pub(crate) fn patch(&self, old: &str, new: &str, context: usize) -> String {
        let mut out = String::new();
        for group in self.groups(context) {
            if out.is_empty() {
                let _ = writeln!(out, "--- {}\n+++ {}", quoted(old), quoted(new));
            }
            let _ = writeln!(out, "@@ -{} +{} @@", range(&group.old_lines()), range(&group.new_lines()));
            for line in group.lines() {
                let _ = write!(out, "{}{}", line.mark, line.text);
                if !line.text.ends_with('\n') {
                    out.push_str("\n\\ No newline at end of file\n");
                }
            }
        }
        out
    }

    fn lines_of(&self, step: &DiffOp) -> impl Iterator<Item = Line<'t>> {
        let (old, new) = (step.old_range(), step.new_range());
        let (same, gone, come) = match step {
            DiffOp::Equal { len, .. } => (*len, 0..0, 0..0),
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => (0, old.clone(), new.clone()),
        };
        let same = old.zip(new).take(same).map(|(old, new)| self.line(' ', Some(old), Some(new)));
        let gone = gone.map(|at| self.line('-', Some(at), None));
        let come = come.map(|at| self.line('+', None, Some(at)));
        same.chain(gone).chain(come)
    }

    fn line(&self, mark: char, old: Option<usize>, new: Option<usize>) -> Line<'t> {
        let text = old.map(|at| self.old[at]).or(new.map(|at| self.new[at])).unwrap_or_default();
        Line { mark, text, old, new }
    }
}

impl<'t> Group<'_, 't> {
    pub(crate) fn lines(&self) -> impl Iterator<Item = Line<'t>> {
        self.steps.iter().flat_map(|step| self.difference.lines_of(step))
    }

    /// Its lines of the old text, from 0.
    pub(crate) fn old_lines(&self) -> Range<usize> {
        self.over(DiffOp::old_range)
    }

    /// Its lines of the new text, from 0.
    pub(crate) fn new_lines(&self) -> Range<usize> {
        self.over(DiffOp::new_range)
    }

    fn over(&self, lines: fn(&DiffOp) -> Range<usize>) -> Range<usize> {
        let first = self.steps.first().map_or(0, |step| lines(step).start);
        first..self.steps.last().map_or(first, |step| lines(step).end)
    }
}

/// The name of a file in a patch: in quotes, as in C, where something in it ends a line or acts on a screen.
fn quoted(name: &str) -> String {
    if !name.contains(|c| c == '"' || c == '\\' || is_hazard(c)) {
        // Behind a blank there may be a time; a tab says that the name ends here, and not before.
        return format!("{name}{}", if name.contains(' ') { "\t" } else { "" });
    }
    let mut out = String::from('"');
    for byte in name.bytes() {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' => out.push(char::from(byte)),
            other => out.push_str(&format!("\\{other:03o}")),
        }
    }
    out + "\""
}

/// What is to be done to numbered lines.
fn steps(old: &[usize], new: &[usize]) -> Vec<DiffOp> {
    let mut hook = Compact::new(Replace::new(Capture::new()), old, new);
    match myers::diff(&mut hook, old, 0..old.len(), new, 0..new.len()) {
        Ok(()) => hook.into_inner().into_inner().into_ops(),
        Err(never) => match never {},
    }
}

/// Lines as a patch counts them: from 1, with how many they are unless it is one; where there are none, the line before.
fn range(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        many => format!("{},{many}", lines.start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(old: &str, new: &str) -> String {
        Difference::of(old, new).lines().map(|line| format!("{}{}", line.mark, line.text)).collect()
    }

    #[test]
    fn lines_of_both_and_of_either() {
        assert_eq!(told("a\nb\nc\n", "a\nx\nc\n"), " a\n-b\n+x\n c\n");
        assert_eq!(told("", "a\n"), "+a\n");
        assert_eq!(told("a\n", ""), "-a\n");
        assert_eq!(told("", ""), "");
        // A line feed makes a difference, as does a carriage return before it.
        assert_eq!(told("a", "a\n"), "-a+a\n");
        assert_eq!(told("a\r\n", "a\n"), "-a\r\n+a\n");
    }

    #[test]
    fn lines_are_numbered_from_0_on_either_side() {
        let difference = Difference::of("a\nb\n", "x\na\n");
        let numbers: Vec<_> = difference.lines().map(|line| (line.old, line.new)).collect();
        assert_eq!(numbers, [(None, Some(0)), (Some(0), Some(1)), (Some(1), None)]);
    }

    #[test]
    fn a_patch_counts_its_lines_and_says_where_the_last_has_no_end() {
        let old = (1..=20).map(|line| format!("{line}\n")).collect::<String>();
        let new = old.replace("\n3\n", "\n3\nthree\n").replace("\n18\n", "\n").replace("20\n", "20");
        let patch = Difference::of(&old, &new).patch("a/x", "b/x", 1);
        let hunks = [
            "@@ -3,2 +3,3 @@\n 3\n+three\n 4\n",
            "@@ -17,4 +18,3 @@\n 17\n-18\n 19\n-20\n+20\n\\ No newline at end of file\n",
        ];
        assert_eq!(patch, format!("--- a/x\n+++ b/x\n{}", hunks.concat()));
        assert_eq!(Difference::of("", "one\n").patch("a", "b", 3), "--- a\n+++ b\n@@ -0,0 +1 @@\n+one\n");
        assert_eq!(Difference::of("one\n", "").patch("a", "b", 3), "--- a\n+++ b\n@@ -1 +0,0 @@\n-one\n");
        assert_eq!(Difference::of(&old, &old).patch("a", "b", 3), "");
    }

    #[test]
    fn names_in_a_patch_are_quoted_as_git_does() {
        for (name, written) in [
            ("a/shop/order.proto", "a/shop/order.proto"),
            ("a/grün.proto", "a/grün.proto"),
            ("a/two words.proto", "a/two words.proto\t"),
            ("a/x\n--- y\t\r", r#""a/x\n--- y\t\r""#),
            ("a/\"q\\\u{1b}[0m", r#""a/\"q\\\033[0m""#),
            ("a/\u{202e}ü", r#""a/\342\200\256\303\274""#),
        ] {
            assert_eq!(quoted(name), written);
        }
    }
}
