//! Which type of the old side is compared with which type of the new side, and what identifies the elements inside.
//!
//! A field is identified by its ordinal, unless the old name now has another ordinal of the same struct, whatever stands
//! around it: then the name identifies. Where nobody edited a field and it lies elsewhere all the same, what is felt of it is told of the field that
//! moved it. The diff and the round trips take identities from here only.

use rustc_hash::FxHashMap;

use crate::change::{Identity, Pair};
use crate::formats::frame::differ;
pub(crate) use crate::formats::frame::differ::{FieldPair, TypePair, by_name, container};
use crate::formats::frame::meanings::Meaning;
pub(crate) use crate::formats::frame::types::{enum_container, type_container as struct_container};
use crate::formats::frame::words::words;

use super::model::{Arm, Enum, EnumId, Field, Guard, Slot, Space, Struct, StructId, Union};

/// Everything that is compared.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// Structs, the parameters and results of methods among them.
    pub structs: Vec<TypePair<StructId>>,
    /// Enums.
    pub enums: Vec<TypePair<EnumId>>,
    /// The uses of generic structs in which something changed that depends on what they are given.
    pub used: FxHashMap<Pair<StructId>, Vec<Pair<StructId>>>,
}

/// Something that its number identifies.
pub(super) fn by_number(container: &str, number: u16) -> Identity {
    differ::by_number(container, number.into())
}

/// Words with which people mark what is no longer used: an ordinal can only be kept, never left out.
const RETIRED: [&str; 6] = ["deprecated", "obsolete", "unused", "removed", "legacy", "old"];

/// Whether a name says that what it names is no longer used: one of its words does, `goldPrice` and `threshold` do not.
pub(super) fn is_retired(name: &str) -> bool {
    words(name).iter().any(|word| is_mark(word))
}

/// Whether an element goes on at its number under a name that says that it is retired, `deprecatedCode` for `code`: before or
/// behind the former name is nothing but words that say so.
pub(super) fn retires(before: &str, after: &str) -> bool {
    let (before, after) = (words(before).concat(), words(after));
    let is_marked = |from: usize, to: usize| {
        let (first, last) = (&after[..from], &after[to..]);
        first.len() + last.len() > 0 && first.iter().chain(last).all(|word| is_mark(word))
    };
    let mut parts = (0..after.len()).flat_map(|from| (from + 1..=after.len()).map(move |to| (from, to)));
    parts.any(|(from, to)| is_marked(from, to) && after[from..to].concat() == before)
}

/// Whether a word says that something is no longer used, counted (`obsolete2`) or not.
fn is_mark(word: &str) -> bool {
    RETIRED.contains(&word.trim_end_matches(|char: char| char.is_ascii_digit()))
}

/// Which field of the old struct is which of the new: those whose name is now at another ordinal by name, whatever stands
/// around it, all others by ordinal. Those of the new struct in their order, then those that only the old one has.
pub(super) fn fields(structs: Pair<&Struct<'_>>) -> Vec<FieldPair> {
    let Pair { old, new } = structs.map(|of| &of.fields[..]);
    let is_moved = |at: Pair<usize>| {
        let (before, after) = (&old[at.old], &new[at.new]);
        let is_kept = |of: &[Field<'_>], ordinal: u16, name: &str| {
            of.iter().any(|field| field.ordinal == ordinal && retires(name, &field.name.text))
        };
        before.ordinal != after.ordinal
            && !is_kept(new, before.ordinal, &before.name.text)
            && !is_kept(old, after.ordinal, &after.name.text)
    };
    let named = structs.zip(super::around::names(structs), |of, names| -> Vec<(&str, u16)> {
        names.into_iter().zip(of.fields.iter().map(|field| field.ordinal)).collect()
    });
    differ::pair_fields(named.as_ref().map(Vec::as_slice), |(name, ordinal)| (name, (*ordinal).into()), is_moved)
}

/// The elements of two structs and what what is felt of each is told of.
pub(super) struct Paired {
    /// The fields.
    pub fields: Vec<FieldPair>,
    /// What identifies each.
    pub identities: Vec<Identity>,
    /// What what is felt of each is told of: itself, or the field that moved it.
    pub told_of: Vec<Identity>,
    /// The fields that moved others.
    pub causes: Vec<usize>,
    /// Whether each is on one side only, and the other has something else there.
    pub is_taken: Vec<bool>,
}

