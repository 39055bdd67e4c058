//! A side as buf sees it: all files that are judged or imported, and the messages that stand for entries of maps.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::change::{Pair, Site, Span};
use crate::ordered::OrderedMap;

use super::super::ast::OptionNode;
use super::super::model::{Cardinality, Edition, Enum, Field, FileId, Kind, Message, Presence, Schema, Service};
use super::super::validate_messages::entry_name;

/// One side.
pub(super) struct Image<'s, 'a> {
    pub schema: &'s Schema<'a>,
    /// The files by path, which is how they are imported.
    pub files: OrderedMap<&'s str, FileId>,
    /// All messages in the order of the schema, each followed by the entries of its maps.
    pub messages: Vec<MessageView<'s, 'a>>,
    /// Indices into `messages` by full name.
    pub messages_by_name: FxHashMap<Cow<'s, str>, Vec<usize>>,
    pub enums: OrderedMap<&'s str, Vec<&'s Enum<'a>>>,
    pub services: OrderedMap<&'s str, Vec<&'s Service<'a>>>,
    pub extensions_by_name: FxHashMap<&'s str, &'s Field<'a>>,
}

/// A message, written or standing for the entries of a map.
pub(super) struct MessageView<'s, 'a> {
    pub full_name: Cow<'s, str>,
    pub file: FileId,
    pub body: Body<'s, 'a>,
}

/// What a message is made of.
#[derive(Clone, Copy)]
pub(super) enum Body<'s, 'a> {
    /// A message that is written.
    Declared(&'s Message<'a>),
    /// The entries of a map field of a message.
    Entries(&'s Message<'a>, &'s Field<'a>),
}

/// A field, or a part of a map field.
#[derive(Clone, Copy)]
pub(super) struct FieldView<'s, 'a> {
    pub schema: &'s Schema<'a>,
    /// The message that has the field; an extension has none.
    pub message: Option<&'s Message<'a>>,
    pub field: &'s Field<'a>,
    pub part: Part,
}

/// Which part of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The field itself.
    Whole,
    /// The keys of a map.
    Key,
    /// The values of a map.
    Value,
}

impl<'s, 'a> Image<'s, 'a> {
    pub(super) fn of(schema: &'s Schema<'a>) -> Self {
        let seen = imported(schema);
        let ids = (0..).map(FileId);
        let files = schema.files.iter().zip(ids).filter(|(_, id)| seen[id.0 as usize]);
        let has = |file: FileId| seen[file.0 as usize];
        let mut image = Image {
            schema,
            files: files.map(|(file, id)| (&*file.import_path, id)).collect(),
            messages: Vec::with_capacity(schema.messages.len()),
            messages_by_name: FxHashMap::default(),
            enums: by_name(schema.enums.iter().filter(|one| has(one.file)).map(|one| (&*one.full_name, one))),
            services: by_name(schema.services.iter().filter(|one| has(one.file)).map(|one| (&*one.full_name, one))),
            extensions_by_name: schema
                .extensions
                .iter()
                .filter(|one| has(one.file))
                .map(|one| (&*one.name, one))
                .collect(),
        };
        for message in schema.messages.iter().filter(|message| has(message.file)) {
            image.add(Cow::Borrowed(&*message.full_name), message.file, Body::Declared(message));
            for field in message.fields.iter().filter(|field| is_map(field)) {
                image.add(Cow::Owned(entries_name(message, field)), message.file, Body::Entries(message, field));
            }
        }
        image
    }

    fn add(&mut self, full_name: Cow<'s, str>, file: FileId, body: Body<'s, 'a>) {
        let index = self.messages.len();
        self.messages_by_name.entry(full_name.clone()).or_default().push(index);
        self.messages.push(MessageView { full_name, file, body });
    }

    pub(super) fn message(&self, full_name: &str) -> Option<&MessageView<'s, 'a>> {
        self.messages_by_name.get(full_name).and_then(|all| all.first()).map(|index| &self.messages[*index])
    }

