//! What versions of a repository hold: trees, the index and the work tree, with their links and submodules.

use std::ffi::OsString;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::later::{Store, later};
use super::lineage::{Listed, Replaced, with_replaced};
use super::noted::Noted;
use super::{ObjectFormat, Repository, Tree, below, git_failed, no_work_tree};
use crate::change::Pair;
use crate::failure::Failure;
use crate::formats::may_wait;
use crate::ordered::{OrderedMap, OrderedSet};
use crate::parallel;
use crate::snapshot::Snapshot;
use crate::source::dir::{DiskFile, Read, read_all};
use crate::source::listing::{Held, Laid, Listing, Stands};
use crate::source::names::{is_relevant, may_be_referred_to, path_of, path_text};
use crate::source::object::ObjectId;
use crate::source::sought::Sought;

/// Submodules of submodules are entered so deep.
const MOST_NESTED: usize = 5;

/// Into which files of the work tree one looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looks {
    /// Into all.
    Everywhere,
    /// Not into those that are what the index says, as far as it notes that.
    WhereNoted,
}

/// One line of `git ls-tree` or `git ls-files`.
struct Entry<'o> {
    /// `S` for what a sparse checkout leaves out, `?` for what is not tracked.
    tag: u8,
    /// Whether somebody told git that the file does not change (`--assume-unchanged`).
    is_assumed: bool,
    mode: &'o [u8],
    /// Absent of what is not tracked.
    id: Option<ObjectId>,
    stage: &'o [u8],
    /// As git spells it.
    name: &'o [u8],
    /// What the index notes of the file, where that was asked for.
    noted: Option<Noted>,
}

const LINK: &[u8] = b"120000";
const SUBMODULE: &[u8] = b"160000";
const NOTHING: &[u8] = b"000000";

/// What `git diff-tree` printed of a path: `:MODE MODE ID ID LETTER` and the path. Nothing in it where the file does not
/// count; `None` where it is no plain file on both sides.
pub(super) fn replaced_at(entry: &[u8], name: &[u8], counts: &dyn Fn(&str) -> bool) -> Option<Option<Replaced>> {
    let mut words = entry.strip_prefix(b":").unwrap_or_default().split(|byte| *byte == b' ');
    let (old, new, id) = (words.next()?, words.next()?, words.next()?);
    if [old, new].iter().any(|mode| !matches!(*mode, NOTHING) && !mode.starts_with(b"100")) {
        return None;
    }
    let path = path_of(name);
    let replaced = || (Arc::from(&*path), if old == NOTHING { None } else { ObjectId::read(id) });
    Some(counts(&path).then(replaced))
}

/// All that git printed of paths at which two versions differ. `None` where one of them is no plain file on both sides.
pub(super) fn replaced_among(printed: &[u8], counts: &dyn Fn(&str) -> bool) -> Option<Vec<Replaced>> {
    let mut parts = parts(printed);
    let mut replaced = Vec::new();
    while let (Some(entry), Some(name)) = (parts.next(), parts.next()) {
        replaced.extend(replaced_at(entry, name, counts)?);
    }
    Some(replaced)
}

/// What both sides hold at those of the paths at which no schemas lie by their names, but perhaps some that others refer to.
pub(super) fn aside_among(printed: &[u8]) -> Vec<ObjectId> {
    let mut parts = parts(printed);
    let mut aside = Vec::new();
    while let (Some(entry), Some(name)) = (parts.next(), parts.next()) {
        aside.extend(aside_at(entry, name));
    }
    aside
}

/// The same of one path.
pub(super) fn aside_at(entry: &[u8], name: &[u8]) -> impl Iterator<Item = ObjectId> {
    let words = entry.strip_prefix(b":").unwrap_or_default().split(|byte| *byte == b' ');
    let ids = words.skip(2).take(2).filter(|id| !id.iter().all(|byte| *byte == b'0'));
    let is_meant = may_be_referred_to(&path_of(name));
    ids.filter(move |_| is_meant).filter_map(ObjectId::read).collect::<Vec<_>>().into_iter()
}

