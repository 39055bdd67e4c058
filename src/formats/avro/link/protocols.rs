//! Protocols and their messages (specification, *Protocol Declaration*).

use std::sync::Arc;

use super::super::ast;
use super::super::model::{Kind, Message, Name, Primitive, Protocol, Record, TypeId, Use};
use super::{Linker, borrowed, repeated};

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
            self.log().error(message.span, told, "give one of the two another name, or remove it");
        }
        let messages = protocol.messages.iter().map(|message| self.message(message, &name, namespace)).collect();
        let is_named = |ty: &TypeId| (ty.0 as usize) < self.schema.types.len() && self.schema.name(*ty).is_some();
        self.schema.protocols.push(Protocol {
            name,
            file: self.file,
            span: protocol.span,
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
        let errors = self.push_at(Kind::Union(errors), span, &[]);
        self.unions.push(errors);
        Message {
            name: borrowed(&message.name),
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
            self.log().error(response.span, message, "let it return null, or let somebody wait for the answer");
        }
        if let Some(first) = message.errors.first() {
            let message = format_args!("the one-way message `{}` declares errors", message.name.text);
            self.log().error(first.span, message, "remove them, or let somebody wait for the answer");
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
                    self.logs[error.file.0 as usize].error(error.span, message, help);
                }
            }
        }
    }
}
