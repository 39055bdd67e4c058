//! Declarations of structs and enums: which continue, and under which name.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::change::{Change, ChangeKind, FactKey, Pair, Site};
use crate::ordered::OrderedMap;

use super::super::model::{EnumId, Schema, Sort, Struct, StructId};
use super::differ::{About, Asked, Differ, Met, by_id_then_name};
use super::fields::Members;
use super::interfaces::{UNANSWERED, says};
use crate::formats::frame::comparison::Declares;
use crate::formats::frame::declarations::{copies, leftovers};
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::{Draft, declaration};

impl<'s, 'b> Differ<'s, 'b> {
    /// Declares as continued what has the same id, then what has the same name.
    pub(super) fn declare_by_id(&mut self) {
        let schemas = self.schemas;
        let ids = schemas.map(|schema| |id: StructId| schema.structure(id).id);
        let types = by_id_then_name(schemas.map(Schema::candidates), ids);
        let ids = schemas.map(|schema| |id: EnumId| schema.enumeration(id).id);
        let enums = by_id_then_name(schemas.map(Schema::enum_candidates), ids);
        self.declare_all(types, enums);
    }

    /// Compares two structs.
    pub(super) fn diff_struct(&mut self, types: Pair<StructId>) {
        let members = Members::new(self.schemas, types, self.is_replaced(Met::Type(types)));
        self.diff_fields(&members);
        let Pair { old, new } = members.structs;
        if old.sort == Sort::Struct && new.sort == Sort::Struct && !members.is_replaced {
            self.annotations("struct", members.structs, Pair::new(&old.annotations, &new.annotations));
        }
        let sites = Pair::new(self.schemas.old.name_site(old), self.schemas.new.name_site(new));
        let about = Some(About::Struct(types));
        self.type_parameters(("struct", &new.full_name), sites, members.structs.map(|of| &of.parameters), about);
    }

    /// The type parameters of a struct, an interface or a method, as far as there are more or fewer, or one is at another
    /// place: whoever gives types gives them in the order of the parameters.
    pub(super) fn type_parameters(
        &mut self,
        (role, path): (&str, &str),
        sites: Pair<Site>,
        parameters: Pair<&Vec<Arc<str>>>,
        about: Option<About>,
    ) {
        // A name that stands twice is where it was if one of them is.
        let is_elsewhere =
            |(at, name): (usize, &Arc<str>)| parameters.new.get(at) != Some(name) && parameters.new.contains(name);
        let are_moved = about.is_some() && parameters.old.iter().enumerate().any(is_elsewhere);
        if parameters.old.len() == parameters.new.len() && !are_moved {
            return;
        }
        let effect = if are_moved { "parameters-moved" } else { "parameters" };
        let identity = declaration("generic", path);
        let asked = about.filter(|_| are_moved).map(|about| Asked { identity: identity.clone(), about });
        self.own.asked.extend(asked);
        let draft = Draft::new(ChangeKind::TypeOptionChanged, path, identity)
            .at(sites.map(Some))
            .fact(FactKey::Role, role)
            .fact(FactKey::Effect, effect)
            .fact(FactKey::Name, "type parameters")
            .fact(FactKey::OldValue, parameters.old.join(", "))
            .fact(FactKey::NewValue, parameters.new.join(", "));
        // Of what nobody here uses nobody knows what it is given.
        self.push(if are_moved { draft.reads(UNANSWERED) } else { draft });
    }

    /// Everything that has no counterpart. What went as one kind and came as another is one change.
    pub(super) fn leftovers(&mut self) {
        let mut alone = self.without_counterpart();
        let mut interfaces = self.schemas.map(super::interfaces::candidates_of);
        let gone = copies(self.schemas, &interfaces, |id| self.own.interfaces.has_old(id), says);
        interfaces.old.retain(|one| !gone.contains(&one.id));
        let kinds = Pair::new(ChangeKind::ServiceRemoved, ChangeKind::ServiceAdded);
        alone.extend(leftovers(
            kinds,
            self.schemas,
            (interfaces, &FxHashSet::default()),
            &self.own.interfaces,
            Schema::interface,
            |_| "interface",
        ));
        let mut by_path: OrderedMap<String, Vec<Change>> = OrderedMap::new();
        for change in alone.into_iter().map(Draft::finish) {
            by_path.entry(change.path.clone()).or_default().push(change);
        }
        for (path, changes) in by_path {
            match &changes[..] {
                [gone, come] if gone.at.new.is_none() && come.at.old.is_none() => {
                    let role = |change: &Change| change.facts.get(FactKey::Role).unwrap_or_default().to_owned();
                    let draft = Draft::new(ChangeKind::TypeSortChanged, &*path, declaration("sort", &path))
                        .at(Pair::new(gone.at.old.clone(), come.at.new.clone()))
                        .fact(FactKey::OldValue, role(gone))
                        .fact(FactKey::NewValue, role(come));
                    self.push(draft);
                }
                _ => self.changes.extend(changes),
            }
        }
    }
}

impl Declares for Schema<'_> {
    fn is_declaration(of: &Struct<'_>) -> bool {
        of.sort == Sort::Struct
    }

    fn role(_of: &Struct<'_>) -> &'static str {
        "struct"
    }

    fn shape(&self, id: StructId) -> Vec<String> {
        let fields = self.structure(id).fields.iter();
        fields.map(|field| format!("{} {}", field.ordinal, self.spelled(&field.ty))).collect()
    }

    fn values(&self, id: EnumId) -> Vec<String> {
        let values = self.enumeration(id).values.iter();
        values.map(|value| format!("{} {}", value.number, value.name.text)).collect()
    }

    fn members(&self, id: StructId) -> Vec<String> {
        self.structure(id).fields.iter().map(|field| format!("{} {}", field.ordinal, field.path)).collect()
    }

    fn demands(&self, id: StructId) -> Vec<String> {
        let fields = self.structure(id).fields.iter();
        fields.map(|field| format!("{} {:?} {}", field.ordinal, field.guards, field.default_written)).collect()
    }

    /// One of the two names exists on both sides.
    fn are_others(schemas: Pair<&Self>, met: Met, _are_free: bool) -> bool {
        let names = match met {
            Met::Type(types) => schemas.zip(types, |schema, id| &*schema.structure(id).full_name),
            Met::Enum(enums) => schemas.zip(enums, |schema, id| &*schema.enumeration(id).full_name),
        };
        schemas.new.names.contains_key(names.old) || schemas.old.names.contains_key(names.new)
    }
}
