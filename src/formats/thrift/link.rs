//! Programs → a [`Schema`]: names resolved, typedefs looked through, ids and numbers assigned, and what the compiler
//! refuses said.
//!
//! Everything is declared first, so the order of definitions and of files does not matter. Then come types and fields
//! (`link_types`), functions, and at last constants and defaults (`link_values`), which need all of it.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Side;
use crate::ordered::InOrder;
use crate::syntax::log;

use super::ast::{self, Definition};
use super::language::{Gathered, Linkage};
use super::linker::{Entry, Evaluated, Linker, number};
use super::model::{
    Constant, Enum, EnumId, EnumValue, Field, FileId, Function, Schema, Service, ServiceId, Sort, Spelled, Struct,
    StructId, Type, Typedef, Value,
};
use crate::formats::frame::places::{FieldPlaces, ValuePlaces};

/// Links the files of one side.
pub(super) fn link<'t>(gathered: &Gathered<'t>, side: Side) -> Linkage<Schema<'t>> {
    let inputs = &gathered.inputs;
    let mut linker = Linker::new((inputs, gathered.is_whole), side);
    for (file, input) in inputs.iter().enumerate() {
        for definition in &input.tree.definitions {
            linker.declare(file, definition);
        }
    }
    linker.resolve_typedefs();
    linker.fill_structs();
    linker.fill_services();
    linker.check_extends();
    linker.check_overrides();
    linker.resolve_values();
    linker.name_everything();
    Linkage { schema: linker.schema, problems: log::all(linker.logs), lacks_names: false }
}

/// The part of a range that numbers of a type can have.
fn fitting<N: TryFrom<i64>>((first, last): (i64, i64), limits: (i64, i64)) -> Option<(N, N)> {
    Some((N::try_from(first.max(limits.0)).ok()?, N::try_from(last.min(limits.1)).ok()?))
}

/// The ids that fields can have.
const IDS: (i64, i64) = (i16::MIN as i64, i16::MAX as i64);

/// The numbers that enum values can have.
const NUMBERS: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

impl<'t, 'g> Linker<'t, 'g> {
    /// The name with its program in front.
    fn full_name(&self, file: usize, name: &str) -> Arc<str> {
        Arc::from(format!("{}.{name}", self.schema.files[file].program))
    }

    fn declare(&mut self, file: usize, definition: &'t Definition<'t>) {
        match definition {
            Definition::Typedef(typedef) => {
                if self.enter(file, &typedef.name, Entry::Typedef(self.typedefs.len())) {
                    self.typedefs.push((file, typedef));
                    self.resolved.push(None);
                }
            }
            Definition::Enum(node) => self.declare_enum(file, node),
            Definition::Struct(node) => self.declare_struct(file, node),
            Definition::Service(node) => self.declare_service(file, node),
            Definition::Constant(node) => {
                if self.tables[file].constants.contains_key(&*node.name.text) {
                    self.say_defined_before(file, &node.name);
                } else {
                    self.tables[file].constants.insert(&node.name.text, self.constants.len());
                    self.constants.push((file, node));
                    self.values.push(Evaluated::NotYet);
                }
            }
        }
    }

    /// Gives a name its meaning; whether the name was free.
    fn enter(&mut self, file: usize, name: &'t Spelled<'t>, entry: Entry) -> bool {
        if self.tables[file].types.contains_key(&*name.text) {
            self.say_defined_before(file, name);
            return false;
        }
        self.tables[file].types.insert(&name.text, entry);
        true
    }

    fn say_defined_before(&mut self, file: usize, name: &Spelled<'_>) {
        self.logs[file].error(
            name.span,
            format_args!("`{}` is defined in this file already", name.text),
            "give one of the two another name",
        );
    }

    fn declare_struct(&mut self, file: usize, node: &'t ast::Struct<'t>) {
        if !self.enter(file, &node.name, Entry::Struct(StructId(number(self.schema.structs.len())))) {
            return;
        }
        self.structs.push(node);
        self.schema.structs.push(Struct {
            full_name: self.full_name(file, &node.name.text),
            name_span: node.name.span,
            span: node.span,
            file: FileId(number(file)),
            sort: node.sort,
            fields: Vec::new(),
            reserved: node.reserved.iter().filter_map(|range| fitting(*range, IDS)).collect(),
            annotations: node.annotations.clone(),
            places: FieldPlaces::default(),
        });
    }

