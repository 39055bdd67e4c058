//! Interfaces and methods: what can be called, and what travels in a call.
//!
//! A call carries the id of the interface and the ordinal of the method, and no names.

use crate::change::{ChangeKind, FactKey, Pair, Site};
use crate::evidence::Outcome;
use crate::ordered::OrderedMap;

use super::super::felt::{felt_in_calls, felt_inside};
use super::super::ids::derived;
use super::super::model::{Data, Extended, Interface, InterfaceId, Method, Schema, Sort, Type};
use super::super::pairing::retires;
use super::super::relation::{self, Relation};
use super::differ::{About, Asked, Differ, Met, by_id_then, by_id_then_name};
use super::reach;
use crate::formats::frame::comparison::Declares;
use crate::formats::frame::declarations::{candidates, candidates_where};
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::{Candidate, Draft, SAFE, declaration, pair_fields};
use crate::formats::frame::services::supplied;

/// The interfaces of the judged files.
pub(super) fn candidates_of(schema: &Schema<'_>) -> Vec<Candidate<InterfaceId>> {
    candidates(schema, &schema.interfaces, InterfaceId)
}

/// What an interface says: its methods, and what is in what they take and give.
pub(super) fn says(schema: &Schema<'_>, id: InterfaceId) -> Vec<String> {
    let data = |data: &Option<Data>| data.as_ref().map_or_else(String::new, |data| schema.says(data.id).join(", "));
    let methods = schema.interface(id).methods.iter();
    let text = |method: &Method<'_>| {
        format!("{} {} ({}) ({})", method.ordinal, method.name.text, data(&method.parameters), data(&method.results))
    };
    methods.map(text).collect()
}

/// Where the id of a file is written, if that of an interface follows from it.
fn place_of_derived_id(schema: &Schema<'_>, of: &Interface<'_>) -> Option<Site> {
    let file = schema.file(of.file);
    let (id, span) = file.id?;
    let inside = of.full_name.split_once('.')?.1;
    let follows = inside.split('.').fold(id, derived);
    (follows == of.id).then(|| Site { file: file.path.clone(), span })
}

/// The interfaces that judged files are made of, in whichever file they stand, but for those of which is known what they
/// continue as.
fn made_of(schema: &Schema<'_>, is_known: impl Fn(InterfaceId) -> bool) -> Vec<Candidate<InterfaceId>> {
    let reached = reach::interfaces(schema);
    candidates_where(schema, &schema.interfaces, InterfaceId, |_, id| reached.contains(id) && !is_known(*id))
}

/// Callers are told that nobody answers.
const GONE: Pair<Outcome> = Pair::new(Outcome::Fails, Outcome::Safe);

/// Neither side answers the calls of the other.
pub(super) const UNANSWERED: Pair<Outcome> = Pair::new(Outcome::Fails, Outcome::Fails);

impl<'s, 'b> Differ<'s, 'b> {
    /// Pairs the interfaces and compares them.
    pub(super) fn pair_interfaces(&mut self) {
        let schemas = self.schemas;
        let ids = schemas.map(|schema| |id: InterfaceId| schema.interface(id).id);
        let declared = by_id_then_name(schemas.map(candidates_of), ids);
        declared.iter().for_each(|types| self.own.interfaces.add(*types));
        let known = &self.own.interfaces;
        let rest =
            Pair::new(made_of(schemas.old, |id| known.has_old(id)), made_of(schemas.new, |id| known.has_new(id)));
        self.own.supplied = by_id_then(rest, ids, supplied);
        for types in declared.into_iter().chain(self.own.supplied.clone()) {
            self.diff_interface(types);
        }
    }

    fn diff_interface(&mut self, types: Pair<InterfaceId>) {
        let schemas = self.schemas;
        let of = schemas.zip(types, |schema, id| schema.interface(id));
        self.interface_identity(of);
        self.annotations("interface", of, of.map(|of| &of.annotations));
        let places = of.map(|of| &*of.full_name);
        let sites = Pair::new(schemas.old.name_site(of.old), schemas.new.name_site(of.new));
        let about = Some(About::Interface(types));
        self.type_parameters(("interface", places.new), sites, of.map(|of| &of.parameters), about);
        self.extends(types);
        self.methods(types);
    }

    fn interface_draft(&self, kind: ChangeKind, of: Pair<&Interface<'b>>, what: &str) -> Draft {
        let sites = Pair::new(Some(self.schemas.old.name_site(of.old)), Some(self.schemas.new.name_site(of.new)));
        Draft::new(kind, &*of.new.full_name, declaration(what, &of.new.full_name)).at(sites)
    }

