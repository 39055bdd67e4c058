//! Files that one side could not read, or could not find.
//!
//! An element that seems to be gone may stand in the part that was not understood, or in a file that is imported and lies
//! elsewhere. So what was found in such files is neither judged nor written by itself; the problems of these files, and of
//! those that import them, say that the verdict does not cover them.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::declared::Declared;
use crate::change::{Change, FactKey};
use crate::syntax::problem::{Problem, Severity};

/// The files in which a side has errors that may hide elements.
pub(super) fn unread(old: &[Problem], new: &[Problem]) -> FxHashSet<Arc<str>> {
    let errors = old.iter().chain(new).filter(|problem| problem.severity == Severity::Error);
    errors.filter_map(|problem| problem.site.as_ref().map(|site| site.file.clone())).collect()
}

/// What a side could not read, or could not find.
pub(super) struct Doubtful<'p> {
    /// The files in which a side has errors.
    files: &'p FxHashSet<Arc<str>>,
    /// The files that one side imports and did not find.
    lost: &'p FxHashSet<Arc<str>>,
    /// What the new side declares in them.
    names: FxHashSet<&'p str>,
}

impl<'p> Doubtful<'p> {
    /// The files in which the sides have errors, and those that one did not find; `None` where there are none. What the new
    /// side declares is listed only if there are some.
    pub(super) fn of(
        files: &'p FxHashSet<Arc<str>>,
        lost: &'p FxHashSet<Arc<str>>,
        declared: impl FnOnce() -> Vec<Declared<'p>>,
    ) -> Option<Self> {
        if files.is_empty() && lost.is_empty() {
            return None;
        }
        let names = declared().into_iter().filter(|one| files.contains(one.file)).map(|one| one.name).collect();
        Some(Doubtful { files, lost, names })
    }

    /// Whether a change touches none of them, and no type in one of them, and comes from no file that was not found.
    pub(super) fn is_sound(&self, change: &Change) -> bool {
        let mut sites = [&change.at.old, &change.at.new].into_iter().flatten();
        let is_inside = change.facts.get(FactKey::Container).is_some_and(|name| self.names.contains(name));
        let is_of_lost = match (&change.at.old, &change.at.new) {
            (Some(site), None) | (None, Some(site)) => self.lost.contains(&*site.file),
            _ => false,
        };
        !is_inside
            && !is_of_lost
            && !sites.any(|site| self.files.contains(&*site.file))
            && change.members.iter().all(|member| self.is_sound(member))
    }
}
