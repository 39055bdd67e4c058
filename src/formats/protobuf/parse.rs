//! Reads one `.proto` file into its syntax tree: proto2, proto3 and the editions.
//!
//! Checks what the shape of the text decides, as the reference compiler's parser does; what needs names, types or
//! options resolved is checked when linking. A statement that cannot be understood is reported and skipped, and the
//! rest of the file is still read.
//!
//! Statements of files, messages and services are here, fields and enums in `parse_members`, options in `parse_options`.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::change::Span;
use crate::formats::protobuf::ast::*;
use crate::syntax::cursor::Cursor;
use crate::syntax::lexer::{
    CommentStyle, LexStyle, LineEnd, NameStyle, NestedComment, NumberStyle, StringStyle, TokenKind,
};
use crate::syntax::literal;
use crate::syntax::problem::Problem;
use crate::syntax::problems::Problems;
use crate::syntax::statement::{Stop, Understood};

/// How deep messages may nest, groups included; the reference compiler has the same limit.
pub const NESTING_LIMIT: u32 = 31;

/// The largest field number.
pub(super) const LARGEST_FIELD_NUMBER: i64 = 536_870_911;

pub(super) const STYLE: LexStyle = LexStyle {
    comments: CommentStyle::Slashes,
    line_end: LineEnd::Feed,
    nested_comment: NestedComment::Refused,
    names: NameStyle::Ascii,
    numbers: NumberStyle::C,
    strings: StringStyle::Line,
};

/// Reads a file. The tree holds whatever could be understood; it is complete when there are no problems.
pub fn parse<'a>(file: &Arc<str>, bytes: &'a [u8]) -> (File<'a>, Vec<Problem>) {
    let mut parser = Parser { cursor: Cursor::of_file(file, bytes, STYLE), dialect: Dialect::Proto2, depth: 0 };
    let tree = File { bytes, ..parser.file() };
    (tree, parser.cursor.into_problems())
}

/// Which rules the file is under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dialect {
    Proto2,
    Proto3,
    Edition2023,
    /// Edition 2024 and later ones.
    Edition2024,
}

impl Dialect {
    pub(super) fn is_edition(self) -> bool {
        self >= Dialect::Edition2023
    }
}

pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) dialect: Dialect,
    /// How many message bodies are open.
    depth: u32,
}

