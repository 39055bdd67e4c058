//! Whom a change concerns beside the files that it is made in: those that spell a name which others could take from them.

use std::sync::Arc;

use memchr::memmem::Finder;
use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::Graph;
use super::language::{Concerned, Contents, Language, reading_in};
use super::narrow::Concerns;
use super::nearby::Versions;
use super::search::Search;
use crate::change::Pair;
use crate::formats::check::CheckOptions;
use crate::formats::outline::Ties;
use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::parallel;
use crate::snapshot::{Bytes, ContentId, Snapshot, SnapshotFile};

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
    /// The numbers of the files that did not change and feel it: they lead to one that did, and use what is felt by whoever does.
    pub users: FxHashSet<usize>,
    /// Whether a file is new, so that imports may lead to it that led elsewhere or nowhere.
    has_new_files: bool,
}

impl Changed {
    /// Looks into the files that changed, on both sides.
    pub(super) fn of<'b, L: Language>(
        versions: Versions<'_, 'b, L>,
        contents: &Contents<'b, L>,
        paths: &FxHashSet<Arc<str>>,
        options: &CheckOptions,
    ) -> Self {
        let [(old, old_search), (new, new_search)] = versions else {
            return Changed { others: paths.clone(), ..Changed::default() };
        };
        if !old.has_roles_of(new) {
            return Changed { others: paths.clone(), ..Changed::default() };
        }
        let mut paths: Vec<&Arc<str>> = paths.iter().collect();
        paths.sort_in_order();
        let there = paths.iter().filter(|path| new.get(path).is_some());
        let sides = there.flat_map(|path| [old, new].map(|side| side.get(path)));
        Bytes::read_all(sides.flatten().map(|file| &file.bytes));
        let is_new = |path: &Arc<str>| old.get(path).is_none();
        let stays_inside = |path: &&Arc<str>| {
            let is_judged = old.judges(path) && old_search.judges(path) && new.judges(path) && new_search.judges(path);
            let said = |side: &'b Snapshot| {
                let file = side.get(path)?;
                contents.get((file.id, reading_in::<L>(side, path, &file.bytes)?))
            };
            if !is_judged {
                return None;
            }
            let found = || match is_new(path) {
                true => L::stays_inside_where_new(&said(new)?.tree),
                false => L::stays_inside(&said(old)?.tree, &said(new)?.tree),
            };
            remembered::<L>(Pair::new(old.get(path), new.get(path)), options, found)
        };
        let found: Vec<Option<Concerned>> = match paths.len() {
            ..=FEW => paths.iter().map(stays_inside).collect(),
            _ => parallel::map(&paths, stays_inside),
        };
        let has_new_files = paths.iter().any(|path| is_new(path));
        let mut changed = Changed { has_new_files, ..Changed::default() };
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
        !self.has_new_files && self.others.is_empty() && self.users.is_empty()
    }

    /// Whom it concerns that a file changed, by its path.
    pub(super) fn concerns(&self) -> impl Fn(&str) -> Concerns {
        let inside: FxHashSet<Arc<str>> = self.inside.iter().map(|(path, _)| path.clone()).collect();
        move |path| if inside.contains(path) { Concerns::Nobody } else { Concerns::ItsPackage }
    }

    /// The names of all files by which others may take something else, where there is no other means; `None` where there is.
    pub(super) fn names(&self) -> Option<Concerned> {
        let is_felt = self.inside.iter().any(|(_, concerned)| !concerned.felt.is_empty());
        if is_felt || !self.stays_inside() {
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
    /// declared. And finds out who feels the change.
    pub(super) fn meet<'b, L: Language>(
        &mut self,
        graphs: Pair<&Graph>,
        versions: Versions<'_, 'b, L>,
        options: &'b CheckOptions,
    ) {
        let (met, users) = self.met::<L>(graphs, versions, options);
        self.users = users;
        for ((path, concerned), is_met) in std::mem::take(&mut self.inside).into_iter().zip(met) {
            match is_met {
                true => drop(self.others.insert(path)),
                false => self.inside.push((path, concerned)),
            }
        }
    }

    /// Which of the files inside of which a change stays are met, and who feels it.
    fn met<'b, L: Language>(
        &self,
        graphs: Pair<&Graph>,
        versions: Versions<'_, 'b, L>,
        options: &'b CheckOptions,
    ) -> (Vec<bool>, FxHashSet<usize>) {
        let paths = self.others.iter().chain(self.inside.iter().map(|(path, _)| path));
        let is_changed: FxHashSet<usize> =
            paths.flat_map(|path| [graphs.old, graphs.new].map(|graph| graph.find(path))).flatten().collect();
        let naming: Vec<usize> = (0..self.inside.len()).filter(|at| !self.inside[*at].1.is_empty()).collect();
        let mut met = vec![false; self.inside.len()];
        for (met, (_, concerned)) in met.iter_mut().zip(&self.inside) {
            *met = concerned.is_spelled_in_library(options);
        }
        let asked = self.asked(graphs);
        // What did not change is the same on both sides.
        let texts = asked.iter().filter(|(file, _)| !is_changed.contains(file)).filter_map(|(at, asked)| {
            let node = graphs.new.get(*at).or_else(|| graphs.old.get(*at))?;
            let file = versions.iter().find_map(|(side, _)| side.get(&node.path))?;
            Some((&file.bytes, (*at, asked)))
        });
        let (texts, files): (Vec<&Bytes>, Vec<(usize, &Takes)>) = texts.unzip();
        let mut by_name = Spelled::default();
        for at in &naming {
            let concerned = &self.inside[*at].1;
            by_name.add(*at, &concerned.declared, How::FromItsScope);
            by_name.add(*at, &concerned.members, How::Anyhow);
        }
        let mut felt = Spelled::default();
        (0..self.inside.len()).for_each(|at| felt.add(at, &self.inside[at].1.felt, How::Anyhow));
        let last_names: OrderedSet<String> =
            self.inside.iter().flat_map(|(_, concerned)| concerned.last_names()).collect();
        let words = Words::of(&last_names);
        let found = Bytes::map(&texts, &|text| {
            if !words.may_be_in(text) {
                return Default::default();
            }
            let parts = L::between_comments(text);
            (by_name.found_in(&parts), felt.found_in(&parts))
        });
        let mut users = FxHashSet::default();
        for ((file, asked), found) in files.into_iter().zip(found) {
            // What cannot be read may have any word.
            let ties = graphs.new.get(file).or_else(|| graphs.old.get(file)).map(|node| &*node.outline.ties);
            let (named, feels) = found.zip(ties).map_or((None, None), |((named, feels), ties)| {
                (Some(by_name.reached_from(ties, &named)), Some(felt.reached_from(ties, &feels)))
            });
            let is_in =
                |found: &Option<FxHashSet<usize>>, at: &usize| found.as_ref().is_none_or(|found| found.contains(at));
            asked.names.iter().filter(|at| is_in(&named, at)).for_each(|at| met[*at] = true);
            if asked.felt.iter().any(|at| is_in(&feels, at)) {
                users.insert(file);
            }
        }
        (met, users)
    }

    /// What may take something from which file inside of which a change stays, by its number, and what may feel that it
    /// changed.
    fn asked(&self, graphs: Pair<&Graph>) -> OrderedMap<usize, Takes> {
        let naming = self.inside.iter().enumerate().filter(|(_, (_, concerned))| !concerned.is_empty());
        let mut scopes = Scopes::of(naming.map(|(at, (_, concerned))| (at, concerned)));
        let mut asked: OrderedMap<usize, Takes> = OrderedMap::new();
        let is_felt = |at: usize| !self.inside[at].1.felt.is_empty();
        for graph in [graphs.old, graphs.new] {
            for at in (0..self.inside.len()).filter(|at| is_felt(*at) || !self.inside[*at].1.is_empty()) {
                for file in graph.find(&self.inside[at].0).map_or_else(Vec::new, |file| graph.all_leading_to(file)) {
                    let asked = asked.entry(file).or_default();
                    asked.names.insert(at);
                    asked.felt.extend(is_felt(at).then_some(at));
                }
            }
        }
        // Where no name changed, none can be taken from anywhere else.
        if scopes.names.is_empty() {
            return asked;
        }
        for graph in [graphs.old, graphs.new] {
            let near = graph.of_packages(|package| scopes.is_near(package));
            for (file, node) in near.into_iter().chain(graph.of_no_package()) {
                let found = scopes.met_by(&node.outline.ties);
                if !found.is_empty() {
                    asked.entry(file).or_default().names.extend(found);
                }
            }
        }
        asked
    }
}

