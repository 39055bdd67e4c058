//! Documents → a [`Schema`]: every name resolved, every default understood, and what the reference parser refuses said.
//!
//! Types are made in one pass over the documents. A name that its own file has not defined before it is left open and
//! found afterwards, so the order of definitions and of files does not matter. What needs all names follows in passes
//! of their own: branches of unions, defaults, and records that can never end.

mod defaults;
mod endless;
mod logical;
mod names;
mod protocols;
mod same;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;

use crate::change::Span;

use super::ast::{self, Node, NodeKind, Spelled};
use super::language::{Gathered, Input, Linkage};
use super::model::{
    Default as FieldDefault, Enum, Field, FileId, Fixed, Kind, Name, Primitive, Record, Root, Schema, SourceFile, Type,
    TypeId, Union, Use,
};
use crate::syntax::log::{self, Log};
use crate::value::Value;

pub(super) use self::defaults::{is_whole, written_number};
pub(super) use self::logical::is_known_logical;
use self::names::Open;

/// Links the files of one side.
pub(super) fn link<'t>(gathered: &Gathered<'t>) -> Linkage<Schema<'t>> {
    let inputs = &gathered.inputs;
    let mut linker = Linker::new(inputs);
    linker.schema.is_alone = gathered.is_alone;
    for (index, input) in inputs.iter().enumerate() {
        linker.file = file_id(index);
        linker.document(input);
    }
    let lacks_names = linker.resolve(inputs);
    linker.check_twice();
    linker.check_unions();
    linker.check_errors();
    linker.understand_defaults();
    linker.warn_of_endless_records();
    linker.inherit_messages(inputs);
    Linkage { schema: linker.schema, problems: log::all(linker.logs), lacks_names }
}

/// Below this many names every one is compared with every other.
const FEW: usize = 12;

struct Linker<'t> {
    schema: Schema<'t>,
    /// What is wrong with each file.
    logs: Vec<Log>,
    /// The file that is being read.
    file: FileId,
    /// Names that are still to be found; a use refers to them by `names::open_type`.
    open: Vec<Open<'t>>,
    /// The records around the current place.
    around: Vec<TypeId>,
    /// Whether a record may hold itself.
    has_cycles: bool,
    /// The fields that have a default.
    defaults: Vec<(TypeId, u32)>,
    unions: Vec<TypeId>,
    /// Records that stand twice in an IDL file, and where the second one is named.
    twice: Vec<(TypeId, TypeId, Span)>,
    /// Files of which it was said that a name is not plain.
    foreign: FxHashSet<FileId>,
    /// Room to put a name together.
    scratch: String,
}

fn file_id(index: usize) -> FileId {
    FileId(u32::try_from(index).expect("a snapshot has fewer than four billion files"))
}

impl<'t> Linker<'t> {
    fn new(inputs: &[Input<'t>]) -> Self {
        let file = |input: &Input<'t>| SourceFile {
            path: input.path.clone(),
            is_library: input.is_library,
            content: std::ptr::from_ref(input.tree).cast::<()>().addr(),
        };
        let files = inputs.iter().map(file);
        let mut types = Vec::with_capacity(32);
        types.extend(Primitive::ALL.into_iter().map(|primitive| Type {
            kind: Kind::Primitive(primitive),
            logical: None,
            file: FileId(0),
            span: Span::default(),
            attributes: &[],
        }));
        Linker {
            schema: Schema { files: files.collect(), types, ..Schema::default() },
            logs: inputs.iter().map(|input| Log::new(&input.path)).collect(),
            file: FileId(0),
            open: Vec::new(),
            around: Vec::new(),
            has_cycles: false,
            defaults: Vec::new(),
            unions: Vec::new(),
            twice: Vec::new(),
            foreign: FxHashSet::default(),
            scratch: String::new(),
        }
    }

    /// What is wrong with the current file.
    fn log(&mut self) -> &mut Log {
        &mut self.logs[self.file.0 as usize]
    }

    fn document(&mut self, input: &Input<'t>) {
        let document = input.tree;
        let namespace = document.namespace.as_ref().map_or("", |namespace| namespace.text.as_ref());
        let types: Vec<Use> = document.types.iter().map(|node| self.node(node, namespace)).collect();
        if let Some(main) = &document.main {
            let schema = self.node(main, namespace);
            if !input.is_library && !matches!(main.kind, NodeKind::Broken) {
                self.schema.roots.push(Root { file: self.file, schema });
            }
        }
        if let Some(protocol) = &document.protocol {
            self.protocol(protocol, &types, namespace);
        }
    }

