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
use crate::change::{Pair, Side};

impl<'q> Question<'q> {
    /// A document for a proof: schemas that were not found allow everything to writers and nothing to readers.
    pub(super) fn for_proof(
        &self,
        side: Side,
        form: Written,
        edits: &[&'q Edit],
        (root, is_outer): (NodeId, bool),
    ) -> Value {
        let gaps = if side == self.writer() && form != Written::Plain { Gaps::TakeAll } else { Gaps::TakeNothing };
        let document = self.emitter(side, form, edits).with(gaps).for_proof().document(root, is_outer);
        self.built.set(self.built.get() + values(&document));
        document
    }

    /// Whether edits of one family are proven to be harmless where they stand, whatever is around them: the schema that has
    /// them takes all that writers of its other version write.
    pub(super) fn is_proven_in_place(&self, edit: &Edit, together: &[&'q Edit]) -> bool {
        let (writer, nodes) = (self.writer(), edit.nodes);
        let mut wide = self.for_proof(writer, Written::Wide, &[], (*nodes.side(writer), edit.is_outer));
        let mut edited = self.for_proof(writer, Written::Plain, together, (*nodes.side(writer), true));
        name_alike(&mut wide, &mut edited);
        let mut wider = wide.clone();
        // What is said of one type of BSON stands in several places.
        if !self.is_bson().new {
            leave_family(&mut edited, edit.what.family(), together);
            leave_what_matters(&mut wider, &edited);
        }
        let covers = |wide: &Value, edited: &Value| {
            let forms = self.form(wide).zip(self.form(edited));
            forms.is_some_and(|(written, reader)| reader.covers(&written))
        };
        let mut left = (wider.clone(), edited.clone());
        leave_members_that_matter(&mut left.0, &mut left.1);
        let is_less = left.0 != wider;
        is_less && covers(&left.0, &left.1) || covers(&wider, &edited) || covers(&wide, &edited)
    }

    /// The same of a member that came or went where all others have a schema: the schema that readers have for it takes all
    /// that writers write of it.
    pub(super) fn is_proven_of_member(&self, edit: &Edit) -> bool {
        let (writer, reader) = (self.writer(), other(self.writer()));
        match (self.said_of_member(edit, writer), self.said_of_member(edit, reader)) {
            (Some(Some(written)), Some(Some(read))) => {
                let document = |side, form, node| self.for_proof(side, form, &[], (node, true));
                let written = document(writer, Written::Wide, written);
                let read = document(reader, Written::Plain, read);
                let forms = self.form(&written).zip(self.form(&read));
                forms.is_some_and(|(writer, reader)| reader.covers(&writer))
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
        let (writer, reader) = (self.writer(), other(self.writer()));
        let edited = self.for_proof(reader, Written::Plain, &[], (*nodes.side(reader), true));
        let covers = |form: Written| {
            let mut wide = self.for_proof(writer, form, &[], (*nodes.side(writer), is_outer));
            let mut edited = edited.clone();
            name_alike(&mut wide, &mut edited);
            self.form(&wide).zip(self.form(&edited)).is_some_and(|(writer, reader)| reader.covers(&writer))
        };
        covers(Written::Wide) || is_outer && covers(Written::Exact)
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
        let Some(reader) = self.form(&lean).filter(|_| may_build(&lean)) else { return false };
        [Written::Exact, Written::Wide].into_iter().any(|form| {
            let emitter = self.emitter(writer, form, &[]).for_proof().leaving_what_matters(&matter);
            let written = emitter.document(self.root(writer), true);
            may_build(&written) && self.form(&written).is_some_and(|written| reader.covers(&written))
        })
    }
}
