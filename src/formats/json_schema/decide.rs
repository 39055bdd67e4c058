//! Whether all that writers of one side write is valid for readers of the other: by proof, or by a datum that shows it is
//! not. What neither shows is not decided.

mod blame;

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use self::blame::{Alone, Arounds, Known};
use super::bson;
use super::emit::{Emitter, Form as Written, Gaps, mark, other};
use super::groups::{groups, only_outside, positive};
use super::hints::Hints;
use super::looked::Branches;
use super::model::{NodeId, Schema, met};
use super::pairs::{Documents, Edit, Pairs, What};
use super::patterns::Finders;
use super::reach::Holders;
use super::reader::Reader;
use super::sample::{LONGEST_WAY, Matchers, Sampler, room};
use super::shrink::values;
use super::solver::{Form, Found};
use super::ways::Ways;
use crate::change::{Pair, Side};
use crate::evidence::{Direction, Outcome};
use crate::formats::instances::Usage;
use crate::ordered::OrderedMap;

/// Data tried before a proof is, which they would refute.
const TRIES_BEFORE_PROOF: usize = 60;
/// Data tried of what the prover says is refused.
const TRIES_OF_DIFFERENCE: usize = 250;
/// Data tried of what writers write.
const TRIES_OF_WRITER: usize = 900;
/// Data tried for one edit by itself.
const TRIES_OF_EDIT: usize = 300;
/// Data tried that lead to one edit.
const TRIES_ON_THE_WAY: usize = 60;
/// Of more edits fewer data are made for each.
const MANY: usize = 300;
/// Data on the way to one edit of many that show others only, beyond which no more are made.
const AMISS: usize = 8;
/// What one of them counts of the work.
const WORK_OF_TRY: usize = 20;
/// What each value of a datum that is kept counts of the work.
const WORK_OF_KEPT: usize = 4;
/// So many values of data count as one schema that is built.
const CHEAP: usize = 4;
/// So many schemas on the way to an edit count as one that is built.
const CHEAP_STEPS: usize = 100;
/// What is shown of larger data is asked for several times.
const LARGE: usize = 1_000;
const TIMES_OF_LARGE: usize = 4;
/// Schemas and values of all documents that are built to prove edits where they stand: what is open then is looked for.
const PROOFS: usize = 4_000_000;
/// Data in a row that show nothing new, beyond which no more are made after one document.
const BARREN: usize = 40;
/// Schemas that may be built for one document and direction, each as large as it is: what is open when they are used up
/// could not be told.
const WORK: usize = 2_000_000;
/// How many schemas around an edit are asked for a proof, each further out.
const PLACES_AROUND: usize = 4;
/// Edits beyond which each is asked of by itself only, and proven first: the difference of two documents grows with the
/// square of them, and so do the questions of whether a datum shows them.
const TOGETHER: usize = 60;

/// A datum that writers write and readers refuse.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) datum: Value,
    /// What the reader says.
    pub(super) reason: String,
}

/// What is known of one edit in one direction.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    /// Nobody can feel it: there is a proof.
    Safe,
    /// Somebody does.
    Fails(Shown),
    /// There is neither a proof nor a datum.
    Undecided,
}

/// The answers about one document in one direction, by the edits that might be felt, and how many data were written.
#[derive(Debug, Clone, Default)]
pub(super) struct Decided {
    pub(super) answers: OrderedMap<usize, Answer>,
    pub(super) data: usize,
}

/// One document in one direction.
pub(super) struct Question<'q> {
    pub(super) schemas: Pair<&'q Schema>,
    pub(super) pairs: &'q Pairs,
    pub(super) documents: &'q Documents,
    pub(super) direction: Direction,
    pub(super) whole: &'q Whole<'q>,
    /// How many schemas and values the documents have that were built for proofs.
    pub(super) built: Cell<usize>,
    /// How much proofs may still look at.
    pub(super) looks: Rc<Cell<usize>>,
    /// Whether a document that was built for a proof has not all definitions.
    pub(super) is_cut: Cell<bool>,
}

/// What is known of both sides as a whole, whichever document is asked about.
pub(super) struct Whole<'q> {
    holders: Pair<Holders>,
    branches: Pair<Branches<'q>>,
    has_gaps: bool,
    finders: Arc<Finders>,
}

