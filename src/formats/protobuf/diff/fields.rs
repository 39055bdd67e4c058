//! Fields of two paired messages, extensions included.

use rustc_hash::FxHashMap;

use crate::change::{ChangeKind, FactKey, Identity, Pair};
use crate::evidence::Outcome;

use super::super::fix;
use super::super::model::{Cardinality, Constant, Field, Kind, MessageId, Presence, Schema};
use super::super::pairing;
use super::super::relation::{self, End, Relation};
use super::{Differ, Draft, FieldName, Reads, Replacement, covers, yes};

/// Everything about a pair of messages that their fields' comparison needs.
pub(super) struct Members<'s, 'a> {
    pub types: Pair<MessageId>,
    pub container: String,
    pub path: String,
    pub replaced: bool,
    pub fields: Pair<Vec<&'s Field<'a>>>,
    /// For each oneof of the old message the one of the new message that continues it.
    pub oneofs: Vec<Option<u32>>,
}

impl<'s, 'a> Members<'s, 'a> {
    pub(super) fn new(schemas: Pair<&'s Schema<'a>>, types: Pair<MessageId>, replaced: bool) -> Self {
        let fields = Pair::new(
            schemas.old.all_fields(types.old).collect::<Vec<_>>(),
            schemas.new.all_fields(types.new).collect::<Vec<_>>(),
        );
        let oneofs = match_oneofs(schemas, types);
        Self {
            types,
            container: pairing::message_container(schemas, types),
            path: schemas.new.message(types.new).full_name.to_string(),
            replaced,
            fields,
            oneofs,
        }
    }

    /// The old oneof that a new one continues.
    fn old_oneof(&self, new: u32) -> Option<u32> {
        self.oneofs.iter().position(|continued| *continued == Some(new)).and_then(|index| u32::try_from(index).ok())
    }
}

/// A oneof continues under its name, else where a member of it is now.
pub(super) fn match_oneofs(schemas: Pair<&Schema<'_>>, types: Pair<MessageId>) -> Vec<Option<u32>> {
    let (old, new) = (schemas.old.message(types.old), schemas.new.message(types.new));
    let named = |name: &str| new.oneofs.iter().position(|oneof| oneof.name.text == name);
    let mut matched: Vec<Option<usize>> = old.oneofs.iter().map(|oneof| named(&oneof.name.text)).collect();
    for (index, _) in old.oneofs.iter().enumerate() {
        if matched[index].is_some() {
            continue;
        }
        let members = old.fields.iter().filter(|field| field.oneof.map(|oneof| oneof as usize) == Some(index));
        let continued = members
            .filter_map(|member| new.fields.iter().find(|field| field.number == member.number))
            .filter_map(|field| field.oneof.map(|oneof| oneof as usize))
            .find(|oneof| !matched.contains(&Some(*oneof)));
        matched[index] = continued;
    }
    matched.into_iter().map(|index| index.and_then(|index| u32::try_from(index).ok())).collect()
}

impl<'s, 'a> Differ<'s, 'a> {
    /// Compares all fields of a pair.
    pub(super) fn diff_fields(&mut self, members: &Members<'s, 'a>) {
        let Pair { old, new } = &members.fields;
        let stays = |(old, new): (&&Field<'_>, &&Field<'_>)| old.number == new.number && name_key(old) == name_key(new);
        if old.len() == new.len() && old.iter().zip(new).all(stays) {
            // The usual case needs no index.
            for (old, new) in old.iter().zip(new) {
                self.diff_field_pair(members, Pair::new(old, new));
            }
            return;
        }
        self.diff_moved_fields(members);
    }

    fn diff_moved_fields(&mut self, members: &Members<'s, 'a>) {
        let by_name = Pair::new(index_by_name(&members.fields.old), index_by_name(&members.fields.new));
        let by_number: FxHashMap<i32, usize> =
            members.fields.new.iter().enumerate().map(|(index, field)| (field.number, index)).collect();
        let mut matched = vec![false; members.fields.new.len()];
        let mut removed = Vec::new();
        for old in &members.fields.old {
            let same_number = by_number.get(&old.number).copied();
            let stays = same_number.filter(|index| name_key(members.fields.new[*index]) == name_key(old));
            let same_name = stays.or_else(|| by_name.new.get(&name_key(old)).copied());
            // A field whose own name was already in use is identified by that name, not by the number it took.
            let continues = |index: &usize| !by_name.old.contains_key(&name_key(members.fields.new[*index]));
            if let Some(index) = same_name.or(same_number.filter(continues)) {
                matched[index] = true;
                self.diff_field_pair(members, Pair::new(old, members.fields.new[index]));
            } else {
                removed.push(*old);
            }
        }
        for old in removed {
            self.field_removed(members, old);
        }
        for (index, new) in members.fields.new.iter().enumerate() {
            if !matched[index] {
                self.field_added(members, new);
            }
        }
    }

