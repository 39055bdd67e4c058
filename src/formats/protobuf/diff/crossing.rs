//! What becomes of one field's data in another field: by number on the wire, by name in JSON, and where a oneof holds
//! only one of them.

use rustc_hash::FxHashMap;

use crate::change::Pair;
use crate::evidence::Outcome;

use super::super::model::{Field, Kind, Presence, Schema};
use super::super::relation::{self, End};
use super::super::relation_json;
use super::state::FieldName;

/// The fields of both sides of a pair of messages, found by name and by number.
pub(super) struct Crossing<'s, 'a> {
    sides: Pair<Side<'s, 'a>>,
    /// For each side as the writer: by number the reader's fields, and the written fields whose JSON members they take.
    reached: Pair<Reached<'s, 'a>>,
}

type Reached<'s, 'a> = FxHashMap<i32, Vec<&'s Field<'a>>>;

/// The fields of one side with the schema that gives their types a meaning.
struct Side<'s, 'a> {
    schema: &'s Schema<'a>,
    by_name: FxHashMap<FieldName<'s>, &'s Field<'a>>,
    by_number: FxHashMap<i32, &'s Field<'a>>,
    by_json_name: FxHashMap<&'s str, &'s Field<'a>>,
    by_oneof: FxHashMap<u32, Vec<&'s Field<'a>>>,
}

/// One direction: what the reader sees of what the writer wrote.
#[derive(Clone, Copy)]
pub(super) struct Exchange<'m, 's, 'a> {
    writer: &'m Side<'s, 'a>,
    reader: &'m Side<'s, 'a>,
    reached: &'m Reached<'s, 'a>,
}

/// A field of the writer and one of the reader.
#[derive(Clone, Copy)]
pub(super) struct Ends<'s, 'a> {
    pub writer: &'s Field<'a>,
    pub reader: &'s Field<'a>,
}

impl<'s, 'a> Crossing<'s, 'a> {
    pub(super) fn new(schemas: Pair<&'s Schema<'a>>, fields: Pair<&[&'s Field<'a>]>) -> Self {
        let sides = Pair::new(Side::new(schemas.old, fields.old), Side::new(schemas.new, fields.new));
        let reached = |written: &[&'s Field<'a>], reader: &Side<'s, 'a>| {
            let mut reached = Reached::default();
            for field in written {
                if let Some(known) = reader.known_as(field) {
                    reached.entry(known.number).or_default().push(field);
                }
            }
            reached
        };
        let reached = Pair::new(reached(fields.old, &sides.new), reached(fields.new, &sides.old));
        Self { sides, reached }
    }

    /// A new reader of old data.
    pub(super) fn backward(&self) -> Exchange<'_, 's, 'a> {
        Exchange { writer: &self.sides.old, reader: &self.sides.new, reached: &self.reached.old }
    }

    /// An old reader of new data.
    pub(super) fn forward(&self) -> Exchange<'_, 's, 'a> {
        Exchange { writer: &self.sides.new, reader: &self.sides.old, reached: &self.reached.new }
    }

    /// The old field of a number.
    pub(super) fn at_old(&self, number: i32) -> Option<&'s Field<'a>> {
        self.sides.old.by_number.get(&number).copied()
    }

    /// The new field of a number.
    pub(super) fn at_new(&self, number: i32) -> Option<&'s Field<'a>> {
        self.sides.new.by_number.get(&number).copied()
    }

    /// The new field that continues an old one.
    pub(super) fn continued(&self, old: &Field<'_>) -> Option<&'s Field<'a>> {
        self.sides.new.counterpart(old, &self.sides.old)
    }
}

impl<'s, 'a> Side<'s, 'a> {
    fn new(schema: &'s Schema<'a>, fields: &[&'s Field<'a>]) -> Self {
        let mut side = Side {
            schema,
            by_name: FxHashMap::default(),
            by_number: FxHashMap::default(),
            by_json_name: FxHashMap::default(),
            by_oneof: FxHashMap::default(),
        };
        for field in fields {
            side.by_name.entry((field.is_extension, &field.name)).or_insert(field);
            side.by_number.entry(field.number).or_insert(field);
            if !field.is_extension {
                side.by_json_name.entry(&field.json_name).or_insert(field);
            }
            if let Some(oneof) = field.oneof {
                side.by_oneof.entry(oneof).or_default().push(field);
            }
        }
        side
    }

    fn named(&self, is_extension: bool, name: &str) -> Option<&'s Field<'a>> {
        self.by_name.get(&(is_extension, name)).copied()
    }

    /// The field that a reader takes a writer's member for: by the JSON name, else by the name in the schema.
    fn known_as(&self, written: &Field<'_>) -> Option<&'s Field<'a>> {
        if written.is_extension {
            return self.named(true, &written.name);
        }
        let by_json_name = self.by_json_name.get(&*written.json_name).copied();
        by_json_name.or_else(|| self.named(false, &written.json_name))
    }

    /// The field that continues one of the other side: by name, else by number.
    fn counterpart(&self, field: &Field<'_>, others: &Side<'_, '_>) -> Option<&'s Field<'a>> {
        let is_free = |other: &&Field<'_>| others.named(other.is_extension, &other.name).is_none();
        let numbered = || self.by_number.get(&field.number).copied().filter(is_free);
        self.named(field.is_extension, &field.name).or_else(numbered)
    }
}

