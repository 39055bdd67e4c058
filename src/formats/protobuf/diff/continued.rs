//! Which messages and enums continue as which: by name, by the package of their file, by what refers to them, by
//! structure, and by the message that they are nested in.

use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Pair;
use crate::formats::frame::declarations::alike;
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::{Candidate, by_copy, by_full_name, look_into_copies, paired_by};
use crate::formats::frame::roots::simple_name;
use crate::ordered::{InOrder, OrderedSet};

use super::super::builtin;
use super::super::model::{EnumId, FileId, Kind, Message, MessageId, Schema};
use super::state::{Differ, Met, Path, members, within};

impl<'s, 'a> Differ<'s, 'a> {
    /// Pairs all declarations: by full name (and path, where a name is defined more than once), then by the path and
    /// the name inside the package for files whose package changed.
    ///
    /// Gives back the copies that went, and what may have been joined with another one: they are that as long as nothing else is
    /// found to be what they became.
    pub(super) fn pair_declarations(&mut self) -> Left {
        let schemas = self.schemas;
        let mut joined = Vec::new();
        let messages = schemas.map(|side| (side.messages.len(), &side.messages_by_name));
        let named =
            |schema: &'s Schema<'a>, index: usize| (&*schema.messages[index].full_name, schema.messages[index].file);
        let mut copies = Vec::new();
        for (types, namesakes) in namesakes(schemas, messages, named, (message_id, |id| id.0, shape)) {
            match namesakes {
                Namesakes::One => self.declare_messages(types),
                Namesakes::Joined => joined.push(Met::Type(types)),
                Namesakes::Copies => copies.push(Met::Type(types)),
            }
        }
        let enums = schemas.map(|side| (side.enums.len(), &side.enums_by_name));
        let named = |schema: &'s Schema<'a>, index: usize| (&*schema.enums[index].full_name, schema.enums[index].file);
        for (types, namesakes) in namesakes(schemas, enums, named, (enum_id, |id| id.0, values)) {
            match namesakes {
                Namesakes::One => self.declare_enums(types),
                Namesakes::Joined => joined.push(Met::Enum(types)),
                Namesakes::Copies => copies.push(Met::Enum(types)),
            }
        }
        let came = copies.extract_if(.., |met| match met {
            Met::Type(types) => self.declared.has_old(types.old),
            Met::Enum(enums) => self.declared_enums.has_old(enums.old),
        });
        let came: Vec<Met> = came.collect();
        self.declare_copies(&came);
        self.pair_files();
        let candidates = self.message_candidates();
        self.find_likely(&candidates, members);
        self.pair_services();
        Left { copies, joined }
    }

    /// Declares what is left as what it is likeliest, where nothing else was found to be what became of it.
    pub(super) fn declare_left(&mut self, left: &Left) {
        self.declare_copies(&left.copies);
        for met in &left.joined {
            match *met {
                Met::Type(types) if !self.declared.has_old(types.old) => self.declare_messages(types),
                Met::Enum(enums) if !self.declared_enums.has_old(enums.old) => self.declare_enums(enums),
                Met::Type(_) | Met::Enum(_) => {}
            }
        }
    }

    /// Copies that came or went beside one that both sides have, and that nothing else became: no type came or went with them.
    /// One that says something else is a type of its own.
    fn declare_copies(&mut self, copies: &[Met]) {
        let schemas = self.schemas;
        let mut alike = FxHashSet::default();
        for met in copies {
            match *met {
                Met::Type(types) => {
                    let is_alone = !self.declared.has_old(types.old) || !self.declared.has_new(types.new);
                    if is_alone && !are_others(schemas, types, &mut alike) {
                        self.declared.add(types);
                    }
                }
                Met::Enum(enums) => {
                    let is_alone = !self.declared_enums.has_old(enums.old) || !self.declared_enums.has_new(enums.new);
                    if is_alone && !are_other_enums(schemas, enums) {
                        self.declared_enums.add(enums);
                    }
                }
            }
        }
    }

    pub(super) fn declare_messages(&mut self, types: Pair<MessageId>) {
        self.declared.add(types);
        let files = Pair::new(self.schemas.old.message(types.old).file, self.schemas.new.message(types.new).file);
        if self.is_judged_pair(files) || self.is_of_the_language(files) && self.is_compared(types) {
            self.pair_messages(types);
        }
    }