    fn interface_identity(&mut self, of: Pair<&Interface<'b>>) {
        let Pair { old, new } = of;
        let is_same_id = old.id == new.id;
        if is_same_id && old.full_name == new.full_name {
            return;
        }
        // An id that follows from that of the file is another one where that is edited.
        let of_files = self.schemas.zip(of, place_of_derived_id);
        let draft = self.interface_draft(ChangeKind::ServiceRenamed, of, "interface");
        let draft = match (&of_files.old, &of_files.new) {
            (Some(_), Some(_)) if !is_same_id => draft.at(of_files),
            _ => draft,
        };
        let draft = draft
            .fact(FactKey::OldName, &*old.full_name)
            .fact(FactKey::NewName, &*new.full_name)
            .fact(FactKey::OldValue, format!("@0x{:x}", old.id))
            .fact(FactKey::NewValue, format!("@0x{:x}", new.id))
            .fact(FactKey::Structure, if is_same_id { "same-id" } else { "other-id" })
            .reads(if is_same_id { SAFE } else { UNANSWERED });
        self.push(draft);
    }

    fn extends(&mut self, ids: Pair<InterfaceId>) {
        let of = self.schemas.zip(ids, |schema, id| schema.interface(id));
        let listed = |schema: &Schema<'b>, of: &'s Interface<'b>| {
            let one = |one: &'s Extended<'b>| {
                let id = one.id.map(|id| schema.interface(id).id);
                let key = id.map_or_else(|| one.written.text.to_string(), |id| format!("@0x{id:x}"));
                (key, one)
            };
            of.extends.iter().map(one).collect::<OrderedMap<String, &Extended<'b>>>()
        };
        let Pair { old, new } = Pair::new(listed(self.schemas.old, of.old), listed(self.schemas.new, of.new));
        let name = |one: &&'s Extended<'b>| one.written.text.to_string();
        let none = String::new;
        // What goes on under another id is still the one that is extended: that its id is another is told of itself.
        let goes_on = |one: &Extended<'b>| one.id.and_then(|id| self.own.interfaces.of_old(id));
        let is_followed =
            |one: &&Extended<'b>| new.values().find(|other| other.id.is_some() && other.id == goes_on(one));
        let counterpart = |key: &String, one: &&Extended<'b>| new.get(key).or_else(|| is_followed(one)).copied();
        let found = old.iter().map(|(key, one)| (*one, counterpart(key, one)));
        let found: Vec<(&Extended<'b>, Option<&Extended<'b>>)> = found.collect();
        let gone = found.iter().filter(|(_, other)| other.is_none());
        let gone = gone.map(|(one, _)| ("removed", Pair::new(name(one), none()), (GONE, None)));
        let is_new =
            |one: &&Extended<'b>| !found.iter().any(|(_, other)| other.is_some_and(|other| std::ptr::eq(other, *one)));
        let come = new.values().filter(|one| is_new(one));
        let come = come.map(|one| ("added", Pair::new(none(), name(one)), (SAFE, None)));
        let both = found.iter().filter_map(|(old, new)| Some(Pair::new(*old, (*new)?)));
        let other = both.filter(|pair| !self.are_given_the_same(pair.as_ref()));
        let other = other.map(|pair| ("changed", pair.as_ref().map(name), self.felt_above(ids, pair.as_ref())));
        // What nobody feels of what is given is written otherwise, and that is all.
        let other = other.filter(|(.., (reads, _))| *reads != SAFE);
        for (direction, values, (reads, about)) in gone.chain(come).chain(other).collect::<Vec<_>>() {
            let name = if values.new.is_empty() { &values.old } else { &values.new };
            let draft = self
                .interface_draft(ChangeKind::ServiceExtendsChanged, of, &format!("extends {name}"))
                .fact(FactKey::Direction, direction)
                .fact(FactKey::Name, &**name)
                .fact(FactKey::OldValue, values.old)
                .fact(FactKey::NewValue, values.new)
                .reads(reads);
            let identity = draft.identity.clone();
            self.own.asked.extend(about.map(|about| Asked { identity, about }));
            self.push(draft);
        }
    }

    fn are_given_the_same(&self, pair: Pair<&&'s Extended<'b>>) -> bool {
        let around = self.schemas.zip(pair, |schema, one| one.id.map_or(&[][..], |id| &*schema.interface(id).around));
        relation::are_same(self.schemas, pair.map(|one| &one.bound), around)
    }

    /// What callers and servers feel of what an interface that is extended is given; and what is asked of its users, where they
    /// decide that.
    fn felt_above(&self, ids: Pair<InterfaceId>, pair: Pair<&&'s Extended<'b>>) -> (Pair<Outcome>, Option<About>) {
        let place = |schema: &Schema<'b>, id: InterfaceId, one: &Extended<'b>| {
            schema.interface(id).extends.iter().position(|other| std::ptr::eq(other, one))
        };
        let old = place(self.schemas.old, ids.old, pair.old);
        let (Some(old), Some(new)) = (old, place(self.schemas.new, ids.new, pair.new)) else {
            return (UNANSWERED, None);
        };
        let at = Pair::new(old, new);
        if pair.old.bound.depends() || pair.new.bound.depends() {
            return (UNANSWERED, Some(About::Above(ids, at)));
        }
        let above = self
            .schemas
            .zip(ids, |schema, id| schema.branded_interface(id))
            .zip(at, |branded_interface, at| branded_interface.above[at]);
        match (above.old, above.new) {
            (Some(old), Some(new)) => (felt_in_calls(self.schemas, Pair::new(old, new)), None),
            _ => (UNANSWERED, None),
        }
    }

    fn methods(&mut self, ids: Pair<InterfaceId>) {
        let of = self.schemas.zip(ids, |schema, id| schema.interface(id));
        let Pair { old, new } = of.map(|of| &of.methods[..]);
        let is_moved = |at: Pair<usize>| {
            let (before, after) = (&old[at.old], &new[at.new]);
            let is_kept = |of: &[Method<'_>], ordinal: u16, name: &str| {
                of.iter().any(|method| method.ordinal == ordinal && retires(name, &method.name.text))
            };
            before.ordinal != after.ordinal
                && !is_kept(new, before.ordinal, &before.name.text)
                && !is_kept(old, after.ordinal, &after.name.text)
        };
        let pairs = pair_fields(Pair::new(old, new), |method| (&method.name.text, method.ordinal.into()), is_moved);
        for pair in pairs {
            match (pair.at.old, pair.at.new) {
                (Some(before), Some(after)) => self.method_pair(ids, Pair::new(before, after)),
                (Some(before), None) => self.method_alone(of, Pair::new(Some(&old[before]), None)),
                (None, Some(after)) => self.method_alone(of, Pair::new(None, Some(&new[after]))),
                (None, None) => {}
            }
        }
    }

    fn method_draft(&self, kind: ChangeKind, of: Pair<&Interface<'b>>, methods: Pair<Option<&Method<'b>>>) -> Draft {
        let name = methods.new.or(methods.old).map_or("", |method| &method.name.text);
        let path = format!("{}.{name}()", of.new.full_name);
        let old = methods.old.map(|method| self.schemas.old.site(of.old.file, method.span));
        let new = methods.new.map(|method| self.schemas.new.site(of.new.file, method.span));
        Draft::new(kind, &*path, declaration("method", &path))
            .at(Pair::new(old, new))
            .fact(FactKey::Container, &*of.new.full_name)
    }

    fn method_alone(&mut self, of: Pair<&Interface<'b>>, methods: Pair<Option<&Method<'b>>>) {
        let (kind, reads) = match methods.old {
            Some(_) => (ChangeKind::MethodRemoved, GONE),
            None => (ChangeKind::MethodAdded, SAFE),
        };
        let number = methods.new.or(methods.old).map_or(0, |method| method.ordinal);
        let draft = self.method_draft(kind, of, methods).fact(FactKey::Number, number.to_string()).reads(reads);
        self.push(draft);
    }

    fn method_pair(&mut self, ids: Pair<InterfaceId>, at: Pair<usize>) {
        let of = self.schemas.zip(ids, |schema, id| schema.interface(id));
        let methods = of.zip(at, |of, at| &of.methods[at]);
        let Pair { old, new } = methods;
        if old.ordinal != new.ordinal {
            let draft = self
                .method_draft(ChangeKind::MethodRenumbered, of, methods.map(Some))
                .fact(FactKey::OldNumber, old.ordinal.to_string())
                .fact(FactKey::NewNumber, new.ordinal.to_string())
                .reads(Pair::new(Outcome::Wrong, Outcome::Wrong));
            self.push(draft);
        } else if old.name.text != new.name.text {
            let draft = self
                .method_draft(ChangeKind::MethodRenamed, of, methods.map(Some))
                .fact(FactKey::OldName, &*old.name.text)
                .fact(FactKey::NewName, &*new.name.text)
                .reads(SAFE);
            self.push(draft);
        }
        let path = format!("{}.{}()", of.new.full_name, new.name.text);
        let sites =
            Pair::new(self.schemas.old.site(of.old.file, old.span), self.schemas.new.site(of.new.file, new.span));
        self.annotations_at(("method", &path), sites.clone().map(Some), Pair::new(&old.annotations, &new.annotations));
        if old.is_stream != new.is_stream {
            let direction = if new.is_stream { "added" } else { "removed" };
            let draft = self
                .method_draft(ChangeKind::MethodStreamingChanged, of, methods.map(Some))
                .fact(FactKey::Direction, direction)
                .reads(SAFE);
            self.push(draft);
        }
        self.type_parameters(("method", &path), sites, methods.map(|method| &method.implicit), None);
        for (role, data) in [
            ("parameters", methods.map(|method| &method.parameters)),
            ("results", methods.map(|method| &method.results)),
        ] {
            if let (Some(before), Some(after)) = (data.old, data.new) {
                self.method_data((ids, at), role, Pair::new(before, after));
            }
        }
    }

    /// That the struct is given other types.
    fn method_argument(&mut self, (ids, at): (Pair<InterfaceId>, Pair<usize>), role: &str, data: Pair<&Data>) {
        let of = self.schemas.zip(ids, |schema, id| schema.interface(id));
        let methods = of.zip(at, |of, at| &of.methods[at]);
        let nth = usize::from(role == "results");
        let held = self
            .schemas
            .zip(ids, |schema, id| schema.branded_interface(id))
            .zip(at, |branded_interface, at| branded_interface.methods[at][nth]);
        let depends = data.old.bound.depends() || data.new.bound.depends();
        let is_chosen = data.old.bound.is_chosen() || data.new.bound.is_chosen();
        let reads = match (held.old, held.new) {
            (Some(old), Some(new)) if !depends && !is_chosen => felt_inside(self.schemas, Pair::new(old, new)),
            _ => UNANSWERED,
        };
        let name = |schema: &Schema<'b>, data: &Data| schema.spelled(&Type::Struct(data.id, data.bound.clone()));
        let names = self.schemas.zip(data, name);
        let draft = self
            .method_draft(ChangeKind::MethodTypeChanged, of, methods.map(Some))
            .fact(FactKey::Role, role)
            .fact(FactKey::Relation, if reads == SAFE { Relation::Named } else { Relation::Binding }.name())
            .fact(FactKey::OldType, names.old)
            .fact(FactKey::NewType, names.new)
            .reads(reads);
        if depends && !is_chosen {
            let about = About::Data(ids, at, nth);
            self.own.asked.push(Asked { identity: draft.identity.clone(), about });
        }
        self.push(draft);
    }

    /// The structs that a method takes or gives.
    fn method_data(&mut self, (ids, at): (Pair<InterfaceId>, Pair<usize>), role: &str, taken: Pair<&Data>) {
        let of = self.schemas.zip(ids, |schema, id| schema.interface(id));
        let methods = of.zip(at, |of, at| &of.methods[at]);
        let data = taken.map(|data| data.id);
        let Pair { old, new } = self.types(data);
        let are_declared = old.sort == Sort::Struct && new.sort == Sort::Struct;
        let around = Pair::new(&*old.around, &*new.around);
        if are_declared && !relation::are_same(self.schemas, taken.map(|data| &data.bound), around) {
            self.method_argument((ids, at), role, taken);
        }
        if (!are_declared && old.sort == new.sort) || (are_declared && old.full_name == new.full_name) {
            self.queue.meet_nameless(Met::Type(data));
            return;
        }
        let is_replaced = self.is_replaced(Met::Type(data));
        let name = |of: &super::super::model::Struct<'_>| match of.sort {
            Sort::Struct => of.full_name.to_string(),
            Sort::Parameters | Sort::Results => "fields of its own".to_owned(),
        };
        let draft = self
            .method_draft(ChangeKind::MethodTypeChanged, of, methods.map(Some))
            .fact(FactKey::Role, role)
            .fact(FactKey::Relation, "named")
            .fact(FactKey::OldType, name(old))
            .fact(FactKey::NewType, name(new))
            .reads(SAFE);
        let index = self.changes.len();
        self.push(draft);
        match (is_replaced, are_declared) {
            (true, _) => self.replaced.at(index, [Met::Type(data)]),
            (false, true) => {
                let renamed = self.pair(Met::Type(data));
                self.following.extend(renamed.map(|met| (index, vec![met])));
            }
            (false, false) => drop(self.queue.meet_nameless(Met::Type(data))),
        }
    }
}