impl<'q> Whole<'q> {
    pub(super) fn of(schemas: Pair<&'q Schema>) -> Self {
        Whole {
            holders: schemas.map(Holders::of),
            branches: schemas.map(Branches::of),
            has_gaps: schemas.old.has_gaps() || schemas.new.has_gaps(),
            finders: Arc::default(),
        }
    }
}

/// The readers that tell what is felt.
struct Readers {
    /// What the writer's schema allows, and what its writers write of that.
    writers: Vec<Reader>,
    /// The other side. Where schemas were not found there are two readers: what both say holds whatever they are.
    readers: Vec<Reader>,
    /// Whether data are BSON, and written down with stand-ins.
    is_bson: bool,
}

impl Readers {
    /// Whether a datum is written by one side and refused by the other.
    fn does_show(&self, datum: &Value) -> bool {
        self.readers.iter().all(|reader| !reader.takes(datum))
            && self.do_write(datum)
            && self.readers.iter().all(|reader| !reader.may_meet_limits || reader.refuses(datum).is_some())
    }

    /// Whether a datum is written.
    fn do_write(&self, datum: &Value) -> bool {
        self.writers.iter().all(|writer| writer.takes(datum)) && (!self.is_bson || bson::is_value(datum))
    }

    /// Whether a datum is taken, whatever stands in schemas that were not found.
    fn do_read(&self, datum: &Value) -> bool {
        self.readers.iter().all(|reader| reader.takes(datum))
    }

    /// Why a datum is refused by the one side, if it is and the other one writes it.
    fn show(&self, datum: &Value) -> Option<String> {
        if !self.does_show(datum) {
            return None;
        }
        self.readers.iter().map(|reader| reader.refuses(datum)).collect::<Option<Vec<String>>>()?.into_iter().next()
    }

    /// What all readers complain of in a datum.
    fn said(&self, datum: &Value) -> FxHashSet<String> {
        let complaints = |reader: &Reader| reader.complaints(datum).into_iter().collect::<FxHashSet<String>>();
        self.readers.iter().map(complaints).reduce(|one, other| &one & &other).unwrap_or_default()
    }
}

/// The side whose data new readers get, or old ones.
pub(super) const fn writer_of(direction: Direction) -> Side {
    match direction {
        Direction::Backward => Side::Old,
        Direction::Forward => Side::New,
    }
}

impl<'q> Question<'q> {
    pub(super) const fn writer(&self) -> Side {
        writer_of(self.direction)
    }

    fn claim(&self, edit: &Edit) -> Outcome {
        match self.direction {
            Direction::Backward => edit.claims.old,
            Direction::Forward => edit.claims.new,
        }
    }

    /// Whether the data of each side are BSON.
    pub(super) fn is_bson(&self) -> Pair<bool> {
        self.schemas.zip(self.documents.files, |schema, file| schema.files[file].is_bson)
    }

    pub(super) fn root(&self, side: Side) -> NodeId {
        *self.documents.nodes.side(side)
    }

