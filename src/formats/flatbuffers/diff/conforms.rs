//! Tells each change what the compiler's comparison makes of it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Change, ChangeKind, FactKey, Identity, Pair};
use crate::formats::frame::peers::{self, Report};

use super::super::conform::{Failure, Subject, conform};
use super::super::model::{ObjectId, Type};
use super::super::pairing;
use super::Differ;

impl Differ<'_, '_> {
    /// What the comparison fails on goes to the change of that place, or becomes a change of its own.
    pub(super) fn say_what_conform_says(&mut self) {
        let mut of_wholes = FxHashMap::default();
        let reports: Vec<Report<&'static str>> =
            conform(self.schemas).into_iter().map(|one| self.report(one, &mut of_wholes)).collect();
        peers::tell(&mut self.changes, reports, peers::state_checks(FactKey::PeerReports));
    }

    fn report(&self, failure: Failure, of_wholes: &mut OfWholes) -> Report<&'static str> {
        let (identities, path) = self.place(&failure);
        let own = self.cause(&failure, &identities);
        let cause = own.or_else(|| match &failure.subject {
            Subject::Field(types, name, _) => {
                let around = *of_wholes.entry(*types).or_insert_with(|| self.cause_around(*types));
                around.or_else(|| self.cause_in_enum(*types, name))
            }
            Subject::Value(..) | Subject::Enum(_) => None,
        });
        let identity = pairing::declaration("conform", &path);
        Report { cause, identity, path, at: failure.at, says: failure.check }
    }

    /// The identities of the place, and what it is called.
    fn place(&self, failure: &Failure) -> (Vec<Identity>, String) {
        match &failure.subject {
            Subject::Field(types, name, slot) => {
                let container = pairing::object_container(self.schemas, *types);
                let identities = [pairing::by_number(&container, (*slot).into()), pairing::by_name(&container, name)];
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
        self.best(|change| identities.contains(&change.identity))
            .or_else(|| self.best(|change| failure.at.meets(&change.at)))
    }

    fn best(&self, is_meant: impl Fn(&Change) -> bool) -> Option<usize> {
        let meant = self.changes.iter().enumerate().filter(|(_, change)| rank(change.kind) < NEVER && is_meant(change));
        meant.min_by_key(|(_, change)| rank(change.kind)).map(|(index, _)| index)
    }

    /// The change that moves the fields of a struct besides their own: of the layout of the whole, of the fields beside
    /// them, and of the structs that lie in it.
    fn cause_around(&self, types: Pair<ObjectId>) -> Option<usize> {
        let (mut seen, mut identities) = (FxHashSet::default(), FxHashSet::default());
        self.collect_inside(types, &mut seen, &mut identities);
        self.best(|change| identities.contains(&change.identity))
    }

    /// The change of an enum that gives the value another number to which a field defaults.
    fn cause_in_enum(&self, types: Pair<ObjectId>, name: &str) -> Option<usize> {
        let fields = self.types(types).map(|of| of.fields.iter().find(|field| field.name.text == name));
        let (Type::Enum(old), Type::Enum(new)) = (&fields.old?.ty, &fields.new?.ty) else { return None };
        let enums = Pair::new(*old, *new);
        let container = pairing::enum_container(self.schemas, enums);
        let values = self.enums(enums).old.values.iter();
        let identities: Vec<Identity> = values.map(|value| pairing::by_name(&container, &value.name.text)).collect();
        self.best(|change| identities.contains(&change.identity))
    }

    fn collect_inside(
        &self,
        types: Pair<ObjectId>,
        seen: &mut FxHashSet<Pair<ObjectId>>,
        found: &mut FxHashSet<Identity>,
    ) {
        if !seen.insert(types) {
            return;
        }
        let objects = self.types(types);
        let container = pairing::object_container(self.schemas, types);
        found.extend([pairing::layout(&container), pairing::declaration("sort", &container)]);
        if objects.old.layout.is_none() || objects.new.layout.is_none() {
            return;
        }
        for field in objects.old.fields.iter().chain(&objects.new.fields) {
            found.extend([
                pairing::by_number(&container, field.slot.into()),
                pairing::by_name(&container, &field.name.text),
            ]);
        }
        let news: FxHashMap<&str, &Type> =
            objects.new.fields.iter().map(|field| (&*field.name.text, &field.ty)).collect();
        for old in &objects.old.fields {
            let new = news.get(&*old.name.text).and_then(|new| inline(new));
            if let Some((old, new)) = inline(&old.ty).zip(new) {
                self.collect_inside(Pair::new(old, new), seen, found);
            }
        }
    }
}

/// What moves the fields of two structs, once it was looked for.
type OfWholes = FxHashMap<Pair<ObjectId>, Option<usize>>;

/// The struct that lies in a field, alone or in an array.
fn inline(ty: &Type) -> Option<ObjectId> {
    match ty {
        Type::Struct(id) => Some(*id),
        Type::Array(items, _) => inline(items),
        _ => None,
    }
}

const NEVER: u8 = 9;

/// How likely a change is what the comparison fails on: rather a type or an absence than a name, never an attribute.
fn rank(kind: ChangeKind) -> u8 {
    match kind {
        ChangeKind::FieldRemoved | ChangeKind::FieldTypeChanged | ChangeKind::FieldReused => 0,
        ChangeKind::FieldDefaultChanged | ChangeKind::FieldPresenceChanged => 1,
        ChangeKind::FieldOffsetWidthChanged | ChangeKind::FieldRenumbered => 1,
        ChangeKind::FieldOptionChanged | ChangeKind::TypeOptionChanged => NEVER,
        _ => 2,
    }
}
