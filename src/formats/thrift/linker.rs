//! The state of linking one side: what is declared, what is known of it so far, and what is still to be resolved.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Side, Span};
use crate::syntax::log::Log;

use super::ast;
use super::language::Input;
use super::model::{EnumId, FileId, Include, Schema, ServiceId, SourceFile, StructId, Type, Value};

/// How large a type is with typedefs looked through.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub(super) depth: u32,
    pub(super) parts: u32,
}

/// How far the value of a constant is known.
#[derive(Debug, Clone, Default)]
pub(super) enum Evaluated<'t> {
    #[default]
    NotYet,
    /// It is being looked for, so whoever needs it now is part of it.
    Open,
    /// It is known, and how many parts it has.
    Value(Value<'t>, usize),
}

/// What a name of a file stands for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Entry {
    Struct(StructId),
    Enum(EnumId),
    Service(ServiceId),
    Typedef(usize),
}

/// The names that a file defines.
#[derive(Debug, Default)]
pub(super) struct Table<'t> {
    pub(super) types: FxHashMap<&'t str, Entry>,
    pub(super) constants: FxHashMap<&'t str, usize>,
}

/// One side while it is linked.
pub(super) struct Linker<'t, 'g> {
    pub(super) inputs: &'g [Input<'t>],
    pub(super) side: Side,
    pub(super) schema: Schema<'t>,
    pub(super) logs: Vec<Log>,
    pub(super) tables: Vec<Table<'t>>,
    /// Typedefs with their files, in the order of the schema's.
    pub(super) typedefs: Vec<(usize, &'t ast::Typedef<'t>)>,
    /// What they stand for, as far as it is known.
    pub(super) resolved: Vec<Option<(Type, Extent)>>,
    pub(super) structs: Vec<&'t ast::Struct<'t>>,
    pub(super) services: Vec<&'t ast::Service<'t>>,
    /// Constants with their files, in the order of the schema's.
    pub(super) constants: Vec<(usize, &'t ast::Constant<'t>)>,
    pub(super) constant_types: Vec<Type>,
    pub(super) values: Vec<Evaluated<'t>>,
    /// The numbers of enum values by name.
    pub(super) numbers: FxHashMap<(EnumId, &'t str), i32>,
    /// The numbers that enums have.
    pub(super) declared: FxHashSet<(EnumId, i32)>,
    /// Enum values by file and name alone; `None` where several enums of the file have one of that name.
    pub(super) loose: FxHashMap<(usize, &'t str), Option<(EnumId, i32)>>,
    /// Defaults that are not evaluated yet: where they belong and what they say.
    pub(super) defaults: Vec<(StructId, usize, &'t ast::Const<'t>)>,
    /// Parts of constants that were copied.
    pub(super) copied: usize,
}

/// The number of something in an arena.
pub(super) fn number(length: usize) -> u32 {
    u32::try_from(length).expect("files are at most 4 GiB in all, and every element takes more than a byte")
}

/// The name of a program: the name of its file without the ending.
pub(super) fn program_name(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.rsplit_once('.').map_or(name, |(name, _)| name)
}

fn includes_of<'t>(input: &Input<'t>) -> Vec<Include<'t>> {
    let targets = input.imports.iter().map(|target| target.map(|index| FileId(number(index))));
    let written = input.tree.includes.iter().zip(targets);
    written.map(|(include, file)| Include { path: include.path.clone(), file }).collect()
}

impl<'t, 'g> Linker<'t, 'g> {
    pub(super) fn new((inputs, is_whole): (&'g [Input<'t>], bool), side: Side) -> Self {
        let mut schema = Schema { is_whole, ..Schema::default() };
        for input in inputs {
            schema.files.push(SourceFile {
                path: input.path.clone(),
                bytes: input.bytes,
                program: Arc::from(program_name(&input.path)),
                is_library: input.is_library,
                terms: input.terms,
                namespaces: input.tree.namespaces.clone(),
                includes: includes_of(input),
            });
        }
        Linker {
            inputs,
            side,
            schema,
            logs: inputs.iter().map(|input| Log::new(&input.path)).collect(),
            tables: inputs.iter().map(|_| Table::default()).collect(),
            typedefs: Vec::new(),
            resolved: Vec::new(),
            structs: Vec::new(),
            services: Vec::new(),
            constants: Vec::new(),
            constant_types: Vec::new(),
            values: Vec::new(),
            declared: FxHashSet::default(),
            numbers: FxHashMap::default(),
            loose: FxHashMap::default(),
            defaults: Vec::new(),
            copied: 0,
        }
    }

    pub(super) fn warn(&mut self, file: usize, span: Span, message: std::fmt::Arguments<'_>, help: &str) {
        self.logs[file].warning(span, message, help);
    }
}
