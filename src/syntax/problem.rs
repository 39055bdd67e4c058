//! What is wrong with an input, with its place and its remedy.

use std::fmt;
use std::sync::Arc;

use crate::change::{Site, Span};

use crate::vocabulary::ProblemSeverity;

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The verdict cannot be established.
    Error,
    /// A compiler refuses it, though every element can be judged: an error, unless it stood there before.
    Refused,
    /// The same, and it says nothing of any element: a name that options use, a name that another file has too.
    Aside,
    /// The same of something to which nothing leads that is judged: what stood there before is forgiven as well where two versions
    /// of git are compared.
    Unreached,
    /// Said, and the verdict stands.
    Warning,
    /// A name that a missing import may declare: nothing by itself, and an error where the other side has that import.
    Unsure,
    /// The whole file is written in another schema language: an error, unless the other side has it in this one, which is
    /// a change.
    Foreign,
}

impl Severity {
    /// How much it matters to the verdict.
    pub const fn reported(self) -> ProblemSeverity {
        match self {
            Severity::Error | Severity::Refused | Severity::Aside | Severity::Unreached | Severity::Foreign => {
                ProblemSeverity::Error
            }
            Severity::Warning | Severity::Unsure => ProblemSeverity::Warning,
        }
    }
}

/// Something is wrong with an input file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// How much it matters.
    pub severity: Severity,
    /// Where; `None` when it concerns no file.
    pub site: Option<Site>,
    /// What is wrong and why, one sentence, no final period.
    pub message: String,
    /// What to do about it; may be empty.
    pub help: String,
}

impl Problem {
    /// An error at a place in a file.
    pub fn error(file: &Arc<str>, span: Span, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::at(Severity::Error, file, span, message, help)
    }

    /// Something that a compiler refuses, and that hides no element.
    pub fn refused(file: &Arc<str>, span: Span, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::at(Severity::Refused, file, span, message, help)
    }

    /// Something that compilers refuse and that says nothing of any element.
    pub fn aside(file: &Arc<str>, span: Span, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::at(Severity::Aside, file, span, message, help)
    }

    /// Something that compilers refuse, to which nothing leads that is judged.
    pub fn unreached(file: &Arc<str>, span: Span, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::at(Severity::Unreached, file, span, message, help)
    }

    /// A name that a missing import may declare.
    pub fn unsure(file: &Arc<str>, span: Span, name: impl fmt::Display) -> Self {
        let message = format!("`{name}` is not known, because the file that declares it may be one that was not found");
        Self::at(
            Severity::Unsure,
            file,
            span,
            message,
            "see the import that leads nowhere in this file or in one that it imports",
        )
    }

    /// The name that a missing import may declare, as [`Problem::unsure`] says it.
    pub fn unsure_name(&self) -> Option<&str> {
        let name = || self.message.strip_prefix('`')?.split_once("` is not known").map(|(name, _)| name);
        if self.severity == Severity::Unsure { name() } else { None }
    }

    /// A file in another schema language.
    pub fn foreign(file: &Arc<str>, span: Span, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::at(Severity::Foreign, file, span, message, help)
    }

    /// A warning at a place in a file.
    pub fn warning(file: &Arc<str>, span: Span, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::at(Severity::Warning, file, span, message, help)
    }

    /// Whether the verdict cannot be established.
    pub fn is_error(&self) -> bool {
        matches!(self.severity, Severity::Error | Severity::Aside)
    }

    /// Whether it is only an error where it did not stand there before.
    pub const fn may_have_been_there(&self) -> bool {
        matches!(self.severity, Severity::Refused | Severity::Aside | Severity::Unreached)
    }

    fn at(
        severity: Severity,
        file: &Arc<str>,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { severity, site: Some(Site { file: file.clone(), span }), message: message.into(), help: help.into() }
    }
}

/// Something the verdict does not cover.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotChecked {
    /// The file concerned.
    pub file: String,
    /// What was not checked.
    pub what: String,
    /// The command or the option that would supply it.
    pub help: String,
}
