//! What differs between two messages beside their fields: oneofs, reserved statements, ranges for extensions, options; and
//! the messages that were removed, added or renamed.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Change, ChangeKind, FactKey, Identity, Pair, Span};
use crate::evidence::Outcome;
use crate::formats::frame::differ::{Draft, settle_renames, yes};
use crate::formats::frame::roots::simple_name;
use crate::ordered::InOrder;

use super::super::ast;
use super::super::model::{FileId, Message, MessageId, Schema};
use super::super::pairing;
use super::super::ranges::{MAX_FIELD_NUMBER, in_order, range_text, uncovered};
use super::super::well_known::WellKnown;
use super::continued::message_id;
use super::declared::Declared;
use super::members::Members;
use super::options::{MESSAGE_SET, span_of};
use super::state::{Differ, Met};

impl<'s, 'a> Differ<'s, 'a> {
    /// Compares two messages.
    pub(super) fn diff_message(&mut self, types: Pair<MessageId>) {
        let replaced = self.is_replaced_message(types);
        let members = Members::new(self.schemas, types, replaced);
        let before = self.changes.len();
        self.diff_fields(&members);
        for members in members.of_other_programs() {
            self.diff_fields(&members);
        }
        self.settle_form_in_json(types, before);
        let both = Pair::new(self.schemas.old.message(types.old), self.schemas.new.message(types.new));
        // Beside a built-in file only what others put into its copy is anybody's.
        if both.old.full_name == both.new.full_name && self.is_of_the_language(both.map(|message| message.file)) {
            return;
        }
        self.diff_oneofs(&members);
        if !replaced {
            self.diff_reserved(&members);
            self.diff_extension_ranges(&members);
            self.diff_message_declaration(&members);
        }
    }

    /// A well-known type has a form of its own in JSON, known by its name, whatever its fields are; that of a wrapper is the
    /// form of its field.
    fn settle_form_in_json(&mut self, types: Pair<MessageId>, before: usize) {
        let names = self.type_names(types);
        let form = WellKnown::from_full_name(names.new).filter(|form| *form != WellKnown::Wrapper);
        if names.old != names.new || form.is_none() {
            return;
        }
        // A part of the form that one side lacks is another matter.
        let is_on_both = |change: &&mut Change| change.at.old.is_some() && change.at.new.is_some();
        for change in self.changes[before..].iter_mut().filter(is_on_both) {
            for key in [FactKey::JsonReadsOld, FactKey::JsonReadsNew] {
                if change.facts.get(key).is_some() {
                    change.facts = std::mem::take(&mut change.facts).with(key, Outcome::Safe.name());
                }
            }
        }
    }

    fn diff_oneofs(&mut self, members: &Members<'s, 'a>) {
        let (old, new) = (self.schemas.old.message(members.types.old), self.schemas.new.message(members.types.new));
        for (index, oneof) in old.oneofs.iter().enumerate() {
            let continued = members.oneofs[index].map(|index| new.oneofs[index as usize]);
            let kind = match continued {
                Some(now) if now.name.text == oneof.name.text => continue,
                Some(_) => ChangeKind::OneofRenamed,
                None => ChangeKind::OneofRemoved,
            };
            let name = continued.map_or(&oneof.name.text, |now| &now.name.text);
            let path = format!("{}.{name}", members.path);
            let draft = Draft::new(kind, &*path, pairing::declaration("oneof", &path))
                .at(Pair::new(
                    self.old_site(old.file, oneof.name.span),
                    continued.and_then(|now| self.new_site(new.file, now.name.span)),
                ))
                .fact(FactKey::OldName, &*oneof.name.text)
                .fact(FactKey::NewName, &**name);
            self.push(draft);
        }
        for (index, oneof) in new.oneofs.iter().enumerate() {
            if u32::try_from(index).is_ok_and(|index| members.old_oneof(index).is_some()) {
                continue;
            }
            let path = format!("{}.{}", members.path, oneof.name.text);
            let draft = Draft::new(ChangeKind::OneofAdded, &*path, pairing::declaration("oneof", &path))
                .at(Pair::new(None, self.new_site(new.file, oneof.name.span)))
                .fact(FactKey::NewName, &*oneof.name.text);
            self.push(draft);
        }
    }

