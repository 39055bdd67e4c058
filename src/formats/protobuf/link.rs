//! Turns the syntax trees of one side into a [`Schema`]: declares every name, resolves every reference, decides every
//! feature. What is wrong becomes a problem; the schema is filled as far as possible all the same.
//!
//! What a declaration may look like is checked in [`super::validate`], options in [`super::options`].

use std::sync::Arc;

use crate::formats::frame::places::ValuePlaces;
use crate::ordered::InOrder;
use crate::parallel;
use crate::syntax::problem::{Problem, Severity};

use super::ast;
use super::features;
use super::link_fields;
use super::link_graph;
use super::link_scope::{Entity, Symbols};
use super::model::{
    Cardinality, Edition, Enum, EnumId, ExtensionId, Features, Field, File, FileId, Kind, Message, MessageId, Presence,
    Schema, Service,
};
use super::options_standard::is_true;
use super::ranges::in_order;
use super::universe::{Declared, ExtensionScope, FileContext, LinkFile, Universe};
use super::{options, validate, validate_shared};

/// One side, linked.
#[derive(Debug, Default)]
pub(crate) struct Linked<'a> {
    /// Everything that could be understood.
    pub(crate) schema: Schema<'a>,
    /// What is wrong, in the order of files.
    pub(crate) problems: Vec<Problem>,
}

/// Links the files of one side. `descriptor` is the built-in file that defines the standard options, among `files`.
pub(crate) fn link<'a>(files: Vec<LinkFile<'a>>, descriptor: Option<FileId>) -> Linked<'a> {
    let mut problems = link_graph::cycles(&files);
    let mut universe = declare(files, descriptor);
    let ids: Vec<FileId> = (0..universe.files.len()).map(file_id).collect();
    let resolved = parallel::map(&ids, |id| link_fields::resolve(FileContext::new(&universe, *id)));
    let mut per_file: Vec<Vec<Problem>> = Vec::with_capacity(ids.len());
    for (id, resolved) in ids.iter().zip(resolved) {
        per_file.push(place(&mut universe, *id, resolved));
    }
    attach_extensions(&mut universe.schema);
    let checked = parallel::map(&ids, |id| {
        let mut context = FileContext::new(&universe, *id);
        if universe.files[id.0 as usize].is_builtin {
            return context.problems; // It only supplies types.
        }
        validate::check(&mut context);
        options::check(&mut context);
        context.problems
    });
    for ((id, mut resolved), mut checked) in ids.iter().zip(per_file).zip(checked) {
        let file = &universe.files[id.0 as usize];
        resolved.append(&mut checked);
        if file.is_broken {
            continue; // Its syntax errors are reported; everything else may follow from them.
        }
        if file.is_builtin {
            resolved.iter_mut().for_each(|problem| problem.severity = Severity::Warning);
        }
        problems.append(&mut resolved);
    }
    problems.extend(validate_shared::shared_names(&universe));
    Linked { schema: universe.schema, problems }
}

fn file_id(index: usize) -> FileId {
    FileId(u32::try_from(index).expect("a snapshot has fewer than four billion files"))
}

fn next<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).expect("a snapshot has fewer than four billion declarations")
}

fn place<'a>(universe: &mut Universe<'a>, id: FileId, resolved: link_fields::Resolved<'a>) -> Vec<Problem> {
    let declared = universe.declared[id.0 as usize].clone();
    for (message, fields) in universe.schema.messages[declared.messages].iter_mut().zip(resolved.fields) {
        message.fields = fields;
    }
    for (extension, field) in universe.schema.extensions[declared.extensions].iter_mut().zip(resolved.extensions) {
        *extension = field;
    }
    for (service, methods) in universe.schema.services[declared.services].iter_mut().zip(resolved.methods) {
        service.methods = methods;
    }
    resolved.problems
}

fn attach_extensions(schema: &mut Schema<'_>) {
    for (index, extension) in schema.extensions.iter().enumerate() {
        if let Some(extendee) = extension.extendee {
            let id = ExtensionId(u32::try_from(index).expect("counted while declaring"));
            schema.messages[extendee.0 as usize].extended_by.push(id);
        }
    }
    for message in &mut schema.messages {
        let extension = |id: &ExtensionId| &schema.extensions[id.0 as usize];
        let path = |id: &ExtensionId| &*schema.files[extension(id).file.0 as usize].path;
        message.extended_by.sort_in_order_by(|one, other| {
            let key = |id| (extension(id).number, path(id));
            key(one).cmp(&key(other)).then(one.cmp(other))
        });
        // Of several files the first counts. Twice within one is a mistake, and both are looked at.
        let mut here: Vec<ExtensionId> = Vec::with_capacity(message.extended_by.len());
        for id in std::mem::take(&mut message.extended_by) {
            let last = here.last().map(extension).filter(|last| last.number == extension(&id).number);
            let is_elsewhere = last.is_some_and(|last| last.file != extension(&id).file);
            if is_elsewhere { message.extended_elsewhere.push(id) } else { here.push(id) }
        }
        message.extended_by = here;
    }
}

