//! Tells each change what `buf breaking` makes of it.

use rustc_hash::FxHashMap;

use crate::change::{Change, ChangeKind, FactKey, Identity, Pair, PeerReport, Site, Span};
use crate::formats::frame::peers::{self, Where};
use crate::ordered::InOrder;

use super::super::buf::{Report, Subject, reports};
use super::super::model::Schema;
use super::super::pairing;
use super::state::Differ;

/// The name of the tool in tables of peers.
const TOOL: &str = "buf";

const CPP_STRING_TYPE: &str = "features.(pb.cpp).string_type";
const JAVA_UTF8_VALIDATION: &str = "features.(pb.java).utf8_validation";

/// Names of one number of an enum by which a change is looked for.
const MOST_NAMES: usize = 100;

/// Changes by the names that reports know them by.
struct Index<'c> {
    changes: &'c [Change],
    by_path: FxHashMap<String, Vec<usize>>,
    by_identity: FxHashMap<Identity, Vec<usize>>,
    by_old_name: FxHashMap<String, Vec<usize>>,
    by_import: FxHashMap<String, Vec<usize>>,
    by_container: FxHashMap<String, Vec<usize>>,
}

impl Differ<'_, '_> {
    /// What buf reports goes to the change that causes it, or becomes a change of its own.
    pub(super) fn say_what_buf_says(&mut self) {
        let found = reports(self.schemas);
        if found.is_empty() {
            return;
        }
        let index = Index::of(&self.changes);
        let reports: Vec<_> = found.into_iter().map(|report| self.report(&index, report)).collect();
        peers::tell(&mut self.changes, reports, tell);
    }

    fn report(&self, index: &Index<'_>, report: Report) -> peers::Report<PeerReport> {
        let cause = index.cause(&report);
        let Report { rule, at, subject, message } = report;
        let path = name(&subject);
        let file = at.new.as_ref().map_or("", |site| &*site.file);
        peers::Report {
            cause,
            identity: pairing::declaration("buf", &format!("{path} {file}")),
            path,
            at: Where::of(at.clone()).unwrap_or_else(|| self.somewhere()),
            says: PeerReport { tool: TOOL, id: rule, at, message, direction: None, pointer: None },
        }
    }

    /// Where a report stands that names no file: a package that is gone was in one.
    fn somewhere(&self) -> Where {
        let site = |schema: &Schema<'_>| {
            schema.files.first().map(|file| Site { file: file.path.clone(), span: Span::default() })
        };
        let at = Pair::new(site(self.schemas.old), site(self.schemas.new));
        Where::of(at).expect("what is reported of two sides is declared in a file of one of them")
    }
}

fn tell(change: &mut Change, mut reports: Vec<PeerReport>) {
    reports.sort_in_order();
    reports.dedup();
    let mut ids: Vec<&str> = reports.iter().map(|report| report.id).collect();
    ids.dedup();
    change.facts = std::mem::take(&mut change.facts).with(FactKey::PeerReports, ids.join(" "));
    change.reports = reports;
}

/// The name of what a declaration is nested in, if it is.
fn parent(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(outer, _)| outer)
}

/// What a subject is called in reports of ours.
fn name(subject: &Subject) -> String {
    match subject {
        Subject::Package(name) if name.is_empty() => "(no package)".to_owned(),
        Subject::File(name) | Subject::Declared(name) | Subject::Package(name) => name.clone(),
        Subject::Entries { message, field } => format!("{message}.{field}"),
        Subject::Field { message, names, is_extension, number, .. } => {
            match names.new.as_ref().or(names.old.as_ref()) {
                Some(name) if *is_extension => name.clone(),
                Some(name) => format!("{message}.{name}"),
                None => format!("{message}.{number}"),
            }
        }
        Subject::EnumValue { of, names, number } => match names.first() {
            Some(name) => format!("{of}.{name}"),
            None => format!("{of}.{number}"),
        },
        Subject::Oneof(message, name) => format!("{message}.{name}"),
        Subject::Method(service, name) => format!("{service}.{name}()"),
    }
}

