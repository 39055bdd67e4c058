//! The proof: synthetic messages are written under one version and read under the other, and what readers see is told.
//!
//! Every pair of structs in which anything differs is written by both sides. A reading counts only when the writer's own
//! schema reads the message back as written; otherwise the outcome is not due to the change. The list of changes only says
//! which elements deserve attention.

use rustc_hash::FxHashSet;

use crate::change::{Change, Identity, Pair};
use crate::evidence::{Observed, Surface};
use crate::formats::division::{Division, Written};
use crate::formats::frame::compared;
use crate::formats::roundtrip::{DIRECTIONS, Findings, LONGEST, OwnIdentities, Sides, gather, of_each, run};
use crate::value::{Record, Value};

use super::codec;
use super::compare::Comparer;
use super::generate;
use super::model::{EnumId, Schema, StructId, holder_of};
use super::pairing::{self, Pairs};
use super::reader;
use super::stage::{Structs, kept};

/// Writes and reads synthetic data of every pair in which anything differs.
pub(super) fn probe(schemas: Pair<&Schema<'_>>, pairs: &Pairs, changes: &[Change], division: &Division) -> Observed {
    let probe = Probe {
        schemas,
        own: OwnIdentities::of(&pairs.structs, &pairs.enums),
        changed: changes.iter().map(|change| &change.identity).collect(),
    };
    let structs = compared::here(schemas, &pairs.structs, division, Schema::structure);
    let enums = compared::here(schemas, &pairs.enums, division, Schema::enumeration);
    let mut found = Findings::default();
    of_each(&structs, &mut found, |pair, known| probe.structs(pair.types, known));
    of_each(&enums, &mut found, |pair, known| probe.enums(pair.types, known));
    gather(found)
}

/// The types of which data are written.
pub(super) fn written<'s>(schemas: Pair<&'s Schema<'_>>, pairs: &Pairs) -> Vec<Written<'s>> {
    let mut written = compared::written(schemas, &pairs.structs, Schema::structure);
    written.extend(compared::written(schemas, &pairs.enums, Schema::enumeration));
    written
}

struct Probe<'s, 'b, 'c> {
    schemas: Pair<&'s Schema<'b>>,
    own: OwnIdentities<StructId, EnumId>,
    changed: FxHashSet<&'c Identity>,
}

/// The synthetic struct of enums.
const WRAPPER: &str = "struct Wrapper { value @0 :TYPE; }";

impl Probe<'_, '_, '_> {
    fn structs(&self, ids: Pair<StructId>, known: &Findings) -> Findings {
        let mut findings = Findings::default();
        for direction in DIRECTIONS {
            let comparer = Comparer::new(Sides::of(direction, self.schemas), direction, &self.own);
            let ids = Sides::of(direction, ids);
            let Sides { writer, reader } = comparer.structs(ids);
            let names = Sides { writer: writer.full_name.to_string(), reader: reader.full_name.to_string() };
            let stage = Structs { comparer, ids, names, wrapper: "" };
            let tally = run(&stage, &self.changed, |outlet| {
                generate::records(&stage.comparer, ids, &self.changed, outlet);
            });
            findings.take_in(&stage, tally, known);
        }
        findings
    }

    /// A pair of enums, in a struct with one field.
    fn enums(&self, ids: Pair<EnumId>, known: &Findings) -> Findings {
        let mut findings = Findings::default();
        let container = pairing::enum_container(self.schemas, ids);
        for direction in DIRECTIONS {
            let schemas = Sides::of(direction, self.schemas);
            let enums = Sides::of(direction, ids);
            let writer = schemas.writer.enumeration(enums.writer);
            let reader = schemas.reader.enumeration(enums.reader);
            let names = Sides { writer: writer.full_name.to_string(), reader: reader.full_name.to_string() };
            let comparer = Comparer::new(schemas, direction, &self.own);
            let ids = Sides { writer: holder_of(enums.writer), reader: holder_of(enums.reader) };
            let stage = Structs { comparer, ids, names, wrapper: WRAPPER };
            let tally = run(&stage, &self.changed, |outlet| {
                for value in &writer.values {
                    let number = Value::Enum { ty: enums.writer.0, number: value.number.into() };
                    let record = Record::empty(ids.writer.0).with(0, number);
                    if outlet.is_full(2) {
                        outlet.limit([pairing::by_number(&container, value.number)]);
                        outlet.limit([pairing::by_name(&container, &value.name.text)]);
                        outlet.refuse();
                        continue;
                    }
                    outlet.write(record);
                }
            });
            findings.take_in(&stage, tally, known);
        }
        for (schema, id) in [(self.schemas.old, ids.old), (self.schemas.new, ids.new)] {
            let places = schema.enumeration(id).values.iter().flat_map(|value| {
                [pairing::by_number(&container, value.number), pairing::by_name(&container, &value.name.text)]
            });
            findings.exercise(&self.changed, places, (&[Surface::Wire], &DIRECTIONS));
        }
        findings
    }
}

/// Reads bytes as a struct, plain and packed, and asserts that what is accepted is read back the same after it was written
/// again; whether anything was accepted.
pub(super) fn reread(schema: &Schema<'_>, id: StructId, bytes: &[u8]) -> bool {
    let packed = codec::unpack(bytes, LONGEST).and_then(|plain| reader::decode(schema, id, &plain).ok());
    let Some(record) = reader::decode(schema, id, bytes).ok().or(packed) else { return false };
    let Some(written) = codec::encode(schema, id, &record) else { return false };
    assert!(
        codec::unpack(&codec::pack(&written), written.len()).as_ref() == Some(&written),
        "packing changed a message"
    );
    let again = reader::decode(schema, id, &written);
    assert!(again.as_ref() == Ok(&kept(schema, id, &record)), "{record:?} became {again:?}");
    true
}
