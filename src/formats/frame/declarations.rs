//! What becomes of declarations: which continue under another name or in another file, which have gone and which have come.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{ChangeKind, FactKey, Pair};
use crate::ordered::{InOrder, OrderedMap, OrderedSet};

use super::declared::{Declared, InFiles, Named};
use super::differ::{Candidate, Continued, Draft, declaration, yes};
use super::roots::simple_name;
use super::words::words;

/// The declarations of the judged files that can continue on the other side.
pub(crate) fn candidates<S: InFiles, T: Named, Id>(schema: &S, all: &[T], id: fn(u32) -> Id) -> Vec<Candidate<Id>> {
    candidates_where(schema, all, id, |declared, _| declared.is_own)
}

/// The declarations that are meant, of whichever files.
pub(crate) fn candidates_where<S: InFiles, T: Named, Id>(
    schema: &S,
    all: &[T],
    id: fn(u32) -> Id,
    is_meant: impl Fn(&Declared<'_>, &Id) -> bool,
) -> Vec<Candidate<Id>> {
    let candidate = |(one, id): (&T, Id)| {
        let declared = schema.declared(one);
        let file = one.named().1;
        is_meant(&declared, &id).then(|| Candidate::of(schema, file, (id, declared.name)))
    };
    all.iter().zip((0..).map(id)).filter_map(candidate).collect()
}

/// What the judged files of the two sides declare, by full name.
pub(crate) fn namesakes<'s, S: InFiles, T: Named>(
    schemas: Pair<&S>,
    all: Pair<&'s [T]>,
) -> OrderedMap<&'s str, Pair<Option<&'s T>>> {
    let mut found: OrderedMap<&str, Pair<Option<&T>>> = OrderedMap::new();
    for one in all.old.iter().filter(|one| schemas.old.declared(*one).is_own) {
        found.entry(one.named().0).or_default().old = Some(one);
    }
    for one in all.new.iter().filter(|one| schemas.new.declared(*one).is_own) {
        found.entry(one.named().0).or_default().new = Some(one);
    }
    found
}

/// That a declaration has another name, or stands in another file; nothing where neither is so. `short` is the part of a
/// name that has to change for it to be another one, and not only in another place.
pub(crate) fn renamed_or_moved<S: InFiles, T: Named>(
    (renamed, role): (ChangeKind, &str),
    schemas: Pair<&S>,
    of: Pair<&T>,
    short: fn(&str) -> &str,
) -> Option<Draft> {
    let Pair { old, new } = Pair::new(schemas.old.declared(of.old), schemas.new.declared(of.new));
    let kind = match short(old.name) == short(new.name) {
        true if old.name == new.name && old.file == new.file => return None,
        true => ChangeKind::TypeMoved,
        false => renamed,
    };
    let draft = Draft::new(kind, new.name, declaration("type", new.name))
        .at(Pair::new(Some(schemas.old.name_site(of.old)), Some(schemas.new.name_site(of.new))))
        .fact(FactKey::Role, role)
        .fact(FactKey::OldName, old.name)
        .fact(FactKey::NewName, new.name)
        .fact(FactKey::OldValue, old.file)
        .fact(FactKey::NewValue, new.file)
        .fact(
            FactKey::Became,
            match old.file == new.file {
                true => format!("was `{}`", old.name),
                false => format!("moved from {} to {}", old.file, new.file),
            },
        );
    Some(draft)
}

/// The declarations that went while another one of the same full name, which says the same and is judged on the same terms, is
/// still there: copies of it. None of a folder of which one that went says something else than the one that stays.
pub(crate) fn copies<S, Id: Copy + Eq + Hash>(
    schemas: Pair<&S>,
    candidates: &Pair<Vec<Candidate<Id>>>,
    is_declared: impl Fn(Id) -> bool,
    says: impl Fn(&S, Id) -> Vec<String>,
) -> FxHashSet<Id> {
    let gone: Vec<&Candidate<Id>> = candidates.old.iter().filter(|one| !is_declared(one.id)).collect();
    if gone.is_empty() {
        return FxHashSet::default();
    }
    let mut there: FxHashMap<(&str, usize), Vec<Id>> = FxHashMap::default();
    for one in &candidates.new {
        there.entry((&one.name, one.terms)).or_default().push(one.id);
    }
    let stays = |one: &Candidate<Id>| {
        let others = there.get(&(&*one.name, one.terms))?;
        let own = says(schemas.old, one.id);
        Some(others.iter().any(|other| says(schemas.new, *other) == own))
    };
    let stay: Vec<Option<bool>> = gone.iter().map(|one| stays(one)).collect();
    // What refers to something else is no copy, and refers to what lies beside it.
    let differing = gone.iter().zip(&stay).filter(|(_, stays)| **stays == Some(false));
    let differing: FxHashSet<&str> = differing.map(|(one, _)| one.folder()).collect();
    let copies =
        gone.iter().zip(&stay).filter(|(one, stays)| **stays == Some(true) && !differing.contains(one.folder()));
    copies.map(|(one, _)| one.id).collect()
}