    fn diff_field_pair(&mut self, members: &Members<'s, 'a>, fields: Pair<&'s Field<'a>>) {
        let Pair { old, new } = fields;
        let identity = if old.number == new.number {
            pairing::by_number(&members.container, new.number)
        } else {
            pairing::by_name(&members.container, &new.name)
        };
        let pair = FieldPair { members, fields, identity };
        if old.number != new.number {
            self.field_renumbered(&pair);
        }
        let type_differs = self.pair_field_types(&pair);
        if old.name == new.name || old.number != new.number {
            self.field_type(&pair, type_differs);
            self.field_json_name(&pair);
        } else if is_reuse(fields, type_differs) {
            self.field_reused(&pair);
        } else {
            self.field_renamed(&pair);
            self.field_type(&pair, type_differs);
        }
        self.field_presence(&pair);
        self.field_oneof(&pair);
        self.field_default(&pair);
        self.field_encoding(&pair);
        self.field_options(&pair);
    }

    /// Lets the types of a field pair, and says whether the field's type differs in any way but the name of a message
    /// or enum that both sides have paired.
    fn pair_field_types(&mut self, pair: &FieldPair<'_, 's, 'a>) -> TypeDifference {
        let Pair { old, new } = pair.fields;
        match (old.kind, new.kind) {
            (Kind::Message(before), Kind::Message(after)) => {
                let types = Pair::new(before, after);
                self.pair_messages(types);
                let names = self.message_names(types);
                if old.delimited != new.delimited {
                    TypeDifference::Kind
                } else if names.old != names.new {
                    TypeDifference::Name(Replacement::Message(before, after))
                } else {
                    TypeDifference::None
                }
            }
            (Kind::Enum(before), Kind::Enum(after)) => {
                let types = Pair::new(before, after);
                self.pair_enums(types);
                let names = self.enum_names(types);
                if names.old == names.new {
                    TypeDifference::None
                } else {
                    TypeDifference::Name(Replacement::Enum(before, after))
                }
            }
            (Kind::Opaque, Kind::Opaque) if same_spelling(old, new) => TypeDifference::None,
            (Kind::Opaque, _) | (_, Kind::Opaque) if same_spelling(old, new) => TypeDifference::None,
            (before, after) if before == after && before != Kind::Opaque => TypeDifference::None,
            _ => TypeDifference::Kind,
        }
    }

    fn draft(&self, kind: ChangeKind, pair: &FieldPair<'_, 's, 'a>) -> Draft {
        let Pair { old, new } = pair.fields;
        let path = if new.is_extension { new.name.to_string() } else { format!("{}.{}", pair.members.path, new.name) };
        Draft::new(kind, path, pair.identity.clone())
            .at(Pair::new(self.old_site(old.file, old.ast.span), self.new_site(new.file, new.ast.span)))
            .fact(FactKey::Extension, yes(new.is_extension))
            .fact(FactKey::Number, new.number.to_string())
            .fact(FactKey::OldName, &*old.name)
            .fact(FactKey::NewName, &*new.name)
            .fact(FactKey::Container, &*pair.members.path)
    }

    fn with_types(&self, draft: Draft, pair: &FieldPair<'_, 's, 'a>) -> Draft {
        let Pair { old, new } = pair.ends(self.schemas);
        draft
            .fact(FactKey::OldType, type_text(old))
            .fact(FactKey::NewType, type_text(new))
            .fact(FactKey::OldCardinality, cardinality_text(old.field.cardinality))
            .fact(FactKey::NewCardinality, cardinality_text(new.field.cardinality))
    }

