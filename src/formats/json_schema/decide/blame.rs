//! Which edits a datum shows: each is made alone in the writer's schema, as far as that matters to the datum.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::{Search, Shown, weight_of};
use crate::change::{Pair, Side};
use crate::formats::json_schema::emit::{Form as Written, Gaps, other};
use crate::formats::json_schema::looked::{Branches, Extent};
use crate::formats::json_schema::model::NodeId;
use crate::formats::json_schema::pairs::What;
use crate::formats::json_schema::reach::{Holders, Schemas, looked_at};
use crate::formats::json_schema::reader::Reader;
use crate::formats::json_schema::shrink::{TRIES, shrunk, values};
use crate::ordered::OrderedSet;

/// How often a reader is built for some data, before one is built for all.
const MOST_TIMES: usize = 4;
/// The same where there are very many schemas.
const MOST_TIMES_OF_MANY: usize = 16;
/// Small data that are tried for others.
const REMEMBERED: usize = 16;
/// How many schemas there may be in the readers that are kept, for all edits together.
const KEPT: usize = 60_000;

/// For how many schemas it is kept what holds them.
const AROUNDS: usize = 256;

/// Beyond so many edits that are shown, less is made of the data for each.
const MANY_SHOWN: usize = 100;

/// Edits of one kind that are asked of whether others make up for them.
const ALIKE: usize = 40;

/// As many schemas as one pattern takes to be built.
const COST_OF_PATTERN: usize = 200;

/// What holds schemas that were edited, found out once for each as long as it is asked for.
#[derive(Default)]
pub(super) struct Arounds(RefCell<FxHashMap<NodeId, Rc<Around>>>);

/// What holds a schema.
pub(super) struct Around {
    schemas: Schemas,
    /// Those of very many branches among them.
    branches: FxHashSet<NodeId>,
}

impl Arounds {
    fn of(&self, holders: &Holders, branches: &Branches<'_>, node: NodeId) -> Rc<Around> {
        let mut known = self.0.borrow_mut();
        if let Some(around) = known.get(&node) {
            return around.clone();
        }
        if known.len() == AROUNDS {
            known.clear();
        }
        let schemas = holders.around(node);
        let branches = match branches.has_any() {
            true => schemas.iter().filter(|node| branches.has(*node)).collect(),
            false => FxHashSet::default(),
        };
        known.entry(node).or_insert_with(|| Rc::new(Around { schemas, branches })).clone()
    }
}

/// A reader of data that have no other members than some, at any depth.
pub(super) struct Alone {
    /// `None` where it is one of any data.
    extent: Option<Rc<Extent>>,
    reader: Option<Reader>,
    /// How often it was built.
    times: usize,
    /// How many schemas and values it has.
    weight: usize,
}

impl Alone {
    fn is_for(&self, extent: &Rc<Extent>) -> bool {
        self.extent.as_ref().is_none_or(|known| Rc::ptr_eq(known, extent) || known.holds(extent))
    }
}

/// A datum, and the edits that it may feel.
pub(super) struct Felt {
    datum: Value,
    extent: Rc<Extent>,
    /// The schemas that look at it.
    looked_at: FxHashSet<NodeId>,
    near: OnceCell<OrderedSet<usize>>,
    /// Whether less of it is asked with no more: nothing in it holds anything, and no branch is left out that less might fit.
    is_steady: bool,
}

/// Whether nothing inside of a value holds anything.
fn is_flat(value: &Value) -> bool {
    let holds = |value: &Value| value.is_array() || value.is_object();
    match value {
        Value::Array(list) => !list.iter().any(holds),
        Value::Object(map) => !map.values().any(holds),
        _ => true,
    }
}

/// A small datum that showed something.
pub(super) struct Known {
    felt: Felt,
    /// Why readers refuse it, and all that they say of it.
    first: String,
    said: FxHashSet<String>,
}

/// Whether a datum with some members may feel an edit of a schema that looks at it.
fn is_there(what: &What, members: &OrderedSet<String>) -> bool {
    match what {
        What::Entry("properties", name) => members.contains(name),
        _ => true,
    }
}

impl Search<'_, '_> {
    /// What of the writer's schema a datum is asked with.
    pub(super) fn felt(&self, datum: Value) -> Felt {
        let root = self.question.root(self.question.writer());
        let (looked_at, extent) = self.branches.look(root, &datum);
        let is_steady = !self.branches.has_any() && is_flat(&datum);
        Felt { datum, extent: Rc::new(extent), looked_at, near: OnceCell::new(), is_steady }
    }

