//! JSON Schema: drafts 4, 6, 7, 2019-09 and 2020-12.
//!
//! It is no wire format: a schema says which JSON is valid. So the round trip is a validation, and what readers experience
//! is that they take a datum or refuse it. What is claimed of a change is proven or shown, or it could not be told.

mod address;
mod answers;
mod bson;
mod decide;
mod declared;
mod dialect;
mod diff;
mod emit;
mod encodings;
mod exclusive;
mod foreign;
mod formats;
mod groups;
mod hints;
mod known;
mod language;
mod lengths;
mod link;
mod linker;
mod looked;
mod lower;
mod meta;
mod model;
mod narrow;
mod notation;
mod pairs;
mod patterns;
mod places;
mod plan;
mod probe;
mod proofs;
mod random;
mod reach;
mod reader;
mod registry;
mod same;
mod sample;
mod scalars;
mod shrink;
mod solver;
#[cfg(test)]
mod suite_tests;
mod texts;
mod tree;
mod twins;
mod valid;
mod ways;
mod yaml;

use std::sync::Arc;

use crate::change::Side;
use crate::formats::check::{CheckOptions, Spec, has_end, is_settings};
use crate::formats::frame::{self, Content, Declared, Import, Language, Links, Ties};
use crate::snapshot::{Bytes, Snapshot};
use crate::syntax::tokens;

pub(crate) use self::language::JsonSchema;
use self::language::{Gathered, Linkage};
use self::model::Schema;
use self::notation::Notation;
use self::places::Places;
use self::tree::Tree;

/// What the rest of the program knows of it.
pub(super) const SPEC: Spec = Spec {
    data_extensions: &["json", "yaml", "yml"],
    more_are_schemas: Some(|text| dialect::is_said(&notation::unescaped(text)) || bson::is_said(text)),
    ways: plan::round,
    ..frame::spec::<JsonSchema>("json-schema", "JSON Schema", &["schema.json", "schema.yaml", "schema.yml"])
};

impl Language for JsonSchema {
    type Reading = Notation;
    type Tree<'b> = Tree<'b>;
    type Search<'b> = Places<'b>;

    const IMPORT: &'static str = "reference";
    const HAS_ADDRESSES: bool = true;
    const MISTAKEN_FOR: Option<[&'static str; 2]> = Some(["a JSON Schema", "an Avro schema"]);

    fn reading(path: &str, _bytes: &Bytes) -> Option<Notation> {
        Notation::of_path(path).filter(|_| !is_settings(path))
    }

    fn ending(notation: Notation) -> &'static str {
        match notation {
            Notation::Json => ".json",
            Notation::Yaml => ".yaml",
        }
    }

    /// Other JSON and YAML may be anything, and nobody looks for it.
    fn is_named(import: &str) -> bool {
        has_end(import, SPEC.extensions)
    }

    fn may_refer(text: &[u8]) -> bool {
        address::written_in(&notation::unescaped(text)).any(|address| !Self::is_named(address))
    }

    fn parse<'b>(notation: Notation, path: &Arc<str>, bytes: &'b [u8]) -> Content<'b, Self> {
        let (json, problems) = notation.read(path, bytes);
        Content::of(bytes, tree::tree(path, json, problems))
    }

    fn tokens(notation: Notation) -> Option<tokens::Style> {
        (notation == Notation::Json).then_some(tokens::Style::JSON)
    }

    fn shorter<'t, 'b: 't>(tree: &'t Tree<'b>) -> &'t Tree<'t> {
        tree
    }

    fn imports<'i>(tree: &'i Tree<'_>) -> Vec<Import<'i, Self>> {
        let reading = |path: &str| Notation::of_path(path).unwrap_or(Notation::Json);
        tree.imports.iter().map(|(path, span)| Import { path, span: *span, reading: reading(path) }).collect()
    }

    fn search<'b>(snapshot: &'b Snapshot, options: &'b CheckOptions) -> Places<'b> {
        Places::new(snapshot, options)
    }

    fn ties(path: &str, tree: &Tree<'_>) -> Ties {
        let names = match &tree.id {
            Some(id) => vec![id.clone()],
            // Copies of a document without an address have one name and are equally long.
            None => {
                let length = tree.json.as_ref().map_or(0, |json| json.span.end - json.span.start);
                vec![path.to_owned(), format!("{} of {length} bytes", link::stem(path))]
            }
        };
        Ties { packages: Vec::new(), names, carries_any: false }
    }
}

impl Links for JsonSchema {
    type Schema<'t> = Schema;

    const STEM: Option<fn(&str) -> &str> = Some(link::stem);
    const BY_NAME: bool = false;

    fn link<'t>(gathered: &Gathered<'t>, _side: Side) -> Linkage<Schema> {
        link::link(gathered)
    }

    fn declared<'s>(schema: &'s Schema) -> Vec<Declared<'s>> {
        let files = schema.files.iter();
        let names = files.flat_map(|file| file.names.iter().map(move |(name, node)| (file, name, *node)));
        let at = |node: Option<model::NodeId>| node.map(|node| schema.node(node).span).unwrap_or_default();
        names
            .map(|(file, name, node)| Declared { name, file: &file.path, at: at(node), is_own: !file.is_library })
            .collect()
    }

    fn references(schema: &Schema) -> Vec<(&str, &str)> {
        schema.references()
    }
}