    /// The path by which a file is imported.
    fn path(&self, file: FileId) -> &'s str {
        &self.schema.file(file).import_path
    }

    pub(super) fn site(&self, file: FileId, span: Span) -> Site {
        Site { file: self.schema.file(file).path.clone(), span }
    }

    /// A full name without its package.
    pub(super) fn nested<'n>(&self, file: FileId, full_name: &'n str) -> &'n str {
        let package = &*self.schema.file(file).package;
        let rest = full_name.strip_prefix(package).unwrap_or(full_name);
        rest.strip_prefix('.').unwrap_or(rest)
    }
}

/// All that has a name, in their order.
fn by_name<'s, T>(all: impl Iterator<Item = (&'s str, T)>) -> OrderedMap<&'s str, Vec<T>> {
    let mut found: OrderedMap<&str, Vec<T>> = OrderedMap::new();
    all.for_each(|(name, one)| found.entry(name).or_default().push(one));
    found
}

/// Which declarations of one full name are which. buf takes no files that declare a name twice; what it is asked about is the
/// files of each copy by themselves: those of one path belong together, then the first that are left.
pub(super) fn copies<'s, 'a, T: Copy>(
    images: Pair<&Image<'s, 'a>>,
    all: Pair<&[T]>,
    file: impl Fn(T) -> FileId,
) -> Vec<Pair<T>> {
    let path = |image: &Image<'s, 'a>, one: T| image.path(file(one));
    let is_in = |image: &Image<'s, 'a>, all: &[T], at: &str| all.iter().any(|one| path(image, *one) == at);
    let here = all.old.iter().filter_map(|old| {
        let same = |new: &&T| path(images.new, **new) == path(images.old, *old);
        Some(Pair::new(*old, *all.new.iter().find(same)?))
    });
    let left = Pair::new(
        all.old.iter().find(|one| !is_in(images.new, all.new, path(images.old, **one))),
        all.new.iter().find(|one| !is_in(images.old, all.old, path(images.new, **one))),
    );
    let moved = left.old.zip(left.new).map(|(old, new)| Pair::new(*old, *new));
    here.chain(moved).collect()
}

/// Which files are judged, or reached by imports from those that are.
fn imported(schema: &Schema<'_>) -> Vec<bool> {
    let mut seen = vec![false; schema.files.len()];
    let judged = schema.files.iter().zip(0_u32..).filter(|(file, _)| !file.is_builtin);
    let mut open: Vec<FileId> = judged.map(|(_, index)| FileId(index)).collect();
    while let Some(file) = open.pop() {
        if !std::mem::replace(&mut seen[file.0 as usize], true) {
            open.extend(schema.file(file).imports.iter().flatten());
        }
    }
    seen
}

fn is_map(field: &Field<'_>) -> bool {
    matches!(field.cardinality, Cardinality::Map { .. })
}

fn entries_name(message: &Message<'_>, field: &Field<'_>) -> String {
    format!("{}.{}", message.full_name, entry_name(&field.name))
}

/// The last part of a full name.
pub(super) fn simple(full_name: &str) -> &str {
    full_name.rsplit_once('.').map_or(full_name, |(_, last)| last)
}

impl<'s, 'a> MessageView<'s, 'a> {
    pub(super) fn simple_name(&self) -> &str {
        simple(&self.full_name)
    }

    /// Where it stands; the entries of a map stand where the map's type does.
    pub(super) fn span(&self) -> Span {
        match self.body {
            Body::Declared(message) => message.ast.span,
            Body::Entries(_, field) => field.ast.type_span,
        }
    }

    /// The message as it is written, if it is.
    pub(super) fn declared(&self) -> Option<&'s Message<'a>> {
        match self.body {
            Body::Declared(message) => Some(message),
            Body::Entries(..) => None,
        }
    }

    pub(super) fn options(&self) -> &'s [OptionNode<'a>] {
        self.declared().map_or(&[], |message| &message.ast.options)
    }

    pub(super) fn json_allow(&self) -> bool {
        match self.body {
            Body::Declared(message) | Body::Entries(message, _) => message.features.json_allow,
        }
    }

    /// The fields, extensions aside.
    pub(super) fn fields(&self, schema: &'s Schema<'a>) -> Vec<FieldView<'s, 'a>> {
        match self.body {
            Body::Declared(message) => {
                let view = |field| FieldView { schema, message: Some(message), field, part: Part::Whole };
                message.fields.iter().map(view).collect()
            }
            Body::Entries(message, field) => {
                let view = |part| FieldView { schema, message: Some(message), field, part };
                [Part::Key, Part::Value].map(view).to_vec()
            }
        }
    }
}