    fn field_type(&mut self, pair: &FieldPair<'_, 's, 'a>, difference: TypeDifference) {
        let Pair { old, new } = pair.fields;
        let ends = pair.ends(self.schemas);
        let key = |field: &Field<'_>| match field.cardinality {
            Cardinality::Map { key } => Some(key),
            _ => None,
        };
        let map_key_differs = matches!((key(old), key(new)), (Some(before), Some(after)) if before != after);
        let cardinality_differs = cardinality_text(old.cardinality) != cardinality_text(new.cardinality);
        let kind = match difference {
            TypeDifference::Kind => ChangeKind::FieldTypeChanged,
            _ if map_key_differs => ChangeKind::FieldTypeChanged,
            _ if cardinality_differs => ChangeKind::FieldCardinalityChanged,
            TypeDifference::Name(_) => ChangeKind::FieldTypeChanged,
            TypeDifference::None => return,
        };
        let draft = self.with_types(self.draft(kind, pair), pair);
        let mut reads = Reads::of(pair.ends(self.schemas));
        if old.number != new.number {
            // No value reaches a renumbered field on the wire; that is a change of its own.
            reads.wire = Pair::new(Outcome::Safe, Outcome::Safe);
        }
        let at = Pair::new(self.old_site(old.file, old.ast.type_span), self.new_site(new.file, new.ast.type_span));
        let draft = reads.state(draft).at(at);
        match (kind, difference) {
            (ChangeKind::FieldTypeChanged, TypeDifference::Name(replacement)) if !map_key_differs => {
                let relation = match replacement {
                    Replacement::Message(..) => Relation::MessageReplaced,
                    Replacement::Enum(..) => Relation::EnumReplaced,
                };
                self.following.push((self.changes.len(), replacement));
                self.push(draft.fact(FactKey::Relation, relation.name()));
            }
            (ChangeKind::FieldTypeChanged, _) => {
                let relation = relation::relation(ends.old, ends.new);
                self.push(draft.fact(FactKey::Relation, relation.name()));
            }
            _ => self.push(draft),
        }
    }

    fn field_reused(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let Pair { old, new } = pair.fields;
        let reads = Reads::of(pair.ends(self.schemas)).named(self.json_names(pair));
        let relation = relation::relation(pair.ends(self.schemas).old, pair.ends(self.schemas).new);
        let name_reserved = self.new_reserves_name(pair.members, &old.name);
        let draft = self
            .with_types(self.draft(ChangeKind::FieldReused, pair), pair)
            .fact(FactKey::Relation, relation.name())
            .fact(FactKey::NameReserved, yes(name_reserved));
        let at = Pair::new(self.old_site(old.file, old.ast.span), self.new_site(new.file, new.ast.span));
        self.push(reads.state(draft).at(at));
    }

    fn field_renamed(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let Pair { old, new } = pair.fields;
        let reads = Reads { wire: Pair::new(Outcome::Safe, Outcome::Safe), json: self.json_names(pair) };
        let draft = self.with_types(self.draft(ChangeKind::FieldRenamed, pair), pair);
        let at = Pair::new(self.old_site(old.file, old.ast.name.span), self.new_site(new.file, new.ast.name.span));
        self.push(reads.state(draft).at(at));
    }

    fn field_renumbered(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let Pair { old, new } = pair.fields;
        let members = pair.members;
        let at = Pair::new(self.old_site(old.file, old.ast.number_span), self.new_site(new.file, new.ast.number_span));
        let taken = members.fields.new.iter().find(|field| field.number == old.number).copied();
        let former = members.fields.old.iter().find(|field| field.number == new.number).copied();
        let schemas = self.schemas;
        let seen = |writer: &'s Schema<'a>,
                    wrote: Option<&'s Field<'a>>,
                    reader: &'s Schema<'a>,
                    read: Option<&'s Field<'a>>| {
            match (wrote, read) {
                (Some(wrote), Some(read)) => misreads(End::new(writer, wrote), End::new(reader, read)),
                _ => Outcome::Lossy,
            }
        };
        let reads_old =
            seen(schemas.old, Some(old), schemas.new, taken).max(seen(schemas.old, former, schemas.new, Some(new)));
        // What an earlier writer left at a reserved number is taken for this field.
        let is_earlier = covers(&schemas.old.message(members.types.old).reserved, new.number);
        let reads_old = if is_earlier { Outcome::Wrong } else { reads_old };
        let reads_new =
            seen(schemas.new, Some(new), schemas.old, former).max(seen(schemas.new, taken, schemas.old, Some(old)));
        let fails = |reader: &Field<'_>, outcome: Outcome| {
            if reader.presence == Presence::Required && outcome == Outcome::Lossy { Outcome::Fails } else { outcome }
        };
        let message = schemas.new.message(members.types.new);
        let was = schemas.old.message(members.types.old);
        let draft = self
            .draft(ChangeKind::FieldRenumbered, pair)
            .at(at)
            .fact(FactKey::OldNumber, old.number.to_string())
            .fact(FactKey::NewNumber, new.number.to_string())
            .fact(
                FactKey::NumberNow,
                standing(taken.is_some(), &message.reserved, &message.extension_ranges, old.number),
            )
            .fact(FactKey::NumberWas, standing(former.is_some(), &was.reserved, &was.extension_ranges, new.number))
            .fact(FactKey::Direction, if taken.is_some() || former.is_some() { "swapped" } else { "moved" })
            .fact(FactKey::ReadsOld, fails(new, reads_old).name())
            .fact(FactKey::ReadsNew, fails(old, reads_new).name());
        self.push(draft);
    }

    /// What the readers of the two versions see in JSON, as far as names decide.
    fn json_names(&self, pair: &FieldPair<'_, 's, 'a>) -> Pair<Outcome> {
        let fields = &pair.members.fields;
        let old = (self.schemas.old, &*fields.old);
        let new = (self.schemas.new, &*fields.new);
        Pair::new(json_by_name(old, new, pair.fields), json_by_name(new, old, pair.fields.mirrored()))
    }

    fn field_json_name(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let Pair { old, new } = pair.fields;
        if old.json_name == new.json_name || old.is_extension {
            return;
        }
        let json = self.json_names(pair);
        let draft = self
            .draft(ChangeKind::FieldJsonNameChanged, pair)
            .fact(FactKey::OldValue, &*old.json_name)
            .fact(FactKey::NewValue, &*new.json_name)
            .fact(FactKey::JsonReadsOld, json.old.name())
            .fact(FactKey::JsonReadsNew, json.new.name());
        self.push(draft);
    }

    fn field_presence(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let Pair { old, new } = pair.fields;
        let singular = |field: &Field<'_>| field.cardinality == Cardinality::Singular;
        let required = |field: &Field<'_>| field.presence == Presence::Required;
        if required(old) != required(new) {
            let direction = if required(new) { "gained" } else { "lost" };
            let label = |field: &Field<'_>| field.ast.label.map_or(field.ast.span, |(_, span)| span);
            let at = Pair::new(self.old_site(old.file, label(old)), self.new_site(new.file, label(new)));
            let draft = self.draft(ChangeKind::FieldRequiredChanged, pair).at(at).fact(FactKey::Direction, direction);
            self.push(draft);
        } else if old.presence != new.presence
            && singular(old)
            && singular(new)
            && old.oneof.is_none()
            && new.oneof.is_none()
        {
            let direction = if new.presence == Presence::Explicit { "gained" } else { "lost" };
            let draft = self.draft(ChangeKind::FieldPresenceChanged, pair).fact(FactKey::Direction, direction);
            self.push(draft);
        }
    }

    fn field_oneof(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let Pair { old, new } = pair.fields;
        let members = pair.members;
        let continued = old.oneof.and_then(|oneof| members.oneofs.get(oneof as usize).copied().flatten());
        if continued == new.oneof && old.oneof.is_some() == new.oneof.is_some() {
            return;
        }
        let conflicts = Pair::new(
            drops_member(Pair::new(&members.fields.old, &members.fields.new), Pair::new(old, new)),
            drops_member(Pair::new(&members.fields.new, &members.fields.old), Pair::new(new, old)),
        );
        let direction = match (old.oneof, new.oneof) {
            (None, _) => "into",
            (_, None) => "out-of",
            _ => "between",
        };
        let wire = |conflict: bool| if conflict { Outcome::Lossy } else { Outcome::Safe };
        let json = |conflict: bool| if conflict { Outcome::Fails } else { Outcome::Safe };
        let reads = Reads { wire: conflicts.map(wire), json: conflicts.map(json) };
        let name = |schema: &Schema<'_>, message: MessageId, oneof: Option<u32>| {
            oneof.map_or(String::new(), |index| schema.message(message).oneofs[index as usize].name.text.to_string())
        };
        let draft = self
            .draft(ChangeKind::FieldOneofChanged, pair)
            .fact(FactKey::Direction, direction)
            .fact(FactKey::OldValue, name(self.schemas.old, members.types.old, old.oneof))
            .fact(FactKey::NewValue, name(self.schemas.new, members.types.new, new.oneof));
        self.push(reads.state(draft));
    }

    fn field_default(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let ends = pair.ends(self.schemas);
        let (Some(old), Some(new)) = (effective_default(ends.old), effective_default(ends.new)) else { return };
        let can_be_absent = |field: &Field<'_>| field.presence != Presence::Required;
        let enums = matches!((ends.old.field.kind, ends.new.field.kind), (Kind::Enum(_), Kind::Enum(_)));
        let explicit = ends.old.field.default.is_some() || ends.new.field.default.is_some();
        // The default of an enum itself is a change of the enum, told once there.
        if same_constant(&old, &new) || (enums && !explicit) {
            return;
        }
        let outcome = |writer: &Field<'_>| if can_be_absent(writer) { Outcome::Wrong } else { Outcome::Safe };
        let wire = Pair::new(outcome(ends.old.field), outcome(ends.new.field));
        let draft = self
            .draft(ChangeKind::FieldDefaultChanged, pair)
            .fact(FactKey::OldValue, constant_text(&old))
            .fact(FactKey::NewValue, constant_text(&new));
        self.push(Reads { wire, json: wire }.state(draft));
    }

    fn field_encoding(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let Pair { old, new } = pair.fields;
        let repeated = old.cardinality == Cardinality::Repeated && new.cardinality == Cardinality::Repeated;
        if repeated && old.packed != new.packed && old.kind == new.kind {
            let direction = if new.packed { "gained" } else { "lost" };
            let draft = self.draft(ChangeKind::FieldPackedChanged, pair).fact(FactKey::Direction, direction);
            self.push(draft);
        }
        let holds_text = |field: &Field<'_>| {
            field.kind == Kind::String || field.cardinality == (Cardinality::Map { key: Kind::String })
        };
        if holds_text(old) && holds_text(new) && old.utf8 != new.utf8 {
            let direction = if new.utf8 { "gained" } else { "lost" };
            let draft = self.draft(ChangeKind::FieldUtf8Changed, pair).fact(FactKey::Direction, direction);
            self.push(draft);
        }
    }

    /// An extension of the same full name now extends another message.
    fn extension_moved(&mut self, old: &'s Field<'a>, new: &'s Field<'a>) {
        let identity = pairing::declaration("extension", &new.name);
        let draft = Draft::new(ChangeKind::ExtensionMoved, &*new.name, identity)
            .at(Pair::new(self.old_site(old.file, old.ast.span), self.new_site(new.file, new.ast.span)))
            .fact(FactKey::OldValue, extendee_name(self.schemas.old, old))
            .fact(FactKey::NewValue, extendee_name(self.schemas.new, new))
            .fact(FactKey::Number, new.number.to_string());
        self.push(draft);
    }

    fn field_removed(&mut self, members: &Members<'s, 'a>, old: &'s Field<'a>) {
        if old.is_extension
            && let Some(new) = self.schemas.new.extensions.iter().find(|new| new.name == old.name)
            && extendee_name(self.schemas.old, old) != extendee_name(self.schemas.new, new)
        {
            return self.extension_moved(old, new);
        }
        let message = self.schemas.new.message(members.types.new);
        let taken = members.fields.new.iter().any(|field| field.number == old.number);
        let is_arm = old.oneof.and_then(|oneof| members.oneofs.get(oneof as usize).copied().flatten()).is_some();
        let required = old.presence == Presence::Required;
        let number_reserved = if taken { "taken" } else { yes(covers(&message.reserved, old.number)) };
        let name_reserved = self.new_reserves_name(members, &old.name);
        let reads_new = if required { Outcome::Fails } else { Outcome::Defaulted };
        let reads_old = if is_arm { Outcome::Unrecognized } else { Outcome::Safe };
        let reads = Pair::new(reads_old, reads_new);
        let path = if old.is_extension { old.name.to_string() } else { format!("{}.{}", members.path, old.name) };
        let number = (number_reserved == "no").then_some(old.number);
        let name = (!name_reserved).then_some(&*old.name);
        let can_reserve = !old.is_extension && !members.replaced && !taken;
        let suggestion =
            can_reserve.then(|| fix::reserve_in_message(self.schemas.new, message, number, name)).flatten();
        let draft = Draft::new(ChangeKind::FieldRemoved, path, pairing::by_number(&members.container, old.number))
            .at(Pair::new(self.old_site(old.file, old.ast.span), None))
            .fact(FactKey::NumberReserved, number_reserved)
            .fact(FactKey::NameReserved, yes(name_reserved))
            .fact(FactKey::Extension, yes(old.is_extension))
            .fact(FactKey::OneofArm, yes(is_arm))
            .fact(FactKey::Required, yes(required))
            .fact(FactKey::Replaced, yes(members.replaced))
            .fact(FactKey::Number, old.number.to_string())
            .fact(FactKey::OldName, &*old.name)
            .fact(FactKey::OldType, type_text(End::new(self.schemas.old, old)))
            .fact(FactKey::Container, &*members.path)
            .suggest(suggestion);
        let strays = json_strays(self.schemas, Pair::new(&[old], &members.fields.new));
        let json = Pair::new(reads.old.max(strays.old), reads.new.max(strays.new));
        self.push(Reads { wire: reads, json }.state(draft));
    }

    fn field_added(&mut self, members: &Members<'s, 'a>, new: &'s Field<'a>) {
        let moved = |old: &Field<'_>| {
            old.name == new.name && extendee_name(self.schemas.old, old) != extendee_name(self.schemas.new, new)
        };
        if new.is_extension && self.schemas.old.extensions.iter().any(moved) {
            // Said once, where it was taken away.
            return;
        }
        let message = self.schemas.old.message(members.types.old);
        let was = standing(
            members.fields.old.iter().any(|field| field.number == new.number),
            &message.reserved,
            if new.is_extension { &[] } else { &message.extension_ranges },
            new.number,
        );
        let is_arm = new.oneof.and_then(|oneof| members.old_oneof(oneof)).is_some();
        let required = new.presence == Presence::Required;
        let reads_old = if required { Outcome::Fails } else { Outcome::Defaulted };
        let reads_new = if is_arm { Outcome::Unrecognized } else { Outcome::Safe };
        let reads = Pair::new(reads_old, reads_new);
        let path = if new.is_extension { new.name.to_string() } else { format!("{}.{}", members.path, new.name) };
        let draft = Draft::new(ChangeKind::FieldAdded, path, pairing::by_number(&members.container, new.number))
            .at(Pair::new(None, self.new_site(new.file, new.ast.span)))
            .fact(FactKey::NumberWas, was)
            .fact(FactKey::Extension, yes(new.is_extension))
            .fact(FactKey::OneofArm, yes(is_arm))
            .fact(FactKey::Required, yes(required))
            .fact(FactKey::Replaced, yes(members.replaced))
            .fact(FactKey::Number, new.number.to_string())
            .fact(FactKey::NewName, &*new.name)
            .fact(FactKey::NewType, type_text(End::new(self.schemas.new, new)))
            .fact(FactKey::Container, &*members.path);
        let strays = json_strays(self.schemas, Pair::new(&members.fields.old, &[new]));
        let json = Pair::new(reads.old.max(strays.old), reads.new.max(strays.new));
        // What an earlier writer left at a reserved number is taken for this field.
        let wire = if was == "reserved" { Pair::new(Outcome::Wrong, reads.new) } else { reads };
        self.push(Reads { wire, json }.state(draft));
    }

    fn new_reserves_name(&self, members: &Members<'s, 'a>, name: &str) -> bool {
        let reserved = &self.schemas.new.message(members.types.new).ast.reserved;
        reserved.iter().any(|statement| statement.names.iter().any(|reserved| reserved.name.text == name))
    }

    fn field_options(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let Pair { old, new } = pair.fields;
        if std::ptr::eq(old.ast, new.ast) {
            return;
        }
        for difference in super::options::differences(&old.ast.options, &new.ast.options, super::options::FIELD_EFFECTS)
        {
            let at = Pair::new(
                difference.at.old.and_then(|span| self.old_site(old.file, span)),
                difference.at.new.and_then(|span| self.new_site(new.file, span)),
            );
            let mut draft = self.draft(ChangeKind::FieldOptionChanged, pair).at(at);
            draft.identity = Identity(format!("{}/{}", pair.identity, difference.name));
            self.push(difference.state(draft));
        }
    }
}

