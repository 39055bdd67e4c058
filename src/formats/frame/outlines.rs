//! Which files a change has to do with, found out from what texts say at a glance: what they import, where they declare
//! something and how it is called. No file is parsed but those that are looked at.
//!
//! A glance sees no less than a parser does and perhaps more, so more files may be looked at than would have to be.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::concern::Changed;
use super::contents::files;
use super::graph::{Graph, Node};
use super::language::{Concerned, Contents, Language};
use super::narrow::{Side, needed};
use super::nearby::{Versions, changed, is_worth_asking, with_imports};
use super::search::{Search, Target};
use crate::change::Pair;
use crate::formats::check::CheckOptions;
use crate::formats::outline::{Outline, Ties};
use crate::snapshot::{Bytes, ContentId, Snapshot};

/// The paths of the files that a comparison has to look at, which are parsed then; `None` where all have to be.
pub(super) fn outlined<'b, L: Language>(
    versions: Versions<'_, 'b, L>,
    contents: &mut Contents<'b, L>,
    options: &'b CheckOptions,
) -> Option<FxHashSet<Arc<str>>> {
    if !is_worth_asking::<L>(versions, options) {
        return None;
    }
    let [(old, old_search), (new, new_search)] = versions else { return None };
    let paths = changed::<L>(versions);
    let mut changed = Changed::of(versions, contents, &paths);
    let names = changed.names();
    if names.as_ref().is_some_and(Concerned::is_empty) {
        return with_imports(versions, contents, options, &paths);
    }
    let language = L::OUTLINES?;
    // Looking for a few words costs less than a glance at everything.
    let is_spelled = |names: &Concerned| {
        let others = files::<L>(new).filter(|(path, ..)| !paths.contains(*path)).map(|(_, file, _)| file);
        names.is_spelled_in_library(options) || names.is_spelled_in(others)
    };
    if !are_known::<L>(language, new, options) && names.as_ref().is_some_and(|names| !is_spelled(names)) {
        return with_imports(versions, contents, options, &paths);
    }
    let outlines = outlines(language, Pair::new(old, new), contents, options)?;
    let known = Known { outlines, contents, options };
    let (old_side, new_side) = sides(&known, Pair::new((*old, old_search), (*new, new_search)));
    let sides = Pair::new(&*old_side, &*new_side);
    changed.meet::<L>(sides, versions, options);
    if changed.stays_inside() {
        return with_imports(versions, contents, options, &paths);
    }
    let carries_any = |path: &str| {
        let file = new.get(path).or_else(|| old.get(path));
        let content = file.and_then(|file| contents.get((file.id, L::reading(path, &file.bytes)?)));
        content.is_some_and(|content| L::ties(path, &content.tree).carries_any)
    };
    let needed = needed::<L, _>(sides, Pair::new(old, new), &carries_any, &changed.concerns())?;
    drop(known);
    contents.parse_all(versions, Some(&needed));
    // What a text that cannot be understood has to do with others is not seen at a glance.
    with_imports(versions, contents, options, &needed).map(|_| needed)
}

type OneSide = Arc<Side<Arc<Ties>>>;

/// Both sides with all of their files. What was found out of a version before is not found out again, and where only texts
/// differ that import the same, both have the same form.
fn sides<'b, L: Language>(
    known: &Known<'_, 'b, L>,
    versions: Pair<(&'b Snapshot, &L::Search<'b>)>,
) -> (OneSide, OneSide) {
    let outlines = &known.options.outlines;
    let ids = versions.map(|(snapshot, _)| identity::<L>(snapshot, known.options));
    let noted = ids.map(|id| outlines.of_whole::<Side<Arc<Ties>>>(id?));
    let of = |(snapshot, search)| Arc::new(Walk::new(known, snapshot, search).side());
    let snapshots = versions.map(|(snapshot, _)| snapshot);
    let texts = || texts::<L>(known, snapshots);
    let (old, new) = match (&noted.old, &noted.new) {
        (Some(old), Some(new)) => return (old.clone(), new.clone()),
        (Some(old), None) => match texts() {
            Some(texts) => (old.clone(), Arc::new(old.with_texts(texts.new))),
            None => (old.clone(), of(versions.new)),
        },
        (None, Some(new)) => match texts() {
            Some(texts) => (Arc::new(new.with_texts(texts.old)), new.clone()),
            None => (of(versions.old), new.clone()),
        },
        (None, None) => match texts() {
            Some(texts) => {
                let old = of(versions.old);
                (old.clone(), Arc::new(old.with_texts(texts.new)))
            }
            None => rayon::join(|| of(versions.old), || of(versions.new)),
        },
    };
    for (id, noted, side) in [(ids.old, noted.old, &old), (ids.new, noted.new, &new)] {
        if let (Some(id), None) = (id, noted) {
            outlines.note_whole(id, side.clone());
        }
    }
    (old, new)
}

