//! The proof: synthetic data is written under one version and read under the other, and what readers see is told.
//!
//! Every pair of types in which anything differs is written by both sides, in the binary and in the compact protocol; the
//! worse outcome counts, and the witness says which protocol it is of. A reading counts only when the writer's own schema
//! reads the bytes back as written; otherwise the outcome is not due to the change. The list of changes only says which
//! elements deserve attention.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use crate::change::{Change, Identity, Pair, Span};
use crate::evidence::{Observed, Surface};
use crate::formats::division::{Division, Written};
use crate::formats::frame::compared;
use crate::formats::frame::places::FieldPlaces;
use crate::formats::roundtrip::{DIRECTIONS, Findings, PerMessage, Sides, Smallest, gather, of_each, run};
use crate::value::{Record, Value};

use super::codec::{self, HOLDER, Headers, Protocol, Reading, Types};
use super::compare::{Comparer, Identities};
use super::generate;
use super::model::{EnumId, Field, FileId, Requiredness, Schema, Sort, Spelled, Struct, StructId, Type};
use super::pairing::{self, Pairs, TypePair};
use super::stage::Structs;

/// Both protocols are what one surface is made of.
const SURFACES: [Surface; 1] = [Surface::Wire];

/// Writes and reads synthetic data of every pair in which anything differs.
pub(super) fn probe(schemas: Pair<&Schema<'_>>, pairs: &Pairs, changes: &[Change], division: &Division) -> Observed {
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

/// The types of which data are written.
pub(super) fn written<'s>(schemas: Pair<&'s Schema<'_>>, pairs: &Pairs) -> Vec<Written<'s>> {
    let mut written = compared::written(schemas, &pairs.structs, Schema::structure);
    written.extend(compared::written(schemas, &pairs.enums, Schema::enumeration));
    written
}

struct Probe<'s, 'b, 'c> {
    types: Pair<Types<'s, 'b>>,
    identities: Identities,
    changed: FxHashSet<&'c Identity>,
}

impl Probe<'_, '_, '_> {
    fn structs(&self, ids: Pair<StructId>, known: &Findings) -> Findings {
        let mut findings = Findings::default();
        for direction in DIRECTIONS {
            let comparer = Comparer::new(Sides::of(direction, self.types), direction, &self.identities);
            let ids = Sides::of(direction, ids);
            let Sides { writer, reader } = comparer.structs(ids);
            let names = Sides { writer: writer.full_name.to_string(), reader: reader.full_name.to_string() };
            let stage = Structs {
                comparer,
                ids,
                names,
                wrapper: "",
                smallest: Smallest::default(),
                second: PerMessage::default(),
            };
            let tally = run(&stage, &self.changed, |outlet| {
                generate::records(&stage.comparer, ids, &self.changed, outlet);
            });
            findings.take_in(&stage, tally, known);
        }
        findings
    }

    /// A pair of structs that stand in keys, as the items of a set: two of them that a reader cannot tell apart are one
    /// to it, as keys of maps are, however deep in a key they stand.
    fn keys(&self, items: Pair<StructId>, known: &Findings) -> Findings {
        let mut findings = Findings::default();
        let holders = items.map(|id| holder(Type::Set(Box::new(Type::Struct(id)))));
        let types = Pair::new(
            Types { holder: Some(&holders.old), ..self.types.old },
            Types { holder: Some(&holders.new), ..self.types.new },
        );
        for direction in DIRECTIONS {
            let comparer = Comparer::new(Sides::of(direction, types), direction, &self.identities);
            let items = Sides::of(direction, items);
            let Sides { writer, reader } = comparer.structs(items);
            let names = Sides { writer: writer.full_name.to_string(), reader: reader.full_name.to_string() };
            let ids = Sides { writer: HOLDER, reader: HOLDER };
            let stage = Structs {
                comparer,
                ids,
                names,
                wrapper: SET,
                smallest: Smallest::default(),
                second: PerMessage::default(),
            };
            let tally = run(&stage, &self.changed, |outlet| {
                generate::keys(&stage.comparer, items, &self.changed, outlet);
            });
            findings.take_in(&stage, tally, known);
        }
        findings
    }

    /// A pair of enums, in a struct with one optional field. So a value that a reader has no name for is told alike,
    /// wherever it stands.
    fn enums(&self, ids: Pair<EnumId>, known: &Findings) -> Findings {
        let mut findings = Findings::default();
        let holders = ids.map(|id| holder(Type::Enum(id)));
        let types = Pair::new(
            Types { holder: Some(&holders.old), ..self.types.old },
            Types { holder: Some(&holders.new), ..self.types.new },
        );
        let container = pairing::enum_container(self.types.map(|types| types.schema), ids);
        for direction in DIRECTIONS {
            let enums = Sides::of(direction, ids);
            let schemas = Sides::of(direction, self.types.map(|types| types.schema));
            let name = schemas.writer.enumeration(enums.writer).full_name.to_string();
            let reader = schemas.reader.enumeration(enums.reader).full_name.to_string();
            let comparer = Comparer::new(Sides::of(direction, types), direction, &self.identities);
            let names = Sides { writer: name.clone(), reader };
            let ids = Sides { writer: HOLDER, reader: HOLDER };
            let stage = Structs {
                comparer,
                ids,
                names,
                wrapper: WRAPPER,
                smallest: Smallest::default(),
                second: PerMessage::default(),
            };
            let tally = run(&stage, &self.changed, |outlet| {
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
                    outlet.leave_out(format!("{left_out} numbers of the enum `{name}`, because there are many"));
                }
            });
            findings.take_in(&stage, tally, known);
        }
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
