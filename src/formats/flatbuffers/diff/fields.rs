//! Fields of two paired tables or structs.

use crate::change::{ChangeKind, FactKey, Identity, Pair, Site};
use crate::evidence::Outcome;
use crate::formats::frame::declared::InFiles;

use super::super::fix;
use super::super::model::{Default, Field, Object, ObjectId, Schema, Type};
use super::super::pairing::{self, FieldPair};
use super::super::relation::{self, Relation};
use super::files::Declared;
use super::{Differ, Draft, Met, SAFE, yes};

/// Everything about a pair of tables or structs that their fields' comparison needs.
pub(super) struct Members<'s, 'b> {
    pub objects: Pair<&'s Object<'b>>,
    pub container: String,
    pub replaced: bool,
}

impl<'s, 'b> Members<'s, 'b> {
    pub(super) fn new(schemas: Pair<&'s Schema<'b>>, types: Pair<ObjectId>, replaced: bool) -> Self {
        let objects = Pair::new(schemas.old.object(types.old), schemas.new.object(types.new));
        Self { objects, container: pairing::object_container(schemas, types), replaced }
    }

    /// Whether slots identify; otherwise the layout as a whole is felt, and the fields in it are names.
    fn are_tables(&self) -> bool {
        self.objects.old.layout.is_none() && self.objects.new.layout.is_none()
    }

    fn role(&self) -> &'static str {
        if self.are_tables() { "table" } else { "struct" }
    }
}

/// A field on both sides.
struct Both<'m, 's, 'b> {
    members: &'m Members<'s, 'b>,
    fields: Pair<&'s Field<'b>>,
    identity: Identity,
    replacement: Option<Met>,
    relation: Relation,
    moved: Moved,
}

/// Whether a field moved others, or was moved by another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moved {
    No,
    /// What is felt of it is told of the one that moved it.
    ByAnother,
    /// What is felt of those is told of it.
    Others,
}

impl Both<'_, '_, '_> {
    fn stays(&self) -> bool {
        self.fields.old.slot == self.fields.new.slot
    }

    /// What is felt where a value reaches its field: nothing of one that moved, or that the reader has given up.
    fn felt(&self, reads: Pair<Outcome>) -> Pair<Outcome> {
        let Pair { old, new } = self.fields;
        let on = |outcome, reader: &Field<'_>| match !self.stays() || reader.is_deprecated {
            true => Outcome::Safe,
            false => outcome,
        };
        match self.members.are_tables() {
            true => Pair::new(on(reads.old, new), on(reads.new, old)),
            false => SAFE,
        }
    }
}

/// Whether anybody reads what is in a field: not where both sides have given it up.
fn is_read(fields: Pair<&Field<'_>>) -> bool {
    !fields.old.is_deprecated || !fields.new.is_deprecated
}

/// What a reader sees of a field that is never written.
fn absent(reader: &Field<'_>) -> Outcome {
    match reader {
        _ if reader.is_deprecated => Outcome::Safe,
        _ if reader.is_required => Outcome::Fails,
        _ => Outcome::Defaulted,
    }
}

/// The slots that a field takes.
pub(super) fn slots(field: &Field<'_>) -> std::ops::RangeInclusive<u16> {
    if pairing::is_union(&field.ty) { field.slot.saturating_sub(1)..=field.slot } else { field.slot..=field.slot }
}

/// The field that takes any slot of another one.
fn taker<'s, 'b>(of: &'s Object<'b>, field: &Field<'_>) -> Option<&'s Field<'b>> {
    let meets = |other: &&Field<'_>| slots(field).any(|slot| slots(other).contains(&slot));
    of.fields.iter().find(meets)
}

