//! A file that moved is told once, with all that only follows from it.
//!
//! A file that went is the one that came where whatever both declare went from the one to the other, and nothing of it went
//! to a third. That is known by names, and by what a language says of declarations and of documents; texts are compared
//! only where files declare nothing. What follows from a move is that its declarations stand elsewhere and are called by
//! what the file is called, that the one file is gone and the other is new, and that others import it by its new path.
//! These changes become members of the one that tells of the file ([`Change::members`]): each is judged as it would be by
//! itself, and the worst counts (`verdict`). Everything else stands.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::declared::Declared;
use super::differ::{Draft, declaration};
use super::language::{Gathered, Input, Links};
use super::roots::simple_name;
use crate::change::{Change, ChangeKind, FactKey, MOVES, Pair, Side, Site, Span};
use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::snapshot::ContentId;

/// That a file of the old side is one of the new, which has another path. A language says so of what it compares as a
/// whole; of all others their declarations tell.
pub(crate) fn moved(paths: Pair<&Arc<str>>) -> Draft {
    let at = paths.map(|path| Some(Site { file: path.clone(), span: Span::default() }));
    Draft::new(ChangeKind::FileMoved, &**paths.new, declaration("file", paths.new))
        .at(at)
        .fact(FactKey::OldValue, &**paths.old)
        .fact(FactKey::NewValue, &**paths.new)
}

/// Tells of each file that moved, and no longer of what only follows from that. `is_whole` says whether everything is
/// judged, and not what some roots reach.
pub(super) fn tell<'s, L: Links>(
    changes: &mut Vec<Change>,
    sides: Pair<&Gathered<'_, L>>,
    is_whole: bool,
    declared: impl FnOnce() -> Pair<Vec<Declared<'s>>>,
) {
    let stated: Vec<Change> = changes.extract_if(.., |change| change.kind == ChangeKind::FileMoved).collect();
    let files =
        sides.map(|side| side.judged().enumerate().map(|(at, input)| (&*input.path, at)).collect::<OrderedMap<_, _>>());
    let is_gone = |path: &str| files.old.contains_key(path) && !files.new.contains_key(path);
    let is_new = |path: &str| files.new.contains_key(path) && !files.old.contains_key(path);
    if !files.old.keys().any(|path| is_gone(path)) || !files.new.keys().any(|path| is_new(path)) {
        return;
    }
    let mut declared = declared();
    declared.old.retain(|one| one.is_own);
    declared.new.retain(|one| one.is_own);
    let mut ways = ways(changes.iter().chain(&stated), declared.as_ref().map(Vec::as_slice));
    ways.retain(|way, _| is_gone(&way.old));
    let mut paths = only_ways(&ways, is_new);
    let names = declared.map(names::<L>);
    paths.extend(silent(sides, names.as_ref(), &ways, Pair::new(&is_gone, &is_new)));
    paths.sort_in_order();
    let moves = Moves::new(sides, files, names, paths);
    // Two files that were named to be compared may be called what they like.
    let are_named = sides.old.is_alone && sides.new.is_alone;
    let followers = moves.take_followers(changes);
    for (paths, members) in moves.paths.iter().zip(followers) {
        if !members.is_empty() || (is_whole && !are_named) {
            changes.push(moves.told(paths.as_ref(), members));
        }
    }
}

/// From which file something went to which, and whether that is sure: what is called otherwise now may be something else.
type Ways = OrderedMap<Pair<Arc<str>>, bool>;

/// Where what files declare went, where that is another file.
fn ways<'c>(changes: impl Iterator<Item = &'c Change>, declared: Pair<&[Declared<'_>]>) -> Ways {
    let mut homes: OrderedMap<&str, Pair<OrderedSet<&str>>> = OrderedMap::new();
    declared.old.iter().for_each(|one| _ = homes.entry(one.name).or_default().old.insert(one.file));
    declared.new.iter().for_each(|one| _ = homes.entry(one.name).or_default().new.insert(one.file));
    let mut ways = Ways::new();
    for home in homes.values() {
        let (mut gone, mut come) = (home.old.difference(&home.new), home.new.difference(&home.old));
        if let (Some(old), None, Some(new), None) = (gone.next(), gone.next(), come.next(), come.next()) {
            ways.insert(Pair::new(Arc::from(*old), Arc::from(*new)), true);
        }
    }
    for change in changes.filter(|change| change.kind == ChangeKind::FileMoved || says_where(change)) {
        if let (Some(old), Some(new)) = (&change.at.old, &change.at.new)
            && old.file != new.file
        {
            let names = names_of(change).map(simple_name);
            let is_sure =
                matches!(change.kind, ChangeKind::FileMoved | ChangeKind::TypeMoved) || names.old == names.new;
            *ways.entry(Pair::new(old.file.clone(), new.file.clone())).or_default() |= is_sure;
        }
    }
    ways
}