    fn declare_service(&mut self, file: usize, node: &'t ast::Service<'t>) {
        if !self.enter(file, &node.name, Entry::Service(ServiceId(number(self.schema.services.len())))) {
            return;
        }
        self.services.push(node);
        self.schema.services.push(Service {
            full_name: self.full_name(file, &node.name.text),
            name_span: node.name.span,
            file: FileId(number(file)),
            extends: None,
            functions: Vec::new(),
            annotations: node.annotations.clone(),
        });
    }

    fn declare_enum(&mut self, file: usize, node: &'t ast::Enum<'t>) {
        let id = EnumId(number(self.schema.enums.len()));
        if !self.enter(file, &node.name, Entry::Enum(id)) {
            return;
        }
        let mut values = Vec::with_capacity(node.values.len());
        let mut next = 0i64;
        for value in &node.values {
            let counted = value.number.map_or(next, |(number, _)| number);
            let Ok(number) = i32::try_from(counted) else {
                self.say_number_too_large(file, node, value);
                continue;
            };
            next = counted + 1;
            self.declared.insert((id, number));
            if self.numbers.insert((id, &value.name.text), number).is_some() {
                self.logs[file].error(
                    value.name.span,
                    format_args!("enum `{}` has a value `{}` already", node.name.text, value.name.text),
                    "give one of the two another name",
                );
            }
            let loose = self.loose.entry((file, &value.name.text));
            loose.and_modify(|known| *known = None).or_insert(Some((id, number)));
            values.push(EnumValue {
                name: value.name.clone(),
                number,
                is_explicit: value.number.is_some(),
                span: value.span,
                annotations: value.annotations.clone(),
            });
        }
        self.schema.enums.push(Enum {
            full_name: self.full_name(file, &node.name.text),
            name_span: node.name.span,
            file: FileId(number(file)),
            values,
            places: ValuePlaces::default(),
            reserved: node.reserved.iter().filter_map(|range| fitting(*range, NUMBERS)).collect(),
            annotations: node.annotations.clone(),
        });
    }

    fn say_number_too_large(&mut self, file: usize, node: &ast::Enum<'_>, value: &ast::EnumValue<'_>) {
        let name = &value.name.text;
        match value.number {
            Some((number, span)) => self.logs[file].error(
                span,
                format_args!("enum value `{name}` has the number {number}, which does not fit into 32 bits"),
                "numbers of enum values reach from -2147483648 to 2147483647",
            ),
            None => self.logs[file].error(
                value.name.span,
                format_args!("enum `{}` has no number left for `{name}` behind 2147483647", node.name.text),
                "write a number of its own",
            ),
        }
    }

    fn fill_structs(&mut self) {
        for index in 0..self.structs.len() {
            let node = self.structs[index];
            let file = self.schema.structs[index].file.0 as usize;
            let id = StructId(number(index));
            self.schema.structs[index].fields = self.fields(file, id, &node.fields, node.sort);
        }
    }

    fn fill_services(&mut self) {
        for index in 0..self.services.len() {
            let node = self.services[index];
            let file = self.schema.services[index].file.0 as usize;
            self.schema.services[index].extends = node.extends.as_ref().map(|name| {
                let service = self.service_named(file, name);
                (name.clone(), service)
            });
            let mut names: FxHashSet<&str> = FxHashSet::default();
            let mut functions = Vec::with_capacity(node.functions.len());
            for function in &node.functions {
                if !names.insert(&function.name.text) {
                    self.logs[file].error(
                        function.name.span,
                        format_args!("service `{}` has a function `{}` already", node.name.text, function.name.text),
                        "give one of the two another name",
                    );
                    continue;
                }
                functions.push(self.function(file, index, function));
            }
            self.schema.services[index].functions = functions;
        }
    }

