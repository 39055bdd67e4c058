//! Which files a change has to do with, found out from what texts say at a glance: what they import, where they declare
//! something and how it is called. No file is parsed but those that are looked at.
//!
//! A glance sees no less than a parser does and perhaps more, so more files may be looked at than would have to be.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::concern::Changed;
use super::contents::files;
use super::graph::{FileIds, Graph, Node, Origin};
use super::language::{Concerned, Contents, Language, reading_in};
use super::narrow::{Asked, needed};
use super::nearby::{Versions, changed, is_worth_asking, with_imports};
use super::parts::{Files, Parts};
use super::search::{Search, Target};
use crate::change::{Pair, Side};
use crate::formats::check::CheckOptions;
use crate::formats::outline::Outline;
use crate::ordered::InOrder;
use crate::snapshot::{Bytes, ContentId, Snapshot, SnapshotFile, name_of};

/// What texts say of the files that a comparison has to look at.
pub(super) enum Near {
    /// These alone, and they are parsed.
    Files(Files),
    /// More than those, and here are two versions with all of their files, and whom it concerns what changed.
    Graphs(Pair<Arc<Graph>>, Changed),
}

/// The paths of the files that a comparison has to look at, which are parsed then; `None` where all have to be.
pub(super) fn outlined<'b, L: Language>(
    versions: Versions<'_, 'b, L>,
    contents: &mut Contents<'b, L>,
    alike: &Files,
    options: &'b CheckOptions,
) -> Option<Files> {
    let (graphs, changed) = match near(versions, contents, alike, options)? {
        Near::Files(files) => return Some(files),
        Near::Graphs(graphs, changed) => (graphs, changed),
    };
    let [(old, _), (new, _)] = versions else { return None };
    let needed = {
        let carries_any = |path: &str| carries_any::<L>(path, Pair::new(old, new), contents);
        let graphs = Pair::new(&*graphs.old, &*graphs.new);
        let asked = Asked { carries_any: &carries_any, alike, concerns: &changed.concerns(), users: &changed.users };
        needed::<L>(graphs, Pair::new(old, new), &asked)?
    };
    contents.parse_all(versions, Some(&needed));
    // What a text that cannot be understood has to do with others is not seen at a glance.
    with_imports(versions, contents, options, &needed).map(|_| needed)
}

/// What can be judged by itself of what changed between two versions.
pub(super) fn parts<L: Language>(
    versions: Versions<'_, '_, L>,
    contents: &Contents<'_, L>,
    alike: &Files,
    (graphs, changed): (Pair<Arc<Graph>>, &Changed),
) -> Option<Parts> {
    let [(old, _), (new, _)] = versions else { return None };
    let carries_any = |path: &str| carries_any::<L>(path, Pair::new(old, new), contents);
    let both = Pair::new(&*graphs.old, &*graphs.new);
    let asked = Asked { carries_any: &carries_any, alike, concerns: &changed.concerns(), users: &changed.users };
    let files = super::parts::parts::<L>(both, Pair::new(old, new), &asked)?;
    Some(Parts { graphs, files })
}

/// Whether data of any type have a place in a file, as its text says.
fn carries_any<L: Language>(path: &str, sides: Pair<&Snapshot>, contents: &Contents<'_, L>) -> bool {
    let side = if sides.new.get(path).is_some() { sides.new } else { sides.old };
    let content = side.get(path).and_then(|file| contents.get((file.id, reading_in::<L>(side, path, &file.bytes)?)));
    content.is_some_and(|content| L::ties(path, &content.tree).carries_any)
}

