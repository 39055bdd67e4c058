//! A second reader beside the one that decides: the `flatbuffers` crate, called as code generated for Rust calls it.
//!
//! The crate's verifier goes over the bytes with the calls of generated code, field by field, and what accessors give is
//! taken from the places that it finds. It decides nothing. It looks neither at how structs are aligned nor whether an
//! offset leads anywhere, rejects half a union and vectors whose items are not aligned, and does not verify buffers inside
//! of bytes.

use flatbuffers::{
    ForwardsUOffset, InvalidFlatbuffer, SimpleToVerifyInSlice, TableVerifier, Vector, Verifiable, Verifier,
    VerifierOptions, field_index_to_field_offset,
};
use rustc_hash::FxHashSet;

use crate::value::{Record, Value};

use super::codec::{NONE, Types, is_bytes, is_wide};
use super::model::{EnumId, Field, ObjectId, Scalar, Type};
use super::values::of_unions;
use super::verify::{ReadError, scalar_value};

/// The name under which this reader's observations are told.
pub(super) const NAME: &str = "flatbuffers";

/// Buffers of more bytes are not given to this reader.
const BYTES: usize = 1 << 16;
/// More tables than this are not read of one buffer.
const TABLES: usize = 1 << 12;
/// More bytes than this are not looked at in one buffer, however often each.
const APPARENT: usize = 1 << 22;
/// More types than this are not looked through for what Rust has no code for.
const TYPES: usize = 1 << 10;

/// What this reader sees of bytes, or in its own words why it rejects them; `None` where the bytes are many, or where what
/// it sees is not said by its verifier.
pub(super) fn read(types: Types<'_, '_>, root: ObjectId, bytes: &[u8]) -> Option<Result<Record, ReadError>> {
    if bytes.len() > BYTES {
        return None;
    }
    let mut reader = Reader { types, bytes, path: Vec::new(), is_unverified: false };
    let read = reader.root(root, 0);
    match read {
        Err(InvalidFlatbuffer::TooManyTables | InvalidFlatbuffer::ApparentSizeTooLarge) => None,
        _ if reader.is_unverified => None,
        read => Some(read.map_err(|error| told(&error, reader.path))),
    }
}

/// What the deciding reader rejects and this one does not look at: how structs are aligned, whether an offset leads anywhere,
/// where that of a union leads whose member it does not know, and what is inside of bytes.
const NOT_LOOKED_AT: [&str; 5] =
    ["is not aligned", "points to itself", "is missing", "lies outside the buffer", "in the nested buffer"];

/// What this reader rejects and the deciding one does not look at: half a union, how the items of a vector are aligned.
const ONLY_LOOKED_AT: [&str; 2] = ["of union discriminant", "unaligned"];

/// Whether two readings of the same bytes are alike, or differ as is known.
pub(super) fn is_known(decided: &Result<Record, ReadError>, theirs: &Result<Record, ReadError>) -> bool {
    match (decided, theirs) {
        (Ok(decided), Ok(theirs)) => decided == theirs,
        (Err(error), Ok(_)) => NOT_LOOKED_AT.iter().any(|what| error.reason.contains(what)),
        (Ok(_), Err(error)) => ONLY_LOOKED_AT.iter().any(|what| error.reason.contains(what)),
        (Err(_), Err(_)) => true,
    }
}

fn told(error: &InvalidFlatbuffer, path: Vec<i32>) -> ReadError {
    let words = error.to_string();
    let reason = words.lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
    ReadError { path, reason, is_of_identifier: false }
}

/// Whether the compiler makes Rust of all types that a root reaches: of no union but one of tables with a number of one
/// byte, of no vector of them, and of nothing that takes 64 bits to find.
pub(super) fn is_generated(types: Types<'_, '_>, root: ObjectId) -> bool {
    let (mut queue, mut seen) = (vec![root], FxHashSet::from_iter([root]));
    while let Some(id) = queue.pop() {
        for field in &types.object(id).fields {
            let Some(reached) = reached(types, field) else { return false };
            queue.extend(reached.into_iter().chain(field.nested).filter(|id| seen.insert(*id)));
        }
        if seen.len() > TYPES {
            return false;
        }
    }
    true
}

