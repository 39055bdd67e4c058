//! Structs as they lie in memory: where two layouts differ, and what readers of the one see of the other.

use crate::change::{ChangeKind, FactKey, Pair};
use crate::evidence::Outcome;
use crate::formats::frame::declared::InFiles;

use super::super::model::{Layout, ObjectId, Scalar, Schema, Type};
use super::super::pairing;
use super::super::relation;
use super::fields::Members;
use super::{Differ, Draft};

/// How deep structs may be nested in structs.
const DEEPEST: usize = 128;

/// How many numbers of a struct are laid out one by one.
const MOST: usize = 1 << 16;

/// Numbers of one type side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stretch {
    offset: u32,
    scalar: Scalar,
    count: u32,
}

impl<'s, 'b> Differ<'s, 'b> {
    /// Compares how two structs lie in memory.
    pub(super) fn diff_layout(&mut self, members: &Members<'s, 'b>, types: Pair<ObjectId>) {
        let Pair { old, new } = members.objects;
        let (Some(before), Some(after)) = (old.layout, new.layout) else { return };
        let layouts = Pair::new(before, after);
        let stretches = Pair::new(stretches(self.schemas.old, types.old), stretches(self.schemas.new, types.new));
        if before == after && stretches.old == stretches.new {
            return;
        }
        let is_strided = is_strided(self.schemas.old, types.old) || is_strided(self.schemas.new, types.new);
        let reads = Pair::new(
            read(layouts, stretches.as_ref().map(Vec::as_slice), is_strided),
            read(layouts.mirrored(), stretches.as_ref().map(Vec::as_slice).mirrored(), is_strided),
        );
        let text = |layout: Layout| format!("{} bytes aligned to {}", layout.size, layout.align);
        let is_harmless = [reads.old, reads.new].iter().all(|outcome| *outcome <= Outcome::Defaulted);
        let draft = Draft::new(ChangeKind::StructLayoutChanged, &*new.full_name, pairing::layout(&members.container))
            .at(Pair::new(Some(self.schemas.old.name_site(old)), Some(self.schemas.new.name_site(new))))
            .fact(FactKey::Structure, if is_harmless { "kept" } else { "moved" })
            .fact(FactKey::OldValue, text(before))
            .fact(FactKey::NewValue, text(after))
            .fact(FactKey::Container, &*new.full_name);
        self.push(draft.reads(reads));
    }
}

/// The numbers of a struct in the order of their offsets, neighbours of one type taken together.
fn stretches(schema: &Schema<'_>, id: ObjectId) -> Vec<Stretch> {
    let mut found = Vec::new();
    lay_out(schema, id, 0, DEEPEST, &mut found);
    let mut merged: Vec<Stretch> = Vec::new();
    for stretch in found {
        match merged.last_mut() {
            Some(last)
                if last.scalar == stretch.scalar && last.offset + last.count * last.scalar.size() == stretch.offset =>
            {
                last.count += stretch.count;
            }
            _ => merged.push(stretch),
        }
    }
    merged
}

fn lay_out(schema: &Schema<'_>, id: ObjectId, base: u32, depth: usize, found: &mut Vec<Stretch>) {
    for field in &schema.object(id).fields {
        if depth == 0 || found.len() > MOST {
            return;
        }
        let offset = base.saturating_add(field.offset);
        let (items, count) = match &field.ty {
            Type::Array(items, count) => (&**items, u32::from(*count)),
            other => (other, 1),
        };
        if let Some(scalar) = relation::stored(schema, items) {
            found.push(Stretch { offset, scalar, count });
        } else if let Type::Struct(inner) = items {
            let size = schema.object(*inner).layout.map_or(0, |layout| layout.size);
            for index in 0..count {
                lay_out(schema, *inner, offset.saturating_add(size.saturating_mul(index)), depth - 1, found);
                if found.len() > MOST {
                    return;
                }
            }
        }
    }
}

/// What the reader (`new`) sees at worst: of a struct in a list the stride counts, of one alone only what it reads.
fn read(layouts: Pair<Layout>, stretches: Pair<&[Stretch]>, is_strided: bool) -> Outcome {
    let is_apart = is_strided && layouts.old.size != layouts.new.size;
    if is_apart || layouts.new.align > layouts.old.align {
        return Outcome::Wrong;
    }
    let one = |stretch: &Stretch| {
        let scalars = Pair::new(numbers(stretches.old), Vec::new()).old;
        (0..stretch.count).map(move |index| (stretch.offset + index * stretch.scalar.size(), stretch.scalar)).fold(
            Outcome::Safe,
            |worst, (offset, scalar)| {
                let end = offset + scalar.size();
                let met = scalars.iter().filter(|(at, of)| *at < end && offset < at + of.size());
                let felt = match &met.collect::<Vec<_>>()[..] {
                    [] if end <= layouts.old.size => Outcome::Defaulted,
                    [(at, of)] if *at == offset && *of == scalar => Outcome::Safe,
                    [(at, Scalar::Bool)] if *at == offset && scalar.size() == 1 => Outcome::Safe,
                    _ => Outcome::Wrong,
                };
                worst.max(felt)
            },
        )
    };
    if stretches.old == stretches.new {
        return Outcome::Safe;
    }
    stretches.new.iter().map(one).max().unwrap_or(Outcome::Safe)
}

fn numbers(stretches: &[Stretch]) -> Vec<(u32, Scalar)> {
    let all = stretches.iter().flat_map(|stretch| {
        (0..stretch.count).map(|index| (stretch.offset + index * stretch.scalar.size(), stretch.scalar))
    });
    all.take(MOST).collect()
}

/// Whether structs of the type lie side by side somewhere, or inside of others.
fn is_strided(schema: &Schema<'_>, id: ObjectId) -> bool {
    let is_it = |ty: &Type| *ty == Type::Struct(id);
    schema.objects.iter().any(|object| {
        object.fields.iter().any(|field| match &field.ty {
            Type::Vector(items) | Type::Vector64(items) | Type::Array(items, _) => is_it(items),
            other => object.layout.is_some() && is_it(other),
        })
    })
}
