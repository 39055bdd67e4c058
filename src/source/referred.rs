//! Files that belong to the schemas of a side whatever they are called: those that schemas refer to by other names than schemas
//! have, and those that these refer to.
//!
//! Of files that are here every one is asked what it refers to. Of those that are read later only those are asked that differ,
//! unless something differs that has no such name and may be such a file: then all are.

use std::cell::OnceCell;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use super::content::Content;
use super::dir::snapshot_file;
use super::git::{Looks, Repository};
use super::linked::LinkedFolders;
use super::listing::{Held, LONGEST_TARGET, MOST_HOPS};
use super::names::{may_be_referred_to, normalised};
use super::object::ObjectId;
use super::others::{LARGEST, MOST, Other, others, sizes, texts};
use super::place::Place;
use super::request::Request;
use crate::change::{Pair, Side};
use crate::failure::Failure;
use crate::formats::{Format, Reference, formats_of, leads, mapped, may_be, may_wait, references};
use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::snapshot::{Bytes, ContentId, Hidden, Lent, Snapshot, SnapshotFile, Unseen, name_of};

/// The paths of files.
type Paths = Vec<Arc<str>>;

/// What differs and has no name of a schema, in git and on disk.
#[derive(Debug, Clone, Default)]
struct Aside {
    blobs: Vec<ObjectId>,
    disk: Vec<PathBuf>,
}

/// A file that is read by another name, tentatively.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Called {
    format: Format,
    path: Arc<str>,
    name: Arc<str>,
}

/// Where two sides lie, and what is known of the files there that are no schemas by their names.
pub(super) struct Around<'a> {
    places: Pair<&'a Place>,
    repository: Option<&'a Repository>,
    /// The roots of imports inside the sides.
    include: Vec<String>,
    may_wait: bool,
    /// What differs and may be referred to, where git or the work tree showed it on the way.
    aside: Option<Aside>,
    listed: Pair<OnceCell<OrderedMap<String, Other>>>,
}

impl<'a> Around<'a> {
    pub(super) fn new(
        request: &Request,
        places: Pair<&'a Place>,
        repository: Option<&'a Repository>,
        contents: Pair<&Content>,
    ) -> Self {
        let aside = match contents.new {
            Content::Listed(tree) => tree.aside.clone().map(|blobs| {
                let disk = tree.on_disk.as_ref().map(|on_disk| on_disk.aside.clone());
                Aside { blobs, disk: disk.unwrap_or_default() }
            }),
            Content::Ready(_) | Content::Packed(_) | Content::Printed(_) => None,
        };
        Around {
            places,
            repository,
            include: request.include.iter().flat_map(|written| include_inside(request, repository, written)).collect(),
            may_wait: request.may_wait,
            aside,
            listed: Pair::default(),
        }
    }

    /// Puts what schemas refer to beside them, and says whether every file of the sides was asked.
    pub(super) fn take_in(&self, snapshots: &mut Pair<Snapshot>) -> Result<bool, Failure> {
        let (mut open, is_whole) = self.first(snapshots.as_ref())?;
        while !(open.old.is_empty() && open.new.is_empty()) {
            open = self.take_in_of(snapshots, &open)?;
        }
        Ok(is_whole)
    }

