//! Structs as positions: who owns each byte on both sides.
//!
//! Nothing in a buffer says where the fields of a struct lie. A number that both sides have at one place is one number,
//! however it is grouped, unless the two sides know the two fields that own it apart: then what the one wrote is read as
//! the other. Names decide that, on every level of nesting.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Pair;
use crate::evidence::Outcome;
use crate::formats::roundtrip::Sides;

use super::model::{EnumId, Layout, ObjectId, Scalar, Schema, Type};
use super::relation;

/// How deep structs may be nested in structs.
const DEEPEST: usize = 128;
/// How many numbers of a struct are looked at one by one.
const MOST: usize = 1 << 16;
/// How many fields and items are looked at on the way to them.
const VISITS: usize = 8 * MOST;
/// How long all ways to them are together.
const STEPS: usize = 16 * MOST;

/// A step from a struct to one of its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Step<'s> {
    Field(&'s str),
    Item(u32),
}

/// A number of a struct.
#[derive(Debug)]
pub(super) struct Spot<'s> {
    /// The bytes in front of it.
    pub(super) offset: u32,
    /// How it is stored.
    pub(super) scalar: Scalar,
    /// The enum whose value it is.
    pub(super) of_enum: Option<EnumId>,
    path: Vec<Step<'s>>,
}

impl Spot<'_> {
    fn end(&self) -> u32 {
        self.offset + self.scalar.size()
    }

    /// The name nearest to it.
    fn own_name(&self) -> &str {
        let names = self.path.iter().rev().filter_map(|step| match step {
            Step::Field(name) => Some(*name),
            Step::Item(_) => None,
        });
        names.into_iter().next().unwrap_or_default()
    }
}

/// The numbers of a struct as they lie.
#[derive(Debug)]
pub(super) struct Spots<'s> {
    /// In the order of their offsets.
    pub(super) list: Vec<Spot<'s>>,
    layout: Layout,
    /// Whether all of them are there, and known.
    pub(super) is_whole: bool,
    /// How many fields and items were looked at.
    visits: usize,
    /// How long the ways to the numbers are.
    steps: usize,
    /// The structs around what is looked at.
    within: Vec<ObjectId>,
}

/// Where a number of the reader comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The writer's number at the same place.
    Here(usize),
    /// The writer has it at another place.
    Elsewhere(usize),
    /// The writer does not have it, and nothing lies there.
    Padding,
    /// The writer does not have it, and has something else there, or no longer anything.
    Foreign,
}

/// Where a number of the reader comes from, and the enums of both sides that it is of.
pub(super) type Place = (Source, Sides<Option<EnumId>>);

impl<'s> Spots<'s> {
    /// The numbers of a struct.
    pub(super) fn of(schema: &'s Schema<'_>, id: ObjectId) -> Self {
        Self::of_type(schema, &Type::Struct(id))
    }

    /// The numbers of a struct, or the only one of what is a number itself.
    pub(super) fn of_type(schema: &'s Schema<'_>, ty: &Type) -> Self {
        let layout = match ty {
            Type::Struct(id) => schema.object(*id).layout,
            other => relation::stored(schema, other).map(|one| Layout { size: one.size(), align: one.size() }),
        };
        let layout = layout.unwrap_or(Layout { size: 0, align: 1 });
        let mut spots = Spots { list: Vec::new(), layout, is_whole: true, visits: 0, steps: 0, within: Vec::new() };
        spots.lay_out(schema, ty, 0, &mut Vec::new());
        spots
    }

    fn lay_out(&mut self, schema: &'s Schema<'_>, ty: &Type, base: u32, path: &mut Vec<Step<'s>>) {
        self.visits += 1;
        if path.len() > DEEPEST || self.list.len() >= MOST || self.visits > VISITS || self.steps > STEPS {
            self.is_whole = false;
            return;
        }
        match ty {
            // It is refused, and yet it is looked at.
            Type::Struct(id) if self.within.contains(id) => self.is_whole = false,
            Type::Struct(id) => {
                self.within.push(*id);
                for field in &schema.object(*id).fields {
                    path.push(Step::Field(&field.name.text));
                    self.lay_out(schema, &field.ty, base.saturating_add(field.offset), path);
                    path.pop();
                }
                self.within.pop();
            }
            Type::Array(items, count) => {
                let size = match (&**items, relation::stored(schema, items)) {
                    (Type::Struct(id), _) => schema.object(*id).layout.map_or(0, |layout| layout.size),
                    (_, stored) => stored.map_or(0, Scalar::size),
                };
                for index in 0..u32::from(*count).min(MOST as u32) {
                    path.push(Step::Item(index));
                    self.lay_out(schema, items, base.saturating_add(size.saturating_mul(index)), path);
                    path.pop();
                }
            }
            other => match relation::stored(schema, other) {
                Some(scalar) => {
                    let of_enum = if let Type::Enum(id) = other { Some(*id) } else { None };
                    self.steps += path.len();
                    self.list.push(Spot { offset: base, scalar, of_enum, path: path.clone() });
                }
                None => self.is_whole = false,
            },
        }
    }

