//! A model → the texts of its files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::schema::{FILES, Field, Home, Kind, Method, Node, Part, Schema, Signature, Type, called, settled};
use crate::peers::Id;

/// The ids of the files.
const IDS: [u64; 2] = [0xd3a5_e2f7_c1b4_9086, 0xe4b6_f308_d2c5_a197];

pub fn files(schema: &Schema) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for (file, name) in FILES.iter().enumerate() {
        let mut text = format!("@{:#x};\nannotation note{file}(*) :Text;\n", IDS[file]);
        let other = FILES[1 - file];
        // One file imports the other beside it, the other from the top.
        let import = if file == 0 { format!("{other}.capnp") } else { format!("/{other}.capnp") };
        writeln!(text, "using Other = import \"{import}\";").expect("texts can be written");
        let printer = Printer { schema, file };
        for node in schema.nodes.iter().filter(|node| node.parent.is_none() && node.file == file) {
            printer.node(node, 0, &mut text);
        }
        texts.insert(format!("{name}.capnp"), text);
    }
    if schema.nodes.is_empty() { BTreeMap::new() } else { texts }
}

struct Printer<'s> {
    schema: &'s Schema,
    file: usize,
}

impl Printer<'_> {
    fn node(&self, node: &Node, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        let id = node.number.map_or_else(String::new, |number| format!(" @{number:#x}"));
        let generic = if node.is_generic { format!("(T{})", node.id) } else { String::new() };
        let note = self.note(node.note);
        let name = &node.name;
        match &node.kind {
            Kind::Struct(fields) => {
                write!(text, "{indent}struct {name}{id}{generic}{note} {{\n{}", self.members(node.id, fields, &indent))
            }
            Kind::Enum(values) => {
                let values = values.iter().enumerate();
                let values: String =
                    values.map(|(at, value)| format!(" {} @{at}{};", value.name, self.note(value.note))).collect();
                writeln!(text, "{indent}enum {name}{id}{note} {{{values}")
            }
            Kind::Interface(extends, methods) => {
                let above: Vec<String> = extends.iter().map(|id| self.reference(None, *id, None)).collect();
                let above = if above.is_empty() { String::new() } else { format!(" extends({})", above.join(", ")) };
                let methods = methods.iter().enumerate();
                let methods: String =
                    methods.map(|(at, method)| format!("{indent}  {}", self.method(node.id, at, method))).collect();
                write!(text, "{indent}interface {name}{id}{above}{note} {{\n{methods}")
            }
            Kind::Constant(number) => {
                return writeln!(text, "{indent}const {name} :Int32 = {number};").expect("texts can be written");
            }
        }
        .expect("texts can be written");
        for inner in self.schema.nodes.iter().filter(|inner| inner.parent == Some(node.id)) {
            self.node(inner, depth + 1, text);
        }
        text.push_str(&format!("{indent}}}\n"));
    }

    fn note(&self, note: Option<u8>) -> String {
        note.map_or_else(String::new, |number| format!(" $note{}(\"n{number}\")", self.file))
    }

    /// A name that means a declaration, seen from a node.
    fn reference(&self, from: Option<Id>, id: Id, bound: Option<&Type>) -> String {
        let Some(node) = self.schema.node(id) else { return "Void".to_owned() };
        if bound.is_none() && is_short(self.schema, from, id) {
            return node.name.clone();
        }
        let mut around: Vec<&Node> = self.schema.around(id);
        around.reverse();
        let generic = around.iter().rposition(|node| node.is_generic);
        let name = |(at, node): (usize, &&Node)| match bound {
            Some(bound) if generic == Some(at) => format!("{}({})", node.name, self.ty(from, bound)),
            _ => node.name.clone(),
        };
        let way: Vec<String> = around.iter().enumerate().map(name).collect();
        let prefix = if self.schema.file(id) == self.file { "" } else { "Other." };
        format!("{prefix}{}", way.join("."))
    }

    fn ty(&self, from: Option<Id>, ty: &Type) -> String {
        match ty {
            Type::Plain(name) => (*name).to_owned(),
            Type::Enum(id) | Type::Interface(id) => self.reference(from, *id, None),
            Type::Struct(id, bound) => self.reference(from, *id, bound.as_deref()),
            Type::List(items) => format!("List({})", self.ty(from, items)),
            Type::Parameter => match from.and_then(|from| self.schema.generic_around(from)) {
                Some(id) => format!("T{id}"),
                None => "T".to_owned(),
            },
            Type::Tag => "Void".to_owned(),
        }
    }

    fn field(&self, from: Option<Id>, field: &Field, ordinal: Option<usize>) -> String {
        let default = self.default(from, field).map_or_else(String::new, |default| format!(" = {default}"));
        let ordinal = ordinal.map_or_else(String::new, |ordinal| format!(" @{ordinal}"));
        format!("{}{ordinal} :{}{default}{}", field.name, self.ty(from, &field.ty), self.note(field.note))
    }

    fn default(&self, from: Option<Id>, field: &Field) -> Option<String> {
        let number = field.default?;
        Some(match &field.ty {
            Type::Plain("Int32") => match self.constant(number) {
                Some(name) => name,
                None => number.to_string(),
            },
            Type::Plain("Int8" | "Int16" | "Int64" | "UInt8" | "UInt16" | "UInt32" | "UInt64") => number.to_string(),
            Type::Plain("Float32" | "Float64") => format!("{number}.5"),
            Type::Plain("Bool") => "true".to_owned(),
            Type::Plain("Text") => format!("\"d{number}\""),
            Type::Plain("Data") => format!("0x\"{number:02x} 00\""),
            Type::Enum(id) => {
                let values = self.schema.values(*id)?;
                values[number as usize % values.len()].name.clone()
            }
            Type::List(items) => match **items {
                Type::Plain("Int8" | "Int16" | "Int32" | "UInt8" | "UInt64") => format!("[{number}, 1]"),
                Type::Plain("Text") => format!("[\"{number}\"]"),
                _ => return None,
            },
            Type::Struct(id, _) => {
                let fields = self.schema.fields(*id)?;
                let homes = settled(fields);
                let is_number = |at: usize| matches!(fields[at].ty, Type::Plain("Int16" | "Int32" | "UInt8"));
                let mut numbers = homes.iter().filter(|(at, home)| is_number(*at) && is_open(home));
                let (at, home) = numbers.next()?;
                // One of them, both, or nothing where zeros are meant; a name in a group stands in brackets of its own.
                let second = numbers.find(|(_, other)| other.is_empty()).filter(|_| number % 3 == 0);
                let given = |at: usize, number: i64| format!("{} = {number}", fields[at].name);
                let first = match number % 5 {
                    0 => given(*at, 0),
                    _ => given(*at, number),
                };
                let around = (0..home.len()).rev().filter_map(|at| called(&home[..=at]));
                let first = around.fold(first, |inner, group| format!("{group} = ({inner})"));
                match second {
                    Some((second, _)) => format!("({first}, {})", given(*second, number)),
                    None if number % 10 == 0 => "()".to_owned(),
                    None => format!("({first})"),
                }
            }
            _ => return self.nothing(from),
        })
    }

    fn nothing(&self, _from: Option<Id>) -> Option<String> {
        None
    }

    /// A constant of a file by its name, for every seventh number.
    fn constant(&self, number: i64) -> Option<String> {
        let is_constant = |node: &&Node| matches!(node.kind, Kind::Constant(_)) && node.parent.is_none();
        let node = (number % 7 == 0).then(|| self.schema.nodes.iter().find(is_constant)).flatten()?;
        Some(if node.file == self.file { format!(".{}", node.name) } else { format!("Other.{}", node.name) })
    }

    fn method(&self, from: Id, ordinal: usize, method: &Method) -> String {
        let implicit = if method.is_generic { "[T] " } else { "" };
        let side = |signature: &Signature| match signature {
            Signature::Fields(fields) => {
                let from = if method.is_generic { None } else { Some(from) };
                let fields: Vec<String> = fields.iter().map(|field| self.field(from, field, None)).collect();
                format!("({})", fields.join(", "))
            }
            Signature::Named(id) => self.reference(Some(from), *id, None),
            Signature::Stream => "stream".to_owned(),
        };
        format!("{} @{ordinal} {implicit}{} -> {};\n", method.name, side(&method.takes), side(&method.gives))
    }

    fn members(&self, from: Id, fields: &[Field], indent: &str) -> String {
        let mut lines: Vec<(Home, String)> = Vec::new();
        let mut tags: Vec<(Home, usize)> = Vec::new();
        for (ordinal, (at, home)) in settled(fields).into_iter().enumerate() {
            match fields[at].ty {
                Type::Tag => tags.push((home, ordinal)),
                _ => lines.push((home, format!("{};", self.field(Some(from), &fields[at], Some(ordinal))))),
            }
        }
        let mut text = String::new();
        block(&lines, &tags, &Vec::new(), &format!("{indent}  "), &mut text);
        text
    }
}