    /// The files that are asked first, and whether these are all.
    fn first<'s>(&self, sides: Pair<&'s Snapshot>) -> Result<(Pair<Paths>, bool), Failure> {
        let differing: OrderedSet<&Arc<str>> = sides.old.differing(sides.new).into_iter().collect();
        let is_alone = differing.is_empty()
            && self.aside.as_ref().is_some_and(|aside| aside.blobs.is_empty() && aside.disk.is_empty());
        if is_alone && self.may_wait {
            return Ok((Pair::default(), false));
        }
        let has_later =
            sides.new.iter().chain(sides.old.iter()).any(|(path, file)| may_wait(path) && !file.bytes.are_here());
        let is_whole = !has_later || !self.may_wait || self.has_candidates(sides)?;
        if !is_whole {
            // Whoever compares them wants to know what they say as well.
            let differing = || differing.iter().filter(|path| may_wait(path));
            let bytes = |side: &'s Snapshot| differing().filter_map(|path| side.get(path)).map(|file| &file.bytes);
            Bytes::read_all(bytes(sides.old).chain(bytes(sides.new)));
        }
        let first = sides.map(|side| {
            let is_new = |path: &Arc<str>| std::ptr::eq(side, sides.new) || differing.contains(path);
            let is_asked = |path: &Arc<str>| !may_wait(path) || is_whole || differing.contains(path);
            let paths = side.iter().map(|(path, _)| path).filter(|path| is_new(path) && is_asked(path));
            let schemas = paths.filter(|path| Format::of_path(path).is_some()).cloned();
            schemas.collect::<Paths>()
        });
        Ok((first, is_whole))
    }

    /// Whether something that differs and has no name of a schema may be in a language whose files are read later.
    fn has_candidates(&self, sides: Pair<&Snapshot>) -> Result<bool, Failure> {
        let later: Vec<Format> = Format::ALL.iter().copied().filter(|format| format.may_wait()).collect();
        let is_schema = |text: &[u8]| later.iter().any(|format| may_be(*format, text));
        let names = OnceCell::new();
        // Where nobody can say what there is, it may lead somewhere.
        let leads = |name: &str| {
            let names = names.get_or_init(|| self.names(sides).ok());
            names.as_ref().is_none_or(|names| name.is_empty() || names.contains(name))
        };
        let Some(repository) = self.repository else { return Ok(true) };
        let aside = match &self.aside {
            Some(aside) => aside.clone(),
            None => match self.differing_aside(repository)? {
                Some(differing) => differing,
                None => return Ok(true),
            },
        };
        let is_on_disk = aside.disk.iter().any(|file| {
            let Ok(data) = file.symlink_metadata() else { return false };
            let read = || std::fs::read(file).unwrap_or_default();
            let may_count = |text: &[u8]| is_schema(text) || target_of(text).is_some_and(|target| leads(&target));
            data.is_symlink() || data.is_file() && (data.len() > LARGEST || may_count(&read()))
        });
        if is_on_disk {
            return Ok(true);
        }
        let looks = |text: &[u8]| match target_of(text) {
            _ if is_schema(text) => Looks::Wanted,
            Some(target) => Looks::Link(target),
            None => Looks::Other,
        };
        repository.any_wanted(&aside.blobs, LARGEST, &looks, &leads)
    }

    /// The names of all files and folders of both sides.
    fn names<'n>(&'n self, sides: Pair<&'n Snapshot>) -> Result<OrderedSet<&'n str>, Failure> {
        let listed = [self.listed(Side::Old)?, self.listed(Side::New)?];
        let others = listed.into_iter().flat_map(|listed| listed.keys().map(String::as_str));
        let schemas = sides.old.iter().chain(sides.new.iter()).map(|(path, _)| &**path);
        Ok(others.chain(schemas).flat_map(|path| path.split('/')).collect())
    }

    /// What the sides hold at paths that are not the same on both.
    fn differing_aside(&self, repository: &Repository) -> Result<Option<Aside>, Failure> {
        if let (Place::GitFolder { id: old, .. }, Place::GitFolder { id: new, .. }) = (self.places.old, self.places.new)
            && let Some(blobs) = repository.aside_between(Pair::new(old, new))
        {
            return Ok(Some(Aside { blobs, disk: Vec::new() }));
        }
        let before = match self.places.old {
            Place::GitFolder { id, path, .. } if path.is_empty() => Some(id.as_str()),
            _ => None,
        };
        let is_partial = before.is_some() && matches!(self.places.new, Place::WorkTree { .. });
        let (new, old) = (
            others(self.places.new, Some(repository), before, LARGEST)?,
            others(self.places.old, Some(repository), None, LARGEST)?,
        );
        let (Some(new), Some(old)) = (new, old) else { return Ok(None) };
        let changed = new.keys().filter(|path| old.get(*path) != new.get(*path));
        let gone = old.keys().filter(|path| !is_partial && !new.contains_key(*path));
        let mut aside = Aside::default();
        for path in changed.chain(gone).filter(|path| may_be_referred_to(path)) {
            for other in [old.get(path), new.get(path)].into_iter().flatten() {
                match other {
                    Other::Held(Held::Blob(id)) => aside.blobs.push(*id),
                    Other::Held(Held::Disk(file)) => aside.disk.push(file.clone()),
                    Other::Packed(_) => return Ok(None),
                }
            }
        }
        Ok(Some(aside))
    }

    /// The folders of both sides in which imports may start.
    pub(super) fn roots(&self) -> impl Iterator<Item = &str> {
        self.include.iter().map(String::as_str).chain([""])
    }

    /// The files of a side that are no schemas by their names; none where nobody can say.
    pub(super) fn listed(&self, side: Side) -> Result<&OrderedMap<String, Other>, Failure> {
        let known = self.listed.side(side);
        if let Some(listed) = known.get() {
            return Ok(listed);
        }
        let listed = others(self.places.side(side), self.repository, None, LARGEST)?.unwrap_or_default();
        Ok(known.get_or_init(|| listed))
    }

    /// Takes in what some files refer to: these files, by the sides that have them.
    fn take_in_of(&self, snapshots: &mut Pair<Snapshot>, open: &Pair<Paths>) -> Result<Pair<Paths>, Failure> {
        let mut asked = Asked::of(snapshots.as_ref(), open.as_ref());
        let parts = self.include.iter().flat_map(|folder| folder.split(['/', '=']));
        asked.folders.extend(parts.map(str::to_owned));
        if asked.wanted.is_empty() {
            return Ok(Pair::default());
        }
        let Tentative { called, large } = self.call(snapshots, &asked)?;
        if called.is_empty() {
            return Ok(Pair::default());
        }
        let mut led: OrderedSet<(Format, Arc<str>)> = OrderedSet::new();
        for (format, from) in &asked.from {
            for side in [Side::Old, Side::New] {
                let paths = leads(*format, snapshots.side(side), &self.include, from);
                led.extend(paths.into_iter().map(|path| (*format, path)));
            }
        }
        let mut next: Pair<Paths> = Pair::default();
        for Called { format, path, name } in called {
            let is_led_to = led.contains(&(format, path.clone()));
            for of in [Side::Old, Side::New] {
                let (side, next) = match of {
                    Side::Old => (&mut snapshots.old, &mut next.old),
                    Side::New => (&mut snapshots.new, &mut next.new),
                };
                let large = large.get(&(of, path.clone()));
                if is_led_to && large.is_none() {
                    next.extend(side.path(&path).cloned());
                    continue;
                }
                side.call_off(&path, &name);
                if let Some(identity) = large.filter(|_| is_led_to) {
                    side.hide(path.clone(), too_large(identity.clone(), true));
                }
                if side.get(&path).is_none() {
                    side.claim(&path);
                }
            }
        }
        Ok(next)
    }

    /// The file to which a link leads within a side. What is no link is taken for one where all that it says is the path of
    /// another file, as it is where a system knows no links.
    fn behind(
        &self,
        (side, snapshot): (Side, &Snapshot),
        path: &str,
        bytes: &[u8],
    ) -> Result<Option<(Arc<str>, SnapshotFile)>, Failure> {
        let (mut at, mut text) = (path.to_owned(), Arc::<[u8]>::from(bytes));
        for _ in 0..MOST_HOPS {
            let folder = at.rsplit_once('/').map_or("", |(folder, _)| folder);
            let target = std::str::from_utf8(&text).ok().filter(|text| text.len() <= LONGEST_TARGET);
            let Some(real) = target.and_then(|target| normalised(folder, target)) else { break };
            if let Some((real, file)) = snapshot.entry(&real) {
                return Ok(Some((real.clone(), file.clone())));
            }
            let Some(other) = self.listed(side)?.get_key_value(&real) else { break };
            let Some((_, bytes)) = texts(&[other], self.repository)?.pop() else { break };
            (at, text) = (real, bytes);
        }
        Ok((at != path).then(|| (Arc::from(at), snapshot_file(text.to_vec()))))
    }

    /// Has every file that may be meant read as its language; which it was not before. On both sides: what one refers to is
    /// compared with what the other has there.
    fn call(&self, snapshots: &mut Pair<Snapshot>, asked: &Asked) -> Result<Tentative, Failure> {
        let mut tentative = Tentative::default();
        for side in [Side::Old, Side::New] {
            let snapshot = match side {
                Side::Old => &mut snapshots.old,
                Side::New => &mut snapshots.new,
            };
            let mut read = self.read((side, snapshot), asked, &mut tentative.large)?;
            let folders = LinkedFolders::of(self.listed(side)?, &asked.folders, self.repository)?;
            let mut behind: Vec<(Arc<str>, SnapshotFile)> = Vec::new();
            for (path, file) in &read {
                for other in folders.paths(path) {
                    if snapshot.get(&other).is_some() {
                        continue;
                    }
                    let why = snapshot.lent(path).cloned().unwrap_or_else(|| Lent::Link(path.clone()));
                    snapshot.lend(other.clone(), why);
                    if let Some(identity) = tentative.large.get(&(side, path.clone())).cloned() {
                        tentative.large.insert((side, other.clone()), identity);
                    }
                    behind.push((other, file.clone()));
                }
            }
            read.append(&mut behind);
            for (path, file) in read {
                for (format, ending) in asked.wanted.get(name_of(&path)).into_iter().flatten() {
                    if snapshot.get(&path).is_some() && formats_of(snapshot, &path).contains(format) {
                        continue;
                    }
                    let name: Arc<str> = Arc::from(format!("{path}{ending}"));
                    snapshot.call(&path, name.clone(), &file);
                    tentative.called.push(Called { format: *format, path: path.clone(), name });
                }
            }
        }
        tentative.called.sort_in_order();
        tentative.called.dedup();
        Ok(tentative)
    }

    /// The files of a side that may be meant. One that is too large to be read is empty, and noted.
    fn read(
        &self,
        (side, snapshot): (Side, &mut Snapshot),
        asked: &Asked,
        large: &mut Large,
    ) -> Result<Vec<(Arc<str>, SnapshotFile)>, Failure> {
        let listed = self.listed(side)?;
        let is_meant = |path: &&String| asked.wanted.contains_key(name_of(path)) && snapshot.get(path).is_none();
        let meant: Vec<(&String, &Other)> =
            listed.keys().filter(is_meant).filter_map(|path| listed.get_key_value(path)).collect();
        let mut read: Vec<(Arc<str>, SnapshotFile)> = Vec::new();
        for (path, bytes) in texts(&meant, self.repository)? {
            let behind = self.behind((side, snapshot), &path, &bytes)?;
            let path: Arc<str> = Arc::from(path);
            if let Some((real, file)) = behind {
                snapshot.lend(Arc::clone(&path), Lent::Link(real));
                read.push((path, file));
            } else {
                read.push((path, snapshot_file(bytes.to_vec())));
            }
        }
        let known: OrderedSet<Arc<str>> = read.iter().map(|(path, _)| path.clone()).collect();
        let left: Vec<(&String, &Other)> =
            meant.into_iter().take(MOST).filter(|(path, _)| !known.contains(path.as_str())).collect();
        let sizes = sizes(&left, self.repository)?;
        for ((path, other), _) in
            left.into_iter().zip(sizes).filter(|(_, size)| size.is_some_and(|size| size > LARGEST))
        {
            let path: Arc<str> = Arc::from(path.as_str());
            large.insert((side, path.clone()), identity(other));
            read.push((path, snapshot_file(Vec::new())));
        }
        let known = asked.wanted.keys().flat_map(|name| snapshot.named(name));
        read.extend(known.filter_map(|path| Some((path.clone(), snapshot.get(path)?.clone()))));
        Ok(read)
    }
}

