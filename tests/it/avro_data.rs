//! Avro data files as sides of a comparison: named they count, found in a folder they do not.

use std::fs;

use crate::git::{Place, Ran, run};

/// A container of one record, with the codec `null`.
pub(crate) fn container(schema: &str, record: &[u8]) -> Vec<u8> {
    let sync = b"0123456789abcdef";
    let mut bytes = b"Obj\x01\x02\x16avro.schema".to_vec();
    long(schema.len(), &mut bytes);
    bytes.extend_from_slice(schema.as_bytes());
    bytes.push(0);
    bytes.extend_from_slice(sync);
    long(1, &mut bytes);
    long(record.len(), &mut bytes);
    bytes.extend_from_slice(record);
    bytes.extend_from_slice(sync);
    bytes
}

/// A number that is not negative, as Avro writes it.
fn long(value: usize, out: &mut Vec<u8>) {
    let mut rest = value << 1;
    while rest > 0x7f {
        out.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

const ORDER: &str = r#"{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "int"}]}"#;

fn place() -> Place {
    let place = Place::new();
    fs::write(place.path("d.avro"), container(ORDER, &[2])).expect("the folder is ours");
    place.write("long.avsc", &ORDER.replace("\"int\"", "\"long\""));
    place.write("same.avdl", "schema Order; record Order { int id; }");
    place
}

fn compare(place: &Place, old: &str, new: &str) -> Ran {
    run(&place.path(""), &["compare", old, new, "--mode", "backward"])
}

#[test]
fn data_is_compared_with_a_schema_by_the_schema_that_wrote_it() {
    let place = place();
    let ran = compare(&place, "d.avro", "long.avsc");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let ran = compare(&place, "long.avsc", "d.avro");
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("d.avro:1:71"), "{}", ran.out);
    let ran = compare(&place, "d.avro", "same.avdl");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn damaged_data_is_no_pass() {
    let place = place();
    fs::write(place.path("d.avro"), b"Obj\x01\x02\x16avro.schema\xfe\xff\xff\xff\x0f").expect("the folder is ours");
    let ran = compare(&place, "d.avro", "long.avsc");
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("claims 2147483647 bytes"), "{}", ran.out);
}

#[test]
fn data_in_a_folder_is_not_looked_at() {
    let place = Place::new();
    for side in ["old", "new"] {
        place.write(format!("{side}/a.avsc"), ORDER);
        fs::write(place.path(&format!("{side}/{side}.avro")), b"no data at all").expect("the folder is ours");
    }
    let ran = compare(&place, "old", "new");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(!ran.out.contains(".avro"), "{}", ran.out);
}
