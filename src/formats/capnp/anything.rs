//! What a pointer to anything leads to, as it is told: in synthetic data, and where somebody reads such a pointer.
//!
//! A struct is told by its words, by how many pointers it has, and by whether the first of them leads to a struct; what is zero
//! at its end is left out. All its pointers lead to the same kind of thing, and are no more than [`MOST`].

use std::fmt::Write as _;

/// A pointer that is a struct with one word and one pointer in it: what a pointer to anything may be. Its pointer leads to
/// bits, which stand for nothing else.
pub(super) const SOME_STRUCT: &[u8] = b"<struct>";
/// A pointer that is a struct with one word and no pointer in it.
pub(super) const SOME_WORD: &[u8] = b"<struct without pointers>";
/// A pointer that is a list of bytes.
pub(super) const SOME_LIST: &[u8] = b"<list>";
/// A pointer that is a list of bits, which stand for nothing else.
pub(super) const SOME_BIT_LIST: &[u8] = b"<list of bits>";
/// A pointer that is a list of pointers to bits.
pub(super) const SOME_POINTERS: &[u8] = b"<list of pointers>";
/// A pointer that is a list of structs.
pub(super) const SOME_STRUCTS: &[u8] = b"<list of structs>";
/// A pointer that is a capability.
pub(super) const SOME_CAPABILITY: &[u8] = b"<capability>";

/// What is in a word that stands for any.
pub(super) const SOME_BITS: u64 = 0x0101_0101_0101_0101;

/// Words and pointers of a struct that are told, at most.
pub(super) const MOST: usize = 64;

/// Where the pointers of a struct lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    /// To lists of bits.
    Bits,
    /// To structs.
    Structs,
}

/// A struct of which nothing else is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Something {
    /// Its words.
    pub(super) words: Vec<u64>,
    /// How many pointers it has.
    pub(super) pointers: usize,
    /// Where these lead.
    pub(super) lead: Lead,
}

/// What [`SOME_STRUCT`] is.
fn some() -> Something {
    Something { words: vec![SOME_BITS], pointers: 1, lead: Lead::Bits }
}

const WITH: &str = " with ";
const ONE: &str = " pointer";
const MANY: &str = " pointers";
const TO_BITS: &str = " to bits>";
const TO_STRUCTS: &str = " to structs>";

impl Something {
    /// A struct with these in it: its words and how many pointers it has, as far as there are any.
    pub(super) fn of(word: impl Fn(usize) -> u64, is_null: impl Fn(usize) -> bool, lead: Lead) -> Self {
        let end = |is_there: &dyn Fn(usize) -> bool| (0..MOST).rfind(|nth| is_there(*nth)).map_or(0, |last| last + 1);
        let words = end(&|nth| word(nth) != 0);
        Something { words: (0..words).map(word).collect(), pointers: end(&|nth| !is_null(nth)), lead }
    }

    /// What it is called.
    pub(super) fn name(&self) -> Vec<u8> {
        if *self == some() {
            return SOME_STRUCT.to_vec();
        }
        let mut name = "<struct".to_owned();
        for (nth, word) in self.words.iter().enumerate() {
            let before = if nth == 0 { " of " } else { " " };
            write!(name, "{before}{word:016x}").expect("a text takes all that is written");
        }
        let lead = match self.lead {
            Lead::Bits => TO_BITS,
            Lead::Structs => TO_STRUCTS,
        };
        let noun = if self.pointers == 1 { ONE } else { MANY };
        write!(name, "{WITH}{}{noun}{lead}", self.pointers).expect("a text takes all that is written");
        name.into_bytes()
    }

    /// What is called so, if anything is.
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        if name == SOME_STRUCT {
            return Some(some());
        }
        let name = std::str::from_utf8(name).ok()?.strip_prefix("<struct")?;
        let (name, lead) = match name.strip_suffix(TO_BITS) {
            Some(name) => (name, Lead::Bits),
            None => (name.strip_suffix(TO_STRUCTS)?, Lead::Structs),
        };
        let (words, pointers) = name.split_once(WITH)?;
        let pointers = pointers.strip_suffix(ONE).or_else(|| pointers.strip_suffix(MANY))?;
        let words = words.strip_prefix(" of ").unwrap_or(words).split_whitespace();
        let words: Option<Vec<u64>> = words.map(|word| u64::from_str_radix(word, 16).ok()).collect();
        Some(Something { words: words?, pointers: pointers.parse().ok()?, lead })
    }
}
