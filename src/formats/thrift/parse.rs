//! `.thrift` text → a [`Program`]: what stands in one file, as written.
//!
//! Reads the grammar of the Apache compiler 0.25, the words that older compilers had, and the fbthrift dialect. The
//! dialect is not a mode: its additions are read wherever they stand. A statement that cannot be understood is reported
//! and skipped, and the rest of the file is still read.
//!
//! Files and definitions are here, structs and functions in `parse_members`, types, values and annotations in
//! `parse_types`.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::change::Span;
use crate::syntax::cursor::Cursor;
use crate::syntax::lexer::{CommentStyle, LexStyle, NumberStyle, StringStyle, TokenKind};
use crate::syntax::literal;
use crate::syntax::problem::Problem;
use crate::syntax::statement::{Stop, Understood};

use super::ast::{Constant, Definition, Enum, EnumValue, Include, Reserved, TypeKind, TypeNode, Typedef};
use super::model::{Annotation, Sort, Spelled, Type};

pub(crate) use super::ast::Program;

pub(super) const STYLE: LexStyle = LexStyle {
    comments: CommentStyle::SlashesAndHash,
    numbers: NumberStyle::Binary,
    strings: StringStyle::Bytes,
    ..LexStyle::USUAL
};

/// How deep types and values may nest.
pub(super) const NESTING_LIMIT: u32 = 128;

/// Words with which a definition or a header begins.
const KEYWORDS: [&str; 14] = [
    "include",
    "cpp_include",
    "namespace",
    "typedef",
    "enum",
    "senum",
    "const",
    "struct",
    "union",
    "exception",
    "service",
    "interaction",
    "package",
    "hs_include",
];

/// Headers of compilers before 0.5 and the scope that replaced them.
const OLD_NAMESPACES: [(&str, &str); 12] = [
    ("cpp_namespace", "cpp"),
    ("java_package", "java"),
    ("csharp_namespace", "csharp"),
    ("delphi_namespace", "delphi"),
    ("php_namespace", "php"),
    ("py_module", "py"),
    ("perl_package", "perl"),
    ("ruby_namespace", "rb"),
    ("cocoa_prefix", "cocoa"),
    ("smalltalk_category", "smalltalk.category"),
    ("smalltalk_prefix", "smalltalk.prefix"),
    ("xsd_namespace", "xsd"),
];

/// Words of the dialect that say something about errors and interactions and nothing about bytes.
const QUALIFIERS: [&str; 6] = ["safe", "transient", "stateful", "permanent", "client", "server"];

/// Reads one file; does not stop at the first problem.
pub(crate) fn parse<'b>(file: &Arc<str>, bytes: &'b [u8]) -> (Program<'b>, Vec<Problem>) {
    let mut parser = Parser::of(file, bytes, Zeros::Nothing);
    let mut program = parser.program();
    if parser.is_dialect && parser.has_zeros {
        // What makes it one may stand behind the first number.
        parser = Parser::of(file, bytes, Zeros::Octal);
        program = parser.program();
    }
    (program, parser.cursor.into_problems())
}

/// What a leading zero means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Zeros {
    /// Nothing, as to Apache's compiler.
    Nothing,
    /// That the number is octal, as in the dialect.
    Octal,
}

pub(super) struct Parser<'b> {
    pub(super) cursor: Cursor<'b>,
    /// How many types and values are open.
    pub(super) depth: u32,
    /// Whether anything of the dialect was met.
    pub(super) is_dialect: bool,
    /// What a leading zero means.
    zeros: Zeros,
    /// Whether any number has one.
    has_zeros: bool,
    /// Where the current definition began.
    began: u32,
    /// Numbers that the annotations read last keep free.
    pub(super) reserved: Reserved,
}

/// Files and definitions.
impl<'b> Parser<'b> {
    fn of(file: &Arc<str>, bytes: &'b [u8], zeros: Zeros) -> Self {
        let cursor = Cursor::of_file(file, bytes, STYLE);
        Parser { cursor, depth: 0, is_dialect: false, zeros, has_zeros: false, began: 0, reserved: Vec::new() }
    }

