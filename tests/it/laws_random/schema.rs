//! A model of `.proto` files that is easy to make, to change and to print, and knows nothing of the program under test.
//!
//! Everything has a number of its own, so that types can be renamed and moved, and one element be found on both sides.
//! [`Schema::settle`] mends what a random change broke, so that what is printed is valid, or nearly always is.

use std::collections::{BTreeMap, BTreeSet};

pub use crate::support::dice::Dice;

pub type Id = u32;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Proto2,
    Proto3,
    Edition2023,
    Edition2024,
}

impl Syntax {
    pub fn is_edition(self) -> bool {
        matches!(self, Syntax::Edition2023 | Syntax::Edition2024)
    }
}

#[derive(Clone, Default)]
pub struct Schema {
    pub files: Vec<File>,
    pub next: Id,
    /// The elements that are edited, and all that are made later; everything where nothing is said.
    pub near: Option<BTreeSet<Id>>,
}

#[derive(Clone)]
pub struct File {
    pub path: String,
    pub syntax: Syntax,
    pub package: String,
    /// Features of the file, for editions: feature → value.
    pub features: BTreeMap<&'static str, &'static str>,
    pub messages: Vec<Message>,
    pub enums: Vec<Enum>,
    pub extends: Vec<Extend>,
    pub services: Vec<Service>,
}

#[derive(Clone)]
pub struct Message {
    pub id: Id,
    pub name: String,
    pub fields: Vec<Field>,
    pub oneofs: Vec<Oneof>,
    pub messages: Vec<Message>,
    pub enums: Vec<Enum>,
    pub reserved_numbers: BTreeSet<i32>,
    pub reserved_names: BTreeSet<String>,
    pub is_extensible: bool,
}

#[derive(Clone)]
pub struct Oneof {
    pub id: Id,
    pub name: String,
}

