//! Fields of two paired structs, unions, exceptions, argument lists and results.

use crate::change::{ChangeKind, FactKey, Identity, Pair};
use crate::evidence::{Direction, Outcome};
use crate::formats::roundtrip::Sides;

use super::super::ends;
use super::super::fix;
use super::super::made::{self, Likeness};
use super::super::model::{Field, Requiredness, Schema, Sort, Struct, Type};
use super::super::pairing;
use super::super::relation::{self, Relation};
use super::annotations::Declared;
use super::differ::{Differ, Meetings, Met};
use super::members::{Members, empty_result, requiredness};
use super::types::sort_name;
use super::values::{made_text, value_text};
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::{Draft, SAFE, by_either_name, yes};

/// A field on both sides.
struct Both<'m, 's, 'b> {
    members: &'m Members<'s, 'b>,
    fields: Pair<&'s Field<'b>>,
    identity: Identity,
    /// The types of different names that meet.
    meetings: Meetings,
    relation: Relation,
}

impl Both<'_, '_, '_> {
    fn stays(&self) -> bool {
        self.fields.old.id == self.fields.new.id
    }

    /// What the two readers see, as far as the types decide.
    fn reads(&self) -> Pair<Outcome> {
        let Pair { old, new } = self.fields;
        let structs = self.members.structs;
        let one = |types, reader: &Struct<'_>, field: &Field<'_>| match relation::reads(types) {
            Outcome::Lossy => self.members.lost(reader, field),
            other => other,
        };
        let types = Pair::new(&old.ty, &new.ty);
        Pair::new(one(types, structs.new, new), one(types.mirrored(), structs.old, old))
    }
}

impl<'s, 'b> Differ<'s, 'b> {
    /// Compares all fields of a pair.
    pub(super) fn diff_fields(&mut self, members: &Members<'s, 'b>) {
        let Pair { old, new } = members.structs;
        for pair in pairing::fields(members.structs) {
            match (pair.at.old, pair.at.new) {
                (Some(before), Some(after)) => {
                    self.field_pair(members, Pair::new(&old.fields[before], &new.fields[after]));
                }
                (Some(before), None) => self.field_removed(members, &old.fields[before]),
                (None, Some(after)) => self.field_added(members, &new.fields[after]),
                (None, None) => {}
            }
        }
    }

    fn field_pair(&mut self, members: &Members<'s, 'b>, fields: Pair<&'s Field<'b>>) {
        let Pair { old, new } = fields;
        let identity = match old.id == new.id {
            true => pairing::by_number(&members.container, new.id.into()),
            false => by_either_name(&members.container, fields.map(|field| &*field.name.text)),
        };
        let types = Pair::new(&old.ty, &new.ty);
        let meetings = self.pair_types(types);
        let relation = match relation::relation(self.schemas, types) {
            Relation::StructReplaced if members.is_result() && new.id != 0 && self.is_another_exception(types) => {
                Relation::ExceptionReplaced
            }
            other => other,
        };
        let both = Both { members, fields, identity, meetings, relation };
        if !both.stays() {
            self.field_renumbered(&both);
        }
        if members.is_result() && new.id == 0 && old.id == 0 {
            self.return_type(&both);
            return;
        }
        let hurts = matches!(relation, Relation::WireType | Relation::Element | Relation::Text | Relation::EnumNumber);
        if both.stays() && old.name.text != new.name.text && hurts {
            self.field_reused(&both);
        } else {
            if both.stays() && old.name.text != new.name.text {
                self.field_renamed(&both);
            }
            self.field_type(&both);
        }
        self.field_required(&both);
        self.field_default(&both);
        self.field_annotations(&both);
    }

    fn is_another_exception(&self, types: Pair<&Type>) -> bool {
        match (types.old, types.new) {
            (Type::Struct(old), Type::Struct(new)) => self.is_replaced(Met::Type(Pair::new(*old, *new))),
            _ => false,
        }
    }

