//! Whether all that writers of one side write is valid for readers of the other: by proof, or by a datum that shows it is
//! not. What neither shows is not decided.

use std::collections::BTreeMap;

use serde_json::Value;

use super::emit::{Emitter, Form as Written, Gaps, other};
use super::engine::{Form, Reader};
use super::hints::Hints;
use super::model::NodeId;
use super::model::Schema;
use super::pairs::{Documents, Edit, Pairs, What};
use super::sample::Sampler;
use super::shrink::shrunk;
use crate::change::{Pair, Side};
use crate::evidence::{Direction, Outcome};

/// Data tried to refute a proof.
const TRIES_AGAINST_PROOF: usize = 60;
/// Data tried of what the prover says is refused.
const TRIES_OF_DIFFERENCE: usize = 250;
/// Data tried of what writers write.
const TRIES_OF_WRITER: usize = 900;
/// Data tried for one edit by itself.
const TRIES_OF_EDIT: usize = 300;

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
#[derive(Debug, Default)]
pub(super) struct Decided {
    pub(super) answers: BTreeMap<usize, Answer>,
    pub(super) data: usize,
}

/// One document in one direction.
pub(super) struct Question<'q> {
    pub(super) schemas: Pair<&'q Schema>,
    pub(super) pairs: &'q Pairs,
    pub(super) documents: &'q Documents,
    pub(super) direction: Direction,
}

/// The readers that tell what is felt.
struct Readers {
    /// What the writer's schema allows, and what its writers write of that.
    writers: Vec<Reader>,
    /// The other side. Where schemas were not found there are two readers: what both say holds whatever they are.
    readers: Vec<Reader>,
}

impl Readers {
    /// Whether a datum is written by one side and refused by the other.
    fn show(&self, datum: &Value) -> Option<String> {
        let is_refused = self.readers.iter().all(|reader| !reader.takes(datum));
        let is_written = is_refused && self.writers.iter().all(|writer| writer.takes(datum));
        if !is_written {
            return None;
        }
        self.readers.iter().map(|reader| reader.refuses(datum)).collect::<Option<Vec<String>>>()?.into_iter().next()
    }
}

impl<'q> Question<'q> {
    const fn writer(&self) -> Side {
        match self.direction {
            Direction::Backward => Side::Old,
            Direction::Forward => Side::New,
        }
    }

    fn claim(&self, edit: &Edit) -> Outcome {
        match self.direction {
            Direction::Backward => edit.claims.old,
            Direction::Forward => edit.claims.new,
        }
    }

    fn root(&self, side: Side) -> NodeId {
        *self.documents.nodes.side(side)
    }

