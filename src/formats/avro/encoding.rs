//! JSON in another encoding than UTF-8. Java's parser finds out which one it is, by the byte order mark or by the zeros
//! around the first character, so there are such files.

use super::gather::Syntax;

/// The text of a file in UTF-8, where it is one of JSON and in UTF-16 or UTF-32; `None` for every other file.
pub(super) fn as_utf8(path: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    if !matches!(Syntax::of_path(path)?, Syntax::Schema | Syntax::Protocol) {
        return None;
    }
    let text = match bytes {
        [0, 0, 0xfe, 0xff, rest @ ..] => utf32(rest, u32::from_be_bytes),
        [0xff, 0xfe, 0, 0, rest @ ..] => utf32(rest, u32::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0, 0, 0, 1..=255, ..] => utf32(bytes, u32::from_be_bytes),
        [1..=255, 0, 0, 0, ..] => utf32(bytes, u32::from_le_bytes),
        [0, 1..=255, ..] => utf16(bytes, u16::from_be_bytes),
        [1..=255, 0, ..] => utf16(bytes, u16::from_le_bytes),
        _ => None,
    };
    text.map(String::into_bytes)
}

fn utf16(bytes: &[u8], unit: impl Fn([u8; 2]) -> u16) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<2>();
    let text = char::decode_utf16(units.iter().map(|bytes| unit(*bytes))).collect::<Result<String, _>>();
    text.ok().filter(|_| rest.is_empty())
}

fn utf32(bytes: &[u8], unit: impl Fn([u8; 4]) -> u32) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<4>();
    let text = units.iter().map(|bytes| char::from_u32(unit(*bytes))).collect::<Option<String>>();
    text.filter(|_| rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::as_utf8;

    #[test]
    fn every_encoding_of_json_is_read() {
        let text = "{\"é\": \"𝄞\"}";
        let units = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
        let points = |bytes: fn(u32) -> [u8; 4]| text.chars().flat_map(|one| bytes(one.into())).collect::<Vec<u8>>();
        let (big, little) = (units(u16::to_be_bytes), units(u16::to_le_bytes));
        let marked = [vec![0xff, 0xfe], little.clone()].concat();
        for bytes in [big, little, marked, points(u32::to_be_bytes), points(u32::to_le_bytes)] {
            assert_eq!(as_utf8("a/b.avsc", &bytes).as_deref(), Some(text.as_bytes()), "{bytes:?}");
            assert_eq!(as_utf8("a/b.avdl", &bytes), None);
        }
        assert_eq!(as_utf8("b.avsc", text.as_bytes()), None);
        assert_eq!(as_utf8("b.avsc", &[0xff, 0xfe, 0x00, 0xd8]), None, "half of a character");
    }
}
