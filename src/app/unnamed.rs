//! Files that say of themselves that they are JSON Schemas and whose names do not: they count where somebody names them. Where
//! there is nothing else, they are most likely what was meant.

use std::io::Read;
use std::path::Path;

use crate::formats::formats_of;
use crate::snapshot::Snapshot;
use crate::source::git::Repository;
use crate::source::{Loaded, Request};
use crate::syntax::problem::{Problem, Severity};
use crate::text::visible;

/// So many files are looked at, the first in the order of their paths.
const MOST_FILES: usize = 500;
/// So much of each.
const HEAD: u64 = 4096;

/// What is there and what to do about it, for people.
pub(super) struct Unnamed {
    /// No final period.
    pub message: String,
    /// The command that names them.
    pub command: String,
}

/// What is said where neither side has a schema and nobody named anything.
pub(super) fn warning(request: &Request, loaded: &Loaded) -> Option<Problem> {
    let has = |side: &Snapshot| side.iter().any(|(path, _)| !formats_of(side, path).is_empty());
    let is_whole = request.selection.paths.is_empty() && request.format.is_none();
    if !is_whole || has(&loaded.snapshots.old) || has(&loaded.snapshots.new) {
        return None;
    }
    let Unnamed { message, command } = found(request.repository.as_ref()?)?;
    let help = format!("such files are judged where they are named: `{command}`");
    Some(Problem { severity: Severity::Warning, site: None, message, help })
}

/// The files of a work tree that are schemas by what they say.
pub(super) fn found(repository: &Repository) -> Option<Unnamed> {
    let top = repository.top.as_deref()?;
    let listed =
        repository.ask(["ls-files", "-z", "--full-name", "--cached", "--others", "--exclude-standard"]).ok()??;
    let may_be = |path: &&str| {
        let is_hidden = path.split('/').any(|part| part.starts_with('.'));
        !is_hidden && [".json", ".yaml", ".yml"].iter().any(|ending| path.ends_with(ending))
    };
    let named = listed.split('\0').filter(may_be);
    let schemas: Vec<&str> = named.take(MOST_FILES).filter(|path| names_a_dialect(&top.join(path))).collect();
    let (first, others) = schemas.split_first()?;
    let folder = others.iter().fold(folder_of(first), |folder, path| common(folder, folder_of(path)));
    let message = match others.len() {
        0 => format!("`{}` is a JSON Schema by its `$schema`, and not by its name", visible(first)),
        more => {
            format!("`{}` and {more} more are JSON Schemas by their `$schema`, and not by their names", visible(first))
        }
    };
    let folder = if folder.is_empty() { "." } else { folder };
    Some(Unnamed { message, command: format!("wireproof check {}", visible(folder)) })
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folder that both lie in.
fn common<'p>(one: &'p str, other: &str) -> &'p str {
    let parts = one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other);
    let length: usize = parts.map(|(part, _)| part.len() + 1).sum();
    &one[..length.saturating_sub(1)]
}

/// Whether the start of a file names a dialect of JSON Schema. Links are not followed.
fn names_a_dialect(path: &Path) -> bool {
    if !path.symlink_metadata().is_ok_and(|data| data.is_file()) {
        return false;
    }
    let mut head = Vec::new();
    let is_read = std::fs::File::open(path).is_ok_and(|file| file.take(HEAD).read_to_end(&mut head).is_ok());
    let text = String::from_utf8_lossy(&head);
    let mut said = text.split("$schema").skip(1).filter_map(|rest| rest.lines().next());
    is_read && said.any(|rest| rest.contains("//json-schema.org/draft"))
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn folders_have_one_in_common() {
        for (one, other, both) in
            [("a/b", "a/b", "a/b"), ("a/b", "a/bc", "a"), ("a", "b", ""), ("", "a", ""), ("a/b/c", "a/b", "a/b")]
        {
            assert_eq!(common(one, other), both, "{one} {other}");
        }
    }
}
