//! Every path of a version with what stands there, and where links lead.
//!
//! Links are followed as a build would follow them, and never out of what is listed. What is behind a link is judged
//! under its own path where it has one; under the link's it only supplies types.

use std::ops::Bound;
use std::path::PathBuf;
use std::sync::Arc;

use super::dir::{is_of_schemas, link_out, not_readable};
use super::object::ObjectId;
use super::select::is_under;
use super::sought::Sought;
use crate::formats::Format;
use crate::ordered::OrderedMap;
use crate::snapshot::{Hidden, Lent, Unseen};

/// Links that lead to links: more in a row lead nowhere, as the system has it.
pub(super) const MOST_HOPS: usize = 40;
/// Bytes of what a link says: no path of a file system is longer.
pub(super) const LONGEST_TARGET: usize = 4096;
/// Linked folders in linked folders are entered so deep.
pub(super) const MOST_NESTED: usize = 4;
/// More files than this are not looked for behind links: a few links can multiply without end.
const MOST_LINKED: usize = 50_000;

/// How a file of a version is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Held {
    /// From the object database.
    Blob(ObjectId),
    /// From disk.
    Disk(PathBuf),
}

/// What stands at a path; `C` says how its content is read.
#[derive(Debug, Clone)]
pub(super) enum Stands<C> {
    File(C),
    /// A symbolic link, with what it says.
    Link(String),
    /// Another repository at a commit, whose files are not here.
    Submodule(String),
    /// Something that may not be read, and why.
    Unreadable(String),
}

/// The paths of a version.
#[derive(Debug)]
pub(super) struct Listing<C> {
    entries: OrderedMap<Arc<str>, Stands<C>>,
    /// The submodules whose files are here: folder and commit.
    submodules: Vec<(String, String)>,
}

/// What is read of a version.
#[derive(Debug)]
pub(super) struct Laid<C> {
    /// The relevant files, and why some are not judged.
    pub files: Vec<(Arc<str>, C, Option<Lent>)>,
    /// What cannot be seen.
    pub unseen: Vec<(Arc<str>, Unseen)>,
}

impl<C> Default for Laid<C> {
    fn default() -> Self {
        Laid { files: Vec::new(), unseen: Vec::new() }
    }
}

impl<C> Default for Listing<C> {
    fn default() -> Self {
        Listing { entries: OrderedMap::new(), submodules: Vec::new() }
    }
}

/// Where a path leads once its links are followed.
enum Leads<'l, C> {
    File(String, &'l C),
    Folder(String),
    Nowhere,
}

impl<C: Clone> Listing<C> {
    /// What stands at some paths, of equal ones the last.
    pub(super) fn of(entries: Vec<(Arc<str>, Stands<C>)>) -> Self {
        Listing { entries: entries.into_iter().collect(), submodules: Vec::new() }
    }

    /// Adds a path.
    pub(super) fn insert(&mut self, path: impl Into<Arc<str>>, stands: Stands<C>) {
        self.entries.insert(path.into(), stands);
    }

    /// The submodules that are not read yet: folder and commit.
    pub(super) fn unread_submodules(&self) -> Vec<(String, String)> {
        let unread = self.entries.iter().filter_map(|(path, stands)| match stands {
            Stands::Submodule(commit) => Some((path.to_string(), commit.clone())),
            Stands::File(_) | Stands::Link(_) | Stands::Unreadable(_) => None,
        });
        unread.collect()
    }

    /// Puts the files of a submodule in its place.
    pub(super) fn fill(&mut self, folder: &str, commit: &str, files: Listing<C>) {
        self.entries.remove(folder);
        self.submodules.push((folder.to_owned(), commit.to_owned()));
        let inside = files.submodules.into_iter().map(|(path, commit)| (format!("{folder}/{path}"), commit));
        self.submodules.extend(inside);
        for (path, stands) in files.entries {
            self.entries.insert(Arc::from(format!("{folder}/{path}")), stands);
        }
    }

    /// Whether a link is among the paths under a folder.
    pub(super) fn has_links(&self, folder: &str) -> bool {
        self.entries.iter().any(|(path, stands)| matches!(stands, Stands::Link(_)) && is_under(path, folder))
    }

    /// Forgets everything below a link: it is what the link leads to.
    pub(super) fn drop_below_links(&mut self) {
        let links: Vec<String> = self
            .entries
            .iter()
            .filter(|(_, stands)| matches!(stands, Stands::Link(_)))
            .map(|(path, _)| format!("{path}/"))
            .collect();
        for link in links {
            let below: Vec<Arc<str>> = self.below(&link).map(|(path, _)| path.clone()).collect();
            below.iter().for_each(|path| drop(self.entries.remove(path)));
        }
    }

    /// What is read of a folder, with paths that start there.
    pub(super) fn laid(&self, start: &str, sought: &Sought) -> Laid<C> {
        let mut laid = Laid::default();
        let counts = |path: &str| {
            let inside = path.strip_prefix(start).map_or(path, |path| path.trim_start_matches('/'));
            sought.counts(inside)
        };
        for (path, stands) in self.entries.iter().filter(|(path, _)| is_under(path, start)) {
            match stands {
                Stands::File(content) if counts(path) => {
                    laid.files.push((path.clone(), content.clone(), self.submodule_of(path)));
                }
                Stands::File(_) => {}
                Stands::Link(target) => self.lay_link((path, target), &counts, &mut laid),
                Stands::Submodule(commit) => laid.unseen.push((path.clone(), submodule(path, commit))),
                Stands::Unreadable(why) => laid.unseen.push((path.clone(), not_readable(why))),
            }
        }
        for (folder, commit) in &self.submodules {
            let holds_schema = laid.files.iter().any(|(path, ..)| is_under(path, folder) && Format::is_schema(path));
            if !holds_schema && is_under(folder, start) {
                let unseen = Unseen { what: Hidden::Nothing, ..submodule(folder, commit) };
                laid.unseen.push((Arc::from(folder.as_str()), unseen));
            }
        }
        laid.starting_at(start)
    }

