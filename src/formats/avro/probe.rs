//! The proof: synthetic data is written under one version and read under the other, and what readers see is told.
//!
//! Every meeting of types in which anything differs is written by both sides, in both encodings. A reading counts only
//! when the writer's own schema reads the data back as written; otherwise the outcome is not due to the change.
//! What readers see is found by running the codecs and the resolving reader. The list of changes only says which
//! meetings deserve attention, and which identities.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Change, ChangeKind, Identity, Pair};
use crate::evidence::{BytePart, Direction, Observation, Observed, Outcome, Surface, Witness};
use crate::formats::division::Division;
use crate::text::plural;
use crate::value::{self, Names, Value};

use super::codec;
use super::compare::{Comparer, Experience, Known, Sides};
use super::container_schema::Samples;
use super::diff::Meeting;
use super::generate::{self, Ends};
use super::json;
use super::legible::legible;
use super::model::{FileId, Kind, Schema, TypeId};
use super::parts;
use super::resolve::{Dialect, Reading as Resolution, Resolver};

#[path = "probe_second.rs"]
mod second;

/// The reader that decides.
const SPEC: &str = "spec";
/// The model of the reference implementation's reader.
const JAVA: &str = "java (modelled)";
/// Longer messages are not read.
const BYTES: usize = 1 << 20;

const DIRECTIONS: [Direction; 2] = [Direction::Backward, Direction::Forward];
const SURFACES: [Surface; 2] = [Surface::Wire, Surface::Json];

/// Writes and reads synthetic data of every meeting in which anything differs, and the real values that there are.
pub(super) fn probe(work: &Work<'_, '_>, division: &Division) -> Observed {
    let Work { schemas, samples, .. } = *work;
    let known = Known {
        places: work
            .meetings
            .iter()
            .filter(|meeting| schemas.old.name(meeting.types.old).and(schemas.new.name(meeting.types.new)).is_some())
            .map(|meeting| ((meeting.types.old, meeting.types.new), meeting.place.clone()))
            .collect(),
        changed: work.changed(),
    };
    let is_here = |meeting: &&Meeting| division.is_here(&schemas.new.file(meeting.files.new).path);
    let probed: Vec<&Meeting> = work.written(&known.changed).filter(is_here).collect();
    if probed.is_empty() {
        return Observed::default();
    }
    let ends = Pair::new(Ends::of(schemas.old, schemas.new), Ends::of(schemas.new, schemas.old));
    let run = Run { schemas, ends: ends.as_ref(), known: &known, samples };
    // One or two types are read sooner than they are handed to another thread.
    let found = match probed.len() {
        0..=2 => probed.iter().map(|meeting| run.meeting(meeting)).collect(),
        _ => probed.par_iter().map(|meeting| run.meeting(meeting)).collect(),
    };
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

struct Run<'s, 'a> {
    schemas: Pair<&'s Schema<'a>>,
    ends: Pair<&'s Ends>,
    known: &'s Known<'s>,
    /// Real values.
    samples: Pair<&'s Samples>,
}

/// One identity of one meeting, where it was read and how.
type Cell = (Identity, Surface, Direction);

/// What the data of one meeting showed.
#[derive(Default)]
struct Findings {
    readings: Vec<(Cell, Reading)>,
    /// The worst that the modelled reader showed.
    java: Vec<(Cell, Outcome)>,
    exercised: Vec<Cell>,
    messages: usize,
    left_out: Vec<String>,
}

/// A reading that showed the worst of something.
struct Reading {
    outcome: Outcome,
    runtime: &'static str,
    witness: Witness,
}

/// One meeting in one direction.
struct Stage<'s, 'a> {
    comparer: Comparer<'s, 'a>,
    /// The reader with the writer's own schema.
    own: Resolution<'s, 'a, 'a>,
    types: Sides<TypeId>,
    meeting: &'s Meeting,
    type_name: String,
}

/// The worst that one reader showed of one identity on one surface: how bad, how long the message, and which it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Worst {
    outcome: Outcome,
    size: usize,
    message: usize,
}

/// What the readers experienced of the messages of a stage.
#[derive(Default)]
struct Tally {
    spec: BTreeMap<(Identity, Surface), Worst>,
    java: BTreeMap<(Identity, Surface), Worst>,
    /// The shortest message that came to a changed identity.
    reached: BTreeMap<(Identity, Surface), Worst>,
    /// The messages on the wire that came to a changed identity.
    came: BTreeMap<Identity, Vec<usize>>,
    messages: usize,
    too_long: usize,
}

