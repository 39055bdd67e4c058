//! Buffers → values, as generated code reads them: first the verifier, then the accessors of the reader's own schema.
//!
//! The verifier is the one of generated code: bounds, the alignment of scalars and offsets, vtables, what is required, NUL
//! behind texts. It lets unknown discriminators of unions pass, and does not look at deprecated fields. Texts must be
//! UTF-8, as readers in languages with checked texts demand. Both happen in one walk, because a rejected buffer shows
//! nothing. Nothing panics whatever the bytes are, and what is read is bounded.

use crate::value::{Record, Value};

use super::codec::{DEPTH, NONE, Types, is_bytes, is_union, is_wide, number_of};
use super::model::{EnumId, Field, ObjectId, Scalar, Type};
use super::values::of_unions;

/// More values than this are not read of one buffer.
const VALUES: usize = 1 << 18;

/// Bytes of the smallest buffer: the offset of its table, and a table with nothing in it.
const SMALLEST: usize = 12;

/// Why a buffer was rejected, and at which slots from the root on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReadError {
    /// The slots on the way.
    pub(super) path: Vec<i32>,
    /// What is wrong.
    pub(super) reason: String,
    /// Whether the file identifier is what is wrong.
    pub(super) is_of_identifier: bool,
}

/// How a buffer is read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct How<'i> {
    /// The identifier that is demanded.
    pub(super) identifier: Option<&'i str>,
    /// Whether deprecated fields are read too, as the writer of old could.
    pub(super) with_deprecated: bool,
    /// What becomes of absent fields of the root table.
    pub(super) defaults: Defaults,
}

/// What becomes of absent fields of the root table. Those of tables below it are always filled in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Defaults {
    /// They are what their accessors give.
    #[default]
    FilledIn,
    /// They are absent, so that reading costs what was written; [`Types::absent`] says what they are.
    LeftOut,
}

/// Reads a buffer.
pub(super) fn decode(types: Types<'_, '_>, root: ObjectId, bytes: &[u8], how: How<'_>) -> Result<Record, ReadError> {
    let mut reader = Reader { types, bytes, how, path: Vec::new(), left: VALUES };
    if let Err(reason) = reader.identifier() {
        return Err(ReadError { path: Vec::new(), reason, is_of_identifier: true });
    }
    let read = reader.root(root);
    read.map_err(|reason| ReadError { path: reader.path, reason, is_of_identifier: false })
}

type Fallible<T> = Result<T, String>;

struct Reader<'s, 'b, 'd> {
    types: Types<'s, 'b>,
    bytes: &'d [u8],
    how: How<'d>,
    path: Vec<i32>,
    left: usize,
}

fn outside(what: &str) -> String {
    format!("{what} lies outside the buffer")
}

