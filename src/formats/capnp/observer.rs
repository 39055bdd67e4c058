//! A second reader beside the one that decides: the `capnp` crate, called as code generated for Rust calls it.
//!
//! Generated code asks the crate for data by their offsets and for pointers by their numbers, and so does this, with the
//! places of a schema in the place of code. It decides nothing. It does not look at what kind of pointer stands where
//! `AnyStruct`, `AnyList` or `Capability` is declared, nor at what a landing pad says beside where it leads; and it rejects a
//! pointer that leads out of the message where the other one only rejects that something stands there.

use capnp::message::{Builder, Reader as Packet, ReaderOptions};
use capnp::private::layout::{ElementSize, PointerReader, PointerType, PrimitiveElement, StructReader};
use capnp::schema_capnp::node;
use capnp::serialize::OwnedSegments;
use capnp::traits::{FromPointerReader, IntoInternalStructReader};
use capnp::{
    ErrorKind, any_pointer, any_pointer_list, capability, primitive_list, serialize, serialize_packed, struct_list,
};

use crate::value::{Record, Value};

use super::anything::{
    Lead, SOME_BIT_LIST, SOME_CAPABILITY, SOME_LIST, SOME_POINTERS, SOME_STRUCTS, SOME_WORD, Something,
};
use super::codec::{Items, default_bits, holds};
use super::message::{PAD, TOO_MUCH, WORDS};
use super::model::{Field, Schema, Slot, StructId, Type, union_key};
use super::reader::{OTHER_KINDS, TOO_DEEP, fault, nothing, rejected, value_of};

/// The name under which this reader's observations are told.
pub(super) const NAME: &str = "capnp";

/// Messages of more bytes are not given to this reader.
const BYTES: usize = 1 << 16;

/// What this reader sees of a message, or in its own words why it rejects it; `None` where the message is long.
pub(super) fn read(schema: &Schema<'_>, id: StructId, bytes: &[u8]) -> Option<Result<Record, String>> {
    (bytes.len() <= BYTES).then(|| {
        let packet = serialize::read_message(bytes, options()).map_err(|error| told(&error))?;
        record(schema, id, &packet)
    })
}

/// The same of a packed message.
pub(super) fn read_packed(schema: &Schema<'_>, id: StructId, bytes: &[u8]) -> Result<Record, String> {
    let packet = serialize_packed::read_message(bytes, options()).map_err(|error| told(&error))?;
    record(schema, id, &packet)
}

/// A message as this library writes it after it has copied all of it: plain and packed.
pub(super) fn copied(bytes: &[u8]) -> Result<(Vec<u8>, Vec<u8>), String> {
    let copy = || -> capnp::Result<_> {
        let packet = serialize::read_message(bytes, options())?;
        let mut copy = Builder::new_default();
        copy.set_root(packet.get_root::<any_pointer::Reader<'_>>()?)?;
        let mut packed = Vec::new();
        serialize_packed::write_message(&mut packed, &copy)?;
        Ok((serialize::write_message_to_words(&copy), packed))
    };
    copy().map_err(|error| told(&error))
}

/// The words of a message in canonical form, as this library has it.
pub(super) fn canonical(bytes: &[u8]) -> Result<Vec<u64>, String> {
    let packet = serialize::read_message(bytes, options()).map_err(|error| told(&error))?;
    let words = packet.canonicalize().map_err(|error| told(&error))?;
    let (words, _) = capnp::Word::words_to_bytes(&words).as_chunks();
    Ok(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
}

/// The limits of this library, which counts in its own way.
const LIMITS: [ErrorKind; 3] = [
    ErrorKind::ReadLimitExceeded,
    ErrorKind::NestingLimitExceeded,
    ErrorKind::MessageIsTooDeeplyNestedOrContainsCycles,
];

/// Where two readings of the same bytes differ other than is known.
pub(super) fn difference(decided: &Record, theirs: &Record) -> Option<String> {
    let of_key = |key: &i32| match (decided.fields.get(key), theirs.fields.get(key)) {
        (Some(decided), Some(theirs)) => difference_of_values(decided, theirs),
        (decided, theirs) => (decided != theirs).then(|| format!("{decided:?}, the crate: {theirs:?}")),
    };
    // Each once: what nests is looked through for each.
    let only_theirs = theirs.fields.keys().filter(|key| !decided.fields.contains_key(key));
    decided.fields.keys().chain(only_theirs).find_map(of_key)
}

fn difference_of_values(decided: &Value, theirs: &Value) -> Option<String> {
    let is_known = match (rejected(decided), rejected(theirs)) {
        (Some(_), Some(_)) => true,
        (Some(reason), None) => {
            let is_any = matches!(theirs, Value::Text(what) if what.starts_with(b"<"));
            let is_other = is_any && OTHER_KINDS.iter().any(|kind| kind.as_bytes() == reason);
            is_other || [TOO_DEEP, TOO_MUCH, PAD].iter().any(|known| known.as_bytes() == reason)
        }
        (None, Some(reason)) => is_refused(reason, is_nothing(decided)),
        (None, None) => match (decided, theirs) {
            (Value::Record(decided), Value::Record(theirs)) => return difference(decided, theirs),
            (Value::List(decided), Value::List(theirs)) if decided.len() == theirs.len() => {
                let mut pairs = decided.iter().zip(theirs);
                return pairs.find_map(|(decided, theirs)| difference_of_values(decided, theirs));
            }
            // Where the first of its pointers leads each asks in its own way.
            (Value::Text(decided), Value::Text(theirs)) if are_structs([decided, theirs]) => true,
            (decided, theirs) => decided == theirs,
        },
    };
    let shown = |value| match rejected(value) {
        Some(reason) => String::from_utf8_lossy(reason).into_owned(),
        None => format!("{value:?}"),
    };
    (!is_known).then(|| format!("{}, the crate: {}", shown(decided), shown(theirs)))
}

/// Whether both are structs of which nothing is known.
fn are_structs(told: [&[u8]; 2]) -> bool {
    told.into_iter().all(|told| Something::named(told).is_some())
}

/// Whether it is known that this library refuses a message which can be read.
pub(super) fn is_known_to_be_refused(decided: &Record, reason: &str) -> bool {
    is_refused(reason.as_bytes(), decided.fields.is_empty())
}

/// Whether this library says so of what it may refuse alone: at its limits, and where nothing stands outside of the message.
fn is_refused(reason: &[u8], is_nothing: bool) -> bool {
    let is = |kind: ErrorKind| kind.to_string().trim_end_matches('.').as_bytes() == reason;
    is(ErrorKind::MessageContainsOutOfBoundsPointer) && is_nothing || LIMITS.into_iter().any(is)
}

/// Whether a value may take no space, and then may be anywhere, which this library does not believe.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::List(values) => values.iter().all(is_nothing),
        Value::Record(record) => record.fields.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        Value::Text(what) => what.starts_with(b"<"),
        // An item of no size that nests too deep is not looked at.
        other => *other == Value::Null || rejected(other) == Some(TOO_DEEP.as_bytes()),
    }
}

