//! Values → buffers: what generated code of the reference compiler writes.
//!
//! The `flatbuffers` crate does not write them: its builder takes structs and vectors only of types known at compile time
//! (anything else needs an `unsafe` implementation of its traits), and it has no 64-bit offsets. So a small builder lays
//! buffers out as the reference builder does: back to front, children before parents, the widest fields of a table first,
//! equal vtables shared, everything aligned counted from the end.

use crate::ordered::InOrder;
use crate::value::{Record, Value};

use super::model::{Default as Absence, EnumId, Field, Object, ObjectId, Scalar, Schema, Type};

/// The synthetic table that a struct or an enum is written in; see [`Types::holder`].
pub(super) const HOLDER: ObjectId = ObjectId(u32::MAX);
/// Tables are written and read no deeper than this.
pub(super) const DEPTH: usize = 64;
/// The number of `NONE`.
pub(super) const NONE: u32 = 0;

/// Structs of more weight are neither written nor read in round trips: a message may not hold them.
pub(super) const HEAVIEST: u32 = 1 << 16;

/// The types of one side, and one synthetic table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Types<'s, 'b> {
    /// All types.
    pub(super) schema: &'s Schema<'b>,
    /// What [`HOLDER`] stands for.
    pub(super) holder: Option<&'s Object<'b>>,
}

impl<'s, 'b> Types<'s, 'b> {
    /// The types of a schema.
    pub(super) fn of(schema: &'s Schema<'b>) -> Self {
        Self { schema, holder: None }
    }

    /// A table or a struct.
    pub(super) fn object(&self, id: ObjectId) -> &'s Object<'b> {
        match self.holder {
            Some(holder) if id == HOLDER => holder,
            _ => self.schema.object(id),
        }
    }

    /// The type of a union's member; `None` of `NONE` and of numbers that no member has.
    pub(super) fn member(&self, id: EnumId, number: u32) -> Option<&'s Type> {
        self.schema.enumeration(id).numbered(i128::from(number)).and_then(|value| value.ty.as_ref())
    }

    /// A struct that stands in a type, by itself or as an item, and is too heavy for a message.
    pub(super) fn too_heavy(&self, ty: &Type) -> Option<&'s Object<'b>> {
        match ty {
            Type::Struct(id) => Some(self.object(*id)).filter(|of| of.weight > HEAVIEST),
            Type::Vector(items) | Type::Vector64(items) | Type::Array(items, _) => self.too_heavy(items),
            _ => None,
        }
    }

    /// Bytes and alignment of a type where it stands inline: in a struct, a table or a vector.
    pub(super) fn inline(&self, ty: &Type) -> (usize, usize) {
        match ty {
            Type::Scalar(scalar) => (scalar.size() as usize, scalar.size() as usize),
            Type::Enum(id) => self.inline(&Type::Scalar(self.schema.enumeration(*id).underlying)),
            Type::Struct(id) => {
                let layout = self.object(*id).layout;
                layout.map_or((1, 1), |layout| (layout.size.max(1) as usize, layout.align.max(1) as usize))
            }
            Type::Array(items, count) => {
                let (size, align) = self.inline(items);
                (size * usize::from(*count), align)
            }
            Type::Vector64(_) => (8, 8),
            Type::String | Type::Table(_) | Type::Union(_) | Type::Vector(_) | Type::Opaque(_) => (4, 4),
        }
    }

    /// How a type is stored if it is a number.
    pub(super) fn scalar(&self, ty: &Type) -> Option<Scalar> {
        match ty {
            Type::Scalar(scalar) => Some(*scalar),
            Type::Enum(id) => Some(self.schema.enumeration(*id).underlying),
            _ => None,
        }
    }

    /// What an absent slot of a field reads as; `None` if that is nothing.
    pub(super) fn default_of(&self, field: &Field<'_>) -> Option<Value> {
        let scalar = self.scalar(&field.ty);
        match (field.default, scalar) {
            (Absence::Text, _) => field.default_text().map(|text| Value::Text(text.into_owned())),
            (Absence::Integer(number), Some(Scalar::F32)) => Some(Value::Float(number as f32)),
            (Absence::Integer(number), Some(Scalar::F64)) => Some(Value::Double(number as f64)),
            (Absence::Integer(number), Some(Scalar::Bool)) => Some(Value::Bool(number != 0)),
            (Absence::Integer(number), Some(_)) => Some(number_of(&field.ty, number)),
            (Absence::Real(number), Some(Scalar::F32)) => Some(Value::Float(number as f32)),
            (Absence::Real(number), Some(_)) => Some(Value::Double(number)),
            (Absence::Absent | Absence::Empty, _) | (_, None) => None,
        }
    }

    /// What the accessor of an absent field gives; `None` if that is nothing.
    pub(super) fn absent(&self, field: &Field<'_>) -> Option<Value> {
        match (field.default, &field.ty) {
            (Absence::Empty, Type::String) => Some(Value::Text(Vec::new())),
            (Absence::Empty, ty) if is_bytes(ty) => Some(Value::Bytes(Vec::new())),
            (Absence::Empty, _) => Some(Value::List(Vec::new())),
            _ => self.default_of(field),
        }
    }
}

