//! What `thrift --audit` (Apache Thrift 0.25) fails on.
//!
//! The audit compares the top programs of two sides and never what they include. Declarations meet by simple name,
//! fields in the order of their ids, types by the name that is written, typedefs not looked through. Only failures are
//! modelled: its warnings do not change its exit code. It is blind in some points (typedefs, included files, exceptions
//! that were added) and strict in others (any new id below an existing one), so it has its own implementation.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Pair;
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::peers::{self, Where};
use crate::ordered::InOrder;

use super::model::{Field, FileId, Requiredness, Schema, Service, Sort, SourceFile, Spelled, StructId};

/// Something the audit fails on.
pub(super) type Failure = peers::Failure<Subject>;

/// What a failure is about.
#[derive(Debug)]
pub(super) enum Subject {
    /// A type that has gone, by its full name.
    Type(String),
    /// A service that has gone, by its full name.
    Service(String),
    /// The parent of a service, by the new full name.
    Extends(String),
    /// A function that has gone: new full name of its service, name.
    Function(String, String),
    /// Whether a function is oneway: the same.
    Oneway(String, String),
    /// A field with its id.
    Field(Pair<StructId>, i16),
    /// A number of an enum: the full names of the enum, the number.
    EnumValue(Pair<String>, i32),
}

const FUNCTION_MISSING: &str = "function-missing";
const SERVICE_MISSING: &str = "service-missing";
const SERVICE_EXTENDS_CHANGED: &str = "service-extends-changed";
const ONEWAY_CHANGED: &str = "oneway-changed";
const RETURN_TYPE_CHANGED: &str = "return-type-changed";
const STRUCT_MISSING: &str = "struct-missing";
const FIELD_REMOVED: &str = "field-removed";
const REQUIRED_FIELD_ADDED: &str = "required-field-added";
const FIELD_ADDED_IN_THE_MIDDLE: &str = "field-added-in-the-middle";
const FIELD_TYPE_CHANGED: &str = "field-type-changed";
const REQUIREDNESS_CHANGED: &str = "requiredness-changed";
const ENUM_VALUE_MISSING: &str = "enum-value-missing";

/// Everything the audit fails on.
pub(super) fn audit(schemas: Pair<&Schema<'_>>) -> Vec<Failure> {
    let mut audit = Audit { schemas, failures: Vec::new() };
    for programs in top_programs(schemas) {
        audit.enums(programs);
        audit.structs(programs, |sort| matches!(sort, Sort::Struct | Sort::Union));
        audit.structs(programs, |sort| sort == Sort::Exception);
        audit.services(programs);
    }
    audit.failures
}

/// The files that no other file includes: those of one path on both sides, and the only ones whatever their paths.
fn top_programs(schemas: Pair<&Schema<'_>>) -> Vec<Pair<FileId>> {
    let tops = schemas.map(|schema| {
        let files = || schema.files.iter().zip((0..).map(FileId)).filter(|(file, _)| !file.is_library);
        let of_others = |(file, of): (&SourceFile<'_>, FileId)| {
            file.includes.iter().filter_map(|include| include.file).filter(|id| *id != of).collect::<Vec<FileId>>()
        };
        let included: FxHashSet<FileId> = files().flat_map(of_others).collect();
        let tops = files().map(|(_, id)| id).filter(|id| !included.contains(id));
        tops.collect::<Vec<FileId>>()
    });
    // Of a version of which a part was not looked at nobody knows which are the only ones.
    let are_whole = schemas.old.is_whole && schemas.new.is_whole;
    if let (&[old], &[new], true) = (&tops.old[..], &tops.new[..], are_whole) {
        return vec![Pair::new(old, new)];
    }
    let by_path = first(schemas.new.files.iter().zip((0..).map(FileId)).map(|(file, id)| (&*file.path, id)));
    let same = |old: &FileId| Some(Pair::new(*old, *by_path.get(&*schemas.old.file(*old).path)?));
    tops.old.iter().filter_map(same).collect()
}

struct Audit<'s, 'b> {
    schemas: Pair<&'s Schema<'b>>,
    failures: Vec<Failure>,
}

