//! Services and functions: what can be called, and what travels in a call.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{ChangeKind, FactKey, Pair, Site};
use crate::evidence::Outcome;
use crate::ordered::OrderedSet;

use super::super::model::{Function, Schema, Service, ServiceId};
use super::super::pairing;
use super::annotations::Declared;
use super::differ::{Differ, Met};
use crate::formats::frame::comparison::Declares;
use crate::formats::frame::declarations::{candidates, candidates_where, copies};
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::{Candidate, Draft, counterparts, yes};
use crate::formats::frame::services::supplied;

/// A function and the service that declares it.
pub(super) type Declaration<'s, 'b> = (ServiceId, &'s Function<'b>);

/// The path of a function.
pub(super) fn function_path(service: &Service<'_>, name: &str) -> String {
    format!("{}.{name}()", service.full_name)
}

/// All functions that can be called, the service's own first.
pub(super) fn callable<'s, 'b>(schema: &'s Schema<'b>, id: ServiceId) -> Vec<Declaration<'s, 'b>> {
    let mut names = FxHashSet::default();
    declarations(schema, id).filter(|(_, function)| names.insert(&*function.name.text)).collect()
}

/// The functions of a service and of those that it extends. Ends where services extend each other in a circle.
fn declarations<'s, 'b>(schema: &'s Schema<'b>, id: ServiceId) -> impl Iterator<Item = Declaration<'s, 'b>> {
    let mut seen = FxHashSet::default();
    let up = std::iter::successors(Some(id), move |id| parent(schema, *id));
    let up = up.take_while(move |id| seen.insert(*id));
    up.flat_map(|id| schema.service(id).functions.iter().map(move |function| (id, function)))
}

/// The service that one extends, where that is known.
fn parent(schema: &Schema<'_>, id: ServiceId) -> Option<ServiceId> {
    schema.service(id).extends.as_ref().and_then(|(_, parent)| *parent)
}

/// The functions of a service, and those of the services above it that bear the name of one that only another has.
fn own_and_met<'s, 'b>(schema: &'s Schema<'b>, id: ServiceId, other: &Service<'_>) -> Vec<Declaration<'s, 'b>> {
    let mut found: Vec<Declaration<'s, 'b>> =
        schema.service(id).functions.iter().map(|function| (id, function)).collect();
    let own: FxHashSet<&str> = found.iter().map(|(_, function)| &*function.name.text).collect();
    let names: FxHashSet<&str> = other.functions.iter().map(|function| &*function.name.text).collect();
    let mut wanted: FxHashSet<&str> = names.difference(&own).copied().collect();
    if !wanted.is_empty() {
        found.extend(declarations(schema, id).filter(|(_, function)| wanted.remove(&*function.name.text)));
    }
    found
}

impl<'s, 'b> Differ<'s, 'b> {
    /// Pairs services: as types are paired, then where exactly one new service offers what only one old one did.
    pub(super) fn pair_services(&mut self) {
        let schemas = self.schemas;
        let sides = schemas.map(own_services);
        for pair in counterparts(Pair::new(service_candidates(schemas.old), service_candidates(schemas.new))) {
            self.declare_services(pair);
        }
        self.pair_services_by_functions(&sides);
        let supplied = self.pair_supplied_services();
        let candidates = schemas.map(service_candidates);
        let copies = copies(schemas, &candidates, |id| self.own.declared_services.old.contains(&id), says);
        let mut met = FxHashSet::default();
        for old in &sides.old {
            let is_declared = self.own.declared_services.old.contains(old);
            match self.own.services.get(old).filter(|_| is_declared) {
                Some(new) => self.diff_service(Pair::new(*old, *new), &mut met),
                // A copy of one that is still there.
                None if copies.contains(old) => {}
                None => {
                    let service = schemas.old.service(*old);
                    let site = schemas.old.name_site(service);
                    let at = Pair::new(Some(site), None);
                    self.service_alone(ChangeKind::ServiceRemoved, &service.full_name, at);
                }
            }
        }
        supplied.into_iter().for_each(|pair| self.diff_service(pair, &mut met));
        let is_new = |id: &ServiceId| !self.own.declared_services.new.contains(id);
        let added: Vec<ServiceId> = sides.new.into_iter().filter(is_new).collect();
        for new in added {
            let service = schemas.new.service(new);
            let site = schemas.new.name_site(service);
            self.service_alone(ChangeKind::ServiceAdded, &service.full_name, Pair::new(None, Some(site)));
        }
    }

    /// Pairs the services that judged ones extend where one side does not judge them.
    fn pair_supplied_services(&mut self) -> Vec<Pair<ServiceId>> {
        let Pair { old, new } = self.schemas;
        let declared = &self.own.declared_services;
        let pairs = supplied(Pair::new(extended(old, &declared.old), extended(new, &declared.new)));
        self.own.services.extend(pairs.iter().map(|pair| (pair.old, pair.new)));
        pairs
    }

