//! What `SchemaLoader` of the C++ library says when it is given the old nodes and then the new ones, modelled.
//!
//! It compares nodes of one id and nothing else: what has another id is never compared, names and annotations are not
//! looked at, and it does not know which side is newer. All differences in one node must go one way. It has its own
//! implementation here because it is blind in some points and strict in others.

use crate::change::Pair;
use crate::ordered::OrderedMap;
use crate::value::Value;

use super::model::{InterfaceId, Schema, Space, StructId, Type};
use super::nodes::{InterfaceNode, Member, MemberKind, Node, StructNode, nodes};

/// Something that it refuses.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    /// The name of the check.
    pub(super) check: &'static str,
    /// What it is about.
    pub(super) subject: Subject,
}

/// What a refusal is about.
#[derive(Debug, Clone)]
pub(super) enum Subject {
    /// A declaration, by its id.
    Node(u64),
    /// A struct as a whole.
    Struct(Pair<StructId>),
    /// What stands at an ordinal of each side.
    Field(Pair<StructId>, Pair<u16>),
    /// A method, by its ordinal.
    Method(Pair<InterfaceId>, usize),
    /// An interface as a whole.
    Interface(Pair<InterfaceId>),
}

const KIND_CHANGED: &str = "kind-changed";
const MIXED: &str = "both-larger-and-smaller";
const UNION_MOVED: &str = "union-position-changed";
const MEMBER_RENUMBERED: &str = "field-discriminant-changed";
const TYPE_CHANGED: &str = "type-changed";
/// The default of a number is another.
pub(super) const DEFAULT_CHANGED: &str = "default-changed";
const POSITION_CHANGED: &str = "field-position-changed";
const PARAMETERS_CHANGED: &str = "parameters-changed";
const RESULTS_CHANGED: &str = "results-changed";

/// How often structs that are made up for a comparison lead to others.
const DEPTH: u32 = 32;

/// Everything that it refuses.
pub(super) fn refusals(schemas: Pair<&Schema<'_>>) -> Vec<Refusal> {
    let sides = schemas.map(|schema| nodes(schema));
    let mut found = Vec::new();
    for (id, old) in &sides.old {
        let Some(new) = sides.new.get(id) else { continue };
        let look = Look { schemas, sides: schemas.zip(sides.as_ref(), |schema, nodes| (schema, nodes)) };
        let mut loader = Loader { look, found: &mut found };
        loader.nodes(*id, Pair::new(old, new));
    }
    found
}

struct Loader<'l, 's, 'b> {
    look: Look<'l, 's, 'b>,
    found: &'l mut Vec<Refusal>,
}

/// Two members that are compared, and where what they refer to is.
#[derive(Clone, Copy)]
struct Look<'l, 's, 'b> {
    /// Whose types the two members have: where a struct is made up, both may be of one side.
    schemas: Pair<&'s Schema<'b>>,
    /// Both sides, in their order.
    sides: Pair<(&'s Schema<'b>, &'l OrderedMap<u64, Node<'s>>)>,
}

/// In which direction a node has changed so far.
#[derive(Debug, Default, Clone, Copy)]
struct Way {
    is_larger: bool,
    is_smaller: bool,
}

impl Way {
    fn compare<T: Ord>(&mut self, values: Pair<T>) {
        self.is_larger |= values.new > values.old;
        self.is_smaller |= values.new < values.old;
    }

    fn is_mixed(self) -> bool {
        self.is_larger && self.is_smaller
    }
}

/// Refused, and what for.
type Checked = Result<(), &'static str>;

impl Loader<'_, '_, '_> {
    fn refuse(&mut self, check: &'static str, subject: Subject) {
        self.found.push(Refusal { check, subject });
    }

    fn nodes(&mut self, id: u64, pair: Pair<&Node<'_>>) {
        match (pair.old, pair.new) {
            (Node::Struct(old), Node::Struct(new)) => self.structs(Pair::new(old, new)),
            (Node::Interface(old), Node::Interface(new)) => self.interfaces(Pair::new(old, new)),
            (Node::Enum, Node::Enum) => {}
            (Node::Other(old), Node::Other(new)) if old == new => {}
            _ => self.refuse(KIND_CHANGED, Subject::Node(id)),
        }
    }

    fn structs(&mut self, pair: Pair<&StructNode<'_>>) {
        let (Some(old), Some(new)) = (pair.old.of, pair.new.of) else { return };
        let ids = Pair::new(old, new);
        let mut way = Way::default();
        if let Err(check) = start(pair, &mut way) {
            return self.refuse(check, Subject::Struct(ids));
        }
        for (before, after) in pair.old.members.iter().zip(&pair.new.members) {
            let subject = Subject::Field(ids, Pair::new(before.ordinal, after.ordinal));
            if let Err(check) = self.look.members(pair, Pair::new(before, after), &mut way, DEPTH) {
                return self.refuse(check, subject);
            }
            if way.is_mixed() {
                return self.refuse(MIXED, subject);
            }
        }
        end(pair, &mut way);
        if way.is_mixed() {
            self.refuse(MIXED, Subject::Struct(ids));
        }
    }

    fn interfaces(&mut self, pair: Pair<&InterfaceNode>) {
        let ids = Pair::new(pair.old.of, pair.new.of);
        let mut way = Way::default();
        way.compare(pair.map(|of| of.parameters));
        way.is_smaller |= pair.old.above.iter().any(|id| !pair.new.above.contains(id));
        way.is_larger |= pair.new.above.iter().any(|id| !pair.old.above.contains(id));
        way.compare(pair.map(|of| of.methods.len()));
        if way.is_mixed() {
            return self.refuse(MIXED, Subject::Interface(ids));
        }
        for (at, (before, after)) in pair.old.methods.iter().zip(&pair.new.methods).enumerate() {
            if before.0 != after.0 {
                return self.refuse(PARAMETERS_CHANGED, Subject::Method(ids, at));
            }
            if before.1 != after.1 {
                return self.refuse(RESULTS_CHANGED, Subject::Method(ids, at));
            }
        }
    }
}