/// The declarations without a counterpart: those that have gone, then those that have come, as changes of `kinds`.
pub(crate) fn leftovers<S: InFiles, T: Named, Id: Copy + Eq + Hash>(
    kinds: Pair<ChangeKind>,
    schemas: Pair<&S>,
    (candidates, copies): (Pair<Vec<Candidate<Id>>>, &FxHashSet<Id>),
    declared: &Continued<Id>,
    of: fn(&S, Id) -> &T,
    role: fn(&T) -> &'static str,
) -> Vec<Draft> {
    let Pair { old: gone, new: come } = candidates;
    let alone = |kind, of: &T, at| {
        let name = of.named().0;
        Draft::new(kind, name, declaration("type", name))
            .at(at)
            .fact(FactKey::Role, role(of))
            .fact(FactKey::Needed, yes(false))
    };
    let gone = gone.iter().filter(|one| !declared.has_old(one.id)).map(|one| (one.id, of(schemas.old, one.id)));
    let gone = gone.map(|(id, of)| {
        let mut draft = alone(kinds.old, of, Pair::new(Some(schemas.old.name_site(of)), None));
        if copies.contains(&id) {
            draft.state(FactKey::Needed, "copy");
        }
        draft
    });
    let come = come.iter().filter(|one| !declared.has_new(one.id)).map(|one| of(schemas.new, one.id));
    let come = come.map(|of| alone(kinds.new, of, Pair::new(None, Some(schemas.new.name_site(of)))));
    gone.chain(come).collect()
}

/// The declarations of which neither continues yet, and which are the only ones on their sides with what is in them. What
/// is empty has no twin.
pub(crate) fn twins<S, Id: Copy + Eq + Hash>(
    schemas: Pair<&S>,
    candidates: Pair<Vec<Candidate<Id>>>,
    declared: &Continued<Id>,
    shape: fn(&S, Id) -> Vec<String>,
) -> Vec<Pair<Id>> {
    let old = candidates.old.iter().map(|one| one.id).filter(|id| !declared.has_old(*id));
    let new = candidates.new.iter().map(|one| one.id).filter(|id| !declared.has_new(*id));
    let old = by_shape(old.map(|id| (shape(schemas.old, id), id)));
    let new = by_shape(new.map(|id| (shape(schemas.new, id), id)));
    let only = |(shape, ids): (&Vec<String>, &Vec<Id>)| match (&ids[..], new.get(shape).map(Vec::as_slice)) {
        ([one], Some([other])) => Some(Pair::new(*one, *other)),
        _ => None,
    };
    old.iter().filter_map(only).collect()
}

/// How much of what is in two types must be in both, for the one to continue as the other: in one file, and elsewhere.
const ALIKE: Pair<(usize, usize)> = Pair::new((1, 2), (3, 4));

/// What more types than this have says nothing of likeness.
const COMMON: usize = 64;