/// What is known of the content of files that are too large to be read.
type Large = OrderedMap<(Side, Arc<str>), String>;

/// What is taken for files that schemas refer to.
#[derive(Default)]
struct Tentative {
    called: Vec<Called>,
    large: Large,
}

/// What git calls the content of a file that is too large to be compared; where it cannot be read, why.
pub(super) fn identity(other: &Other) -> String {
    match other {
        Other::Held(Held::Blob(id)) => id.to_string(),
        Other::Held(Held::Disk(disk)) => {
            let read = File::open(disk).and_then(|file| ContentId::of_reader(file.metadata()?.len(), file));
            read.map_or_else(|error| error.kind().to_string(), |id| id.to_string())
        }
        Other::Packed(bytes) => snapshot_file(bytes.to_vec()).id.to_string(),
    }
}

/// A file that a schema refers to and that nobody reads.
fn too_large(identity: String, is_selected: bool) -> Unseen {
    let remedy = format!(
        "Give it a name that schemas of its language have, or divide it: files that schemas refer to by other names are read \
         up to {} MiB.",
        LARGEST >> 20
    );
    Unseen { what: Hidden::Large, identity, remedy, is_selected }
}

/// The name of the file or folder to which something leads, if all that it says is a path as a link does: one line that
/// nothing ends. Empty where the path ends with a step up.
fn target_of(text: &[u8]) -> Option<String> {
    let is_line = !text.is_empty() && text.len() <= LONGEST_TARGET && !text.contains(&b'\n');
    let path = std::str::from_utf8(text).ok().filter(|_| is_line)?.replace('\\', "/");
    let last = path.split('/').rfind(|part| !matches!(*part, "" | "."))?;
    Some(if last == ".." { String::new() } else { last.to_owned() })
}

