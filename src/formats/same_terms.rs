//! On whose terms files are judged.

use crate::snapshot::is_under;

/// The folders that are judged on terms of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SameTerms {
    /// Folders of the snapshots, each with a number that those have in common whose terms are the same. Files of none have 0.
    pub folders: Vec<(String, usize)>,
}

impl SameTerms {
    /// The number of the terms on which a file is judged: those of the longest folder that holds it.
    pub fn of(&self, path: &str) -> usize {
        let around = self.folders.iter().filter(|(folder, _)| is_under(path, folder));
        around.max_by_key(|(folder, _)| folder.len()).map_or(0, |(_, terms)| *terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_folder_around_a_file_decides() {
        let folders = [("docs", 1), ("docs/api", 2), ("proto", 0)];
        let terms = SameTerms { folders: folders.map(|(folder, terms)| (folder.to_owned(), terms)).to_vec() };
        for (path, expected) in
            [("docs/a.proto", 1), ("docs/api/a.proto", 2), ("docsy/a.proto", 0), ("proto/a.proto", 0)]
        {
            assert_eq!(terms.of(path), expected, "{path}");
        }
    }
}