/// Two versions of one field in their context.
struct FieldPair<'m, 's, 'a> {
    members: &'m Members<'s, 'a>,
    fields: Pair<&'s Field<'a>>,
    identity: Identity,
}

impl<'s, 'a> FieldPair<'_, 's, 'a> {
    fn ends(&self, schemas: Pair<&'s Schema<'a>>) -> Pair<End<'s, 'a>> {
        Pair::new(End::new(schemas.old, self.fields.old), End::new(schemas.new, self.fields.new))
    }
}

/// How the types of a field differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TypeDifference {
    None,
    /// A message or enum of another name, compared by its structure.
    Name(Replacement),
    Kind,
}

impl Reads {
    fn of(ends: Pair<End<'_, '_>>) -> Self {
        Reads {
            wire: Pair::new(relation::wire_reads(ends.old, ends.new), relation::wire_reads(ends.new, ends.old)),
            json: Pair::new(relation::json_reads(ends.old, ends.new), relation::json_reads(ends.new, ends.old)),
        }
    }

    /// In JSON a value arrives only if the reader knows the writer's name.
    fn named(mut self, names: Pair<Outcome>) -> Self {
        let combine = |name: Outcome, value: Outcome| if name == Outcome::Safe { value } else { name };
        self.json = Pair::new(combine(names.old, self.json.old), combine(names.new, self.json.new));
        self
    }
}

