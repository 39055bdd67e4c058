//! What is Protobuf's of the state of a comparison: how messages and enums meet, and what methods carry.

use std::cell::OnceCell;
use std::sync::Arc;

use crate::change::{FactKey, Pair, Site, Span};
use crate::evidence::Outcome;
use crate::formats::frame::differ::{self, Draft};
use crate::formats::frame::{self, comparison};

use super::super::fix::Bodies;
use super::super::model::{EnumId, Field, File, FileId, MessageId, Schema};
use super::super::pairing::{Call, Pairs};
use super::super::ranges::ReservedNames;
use super::super::uses::Uses;

/// What changed, and what was compared with what.
pub(super) type Diff = frame::Diff<Pairs>;

/// Two types that meet in a field, a map or a method.
pub(super) type Met = differ::Met<MessageId, EnumId>;

/// How two types meet that a field or a method names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meeting {
    /// They have one name.
    Same,
    /// The one was renamed to the other.
    Renamed(Met),
    /// The one took the place of the other.
    Replaced(Met),
}

/// The state of one comparison.
pub(super) type Differ<'s, 'a> = comparison::Differ<'s, Schema<'a>, Own<'a>>;

/// What is Protobuf's of it.
pub(super) struct Own<'a> {
    /// Methods of which a message was replaced.
    pub(super) calls: Vec<Call>,
    pub(super) any_in_reach: bool,
    /// Which fields hold which enum.
    uses: OnceCell<Uses>,
    /// The names that the statements reserve which were looked at last.
    pub(super) reserved: ReservedNames<'a>,
    /// Where what is suggested was put last.
    pub(super) bodies: Bodies,
}

impl<'a> Own<'a> {
    pub(super) fn new(schemas: Pair<&Schema<'_>>) -> Self {
        // What only one side holds, the other reads as data of a field that it lacks.
        let any_in_reach = schemas.old.holds_any() && schemas.new.holds_any();
        Own {
            calls: Vec::new(),
            any_in_reach,
            uses: OnceCell::new(),
            reserved: ReservedNames::default(),
            bodies: Bodies::default(),
        }
    }
}

impl<'s, 'a> Differ<'s, 'a> {
    /// Asks for two messages to be compared, once, unless the one took the place of the other.
    pub(super) fn pair_messages(&mut self, types: Pair<MessageId>) -> Meeting {
        if self.is_replaced_message(types) && !self.declared.has(types) {
            return Meeting::Replaced(Met::Type(types));
        }
        let names = self.type_names(types);
        if names.old == names.new && !self.is_compared(types) {
            return Meeting::Same;
        }
        self.queue.meet(Met::Type(types), self.type_names(types)).map_or(Meeting::Same, Meeting::Renamed)
    }

    /// Asks for two enums to be compared, once, unless the one took the place of the other.
    pub(super) fn pair_enums(&mut self, types: Pair<EnumId>) -> Meeting {
        if self.is_replaced_enum(types) && !self.declared_enums.has(types) {
            return Meeting::Replaced(Met::Enum(types));
        }
        self.queue.meet(Met::Enum(types), self.enum_names(types)).map_or(Meeting::Same, Meeting::Renamed)
    }

    /// Whether both messages have members and share none, by number or by name.
    pub(super) fn are_disjoint(&self, types: Pair<MessageId>) -> bool {
        let old: Vec<_> = self.schemas.old.all_fields(types.old).collect();
        let new: Vec<_> = self.schemas.new.all_fields(types.new).collect();
        let is_shared = |field: &Field<'_>| {
            new.iter().any(|other| {
                other.number == field.number || other.name == field.name && other.is_extension == field.is_extension
            })
        };
        !old.is_empty() && !new.is_empty() && !old.iter().any(|field| is_shared(field))
    }

    pub(super) fn uses(&self) -> &Uses {
        self.own.uses.get_or_init(|| Uses::of(self.schemas, self.queue.met_types()))
    }

    /// Whether the new type merely took the old one's place: one of the two names exists on both sides, or one of the
    /// two continues as another, or no member of the one is in the other, so that no number of the one was ever a number
    /// of the other.
    pub(super) fn is_replaced_message(&self, types: Pair<MessageId>) -> bool {
        let names = self.type_names(types);
        let files = Pair::new(self.schemas.old.message(types.old).file, self.schemas.new.message(types.new).file);
        names.old != names.new
            && (self.is_any_builtin(files)
                || self.are_likelier_others(types, members)
                || self.schemas.new.messages_by_name.contains_key(names.old)
                || self.schemas.old.messages_by_name.contains_key(names.new)
                || self.are_disjoint(types))
    }

    pub(super) fn is_replaced_enum(&self, types: Pair<EnumId>) -> bool {
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

    pub(super) fn old_site(&self, file: FileId, span: Span) -> Option<Site> {
        Some(Site { file: self.schemas.old.file(file).path.clone(), span })
    }

    pub(super) fn new_site(&self, file: FileId, span: Span) -> Option<Site> {
        Some(Site { file: self.schemas.new.file(file).path.clone(), span })
    }

    /// Whether a file of the new side, which something moved to, had its package before: then nobody edited that.
    fn is_old_package(&self, file: &File<'_>) -> bool {
        self.schemas.old.files.iter().any(|old| old.package == file.package && old.path == file.path)
    }

    /// Where a declaration stands that has another full name: by its own name, or, where nothing but the package of its
    /// file is another, at the `package` statements, since these are what was edited.
    pub(super) fn renamed_at(&self, (full_names, files, names): Renamed<'_>) -> Pair<Option<Site>> {
        let both = Pair::new(self.schemas.old.file(files.old), self.schemas.new.file(files.new));
        let is_packages = both.old.package != both.new.package
            && within(full_names.old, &both.old.package) == within(full_names.new, &both.new.package)
            && (both.old.path == both.new.path || !self.is_old_package(both.new));
        let span = |file: &File<'_>, name: Span| match &file.ast.package {
            Some(_) if is_packages => file.ast.package_span,
            Some(_) | None => name,
        };
        Pair::new(
            self.old_site(files.old, span(both.old, names.old)),
            self.new_site(files.new, span(both.new, names.new)),
        )
    }
}

/// What the two readers see of each other's data, per surface: `old` is what is seen of old data.
pub(super) struct Reads {
    pub(super) wire: Pair<Outcome>,
    pub(super) json: Pair<Outcome>,
}

impl Reads {
    pub(super) fn state(&self, draft: Draft) -> Draft {
        draft
            .fact(FactKey::ReadsOld, self.wire.old.name())
            .fact(FactKey::ReadsNew, self.wire.new.name())
            .fact(FactKey::JsonReadsOld, self.json.old.name())
            .fact(FactKey::JsonReadsNew, self.json.new.name())
    }
}

/// A name as a map key that tells extensions from ordinary fields.
pub(super) type FieldName<'n> = (bool, &'n str);

/// File paths compared as names.
pub(super) type Path = Arc<str>;

/// A declaration on both sides: its full names, its files, and where its name stands.
pub(super) type Renamed<'n> = (Pair<&'n str>, Pair<FileId>, Pair<Span>);

/// A full name without the package.
pub(super) fn within<'n>(full_name: &'n str, package: &str) -> &'n str {
    full_name.strip_prefix(package).map_or(full_name, |rest| rest.trim_start_matches('.'))
}

/// What a message holds, whatever its types are.
pub(super) fn members(schema: &Schema<'_>, id: MessageId) -> Vec<String> {
    schema.all_fields(id).map(|field| format!("{} {}", field.number, field.name)).collect()
}
