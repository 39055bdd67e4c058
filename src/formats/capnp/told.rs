//! What witnesses show of what was written and what was read. A field that lies in no message is its default to whoever looks
//! at it: the one that is spoken of is shown, and those that are another value to the reader.
//!
//! Many findings may have one message for a witness. What is shown of it whichever field is spoken of is found out once, and
//! no record is copied for a finding.

use crate::formats::roundtrip::{Sides, first_fields, pruned_record, with_more};
use crate::ordered::InOrder;
use crate::value::{Record, Value};

use super::elements::{Element, Elements};
use super::model::{Field, Schema};
use super::names::for_people;
use super::reader::seen;

/// Fields that are shown of a struct though they are the default, at most.
const SHOWN: usize = 12;

/// The fields of an element that both sides have.
fn both<'s, 'b>(element: &Element<'s, 'b>) -> Option<Sides<&'s Field<'b>>> {
    Some(Sides { writer: element.writer?, reader: element.reader? })
}

/// Whether both records have a field.
fn have(fields: Sides<&Field<'_>>, records: Sides<&Record>) -> Sides<bool> {
    let has = |field: &Field<'_>, record: &Record| record.fields.contains_key(&field.ordinal.into());
    Sides { writer: has(fields.writer, records.writer), reader: has(fields.reader, records.reader) }
}

/// The elements that are shown of two records though one of them does not have them: those that are another value to the
/// reader, or that only one of them sees in its union.
pub(super) fn beside(schemas: Sides<&Schema<'_>>, elements: &Elements<'_, '_>, records: Sides<&Record>) -> Vec<usize> {
    let is_another = |at: usize| {
        let Some(fields) = both(&elements[at]) else { return false };
        let Sides { writer, reader } = fields;
        let has = have(fields, records);
        let is_in_union = !(writer.guards.is_empty() && reader.guards.is_empty());
        let may_differ = has.writer != has.reader || writer.default != reader.default || is_in_union;
        if has.writer && has.reader || !may_differ {
            return false;
        }
        let wrote = seen(writer, records.writer).map(|value| for_people(schemas.writer, &value));
        wrote != seen(reader, records.reader).map(|value| for_people(schemas.reader, &value))
    };
    elements.first_of(records, SHOWN, is_another)
}

/// Both records for people, with some elements that are not in both of them: those that are spoken of, and others.
pub(super) fn shown(
    schemas: Sides<&Schema<'_>>,
    (elements, about, beside): (&Elements<'_, '_>, &[usize], &[usize]),
    records: Sides<&Record>,
) -> Sides<serde_json::Value> {
    let first = about.first().map(|at| &elements[*at]);
    let keep = |field: Option<&Field<'_>>| field.map(|field| i32::from(field.ordinal));
    let mut told = Sides {
        writer: Few::of(records.writer, keep(first.and_then(|element| element.writer))),
        reader: Few::of(records.reader, keep(first.and_then(|element| element.reader))),
    };
    let mut added = [about, beside].concat();
    added.sort_in_order();
    added.dedup();
    let mut left = SHOWN;
    for at in added {
        let Some(fields) = both(&elements[at]) else { continue };
        let has = have(fields, records);
        if has.writer && has.reader || !(about.contains(&at) || left > 0) {
            continue;
        }
        left = left.saturating_sub(1);
        told.writer.add(fields.writer);
        told.reader.add(fields.reader);
    }
    Sides { writer: told.writer.shown(schemas.writer), reader: told.reader.shown(schemas.reader) }
}

/// Some fields of a record.
struct Few<'r> {
    whole: &'r Record,
    keep: Option<i32>,
    few: Record,
    /// How many others it has.
    more: usize,
}

impl<'r> Few<'r> {
    fn of(whole: &'r Record, keep: Option<i32>) -> Self {
        let (few, more) = first_fields(whole, keep);
        Few { whole, keep, few, more }
    }

    /// Adds a field as it is seen, unless that is nothing at all.
    fn add(&mut self, field: &Field<'_>) {
        let key = i32::from(field.ordinal);
        let Some(value) = seen(field, self.whole).filter(|value| **value != Value::Null) else { return };
        if !self.few.fields.contains_key(&key) {
            self.more -= usize::from(self.whole.fields.contains_key(&key));
            self.few.fields.insert(key, value.into_owned());
        }
    }

    fn shown(self, schema: &Schema<'_>) -> serde_json::Value {
        let (pruned, more) = pruned_record(&self.few, self.keep);
        with_more(for_people(schema, &pruned), more + self.more)
    }
}
