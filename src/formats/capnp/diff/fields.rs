//! Fields of two paired structs, and of the parameters and results of methods.

use crate::change::{ChangeKind, FactKey, Pair, Side, Site};
use crate::evidence::Outcome;

use super::super::defaults;
use super::super::felt::{felt, worse};
use super::super::model::{Absence, Field, Schema, Sort, Struct, StructId, Type};
use super::super::names;
use super::super::pairing::{self, FieldPair, Paired};
use super::super::relation::{self, Relation, are_interfaces};
use super::differ::{About, Asked, Differ, Meetings};
use crate::change::Identity;
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::{Draft, SAFE, yes};
use crate::text;
use crate::value::Value;

/// Everything about a pair of structs that their fields' comparison needs.
pub(super) struct Members<'s, 'b> {
    types: Pair<StructId>,
    pub(super) structs: Pair<&'s Struct<'b>>,
    /// The new name; of parameters and results that of the method.
    pub(super) path: String,
    paired: Paired,
    /// Whether the one merely took the other's place.
    pub(super) is_replaced: bool,
}

impl<'s, 'b> Members<'s, 'b> {
    pub(super) fn new(schemas: Pair<&'s Schema<'b>>, types: Pair<StructId>, is_replaced: bool) -> Self {
        let structs = Pair::new(schemas.old.structure(types.old), schemas.new.structure(types.new));
        let name = &*structs.new.full_name;
        let method = name.strip_suffix(" parameters").or_else(|| name.strip_suffix(" results"));
        let container = pairing::struct_container(schemas, types);
        let paired = pairing::paired(structs, &container);
        Self { types, structs, path: method.unwrap_or(name).to_owned(), paired, is_replaced }
    }
}

/// A field on both sides.
struct Both<'m, 's, 'b> {
    members: &'m Members<'s, 'b>,
    fields: Pair<&'s Field<'b>>,
    identity: Identity,
    /// Whether its name identifies it.
    is_moved: bool,
    /// Whether others lie elsewhere because of it.
    is_cause: bool,
    meetings: Meetings,
    relation: Relation,
}

/// Whether who uses the struct decides what a field of it holds.
fn is_given_elsewhere(both: &Both<'_, '_, '_>) -> bool {
    let Pair { old, new } = both.fields.map(|field| field.ty.depends());
    (old || new) && matches!(both.relation, Relation::Taken | Relation::Binding) && !both.is_cause
}

/// What a struct is called in facts.
fn role(sort: Sort) -> &'static str {
    match sort {
        Sort::Struct => "struct",
        Sort::Parameters => "parameters",
        Sort::Results => "results",
    }
}

/// How much is shown of what a default stands for.
const SHOWN: usize = 60;

/// The worst both ways.
const WRONG: Pair<Outcome> = Pair::new(Outcome::Wrong, Outcome::Wrong);

impl<'s, 'b> Differ<'s, 'b> {
    /// Compares all fields of a pair.
    pub(super) fn diff_fields(&mut self, members: &Members<'s, 'b>) {
        let Pair { old, new } = members.structs;
        for (at, pair) in members.paired.fields.iter().enumerate() {
            match (pair.at.old, pair.at.new) {
                (Some(before), Some(after)) => {
                    self.field_pair(members, at, pair, Pair::new(&old.fields[before], &new.fields[after]));
                }
                (Some(before), None) => self.field_removed(members, at, &old.fields[before]),
                (None, Some(after)) => self.field_added(members, at, &new.fields[after]),
                (None, None) => {}
            }
            let is_alone = pair.at.old.is_none() != pair.at.new.is_none();
            let is_in_the_way =
                members.paired.is_taken[at] && members.paired.told_of[at] == members.paired.identities[at];
            if is_alone && (is_in_the_way || members.paired.causes.contains(&at)) {
                self.layout_shifted(members, at, pair);
            }
        }
    }

