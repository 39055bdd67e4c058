//! `.avsc` and `.avpr`: JSON → a [`Document`].
//!
//! Says what is missing or has the wrong shape; names, references and defaults are the business of [`super::link`].
//! What the reference parser ignores is ignored here too (a `doc` that is no text), except where it changes the meaning.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::change::Span;
use crate::syntax::json::{Json, JsonKind, Member};
use crate::syntax::problem::Problem;

use super::ast::{Attribute, Document, Field, Message, Names, Node, NodeKind, Protocol, Spelled};
use super::foreign::{self, JsonSchema};
use crate::syntax::log::Log;

/// The largest size of a fixed that the reference implementation accepts, in bytes.
const SIZE_LIMIT: u32 = i32::MAX as u32 - 8;

/// The schema of a `.avsc`.
pub(super) fn schema<'b>(path: &Arc<str>, json: Json<'b>) -> (Document<'b>, Vec<Problem>) {
    let mut reader = Reader { log: Log::new(path) };
    let may_be_json_schema = match foreign::json_schema(&json) {
        JsonSchema::Plainly(sign) => {
            foreign::say(&mut reader.log, sign);
            return (Document::default(), reader.problems());
        }
        JsonSchema::Perhaps(sign) => Some(sign),
        JsonSchema::No => None,
    };
    reader.check_keys(&json);
    let main = Some(reader.node(json));
    (Document { main, may_be_json_schema, ..Document::default() }, reader.problems())
}

/// The protocol of a `.avpr`.
pub(super) fn protocol<'b>(path: &Arc<str>, json: Json<'b>) -> (Document<'b>, Vec<Problem>) {
    let mut reader = Reader { log: Log::new(path) };
    reader.check_keys(&json);
    let document = reader.protocol(json);
    (document, reader.problems())
}

/// Below this many members of an object every key is compared with every other.
const FEW: usize = 8;

struct Reader {
    log: Log,
}

/// The members of an object that say what a type or a field is, and all others.
#[derive(Default)]
struct Parts<'b> {
    ty: Option<Json<'b>>,
    name: Option<Json<'b>>,
    namespace: Option<Json<'b>>,
    aliases: Option<Json<'b>>,
    fields: Option<Json<'b>>,
    symbols: Option<Json<'b>>,
    size: Option<Json<'b>>,
    items: Option<Json<'b>>,
    values: Option<Json<'b>>,
    default: Option<Json<'b>>,
    attributes: Vec<Attribute<'b>>,
}

