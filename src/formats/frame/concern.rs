//! Whom a change concerns beside the files that it is made in: those that spell a name which others could take from them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use memchr::memmem::Finder;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Graph, Node};
use super::language::{Concerned, Contents, Language};
use super::narrow::Concerns;
use super::nearby::Versions;
use super::search::Search;
use crate::change::Pair;
use crate::formats::check::CheckOptions;
use crate::formats::outline::Ties;
use crate::snapshot::{Bytes, Snapshot, SnapshotFile};

/// So many files are looked into sooner than they are handed to other threads.
const FEW: usize = 16;

/// What changed.
#[derive(Debug, Default)]
pub(super) struct Changed {
    /// The files from which others may take something else than before by some names alone, or those alone that lead to them, in
    /// the order of their paths.
    pub inside: Vec<(Arc<str>, Concerned)>,
    /// The other files: others may take something from them by other means.
    pub others: FxHashSet<Arc<str>>,
}

impl Changed {
    /// Looks into the files that changed, on both sides.
    pub(super) fn of<'b, L: Language>(
        versions: Versions<'_, 'b, L>,
        contents: &Contents<'b, L>,
        paths: &FxHashSet<Arc<str>>,
    ) -> Self {
        let [(old, old_search), (new, new_search)] = versions else {
            return Changed { others: paths.clone(), ..Changed::default() };
        };
        if !old.has_roles_of(new) {
            return Changed { others: paths.clone(), ..Changed::default() };
        }
        let mut paths: Vec<&Arc<str>> = paths.iter().collect();
        paths.sort_unstable();
        let texts = paths.iter().filter_map(|path| Some([&old.get(path)?.bytes, &new.get(path)?.bytes]));
        Bytes::read_all(texts.flatten());
        let stays_inside = |path: &&Arc<str>| {
            let is_judged = old.judges(path) && old_search.judges(path) && new.judges(path) && new_search.judges(path);
            let said = |side: &'b Snapshot| {
                let file = side.get(path)?;
                contents.get((file.id, L::reading(path, &file.bytes)?))
            };
            is_judged.then_some(L::stays_inside(&said(old)?.tree, &said(new)?.tree)).flatten()
        };
        let found: Vec<Option<Concerned>> = match paths.len() {
            ..=FEW => paths.iter().map(stays_inside).collect(),
            _ => paths.par_iter().map(stays_inside).collect(),
        };
        let mut changed = Changed::default();
        for (path, concerned) in paths.into_iter().zip(found) {
            match concerned {
                Some(concerned) => changed.inside.push((path.clone(), concerned)),
                None => drop(changed.others.insert(path.clone())),
            }
        }
        changed
    }

    /// Whether nobody is concerned but by names.
    pub(super) fn stays_inside(&self) -> bool {
        self.others.is_empty() && !self.inside.iter().any(|(_, concerned)| concerned.is_felt)
    }

    /// Whom it concerns that a file changed, by its path.
    pub(super) fn concerns(&self) -> impl Fn(&str) -> Concerns {
        let of = |(path, concerned): &(Arc<str>, Concerned)| {
            let whom = if concerned.is_felt { Concerns::WhateverLeadsToIt } else { Concerns::Nobody };
            (path.clone(), whom)
        };
        let inside: FxHashMap<Arc<str>, Concerns> = self.inside.iter().map(of).collect();
        move |path| inside.get(path).copied().unwrap_or(Concerns::ItsPackage)
    }

    /// The names of all files by which others may take something else, where there is no other means; `None` where there is.
    pub(super) fn names(&self) -> Option<Concerned> {
        if !self.stays_inside() {
            return None;
        }
        let mut names = Concerned::default();
        for (_, of_file) in &self.inside {
            names.declared.extend(of_file.declared.iter().cloned());
            names.members.extend(of_file.members.iter().cloned());
        }
        Some(names)
    }

    /// Takes for such from which others may take something by other means those files from which a file that did not change
    /// may do so by one of their names: it spells the name, and it leads to the file or declares something where the name is
    /// declared.
    pub(super) fn meet<'b, L: Language>(
        &mut self,
        graphs: Pair<&Graph>,
        versions: Versions<'_, 'b, L>,
        options: &'b CheckOptions,
    ) {
        let met = self.met::<L>(graphs, versions, options);
        for ((path, concerned), is_met) in std::mem::take(&mut self.inside).into_iter().zip(met) {
            match is_met {
                true => drop(self.others.insert(path)),
                false => self.inside.push((path, concerned)),
            }
        }
    }

    /// Which of the files inside of which a change stays are met.
    fn met<'b, L: Language>(
        &self,
        graphs: Pair<&Graph>,
        versions: Versions<'_, 'b, L>,
        options: &'b CheckOptions,
    ) -> Vec<bool> {
        let paths = self.others.iter().chain(self.inside.iter().map(|(path, _)| path));
        let is_changed: FxHashSet<usize> =
            paths.flat_map(|path| [graphs.old, graphs.new].map(|graph| graph.find(path))).flatten().collect();
        let naming: Vec<usize> = (0..self.inside.len()).filter(|at| !self.inside[*at].1.is_empty()).collect();
        let mut met = vec![false; self.inside.len()];
        for at in &naming {
            met[*at] = self.inside[*at].1.is_spelled_in_library(options);
        }
        let mut scopes = Scopes::of(naming.iter().map(|at| (*at, &self.inside[*at].1)));
        // What may take something from which file, by its number.
        let mut asked: BTreeMap<usize, FxHashSet<usize>> = BTreeMap::new();
        for graph in [graphs.old, graphs.new] {
            for at in &naming {
                let leading = graph.leading_to(graph.find(&self.inside[*at].0).into_iter());
                for file in (0..leading.len()).filter(|file| leading[*file]) {
                    asked.entry(file).or_default().insert(*at);
                }
            }
        }
        let is_shared =
            |file: &usize, node: &Arc<Node>| graphs.old.get(*file).is_some_and(|old| Arc::ptr_eq(old, node));
        let of_new_alone = graphs.new.files().filter(|(file, node)| !is_shared(file, node));
        for (file, node) in graphs.old.files().chain(of_new_alone) {
            let found = scopes.met_by(&node.outline.ties);
            if !found.is_empty() {
                asked.entry(file).or_default().extend(found);
            }
        }
        // What did not change is the same on both sides.
        let texts = asked.iter().filter(|(file, _)| !is_changed.contains(file)).filter_map(|(file, files)| {
            let node = graphs.new.get(*file).or_else(|| graphs.old.get(*file))?;
            let file = versions.iter().find_map(|(side, _)| side.get(&node.path))?;
            Some((&file.bytes, files))
        });
        let (texts, files): (Vec<&Bytes>, Vec<&FxHashSet<usize>>) = texts.unzip();
        let words = Spelled::of(naming.iter().map(|at| (*at, &self.inside[*at].1)));
        let found = Bytes::map(&texts, &|text| words.found_in(text));
        for (files, found) in files.into_iter().zip(found) {
            match found {
                Some(found) => found.into_iter().filter(|at| files.contains(at)).for_each(|at| met[at] = true),
                // It cannot be read.
                None => files.iter().for_each(|at| met[*at] = true),
            }
        }
        met
    }
}