/// What is asked of a file: which of the files that changed it may take something from by a name, and what of which of
/// them it may feel.
#[derive(Default)]
struct Takes {
    names: FxHashSet<usize>,
    felt: FxHashSet<usize>,
}

/// What was found out of the same two texts when other versions were compared, or is found out now.
fn remembered<L: Language>(
    files: Pair<Option<&SnapshotFile>>,
    options: &CheckOptions,
    find: impl FnOnce() -> Option<Concerned>,
) -> Option<Concerned> {
    let Some(language) = L::OUTLINES else { return find() };
    let ids = files.map(|file| file.map_or(ContentId([0; 20]), |file| file.id));
    options.outlines.told_of_texts(language, [ids.old, ids.new], find)
}

impl Concerned {
    /// Whether nobody is by a name.
    pub(super) fn is_empty(&self) -> bool {
        self.declared.is_empty() && self.members.is_empty()
    }

    /// Whether what lies in a file of the library may be concerned: it spells one of the names.
    pub(super) fn is_spelled_in_library(&self, options: &CheckOptions) -> bool {
        if options.library.is_empty() {
            return false;
        }
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

    /// The names by which something is taken from the file.
    fn taken(&self) -> impl Iterator<Item = &String> {
        self.declared.iter().chain(&self.members)
    }

    /// The last part of each name.
    fn last_names(&self) -> OrderedSet<String> {
        self.taken().chain(&self.felt).map(|name| last(name).to_owned()).collect()
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

/// How a name has to be spelled by who takes something from a file by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// By its last part, wherever that stands.
    Anyhow,
    /// By all that it has more than a scope in which it is looked up.
    FromItsScope,
}

/// The names that texts are searched for, and from which files somebody may take something by each.
struct Spelled<'c> {
    names: Vec<(usize, &'c str, How)>,
    /// What the last part of one of them begins with.
    starts: [bool; 256],
    /// The places of the names by their last parts.
    by_word: FxHashMap<&'c [u8], Vec<usize>>,
}

/// The place of a name that a text spells, and how many of its last parts the text spells in one go.
type Found = (usize, usize);

impl Default for Spelled<'_> {
    fn default() -> Self {
        Spelled { names: Vec::new(), starts: [false; 256], by_word: FxHashMap::default() }
    }
}

impl<'c> Spelled<'c> {
    fn add(&mut self, file: usize, names: &'c [String], how: How) {
        for name in names {
            let word = last(name).as_bytes();
            self.by_word.entry(word).or_default().push(self.names.len());
            word.first().into_iter().for_each(|first| self.starts[usize::from(*first)] = true);
            self.names.push((file, name, how));
        }
    }