/// A number as a value of its type.
pub(super) fn number_of(ty: &Type, number: i128) -> Value {
    match (ty, i32::try_from(number)) {
        (Type::Enum(id), Ok(number)) => Value::Enum { ty: id.0, number },
        _ => Value::Int(number),
    }
}

/// Whether the round trips know a type.
pub(super) fn is_known(ty: &Type) -> bool {
    match ty {
        Type::Opaque(_) => false,
        Type::Vector(items) | Type::Vector64(items) | Type::Array(items, _) => is_known(items),
        _ => true,
    }
}

/// Whether a field's offset takes 64 bits.
pub(super) fn is_wide(field: &Field<'_>) -> bool {
    field.is_offset64 || matches!(field.ty, Type::Vector64(_))
}

/// Writes a buffer; `None` where a value does not fit its type.
pub(super) fn encode(
    types: Types<'_, '_>,
    root: ObjectId,
    record: &Record,
    identifier: Option<&str>,
) -> Option<Vec<u8>> {
    let mut builder = Builder::default();
    let table = Writer { types, builder: &mut builder }.table(types.object(root), record, 0)?;
    let identifier = identifier.map(str::as_bytes).unwrap_or_default();
    let align = builder.align.max(4);
    builder.prepare(align, 4 + identifier.len());
    builder.push(identifier);
    builder.refer(table);
    Some(builder.finish())
}

/// The bytes of a buffer from the last to the first. An offset counts from the end.
#[derive(Debug, Default)]
struct Builder {
    reversed: Vec<u8>,
    align: usize,
    vtables: Vec<(Vec<u8>, usize)>,
}

impl Builder {
    /// Pads so that after `more` bytes the position is aligned.
    fn prepare(&mut self, align: usize, more: usize) {
        self.align = self.align.max(align);
        let behind = (self.reversed.len() + more) % align;
        let padding = if behind == 0 { 0 } else { align - behind };
        self.reversed.resize(self.reversed.len() + padding, 0);
    }

    fn push(&mut self, bytes: &[u8]) -> usize {
        self.reversed.extend(bytes.iter().rev());
        self.reversed.len()
    }

    fn aligned(&mut self, align: usize, bytes: &[u8]) -> usize {
        self.prepare(align, bytes.len());
        self.push(bytes)
    }

    /// Writes a 32-bit offset to something written before.
    fn refer(&mut self, target: usize) -> usize {
        self.prepare(4, 4);
        let distance = (self.reversed.len() + 4).wrapping_sub(target) as u32;
        self.push(&distance.to_le_bytes())
    }

    /// Writes a 64-bit offset to something written before.
    fn refer_wide(&mut self, target: usize) -> usize {
        self.prepare(8, 8);
        let distance = (self.reversed.len() + 8).wrapping_sub(target) as u64;
        self.push(&distance.to_le_bytes())
    }