impl<'c> Index<'c> {
    fn of(changes: &'c [Change]) -> Self {
        let mut index = Index {
            changes,
            by_path: FxHashMap::default(),
            by_identity: FxHashMap::default(),
            by_old_name: FxHashMap::default(),
            by_import: FxHashMap::default(),
            by_container: FxHashMap::default(),
        };
        for (at, change) in changes.iter().enumerate() {
            index.by_path.entry(change.path.clone()).or_default().push(at);
            index.by_identity.entry(change.identity.clone()).or_default().push(at);
            if let Some(name) = change.facts.get(FactKey::Container) {
                index.by_container.entry(name.to_owned()).or_default().push(at);
            }
            if let Some(import) = change.facts.get(FactKey::Name).filter(|_| is_import_removed(change)) {
                index.by_import.entry(import.to_owned()).or_default().push(at);
            }
            if let Some(name) = change.facts.get(FactKey::OldName) {
                index.by_old_name.entry(name.to_owned()).or_default().push(at);
            }
        }
        index
    }

    /// The innermost change that a report follows from, in the file at which the report points.
    fn cause(&self, report: &Report) -> Option<usize> {
        let wanted = causes(report.rule);
        let rank = |at: &usize| wanted.iter().position(|kind| *kind == self.changes[*at].kind);
        self.places(&report.subject)
            .into_iter()
            .find_map(|place| {
                let fitting = place.into_iter().filter(|at| {
                    rank(at).is_some()
                        && is_about(&self.changes[*at], report)
                        && is_meant(&self.changes[*at], report.rule)
                });
                fitting.min_by_key(|at| (rank(at), *at))
            })
            .or_else(|| self.cause_in_file(report))
    }

    /// Changes that may be meant, from the element outwards.
    fn places(&self, subject: &Subject) -> Vec<Vec<usize>> {
        let path = |path: &str| self.by_path.get(path).cloned().unwrap_or_default();
        let old = |name: &str| self.by_old_name.get(name).cloned().unwrap_or_default();
        let in_message = |places: Vec<usize>, message: &str| -> Vec<usize> {
            places.into_iter().filter(|at| parent(&self.changes[*at].path) == Some(message)).collect()
        };
        match subject {
            Subject::File(file) => vec![path(file)],
            Subject::Package(_) => Vec::new(),
            Subject::Declared(name) => {
                let outer = std::iter::successors(parent(name), |name| parent(name));
                let inside = self.by_container.get(name).cloned().unwrap_or_default();
                let outer = outer.flat_map(|name| [path(name), old(name)]);
                [path(name), old(name), inside].into_iter().chain(outer).collect()
            }
            Subject::Entries { message, field } => {
                let own = pairing::declaration("entries", field);
                let named = self.by_old_name.get(field).into_iter().flatten();
                vec![
                    path(&format!("{message}.{field}")),
                    named.copied().collect(),
                    self.identified(&own),
                    path(message),
                ]
            }
            Subject::Field { message, number, names, elsewhere, is_extension } => {
                let full = |name: &String| if *is_extension { name.clone() } else { format!("{message}.{name}") };
                let mut own = self.identified(&pairing::by_number(message, *number));
                let names = [&names.new, &names.old];
                own.extend(names.into_iter().flatten().flat_map(|name| path(&full(name))));
                let elsewhere = elsewhere.iter().flat_map(|name| path(name)).collect();
                vec![own, elsewhere, path(message)]
            }
            Subject::EnumValue { of, number, names } => {
                let number = i32::try_from(*number).unwrap_or_default();
                let mut own = self.identified(&pairing::by_number(of, number));
                // A number with very many names is known by itself.
                let asked = if own.is_empty() { names.len() } else { MOST_NAMES };
                own.extend(names.iter().take(asked).flat_map(|name| path(&format!("{of}.{name}"))));
                vec![own, path(of)]
            }
            Subject::Oneof(message, name) => {
                vec![path(&format!("{message}.{name}")), in_message(old(name), message), path(message)]
            }
            Subject::Method(service, name) => vec![path(&format!("{service}.{name}()")), path(service)],
        }
    }

    fn identified(&self, identity: &Identity) -> Vec<usize> {
        self.by_identity.get(identity).cloned().unwrap_or_default()
    }

    /// A statement of the whole file decides over everything in it.
    fn cause_in_file(&self, report: &Report) -> Option<usize> {
        let file = &report.at.new.as_ref().or(report.at.old.as_ref())?.file;
        if report.at.new.is_none()
            && let Some(import) = self.by_import.get(&**file).and_then(|imports| imports.first())
        {
            // A file that only imports brought along.
            return Some(*import);
        }
        let of_file = self.by_path.get(&**file)?;
        let decides = |at: &&usize| match self.changes[**at].kind {
            ChangeKind::SyntaxChanged => follows_from_syntax(report.rule),
            ChangeKind::PackageChanged | ChangeKind::FileRemoved => follows_from_package(report.rule),
            ChangeKind::FileOptionChanged => {
                let has = |name| has_name(&self.changes[**at], name);
                match report.rule {
                    "FIELD_SAME_JAVA_UTF8_VALIDATION" => has("java_string_check_utf8") || has(JAVA_UTF8_VALIDATION),
                    "FIELD_SAME_CPP_STRING_TYPE" => has(CPP_STRING_TYPE),
                    _ => false,
                }
            }
            _ => false,
        };
        of_file.iter().find(decides).copied()
    }
}

