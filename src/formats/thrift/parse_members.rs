//! Structs, services and their members.

use crate::change::Span;
use crate::syntax::lexer::TokenKind;
use crate::syntax::statement::{Stop, Understood};

use super::ast::{Field, Function, Reserved, Service, Struct, TypeKind, TypeNode};
use super::model::{Annotation, Requiredness, Sort, Spelled, Type};
use super::parse::Parser;

/// The word before ids that a comment keeps free.
const RESERVED: &str = "reserved";

impl<'b> Parser<'b> {
    /// A struct, a union or an exception. The current token is the word that says which.
    pub(super) fn structure(
        &mut self,
        start: u32,
        sort: Sort,
        mut annotations: Vec<Annotation<'b>>,
    ) -> Understood<Struct<'b>> {
        let word = self.cursor.bump().span;
        let word = self.cursor.text(word);
        let name = self.name(format_args!("a name after `{word}`"))?;
        self.cursor.take_word("xsd_all");
        self.annotations(&mut annotations)?;
        let mut reserved = std::mem::take(&mut self.reserved);
        self.cursor.expect_symbol(b'{', format_args!("after {word} `{}`", name.text))?;
        let mut fields = Vec::new();
        loop {
            self.note_reserved(&mut reserved);
            if self.close_block(word, &name) {
                break;
            }
            match self.field() {
                Ok(field) => fields.push(field),
                Err(Stop) => self.skip_member(),
            }
        }
        self.annotations(&mut annotations)?;
        Ok(Struct { name, span: self.cursor.since(start), sort, fields, reserved, annotations })
    }

    /// Adds what the comments before the current token keep free.
    pub(super) fn note_reserved(&self, reserved: &mut Reserved) {
        let gap = Span::new(self.cursor.previous_end(), self.cursor.start());
        reserved_in(self.cursor.bytes(gap), reserved);
    }

    fn field(&mut self) -> Understood<Field<'b>> {
        let mut annotations = self.structured_annotations()?;
        let start = self.cursor.start();
        let mut id = None;
        if matches!(self.cursor.token().kind, TokenKind::Integer | TokenKind::Symbol(b'-' | b'+')) {
            let number = self.integer(format_args!("the id of a field"))?;
            self.cursor.expect_symbol(b':', format_args!("after the id of a field"))?;
            id = Some(number);
        }
        let requiredness = self.requiredness();
        let ty = self.ty(format_args!("the type of a field"))?;
        self.cursor.take_symbol(b'&');
        let name = self.name(format_args!("the name of a field"))?;
        let mut default = None;
        if self.cursor.take_symbol(b'=').is_some() {
            default = Some(self.value()?);
        }
        self.xsd(&name)?;
        self.annotations(&mut annotations)?;
        let span = self.cursor.since(start);
        self.separator();
        Ok(Field { id, name, span, requiredness, ty, default, annotations })
    }

    fn requiredness(&mut self) -> Requiredness {
        match self.cursor.word() {
            "required" => self.cursor.bump(),
            "optional" => {
                self.cursor.bump();
                return Requiredness::Optional;
            }
            _ => return Requiredness::Default,
        };
        Requiredness::Required
    }

    /// What a field says about XML schemas, which nothing here reads.
    fn xsd(&mut self, name: &Spelled<'b>) -> Understood<()> {
        self.cursor.take_word("xsd_optional");
        self.cursor.take_word("xsd_nillable");
        if self.cursor.take_word("xsd_attrs").is_some() {
            self.cursor.expect_symbol(b'{', format_args!("after `xsd_attrs` of field `{}`", name.text))?;
            self.cursor.skip_to_close(b'}');
        }
        Ok(())
    }

    /// A service or an interaction. The current token is the word that says which.
    pub(super) fn service(&mut self, mut annotations: Vec<Annotation<'b>>) -> Understood<Service<'b>> {
        let word = self.cursor.bump().span;
        let word = self.cursor.text(word);
        self.is_dialect |= word == "interaction";
        let name = self.name(format_args!("a name after `{word}`"))?;
        let mut extends = None;
        if self.cursor.take_word("extends").is_some() {
            extends = Some(self.cursor.expect_name(format_args!("the service that `{}` extends", name.text))?);
        }
        self.annotations(&mut annotations)?;
        self.cursor.expect_symbol(b'{', format_args!("after {word} `{}`", name.text))?;
        let mut functions = Vec::new();
        while !self.close_block(word, &name) {
            let function = if self.at_performs() { self.performs() } else { self.function() };
            match function {
                Ok(function) => functions.push(function),
                Err(Stop) => self.skip_member(),
            }
        }
        self.annotations(&mut annotations)?;
        Ok(Service { name, extends, functions, annotations })
    }

    /// Whether `performs Interaction;` stands here, and no function of a type that is called so.
    fn at_performs(&self) -> bool {
        let mut ahead = self.cursor.clone();
        let is_word = ahead.word() == "performs";
        ahead.bump();
        ahead.bump();
        is_word && !ahead.at_symbol(b'(')
    }

    /// `performs Interaction;`: clients may start the interaction, so it counts as a function that they call by this name.
    fn performs(&mut self) -> Understood<Function<'b>> {
        self.is_dialect = true;
        let start = self.cursor.start();
        let word = self.cursor.bump().span;
        let interaction = self.cursor.expect_name(format_args!("an interaction after `performs`"))?;
        let span = self.cursor.since(start);
        self.separator();
        let name = Spelled { text: format!("performs {}", interaction.text).into(), span };
        let returns = TypeNode { span: word, kind: TypeKind::Basic(Type::Void, "void") };
        let (arguments, throws, annotations) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Function { name, span, is_oneway: false, returns, arguments, throws, annotations })
    }

    fn function(&mut self) -> Understood<Function<'b>> {
        let mut annotations = self.structured_annotations()?;
        let start = self.cursor.start();
        let is_oneway = self.modifiers();
        let returns = self.returns()?;
        let name = self.name(format_args!("the name of a function"))?;
        self.cursor.expect_symbol(b'(', format_args!("after the name of function `{}`", name.text))?;
        let arguments = self.fields_in_parentheses(&name)?;
        let mut throws = Vec::new();
        if self.cursor.take_word("throws").is_some() {
            self.cursor.expect_symbol(b'(', format_args!("after `throws` of function `{}`", name.text))?;
            throws = self.fields_in_parentheses(&name)?;
        }
        self.annotations(&mut annotations)?;
        let span = self.cursor.since(start);
        self.separator();
        Ok(Function { name, span, is_oneway, returns, arguments, throws, annotations })
    }

    /// Words before the return type; whether one says that nobody waits for an answer.
    fn modifiers(&mut self) -> bool {
        let mut is_oneway = false;
        loop {
            let word = self.cursor.word();
            is_oneway |= matches!(word, "oneway" | "async");
            match word {
                "oneway" | "async" => {}
                "idempotent" | "readonly" => self.is_dialect = true,
                _ => return is_oneway,
            }
            self.cursor.bump();
        }
    }

    /// A return type; in the dialect also an interaction, a response and a stream or a sink with commas between.
    fn returns(&mut self) -> Understood<TypeNode<'b>> {
        let first = self.ty(format_args!("the return type of a function"))?;
        if !self.cursor.at_symbol(b',') {
            return Ok(first);
        }
        self.is_dialect = true;
        let mut text = first.written().text.into_owned();
        let start = first.span.start;
        while self.cursor.take_symbol(b',').is_some() {
            text.push_str(", ");
            text.push_str(&self.ty(format_args!("a type after the comma"))?.written().text);
        }
        Ok(TypeNode { span: self.cursor.since(start), kind: TypeKind::Other(text.into()) })
    }

    /// Arguments or exceptions, behind the opening parenthesis.
    pub(super) fn fields_in_parentheses(&mut self, function: &Spelled<'b>) -> Understood<Vec<Field<'b>>> {
        let mut fields = Vec::new();
        while self.cursor.take_symbol(b')').is_none() {
            if self.cursor.at_end() || self.cursor.at_symbol(b'}') {
                let name = &function.text;
                return Err(self.cursor.expected(
                    format_args!("`)` after the fields of function `{name}`"),
                    format_args!("close the list with `)`"),
                ));
            }
            match self.field() {
                Ok(field) => fields.push(field),
                Err(Stop) => self.skip_argument(),
            }
        }
        Ok(fields)
    }

    /// Skips the rest of an argument: behind its separator, or before the parenthesis that closes the list.
    fn skip_argument(&mut self) {
        let mut depth = 0usize;
        while !self.cursor.at_end() {
            match self.cursor.token().kind {
                TokenKind::Symbol(b'}' | b')') if depth == 0 => return,
                TokenKind::Symbol(b'{' | b'(' | b'[') => depth += 1,
                TokenKind::Symbol(b'}' | b')' | b']') => depth = depth.saturating_sub(1),
                TokenKind::Symbol(b',' | b';') if depth == 0 => {
                    self.cursor.bump();
                    return;
                }
                _ => {}
            }
            self.cursor.bump();
        }
    }
}

