//! Files that texts refer to by names that are none of the language's: they belong to its files all the same.

use std::borrow::Cow;
use std::sync::Arc;

use super::language::{Language, reading_in};
use super::search::{Search, Target};
use crate::formats::check::CheckOptions;
use crate::formats::refers::Reference;
use crate::ordered::OrderedSet;
use crate::snapshot::{Bytes, Snapshot, name_of};
use crate::text;

/// The files that a text, by the name by which it is read, refers to by such names.
pub(crate) fn references<L: Language>(name: &str, bytes: &[u8]) -> Vec<Reference> {
    if !L::may_refer(bytes) {
        return Vec::new();
    }
    let Some(reading) = L::reading(name, &Bytes::from(bytes)) else { return Vec::new() };
    let content = L::parse(reading, &Arc::from(name), bytes);
    let odd = L::imports(&content.tree).into_iter().filter(|import| !L::is_named(import.path));
    let odd = odd.flat_map(|import| {
        // As it is written, and as what an address stands for.
        let plain = import.path.contains('%').then(|| text::without_percent_signs(import.path));
        let spelled = std::iter::once(Cow::Borrowed(import.path)).chain(plain.map(Cow::Owned));
        spelled.map(|path| reference(&path, L::ending(import.reading))).collect::<Vec<_>>()
    });
    odd.filter(|reference| !reference.name.is_empty()).collect()
}

/// What the path of an import refers to, which may be an address.
fn reference(import: &str, ending: &'static str) -> Reference {
    let path = import.split(['?', '#']).next().unwrap_or(import);
    let name = name_of(path);
    let folders = path[..path.len() - name.len()].split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
    Reference { name: name.to_owned(), folders: folders.map(str::to_owned).collect(), ending }
}

/// The files to which some files of a version lead and which are read by names that texts give them.
pub(crate) fn leads<L: Language>(side: &Snapshot, include: &[String], from: &OrderedSet<Arc<str>>) -> Vec<Arc<str>> {
    let options = CheckOptions { include: include.to_vec(), ..CheckOptions::default() };
    let search = L::search(side, &options);
    let mut led = Vec::new();
    for path in from {
        let Some(file) = side.get(path) else { continue };
        let Some(reading) = reading_in::<L>(side, path, &file.bytes) else { continue };
        let content = L::parse(reading, path, &file.bytes);
        for import in L::imports(&content.tree).into_iter().filter(|import| !L::is_named(import.path)) {
            if let Some(Target::File(target)) = search.find(path, import.path) {
                led.push(target);
            }
        }
    }
    led
}