/// A folder of a version, as git spells it.
fn tree_ish((tree, folder): (&str, &str)) -> String {
    if folder.is_empty() { tree.to_owned() } else { format!("{tree}:{folder}") }
}

/// What `git ls-tree` printed.
fn entries_of_tree(listed: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    parts(listed).filter_map(Entry::of_tree)
}

/// What stands before, between and behind zero bytes.
pub(super) fn parts(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = memchr::memchr(0, text);
        rest = end.map(|end| &text[end + 1..]);
        Some(&text[..end.unwrap_or(text.len())])
    })
}

impl Repository {
    /// The relevant files of a folder of a tree-ish, without their bytes.
    pub(crate) fn list(&self, (tree, folder): (&str, &str)) -> Result<Tree, Failure> {
        if let Some(plain) = self.listed_by_index((tree, folder))? {
            return Ok(plain);
        }
        let listed = self.list_tree(&tree_ish((tree, folder)))?;
        if let Some(plain) = self.plain_tree(&listed) {
            return Ok(plain);
        }
        let listing = self.listing(|| entries_of_tree(&listed), 0)?;
        if folder.is_empty() || !listing.has_links("") {
            return Ok(Tree::of(listing.laid("", &self.sought)));
        }
        // Links may lead out of the folder, and stay in the version.
        Ok(Tree::of(self.listing_of_tree(tree, 0)?.laid(folder, &self.sought)))
    }

    /// The same of two versions. What they have in common is listed once.
    pub(crate) fn list_both(&self, sides: Pair<(&str, &str)>) -> Result<Pair<Tree>, Failure> {
        if sides.old == sides.new {
            let both = Tree { aside: Some(Vec::new()), ..self.list(sides.new)? };
            return Ok(Pair::new(both.clone(), both));
        }
        if sides.old.1.is_empty()
            && sides.new.1.is_empty()
            && let Some(both) = self.remembered(sides.map(|(tree, _)| tree))
        {
            return Ok(both);
        }
        let new = || self.list_plain(sides.new);
        let (new, replaced) = parallel::both(new, || self.replaced(sides));
        if let (Some(new), Ok((Some(replaced), aside))) = (new?, replaced) {
            return Ok(Pair::new(new.before(replaced), Tree { aside: Some(aside), ..new }));
        }
        let (old, new) = parallel::both(|| self.list(sides.old), || self.list(sides.new));
        Ok(Pair::new(old?, new?))
    }

    /// A version in which nothing has to be followed.
    fn list_plain(&self, version: (&str, &str)) -> Result<Option<Tree>, Failure> {
        match self.listed_by_index(version)? {
            Some(plain) => Ok(Some(plain)),
            None => Ok(self.plain_tree(&self.list_tree(&tree_ish(version))?)),
        }
    }

    /// What stood on the old side where the new one has something else, or nothing: the relevant files, and `None` where
    /// only the new one has a file; and what either holds aside. Nothing at all where links or submodules are concerned.
    fn replaced(&self, sides: Pair<(&str, &str)>) -> Result<(Option<Vec<Replaced>>, Vec<ObjectId>), Failure> {
        let question = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none"];
        let names = sides.map(tree_ish);
        let output = self.git(question.into_iter().chain([names.old.as_str(), names.new.as_str()]))?;
        if !output.status.success() {
            return Err(git_failed("compare two versions", &output));
        }
        let replaced = replaced_among(&output.stdout, &|path| self.sought.counts(path));
        Ok((replaced, aside_among(&output.stdout)))
    }