/// Whether a change says that a declaration is another one now, or elsewhere: not that it came beside another.
fn says_where(change: &Change) -> bool {
    let relation = change.facts.get(FactKey::Relation);
    MOVES.contains(&change.kind) && (change.kind != ChangeKind::TypeMoved || matches!(relation, None | Some("moved")))
}

/// What a declaration was called, and is.
fn names_of(change: &Change) -> Pair<&str> {
    Pair::new(FactKey::OldName, FactKey::NewName).map(|key| change.facts.get(key).unwrap_or(&change.path))
}

/// The ways that are the only ones from a file that is gone, and the only ones from such files to one that is new.
fn only_ways(ways: &Ways, is_new: impl Fn(&str) -> bool) -> Vec<Pair<Arc<str>>> {
    let mut counts: Pair<OrderedMap<&str, usize>> = Pair::default();
    for way in ways.keys() {
        *counts.old.entry(&way.old).or_default() += 1;
        *counts.new.entry(&way.new).or_default() += 1;
    }
    let is_only = |way: &Pair<Arc<str>>| counts.old.get(&*way.old) == Some(&1) && counts.new.get(&*way.new) == Some(&1);
    let sure = ways.iter().filter(|(way, is_sure)| **is_sure && is_only(way) && is_new(&way.new));
    sure.map(|(way, _)| way.clone()).collect()
}

/// Files that declare nothing, each the only one that is gone or new and says what it says.
fn silent<L: Links>(
    sides: Pair<&Gathered<'_, L>>,
    names: Pair<&Names<'_>>,
    ways: &Ways,
    is_alone: Pair<&dyn Fn(&str) -> bool>,
) -> Vec<Pair<Arc<str>>> {
    let mut texts: OrderedMap<ContentId, Pair<Vec<&Arc<str>>>> = OrderedMap::new();
    for side in [Side::Old, Side::New] {
        let gathered = sides.side(side);
        let is_silent = |input: &&Input<'_, L>| {
            let path = &*input.path;
            let is_blank = input.bytes.trim_ascii().is_empty();
            is_alone.side(side)(path) && !names.side(side).contains_key(path) && !is_blank
        };
        for input in gathered.judged().filter(is_silent) {
            let Some(id) = input.id else { continue };
            let of_text = texts.entry(id).or_default();
            match side {
                Side::Old => of_text.old.push(&input.path),
                Side::New => of_text.new.push(&input.path),
            }
        }
    }
    let known = |path: &Arc<str>| ways.keys().any(|way| way.old == *path || way.new == *path);
    let pair = |of_text: Pair<Vec<&Arc<str>>>| match (&of_text.old[..], &of_text.new[..]) {
        ([old], [new]) if !known(old) && !known(new) => Some(Pair::new((*old).clone(), (*new).clone())),
        _ => None,
    };
    texts.into_values().filter_map(pair).collect()
}

/// What each file declares, by what that is called inside of it.
type Names<'s> = OrderedMap<&'s str, OrderedSet<&'s str>>;

fn names<L: Links>(declared: Vec<Declared<'_>>) -> Names<'_> {
    let mut names = Names::new();
    for one in declared {
        names.entry(one.file).or_default().insert(inside::<L>(one.name, one.file));
    }
    names
}

/// What something is called inside of its file, where what that is called is a part of the full name.
fn inside<'n, L: Links>(name: &'n str, file: &str) -> &'n str {
    let Some(stem) = L::STEM.map(|stem| stem(file)) else { return name };
    match name.strip_prefix(stem) {
        Some("") => "",
        Some(rest) => rest.strip_prefix('.').unwrap_or(name),
        None => name,
    }
}

/// What is gone, or came instead, as one of two changes says it that come to nothing but a move: which move, of what kind
/// they are, in which file, and what they say.
type Half = (usize, ChangeKind, String, String);