    /// That a field which only one side has moved others.
    fn layout_shifted(&mut self, members: &Members<'s, 'b>, at: usize, pair: &FieldPair) {
        let Pair { old, new } = members.structs;
        let old = pair.at.old.map(|at| (&old.fields[at], self.schemas.old.site(old.file, old.fields[at].span)));
        let new = pair.at.new.map(|at| (&new.fields[at], self.schemas.new.site(new.file, new.fields[at].span)));
        let Some((field, _)) = new.as_ref().or(old.as_ref()) else { return };
        let field = *field;
        let sites = Pair::new(old.map(|(_, site)| site), new.map(|(_, site)| site));
        let draft = self.alone(ChangeKind::StructLayoutChanged, members, (at, field), sites).reads(WRONG);
        self.push(draft);
    }

    fn field_pair(&mut self, members: &Members<'s, 'b>, at: usize, pair: &FieldPair, fields: Pair<&'s Field<'b>>) {
        let types = Pair::new(&fields.old.ty, &fields.new.ty);
        let meetings = self.pair_types(types);
        let both = Both {
            members,
            fields,
            identity: members.paired.identities[at].clone(),
            is_moved: pair.by_name,
            is_cause: members.paired.causes.contains(&at),
            meetings,
            relation: relation::of_fields(self.schemas, members.structs, fields),
        };
        if both.is_moved {
            self.field_renumbered(&both);
        }
        let hurts = self.hurts(&both);
        if let (true, Some(old), Some(new)) = (is_given_elsewhere(&both), pair.at.old, pair.at.new) {
            let about = About::Field(members.types, Pair::new(old, new));
            self.own.asked.push(Asked { identity: both.identity.clone(), about });
        }
        let is_renamed = fields.old.path != fields.new.path;
        let is_hurt = hurts.old.max(hurts.new) >= Outcome::Lossy && both.relation != Relation::Taken;
        let is_hurt = is_hurt && !is_emptied(fields);
        let is_other = !both.is_moved && is_renamed && fields.old.name.text != fields.new.name.text && is_hurt;
        if is_other {
            // Its default is one of another field, which says nothing by itself.
            self.field_reused(&both, worse(hurts, self.default_reads(&both)));
        } else {
            if is_renamed {
                self.field_renamed(&both);
            }
            self.field_type(&both, hurts);
        }
        self.field_union(&both);
        if !is_other {
            self.field_default(&both);
        }
        let is_untold = both.is_cause && both.relation != Relation::Space && !self.is_in_other_union(&both);
        if is_untold || self.is_elsewhere_by_itself(&both, at) {
            let draft = self.draft(ChangeKind::StructLayoutChanged, &both);
            self.push(draft.reads(WRONG));
        }
        self.field_annotations(&both);
    }

    /// What readers may see of each other's data. Where nobody uses what takes a type, and a type was taken before, somebody
    /// may have given one that is another than what is there now.
    fn hurts(&self, both: &Both<'_, 's, 'b>) -> Pair<Outcome> {
        let Pair { old, new } = both.fields.map(|field| &field.ty);
        if both.relation == Relation::Binding && !is_given_elsewhere(both) {
            return felt(self.schemas, both.fields.map(|field| &field.held));
        }
        let mut hurts = relation::reads(self.schemas, Pair::new(old, new));
        // What is given to a generic struct under another name may be another type as well.
        if both.relation == Relation::Named && holds_struct(old) && holds_struct(new) {
            hurts = worse(hurts, felt(self.schemas, both.fields.map(|field| &field.held)));
        }
        if both.relation == Relation::Taken {
            let is_taken = |ty: &Type| matches!(ty, Type::Parameter(_));
            let was_taken = both.members.structs.old.around.iter().any(|count| *count > 0);
            hurts.old = if is_taken(new) && was_taken { Outcome::Fails } else { hurts.old };
            let is_taken_still = both.members.structs.new.around.iter().any(|count| *count > 0);
            hurts.new = if is_taken(old) && is_taken_still { Outcome::Fails } else { hurts.new };
        }
        hurts
    }

