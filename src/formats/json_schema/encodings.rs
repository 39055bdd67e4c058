//! Instances in other encodings than the text: what they cost there, and what cannot be written.
//!
//! MessagePack by its specification, CBOR by RFC 8949 with the preferred serialization of §4.2, BSON 1.1 with the limits of
//! MongoDB. Only the types that JSON has are written; a number is an integer where its text is one.

use serde_json::{Map, Number, Value};

use crate::formats::instances::Encoding;

/// The largest document of MongoDB, in bytes.
pub(super) const BSON_LARGEST: usize = 16 * 1024 * 1024;
/// The deepest document of MongoDB.
const BSON_DEEPEST: usize = 100;

/// An instance in an encoding, or why it cannot be written in it.
pub(super) fn encoded(encoding: Encoding, instance: &Value) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    match encoding {
        Encoding::Json => out = instance.to_string().into_bytes(),
        Encoding::MessagePack => messagepack(instance, &mut out),
        Encoding::Cbor => cbor(instance, &mut out),
        Encoding::Bson => {
            let Value::Object(map) = instance else { return Err("the top level is no document".to_owned()) };
            let members = map.iter().map(|(name, value)| (name.as_str(), value));
            bson_document(members, 1, &mut out)?;
            if out.len() > BSON_LARGEST {
                return Err("it is larger than 16 MiB, the largest document of MongoDB".to_owned());
            }
        }
    }
    Ok(out)
}

fn messagepack(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.push(0xc0),
        Value::Bool(truth) => out.push(if *truth { 0xc3 } else { 0xc2 }),
        Value::Number(number) => messagepack_number(number, out),
        Value::String(text) => {
            match text.len() {
                length @ 0..32 => out.push(0xa0 | length as u8),
                length @ 32..256 => out.extend([0xd9, length as u8]),
                length => sized(0xda, length, out),
            }
            out.extend(text.bytes());
        }
        Value::Array(list) => {
            match list.len() {
                length @ 0..16 => out.push(0x90 | length as u8),
                length => sized(0xdc, length, out),
            }
            list.iter().for_each(|value| messagepack(value, out));
        }
        Value::Object(map) => {
            match map.len() {
                length @ 0..16 => out.push(0x80 | length as u8),
                length => sized(0xde, length, out),
            }
            for (name, value) in map {
                messagepack(&Value::String(name.clone()), out);
                messagepack(value, out);
            }
        }
    }
}

/// A length of two bytes behind a tag, or of four behind the next tag.
fn sized(tag: u8, length: usize, out: &mut Vec<u8>) {
    match u16::try_from(length) {
        Ok(length) => {
            out.push(tag);
            out.extend(length.to_be_bytes());
        }
        Err(_) => {
            out.push(tag + 1);
            out.extend((length as u32).to_be_bytes());
        }
    }
}

fn messagepack_number(number: &Number, out: &mut Vec<u8>) {
    match (number.as_u64(), number.as_i64()) {
        (Some(number), _) => match number {
            0..0x80 => out.push(number as u8),
            0x80..0x100 => out.extend([0xcc, number as u8]),
            0x100..0x1_0000 => {
                out.push(0xcd);
                out.extend((number as u16).to_be_bytes());
            }
            0x1_0000..0x1_0000_0000 => {
                out.push(0xce);
                out.extend((number as u32).to_be_bytes());
            }
            _ => {
                out.push(0xcf);
                out.extend(number.to_be_bytes());
            }
        },
        (None, Some(number)) => match number {
            -0x20..0 => out.push(number as u8),
            -0x80..0 => out.extend([0xd0, number as u8]),
            -0x8000..0 => {
                out.push(0xd1);
                out.extend((number as i16).to_be_bytes());
            }
            -0x8000_0000..0 => {
                out.push(0xd2);
                out.extend((number as i32).to_be_bytes());
            }
            _ => {
                out.push(0xd3);
                out.extend(number.to_be_bytes());
            }
        },
        (None, None) => {
            out.push(0xcb);
            out.extend(number.as_f64().unwrap_or_default().to_be_bytes());
        }
    }
}

fn cbor(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.push(0xf6),
        Value::Bool(truth) => out.push(if *truth { 0xf5 } else { 0xf4 }),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => cbor_head(0, number, out),
            (None, Some(number)) => cbor_head(1, number.unsigned_abs() - 1, out),
            (None, None) => cbor_float(number.as_f64().unwrap_or_default(), out),
        },
        Value::String(text) => {
            cbor_head(3, text.len() as u64, out);
            out.extend(text.bytes());
        }
        Value::Array(list) => {
            cbor_head(4, list.len() as u64, out);
            list.iter().for_each(|value| cbor(value, out));
        }
        Value::Object(map) => {
            cbor_head(5, map.len() as u64, out);
            for (name, value) in map {
                cbor(&Value::String(name.clone()), out);
                cbor(value, out);
            }
        }
    }
}

/// A major type with its argument (RFC 8949 §3).
fn cbor_head(major: u8, argument: u64, out: &mut Vec<u8>) {
    let major = major << 5;
    match argument {
        0..24 => out.push(major | argument as u8),
        24..0x100 => out.extend([major | 24, argument as u8]),
        0x100..0x1_0000 => {
            out.push(major | 25);
            out.extend((argument as u16).to_be_bytes());
        }
        0x1_0000..0x1_0000_0000 => {
            out.push(major | 26);
            out.extend((argument as u32).to_be_bytes());
        }
        _ => {
            out.push(major | 27);
            out.extend(argument.to_be_bytes());
        }
    }
}

