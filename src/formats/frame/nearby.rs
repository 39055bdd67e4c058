//! Some files with what they import, and no others.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::contents::files;
use super::gather::{Extent, gather};
use super::language::{Contents, Language};
use crate::formats::check::CheckOptions;
use crate::snapshot::Snapshot;

/// The versions that are compared, with where imports lead.
pub(super) type Versions<'v, 'b, L> = &'v [(&'b Snapshot, <L as Language>::Search<'b>)];

/// Whether it is worth to ask which files a change has to do with.
pub(super) fn is_worth_asking<L: Language>(versions: Versions<'_, '_, L>, options: &CheckOptions) -> bool {
    let [_, (new, _)] = versions else { return false };
    options.is_narrow() && files::<L>(new).nth(options.few).is_some()
}

/// The files that do not say the same on both sides.
pub(super) fn changed<L: Language>(versions: Versions<'_, '_, L>, alike: &FxHashSet<Arc<str>>) -> FxHashSet<Arc<str>> {
    let [(old, _), (new, _)] = versions else { return FxHashSet::default() };
    old.differing(new).into_iter().filter(|path| !alike.contains(*path)).cloned().collect()
}

/// Files with everything that they import; `None` where a text of these cannot be understood in whole.
pub(super) fn with_imports<'b, L: Language>(
    versions: Versions<'_, 'b, L>,
    contents: &Contents<'b, L>,
    options: &'b CheckOptions,
    paths: &FxHashSet<Arc<str>>,
) -> Option<FxHashSet<Arc<str>>> {
    let mut near = FxHashSet::default();
    for (snapshot, search) in versions {
        let gathered = gather(snapshot, search, contents, options, (Extent::Imported, Some(paths)));
        if gathered.inputs.iter().any(|input| input.is_broken()) {
            return None;
        }
        near.extend(gathered.inputs.iter().map(|input| input.path.clone()));
    }
    Some(near)
}
