//! One comparison of two schemas: what met, what continues under which name, what took the place of something else, and
//! what was found so far.

use std::cell::OnceCell;

use crate::change::{Change, ChangeKind, Pair, Suggestion};
use crate::ordered::OrderedSet;

use super::behind::Reached;
use super::compared::limit;
use super::declarations::{alike, candidates, copies, have_most_in_common, leftovers, renamed_or_moved, twins};
use super::declared::Named;
use super::differ::{
    Candidate, Continued, Draft, Met, Queue, SAFE, TypePair, container, counterparts, look_into_copies, settle_renames,
};
use super::replaced::Replaced;
use super::roots::{Roots, simple_name};
use super::types::Types;

/// Two types or two enums of a schema that meet.
pub(crate) type MetIn<S> = Met<<S as Types>::TypeId, <S as Types>::EnumId>;

/// The state of one comparison; `Own` is what the language adds.
pub(crate) struct Differ<'s, S: Types, Own = ()> {
    /// The sides.
    pub(crate) schemas: Pair<&'s S>,
    /// What changed.
    pub(crate) changes: Vec<Change>,
    /// What met.
    pub(crate) queue: Queue<S::TypeId, S::EnumId>,
    /// The types that found a counterpart as a declaration.
    pub(crate) declared: Continued<S::TypeId>,
    /// The enums that did.
    pub(crate) declared_enums: Continued<S::EnumId>,
    /// The types that are more alike than any others, of those that no name pairs.
    pub(crate) likely: Continued<S::TypeId>,
    /// Changes that may only say that a reference follows types under other names: index into `changes`.
    pub(crate) following: Vec<(usize, Vec<MetIn<S>>)>,
    /// Where a type took the place of another.
    pub(crate) replaced: Replaced<MetIn<S>>,
    /// Whether data reaches what is being compared. Nobody feels what no data reaches.
    pub(crate) is_felt: bool,
    /// What differs inside and is not felt there.
    pub(crate) unfelt: Vec<MetIn<S>>,
    /// What the language adds.
    pub(crate) own: Own,
}

/// What a language does with two types that met.
pub(crate) trait Compare<S: Types> {
    /// Compares them.
    fn compare(&mut self, met: MetIn<S>);
    /// Whether what differs inside is felt in data of the two.
    fn is_felt_inside(&self, _met: MetIn<S>) -> bool {
        true
    }
}

/// The types of different names that met where two types do.
pub(crate) struct Meetings<M> {
    /// Those under which both may be the same.
    pub(crate) renamed: Vec<M>,
    /// Those of which one took the place of the other.
    pub(crate) replaced: Vec<M>,
}

impl<M> Default for Meetings<M> {
    fn default() -> Self {
        Meetings { renamed: Vec::new(), replaced: Vec::new() }
    }
}

/// Two versions of one enum, or an enum and the one that took its place.
pub(crate) struct EnumPair<'s, E> {
    /// Both.
    pub(crate) enums: Pair<&'s E>,
    /// What the identities of its values begin with.
    pub(crate) container: String,
    /// Whether the one took the other's place.
    pub(crate) replaced: bool,
    /// What would give each value the number that it had: the same for all of them.
    pub(crate) kept: OnceCell<Option<Suggestion>>,
}

impl<'s, S: Types, Own> Differ<'s, S, Own> {
    /// Nothing was compared yet.
    pub(crate) fn new(schemas: Pair<&'s S>, own: Own) -> Self {
        Differ {
            schemas,
            changes: Vec::new(),
            queue: Queue::new(),
            declared: Continued::new(),
            declared_enums: Continued::new(),
            likely: Continued::new(),
            following: Vec::new(),
            replaced: Replaced::new(),
            is_felt: true,
            unfelt: Vec::new(),
            own,
        }
    }

