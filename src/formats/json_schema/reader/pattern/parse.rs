//! The text of a pattern → what it says (ECMA-262 §22.2.1, with the flags `u` and, inside of groups, `i`, `m` and `s`).

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// Groups inside of each other.
const DEEPEST: usize = 200;

/// What ECMA-262 calls white space and ends of lines (`\s`).
const SPACES: [(char, char); 10] = [
    ('\t', '\r'),
    (' ', ' '),
    ('\u{A0}', '\u{A0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200A}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{202F}', '\u{202F}'),
    ('\u{205F}', '\u{205F}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{FEFF}', '\u{FEFF}'),
];

/// How much is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// As the grammar says, and whatever is no letter or digit escaped.
    Strict,
    /// Closing brackets by themselves, flags for what follows, `\A`, `\z`, `\x{…}` and `(?P<name>` as well.
    Lenient,
}

/// The flags in force.
#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    /// `i`
    folds: bool,
    /// `m`
    has_lines: bool,
    /// `s`
    dot_is_all: bool,
}

/// A part of a pattern.
#[derive(Debug)]
pub(super) enum Item {
    /// One of some characters.
    Set(ClassUnicode),
    Sequence(Vec<Item>),
    Either(Vec<Item>),
    /// `groups` are those inside, from one to before another.
    Repeat {
        item: Box<Item>,
        least: u32,
        most: Option<u32>,
        is_greedy: bool,
        groups: (u32, u32),
    },
    Group(Box<Item>, u32),
    /// What one of some groups took.
    Again {
        groups: Vec<u32>,
        folds: bool,
    },
    Start {
        has_lines: bool,
    },
    End {
        has_lines: bool,
    },
    /// The bound of a word, or none.
    Bound(bool),
    Look {
        item: Box<Item>,
        is_behind: bool,
        is_negated: bool,
    },
}

/// What a pattern says; `None` where it is none.
pub(super) fn parsed(pattern: &str, dialect: Dialect) -> Option<Item> {
    let mut parser = Parser {
        letters: pattern.chars().collect(),
        at: 0,
        dialect,
        flags: Flags::default(),
        groups: 0,
        names: Vec::new(),
        largest: 0,
        called: Vec::new(),
    };
    let mut item = parser.either(0)?;
    let is_done = parser.at == parser.letters.len() && parser.largest <= parser.groups;
    let is_known = |name: &String| parser.names.iter().any(|(known, _)| known == name);
    let is_sound = is_done && parser.called.iter().all(is_known);
    is_sound.then(|| {
        resolve(&mut item, &parser);
        item
    })
}

/// Groups called by names are those with the names: their numbers are put in place of the indices of names.
fn resolve(item: &mut Item, parser: &Parser) {
    match item {
        Item::Again { groups, .. } => {
            let Some(index) = groups.first().and_then(|number| number.checked_sub(CALLED)) else { return };
            let Some(name) = parser.called.get(index as usize) else { return };
            *groups = parser.names.iter().filter(|(known, _)| known == name).map(|(_, number)| *number).collect();
        }
        Item::Sequence(list) | Item::Either(list) => list.iter_mut().for_each(|item| resolve(item, parser)),
        Item::Repeat { item, .. } | Item::Group(item, _) | Item::Look { item, .. } => resolve(item, parser),
        Item::Set(_) | Item::Start { .. } | Item::End { .. } | Item::Bound(_) => {}
    }
}

/// From here, the number of a group is the index of a name, until all names are known.
const CALLED: u32 = 1 << 31;

