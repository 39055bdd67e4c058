//! Files → a [`Schema`]: names resolved, ids derived, structs laid out, and what the compiler refuses said.
//!
//! Everything is declared first, so the order of declarations and of files does not matter. Structs and the parameters of
//! methods are filled in `link_structs`, values are evaluated in `link_values`, which needs all of it.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Pair, Span};
use crate::formats::frame::places::ValuePlaces;
use crate::ordered::{InOrder, OrderedMap};
use crate::syntax::log::{self, Log};

use super::ast::{self, Kind, Signature};
use super::copied::Copied;
use super::ids;
use super::language::{Gathered, Input, Linkage};
use super::model::{
    Annotation, Brand, Data, Declared, Enum, EnumId, EnumValue, Extended, FileId, Interface, InterfaceId, Method,
    Other, Schema, Sort, SourceFile, Spelled, Struct, StructId, Type, holder, number,
};
use super::scopes::{Meaning, NodeId, Scopes};

/// Links the files of one side.
pub(super) fn link<'t>(gathered: &Gathered<'t>) -> Linkage<Schema<'t>> {
    let inputs = &gathered.inputs;
    let mut linker = Linker {
        inputs,
        scopes: Scopes::of(inputs),
        schema: Schema::default(),
        logs: inputs.iter().map(|input| Log::new(&input.path)).collect(),
        defaults: Vec::new(),
        copied: Copied::default(),
    };
    linker.add_files();
    linker.declare_all();
    linker.check_names();
    linker.check_ids();
    linker.fill_all();
    linker.evaluate_defaults();
    linker.check_constants();
    linker.check_aliases();
    linker.check_annotations();
    linker.name_everything();
    super::instances::make(&mut linker.schema);
    Linkage { schema: linker.schema, problems: log::all(linker.logs), lacks_names: false }
}

pub(super) struct Linker<'t, 'g> {
    pub(super) inputs: &'g [Input<'t>],
    pub(super) scopes: Scopes<'t, 'g>,
    pub(super) schema: Schema<'t>,
    pub(super) logs: Vec<Log>,
    /// Defaults that are not evaluated yet: the field, where it stands, and what is written.
    pub(super) defaults: Vec<(StructId, usize, NodeId, &'t ast::Expression<'t>)>,
    /// How much values have taken over from constants.
    pub(super) copied: Copied,
}

/// The last part of a name as written, without what it is applied to.
fn last_name(written: &str) -> &str {
    let name = written.split('(').next().unwrap_or(written);
    name.rsplit('.').next().unwrap_or(name)
}