    /// Whether there is anything to compare: of messages that are built into the language, their extensions, which are the
    /// API of whoever declares options.
    pub(super) fn is_compared(&self, types: Pair<MessageId>) -> bool {
        let files = Pair::new(self.schemas.old.message(types.old).file, self.schemas.new.message(types.new).file);
        let is_extended = |schema: &Schema<'_>, id: MessageId| {
            let mut extensions = schema.message(id).extended_by.iter();
            extensions.any(|extension| !schema.file(schema.extension(*extension).file).is_builtin)
        };
        !self.is_of_the_language(files)
            || is_extended(self.schemas.old, types.old)
            || is_extended(self.schemas.new, types.new)
    }

    pub(super) fn declare_enums(&mut self, types: Pair<EnumId>) {
        self.declared_enums.add(types);
        let files =
            Pair::new(self.schemas.old.enumeration(types.old).file, self.schemas.new.enumeration(types.new).file);
        if self.is_judged_pair(files) {
            self.pair_enums(types);
        }
    }

    /// Files that are part of neither side are compared only as far as something of a side leads there.
    fn is_judged_pair(&self, files: Pair<FileId>) -> bool {
        let only_supply = self.schemas.old.file(files.old).is_builtin && self.schemas.new.file(files.new).is_builtin;
        !only_supply && !self.is_of_the_language(files)
    }

    /// Files that every compiler brings along are nobody's to change, also where only one side has no copy of its own.
    pub(super) fn is_of_the_language(&self, files: Pair<FileId>) -> bool {
        builtin::are_one(self.schemas.zip(files, |schema, file| schema.file(file)))
    }

    /// Types of a file whose package changed continue under the same name inside the new package.
    pub(super) fn pair_by_package(&mut self, files: Pair<FileId>) {
        let schemas = self.schemas;
        let (old, new) = (schemas.old.file(files.old), schemas.new.file(files.new));
        let news: FxHashMap<&str, MessageId> = schemas
            .new
            .messages
            .iter()
            .enumerate()
            .filter(|(_, message)| message.file == files.new)
            .map(|(index, message)| (within(&message.full_name, &new.package), message_id(index)))
            .collect();
        for (index, message) in schemas.old.messages.iter().enumerate().filter(|(_, message)| message.file == files.old)
        {
            let continued = news.get(within(&message.full_name, &old.package)).copied();
            self.pair_if_undeclared(message_id(index), continued);
        }
        let news: FxHashMap<&str, EnumId> = schemas
            .new
            .enums
            .iter()
            .enumerate()
            .filter(|(_, declared)| declared.file == files.new)
            .map(|(index, declared)| (within(&declared.full_name, &new.package), enum_id(index)))
            .collect();
        for (index, declared) in schemas.old.enums.iter().enumerate().filter(|(_, declared)| declared.file == files.old)
        {
            let continued = news.get(within(&declared.full_name, &old.package)).copied();
            self.pair_enum_if_undeclared(enum_id(index), continued);
        }
    }

    fn pair_if_undeclared(&mut self, old: MessageId, new: Option<MessageId>) {
        if let Some(new) = new
            && self.declared.are_free(Pair::new(old, new))
        {
            self.declare_messages(Pair::new(old, new));
        }
    }

    fn pair_enum_if_undeclared(&mut self, old: EnumId, new: Option<EnumId>) {
        if let Some(new) = new
            && self.declared_enums.are_free(Pair::new(old, new))
        {
            self.declare_enums(Pair::new(old, new));
        }
    }

    /// Declares as continued what references have paired since, until that leads to nothing new.
    pub(super) fn pair_what_met(&mut self) {
        while self.pair_by_references() {
            self.pair_by_place();
            self.drain_types();
        }
    }

    /// Declares as continued what references have paired one to one, and says whether there was any.
    pub(super) fn pair_by_references(&mut self) -> bool {
        let before = (self.declared.pairs.len(), self.declared_enums.pairs.len());
        for replacement in self.queue.replacements.clone() {
            match replacement {
                Met::Type(types) if !self.is_replaced_message(types) => {
                    self.pair_if_undeclared(types.old, Some(types.new));
                }
                Met::Enum(types) if !self.is_replaced_enum(types) => {
                    self.pair_enum_if_undeclared(types.old, Some(types.new));
                }
                Met::Type(_) | Met::Enum(_) => {}
            }
        }
        before != (self.declared.pairs.len(), self.declared_enums.pairs.len())
    }

    /// Declares as continued what references have paired one to one, then types with exactly one structural twin.
    pub(super) fn pair_by_structure(&mut self) {
        self.pair_by_references();
        let shapes = |schema: &Schema<'_>, is_declared: &dyn Fn(MessageId) -> bool| {
            let mut shapes: FxHashMap<Vec<String>, Vec<MessageId>> = FxHashMap::default();
            for (index, message) in schema.messages.iter().enumerate() {
                let id = message_id(index);
                if !is_declared(id) && !schema.file(message.file).is_builtin && !message.fields.is_empty() {
                    shapes.entry(shape(schema, id)).or_default().push(id);
                }
            }
            shapes
        };
        let old = shapes(self.schemas.old, &|id| self.declared.has_old(id));
        let new = shapes(self.schemas.new, &|id| self.declared.has_new(id));
        let mut twins: Vec<Pair<MessageId>> = Vec::new();
        #[expect(clippy::iter_over_hash_type, reason = "sorted just below")]
        for (shape, candidates) in &old {
            let Some(others) = new.get(shape) else { continue };
            let mut named: FxHashMap<&str, Vec<MessageId>> = FxHashMap::default();
            for other in others {
                named.entry(simple_name(&self.schemas.new.message(*other).full_name)).or_default().push(*other);
            }
            for id in candidates {
                let same_name = named.get(simple_name(&self.schemas.old.message(*id).full_name)).map(Vec::as_slice);
                match (same_name, candidates.len(), others.len()) {
                    (Some([twin]), ..) => twins.push(Pair::new(*id, *twin)),
                    (None, 1, 1) => twins.push(Pair::new(*id, others[0])),
                    _ => {}
                }
            }
        }
        twins.sort_in_order();
        for twin in twins {
            self.pair_if_undeclared(twin.old, Some(twin.new));
        }
        let candidates = self.message_candidates();
        for one in alike(self.schemas, &candidates, &self.declared, members) {
            self.pair_if_undeclared(one.old, Some(one.new));
        }
        // What has its name in another package and file is that, whatever numbers its fields have now.
        let candidates = self.message_candidates();
        for one in alike(self.schemas, &candidates, &self.declared, field_names) {
            let names = self.schemas.zip(one, |schema, id| simple_name(&schema.message(id).full_name));
            if names.old == names.new {
                self.pair_if_undeclared(one.old, Some(one.new));
            }
        }
    }

    fn message_candidates(&self) -> Pair<Vec<Candidate<MessageId>>> {
        let Pair { old, new } = self.schemas;
        let declared = &self.declared;
        let old = message_candidates(old, |id| declared.has_old(id));
        Pair::new(old, message_candidates(new, |id| declared.has_new(id)))
    }

    /// What is nested in a message that continues under another full name continues with it, under its own simple name.
    pub(super) fn pair_by_place(&mut self) {
        let schemas = self.schemas;
        let messages = schemas.new.messages.iter().enumerate();
        let messages: FxHashMap<Place<'s>, MessageId> = messages
            .filter_map(|(index, message)| Some((Place::of(message.parent?, &message.full_name), message_id(index))))
            .collect();
        let enums = schemas.new.enums.iter().enumerate();
        let enums: FxHashMap<Place<'s>, EnumId> = enums
            .filter_map(|(index, declared)| Some((Place::of(declared.parent?, &declared.full_name), enum_id(index))))
            .collect();
        let mut now: FxHashMap<MessageId, MessageId> =
            self.declared.pairs.iter().map(|types| (types.old, types.new)).collect();
        // Parents come before what is nested in them.
        for (index, message) in schemas.old.messages.iter().enumerate() {
            let place = message.parent.and_then(|parent| now.get(&parent));
            let Some(new) = place.and_then(|parent| messages.get(&Place::of(*parent, &message.full_name))) else {
                continue;
            };
            let types = Pair::new(message_id(index), *new);
            if self.declared.are_free(types) {
                self.declare_messages(types);
                now.insert(types.old, types.new);
            }
        }
        for (index, declared) in schemas.old.enums.iter().enumerate() {
            let place = declared.parent.and_then(|parent| now.get(&parent));
            let continued = place.and_then(|parent| enums.get(&Place::of(*parent, &declared.full_name)));
            self.pair_enum_if_undeclared(enum_id(index), continued.copied());
        }
    }
}

