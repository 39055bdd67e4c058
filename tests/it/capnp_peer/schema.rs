//! A model of `.capnp` files that is easy to make, to change and to print, and knows nothing of the program under test.
//!
//! Everything has a number of its own, so that one element is found on both sides whatever it is called there, wherever it
//! stands. How a schema is made and changed is in `make`, how it is written in `print`.

use std::collections::{BTreeMap, BTreeSet};

use crate::peers::Id;

#[derive(Clone, Default)]
pub struct Schema {
    /// In the order in which they are printed.
    pub nodes: Vec<Node>,
    /// What was done to it, by kind.
    pub edits: Vec<&'static str>,
    pub next: Id,
}

/// A declaration.
#[derive(Clone)]
pub struct Node {
    pub id: Id,
    pub name: String,
    /// The first file or the second.
    pub file: usize,
    /// The struct that it stands in.
    pub parent: Option<Id>,
    /// An id that is written.
    pub number: Option<u64>,
    /// Whether it takes a type.
    pub is_generic: bool,
    pub note: Option<u8>,
    pub kind: Kind,
}

#[derive(Clone)]
pub enum Kind {
    Struct(Vec<Field>),
    Enum(Vec<Value>),
    Interface(Vec<Id>, Vec<Method>),
    /// A number.
    Constant(i64),
}

#[derive(Clone)]
pub struct Value {
    pub id: Id,
    pub name: String,
    pub note: Option<u8>,
}

/// In the order of their ordinals.
#[derive(Clone)]
pub struct Field {
    pub id: Id,
    pub name: String,
    pub ty: Type,
    pub default: Option<i64>,
    pub home: Home,
    pub note: Option<u8>,
}

/// What a field stands in, from the outside: nothing for the struct itself.
pub type Home = Vec<Part>;

/// A group or a union. The first union of anything has no name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    Group(u8),
    Union(u8),
}

#[derive(Clone)]
pub struct Method {
    pub id: Id,
    pub name: String,
    /// Whether callers choose a type.
    pub is_generic: bool,
    pub takes: Signature,
    pub gives: Signature,
}

#[derive(Clone)]
pub enum Signature {
    Fields(Vec<Field>),
    Named(Id),
    Stream,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    Plain(&'static str),
    Enum(Id),
    /// With what the type stands for that it takes, or that a struct around it takes.
    Struct(Id, Option<Box<Type>>),
    Interface(Id),
    List(Box<Type>),
    /// The type that a struct or a method takes.
    Parameter,
    /// No field but the ordinal of the union that it stands in.
    Tag,
}

/// The fields of one struct, of the parameters or of the results of a method.
pub struct Record<'s> {
    /// The same on both sides: the number of the struct, or of the method with what it is.
    pub key: (Id, u8),
    /// As the compiler shows it.
    pub name: String,
    /// As we show it.
    pub ours: String,
    pub fields: &'s [Field],
    /// Why data of it reach data of the other side: its name, or its id.
    pub number: u64,
}

impl Schema {
    pub fn fresh(&mut self) -> Id {
        self.next += 1;
        self.next
    }

    pub fn node(&self, id: Id) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// The fields of a struct.
    pub fn fields(&self, id: Id) -> Option<&[Field]> {
        match &self.node(id)?.kind {
            Kind::Struct(fields) => Some(fields),
            _ => None,
        }
    }

    pub fn values(&self, id: Id) -> Option<&[Value]> {
        match &self.node(id)?.kind {
            Kind::Enum(values) => Some(values),
            _ => None,
        }
    }

    /// The declarations of a kind.
    pub fn all(&self, is_meant: fn(&Kind) -> bool) -> Vec<Id> {
        self.nodes.iter().filter(|node| is_meant(&node.kind)).map(|node| node.id).collect()
    }

    pub fn structs(&self) -> Vec<Id> {
        self.all(|kind| matches!(kind, Kind::Struct(_)))
    }

    /// The nodes around a node, itself first.
    pub fn around(&self, id: Id) -> Vec<&Node> {
        let mut found: Vec<&Node> = Vec::new();
        let mut at = Some(id);
        while let Some(node) = at.and_then(|id| self.node(id)) {
            if found.iter().any(|other| other.id == node.id) {
                break;
            }
            found.push(node);
            at = node.parent;
        }
        found
    }

    /// The node whose type a field in it, or in anything inside of it, may name.
    pub fn generic_around(&self, id: Id) -> Option<Id> {
        self.around(id).into_iter().find(|node| node.is_generic).map(|node| node.id)
    }

    /// The names of a declaration and those around it, the outermost first.
    pub fn way(&self, id: Id) -> Vec<&str> {
        let mut way: Vec<&str> = self.around(id).into_iter().map(|node| &*node.name).collect();
        way.reverse();
        way
    }

    /// The file that a declaration stands in.
    pub fn file(&self, id: Id) -> usize {
        self.around(id).last().map_or(0, |node| node.file)
    }

