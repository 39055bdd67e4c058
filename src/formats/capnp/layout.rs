//! Where the compiler puts the fields of a struct: in order of their ordinals, each in the smallest hole that is left.
//!
//! The members of a union share space, and so do the unions inside of them. A union takes 16 bits for the number of the
//! member that is set, just before its second member is placed, or where its own ordinal stands. What a higher ordinal
//! needs never moves what a lower one has: that is what makes fields safe to add
//! (<https://capnproto.org/language.html#evolving-your-protocol>; tested against the compiler's own output).
//!
//! Sizes are powers of two in bits (`0` is a bit, `6` a word of 64); offsets count in units of the size.

/// A word of the data section.
const WORD: u32 = 6;
/// The number of the member that is set: 16 bits.
const DISCRIMINANT: u32 = 4;

/// Free places between others: one at most of each size below a word. Offset 0 is never free, so 0 is none.
#[derive(Debug, Clone, Copy, Default)]
struct Holes([u32; WORD as usize]);

impl Holes {
    /// Takes a place out of a hole of that size, or of the smallest larger one.
    fn take(&mut self, size: u32) -> Option<u32> {
        let found = (size..WORD).find(|at| self.0[*at as usize] != 0)?;
        let mut offset = std::mem::take(&mut self.0[found as usize]);
        for at in (size..found).rev() {
            offset *= 2;
            self.0[at as usize] = offset + 1;
        }
        Some(offset)
    }

    /// Notes what is left behind a place that was taken at the start of a larger one: a hole of each size up to that.
    fn leave(&mut self, size: u32, mut behind: u32, until: u32) {
        for at in size..until.min(WORD) {
            self.0[at as usize] = behind;
            behind = behind.div_ceil(2);
        }
    }

    /// Joins a place with the holes behind it, until it is so many sizes larger; nothing happens where one is missing.
    fn join(&mut self, size: u32, offset: u32, by: u32) -> bool {
        let is_free = |step: u32| {
            let at = size + step;
            at < WORD && self.0[at as usize] == (offset >> step) + 1
        };
        if !(0..by).all(is_free) {
            return false;
        }
        (size..size + by).for_each(|at| self.0[at as usize] = 0);
        true
    }

    /// The smallest hole of at least that size.
    fn smallest(&self, size: u32) -> Option<u32> {
        (size..WORD).find(|at| self.0[*at as usize] != 0)
    }
}

/// What members are placed in: the struct itself, or a member of a union.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// The struct. Groups that are in no union are a part of it.
    Top,
    /// A member of a union, by its place in the list of all.
    Arm(usize),
}

/// A part of the data section that the members of a union share.
#[derive(Debug, Clone, Copy)]
struct Shared {
    size: u32,
    offset: u32,
}

/// What one member of a union uses of a shared part: so much from its start, without the holes.
#[derive(Debug, Clone, Copy, Default)]
struct Use {
    size: Option<u32>,
    holes: Holes,
}

#[derive(Debug)]
struct Union {
    around: Scope,
    /// Members that have something in them by now.
    begun: u32,
    discriminant: Option<u32>,
    data: Vec<Shared>,
    pointers: Vec<u32>,
}

#[derive(Debug)]
struct Arm {
    union: usize,
    has_begun: bool,
    uses: Vec<Use>,
    pointers: usize,
}

/// A struct whose fields are being placed.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// Words of the data section.
    pub(super) words: u32,
    /// Pointers.
    pub(super) pointers: u32,
    holes: Holes,
    unions: Vec<Union>,
    arms: Vec<Arm>,
}

impl Layout {
    /// A union inside of something.
    pub(super) fn union(&mut self, around: Scope) -> usize {
        self.unions.push(Union { around, begun: 0, discriminant: None, data: Vec::new(), pointers: Vec::new() });
        self.unions.len() - 1
    }

    /// A member of a union.
    pub(super) fn arm(&mut self, union: usize) -> Scope {
        self.arms.push(Arm { union, has_begun: false, uses: Vec::new(), pointers: 0 });
        Scope::Arm(self.arms.len() - 1)
    }

    /// Where the number of the member that is set stands, in units of 16 bits; nothing before there are two.
    pub(super) fn discriminant_of(&self, union: usize) -> Option<u32> {
        self.unions[union].discriminant
    }

    /// Places the number of the member that is set; `false` where it has its place already.
    pub(super) fn discriminate(&mut self, union: usize) -> bool {
        if self.unions[union].discriminant.is_some() {
            return false;
        }
        let offset = self.data(self.unions[union].around, DISCRIMINANT);
        self.unions[union].discriminant = Some(offset);
        true
    }

    /// A field that takes no space; still its union has one member more.
    pub(super) fn void(&mut self, scope: Scope) {
        if let Scope::Arm(arm) = scope {
            self.begin(arm);
            self.void(self.unions[self.arms[arm].union].around);
        }
    }

    /// Places a pointer; which one it is.
    pub(super) fn pointer(&mut self, scope: Scope) -> u32 {
        let Scope::Arm(arm) = scope else {
            self.pointers += 1;
            return self.pointers - 1;
        };
        self.begin(arm);
        let union = self.arms[arm].union;
        let nth = self.arms[arm].pointers;
        self.arms[arm].pointers += 1;
        if let Some(known) = self.unions[union].pointers.get(nth) {
            return *known;
        }
        let own = self.pointer(self.unions[union].around);
        self.unions[union].pointers.push(own);
        own
    }

