//! This program's reading of schemas and data beside that of `apache-avro`: what both accept means the same and is
//! written and read the same, and what only one accepts is in a table of known differences, by cause.

use std::panic::{AssertUnwindSafe, catch_unwind};

use apache_avro::rabin::Rabin;
use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::writer::datum::GenericDatumWriter;
use serde_json::{Value as Text, json};

use super::codec::tests::{random_schema, random_value};
use super::{Parsed, canonical, codec, observer};
use crate::change::Pair;
use crate::formats::avro::model::{Kind, Logical, Schema, TypeId};
use crate::formats::avro::names::field_key;
use crate::formats::check::CheckOptions;
use crate::ordered::InOrder;
use crate::snapshot::Snapshot;
use crate::syntax::problem::Severity;
use crate::value::{Seeded, Value};

/// Something that the two do not agree about.
struct Difference {
    sort: Sort,
    /// A part of what is said: the message of the one that refuses, or what is not the same.
    says: &'static str,
    /// Why they differ.
    #[expect(dead_code, reason = "it is there to be read")]
    reason: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    WeRefuse,
    TheyRefuse,
    /// Both accept it and do not mean the same.
    Differ,
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        sort: Sort::Differ,
        says: "canonical forms, because of attributes",
        reason: "a primitive type with attributes is its plain name in the canonical form (PRIMITIVES), and attributes \
                 of no structural meaning are stripped (STRIP); it keeps the object, `precision` and `scale`, and \
                 `order`, `symbols` and `size` where they mean nothing",
    },
    Difference {
        sort: Sort::Differ,
        says: "canonical form: it panics",
        reason: "it takes attributes such as `fields` and `size` for structure wherever they stand, and stops where \
                 their values cannot be that",
    },
    Difference {
        sort: Sort::WeRefuse,
        says: "`aliases`",
        reason: "the reference implementation refuses what is no list of texts; it drops what it cannot read",
    },
    Difference {
        sort: Sort::WeRefuse,
        says: "`order` is",
        reason: "an order is a text (Complex Types, Records); it does not look at it",
    },
    Difference {
        sort: Sort::WeRefuse,
        says: "is no order",
        reason: "an order is `ascending`, `descending` or `ignore` (Complex Types, Records); it does not look at it",
    },
    Difference {
        sort: Sort::WeRefuse,
        says: "is not a field",
        reason: "it passes over what is no object in a list of fields, and reads data without it",
    },
    Difference {
        sort: Sort::WeRefuse,
        says: "is a primitive type, so no other can be called that",
        reason: "primitive type names have no namespace and may not be defined (Names)",
    },
    Difference {
        sort: Sort::TheyRefuse,
        says: "Unknown primitive type: error",
        reason: "an error is a record of a protocol that may stand in a schema of its own as well; it does not know errors",
    },
    Difference {
        sort: Sort::TheyRefuse,
        says: "key must be a string",
        reason: "the reference implementation takes comments in schemas",
    },
    Difference {
        sort: Sort::Differ,
        says: "Failed to convert Fixed bytes to UUID",
        reason: "`uuid` stands on a string or on a fixed of 16 bytes (UUID) and is ignored elsewhere; it takes bytes as \
                 well, and then only 16 of them",
    },
    Difference {
        sort: Sort::TheyRefuse,
        says: "logicalType must be a string",
        reason: "logical types that are not understood are ignored (Logical Types), whatever they are",
    },
    Difference {
        sort: Sort::TheyRefuse,
        says: "Default value for an enum must be a string",
        reason: "the reference implementation ignores a default that is no text",
    },
];

/// What neither the examples nor chance come to.
const RARE: &[&str] = &[
    "{// a number\n\"type\": \"int\"}",
    "{\n  /* a number */ \"type\": \"int\"\n}",
    r#"{"type": "bytes", "logicalType": "uuid"}"#,
    r#"{"type": "bytes", "logicalType": "big-decimal"}"#,
    r#"{"type": "record", "name": "a.R", "aliases": ["S", "b.T"], "fields": [{"name": "x", "type": "int", "aliases": ["y"]}]}"#,
    r#"["null", {"type": "fixed", "name": "F", "namespace": "a.b", "size": 0}, {"type": "map", "values": "a.b.F"}]"#,
    r#"{"type": "enum", "name": "E", "symbols": ["A", "B"], "default": "B"}"#,
    r#"{"type": "enum", "name": "E", "symbols": []}"#,
    r#"[]"#,
    r#"{"type": "record", "name": "R", "fields": [{"name": "x", "type": ["null", "string"], "default": "later"}]}"#,
    r#"{"type": "record", "name": "R", "fields": [{"name": "x", "type": "int", "default": "none"}]}"#,
    r#"{"type": "record", "name": "R", "fields": [{"name": "x", "type": "int"}, {"name": "x", "type": "int"}]}"#,
];