    fn draft(&self, kind: ChangeKind, both: &Both<'_, 's, 'b>) -> Draft {
        let Pair { old, new } = both.fields;
        let structs = both.members.structs;
        Draft::new(kind, format!("{}.{}", both.members.path, new.name.text), both.identity.clone())
            .at(Pair::new(
                Some(self.schemas.old.site(structs.old.file, old.span)),
                Some(self.schemas.new.site(structs.new.file, new.span)),
            ))
            .fact(FactKey::Number, new.id.to_string())
            .fact(FactKey::OldName, &*old.name.text)
            .fact(FactKey::NewName, &*new.name.text)
            .types(
                Pair::new(self.schemas.old.spelled(&old.ty), self.schemas.new.spelled(&new.ty)),
                Pair::new(sort(self.schemas.old, &old.ty), sort(self.schemas.new, &new.ty)),
            )
            .fact(FactKey::Role, sort_name(structs.new.sort))
            .fact(FactKey::Container, &*structs.new.full_name)
    }

    fn field_type(&mut self, both: &Both<'_, 's, 'b>) {
        if both.relation == Relation::Same {
            return;
        }
        self.note_meetings(both);
        // No value reaches a field that moved to another id; that is a change of its own.
        let reads = match both.relation {
            _ if !both.stays() => SAFE,
            Relation::ExceptionReplaced => Pair::new(Outcome::Wrong, Outcome::Wrong),
            _ => both.reads(),
        };
        let draft = self.draft(ChangeKind::FieldTypeChanged, both).fact(FactKey::Relation, both.relation.name());
        self.push(draft.reads(reads));
    }

    fn return_type(&mut self, both: &Both<'_, 's, 'b>) {
        if both.relation == Relation::Same {
            return;
        }
        self.note_meetings(both);
        let mut draft = self.draft(ChangeKind::MethodTypeChanged, both).fact(FactKey::Relation, both.relation.name());
        draft.path.clone_from(&both.members.path);
        self.push(draft.reads(both.reads()));
    }

    /// States which types met, of the change that comes next.
    fn note_meetings(&mut self, both: &Both<'_, 's, 'b>) {
        let Meetings { renamed, replaced } = &both.meetings;
        // No value reaches a field that moved.
        if both.stays() {
            self.replaced.at(self.changes.len(), replaced.iter().copied());
        }
        let is_name = matches!(both.relation, Relation::StructReplaced | Relation::EnumReplaced);
        if is_name && replaced.is_empty() {
            self.following.push((self.changes.len(), renamed.clone()));
        }
    }

    fn field_reused(&mut self, both: &Both<'_, 's, 'b>) {
        self.note_meetings(both);
        let draft = self.draft(ChangeKind::FieldReused, both).fact(FactKey::Relation, both.relation.name());
        self.push(draft.reads(both.reads()));
    }

    fn field_renamed(&mut self, both: &Both<'_, 's, 'b>) {
        let draft = self.draft(ChangeKind::FieldRenamed, both);
        self.push(draft);
    }

    fn field_renumbered(&mut self, both: &Both<'_, 's, 'b>) {
        let Pair { old, new } = both.fields;
        let structs = both.members.structs;
        let at = |of: &'s Struct<'b>, id: i16| of.field(id);
        // Who reads this field's values under its former id, and whose values does it read under its own.
        let means_another = means_another(self.schemas, structs, both.fields);
        let misread = |writer: &'s Struct<'b>, reader: &'s Struct<'b>, wrote: &Field<'_>, reads: &Field<'_>| {
            let taken_for = |wrote: Option<&Field<'_>>, reads: Option<&Field<'_>>| match (wrote, reads) {
                (Some(wrote), Some(reads)) => relation::same_header(Pair::new(&wrote.ty, &reads.ty)),
                _ => false,
            };
            match taken_for(Some(wrote), at(reader, wrote.id)) || taken_for(at(writer, reads.id), Some(reads)) {
                true => Outcome::Wrong,
                false if means_another => Outcome::Wrong,
                false => both.members.lost(reader, reads),
            }
        };
        let reads = Pair::new(misread(structs.old, structs.new, old, new), misread(structs.new, structs.old, new, old));
        let is_swap = at(structs.new, old.id).is_some() || at(structs.old, new.id).is_some();
        let spans = Pair::new(old.id_span.unwrap_or(old.span), new.id_span.unwrap_or(new.span));
        let draft = self
            .draft(ChangeKind::FieldRenumbered, both)
            .at(Pair::new(
                Some(self.schemas.old.site(structs.old.file, spans.old)),
                Some(self.schemas.new.site(structs.new.file, spans.new)),
            ))
            .fact(FactKey::OldNumber, old.id.to_string())
            .fact(FactKey::NewNumber, new.id.to_string())
            .fact(FactKey::Direction, if is_swap { "swapped" } else { "moved" });
        self.push(draft.reads(reads));
    }

