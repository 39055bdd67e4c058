//! Types, fields and annotations of Avro IDL.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::fmt;

use rustc_hash::FxHashMap;

use crate::change::Span;
use crate::syntax::json::{Json, JsonKind};
use crate::syntax::lexer::TokenKind;
use crate::syntax::literal::{self, Integer};
use crate::syntax::statement::{Stop, Understood};

use super::ast::{Attribute, Field, Node, NodeKind, Spelled};
use super::idl_parser::{NESTING_LIMIT, Parser};
use super::model::Primitive;

/// Annotations in the order written.
pub(super) type Annotations<'b> = Vec<Attribute<'b>>;

/// What annotations stand before; it decides which of them have a meaning and which cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bearer {
    Protocol,
    /// A record, an error or a fixed.
    Named,
    Enum,
    Field,
    /// A type where it is used.
    Type,
    Message,
}

/// Annotations sorted by their meaning.
#[derive(Debug, Default)]
pub(super) struct Sorted<'b> {
    pub(super) namespace: Option<Spelled<'b>>,
    pub(super) aliases: Vec<Spelled<'b>>,
    pub(super) order: Option<Spelled<'b>>,
    pub(super) attributes: Vec<Attribute<'b>>,
}

/// A type as written.
#[derive(Debug)]
pub(super) struct Typed<'b> {
    pub(super) node: Node<'b>,
    /// Whether it was written with `?`; then it is a union of null and something.
    pub(super) is_optional: bool,
}

impl Bearer {
    const fn called(self) -> &'static str {
        match self {
            Bearer::Protocol => "a protocol",
            Bearer::Named => "a declaration",
            Bearer::Enum => "an enum",
            Bearer::Field => "a field",
            Bearer::Type => "a type",
            Bearer::Message => "a message",
        }
    }

    /// Names that JSON schemas use for the thing itself, so that no annotation can have them.
    const fn reserved(self) -> &'static [&'static str] {
        match self {
            Bearer::Protocol => &["namespace", "protocol", "doc", "messages", "types", "errors"],
            Bearer::Named | Bearer::Type => {
                &["doc", "fields", "items", "name", "namespace", "size", "symbols", "values", "type", "aliases"]
            }
            Bearer::Enum => &[
                "doc",
                "fields",
                "items",
                "name",
                "namespace",
                "size",
                "symbols",
                "values",
                "type",
                "aliases",
                "default",
            ],
            Bearer::Field => &["default", "doc", "name", "order", "type", "aliases"],
            Bearer::Message => &["doc", "response", "request", "errors", "one-way"],
        }
    }

    const fn has_namespace(self) -> bool {
        matches!(self, Bearer::Protocol | Bearer::Named | Bearer::Enum)
    }

    const fn has_aliases(self) -> bool {
        matches!(self, Bearer::Named | Bearer::Enum | Bearer::Field)
    }
}

/// A keyword for a primitive type with a logical type: the keyword, the primitive, the logical type.
const LOGICAL: [(&str, Primitive, &str); 5] = [
    ("date", Primitive::Int, "date"),
    ("time_ms", Primitive::Int, "time-millis"),
    ("timestamp_ms", Primitive::Long, "timestamp-millis"),
    ("local_timestamp_ms", Primitive::Long, "local-timestamp-millis"),
    ("uuid", Primitive::String, "uuid"),
];

