//! Files in the order of their paths, in pieces that versions share: what is made of another version costs what differs, and
//! what is found out of a piece is found out once for all versions that have it.
//!
//! Where a piece begins is told by the path that it begins with, so that the same files make the same pieces, whatever they
//! were made of. Only where paths were chosen to prevent that a piece is cut because it is long.

use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxBuildHasher;

use crate::ordered::InOrder;

use super::content::{ContentId, SnapshotFile};

/// A piece begins at one path of so many.
const USUAL: u64 = 64;

/// No piece is longer.
const LONGEST: usize = 1024;

/// A file by its path.
type Entry = (Arc<str>, SnapshotFile);

/// Files whose paths follow each other, and what is found out of them when somebody asks.
#[derive(Debug, Default)]
struct Leaf {
    files: Vec<Entry>,
    /// Their places by what the last parts of the paths hash to, in order.
    by_name: OnceLock<Vec<(u64, usize)>>,
    digest: OnceLock<ContentId>,
    /// The extensions of the paths, and how many have each.
    extensions: OnceLock<Vec<(Box<str>, usize)>>,
    /// Whether all of them are read when they are wanted.
    are_later: OnceLock<bool>,
}

impl Clone for Leaf {
    /// A clone is made to be changed.
    fn clone(&self) -> Self {
        Leaf::of(self.files.clone())
    }
}

impl Leaf {
    fn of(files: Vec<Entry>) -> Self {
        Leaf { files, ..Leaf::default() }
    }

    /// The files, to be changed.
    fn files_mut(&mut self) -> &mut Vec<Entry> {
        (self.by_name, self.digest, self.extensions, self.are_later) = Default::default();
        &mut self.files
    }

    fn find(&self, path: &str) -> Result<usize, usize> {
        self.files.binary_search_by(|(own, _)| (**own).cmp(path))
    }

    fn extensions(&self) -> &[(Box<str>, usize)] {
        self.extensions.get_or_init(|| {
            let mut found: Vec<(Box<str>, usize)> = Vec::new();
            for extension in self.files.iter().map(|(path, _)| extension_of(path)) {
                match found.iter_mut().find(|(known, _)| **known == *extension) {
                    Some((_, count)) => *count += 1,
                    None => found.push((Box::from(extension), 1)),
                }
            }
            found
        })
    }

    fn by_name(&self) -> &[(u64, usize)] {
        self.by_name.get_or_init(|| {
            let hash = |(at, (path, _)): (usize, &Entry)| (FxBuildHasher.hash_one(name_of(path)), at);
            let mut by_name: Vec<(u64, usize)> = self.files.iter().enumerate().map(hash).collect();
            by_name.sort_in_order();
            by_name
        })
    }

    fn digest(&self) -> &ContentId {
        self.digest.get_or_init(|| {
            let mut all = Vec::new();
            for (path, file) in &self.files {
                all.extend_from_slice(path.as_bytes());
                all.push(0);
                all.extend_from_slice(&file.id.0);
            }
            ContentId::of(&all)
        })
    }

    fn are_later(&self) -> bool {
        *self.are_later.get_or_init(|| self.files.iter().all(|(_, file)| file.bytes.are_later()))
    }
}

