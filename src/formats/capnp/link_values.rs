//! Defaults: what a value as written is for a type, constants looked through.

use std::borrow::Cow;

use crate::change::Span;
use crate::value::{self, Record, Value};

use super::ast::{Expression, ExpressionKind, Kind, Path, Start};
use super::link::Linker;
use super::model::{Absence, Brand, Field, Parameter, Sort, Space, Spelled, StructId, Type, union_key};
use super::scopes::{Meaning, NodeId};

/// How many constants that stand for constants are followed, and how deep values nest.
pub(super) const DEPTH: u32 = 128;
/// A default with more parts is not evaluated: constants that repeat constants could be of any size.
const PARTS: usize = 1 << 16;
/// Why a value has no meaning.
pub(super) enum Wrong {
    /// It is none of the type.
    Refused,
    /// It cannot be told: a name that may be declared in a file that was not found, as it is written.
    Untold(String),
    /// It is in a file that is embedded, which is not read: how that is written.
    Embedded(String),
    /// Constants repeat constants, so that there are more of them than anybody evaluates.
    TooMuch,
}

/// What is said of a value that is too much.
const TOO_MUCH: &str = "this is not evaluated: constants that repeat constants make too many values; where only these change, \
                        nothing is told";
/// What to do about it.
const REPEAT_LESS: &str = "write the values out, or repeat fewer constants";

