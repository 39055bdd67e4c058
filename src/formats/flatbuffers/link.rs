//! Files → a [`Schema`]: includes followed, names resolved, slots and layouts computed, and what the compiler refuses said.
//!
//! Everything is declared first, so the order of tables and structs does not matter; the compiler wants enums in front of
//! their uses, and so does this. Then come members of unions (`link_enums`), fields and slots (`link_fields`), layouts
//! (`layout`), and at last services and roots.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Span;
use crate::syntax::log::{self, Log};

use super::ast::{self, Definition, DefinitionKind, TypeKind, TypeNode};
use super::language::{Gathered, Input, Linkage};
use super::layout;
use super::model::{
    Attribute, EnumId, FileId, Method, Object, ObjectId, Schema, Service, SourceFile, Spelled, Type, attribute,
};

/// The attributes that need no declaration.
const ATTRIBUTES: [&str; 27] = [
    "id",
    "deprecated",
    "required",
    "key",
    "shared",
    "hash",
    "force_align",
    "bit_flags",
    "original_order",
    "nested_flatbuffer",
    "flexbuffer",
    "csharp_partial",
    "streaming",
    "idempotent",
    "cpp_type",
    "cpp_ptr_type",
    "cpp_ptr_type_get",
    "cpp_str_type",
    "cpp_str_flex_ctor",
    "native_inline",
    "native_custom_alloc",
    "native_type",
    "native_type_pack_name",
    "native_default",
    "private",
    "offset64",
    "vector64",
];

/// Links the files of one side.
pub(super) fn link<'t>(gathered: &Gathered<'t>) -> Linkage<Schema<'t>> {
    let inputs = &gathered.inputs;
    let mut linker = Linker::new(inputs);
    linker.schema.is_alone = gathered.is_alone;
    for (file, input) in inputs.iter().enumerate() {
        for definition in &input.tree.definitions {
            linker.declare(file, definition);
        }
    }
    linker.fill_unions();
    linker.fill_objects();
    layout::compute(&mut linker.schema, &mut linker.logs);
    linker.fill_services();
    linker.find_roots();
    Linkage { schema: linker.schema, problems: log::all(linker.logs), lacks_names: false }
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    Object(ObjectId),
    Enum(EnumId),
}

/// A declaration of a full name.
#[derive(Debug, Clone, Copy)]
struct Declared {
    file: usize,
    /// Where its name is written.
    at: u32,
    entry: Entry,
}

/// Where a name is used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) file: usize,
    pub(super) namespace: &'p str,
}

pub(super) struct Linker<'t, 'g> {
    pub(super) inputs: &'g [Input<'t>],
    pub(super) schema: Schema<'t>,
    pub(super) logs: Vec<Log>,
    names: FxHashMap<Arc<str>, Vec<Declared>>,
    /// Tables and structs by their names without namespace.
    by_simple_name: FxHashMap<Arc<str>, Vec<Declared>>,
    /// Attributes of each file of which it was said that nobody declares them.
    undeclared: FxHashSet<(usize, String)>,
    /// The files that each file includes, be it by others in between, and itself.
    visible: Vec<FxHashSet<usize>>,
    /// The files that are read together with each, because one file includes them all; found when asked for.
    together: Vec<Option<Arc<FxHashSet<usize>>>>,
    /// What the tables and structs, and the enums and unions, are made from.
    pub(super) object_nodes: Vec<&'t Definition<'t>>,
    pub(super) enum_nodes: Vec<&'t Definition<'t>>,
    service_nodes: Vec<(usize, &'t Definition<'t>, &'t [ast::Method<'t>])>,
}

/// The number of something in an arena.
pub(super) fn number(length: usize) -> u32 {
    u32::try_from(length).expect("files are at most 4 GiB in all, and every element takes more than a byte")
}

/// The name with its namespace in front.
pub(super) fn qualified(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}.{name}") }
}

/// A namespace, those around it, and none.
fn outward(namespace: &str) -> impl Iterator<Item = &str> {
    let named = std::iter::successors(Some(namespace).filter(|name| !name.is_empty()), |name| {
        name.rsplit_once('.').map(|(outer, _)| outer)
    });
    named.chain([""])
}

/// The files that can be reached from some.
fn reachable(from: impl IntoIterator<Item = usize>, edges: impl Fn(usize) -> Vec<usize>) -> FxHashSet<usize> {
    let mut seen = FxHashSet::default();
    let mut left: Vec<usize> = from.into_iter().collect();
    while let Some(file) = left.pop() {
        if seen.insert(file) {
            left.extend(edges(file));
        }
    }
    seen
}