/// What some files refer to by names that schemas of their languages do not have.
#[derive(Default)]
struct Asked {
    /// By the last parts of the paths: in which language it is read, and the ending of such names there.
    wanted: OrderedMap<String, OrderedSet<(Format, &'static str)>>,
    /// The folders on the way there, by their names.
    folders: OrderedSet<String>,
    /// The files that refer to such on some side: what does not differ was asked once.
    from: OrderedMap<Format, OrderedSet<Arc<str>>>,
}

impl Asked {
    fn of(sides: Pair<&Snapshot>, open: Pair<&Vec<Arc<str>>>) -> Self {
        let mut asked = Asked::default();
        for side in [Side::Old, Side::New] {
            let snapshot = sides.side(side);
            let here = |path: &&Arc<str>| snapshot.get(path).is_some_and(|file| file.bytes.are_here());
            let (here, later): (Vec<&Arc<str>>, Vec<&Arc<str>>) = open.side(side).iter().partition(here);
            for path in here {
                let Some(file) = snapshot.get(path) else { continue };
                for name in snapshot.names(path) {
                    let Some(format) = Format::of_path(name) else { continue };
                    asked.add((format, path), references(format, name, &file.bytes));
                }
            }
            // What is not here is not kept.
            for format in Format::ALL {
                let paths: Vec<&Arc<str>> =
                    later.iter().copied().filter(|path| Format::of_path(path) == Some(*format)).collect();
                let bytes: Vec<&Bytes> = paths.iter().filter_map(|path| Some(&snapshot.get(path)?.bytes)).collect();
                let name = format!("a.{}", format.extensions()[0]);
                let found = Bytes::map(&bytes, &|text| references(*format, &name, text));
                for (path, found) in paths.into_iter().zip(found) {
                    asked.add((*format, path), found.unwrap_or_default());
                }
            }
        }
        asked
    }

