//! Fields of two paired messages, extensions included.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{ChangeKind, FactKey, Identity, Pair, Site};
use crate::evidence::Outcome;
use crate::formats::frame::differ::{Draft, by_either_name, yes};

use super::super::model::{Cardinality, Features, Field, Kind, MessageId, Presence, Schema};
use super::super::pairing;
use super::super::ranges::covers;
use super::super::relation::{self, End, Relation};
use super::super::relation_json;
use super::crossing::Ends;
use super::meeting::TypeDifference;
use super::members::Members;
use super::options::{FIELD_EFFECTS, are_same, differences};
use super::state::{Differ, FieldName, Met, Reads};

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
        let crossed = pairing::crossed(self.schemas, Pair::new(&members.fields.old, &members.fields.new));
        let crossed_old: FxHashMap<usize, usize> = crossed.iter().map(|at| (at.old, at.new)).collect();
        let crossed_new: FxHashSet<usize> = crossed.iter().map(|at| at.new).collect();
        let mut matched = vec![false; members.fields.new.len()];
        let mut removed = Vec::new();
        for (at, old) in members.fields.old.iter().enumerate() {
            let same_number = by_number.get(&old.number).copied();
            let stays = same_number.filter(|index| name_key(members.fields.new[*index]) == name_key(old));
            let same_name = stays.or_else(|| by_name.new.get(&name_key(old)).or(crossed_old.get(&at)).copied());
            // A field whose own name was already in use is identified by that name, not by the number it took.
            let continues = |index: &usize| {
                !crossed_new.contains(index) && !by_name.old.contains_key(&name_key(members.fields.new[*index]))
            };
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
        let (type_differs, replaced) = self.pair_field_types(fields);
        self.field_closed_for_languages(members, fields);
        if matches!((type_differs, replaced), (TypeDifference::None, None)) && is_as_before(fields) {
            return;
        }
        let identity = if old.number == new.number {
            pairing::by_number(&members.container, new.number)
        } else {
            by_either_name(&members.container, fields.map(|field| &*field.name))
        };
        let pair = FieldPair { members, fields, identity, replaced };
        if old.number != new.number {
            self.field_renumbered(&pair);
        }
        if name_key(old) == name_key(new) {
            self.field_type(&pair, type_differs);
            self.field_json_name(&pair);
        } else if old.number == new.number && is_reuse(fields, type_differs) {
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

    /// Features of Java and C++ close an enum for one field, or for those of a file.
    fn field_closed_for_languages(&mut self, members: &Members<'s, 'a>, fields: Pair<&'s Field<'a>>) {
        let Some(found) = self.closed_for_languages(fields) else { return };
        let Pair { old, new } = fields;
        let path = if new.is_extension { new.name.to_string() } else { format!("{}.{}", members.path, new.name) };
        let at = Pair::new(
            self.old_site(old.file, found.at.old.unwrap_or(old.ast.span)),
            self.new_site(new.file, found.at.new.unwrap_or(new.ast.span)),
        );
        let draft = found.draft(path, &pairing::by_number(&members.container, new.number), fields).at(at);
        self.push(draft.fact(FactKey::Container, &*members.path));
    }

    /// States that a type took the place of another at the change that comes next.
    fn note_replaced(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        self.replaced.at(self.changes.len(), pair.replaced);
    }

    pub(super) fn draft(&self, kind: ChangeKind, pair: &FieldPair<'_, 's, 'a>) -> Draft {
        let Pair { old, new } = pair.fields;
        let path = if new.is_extension { new.name.to_string() } else { format!("{}.{}", pair.members.path, new.name) };
        Draft::new(kind, path, pair.identity.clone())
            .at(Pair::new(self.old_site(old.file, old.ast.span), self.new_site(new.file, new.ast.span)))
            .fact(FactKey::Extension, yes(new.is_extension))
            .fact(FactKey::Number, new.number.to_string())
            .fact(FactKey::OldName, name_beside(old, new))
            .fact(FactKey::NewName, name_beside(new, old))
            .fact(FactKey::Container, &*pair.members.path)
    }

    fn field_decided_at(
        &self,
        pair: &FieldPair<'_, 's, 'a>,
        decided: (&str, fn(Pair<&Features>) -> bool),
    ) -> Pair<Option<Site>> {
        let Pair { old, new } = pair.fields;
        self.decided_at(Pair::new(old.file, new.file), Pair::new(old.ast.span, new.ast.span), decided)
    }

    fn with_types(&self, draft: Draft, pair: &FieldPair<'_, 's, 'a>) -> Draft {
        let Pair { old, new } = pair.ends(self.schemas);
        draft
            .types(Pair::new(type_text(old), type_text(new)), Pair::new(sort(old), sort(new)))
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
        let mut reads = self.reads(pair).known(pair);
        if old.number != new.number {
            // No value reaches a renumbered field on the wire; that is a change of its own.
            reads.wire = Pair::new(Outcome::Safe, Outcome::Safe);
        }
        let at = Pair::new(self.old_site(old.file, old.ast.type_span), self.new_site(new.file, new.ast.type_span));
        let draft = reads.state(draft).at(at);
        self.note_replaced(pair);
        match (kind, difference) {
            (ChangeKind::FieldTypeChanged, TypeDifference::Name(replacement)) if !map_key_differs => {
                let relation = match replacement {
                    Met::Type(_) => Relation::MessageReplaced,
                    Met::Enum(_) => Relation::EnumReplaced,
                };
                if pair.replaced.is_none() {
                    self.following.push((self.changes.len(), vec![replacement]));
                }
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
        let reads = self.reads(pair).named(self.json_names(pair));
        let relation = relation::relation(pair.ends(self.schemas).old, pair.ends(self.schemas).new);
        let name_reserved =
            self.own.reserved.have(&self.schemas.new.message(pair.members.types.new).ast.reserved, &old.name);
        let draft = self
            .with_types(self.draft(ChangeKind::FieldReused, pair), pair)
            .fact(FactKey::Relation, relation.name())
            .fact(FactKey::NameReserved, yes(name_reserved));
        let at = Pair::new(self.old_site(old.file, old.ast.span), self.new_site(new.file, new.ast.span));
        self.note_replaced(pair);
        self.push(reads.state(draft).at(at));
    }

    /// What readers see of the field as far as its type decides. Of a message that shares nothing with the one in its
    /// place, nothing arrives.
    fn reads(&self, pair: &FieldPair<'_, 's, 'a>) -> Reads {
        let mut reads = Reads::of(pair.ends(self.schemas));
        if let Some(Met::Type(types)) = pair.replaced
            && self.are_disjoint(types)
        {
            for outcome in [&mut reads.wire, &mut reads.json] {
                *outcome = outcome.map(|outcome| outcome.max(Outcome::Lossy));
            }
        }
        if let Some(Met::Enum(_)) = pair.replaced {
            let Pair { old, new } = pair.ends(self.schemas);
            let set_aside = Pair::new(relation::set_aside(new), relation::set_aside(old));
            reads.wire = Pair::new(reads.wire.old.max(set_aside.old), reads.wire.new.max(set_aside.new));
            let left_out = Pair::new(relation::left_out(new), relation::left_out(old));
            reads.json = Pair::new(reads.json.old.max(left_out.old), reads.json.new.max(left_out.new));
        }
        reads
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
        let taken = members.crossing().at_new(old.number);
        let former = members.crossing().at_old(new.number);
        let schemas = self.schemas;
        let message = schemas.new.message(members.types.new);
        let was = schemas.old.message(members.types.old);
        let former_is = standing(former.is_some(), &was.reserved, &was.extension_ranges, new.number);
        let (backward, forward) = (members.crossing().backward(), members.crossing().forward());
        let reads_old = match former_is {
            // It belonged to a field of earlier data, which a new reader takes for this one.
            "reserved" => Outcome::Wrong,
            _ => backward.misread(Some(old), taken).max(backward.misread(former, Some(new))),
        };
        let reads_new = forward.misread(Some(new), former).max(forward.misread(taken, Some(old)));
        let fails = |reader: &Field<'_>, outcome: Outcome| {
            if reader.presence == Presence::Required && outcome == Outcome::Lossy { Outcome::Fails } else { outcome }
        };
        let draft = self
            .draft(ChangeKind::FieldRenumbered, pair)
            .at(at)
            .fact(FactKey::OldNumber, old.number.to_string())
            .fact(FactKey::NewNumber, new.number.to_string())
            .fact(
                FactKey::NumberNow,
                standing(taken.is_some(), &message.reserved, &message.extension_ranges, old.number),
            )
            .fact(FactKey::NumberWas, former_is)
            .fact(FactKey::Direction, if taken.is_some() || former.is_some() { "swapped" } else { "moved" })
            .fact(FactKey::ReadsOld, fails(new, reads_old).name())
            .fact(FactKey::ReadsNew, fails(old, reads_new).name());
        self.push(draft);
    }

    /// What the readers of the two versions see in JSON, as far as names decide.
    fn json_names(&self, pair: &FieldPair<'_, 's, 'a>) -> Pair<Outcome> {
        let crossing = pair.members.crossing();
        Pair::new(crossing.backward().json_by_name(pair.backward()), crossing.forward().json_by_name(pair.forward()))
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
            let at = self
                .field_decided_at(pair, ("field_presence", |side| side.old.field_presence != side.new.field_presence));
            let draft = self.draft(ChangeKind::FieldPresenceChanged, pair).at(at).fact(FactKey::Direction, direction);
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
        let crossing = members.crossing();
        let conflicts = Pair::new(
            crossing.backward().drops_member(pair.backward()),
            crossing.forward().drops_member(pair.forward()),
        );
        let direction = match (old.oneof, new.oneof) {
            (None, _) => "into",
            (_, None) => "out-of",
            _ => "between",
        };
        let reads = Reads { wire: conflicts.map(|(wire, _)| wire), json: conflicts.map(|(_, json)| json) };
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

    fn field_encoding(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let Pair { old, new } = pair.fields;
        let repeated = old.cardinality == Cardinality::Repeated && new.cardinality == Cardinality::Repeated;
        if repeated && old.packed != new.packed && old.kind == new.kind {
            let direction = if new.packed { "gained" } else { "lost" };
            let at =
                self.field_decided_at(pair, ("repeated_field_encoding", |side| side.old.packed != side.new.packed));
            let draft = self.draft(ChangeKind::FieldPackedChanged, pair).at(at).fact(FactKey::Direction, direction);
            self.push(draft);
        }
        let holds_text = |field: &Field<'_>| {
            field.kind == Kind::String || field.cardinality == (Cardinality::Map { key: Kind::String })
        };
        if holds_text(old) && holds_text(new) && old.utf8 != new.utf8 {
            let direction = if new.utf8 { "gained" } else { "lost" };
            // No value reaches a renumbered field; that is a change of its own.
            let fails = |reader: &Field<'_>| {
                if reader.utf8 && old.number == new.number { Outcome::Fails } else { Outcome::Safe }
            };
            let at = self.field_decided_at(pair, ("utf8_validation", |side| side.old.utf8 != side.new.utf8));
            let draft = self
                .draft(ChangeKind::FieldUtf8Changed, pair)
                .at(at)
                .fact(FactKey::Direction, direction)
                .fact(FactKey::ReadsOld, fails(new).name())
                .fact(FactKey::ReadsNew, fails(old).name());
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
            && new.extendee.is_some_and(|message| self.declared.has_new(message))
        {
            return self.extension_moved(old, new);
        }
        let message = self.schemas.new.message(members.types.new);
        let taken = members.crossing().at_new(old.number).is_some();
        let is_arm = old.oneof.and_then(|oneof| members.oneofs.get(oneof as usize).copied().flatten()).is_some();
        let required = old.presence == Presence::Required;
        let number_reserved = match taken {
            true => "taken",
            // No field can take a number that is left to extensions, and none of these can be reserved.
            false if !old.is_extension && covers(&message.extension_ranges, old.number) => "extensions",
            false => yes(covers(&message.reserved, old.number)),
        };
        let name_reserved = self.own.reserved.have(&message.ast.reserved, &old.name);
        let reads_new = if required { Outcome::Fails } else { Outcome::Defaulted };
        let reads_old = if is_arm { Outcome::Unrecognized } else { Outcome::Safe };
        let crossing = members.crossing();
        let filled = crossing.forward().is_always_filled(old);
        let reads = Pair::new(reads_old, if filled { Outcome::Safe } else { reads_new });
        let json = Pair::new(
            reads_old.max(crossing.backward().json_left(old)),
            reads_new.max(crossing.forward().json_mistaken(old, None)),
        );
        let path = if old.is_extension { old.name.to_string() } else { format!("{}.{}", members.path, old.name) };
        let number = (number_reserved == "no").then_some(old.number);
        let name = (!name_reserved).then_some(&*old.name);
        let can_reserve = !old.is_extension && !members.replaced && !taken;
        let suggestion =
            can_reserve.then(|| self.own.bodies.reserve_in_message(self.schemas.new, message, number, name)).flatten();
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
        self.push(Reads { wire: reads, json }.state(draft));
    }

    fn field_added(&mut self, members: &Members<'s, 'a>, new: &'s Field<'a>) {
        // What extended a message that is gone with it was taken away from nothing that is compared.
        let goes_on = |old: &Field<'_>| old.extendee.is_some_and(|message| self.declared.has_old(message));
        let moved = |old: &Field<'_>| {
            old.name == new.name
                && extendee_name(self.schemas.old, old) != extendee_name(self.schemas.new, new)
                && goes_on(old)
        };
        if new.is_extension && self.schemas.old.extensions.iter().any(moved) {
            // Said once, where it was taken away.
            return;
        }
        let message = self.schemas.old.message(members.types.old);
        let was = standing(
            members.crossing().at_old(new.number).is_some(),
            &message.reserved,
            if new.is_extension { &[] } else { &message.extension_ranges },
            new.number,
        );
        let is_arm = new.oneof.and_then(|oneof| members.old_oneof(oneof)).is_some();
        let required = new.presence == Presence::Required;
        let reads_old = if required { Outcome::Fails } else { Outcome::Defaulted };
        let reads_new = if is_arm { Outcome::Unrecognized } else { Outcome::Safe };
        // A reserved number belonged to a field of earlier data, which a new reader takes for this one.
        let crossing = members.crossing();
        let earlier = match was {
            "reserved" => Outcome::Wrong,
            _ if crossing.backward().is_always_filled(new) => Outcome::Safe,
            _ => reads_old,
        };
        let reads = Pair::new(earlier, reads_new);
        let json = Pair::new(
            reads_old.max(crossing.backward().json_mistaken(new, None)),
            reads_new.max(crossing.forward().json_left(new)),
        );
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
        self.push(Reads { wire: reads, json }.state(draft));
    }

    fn field_options(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let Pair { old, new } = pair.fields;
        if std::ptr::eq(old.ast, new.ast) {
            return;
        }
        let options = Pair::new(&*old.ast.options, &*new.ast.options);
        let features = self.language_features(Pair::new(old.file, new.file), options, false);
        for difference in differences(options.old, options.new, FIELD_EFFECTS).into_iter().chain(features) {
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

/// Whether a field in no oneof and without a default of its own is what it was, but for its type.
fn is_as_before(fields: Pair<&Field<'_>>) -> bool {
    let Pair { old, new } = fields;
    let plain = |field: &Field<'_>| field.oneof.is_none() && field.default.is_none();
    let data = |field: &Field<'_>| (field.number, field.cardinality, field.presence, field.is_extension);
    let encoding = |field: &Field<'_>| (field.packed, field.delimited, field.utf8);
    (plain(old) && plain(new))
        && (data(old) == data(new) && encoding(old) == encoding(new))
        && (old.name == new.name && old.json_name == new.json_name)
        && are_same(&old.ast.options, &new.ast.options)
}

/// Two versions of one field in their context.
pub(super) struct FieldPair<'m, 's, 'a> {
    members: &'m Members<'s, 'a>,
    fields: Pair<&'s Field<'a>>,
    identity: Identity,
    /// Which type took the place of which.
    replaced: Option<Met>,
}

impl<'s, 'a> FieldPair<'_, 's, 'a> {
    pub(super) fn ends(&self, schemas: Pair<&'s Schema<'a>>) -> Pair<End<'s, 'a>> {
        Pair::new(End::new(schemas.old, self.fields.old), End::new(schemas.new, self.fields.new))
    }

    fn backward(&self) -> Ends<'s, 'a> {
        Ends { writer: self.fields.old, reader: self.fields.new }
    }

    fn forward(&self) -> Ends<'s, 'a> {
        Ends { writer: self.fields.new, reader: self.fields.old }
    }
}

impl Reads {
    fn of(ends: Pair<End<'_, '_>>) -> Self {
        Reads {
            wire: Pair::new(relation::wire_reads(ends.old, ends.new), relation::wire_reads(ends.new, ends.old)),
            json: Pair::new(
                relation_json::json_reads(ends.old, ends.new),
                relation_json::json_reads(ends.new, ends.old),
            ),
        }
    }

    /// What a JSON reader makes of a name that it does not know is told at the name.
    fn known(mut self, pair: &FieldPair<'_, '_, '_>) -> Self {
        let crossing = pair.members.crossing();
        if !crossing.backward().is_known(pair.backward()) {
            self.json.old = Outcome::Safe;
        }
        if !crossing.forward().is_known(pair.forward()) {
            self.json.new = Outcome::Safe;
        }
        self
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

/// What a number was or is in a message.
fn standing(used: bool, reserved: &[(i32, i32)], extensions: &[(i32, i32)], number: i32) -> &'static str {
    match number {
        _ if used => "used",
        _ if covers(reserved, number) => "reserved",
        _ if covers(extensions, number) => "extension",
        _ => "free",
    }
}

/// What a field is called beside another: an extension in the place of an ordinary field as JSON spells it.
fn name_beside(field: &Field<'_>, other: &Field<'_>) -> String {
    if field.is_extension && !other.is_extension { format!("[{}]", field.name) } else { field.name.to_string() }
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

/// What a type with a name is; of a map, what its values are.
fn sort(end: End<'_, '_>) -> Option<&'static str> {
    match end.field.kind {
        Kind::Message(_) => Some("a message"),
        Kind::Enum(_) => Some("an enum"),
        _ => None,
    }
}

fn cardinality_text(cardinality: Cardinality) -> &'static str {
    match cardinality {
        Cardinality::Singular => "singular",
        Cardinality::Repeated => "repeated",
        Cardinality::Map { .. } => "map",
    }
}