    /// How the instances are used: as the file under review says.
    fn usage(&self) -> &'q Usage {
        &self.schemas.new.files[self.documents.files.new].usage
    }

    pub(super) fn emitter<'e>(&self, side: Side, form: Written, edits: &[&'e Edit]) -> Emitter<'e>
    where
        'q: 'e,
    {
        Emitter::new(self.schemas, side, form, edits).written_by(self.usage().writers)
    }

    pub(super) fn document(&self, side: Side, form: Written, edits: &[&'q Edit]) -> Value {
        self.emitter(side, form, edits).document(self.root(side), true)
    }

    /// Answers for every edit that is claimed to be felt, and tries to refute that no other one is.
    pub(super) fn decide(&self) -> Decided {
        let suspects: Vec<usize> = self
            .documents
            .edits
            .iter()
            .copied()
            .filter(|index| self.claim(&self.pairs.edits[*index]) > Outcome::Safe)
            .collect();
        let (writer, reader) = (self.writer(), other(self.writer()));
        let plain = Pair::new(self.document(writer, Written::Plain, &[]), self.document(reader, Written::Plain, &[]));
        let marked = suspects.iter().map(|index| *self.pairs.edits[*index].nodes.side(writer)).collect();
        let exact = self.emitter(writer, Written::Exact, &[]).with_marks(&marked).document(self.root(writer), true);
        let Some(readers) = self.readers(plain.as_ref()) else {
            let answers = suspects.into_iter().map(|index| (index, Answer::Undecided)).collect();
            return Decided { answers, data: 0 };
        };
        let mut search = self.search(readers, Hints::of(&[&plain.old, &plain.new]), suspects);
        search.safe.extend(search.never_asked_for());
        search.safe.extend(search.never_met(&search.still_open()));
        // What a datum shows needs no proof.
        search.go_to_each(&exact);
        let open = search.still_open();
        if open.len() > TOGETHER {
            // Each datum that shows some of them is asked for all that are open.
            search.safe.extend(search.proven_in_place(&open));
        }
        search.try_data(&exact, TRIES_BEFORE_PROOF, 1, &search.suspects.clone());
        let open = search.still_open();
        if open.is_empty() && search.is_hurt() {
            search.note_proven(Vec::new());
            return search.decided;
        }
        let is_refuted = search.is_hurt();
        let forms = self.forms();
        let asked = forms.as_ref().filter(|_| !is_refuted).map(|(writer, reader)| writer.refused_by(reader));
        let covers = |(_, reader): &(Form, Form)| self.form(exact.clone()).is_some_and(|exact| reader.covers(&exact));
        if asked == Some(Found::Nothing) || asked.is_some() && forms.as_ref().is_some_and(covers) {
            search.note_proven(open);
            return search.decided;
        }
        let mut proven = search.proven_in_place(&open);
        let rest = |proven: &[usize]| {
            let proven: FxHashSet<usize> = proven.iter().copied().collect();
            open.iter().copied().filter(|index| !proven.contains(index)).collect::<Vec<_>>()
        };
        proven.extend(search.proven_around(&rest(&proven)));
        proven.extend(search.proven_by_groups(&rest(&proven)));
        let open = rest(&proven);
        if !open.is_empty() {
            search.look_for(&open, forms.as_ref(), asked, &exact);
        }
        search.note_proven(proven);
        search.last_resort(&open);
        search.decided
    }

    /// A search that has not begun.
    fn search<'s>(&'s self, readers: Readers, hints: Hints, suspects: Vec<usize>) -> Search<'s, 'q> {
        Search {
            question: self,
            readers,
            hints,
            holders: self.whole.holders.side(self.writer()),
            at: Pair::new(self.edits_at(Side::Old), self.edits_at(Side::New)),
            alone: OrderedMap::new(),
            kept: 0,
            around: Arounds::default(),
            branches: self.whole.branches.side(self.writer()),
            matchers: Rc::new(Matchers::with(&self.whole.finders)),
            small: VecDeque::new(),
            decided: Decided::default(),
            suspects,
            made_up_for: OrderedMap::new(),
            never_made_up_for: FxHashMap::default(),
            safe: FxHashSet::default(),
            work: WORK,
        }
    }

    /// What is written, and what reads it, to be asked of all at once.
    fn forms(&self) -> Option<(Form, Form)> {
        let (writer, reader) = (self.writer(), other(self.writer()));
        let form = |side, form| self.form(self.for_proof(side, form, &[], (self.root(side), true), usize::MAX));
        form(writer, Written::Wide).zip(form(reader, Written::Plain))
    }

    /// A document of which something is to be proven.
    pub(super) fn form(&self, document: Value) -> Option<Form> {
        Form::new(document, &self.whole.finders, &self.looks)
    }

    /// The edits by the schemas of one side that have them.
    fn edits_at(&self, side: Side) -> FxHashMap<NodeId, Vec<usize>> {
        let mut at: FxHashMap<NodeId, Vec<usize>> = FxHashMap::default();
        for index in &self.documents.edits {
            at.entry(*self.pairs.edits[*index].nodes.side(side)).or_default().push(*index);
        }
        at
    }

    /// What reads data in this direction; `None` where a schema has what no reader can be built for, and where data of the one
    /// side are BSON and those of the other are not. `plain` is the writer's document and the reader's,
    /// in which everything is valid where schemas were not found.
    fn readers(&self, plain: Pair<&Value>) -> Option<Readers> {
        let is_bson = self.is_bson();
        if is_bson.old != is_bson.new {
            return None;
        }
        let (writer, reader) = (self.writer(), other(self.writer()));
        let document = |side: Side, form: Written, gaps: Gaps| {
            self.emitter(side, form, &[]).with(gaps).document(self.root(side), true)
        };
        let exact = document(writer, Written::Exact, Gaps::TakeAll);
        let mut writers = vec![Reader::new(plain.old)?, Reader::new(&exact)?];
        let mut readers = vec![Reader::new(plain.new)?];
        if self.whole.has_gaps {
            writers.push(Reader::new(&document(writer, Written::Plain, Gaps::TakeNothing))?);
            writers.push(Reader::new(&document(writer, Written::Exact, Gaps::TakeNothing))?);
            readers.push(Reader::new(&document(reader, Written::Plain, Gaps::TakeNothing))?);
        }
        Some(Readers { writers, readers, is_bson: is_bson.new })
    }
}

