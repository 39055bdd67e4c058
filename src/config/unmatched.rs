//! Entries of a configuration that match nothing: most likely a typo, by which something is judged otherwise than was meant.

use globset::Glob;

use super::Config;
use crate::change::Span;
use crate::source::select::is_under;

/// An entry that matches nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmatched {
    /// The key that it stands under.
    pub key: &'static str,
    /// How it is written.
    pub entry: String,
    /// Where it stands in the configuration.
    pub span: Span,
}

impl Config {
    /// Entries of `include`, `exclude` and `roots` that match none of the paths, which are spelled as the configuration does.
    pub fn unmatched<'p>(&self, paths: impl Iterator<Item = &'p str> + Clone) -> Vec<Unmatched> {
        let globs = [("include", &self.include), ("exclude", &self.exclude)];
        let mut found = Vec::new();
        for (key, glob) in
            globs.into_iter().flat_map(|(key, globs)| globs.iter().flatten().map(move |glob| (key, glob)))
        {
            let matcher = glob.compile_matcher();
            if !paths.clone().any(|path| matcher.is_match(path)) {
                found.push(self.entry(key, spelled(glob)));
            }
        }
        for root in &self.roots {
            if !paths.clone().any(|path| is_under(path, &root.path)) {
                found.push(self.entry("roots", &root.path));
            }
        }
        found
    }

    /// Entries of `unstable` that no name of a package is like.
    pub fn impossible(&self) -> Vec<Unmatched> {
        let is_impossible = |glob: &&Glob| {
            let glob = glob.glob();
            glob.is_empty() || glob.contains(|letter: char| letter.is_whitespace() || letter == '/')
        };
        self.unstable.iter().filter(is_impossible).map(|glob| self.entry("unstable", spelled(glob))).collect()
    }

    /// The line that `exclude` stands in, counted from 1.
    pub fn line_of_exclude(&self) -> usize {
        let start = place_of(&self.text, "exclude", "").range().start;
        self.text.get(..start).map_or(1, |before| before.matches('\n').count() + 1)
    }

    fn entry(&self, key: &'static str, entry: &str) -> Unmatched {
        Unmatched { key, entry: entry.to_owned(), span: place_of(&self.text, key, entry) }
    }
}

/// A glob as it is written: one that ends in a slash means everything below.
fn spelled(glob: &Glob) -> &str {
    glob.glob().strip_suffix("/**").map_or(glob.glob(), |folder| &glob.glob()[..=folder.len()])
}

/// Where an entry stands behind its key; the key where that is not seen.
fn place_of(text: &str, key: &str, entry: &str) -> Span {
    let mut start = 0;
    let at_key = text.split_inclusive('\n').find_map(|line| {
        let here = start;
        start += line.len();
        let rest = line.trim_start_matches(['"', '\'', '{', ' ']).strip_prefix(key)?;
        rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':').then_some(here)
    });
    let Some(at_key) = at_key else { return Span::default() };
    let behind = at_key + key.len();
    let at = text.get(behind..).filter(|_| !entry.is_empty()).and_then(|rest| rest.find(entry));
    let (start, length) = at.map_or((at_key, key.len()), |at| (behind + at, entry.len()));
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(start), offset(start + length))
}
