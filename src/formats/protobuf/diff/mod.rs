//! What differs between two linked schemas: every change that matters on the wire, in JSON, in RPC or in generated code.
//!
//! Types pair by name, then by the fields, maps and methods that lead to them (`pairing.rs`); each pair is compared
//! once. Facts only: whether a change is good or bad is said in `rules/protobuf/`.

mod bufs;
mod crossing;
mod enums;
mod fields;
mod files;
mod messages;
mod options;
mod reach;
mod services;

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair, Site, Span, Suggestion};
use crate::evidence::Outcome;
use crate::formats::frame;
use crate::formats::frame::roots::Roots;

use super::model::{EnumId, FileId, MessageId, Schema};
use super::pairing::{Pairs, TypePair};

/// What changed, and what was compared with what.
type Diff = frame::Diff<Pairs>;

/// Compares two schemas.
pub(crate) fn diff(schemas: Pair<&Schema<'_>>, roots: &Roots) -> Diff {
    let mut differ = Differ::new(schemas);
    differ.pair_declarations();
    differ.drain();
    differ.pair_by_structure();
    differ.drain();
    differ.leftovers();
    differ.settle_renames();
    differ.say_what_buf_says();
    let mut found = Diff { changes: differ.changes, pairs: differ.pairs };
    reach::limit_to_roots(schemas, roots, &mut found, &differ.replacements);
    found
}

/// A type reference of a paired field or method whose two sides have different names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Replacement {
    Message(MessageId, MessageId),
    Enum(EnumId, EnumId),
}

/// The state of one comparison.
struct Differ<'s, 'a> {
    schemas: Pair<&'s Schema<'a>>,
    changes: Vec<Change>,
    pairs: Pairs,
    /// Index into `pairs` of every pair seen.
    seen_messages: FxHashMap<(MessageId, MessageId), usize>,
    seen_enums: FxHashMap<(EnumId, EnumId), usize>,
    queue: VecDeque<Work>,
    /// Types that found a counterpart as a declaration (by name, package or structure).
    declared: Pair<FxHashSet<MessageId>>,
    declared_enums: Pair<FxHashSet<EnumId>>,
    /// Pairs of different full names, in the order in which they were found.
    replacements: Vec<Replacement>,
    /// Changes that only say that a reference follows a replacement: index into `changes`.
    following: Vec<(usize, Replacement)>,
    any_in_reach: bool,
}

/// A pair of types still to be compared.
#[derive(Debug, Clone, Copy)]
enum Work {
    Message(Pair<MessageId>),
    Enum(Pair<EnumId>),
}

impl<'s, 'a> Differ<'s, 'a> {
    fn new(schemas: Pair<&'s Schema<'a>>) -> Self {
        Self {
            schemas,
            changes: Vec::new(),
            pairs: Pairs::default(),
            seen_messages: FxHashMap::default(),
            seen_enums: FxHashMap::default(),
            queue: VecDeque::new(),
            declared: Pair::default(),
            declared_enums: Pair::default(),
            replacements: Vec::new(),
            following: Vec::new(),
            any_in_reach: reach::any_in_reach(schemas),
        }
    }

    /// Compares pairs until no comparison leads to a new one.
    fn drain(&mut self) {
        while let Some(work) = self.queue.pop_front() {
            match work {
                Work::Message(types) => {
                    let before = self.changes.len();
                    self.diff_message(types);
                    let index = self.seen_messages[&(types.old, types.new)];
                    self.pairs.messages[index].changed |= self.changes.len() > before;
                }
                Work::Enum(types) => {
                    let before = self.changes.len();
                    self.diff_enum(types);
                    let index = self.seen_enums[&(types.old, types.new)];
                    self.pairs.enums[index].changed |= self.changes.len() > before;
                }
            }
        }
    }

    /// Asks for two messages to be compared, once.
    fn pair_messages(&mut self, types: Pair<MessageId>) {
        let key = (types.old, types.new);
        if self.seen_messages.contains_key(&key) {
            return;
        }
        self.seen_messages.insert(key, self.pairs.messages.len());
        self.pairs.messages.push(TypePair { types, changed: false });
        self.queue.push_back(Work::Message(types));
        let names = self.message_names(types);
        if names.old != names.new {
            self.replacements.push(Replacement::Message(types.old, types.new));
        }
    }

    /// Asks for two enums to be compared, once.
    fn pair_enums(&mut self, types: Pair<EnumId>) {
        let key = (types.old, types.new);
        if self.seen_enums.contains_key(&key) {
            return;
        }
        self.seen_enums.insert(key, self.pairs.enums.len());
        self.pairs.enums.push(TypePair { types, changed: false });
        self.queue.push_back(Work::Enum(types));
        let names = self.enum_names(types);
        if names.old != names.new {
            self.replacements.push(Replacement::Enum(types.old, types.new));
        }
    }

