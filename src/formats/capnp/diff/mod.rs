//! What differs between two linked sides: everything that matters on the wire, in calls or in generated code.
//!
//! Types pair by id, then by full name, then by simple name where they moved, then by the fields and methods that lead to
//! them; each pair is compared once. Facts only: whether a change is good or bad is said in `rules/capnp/`.

mod differ;
mod enums;
mod fields;
mod interfaces;
mod loads;
mod others;
mod reach;
mod types;

use crate::change::Pair;
use crate::formats::frame::replaced::Replaced;
use crate::formats::frame::roots::Roots;

use self::differ::{Diff, Differ, Met};
use super::model::Schema;
use super::pairing::Pairs;

/// Compares two sides.
pub(crate) fn diff(schemas: Pair<&Schema<'_>>, roots: &Roots) -> Diff {
    let mut differ = Differ::new(schemas);
    differ.pair_declarations();
    differ.pair_interfaces();
    differ.drain();
    differ.pair_by_structure();
    differ.drain();
    differ.drain_replaced();
    differ.others();
    differ.files();
    differ.leftovers();
    std::mem::replace(&mut differ.replaced, Replaced::new()).settle(&mut differ.changes);
    differ.settle_renames();
    differ.say_what_the_loader_says();
    let (structs, enums) = differ.queue.into_pairs();
    let mut found = Diff { changes: differ.changes, pairs: Pairs { structs, enums } };
    reach::limit_to_roots(schemas, roots, &mut found);
    found
}

impl Differ<'_, '_> {
    /// Compares pairs until no comparison leads to a new one.
    fn drain(&mut self) {
        while let Some(met) = self.queue.next_after(self.changes.len()) {
            self.diff_types(met);
        }
    }

    fn diff_types(&mut self, met: Met) {
        match met {
            Met::Type(types) => self.diff_struct(types),
            Met::Enum(types) => self.diff_enum(types),
        }
    }

    /// Compares what took the place of something else, for the places where it did.
    fn drain_replaced(&mut self) {
        while let Some(met) = self.replaced.enter(&mut self.changes) {
            let following = self.following.len();
            self.diff_types(met);
            // That a reference inside follows a rename is a reason, if anything.
            self.following.truncate(following);
            self.replaced.leave(&mut self.changes);
            self.drain();
        }
    }
}