impl Concerned {
    /// Whether nobody is by a name.
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
        self.declared.iter().chain(&self.members).map(|name| last(name).to_owned()).collect()
    }
}

/// The last part of a full name.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or_default()
}

/// What lies around or inside of the names by which others may take something from some files.
#[derive(Default)]
struct Scopes<'c> {
    /// The files by their names.
    names: FxHashMap<&'c str, Vec<usize>>,
    /// The files by what their names lie in, and by the names.
    around: FxHashMap<&'c str, Vec<usize>>,
    /// The files that declare a name.
    declaring: FxHashSet<usize>,
    /// Whether names lie near a package, of those that were asked for.
    are_near: FxHashMap<String, bool>,
}

impl<'c> Scopes<'c> {
    fn of(files: impl Iterator<Item = (usize, &'c Concerned)>) -> Self {
        let mut scopes = Scopes::default();
        for (file, concerned) in files {
            if !concerned.declared.is_empty() {
                scopes.declaring.insert(file);
            }
            for name in concerned.declared.iter().chain(&concerned.members) {
                scopes.names.entry(name).or_default().push(file);
                outer(name).for_each(|around| scopes.around.entry(around).or_default().push(file));
            }
        }
        scopes
    }

    /// The files that declare something new which is called as something that a file declares, or may be, or of which
    /// members are others now that lie in what it declares. More files may be told.
    fn met_by(&mut self, ties: &Ties) -> FxHashSet<usize> {
        let mut found = FxHashSet::default();
        // Names lie in packages, so that mostly one question answers for all names of a file, and of many files.
        if !ties.packages.is_empty() && !ties.packages.iter().any(|package| self.is_near(package)) {
            return found;
        }
        for name in &ties.names {
            self.add(name.trim_start_matches('.'), |_| true, &mut found);
        }
        for package in &ties.packages {
            match package.is_empty() {
                true => found.extend(&self.declaring),
                false => self.add(package, |file| self.declaring.contains(file), &mut found),
            }
        }
        found
    }

    fn is_near(&mut self, package: &str) -> bool {
        if let Some(known) = self.are_near.get(package) {
            return *known;
        }
        let is_near = package.is_empty()
            || self.around.contains_key(package)
            || outer(package).any(|outer| self.names.contains_key(outer));
        self.are_near.insert(package.to_owned(), is_near);
        is_near
    }

    fn add(&self, name: &str, counts: impl Fn(&usize) -> bool, found: &mut FxHashSet<usize>) {
        let inside = self.around.get(name).into_iter().flatten();
        let around = outer(name).filter_map(|outer| self.names.get(outer)).flatten();
        found.extend(inside.chain(around).filter(|file| counts(file)));
    }
}

/// A full name, and what it lies in, from the inside out.
fn outer(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| name.rsplit_once('.').map(|(outer, _)| outer))
}