impl<'s, 'a> Exchange<'_, 's, 'a> {
    fn ends(self, field: Ends<'s, 'a>) -> (End<'s, 'a>, End<'s, 'a>) {
        (End::new(self.writer.schema, field.writer), End::new(self.reader.schema, field.reader))
    }

    /// Whether what the writer calls its field in JSON leads to the reader's.
    pub(super) fn is_known(self, field: Ends<'s, 'a>) -> bool {
        self.reader.known_as(field.writer).is_some_and(|known| known.number == field.reader.number)
    }

    /// What a JSON reader sees of a field when names are not what they were: a value whose name it does not know is
    /// ignored, and one that is known by the name of another field is taken for that field.
    pub(super) fn json_by_name(self, field: Ends<'s, 'a>) -> Outcome {
        let own = match self.reader.known_as(field.writer) {
            Some(known) if known.number == field.reader.number => Outcome::Safe,
            other => {
                let taken = other.map_or(Outcome::Safe, |reader| self.json_misread(Ends { reader, ..field }));
                let is_required = field.reader.presence == Presence::Required;
                taken.max(if is_required { Outcome::Fails } else { Outcome::Lossy })
            }
        };
        own.max(self.json_mistaken(field.reader, Some(field.writer.number)))
    }

    /// What a JSON reader sees in a field when the members of others than its own are taken for it.
    pub(super) fn json_mistaken(self, reader: &'s Field<'a>, own: Option<i32>) -> Outcome {
        let reaching = self.reached.get(&reader.number).into_iter().flatten();
        let others = reaching.filter(|writer| own != Some(writer.number));
        let seen = others.map(|writer| self.json_misread(Ends { writer, reader }));
        seen.max().unwrap_or(Outcome::Safe)
    }

    /// What a JSON reader sees when a field that it lacks left its name to one that keeps its own.
    pub(super) fn json_left(self, writer: &'s Field<'a>) -> Outcome {
        let Some(reader) = self.reader.known_as(writer) else { return Outcome::Safe };
        match self.writer.counterpart(reader, self.reader) {
            Some(other) if other.name == reader.name && other.json_name == reader.json_name => {
                self.json_misread(Ends { writer, reader })
            }
            _ => Outcome::Safe,
        }
    }

    /// A JSON value read by a field that it was not meant for: anything accepted is wrong.
    fn json_misread(self, field: Ends<'s, 'a>) -> Outcome {
        let (writer, reader) = self.ends(field);
        let is_taken =
            relation_json::json_accepts_any(writer, reader) || relation_json::json_accepts_empty(writer, reader);
        match relation_json::json_reads(writer, reader) {
            Outcome::Fails if !is_taken => Outcome::Fails,
            _ => Outcome::Wrong,
        }
    }

    /// What a reader sees on the wire of a field whose number is the writer's number of another: anything accepted is
    /// wrong. The value is lost where the number belongs to nothing.
    pub(super) fn misread(self, writer: Option<&'s Field<'a>>, reader: Option<&'s Field<'a>>) -> Outcome {
        let (Some(writer), Some(reader)) = (writer, reader) else { return Outcome::Lossy };
        let (writer, reader) = self.ends(Ends { writer, reader });
        if relation::accepts_any(writer, reader) { Outcome::Wrong } else { relation::wire_reads(writer, reader) }
    }

    /// Whether a field of the reader always gets the value of another field: what becomes of that is told there.
    pub(super) fn is_always_filled(self, reader: &'s Field<'a>) -> bool {
        self.writer.by_number.get(&reader.number).is_some_and(|writer| {
            let (from, to) = self.ends(Ends { writer, reader });
            writer.presence == Presence::Required && relation::accepts_any(from, to)
        })
    }

    /// What comes of a value that the reader's oneof drops, on the wire and in JSON: the writer could set beside the field
    /// what the reader takes for another member of it, by number or by name. Only values that arrive can be in each
    /// other's way.
    pub(super) fn drops_member(self, field: Ends<'s, 'a>) -> (Outcome, Outcome) {
        let Some(oneof) = field.reader.oneof else { return (Outcome::Safe, Outcome::Safe) };
        let members = self.reader.by_oneof.get(&oneof).into_iter().flatten();
        let members: Vec<&'s Field<'a>> = members.copied().filter(|one| one.number != field.reader.number).collect();
        let is_apart = |rival: &Ends<'s, 'a>| rival.writer.oneof.is_none() || rival.writer.oneof != field.writer.oneof;
        let numbered = members
            .iter()
            .filter_map(|reader| Some(Ends { writer: self.writer.by_number.get(&reader.number).copied()?, reader }));
        let named = members.iter().flat_map(|reader| {
            let reaching = self.reached.get(&reader.number).into_iter().flatten();
            reaching.map(|writer| Ends { writer, reader })
        });
        let arrives = |field: Ends<'s, 'a>| {
            let (writer, reader) = self.ends(field);
            field.writer.number == field.reader.number && relation::accepts_any(writer, reader)
        };
        let is_minded = |field: Ends<'s, 'a>| {
            let (writer, reader) = self.ends(field);
            // A text that is no value of an enum is given, whatever comes of it.
            let is_given = matches!(reader.field.kind, Kind::Enum(_))
                && relation_json::json_reads(writer, reader) == Outcome::Lossy;
            let is_taken =
                relation_json::json_accepts_any(writer, reader) || relation_json::json_accepts_empty(writer, reader);
            self.is_known(field) && (is_taken || is_given)
        };
        let is_dropped = arrives(field) && numbered.filter(is_apart).any(arrives);
        let is_refused = is_minded(field) && named.filter(is_apart).any(is_minded);
        (
            if is_dropped { Outcome::Lossy } else { Outcome::Safe },
            if is_refused { Outcome::Fails } else { Outcome::Safe },
        )
    }
}
