//! What comparisons of schemas have in common: changes in the making, the queue of pairs, which declaration continues as
//! which, and references that only follow a type under its new name.

use std::collections::VecDeque;
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use super::declared::{FileId, InFiles};
use super::meanings::crossed;
use super::places::first_places;
use super::roots::simple_name;
use crate::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair, Site, Suggestion};
use crate::evidence::Outcome;
use crate::ordered::{InOrder as _, OrderedMap, OrderedSet};

/// Facts, and how both types are written; where that is the same and they are not of one sort, also of which.
pub(crate) fn with_types(facts: Facts, types: Pair<String>, sorts: Pair<Option<&str>>) -> Facts {
    let is_same = types.old == types.new;
    let facts = facts.with(FactKey::OldType, types.old).with(FactKey::NewType, types.new);
    match (sorts.old, sorts.new) {
        (Some(old), Some(new)) if is_same && old != new => {
            facts.with(FactKey::OldSort, old).with(FactKey::NewSort, new)
        }
        _ => facts,
    }
}

/// A change in the making.
pub(crate) struct Draft {
    kind: ChangeKind,
    /// Full name on the new side, else on the old.
    pub(crate) path: String,
    /// What identifies the element.
    pub(crate) identity: Identity,
    at: Pair<Option<Site>>,
    facts: Facts,
    suggestion: Option<Suggestion>,
}

impl Draft {
    /// A change without a place and without facts yet.
    pub(crate) fn new(kind: ChangeKind, path: impl Into<String>, identity: Identity) -> Self {
        Self { kind, path: path.into(), identity, at: Pair::default(), facts: Facts::none(), suggestion: None }
    }

    /// Where it stands.
    pub(crate) fn at(mut self, at: Pair<Option<Site>>) -> Self {
        self.at = at;
        self
    }

    /// One fact more.
    pub(crate) fn fact(mut self, key: FactKey, value: impl Into<String>) -> Self {
        self.facts = self.facts.with(key, value);
        self
    }

    /// Says something else of a fact.
    pub(crate) fn state(&mut self, key: FactKey, value: impl Into<String>) {
        self.facts = std::mem::take(&mut self.facts).with(key, value);
    }

    /// Both types, as [`with_types`] has them.
    pub(crate) fn types(mut self, types: Pair<String>, sorts: Pair<Option<&str>>) -> Self {
        self.facts = with_types(self.facts, types, sorts);
        self
    }

    /// The values of something that `none` stands for the absence of, and what became of it.
    pub(crate) fn values(self, values: Pair<&str>) -> Self {
        let Pair { old, new } = values;
        let became = match (old, new) {
            ("none", _) => "was added".to_owned(),
            (_, "none") => "was removed".to_owned(),
            _ => format!("changed from {old} to {new}"),
        };
        self.fact(FactKey::OldValue, old).fact(FactKey::NewValue, new).fact(FactKey::Became, became)
    }

    /// What new readers see of old data, and old readers of new data.
    pub(crate) fn reads(self, reads: Pair<Outcome>) -> Self {
        self.fact(FactKey::ReadsOld, reads.old.name()).fact(FactKey::ReadsNew, reads.new.name())
    }

    /// What differs.
    pub(crate) const fn kind(&self) -> ChangeKind {
        self.kind
    }

    /// Whether it says what readers see.
    pub(crate) fn is_claimed(&self) -> bool {
        self.facts.get(FactKey::ReadsOld).is_some()
    }

    /// The edit that mends it, if there is one.
    pub(crate) fn suggest(mut self, suggestion: Option<Suggestion>) -> Self {
        self.suggestion = suggestion;
        self
    }

    /// The change.
    pub(crate) fn finish(self) -> Change {
        let Draft { kind, path, identity, at, facts, suggestion } = self;
        Change { suggestion, ..Change::new(kind, path, identity, at, facts) }
    }
}

