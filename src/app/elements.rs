//! Whether a version has an element that somebody names.

use crate::failure::{Failure, nearest};
use crate::formats;
use crate::snapshot::Snapshot;

/// Refuses a name that no element of a version can have; where it may have one, nothing is said.
pub(super) fn refuse_unknown(element: &str, version: &Snapshot) -> Result<(), Failure> {
    let declared = formats::declared(version);
    let names = || declared.iter().map(|(_, name)| name.as_str());
    let is_or_holds = |name: &str| is_in(name, element) || is_in(element, name);
    let words = |text: &str| -> Vec<String> {
        let is_apart = |letter: char| !letter.is_alphanumeric() && letter != '_';
        text.split(is_apart).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let occurs = |word: &String| {
        let finder = memchr::memmem::Finder::new(word.as_bytes());
        version.iter().any(|(path, file)| path.contains(word.as_str()) || finder.find(&file.bytes).is_some())
    };
    let inner = |name: &&str| name.rsplit(['.', '/', '#']).next() == Some(element);
    let outer = names().find(|name| *name != element && inner(name));
    let is_known = names().any(is_or_holds);
    let is_written = words(element).iter().all(occurs);
    if is_written && (is_known || outer.is_none()) {
        return Ok(());
    }
    let near = outer.or_else(|| nearest(element, names()));
    Err(Failure::usage(
        format!("there is no element `{element}` in any of these versions"),
        near.map_or_else(
            || "name a type, or something in it, by its full name".to_owned(),
            |near| format!("did you mean `{near}`? An element has its full name"),
        ),
    ))
}

/// Whether a path is an element or something in it.
pub(super) fn is_in(path: &str, element: &str) -> bool {
    path.strip_prefix(element).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '(', '/']))
}