    /// Both types of a pair.
    pub(crate) fn types(&self, types: Pair<S::TypeId>) -> Pair<&'s S::Type> {
        self.schemas.zip(types, |schema, id| schema.type_of(id))
    }

    /// Both enums of a pair.
    pub(crate) fn enums(&self, enums: Pair<S::EnumId>) -> Pair<&'s S::Enum> {
        self.schemas.zip(enums, |schema, id| schema.enum_of(id))
    }

    /// The full names of two types.
    pub(crate) fn type_names(&self, types: Pair<S::TypeId>) -> Pair<&'s str> {
        self.types(types).map(|of| of.named().0)
    }

    /// The full names of two enums.
    pub(crate) fn enum_names(&self, enums: Pair<S::EnumId>) -> Pair<&'s str> {
        self.enums(enums).map(|of| of.named().0)
    }

    /// The full names of what met.
    pub(crate) fn names(&self, met: MetIn<S>) -> Pair<&'s str> {
        match met {
            Met::Type(types) => self.type_names(types),
            Met::Enum(enums) => self.enum_names(enums),
        }
    }

    /// Whether the one was found to continue as the other.
    pub(crate) fn continues(&self, met: MetIn<S>) -> bool {
        match met {
            Met::Type(types) => self.declared.has(types),
            Met::Enum(enums) => self.declared_enums.has(enums),
        }
    }

    /// Notes which of the types that no name pairs are more alike than any others.
    pub(crate) fn find_likely(
        &mut self,
        candidates: &Pair<Vec<Candidate<S::TypeId>>>,
        members: fn(&S, S::TypeId) -> Vec<String>,
    ) {
        for types in alike(self.schemas, candidates, &self.declared, members) {
            self.likely.add(types);
        }
    }

    /// Whether one of two types, which have little in common, is more alike with another one, as which it then continues:
    /// what refers to the one now and to the other before names another type, and not a renamed one.
    pub(crate) fn are_likelier_others(
        &self,
        types: Pair<S::TypeId>,
        members: fn(&S, S::TypeId) -> Vec<String>,
    ) -> bool {
        let are_likelier = !self.likely.are_free(types) && !self.likely.has(types);
        are_likelier && !have_most_in_common(self.schemas.zip(types, members))
    }

    /// Adds a change.
    pub(crate) fn push(&mut self, draft: Draft) {
        let draft = if draft.is_claimed() && !self.is_felt { draft.reads(SAFE) } else { draft };
        self.changes.push(draft.finish());
    }

    /// Compares pairs until no comparison leads to a new one.
    pub(crate) fn drain(&mut self)
    where
        Self: Compare<S>,
    {
        while let Some(met) = self.queue.next() {
            self.compare_one(met);
        }
    }

    /// Compares types with fields until no comparison leads to new ones. Enums wait: what holds them is known when all of
    /// those have met.
    pub(crate) fn drain_types(&mut self)
    where
        Self: Compare<S>,
    {
        while let Some(met) = self.queue.next_type() {
            self.compare_one(met);
        }
    }

    fn compare_one(&mut self, met: MetIn<S>)
    where
        Self: Compare<S>,
    {
        let before = self.changes.len();
        self.compare(met);
        match self.changes.len() > before && self.is_felt_inside(met) {
            true if self.is_felt => self.queue.mark_changed(met),
            true => self.unfelt.push(met),
            false => {}
        }
    }

    /// Compares what took the place of something else, for the places where it did.
    pub(crate) fn drain_replaced(&mut self)
    where
        Self: Compare<S>,
    {
        while let Some(met) = self.replaced.enter(&mut self.changes) {
            let following = self.following.len();
            self.compare(met);
            // That a reference inside follows a rename is a reason, if anything.
            self.following.truncate(following);
            self.replaced.leave(&mut self.changes);
            self.drain();
        }
    }

    /// Tells each place what differs inside of what took the place of something else.
    pub(crate) fn settle_replaced(&mut self) {
        std::mem::replace(&mut self.replaced, Replaced::new()).settle(&mut self.changes);
    }
}

/// What a comparison found, as far as the roots reach it.
pub(crate) struct Found<S: Types, Own> {
    /// What changed.
    pub(crate) changes: Vec<Change>,
    /// The types that were compared.
    pub(crate) types: Vec<TypePair<S::TypeId>>,
    /// The enums that were.
    pub(crate) enums: Vec<TypePair<S::EnumId>>,
    /// What the language adds.
    pub(crate) own: Own,
}

impl<S: Types, Own> Differ<'_, S, Own> {
    /// What was found. `reach` gives all that the roots of a side reach.
    pub(crate) fn finish(self, roots: &Roots, reach: impl Fn(&S, &Roots) -> Reached) -> Found<S, Own> {
        let asked = (!roots.is_everything()).then(|| {
            let types = self.declared.pairs.iter().map(|types| self.type_names(*types));
            let enums = self.declared_enums.pairs.iter().map(|enums| self.enum_names(*enums));
            roots.under_both_names(types.chain(enums))
        });
        let Differ { schemas, mut changes, queue, own, .. } = self;
        let (mut types, mut enums) = queue.into_pairs();
        if let Some(roots) = &asked {
            let reached = schemas.map(|schema| reach(schema, roots));
            let names = reached.old.names.iter().chain(&reached.new.names);
            let names: OrderedSet<&str> = names.map(|name| &**name).collect();
            roots.limit(&mut changes, &names);
            limit(schemas, &mut types, &names, S::type_of);
            limit(schemas, &mut enums, &names, S::enum_of);
        }
        Found { changes, types, enums, own }
    }
}

