//! Ways round a break: what to add beside the old, what to keep as it was, and what to take away at the end, as edits of the
//! files as they are wanted.
//!
//! A way is a proposal and claims nothing. Whether its steps break anybody is found out by checking each of them, as any other
//! change is checked. So what is here may be simple, and nothing here has to know what a reader experiences.

pub(super) mod braces;
pub(super) mod json;
pub(super) mod outline;

use std::sync::Arc;

use crate::change::{Change, Edit, Pair, Suggestion};
use crate::ordered::OrderedMap;
use crate::snapshot::Snapshot;

/// A break, and what is known where a way round it is looked for.
#[derive(Debug, Clone, Copy)]
pub struct Broken<'a> {
    /// What differs.
    pub change: &'a Change,
    /// The old files and the wanted ones.
    pub sides: Pair<&'a Snapshot>,
    /// How many numbers ways round other breaks have taken, by whose they are.
    pub taken: &'a OrderedMap<String, usize>,
}

/// An edit of a file as it is wanted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileEdit {
    /// The file.
    pub file: Arc<str>,
    /// The edit.
    pub edit: Edit,
}

/// What a step does to the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// The new comes beside the old.
    Expand,
    /// The old goes.
    Contract,
}

/// The schema after a step.
#[derive(Debug, Clone)]
pub struct Stage {
    /// What the step does.
    pub does: Does,
    /// That, as a sentence without its period.
    pub says: String,
    /// How the files differ from what is wanted; nothing where they are that.
    pub edits: Vec<FileEdit>,
}

/// A way round a break.
#[derive(Debug, Clone, Default)]
pub struct Way {
    /// The schemas on the way, the last of which is the end of it.
    pub stages: Vec<Stage>,
    /// What has to happen between two of them, as a sentence without its period.
    pub migrate: String,
    /// In what the end differs from what is wanted.
    pub differs: Option<String>,
    /// Whose numbers, and which names, it takes, each once.
    pub takes: Vec<String>,
    /// What it is about; ways of several breaks that are about the same do it once.
    pub about: String,
    /// Whether an order of upgrades is better than this.
    pub is_last_resort: bool,
}

impl Way {
    /// One step, after which the schema differs from what is wanted.
    pub(crate) fn one_step(says: String, edits: Vec<FileEdit>, differs: String) -> Way {
        let stages = vec![Stage { does: Does::Expand, says, edits }];
        Way { stages, differs: Some(differs), ..Way::default() }
    }
}

impl Stage {
    /// A step that adds something.
    pub(crate) fn expand(says: String, edits: Vec<FileEdit>) -> Stage {
        Stage { does: Does::Expand, says, edits }
    }

    /// A step that takes something away.
    pub(crate) fn contract(says: String, edits: Vec<FileEdit>) -> Stage {
        Stage { does: Does::Contract, says, edits }
    }
}

/// The edits that a change suggests by itself, as a way: made at first, and left out at the end where that breaks nobody.
pub(crate) fn suggested(suggestion: &Suggestion, path: &str) -> [Way; 2] {
    let edit = |edit: &Edit| FileEdit { file: suggestion.file.clone(), edit: edit.clone() };
    let edits: Vec<FileEdit> = suggestion.edits.iter().map(edit).collect();
    let what = match suggestion.edits.as_slice() {
        [one] => format!("`{}`", one.insert.trim().trim_start_matches(',').trim()),
        _ => "the edits that its finding suggests".to_owned(),
    };
    let says = format!("change `{path}` as wanted, with {what} in addition");
    let kept = Way::one_step(says.clone(), edits.clone(), format!("`{path}` has {what} in addition"));
    let migrate =
        format!("all writers and readers take the schema with {what}; wait until no data is left from before it");
    let stages =
        vec![Stage::expand(says, edits), Stage::contract(format!("take {what} away from `{path}` again"), Vec::new())];
    [Way { stages, migrate, ..Way::default() }, kept]
}