/// The texts of all schemas in the examples of the rules that stand in a file of their own.
fn examples() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/avro");
    let mut paths: Vec<_> = std::fs::read_dir(folder).expect("there are rules").flatten().map(|at| at.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort_in_order();
    let mut texts = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a rule is text");
        let rule: Text = serde_saphyr::from_str(&text).expect("a rule is YAML");
        let examples = rule["examples"].as_array().into_iter().flatten();
        for side in examples.flat_map(|example| [&example["old"], &example["new"]]) {
            match side {
                Text::String(text) => texts.push(text.clone()),
                Text::Object(files) => {
                    let schemas = files.iter().filter(|(path, _)| path.ends_with(".avsc"));
                    texts.extend(schemas.filter_map(|(_, text)| Some(text.as_str()?.to_owned())));
                }
                _ => {}
            }
        }
    }
    texts
}

/// What the two do not agree about, if anything.
fn differences(text: &str) -> Vec<(Sort, String)> {
    let snapshot = Snapshot::from_files([("t.avsc", text.as_bytes().to_vec())]);
    let options = CheckOptions::default();
    let nothing = Snapshot::default();
    let parsed = Parsed::new(Pair::new(&nothing, &snapshot), &options);
    let linked = parsed.link();
    let side = &linked.sides.new;
    let ours = side.problems.iter().find(|problem| problem.severity == Severity::Error);
    let theirs = unless_panic(|| apache_avro::Schema::parse_str(text).map_err(|error| format!("{error:?}")));
    match (ours, theirs) {
        (None, Ok(theirs)) => {
            let root = side.schema.roots.first().expect("the file has a schema without a problem");
            let ours = (&side.schema, root.schema.ty);
            let all = same_form(ours, &theirs).err().into_iter().chain(same_data(ours, &theirs, text).err());
            all.map(|what| (Sort::Differ, what)).collect()
        }
        (Some(problem), Ok(_)) => vec![(Sort::WeRefuse, problem.message.clone())],
        (None, Err(message)) => vec![(Sort::TheyRefuse, message)],
        (Some(_), Err(_)) => Vec::new(),
    }
}

fn unless_panic<T>(ask: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(ask)).unwrap_or_else(|_| Err("it panics".to_owned()))
}

