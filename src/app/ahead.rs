//! What the versions of a history differ in, read before they are compared: git unpacks texts of one file beside each other
//! sooner than one here and one there, and nobody else has to ask for them.

use crate::formats::Format;
use crate::ordered::InOrder;
use crate::parallel;
use crate::source::git::Repository;

/// More texts are not read ahead: there is no room for all of them.
const MOST: usize = 16_000;

/// So many are asked of one process.
const AT_A_TIME: usize = 600;

/// Has the schemas brought, where a remote promised them, in which the wanted ones of some versions differ from those before
/// them, and reads them where `is_read` says that all of them will be asked for. The versions are those that the repository was
/// to remember, by their places, newest first.
pub(super) fn read_ahead(repository: &Repository, is_wanted: &dyn Fn(usize) -> bool, is_read: bool) {
    let Some(lines) = repository.lines() else { return };
    let mut texts: Vec<(&str, &str)> = Vec::new();
    for (_, step) in lines.replaced.iter().zip(&lines.newer).enumerate().filter(|(at, _)| is_wanted(*at)) {
        for ((path, before), (_, after)) in step.0.iter().zip(step.1).filter(|((path, _), _)| Format::is_schema(path)) {
            texts.extend(after.iter().chain(before).map(|id| (&**path, &**id)));
        }
    }
    texts.truncate(MOST);
    texts.sort_in_order();
    let mut ids: Vec<&str> = texts.into_iter().map(|(_, id)| id).collect();
    ids.dedup();
    repository.bring(&ids);
    if !is_read {
        return;
    }
    // Some files are a thousand times as large as others. What cannot be read is told by whoever needs it.
    let parts: Vec<_> = ids.chunks(AT_A_TIME).collect();
    parallel::each(parts.len(), &|at| drop(repository.look_at(parts[at], &|_, _| ())));
}
