//! One step of setting up: a file, and what is done with it.

use std::fs;
use std::path::Path;

use crate::failure::Failure;

/// What happens to one file.
pub(super) struct Step {
    /// Its path from the top.
    pub path: String,
    /// What is done there.
    pub action: Action,
}

/// What is done, or why nothing is.
pub(super) enum Action {
    /// It is not there.
    Create(String),
    /// It is there, and lines are added.
    Insert { old: String, new: String },
    /// What it would say is said already; where.
    Present(String),
    /// It is there and says something else.
    Differs { old: String, new: String },
    /// It is there, and its structure is not understood: what to add by hand.
    ByHand { why: &'static str, snippet: String },
}

/// The text of a file; `None` where there is none.
pub(super) fn read(top: &Path, path: &str) -> Result<Option<String>, Failure> {
    match fs::read(top.join(path)) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| {
            Failure::usage(format!("`{path}` is not UTF-8 text"), "save it as UTF-8, or write the entry by hand")
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::usage(format!("cannot read `{path}`: {error}"), "check who may read it")),
    }
}

/// A file that should have this text.
pub(super) fn wanted(top: &Path, path: &str, text: String) -> Result<Step, Failure> {
    let action = match read(top, path)? {
        None => Action::Create(text),
        Some(old) if old.replace("\r\n", "\n") == text => Action::Present(path.to_owned()),
        Some(old) => Action::Differs { old, new: text },
    };
    Ok(Step { path: path.to_owned(), action })
}