    /// What the compiler calls a declaration.
    pub fn display(&self, id: Id) -> String {
        format!("{}.capnp:{}", FILES[self.file(id)], self.way(id).join("."))
    }

    /// Everything that has bytes of its own.
    pub fn records(&self) -> Vec<Record<'_>> {
        let mut found = Vec::new();
        for node in &self.nodes {
            let (display, number) = (self.display(node.id), node.number.unwrap_or(0));
            match &node.kind {
                Kind::Struct(fields) => {
                    let ours = display.replacen(".capnp:", ".", 1);
                    found.push(Record { key: (node.id, 0), name: display, ours, fields, number });
                }
                Kind::Interface(_, methods) => {
                    for method in methods {
                        let signatures =
                            [(1, &method.takes, "Params", "parameters"), (2, &method.gives, "Results", "results")];
                        for (side, signature, what, role) in signatures {
                            let (name, fields) = match signature {
                                Signature::Fields(fields) => (format!("{display}.{}${what}", method.name), &fields[..]),
                                Signature::Stream => ("capnp/stream.capnp:StreamResult".to_owned(), &[][..]),
                                Signature::Named(_) => continue,
                            };
                            let around = display.replacen(".capnp:", ".", 1);
                            let ours = format!("{around}.{}() {role}", method.name);
                            found.push(Record { key: (method.id, side), name, ours, fields, number });
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Everything that can be left out.
    pub fn elements(&self) -> Vec<Id> {
        let mut all = Vec::new();
        for node in &self.nodes {
            all.push(node.id);
            match &node.kind {
                Kind::Struct(fields) => all.extend(fields.iter().map(|field| field.id)),
                Kind::Enum(values) => all.extend(values.iter().map(|value| value.id)),
                Kind::Interface(_, methods) => {
                    for method in methods {
                        all.push(method.id);
                        for signature in [&method.takes, &method.gives] {
                            if let Signature::Fields(fields) = signature {
                                all.extend(fields.iter().map(|field| field.id));
                            }
                        }
                    }
                }
                Kind::Constant(_) => {}
            }
        }
        all
    }

    /// The schema without an element and all that refers to it.
    pub fn without(&self, element: Id) -> Self {
        let mut schema = self.clone();
        for node in &mut schema.nodes {
            match &mut node.kind {
                Kind::Struct(fields) => fields.retain(|field| field.id != element),
                Kind::Enum(values) => values.retain(|value| value.id != element),
                Kind::Interface(_, methods) => {
                    methods.retain(|method| method.id != element);
                    for method in methods {
                        for signature in [&mut method.takes, &mut method.gives] {
                            if let Signature::Fields(fields) = signature {
                                fields.retain(|field| field.id != element);
                            }
                        }
                    }
                }
                Kind::Constant(_) => {}
            }
        }
        schema.nodes.retain(|node| node.id != element);
        schema.settle();
        schema
    }

    /// Takes away what refers to something that is not there, until everything is.
    pub fn settle(&mut self) {
        loop {
            let there: BTreeSet<Id> = self.nodes.iter().map(|node| node.id).collect();
            let enums: BTreeSet<Id> = self.all(|kind| matches!(kind, Kind::Enum(_))).into_iter().collect();
            let structs: BTreeSet<Id> = self.structs().into_iter().collect();
            let interfaces: BTreeSet<Id> = self.all(|kind| matches!(kind, Kind::Interface(..))).into_iter().collect();
            let generic: BTreeMap<Id, bool> =
                self.nodes.iter().map(|node| (node.id, self.generic_around(node.id).is_some())).collect();
            let known = Known { enums, structs, interfaces, generic };
            let before = self.elements().len();
            self.nodes.retain(|node| node.parent.is_none_or(|parent| there.contains(&parent)));
            self.nodes.retain(|node| !matches!(&node.kind, Kind::Enum(values) if values.is_empty()));
            for node in &mut self.nodes {
                let is_generic = known.generic[&node.id];
                known.settle(&mut node.kind, is_generic);
            }
            if self.elements().len() == before {
                return;
            }
        }
    }
}

/// The files' names, without their ending.
pub const FILES: [&str; 2] = ["a", "b"];

/// What there is.
struct Known {
    enums: BTreeSet<Id>,
    structs: BTreeSet<Id>,
    interfaces: BTreeSet<Id>,
    generic: BTreeMap<Id, bool>,
}

impl Known {
    fn settle(&self, kind: &mut Kind, is_generic: bool) {
        match kind {
            Kind::Struct(fields) => self.fields(fields, is_generic),
            Kind::Interface(extends, methods) => {
                extends.retain(|id| self.interfaces.contains(id));
                methods.retain(|method| {
                    [&method.takes, &method.gives].into_iter().all(|signature| match signature {
                        Signature::Named(id) => self.structs.contains(id),
                        _ => true,
                    })
                });
                for method in methods {
                    let is_generic = method.is_generic;
                    for signature in [&mut method.takes, &mut method.gives] {
                        if let Signature::Fields(fields) = signature {
                            self.fields(fields, is_generic);
                        }
                    }
                }
            }
            Kind::Enum(_) | Kind::Constant(_) => {}
        }
    }

    fn fields(&self, fields: &mut Vec<Field>, is_generic: bool) {
        for field in fields.iter_mut() {
            self.bound(&mut field.ty, is_generic);
        }
        fields.retain(|field| self.has(&field.ty));
    }

    /// Only what takes a type is given one.
    fn bound(&self, ty: &mut Type, is_generic: bool) {
        match ty {
            Type::Struct(id, bound) => {
                if !self.generic.get(id).copied().unwrap_or_default() {
                    *bound = None;
                }
                if let Some(bound) = bound {
                    self.bound(bound, is_generic);
                }
            }
            Type::List(items) => self.bound(items, is_generic),
            Type::Parameter if !is_generic => *ty = Type::Plain("AnyPointer"),
            _ => {}
        }
        // The compiler has no lists of them, but of `AnyList`; those have no reader in C++, where the code that is generated
        // for them does not compile.
        let is_any =
            |items: &Type| matches!(items, Type::Parameter | Type::Plain("AnyPointer" | "AnyStruct" | "AnyList"));
        if matches!(ty, Type::List(items) if is_any(items)) {
            *ty = Type::Plain("Data");
        }
    }

    fn has(&self, ty: &Type) -> bool {
        match ty {
            Type::Plain(_) | Type::Parameter | Type::Tag => true,
            Type::Enum(id) => self.enums.contains(id),
            Type::Struct(id, bound) => self.structs.contains(id) && bound.as_deref().is_none_or(|ty| self.has(ty)),
            Type::Interface(id) => self.interfaces.contains(id),
            Type::List(items) => self.has(items),
        }
    }
}

/// The fields of a struct where each really stands: unions need two members, and those of one with fewer stand outside.
/// A tag whose union is gone, or comes too late for it, is none.
pub fn settled(fields: &[Field]) -> Vec<(usize, Home)> {
    let mut homes: Vec<(usize, Home)> =
        fields.iter().enumerate().map(|(index, field)| (index, field.home.clone())).collect();
    let is_tag = |index: usize| fields[index].ty == Type::Tag;
    while let Some(lone) = lone_union(&homes, &is_tag) {
        for (_, home) in &mut homes {
            if home.starts_with(&lone) {
                home.remove(lone.len() - 1);
            }
        }
    }
    let all = homes.clone();
    let is_told = |(index, home): &(usize, Home)| {
        let before = all.iter().filter(|(other, inner)| other < index && !is_tag(*other) && inner.starts_with(home));
        let members: BTreeSet<Member> = before.map(|(other, inner)| member(home, (*other, inner))).collect();
        let is_first = !all.iter().any(|(other, inner)| other < index && is_tag(*other) && inner == home);
        matches!(home.last(), Some(Part::Union(1..))) && members.len() < 2 && is_first
    };
    homes.retain(|one| !is_tag(one.0) || is_told(one));
    homes
}

/// A member of a union: a group or a union inside, or a field.
type Member = (Option<Part>, Option<usize>);

fn member(union: &[Part], (index, home): (usize, &Home)) -> Member {
    match home.get(union.len()) {
        Some(part) => (Some(*part), None),
        None => (None, Some(index)),
    }
}

/// A union with fewer than two members.
fn lone_union(homes: &[(usize, Home)], is_tag: &dyn Fn(usize) -> bool) -> Option<Home> {
    let all: BTreeSet<&[Part]> =
        homes.iter().flat_map(|(_, home)| (1..=home.len()).map(move |length| &home[..length])).collect();
    let is_lone = |union: &&[Part]| {
        let inside = homes.iter().filter(|(index, home)| !is_tag(*index) && home.starts_with(union));
        let members: BTreeSet<Member> = inside.map(|(index, home)| member(union, (*index, home))).collect();
        matches!(union.last(), Some(Part::Union(_))) && members.len() < 2
    };
    // A union without a name must not stand in a union.
    let is_nameless = |union: &&[Part]| matches!(union, [.., Part::Union(_), Part::Union(0)]);
    all.into_iter().find(|union| is_lone(union) || is_nameless(union)).map(<[Part]>::to_vec)
}

/// The names of the groups and unions around a field, as the library shows them.
pub fn path(home: &[Part], name: &str) -> String {
    let parts = (0..home.len()).filter_map(|at| called(&home[..=at])).map(|part| part + ".");
    parts.collect::<String>() + name
}

/// The name of a group or a union. Those in a union without a name share the names of what is around it.
pub fn called(home: &[Part]) -> Option<String> {
    let is_in_union = matches!(home, [.., Part::Union(_), _]);
    match home.last()? {
        Part::Group(nth) => Some(format!("{}{nth}", if is_in_union { "m" } else { "g" })),
        Part::Union(0) => None,
        Part::Union(nth) => Some(format!("{}{nth}", if is_in_union { "w" } else { "u" })),
    }
}
