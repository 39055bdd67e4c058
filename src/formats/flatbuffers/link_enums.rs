//! Enums and unions: numbers, ranges, members.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ast::{self, Definition, DefinitionKind, TypeKind, TypeNode};
use super::link::{Linker, Place, number};
use super::model::{Enum, EnumValue, FileId, Scalar, Spelled, Type, attribute};
use crate::formats::frame::places::ValuePlaces;
use crate::ordered::InOrder;

/// The smallest and the largest number of an integer type.
pub(super) fn range(scalar: Scalar) -> Option<(i128, i128)> {
    let bits = scalar.size() * 8;
    match scalar {
        Scalar::Bool => Some((0, 1)),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Some((0, (1 << bits) - 1)),
        Scalar::F32 | Scalar::F64 => None,
    }
}

impl<'t> Linker<'t, '_> {
    /// An enum or a union; the types of its members are found later.
    pub(super) fn enumeration(&mut self, file: usize, node: &'t Definition<'t>, full_name: Arc<str>) -> Enum<'t> {
        let (is_union, written, nodes) = match &node.kind {
            DefinitionKind::Enum { underlying, values } => (false, underlying, values.as_slice()),
            DefinitionKind::Union { underlying, values } => (true, underlying, values.as_slice()),
            DefinitionKind::Table(_) | DefinitionKind::Struct(_) | DefinitionKind::Service(_) => {
                (false, &None, &[][..])
            }
        };
        let default = if is_union { Scalar::U8 } else { Scalar::I32 };
        let underlying = written.as_ref().map_or(default, |ty| self.underlying(file, ty));
        let is_bit_flags = attribute(&node.attributes, "bit_flags").is_some();
        let mut declared = Enum {
            full_name,
            name_span: node.name.span,
            file: FileId(number(file)),
            is_union,
            underlying,
            names_underlying: written.is_some(),
            is_bit_flags,
            values: Vec::with_capacity(nodes.len() + 1),
            places: ValuePlaces::default(),
            attributes: node.attributes.clone(),
        };
        if is_union || nodes.is_empty() {
            declared.values.push(none(node));
        }
        if is_union && nodes.is_empty() {
            let message = format_args!("union `{}` has no members, so it cannot hold anything", node.name.text);
            self.logs[file].warning(node.name.span, message, "add a table to it");
        }
        self.fill_values(file, nodes, &mut declared);
        declared
    }

    fn underlying(&mut self, file: usize, node: &TypeNode<'_>) -> Scalar {
        if let TypeKind::Scalar(scalar, _) = &node.kind
            && range(*scalar).is_some()
            && *scalar != Scalar::Bool
        {
            return *scalar;
        }
        let written = node.written();
        let message = format_args!("`{}` cannot store numbers of an enum", written.text);
        self.error(file, node.span, message, "write a type of whole numbers, such as `byte` or `int`");
        Scalar::I32
    }

    fn fill_values(&mut self, file: usize, nodes: &'t [ast::EnumValue<'t>], declared: &mut Enum<'t>) {
        let mut names: FxHashMap<Cow<'t, str>, ()> = FxHashMap::default();
        let mut next = declared.values.last().map_or(0, |value| value.number + 1);
        for value in &declared.values {
            names.insert(value.name.text.clone(), ());
        }
        for node in nodes {
            self.check_attributes(file, &node.attributes);
            let name = joined(&node.name);
            let written = node.number.map_or(next, |(number, _)| number);
            next = written + 1;
            if names.insert(name.text.clone(), ()).is_some() {
                let message = format_args!("`{}` has a value `{}` already", declared.full_name, name.text);
                self.error(file, node.name.span, message, "give one of the two another name");
                continue;
            }
            let Some(number) = self.checked_number(file, node, written, declared) else { continue };
            declared.values.push(EnumValue {
                name,
                number,
                span: node.span,
                ty: None,
                attributes: node.attributes.clone(),
            });
        }
        declared.values.sort_in_order_by_key(|value| value.number);
        self.check_numbers(file, declared);
    }

    /// Two values of one number: the compiler looks at the smallest number only, and lets all others pass.
    fn check_numbers(&mut self, file: usize, declared: &mut Enum<'_>) {
        let smallest = declared.values.first().map(|value| value.number);
        let is_refused = |number: i128| declared.is_union || Some(number) == smallest;
        let same = declared.values.windows(2).filter(|pair| pair[0].number == pair[1].number);
        for pair in same {
            let (first, second) = match pair[0].span.start <= pair[1].span.start {
                true => (&pair[0], &pair[1]),
                false => (&pair[1], &pair[0]),
            };
            let message =
                format_args!("`{}` has the number {}, as `{}` has", second.name.text, second.number, first.name.text);
            match is_refused(second.number) {
                true => self.error(file, second.span, message, "give it a number of its own"),
                false => self.logs[file].warning(second.span, message, "give it a number of its own"),
            }
        }
        let is_union = declared.is_union;
        declared
            .values
            .dedup_by(|second, first| first.number == second.number && (is_union || Some(first.number) == smallest));
    }

    /// The number that is stored, if it fits.
    fn checked_number(
        &mut self,
        file: usize,
        node: &ast::EnumValue<'_>,
        written: i128,
        declared: &Enum<'_>,
    ) -> Option<i128> {
        let scalar = declared.underlying;
        let span = node.number.map_or(node.name.span, |(_, span)| span);
        if declared.is_bit_flags {
            let bits = i128::from(scalar.size()) * 8;
            let is_signed = range(scalar).is_some_and(|(low, _)| low < 0);
            if written < 0 || written >= bits - i128::from(is_signed) {
                let message = format_args!("bit {written} of `{}` does not fit into {}", node.name.text, scalar.name());
                self.error(file, span, message, "choose a larger unsigned type, such as `ulong`");
                return None;
            }
            return Some(1 << written);
        }
        let (low, high) = range(scalar)?;
        if (low..=high).contains(&written) {
            return Some(written);
        }
        let message =
            format_args!("`{}` has the number {written}, which {} cannot store", node.name.text, scalar.name());
        self.error(file, span, message, &format!("choose a number from {low} to {high}, or a larger type"));
        None
    }

    /// Finds the types of the members of unions.
    pub(super) fn fill_unions(&mut self) {
        for index in 0..self.enum_nodes.len() {
            let node = self.enum_nodes[index];
            let DefinitionKind::Union { values, .. } = &node.kind else { continue };
            let file = self.schema.enums[index].file.0 as usize;
            for value in values {
                let Some(ty) = &value.ty else { continue };
                let found = self.member(Place { file, namespace: &node.namespace }, ty);
                let members = &mut self.schema.enums[index].values;
                if let Some(member) = members.iter_mut().find(|member| member.span == value.span) {
                    member.ty = Some(found);
                }
            }
        }
    }

    fn member(&mut self, place: Place<'_>, node: &TypeNode<'_>) -> Type {
        let ty = self.ty(place, node);
        match &ty {
            Type::Table(_) | Type::Struct(_) | Type::String | Type::Opaque(_) => {}
            Type::Scalar(_)
            | Type::Enum(_)
            | Type::Union(_)
            | Type::Vector(_)
            | Type::Vector64(_)
            | Type::Array(..) => {
                let written = node.written();
                let message = format_args!("`{}` cannot be a member of a union", written.text);
                self.error(
                    place.file,
                    node.span,
                    message,
                    "members are tables, structs and `string`; wrap it in a table",
                );
                return Type::Opaque(Arc::from(&*node.written().text));
            }
        }
        ty
    }
}

/// What every union begins with.
fn none<'t>(node: &Definition<'t>) -> EnumValue<'t> {
    EnumValue {
        name: Spelled { text: Cow::Borrowed("NONE"), span: node.name.span },
        number: 0,
        span: node.name.span,
        ty: None,
        attributes: Vec::new(),
    }
}

/// The name of a value; the namespace of a member without alias is part of it.
fn joined<'t>(name: &Spelled<'t>) -> Spelled<'t> {
    let text = match name.text.contains('.') {
        true => Cow::Owned(name.text.replace('.', "_")),
        false => name.text.clone(),
    };
    Spelled { text, span: name.span }
}