/// A schema whose declarations continue by their names, by what refers to them, and by what is in them.
pub(crate) trait Declares: Types + Sized {
    /// What has to change of a name for it to be another one, and not only in another place.
    const OWN_NAME: fn(&str) -> &str = simple_name;

    /// Whether a type is declared by itself; what a method takes is not.
    fn is_declaration(_of: &Self::Type) -> bool {
        true
    }
    /// What such a type is called.
    fn role(of: &Self::Type) -> &'static str;
    /// What such an enum is called.
    fn enum_role(_of: &Self::Enum) -> &'static str {
        "enum"
    }
    /// What is in a type: numbers and types.
    fn shape(&self, id: Self::TypeId) -> Vec<String>;
    /// The numbers and names of an enum's values.
    fn values(&self, id: Self::EnumId) -> Vec<String>;
    /// What a type holds, whatever the types of that are.
    fn members(&self, id: Self::TypeId) -> Vec<String>;
    /// What else of a type readers feel: what has to be there, and what is read where nothing is.
    fn demands(&self, id: Self::TypeId) -> Vec<String>;
    /// All that a type says: two that are copies say the same.
    fn says(&self, id: Self::TypeId) -> Vec<String> {
        [self.shape(id), self.members(id), self.demands(id)].concat()
    }
    /// Whether two declarations of different names, of which the one was not found to continue as the other, are no
    /// versions of one. They are free where neither continues as anything.
    fn are_others(schemas: Pair<&Self>, met: MetIn<Self>, are_free: bool) -> bool;

    /// The types of judged files that can continue on the other side.
    fn candidates(&self) -> Vec<Candidate<Self::TypeId>> {
        let mut found = candidates(self, self.all_types(), Self::TYPE);
        found.retain(|one| Self::is_declaration(self.type_of(one.id)));
        look_into_copies(&mut found, |id| self.says(id));
        found
    }
    /// The enums that can.
    fn enum_candidates(&self) -> Vec<Candidate<Self::EnumId>> {
        let mut found = candidates(self, self.all_enums(), Self::ENUM);
        look_into_copies(&mut found, |id| self.values(id));
        found
    }
}

impl<'s, S: Declares, Own> Differ<'s, S, Own> {
    /// Whether what is new merely took the place of what was old, so that no member of the one was ever a member of the
    /// other.
    pub(crate) fn is_replaced(&self, met: MetIn<S>) -> bool {
        let names = self.names(met);
        let (is_declared, are_free, are_likelier_others) = match met {
            Met::Type(types) => {
                let are_likelier_others = self.are_likelier_others(types, S::members);
                (self.are_declarations(types), self.declared.are_free(types), are_likelier_others)
            }
            Met::Enum(enums) => (true, self.declared_enums.are_free(enums), false),
        };
        let are_others = || are_likelier_others || S::are_others(self.schemas, met, are_free);
        names.old != names.new && is_declared && !self.continues(met) && are_others()
    }

