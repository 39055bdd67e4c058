//! Tells each change what the registries' checker makes of it.

use std::collections::BTreeMap;

use crate::change::{Identity, Side};

use super::super::registry::{Checker, Incompatibility};
use super::*;

impl Differ<'_, '_> {
    /// Runs the checker in both directions over everything that data starts from. What it reports of a place goes to the
    /// change of that place.
    pub(super) fn say_what_registries_say(&mut self) {
        for (reader, fact) in [(Side::New, FactKey::RegistryReadsOld), (Side::Old, FactKey::RegistryReadsNew)] {
            let mut checker = Checker::new(self.schemas, reader);
            let mut by_place: BTreeMap<Identity, Vec<&'static str>> = BTreeMap::new();
            for start in &self.starts {
                let meeting = &self.found.meetings[*start];
                let Place(names) = &meeting.place;
                let trail = Trail::top(Pair::new(&*names.old, &*names.new));
                for Incompatibility { kind, identity } in checker.check(&trail, meeting.types).iter() {
                    let kinds = by_place.entry(identity.clone()).or_default();
                    if !kinds.contains(kind) {
                        kinds.push(kind);
                    }
                }
            }
            // Of schemas that are the same no registry asks.
            if by_place.is_empty() || self.found.changes.is_empty() {
                continue;
            }
            let mut causes: FxHashMap<Identity, usize> = FxHashMap::default();
            for (index, change) in self.found.changes.iter().enumerate() {
                let known = causes.entry(change.identity.clone()).or_insert(index);
                if cause(change) < cause(&self.found.changes[*known]) {
                    *known = index;
                }
            }
            for (identity, mut kinds) in by_place {
                kinds.sort_unstable();
                self.tell(&identity, causes.get(&identity).copied(), fact, &kinds);
            }
        }
    }

    fn tell(&mut self, identity: &Identity, cause: Option<usize>, fact: FactKey, kinds: &[&str]) {
        let Some(change) = cause.map(|index| &mut self.found.changes[index]) else {
            let facts = Facts::none().with(fact, kinds.join(" "));
            let kind = ChangeKind::RegistryRefused;
            let path = identity.0.replace(['#', '='], ".");
            let at = Pair::new(None, None);
            self.found.changes.push(Change {
                kind,
                path,
                identity: identity.clone(),
                at,
                facts,
                suggestion: None,
                reports: Vec::new(),
            });
            return;
        };
        let facts = std::mem::take(&mut change.facts);
        change.facts = facts.with(fact, kinds.join(" "));
    }
}

/// How likely a change is the cause of an incompatibility at its place.
fn cause(change: &Change) -> u8 {
    match change.kind {
        ChangeKind::AliasChanged if change.facts.get(FactKey::Direction) == Some("ambiguous") => 0,
        ChangeKind::FieldAdded | ChangeKind::FieldRemoved | ChangeKind::FieldTypeChanged => 0,
        ChangeKind::UnionBranchAdded | ChangeKind::UnionBranchRemoved => 0,
        ChangeKind::EnumValueAdded | ChangeKind::EnumValueRemoved => 0,
        ChangeKind::FieldRenamed => 1,
        ChangeKind::MessageRenamed | ChangeKind::EnumRenamed | ChangeKind::FixedRenamed => 1,
        ChangeKind::FixedSizeChanged => 2,
        _ => 3,
    }
}
