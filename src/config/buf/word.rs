//! A word of `buf.yaml` with its place, what there is to say about it, and the versions of the form.

use serde_saphyr::Spanned;

use crate::config::place::Text;
use crate::failure::Failure;

/// The version of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// `v1beta1`
    V1Beta1,
    /// `v1`
    V1,
    /// `v2`
    V2,
}

impl Version {
    /// Every version.
    pub const ALL: [Version; 3] = [Version::V1Beta1, Version::V1, Version::V2];

    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Version::V1Beta1 => "v1beta1",
            Version::V1 => "v1",
            Version::V2 => "v2",
        }
    }
}

/// A word of the file and its place, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub text: String,
    /// Its line.
    pub line: usize,
    /// Its column.
    pub column: usize,
}

/// Something to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Where.
    pub word: Word,
    /// What, no final period.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// The start of the file.
pub(super) static START: Word = Word { text: String::new(), line: 1, column: 1 };

impl Word {
    pub(super) fn of(spanned: &Spanned<String>) -> Word {
        Word { text: spanned.value.clone(), ..Word::at(spanned) }
    }

    pub(super) fn at<T>(spanned: &Spanned<T>) -> Word {
        let place = spanned.referenced;
        let number = |number: u64| usize::try_from(number).unwrap_or(1).max(1);
        Word { text: String::new(), line: number(place.line()), column: number(place.column()) }
    }

    pub(super) fn error(&self, text: &Text<'_>, message: &str, help: &str) -> Failure {
        text.error_at(self.line, self.column, self.text.chars().count().max(1), message, help)
    }
}