/// The same number under another name: a reuse where the type differs too, else a rename.
fn is_reuse(fields: Pair<&Field<'_>>, difference: TypeDifference) -> bool {
    let same_map = match (fields.old.cardinality, fields.new.cardinality) {
        (Cardinality::Map { key: before }, Cardinality::Map { key: after }) => before == after,
        _ => true,
    };
    match difference {
        TypeDifference::Kind => true,
        TypeDifference::Name(_) | TypeDifference::None => !same_map,
    }
}

/// Whether a reader knows a member by this name: by the JSON name and by the name in the schema.
fn knows_as(reader: &Field<'_>, name: &str) -> bool {
    reader.json_name == name || reader.name == name
}

/// What a JSON reader sees of a field when names are not what they were: a value whose name it does not know is
/// ignored, and one that is known by the name of another field is taken for that field.
fn json_by_name<'s, 'a>(
    writers: (&'s Schema<'a>, &[&'s Field<'a>]),
    readers: (&'s Schema<'a>, &[&'s Field<'a>]),
    field: Pair<&'s Field<'a>>,
) -> Outcome {
    let (writer, reader) = (field.old, field.new);
    let known = knows_as(reader, &writer.json_name);
    let ignored = match reader.presence {
        _ if known => Outcome::Safe,
        Presence::Required => Outcome::Fails,
        Presence::Explicit | Presence::Implicit => Outcome::Lossy,
    };
    let taken_by = readers.1.iter().filter(|other| other.number != reader.number && knows_as(other, &writer.json_name));
    let taken = taken_by.map(|other| misread_json(End::new(writers.0, writer), End::new(readers.0, other)));
    let others = writers.1.iter().filter(|other| other.number != writer.number && knows_as(reader, &other.json_name));
    let mistaken = others.map(|other| misread_json(End::new(writers.0, other), End::new(readers.0, reader)));
    taken.filter(|_| !known).chain(mistaken).max().unwrap_or(Outcome::Safe).max(ignored)
}

