//! The schema languages. Each owes the same: parse both sides, say what changed, and show by round trips what readers see.
//!
//! A format never sees a rule, a report, the configuration or another format.

pub mod avro;
pub mod capnp;
mod check;
mod division;
pub mod flatbuffers;
mod frame;
mod instances;
pub mod json_schema;
pub mod outline;
mod parts;
pub mod protobuf;
mod refers;
mod roundtrip;
mod same_terms;
#[cfg(test)]
pub(crate) mod table_tests;
pub mod thrift;
#[cfg(test)]
mod toy;
mod used;
mod ways;

use self::check::has_end;
pub use self::check::{CheckOptions, Checked, LibraryFile};
pub(crate) use self::check::{is_settings, mapped};
pub use self::division::Part;
pub use self::instances::{Encoding, Usage, Usages, Writers};
pub use self::refers::Reference;
pub use self::same_terms::SameTerms;
use self::used::Declarations;
pub use self::used::{Role, Used};
pub use self::ways::{Broken, Does, FileEdit, Stage, Way};
use crate::ordered::OrderedSet;

use std::sync::Arc;

use self::check::Spec;
use crate::change::{Pair, Span};
use crate::failure::nearest;
use crate::snapshot::{Bytes, ContentId, Snapshot};
use crate::syntax::problem::{Problem, Severity};

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
    /// Cap'n Proto.
    Capnp = capnp,
    /// JSON Schema: drafts 4, 6, 7, 2019-09 and 2020-12.
    JsonSchema = json_schema,
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

    /// The extensions of files that hold data and name its schema, or that may hold anything. They count where such a file
    /// is named, and are not looked for in folders: there may be many, and large ones.
    pub const fn data_extensions(self) -> &'static [&'static str] {
        self.spec().data_extensions
    }

    /// The format of a file, by its extension.
    pub fn of_path(path: &str) -> Option<Format> {
        let has = |format: &Format| {
            has_end(path, format.extensions()) || has_end(path, format.data_extensions()) && !is_settings(path)
        };
        Format::ALL.iter().copied().find(has)
    }

    /// The format of all files whose names end in a dot and this, where that is enough to tell.
    pub fn of_extension(extension: &str) -> Option<Format> {
        let mut may_be = Format::ALL.iter().copied().filter(|format| format.may_have(extension));
        let only = may_be.next().filter(|format| format.extensions().contains(&extension));
        only.filter(|_| may_be.next().is_none())
    }

    /// Whether some of the files are its own whose names end in a dot and this.
    fn may_have(self, extension: &str) -> bool {
        let mut ends = self.extensions().iter().chain(self.data_extensions());
        ends.any(|end| end.rsplit('.').next() == Some(extension))
    }

    /// Whether the extension of a file is that of a schema.
    pub fn is_schema(path: &str) -> bool {
        Format::ALL.iter().any(|format| has_end(path, format.extensions()))
    }

    /// Whether its files are read only when somebody wants to know what they say.
    pub(crate) const fn may_wait(self) -> bool {
        self.spec().may_wait
    }

    /// Whether its files may embed others that are no schemas.
    pub(crate) const fn embeds(self) -> bool {
        self.spec().embedded.is_some()
    }

    /// Whether the further extensions are those of schemas, too.
    pub const fn is_of_schemas(self) -> bool {
        self.spec().more_are_schemas.is_some()
    }

    /// Whether a file of a further extension says of itself that it is a schema.
    pub fn is_said_by(self, bytes: &[u8]) -> bool {
        self.spec().more_are_schemas.is_some_and(|says| says(bytes))
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.iter().copied().find(|format| format.name() == name)
    }
}

/// Compares the files of one format.
pub fn check_pair(format: Format, pair: Pair<&Snapshot>, options: &CheckOptions) -> Checked {
    (format.spec().check)(pair, options)
}

/// What the files of a version declare, in any language: file and full name of each.
pub fn declared(snapshot: &Snapshot) -> Vec<(String, String)> {
    Format::ALL.iter().flat_map(|format| (format.spec().declared)(snapshot)).collect()
}

/// The files that are built into a language: the path by which each is imported, and its text.
pub fn built_in(format: Format) -> &'static [(&'static str, &'static [u8])] {
    format.spec().built_in
}

/// Whether a built-in file says the same in every release of the compilers.
pub fn is_settled(format: Format, import: &str) -> bool {
    (format.spec().is_settled)(import)
}

/// Whether a built-in file is there in every version, whether or not something imports it.
pub fn is_always_there(format: Format, import: &str) -> bool {
    format.spec().always == Some(import)
}

/// What a text imports, where a glance shows it and nothing but imports leads from one file of the format to another.
pub fn imports(format: Format, text: &[u8]) -> Option<Vec<String>> {
    (format.spec().glance)(text).map(|outline| outline.imports)
}

/// What a text declares by full names, where a glance shows it; what is declared inside of something else is left out.
pub fn declared_outside(format: Format, text: &[u8]) -> Option<Vec<String>> {
    (format.spec().glance)(text).map(|outline| outline.ties.names.clone())
}

/// The files that a text of a format, by the name by which it is read, refers to by names that are none of the format's.
pub fn references(format: Format, name: &str, bytes: &[u8]) -> Vec<Reference> {
    (format.spec().references)(name, bytes)
}