impl<'s, 'b> Differ<'s, 'b> {
    /// Compares all fields of a pair.
    pub(super) fn diff_fields(&mut self, members: &Members<'s, 'b>) {
        let Pair { old, new } = members.objects;
        let pairs = pairing::fields(members.objects);
        let moved_by = if members.are_tables() { pairing::moved_by(members.objects, &pairs) } else { Vec::new() };
        let mut moved = vec![Moved::No; pairs.len()];
        for (at, cause) in moved_by {
            (moved[at], moved[cause]) = (Moved::ByAnother, Moved::Others);
            let identities = [at, cause].map(|at| pairing::identity(members.objects, &members.container, pairs[at]));
            if let [Some(own), Some(cause)] = identities {
                self.own.moved_by.insert(own, cause);
            }
        }
        for (pair, moved) in pairs.into_iter().zip(moved) {
            match (pair.at.old, pair.at.new) {
                (Some(before), Some(after)) => {
                    let fields = Pair::new(&old.fields[before], &new.fields[after]);
                    self.field_pair(members, fields, (pair, moved));
                }
                (Some(before), None) => self.field_removed(members, &old.fields[before], moved),
                (None, Some(after)) => self.field_added(members, &new.fields[after], moved),
                (None, None) => {}
            }
        }
    }

    fn field_pair(
        &mut self,
        members: &Members<'s, 'b>,
        fields: Pair<&'s Field<'b>>,
        (pair, moved): (FieldPair, Moved),
    ) {
        let Pair { old, new } = fields;
        let Some(identity) = pairing::identity(members.objects, &members.container, pair) else { return };
        let types = Pair::new(&old.ty, &new.ty);
        let replacement = match is_read(fields) {
            true if members.are_tables() => self.pair_types(types),
            // Where numbers of a struct are read is told of the struct.
            true => self.pair_enums(types).or_else(|| self.pair_types(types)),
            false => {
                self.own.given_up.push(types.map(Type::clone));
                None
            }
        };
        let relation = relation::relation(self.schemas, types);
        let both = Both { members, fields, identity, replacement, relation, moved };
        if !both.stays() && members.are_tables() && moved != Moved::ByAnother {
            self.field_renumbered(&both);
        }
        let is_renamed = old.name.text != new.name.text;
        let replaced = self.replaced_types(types);
        if both.stays()
            && is_renamed
            && (relation.hurts() || matches!(replaced, Some(Met::Type(_))))
            && members.are_tables()
        {
            self.note_replaced(&both, replaced);
            return self.field_reused(&both);
        }
        if is_renamed {
            let draft = self.draft(ChangeKind::FieldRenamed, &both);
            self.push(draft);
        }
        self.field_type(&both);
        self.field_deprecated(&both);
        self.field_required(&both);
        self.field_default(&both);
        self.field_key(&both);
        self.field_nested(&both);
        self.field_offset_width(&both);
        self.field_attributes(&both);
    }

    /// Another field has the slot. What that requires, and what its default is, says nothing of the one that was there: what
    /// readers feel of that is told with it.
    fn field_reused(&mut self, both: &Both<'_, 's, 'b>) {
        let felt = [
            both.felt(self.type_reads(both)),
            self.deprecated_reads(both).unwrap_or(SAFE),
            self.required_reads(both).unwrap_or(SAFE),
            self.default_reads(both).unwrap_or(SAFE),
        ];
        let reads = felt.into_iter().fold(SAFE, |worst, one| worst.zip(one, Ord::max));
        let draft = self.draft(ChangeKind::FieldReused, both).fact(FactKey::Relation, both.relation.name());
        self.push(draft.reads(reads));
        self.field_key(both);
    }

    fn field_site(&self, members: &Members<'s, 'b>, fields: Pair<Option<&Field<'_>>>) -> Pair<Option<Site>> {
        let Pair { old, new } = self.schemas;
        Pair::new(
            fields.old.map(|field| old.site(members.objects.old.file, field.span)),
            fields.new.map(|field| new.site(members.objects.new.file, field.span)),
        )
    }

