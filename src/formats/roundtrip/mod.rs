//! The round trips, as far as they are alike in all languages: who writes and who reads, how much is written, which
//! reading becomes a witness, what was exercised, and how all that is put together.
//!
//! Data is made, written, read and judged one by one; of each reading no more is kept than the worst and smallest of every
//! identity, so the size of a type does not matter. A language owes the pairs to write, the data to write of each
//! ([`Outlet`], [`Variations`]), what comes of it ([`Stage::exchange`]) and the witness of a reading ([`Stage::witness`]).
//! Here is no schema and no codec, and nothing is known of rules.

mod elements;
mod findings;
mod insides;
mod once;
mod outlet;
mod shown;
mod stage;

pub(super) use self::elements::{Element, Elements, Member, OwnIdentities, felt};
pub(super) use self::findings::{Findings, Room, WorstReading, both_ways, gather, observation, of_each};
pub(super) use self::insides::{Insides, Made};
pub(super) use self::once::{EnumNames, Lazily, PerMessage, Shared, Smallest};
#[cfg(test)]
pub(super) use self::outlet::written;
pub(super) use self::outlet::{MESSAGE, Outlet, Variations, collected, pairs, weight};
pub(super) use self::shown::{hold_the_same, pruned, pruned_record, with_default, with_more};
pub(super) use self::stage::{
    DIRECTIONS, Exchange, Kept, LONGEST, Note, Seen, Sides, Stage, Tally, Trip, run, worst_of,
};
