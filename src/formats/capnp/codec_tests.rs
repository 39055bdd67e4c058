//! Messages byte by byte, as the encoding has them, and as `capnp encode` writes them.

use super::codec::{encode, pack, unpack};
use super::language::Capnp;
use super::model::{Schema, StructId};
use super::reader::{decode, rejected};
use crate::formats::check::CheckOptions;
use crate::formats::frame;
use crate::snapshot::Snapshot;
use crate::value::{Record, Value};

fn with<T>(text: &str, look: impl FnOnce(&Schema<'_>) -> T) -> T {
    let text = format!("@0xd3a5e2f7c1b49086;\n{text}");
    let snapshot = Snapshot::from_files([("a.capnp", text.as_bytes())]);
    frame::with_schema::<Capnp, _>(&snapshot, &CheckOptions::default(), |schema, problems| {
        assert!(problems.is_empty(), "{problems:?}");
        look(schema)
    })
}

/// Words in the order written, behind the header of one segment.
fn message(words: &[u64]) -> Vec<u8> {
    let mut bytes = [0u32.to_le_bytes(), (words.len() as u32).to_le_bytes()].concat();
    words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
    bytes
}

const POINT: &str = "struct S { a @0 :Int32 = 5; b @1 :Text; c @2 :List(Int16); d @3 :Bool; }";

#[test]
fn a_struct_is_its_data_and_its_pointers() {
    // `capnp encode` of `(a = 7, b = "hi", c = [1, -2], d = true)`, but for the order of what pointers lead to.
    let record = Record::empty(0)
        .with(0, Value::Int(7))
        .with(1, Value::Text(b"hi".to_vec()))
        .with(2, Value::List(vec![Value::Int(1), Value::Int(-2)]))
        .with(3, Value::Bool(true));
    let expected = message(&[
        0x0002_0001_0000_0000,
        0x0000_0001_0000_0002, // 7 combined with 5, and the bit behind
        0x0000_001a_0000_0005,
        0x0000_0013_0000_0005,
        0x0000_0000_0000_6968,
        0x0000_0000_fffe_0001,
    ]);
    with(POINT, |schema| {
        let bytes = encode(schema, StructId(0), &record).expect("it can be written");
        assert_eq!(bytes, expected);
        assert_eq!(decode(schema, StructId(0), &bytes), Ok(record));
    });
}

#[test]
fn far_pointers_are_followed() {
    // The root lies in the second segment, one landing pad away; its text in the third, two away.
    let segments: [&[u64]; 3] = [
        &[0x0000_0001_0000_0002],
        &[0x0001_0000_0000_0000, 0x0000_0002_0000_0006],
        &[0x0000_0002_0000_0012, 0x0000_001a_0000_0001, 0x0000_0000_0000_6968],
    ];
    let mut bytes = Vec::new();
    for number in [2u32, 1, 2, 3] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    segments.concat().iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
    with("struct S { a @0 :Text; }", |schema| {
        let read = decode(schema, StructId(0), &bytes).expect("it can be read");
        assert_eq!(read, Record::empty(0).with(0, Value::Text(b"hi".to_vec())));
    });
}

#[test]
fn what_is_malformed_is_rejected_and_nothing_panics() {
    with("struct S { a @0 :Text; b @1 :List(S); c @2 :S; d @3 :Data; }", |schema| {
        for word in [
            0x0000_001a_0000_0101u64, // nothing there
            0x0000_0012_0000_00ff,
            0xffff_ffff_ffff_fffd,
            0xffff_ffff_ffff_fffe,
            0x0000_0000_0000_0006,
            0x0000_0007_0000_0001,
            0xffff_ffff_0000_0003,
        ] {
            let bytes = message(&[0x0004_0000_0000_0000, word, word, word, word]);
            let read = decode(schema, StructId(0), &bytes).expect("the struct itself is sound");
            assert!(read.fields.values().all(|value| rejected(value).is_some()), "{word:x}: {read:?}");
        }
        let sound = message(&[0x0001_0000_0000_0000, 0x0000_001a_0000_0001, 0x6968]);
        for end in 0..sound.len() {
            assert!(decode(schema, StructId(0), &sound[..end]).is_err(), "{end} bytes");
        }
        // A struct that holds itself, as often as anybody looks.
        let own = message(&[0x0004_0000_0000_0000, 0, 0, 0x0004_0000_ffff_fff4, 0]);
        assert!(decode(schema, StructId(0), &own).is_ok());
        // A list of a thousand million structs of no size.
        let many = message(&[0x0004_0000_0000_0000, 0, 0x0000_0007_0000_0009, 0, 0, 0x0000_0000_ffff_fffc]);
        let read = decode(schema, StructId(0), &many).expect("the struct itself is sound");
        assert!(rejected(&read.fields[&1]).is_some());
    });
}

#[test]
fn lists_are_read_by_their_own_size() {
    let structs = "struct I { v @0 :Int32; w @1 :Text; } struct S { a @0 :List(I); }";
    with("struct S { a @0 :List(Int32); }", |writer| {
        let record = Record::empty(0).with(0, Value::List(vec![Value::Int(1), Value::Int(-5)]));
        let bytes = encode(writer, StructId(0), &record).expect("it can be written");
        with(structs, |reader| {
            let item = |number: i128| Value::Record(Record::empty(0).with(0, Value::Int(number)));
            let read = decode(reader, StructId(1), &bytes).expect("it can be read");
            assert_eq!(read.fields[&0], Value::List(vec![item(1), item(-5)]));
        });
        for (text, is_read) in [
            ("struct S { a @0 :List(Int16); }", true),
            ("struct S { a @0 :List(Int64); }", false),
            ("struct S { a @0 :List(Void); }", true),
            ("struct S { a @0 :List(Text); }", false),
        ] {
            with(text, |reader| {
                let read = decode(reader, StructId(0), &bytes).expect("the struct itself is sound");
                assert_eq!(rejected(&read.fields[&0]).is_none(), is_read, "{text}");
            });
        }
    });
    with("struct S { a @0 :List(Bool); }", |writer| {
        let record = Record::empty(0).with(0, Value::List(vec![Value::Bool(true)]));
        let bytes = encode(writer, StructId(0), &record).expect("it can be written");
        with(structs, |reader| {
            let read = decode(reader, StructId(1), &bytes).expect("the struct itself is sound");
            assert!(rejected(&read.fields[&0]).is_some(), "lists of bits are no lists of structs");
        });
    });
}

#[test]
fn packing_is_that_of_the_encoding() {
    // The examples of the specification.
    for (plain, packed) in [
        (&[0u8; 8][..], &[0u8, 0][..]),
        (&[8, 0, 0, 0, 3, 0, 2, 0, 0x19, 0, 0, 0, 0xaa, 1, 0, 0], &[0x51, 8, 3, 2, 0x31, 0x19, 0xaa, 1]),
        (&[0; 32], &[0, 3]),
    ] {
        assert_eq!(pack(plain), packed);
        assert_eq!(unpack(packed, 1 << 10).as_deref(), Some(plain));
    }
    let dense: Vec<u8> = (0..8 * 300u32).map(|at| (at % 251 + 1) as u8).collect();
    assert_eq!(unpack(&pack(&dense), 1 << 16).as_deref(), Some(&dense[..]));
    for (damaged, most) in [(&[0xffu8][..], 100), (&[0x51, 8], 100), (&[0], 100), (&[0, 0xff], 100)] {
        assert_eq!(unpack(damaged, most), None);
    }
}
