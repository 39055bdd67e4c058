//! Where in the data something stands, as both sides call it, and what identifies it.
//!
//! A record, an enum or a fixed is a place of its own, `com.example.Order`, wherever it is used; inside it come fields,
//! `com.example.Order#total`, and below a field the steps into arrays `[]`, maps `{}` and branches of unions `|long`.
//! Where the sides call a place differently the identity has both texts: `Order#sum>Order#total`. The diff, the
//! registries' checker and the round trips all take identities from here, and from nowhere else.

use crate::change::{Identity, Pair};

use super::model::{Record, Schema, TypeId};

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
    let position = |record: &Record<'_>, name: &str| record.fields.iter().position(|field| field.name == name);
    let mut taken = vec![false; old.fields.len()];
    let mut paired: Vec<Option<usize>> = new.fields.iter().map(|field| position(old, &field.name)).collect();
    for index in paired.iter().flatten() {
        taken[*index] = true;
    }
    for (field, partner) in new.fields.iter().zip(&mut paired).filter(|(_, partner)| partner.is_none()) {
        let former = field.aliases.iter().find_map(|(alias, _)| position(old, alias).filter(|index| !taken[*index]));
        let later = || {
            old.fields.iter().enumerate().position(|(index, candidate)| {
                !taken[index] && candidate.aliases.iter().any(|(alias, _)| *alias == field.name)
            })
        };
        *partner = former.or_else(later);
        if let Some(index) = *partner {
            taken[index] = true;
        }
    }
    let added_or_shared = paired.iter().enumerate().map(|(index, partner)| FieldPair(Pair::new(*partner, Some(index))));
    let gone = taken.iter().enumerate().filter(|(_, taken)| !**taken);
    let removed = gone.map(|(index, _)| FieldPair(Pair::new(Some(index), None)));
    added_or_shared.chain(removed).collect()
}

/// Which branch of the old union is which of the new one, as indices: the same type or the same full name; then named
/// types of which one is called what the other is or was called; then, if there is one left on each side, these two.
pub(super) fn branches(schemas: Pair<&Schema<'_>>, unions: Pair<&[super::model::Use]>) -> Vec<FieldPair> {
    let called = Pair::new(
        unions.old.iter().map(|branch| schemas.old.called(branch.ty)).collect::<Vec<_>>(),
        unions.new.iter().map(|branch| schemas.new.called(branch.ty)).collect::<Vec<_>>(),
    );
    let mut paired: Vec<Option<usize>> =
        called.new.iter().map(|name| called.old.iter().position(|other| other == name)).collect();
    let free = |paired: &[Option<usize>], index: usize| !paired.contains(&Some(index));
    for at in 0..paired.len() {
        if paired[at].is_none() {
            let bridged = |old: TypeId| is_bridged(schemas, Pair::new(old, unions.new[at].ty));
            paired[at] = (0..unions.old.len()).find(|index| free(&paired, *index) && bridged(unions.old[*index].ty));
        }
    }
    let mut open = (0..paired.len()).filter(|at| paired[*at].is_none());
    let mut left = (0..unions.old.len()).filter(|index| free(&paired, *index));
    let last = match (open.next(), open.next(), left.next(), left.next()) {
        (Some(at), None, Some(index), None) => Some((at, index)),
        _ => None,
    };
    if let Some((at, index)) = last {
        paired[at] = Some(index);
    }
    let removed: Vec<usize> = (0..unions.old.len()).filter(|index| free(&paired, *index)).collect();
    let of_new = paired.iter().enumerate().map(|(index, partner)| FieldPair(Pair::new(*partner, Some(index))));
    of_new.chain(removed.iter().map(|index| FieldPair(Pair::new(Some(*index), None)))).collect()
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