/// The files that moved, among all.
struct Moves<'g, 't, 's, L: Links> {
    sides: Pair<&'g Gathered<'t, L>>,
    /// The judged files by their paths, and their places in the list.
    files: Pair<OrderedMap<&'g str, usize>>,
    names: Pair<Names<'s>>,
    /// In the order of the old paths.
    paths: Vec<Pair<Arc<str>>>,
    /// The places in that list, by the path on each side.
    by_path: Pair<FxHashMap<Arc<str>, usize>>,
    /// Who imports the files that moved, and how that spells the path.
    importers: Pair<Importers<'g>>,
}

/// For each place in the list of files those that import it, by their paths, and how they spell it.
type Importers<'g> = FxHashMap<usize, OrderedMap<&'g str, OrderedSet<&'g str>>>;

/// The judged files of a side that import some files.
fn importers<'g, L: Links>(gathered: &'g Gathered<'_, L>, imported: &FxHashSet<usize>) -> Importers<'g> {
    let mut found = Importers::default();
    let is_meant = |to: &Option<usize>| to.is_some_and(|to| imported.contains(&to));
    for input in gathered.judged().filter(|input| input.imports.iter().any(is_meant)) {
        for (import, to) in L::imports(input.tree).into_iter().zip(&input.imports) {
            if let Some(to) = to.filter(|to| imported.contains(to)) {
                found.entry(to).or_default().entry(&*input.path).or_default().insert(import.path);
            }
        }
    }
    found
}

impl<'g, 't, 's, L: Links> Moves<'g, 't, 's, L> {
    fn new(
        sides: Pair<&'g Gathered<'t, L>>,
        files: Pair<OrderedMap<&'g str, usize>>,
        names: Pair<Names<'s>>,
        paths: Vec<Pair<Arc<str>>>,
    ) -> Self {
        let indexed =
            |side: Side| paths.iter().enumerate().map(move |(at, pair)| (pair.side(side).clone(), at)).collect();
        let by_path: Pair<FxHashMap<_, _>> = Pair::new(indexed(Side::Old), indexed(Side::New));
        let places =
            |side: Side| paths.iter().filter_map(|pair| files.side(side).get(&**pair.side(side)).copied()).collect();
        let importers = Pair::new(importers(sides.old, &places(Side::Old)), importers(sides.new, &places(Side::New)));
        Moves { sides, files, names, paths, by_path, importers }
    }

    /// The move of a file of a side.
    fn of(&self, side: Side, path: &str) -> Option<usize> {
        self.by_path.side(side).get(path).copied()
    }

    /// Takes out what only follows from each move.
    fn take_followers(&self, changes: &mut Vec<Change>) -> Vec<Vec<Change>> {
        let mut followed: Vec<Option<usize>> = changes.iter().map(|change| self.followed(change)).collect();
        let mut halves: OrderedMap<Half, Pair<Vec<usize>>> = OrderedMap::new();
        for (at, change) in changes.iter().enumerate() {
            match (&change.at.old, &change.at.new) {
                (Some(site), None) => self.half(change, Side::Old, site).into_iter().for_each(|half| {
                    halves.entry(half).or_default().old.push(at);
                }),
                (None, Some(site)) => self.half(change, Side::New, site).into_iter().for_each(|half| {
                    halves.entry(half).or_default().new.push(at);
                }),
                _ => {}
            }
        }
        for ((index, ..), Pair { old, new }) in halves {
            if old.len() == 1 && new.len() == 1 {
                old.into_iter().chain(new).for_each(|at| followed[at] = Some(index));
            }
        }
        let mut followers = vec![Vec::new(); self.paths.len()];
        let mut kept = Vec::new();
        for (change, followed) in std::mem::take(changes).into_iter().zip(followed) {
            match followed {
                Some(index) => followers[index].push(change),
                None => kept.push(change),
            }
        }
        *changes = kept;
        followers
    }

    /// The move that a change follows from by itself.
    fn followed(&self, change: &Change) -> Option<usize> {
        let sites = change.at.as_ref().map(|site| site.as_ref().map(|site| &*site.file));
        match (change.kind, sites.old, sites.new) {
            (ChangeKind::FileRemoved, Some(path), None) => self.of(Side::Old, path),
            (ChangeKind::FileAdded, None, Some(path)) => self.of(Side::New, path),
            (_, Some(old), Some(new)) if says_where(change) => {
                let index = self.of(Side::Old, old).filter(|index| &*self.paths[*index].new == new)?;
                let names = names_of(change);
                (inside::<L>(names.old, old) == inside::<L>(names.new, new)).then_some(index)
            }
            _ => None,
        }
    }

