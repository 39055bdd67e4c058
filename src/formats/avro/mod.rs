//! Apache Avro: schemas, protocols and IDL, by the specification 1.12.

pub(crate) mod ast;
mod canonical;
pub(crate) mod codec;
mod compare;
mod compare_scalars;
mod container;
mod container_schema;
mod diff;
mod encoding;
mod foreign;
mod gather;
mod generate;
mod idl;
mod idl_json;
mod idl_parser;
mod idl_types;
pub(crate) mod json;
mod language;
mod legible;
mod link;
pub(crate) mod model;
mod names;
mod observer;
mod parts;
mod place;
mod plan;
pub(crate) mod print;
pub(crate) mod probe;
mod registry;
mod relation;
pub(crate) mod resolve;
mod resolve_java;
mod resolve_java_default;
mod resolve_java_made;
mod resolve_java_valid;
mod resolve_replay;
mod resolve_terms;
mod schema_json;
mod second;
mod stage;
mod starts;
mod tell;
mod trail;
mod used;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::change::Side;
use crate::formats::check::{CheckOptions, Spec};
use crate::formats::frame::folders::{Above, Folders};
use crate::formats::frame::{self, Declared, Import, Language, Links, Mentions, Starts, Supplied, Ties};
use crate::formats::used::Used;
use crate::snapshot::{Bytes, ContentId, Snapshot};
use crate::syntax::problem::Problem;
use crate::syntax::tokens;

use self::ast::Document;
use self::gather::Syntax;
use self::language::{Content, Contents, Gathered, Linkage};
use self::model::Schema;

pub use self::language::Avro;
pub use self::resolve::Dialect;

/// What the rest of the program knows of it.
pub(super) const SPEC: Spec = Spec {
    data_extensions: &["avro"],
    text_part: container::text_part,
    as_utf8: Some(encoding::as_utf8),
    ways: plan::round,
    ..frame::spec::<Avro>("avro", "Avro", &["avsc", "avpr", "avdl"])
};

/// The first stage: what stands in the files.
pub type Parsed<'b> = frame::Parsed<'b, Avro>;
/// The second stage: two linked sides.
pub type Linked<'t> = frame::Linked<'t, Avro>;

impl Language for Avro {
    type Reading = Syntax;
    type Tree<'b> = Document<'b>;
    type Search<'b> = Folders<'b>;

    const IMPORT: &'static str = "import";
    const MISTAKEN_FOR: Option<[&'static str; 2]> = Some(["an Avro schema", "a JSON Schema"]);

    fn reading(path: &str, bytes: &Bytes) -> Option<Syntax> {
        Syntax::of_file(path, bytes)
    }

    fn starts_data(path: &str) -> bool {
        path.ends_with(".avsc")
    }

    fn reading_by_name(path: &str) -> Option<Syntax> {
        Syntax::of_path(path)
    }

    fn ending(syntax: Syntax) -> &'static str {
        match syntax {
            Syntax::Schema => ".avsc",
            Syntax::Protocol => ".avpr",
            Syntax::Idl => ".avdl",
            Syntax::Data => ".avro",
        }
    }

    fn parse<'b>(syntax: Syntax, path: &Arc<str>, bytes: &'b [u8]) -> Content<'b> {
        syntax.parse(path, bytes)
    }

    fn tokens(syntax: Syntax) -> Option<tokens::Style> {
        syntax.tokens()
    }

    fn shorter<'t, 'b: 't>(tree: &'t Document<'b>) -> &'t Document<'t> {
        tree
    }

    fn imports<'i>(tree: &'i Document<'_>) -> Vec<Import<'i, Self>> {
        let import = |import: &'i ast::Import<'_>| Import {
            path: &import.path.text,
            span: import.path.span,
            reading: Syntax::of_import(import.kind),
        };
        tree.imports.iter().map(import).collect()
    }

    fn search<'b>(snapshot: &'b Snapshot, options: &'b CheckOptions) -> Folders<'b> {
        Folders::new::<Self>(snapshot, options, Above::Ignored)
    }

    fn mentions(tree: &Document<'_>) -> Mentions {
        gather::mentions(tree)
    }

    fn ties(_path: &str, tree: &Document<'_>) -> Ties {
        let mut names = gather::mentions(tree).defines;
        names.extend(tree.protocol.iter().map(|protocol| protocol.name.text.to_string()));
        let package = |name: &String| name.rsplit_once('.').map(|(package, _)| package.to_owned());
        Ties { packages: names.iter().filter_map(package).collect(), names, carries_any: false }
    }

    fn supplied<'b>(
        contents: &Contents<'b>,
        versions: &[&'b Snapshot],
        options: &'b CheckOptions,
    ) -> FxHashMap<ContentId, Supplied<'b, Self>> {
        gather::supplied(contents, versions, options)
    }

    fn used(tree: &Document<'_>) -> Vec<Used> {
        used::used(tree)
    }
}

