//! Cap'n Proto.

mod annotations;
mod anything;
mod around;
mod ast;
mod canonical;
mod codec;
mod compare;
mod copied;
mod defaults;
mod diff;
mod felt;
mod generate;
mod ids;
mod imports;
mod instances;
mod language;
mod layout;
mod link;
mod link_structs;
mod link_values;
mod loader;
mod message;
pub(crate) mod model;
mod names;
mod nodes;
mod observer;
mod pairing;
mod parse;
mod parse_members;
mod parse_values;
mod parts;
mod plan;
mod probe;
mod reader;
mod relation;
mod scopes;
mod stage;
mod starts;
mod types;
mod used;
mod validate;

#[cfg(test)]
#[path = "codec_tests.rs"]
mod codec_tests;
#[cfg(test)]
#[path = "layout_tests.rs"]
mod layout_tests;

use crate::change::Side;
use crate::formats::check::{CheckOptions, Spec};
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::{self, Declared, Import, Language, Links, Starts, Ties, one_notation};
use crate::snapshot::Snapshot;
use crate::syntax::tokens::Style;

use self::ast::{Declaration, Document};
use self::imports::Imports;
pub(crate) use self::language::Capnp;
use self::language::{Gathered, Linkage};
use self::model::{Schema, Sort, Struct};

/// What the rest of the program knows of it.
pub(super) const SPEC: Spec = Spec {
    braces: Some(&plan::LANGUAGE),
    built_in: &imports::BUILTIN,
    embedded: Some(imports::embedded),
    ..frame::spec::<Capnp>("capnp", "Cap'n Proto", &["capnp"])
};

impl Language for Capnp {
    type Tree<'b> = Document<'b>;
    type Search<'b> = Imports<'b>;

    const IMPORT: &'static str = "import";

    one_notation!(".capnp", parse::parse, Some(Style::of(parse::STYLE)));

    fn imports<'i>(tree: &'i Document<'_>) -> Vec<Import<'i, Self>> {
        tree.imports.iter().map(|path| Import { path: &path.text, span: path.span, reading: () }).collect()
    }

    fn builtin<'t>(import: &str) -> Option<(&'static str, &'t Document<'t>)> {
        imports::builtin(import).map(|(path, tree)| (path, Self::shorter(tree)))
    }

    fn may_use(text: &[u8], import: &str) -> bool {
        imports::may_use(text, import)
    }

    fn ties(path: &str, tree: &Document<'_>) -> Ties {
        // That an id is there twice is said of those that have it.
        let mut names: Vec<String> = tree.id.iter().map(|(id, _)| format!("@0x{id:x}")).collect();
        tree.body.iter().for_each(|one| name_all(scopes::stem(path), one, &mut names));
        Ties { packages: Vec::new(), names, carries_any: false }
    }

    fn search<'b>(snapshot: &'b Snapshot, options: &'b CheckOptions) -> Imports<'b> {
        Imports::new(snapshot, options)
    }
}

impl Links for Capnp {
    type Schema<'t> = Schema<'t>;

    const STEM: Option<fn(&str) -> &str> = Some(scopes::stem);

    fn link<'t>(gathered: &Gathered<'t>, _side: Side) -> Linkage<Schema<'t>> {
        link::link(gathered)
    }

    fn declared<'s>(schema: &'s Schema<'_>) -> Vec<Declared<'s>> {
        let is_data = |of: &&Struct<'_>| of.sort == Sort::Struct;
        let structs = schema.structs.iter().filter(is_data).map(|of| schema.declared(of));
        let types = structs.chain(schema.enums.iter().map(|of| schema.declared(of)));
        types.chain(schema.interfaces.iter().map(|of| schema.declared(of))).collect()
    }

    fn starts<'s>(schema: &'s Schema<'_>) -> Starts<'s> {
        starts::starts(schema)
    }
}

/// Reads bytes as a struct, and asserts that what is accepted is read back the same after it was written again; whether
/// anything was accepted. `name` has the file in front, which is `fuzz`. This is what the fuzz target runs.
pub fn reread(text: &str, name: &str, bytes: &[u8]) -> bool {
    let snapshot = Snapshot::from_files([("fuzz.capnp", text.as_bytes())]);
    frame::with_schema::<Capnp, _>(
        &snapshot,
        &CheckOptions::default(),
        |schema, _| matches!(schema.names.get(name), Some(model::Declared::Struct(id)) if probe::reread(schema, *id, bytes)),
    )
}

/// The full names of a declaration and of all inside of it. How deep they nest, the parser has limited.
fn name_all(around: &str, one: &Declaration<'_>, names: &mut Vec<String>) {
    let name = format!("{around}.{}", one.name.text);
    one.nested.iter().for_each(|inner| name_all(&name, inner, names));
    names.extend(one.id.map(|(id, _)| format!("@0x{id:x}")));
    names.push(name);
}