/// What identifies everything that decides about the form of a version, where that is worth to be known.
fn identity<L: Language>(snapshot: &Snapshot, options: &CheckOptions) -> Option<ContentId> {
    if !options.outlines.are_of_many_versions() || !options.library.is_empty() {
        return None;
    }
    let mut all = format!("{:?} {:?} {:?}", L::OUTLINES, options.include, options.roots).into_bytes();
    for (path, file) in snapshot.iter() {
        all.extend_from_slice(path.as_bytes());
        all.push(if snapshot.judges(path) { 0 } else { 1 });
        all.extend_from_slice(&file.id.0);
    }
    Some(ContentId::of(&all))
}

type Texts = Vec<(Arc<str>, ContentId, Arc<Ties>)>;

/// The texts that differ, where nothing else does that decides about the form of the versions: the same files have the same
/// roles, and each imports what it imported.
fn texts<L: Language>(known: &Known<'_, '_, L>, snapshots: Pair<&Snapshot>) -> Option<Pair<Texts>> {
    let Pair { old, new } = snapshots;
    if old.len() != new.len() || !old.has_roles_of(new) {
        return None;
    }
    let mut texts: Pair<Texts> = Pair::default();
    for path in old.differing(new) {
        let (before, after) = (old.get(path)?, new.get(path)?);
        L::reading(path, &before.bytes)?;
        let outline = |id: &ContentId| known.outlines.get(id);
        let (was, is) = (outline(&before.id)?, outline(&after.id)?);
        if was.imports != is.imports {
            return None;
        }
        texts.old.push((path.clone(), before.id, was.ties.clone()));
        texts.new.push((path.clone(), after.id, is.ties.clone()));
    }
    Some(texts)
}

/// Whether it is known of most texts of a version what they say at a glance.
fn are_known<L: Language>(language: &'static str, snapshot: &Snapshot, options: &CheckOptions) -> bool {
    let ids: Vec<ContentId> = files::<L>(snapshot).map(|(_, file, _)| file.id).collect();
    options.outlines.known(language, ids.iter().copied()).len() * 2 > ids.len()
}

/// What all texts of both versions say at a glance; `None` where one cannot be read.
fn outlines<L: Language>(
    language: &'static str,
    snapshots: Pair<&Snapshot>,
    contents: &Contents<'_, L>,
    options: &CheckOptions,
) -> Option<FxHashMap<ContentId, Arc<Outline>>> {
    let mut wanted: FxHashMap<ContentId, (&Bytes, L::Reading)> = FxHashMap::default();
    for side in [snapshots.old, snapshots.new] {
        wanted.extend(files::<L>(side).map(|(_, file, reading)| (file.id, (&file.bytes, reading))));
    }
    let mut outlines = options.outlines.known(language, wanted.keys().copied());
    wanted.retain(|id, _| !outlines.contains_key(id));
    let wanted: Vec<(ContentId, (&Bytes, L::Reading))> = wanted.into_iter().collect();
    let texts: Vec<&Bytes> = wanted.iter().map(|(_, (bytes, _))| *bytes).collect();
    let seen = Bytes::map(&texts, &|text| L::outline(text).map(Arc::new));
    let mut found = Vec::new();
    for ((id, (_, reading)), seen) in wanted.into_iter().zip(seen) {
        match seen? {
            Some(outline) => found.push((id, outline)),
            // What a parser says is not noted: it changes with the parser.
            None => {
                let outline = Outline::of::<L>("", &contents.get((id, reading))?.tree);
                outlines.insert(id, Arc::new(outline));
            }
        }
    }
    options.outlines.note(language, found.iter().cloned());
    outlines.extend(found);
    Some(outlines)
}