/// What texts say of the files that a comparison has to look at; `None` where that is not enough.
pub(super) fn near<'b, L: Language>(
    versions: Versions<'_, 'b, L>,
    contents: &Contents<'b, L>,
    alike: &Files,
    options: &'b CheckOptions,
) -> Option<Near> {
    if !is_worth_asking::<L>(versions, options) {
        return None;
    }
    let [(old, old_search), (new, new_search)] = versions else { return None };
    let paths = changed::<L>(versions, alike);
    let mut changed = Changed::of(versions, contents, &paths, options);
    let alone = || with_imports(versions, contents, options, &paths).map(Near::Files);
    let names = changed.names();
    if names.as_ref().is_some_and(Concerned::is_empty) {
        return alone();
    }
    let language = L::OUTLINES?;
    // Looking for a few words costs less than a glance at everything.
    let is_spelled = |names: &Concerned| {
        let others = files::<L>(new).filter(|(path, ..)| !paths.contains(*path)).map(|(_, file, _)| file);
        names.is_spelled_in_library(options) || names.is_spelled_in(others)
    };
    let noted = Noted::of::<L>(Pair::new(old, new), options);
    let is_known = || noted.is_any() || are_known::<L>(language, new, options);
    if names.as_ref().is_some_and(|names| !is_known() && !is_spelled(names)) {
        return alone();
    }
    let known = Known::of(language, contents, options);
    let graphs = noted.graphs(known, Pair::new((*old, old_search), (*new, new_search)))?;
    changed.meet::<L>(Pair::new(&*graphs.old, &*graphs.new), versions, options);
    match changed.stays_inside() {
        true => alone(),
        false => Some(Near::Graphs(graphs, changed)),
    }
}

/// A version in which it is known which file leads to which.
struct Whole {
    snapshot: Snapshot,
    rules: Option<String>,
    graph: Arc<Graph>,
}

/// What was found out of two versions when others were compared.
struct Noted<'o> {
    options: &'o CheckOptions,
    ids: Pair<Option<ContentId>>,
    graphs: Pair<Option<Arc<Graph>>>,
}

impl<'o> Noted<'o> {
    fn of<L: Language>(snapshots: Pair<&Snapshot>, options: &'o CheckOptions) -> Self {
        let ids = snapshots.map(|snapshot| identity::<L>(snapshot, options));
        let whole = |id: ContentId| options.outlines.of_whole::<Whole>(id).map(|whole| whole.graph.clone());
        Noted { options, ids, graphs: ids.map(|id| whole(id?)) }
    }

    fn is_any(&self) -> bool {
        self.graphs.old.is_some() || self.graphs.new.is_some()
    }

    /// Both versions with all of their files, which have the same numbers in both. Where what leads to what is known of the
    /// one, or of another version, it is made of that as far as they are the same. `None` where a text cannot be read.
    fn graphs<'b, L: Language>(
        self,
        mut known: Known<'_, 'b, L>,
        versions: Pair<(&'b Snapshot, &L::Search<'b>)>,
    ) -> Option<Pair<Arc<Graph>>> {
        if let (Some(old), Some(new)) = (&self.graphs.old, &self.graphs.new)
            && old.numbers_as(new)
        {
            return Some(Pair::new(old.clone(), new.clone()));
        }
        let rules = versions.as_ref().map(|(_, search)| search.rules());
        let before = |side: Side, graph| Before { snapshot: versions.side(side).0, rules: rules.side(side), graph };
        let old = match (self.graphs.old, &self.graphs.new) {
            (Some(old), _) => old,
            (None, Some(new)) => Arc::new(Walk::after(&mut known, &before(Side::New, new), versions.old)?),
            (None, None) => Arc::new(first(&mut known, self.options, versions)?),
        };
        let new = match self.graphs.new {
            Some(new) if new.numbers_as(&old) => new,
            _ => Arc::new(Walk::after(&mut known, &before(Side::Old, &old), versions.new)?),
        };
        let graphs = Pair::new(old, new);
        for side in [Side::Old, Side::New] {
            if let Some(id) = *self.ids.side(side) {
                let (snapshot, rules) = (versions.side(side).0.clone(), rules.side(side).clone());
                let graph = graphs.side(side).clone();
                self.options.outlines.note_whole(id, Arc::new(Whole { snapshot, rules, graph }));
            }
        }
        Some(graphs)
    }
}

