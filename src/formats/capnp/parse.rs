//! `.capnp` text → a [`Document`]: what stands in one file, as written.
//!
//! Reads the grammar of <https://capnproto.org/language.html> as the compiler of release 1.0 has it. A statement that
//! cannot be understood is reported and skipped, and the rest of the file is still read.
//!
//! Files and declarations are here, fields and methods in `parse_members`, names and values in `parse_values`.

use std::fmt;
use std::sync::Arc;

use crate::change::Span;
use crate::syntax::cursor::Cursor;
use crate::syntax::lexer::{
    CommentStyle, LexStyle, LineEnd, NameStyle, NestedComment, NumberStyle, StringStyle, TokenKind,
};
use crate::syntax::literal::{self, Integer};
use crate::syntax::problem::Problem;
use crate::syntax::spelled::Spelled;
use crate::syntax::statement::{Stop, Understood};

use super::ast::{Annotation, Declaration, Enumerant, Kind, Path, Start, Step};

pub(crate) use super::ast::Document;

pub(super) const STYLE: LexStyle = LexStyle {
    comments: CommentStyle::Hash,
    line_end: LineEnd::Feed,
    nested_comment: NestedComment::Ignored,
    names: NameStyle::Ascii,
    numbers: NumberStyle::C,
    strings: StringStyle::Blobs,
};

/// How deep declarations, types and values may nest.
pub(super) const NESTING_LIMIT: u32 = 100;

/// Reads one file; does not stop at the first problem.
pub(crate) fn parse<'b>(file: &Arc<str>, bytes: &'b [u8]) -> (Document<'b>, Vec<Problem>) {
    let mut parser = Parser { cursor: Cursor::of_file(file, bytes, STYLE), depth: 0, document: Document::default() };
    let mut body = Vec::new();
    while !parser.cursor.at_end() {
        if parser.cursor.take_symbol(b'}').is_some() {
            let at = parser.cursor.previous_end();
            let (message, help) = ("this `}` closes nothing", "delete it, or add the `{` that it is for");
            parser.cursor.error(Span::new(at - 1, at), format_args!("{message}"), format_args!("{help}"));
        } else if parser.top_level(&mut body).is_err() {
            parser.cursor.skip_statement();
        }
    }
    parser.document.body = body;
    (parser.document, parser.cursor.into_problems())
}

pub(super) struct Parser<'b> {
    pub(super) cursor: Cursor<'b>,
    /// How much is open.
    pub(super) depth: u32,
    pub(super) document: Document<'b>,
}

/// The words that begin a declaration wherever one may stand.
const KEYWORDS: [&str; 6] = ["using", "const", "annotation", "struct", "enum", "interface"];

/// What annotations may stand at.
const TARGETS: [&str; 12] = [
    "file",
    "struct",
    "field",
    "union",
    "group",
    "enum",
    "enumerant",
    "interface",
    "method",
    "param",
    "annotation",
    "const",
];

/// Whether a token can begin a statement.
pub(super) fn begins(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Identifier | TokenKind::Symbol(b'$' | b'@'))
}

/// Files and declarations.
impl<'b> Parser<'b> {
    fn top_level(&mut self, body: &mut Vec<Declaration<'b>>) -> Understood<()> {
        if self.cursor.at_symbol(b'@') {
            let id = self.id()?;
            if let (Some(_), Some((_, span))) = (self.document.id, id) {
                self.cursor.error(
                    span,
                    format_args!("the file has an id already"),
                    format_args!("take one of the two away"),
                );
            }
            self.document.id = self.document.id.or(id);
            return self.end(format_args!("the id of the file"));
        }
        if self.cursor.at_symbol(b'$') {
            while self.cursor.at_symbol(b'$') {
                let annotation = self.annotation()?;
                self.document.annotations.push(annotation);
            }
            return self.end(format_args!("an annotation"));
        }
        if !self.at_declaration() {
            let help = "a declaration begins with `struct`, `enum`, `interface`, `const`, `annotation` or `using`";
            return Err(self.cursor.expected(format_args!("a declaration"), format_args!("{help}")));
        }
        body.extend(self.declaration()?);
        Ok(())
    }