/// The first pass: every name, with its place, its parent and its features.
struct Declarer<'a> {
    schema: Schema<'a>,
    symbols: Symbols<'a>,
    extension_scopes: Vec<ExtensionScope<'a>>,
    name: String,
}

fn declare<'a>(files: Vec<LinkFile<'a>>, descriptor: Option<FileId>) -> Universe<'a> {
    let mut declarer = Declarer {
        schema: Schema::default(),
        symbols: Symbols::default(),
        extension_scopes: Vec::new(),
        name: String::new(),
    };
    let mut declared = Vec::with_capacity(files.len());
    let mut incomplete = Vec::with_capacity(files.len());
    for (index, file) in files.iter().enumerate() {
        let id = file_id(index);
        let visible = link_graph::visible(&files, id);
        incomplete.push(link_graph::is_incomplete(&files, id, &visible));
        declarer.symbols.add_file(file.ast.package.as_ref().map_or("", |package| &package.text), visible);
        declared.push(declarer.file(file, id));
    }
    let Declarer { schema, symbols, extension_scopes, .. } = declarer;
    Universe { files, schema, symbols, declared, extension_scopes, incomplete, descriptor }
}

/// The edition of a file; an unknown one is reported by the parser and read as the nearest that is known.
fn edition(file: &ast::File<'_>) -> Edition {
    match file.syntax.as_ref().map(|statement| (statement.is_edition, statement.value.as_ref())) {
        None | Some((false, "proto2")) => Edition::Proto2,
        Some((true, "2023")) => Edition::E2023,
        Some((true, "2024")) => Edition::E2024,
        Some((true, _)) => Edition::E2026,
        Some((false, _)) => Edition::Proto3,
    }
}

impl<'a> Declarer<'a> {
    fn file(&mut self, file: &LinkFile<'a>, id: FileId) -> Declared {
        let ast = file.ast;
        let edition = edition(ast);
        let features = features::refine(edition, features::defaults(edition), &ast.options);
        let package: &'a str = ast.package.as_ref().map_or("", |package| &package.text);
        let start = self.counts();
        self.name.clear();
        self.name.push_str(package);
        let top = Scope { file: id, edition, features, parent: None };
        let messages = ast.messages.iter().map(|message| self.message(message, top)).collect();
        let enums = ast.enums.iter().map(|item| self.enumeration(item, top)).collect();
        for service in &ast.services {
            self.service(service, id);
        }
        self.extends(&ast.extends, top);
        self.schema.files.push(File {
            path: file.path.clone(),
            import_path: file.import_path.clone(),
            is_builtin: file.is_builtin,
            terms: file.terms,
            ast,
            package: package.into(),
            edition,
            features,
            imports: file.imports.clone(),
            messages,
            enums,
        });
        let end = self.counts();
        Declared {
            messages: start[0]..end[0],
            enums: start[1]..end[1],
            services: start[2]..end[2],
            extensions: start[3]..end[3],
        }
    }

    fn counts(&self) -> [usize; 4] {
        let Schema { messages, enums, services, extensions, .. } = &self.schema;
        [messages.len(), enums.len(), services.len(), extensions.len()]
    }

    /// Runs `inside` with the name extended by one part, and gives it the full name.
    fn named<T>(&mut self, name: &str, inside: impl FnOnce(&mut Self, Arc<str>) -> T) -> T {
        let length = self.name.len();
        if length > 0 {
            self.name.push('.');
        }
        self.name.push_str(name);
        let full_name = Arc::from(self.name.as_str());
        let result = inside(self, full_name);
        self.name.truncate(length);
        result
    }