    fn draft(&self, kind: ChangeKind, both: &Both<'_, 's, 'b>) -> Draft {
        let Pair { old, new } = both.fields;
        let types = self.spelled(Pair::new(&old.ty, &new.ty));
        Draft::new(kind, format!("{}.{}", both.members.objects.new.full_name, new.name.text), both.identity.clone())
            .at(self.field_site(both.members, Pair::new(Some(old), Some(new))))
            .fact(FactKey::Number, new.slot.to_string())
            .fact(FactKey::OldName, &*old.name.text)
            .fact(FactKey::NewName, &*new.name.text)
            .fact(FactKey::OldType, types.old)
            .fact(FactKey::NewType, types.new)
            .fact(FactKey::Role, both.members.role())
            .fact(FactKey::Container, &*both.members.objects.new.full_name)
    }

    /// Both types; what an enum is stored as is said where only that differs.
    pub(super) fn spelled(&self, types: Pair<&Type>) -> Pair<String> {
        let Pair { old, new } = self.schemas;
        let names = Pair::new(old.spelled(types.old), new.spelled(types.new));
        let stored = Pair::new(under(old, types.old), under(new, types.new));
        match (stored.old, stored.new) {
            (Some(before), Some(after)) if names.old == names.new && before != after => {
                Pair::new(format!("{} stored as {before}", names.old), format!("{} stored as {after}", names.new))
            }
            _ => {
                let sorts = Pair::new(sort(types.old), sort(types.new));
                match (sorts.old, sorts.new) {
                    (Some(before), Some(after)) if names.old == names.new && before != after => {
                        Pair::new(format!("{} (a {before})", names.old), format!("{} (a {after})", names.new))
                    }
                    _ => names,
                }
            }
        }
    }

    fn type_reads(&self, both: &Both<'_, 's, 'b>) -> Pair<Outcome> {
        let types = Pair::new(&both.fields.old.ty, &both.fields.new.ty);
        let nested = both.fields.map(|field| field.nested.is_some());
        if both.relation != Relation::Same && (nested.old || nested.new) {
            // Nobody verifies a buffer inside of anything else, and what else looks like a buffer is none.
            return Pair::new(Outcome::Wrong, Outcome::Wrong);
        }
        self.replaced_struct_reads(types).unwrap_or_else(|| {
            Pair::new(relation::reads(self.schemas, types), relation::reads(self.schemas.mirrored(), types.mirrored()))
        })
    }

    fn field_type(&mut self, both: &Both<'_, 's, 'b>) {
        if both.relation == Relation::Same {
            return;
        }
        if matches!(both.relation, Relation::TypeReplaced | Relation::EnumReplaced) {
            self.following.extend(both.replacement.map(|met| (self.changes.len(), vec![met])));
        }
        self.note_replaced(both, self.replaced_types(Pair::new(&both.fields.old.ty, &both.fields.new.ty)));
        let draft = self.draft(ChangeKind::FieldTypeChanged, both).fact(FactKey::Relation, both.relation.name());
        self.push(draft.reads(both.felt(self.type_reads(both))));
    }

    /// The tables or the enums of which one took the place of the other.
    fn replaced_types(&self, types: Pair<&Type>) -> Option<Met> {
        let met = match (types.old, types.new) {
            (Type::Table(old), Type::Table(new)) => Met::Type(Pair::new(*old, *new)),
            (Type::Enum(old), Type::Enum(new)) => Met::Enum(Pair::new(*old, *new)),
            (Type::Vector(old), Type::Vector(new)) | (Type::Vector64(old), Type::Vector64(new)) => {
                return self.replaced_types(Pair::new(old, new));
            }
            _ => return None,
        };
        self.is_replaced(met).then_some(met)
    }

    /// Lets the enums pair that meet in a field of a struct.
    fn pair_enums(&mut self, types: Pair<&Type>) -> Option<Met> {
        match (types.old, types.new) {
            (Type::Enum(old), Type::Enum(new)) => self.pair(Met::Enum(Pair::new(*old, *new))),
            (Type::Array(old, _), Type::Array(new, _)) => self.pair_enums(Pair::new(old, new)),
            _ => None,
        }
    }

