//! The proof: synthetic data is written under one version and read under the other, and what readers see is told.
//!
//! Every pair of types in which anything differs is written by both sides, in the binary and in the compact protocol; the
//! worse outcome counts, and the witness says which protocol it is of. A reading counts only when the writer's own schema
//! reads the bytes back as written; otherwise the outcome is not due to the change. The list of changes only says which
//! elements deserve attention.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use crate::change::{Identity, Pair, Span};
use crate::evidence::{Observed, Surface};
use crate::formats::division::{Division, Written};
use crate::formats::frame::compared;
use crate::formats::frame::places::FieldPlaces;
use crate::formats::frame::{Compared, Probes};
use crate::formats::roundtrip::{DIRECTIONS, Findings, Sides, both_ways, gather, of_each};
use crate::value::{Record, Value};

use super::codec::{self, HOLDER, Headers, Protocol, Reading, Types};
use super::compare::{Comparer, Identities};
use super::generate;
use super::language::Thrift;
use super::model::{EnumId, Field, FileId, Requiredness, Schema, Sort, Spelled, Struct, StructId, Type};
use super::pairing::{self, TypePair};
use super::stage::Structs;

/// Both protocols are what one surface is made of.
const SURFACES: [Surface; 1] = [Surface::Wire];

impl Probes for Thrift {
    /// Writes and reads synthetic data of every pair in which anything differs.
    fn probe(compared: &Compared<'_, '_, Self>, division: &Division) -> Observed {
        let Compared { schemas, pairs, changes, .. } = *compared;
        let probe = Probe {
            types: schemas.map(Types::of),
            identities: Identities::of(schemas, pairs),
            changed: changes.iter().map(|change| &change.identity).collect(),
        };
        let structs = compared::here(schemas, &pairs.structs, division, Schema::structure);
        let enums = compared::here(schemas, &pairs.enums, division, Schema::enumeration);
        let mut found = Findings::default();
        of_each(&structs, &mut found, |pair, known| probe.structs(pair.types, known));
        let in_keys: Vec<TypePair<StructId>> =
            structs.into_iter().filter(|pair| pairs.in_keys.contains(&pair.types)).collect();
        of_each(&in_keys, &mut found, |pair, known| probe.keys(pair.types, known));
        of_each(&enums, &mut found, |pair, known| probe.enums(pair.types, known));
        gather(found)
    }

    fn written<'s>(compared: &Compared<'s, '_, Self>) -> Vec<Written<'s>> {
        compared::written(compared.schemas, &compared.pairs.structs, &compared.pairs.enums)
    }
}

struct Probe<'s, 'b, 'c> {
    types: Pair<Types<'s, 'b>>,
    identities: Identities,
    changed: FxHashSet<&'c Identity>,
}