impl Outline {
    fn of<L: Language>(path: &str, tree: &L::Tree<'_>) -> Self {
        let imports = L::imports(tree).into_iter().map(|import| import.path.to_owned()).collect();
        Outline { imports, ties: Arc::new(L::ties(path, tree)) }
    }
}

/// What is known before anything is followed.
struct Known<'k, 'b, L: Language> {
    outlines: FxHashMap<ContentId, Arc<Outline>>,
    contents: &'k Contents<'b, L>,
    options: &'b CheckOptions,
}

/// The files of one version with what they import, as [`gather`] finds them.
struct Walk<'w, 'b, L: Language> {
    known: &'w Known<'w, 'b, L>,
    snapshot: &'b Snapshot,
    search: &'w L::Search<'b>,
    entered: FxHashMap<Target, usize>,
    /// Where imports lead wherever they are written.
    targets: FxHashMap<Box<str>, Option<usize>>,
    /// Where they lead that are written in a folder.
    targets_here: FxHashMap<Box<str>, Option<usize>>,
    folder: String,
    graph: Graph,
    outlines: Vec<Arc<Outline>>,
}

impl<'w, 'b, L: Language> Walk<'w, 'b, L> {
    fn new(known: &'w Known<'w, 'b, L>, snapshot: &'b Snapshot, search: &'w L::Search<'b>) -> Self {
        Walk {
            known,
            snapshot,
            search,
            entered: FxHashMap::default(),
            targets: FxHashMap::default(),
            targets_here: FxHashMap::default(),
            folder: String::new(),
            graph: Graph::default(),
            outlines: Vec::new(),
        }
    }

    fn side(mut self) -> Side<Arc<Ties>> {
        for (path, ..) in files::<L>(self.snapshot) {
            if self.snapshot.judges(path)
                && self.search.judges(path)
                && let Some(index) = self.enter(Target::File(path.clone()))
            {
                self.graph.files[index].import_path = Arc::from(self.search.import_path(path));
            }
        }
        self.graph.judged = self.graph.files.len();
        let mut next = 0;
        while next < self.graph.files.len() {
            self.follow(next);
            next += 1;
        }
        let files = self.graph.files.iter().enumerate();
        let references = files.flat_map(|(from, file)| file.imports.iter().flatten().map(move |to| (from, *to)));
        let mut references: Vec<(usize, usize)> = references.collect();
        references.sort_unstable();
        references.dedup();
        self.graph.references = references;
        Side::of(self.graph, self.outlines.into_iter().map(|outline| outline.ties.clone()).collect())
    }

    /// The place of a file, which is entered where it is not yet.
    fn enter(&mut self, target: Target) -> Option<usize> {
        if let Some(index) = self.entered.get(&target) {
            return Some(*index);
        }
        let (path, id, outline): (Arc<str>, _, _) = match &target {
            Target::File(path) => {
                let id = self.snapshot.get(path)?.id;
                (path.clone(), Some(id), self.known.outlines.get(&id)?.clone())
            }
            Target::Library(index) => {
                let path = &*self.known.options.library[*index].import_path;
                let content = self.known.contents.of_library(*index, L::reading_by_name(path)?);
                (Arc::from(path), None, Arc::new(Outline::of::<L>(path, &content.tree)))
            }
            Target::Builtin(path) => {
                let (path, tree) = L::builtin(path)?;
                (Arc::from(path), None, Arc::new(Outline::of::<L>(path, tree)))
            }
        };
        let node = Node { import_path: path.clone(), path, id, imports: Vec::new(), is_broken: false };
        self.graph.files.push(node);
        self.outlines.push(outline);
        self.entered.insert(target, self.graph.files.len() - 1);
        Some(self.graph.files.len() - 1)
    }

    fn follow(&mut self, index: usize) {
        let (outline, path) = (self.outlines[index].clone(), self.graph.files[index].path.clone());
        let found = outline.imports.iter().map(|import| self.target(&path, import)).collect();
        self.graph.files[index].imports = found;
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
