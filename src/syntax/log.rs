//! What is wrong with one file, and not more of it than anybody would read.

use std::fmt;
use std::sync::Arc;

use crate::change::Span;
use crate::syntax::problem::{Problem, Severity};
use crate::syntax::problems::PROBLEM_LIMIT;

/// How many characters of a message are told.
const TEXT_LIMIT: usize = 500;

/// Collects the errors and warnings of a file in the order in which they are found; beyond [`PROBLEM_LIMIT`] they are
/// only counted.
#[derive(Debug)]
pub struct Log {
    file: Arc<str>,
    list: Vec<Problem>,
    errors_left_out: usize,
    warnings_left_out: usize,
    unsure: usize,
    last: Span,
}

impl Log {
    /// Nothing is wrong yet.
    pub fn new(file: &Arc<str>) -> Self {
        Self {
            file: file.clone(),
            list: Vec::new(),
            errors_left_out: 0,
            warnings_left_out: 0,
            unsure: 0,
            last: Span::default(),
        }
    }

    /// Adds an error. The texts are only put together when they are kept.
    #[cold]
    pub fn error(&mut self, span: Span, message: fmt::Arguments<'_>, help: impl fmt::Display) {
        self.add(Severity::Error, span, message, help);
    }

    /// Adds something that a compiler refuses, and that hides no element.
    #[cold]
    pub fn refuse(&mut self, span: Span, message: fmt::Arguments<'_>, help: impl fmt::Display) {
        self.add(Severity::Refused, span, message, help);
    }

    /// Adds something that compilers refuse, to which nothing leads that is judged.
    #[cold]
    pub fn unreached(&mut self, span: Span, message: fmt::Arguments<'_>, help: impl fmt::Display) {
        self.add(Severity::Unreached, span, message, help);
    }

    /// Adds a warning.
    #[cold]
    pub fn warning(&mut self, span: Span, message: fmt::Arguments<'_>, help: impl fmt::Display) {
        self.add(Severity::Warning, span, message, help);
    }

    /// Adds a name that a missing import may declare. Who tells of them chooses among many.
    #[cold]
    pub fn unsure(&mut self, span: Span, name: impl fmt::Display) {
        self.unsure += 1;
        self.list.push(Problem::unsure(&self.file, span, name));
    }

    /// Adds that the file is written in another schema language.
    #[cold]
    pub fn foreign(&mut self, span: Span, message: fmt::Arguments<'_>, help: impl fmt::Display) {
        self.add(Severity::Foreign, span, message, help);
    }

    fn add(&mut self, severity: Severity, span: Span, message: fmt::Arguments<'_>, help: impl fmt::Display) {
        if self.list.len() - self.unsure >= PROBLEM_LIMIT {
            match severity {
                Severity::Unsure => {}
                Severity::Error | Severity::Refused | Severity::Aside | Severity::Unreached | Severity::Foreign => {
                    self.errors_left_out += 1
                }
                Severity::Warning => self.warnings_left_out += 1,
            }
            self.last = span;
            return;
        }
        let (message, help) = (shortened(message.to_string()), shortened(help.to_string()));
        self.list.push(match severity {
            Severity::Error => Problem::error(&self.file, span, message, help),
            Severity::Refused => Problem::refused(&self.file, span, message, help),
            Severity::Aside => Problem::aside(&self.file, span, message, help),
            Severity::Unreached => Problem::unreached(&self.file, span, message, help),
            Severity::Foreign => Problem::foreign(&self.file, span, message, help),
            Severity::Warning => Problem::warning(&self.file, span, message, help),
            Severity::Unsure => return,
        });
    }

    /// Moves the problems to a list; the last one says how many were left out, and is as grave as the worst of them.
    pub fn append_to(self, all: &mut Vec<Problem>) {
        all.extend(self.list);
        let left_out = self.errors_left_out + self.warnings_left_out;
        let message = format!("{left_out} more problems in this file are left out");
        let help = "mend the first ones and run again";
        match (self.errors_left_out, self.warnings_left_out) {
            (0, 0) => {}
            (0, _) => all.push(Problem::warning(&self.file, self.last, message, help)),
            _ => all.push(Problem::error(&self.file, self.last, message, help)),
        }
    }
}

/// The problems of all files.
pub fn all(logs: Vec<Log>) -> Vec<Problem> {
    let mut all = Vec::new();
    logs.into_iter().for_each(|log| log.append_to(&mut all));
    all
}

/// The text as it is, or its start where a name in it is longer than anybody would read.
fn shortened(text: String) -> String {
    match text.char_indices().nth(TEXT_LIMIT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_counted_and_keeps_its_gravity() {
        let mut log = Log::new(&Arc::from("a.avsc"));
        for at in 0..PROBLEM_LIMIT as u32 {
            log.warning(Span::new(at, at + 1), format_args!("w"), "");
        }
        log.error(Span::new(500, 501), format_args!("e"), "");
        log.warning(Span::new(600, 601), format_args!("w"), "");
        let mut all = Vec::new();
        log.append_to(&mut all);
        let last = all.last().expect("there are problems");
        assert_eq!((all.len(), last.severity), (PROBLEM_LIMIT + 1, Severity::Error));
        assert!(last.message.starts_with("2 more"));
    }

    #[test]
    fn long_names_do_not_make_long_messages() {
        let mut log = Log::new(&Arc::from("a.avsc"));
        log.error(Span::default(), format_args!("`{}` is wrong", "é".repeat(1_000_000)), "");
        let mut all = Vec::new();
        log.append_to(&mut all);
        assert_eq!(all[0].message.chars().count(), TEXT_LIMIT + 1);
    }
}
