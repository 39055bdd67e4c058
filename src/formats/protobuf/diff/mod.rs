//! What differs between two linked schemas: every change that matters on the wire, in JSON, in RPC or in generated code.
//!
//! Types pair by name, then by the fields, maps and methods that lead to them (`pairing.rs`); each pair is compared
//! once. Facts only: whether a change is good or bad is said in `rules/protobuf/`.

mod bufs;
mod continued;
mod crossing;
mod declared;
mod enums;
mod fields;
mod files;
mod meeting;
mod members;
mod messages;
mod options;
mod reach;
mod services;
mod state;

use crate::change::Pair;
use crate::formats::frame::replaced::Replaced;
use crate::formats::frame::roots::Roots;

use self::state::{Diff, Differ, Met};
use super::model::Schema;
use super::pairing::Pairs;

/// Compares two schemas.
pub(crate) fn diff(schemas: Pair<&Schema<'_>>, roots: &Roots) -> Diff {
    let mut differ = Differ::new(schemas);
    differ.pair_declarations();
    differ.drain_messages();
    differ.pair_by_structure();
    differ.drain_messages();
    differ.pair_by_place();
    differ.drain();
    differ.drain_replaced();
    differ.leftovers();
    std::mem::replace(&mut differ.replaced, Replaced::new()).settle(&mut differ.changes);
    differ.settle_renames();
    differ.say_what_buf_says();
    let replacements = std::mem::take(&mut differ.queue.replacements);
    let (messages, enums) = differ.queue.into_pairs();
    let mut found = Diff { changes: differ.changes, pairs: Pairs { messages, enums, calls: differ.calls } };
    reach::limit_to_roots(schemas, roots, &mut found, &replacements);
    found
}

impl Differ<'_, '_> {
    /// Compares pairs until no comparison leads to a new one.
    fn drain(&mut self) {
        while let Some(met) = self.queue.next_after(self.changes.len()) {
            self.diff_types(met);
        }
    }

    /// Compares messages until no comparison leads to new ones. Enums wait: what holds them is known when all have met.
    fn drain_messages(&mut self) {
        while let Some(met) = self.queue.next_type_after(self.changes.len()) {
            self.diff_types(met);
        }
    }

    fn diff_types(&mut self, met: Met) {
        match met {
            Met::Type(types) => self.diff_message(types),
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