impl<'l, 's, 'b> Look<'l, 's, 'b> {
    fn members(self, nodes: Pair<&StructNode<'_>>, pair: Pair<&Member<'_>>, way: &mut Way, depth: u32) -> Checked {
        if pair.old.discriminant.unwrap_or(0) != pair.new.discriminant.unwrap_or(0) {
            return Err(MEMBER_RENUMBERED);
        }
        match (&pair.old.kind, &pair.new.kind) {
            (
                MemberKind::Slot { ty: old, default: was, offset: before },
                MemberKind::Slot { ty: new, default: is, offset: after },
            ) => {
                self.types(Pair::new(old, new), false, way, depth)?;
                if is_number(old) && !same_default(Pair::new(*was, *is)) {
                    return Err(DEFAULT_CHANGED);
                }
                if before == after { Ok(()) } else { Err(POSITION_CHANGED) }
            }
            (MemberKind::Slot { .. }, MemberKind::Group(id)) => {
                self.upgrade((pair.old, self.schemas.old), *id, Some(nodes.old), depth)
            }
            (MemberKind::Group(id), MemberKind::Slot { .. }) => {
                self.upgrade((pair.new, self.schemas.new), *id, Some(nodes.new), depth)
            }
            // The ids of groups follow from their places.
            (MemberKind::Group(_), MemberKind::Group(_)) => Ok(()),
        }
    }