impl Probe<'_, '_, '_> {
    fn structs(&self, ids: Pair<StructId>, known: &Findings) -> Findings {
        let stage = |direction| {
            let comparer = Comparer::new(Sides::of(direction, self.types), direction, &self.identities);
            let ids = Sides::of(direction, ids);
            let names = comparer.structs(ids).map(|of| of.full_name.to_string());
            Structs::new(comparer, ids, names, "")
        };
        both_ways(&self.changed, known, stage, |stage, outlet| {
            generate::records(&stage.comparer, stage.ids, &self.changed, outlet);
        })
    }

    /// A pair of structs that stand in keys, as the items of a set: two of them that a reader cannot tell apart are one
    /// to it, as keys of maps are, however deep in a key they stand.
    fn keys(&self, items: Pair<StructId>, known: &Findings) -> Findings {
        let holders = items.map(|id| holder(Type::Set(Box::new(Type::Struct(id)))));
        let types = self.holding(holders.as_ref());
        let stage = |direction| {
            let comparer = Comparer::new(Sides::of(direction, types), direction, &self.identities);
            let names = comparer.structs(Sides::of(direction, items)).map(|of| of.full_name.to_string());
            Structs::new(comparer, Sides { writer: HOLDER, reader: HOLDER }, names, SET)
        };
        both_ways(&self.changed, known, stage, |stage, outlet| {
            let items = Sides::of(stage.comparer.direction, items);
            generate::keyed::keys(&stage.comparer, items, &self.changed, outlet);
        })
    }

    /// The types, with a struct that values are written in.
    fn holding<'h>(&'h self, holders: Pair<&'h Struct<'h>>) -> Pair<Types<'h, 'h>> {
        self.types.zip(holders, |types, holder| Types { holder: Some(holder), ..types })
    }

    /// A pair of enums, in a struct with one optional field. So a value that a reader has no name for is told alike,
    /// wherever it stands.
    fn enums(&self, ids: Pair<EnumId>, known: &Findings) -> Findings {
        let holders = ids.map(|id| holder(Type::Enum(id)));
        let types = self.holding(holders.as_ref());
        let schemas = self.types.map(|types| types.schema);
        let container = pairing::enum_container(schemas, ids);
        let stage = |direction| {
            let comparer = Comparer::new(Sides::of(direction, types), direction, &self.identities);
            let names = schemas.zip(ids, |schema, id| schema.enumeration(id).full_name.to_string());
            Structs::new(comparer, Sides { writer: HOLDER, reader: HOLDER }, Sides::of(direction, names), WRAPPER)
        };
        let mut findings = both_ways(&self.changed, known, stage, |stage, outlet| {
            let enums = Sides::of(stage.comparer.direction, ids);
            let mut left_out = 0;
            for number in generate::enum_numbers(&stage.comparer, enums) {
                if outlet.is_full(HELD) {
                    left_out += 1;
                    outlet.limit([pairing::by_number(&container, number)]);
                    let names = stage.comparer.names_of(enums, number);
                    outlet.limit(names.map(|name| pairing::by_name(&container, name)));
                    continue;
                }
                outlet.write(Record::empty(HOLDER.0).with(1, Value::Enum { ty: enums.writer.0, number }));
            }
            if left_out > 0 {
                let name = &stage.names.writer;
                outlet.leave_out(format!("{left_out} numbers of the enum `{name}`, because there are many"));
            }
        });
        // All that changed, because enums are written in full.
        for (schema, id) in [(self.types.old.schema, ids.old), (self.types.new.schema, ids.new)] {
            let places = schema.enumeration(id).values.iter().flat_map(|value| {
                [pairing::by_number(&container, value.number), pairing::by_name(&container, &value.name.text)]
            });
            findings.exercise(&self.changed, places, (&SURFACES, &DIRECTIONS));
        }
        findings
    }
}

/// The synthetic struct of enums.
const WRAPPER: &str = "struct Wrapper { 1: optional TYPE value }";
/// The synthetic struct of structs that stand in keys.
const SET: &str = "struct Wrapper { 1: optional set<TYPE> value }";
/// Values of a struct with one enum in it.
const HELD: usize = 2;

/// Reads bytes as a struct in both protocols, and asserts that what is accepted is read back the same after it was
/// written again; whether anything was accepted.
pub(super) fn reread(schema: &Schema<'_>, id: StructId, bytes: &[u8]) -> bool {
    let types = Types::of(schema);
    let mut any_accepted = false;
    for protocol in Protocol::ALL {
        let how = (protocol, Headers::Compared);
        let Reading { result: Ok(record), astray: None } = codec::decode(types, id, bytes, how) else { continue };
        any_accepted = true;
        let Some(written) = codec::encode(types, id, &record, protocol) else { continue };
        let again = codec::decode(types, id, &written, how);
        assert!(again.result.as_ref() == Ok(&record), "the {} changed {record:?} to {again:?}", protocol.name());
    }
    any_accepted
}

/// A struct with an optional field 1 of a type.
fn holder<'b>(ty: Type) -> Struct<'b> {
    let span = Span::new(0, 0);
    let name = || Spelled { text: Cow::Borrowed("value"), span };
    let field = Field {
        id: 1,
        id_span: None,
        name: name(),
        span,
        requiredness: Requiredness::Optional,
        ty,
        written: name(),
        default: None,
        annotations: Vec::new(),
    };
    Struct {
        full_name: "".into(),
        name_span: span,
        span,
        file: FileId(0),
        sort: Sort::Struct,
        fields: vec![field],
        reserved: Vec::new(),
        annotations: Vec::new(),
        places: FieldPlaces::default(),
    }
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
