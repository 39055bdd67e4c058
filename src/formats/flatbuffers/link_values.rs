//! Defaults: numbers, names of enum values, sets of them, texts.

use std::borrow::Cow;

use crate::change::Span;
use crate::syntax::literal;

use super::ast::{self, Const, ConstKind};
use super::link::{Entry, Linker, Place};
use super::link_enums::range;
use super::model::{Default, EnumId, Scalar, Type};

impl Linker<'_, '_> {
    /// What an absent field of a table reads as.
    pub(super) fn default(&mut self, place: Place<'_>, node: &ast::Field<'_>, ty: &Type) -> Default {
        match ty {
            Type::Scalar(scalar) => self.scalar_default(place, node, *scalar),
            Type::Enum(id) => self.enum_default(place, node, *id),
            Type::String | Type::Vector(_) | Type::Vector64(_) => self.reference_default(place, node, ty),
            // An enum or a struct of an include that is not there: nothing can be said.
            Type::Opaque(_) => Default::Absent,
            Type::Struct(_) | Type::Table(_) | Type::Union(_) | Type::Array(..) => {
                if let Some(value) = &node.default {
                    let message = format_args!("`{}` cannot have a default: it is no number", node.name.text);
                    self.refuse(place.file, value.span, message, "remove the default");
                }
                Default::Absent
            }
        }
    }

    fn reference_default(&mut self, place: Place<'_>, node: &ast::Field<'_>, ty: &Type) -> Default {
        let Some(value) = &node.default else { return Default::Absent };
        match (&value.kind, ty) {
            (ConstKind::Text(text), Type::String) if text.is_empty() => Default::Empty,
            (ConstKind::Text(_), Type::String) => Default::Text,
            (ConstKind::EmptyList, Type::Vector(_) | Type::Vector64(_)) => Default::Empty,
            _ => {
                let message = format_args!("`{}` cannot have this default", node.name.text);
                let help = "the default of a string is a text in quotes, that of a vector `[]`";
                self.refuse(place.file, value.span, message, help);
                Default::Absent
            }
        }
    }

    fn scalar_default(&mut self, place: Place<'_>, node: &ast::Field<'_>, scalar: Scalar) -> Default {
        let is_real = matches!(scalar, Scalar::F32 | Scalar::F64);
        let zero = if is_real { Default::Real(0.0) } else { Default::Integer(0) };
        let Some(value) = &node.default else { return zero };
        let is_truth = matches!(value.written.trim_matches('"'), "true" | "false");
        if is_truth && scalar != Scalar::Bool {
            self.refuse_default(place.file, value, scalar.name());
        }
        let number = match &value.kind {
            ConstKind::Null => return Default::Absent,
            ConstKind::Integer(number) => Default::Integer(*number),
            ConstKind::Real(number) => Default::Real(*number),
            ConstKind::Text(text) => match self.number_in_text(place, text, value.span) {
                Some(number) => number,
                None => return self.refuse_default(place.file, value, scalar.name()).unwrap_or(zero),
            },
            ConstKind::Name(name) => match self.symbol(place, name, None, value.span) {
                Some(number) => {
                    let message = format_args!("`{name}` stands without quotes in the default of a number");
                    self.refuse(place.file, value.span, message, &format!("write \"{name}\", or the number"));
                    Default::Integer(number)
                }
                None => return self.refuse_default(place.file, value, scalar.name()).unwrap_or(zero),
            },
            ConstKind::EmptyList | ConstKind::Other => {
                return self.refuse_default(place.file, value, scalar.name()).unwrap_or(zero);
            }
        };
        match (number, range(scalar)) {
            (Default::Integer(number), None) => Default::Real(rounded(number as f64, scalar)),
            (Default::Real(number), None) => Default::Real(rounded(number, scalar)),
            (Default::Integer(number), Some((low, high)))
                if scalar == Scalar::Bool || (low..=high).contains(&number) =>
            {
                Default::Integer(if scalar == Scalar::Bool { i128::from(number != 0) } else { number })
            }
            (Default::Integer(number), Some((low, high))) => {
                let message = format_args!("{number} does not fit into {}", scalar.name());
                self.refuse(place.file, value.span, message, &format!("write a number from {low} to {high}"));
                zero
            }
            (Default::Real(_) | Default::Absent | Default::Empty | Default::Text, _) => {
                self.refuse_default(place.file, value, scalar.name()).unwrap_or(zero)
            }
        }
    }