impl<'t> Linker<'t, '_> {
    /// Evaluates the defaults of all fields.
    pub(super) fn evaluate_defaults(&mut self) {
        for (id, index, node, written) in std::mem::take(&mut self.defaults) {
            let ty = self.schema.structs[id.0 as usize].fields[index].ty.clone();
            let is_argument = self.schema.structs[id.0 as usize].sort != Sort::Struct;
            // What a caller leaves out.
            if is_argument && is_null(written) && ty.space() == Space::Pointer {
                continue;
            }
            let is_name = matches!(written.kind, ExpressionKind::Name(_)) && !is_null(written);
            let has_none =
                matches!(ty, Type::Any(_) | Type::Interface(..)) && !is_name || self.is_taken_around(&ty, node);
            let mut parts = 0;
            let value =
                if has_none { Err(Wrong::Refused) } else { self.value(&ty, written, node, (DEPTH, &mut parts)) };
            let default = match value {
                Ok(value) if is_none(&value) => Absence::Zero,
                Ok(value) => Absence::Value(value),
                Err(Wrong::Untold(name)) => self.unknown((id, index), &name),
                Err(Wrong::Embedded(embedded)) => {
                    self.say_embedded(node, written.span);
                    self.unknown((id, index), &embedded)
                }
                Err(Wrong::TooMuch) => {
                    let file = self.scopes.nodes[node].file;
                    self.logs[file].warning(written.span, format_args!("{TOO_MUCH}"), format_args!("{REPEAT_LESS}"));
                    Absence::Unknown
                }
                Err(Wrong::Refused) => {
                    let file = self.scopes.nodes[node].file;
                    let name = self.schema.spelled(&ty);
                    let help = "write a value of that type";
                    self.logs[file].refuse(written.span, format_args!("this is no value of `{name}`"), help);
                    Absence::Unknown
                }
            };
            self.schema.structs[id.0 as usize].fields[index].default = default;
        }
    }

    /// What is not known, since it is somewhere else: a constant that is written alike may stand for something else there.
    fn unknown(&mut self, (id, index): (StructId, usize), elsewhere: &str) -> Absence {
        let text = &mut self.schema.structs[id.0 as usize].fields[index].default_written;
        if !text.contains(elsewhere) {
            *text = format!("{text} ({elsewhere})").into();
        }
        Absence::Unknown
    }

    fn say_embedded(&mut self, node: NodeId, span: Span) {
        let file = self.scopes.nodes[node].file;
        let message = "the default is in a file that is embedded, which is not read: where that file changes, no more is said than \
                       that it did";
        let help = "look at the embedded file yourself, or write the default as a value";
        self.logs[file].warning(span, format_args!("{message}"), format_args!("{help}"));
    }

    /// What a constant is, by its type and its value, where that is known; what is wrong with it is said.
    pub(super) fn check_constant(
        &mut self,
        node: NodeId,
        ty: &Path<'_>,
        written: &Expression<'_>,
    ) -> Option<(Type, Value)> {
        let file = self.scopes.nodes[node].file;
        let ty = match self.scopes.type_of(node, ty) {
            Ok(ty) => ty,
            Err(unknown) => {
                self.say(file, &unknown);
                return None;
            }
        };
        let around = self.scopes.nodes[node].parent.unwrap_or(node);
        let mut parts = 0;
        match self.value(&ty, written, around, (DEPTH, &mut parts)) {
            Ok(value) => return Some((ty, value)),
            Err(Wrong::Untold(_) | Wrong::Embedded(_)) => {}
            Err(Wrong::TooMuch) => {
                self.logs[file].warning(written.span, format_args!("{TOO_MUCH}"), format_args!("{REPEAT_LESS}"));
            }
            Err(Wrong::Refused) => {
                let name = self.schema.spelled(&ty);
                let message = format_args!("this is no value of `{name}`");
                self.logs[file].refuse(written.span, message, "write a value of that type");
            }
        }
        None
    }

    pub(super) fn value(
        &self,
        ty: &Type,
        written: &Expression<'_>,
        node: NodeId,
        (depth, parts): (u32, &mut usize),
    ) -> Result<Value, Wrong> {
        *parts += 1;
        if *parts > PARTS {
            return Err(Wrong::TooMuch);
        }
        // A constant that stands for itself has no end.
        if depth == 0 {
            return Err(Wrong::Refused);
        }
        let as_written = || self.scopes.written(self.scopes.nodes[node].file, written.span);
        if let ExpressionKind::Name(path) = &written.kind {
            let is_bare = matches!(path.start, Start::Scope(_)) && path.steps.is_empty();
            // It may be a value of an enum.
            if matches!(ty, Type::Opaque(_)) && is_bare {
                return Err(Wrong::Untold(as_written()));
            }
            return match word(ty, path).or_else(|| self.enumerant(ty, path)) {
                Some(value) => Ok(value),
                None => self.constant(ty, path, node, (depth - 1, parts)),
            };
        }
        match (ty, &written.kind) {
            (Type::Text | Type::Data | Type::Struct(..), ExpressionKind::Embed) => Err(Wrong::Embedded(as_written())),
            (Type::Opaque(_) | Type::Parameter(_), _) => Err(Wrong::Untold(as_written())),
            // One value in brackets is that value.
            (_, ExpressionKind::Fields(fields)) if matches!(fields[..], [(None, _)]) => {
                self.value(ty, &fields[0].1, node, (depth - 1, parts))
            }
            (Type::Int(size, has_sign), ExpressionKind::Integer(number)) => {
                let (least, most) = range(*size, *has_sign);
                if (least..=most).contains(number) { Ok(Value::Int(*number)) } else { Err(Wrong::Refused) }
            }
            (Type::Float32, kind) => float(kind).map(|number| Value::Float(number as f32)).ok_or(Wrong::Refused),
            (Type::Float64, kind) => float(kind).map(Value::Double).ok_or(Wrong::Refused),
            (Type::Text, ExpressionKind::Text(text)) => Ok(Value::Text(text.to_vec())),
            (Type::Data, ExpressionKind::Text(bytes)) => Ok(Value::Bytes(bytes.to_vec())),
            (Type::Data, ExpressionKind::Bytes(bytes)) => Ok(Value::Bytes(bytes.clone())),
            (Type::List(items), ExpressionKind::List(list)) => {
                let mut values = Vec::new();
                for item in list {
                    values.push(self.value(items, item, node, (depth - 1, parts))?);
                }
                Ok(Value::List(values))
            }
            (Type::Struct(id, given), ExpressionKind::Fields(fields)) => {
                let mut record = Record::empty(id.0);
                self.fields((*id, given, ""), fields, node, &mut record, (depth - 1, parts))?;
                Ok(Value::Record(record))
            }
            (Type::Struct(id, given), _) => self.first((*id, given), written, node, (depth - 1, parts)),
            _ => Err(Wrong::Refused),
        }
    }

    /// A value alone, which is that of the first field since release 1.0.
    fn first(
        &self,
        (id, given): (StructId, &Brand),
        written: &Expression<'_>,
        node: NodeId,
        (depth, parts): (u32, &mut usize),
    ) -> Result<Value, Wrong> {
        let first = self.schema.structure(id).fields.first().ok_or(Wrong::Refused)?;
        let ty = self.given(id, given, &first.ty, parts)?;
        let value = self.value(&ty, written, node, (depth, parts))?;
        Ok(Value::Record(Record::empty(id.0).with(first.ordinal.into(), value)))
    }

    /// Takes the fields of a struct, or of a group in it, into a record.
    fn fields(
        &self,
        (id, given, prefix): (StructId, &Brand, &str),
        fields: &[(Option<Spelled<'_>>, Expression<'_>)],
        node: NodeId,
        record: &mut Record,
        (depth, parts): (u32, &mut usize),
    ) -> Result<(), Wrong> {
        if depth == 0 {
            return Err(Wrong::Untold(String::new()));
        }
        let of = self.schema.structure(id);
        for (name, written) in fields {
            let name = name.as_ref().ok_or(Wrong::Refused)?;
            let path = if prefix.is_empty() { name.text.to_string() } else { format!("{prefix}.{}", name.text) };
            let inside = format!("{path}.");
            let is_member = |field: &&Field<'_>| *field.path == *path;
            // Alone it is the value of the first field of a group, too.
            let is_first = |field: &&Field<'_>| field.path.starts_with(&inside);
            let (written, inner) = alone(written);
            let found = of.fields.iter().find(is_member);
            if let Some(field) = found.or_else(|| of.fields.iter().find(is_first).filter(|_| inner.is_none())) {
                let ty = self.given(id, given, &field.ty, parts)?;
                let value = self.value(&ty, written, node, (depth - 1, parts))?;
                for guard in field.guards.iter().filter(|guard| guard.member > 0) {
                    record.fields.insert(union_key(guard.union), Value::Int(guard.member.into()));
                }
                record.fields.insert(field.ordinal.into(), value);
                continue;
            }
            self.fields((id, given, &path), inner.ok_or(Wrong::Refused)?, node, record, (depth - 1, parts))?;
        }
        Ok(())
    }

    /// Whether a type is a parameter of a declaration that something stands in, so that nobody knows yet what it stands for.
    /// What is reached through other names of a type may be one of a declaration elsewhere.
    fn is_taken_around(&self, ty: &Type, node: NodeId) -> bool {
        let Type::Parameter(of) = ty else { return false };
        let mut around = std::iter::successors(Some(node), |at| self.scopes.nodes[*at].parent);
        let taken = around.nth(of.level as usize).and_then(|at| self.scopes.nodes[at].parameters.get(of.index));
        taken.is_some_and(|taken| *taken.text == *of.name)
    }

    /// The type of a field of a struct whose parameters, and those of what it stands in, stand for types. Where the struct
    /// was named inside of what takes some of them, nobody knows which.
    fn given<'y>(&self, id: StructId, given: &Brand, ty: &'y Type, parts: &mut usize) -> Result<Cow<'y, Type>, Wrong> {
        if !ty.depends() {
            return Ok(Cow::Borrowed(ty));
        }
        let depth = self.schema.structure(id).around.len();
        if !(1..=depth).all(|depth| given.at(depth).is_none_or(|given| given.types.is_some())) {
            return Err(Wrong::Untold(String::new()));
        }
        let ty = ty.seen_from(super::types::number(depth));
        let size = |of: &Parameter| {
            let given = given.at(of.level as usize).and_then(|given| given.types.as_ref());
            given.and_then(|types| types.get(of.index)).map_or(1, |ty| ty.parts(&|_| 1))
        };
        // A struct of structs that are given each other doubles with every level of a value.
        *parts = parts.saturating_add(ty.parts(&size)).saturating_add(given.parts(&|_| 1));
        match *parts > PARTS {
            true => Err(Wrong::Untold(String::new())),
            false => Ok(Cow::Owned(ty.within(given))),
        }
    }

    fn enumerant(&self, ty: &Type, path: &Path<'_>) -> Option<Value> {
        let (Type::Enum(id), Start::Scope(name), true) = (ty, &path.start, path.steps.is_empty()) else {
            return None;
        };
        let value = self.schema.enumeration(*id).values.iter().find(|value| value.name.text == name.text)?;
        Some(Value::Enum { ty: id.0, number: value.number.into() })
    }

    fn constant(
        &self,
        ty: &Type,
        path: &Path<'_>,
        node: NodeId,
        (depth, parts): (u32, &mut usize),
    ) -> Result<Value, Wrong> {
        let is_bare = matches!(path.start, Start::Scope(_)) && path.steps.is_empty();
        let as_written = || self.scopes.written(self.scopes.nodes[node].file, path.span);
        let meant = match self.scopes.resolve(node, path) {
            // The compiler wants to see that it is no value of an enum: `.name`.
            Ok(Meaning::Node(..)) if is_bare => return Err(Wrong::Refused),
            Ok(Meaning::Node(meant, _)) => meant,
            Ok(Meaning::Lost) => return Err(Wrong::Untold(as_written())),
            Ok(Meaning::Builtin(_) | Meaning::List) | Err(_) => return Err(Wrong::Refused),
        };
        let of = &self.scopes.nodes[meant];
        match of.declaration.map(|declaration| &declaration.kind) {
            Some(Kind::Constant(own, value)) => {
                let around = of.parent.unwrap_or(meant);
                // What is wrong with the type of the constant is said there.
                let own = self.scopes.type_of(meant, own).map_err(|_| Wrong::Untold(as_written()))?;
                if !may_stand_for(&own, ty) {
                    return Err(Wrong::Refused);
                }
                let copied = self.copied.copy(|| {
                    let before = *parts;
                    let found = self.value(&own, value, around, (depth, parts)).and_then(|found| match ty {
                        Type::Any(_) | Type::Parameter(_) | Type::Opaque(_) => Err(Wrong::Untold(as_written())),
                        _ if own == *ty => Ok(found),
                        _ => self.value(ty, value, around, (depth, parts)),
                    });
                    (found, *parts - before)
                });
                copied.unwrap_or(Err(Wrong::TooMuch))
            }
            _ => Err(Wrong::Refused),
        }
    }
}

