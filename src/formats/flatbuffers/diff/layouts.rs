//! Structs as they lie in memory: where two layouts differ, and what readers of the one see of the other.
//!
//! What is felt is told of the struct that was edited: of one that only holds it nothing is told, but what its readers
//! see counts.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{ChangeKind, FactKey, Pair};
use crate::evidence::Outcome;
use crate::formats::frame::declared::InFiles;
use crate::ordered::OrderedSet;
use crate::text::digest;

use super::super::codec::HEAVIEST;
use super::super::model::{Field, Layout, Object, ObjectId, Schema, Type, attribute};
use super::super::pairing;
use super::super::positions::{self, Spots};
use super::super::relation;
use super::{Differ, Draft, Met};

/// Fields that a message names.
const NAMED: usize = 8;

/// How two structs are used.
#[derive(Default)]
struct Usage {
    /// Those that stand side by side.
    in_vectors: FxHashSet<Pair<ObjectId>>,
    /// The structs that hold them and were not edited themselves.
    holders: FxHashMap<Pair<ObjectId>, Vec<Pair<ObjectId>>>,
}

impl<'s, 'b> Differ<'s, 'b> {
    /// Compares how all structs that met lie in memory.
    pub(super) fn diff_layouts(&mut self) {
        let all: Vec<Pair<ObjectId>> = self.queue.met_types().collect();
        let is_struct = |types: &&Pair<ObjectId>| {
            let Pair { old, new } = self.types(**types);
            old.layout.is_some() && new.layout.is_some()
        };
        let structs: Vec<Pair<ObjectId>> = all.iter().filter(is_struct).copied().collect();
        let edited: FxHashSet<Pair<ObjectId>> =
            structs.iter().filter(|types| self.is_edited(**types)).copied().collect();
        let usage = self.usage(&all, &edited);
        for types in structs.into_iter().filter(|types| edited.contains(types)) {
            self.is_felt = self.own.felt.contains(&types);
            self.diff_layout(types, &usage);
        }
        self.is_felt = true;
    }

    fn diff_layout(&mut self, types: Pair<ObjectId>, usage: &Usage) {
        let Pair { old, new } = self.types(types);
        let (Some(before), Some(after)) = (old.layout, new.layout) else { return };
        let spots = self.spots(types);
        let are_known = spots.old.is_whole && spots.new.is_whole || self.are_written_alike(types);
        if are_known && positions::are_alike(spots.as_ref()) && positions::are_alike(spots.as_ref().mirrored()) {
            return;
        }
        let mut seen = FxHashSet::default();
        let reads = self.layout_reads(types, usage, &mut seen);
        let text = |layout: Layout| format!("{} bytes aligned to {}", layout.size, layout.align);
        let is_harmless = [reads.old, reads.new].iter().all(|outcome| *outcome <= Outcome::Defaulted);
        let layouts = Pair::new(text(before), text(after));
        let told = match layouts.old == layouts.new {
            true => self.orders(Pair::new(old, new)),
            false => layouts.clone(),
        };
        let stored = self.schemas.zip(Pair::new(old, new), |schema, of| order(schema, of, true));
        let container = pairing::object_container(self.schemas, types);
        let draft = Draft::new(ChangeKind::StructLayoutChanged, &*new.full_name, pairing::layout(&container))
            .at(Pair::new(Some(self.schemas.old.name_site(old)), Some(self.schemas.new.name_site(new))))
            .fact(FactKey::Structure, if is_harmless { "kept" } else { "moved" })
            .fact(FactKey::OldValue, layouts.old)
            .fact(FactKey::NewValue, layouts.new)
            .fact(FactKey::OldType, told.old)
            .fact(FactKey::NewType, told.new)
            .fact(FactKey::Content, digest([stored.old, stored.new]))
            .fact(FactKey::Container, &*new.full_name);
        self.push(draft.reads(reads));
        if self.is_felt {
            self.queue.mark_changed(Met::Type(types));
        }
    }

    /// The fields of two structs as they lie; where these are the same, with what their enums are stored as.
    fn orders(&self, objects: Pair<&Object<'_>>) -> Pair<String> {
        let of = |stored| self.schemas.zip(objects, |schema, of| order(schema, of, stored));
        let plain = of(false);
        if plain.old == plain.new { of(true) } else { plain }
    }