/// Two versions of one type, or a type and the one that replaced it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypePair<Id> {
    /// The types.
    pub types: Pair<Id>,
    /// Whether anything inside the pair itself differs (not in the types of its fields): only such pairs are probed.
    pub changed: bool,
}

/// Two types that meet: as declarations, in a field, in a container, in a method. `T` has fields, `E` has values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Met<T, E> {
    /// Two types with fields.
    Type(Pair<T>),
    /// Two enums.
    Enum(Pair<E>),
}

/// Every pair that met, and those that are still to be compared.
pub(crate) struct Queue<T, E> {
    types: Seen<T>,
    enums: Seen<E>,
    open: VecDeque<Met<T, E>>,
    open_enums: VecDeque<Met<T, E>>,
    /// Pairs of different full names, in the order in which they met.
    pub(crate) replacements: Vec<Met<T, E>>,
}

struct Seen<Id> {
    index: FxHashMap<Pair<Id>, usize>,
    pairs: Vec<TypePair<Id>>,
}

impl<Id: Copy + Eq + Hash> Seen<Id> {
    /// Whether the pair is new.
    fn add(&mut self, types: Pair<Id>) -> bool {
        let next = self.pairs.len();
        let is_new = *self.index.entry(types).or_insert(next) == next;
        if is_new {
            self.pairs.push(TypePair { types, changed: false });
        }
        is_new
    }

    fn mark(&mut self, types: Pair<Id>) {
        if let Some(index) = self.index.get(&types) {
            self.pairs[*index].changed = true;
        }
    }
}

impl<T: Copy + Eq + Hash, E: Copy + Eq + Hash> Queue<T, E> {
    /// Nothing met yet.
    pub(crate) fn new() -> Self {
        Queue {
            types: Seen { index: FxHashMap::default(), pairs: Vec::new() },
            enums: Seen { index: FxHashMap::default(), pairs: Vec::new() },
            open: VecDeque::new(),
            open_enums: VecDeque::new(),
            replacements: Vec::new(),
        }
    }

    /// Asks for a pair to be compared, once. Gives the pair back if the two have different names.
    pub(crate) fn meet(&mut self, met: Met<T, E>, names: Pair<&str>) -> Option<Met<T, E>> {
        let replacement = (names.old != names.new).then_some(met);
        if self.meet_nameless(met) {
            self.replacements.extend(replacement);
        }
        replacement
    }

    /// Asks for a pair to be compared, once, whatever the two are called; whether it is new.
    pub(crate) fn meet_nameless(&mut self, met: Met<T, E>) -> bool {
        let is_new = match met {
            Met::Type(types) => self.types.add(types),
            Met::Enum(types) => self.enums.add(types),
        };
        if is_new {
            match met {
                Met::Type(_) => self.open.push_back(met),
                Met::Enum(_) => self.open_enums.push_back(met),
            }
        }
        is_new
    }

    /// The next pair to compare: enums after all else, when it is known what holds them.
    pub(crate) fn next(&mut self) -> Option<Met<T, E>> {
        self.next_type().or_else(|| self.open_enums.pop_front())
    }

    /// The next pair of types with fields.
    pub(crate) fn next_type(&mut self) -> Option<Met<T, E>> {
        self.open.pop_front()
    }

    /// Notes that something inside a pair differs.
    pub(crate) fn mark_changed(&mut self, met: Met<T, E>) {
        match met {
            Met::Type(types) => self.types.mark(types),
            Met::Enum(types) => self.enums.mark(types),
        }
    }

    /// Whether a pair met.
    pub(crate) fn has_met(&self, met: Met<T, E>) -> bool {
        match met {
            Met::Type(types) => self.types.index.contains_key(&types),
            Met::Enum(types) => self.enums.index.contains_key(&types),
        }
    }

    /// Whether something inside a pair differs.
    pub(crate) fn is_changed(&self, met: Met<T, E>) -> bool {
        match met {
            Met::Type(types) => self.types.index.get(&types).is_some_and(|index| self.types.pairs[*index].changed),
            Met::Enum(types) => self.enums.index.get(&types).is_some_and(|index| self.enums.pairs[*index].changed),
        }
    }

