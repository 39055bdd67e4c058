//! Tells each change what `SchemaLoader` makes of it.

use rustc_hash::FxHashMap;

use crate::change::{Change, ChangeKind, FactKey, Identity, Pair, Site};
use crate::evidence::Outcome;

use super::super::loader::{DEFAULT_CHANGED, Refusal, Subject, refusals};
use super::super::model::{InterfaceId, Struct, StructId};
use super::super::pairing;
use super::differ::Differ;
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::declaration;
use crate::formats::frame::peers::{self, Report, Where};

/// What a refusal is about.
struct Place {
    identity: Identity,
    path: String,
    at: Where,
    /// What that is felt of is told of, where it is told of something else.
    told_of: Option<Identity>,
}

impl Differ<'_, '_> {
    /// What the loader refuses goes to the change of that place, or becomes a change of its own. It refuses
    /// defaults that are equal to nothing even after themselves: of a file in which nothing changed that is not said.
    pub(super) fn say_what_the_loader_says(&mut self) {
        let mut by_identity: FxHashMap<&Identity, Vec<usize>> = FxHashMap::default();
        for (index, change) in self.changes.iter().enumerate() {
            by_identity.entry(&change.identity).or_default().push(index);
        }
        let mut reports = Vec::new();
        for Refusal { check, subject } in refusals(self.schemas) {
            let Some(Place { identity, path, at, told_of }) = self.refused_place(&subject) else { continue };
            let alike = by_identity.get(&identity).map_or(&[][..], Vec::as_slice);
            // What moved a field is told at another one.
            let moved_by = told_of.and_then(|told_of| by_identity.get(&told_of)).map_or(&[][..], Vec::as_slice);
            let cause = self.refused_cause(&at, alike).or_else(|| self.likeliest(moved_by));
            let cause = cause.or_else(|| self.hurt_inside(&subject));
            if cause.is_none() && check == DEFAULT_CHANGED && !self.has_changed(&at) {
                continue;
            }
            reports.push(Report { cause, identity, path, at, says: check });
        }
        peers::tell(&mut self.changes, reports, peers::state_checks(FactKey::PeerReports));
    }

    /// Whether anything has changed in the files of a place.
    fn has_changed(&self, at: &Where) -> bool {
        let places = Pair::<Option<Site>>::from(at.clone());
        let is_there = |site: &Option<Site>, other: &Option<Site>| match (site, other) {
            (Some(site), Some(other)) => site.file == other.file,
            _ => false,
        };
        self.changes.iter().any(|change| is_there(&places.old, &change.at.old) || is_there(&places.new, &change.at.new))
    }

    fn refused_place(&self, subject: &Subject) -> Option<Place> {
        match subject {
            Subject::Struct(types) => Some(self.struct_place(*types)),
            Subject::Field(types, ordinals) => Some(self.field_place(*types, *ordinals)),
            Subject::Method(types, at) => self.method_place(*types, *at),
            Subject::Interface(types) => {
                let Pair { old, new } = self.schemas;
                let (before, after) = (old.interface(types.old), new.interface(types.new));
                let at = Where::Both(Pair::new(old.name_site(before), new.name_site(after)));
                let path = after.full_name.to_string();
                Some(Place { identity: declaration("interface", &path), path, at, told_of: None })
            }
            Subject::Node(id) => self.node_place(*id),
        }
    }

    fn struct_place(&self, types: Pair<StructId>) -> Place {
        let of = self.types(types);
        let at = Where::Both(Pair::new(self.schemas.old.name_site(of.old), self.schemas.new.name_site(of.new)));
        Place { identity: declaration("loader", &of.new.full_name), path: whole(of.new), at, told_of: None }
    }

    fn field_place(&self, types: Pair<StructId>, ordinals: Pair<u16>) -> Place {
        let of = self.types(types);
        let Pair { old, new } = self.schemas;
        let found = Pair::new(
            of.old.fields.iter().find(|field| field.ordinal >= ordinals.old),
            of.new.fields.iter().find(|field| field.ordinal >= ordinals.new),
        );
        let site = Pair::new(
            found.old.map(|field| old.site(of.old.file, field.span)),
            found.new.map(|field| new.site(of.new.file, field.span)),
        );
        let name = found.new.or(found.old).map_or("", |field| &field.path);
        let container = pairing::struct_container(self.schemas, types);
        let Some(at) = Where::of(site) else { return self.struct_place(types) };
        let path = format!("{}.{name}", whole(of.new));
        let paired = pairing::paired(of, &container);
        let is_meant = |pair: &pairing::FieldPair| {
            let ordinals = pair.at.new.map(|at| of.new.fields[at].ordinal);
            found.new.is_some_and(|field| ordinals == Some(field.ordinal))
        };
        let nth = paired.fields.iter().position(is_meant);
        let told_of = nth.filter(|nth| paired.told_of[*nth] != paired.identities[*nth]);
        let told_of = told_of.map(|nth| paired.told_of[nth].clone());
        Place { identity: pairing::by_number(&container, ordinals.new), path, at, told_of }
    }

