//! By which name a field of one struct is known in the other, where groups and unions around it came, went or have other
//! names.
//!
//! A group has no bytes, so what stands around a name says nothing of what it means: `size.width` is the `width` of before. A
//! name that several groups have is followed only where it stays among fields that it stood with, or where one of its places
//! is the other one with more groups around it.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Pair;
use crate::ordered::{InOrder, OrderedMap};

use super::model::{Field, Struct};

/// Of one name more pairs than these are not looked at; ordinals say then which field is which.
const MOST: usize = 1 << 12;

/// The name of each field of both structs, the same where the two are one field to those who go by names: its path, and where
/// the other struct has no such path, that of the new field which it became.
pub(super) fn names<'s>(structs: Pair<&'s Struct<'_>>) -> Pair<Vec<&'s str>> {
    let mut names = structs.map(|of| of.fields.iter().map(|field| &*field.path).collect::<Vec<&str>>());
    let known = names.as_ref().map(|paths| paths.iter().copied().collect::<FxHashSet<&str>>());
    let left = structs.zip(known.as_ref().mirrored(), |of, known| left(of, known));
    if left.old.is_empty() || left.new.is_empty() {
        return names;
    }
    for pair in followed(structs, left) {
        names.old[pair.old] = names.new[pair.new];
    }
    names
}

/// The fields whose paths the other struct does not have.
fn left(of: &Struct<'_>, known: &FxHashSet<&str>) -> Vec<usize> {
    (0..of.fields.len()).filter(|at| !known.contains(&*of.fields[*at].path)).collect()
}

/// Which of the fields that are left goes on as which, by the places of both.
fn followed(structs: Pair<&Struct<'_>>, left: Pair<Vec<usize>>) -> Vec<Pair<usize>> {
    let counts = structs.map(|of| by_name(of, 0..of.fields.len()));
    let left = structs.zip(left, |of, left| by_name(of, left.into_iter()));
    let shared = shared(structs);
    let mut found = Vec::new();
    for (name, olds) in &left.old {
        let Some(news) = left.new.get(name).filter(|news| news.len() * olds.len() <= MOST) else { continue };
        let is_only = counts.old[name].len() == 1 && counts.new[name].len() == 1;
        for pair in olds.iter().flat_map(|old| news.iter().map(|new| Pair::new(*old, *new))) {
            let fields = structs.zip(pair, |of, at| &of.fields[at]);
            let around = fields.map(around);
            let together = shared.get(&(around.old, around.new)).copied().unwrap_or(0);
            let is_inside = is_within(around.old, around.new) || is_within(around.new, around.old);
            let ordinals = fields.map(|field| field.ordinal);
            let stays = ordinals.old == ordinals.new;
            if stays || is_only || together > 0 || is_inside {
                let (first, last) = (ordinals.old.min(ordinals.new), ordinals.old.max(ordinals.new));
                // The same, whichever way the sides are exchanged.
                found.push(((!stays, Reverse(together), !is_inside, last - first, first), pair));
            }
        }
    }
    found.sort_in_order_by_key(|(rank, pair)| (*rank, pair.old, pair.new));
    let (mut olds, mut news) = (FxHashSet::default(), FxHashSet::default());
    let mut pairs = Vec::new();
    for (_, pair) in found {
        if !olds.contains(&pair.old) && !news.contains(&pair.new) {
            olds.insert(pair.old);
            news.insert(pair.new);
            pairs.push(pair);
        }
    }
    pairs
}

/// Where the fields of each name are, without what stands around.
fn by_name<'s>(of: &'s Struct<'_>, fields: impl Iterator<Item = usize>) -> OrderedMap<&'s str, Vec<usize>> {
    let mut found: OrderedMap<&str, Vec<usize>> = OrderedMap::new();
    fields.for_each(|at| found.entry(&*of.fields[at].name.text).or_default().push(at));
    found
}

/// How many ordinals stand right inside of one place of the old struct and of one of the new.
fn shared<'s>(structs: Pair<&'s Struct<'_>>) -> FxHashMap<(&'s str, &'s str), usize> {
    let places: FxHashMap<u16, &str> = structs.old.fields.iter().map(|field| (field.ordinal, around(field))).collect();
    let mut shared: FxHashMap<(&str, &str), usize> = FxHashMap::default();
    for field in &structs.new.fields {
        if let Some(before) = places.get(&field.ordinal) {
            *shared.entry((*before, around(field))).or_default() += 1;
        }
    }
    shared
}

/// The names of the groups and unions around a field.
fn around<'f>(field: &'f Field<'_>) -> &'f str {
    field.path.rsplit_once('.').map_or("", |(around, _)| around)
}

/// Whether a place is another one with more around or between.
fn is_within(outer: &str, inner: &str) -> bool {
    let mut inner = inner.split('.');
    outer.is_empty() || outer.split('.').all(|name| inner.any(|other| other == name))
}