    fn document(&self, side: Side, form: Written, edits: &[&'q Edit]) -> Value {
        Emitter::new(self.schemas, side, form, edits).document(self.root(side), true)
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
        let mut decided = Decided::default();
        let (writer, reader) = (self.writer(), other(self.writer()));
        let plain = Pair::new(self.document(writer, Written::Plain, &[]), self.document(reader, Written::Plain, &[]));
        let exact = self.document(writer, Written::Exact, &[]);
        let Some(readers) = self.readers() else {
            decided.answers.extend(suspects.into_iter().map(|index| (index, Answer::Undecided)));
            return decided;
        };
        let hints = Hints::of(&[&plain.old, &plain.new]);
        let wide = self.document(writer, Written::Wide, &[]);
        let for_proof = self.for_proof(reader, Written::Plain, &[], (self.root(reader), true));
        let forms = Form::new(&wide).zip(Form::new(&for_proof));
        let covers = |(writer, reader): &(Form, Form)| {
            reader.covers(writer) || Form::new(&exact).is_some_and(|exact| reader.covers(&exact))
        };
        let is_proven = suspects.is_empty() || forms.as_ref().is_some_and(covers);
        let mut search = Search { question: self, readers, hints, alone: BTreeMap::new(), decided, suspects };
        if is_proven {
            search.try_data(&exact, TRIES_AGAINST_PROOF, 1, &[]);
            for index in search.suspects.clone() {
                search.decided.answers.entry(index).or_insert(Answer::Safe);
            }
            return search.decided;
        }
        let proven: Vec<usize> =
            search.suspects.iter().copied().filter(|index| self.is_proven_in_place(*index)).collect();
        let open: Vec<usize> = search.suspects.iter().copied().filter(|index| !proven.contains(index)).collect();
        if !open.is_empty() {
            if let Some(difference) = forms.as_ref().and_then(|(writer, reader)| writer.without(reader)) {
                search.try_data(&difference, TRIES_OF_DIFFERENCE, 2, &open);
            }
            search.try_data(&exact, TRIES_OF_WRITER, 3, &open);
            search.each_alone(&open);
        } else {
            search.try_data(&exact, TRIES_AGAINST_PROOF, 1, &[]);
        }
        for index in proven {
            search.decided.answers.entry(index).or_insert(Answer::Safe);
        }
        search.last_resort(&open);
        search.decided
    }

    /// What reads data in this direction; `None` where a schema has what no reader can be built for.
    fn readers(&self) -> Option<Readers> {
        let (writer, reader) = (self.writer(), other(self.writer()));
        let has_gaps = self.schemas.old.has_gaps() || self.schemas.new.has_gaps();
        let gaps: &[Gaps] = if has_gaps { &[Gaps::TakeAll, Gaps::TakeNothing] } else { &[Gaps::TakeAll] };
        let (mut writers, mut readers) = (Vec::new(), Vec::new());
        for gaps in gaps {
            let document = |side: Side, form: Written| {
                Emitter::new(self.schemas, side, form, &[]).with(*gaps).document(self.root(side), true)
            };
            writers.push(Reader::new(&document(writer, Written::Plain))?);
            writers.push(Reader::new(&document(writer, Written::Exact))?);
            readers.push(Reader::new(&document(reader, Written::Plain))?);
        }
        Some(Readers { writers, readers })
    }

    /// A document for a proof: schemas that were not found allow everything to writers and nothing to readers.
    fn for_proof(&self, side: Side, form: Written, edits: &[&'q Edit], (root, is_outer): (NodeId, bool)) -> Value {
        let gaps = if side == self.writer() && form != Written::Plain { Gaps::TakeAll } else { Gaps::TakeNothing };
        Emitter::new(self.schemas, side, form, edits).with(gaps).document(root, is_outer)
    }

    /// Whether an edit is proven to be harmless where it stands, whatever is around it: the schema that has it takes all
    /// that writers of its other version write, and nothing around turns that round.
    fn is_proven_in_place(&self, index: usize) -> bool {
        let edit = &self.pairs.edits[index];
        if !edit.is_monotone {
            return false;
        }
        let (writer, reader) = (self.writer(), other(self.writer()));
        let nodes = edit.nodes;
        let wanted = family(&edit.what);
        let together: Vec<&Edit> =
            self.pairs.edits.iter().filter(|one| one.nodes == nodes && family(&one.what) == wanted).collect();
        let wide = self.for_proof(writer, Written::Wide, &[], (*nodes.side(writer), edit.is_outer));
        let Some(written) = Form::new(&wide) else { return false };
        let mut edited = self.for_proof(writer, Written::Plain, &together, (*nodes.side(writer), true));
        leave_family(&mut edited, wanted, &together);
        let whole = || self.for_proof(reader, Written::Plain, &[], (*nodes.side(reader), true));
        let takes = |document: &Value| Form::new(document).is_some_and(|reader| reader.covers(&written));
        takes(&edited) || takes(&whole())
    }
}

/// What of a schema an edit has to do with: edits of two families do not know of each other.
fn family(what: &What) -> &'static str {
    match what {
        What::Schema => "schema",
        What::Value(_) => "enum",
        What::Required(_) => "required",
        What::Entry("dependentSchemas", _) => "dependentSchemas",
        What::Entry(..) | What::Member(_) => "members",
        What::Branch("prefixItems", _) => "items",
        What::Branch(keyword, _) => keyword,
        What::Keywords(names) => names.first().map_or("", |name| keyword_family(name)),
    }
}

/// Leaves to the root of a document the keywords of one family, and of their entries those that were edited. All else is
/// fulfilled: a schema is the conjunction of its families, and what was not edited is as the writers have it.
fn leave_family(document: &mut Value, wanted: &'static str, edits: &[&Edit]) {
    if wanted == "schema" {
        return;
    }
    let demands_members = edits.iter().any(|edit| matches!(edit.what, What::Member(_)));
    let root = document["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')).map(str::to_owned);
    let Some(Value::Object(root)) = root.and_then(|pointer| document.pointer_mut(&pointer)) else { return };
    root.retain(|name, _| keyword_family(name) == wanted || demands_members && name == "required");
    let is_edited = |keyword: &str, name: &String| {
        edits.iter().any(|edit| match &edit.what {
            What::Entry(of, entry) => *of == keyword && entry == name,
            What::Member(entry) => keyword == "properties" && entry == name,
            _ => false,
        })
    };
    for keyword in ["properties", "patternProperties", "dependentSchemas"] {
        if let Some(Value::Object(map)) = root.get_mut(keyword) {
            map.iter_mut()
                .filter(|(name, _)| !is_edited(keyword, name))
                .for_each(|(_, schema)| *schema = Value::Bool(true));
        }
    }
}

/// The family of a keyword.
fn keyword_family(keyword: &str) -> &str {
    match keyword {
        "properties" | "patternProperties" | "additionalProperties" | "unevaluatedProperties" => "members",
        "items" | "prefixItems" | "unevaluatedItems" => "items",
        "contains" | "minContains" | "maxContains" => "contains",
        "if" | "then" | "else" => "if",
        name => name,
    }
}

/// A search for data.
struct Search<'s, 'q> {
    question: &'s Question<'q>,
    readers: Readers,
    hints: Hints,
    /// Readers of the writer's schema with one edit made.
    alone: BTreeMap<usize, Option<Reader>>,
    decided: Decided,
    suspects: Vec<usize>,
}

impl Search<'_, '_> {
    fn is_open(&self, index: usize) -> bool {
        !matches!(self.decided.answers.get(&index), Some(Answer::Fails(_)))
    }

    /// Makes data after a document, until each of the wanted edits has been felt.
    fn try_data(&mut self, document: &Value, tries: usize, seed: u64, wanted: &[usize]) {
        let hints = std::mem::take(&mut self.hints);
        let mut sampler = Sampler::new(document, &hints, seed);
        for _ in 0..tries {
            let Some(datum) = sampler.one() else { continue };
            self.decided.data += 1;
            if self.readers.show(&datum).is_some() {
                self.blame(datum);
                if !wanted.is_empty() && wanted.iter().all(|index| !self.is_open(*index)) {
                    break;
                }
            }
        }
        self.hints = hints;
    }

    /// The reader of the writer's schema with one edit made.
    fn alone(&mut self, index: usize) -> Option<&Reader> {
        let question = self.question;
        let build =
            || Reader::new(&question.document(question.writer(), Written::Plain, &[&question.pairs.edits[index]]));
        self.alone.entry(index).or_insert_with(build).as_ref()
    }

    fn refuses_alone(&mut self, index: usize, datum: &Value) -> bool {
        self.alone(index).is_some_and(|reader| !reader.takes(datum))
    }

    /// Finds the edits that a datum shows: those that refuse it alone, else those without which it would be taken, else all.
    fn blame(&mut self, datum: Value) {
        let all: Vec<usize> = self.question.documents.edits.iter().copied().collect();
        let sufficient: Vec<usize> = all.iter().copied().filter(|index| self.refuses_alone(*index, &datum)).collect();
        let blamed = if sufficient.is_empty() { self.needed(&all, &datum) } else { sufficient };
        let blamed = if blamed.is_empty() { self.suspects.clone() } else { blamed };
        for index in blamed.into_iter().filter(|index| self.is_open(*index)).collect::<Vec<_>>() {
            let is_alone = self.refuses_alone(index, &datum);
            let small = shrunk(datum.clone(), |one| {
                self.readers.show(one).is_some()
                    && (!is_alone
                        || self.alone.get(&index).and_then(Option::as_ref).is_some_and(|reader| !reader.takes(one)))
            });
            if let Some(reason) = self.readers.show(&small) {
                self.decided.answers.insert(index, Answer::Fails(Shown { datum: small, reason }));
            }
        }
    }

    /// The edits without which the reader would take a datum.
    fn needed(&self, all: &[usize], datum: &Value) -> Vec<usize> {
        let question = self.question;
        let takes_without = |index: &usize| {
            let document =
                question.document(other(question.writer()), Written::Plain, &[&question.pairs.edits[*index]]);
            Reader::new(&document).is_some_and(|reader| reader.takes(datum))
        };
        all.iter().copied().filter(takes_without).collect()
    }

    /// Edits that no datum has shown yet, each by itself: what its own difference says.
    fn each_alone(&mut self, open: &[usize]) {
        for index in open.iter().copied().filter(|index| self.is_open(*index)).collect::<Vec<_>>() {
            let question = self.question;
            let root = (question.root(question.writer()), true);
            let edited = question.for_proof(question.writer(), Written::Plain, &[&question.pairs.edits[index]], root);
            let wide = question.document(question.writer(), Written::Wide, &[]);
            let Some((writer, reader)) = Form::new(&wide).zip(Form::new(&edited)) else { continue };
            if let Some(difference) = writer.without(&reader) {
                self.try_data(&difference, TRIES_OF_EDIT, 4 + index as u64, &[index]);
            }
            if self.is_open(index) && reader.covers(&writer) {
                self.decided.answers.insert(index, Answer::Safe);
            }
        }
    }

    /// What is still open. That each edit by itself is harmless proves nothing of several that meet under a keyword which
    /// can turn them round, unless somebody is hurt anyway and the rest is explained by that.
    fn last_resort(&mut self, open: &[usize]) {
        let turned = |index: &usize| !self.question.pairs.edits[*index].is_monotone;
        let is_hurt = self.decided.answers.values().any(|answer| matches!(answer, Answer::Fails(_)));
        let turning = open.iter().filter(|index| turned(index)).count();
        for index in open {
            let answer = self.decided.answers.entry(*index).or_insert(Answer::Undecided);
            let is_doubtful = matches!(answer, Answer::Safe) && turning > 1 && !is_hurt;
            if is_doubtful {
                *answer = Answer::Undecided;
            }
        }
    }
}