/// What a datum of so many values counts.
const fn weight_of(values: usize) -> usize {
    if values > LARGE { TIMES_OF_LARGE * values } else { values }
}

/// A search for data.
struct Search<'s, 'q> {
    question: &'s Question<'q>,
    readers: Readers,
    hints: Hints,
    holders: &'s Holders,
    /// The edits by the schemas of each side that have them.
    at: Pair<FxHashMap<NodeId, Vec<usize>>>,
    /// Readers of the writer's schema with one edit made, as far as that matters to data that are valid without it, and how many
    /// schemas there are in them.
    alone: OrderedMap<usize, Alone>,
    kept: usize,
    around: Arounds,
    /// The branches of the writer's schema where there are very many.
    branches: &'s Branches<'q>,
    matchers: Rc<Matchers>,
    /// The last small data that showed something.
    small: VecDeque<Rc<Known>>,
    decided: Decided,
    suspects: Vec<usize>,
    /// Of edits that refuse data alone, whether others make up for them in some.
    made_up_for: OrderedMap<usize, bool>,
    /// Of edits of one kind in one schema, or right inside of it, how many others were asked for that do not make up for them.
    never_made_up_for: FxHashMap<(NodeId, &'static str), usize>,
    /// Those that are proven to be harmless, before data are tried.
    safe: FxHashSet<usize>,
    /// What may still be built.
    work: usize,
}

impl Search<'_, '_> {
    fn is_shown(&self, index: usize) -> bool {
        matches!(self.decided.answers.get(&index), Some(Answer::Fails(_)))
    }

    fn is_open(&self, index: usize) -> bool {
        !self.is_shown(index) && !self.safe.contains(&index)
    }

    /// Whether a datum has shown something.
    fn is_hurt(&self) -> bool {
        self.decided.answers.values().any(|answer| matches!(answer, Answer::Fails(_)))
    }

    /// Notes what is proven.
    fn note_proven(&mut self, proven: Vec<usize>) {
        for index in proven.into_iter().chain(std::mem::take(&mut self.safe)) {
            self.decided.answers.entry(index).or_insert(Answer::Safe);
        }
    }

    /// Notes what shows an edit: it is kept for each by itself.
    fn note_shown(&mut self, index: usize, shown: Shown) {
        self.work = self.work.saturating_sub(WORK_OF_KEPT * values(&shown.datum));
        self.decided.answers.insert(index, Answer::Fails(shown));
    }

    fn still_open(&self) -> Vec<usize> {
        self.suspects.iter().copied().filter(|index| self.is_open(*index)).collect()
    }

    /// Members that readers say nothing of where they stand: that takes no looking for.
    fn never_asked_for(&self) -> Vec<usize> {
        let question = self.question;
        let is_safe = |index: &usize| {
            let edit = &question.pairs.edits[*index];
            edit.is_monotone && matches!(question.said_of_member(edit, other(question.writer())), Some(None))
        };
        self.suspects.iter().copied().filter(is_safe).collect()
    }

