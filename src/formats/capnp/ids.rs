//! Ids that the compiler derives where none is written: from the id of the parent and the name.
//!
//! An id is the first 8 bytes of an MD5 digest, read as a big-endian number, with the highest bit set
//! (<https://capnproto.org/language.html#unique-ids>). The digest is that of RFC 1321; nothing secret depends on it.

/// The highest bit, which every id has.
const MARK: u64 = 1 << 63;

/// The id of a declaration inside of another one or of a file.
pub(super) fn derived(parent: u64, name: &str) -> u64 {
    id_of(&[&parent.to_le_bytes()[..], name.as_bytes()].concat())
}

/// The id of a group, by its place among the members of what it stands in.
pub(super) fn of_group(parent: u64, index: u16) -> u64 {
    id_of(&[&parent.to_le_bytes()[..], &index.to_le_bytes()].concat())
}

/// The id of what a method takes, or gives.
pub(super) fn of_method(interface: u64, ordinal: u16, is_given: bool) -> u64 {
    id_of(&[&interface.to_le_bytes()[..], &ordinal.to_le_bytes(), &[u8::from(is_given)]].concat())
}

fn id_of(bytes: &[u8]) -> u64 {
    let digest = md5(bytes);
    let first: [u8; 8] = std::array::from_fn(|at| digest[at]);
    u64::from_be_bytes(first) | MARK
}

/// By how much each step of each round rotates.
const ROTATIONS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

fn md5(bytes: &[u8]) -> [u8; 16] {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64), 0);
    if (bytes.len() % 64) >= 56 {
        padded.resize(padded.len() + 64, 0);
    }
    let bits = (bytes.len() as u64).wrapping_mul(8).to_le_bytes();
    let end = padded.len();
    padded[end - 8..].copy_from_slice(&bits);
    let mut state: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in padded.chunks_exact(64) {
        let words: [u32; 16] =
            std::array::from_fn(|at| u32::from_le_bytes(std::array::from_fn(|byte| block[4 * at + byte])));
        let after = digested(state, &words);
        state = std::array::from_fn(|at| state[at].wrapping_add(after[at]));
    }
    std::array::from_fn(|at| state[at / 4].to_le_bytes()[at % 4])
}

fn digested([mut a, mut b, mut c, mut d]: [u32; 4], words: &[u32; 16]) -> [u32; 4] {
    for step in 0..64usize {
        let (mixed, word) = match step / 16 {
            0 => ((b & c) | (!b & d), step),
            1 => ((d & b) | (!d & c), (5 * step + 1) % 16),
            2 => (b ^ c ^ d, (3 * step + 5) % 16),
            _ => (c ^ (b | !d), 7 * step % 16),
        };
        // The constants of the standard: the fraction of the sine of the step's number, in 32 bits.
        let sine = (((step + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
        let sum = a.wrapping_add(mixed).wrapping_add(sine).wrapping_add(words[word]);
        (a, d, c) = (d, c, b);
        b = b.wrapping_add(sum.rotate_left(ROTATIONS[step / 16][step % 4]));
    }
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(digest: [u8; 16]) -> String {
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn the_digests_are_those_of_the_standard() {
        assert_eq!(hex(md5(b"")), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex(md5(b"message digest")), "f96b697d7cb7938d525a2f31aaf161d0");
        let long = b"12345678901234567890123456789012345678901234567890123456789012345678901234567890";
        assert_eq!(hex(md5(long)), "57edf4a22be3c955ac49da2e2107b67a");
    }
}