    fn draft(&self, kind: ChangeKind, both: &Both<'_, 's, 'b>) -> Draft {
        let Pair { old, new } = both.fields;
        let structs = both.members.structs;
        Draft::new(kind, format!("{}.{}", both.members.path, new.path), both.identity.clone())
            .at(Pair::new(
                Some(self.schemas.old.site(structs.old.file, old.span)),
                Some(self.schemas.new.site(structs.new.file, new.span)),
            ))
            .fact(FactKey::Number, new.ordinal.to_string())
            .fact(FactKey::OldName, &*old.path)
            .fact(FactKey::NewName, &*new.path)
            .types(
                Pair::new(self.schemas.old.spelled(&old.ty), self.schemas.new.spelled(&new.ty)),
                Pair::new(sort(&old.ty), sort(&new.ty)),
            )
            .fact(FactKey::Role, role(structs.new.sort))
            .fact(FactKey::Container, &*structs.new.full_name)
    }

    fn field_renumbered(&mut self, both: &Both<'_, 's, 'b>) {
        let Pair { old, new } = both.fields;
        let is_same_place = !pairing::lies_elsewhere(both.members.structs, both.fields)
            && !self.is_in_other_union(both)
            && !both.is_cause;
        let reads = if is_same_place { SAFE } else { WRONG };
        let draft = self
            .draft(ChangeKind::FieldRenumbered, both)
            .fact(FactKey::OldNumber, old.ordinal.to_string())
            .fact(FactKey::NewNumber, new.ordinal.to_string())
            .fact(FactKey::Structure, if is_same_place { "same-place" } else { "elsewhere" })
            .reads(reads);
        self.push(draft);
    }

    fn field_reused(&mut self, both: &Both<'_, 's, 'b>, hurts: Pair<Outcome>) {
        let reads = if both.is_cause { WRONG } else { hurts };
        let draft = self
            .draft(ChangeKind::FieldReused, both)
            .fact(FactKey::Relation, both.relation.name())
            .fact(FactKey::Structure, if both.is_cause { "moves" } else { "stays" })
            .reads(reads);
        let index = self.changes.len();
        self.push(draft);
        self.replaced.at(index, both.meetings.replaced.iter().copied());
    }

    fn field_renamed(&mut self, both: &Both<'_, 's, 'b>) {
        let Pair { old, new } = both.fields;
        let how = match (old.name.text == new.name.text, pairing::is_retired(&new.name.text)) {
            (true, _) => "grouped",
            (false, true) if !pairing::is_retired(&old.name.text) => "retired",
            (false, _) if pairing::is_retired(&old.name.text) => "reused",
            (false, _) => "renamed",
        };
        let draft = self.draft(ChangeKind::FieldRenamed, both).fact(FactKey::Direction, how).reads(SAFE);
        self.push(draft);
    }

    fn field_type(&mut self, both: &Both<'_, 's, 'b>, hurts: Pair<Outcome>) {
        // Where another field moved what says that this one is set, what is felt of both is told of it.
        let is_moved = both.relation == Relation::Space && pairing::has_another_tag(both.members.structs, both.fields);
        let reads = match both.relation {
            Relation::Same => return,
            // What joins a union says so by itself.
            Relation::Space if both.is_cause || is_moved => WRONG,
            _ => hurts,
        };
        let relation = match both.relation {
            _ if is_emptied(both.fields) => "emptied",
            Relation::Named | Relation::Any | Relation::ListItems
                if are_interfaces(both.fields.map(|field| &field.ty)) =>
            {
                "interface"
            }
            relation => relation.name(),
        };
        let mut draft = self
            .draft(ChangeKind::FieldTypeChanged, both)
            .fact(FactKey::Relation, relation)
            .fact(FactKey::Structure, if both.is_cause { "moves" } else { "stays" })
            .reads(reads);
        if both.relation == Relation::Taken {
            let is_first = hurts.old == Outcome::Safe && matches!(both.fields.new.ty, Type::Parameter(_));
            draft = draft.fact(FactKey::Direction, if is_first { "first" } else { "again" });
        }
        let index = self.changes.len();
        self.push(draft);
        let is_given_other = || felt(self.schemas, both.fields.map(|field| &field.held)) != SAFE;
        let follows = both.relation == Relation::Named && both.meetings.replaced.is_empty() && !both.is_cause;
        let follows = follows && !(holds_struct(&both.fields.new.ty) && is_given_other());
        if follows && !both.meetings.renamed.is_empty() {
            self.following.push((index, both.meetings.renamed.clone()));
        }
        self.replaced.at(index, both.meetings.replaced.iter().copied());
    }