    fn owners(&self) -> Ways<'s> {
        let mut ways = Ways::default();
        for spot in &self.list {
            ways.add(&spot.path);
        }
        ways
    }

    fn named(&self) -> FxHashMap<&str, FxHashSet<u32>> {
        let mut named: FxHashMap<&str, FxHashSet<u32>> = FxHashMap::default();
        for spot in &self.list {
            named.entry(spot.own_name()).or_default().insert(spot.offset);
        }
        named
    }
}

/// Where each of the reader's numbers comes from: `old` is who writes, `new` who reads.
pub(super) fn sources(spots: Pair<&Spots<'_>>) -> Vec<Source> {
    let Pair { old: writer, new: reader } = spots;
    let owners = Owners { known: spots.map(Spots::owners), named: spots.map(Spots::named) };
    let by_path: FxHashMap<&[Step<'_>], usize> =
        writer.list.iter().enumerate().map(|(index, spot)| (&spot.path[..], index)).collect();
    let one = |reads: &Spot<'_>| {
        let first = writer.list.partition_point(|spot| spot.end() <= reads.offset);
        let met = || writer.list[first..].iter().take_while(|spot| spot.offset < reads.end());
        let is_here = |spot: &Spot<'_>| spot.offset == reads.offset && spot.scalar.size() == reads.scalar.size();
        match (met().count(), writer.list.get(first)) {
            (1, Some(wrote)) if is_here(wrote) && !owners.tell_apart(wrote, reads) => Source::Here(first),
            (count, _) => match by_path.get(&reads.path[..]) {
                Some(index) => Source::Elsewhere(*index),
                None if count == 0 && reads.end() <= writer.layout.size => Source::Padding,
                None => Source::Foreign,
            },
        }
    };
    reader.list.iter().map(one).collect()
}

/// Where each of the reader's numbers comes from, and the enums of both sides that it is of.
pub(super) fn places(spots: Pair<&Spots<'_>>) -> Vec<Place> {
    let writer = |source: &Source| match source {
        Source::Here(index) | Source::Elsewhere(index) => spots.old.list[*index].of_enum,
        Source::Padding | Source::Foreign => None,
    };
    let all = sources(spots).into_iter().zip(&spots.new.list);
    all.map(|(source, spot)| (source, Sides { writer: writer(&source), reader: spot.of_enum })).collect()
}

/// The ways from a struct to its fields, as a tree: per node and step the next node. The struct is node 0.
#[derive(Debug, Default)]
struct Ways<'s>(FxHashMap<(usize, Step<'s>), usize>);