fn options() -> ReaderOptions {
    let mut options = ReaderOptions::new();
    options.traversal_limit_in_words(usize::try_from(WORDS).ok());
    options
}

fn told(error: &capnp::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().trim_end_matches('.').to_owned()
}

fn record(schema: &Schema<'_>, id: StructId, packet: &Packet<OwnedSegments>) -> Result<Record, String> {
    let root: node::Reader<'_> = packet.get_root().map_err(|error| told(&error))?;
    Ok(Reader { schema }.structure(root.into_internal_struct_reader(), id))
}

/// A pointer, whatever it leads to.
struct Pointer<'a>(PointerReader<'a>);

impl<'a> FromPointerReader<'a> for Pointer<'a> {
    fn get_from_pointer(reader: &PointerReader<'a>, _: Option<&'a [capnp::Word]>) -> capnp::Result<Self> {
        Ok(Pointer(*reader))
    }
}

#[derive(Clone, Copy)]
struct Reader<'s, 'b> {
    schema: &'s Schema<'b>,
}

impl Reader<'_, '_> {
    fn structure(self, at: StructReader<'_>, id: StructId) -> Record {
        let of = self.schema.structure(id);
        let mut record = Record::empty(id.0);
        for (index, union) in of.unions.iter().enumerate() {
            let member: u16 = at.get_data_field(union.offset as usize);
            if holds(&union.guards, &record) && member != 0 {
                record.fields.insert(union_key(index), Value::Int(member.into()));
            }
        }
        for field in &of.fields {
            let value = holds(&field.guards, &record).then(|| self.field(at, field)).flatten();
            record.fields.extend(value.map(|value| (field.ordinal.into(), value)));
        }
        record
    }

    /// The value of a field; nothing where it is the default.
    fn field(self, at: StructReader<'_>, field: &Field<'_>) -> Option<Value> {
        match field.slot {
            Slot::Void => None,
            Slot::Data { size, offset } => {
                let written = data(at, (size, offset as usize));
                (written != 0).then(|| value_of(&field.held, written ^ default_bits(field))).flatten()
            }
            Slot::Pointer(nth) => self.pointer(at.get_pointer_field(nth as usize), &field.held),
        }
    }

    /// What a pointer of a type means; nothing where it is null.
    fn pointer(self, at: PointerReader<'_>, ty: &Type) -> Option<Value> {
        if at.is_null() {
            return None;
        }
        let value = match ty {
            Type::Struct(id, _) => at.get_struct(None).map(|of| Value::Record(self.structure(of, *id))),
            Type::Text => at.get_text(None).map(|text| Value::Text(text.as_bytes().to_vec())),
            Type::Data => at.get_data(None).map(|bytes| Value::Bytes(bytes.to_vec())),
            Type::List(items) => self.list(any_pointer::Reader::new(at), items),
            Type::Interface(..) => client(at),
            _ => any(at),
        };
        Some(value.unwrap_or_else(|error| fault(&told(&error))))
    }