/// Annotations.
impl<'b> Parser<'b> {
    /// `@name(value)`, any number of them.
    pub(super) fn annotations(&mut self) -> Understood<Annotations<'b>> {
        let mut annotations: Annotations<'b> = Vec::new();
        let mut known: FxHashMap<Cow<'b, str>, usize> = FxHashMap::default();
        while self.cursor.take_symbol(b'@').is_some() {
            let name = self.word(format_args!("the name of an annotation after `@`"))?.spelled;
            self.cursor.expect_symbol(b'(', format_args!("and a value after `@{}`", name.text))?;
            let value = self.json()?;
            self.cursor.expect_symbol(b')', format_args!("after the value of `@{}`", name.text))?;
            // The last of several with one name counts.
            match known.entry(name.text.clone()) {
                Entry::Occupied(before) => annotations[*before.get()] = Attribute { name, value },
                Entry::Vacant(place) => {
                    place.insert(annotations.len());
                    annotations.push(Attribute { name, value });
                }
            }
        }
        Ok(annotations)
    }

    /// Refuses annotations where nothing bears them.
    pub(super) fn no_annotations(&mut self, annotations: &Annotations<'b>) -> Understood<()> {
        let Some(first) = annotations.first() else { return Ok(()) };
        let found = self.cursor.found();
        self.cursor.error(
            first.name.span,
            format_args!("`@{}` stands before {found}, which cannot be annotated", first.name.text),
            format_args!("annotations stand before protocols, declarations, messages, types and the names of fields"),
        );
        Ok(())
    }

    /// Takes out of annotations what has a meaning of its own, and refuses what cannot be.
    pub(super) fn sort(&mut self, annotations: Annotations<'b>, bearer: Bearer) -> Sorted<'b> {
        let mut sorted = Sorted::default();
        for Attribute { name, value } in annotations {
            match &*name.text {
                "namespace" if bearer.has_namespace() => sorted.namespace = self.annotated_text(&name, value),
                "aliases" if bearer.has_aliases() => sorted.aliases = self.annotated_aliases(value),
                "order" if bearer == Bearer::Field => sorted.order = self.annotated_order(&name, value),
                reserved if bearer.reserved().contains(&reserved) => self.reserved(&name, bearer),
                _ => sorted.attributes.push(Attribute { name, value }),
            }
        }
        sorted
    }

    fn reserved(&mut self, name: &Spelled<'b>, bearer: Bearer) {
        let help = match (&*name.text, bearer) {
            ("doc", _) => "write a comment that begins with `/**` instead",
            ("aliases" | "order" | "default", Bearer::Type) => "put it directly before the name of the field",
            ("namespace", _) => "only declarations and protocols have namespaces",
            ("default", _) => "write the default after `=`",
            _ => "choose another name for the annotation",
        };
        self.cursor.error(
            name.span,
            format_args!("{} cannot be annotated with `@{}`: the name is reserved", bearer.called(), name.text),
            format_args!("{help}"),
        );
    }

    fn annotated_text(&mut self, name: &Spelled<'b>, value: Json<'b>) -> Option<Spelled<'b>> {
        match value.kind {
            JsonKind::Text(text) => Some(Spelled { text, span: value.span }),
            _ => {
                self.cursor.error(
                    value.span,
                    format_args!("`@{}` takes a string", name.text),
                    format_args!("write it as in `@{}(\"…\")`", name.text),
                );
                None
            }
        }
    }

    fn annotated_aliases(&mut self, value: Json<'b>) -> Vec<Spelled<'b>> {
        let mut aliases = Vec::new();
        let mut wrong = None;
        match value.kind {
            JsonKind::List(items) => {
                for item in items {
                    match item.kind {
                        JsonKind::Text(text) => aliases.push(Spelled { text, span: item.span }),
                        _ => wrong = wrong.or(Some(item.span)),
                    }
                }
            }
            _ => wrong = Some(value.span),
        }
        if let Some(span) = wrong {
            self.cursor.error(
                span,
                format_args!("`@aliases` takes a list of strings"),
                format_args!("write it as in `@aliases([\"former.Name\"])`"),
            );
        }
        aliases
    }

    /// Capitals do not matter here, unlike in JSON.
    fn annotated_order(&mut self, name: &Spelled<'b>, value: Json<'b>) -> Option<Spelled<'b>> {
        let order = self.annotated_text(name, value)?;
        match ["ascending", "descending", "ignore"].into_iter().find(|known| order.text.eq_ignore_ascii_case(known)) {
            Some(known) => Some(Spelled { text: Cow::Borrowed(known), span: order.span }),
            None => {
                self.cursor.error(
                    order.span,
                    format_args!("there is no order `{}`", order.text),
                    format_args!("write \"ascending\", \"descending\" or \"ignore\""),
                );
                None
            }
        }
    }
}

