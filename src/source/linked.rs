//! Folders to which links lead, as far as files that schemas refer to by other names than schemas have are found behind them.
//!
//! Listings say which links there are, but hold what is behind one only where that is a schema by its name.

use std::sync::Arc;

use super::git::Repository;
use super::listing::{LONGEST_TARGET, MOST_NESTED};
use super::names::normalised;
use super::others::{Other, texts};
use crate::failure::Failure;
use crate::ordered::{OrderedMap, OrderedSet};
use crate::snapshot::{is_under, name_of};

/// A file has no more other paths than so many.
const MOST_PATHS: usize = 64;

/// Folders by the links that lead to them.
pub(super) struct LinkedFolders {
    /// The path of each link and of its folder.
    links: Vec<(String, String)>,
}

impl LinkedFolders {
    /// The links of a side that are called as one of some folders. What is no link is taken for one where all that it says is
    /// the path of another folder, as it is where a system knows no links.
    pub(super) fn of(
        listed: &OrderedMap<String, Other>,
        names: &OrderedSet<String>,
        repository: Option<&Repository>,
    ) -> Result<Self, Failure> {
        let (mut names, mut asked) = (names.clone(), OrderedSet::new());
        let mut links = Vec::new();
        // A link may lead through others.
        for _ in 0..=MOST_NESTED {
            let is_meant = |path: &&String| names.contains(name_of(path)) && !asked.contains(path.as_str());
            let meant: Vec<(&String, &Other)> =
                listed.keys().filter(is_meant).filter_map(|path| listed.get_key_value(path)).collect();
            asked.extend(meant.iter().map(|(path, _)| path.as_str()));
            for (path, bytes) in texts(&meant, repository)? {
                let above = path.rsplit_once('/').map_or("", |(above, _)| above);
                let target = std::str::from_utf8(&bytes).ok().filter(|target| target.len() <= LONGEST_TARGET);
                let Some(folder) = target.and_then(|target| normalised(above, target)) else { continue };
                names.extend(folder.split('/').map(str::to_owned));
                // A link to a folder that holds it has no end.
                if !is_under(&path, &folder) {
                    links.push((path, folder));
                }
            }
        }
        Ok(LinkedFolders { links })
    }

    /// The other paths under which a file is found.
    pub(super) fn paths(&self, path: &str) -> Vec<Arc<str>> {
        let mut found = vec![path.to_owned()];
        let mut looked_at = 0;
        for _ in 0..=MOST_NESTED {
            let last = found[looked_at..].to_vec();
            looked_at = found.len();
            for other in last.iter().flat_map(|path| self.through(path)) {
                if found.len() < MOST_PATHS && !found.contains(&other) {
                    found.push(other);
                }
            }
        }
        found.into_iter().skip(1).map(Arc::from).collect()
    }

    /// Where a path leads through one link.
    fn through<'l>(&'l self, path: &'l str) -> impl Iterator<Item = String> + 'l {
        self.links.iter().filter_map(move |(link, folder)| {
            let inside = path.strip_prefix(&**folder)?.strip_prefix('/')?;
            Some(format!("{link}/{inside}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_through_links_to_its_folder_and_to_linked_folders() {
        let link = |path: &str, folder: &str| (path.to_owned(), folder.to_owned());
        let folders = LinkedFolders { links: vec![link("d", "e"), link("x", "d/sub"), link("e/loop", "e/sub/loop")] };
        let paths = |path: &str| folders.paths(path).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(paths("e/c.inc"), ["d/c.inc"]);
        assert_eq!(paths("e/sub/c.inc"), ["d/sub/c.inc", "x/c.inc"]);
        assert_eq!(paths("ee/c.inc"), Vec::<String>::new());
        assert!(paths("e/sub/loop/c.inc").len() < MOST_PATHS);
    }
}