    /// The edits that are proven to be harmless where they stand, and which nothing around turns round.
    fn proven_in_place(&self, open: &[usize]) -> Vec<usize> {
        let edits = &self.question.pairs.edits;
        // What is required is required each by itself; all else of one family is proven together.
        let family = |edit: &'_ Edit| match &edit.what {
            What::Required(name) => (edit.nodes, "required", name.clone()),
            what => (edit.nodes, what.family(), String::new()),
        };
        let mut families: FxHashMap<_, Vec<&Edit>> = FxHashMap::default();
        for edit in edits {
            families.entry(family(edit)).or_default().push(edit);
        }
        let is_shown = |index: &usize| self.is_shown(*index);
        let shown: FxHashSet<Pair<NodeId>> =
            self.suspects.iter().filter(|index| is_shown(index)).map(|index| edits[*index].nodes).collect();
        let (mut in_place, mut whole) = (FxHashMap::default(), FxHashMap::default());
        let mut proven = Vec::new();
        for (index, edit) in open.iter().map(|index| (*index, &edits[*index])).filter(|(_, edit)| edit.is_monotone) {
            if self.question.built.get() > PROOFS {
                break;
            }
            let key = family(edit);
            let by_itself = || self.question.is_proven_in_place(edit, &families[&key]);
            let as_a_whole =
                || !shown.contains(&edit.nodes) && self.question.is_proven_as_a_whole(edit.nodes, edit.is_outer);
            if *in_place.entry(key.clone()).or_insert_with(by_itself)
                || self.question.is_proven_of_member(edit)
                || *whole.entry(edit.nodes).or_insert_with(as_a_whole)
            {
                proven.push(index);
            }
        }
        proven
    }

    /// The edits that nobody feels since a schema around them, whatever turns round inside of it, is proven to take all that
    /// writers write of it. The nearest around each is asked first, and further ones where that proves nothing.
    fn proven_around(&mut self, open: &[usize]) -> Vec<usize> {
        let (question, nesting) = (self.question, &self.question.pairs.nesting);
        let root = met(question.schemas, question.documents.nodes);
        let (mut proven, mut asked) = (FxHashSet::default(), FxHashSet::default());
        let nodes = |index: &usize| question.pairs.edits[*index].nodes;
        let is_told = |nodes: Pair<NodeId>, met: &FxHashSet<Pair<NodeId>>| met.contains(&nodes);
        for _ in 0..PLACES_AROUND {
            let met = nesting.met(root, &proven);
            let exposed: Vec<Pair<NodeId>> = open.iter().map(nodes).filter(|nodes| is_told(*nodes, &met)).collect();
            let places = nesting.nearest(&met, exposed, &asked);
            if places.is_empty() || self.work == 0 {
                break;
            }
            for place in places {
                let before = question.built.get();
                asked.insert(place);
                if self.work > 0 && question.is_proven_as_a_whole(place, true) {
                    proven.insert(place);
                }
                // Each proof builds several documents, which are thrown away.
                self.work = self.work.saturating_sub((question.built.get() - before) / 2);
            }
        }
        let met = nesting.met(root, &proven);
        open.iter().copied().filter(|index| !is_told(nodes(index), &met)).collect()
    }

    /// Members of whole documents that came where writers have none of the name, and patterns that match none of theirs: no data
    /// have them, so nothing is looked at otherwise, whatever is around.
    fn never_met(&self, open: &[usize]) -> Vec<usize> {
        let question = self.question;
        let writer = question.writer();
        let (schema, root) = (*question.schemas.side(writer), question.root(writer));
        let named = |index: &usize| match &question.pairs.edits[*index].what {
            What::Entry(keyword @ ("properties" | "patternProperties"), name) => Some((*keyword, name)),
            _ => None,
        };
        if question.is_bson() != Pair::new(false, false) || open.iter().all(|index| named(index).is_none()) {
            return Vec::new();
        }
        let emitter = question.emitter(writer, Written::Exact, &[]);
        let Some(written) = emitter.all_written(root) else { return Vec::new() };
        let whole = only_outside(schema, root);
        let patterns: Vec<Option<Reader>> =
            written.patterns.iter().map(|pattern| Reader::of_pattern(pattern)).collect();
        let matches = |reader: &Option<Reader>, name: &String| {
            reader.as_ref().is_none_or(|reader| reader.takes(&Value::from(name.as_str())))
        };
        let is_written = |keyword: &str, name: &String| match keyword {
            "properties" => written.names.contains(name) || patterns.iter().any(|pattern| matches(pattern, name)),
            _ => {
                let pattern = Reader::of_pattern(name);
                !patterns.is_empty() || written.names.iter().any(|name| matches(&pattern, name))
            }
        };
        let is_never_met = |index: &usize| {
            let node = *question.pairs.edits[*index].nodes.side(writer);
            named(index).is_some_and(|(keyword, name)| {
                let is_there = schema.node(node).map(keyword).is_some_and(|map| map.contains_key(name));
                !is_there && whole.contains(&node) && !is_written(keyword, name)
            })
        };
        open.iter().copied().filter(is_never_met).collect()
    }