    /// The names that a text spells, each once.
    fn found_in(&self, parts: &[&[u8]]) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        if self.by_word.is_empty() {
            return found;
        }
        for (index, part) in parts.iter().enumerate() {
            let mut end = 0;
            while let Some(start) = part[end..].iter().position(is_of_word).map(|skipped| end + skipped) {
                end =
                    part[start..].iter().position(|byte| !is_of_word(byte)).map_or(part.len(), |length| start + length);
                let word = &part[start..end];
                if !self.starts[usize::from(word[0])] {
                    continue;
                }
                for at in self.by_word.get(word).into_iter().flatten() {
                    found.push((*at, parts_spelled(self.names[*at].1, part, start, &parts[..index])));
                }
            }
        }
        found.sort_in_order_by_key(|(at, parts)| (*at, std::cmp::Reverse(*parts)));
        found.dedup_by_key(|(at, _)| *at);
        found
    }

    /// The files from which something may be taken by the names that a file spells, by what the file declares and where.
    fn reached_from(&self, ties: &Ties, found: &[Found]) -> FxHashSet<usize> {
        let is_reached = |(at, parts): &&Found| {
            let (_, name, how) = self.names[*at];
            how == How::Anyhow || *parts >= parts_to_spell(name, ties)
        };
        found.iter().filter(is_reached).map(|(at, _)| self.names[*at].0).collect()
    }
}

/// How many of the last parts of a name a file has to spell, at least, if it means that name.
fn parts_to_spell(name: &str, ties: &Ties) -> usize {
    // Inside of what it declares, that may be left out, and need not stand beside the rest.
    if ties.names.iter().any(|own| is_around(own.trim_start_matches('.'), name)) {
        return 1;
    }
    let in_common = |package: &String| {
        let common = package.split('.').zip(name.split('.')).take_while(|(one, other)| one == other);
        common.count()
    };
    let in_common = ties.packages.iter().map(in_common).max().unwrap_or_default();
    (name.split('.').count() - in_common).max(1)
}

/// Whether a name lies inside of another one.
fn is_around(outer: &str, name: &str) -> bool {
    name.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'))
}

