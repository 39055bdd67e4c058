//! What differs between two linked sides: everything that matters on the wire, in calls or in generated code.
//!
//! Types pair by full name, then by simple name where they moved to another program, then by the fields, containers and
//! functions that lead to them; each pair is compared once. Facts only: whether a change is good or bad is said in
//! `rules/thrift/`.

mod annotations;
mod audits;
mod differ;
mod enums;
mod fields;
mod files;
mod members;
mod reach;
mod results;
mod services;
mod types;
mod values;

use std::sync::Arc;

use crate::change::Pair;
use crate::formats::frame::comparison::{Compare, Found};
use crate::formats::frame::roots::Roots;
use crate::formats::frame::{Diff, Diffs};
use crate::ordered::OrderedSet;

use self::differ::{Differ, Met, Own};
use super::language::Thrift;
use super::model::{Schema, StructId};
use super::pairing::Pairs;

impl Diffs for Thrift {
    type Pairs = Pairs;

    fn diff(schemas: Pair<&Schema<'_>>, roots: &Roots) -> Diff<Self::Pairs> {
        let mut differ = Differ::new(schemas, Own::new(reach::in_keys(schemas, roots)));
        differ.declare_namesakes();
        differ.pair_declared();
        differ.pair_services();
        differ.drain();
        differ.pair_by_structure();
        differ.drain();
        differ.pair_by_references();
        differ.drain_replaced();
        differ.pair_files();
        differ.leftovers();
        differ.settle_replaced();
        differ.settle_renames();
        differ.say_what_the_audit_says();
        let Found { changes, types, enums, own } = differ.finish(roots, reach::reach);
        let in_keys = own.in_keys;
        let are_in_keys = |types: &Pair<StructId>| in_keys.old.contains(&types.old) && in_keys.new.contains(&types.new);
        let keyed = types.iter().map(|pair| pair.types).filter(are_in_keys).collect();
        Diff { changes, pairs: Pairs { structs: types, in_keys: keyed, enums } }
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