    fn field_required(&mut self, both: &Both<'_, 's, 'b>) {
        let Pair { old, new } = both.fields;
        let structs = both.members.structs;
        let Pair { old: before, new: after } =
            Pair::new(requiredness(structs.old, old), requiredness(structs.new, new));
        if before == after {
            return;
        }
        let is_required = |one: Requiredness| one == Requiredness::Required;
        if is_required(before) == is_required(after) {
            if [structs.old.sort, structs.new.sort].contains(&Sort::Union) {
                // The members of a union are optional by nature: told as the change of the whole.
                return;
            }
            let direction = if after == Requiredness::Optional { "gained" } else { "lost" };
            let draft = self.draft(ChangeKind::FieldPresenceChanged, both).fact(FactKey::Direction, direction);
            return self.push(draft);
        }
        // Data of a struct that holds itself end with one that lacks the field, and what has no value is never there.
        let types = both.members.types;
        let is_end = match is_required(after) {
            true => before == Requiredness::Default && ends::is_end(self.schemas.old, types.old, old),
            false => after == Requiredness::Default && ends::is_end(self.schemas.new, types.new, new),
        };
        // A reader that requires the field fails where the writer may leave it out. No value reaches a field that moved.
        let fails = |writer: Requiredness, reader: Requiredness| match (writer, reader) {
            (Requiredness::Optional, Requiredness::Required) if both.stays() => Outcome::Fails,
            (Requiredness::Default, Requiredness::Required) if both.stays() && is_end => Outcome::Fails,
            _ => Outcome::Safe,
        };
        let required = match [before, after].contains(&Requiredness::Optional) {
            true => "optional",
            false if is_end => "recursive",
            false => "always-written",
        };
        let word = |one: Requiredness| match one {
            Requiredness::Required => "required",
            Requiredness::Optional => "optional",
            Requiredness::Default => "default",
        };
        let draft = self
            .draft(ChangeKind::FieldRequiredChanged, both)
            .fact(FactKey::Direction, if is_required(after) { "gained" } else { "lost" })
            .fact(FactKey::Required, required)
            .fact(FactKey::OldValue, word(before))
            .fact(FactKey::NewValue, word(after));
        self.push(draft.reads(Pair::new(fails(before, after), fails(after, before))));
    }