    fn is_in_other_union(&self, both: &Both<'_, 's, 'b>) -> bool {
        let structs = both.members.structs;
        !pairing::is_same_around(structs, both.fields) || pairing::stands_in_exchanged_members(structs, both.fields)
    }

    /// Whether a field lies elsewhere though nobody edited anything that decides where.
    fn is_elsewhere_by_itself(&self, both: &Both<'_, 's, 'b>, at: usize) -> bool {
        let structs = both.members.structs;
        !both.is_moved
            && !both.is_cause
            && both.members.paired.told_of[at] == both.identity
            && pairing::lies_elsewhere(structs, both.fields)
            && !pairing::is_edited(structs, both.fields)
    }

    fn field_union(&mut self, both: &Both<'_, 's, 'b>) {
        if both.is_moved || !self.is_in_other_union(both) {
            return;
        }
        let Pair { old, new } = both.members.structs;
        let are_exchanged = pairing::stands_in_exchanged_members(both.members.structs, both.fields);
        let name = |of: &Struct<'_>, field: &Field<'_>| match field.guards.last() {
            None => "none".to_owned(),
            Some(guard) if are_exchanged => {
                let member = of.unions[guard.union].members.get(usize::from(guard.member));
                member.map_or_else(String::new, |member| format!("member `{}`", member.name.text))
            }
            Some(guard) if of.unions[guard.union].is_unnamed => "the unnamed union".to_owned(),
            Some(guard) => format!("union `{}`", of.unions[guard.union].path),
        };
        let direction = match both.fields.new.guards.len().cmp(&both.fields.old.guards.len()) {
            std::cmp::Ordering::Greater => "into",
            std::cmp::Ordering::Less => "out-of",
            std::cmp::Ordering::Equal => "between",
        };
        let (was, is) = (name(old, both.fields.old), name(new, both.fields.new));
        let became = match direction {
            "into" if was == is => "moved into another unnamed union, inside of the one that it was in".to_owned(),
            "out-of" if was == is => "moved out of an unnamed union, to the one around that".to_owned(),
            _ if was == is => "moved from one unnamed union to another".to_owned(),
            _ => format!("moved from {was} to {is}"),
        };
        let draft = self
            .draft(ChangeKind::FieldOneofChanged, both)
            .fact(FactKey::Direction, direction)
            .fact(FactKey::OldValue, was)
            .fact(FactKey::NewValue, is)
            .fact(FactKey::Became, became)
            .fact(FactKey::Content, around(both))
            .reads(WRONG);
        self.push(draft);
    }

    /// What readers see of each other's data where nothing was written.
    fn default_reads(&self, both: &Both<'_, 's, 'b>) -> Pair<Outcome> {
        match both.relation {
            Relation::Space => SAFE,
            _ if defaults::are_untold(both.fields) => WRONG,
            _ => defaults::reads(self.schemas, both.fields),
        }
    }

    fn field_default(&mut self, both: &Both<'_, 's, 'b>) {
        let reads = self.default_reads(both);
        if reads == SAFE {
            return;
        }
        let is_pointer = matches!(both.fields.new.ty.space(), super::super::model::Space::Pointer);
        let relation = match defaults::are_untold(both.fields) {
            true => "unknown",
            false if is_pointer => "absent",
            false => "every-value",
        };
        let texts = self.default_texts(both);
        let draft = self
            .draft(ChangeKind::FieldDefaultChanged, both)
            .fact(FactKey::Became, default_became(both.fields, texts.as_ref()))
            .fact(FactKey::Relation, relation)
            .fact(FactKey::OldValue, texts.old)
            .fact(FactKey::NewValue, texts.new)
            .reads(reads);
        self.push(draft);
    }