impl<'a> Parser<'a> {
    fn file(&mut self) -> File<'a> {
        let mut file = File::default();
        if let "syntax" | "edition" = self.cursor.word()
            && self.syntax(&mut file).is_err()
        {
            self.cursor.skip_statement();
        }
        while !self.cursor.at_end() {
            if self.top_level(&mut file).is_err() {
                self.cursor.skip_statement();
            }
        }
        file
    }

    fn top_level(&mut self, file: &mut File<'a>) -> Understood<()> {
        if self.cursor.take_symbol(b';').is_some() {
            return Ok(());
        }
        let start = self.cursor.start();
        let visibility = self.visibility()?;
        match self.cursor.word() {
            "message" => file.messages.push(self.message(start, visibility)?),
            "enum" => file.enums.push(self.enumeration(start, visibility)?),
            "service" => file.services.push(self.service()?),
            "extend" => file.extends.push(self.extend(&mut file.messages)?),
            "import" => self.import(file)?,
            "package" => self.package(file)?,
            "option" => file.options.push(self.option_statement()?),
            "syntax" | "edition" => self.late_syntax(file)?,
            _ => self.not_a_statement()?,
        }
        Ok(())
    }

    fn not_a_statement(&mut self) -> Understood<()> {
        let (span, found) = (self.cursor.token().span, self.cursor.found());
        if self.cursor.take_symbol(b'}').is_some() {
            self.cursor.error(
                span,
                format_args!("this `}}` closes nothing"),
                format_args!("remove it, or look above for a block that ends too early"),
            );
            return Ok(());
        }
        self.cursor.error(
            span,
            format_args!("expected a statement, found {found}"),
            format_args!("a file holds `import`, `package`, `option`, `message`, `enum`, `service` and `extend`"),
        );
        Err(Stop)
    }

    /// `export` or `local`. Before edition 2024 these words are ordinary names, at the top level they can be nothing else.
    pub(super) fn visibility(&mut self) -> Understood<Option<(Visibility, Span)>> {
        let visibility = match self.cursor.word() {
            "export" => Visibility::Export,
            "local" => Visibility::Local,
            _ => return Ok(None),
        };
        let span = self.cursor.token().span;
        let word = self.cursor.word();
        if self.dialect < Dialect::Edition2024 {
            if self.depth > 0 {
                return Ok(None);
            }
            self.cursor.bump();
            self.cursor.error(
                span,
                format_args!("`{word}` needs edition 2024"),
                format_args!("remove it: before edition 2024 every declaration is visible to other files"),
            );
            return Ok(Some((visibility, span)));
        }
        self.cursor.bump();
        if !matches!(self.cursor.word(), "message" | "enum") {
            self.cursor.error(
                span,
                format_args!("`{word}` may only stand before `message` and `enum`"),
                format_args!("remove it; for a type of that name write its path with a leading dot"),
            );
            return Err(Stop);
        }
        Ok(Some((visibility, span)))
    }

    /// `syntax = "…";` or `edition = "…";`
    fn syntax(&mut self, file: &mut File<'a>) -> Understood<()> {
        let start = self.cursor.start();
        let word = self.cursor.word();
        self.cursor.bump();
        self.cursor.expect_symbol(b'=', format_args!("after `{word}`"))?;
        let (value, value_span) = self.text_string(format_args!("the value of `{word}`"))?;
        let is_edition = word == "edition";
        self.dialect = self.dialect_of(is_edition, &value, value_span);
        let ended = self.end_statement(format_args!("`{word}`"));
        let span = self.cursor.since(start);
        file.syntax.get_or_insert(SyntaxStatement { is_edition, value, value_span, span });
        ended
    }

    fn dialect_of(&mut self, is_edition: bool, value: &str, span: Span) -> Dialect {
        match (is_edition, value) {
            (false, "proto2") => Dialect::Proto2,
            (false, "proto3") => Dialect::Proto3,
            (true, "2023") => Dialect::Edition2023,
            (true, "2024" | "2026") => Dialect::Edition2024,
            (false, _) => {
                self.cursor.error(
                    span,
                    format_args!("unknown syntax \"{value}\": there are \"proto2\" and \"proto3\""),
                    format_args!("write one of them, or `edition = \"2023\";`"),
                );
                Dialect::Proto3
            }
            (true, _) => {
                self.cursor.error(
                    span,
                    format_args!("unknown edition \"{value}\": there are \"2023\", \"2024\" and \"2026\""),
                    format_args!("write one of them, or `syntax = \"proto3\";`"),
                );
                Dialect::Edition2024
            }
        }
    }

    fn late_syntax(&mut self, file: &mut File<'a>) -> Understood<()> {
        let (span, word) = (self.cursor.token().span, self.cursor.word());
        let message = if file.syntax.is_some() {
            format_args!("there is a second `{word}` statement")
        } else {
            format_args!("`{word}` must be the first statement of the file")
        };
        let help = if file.syntax.is_some() { "remove it" } else { "move it above everything but comments" };
        self.cursor.error(span, message, format_args!("{help}"));
        if file.syntax.is_some() { Err(Stop) } else { self.syntax(file) }
    }

    fn package(&mut self, file: &mut File<'a>) -> Understood<()> {
        let start = self.cursor.bump().span.start;
        if file.package.is_some() {
            let span = self.cursor.since(start);
            self.cursor.error(
                span,
                format_args!("there is a second `package` statement; a file belongs to one package"),
                format_args!("remove one of them"),
            );
            return Err(Stop);
        }
        let name = self.dotted_name(format_args!("the name of the package"))?;
        let ended = self.end_statement(format_args!("the package `{}`", name.text));
        file.package = Some(name);
        file.package_span = self.cursor.since(start);
        ended
    }

    fn import(&mut self, file: &mut File<'a>) -> Understood<()> {
        let start = self.cursor.bump().span.start;
        let modifier_span = self.cursor.token().span;
        let modifier = match self.cursor.word() {
            "public" => ImportModifier::Public,
            "weak" => ImportModifier::Weak,
            "option" => ImportModifier::Option,
            _ => ImportModifier::Plain,
        };
        if modifier != ImportModifier::Plain {
            self.cursor.bump();
        }
        let (path, path_span) = self.text_string(format_args!("the path of a file to import"))?;
        self.check_import(modifier, modifier_span, &file.imports);
        let ended = self.end_statement(format_args!("the import"));
        let span = self.cursor.since(start);
        file.imports.push(Import { path, path_span, modifier, span });
        ended
    }

    fn check_import(&mut self, modifier: ImportModifier, span: Span, before: &[Import<'a>]) {
        let since_2024 = self.dialect >= Dialect::Edition2024;
        match modifier {
            ImportModifier::Option if !since_2024 => self.cursor.error(
                span,
                format_args!("`import option` needs edition 2024"),
                format_args!("remove the word `option`"),
            ),
            ImportModifier::Weak if since_2024 => self.cursor.error(
                span,
                format_args!("`import weak` does not exist since edition 2024"),
                format_args!("use `import option` for custom options, else a plain import"),
            ),
            ImportModifier::Option => {}
            _ if before.last().is_some_and(|import| import.modifier == ImportModifier::Option) => self.cursor.error(
                span,
                format_args!("this import stands after an `import option`; those must come last"),
                format_args!("move it above the first `import option`"),
            ),
            ImportModifier::Plain | ImportModifier::Public | ImportModifier::Weak => {}
        }
    }

    fn message(&mut self, start: u32, visibility: Option<(Visibility, Span)>) -> Understood<Message<'a>> {
        self.cursor.bump();
        let name = self.name(format_args!("a name for the message"))?;
        let mut message = empty_message(name, visibility);
        self.message_body(&mut message)?;
        message.span = self.cursor.since(start);
        Ok(message)
    }

    /// From the opening to the closing brace. Sets everything but the span.
    pub(super) fn message_body(&mut self, message: &mut Message<'a>) -> Understood<()> {
        if self.depth == NESTING_LIMIT && self.cursor.at_symbol(b'{') {
            self.cursor.error(
                message.name.span,
                format_args!("messages are nested deeper than {NESTING_LIMIT} levels, the limit of the compilers"),
                format_args!("move the inner messages to the top level of the file"),
            );
            return Err(Stop);
        }
        let open = self.open_block("message", &message.name)?;
        self.depth += 1;
        while !self.close_block("message", &message.name) {
            if self.message_statement(message).is_err() {
                self.cursor.skip_statement();
            }
        }
        self.depth -= 1;
        message.body = self.cursor.since(open.start);
        widen_max_of_message_set(message);
        Ok(())
    }

    fn message_statement(&mut self, message: &mut Message<'a>) -> Understood<()> {
        if self.cursor.take_symbol(b';').is_some() {
            return Ok(());
        }
        let start = self.cursor.start();
        let visibility = self.visibility()?;
        match self.cursor.word() {
            "message" => message.messages.push(self.message(start, visibility)?),
            "enum" => message.enums.push(self.enumeration(start, visibility)?),
            "extensions" => message.extension_ranges.push(self.extensions()?),
            "reserved" => message.reserved.push(self.reserved_in_message()?),
            "extend" => message.extends.push(self.extend(&mut message.messages)?),
            "option" => message.options.push(self.option_statement()?),
            "oneof" => self.oneof(message)?,
            _ => message.fields.push(self.message_field(&mut message.messages)?),
        }
        Ok(())
    }

    fn service(&mut self) -> Understood<Service<'a>> {
        let start = self.cursor.bump().span.start;
        let name = self.name(format_args!("a name for the service"))?;
        self.open_block("service", &name)?;
        let mut service = Service { name, span: Span::default(), methods: Vec::new(), options: Vec::new() };
        while !self.close_block("service", &service.name) {
            if self.service_statement(&mut service).is_err() {
                self.cursor.skip_statement();
            }
        }
        service.span = self.cursor.since(start);
        Ok(service)
    }

    fn service_statement(&mut self, service: &mut Service<'a>) -> Understood<()> {
        if self.cursor.take_symbol(b';').is_some() {
            return Ok(());
        }
        match self.cursor.word() {
            "option" => service.options.push(self.option_statement()?),
            "rpc" => service.methods.push(self.method()?),
            _ => {
                let (span, found) = (self.cursor.token().span, self.cursor.found());
                self.cursor.error(
                    span,
                    format_args!("expected `rpc` or `option` in the service, found {found}"),
                    format_args!("declare a method as `rpc Name(Request) returns (Response);`"),
                );
                return Err(Stop);
            }
        }
        Ok(())
    }

    fn method(&mut self) -> Understood<Method<'a>> {
        let start = self.cursor.bump().span.start;
        let name = self.name(format_args!("a name for the method"))?;
        let (client_streaming, input) = self.method_type("request", &name)?;
        if self.cursor.take_word("returns").is_none() {
            let (span, found) = (self.cursor.token().span, self.cursor.found());
            self.cursor.error(
                span,
                format_args!("method `{}` does not say what it returns: expected `returns`, found {found}", name.text),
                format_args!("write `returns (Response)`; a method without a result returns `google.protobuf.Empty`"),
            );
            return Err(Stop);
        }
        let (server_streaming, output) = self.method_type("response", &name)?;
        let mut options = Vec::new();
        if self.cursor.at_symbol(b'{') {
            self.method_body(&name, &mut options)?;
        } else {
            self.end_statement(format_args!("method `{}`", name.text))?;
        }
        let span = self.cursor.since(start);
        Ok(Method { name, input, client_streaming, output, server_streaming, options, span })
    }

    fn method_type(&mut self, role: &str, method: &Name<'a>) -> Understood<(Option<Span>, Name<'a>)> {
        self.cursor.expect_symbol(b'(', format_args!("before the {role} type of method `{}`", method.text))?;
        let streaming = self.cursor.take_word("stream");
        let name = self.message_type_name(format_args!("the {role} type of method `{}`", method.text))?;
        self.cursor.expect_symbol(b')', format_args!("after the {role} type of method `{}`", method.text))?;
        Ok((streaming, name))
    }

    fn method_body(&mut self, method: &Name<'a>, options: &mut Vec<OptionNode<'a>>) -> Understood<()> {
        self.open_block("method", method)?;
        while !self.close_block("method", method) {
            if self.cursor.take_symbol(b';').is_some() {
                continue;
            }
            if self.cursor.word() == "option" {
                match self.option_statement() {
                    Ok(option) => options.push(option),
                    Err(Stop) => self.cursor.skip_statement(),
                }
                continue;
            }
            let (span, found) = (self.cursor.token().span, self.cursor.found());
            self.cursor.error(
                span,
                format_args!("expected `option` in the body of method `{}`, found {found}", method.text),
                format_args!("the body of a method holds options only"),
            );
            self.cursor.skip_statement();
        }
        Ok(())
    }
}