/// What the readers of each version see in JSON where a field that only one version has shares a name with a field of
/// the other version: its value is taken for that field's.
fn json_strays<'s, 'a>(schemas: Pair<&'s Schema<'a>>, fields: Pair<&[&'s Field<'a>]>) -> Pair<Outcome> {
    let mut seen = Pair::new(Outcome::Safe, Outcome::Safe);
    for old in fields.old {
        for new in fields.new {
            if knows_as(new, &old.json_name) {
                seen.old = seen.old.max(misread_json(End::new(schemas.old, old), End::new(schemas.new, new)));
            }
            if knows_as(old, &new.json_name) {
                seen.new = seen.new.max(misread_json(End::new(schemas.new, new), End::new(schemas.old, old)));
            }
        }
    }
    seen
}

/// A JSON value read by a field that it was not meant for: anything accepted is wrong, and most forms accept something
/// of most others (numbers, texts of numbers, enums by number).
fn misread_json(writer: End<'_, '_>, reader: End<'_, '_>) -> Outcome {
    let is_container = |end: End<'_, '_>| end.field.cardinality != Cardinality::Singular;
    match relation::json_reads(writer, reader) {
        Outcome::Fails if is_container(writer) || is_container(reader) => Outcome::Fails,
        _ => Outcome::Wrong,
    }
}