impl<'s, 'a> FieldView<'s, 'a> {
    /// An extension.
    pub(super) fn extension(schema: &'s Schema<'a>, field: &'s Field<'a>) -> Self {
        FieldView { schema, message: None, field, part: Part::Whole }
    }

    pub(super) fn number(&self) -> i32 {
        match self.part {
            Part::Whole => self.field.number,
            Part::Key => 1,
            Part::Value => 2,
        }
    }

    /// The name; an extension's is its full name.
    pub(super) fn name(&self) -> &'s str {
        match self.part {
            Part::Whole => &self.field.name,
            Part::Key => "key",
            Part::Value => "value",
        }
    }

    pub(super) fn json_name(&self) -> &'s str {
        match self.part {
            Part::Whole => &self.field.json_name,
            Part::Key | Part::Value => self.name(),
        }
    }

    /// The type, where it is not the entries of a map.
    pub(super) fn kind(&self) -> Option<Kind> {
        match (self.part, self.field.cardinality) {
            (Part::Whole, Cardinality::Map { .. }) => None,
            (Part::Key, Cardinality::Map { key }) => Some(key),
            (Part::Whole | Part::Value | Part::Key, _) => Some(self.field.kind),
        }
    }

    /// The type in a word: `int32`, `message`, `group`, `enum`. `None` where it is not known.
    pub(super) fn kind_word(&self) -> Option<&'static str> {
        match self.kind() {
            None => Some("message"),
            Some(Kind::Opaque) => None,
            Some(Kind::Enum(_)) => Some("enum"),
            Some(Kind::Message(_)) if self.field.delimited && self.part == Part::Whole => Some("group"),
            Some(Kind::Message(_)) => Some("message"),
            Some(scalar) => scalar.keyword(),
        }
    }

    /// The full name of the message or enum that is the type.
    pub(super) fn type_name(&self) -> Option<Cow<'s, str>> {
        match self.kind() {
            None => self.message.map(|message| Cow::Owned(entries_name(message, self.field))),
            Some(Kind::Message(id)) => Some(Cow::Borrowed(&*self.schema.message(id).full_name)),
            Some(Kind::Enum(id)) => Some(Cow::Borrowed(&*self.schema.enumeration(id).full_name)),
            Some(_) => None,
        }
    }

    pub(super) fn edition(&self) -> Edition {
        self.schema.file(self.field.file).edition
    }

    pub(super) fn is_list(&self) -> bool {
        self.part == Part::Whole && self.field.cardinality == Cardinality::Repeated
    }

    pub(super) fn is_map(&self) -> bool {
        self.part == Part::Whole && is_map(self.field)
    }

    pub(super) fn is_message(&self) -> bool {
        matches!(self.kind(), None | Some(Kind::Message(_)))
    }

    /// How many values, and whether an absent one is told apart.
    pub(super) fn cardinality(&self) -> &'static str {
        const EXPLICIT: &str = "optional with explicit presence";
        const IMPLICIT: &str = "optional with implicit presence";
        let presence = match self.part {
            Part::Whole => self.field.presence,
            Part::Key | Part::Value if self.is_message() => Presence::Explicit,
            Part::Key | Part::Value => self.schema.file(self.field.file).features.field_presence,
        };
        match presence {
            _ if self.is_list() => "repeated",
            _ if self.is_map() => "map",
            Presence::Required => "required",
            Presence::Explicit => EXPLICIT,
            Presence::Implicit => IMPLICIT,
        }
    }

    /// Where the field stands.
    pub(super) fn span(&self) -> Span {
        match self.part {
            Part::Whole => self.field.ast.span,
            Part::Key | Part::Value => self.field.ast.type_span,
        }
    }

    pub(super) fn name_span(&self) -> Span {
        match self.part {
            Part::Whole => self.field.ast.name.span,
            Part::Key | Part::Value => self.field.ast.type_span,
        }
    }

    pub(super) fn type_span(&self) -> Span {
        self.field.ast.type_span
    }
}