    fn program(&mut self) -> Program<'b> {
        let mut program = Program::default();
        while !self.cursor.at_end() {
            if self.top_level(&mut program).is_err() {
                self.skip_definition();
            }
        }
        program.is_dialect = self.is_dialect;
        program
    }

    fn top_level(&mut self, program: &mut Program<'b>) -> Understood<()> {
        if self.cursor.take_symbol(b';').or_else(|| self.cursor.take_symbol(b',')).is_some() {
            return Ok(());
        }
        self.began = self.cursor.start();
        let marks = self.structured_annotations()?;
        let start = self.cursor.start();
        while QUALIFIERS.contains(&self.cursor.word()) {
            self.is_dialect = true;
            self.cursor.bump();
        }
        let definition = match self.cursor.word() {
            "include" => return self.include(program),
            "cpp_include" | "hs_include" => {
                self.cursor.bump();
                self.cursor.expect_text(format_args!("the path of a header"))?;
                return self.end_of_header();
            }
            "namespace" => return self.namespace(program),
            "package" => return self.package(program),
            "typedef" => Definition::Typedef(self.typedef()?),
            "senum" => Definition::Typedef(self.senum()?),
            "enum" => Definition::Enum(self.enumeration(marks)?),
            "const" => Definition::Constant(self.constant()?),
            "struct" => Definition::Struct(self.structure(start, Sort::Struct, marks)?),
            "union" => Definition::Struct(self.structure(start, Sort::Union, marks)?),
            "exception" => Definition::Struct(self.structure(start, Sort::Exception, marks)?),
            "service" | "interaction" => Definition::Service(self.service(marks)?),
            word => return self.old_namespace(word, program),
        };
        program.definitions.push(definition);
        self.separator();
        Ok(())
    }

    fn include(&mut self, program: &mut Program<'b>) -> Understood<()> {
        self.cursor.bump();
        let (path, span) = self.cursor.expect_text(format_args!("the path of a file"))?;
        let path = Spelled { text: text_of(path), span };
        let mut alias = None;
        if self.cursor.take_word("as").is_some() {
            self.is_dialect = true;
            alias = Some(self.name(format_args!("a name for the included file"))?);
        }
        program.includes.push(Include { path, alias });
        self.end_of_header()
    }

    fn namespace(&mut self, program: &mut Program<'b>) -> Understood<()> {
        self.cursor.bump();
        let scope = match self.cursor.take_symbol(b'*') {
            Some(span) => Spelled { text: Cow::Borrowed("*"), span },
            None => self.cursor.expect_name(format_args!("a language, or `*`, after `namespace`"))?,
        };
        if scope.text != "*" && self.cursor.at_new_line() {
            // The oldest files have one name for all languages.
            let every = Spelled { text: Cow::Borrowed("*"), span: scope.span };
            program.namespaces.push((every, scope));
            return Ok(());
        }
        let name = self.text_or_path(format_args!("a name after the language of the namespace"))?;
        program.namespaces.push((scope, name));
        self.end_of_header()
    }

    fn package(&mut self, program: &mut Program<'b>) -> Understood<()> {
        let scope = Spelled { text: Cow::Borrowed("package"), span: self.cursor.bump().span };
        self.is_dialect = true;
        if self.cursor.take_symbol(b';').is_some() {
            // A file that says it has none.
            return Ok(());
        }
        let (name, span) = self.cursor.expect_text(format_args!("the name of the package"))?;
        program.namespaces.push((scope, Spelled { text: text_of(name), span }));
        self.end_of_header()
    }

    fn end_of_header(&mut self) -> Understood<()> {
        self.annotations(&mut Vec::new())?;
        self.separator();
        Ok(())
    }

    fn old_namespace(&mut self, word: &str, program: &mut Program<'b>) -> Understood<()> {
        let Some((_, scope)) = OLD_NAMESPACES.iter().find(|(old, _)| *old == word) else {
            return Err(self.cursor.expected(
                format_args!("a definition"),
                format_args!(
                    "a definition begins with `struct`, `union`, `exception`, `enum`, `typedef`, `const` or `service`"
                ),
            ));
        };
        self.no_longer_read(word, format_args!("write `namespace {scope}`"));
        let scope = Spelled { text: Cow::Borrowed(*scope), span: self.cursor.bump().span };
        let name = self.text_or_path(format_args!("a name after `{word}`"))?;
        program.namespaces.push((scope, name));
        self.end_of_header()
    }

    /// Warns of a word that only earlier compilers read.
    pub(super) fn no_longer_read(&mut self, word: &str, help: fmt::Arguments<'_>) {
        let span = self.cursor.token().span;
        self.cursor.warning(span, format_args!("compilers no longer read `{word}`"), help);
    }

    fn typedef(&mut self) -> Understood<Typedef<'b>> {
        self.cursor.bump();
        let ty = self.ty(format_args!("a type after `typedef`"))?;
        let name = self.name(format_args!("a name for the type"))?;
        self.annotations(&mut Vec::new())?;
        Ok(Typedef { name, ty })
    }

    /// A list of texts by an old name; on the wire a text like any other.
    fn senum(&mut self) -> Understood<Typedef<'b>> {
        self.no_longer_read("senum", format_args!("write `string`"));
        let span = self.cursor.bump().span;
        let name = self.name(format_args!("a name after `senum`"))?;
        self.cursor.expect_symbol(b'{', format_args!("after senum `{}`", name.text))?;
        while !self.close_block("senum", &name) {
            self.cursor.expect_text(format_args!("a value in quotes"))?;
            self.separator();
        }
        self.annotations(&mut Vec::new())?;
        Ok(Typedef { name, ty: TypeNode { span, kind: TypeKind::Basic(Type::String, "senum") } })
    }

    fn enumeration(&mut self, mut annotations: Vec<Annotation<'b>>) -> Understood<Enum<'b>> {
        self.cursor.bump();
        let mut reserved = std::mem::take(&mut self.reserved);
        let name = self.name(format_args!("a name after `enum`"))?;
        self.annotations(&mut annotations)?;
        self.cursor.expect_symbol(b'{', format_args!("after enum `{}`", name.text))?;
        let mut values = Vec::new();
        loop {
            self.note_reserved(&mut reserved);
            if self.close_block("enum", &name) {
                break;
            }
            match self.enum_value() {
                Ok(value) => values.push(value),
                Err(Stop) => self.skip_member(),
            }
        }
        self.annotations(&mut annotations)?;
        Ok(Enum { name, values, reserved, annotations })
    }

    fn enum_value(&mut self) -> Understood<EnumValue<'b>> {
        let mut annotations = self.structured_annotations()?;
        let start = self.cursor.start();
        let name = self.name(format_args!("the name of an enum value"))?;
        let mut number = None;
        if self.cursor.take_symbol(b'=').is_some() {
            number = Some(self.integer(format_args!("a number for enum value `{}`", name.text))?);
        }
        self.annotations(&mut annotations)?;
        let span = self.cursor.since(start);
        self.separator();
        Ok(EnumValue { name, number, span, annotations })
    }

    fn constant(&mut self) -> Understood<Constant<'b>> {
        self.cursor.bump();
        let ty = self.ty(format_args!("a type after `const`"))?;
        let name = self.name(format_args!("a name for the constant"))?;
        self.cursor.expect_symbol(b'=', format_args!("after the name of constant `{}`", name.text))?;
        let value = self.value()?;
        self.annotations(&mut Vec::new())?;
        Ok(Constant { name, ty, value })
    }
}