/// Parts that several statements share.
impl<'a> Parser<'a> {
    /// One identifier.
    pub(super) fn name(&mut self, what: fmt::Arguments<'_>) -> Understood<Name<'a>> {
        self.cursor.expect_name(what)
    }

    /// Identifiers with dots between them.
    pub(super) fn dotted_name(&mut self, what: fmt::Arguments<'_>) -> Understood<Name<'a>> {
        let start = self.cursor.start();
        self.name(what)?;
        self.more_parts(start)
    }

    /// A path to a type; a leading dot makes it absolute.
    pub(super) fn type_name(&mut self, what: fmt::Arguments<'_>) -> Understood<Name<'a>> {
        let start = self.cursor.start();
        self.cursor.take_symbol(b'.');
        self.name(what)?;
        self.more_parts(start)
    }

    /// A path to a message type, which a scalar type's keyword cannot be.
    pub(super) fn message_type_name(&mut self, what: fmt::Arguments<'_>) -> Understood<Name<'a>> {
        let (span, word) = (self.cursor.token().span, self.cursor.word());
        if is_scalar(word) || word == "group" {
            self.cursor.bump();
            self.cursor.error(
                span,
                format_args!("{what} must be a message, `{word}` is not"),
                format_args!("name a message; `google.protobuf` has wrappers for the scalar types"),
            );
            return Ok(Name { text: Cow::Borrowed(word), span });
        }
        self.type_name(what)
    }

    fn more_parts(&mut self, start: u32) -> Understood<Name<'a>> {
        while self.cursor.take_symbol(b'.').is_some() {
            self.name(format_args!("another part of the name after the dot"))?;
        }
        let span = self.cursor.since(start);
        Ok(Name { text: self.without_space(span), span })
    }

    /// The text of a place without the white space and comments in it.
    pub(super) fn without_space(&self, span: Span) -> Cow<'a, str> {
        let bytes = self.cursor.bytes(span);
        let is_plain = |byte: &u8| matches!(byte, b'_' | b'.') || byte.is_ascii_alphanumeric();
        if bytes.iter().all(is_plain) {
            return Cow::Borrowed(self.cursor.text(span));
        }
        // Whatever is written between the parts has been read once without a problem, so a second reading finds none.
        let mut inside = Cursor::new(bytes, STYLE, Problems::new(&Arc::from("")));
        let mut joined = String::new();
        while !inside.at_end() {
            let span = inside.bump().span;
            joined.push_str(inside.text(span));
        }
        Cow::Owned(joined)
    }

    /// Adjacent string literals, joined; the quotes are part of the place.
    pub(super) fn string(&mut self, what: fmt::Arguments<'_>) -> Understood<(Cow<'a, [u8]>, Span)> {
        let (mut value, first) = self.cursor.expect_text(what)?;
        while self.cursor.at(TokenKind::String) {
            let next = self.cursor.bump().span;
            let more = literal::string(self.cursor.bytes(next));
            value.to_mut().extend_from_slice(&more);
        }
        Ok((value, self.cursor.since(first.start)))
    }

    /// Adjacent string literals that must be text.
    pub(super) fn text_string(&mut self, what: fmt::Arguments<'_>) -> Understood<(Cow<'a, str>, Span)> {
        let (value, span) = self.string(what)?;
        let text = match value {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).map(Cow::Borrowed).ok(),
            Cow::Owned(bytes) => String::from_utf8(bytes).map(Cow::Owned).ok(),
        };
        if text.is_none() {
            self.cursor.error(
                span,
                format_args!("{what} is not valid UTF-8"),
                format_args!("write it as text; escapes must form UTF-8 too"),
            );
        }
        Ok((text.unwrap_or_default(), span))
    }

    /// The `;` of a statement.
    pub(super) fn end_statement(&mut self, what: fmt::Arguments<'_>) -> Understood<()> {
        self.cursor.end_statement(what, |kind| matches!(kind, TokenKind::Identifier))
    }

    /// The `{` of a block.
    pub(super) fn open_block(&mut self, what: &str, name: &Name<'a>) -> Understood<Span> {
        if self.cursor.at_symbol(b'=') {
            let span = self.cursor.token().span;
            self.cursor.error(
                span,
                format_args!(
                    "expected `{{` after {what} `{}`, found `=`: the word `{what}` begins a declaration here",
                    name.text
                ),
                format_args!("for a field whose type is called `{what}` write the type as `.{what}`"),
            );
            return Err(Stop);
        }
        self.cursor.expect_symbol(b'{', format_args!("after {what} `{}`", name.text))
    }

    /// Takes the `}` of a block, or notices the end of the file.
    pub(super) fn close_block(&mut self, what: &str, name: &Name<'a>) -> bool {
        self.cursor.close_block(what, name, |_| false)
    }
}

pub(super) fn empty_message<'a>(name: Name<'a>, visibility: Option<(Visibility, Span)>) -> Message<'a> {
    Message {
        name,
        span: Span::default(),
        body: Span::default(),
        visibility,
        is_group: false,
        fields: Vec::new(),
        oneofs: Vec::new(),
        messages: Vec::new(),
        enums: Vec::new(),
        extends: Vec::new(),
        extension_ranges: Vec::new(),
        reserved: Vec::new(),
        options: Vec::new(),
    }
}

/// In a message set `max` reaches further than in other messages.
fn widen_max_of_message_set(message: &mut Message<'_>) {
    let is_message_set = message.options.iter().any(|option| {
        matches!(option.name.as_slice(), [part] if !part.is_extension && part.name.text == "message_set_wire_format")
            && matches!(option.value.kind, OptionValueKind::Identifier { text: "true", negative: false })
    });
    if is_message_set {
        let extensions = message.extension_ranges.iter_mut().flat_map(|statement| &mut statement.ranges);
        let reserved = message.reserved.iter_mut().flat_map(|statement| &mut statement.ranges);
        for range in extensions.chain(reserved).filter(|range| range.to_max) {
            range.end = i64::from(i32::MAX) - 1;
        }
    }
}

pub(super) fn is_scalar(word: &str) -> bool {
    matches!(
        word,
        "double"
            | "float"
            | "int32"
            | "int64"
            | "uint32"
            | "uint64"
            | "sint32"
            | "sint64"
            | "fixed32"
            | "fixed64"
            | "sfixed32"
            | "sfixed64"
            | "bool"
            | "string"
            | "bytes"
    )
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "parse_print_tests.rs"]
mod print_tests;