/// A value read by an element that it was not meant for: anything accepted is wrong.
fn misreads(writer: End<'_, '_>, reader: End<'_, '_>) -> Outcome {
    match relation::wire_reads(writer, reader) {
        Outcome::Lossy | Outcome::Fails if !partly_accepted(writer, reader) => relation::wire_reads(writer, reader),
        _ => Outcome::Wrong,
    }
}

/// Bytes that happen to be valid text are accepted; the last of several elements is.
fn partly_accepted(writer: End<'_, '_>, reader: End<'_, '_>) -> bool {
    relation::element(writer, reader) != Outcome::Lossy || relation::accepts_any(writer, reader)
}

/// What a number was or is in a message.
fn standing(used: bool, reserved: &[(i32, i32)], extensions: &[(i32, i32)], number: i32) -> &'static str {
    match number {
        _ if used => "used",
        _ if covers(reserved, number) => "reserved",
        _ if covers(extensions, number) => "extension",
        _ => "free",
    }
}

/// Whether the reader's oneof drops a value: another shared member of it could be set beside the field by the writer.
/// `sides` are (writer's fields, reader's fields), `field` the same field on both.
fn drops_member(sides: Pair<&[&Field<'_>]>, field: Pair<&Field<'_>>) -> bool {
    let Some(oneof) = field.new.oneof else { return false };
    let others = sides.new.iter().filter(|other| other.oneof == Some(oneof) && other.number != field.new.number);
    others
        .filter_map(|other| sides.old.iter().find(|written| written.number == other.number))
        .any(|written| written.oneof.is_none() || written.oneof != field.old.oneof)
}

fn name_key<'f>(field: &'f Field<'_>) -> FieldName<'f> {
    (field.is_extension, &field.name)
}

fn index_by_name<'f>(fields: &[&'f Field<'_>]) -> FxHashMap<FieldName<'f>, usize> {
    fields.iter().enumerate().map(|(index, field)| (name_key(field), index)).collect()
}

fn extendee_name(schema: &Schema<'_>, field: &Field<'_>) -> String {
    field.extendee.map_or(String::new(), |message| schema.message(message).full_name.to_string())
}

/// Opaque types are compared by the names as spelled: equal, or one the tail of the other.
fn same_spelling(old: &Field<'_>, new: &Field<'_>) -> bool {
    let spelled = |field: &Field<'_>| match &field.ast.ty {
        super::super::ast::Type::Named(name) | super::super::ast::Type::Map { value: name, .. } => {
            name.text.trim_start_matches('.').to_owned()
        }
        super::super::ast::Type::Group(_) => field.name.to_string(),
    };
    let (old, new) = (spelled(old), spelled(new));
    let tail = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('.'));
    old == new || tail(&old, &new) || tail(&new, &old)
}

