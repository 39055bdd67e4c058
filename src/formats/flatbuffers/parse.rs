//! `.fbs` text → a [`Document`]: what stands in one file, as written.
//!
//! Reads the grammar of the reference compiler 25.12, whose parser allows more than its published grammar. A statement
//! that cannot be understood is reported and skipped, and the rest of the file is still read.
//!
//! Files and definitions are here, types, defaults and attributes in `parse_types`.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::syntax::cursor::Cursor;
use crate::syntax::lexer::{LexStyle, LineEnd, TokenKind};
use crate::syntax::problem::Problem;
use crate::syntax::statement::{Stop, Understood};

use super::ast::{Definition, DefinitionKind, EnumValue, Field, Method, TypeKind, TypeNode};
use super::model::{Attribute, Spelled};

pub(crate) use super::ast::Document;

pub(super) const STYLE: LexStyle = LexStyle { line_end: LineEnd::FeedOrReturn, ..LexStyle::USUAL };

/// How deep values may nest.
pub(super) const NESTING_LIMIT: u32 = 128;

/// Words with which a statement begins and behind which a name or a text stands.
const KEYWORDS: [&str; 12] = [
    "include",
    "native_include",
    "namespace",
    "attribute",
    "table",
    "struct",
    "enum",
    "union",
    "rpc_service",
    "root_type",
    "file_identifier",
    "file_extension",
];

/// Reads one file; does not stop at the first problem.
pub(crate) fn parse<'b>(file: &Arc<str>, bytes: &'b [u8]) -> (Document<'b>, Vec<Problem>) {
    let mut parser = Parser {
        cursor: Cursor::of_file(file, bytes, STYLE),
        depth: 0,
        namespace: Arc::from(""),
        has_definitions: false,
    };
    let mut document = Document::default();
    while !parser.cursor.at_end() {
        if parser.top_level(&mut document).is_err() {
            parser.skip_definition();
        }
    }
    (document, parser.cursor.into_problems())
}

pub(super) struct Parser<'b> {
    pub(super) cursor: Cursor<'b>,
    /// How many values are open.
    pub(super) depth: u32,
    /// The namespace of what follows.
    namespace: Arc<str>,
    /// Whether anything but includes was read.
    has_definitions: bool,
}

/// Files and definitions.
impl<'b> Parser<'b> {
    fn top_level(&mut self, document: &mut Document<'b>) -> Understood<()> {
        if let Some(span) = self.cursor.take_symbol(b';') {
            self.cursor.warning(
                span,
                format_args!("a `;` stands between definitions, which the compiler refuses"),
                format_args!("remove it"),
            );
            return Ok(());
        }
        if self.cursor.at_symbol(b'{') {
            // A JSON object may stand at the end; it is data and says nothing about the schema.
            self.cursor.skip_statement();
            return Ok(());
        }
        let word = self.cursor.word();
        if word != "include" && word != "native_include" {
            self.has_definitions = true;
        }
        match word {
            "include" => self.include(document),
            "native_include" => {
                self.cursor.bump();
                self.text(format_args!("the path of a header"))?;
                self.semicolon("native_include")
            }
            "namespace" => self.namespace(),
            "attribute" => self.attribute_declaration(document),
            "root_type" => self.root_type(document),
            "file_identifier" => self.file_identifier(document),
            "file_extension" => {
                self.cursor.bump();
                document.extension = Some(self.text(format_args!("the extension of data files"))?);
                self.semicolon("file_extension")
            }
            "table" | "struct" => self.object(word, document),
            "enum" | "union" => self.enumeration(word, document),
            "rpc_service" => self.service(document),
            _ => Err(self.cursor.expected(
                format_args!("a definition"),
                format_args!(
                    "a definition begins with `table`, `struct`, `enum`, `union`, `rpc_service`, `namespace` or \
                     `root_type`"
                ),
            )),
        }
    }

    fn include(&mut self, document: &mut Document<'b>) -> Understood<()> {
        let word = self.cursor.bump().span;
        if self.has_definitions {
            self.cursor.error(
                word,
                format_args!("`include` stands behind other statements: includes must come first"),
                format_args!("move it to the start of the file"),
            );
        }
        let path = self.text(format_args!("the path of a file"))?;
        document.includes.push(path);
        self.semicolon("include")
    }

    fn namespace(&mut self) -> Understood<()> {
        self.cursor.bump();
        self.namespace = match self.cursor.at_symbol(b';') {
            true => Arc::from(""),
            false => Arc::from(&*self.path(format_args!("a name after `namespace`"))?.text),
        };
        self.semicolon("namespace")
    }