/// The tables and structs of a field; `None` where there is no Rust for it.
fn reached(types: Types<'_, '_>, field: &Field<'_>) -> Option<Vec<ObjectId>> {
    if is_wide(field) || of_unions(&field.ty).is_some() {
        return None;
    }
    let mut ty = &field.ty;
    while let Type::Vector(items) | Type::Array(items, _) = ty {
        ty = items;
    }
    match ty {
        Type::Table(id) | Type::Struct(id) => Some(vec![*id]),
        Type::Union(id) => {
            let of = types.schema.enumeration(*id);
            let members = of.values.iter().filter_map(|member| member.ty.as_ref());
            let table = |ty: &Type| if let Type::Table(id) = ty { Some(*id) } else { None };
            members.map(table).collect::<Option<_>>().filter(|_| of.underlying.size() == 1)
        }
        Type::Scalar(_) | Type::Enum(_) | Type::String => Some(Vec::new()),
        Type::Vector(_) | Type::Vector64(_) | Type::Array(..) | Type::Opaque(_) => None,
    }
}

type Verified<T> = Result<T, InvalidFlatbuffer>;

struct Reader<'s, 'b, 'd> {
    types: Types<'s, 'b>,
    bytes: &'d [u8],
    path: Vec<i32>,
    /// Whether something was met that accessors read although the verifier has not looked at it, and would reject.
    is_unverified: bool,
}

/// Where a field is in a table.
#[derive(Clone, Copy)]
struct Slot<'f, 'b> {
    field: &'f Field<'b>,
    offset: u16,
}

