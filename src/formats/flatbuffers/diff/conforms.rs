//! Tells each change what the compiler's comparison makes of it.

use crate::change::{Change, ChangeKind, FactKey, Identity};
use crate::formats::frame::peers::{self, Report};

use super::super::conform::{Failure, Subject, conform};
use super::super::pairing;
use super::Differ;

impl Differ<'_, '_> {
    /// What the comparison fails on goes to the change of that place, or becomes a change of its own.
    pub(super) fn say_what_conform_says(&mut self) {
        let reports: Vec<Report<&'static str>> =
            conform(self.schemas).into_iter().map(|one| self.report(one)).collect();
        peers::tell(&mut self.changes, reports, peers::state_checks(FactKey::PeerReports));
    }

    fn report(&self, failure: Failure) -> Report<&'static str> {
        let (identities, path) = self.place(&failure);
        let cause = self.cause(&failure, &identities);
        let identity = pairing::declaration("conform", &path);
        Report { cause, identity, path, at: failure.at, says: failure.check }
    }

    /// The identities of the place and of what it stands in, and what it is called.
    fn place(&self, failure: &Failure) -> (Vec<Identity>, String) {
        match &failure.subject {
            Subject::Field(types, name, slot) => {
                let container = pairing::object_container(self.schemas, *types);
                let identities = [
                    pairing::by_number(&container, (*slot).into()),
                    pairing::by_name(&container, name),
                    pairing::layout(&container),
                    pairing::declaration("sort", &container),
                ];
                let told_of = |identity: Identity| self.own.moved_by.get(&identity).cloned().unwrap_or(identity);
                (identities.map(told_of).into(), format!("{}.{name}", self.type_names(*types).new))
            }
            Subject::Value(types, name) => {
                let container = pairing::enum_container(self.schemas, *types);
                let identity = pairing::by_name(&container, name);
                (vec![identity], format!("{}.{name}", self.enum_names(*types).new))
            }
            Subject::Enum(types) => {
                let name = self.enum_names(*types).new;
                let identity = pairing::declaration("underlying", name);
                (vec![identity], name.to_owned())
            }
        }
    }

    /// The change that stands where the comparison fails: of the same identity, else at the same place of a side.
    fn cause(&self, failure: &Failure, identities: &[Identity]) -> Option<usize> {
        let meets = |change: &Change| failure.at.meets(&change.at);
        let all = || self.changes.iter().enumerate().filter(|(_, change)| rank(change.kind) < NEVER);
        let best = |is_it: &dyn Fn(&Change) -> bool| {
            all()
                .filter(|(_, change)| is_it(change))
                .min_by_key(|(_, change)| rank(change.kind))
                .map(|(index, _)| index)
        };
        best(&|change| identities.contains(&change.identity)).or_else(|| best(&meets))
    }
}

const NEVER: u8 = 9;

/// How likely a change is what the comparison fails on: rather a type or an absence than a name, rather the field than what
/// it stands in, never an attribute.
fn rank(kind: ChangeKind) -> u8 {
    match kind {
        ChangeKind::FieldRemoved | ChangeKind::FieldTypeChanged | ChangeKind::FieldReused => 0,
        ChangeKind::FieldDefaultChanged | ChangeKind::FieldPresenceChanged | ChangeKind::FieldOffsetWidthChanged => 1,
        ChangeKind::FieldRenumbered
        | ChangeKind::EnumValueRenumbered
        | ChangeKind::UnionBranchRenumbered
        | ChangeKind::EnumUnderlyingChanged => 1,
        ChangeKind::StructLayoutChanged | ChangeKind::TypeSortChanged => 3,
        ChangeKind::FieldOptionChanged | ChangeKind::TypeOptionChanged => NEVER,
        _ => 2,
    }
}
