//! The proof: synthetic data is written under one version and read under the other, and what readers see is told.
//!
//! Every meeting of types in which anything differs is written by both sides, in both encodings. A reading counts only
//! when the writer's own schema reads the data back as written; otherwise the outcome is not due to the change.
//! What readers see is found by running the codecs and the resolving reader. The list of changes only says which
//! meetings deserve attention, and which identities.

use rustc_hash::FxHashSet;

use crate::change::{Change, ChangeKind, Identity, Pair};
use crate::evidence::Observed;
use crate::formats::division::Division;
use crate::formats::roundtrip::{DIRECTIONS, Findings, Sides, gather, of_each, run};

use super::compare::{Comparer, Identities};
use super::container_schema::Samples;
use super::diff::Meeting;
use super::generate::{self, Ends};
use super::model::{FileId, Schema, TypeId};
use super::stage::Data;

/// Writes and reads synthetic data of every meeting in which anything differs, and the real values that there are.
pub(super) fn probe(work: &Work<'_, '_>, division: &Division) -> Observed {
    let Work { schemas, samples, .. } = *work;
    let identities = Identities {
        places: work
            .meetings
            .iter()
            .filter(|meeting| schemas.old.name(meeting.types.old).and(schemas.new.name(meeting.types.new)).is_some())
            .map(|meeting| ((meeting.types.old, meeting.types.new), meeting.place.clone()))
            .collect(),
        changed: work.changed(),
    };
    let is_here =
        |meeting: &&Meeting| division.writes(schemas.zip(meeting.files, |schema, file| &*schema.file(file).path));
    let probed: Vec<&Meeting> = work.written(&identities.changed).filter(is_here).collect();
    if probed.is_empty() {
        return Observed::default();
    }
    let ends = Pair::new(Ends::of(schemas.old, schemas.new), Ends::of(schemas.new, schemas.old));
    let probe = Probe { schemas, ends: ends.as_ref(), identities: &identities, samples };
    let mut found = Findings::default();
    of_each(&probed, &mut found, |meeting, known| probe.meeting(meeting, known));
    gather(found)
}

/// The types that are written, where they stand and what they are.
pub(super) fn written(work: &Work<'_, '_>) -> Vec<(Pair<FileId>, Pair<TypeId>)> {
    let changed = work.changed();
    work.written(&changed).map(|meeting| (meeting.files, meeting.types)).collect()
}

/// What there is to write.
#[derive(Clone, Copy)]
pub(super) struct Work<'w, 'b> {
    /// Both sides.
    pub(super) schemas: Pair<&'w Schema<'b>>,
    /// The types that meet.
    pub(super) meetings: &'w [Meeting],
    /// What differs.
    pub(super) changes: &'w [Change],
    /// Real values.
    pub(super) samples: Pair<&'w Samples>,
}

impl<'w> Work<'w, '_> {
    fn changed(&self) -> FxHashSet<&'w Identity> {
        self.changes.iter().filter(|change| is_felt(change)).map(|change| &change.identity).collect()
    }

    /// The meetings in which anything differs, and where anything does, those of which there are real values.
    fn written<'c>(&self, changed: &'c FxHashSet<&'w Identity>) -> impl Iterator<Item = &'w Meeting> + use<'w, 'c, '_> {
        let Work { samples, changes, .. } = *self;
        let is_written = move |meeting: &&Meeting| {
            let Pair { old, new } = meeting.types;
            let is_real = samples.old.contains_key(&old) || samples.new.contains_key(&new);
            meeting.changed || changed.contains(&meeting.place.identity()) || is_real && !changes.is_empty()
        };
        self.meetings.iter().filter(is_written)
    }
}

/// Whether a change is one of data; what only a registry says is not.
fn is_felt(change: &Change) -> bool {
    change.kind != ChangeKind::RegistryRefused
}

struct Probe<'s, 'a> {
    schemas: Pair<&'s Schema<'a>>,
    ends: Pair<&'s Ends>,
    identities: &'s Identities<'s>,
    /// Real values.
    samples: Pair<&'s Samples>,
}

impl<'s> Probe<'s, '_> {
    fn meeting(&self, meeting: &'s Meeting, known: &Findings) -> Findings {
        let mut findings = Findings::default();
        for direction in DIRECTIONS {
            let comparer = Comparer::new(self.schemas, direction, self.identities);
            let stage = Data::new(comparer, meeting);
            let ends = Sides::of(direction, self.ends).writer;
            let samples = Sides::of(direction, self.samples).writer.get(&stage.types.writer);
            let tally = run(&stage, &self.identities.changed, |outlet| {
                generate::values(&stage.comparer, ends, stage.types, &stage.type_name, outlet);
                samples.into_iter().flatten().for_each(|sample| _ = outlet.give(sample.clone()));
            });
            stage.tell(tally, (&mut findings, known));
        }
        findings
    }
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
