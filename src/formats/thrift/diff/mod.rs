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

use crate::change::Pair;
use crate::formats::frame::comparison::Compare;
use crate::formats::frame::roots::Roots;

use self::differ::{Diff, Differ, Met, Own};
use super::model::{Schema, StructId};
use super::pairing::Pairs;

/// Compares two sides.
pub(crate) fn diff(schemas: Pair<&Schema<'_>>, roots: &Roots) -> Diff {
    let mut differ = Differ::new(schemas, Own::new(reach::in_keys(schemas, roots)));
    differ.declare_namesakes();
    differ.pair_declared();
    differ.pair_services();
    differ.drain();
    differ.pair_by_structure();
    differ.drain();
    differ.drain_replaced();
    differ.pair_files();
    differ.leftovers();
    differ.settle_replaced();
    differ.settle_renames();
    differ.say_what_the_audit_says();
    let in_keys = differ.own.in_keys;
    let (structs, enums) = differ.queue.into_pairs();
    let are_in_keys = |types: &Pair<StructId>| in_keys.old.contains(&types.old) && in_keys.new.contains(&types.new);
    let keyed = structs.iter().map(|pair| pair.types).filter(are_in_keys).collect();
    let mut found = Diff { changes: differ.changes, pairs: Pairs { structs, in_keys: keyed, enums } };
    reach::limit_to_roots(schemas, roots, &mut found);
    found
}

impl<'b> Compare<Schema<'b>> for Differ<'_, 'b> {
    fn compare(&mut self, met: Met) -> bool {
        match met {
            Met::Type(types) => self.diff_struct(types),
            Met::Enum(types) => self.diff_enum(types),
        }
        true
    }
}