/// Whether a change stands where a report points; a report that names no file may stand anywhere.
fn is_about(change: &Change, report: &Report) -> bool {
    let file = |site: &Option<Site>| site.as_ref().map(|site| site.file.clone());
    match file(&report.at.new) {
        Some(path) => file(&change.at.new).as_ref() == Some(&path) || file(&change.at.old).as_ref() == Some(&path),
        None => true,
    }
}

fn is_import_removed(change: &Change) -> bool {
    change.kind == ChangeKind::ImportChanged && change.facts.get(FactKey::NewValue) == Some("none")
}

fn has_name(change: &Change, name: &str) -> bool {
    change.facts.get(FactKey::Name) == Some(name)
}

/// Of several changes of one kind at one place, whether this one is meant: the option, the role.
fn is_meant(change: &Change, rule: &str) -> bool {
    let role = change.facts.get(FactKey::Role);
    match (change.kind, rule) {
        (ChangeKind::FileOptionChanged, _) => {
            rule.strip_prefix("FILE_SAME_").is_some_and(|option| has_name(change, &option.to_ascii_lowercase()))
        }
        (ChangeKind::FieldOptionChanged, "FIELD_SAME_JSTYPE") => has_name(change, "jstype"),
        (ChangeKind::FieldOptionChanged, "FIELD_SAME_CPP_STRING_TYPE") => {
            has_name(change, "ctype") || has_name(change, CPP_STRING_TYPE)
        }
        (ChangeKind::FieldOptionChanged, "FIELD_SAME_JAVA_UTF8_VALIDATION") => has_name(change, JAVA_UTF8_VALIDATION),
        (ChangeKind::FieldOptionChanged, _) => false,
        (
            ChangeKind::FieldAdded | ChangeKind::EnumValueAdded,
            "RESERVED_ENUM_NO_DELETE" | "RESERVED_MESSAGE_NO_DELETE",
        ) => change.facts.get(FactKey::NumberWas) == Some("reserved"),
        (
            ChangeKind::FieldRenumbered | ChangeKind::EnumValueRenumbered,
            "RESERVED_ENUM_NO_DELETE" | "RESERVED_MESSAGE_NO_DELETE",
        ) => change.facts.get(FactKey::NumberWas) == Some("reserved"),
        (ChangeKind::TypeOptionChanged, _) => has_name(change, "no_standard_descriptor_accessor"),
        (_, "RPC_SAME_REQUEST_TYPE" | "RPC_SAME_CLIENT_STREAMING") => role.is_none_or(|role| role == "request"),
        (_, "RPC_SAME_RESPONSE_TYPE" | "RPC_SAME_SERVER_STREAMING") => role.is_none_or(|role| role == "response"),
        _ => true,
    }
}

/// What an edition alone decides.
fn follows_from_syntax(rule: &str) -> bool {
    matches!(
        rule,
        "ENUM_SAME_TYPE"
            | "ENUM_SAME_JSON_FORMAT"
            | "MESSAGE_SAME_JSON_FORMAT"
            | "FIELD_SAME_CARDINALITY"
            | "FIELD_SAME_CPP_STRING_TYPE"
            | "FIELD_SAME_JAVA_UTF8_VALIDATION"
            | "FIELD_SAME_UTF8_VALIDATION"
            | "MESSAGE_SAME_REQUIRED_FIELDS"
    )
}

/// What the package of a file decides, and whether the file is there.
fn follows_from_package(rule: &str) -> bool {
    rule.starts_with("PACKAGE_")
}