/// Whether a constant of a type may be a value of another: numbers as far as they fit, structs and lists for any pointer.
fn may_stand_for(own: &Type, ty: &Type) -> bool {
    match (own, ty) {
        (Type::Opaque(_) | Type::Parameter(_), _) | (_, Type::Opaque(_) | Type::Parameter(_)) => true,
        (Type::Int(..), Type::Int(..) | Type::Float32 | Type::Float64) => true,
        (Type::Float32 | Type::Float64, Type::Float32 | Type::Float64) => true,
        (Type::Struct(..) | Type::List(_) | Type::Any(_), Type::Any(_)) => true,
        (own, ty) => own == ty,
    }
}

/// Words that are values.
fn word(ty: &Type, path: &Path<'_>) -> Option<Value> {
    let (Start::Scope(name), true) = (&path.start, path.steps.is_empty()) else { return None };
    match (ty, &*name.text) {
        (Type::Void, "void") => Some(Value::Null),
        (Type::Bool, "true") => Some(Value::Bool(true)),
        (Type::Bool, "false") => Some(Value::Bool(false)),
        (Type::Float32, "inf") => Some(Value::Float(f32::INFINITY)),
        (Type::Float32, "nan") => Some(Value::Float(f32::NAN)),
        (Type::Float64, "inf") => Some(Value::Double(f64::INFINITY)),
        (Type::Float64, "nan") => Some(Value::Double(f64::NAN)),
        _ => None,
    }
}