/// The canonical form and its fingerprint.
fn same_form((schema, ty): (&Schema<'_>, TypeId), theirs: &apache_avro::Schema) -> Result<(), String> {
    let ours = canonical::canonical_form(schema, ty).ok_or("there is no canonical form here")?;
    let form = unless_panic(|| Ok(theirs.canonical_form())).map_err(|what| format!("canonical form: {what}"))?;
    let print = canonical::fingerprint(schema, ty).map(|print| print.to_le_bytes().to_vec());
    let parsed = |form: &str| serde_json::from_str(form).expect("a canonical form is JSON");
    if ours == form {
        let is_same = print == Some(theirs.fingerprint::<Rabin>().bytes);
        is_same.then_some(()).ok_or_else(|| format!("fingerprints of the form {form}"))
    } else if stripped(&parsed(&form)) == parsed(&ours) {
        Err(format!("canonical forms, because of attributes: {ours} here, {form} there"))
    } else {
        Err(format!("canonical forms: {ours} here, {form} there"))
    }
}

/// A canonical form without the attributes that do not belong to it.
fn stripped(form: &Text) -> Text {
    match form {
        Text::Array(branches) => branches.iter().map(stripped).collect(),
        Text::Object(members) => {
            let of_type = match members["type"].as_str() {
                Some("record") => &["fields"][..],
                Some("enum") => &["symbols"],
                Some("fixed") => &["size"],
                Some("array") => &["items"],
                Some("map") => &["values"],
                _ => return stripped(&members["type"]),
            };
            let kept =
                members.iter().filter(|(key, _)| ["type", "name"].contains(&&***key) || of_type.contains(&&***key));
            let field = |field: &Text| json!({"name": field["name"], "type": stripped(&field["type"])});
            let kept = kept.map(|(key, value)| match (&**key, value) {
                ("fields", Text::Array(fields)) => (key.clone(), fields.iter().map(field).collect()),
                ("items" | "values", inner) => (key.clone(), stripped(inner)),
                _ => (key.clone(), value.clone()),
            });
            Text::Object(kept.collect())
        }
        other => other.clone(),
    }
}

/// Both ways of a few values.
fn same_data((schema, ty): (&Schema<'_>, TypeId), theirs: &apache_avro::Schema, name: &str) -> Result<(), String> {
    // Its numbers with a scale of their own do not say the bytes that they were read from.
    if schema.types.iter().any(|ty| ty.logical == Some(Logical::BigDecimal)) {
        return Ok(());
    }
    let mut seeded = Seeded::by_name(name);
    for _ in 0..3 {
        let Some(value) = random_value(schema, ty, &mut seeded, 0) else { continue };
        let value = plausible(schema, ty, value);
        exchange((schema, ty), theirs, &value).map_err(|what| format!("{what}: {value:?}"))?;
    }
    Ok(())
}

/// The same value with something that its logical type allows wherever there is one: `apache-avro` understands it.
fn plausible(schema: &Schema<'_>, ty: TypeId, value: Value) -> Value {
    match (schema.ty(ty).logical, schema.kind(ty), value) {
        (Some(Logical::Uuid), Kind::Primitive(_), _) => Value::Text(b"123e4567-e89b-12d3-a456-426614174000".to_vec()),
        (Some(Logical::Decimal { .. }), Kind::Primitive(_), _) => Value::Bytes(vec![7]),
        (_, Kind::Record(record), Value::Record(mut value)) => {
            for (index, field) in record.fields.iter().enumerate() {
                let part = value.fields.get_mut(&field_key(index)).expect("a random record is whole");
                *part = plausible(schema, field.schema.ty, std::mem::replace(part, Value::Null));
            }
            Value::Record(value)
        }
        (_, Kind::Array(items), Value::List(values)) => {
            Value::List(values.into_iter().map(|value| plausible(schema, items.ty, value)).collect())
        }
        (_, Kind::Map(values), Value::Map(entries)) => {
            Value::Map(entries.into_iter().map(|(key, value)| (key, plausible(schema, values.ty, value))).collect())
        }
        (_, Kind::Union(branches), Value::Branch { index, value }) => {
            let value = Box::new(plausible(schema, branches[index as usize].ty, *value));
            Value::Branch { index, value }
        }
        (_, _, value) => value,
    }
}

/// Written here and read there, written there and read here.
fn exchange((schema, ty): (&Schema<'_>, TypeId), theirs: &apache_avro::Schema, value: &Value) -> Result<(), String> {
    let mut bytes = Vec::new();
    codec::encode(schema, ty, value, &mut bytes)?;
    let read = unless_panic(|| {
        let reader = GenericDatumReader::builder(theirs).build();
        let read = reader.and_then(|reader| reader.read_value(&mut &*bytes));
        read.map_err(|error| format!("not read there: {error}"))
    })?;
    let told = observer::told(schema, ty, read.clone());
    if told.as_ref() != Some(value) {
        return Err(format!("read there as {told:?}"));
    }
    let written = GenericDatumWriter::builder(theirs).build().and_then(|writer| writer.write_value_to_vec(read));
    let written = written.map_err(|error| format!("not written there: {error}"))?;
    match codec::decode(schema, ty, &written) {
        Ok((read, [])) if read == *value => Ok(()),
        other => Err(format!("written there and read here as {other:?}")),
    }
}

/// What stands in the place of something else.
fn odd() -> Vec<Text> {
    vec![
        json!(null),
        json!(5),
        json!(-1),
        json!(1.5),
        json!(true),
        json!(""),
        json!("a b"),
        json!("n.x"),
        json!("1a"),
        json!("n..x"),
        json!(".x"),
        json!(["x"]),
        json!(["n.x", "1a"]),
        json!({"type": "enum", "name": "E", "symbols": ["A"], "default": "B"}),
        json!("null"),
        json!("ascending"),
        json!({"type": "fixed", "name": "U", "size": 16, "logicalType": "uuid"}),
        json!("A"),
        json!({"type": "fixed", "name": "d.D", "size": 2, "logicalType": "decimal", "precision": 9}),
        json!({"type": "long", "logicalType": "timestamp-nanos"}),
        json!({"type": "long", "logicalType": "any"}),
        json!({"type": "record", "name": "x.R", "fields": [{"name": "a", "type": ["null", "int"], "default": 7}]}),
        json!({"type": "record", "name": "R", "namespace": "", "fields": [{"name": "a", "type": "R", "default": {}}]}),
        json!({"type": "error", "name": "Bad", "fields": []}),
        json!({"type": "array", "items": "int", "default": []}),
        json!("int"),
        json!("record"),
        json!([]),
        json!({}),
        json!(["null", "null"]),
        json!(["int", ["long"]]),
        json!({"type": "int"}),
        json!({"type": {"type": "int"}}),
        json!({"type": "string", "logicalType": "uuid"}),
        json!({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}),
        json!({"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": 4}),
        json!({"type": "int", "logicalType": "timestamp-millis"}),
        json!({"type": "int", "logicalType": "date"}),
        json!({"type": "fixed", "name": "D", "size": 12, "logicalType": "duration"}),
    ]
}

/// A schema with something wrong, or unusual, somewhere in it.
fn damaged(text: &Text, seeded: &mut Seeded) -> Text {
    let mut pick = |count: usize| usize::try_from(seeded.next() % count.max(1) as u64).expect("it is small");
    let mut whole = text.clone();
    let mut at = &mut whole;
    // Down by a random way.
    for _ in 0..pick(6) {
        let inner = match at {
            Text::Object(members) if !members.is_empty() => {
                let index = pick(members.len());
                members.values().nth(index).is_some_and(|inner| inner.is_object() || inner.is_array()).then_some(index)
            }
            Text::Array(parts) if !parts.is_empty() => Some(pick(parts.len())),
            _ => None,
        };
        at = match (inner, at) {
            (Some(index), Text::Object(members)) => members.values_mut().nth(index).expect("it was counted"),
            (Some(index), Text::Array(parts)) => &mut parts[index],
            (_, at) => at,
        };
        if inner.is_none() {
            break;
        }
    }
    let odd = odd();
    match at {
        Text::Object(members) if pick(2) == 0 && !members.is_empty() => {
            let key = members.keys().nth(pick(members.len())).expect("it was counted").clone();
            members.remove(&key);
        }
        Text::Object(members) => {
            let keys =
                ["type", "name", "namespace", "aliases", "default", "order", "doc", "size", "symbols", "logicalType"];
            members.insert(keys[pick(keys.len())].to_owned(), odd[pick(odd.len())].clone());
        }
        Text::Array(parts) if pick(2) == 0 && !parts.is_empty() => {
            let twice = parts[pick(parts.len())].clone();
            parts.push(twice);
        }
        at => *at = odd[pick(odd.len())].clone(),
    }
    whole
}

#[test]
fn what_apache_avro_accepts_is_accepted_and_means_the_same() {
    let mut texts: Vec<String> = examples();
    assert!(texts.len() > 100, "the examples were not found");
    texts.extend(RARE.iter().map(ToString::to_string));
    for seed in 0..1500 {
        let mut seeded = Seeded::by_name(&format!("differential {seed}"));
        let schema = random_schema(&mut seeded, &mut Vec::new(), 0);
        texts.push(schema.to_string());
        texts.extend((0..4).map(|_| damaged(&schema, &mut seeded).to_string()));
    }
    let mut unknown = Vec::new();
    let mut seen = vec![false; DIFFERENCES.len()];
    for text in &texts {
        for (sort, said) in differences(text) {
            match DIFFERENCES.iter().position(|known| known.sort == sort && said.contains(known.says)) {
                Some(known) => seen[known] = true,
                None => unknown.push(format!("{sort:?}: {said}\n    {text}")),
            }
        }
    }
    assert!(unknown.is_empty(), "{} of {}:\n{}", unknown.len(), texts.len(), unknown.join("\n"));
    let gone: Vec<&str> = DIFFERENCES.iter().zip(seen).filter(|(_, seen)| !seen).map(|(known, _)| known.says).collect();
    assert!(gone.is_empty(), "these are differences no more: {gone:?}");
}