    /// Compares a struct with one field, made up, with the struct or group of that id.
    fn upgrade(
        self,
        (member, schema): (&Member<'_>, &'s Schema<'b>),
        id: u64,
        like: Option<&StructNode<'_>>,
        depth: u32,
    ) -> Checked {
        let of = |(schema, nodes): (&'s Schema<'b>, &'l OrderedMap<u64, Node<'s>>)| Some((schema, nodes.get(&id)?));
        let there = of(self.sides.old).or_else(|| of(self.sides.new));
        let (Some((its, there)), Some(depth)) = (there, depth.checked_sub(1)) else { return Ok(()) };
        let Node::Struct(there) = there else { return Err(KIND_CHANGED) };
        let (words, pointers) = match (like, &member.kind) {
            (Some(like), _) => (like.words, like.pointers),
            (None, MemberKind::Slot { ty, .. }) => match ty.space() {
                Space::Nothing => (0, 0),
                Space::Data(_) => (1, 0),
                Space::Pointer => (0, 1),
            },
            (None, MemberKind::Group(_)) => (0, 0),
        };
        let own = Member { discriminant: None, ..member.clone() };
        let made = StructNode {
            of: None,
            is_group: false,
            is_outer: false,
            parameters: 0,
            words,
            pointers,
            union: None,
            members: vec![own],
        };
        let pair = Pair::new(there, &made);
        let mut way = Way::default();
        start(pair, &mut way)?;
        if let (Some(before), Some(after)) = (there.members.first(), made.members.first()) {
            let look = Look { schemas: Pair::new(its, schema), ..self };
            look.members(pair, Pair::new(before, after), &mut way, depth)?;
        }
        end(pair, &mut way);
        if way.is_mixed() { Err(MIXED) } else { Ok(()) }
    }

    fn types(self, pair: Pair<&Type>, is_item: bool, way: &mut Way, depth: u32) -> Checked {
        let is_any = |ty: &Type| matches!(ty, Type::Any(_) | Type::Parameter(_));
        match (pair.old, pair.new) {
            (Type::Opaque(_), _) | (_, Type::Opaque(_)) => Ok(()),
            (Type::List(old), Type::List(new)) => self.types(Pair::new(old, new), true, way, depth),
            (Type::Enum(old), Type::Enum(new)) => {
                let ids = self.schemas.zip(Pair::new(*old, *new), |schema, id| schema.enumeration(id).id);
                same(ids.old == ids.new)
            }
            (Type::Struct(old, _), Type::Struct(new, _)) => {
                let ids = self.schemas.zip(Pair::new(*old, *new), |schema, id| schema.structure(id).id);
                same(ids.old == ids.new)
            }
            (Type::Interface(old, _), Type::Interface(new, _)) => {
                let ids = self.schemas.zip(Pair::new(*old, *new), |schema, id| schema.interface(id).id);
                same(ids.old == ids.new)
            }
            (old, new) if old == new || is_any(old) && is_any(new) => Ok(()),
            // Of a field, the defaults are of two types, which is refused whatever they are.
            _ if !is_item => Err(TYPE_CHANGED),
            (old, Type::Data) if is_bytes(old) => {
                way.is_larger = true;
                Ok(())
            }
            (Type::Data, new) if is_bytes(new) => {
                way.is_smaller = true;
                Ok(())
            }
            // Any pointer may become one to anything, whatever kind of thing is meant.
            (old, new) if is_any(new) && old.space() == Space::Pointer => {
                way.is_larger = true;
                Ok(())
            }
            (old, new) if is_any(old) && new.space() == Space::Pointer => {
                way.is_smaller = true;
                Ok(())
            }
            (Type::Struct(id, _), other) => {
                self.item((other, self.schemas.new), self.schemas.old.structure(*id).id, depth)
            }
            (other, Type::Struct(id, _)) => {
                self.item((other, self.schemas.old), self.schemas.new.structure(*id).id, depth)
            }
            _ => Err(TYPE_CHANGED),
        }
    }

    fn item(self, (ty, schema): (&Type, &'s Schema<'b>), id: u64, depth: u32) -> Checked {
        let kind = MemberKind::Slot { ty, default: None, offset: 0 };
        self.upgrade((&Member { discriminant: None, kind, ordinal: 0 }, schema), id, None, depth)
    }
}

/// What is compared of two nodes before their members.
fn start(pair: Pair<&StructNode<'_>>, way: &mut Way) -> Checked {
    way.compare(pair.map(|of| of.parameters));
    // Groups that were loaded ask for what stands around them to be as large as they are: those of the old node were. Those
    // of the new one come before it in a group that stands in the struct itself, and behind it everywhere else.
    let has_groups = |of: &StructNode<'_>| of.members.iter().any(|one| matches!(one.kind, MemberKind::Group(_)));
    let asked = Pair::new(pair.new.is_outer && has_groups(pair.new), has_groups(pair.old));
    let size = |of: &StructNode<'_>, is_asked: bool| if is_asked { (of.words, of.pointers) } else { (0, 0) };
    let least = Pair::new(size(pair.new, asked.old), size(pair.old, asked.new));
    way.compare(Pair::new(pair.old.words.max(least.old.0), pair.new.words.max(least.new.0)));
    way.compare(Pair::new(pair.old.pointers.max(least.old.1), pair.new.pointers.max(least.new.1)));
    way.compare(pair.map(|of| of.union.map_or(0, |(members, _)| members)));
    if way.is_mixed() {
        return Err(MIXED);
    }
    match (pair.old.union, pair.new.union) {
        (Some((_, before)), Some((_, after))) if before != after => return Err(UNION_MOVED),
        _ => {}
    }
    way.compare(pair.map(|of| of.members.len()));
    if way.is_mixed() { Err(MIXED) } else { Ok(()) }
}

/// What is compared of two nodes behind their members: a group may take the place of none.
fn end(pair: Pair<&StructNode<'_>>, way: &mut Way) {
    way.compare(pair.map(|of| of.is_group));
}

fn same(is_same: bool) -> Checked {
    if is_same { Ok(()) } else { Err(TYPE_CHANGED) }
}

fn is_number(ty: &Type) -> bool {
    !matches!(ty.space(), Space::Pointer)
}

/// What may be read as bytes.
fn is_bytes(ty: &Type) -> bool {
    match ty {
        Type::Text => true,
        Type::List(items) => matches!(**items, Type::Int(3, _)),
        _ => false,
    }
}

/// Numbers that are no numbers are no two the same.
fn same_default(values: Pair<Option<&Value>>) -> bool {
    let is_nan = |value: Option<&Value>| match value {
        Some(Value::Float(number)) => number.is_nan(),
        Some(Value::Double(number)) => number.is_nan(),
        _ => false,
    };
    // The number of an enum is what counts, and not which enum it is.
    let number = |value: Option<&Value>| match value {
        Some(Value::Enum { number, .. }) => Some(i128::from(*number)),
        _ => None,
    };
    match (values.old, values.new) {
        (Some(Value::Enum { .. }), _) | (_, Some(Value::Enum { .. })) => {
            number(values.old).unwrap_or(0) == number(values.new).unwrap_or(0)
        }
        (old, new) => !is_nan(old) && !is_nan(new) && old == new,
    }
}