    fn submodule_of(&self, path: &str) -> Option<Lent> {
        let (_, commit) = self.submodules.iter().filter(|(folder, _)| is_under(path, folder)).max()?;
        Some(Lent::Submodule(Arc::from(commit.as_str())))
    }

    fn below<'l>(&'l self, folder: &'l str) -> impl Iterator<Item = (&'l Arc<str>, &'l Stands<C>)> {
        let from = self.entries.range::<str>((Bound::Included(folder), Bound::Unbounded));
        from.take_while(move |(path, _)| path.starts_with(folder))
    }

    fn lay_link(&self, (path, target): (&str, &str), counts: &dyn Fn(&str) -> bool, laid: &mut Laid<C>) {
        match self.follow(path) {
            Leads::File(real, content) if counts(path) => {
                laid.files.push((Arc::from(path), content.clone(), Some(Lent::Link(Arc::from(real)))));
            }
            Leads::File(..) => {}
            Leads::Folder(real) => self.lay_folder((path, &real), counts, laid, 0),
            Leads::Nowhere if !is_of_schemas(path) => {}
            Leads::Nowhere => {
                let unseen = link_out(path, target);
                laid.unseen.push((Arc::from(path), unseen));
            }
        }
    }

    /// The files of a folder under the path of a link to it.
    fn lay_folder(&self, (path, real): (&str, &str), counts: &dyn Fn(&str) -> bool, laid: &mut Laid<C>, nested: usize) {
        // A link to a folder that holds it has no end.
        if is_under(path, real) || nested > MOST_NESTED || laid.files.len() > MOST_LINKED {
            return;
        }
        let prefix = if real.is_empty() { String::new() } else { format!("{real}/") };
        for (below, stands) in self.below(&prefix) {
            let alias = format!("{path}/{}", &below[prefix.len()..]);
            let (real, content) = match stands {
                Stands::File(content) => (below.to_string(), content),
                Stands::Link(_) => match self.follow(below) {
                    Leads::File(real, content) => (real, content),
                    Leads::Folder(real) => {
                        self.lay_folder((&alias, &real), counts, laid, nested + 1);
                        continue;
                    }
                    Leads::Nowhere => continue,
                },
                Stands::Submodule(_) | Stands::Unreadable(_) => continue,
            };
            if counts(&alias) && Format::of_path(&alias).is_some() {
                laid.files.push((Arc::from(alias), content.clone(), Some(Lent::Link(Arc::from(real)))));
            }
        }
    }

    fn follow<'l>(&'l self, path: &str) -> Leads<'l, C> {
        let mut left: Vec<String> = path.rsplit('/').map(str::to_owned).collect();
        let mut at: Vec<String> = Vec::new();
        let mut hops = 0;
        while let Some(part) = left.pop() {
            match part.as_str() {
                "" | "." => continue,
                ".." if at.pop().is_none() => return Leads::Nowhere,
                ".." => continue,
                _ => at.push(part),
            }
            let Some(Stands::Link(target)) = self.entries.get(at.join("/").as_str()) else { continue };
            hops += 1;
            at.pop();
            if hops > MOST_HOPS || target.starts_with('/') {
                return Leads::Nowhere;
            }
            left.extend(target.rsplit('/').map(str::to_owned));
        }
        let real = at.join("/");
        match self.entries.get(real.as_str()) {
            Some(Stands::File(content)) => Leads::File(real, content),
            Some(Stands::Link(_) | Stands::Submodule(_) | Stands::Unreadable(_)) => Leads::Nowhere,
            None if real.is_empty() || self.below(&format!("{real}/")).next().is_some() => Leads::Folder(real),
            None => Leads::Nowhere,
        }
    }
}

impl<C> Laid<C> {
    /// With paths that start at a folder. What leads out of it has no path of its own any more.
    fn starting_at(self, start: &str) -> Self {
        if start.is_empty() {
            return self;
        }
        let inside = |path: &str| path.strip_prefix(start)?.strip_prefix('/').map(Arc::<str>::from);
        let lent = |lent: Lent| match lent {
            Lent::Link(real) => Some(Lent::Link(inside(&real)?)),
            Lent::Submodule(_) | Lent::Unselected | Lent::StandIn | Lent::Opposite => Some(lent),
        };
        let files = self.files.into_iter().filter_map(|(path, content, why)| {
            let why = why.and_then(lent);
            Some((inside(&path)?, content, why))
        });
        let unseen = self.unseen.into_iter().filter_map(|(path, unseen)| Some((inside(&path)?, unseen)));
        Laid { files: files.collect(), unseen: unseen.collect() }
    }
}

fn submodule(path: &str, commit: &str) -> Unseen {
    Unseen {
        what: Hidden::Submodule,
        identity: commit.to_owned(),
        remedy: format!(
            "Bring both commits: `git submodule update --init -- {path}`, then `git -C {path} fetch origin` (with \
             actions/checkout: `submodules: true`). Where it holds no schemas, `exclude` it in the configuration."
        ),
        is_selected: true,
    }
}
