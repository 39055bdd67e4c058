//! What JSON readers see of a message that was renamed or removed, inside of a `google.protobuf.Any`: the full name travels there.

use crate::change::{Change, ChangeKind, FactKey, Pair};
use crate::evidence::{Direction, Observation, Outcome, SPEC, Surface, Witness};
use crate::value::{self, Record, Value};

use super::codec::{self, Types};
use super::json;
use super::model::MessageId;
use super::names::SchemaNames;
use super::parts;

const ANY: &str = "google.protobuf.Any";

/// One observation for each renamed message and direction in which its JSON is rejected; nothing where one side knows
/// no `Any`, or nothing holds one.
pub(super) fn observations<'c>(
    types: Pair<Types<'_, '_>>,
    changes: impl Iterator<Item = &'c Change>,
) -> Vec<Observation> {
    let Pair { old: Some(old), new: Some(new) } = types.map(|types| named(types, ANY)) else { return Vec::new() };
    if !types.old.schema.holds_any() || !types.new.schema.holds_any() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for change in changes {
        let (backward, forward) = match change.kind {
            ChangeKind::MessageRenamed => {
                let Some(old_name) = change.facts.get(FactKey::OldName) else { continue };
                let backward = read((types.old, old), (types.new, new), old_name);
                (backward, read((types.new, new), (types.old, old), &change.path))
            }
            // Where data start from the message itself, nothing is left to be read.
            ChangeKind::MessageRemoved
                if change.facts.get(FactKey::JsonReadsOld) == Some(Outcome::Fails.name())
                    && change.facts.get(FactKey::Needed) == Some("no") =>
            {
                (read((types.old, old), (types.new, new), &change.path), None)
            }
            _ => continue,
        };
        if let (ChangeKind::MessageRemoved, Some(witness)) = (change.kind, &backward) {
            found.extend(kept((types.old, old), (types.new, new), &change.path, witness).map(|witness| Observation {
                identity: change.identity.clone(),
                runtime: SPEC,
                surface: Surface::Wire,
                direction: Direction::Backward,
                outcome: Outcome::Unrecognized,
                witness,
            }));
        }
        for (direction, witness) in [(Direction::Backward, backward), (Direction::Forward, forward)] {
            found.extend(witness.map(|witness| Observation {
                identity: change.identity.clone(),
                runtime: SPEC,
                surface: Surface::Json,
                direction,
                outcome: Outcome::Fails,
                witness,
            }));
        }
    }
    found
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
    let read = value::record_for_people(&read, &SchemaNames(reader.0));
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
        wrote: serde_json::from_slice(&bytes).ok()?,
        bytes,
        read: serde_json::Value::String(error.reason.into_owned()),
        written_parts: Vec::new(),
        read_parts: Vec::new(),
        ..Witness::default()
    })
}
