//! Where imports lead: files in folders, and the files that come with the compiler.

use std::sync::{Arc, OnceLock};

use super::ast::{Document, Kind, Path, Start};
use super::parse;
use crate::formats::check::CheckOptions;
use crate::formats::frame::folders::{Above, Folders};
use crate::formats::frame::search::{Search, Target};
use crate::snapshot::Snapshot;

use super::language::Capnp;

/// Files that come with the compiler and declare nothing but annotations for other tools: import path and text.
pub(super) const BUILTIN: [(&str, &[u8]); 2] = [
    (
        "/capnp/c++.capnp",
        b"@0xbdf87d7bb8304e81;\n\
         annotation namespace @0xb9c6f99ebf805f2c (file) :Text;\n\
         annotation name @0xf264a779fef191ce (*) :Text;\n\
         annotation allowCancellation @0xac7096ff8cfc9dce (interface, method, file) :Void;\n",
    ),
    ("/capnp/stream.capnp", b"@0x86c366a91393f3f8;\nstruct StreamResult @0x995f9a3377c0b16e {}\n"),
];

/// The built-in file of that import path.
pub(super) fn builtin(import: &str) -> Option<(&'static str, &'static Document<'static>)> {
    static TREES: OnceLock<Vec<Document<'static>>> = OnceLock::new();
    let trees =
        TREES.get_or_init(|| BUILTIN.iter().map(|(path, text)| parse::parse(&Arc::from(*path), text).0).collect());
    let at = BUILTIN.iter().position(|(path, _)| *path == import)?;
    Some((BUILTIN[at].0, &trees[at]))
}

/// Whether a file of that text may use anything that it imports by that path: by what `using` calls it, or directly.
pub(super) fn may_use(text: &[u8], import: &str) -> bool {
    let (document, problems) = parse::parse(&Arc::from(""), text);
    let leads_there = |at: usize| document.imports.get(at).is_some_and(|path| path.text == import);
    let all = (0..document.imports.len()).filter(|at| leads_there(*at)).count();
    let alias = |one: &super::ast::Declaration<'_>| match &one.kind {
        Kind::Using(Path { start: Start::Import(at), steps, .. }) if steps.is_empty() && leads_there(*at) => {
            Some(one.name.text.to_string())
        }
        _ => None,
    };
    let aliases: Vec<String> = document.body.iter().filter_map(alias).collect();
    // What only annotates is no part of any data.
    let annotates = |at: usize| text[..at].trim_ascii_end().ends_with(b"$");
    let is_used =
        |alias: &String| memchr::memmem::find_iter(text, format!("{alias}.").as_bytes()).any(|at| !annotates(at));
    !problems.is_empty() || aliases.len() < all || aliases.iter().any(is_used)
}

/// Folders first: a file of that name in the version counts before the one that is built in.
pub(crate) struct Imports<'b>(Folders<'b>);

impl<'b> Imports<'b> {
    pub(super) fn new(snapshot: &'b Snapshot, options: &'b CheckOptions) -> Self {
        Imports(Folders::new::<Capnp>(snapshot, options, Above::Searched))
    }
}

impl Search for Imports<'_> {
    fn find(&self, from: &str, import: &str) -> Option<Target> {
        let found = match import.starts_with('/') {
            true => self.0.find_from_roots(from, import),
            false => self.0.find(from, import),
        };
        found.or_else(|| builtin(import).map(|(path, _)| Target::Builtin(path)))
    }

    fn is_inferred(&self, _from: &str, import: &str) -> bool {
        import.starts_with('/') && !self.0.is_in_roots(import)
    }
}

/// The files that a text embeds (`embed "path"`), as it writes their paths; those in comments as well.
pub(super) fn embedded(text: &[u8]) -> Vec<String> {
    let path = |at: usize| {
        let rest = text[at + EMBED.len()..].trim_ascii_start().strip_prefix(b"\"")?;
        let path = &rest[..memchr::memchr(b'"', rest)?];
        std::str::from_utf8(path).ok().map(str::to_owned)
    };
    memchr::memmem::find_iter(text, EMBED).filter_map(path).collect()
}

const EMBED: &[u8] = b"embed";
