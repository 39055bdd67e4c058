//! The proof: synthetic buffers are written under one version and read under the other, and what readers see is told.
//!
//! Tables are written as roots; structs, enums and unions in a synthetic table, the way they are used. A reading counts
//! only when the writer's own schema reads the buffer back as written; otherwise the outcome is not due to the change. The
//! list of changes only says which elements deserve attention and which of them explains what was seen.

use std::cell::Cell;
use std::sync::OnceLock;

use rustc_hash::FxHashSet;

use crate::change::{Identity, Pair};
use crate::evidence::{Direction, Observed, Surface};
use crate::formats::division::{Division, Written};
use crate::formats::frame::compared;
use crate::formats::frame::{Compared, Probes};
use crate::formats::roundtrip::{DIRECTIONS, Findings, LONGEST, Outlet, Sides, both_ways, gather, of_each};
use crate::text::{self, plural};
use crate::value::{Record, Value};

use super::codec::{HOLDER, Types};
use super::compare::Comparer;
use super::elements::Identities;
use super::generate;
use super::lacking::{self, too_large};
use super::language::Flatbuffers;
use super::model::{EnumId, ObjectId, Schema, SourceFile, Type};
use super::pairing::{self, Call, Pairs};
use super::stage::{Tables, ToldOf};
use super::uses::{Use, holder, holds, uses, wrapper};
use super::values;

/// Types that no root reaches which are named.
const NAMED: usize = 4;
/// FlatBuffers have one encoding.
const SURFACES: [Surface; 1] = [Surface::Wire];

impl Probes for Flatbuffers {
    /// Writes and reads synthetic buffers of every pair in which anything differs.
    fn probe(compared: &Compared<'_, '_, Self>, division: &Division) -> Observed {
        let Compared { schemas, pairs, changes, .. } = *compared;
        probe_changed(schemas, pairs, changes.iter().map(|change| &change.identity).collect(), division)
    }

    fn written<'s>(compared: &Compared<'s, '_, Self>) -> Vec<Written<'s>> {
        compared::written(compared.schemas, &compared.pairs.objects, &compared.pairs.enums)
    }
}

fn probe_changed(
    schemas: Pair<&Schema<'_>>,
    pairs: &Pairs,
    changed: FxHashSet<&Identity>,
    division: &Division,
) -> Observed {
    let identities = Identities::of(schemas, pairs, changed);
    let probe = Probe { types: schemas.map(Types::of), identities, pairs, uses: OnceLock::new() };
    let objects = compared::here(schemas, &pairs.objects, division, Schema::object);
    let enums = compared::here(schemas, &pairs.enums, division, Schema::enumeration);
    let mut found = Findings::default();
    of_each(&objects, &mut found, |pair, known| probe.objects(pair.types, known));
    of_each(&enums, &mut found, |pair, known| probe.enums(pair.types, known));
    // One sentence for the whole check, and the same in each of its parts.
    let unreached = pairs.unreached.iter().map(|(_, name)| format!("`{name}`"));
    found.left_out.extend(never_written(&unreached.collect::<Vec<_>>()));
    let files = probe.files(division);
    of_each(&files, &mut found, |files, known| probe.file(*files, known));
    let calls = probe.calls(division);
    of_each(&calls, &mut found, |call, known| probe.tables(call.types, &ToldOf::One(call.identity.clone()), known));
    gather(found)
}

/// Says what no data holds.
fn never_written(names: &[String]) -> Option<String> {
    let shown = names.len().min(NAMED);
    let more = (names.len() > shown).then(|| plural(names.len() - shown, "more type"));
    let all: Vec<&str> = names[..shown].iter().chain(&more).map(String::as_str).collect();
    (!all.is_empty()).then(|| format!("synthetic values of {}, because no root reaches them", text::list(&all)))
}

struct Probe<'s, 'b, 'c> {
    types: Pair<Types<'s, 'b>>,
    identities: Identities<'c>,
    pairs: &'c Pairs,
    /// The ways in which tables use structs, once somebody asked.
    uses: OnceLock<Vec<Use>>,
}

