//! Types, constant values and annotations.

use std::borrow::Cow;
use std::fmt;

use crate::change::Span;
use crate::syntax::lexer::TokenKind;
use crate::syntax::literal;
use crate::syntax::statement::{Stop, Understood};

use super::ast::{Const, ConstKind, Field, Reserved, TypeKind, TypeNode};
use super::model::{Annotation, Spelled, Type};
use super::parse::{NESTING_LIMIT, Parser, at_keyword, text_of};

/// The types that are words of the language.
const BASIC: [(&str, Type); 11] = [
    ("void", Type::Void),
    ("bool", Type::Bool),
    ("byte", Type::I8),
    ("i8", Type::I8),
    ("i16", Type::I16),
    ("i32", Type::I32),
    ("i64", Type::I64),
    ("double", Type::Double),
    ("string", Type::String),
    ("binary", Type::Binary),
    ("slist", Type::String),
];

impl<'b> Parser<'b> {
    /// Does something one level deeper, unless that is too deep.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Understood<T>) -> Understood<T> {
        if self.depth >= NESTING_LIMIT {
            let span = self.cursor.token().span;
            self.cursor.error(
                span,
                format_args!("this nests deeper than {NESTING_LIMIT} levels, so it is not read"),
                format_args!("define types of their own for the inner levels"),
            );
            return Err(Stop);
        }
        self.depth += 1;
        let outcome = inner(self);
        self.depth -= 1;
        outcome
    }

    /// A type with its annotations.
    pub(super) fn ty(&mut self, what: fmt::Arguments<'_>) -> Understood<TypeNode<'b>> {
        let ty = self.nested(|parser| parser.bare_type(what))?;
        self.annotations(&mut Vec::new())?;
        Ok(ty)
    }

    fn bare_type(&mut self, what: fmt::Arguments<'_>) -> Understood<TypeNode<'b>> {
        let start = self.cursor.start();
        let word = self.cursor.word();
        if word.is_empty() {
            return Err(self.cursor.expected(what, format_args!("write a type, such as `i32` or `list<string>`")));
        }
        let span = self.cursor.bump().span;
        if let Some((_, ty)) = BASIC.iter().find(|(name, _)| *name == word) {
            return Ok(TypeNode { span, kind: TypeKind::Basic(ty.clone(), word) });
        }
        let kind = match word {
            "list" | "set" | "map" => self.container(word)?,
            "stream" | "sink" if self.cursor.at_symbol(b'<') => self.stream(word)?,
            _ => TypeKind::Name(word),
        };
        Ok(TypeNode { span: self.cursor.since(start), kind })
    }

    fn container(&mut self, word: &str) -> Understood<TypeKind<'b>> {
        self.cpp_type()?;
        self.cursor.expect_symbol(b'<', format_args!("after `{word}`"))?;
        let first = self.ty(format_args!("the type of the elements"))?;
        let kind = match word {
            "list" => TypeKind::List(Box::new(first)),
            "set" => TypeKind::Set(Box::new(first)),
            _ => {
                self.cursor.expect_symbol(b',', format_args!("after the type of the keys"))?;
                let values = self.ty(format_args!("the type of the values"))?;
                TypeKind::Map(Box::new((first, values)))
            }
        };
        self.cursor.take_symbol(b',');
        self.cursor.expect_symbol(b'>', format_args!("at the end of the {word}"))?;
        self.cpp_type()?;
        Ok(kind)
    }

    /// `cpp_type "name"`
    fn cpp_type(&mut self) -> Understood<()> {
        if self.cursor.word() == "cpp_type" {
            self.cursor.bump();
            self.cursor.expect_text(format_args!("the name of a C++ type"))?;
        }
        Ok(())
    }

    /// `stream<T throws (…)>` or `sink<T throws (…), U throws (…)>`.
    fn stream(&mut self, word: &str) -> Understood<TypeKind<'b>> {
        self.is_dialect = true;
        self.cursor.expect_symbol(b'<', format_args!("after `{word}`"))?;
        let mut text = format!("{word}<");
        loop {
            let item = self.ty(format_args!("the type of the items"))?;
            text.push_str(&item.written().text);
            if self.cursor.take_word("throws").is_some() {
                self.cursor.expect_symbol(b'(', format_args!("after `throws`"))?;
                let whole = Spelled { text: Cow::Borrowed(""), span: item.span };
                let thrown = self.fields_in_parentheses(&whole)?;
                let thrown: Vec<_> = thrown.iter().map(thrown_words).collect();
                text.push_str(&format!(" throws ({})", thrown.join(", ")));
            }
            if self.cursor.take_symbol(b',').is_none() {
                break;
            }
            text.push_str(", ");
        }
        self.cursor.expect_symbol(b'>', format_args!("at the end of the {word}"))?;
        text.push('>');
        Ok(TypeKind::Other(text.into()))
    }

    /// A constant value.
    pub(super) fn value(&mut self) -> Understood<Const<'b>> {
        self.nested(Self::bare_value)
    }

    fn bare_value(&mut self) -> Understood<Const<'b>> {
        let start = self.cursor.start();
        let kind = match self.cursor.token().kind {
            TokenKind::String => {
                let span = self.cursor.bump().span;
                ConstKind::Text(literal::string(self.cursor.bytes(span)))
            }
            TokenKind::Integer | TokenKind::Float | TokenKind::Symbol(b'-' | b'+') => self.number()?,
            TokenKind::Identifier => {
                let span = self.cursor.bump().span;
                match self.cursor.text(span) {
                    "true" => ConstKind::Integer(1),
                    "false" => ConstKind::Integer(0),
                    name if !self.cursor.at_symbol(b'{') => ConstKind::Name(name),
                    _ => self.pairs()?,
                }
            }
            TokenKind::Symbol(b'[') => self.list()?,
            TokenKind::Symbol(b'{') => self.pairs()?,
            TokenKind::Symbol(_) | TokenKind::End => {
                return Err(self.cursor.expected(
                    format_args!("a value"),
                    format_args!("write a number, a text in quotes, a name, a list `[…]` or a map `{{…}}`"),
                ));
            }
        };
        Ok(Const { span: self.cursor.since(start), kind })
    }

    fn number(&mut self) -> Understood<ConstKind<'b>> {
        let start = self.cursor.start();
        let is_negative = self.cursor.take_sign();
        match self.cursor.token().kind {
            TokenKind::Integer => {
                let digits = self.cursor.bump().span;
                Ok(ConstKind::Integer(self.whole_number(start, digits, is_negative)))
            }
            TokenKind::Float => {
                let digits = self.cursor.bump().span;
                let value = literal::float(self.cursor.text(digits));
                Ok(ConstKind::Double(if is_negative { -value } else { value }))
            }
            TokenKind::Identifier | TokenKind::String | TokenKind::Symbol(_) | TokenKind::End => {
                Err(self.cursor.expected(format_args!("a number after the sign"), format_args!("write digits")))
            }
        }
    }

    fn list(&mut self) -> Understood<ConstKind<'b>> {
        let open = self.cursor.bump().span;
        let mut values = Vec::new();
        while self.cursor.take_symbol(b']').is_none() {
            self.refuse_unclosed("list", open)?;
            values.push(self.value()?);
            self.separator();
        }
        Ok(ConstKind::List(values))
    }

    /// Refuses a list or a map that the file ends in, or the next definition begins in.
    fn refuse_unclosed(&mut self, what: &str, open: Span) -> Understood<()> {
        if !self.cursor.at_end() && !at_keyword(&self.cursor) {
            return Ok(());
        }
        self.cursor.error(
            open,
            format_args!("this {what} is never closed"),
            format_args!("add the bracket that closes it"),
        );
        Err(Stop)
    }

    /// `{key: value}`, or `{field = value}` of a struct literal.
    fn pairs(&mut self) -> Understood<ConstKind<'b>> {
        let open = self.cursor.bump().span;
        let mut pairs = Vec::new();
        while self.cursor.take_symbol(b'}').is_none() {
            self.refuse_unclosed("map", open)?;
            let mut key = self.value()?;
            if self.cursor.take_symbol(b'=').is_some() {
                self.is_dialect = true;
                if let ConstKind::Name(name) = key.kind {
                    key.kind = ConstKind::Text(Cow::Borrowed(name.as_bytes()));
                }
            } else {
                self.cursor.expect_symbol(b':', format_args!("between a key and its value"))?;
            }
            pairs.push((key, self.value()?));
            self.separator();
        }
        Ok(ConstKind::Map(pairs))
    }

    /// `(name = "value", flag)`, if it stands here.
    pub(super) fn annotations(&mut self, into: &mut Vec<Annotation<'b>>) -> Understood<()> {
        if self.cursor.take_symbol(b'(').is_none() {
            return Ok(());
        }
        while self.cursor.take_symbol(b')').is_none() {
            let name = self.cursor.expect_name(format_args!("the name of an annotation"))?;
            let mut value = Cow::Borrowed("");
            if self.cursor.take_symbol(b'=').is_some() {
                value = self.annotation_value()?;
            }
            into.push(Annotation { name, value });
            self.separator();
        }
        Ok(())
    }

    fn annotation_value(&mut self) -> Understood<Cow<'b, str>> {
        if self.cursor.at(TokenKind::String) {
            let (text, _) = self.cursor.expect_text(format_args!("a text"))?;
            return Ok(text_of(text));
        }
        let span = self.value()?.span;
        Ok(Cow::Borrowed(self.cursor.text(span)))
    }

    /// `@program.Name{field = value}` of the dialect, as many as stand here.
    pub(super) fn structured_annotations(&mut self) -> Understood<Vec<Annotation<'b>>> {
        let mut all = Vec::new();
        self.reserved.clear();
        while self.cursor.at_symbol(b'@') {
            self.is_dialect = true;
            let start = self.cursor.bump().span.start;
            self.cursor.expect_name(format_args!("the name of an annotation after `@`"))?;
            let span = self.cursor.since(start);
            let name = Spelled { text: Cow::Borrowed(self.cursor.text(span)), span };
            let mut value = Cow::Borrowed("");
            if self.cursor.at_symbol(b'{') {
                let fields = self.value()?;
                if name.text.trim_start_matches('@').rsplit('.').next() == Some("ReserveIds") {
                    reserve_ids(&fields, &mut self.reserved);
                }
                value = Cow::Borrowed(self.cursor.text(fields.span));
            }
            all.push(Annotation { name, value });
        }
        Ok(all)
    }
}

