//! Rules about services, which pair by full name, and their methods, which pair by name.

use crate::change::{Pair, Span};

use super::super::ast::Name;
use super::super::model::{MessageId, Method, Schema, Service};
use super::image::{copies, simple};
use super::{Checker, Subject, WHOLE_FILE, options, quoted};

impl<'s, 'a> Checker<'_, 's, 'a> {
    /// Services that both sides have.
    pub(super) fn services(&mut self) {
        let images = self.images;
        let both = |(name, olds)| Some((olds, images.new.services.get(name)?));
        for (olds, news) in images.old.services.iter().filter_map(both) {
            for services in copies(images, Pair::new(olds, news), |one| one.file) {
                self.service(services);
            }
        }
    }

    fn service(&mut self, services: Pair<&'s Service<'a>>) {
        let Pair { old, new } = services;
        for method in &old.methods {
            let name = &*method.ast.name.text;
            if let Some(now) = new.methods.iter().find(|now| now.ast.name.text == name) {
                self.method(services, Pair::new(method, now));
                continue;
            }
            let at = Pair::new(self.old_site(old.file, old.ast.span), self.new_site(new.file, new.ast.span));
            let of = quoted(simple(&new.full_name));
            let message = format!("Previously present RPC {} on service {of} was deleted.", quoted(name));
            self.report("RPC_NO_DELETE", at, Subject::Method(new.full_name.to_string(), name.to_owned()), message);
        }
    }

    fn method(&mut self, services: Pair<&Service<'a>>, methods: Pair<&Method<'a>>) {
        let Pair { old, new } = methods.map(|method| method.ast);
        let schemas = Pair::new(self.images.old.schema, self.images.new.schema);
        let mut say = |rule: &'static str, spans: Pair<Span>, what: String| {
            let at =
                Pair::new(self.old_site(services.old.file, spans.old), self.new_site(services.new.file, spans.new));
            let (name, service) = (&*new.name.text, &*services.new.full_name);
            let message = format!("RPC {} on service {} {what}.", quoted(name), quoted(simple(service)));
            self.report(rule, at, Subject::Method(service.to_owned(), name.to_owned()), message);
        };
        let whole = Pair::new(old.span, new.span);
        let streaming = [
            ("RPC_SAME_CLIENT_STREAMING", "client", Pair::new(old.client_streaming, new.client_streaming)),
            ("RPC_SAME_SERVER_STREAMING", "server", Pair::new(old.server_streaming, new.server_streaming)),
        ];
        for (rule, end, streams) in streaming {
            let words = streams.map(|stream| if stream.is_some() { "streaming" } else { "unary" });
            if words.old != words.new {
                say(rule, whole, format!("changed from {end} {} to {end} {}", words.old, words.new));
            }
        }
        let types = [
            ("RPC_SAME_REQUEST_TYPE", "request", methods.map(|method| (method.input, &method.ast.input))),
            ("RPC_SAME_RESPONSE_TYPE", "response", methods.map(|method| (method.output, &method.ast.output))),
        ];
        for (rule, role, types) in types {
            let names = Pair::new(type_name(schemas.old, types.old), type_name(schemas.new, types.new));
            let (Some(before), Some(after)) = (names.old, names.new) else { continue };
            if before != after {
                let what = format!("changed {role} type from {} to {}", quoted(before), quoted(after));
                say(rule, types.map(|(_, name)| name.span), what);
            }
        }
        let levels = Pair::new(&old.options, &new.options)
            .map(|options| options::text_or(options, "idempotency_level", "IDEMPOTENCY_UNKNOWN"));
        if levels.old != levels.new {
            let spans = Pair::new(&old.options, &new.options)
                .map(|options| options::span(options, "idempotency_level").unwrap_or(WHOLE_FILE));
            let (before, after) = (quoted(&levels.old), quoted(&levels.new));
            let what = format!("changed option \"idempotency_level\" from {before} to {after}");
            say("RPC_SAME_IDEMPOTENCY_LEVEL", spans, what);
        }
    }
}

/// The full name of a request or response; `None` where its file was not found.
fn type_name<'s>(schema: &'s Schema<'_>, (known, _): (Option<MessageId>, &Name<'_>)) -> Option<&'s str> {
    known.map(|id| &*schema.message(id).full_name)
}
