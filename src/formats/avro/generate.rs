//! Synthetic data: every value at which a reader of the other version could go wrong, and little else.
//!
//! Parts that differ get the boundary values of their type and every branch, one message for each; parts that are the
//! same on both sides get one plain value that the reader takes where there is one. A named type below is compared in a
//! meeting of its own, so a plain value of it is enough. The number of values follows the size of the change.
//! Everything is deterministic.

use std::cell::RefCell;
use std::sync::Arc;

use crate::change::Identity;
use crate::formats::roundtrip::{Outlet, Sides, Variations, weight};
use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::value::{self, Key, Record, Seeded, Value, Width};

use super::compare::{Comparer, Element};
use super::compare_scalars::without_sign_bytes;
use super::model::{Field, Kind, Logical, Primitive, Schema, TypeId, Unit, Use};
use super::names::field_key;
use super::resolve::Dialect;

/// Values with more records inside each other than this are not written.
const HEIGHT: u32 = 64;
/// Types whose plainest value has more bytes than about this are not written.
const SIZE: u32 = 1 << 16;

/// No larger value is written only to have another one than null.
const TELLING: u32 = 64;

/// Whether a plain value is null where it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nulls {
    /// What is lost with null is nothing, so there is another value if a small one is to be had.
    Avoided,
    /// Null is the plainest of all.
    Plain,
}

/// How the values of each type of a schema end, for the types that have values which do.
pub(super) struct Ends(Vec<Option<End>>);

/// The plainest value of a type.
#[derive(Debug, Clone, Copy)]
struct End {
    /// Records inside each other.
    height: u32,
    /// Bytes, roughly.
    size: u32,
    /// The branch of a union that ends first.
    branch: usize,
}

impl Ends {
    /// Finds out for all types of the writer how their values end. Of what the reader knows by name only, nothing is
    /// written: nobody can tell what it would read.
    pub(super) fn of(schema: &Schema<'_>, reader: &Schema<'_>) -> Self {
        let mut ends = Ends(vec![None; schema.types.len()]);
        let opaque = |kind: &Kind<'_>| match kind {
            Kind::Opaque(name) => Some(name.full.clone()),
            _ => None,
        };
        let unknown: OrderedSet<Arc<str>> = reader.types.iter().filter_map(|ty| opaque(&ty.kind)).collect();
        let is_known = |kind: &Kind<'_>| kind.name().is_none_or(|name| !unknown.contains(&name.full));
        // Each round knows the values that are one record higher, so the rounds are bounded by the height.
        for _ in 0..=HEIGHT {
            let mut is_settled = true;
            for (index, ty) in schema.types.iter().enumerate() {
                if ends.0[index].is_none()
                    && (unknown.is_empty() || is_known(&ty.kind))
                    && let Some(end) = ends.end(&ty.kind)
                {
                    ends.0[index] = Some(end);
                    is_settled = false;
                }
            }
            if is_settled {
                break;
            }
        }
        ends
    }

    fn get(&self, id: TypeId) -> Option<End> {
        self.0.get(id.0 as usize).copied().flatten()
    }

    fn end(&self, kind: &Kind<'_>) -> Option<End> {
        let flat = |size| Some(End { height: 0, size, branch: 0 });
        match kind {
            Kind::Primitive(_) | Kind::Array(_) | Kind::Map(_) => flat(1),
            Kind::Enum(definition) => flat(1).filter(|_| !definition.symbols.is_empty()),
            Kind::Fixed(fixed) => flat(fixed.size).filter(|_| fixed.size <= SIZE),
            Kind::Opaque(_) => None,
            Kind::Union(branches) => {
                let known = branches.iter().enumerate().filter_map(|(at, branch)| Some((at, self.get(branch.ty)?)));
                let (branch, end) = known.min_by_key(|(at, end)| (end.height, end.size, *at))?;
                Some(End { branch, size: end.size + 1, ..end })
            }
            Kind::Record(record) => {
                let mut whole = End { height: 0, size: 0, branch: 0 };
                for field in &record.fields {
                    let end = self.get(field.schema.ty)?;
                    whole.height = whole.height.max(end.height + 1);
                    whole.size = whole.size.saturating_add(end.size);
                }
                Some(whole).filter(|whole| whole.height <= HEIGHT && whole.size <= SIZE)
            }
        }
    }
}

