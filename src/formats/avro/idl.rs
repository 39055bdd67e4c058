//! `.avdl`: Avro IDL (<https://avro.apache.org/docs/1.12.0/idl-language/>) → a [`Document`].
//!
//! Reads what the grammar of release 1.12 reads and refuses what the reference compiler refuses while it reads; what
//! needs names resolved is checked when linking. A statement that cannot be understood is reported and skipped, and the
//! rest of the file is still read.
//!
//! Files, protocols, messages and declarations are here, types and annotations in `idl_types`, values in `idl_json`.

use std::borrow::Cow;
use std::sync::Arc;

use crate::change::Span;
use crate::syntax::cursor::Cursor;
use crate::syntax::lexer::{CommentStyle, LexStyle, LineEnd, NameStyle, NestedComment, NumberStyle, StringStyle};
use crate::syntax::problem::Problem;
use crate::syntax::statement::{Stop, Understood};

use super::ast::{Document, Field, Import, ImportKind, Message, Names, Node, NodeKind, Protocol, Spelled};
use super::idl_parser::Parser;
use super::idl_types::{Annotations, Bearer};

pub(super) const STYLE: LexStyle = LexStyle {
    comments: CommentStyle::Slashes,
    line_end: LineEnd::FeedOrReturn,
    nested_comment: NestedComment::Ignored,
    names: NameStyle::Unicode,
    numbers: NumberStyle::Java,
    strings: StringStyle::Line,
};

/// How many bytes of text the copies of types may stand for, those in `int a, b;` for instance.
const COPY_LIMIT: usize = 1 << 22;

/// Stands for the end of the file where older systems wrote it; whatever follows is not read.
const SUBSTITUTE: u8 = 0x1a;

/// The protocol or the schemas of a `.avdl`.
pub(super) fn parse<'b>(path: &Arc<str>, bytes: &'b [u8]) -> (Document<'b>, Vec<Problem>) {
    let end = memchr::memchr(SUBSTITUTE, bytes).unwrap_or(bytes.len());
    let cursor = Cursor::of_file(path, &bytes[..end], STYLE);
    let mut parser = Parser { cursor, depth: 0, braces: 0, copied: 0 };
    let document = parser.file();
    (document, parser.cursor.into_problems())
}

/// What a file has held so far; statements have their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Nothing,
    Namespace,
    Main,
    Types,
    Protocol,
}