impl Reader<'_, '_, '_> {
    fn identifier(&self) -> Fallible<()> {
        if let Some(identifier) = self.how.identifier {
            let found = self.bytes.get(4..8).ok_or_else(|| outside("the file identifier"))?;
            if found != identifier.as_bytes() {
                return Err(format!("the file identifier is not `{identifier}`"));
            }
        }
        Ok(())
    }

    fn root(&mut self, root: ObjectId) -> Fallible<Record> {
        if self.bytes.len() < SMALLEST {
            return Err("a buffer of so few bytes holds no table".to_owned());
        }
        let table = self.follow(0, "the root table")?;
        self.table(root, table, 0)
    }

    fn get(&self, at: usize, size: usize, what: &str) -> Fallible<&[u8]> {
        let end = at.checked_add(size).ok_or_else(|| outside(what))?;
        self.bytes.get(at..end).ok_or_else(|| outside(what))
    }

    /// An aligned whole number without sign.
    fn unsigned(&self, at: usize, size: usize, what: &str) -> Fallible<u64> {
        if !at.is_multiple_of(size) {
            return Err(format!("{what} is not aligned"));
        }
        let mut wide = [0; 8];
        wide[..size].copy_from_slice(self.get(at, size, what)?);
        Ok(u64::from_le_bytes(wide))
    }

    fn follow(&self, at: usize, what: &str) -> Fallible<usize> {
        self.target(at, self.unsigned(at, 4, what)?, what)
    }

    fn follow_wide(&self, at: usize, what: &str) -> Fallible<usize> {
        self.target(at, self.unsigned(at, 8, what)?, what)
    }

    fn target(&self, at: usize, offset: u64, what: &str) -> Fallible<usize> {
        if offset == 0 {
            return Err(format!("the offset of {what} points to itself"));
        }
        self.reach(at, offset, what)
    }

    fn reach(&self, at: usize, offset: u64, what: &str) -> Fallible<usize> {
        let target = usize::try_from(offset).ok().and_then(|offset| at.checked_add(offset));
        target.filter(|target| *target < self.bytes.len()).ok_or_else(|| outside(what))
    }

    fn count(&mut self, values: usize) -> Fallible<()> {
        self.left = self.left.checked_sub(values).ok_or("the buffer holds too many values")?;
        Ok(())
    }

    fn table(&mut self, id: ObjectId, at: usize, depth: usize) -> Fallible<Record> {
        if depth > DEPTH {
            return Err("tables are nested too deeply".to_owned());
        }
        self.count(1)?;
        let vtable = self.vtable(at)?;
        let object = self.types.object(id);
        let mut record = Record::empty(id.0);
        let is_bare = depth == 0 && self.how.defaults == Defaults::LeftOut;
        let slots = self.bytes.get(vtable.0..vtable.1).unwrap_or_default();
        let is_empty = |slot: u16| {
            let entry = 4 + 2 * usize::from(slot);
            slots.get(entry..entry + 2).is_none_or(|offset| offset == [0, 0])
        };
        for field in &object.fields {
            if is_bare && is_empty(field.slot) && !is_demanded(field) && !is_union(&field.ty) {
                continue;
            }
            if field.is_deprecated && !self.how.with_deprecated {
                continue;
            }
            self.path.push(field.slot.into());
            if let Some(value) = self.field(field, at, vtable, depth)? {
                record.fields.insert(field.slot.into(), value);
            }
            self.path.pop();
        }
        Ok(record)
    }

    /// Where the vtable of a table starts and ends.
    fn vtable(&self, at: usize) -> Fallible<(usize, usize)> {
        let back = self.unsigned(at, 4, "the table")? as u32 as i32;
        let start = (at as i128) - i128::from(back);
        let start = usize::try_from(start).map_err(|_| outside("the vtable"))?;
        let size = self.unsigned(start, 2, "the vtable")? as usize;
        // Generated verifiers take one that does not even hold its own size: all fields are absent then.
        if !size.is_multiple_of(2) {
            return Err("the size of the vtable is wrong".to_owned());
        }
        self.get(start, size, "the vtable")?;
        Ok((start, start + size))
    }

    /// Where the content of a slot is, if it is present.
    fn slot(&self, slot: u16, table: usize, vtable: (usize, usize)) -> Fallible<Option<usize>> {
        let entry = vtable.0 + 4 + 2 * usize::from(slot);
        if entry + 2 > vtable.1 {
            return Ok(None);
        }
        let offset = self.unsigned(entry, 2, "the vtable")? as usize;
        Ok((offset != 0).then_some(table + offset))
    }

    fn field(
        &mut self,
        field: &Field<'_>,
        table: usize,
        vtable: (usize, usize),
        depth: usize,
    ) -> Fallible<Option<Value>> {
        let at = self.slot(field.slot, table, vtable)?;
        match &field.ty {
            Type::Union(id) => return self.union(*id, field, (table, vtable), depth),
            Type::Opaque(_) => return Ok(None),
            _ => {}
        }
        if let Some(id) = of_unions(&field.ty) {
            let is_there = at.is_some() || self.kinds(id, field, table, vtable)?.is_some();
            return match is_there {
                true => self.unions(id, field, (table, vtable), depth).map(Some),
                false if is_demanded(field) => Err(format!("the required field `{}` is missing", field.name.text)),
                false => Ok(self.types.absent(field)),
            };
        }
        let Some(at) = at else {
            if is_demanded(field) {
                return Err(format!("the required field `{}` is missing", field.name.text));
            }
            return Ok(self.types.absent(field));
        };
        if !matches!(field.ty, Type::Scalar(_) | Type::Enum(_) | Type::Struct(_)) {
            let what = format!("`{}`", field.name.text);
            let target = if is_wide(field) { self.follow_wide(at, &what)? } else { self.follow(at, &what)? };
            let value = self.referred(&field.ty, target, depth)?;
            return match (field.nested, value) {
                (Some(root), Value::Bytes(bytes)) => self.nested(root, &bytes).map(Some),
                (_, value) => Ok(Some(value)),
            };
        }
        let (_, align) = self.types.inline(&field.ty);
        if !at.is_multiple_of(align) {
            return Err(format!("`{}` is not aligned", field.name.text));
        }
        self.inline(&field.ty, at, depth).map(Some)
    }

    fn nested(&mut self, root: ObjectId, bytes: &[u8]) -> Fallible<Value> {
        let how = How { identifier: None, defaults: Defaults::FilledIn, ..self.how };
        let mut inner = Reader { types: self.types, bytes, how, path: Vec::new(), left: self.left / 2 };
        let read = inner.root(root);
        self.path.extend(inner.path);
        read.map(Value::Record).map_err(|reason| format!("in the nested buffer {reason}"))
    }

    /// A scalar, a struct or an array where it stands.
    fn inline(&mut self, ty: &Type, at: usize, depth: usize) -> Fallible<Value> {
        if depth > 2 * DEPTH {
            return Err("structs are nested too deeply".to_owned());
        }
        self.count(1)?;
        if let Some(scalar) = self.types.scalar(ty) {
            return Ok(scalar_value(ty, scalar, self.get(at, scalar.size() as usize, "a value")?));
        }
        match ty {
            Type::Struct(id) => {
                let (size, _) = self.types.inline(ty);
                self.get(at, size, "a struct")?;
                let mut record = Record::empty(id.0);
                for field in &self.types.object(*id).fields {
                    let value = self.inline(&field.ty, at + field.offset as usize, depth + 1)?;
                    record.fields.insert(field.slot.into(), value);
                }
                Ok(Value::Record(record))
            }
            Type::Array(items, count) => {
                let (size, _) = self.types.inline(items);
                let values: Fallible<Vec<Value>> =
                    (0..usize::from(*count)).map(|index| self.inline(items, at + index * size, depth + 1)).collect();
                Ok(Value::List(values?))
            }
            _ => Err("the type of a value is not known".to_owned()),
        }
    }

    /// What an offset leads to.
    fn referred(&mut self, ty: &Type, at: usize, depth: usize) -> Fallible<Value> {
        match ty {
            Type::Table(id) => self.table(*id, at, depth + 1).map(Value::Record),
            Type::Struct(_) => {
                let (_, align) = self.types.inline(ty);
                if !at.is_multiple_of(align) {
                    return Err("a struct is not aligned".to_owned());
                }
                self.inline(ty, at, depth)
            }
            Type::String => {
                let (start, length) = self.vector_bounds(at, 1, 4)?;
                let text = self.get(start, length, "a text")?.to_vec();
                if self.get(start + length, 1, "the NUL behind a text")? != [0] {
                    return Err("a text does not end with NUL".to_owned());
                }
                std::str::from_utf8(&text).map_err(|_| "a text is not UTF-8")?;
                self.count(text.len())?;
                Ok(Value::Text(text))
            }
            Type::Vector(items) => self.vector(ty, items, (at, 4), depth),
            Type::Vector64(items) => self.vector(ty, items, (at, 8), depth),
            _ => Err("the type of a value is not known".to_owned()),
        }
    }

    /// Where the items of a vector start and how many there are.
    fn vector_bounds(&self, at: usize, size: usize, width: usize) -> Fallible<(usize, usize)> {
        let length = usize::try_from(self.unsigned(at, width, "a vector")?).map_err(|_| outside("a vector"))?;
        let bytes = length.checked_mul(size).ok_or_else(|| outside("a vector"))?;
        self.get(at + width, bytes, "a vector")?;
        Ok((at + width, length))
    }

    fn vector(&mut self, ty: &Type, items: &Type, place: (usize, usize), depth: usize) -> Fallible<Value> {
        let (size, _) = self.types.inline(items);
        let (start, length) = self.vector_bounds(place.0, size, place.1)?;
        if is_bytes(ty) {
            self.count(length)?;
            return Ok(Value::Bytes(self.get(start, length, "a vector")?.to_vec()));
        }
        let mut values = Vec::new();
        for index in 0..length {
            let at = start + index * size;
            values.push(match items {
                Type::Table(_) | Type::String => {
                    // Nobody minds that an item points to itself, as a field must not.
                    let offset = self.unsigned(at, 4, "an item of a vector")?;
                    let target = self.reach(at, offset, "an item of a vector")?;
                    self.referred(items, target, depth)?
                }
                _ => self.inline(items, at, depth)?,
            });
        }
        Ok(Value::List(values))
    }

    fn discriminator(&self, id: EnumId, at: usize) -> Fallible<u32> {
        let size = self.types.schema.enumeration(id).underlying.size() as usize;
        u32::try_from(self.unsigned(at, size, "a discriminator")?)
            .map_err(|_| "a discriminator is too large".to_owned())
    }

    fn union(
        &mut self,
        id: EnumId,
        field: &Field<'_>,
        (table, vtable): (usize, (usize, usize)),
        depth: usize,
    ) -> Fallible<Option<Value>> {
        let kind = match field.slot.checked_sub(1) {
            Some(slot) => self.slot(slot, table, vtable)?,
            None => None,
        };
        let index = kind.map(|at| self.discriminator(id, at)).transpose()?.unwrap_or(NONE);
        let Some(at) = self.slot(field.slot, table, vtable)? else {
            if is_demanded(field) {
                return Err(format!("the required field `{}` is missing", field.name.text));
            }
            // Verifiers take a table or a text that is not there, and look for a struct at no place.
            if let Some(Type::Struct(_)) = self.types.member(id, index) {
                self.path.push(-1 - index as i32);
                return Err(format!("the struct in `{}` is missing", field.name.text));
            }
            return Ok((index != NONE).then(|| Value::Branch { index, value: Box::new(Value::Null) }));
        };
        let target = self.follow(at, &format!("`{}`", field.name.text))?;
        if index == NONE {
            return Ok(None);
        }
        self.member(id, index, target, depth).map(Some)
    }

    fn member(&mut self, id: EnumId, index: u32, target: usize, depth: usize) -> Fallible<Value> {
        let value = match self.types.member(id, index) {
            Some(ty) => {
                self.path.push(-1 - index as i32);
                let value = self.referred(ty, target, depth)?;
                self.path.pop();
                value
            }
            None => Value::Null,
        };
        Ok(Value::Branch { index, value: Box::new(value) })
    }

    /// Where the discriminators of a vector of unions start and how many there are. A verifier looks at them whether the
    /// vector itself is there or not.
    fn kinds(
        &self,
        id: EnumId,
        field: &Field<'_>,
        table: usize,
        vtable: (usize, usize),
    ) -> Fallible<Option<(usize, usize)>> {
        let Some(slot) = field.slot.checked_sub(1) else { return Ok(None) };
        let Some(at) = self.slot(slot, table, vtable)? else { return Ok(None) };
        let size = self.types.schema.enumeration(id).underlying.size() as usize;
        let kinds = self.follow(at, "the discriminators")?;
        self.vector_bounds(kinds, size, 4).map(Some)
    }

    fn unions(
        &mut self,
        id: EnumId,
        field: &Field<'_>,
        (table, vtable): (usize, (usize, usize)),
        depth: usize,
    ) -> Fallible<Value> {
        let Some((kinds, count)) = self.kinds(id, field, table, vtable)? else {
            return Err(format!("`{}` lacks its discriminators", field.name.text));
        };
        let Some(at) = self.slot(field.slot, table, vtable)? else {
            return Err(format!("`{}` is missing where its discriminators are not", field.name.text));
        };
        let size = self.types.schema.enumeration(id).underlying.size() as usize;
        let targets = self.follow(at, "a vector")?;
        let (targets, length) = self.vector_bounds(targets, 4, 4)?;
        if count != length {
            return Err("a vector of unions has another length than its discriminators".to_owned());
        }
        let mut values = Vec::new();
        for index in 0..length {
            self.count(1)?;
            let kind = self.discriminator(id, kinds + index * size)?;
            let target = self.follow(targets + 4 * index, "an item of a vector")?;
            values.push(self.member(id, kind, target, depth)?);
        }
        Ok(Value::List(values))
    }
}

/// Whether verifiers reject a table without the field; they do not look at deprecated ones.
fn is_demanded(field: &Field<'_>) -> bool {
    field.is_required && !field.is_deprecated
}

/// A scalar or the value of an enum in its bytes.
pub(super) fn scalar_value(ty: &Type, scalar: Scalar, bytes: &[u8]) -> Value {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let whole = u64::from_le_bytes(wide);
    let number = match scalar {
        Scalar::Bool => return Value::Bool(whole != 0),
        Scalar::F32 => return Value::Float(f32::from_bits(whole as u32)),
        Scalar::F64 => return Value::Double(f64::from_bits(whole)),
        Scalar::I8 => i128::from(whole as u8 as i8),
        Scalar::I16 => i128::from(whole as u16 as i16),
        Scalar::I32 => i128::from(whole as u32 as i32),
        Scalar::I64 => i128::from(whole as i64),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => i128::from(whole),
    };
    number_of(ty, number)
}