/// The fields of a value in brackets, as they are written.
type Written<'b> = [(Option<Spelled<'b>>, Expression<'b>)];

/// A value without brackets around it alone, and its fields if it has such.
fn alone<'e, 'b>(written: &'e Expression<'b>) -> (&'e Expression<'b>, Option<&'e Written<'b>>) {
    match &written.kind {
        ExpressionKind::Fields(fields) => match &fields[..] {
            [(None, inner)] => alone(inner),
            fields => (written, Some(fields)),
        },
        _ => (written, None),
    }
}

fn is_null(written: &Expression<'_>) -> bool {
    matches!(&written.kind, ExpressionKind::Name(Path { start: Start::Scope(name), steps, .. })
        if name.text == "null" && steps.is_empty())
}

fn float(kind: &ExpressionKind<'_>) -> Option<f64> {
    match kind {
        ExpressionKind::Integer(number) => Some(*number as f64),
        ExpressionKind::Float(number) => Some(*number),
        _ => None,
    }
}

/// The least and the largest number of an integer type; `size` is the binary logarithm of its bits.
pub(super) fn range(size: u32, has_sign: bool) -> (i128, i128) {
    let bits = 1u32 << size;
    match has_sign {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    }
}

/// Whether a default is none: what a reader sees where nothing was written anyway.
fn is_none(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Record(record) => record.fields.is_empty(),
        value => value::is_zero(value),
    }
}