/// The words that texts are searched for, and from which files somebody may take something by each.
struct Spelled<'c>(FxHashMap<&'c [u8], Vec<usize>>);

impl<'c> Spelled<'c> {
    fn of(files: impl Iterator<Item = (usize, &'c Concerned)>) -> Self {
        let mut words: FxHashMap<&'c [u8], Vec<usize>> = FxHashMap::default();
        for (file, concerned) in files {
            for name in concerned.declared.iter().chain(&concerned.members) {
                words.entry(last(name).as_bytes()).or_default().push(file);
            }
        }
        Spelled(words)
    }

    fn found_in(&self, text: &[u8]) -> Vec<usize> {
        let words = text.split(|byte| !is_of_word(byte)).filter(|word| !word.is_empty());
        let mut found: Vec<usize> = words.filter_map(|word| self.0.get(word)).flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn is_of_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
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
        match self {
            Words::Few(finders) => {
                let joins = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(is_of_word);
                let stands =
                    |word: &Finder<'_>, at: usize| !joins(at.checked_sub(1)) && !joins(Some(at + word.needle().len()));
                finders.iter().any(|word| word.find_iter(text).any(|at| stands(word, at)))
            }
            Words::Many(words) => text.split(|byte| !is_of_word(byte)).any(|word| words.contains(word)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_no_part_of_another() {
        let few = BTreeSet::from(["Order".to_owned()]);
        let many = (0..20).map(|at| format!("Other{at}")).chain(few.clone()).collect();
        let concerned = Concerned { declared: vec!["a.Order".to_owned()], ..Concerned::default() };
        let spelled = Spelled::of([(7, &concerned)].into_iter());
        for words in [&few, &many] {
            let words = Words::of(words);
            let has = |text: &str| {
                let is_found = words.is_one_in(text.as_bytes());
                assert_eq!(spelled.found_in(text.as_bytes()), if is_found { vec![7] } else { Vec::new() }, "{text}");
                is_found
            };
            assert!(has("Order") && has("a.Order b") && has("xOrder Order;") && has(".Order."));
            assert!(!has("Orders") && !has("PreOrder") && !has("_Order") && !has("Order2") && !has(""));
        }
    }

    #[test]
    fn names_meet_where_one_lies_inside_of_the_other() {
        let new = Concerned { declared: vec!["a.b.M".to_owned()], ..Concerned::default() };
        let other = Concerned { members: vec!["c.N.f".to_owned()], ..Concerned::default() };
        let mut scopes = Scopes::of([(1, &new), (2, &other)].into_iter());
        let mut met = |package: &str, name: &str| {
            let strings = |text: &str| if text == "-" { Vec::new() } else { vec![text.to_owned()] };
            let ties = Ties { packages: strings(package), names: strings(name), ..Ties::default() };
            let mut met: Vec<usize> = scopes.met_by(&ties).into_iter().collect();
            met.sort_unstable();
            met
        };
        // What is declared in a package may be called as something new is, or hold it.
        assert_eq!([met("a.b", "-"), met("a.b.M.c", "-"), met("", "-"), met("a", "-")], [[1], [1], [1], [1]]);
        assert_eq!([met("a.bc", "-"), met("a.b.N", "-"), met("c", "-")], [[0; 0]; 3]);
        assert_eq!([met("-", "a.b.M"), met("-", ".a.b.M.K"), met("-", "a.b")], [[1], [1], [1]]);
        assert_eq!([met("-", "c.N"), met("-", "c.N.f"), met("-", "c")], [[2], [2], [2]]);
        assert_eq!([met("-", "a.b.MN"), met("-", "c.N.g"), met("-", "d")], [[0; 0]; 3]);
    }
}
