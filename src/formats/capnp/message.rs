//! The words of a message: its segments, and what pointers lead to.
//!
//! Several segments and far pointers are followed. Every pointer is checked before it is used, and how much is read has a
//! limit, so that no message costs more than its size allows
//! (<https://capnproto.org/encoding.html#security-considerations>). Nothing here knows a schema.

use super::codec::{Items, mask};

/// Words that are read at most; items of lists that take no space count as a word each.
pub(super) const WORDS: u64 = 1 << 20;
/// Segments that a message has at most.
const SEGMENTS: usize = 512;

/// The segments of a message, by the header in front.
fn segments(bytes: &[u8]) -> Result<Vec<&[u8]>, &'static str> {
    const SHORT: &str = "the message ends too soon";
    let word = |at: usize| {
        let four: [u8; 4] = bytes.get(4 * at..4 * at + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(four) as usize)
    };
    let count = word(0).ok_or(SHORT)?.checked_add(1).filter(|count| *count <= SEGMENTS);
    let count = count.ok_or("the message has too many segments")?;
    let mut at = (4 * (count + 1)).next_multiple_of(8);
    let mut segments = Vec::new();
    for nth in 0..count {
        let length = word(1 + nth).and_then(|words| words.checked_mul(8)).ok_or(SHORT)?;
        let end = at.checked_add(length).ok_or(SHORT)?;
        segments.push(bytes.get(at..end).ok_or(SHORT)?);
        at = end;
    }
    Ok(segments)
}

/// A word of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The segment.
    pub(super) segment: usize,
    /// The word in it.
    pub(super) word: usize,
}

/// What a pointer points to.
pub(super) enum Target {
    /// To nothing.
    Null,
    /// To a struct.
    Struct(Struct),
    /// To a list.
    List(List),
    /// To an interface of somebody.
    Capability,
}

/// A struct in a message: where its data begins, how many bits they are, where its pointers begin and how many they are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Struct {
    /// Its segment.
    pub(super) segment: usize,
    /// In bits from the start of the segment.
    pub(super) data: u64,
    /// Bits of data.
    pub(super) bits: u64,
    /// In words from the start of the segment.
    pub(super) pointers: usize,
    /// How many pointers.
    pub(super) count: usize,
}

/// A list in a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    /// How its items are stored.
    pub(super) items: Items,
    /// How many.
    pub(super) count: usize,
    /// The first item.
    pub(super) first: Struct,
    /// From one item to the next, in bits.
    pub(super) step: u64,
}

/// A message, and how much of it may still be read.
pub(super) struct Message<'m> {
    segments: Vec<&'m [u8]>,
    left: u64,
}

/// Why a pointer is rejected that leads nowhere.
const OUTSIDE: &str = "a pointer leads out of the message";
/// Why a far pointer is rejected whose landing pad says nothing that anybody writes.
pub(super) const PAD: &str = "a landing pad is malformed";
/// Why nothing more is read.
pub(super) const TOO_MUCH: &str = "the message is read more often than its size allows";

impl<'m> Message<'m> {
    /// A message, by the header in front.
    pub(super) fn of(bytes: &'m [u8]) -> Result<Self, &'static str> {
        Ok(Message { segments: segments(bytes)?, left: WORDS })
    }

    /// What the message itself is.
    pub(super) fn root(&mut self) -> Result<Target, &'static str> {
        self.follow(Place { segment: 0, word: 0 })
    }

    /// The word at a place.
    pub(super) fn word(&self, place: Place) -> Option<u64> {
        let start = place.word.checked_mul(8)?;
        let bytes = self.segments.get(place.segment)?.get(start..start.checked_add(8)?)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    /// Whether so many words are there, and may still be read.
    fn take(&mut self, place: Place, words: usize) -> Result<(), &'static str> {
        let there = self.segments.get(place.segment).map_or(0, |segment| segment.len() / 8);
        if place.word.checked_add(words).is_none_or(|end| end > there) {
            return Err(OUTSIDE);
        }
        self.left = self.left.checked_sub(words as u64).ok_or(TOO_MUCH)?;
        Ok(())
    }

    /// Whether a pointer is null.
    pub(super) fn is_null(&self, place: Place) -> bool {
        self.word(place) == Some(0)
    }