    /// Says that a default does not fit its type.
    fn refuse_default(&mut self, file: usize, value: &Const<'_>, ty: &str) -> Option<Default> {
        let written = value.written;
        let message = format_args!("`{written}` cannot be the default of a field of type {ty}");
        self.refuse(file, value.span, message, "write a value of that type");
        None
    }

    /// A number in quotes, or the names of enum values in quotes.
    fn number_in_text(&mut self, place: Place<'_>, text: &str, span: Span) -> Option<Default> {
        if let "true" | "false" = text {
            return Some(Default::Integer(i128::from(text == "true")));
        }
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text),
        };
        if let Some(number) = literal::whole_number(digits) {
            return Some(Default::Integer(number * sign));
        }
        if let Ok(number) = text.parse() {
            return Some(Default::Real(number));
        }
        self.symbols(place, text, None, span).map(Default::Integer)
    }

    fn enum_default(&mut self, place: Place<'_>, node: &ast::Field<'_>, id: EnumId) -> Default {
        let Some(value) = &node.default else {
            self.check_member(place.file, node, id, 0, node.name.span);
            return Default::Integer(0);
        };
        if let ConstKind::Name(text) | ConstKind::Text(text) = &value.kind
            && text.contains('.')
        {
            let message = format_args!("`{text}` has the name of an enum in it, which is known here");
            self.refuse(place.file, value.span, message, "write the name of the value alone");
        }
        let number = match &value.kind {
            ConstKind::Null => return Default::Absent,
            ConstKind::Integer(number) => Some(*number),
            ConstKind::Text(text) => match literal::whole_number(text) {
                Some(number) => Some(number),
                None => self.symbols(place, text, Some(id), value.span),
            },
            ConstKind::Name(name) => self.symbol(place, name, Some(id), value.span),
            ConstKind::Real(_) | ConstKind::EmptyList | ConstKind::Other => None,
        };
        match number {
            Some(number) => {
                self.check_member(place.file, node, id, number, value.span);
                Default::Integer(number)
            }
            None => {
                let name = self.schema.enumeration(id).full_name.clone();
                self.refuse_default(place.file, value, &name);
                Default::Integer(0)
            }
        }
    }

    /// A default must be a value of its enum, unless it is a set of bits.
    pub(super) fn check_member(&mut self, file: usize, node: &ast::Field<'_>, id: EnumId, number: i128, span: Span) {
        let declared = self.schema.enumeration(id);
        if declared.is_bit_flags || declared.values.iter().any(|value| value.number == number) {
            return;
        }
        let name = declared.full_name.clone();
        let what = if node.default.is_some() { "default" } else { "default (none is written)" };
        let message = format_args!("the {what} of `{}` is {number}, which is no value of `{name}`", node.name.text);
        self.refuse(file, span, message, "write the name of a value as the default, or `null`");
    }

    /// Names of enum values with spaces in between, as one set.
    fn symbols(&mut self, place: Place<'_>, text: &str, id: Option<EnumId>, span: Span) -> Option<i128> {
        let mut all = None;
        for word in text.split_whitespace() {
            let number = self.symbol(place, word, id, span)?;
            all = Some(all.unwrap_or(0) | number);
        }
        all
    }

    /// The number of an enum value: its name alone where the enum is known, else with the enum in front.
    fn symbol(&mut self, place: Place<'_>, name: &str, id: Option<EnumId>, span: Span) -> Option<i128> {
        let (id, value): (EnumId, Cow<'_, str>) = match name.rsplit_once('.') {
            None => (id?, Cow::Borrowed(name)),
            Some((written, value)) => match self.known(place, written, span) {
                Some(Entry::Enum(found)) => (found, Cow::Borrowed(value)),
                Some(Entry::Object(_)) | None => return None,
            },
        };
        let values = &self.schema.enumeration(id).values;
        values.iter().find(|known| known.name.text == value).map(|known| known.number)
    }
}

/// A number as precise as the type can hold it.
fn rounded(number: f64, scalar: Scalar) -> f64 {
    if scalar == Scalar::F32 { f64::from(number as f32) } else { number }
}
