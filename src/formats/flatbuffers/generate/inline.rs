//! What stands inline: numbers and structs, with values that tell who owns which byte.

use crate::value::{Record, Value};

use super::super::codec::{DEPTH, HEAVIEST, number_of, range};
use super::super::model::{EnumId, ObjectId, Scalar, Type};
use super::Maker;

/// Arrays longer than this are not filled with different numbers.
const VARIED: usize = 16;
/// Members of a union for whose discriminators something else is taken.
const MEMBERS: usize = 8;
/// Values that a struct is given, at least.
const TURNS: usize = 3;
/// How much all values are that a struct is given, unless that would be too few.
const MADE: usize = 1 << 18;

impl Maker<'_, '_> {
    /// Whether there is room for a struct among those that were made for the value in the making.
    fn has_room(&self, id: ObjectId) -> bool {
        let weight = self.types.writer.object(id).weight;
        let left = self.room.get().checked_sub(weight as usize).filter(|_| weight <= HEAVIEST);
        left.map(|left| self.room.set(left)).is_some()
    }

    /// A struct with telling numbers; `turn` chooses which. No two numbers of one type are the same in every turn, as far
    /// as their type has as many values.
    pub(super) fn structure(&self, id: ObjectId, turn: usize) -> Option<Record> {
        if !self.has_room(id) {
            return None;
        }
        self.inner_struct(id, turn, &mut 0, 0)
    }

    fn inner_struct(&self, id: ObjectId, turn: usize, next: &mut usize, depth: usize) -> Option<Record> {
        if depth > DEPTH {
            return None;
        }
        let mut record = Record::empty(id.0);
        for field in &self.types.writer.object(id).fields {
            record.fields.insert(field.slot.into(), self.inner(&field.ty, turn, next, depth + 1)?);
        }
        Some(record)
    }

    fn inner(&self, ty: &Type, turn: usize, next: &mut usize, depth: usize) -> Option<Value> {
        match ty {
            Type::Struct(id) => self.inner_struct(*id, turn, next, depth).map(Value::Record),
            Type::Array(items, count) => {
                let count = usize::from(*count);
                let first: Option<Vec<Value>> =
                    (0..count.min(VARIED)).map(|_| self.inner(items, turn, next, depth + 1)).collect();
                let mut values = first?;
                let last = values.last()?.clone();
                values.resize(count, last);
                Some(Value::List(values))
            }
            ty => {
                *next += 1;
                self.telling(ty, turn, *next - 1)
            }
        }
    }

    /// The number of a struct at an index; each turn gives another.
    fn telling(&self, ty: &Type, turn: usize, index: usize) -> Option<Value> {
        let mixed = self::mixed(turn, index);
        let is_set = (index >> turn) & 1 == 0;
        if let Type::Enum(id) = ty {
            let of = self.types.writer.schema.enumeration(*id);
            let value = if is_set { of.values.last() } else { of.values.first() };
            // A set of flags may be empty.
            let number = if of.is_bit_flags && !is_set { 0 } else { value?.number };
            return Some(number_of(ty, number));
        }
        let scalar = self.types.writer.scalar(ty)?;
        let small = i128::from(mixed % 100 + 1);
        let is_odd = (index + turn) % 2 == 1;
        Some(match scalar {
            Scalar::Bool => Value::Bool(is_set),
            Scalar::F32 => Value::Float(small as f32 + 0.1),
            Scalar::F64 => Value::Double(small as f64 + 0.1),
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 if is_odd => Value::Int(-small),
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 if is_odd => Value::Int(range(scalar).1 - small),
            Scalar::I8 | Scalar::U8 => Value::Int(small),
            Scalar::I16 | Scalar::U16 => Value::Int(small * 0x0101),
            // No half of it is the whole.
            Scalar::I64 | Scalar::U64 => Value::Int(small * 0x0101_0101_0101_0101),
            _ => Value::Int(small * 0x0101_0101),
        })
    }