/// Writes the values that the writer of a meeting writes; `called` is what people call the writer's type.
pub(super) fn values(
    comparer: &Comparer<'_, '_>,
    ends: &Ends,
    types: Sides<TypeId>,
    called: &str,
    outlet: &mut Outlet<'_>,
) {
    let maker = Maker { comparer, ends, unwritten: RefCell::default() };
    let because = "because it has no value that is finite, small and of known types";
    if ends.get(types.writer).is_none() {
        outlet.leave_out_all(format!("synthetic data of `{called}`, {because}"));
    } else if maker.writer().record(types.writer).is_some() {
        maker.records(types, outlet);
    } else {
        maker.top(types).into_iter().for_each(|value| _ = outlet.write(value));
    }
    for called in maker.unwritten.into_inner() {
        outlet.leave_out(format!("synthetic data of `{called}`, {because}"));
    }
}

struct Maker<'c, 's, 'a> {
    comparer: &'c Comparer<'s, 'a>,
    ends: &'c Ends,
    /// What the types are called of which values would be telling and none can be made.
    unwritten: RefCell<OrderedSet<String>>,
}

impl<'s, 'a> Maker<'_, 's, 'a> {
    fn writer(&self) -> &'s Schema<'a> {
        self.comparer.schemas.writer
    }

    fn reader(&self) -> &'s Schema<'a> {
        self.comparer.schemas.reader
    }

    /// The values of the types that met, other than records. Of a named type everything is written here, and elsewhere one
    /// value.
    fn top(&self, types: Sides<TypeId>) -> Vec<Value> {
        match self.writer().kind(types.writer) {
            Kind::Enum(definition) => {
                (0..).zip(&definition.symbols).map(|(number, _)| Value::Enum { ty: types.writer.0, number }).collect()
            }
            Kind::Fixed(fixed) => {
                let size = fixed.size as usize;
                let mut values =
                    vec![plain_fixed(size, self.writer().ty(types.writer).logical), Value::Bytes(vec![0xff; size])];
                values.push(Value::Bytes((0..=255).cycle().take(size).collect()));
                values.dedup();
                values
            }
            Kind::Record(_) | Kind::Primitive(_) | Kind::Array(_) | Kind::Map(_) | Kind::Union(_) | Kind::Opaque(_) => {
                self.variants(types.writer, Some(types.reader))
            }
        }
    }

    /// Writes a plain record, and one more for every value of every field that differs.
    fn records(&self, types: Sides<TypeId>, outlet: &mut Outlet<'_>) {
        let Some(Value::Record(base)) = self.base(types.writer, Some(types.reader), Nulls::Avoided) else { return };
        outlet.write(base.clone());
        let elements = self.comparer.elements(types);
        // Whether a value that goes by another name arrives is seen only where it is not the one that stands for nothing.
        let differing = elements.iter().filter(|element| element.differs || self.is_renamed(types, element));
        let differing = differing.filter_map(|element| Some((element.writer?, element))).collect();
        outlet.write_each(&Fields { maker: self, types, differing, base: &base });
    }

    fn is_renamed(&self, types: Sides<TypeId>, element: &Element) -> bool {
        let name = |schema: &Schema<'_>, ty, field: Option<usize>| {
            schema.record(ty).zip(field).map(|(record, field)| record.fields[field].name.to_string())
        };
        let written = name(self.writer(), types.writer, element.writer);
        let wanted = name(self.reader(), types.reader, element.reader);
        written.is_some() && wanted.is_some() && written != wanted
    }

    /// The type that the reader reads a type as: the branch of a union that takes it.
    fn counterpart(&self, writer: TypeId, reader: Option<TypeId>) -> Option<TypeId> {
        let reader = reader?;
        match (self.writer().kind(writer), self.reader().kind(reader)) {
            (Kind::Union(_), _) => Some(reader),
            (_, Kind::Union(branches)) => {
                let reading = self.comparer.reading(Dialect::Specification, Sides { writer, reader });
                branches.get(reading.branch_for(writer, reader)?).map(|branch| branch.ty)
            }
            _ => Some(reader),
        }
    }

    /// Every value of a position worth writing, the plain ones first. Nothing where no value ends.
    fn variants(&self, writer: TypeId, reader: Option<TypeId>) -> Vec<Value> {
        if self.ends.get(writer).is_none() {
            self.unwritten.borrow_mut().insert(self.writer().called(writer).to_owned());
            return Vec::new();
        }
        let reader = self.counterpart(writer, reader);
        match self.writer().kind(writer) {
            Kind::Primitive(primitive) => self.telling_scalars(*primitive, writer, reader),
            Kind::Record(_) | Kind::Enum(_) | Kind::Fixed(_) | Kind::Opaque(_) => {
                self.base(writer, reader, Nulls::Plain).into_iter().collect()
            }
            Kind::Array(items) => {
                let inner = match reader.map(|reader| self.reader().kind(reader)) {
                    Some(Kind::Array(inner)) => Some(inner.ty),
                    _ => None,
                };
                let values = self.variants(items.ty, inner);
                let first_two = values.iter().chain(&values).take(2).cloned().collect::<Vec<_>>();
                let mut lists = vec![Value::List(Vec::new())];
                lists.extend(values.into_iter().map(|value| Value::List(vec![value])));
                lists.extend((first_two.len() == 2).then_some(Value::List(first_two)));
                lists
            }
            Kind::Map(values) => {
                let inner = match reader.map(|reader| self.reader().kind(reader)) {
                    Some(Kind::Map(inner)) => Some(inner.ty),
                    _ => None,
                };
                let values = self.variants(values.ty, inner);
                let first_two = values.iter().chain(&values).take(2).cloned().collect::<Vec<_>>();
                let mut maps = vec![Value::Map(OrderedMap::new())];
                maps.extend(values.into_iter().map(|value| map_of(vec![value])));
                maps.extend((first_two.len() == 2).then(|| map_of(first_two)));
                maps
            }
            Kind::Union(branches) => {
                let mut each: Vec<(usize, Vec<Value>)> = branches
                    .iter()
                    .map(|branch| self.variants(branch.ty, reader))
                    .enumerate()
                    .filter(|(_, values)| !values.is_empty())
                    .collect();
                // One plain value of every branch first, so that limits cut the less telling ones.
                let plain: Vec<Value> = each.iter_mut().map(|(at, values)| in_branch(*at, values.remove(0))).collect();
                let rest = each.into_iter().flat_map(|(at, values)| values.into_iter().map(move |v| in_branch(at, v)));
                plain.into_iter().chain(rest).collect()
            }
        }
    }

    /// Every value where the reader may see something else than what was written, and one where it cannot.
    fn telling_scalars(&self, primitive: Primitive, writer: TypeId, reader: Option<TypeId>) -> Vec<Value> {
        let written = self.writer().ty(writer).logical;
        let mut values = scalars(primitive, written);
        let wanted = reader.map(|reader| self.reader().ty(reader));
        let is_telling = match wanted.map(|wanted| (&wanted.kind, wanted.logical)) {
            Some((Kind::Primitive(wanted), logical)) if *wanted == primitive => logical != written,
            Some((Kind::Primitive(_), _)) => true,
            _ => false,
        };
        if !is_telling {
            values.truncate(1);
        }
        values
    }

    /// The plainest value of a type that the reader takes, if it takes any; `None` where no value ends.
    fn base(&self, writer: TypeId, reader: Option<TypeId>, nulls: Nulls) -> Option<Value> {
        let end = self.ends.get(writer)?;
        let reader = self.counterpart(writer, reader);
        Some(match self.writer().kind(writer) {
            Kind::Primitive(primitive) => scalars(*primitive, self.writer().ty(writer).logical).swap_remove(0),
            Kind::Array(_) => Value::List(Vec::new()),
            Kind::Map(_) => Value::Map(OrderedMap::new()),
            Kind::Fixed(fixed) => plain_fixed(fixed.size as usize, self.writer().ty(writer).logical),
            Kind::Enum(_) => Value::Enum { ty: writer.0, number: self.shared_symbol(writer, reader) },
            Kind::Union(branches) => self.plain_branch((writer, branches), end.branch, reader, nulls)?,
            Kind::Record(record) => {
                let reader = reader.filter(|reader| self.reader().record(*reader).is_some());
                let elements = reader.map(|reader| self.comparer.elements(Sides { writer, reader }));
                let wanted = |index: usize| {
                    let element = elements.as_ref()?.iter().find(|element| element.writer == Some(index))?;
                    Some(self.reader().record(reader?)?.fields.get(element.reader?)?.schema.ty)
                };
                let mut whole = Record::empty(writer.0);
                for (index, field) in record.fields.iter().enumerate() {
                    whole.fields.insert(field_key(index), self.base(field.schema.ty, wanted(index), nulls)?);
                }
                Value::Record(whole)
            }
            Kind::Opaque(_) => return None,
        })
    }

    /// A plain value that is another than the plainest; `None` where there is one value only, or none.
    fn other(&self, writer: TypeId, reader: Option<TypeId>) -> Option<Value> {
        self.ends.get(writer)?;
        let reader = self.counterpart(writer, reader);
        let plainest = self.base(writer, reader, Nulls::Avoided)?;
        match self.writer().kind(writer) {
            Kind::Primitive(primitive) => {
                scalars(*primitive, self.writer().ty(writer).logical).into_iter().find(|value| *value != plainest)
            }
            Kind::Enum(definition) => {
                let all = (0..).zip(&definition.symbols).map(|(number, _)| Value::Enum { ty: writer.0, number });
                let mut others = all.filter(|value| *value != plainest).peekable();
                let first = others.peek().cloned();
                let reads = |value: &Value| {
                    let types = reader.map(|reader| Sides { writer, reader });
                    types.is_some_and(|types| self.comparer.reading(Dialect::Specification, types).read(value).is_ok())
                };
                others.find(reads).or(first)
            }
            Kind::Fixed(fixed) => {
                Some(Value::Bytes(vec![0xff; fixed.size as usize])).filter(|value| *value != plainest)
            }
            Kind::Array(items) => Some(Value::List(vec![self.base(items.ty, None, Nulls::Avoided)?])),
            Kind::Map(values) => Some(map_of(vec![self.base(values.ty, None, Nulls::Avoided)?])),
            Kind::Union(branches) => {
                let plain = |at: usize| Some(in_branch(at, self.base(branches[at].ty, None, Nulls::Plain)?));
                let other = |at: usize| Some(in_branch(at, self.other(branches[at].ty, None)?));
                let all = || 0..branches.len();
                all().filter_map(plain).chain(all().filter_map(other)).find(|value| *value != plainest)
            }
            Kind::Record(record) => {
                let Value::Record(plainest) = plainest else { return None };
                let other = |(index, field): (usize, &Field<'_>)| {
                    Some(plainest.clone().with(field_key(index), self.other(field.schema.ty, None)?))
                };
                record.fields.iter().enumerate().find_map(other).map(Value::Record)
            }
            Kind::Opaque(_) => None,
        }
    }

    /// The first symbol of an enum that the reader's enum has too; otherwise the first.
    fn shared_symbol(&self, writer: TypeId, reader: Option<TypeId>) -> i32 {
        let (Kind::Enum(written), Some(Kind::Enum(read))) =
            (self.writer().kind(writer), reader.map(|reader| self.reader().kind(reader)))
        else {
            return 0;
        };
        let is_shared = |symbol: &str| read.symbols.iter().any(|(other, _)| other == symbol);
        (0..).zip(&written.symbols).find(|(_, (symbol, _))| is_shared(symbol)).map_or(0, |(number, _)| number)
    }

    /// The branch that ends first, or the first one that the reader takes.
    fn plain_branch(
        &self,
        (union, branches): (TypeId, &[Use]),
        first: usize,
        reader: Option<TypeId>,
        nulls: Nulls,
    ) -> Option<Value> {
        // Without a reader below, and with null wherever there is one, so that types which hold themselves come to an end.
        let plain = |at: usize| self.base(branches[at].ty, None, Nulls::Plain).map(|value| in_branch(at, value));
        let is_null = |at: usize| matches!(self.writer().kind(branches[at].ty), Kind::Primitive(Primitive::Null));
        let is_small = |at: &usize| self.ends.get(branches[*at].ty).is_some_and(|end| end.size <= TELLING);
        let mut others = (0..branches.len()).filter(|at| !is_null(*at));
        let telling = others.find(is_small).filter(|_| nulls == Nulls::Avoided && is_null(first));
        let preferred = plain(telling.unwrap_or(first))?;
        let Some(reader) = reader else { return Some(preferred) };
        let reading = self.comparer.reading(Dialect::Specification, Sides { writer: union, reader });
        let is_taken = |value: &Value| reading.read(value).is_ok();
        if is_taken(&preferred) {
            return Some(preferred);
        }
        let others = (0..branches.len()).filter_map(plain);
        Some(others.into_iter().find(is_taken).unwrap_or(preferred))
    }
}

