//! The name of an object of git, without an allocation: versions hold many.

use crate::snapshot::ContentId;

/// As many bytes as the longest ids have, those of SHA-256.
const LONGEST: usize = 32;

/// The full id of an object of git.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectId {
    bytes: [u8; LONGEST],
    length: u8,
}

impl ObjectId {
    /// Reads an id as git prints it in full, in lower case.
    pub(super) fn read(hexadecimal: &[u8]) -> Option<ObjectId> {
        let length = hexadecimal.len() / 2;
        if !matches!(hexadecimal.len(), 40 | 64) {
            return None;
        }
        let (mut bytes, mut all) = ([0; LONGEST], 0);
        for (byte, pair) in bytes.iter_mut().zip(hexadecimal.chunks_exact(2)) {
            let digits = [DIGITS[usize::from(pair[0])], DIGITS[usize::from(pair[1])]];
            all |= digits[0] | digits[1];
            *byte = digits[0] << 4 | digits[1] & 0xf;
        }
        (all != NONE).then_some(ObjectId { bytes, length: length as u8 })
    }

    /// An id of SHA-1.
    pub(super) fn of_sha1(id: &[u8; 20]) -> ObjectId {
        let mut bytes = [0; LONGEST];
        bytes[..20].copy_from_slice(id);
        ObjectId { bytes, length: 20 }
    }

    /// The content that the id of a blob stands for, where git hashes with SHA-1.
    pub(super) fn content(self) -> Option<ContentId> {
        let bytes = self.bytes.first_chunk().filter(|_| self.length == 20)?;
        Some(ContentId(*bytes))
    }
}

/// What each letter stands for; [`NONE`] for what is no digit.
const DIGITS: [u8; 256] = {
    let mut digits = [NONE; 256];
    let mut value = 0;
    while value < 16 {
        digits[b"0123456789abcdef"[value] as usize] = value as u8;
        value += 1;
    }
    digits
};

const NONE: u8 = 0xff;

impl std::fmt::Display for ObjectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.bytes[..usize::from(self.length)].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_id_is_a_content_id() {
        // `git hash-object` of an empty file.
        let empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
        let id = ObjectId::read(empty.as_bytes()).expect("it is one");
        assert_eq!((id.content(), id.to_string()), (Some(ContentId::of(b"")), empty.to_owned()));
        assert_eq!(ObjectId::read(b"e69de29"), None);
        assert_eq!(ObjectId::read(b"e69de29bb2d1d6434b8b29ae775ad8c2e48c539X"), None);
    }

    #[test]
    fn the_id_of_another_hash_is_no_content_id() {
        let long = "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813";
        let id = ObjectId::read(long.as_bytes()).expect("it is one");
        assert_eq!((id.content(), id.to_string()), (None, long.to_owned()));
    }
}