impl<'b> Parser<'b> {
    fn file(&mut self) -> Document<'b> {
        let mut document = Document::default();
        let mut stage = Stage::Nothing;
        while !self.cursor.at_end() {
            if stage == Stage::Protocol {
                let (span, found) = (self.cursor.token().span, self.cursor.found());
                self.cursor.error(
                    span,
                    format_args!("expected the end of the file after the protocol, found {found}"),
                    format_args!("move it into the braces of the protocol, or into a file of its own"),
                );
                break;
            }
            if self.top_level(&mut document, &mut stage).is_err() {
                self.skip_statement();
            }
        }
        document
    }

    fn top_level(&mut self, document: &mut Document<'b>, stage: &mut Stage) -> Understood<()> {
        let start = self.cursor.start();
        let annotations = self.annotations()?;
        match self.keyword() {
            "protocol" => {
                self.in_order(stage, Stage::Protocol)?;
                return self.protocol(annotations, document);
            }
            "record" | "error" | "enum" | "fixed" => {
                *stage = Stage::Types;
                document.types.push(self.declaration(start, annotations)?);
                return Ok(());
            }
            _ => self.no_annotations(&annotations)?,
        }
        match self.keyword() {
            "namespace" => {
                self.in_order(stage, Stage::Namespace)?;
                self.cursor.bump();
                document.namespace = Some(self.word(format_args!("a namespace"))?.spelled);
                self.end_statement(format_args!("the namespace"))
            }
            "schema" => {
                self.in_order(stage, Stage::Main)?;
                self.cursor.bump();
                document.main = Some(self.full_type()?.node);
                self.end_statement(format_args!("the schema"))
            }
            "import" => {
                *stage = Stage::Types;
                self.import(document)
            }
            _ => Err(self
                .not_a_statement("`protocol`, `namespace`, `schema`, `import`, `record`, `error`, `enum` or `fixed`")),
        }
    }

    /// Refuses a statement that must stand before what the file has held so far.
    fn in_order(&mut self, stage: &mut Stage, now: Stage) -> Understood<()> {
        let (span, word) = (self.cursor.token().span, self.cursor.word());
        let is_late = *stage >= now || (now == Stage::Protocol && *stage > Stage::Nothing);
        if !is_late {
            *stage = now;
            return Ok(());
        }
        let message = match (now, *stage) {
            (Stage::Protocol, _) => "a file declares either a protocol or schemas, and this one has begun with schemas",
            (now, stage) if now == stage => "a file has only one such statement",
            (Stage::Namespace, _) => "`namespace` must be the first statement of the file",
            _ => "`schema` must stand before all imports and declarations",
        };
        let help = match now {
            Stage::Protocol => "move everything before it into the protocol".to_owned(),
            _ => format!("move `{word}` to the top, or remove it"),
        };
        self.cursor.error(span, format_args!("{message}"), format_args!("{help}"));
        Err(Stop)
    }

    /// Reports something that begins no statement.
    fn not_a_statement(&mut self, possible: &str) -> Stop {
        let (span, found) = (self.cursor.token().span, self.cursor.found());
        if self.cursor.at_symbol(b'}') {
            self.cursor.bump();
            self.cursor.error(
                span,
                format_args!("this `}}` closes nothing"),
                format_args!("remove it, or look above for a block that ends too early"),
            );
        } else if self.cursor.at_symbol(b';') {
            self.stray_semicolon(span);
        } else {
            self.cursor.error(
                span,
                format_args!("expected {possible}, found {found}"),
                format_args!("see https://avro.apache.org/docs/1.12.0/idl-language/ for what may stand here"),
            );
        }
        Stop
    }

    fn stray_semicolon(&mut self, span: Span) {
        self.cursor.error(
            span,
            format_args!("this `;` ends nothing: blocks in braces need none, and there are no empty statements"),
            format_args!("remove it"),
        );
    }

    fn import(&mut self, document: &mut Document<'b>) -> Understood<()> {
        self.cursor.bump();
        let kind = match self.keyword() {
            "idl" => ImportKind::Idl,
            "protocol" => ImportKind::Protocol,
            "schema" => ImportKind::Schema,
            _ => {
                return Err(self.cursor.expected(
                    format_args!("`idl`, `protocol` or `schema` after `import`"),
                    format_args!("say what sort of file it is, as in `import idl \"shop.avdl\";`"),
                ));
            }
        };
        self.cursor.bump();
        let path = self.text(format_args!("the path of the file to import"))?;
        let ended = self.end_statement(format_args!("the import"));
        document.imports.push(Import { kind, path });
        ended
    }

    /// From the word `protocol` to the closing brace.
    fn protocol(&mut self, annotations: Annotations<'b>, document: &mut Document<'b>) -> Understood<()> {
        self.cursor.bump();
        let name = self.type_name(format_args!("a name for the protocol"))?;
        let sorted = self.sort(annotations, Bearer::Protocol);
        let stated = match name.text.rsplit_once('.') {
            Some((namespace, _)) => Some(Spelled { text: Cow::Owned(namespace.to_owned()), span: name.span }),
            None => sorted.namespace,
        };
        document.namespace = stated;
        self.open_block("protocol", &name)?;
        let mut protocol = Protocol { name, messages: Vec::new(), attributes: sorted.attributes };
        while !self.close_block("protocol", &protocol.name) {
            if self.protocol_statement(document, &mut protocol).is_err() {
                self.skip_statement();
            }
        }
        document.protocol = Some(protocol);
        Ok(())
    }

    fn protocol_statement(&mut self, document: &mut Document<'b>, protocol: &mut Protocol<'b>) -> Understood<()> {
        let start = self.cursor.start();
        let annotations = self.annotations()?;
        match self.keyword() {
            "import" => {
                self.no_annotations(&annotations)?;
                self.import(document)
            }
            "record" | "error" | "enum" | "fixed" => {
                document.types.push(self.declaration(start, annotations)?);
                Ok(())
            }
            _ if self.cursor.at_symbol(b';') => Err(self.not_a_statement("a declaration or a message")),
            _ => self.message(start, annotations).map(|message| protocol.messages.push(message)),
        }
    }

    /// `string greet(string name, int times = 1) throws Rude;`
    fn message(&mut self, start: u32, annotations: Annotations<'b>) -> Understood<Message<'b>> {
        let attributes = self.sort(annotations, Bearer::Message).attributes;
        let response = match self.keyword() {
            "void" => {
                let span = self.cursor.bump().span;
                Node { span, kind: NodeKind::Name(Spelled { text: "null".into(), span }), attributes: Vec::new() }
            }
            _ => {
                let ty = self.plain_type()?;
                if ty.is_optional || matches!(ty.node.kind, NodeKind::Name(_)) {
                    self.refuse_on_reference(&ty.node, &attributes);
                }
                ty.node
            }
        };
        let name = self.word(format_args!("a name for the message"))?.spelled;
        self.cursor.expect_symbol(b'(', format_args!("before the parameters of message `{}`", name.text))?;
        let request = self.parameters()?;
        let mut message = Message {
            span: Span::default(),
            name,
            request,
            response,
            errors: Vec::new(),
            is_one_way: false,
            attributes,
        };
        match self.keyword() {
            "oneway" => self.one_way(&mut message),
            "throws" => self.errors(&mut message)?,
            _ => {}
        }
        let ended = self.end_statement(format_args!("message `{}`", message.name.text));
        message.span = self.cursor.since(start);
        ended.map(|()| message)
    }

    fn one_way(&mut self, message: &mut Message<'b>) {
        self.cursor.bump();
        message.is_one_way = true;
        let returns_nothing = matches!(&message.response.kind, NodeKind::Name(name) if name.text == "null");
        if !returns_nothing {
            self.cursor.error(
                message.response.span,
                format_args!(
                    "message `{}` is `oneway`, so nobody waits for what it returns: it must return `void`",
                    message.name.text
                ),
                format_args!("write `void`, or take `oneway` away"),
            );
        }
    }

    fn errors(&mut self, message: &mut Message<'b>) -> Understood<()> {
        self.cursor.bump();
        loop {
            let word = self.word(format_args!("the name of an error"))?;
            let span = word.spelled.span;
            message.errors.push(Node { span, kind: NodeKind::Name(word.spelled), attributes: Vec::new() });
            if self.cursor.take_symbol(b',').is_none() {
                return Ok(());
            }
        }
    }

    fn parameters(&mut self) -> Understood<Vec<Field<'b>>> {
        let mut parameters = Vec::new();
        if self.cursor.take_symbol(b')').is_some() {
            return Ok(parameters);
        }
        loop {
            let start = self.cursor.start();
            let ty = self.full_type()?;
            let parameter = self.variable(&ty)?;
            parameters.push(Field { span: self.cursor.since(start), ..parameter });
            if self.cursor.take_symbol(b',').is_none() {
                self.cursor.expect_symbol(b')', format_args!("or `,` after a parameter"))?;
                return Ok(parameters);
            }
        }
    }
}