    pub(super) fn list_tree(&self, tree: &str) -> Result<Vec<u8>, Failure> {
        let output = self.git(["ls-tree", "-r", "-z", "--full-tree", tree])?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(git_failed("list the files of a version", &output)),
        }
    }

    /// A version in which every path is that of a file, as nearly all are: nothing has to be followed.
    fn plain_tree(&self, listed: &[u8]) -> Option<Tree> {
        let files = self.plain_files(listed, &|path| self.sought.counts(path))?;
        Some(Tree { files, ..Tree::default() })
    }

    /// The files of such a version that count.
    pub(super) fn plain_files(&self, listed: &[u8], counts: &dyn Fn(&str) -> bool) -> Option<Vec<Listed>> {
        let mut files = Vec::new();
        for entry in entries_of_tree(listed) {
            if entry.mode == LINK || entry.mode == SUBMODULE {
                return None;
            }
            let path = path_of(entry.name);
            if counts(&path) {
                files.push(Listed { path: Arc::from(path), blob: entry.id? });
            }
        }
        Some(files)
    }

    fn listing_of_tree(&self, tree: &str, nested: usize) -> Result<Listing<Held>, Failure> {
        let listed = self.list_tree(tree)?;
        self.listing(|| entries_of_tree(&listed), nested)
    }

    /// A listing of blobs. Only where there are links or submodules all paths are of interest.
    fn listing<'o, I: Iterator<Item = Entry<'o>>>(
        &self,
        entries: impl Fn() -> I,
        nested: usize,
    ) -> Result<Listing<Held>, Failure> {
        let is_plain = !entries().any(|entry| entry.mode == LINK || entry.mode == SUBMODULE);
        let (mut found, mut links) = (Vec::new(), Vec::new());
        for entry in entries() {
            let path = path_of(entry.name);
            let Some(id) = entry.id else { continue };
            match entry.mode {
                LINK => links.push((Arc::from(path), id)),
                SUBMODULE => found.push((Arc::from(path), Stands::Submodule(id.to_string()))),
                _ if is_plain && !self.sought.may_count(&path) => {}
                _ => found.push((Arc::from(path), Stands::File(Held::Blob(id)))),
            }
        }
        let mut listing = Listing::of(found);
        self.add_links(&mut listing, links)?;
        self.fill_submodules(&mut listing, nested)?;
        Ok(listing)
    }

    fn add_links(&self, listing: &mut Listing<Held>, links: Vec<(Arc<str>, ObjectId)>) -> Result<(), Failure> {
        let ids: Vec<ObjectId> = links.iter().map(|(_, id)| *id).collect();
        let targets = self.read_blobs(&ids)?;
        for ((path, _), target) in links.into_iter().zip(targets) {
            listing.insert(path, Stands::Link(path_text(&target.bytes)));
        }
        Ok(())
    }

    /// The folder that all work trees of the repository share.
    pub(crate) fn common_folder(&self) -> Result<Option<PathBuf>, Failure> {
        Ok(self.ask(["rev-parse", "--git-common-dir"])?.map(|folder| self.home.join(folder)))
    }

    /// Reads submodules at the commits that are named, where their objects are at hand.
    fn fill_submodules(&self, listing: &mut Listing<Held>, nested: usize) -> Result<(), Failure> {
        let unread = listing.unread_submodules();
        if unread.is_empty() || nested > MOST_NESTED {
            return Ok(());
        }
        let folders: Vec<&str> = unread.iter().map(|(folder, _)| folder.as_str()).collect();
        self.reach_submodules(&folders)?;
        for (folder, commit) in unread {
            if self.has_commit(&commit)?
                && let Ok(files) = self.listing_of_tree(&commit, nested + 1)
            {
                listing.fill(&folder, &commit, files);
            }
        }
        Ok(())
    }

    /// Has git find the objects of submodules. Their configuration is not read, and what an object holds is its name.
    fn reach_submodules(&self, folders: &[&str]) -> Result<(), Failure> {
        if self.git.alternates.get().is_some() {
            return Ok(());
        }
        let mut found = OrderedSet::new();
        if let Some(common) = self.common_folder()? {
            objects_below(&common.join("modules"), &mut found, 0);
        }
        for top in self.top.iter() {
            for folder in folders {
                let git = top.join(folder).join(".git");
                let git = match std::fs::read_to_string(&git) {
                    Ok(said) => top.join(folder).join(said.strip_prefix("gitdir:").unwrap_or_default().trim()),
                    Err(_) => git,
                };
                objects_below(&git, &mut found, MOST_NESTED);
            }
        }
        let inherited = std::env::var_os("GIT_ALTERNATE_OBJECT_DIRECTORIES").unwrap_or_default();
        let all =
            found.into_iter().chain(std::env::split_paths(&inherited).filter(|path| !path.as_os_str().is_empty()));
        let plain = all.filter(|path| std::env::join_paths([path]).is_ok_and(|path| !path.is_empty()));
        let _ = self.git.alternates.set(std::env::join_paths(plain).unwrap_or_default());
        self.pipe.close();
        Ok(())
    }

    /// The files of the work tree under a folder: tracked and untracked, not ignored, not deleted. What a sparse checkout
    /// leaves out is taken from the index.
    /// With a store, what is as in the index and need not be read at once is left to it.
    pub(crate) fn work_tree(&self, folder: &str, store: Option<&Arc<Store>>) -> Result<Snapshot, Failure> {
        let looks = if store.is_some() { Looks::WhereNoted } else { Looks::Everywhere };
        let mut listing = self.listing_of_work_tree(folder, looks, 0)?;
        if !folder.is_empty() && listing.has_links(folder) {
            listing = self.listing_of_work_tree("", looks, 0)?;
        }
        let place = self.top.as_ref().map(|top| if folder.is_empty() { top.clone() } else { top.join(folder) });
        self.snapshot_of_laid(listing.laid(folder, &self.sought), store.zip(place))
    }

    fn listing_of_work_tree(&self, folder: &str, looks: Looks, nested: usize) -> Result<Listing<Held>, Failure> {
        let top = self.top.as_deref().ok_or_else(no_work_tree)?;
        let question = ["ls-files", "-z", "-v", "--stage", "--cached", "--others", "--exclude-standard"];
        let mut arguments: Vec<OsString> = question.into_iter().map(OsString::from).collect();
        if looks == Looks::WhereNoted {
            arguments.push(OsString::from("--debug"));
        }
        if !folder.is_empty() {
            arguments.extend([OsString::from("--"), OsString::from(folder)]);
        }
        let output = self.git(arguments)?;
        if !output.status.success() {
            return Err(git_failed("list the files of the work tree", &output));
        }
        let entries = Entry::all_of_files(&output.stdout);
        let index = self.index.symlink_metadata().ok().and_then(|index| Noted::of(&index));
        let there = parallel::map(&entries, |entry| There::of(entry, top, index, &self.sought));
        let is_plain =
            !there.iter().any(|there| matches!(there, There::Link(_) | There::Submodule | There::SparseLink));
        let (mut found, mut links) = (Vec::new(), Vec::new());
        for (entry, there) in entries.into_iter().zip(there) {
            let path = path_of(entry.name);
            let is_wanted = !is_plain || self.sought.may_count(&path);
            let stands = match (there, entry.id) {
                (There::AsNoted, Some(id)) if is_wanted && may_wait(&path) => Stands::File(Held::Blob(id)),
                (There::File | There::AsNoted, _) if is_wanted => Stands::File(Held::Disk(below(top, entry.name))),
                (There::Sparse, Some(id)) if is_wanted => Stands::File(Held::Blob(id)),
                (There::File | There::AsNoted | There::Sparse | There::Gone, _) => continue,
                (There::Link(target), _) => Stands::Link(target),
                (There::SparseLink, id) => {
                    links.extend(id.map(|id| (Arc::from(path), id)));
                    continue;
                }
                (There::Submodule, id) => Stands::Submodule(id.map(|id| id.to_string()).unwrap_or_default()),
                (There::Unreadable(why), _) => Stands::Unreadable(why),
            };
            found.push((Arc::from(path), stands));
        }
        let mut listing = Listing::of(found);
        self.add_links(&mut listing, links)?;
        listing.drop_below_links();
        for (path, why) in not_opened(&output.stderr) {
            listing.insert(path, Stands::Unreadable(why));
        }
        self.fill_from_disk(&mut listing, top, nested)?;
        self.fill_submodules(&mut listing, nested)?;
        Ok(listing)
    }

    /// Submodules that are checked out are read from disk, like all of the work tree.
    fn fill_from_disk(&self, listing: &mut Listing<Held>, top: &Path, nested: usize) -> Result<(), Failure> {
        let checked_out = |(folder, _): &(String, String)| top.join(folder).join(".git").exists();
        let unread: Vec<(String, String)> = listing.unread_submodules().into_iter().filter(checked_out).collect();
        if unread.is_empty() || nested > MOST_NESTED {
            return Ok(());
        }
        let folders: Vec<&str> = unread.iter().map(|(folder, _)| folder.as_str()).collect();
        self.reach_submodules(&folders)?;
        for (folder, _) in &unread {
            let Some(inner) = Repository::discover(&top.join(folder), self.git.network)? else { continue };
            let Some(commit) = inner.find("HEAD")?.filter(|_| inner.prefix.is_empty()) else { continue };
            let files = inner.listing_of_work_tree("", Looks::Everywhere, nested + 1)?;
            listing.fill(folder, &commit.id, files);
        }
        Ok(())
    }

    fn snapshot_of_laid(&self, laid: Laid<Held>, store: Option<(&Arc<Store>, PathBuf)>) -> Result<Snapshot, Failure> {
        let (mut disk, mut blobs, mut waiting, mut lent) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (path, held, why) in laid.files {
            lent.extend(why.map(|why| (path.clone(), why)));
            match held {
                Held::Disk(file) => disk.push(DiskFile { disk: file, path: path.to_string() }),
                Held::Blob(id) => match store.as_ref().and_then(|(store, _)| later(store, &path, id)) {
                    Some(file) => waiting.push((path, file)),
                    None => blobs.push((path, id)),
                },
            }
        }
        let Read { snapshot: read, unreadable } = read_all(disk);
        let mut snapshot = Snapshot::of(waiting);
        if let Some((_, place)) = store {
            self.lying.set(&place, snapshot.iter().map(|(path, file)| (file.id, path.clone())));
        }
        read.iter().for_each(|(path, file)| snapshot.insert(path.clone(), file.clone()));
        let ids: Vec<ObjectId> = blobs.iter().map(|(_, id)| *id).collect();
        for ((path, _), file) in blobs.into_iter().zip(self.read_blobs(&ids)?) {
            snapshot.insert(path, file);
        }
        lent.into_iter()
            .filter(|(path, _)| snapshot.get(path).is_some())
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|(path, why)| snapshot.lend(path, why));
        laid.unseen.into_iter().for_each(|(path, unseen)| snapshot.hide(path, unseen));
        unreadable.into_iter().for_each(|(path, unseen)| snapshot.hide(path, unseen));
        Ok(snapshot)
    }

    /// The blobs of a version that are no schemas by their names.
    pub(crate) fn others_of_tree(&self, id: &str, folder: &str) -> Result<OrderedMap<String, Held>, Failure> {
        let output = self.git(["ls-tree", "-r", "-z", "--full-tree", &tree_ish((id, folder))])?;
        Ok(others(entries_of_tree(&output.stdout)))
    }

    /// The same of the index.
    pub(crate) fn others_of_index(&self) -> Result<OrderedMap<String, Held>, Failure> {
        let output = self.git(["ls-files", "--stage", "-z", "-t"])?;
        Ok(others(parts(&output.stdout).filter_map(Entry::of_files)))
    }

    /// The same of the work tree, of what is not as in a commit.
    pub(crate) fn others_of_work_tree(
        &self,
        folder: &str,
        old: Option<&str>,
    ) -> Result<OrderedMap<String, Held>, Failure> {
        let top = self.top.as_deref().ok_or_else(no_work_tree)?;
        let untracked = ["ls-files", "-z", "--others", "--exclude-standard"];
        let tracked = match old {
            // Looks at times and sizes and at no content, so that no filter is run.
            Some(old) => vec!["diff-index", "-z", "--name-only", "--no-ext-diff", "--no-renames", old],
            None => vec!["ls-files", "-z", "--cached"],
        };
        let mut found = OrderedMap::new();
        for question in [&tracked[..], &untracked[..]] {
            let output = self.git(question)?;
            for name in parts(&output.stdout).filter(|name| !name.is_empty()) {
                let path = path_text(name);
                let inside = if folder.is_empty() {
                    Some(&*path)
                } else {
                    path.strip_prefix(folder).and_then(|path| path.strip_prefix('/'))
                };
                if let Some(inside) = inside.filter(|path| !is_relevant(path)) {
                    found.insert(inside.to_owned(), Held::Disk(below(top, name)));
                }
            }
        }
        Ok(found)
    }

    /// The relevant files of the index, without their bytes: what the next commit holds. Git's own `GIT_INDEX_FILE` is
    /// honoured, because `git commit FILE` and `git commit --all` run hooks on an index of their own.
    pub(crate) fn staged(&self) -> Result<Tree, Failure> {
        if self.top.is_none() {
            return Err(no_work_tree());
        }
        let output = self.git(["ls-files", "--stage", "-z", "-t"])?;
        if !output.status.success() {
            return Err(git_failed("list what is staged", &output));
        }
        let entries = || parts(&output.stdout).filter_map(Entry::of_files);
        let unmerged: OrderedSet<String> = entries()
            .filter(|entry| entry.stage != b"0")
            .map(|entry| path_text(entry.name))
            .filter(|path| self.sought.counts(path))
            .collect();
        if !unmerged.is_empty() {
            return Err(super::not_merged(&unmerged));
        }
        let mut staged =
            Tree::of(self.listing(|| entries().filter(|entry| entry.stage == b"0"), 0)?.laid("", &self.sought));
        self.leave_out_announced(&mut staged)?;
        Ok(staged)
    }

    /// `git add --intent-to-add` puts an empty file into the index that no commit will hold.
    fn leave_out_announced(&self, staged: &mut Tree) -> Result<(), Failure> {
        let empty = match self.object_format {
            ObjectFormat::Sha1 => super::EMPTY_SHA1,
            ObjectFormat::Other => super::EMPTY_SHA256,
        };
        let blob = ObjectId::read(empty.blob.as_bytes());
        if staged.files.iter().all(|file| Some(file.blob) != blob) {
            return Ok(());
        }
        let listing = self.git([
            "diff-index",
            "--cached",
            "--no-ext-diff",
            "--ita-invisible-in-index",
            "--name-only",
            "-z",
            empty.tree,
        ])?;
        if !listing.status.success() {
            return Err(git_failed("list what is staged", &listing));
        }
        let committed: OrderedSet<String> = listing.stdout.split(|byte| *byte == 0).map(path_text).collect();
        let is_real =
            |file: &Listed| committed.contains(&*file.path) || staged.lent.iter().any(|(path, _)| *path == file.path);
        let (kept, announced): (Vec<Listed>, Vec<Listed>) = staged.files.iter().cloned().partition(is_real);
        staged.files = kept;
        staged.announced = announced.into_iter().map(|file| file.path.to_string()).collect();
        Ok(())
    }
}