    /// States that a type took the place of another at the change that comes next, where data reach it.
    fn note_replaced(&mut self, both: &Both<'_, 's, 'b>, types: Option<Met>) {
        if self.is_felt && both.stays() && is_read(both.fields) && both.members.are_tables() {
            self.replaced.at(self.changes.len(), types);
        }
    }

    fn field_renumbered(&mut self, both: &Both<'_, 's, 'b>) {
        let Pair { old, new } = both.fields;
        let objects = both.members.objects;
        // Who reads this field's values under its former slot, and whose values does it read under its own.
        let misread = |writer: &Object<'_>, reader: &Object<'_>, wrote: &Field<'_>, reads: &Field<'_>| {
            let is_misread = taker(reader, wrote).is_some() || taker(writer, reads).is_some();
            let is_misread = is_misread || both.moved == Moved::Others;
            match absent(reads) {
                _ if is_misread => Outcome::Wrong,
                Outcome::Defaulted => Outcome::Lossy,
                other => other,
            }
        };
        let reads = Pair::new(misread(objects.old, objects.new, old, new), misread(objects.new, objects.old, new, old));
        let spans = Pair::new(old.id_span.unwrap_or(old.span), new.id_span.unwrap_or(new.span));
        let draft = self
            .draft(ChangeKind::FieldRenumbered, both)
            .at(Pair::new(
                Some(self.schemas.old.site(objects.old.file, spans.old)),
                Some(self.schemas.new.site(objects.new.file, spans.new)),
            ))
            .fact(FactKey::OldNumber, old.slot.to_string())
            .fact(FactKey::NewNumber, new.slot.to_string());
        self.push(draft.reads(reads));
    }

    /// What readers feel of that a field is written no longer, or again.
    fn deprecated_reads(&self, both: &Both<'_, 's, 'b>) -> Option<Pair<Outcome>> {
        let Pair { old, new } = both.fields;
        if old.is_deprecated == new.is_deprecated {
            return None;
        }
        // Writers stop to write the field where it is deprecated.
        let missed = |writer: &Field<'_>, reader: &Field<'_>| match reader {
            _ if !writer.is_deprecated => Outcome::Safe,
            _ if reader.is_required => Outcome::Fails,
            _ if reader.default == Default::Absent => Outcome::Safe,
            _ => Outcome::Defaulted,
        };
        Some(both.felt(Pair::new(missed(old, new), missed(new, old))))
    }

    fn field_deprecated(&mut self, both: &Both<'_, 's, 'b>) {
        let Some(reads) = self.deprecated_reads(both) else { return };
        let Pair { old, new } = both.fields;
        let draft = self
            .draft(ChangeKind::FieldDeprecatedChanged, both)
            .fact(FactKey::Direction, if new.is_deprecated { "gained" } else { "lost" })
            .fact(FactKey::Required, yes(old.is_required || new.is_required));
        self.push(draft.reads(reads));
    }

    /// What readers feel of that a field is demanded no longer, or from now on.
    fn required_reads(&self, both: &Both<'_, 's, 'b>) -> Option<Pair<Outcome>> {
        let Pair { old, new } = both.fields;
        if old.is_required == new.is_required || old.is_deprecated || new.is_deprecated {
            return None;
        }
        let fails = |reader: &Field<'_>| if reader.is_required { Outcome::Fails } else { Outcome::Safe };
        Some(both.felt(Pair::new(fails(new), fails(old))))
    }

    fn field_required(&mut self, both: &Both<'_, 's, 'b>) {
        let Some(reads) = self.required_reads(both) else { return };
        let direction = if both.fields.new.is_required { "gained" } else { "lost" };
        let draft = self.draft(ChangeKind::FieldRequiredChanged, both).fact(FactKey::Direction, direction);
        self.push(draft.reads(reads));
    }

