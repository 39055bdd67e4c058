//! Files that one side could not read, or could not find.
//!
//! An element that seems to be gone may stand in the part that was not understood. So what was found in such files is
//! neither judged nor written by itself; the problems of these files say that the verdict does not cover them. Nor is it
//! said of a type that nothing needs it where the file that had it is imported still and was not found, or where it may
//! stand behind another import that was not.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::declared::Declared;
use crate::change::{Change, ChangeKind, FactKey};
use crate::evidence::Outcome;
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
    /// What the new side declares in them.
    names: FxHashSet<&'p str>,
    /// The files that the old side has, and that the new one imports and did not find.
    lost: &'p FxHashSet<Arc<str>>,
    /// The types that a side may have behind an import that it did not find.
    hidden: &'p FxHashSet<String>,
}

impl<'p> Doubtful<'p> {
    /// The files in which the sides have errors, and those that one did not find; `None` where there are none. What the new
    /// side declares is listed only if there are some.
    pub(super) fn of(
        files: &'p FxHashSet<Arc<str>>,
        (lost, hidden): (&'p FxHashSet<Arc<str>>, &'p FxHashSet<String>),
        declared: impl FnOnce() -> Vec<Declared<'p>>,
    ) -> Option<Self> {
        if files.is_empty() && lost.is_empty() && hidden.is_empty() {
            return None;
        }
        let names = declared().into_iter().filter(|one| files.contains(one.file)).map(|one| one.name).collect();
        Some(Doubtful { files, names, lost, hidden })
    }

    /// Whether a change touches none of them, and no type in one of them, and says nothing that nobody knows of a file that
    /// was not found.
    pub(super) fn is_sound(&self, change: &Change) -> bool {
        let mut sites = [&change.at.old, &change.at.new].into_iter().flatten();
        let is_inside = change.facts.get(FactKey::Container).is_some_and(|name| self.names.contains(name));
        !is_inside
            && !self.is_unneeded_by_guess(change)
            && !sites.any(|site| self.files.contains(&*site.file))
            && change.members.iter().all(|member| self.is_sound(member))
    }

    /// Whether a type went with a file that is imported still, or may be behind another import, and that nothing needs it is
    /// all there is to say: it may be needed, and lie elsewhere.
    fn is_unneeded_by_guess(&self, change: &Change) -> bool {
        let felt = [FactKey::ReadsOld, FactKey::ReadsNew, FactKey::JsonReadsOld, FactKey::JsonReadsNew];
        let is_safe = |key: &FactKey| change.facts.get(*key).is_none_or(|outcome| outcome == Outcome::Safe.name());
        let is_lost = change.at.old.as_ref().is_some_and(|site| self.lost.contains(&*site.file))
            || self.hidden.contains(&change.path);
        let is_type = matches!(change.kind, ChangeKind::MessageRemoved | ChangeKind::EnumRemoved);
        is_lost && is_type && change.facts.get(FactKey::Needed) == Some("no") && felt.iter().all(is_safe)
    }
}