impl<'t, 'g> Linker<'t, 'g> {
    fn new(inputs: &'g [Input<'t>]) -> Self {
        let mut schema = Schema::default();
        for input in inputs {
            let files = input.imports.iter().map(|index| index.map(|index| FileId(number(index))));
            schema.files.push(SourceFile {
                path: input.path.clone(),
                bytes: input.bytes,
                is_library: input.is_library,
                terms: input.terms,
                includes: input.tree.includes.iter().cloned().zip(files).collect(),
                roots: Vec::new(),
                identifier: input.tree.identifier.clone(),
                extension: input.tree.extension.clone(),
            });
        }
        let included = |file: usize| inputs[file].imports.iter().flatten().copied().collect();
        Linker {
            inputs,
            schema,
            logs: inputs.iter().map(|input| Log::new(&input.path)).collect(),
            names: FxHashMap::default(),
            by_simple_name: FxHashMap::default(),
            undeclared: FxHashSet::default(),
            visible: (0..inputs.len()).map(|file| reachable([file], included)).collect(),
            together: vec![None; inputs.len()],
            object_nodes: Vec::new(),
            enum_nodes: Vec::new(),
            service_nodes: Vec::new(),
        }
    }

    pub(super) fn error(&mut self, file: usize, span: Span, message: std::fmt::Arguments<'_>, help: &str) {
        self.logs[file].error(span, message, help);
    }

    /// Something that the compiler refuses, and that hides no element.
    pub(super) fn refuse(&mut self, file: usize, span: Span, message: std::fmt::Arguments<'_>, help: &str) {
        self.logs[file].refuse(span, message, help);
    }

    fn declare(&mut self, file: usize, node: &'t Definition<'t>) {
        self.check_attributes(file, &node.attributes);
        let full_name: Arc<str> = Arc::from(qualified(&node.namespace, &node.name.text));
        let entry = match &node.kind {
            DefinitionKind::Table(_) | DefinitionKind::Struct(_) => {
                Entry::Object(ObjectId(number(self.schema.objects.len())))
            }
            DefinitionKind::Enum { .. } | DefinitionKind::Union { .. } => {
                Entry::Enum(EnumId(number(self.schema.enums.len())))
            }
            DefinitionKind::Service(methods) => {
                self.service_nodes.push((file, node, methods));
                return;
            }
        };
        if !self.enter(file, &node.name, &full_name, entry) {
            return;
        }
        match entry {
            Entry::Object(id) => {
                self.object_nodes.push(node);
                self.schema.objects_by_name.entry(full_name.clone()).or_default().push(id);
                self.schema.objects.push(Object {
                    full_name,
                    name_span: node.name.span,
                    file: FileId(number(file)),
                    layout: layout::unknown(node),
                    weight: 0,
                    fields: Vec::new(),
                    attributes: node.attributes.clone(),
                });
            }
            Entry::Enum(id) => {
                self.enum_nodes.push(node);
                self.schema.enums_by_name.entry(full_name.clone()).or_default().push(id);
                let declared = self.enumeration(file, node, full_name);
                self.schema.enums.push(declared);
            }
        }
    }

    /// Gives a name its meaning; whether it was free in all files that are read together with this one.
    fn enter(&mut self, file: usize, name: &Spelled<'_>, full_name: &Arc<str>, entry: Entry) -> bool {
        let known = self.names.get(full_name).map_or(&[][..], Vec::as_slice);
        let is_seen =
            |one: &&Declared| self.visible[file].contains(&one.file) || self.visible[one.file].contains(&file);
        let before = known.iter().find(is_seen).map(|one| one.file);
        if let Some(other) = before {
            let place = match other == file {
                true => "this file".to_owned(),
                false => self.inputs[other].path.to_string(),
            };
            let message = format_args!("`{full_name}` is defined in {place} already");
            self.logs[file].error(name.span, message, "give one of the two another name");
            if other == file {
                return false;
            }
        }
        let declared = Declared { file, at: name.span.start, entry };
        self.names.entry(full_name.clone()).or_default().push(declared);
        if matches!(entry, Entry::Object(_)) {
            self.by_simple_name.entry(Arc::from(&*name.text)).or_default().push(declared);
        }
        true
    }

    /// Says which attributes nobody has declared.
    pub(super) fn check_attributes(&mut self, file: usize, attributes: &[Attribute<'_>]) {
        for attribute in attributes {
            let name = &*attribute.name.text;
            let declares = |file: &usize| {
                self.inputs[*file].tree.attributes.iter().any(|declared| declared.text == attribute.name.text)
            };
            if ATTRIBUTES.contains(&name) || self.visible[file].iter().any(declares) || self.may_be_missing(file) {
                continue;
            }
            // One line for each name: schemas with a generator of their own have hundreds of them.
            if !self.undeclared.insert((file, name.to_owned())) {
                continue;
            }
            self.logs[file].warning(
                attribute.name.span,
                format_args!("attribute `{name}` is not declared"),
                format_args!("write `attribute \"{name}\";` in front, or correct the name"),
            );
        }
    }

    /// Whether a file lacks an include.
    fn may_be_missing(&self, file: usize) -> bool {
        self.visible[file].iter().any(|seen| self.inputs[*seen].imports.iter().any(Option::is_none))
    }

    /// What a name stands for where it is used; enums must be declared in front of the place.
    pub(super) fn lookup(&mut self, place: Place<'_>, name: &str, span: Span) -> Option<Entry> {
        let mut late = None;
        let found = self.find(place, name, span, &self.visible[place.file], &mut late);
        if let Some(found) = found {
            return Some(
                self.declared_behind(place, name, span).filter(|_| self.is_behind(found, place, span)).unwrap_or(found),
            );
        }
        if let Some(entry) = late {
            self.logs[place.file].error(
                span,
                format_args!("`{name}` is used in front of its declaration, which compilers only allow for tables"),
                "move the enum or union up",
            );
            return Some(entry);
        }
        if let Some(behind) = self.declared_behind(place, name, span) {
            return Some(behind);
        }
        let together = self.together(place.file);
        self.find(place, name, span, &together, &mut None).or_else(|| {
            let all = self.by_simple_name.get(name).map_or(&[][..], Vec::as_slice);
            let mut others = all.iter().filter(|one| one.file != place.file && together.contains(&one.file));
            let other = others.next()?;
            // What an includer reads before, the compiler does not take.
            let is_before = self.visible[place.file].contains(&other.file);
            (!is_before && others.next().is_none()).then_some(other.entry)
        })
    }

    /// The first table or struct of a name behind a place in its file, in whatever namespace. The compiler keeps a name that it
    /// does not know yet as it is written, and whoever is declared by it next is meant.
    fn declared_behind(&self, place: Place<'_>, name: &str, span: Span) -> Option<Entry> {
        let known = self.by_simple_name.get(name)?;
        let behind = known.iter().filter(|one| one.file == place.file && one.at > span.start);
        behind.min_by_key(|one| one.at).map(|one| one.entry)
    }

    /// Whether a table or a struct is declared in the file of a place, behind it.
    fn is_behind(&self, entry: Entry, place: Place<'_>, span: Span) -> bool {
        match entry {
            Entry::Object(id) => {
                let object = self.schema.object(id);
                object.file.0 as usize == place.file && object.name_span.start > span.start
            }
            Entry::Enum(_) => false,
        }
    }

    /// What a name stands for, as far as this file and its includes say; nothing is reported.
    pub(super) fn known(&self, place: Place<'_>, name: &str, span: Span) -> Option<Entry> {
        self.find(place, name, span, &self.visible[place.file], &mut None)
    }

    fn find(
        &self,
        place: Place<'_>,
        name: &str,
        span: Span,
        files: &FxHashSet<usize>,
        late: &mut Option<Entry>,
    ) -> Option<Entry> {
        let (mut object, mut behind) = (None, None);
        for scope in outward(place.namespace) {
            let Some(known) = self.names.get(&*qualified(scope, name)) else { continue };
            let own_first = known.iter().filter(|one| one.file == place.file);
            let others = known.iter().filter(|one| one.file != place.file && files.contains(&one.file));
            for one in own_first.chain(others) {
                let is_in_front = one.file != place.file || one.at < span.start;
                match one.entry {
                    // The compiler looks for an enum in all namespaces before it looks for tables.
                    Entry::Enum(_) if is_in_front => return Some(one.entry),
                    Entry::Enum(_) => *late = late.or(Some(one.entry)),
                    // One further out that it has read comes before one further in that it has not.
                    Entry::Object(_) if is_in_front => object = object.or(Some(one.entry)),
                    Entry::Object(_) => behind = behind.or(Some(one.entry)),
                }
            }
        }
        object.or(behind)
    }

    /// The files that are read together with a file where another includes it: what stands in front of an include is
    /// known inside of it.
    fn together(&mut self, file: usize) -> Arc<FxHashSet<usize>> {
        if let Some(files) = &self.together[file] {
            return files.clone();
        }
        let includers = (0..self.inputs.len()).filter(|one| self.visible[*one].contains(&file));
        let files: FxHashSet<usize> = includers.flat_map(|one| self.visible[one].iter().copied()).collect();
        let files = Arc::new(files);
        self.together[file] = Some(files.clone());
        files
    }

    /// Whether a type of that name may stand in an include that was not found.
    fn may_be_elsewhere(&mut self, file: usize) -> bool {
        let inputs = self.inputs;
        let files = self.together(file);
        files.iter().any(|seen| inputs[*seen].imports.contains(&None))
    }

    /// The type that is written.
    pub(super) fn ty(&mut self, place: Place<'_>, node: &TypeNode<'_>) -> Type {
        match &node.kind {
            TypeKind::Scalar(scalar, _) => Type::Scalar(*scalar),
            TypeKind::String => Type::String,
            TypeKind::Name(name) => self.named(place, name, node.span),
            TypeKind::Vector(items) => Type::Vector(Box::new(self.ty(place, items))),
            TypeKind::Array(items, count) => Type::Array(Box::new(self.ty(place, items)), *count),
        }
    }

    fn named(&mut self, place: Place<'_>, name: &str, span: Span) -> Type {
        match self.lookup(place, name, span) {
            Some(Entry::Object(id)) if self.schema.object(id).layout.is_some() => Type::Struct(id),
            Some(Entry::Object(id)) => Type::Table(id),
            Some(Entry::Enum(id)) if self.schema.enumeration(id).is_union => Type::Union(id),
            Some(Entry::Enum(id)) => Type::Enum(id),
            None => {
                self.say_unknown(place.file, name, span);
                Type::Opaque(Arc::from(name))
            }
        }
    }

    fn say_unknown(&mut self, file: usize, name: &str, span: Span) {
        if self.may_be_elsewhere(file) {
            return self.logs[file].unsure(span, name);
        }
        let help = "define it, include the file that does, or write its namespace in front";
        self.error(file, span, format_args!("`{name}` is not defined"), help);
    }

    /// The table of a name.
    pub(super) fn table(&mut self, place: Place<'_>, name: &Spelled<'_>, what: &str) -> Option<ObjectId> {
        match self.named(place, &name.text, name.span) {
            Type::Table(id) => Some(id),
            Type::Opaque(_) => None,
            Type::Struct(_) | Type::Enum(_) | Type::Union(_) | Type::Scalar(_) | Type::String => {
                self.say_no_table(place.file, name, what);
                None
            }
            Type::Vector(_) | Type::Vector64(_) | Type::Array(..) => None,
        }
    }

    fn say_no_table(&mut self, file: usize, name: &Spelled<'_>, what: &str) {
        let message = format_args!("`{}` cannot be {what}: it is not a table", name.text);
        self.error(file, name.span, message, "name a table");
    }

    fn fill_services(&mut self) {
        for (file, node, methods) in std::mem::take(&mut self.service_nodes) {
            let full_name: Arc<str> = Arc::from(qualified(&node.namespace, &node.name.text));
            let mut names = FxHashSet::default();
            let mut filled = Vec::with_capacity(methods.len());
            for method in methods {
                if !names.insert(&*method.name.text) {
                    let message = format_args!("`{full_name}` has a method `{}` already", method.name.text);
                    self.error(file, method.name.span, message, "give one of the two another name");
                    continue;
                }
                filled.extend(self.method(Place { file, namespace: &node.namespace }, method));
            }
            self.schema.services.push(Service {
                full_name,
                name_span: node.name.span,
                file: FileId(number(file)),
                methods: filled,
            });
        }
    }

    fn method(&mut self, place: Place<'_>, node: &'t ast::Method<'t>) -> Option<Method<'t>> {
        self.check_attributes(place.file, &node.attributes);
        let request = self.table(place, &node.request, "the request of a method");
        let response = self.table(place, &node.response, "the response of a method");
        let streaming = attribute(&node.attributes, "streaming");
        Some(Method {
            name: node.name.clone(),
            span: node.span,
            request: request?,
            response: response?,
            streaming: streaming.map_or(Cow::Borrowed("none"), |streaming| streaming.value.clone()),
            attributes: node.attributes.clone(),
        })
    }

    fn find_roots(&mut self) {
        for (file, input) in self.inputs.iter().enumerate() {
            for (name, namespace) in &input.tree.roots {
                let root = self.table(Place { file, namespace }, name, "the root of data");
                self.schema.files[file].roots.extend(root.map(|root| (root, name.span)));
            }
        }
    }
}

#[cfg(test)]
#[path = "link_tests.rs"]
mod tests;