/// Whether any file leads to both of two files, itself included.
fn meet(inputs: &[Input<'_>], files: Pair<usize>, closures: &mut FxHashMap<usize, FxHashSet<usize>>) -> bool {
    let Pair { old: one, new: other } = files;
    one == other
        || (0..inputs.len()).any(|from| {
            let reached = closures.entry(from).or_insert_with(|| reached(inputs, from));
            reached.contains(&one) && reached.contains(&other)
        })
}

/// The files that a file leads to, itself included.
fn reached(inputs: &[Input<'_>], from: usize) -> FxHashSet<usize> {
    let (mut found, mut left) = (FxHashSet::default(), vec![from]);
    while let Some(file) = left.pop() {
        if found.insert(file) {
            left.extend(inputs[file].imports.iter().flatten());
        }
    }
    found
}

impl<'t> Linker<'t, '_> {
    fn add_files(&mut self) {
        for (file, input) in self.inputs.iter().enumerate() {
            let annotations = self.annotations(file, &input.tree.annotations);
            self.schema.files.push(SourceFile {
                path: input.path.clone(),
                bytes: input.bytes,
                is_library: input.is_library,
                terms: input.terms,
                id: input.tree.id,
                annotations,
            });
            if input.tree.id.is_none() && !input.is_broken() {
                let (message, help) = ("this file has no id", "begin it with `@0x…;`; `capnp id` makes one");
                self.logs[file].refuse(Span::default(), format_args!("{message}"), help);
            }
        }
    }

    pub(super) fn annotations(&self, file: usize, all: &[ast::Annotation<'_>]) -> Vec<Annotation> {
        let one = |one: &ast::Annotation<'_>| Annotation {
            name: self.scopes.written(file, one.name.span).into(),
            value: one.value.as_ref().map_or_else(String::new, |value| self.scopes.written(file, value.span)).into(),
            span: one.span,
        };
        all.iter().map(one).collect()
    }

    /// Gives every struct, enum and interface its number.
    fn declare_all(&mut self) {
        for node in 0..self.scopes.nodes.len() {
            let Some(declaration) = self.scopes.nodes[node].declaration else { continue };
            let of = &self.scopes.nodes[node];
            let (full_name, id, file) = (of.full_name.clone(), of.id, FileId(number(of.file)));
            let name_span = declaration.name.span;
            let annotations = self.annotations(of.file, &declaration.annotations);
            let parameters = declaration.parameters.iter().map(|one| Arc::from(&*one.text)).collect();
            let around = self.scopes.around(node).into();
            let declared = match &declaration.kind {
                Kind::Struct(_) => {
                    let made = Struct {
                        full_name,
                        name_span,
                        file,
                        id,
                        sort: Sort::Struct,
                        parameters,
                        around,
                        fields: Vec::new(),
                        unions: Vec::new(),
                        words: 0,
                        pointers: 0,
                        annotations,
                    };
                    self.schema.structs.push(made);
                    Declared::Struct(StructId(number(self.schema.structs.len() - 1)))
                }
                Kind::Enum(values) => {
                    let values = self.enum_values(of.file, values);
                    let places = ValuePlaces::default();
                    self.schema.enums.push(Enum { full_name, name_span, file, id, values, places, annotations });
                    Declared::Enum(EnumId(number(self.schema.enums.len() - 1)))
                }
                Kind::Interface(..) => {
                    let (extends, methods) = (Vec::new(), Vec::new());
                    let made =
                        Interface { full_name, name_span, file, id, parameters, around, extends, methods, annotations };
                    self.schema.interfaces.push(made);
                    Declared::Interface(InterfaceId(number(self.schema.interfaces.len() - 1)))
                }
                Kind::Constant(..) | Kind::Annotation(..) => {
                    let role = if matches!(declaration.kind, Kind::Constant(..)) { "const" } else { "annotation" };
                    let text = self.scopes.written(of.file, declaration.span).into();
                    let name = declaration.name.clone();
                    self.schema.others.push(Other { full_name, id, name, file, role, text, value: None });
                    continue;
                }
                Kind::Using(_) => continue,
            };
            self.scopes.nodes[node].declared = Some(declared);
        }
    }

    fn enum_values(&mut self, file: usize, written: &'t [ast::Enumerant<'t>]) -> Vec<EnumValue<'t>> {
        let one = |one: &ast::Enumerant<'t>| EnumValue {
            name: one.name.clone(),
            number: one.ordinal.0,
            span: one.span,
            annotations: self.annotations(file, &one.annotations),
        };
        let mut values: Vec<EnumValue<'t>> = written.iter().map(one).collect();
        values.sort_in_order_by_key(|value| value.number);
        let ordinals = written.iter().map(|one| (one.ordinal, one.name.span));
        self.check_ordinals(file, ordinals, "value");
        values.dedup_by_key(|value| value.number);
        values
    }

    /// Ordinals begin at 0 and leave none out; each is there once.
    pub(super) fn check_ordinals(
        &mut self,
        file: usize,
        ordinals: impl Iterator<Item = ((u16, Span), Span)>,
        what: &str,
    ) {
        let mut seen: OrderedMap<u16, Span> = OrderedMap::new();
        for ((ordinal, span), _) in ordinals {
            if seen.insert(ordinal, span).is_some() {
                let message = format_args!("another {what} has the ordinal @{ordinal} as well");
                self.logs[file].error(span, message, "give each an ordinal of its own");
            }
        }
        let gap = seen.iter().zip(0u16..).find(|((ordinal, _), expected)| **ordinal != *expected);
        // What could not be read may have the ordinals that are missing.
        if let (Some(((ordinal, span), expected)), false) = (gap, self.inputs[file].is_broken()) {
            let message = format_args!("the ordinal @{ordinal} follows though @{expected} is not there");
            let help = "number without gaps: keep what is no longer used, under another name";
            self.logs[file].error(*span, message, help);
        }
    }

    /// Fills structs and interfaces.
    fn fill_all(&mut self) {
        for node in 0..self.scopes.nodes.len() {
            let Some(declaration) = self.scopes.nodes[node].declaration else { continue };
            match (&declaration.kind, self.scopes.nodes[node].declared) {
                (Kind::Struct(members), Some(Declared::Struct(id))) => self.fill_struct(id, node, members),
                (Kind::Interface(extends, methods), Some(Declared::Interface(id))) => {
                    self.fill_interface(id, node, extends, methods);
                }
                (Kind::Annotation(ty, _), _) => {
                    if let Err(unknown) = self.scopes.type_of(node, ty) {
                        self.say(self.scopes.nodes[node].file, &unknown);
                    }
                }
                _ => {}
            }
        }
    }

    fn fill_interface(
        &mut self,
        id: InterfaceId,
        node: NodeId,
        extends: &'t [ast::Path<'t>],
        methods: &'t [ast::Method<'t>],
    ) {
        let file = self.scopes.nodes[node].file;
        let extended = extends.iter().map(|path| self.extended(node, path)).collect();
        self.schema.interfaces[id.0 as usize].extends = extended;
        let ordinals = methods.iter().map(|method| (method.ordinal, method.name.span));
        self.check_ordinals(file, ordinals, "method");
        for method in methods {
            let name = format!("{}.{}()", self.scopes.nodes[node].full_name, method.name.text);
            let scope = self.method_scope(node, method, &name);
            let parameters = self.signature(scope, (&name, Sort::Parameters), method, &method.parameters);
            let results = self.signature(scope, (&name, Sort::Results), method, &method.results);
            let made = Method {
                name: method.name.clone(),
                ordinal: method.ordinal.0,
                span: method.span,
                implicit: method.implicit.iter().map(|one| Arc::from(&*one.text)).collect(),
                parameters,
                results,
                is_stream: matches!(method.results, Signature::Stream),
                annotations: self.annotations(file, &method.annotations),
            };
            self.schema.interfaces[id.0 as usize].methods.push(made);
        }
        self.schema.interfaces[id.0 as usize].methods.sort_in_order_by_key(|method| method.ordinal);
        self.schema.interfaces[id.0 as usize].methods.dedup_by_key(|method| method.ordinal);
    }

    /// An interface that another one extends: what stands in that one, and what it takes, is known there.
    fn extended(&mut self, node: NodeId, path: &ast::Path<'_>) -> Extended<'t> {
        let file = self.scopes.nodes[node].file;
        let mut bound = Brand::default();
        let resolved = match self.scopes.resolve(node, path) {
            Ok(Meaning::Node(node, given)) => match self.scopes.nodes[node].declared {
                Some(Declared::Interface(id)) => {
                    bound = given;
                    Some(id)
                }
                _ => {
                    self.logs[file].error(path.span, format_args!("this is no interface"), "extend an interface");
                    None
                }
            },
            Ok(Meaning::Lost) => {
                let written = self.scopes.written(file, path.span);
                self.logs[file].unsure(path.span, last_name(&written));
                None
            }
            Ok(Meaning::Builtin(_) | Meaning::List) => {
                self.logs[file].error(path.span, format_args!("this is no interface"), "extend an interface");
                None
            }
            Err(unknown) => {
                self.say(file, &unknown);
                None
            }
        };
        let written = self.spelled(file, path.span);
        Extended { written, id: resolved, bound }
    }

    /// Where the types of a method are looked up: what callers choose is known there too.
    fn method_scope(&mut self, node: NodeId, method: &'t ast::Method<'t>, name: &str) -> NodeId {
        if method.implicit.is_empty() {
            return node;
        }
        let interface = &self.scopes.nodes[node];
        let scope = super::scopes::Node {
            parent: Some(node),
            file: interface.file,
            full_name: Arc::from(name),
            id: interface.id,
            declaration: None,
            parameters: &method.implicit,
            inside: FxHashMap::default(),
            declared: None,
        };
        self.scopes.nodes.push(scope);
        self.scopes.nodes.len() - 1
    }

    fn signature(
        &mut self,
        scope: NodeId,
        (name, sort): (&str, Sort),
        method: &ast::Method<'t>,
        signature: &'t Signature<'t>,
    ) -> Option<Data> {
        const NONE: &[ast::Member<'static>] = &[];
        let file = self.scopes.nodes[scope].file;
        let members = match signature {
            Signature::Fields(members) => &members[..],
            Signature::Stream => NONE,
            Signature::Named(path) => {
                return match self.scopes.type_of(scope, path) {
                    Ok(Type::Struct(id, bound)) => Some(Data { id, bound }),
                    Ok(ty @ Type::Opaque(_)) => {
                        self.doubt(file, &ty, path.span);
                        None
                    }
                    Ok(_) => {
                        let help = "write a struct, or the fields in brackets";
                        self.logs[file].error(path.span, format_args!("this is no struct"), help);
                        None
                    }
                    Err(unknown) => {
                        self.say(file, &unknown);
                        None
                    }
                };
            }
        };
        let role = if sort == Sort::Parameters { "parameters" } else { "results" };
        let around = self.scopes.around(scope);
        let made = Struct {
            full_name: Arc::from(format!("{name} {role}")),
            name_span: method.name.span,
            file: FileId(number(file)),
            id: ids::of_method(self.scopes.nodes[scope].id, method.ordinal.0, sort == Sort::Results),
            sort,
            parameters: Vec::new(),
            around: around.clone().into(),
            fields: Vec::new(),
            unions: Vec::new(),
            words: 0,
            pointers: 0,
            annotations: Vec::new(),
        };
        self.schema.structs.push(made);
        let id = StructId(number(self.schema.structs.len() - 1));
        self.fill_struct(id, scope, members);
        Some(Data { id, bound: Brand::inherited(&around) })
    }

    pub(super) fn say(&mut self, file: usize, unknown: &super::scopes::Unknown) {
        self.logs[file].error(unknown.span, format_args!("{}", unknown.message), unknown.help);
    }

    /// Says that a type may stand in a file that was not found, where it is one.
    pub(super) fn doubt(&mut self, file: usize, ty: &Type, span: Span) {
        match ty {
            Type::Opaque(name) => self.logs[file].unsure(span, last_name(name)),
            Type::List(items) => self.doubt(file, items, span),
            Type::Struct(_, bound) | Type::Interface(_, bound) => {
                bound.types().for_each(|ty| self.doubt(file, ty, span));
            }
            _ => {}
        }
    }

    /// The text of a place as it is shown.
    pub(super) fn spelled(&self, file: usize, span: Span) -> Spelled<'t> {
        Spelled { text: self.scopes.written(file, span).into(), span }
    }

    /// Every id is there once, among the files that one file leads to: a copy that nobody imports beside the original is
    /// another matter.
    fn check_ids(&mut self) {
        let mut seen: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        let mut closures: FxHashMap<usize, FxHashSet<usize>> = FxHashMap::default();
        for node in 0..self.scopes.nodes.len() {
            let of = &self.scopes.nodes[node];
            let written = match of.declaration {
                Some(declaration) => declaration.id,
                None => self.inputs[of.file].tree.id,
            };
            let (Some((id, span)), file) = (written, of.file) else { continue };
            let others = seen.entry(id).or_default();
            let met = others.iter().rev().find(|other| meet(self.inputs, Pair::new(**other, file), &mut closures));
            let met = met.map(|other| self.inputs[*other].path.clone());
            others.push(file);
            if let Some(other) = met {
                let message = format_args!("`{other}` has the id @0x{id:x} as well");
                self.logs[file].refuse(span, message, "make a new one with `capnp id`");
            }
        }
    }

    fn name_everything(&mut self) {
        let schema = &mut self.schema;
        let structs = schema.structs.iter().filter(|of| of.sort == Sort::Struct).map(|of| of.full_name.clone());
        let structs = structs.zip((0..).map(StructId).map(Declared::Struct));
        let mut names: FxHashMap<Arc<str>, Declared> = FxHashMap::default();
        for (name, declared) in structs {
            names.entry(name).or_insert(declared);
        }
        for (of, id) in schema.enums.iter().zip((0..).map(EnumId)) {
            names.entry(of.full_name.clone()).or_insert(Declared::Enum(id));
        }
        for (of, id) in schema.interfaces.iter().zip((0..).map(InterfaceId)) {
            names.entry(of.full_name.clone()).or_insert(Declared::Interface(id));
        }
        schema.names = names;
        schema.holders = schema.enums.iter().zip((0..).map(EnumId)).map(|(of, id)| holder(of, id)).collect();
    }
}