/// Parts that several statements share.
impl<'b> Parser<'b> {
    /// A name without dots. Words of the language are names too where a name must stand.
    pub(super) fn name(&mut self, what: fmt::Arguments<'_>) -> Understood<Spelled<'b>> {
        let name = self.cursor.expect_name(what)?;
        if name.text.contains('.') {
            self.cursor.error(
                name.span,
                format_args!("`{}` cannot be defined: a name has no dots", name.text),
                format_args!("dots only lead to what other files define; write the name without them"),
            );
        }
        Ok(name)
    }

    fn text_or_path(&mut self, what: fmt::Arguments<'_>) -> Understood<Spelled<'b>> {
        if self.cursor.at(TokenKind::String) {
            let (text, span) = self.cursor.expect_text(what)?;
            return Ok(Spelled { text: text_of(text), span });
        }
        let first = self.cursor.expect_name(what)?;
        // Some languages have dashes in the names of their packages.
        while self.cursor.at_symbol(b'-') && self.cursor.previous_end() == self.cursor.start() {
            self.cursor.bump();
            if self.cursor.at(TokenKind::Identifier) || self.cursor.at(TokenKind::Integer) {
                self.cursor.bump();
            }
        }
        let span = self.cursor.since(first.span.start);
        Ok(Spelled { text: Cow::Borrowed(self.cursor.text(span)), span })
    }

    /// A whole number, perhaps with a sign. What does not fit into 64 bits is reported and counts as zero.
    pub(super) fn integer(&mut self, what: fmt::Arguments<'_>) -> Understood<(i64, Span)> {
        let start = self.cursor.start();
        let (is_negative, digits) = self.cursor.expect_digits(what)?;
        Ok((self.whole_number(start, digits, is_negative), self.cursor.since(start)))
    }

    /// The value of digits, at the end of a number that starts there with its sign.
    pub(super) fn whole_number(&mut self, start: u32, digits: Span, is_negative: bool) -> i64 {
        let value = self.digits(digits).map(|value| if is_negative { -value } else { value });
        if let Some(value) = value.and_then(|value| i64::try_from(value).ok()) {
            return value;
        }
        self.cursor.error(
            self.cursor.since(start),
            format_args!("this number does not fit into 64 bits"),
            format_args!("numbers reach from -9223372036854775808 to 9223372036854775807"),
        );
        0
    }

    /// The value of digits: `0b11` is of the dialect only, and so is that `010` is eight.
    fn digits(&mut self, digits: Span) -> Option<i128> {
        let text = self.cursor.text(digits);
        if let Some(bits) = text.strip_prefix("0b").or_else(|| text.strip_prefix("0B")) {
            self.is_dialect = true;
            return u64::from_str_radix(bits, 2).ok().map(i128::from);
        }
        let has_zero = text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
        self.has_zeros |= has_zero;
        if self.zeros == Zeros::Nothing || !has_zero {
            return literal::whole_number(text);
        }
        if text.bytes().any(|digit| digit > b'7') {
            self.cursor.error(
                digits,
                format_args!("a number with a leading zero is octal, and 8 and 9 are not octal digits"),
                format_args!("take the leading zero away for a decimal number"),
            );
            return Some(0);
        }
        u64::from_str_radix(text, 8).ok().map(i128::from)
    }

    /// A comma or a semicolon, which may stand behind everything.
    pub(super) fn separator(&mut self) {
        if self.cursor.take_symbol(b',').is_none() {
            self.cursor.take_symbol(b';');
        }
    }

    /// Takes the `}` of a block. Where the file ends or the next definition begins, the block is not closed.
    pub(super) fn close_block(&mut self, what: &str, name: &Spelled<'b>) -> bool {
        self.cursor.close_block(what, name, at_definition)
    }

    /// Skips the rest of a definition: behind its block, or before the line on which the next one begins.
    fn skip_definition(&mut self) {
        if self.cursor.start() != self.began && at_keyword(&self.cursor) {
            return;
        }
        self.cursor.skip_definition(b"", |cursor, is_outside| {
            let is_marked = cursor.at_symbol(b'@') && cursor.at_new_line();
            is_outside && (is_marked || at_keyword(cursor)) || at_definition(cursor)
        });
    }

    /// Skips the rest of a member: behind its separator, before the line on which the next one begins, or before the
    /// bracket that closes the list it is in. A stray bracket of the other kind must not stop everything.
    pub(super) fn skip_member(&mut self) {
        if self.cursor.take_symbol(b')').is_some() {
            return;
        }
        self.cursor.skip_member(b"})", |cursor, is_outside| {
            let kind = cursor.token().kind;
            is_outside && matches!(kind, TokenKind::Integer | TokenKind::Identifier | TokenKind::Symbol(b'@' | b'}'))
        });
    }
}

/// Whether a line begins with a word that begins a definition or a header.
pub(super) fn at_keyword(cursor: &Cursor<'_>) -> bool {
    KEYWORDS.contains(&cursor.word()) && cursor.at_new_line()
}

/// Whether a definition begins here that cannot be a member: at the start of a line, with a name and a block.
fn at_definition(cursor: &Cursor<'_>) -> bool {
    if !matches!(cursor.word(), "struct" | "union" | "exception" | "enum" | "service") {
        return false;
    }
    let mut ahead = cursor.clone();
    ahead.bump();
    cursor.at_new_line() && ahead.at(TokenKind::Identifier) && {
        ahead.bump();
        ahead.at_symbol(b'{') || ahead.word() == "extends"
    }
}

/// Bytes as text: UTF-8, or else Latin-1, in which old files are written.
pub(super) fn text_of(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    match bytes {
        Cow::Borrowed(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(latin(bytes)),
        },
        Cow::Owned(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Cow::Owned(text),
            Err(error) => Cow::Owned(latin(error.as_bytes())),
        },
    }
}

fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| byte as char).collect()
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
