//! Which files are judged: the paths of the command line and the `include`/`exclude` globs of the configuration.
//!
//! A file that is not selected still supplies types to those that import it.

use std::borrow::Cow;
use std::path::Path;

use globset::GlobSet;

use super::names::path_text;
pub(crate) use crate::snapshot::is_under;

/// What is judged. By default everything.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Folders or files; everything when empty.
    pub paths: Vec<String>,
    /// Folders and files that somebody names, on the command line or as a root in the configuration, whether or not that
    /// leaves anything out; an empty one is everything.
    pub named: Vec<String>,
    /// When present, only files that match.
    pub include: Option<GlobSet>,
    /// Never files that match.
    pub exclude: Option<GlobSet>,
    /// Where the globs start.
    pub start: Start,
}

/// How the folder of the configuration lies to the folder of the snapshots.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Start {
    /// The snapshots' folder, seen from the configuration.
    above: String,
    /// The configuration's folder, seen from the snapshots.
    below: String,
}

impl Start {
    /// Relates two folders on disk; where neither holds the other, paths are taken as they are.
    pub fn relate(configuration: &Path, snapshots: &Path) -> Start {
        let text = |path: &Path| path_text(path.as_os_str().as_encoded_bytes()).replace('\\', "/");
        if let Ok(above) = snapshots.strip_prefix(configuration) {
            return Start { above: text(above), below: String::new() };
        }
        match configuration.strip_prefix(snapshots) {
            Ok(below) => Start { above: String::new(), below: text(below) },
            Err(_) => Start::default(),
        }
    }

    /// A path of the snapshots as the configuration spells it; `None` outside of its folder.
    pub fn to_configuration<'p>(&self, path: &'p str) -> Option<Cow<'p, str>> {
        if !self.below.is_empty() {
            return path.strip_prefix(&self.below)?.strip_prefix('/').map(Cow::Borrowed);
        }
        Some(if self.above.is_empty() { Cow::Borrowed(path) } else { Cow::Owned(format!("{}/{path}", self.above)) })
    }

    /// A folder of the configuration as the snapshots spell it; `None` when it lies elsewhere.
    pub fn to_snapshots(&self, folder: &str) -> Option<String> {
        if !self.below.is_empty() {
            return Some(format!("{}/{folder}", self.below).trim_end_matches('/').to_owned());
        }
        if is_under(&self.above, folder) {
            return Some(String::new());
        }
        let inside =
            if self.above.is_empty() { Some(folder) } else { folder.strip_prefix(&self.above)?.strip_prefix('/') };
        inside.map(str::to_owned)
    }
}

impl Selection {
    /// Whether a file is judged.
    pub fn selects(&self, path: &str) -> bool {
        (self.paths.is_empty() || self.paths.iter().any(|folder| is_under(path, folder)))
            && self.include.as_ref().is_none_or(|globs| self.matches(globs, path))
            && !self.exclude.as_ref().is_some_and(|globs| self.matches(globs, path))
    }

    /// Whether a file that is not selected by its path could be by another name: nothing says that it must not be judged.
    pub fn may_select_by_name(&self, path: &str) -> bool {
        (self.paths.is_empty() || self.paths.iter().any(|folder| is_under(path, folder)))
            && !self.exclude.as_ref().is_some_and(|globs| self.matches(globs, path))
    }

    fn matches(&self, globs: &GlobSet, path: &str) -> bool {
        self.start.to_configuration(path).is_some_and(|path| globs.is_match(&*path))
    }

    /// Whether nothing is left out.
    pub fn selects_everything(&self) -> bool {
        self.paths.is_empty() && self.include.is_none() && self.exclude.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_selects_what_lies_in_it_and_not_its_namesakes() {
        let selection = Selection { paths: vec!["proto/shop".into()], ..Selection::default() };
        assert!(selection.selects("proto/shop/order.proto"));
        assert!(!selection.selects("proto/shopping/cart.proto"));
    }

    #[test]
    fn paths_start_where_the_configuration_lies() {
        let start = |configuration, snapshots| Start::relate(Path::new(configuration), Path::new(snapshots));
        assert_eq!(start("/r", "/r/proto").to_configuration("a.proto").as_deref(), Some("proto/a.proto"));
        assert_eq!(start("/r/sub", "/r").to_configuration("sub/a.proto").as_deref(), Some("a.proto"));
        assert_eq!(start("/r/sub", "/r").to_configuration("other/a.proto"), None);
        assert_eq!(start("/r/sub", "/r").to_snapshots("x").as_deref(), Some("sub/x"));
        assert_eq!(start("/r", "/r/proto").to_snapshots("proto").as_deref(), Some(""));
        assert_eq!(start("/r", "/r/proto").to_snapshots("proto/x").as_deref(), Some("x"));
        assert_eq!(start("/r", "/r/proto").to_snapshots("other"), None);
        assert_eq!(start("/r", "/elsewhere").to_snapshots("x").as_deref(), Some("x"));
    }
}