impl<'s> Ways<'s> {
    fn add(&mut self, way: &[Step<'s>]) {
        let mut node = 0;
        for step in way {
            let next = self.0.len() + 1;
            node = *self.0.entry((node, *step)).or_insert(next);
        }
    }

    fn has(&self, way: &[Step<'s>]) -> bool {
        way.iter().try_fold(0, |node, step| self.0.get(&(node, *step)).copied()).is_some()
    }
}

/// Which fields both sides know.
struct Owners<'o, 's> {
    known: Pair<Ways<'s>>,
    named: Pair<FxHashMap<&'o str, FxHashSet<u32>>>,
}

impl<'s> Owners<'_, 's> {
    /// Whether two numbers at one place belong to fields that the two sides know apart.
    fn tell_apart(&self, wrote: &Spot<'s>, reads: &Spot<'s>) -> bool {
        let both = wrote.path.iter().zip(&reads.path);
        let Some(depth) = both.clone().position(|(writes, reads)| writes != reads) else { return false };
        self.known.new.has(&wrote.path[..=depth])
            || self.known.old.has(&reads.path[..=depth])
            // Grouped in another way: the names inside tell whether they were exchanged.
            || wrote.own_name() != reads.own_name()
                && (self.has_moved(wrote, wrote.own_name()) || self.has_moved(reads, reads.own_name()))
    }

    /// Whether a name lies at this place on one side, and on the other only at places where it was not.
    fn has_moved(&self, spot: &Spot<'_>, name: &str) -> bool {
        match (self.named.old.get(name), self.named.new.get(name)) {
            (Some(old), Some(new)) => {
                old.contains(&spot.offset) != new.contains(&spot.offset)
                    && old.symmetric_difference(new).nth(1).is_some()
            }
            _ => false,
        }
    }
}

/// Whether two types stand where they are held, and at least one of them is a struct: then both are numbers that lie
/// somewhere.
pub(super) fn are_inline(types: Pair<&Type>) -> bool {
    let is_struct = |ty: &Type| matches!(ty, Type::Struct(_));
    let is_inline = |ty: &Type| matches!(ty, Type::Struct(_) | Type::Scalar(_) | Type::Enum(_));
    is_inline(types.old) && is_inline(types.new) && (is_struct(types.old) || is_struct(types.new))
}

/// Whether two structs lie alike, number by number.
pub(super) fn are_alike(spots: Pair<&Spots<'_>>) -> bool {
    let kind = |spot: &Spot<'_>| (spot.scalar, spot.of_enum.is_some());
    let is_same = |(index, source): (usize, Source)| match source {
        Source::Here(at) => kind(&spots.old.list[at]) == kind(&spots.new.list[index]),
        Source::Elsewhere(_) | Source::Padding | Source::Foreign => false,
    };
    spots.old.layout == spots.new.layout
        && spots.old.list.len() == spots.new.list.len()
        && sources(spots).into_iter().enumerate().all(is_same)
}

/// What a reader (`new`) sees at worst of one struct that a writer (`old`) wrote.
pub(super) fn reads(spots: Pair<&Spots<'_>>) -> Outcome {
    // A verifier looks at the alignment of the reader's struct.
    let is_aligned = spots.new.layout.align <= spots.old.layout.align;
    let worst = numbers(spots);
    if is_aligned { worst } else { worst.max(Outcome::Fails) }
}

/// What is seen at worst of the numbers. Nothing is said of structs that are not known whole and are as large as each other.
fn numbers(spots: Pair<&Spots<'_>>) -> Outcome {
    let Pair { old: writer, new: reader } = spots;
    if !(writer.is_whole && reader.is_whole) && writer.layout.size != reader.layout.size {
        return Outcome::Wrong;
    }
    let one = |(reads, source): (&Spot<'_>, Source)| match source {
        Source::Here(index) => number(&writer.list[index], reads),
        Source::Padding => Outcome::Defaulted,
        Source::Elsewhere(_) | Source::Foreign => Outcome::Wrong,
    };
    reader.list.iter().zip(sources(spots)).map(one).max().unwrap_or(Outcome::Safe)
}

fn are_apart(spots: Pair<&Spots<'_>>) -> bool {
    spots.old.layout.size != spots.new.layout.size
}

/// What is seen at worst of structs side by side: a verifier does not look at the alignment of items.
pub(super) fn reads_in_vector(spots: Pair<&Spots<'_>>) -> Outcome {
    if are_apart(spots) { Outcome::Wrong } else { numbers(spots) }
}

/// What is seen at worst of structs that stand side by side, and perhaps by themselves as well.
pub(super) fn reads_anywhere(spots: Pair<&Spots<'_>>) -> Outcome {
    if are_apart(spots) { Outcome::Wrong } else { reads(spots) }
}

/// A number read where one was written.
fn number(wrote: &Spot<'_>, reads: &Spot<'_>) -> Outcome {
    let is_stored_alike = wrote.scalar == reads.scalar || wrote.scalar == Scalar::Bool && reads.scalar.size() == 1;
    match (wrote.of_enum, reads.of_enum) {
        _ if !is_stored_alike => Outcome::Wrong,
        (None, Some(_)) => Outcome::Unrecognized,
        // Names that differ are told of the enums.
        (Some(_), Some(_)) | (_, None) => Outcome::Safe,
    }
}