    /// What is gone, or new, and may be the other half of something that is new, or gone.
    fn half(&self, change: &Change, side: Side, site: &Site) -> Option<Half> {
        let fact = |old, new| change.facts.get(*Pair::new(old, new).side(side)).unwrap_or_default();
        let file = &*site.file;
        match change.kind {
            ChangeKind::ImportChanged => {
                let index = self.of(side, self.imported(side, site)?)?;
                let now = self.of(side, file).map_or(file, |index| &self.paths[index].new);
                let says = fact(FactKey::OldValue, FactKey::NewValue).to_owned();
                Some((index, change.kind, now.to_owned(), says))
            }
            ChangeKind::ConstantChanged | ChangeKind::TypedefChanged => {
                let index = self.of(side, file)?;
                let (ty, value) =
                    (fact(FactKey::OldType, FactKey::NewType), fact(FactKey::OldValue, FactKey::NewValue));
                let words = format!("{} {ty} {value}", inside::<L>(&change.path, file));
                // What a file declares is spelled with what the file is called.
                let says = match L::STEM.filter(|_| side == Side::Old) {
                    Some(stem) => {
                        let stems = self.paths[index].as_ref().map(|path| format!("{}.", stem(path)));
                        words.replace(&stems.old, &stems.new)
                    }
                    None => words,
                };
                Some((index, change.kind, String::new(), says))
            }
            _ => None,
        }
    }

    /// The file to which the import at a place leads.
    fn imported(&self, side: Side, site: &Site) -> Option<&str> {
        let gathered = self.sides.side(side);
        let input = &gathered.inputs[*self.files.side(side).get(&*site.file)?];
        let is_there = |span: Span| site.span.start <= span.start && span.end <= site.span.end;
        let at = L::imports(input.tree).iter().position(|import| is_there(import.span))?;
        Some(&gathered.inputs[input.imports.get(at).copied().flatten()?].path)
    }

    /// What is told of a move.
    fn told(&self, paths: Pair<&Arc<str>>, members: Vec<Change>) -> Change {
        let mut told = moved(paths).fact(FactKey::Became, self.became(paths)).finish();
        let start = |kind| members.iter().find(move |member: &&Change| member.kind == kind);
        if let Some(gone) = start(ChangeKind::FileRemoved) {
            told.at.old.clone_from(&gone.at.old);
        }
        if let Some(come) = start(ChangeKind::FileAdded) {
            told.at.new.clone_from(&come.at.new);
        }
        told.reports = members.iter().flat_map(|member| &member.reports).cloned().collect();
        told.reports.sort_in_order();
        told.reports.dedup();
        told.members = members.into();
        told
    }

    /// What went with it, and who follows, behind a semicolon; empty where nothing did and nobody does.
    fn became(&self, paths: Pair<&Arc<str>>) -> String {
        let names = Pair::new(self.names.old.get(&**paths.old), self.names.new.get(&**paths.new));
        let with = match names {
            Pair { old: Some(old), new: Some(new) } => old.intersection(new).count(),
            _ => 0,
        };
        let with = match with {
            0 => None,
            1 => Some("1 declaration went with it".to_owned()),
            count => Some(format!("{count} declarations went with it")),
        };
        let followers = match self.followers(paths) {
            0 => None,
            1 => Some("1 file that imports it names the new path".to_owned()),
            count => Some(format!("{count} files that import it name the new path")),
        };
        let more: Vec<String> = with.into_iter().chain(followers).collect();
        if more.is_empty() { String::new() } else { format!("; {}", more.join(", and ")) }
    }

    /// How many files import it by another path than before.
    fn followers(&self, paths: Pair<&Arc<str>>) -> usize {
        let importing = |side: Side| {
            let place = self.files.side(side).get(&***paths.side(side))?;
            self.importers.side(side).get(place)
        };
        let (Some(old), Some(new)) = (importing(Side::Old), importing(Side::New)) else { return 0 };
        let follows = |(path, spelled): &(&&str, &OrderedSet<&str>)| {
            let before = self.of(Side::New, path).map_or(**path, |index| &*self.paths[index].old);
            old.get(before).is_some_and(|before| before != *spelled)
        };
        new.iter().filter(follows).count()
    }
}