/// The old version with all of its files, where nothing is known of either side.
fn first<'b, L: Language>(
    known: &mut Known<'_, 'b, L>,
    options: &CheckOptions,
    versions: Pair<(&'b Snapshot, &L::Search<'b>)>,
) -> Option<Graph> {
    if let Some(last) = options.outlines.last_whole::<Whole>() {
        let before = Before { snapshot: &last.snapshot, rules: &last.rules, graph: &last.graph };
        return Walk::after(known, &before, versions.old);
    }
    known.glance_at(files::<L>(versions.old.0).chain(files::<L>(versions.new.0)))?;
    Some(Walk::new(known, versions.old, Graph::new(FileIds::default())).whole())
}

/// A version of which another one is made.
struct Before<'w> {
    snapshot: &'w Snapshot,
    rules: &'w Option<String>,
    graph: &'w Graph,
}

/// What identifies everything that decides about the form of a version, where that is worth to be known.
fn identity<L: Language>(snapshot: &Snapshot, options: &CheckOptions) -> Option<ContentId> {
    if !options.outlines.are_of_many_versions() || !options.library.is_empty() {
        return None;
    }
    let (files, lent) = snapshot.digest();
    let all = format!("{:?} {:?} {:?} {files} {lent:?}", L::OUTLINES, options.include, options.roots);
    Some(ContentId::of(all.as_bytes()))
}

/// Whether it is known of most texts of a version what they say at a glance.
fn are_known<L: Language>(language: &'static str, snapshot: &Snapshot, options: &CheckOptions) -> bool {
    let ids: Vec<ContentId> = files::<L>(snapshot).map(|(_, file, _)| file.id).collect();
    options.outlines.known(language, ids.iter().copied()).len() * 2 > ids.len()
}

impl Outline {
    /// What a tree says of the same.
    pub(super) fn of<L: Language>(path: &str, tree: &L::Tree<'_>) -> Self {
        let imports = L::imports(tree).into_iter().map(|import| import.path.to_owned()).collect();
        Outline { imports, ties: Arc::new(L::ties(path, tree)) }
    }
}

/// A path, and what it is from each of its folders.
fn ends(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |end| Some(end.split_once('/')?.1))
}

/// What texts say at a glance, and what else is known before anything is followed.
struct Known<'k, 'b, L: Language> {
    language: &'static str,
    outlines: FxHashMap<ContentId, Arc<Outline>>,
    contents: &'k Contents<'b, L>,
    options: &'b CheckOptions,
}

impl<'k, 'b, L: Language> Known<'k, 'b, L> {
    fn of(language: &'static str, contents: &'k Contents<'b, L>, options: &'b CheckOptions) -> Self {
        Known { language, outlines: FxHashMap::default(), contents, options }
    }

    /// Looks at texts; `None` where one cannot be read.
    fn glance_at<'f>(
        &mut self,
        files: impl Iterator<Item = (&'f Arc<str>, &'f SnapshotFile, L::Reading)>,
    ) -> Option<()> {
        let wanted = files.map(|(_, file, reading)| (file.id, (&file.bytes, reading)));
        let mut wanted: FxHashMap<ContentId, (&Bytes, L::Reading)> = wanted.collect();
        wanted.retain(|id, _| !self.outlines.contains_key(id));
        self.outlines.extend(self.options.outlines.known(self.language, wanted.keys().copied()));
        wanted.retain(|id, _| !self.outlines.contains_key(id));
        let wanted: Vec<(ContentId, (&Bytes, L::Reading))> = wanted.into_iter().collect();
        let texts: Vec<&Bytes> = wanted.iter().map(|(_, (bytes, _))| *bytes).collect();
        let seen = Bytes::map(&texts, &|text| L::outline(text).map(Arc::new));
        let mut found = Vec::new();
        for ((id, (_, reading)), seen) in wanted.into_iter().zip(seen) {
            match seen? {
                Some(outline) => found.push((id, outline)),
                // What a parser says is not noted: it changes with the parser.
                None => {
                    let outline = Outline::of::<L>("", &self.contents.get((id, reading))?.tree);
                    self.outlines.insert(id, Arc::new(outline));
                }
            }
        }
        self.options.outlines.note(self.language, found.iter().cloned());
        self.outlines.extend(found);
        Some(())
    }
}