/// How many of the last parts of a name a text spells in one go, with points between them, of which the last one starts
/// here. What stands before the text goes on with it where there is a point between them.
fn parts_spelled(name: &str, text: &[u8], start: usize, before_text: &[&[u8]]) -> usize {
    let (mut parts, mut before) = (1, &text[..start]);
    for part in name.rsplit('.').skip(1) {
        let spaces = before.trim_ascii_end();
        let Some(joined) = spaces.strip_suffix(b".").map(<[u8]>::trim_ascii_end) else {
            let ends_in_a_point =
                || before_text.iter().rev().find_map(|text| text.trim_ascii_end().last()) == Some(&b'.');
            return if spaces.is_empty() && ends_in_a_point() { usize::MAX } else { parts };
        };
        if joined.is_empty() && !before_text.is_empty() {
            return usize::MAX;
        }
        let Some(rest) = joined.strip_suffix(part.as_bytes()).filter(|rest| !rest.last().is_some_and(is_of_word))
        else {
            return parts;
        };
        (parts, before) = (parts + 1, rest);
    }
    parts
}

const OF_WORDS: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

fn is_of_word(byte: &u8) -> bool {
    OF_WORDS[usize::from(*byte)]
}

/// Words that texts are searched for.
enum Words<'w> {
    /// Each by itself: nothing is faster than to look for a few bytes.
    Few(Vec<Finder<'w>>),
    /// Each word of a text is looked up among them.
    Many(FxHashSet<&'w [u8]>),
}

impl<'w> Words<'w> {
    fn of(words: &'w OrderedSet<String>) -> Self {
        const FEW: usize = 8;
        match words.len() {
            ..=FEW => Words::Few(words.iter().map(|word| Finder::new(word.as_bytes())).collect()),
            _ => Words::Many(words.iter().map(String::as_bytes).collect()),
        }
    }

    /// Whether it is worth to look at a text more closely: it has one of them, or that is not told much sooner.
    fn may_be_in(&self, text: &[u8]) -> bool {
        match self {
            Words::Few(_) => self.is_one_in(text),
            Words::Many(_) => true,
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
        let few = OrderedSet::from(["Order".to_owned()]);
        let many = (0..20).map(|at| format!("Other{at}")).chain(few.clone()).collect();
        let concerned = Concerned { declared: vec!["a.Order".to_owned()], ..Concerned::default() };
        let mut spelled = Spelled::default();
        spelled.add(7, &concerned.declared, How::Anyhow);
        for words in [&few, &many] {
            let words = Words::of(words);
            let has = |text: &str| {
                let is_found = words.is_one_in(text.as_bytes());
                let found = spelled.reached_from(&Ties::default(), &spelled.found_in(&[text.as_bytes()]));
                assert_eq!(found.contains(&7), is_found, "{text}");
                is_found
            };
            assert!(has("Order") && has("a.Order b") && has("xOrder Order;") && has(".Order."));
            assert!(!has("Orders") && !has("PreOrder") && !has("_Order") && !has("Order2") && !has(""));
        }
    }

    /// In `google.cloud.x` the new `google.api.Order` has to be called `api.Order` at least.
    #[test]
    fn a_name_is_spelled_from_where_it_is_looked_up() {
        let names = ["google.api.Order".to_owned()];
        let mut spelled = Spelled::default();
        spelled.add(7, &names, How::FromItsScope);
        let reached = |package: &str, own: &[&str], parts: &[&str]| {
            let own = own.iter().map(|name| (*name).to_owned()).collect();
            let ties = Ties { packages: vec![package.to_owned()], names: own, carries_any: false };
            let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
            spelled.reached_from(&ties, &spelled.found_in(&parts)).contains(&7)
        };
        assert!(reached("google.api", &[], &["Order x = 1;"]) && reached("google.api.v1", &[], &["Order"]));
        assert!(
            reached("google.cloud", &[], &["repeated api.Order x"]) && reached("google", &[], &[".google.api.Order"])
        );
        assert!(reached("google.cloud", &[], &["api . \n", " Order x"]), "a comment may lie between");
        assert!(!reached("google.cloud", &[], &["api x; Order y"]) && !reached("google.cloud", &[], &["my_api.Order"]));
        assert!(!reached("google.cloud", &[], &["api..Order", "api, .Order", "Order.api", " ", "Order y"]));
        assert!(
            reached("google.cloud", &[], &["api.", " ", " Order x"])
                && reached("google.cloud", &[], &["api ", ".Order"])
        );
        assert!(reached("", &[], &["google.api.Order"]) && !reached("", &[], &["api.Order"]));
        assert!(!reached("shop", &[], &["other.google.apis.Order"]) && !reached("shop", &[], &["api.Order"]));
        // A message may be called as what the package lies in, and is a scope as well.
        assert!(reached("google", &["google.api"], &["message api { Order x = 1; }"]));
        assert!(reached("google", &[".google.api"], &["Order"]) && !reached("google", &["google.ap"], &["Order"]));
        // A package that is called like the new name.
        assert!(reached("google.api.Order", &[], &["package google.api.Order;"]));
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
            met.sort_in_order();
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
