//! What readers see of a message that was renamed or removed, inside of a `google.protobuf.Any`: the full name travels there.

use std::sync::Arc;

use crate::change::{Change, ChangeKind, FactKey, Pair};
use crate::evidence::{Direction, Observation, Outcome, SPEC, Surface, Witness};
use crate::value::{self, Record, Value};

use super::codec::{self, Types};
use super::json;
use super::model::MessageId;
use super::names::SchemaNames;
use super::parts;

const ANY: &str = "google.protobuf.Any";

/// What is seen of each renamed or removed message in the directions in which its type is not known; nothing where one side
/// knows no `Any`, or nothing holds one.
pub(super) fn observations<'c>(
    types: Pair<Types<'_, '_>>,
    changes: impl Iterator<Item = &'c Change>,
) -> Vec<Observation> {
    let Pair { old: Some(old), new: Some(new) } = types.map(|types| named(types, ANY)) else { return Vec::new() };
    if !types.old.schema.holds_any() || !types.new.schema.holds_any() {
        return Vec::new();
    }
    let both = Pair::new((types.old, old), (types.new, new));
    let mut found = Vec::new();
    for change in changes {
        let old_name = match change.kind {
            ChangeKind::MessageRenamed => change.facts.get(FactKey::OldName),
            // Where data start from the message itself, nothing is left to be read.
            ChangeKind::MessageRemoved
                if change.facts.get(FactKey::JsonReadsOld) == Some(Outcome::Fails.name())
                    && change.facts.get(FactKey::Needed) == Some("no") =>
            {
                Some(&*change.path)
            }
            _ => continue,
        };
        let Some(old_name) = old_name else { continue };
        found.extend(seen(change, Direction::Backward, both, old_name));
        if change.kind == ChangeKind::MessageRenamed {
            found.extend(seen(change, Direction::Forward, both.mirrored(), &change.path));
        }
    }
    found
}

/// What a reader, the new side, sees of an `Any` that holds a message of that name: nothing where it has the type.
fn seen(
    change: &Change,
    direction: Direction,
    sides: Pair<(Types<'_, '_>, MessageId)>,
    name: &str,
) -> Vec<Observation> {
    let Some(rejected) = read(sides.old, sides.new, name) else { return Vec::new() };
    let kept = kept(sides.old, sides.new, name, &rejected).map(|kept| (Surface::Wire, Outcome::Unrecognized, kept));
    let all = kept.into_iter().chain([(Surface::Json, Outcome::Fails, rejected)]);
    let observation = |(surface, outcome, witness)| Observation {
        identity: change.identity.clone(),
        runtime: SPEC,
        surface,
        direction,
        outcome,
        witness,
    };
    all.map(observation).collect()
}

fn named(types: Types<'_, '_>, name: &str) -> Option<MessageId> {
    types.schema.messages_by_name.get(name).and_then(|ids| ids.first().copied())
}

/// The same on the wire: the reader has the `Any`, and no type for what it holds.
fn kept(
    writer: (Types<'_, '_>, MessageId),
    reader: (Types<'_, '_>, MessageId),
    name: &str,
    json: &Witness,
) -> Option<Witness> {
    let bytes = codec::encode(writer.0, writer.1, &holding(writer.1, name));
    let read = codec::decode(reader.0, reader.1, &bytes).ok()?;
    let read = value::record_for_people(&read, &SchemaNames(reader.0)).into();
    let written_parts = parts::parts(writer.0, writer.1, &bytes);
    let read_parts = parts::parts(reader.0, reader.1, &bytes);
    Some(Witness { bytes, read, written_parts, read_parts, ..json.clone() })
}

fn holding(any: MessageId, name: &str) -> Record {
    Record::empty(any.0).with(1, Value::Text(format!("type.googleapis.com/{name}").into_bytes()))
}

/// An `Any` that holds an empty message of the writer, as JSON; the witness if the reader rejects it.
fn read(writer: (Types<'_, '_>, MessageId), reader: (Types<'_, '_>, MessageId), name: &str) -> Option<Witness> {
    let record = holding(writer.1, name);
    let bytes = json::encode(writer.0, writer.1, &record).ok()?;
    let error = json::decode(reader.0, reader.1, &bytes).err()?;
    Some(Witness {
        type_name: ANY.to_owned(),
        wrote: Arc::new(serde_json::from_slice(&bytes).ok()?),
        bytes,
        read: Arc::new(error.reason.into()),
        written_parts: Vec::new(),
        read_parts: Vec::new(),
        ..Witness::default()
    })
}