/// Where a declaration is nested, and its simple name.
#[derive(PartialEq, Eq, Hash)]
struct Place<'s> {
    parent: MessageId,
    name: &'s str,
}

impl<'s> Place<'s> {
    fn of(parent: MessageId, full_name: &'s str) -> Self {
        Place { parent, name: simple_name(full_name) }
    }
}

/// The messages at the top of the files of a repository that have no counterpart yet.
fn message_candidates(schema: &Schema<'_>, is_paired: impl Fn(MessageId) -> bool) -> Vec<Candidate<MessageId>> {
    let all = schema.messages.iter().enumerate();
    let own = all.filter(|(_, message)| message.parent.is_none() && !schema.file(message.file).is_builtin);
    let candidate = |(index, message): (usize, &Message<'_>)| {
        Candidate::new(message_id(index), &message.full_name, &schema.file(message.file).path)
    };
    own.filter(|(index, _)| !is_paired(message_id(*index))).map(candidate).collect()
}

/// What the fields of a message are called.
fn field_names(schema: &Schema<'_>, id: MessageId) -> Vec<String> {
    schema.all_fields(id).map(|field| field.name.to_string()).collect()
}

/// What makes two messages structurally the same: numbers, names, types by kind, cardinality. Nested and referenced
/// types count by their simple names only; they are compared as pairs of their own.
pub(super) fn shape(schema: &Schema<'_>, id: MessageId) -> Vec<String> {
    let mut shape: Vec<String> = schema
        .all_fields(id)
        .map(|field| {
            let kind = match field.kind.keyword() {
                Some(keyword) => keyword.to_owned(),
                None => match field.kind {
                    Kind::Message(id) => {
                        format!("message {}", simple_name(&schema.message(id).full_name))
                    }
                    Kind::Enum(id) => {
                        format!("enum {}", simple_name(&schema.enumeration(id).full_name))
                    }
                    _ => "opaque".to_owned(),
                },
            };
            format!("{} {} {kind} {:?} {:?}", field.number, field.name, field.cardinality, field.presence)
        })
        .collect();
    shape.sort_in_order();
    shape
}