/// Pairs the fields of two structs.
pub(super) fn paired(structs: Pair<&Struct<'_>>, container: &str) -> Paired {
    let fields = fields(structs);
    let identity = |pair: &FieldPair| {
        let old = pair.at.old.map(|at| &structs.old.fields[at]);
        let new = pair.at.new.map(|at| &structs.new.fields[at]);
        match (pair.by_name, old, new) {
            (true, Some(old), Some(new)) => Some(by_name(container, shorter(&old.path, &new.path))),
            (_, old, new) => new.or(old).map(|field| by_number(container, field.ordinal)),
        }
    };
    let identities: Vec<Identity> = fields.iter().filter_map(identity).collect();
    let mut paired =
        Paired { told_of: identities.clone(), identities, causes: Vec::new(), is_taken: Vec::new(), fields };
    paired.is_taken = paired.fields.iter().map(|pair| is_taken(structs, &paired.fields, pair)).collect();
    let Some(cause) = first_difference(structs).and_then(|ordinal| paired.at_ordinal(structs, ordinal)) else {
        return paired;
    };
    let is_moved = |pair: &FieldPair| match (pair.at.old, pair.at.new) {
        (Some(old), Some(new)) => {
            let (old, new) = (&structs.old.fields[old], &structs.new.fields[new]);
            !pair.by_name && lies_elsewhere(structs, Pair::new(old, new)) && !is_edited(structs, Pair::new(old, new))
        }
        _ => false,
    };
    for at in 0..paired.fields.len() {
        if at != cause && (paired.is_taken[at] || is_moved(&paired.fields[at])) {
            paired.told_of[at] = paired.identities[cause].clone();
            paired.causes = vec![cause];
        }
    }
    paired
}

/// The shorter of two paths of one field, whichever side has it.
fn shorter<'p>(one: &'p str, other: &'p str) -> &'p str {
    [one, other].into_iter().min_by_key(|path| (path.len(), *path)).unwrap_or(one)
}

impl Paired {
    /// The element that stands at an ordinal; of two, whichever way the sides are exchanged, the same.
    fn at_ordinal(&self, structs: Pair<&Struct<'_>>, ordinal: u16) -> Option<usize> {
        let is_at = |at: Option<usize>, of: &Struct<'_>| at.is_some_and(|at| of.fields[at].ordinal == ordinal);
        let new = self.fields.iter().position(|pair| is_at(pair.at.new, structs.new));
        let old = self.fields.iter().position(|pair| is_at(pair.at.old, structs.old));
        match (old, new) {
            (Some(old), Some(new)) if old != new => {
                let names = Pair::new(self.fields[old].at.old, self.fields[new].at.new);
                let old_name = names.old.map(|at| &structs.old.fields[at].path);
                let new_name = names.new.map(|at| &structs.new.fields[at].path);
                Some(if old_name < new_name { old } else { new })
            }
            _ => new.or(old),
        }
    }
}

/// Which union of another struct a union is: the one of its name, else the one that begins at the same ordinal.
pub(super) fn same_union<'u, 'b>(union: &Union<'_>, of: &'u Struct<'b>) -> Option<&'u Union<'b>> {
    let first = |union: &Union<'_>| union.members.first().map(|member| member.ordinal);
    let is_named = |other: &&Union<'_>| other.path == union.path && other.is_unnamed == union.is_unnamed;
    of.unions.iter().find(is_named).or_else(|| of.unions.iter().find(|other| first(other) == first(union)))
}

/// The same of a member.
pub(super) fn same_member<'u, 'b>(member: &Arm<'_>, of: &'u Union<'b>) -> Option<&'u Arm<'b>> {
    let is_named = |other: &&Arm<'_>| other.name.text == member.name.text;
    of.members.iter().find(is_named).or_else(|| of.members.iter().find(|other| other.ordinal == member.ordinal))
}

/// Whether a field stands in the same members of the same unions on both sides.
pub(super) fn is_same_around(structs: Pair<&Struct<'_>>, fields: Pair<&Field<'_>>) -> bool {
    are_same_guards(structs, fields.map(|field| &field.guards[..]))
}

/// Whether these are the same members of the same unions on both sides.
fn are_same_guards(structs: Pair<&Struct<'_>>, guards: Pair<&[Guard]>) -> bool {
    let Pair { old, new } = guards;
    let is_same = |(old, new): (&Guard, &Guard)| {
        let unions = Pair::new(&structs.old.unions[old.union], &structs.new.unions[new.union]);
        let members =
            Pair::new(unions.old.members.get(usize::from(old.member)), unions.new.members.get(usize::from(new.member)));
        let (Some(before), Some(after)) = (members.old, members.new) else { return false };
        let union = same_union(unions.old, structs.new);
        let member = same_member(before, unions.new);
        union.is_some_and(|union| std::ptr::eq(union, unions.new)) && member.is_some_and(|one| std::ptr::eq(one, after))
    };
    old.len() == new.len() && old.iter().zip(new).all(is_same)
}