/// The fields of a record that deserve values of their own.
struct Fields<'m, 'c, 's, 'a> {
    maker: &'m Maker<'c, 's, 'a>,
    types: Sides<TypeId>,
    /// Each with its index in the writer's record.
    differing: Vec<(usize, &'m Element)>,
    base: &'m Record,
}

impl Variations for Fields<'_, '_, '_, '_> {
    fn count(&self) -> usize {
        self.differing.len()
    }

    /// The field, and what is inside it: items, values and branches.
    fn identities(&self, element: usize) -> Vec<Identity> {
        let own = &self.differing[element].1.identity;
        let is_inside = |identity: &&&Identity| {
            identity.0.strip_prefix(&own.0).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '{', '|']))
        };
        let mut inside: Vec<Identity> = self
            .maker
            .comparer
            .identities
            .changed
            .iter()
            .filter(is_inside)
            .map(|identity| (**identity).clone())
            .collect();
        inside.sort_in_order();
        inside
    }

    fn width(&self) -> usize {
        1 + weight(&Value::Record(self.base.clone()))
    }

    fn values(&self, element: usize) -> Vec<Value> {
        let (index, Element { reader, .. }) = self.differing[element];
        let Some(record) = self.maker.writer().record(self.types.writer) else { return Vec::new() };
        let reader = reader.and_then(|index| self.maker.reader().record(self.types.reader)?.fields.get(index));
        let types = (record.fields[index].schema.ty, reader.map(|field| field.schema.ty));
        let mut variants = self.maker.variants(types.0, types.1);
        // A reader that does not find the field shows its default: one of two values is not that.
        if reader.is_some_and(|field| field.default.is_some()) {
            let other = self.maker.other(types.0, types.1).filter(|other| !variants.contains(other));
            variants.extend(other);
        }
        let key = field_key(index);
        variants.into_iter().filter(|value| self.base.fields.get(&key) != Some(value)).collect()
    }

    fn alone(&self, element: usize, value: Value) -> Vec<Value> {
        vec![Value::Record(self.base.clone().with(field_key(self.differing[element].0), value))]
    }

    fn together(&self, values: &mut dyn Iterator<Item = (usize, Value)>) -> (Value, Vec<usize>) {
        let (mut record, mut included) = (self.base.clone(), Vec::new());
        for (element, value) in values {
            record.fields.insert(field_key(self.differing[element].0), value);
            included.push(element);
        }
        (Value::Record(record), included)
    }
}

