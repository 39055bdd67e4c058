//! The fields of a struct: looked through groups and unions, in the order of their ordinals, each with its place.

use std::sync::Arc;

use crate::change::Span;
use crate::ordered::InOrder;

use super::ast::{self, Member, MemberKind};
use super::layout::{Layout, Scope};
use super::link::Linker;
use super::model::{Absence, Arm, Field, Guard, Slot, Space, StructId, Type, Union};
use super::scopes::NodeId;

/// Something that an ordinal places.
enum Placed<'t> {
    Field(Found<'t>),
    /// A union that has an ordinal itself.
    Union(usize),
}

/// A field as the walk through groups and unions met it.
struct Found<'t> {
    member: &'t Member<'t>,
    path: Arc<str>,
    scope: Scope,
    /// The unions around and the number of the member in the order written.
    around: Vec<(usize, usize)>,
}

/// A union as the walk met it.
struct FoundUnion<'t> {
    member: &'t Member<'t>,
    path: Arc<str>,
    layout: usize,
    around: Vec<(usize, usize)>,
    /// Each member with the lowest ordinal in it.
    arms: Vec<(&'t Member<'t>, u16)>,
}

/// Everything that was met, in no order yet.
struct Walk<'t> {
    layout: Layout,
    placed: Vec<(u16, Span, Placed<'t>)>,
    unions: Vec<FoundUnion<'t>>,
    problems: Vec<(Span, String, &'static str)>,
}

impl<'t> Walk<'t> {
    fn members(&mut self, members: &'t [Member<'t>], (scope, prefix): (Scope, &str), around: &[(usize, usize)]) {
        for member in members {
            self.member(member, (scope, prefix), around);
        }
    }

    /// How deep members nest, the parser has limited.
    fn member(&mut self, member: &'t Member<'t>, (scope, prefix): (Scope, &str), around: &[(usize, usize)]) {
        let path: Arc<str> = match (member.is_unnamed, prefix.is_empty()) {
            (true, _) => Arc::from(prefix),
            (false, true) => Arc::from(&*member.name.text),
            (false, false) => Arc::from(format!("{prefix}.{}", member.name.text)),
        };
        match &member.kind {
            MemberKind::Field(..) => {
                let Some((ordinal, span)) = member.ordinal else {
                    let message = format!("the field `{}` has no ordinal", member.name.text);
                    self.problems.push((member.name.span, message, "write the next free one, as in `name @3 :Type`"));
                    return;
                };
                let found = Found { member, path, scope, around: around.to_vec() };
                self.placed.push((ordinal, span, Placed::Field(found)));
            }
            MemberKind::Group(members) => {
                if members.is_empty() {
                    let message = "a group has at least one member".to_owned();
                    self.problems.push((member.name.span, message, "add a field, or take the group away"));
                }
                self.members(members, (scope, &path), around);
            }
            MemberKind::Union(members) => self.union(member, members, (scope, path), around),
        }
    }

    fn union(
        &mut self,
        member: &'t Member<'t>,
        members: &'t [Member<'t>],
        (scope, path): (Scope, Arc<str>),
        around: &[(usize, usize)],
    ) {
        if members.len() < 2 {
            let message = "a union has at least two members".to_owned();
            self.problems.push((member.name.span, message, "add a member, or take the union away"));
        }
        let layout = self.layout.union(scope);
        let index = self.unions.len();
        let arms = members.iter().map(|one| (one, lowest(one).unwrap_or(u16::MAX))).collect();
        self.unions.push(FoundUnion { member, path: path.clone(), layout, around: around.to_vec(), arms });
        if let Some((ordinal, span)) = member.ordinal {
            self.placed.push((ordinal, span, Placed::Union(index)));
        }
        for (number, one) in members.iter().enumerate() {
            if one.is_unnamed {
                let message = "a union in a union needs a name".to_owned();
                self.problems.push((one.name.span, message, "write `name :union { … }`"));
            }
            let arm = self.layout.arm(layout);
            let inside = [around, &[(index, number)]].concat();
            self.member(one, (arm, &path), &inside);
        }
    }
}

/// The lowest ordinal in a member.
fn lowest(member: &Member<'_>) -> Option<u16> {
    let own = member.ordinal.map(|(ordinal, _)| ordinal);
    match &member.kind {
        MemberKind::Field(..) => own,
        MemberKind::Group(members) | MemberKind::Union(members) => {
            // The ordinal of the union itself is no member.
            members.iter().filter_map(lowest).min()
        }
    }
}