/// What `ReserveIds{ids = [4], id_ranges = {10: 15}}` keeps free; the end of a range is not part of it.
fn reserve_ids(annotation: &Const<'_>, reserved: &mut Reserved) {
    let ConstKind::Map(fields) = &annotation.kind else { return };
    for (key, value) in fields {
        match (&key.kind, &value.kind) {
            (ConstKind::Text(name), ConstKind::List(ids)) if &**name == b"ids" => {
                reserved.extend(ids.iter().filter_map(number).map(|id| (id, id)));
            }
            (ConstKind::Text(name), ConstKind::Map(ranges)) if &**name == b"id_ranges" => {
                let ranges =
                    ranges.iter().filter_map(|(first, end)| Some((number(first)?, number(end)?.checked_sub(1)?)));
                reserved.extend(ranges.filter(|(first, last)| first <= last));
            }
            _ => {}
        }
    }
}

/// An exception of a stream, with the id under which it travels.
fn thrown_words(field: &Field<'_>) -> String {
    let id = field.id.map(|(id, _)| format!("{id}: ")).unwrap_or_default();
    format!("{id}{}", field.ty.written().text)
}

fn number(value: &Const<'_>) -> Option<i64> {
    match value.kind {
        ConstKind::Integer(number) => Some(number),
        _ => None,
    }
}