fn in_branch(at: usize, value: Value) -> Value {
    Value::Branch { index: u32::try_from(at).unwrap_or(u32::MAX), value: Box::new(value) }
}

fn map_of(values: Vec<Value>) -> Value {
    let keys = ["k", "l"].map(|key| Key::Text(key.as_bytes().to_vec()));
    Value::Map(keys.into_iter().zip(values).collect())
}

/// Zeros and a one, which is 1 as a number too.
fn last_one(size: usize) -> Value {
    let mut bytes = vec![0; size];
    if let Some(last) = bytes.last_mut() {
        *last = 1;
    }
    Value::Bytes(bytes)
}

/// Days and moments that tell units apart at a glance, where 1 or 0 would look alike in all of them; then those at
/// which readers go wrong, none of them shorter.
fn telling_counts(logical: Logical) -> Vec<Value> {
    // The 13th of September 2020, and some digits behind the second.
    let mut counts = match logical {
        Logical::Date => vec![18_518],
        // 12:34:56.789
        Logical::TimeMillis => vec![45_296_789, (1 << 24) + 1],
        Logical::TimeMicros => vec![45_296_789_000, (1 << 53) + 1],
        Logical::Timestamp(Unit::Millis) | Logical::LocalTimestamp(Unit::Millis) => {
            vec![1_600_000_000_123, (1 << 53) + 1]
        }
        Logical::Timestamp(Unit::Micros) | Logical::LocalTimestamp(Unit::Micros) => {
            vec![1_600_000_000_123_456, (1 << 53) + 1]
        }
        // This one single and double precision cannot hold either.
        Logical::Timestamp(Unit::Nanos) | Logical::LocalTimestamp(Unit::Nanos) => vec![1_600_000_000_123_456_789],
        // Not on numbers.
        Logical::Decimal { .. } | Logical::BigDecimal | Logical::Uuid | Logical::Duration => Vec::new(),
    };
    let width = match logical {
        Logical::Date | Logical::TimeMillis => Width::Signed32,
        _ => Width::Signed64,
    };
    let (min, max) = width.range();
    counts.extend([max, min]);
    counts.into_iter().map(Value::Int).collect()
}

