//! Constants and defaults.
//!
//! What does not fit its type is a warning where compilers take it: it concerns generated code, and old files are full of it.

use std::borrow::Cow;

use crate::change::Span;

use super::ast::{Const, ConstKind};
use super::linker::{Entry, Evaluated, Linker};
use super::model::{EnumId, Type, Value, ValueKind};

/// How deep values may nest with the names of constants looked through.
const DEPTH_LIMIT: u32 = 256;

/// How many parts of constants are copied on one side: constants of constants can double again and again.
const COPY_LIMIT: usize = 1 << 18;

/// Where a value stands and how deep.
#[derive(Debug, Clone, Copy)]
struct Place {
    file: usize,
    depth: u32,
}

impl Place {
    fn deeper(self) -> Self {
        Place { depth: self.depth + 1, ..self }
    }
}

impl<'t> Linker<'t, '_> {
    /// Evaluates all constants and all defaults.
    pub(super) fn resolve_values(&mut self) {
        for index in 0..self.constants.len() {
            let (file, node) = self.constants[index];
            let ty = self.ty(file, &node.ty);
            self.constant_types.push(ty);
        }
        for index in 0..self.constants.len() {
            self.constant(index, 0);
        }
        for (owner, field, default) in std::mem::take(&mut self.defaults) {
            let structure = &self.schema.structs[owner.0 as usize];
            let ty = structure.fields[field].ty.clone();
            let place = Place { file: structure.file.0 as usize, depth: 0 };
            let value = self.value(place, default, &ty);
            self.schema.structs[owner.0 as usize].fields[field].default = Some(value);
        }
        for index in 0..self.constants.len() {
            if let Evaluated::Value(value, _) = std::mem::take(&mut self.values[index]) {
                self.push_constant(index, value);
            }
        }
    }

    /// Evaluates a constant.
    fn constant(&mut self, index: usize, depth: u32) {
        if !matches!(self.values[index], Evaluated::NotYet) {
            return;
        }
        self.values[index] = Evaluated::Open;
        let (file, node) = self.constants[index];
        let ty = self.constant_types[index].clone();
        let value = self.value(Place { file, depth }, &node.value, &ty);
        let parts = parts(&value);
        self.values[index] = Evaluated::Value(value, parts);
    }

    fn value(&mut self, place: Place, node: &'t Const<'t>, ty: &Type) -> Value<'t> {
        let span = node.span;
        if place.depth >= DEPTH_LIMIT {
            return Value { span, kind: ValueKind::Unknown(Cow::Borrowed("")) };
        }
        let kind = match &node.kind {
            ConstKind::Name(name) => self.named_value(place, name, span, ty),
            ConstKind::List(items) => self.list(place, items, ty),
            ConstKind::Map(pairs) => self.pairs(place, pairs, ty),
            ConstKind::Integer(number) => ValueKind::Integer(*number),
            ConstKind::Double(number) => ValueKind::Double(*number),
            ConstKind::Text(text) => ValueKind::Text(text.clone()),
        };
        let kind = self.fitted(place.file, span, kind, ty);
        Value { span, kind }
    }

    fn list(&mut self, place: Place, items: &'t [Const<'t>], ty: &Type) -> ValueKind<'t> {
        let inner = match ty {
            Type::List(inner) | Type::Set(inner) => inner,
            _ => &UNKNOWN,
        };
        if items.is_empty() && matches!(ty, Type::Map(_) | Type::Struct(_)) {
            return ValueKind::Map(Vec::new());
        }
        ValueKind::List(items.iter().map(|item| self.value(place.deeper(), item, inner)).collect())
    }

    fn pairs(&mut self, place: Place, pairs: &'t [(Const<'t>, Const<'t>)], ty: &Type) -> ValueKind<'t> {
        if pairs.is_empty() && matches!(ty, Type::List(_) | Type::Set(_)) {
            return ValueKind::List(Vec::new());
        }
        let place = place.deeper();
        let mut out = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            let (key_type, value_type) = match ty {
                Type::Map(types) => (types.0.clone(), types.1.clone()),
                Type::Struct(_) => (Type::String, self.member_type(place.file, key, ty)),
                _ => (UNKNOWN, UNKNOWN),
            };
            out.push((self.value(place, key, &key_type), self.value(place, value, &value_type)));
        }
        ValueKind::Map(out)
    }

    /// The type of the field that a key of a struct's value names.
    fn member_type(&mut self, file: usize, key: &Const<'_>, ty: &Type) -> Type {
        let (Type::Struct(id), ConstKind::Text(name)) = (ty, &key.kind) else { return UNKNOWN };
        let structure = self.schema.structure(*id);
        if let Some(field) = structure.fields.iter().find(|field| field.name.text.as_bytes() == &**name) {
            return field.ty.clone();
        }
        let full_name = structure.full_name.clone();
        let name = String::from_utf8_lossy(name);
        self.warn(
            file,
            key.span,
            format_args!("`{full_name}` has no field `{name}`"),
            "check the spelling of the field, or leave it out",
        );
        UNKNOWN
    }

    /// The value that a name stands for: an enum value or a constant.
    fn named_value(&mut self, place: Place, name: &'t str, span: Span, ty: &Type) -> ValueKind<'t> {
        if let Some((id, number)) = self.enum_value(place.file, name) {
            return ValueKind::Enum(id, number);
        }
        if let Some(index) = self.constant_named(place.file, name) {
            self.constant(index, place.depth + 1);
            match &self.values[index] {
                Evaluated::Value(value, parts) if self.copied + parts <= COPY_LIMIT => {
                    self.copied += parts;
                    return value.kind.clone();
                }
                Evaluated::Value(..) | Evaluated::NotYet => {}
                Evaluated::Open => self.warn(
                    place.file,
                    span,
                    format_args!("constant `{name}` is part of its own value"),
                    "write the value itself",
                ),
            }
            return ValueKind::Unknown(Cow::Borrowed(name));
        }
        if let Some((id, number)) = self.loose_value(place.file, name, ty) {
            let owner = self.schema.enumeration(id).full_name.clone();
            let owner = owner.rsplit('.').next().unwrap_or(&owner);
            self.warn(
                place.file,
                span,
                format_args!("`{name}` stands without the name of its enum, which compilers no longer accept"),
                &format!("write `{owner}.{name}`"),
            );
            return ValueKind::Enum(id, number);
        }
        self.say_unknown(place.file, name, span);
        ValueKind::Unknown(Cow::Borrowed(name))
    }

    /// A value of an enum by its name alone, as old files have it.
    fn loose_value(&self, file: usize, name: &'t str, ty: &Type) -> Option<(EnumId, i32)> {
        match ty {
            Type::Enum(id) => Some((*id, *self.numbers.get(&(*id, name))?)),
            _ => *self.loose.get(&(file, name))?,
        }
    }

    /// Says that a name has no value, unless it may be hidden in an include that is missing.
    fn say_unknown(&mut self, file: usize, name: &str, span: Span) {
        let prefixes = name.match_indices('.').map(|(dot, _)| &name[..dot]);
        if prefixes.into_iter().any(|prefix| self.programs_called(file, prefix).contains(&None)) {
            return;
        }
        self.warn(
            file,
            span,
            format_args!("`{name}` is neither a constant nor a value of an enum"),
            "write a value, or `Enum.NAME` with the name of the program in front where another file defines it",
        );
    }

    /// `Enum.NAME` or `program.Enum.NAME`.
    fn enum_value(&self, file: usize, name: &'t str) -> Option<(EnumId, i32)> {
        let (owner, value) = name.rsplit_once('.')?;
        let id = match self.find(file, owner)? {
            Entry::Enum(id) => id,
            Entry::Typedef(index) => match self.resolved[index].as_ref()?.0 {
                Type::Enum(id) => id,
                _ => return None,
            },
            Entry::Struct(_) | Entry::Service(_) => return None,
        };
        Some((id, *self.numbers.get(&(id, value))?))
    }

    /// `NAME` or `program.NAME`.
    fn constant_named(&self, file: usize, name: &str) -> Option<usize> {
        if let Some(index) = self.tables[file].constants.get(name) {
            return Some(*index);
        }
        let (program, inner) = name.rsplit_once('.')?;
        let programs = self.programs_called(file, program);
        programs.into_iter().flatten().find_map(|target| self.tables[target].constants.get(inner).copied())
    }

    /// The value as its type has it; says so when it does not fit.
    fn fitted(&mut self, file: usize, span: Span, kind: ValueKind<'t>, ty: &Type) -> ValueKind<'t> {
        use ValueKind::{Double, Enum, Integer, List, Map, Text, Unknown};
        let range = match ty {
            Type::I8 => i64::from(i8::MIN)..=i64::from(i8::MAX),
            Type::I16 => i64::from(i16::MIN)..=i64::from(i16::MAX),
            Type::I32 => i64::from(i32::MIN)..=i64::from(i32::MAX),
            _ => i64::MIN..=i64::MAX,
        };
        let whole = match &kind {
            Integer(number) => Some(*number),
            Enum(_, number) => Some(i64::from(*number)),
            _ => None,
        };
        match (ty, &kind, whole) {
            (Type::Void | Type::Other(_) | Type::Opaque(_), ..) | (_, Unknown(_), _) => kind,
            (Type::I8 | Type::I16 | Type::I32 | Type::I64, _, Some(number)) if range.contains(&number) => {
                Integer(number)
            }
            (Type::Bool, Integer(_), _) => kind,
            (Type::Double | Type::Float, Integer(number), _) => Double(*number as f64),
            (Type::Double | Type::Float, Double(_), _) => kind,
            (Type::String | Type::Binary | Type::Uuid, Text(_), _) => kind,
            (Type::Enum(id), Enum(own, _), _) if id == own => kind,
            (Type::Enum(id), Integer(number), _) => self.numbered(file, span, *id, *number),
            (Type::Enum(id), Text(_) | Double(_) | List(_) | Map(_), _) if self.declared.contains(&(*id, 0)) => {
                self.taken_for_zero(file, span, *id)
            }
            (Type::List(_) | Type::Set(_), List(_), _) | (Type::Map(_) | Type::Struct(_), Map(_), _) => kind,
            _ => {
                let spelled = self.schema.spelled(ty);
                let what = format!("this value does not fit the type {spelled}");
                let help = "write a value of that type";
                match is_refused(ty, &kind) {
                    true => self.logs[file].refuse(span, format_args!("{what}"), help),
                    false => self.warn(file, span, format_args!("{what}"), help),
                }
                kind
            }
        }
    }

    /// Something that is no value of an enum and no number, where one is wanted: the compiler reads a number of it, which is
    /// zero, and takes it where the enum has a value of that number.
    fn taken_for_zero(&mut self, file: usize, span: Span, id: EnumId) -> ValueKind<'t> {
        let name = self.schema.enumeration(id).full_name.clone();
        self.warn(
            file,
            span,
            format_args!("this is no value of enum `{name}`, and compilers take it for the one with the number 0"),
            "write one of its values by name, without quotes",
        );
        ValueKind::Enum(id, 0)
    }

    /// A number where a value of an enum is wanted.
    fn numbered(&mut self, file: usize, span: Span, id: EnumId, number: i64) -> ValueKind<'t> {
        let is_declared = |number| self.declared.contains(&(id, number));
        if !i32::try_from(number).is_ok_and(is_declared) {
            let name = self.schema.enumeration(id).full_name.clone();
            self.warn(
                file,
                span,
                format_args!("enum `{name}` has no value with the number {number}"),
                "write one of its values by name",
            );
        }
        i32::try_from(number).map_or(ValueKind::Integer(number), |number| ValueKind::Enum(id, number))
    }
}