    fn list(self, at: any_pointer::Reader<'_>, ty: &Type) -> capnp::Result<Value> {
        let values = match (Items::of(ty), ty) {
            (Items::Structs, Type::Struct(id, _)) => {
                let items: struct_list::Reader<'_, node::Owned> = at.get_as()?;
                let record = |of: node::Reader<'_>| self.structure(of.into_internal_struct_reader(), *id);
                items.iter().map(|item| Value::Record(record(item))).collect()
            }
            (Items::Pointer, _) => {
                let items: any_pointer_list::Reader<'_> = at.get_as()?;
                let value = |item: any_pointer::Reader<'_>| -> capnp::Result<Value> {
                    let Pointer(place) = item.get_as()?;
                    Ok(self.pointer(place, ty).unwrap_or_else(|| nothing(ty)))
                };
                items.iter().map(|item| item.and_then(value)).collect::<capnp::Result<_>>()?
            }
            (Items::Data(0), _) => numbers(at, ty, u64::from as fn(bool) -> u64)?,
            (Items::Data(3), _) => numbers(at, ty, u64::from as fn(u8) -> u64)?,
            (Items::Data(4), _) => numbers(at, ty, u64::from as fn(u16) -> u64)?,
            (Items::Data(5), _) => numbers(at, ty, u64::from as fn(u32) -> u64)?,
            (Items::Data(_), _) => numbers(at, ty, |number: u64| number)?,
            (Items::Void | Items::Structs, _) => {
                let items: primitive_list::Reader<'_, ()> = at.get_as()?;
                items.iter().map(|()| Value::Null).collect()
            }
        };
        Ok(Value::List(values))
    }
}

/// Data of a size at an offset of it.
fn data(at: StructReader<'_>, (size, offset): (u32, usize)) -> u64 {
    match size {
        0 => at.get_bool_field(offset).into(),
        3 => at.get_data_field::<u8>(offset).into(),
        4 => at.get_data_field::<u16>(offset).into(),
        5 => at.get_data_field::<u32>(offset).into(),
        _ => at.get_data_field(offset),
    }
}

fn numbers<T: PrimitiveElement>(
    at: any_pointer::Reader<'_>,
    ty: &Type,
    bits: impl Fn(T) -> u64,
) -> capnp::Result<Vec<Value>> {
    let items: primitive_list::Reader<'_, T> = at.get_as()?;
    Ok(items.iter().map(|item| value_of(ty, bits(item)).unwrap_or(Value::Null)).collect())
}

/// A client. No message has a table of them here, and that it is missing is found out last.
fn client(at: PointerReader<'_>) -> capnp::Result<Value> {
    let there = || Ok(Value::Text(SOME_CAPABILITY.to_vec()));
    match any_pointer::Reader::new(at).get_as_capability::<capability::Client>() {
        Ok(_) => there(),
        Err(error) if error.kind == ErrorKind::MessageContainsInvalidCapabilityPointer => there(),
        Err(error) => Err(error),
    }
}

/// Anything: generated code hands it out as it is, and what is done with it is not known. Whether it leads anywhere is asked.
fn any(at: PointerReader<'_>) -> capnp::Result<Value> {
    let what = match at.get_pointer_type()? {
        PointerType::Null => return Ok(Value::Null),
        PointerType::Struct => something(at.get_struct(None)?),
        PointerType::Capability => SOME_CAPABILITY.to_vec(),
        PointerType::List => some_list(at)?.to_vec(),
    };
    Ok(Value::Text(what))
}

/// What a struct is called of which nothing is known.
fn something(at: StructReader<'_>) -> Vec<u8> {
    let is_null = |nth: usize| at.get_pointer_field(nth).is_null();
    if is_null(0) {
        return SOME_WORD.to_vec();
    }
    let lead = match at.get_pointer_field(0).get_pointer_type() {
        Ok(PointerType::Struct) => Lead::Structs,
        _ => Lead::Bits,
    };
    Something::of(|nth| at.get_data_field(nth), is_null, lead).name()
}

/// What a list is called, by the lists as which this library takes it.
fn some_list(at: PointerReader<'_>) -> capnp::Result<&'static [u8]> {
    let is_list_of = |items| at.get_list(items, None).map(drop).map_err(|error| error.kind);
    match is_list_of(ElementSize::Bit) {
        Ok(()) => match is_list_of(ElementSize::Void) {
            Err(ErrorKind::FoundBitListWhereStructListWasExpected) => Ok(SOME_BIT_LIST),
            _ => Ok(SOME_LIST),
        },
        Err(ErrorKind::MessageContainsListWithIncompatibleElementType) => match is_list_of(ElementSize::Pointer) {
            Ok(()) => Ok(SOME_POINTERS),
            Err(_) => Ok(SOME_LIST),
        },
        Err(ErrorKind::FoundStructListWhereBitListWasExpected) => Ok(SOME_STRUCTS),
        Err(kind) => Err(capnp::Error::from_kind(kind)),
    }
}