/// The files that a text of a format embeds, as it writes their paths.
pub fn embedded(format: Format, text: &[u8]) -> Vec<String> {
    format.spec().embedded.map_or_else(Vec::new, |embedded| embedded(text))
}

/// The files to which some files of a version lead, with roots of imports, and whose names are none of the format's.
pub fn leads(format: Format, side: &Snapshot, include: &[String], from: &OrderedSet<Arc<str>>) -> Vec<Arc<str>> {
    (format.spec().leads)(side, include, from)
}

/// Whether a text that has no such name may be one of the format; false only where it surely is not.
pub fn may_be(format: Format, text: &[u8]) -> bool {
    (format.spec().may_be)(text)
}

/// The formats of a file of a version, by the names by which it is read.
pub fn formats_of(side: &Snapshot, path: &str) -> Vec<Format> {
    side.names(path).filter_map(Format::of_path).collect()
}

/// Whether nothing but comments and blanks differs in two texts of a file.
pub fn say_the_same(path: &str, texts: Pair<&Bytes>) -> bool {
    Format::of_path(path).is_some_and(|format| (format.spec().say_the_same)(path, texts))
}

/// What the elements of a file are known by in data; nothing where its language does not say so.
pub fn used(path: &str, bytes: &Bytes) -> Vec<Used> {
    Format::of_path(path).map_or_else(Vec::new, |format| (format.spec().used)(path, bytes))
}

/// The declarations of a file, each as a text of its own: together they have the elements of the file, known by the same in
/// data. `None` where that is not seen at a glance.
pub fn declarations(path: &str, text: &[u8]) -> Option<Vec<Vec<u8>>> {
    let Declarations { head, each } = (Format::of_path(path)?.spec().declarations)(text)?;
    Some(each.into_iter().map(|declaration| [&head, declaration].concat()).collect())
}

/// Ways round a break, the best first.
pub fn ways(format: Format, broken: &Broken<'_>) -> Vec<Way> {
    let change = broken.change;
    let suggested = change.suggestion.iter().flat_map(|suggestion| ways::suggested(suggestion, &change.path));
    let Spec { braces, ways: others, .. } = format.spec();
    let in_braces = braces.iter().flat_map(|language| ways::braces::ways(language, broken));
    suggested.chain(in_braces).chain(others(broken)).collect()
}

/// What brings declarations back that only the old side has, as edits of the new one.
pub fn kept_declarations(pair: Pair<&Snapshot>) -> Vec<FileEdit> {
    let languages = Format::ALL.iter().filter_map(|format| format.spec().braces);
    languages.flat_map(|language| ways::braces::declarations(language, pair)).collect()
}

/// What is wrong with a root that neither side declares in any language.
pub fn unknown_root(root: &str, pair: Pair<&Snapshot>) -> Problem {
    let names: Vec<(String, String)> = [pair.new, pair.old].into_iter().flat_map(declared).collect();
    let near = nearest(root, names.iter().map(|(_, name)| name.as_str()));
    let help = "give `--root` the full name of a type, a service or a protocol";
    Problem {
        severity: Severity::Error,
        site: None,
        message: format!("neither side declares the root `{root}`"),
        help: near.map_or_else(|| help.to_owned(), |near| format!("did you mean `{near}`? {help}")),
    }
}

/// The part of a file that is text, where that is not all of it: the schema inside of data.
pub fn text_part(path: &str, bytes: &[u8]) -> Option<Span> {
    (Format::of_path(path)?.spec().text_part)(bytes)
}

/// The text of a schema in UTF-8, where it is written in another encoding that its language knows.
pub fn as_utf8(path: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    Format::of_path(path)?.spec().as_utf8?(path, bytes)
}

/// Whether a file may be in another encoding, by its extension.
pub fn may_be_recoded(extension: &str) -> bool {
    Format::ALL.iter().any(|format| format.spec().as_utf8.is_some() && format.may_have(extension))
}

/// Whether a file need not be read before somebody wants to know what it says.
pub fn may_wait(path: &str) -> bool {
    Format::of_path(path).is_some_and(|format| format.spec().may_wait)
}

/// What tells outlines of this version of the program from those of others: what makes them.
pub fn outline_version() -> ContentId {
    const MADE_BY: [&[u8]; 4] = [
        env!("CARGO_PKG_VERSION").as_bytes(),
        include_bytes!("../syntax/skim.rs"),
        include_bytes!("outline.rs"),
        include_bytes!("protobuf/outline.rs"),
    ];
    ContentId::of(&MADE_BY.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_tells_no_more_than_a_path() {
        let ends = Format::ALL.iter().flat_map(|format| format.extensions().iter().chain(format.data_extensions()));
        for end in ends {
            let extension = end.rsplit('.').next().unwrap_or_default();
            if let Some(format) = Format::of_extension(extension) {
                for path in [format!("a.{extension}"), format!("a/buf.{extension}"), format!(".{extension}")] {
                    assert_eq!(Format::of_path(&path), Some(format), "{path}");
                }
            }
        }
        assert_eq!(Format::of_extension("proto"), Some(Format::Protobuf));
        assert_eq!(["json", "yaml", "", "rs"].map(Format::of_extension), [None; 4]);
    }
}