    /// Both defaults as they are written; where that is alike, with what they stand for: a constant may be another one.
    fn default_texts(&self, both: &Both<'_, 's, 'b>) -> Pair<String> {
        let is_pointer = matches!(both.fields.new.ty.space(), super::super::model::Space::Pointer);
        let written = |field: &Field<'_>| match field.default_written.is_empty() {
            true => "none".to_owned(),
            false => field.default_written.to_string(),
        };
        let meant = |schema: &Schema<'_>, field: &Field<'_>| match &field.default {
            Absence::Zero if is_pointer => "nothing".to_owned(),
            Absence::Zero => "zero".to_owned(),
            Absence::Value(value) => text::shorten(&names::for_people(schema, value).to_string(), SHOWN).into_owned(),
            Absence::Unknown => "not known".to_owned(),
        };
        let texts = both.fields.map(written);
        match texts.old == texts.new {
            true => self.schemas.zip(both.fields, meant).zip(texts, |meant, written| format!("{written} ({meant})")),
            false => both.fields.zip(texts, |field, text| match field.default {
                Absence::Unknown => format!("{text} (not known)"),
                Absence::Zero | Absence::Value(_) => text,
            }),
        }
    }

    fn field_annotations(&mut self, both: &Both<'_, 's, 'b>) {
        let Pair { old, new } = both.fields;
        for (name, values) in super::others::differing(Pair::new(&old.annotations, &new.annotations)) {
            let draft = self
                .draft(ChangeKind::FieldOptionChanged, both)
                .fact(FactKey::Name, name)
                .fact(FactKey::OldValue, values.old)
                .fact(FactKey::NewValue, values.new);
            self.push(draft);
        }
    }

    fn alone(
        &self,
        kind: ChangeKind,
        members: &Members<'s, 'b>,
        (at, field): (usize, &Field<'b>),
        sites: Pair<Option<Site>>,
    ) -> Draft {
        Draft::new(kind, format!("{}.{}", members.path, field.path), members.paired.identities[at].clone())
            .at(sites)
            .fact(FactKey::Number, field.ordinal.to_string())
            .fact(FactKey::Role, role(members.structs.new.sort))
            .fact(FactKey::Container, &*members.structs.new.full_name)
    }

    fn field_added(&mut self, members: &Members<'s, 'b>, at: usize, field: &Field<'b>) {
        let site = self.schemas.new.site(members.structs.new.file, field.span);
        let seen = Seen::of(members, field, Side::New);
        let draft = self
            .alone(ChangeKind::FieldAdded, members, (at, field), Pair::new(None, Some(site)))
            .fact(FactKey::NewName, &*field.path)
            .fact(FactKey::NewType, self.schemas.new.spelled(&field.ty))
            .fact(FactKey::OneofArm, yes(seen.is_arm))
            .reads(Pair::new(seen.absent, seen.present));
        self.push(draft);
    }

    fn field_removed(&mut self, members: &Members<'s, 'b>, at: usize, field: &Field<'b>) {
        let site = self.schemas.old.site(members.structs.old.file, field.span);
        let seen = Seen::of(members, field, Side::Old);
        let number = members.structs.new.fields.iter().any(|other| other.ordinal == field.ordinal);
        let draft = self
            .alone(ChangeKind::FieldRemoved, members, (at, field), Pair::new(Some(site), None))
            .fact(FactKey::OldName, &*field.path)
            .fact(FactKey::OldType, self.schemas.old.spelled(&field.ty))
            .fact(FactKey::OneofArm, yes(seen.is_arm))
            .fact(FactKey::NumberNow, if number { "used" } else { "free" })
            .fact(FactKey::Replaced, yes(members.is_replaced))
            .reads(Pair::new(seen.present, seen.absent));
        self.push(draft);
    }
}

/// What became of a default, in words: a name of an enum that is written alike has another number.
fn default_became(fields: Pair<&Field<'_>>, texts: Pair<&String>) -> String {
    let number = |field: &Field<'_>| match (&field.held, &field.default) {
        (Type::Enum(_), Absence::Zero) => Some(0),
        (Type::Enum(_), Absence::Value(Value::Enum { number, .. })) => Some(*number),
        _ => None,
    };
    let name = &fields.old.default_written;
    match (number(fields.old), number(fields.new)) {
        (Some(old), Some(new)) if *name == fields.new.default_written => {
            format!("changed from `{name}`, number {old}, to `{name}`, number {new}")
        }
        _ => format!("changed from {} to {}", texts.old, texts.new),
    }
}