    /// Lets the enums pair that are stored at one place of two structs, however their fields are grouped.
    pub(super) fn pair_numbers(&mut self, types: Pair<&Type>) {
        if !self.own.numbered.insert(types.map(Type::clone)) {
            return;
        }
        // Where each field is what it was, the enums in it meet there. What is too large is told as a whole.
        if let (Type::Struct(old), Type::Struct(new)) = (types.old, types.new) {
            let structs = Pair::new(*old, *new);
            let is_other = self.is_replaced(Met::Type(structs));
            if self.are_heavy(structs) || !is_other && self.are_written_alike(structs) {
                return;
            }
        }
        let spots = self.schemas.zip(types, Spots::of_type);
        let backward = positions::places(spots.as_ref()).into_iter().map(|(_, of)| (of.writer, of.reader));
        let forward = positions::places(spots.as_ref().mirrored()).into_iter().map(|(_, of)| (of.reader, of.writer));
        let both = backward.chain(forward).filter_map(|(old, new)| Some(Pair::new(old?, new?)));
        for enums in both.collect::<OrderedSet<_>>() {
            self.pair(Met::Enum(enums));
        }
    }

    /// Whether two structs have the same fields at the same places: what is in them is for the types of the fields to say. A
    /// name that only one side has is another one for what is there.
    fn are_written_alike(&self, types: Pair<ObjectId>) -> bool {
        let Pair { old, new } = self.types(types);
        let is_known = |of: &Object<'_>, name: &str| of.fields.iter().any(|field| field.name.text == name);
        let is_same = |(before, after): (&Field<'_>, &Field<'_>)| {
            let names = Pair::new(&*before.name.text, &*after.name.text);
            let is_same_name = names.old == names.new || !is_known(new, names.old) && !is_known(old, names.new);
            before.offset == after.offset && is_same_name && self.lie_alike(Pair::new(&before.ty, &after.ty))
        };
        old.layout == new.layout
            && old.fields.len() == new.fields.len()
            && old.fields.iter().zip(&new.fields).all(is_same)
    }

    fn lie_alike(&self, types: Pair<&Type>) -> bool {
        match (types.old, types.new) {
            (Type::Struct(old), Type::Struct(new)) => {
                self.schemas.old.object(*old).layout == self.schemas.new.object(*new).layout
            }
            (Type::Array(old, before), Type::Array(new, after)) => {
                before == after && self.lie_alike(Pair::new(old, new))
            }
            (Type::Enum(_), Type::Enum(_)) | (Type::Scalar(_), Type::Scalar(_)) => {
                relation::stored(self.schemas.old, types.old) == relation::stored(self.schemas.new, types.new)
            }
            _ => false,
        }
    }

    /// Whether one of two structs has more numbers than are looked at one by one wherever it is held.
    fn are_heavy(&self, types: Pair<ObjectId>) -> bool {
        let Pair { old, new } = self.types(types);
        old.weight.max(new.weight) > HEAVIEST
    }

