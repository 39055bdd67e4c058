//! FlatBuffers.

mod ast;
mod codec;
mod compare;
mod conform;
mod diff;
mod elements;
mod fix;
mod generate;
mod lacking;
mod language;
mod layout;
mod link;
mod link_enums;
mod link_fields;
mod link_values;
pub(crate) mod model;
mod names;
mod observer;
mod pairing;
mod parse;
mod parse_types;
mod parts;
mod plan;
mod positions;
mod probe;
mod relation;
mod stage;
mod starts;
mod used;
mod uses;
mod values;
mod verify;

use crate::change::Side;
use crate::formats::check::{CheckOptions, Spec};
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::folders::{Above, Folders};
use crate::formats::frame::{self, Declared, Import, Language, Links, Starts, Ties, one_notation};
use crate::formats::used::Used;
use crate::snapshot::Snapshot;
use crate::syntax::tokens::Style;

use self::ast::Document;
pub(crate) use self::language::Flatbuffers;
use self::language::{Gathered, Linkage};
use self::model::Schema;

/// What the rest of the program knows of it.
pub(super) const SPEC: Spec =
    Spec { braces: Some(&plan::LANGUAGE), ..frame::spec::<Flatbuffers>("flatbuffers", "FlatBuffers", &["fbs"]) };

impl Language for Flatbuffers {
    type Tree<'b> = Document<'b>;
    type Search<'b> = Folders<'b>;

    const IMPORT: &'static str = "include";

    one_notation!(".fbs", parse::parse, Some(Style::of(parse::STYLE)));

    fn imports<'i>(tree: &'i Document<'_>) -> Vec<Import<'i, Self>> {
        let includes = tree.includes.iter();
        includes.map(|path| Import { path: &path.text, span: path.span, reading: () }).collect()
    }

    fn ties(_path: &str, tree: &Document<'_>) -> Ties {
        let names = tree.definitions.iter().map(|one| link::qualified(&one.namespace, &one.name.text));
        let packages = tree.definitions.iter().map(|one| one.namespace.to_string());
        let packages = packages.filter(|namespace| !namespace.is_empty()).collect();
        Ties { packages, names: names.collect(), carries_any: false }
    }

    fn search<'b>(snapshot: &'b Snapshot, options: &'b CheckOptions) -> Folders<'b> {
        Folders::new::<Self>(snapshot, options, Above::Searched)
    }

    fn used(tree: &Document<'_>) -> Vec<Used> {
        used::used(tree)
    }
}

impl Links for Flatbuffers {
    type Schema<'t> = Schema<'t>;

    fn link<'t>(gathered: &Gathered<'t>, _side: Side) -> Linkage<Schema<'t>> {
        link::link(gathered)
    }

    fn declared<'s>(schema: &'s Schema<'_>) -> Vec<Declared<'s>> {
        let types = schema
            .objects
            .iter()
            .map(|of| schema.declared(of))
            .chain(schema.enums.iter().map(|of| schema.declared(of)));
        types.chain(schema.services.iter().map(|of| schema.declared(of))).collect()
    }

    fn starts<'s>(schema: &'s Schema<'_>) -> Starts<'s> {
        starts::starts(schema)
    }
}