/// Types.
impl<'b> Parser<'b> {
    /// A type with its annotations.
    pub(super) fn full_type(&mut self) -> Understood<Typed<'b>> {
        let start = self.cursor.start();
        let annotations = self.annotations()?;
        let mut ty = self.plain_type()?;
        if annotations.is_empty() {
            return Ok(ty);
        }
        let attributes = self.sort(annotations, Bearer::Type).attributes;
        match &mut ty.node.kind {
            // What is said of an optional type is said of the one that is not null.
            NodeKind::Union(branches) if ty.is_optional => {
                if let Some(branch) = branches.last_mut() {
                    self.annotate(branch, attributes);
                }
            }
            _ => self.annotate(&mut ty.node, attributes),
        }
        ty.node.span = self.cursor.since(start);
        Ok(ty)
    }

    /// Adds attributes to a type where it is used.
    fn annotate(&mut self, node: &mut Node<'b>, attributes: Vec<Attribute<'b>>) {
        match &node.kind {
            NodeKind::Name(_) => self.refuse_on_reference(node, &attributes),
            // A union has no attributes: the reference compiler drops them.
            NodeKind::Union(_) => return,
            _ => {}
        }
        let own = node.attributes.len();
        for attribute in attributes {
            match node.attributes[..own].iter().find(|known| known.name.text == attribute.name.text) {
                Some(known) if known.value.same_meaning(&attribute.value) => {}
                Some(known) => {
                    let keyword = self.cursor.text(known.name.span);
                    self.cursor.error(
                        attribute.name.span,
                        format_args!("`{keyword}` has a `{}` of its own", attribute.name.text),
                        format_args!("write the underlying type in place of `{keyword}`, or take the annotation away"),
                    );
                }
                None => node.attributes.push(attribute),
            }
        }
    }

    /// Refuses annotations before the name of a declared type; those of a message count as such, too.
    pub(super) fn refuse_on_reference(&mut self, node: &Node<'b>, attributes: &[Attribute<'b>]) {
        let named = match &node.kind {
            NodeKind::Union(branches) => branches.last().unwrap_or(node),
            _ => node,
        };
        if let (NodeKind::Name(name), Some(Attribute { name: annotation, .. })) = (&named.kind, attributes.first())
            && Primitive::from_name(&name.text).is_none()
        {
            self.cursor.error(
                annotation.span,
                format_args!(
                    "`@{}` cannot stand before `{}`: references to types are not annotated",
                    annotation.text, name.text
                ),
                format_args!("put it before the declaration of the type, or directly before the name of the field"),
            );
        }
    }

    /// A type without annotations.
    pub(super) fn plain_type(&mut self) -> Understood<Typed<'b>> {
        self.enter(format_args!("types"))?;
        let ty = self.type_inside();
        self.depth -= 1;
        ty
    }

    /// Counts one more type or value that is open.
    pub(super) fn enter(&mut self, what: fmt::Arguments<'_>) -> Understood<()> {
        if self.depth >= NESTING_LIMIT {
            let span = self.cursor.token().span;
            self.cursor.error(
                span,
                format_args!("{what} are nested deeper than {NESTING_LIMIT} levels"),
                format_args!("nobody needs that; the file may be generated by mistake"),
            );
            return Err(Stop);
        }
        self.depth += 1;
        Ok(())
    }

    fn type_inside(&mut self) -> Understood<Typed<'b>> {
        let start = self.cursor.start();
        let word = self.word(format_args!("a type"))?;
        let span = word.spelled.span;
        let keyword = if word.quoted { "" } else { &*word.spelled.text };
        let node = match keyword {
            "array" if self.cursor.at_symbol(b'<') => return self.container(start, NodeKind::Array),
            "map" if self.cursor.at_symbol(b'<') => return self.container(start, NodeKind::Map),
            "union" if self.cursor.at_symbol(b'{') => return self.union(start),
            "decimal" if self.cursor.at_symbol(b'(') => self.decimal(span)?,
            _ => match LOGICAL.iter().find(|(known, ..)| *known == keyword) {
                Some((_, primitive, logical)) => {
                    let name = Spelled { text: Cow::Borrowed(primitive.name()), span };
                    let attributes = vec![text_attribute("logicalType", logical, span)];
                    Node { span, kind: NodeKind::Name(name), attributes }
                }
                None => {
                    self.refuse_quoted_primitive(word.quoted, &word.spelled);
                    Node { span, kind: NodeKind::Name(word.spelled), attributes: Vec::new() }
                }
            },
        };
        let Some(mark) = self.cursor.take_symbol(b'?') else { return Ok(Typed { node, is_optional: false }) };
        let null = Spelled { text: Cow::Borrowed("null"), span: mark };
        let null = Node { span: mark, kind: NodeKind::Name(null), attributes: Vec::new() };
        let kind = NodeKind::Union(vec![null, node]);
        Ok(Typed { node: Node { span: self.cursor.since(start), kind, attributes: Vec::new() }, is_optional: true })
    }

    /// A name in backticks is never a keyword, and no type can be declared that is called like a primitive one.
    fn refuse_quoted_primitive(&mut self, quoted: bool, name: &Spelled<'b>) {
        if quoted && Primitive::from_name(&name.text).is_some() {
            self.cursor.error(
                name.span,
                format_args!("in backticks `{}` is the name of a declared type, and there can be none", name.text),
                format_args!("take the backticks away for the built-in type"),
            );
        }
    }

    /// `<…>` of an array or a map.
    fn container(&mut self, start: u32, of: fn(Box<Node<'b>>) -> NodeKind<'b>) -> Understood<Typed<'b>> {
        self.cursor.bump();
        let inner = Box::new(self.full_type()?.node);
        self.cursor.expect_symbol(b'>', format_args!("after the type inside `<`"))?;
        self.not_optional(of(inner), start)
    }

    /// `{…}` of a union.
    fn union(&mut self, start: u32) -> Understood<Typed<'b>> {
        self.cursor.bump();
        self.braces += 1;
        let mut branches = Vec::new();
        loop {
            branches.push(self.full_type()?.node);
            if self.cursor.take_symbol(b',').is_none() {
                break;
            }
        }
        self.cursor.expect_symbol(b'}', format_args!("or `,` after a branch of the union"))?;
        self.braces -= 1;
        self.not_optional(NodeKind::Union(branches), start)
    }

    /// Only primitive types and names can be followed by `?`.
    fn not_optional(&mut self, kind: NodeKind<'b>, start: u32) -> Understood<Typed<'b>> {
        let span = self.cursor.since(start);
        if let Some(mark) = self.cursor.take_symbol(b'?') {
            self.cursor.error(
                mark,
                format_args!("`?` can only follow a primitive type or a name"),
                format_args!("write `union {{ null, … }}` instead"),
            );
        }
        Ok(Typed { node: Node { span, kind, attributes: Vec::new() }, is_optional: false })
    }

    /// `(precision, scale)`; the scale is zero where it is not written.
    fn decimal(&mut self, keyword: Span) -> Understood<Node<'b>> {
        self.cursor.bump();
        let (precision, precision_span) = self.size(format_args!("the precision of the decimal"))?;
        if precision == 0 {
            self.cursor.error(
                precision_span,
                format_args!("a decimal has at least one digit"),
                format_args!("write a precision from 1"),
            );
        }
        let mut scale = (0, precision_span);
        if self.cursor.take_symbol(b',').is_some() {
            scale = self.size(format_args!("the scale of the decimal"))?;
        }
        if scale.0 > precision {
            self.cursor.error(
                scale.1,
                format_args!("the scale {} is larger than the precision {precision}", scale.0),
                format_args!("the precision counts all digits, those behind the point included"),
            );
        }
        self.cursor.expect_symbol(b')', format_args!("after the scale of the decimal"))?;
        let attributes = vec![
            text_attribute("logicalType", "decimal", keyword),
            number_attribute("precision", precision, precision_span),
            number_attribute("scale", scale.0, scale.1),
        ];
        let name = Spelled { text: Cow::Borrowed(Primitive::Bytes.name()), span: keyword };
        Ok(Node { span: self.cursor.since(keyword.start), kind: NodeKind::Name(name), attributes })
    }

    /// A whole number that is not negative, of 31 bits.
    pub(super) fn size(&mut self, what: fmt::Arguments<'_>) -> Understood<(u32, Span)> {
        let start = self.cursor.start();
        let is_negative = self.cursor.take_symbol(b'-').is_some();
        if !self.cursor.at(TokenKind::Integer) {
            return Err(self.cursor.expected(what, format_args!("write a whole number")));
        }
        let token = self.cursor.bump().span;
        let span = self.cursor.since(start);
        let value = match literal::integer(self.cursor.bytes(token)) {
            _ if is_negative || self.cursor.text(token).ends_with(['l', 'L']) => None,
            Integer::Fits(value) => u32::try_from(value).ok().filter(|value| i32::try_from(*value).is_ok()),
            Integer::TooLarge => None,
        };
        match value {
            Some(value) => Ok((value, span)),
            None => {
                let written = self.cursor.text(span);
                self.cursor.error(
                    span,
                    format_args!("`{written}` cannot be {what}"),
                    format_args!("write a whole number from 0 to {}, without a suffix", i32::MAX),
                );
                Ok((1, span))
            }
        }
    }

    /// The name of a field or a parameter with its default.
    pub(super) fn variable(&mut self, ty: &Typed<'b>) -> Understood<Field<'b>> {
        let start = self.cursor.start();
        let annotations = self.annotations()?;
        let sorted = self.sort(annotations, Bearer::Field);
        let name = self.word(format_args!("a name after the type"))?.spelled;
        let default = match self.cursor.take_symbol(b'=') {
            Some(_) => Some(self.json()?),
            None => None,
        };
        let mut schema = ty.node.clone();
        // `string? name = "x"` is a union that begins with the string, so that the default fits its first branch.
        let is_null = default.as_ref().is_none_or(|default| default.kind == JsonKind::Null);
        if let NodeKind::Union(branches) = &mut schema.kind
            && ty.is_optional
            && !is_null
        {
            branches.reverse();
        }
        let Sorted { aliases, order, attributes, .. } = sorted;
        Ok(Field { span: self.cursor.since(start), name, schema, default, aliases, order, attributes })
    }
}

fn text_attribute<'b>(name: &'static str, value: &'static str, span: Span) -> Attribute<'b> {
    let value = Json { span, kind: JsonKind::Text(Cow::Borrowed(value)) };
    Attribute { name: Spelled { text: Cow::Borrowed(name), span }, value }
}

fn number_attribute<'b>(name: &'static str, value: u32, span: Span) -> Attribute<'b> {
    let value = Json { span, kind: JsonKind::Number(Cow::Owned(value.to_string())) };
    Attribute { name: Spelled { text: Cow::Borrowed(name), span }, value }
}