    /// Writes a table: its fields as slot and content, in the order given.
    fn table(&mut self, fields: &[(u16, Part)]) -> Option<usize> {
        self.prepare(4, 0);
        let end = self.reversed.len();
        let mut placed = Vec::new();
        for (slot, part) in fields {
            let at = match part {
                Part::Bytes(bytes, align) => self.aligned(*align, bytes),
                Part::Near(target) => self.refer(*target),
                Part::Far(target) => self.refer_wide(*target),
            };
            placed.push((*slot, at));
        }
        self.prepare(4, 4);
        let start = self.reversed.len() + 4;
        let slots = placed.iter().map(|(slot, _)| usize::from(*slot) + 1).max().unwrap_or(0);
        let mut vtable = vec![0; 4 + 2 * slots];
        let mut put = |at: usize, number: usize| -> Option<()> {
            vtable[at..at + 2].copy_from_slice(&u16::try_from(number).ok()?.to_le_bytes());
            Some(())
        };
        put(0, 4 + 2 * slots)?;
        put(2, start - end)?;
        for (slot, at) in placed {
            put(4 + 2 * usize::from(slot), start - at)?;
        }
        let known = self.vtables.iter().find(|(bytes, _)| *bytes == vtable).map(|(_, at)| *at);
        let at = known.unwrap_or(start + vtable.len());
        self.push(&((at as i64 - start as i64) as i32).to_le_bytes());
        if known.is_none() {
            self.push(&vtable);
            self.vtables.push((vtable, at));
        }
        Some(start)
    }

    fn finish(mut self) -> Vec<u8> {
        self.reversed.reverse();
        self.reversed
    }
}

/// What stands in a table.
enum Part {
    /// Bytes with their alignment.
    Bytes(Vec<u8>, usize),
    /// An offset.
    Near(usize),
    /// A 64-bit offset.
    Far(usize),
}

impl Part {
    /// What tables sort their fields by; structs count as offsets do.
    fn width(&self) -> usize {
        match self {
            Part::Bytes(bytes, align) if bytes.len() == *align && bytes.len() <= 8 => bytes.len(),
            Part::Bytes(..) | Part::Near(_) => 4,
            Part::Far(_) => 8,
        }
    }
}

struct Writer<'s, 'b, 'w> {
    types: Types<'s, 'b>,
    builder: &'w mut Builder,
}