    /// What readers feel of that an absent value is another one.
    fn default_reads(&self, both: &Both<'_, 's, 'b>) -> Option<Pair<Outcome>> {
        let Pair { old, new } = both.fields;
        let scalars = |side: &Type, schema: &Schema<'_>| relation::stored(schema, side).is_some();
        let are_alike = scalars(&old.ty, self.schemas.old) == scalars(&new.ty, self.schemas.new);
        if !both.members.are_tables() || !are_alike || same_default(self.schemas, both.fields) {
            return None;
        }
        // Of an earlier writer's slot nobody knows which default it left out.
        let is_kept = !old.is_deprecated && !new.is_deprecated;
        let worst = if is_kept { Outcome::Wrong } else { Outcome::Safe };
        Some(both.felt(Pair::new(worst, worst)))
    }

    fn field_default(&mut self, both: &Both<'_, 's, 'b>) {
        if has_opaque(both.fields) {
            return self.unknown_default(both);
        }
        let Some(reads) = self.default_reads(both) else { return };
        let Pair { old, new } = both.fields;
        let is_presence = old.default == Default::Absent || new.default == Default::Absent;
        let kind = if is_presence { ChangeKind::FieldPresenceChanged } else { ChangeKind::FieldDefaultChanged };
        let texts = default_texts(both.fields);
        let mut draft = self.draft(kind, both).fact(FactKey::OldValue, texts.old).fact(FactKey::NewValue, texts.new);
        if !is_presence {
            draft = draft.fact(FactKey::Default, "known");
        }
        self.push(draft.reads(reads));
    }

    /// Which number a name of an enum stands for that is in no file that was found, and which one is the default where none
    /// is written, nobody knows.
    fn unknown_default(&mut self, both: &Both<'_, 's, 'b>) {
        let texts = both.fields.map(|field| match &field.default_written {
            Some(written) => written.text.to_string(),
            None => "none".to_owned(),
        });
        let Pair { old, new } = both.fields;
        let is_left_out = both.members.are_tables() && !old.is_deprecated && !new.is_deprecated;
        let reads = both.felt(Pair::new(Outcome::Wrong, Outcome::Wrong));
        if both.relation != Relation::Same || !is_left_out || texts.old == texts.new || reads == SAFE {
            return;
        }
        let draft = self
            .draft(ChangeKind::FieldDefaultChanged, both)
            .fact(FactKey::Default, "unknown")
            .fact(FactKey::OldValue, texts.old)
            .fact(FactKey::NewValue, texts.new);
        self.push(draft.reads(reads));
    }

    fn field_key(&mut self, both: &Both<'_, 's, 'b>) {
        let Pair { old, new } = both.fields;
        if old.is_key == new.is_key {
            return;
        }
        // A vector that was sorted by one key, or by none, is searched by another one.
        let had_keys = both.members.objects.map(|of| of.fields.iter().any(|field| field.is_key));
        let direction = match new.is_key {
            true if had_keys.old => "moved",
            true => "gained",
            false => "lost",
        };
        let draft = self.draft(ChangeKind::FieldKeyChanged, both).fact(FactKey::Direction, direction);
        self.push(draft);
    }

