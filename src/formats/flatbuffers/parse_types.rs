//! Types, defaults and attributes.

use std::borrow::Cow;
use std::fmt;

use crate::change::Span;
use crate::syntax::lexer::TokenKind;
use crate::syntax::literal;
use crate::syntax::statement::{Stop, Understood};

use super::ast::{Const, ConstKind, TypeKind, TypeNode};
use super::model::{Attribute, Scalar};
use super::parse::{NESTING_LIMIT, Parser, text_of};

/// The types that are words of the language.
const SCALARS: [(&str, Scalar); 21] = [
    ("bool", Scalar::Bool),
    ("byte", Scalar::I8),
    ("int8", Scalar::I8),
    ("ubyte", Scalar::U8),
    ("uint8", Scalar::U8),
    ("short", Scalar::I16),
    ("int16", Scalar::I16),
    ("ushort", Scalar::U16),
    ("uint16", Scalar::U16),
    ("int", Scalar::I32),
    ("int32", Scalar::I32),
    ("uint", Scalar::U32),
    ("uint32", Scalar::U32),
    ("long", Scalar::I64),
    ("int64", Scalar::I64),
    ("ulong", Scalar::U64),
    ("uint64", Scalar::U64),
    ("float", Scalar::F32),
    ("float32", Scalar::F32),
    ("double", Scalar::F64),
    ("float64", Scalar::F64),
];

type Function = fn(f64) -> f64;

/// The functions of defaults; angles are in radians.
const FUNCTIONS: [(&str, Function); 8] = [
    ("deg", f64::to_degrees),
    ("rad", f64::to_radians),
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("asin", f64::asin),
    ("acos", f64::acos),
    ("atan", f64::atan),
];