    fn method_place(&self, types: Pair<InterfaceId>, at: usize) -> Option<Place> {
        let Pair { old, new } = self.schemas;
        let of = Pair::new(old.interface(types.old), new.interface(types.new));
        let methods = Pair::new(of.old.methods.get(at)?, of.new.methods.get(at)?);
        let sites = Pair::new(old.site(of.old.file, methods.old.span), new.site(of.new.file, methods.new.span));
        let path = format!("{}.{}()", of.new.full_name, methods.new.name.text);
        Some(Place { identity: declaration("method", &path), path, at: Where::Both(sites), told_of: None })
    }

    /// A declaration that went on as another kind.
    fn node_place(&self, id: u64) -> Option<Place> {
        let Pair { old, new } = self.schemas;
        let site = |schema: &super::super::model::Schema<'_>| -> Option<(String, Site)> {
            let structs = schema.structs.iter().filter(|of| of.id == id);
            let structs = structs.map(|of| (of.full_name.to_string(), schema.name_site(of)));
            let enums = schema.enums.iter().filter(|of| of.id == id);
            let enums = enums.map(|of| (of.full_name.to_string(), schema.name_site(of)));
            let interfaces = schema.interfaces.iter().filter(|of| of.id == id);
            let interfaces = interfaces.map(|of| (of.full_name.to_string(), schema.name_site(of)));
            let others = schema.others.iter().filter(|of| of.id == id);
            let others = others.map(|of| (of.full_name.to_string(), schema.name_site(of)));
            structs.chain(enums).chain(interfaces).chain(others).next()
        };
        let (before, after) = (site(old), site(new));
        let path = after.as_ref().or(before.as_ref()).map(|(name, _)| name.clone())?;
        let at = Where::of(Pair::new(before.map(|(_, site)| site), after.map(|(_, site)| site)))?;
        Some(Place { identity: declaration("sort", &path), path, at, told_of: None })
    }

    /// The worst that readers feel of the fields of a struct which is refused as a whole.
    fn hurt_inside(&self, subject: &Subject) -> Option<usize> {
        let Subject::Struct(types) = subject else { return None };
        let of = self.types(*types).new;
        let felt = |change: &Change| {
            let reads = [FactKey::ReadsOld, FactKey::ReadsNew].into_iter();
            reads.filter_map(|key| change.facts.get(key).and_then(Outcome::from_name)).max()
        };
        let is_inside = |change: &Change| change.facts.get(FactKey::Container) == Some(&*of.full_name);
        let inside = self.changes.iter().enumerate().filter(|(_, change)| is_inside(change));
        let hurts = inside.filter_map(|(index, change)| Some((felt(change)?, std::cmp::Reverse(index))));
        hurts.filter(|(outcome, _)| *outcome >= Outcome::Lossy).max().map(|(_, index)| index.0)
    }

    /// The change that stands where the loader refuses: of those with the same identity, else at the same place of a side.
    fn refused_cause(&self, at: &Where, alike: &[usize]) -> Option<usize> {
        self.likeliest(alike)
            .or_else(|| self.changes.iter().position(|change| may_be_refused(change) && at.meets(&change.at)))
    }

    /// Of some changes the one that is most likely what the loader refuses.
    fn likeliest(&self, of: &[usize]) -> Option<usize> {
        let likeliest = of.iter().copied().filter(|index| may_be_refused(&self.changes[*index]));
        likeliest.min_by_key(|index| rank(self.changes[*index].kind))
    }
}

/// Whether a change may be what the loader refuses.
fn may_be_refused(change: &Change) -> bool {
    !matches!(change.kind, ChangeKind::FieldOptionChanged | ChangeKind::TypeOptionChanged)
}

/// The name of a struct, or of the method whose parameters or results it holds.
fn whole(of: &Struct<'_>) -> String {
    let name = &*of.full_name;
    name.strip_suffix(" parameters").or_else(|| name.strip_suffix(" results")).unwrap_or(name).to_owned()
}

/// How likely a change is what the loader refuses: rather a type or a place than a name.
fn rank(kind: ChangeKind) -> u8 {
    match kind {
        ChangeKind::FieldTypeChanged | ChangeKind::FieldReused | ChangeKind::FieldOneofChanged => 0,
        ChangeKind::FieldDefaultChanged | ChangeKind::FieldRenumbered | ChangeKind::MethodTypeChanged => 1,
        _ => 2,
    }
}