fn parts(members: Vec<Member<'_>>) -> Parts<'_> {
    let mut parts = Parts::default();
    for Member { key, key_span, value } in members {
        let part = match key.as_ref() {
            "type" => &mut parts.ty,
            "name" => &mut parts.name,
            "namespace" => &mut parts.namespace,
            "aliases" => &mut parts.aliases,
            "fields" => &mut parts.fields,
            "symbols" => &mut parts.symbols,
            "size" => &mut parts.size,
            "items" => &mut parts.items,
            "values" => &mut parts.values,
            "default" => &mut parts.default,
            "doc" => continue,
            _ => {
                parts.attributes.push(Attribute { name: Spelled { text: key, span: key_span }, value });
                continue;
            }
        };
        *part = Some(value);
    }
    parts
}

/// The opening bracket of something that lacks a part.
fn opening(span: Span) -> Span {
    Span::new(span.start, span.start + 1)
}

impl Reader {
    fn problems(self) -> Vec<Problem> {
        let mut problems = Vec::new();
        self.log.append_to(&mut problems);
        problems
    }

    /// Says which keys stand twice in an object. Readers take the last one and do not tell.
    fn check_keys(&mut self, json: &Json<'_>) {
        match &json.kind {
            JsonKind::List(values) => values.iter().for_each(|value| self.check_keys(value)),
            JsonKind::Object(members) => {
                let mut seen = FxHashSet::default();
                for (at, member) in members.iter().enumerate() {
                    let is_new = if members.len() <= FEW {
                        members[..at].iter().all(|other| other.key != member.key)
                    } else {
                        seen.insert(member.key.as_ref())
                    };
                    if !is_new {
                        self.log.refuse(
                            member.key_span,
                            format_args!("the key `{}` stands twice in this object", member.key),
                            "remove one of the two: readers take the last one and ignore the other",
                        );
                    }
                    self.check_keys(&member.value);
                }
            }
            JsonKind::Null | JsonKind::Bool(_) | JsonKind::Number(_) | JsonKind::Text(_) => {}
        }
    }

    fn node<'b>(&mut self, json: Json<'b>) -> Node<'b> {
        let span = json.span;
        match json.kind {
            JsonKind::Text(text) => plain(span, NodeKind::Name(Spelled { text, span })),
            JsonKind::List(branches) => {
                let branches = branches.into_iter().map(|branch| self.node(branch)).collect();
                plain(span, NodeKind::Union(branches))
            }
            JsonKind::Object(members) => self.object(span, members),
            kind @ (JsonKind::Null | JsonKind::Bool(_) | JsonKind::Number(_)) => {
                let help = match kind {
                    JsonKind::Null => "write `\"null\"` in quotes for the type null",
                    _ => "write the name of a type in quotes, an object, or a list of schemas for a union",
                };
                self.log.error(span, format_args!("{} is not a schema", described(&kind)), help);
                plain(span, NodeKind::Broken)
            }
        }
    }

    fn object<'b>(&mut self, span: Span, members: Vec<Member<'b>>) -> Node<'b> {
        let mut parts = parts(members);
        let ty = match parts.ty.take() {
            Some(Json { span, kind: JsonKind::Text(text) }) => Spelled { text, span },
            Some(inner @ Json { kind: JsonKind::Object(_) | JsonKind::List(_), .. }) => {
                return self.wrapped(inner, parts.attributes);
            }
            Some(other) => {
                let said = described(&other.kind);
                let message = format_args!("`type` is {}, not the name of a type", said);
                self.log.error(other.span, message, "write the name of a type in quotes");
                return plain(span, NodeKind::Broken);
            }
            None => {
                let help = if parts.attributes.iter().any(|attribute| attribute.name.text == "protocol") {
                    "a protocol belongs in a file whose name ends in .avpr"
                } else {
                    "add `\"type\": …`: the name of a type, `record`, `enum`, `fixed`, `array` or `map`"
                };
                self.log.error(opening(span), format_args!("this schema has no `type`"), help);
                return plain(span, NodeKind::Broken);
            }
        };
        let attributes = std::mem::take(&mut parts.attributes);
        let kind = match ty.text.as_ref() {
            "record" => self.record(span, &mut parts, false),
            "error" => self.record(span, &mut parts, true),
            "enum" => self.enumeration(span, &mut parts),
            "fixed" => self.fixed(span, &mut parts),
            "array" => self.inner(span, &mut parts.items, ["array", "items"]).map(NodeKind::Array),
            "map" => self.inner(span, &mut parts.values, ["map", "values"]).map(NodeKind::Map),
            _ => Some(NodeKind::Name(ty)),
        };
        Node { span, kind: kind.unwrap_or(NodeKind::Broken), attributes }
    }

    /// A schema whose `type` is a schema in turn. The reference parser takes that in fields only; others take it anywhere.
    fn wrapped<'b>(&mut self, inner: Json<'b>, outer: Vec<Attribute<'b>>) -> Node<'b> {
        self.log.warning(
            opening(inner.span),
            format_args!("the `type` of a schema is a schema in turn, which the Java implementation refuses"),
            "put the inner schema in place of the outer one",
        );
        let mut node = self.node(inner);
        node.attributes.extend(outer);
        node
    }

    fn record<'b>(&mut self, span: Span, parts: &mut Parts<'b>, is_error: bool) -> Option<NodeKind<'b>> {
        let names = self.names(span, parts);
        let fields = match parts.fields.take() {
            Some(Json { kind: JsonKind::List(fields), .. }) => self.fields(fields),
            other => {
                self.lacks(span, other, format_args!("a record needs `fields`, a list"), "add `\"fields\": []`");
                Vec::new()
            }
        };
        Some(NodeKind::Record { names: names?, is_error, fields })
    }

    fn fields<'b>(&mut self, list: Vec<Json<'b>>) -> Vec<Field<'b>> {
        let mut fields = Vec::with_capacity(list.len());
        for field in list {
            fields.extend(self.field(field));
        }
        fields
    }

    fn field<'b>(&mut self, json: Json<'b>) -> Option<Field<'b>> {
        let span = json.span;
        let JsonKind::Object(members) = json.kind else {
            let said = described(&json.kind);
            let message = format_args!("{} is not a field", said);
            self.log.error(span, message, "write an object with `name` and `type`");
            return None;
        };
        let mut parts = parts(members);
        let name = match parts.name {
            Some(Json { span, kind: JsonKind::Text(text) }) => Some(Spelled { text, span }),
            other => {
                self.lacks(span, other, format_args!("a field needs a `name`, a text"), "add `\"name\": …`");
                None
            }
        };
        let schema = match parts.ty {
            Some(schema) => self.node(schema),
            None => {
                self.log.error(opening(span), format_args!("this field has no `type`"), "add `\"type\": …`");
                plain(span, NodeKind::Broken)
            }
        };
        let order = self.order(&mut parts.attributes);
        let aliases = self.texts(parts.aliases, "aliases");
        let attributes = parts.attributes;
        Some(Field { span, name: name?, schema, default: parts.default, aliases, order, attributes })
    }

    /// Takes `order` out of the attributes of a field.
    fn order<'b>(&mut self, attributes: &mut Vec<Attribute<'b>>) -> Option<Spelled<'b>> {
        let at = attributes.iter().rposition(|attribute| attribute.name.text == "order")?;
        let Json { span, kind } = attributes.remove(at).value;
        match kind {
            JsonKind::Text(text) => Some(Spelled { text, span }),
            other => {
                let said = described(&other);
                let message = format_args!("`order` is {}, not a text", said);
                self.log.error(span, message, "write `\"ascending\"`, `\"descending\"` or `\"ignore\"`");
                None
            }
        }
    }

    fn enumeration<'b>(&mut self, span: Span, parts: &mut Parts<'b>) -> Option<NodeKind<'b>> {
        let names = self.names(span, parts);
        if !matches!(parts.symbols, Some(Json { kind: JsonKind::List(_), .. })) {
            let symbols = parts.symbols.take();
            self.lacks(span, symbols, format_args!("an enum needs `symbols`, a list"), "add `\"symbols\": [\"A\"]`");
        }
        let symbols = self.texts(parts.symbols.take(), "symbols");
        let default = match parts.default.take() {
            Some(Json { span, kind: JsonKind::Text(text) }) => Some(Spelled { text, span }),
            None | Some(Json { kind: JsonKind::Null, .. }) => None,
            Some(other) => {
                let said = described(&other.kind);
                let message = format_args!("the default of an enum is {}, so it is ignored", said);
                self.log.warning(other.span, message, "write one of the symbols in quotes, or remove it");
                None
            }
        };
        Some(NodeKind::Enum { names: names?, symbols, default })
    }

    fn fixed<'b>(&mut self, span: Span, parts: &mut Parts<'b>) -> Option<NodeKind<'b>> {
        let names = self.names(span, parts);
        let size = match parts.size.take() {
            Some(Json { span, kind: JsonKind::Number(digits) }) => (self.size(span, &digits), span),
            other => {
                self.lacks(
                    span,
                    other,
                    format_args!("a fixed needs a `size`, a number of bytes"),
                    "add `\"size\": 16`",
                );
                (0, opening(span))
            }
        };
        Some(NodeKind::Fixed { names: names?, size })
    }

    fn size(&mut self, span: Span, digits: &str) -> u32 {
        let size = digits.parse::<i128>().ok().and_then(|size| u32::try_from(size).ok());
        size.filter(|size| *size <= SIZE_LIMIT).unwrap_or_else(|| {
            let help = "write the number of bytes without a point or an exponent";
            let message = format_args!("the size {digits} is not a whole number from 0 to {SIZE_LIMIT}");
            self.log.error(span, message, help);
            0
        })
    }

    fn inner<'b>(
        &mut self,
        span: Span,
        inner: &mut Option<Json<'b>>,
        [kind, part]: [&str; 2],
    ) -> Option<Box<Node<'b>>> {
        match inner.take() {
            Some(inner) => Some(Box::new(self.node(inner))),
            None => {
                let help = format_args!("add `\"{part}\": …`").to_string();
                self.log.error(opening(span), format_args!("this {kind} has no `{part}`"), help);
                None
            }
        }
    }

    fn names<'b>(&mut self, span: Span, parts: &mut Parts<'b>) -> Option<Names<'b>> {
        let name = match parts.name.take() {
            Some(Json { span, kind: JsonKind::Text(text) }) => Some(Spelled { text, span }),
            other => {
                let message = format_args!("records, enums and fixed types need a `name`, a text");
                self.lacks(span, other, message, "add `\"name\": …`");
                None
            }
        };
        let namespace = self.namespace(parts.namespace.take());
        let aliases = self.texts(parts.aliases.take(), "aliases");
        Some(Names { name: name?, namespace, aliases })
    }

    fn namespace<'b>(&mut self, namespace: Option<Json<'b>>) -> Option<Spelled<'b>> {
        match namespace? {
            Json { span, kind: JsonKind::Text(text) } => Some(Spelled { text, span }),
            Json { kind: JsonKind::Null, .. } => None,
            other => {
                let said = described(&other.kind);
                let message = format_args!("`namespace` is {}, so it is ignored", said);
                self.log.warning(other.span, message, "write a text, or remove it");
                None
            }
        }
    }

    /// The texts of a list.
    fn texts<'b>(&mut self, list: Option<Json<'b>>, called: &str) -> Vec<Spelled<'b>> {
        let values = match list {
            None => return Vec::new(),
            Some(Json { kind: JsonKind::List(values), .. }) => values,
            Some(other) => {
                let message = format_args!("`{called}` is {}, not a list", described(&other.kind));
                self.log.error(other.span, message, "write a list of texts in brackets");
                return Vec::new();
            }
        };
        let mut texts = Vec::with_capacity(values.len());
        for Json { span, kind } in values {
            match kind {
                JsonKind::Text(text) => texts.push(Spelled { text, span }),
                other => {
                    let message = format_args!("`{called}` holds {}, and only texts are allowed", described(&other));
                    self.log.error(span, message, "write it in quotes, or remove it");
                }
            }
        }
        texts
    }

    /// Says that a part is absent or of the wrong kind.
    fn lacks(&mut self, whole: Span, found: Option<Json<'_>>, what: std::fmt::Arguments<'_>, help: &str) {
        match found {
            None => self.log.error(opening(whole), what, help),
            Some(found) => {
                let message = format_args!("{what}, and here is {}", described(&found.kind));
                self.log.error(found.span, message, help);
            }
        }
    }
}

