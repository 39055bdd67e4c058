//! Where a change concerns nobody but the files that it is made in: found out from these files, and from those that spell a
//! name which others could take from them. No more files are read than those and what they import.

use std::collections::BTreeSet;
use std::sync::Arc;

use memchr::memmem::Finder;
use rustc_hash::FxHashSet;

use super::contents::files;
use super::gather::{Extent, gather};
use super::language::{Concerned, Contents, Language, Ties};
use super::search::Search;
use crate::formats::check::CheckOptions;
use crate::snapshot::{Bytes, Snapshot, SnapshotFile};

/// Where more files than this spell a name, all are read.
const MOST_ASKED: usize = 300;

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
    let mut concerned = Concerned::default();
    for path in &changed {
        let is_judged = old.judges(path) && old_search.judges(path) && new.judges(path) && new_search.judges(path);
        let said = |side: &'b Snapshot| {
            let file = side.get(path)?;
            contents.get((file.id, L::reading(path, &file.bytes)?))
        };
        let of_file = is_judged.then_some(L::stays_inside(&said(old)?.tree, &said(new)?.tree)).flatten()?;
        concerned.declared.extend(of_file.declared);
        concerned.members.extend(of_file.members);
    }
    let changed = changed.into_iter().cloned().collect();
    if concerns_others(versions, contents, options, (&changed, &concerned)) {
        return None;
    }
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

/// Whether a file that did not change may take something from those that did, by one of the names that are not what they
/// were: it spells the name, and it leads to one of these files or declares something where the name is declared.
fn concerns_others<'b, L: Language>(
    versions: &[(&'b Snapshot, L::Search<'b>)],
    contents: &Contents<'b, L>,
    options: &'b CheckOptions,
    (changed, concerned): (&FxHashSet<Arc<str>>, &Concerned),
) -> bool {
    let last = |name: &'_ String| name.rsplit('.').next().unwrap_or_default().to_owned();
    let names: BTreeSet<String> = concerned.declared.iter().chain(&concerned.members).map(last).collect();
    let Some((new, _)) = versions.last().filter(|_| !names.is_empty()) else { return false };
    let words = Words::of(&names);
    let spells = |text: &[u8]| words.is_one_in(text);
    if options.library.iter().any(|file| spells(&file.bytes)) {
        return true;
    }
    // What did not change is the same on both sides.
    let others: Vec<_> = files::<L>(new).filter(|(path, ..)| !changed.contains(*path)).collect();
    let texts: Vec<&Bytes> = others.iter().map(|(_, file, _)| &file.bytes).collect();
    let found = Bytes::search(&texts, &spells);
    let spelling: Vec<_> =
        others.into_iter().zip(found).filter(|(_, is_found)| *is_found).map(|(one, _)| one).collect();
    if spelling.len() > MOST_ASKED {
        return true;
    }
    let is_met = |(path, file, reading): &(&Arc<str>, &SnapshotFile, L::Reading)| {
        let content = contents.get((file.id, *reading));
        content.is_none_or(|content| declares_beside(&L::ties(path, &content.tree), concerned))
    };
    // What only supplies types is not followed from here.
    let is_judged = |path: &str| versions.iter().all(|(side, search)| side.judges(path) && search.judges(path));
    if spelling.iter().any(|one| !is_judged(one.0) || is_met(one)) {
        return true;
    }
    let spelling: FxHashSet<Arc<str>> = spelling.into_iter().map(|(path, ..)| path.clone()).collect();
    versions.iter().any(|(snapshot, search)| {
        let gathered = gather(snapshot, search, contents, options, (Extent::Imported, Some(&spelling)));
        gathered.inputs.iter().any(|input| input.is_broken() || changed.contains(&input.path))
    })
}

/// Whether a file declares something that is called as something new is, or may be, or that has the members of which some
/// are others now.
fn declares_beside(ties: &Ties, concerned: &Concerned) -> bool {
    let names = |full: &String| ties.names.iter().any(|name| meets(full, name.trim_start_matches('.')));
    let packages = |full: &String| ties.packages.iter().any(|package| is_beside(full, package));
    concerned.declared.iter().any(packages) || concerned.declared.iter().chain(&concerned.members).any(names)
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