/// Whether the comments of a place may reserve something.
pub(super) fn may_reserve(gap: &[u8]) -> bool {
    gap.windows(RESERVED.len()).any(|word| word.eq_ignore_ascii_case(RESERVED.as_bytes()))
}

/// Adds what the comments of a place reserve: those with a line `reserved: 4, 7-9`.
fn reserved_in(gap: &[u8], reserved: &mut Reserved) {
    if !gap.iter().any(|byte| !byte.is_ascii_whitespace()) {
        return;
    }
    for line in gap.split(|byte| *byte == b'\n') {
        let Ok(line) = std::str::from_utf8(line) else { continue };
        let line = line.trim().trim_start_matches(['/', '#', '*', '!']).trim_start();
        let word = line.get(..RESERVED.len()).filter(|word| word.eq_ignore_ascii_case(RESERVED));
        let Some(ids) = word.and_then(|word| line[word.len()..].trim_start().strip_prefix(':')) else { continue };
        for part in ids.split(',') {
            let Some(range) = range(part) else { break };
            reserved.push(range);
        }
    }
}

/// `4`, `7-9` or `7 to 9`, with anything behind it.
fn range(part: &str) -> Option<(i64, i64)> {
    let part = part.trim();
    let (first, rest) = leading_number(part)?;
    let rest = rest.trim_start();
    let after = rest.strip_prefix('-').or_else(|| rest.strip_prefix("to "));
    let last = after.and_then(|after| leading_number(after.trim_start())).map_or(first, |(last, _)| last);
    (first <= last).then_some((first, last))
}

/// The number at the start of a text, and the rest.
fn leading_number(text: &str) -> Option<(i64, &str)> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let end = text.len() - digits.len() + digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}