    fn field_nested(&mut self, both: &Both<'_, 's, 'b>) {
        let Pair { old, new } = both.fields;
        let name = |schema: &Schema<'_>, of: Option<ObjectId>| {
            of.map_or_else(|| "none".to_owned(), |id| schema.object(id).full_name.to_string())
        };
        let names = Pair::new(name(self.schemas.old, old.nested), name(self.schemas.new, new.nested));
        let mut reads = SAFE;
        if let (Some(before), Some(after), true) = (old.nested, new.nested, is_read(both.fields)) {
            let types = Pair::new(before, after);
            match self.is_replaced(Met::Type(types)) {
                true => self.note_replaced(both, Some(Met::Type(types))),
                false => {
                    let replacement = self.pair(Met::Type(types)).filter(|_| names.old != names.new);
                    self.following.extend(replacement.map(|met| (self.changes.len(), vec![met])));
                }
            }
            reads = Pair::new(Outcome::Wrong, Outcome::Wrong);
        }
        if names.old != names.new {
            let direction = match (old.nested, new.nested) {
                (None, _) => "gained",
                (_, None) => "lost",
                _ => "changed",
            };
            let draft = self
                .draft(ChangeKind::FieldNestedChanged, both)
                .fact(FactKey::Direction, direction)
                .fact(FactKey::OldValue, names.old)
                .fact(FactKey::NewValue, names.new);
            self.push(draft.reads(both.felt(reads)));
        }
    }

    fn field_offset_width(&mut self, both: &Both<'_, 's, 'b>) {
        let Pair { old, new } = both.fields;
        if old.is_offset64 != new.is_offset64 && !both.relation.hurts() {
            let draft = self
                .draft(ChangeKind::FieldOffsetWidthChanged, both)
                .fact(FactKey::Direction, if new.is_offset64 { "gained" } else { "lost" });
            self.push(draft.reads(both.felt(Pair::new(Outcome::Wrong, Outcome::Wrong))));
        }
    }

    fn field_attributes(&mut self, both: &Both<'_, 's, 'b>) {
        let path = format!("{}.{}", both.members.objects.new.full_name, both.fields.new.name.text);
        let sites = self.field_site(both.members, Pair::new(Some(both.fields.old), Some(both.fields.new)));
        let Pair { old: Some(old), new: Some(new) } = sites else { return };
        let declared = Declared { role: "field", path: &path, sites: Pair::new(old, new) };
        self.attributes(&declared, Pair::new(&both.fields.old.attributes, &both.fields.new.attributes));
    }

    fn field_removed(&mut self, members: &Members<'s, 'b>, old: &'s Field<'b>, moved: Moved) {
        let objects = members.objects;
        let is_taken = members.are_tables() && taker(objects.new, old).is_some();
        let reads = match is_taken {
            _ if !members.are_tables() => SAFE,
            true if old.is_deprecated && moved == Moved::No => SAFE,
            true => Pair::new(Outcome::Wrong, Outcome::Wrong),
            false => Pair::new(Outcome::Safe, absent(old)),
        };
        let suggestion = match is_taken || members.replaced || !members.are_tables() {
            true => None,
            false => fix::put_back(self.schemas, objects, old),
        };
        let identity = identity_of(members, old);
        let draft =
            Draft::new(ChangeKind::FieldRemoved, format!("{}.{}", objects.new.full_name, old.name.text), identity)
                .at(self.field_site(members, Pair::new(Some(old), None)))
                .fact(FactKey::NumberNow, if is_taken { "used" } else { "free" })
                .fact(FactKey::Needed, yes(self.is_felt))
                .fact(FactKey::Required, yes(old.is_required))
                .fact(FactKey::Replaced, yes(members.replaced))
                .fact(FactKey::Role, members.role())
                .fact(FactKey::Number, old.slot.to_string())
                .fact(FactKey::OldName, &*old.name.text)
                .fact(FactKey::OldType, self.schemas.old.spelled(&old.ty))
                .fact(FactKey::Container, &*objects.new.full_name)
                .suggest(suggestion);
        self.push(draft.reads(reads));
    }

    fn field_added(&mut self, members: &Members<'s, 'b>, new: &'s Field<'b>, moved: Moved) {
        let objects = members.objects;
        let was_used = members.are_tables() && taker(objects.old, new).is_some();
        let reads = match was_used {
            _ if !members.are_tables() => SAFE,
            true if new.is_deprecated && moved == Moved::No => SAFE,
            true => Pair::new(Outcome::Wrong, Outcome::Wrong),
            false => Pair::new(absent(new), Outcome::Safe),
        };
        let identity = identity_of(members, new);
        let draft =
            Draft::new(ChangeKind::FieldAdded, format!("{}.{}", objects.new.full_name, new.name.text), identity)
                .at(self.field_site(members, Pair::new(None, Some(new))))
                .fact(FactKey::NumberWas, if was_used { "used" } else { "free" })
                .fact(FactKey::Required, yes(new.is_required))
                .fact(FactKey::Role, members.role())
                .fact(FactKey::Number, new.slot.to_string())
                .fact(FactKey::NewName, &*new.name.text)
                .fact(FactKey::NewType, self.schemas.new.spelled(&new.ty))
                .fact(FactKey::Container, &*objects.new.full_name);
        self.push(draft.reads(reads));
    }
}

