//! The schema languages. Each owes the same: parse both sides, say what changed, and show by round trips what readers see.
//!
//! A format never sees a rule, a report, the configuration or another format.

pub mod avro;
mod division;
pub mod flatbuffers;
mod frame;
mod parts;
pub mod protobuf;
mod roundtrip;
pub mod thrift;
#[cfg(test)]
mod toy;

use std::collections::BTreeSet;

pub use self::division::Part;

use crate::change::{Change, Pair, Span};
use crate::evidence::Observed;
use crate::snapshot::Snapshot;
use crate::syntax::problem::{NotChecked, Problem, Severity};

/// What the rest of the program knows of a language; each states it beside its own code.
pub(crate) struct Spec {
    /// The name used on the command line, in reports and as the folder of its rules.
    name: &'static str,
    /// What people call it.
    title: &'static str,
    /// The file name extensions, without the dot; the first is that of an example.
    extensions: &'static [&'static str],
    /// The extensions of files that hold data and name its schema.
    data_extensions: &'static [&'static str],
    /// Compares the files of two snapshots.
    check: fn(Pair<&Snapshot>, &CheckOptions) -> Checked,
    /// The part of a file that is text, where that is not all of it.
    text_part: fn(&[u8]) -> Option<Span>,
}

/// Declares the languages: one line for each.
macro_rules! languages {
    ($($(#[doc = $doc:literal])+ $variant:ident = $module:ident,)+) => {
        /// A schema language.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Format { $($(#[doc = $doc])+ $variant,)+ }

        impl Format {
            /// Every format, in the order of reports.
            pub const ALL: &'static [Format] = &[$(Format::$variant,)+];

            const fn spec(self) -> &'static Spec {
                match self { $(Format::$variant => &$module::SPEC,)+ }
            }
        }
    };
}

languages! {
    /// Protocol Buffers: proto2, proto3 and editions.
    Protobuf = protobuf,
    /// Apache Avro: schemas, protocols and IDL.
    Avro = avro,
    /// FlatBuffers.
    Flatbuffers = flatbuffers,
    /// Apache Thrift.
    Thrift = thrift,
}

impl Format {
    /// The name used on the command line, in reports and as the folder of its rules.
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// What people call it.
    pub const fn title(self) -> &'static str {
        self.spec().title
    }

    /// The file name extensions, without the dot.
    pub const fn extensions(self) -> &'static [&'static str] {
        self.spec().extensions
    }

    /// The extensions of files that hold data and name its schema. They count where such a file is named, and are not
    /// looked for in folders: there may be many, and large ones.
    pub const fn data_extensions(self) -> &'static [&'static str] {
        self.spec().data_extensions
    }

    /// The format of a file, by its extension.
    pub fn of_path(path: &str) -> Option<Format> {
        let (_, extension) = path.rsplit_once('.')?;
        let has =
            |format: &Format| format.extensions().contains(&extension) || format.data_extensions().contains(&extension);
        Format::ALL.iter().copied().find(has)
    }

    /// Whether the extension of a file is that of a schema.
    pub fn is_schema(path: &str) -> bool {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        Format::ALL.iter().any(|format| format.extensions().contains(&extension))
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.iter().copied().find(|format| format.name() == name)
    }
}

/// What a comparison needs beside the two snapshots.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// Import roots in order, relative to the snapshot; an absent one is ignored on that side.
    pub include: Vec<String>,
    /// Schema files from outside the snapshots that imports may lead to (import roots in the working directory, a
    /// module cache): import path → text. They supply types and are not judged themselves.
    pub library: Vec<LibraryFile>,
    /// Names of types or services, in full or their last parts where these mean one; when not empty only what they reach
    /// is judged.
    pub roots: Vec<String>,
    /// An import that cannot be found is an error.
    pub strict_imports: bool,
    /// Problems in files that are the same on both sides and not reachable from a change are warnings.
    pub lenient_unchanged: bool,
    /// Only this part of the round trips; the comparison is always whole.
    pub part: Option<Part>,
}

/// A schema file that only supplies types.
#[derive(Debug, Clone)]
pub struct LibraryFile {
    /// The path by which it is imported.
    pub import_path: String,
    /// Its bytes.
    pub bytes: std::sync::Arc<[u8]>,
}

/// Everything a format found out about a pair of snapshots.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// What changed.
    pub changes: Vec<Change>,
    /// What the round trips showed.
    pub observed: Observed,
    /// What is wrong with either side.
    pub problems: Pair<Vec<Problem>>,
    /// What was not checked.
    pub not_checked: Vec<NotChecked>,
    /// Those of [`CheckOptions::roots`] that neither side declares in this language.
    pub unknown_roots: Vec<String>,
    /// Files understood on each side.
    pub files: Pair<usize>,
    /// Files parsed; a file that is the same on both sides is parsed once.
    pub files_parsed: usize,
    /// Files for which another part of the check answers: what changed in them was not written and read here.
    pub elsewhere: BTreeSet<String>,
}

/// Compares the files of one format.
pub fn check_pair(format: Format, pair: Pair<&Snapshot>, options: &CheckOptions) -> Checked {
    (format.spec().check)(pair, options)
}

/// What is wrong with a root that neither side declares in any language.
pub fn unknown_root(root: &str) -> Problem {
    Problem {
        severity: Severity::Error,
        site: None,
        message: format!("neither side declares the root `{root}`"),
        help: "give `--root` the full name of a type, a service or a protocol".to_owned(),
    }
}

/// The part of a file that is text, where that is not all of it: the schema inside of data.
pub fn text_part(path: &str, bytes: &[u8]) -> Option<Span> {
    (Format::of_path(path)?.spec().text_part)(bytes)
}