/// Declarations of named types.
impl<'b> Parser<'b> {
    fn declaration(&mut self, start: u32, annotations: Annotations<'b>) -> Understood<Node<'b>> {
        let word = self.keyword();
        self.cursor.bump();
        let name = self.type_name(format_args!("a name for the {word}"))?;
        let bearer = if word == "enum" { Bearer::Enum } else { Bearer::Named };
        let sorted = self.sort(annotations, bearer);
        let names = Names { name, namespace: sorted.namespace, aliases: sorted.aliases };
        let kind = match word {
            "enum" => self.enumeration(names)?,
            "fixed" => self.fixed(names)?,
            _ => self.record(word, names)?,
        };
        Ok(Node { span: self.cursor.since(start), kind, attributes: sorted.attributes })
    }

    /// `{ string name; int a, b = 3; }`
    fn record(&mut self, word: &str, names: Names<'b>) -> Understood<NodeKind<'b>> {
        self.open_block(word, &names.name)?;
        let mut fields = Vec::new();
        while !self.close_block(word, &names.name) {
            if self.field(&mut fields).is_err() {
                self.skip_statement();
            }
        }
        Ok(NodeKind::Record { names, is_error: word == "error", fields })
    }

    /// One type with one field or several.
    fn field(&mut self, fields: &mut Vec<Field<'b>>) -> Understood<()> {
        if self.cursor.at_symbol(b';') {
            let span = self.cursor.token().span;
            self.stray_semicolon(span);
            self.cursor.bump();
            return Ok(());
        }
        let start = self.cursor.start();
        let ty = self.full_type()?;
        let first = fields.len();
        loop {
            fields.push(self.variable(&ty)?);
            if self.cursor.take_symbol(b',').is_none() {
                break;
            }
            self.count_copy(ty.node.span)?;
        }
        let ended = self.end_statement(format_args!("a field"));
        if let [only] = &mut fields[first..] {
            only.span = self.cursor.since(start);
        }
        ended
    }

    /// Several fields of one type have a copy of it each. Limits how much that makes of how little text.
    fn count_copy(&mut self, ty: Span) -> Understood<()> {
        self.copied += ty.range().len();
        if self.copied <= COPY_LIMIT {
            return Ok(());
        }
        let span = self.cursor.token().span;
        self.cursor.error(
            span,
            format_args!("too many fields share types that are too long, so the rest of the file is not understood"),
            format_args!("declare the type once under a name"),
        );
        Err(Stop)
    }

    /// `{ A, B } = A;`
    fn enumeration(&mut self, names: Names<'b>) -> Understood<NodeKind<'b>> {
        self.open_block("enum", &names.name)?;
        let mut symbols = Vec::new();
        if self.cursor.take_symbol(b'}').is_none() && self.symbols(&mut symbols).is_err() {
            for _ in 0..=std::mem::take(&mut self.braces) {
                self.cursor.skip_to_close(b'}');
            }
        }
        let mut default = None;
        if self.cursor.take_symbol(b'=').is_some() {
            default = Some(self.word(format_args!("the symbol that stands for unknown ones"))?.spelled);
            self.end_statement(format_args!("the default of enum `{}`", names.name.text))?;
        }
        Ok(NodeKind::Enum { names, symbols, default })
    }

    fn symbols(&mut self, symbols: &mut Vec<Spelled<'b>>) -> Understood<()> {
        loop {
            // Symbols may be annotated, but nobody sees it.
            self.annotations()?;
            symbols.push(self.word(format_args!("a symbol"))?.spelled);
            if self.cursor.take_symbol(b',').is_some() {
                continue;
            }
            return self.cursor.expect_symbol(b'}', format_args!("or `,` after a symbol")).map(drop);
        }
    }

    /// `(16);`
    fn fixed(&mut self, names: Names<'b>) -> Understood<NodeKind<'b>> {
        self.cursor.expect_symbol(b'(', format_args!("and the size in bytes after fixed `{}`", names.name.text))?;
        let size = self.size(format_args!("the size in bytes"))?;
        self.cursor.expect_symbol(b')', format_args!("after the size of fixed `{}`", names.name.text))?;
        self.end_statement(format_args!("fixed `{}`", names.name.text))?;
        Ok(NodeKind::Fixed { names, size })
    }
}

#[cfg(test)]
#[path = "idl_tests.rs"]
mod tests;