/// The last part of a path.
pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// What stands behind the last dot of a path's last part; nothing where it has none.
fn extension_of(path: &str) -> &str {
    name_of(path).rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Whether a piece begins at a path.
fn is_first(path: &str) -> bool {
    FxBuildHasher.hash_one(path).is_multiple_of(USUAL)
}

/// Files by their paths.
#[derive(Debug, Clone, Default)]
pub(super) struct Leaves {
    /// None of them is empty.
    leaves: Vec<Arc<Leaf>>,
    length: usize,
}

impl Leaves {
    /// Files in any order; of equal paths the last one counts.
    pub(super) fn of(mut files: Vec<Entry>) -> Self {
        let is_in_order = files.is_sorted_by(|(one, _), (other, _)| one < other);
        if !is_in_order {
            files.sort_in_order_by(|(one, _), (other, _)| one.cmp(other));
            // The first of equal ones is kept, which is the last one this way around.
            files.reverse();
            files.dedup_by(|(one, _), (other, _)| one == other);
            files.reverse();
        }
        let length = files.len();
        let (mut leaves, mut open): (Vec<Arc<Leaf>>, Vec<Entry>) = (Vec::new(), Vec::new());
        for entry in files {
            if !open.is_empty() && (open.len() == LONGEST || is_first(&entry.0)) {
                leaves.push(Arc::new(Leaf::of(std::mem::take(&mut open))));
            }
            open.push(entry);
        }
        if !open.is_empty() {
            leaves.push(Arc::new(Leaf::of(open)));
        }
        Leaves { leaves, length }
    }

    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &SnapshotFile)> {
        self.leaves.iter().flat_map(|leaf| &leaf.files).map(|(path, file)| (path, file))
    }

    /// Those at a path or behind it.
    pub(super) fn from(&self, path: &str) -> impl Iterator<Item = (&Arc<str>, &SnapshotFile)> {
        let leaves = self.leaves.get(self.leaf(path)..).unwrap_or_default();
        let files = leaves.iter().flat_map(|leaf| &leaf.files).map(|(path, file)| (path, file));
        files.skip_while(move |(other, _)| ***other < *path)
    }

    /// The place of the piece in which a path stands, or would.
    fn leaf(&self, path: &str) -> usize {
        self.leaves
            .partition_point(|leaf| leaf.files.first().is_some_and(|(first, _)| **first <= *path))
            .saturating_sub(1)
    }

    pub(super) fn get(&self, path: &str) -> Option<(&Arc<str>, &SnapshotFile)> {
        let leaf = self.leaves.get(self.leaf(path))?;
        leaf.find(path).ok().map(|at| (&leaf.files[at].0, &leaf.files[at].1))
    }

    pub(super) fn get_mut(&mut self, path: &str) -> Option<&mut SnapshotFile> {
        let at = self.leaf(path);
        let leaf = self.leaves.get_mut(at)?;
        let found = leaf.find(path).ok()?;
        Some(&mut Arc::make_mut(leaf).files_mut()[found].1)
    }

    /// Adds or replaces a file.
    pub(super) fn insert(&mut self, path: Arc<str>, file: SnapshotFile) {
        let at = self.leaf(&path);
        let Some(leaf) = self.leaves.get_mut(at) else {
            self.leaves.push(Arc::new(Leaf::of(vec![(path, file)])));
            self.length = 1;
            return;
        };
        let files = Arc::make_mut(leaf).files_mut();
        let place = match files.binary_search_by(|(own, _)| own.cmp(&path)) {
            Ok(found) => {
                files[found].1 = file;
                return;
            }
            Err(place) => place,
        };
        let is_first = is_first(&path);
        files.insert(place, (path, file));
        self.length += 1;
        // What came in front of all others begins a piece in any case, and the next one does where it did before.
        let cut = match place {
            0 => files.get(1).filter(|(next, _)| self::is_first(next)).map(|_| 1),
            _ if is_first => Some(place),
            _ => (files.len() > LONGEST).then_some(LONGEST / 2),
        };
        if let Some(cut) = cut {
            let rest = files.split_off(cut);
            self.leaves.insert(at + 1, Arc::new(Leaf::of(rest)));
        }
    }

    /// Takes a file away.
    pub(super) fn remove(&mut self, path: &str) {
        let at = self.leaf(path);
        let Some(found) = self.leaves.get(at).and_then(|leaf| leaf.find(path).ok()) else { return };
        let files = Arc::make_mut(&mut self.leaves[at]).files_mut();
        files.remove(found);
        self.length -= 1;
        match files.first() {
            None => drop(self.leaves.remove(at)),
            // What a piece began with is gone: the rest goes on with the piece before it.
            Some((first, _)) if found == 0 && at > 0 && !is_first(first) => {
                let rest = std::mem::take(files);
                self.leaves.remove(at);
                Arc::make_mut(&mut self.leaves[at - 1]).files_mut().extend(rest);
            }
            Some(_) => {}
        }
    }

    /// The paths that do not say the same in others: first those that stand here, then those that only stand there.
    pub(super) fn differing<'s>(&'s self, others: &'s Leaves) -> Vec<&'s Arc<str>> {
        let (mut found, mut only_there) = (Vec::new(), Vec::new());
        let (mut ours, mut theirs) = (Cursor::of(self), Cursor::of(others));
        loop {
            if let (Some(one), Some(other)) = (ours.whole(), theirs.whole())
                && Arc::ptr_eq(one, other)
            {
                ours.skip();
                theirs.skip();
                continue;
            }
            match (ours.entry(), theirs.entry()) {
                (Some((path, file)), Some((other, theirs_file))) if path == other => {
                    if file.id != theirs_file.id {
                        found.push(path);
                    }
                    ours.step();
                    theirs.step();
                }
                (Some((path, _)), Some((other, _))) if path > other => {
                    only_there.push(other);
                    theirs.step();
                }
                (Some((path, _)), _) => {
                    found.push(path);
                    ours.step();
                }
                (None, Some((other, _))) => {
                    only_there.push(other);
                    theirs.step();
                }
                (None, None) => break,
            }
        }
        found.extend(only_there);
        found
    }

    /// The paths whose last part is this name.
    pub(super) fn named(&self, name: &str) -> impl Iterator<Item = &Arc<str>> {
        let hash = FxBuildHasher.hash_one(name);
        let in_leaf = move |leaf: &'_ Arc<Leaf>| {
            let by_name = leaf.by_name();
            let from = by_name.partition_point(|(other, _)| *other < hash);
            let until = by_name.partition_point(|(other, _)| *other <= hash);
            from..until
        };
        let places = self
            .leaves
            .iter()
            .flat_map(move |leaf| in_leaf(leaf).map(move |at| leaf.by_name()[at].1).map(move |at| &leaf.files[at].0));
        places.filter(move |path| name_of(path) == name)
    }

    /// Those with extensions that are meant.
    pub(super) fn with_extension(
        &self,
        is_meant: impl Fn(&str) -> bool + Copy,
    ) -> impl Iterator<Item = (&Arc<str>, &SnapshotFile)> {
        let leaves =
            self.leaves.iter().filter(move |leaf| leaf.extensions().iter().any(|(extension, _)| is_meant(extension)));
        let files = leaves.flat_map(|leaf| &leaf.files).map(|(path, file)| (path, file));
        files.filter(move |(path, _)| is_meant(extension_of(path)))
    }

    /// How many files have which extension; one may be told several times.
    pub(super) fn extensions(&self) -> impl Iterator<Item = (&str, usize)> {
        self.leaves.iter().flat_map(|leaf| leaf.extensions()).map(|(extension, count)| (&**extension, *count))
    }

    /// Those that need not be read any more.
    pub(super) fn at_hand(&self) -> impl Iterator<Item = (&Arc<str>, &SnapshotFile)> {
        let leaves = self.leaves.iter().filter(|leaf| !leaf.are_later());
        let files = leaves.flat_map(|leaf| &leaf.files).map(|(path, file)| (path, file));
        files.filter(|(_, file)| !file.bytes.are_later())
    }

    /// What identifies all paths and contents.
    pub(super) fn digest(&self) -> ContentId {
        ContentId::of(&self.leaves.iter().flat_map(|leaf| leaf.digest().0).collect::<Vec<u8>>())
    }
}

