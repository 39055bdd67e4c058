//! Where in the data something stands, as both sides call it, and what identifies it.
//!
//! A record, an enum or a fixed is a place of its own, `com.example.Order`, wherever it is used; inside it come fields,
//! `com.example.Order#total`, and below a field the steps into arrays `[]`, maps `{}` and branches of unions `|long`.
//! Where the sides call a place differently the identity has both texts: `Order#sum>Order#total`. The diff, the
//! registries' checker and the round trips all take identities from here, and from nowhere else.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use crate::change::{Identity, Pair};

use super::model::{Kind, Primitive, Record, Schema, TypeId, Use};

/// A place in data, as each side calls it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place(pub(super) Pair<String>);

impl Place {
    /// A named type, or the file of a schema without a name.
    pub(super) fn named(names: Pair<&str>) -> Self {
        Place(names.map(str::to_owned))
    }

    /// A field; one that only one side has is called the same on both.
    pub(super) fn field(&self, names: Pair<Option<&str>>) -> Self {
        let either = names.old.or(names.new).unwrap_or_default();
        let [old, new] = [names.old, names.new].map(|name| name.unwrap_or(either));
        Place(Pair::new(format!("{}#{old}", self.0.old), format!("{}#{new}", self.0.new)))
    }

    /// What a message of a protocol returns, or the errors it raises: `response`, `errors`.
    pub(super) fn part(&self, part: &str) -> Self {
        self.step(Pair::new(&format!("!{part}"), &format!("!{part}")))
    }

    /// The items of an array.
    pub(super) fn items(&self) -> Self {
        self.step(Pair::new("[]", "[]"))
    }

    /// The values of a map.
    pub(super) fn values(&self) -> Self {
        self.step(Pair::new("{}", "{}"))
    }

    /// A branch of a union; on a side without a union the place itself.
    pub(super) fn branch(&self, called: Pair<Option<&str>>) -> Self {
        let step = |called: Option<&str>| called.map_or_else(String::new, |called| format!("|{called}"));
        self.step(Pair::new(&step(called.old), &step(called.new)))
    }

    /// A symbol of an enum.
    pub(super) fn symbol(&self, symbol: &str) -> Self {
        self.step(Pair::new(&format!("={symbol}"), &format!("={symbol}")))
    }

    fn step(&self, steps: Pair<&str>) -> Self {
        Place(Pair::new(format!("{}{}", self.0.old, steps.old), format!("{}{}", self.0.new, steps.new)))
    }

    /// What identifies the place.
    pub(super) fn identity(&self) -> Identity {
        let Pair { old, new } = &self.0;
        Identity(if old == new { old.clone() } else { format!("{old}>{new}") })
    }

    /// How reports call it: as the new side does.
    pub(super) fn path(&self) -> String {
        self.0.new.replace(['#', '='], ".").replace('!', " ")
    }
}

/// A field of one record and what it is in the other, as indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FieldPair(pub(super) Pair<Option<usize>>);

/// Which field of the old record is which of the new: by name, else by an alias on either side. Those of the new record
/// in their order, then those that only the old one has.
pub(super) fn fields(records: Pair<&Record<'_>>) -> Vec<FieldPair> {
    let Pair { old, new } = records;
    let lookup = Lookup::new(old);
    let mut pairing = Pairing::new(old.fields.len(), new.fields.len());
    for (index, field) in new.fields.iter().enumerate() {
        pairing.join(lookup.find(&field.name, index), index);
    }
    if pairing.is_complete() || [old, new].iter().all(|record| has_no_alias(record)) {
        return pairing.into_pairs();
    }
    let mut later: FxHashMap<&str, usize> = FxHashMap::default();
    for (index, field) in old.fields.iter().enumerate() {
        for (alias, _) in &field.aliases {
            later.entry(alias).or_insert(index);
        }
    }
    for (index, field) in new.fields.iter().enumerate() {
        let former = field.aliases.iter().filter_map(|(alias, _)| lookup.find(alias, index));
        let candidates: Vec<usize> = former.chain(later.get(&*field.name).copied()).collect();
        pairing.join(candidates.into_iter().find(|candidate| pairing.is_free(*candidate)), index);
    }
    pairing.into_pairs()
}

/// Which branch of the old union is which of the new one, as indices: the same type or the same full name; then named
/// types of which one is called what the other is or was called; then types of which one is promoted to the other; then,
/// if there is one left on each side and it is not null, these two.
pub(super) fn branches(schemas: Pair<&Schema<'_>>, unions: Pair<&[Use]>) -> Vec<FieldPair> {
    let mut pairing = Pairing::new(unions.old.len(), unions.new.len());
    let called = || unions.old.iter().map(|branch| schemas.old.called(branch.ty));
    // Most unions are small enough to be looked through.
    let by_name = if unions.old.len() > FEW { names(called()) } else { FxHashMap::default() };
    for (index, branch) in unions.new.iter().enumerate() {
        let name = schemas.new.called(branch.ty);
        let partner = match unions.old.len() > FEW {
            true => by_name.get(name).copied(),
            false => called().position(|other| other == name),
        };
        pairing.join(partner, index);
    }
    if pairing.is_complete() {
        return pairing.into_pairs();
    }
    for continues in [is_bridged, is_promoted] {
        for new in 0..unions.new.len().min(MOST_COMPARED) {
            let types = |old: usize| Pair::new(unions.old[old].ty, unions.new[new].ty);
            let mut free = (0..unions.old.len().min(MOST_COMPARED)).filter(|old| pairing.is_free(*old));
            let partner = free.find(|old| pairing.is_open(new) && continues(schemas, types(*old)));
            pairing.join(partner, new);
        }
    }
    if let Some(last) = pairing.last_left() {
        let is_null =
            |schema: &Schema<'_>, branch: Use| branch.ty == Primitive::Null.id() || schema.called(branch.ty) == "null";
        if !is_null(schemas.old, unions.old[last.old]) && !is_null(schemas.new, unions.new[last.new]) {
            pairing.join(Some(last.old), last.new);
        }
    }
    pairing.into_pairs()
}