/// What stands first under each name.
fn first<'n, T>(all: impl Iterator<Item = (&'n str, T)>) -> FxHashMap<&'n str, T> {
    let mut named = FxHashMap::default();
    for (name, one) in all {
        named.entry(name).or_insert(one);
    }
    named
}

fn simple(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}

impl<'s, 'b> Audit<'s, 'b> {
    fn fail(&mut self, check: &'static str, subject: Subject, at: Where) {
        self.failures.push(Failure { check, subject, at });
    }

    fn enums(&mut self, programs: Pair<FileId>) {
        let Pair { old, new } = self.schemas;
        let afters = new.enums.iter().filter(|one| one.file == programs.new);
        let afters = first(afters.map(|one| (simple(&one.full_name), one)));
        for before in old.enums.iter().filter(|one| one.file == programs.old) {
            let Some(after) = afters.get(simple(&before.full_name)).copied() else { continue };
            for value in &before.values {
                if after.numbered(value.number).next().is_none() {
                    let names = Pair::new(before.full_name.to_string(), after.full_name.to_string());
                    let sites = Pair::new(old.site(before.file, value.span), new.name_site(after));
                    let at = Where::Both(sites);
                    self.fail(ENUM_VALUE_MISSING, Subject::EnumValue(names, value.number), at);
                }
            }
        }
    }

    fn structs(&mut self, programs: Pair<FileId>, is_meant: fn(Sort) -> bool) {
        let Pair { old, new } = self.schemas;
        let afters = new.structs.iter().zip((0..).map(StructId));
        let afters = afters.filter(|(one, _)| one.file == programs.new && is_meant(one.sort));
        let afters = first(afters.map(|(one, id)| (simple(&one.full_name), id)));
        for (before, id) in old.structs.iter().zip((0..).map(StructId)) {
            if before.file != programs.old || !is_meant(before.sort) {
                continue;
            }
            match afters.get(simple(&before.full_name)) {
                Some(now) => self.fields(Pair::new(id, *now)),
                None => {
                    let at = Where::Old(old.name_site(before));
                    self.fail(STRUCT_MISSING, Subject::Type(before.full_name.to_string()), at);
                }
            }
        }
    }

    /// Walks both lists of fields in the order of their ids.
    fn fields(&mut self, types: Pair<StructId>) {
        let structs = Pair::new(self.schemas.old.structure(types.old), self.schemas.new.structure(types.new));
        let sorted = structs.map(|one| {
            let mut fields: Vec<&Field<'_>> = one.fields.iter().filter(|field| field.id != 0).collect();
            fields.sort_in_order_by_key(|field| field.id);
            fields
        });
        let (mut olds, mut news) = (sorted.old.into_iter().peekable(), sorted.new.into_iter().peekable());
        loop {
            match (olds.peek().copied(), news.peek().copied()) {
                (None, None) => return,
                (Some(old), Some(new)) if old.id == new.id => {
                    self.field(types, Pair::new(old, new));
                    olds.next();
                    news.next();
                }
                (Some(old), Some(new)) if new.id < old.id => {
                    self.field_fails(FIELD_ADDED_IN_THE_MIDDLE, types, Pair::new(None, Some(new)));
                    news.next();
                }
                (Some(old), _) => {
                    self.field_fails(FIELD_REMOVED, types, Pair::new(Some(old), None));
                    olds.next();
                }
                (None, Some(new)) => {
                    if is_required(new) {
                        self.field_fails(REQUIRED_FIELD_ADDED, types, Pair::new(None, Some(new)));
                    }
                    news.next();
                }
            }
        }
    }

    fn field(&mut self, types: Pair<StructId>, fields: Pair<&Field<'_>>) {
        let Pair { old, new } = fields;
        if named(&old.written) != named(&new.written) {
            self.field_fails(FIELD_TYPE_CHANGED, types, Pair::new(Some(old), Some(new)));
        }
        if is_required(old) != is_required(new) {
            self.field_fails(REQUIREDNESS_CHANGED, types, Pair::new(Some(old), Some(new)));
        }
    }

