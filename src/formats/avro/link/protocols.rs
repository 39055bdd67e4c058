//! Protocols and their messages (specification, *Protocol Declaration*; *IDL Language*, *Imports*).

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::ast::{self, ImportKind};
use super::super::model::{Kind, Message, Name, Primitive, Protocol, Record, Schema, TypeId, Union, Use};
use super::{Input, Linker, borrowed, repeated};
use crate::ordered::InOrder;

impl<'t> Linker<'t> {
    /// Adds the protocol of a file whose types have been made.
    pub(super) fn protocol(&mut self, protocol: &'t ast::Protocol<'t>, types: &[Use], namespace: &str) {
        let simple = protocol.name.text.rsplit('.').next().unwrap_or_default();
        let full: Arc<str> =
            if namespace.is_empty() { Arc::from(simple) } else { Arc::from([namespace, ".", simple].concat()) };
        let name = Name { full, span: protocol.name.span };
        for index in repeated(&protocol.messages, |message| &message.name.text) {
            let message = &protocol.messages[index].name;
            let told = format_args!("two messages of this protocol are called `{}`", message.text);
            let help = "give one of the two another name, or remove it: Java takes the last one, others refuse both";
            self.log().warning(message.span, told, help);
        }
        let messages = protocol.messages.iter().map(|message| self.message(message, &name, namespace));
        let messages = latest(messages.collect::<Vec<_>>());
        let is_named = |ty: &TypeId| (ty.0 as usize) < self.schema.types.len() && self.schema.name(*ty).is_some();
        self.schema.protocols.push(Protocol {
            name,
            file: self.file,
            types: types.iter().map(|at| at.ty).filter(is_named).collect(),
            messages,
            attributes: &protocol.attributes,
        });
    }

    fn message(&mut self, message: &'t ast::Message<'t>, protocol: &Name, namespace: &str) -> Message<'t> {
        let span = message.name.span;
        let name = Name { full: Arc::from(format!("{}.{}.request", protocol.full, message.name.text)), span };
        let record = Record { name, aliases: Vec::new(), is_error: false, fields: Vec::new() };
        let request = self.push_at(Kind::Record(record), span, &[]);
        self.fill(request, &message.request, namespace);
        let response = self.node(&message.response, namespace);
        let mut errors = vec![self.at(Primitive::String.id(), span)];
        for error in &message.errors {
            let at = self.node(error, namespace);
            errors.push(at);
        }
        if message.is_one_way {
            self.check_one_way(message, response);
        }
        let errors = self.push_at(Kind::Union(Union::new(errors)), span, &[]);
        self.unions.push(errors);
        Message {
            name: borrowed(&message.name),
            file: self.file,
            name_span: span,
            span: message.span,
            request,
            response,
            errors: self.at(errors, span),
            is_one_way: message.is_one_way,
            attributes: &message.attributes,
        }
    }

    fn check_one_way(&mut self, message: &ast::Message<'_>, response: Use) {
        let returned = self.schema.types.get(response.ty.0 as usize).map(|ty| &ty.kind);
        if !matches!(returned, Some(Kind::Primitive(Primitive::Null))) {
            let message = format_args!("the one-way message `{}` returns something", message.name.text);
            self.log().refuse(response.span, message, "let it return null, or let somebody wait for the answer");
        }
        if let Some(first) = message.errors.first() {
            let message = format_args!("the one-way message `{}` declares errors", message.name.text);
            self.log().refuse(first.span, message, "remove them, or let somebody wait for the answer");
        }
    }

    /// Says which declared errors are none.
    pub(super) fn check_errors(&mut self) {
        for message in self.schema.protocols.iter().flat_map(|protocol| &protocol.messages) {
            let Kind::Union(errors) = self.schema.kind(message.errors.ty) else { continue };
            for error in errors.iter().skip(1) {
                if !matches!(self.schema.kind(error.ty), Kind::Record(Record { is_error: true, .. }) | Kind::Opaque(_))
                {
                    let called = self.schema.called(error.ty);
                    let message = format_args!("`{called}` is not an error");
                    let help = "define it with `\"type\": \"error\"` (IDL: `error`), or do not list it";
                    self.logs[error.file.0 as usize].refuse(error.span, message, help);
                }
            }
        }
    }

    /// Gives every protocol the messages of the protocols that it imports. Of several messages of one name the last one
    /// counts, as in the reference implementation.
    pub(super) fn inherit_messages(&mut self, inputs: &[Input<'t>]) {
        let has_imports = |protocol: &Protocol<'_>| !inputs[protocol.file.0 as usize].imports.is_empty();
        let heirs: Vec<usize> =
            (0..self.schema.protocols.len()).filter(|index| has_imports(&self.schema.protocols[*index])).collect();
        let inherited: Vec<Vec<Message<'t>>> =
            heirs.iter().map(|heir| Heritage::new(&self.schema, inputs).messages(*heir)).collect();
        for (heir, mut messages) in heirs.into_iter().zip(inherited) {
            let (name, file) = (self.schema.protocols[heir].name.full.clone(), self.schema.protocols[heir].file);
            for message in messages.iter_mut().filter(|message| message.file != file) {
                message.request = self.request_of(&name, message);
            }
            self.schema.protocols[heir].messages = messages;
        }
    }

    /// The parameters of a message as those of the message that another protocol has by importing it.
    fn request_of(&mut self, protocol: &str, message: &Message<'t>) -> TypeId {
        let fields = self.schema.record(message.request).map(|record| record.fields.clone()).unwrap_or_default();
        let name = Name { full: Arc::from(format!("{protocol}.{}.request", message.name)), span: message.name_span };
        let record = Record { name, aliases: Vec::new(), is_error: false, fields };
        let file = std::mem::replace(&mut self.file, message.file);
        let request = self.push_at(Kind::Record(record), message.name_span, &[]);
        self.file = file;
        request
    }
}