impl<'b> Parser<'b> {
    /// A type.
    pub(super) fn ty(&mut self) -> Understood<TypeNode<'b>> {
        if !self.cursor.at_symbol(b'[') {
            return self.plain_type();
        }
        let start = self.cursor.bump().span.start;
        if self.cursor.at_symbol(b'[') {
            let span = self.cursor.token().span;
            self.cursor.error(
                span,
                format_args!("a vector cannot hold vectors"),
                format_args!("define a table with a field `[…]` and make a vector of that table"),
            );
            return Err(Stop);
        }
        let items = Box::new(self.plain_type()?);
        let mut kind = TypeKind::Vector(items.clone());
        if self.cursor.take_symbol(b':').is_some() {
            let (count, span) = self.integer(format_args!("the number of elements"))?;
            let count = u16::try_from(count).ok().filter(|count| *count > 0);
            if count.is_none() {
                self.cursor.error(
                    span,
                    format_args!("an array cannot have so many elements"),
                    format_args!("write a number from 1 to 65535"),
                );
            }
            kind = TypeKind::Array(items, count.unwrap_or(1));
        }
        self.cursor.expect_symbol(b']', format_args!("at the end of the vector"))?;
        Ok(TypeNode { span: self.cursor.since(start), kind })
    }

    fn plain_type(&mut self) -> Understood<TypeNode<'b>> {
        let word = self.cursor.word();
        if word.is_empty() {
            return Err(self.cursor.expected(
                format_args!("a type"),
                format_args!("write a type, such as `int`, `string`, `[int]` or the name of a table"),
            ));
        }
        if let Some((_, scalar)) = SCALARS.iter().find(|(name, _)| *name == word) {
            let span = self.cursor.bump().span;
            return Ok(TypeNode { span, kind: TypeKind::Scalar(*scalar, word) });
        }
        if let Some(span) = self.cursor.take_word("string") {
            return Ok(TypeNode { span, kind: TypeKind::String });
        }
        let name = self.path(format_args!("a type"))?;
        Ok(TypeNode { span: name.span, kind: TypeKind::Name(name.text) })
    }

    /// A whole number, perhaps with a sign. What does not fit into 64 bits is reported and counts as zero.
    pub(super) fn integer(&mut self, what: fmt::Arguments<'_>) -> Understood<(i128, Span)> {
        let start = self.cursor.start();
        let (is_negative, digits) = self.cursor.expect_digits(what)?;
        Ok((self.whole_number(digits, is_negative), self.cursor.since(start)))
    }

    fn whole_number(&mut self, digits: Span, is_negative: bool) -> i128 {
        if let Some(value) = literal::whole_number(self.cursor.text(digits)) {
            return if is_negative { -value } else { value };
        }
        self.cursor.error(
            digits,
            format_args!("this number does not fit into 64 bits"),
            format_args!("numbers reach from -9223372036854775808 to 18446744073709551615"),
        );
        0
    }

    /// A default, or the value of an attribute.
    pub(super) fn value(&mut self) -> Understood<Const<'b>> {
        if self.depth >= NESTING_LIMIT {
            let span = self.cursor.token().span;
            self.cursor.error(
                span,
                format_args!("this nests deeper than {NESTING_LIMIT} levels, so it is not read"),
                format_args!("write the number itself"),
            );
            return Err(Stop);
        }
        self.depth += 1;
        let start = self.cursor.start();
        let kind = self.value_kind();
        self.depth -= 1;
        let span = self.cursor.since(start);
        Ok(Const { span, written: self.cursor.text(span), kind: kind? })
    }

    fn value_kind(&mut self) -> Understood<ConstKind<'b>> {
        match self.cursor.token().kind {
            TokenKind::String => Ok(ConstKind::Text(self.text(format_args!("a text"))?.text)),
            TokenKind::Integer | TokenKind::Float | TokenKind::Symbol(b'-' | b'+') => self.number(),
            TokenKind::Identifier => self.word_value(),
            TokenKind::Symbol(b'[') => {
                self.cursor.bump();
                if self.cursor.take_symbol(b']').is_some() {
                    return Ok(ConstKind::EmptyList);
                }
                self.cursor.skip_to_close(b']');
                Ok(ConstKind::Other)
            }
            TokenKind::Symbol(b'{') => {
                self.cursor.skip_statement();
                Ok(ConstKind::Other)
            }
            TokenKind::Symbol(_) | TokenKind::End => Err(self.cursor.expected(
                format_args!("a value"),
                format_args!("write a number, a text in quotes, the name of an enum value, `null` or `[]`"),
            )),
        }
    }

    fn number(&mut self) -> Understood<ConstKind<'b>> {
        let is_negative = self.cursor.take_sign();
        match self.cursor.token().kind {
            TokenKind::Integer => {
                let digits = self.cursor.bump().span;
                Ok(ConstKind::Integer(self.whole_number(digits, is_negative)))
            }
            TokenKind::Float => {
                let digits = self.cursor.bump().span;
                let value = literal::float(self.cursor.text(digits));
                Ok(ConstKind::Real(if is_negative { -value } else { value }))
            }
            TokenKind::Identifier if special(self.cursor.word()).is_some() => {
                let value = special(self.cursor.word()).unwrap_or_default();
                self.cursor.bump();
                Ok(ConstKind::Real(if is_negative { -value } else { value }))
            }
            TokenKind::Identifier if FUNCTIONS.iter().any(|(name, _)| *name == self.cursor.word()) => {
                match self.word_value()? {
                    ConstKind::Real(value) if is_negative => Ok(ConstKind::Real(-value)),
                    other => Ok(other),
                }
            }
            TokenKind::Identifier | TokenKind::String | TokenKind::Symbol(_) | TokenKind::End => {
                Err(self.cursor.expected(format_args!("a number after the sign"), format_args!("write digits")))
            }
        }
    }

    fn word_value(&mut self) -> Understood<ConstKind<'b>> {
        let name = self.path(format_args!("a value"))?;
        if self.cursor.at_symbol(b'(') && self.depth > 0 && is_function(&name.text) {
            return self.function(&name.text);
        }
        Ok(match &*name.text {
            "true" => ConstKind::Integer(1),
            "false" => ConstKind::Integer(0),
            "null" => ConstKind::Null,
            word => match special(word) {
                Some(value) => ConstKind::Real(value),
                None => ConstKind::Name(name.text),
            },
        })
    }

    /// `rad(180)`
    fn function(&mut self, name: &str) -> Understood<ConstKind<'b>> {
        self.cursor.expect_symbol(b'(', format_args!("after `{name}`"))?;
        let argument = self.value()?;
        self.cursor.expect_symbol(b')', format_args!("after the argument of `{name}`"))?;
        let number = match argument.kind {
            ConstKind::Integer(value) => value as f64,
            ConstKind::Real(value) => value,
            ConstKind::Text(_) | ConstKind::Name(_) | ConstKind::Null | ConstKind::EmptyList | ConstKind::Other => {
                self.cursor.error(
                    argument.span,
                    format_args!("`{name}` needs a number"),
                    format_args!("write a number between the parentheses"),
                );
                0.0
            }
        };
        let function = FUNCTIONS.iter().find(|(known, _)| *known == name);
        Ok(ConstKind::Real(function.map_or(number, |(_, compute)| compute(number))))
    }

    /// `(name: value, flag)`, if it stands here.
    pub(super) fn attributes(&mut self) -> Understood<Vec<Attribute<'b>>> {
        let mut all = Vec::new();
        if self.cursor.take_symbol(b'(').is_none() {
            return Ok(all);
        }
        while self.cursor.take_symbol(b')').is_none() {
            let name = match self.cursor.at(TokenKind::String) {
                true => self.text(format_args!("the name of an attribute"))?,
                false => self.path(format_args!("the name of an attribute"))?,
            };
            let mut value = Cow::Borrowed("");
            if self.cursor.take_symbol(b':').is_some() {
                value = self.attribute_value()?;
            }
            all.push(Attribute { name, value });
            if self.cursor.take_symbol(b',').is_none() && !self.cursor.at_symbol(b')') {
                return Err(self.cursor.expected(
                    format_args!("`,` or `)` after an attribute"),
                    format_args!("separate attributes by commas"),
                ));
            }
        }
        Ok(all)
    }

    fn attribute_value(&mut self) -> Understood<Cow<'b, str>> {
        if self.cursor.at(TokenKind::String) {
            let span = self.cursor.bump().span;
            return Ok(text_of(literal::string(self.cursor.bytes(span))));
        }
        let span = self.value()?.span;
        Ok(Cow::Borrowed(self.cursor.text(span)))
    }
}

fn is_function(word: &str) -> bool {
    FUNCTIONS.iter().any(|(name, _)| *name == word)
}

/// The numbers that are words, in letters of either case, as `strtod` of C takes them.
fn special(word: &str) -> Option<f64> {
    match word.to_ascii_lowercase().as_str() {
        "nan" => Some(f64::NAN),
        "inf" | "infinity" => Some(f64::INFINITY),
        _ => None,
    }
}