    /// Whether a declaration begins here. Where fields may be called like the words that begin one, what follows decides.
    pub(super) fn at_declaration(&self) -> bool {
        if !KEYWORDS.contains(&self.cursor.word()) {
            return false;
        }
        let mut ahead = self.cursor.clone();
        ahead.bump();
        ahead.at(TokenKind::Identifier) || ahead.at_symbol(b'.')
    }

    /// The `;` of a statement.
    pub(super) fn end(&mut self, what: fmt::Arguments<'_>) -> Understood<()> {
        self.cursor.end_statement(what, begins)
    }

    /// Does something one level deeper.
    pub(super) fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Understood<T>) -> Understood<T> {
        if self.depth >= NESTING_LIMIT {
            let span = self.cursor.token().span;
            let message = format_args!("this nests deeper than {NESTING_LIMIT} levels, so it is not read");
            self.cursor.error(span, message, format_args!("nest less deep"));
            return Err(Stop);
        }
        self.depth += 1;
        let found = inner(self);
        self.depth -= 1;
        found
    }

    /// A declaration. Nothing where it says only what is an error.
    pub(super) fn declaration(&mut self) -> Understood<Option<Declaration<'b>>> {
        self.deeper(|parser| {
            let start = parser.cursor.start();
            let word = parser.cursor.bump().span;
            match parser.cursor.text(word) {
                "using" => parser.using(start),
                "const" => parser.constant(start).map(Some),
                "annotation" => parser.annotation_declaration(start).map(Some),
                "struct" => parser.structure(start).map(Some),
                "enum" => parser.enumeration(start).map(Some),
                _ => parser.interface(start).map(Some),
            }
        })
    }

    fn using(&mut self, start: u32) -> Understood<Option<Declaration<'b>>> {
        let first = self.path()?;
        let is_renamed = self.cursor.take_symbol(b'=').is_some();
        let own = match (&first.start, &first.steps[..]) {
            (Start::Scope(name), []) if is_renamed => Some(name),
            (_, [.., Step::Member(name)]) if !is_renamed => Some(name),
            _ => None,
        };
        let Some(name) = own.cloned() else {
            let message = format_args!("what is used here needs a name of its own");
            let help =
                format_args!("write `using Name = …`, or name what stands in something else, as in `using Other.Name`");
            self.cursor.error(first.span, message, help);
            return Err(Stop);
        };
        let target = if is_renamed { self.path()? } else { first };
        self.end(format_args!("`using`"))?;
        Ok(Some(self.declared(start, Head::of(name), Kind::Using(target))))
    }

    fn constant(&mut self, start: u32) -> Understood<Declaration<'b>> {
        let mut head = self.head("a constant")?;
        self.cursor.expect_symbol(b':', format_args!("before the type of the constant"))?;
        let ty = self.path()?;
        self.cursor.expect_symbol(b'=', format_args!("before the value of the constant"))?;
        let value = self.value()?;
        head.annotations.extend(self.annotations()?);
        self.end(format_args!("the constant"))?;
        Ok(self.declared(start, head, Kind::Constant(ty, value)))
    }

    fn annotation_declaration(&mut self, start: u32) -> Understood<Declaration<'b>> {
        let name = self.name(format_args!("a name for the annotation"))?;
        let id = self.id_if_any()?;
        self.cursor.expect_symbol(b'(', format_args!("before what the annotation may stand at"))?;
        let (mut targets, mut is_any) = (Vec::new(), false);
        while self.cursor.take_symbol(b')').is_none() {
            match self.cursor.take_symbol(b'*') {
                Some(_) => is_any = true,
                None => targets.push(self.name(format_args!("a kind of declaration, or `*`"))?),
            }
            self.comma(b')')?;
        }
        self.check_targets(&targets, is_any);
        self.cursor.expect_symbol(b':', format_args!("before the type of the annotation"))?;
        let ty = self.path()?;
        let annotations = self.annotations()?;
        self.end(format_args!("the annotation"))?;
        let head = Head { name, id, parameters: Vec::new(), annotations };
        Ok(self.declared(start, head, Kind::Annotation(ty, (!is_any).then_some(targets))))
    }

    /// What an annotation may stand at is a kind of declaration; anything is no more than that.
    fn check_targets(&mut self, targets: &[Spelled<'b>], is_any: bool) {
        for target in targets {
            if is_any {
                let help = format_args!("write `*` or the kinds, and not both");
                self.cursor.error(target.span, format_args!("`*` stands beside it already"), help);
            } else if !TARGETS.contains(&&*target.text) {
                let message = format_args!("`{}` is no kind of declaration", target.text);
                self.cursor.error(target.span, message, format_args!("write one of {}", TARGETS.join(", ")));
            }
        }
    }

    fn structure(&mut self, start: u32) -> Understood<Declaration<'b>> {
        let mut head = self.head("a struct")?;
        head.parameters = self.parameters(b'(', b')')?;
        head.annotations.extend(self.annotations()?);
        self.cursor.expect_symbol(b'{', format_args!("before the fields of the struct"))?;
        let (mut members, mut nested) = (Vec::new(), Vec::new());
        while !self.cursor.close_block("struct", &head.name, |_| false) {
            let read = match self.at_declaration() {
                true => self.declaration().map(|one| nested.extend(one)),
                false => self.member().map(|one| members.push(one)),
            };
            if read.is_err() {
                self.cursor.skip_statement();
            }
        }
        let mut declared = self.declared(start, head, Kind::Struct(members));
        declared.nested = nested;
        Ok(declared)
    }

    fn enumeration(&mut self, start: u32) -> Understood<Declaration<'b>> {
        let mut head = self.head("an enum")?;
        head.annotations.extend(self.annotations()?);
        self.cursor.expect_symbol(b'{', format_args!("before the values of the enum"))?;
        let mut values = Vec::new();
        while !self.cursor.close_block("enum", &head.name, |_| false) {
            match self.enumerant() {
                Ok(value) => values.push(value),
                Err(Stop) => self.cursor.skip_statement(),
            }
        }
        Ok(self.declared(start, head, Kind::Enum(values)))
    }

    fn enumerant(&mut self) -> Understood<Enumerant<'b>> {
        let start = self.cursor.start();
        let name = self.name(format_args!("a value of the enum"))?;
        let ordinal = self.ordinal()?;
        let annotations = self.annotations()?;
        let span = self.cursor.since(start);
        self.end(format_args!("the value"))?;
        Ok(Enumerant { name, span, ordinal, annotations })
    }

    fn interface(&mut self, start: u32) -> Understood<Declaration<'b>> {
        let mut head = self.head("an interface")?;
        head.parameters = self.parameters(b'(', b')')?;
        let mut extends = Vec::new();
        if self.cursor.take_word("extends").is_some() {
            self.cursor.expect_symbol(b'(', format_args!("before the interfaces that this one extends"))?;
            extends = self.paths(b')')?;
        }
        head.annotations.extend(self.annotations()?);
        self.cursor.expect_symbol(b'{', format_args!("before the methods of the interface"))?;
        let (mut methods, mut nested) = (Vec::new(), Vec::new());
        while !self.cursor.close_block("interface", &head.name, |_| false) {
            let read = match self.at_declaration() {
                true => self.declaration().map(|one| nested.extend(one)),
                false => self.method().map(|one| methods.push(one)),
            };
            if read.is_err() {
                self.cursor.skip_statement();
            }
        }
        let mut declared = self.declared(start, head, Kind::Interface(extends, methods));
        declared.nested = nested;
        Ok(declared)
    }

    /// Name, id and annotations.
    fn head(&mut self, what: &str) -> Understood<Head<'b>> {
        let name = self.name(format_args!("a name for {what}"))?;
        let id = self.id_if_any()?;
        Ok(Head { name, id, parameters: Vec::new(), annotations: Vec::new() })
    }

    fn declared(&self, start: u32, head: Head<'b>, kind: Kind<'b>) -> Declaration<'b> {
        let Head { name, id, parameters, annotations } = head;
        Declaration { name, span: self.cursor.since(start), id, parameters, annotations, kind, nested: Vec::new() }
    }

    pub(super) fn name(&mut self, what: fmt::Arguments<'_>) -> Understood<Spelled<'b>> {
        self.cursor.expect_name(what)
    }

    /// Names in brackets, where such stand here.
    pub(super) fn parameters(&mut self, open: u8, close: u8) -> Understood<Vec<Spelled<'b>>> {
        let mut parameters = Vec::new();
        if self.cursor.take_symbol(open).is_none() {
            return Ok(parameters);
        }
        while self.cursor.take_symbol(close).is_none() {
            parameters.push(self.name(format_args!("a name for a type parameter"))?);
            self.comma(close)?;
        }
        Ok(parameters)
    }

    /// Names of types up to a closing bracket.
    pub(super) fn paths(&mut self, close: u8) -> Understood<Vec<Path<'b>>> {
        let mut paths = Vec::new();
        while self.cursor.take_symbol(close).is_none() {
            paths.push(self.path()?);
            self.comma(close)?;
        }
        Ok(paths)
    }

    /// The comma between two things in brackets.
    pub(super) fn comma(&mut self, close: u8) -> Understood<()> {
        if self.cursor.take_symbol(b',').is_some() || self.cursor.at_symbol(close) {
            return Ok(());
        }
        let close = close as char;
        Err(self.cursor.expected(format_args!("`,` or `{close}`"), format_args!("separate what is listed by commas")))
    }

    pub(super) fn id_if_any(&mut self) -> Understood<Option<(u64, Span)>> {
        if self.cursor.at_symbol(b'@') { self.id() } else { Ok(None) }
    }

    /// `@0x…`; nothing where the number is no id, which is reported.
    fn id(&mut self) -> Understood<Option<(u64, Span)>> {
        let start = self.cursor.start();
        let number = self.number_behind_at()?;
        let span = self.cursor.since(start);
        match number {
            Integer::Fits(id) if id >> 63 == 1 => Ok(Some((id, span))),
            Integer::Fits(_) | Integer::TooLarge => {
                let help = format_args!("make one with `capnp id`");
                self.cursor.error(span, format_args!("an id has 64 bits, and its highest bit is set"), help);
                Ok(None)
            }
        }
    }

    /// `@5`
    pub(super) fn ordinal(&mut self) -> Understood<(u16, Span)> {
        let start = self.cursor.start();
        let number = self.number_behind_at()?;
        let span = self.cursor.since(start);
        match number {
            Integer::Fits(ordinal) if ordinal < u64::from(u16::MAX) => Ok((ordinal as u16, span)),
            Integer::Fits(_) | Integer::TooLarge => {
                let message = format_args!("ordinals are smaller than 65535");
                self.cursor.error(span, message, format_args!("number the members from `@0` without gaps"));
                Err(Stop)
            }
        }
    }

    fn number_behind_at(&mut self) -> Understood<Integer> {
        self.cursor.expect_symbol(b'@', format_args!("and a number"))?;
        if !self.cursor.at(TokenKind::Integer) {
            return Err(self.cursor.expected(format_args!("a number after `@`"), format_args!("write `@` and digits")));
        }
        let span = self.cursor.bump().span;
        Ok(literal::integer(self.cursor.bytes(span)))
    }

    pub(super) fn annotations(&mut self) -> Understood<Vec<Annotation<'b>>> {
        let mut annotations = Vec::new();
        while self.cursor.at_symbol(b'$') {
            annotations.push(self.annotation()?);
        }
        Ok(annotations)
    }
}

/// How every declaration begins.
pub(super) struct Head<'b> {
    name: Spelled<'b>,
    id: Option<(u64, Span)>,
    parameters: Vec<Spelled<'b>>,
    annotations: Vec<Annotation<'b>>,
}

impl<'b> Head<'b> {
    fn of(name: Spelled<'b>) -> Self {
        Head { name, id: None, parameters: Vec::new(), annotations: Vec::new() }
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