/// Which fields are in the unions around a field on either side, itself left out: what shares its space, whatever the unions
/// are called.
fn around(both: &Both<'_, '_, '_>) -> String {
    let others = |of: &Struct<'_>, field: &Field<'_>| {
        let of_union = |union: usize| {
            let is_in = |other: &&Field<'_>| other.guards.iter().any(|guard| guard.union == union);
            let others = of.fields.iter().filter(|other| other.ordinal != field.ordinal).filter(is_in);
            format!("{{{}}}", others.map(|other| format!("@{}", other.ordinal)).collect::<Vec<_>>().join(" "))
        };
        field.guards.iter().map(|guard| of_union(guard.union)).collect::<Vec<_>>().join(" in ")
    };
    let Pair { old, new } = both.members.structs.zip(both.fields, others);
    format!("{old} to {new}")
}

/// What a type with a name is; of a list, what its items are.
fn sort(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Struct(..) => Some("a struct"),
        Type::Enum(_) => Some("an enum"),
        Type::Interface(..) => Some("an interface"),
        Type::List(items) => sort(items),
        Type::Void | Type::Bool | Type::Int(..) | Type::Float32 | Type::Float64 | Type::Text | Type::Data => None,
        Type::Any(_) | Type::Parameter(_) | Type::Opaque(_) => None,
    }
}

/// Whether a field has no value any more.
fn is_emptied(fields: Pair<&Field<'_>>) -> bool {
    fields.old.ty != Type::Void && fields.new.ty == Type::Void
}

/// Whether a type is a struct, or a list of them.
fn holds_struct(ty: &Type) -> bool {
    match ty {
        Type::Struct(..) => true,
        Type::List(items) => holds_struct(items),
        _ => false,
    }
}

/// What is seen of a field that only one side has.
struct Seen {
    /// By readers of this side, in data of the other.
    absent: Outcome,
    /// By readers of the other side, in data of this.
    present: Outcome,
    /// Whether it is a new member of a union that both sides have.
    is_arm: bool,
}

impl Seen {
    /// A member of a union is known to the other side where any field in it is there too.
    fn of(members: &Members<'_, '_>, field: &Field<'_>, side: Side) -> Seen {
        let of = members.structs;
        let common = members.paired.fields.iter().filter_map(|pair| match (pair.at.old, pair.at.new, side) {
            (Some(old), Some(new), Side::Old) => Some((&of.old.fields[old], &of.new.fields[new])),
            (Some(old), Some(new), Side::New) => Some((&of.new.fields[new], &of.old.fields[old])),
            _ => None,
        });
        let common: Vec<(&Field<'_>, &Field<'_>)> = common.collect();
        let (own, there) = match side {
            Side::Old => (of.old, of.new),
            Side::New => (of.new, of.old),
        };
        let has_member = |union: usize, member: u16| {
            there
                .fields
                .iter()
                .any(|field| field.guards.iter().any(|other| other.union == union && other.member == member))
        };
        let (mut is_arm, mut is_shown, mut is_unnamed) = (false, true, false);
        for guard in &field.guards {
            let place = |own: &Field<'_>| own.guards.iter().position(|other| other.union == guard.union);
            // A union that is new around what the other side has is none that its readers look at.
            let stands_in = |other: &Field<'_>, at: usize| {
                let offset = own.unions[guard.union].offset;
                at < other.guards.len() || other.guards.iter().any(|guard| there.unions[guard.union].offset == offset)
            };
            let is_known = common.iter().any(|(own, other)| place(own).is_some_and(|at| stands_in(other, at)));
            if !is_known {
                is_shown &= guard.member == 0;
            } else {
                // A number that another member has there says something else: that is told of what moved. One that none has is
                // new, whatever else in the member was there before.
                let mut unions = common.iter().filter_map(|(own, other)| Some(other.guards.get(place(own)?)?.union));
                let is_new = !unions.any(|union| has_member(union, guard.member));
                is_arm |= is_new || !common.iter().any(|(own, _)| own.guards.contains(guard));
                is_unnamed |= is_new;
            }
        }
        let absent = if is_shown && !is_arm { Outcome::Defaulted } else { Outcome::Safe };
        Seen { absent, present: if is_unnamed { Outcome::Unrecognized } else { Outcome::Safe }, is_arm }
    }
}