    /// The edits that are proven by themselves, with those that depend on them: none of these has been shown.
    fn proven_by_groups(&mut self, open: &[usize]) -> Vec<usize> {
        let question = self.question;
        if open.is_empty() || self.holders.has_unevaluated || question.is_bson() != Pair::new(false, false) {
            return Vec::new();
        }
        let (writer, edits) = (question.writer(), &question.pairs.edits);
        let schema = *question.schemas.side(writer);
        let node = |index: usize| *edits[index].nodes.side(writer);
        let of_document = question.documents.edits.iter().copied();
        let around = |index| self.holders.around(node(index)).iter().collect();
        let asked = of_document.map(|index| (index, node(index), &edits[index].what, around(index)));
        let is_open: FxHashSet<usize> = open.iter().copied().collect();
        let is_asked = |(indices, _): &(Vec<usize>, _)| {
            indices.iter().any(|index| is_open.contains(index)) && !indices.iter().any(|index| self.is_shown(*index))
        };
        let groups: Vec<_> = groups(schema, asked).into_iter().filter(is_asked).collect();
        let positive = positive(schema, question.root(writer));
        let mut proven = Vec::new();
        for (indices, around) in groups {
            let edits: Vec<&Edit> = indices.iter().map(|index| &edits[*index]).collect();
            if self.work > 0
                && question.is_proven_together(&edits, &around, &positive, |document| self.may_build(document))
            {
                proven.extend(indices.into_iter().filter(|index| is_open.contains(index)));
            }
        }
        proven
    }

    /// Data that show what is neither shown nor proven.
    fn look_for(&mut self, open: &[usize], forms: Option<&(Form, Form)>, asked: Option<Found>, exact: &Value) {
        let both = forms.filter(|_| self.suspects.len() <= TOGETHER);
        let found = both.map(|(writer, reader)| asked.unwrap_or_else(|| writer.refused_by(reader)));
        if let Some(difference) = found.and_then(Found::document) {
            self.try_data(&difference, TRIES_OF_DIFFERENCE, 2, open);
        }
        self.try_data(exact, TRIES_OF_WRITER, 3, open);
        if let Some((wide, _)) = forms {
            self.each_alone(open, wide, exact);
        }
    }

    /// Makes data after a document, until each of the wanted edits has been felt or nothing new comes of it.
    fn try_data(&mut self, document: &Value, tries: usize, seed: u64, wanted: &[usize]) {
        let hints = std::mem::take(&mut self.hints);
        let mut sampler = Sampler::new(document, &hints, seed, room(document)).knowing(&self.matchers);
        let mut barren = 0;
        for _ in 0..tries {
            let made = sampler.one();
            self.work = self.work.saturating_sub(match &made {
                Some(datum) => weight_of(values(datum)) / CHEAP + sampler.sought(),
                None => weight_of(sampler.spent()) / CHEAP,
            });
            if self.work == 0 {
                break;
            }
            let Some(datum) = made else { continue };
            self.decided.data += 1;
            if self.readers.does_show(&datum) {
                let felt = self.felt(datum);
                barren = if self.blame(&felt) { 0 } else { barren + 1 };
                let is_done = !wanted.is_empty() && wanted.iter().all(|index| !self.is_open(*index));
                if is_done || barren > BARREN || self.work == 0 {
                    break;
                }
            }
        }
        self.hints = hints;
    }