#[derive(Clone)]
pub struct Field {
    pub id: Id,
    pub name: String,
    pub number: i32,
    pub ty: Type,
    pub shape: Shape,
    pub presence: Presence,
    pub oneof: Option<Id>,
    pub default: Option<i64>,
    pub json_name: Option<String>,
    pub packed: Option<bool>,
    pub utf8: Option<bool>,
    pub delimited: Option<bool>,
    /// Written as a group where the syntax has them; its type is nested in the same message.
    pub is_group: bool,
    pub deprecated: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Type {
    Scalar(&'static str),
    Named(Id),
    Known(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Singular,
    Repeated,
    Map(&'static str),
}

/// What is said about presence; what it means depends on the syntax.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    Plain,
    Explicit,
    Implicit,
    Required,
}

#[derive(Clone)]
pub struct Enum {
    pub id: Id,
    pub name: String,
    pub values: Vec<EnumValue>,
    pub reserved: BTreeSet<i32>,
    pub reserved_names: BTreeSet<String>,
    /// For editions.
    pub is_closed: Option<bool>,
}

#[derive(Clone)]
pub struct EnumValue {
    pub id: Id,
    pub name: String,
    pub number: i32,
}

#[derive(Clone)]
pub struct Extend {
    pub extendee: Id,
    pub field: Field,
}

#[derive(Clone)]
pub struct Service {
    pub id: Id,
    pub name: String,
    pub methods: Vec<Method>,
}

#[derive(Clone)]
pub struct Method {
    pub id: Id,
    pub name: String,
    pub input: Id,
    pub output: Id,
    pub streams: (bool, bool),
}

pub const SCALARS: &[&str] = &[
    "double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32",
    "sfixed64", "bool", "string", "bytes",
];
/// What option libraries extend: an id that no type has, and the name.
pub const OPTIONS: &[(Id, &str)] = &[
    (Id::MAX, "google.protobuf.FieldOptions"),
    (Id::MAX - 1, "google.protobuf.MessageOptions"),
    (Id::MAX - 2, "google.protobuf.FileOptions"),
];
pub const KEYS: &[&str] = &[
    "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64", "bool",
    "string",
];
pub const KNOWN: &[(&str, &str)] = &[
    ("Timestamp", "timestamp"),
    ("Duration", "duration"),
    ("FieldMask", "field_mask"),
    ("Int32Value", "wrappers"),
    ("UInt64Value", "wrappers"),
    ("StringValue", "wrappers"),
    ("BoolValue", "wrappers"),
    ("BytesValue", "wrappers"),
    ("DoubleValue", "wrappers"),
    ("Any", "any"),
    ("Struct", "struct"),
    ("Value", "struct"),
    ("ListValue", "struct"),
    ("Empty", "empty"),
];
/// The numbers that messages open to extensions open.
pub const EXTENSIONS: std::ops::Range<i32> = 100..200;

/// What is known of a named type, wherever it stands.
#[derive(Clone)]
pub struct Named {
    pub full_name: String,
    pub file: usize,
    /// `None` for messages.
    pub enumeration: Option<EnumFacts>,
}

#[derive(Clone)]
pub struct EnumFacts {
    pub is_closed: bool,
    pub starts_with_zero: bool,
    pub names: Vec<String>,
}

impl Schema {
    pub fn id(&mut self) -> Id {
        self.next += 1;
        self.next
    }

    /// All named types.
    pub fn names(&self) -> BTreeMap<Id, Named> {
        let mut names = BTreeMap::new();
        for (index, file) in self.files.iter().enumerate() {
            let scope = if file.package.is_empty() { String::new() } else { format!("{}.", file.package) };
            name_types((&file.messages, &file.enums), &scope, (index, file), &mut names);
        }
        names
    }

    pub fn message_ids(&self) -> Vec<Id> {
        self.names().into_iter().filter(|(_, named)| named.enumeration.is_none()).map(|(id, _)| id).collect()
    }

    pub fn enum_ids(&self) -> Vec<Id> {
        self.names().into_iter().filter(|(_, named)| named.enumeration.is_some()).map(|(id, _)| id).collect()
    }

    /// The messages that may be edited.
    pub fn edited_messages(&self) -> Vec<Id> {
        self.message_ids().into_iter().filter(|id| self.is_near(*id)).collect()
    }

    /// The enums that may be edited.
    pub fn edited_enums(&self) -> Vec<Id> {
        self.enum_ids().into_iter().filter(|id| self.is_near(*id)).collect()
    }

    pub fn is_near(&self, id: Id) -> bool {
        self.near.as_ref().is_none_or(|near| near.contains(&id) || near.last().is_some_and(|last| id > *last))
    }

    pub fn message(&mut self, id: Id) -> Option<&mut Message> {
        self.files.iter_mut().find_map(|file| find_message(&mut file.messages, id))
    }

    pub fn enumeration(&mut self, id: Id) -> Option<&mut Enum> {
        self.files.iter_mut().find_map(|file| {
            let own = file.enums.iter().position(|one| one.id == id);
            match own {
                Some(at) => file.enums.get_mut(at),
                None => find_enum(&mut file.messages, id),
            }
        })
    }

    /// Every element that can be left out, the large ones first.
    pub fn elements(&self) -> Vec<Id> {
        let mut ids = Vec::new();
        for file in &self.files {
            ids.extend(file.services.iter().map(|service| service.id));
            ids.extend(file.messages.iter().map(|message| message.id));
            ids.extend(file.enums.iter().map(|one| one.id));
            ids.extend(file.extends.iter().map(|extend| extend.field.id));
            ids.extend(file.services.iter().flat_map(|service| &service.methods).map(|method| method.id));
            ids.extend(file.enums.iter().flat_map(|one| &one.values).map(|value| value.id));
            file.messages.iter().for_each(|message| elements_of(message, &mut ids));
        }
        ids
    }

    /// The schema without an element; what refers to it goes as well.
    #[must_use]
    pub fn without(&self, id: Id) -> Schema {
        let mut schema = self.clone();
        for file in &mut schema.files {
            file.services.retain(|service| service.id != id);
            file.services.iter_mut().for_each(|service| service.methods.retain(|method| method.id != id));
            file.extends.retain(|extend| extend.field.id != id);
            leave_out((&mut file.messages, &mut file.enums), id);
        }
        schema.settle();
        schema
    }
}

fn elements_of(message: &Message, ids: &mut Vec<Id>) {
    ids.extend(message.messages.iter().map(|inner| inner.id));
    ids.extend(message.enums.iter().map(|one| one.id));
    ids.extend(message.fields.iter().map(|field| field.id));
    ids.extend(message.oneofs.iter().map(|oneof| oneof.id));
    ids.extend(message.enums.iter().flat_map(|one| &one.values).map(|value| value.id));
    message.messages.iter().for_each(|inner| elements_of(inner, ids));
}

fn leave_out((messages, enums): (&mut Vec<Message>, &mut Vec<Enum>), id: Id) {
    messages.retain(|message| message.id != id);
    enums.retain(|one| one.id != id);
    for one in enums {
        one.values.retain(|value| value.id != id);
    }
    for message in messages {
        message.fields.retain(|field| field.id != id);
        message.oneofs.retain(|oneof| oneof.id != id);
        leave_out((&mut message.messages, &mut message.enums), id);
    }
}

fn name_types(
    (messages, enums): (&[Message], &[Enum]),
    scope: &str,
    (index, file): (usize, &File),
    names: &mut BTreeMap<Id, Named>,
) {
    for one in enums {
        let facts = EnumFacts {
            is_closed: is_closed(file, one),
            starts_with_zero: one.values.first().is_some_and(|value| value.number == 0),
            names: one.values.iter().map(|value| value.name.clone()).collect(),
        };
        let full_name = format!("{scope}{}", one.name);
        names.insert(one.id, Named { full_name, file: index, enumeration: Some(facts) });
    }
    for message in messages {
        let full_name = format!("{scope}{}", message.name);
        let inner = format!("{full_name}.");
        names.insert(message.id, Named { full_name, file: index, enumeration: None });
        name_types((&message.messages, &message.enums), &inner, (index, file), names);
    }
}

pub fn is_closed(file: &File, one: &Enum) -> bool {
    match file.syntax {
        Syntax::Proto2 => true,
        Syntax::Proto3 => false,
        Syntax::Edition2023 | Syntax::Edition2024 => {
            one.is_closed.unwrap_or_else(|| file.features.get("enum_type").is_some_and(|value| *value == "CLOSED"))
        }
    }
}

fn find_message(messages: &mut [Message], id: Id) -> Option<&mut Message> {
    messages.iter_mut().find_map(|message| match message.id == id {
        true => Some(message),
        false => find_message(&mut message.messages, id),
    })
}

fn find_enum(messages: &mut [Message], id: Id) -> Option<&mut Enum> {
    messages.iter_mut().find_map(|message| {
        let own = message.enums.iter().position(|one| one.id == id);
        match own {
            Some(at) => message.enums.get_mut(at),
            None => find_enum(&mut message.messages, id),
        }
    })
}

impl File {
    /// Whether a field shows nothing when it holds its default.
    pub fn is_implicit(&self, field: &Field) -> bool {
        let by_file = self.features.get("field_presence").is_some_and(|value| *value == "IMPLICIT");
        field.shape == Shape::Singular
            && field.oneof.is_none()
            && match self.syntax {
                Syntax::Proto2 => false,
                Syntax::Proto3 => field.presence != Presence::Explicit,
                Syntax::Edition2023 | Syntax::Edition2024 => {
                    field.presence == Presence::Implicit || field.presence == Presence::Plain && by_file
                }
            }
    }
}

impl Schema {
    /// Mends what is not valid: leaves out what leads nowhere or is there twice, and changes what may not be together.
    pub fn settle(&mut self) {
        self.settle_enums();
        let names = self.names();
        for file in &mut self.files {
            let rules = FileRules::of(file);
            for message in &mut file.messages {
                settle_message(message, &rules, &names);
            }
            // Options may be declared in any syntax; what they are read from is always there.
            file.extends
                .retain(|extend| is_option(extend.extendee) || names.contains_key(&extend.extendee) && rules.extends);
            let mut used = BTreeSet::new();
            file.extends.retain(|extend| used.insert((extend.extendee, extend.field.number)));
            for extend in &mut file.extends {
                extend.field.oneof = None;
                extend.field.json_name = None;
                extend.field.is_group = false;
                if matches!(extend.field.shape, Shape::Map(_)) {
                    extend.field.shape = Shape::Repeated;
                }
                extend.field.presence = Presence::Plain;
            }
            file.extends.retain_mut(|extend| settle_field(&mut extend.field, &rules, &names));
            for service in &mut file.services {
                service.methods.retain(|method| {
                    let known = |id| names.get(&id).is_some_and(|named| named.enumeration.is_none());
                    known(method.input) && known(method.output)
                });
            }
        }
        let mut open: BTreeSet<Id> = self.extensible();
        open.extend(OPTIONS.iter().map(|(id, _)| *id));
        self.files.iter_mut().for_each(|file| file.extends.retain(|extend| open.contains(&extend.extendee)));
    }

    fn extensible(&self) -> BTreeSet<Id> {
        fn collect(messages: &[Message], found: &mut BTreeSet<Id>) {
            for message in messages {
                found.extend(message.is_extensible.then_some(message.id));
                collect(&message.messages, found);
            }
        }
        let mut found = BTreeSet::new();
        for file in self.files.iter().filter(|file| file.syntax != Syntax::Proto3) {
            collect(&file.messages, &mut found);
        }
        found
    }

    fn settle_enums(&mut self) {
        let mut next = self.next;
        for file in &mut self.files {
            let rules = file.clone();
            for one in &mut file.enums {
                settle_enum(one, is_closed(&rules, one), &mut next);
            }
            for message in &mut file.messages {
                settle_enums_of(message, &rules, &mut next);
            }
        }
        self.next = next;
    }
}

pub fn is_option(id: Id) -> bool {
    OPTIONS.iter().any(|(option, _)| *option == id)
}

fn settle_enums_of(message: &mut Message, file: &File, next: &mut Id) {
    for one in &mut message.enums {
        settle_enum(one, is_closed(file, one), next);
    }
    message.messages.iter_mut().for_each(|inner| settle_enums_of(inner, file, next));
}

fn settle_enum(one: &mut Enum, is_closed: bool, next: &mut Id) {
    let mut used = BTreeSet::new();
    one.values.retain(|value| used.insert(value.name.clone()));
    if !is_closed || one.values.is_empty() {
        match one.values.iter().position(|value| value.number == 0) {
            Some(at) => one.values[..=at].rotate_right(1),
            None => {
                *next += 1;
                let name = format!("E{}_ZERO{next}", one.id);
                one.values.insert(0, EnumValue { id: *next, name, number: 0 });
            }
        }
    }
    for value in &one.values {
        one.reserved.remove(&value.number);
        one.reserved_names.remove(&value.name);
    }
}

/// What the syntax of a file allows.
struct FileRules {
    file: File,
    extends: bool,
}

impl FileRules {
    fn of(file: &File) -> Self {
        let bare = File { messages: Vec::new(), enums: Vec::new(), ..file.clone() };
        FileRules { extends: file.syntax != Syntax::Proto3, file: bare }
    }
}

fn settle_message(message: &mut Message, rules: &FileRules, names: &BTreeMap<Id, Named>) {
    let nested: BTreeSet<Id> = message.messages.iter().map(|inner| inner.id).collect();
    let oneofs: BTreeSet<Id> = message.oneofs.iter().map(|oneof| oneof.id).collect();
    let (mut numbers, mut used, mut groups) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    message.fields.retain_mut(|field| {
        field.oneof = field.oneof.filter(|oneof| oneofs.contains(oneof));
        let is_free = !EXTENSIONS.contains(&field.number) && field.number > 0;
        let is_new = is_free && numbers.insert(field.number) && used.insert(field.name.clone());
        is_new && settle_field(field, rules, names)
    });
    for field in &mut message.fields {
        let is_nested = matches!(field.ty, Type::Named(id) if nested.contains(&id) && groups.insert(id));
        field.is_group &= is_nested && !matches!(field.shape, Shape::Map(_));
    }
    let mut json_names: BTreeSet<String> = message.fields.iter().map(|field| field.name.clone()).collect();
    for field in &mut message.fields {
        json_names.remove(&field.name);
        let own = field.json_name.clone().unwrap_or_else(|| field.name.clone());
        if !json_names.insert(own) {
            field.json_name = None;
        }
    }
    let all: Vec<String> = message.fields.iter().map(|field| field.json_name().to_owned()).collect();
    if all.iter().collect::<BTreeSet<_>>().len() < all.len() {
        message.fields.iter_mut().for_each(|field| field.json_name = None);
    }
    for field in &message.fields {
        message.reserved_numbers.remove(&field.number);
        message.reserved_names.remove(&field.name);
    }
    message.reserved_numbers.retain(|number| !EXTENSIONS.contains(number));
    message.messages.iter_mut().for_each(|inner| settle_message(inner, rules, names));
}

/// Whether the field may stay.
fn settle_field(field: &mut Field, rules: &FileRules, names: &BTreeMap<Id, Named>) -> bool {
    if let Type::Named(id) = field.ty {
        let Some(named) = names.get(&id) else { return false };
        if let Some(facts) = &named.enumeration {
            let is_refused = facts.is_closed && (rules.file.syntax == Syntax::Proto3 || rules.file.is_implicit(field))
                || matches!(field.shape, Shape::Map(_)) && !facts.starts_with_zero;
            if is_refused {
                field.ty = Type::Scalar("int32");
            }
        }
    }
    if field.shape != Shape::Singular {
        field.oneof = None;
    }
    true
}

impl Field {
    pub fn json_name(&self) -> &str {
        self.json_name.as_deref().unwrap_or(&self.name)
    }
}