impl Tree {
    fn of(laid: Laid<Held>) -> Tree {
        let mut tree = Tree { unseen: laid.unseen, ..Tree::default() };
        for (path, held, why) in laid.files {
            let Held::Blob(blob) = held else { continue };
            tree.lent.extend(why.map(|why| (path.clone(), why)));
            tree.files.push(Listed { path, blob });
        }
        tree
    }

    /// The same with other files in some places, or with none.
    fn before(&self, replaced: Vec<Replaced>) -> Tree {
        Tree { files: with_replaced(&self.files, replaced), ..Tree::default() }
    }
}

impl<'o> Entry<'o> {
    /// Whether a file is what the index says, and the index may be believed.
    fn is_still(&self, file: &Metadata, index: Option<Noted>) -> bool {
        let is_plain = self.tag == b'H' && !self.is_assumed && self.stage == b"0";
        is_plain && self.noted.is_some_and(|noted| noted.is_still(Noted::of(file), index))
    }

    /// What `git ls-files` printed, with or without what the index notes behind each name.
    fn all_of_files(output: &'o [u8]) -> Vec<Self> {
        let mut entries: Vec<Self> = Vec::new();
        for part in parts(output) {
            let noted = Noted::read(part);
            if let (Some((noted, _)), Some(entry)) = (noted, entries.last_mut()) {
                entry.noted = Some(noted);
            }
            entries.extend(Entry::of_files(noted.map_or(part, |(_, length)| &part[length..])));
        }
        entries
    }

