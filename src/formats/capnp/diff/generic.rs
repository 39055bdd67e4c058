//! What is said of generic types: whether anything is felt is decided by those who use them, once all of them are known.

use rustc_hash::FxHashMap;

use crate::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair};
use crate::evidence::Outcome;
use crate::formats::frame::differ::SAFE;

use super::super::felt::{felt, felt_in_calls, felt_inside, worse};
use super::super::model::{InterfaceId, StructId};
use super::super::relation::Relation;
use super::super::used::{Used, used};
use super::differ::{About, Asked, Differ};

/// The facts of a change of which this is felt.
fn settled(kind: ChangeKind, facts: Facts, reads: Pair<Outcome>) -> Facts {
    let has = |key: FactKey, value: &str| facts.get(key) == Some(value);
    let (is_binding, are_moved) =
        (has(FactKey::Relation, Relation::Binding.name()), has(FactKey::Effect, "parameters-moved"));
    let is_told = match kind {
        ChangeKind::FieldTypeChanged | ChangeKind::FieldReused => !has(FactKey::Structure, "moves"),
        ChangeKind::TypeOptionChanged => are_moved,
        ChangeKind::MethodTypeChanged => is_binding,
        ChangeKind::ServiceExtendsChanged => true,
        _ => false,
    };
    if !is_told {
        return facts;
    }
    let facts = facts.with(FactKey::ReadsOld, reads.old.name()).with(FactKey::ReadsNew, reads.new.name());
    match kind {
        ChangeKind::TypeOptionChanged if reads == SAFE => facts.with(FactKey::Effect, "parameters"),
        ChangeKind::MethodTypeChanged if reads == SAFE => facts.with(FactKey::Relation, Relation::Named.name()),
        _ => facts,
    }
}

impl Differ<'_, '_> {
    /// Tells each change that depends on what uses give what they feel of it; gives the uses of the structs that it is in.
    pub(super) fn settle_given(&mut self) -> FxHashMap<Pair<StructId>, Vec<Pair<StructId>>> {
        let asked = std::mem::take(&mut self.own.asked);
        if asked.is_empty() {
            return FxHashMap::default();
        }
        let interfaces = self.own.interfaces.pairs.iter().chain(&self.own.supplied).copied();
        let used = used(self.schemas, self.queue.met_types(), interfaces);
        let mut told: FxHashMap<&Identity, Pair<Outcome>> = FxHashMap::default();
        let mut structs = FxHashMap::default();
        for Asked { identity, about } in &asked {
            if let Some(reads) = self.felt_by(&used, *about) {
                let entry = told.entry(identity).or_insert(SAFE);
                *entry = worse(*entry, reads);
            }
            if let About::Field(types, _) | About::Struct(types) = about {
                structs.insert(*types, used.of(*types).to_vec());
            }
        }
        let is_safe = |change: &Change| told.get(&change.identity) == Some(&SAFE);
        self.changes.retain(|change| change.kind != ChangeKind::ServiceExtendsChanged || !is_safe(change));
        for change in &mut self.changes {
            if let Some(reads) = told.get(&change.identity) {
                change.facts = settled(change.kind, std::mem::take(&mut change.facts), *reads);
            }
        }
        structs
    }

    /// The worst that any use feels; nothing where there is none.
    fn felt_by(&self, used: &Used, about: About) -> Option<Pair<Outcome>> {
        let schemas = self.schemas;
        match about {
            About::Field(types, at) => {
                let one = |ids: &Pair<StructId>| {
                    let structs = schemas.zip(*ids, |schema, id| schema.structure(id));
                    felt(schemas, structs.zip(at, |of, at| &of.fields[at].held))
                };
                used.of(types).iter().map(one).reduce(worse)
            }
            About::Struct(types) => used.of(types).iter().map(|ids| felt_inside(schemas, *ids)).reduce(worse),
            About::Interface(types) => {
                used.of_interfaces(types).iter().map(|branded| felt_in_calls(schemas, *branded)).reduce(worse)
            }
            About::Data(types, at, nth) => {
                let one = |branded: &Pair<InterfaceId>| {
                    let data = schemas
                        .zip(*branded, |schema, id| schema.branded_interface(id))
                        .zip(at, |branded_interface, at| branded_interface.methods[at][nth]);
                    let ids = Pair::new(data.old?, data.new?);
                    Some(felt_inside(schemas, ids))
                };
                used.of_interfaces(types).iter().filter_map(one).reduce(worse)
            }
            About::Above(types, at) => {
                let one = |branded: &Pair<InterfaceId>| {
                    let above = schemas
                        .zip(*branded, |schema, id| schema.branded_interface(id))
                        .zip(at, |branded_interface, at| branded_interface.above[at]);
                    Some(felt_in_calls(schemas, Pair::new(above.old?, above.new?)))
                };
                used.of_interfaces(types).iter().filter_map(one).reduce(worse)
            }
        }
    }
}
