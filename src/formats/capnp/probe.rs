//! The proof: synthetic messages are written under one version and read under the other, and what readers see is told.
//!
//! Every pair of structs in which anything differs is written by both sides. A reading counts only when the writer's own
//! schema reads the message back as written; otherwise the outcome is not due to the change. The list of changes only says
//! which elements deserve attention.

use rustc_hash::FxHashSet;

use crate::change::{Identity, Pair};
use crate::evidence::{Observed, Surface};
use crate::formats::division::{Division, Written};
use crate::formats::frame::compared;
use crate::formats::frame::{Compared, Probes};
use crate::formats::roundtrip::{DIRECTIONS, Findings, LONGEST, OwnIdentities, Sides, both_ways, gather, of_each};
use crate::value::{Record, Value};

use super::codec;
use super::compare::Comparer;
use super::generate;
use super::language::Capnp;
use super::model::{EnumId, Schema, StructId, holder_of};
use super::pairing;
use super::reader;
use super::stage::{Structs, kept};

impl Probes for Capnp {
    /// Writes and reads synthetic data of every pair in which anything differs.
    fn probe(compared: &Compared<'_, '_, Self>, division: &Division) -> Observed {
        let Compared { schemas, pairs, changes, .. } = *compared;
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

    fn written<'s>(compared: &Compared<'s, '_, Self>) -> Vec<Written<'s>> {
        compared::written(compared.schemas, &compared.pairs.structs, &compared.pairs.enums)
    }
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
        let stage = |direction| {
            let comparer = Comparer::new(Sides::of(direction, self.schemas), direction, &self.own);
            let ids = Sides::of(direction, ids);
            let names = comparer.structs(ids).map(|of| of.full_name.to_string());
            Structs { comparer, ids, names, wrapper: "" }
        };
        both_ways(&self.changed, known, stage, |stage, outlet| {
            generate::records(&stage.comparer, stage.ids, &self.changed, outlet);
        })
    }

    /// A pair of enums, in a struct with one field.
    fn enums(&self, ids: Pair<EnumId>, known: &Findings) -> Findings {
        let container = pairing::enum_container(self.schemas, ids);
        let enums = self.schemas.zip(ids, |schema, id| schema.enumeration(id));
        let stage = |direction| {
            let comparer = Comparer::new(Sides::of(direction, self.schemas), direction, &self.own);
            let names = Sides::of(direction, enums).map(|of| of.full_name.to_string());
            Structs { comparer, ids: Sides::of(direction, ids.map(holder_of)), names, wrapper: WRAPPER }
        };
        let mut findings = both_ways(&self.changed, known, stage, |stage, outlet| {
            let direction = stage.comparer.direction;
            let ty = Sides::of(direction, ids).writer.0;
            for value in &Sides::of(direction, enums).writer.values {
                if outlet.is_full(2) {
                    outlet.limit([pairing::by_number(&container, value.number)]);
                    outlet.limit([pairing::by_name(&container, &value.name.text)]);
                    outlet.refuse();
                    continue;
                }
                let number = Value::Enum { ty, number: value.number.into() };
                outlet.write(Record::empty(stage.ids.writer.0).with(0, number));
            }
        });
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
