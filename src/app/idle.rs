//! Which versions of a history have nothing new for some of its files: neither these nor what they import is another there.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::failure::Failure;
use crate::formats::{Format, imports, is_settings};
use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::snapshot::{is_under, name_of};
use crate::source::git::{Lines, Repository};

/// For each of the versions that the repository was to remember, newest first, whether it has nothing for what lies under the
/// paths that the one before it does not have. `None` where that cannot be told by the names and the imports of files, or a
/// file cannot be read.
pub(super) fn idle(repository: &Repository, paths: &[String]) -> Option<Vec<bool>> {
    let lines = if paths.is_empty() { None } else { repository.lines() }?;
    let is_asked = |path: &str| paths.iter().any(|asked| is_under(path, asked));
    let needed = Needed::by(&lines, &is_asked, repository).ok()?;
    // What was never there is somebody's mistake.
    if needed.files.is_empty() {
        return None;
    }
    let concerns = |path: &Arc<str>| {
        let of_format = || Format::of_path(path).is_some_and(|format| needed.formats.contains(&format));
        is_asked(path) || is_settings(path) || needed.files.contains(path) || of_format()
    };
    let is_idle = |step: &Vec<(Arc<str>, Option<String>)>| !step.iter().any(|(path, _)| concerns(path));
    Some(lines.replaced.iter().map(is_idle).collect())
}

/// The files that some need, in whatever version.
#[derive(Default)]
struct Needed {
    files: FxHashSet<Arc<str>>,
    /// Of these formats any file may be needed.
    formats: OrderedSet<Format>,
}

impl Needed {
    fn by(lines: &Lines, is_asked: &dyn Fn(&str) -> bool, repository: &Repository) -> Result<Self, Failure> {
        let known = Known::of(lines);
        let mut needed = Needed::default();
        let mut open: Vec<&Arc<str>> = known.ids.keys().copied().filter(|path| is_asked(path)).collect();
        while !open.is_empty() {
            open.sort_in_order();
            open.dedup();
            open.retain(|path| needed.files.insert(Arc::clone(path)));
            let texts: Vec<(&Arc<str>, &str)> =
                open.iter().flat_map(|path| known.ids[*path].iter().map(|id| (*path, *id))).collect();
            let ids: Vec<&str> = texts.iter().map(|(_, id)| *id).collect();
            let read = repository.look_at(&ids, &|at, bytes| {
                let path = texts[at].0;
                // What may hold anything counts where it says that it is a schema.
                let is_schema = |format: &Format| Format::is_schema(path) || format.is_said_by(bytes);
                let format = Format::of_path(path).filter(is_schema)?;
                Some(imports(format, bytes).ok_or(format))
            });
            let mut next = OrderedSet::new();
            for imports in read?.into_iter().flatten() {
                match imports {
                    Ok(imports) => next.extend(imports),
                    Err(format) => _ = needed.formats.insert(format),
                }
            }
            open = next.iter().flat_map(|import| known.meant_by(import)).collect();
        }
        Ok(needed)
    }
}

/// The files of all versions.
struct Known<'l> {
    /// By their paths, what they hold in some version.
    ids: OrderedMap<&'l Arc<str>, OrderedSet<&'l str>>,
    /// Their paths by the last part of these.
    by_name: FxHashMap<&'l str, Vec<&'l Arc<str>>>,
    /// Those that are not there in some version.
    absent: FxHashSet<&'l Arc<str>>,
}

impl<'l> Known<'l> {
    fn of(lines: &'l Lines) -> Self {
        let mut known = Known { ids: OrderedMap::new(), by_name: FxHashMap::default(), absent: FxHashSet::default() };
        let newest = lines.newest.iter().map(|(path, id)| (path, Some(id)));
        let before = lines.replaced.iter().flatten().map(|(path, id)| (path, id.as_ref()));
        for (path, id) in newest.chain(before) {
            match id {
                Some(id) => _ = known.ids.entry(path).or_default().insert(&**id),
                None => _ = known.absent.insert(path),
            }
        }
        let now: FxHashSet<&Arc<str>> = lines.newest.iter().map(|(path, _)| path).collect();
        known.absent.extend(known.ids.keys().filter(|path| !now.contains(*path)));
        for path in known.ids.keys() {
            known.by_name.entry(name_of(path)).or_default().push(path);
        }
        known
    }

    /// The files that an import may lead to: those whose paths end in its path, or where none of these is there always, those
    /// that are called as it is, since somebody may guess.
    fn meant_by(&self, import: &str) -> Vec<&'l Arc<str>> {
        let called_so = self.by_name.get(name_of(import)).map_or(&[][..], Vec::as_slice).iter().copied();
        let is_meant = |path: &&Arc<str>| {
            path.strip_suffix(import.trim_start_matches("./"))
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let meant: Vec<&Arc<str>> = called_so.clone().filter(is_meant).collect();
        match meant.iter().any(|path| !self.absent.contains(path)) {
            true => meant,
            false => called_so.collect(),
        }
    }
}
