//! What is told of a meeting after everything was exchanged: the worst that the readers saw, with witnesses.

use crate::change::Identity;
use crate::evidence::{Cell, Outcome, SPEC, Surface};
use crate::formats::roundtrip::{Findings, Kept, Room, Tally, WorstReading, observation};
use crate::ordered::OrderedSet;

use super::resolve::Dialect;
use super::second;
use super::stage::{Data, JAVA, Reading};

impl Data<'_, '_> {
    /// Makes witnesses of the worst. Of the modelled reader it is kept what it experiences, and told where that is
    /// something else than what decides.
    pub(super) fn tell(&self, tally: Tally<Reading>, (findings, known): (&mut Findings, &Findings)) {
        let mut room = Room::default();
        let mut keep = |cell: &Cell, runtime, outcome, told: Option<(&Kept<Reading>, Dialect)>| {
            let size = (0, told.map_or(usize::MAX, |(kept, _)| kept.bytes.len()));
            if told.is_some() && known.knows(cell, runtime, outcome, size) {
                return;
            }
            let observations = told.map(|(kept, dialect)| {
                let mut witness = self.witness_of(dialect, &cell.0, kept);
                room.make(&mut witness.bytes);
                observation(cell, runtime, outcome, witness)
            });
            findings.keep(
                cell.clone(),
                runtime,
                WorstReading { outcome, size, observations: observations.into_iter().collect() },
            );
        };
        let cells: OrderedSet<(&Identity, Surface)> =
            tally.worst.keys().map(|(identity, surface, _)| (identity, *surface)).collect();
        for (identity, surface) in cells {
            let worst = |runtime| tally.worst.get(&(identity.clone(), surface, runtime));
            let (spec, java) = (worst(SPEC), worst(JAVA));
            let cell = (identity.clone(), surface, self.comparer.direction);
            let [decided, modelled] = [spec, java].map(|worst| worst.map_or(Outcome::Safe, |worst| worst.outcome));
            if let Some(spec) = spec {
                keep(&cell, SPEC, decided, Some((&spec.kept, Dialect::Specification)));
            }
            let told = java.or(spec).map(|worst| &*worst.kept);
            let told = told.filter(|kept| decided != modelled && (java.is_some() || self.is_read_by_java(kept)));
            keep(&cell, JAVA, modelled, told.map(|kept| (kept, Dialect::Java)));
        }
        second::tell(self, &tally, findings);
        findings.left_out.extend(room.said(&self.type_name));
        findings.count(self, tally);
    }
}
