//! Protocol Buffers: proto2, proto3 and editions 2023 and 2024.

pub mod ast;
mod buf;
mod builtin;
pub(crate) mod codec;
pub(crate) mod compare;
pub mod descriptor;
mod diff;
mod elements;
mod features;
mod fix;
pub(crate) mod generate;
mod import_roots;
mod imports;
mod inside;
pub(crate) mod json;
mod json_scalars;
mod json_tree;
mod language;
mod link;
mod link_fields;
mod link_graph;
mod link_scope;
mod maker;
mod mentions;
pub mod model;
mod names;
mod observer;
mod options;
mod options_literal;
mod options_standard;
mod options_support;
mod options_target;
mod outline;
pub mod pairing;
pub mod parse;
mod parse_members;
mod parse_options;
mod parts;
mod payloads;
mod plan;
pub(crate) mod probe;
mod probe_any;
mod ranges;
mod relation;
mod relation_json;
mod several;
mod stage;
mod starts;
mod types;
mod universe;
mod used;
mod uses;
mod validate;
mod validate_enums;
mod validate_extensions;
mod validate_fields;
mod validate_messages;
mod validate_names;
mod validate_shared;
mod validate_style;
mod well_known;

pub(crate) use self::import_roots::workspace;
pub use self::language::Protobuf;
pub use self::probe::reread;

use crate::change::Side;
use crate::formats::check::{CheckOptions, Spec};
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::{
    self, Concerned, Declared, Import, Language, Linkage, Links, Outline, Starts, Ties, one_notation,
};
use crate::formats::used::{Declarations, Used};
use crate::snapshot::Snapshot;
use crate::syntax::problem::Problem;
use crate::syntax::skim;
use crate::syntax::tokens::Style;

use self::imports::Finder;
use self::language::Gathered;
use self::model::{FileId, Schema};
use self::universe::LinkFile;

/// What the rest of the program knows of it.
pub(super) const SPEC: Spec = Spec {
    built_in: &builtin::TEXTS,
    is_settled: builtin::is_settled,
    may_wait: true,
    may_be: outline::may_be,
    braces: Some(&plan::LANGUAGE),
    ..frame::spec::<Protobuf>("protobuf", "Protocol Buffers", &["proto"])
};

/// The first stage: what stands in the files.
pub type Parsed<'b> = frame::Parsed<'b, Protobuf>;

/// Parses and links the `.proto` files of one snapshot and shows the result to `visit`.
pub fn with_schema<T>(
    snapshot: &Snapshot,
    options: &CheckOptions,
    visit: impl FnOnce(&Schema<'_>, &[Problem]) -> T,
) -> T {
    frame::with_schema::<Protobuf, T>(snapshot, options, visit)
}

impl Language for Protobuf {
    type Tree<'b> = ast::File<'b>;
    type Search<'b> = Finder<'b>;

    const IMPORT: &'static str = "import";
    const ALWAYS: Option<&'static str> = Some(builtin::DESCRIPTOR);
    const OUTLINES: Option<&'static str> = Some("protobuf");

    one_notation!(".proto", parse::parse, Some(Style::of(parse::STYLE)));

    fn imports<'i>(tree: &'i ast::File<'_>) -> Vec<Import<'i, Self>> {
        let import = |import: &'i ast::Import<'_>| Import { path: &import.path, span: import.path_span, reading: () };
        tree.imports.iter().map(import).collect()
    }

    fn may_declare(importing: &ast::File<'_>, guessed: &ast::File<'_>, sure: &[&ast::File<'_>]) -> bool {
        mentions::may_declare(importing, guessed, sure)
    }

    fn stays_inside(old: &ast::File<'_>, new: &ast::File<'_>) -> Option<Concerned> {
        inside::stays_inside(old, new)
    }

    fn declarations(text: &[u8]) -> Option<Declarations<'_>> {
        outline::declarations(text)
    }

    fn between_comments(text: &[u8]) -> Vec<&[u8]> {
        skim::between_comments(text)
    }

    fn stays_inside_where_new(new: &ast::File<'_>) -> Option<Concerned> {
        inside::stays_inside_where_new(new)
    }

    fn outline(text: &[u8]) -> Option<Outline> {
        outline::outline(text)
    }

    fn ties(_path: &str, tree: &ast::File<'_>) -> Ties {
        mentions::ties(tree)
    }

    fn search<'b>(snapshot: &'b Snapshot, options: &'b CheckOptions) -> Finder<'b> {
        Finder::new(snapshot, options)
    }

    fn builtin<'t>(import: &str) -> Option<(&'static str, &'t ast::File<'t>)> {
        builtin::find(import).map(|builtin| (builtin.path(), builtin.ast()))
    }

    fn used(tree: &ast::File<'_>) -> Vec<Used> {
        used::used(tree)
    }
}

impl Links for Protobuf {
    type Schema<'t> = Schema<'t>;

    fn link<'t>(gathered: &Gathered<'t>, _side: Side) -> Linkage<Schema<'t>> {
        let file = |index: usize| FileId(u32::try_from(index).expect("there are fewer than four billion files"));
        let files = gathered.inputs.iter().map(|input| LinkFile {
            path: input.path.clone(),
            import_path: input.import_path.clone(),
            ast: input.tree,
            is_builtin: input.is_library,
            terms: input.terms,
            is_broken: input.is_broken(),
            imports: input.imports.iter().map(|target| target.map(file)).collect(),
        });
        let linked = link::link(files.collect(), gathered.always.map(file));
        Linkage { schema: linked.schema, problems: linked.problems, lacks_names: false }
    }

    fn declared<'s>(schema: &'s Schema<'_>) -> Vec<Declared<'s>> {
        let messages = schema.messages.iter().map(|of| schema.declared(of));
        let types = messages.chain(schema.enums.iter().map(|of| schema.declared(of)));
        types.chain(schema.services.iter().map(|of| schema.declared(of))).collect()
    }

    fn references<'s>(schema: &'s Schema<'_>) -> Vec<(&'s str, &'s str)> {
        references(schema)
    }

    fn starts<'s>(schema: &'s Schema<'_>) -> Starts<'s> {
        starts::starts(schema)
    }
}

/// The files to which a message leads that extend it.
fn references<'s>(schema: &'s Schema<'_>) -> Vec<(&'s str, &'s str)> {
    let path = |file: FileId| &*schema.file(file).path;
    let extended = schema.messages.iter().flat_map(|message| {
        let extensions = message.extended_by.iter().chain(&message.extended_elsewhere);
        let extensions = extensions.map(|extension| schema.extension(*extension).file);
        extensions.map(move |file| (path(message.file), path(file)))
    });
    extended.collect()
}
