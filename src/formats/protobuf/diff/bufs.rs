//! Tells each change what `buf breaking` makes of it.

use std::sync::Arc;

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

/// Changes of one place that are looked through anew for each report, at most.
const FEW: usize = 16;

/// Changes by the names that reports know them by.
struct Index<'c> {
    changes: &'c [Change],
    by_path: FxHashMap<String, Vec<usize>>,
    by_identity: FxHashMap<Identity, Vec<usize>>,
    by_old_name: FxHashMap<String, Vec<usize>>,
    /// By what an old name is a member of, and the name.
    by_old_member: FxHashMap<String, Vec<usize>>,
    by_import: FxHashMap<String, Vec<usize>>,
    by_container: FxHashMap<String, Vec<usize>>,
    /// What was found among the many changes of one list: how likely it is, and which change.
    found: FxHashMap<Sought, Option<(usize, usize)>>,
    /// The change of a whole file that decides, by where the list of its changes is, and the rule.
    decided: FxHashMap<(usize, &'static str), Option<usize>>,
}

/// What is looked for in a list: where the list is, the rule and the file.
type Sought = (usize, &'static str, Option<Arc<str>>);

/// A place at which the cause of a report may be: the changes there, in lists of the index.
type Place<'i> = Vec<&'i [usize]>;

impl Differ<'_, '_> {
    /// What buf reports goes to the change that causes it, or becomes a change of its own.
    pub(super) fn say_what_buf_says(&mut self) {
        let found = reports(self.schemas);
        if found.is_empty() {
            return;
        }
        let mut index = Index::of(&self.changes);
        let reports: Vec<_> = found.into_iter().map(|report| self.report(&mut index, report)).collect();
        peers::tell(&mut self.changes, reports, tell);
    }

    fn report(&self, index: &mut Index<'_>, report: Report) -> peers::Report<PeerReport> {
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
            by_old_member: FxHashMap::default(),
            by_import: FxHashMap::default(),
            by_container: FxHashMap::default(),
            found: FxHashMap::default(),
            decided: FxHashMap::default(),
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
                if let Some(outer) = parent(&change.path) {
                    index.by_old_member.entry(format!("{outer}.{name}")).or_default().push(at);
                }
            }
        }
        index
    }

    /// The innermost change that a report follows from, in the file at which the report points.
    fn cause(&mut self, report: &Report) -> Option<usize> {
        let wanted = causes(report.rule);
        let Index { changes, .. } = *self;
        let mut found = std::mem::take(&mut self.found);
        let best = |list: &[usize]| {
            let ranked = list.iter().filter_map(|at| {
                let change = &changes[*at];
                let rank = wanted.iter().position(|kind| *kind == change.kind)?;
                (is_about(change, report) && is_meant(change, report.rule)).then_some((rank, *at))
            });
            ranked.min()
        };
        let file = report.at.new.as_ref().map(|site| &site.file);
        let mut best_of = |list: &[usize]| match list.len() {
            0..=FEW => best(list),
            // One list after the other is asked about by as many reports as it has changes.
            _ => *found.entry((list.as_ptr() as usize, report.rule, file.cloned())).or_insert_with(|| best(list)),
        };
        let places = self.places(&report.subject);
        let cause = places.iter().find_map(|place| place.iter().filter_map(|list| best_of(list)).min());
        self.found = found;
        cause.map(|(_, at)| at).or_else(|| self.cause_in_file(report))
    }

    /// Changes that may be meant, from the element outwards.
    fn places(&self, subject: &Subject) -> Vec<Place<'_>> {
        let path = |path: &str| listed(&self.by_path, path);
        let old = |name: &str| listed(&self.by_old_name, name);
        match subject {
            Subject::File(file) => vec![vec![path(file)]],
            Subject::Package(_) => Vec::new(),
            Subject::Declared(name) => {
                let outer = std::iter::successors(parent(name), |name| parent(name));
                let inside = listed(&self.by_container, name);
                let outer = outer.flat_map(|name| [path(name), old(name)]);
                [path(name), old(name), inside].into_iter().chain(outer).map(|list| vec![list]).collect()
            }
            Subject::Entries { message, field } => {
                let own = pairing::declaration("entries", field);
                let lists = [path(&format!("{message}.{field}")), old(field), self.identified(&own), path(message)];
                lists.into_iter().map(|list| vec![list]).collect()
            }
            Subject::Field { message, number, names, elsewhere, is_extension } => {
                let full = |name: &String| if *is_extension { name.clone() } else { format!("{message}.{name}") };
                let mut own = vec![self.identified(&pairing::by_number(message, *number))];
                let names = [&names.new, &names.old];
                own.extend(names.into_iter().flatten().map(|name| path(&full(name))));
                let elsewhere = elsewhere.iter().map(|name| path(name)).collect();
                vec![own, elsewhere, vec![path(message)]]
            }
            Subject::EnumValue { of, number, names } => {
                let number = i32::try_from(*number).unwrap_or_default();
                let identified = self.identified(&pairing::by_number(of, number));
                // A number with very many names is known by itself.
                let asked = if identified.is_empty() { names.len() } else { MOST_NAMES };
                let named = names.iter().take(asked).map(|name| path(&format!("{of}.{name}")));
                vec![[identified].into_iter().chain(named).collect(), vec![path(of)]]
            }
            Subject::Oneof(message, name) => {
                let full = format!("{message}.{name}");
                [path(&full), listed(&self.by_old_member, &full), path(message)].map(|list| vec![list]).into()
            }
            Subject::Method(service, name) => {
                vec![vec![path(&format!("{service}.{name}()"))], vec![path(service)]]
            }
        }
    }

    fn identified(&self, identity: &Identity) -> &[usize] {
        self.by_identity.get(identity).map_or(&[], Vec::as_slice)
    }

    /// A statement of the whole file decides over everything in it.
    fn cause_in_file(&mut self, report: &Report) -> Option<usize> {
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
        let key = (of_file.as_ptr() as usize, report.rule);
        *self.decided.entry(key).or_insert_with(|| of_file.iter().find(decides).copied())
    }
}

/// Changes that are known by a name.
fn listed<'i>(lists: &'i FxHashMap<String, Vec<usize>>, name: &str) -> &'i [usize] {
    lists.get(name).map_or(&[], Vec::as_slice)
}

/// Whether a change stands where a report points; a report that names no file may stand anywhere.
fn is_about(change: &Change, report: &Report) -> bool {
    let Some(wanted) = &report.at.new else { return true };
    [&change.at.new, &change.at.old].into_iter().flatten().any(|site| site.file == wanted.file)
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