    fn message(&mut self, ast: &'a ast::Message<'a>, scope: Scope) -> MessageId {
        self.named(&ast.name.text, |this, full_name| {
            let id = MessageId(next(&this.schema.messages));
            let features = features::refine(scope.edition, scope.features, &ast.options);
            let is_message_set = is_true(&ast.options, "message_set_wire_format");
            this.symbols.add(full_name.clone(), Entity::Message(id), scope.file);
            this.schema.messages_by_name.entry(full_name.clone()).or_default().push(id);
            this.schema.messages.push(Message {
                full_name,
                file: scope.file,
                parent: scope.parent,
                ast,
                features,
                fields: Vec::new(),
                oneofs: ast.oneofs.iter().collect(),
                messages: Vec::new(),
                enums: Vec::new(),
                extensions: Vec::new(),
                extended_by: Vec::new(),
                extended_elsewhere: Vec::new(),
                reserved: sorted(ast.reserved.iter().flat_map(|statement| &statement.ranges), None),
                extension_ranges: sorted(
                    ast.extension_ranges.iter().flat_map(|statement| &statement.ranges),
                    is_message_set.then_some(i32::MAX - 1),
                ),
                is_message_set,
            });
            let inner = Scope { features, parent: Some(id), ..scope };
            let messages = ast.messages.iter().map(|message| this.message(message, inner)).collect();
            let enums = ast.enums.iter().map(|item| this.enumeration(item, inner)).collect();
            let extensions = this.extends(&ast.extends, inner);
            let message = &mut this.schema.messages[id.0 as usize];
            message.messages = messages;
            message.enums = enums;
            message.extensions = extensions;
            id
        })
    }

    fn enumeration(&mut self, ast: &'a ast::Enum<'a>, scope: Scope) -> EnumId {
        let id = EnumId(next(&self.schema.enums));
        if scope.parent.is_none() {
            for value in &ast.values {
                self.named(&value.name.text, |this, full_name| {
                    this.symbols.add(full_name, Entity::Value(id), scope.file);
                });
            }
        }
        self.named(&ast.name.text, |this, full_name| {
            let features = features::refine(scope.edition, scope.features, &ast.options);
            this.symbols.add(full_name.clone(), Entity::Enum(id), scope.file);
            this.schema.enums_by_name.entry(full_name.clone()).or_default().push(id);
            this.schema.enums.push(Enum {
                full_name,
                file: scope.file,
                parent: scope.parent,
                ast,
                features,
                is_closed: features.enum_closed,
                reserved: sorted(ast.reserved.iter().flat_map(|statement| &statement.ranges), None),
                places: ValuePlaces::default(),
            });
        });
        id
    }

    fn service(&mut self, ast: &'a ast::Service<'a>, file: FileId) -> u32 {
        let id = next(&self.schema.services);
        self.named(&ast.name.text, |this, full_name| {
            this.symbols.add(full_name.clone(), Entity::Service(id), file);
            this.schema.services.push(Service { full_name, file, ast, methods: Vec::new() });
        });
        id
    }

    fn extends(&mut self, blocks: &'a [ast::Extend<'a>], scope: Scope) -> Vec<ExtensionId> {
        let mut ids = Vec::new();
        for block in blocks {
            for field in &block.fields {
                let id = ExtensionId(next(&self.schema.extensions));
                let name = link_fields::field_name(field);
                self.named(&name, |this, full_name| {
                    this.symbols.add(full_name.clone(), Entity::Extension(id), scope.file);
                    this.schema.extensions.push(undecided(field, scope, &full_name));
                });
                self.extension_scopes.push(ExtensionScope { parent: scope.parent, block });
                ids.push(id);
            }
        }
        ids
    }
}

/// Where a declaration stands.
#[derive(Clone, Copy)]
struct Scope {
    file: FileId,
    edition: Edition,
    features: Features,
    parent: Option<MessageId>,
}

/// An extension before its type is resolved.
fn undecided<'a>(ast: &'a ast::Field<'a>, scope: Scope, full_name: &str) -> Field<'a> {
    Field {
        name: full_name.to_owned().into(),
        number: 0,
        kind: Kind::Opaque,
        cardinality: Cardinality::Singular,
        presence: Presence::Explicit,
        oneof: None,
        packed: false,
        delimited: false,
        utf8: false,
        json_name: "".into(),
        default: None,
        features: scope.features,
        extendee: None,
        is_extension: true,
        file: scope.file,
        ast,
    }
}

/// Ranges in order; `max` replaces the end of those written up to `max`.
fn sorted<'r>(ranges: impl Iterator<Item = &'r ast::NumberRange>, max: Option<i32>) -> Vec<(i32, i32)> {
    let narrow = |number: i64| i32::try_from(number).unwrap_or(if number < 0 { i32::MIN } else { i32::MAX });
    in_order(
        ranges.map(|range| (narrow(range.start), max.filter(|_| range.to_max).unwrap_or_else(|| narrow(range.end)))),
    )
}
