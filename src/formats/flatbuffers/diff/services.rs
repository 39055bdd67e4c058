//! Services and methods: what can be called, and what travels in a call.

use rustc_hash::FxHashSet;

use crate::change::{ChangeKind, FactKey, Pair};
use crate::evidence::Outcome;
use crate::formats::frame::comparison::Declares;
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::Candidate;
use crate::formats::frame::services::{Offer, Reach, copied, services};
use crate::ordered::OrderedSet;

use super::super::model::{Method, ObjectId, Schema, Service};
use super::super::pairing;
use super::files::Declared;
use super::{Differ, Draft, Met};

impl<'s, 'b> Differ<'s, 'b> {
    /// Pairs services by full name, then by simple name, and tells what became of them and of their methods. Returns the
    /// requests and responses that meet.
    pub(super) fn pair_services(&mut self) -> Vec<Pair<ObjectId>> {
        let schemas = self.schemas;
        let copied = copied(schemas.map(|schema| schema.services.iter().map(|service| &*service.full_name)));
        let found = services(schemas.map(|schema| offers(schema, &copied)), Reach::Anywhere);
        for old in found.gone.into_iter().map(|at| &schemas.old.services[at]) {
            let site = schemas.old.name_site(old);
            let identity = pairing::declaration("service", &old.full_name);
            let draft = Draft::new(ChangeKind::ServiceRemoved, &*old.full_name, identity);
            self.push(draft.at(Pair::new(Some(site), None)));
        }
        for new in found.come.into_iter().map(|at| &schemas.new.services[at]) {
            let site = schemas.new.name_site(new);
            let identity = pairing::declaration("service", &new.full_name);
            let draft = Draft::new(ChangeKind::ServiceAdded, &*new.full_name, identity);
            self.push(draft.at(Pair::new(None, Some(site))));
        }
        let pairs = found.pairs.into_iter();
        let pairs = pairs.map(|pair| Pair::new(&schemas.old.services[pair.old], &schemas.new.services[pair.new]));
        pairs.flat_map(|pair| self.diff_service(pair)).collect()
    }

    fn diff_service(&mut self, services: Pair<&'s Service<'b>>) -> Vec<Pair<ObjectId>> {
        let Pair { old, new } = services;
        if old.full_name != new.full_name {
            let identity = pairing::declaration("service", &new.full_name);
            let draft = Draft::new(ChangeKind::ServiceRenamed, &*new.full_name, identity)
                .at(Pair::new(Some(self.schemas.old.name_site(old)), Some(self.schemas.new.name_site(new))))
                .fact(FactKey::OldName, &*old.full_name)
                .fact(FactKey::NewName, &*new.full_name);
            self.push(draft);
        }
        let mut met = Vec::new();
        for method in &old.methods {
            match new.methods.iter().find(|other| other.name.text == method.name.text) {
                Some(other) => met.extend(self.diff_method(services, Pair::new(method, other))),
                None => {
                    let path = method_path(new, method);
                    let draft = Draft::new(ChangeKind::MethodRemoved, &*path, pairing::declaration("method", &path))
                        .at(Pair::new(Some(self.schemas.old.site(old.file, method.span)), None))
                        .fact(FactKey::Container, &*new.full_name);
                    self.push(draft);
                }
            }
        }
        for method in &new.methods {
            if old.methods.iter().all(|other| other.name.text != method.name.text) {
                let path = method_path(new, method);
                let draft = Draft::new(ChangeKind::MethodAdded, &*path, pairing::declaration("method", &path))
                    .at(Pair::new(None, Some(self.schemas.new.site(new.file, method.span))))
                    .fact(FactKey::Container, &*new.full_name);
                self.push(draft);
            }
        }
        met
    }

    fn diff_method(&mut self, services: Pair<&'s Service<'b>>, methods: Pair<&'s Method<'b>>) -> [Pair<ObjectId>; 2] {
        let Pair { old, new } = methods;
        let path = method_path(services.new, new);
        let sites = Pair::new(
            self.schemas.old.site(services.old.file, old.span),
            self.schemas.new.site(services.new.file, new.span),
        );
        let at = || Pair::new(Some(sites.old.clone()), Some(sites.new.clone()));
        let pairs = [Pair::new(old.request, new.request), Pair::new(old.response, new.response)];
        for (types, role) in pairs.into_iter().zip(["request", "response"]) {
            if self.is_replaced(Met::Type(types)) {
                let names = self.type_names(types);
                let identity = pairing::declaration(role, &path);
                self.replaced.at(self.changes.len(), [Met::Type(types)]);
                let call = pairing::Call { types, identity: identity.clone(), file: services.new.file };
                self.own.calls.push(call);
                let draft = Draft::new(ChangeKind::MethodTypeChanged, &*path, identity)
                    .at(at())
                    .reads(Pair::new(Outcome::Wrong, Outcome::Wrong))
                    .fact(FactKey::Role, role)
                    .fact(FactKey::OldType, names.old)
                    .fact(FactKey::NewType, names.new)
                    .fact(FactKey::Container, &*services.new.full_name);
                self.push(draft);
            }
        }
        if streaming(old) != streaming(new) {
            let draft =
                Draft::new(ChangeKind::MethodStreamingChanged, &*path, pairing::declaration("streaming", &path))
                    .at(at())
                    .fact(FactKey::OldValue, streaming(old))
                    .fact(FactKey::NewValue, streaming(new))
                    .fact(FactKey::Container, &*services.new.full_name);
            self.push(draft);
        }
        let declared = Declared { role: "method", path: &path, sites };
        let others = Pair::new(old, new).map(|method| {
            let others = method.attributes.iter().filter(|one| one.name.text != "streaming");
            others.cloned().collect::<Vec<_>>()
        });
        self.attributes(&declared, others.as_ref());
        pairs
    }
}

fn method_path(service: &Service<'_>, method: &Method<'_>) -> String {
    format!("{}.{}()", service.full_name, method.name.text)
}

/// The services of the judged files of a side, by their places, with what callers notice of their methods.
fn offers(schema: &Schema<'_>, copied: &OrderedSet<&str>) -> Vec<Offer<usize>> {
    let method = |method: &Method<'_>| {
        let [request, response] = [method.request, method.response].map(|id| &schema.object(id).full_name);
        format!("{}({request}) {response} {}", method.name.text, streaming(method))
    };
    let carried = |method: &Method<'_>| {
        let held = |id| format!("{} {}", schema.object(id).full_name, schema.shape(id).join(", "));
        [held(method.request), held(method.response)]
    };
    let own = schema.services.iter().enumerate().filter(|(_, one)| !schema.file(one.file).is_library);
    let mut seen = FxHashSet::default();
    let firsts = own.filter(|(_, one)| seen.insert((one.file, &*one.full_name)));
    let offer = |(at, service): (usize, &Service<'_>)| Offer {
        service: Candidate::of(schema, service.file, (at, &service.full_name)),
        methods: service.methods.iter().map(method).collect(),
        carried: match copied.contains(&*service.full_name) {
            true => service.methods.iter().flat_map(carried).collect(),
            false => Vec::new(),
        },
    };
    firsts.map(offer).collect()
}

/// How a method streams.
fn streaming<'m>(method: &'m Method<'_>) -> &'m str {
    match &*method.streaming {
        "" => "none",
        word => word,
    }
}
