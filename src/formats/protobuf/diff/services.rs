//! Services and methods: which routes exist, and what travels on them.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{ChangeKind, FactKey, Pair};
use crate::evidence::Outcome;
use crate::formats::frame::differ::{Candidate, Draft};
use crate::formats::frame::services::{Offer, Reach, copied, services};
use crate::ordered::OrderedSet;

use super::super::ast::Name;
use super::super::model::{FileId, MessageId, Method, Schema, Service};
use super::super::pairing::{self, Call};
use super::continued::shape;
use super::declared::Declared;
use super::options::differences;
use super::state::{Differ, Meeting, Reads};

impl<'s, 'a> Differ<'s, 'a> {
    /// Pairs services by full name, then by simple name in files whose package changed.
    pub(super) fn pair_services(&mut self) {
        let schemas = self.schemas;
        let of = |schema: &'s Schema<'a>, at: usize| &schema.services[at];
        let is_own = |schema: &'s Schema<'a>, at: usize| !schema.file(of(schema, at).file).is_builtin;
        let copied = copied(schemas.map(|schema| schema.services.iter().map(|service| &*service.full_name)));
        let found = services(schemas.map(|schema| offers(schema, &copied)), Reach::SameFile);
        for pair in found.pairs.into_iter().filter(|pair| is_own(schemas.old, pair.old)) {
            let services = Pair::new(of(schemas.old, pair.old), of(schemas.new, pair.new));
            match services.old.full_name == services.new.full_name {
                true => self.diff_service(services),
                false => self.service_renamed(services),
            }
        }
        for old in found.gone.into_iter().filter(|at| is_own(schemas.old, *at)).map(|at| of(schemas.old, at)) {
            let at = Pair::new(self.old_site(old.file, old.ast.name.span), None);
            let identity = pairing::declaration("service", &old.full_name);
            self.push(Draft::new(ChangeKind::ServiceRemoved, &*old.full_name, identity).at(at));
        }
        for new in found.come.into_iter().filter(|at| is_own(schemas.new, *at)).map(|at| of(schemas.new, at)) {
            let at = Pair::new(None, self.new_site(new.file, new.ast.name.span));
            let identity = pairing::declaration("service", &new.full_name);
            self.push(Draft::new(ChangeKind::ServiceAdded, &*new.full_name, identity).at(at));
        }
    }

    fn service_renamed(&mut self, services: Pair<&'s Service<'a>>) {
        let Pair { old, new } = services;
        let at = self.renamed_at((
            Pair::new(&*old.full_name, &*new.full_name),
            services.map(|service| service.file),
            services.map(|service| service.ast.name.span),
        ));
        let draft =
            Draft::new(ChangeKind::ServiceRenamed, &*new.full_name, pairing::declaration("service", &new.full_name))
                .at(at)
                .fact(FactKey::OldName, &*old.full_name)
                .fact(FactKey::NewName, &*new.full_name);
        self.push(draft);
        self.diff_service(services);
    }

    fn diff_service(&mut self, services: Pair<&'s Service<'a>>) {
        let Pair { old, new } = services;
        let by_name = services.map(|service| {
            // Of a name the first counts.
            let methods = service.methods.iter().rev().map(|method| (&*method.ast.name.text, method));
            methods.collect::<FxHashMap<&str, &'s Method<'a>>>()
        });
        for method in &old.methods {
            let path = format!("{}.{}()", new.full_name, method.ast.name.text);
            match by_name.new.get(&*method.ast.name.text).copied() {
                Some(now) => self.diff_method(services, Pair::new(method, now), &path),
                None => {
                    let at = Pair::new(self.old_site(old.file, method.ast.span), None);
                    let draft = Draft::new(ChangeKind::MethodRemoved, &*path, pairing::declaration("method", &path))
                        .at(at)
                        .fact(FactKey::OldName, &*method.ast.name.text)
                        .fact(FactKey::Container, &*old.full_name);
                    self.push(draft);
                }
            }
        }
        for method in new.methods.iter().filter(|method| !by_name.old.contains_key(&*method.ast.name.text)) {
            let path = format!("{}.{}()", new.full_name, method.ast.name.text);
            let draft = Draft::new(ChangeKind::MethodAdded, &*path, pairing::declaration("method", &path))
                .at(Pair::new(None, self.new_site(new.file, method.ast.span)))
                .fact(FactKey::NewName, &*method.ast.name.text)
                .fact(FactKey::Container, &*new.full_name);
            self.push(draft);
        }
        if !std::ptr::eq(old.ast, new.ast) {
            let context = Declared {
                role: "service",
                path: &new.full_name,
                top_level: true,
                files: Pair::new(old.file, new.file),
                names: Pair::new(old.ast.name.span, new.ast.name.span),
            };
            self.moved(&context);
            self.visibility(&context, Pair::default());
            self.type_options(&context, Pair::new(&old.ast.options, &new.ast.options));
        }
    }