    /// `MODE KIND ID\tNAME`
    fn of_tree(line: &'o [u8]) -> Option<Self> {
        let tab = memchr::memchr(b'\t', line)?;
        let words = &line[..tab];
        let (mode, id) = (&words[..memchr::memchr(b' ', words)?], &words[memchr::memrchr(b' ', words)? + 1..]);
        Some(Entry {
            tag: b'H',
            is_assumed: false,
            mode,
            id: ObjectId::read(id),
            stage: b"0",
            name: &line[tab + 1..],
            noted: None,
        })
    }

    /// `TAG MODE ID STAGE\tNAME`, or `? NAME`
    fn of_files(line: &'o [u8]) -> Option<Self> {
        let (tag, rest) = (*line.first()?, line.get(2..)?);
        if tag == b'?' {
            return Some(Entry { tag, is_assumed: false, mode: b"", id: None, stage: b"0", name: rest, noted: None });
        }
        let tab = memchr::memchr(b'\t', rest)?;
        let mut words = rest[..tab].split(|byte| *byte == b' ');
        let (mode, id, stage) = (words.next()?, words.next()?, words.next()?);
        let (is_assumed, tag) = (tag.is_ascii_lowercase(), tag.to_ascii_uppercase());
        Some(Entry { tag, is_assumed, mode, id: ObjectId::read(id), stage, name: &rest[tab + 1..], noted: None })
    }
}