struct Parser {
    letters: Vec<char>,
    at: usize,
    dialect: Dialect,
    flags: Flags,
    /// How many groups take something.
    groups: u32,
    names: Vec<(String, u32)>,
    /// The largest number that refers back.
    largest: u32,
    /// The names that refer back.
    called: Vec<String>,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += 1;
        Some(letter)
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_there = text.chars().enumerate().all(|(index, one)| self.letters.get(self.at + index) == Some(&one));
        if is_there {
            self.at += text.chars().count();
        }
        is_there
    }

    fn is_lenient(&self) -> bool {
        self.dialect == Dialect::Lenient
    }

    /// Alternatives, up to the end or the bracket that closes them.
    fn either(&mut self, depth: usize) -> Option<Item> {
        if depth > DEEPEST {
            return None;
        }
        let outer = self.flags;
        let mut list = vec![self.sequence(depth)?];
        while self.eat("|") {
            list.push(self.sequence(depth)?);
        }
        self.flags = outer;
        Some(if list.len() == 1 { list.remove(0) } else { Item::Either(list) })
    }

    fn sequence(&mut self, depth: usize) -> Option<Item> {
        let mut list = Vec::new();
        while let Some(letter) = self.peek().filter(|letter| !matches!(letter, '|' | ')')) {
            self.at += 1;
            let before = self.groups;
            let item = match letter {
                '^' => Item::Start { has_lines: self.flags.has_lines },
                '$' => Item::End { has_lines: self.flags.has_lines },
                '(' => match self.bracket(depth)? {
                    Some(item) => item,
                    None => continue,
                },
                '[' => self.class()?,
                '\\' => self.escape()?,
                '.' => self.dot(),
                '*' | '+' | '?' | '{' => return None,
                '}' | ']' if !self.is_lenient() => return None,
                letter => self.set(single(letter)),
            };
            let may_repeat = matches!(
                item,
                Item::Set(_)
                    | Item::Group(..)
                    | Item::Again { .. }
                    | Item::Sequence(_)
                    | Item::Either(_)
                    | Item::Repeat { .. }
            );
            let item = match self.times()? {
                None => item,
                Some(_) if !may_repeat && !self.is_lenient() => return None,
                Some((least, most)) => {
                    let is_greedy = !self.eat("?");
                    Item::Repeat { item: Box::new(item), least, most, is_greedy, groups: (before + 1, self.groups + 1) }
                }
            };
            list.push(item);
        }
        Some(Item::Sequence(list))
    }

    /// How often something is to be there, where that is said.
    fn times(&mut self) -> Option<Option<(u32, Option<u32>)>> {
        let times = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                self.at += 1;
                let least = self.number()?;
                let most = match self.eat(",") {
                    false => Some(least),
                    true if self.peek() == Some('}') => None,
                    true => Some(self.number()?),
                };
                (self.peek() == Some('}') && most.is_none_or(|most| least <= most)).then_some((least, most))?
            }
            _ => return Some(None),
        };
        self.at += 1;
        Some(Some(times))
    }

    /// Digits; what is too large is as large as can be counted.
    fn number(&mut self) -> Option<u32> {
        let start = self.at;
        let mut number: u32 = 0;
        while let Some(digit) = self.peek().and_then(|letter| letter.to_digit(10)) {
            number = number.saturating_mul(10).saturating_add(digit);
            self.at += 1;
        }
        (self.at > start).then_some(number)
    }

    /// What stands in round brackets, of which one is read; nothing where it says something of what follows.
    fn bracket(&mut self, depth: usize) -> Option<Option<Item>> {
        let look = [("?=", false, false), ("?!", false, true), ("?<=", true, false), ("?<!", true, true)];
        if let Some((_, is_behind, is_negated)) = look.into_iter().find(|(start, ..)| self.eat(start)) {
            let item = Box::new(self.closed(depth)?);
            return Some(Some(Item::Look { item, is_behind, is_negated }));
        }
        if self.eat("?<") || self.is_lenient() && self.eat("?P<") {
            let name = self.name()?;
            self.groups += 1;
            let number = self.groups;
            self.names.push((name, number));
            return Some(Some(Item::Group(Box::new(self.closed(depth)?), number)));
        }
        if self.eat("?") {
            let outer = self.flags;
            if self.flags()? {
                // Up to the end of what is around.
                return self.is_lenient().then_some(None);
            }
            let item = self.closed(depth)?;
            self.flags = outer;
            return Some(Some(Item::Sequence(vec![item])));
        }
        self.groups += 1;
        let number = self.groups;
        Some(Some(Item::Group(Box::new(self.closed(depth)?), number)))
    }

    fn closed(&mut self, depth: usize) -> Option<Item> {
        let item = self.either(depth + 1)?;
        self.eat(")").then_some(item)
    }

    /// Flags up to `:`, or up to `)`: then it is true.
    fn flags(&mut self) -> Option<bool> {
        let (mut is_on, mut met) = (true, Vec::new());
        loop {
            let letter = self.next()?;
            match letter {
                'i' => self.flags.folds = is_on,
                'm' => self.flags.has_lines = is_on,
                's' => self.flags.dot_is_all = is_on,
                '-' => is_on = false,
                ':' => return (met != ['-']).then_some(false),
                ')' => return (met.iter().any(|letter| *letter != '-')).then_some(true),
                _ => return None,
            }
            if met.contains(&letter) {
                return None;
            }
            met.push(letter);
        }
    }

    /// A name, up to `>`.
    fn name(&mut self) -> Option<String> {
        let mut name = String::new();
        loop {
            let letter = match self.next()? {
                '>' => return (!name.is_empty()).then_some(name),
                '\\' if self.eat("u") => char::from_u32(self.code(4)?)?,
                letter => letter,
            };
            let is_start = letter.is_alphabetic() || matches!(letter, '_' | '$');
            if !is_start && (name.is_empty() || !letter.is_alphanumeric() && !matches!(letter, '\u{200C}' | '\u{200D}'))
            {
                return None;
            }
            name.push(letter);
        }
    }

    /// The set of a class, other cases with it where these count as the same.
    fn set(&self, mut class: ClassUnicode) -> Item {
        if self.flags.folds {
            class.case_fold_simple();
        }
        Item::Set(class)
    }

    fn dot(&self) -> Item {
        let ends = [('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')];
        let mut class = class_of(if self.flags.dot_is_all { &[] } else { &ends });
        class.negate();
        Item::Set(class)
    }

    /// What follows a backslash, outside of classes.
    fn escape(&mut self) -> Option<Item> {
        match self.peek()? {
            'b' | 'B' => Some(Item::Bound(self.next()? == 'b')),
            'A' if self.is_lenient() => self.next().map(|_| Item::Start { has_lines: false }),
            'z' if self.is_lenient() => self.next().map(|_| Item::End { has_lines: false }),
            'k' => {
                self.at += 1;
                if !self.eat("<") {
                    return None;
                }
                let name = self.name()?;
                self.called.push(name);
                let number = CALLED + u32::try_from(self.called.len() - 1).ok()?;
                Some(Item::Again { groups: vec![number], folds: self.flags.folds })
            }
            '1'..='9' => {
                let number = self.number()?;
                self.largest = self.largest.max(number);
                Some(Item::Again { groups: vec![number.min(CALLED - 1)], folds: self.flags.folds })
            }
            _ => {
                let (class, _) = self.escaped()?;
                Some(self.set(class))
            }
        }
    }

    /// The characters that stand behind a backslash, with the code where it is one.
    fn escaped(&mut self) -> Option<(ClassUnicode, Option<u32>)> {
        let letter = self.next()?;
        let mut class = match letter {
            'd' | 'D' => class_of(&[('0', '9')]),
            'w' | 'W' => class_of(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
            's' | 'S' => class_of(&SPACES),
            'p' | 'P' => self.property()?,
            letter => {
                let code = self.escaped_code(letter)?;
                // Half of a pair is in no text.
                return Some((char::from_u32(code).map_or_else(|| class_of(&[]), single), Some(code)));
            }
        };
        if matches!(letter, 'D' | 'W' | 'S' | 'P') {
            class.negate();
        }
        Some((class, None))
    }

    fn escaped_code(&mut self, letter: char) -> Option<u32> {
        Some(match letter {
            't' => 0x9,
            'n' => 0xA,
            'v' => 0xB,
            'f' => 0xC,
            'r' => 0xD,
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => 0,
            'c' => u32::from(self.next().filter(char::is_ascii_alphabetic)?) % 32,
            'x' => self.code(2)?,
            'u' => self.code(4)?,
            letter if letter.is_alphanumeric() => return None,
            letter => u32::from(letter),
        })
    }

    /// A code of so many digits, one of two halves, or one in braces.
    fn code(&mut self, digits: usize) -> Option<u32> {
        if (digits == 4 || self.is_lenient()) && self.eat("{") {
            let start = self.at;
            let code = std::iter::from_fn(|| self.next().filter(|letter| *letter != '}')).collect::<String>();
            let is_closed = self.at > start && self.letters.get(self.at - 1) == Some(&'}');
            let is_plain = is_closed && code.chars().all(|letter| letter.is_ascii_hexdigit());
            let code = u32::from_str_radix(&code, 16).ok().filter(|_| is_plain)?;
            return (code <= 0x10_FFFF).then_some(code);
        }
        let first = self.digits(digits)?;
        let is_high = (0xD800..0xDC00).contains(&first);
        if is_high && self.letters.get(self.at..self.at + 2) == Some(&['\\', 'u']) {
            let back = self.at;
            self.at += 2;
            if let Some(second) = self.digits(4).filter(|second| (0xDC00..0xE000).contains(second)) {
                return Some(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00));
            }
            self.at = back;
        }
        Some(first)
    }

    fn digits(&mut self, count: usize) -> Option<u32> {
        let text: String = self.letters.get(self.at..self.at + count)?.iter().collect();
        let code = u32::from_str_radix(&text, 16).ok().filter(|_| text.chars().all(|one| one.is_ascii_hexdigit()))?;
        self.at += count;
        Some(code)
    }

    /// The characters with a property.
    fn property(&mut self) -> Option<ClassUnicode> {
        if !self.eat("{") {
            return None;
        }
        let mut name = String::new();
        loop {
            match self.next()? {
                '}' => break,
                letter if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '=') => name.push(letter),
                _ => return None,
            }
        }
        match regex_syntax::parse(&format!("\\p{{{name}}}")).ok()?.into_kind() {
            HirKind::Class(Class::Unicode(class)) => Some(class),
            HirKind::Class(Class::Bytes(class)) if class.ranges().is_empty() => Some(class_of(&[])),
            HirKind::Literal(literal) => {
                let text = std::str::from_utf8(&literal.0).ok()?;
                Some(class_of(&text.chars().map(|letter| (letter, letter)).collect::<Vec<_>>()))
            }
            _ => None,
        }
    }

    /// A class, of which the bracket is read.
    fn class(&mut self) -> Option<Item> {
        let is_negated = self.eat("^");
        let mut class = class_of(&[]);
        while !self.eat("]") {
            let (first, from) = self.member()?;
            let is_range = self.peek() == Some('-') && self.letters.get(self.at + 1) != Some(&']');
            if !is_range {
                class.union(&first);
                continue;
            }
            self.at += 1;
            let (from, to) = (from?, self.member()?.1?);
            if from > to {
                return None;
            }
            // Halves of pairs are in no text.
            let (from, to) = (char::from_u32(from).unwrap_or('\u{E000}'), char::from_u32(to).unwrap_or('\u{D7FF}'));
            if from <= to {
                class.push(ClassUnicodeRange::new(from, to));
            }
        }
        let item = self.set(class);
        match (item, is_negated) {
            (Item::Set(mut class), true) => {
                class.negate();
                Some(Item::Set(class))
            }
            (item, _) => Some(item),
        }
    }

    fn member(&mut self) -> Option<(ClassUnicode, Option<u32>)> {
        match self.next()? {
            '\\' if self.eat("b") => Some((single('\u{8}'), Some(8))),
            '\\' => self.escaped(),
            letter => Some((single(letter), Some(u32::from(letter)))),
        }
    }
}

fn class_of(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|(from, to)| ClassUnicodeRange::new(*from, *to)))
}

fn single(letter: char) -> ClassUnicode {
    class_of(&[(letter, letter)])
}
