//! Entries of a configuration that match nothing: most likely a typo, by which something is judged otherwise than was meant.

use globset::Glob;

use super::{Config, relative};
use crate::change::Span;
use crate::formats::mapped;
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
    /// As what it would match something; nothing where that is not known.
    pub meant: Option<String>,
}

impl Config {
    /// Entries of `include`, `exclude`, `roots` and their `import-paths` that match none of the paths, which are spelled as the
    /// configuration does.
    pub fn unmatched<'p>(&self, paths: impl Iterator<Item = &'p str> + Clone) -> Vec<Unmatched> {
        let globs = [("include", &self.include), ("exclude", &self.exclude)];
        let mut found = Vec::new();
        for (key, glob) in
            globs.into_iter().flat_map(|(key, globs)| globs.iter().flatten().map(move |glob| (key, glob)))
        {
            let matcher = glob.compile_matcher();
            if !paths.clone().any(|path| matcher.is_match(path)) {
                let folder = glob.glob();
                let is_folder = paths.clone().any(|path| !folder.is_empty() && is_under(path, folder));
                found.push(Unmatched { meant: is_folder.then(|| format!("{folder}/")), ..self.glob(key, glob) });
            }
        }
        for root in &self.roots {
            if !paths.clone().any(|path| is_under(path, &root.path)) {
                found.push(self.entry("roots", &root.path));
            }
        }
        for written in self.roots.iter().flat_map(|root| &root.import_paths) {
            let has = |folder: &str| match relative(folder) {
                Some(folder) => paths.clone().any(|path| is_under(path, &folder)),
                // What lies outside of the configuration's folder is not spelled as it does.
                None => true,
            };
            if !has(written) && !mapped(written).is_some_and(|(_, folder)| has(folder)) {
                found.push(self.entry("import-paths", written));
            }
        }
        found
    }

    /// Entries of `unstable` that no name of a package is like, and those that say the last part of a name alone.
    pub fn impossible(&self) -> Vec<Unmatched> {
        let told = |glob: &Glob| {
            let text = glob.glob();
            let is_impossible = text.is_empty() || text.contains(|c: char| c.is_whitespace() || c == '/');
            let is_last_part = text.starts_with('v') && text[1..].starts_with(|c: char| c.is_ascii_digit());
            let meant = (is_last_part && !text.contains('.')).then(|| format!("*.{}*", text.trim_end_matches('*')));
            (is_impossible || meant.is_some()).then(|| Unmatched { meant, ..self.glob("unstable", glob) })
        };
        self.unstable.iter().filter_map(told).collect()
    }

    /// The line that `exclude` stands in, counted from 1.
    pub fn line_of_exclude(&self) -> usize {
        let start = place_of(&self.text, "exclude", "").range().start;
        self.text.get(..start).map_or(1, |before| before.matches('\n').count() + 1)
    }

    fn entry(&self, key: &'static str, entry: &str) -> Unmatched {
        Unmatched { key, entry: entry.to_owned(), span: place_of(&self.text, key, entry), meant: None }
    }

    /// A glob as it is written: one that ends in a slash means everything below.
    fn glob(&self, key: &'static str, glob: &Glob) -> Unmatched {
        let whole = glob.glob();
        let is_written = |glob: &str| place_of(&self.text, key, glob) != place_of(&self.text, key, "");
        match whole.strip_suffix("/**").filter(|_| !is_written(whole)) {
            Some(folder) => self.entry(key, &whole[..=folder.len()]),
            None => self.entry(key, whole),
        }
    }
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