impl Writer<'_, '_, '_> {
    fn table(&mut self, object: &Object<'_>, record: &Record, depth: usize) -> Option<usize> {
        if depth > DEPTH || object.layout.is_some() {
            return None;
        }
        let mut parts = Vec::new();
        for (slot, value) in &record.fields {
            if let Some(field) = usize::try_from(*slot).ok().and_then(|slot| object.of_slot(slot)) {
                self.field(field, value, &mut parts, depth)?;
            }
        }
        // The sort is stable: within one width the last field comes first, so the first has the lowest address.
        parts.reverse();
        let is_ordered = object.attributes.iter().any(|attribute| attribute.name.text == "original_order");
        if !is_ordered {
            parts.sort_in_order_by_key(|(_, part)| std::cmp::Reverse(part.width()));
        }
        self.builder.table(&parts)
    }

    fn field(&mut self, field: &Field<'_>, value: &Value, parts: &mut Vec<(u16, Part)>, depth: usize) -> Option<()> {
        let slot = field.slot;
        if let Some(scalar) = self.types.scalar(&field.ty) {
            let bytes = scalar_bytes(scalar, value)?;
            let default = self.types.default_of(field).and_then(|default| scalar_bytes(scalar, &default));
            if default.as_ref() != Some(&bytes) || self.has_one_value(&field.ty) {
                let align = bytes.len();
                parts.push((slot, Part::Bytes(bytes, align)));
            }
            return Some(());
        }
        match (&field.ty, value) {
            (Type::Struct(id), value) => {
                let (_, align) = self.types.inline(&field.ty);
                let bytes = struct_bytes(self.types, *id, value)?;
                parts.push((slot, Part::Bytes(bytes, align)));
            }
            (Type::Union(id), Value::Branch { index, value }) => {
                let target = self.member(*id, *index, value, depth)?;
                parts.push((slot.checked_sub(1)?, self.discriminator(*id, *index)?));
                parts.push((slot, Part::Near(target)));
            }
            (Type::Vector(items), Value::List(values)) if matches!(**items, Type::Union(_)) => {
                let Type::Union(id) = **items else { return None };
                let (kinds, targets) = self.unions(id, values, depth)?;
                parts.push((slot.checked_sub(1)?, Part::Near(kinds)));
                parts.push((slot, Part::Near(targets)));
            }
            (_, Value::Record(record)) if field.nested.is_some() => {
                let bytes = encode(self.types, field.nested?, record, None)?;
                let target = self.bytes(&bytes, 8, matches!(field.ty, Type::Vector64(_)));
                parts.push((slot, if is_wide(field) { Part::Far(target) } else { Part::Near(target) }));
            }
            (ty, value) => {
                let target = self.target(ty, value, depth)?;
                parts.push((slot, if is_wide(field) { Part::Far(target) } else { Part::Near(target) }));
            }
        }
        Some(())
    }

    /// Whether there is nothing to write but the default: then a writer is meant that writes what is set, as some do.
    fn has_one_value(&self, ty: &Type) -> bool {
        let Type::Enum(id) = ty else { return false };
        let of = self.types.schema.enumeration(*id);
        of.values.len() == 1 && !of.is_bit_flags
    }

    fn discriminator(&self, id: EnumId, index: u32) -> Option<Part> {
        let bytes = scalar_bytes(self.types.schema.enumeration(id).underlying, &Value::Int(index.into()))?;
        let align = bytes.len();
        Some(Part::Bytes(bytes, align))
    }

    /// Something that is referred to by an offset.
    fn target(&mut self, ty: &Type, value: &Value, depth: usize) -> Option<usize> {
        match (ty, value) {
            (Type::Table(id), Value::Record(record)) => self.table(self.types.object(*id), record, depth + 1),
            (Type::String, Value::Text(text)) => Some(self.text(text)),
            (Type::Vector(_), Value::Bytes(bytes)) => Some(self.bytes(bytes, 1, false)),
            (Type::Vector64(_), Value::Bytes(bytes)) => Some(self.bytes(bytes, 1, true)),
            (Type::Vector(items), Value::List(values)) => self.vector(items, values, false, depth),
            (Type::Vector64(items), Value::List(values)) => self.vector(items, values, true, depth),
            _ => None,
        }
    }

    fn text(&mut self, text: &[u8]) -> usize {
        self.builder.prepare(4, text.len() + 1);
        self.builder.push(&[0]);
        self.builder.push(text);
        self.builder.push(&(text.len() as u32).to_le_bytes())
    }

    fn length(&mut self, count: usize, is_wide: bool) -> usize {
        match is_wide {
            true => self.builder.aligned(8, &(count as u64).to_le_bytes()),
            false => self.builder.aligned(4, &(count as u32).to_le_bytes()),
        }
    }

    fn bytes(&mut self, bytes: &[u8], align: usize, is_wide: bool) -> usize {
        self.builder.prepare(if is_wide { 8 } else { 4 }, bytes.len());
        self.builder.prepare(align, bytes.len());
        self.builder.push(bytes);
        self.length(bytes.len(), is_wide)
    }

    fn vector(&mut self, items: &Type, values: &[Value], is_wide: bool, depth: usize) -> Option<usize> {
        if matches!(items, Type::String | Type::Table(_)) {
            let targets: Option<Vec<usize>> = values.iter().map(|value| self.target(items, value, depth)).collect();
            return Some(self.offsets(&targets?, is_wide));
        }
        let (_, align) = self.types.inline(items);
        let mut bytes = Vec::new();
        for value in values {
            bytes.extend(inline_bytes(self.types, items, value)?);
        }
        self.builder.prepare(if is_wide { 8 } else { 4 }, bytes.len());
        self.builder.prepare(align, bytes.len());
        self.builder.push(&bytes);
        Some(self.length(values.len(), is_wide))
    }

    fn offsets(&mut self, targets: &[usize], is_wide: bool) -> usize {
        self.builder.prepare(if is_wide { 8 } else { 4 }, 4 * targets.len());
        for target in targets.iter().rev() {
            self.builder.refer(*target);
        }
        self.length(targets.len(), is_wide)
    }

    fn member(&mut self, id: EnumId, index: u32, value: &Value, depth: usize) -> Option<usize> {
        match self.types.member(id, index)? {
            ty @ Type::Struct(member) => {
                let (_, align) = self.types.inline(ty);
                let bytes = struct_bytes(self.types, *member, value)?;
                Some(self.builder.aligned(align, &bytes))
            }
            ty => self.target(ty, value, depth),
        }
    }

    fn unions(&mut self, id: EnumId, values: &[Value], depth: usize) -> Option<(usize, usize)> {
        let underlying = Type::Scalar(self.types.schema.enumeration(id).underlying);
        let (mut kinds, mut targets) = (Vec::new(), Vec::new());
        for value in values {
            let Value::Branch { index, value } = value else { return None };
            kinds.push(Value::Int((*index).into()));
            targets.push(self.member(id, *index, value, depth)?);
        }
        let kinds = self.vector(&underlying, &kinds, false, depth)?;
        Some((kinds, self.offsets(&targets, false)))
    }
}