    /// What a reader takes for the discriminators of a union, one for each of the first members.
    pub(super) fn discriminators(&self, ty: &Type, id: EnumId) -> Vec<Value> {
        let members = self.types.reader.schema.enumeration(id).values.iter().filter(|member| member.ty.is_some());
        let first = members.take(MEMBERS);
        first.filter_map(|member| self.beginning_with(ty, self.zero(ty)?, member.number)).collect()
    }

    /// A value with a number in place of the first one in it.
    fn beginning_with(&self, ty: &Type, value: Value, number: i128) -> Option<Value> {
        match (ty, value) {
            (Type::Struct(id), Value::Record(mut record)) => {
                let first = self.types.writer.object(*id).fields.first()?;
                let place = record.fields.get_mut(&i32::from(first.slot))?;
                *place = self.beginning_with(&first.ty, place.clone(), number)?;
                Some(Value::Record(record))
            }
            (Type::Array(items, _), Value::List(mut values)) => {
                let first = values.first_mut()?;
                *first = self.beginning_with(items, first.clone(), number)?;
                Some(Value::List(values))
            }
            (Type::Enum(id), _) => {
                let named = self.types.writer.schema.enumeration(*id).numbered(number)?;
                Some(number_of(ty, named.number))
            }
            (ty, _) => match self.types.writer.scalar(ty)? {
                Scalar::Bool => (number == 1).then_some(Value::Bool(true)),
                Scalar::F32 => Some(Value::Float(f32::from_bits(u32::try_from(number).ok()?))),
                Scalar::F64 => Some(Value::Double(f64::from_bits(u64::try_from(number).ok()?))),
                scalar => (range(scalar).0..=range(scalar).1).contains(&number).then_some(Value::Int(number)),
            },
        }
    }

    /// What stands inline with every number zero: the bytes that look most like something else.
    pub(super) fn zero(&self, ty: &Type) -> Option<Value> {
        let has_room = if let Type::Struct(id) = ty { self.has_room(*id) } else { true };
        has_room.then(|| self.inner_zero(ty, 0))?
    }

    fn inner_zero(&self, ty: &Type, depth: usize) -> Option<Value> {
        Some(match ty {
            _ if depth > DEPTH => return None,
            Type::Struct(id) => {
                let mut record = Record::empty(id.0);
                for field in &self.types.writer.object(*id).fields {
                    record.fields.insert(field.slot.into(), self.inner_zero(&field.ty, depth + 1)?);
                }
                Value::Record(record)
            }
            Type::Array(items, count) => Value::List(vec![self.inner_zero(items, depth + 1)?; usize::from(*count)]),
            ty => match self.types.writer.scalar(ty)? {
                Scalar::Bool => Value::Bool(false),
                Scalar::F32 => Value::Float(0.0),
                Scalar::F64 => Value::Double(0.0),
                _ => number_of(ty, 0),
            },
        })
    }

    /// How many turns a struct takes: enough for every two of its truth values to differ in one, and all to be true once;
    /// of a large one fewer.
    pub(super) fn turns(&self, ty: &Type) -> usize {
        let weight = if let Type::Struct(id) = ty { self.types.writer.object(*id).weight } else { 1 };
        if weight > HEAVIEST {
            return TURNS;
        }
        let numbers = self.numbers(ty, 0);
        let most = MADE / weight.max(1) as usize;
        (numbers.max(1).ilog2() as usize + 2).min(most).max(TURNS)
    }

    fn numbers(&self, ty: &Type, depth: usize) -> usize {
        match ty {
            Type::Struct(id) if depth < DEPTH => {
                let fields = &self.types.writer.object(*id).fields;
                fields.iter().fold(0, |all, field| all.saturating_add(self.numbers(&field.ty, depth + 1)))
            }
            Type::Array(items, count) => self.numbers(items, depth + 1).saturating_mul(usize::from(*count).min(VARIED)),
            _ => 1,
        }
    }
}

/// A number that looks random, of each number of a struct in each turn.
fn mixed(turn: usize, index: usize) -> u32 {
    let mixed =
        (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (turn as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed >> 33) as u32
}
