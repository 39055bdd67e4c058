//! A schema as the compiler describes it to others: nodes by id, each group a node of its own.
//!
//! Our own schema looks through groups; `SchemaLoader` compares node by node, so what it says needs them again.

use super::ids;
use super::model::{Absence, Data, Field, InterfaceId, Schema, Slot, Struct, StructId, Type};
use crate::ordered::{InOrder, OrderedMap};
use crate::value::Value;

/// The struct that comes with the library and is what a method gives that is a stream.
const STREAM_RESULT: u64 = 0x995f_9a33_77c0_b16e;

/// A node.
pub(super) enum Node<'s> {
    Struct(StructNode<'s>),
    Enum,
    Interface(InterfaceNode),
    /// A constant or an annotation, by its role.
    Other(&'static str),
}

/// A struct or a group.
#[derive(Debug, Clone)]
pub(super) struct StructNode<'s> {
    /// What it is, or stands in; nothing for one that only the comparison has made up.
    pub(super) of: Option<StructId>,
    pub(super) is_group: bool,
    /// Whether it is a group that stands in the struct itself, and not in a group of it.
    pub(super) is_outer: bool,
    pub(super) parameters: usize,
    pub(super) words: u32,
    pub(super) pointers: u32,
    /// Its union: the number of members, and where it says which is set.
    pub(super) union: Option<(usize, u32)>,
    pub(super) members: Vec<Member<'s>>,
}

/// A field or a group in a node.
#[derive(Debug, Clone)]
pub(super) struct Member<'s> {
    /// The number of a member of a union.
    pub(super) discriminant: Option<u16>,
    pub(super) kind: MemberKind<'s>,
    /// The lowest ordinal in it.
    pub(super) ordinal: u16,
}

/// The kinds of members.
#[derive(Debug, Clone)]
pub(super) enum MemberKind<'s> {
    Slot { ty: &'s Type, default: Option<&'s Value>, offset: u32 },
    Group(u64),
}

/// An interface.
pub(super) struct InterfaceNode {
    pub(super) of: InterfaceId,
    pub(super) parameters: usize,
    pub(super) above: Vec<u64>,
    /// What each method takes and gives, by ids.
    pub(super) methods: Vec<(u64, u64)>,
}

/// The nodes of a schema by id; of two of one id the first.
pub(super) fn nodes<'s>(schema: &'s Schema<'_>) -> OrderedMap<u64, Node<'s>> {
    let mut found = OrderedMap::new();
    let mut implicit: OrderedMap<StructId, usize> = OrderedMap::new();
    for (of, id) in schema.interfaces.iter().zip((0..).map(InterfaceId)) {
        let struct_id = |data: &Option<Data>| data.as_ref().map_or(0, |data| schema.structure(data.id).id);
        let methods = of.methods.iter().map(|method| {
            let gives = if method.is_stream { STREAM_RESULT } else { struct_id(&method.results) };
            (struct_id(&method.parameters), gives)
        });
        for method in &of.methods {
            implicit.extend(method.data().map(|id| (id, method.implicit.len())));
        }
        let above = of.extends.iter().filter_map(|one| one.id.map(|id| schema.interface(id).id)).collect();
        let node = InterfaceNode { of: id, parameters: of.parameters.len(), above, methods: methods.collect() };
        found.entry(of.id).or_insert(Node::Interface(node));
    }
    for (of, id) in schema.structs.iter().zip((0..).map(StructId)) {
        let parameters = match of.sort {
            super::model::Sort::Struct => of.parameters.len(),
            _ => implicit.get(&id).copied().unwrap_or(0),
        };
        let mut maker = Maker { of, id, found: &mut found };
        maker.node("", of.id, (false, parameters));
    }
    for of in &schema.enums {
        found.entry(of.id).or_insert(Node::Enum);
    }
    for of in &schema.others {
        found.entry(of.id).or_insert(Node::Other(of.role));
    }
    found
}

struct Maker<'m, 's, 'b> {
    of: &'s Struct<'b>,
    id: StructId,
    found: &'m mut OrderedMap<u64, Node<'s>>,
}

impl<'s> Maker<'_, 's, '_> {
    /// The node of a struct, or of the group in it whose fields have a path in front. How deep groups nest, the parser
    /// has limited.
    fn node(&mut self, path: &str, id: u64, (is_group, parameters): (bool, usize)) {
        let of = self.of;
        let union = of.unions.iter().position(|union| *union.path == *path && (union.is_unnamed || !path.is_empty()));
        let mut members: Vec<(Member<'s>, Option<&'s str>)> = Vec::new();
        let numbered = of.unions.iter().filter_map(|union| Some((union.ordinal?, &*union.path, None)));
        let mut all: Vec<(u16, &str, Option<&Field<'_>>)> =
            of.fields.iter().map(|field| (field.ordinal, &*field.path, Some(field))).chain(numbered).collect();
        all.sort_in_order_by_key(|(ordinal, ..)| *ordinal);
        for (ordinal, full, field) in all {
            let Some(inner) = inside(full, path) else { continue };
            let child = inner.split_once('.').map(|(name, _)| name).or(field.is_none().then_some(inner));
            if child.is_some() && members.iter().any(|(_, known)| *known == child) {
                continue;
            }
            let guard = |field: &Field<'_>| field.guards.iter().find(|guard| Some(guard.union) == union).copied();
            let first = || of.fields.iter().find(|field| inside(&field.path, full).is_some());
            let discriminant = field.or_else(first).and_then(guard).map(|guard| guard.member);
            let kind = match (child, field) {
                (None, Some(field)) => slot(field),
                // Its id is known once all members are.
                _ => MemberKind::Group(0),
            };
            members.push((Member { discriminant, kind, ordinal }, child));
        }
        for (index, (member, child)) in members.iter_mut().enumerate() {
            if let Some(name) = child {
                let inner = if path.is_empty() { (*name).to_owned() } else { format!("{path}.{name}") };
                let own = ids::of_group(id, u16::try_from(index).unwrap_or(u16::MAX));
                member.kind = MemberKind::Group(own);
                self.node(&inner, own, (true, 0));
            }
        }
        let node = StructNode {
            of: Some(self.id),
            is_group,
            is_outer: is_group && !path.contains('.'),
            parameters,
            words: of.words,
            pointers: of.pointers,
            union: union.map(|at| (of.unions[at].members.len(), of.unions[at].offset)),
            members: members.into_iter().map(|(member, _)| member).collect(),
        };
        self.found.entry(id).or_insert(Node::Struct(node));
    }
}

/// What follows in a path behind that of a group, if it stands in it.
fn inside<'p>(full: &'p str, group: &str) -> Option<&'p str> {
    match group.is_empty() {
        true => Some(full).filter(|full| !full.is_empty()),
        false => full.strip_prefix(group)?.strip_prefix('.'),
    }
}

fn slot<'s>(field: &'s Field<'_>) -> MemberKind<'s> {
    let offset = match field.slot {
        Slot::Void => 0,
        Slot::Data { offset, .. } | Slot::Pointer(offset) => offset,
    };
    let default = match &field.default {
        Absence::Value(value) => Some(value),
        Absence::Zero | Absence::Unknown => None,
    };
    MemberKind::Slot { ty: &field.ty, default, offset }
}
