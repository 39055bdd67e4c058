//! What stands in files: each distinct content is parsed once, in however many versions and under however many paths,
//! and only where somebody asks.

use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::language::{Content, Contents, Language, Slot, Supplied, reading_in};
use super::search::Search;
use crate::formats::check::CheckOptions;
use crate::ordered::InOrder;
use crate::parallel;
use crate::snapshot::{Bytes, ContentId, Snapshot, SnapshotFile};

/// Fewer bytes than this are read sooner than they are handed to another thread.
const WORTH_SHARING: usize = 1 << 18;

impl<'b, L: Language> Contents<'b, L> {
    /// What can be parsed; nothing is yet.
    pub(super) fn of(versions: &[(&'b Snapshot, L::Search<'b>)], options: &'b CheckOptions) -> Self {
        let most = versions.iter().map(|(snapshot, _)| snapshot.len()).max().unwrap_or_default();
        let mut by_id: FxHashMap<(ContentId, L::Reading), Slot<'b, L>> = FxHashMap::default();
        by_id.reserve(most);
        let mut add = |snapshot: &Snapshot, path: &'b Arc<str>, file: &'b SnapshotFile| {
            let Some(reading) = reading_in::<L>(snapshot, path, &file.bytes) else { return };
            let slot = || Slot { path, bytes: &file.bytes, content: OnceLock::new(), is_forgotten: false };
            by_id.entry((file.id, reading)).or_insert_with(slot);
        };
        let mut before: Option<&Snapshot> = None;
        for (snapshot, _) in versions {
            match before {
                None => snapshot.iter().for_each(|(path, file)| add(snapshot, path, file)),
                // What is the same is there already.
                Some(before) => {
                    let differing = snapshot.differing(before).into_iter();
                    let there = differing.filter_map(|path| snapshot.entry(path));
                    there.for_each(|(path, file)| add(snapshot, path, file));
                }
            }
            before = Some(snapshot);
        }
        let library = options.library.iter().map(|_| OnceLock::new()).collect();
        Contents { by_id, library, supplied: FxHashMap::default(), options, is_large: false }
    }

    /// Parses what is judged in some version; where only some files are named, these.
    pub(super) fn parse_all(&mut self, versions: &[(&'b Snapshot, L::Search<'b>)], only: Option<&FxHashSet<Arc<str>>>) {
        let is_meant = |path: &Arc<str>| only.is_none_or(|only| only.contains(path));
        let judged = versions.iter().flat_map(|(snapshot, search)| {
            let is_judged = move |path: &Arc<str>| snapshot.judges(path) && search.judges(path);
            files::<L>(snapshot).filter(move |(path, ..)| is_meant(path) && is_judged(path))
        });
        let judged: Vec<_> = judged.collect();
        Bytes::read_all(judged.iter().map(|(_, file, _)| &file.bytes));
        let mut wanted: Vec<_> =
            judged.into_iter().map(|(_, file, reading)| ((file.id, reading), file.bytes.len())).collect();
        wanted.sort_in_order_by_key(|(key, _)| key.0);
        wanted.dedup();
        self.is_large = wanted.iter().map(|(_, length)| length).sum::<usize>() > WORTH_SHARING;
        let parse = |(key, _): &((ContentId, L::Reading), usize)| {
            if let Some(slot) = self.by_id.get(key) {
                slot.content(key.1);
            }
        };
        match self.is_large {
            true => parallel::each(wanted.len(), &|at| parse(&wanted[at])),
            false => wanted.iter().for_each(parse),
        }
        let snapshots: Vec<&'b Snapshot> = versions.iter().map(|(snapshot, _)| *snapshot).collect();
        self.supplied = L::supplied(self, &snapshots, self.options);
    }

    /// Forgets what the other files say: a comparison that looks at some has no use for it, and it takes more room than all
    /// that is made of these.
    pub(super) fn keep_only(&mut self, versions: &[(&'b Snapshot, L::Search<'b>)], paths: &FxHashSet<Arc<str>>) {
        let kept = versions.iter().flat_map(|(side, _)| paths.iter().filter_map(|path| Some(side.get(path)?.id)));
        let kept: FxHashSet<ContentId> = kept.collect();
        for (_, slot) in self.by_id.iter_mut().filter(|((id, _), _)| !kept.contains(id)) {
            slot.is_forgotten |= slot.content.take().is_some();
        }
    }

    /// Whether it pays to work on several threads.
    pub(super) const fn is_large(&self) -> bool {
        self.is_large
    }

    /// How many contents were parsed.
    pub(super) fn parsed(&self) -> usize {
        let was_parsed = |slot: &&Slot<'b, L>| slot.is_forgotten || slot.content.get().is_some();
        let of_versions = self.by_id.values().filter(was_parsed).count();
        of_versions + self.library.iter().filter(|content| content.get().is_some()).count()
    }

    /// What a content says, read in some way.
    pub(crate) fn get(&self, (id, reading): (ContentId, L::Reading)) -> Option<&Content<'b, L>> {
        self.by_id.get(&(id, reading)).map(|slot| slot.content(reading))
    }

    /// What a file of the library says.
    pub(crate) fn of_library(&self, index: usize, reading: L::Reading) -> &Content<'b, L> {
        let file = &self.options.library[index];
        self.library[index].get_or_init(|| L::parse(reading, &Arc::from(file.import_path.as_str()), &file.bytes))
    }

    /// What a content says with the help of others, where it needs it.
    pub(super) fn supplied(&self, id: ContentId) -> Option<&Supplied<'b, L>> {
        self.supplied.get(&id)
    }
}

impl<'b, L: Language> Slot<'b, L> {
    fn content(&self, reading: L::Reading) -> &Content<'b, L> {
        self.content.get_or_init(|| Box::new(L::parse(reading, self.path, self.bytes)))
    }
}

/// The files of a version that are the language's, and how they are read.
pub(crate) fn files<L: Language>(snapshot: &Snapshot) -> impl Iterator<Item = (&Arc<str>, &SnapshotFile, L::Reading)> {
    snapshot.iter().filter_map(|(path, file)| Some((path, file, reading_in::<L>(snapshot, path, &file.bytes)?)))
}