impl<'s, 'a> Run<'s, 'a> {
    fn meeting(&self, meeting: &'s Meeting) -> Findings {
        let mut findings = Findings::default();
        for direction in DIRECTIONS {
            let comparer = Comparer::new(self.schemas, direction, self.known);
            let types = Sides::of(direction, meeting.types);
            let schema = comparer.schemas.writer;
            let place = Sides::of(direction, meeting.place.0.as_ref()).writer;
            let type_name = schema.name(types.writer).map_or(&**place, |name| &name.full).to_owned();
            let own = Resolver { writer: schema, reader: schema, dialect: Dialect::Specification }
                .reading(types.writer, types.writer);
            let stage = Stage { comparer, own, types, meeting, type_name };
            let samples = Sides::of(direction, self.samples).writer.get(&types.writer);
            stage.exchange_all(Sides::of(direction, self.ends).writer, samples, &mut findings);
        }
        findings
    }
}

impl Stage<'_, '_> {
    /// Writes and reads every message of a stage.
    fn exchange_all(&self, ends: &Ends, samples: Option<&Vec<Value>>, findings: &mut Findings) {
        let name = &self.type_name;
        let mut made = generate::values(&self.comparer, ends, self.types, name);
        made.values.extend(samples.into_iter().flatten().cloned());
        findings.left_out.extend(made.left_out);
        let mut tally = Tally::default();
        for (index, value) in made.values.iter().enumerate() {
            self.exchange(index, value, &mut tally);
        }
        findings.messages += tally.messages;
        if tally.too_long > 0 {
            findings.left_out.push(format!("{} values of `{name}`, because they are long", tally.too_long));
        } else if tally.messages == 0 && !made.values.is_empty() {
            findings.left_out.push(format!("synthetic data of `{name}`, because none can be written"));
        }
        let direction = self.comparer.direction;
        findings
            .exercised
            .extend(tally.reached.keys().cloned().map(|(identity, surface)| (identity, surface, direction)));
        self.tell(&made.values, &tally, findings);
        findings.readings.extend(second::readings(self, &made.values, &tally));
    }

    /// Writes a value in both encodings and reads it with both readers.
    fn exchange(&self, index: usize, value: &Value, tally: &mut Tally) {
        let sizes: Vec<(Surface, usize)> =
            SURFACES.into_iter().filter_map(|surface| Some((surface, self.written(surface, value)?.len()))).collect();
        if sizes.iter().any(|(_, size)| *size > BYTES) {
            tally.too_long += 1;
            return;
        }
        if sizes.is_empty() || self.own.read(value).as_ref() != Ok(value) {
            return;
        }
        let spec = self.experience(Dialect::Specification, value);
        let java = self.experience_unless_same(&spec, value);
        for (surface, size) in sizes {
            tally.messages += 1;
            let of = |outcome| Worst { outcome, size, message: index };
            keep_all(&mut tally.spec, surface, &spec, of);
            keep_all(&mut tally.java, surface, java.as_ref().unwrap_or(&spec), of);
            for identity in &spec.reached {
                keep(&mut tally.reached, (identity, surface), of(Outcome::Safe));
                if surface == Surface::Wire {
                    tally.came.entry(identity.clone()).or_default().push(index);
                }
            }
        }
    }

    /// The value in an encoding; `None` when the writer's own schema does not read it back as written.
    /// What the bytes of a datum are to its writer, and to a reader.
    fn parts(&self, dialect: Dialect, bytes: &[u8]) -> (Vec<BytePart>, Vec<BytePart>) {
        let Sides { writer, reader } = self.types;
        let reading = self.comparer.reading(dialect, self.types);
        (parts::written(self.comparer.schemas.writer, writer, bytes), parts::read(&reading, writer, reader, bytes))
    }

    fn written(&self, surface: Surface, value: &Value) -> Option<Vec<u8>> {
        let (schema, ty) = (self.comparer.schemas.writer, self.types.writer);
        match surface {
            Surface::Json => {
                let text = json::encode(schema, ty, value).ok()?;
                (json::decode(schema, ty, &text).as_ref() == Ok(value)).then(|| text.into_bytes())
            }
            Surface::Wire | Surface::Source => {
                let mut bytes = Vec::new();
                codec::encode(schema, ty, value, &mut bytes).ok()?;
                let is_read_back = matches!(codec::decode(schema, ty, &bytes), Ok((read, [])) if read == *value);
                is_read_back.then_some(bytes)
            }
        }
    }

    /// What was written, as the writer understands it; a field that matters is among those that are shown.
    fn shown_to_writer(&self, value: &Value, field: Option<usize>) -> serde_json::Value {
        shown((self.comparer.schemas.writer, self.types.writer), value, field)
    }

    /// What was read, as the reader understands it.
    fn shown_to_reader(&self, value: &Value, field: Option<usize>) -> serde_json::Value {
        shown((self.comparer.schemas.reader, self.types.reader), value, field)
    }