/// A number with a fraction, in the shortest form that keeps it.
fn cbor_float(number: f64, out: &mut Vec<u8>) {
    let single = number as f32;
    if f64::from(single) != number {
        out.push(0xfb);
        out.extend(number.to_be_bytes());
    } else if let Some(half) = half(single) {
        out.push(0xf9);
        out.extend(half.to_be_bytes());
    } else {
        out.push(0xfa);
        out.extend(single.to_be_bytes());
    }
}

/// A number as 16 bits, where these keep it (IEEE 754 binary16).
fn half(number: f32) -> Option<u16> {
    let bits = number.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let exponent = (bits >> 23 & 0xff) as i32 - 127;
    let mantissa = bits & 0x7f_ffff;
    match exponent {
        _ if number == 0.0 => Some(sign),
        -14..=15 if mantissa.trailing_zeros() >= 13 => {
            Some(sign | ((exponent + 15) as u16) << 10 | (mantissa >> 13) as u16)
        }
        -24..-14 => {
            let (whole, shift) = (mantissa | 0x80_0000, (-exponent - 1) as u32);
            (whole.trailing_zeros() >= shift).then(|| sign | (whole >> shift) as u16)
        }
        _ => None,
    }
}

fn bson_document<'v>(
    members: impl Iterator<Item = (impl AsRef<str>, &'v Value)>,
    depth: usize,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    if depth > BSON_DEEPEST {
        return Err(format!("it is nested more than {BSON_DEEPEST} deep, which MongoDB refuses"));
    }
    let start = out.len();
    out.extend([0; 4]);
    for (name, value) in members {
        let name = name.as_ref();
        if name.contains('\0') {
            return Err("a member has a NUL in its name, where names end with it".to_owned());
        }
        let at = out.len();
        out.push(0);
        out.extend(name.bytes());
        out.push(0);
        out[at] = bson_value(value, depth, out)?;
    }
    out.push(0);
    let size = i32::try_from(out.len() - start).map_err(|_| "it is larger than 2 GiB".to_owned())?;
    out[start..start + 4].copy_from_slice(&size.to_le_bytes());
    Ok(())
}

/// Writes a value and gives its type.
fn bson_value(value: &Value, depth: usize, out: &mut Vec<u8>) -> Result<u8, String> {
    Ok(match value {
        Value::Null => 0x0a,
        Value::Bool(truth) => {
            out.push(u8::from(*truth));
            0x08
        }
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => match i32::try_from(number) {
                Ok(small) => {
                    out.extend(small.to_le_bytes());
                    0x10
                }
                Err(_) => {
                    out.extend(number.to_le_bytes());
                    0x12
                }
            },
            (None, Some(number)) => return Err(format!("{number} is no int64")),
            (None, None) => {
                out.extend(number.as_f64().unwrap_or_default().to_le_bytes());
                0x01
            }
        },
        Value::String(text) => {
            let size = i32::try_from(text.len() + 1).map_err(|_| "it is larger than 2 GiB".to_owned())?;
            out.extend(size.to_le_bytes());
            out.extend(text.bytes());
            out.push(0);
            0x02
        }
        Value::Array(list) => {
            let members = list.iter().enumerate().map(|(index, value)| (index.to_string(), value));
            bson_document(members, depth + 1, out)?;
            0x04
        }
        Value::Object(map) => {
            bson_members(map, depth + 1, out)?;
            0x03
        }
    })
}

fn bson_members(map: &Map<String, Value>, depth: usize, out: &mut Vec<u8>) -> Result<(), String> {
    bson_document(map.iter(), depth, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn hex(encoding: Encoding, value: &Value) -> String {
        match encoded(encoding, value) {
            Ok(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
            Err(why) => why,
        }
    }

    #[test]
    fn the_bytes_are_those_of_the_specifications() {
        let one = json!({"a": [1, -1, true, null], "b": "x"});
        assert_eq!(hex(Encoding::MessagePack, &one), "82a1619401ffc3c0a162a178");
        assert_eq!(hex(Encoding::Cbor, &one), "a26161840120f5f661626178");
        let bson = "2b000000 04 6100 1a000000 10 3000 01000000 10 3100 ffffffff 08 3200 01 0a 3300 00 02 6200 02000000 7800 00";
        assert_eq!(hex(Encoding::Bson, &one), bson.replace(' ', ""));
    }

    #[test]
    fn floats_of_cbor_are_as_short_as_they_can_be() {
        for (number, bytes) in [
            (1.5, "f93e00"),
            (65504.0, "f97bff"),
            (100000.0, "fa47c35000"),
            (1.1, "fb3ff199999999999a"),
            (5.960_464_477_539_063e-8, "f90001"),
            (0.00006103515625, "f90400"),
            (-4.0, "f9c400"),
            (1.0e300, "fb7e37e43c8800759c"),
        ] {
            assert_eq!(hex(Encoding::Cbor, &json!(number)), bytes, "{number} (RFC 8949, appendix A)");
        }
    }

    #[test]
    fn what_bson_does_not_have_is_said() {
        for (value, why) in [
            (json!([1]), "no document"),
            (json!({"a": u64::MAX}), "18446744073709551615 is no int64"),
            (json!({"a\u{0}b": 1}), "NUL"),
        ] {
            assert!(hex(Encoding::Bson, &value).contains(why), "{value}");
        }
        let deep = (0..120).fold(json!(1), |inner, _| json!({ "a": inner }));
        assert!(hex(Encoding::Bson, &deep).contains("100 deep"));
        assert!(encoded(Encoding::Bson, &json!({"a": i64::MIN})).is_ok());
    }
}