    fn field_fails(&mut self, check: &'static str, types: Pair<StructId>, fields: Pair<Option<&Field<'_>>>) {
        let Pair { old, new } = self.schemas;
        let at = Where::of(Pair::new(
            fields.old.map(|field| old.site(old.structure(types.old).file, field.span)),
            fields.new.map(|field| new.site(new.structure(types.new).file, field.span)),
        ));
        let (Some(id), Some(at)) = (fields.new.or(fields.old).map(|field| field.id), at) else { return };
        self.fail(check, Subject::Field(types, id), at);
    }

    fn services(&mut self, programs: Pair<FileId>) {
        let Pair { old, new } = self.schemas;
        let afters = new.services.iter().filter(|one| one.file == programs.new);
        let afters = first(afters.map(|one| (simple(&one.full_name), one)));
        for before in old.services.iter().filter(|one| one.file == programs.old) {
            let before_at = old.name_site(before);
            let Some(after) = afters.get(simple(&before.full_name)).copied() else {
                let subject = Subject::Service(before.full_name.to_string());
                self.fail(SERVICE_MISSING, subject, Where::Old(before_at));
                continue;
            };
            let after_at = new.name_site(after);
            let parents = Pair::new(before, after).map(|one| one.extends.as_ref().map(|(name, _)| simple(&name.text)));
            if parents.old.is_some() && parents.old != parents.new {
                let subject = Subject::Extends(after.full_name.to_string());
                self.fail(SERVICE_EXTENDS_CHANGED, subject, Where::Both(Pair::new(before_at, after_at)));
            }
            self.functions(Pair::new(before, after));
        }
    }

    fn functions(&mut self, services: Pair<&'s Service<'b>>) {
        let Pair { old, new } = self.schemas;
        let afters = first(services.new.functions.iter().map(|one| (&*one.name.text, one)));
        for before in &services.old.functions {
            let before_at = old.site(services.old.file, before.span);
            let name = before.name.text.to_string();
            let of = services.new.full_name.to_string();
            let Some(after) = afters.get(&*before.name.text).copied() else {
                self.fail(FUNCTION_MISSING, Subject::Function(of, name), Where::Old(before_at));
                continue;
            };
            let at = Where::Both(Pair::new(before_at, new.site(services.new.file, after.span)));
            if before.is_oneway != after.is_oneway {
                self.fail(ONEWAY_CHANGED, Subject::Oneway(of, name), at.clone());
            }
            let results = Pair::new(before.result, after.result);
            if named(&before.returns_written) != named(&after.returns_written) {
                self.fail(RETURN_TYPE_CHANGED, Subject::Field(results, 0), at);
            }
            self.fields(Pair::new(before.arguments, after.arguments));
            self.fields(results);
        }
    }
}

fn is_required(field: &Field<'_>) -> bool {
    field.requiredness == Requiredness::Required
}

/// A type as the audit names it: simple names, and `byte` and `binary` by the names of the types that they are.
fn named(written: &Spelled<'_>) -> String {
    let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    let mut name = String::new();
    let mut rest = &*written.text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|letter| !is_of_name(letter)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end.max(first.len_utf8()));
        name.push_str(match word {
            "byte" => "i8",
            "binary" => "string",
            word => simple(word),
        });
        rest = after;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::FactKey;
    use crate::formats::check::CheckOptions;
    use crate::formats::frame::check;
    use crate::formats::table_tests::{assert_table, told};
    use crate::formats::thrift::Thrift;
    use crate::snapshot::Snapshot;

    #[test]
    fn the_audit_fails_where_the_table_says() {
        assert_table("formats/thrift/audit_tests.jsonl", "t.thrift", told::<Thrift>);
    }

    #[test]
    fn only_programs_that_no_other_includes_are_audited() {
        let side = |count: &str| {
            let inner = format!("struct A {{ 1: {count} a }}");
            Snapshot::from_files([("inner.thrift", inner.as_bytes()), ("t.thrift", b"include \"inner.thrift\"")])
        };
        let checked = check::<Thrift>(Pair::new(&side("i32"), &side("i64")), &CheckOptions::default());
        assert_eq!(checked.changes.len(), 1);
        assert_eq!(checked.changes[0].facts.get(FactKey::PeerReports), None);
    }
}
