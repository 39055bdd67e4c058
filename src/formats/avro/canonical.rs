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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::formats::avro::language::Input;
    use crate::formats::avro::link::link;
    use crate::formats::avro::{Gathered, idl, schema_json};
    use crate::syntax::json;

    fn check(text: &str, form: &str, expected: i64) {
        let path: Arc<str> = Arc::from("s.avsc");
        let (json, _) = json::parse(&path, text.as_bytes());
        let (document, problems) = schema_json::schema(&path, json.expect("the text is JSON"));
        assert_eq!(problems, [], "{text}");
        let gathered = Gathered::of(vec![Input::new(path, &document)]);
        let schema = link(&gathered).schema;
        let root = schema.roots[0].schema.ty;
        assert_eq!(canonical_form(&schema, root).as_deref(), Some(form), "{text}");
        assert_eq!(fingerprint(&schema, root), Some(expected.cast_unsigned()), "{text}");
    }

    #[test]
    fn fingerprints_are_those_that_the_specification_publishes() {
        let cases = [
            (r#""null""#, r#""null""#, 7195948357588979594),
            (r#"{"type":"boolean"}"#, r#""boolean""#, -6970731678124411036),
            (r#"{"type":"int","logicalType":"date"}"#, r#""int""#, 8247732601305521295),
            (r#""long""#, r#""long""#, -3434872931120570953),
            (r#""float""#, r#""float""#, 5583340709985441680),
            (r#""double""#, r#""double""#, -8181574048448539266),
            (r#""bytes""#, r#""bytes""#, 5746618253357095269),
            (r#""string""#, r#""string""#, -8142146995180207161),
            (r#"["int"]"#, r#"["int"]"#, -5232228896498058493),
            (r#"["int", {"type":"boolean"}]"#, r#"["int","boolean"]"#, 5392556393470105090),
            (
                r#"{"fields":[],"type":"record","name":"foo","namespace":"x.y","doc":"d","aliases":["b"]}"#,
                r#"{"name":"x.y.foo","type":"record","fields":[]}"#,
                5916914534497305771,
            ),
            (
                r#"{"fields":[{"type":"boolean","aliases":[],"name":"f1","default":true},
                    {"order":"descending","name":"f2","doc":"Hello","type":"int"}],"type":"record","name":"foo"}"#,
                r#"{"name":"foo","type":"record","fields":[{"name":"f1","type":"boolean"},{"name":"f2","type":"int"}]}"#,
                -4860222112080293046,
            ),
            (
                r#"{"namespace":"x.y.z","type":"enum","name":"foo","doc":"d","symbols":["A1","A2"],"default":"A1"}"#,
                r#"{"name":"x.y.z.foo","type":"enum","symbols":["A1","A2"]}"#,
                -4448647247586288245,
            ),
            (
                r#"{"name":"foo","type":"fixed","size":15}"#,
                r#"{"name":"foo","type":"fixed","size":15}"#,
                1756455273707447556,
            ),
            (r#"{"items":{"type":"null"},"type":"array"}"#, r#"{"type":"array","items":"null"}"#, -589620603366471059),
            (r#"{"values":"string","type":"map"}"#, r#"{"type":"map","values":"string"}"#, -8732877298790414990),
            (
                r#"{"name":"PigValue","type":"record","fields":[{"name":"value","type":["null","int","long","PigValue"]}]}"#,
                r#"{"name":"PigValue","type":"record","fields":[{"name":"value","type":["null","int","long","PigValue"]}]}"#,
                -1759257747318642341,
            ),
        ];
        for (text, form, expected) in cases {
            check(text, form, expected);
        }
        assert_eq!(crc64(b"\"int\""), 0x7275_d51a_3f39_5c8f);
        assert_eq!(crc64(b""), EMPTY);
    }

    #[test]
    fn a_long_chain_of_records_is_written_without_nesting() {
        let path: Arc<str> = Arc::from("s.avdl");
        let mut text = String::from("schema R0;");
        for index in 0..20_000 {
            text.push_str(&format!("record R{index} {{ R{} next; }}", index + 1));
        }
        text.push_str("record R20000 { R0? back; }");
        let (document, problems) = idl::parse(&path, text.as_bytes());
        assert_eq!(problems, []);
        let gathered = Gathered::of(vec![Input::new(path, &document)]);
        let schema = link(&gathered).schema;
        let form = canonical_form(&schema, schema.roots[0].schema.ty).expect("all is defined");
        assert!(form.contains(r#"["null","R0"]"#));
        assert_eq!(form.matches("\"type\":\"record\"").count(), 20_001);
    }

    #[test]
    fn without_all_definitions_there_is_no_fingerprint() {
        let path: Arc<str> = Arc::from("s.avdl");
        let (document, _) = idl::parse(&path, b"schema array<Missing>;");
        let gathered = Gathered::of(vec![Input::new(path, &document)]);
        let schema = link(&gathered).schema;
        assert_eq!(fingerprint(&schema, schema.roots[0].schema.ty), None);
    }
}