    /// The edits that a datum may feel.
    fn near_to<'f>(&self, felt: &'f Felt) -> &'f OrderedSet<usize> {
        felt.near.get_or_init(|| self.near(self.question.writer(), &felt.looked_at, &felt.extent.members))
    }

    /// Accounts for a document that something is built of; whether that may still be.
    pub(super) fn may_build(&mut self, document: &Value) -> bool {
        let cost = values(document) + COST_OF_PATTERN * patterns_of(document);
        self.work = self.work.saturating_sub(cost);
        self.work > 0
    }

    /// The writer's schema with one edit made, as far as that matters to data that are valid without it, and to those of some
    /// extent only.
    pub(super) fn edited(&self, index: usize, gaps: Gaps, extent: Option<&Extent>) -> Value {
        let (question, edit) = (self.question, &self.question.pairs.edits[index]);
        let writer = question.writer();
        let edits = [edit];
        let mut emitter = question.emitter(writer, Written::Plain, &edits).with(gaps);
        if let Some(extent) = extent {
            emitter = emitter.for_extent(self.branches, extent);
        }
        if self.holders.has_unevaluated {
            return emitter.document(question.root(writer), true);
        }
        let around = self.around.of(self.holders, self.branches, *edit.nodes.side(writer));
        emitter.leaving_out_what_holds(&around.schemas).document(question.root(writer), true)
    }

    /// What a datum is asked with where an edit is made: the branches with the edit may take it then.
    fn with_edit(&self, index: usize, datum: &Value, extent: &Rc<Extent>) -> Rc<Extent> {
        if !self.branches.has_any() {
            return extent.clone();
        }
        let writer = self.question.writer();
        let node = *self.question.pairs.edits[index].nodes.side(writer);
        let around = self.around.of(self.holders, self.branches, node);
        let mut own = match self.branches.are_nested || extent.schemas.is_some() {
            true => self.branches.extent(self.question.root(writer), datum, &around.branches),
            false => Extent::clone(extent),
        };
        own.branches.extend(&around.branches);
        Rc::new(own)
    }

    /// The reader of the writer's schema with one edit made, for data of some extent.
    fn alone(&mut self, index: usize, extent: &Rc<Extent>) -> Option<&Reader> {
        if !self.alone.get(&index).is_some_and(|known| known.is_for(extent)) {
            let mut extent = extent.clone();
            let known = self.alone.remove(&index);
            self.kept -= known.as_ref().map_or(0, |known| known.weight);
            let times = known.as_ref().map_or(1, |known| known.times + 1);
            if let Some(known) = known.and_then(|known| known.extent) {
                Rc::make_mut(&mut extent).extend(Extent::clone(&known));
            }
            let most = if extent.schemas.is_some() { MOST_TIMES_OF_MANY } else { MOST_TIMES };
            let extent = (times <= most).then_some(extent);
            let document = self.edited(index, Gaps::TakeAll, extent.as_deref());
            let reader = if self.may_build(&document) { Reader::new(&document) } else { None };
            let weight = values(&document);
            if self.kept + weight > KEPT {
                self.alone.clear();
                self.kept = 0;
            }
            self.kept += weight;
            self.alone.insert(index, Alone { extent, reader, times, weight });
        }
        self.alone.get(&index)?.reader.as_ref()
    }

    pub(super) fn refuses_alone(&mut self, index: usize, felt: &Felt) -> bool {
        let extent = self.with_edit(index, &felt.datum, &felt.extent);
        self.alone(index, &extent).is_some_and(|reader| !reader.takes(&felt.datum))
    }

    /// The edits that a datum with some members may feel, by the schemas of one side that look at it.
    fn near(&self, side: Side, looked_at: &FxHashSet<NodeId>, members: &OrderedSet<String>) -> OrderedSet<usize> {
        let edits = looked_at.iter().filter_map(|node| self.at.side(side).get(node)).flatten().copied();
        edits.filter(|index| is_there(&self.question.pairs.edits[*index].what, members)).collect()
    }

    /// Whether an edit that is shown already refuses a datum alone: those of the same schema are asked first.
    pub(super) fn is_explained(&mut self, nodes: Pair<NodeId>, felt: &Felt) -> bool {
        let known = self.near_to(felt).iter().copied().filter(|index| self.is_shown(*index));
        let is_here = |index: &usize| self.question.pairs.edits[*index].nodes == nodes;
        let (here, there): (Vec<usize>, Vec<usize>) = known.partition(is_here);
        here.into_iter().chain(there).any(|index| self.refuses_alone(index, felt))
    }

    /// Whether an edit that refuses a datum alone is not what readers refuse it for: another edit refuses it as well, and of what
    /// the one refuses readers take something, since others make up for it. So a member that moves into a branch is not gone,
    /// but the branch may refuse what it holds.
    pub(super) fn is_made_up_for(&mut self, index: usize, felt: &Felt) -> bool {
        self.is_taken_elsewhere(index, felt) && self.does_another_refuse(index, felt)
    }

    fn does_another_refuse(&mut self, index: usize, felt: &Felt) -> bool {
        let others = self.near_to(felt).iter().copied().filter(|other| *other != index && !self.safe.contains(other));
        others.collect::<Vec<_>>().into_iter().any(|other| self.refuses_alone(other, felt))
    }

    /// Whether readers take the smallest of the data that an edit refuses alone and writers write.
    fn is_taken_elsewhere(&mut self, index: usize, felt: &Felt) -> bool {
        if let Some(known) = self.made_up_for.get(&index) {
            return *known;
        }
        let extent = self.with_edit(index, &felt.datum, &felt.extent);
        if self.alone(index, &extent).is_none() {
            return false;
        }
        // Where nothing makes up for any of many that are alike, nothing is thought to make up for one more.
        let edit = &self.question.pairs.edits[index];
        let kind = (self.holders.next_to(*edit.nodes.side(self.question.writer())), edit.what.family());
        if self.never_made_up_for.get(&kind).is_some_and(|asked| *asked >= ALIKE) {
            return false;
        }
        let Some(known @ Alone { reader: Some(alone), .. }) = self.alone.get(&index) else { return false };
        let is_for = |one: &Value| {
            known.extent.is_none() || self.branches.are_few() || felt.is_steady || {
                let root = self.question.root(self.question.writer());
                known.is_for(&Rc::new(self.branches.extent(root, one, &FxHashSet::default())))
            }
        };
        let is_refused = |one: &Value| !alone.takes(one) && self.readers.do_write(one) && is_for(one);
        let small = shrunk(felt.datum.clone(), self.tries_to_shrink(), is_refused);
        let is_taken = is_refused(&small) && self.readers.do_read(&small);
        let count = values(&felt.datum);
        self.work = self.work.saturating_sub(weight_of(count));
        self.made_up_for.insert(index, is_taken);
        // A large datum takes as long as several.
        let times = weight_of(count) / count;
        let never = self.never_made_up_for.entry(kind).or_insert(0);
        *never = if is_taken { 0 } else { *never + times };
        is_taken
    }

    /// Finds the edits that a datum shows: those that refuse it alone, else those without which it would be taken, else all.
    /// Whether one is among them that no datum has shown before.
    pub(super) fn blame(&mut self, felt: &Felt) -> bool {
        let near = self.near_to(felt).iter().copied().filter(|index| !self.safe.contains(index));
        let (open, known): (Vec<usize>, Vec<usize>) = near.partition(|index| self.is_open(*index));
        let enough: Vec<usize> = open.into_iter().filter(|index| self.refuses_alone(*index, felt)).collect();
        let sufficient: Vec<usize> =
            enough.iter().copied().filter(|index| !self.is_made_up_for(*index, felt)).collect();
        if sufficient.is_empty() && known.iter().any(|index| self.refuses_alone(*index, felt)) {
            return false;
        }
        let sufficient = if sufficient.is_empty() { enough } else { sufficient };
        let blamed = if sufficient.is_empty() { self.needed(felt) } else { sufficient };
        if blamed.is_empty() && self.work == 0 {
            // Not all were asked.
            return false;
        }
        let blamed = if blamed.is_empty() { self.suspects.clone() } else { self.claimed_of(blamed) };
        let mut is_new = false;
        for index in blamed.into_iter().filter(|index| self.is_open(*index)).collect::<Vec<_>>() {
            if let Some(shown) = self.smallest(index, felt) {
                self.note_shown(index, shown);
                is_new = true;
            }
        }
        is_new
    }

    /// Of edits those that are claimed to be felt, where others are the same to the writer: a definition that is compared with several
    /// schemas, as one that nothing refers to any more is, is edited in all places at once.
    fn claimed_of(&self, edits: Vec<usize>) -> Vec<usize> {
        let (all, writer) = (&self.question.pairs.edits, self.question.writer());
        let are_same = |one: usize, other: usize| {
            all[one].nodes.side(writer) == all[other].nodes.side(writer) && all[one].what == all[other].what
        };
        let claimed: Vec<usize> = edits.iter().copied().filter(|index| self.suspects.contains(index)).collect();
        let is_kept = |index: &usize| claimed.contains(index) || !claimed.iter().any(|one| are_same(*one, *index));
        edits.into_iter().filter(is_kept).collect()
    }

    /// Whether a small datum that showed another edit shows this one as well.
    pub(super) fn is_shown_by_known(&mut self, index: usize) -> bool {
        let edit = &self.question.pairs.edits[index];
        let node = edit.nodes.side(self.question.writer());
        for known in self.small.clone() {
            let felt = &known.felt;
            if felt.looked_at.contains(node)
                && is_there(&edit.what, &felt.extent.members)
                && self.refuses_alone(index, felt)
                && !self.is_made_up_for(index, felt)
                && let Some(shown) = self.smallest(index, felt)
            {
                self.note_shown(index, shown);
                return true;
            }
        }
        false
    }

    /// How often a datum is made smaller: of very many edits that are shown, less often for each.
    fn tries_to_shrink(&self) -> usize {
        TRIES * MANY_SHOWN / self.decided.answers.len().max(MANY_SHOWN)
    }

    /// A datum made as small as it can be while it still shows an edit.
    pub(super) fn smallest(&mut self, index: usize, felt: &Felt) -> Option<Shown> {
        let is_alone = self.refuses_alone(index, felt);
        let alone = self.alone.get(&index).filter(|_| is_alone);
        let is_for = |one: &Value, extent: &Rc<Extent>| {
            alone.is_none_or(|alone| alone.is_for(&self.with_edit(index, one, extent)))
        };
        let refuses_alone =
            |one: &Value| alone.is_none_or(|alone| alone.reader.as_ref().is_none_or(|reader| !reader.takes(one)));
        // What shows several is the same datum for each.
        let edit = &self.question.pairs.edits[index];
        let node = edit.nodes.side(self.question.writer());
        let is_known = |known: &&Rc<Known>| {
            let Felt { datum, extent, looked_at, .. } = &known.felt;
            let may_show = looked_at.contains(node) && is_there(&edit.what, &extent.members);
            alone.is_some() && may_show && refuses_alone(datum) && is_for(datum, extent)
        };
        let known = self.small.iter().find(is_known).cloned();
        let known = match known {
            Some(known) => known,
            None => {
                let root = self.question.root(self.question.writer());
                let is_for = |one: &Value| {
                    let extent = || Rc::new(self.branches.extent(root, one, &FxHashSet::default()));
                    self.branches.are_few() || felt.is_steady || is_for(one, &extent())
                };
                let is_small = |one: &Value| refuses_alone(one) && self.readers.does_show(one) && is_for(one);
                let small = shrunk(felt.datum.clone(), self.tries_to_shrink(), is_small);
                let known = Rc::new(Known {
                    first: self.readers.show(&small)?,
                    said: self.readers.said(&small),
                    felt: self.felt(small),
                });
                self.small.push_front(known.clone());
                self.small.truncate(REMEMBERED);
                known
            }
        };
        let small = &known.felt.datum;
        // Of several complaints the one that is of this edit.
        let own = self.alone.get(&index).filter(|_| is_alone).and_then(|alone| alone.reader.as_ref()?.refuses(small));
        let reason = own.filter(|own| known.said.contains(own)).unwrap_or_else(|| known.first.clone());
        Some(Shown { datum: small.clone(), reason })
    }

    /// The edits without which the reader would take a datum.
    fn needed(&mut self, felt: &Felt) -> Vec<usize> {
        let question = self.question;
        let reader = other(question.writer());
        let members = &felt.extent.members;
        let looked_at = looked_at(question.schemas.side(reader), question.root(reader), members);
        let mut found = Vec::new();
        for index in self.near(reader, &looked_at, members) {
            let edits = [&question.pairs.edits[index]];
            let emitter = question.emitter(reader, Written::Plain, &edits).for_members(members);
            let document = emitter.document(question.root(reader), true);
            if !self.may_build(&document) {
                break;
            }
            if Reader::new(&document).is_some_and(|reader| reader.takes(&felt.datum)) {
                found.push(index);
            }
        }
        found
    }
}

/// How many patterns a document has.
fn patterns_of(document: &Value) -> usize {
    let (mut count, mut open) = (0, vec![document]);
    while let Some(value) = open.pop() {
        match value {
            Value::Array(list) => open.extend(list),
            Value::Object(map) => {
                count += usize::from(map.get("pattern").is_some_and(Value::is_string));
                count += map.get("patternProperties").and_then(Value::as_object).map_or(0, serde_json::Map::len);
                open.extend(map.values());
            }
            _ => {}
        }
    }
    count
}