    fn experience(&self, dialect: Dialect, value: &Value) -> Experience {
        self.comparer.experience(dialect, self.types, &self.meeting.place, value)
    }

    /// What the modelled reader experiences, where it reads anything else than the one that decides.
    fn experience_unless_same(&self, spec: &Experience, value: &Value) -> Option<Experience> {
        let read = self.comparer.reading(Dialect::Java, self.types).read(value);
        let is_accepted = spec.told.values().all(|told| told.reason.is_none());
        match (&read, &spec.read) {
            (Ok(read), Some(decided)) if is_accepted && read == decided => None,
            _ => Some(self.experience(Dialect::Java, value)),
        }
    }

    /// Makes witnesses of the worst.
    fn tell(&self, values: &[Value], tally: &Tally, findings: &mut Findings) {
        let mut witnesses = Witnesses { stage: self, values, seen: FxHashMap::default(), bytes: FxHashMap::default() };
        let cells: BTreeSet<&(Identity, Surface)> = tally.spec.keys().chain(tally.java.keys()).collect();
        for cell in cells {
            let spec = tally.spec.get(cell).copied();
            let java = tally.java.get(cell).copied();
            let place = (cell.0.clone(), cell.1, self.comparer.direction);
            let outcome = |worst: Option<Worst>| worst.map_or(Outcome::Safe, |worst| worst.outcome);
            findings.java.push((place.clone(), outcome(java)));
            if let Some(worst) = spec {
                findings.readings.push((place.clone(), witnesses.reading(SPEC, cell, worst)));
            }
            if outcome(spec) != outcome(java)
                && let Some(worst) = java.or(spec.map(|worst| Worst { outcome: Outcome::Safe, ..worst }))
                && (worst.outcome > Outcome::Safe || witnesses.reads_as_java(worst))
            {
                findings.readings.push((place, witnesses.reading(JAVA, cell, worst)));
            }
        }
    }
}

/// Makes witnesses of the messages of a stage.
struct Witnesses<'t, 's, 'a> {
    stage: &'t Stage<'s, 'a>,
    values: &'t [Value],
    seen: FxHashMap<(&'static str, usize), Experience>,
    bytes: FxHashMap<(Surface, usize), Vec<u8>>,
}

/// Fields of a record that a witness shows at most, at the top and below.
const FIELDS_SHOWN: [usize; 2] = [12, 6];

impl Witnesses<'_, '_, '_> {
    /// Whether the modelled reader takes the message: where it rejects it for another reason, nothing here is safe.
    fn reads_as_java(&mut self, worst: Worst) -> bool {
        let stage = self.stage;
        let reading = stage.comparer.reading(Dialect::Java, stage.types);
        reading.read(&self.values[worst.message]).is_ok()
    }

    fn reading(&mut self, runtime: &'static str, (identity, surface): &(Identity, Surface), worst: Worst) -> Reading {
        let stage = self.stage;
        let value = &self.values[worst.message];
        let dialect = if runtime == SPEC { Dialect::Specification } else { Dialect::Java };
        let seen = self.seen.entry((runtime, worst.message)).or_insert_with(|| stage.experience(dialect, value));
        let told = seen.told.get(identity);
        let read = match (told.and_then(|told| told.reason.as_ref()), &seen.read) {
            (Some(reason), _) => serde_json::Value::String(reason.clone()),
            (None, Some(read)) => stage.shown_to_reader(read, told.and_then(|told| told.field.reader)),
            (None, None) => serde_json::Value::Null,
        };
        let wrote = stage.shown_to_writer(value, told.and_then(|told| told.field.writer));
        let written = || stage.written(*surface, value).unwrap_or_default();
        let bytes = self.bytes.entry((*surface, worst.message)).or_insert_with(written).clone();
        let (written_parts, read_parts) = match surface {
            Surface::Wire => stage.parts(dialect, &bytes),
            Surface::Json | Surface::Source => (Vec::new(), Vec::new()),
        };
        let type_name = stage.type_name.clone();
        let witness = Witness { type_name, wrote, bytes, read, written_parts, read_parts };
        Reading { outcome: worst.outcome, runtime, witness }
    }
}