impl Reader<'_, '_, '_> {
    fn root(&mut self, root: ObjectId, depth: usize) -> Verified<Record> {
        let options = VerifierOptions { max_tables: TABLES, max_apparent_size: APPARENT, ..VerifierOptions::default() };
        let bytes = self.bytes;
        let mut verifier = Verifier::new(&options, bytes);
        self.referred(&mut verifier, root, 0, depth)
    }

    /// A table behind an offset.
    fn referred(&mut self, verifier: &mut Verifier<'_, '_>, id: ObjectId, at: usize, depth: usize) -> Verified<Record> {
        let offset = verifier.get_uoffset(at)? as usize;
        self.table(verifier, id, at.saturating_add(offset), depth)
    }

    fn table(&mut self, verifier: &mut Verifier<'_, '_>, id: ObjectId, at: usize, depth: usize) -> Verified<Record> {
        let mut table = verifier.visit_table(at)?;
        let mut record = Record::empty(id.0);
        let slots = slots(self.bytes, at);
        for field in self.types.object(id).fields.iter().filter(|field| !field.is_deprecated) {
            let may_lack = depth == 0 && !field.is_required && !matches!(field.ty, Type::Union(_));
            // The calls for a field that is absent find that, and nothing else.
            if may_lack && slots.get(usize::from(field.slot)).is_none_or(|offset| *offset == [0, 0]) {
                continue;
            }
            self.path.push(field.slot.into());
            let slot = Slot { field, offset: field_index_to_field_offset(field.slot) };
            let (visited, value) = self.field(table, slot, depth)?;
            table = visited;
            // Below the root what is absent is filled in, as the deciding reader does.
            let value = value.or_else(|| self.types.absent(field).filter(|_| depth > 0));
            record.fields.extend(value.map(|value| (field.slot.into(), value)));
            self.path.pop();
        }
        table.finish();
        Ok(record)
    }

    fn field<'v, 'o, 'u>(
        &mut self,
        mut table: TableVerifier<'v, 'o, 'u>,
        slot: Slot<'_, '_>,
        depth: usize,
    ) -> Verified<(TableVerifier<'v, 'o, 'u>, Option<Value>)> {
        let Slot { field, offset } = slot;
        if let Type::Union(id) = field.ty {
            return self.union(table, slot, id, depth);
        }
        table = match &field.ty {
            Type::Scalar(scalar) => of_scalar(table, slot, *scalar)?,
            Type::Enum(id) => of_scalar(table, slot, self.types.schema.enumeration(*id).underlying)?,
            Type::String => visit::<ForwardsUOffset<&str>>(table, slot)?,
            Type::Vector(items) => match (&**items, self.types.scalar(items)) {
                (_, Some(scalar)) => of_scalars(table, slot, scalar)?,
                (Type::String, _) => visit::<ForwardsUOffset<Vector<'_, ForwardsUOffset<&str>>>>(table, slot)?,
                _ => table,
            },
            _ => table,
        };
        let Some(at) = table.deref(offset)? else {
            return match field.is_required {
                true => InvalidFlatbuffer::new_missing_required(field.name.text.to_string()),
                false => Ok((table, None)),
            };
        };
        let value = self.value(table.verifier(), (&field.ty, at), depth)?;
        let value = match (field.nested, value) {
            (Some(root), Value::Bytes(bytes)) => self.nested(root, &bytes, depth),
            (_, value) => value,
        };
        Ok((table, Some(value)))
    }

    /// What is where a field was found; of what takes a loop, the verifier is asked on the way.
    fn value(&mut self, verifier: &mut Verifier<'_, '_>, (ty, at): (&Type, usize), depth: usize) -> Verified<Value> {
        match ty {
            Type::Table(id) => self.referred(verifier, *id, at, depth + 1).map(Value::Record),
            Type::Struct(_) => {
                verifier.range_in_buffer(at, self.types.inline(ty).0)?;
                Ok(self.inline(ty, at))
            }
            Type::String => {
                let start = at.saturating_add(verifier.get_uoffset(at)? as usize);
                let length = verifier.get_uoffset(start)? as usize;
                Ok(Value::Text(self.get(start.saturating_add(4), length).to_vec()))
            }
            Type::Vector(items) => {
                let start = at.saturating_add(verifier.get_uoffset(at)? as usize);
                let length = verifier.get_uoffset(start)? as usize;
                let start = start.saturating_add(4);
                let size = self.types.inline(items).0;
                verifier.range_in_buffer(start, length.saturating_mul(size))?;
                if is_bytes(ty) {
                    return Ok(Value::Bytes(self.get(start, length).to_vec()));
                }
                let item = |index: usize| self.value(verifier, (&**items, start + index * size), depth);
                (0..length).map(item).collect::<Verified<_>>().map(Value::List)
            }
            _ => Ok(self.inline(ty, at)),
        }
    }

    fn union<'v, 'o, 'u>(
        &mut self,
        mut table: TableVerifier<'v, 'o, 'u>,
        Slot { field, offset }: Slot<'_, '_>,
        id: EnumId,
        depth: usize,
    ) -> Verified<(TableVerifier<'v, 'o, 'u>, Option<Value>)> {
        let name = field.name.text.to_string();
        let kind = field_index_to_field_offset(field.slot.saturating_sub(1));
        let mut read = None;
        let verify = |index: u8, verifier: &mut Verifier<'_, '_>, at: usize| {
            let index = u32::from(index);
            let value = match self.types.member(id, index) {
                Some(Type::Table(member)) => {
                    self.path.push(-1 - index as i32);
                    let record = self.referred(verifier, *member, at, depth + 1)?;
                    self.path.pop();
                    Value::Record(record)
                }
                _ => Value::Null,
            };
            read = (index != NONE).then(|| Value::Branch { index, value: Box::new(value) });
            Ok(())
        };
        table = table.visit_union::<u8, _>(format!("{name}_type"), kind, name, offset, field.is_required, verify)?;
        Ok((table, read))
    }

    /// A buffer inside of bytes: the verifier does not look into it. Where it would reject it, nobody can say what
    /// accessors make of it.
    fn nested(&mut self, root: ObjectId, bytes: &[u8], depth: usize) -> Value {
        let mut inner = Reader { types: self.types, bytes, path: Vec::new(), is_unverified: false };
        match inner.root(root, depth + 1) {
            Ok(record) if !inner.is_unverified => Value::Record(record),
            _ => {
                self.is_unverified = true;
                Value::Null
            }
        }
    }

    fn get(&self, at: usize, length: usize) -> &[u8] {
        self.bytes.get(at..at.saturating_add(length)).expect("the verifier found it inside the buffer")
    }

    /// A number, a struct or an array where it stands.
    fn inline(&self, ty: &Type, at: usize) -> Value {
        match ty {
            Type::Struct(id) => {
                let fields = self.types.object(*id).fields.iter();
                let place = |field: &Field<'_>| (field.slot.into(), self.inline(&field.ty, at + field.offset as usize));
                Value::Record(Record { ty: id.0, fields: fields.map(place).collect() })
            }
            Type::Array(items, count) => {
                let size = self.types.inline(items).0;
                Value::List((0..usize::from(*count)).map(|index| self.inline(items, at + index * size)).collect())
            }
            _ => match self.types.scalar(ty) {
                Some(scalar) => scalar_value(ty, scalar, self.get(at, scalar.size() as usize)),
                None => Value::Null,
            },
        }
    }
}