    fn add(&mut self, (format, path): (Format, &Arc<str>), found: Vec<Reference>) {
        if found.is_empty() {
            return;
        }
        self.from.entry(format).or_default().insert(path.clone());
        self.folders.extend(path.split('/').map(str::to_owned));
        for Reference { name, folders, ending } in found {
            self.folders.extend(folders);
            self.wanted.entry(name).or_default().insert((format, ending));
        }
    }
}

/// A root of imports as paths inside of the sides. What is written as `PREFIX=DIR` may be the name of a folder, too.
fn include_inside(request: &Request, repository: Option<&Repository>, written: &str) -> Vec<String> {
    let mapped = mapped(written).into_iter().flat_map(|(prefix, folder)| {
        let inside = folder_inside(request, repository, folder).into_iter();
        inside.map(move |folder| format!("{prefix}={folder}"))
    });
    folder_inside(request, repository, written).into_iter().chain(mapped).collect()
}

/// A folder that is written on the command line, as paths inside of the sides.
pub(super) fn folder_inside(request: &Request, repository: Option<&Repository>, written: &str) -> Vec<String> {
    let disk = request.cwd.join(written);
    let of_repository =
        repository.and_then(|repository| repository.inside(&disk).or_else(|| normalised(&repository.prefix, written)));
    normalised("", written).into_iter().chain(of_repository).collect()
}