fn identity_of(members: &Members<'_, '_>, field: &Field<'_>) -> Identity {
    pairing::by_number(&members.container, field.slot.into())
}

/// What a type of a name is, or the items of a vector are.
fn sort(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Table(_) => Some("table"),
        Type::Struct(_) => Some("struct"),
        Type::Enum(_) => Some("number"),
        Type::Union(_) => Some("union"),
        Type::Vector(items) | Type::Vector64(items) | Type::Array(items, _) => sort(items),
        Type::Scalar(_) | Type::String | Type::Opaque(_) => None,
    }
}

/// What an enum or a vector of one is stored as.
fn under(schema: &Schema<'_>, ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Enum(id) | Type::Union(id) => Some(schema.enumeration(*id).underlying.name()),
        Type::Vector(items) | Type::Vector64(items) | Type::Array(items, _) => under(schema, items),
        _ => None,
    }
}

/// Whether the type of a field is in no file that was found.
fn has_opaque(fields: Pair<&Field<'_>>) -> bool {
    [fields.old, fields.new].into_iter().any(|field| matches!(field.ty, Type::Opaque(_)))
}

/// Whether two absent slots read the same, whatever the defaults look like: of an enum the name says so.
fn same_default(schemas: Pair<&Schema<'_>>, fields: Pair<&Field<'_>>) -> bool {
    match (fields.old.default, fields.new.default) {
        (Default::Text, Default::Text) => fields.old.default_text() == fields.new.default_text(),
        (Default::Absent, Default::Absent) | (Default::Empty, Default::Empty) => true,
        (Default::Integer(old), Default::Integer(new)) => {
            old == new || share_a_name(schemas, fields.map(|field| &field.ty), Pair::new(old, new))
        }
        (Default::Real(old), Default::Real(new)) => old.to_bits() == new.to_bits() || old == new,
        (Default::Integer(whole), Default::Real(real)) | (Default::Real(real), Default::Integer(whole)) => {
            whole as f64 == real
        }
        _ => false,
    }
}

/// Whether two numbers of two enums have a name in common.
fn share_a_name(schemas: Pair<&Schema<'_>>, types: Pair<&Type>, numbers: Pair<i128>) -> bool {
    let Pair { old: Type::Enum(old), new: Type::Enum(new) } = types else { return false };
    let (before, after) = (schemas.old.enumeration(*old), schemas.new.enumeration(*new));
    let mut names = before.values.iter().filter(|value| value.number == numbers.old);
    names
        .any(|value| after.values.iter().any(|other| other.number == numbers.new && other.name.text == value.name.text))
}

/// The defaults as they are written; where they are written alike, what that stands for.
fn default_texts(fields: Pair<&Field<'_>>) -> Pair<String> {
    let texts = fields.map(default_text);
    if texts.old != texts.new {
        return texts;
    }
    fields.zip(texts, |field, text| match field.default {
        Default::Integer(number) => format!("{text} ({number})"),
        Default::Real(number) => format!("{text} ({number})"),
        Default::Absent | Default::Empty | Default::Text => text,
    })
}

fn default_text(field: &Field<'_>) -> String {
    match (&field.default_written, field.default) {
        (Some(written), _) => written.text.to_string(),
        (None, Default::Absent) => "none".to_owned(),
        (None, Default::Integer(number)) => number.to_string(),
        (None, Default::Real(number)) => number.to_string(),
        (None, Default::Empty | Default::Text) => "empty".to_owned(),
    }
}