    fn pair_services_by_functions(&mut self, sides: &Pair<Vec<ServiceId>>) {
        let Pair { old: before, new: after } = self.schemas;
        let is_lone = |id: &&ServiceId| !self.own.declared_services.old.contains(*id);
        let lone: Vec<ServiceId> = sides.old.iter().filter(is_lone).copied().collect();
        let mut offering: FxHashMap<&str, Vec<ServiceId>> = FxHashMap::default();
        for new in sides.new.iter().filter(|id| !self.own.declared_services.new.contains(*id)) {
            for name in names(after.service(*new)) {
                offering.entry(name).or_default().push(*new);
            }
        }
        for old in lone {
            let wanted = names(before.service(old));
            let candidates: OrderedSet<ServiceId> =
                wanted.iter().filter_map(|name| offering.get(name)).flatten().copied().collect();
            let is_free = |new: &ServiceId| !self.own.declared_services.new.contains(new);
            let is_alike = |new: &ServiceId| {
                let offered = names(after.service(*new));
                wanted.is_subset(&offered) || offered.is_subset(&wanted)
            };
            let mut found = candidates.into_iter().filter(is_free).filter(is_alike);
            if let (Some(new), None) = (found.next(), found.next()) {
                self.declare_services(Pair::new(old, new));
            }
        }
    }

    fn declare_services(&mut self, pair: Pair<ServiceId>) {
        self.own.declared_services.old.insert(pair.old);
        self.own.declared_services.new.insert(pair.new);
        self.own.services.insert(pair.old, pair.new);
    }

    fn service_alone(&mut self, kind: ChangeKind, name: &str, at: Pair<Option<Site>>) {
        self.push(Draft::new(kind, name, pairing::declaration("service", name)).at(at));
    }

    fn diff_service(&mut self, ids: Pair<ServiceId>, met: &mut FxHashSet<(usize, usize)>) {
        let Pair { old, new } = Pair::new(self.schemas.old.service(ids.old), self.schemas.new.service(ids.new));
        let sites = Pair::new(self.schemas.old.name_site(old), self.schemas.new.name_site(new));
        if old.full_name != new.full_name {
            let draft = Draft::new(
                ChangeKind::ServiceRenamed,
                &*new.full_name,
                pairing::declaration("service", &new.full_name),
            )
            .at(Pair::new(Some(sites.old.clone()), Some(sites.new.clone())))
            .fact(FactKey::OldName, &*old.full_name)
            .fact(FactKey::NewName, &*new.full_name);
            self.push(draft);
        }
        let all = if self.are_inherited_alike(ids) {
            Pair::new(own_and_met(self.schemas.old, ids.old, new), own_and_met(self.schemas.new, ids.new, old))
        } else {
            Pair::new(callable(self.schemas.old, ids.old), callable(self.schemas.new, ids.new))
        };
        // Of a name the service's own function stands first, and there is no other.
        let named = all.as_ref().map(|side| {
            side.iter().map(|one| (&*one.1.name.text, *one)).collect::<FxHashMap<&str, Declaration<'s, 'b>>>()
        });
        for (owner, function) in &all.old {
            match named.new.get(&*function.name.text).copied() {
                Some((now, other)) => {
                    let pair = Pair::new(*function, other);
                    if met.insert((std::ptr::from_ref(*function).addr(), std::ptr::from_ref(other).addr())) {
                        self.diff_function(Pair::new(*owner, now), pair);
                    }
                }
                None if *owner == ids.old => self.function_removed(Pair::new(old, new), function),
                // What a parent no longer offers is told at the parent, and what is no longer inherited below.
                None => {}
            }
        }
        for (owner, function) in &all.new {
            if *owner == ids.new && !named.old.contains_key(&*function.name.text) {
                let path = function_path(new, &function.name.text);
                let draft = Draft::new(ChangeKind::MethodAdded, &*path, pairing::declaration("method", &path))
                    .at(Pair::new(None, Some(self.schemas.new.site(new.file, function.span))))
                    .fact(FactKey::Container, &*new.full_name);
                self.push(draft);
            }
        }
        self.extends(ids, &all);
        let declared = Declared { role: "service", path: &new.full_name, sites };
        self.annotations(&declared, Pair::new(&old.annotations, &new.annotations));
    }

    /// Whether two services extend two that are compared on their own, and what both inherit with them.
    fn are_inherited_alike(&self, ids: Pair<ServiceId>) -> bool {
        let parents = parent(self.schemas.old, ids.old).zip(parent(self.schemas.new, ids.new));
        parents.is_some_and(|(before, after)| self.own.services.get(&before) == Some(&after))
    }

    fn function_removed(&mut self, services: Pair<&Service<'b>>, function: &Function<'b>) {
        let path = function_path(services.new, &function.name.text);
        let draft = Draft::new(ChangeKind::MethodRemoved, &*path, pairing::declaration("method", &path))
            .at(Pair::new(Some(self.schemas.old.site(services.old.file, function.span)), None))
            .fact(FactKey::Container, &*services.new.full_name);
        self.push(draft);
    }