/// The messages of protocols with those that they import.
struct Heritage<'s, 't> {
    schema: &'s Schema<'t>,
    inputs: &'s [Input<'t>],
    /// The protocols whose messages are being put together, from the one that was asked for.
    seen: FxHashSet<usize>,
}

impl<'s, 't> Heritage<'s, 't> {
    fn new(schema: &'s Schema<'t>, inputs: &'s [Input<'t>]) -> Self {
        Heritage { schema, inputs, seen: FxHashSet::default() }
    }

    /// Messages in the order in which their names come first. A protocol that is imported again counts once.
    fn messages(&mut self, protocol: usize) -> Vec<Message<'t>> {
        if !self.seen.insert(protocol) || self.seen.len() > MOST_IMPORTED {
            return Vec::new();
        }
        let declared = &self.schema.protocols[protocol];
        let input = &self.inputs[declared.file.0 as usize];
        let mut parts: Vec<(u32, Vec<Message<'t>>)> =
            declared.messages.iter().map(|message| (message.span.start, vec![message.clone()])).collect();
        for (import, target) in input.tree.imports.iter().zip(&input.imports) {
            if let (ImportKind::Idl | ImportKind::Protocol, Some(target)) = (import.kind, target)
                && let Some(other) = self.schema.protocols.iter().position(|other| other.file.0 as usize == *target)
            {
                parts.push((import.path.span.start, self.messages(other)));
            }
        }
        parts.sort_in_order_by_key(|(start, _)| *start);
        latest(parts.into_iter().flat_map(|(_, messages)| messages))
    }
}

/// Of several messages of one name the last one, where the first one stood.
fn latest<'t>(messages: impl IntoIterator<Item = Message<'t>>) -> Vec<Message<'t>> {
    let mut by_name: FxHashMap<String, usize> = FxHashMap::default();
    let mut all: Vec<Message<'t>> = Vec::new();
    for message in messages {
        match by_name.entry(message.name.to_string()) {
            Entry::Occupied(known) => all[*known.get()] = message,
            Entry::Vacant(free) => {
                free.insert(all.len());
                all.push(message);
            }
        }
    }
    all
}

/// The messages of more protocols than these are not imported.
const MOST_IMPORTED: usize = 200;