/// Whether members of a union that hold a field have exchanged their names with others of it, as far as both sides have the
/// union: the number that says which one is set says another one then.
pub(super) fn stands_in_exchanged_members(structs: Pair<&Struct<'_>>, fields: Pair<&Field<'_>>) -> bool {
    fn member<'u>(of: &'u Union<'_>, at: u16) -> Option<&'u str> {
        of.members.get(usize::from(at)).map(|arm| &*arm.name.text)
    }
    let Pair { old, new } = fields.map(|field| &field.guards);
    old.iter().zip(new).any(|(old, new)| {
        let unions = Pair::new(&structs.old.unions[old.union], &structs.new.unions[new.union]);
        let (Some(before), Some(after)) = (member(unions.old, old.member), member(unions.new, new.member)) else {
            return false;
        };
        let has = |of: &Union<'_>, name: &str| of.members.iter().any(|arm| *arm.name.text == *name);
        // Mostly nothing has another name, and the rest need not be asked.
        before != after
            && (has(unions.new, before) || has(unions.old, after))
            && !retires(before, after)
            && !retires(after, before)
            && same_union(unions.old, structs.new).is_some_and(|union| std::ptr::eq(union, unions.new))
    })
}

/// Whether what decides the place of a field is another: its size, or the unions around it.
pub(super) fn is_edited(structs: Pair<&Struct<'_>>, fields: Pair<&Field<'_>>) -> bool {
    fields.old.ty.space() != fields.new.ty.space() || !is_same_around(structs, fields)
}

/// Whether a field lies elsewhere, or under another number of a union.
pub(super) fn lies_elsewhere(structs: Pair<&Struct<'_>>, fields: Pair<&Field<'_>>) -> bool {
    let slots_differ = fields.old.slot != fields.new.slot && fields.old.ty.space() != Space::Nothing;
    slots_differ || has_another_tag(structs, fields)
}

/// Whether what says that a field is set lies elsewhere, or is another number.
pub(super) fn has_another_tag(structs: Pair<&Struct<'_>>, fields: Pair<&Field<'_>>) -> bool {
    let numbers = |of: &Struct<'_>, field: &Field<'_>| -> Vec<(u32, u16)> {
        field.guards.iter().map(|guard| (of.unions[guard.union].offset, guard.member)).collect()
    };
    numbers(structs.old, fields.old) != numbers(structs.new, fields.new)
}

/// Whether a field that only one side has, or what says that it is set, lies where the other side has something that is in
/// the way: what moved is told of itself, and members of one union are never there together, as long as they stay in it.
fn is_taken(structs: Pair<&Struct<'_>>, all: &[FieldPair], pair: &FieldPair) -> bool {
    let (own, other, field, is_new) = match (pair.at.old, pair.at.new) {
        (None, Some(at)) => (structs.new, structs.old, &structs.new.fields[at], true),
        (Some(at), None) => (structs.old, structs.new, &structs.old.fields[at], false),
        _ => return false,
    };
    let in_order = |pair: &FieldPair| if is_new { (pair.at.new, pair.at.old) } else { (pair.at.old, pair.at.new) };
    let are_same = |here: &[Guard], there: &[Guard]| {
        let guards = if is_new { Pair::new(there, here) } else { Pair::new(here, there) };
        are_same_guards(structs, guards)
    };
    let tag = |union: &Union<'_>| Slot::Data { size: 4, offset: union.offset };
    // What says which member of a union is set that the other side has at the same place is no other thing there.
    let is_there = |union: &Union<'_>| same_union(union, other).is_some_and(|there| there.offset == union.offset);
    let unions = field.guards.iter().map(|guard| &own.unions[guard.union]);
    let tags = unions.filter(|union| !is_there(union)).map(|union| (tag(union), &union.guards[..]));
    let taken: Vec<(Slot, &[Guard])> = tags.chain([(field.slot, &field.guards[..])]).collect();
    // What lies at a place of the other side, the members that it is in there, and those that it is in on this one: as long as
    // it stays in them, they exclude others.
    let is_hit = |there: Slot, guards: &[Guard], here: Option<&[Guard]>| {
        let is_exclusive =
            |taken: &[Guard]| here.is_some_and(|here| are_exclusive(here, taken) && are_same(here, guards));
        taken.iter().any(|(slot, taken)| overlap(there, *slot) && !is_exclusive(taken))
    };
    let is_in_the_way = |pair: &FieldPair| {
        let (here, there) = in_order(pair);
        let Some(there) = there.filter(|_| !pair.by_name).map(|at| &other.fields[at]) else { return false };
        is_hit(there.slot, &there.guards, here.map(|here| &own.fields[here].guards[..]))
    };
    let is_discriminant_in_the_way =
        |there: &Union<'_>| is_hit(tag(there), &there.guards, same_union(there, own).map(|here| &here.guards[..]));
    all.iter().any(is_in_the_way) || other.unions.iter().any(is_discriminant_in_the_way)
}