    fn spots(&self, types: Pair<ObjectId>) -> Pair<Spots<'s>> {
        Pair::new(Spots::of(self.schemas.old, types.old), Spots::of(self.schemas.new, types.new))
    }

    /// What is seen at worst of two structs: of one, of several side by side, and of those that hold them unedited.
    fn layout_reads(
        &self,
        types: Pair<ObjectId>,
        usage: &Usage,
        seen: &mut FxHashSet<Pair<ObjectId>>,
    ) -> Pair<Outcome> {
        if let Some(reads) = self.heavy_reads(types) {
            return reads;
        }
        let spots = self.spots(types);
        let judge = if usage.in_vectors.contains(&types) { positions::reads_anywhere } else { positions::reads };
        let mut worst = Pair::new(judge(spots.as_ref()), judge(spots.as_ref().mirrored()));
        let is_whole = spots.old.is_whole && spots.new.is_whole;
        let is_edited_unseen = !(is_whole || self.are_written_alike(types));
        if is_edited_unseen {
            worst = worst.map(|outcome| outcome.max(Outcome::Wrong));
        }
        // Where it takes the same place, nothing else moves.
        let Pair { old, new } = self.types(types).map(|of| of.layout);
        if old == new {
            return worst;
        }
        for holder in usage.holders.get(&types).into_iter().flatten() {
            if seen.insert(*holder) {
                let held = self.layout_reads(*holder, usage, seen);
                worst = Pair::new(worst.old.max(held.old), worst.new.max(held.new));
            }
        }
        worst
    }

    /// What is seen at worst of structs that are not looked at number by number, and take other places.
    fn heavy_reads(&self, types: Pair<ObjectId>) -> Option<Pair<Outcome>> {
        let layouts = self.types(types).map(|of| of.layout);
        let (old, new) = (layouts.old?, layouts.new?);
        let is_told = self.are_heavy(types) && old.size != new.size;
        let reads = |writer: Layout, reader: Layout| match reader.align <= writer.align {
            true => Outcome::Wrong,
            false => Outcome::Wrong.max(Outcome::Fails),
        };
        is_told.then(|| Pair::new(reads(old, new), reads(new, old)))
    }

    /// What is seen at worst where one struct took another one's place, in a field or in a vector.
    pub(super) fn replaced_struct_reads(&self, types: Pair<&Type>) -> Option<Pair<Outcome>> {
        let (structs, judge): (_, fn(Pair<&Spots<'_>>) -> Outcome) = match (types.old, types.new) {
            (Type::Struct(old), Type::Struct(new)) => (Pair::new(*old, *new), positions::reads),
            (Type::Vector(old), Type::Vector(new)) | (Type::Vector64(old), Type::Vector64(new)) => {
                match (&**old, &**new) {
                    (Type::Struct(old), Type::Struct(new)) => (Pair::new(*old, *new), positions::reads_in_vector),
                    _ => return None,
                }
            }
            _ => return None,
        };
        let spots = self.spots(structs);
        let is_other = self.is_replaced(Met::Type(structs));
        is_other.then(|| Pair::new(judge(spots.as_ref()), judge(spots.as_ref().mirrored())))
    }

    /// Whether anything that is written in a struct itself says where its fields lie, and differs.
    fn is_edited(&self, types: Pair<ObjectId>) -> bool {
        let objects = self.types(types);
        let forced = objects.map(|of| attribute(&of.attributes, "force_align").map(|forced| forced.value.clone()));
        let Pair { old, new } = objects.map(|of| &of.fields);
        let is_same = |(old, new): (&super::super::model::Field<'_>, &super::super::model::Field<'_>)| {
            old.name.text == new.name.text && self.is_one_type(Pair::new(&old.ty, &new.ty))
        };
        forced.old != forced.new || old.len() != new.len() || !old.iter().zip(new).all(is_same)
    }

    /// Whether two types of fields are versions of one, whatever is inside.
    fn is_one_type(&self, types: Pair<&Type>) -> bool {
        match (types.old, types.new) {
            (Type::Struct(old), Type::Struct(new)) => {
                let types = Pair::new(*old, *new);
                let names = self.type_names(types);
                names.old == names.new || self.queue.has_met(Met::Type(types))
            }
            (Type::Array(old, before), Type::Array(new, after)) => {
                before == after && self.is_one_type(Pair::new(old, new))
            }
            (Type::Enum(_), Type::Scalar(_)) | (Type::Scalar(_), Type::Enum(_)) => false,
            (old, new) => match (relation::stored(self.schemas.old, old), relation::stored(self.schemas.new, new)) {
                (Some(old), Some(new)) => old == new,
                (None, None) => old == new,
                _ => false,
            },
        }
    }

    fn usage(&self, all: &[Pair<ObjectId>], edited: &FxHashSet<Pair<ObjectId>>) -> Usage {
        let mut usage = Usage::default();
        for types in all {
            let objects = self.types(*types);
            let is_struct = objects.old.layout.is_some();
            for pair in pairing::fields(objects) {
                let (Some(old), Some(new)) = (pair.at.old, pair.at.new) else { continue };
                let fields = Pair::new(&objects.old.fields[old].ty, &objects.new.fields[new].ty);
                let Some(held) = held(fields) else { continue };
                match is_struct {
                    true if edited.contains(types) => {}
                    true => usage.holders.entry(held).or_default().push(*types),
                    false if matches!(fields.old, Type::Vector(_) | Type::Vector64(_)) => {
                        usage.in_vectors.insert(held);
                    }
                    false => {}
                }
            }
        }
        usage
    }
}

/// The structs that two types hold.
fn held(types: Pair<&Type>) -> Option<Pair<ObjectId>> {
    match (types.old, types.new) {
        (Type::Struct(old), Type::Struct(new)) => Some(Pair::new(*old, *new)),
        (Type::Vector(old), Type::Vector(new))
        | (Type::Vector64(old), Type::Vector64(new))
        | (Type::Array(old, _), Type::Array(new, _)) => held(Pair::new(old, new)),
        _ => None,
    }
}

/// The first fields of a struct with their types, as they lie, perhaps with what an enum is stored as.
fn order(schema: &Schema<'_>, of: &Object<'_>, is_stored_shown: bool) -> String {
    let spelled = |field: &Field<'_>| match &field.ty {
        Type::Enum(id) if is_stored_shown => {
            format!("{}: {}", schema.spelled(&field.ty), schema.enumeration(*id).underlying.name())
        }
        ty => schema.spelled(ty),
    };
    let shown = of.fields.iter().take(NAMED);
    let mut named: Vec<String> =
        shown.map(|field| format!("{} ({} at byte {})", field.name.text, spelled(field), field.offset)).collect();
    if of.fields.len() > NAMED {
        named.push("…".to_owned());
    }
    named.join(", ")
}