    /// Places data of a size; at which offset.
    pub(super) fn data(&mut self, scope: Scope, size: u32) -> u32 {
        match scope {
            Scope::Top => self.holes.take(size).unwrap_or_else(|| {
                let offset = self.words << (WORD - size);
                self.words += 1;
                self.holes.leave(size, offset + 1, WORD);
                offset
            }),
            Scope::Arm(arm) => self.shared_data(arm, size),
        }
    }

    fn begin(&mut self, arm: usize) {
        if std::mem::replace(&mut self.arms[arm].has_begun, true) {
            return;
        }
        let union = self.arms[arm].union;
        self.unions[union].begun += 1;
        if self.unions[union].begun == 2 {
            self.discriminate(union);
        }
    }

    fn shared_data(&mut self, arm: usize, size: u32) -> u32 {
        self.begin(arm);
        let union = self.arms[arm].union;
        let count = self.unions[union].data.len();
        self.arms[arm].uses.resize(count, Use::default());
        let room = |at: usize| Some((self.arms[arm].uses[at].room(self.unions[union].data[at], size)?, at));
        // The smallest room, and of several the first.
        if let Some((_, at)) = (0..count).filter_map(room).min() {
            let shared = self.unions[union].data[at];
            return shared.inside(size) + self.arms[arm].uses[at].place(size);
        }
        for at in 0..count {
            if let Some(offset) = self.grown(arm, at, size) {
                return offset;
            }
        }
        let offset = self.data(self.unions[union].around, size);
        self.unions[union].data.push(Shared { size, offset });
        self.arms[arm].uses.push(Use { size: Some(size), holes: Holes::default() });
        offset
    }

    /// Places data in a shared part that is made larger for it.
    fn grown(&mut self, arm: usize, at: usize, size: u32) -> Option<u32> {
        let union = self.arms[arm].union;
        let Some(used) = self.arms[arm].uses[at].size else {
            if !self.grow_shared(union, at, size) {
                return None;
            }
            self.arms[arm].uses[at].size = Some(size);
            return Some(self.unions[union].data[at].inside(size));
        };
        let wanted = used.max(size) + 1;
        if !self.grow_shared(union, at, wanted) {
            return None;
        }
        let usage = &mut self.arms[arm].uses[at];
        usage.holes.leave(used, 1, wanted);
        usage.size = Some(wanted);
        let offset = usage.holes.take(size)?;
        Some(self.unions[union].data[at].inside(size) + offset)
    }

    /// Makes a shared part as large as that, if what is behind it is free.
    fn grow_shared(&mut self, union: usize, at: usize, wanted: u32) -> bool {
        let Shared { size, offset } = self.unions[union].data[at];
        if wanted <= size {
            return true;
        }
        let by = wanted - size;
        if !self.grow(self.unions[union].around, (size, offset), by) {
            return false;
        }
        self.unions[union].data[at] = Shared { size: wanted, offset: offset >> by };
        true
    }

    /// Makes a place so many sizes larger, if what is behind it is free.
    fn grow(&mut self, scope: Scope, (size, offset): (u32, u32), by: u32) -> bool {
        let is_aligned = size + by <= WORD && offset & ((1 << by) - 1) == 0;
        let Scope::Arm(arm) = scope else {
            return is_aligned && self.holes.join(size, offset, by);
        };
        let union = self.arms[arm].union;
        let holds = |at: &usize| {
            let shared = self.unions[union].data[*at];
            shared.size >= size && offset >> (shared.size - size) == shared.offset
        };
        let Some(at) = (0..self.arms[arm].uses.len()).find(holds).filter(|_| is_aligned) else { return false };
        let own = offset - self.unions[union].data[at].inside(size);
        if own == 0 && self.arms[arm].uses[at].size == Some(size) {
            let grown = self.grow_shared(union, at, size + by);
            if grown {
                self.arms[arm].uses[at].size = Some(size + by);
            }
            return grown;
        }
        self.arms[arm].uses[at].holes.join(size, own, by)
    }
}

impl Shared {
    /// The first offset inside of it, in units of a size.
    fn inside(self, size: u32) -> u32 {
        self.offset << (self.size - size)
    }
}

impl Use {
    /// How large the room is that data of a size would go to; nothing where there is none.
    fn room(&self, shared: Shared, size: u32) -> Option<u32> {
        match self.size {
            None => (size <= shared.size).then_some(shared.size),
            Some(used) if size >= used => (size < shared.size).then_some(size),
            Some(used) => self.holes.smallest(size).or((used < shared.size).then_some(used)),
        }
    }

    /// Places data where there is room; the offset inside of the shared part.
    fn place(&mut self, size: u32) -> u32 {
        match self.size {
            None => {
                self.size = Some(size);
                0
            }
            Some(used) if size >= used => {
                self.holes.leave(used, 1, size);
                self.size = Some(size + 1);
                1
            }
            Some(used) => self.holes.take(size).unwrap_or_else(|| {
                let offset = 1 << (used - size);
                self.holes.leave(size, offset + 1, used);
                self.size = Some(used + 1);
                offset
            }),
        }
    }
}