    fn attribute_declaration(&mut self, document: &mut Document<'b>) -> Understood<()> {
        self.cursor.bump();
        let name = match self.cursor.at(TokenKind::String) {
            true => self.text(format_args!("the name of an attribute"))?,
            false => self.path(format_args!("the name of an attribute"))?,
        };
        document.attributes.push(name);
        self.semicolon("attribute")
    }

    fn root_type(&mut self, document: &mut Document<'b>) -> Understood<()> {
        self.cursor.bump();
        let name = self.path(format_args!("the name of a table after `root_type`"))?;
        document.roots.push((name, self.namespace.clone()));
        self.semicolon("root_type")
    }

    fn file_identifier(&mut self, document: &mut Document<'b>) -> Understood<()> {
        self.cursor.bump();
        let text = self.text(format_args!("the identifier of data files"))?;
        if text.text.len() != 4 {
            self.cursor.error(
                text.span,
                format_args!("file_identifier has {} bytes: it must have exactly 4", text.text.len()),
                format_args!("write four characters, such as \"ABCD\""),
            );
        } else {
            document.identifier = Some(text);
        }
        self.semicolon("file_identifier")
    }

    fn object(&mut self, word: &str, document: &mut Document<'b>) -> Understood<()> {
        self.cursor.bump();
        let name = self.name(format_args!("a name after `{word}`"))?;
        let attributes = self.attributes()?;
        self.cursor.expect_symbol(b'{', format_args!("after {word} `{}`", name.text))?;
        let mut fields = Vec::new();
        while !self.close_block(word, &name) {
            match self.field() {
                Ok(field) => fields.push(field),
                Err(Stop) => self.skip_member(),
            }
        }
        let kind = match word {
            "struct" => DefinitionKind::Struct(fields),
            _ => DefinitionKind::Table(fields),
        };
        self.define(name, attributes, kind, document);
        Ok(())
    }

    fn define(
        &mut self,
        name: Spelled<'b>,
        attributes: Vec<Attribute<'b>>,
        kind: DefinitionKind<'b>,
        document: &mut Document<'b>,
    ) {
        let namespace = self.namespace.clone();
        document.definitions.push(Definition { namespace, name, attributes, kind });
    }

    fn field(&mut self) -> Understood<Field<'b>> {
        let start = self.cursor.start();
        let name = self.name(format_args!("the name of a field"))?;
        self.cursor.expect_symbol(b':', format_args!("between field `{}` and its type", name.text))?;
        let ty = self.ty()?;
        let mut default = None;
        if self.cursor.take_symbol(b'=').is_some() {
            default = Some(self.value()?);
        }
        let attributes = self.attributes()?;
        let span = self.cursor.since(start);
        self.cursor.expect_symbol(b';', format_args!("at the end of field `{}`", name.text))?;
        Ok(Field { name, span, ty, default, attributes })
    }

    fn enumeration(&mut self, word: &str, document: &mut Document<'b>) -> Understood<()> {
        let is_union = word == "union";
        self.cursor.bump();
        let name = self.name(format_args!("a name after `{word}`"))?;
        let mut underlying = None;
        if self.cursor.take_symbol(b':').is_some() {
            underlying = Some(self.ty()?);
        } else if !is_union {
            self.cursor.error(
                name.span,
                format_args!("enum `{}` does not say as what its values are stored", name.text),
                format_args!("write a type behind the name, as in `enum {} : byte`", name.text),
            );
        }
        let attributes = self.attributes()?;
        self.cursor.expect_symbol(b'{', format_args!("after {word} `{}`", name.text))?;
        let mut values = Vec::new();
        while !self.close_block(word, &name) {
            match self.enum_value(is_union) {
                Ok(value) => values.push(value),
                Err(Stop) => {
                    self.skip_member();
                    continue;
                }
            }
            if self.cursor.take_symbol(b',').is_none() && !self.cursor.at_symbol(b'}') && !at_definition(&self.cursor) {
                self.cursor.expected(format_args!("`,` or `}}` after a value"), format_args!("write `,` here"));
                self.skip_member();
            }
        }
        let kind = match is_union {
            true => DefinitionKind::Union { underlying, values },
            false => DefinitionKind::Enum { underlying, values },
        };
        self.define(name, attributes, kind, document);
        Ok(())
    }

    fn enum_value(&mut self, is_union: bool) -> Understood<EnumValue<'b>> {
        let start = self.cursor.start();
        let mut ty = None;
        let name = match is_union {
            true => self.path(format_args!("the name of a table"))?,
            false => self.name(format_args!("the name of a value"))?,
        };
        if is_union {
            let written = TypeNode { span: name.span, kind: TypeKind::Name(name.text.clone()) };
            ty = Some(match self.cursor.take_symbol(b':') {
                Some(_) => self.ty()?,
                None => written,
            });
        }
        let mut number = None;
        if self.cursor.take_symbol(b'=').is_some() {
            number = Some(self.integer(format_args!("a number for `{}`", name.text))?);
        }
        let attributes = self.attributes()?;
        Ok(EnumValue { name, ty, number, span: self.cursor.since(start), attributes })
    }

    fn service(&mut self, document: &mut Document<'b>) -> Understood<()> {
        self.cursor.bump();
        let name = self.name(format_args!("a name after `rpc_service`"))?;
        let attributes = self.attributes()?;
        self.cursor.expect_symbol(b'{', format_args!("after rpc_service `{}`", name.text))?;
        let mut methods = Vec::new();
        while !self.close_block("rpc_service", &name) {
            match self.method() {
                Ok(method) => methods.push(method),
                Err(Stop) => self.skip_member(),
            }
        }
        self.define(name, attributes, DefinitionKind::Service(methods), document);
        Ok(())
    }

    fn method(&mut self) -> Understood<Method<'b>> {
        let start = self.cursor.start();
        let name = self.name(format_args!("the name of a method"))?;
        self.cursor.expect_symbol(b'(', format_args!("after method `{}`", name.text))?;
        let request = self.path(format_args!("the table that clients send"))?;
        self.cursor.expect_symbol(b')', format_args!("after the request of method `{}`", name.text))?;
        self.cursor.expect_symbol(b':', format_args!("between method `{}` and its response", name.text))?;
        let response = self.path(format_args!("the table that servers answer"))?;
        let attributes = self.attributes()?;
        let span = self.cursor.since(start);
        self.cursor.expect_symbol(b';', format_args!("at the end of method `{}`", name.text))?;
        Ok(Method { name, span, request, response, attributes })
    }
}

