//! Names of files: as text, from folder to folder, and which of them matter.

use std::borrow::Cow;
use std::path::Path;

use crate::formats::{Format, is_settings};
use crate::snapshot::name_of;

/// Whether a file can matter: a schema, or a file that says how schemas are found.
pub fn is_relevant(path: &str) -> bool {
    is_settings(path) || Format::is_schema(path)
}

/// Whether a file may be one that a schema refers to by another name than schemas have: neither a schema nor, by what it is
/// called, a program, a page or a picture.
pub(crate) fn may_be_referred_to(path: &str) -> bool {
    let extension = name_of(path).rsplit_once('.').map_or("", |(_, extension)| extension);
    !is_relevant(path) && OF_OTHERS.binary_search(&extension).is_err()
}

/// The extensions of what compilers of schemas are never told to read, in the order of the alphabet.
const OF_OTHERS: [&str; 64] = [
    "7z", "a", "bat", "bin", "bmp", "bz2", "c", "cc", "cjs", "class", "cpp", "cs", "css", "csv", "dart", "dll", "exe",
    "gif", "go", "gz", "h", "hpp", "htm", "html", "ico", "ipynb", "jar", "java", "jpeg", "jpg", "js", "jsx", "kt",
    "kts", "less", "lock", "lua", "m", "md", "mjs", "mm", "mp4", "o", "pdf", "php", "pl", "png", "py", "pyc", "r",
    "rb", "rs", "rst", "scala", "scss", "sh", "so", "svg", "swift", "tar", "ts", "tsx", "wasm", "zip",
];

/// What files are called that hold a configuration of this program.
pub(crate) const CONFIGURATIONS: [&str; 2] = ["wireproof.yaml", ".wireproof.yaml"];

/// Whether a file may hold one, by its name.
pub(crate) fn is_configuration(path: &str) -> bool {
    path.ends_with("yaml") && CONFIGURATIONS.contains(&path.rsplit('/').next().unwrap_or(path))
}

/// A file name as text: bytes that are not UTF-8 are spelled `\xNN`, so that two names never become one.
pub(crate) fn path_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// The same, borrowed where it is text already.
pub(crate) fn path_of(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| Cow::Owned(path_text(bytes)), Cow::Borrowed)
}

/// A relative path from a folder, without `.` and `..`; `None` if it is absolute or leads out.
pub(crate) fn normalised(folder: &str, path: &str) -> Option<String> {
    let path = path.replace('\\', "/");
    if Path::new(&path).is_absolute() || path.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_schemas_and_their_settings_are_read() {
        assert!(is_relevant("a/b.proto") && is_relevant("x/buf.yaml"));
        assert!(!is_relevant("a/b.rs") && !is_relevant("proto") && !is_relevant("a/events.avro"));
    }

    #[test]
    fn what_others_read_is_no_schema() {
        assert!(OF_OTHERS.is_sorted());
        assert!(["a/b.inc", "c.txt", "d", "e.json", ".rs/f", "g.proto.in"].into_iter().all(may_be_referred_to));
        assert!(!["a/b.rs", "c.proto", "d.schema.json", "e.tar.gz"].into_iter().any(may_be_referred_to));
    }

    #[test]
    fn a_name_that_is_not_text_is_spelled_out() {
        assert_eq!(path_text(b"a/caf\xe9.proto"), "a/caf\\xe9.proto");
    }

    #[test]
    fn relative_paths_are_made_from_the_folder_one_stands_in() {
        assert_eq!(normalised("services/shop", "../proto/./v1").as_deref(), Some("services/proto/v1"));
        assert_eq!(normalised("", ".").as_deref(), Some(""));
        assert_eq!(normalised("", "../x"), None);
        assert_eq!(normalised("", "/x"), None);
    }
}