    fn service_named(&mut self, file: usize, name: &Spelled<'t>) -> Option<ServiceId> {
        match self.entry(file, name)? {
            Entry::Service(id) => Some(id),
            Entry::Struct(_) | Entry::Enum(_) | Entry::Typedef(_) => {
                self.logs[file].error(
                    name.span,
                    format_args!("`{}` is not a service, so it cannot be extended", name.text),
                    "name a service",
                );
                None
            }
        }
    }

    fn function(&mut self, file: usize, service: usize, node: &'t ast::Function<'t>) -> Function<'t> {
        let full_name = format!("{}.{}()", self.schema.services[service].full_name, node.name.text);
        let returns = match node.returns.kind {
            ast::TypeKind::Basic(Type::Void, _) => Type::Void,
            _ => self.ty(file, &node.returns),
        };
        let arguments = self.synthetic(file, node, format!("{full_name} arguments"), Sort::Arguments);
        let id = arguments;
        self.schema.structs[id.0 as usize].fields = self.fields(file, id, &node.arguments, Sort::Arguments);
        let result = self.synthetic(file, node, format!("{full_name} result"), Sort::Result);
        let mut fields = self.fields(file, result, &node.throws, Sort::Result);
        self.check_throws(file, &node.throws, &fields);
        self.check_oneway(file, node);
        if returns != Type::Void && !node.is_oneway {
            let success = Field {
                id: 0,
                id_span: None,
                name: Spelled { text: "success".into(), span: node.returns.span },
                span: node.returns.span,
                requiredness: super::model::Requiredness::Optional,
                ty: returns,
                written: node.returns.written(),
                default: None,
                annotations: Vec::new(),
            };
            fields.insert(0, success);
        }
        self.schema.structs[result.0 as usize].fields = fields;
        Function {
            name: node.name.clone(),
            span: node.span,
            is_oneway: node.is_oneway,
            returns_written: node.returns.written(),
            arguments,
            result,
            annotations: node.annotations.clone(),
        }
    }

    /// A struct that is not written as one.
    fn synthetic(&mut self, file: usize, node: &ast::Function<'_>, name: String, sort: Sort) -> StructId {
        let id = StructId(number(self.schema.structs.len()));
        self.schema.structs.push(Struct {
            full_name: Arc::from(name),
            name_span: node.name.span,
            span: node.span,
            file: FileId(number(file)),
            sort,
            fields: Vec::new(),
            reserved: Vec::new(),
            annotations: Vec::new(),
            places: FieldPlaces::default(),
        });
        id
    }

    fn check_throws(&mut self, file: usize, nodes: &[ast::Field<'_>], fields: &[Field<'_>]) {
        for field in fields {
            let is_exception = match &field.ty {
                Type::Struct(id) => self.schema.structure(*id).sort == Sort::Exception,
                Type::Opaque(_) => true,
                _ => false,
            };
            let node = nodes.iter().find(|node| node.span == field.span).filter(|_| !is_exception);
            if let Some(node) = node {
                self.logs[file].refuse(
                    node.ty.span,
                    format_args!("`{}` cannot be thrown: it is not an exception", field.written.text),
                    "name an exception, or declare it with `exception` instead of `struct`",
                );
            }
        }
    }

    fn check_oneway(&mut self, file: usize, node: &ast::Function<'_>) {
        if !node.is_oneway {
            return;
        }
        if let Some(thrown) = node.throws.first() {
            self.logs[file].refuse(
                thrown.span,
                format_args!("function `{}` is oneway, so it cannot throw anything", node.name.text),
                "remove `throws` or `oneway`: nobody waits for an answer",
            );
        }
        if !matches!(node.returns.kind, ast::TypeKind::Basic(Type::Void, _)) {
            self.warn(
                file,
                node.returns.span,
                format_args!("function `{}` is oneway, so what it returns is never seen", node.name.text),
                "return `void`",
            );
        }
    }

    /// Refuses services that extend themselves, be it by others in between.
    fn check_extends(&mut self) {
        // By which walk a service was met first; a walk that meets a service of its own goes round.
        let mut met: Vec<Option<usize>> = vec![None; self.schema.services.len()];
        for walk in 0..met.len() {
            let mut at = Some(walk);
            while let Some(index) = at {
                let service = &mut self.schema.services[index];
                if met[index] == Some(walk)
                    && let Some((name, parent)) = &mut service.extends
                {
                    *parent = None;
                    self.logs[service.file.0 as usize].error(
                        name.span,
                        format_args!("service `{}` extends itself", service.full_name),
                        "take one `extends` out of the ring",
                    );
                }
                if met[index].is_some() {
                    break;
                }
                met[index] = Some(walk);
                at = service.extends.as_ref().and_then(|(_, parent)| *parent).map(|parent| parent.0 as usize);
            }
        }
    }

    /// Refuses functions that a parent has as well, as the compiler does: whoever calls one gets the nearest.
    fn check_overrides(&mut self) {
        let services = &self.schema.services;
        let mut repeated: Vec<(usize, usize)> = Vec::new();
        // How often each name stands in the services above the one at hand.
        let mut above: FxHashMap<&str, usize> = FxHashMap::default();
        for step in descent(services) {
            let (Step::Into(service) | Step::OutOf(service)) = step;
            let functions = services[service].functions.iter().map(|function| &*function.name.text);
            match step {
                Step::Into(_) => {
                    let is_above = |name: &str| above.get(name).is_some_and(|count| *count > 0);
                    let known = functions.clone().enumerate().filter(|(_, name)| is_above(name));
                    repeated.extend(known.map(|(position, _)| (service, position)));
                    functions.for_each(|name| *above.entry(name).or_default() += 1);
                }
                Step::OutOf(_) => functions.for_each(|name| *above.entry(name).or_default() -= 1),
            }
        }
        repeated.sort_in_order();
        for (service, position) in repeated {
            let function = &services[service].functions[position];
            self.logs[services[service].file.0 as usize].refuse(
                function.name.span,
                format_args!("function `{}` is there already, in a service above", function.name.text),
                "give one of the two another name",
            );
        }
    }

    /// Makes typedefs and constants known and all names findable.
    fn name_everything(&mut self) {
        for (index, (file, node)) in self.typedefs.iter().enumerate() {
            let ty = self.resolved[index].take().map_or(Type::Opaque(Arc::from(&*node.name.text)), |(ty, _)| ty);
            self.schema.typedefs.push(Typedef {
                full_name: self.full_name(*file, &node.name.text),
                name: node.name.clone(),
                file: FileId(number(*file)),
                ty,
            });
        }
        let schema = &mut self.schema;
        for (index, item) in schema.structs.iter().enumerate() {
            schema.structs_by_name.entry(item.full_name.clone()).or_default().push(StructId(number(index)));
        }
        for (index, item) in schema.enums.iter().enumerate() {
            schema.enums_by_name.entry(item.full_name.clone()).or_default().push(EnumId(number(index)));
        }
        for (index, item) in schema.services.iter().enumerate() {
            schema.services_by_name.entry(item.full_name.clone()).or_default().push(ServiceId(number(index)));
        }
    }

    /// Adds a constant to the schema.
    pub(super) fn push_constant(&mut self, index: usize, value: Value<'t>) {
        let (file, node) = self.constants[index];
        self.schema.constants.push(Constant {
            full_name: self.full_name(file, &node.name.text),
            name: node.name.clone(),
            file: FileId(number(file)),
            ty: self.constant_types[index].clone(),
            value,
        });
    }
}

/// A step of a walk through services and those that extend them.
#[derive(Clone, Copy)]
enum Step {
    /// From a service to one that extends it, or to one that extends none.
    Into(usize),
    /// Back again, after all that extend it.
    OutOf(usize),
}

/// The walk through all services, each before those that extend it. None extends itself.
fn descent(services: &[Service]) -> Vec<Step> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); services.len()];
    let mut open: Vec<Step> = Vec::new();
    for (index, service) in services.iter().enumerate() {
        match service.extends.as_ref().and_then(|(_, parent)| *parent) {
            Some(parent) => below[parent.0 as usize].push(index),
            None => open.push(Step::Into(index)),
        }
    }
    let mut steps = Vec::with_capacity(2 * services.len());
    while let Some(step) = open.pop() {
        steps.push(step);
        if let Step::Into(service) = step {
            open.push(Step::OutOf(service));
            open.extend(below[service].iter().map(|below| Step::Into(*below)));
        }
    }
    steps
}