    fn push(&mut self, kind: Kind<'t>, node: &'t Node<'t>) -> TypeId {
        self.push_at(kind, node.span, &node.attributes)
    }

    fn push_at(&mut self, kind: Kind<'t>, span: Span, attributes: &'t [ast::Attribute<'t>]) -> TypeId {
        let id = TypeId(u32::try_from(self.schema.types.len()).expect("a type takes more than one byte of a file"));
        let logical = if attributes.is_empty() { None } else { self.logical(&kind, attributes) };
        self.schema.types.push(Type { kind, logical, file: self.file, span, attributes });
        id
    }

    fn at(&self, ty: TypeId, span: Span) -> Use {
        Use { ty, file: self.file, span }
    }

    /// The type of a schema, whose unqualified names lie in this namespace.
    fn node(&mut self, node: &'t Node<'t>, namespace: &str) -> Use {
        let ty = match &node.kind {
            NodeKind::Name(name) => return self.reference(node, name, namespace),
            NodeKind::Record { names, is_error, fields } => self.record(node, names, *is_error, fields, namespace),
            NodeKind::Enum { names, symbols, default } => {
                self.enumeration(node, names, symbols, default.as_ref(), namespace)
            }
            NodeKind::Fixed { names, size } => self.fixed(node, names, *size, namespace),
            NodeKind::Array(items) => {
                let items = self.node(items, namespace);
                self.push(Kind::Array(items), node)
            }
            NodeKind::Map(values) => {
                let values = self.node(values, namespace);
                self.push(Kind::Map(values), node)
            }
            NodeKind::Union(branches) => self.union(node, branches, namespace),
            NodeKind::Broken => self.push(Kind::Opaque(Name { full: Arc::from(""), span: node.span }), node),
        };
        self.at(ty, node.span)
    }

    fn reference(&mut self, node: &'t Node<'t>, name: &'t Spelled<'t>, namespace: &str) -> Use {
        let ty = match Primitive::from_name(&name.text) {
            Some(primitive) if node.attributes.is_empty() => primitive.id(),
            Some(primitive) => {
                let ty = self.push(Kind::Primitive(primitive), node);
                return self.at(ty, node.span);
            }
            None => {
                self.check_reference(node);
                self.find(name, namespace)
            }
        };
        self.at(ty, name.span)
    }

    fn union(&mut self, node: &'t Node<'t>, branches: &'t [Node<'t>], namespace: &str) -> TypeId {
        let mut uses = Vec::with_capacity(branches.len());
        for branch in branches {
            if matches!(branch.kind, NodeKind::Union(_)) {
                let message = format_args!("a union stands directly in a union");
                self.log().error(branch.span, message, "list its branches in the outer union");
            }
            uses.push(self.node(branch, namespace));
        }
        let id = self.push(Kind::Union(Union::new(uses)), node);
        self.unions.push(id);
        id
    }