    /// Makes data that lead to each edit which no datum has shown yet.
    fn go_to_each(&mut self, exact: &Value) {
        let open = self.still_open();
        if open.is_empty() {
            return;
        }
        let (question, hints) = (self.question, std::mem::take(&mut self.hints));
        let (ways, room) = (Ways::of(exact), room(exact));
        let tries = (MANY * TRIES_ON_THE_WAY / open.len()).clamp(AMISS, TRIES_ON_THE_WAY);
        let is_many = open.len() > TOGETHER;
        let most_amiss = if is_many { AMISS } else { TRIES_ON_THE_WAY };
        for index in open {
            if self.work == 0 {
                break;
            }
            if is_many && self.is_shown_by_known(index) {
                continue;
            }
            let edit = &question.pairs.edits[index];
            let writer = question.writer();
            let goal = mark(*edit.nodes.side(writer));
            if ways.depth(&goal) > LONGEST_WAY {
                continue;
            }
            let Some(way) = ways.to(&goal, &edit.what, writer) else { continue };
            self.work = self.work.saturating_sub(ways.count() / CHEAP_STEPS);
            let sampler = Sampler::new(exact, &hints, 5 + index as u64, room).knowing(&self.matchers);
            let mut sampler = sampler.towards(&way);
            let mut amiss = 0;
            for _ in 0..tries {
                if !self.is_open(index) || self.work == 0 || amiss == most_amiss {
                    break;
                }
                self.work = self.work.saturating_sub(WORK_OF_TRY);
                let made = sampler.one();
                let count = made.as_ref().map_or_else(|| sampler.spent(), |made| values(made) + sampler.sought());
                self.work = self.work.saturating_sub(weight_of(count));
                let Some(datum) = made else { continue };
                self.decided.data += 1;
                if !self.readers.does_show(&datum) {
                    continue;
                }
                // It was made for this one: others are led to by themselves.
                let felt = self.felt(datum);
                if self.refuses_alone(index, &felt) && !self.is_made_up_for(index, &felt) {
                    if let Some(shown) = self.smallest(index, &felt) {
                        self.note_shown(index, shown);
                    }
                } else {
                    amiss += 1;
                    if !self.is_explained(edit.nodes, &felt) {
                        self.blame(&felt);
                    }
                }
            }
        }
        self.hints = hints;
    }

    /// Edits that no datum has shown yet, each by itself: what its own difference says.
    fn each_alone(&mut self, open: &[usize], wide: &Form, exact: &Value) {
        let mut written = None;
        for index in open.iter().copied().filter(|index| self.is_open(*index)).collect::<Vec<_>>() {
            if !self.is_open(index) {
                continue;
            }
            let edited = self.edited(index, Gaps::TakeNothing, None);
            if !self.may_build(&edited) {
                break;
            }
            let Some(reader) = self.question.form(edited) else { continue };
            let mut found = wide.refused_by(&reader);
            // What stands for all that is written may be more than that.
            let is_written = matches!(&found, Found::One(datum) if self.readers.do_write(datum));
            if found != Found::Nothing && !is_written {
                let written = written.get_or_insert_with(|| self.question.form(exact.clone())).as_ref();
                found = written.map_or(found, |written| written.refused_by(&reader));
            }
            let is_proven = found == Found::Nothing;
            if let Some(difference) = found.document() {
                self.try_data(&difference, TRIES_OF_EDIT, 4 + index as u64, &[index]);
            }
            if self.is_open(index) && is_proven {
                self.decided.answers.insert(index, Answer::Safe);
            }
        }
    }

    /// What is still open. That each edit by itself is harmless proves nothing of several that meet under a keyword which
    /// can turn them round, unless somebody is hurt anyway and the rest is explained by that. So it is where others make up for
    /// an edit: what data show of it they show of another one.
    fn last_resort(&mut self, open: &[usize]) {
        let turned = |index: &usize| !self.question.pairs.edits[*index].is_monotone;
        let is_hurt = self.is_hurt();
        let turning = open.iter().filter(|index| turned(index)).count();
        for index in open {
            let answer = self.decided.answers.entry(*index).or_insert(Answer::Undecided);
            if is_hurt && matches!(answer, Answer::Undecided) && self.made_up_for.get(index) == Some(&true) {
                *answer = Answer::Safe;
            }
            let is_doubtful = matches!(answer, Answer::Safe) && turning > 1 && !is_hurt;
            if is_doubtful {
                *answer = Answer::Undecided;
            }
        }
    }
}
