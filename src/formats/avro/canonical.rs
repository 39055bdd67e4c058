//! The Parsing Canonical Form of a schema and its fingerprint (specification, *Transforming into Parsing Canonical Form*
//! and *Schema Fingerprints*).
//!
//! Names are written as they are: the rules on names leave nothing in them that JSON would have to escape.

use rustc_hash::FxHashSet;

use super::model::{Kind, Name, Schema, TypeId};

/// The fingerprint of the empty text, and the polynomial: CRC-64-AVRO, a Rabin fingerprint.
const EMPTY: u64 = 0xc15d_213a_a4d7_a795;

const TABLE: [u64; 256] = table();

const fn table() -> [u64; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut value = index as u64;
        let mut bit = 0;
        while bit < 8 {
            value = (value >> 1) ^ (EMPTY & (value & 1).wrapping_neg());
            bit += 1;
        }
        table[index] = value;
        index += 1;
    }
    table
}

/// The CRC-64-AVRO of some bytes.
pub(super) fn crc64(bytes: &[u8]) -> u64 {
    let step = |value: u64, byte: &u8| (value >> 8) ^ TABLE[usize::from(value as u8 ^ byte)];
    bytes.iter().fold(EMPTY, step)
}

/// The fingerprint of a type; `None` where a definition is missing.
pub(super) fn fingerprint(schema: &Schema<'_>, ty: TypeId) -> Option<u64> {
    canonical_form(schema, ty).map(|text| crc64(text.as_bytes()))
}

/// What is still to be written.
enum Task<'s> {
    Type(TypeId),
    Text(&'s str),
}

/// The Parsing Canonical Form of a type; `None` where a definition is missing. Records may be nested however deep.
pub(super) fn canonical_form(schema: &Schema<'_>, ty: TypeId) -> Option<String> {
    let mut out = String::new();
    let mut written: FxHashSet<&str> = FxHashSet::default();
    let mut tasks = vec![Task::Type(ty)];
    while let Some(task) = tasks.pop() {
        let ty = match task {
            Task::Text(text) => {
                out.push_str(text);
                continue;
            }
            Task::Type(ty) => ty,
        };
        let kind = schema.kind(ty);
        if let Some(name) = kind.name()
            && !written.insert(&name.full)
        {
            out.push_str(&format!("\"{}\"", name.full));
            continue;
        }
        match kind {
            Kind::Primitive(primitive) => out.push_str(&format!("\"{}\"", primitive.name())),
            Kind::Record(record) => {
                open(&mut out, &record.name, "record");
                out.push_str(",\"fields\":[");
                tasks.push(Task::Text("]}"));
                for (index, field) in record.fields.iter().enumerate().rev() {
                    tasks.push(Task::Text("}"));
                    tasks.push(Task::Type(field.schema.ty));
                    tasks.push(Task::Text("\",\"type\":"));
                    tasks.push(Task::Text(&field.name));
                    tasks.push(Task::Text(if index == 0 { "{\"name\":\"" } else { ",{\"name\":\"" }));
                }
            }
            Kind::Enum(this) => {
                open(&mut out, &this.name, "enum");
                let symbols: Vec<String> = this.symbols.iter().map(|(symbol, _)| format!("\"{symbol}\"")).collect();
                out.push_str(&format!(",\"symbols\":[{}]}}", symbols.join(",")));
            }
            Kind::Fixed(fixed) => {
                open(&mut out, &fixed.name, "fixed");
                out.push_str(&format!(",\"size\":{}}}", fixed.size));
            }
            Kind::Array(inner) => surround(&mut tasks, "{\"type\":\"array\",\"items\":", inner.ty),
            Kind::Map(inner) => surround(&mut tasks, "{\"type\":\"map\",\"values\":", inner.ty),
            Kind::Union(branches) => {
                out.push('[');
                tasks.push(Task::Text("]"));
                for (index, branch) in branches.iter().enumerate().rev() {
                    tasks.push(Task::Type(branch.ty));
                    tasks.extend((index > 0).then_some(Task::Text(",")));
                }
            }
            Kind::Opaque(_) => return None,
        }
    }
    Some(out)
}

fn open(out: &mut String, name: &Name, kind: &str) {
    out.push_str(&format!("{{\"name\":\"{}\",\"type\":\"{kind}\"", name.full));
}

fn surround<'s>(tasks: &mut Vec<Task<'s>>, before: &'s str, inner: TypeId) {
    tasks.extend([Task::Text("}"), Task::Type(inner), Task::Text(before)]);
}