    fn record(
        &mut self,
        node: &'t Node<'t>,
        names: &'t ast::Names<'t>,
        is_error: bool,
        fields: &'t [ast::Field<'t>],
        namespace: &str,
    ) -> TypeId {
        let name = self.declared(names, namespace);
        let aliases = self.aliases(names, &name);
        let full = name.full.clone();
        let id = self.push(Kind::Record(Record { name, aliases, is_error, fields: Vec::new() }), node);
        self.define(id, names);
        self.around.push(id);
        self.fill(id, fields, full.rsplit_once('.').map_or("", |(namespace, _)| namespace));
        self.around.pop();
        id
    }

    /// Gives a record its fields.
    fn fill(&mut self, id: TypeId, fields: &'t [ast::Field<'t>], namespace: &str) {
        let mut made = Vec::with_capacity(fields.len());
        for (index, field) in fields.iter().enumerate() {
            let schema = self.node(&field.schema, namespace);
            if field.default.is_some() {
                // A field takes more than one byte of a file.
                self.defaults.push((id, index as u32));
            }
            made.push(self.field(field, schema));
        }
        self.check_fields(fields);
        if let Kind::Record(record) = &mut self.schema.types[id.0 as usize].kind {
            record.fields = made;
        }
    }

    fn field(&mut self, field: &'t ast::Field<'t>, schema: Use) -> Field<'t> {
        self.check_word(&field.name, "the name of a field");
        if let Some(order) = &field.order
            && !["ascending", "descending", "ignore"].iter().any(|known| order.text.eq_ignore_ascii_case(known))
        {
            let message = format_args!("`{}` is no order", order.text);
            self.log().refuse(order.span, message, "write `ascending`, `descending` or `ignore`");
        }
        self.check_misplaced(field);
        let default = field.default.as_ref();
        Field {
            name: borrowed(&field.name),
            name_span: field.name.span,
            span: field.span,
            schema,
            default: default.map(|json| FieldDefault { span: json.span, json, value: Value::Null, needs_1_12: false }),
            aliases: aliases_of(field),
            order: field.order.as_ref().map(borrowed),
            attributes: &field.attributes,
        }
    }

    /// Says which fields of a record have a name that another has too.
    fn check_fields(&mut self, fields: &'t [ast::Field<'t>]) {
        for index in repeated(fields, |field| &field.name.text) {
            let name = &fields[index].name;
            let message = format_args!("two fields of this record are called `{}`", name.text);
            self.log().error(name.span, message, "give one of the two another name, or remove it");
        }
    }

    fn enumeration(
        &mut self,
        node: &'t Node<'t>,
        names: &'t ast::Names<'t>,
        symbols: &'t [Spelled<'t>],
        default: Option<&'t Spelled<'t>>,
        namespace: &str,
    ) -> TypeId {
        let name = self.declared(names, namespace);
        let aliases = self.aliases(names, &name);
        for symbol in symbols {
            self.check_word(symbol, "a symbol");
        }
        for index in repeated(symbols, |symbol| &symbol.text) {
            let symbol = &symbols[index];
            let message = format_args!("the symbol `{}` stands twice in this enum", symbol.text);
            self.log().refuse(symbol.span, message, "remove one of the two");
        }
        let default = default.and_then(|default| {
            let index = symbols.iter().position(|symbol| symbol.text == default.text);
            if index.is_none() {
                let message = format_args!("the default `{}` is not one of the symbols of this enum", default.text);
                self.log().refuse(default.span, message, "write one of the symbols, or add this one to them");
            }
            // A symbol takes more than one byte of a file.
            index.map(|index| (index as u32, default.span))
        });
        let symbols = symbols.iter().map(|symbol| (borrowed(symbol), symbol.span)).collect();
        self.register(Kind::Enum(Enum { name, aliases, symbols, default, positions: OnceLock::new() }), node, names)
    }

    fn fixed(
        &mut self,
        node: &'t Node<'t>,
        names: &'t ast::Names<'t>,
        (size, size_span): (u32, Span),
        namespace: &str,
    ) -> TypeId {
        let name = self.declared(names, namespace);
        let aliases = self.aliases(names, &name);
        self.register(Kind::Fixed(Fixed { name, aliases, size, size_span }), node, names)
    }

    /// Adds an enum or a fixed. Where its file has defined the very same before, that one is meant.
    fn register(&mut self, kind: Kind<'t>, node: &'t Node<'t>, names: &'t ast::Names<'t>) -> TypeId {
        let id = self.push(kind, node);
        self.define(id, names)
    }

    /// Says which branches of unions are the same type or have the same name.
    fn check_unions(&mut self) {
        for at in 0..self.unions.len() {
            let union = self.unions[at];
            let Kind::Union(branches) = self.schema.kind(union) else { continue };
            for index in repeated(branches, |branch| self.schema.called(branch.ty)) {
                let Use { ty, file, span } = branches[index];
                let name = self.schema.called(ty);
                // What could not be understood has no name.
                if !name.is_empty() {
                    let message = format_args!("`{name}` stands twice in this union");
                    let help = "remove one of the two: data says only which branch it is, and readers could not choose";
                    self.logs[file.0 as usize].error(span, message, help);
                }
            }
        }
    }
}

fn borrowed<'t>(spelled: &'t Spelled<'t>) -> Cow<'t, str> {
    Cow::Borrowed(spelled.text.as_ref())
}

/// The places of the items whose word one before them has too.
fn repeated<'i, T>(items: &'i [T], word: impl Fn(&'i T) -> &'i str) -> Vec<usize> {
    let places = 0..items.len();
    if items.len() <= FEW {
        let is_repeated = |at: &usize| items[..*at].iter().any(|other| word(other) == word(&items[*at]));
        return places.filter(is_repeated).collect();
    }
    let mut seen = FxHashSet::default();
    places.filter(|at| !seen.insert(word(&items[*at]))).collect()
}

/// The aliases of a field; one that stands twice is one.
fn aliases_of<'t>(field: &'t ast::Field<'t>) -> Vec<(Cow<'t, str>, Span)> {
    let mut seen = FxHashSet::default();
    let once = field.aliases.iter().filter(|alias| seen.insert(&*alias.text));
    once.map(|alias| (borrowed(alias), alias.span)).collect()
}

#[cfg(test)]
mod tests;