    /// What the pointer at a place points to.
    pub(super) fn follow(&mut self, place: Place) -> Result<Target, &'static str> {
        let pointer = self.word(place).ok_or(OUTSIDE)?;
        if pointer & 3 != 2 {
            return self.near(place, pointer);
        }
        let pad = Place { segment: (pointer >> 32) as usize, word: (pointer >> 3 & 0x1fff_ffff) as usize };
        let is_double = pointer >> 2 & 1 == 1;
        self.take(pad, if is_double { 2 } else { 1 })?;
        let landed = self.word(pad).ok_or(OUTSIDE)?;
        if !is_double {
            return match landed {
                // It leads somewhere, and a word of zeros is there a struct of no size.
                0 => self.at(Place { word: pad.word + 1, ..pad }, landed),
                _ if landed & 3 == 2 => Err("a far pointer leads to another"),
                _ => self.near(pad, landed),
            };
        }
        let tag = self.word(Place { word: pad.word + 1, ..pad }).ok_or(OUTSIDE)?;
        if landed & 7 != 2 || tag & 3 > 1 || tag & 0xffff_fffc != 0 {
            return Err(PAD);
        }
        let content = Place { segment: (landed >> 32) as usize, word: (landed >> 3 & 0x1fff_ffff) as usize };
        self.at(content, tag)
    }

    fn near(&mut self, place: Place, pointer: u64) -> Result<Target, &'static str> {
        match pointer & 3 {
            _ if pointer == 0 => Ok(Target::Null),
            3 if pointer & 0xffff_fffc == 0 => Ok(Target::Capability),
            3 => Err("a pointer is of a kind that nobody knows"),
            _ => {
                // The low half is a distance with a sign, in words behind the pointer.
                let distance = i64::from(pointer as u32 as i32 >> 2);
                let word = i64::try_from(place.word).ok().and_then(|word| word.checked_add(1 + distance));
                let word = word.and_then(|word| usize::try_from(word).ok()).unwrap_or(usize::MAX);
                self.at(Place { word, ..place }, pointer)
            }
        }
    }

    /// The struct or the list that begins at a place. What is outside of the message is its end: what takes no space may
    /// be there.
    fn at(&mut self, place: Place, pointer: u64) -> Result<Target, &'static str> {
        let end = self.segments.get(place.segment).ok_or(OUTSIDE)?.len() / 8;
        let place = Place { word: place.word.min(end), ..place };
        if pointer & 3 == 0 {
            let at = sized(place, pointer);
            self.take(place, (at.bits / 64) as usize + at.count)?;
            return Ok(Target::Struct(at));
        }
        let (items, count) = (Items::coded(pointer >> 32 & 7), (pointer >> 35) as usize);
        let first =
            Struct { segment: place.segment, data: place.word as u64 * 64, pointers: place.word, ..Struct::default() };
        let list = match items {
            Items::Void => {
                self.left = self.left.checked_sub(count as u64).ok_or(TOO_MUCH)?;
                List { items, count, first, step: 0 }
            }
            Items::Data(size) => {
                self.take(place, (count << size).div_ceil(64))?;
                List { items, count, first: Struct { bits: 1 << size, ..first }, step: 1 << size }
            }
            Items::Pointer => {
                self.take(place, count)?;
                List { items, count, first: Struct { count: 1, ..first }, step: 64 }
            }
            Items::Structs => return self.structs(place, count).map(Target::List),
        };
        Ok(Target::List(list))
    }

    fn structs(&mut self, place: Place, words: usize) -> Result<List, &'static str> {
        self.take(place, words.checked_add(1).ok_or(OUTSIDE)?)?;
        let tag = self.word(place).ok_or(OUTSIDE)?;
        if tag & 3 != 0 {
            return Err("a list of structs does not say how large they are");
        }
        let first = sized(Place { word: place.word + 1, ..place }, tag);
        let count = (tag as u32 >> 2) as usize;
        let step = first.bits + 64 * first.count as u64;
        match step {
            0 => self.left = self.left.checked_sub(count as u64).ok_or(TOO_MUCH)?,
            _ if count as u64 * (step / 64) > words as u64 => return Err("a list of structs is longer than it says"),
            _ => {}
        }
        Ok(List { items: Items::Structs, count, first, step })
    }

    /// Data of a size at an offset of it; zero where the struct is shorter.
    pub(super) fn data(&self, at: Struct, (size, offset): (u32, u32)) -> u64 {
        let start = u64::from(offset) << size;
        if start + (1 << size) > at.bits {
            return 0;
        }
        let first = at.data + start;
        let word = self.word(Place { segment: at.segment, word: (first / 64) as usize }).unwrap_or(0);
        word >> (first % 64) & mask(size)
    }

    /// The bytes of a list; nothing where it is one of something else.
    pub(super) fn bytes(&self, list: List) -> Option<Vec<u8>> {
        if list.items != Items::Data(3) {
            return None;
        }
        let start = (list.first.data / 8) as usize;
        let bytes = self.segments.get(list.first.segment)?.get(start..start + list.count)?;
        Some(bytes.to_vec())
    }

    /// An item of a list, as the struct that it may be read as.
    pub(super) fn item(list: List, nth: u64) -> Struct {
        Struct {
            data: list.first.data + nth * list.step,
            pointers: list.first.pointers + (nth * list.step / 64) as usize,
            ..list.first
        }
    }

    /// Takes account of so many items of a list that are looked at; whether that many may be.
    pub(super) fn look_at(&mut self, items: usize) -> bool {
        let left = self.left.checked_sub(items as u64);
        self.left = left.unwrap_or(0);
        left.is_some()
    }
}

/// A struct that begins at a place, with the sizes that a pointer or the word in front of a list says.
fn sized(place: Place, pointer: u64) -> Struct {
    let words = (pointer >> 32 & 0xffff) as usize;
    Struct {
        segment: place.segment,
        data: place.word as u64 * 64,
        bits: 64 * words as u64,
        pointers: place.word + words,
        count: (pointer >> 48) as usize,
    }
}