fn others<'o>(entries: impl Iterator<Item = Entry<'o>>) -> OrderedMap<String, Held> {
    // Of a link it is what it says.
    let is_file = |entry: &Entry<'_>| entry.mode.starts_with(b"100") || entry.mode == LINK;
    let plain = entries.filter(|entry| is_file(entry) && entry.stage == b"0");
    let named = plain.filter_map(|entry| Some((path_text(entry.name), Held::Blob(entry.id?))));
    named.filter(|(path, _)| !is_relevant(path)).collect()
}

/// What the disk has of an entry.
enum There {
    File,
    /// A file that is what the index says.
    AsNoted,
    Link(String),
    Submodule,
    /// Left out of a sparse checkout, and in the index.
    Sparse,
    SparseLink,
    Unreadable(String),
    Gone,
}

impl There {
    fn of(entry: &Entry<'_>, top: &Path, index: Option<Noted>, sought: &Sought) -> There {
        if entry.mode == SUBMODULE {
            return There::Submodule;
        }
        let is_untracked = entry.tag == b'?';
        let path = path_of(entry.name);
        if !is_untracked && entry.mode != LINK && !sought.may_count(&path) {
            return There::File;
        }
        let disk = below(top, entry.name);
        match disk.symlink_metadata() {
            Ok(data) if data.is_file() && entry.is_still(&data, index) => There::AsNoted,
            Ok(data) if data.is_file() => There::File,
            Ok(data) if data.is_symlink() => match std::fs::read_link(&disk) {
                Ok(target) => There::Link(path_text(target.as_os_str().as_encoded_bytes())),
                Err(error) => There::Unreadable(error.kind().to_string()),
            },
            Ok(_) => There::Gone,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => match entry.tag {
                b'S' if entry.mode == LINK => There::SparseLink,
                b'S' => There::Sparse,
                _ => There::Gone,
            },
            Err(error) => There::Unreadable(error.kind().to_string()),
        }
    }
}

/// The folders that git says it could not look into.
fn not_opened(said: &[u8]) -> Vec<(String, String)> {
    let said = String::from_utf8_lossy(said);
    let of_line = |line: &str| {
        let (path, why) = line.strip_prefix("warning: could not open directory '")?.rsplit_once("': ")?;
        Some((path.trim_end_matches('/').to_owned(), why.to_owned()))
    };
    said.lines().filter_map(of_line).collect()
}

/// The object databases in a folder of repositories.
fn objects_below(folder: &Path, found: &mut OrderedSet<PathBuf>, nested: usize) {
    const DEEPEST: usize = 12;
    let objects = folder.join("objects");
    if objects.is_dir() && folder.join("HEAD").is_file() {
        found.extend(objects.canonicalize());
        return objects_below(&folder.join("modules"), found, nested + 1);
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|_| nested < DEEPEST) {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            objects_below(&entry.path(), found, nested + 1);
        }
    }
}