/// Whether these members of unions are never set together.
fn are_exclusive(some: &[Guard], others: &[Guard]) -> bool {
    let differs = |guard: &Guard| others.iter().any(|other| other.union == guard.union && other.member != guard.member);
    some.iter().any(differs)
}

/// Where a reader looks for a field: what says that it is there at all may be something else as well.
pub(super) fn looked_at(of: &Struct<'_>, field: &Field<'_>) -> Vec<Slot> {
    let tags = field.guards.iter().map(|guard| Slot::Data { size: 4, offset: of.unions[guard.union].offset });
    tags.chain([field.slot]).collect()
}

/// Whether two places share anything.
pub(super) fn overlap(one: Slot, other: Slot) -> bool {
    match (one, other) {
        (Slot::Pointer(one), Slot::Pointer(other)) => one == other,
        (Slot::Data { size, offset }, Slot::Data { size: other, offset: at }) => {
            let bits = |size: u32, offset: u32| (u64::from(offset) << size, (u64::from(offset) + 1) << size);
            let ((start, end), (from, to)) = (bits(size, offset), bits(other, at));
            start < to && from < end
        }
        _ => false,
    }
}

/// The lowest ordinal at which anything differs that decides where fields are put.
fn first_difference(structs: Pair<&Struct<'_>>) -> Option<u16> {
    let Pair { old, new } = structs;
    let end = Pair::new(old.fields.last()?.ordinal, new.fields.last()?.ordinal);
    let (mut olds, mut news) = (old.fields.iter().peekable(), new.fields.iter().peekable());
    for ordinal in 0..=end.old.min(end.new) {
        let before = olds.next_if(|field| field.ordinal == ordinal);
        let after = news.next_if(|field| field.ordinal == ordinal);
        match (before, after) {
            (Some(before), Some(after)) if is_edited(structs, Pair::new(before, after)) => return Some(ordinal),
            (Some(_), None) | (None, Some(_)) => return Some(ordinal),
            _ => {}
        }
    }
    None
}

/// Whether both enums have a value of that name, under different numbers, and neither went on under a name that says that
/// it is retired.
pub(super) fn moved_value(enums: Pair<&Enum<'_>>, name: &str) -> bool {
    let number = |of: &Enum<'_>| of.named(name).map(|value| value.number);
    match (number(enums.old), number(enums.new)) {
        (Some(old), Some(new)) if old != new => {
            let is_kept = enums.new.name_of(old).is_some_and(|after| retires(name, after))
                || enums.old.name_of(new).is_some_and(|before| retires(name, before));
            !is_kept
        }
        _ => false,
    }
}

/// Whether two numbers are one value of an enum: by the name where that moved, else by the number.
pub(super) fn is_same_value(enums: Pair<&Enum<'_>>, numbers: Pair<u16>) -> bool {
    let names = Pair::new(enums.old.name_of(numbers.old), enums.new.name_of(numbers.new));
    let is_moved = |name: Option<&str>| name.is_some_and(|name| moved_value(enums, name));
    match is_moved(names.old) || is_moved(names.new) {
        true => names.old == names.new,
        false => numbers.old == numbers.new,
    }
}

/// What a number that both enums name means to the one and to the other.
pub(super) fn meaning(enums: Pair<&Enum<'_>>, number: u16, are_replaced: bool) -> Meaning {
    let names = enums.map(|of| of.name_of(number).into_iter().collect::<Vec<_>>());
    Meaning::of(enums.map(Enum::called), names.as_ref().map(Vec::as_slice), number.into(), are_replaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_in_words_of_its_own_that_it_is_retired() {
        for (before, after) in [
            ("price", "oldPrice"),
            ("price", "price_old"),
            ("b", "obsoleteB"),
            ("cat", "deprecatedCat"),
            ("use", "unusedUse"),
            ("HTTPPort", "legacyHttpPort"),
            ("oldPrice", "deprecatedOldPrice"),
            ("price", "removed3Price"),
        ] {
            assert!(retires(before, after), "{before} -> {after}");
        }
        for (before, after) in [
            ("price", "goldPrice"),
            ("member", "goldMember"),
            ("delete", "deleteFolder"),
            ("thresh", "threshold"),
            ("price", "soldPriceCount"),
            ("price", "oldCustomersPrice"),
            ("price", "price"),
            ("b", "obsoleteBob"),
            ("b", "obsolete"),
            ("old", "older"),
            ("", "old"),
        ] {
            assert!(!retires(before, after), "{before} -> {after}");
        }
        for name in ["folder", "household", "threshold", "soldCount", "goldPrice", "unusedness"] {
            assert!(!is_retired(name), "{name}");
        }
    }
}
