//! The well-known files that every protobuf compiler brings along, parsed when something imports them.
//!
//! The texts are the official ones (see the licence beside them). A copy inside the snapshot shadows the one here.

use std::sync::{Arc, OnceLock};

use crate::change::Pair;

use super::model::File;
use super::{ast, parse};

/// A file built into the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Builtin(usize);

/// The file in which options and features are defined.
pub(super) const DESCRIPTOR: &str = "google/protobuf/descriptor.proto";

/// One line of the table: import path and text.
macro_rules! texts {
    ($($path:literal,)+) => {
        [$(($path, include_bytes!(concat!("builtin/", $path)).as_slice()),)+]
    };
}

const COUNT: usize = 20;

pub(super) static TEXTS: [(&str, &[u8]); COUNT] = texts![
    "google/protobuf/any.proto",
    "google/protobuf/api.proto",
    "google/protobuf/c_sharp_features.proto",
    "google/protobuf/compiler/plugin.proto",
    "google/protobuf/cpp_features.proto",
    "google/protobuf/cpp_file_options.proto",
    "google/protobuf/cpp_options.proto",
    "google/protobuf/descriptor.proto",
    "google/protobuf/duration.proto",
    "google/protobuf/empty.proto",
    "google/protobuf/field_mask.proto",
    "google/protobuf/go_features.proto",
    "google/protobuf/java_features.proto",
    "google/protobuf/json_enumvalue_options.proto",
    "google/protobuf/json_options.proto",
    "google/protobuf/source_context.proto",
    "google/protobuf/struct.proto",
    "google/protobuf/timestamp.proto",
    "google/protobuf/type.proto",
    "google/protobuf/wrappers.proto",
];

/// The files whose messages never changed since proto3 came: well-known types that are sent. The others are options and
/// descriptions of schemas, which grow with each release.
pub(super) fn is_settled(path: &str) -> bool {
    const SETTLED: [&str; 7] = ["any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers"];
    let name = path.strip_prefix("google/protobuf/").and_then(|name| name.strip_suffix(".proto"));
    name.is_some_and(|name| SETTLED.contains(&name))
}

static TREES: [OnceLock<ast::File<'static>>; COUNT] = [const { OnceLock::new() }; COUNT];

/// Whether a file of a schema is the built-in one, and no copy.
pub(super) fn is_one(file: &File<'_>) -> bool {
    let own = || find(&file.import_path).map(|found| std::ptr::from_ref(found.ast()).cast::<()>());
    file.is_builtin && own() == Some(std::ptr::from_ref(file.ast).cast::<()>())
}

/// Whether two files are the built-in one, or it and a copy of another release. Whatever else declares what the built-in one
/// does says something of its own, and so does a copy of what never changes.
pub(super) fn are_one(files: Pair<&File<'_>>) -> bool {
    let is_copy = |file: &File<'_>, of: &File<'_>| {
        let before = file.path.strip_suffix(&*of.import_path);
        !is_settled(&of.import_path) && before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    match files.map(is_one) {
        Pair { old: true, new: true } => true,
        Pair { old: true, new: false } => is_copy(files.new, files.old),
        Pair { old: false, new: true } => is_copy(files.old, files.new),
        Pair { old: false, new: false } => false,
    }
}

/// Where all of them lie.
const FOLDER: &str = "google/protobuf/";

/// The built-in file of an import path.
pub(super) fn find(import_path: &str) -> Option<Builtin> {
    if !import_path.starts_with(FOLDER) {
        return None;
    }
    TEXTS.binary_search_by_key(&import_path, |(path, _)| path).ok().map(Builtin)
}

impl Builtin {
    /// The path by which the file is imported.
    pub(super) fn path(self) -> &'static str {
        TEXTS[self.0].0
    }

    /// The syntax tree, built at the first call.
    pub(super) fn ast(self) -> &'static ast::File<'static> {
        TREES[self.0].get_or_init(|| {
            let path: Arc<str> = Arc::from(self.path());
            parse::parse(&path, TEXTS[self.0].1).0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_every_file_parses() {
        assert!(TEXTS.is_sorted_by_key(|(path, _)| path));
        for (path, text) in TEXTS {
            let (_, problems) = parse::parse(&Arc::from(path), text);
            assert_eq!(problems, [], "{path}");
        }
    }
}