impl<'s, 'b> Probe<'s, 'b, '_> {
    fn objects(&self, ids: Pair<ObjectId>, known: &Findings) -> Findings {
        let are_structs =
            (self.types.old.object(ids.old).layout.is_some(), self.types.new.object(ids.new).layout.is_some());
        match are_structs {
            (false, false) => self.tables(ids, &ToldOf::Itself, known),
            (true, true) => self.structs(ids, known),
            // What is felt of one that became the other is told of the fields that hold it.
            (true, false) | (false, true) => Findings::default(),
        }
    }

    fn stage(&self, ids: Pair<ObjectId>, direction: Direction, told_of: ToldOf) -> Tables<'s, 'b, '_> {
        let comparer = Comparer::new(Sides::of(direction, self.types), direction, &self.identities);
        let ids = Sides::of(direction, ids);
        let names = comparer.objects(ids).map(|of| of.full_name.to_string());
        Tables::new(comparer, ids, names, told_of)
    }

    fn tables(&self, ids: Pair<ObjectId>, told_of: &ToldOf, known: &Findings) -> Findings {
        let stage = |direction| self.stage(ids, direction, told_of.clone());
        both_ways(&self.identities.changed, known, stage, |stage, outlet| {
            generate::records(&stage.comparer, stage.ids, stage.told_of.one(), outlet);
        })
    }

    /// A pair of structs in every way that tables use them.
    fn structs(&self, ids: Pair<ObjectId>, known: &Findings) -> Findings {
        let mut findings = Findings::default();
        let uses = self.uses.get_or_init(|| uses(self.types, self.pairs)).iter();
        let mut uses: Vec<&Use> =
            uses.filter(|one| holds(self.types, one.types.as_ref(), ids, &mut FxHashSet::default(), 0)).collect();
        // One that only stands inside of others is written by itself as well.
        let alone = Use { types: ids.map(Type::Struct) };
        let schemas = self.types.map(|types| types.schema);
        if !uses.iter().any(|used| used.is_of(&alone)) {
            uses.push(&alone);
        }
        let is_whole = Cell::new(!uses.is_empty());
        for used in uses.iter().copied() {
            let large = self.types.zip(used.types.as_ref(), too_large);
            if let Some(name) = large.old.or(large.new) {
                is_whole.set(false);
                findings.left_out.push(lacking::large(&name));
                continue;
            }
            self.held(used, (&mut findings, known), |stage, types, outlet| {
                let (values, lacking) = generate::values(stage.comparer.types, types);
                lacking::say(&lacking, outlet);
                is_whole.set(is_whole.get() && lacking.is_empty());
                let behind = behind(stage.comparer.types, types);
                values.into_iter().for_each(|value| write_held(value, behind, outlet));
            });
        }
        // Where a part was not written, nothing is proven of the whole.
        if !is_whole.get() {
            return findings;
        }
        let container = pairing::object_container(schemas, ids);
        let mut places = vec![pairing::layout(&container)];
        for pair in pairing::fields(Pair::new(schemas.old.object(ids.old), schemas.new.object(ids.new))) {
            let old = pair.at.old.map(|index| &schemas.old.object(ids.old).fields[index]);
            let new = pair.at.new.map(|index| &schemas.new.object(ids.new).fields[index]);
            let Some(field) = new.or(old) else { continue };
            places.push(match pair.by_name {
                true => pairing::by_name(&container, &field.name.text),
                false => pairing::by_number(&container, field.slot.into()),
            });
        }
        findings.exercise(&self.identities.changed, places, (&SURFACES, &DIRECTIONS));
        findings
    }

    /// Writes values of two types in a synthetic table, in both directions.
    fn held(
        &self,
        used: &Use,
        (findings, known): (&mut Findings, &Findings),
        write: impl Fn(&Tables<'_, '_, '_>, Sides<&Type>, &mut Outlet<'_>),
    ) {
        let holders = used.types.as_ref().map(holder);
        let types = Pair::new(
            Types { holder: Some(&holders.old), ..self.types.old },
            Types { holder: Some(&holders.new), ..self.types.new },
        );
        let stage = |direction| {
            let comparer = Comparer::new(Sides::of(direction, types), direction, &self.identities);
            let types = Sides::of(direction, used.types.as_ref());
            let Sides { writer, reader } = comparer.types;
            let names =
                Sides { writer: writer.schema.spelled(types.writer), reader: reader.schema.spelled(types.reader) };
            let ids = Sides { writer: HOLDER, reader: HOLDER };
            Tables { wrapper: wrapper(types.writer), ..Tables::new(comparer, ids, names, ToldOf::Itself) }
        };
        findings.merge(both_ways(&self.identities.changed, known, stage, |stage, outlet| {
            write(stage, Sides::of(stage.comparer.direction, used.types.as_ref()), outlet);
        }));
    }

    /// A pair of enums or unions, in a synthetic table. So a value that a reader has no name for is told alike, wherever
    /// it stands.
    fn enums(&self, ids: Pair<EnumId>, known: &Findings) -> Findings {
        let mut findings = Findings::default();
        let schemas = self.types.map(|types| types.schema);
        let enums = Pair::new(schemas.old.enumeration(ids.old), schemas.new.enumeration(ids.new));
        let types = match (enums.old.is_union, enums.new.is_union) {
            (false, false) => ids.map(Type::Enum),
            (true, true) => ids.map(Type::Union),
            _ => return findings,
        };
        let container = pairing::enum_container(schemas, ids);
        self.held(&Use { types }, (&mut findings, known), |stage, types, outlet| {
            let values = generate::values_of_enum(&stage.comparer, types, &container, outlet);
            let mut left_out = 0;
            for value in values {
                if outlet.is_full(HELD) {
                    left_out += 1;
                    let number = generate::number_of_value(&value);
                    outlet.limit([pairing::by_number(&container, number)]);
                    outlet.limit(stage.comparer.names_of(types, number).map(|name| pairing::by_name(&container, name)));
                    continue;
                }
                write_held(value, BEHIND, outlet);
            }
            if left_out > 0 {
                outlet.leave_out(format!("{left_out} values of `{container}`, because there are many"));
            }
        });
        if findings.messages > 0 {
            let values = enums.old.values.iter().chain(&enums.new.values);
            let mut places: Vec<Identity> = values
                .flat_map(|value| {
                    [pairing::by_number(&container, value.number), pairing::by_name(&container, &value.name.text)]
                })
                .collect();
            places.push(pairing::declaration("underlying", &enums.new.full_name));
            findings.exercise(&self.identities.changed, places, (&SURFACES, &DIRECTIONS));
        }
        findings
    }

    /// The files of both sides whose roots or identifiers changed.
    fn files(&self, division: &Division) -> Vec<Pair<&'s SourceFile<'b>>> {
        let schemas = self.types.map(|types| types.schema);
        let is_changed = |files: Pair<&SourceFile<'_>>| {
            let identities = ["root_type", "file_identifier"].map(|what| pairing::of_file(files, what));
            identities.iter().any(|identity| self.identities.changed.contains(identity))
        };
        let both = pairing::files(schemas).into_iter().map(|ids| schemas.zip(ids, |schema, id| schema.file(id)));
        both.filter(|files| division.writes(Pair::new(&*files.new.path, &*files.new.path)) && is_changed(*files))
            .collect()
    }

    /// The requests and responses of which another type took the place.
    fn calls(&self, division: &Division) -> Vec<&Call> {
        let is_here = |call: &&Call| {
            let path = &*self.types.new.schema.file(call.file).path;
            division.writes(Pair::new(path, path)) && self.identities.changed.contains(&call.identity)
        };
        self.pairs.calls.iter().filter(is_here).collect()
    }

    /// The root and the identifier of a file.
    fn file(&self, files: Pair<&SourceFile<'_>>, known: &Findings) -> Findings {
        let mut findings = Findings::default();
        let root = pairing::of_file(files, "root_type");
        let exchanged = pairing::exchanged_root(self.types.map(|types| types.schema), files);
        if let Some(roots) = exchanged.filter(|_| self.identities.changed.contains(&root)) {
            let ids = roots.map(|(id, _)| id);
            findings.merge(self.tables(ids, &ToldOf::One(root), known));
        }
        let identity = pairing::of_file(files, "file_identifier");
        if !self.identities.changed.contains(&identity) {
            return findings;
        }
        let (Some(before), Some(after)) = (files.old.last_root(), files.new.last_root()) else { return findings };
        let ids = Pair::new(before, after);
        let identifiers = files.map(|file| file.identifier.as_ref().map(|one| &*one.text));
        let stage = |direction| {
            let identifiers = Sides::of(direction, identifiers);
            Tables { identifiers, ..self.stage(ids, direction, ToldOf::Identifier(identity.clone())) }
        };
        findings.merge(both_ways(&self.identities.changed, known, stage, |stage, outlet| {
            generate::unchanged(&stage.comparer, stage.ids, outlet);
        }));
        findings.exercise(&self.identities.changed, [identity], (&SURFACES, &DIRECTIONS));
        findings
    }
}

