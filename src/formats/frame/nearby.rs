//! Where a change concerns nobody but the files that it is made in: found out from these files, and from those that spell a
//! name which others could take from them. No more files are read than those and what they import.

use std::collections::BTreeSet;
use std::sync::Arc;

use memchr::memmem::Finder;
use rustc_hash::FxHashSet;

use super::contents::files;
use super::gather::{Extent, gather};
use super::language::{Concerned, Contents, Language};
use super::search::Search;
use crate::formats::check::CheckOptions;
use crate::formats::outline::Ties;
use crate::snapshot::{Bytes, Snapshot, SnapshotFile};

/// The versions that are compared, with where imports lead.
pub(super) type Versions<'v, 'b, L> = &'v [(&'b Snapshot, <L as Language>::Search<'b>)];

/// Whether it is worth to ask which files a change has to do with.
pub(super) fn is_worth_asking<L: Language>(versions: Versions<'_, '_, L>, options: &CheckOptions) -> bool {
    let [_, (new, _)] = versions else { return false };
    options.is_narrow() && files::<L>(new).count() > options.few
}

/// The files that are not the same on both sides.
pub(super) fn changed<L: Language>(versions: Versions<'_, '_, L>) -> FxHashSet<Arc<str>> {
    let [(old, _), (new, _)] = versions else { return FxHashSet::default() };
    old.differing(new).into_iter().cloned().collect()
}

/// The names by which others may take something else from the files that changed than before; `None` where they may take
/// it by other means.
pub(super) fn concerned<'b, L: Language>(
    versions: Versions<'_, 'b, L>,
    contents: &Contents<'b, L>,
    changed: &FxHashSet<Arc<str>>,
) -> Option<Concerned> {
    let [(old, old_search), (new, new_search)] = versions else { return None };
    if !old.has_roles_of(new) {
        return None;
    }
    let mut concerned = Concerned::default();
    let mut changed: Vec<&Arc<str>> = changed.iter().collect();
    changed.sort_unstable();
    for path in changed {
        let is_judged = old.judges(path) && old_search.judges(path) && new.judges(path) && new_search.judges(path);
        let said = |side: &'b Snapshot| {
            let file = side.get(path)?;
            contents.get((file.id, L::reading(path, &file.bytes)?))
        };
        let of_file = is_judged.then_some(L::stays_inside(&said(old)?.tree, &said(new)?.tree)).flatten()?;
        concerned.declared.extend(of_file.declared);
        concerned.members.extend(of_file.members);
    }
    Some(concerned)
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

impl Concerned {
    /// Whether nobody is.
    pub(super) fn is_empty(&self) -> bool {
        self.declared.is_empty() && self.members.is_empty()
    }

    /// Whether what lies in a file of the library may be concerned: it spells one of the names.
    pub(super) fn is_spelled_in_library(&self, options: &CheckOptions) -> bool {
        let names = self.last_names();
        let words = Words::of(&names);
        options.library.iter().any(|file| words.is_one_in(&file.bytes))
    }

    /// Whether a file of those that could take something from what changed spells one of the names, or is not read.
    pub(super) fn is_spelled_in<'b>(&self, files: impl Iterator<Item = &'b SnapshotFile>) -> bool {
        let names = self.last_names();
        let words = Words::of(&names);
        let texts: Vec<&Bytes> = files.map(|file| &file.bytes).collect();
        Bytes::map(&texts, &|text| words.is_one_in(text)).into_iter().any(|found| found.unwrap_or(true))
    }

    /// The last part of each name.
    fn last_names(&self) -> BTreeSet<String> {
        let last = |name: &'_ String| name.rsplit('.').next().unwrap_or_default().to_owned();
        self.declared.iter().chain(&self.members).map(last).collect()
    }

    /// Whether a file declares something that is called as something new is, or may be, or that has the members of which
    /// some are others now.
    pub(super) fn may_be_met_in(&self, ties: &Ties) -> bool {
        let names = |full: &String| ties.names.iter().any(|name| meets(full, name.trim_start_matches('.')));
        let packages = |full: &String| ties.packages.iter().any(|package| is_beside(full, package));
        self.declared.iter().any(packages) || self.declared.iter().chain(&self.members).any(names)
    }
}

/// Words that texts are searched for.
enum Words<'w> {
    /// Each by itself: nothing is faster than to look for a few bytes.
    Few(Vec<Finder<'w>>),
    /// Each word of a text is looked up among them.
    Many(FxHashSet<&'w [u8]>),
}

impl<'w> Words<'w> {
    fn of(words: &'w BTreeSet<String>) -> Self {
        const FEW: usize = 8;
        match words.len() {
            ..=FEW => Words::Few(words.iter().map(|word| Finder::new(word.as_bytes())).collect()),
            _ => Words::Many(words.iter().map(String::as_bytes).collect()),
        }
    }

    /// Whether a text has one of them, and not only as a part of another.
    fn is_one_in(&self, text: &[u8]) -> bool {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        match self {
            Words::Few(finders) => {
                let joins = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(is_part);
                let stands =
                    |word: &Finder<'_>, at: usize| !joins(at.checked_sub(1)) && !joins(Some(at + word.needle().len()));
                finders.iter().any(|word| word.find_iter(text).any(|at| stands(word, at)))
            }
            Words::Many(words) => text.split(|byte| !is_part(byte)).any(|word| words.contains(word)),
        }
    }
}

/// Whether what is declared in a package may be called as something is, or hold it.
fn is_beside(full: &str, package: &str) -> bool {
    package.is_empty() || is_within(full, package) || is_within(package, full)
}

/// Whether two full names are one, or the one lies inside of the other.
fn meets(full: &str, name: &str) -> bool {
    is_within(full, name) || is_within(name, full)
}

fn is_within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_no_part_of_another() {
        let few = BTreeSet::from(["Order".to_owned()]);
        let many = (0..20).map(|at| format!("Other{at}")).chain(few.clone()).collect();
        for words in [&few, &many] {
            let words = Words::of(words);
            let has = |text: &str| words.is_one_in(text.as_bytes());
            assert!(has("Order") && has("a.Order b") && has("xOrder Order;") && has(".Order."));
            assert!(!has("Orders") && !has("PreOrder") && !has("_Order") && !has("Order2") && !has(""));
        }
    }

    #[test]
    fn names_meet_where_one_lies_inside_of_the_other() {
        assert!(is_beside("a.b.M", "a.b") && is_beside("a.b.M", "a.b.M.c") && is_beside("M", ""));
        assert!(!is_beside("a.b.M", "a.bc") && !is_beside("a.b.M", "a.b.N"));
        assert!(meets("a.M", "a.M") && meets("a.M", "a.M.N") && meets("a.M.N", "a.M") && !meets("a.M", "a.MN"));
    }
}
