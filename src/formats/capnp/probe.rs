//! The proof: synthetic messages are written under one version and read under the other, and what readers see is told.
//!
//! Every pair of structs in which anything differs is written by both sides. A reading counts only when the writer's own
//! schema reads the message back as written; otherwise the outcome is not due to the change. The list of changes only says
//! which elements deserve attention.

use std::cell::Cell;

use rustc_hash::FxHashSet;

use crate::change::{Identity, Pair};
use crate::evidence::{Observed, Surface};
use crate::formats::division::{Division, Written};
use crate::formats::frame::compared;
use crate::formats::frame::{Compared, Probes};
use crate::formats::roundtrip::{
    DIRECTIONS, Findings, LONGEST, OwnIdentities, PerMessage, Sides, both_ways, gather, of_each,
};
use crate::value::{Record, Value};

use super::canonical::canonical;
use super::codec;
use super::compare::Comparer;
use super::generate;
use super::language::Capnp;
use super::message::{PAD, TOO_MUCH};
use super::model::{EnumId, Schema, StructId, holder_of};
use super::observer;
use super::pairing::{self, TypePair};
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
            unused: pairs.used.iter().filter(|(_, uses)| uses.is_empty()).map(|(types, _)| *types).collect(),
        };
        let structs = compared::here(schemas, &pairs.structs, division, Schema::structure);
        let enums = compared::here(schemas, &pairs.enums, division, Schema::enumeration);
        let mut found = Findings::default();
        let uses = |pair: &TypePair<StructId>| match pairs.used.get(&pair.types).map(Vec::as_slice) {
            None | Some([]) => vec![pair.types],
            Some(uses) => uses.to_vec(),
        };
        let structs: Vec<Pair<StructId>> = structs.iter().flat_map(uses).collect();
        of_each(&structs, &mut found, |types, known| probe.structs(*types, known));
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
    /// The generic structs that nothing uses.
    unused: FxHashSet<Pair<StructId>>,
}

/// The synthetic struct of enums.
const WRAPPER: &str = "struct Wrapper { value @0 :TYPE; }";

impl Probe<'_, '_, '_> {
    fn structs(&self, ids: Pair<StructId>, known: &Findings) -> Findings {
        let stage = |direction| {
            let comparer = Comparer::new(Sides::of(direction, self.schemas), direction, &self.own);
            let ids = Sides::of(direction, ids);
            let names = comparer.structs(ids).map(|of| of.full_name.to_string());
            Structs { comparer, ids, names, wrapper: "", second: PerMessage::default(), is_told: Cell::new(false) }
        };
        both_ways(&self.changed, known, stage, |stage, outlet| {
            generate::records(&stage.comparer, stage.ids, &self.changed, outlet);
            // Nobody knows what is given to what nothing uses.
            if self.unused.contains(&ids) {
                let elements = stage.comparer.elements(stage.ids);
                let given = elements.iter().filter(|element| element.depends());
                outlet.limit(given.map(|element| element.identity.clone()));
            }
        })
    }

    /// A pair of enums, in a struct with one field.
    fn enums(&self, ids: Pair<EnumId>, known: &Findings) -> Findings {
        let container = pairing::enum_container(self.schemas, ids);
        let enums = self.schemas.zip(ids, |schema, id| schema.enumeration(id));
        let stage = |direction| {
            let comparer = Comparer::new(Sides::of(direction, self.schemas), direction, &self.own);
            let names = Sides::of(direction, enums).map(|of| of.full_name.to_string());
            let ids = Sides::of(direction, ids.map(holder_of));
            Structs { comparer, ids, names, wrapper: WRAPPER, second: PerMessage::default(), is_told: Cell::new(false) }
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
/// again, and that the `capnp` crate reads, copies, packs and shortens it as we do; whether anything was accepted.
pub(super) fn reread(schema: &Schema<'_>, id: StructId, bytes: &[u8]) -> bool {
    let unpacked = codec::unpack(bytes, LONGEST);
    [Some(bytes), unpacked.as_deref()].into_iter().flatten().fold(false, |any, plain| {
        let is_read = message(schema, id, plain);
        any || is_read
    })
}

fn message(schema: &Schema<'_>, id: StructId, bytes: &[u8]) -> bool {
    let read = reader::decode(schema, id, bytes);
    match (&read, observer::read(schema, id, bytes)) {
        (_, None) => {}
        (Err(reason), Some(theirs)) => {
            assert!(
                theirs.is_err() || [PAD, TOO_MUCH].contains(reason),
                "{bytes:02x?}: {reason}, and the crate has {theirs:?}"
            );
        }
        (Ok(read), Some(Ok(theirs))) => {
            let difference = observer::difference(read, &theirs);
            assert!(difference.is_none(), "{} in {bytes:02x?}", difference.unwrap_or_default());
        }
        (Ok(read), Some(Err(reason))) => assert!(
            observer::is_known_to_be_refused(read, &reason),
            "{bytes:02x?} is {read:?}, and the crate says {reason}"
        ),
    }
    if let (Ok(ours), Ok(theirs)) = (canonical(bytes), observer::canonical(bytes)) {
        assert!(ours == theirs, "{ours:016x?} is canonical, and the crate has {theirs:016x?}");
    }
    let Ok(record) = read else { return false };
    let Some(written) = codec::encode(schema, id, &record) else { return false };
    let again = reader::decode(schema, id, &written);
    let kept = kept(schema, id, &record);
    assert!(again.as_ref() == Ok(&kept), "{record:?} became {again:?}");
    let packed = codec::pack(&written);
    assert!(codec::unpack(&packed, written.len()).as_ref() == Some(&written), "packing changed a message");
    assert!(
        observer::read_packed(schema, id, &packed).as_ref() == Ok(&kept),
        "the crate reads {packed:02x?} otherwise"
    );
    let forms = (canonical(&written).ok(), observer::canonical(&written).ok());
    assert!(forms.0 == forms.1, "{written:02x?} has two canonical forms");
    // Capabilities are copied by whoever holds them.
    if codec::holds_capability(&record) {
        return true;
    }
    let (copy, packed) = observer::copied(&written).expect("what was written is sound");
    assert!(reader::decode(schema, id, &copy).as_ref() == Ok(&kept), "{written:02x?} was copied as {copy:02x?}");
    assert!(codec::pack(&copy) == packed, "the crate packs {copy:02x?} as {packed:02x?}");
    true
}
