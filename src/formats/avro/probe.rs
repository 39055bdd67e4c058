//! The proof: synthetic data is written under one version and read under the other, and what readers see is told.
//!
//! Every meeting of types in which anything differs is written by both sides, in both encodings. A reading counts only
//! when the writer's own schema reads the data back as written; otherwise the outcome is not due to the change.
//! What readers see is found by running the codecs and the resolving reader. The list of changes only says which
//! meetings deserve attention, and which identities.

use rustc_hash::FxHashSet;

use crate::change::{Change, ChangeKind, Identity, Pair};
use crate::evidence::Observed;
use crate::formats::division::{Division, Written};
use crate::formats::frame::{Compared, Probes};
use crate::formats::roundtrip::{DIRECTIONS, Findings, Sides, gather, of_each, run};

use super::compare::{Comparer, Identities};
use super::container_schema::{self, Samples};
use super::diff::Meeting;
use super::generate::{self, Ends};
use super::language::Avro;
use super::model::Schema;
use super::stage::Data;

impl Probes for Avro {
    /// Writes and reads synthetic data of every meeting in which anything differs, and the real values that there are.
    fn probe(compared: &Compared<'_, '_, Self>, division: &Division) -> Observed {
        let samples = samples(compared);
        let work = Work::of(compared, samples.as_ref());
        let Work { schemas, samples, .. } = work;
        let identities = Identities {
            places: work
                .meetings
                .iter()
                .filter(|meeting| {
                    schemas.old.name(meeting.types.old).and(schemas.new.name(meeting.types.new)).is_some()
                })
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

    fn written<'s>(compared: &Compared<'s, '_, Self>) -> Vec<Written<'s>> {
        let Pair { old, new } = compared.schemas;
        let samples = samples(compared);
        let work = Work::of(compared, samples.as_ref());
        let changed = work.changed();
        let written = work.written(&changed).map(|Meeting { files, types, .. }: &Meeting| Written {
            files: Pair::new(&*old.file(files.old).path, &*new.file(files.new).path),
            names: Pair::new(old.called(types.old), new.called(types.new)),
        });
        written.collect()
    }
}

/// The records of data files on both sides.
fn samples(compared: &Compared<'_, '_, Avro>) -> Pair<Samples> {
    compared.snapshots.zip(compared.schemas, container_schema::samples)
}

/// What there is to write.
#[derive(Clone, Copy)]
struct Work<'w, 'b> {
    /// Both sides.
    schemas: Pair<&'w Schema<'b>>,
    /// The types that meet.
    meetings: &'w [Meeting],
    /// What differs.
    changes: &'w [Change],
    /// Real values.
    samples: Pair<&'w Samples>,
}

impl<'w, 'b> Work<'w, 'b> {
    fn of(compared: &Compared<'w, 'b, Avro>, samples: Pair<&'w Samples>) -> Self {
        let Compared { schemas, pairs, changes, .. } = *compared;
        Work { schemas, meetings: pairs, changes, samples }
    }

    fn changed(&self) -> FxHashSet<&'w Identity> {
        self.changes.iter().filter(|change| is_felt(change)).map(|change| &change.identity).collect()
    }

    /// The meetings in which anything differs, and where anything does, those of which there are real values.
    fn written<'c>(&self, changed: &'c FxHashSet<&'w Identity>) -> impl Iterator<Item = &'w Meeting> + use<'w, 'c, '_> {
        let Work { samples, changes, .. } = *self;
        let is_written = move |meeting: &&Meeting| {
            let Pair { old, new } = meeting.types;
            let is_real = samples.old.contains_key(&old) || samples.new.contains_key(&new);
            let differs = meeting.changed || changed.contains(&meeting.place.identity());
            !meeting.left_out && (differs || is_real && !changes.is_empty())
        };
        self.meetings.iter().filter(is_written)
    }
}

/// Whether a change is one of data; what only a registry says is not.
fn is_felt(change: &Change) -> bool {
    change.kind != ChangeKind::PeerRefused
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