    fn extends(&mut self, ids: Pair<ServiceId>, all: &Pair<Vec<Declaration<'s, 'b>>>) {
        let Pair { old, new } = Pair::new(self.schemas.old.service(ids.old), self.schemas.new.service(ids.new));
        let names: OrderedSet<&str> = all.new.iter().map(|(_, one)| &*one.name.text).collect();
        let inherited = all.old.iter().filter(|(owner, _)| *owner != ids.old);
        let lost: Vec<String> = inherited
            .map(|(_, one)| &*one.name.text)
            .filter(|name| !names.contains(name))
            .map(|name| format!("`{name}`"))
            .collect();
        let continues = match (&old.extends, &new.extends) {
            (None, None) => true,
            (Some((_, Some(before))), Some((_, Some(after)))) => {
                // Another file may declare a service of that name, which is told where it lacks something.
                let are_namesakes =
                    || self.schemas.old.service(*before).full_name == self.schemas.new.service(*after).full_name;
                self.own.services.get(before) == Some(after) || lost.is_empty() && are_namesakes()
            }
            (Some((before, None)), Some((after, None))) => before.text == after.text,
            _ => false,
        };
        if continues {
            return;
        }
        let is_unknown = matches!(old.extends, Some((_, None)));
        let reads_old = if lost.is_empty() && !is_unknown { Outcome::Safe } else { Outcome::Fails };
        let text = |extends: &Option<(super::super::model::Spelled<'_>, Option<ServiceId>)>| {
            extends.as_ref().map_or_else(|| "none".to_owned(), |(name, _)| name.text.to_string())
        };
        let direction = if reads_old == Outcome::Safe { "kept" } else { "lost" };
        let listed = if lost.is_empty() { "what it inherited".to_owned() } else { lost.join(", ") };
        let path = &*new.full_name;
        let draft = Draft::new(ChangeKind::ServiceExtendsChanged, path, pairing::declaration("extends", path))
            .at(Pair::new(Some(self.schemas.old.name_site(old)), Some(self.schemas.new.name_site(new))))
            .fact(FactKey::Direction, direction)
            .fact(FactKey::OldValue, text(&old.extends))
            .fact(FactKey::NewValue, text(&new.extends))
            .fact(FactKey::Name, listed);
        self.push(draft.reads(Pair::new(reads_old, Outcome::Safe)));
    }

    fn diff_function(&mut self, owners: Pair<ServiceId>, functions: Pair<&'s Function<'b>>) {
        let services = Pair::new(self.schemas.old.service(owners.old), self.schemas.new.service(owners.new));
        let Pair { old, new } = functions;
        let path = function_path(services.new, &new.name.text);
        let sites = Pair::new(
            self.schemas.old.site(services.old.file, old.span),
            self.schemas.new.site(services.new.file, new.span),
        );
        self.pair(Met::Type(Pair::new(old.arguments, new.arguments)));
        if old.is_oneway == new.is_oneway {
            self.pair(Met::Type(Pair::new(old.result, new.result)));
        } else {
            let identity = pairing::declaration("oneway", &path);
            let draft = Draft::new(ChangeKind::MethodOnewayChanged, &*path, identity)
                .at(Pair::new(Some(sites.old.clone()), Some(sites.new.clone())))
                .fact(FactKey::Direction, if new.is_oneway { "into" } else { "out-of" })
                .fact(FactKey::Container, &*services.new.full_name);
            self.push(draft);
        }
        let declared = Declared { role: "function", path: &path, sites };
        self.annotations(&declared, Pair::new(&old.annotations, &new.annotations));
    }
}

fn own_services(schema: &Schema<'_>) -> Vec<ServiceId> {
    let ids = (0..).map(ServiceId);
    let own = schema.services.iter().zip(ids).filter(|(one, _)| !schema.file(one.file).is_library);
    own.map(|(_, id)| id).collect()
}

fn service_candidates(schema: &Schema<'_>) -> Vec<Candidate<ServiceId>> {
    candidates(schema, &schema.services, ServiceId)
}

/// The services that those of judged files extend, at any depth, of which nothing is known yet.
fn extended(schema: &Schema<'_>, declared: &FxHashSet<ServiceId>) -> Vec<Candidate<ServiceId>> {
    let mut reached = FxHashSet::default();
    let mut open = own_services(schema);
    while let Some(id) = open.pop() {
        open.extend(parent(schema, id).filter(|parent| reached.insert(*parent)));
    }
    let is_meant = |id: &ServiceId| reached.contains(id) && !declared.contains(id);
    candidates_where(schema, &schema.services, ServiceId, |_, id| is_meant(id))
}

/// What a service says: what it extends, its functions, and what is in what they take and give.
fn says(schema: &Schema<'_>, id: ServiceId) -> Vec<String> {
    let service = schema.service(id);
    let functions = service.functions.iter().map(|function| {
        let [arguments, result] = [function.arguments, function.result].map(|id| schema.says(id).join(", "));
        format!("{} {} ({arguments}) ({result})", function.name.text, yes(function.is_oneway))
    });
    let extended = service.extends.iter().map(|(name, _)| name.text.to_string());
    extended.chain(functions).collect()
}

/// The functions that a service declares.
fn names<'s>(service: &'s Service<'_>) -> OrderedSet<&'s str> {
    service.functions.iter().map(|function| &*function.name.text).collect()
}