    fn diff_method(&mut self, services: Pair<&'s Service<'a>>, methods: Pair<&'s Method<'a>>, path: &str) {
        let files = Pair::new(services.old.file, services.new.file);
        let Pair { old, new } = methods;
        let roles = [
            ("request", Pair::new(old.input, new.input), Pair::new(&old.ast.input, &new.ast.input)),
            ("response", Pair::new(old.output, new.output), Pair::new(&old.ast.output, &new.ast.output)),
        ];
        for (role, types, spelled) in roles {
            let types = types.old.zip(types.new).map(|(old, new)| Pair::new(old, new));
            let meeting = types.map(|types| self.pair_messages(types));
            let names = match types {
                Some(types) => self.type_names(types).map(str::to_owned),
                None => spelled.map(|name| name.text.trim_start_matches('.').to_owned()),
            };
            let known = types.is_some();
            let tail = |long: &str, short: &str| long == short || long.ends_with(&format!(".{short}"));
            if names.old == names.new || (!known && (tail(&names.old, &names.new) || tail(&names.new, &names.old))) {
                continue;
            }
            let identity = pairing::declaration(role, path);
            match (meeting, types) {
                (Some(Meeting::Replaced(met)), Some(types)) => {
                    self.replaced.at(self.changes.len(), [met]);
                    self.own.calls.push(Call { types, identity: identity.clone() });
                }
                (Some(Meeting::Renamed(met)), _) => self.following.push((self.changes.len(), vec![met])),
                (Some(Meeting::Same) | None, _) | (_, None) => {}
            }
            let is_lost = types.is_some_and(|types| self.are_disjoint(types));
            let reads = if is_lost { Outcome::Lossy } else { Outcome::Safe };
            let draft = Draft::new(ChangeKind::MethodTypeChanged, path, identity)
                .at(Pair::new(self.old_site(files.old, spelled.old.span), self.new_site(files.new, spelled.new.span)))
                .fact(FactKey::Role, role)
                .fact(FactKey::OldType, names.old)
                .fact(FactKey::NewType, names.new)
                .fact(FactKey::Structure, if known { "compared" } else { "unknown" });
            let reads = Pair::new(reads, reads);
            self.push(Reads { wire: reads, json: reads }.state(draft));
        }
        self.method_streaming(files, methods, path);
        self.method_options(files, methods, path);
    }

    fn method_streaming(&mut self, files: Pair<FileId>, methods: Pair<&Method<'a>>, path: &str) {
        let Pair { old, new } = methods;
        let sides = [
            ("request", Pair::new(old.ast.client_streaming, new.ast.client_streaming)),
            ("response", Pair::new(old.ast.server_streaming, new.ast.server_streaming)),
        ];
        for (role, streaming) in sides {
            if streaming.old.is_some() == streaming.new.is_some() {
                continue;
            }
            let identity = pairing::declaration("streaming", &format!("{path} {role}"));
            let draft = Draft::new(ChangeKind::MethodStreamingChanged, path, identity)
                .at(Pair::new(
                    self.old_site(files.old, streaming.old.unwrap_or(old.ast.name.span)),
                    self.new_site(files.new, streaming.new.unwrap_or(new.ast.name.span)),
                ))
                .fact(FactKey::Role, role)
                .fact(FactKey::Direction, if streaming.new.is_some() { "gained" } else { "lost" });
            self.push(draft);
        }
    }

    fn method_options(&mut self, files: Pair<FileId>, methods: Pair<&Method<'a>>, path: &str) {
        let Pair { old, new } = methods;
        if std::ptr::eq(old.ast, new.ast) {
            return;
        }
        let names = Pair::new(old.ast.name.span, new.ast.name.span);
        let context = Declared { role: "method", path, top_level: false, files, names };
        self.type_options(&context, Pair::new(&old.ast.options, &new.ast.options));
        for difference in differences(&old.ast.options, &new.ast.options, &[]) {
            if difference.name != "idempotency_level" {
                continue;
            }
            let identity = pairing::declaration("idempotency", path);
            let draft = Draft::new(ChangeKind::MethodIdempotencyChanged, path, identity).at(Pair::new(
                self.old_site(files.old, difference.at.old.unwrap_or(names.old)),
                self.new_site(files.new, difference.at.new.unwrap_or(names.new)),
            ));
            self.push(difference.state(draft));
        }
    }
}

/// The services of a side, by their places, with what callers notice of their methods. Of two in one file the first counts.
fn offers(schema: &Schema<'_>, copied: &OrderedSet<&str>) -> Vec<Offer<usize>> {
    let mut seen = FxHashSet::default();
    let firsts = schema.services.iter().enumerate().filter(|(_, one)| seen.insert((one.file, &*one.full_name)));
    let offer = |(at, service): (usize, &Service<'_>)| Offer {
        service: Candidate::of(schema, service.file, (at, &service.full_name)),
        methods: service.methods.iter().map(|method| called(schema, method)).collect(),
        carried: match copied.contains(&*service.full_name) {
            true => service.methods.iter().flat_map(|method| carried(schema, method)).collect(),
            false => Vec::new(),
        },
    };
    firsts.map(offer).collect()
}

/// What the messages hold that a method carries.
fn carried(schema: &Schema<'_>, method: &Method<'_>) -> Vec<String> {
    let known = [method.input, method.output].into_iter().flatten();
    known.map(|id| format!("{} {}", schema.message(id).full_name, shape(schema, id).join(", "))).collect()
}

/// A method with all that its callers notice.
fn called(schema: &Schema<'_>, method: &Method<'_>) -> String {
    let ast = method.ast;
    let name = |id: Option<MessageId>, name: &Name<'_>| match id {
        Some(id) => schema.message(id).full_name.to_string(),
        None => name.text.trim_start_matches('.').to_owned(),
    };
    let (input, output) = (name(method.input, &ast.input), name(method.output, &ast.output));
    let streams = [ast.client_streaming, ast.server_streaming].map(|stream| stream.is_some());
    format!("{}({input}) {output} {streams:?}", ast.name.text)
}
