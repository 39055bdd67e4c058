//! Apache Thrift, with the fbthrift dialect as far as public files use it.

mod ast;
mod audit;
mod codec;
mod compare;
mod diff;
mod ends;
mod fix;
mod generate;
mod keys;
mod language;
mod link;
mod link_types;
mod link_values;
mod linker;
mod made;
pub(crate) mod model;
mod names;
mod observer;
mod pairing;
mod parse;
mod parse_members;
mod parse_types;
mod parts;
mod plan;
mod probe;
mod relation;
mod stage;
mod starts;
mod used;

use crate::change::Side;
use crate::formats::check::{CheckOptions, Spec};
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::folders::{Above, Folders};
use crate::formats::frame::{self, Declared, Import, Language, Links, Starts, Ties, one_notation};
use crate::formats::used::Used;
use crate::snapshot::Snapshot;
use crate::syntax::tokens::Style;

use self::ast::{Definition, Program};
pub(crate) use self::language::Thrift;
use self::language::{Gathered, Linkage};
use self::model::{Schema, Struct};

/// What the rest of the program knows of it.
pub(super) const SPEC: Spec =
    Spec { braces: Some(&plan::LANGUAGE), ..frame::spec::<Thrift>("thrift", "Thrift", &["thrift"]) };

impl Language for Thrift {
    type Tree<'b> = Program<'b>;
    type Search<'b> = Folders<'b>;

    const IMPORT: &'static str = "include";

    one_notation!(".thrift", parse::parse, Some(Style { lexer: parse::STYLE, may_say: parse_members::may_reserve }));

    fn imports<'i>(tree: &'i Program<'_>) -> Vec<Import<'i, Self>> {
        let includes = tree.includes.iter().map(|include| &include.path);
        includes.map(|path| Import { path: &path.text, span: path.span, reading: () }).collect()
    }

    /// What is included is named with its program in front of a dot, and in no other way; an include names its file so.
    fn may_use(text: &[u8], import: &str) -> bool {
        let prefix = format!("{}.", linker::program_name(import));
        memchr::memmem::find_iter(text, prefix.as_bytes()).any(|at| !text[at + prefix.len()..].starts_with(b"thrift"))
    }

    fn ties(path: &str, tree: &Program<'_>) -> Ties {
        let program = linker::program_name(path);
        let name = |one: &Definition<'_>| format!("{program}.{}", one.name().text);
        let names = tree.definitions.iter().map(name).collect();
        Ties { packages: vec![program.to_owned()], names, carries_any: false }
    }

    fn search<'b>(snapshot: &'b Snapshot, options: &'b CheckOptions) -> Folders<'b> {
        Folders::new::<Self>(snapshot, options, Above::Searched)
    }

    fn used(tree: &Program<'_>) -> Vec<Used> {
        used::used(tree)
    }
}

impl Links for Thrift {
    type Schema<'t> = Schema<'t>;

    const STEM: Option<fn(&str) -> &str> = Some(linker::program_name);

    fn link<'t>(gathered: &Gathered<'t>, side: Side) -> Linkage<Schema<'t>> {
        link::link(gathered, side)
    }

    fn declared<'s>(schema: &'s Schema<'_>) -> Vec<Declared<'s>> {
        let is_data = |of: &&Struct<'_>| !of.sort.is_of_function();
        let structs = schema.structs.iter().filter(is_data).map(|of| schema.declared(of));
        let types = structs.chain(schema.enums.iter().map(|of| schema.declared(of)));
        types.chain(schema.services.iter().map(|of| schema.declared(of))).collect()
    }

    fn starts<'s>(schema: &'s Schema<'_>) -> Starts<'s> {
        starts::starts(schema)
    }
}

/// Reads bytes as a struct of a program, in both protocols, and asserts that what is accepted is read back the same after
/// it was written again; whether anything was accepted. `name` has the program in front, which is `fuzz`. This is what
/// the fuzz target runs.
pub fn reread(program: &str, name: &str, bytes: &[u8]) -> bool {
    let snapshot = Snapshot::from_files([("fuzz.thrift", program.as_bytes())]);
    frame::with_schema::<Thrift, _>(&snapshot, &CheckOptions::default(), |schema, _| {
        let id = schema.structs_by_name.get(name).and_then(|ids| ids.first().copied());
        id.is_some_and(|id| probe::reread(schema, id, bytes))
    })
}