fn plain(span: Span, kind: NodeKind<'_>) -> Node<'_> {
    Node { span, kind, attributes: Vec::new() }
}

/// A kind of value in words.
fn described(kind: &JsonKind<'_>) -> &'static str {
    match kind {
        JsonKind::Null => "the value null",
        JsonKind::Bool(_) => "a boolean",
        JsonKind::Number(_) => "a number",
        JsonKind::Text(_) => "a text",
        JsonKind::List(_) => "a list",
        JsonKind::Object(_) => "an object",
    }
}

impl Reader {
    fn protocol<'b>(&mut self, json: Json<'b>) -> Document<'b> {
        let span = json.span;
        let JsonKind::Object(members) = json.kind else {
            let said = described(&json.kind);
            let message = format_args!("{} is not a protocol", said);
            self.log.error(span, message, "write an object with `protocol`, `types` and `messages`");
            return Document::default();
        };
        let [mut name, mut namespace, mut types, mut messages] = [const { None }; 4];
        let mut attributes = Vec::new();
        for Member { key, key_span, value } in members {
            match key.as_ref() {
                "protocol" => name = Some(value),
                "namespace" => namespace = Some(value),
                "types" => types = Some(value),
                "messages" => messages = Some(value),
                "doc" => {}
                _ => attributes.push(Attribute { name: Spelled { text: key, span: key_span }, value }),
            }
        }
        let namespace = self.namespace(namespace);
        let types = self.types(types);
        let messages = self.messages(messages);
        let name = match name {
            Some(Json { span, kind: JsonKind::Text(text) }) => Spelled { text, span },
            other => {
                let message = format_args!("a protocol needs a name under `protocol`, a text");
                let is_schema = attributes.iter().any(|attribute| attribute.name.text == "type");
                let help = match is_schema {
                    true => "a schema belongs in a file whose name ends in .avsc",
                    false => "add `\"protocol\": …`",
                };
                self.lacks(span, other, message, help);
                return Document { namespace, types, ..Document::default() };
            }
        };
        let inner = namespace_in(&name).or(namespace);
        let protocol = Protocol { name, messages, attributes };
        Document { protocol: Some(protocol), namespace: inner, types, ..Document::default() }
    }

    fn types<'b>(&mut self, types: Option<Json<'b>>) -> Vec<Node<'b>> {
        let types = match types {
            None => return Vec::new(),
            Some(Json { kind: JsonKind::List(types), .. }) => types,
            Some(other) => {
                let said = described(&other.kind);
                let message = format_args!("`types` is {}, not a list", said);
                self.log.error(other.span, message, "write a list of records, enums and fixed types in brackets");
                return Vec::new();
            }
        };
        let mut nodes = Vec::with_capacity(types.len());
        for ty in types {
            if matches!(ty.kind, JsonKind::Object(_)) {
                nodes.push(self.node(ty));
            } else {
                let said = described(&ty.kind);
                let message = format_args!("{} is not the definition of a type", said);
                self.log.error(ty.span, message, "write an object that defines a record, an enum or a fixed");
            }
        }
        nodes
    }

    fn messages<'b>(&mut self, messages: Option<Json<'b>>) -> Vec<Message<'b>> {
        match messages {
            None => Vec::new(),
            Some(Json { kind: JsonKind::Object(members), .. }) => {
                members.into_iter().filter_map(|member| self.message(member)).collect()
            }
            Some(other) => {
                let said = described(&other.kind);
                let message = format_args!("`messages` is {}, not an object", said);
                self.log.error(other.span, message, "write an object with one member for each message");
                Vec::new()
            }
        }
    }

    fn message<'b>(&mut self, member: Member<'b>) -> Option<Message<'b>> {
        let span = member.key_span.to(member.value.span);
        let name = Spelled { text: member.key, span: member.key_span };
        let whole = member.value.span;
        let JsonKind::Object(members) = member.value.kind else {
            let said = described(&member.value.kind);
            let message = format_args!("{} is not a message", said);
            self.log.error(whole, message, "write an object with `request` and `response`");
            return None;
        };
        let [mut request, mut response, mut errors, mut one_way] = [const { None }; 4];
        let mut attributes = Vec::new();
        for Member { key, key_span, value } in members {
            match key.as_ref() {
                "request" => request = Some(value),
                "response" => response = Some(value),
                "errors" => errors = Some(value),
                "one-way" => one_way = Some(value),
                "doc" => {}
                _ => attributes.push(Attribute { name: Spelled { text: key, span: key_span }, value }),
            }
        }
        let is_one_way = self.one_way(one_way, errors.as_ref());
        let request = match request {
            Some(Json { kind: JsonKind::List(fields), .. }) => self.fields(fields),
            other => {
                let message = format_args!("the message `{}` needs a `request`, a list of fields", name.text);
                self.lacks(whole, other, message, "add `\"request\": []`");
                Vec::new()
            }
        };
        let response = self.response(response, &name, is_one_way);
        let errors = self.errors(errors);
        Some(Message { span, name, request, response, errors, is_one_way, attributes })
    }

    fn one_way(&mut self, one_way: Option<Json<'_>>, errors: Option<&Json<'_>>) -> bool {
        match one_way {
            None => false,
            Some(Json { kind: JsonKind::Bool(value), .. }) => {
                // Errors that are listed are refused when they are linked.
                let is_empty = |errors: &&Json<'_>| matches!(&errors.kind, JsonKind::List(list) if list.is_empty());
                if let (true, Some(errors)) = (value, errors.filter(is_empty)) {
                    let message = format_args!("a one-way message cannot declare errors: nobody waits for them");
                    self.log.error(errors.span, message, "remove `errors` or `one-way`");
                }
                value
            }
            Some(other) => {
                let said = described(&other.kind);
                let message = format_args!("`one-way` is {}, not a boolean", said);
                self.log.error(other.span, message, "write `true` or `false`");
                false
            }
        }
    }

    fn response<'b>(&mut self, response: Option<Json<'b>>, name: &Spelled<'b>, is_one_way: bool) -> Node<'b> {
        match response {
            Some(response) => self.node(response),
            None => {
                if !is_one_way {
                    let message = format_args!("the message `{}` has no `response`", name.text);
                    self.log.error(name.span, message, "add `\"response\": …`, `\"null\"` for nothing");
                }
                let null = Spelled { text: Cow::Borrowed("null"), span: name.span };
                plain(name.span, NodeKind::Name(null))
            }
        }
    }

    fn errors<'b>(&mut self, errors: Option<Json<'b>>) -> Vec<Node<'b>> {
        let names = self.texts(errors, "errors").into_iter();
        names.map(|name| plain(name.span, NodeKind::Name(name))).collect()
    }
}

/// The namespace that stands in a name with dots.
fn namespace_in<'b>(name: &Spelled<'b>) -> Option<Spelled<'b>> {
    let dot = name.text.rfind('.')?;
    let text = match &name.text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..dot]),
        Cow::Owned(text) => Cow::Owned(text[..dot].to_owned()),
    };
    Some(Spelled { text, span: name.span })
}