    /// Every pair of types that met, in that order.
    pub(crate) fn met_types(&self) -> impl Iterator<Item = Pair<T>> {
        self.types.pairs.iter().map(|pair| pair.types)
    }

    /// Every pair that met, in that order.
    pub(crate) fn into_pairs(self) -> (Vec<TypePair<T>>, Vec<TypePair<E>>) {
        (self.types.pairs, self.enums.pairs)
    }
}

/// Which declaration of the old side continues as which of the new side.
pub(crate) struct Continued<Id> {
    /// The pairs, in the order in which they were found.
    pub(crate) pairs: Vec<Pair<Id>>,
    /// By each declaration of a side what it was first found to be on the other.
    sides: Pair<FxHashMap<Id, Id>>,
    all: FxHashSet<Pair<Id>>,
}

impl<Id: Copy + Eq + Hash> Continued<Id> {
    /// Nothing continues yet.
    pub(crate) fn new() -> Self {
        Continued { pairs: Vec::new(), sides: Pair::default(), all: FxHashSet::default() }
    }

    /// The one continues as the other.
    pub(crate) fn add(&mut self, types: Pair<Id>) {
        if self.all.insert(types) {
            self.pairs.push(types);
        }
        self.sides.old.entry(types.old).or_insert(types.new);
        self.sides.new.entry(types.new).or_insert(types.old);
    }

    /// Whether the one continues as the other.
    pub(crate) fn has(&self, types: Pair<Id>) -> bool {
        self.all.contains(&types)
    }

    /// Whether a declaration of the old side continues.
    pub(crate) fn has_old(&self, id: Id) -> bool {
        self.sides.old.contains_key(&id)
    }

    /// Whether a declaration of the new side continues one.
    pub(crate) fn has_new(&self, id: Id) -> bool {
        self.sides.new.contains_key(&id)
    }

    /// What a declaration of the old side continues as.
    pub(crate) fn of_old(&self, id: Id) -> Option<Id> {
        self.sides.old.get(&id).copied()
    }

    /// What a declaration of the new side continues.
    pub(crate) fn of_new(&self, id: Id) -> Option<Id> {
        self.sides.new.get(&id).copied()
    }

    /// Whether neither of two declarations continues as anything.
    pub(crate) fn are_free(&self, types: Pair<Id>) -> bool {
        !self.has_old(types.old) && !self.has_new(types.new)
    }
}

/// Leaves out the changes that only say that a reference follows types under their new names, which is told once, at the
/// types. `following` has the place of such a change in the list, and the types that it follows.
pub(crate) fn settle_renames<M>(
    changes: &mut Vec<Change>,
    following: &[(usize, Vec<M>)],
    is_told: impl Fn(&M) -> bool,
) {
    let told: FxHashSet<usize> =
        following.iter().filter(|(_, met)| met.iter().all(&is_told)).map(|(index, _)| *index).collect();
    let mut index = 0;
    changes.retain(|_| {
        index += 1;
        !told.contains(&(index - 1))
    });
}

/// A declaration that can continue on the other side.
#[derive(Debug, Clone)]
pub(crate) struct Candidate<Id> {
    /// Which one.
    pub(crate) id: Id,
    /// Its full name.
    pub(crate) name: String,
    /// Its file.
    pub(crate) path: String,
    /// What that says, as a number, where that is known.
    pub(crate) content: Option<usize>,
    /// The number of the terms on which the file is judged.
    pub(crate) terms: usize,
    /// What the declaration itself says, where somebody had to know.
    pub(crate) shape: Option<Vec<String>>,
}

impl<Id> Candidate<Id> {
    /// A declaration in a file of which nobody says whether it is another one's under another path.
    pub(crate) fn new(id: Id, name: &str, path: &str) -> Self {
        Candidate { id, name: name.to_owned(), path: path.to_owned(), content: None, terms: 0, shape: None }
    }