/// Whether a field stands in groups and no unions.
fn is_open(home: &Home) -> bool {
    home.iter().all(|part| matches!(part, Part::Group(_)))
}

/// Whether a name alone means a declaration: it stands where its name is looked for first.
pub fn is_short(schema: &Schema, from: Option<Id>, id: Id) -> bool {
    let parent = schema.node(id).and_then(|node| node.parent);
    let scopes = from.map(|from| schema.around(from)).unwrap_or_default();
    parent.is_some_and(|parent| scopes.iter().any(|scope| scope.id == parent)) && id.is_multiple_of(2)
}

/// What stands in a struct, a group or a union.
fn block(lines: &[(Home, String)], tags: &[(Home, usize)], home: &Home, indent: &str, text: &mut String) {
    for (_, line) in lines.iter().filter(|(own, _)| own == home) {
        writeln!(text, "{indent}{line}").expect("texts can be written");
    }
    let inside = lines.iter().filter(|(own, _)| own.len() > home.len() && own.starts_with(home));
    let parts: BTreeSet<Part> = inside.map(|(own, _)| own[home.len()]).collect();
    for part in parts {
        let inner = [&home[..], &[part]].concat();
        let tag = tags.iter().find(|(own, _)| *own == inner).map(|(_, ordinal)| format!(" @{ordinal}!"));
        let tag = tag.unwrap_or_default();
        let head = match (part, called(&inner)) {
            (_, None) => format!("union{tag}"),
            (Part::Group(_), Some(name)) => format!("{name} :group"),
            (Part::Union(_), Some(name)) => format!("{name}{tag} :union"),
        };
        writeln!(text, "{indent}{head} {{").expect("texts can be written");
        block(lines, tags, &inner, &format!("{indent}  "), text);
        writeln!(text, "{indent}}}").expect("texts can be written");
    }
}
