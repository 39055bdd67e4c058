//! Tells each change what the compiler's audit makes of it.

use rustc_hash::FxHashMap;

use crate::change::{Change, ChangeKind, FactKey, Identity, Pair};
use crate::formats::frame::peers::{self, Report};

use super::super::audit::{Failure, Subject, audit};
use super::super::model::StructId;
use super::super::pairing;
use super::differ::Differ;

impl Differ<'_, '_> {
    /// What the audit fails on goes to the change of that place, or becomes a change of its own.
    pub(super) fn say_what_the_audit_says(&mut self) {
        let mut by_identity: FxHashMap<&Identity, Vec<usize>> = FxHashMap::default();
        for (index, change) in self.changes.iter().enumerate() {
            by_identity.entry(&change.identity).or_default().push(index);
        }
        let failures = audit(self.schemas).into_iter();
        let reports: Vec<Report<&'static str>> = failures.map(|one| self.report(one, &by_identity)).collect();
        peers::tell(&mut self.changes, reports, peers::state_checks(FactKey::PeerReports));
    }

    fn report(&self, failure: Failure, by_identity: &FxHashMap<&Identity, Vec<usize>>) -> Report<&'static str> {
        let (identity, path) = self.place(&failure);
        let cause = self.cause(&failure, by_identity.get(&identity).map_or(&[], Vec::as_slice));
        Report { cause, identity, path, at: failure.at, says: failure.check }
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
        let Pair { old, new } = self.types(types);
        let name = new.fields.iter().chain(&old.fields).find(|field| field.id == id).map(|field| &*field.name.text);
        let whole = new.full_name.trim_end_matches(" arguments").trim_end_matches(" result");
        let path = match (id, name) {
            (0, _) | (_, None) => whole.to_owned(),
            (_, Some(name)) => format!("{whole}.{name}"),
        };
        (pairing::by_number(&pairing::struct_container(self.schemas, types), id.into()), path)
    }

    /// The change that stands where the audit fails: of those with the same identity, else at the same place of a side,
    /// else inside of it, as the id of a field is.
    fn cause(&self, failure: &Failure, alike: &[usize]) -> Option<usize> {
        let best = |is_meant: &dyn Fn(&Change) -> bool| {
            let changes = self.changes.iter().enumerate();
            let meant = changes.filter(|(_, change)| !is_annotation(change.kind) && is_meant(change));
            let likely = |(_, change): &(usize, &Change)| (rank(change.kind), !failure.at.meets(&change.at));
            meant.min_by_key(likely).map(|(index, _)| index)
        };
        let kind = |index: &usize| self.changes[*index].kind;
        let likeliest = alike.iter().copied().filter(|index| !is_annotation(kind(index)));
        likeliest
            .min_by_key(|index| rank(kind(index)))
            .or_else(|| best(&|change| failure.at.is_around(&change.at)))
            .or_else(|| best(&|change| self.takes_the_result(&failure.subject, change)))
    }

    /// Whether nobody waits for the result any more that a field is in.
    fn takes_the_result(&self, subject: &Subject, change: &Change) -> bool {
        let Subject::Field(types, _) = subject else { return false };
        let function = self.types(*types).new.full_name.trim_end_matches(" result");
        change.identity == pairing::declaration("oneway", function)
    }
}

const fn is_annotation(kind: ChangeKind) -> bool {
    matches!(kind, ChangeKind::FieldOptionChanged | ChangeKind::TypeOptionChanged)
}

/// How likely a change is what the audit fails on: rather a type than a number, and that than a name.
fn rank(kind: ChangeKind) -> u8 {
    match kind {
        ChangeKind::FieldTypeChanged | ChangeKind::FieldReused => 0,
        ChangeKind::FieldRequiredChanged | ChangeKind::FieldRenumbered => 1,
        _ => 2,
    }
}