/// Numbers of four bytes that stand behind a value, at least.
const BEHIND: usize = 16;
/// Values that a record of a synthetic table has at most, beside the one that matters.
const HELD: usize = 3 * (BEHIND + 8);

/// How many numbers stand behind a value: so many that a reader who takes it for something longer stays inside of the
/// buffer.
fn behind(types: Sides<Types<'_, '_>>, held: Sides<&Type>) -> usize {
    let (items, held) = match (values::items(held.writer), values::items(held.reader)) {
        (Some(writer), Some(reader)) if !matches!(held.writer, Type::Array(..)) => {
            (generate::LONG, Sides { writer, reader })
        }
        _ => (1, held),
    };
    let (writer, _) = types.writer.inline(held.writer);
    let (reader, _) = types.reader.inline(held.reader);
    BEHIND + items.saturating_mul(reader.saturating_sub(writer).div_ceil(4)).min(LONGEST / 4)
}

/// Writes a value in a synthetic table: alone, and with something beside it and so many numbers behind it.
fn write_held(value: Value, behind: usize, outlet: &mut Outlet<'_>) {
    let vector = Value::List((1..=behind).map(|index| Value::Int(0x0101_0101 * (index % 0x7f) as i128)).collect());
    let alone = Record::empty(HOLDER.0).with(2, value);
    let beside = alone.clone().with(3, Value::Int(0x1234_5678));
    let before = beside.clone().with(0, vector);
    for record in [alone, beside, before] {
        outlet.write(record);
    }
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
