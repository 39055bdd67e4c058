//! Which files are judged: the paths of the command line and the `include`/`exclude` globs of the configuration.
//!
//! A file that is not selected still supplies types to those that import it.

use globset::GlobSet;

/// What is judged. By default everything.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Folders or files; everything when empty.
    pub paths: Vec<String>,
    /// When present, only files that match.
    pub include: Option<GlobSet>,
    /// Never files that match.
    pub exclude: Option<GlobSet>,
}

impl Selection {
    /// Whether a file is judged.
    pub fn selects(&self, path: &str) -> bool {
        (self.paths.is_empty() || self.paths.iter().any(|folder| is_under(path, folder)))
            && self.include.as_ref().is_none_or(|globs| globs.is_match(path))
            && !self.exclude.as_ref().is_some_and(|globs| globs.is_match(path))
    }

    /// Whether nothing is left out.
    pub fn selects_everything(&self) -> bool {
        self.paths.is_empty() && self.include.is_none() && self.exclude.is_none()
    }
}

/// Whether a path is a folder itself or lies in it.
pub(crate) fn is_under(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
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
}