/// The type as people write it, names resolved.
pub(super) fn type_text(end: End<'_, '_>) -> String {
    let kind = |kind: Kind| match kind {
        Kind::Message(id) => end.schema.message(id).full_name.to_string(),
        Kind::Enum(id) => end.schema.enumeration(id).full_name.to_string(),
        Kind::Opaque => match &end.field.ast.ty {
            super::super::ast::Type::Named(name) | super::super::ast::Type::Map { value: name, .. } => {
                name.text.to_string()
            }
            super::super::ast::Type::Group(_) => "group".to_owned(),
        },
        scalar => scalar.keyword().unwrap_or("?").to_owned(),
    };
    match end.field.cardinality {
        Cardinality::Singular => kind(end.field.kind),
        Cardinality::Repeated => format!("repeated {}", kind(end.field.kind)),
        Cardinality::Map { key } => format!("map<{}, {}>", kind(key), kind(end.field.kind)),
    }
}

fn cardinality_text(cardinality: Cardinality) -> &'static str {
    match cardinality {
        Cardinality::Singular => "singular",
        Cardinality::Repeated => "repeated",
        Cardinality::Map { .. } => "map",
    }
}

/// What a reader sees when the field is absent; `None` where nothing comparable is seen.
fn effective_default(end: End<'_, '_>) -> Option<Constant> {
    if end.field.cardinality != Cardinality::Singular {
        return None;
    }
    if let Some(constant) = &end.field.default {
        return Some(constant.clone());
    }
    Some(match end.field.kind {
        Kind::Double | Kind::Float => Constant::Float(0.0),
        Kind::Bool => Constant::Bool(false),
        Kind::String | Kind::Bytes => Constant::Bytes(Vec::new()),
        Kind::Enum(id) => {
            let first = end.schema.enumeration(id).ast.values.first()?;
            Constant::Enum(i32::try_from(first.number).ok()?)
        }
        Kind::Message(_) | Kind::Opaque => return None,
        _ => Constant::Int(0),
    })
}

/// Equal as a reader sees it. Values of kinds that cannot be compared count as equal: the type change says it.
fn same_constant(old: &Constant, new: &Constant) -> bool {
    let number = |constant: &Constant| match constant {
        Constant::Bool(value) => Some(f64::from(u8::from(*value))),
        #[expect(clippy::cast_precision_loss, reason = "only compared with numbers of another kind")]
        Constant::Int(value) => Some(*value as f64),
        Constant::Float(value) => Some(*value),
        Constant::Enum(value) => Some(f64::from(*value)),
        Constant::Bytes(_) => None,
    };
    match (old, new) {
        (Constant::Int(old), Constant::Int(new)) => old == new,
        (Constant::Bytes(old), Constant::Bytes(new)) => old == new,
        (Constant::Bytes(_), _) | (_, Constant::Bytes(_)) => true,
        _ => match (number(old), number(new)) {
            (Some(old), Some(new)) => old == new || (old.is_nan() && new.is_nan()),
            _ => true,
        },
    }
}

fn constant_text(constant: &Constant) -> String {
    match constant {
        Constant::Bool(value) => value.to_string(),
        Constant::Int(value) => value.to_string(),
        Constant::Float(value) => value.to_string(),
        Constant::Enum(value) => value.to_string(),
        Constant::Bytes(value) => format!("\"{}\"", value.escape_ascii()),
    }
}