    /// A declaration in a file of a schema.
    pub(crate) fn of(schema: &impl InFiles, file: FileId, (id, name): (Id, &str)) -> Self {
        Candidate {
            content: Some(schema.content(file)),
            terms: schema.terms(file),
            ..Candidate::new(id, name, schema.source(file).0)
        }
    }

    /// What its file says, as far as that is known.
    fn says(&self) -> Option<String> {
        self.content.map(|content| content.to_string())
    }

    /// Its file's folder.
    pub(super) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Its file's name without folders.
    fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// Notes what those say that have their names in common with others of their side, which tells them apart.
pub(crate) fn look_into_copies<Id: Copy>(side: &mut [Candidate<Id>], shape: impl Fn(Id) -> Vec<String>) {
    let mut known: FxHashMap<&str, usize> = FxHashMap::default();
    side.iter().for_each(|one| *known.entry(&one.name).or_default() += 1);
    let copies: Vec<usize> = (0..side.len()).filter(|at| known[&*side[*at].name] > 1).collect();
    copies.into_iter().for_each(|at| side[at].shape = Some(shape(side[at].id)));
}

/// What two declarations have in common, of which the one may be the other. Where several have it, those belong together whose
/// paths have most in common at their ends, and that is at least so many parts; without a number, several are told apart by
/// nothing.
pub(crate) type Key<Id> = (fn(&Candidate<Id>) -> (String, String), Option<usize>);

/// That they have one full name: in one file; in a file that says the same, which moved then; in a file that is called the
/// same; anywhere.
pub(crate) fn by_full_name<Id>() -> [Key<Id>; 4] {
    [
        (|one| (one.name.clone(), one.path.clone()), None),
        (|one| (one.name.clone(), one.says().unwrap_or_else(|| one.path.clone())), Some(0)),
        (|one| (one.name.clone(), one.file_name().to_owned()), Some(2)),
        (|one| (one.name.clone(), String::new()), None),
    ]
}

/// That they are copies, of which each folder has its own: they stand in one folder, or say the same.
pub(crate) fn by_copy<Id>() -> [Key<Id>; 2] {
    [
        (|one| (one.name.clone(), one.folder().to_owned()), None),
        (
            |one| (one.name.clone(), one.shape.as_ref().map_or_else(|| one.path.clone(), |shape| shape.join("\n"))),
            Some(0),
        ),
    ]
}

/// That they have one simple name: in a file that says the same, in one folder, anywhere.
fn by_simple_names<Id>() -> [Key<Id>; 3] {
    [
        (|one| (simple_name(&one.name).to_owned(), one.says().unwrap_or_else(|| one.path.clone())), Some(0)),
        (|one| (simple_name(&one.name).to_owned(), one.folder().to_owned()), None),
        by_simple_name(),
    ]
}

/// That they have one simple name.
pub(crate) fn by_simple_name<Id>() -> Key<Id> {
    (|one| (simple_name(&one.name).to_owned(), String::new()), None)
}

/// Which declaration of the old side is which of the new: by full name, then by simple name where that leaves no choice.
pub(crate) fn counterparts<Id: Copy>(sides: Pair<Vec<Candidate<Id>>>) -> Vec<Pair<Id>> {
    let [here, same, called, anywhere] = by_full_name();
    let full = [here, same, called].into_iter().chain(by_copy()).chain([anywhere]);
    let keys: Vec<Key<Id>> = full.chain(by_simple_names()).collect();
    let sides = sides.as_ref().map(Vec::as_slice);
    paired_by(sides, &keys).into_iter().map(|at| Pair::new(sides.old[at.old].id, sides.new[at.new].id)).collect()
}

/// The places of those that have a key in common, of the first of the keys for which that leaves no choice, or for which the
/// ends of their paths tell several apart. What is judged on terms of its own is first looked for where the same terms are,
/// under its full name: where less is asked there may be a copy of it.
pub(crate) fn paired_by<Id>(sides: Pair<&[Candidate<Id>]>, keys: &[Key<Id>]) -> Vec<Pair<usize>> {
    let mut taken = sides.map(|side| vec![false; side.len()]);
    let mut pairs = Vec::new();
    let terms: OrderedSet<usize> = sides.old.iter().chain(sides.new).map(|one| one.terms).collect();
    if terms.len() > 1 {
        for terms in terms {
            let is_meant = |one: &Candidate<Id>| one.terms == terms;
            by_full_name().iter().for_each(|key| add_pairs(sides, *key, is_meant, (&mut taken, &mut pairs)));
        }
    }
    keys.iter().for_each(|key| add_pairs(sides, *key, |_| true, (&mut taken, &mut pairs)));
    pairs
}

/// Pairs those that have a key in common, of what is meant and not taken yet.
fn add_pairs<Id>(
    sides: Pair<&[Candidate<Id>]>,
    (key, common): Key<Id>,
    is_meant: impl Fn(&Candidate<Id>) -> bool,
    (taken, pairs): (&mut Pair<Vec<bool>>, &mut Vec<Pair<usize>>),
) {
    let index = |side: &[Candidate<Id>], taken: &[bool]| {
        let mut found: OrderedMap<(String, String), Vec<usize>> = OrderedMap::new();
        for (at, one) in side.iter().enumerate().filter(|(at, one)| !taken[*at] && is_meant(one)) {
            found.entry(key(one)).or_default().push(at);
        }
        found
    };
    let (olds, news) = (index(sides.old, &taken.old), index(sides.new, &taken.new));
    for (key, old) in &olds {
        let found = match (&old[..], news.get(key).map_or(&[][..], Vec::as_slice), common) {
            ([old], [new], _) => vec![Pair::new(*old, *new)],
            (old, new, Some(least)) => nearest(sides, Pair::new(old, new), least),
            _ => Vec::new(),
        };
        for pair in found {
            taken.old[pair.old] = true;
            taken.new[pair.new] = true;
            pairs.push(pair);
        }
    }
}

/// Of several that are alike those that belong together: whose paths have most in common at their ends, at least so many parts.
fn nearest<Id>(sides: Pair<&[Candidate<Id>]>, places: Pair<&[usize]>, least: usize) -> Vec<Pair<usize>> {
    let parts = |side: &[Candidate<Id>], at: usize| side[at].path.split('/').count();
    let most = places.new.iter().map(|at| parts(sides.new, *at)).max().unwrap_or_default();
    let mut left = places.map(<[usize]>::to_vec);
    let mut pairs = Vec::new();
    for length in (least..=most).rev() {
        let by_end = |side: &[Candidate<Id>], left: &[usize]| {
            let mut ends: OrderedMap<Vec<String>, Vec<usize>> = OrderedMap::new();
            for at in left.iter().filter(|at| parts(side, **at) >= length) {
                let end: Vec<String> = side[*at].path.rsplit('/').take(length).map(str::to_owned).collect();
                ends.entry(end).or_default().push(*at);
            }
            ends.values_mut().for_each(|all| all.sort_in_order_by(|one, two| side[*one].path.cmp(&side[*two].path)));
            ends
        };
        let (olds, news) = (by_end(sides.old, &left.old), by_end(sides.new, &left.new));
        let both = olds.iter().filter_map(|(end, old)| Some((old, news.get(end)?)));
        let found: Vec<Pair<usize>> =
            both.flat_map(|(old, new)| old.iter().zip(new)).map(|(old, new)| Pair::new(*old, *new)).collect();
        let taken: Pair<FxHashSet<usize>> =
            Pair::new(found.iter().map(|pair| pair.old).collect(), found.iter().map(|pair| pair.new).collect());
        left.old.retain(|at| !taken.old.contains(at));
        left.new.retain(|at| !taken.new.contains(at));
        pairs.extend(found);
    }
    pairs
}

/// A field of one type and what it is in the other, as indices into their fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FieldPair {
    /// The indices; one that only one side has is `None` on the other.
    pub(crate) at: Pair<Option<usize>>,
    /// Whether the name identifies, because it sits at different numbers on the two sides, perhaps spelled otherwise.
    pub(crate) by_name: bool,
}