/// The names and numbers of the values of an enum.
fn values(schema: &Schema<'_>, id: EnumId) -> Vec<String> {
    let values = schema.enumeration(id).ast.values.iter();
    values.map(|value| format!("{} {}", value.number, value.name.text)).collect()
}

/// Whether a number means something else in one message than in the other, or in what they hold.
fn are_others(schemas: Pair<&Schema<'_>>, types: Pair<MessageId>, alike: &mut FxHashSet<Pair<MessageId>>) -> bool {
    let mut seen = FxHashSet::from_iter([types]);
    let mut open = vec![types];
    while let Some(types) = open.pop() {
        if alike.contains(&types) {
            continue;
        }
        for old in schemas.old.all_fields(types.old) {
            let same_number = schemas.new.all_fields(types.new).find(|new| new.number == old.number);
            let Some(new) = same_number else { continue };
            let is_other = match (&old.kind, &new.kind) {
                (Kind::Message(old), Kind::Message(new)) => {
                    let types = Pair::new(*old, *new);
                    open.extend(seen.insert(types).then_some(types));
                    schemas.old.message(*old).full_name != schemas.new.message(*new).full_name
                }
                (Kind::Enum(old), Kind::Enum(new)) => {
                    schemas.old.enumeration(*old).full_name != schemas.new.enumeration(*new).full_name
                        || are_other_enums(schemas, Pair::new(*old, *new))
                }
                (Kind::Message(_) | Kind::Enum(_), _) | (_, Kind::Message(_) | Kind::Enum(_)) => true,
                (old, new) => old.keyword() != new.keyword(),
            };
            if is_other || old.cardinality != new.cardinality {
                return true;
            }
        }
    }
    alike.extend(seen);
    false
}

/// Whether a number has another name in one enum than in the other, or is in only one of them.
fn are_other_enums(schemas: Pair<&Schema<'_>>, enums: Pair<EnumId>) -> bool {
    let values = |schema: &Schema<'_>, id: EnumId| -> OrderedSet<(i64, String)> {
        let values = schema.enumeration(id).ast.values.iter();
        values.map(|value| (value.number, value.name.text.to_string())).collect()
    };
    values(schemas.old, enums.old) != values(schemas.new, enums.new)
}

/// What is known of declarations until more is.
pub(super) struct Left {
    /// Copies that went.
    copies: Vec<Met>,
    /// What may have been joined with another one.
    joined: Vec<Met>,
}

/// How declarations are numbered in a list, and what each says.
type Declarations<Id> = (fn(usize) -> Id, fn(Id) -> u32, Says<Id>);