/// The files of one version with what they import, as [`gather`](super::gather::gather) finds them.
struct Walk<'w, 'b, L: Language> {
    known: &'w Known<'w, 'b, L>,
    snapshot: &'b Snapshot,
    search: &'w L::Search<'b>,
    /// Where imports lead wherever they are written.
    targets: FxHashMap<Box<str>, Option<usize>>,
    /// Where they lead that are written in a folder.
    targets_here: FxHashMap<Box<str>, Option<usize>>,
    folder: String,
    graph: Graph,
    /// The files whose imports were not followed yet.
    open: Vec<usize>,
}

impl<'w, 'b, L: Language> Walk<'w, 'b, L> {
    fn new(known: &'w Known<'w, 'b, L>, (snapshot, search): (&'b Snapshot, &'w L::Search<'b>), graph: Graph) -> Self {
        Walk {
            known,
            snapshot,
            search,
            targets: FxHashMap::default(),
            targets_here: FxHashMap::default(),
            folder: String::new(),
            graph,
            open: Vec::new(),
        }
    }

    /// All files of the version.
    fn whole(mut self) -> Graph {
        for (path, ..) in files::<L>(self.snapshot) {
            if self.judges(path) {
                self.enter(Target::File(path.clone()));
            }
        }
        self.follow_all();
        self.graph
    }

    /// All files of a version, made of those of another. `None` where a text cannot be read.
    fn after(
        known: &mut Known<'_, 'b, L>,
        before: &Before<'_>,
        version: (&'b Snapshot, &L::Search<'b>),
    ) -> Option<Graph> {
        let (old, (new, search)) = (before.snapshot, version);
        if !old.has_roles_of(new) || before.rules.is_none() || *before.rules != search.rules() {
            known.glance_at(files::<L>(new))?;
            return Some(Walk::new(known, version, Graph::new(before.graph.ids().clone())).whole());
        }
        let mut differing: Vec<&Arc<str>> = old.differing(new);
        differing.sort_in_order();
        let there = differing.iter().filter_map(|path| {
            let file = new.get(path)?;
            Some((*path, file, reading_in::<L>(new, path, &file.bytes)?))
        });
        known.glance_at(there)?;
        // What only supplies types may have been no part of the version until now.
        known.glance_at(files::<L>(new).filter(|(path, ..)| !new.judges(path) || !search.judges(path)))?;
        let mut walk = Walk::new(known, version, before.graph.clone());
        walk.replace(&differing, old);
        Some(walk.graph)
    }

    /// Puts what differs in the place of what was there.
    fn replace(&mut self, differing: &[&Arc<str>], old: &Snapshot) {
        // Where imports of such names lead may not be what it was.
        let mut came_or_went: Vec<&str> = Vec::new();
        for path in differing {
            let at = self.graph.ids().of(path, Origin::Version);
            let before = self.graph.get(at).cloned();
            if old.get(path).is_none() || self.snapshot.get(path).is_none() {
                came_or_went.push(path);
            }
            self.graph.take(at);
            if (before.is_some() || self.judges(path)) && self.enter(Target::File((*path).clone())).is_some() {
                let kept = before
                    .zip(self.graph.get(at))
                    .filter(|(before, now)| before.outline.imports == now.outline.imports);
                if let Some((before, _)) = kept {
                    self.graph.lead(at, before.imports.clone(), Vec::new());
                    self.open.retain(|open| *open != at);
                }
            }
        }
        let names: FxHashSet<&str> = came_or_went.iter().map(|path| name_of(path)).collect();
        let ends: FxHashSet<&str> = came_or_went.iter().flat_map(|path| ends(path)).collect();
        let may_lead_there = |node: &Node| match self.search.ends_with_import() {
            true => node.outline.imports.iter().any(|import| {
                let shorter = self::ends(import).skip(1).filter(|end| end.contains('/'));
                std::iter::once(&**import).chain(shorter).any(|end| ends.contains(end))
            }),
            false => true,
        };
        let importing = self.graph.importing(&names).into_iter().filter(|(_, node)| may_lead_there(node));
        let importing: Vec<usize> = importing.map(|(at, _)| at).collect();
        self.open.extend(importing);
        if !self.open.is_empty() {
            self.follow_all();
            self.graph.drop_unused();
        }
    }

    fn judges(&self, path: &str) -> bool {
        self.snapshot.judges(path) && self.search.judges(path)
    }

    /// The number of a file, which is entered where it is not yet.
    fn enter(&mut self, target: Target) -> Option<usize> {
        let (path, origin): (Arc<str>, Origin) = match &target {
            Target::File(path) => (path.clone(), Origin::Version),
            Target::Library(index) => (Arc::from(&*self.known.options.library[*index].import_path), Origin::Outside(0)),
            Target::Builtin(path) => (Arc::from(*path), Origin::Outside(1)),
        };
        let at = self.graph.ids().of(&path, origin);
        if self.graph.get(at).is_some() {
            return Some(at);
        }
        let node = match &target {
            Target::File(path) => {
                let id = self.snapshot.get(path)?.id;
                let outline = self.known.outlines.get(&id)?.clone();
                let import_path: Arc<str> = Arc::from(self.search.import_path(path));
                let node = Node::new(path.clone(), Some(id), outline);
                match self.judges(path) {
                    true => Node { is_judged: true, import_path, ..node },
                    false => node,
                }
            }
            Target::Library(index) => {
                let content = self.known.contents.of_library(*index, L::reading_by_name(&path)?);
                Node::new(path.clone(), None, Arc::new(Outline::of::<L>(&path, &content.tree)))
            }
            Target::Builtin(path) => {
                let (path, tree) = L::builtin(path)?;
                Node::new(Arc::from(path), None, Arc::new(Outline::of::<L>(path, tree)))
            }
        };
        self.graph.put(at, node);
        self.open.push(at);
        Some(at)
    }

    /// Follows the imports of all files that wait for it; those of one folder one after the other.
    fn follow_all(&mut self) {
        while !self.open.is_empty() {
            let mut open = std::mem::take(&mut self.open);
            open.sort_in_order_by_cached_key(|at| self.graph.get(*at).map(|node| node.path.clone()));
            for at in open {
                let Some(node) = self.graph.get(at).cloned() else { continue };
                let imports = node.outline.imports.iter().map(|import| self.target(&node.path, import)).collect();
                drop(node);
                self.graph.lead(at, imports, Vec::new());
            }
        }
    }

    /// The file that an import leads to, which depends on no more of the importing file than its folder.
    fn target(&mut self, from: &str, import: &str) -> Option<usize> {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        if self.folder != folder {
            self.folder = folder.to_owned();
            self.targets_here.clear();
        }
        let known = self.targets.get(import).or_else(|| self.targets_here.get(import));
        if let Some(known) = known {
            return *known;
        }
        let everywhere = self.search.find_from_anywhere(import);
        let is_everywhere = everywhere.is_some();
        let found = everywhere.or_else(|| self.search.find(from, import)).and_then(|target| self.enter(target));
        let targets = if is_everywhere { &mut self.targets } else { &mut self.targets_here };
        targets.insert(Box::from(import), found);
        found
    }
}