    fn diff_reserved(&mut self, members: &Members<'s, 'a>) {
        let (old, new) = (self.schemas.old.message(members.types.old), self.schemas.new.message(members.types.new));
        if std::ptr::eq(old.ast, new.ast) {
            return;
        }
        let used = members.fields.new.iter().map(|field| (field.number, field.number));
        let guards = in_order(new.reserved.iter().copied().chain(used));
        let freed: Vec<_> = old.reserved.iter().flat_map(|range| uncovered(*range, &guards)).collect();
        let freed_names = missing_names(&old.ast.reserved, &new.ast.reserved);
        let context = Reserving {
            kind: "message",
            path: &members.path,
            files: Pair::new(old.file, new.file),
            reserved: Pair::new(&old.ast.reserved, &new.ast.reserved),
            new_name: new.ast.name.span,
        };
        for range in freed {
            let text = range_text(range, MAX_FIELD_NUMBER);
            let suggestion = self.own.bodies.reserve_range_in_message(self.schemas.new, new, &text);
            self.reserved_number_removed(&context, &text, suggestion);
        }
        for (name, span) in freed_names {
            let is_used = members.fields.new.iter().any(|field| *field.name == *name);
            let reserve = || self.own.bodies.reserve_in_message(self.schemas.new, new, None, Some(&name));
            let suggestion = (!is_used).then(reserve).flatten();
            self.reserved_name_removed(&context, (&name, span), suggestion);
        }
        let removed = members.fields.old.iter().map(|field| (field.number, field.number));
        let known = in_order(old.reserved.iter().copied().chain(removed));
        let added = new.reserved.iter().flat_map(|range| uncovered(*range, &known));
        let mut added: Vec<String> = added.map(|range| range_text(range, MAX_FIELD_NUMBER)).collect();
        let names: FxHashSet<&str> = members.fields.old.iter().map(|field| &*field.name).collect();
        let new_names = missing_names(&new.ast.reserved, &old.ast.reserved).into_iter().map(|(name, _)| name);
        added.extend(new_names.filter(|name| !names.contains(name.as_str())));
        self.reserved_added(&context, &added);
    }

    fn diff_extension_ranges(&mut self, members: &Members<'s, 'a>) {
        let (old, new) = (self.schemas.old.message(members.types.old), self.schemas.new.message(members.types.new));
        let written = Pair::new(extension_ranges(old.ast), extension_ranges(new.ast));
        let removed: Vec<_> =
            old.extension_ranges.iter().flat_map(|range| uncovered(*range, &new.extension_ranges)).collect();
        for range in removed {
            let reserved = uncovered(range, &new.reserved).is_empty();
            let text = range_text(range, MAX_FIELD_NUMBER);
            let identity = pairing::declaration("extensions", &format!("{} {text}", members.container));
            let span = written_range(&written.old, range).unwrap_or(old.ast.name.span);
            let draft = Draft::new(ChangeKind::ExtensionRangeRemoved, &*members.path, identity)
                .at(Pair::new(self.old_site(old.file, span), self.new_site(new.file, new.ast.name.span)))
                .fact(FactKey::Number, text)
                .fact(FactKey::NumberReserved, yes(reserved));
            self.push(draft);
        }
        let added: Vec<_> =
            new.extension_ranges.iter().flat_map(|range| uncovered(*range, &old.extension_ranges)).collect();
        for range in added {
            let text = range_text(range, MAX_FIELD_NUMBER);
            let identity = pairing::declaration("extensions", &format!("{} {text}", members.container));
            let draft = Draft::new(ChangeKind::ExtensionRangeAdded, &*members.path, identity)
                .at(Pair::new(
                    None,
                    self.new_site(new.file, written_range(&written.new, range).unwrap_or(new.ast.name.span)),
                ))
                .fact(FactKey::Number, text);
            self.push(draft);
        }
    }