    /// Two enums as they are compared.
    pub(crate) fn enum_pair(&self, enums: Pair<S::EnumId>) -> EnumPair<'s, S::Enum> {
        let (container, replaced) = (container(self.enum_names(enums)), self.is_replaced(Met::Enum(enums)));
        EnumPair { enums: self.enums(enums), container, replaced, kept: OnceCell::new() }
    }

    /// Whether both types are declared by themselves.
    pub(crate) fn are_declarations(&self, types: Pair<S::TypeId>) -> bool {
        let Pair { old, new } = self.types(types).map(S::is_declaration);
        old && new
    }

    /// Asks for two types to be compared, once. Gives them back if they have different names.
    pub(crate) fn pair(&mut self, met: MetIn<S>) -> Option<MetIn<S>> {
        match met {
            Met::Type(types) if !self.are_declarations(types) => {
                self.queue.meet_nameless(met);
                None
            }
            _ => self.queue.meet(met, self.names(met)),
        }
    }

    /// Lets two types meet, and notes them if they have different names. What took the place of another type is not paired:
    /// that is told of the place.
    pub(crate) fn meet(&mut self, met: MetIn<S>, meetings: &mut Meetings<MetIn<S>>) {
        match self.is_replaced(met) {
            true => meetings.replaced.push(met),
            false => meetings.renamed.extend(self.pair(met)),
        }
    }

    /// Declares as continued what has the same name: in full (and in the same file, where a name is declared more than once),
    /// else its last part, where that leaves no choice.
    pub(crate) fn declare_namesakes(&mut self) {
        let (types, enums) = (self.schemas.map(S::candidates), self.schemas.map(S::enum_candidates));
        self.declare_all(counterparts(types.clone()), counterparts(enums));
        self.find_likely(&types, S::members);
    }

    /// Declares as continued what is given.
    pub(crate) fn declare_all(&mut self, types: Vec<Pair<S::TypeId>>, enums: Vec<Pair<S::EnumId>>) {
        types.into_iter().for_each(|types| self.declare(Met::Type(types)));
        enums.into_iter().for_each(|enums| self.declare(Met::Enum(enums)));
    }

    fn declare(&mut self, met: MetIn<S>) {
        let draft = match met {
            Met::Type(types) => {
                self.declared.add(types);
                let of = self.types(types);
                renamed_or_moved((ChangeKind::MessageRenamed, S::role(of.new)), self.schemas, of, S::OWN_NAME)
            }
            Met::Enum(enums) => {
                self.declared_enums.add(enums);
                let of = self.enums(enums);
                renamed_or_moved((ChangeKind::EnumRenamed, S::enum_role(of.new)), self.schemas, of, S::OWN_NAME)
            }
        };
        draft.into_iter().for_each(|draft| self.push(draft));
    }

    /// Compares all declarations that continue, if nothing has led to them yet.
    pub(crate) fn pair_declared(&mut self) {
        for types in self.declared.pairs.clone() {
            self.pair(Met::Type(types));
        }
        for enums in self.declared_enums.pairs.clone() {
            self.pair(Met::Enum(enums));
        }
    }

    /// Declares as continued what references have paired one to one.
    pub(crate) fn pair_by_references(&mut self) {
        for met in self.queue.replacements.clone() {
            if !self.is_replaced(met) {
                self.declare_if_free(met);
            }
        }
    }

    /// Declares as continued what [`continue_by_structure`](Self::continue_by_structure) says, and compares it.
    pub(crate) fn pair_by_structure(&mut self) {
        self.continue_by_structure();
        self.pair_declared();
    }

    /// Declares as continued what references have paired one to one, then types that are more alike than any others, then
    /// those with exactly one twin. Numbers and types alone say nothing: any two records of a name and a number are alike.
    pub(crate) fn continue_by_structure(&mut self) {
        self.pair_by_references();
        let candidates = self.schemas.map(S::candidates);
        for one in alike(self.schemas, &candidates, &self.declared, S::members) {
            self.declare_if_free(Met::Type(one));
        }
        for twin in twins(self.schemas, candidates, &self.declared, S::shape) {
            let is_named_so = || {
                let names = self.type_names(twin);
                simple_name(names.old) == simple_name(names.new)
            };
            if have_most_in_common(self.schemas.zip(twin, S::members)) || is_named_so() {
                self.declare_if_free(Met::Type(twin));
            }
        }
    }

    fn declare_if_free(&mut self, met: MetIn<S>) {
        let is_free = match met {
            Met::Type(types) => {
                let are_own = self.schemas.zip(self.types(types), |schema, of| schema.declared(of).is_own);
                self.declared.are_free(types) && are_own.old && are_own.new && self.are_declarations(types)
            }
            Met::Enum(enums) => self.declared_enums.are_free(enums),
        };
        if is_free {
            self.declare(met);
        }
    }

    /// The declarations that have no counterpart.
    pub(crate) fn without_counterpart(&self) -> Vec<Draft> {
        let Pair { old, new } = self.schemas;
        let types = Pair::new(old.candidates(), new.candidates());
        let kinds = Pair::new(ChangeKind::MessageRemoved, ChangeKind::MessageAdded);
        let gone = copies(self.schemas, &types, |id| self.declared.has_old(id), S::says);
        let mut alone = leftovers(kinds, self.schemas, (types, &gone), &self.declared, S::type_of, S::role);
        let enums = Pair::new(old.enum_candidates(), new.enum_candidates());
        let kinds = Pair::new(ChangeKind::EnumRemoved, ChangeKind::EnumAdded);
        let gone = copies(self.schemas, &enums, |id| self.declared_enums.has_old(id), S::values);
        alone.extend(leftovers(kinds, self.schemas, (enums, &gone), &self.declared_enums, S::enum_of, S::enum_role));
        alone
    }

    /// A reference that follows a type under its new name is told once, at the type.
    pub(crate) fn settle_renames(&mut self) {
        let following = std::mem::take(&mut self.following);
        let mut changes = std::mem::take(&mut self.changes);
        settle_renames(&mut changes, &following, |met| self.continues(*met));
        self.changes = changes;
    }
}
