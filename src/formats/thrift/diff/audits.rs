//! Tells each change what the compiler's audit makes of it.

use std::collections::BTreeMap;

use crate::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair, Site};

use super::super::audit::{Failure, Subject, audit};
use super::super::model::StructId;
use super::super::pairing;
use super::Differ;

/// A place where nothing else changed: what it is called, where it stands, and the checks that fail.
type Alone = (String, Pair<Option<Site>>, Vec<&'static str>);

impl Differ<'_, '_> {
    /// What the audit fails on goes to the change of that place, or becomes a change of its own.
    pub(super) fn say_what_the_audit_says(&mut self) {
        let mut told: BTreeMap<usize, Vec<&'static str>> = BTreeMap::new();
        let mut alone: BTreeMap<Identity, Alone> = BTreeMap::new();
        for failure in audit(self.schemas) {
            let (identity, path) = self.place(&failure);
            let cause = self.cause(&failure, &identity);
            let checks = match cause {
                Some(index) => told.entry(index).or_default(),
                None => &mut alone.entry(identity).or_insert_with(|| (path, failure.at.clone(), Vec::new())).2,
            };
            if !checks.contains(&failure.check) {
                checks.push(failure.check);
            }
        }
        for (index, checks) in told {
            let change = &mut self.changes[index];
            let facts = std::mem::take(&mut change.facts);
            change.facts = facts.with(FactKey::AuditFails, checks.join(" "));
        }
        for (identity, (path, at, checks)) in alone {
            let facts = Facts::none().with(FactKey::AuditFails, checks.join(" "));
            let kind = ChangeKind::RegistryRefused;
            self.changes.push(Change { kind, path, identity, at, facts, suggestion: None, reports: Vec::new() });
        }
    }

    /// The identity of the place, and what it is called.
    fn place(&self, failure: &Failure) -> (Identity, String) {
        match &failure.subject {
            Subject::Type(name) => (pairing::declaration("type", name), name.clone()),
            Subject::Service(name) => (pairing::declaration("service", name), name.clone()),
            Subject::Extends(name) => (pairing::declaration("extends", name), name.clone()),
            Subject::Function(service, name) => {
                let path = format!("{service}.{name}()");
                (pairing::declaration("method", &path), path)
            }
            Subject::Oneway(service, name) => {
                let path = format!("{service}.{name}()");
                (pairing::declaration("oneway", &path), path)
            }
            Subject::Field(types, id) => self.field_place(*types, *id),
            Subject::EnumValue(names, number) => {
                let container = pairing::container(names.as_ref().map(|name| name.as_str()));
                (pairing::by_number(&container, *number), format!("{}.{number}", names.new))
            }
        }
    }

    fn field_place(&self, types: Pair<StructId>, id: i16) -> (Identity, String) {
        let Pair { old, new } = self.structs(types);
        let name = new.fields.iter().chain(&old.fields).find(|field| field.id == id).map(|field| &*field.name.text);
        let whole = new.full_name.trim_end_matches(" arguments").trim_end_matches(" result");
        let path = match (id, name) {
            (0, _) | (_, None) => whole.to_owned(),
            (_, Some(name)) => format!("{whole}.{name}"),
        };
        (pairing::by_number(&pairing::struct_container(self.schemas, types), id.into()), path)
    }

    /// The change that stands where the audit fails: of the same identity, else at the same place of a side.
    fn cause(&self, failure: &Failure, identity: &Identity) -> Option<usize> {
        let same = |one: &Option<Site>, other: &Option<Site>| one.is_some() && one == other;
        let is_type = matches!(failure.subject, Subject::Type(_));
        let meets = |change: &Change| {
            let is_annotation = matches!(change.kind, ChangeKind::FieldOptionChanged | ChangeKind::TypeOptionChanged);
            let is_place = match is_type {
                true => same(&change.at.old, &failure.at.old),
                false => same(&change.at.old, &failure.at.old) || same(&change.at.new, &failure.at.new),
            };
            !is_annotation && is_place
        };
        let by_identity = || {
            let with = self.changes.iter().enumerate().filter(|(_, change)| change.identity == *identity);
            with.min_by_key(|(_, change)| rank(change.kind)).map(|(index, _)| index)
        };
        by_identity().or_else(|| self.changes.iter().position(meets))
    }
}

/// How likely a change is what the audit fails on: rather a type or an absence than a name.
fn rank(kind: ChangeKind) -> u8 {
    match kind {
        ChangeKind::FieldAdded | ChangeKind::FieldRemoved | ChangeKind::FieldTypeChanged | ChangeKind::FieldReused => 0,
        ChangeKind::FieldRequiredChanged | ChangeKind::FieldRenumbered => 1,
        _ => 2,
    }
}