    /// Options, visibility and the file of a message.
    fn diff_message_declaration(&mut self, members: &Members<'s, 'a>) {
        let (old, new) = (self.schemas.old.message(members.types.old), self.schemas.new.message(members.types.new));
        let context = Declared {
            role: "message",
            path: &members.path,
            top_level: new.parent.is_none() && old.parent.is_none(),
            files: Pair::new(old.file, new.file),
            names: Pair::new(old.ast.name.span, new.ast.name.span),
        };
        self.moved(&context);
        if std::ptr::eq(old.ast, new.ast) {
            return;
        }
        self.visibility(&context, Pair::new(old.ast.visibility, new.ast.visibility));
        self.message_set(&context, Pair::new(old, new));
        self.type_options(&context, Pair::new(&old.ast.options, &new.ast.options));
        for (index, oneof) in old.oneofs.iter().enumerate() {
            if let Some(now) = members.oneofs[index].map(|index| new.oneofs[index as usize]) {
                let path = format!("{}.{}", members.path, now.name.text);
                let names = Pair::new(oneof.name.span, now.name.span);
                let context = Declared { role: "oneof", path: &path, names, ..context };
                self.type_options(&context, Pair::new(&oneof.options, &now.options));
            }
        }
    }

    /// Whether the extensions of a message are written as items of a set.
    fn message_set(&mut self, context: &Declared<'_>, messages: Pair<&Message<'_>>) {
        let Pair { old, new } = messages;
        if old.is_message_set == new.is_message_set {
            return;
        }
        // Who expects items takes ordinary fields as well; who expects fields skips items.
        let reads = |reader: &Message<'_>| if reader.is_message_set { Outcome::Safe } else { Outcome::Lossy };
        let word = |message: &Message<'_>| if message.is_message_set { "true" } else { "false" };
        let spans = messages.map(|message| span_of(&message.ast.options, MESSAGE_SET));
        let at = Pair::new(
            self.old_site(context.files.old, spans.old.unwrap_or(context.names.old)),
            self.new_site(context.files.new, spans.new.unwrap_or(context.names.new)),
        );
        let draft = Draft::new(ChangeKind::TypeOptionChanged, context.path, pairing::message_set(&new.full_name))
            .at(at)
            .fact(FactKey::Effect, "message-set")
            .fact(FactKey::Role, context.role)
            .fact(FactKey::Name, MESSAGE_SET)
            .fact(FactKey::OldValue, word(old))
            .fact(FactKey::NewValue, word(new))
            .fact(FactKey::ReadsOld, reads(new).name())
            .fact(FactKey::ReadsNew, reads(old).name());
        self.push(draft);
    }

    /// Everything that has no counterpart.
    pub(super) fn leftovers(&mut self) {
        let schemas = self.schemas;
        let packages = packages_with_messages(schemas.new);
        for (index, old) in schemas.old.messages.iter().enumerate() {
            let parent_gone = old.parent.is_some_and(|parent| !self.declared.has_old(parent));
            // A group goes with its field, and is told there; but an `Any` may hold one too.
            let is_told = old.ast.is_group && !self.own.any_in_reach;
            if self.declared.has_old(message_id(index))
                || parent_gone
                || is_told
                || schemas.old.file(old.file).is_builtin
                || is_everywhere(&old.full_name)
            {
                continue;
            }
            let site = self.old_site(old.file, old.ast.name.span);
            let is_last = !packages.contains(&*schemas.old.file(old.file).package);
            let kind = (ChangeKind::MessageRemoved, "message", old.parent.is_some());
            self.type_removed(kind, &old.full_name, site, is_last);
        }
        for (index, new) in schemas.new.messages.iter().enumerate() {
            let parent_new = new.parent.is_some_and(|parent| !self.declared.has_new(parent));
            let is_group = new.ast.is_group;
            if self.declared.has_new(message_id(index))
                || parent_new
                || is_group
                || schemas.new.file(new.file).is_builtin
            {
                continue;
            }
            let site = self.new_site(new.file, new.ast.name.span);
            self.type_added(ChangeKind::MessageAdded, &new.full_name, site);
        }
        self.leftover_enums();
        self.leftover_files();
    }