/// A place among files.
struct Cursor<'l> {
    leaves: &'l [Arc<Leaf>],
    at: usize,
}

impl<'l> Cursor<'l> {
    fn of(leaves: &'l Leaves) -> Self {
        Cursor { leaves: &leaves.leaves, at: 0 }
    }

    /// The piece that begins here.
    fn whole(&self) -> Option<&'l Arc<Leaf>> {
        self.leaves.first().filter(|_| self.at == 0)
    }

    fn skip(&mut self) {
        self.leaves = self.leaves.get(1..).unwrap_or_default();
        self.at = 0;
    }

    fn entry(&self) -> Option<(&'l Arc<str>, &'l SnapshotFile)> {
        self.leaves.first().and_then(|leaf| leaf.files.get(self.at)).map(|(path, file)| (path, file))
    }

    fn step(&mut self) {
        self.at += 1;
        if self.leaves.first().is_some_and(|leaf| self.at >= leaf.files.len()) {
            self.skip();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ordered::OrderedMap;

    use proptest::prelude::*;

    use super::*;

    fn file(content: u8) -> SnapshotFile {
        SnapshotFile { id: ContentId::of(&[content]), bytes: vec![content].into() }
    }

    fn path(number: u16) -> Arc<str> {
        Arc::from(format!("a{}/b{}.{}", number % 7, number, ["proto", "avsc", "x"][usize::from(number % 3)]))
    }

    fn leaves(files: &OrderedMap<Arc<str>, u8>) -> Leaves {
        Leaves::of(files.iter().map(|(path, content)| (path.clone(), file(*content))).collect())
    }

    /// What pieces are and what they say, in short.
    fn shape(leaves: &Leaves) -> Vec<(String, usize)> {
        leaves.leaves.iter().map(|leaf| (leaf.files[0].0.to_string(), leaf.files.len())).collect()
    }

    proptest! {
        #[test]
        fn the_same_files_make_the_same_pieces(
            before in prop::collection::btree_map(0_u16..600, 0_u8..3, 0..500),
            edits in prop::collection::vec((0_u16..600, prop::option::of(0_u8..3)), 0..200),
        ) {
            let before: OrderedMap<Arc<str>, u8> = before.into_iter().map(|(number, content)| (path(number), content)).collect();
            let (first, mut model) = (leaves(&before), before.clone());
            let mut edited = first.clone();
            for (number, content) in edits {
                let path = path(number);
                match content {
                    Some(content) => {
                        model.insert(path.clone(), content);
                        edited.insert(path, file(content));
                    }
                    None => {
                        model.remove(&path);
                        edited.remove(&path);
                    }
                }
            }
            let anew = leaves(&model);
            prop_assert_eq!(shape(&edited), shape(&anew));
            prop_assert_eq!(edited.digest(), anew.digest());
            prop_assert_eq!((edited.len(), edited.iter().count()), (model.len(), model.len()));
            let ids = |leaves: &Leaves| leaves.iter().map(|(path, file)| (path.clone(), file.id)).collect::<Vec<_>>();
            prop_assert_eq!(ids(&edited), ids(&anew));
            prop_assert_eq!(shape(&first), shape(&leaves(&before)));
            let mut differing: Vec<&Arc<str>> = first.differing(&edited);
            differing.sort_in_order();
            let all: crate::ordered::OrderedSet<&Arc<str>> = before.keys().chain(model.keys()).collect();
            let expected: Vec<&Arc<str>> = all.into_iter().filter(|path| before.get(*path) != model.get(*path)).collect();
            prop_assert_eq!(differing, expected);
            for path in before.keys().chain(model.keys()) {
                prop_assert_eq!(edited.get(path).map(|(_, file)| file.id), model.get(path).map(|content| file(*content).id));
                let named: Vec<&Arc<str>> = edited.named(name_of(path)).collect();
                prop_assert_eq!(named, model.keys().filter(|other| name_of(other) == name_of(path)).collect::<Vec<_>>());
            }
            let schemas = edited.with_extension(|extension| extension == "avsc").map(|(path, _)| path);
            prop_assert_eq!(schemas.collect::<Vec<_>>(), model.keys().filter(|path| path.ends_with(".avsc")).collect::<Vec<_>>());
            let counted: usize = edited.extensions().filter(|(extension, _)| *extension == "x").map(|(_, count)| count).sum();
            prop_assert_eq!(counted, model.keys().filter(|path| path.ends_with(".x")).count());
            let behind: Vec<&Arc<str>> = edited.from("a3/").map(|(path, _)| path).collect();
            prop_assert_eq!(behind, model.keys().filter(|path| &***path >= "a3/").collect::<Vec<_>>());
        }
    }

    #[test]
    fn of_equal_paths_the_last_one_counts() {
        let files = [("b", 1), ("a", 1), ("b", 2)].map(|(path, content)| (Arc::from(path), file(content)));
        let leaves = Leaves::of(files.to_vec());
        assert_eq!(leaves.len(), 2);
        assert_eq!(leaves.get("b").map(|(_, file)| file.id), Some(file(2).id));
    }

    #[test]
    fn no_piece_is_long_whatever_its_paths() {
        let paths = (0_u32..).map(|number| format!("{number:08}")).filter(|path| !is_first(path));
        let files: Vec<Entry> = paths.take(5 * LONGEST).map(|path| (Arc::from(path), file(0))).collect();
        let mut one_by_one = Leaves::default();
        files.iter().for_each(|(path, file)| one_by_one.insert(path.clone(), file.clone()));
        for leaves in [Leaves::of(files.clone()), one_by_one] {
            assert!(leaves.leaves.iter().all(|leaf| leaf.files.len() <= LONGEST));
            assert_eq!(
                leaves.iter().map(|(path, _)| path).collect::<Vec<_>>(),
                files.iter().map(|(path, _)| path).collect::<Vec<_>>()
            );
        }
    }
}
