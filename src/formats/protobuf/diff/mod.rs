//! What differs between two linked schemas: every change that matters on the wire, in JSON, in RPC or in generated code.
//!
//! Types pair by name, then by the fields, maps and methods that lead to them (`pairing.rs`); each pair is compared
//! once. Facts only: whether a change is good or bad is said in `rules/protobuf/`.

mod bufs;
mod continued;
mod crossing;
mod decided;
mod declared;
mod defaults;
mod enums;
mod fields;
mod files;
mod languages;
mod meeting;
mod members;
mod messages;
mod options;
mod reach;
mod services;
mod state;

use std::sync::Arc;

use crate::change::Pair;
use crate::formats::frame::comparison::Compare;
use crate::formats::frame::roots::Roots;
use crate::formats::frame::{Diff, Diffs};
use crate::ordered::OrderedSet;

use self::state::{Differ, Met, Own};
use super::language::Protobuf;
use super::model::Schema;
use super::pairing::Pairs;

impl Diffs for Protobuf {
    type Pairs = Pairs;

    fn diff(schemas: Pair<&Schema<'_>>, roots: &Roots) -> Diff<Self::Pairs> {
        let mut differ = Differ::new(schemas, Own::new(schemas));
        let left = differ.pair_declarations();
        differ.drain_types();
        differ.pair_by_structure();
        differ.declare_left(&left);
        differ.drain_types();
        differ.pair_by_references();
        differ.pair_by_place();
        differ.drain_types();
        differ.pair_what_met();
        differ.drain();
        differ.drain_replaced();
        differ.pair_what_met();
        differ.drain();
        differ.leftovers();
        differ.settle_replaced();
        differ.settle_renames();
        differ.say_what_buf_says();
        let replacements = std::mem::take(&mut differ.queue.replacements);
        let (messages, enums) = differ.queue.into_pairs();
        let mut found = Diff { changes: differ.changes, pairs: Pairs { messages, enums, calls: differ.own.calls } };
        reach::limit_to_roots(schemas, roots, &mut found, &replacements);
        found
    }

    fn unknown(schema: &Schema<'_>, roots: &Roots) -> OrderedSet<(Arc<str>, String)> {
        reach::reach(schema, roots).unknown
    }
}

impl<'a> Compare<Schema<'a>> for Differ<'_, 'a> {
    fn compare(&mut self, met: Met) {
        match met {
            Met::Type(types) => self.diff_message(types),
            Met::Enum(types) => self.diff_enum(types),
        }
    }
}