    fn field_default(&mut self, both: &Both<'_, 's, 'b>) {
        let Pair { old, new } = both.fields;
        let (likeness, is_text) = match (&old.default, &new.default) {
            (None, None) => return,
            (Some(one), Some(two)) => {
                let values = Pair::new(one, two);
                (made::same(self.schemas, Pair::new(&old.ty, &new.ty), values), made::same_text(values))
            }
            _ => (Likeness::Other, false),
        };
        if likeness == Likeness::Same {
            return;
        }
        let structs = both.members.structs;
        let read = |writer: (&Struct<'_>, &Field<'_>), reader: (&Struct<'_>, &Field<'_>)| {
            let is_left_out = requiredness(writer.0, writer.1) == Requiredness::Optional
                && requiredness(reader.0, reader.1) != Requiredness::Required
                && ![writer.0.sort, reader.0.sort].contains(&Sort::Union);
            match (&writer.1.default, &reader.1.default) {
                _ if !is_left_out || !both.stays() => Outcome::Safe,
                (Some(_), Some(_)) => Outcome::Wrong,
                // Of two keys, one that lacks the field and one that has the default in it are one to the reader.
                (None, Some(_)) if both.members.in_keys => Outcome::Lossy,
                // It is absent to both, and each side says what that means to it.
                (None, Some(_)) | (Some(_), None) => Outcome::Defaulted,
                (None, None) => Outcome::Safe,
            }
        };
        let sides = (structs.old, old);
        let other = (structs.new, new);
        let reads = Pair::new(read(sides, other), read(other, sides));
        if reads == SAFE && is_text {
            // Only the defaults of its structs differ, and that is told of them.
            return;
        }
        let text = |schema: &Schema<'_>, field: &Field<'_>| match &field.default {
            None => "none".to_owned(),
            Some(value) if is_text => made_text(schema, &field.ty, value),
            Some(value) => value_text(value),
        };
        let felt = match likeness {
            _ if reads == SAFE => "always-written",
            Likeness::Untold => "unknown",
            Likeness::Same | Likeness::Other => "felt",
        };
        let draft = self
            .draft(ChangeKind::FieldDefaultChanged, both)
            .fact(FactKey::Default, felt)
            .fact(FactKey::OldValue, text(self.schemas.old, old))
            .fact(FactKey::NewValue, text(self.schemas.new, new));
        self.push(draft.reads(reads));
    }

    fn field_annotations(&mut self, both: &Both<'_, 's, 'b>) {
        let Pair { old, new } = both.fields;
        let structs = both.members.structs;
        let path = format!("{}.{}", both.members.path, new.name.text);
        let sites = Pair::new(
            self.schemas.old.site(structs.old.file, old.span),
            self.schemas.new.site(structs.new.file, new.span),
        );
        let declared = Declared { role: "field", path: &path, sites };
        self.annotations(&declared, Pair::new(&old.annotations, &new.annotations));
    }

    fn field_removed(&mut self, members: &Members<'s, 'b>, old: &'s Field<'b>) {
        let structs = members.structs;
        if members.is_result() {
            return self.result_removed(members, old);
        }
        let taker = structs.new.field(old.id);
        let is_reserved = structs.new.reserved.iter().any(|(from, to)| (*from..=*to).contains(&old.id));
        let in_keys = members.tells_keys_apart(self.schemas.old, old, Sides::of(Direction::Backward, structs));
        let reads = Pair::new(members.unknown(structs.new, old, in_keys), Members::absent(structs.old, old, taker));
        let reserved = if taker.is_some() { "taken" } else { yes(is_reserved) };
        let is_required = requiredness(structs.old, old) == Requiredness::Required;
        let suggestion = match reserved {
            "no" if !members.replaced && !in_keys && !is_required && role(structs) == "struct" => {
                fix::reserve(self.schemas.new, structs.new, old.id)
            }
            _ => None,
        };
        let identity = pairing::by_number(&members.container, old.id.into());
        let draft = Draft::new(ChangeKind::FieldRemoved, format!("{}.{}", members.path, old.name.text), identity)
            .at(Pair::new(Some(self.schemas.old.site(structs.old.file, old.span)), None))
            .fact(FactKey::NumberReserved, reserved)
            .fact(FactKey::Required, yes(is_required))
            .fact(FactKey::Replaced, yes(members.replaced))
            .fact(FactKey::InKeys, yes(in_keys))
            .fact(FactKey::Role, role(structs))
            .fact(FactKey::Number, old.id.to_string())
            .fact(FactKey::OldName, &*old.name.text)
            .fact(FactKey::OldType, self.schemas.old.spelled(&old.ty))
            .fact(FactKey::Container, &*structs.new.full_name)
            .suggest(suggestion);
        self.push(draft.reads(reads));
    }