    pub(super) fn type_removed(
        &mut self,
        (kind, role, nested): (ChangeKind, &str, bool),
        full_name: &str,
        site: Option<crate::change::Site>,
        is_last: bool,
    ) {
        let draft = Draft::new(kind, full_name, pairing::declaration(role, full_name))
            .at(Pair::new(site, None))
            .fact(FactKey::Nested, yes(nested))
            .fact(FactKey::LastOfPackage, yes(is_last))
            .fact(FactKey::Needed, "no");
        // An `Any` names what it holds, and readers of JSON need the type of that name.
        let is_named_in_data = kind == ChangeKind::MessageRemoved && self.own.any_in_reach;
        let json = if is_named_in_data { Outcome::Fails } else { Outcome::Safe };
        let draft = match kind {
            ChangeKind::MessageRemoved => draft.fact(FactKey::JsonReadsOld, json.name()),
            _ => draft,
        };
        self.push(draft);
    }

    pub(super) fn type_added(&mut self, kind: ChangeKind, full_name: &str, site: Option<crate::change::Site>) {
        let draft = Draft::new(kind, full_name, pairing::declaration("type", full_name)).at(Pair::new(None, site));
        self.push(draft);
    }

    /// Where a type that was removed and one that was added are the same, one rename is said instead of a change of
    /// every reference.
    pub(super) fn settle_renames(&mut self) {
        let mut settled: FxHashSet<Met> = FxHashSet::default();
        for replacement in self.queue.replacements.clone() {
            let is_rename = match replacement {
                Met::Type(types) => !self.is_replaced_message(types),
                Met::Enum(types) => !self.is_replaced_enum(types),
            };
            if is_rename && settled.insert(replacement) {
                self.type_renamed(replacement);
            }
        }
        settle_renames(&mut self.changes, &self.following, |met| settled.contains(met));
    }

    fn type_renamed(&mut self, replacement: Met) {
        let schemas = self.schemas;
        let (kind, names, at, parents) = match replacement {
            Met::Type(Pair { old, new }) => {
                let both = Pair::new(schemas.old.message(old), schemas.new.message(new));
                let names = self.type_names(Pair::new(old, new));
                let places = (names, both.map(|one| one.file), both.map(|one| one.ast.name.span));
                (ChangeKind::MessageRenamed, names, self.renamed_at(places), both.map(|one| one.parent))
            }
            Met::Enum(Pair { old, new }) => {
                let both = Pair::new(schemas.old.enumeration(old), schemas.new.enumeration(new));
                let names = self.enum_names(Pair::new(old, new));
                let places = (names, both.map(|one| one.file), both.map(|one| one.ast.name.span));
                (ChangeKind::EnumRenamed, names, self.renamed_at(places), both.map(|one| one.parent))
            }
        };
        // A nested type follows the rename of its parent.
        let follows = match (parents.old, parents.new) {
            (Some(old), Some(new)) => {
                simple_name(names.old) == simple_name(names.new) && self.queue.has_met(Met::Type(Pair::new(old, new)))
            }
            _ => false,
        };
        if follows {
            return;
        }
        // An `Any` carries the full name of what it holds, and readers of JSON need the type of that name.
        let in_any = match replacement {
            Met::Type(_) if self.own.any_in_reach => Outcome::Fails,
            Met::Type(_) | Met::Enum(_) => Outcome::Safe,
        };
        let identity = pairing::declaration("renamed", &pairing::container(names));
        let draft = Draft::new(kind, names.new, identity)
            .at(at)
            .fact(FactKey::OldName, names.old)
            .fact(FactKey::NewName, names.new)
            .fact(FactKey::Structure, if self.queue.is_changed(replacement) { "differs" } else { "same" })
            .fact(FactKey::JsonReadsOld, in_any.name())
            .fact(FactKey::JsonReadsNew, in_any.name());
        self.push(draft);
    }
}

/// What the comparison of reserved statements needs of a message or an enum.
pub(super) struct Reserving<'x, 'a> {
    pub kind: &'static str,
    pub path: &'x str,
    pub files: Pair<FileId>,
    pub reserved: Pair<&'x [super::super::ast::Reserved<'a>]>,
    pub new_name: crate::change::Span,
}

