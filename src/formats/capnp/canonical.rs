//! A message in canonical form: <https://capnproto.org/encoding.html#canonicalization>.
//!
//! One segment; what pointers lead to stands in the order of the pointers, each before what it leads to itself; and structs
//! are as short as they can be. So two messages of one form have the same bytes, whoever wrote them.

use super::codec::Items;
use super::message::{List, Message, Place, Struct, Target};

/// How deep pointers are followed.
const DEPTH: u32 = 64;

/// The words of a message in canonical form; the reason where it has none: something in it is malformed, or it holds a
/// capability.
pub(super) fn canonical(bytes: &[u8]) -> Result<Vec<u64>, &'static str> {
    let mut writer = Writer { message: Message::of(bytes)?, words: vec![0] };
    let root = Place { segment: 0, word: 0 };
    writer.pointer(root, 0, DEPTH)?;
    Ok(writer.words)
}

struct Writer<'m> {
    message: Message<'m>,
    words: Vec<u64>,
}

/// Words of data and pointers.
#[derive(Clone, Copy, Default)]
struct Size {
    words: usize,
    pointers: usize,
}

impl Writer<'_> {
    fn allocate(&mut self, words: usize) -> usize {
        let at = self.words.len();
        self.words.resize(at + words, 0);
        at
    }

    /// The low half of a pointer to something behind it.
    fn distance(from: usize, to: usize) -> Result<u64, &'static str> {
        let words = u32::try_from(to - from - 1).ok().filter(|words| *words < 1 << 29);
        words.map(|words| u64::from(words << 2)).ok_or("the message is too long")
    }

    fn word(&self, at: Struct, nth: usize) -> u64 {
        self.message.data(at, (6, nth as u32))
    }

    /// A pointer to the same, at a place of the new message.
    fn pointer(&mut self, from: Place, to: usize, depth: u32) -> Result<(), &'static str> {
        let deeper = depth.checked_sub(1).ok_or("the message nests too deep");
        match self.message.follow(from)? {
            Target::Null => Ok(()),
            Target::Capability => Err("a capability has no canonical form"),
            Target::Struct(at) => {
                let size = self.least(at);
                let content = self.allocate(size.words + size.pointers);
                let is_empty = size.words + size.pointers == 0;
                // A struct of no size points behind the pointer: a distance of -1 is what sets it apart from null.
                let distance = if is_empty { 0xffff_fffc } else { Self::distance(to, content)? };
                self.words[to] = distance | (size.words as u64) << 32 | (size.pointers as u64) << 48;
                self.structure(at, size, content, deeper?)
            }
            Target::List(list) => self.list(list, to, deeper?),
        }
    }

    /// How long a struct must be for what is in it.
    fn least(&self, at: Struct) -> Size {
        let words = (at.bits / 64) as usize;
        let is_set = |nth: usize| {
            let place = Place { segment: at.segment, word: at.pointers + nth };
            self.message.word(place).is_some_and(|pointer| pointer != 0)
        };
        Size {
            words: (0..words).rev().find(|nth| self.word(at, *nth) != 0).map_or(0, |nth| nth + 1),
            pointers: (0..at.count).rev().find(|nth| is_set(*nth)).map_or(0, |nth| nth + 1),
        }
    }

    fn structure(&mut self, at: Struct, size: Size, to: usize, depth: u32) -> Result<(), &'static str> {
        for nth in 0..size.words {
            self.words[to + nth] = self.word(at, nth);
        }
        for nth in 0..size.pointers {
            self.pointer(Place { segment: at.segment, word: at.pointers + nth }, to + size.words + nth, depth)?;
        }
        Ok(())
    }

    fn list(&mut self, list: List, to: usize, depth: u32) -> Result<(), &'static str> {
        let words = match list.items {
            Items::Structs => return self.structs(list, to, depth),
            Items::Void => 0,
            Items::Data(size) => (list.count << size).div_ceil(64),
            Items::Pointer => list.count,
        };
        let content = self.allocate(words);
        self.words[to] = Self::distance(to, content)? | 1 | list.items.code() << 32 | (list.count as u64) << 35;
        match list.items {
            Items::Pointer => {
                for nth in 0..list.count {
                    let from = Place { segment: list.first.segment, word: list.first.pointers + nth };
                    self.pointer(from, content + nth, depth)?;
                }
            }
            Items::Data(size) => {
                let whole = Struct { bits: 64 * words as u64, ..list.first };
                for nth in 0..words {
                    let used = ((list.count << size) - 64 * nth).min(64);
                    // What is behind the last item is nothing.
                    self.words[content + nth] = self.word(whole, nth) & u64::MAX >> (64 - used);
                }
            }
            Items::Void | Items::Structs => {}
        }
        Ok(())
    }

    /// All items are as long as the longest.
    fn structs(&mut self, list: List, to: usize, depth: u32) -> Result<(), &'static str> {
        let mut size = Size::default();
        // Those of no size are as many as anybody says.
        let count = if list.step == 0 { 0 } else { list.count as u64 };
        for nth in 0..count {
            let least = self.least(Message::item(list, nth));
            size = Size { words: size.words.max(least.words), pointers: size.pointers.max(least.pointers) };
        }
        let each = size.words + size.pointers;
        let tag = self.allocate(1 + each * list.count);
        self.words[tag] = (list.count as u64) << 2 | (size.words as u64) << 32 | (size.pointers as u64) << 48;
        self.words[to] = Self::distance(to, tag)? | 1 | 7 << 32 | ((each * list.count) as u64) << 35;
        let deeper = depth.checked_sub(1).ok_or("the message nests too deep");
        for nth in 0..if each == 0 { 0 } else { list.count } {
            self.structure(Message::item(list, nth as u64), size, tag + 1 + nth * each, deeper?)?;
        }
        Ok(())
    }
}