    fn field_added(&mut self, members: &Members<'s, 'b>, new: &'s Field<'b>) {
        let structs = members.structs;
        if members.is_result() {
            return self.result_added(members, new);
        }
        let in_keys = members.tells_keys_apart(self.schemas.new, new, Sides::of(Direction::Forward, structs));
        let former = structs.old.field(new.id);
        let was_reserved = structs.old.reserved.iter().any(|(from, to)| (*from..=*to).contains(&new.id));
        // A reserved id belonged to a field of earlier data, of a type that nobody knows any more.
        let is_haunted = was_reserved && former.is_none() && !members.replaced;
        let reads_old = Members::absent(structs.new, new, former);
        let is_required = requiredness(structs.new, new) == Requiredness::Required;
        let identity = pairing::by_number(&members.container, new.id.into());
        let draft = Draft::new(ChangeKind::FieldAdded, format!("{}.{}", members.path, new.name.text), identity)
            .at(Pair::new(None, Some(self.schemas.new.site(structs.new.file, new.span))))
            .fact(
                FactKey::NumberWas,
                if is_haunted {
                    "reserved"
                } else if former.is_some() {
                    "used"
                } else {
                    "free"
                },
            )
            .fact(FactKey::Required, yes(is_required))
            .fact(FactKey::Replaced, yes(members.replaced))
            .fact(FactKey::InKeys, yes(in_keys))
            .fact(FactKey::Role, role(structs))
            .fact(FactKey::Number, new.id.to_string())
            .fact(FactKey::NewName, &*new.name.text)
            .fact(FactKey::NewType, self.schemas.new.spelled(&new.ty))
            .fact(FactKey::Container, &*structs.new.full_name);
        self.push(draft.reads(Pair::new(reads_old, members.unknown(structs.old, new, in_keys))));
    }

    /// What is felt of an exception that only one side throws, and of a value that only one side returns.
    pub(super) fn result_reads(members: &Members<'s, 'b>) -> Pair<Outcome> {
        members.structs.map(|side| empty_result(side)).mirrored()
    }
}

/// What the members of two structs are called: a union where one of the two is one.
fn role(structs: Pair<&Struct<'_>>) -> &'static str {
    let sorts = [structs.old.sort, structs.new.sort];
    match sorts.contains(&Sort::Union) {
        true => "union",
        false => match structs.new.sort {
            Sort::Arguments => "arguments",
            Sort::Struct | Sort::Union | Sort::Exception | Sort::Result => "struct",
        },
    }
}

/// Whether a writer who leaves a field out means another value by that than the reader who does not find it.
fn means_another(schemas: Pair<&Schema<'_>>, structs: Pair<&Struct<'_>>, fields: Pair<&Field<'_>>) -> bool {
    let is_optional = |of: &Struct<'_>, field: &Field<'_>| {
        of.sort != Sort::Union && requiredness(of, field) == Requiredness::Optional
    };
    let Pair { old, new } = fields;
    match (&old.default, &new.default) {
        (Some(one), Some(two)) => {
            is_optional(structs.old, old)
                && is_optional(structs.new, new)
                && made::same(schemas, Pair::new(&old.ty, &new.ty), Pair::new(one, two)) == Likeness::Other
        }
        _ => false,
    }
}

/// What a type with a name is; of a container, what its items or values are.
fn sort(schema: &Schema<'_>, ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Struct(id) => match schema.structure(*id).sort {
            Sort::Union => Some("a union"),
            Sort::Exception => Some("an exception"),
            Sort::Struct | Sort::Arguments | Sort::Result => Some("a struct"),
        },
        Type::Enum(_) => Some("an enum"),
        Type::List(items) | Type::Set(items) => sort(schema, items),
        Type::Map(pair) => sort(schema, &pair.1).or_else(|| sort(schema, &pair.0)),
        Type::Void | Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Double | Type::Float => None,
        Type::String | Type::Binary | Type::Uuid | Type::Other(_) | Type::Opaque(_) => None,
    }
}