/// The entries of a table's vtable, of one that was verified.
fn slots(bytes: &[u8], at: usize) -> &[[u8; 2]] {
    let number = |at: usize, size| bytes.get(at..at.saturating_add(size)).unwrap_or_default();
    let back = i32::from_le_bytes(number(at, 4).try_into().unwrap_or_default());
    let start = at.saturating_add_signed((back as isize).saturating_neg());
    let size = u16::from_le_bytes(number(start, 2).try_into().unwrap_or_default());
    number(start, size.into()).get(4..).unwrap_or_default().as_chunks().0
}

fn visit<'v, 'o, 'u, T: Verifiable>(
    table: TableVerifier<'v, 'o, 'u>,
    Slot { field, offset }: Slot<'_, '_>,
) -> Verified<TableVerifier<'v, 'o, 'u>> {
    table.visit_field::<T>(field.name.text.to_string(), offset, field.is_required)
}

fn of_scalar<'v, 'o, 'u>(
    table: TableVerifier<'v, 'o, 'u>,
    slot: Slot<'_, '_>,
    scalar: Scalar,
) -> Verified<TableVerifier<'v, 'o, 'u>> {
    match scalar {
        Scalar::Bool => visit::<bool>(table, slot),
        Scalar::I8 => visit::<i8>(table, slot),
        Scalar::U8 => visit::<u8>(table, slot),
        Scalar::I16 => visit::<i16>(table, slot),
        Scalar::U16 => visit::<u16>(table, slot),
        Scalar::I32 => visit::<i32>(table, slot),
        Scalar::U32 => visit::<u32>(table, slot),
        Scalar::I64 => visit::<i64>(table, slot),
        Scalar::U64 => visit::<u64>(table, slot),
        Scalar::F32 => visit::<f32>(table, slot),
        Scalar::F64 => visit::<f64>(table, slot),
    }
}

fn of_scalars<'v, 'o, 'u>(
    table: TableVerifier<'v, 'o, 'u>,
    slot: Slot<'_, '_>,
    scalar: Scalar,
) -> Verified<TableVerifier<'v, 'o, 'u>> {
    match scalar {
        Scalar::Bool => vector::<bool>(table, slot),
        Scalar::I8 => vector::<i8>(table, slot),
        Scalar::U8 => vector::<u8>(table, slot),
        Scalar::I16 => vector::<i16>(table, slot),
        Scalar::U16 => vector::<u16>(table, slot),
        Scalar::I32 => vector::<i32>(table, slot),
        Scalar::U32 => vector::<u32>(table, slot),
        Scalar::I64 => vector::<i64>(table, slot),
        Scalar::U64 => vector::<u64>(table, slot),
        Scalar::F32 => vector::<f32>(table, slot),
        Scalar::F64 => vector::<f64>(table, slot),
    }
}

fn vector<'v, 'o, 'u, T: SimpleToVerifyInSlice>(
    table: TableVerifier<'v, 'o, 'u>,
    slot: Slot<'_, '_>,
) -> Verified<TableVerifier<'v, 'o, 'u>> {
    visit::<ForwardsUOffset<Vector<'_, T>>>(table, slot)
}