/// The declarations of which neither continues yet, and which are more alike than any others: most of what `members`
/// says of the larger one is said of the other as well.
pub(crate) fn alike<S, Id: Copy + Eq + Hash + Ord>(
    schemas: Pair<&S>,
    candidates: &Pair<Vec<Candidate<Id>>>,
    declared: &Continued<Id>,
    members: fn(&S, Id) -> Vec<String>,
) -> Vec<Pair<Id>> {
    let old: Vec<&Candidate<Id>> = candidates.old.iter().filter(|one| !declared.has_old(one.id)).collect();
    let new: Vec<&Candidate<Id>> = candidates.new.iter().filter(|one| !declared.has_new(one.id)).collect();
    let of_new: Vec<Vec<String>> = new.iter().map(|one| members(schemas.new, one.id)).collect();
    let mut having: OrderedMap<&str, Vec<usize>> = OrderedMap::new();
    for (at, members) in of_new.iter().enumerate() {
        members.iter().for_each(|member| having.entry(member).or_default().push(at));
    }
    let mut scores: OrderedMap<(usize, usize), u64> = OrderedMap::new();
    for (one, before) in old.iter().enumerate() {
        let own = members(schemas.old, before.id);
        let mut shared: OrderedMap<usize, usize> = OrderedMap::new();
        let others = own.iter().filter_map(|member| having.get(member.as_str()));
        others.filter(|others| others.len() <= COMMON).flatten().for_each(|at| *shared.entry(*at).or_default() += 1);
        for (other, shared) in shared {
            let is_here = before.path == new[other].path;
            let is_namesake = simple_name(&before.name) == simple_name(&new[other].name);
            let (part, of) = if is_here || is_namesake { ALIKE.old } else { ALIKE.new };
            let all = own.len().max(of_new[other].len());
            if shared * of >= all * part && (is_here || shared > 1) {
                let names = names_in_common(Pair::new(&before.name, &new[other].name));
                let paths = parts_in_common(Pair::new(&before.path, &new[other].path));
                let likeness = (u64::from(is_here) << 32) + (shared * 1000 / all) as u64;
                let likeness = likeness + if is_namesake { 1000 } else { 0 };
                scores.insert((one, other), (((likeness << 8) + names.min(255)) << 8) + paths.min(255));
            }
        }
    }
    only_best(&scores).map(|(one, other)| Pair::new(old[one].id, new[other].id)).collect()
}

/// What the last parts of two names have in common, which decides between types that are equally alike: `Order` and `Invoice`,
/// which say the same, are `OrderV2` and `InvoiceV2` now.
fn names_in_common(names: Pair<&str>) -> u64 {
    let names = names.map(simple_name);
    let Pair { old, new } = names.map(|name| words(name).into_iter().collect::<OrderedSet<_>>());
    let common = old.intersection(&new).count() as u64;
    let begins = |one: &str, other: &str| one.starts_with(other) || one.ends_with(other);
    2 * common + u64::from(begins(names.old, names.new) || begins(names.new, names.old))
}

/// How many parts two paths have in common where they begin and where they end, which decides between copies.
fn parts_in_common(paths: Pair<&str>) -> u64 {
    let Pair { old, new } = paths;
    let same = |(one, other): &(&str, &str)| one == other;
    let begin = old.split('/').zip(new.split('/')).take_while(same).count();
    let end = old.rsplit('/').zip(new.rsplit('/')).take_while(same).count();
    (begin + end) as u64
}

/// Whether most of what is in the larger one of two types of one file is in the other as well.
pub(crate) fn have_most_in_common(members: Pair<Vec<String>>) -> bool {
    let (part, of) = ALIKE.old;
    let old: OrderedSet<&String> = members.old.iter().collect();
    let shared = members.new.iter().filter(|member| old.contains(member)).count();
    shared * of >= members.old.len().max(members.new.len()) * part
}

/// The pairs that are better than any other pair of either of the two.
fn only_best(scores: &OrderedMap<(usize, usize), u64>) -> impl Iterator<Item = (usize, usize)> {
    let mut best: Pair<OrderedMap<usize, (u64, usize)>> = Pair::default();
    for ((one, other), score) in scores {
        for (side, at) in [(&mut best.old, one), (&mut best.new, other)] {
            let entry = side.entry(*at).or_insert((*score, 0));
            match score.cmp(&entry.0) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => entry.1 += 1,
                std::cmp::Ordering::Greater => *entry = (*score, 1),
            }
        }
    }
    let is_best = move |((one, other), score): &(&(usize, usize), &u64)| {
        let only = Some(&(**score, 1));
        best.old.get(one) == only && best.new.get(other) == only
    };
    scores.iter().filter(is_best).map(|(pair, _)| *pair)
}

fn by_shape<Id>(all: impl Iterator<Item = (Vec<String>, Id)>) -> OrderedMap<Vec<String>, Vec<Id>> {
    let mut shapes: OrderedMap<Vec<String>, Vec<Id>> = OrderedMap::new();
    for (mut shape, id) in all.filter(|(shape, _)| !shape.is_empty()) {
        shape.sort_in_order();
        shapes.entry(shape).or_default().push(id);
    }
    shapes
}