impl Links for Avro {
    type Schema<'t> = Schema<'t>;

    fn link<'t>(gathered: &Gathered<'t>, _side: Side) -> Linkage<Schema<'t>> {
        link::link(gathered)
    }

    fn declared<'s>(schema: &'s Schema<'_>) -> Vec<Declared<'s>> {
        let names = schema.by_name.iter().flat_map(|(name, types)| types.iter().map(move |ty| (name, *ty)));
        let at = |ty| schema.name(ty).map_or_else(|| schema.ty(ty).span, |name| name.span);
        let types = names.map(|(name, ty)| (&**name, schema.ty(ty).file, at(ty)));
        let protocols =
            schema.protocols.iter().map(|protocol| (&*protocol.name.full, protocol.file, protocol.name.span));
        let one = |(name, file, at)| {
            let file = schema.file(file);
            Declared { name, file: &file.path, at, is_own: !file.is_library }
        };
        types.chain(protocols).map(one).collect()
    }

    fn references<'s>(schema: &'s Schema<'_>) -> Vec<(&'s str, &'s str)> {
        references(schema)
    }

    fn starts<'s>(schema: &'s Schema<'_>) -> Starts<'s> {
        starts::starts(schema)
    }

    fn damaged(snapshot: &Snapshot, schema: &Schema<'_>) -> Vec<Problem> {
        container_schema::damaged(snapshot, schema)
    }
}

/// The files that files lead to, by the types that they name.
fn references<'s>(schema: &'s Schema<'_>) -> Vec<(&'s str, &'s str)> {
    let of_type = |ty: &'s model::Type<'_>| -> Vec<model::Use> {
        match &ty.kind {
            model::Kind::Record(record) => record.fields.iter().map(|field| field.schema).collect(),
            model::Kind::Array(inner) | model::Kind::Map(inner) => vec![*inner],
            model::Kind::Union(branches) => branches.to_vec(),
            model::Kind::Primitive(_) | model::Kind::Enum(_) | model::Kind::Fixed(_) | model::Kind::Opaque(_) => {
                Vec::new()
            }
        }
    };
    let of_types = schema.types.iter().flat_map(of_type);
    let of_roots = schema.roots.iter().map(|root| root.schema);
    let messages = schema.protocols.iter().flat_map(|protocol| &protocol.messages);
    let of_messages = messages.flat_map(|message| [message.response, message.errors]);
    let uses = of_types.chain(of_roots).chain(of_messages);
    let uses = uses.map(|used| (used.file, schema.ty(used.ty))).filter(|(_, ty)| ty.kind.name().is_some());
    let files = uses.map(|(from, ty)| (&*schema.file(from).path, &*schema.file(ty.file).path));
    files.filter(|(from, to)| from != to).collect()
}

/// Reads bytes as data of the schema in a text, in both encodings, and asserts that what is accepted is read back the
/// same after it was written again; whether anything was accepted. This is what the fuzz target runs.
pub fn reread(schema: &str, bytes: &[u8]) -> bool {
    let snapshot = Snapshot::from_files([("fuzz.avsc", schema.as_bytes())]);
    let options = CheckOptions::default();
    frame::with_schema::<Avro, _>(&snapshot, &options, |schema, _| reread_as(schema, bytes))
}

fn reread_as(schema: &Schema<'_>, bytes: &[u8]) -> bool {
    let Some(ty) = schema.roots.first().map(|root| root.schema.ty) else { return false };
    let from_binary = codec::decode(schema, ty, bytes).map(|(value, _)| value).ok();
    let from_json = std::str::from_utf8(bytes).ok().and_then(|text| json::decode(schema, ty, text).ok());
    for value in [&from_binary, &from_json].into_iter().flatten() {
        let mut written = Vec::new();
        codec::encode(schema, ty, value, &mut written).expect("what was read can be written");
        let again = codec::decode(schema, ty, &written);
        assert!(matches!(&again, Ok((again, [])) if again == value), "the bytes changed {value:?} to {again:?}");
        if let Ok(text) = json::encode(schema, ty, value) {
            let again = json::decode(schema, ty, &text);
            assert!(again.as_ref() == Ok(value), "JSON changed {value:?} to {again:?}");
        }
    }
    from_binary.or(from_json).is_some()
}

#[cfg(test)]
mod differential_tests;