fn inline_bytes(types: Types<'_, '_>, ty: &Type, value: &Value) -> Option<Vec<u8>> {
    if let Some(scalar) = types.scalar(ty) {
        return scalar_bytes(scalar, value);
    }
    match (ty, value) {
        (Type::Struct(id), value) => struct_bytes(types, *id, value),
        (Type::Array(items, count), Value::List(values)) if values.len() == usize::from(*count) => {
            let parts: Option<Vec<Vec<u8>>> = values.iter().map(|value| inline_bytes(types, items, value)).collect();
            Some(parts?.concat())
        }
        _ => None,
    }
}

fn struct_bytes(types: Types<'_, '_>, id: ObjectId, value: &Value) -> Option<Vec<u8>> {
    let Value::Record(record) = value else { return None };
    let object = types.object(id);
    let mut bytes = vec![0; object.layout?.size as usize];
    for field in &object.fields {
        let part = inline_bytes(types, &field.ty, record.fields.get(&i32::from(field.slot))?)?;
        let start = field.offset as usize;
        bytes.get_mut(start..start + part.len())?.copy_from_slice(&part);
    }
    Some(bytes)
}

/// A number in little-endian bytes; `None` if it does not fit.
fn scalar_bytes(scalar: Scalar, value: &Value) -> Option<Vec<u8>> {
    let whole = match value {
        Value::Bool(value) => Some(i128::from(*value)),
        Value::Int(number) => Some(*number),
        Value::Enum { number, .. } => Some(i128::from(*number)),
        _ => None,
    };
    match (scalar, value) {
        (Scalar::F32, Value::Float(number)) => return Some(number.to_le_bytes().to_vec()),
        (Scalar::F64, Value::Double(number)) => return Some(number.to_le_bytes().to_vec()),
        (Scalar::F32 | Scalar::F64, _) => return None,
        _ => {}
    }
    let number = whole?;
    let (min, max) = range(scalar);
    (min..=max).contains(&number).then(|| number.to_le_bytes()[..scalar.size() as usize].to_vec())
}

/// The smallest and the largest number of a type of whole numbers.
pub(super) fn range(scalar: Scalar) -> (i128, i128) {
    let bits = 8 * scalar.size();
    match scalar {
        Scalar::Bool => (0, 1),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => (0, (1 << bits) - 1),
        Scalar::F32 | Scalar::F64 => (0, 0),
    }
}

/// Whether values of a vector are bytes rather than a list.
pub(super) fn is_bytes(ty: &Type) -> bool {
    match ty {
        Type::Vector(items) | Type::Vector64(items) => **items == Type::Scalar(Scalar::U8),
        _ => false,
    }
}

/// Whether a type is a union, or a vector of them: it takes two slots.
pub(super) fn is_union(ty: &Type) -> bool {
    match ty {
        Type::Union(_) => true,
        Type::Vector(items) => matches!(**items, Type::Union(_)),
        _ => false,
    }
}