    fn message_names(&self, types: Pair<MessageId>) -> Pair<&'s str> {
        Pair::new(&*self.schemas.old.message(types.old).full_name, &*self.schemas.new.message(types.new).full_name)
    }

    fn enum_names(&self, types: Pair<EnumId>) -> Pair<&'s str> {
        Pair::new(
            &*self.schemas.old.enumeration(types.old).full_name,
            &*self.schemas.new.enumeration(types.new).full_name,
        )
    }

    /// Whether the new type merely took the old one's place: one of the two names exists on both sides, so that no
    /// number of the one was ever a number of the other.
    fn is_replaced_message(&self, types: Pair<MessageId>) -> bool {
        let names = self.message_names(types);
        let files = Pair::new(self.schemas.old.message(types.old).file, self.schemas.new.message(types.new).file);
        names.old != names.new
            && (self.is_any_builtin(files)
                || self.schemas.new.messages_by_name.contains_key(names.old)
                || self.schemas.old.messages_by_name.contains_key(names.new))
    }

    fn is_replaced_enum(&self, types: Pair<EnumId>) -> bool {
        let names = self.enum_names(types);
        let files =
            Pair::new(self.schemas.old.enumeration(types.old).file, self.schemas.new.enumeration(types.new).file);
        names.old != names.new
            && (self.is_any_builtin(files)
                || self.schemas.new.enums_by_name.contains_key(names.old)
                || self.schemas.old.enums_by_name.contains_key(names.new))
    }

    /// Files that are not part of either side rename nothing.
    fn is_any_builtin(&self, files: Pair<FileId>) -> bool {
        self.schemas.old.file(files.old).is_builtin || self.schemas.new.file(files.new).is_builtin
    }

    fn old_site(&self, file: FileId, span: Span) -> Option<Site> {
        Some(Site { file: self.schemas.old.file(file).path.clone(), span })
    }

    fn new_site(&self, file: FileId, span: Span) -> Option<Site> {
        Some(Site { file: self.schemas.new.file(file).path.clone(), span })
    }

    fn push(&mut self, change: Draft) {
        self.changes.push(change.finish());
    }
}

/// A change in the making.
struct Draft {
    kind: ChangeKind,
    path: String,
    identity: Identity,
    at: Pair<Option<Site>>,
    facts: Facts,
    suggestion: Option<Suggestion>,
}

impl Draft {
    fn new(kind: ChangeKind, path: impl Into<String>, identity: Identity) -> Self {
        Self { kind, path: path.into(), identity, at: Pair::default(), facts: Facts::none(), suggestion: None }
    }

    fn at(mut self, at: Pair<Option<Site>>) -> Self {
        self.at = at;
        self
    }

    fn fact(mut self, key: FactKey, value: impl Into<String>) -> Self {
        self.facts = self.facts.with(key, value);
        self
    }

    fn suggest(mut self, suggestion: Option<Suggestion>) -> Self {
        self.suggestion = suggestion;
        self
    }

    fn finish(self) -> Change {
        let Draft { kind, path, identity, at, facts, suggestion } = self;
        Change { kind, path, identity, at, facts, suggestion, reports: Vec::new() }
    }
}

/// What the two readers see of each other's data, per surface: `old` is what is seen of old data.
struct Reads {
    wire: Pair<Outcome>,
    json: Pair<Outcome>,
}

impl Reads {
    fn state(&self, draft: Draft) -> Draft {
        draft
            .fact(FactKey::ReadsOld, self.wire.old.name())
            .fact(FactKey::ReadsNew, self.wire.new.name())
            .fact(FactKey::JsonReadsOld, self.json.old.name())
            .fact(FactKey::JsonReadsNew, self.json.new.name())
    }
}

/// `yes` or `no`.
fn yes(condition: bool) -> &'static str {
    if condition { "yes" } else { "no" }
}

/// Whether a sorted list of ranges covers a number.
fn covers(ranges: &[(i32, i32)], number: i32) -> bool {
    ranges.iter().any(|(start, end)| (*start..=*end).contains(&number))
}

/// The parts of `range` that none of `others` covers, in order.
pub(super) fn uncovered(range: (i32, i32), others: impl IntoIterator<Item = (i32, i32)>) -> Vec<(i32, i32)> {
    let mut rest = vec![(i64::from(range.0), i64::from(range.1))];
    for (start, end) in others {
        let (start, end) = (i64::from(start), i64::from(end));
        rest = rest
            .into_iter()
            .flat_map(|(from, to)| [(from, to.min(start - 1)), (from.max(end + 1), to)])
            .filter(|(from, to)| from <= to)
            .collect();
        rest.dedup();
    }
    let narrow = |number: i64| i32::try_from(number).expect("a part of a 32-bit range is 32-bit");
    rest.into_iter().map(|(from, to)| (narrow(from), narrow(to))).collect()
}

/// A range as it is written in a `reserved` statement.
fn range_text((start, end): (i32, i32), max: i32) -> String {
    match end {
        _ if start == end => start.to_string(),
        _ if end == max => format!("{start} to max"),
        _ => format!("{start} to {end}"),
    }
}

/// Largest field number.
const MAX_FIELD_NUMBER: i32 = 536_870_911;

/// The last part of a dotted name.
fn simple_name(full_name: &str) -> &str {
    full_name.rsplit_once('.').map_or(full_name, |(_, last)| last)
}

/// A name as a map key that tells extensions from ordinary fields.
type FieldName<'n> = (bool, &'n str);

/// File paths compared as names.
type Path = Arc<str>;