/// Which kinds of changes a rule fires for, the likeliest first.
fn causes(rule: &str) -> &'static [ChangeKind] {
    use ChangeKind::*;
    match rule {
        "FILE_NO_DELETE" => &[FileRemoved],
        "FILE_SAME_PACKAGE" => &[PackageChanged],
        "FILE_SAME_SYNTAX" => &[SyntaxChanged],
        "ENUM_NO_DELETE" | "PACKAGE_ENUM_NO_DELETE" => {
            &[EnumRemoved, EnumRenamed, TypeMoved, MessageRemoved, MessageRenamed]
        }
        "MESSAGE_NO_DELETE" | "PACKAGE_MESSAGE_NO_DELETE" => &[
            MessageRemoved,
            MessageRenamed,
            TypeMoved,
            FieldRemoved,
            FieldCardinalityChanged,
            FieldTypeChanged,
            FieldReused,
            FieldRenamed,
        ],
        "SERVICE_NO_DELETE" | "PACKAGE_SERVICE_NO_DELETE" => &[ServiceRemoved, ServiceRenamed, TypeMoved],
        "EXTENSION_NO_DELETE" | "PACKAGE_EXTENSION_NO_DELETE" => {
            &[FieldRemoved, FieldRenamed, FieldReused, FieldRenumbered, ExtensionMoved, MessageRemoved, MessageRenamed]
        }
        "EXTENSION_MESSAGE_NO_DELETE" => &[ExtensionRangeRemoved],
        "ENUM_SAME_TYPE" => &[EnumOpennessChanged],
        "ENUM_SAME_JSON_FORMAT" | "MESSAGE_SAME_JSON_FORMAT" => &[],
        "ENUM_VALUE_SAME_NAME" => &[EnumValueRenamed, EnumAliasChanged, EnumValueRenumbered],
        "RESERVED_ENUM_NO_DELETE" | "RESERVED_MESSAGE_NO_DELETE" => &[
            ReservedNumberRemoved,
            ReservedNameRemoved,
            FieldAdded,
            FieldRenumbered,
            EnumValueAdded,
            EnumValueRenumbered,
        ],
        "MESSAGE_NO_REMOVE_STANDARD_DESCRIPTOR_ACCESSOR" => &[TypeOptionChanged],
        "ONEOF_NO_DELETE" => &[OneofRemoved, OneofRenamed],
        "RPC_NO_DELETE" => &[MethodRemoved],
        "RPC_SAME_CLIENT_STREAMING" | "RPC_SAME_SERVER_STREAMING" => &[MethodStreamingChanged],
        "RPC_SAME_IDEMPOTENCY_LEVEL" => &[MethodIdempotencyChanged],
        "RPC_SAME_REQUEST_TYPE" | "RPC_SAME_RESPONSE_TYPE" => &[MethodTypeChanged, MessageRenamed],
        "MESSAGE_SAME_REQUIRED_FIELDS" => &[FieldRequiredChanged, FieldAdded, FieldRemoved, FieldRenumbered],
        rule if rule.starts_with("ENUM_VALUE_NO_DELETE") => &[EnumValueRemoved, EnumValueRenumbered],
        rule if rule.starts_with("FIELD_NO_DELETE") => &[FieldRemoved, FieldRenumbered],
        rule if rule.starts_with("FILE_SAME_") => &[FileOptionChanged],
        rule => field_causes(rule),
    }
}

fn field_causes(rule: &str) -> &'static [ChangeKind] {
    use ChangeKind::*;
    match rule {
        "FIELD_SAME_NAME" => &[FieldRenamed, FieldReused, FieldRenumbered],
        "FIELD_SAME_JSON_NAME" => &[FieldJsonNameChanged, FieldRenamed, FieldReused, FieldRenumbered],
        "FIELD_SAME_ONEOF" => &[FieldOneofChanged, OneofRenamed, OneofRemoved, OneofAdded, FieldRenumbered],
        "FIELD_SAME_DEFAULT" => &[
            FieldDefaultChanged,
            EnumDefaultChanged,
            EnumValueRenumbered,
            FieldTypeChanged,
            FieldReused,
            FieldRenumbered,
        ],
        "FIELD_SAME_UTF8_VALIDATION" => &[FieldUtf8Changed],
        "FIELD_SAME_JAVA_UTF8_VALIDATION" => &[FieldUtf8Changed, FieldOptionChanged],
        "FIELD_SAME_CPP_STRING_TYPE" | "FIELD_SAME_JSTYPE" => &[FieldOptionChanged],
        rule if rule.ends_with("_CARDINALITY") => &[
            FieldCardinalityChanged,
            FieldRequiredChanged,
            FieldPresenceChanged,
            FieldOneofChanged,
            FieldTypeChanged,
            FieldReused,
            FieldRenumbered,
        ],
        _ => &[
            FieldTypeChanged,
            FieldReused,
            FieldCardinalityChanged,
            FieldRenamed,
            MessageRenamed,
            EnumRenamed,
            FieldRenumbered,
        ],
    }
}