/// 1234 before the point is set, or as many of its digits as there may be.
const fn telling_digits(precision: u32) -> i16 {
    match precision {
        0 | 1 => 1,
        2 => 12,
        3 => 123,
        _ => 1234,
    }
}

/// A fixed number of bytes that means something, the plainest that tells.
fn plain_fixed(size: usize, logical: Option<Logical>) -> Value {
    match logical {
        Some(Logical::Decimal { precision, .. }) if size >= 2 => {
            let mut bytes = vec![0; size - 2];
            bytes.extend(telling_digits(precision).to_be_bytes());
            Value::Bytes(bytes)
        }
        // A month, two days and three milliseconds.
        Some(Logical::Duration) => Value::Bytes([1_u32, 2, 3].into_iter().flat_map(u32::to_le_bytes).collect()),
        _ => last_one(size),
    }
}

/// Values of a primitive type, the plainest first; never empty.
fn scalars(primitive: Primitive, logical: Option<Logical>) -> Vec<Value> {
    let integers = |width, more: &[i128]| {
        let mut values = value::integers(width, &mut Seeded::by_name(primitive.name()));
        values.extend(more.iter().copied().map(Value::Int));
        values
    };
    let bytes = |all: &[&[u8]]| all.iter().map(|bytes| Value::Bytes(bytes.to_vec())).collect();
    match (primitive, logical) {
        (Primitive::Null, _) => vec![Value::Null],
        (Primitive::Boolean, _) => vec![Value::Bool(true), Value::Bool(false)],
        (Primitive::Int | Primitive::Long, Some(logical)) => telling_counts(logical),
        // Just past the integers that single precision holds; and a day.
        (Primitive::Int, None) => integers(Width::Signed32, &[(1 << 24) + 1, 19_723]),
        // The same for single precision, and moments with digits behind the second.
        (Primitive::Long, None) => {
            integers(Width::Signed64, &[(1 << 24) + 1, 1_700_000_000_123, 1_700_000_000_123_456])
        }
        (Primitive::Float, _) => value::singles(),
        (Primitive::Double, _) => value::doubles(),
        (Primitive::Bytes, Some(Logical::Decimal { precision, .. })) => {
            let number = |sign: i16| (sign * telling_digits(precision)).to_be_bytes();
            [1, -1].map(|sign| Value::Bytes(without_sign_bytes(&number(sign)).to_vec())).to_vec()
        }
        // 12.34 and 0.01, in the encoding that carries the scale.
        (Primitive::Bytes, Some(_)) => bytes(&[&[4, 0x04, 0xd2, 4], &[2, 1, 4]]),
        (Primitive::Bytes, None) => value::byte_strings(),
        (Primitive::String, Some(_)) => {
            vec![Value::Text(b"123e4567-e89b-12d3-a456-426614174000".to_vec())]
        }
        (Primitive::String, None) => value::texts(),
    }
}