impl<'t> Linker<'t, '_> {
    /// Gives a struct its fields, its unions and their places.
    pub(super) fn fill_struct(&mut self, id: StructId, node: NodeId, members: &'t [Member<'t>]) {
        let file = self.scopes.nodes[node].file;
        let mut walk = Walk { layout: Layout::default(), placed: Vec::new(), unions: Vec::new(), problems: Vec::new() };
        walk.members(members, (Scope::Top, ""), &[]);
        for (span, message, help) in std::mem::take(&mut walk.problems) {
            self.logs[file].error(span, format_args!("{message}"), help);
        }
        walk.placed.sort_in_order_by_key(|(ordinal, ..)| *ordinal);
        let ordinals = walk.placed.iter().map(|(ordinal, span, _)| ((*ordinal, *span), *span));
        self.check_ordinals(file, ordinals, "member");
        walk.placed.dedup_by_key(|(ordinal, ..)| *ordinal);
        let numbers: Vec<Vec<u16>> = walk.unions.iter().map(|union| numbers(&union.arms)).collect();
        let guards = |around: &[(usize, usize)]| -> Vec<Guard> {
            around.iter().map(|(union, arm)| Guard { union: *union, member: numbers[*union][*arm] }).collect()
        };
        let mut fields = Vec::new();
        for (ordinal, span, placed) in std::mem::take(&mut walk.placed) {
            match placed {
                Placed::Union(union) => {
                    if !walk.layout.discriminate(walk.unions[union].layout) {
                        let message = "more than one member of this union has a lower ordinal than the union";
                        self.logs[file].error(span, format_args!("{message}"), "give the union a lower ordinal");
                    }
                }
                Placed::Field(found) => {
                    let guards = guards(&found.around);
                    fields.extend(self.placed_field(node, (ordinal, found), &mut walk.layout, guards));
                }
            }
        }
        for (index, field) in fields.iter().enumerate() {
            if let Some(default) = field.1 {
                self.defaults.push((id, index, node, default));
            }
        }
        let unions = walk.unions.iter().zip(&numbers).map(|(union, numbers)| {
            let mut members: Vec<(u16, Arm<'t>)> = union
                .arms
                .iter()
                .zip(numbers)
                .map(|((member, ordinal), number)| (*number, Arm { name: member.name.clone(), ordinal: *ordinal }))
                .collect();
            members.sort_in_order_by_key(|(number, _)| *number);
            Union {
                path: union.path.clone(),
                is_unnamed: union.member.is_unnamed,
                offset: walk.layout.discriminant_of(union.layout).unwrap_or(0),
                ordinal: union.member.ordinal.map(|(ordinal, _)| ordinal),
                members: members.into_iter().map(|(_, arm)| arm).collect(),
                guards: guards(&union.around),
            }
        });
        let unions: Vec<Union<'t>> = unions.collect();
        self.check_order(file, &unions, &fields);
        let of = &mut self.schema.structs[id.0 as usize];
        of.unions = unions;
        of.fields = fields.into_iter().map(|(field, _)| field).collect();
        (of.words, of.pointers) = (walk.layout.words, walk.layout.pointers);
    }

    /// A union with an ordinal comes behind the first of its members, and the compiler fails where a field of the struct
    /// comes in between.
    fn check_order(&mut self, file: usize, unions: &[Union<'t>], fields: &[(Field<'t>, Option<&ast::Expression<'t>>)]) {
        let around = |path: &str| path.rsplit_once('.').map_or(String::new(), |(around, _)| around.to_owned());
        for union in unions {
            let (Some(ordinal), Some(first)) = (union.ordinal, union.members.first()) else { continue };
            let is_between = |field: &Field<'_>| {
                (first.ordinal..ordinal).contains(&field.ordinal) && around(&field.path) == around(&union.path)
            };
            if let Some((field, _)) = fields.iter().find(|(field, _)| is_between(field)) {
                let message = format_args!("@{} lies between a union and its first member", field.ordinal);
                self.logs[file].refuse(field.span, message, "the compiler takes no such union");
            }
        }
    }

    fn placed_field(
        &mut self,
        node: NodeId,
        (ordinal, found): (u16, Found<'t>),
        layout: &mut Layout,
        guards: Vec<Guard>,
    ) -> Option<(Field<'t>, Option<&'t super::ast::Expression<'t>>)> {
        let MemberKind::Field(path, default) = &found.member.kind else { return None };
        let file = self.scopes.nodes[node].file;
        let ty = match self.scopes.type_of(node, path) {
            Ok(ty) => {
                self.doubt(file, &ty, path.span);
                ty
            }
            Err(unknown) => {
                self.say(file, &unknown);
                Type::Opaque(Arc::from(self.scopes.written(file, path.span)))
            }
        };
        let slot = match ty.space() {
            Space::Nothing => {
                layout.void(found.scope);
                Slot::Void
            }
            Space::Data(size) => Slot::Data { size, offset: layout.data(found.scope, size) },
            Space::Pointer => Slot::Pointer(layout.pointer(found.scope)),
        };
        let field = Field {
            ordinal,
            name: found.member.name.clone(),
            path: found.path,
            span: found.member.span,
            held: ty.clone(),
            ty,
            slot,
            default: Absence::Zero,
            default_written: default
                .as_ref()
                .map_or_else(String::new, |default| self.scopes.written(file, default.span))
                .into(),
            guards,
            annotations: self.annotations(file, &found.member.annotations),
        };
        Some((field, default.as_ref()))
    }
}

/// The numbers of the members of a union, in the order written: by the lowest ordinal in each.
fn numbers(arms: &[(&Member<'_>, u16)]) -> Vec<u16> {
    let mut order: Vec<usize> = (0..arms.len()).collect();
    order.sort_in_order_by_key(|at| arms[*at].1);
    let mut numbers = vec![0; arms.len()];
    for (number, at) in order.into_iter().enumerate() {
        // A union has no more members than a struct has ordinals.
        numbers[at] = u16::try_from(number).unwrap_or(u16::MAX);
    }
    numbers
}