/// A value for people, as its schema understands it. Of a record with many fields only some are shown, among them the
/// one that matters.
fn shown((schema, ty): (&Schema<'_>, TypeId), value: &Value, field: Option<usize>) -> serde_json::Value {
    let (pruned, more) = pruned(value, field.map(generate::field_key), 0);
    let mut shown = value::for_people(&legible(schema, ty, &pruned), &SchemaNames(schema));
    if let (Some(members), true) = (shown.as_object_mut(), more > 0) {
        members.insert("…".to_owned(), serde_json::Value::String(format!("and {}", plural(more, "more field"))));
    }
    shown
}

/// A value with fewer fields, and how many are missing at the top.
fn pruned(value: &Value, keep: Option<i32>, depth: usize) -> (Value, usize) {
    let inner = |value: &Value| pruned(value, None, depth + 1).0;
    match value {
        Value::Record(record) => {
            let most = FIELDS_SHOWN[depth.min(1)];
            let is_first = |(at, key): (usize, &i32)| at < most || Some(*key) == keep;
            let kept = record.fields.iter().enumerate().filter(|(at, (key, _))| is_first((*at, key)));
            let fields: BTreeMap<i32, Value> = kept.map(|(_, (key, value))| (*key, inner(value))).collect();
            let more = record.fields.len() - fields.len();
            (Value::Record(value::Record { ty: record.ty, fields }), more)
        }
        Value::Branch { index, value } => {
            let (value, more) = pruned(value, keep, depth);
            (Value::Branch { index: *index, value: Box::new(value) }, more)
        }
        Value::List(values) => (Value::List(values.iter().map(inner).collect()), 0),
        Value::Map(entries) => {
            (Value::Map(entries.iter().map(|(key, value)| (key.clone(), inner(value))).collect()), 0)
        }
        _ => (value.clone(), 0),
    }
}

fn keep_all(
    worst: &mut BTreeMap<(Identity, Surface), Worst>,
    surface: Surface,
    experience: &Experience,
    of: impl Fn(Outcome) -> Worst,
) {
    for (identity, told) in experience.told.iter().filter(|(_, told)| told.outcome > Outcome::Safe) {
        keep(worst, (identity, surface), of(told.outcome));
    }
}

/// Keeps a reading when it is worse than what is known, or as bad and shorter.
fn keep(worst: &mut BTreeMap<(Identity, Surface), Worst>, (identity, surface): (&Identity, Surface), seen: Worst) {
    let known = worst.entry((identity.clone(), surface)).or_insert(seen);
    if (seen.outcome, known.size) > (known.outcome, seen.size) {
        *known = seen;
    }
}

/// The worst of all meetings. What an illustrating reader sees is told where it differs from what decides.
fn gather(found: Vec<Findings>) -> Observed {
    let mut observed = Observed::default();
    let mut worst: BTreeMap<Cell, BTreeMap<&'static str, Reading>> = BTreeMap::new();
    let mut java: BTreeMap<Cell, Outcome> = BTreeMap::new();
    for findings in found {
        observed.count(findings.messages, findings.exercised, findings.left_out);
        for (cell, outcome) in findings.java {
            let known = java.entry(cell).or_insert(outcome);
            *known = outcome.max(*known);
        }
        for (cell, reading) in findings.readings {
            let of_cell = worst.entry(cell).or_default();
            if of_cell.get(reading.runtime).is_none_or(|known| reading.beats(known)) {
                of_cell.insert(reading.runtime, reading);
            }
        }
    }
    for (cell, mut by_runtime) in worst {
        let spec = by_runtime.remove(SPEC);
        let decided = spec.as_ref().map_or(Outcome::Safe, |reading| reading.outcome);
        let modelled = java.get(&cell).copied().unwrap_or(Outcome::Safe);
        let others = by_runtime.into_values().filter(|reading| match reading.runtime {
            JAVA => reading.outcome == modelled && modelled != decided,
            _ => reading.outcome != decided,
        });
        let (identity, surface, direction) = cell;
        observed.observations.extend(spec.into_iter().chain(others).map(|reading| Observation {
            identity: identity.clone(),
            runtime: reading.runtime,
            surface,
            direction,
            outcome: reading.outcome,
            witness: reading.witness,
        }));
    }
    observed.in_order()
}

impl Reading {
    fn beats(&self, known: &Reading) -> bool {
        (self.outcome, known.witness.bytes.len()) > (known.outcome, self.witness.bytes.len())
    }
}

/// The names of a schema, for people.
pub(super) struct SchemaNames<'s, 'a>(pub(super) &'s Schema<'a>);

impl Names for SchemaNames<'_, '_> {
    fn field(&self, record: u32, key: i32) -> Cow<'_, str> {
        let field = usize::try_from(key).ok().and_then(|key| self.0.record(TypeId(record))?.fields.get(key));
        field.map_or_else(|| Cow::Owned(key.to_string()), |field| Cow::Borrowed(&*field.name))
    }

    fn enum_value(&self, ty: u32, number: i32) -> Option<Cow<'_, str>> {
        match self.0.kind(TypeId(ty)) {
            Kind::Enum(definition) => {
                let symbol = definition.symbols.get(usize::try_from(number).ok()?)?;
                Some(Cow::Borrowed(&*symbol.0))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
