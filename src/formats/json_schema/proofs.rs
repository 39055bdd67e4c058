//! What is proven: that readers of one side take all that writers of the other write, at one schema or of whole documents.

use rustc_hash::FxHashSet;
use serde_json::Value;

use super::decide::Question;
use super::emit::{Form as Written, Gaps, other};
use super::groups::Matter;
use super::model::NodeId;
use super::narrow::{leave_family, leave_members_that_matter, leave_what_matters, name_alike};
use super::pairs::{Edit, What};
use super::shrink::values;
use super::solver::Found;
use crate::change::{Pair, Side};

/// Definitions that are written at first, and then.
const NEAREST: [usize; 2] = [12, 96];

impl<'q> Question<'q> {
    /// A document for a proof: schemas that were not found allow everything to writers and nothing to readers.
    pub(super) fn for_proof(
        &self,
        side: Side,
        form: Written,
        edits: &[&'q Edit],
        (root, is_outer): (NodeId, bool),
        most: usize,
    ) -> Value {
        let gaps = if side == self.writer() && form != Written::Plain { Gaps::TakeAll } else { Gaps::TakeNothing };
        let (document, is_cut) = self.emitter(side, form, edits).with(gaps).for_proof().beginning(root, is_outer, most);
        self.is_cut.set(self.is_cut.get() || is_cut);
        self.built.set(self.built.get() + values(&document));
        document
    }

    /// Whether something is proven. Of many definitions the nearest ones decide most of what is asked, whatever the others say:
    /// all of them are written only where these do not.
    fn is_proven(&self, prove: impl Fn(usize) -> Option<bool>) -> bool {
        let before = (self.built.get(), self.looks.get());
        for most in NEAREST {
            self.is_cut.set(false);
            let proven = prove(most);
            if proven.is_some() || !self.is_cut.get() {
                return proven == Some(true);
            }
            // What decided nothing is not accounted for: it was the smaller part.
            self.built.set(before.0);
            self.looks.set(before.1);
        }
        prove(usize::MAX) == Some(true)
    }

    /// Whether it is proven that readers take what is written, or refuted.
    fn covers(&self, written: Value, read: Value) -> Option<bool> {
        let found = self.form(written).zip(self.form(read)).map(|(writer, reader)| writer.refused_by(&reader));
        match found {
            Some(Found::Nothing) => Some(true),
            Some(Found::One(_)) => Some(false),
            Some(Found::Unknown) | None => None,
        }
    }

    /// Whether edits of one family are proven to be harmless where they stand, whatever is around them: the schema that has
    /// them takes all that writers of its other version write.
    pub(super) fn is_proven_in_place(&self, edit: &Edit, together: &[&'q Edit]) -> bool {
        self.is_proven(|most| self.proven_in_place(edit, together, most))
    }

    fn proven_in_place(&self, edit: &Edit, together: &[&'q Edit], most: usize) -> Option<bool> {
        let (writer, nodes) = (self.writer(), edit.nodes);
        let mut wide = self.for_proof(writer, Written::Wide, &[], (*nodes.side(writer), edit.is_outer), most);
        let mut edited = self.for_proof(writer, Written::Plain, together, (*nodes.side(writer), true), most);
        name_alike(&mut wide, &mut edited);
        let mut wider = wide.clone();
        // What is said of one type of BSON stands in several places.
        if !self.is_bson().new {
            leave_family(&mut edited, edit.what.family(), together);
            leave_what_matters(&mut wider, &edited);
        }
        let mut left = (wider.clone(), edited.clone());
        leave_members_that_matter(&mut left.0, &mut left.1);
        let less = (left.0 != wider).then_some(left).into_iter();
        one_of(less.chain([(wider, edited.clone()), (wide, edited)]).map(|(wide, edited)| self.covers(wide, edited)))
    }

    /// The same of a member that came or went where all others have a schema: the schema that readers have for it takes all
    /// that writers write of it.
    pub(super) fn is_proven_of_member(&self, edit: &Edit) -> bool {
        let (writer, reader) = (self.writer(), other(self.writer()));
        match (self.said_of_member(edit, writer), self.said_of_member(edit, reader)) {
            (Some(Some(written)), Some(Some(read))) => {
                let document = |side, form, node, most| self.for_proof(side, form, &[], (node, true), most);
                self.is_proven(|most| {
                    let written = document(writer, Written::Wide, written, most);
                    self.covers(written, document(reader, Written::Plain, read, most))
                })
            }
            (_, Some(None)) => true,
            _ => false,
        }
    }

    /// What one side says of a member that was edited, by its name or with all others, if anything; `None` where it may say more
    /// than that.
    pub(super) fn said_of_member(&self, edit: &Edit, side: Side) -> Option<Option<NodeId>> {
        let What::Entry("properties", name) = &edit.what else { return None };
        let node = self.schemas.side(side).node(*edit.nodes.side(side));
        let has_more = ["patternProperties", "unevaluatedProperties"].iter().any(|of| node.keywords.contains_key(of));
        let named = node.map("properties").and_then(|map| map.get(name)).copied();
        (!has_more).then(|| named.or_else(|| node.child("additionalProperties")))
    }

    /// The same of a schema as a whole, with all that was edited inside.
    pub(super) fn is_proven_as_a_whole(&self, nodes: Pair<NodeId>, is_outer: bool) -> bool {
        self.is_proven(|most| self.proven_as_a_whole(nodes, is_outer, most))
    }

    fn proven_as_a_whole(&self, nodes: Pair<NodeId>, is_outer: bool, most: usize) -> Option<bool> {
        let (writer, reader) = (self.writer(), other(self.writer()));
        let edited = self.for_proof(reader, Written::Plain, &[], (*nodes.side(reader), true), most);
        let covers = |form: Written| {
            let mut wide = self.for_proof(writer, form, &[], (*nodes.side(writer), is_outer), most);
            let mut edited = edited.clone();
            name_alike(&mut wide, &mut edited);
            self.covers(wide, edited)
        };
        one_of([Written::Wide, Written::Exact].into_iter().take(1 + usize::from(is_outer)).map(covers))
    }

    /// Whether edits that depend on no others are proven to be harmless: data that writers write are as the edited schema says,
    /// of which no more is left than what such data do not fulfil anyway, and to what they are no more than what matters to it.
    pub(super) fn is_proven_together(
        &self,
        edits: &[&'q Edit],
        around: &FxHashSet<NodeId>,
        positive: &FxHashSet<NodeId>,
        mut may_build: impl FnMut(&Value) -> bool,
    ) -> bool {
        let writer = self.writer();
        let lean = self.emitter(writer, Written::Plain, edits).with(Gaps::TakeNothing);
        let outer = around.iter().copied().collect();
        let lean = lean.leaving_out_what_holds(&outer).document(self.root(writer), true);
        let edited: FxHashSet<(NodeId, &str)> =
            edits.iter().map(|edit| (*edit.nodes.side(writer), edit.what.family())).collect();
        let matter = Matter { positive, around, edited };
        if !may_build(&lean) {
            return false;
        }
        let Some(reader) = self.form(lean) else { return false };
        [Written::Exact, Written::Wide].into_iter().any(|form| {
            let emitter = self.emitter(writer, form, &[]).for_proof().leaving_what_matters(&matter);
            let written = emitter.document(self.root(writer), true);
            may_build(&written) && self.form(written).is_some_and(|written| reader.covers(&written))
        })
    }
}

/// Whether one of several attempts proves something; `None` where none does, and not all are refuted.
fn one_of(attempts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut refuted = Some(false);
    for attempt in attempts {
        match attempt {
            Some(true) => return Some(true),
            Some(false) => {}
            None => refuted = None,
        }
    }
    refuted
}