/// Which field of the old type is which of the new: those whose name moved to another number by name, however it is spelled
/// where another field has the number, all others by number. Those of the new type in their order, then those that only the old one has.
pub(crate) fn pair_fields<F>(
    fields: Pair<&[F]>,
    name_and_number: fn(&F) -> (&str, i128),
    is_moved: impl Fn(Pair<usize>) -> bool,
) -> Vec<FieldPair> {
    let Pair { old, new } = fields;
    let numbers = first_places(old.iter().map(|field| name_and_number(field).1));
    let names = fields.map(|of| first_places(of.iter().map(|field| name_and_number(field).0)));
    let moved = |name: &str| match (names.old.get(name), names.new.get(name)) {
        (Some(before), Some(after)) => is_moved(Pair::new(*before, *after)),
        _ => false,
    };
    let named = fields.map(|of| of.iter().map(name_and_number).collect::<Vec<_>>());
    let mut crossed = crossed(named.as_ref().map(Vec::as_slice));
    crossed.retain(|at| is_moved(*at));
    let crossed_new: FxHashMap<usize, usize> = crossed.iter().map(|at| (at.new, at.old)).collect();
    let crossed_old: FxHashSet<usize> = crossed.iter().map(|at| at.old).collect();
    let mut pairs = Vec::new();
    let mut taken = vec![false; old.len()];
    for (index, field) in new.iter().enumerate() {
        let (name, number) = name_and_number(field);
        let same_name = if moved(name) { names.old.get(name) } else { crossed_new.get(&index) };
        let partner = match same_name {
            Some(before) => Some(*before),
            None => {
                let stays = names.old.get(name).filter(|before| name_and_number(&old[**before]).1 == number);
                // In a type that is refused two may have one number, of which one stays.
                let is_other = |before: &&usize| {
                    let name = name_and_number(&old[**before]).0;
                    let after = names.new.get(name).map(|after| name_and_number(&new[*after]).1);
                    !moved(name) && !crossed_old.contains(before) && after != Some(number)
                };
                stays.or_else(|| numbers.get(&number).filter(is_other)).copied()
            }
        };
        if let Some(before) = partner {
            taken[before] = true;
        }
        pairs.push(FieldPair { at: Pair::new(partner, Some(index)), by_name: same_name.is_some() });
    }
    let gone = taken.iter().enumerate().filter(|(_, taken)| !**taken);
    pairs.extend(gone.map(|(index, _)| FieldPair { at: Pair::new(Some(index), None), by_name: false }));
    pairs
}

/// The container part of an identity: the full name, or `old>new` where they differ.
pub(crate) fn container(names: Pair<&str>) -> String {
    if names.old == names.new { names.old.to_owned() } else { format!("{}>{}", names.old, names.new) }
}

/// An element that its number identifies.
pub(crate) fn by_number(container: &str, number: i128) -> Identity {
    Identity(format!("{container}#{number}"))
}

/// An element whose name sits at different numbers on the two sides.
pub(crate) fn by_name(container: &str, name: &str) -> Identity {
    Identity(format!("{container}@{name}"))
}

/// The same where the name is spelled otherwise on the other side: by the first of the two, whichever side is the old one.
pub(crate) fn by_either_name(container: &str, names: Pair<&str>) -> Identity {
    by_name(container, names.old.min(names.new))
}

/// Anything that has no bytes: a declaration, an option, a method.
pub(crate) fn declaration(kind: &str, name: &str) -> Identity {
    Identity(format!("{kind}:{name}"))
}

/// `yes` or `no`.
pub(crate) const fn yes(condition: bool) -> &'static str {
    if condition { "yes" } else { "no" }
}

/// Nobody sees anything.
pub(crate) const SAFE: Pair<Outcome> = Pair::new(Outcome::Safe, Outcome::Safe);