impl Differ<'_, '_> {
    pub(super) fn reserved_number_removed(
        &mut self,
        context: &Reserving<'_, '_>,
        text: &str,
        suggestion: Option<crate::change::Suggestion>,
    ) {
        let first = context.reserved.old.iter().find(|statement| !statement.ranges.is_empty());
        let old = first.and_then(|statement| self.old_site(context.files.old, statement.span));
        let identity = Identity(format!("reserved:{} {text}", context.path));
        let draft = Draft::new(ChangeKind::ReservedNumberRemoved, context.path, identity)
            .at(Pair::new(old, self.new_site(context.files.new, context.new_name)))
            .fact(FactKey::Role, context.kind)
            .fact(FactKey::Number, text)
            .suggest(suggestion);
        self.push(draft);
    }

    pub(super) fn reserved_name_removed(
        &mut self,
        context: &Reserving<'_, '_>,
        (name, span): (&str, Span),
        suggestion: Option<crate::change::Suggestion>,
    ) {
        let identity = Identity(format!("reserved:{} {name}", context.path));
        let draft = Draft::new(ChangeKind::ReservedNameRemoved, context.path, identity)
            .at(Pair::new(self.old_site(context.files.old, span), self.new_site(context.files.new, context.new_name)))
            .fact(FactKey::Role, context.kind)
            .fact(FactKey::Name, name)
            .suggest(suggestion);
        self.push(draft);
    }

    pub(super) fn reserved_added(&mut self, context: &Reserving<'_, '_>, added: &[String]) {
        if added.is_empty() {
            return;
        }
        let span = context.reserved.new.first().map_or(context.new_name, |statement| statement.span);
        let identity = Identity(format!("reserved:{} +", context.path));
        let draft = Draft::new(ChangeKind::ReservedAdded, context.path, identity)
            .at(Pair::new(None, self.new_site(context.files.new, span)))
            .fact(FactKey::Role, context.kind)
            .fact(FactKey::Name, added.join(", "));
        self.push(draft);
    }
}

/// Reserved names of the first list of statements that the second lacks, each with the statement that it is first in.
pub(super) fn missing_names(
    first: &[super::super::ast::Reserved<'_>],
    second: &[super::super::ast::Reserved<'_>],
) -> Vec<(String, Span)> {
    let names = |statements| -> FxHashSet<&str> {
        let statements: &[super::super::ast::Reserved<'_>] = statements;
        statements.iter().flat_map(|statement| &statement.names).map(|entry| &*entry.name.text).collect()
    };
    let kept = names(second);
    let mut places: FxHashMap<&str, Span> = FxHashMap::default();
    let mut found = Vec::new();
    for statement in first {
        for entry in statement.names.iter().filter(|entry| !kept.contains(&*entry.name.text)) {
            let span = *places.entry(&entry.name.text).or_insert(statement.span);
            found.push((entry.name.text.to_string(), span));
        }
    }
    found
}

fn packages_with_messages<'s>(schema: &'s Schema<'_>) -> FxHashSet<&'s str> {
    let files = schema.files.iter().filter(|file| !file.is_builtin && !file.messages.is_empty());
    files.map(|file| &*file.package).collect()
}

/// Where ranges of extensions are written, by their first number.
fn extension_ranges(message: &ast::Message<'_>) -> Vec<(i64, i64, Span)> {
    let ranges = message.extension_ranges.iter().flat_map(|statement| &statement.ranges);
    let mut ranges: Vec<_> = ranges.map(|range| (range.start, range.end, range.span)).collect();
    ranges.sort_in_order_by_key(|(start, ..)| *start);
    ranges
}

/// Where a range of extensions is written, as far as it begins in one that is.
fn written_range(written: &[(i64, i64, Span)], (start, _): (i32, i32)) -> Option<Span> {
    let behind = written.partition_point(|(from, ..)| *from <= i64::from(start));
    let (_, end, span) = written.get(behind.checked_sub(1)?)?;
    (i64::from(start) <= *end).then_some(*span)
}

/// Whether every runtime brings a message along: a copy of it that goes is told as a file that does.
fn is_everywhere(full_name: &str) -> bool {
    WellKnown::from_full_name(full_name).is_some() || full_name == "google.protobuf.Empty"
}
