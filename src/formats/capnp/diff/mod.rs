//! What differs between two linked sides: everything that matters on the wire, in calls or in generated code.
//!
//! Types pair by id, then by full name, then by simple name where they moved, then by the fields and methods that lead to
//! them; each pair is compared once. Facts only: whether a change is good or bad is said in `rules/capnp/`.

mod differ;
mod enums;
mod fields;
mod generic;
mod interfaces;
mod loads;
mod others;
mod reach;
mod types;

use std::sync::Arc;

use crate::change::Pair;
use crate::formats::frame::comparison::{Compare, Found};
use crate::formats::frame::differ::Continued;
use crate::formats::frame::roots::Roots;
use crate::formats::frame::{Diff, Diffs};
use crate::ordered::OrderedSet;

use self::differ::{Differ, Met, Own};
use super::language::Capnp;
use super::model::Schema;
use super::pairing::Pairs;

impl Diffs for Capnp {
    type Pairs = Pairs;

    fn diff(schemas: Pair<&Schema<'_>>, roots: &Roots) -> Diff<Self::Pairs> {
        let mut differ =
            Differ::new(schemas, Own { interfaces: Continued::new(), supplied: Vec::new(), asked: Vec::new() });
        differ.declare_by_id();
        differ.pair_declared();
        differ.pair_interfaces();
        differ.drain();
        differ.pair_by_structure();
        differ.drain();
        differ.pair_by_references();
        differ.drain_replaced();
        differ.others();
        differ.files();
        differ.leftovers();
        differ.settle_replaced();
        differ.settle_renames();
        let used = differ.settle_given();
        differ.say_what_the_loader_says();
        let Found { changes, types, enums, .. } = differ.finish(roots, reach::reach);
        Diff { changes, pairs: Pairs { structs: types, enums, used } }
    }

    fn unknown(schema: &Schema<'_>, roots: &Roots) -> OrderedSet<(Arc<str>, String)> {
        reach::reach(schema, roots).unknown
    }
}

impl<'b> Compare<Schema<'b>> for Differ<'_, 'b> {
    fn compare(&mut self, met: Met) {
        match met {
            Met::Type(types) => self.diff_struct(types),
            Met::Enum(types) => self.diff_enum(types),
        }
    }
}