/// More branches than this are found by a table of their names.
const FEW: usize = 8;

/// Branches beyond are paired by their names only.
const MOST_COMPARED: usize = 200;

/// Whether no field of a record has another name.
pub(super) fn has_no_alias(record: &Record<'_>) -> bool {
    record.fields.iter().all(|field| field.aliases.is_empty())
}

/// The fields of a record by name.
pub(super) struct Lookup<'r, 'b> {
    record: &'r Record<'b>,
    by_name: OnceCell<FxHashMap<&'r str, usize>>,
}

impl<'r, 'b> Lookup<'r, 'b> {
    pub(super) const fn new(record: &'r Record<'b>) -> Self {
        Lookup { record, by_name: OnceCell::new() }
    }

    /// The index of the field of that name; most fields stand where they stood on the other side.
    pub(super) fn find(&self, name: &str, near: usize) -> Option<usize> {
        if self.record.fields.get(near).is_some_and(|field| field.name == name) {
            return Some(near);
        }
        let by_name = self.by_name.get_or_init(|| names(self.record.fields.iter().map(|field| &*field.name)));
        by_name.get(name).copied()
    }
}

fn names<'n>(list: impl Iterator<Item = &'n str>) -> FxHashMap<&'n str, usize> {
    let mut found = FxHashMap::default();
    for (index, name) in list.enumerate() {
        found.entry(name).or_insert(index);
    }
    found
}

/// Partners found so far.
struct Pairing {
    /// Per element of the new side, its partner.
    partners: Vec<Option<usize>>,
    /// Whether an element of the old side has one.
    taken: Vec<bool>,
}

impl Pairing {
    fn new(old: usize, new: usize) -> Self {
        Pairing { partners: vec![None; new], taken: vec![false; old] }
    }

    /// Makes two elements partners, unless one of them has one.
    fn join(&mut self, old: Option<usize>, new: usize) {
        if let Some(old) = old.filter(|old| self.is_free(*old) && self.is_open(new)) {
            self.partners[new] = Some(old);
            self.taken[old] = true;
        }
    }

    fn is_free(&self, old: usize) -> bool {
        !self.taken[old]
    }

    fn is_open(&self, new: usize) -> bool {
        self.partners[new].is_none()
    }

    fn is_complete(&self) -> bool {
        self.partners.iter().all(Option::is_some) || self.taken.iter().all(|taken| *taken)
    }

    /// The one element of each side that has no partner, if there is just one.
    fn last_left(&self) -> Option<Pair<usize>> {
        let mut open = (0..self.partners.len()).filter(|new| self.is_open(*new));
        let mut free = (0..self.taken.len()).filter(|old| self.is_free(*old));
        match (free.next(), free.next(), open.next(), open.next()) {
            (Some(old), None, Some(new), None) => Some(Pair::new(old, new)),
            _ => None,
        }
    }

    /// The elements of the new side in order, then those that only the old one has.
    fn into_pairs(self) -> Vec<FieldPair> {
        let removed = self.taken.iter().enumerate().filter(|(_, taken)| !**taken);
        let removed = removed.map(|(index, _)| FieldPair(Pair::new(Some(index), None)));
        let of_new = self.partners.iter().enumerate();
        of_new.map(|(index, partner)| FieldPair(Pair::new(*partner, Some(index)))).chain(removed).collect()
    }
}

/// Whether one of two primitive types is promoted to the other.
fn is_promoted(schemas: Pair<&Schema<'_>>, types: Pair<TypeId>) -> bool {
    use Primitive::{Bytes, Double, Float, Int, Long, String};
    let (Kind::Primitive(old), Kind::Primitive(new)) = (schemas.old.kind(types.old), schemas.new.kind(types.new))
    else {
        return false;
    };
    let are_numbers = [old, new].into_iter().all(|kind| matches!(kind, Int | Long | Float | Double));
    are_numbers || matches!((old, new), (Bytes, String) | (String, Bytes))
}

/// Whether two named types of the same sort have the same simple name, or one is an alias of the other.
fn is_bridged(schemas: Pair<&Schema<'_>>, types: Pair<TypeId>) -> bool {
    let (old, new) = (schemas.old.kind(types.old), schemas.new.kind(types.new));
    let (Some(old_name), Some(new_name)) = (old.name(), new.name()) else { return false };
    std::mem::discriminant(old) == std::mem::discriminant(new)
        && (old_name.simple() == new_name.simple()
            || new.aliases().iter().any(|alias| alias.full == old_name.full)
            || old.aliases().iter().any(|alias| alias.full == new_name.full))
}