/// What a declaration says.
type Says<Id> = fn(&Schema<'_>, Id) -> Vec<String>;

/// The declarations of a name.
type ByName<Id> = FxHashMap<Arc<str>, Vec<Id>>;

/// What two declarations of one name are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Namesakes {
    /// The one became the other.
    One,
    /// The one may have been joined with another that became the other.
    Joined,
    /// A copy came or went beside one that both sides have: neither became the other.
    Copies,
}

/// The declarations that belong to each other because they have one name. Where one side has it more often, copies came or
/// went, and none has come or gone itself.
fn namesakes<'s, 'a, Id: Copy + Eq + Hash>(
    schemas: Pair<&'s Schema<'a>>,
    all: Pair<(usize, &'s ByName<Id>)>,
    named: impl Fn(&'s Schema<'a>, usize) -> (&'s str, FileId),
    (id, index, says): Declarations<Id>,
) -> Vec<(Pair<Id>, Namesakes)> {
    let at = |schema, id| named(schema, index(id) as usize).1;
    let path = |schema: &'s Schema<'a>, id| &schema.file(at(schema, id)).path;
    let has = |side: &ByName<Id>, schema, name: &str, path_there: &Path| {
        side.get(name).is_some_and(|all| all.iter().any(|id| path(schema, *id) == path_there))
    };
    let what = |types: Pair<Id>, name: &str| {
        let (was, is) = (path(schemas.old, types.old), path(schemas.new, types.new));
        let is_copy = was != is && (has(all.new.1, schemas.new, name, was) || has(all.old.1, schemas.old, name, is));
        if is_copy { Namesakes::Copies } else { Namesakes::One }
    };
    let is_gone = |types: Pair<Id>| {
        let (was, name) = (path(schemas.old, types.old), named(schemas.old, index(types.old) as usize).0);
        was != path(schemas.new, types.new) && !has(all.new.1, schemas.new, name, was)
    };
    let partners = partners(schemas, all, |new| named(schemas.new, new), (id, says), &at);
    let is_same = |types: Pair<Id>| {
        let says = schemas.zip(types, |schema, id| (schema.content(at(schema, id)), schema.terms(at(schema, id))));
        says.old == says.new
    };
    // A file that moved as it was has its types with it, and they are nobody else's. What still stands where it was did not
    // move: whoever says the same elsewhere is a copy of it.
    let moved: Vec<Pair<Id>> = partners
        .iter()
        .enumerate()
        .filter_map(|(new, old)| Some(Pair::new((*old)?, id(new))))
        .filter(|types| is_same(*types) && is_gone(*types))
        .collect();
    let olds: FxHashSet<Id> = moved.iter().map(|types| types.old).collect();
    let news: FxHashSet<Id> = moved.iter().map(|types| types.new).collect();
    let moved: FxHashSet<Pair<Id>> = moved.into_iter().collect();
    let what = |types: Pair<Id>, name: &str| {
        // Of what says the same as one that moved, another one may have become of it.
        let is_taken = (olds.contains(&types.old) || news.contains(&types.new)) && !moved.contains(&types);
        if is_taken { Namesakes::Copies } else { what(types, name) }
    };
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    for (new, old) in partners.into_iter().enumerate() {
        let name = named(schemas.new, new).0;
        found.extend(old.map(|old| Pair::new(old, id(new))).map(|types| (types, what(types, name))));
        seen.extend(old);
    }
    for old in (0..all.old.0).filter(|old| !seen.contains(&id(*old))) {
        let (name, file) = named(schemas.old, old);
        let declared = Pair::new(all.new.1, all.old.1);
        let partner = pick(schemas.mirrored(), declared, (name, file), &at, &FxHashSet::default());
        let types = partner.map(|new| Pair::new(id(old), new));
        found.extend(types.map(|types| match what(types, name) {
            Namesakes::One if is_gone(types) => (types, Namesakes::Joined),
            other => (types, other),
        }));
    }
    found
}

/// For each new declaration the old one that it belongs to.
fn partners<'s, 'a, Id: Copy + Eq + Hash>(
    schemas: Pair<&'s Schema<'a>>,
    all: Pair<(usize, &'s ByName<Id>)>,
    named: impl Fn(usize) -> (&'s str, FileId),
    (id, says): (fn(usize) -> Id, Says<Id>),
    file_of: &impl Fn(&'s Schema<'a>, Id) -> FileId,
) -> Vec<Option<Id>> {
    let declared = Pair::new(all.old.1, all.new.1);
    let told_apart = told_apart(schemas, declared, says, file_of);
    let mut taken: FxHashSet<Id> = told_apart.values().copied().collect();
    let partner = |new: usize| {
        let told = told_apart.get(&id(new)).copied();
        let old = told.or_else(|| pick(schemas, declared, named(new), file_of, &taken));
        taken.extend(old);
        old
    };
    (0..all.new.0).map(partner).collect()
}

/// Declarations of names that a side has more than once, told apart by their files: the old one of each new one.
fn told_apart<'s, 'a, Id: Copy + Eq + Hash>(
    schemas: Pair<&'s Schema<'a>>,
    declared: Pair<&'s ByName<Id>>,
    says: Says<Id>,
    file_of: &impl Fn(&'s Schema<'a>, Id) -> FileId,
) -> FxHashMap<Id, Id> {
    let candidates = |schema: &'s Schema<'a>, ids: &[Id], name: &str| -> Vec<Candidate<Id>> {
        ids.iter().map(|id| Candidate::of(schema, file_of(schema, *id), (*id, name))).collect()
    };
    let [here, same, called, _] = by_full_name();
    let mut found = FxHashMap::default();
    #[expect(clippy::iter_over_hash_type, reason = "what is found of one name is put under its own declarations")]
    for (name, news) in declared.new {
        let Some(olds) = declared.old.get(name).filter(|olds| olds.len() > 1 || news.len() > 1) else { continue };
        let (mut olds, mut news) = (candidates(schemas.old, olds, name), candidates(schemas.new, news, name));
        look_into_copies(&mut olds, |id| says(schemas.old, id));
        look_into_copies(&mut news, |id| says(schemas.new, id));
        let [folder, shape] = by_copy();
        let pairs = paired_by(Pair::new(&olds[..], &news[..]), &[here, same, called, folder, shape]);
        found.extend(pairs.into_iter().map(|at| (news[at.new].id, olds[at.old].id)));
    }
    found
}

/// The old declaration that a new one of some name and file belongs to: the only one, the one at the same path, else one that
/// moved there: into a file that its own imports, or the other way round, or from a path where the name is no more; else the
/// first. `taken` are those that others belong to.
fn pick<'s, 'a, Id: Copy + Eq + Hash>(
    schemas: Pair<&'s Schema<'a>>,
    declared: Pair<&'s ByName<Id>>,
    (name, new): (&str, FileId),
    file_of: &impl Fn(&'s Schema<'a>, Id) -> FileId,
    taken: &FxHashSet<Id>,
) -> Option<Id> {
    let olds = declared.old.get(name)?.as_slice();
    if let [only] = olds {
        return Some(*only);
    }
    let path = &schemas.new.file(new).path;
    let was = |old: FileId| &schemas.old.file(old).path;
    let is_here = |old: FileId| was(old) == path;
    let is_near = |old: FileId| {
        let leads = |schema: &Schema<'_>, from: FileId, to: &Path| {
            let mut imports = schema.file(from).imports.iter().flatten();
            imports.any(|import| schema.file(*import).path == *to)
        };
        leads(schemas.old, old, path) || leads(schemas.new, new, was(old))
    };
    let news = declared.new.get(name).map_or(&[][..], Vec::as_slice);
    let is_gone = |old: FileId| !news.iter().any(|new| schemas.new.file(file_of(schemas.new, *new)).path == *was(old));
    // One that nobody belongs to yet comes first.
    let find = |fits: &dyn Fn(FileId) -> bool| {
        let all = || olds.iter().copied().filter(|old| fits(file_of(schemas.old, *old)));
        all().find(|old| !taken.contains(old)).or_else(|| all().next())
    };
    // A file that says the same was moved.
    let says = |schema: &Schema<'_>, file: FileId| schema.content(file);
    let is_same = |old: FileId| is_gone(old) && says(schemas.old, old) == says(schemas.new, new);
    let file_name = |path: &Path| path.rsplit('/').next().map(str::to_owned);
    let is_called_so = |old: FileId| is_gone(old) && file_name(was(old)) == file_name(path);
    let near = || find(&|old| is_gone(old) && is_near(old)).or_else(|| find(&is_gone)).or_else(|| find(&is_near));
    let moved = || find(&is_same).or_else(|| find(&is_called_so)).or_else(near);
    find(&is_here).or_else(moved).or_else(|| olds.first().copied())
}

pub(super) fn message_id(index: usize) -> MessageId {
    MessageId(u32::try_from(index).expect("a schema has fewer than 2^32 messages"))
}

pub(super) fn enum_id(index: usize) -> EnumId {
    EnumId(u32::try_from(index).expect("a schema has fewer than 2^32 enums"))
}
