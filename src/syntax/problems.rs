//! Collects the problems of one file, and not more of them than anybody would read.

use std::fmt;
use std::sync::Arc;

use crate::change::Span;
use crate::syntax::problem::Problem;

/// How many problems of one file are spelled out.
pub const PROBLEM_LIMIT: usize = 100;

/// The problems of one file in the order in which they were found.
///
/// Two rules keep the list readable: of several problems at one place only the first is kept, and of something missing
/// directly behind a problem nothing is said (both follow from the first); beyond [`PROBLEM_LIMIT`] they are only counted.
#[derive(Debug, Clone)]
pub struct Problems {
    file: Arc<str>,
    list: Vec<Problem>,
    /// What hides nothing, apart: it is no reason to leave anything out.
    warnings: Vec<Problem>,
    last: Option<Span>,
    left_out: usize,
}

impl Problems {
    /// No problems yet.
    pub fn new(file: &Arc<str>) -> Self {
        Self { file: file.clone(), list: Vec::new(), warnings: Vec::new(), last: None, left_out: 0 }
    }

    /// Adds an error. The texts are only put together when they are kept.
    pub fn error(&mut self, span: Span, message: fmt::Arguments<'_>, help: fmt::Arguments<'_>) {
        let follows = |last: Span| last.start == span.start || (last.end == span.start && span.start == span.end);
        if self.last.is_some_and(follows) {
            return;
        }
        self.last = Some(span);
        if self.list.len() < PROBLEM_LIMIT {
            self.list.push(Problem::error(&self.file, span, message.to_string(), help.to_string()));
        } else {
            self.left_out += 1;
        }
    }

    /// Adds a warning, which does not count.
    pub fn warning(&mut self, span: Span, message: fmt::Arguments<'_>, help: fmt::Arguments<'_>) {
        if self.warnings.len() < PROBLEM_LIMIT {
            self.warnings.push(Problem::warning(&self.file, span, message.to_string(), help.to_string()));
        }
    }

    /// How many problems there are, those left out included.
    pub fn count(&self) -> usize {
        self.list.len() + self.left_out
    }

    /// The problems; the last one says how many were left out.
    pub fn into_list(mut self) -> Vec<Problem> {
        if let (left_out @ 1.., Some(span)) = (self.left_out, self.last) {
            let message = format!("{left_out} more problems in this file are left out");
            let help = "mend the first ones and run again";
            self.list.push(Problem::error(&self.file, span, message, help));
        }
        self.list.extend(self.warnings);
        self.list
    }
}
