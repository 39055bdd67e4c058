//! Where a change concerns nobody but the files that it is made in: found out from these files alone, so that no other file
//! is read than those that they import.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::contents::files;
use super::gather::{Extent, gather};
use super::language::{Contents, Language};
use super::search::Search;
use crate::formats::check::CheckOptions;
use crate::snapshot::Snapshot;

/// The paths of the files that a comparison has to look at, where the change stays inside of these; `None` where others
/// have to be asked.
pub(super) fn nearby<'b, L: Language>(
    versions: &[(&'b Snapshot, L::Search<'b>)],
    contents: &Contents<'b, L>,
    options: &'b CheckOptions,
) -> Option<FxHashSet<Arc<str>>> {
    let [(old, old_search), (new, new_search)] = versions else { return None };
    if !options.is_narrow() || files::<L>(new).count() <= options.few || !old.has_roles_of(new) {
        return None;
    }
    let changed = old.differing(new);
    for path in &changed {
        let is_judged = old.judges(path) && old_search.judges(path) && new.judges(path) && new_search.judges(path);
        let said = |side: &'b Snapshot| {
            let file = side.get(path)?;
            contents.get((file.id, L::reading(path, &file.bytes)?))
        };
        if !is_judged || !L::stays_inside(&said(old)?.tree, &said(new)?.tree) {
            return None;
        }
    }
    let changed = changed.into_iter().cloned().collect();
    let mut near = FxHashSet::default();
    for (snapshot, search) in versions {
        let gathered = gather(snapshot, search, contents, options, (Extent::Imported, Some(&changed)));
        if gathered.inputs.iter().any(|input| input.is_broken()) {
            return None;
        }
        near.extend(gathered.inputs.iter().map(|input| input.path.clone()));
    }
    Some(near)
}