/// Parts that several statements share.
impl<'b> Parser<'b> {
    /// A name without dots. Words of the language are names too where a name must stand.
    pub(super) fn name(&mut self, what: fmt::Arguments<'_>) -> Understood<Spelled<'b>> {
        let name = self.path(what)?;
        if name.text.contains('.') {
            self.cursor.error(
                name.span,
                format_args!("`{}` cannot be defined: a name has no dots", name.text),
                format_args!("write the name alone; `namespace` says what stands in front"),
            );
        }
        Ok(name)
    }

    /// A name, perhaps with its namespace in front.
    pub(super) fn path(&mut self, what: fmt::Arguments<'_>) -> Understood<Spelled<'b>> {
        let Spelled { mut text, span: first } = self.cursor.expect_name(what)?;
        while self.cursor.take_symbol(b'.').is_some() {
            if !self.cursor.at(TokenKind::Identifier) {
                return Err(self
                    .cursor
                    .expected(format_args!("a name after `.`"), format_args!("write the rest of the name")));
            }
            let part = self.cursor.bump().span;
            text = Cow::Owned(format!("{text}.{}", self.cursor.text(part)));
        }
        Ok(Spelled { text, span: self.cursor.since(first.start) })
    }

    /// A text in quotes; the place has the quotes.
    pub(super) fn text(&mut self, what: fmt::Arguments<'_>) -> Understood<Spelled<'b>> {
        let (text, span) = self.cursor.expect_text(what)?;
        Ok(Spelled { text: text_of(text), span })
    }

    fn semicolon(&mut self, word: &str) -> Understood<()> {
        self.cursor.expect_symbol(b';', format_args!("at the end of the `{word}` statement")).map(|_| ())
    }

    /// Takes the `}` of a block. Where the file ends or the next definition begins, the block is not closed.
    fn close_block(&mut self, what: &str, name: &Spelled<'b>) -> bool {
        self.cursor.close_block(what, name, at_definition)
    }

    /// Skips the rest of a definition: behind its block, or before the line on which the next one begins.
    fn skip_definition(&mut self) {
        self.cursor.skip_definition(b";", |cursor, _| at_definition(cursor));
    }

    /// Skips the rest of a member: behind its separator, before the line on which the next one begins, or before the
    /// brace that closes the block it is in.
    fn skip_member(&mut self) {
        self.cursor.skip_member(b"}", |cursor, is_outside| {
            is_outside && cursor.at(TokenKind::Identifier) || at_definition(cursor)
        });
    }
}

/// Whether a definition begins here that cannot be a member: a word of the language on a new line with a name or a
/// text behind it.
fn at_definition(cursor: &Cursor<'_>) -> bool {
    if !KEYWORDS.contains(&cursor.word()) || !cursor.at_new_line() {
        return false;
    }
    let mut ahead = cursor.clone();
    ahead.bump();
    ahead.at(TokenKind::Identifier) || ahead.at(TokenKind::String)
}

/// Bytes as text; the lexer has reported what is not UTF-8, but escapes can make such bytes.
pub(super) fn text_of(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    match bytes {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}
