//! What becomes of one field's data in another field: by number on the wire, by name in JSON, and where a oneof holds
//! only one of them.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::change::Pair;
use crate::evidence::Outcome;
use crate::ordered::OrderedMap;

use super::super::model::{Field, Kind, Presence, Schema};
use super::super::relation::{self, End};
use super::super::relation_json;
use super::state::FieldName;

/// The fields of both sides of a pair of messages, found by name and by number.
pub(super) struct Crossing<'s, 'a> {
    sides: Pair<Side<'s, 'a>>,
    /// For each side as the writer: by number the reader's fields, and the written fields whose JSON members they take.
    reached: Pair<Reached<'s, 'a>>,
    /// For each side as the writer: what the reader takes for members of each oneof of its own.
    rivals: Pair<KnownRivals>,
}

type KnownRivals = RefCell<FxHashMap<u32, Rc<Rivals>>>;

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
    rivals: &'m KnownRivals,
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
        Self { sides, reached, rivals: Pair::default() }
    }

    /// A new reader of old data.
    pub(super) fn backward(&self) -> Exchange<'_, 's, 'a> {
        Exchange {
            writer: &self.sides.old,
            reader: &self.sides.new,
            reached: &self.reached.old,
            rivals: &self.rivals.old,
        }
    }

    /// An old reader of new data.
    pub(super) fn forward(&self) -> Exchange<'_, 's, 'a> {
        Exchange {
            writer: &self.sides.new,
            reader: &self.sides.old,
            reached: &self.reached.new,
            rivals: &self.rivals.new,
        }
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
        let rivals = || {
            let mut known = self.rivals.borrow_mut();
            known.entry(oneof).or_insert_with(|| Rc::new(self.rivals_in(oneof))).clone()
        };
        let is_dropped = self.arrives(field) && rivals().by_number.are_beside(field);
        let is_refused = self.is_minded(field) && rivals().by_name.are_beside(field);
        (
            if is_dropped { Outcome::Lossy } else { Outcome::Safe },
            if is_refused { Outcome::Fails } else { Outcome::Safe },
        )
    }

    /// Who takes part in a oneof of the reader.
    fn rivals_in(self, oneof: u32) -> Rivals {
        let mut rivals = Rivals::default();
        for reader in self.reader.by_oneof.get(&oneof).into_iter().flatten().copied() {
            let numbered = self.writer.by_number.get(&reader.number).map(|writer| Ends { writer, reader });
            numbered.filter(|ends| self.arrives(*ends)).into_iter().for_each(|ends| rivals.by_number.add(ends));
            let reaching = self.reached.get(&reader.number).into_iter().flatten();
            let named = reaching.map(|writer| Ends { writer, reader }).filter(|ends| self.is_minded(*ends));
            named.for_each(|ends| rivals.by_name.add(ends));
        }
        rivals
    }

    /// Whether a value comes to the reader by its number.
    fn arrives(self, field: Ends<'s, 'a>) -> bool {
        let (writer, reader) = self.ends(field);
        field.writer.number == field.reader.number && relation::accepts_any(writer, reader)
    }

    /// Whether a JSON reader minds a member that it knows by its name.
    fn is_minded(self, field: Ends<'s, 'a>) -> bool {
        let (writer, reader) = self.ends(field);
        // A text that is no value of an enum is given, whatever comes of it.
        let is_given =
            matches!(reader.field.kind, Kind::Enum(_)) && relation_json::json_reads(writer, reader) == Outcome::Lossy;
        let is_taken =
            relation_json::json_accepts_any(writer, reader) || relation_json::json_accepts_empty(writer, reader);
        self.is_known(field) && (is_taken || is_given)
    }
}

/// What a reader takes for members of one oneof of its own.
#[derive(Default)]
struct Rivals {
    by_number: Setters,
    by_name: Setters,
}

/// The oneofs of the writer that members of the reader's oneof stand in there, if any, each with the numbers of two of these:
/// beside a field there is another if there is one at all.
#[derive(Default)]
struct Setters(OrderedMap<Option<u32>, Vec<i32>>);

impl Setters {
    fn add(&mut self, ends: Ends<'_, '_>) {
        let numbers = self.0.entry(ends.writer.oneof).or_default();
        if numbers.len() < 2 && !numbers.contains(&ends.reader.number) {
            numbers.push(ends.reader.number);
        }
    }

    /// Whether a writer can set another one beside a field.
    fn are_beside(&self, field: Ends<'_, '_>) -> bool {
        let is_apart = |oneof: &Option<u32>| oneof.is_none() || *oneof != field.writer.oneof;
        let mut others = self.0.iter().filter(|(oneof, _)| is_apart(oneof)).flat_map(|(_, numbers)| numbers);
        others.any(|number| *number != field.reader.number)
    }
}