/// Whether the compiler refuses a value that does not fit its type. What a container is given, how large a number is and
/// whether an enum has it, it does not look at. An enum that gets this far has no value with the number 0.
fn is_refused(ty: &Type, kind: &ValueKind<'_>) -> bool {
    let is_number = matches!(kind, ValueKind::Integer(_) | ValueKind::Enum(..));
    match ty {
        Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Double | Type::Float | Type::Enum(_) => {
            !is_number
        }
        Type::String | Type::Binary | Type::Uuid | Type::Struct(_) => true,
        Type::List(_) | Type::Set(_) | Type::Map(_) | Type::Void | Type::Other(_) | Type::Opaque(_) => false,
    }
}

/// Stands for a type that is not known.
const UNKNOWN: Type = Type::Void;

/// How many values a value holds, itself included. Values nest no deeper than [`DEPTH_LIMIT`].
fn parts(value: &Value<'_>) -> usize {
    1 + match &value.kind {
        ValueKind::List(items) => items.iter().map(parts).sum(),
        ValueKind::Map(pairs) => pairs.iter().map(|(key, value)| parts(key) + parts(value)).sum(),
        ValueKind::Integer(_)
        | ValueKind::Double(_)
        | ValueKind::Text(_)
        | ValueKind::Enum(..)
        | ValueKind::Unknown(_) => 0usize,
    }
}
