//! The linked model against the real protoc: equal on everything protoc accepts, refusing what protoc refuses.
//!
//! The compiler comes with a development dependency. Where it cannot run, these tests say so loudly and pass.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use buffa::Message as _;
use buffa_descriptor::features::{self, FieldPresence, ResolvedFeatures, Utf8Validation};
use buffa_descriptor::generated::descriptor::field_descriptor_proto::{Label, Type};
use buffa_descriptor::generated::descriptor::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
};
use buffa_descriptor::{DescriptorPool, FieldDescriptor};

use crate::support::{files_below, folders_in, root, skip};
use wireproof::change::Pair;
use wireproof::evidence::{Direction, Outcome, Surface};
use wireproof::formats::protobuf::model::{Cardinality, Constant, Enum, Field, Kind, Message, Presence, Schema};
use wireproof::formats::protobuf::with_schema;
use wireproof::formats::{CheckOptions, Format};
use wireproof::report::Evidence;
use wireproof::source::Snapshot;
use wireproof::syntax::problem::Problem;
use wireproof::verdict::Policy;

/// The real compiler, if it can run here.
pub(crate) fn protoc() -> Option<PathBuf> {
    let path = protoc_bin_vendored::protoc_bin_path().ok();
    let runs =
        path.filter(|path| Command::new(path).arg("--version").output().is_ok_and(|output| output.status.success()));
    if runs.is_none() {
        skip("protoc", "the model beside the compiler, which cannot run on this machine");
    }
    runs
}

/// Runs protoc on all files of a folder. Well-known imports come from the compiler's own folder.
fn compile(protoc: &Path, folder: &Path, files: &BTreeMap<String, Vec<u8>>, set: &Path) -> Output {
    let include = protoc_bin_vendored::include_path().expect("the crate that carries protoc carries its includes");
    let mut command = Command::new(protoc);
    command.current_dir(folder).arg("-I").arg(".").arg("-I").arg(include);
    command.arg("--include_imports").arg("-o").arg(set).args(files.keys());
    command.output().expect("it ran a moment ago")
}

fn write(folder: &Path, files: &BTreeMap<String, Vec<u8>>) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("the folder is ours");
        fs::write(path, text).expect("the folder is ours");
    }
}

fn snapshot(files: &BTreeMap<String, Vec<u8>>) -> Snapshot {
    Snapshot::from_files(files.iter().map(|(path, text)| (path.as_str(), text.clone())))
}

fn errors(problems: &[Problem]) -> Vec<String> {
    let errors = problems.iter().filter(|problem| problem.is_error());
    errors
        .map(|problem| {
            let file = problem.site.as_ref().map_or("", |site| &site.file);
            format!("{file}: {}", problem.message)
        })
        .collect()
}

fn proto_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for path in files_below(folder) {
        if path.extension().is_some_and(|end| end == "proto") {
            let name =
                path.strip_prefix(folder).expect("it was listed below the folder").to_string_lossy().replace('\\', "/");
            files.insert(name, fs::read(&path).expect("it was listed a moment ago"));
        }
    }
    files
}

#[test]
fn the_linked_model_equals_the_descriptors_of_protoc() {
    let Some(protoc) = protoc() else { return };
    let samples = root().join("tests/data/protobuf/valid");
    let differences = differences(&protoc, &proto_files(&samples)).expect("protoc accepts every sample");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn fixtures_mean_to_us_what_they_mean_to_protoc() {
    let Some(protoc) = protoc() else { return };
    let mut wrong = Vec::new();
    for fixture in folders_in(&root().join("fixtures/protobuf")) {
        for side in ["old", "new"] {
            let files = proto_files(&fixture.join(side));
            if files.is_empty() {
                continue;
            }
            let place = format!("{}/{side}", fixture.file_name().unwrap_or_default().to_string_lossy());
            match differences(&protoc, &files) {
                Ok(found) => wrong.extend(found.into_iter().map(|line| format!("{place}: {line}"))),
                // Files of several builds may declare one name.
                Err(refusal) if refusal.contains("is already defined in file") => {}
                Err(refusal) => {
                    let told =
                        with_schema(&snapshot(&files), &CheckOptions::default(), |_, problems| !problems.is_empty());
                    if !told {
                        wrong.push(format!("{place}: protoc says {refusal}, we say nothing"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What differs between our model and protoc's descriptors; an error when protoc refuses the files.
fn differences(protoc: &Path, files: &BTreeMap<String, Vec<u8>>) -> Result<Vec<String>, String> {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    write(folder.path(), files);
    let set = folder.path().join("set.pb");
    let output = compile(protoc, folder.path(), files, &set);
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let set =
        FileDescriptorSet::decode_from_slice(&fs::read(set).expect("protoc wrote it")).expect("protoc wrote a set");
    let expected = described_by_protoc(set, files);
    let found = with_schema(&snapshot(files), &CheckOptions::default(), |schema, problems| {
        let mut lines: BTreeSet<String> = described_by_us(schema);
        lines.extend(errors(problems).into_iter().map(|error| format!("refused: {error}")));
        lines
    });
    let missing = expected.difference(&found).map(|line| format!("- protoc: {line}"));
    let extra = found.difference(&expected).map(|line| format!("+ we:     {line}"));
    Ok(missing.chain(extra).collect())
}

/// Describes descriptors in lines.
struct Describer {
    pool: DescriptorPool,
    lines: BTreeSet<String>,
}

fn described_by_protoc(set: FileDescriptorSet, files: &BTreeMap<String, Vec<u8>>) -> BTreeSet<String> {
    let pool = DescriptorPool::new(set.clone()).expect("the pool takes what protoc wrote");
    let mut describer = Describer { pool, lines: BTreeSet::new() };
    for file in set.file.iter().filter(|file| files.contains_key(file.name.as_deref().unwrap_or_default())) {
        describer.file(file);
    }
    describer.lines
}

fn join(scope: &str, name: Option<&str>) -> String {
    let name = name.unwrap_or_default();
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}

impl Describer {
    fn file(&mut self, file: &FileDescriptorProto) {
        let package = file.package.clone().unwrap_or_default();
        let resolved = features::for_file(file);
        self.lines.insert(format!("file {} package {package}", file.name.as_deref().unwrap_or_default()));
        for message in &file.message_type {
            self.message(message, &package, &resolved);
        }
        for item in &file.enum_type {
            self.enumeration(item, &package);
        }
        for field in &file.extension {
            self.extension(field, &package, &resolved);
        }
        for service in &file.service {
            let name = join(&package, service.name.as_deref());
            for method in &service.method {
                self.lines.insert(format!(
                    "method {name}.{} {}{} -> {}{}",
                    method.name.as_deref().unwrap_or_default(),
                    if method.client_streaming == Some(true) { "stream " } else { "" },
                    method.input_type.as_deref().unwrap_or_default(),
                    if method.server_streaming == Some(true) { "stream " } else { "" },
                    method.output_type.as_deref().unwrap_or_default(),
                ));
            }
        }
    }

    fn message(&mut self, message: &DescriptorProto, scope: &str, outer: &ResolvedFeatures) {
        let full_name = join(scope, message.name.as_deref());
        let resolved = features::resolve_child(outer, features::message_features(message));
        let options = message.options.as_option();
        let mut reserved: Vec<(i32, i32)> =
            message.reserved_range.iter().map(|range| (range.start.unwrap_or(0), range.end.unwrap_or(0) - 1)).collect();
        let mut ranges: Vec<(i32, i32)> = message
            .extension_range
            .iter()
            .map(|range| (range.start.unwrap_or(0), range.end.unwrap_or(0) - 1))
            .collect();
        reserved.sort_unstable();
        ranges.sort_unstable();
        let is_set = options.is_some_and(|options| options.message_set_wire_format == Some(true));
        self.lines.insert(format!(
            "message {full_name} reserved {reserved:?} {:?} extensions {ranges:?} set {is_set}",
            message.reserved_name
        ));
        let entries: BTreeMap<String, &DescriptorProto> = message
            .nested_type
            .iter()
            .filter(|inner| inner.options.as_option().is_some_and(|options| options.map_entry == Some(true)))
            .map(|inner| (format!(".{}", join(&full_name, inner.name.as_deref())), inner))
            .collect();
        for field in &message.field {
            let oneof = field.oneof_index.filter(|_| field.proto3_optional != Some(true));
            let oneof = oneof.and_then(|index| message.oneof_decl.get(index as usize));
            let oneof_features = oneof.map(|oneof| features::resolve_child(&resolved, features::oneof_features(oneof)));
            let linked = self
                .pool
                .message_by_name(&full_name)
                .and_then(|linked| linked.field(field.number.unwrap_or(0).unsigned_abs()))
                .cloned();
            let entry = field.type_name.as_ref().and_then(|name| entries.get(name));
            let oneof_name = oneof.and_then(|oneof| oneof.name.as_deref());
            let line = described(field, entry.copied(), oneof_features.as_ref().unwrap_or(&resolved), linked.as_ref());
            self.lines.insert(format!(
                "field {full_name}.{line} oneof {oneof_name:?} json {}",
                field.json_name.as_deref().unwrap_or_default()
            ));
        }
        for inner in message
            .nested_type
            .iter()
            .filter(|inner| !entries.contains_key(&format!(".{}", join(&full_name, inner.name.as_deref()))))
        {
            self.message(inner, &full_name, &resolved);
        }
        for item in &message.enum_type {
            self.enumeration(item, &full_name);
        }
        for field in &message.extension {
            self.extension(field, &full_name, &resolved);
        }
    }

    fn enumeration(&mut self, item: &EnumDescriptorProto, scope: &str) {
        let full_name = join(scope, item.name.as_deref());
        let closed =
            self.pool.enum_by_name(&full_name).is_some_and(|linked| format!("{:?}", linked.enum_type()) == "Closed");
        let values: Vec<(&str, i32)> = item
            .value
            .iter()
            .map(|value| (value.name.as_deref().unwrap_or_default(), value.number.unwrap_or(0)))
            .collect();
        let mut reserved: Vec<(i32, i32)> =
            item.reserved_range.iter().map(|range| (range.start.unwrap_or(0), range.end.unwrap_or(0))).collect();
        reserved.sort_unstable();
        self.lines.insert(format!(
            "enum {full_name} closed {closed} {values:?} reserved {reserved:?} {:?}",
            item.reserved_name
        ));
    }

    fn extension(&mut self, field: &FieldDescriptorProto, scope: &str, resolved: &ResolvedFeatures) {
        let full_name = join(scope, field.name.as_deref());
        let linked = self.pool.extension_by_name(&full_name).map(|linked| linked.field().clone());
        let line = described(field, None, resolved, linked.as_ref());
        let extendee = field.extendee.as_deref().unwrap_or_default();
        let scope = if scope.is_empty() { String::new() } else { format!("{scope}.") };
        self.lines.insert(format!("extension {scope}{line} of {extendee}"));
    }
}

/// One field as a line: name, number, type, cardinality, presence, packed, delimited, UTF-8, default.
fn described(
    field: &FieldDescriptorProto,
    entry: Option<&DescriptorProto>,
    outer: &ResolvedFeatures,
    linked: Option<&FieldDescriptor>,
) -> String {
    let resolved = features::resolve_child(outer, features::field_features(field));
    let of = |field: &FieldDescriptorProto| (type_text(field), field.r#type == Some(Type::TYPE_STRING));
    let parts = entry.map(|entry| (of(&entry.field[0]), of(&entry.field[1])));
    let is_repeated = field.label == Some(Label::LABEL_REPEATED);
    let (ty, is_text) = match &parts {
        Some((key, value)) => (format!("map<{}, {}>", key.0, value.0), key.1 || value.1),
        None if is_repeated => (format!("repeated {}", type_text(field)), of(field).1),
        None => of(field),
    };
    let presence = linked.map_or("unknown", |linked| match linked.presence() {
        _ if is_repeated => "Implicit",
        FieldPresence::Explicit => "Explicit",
        // Extensions always track presence; the pool looks at the feature alone.
        FieldPresence::Implicit if field.extendee.is_some() => "Explicit",
        FieldPresence::Implicit => "Implicit",
        FieldPresence::LegacyRequired => "Required",
        _ => "unknown",
    });
    let packed = linked.is_some_and(FieldDescriptor::is_packed);
    let delimited = entry.is_none() && linked.is_some_and(FieldDescriptor::is_delimited);
    let utf8 = is_text && resolved.utf8_validation == Utf8Validation::Verify;
    let default = field.default_value.as_deref().map(|text| default_text(field, text));
    format!(
        "{} = {} {ty} {presence} packed {packed} delimited {delimited} utf8 {utf8} default {default:?}",
        field.name.as_deref().unwrap_or_default(),
        field.number.unwrap_or(0),
    )
}

fn type_text(field: &FieldDescriptorProto) -> String {
    match (&field.type_name, field.r#type) {
        (Some(name), _) => name.clone(),
        (None, Some(ty)) => format!("{ty:?}").trim_start_matches("TYPE_").to_ascii_lowercase(),
        (None, None) => String::new(),
    }
}

fn default_text(field: &FieldDescriptorProto, text: &str) -> String {
    match field.r#type {
        Some(Type::TYPE_FLOAT) => format!("{:?}", f64::from(text.parse::<f32>().expect("protoc writes numbers"))),
        Some(Type::TYPE_DOUBLE) => format!("{:?}", text.parse::<f64>().expect("protoc writes numbers")),
        Some(Type::TYPE_STRING) => format!("{:?}", text.as_bytes()),
        Some(Type::TYPE_BYTES) => format!("{:?}", unescaped(text)),
        _ => text.to_owned(),
    }
}

fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = text.bytes();
    let mut result = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            result.push(byte);
            continue;
        }
        result.push(match bytes.next().expect("an escape is never the last") {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            digit @ b'0'..=b'7' => {
                let rest =
                    [bytes.next(), bytes.next()].map(|digit| digit.expect("octal escapes have three digits") - b'0');
                (digit - b'0') * 64 + rest[0] * 8 + rest[1]
            }
            other => other,
        });
    }
    result
}

fn described_by_us(schema: &Schema<'_>) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for file in schema.files.iter().filter(|file| !file.is_builtin) {
        lines.insert(format!("file {} package {}", file.path, file.package));
    }
    let judged = |file| !schema.file(file).is_builtin;
    for message in schema.messages.iter().filter(|message| judged(message.file)) {
        our_message(schema, message, &mut lines);
    }
    for item in schema.enums.iter().filter(|item| judged(item.file)) {
        lines.insert(our_enum(item));
    }
    for field in schema.extensions.iter().filter(|field| judged(field.file)) {
        let extendee = field.extendee.map_or("", |id| &schema.message(id).full_name);
        lines.insert(format!("extension {} of .{extendee}", our_field(schema, field)));
    }
    for service in schema.services.iter().filter(|service| judged(service.file)) {
        for method in &service.methods {
            let name = |id: Option<_>| id.map_or("", |id| &schema.message(id).full_name);
            lines.insert(format!(
                "method {}.{} {}.{} -> {}.{}",
                service.full_name,
                method.ast.name.text,
                if method.ast.client_streaming.is_some() { "stream " } else { "" },
                name(method.input),
                if method.ast.server_streaming.is_some() { "stream " } else { "" },
                name(method.output),
            ));
        }
    }
    lines
}

fn our_message(schema: &Schema<'_>, message: &Message<'_>, lines: &mut BTreeSet<String>) {
    let names = message.ast.reserved.iter().flat_map(|statement| &statement.names);
    let names: Vec<&str> = names.map(|reserved| reserved.name.text.as_ref()).collect();
    lines.insert(format!(
        "message {} reserved {:?} {names:?} extensions {:?} set {}",
        message.full_name, message.reserved, message.extension_ranges, message.is_message_set
    ));
    for field in &message.fields {
        let oneof = field.oneof.map(|index| message.oneofs[index as usize].name.text.as_ref());
        lines.insert(format!(
            "field {}.{} oneof {oneof:?} json {}",
            message.full_name,
            our_field(schema, field),
            field.json_name
        ));
    }
}

fn our_enum(item: &Enum<'_>) -> String {
    let values: Vec<(&str, i64)> =
        item.ast.values.iter().map(|value| (value.name.text.as_ref(), value.number)).collect();
    let names = item.ast.reserved.iter().flat_map(|statement| &statement.names);
    let names: Vec<&str> = names.map(|reserved| reserved.name.text.as_ref()).collect();
    format!("enum {} closed {} {values:?} reserved {:?} {names:?}", item.full_name, item.is_closed, item.reserved)
}

fn our_field(schema: &Schema<'_>, field: &Field<'_>) -> String {
    let kind = |kind: Kind| match kind {
        Kind::Message(id) => format!(".{}", schema.message(id).full_name),
        Kind::Enum(id) => format!(".{}", schema.enumeration(id).full_name),
        other => other.keyword().unwrap_or("opaque").to_owned(),
    };
    let ty = match field.cardinality {
        Cardinality::Singular => kind(field.kind),
        Cardinality::Repeated => format!("repeated {}", kind(field.kind)),
        Cardinality::Map { key } => format!("map<{}, {}>", kind(key), kind(field.kind)),
    };
    let presence = match field.presence {
        Presence::Explicit => "Explicit",
        Presence::Implicit => "Implicit",
        Presence::Required => "Required",
    };
    let default = field.default.as_ref().map(|default| our_default(schema, field, default));
    format!(
        "{} = {} {ty} {presence} packed {} delimited {} utf8 {} default {default:?}",
        field.name, field.number, field.packed, field.delimited, field.utf8
    )
}

fn our_default(schema: &Schema<'_>, field: &Field<'_>, default: &Constant) -> String {
    match default {
        Constant::Bool(value) => value.to_string(),
        Constant::Int(value) => value.to_string(),
        Constant::Float(value) => format!("{value:?}"),
        Constant::Bytes(value) => format!("{value:?}"),
        Constant::Enum(number) => {
            let Kind::Enum(id) = field.kind else { return String::new() };
            let values = &schema.enumeration(id).ast.values;
            let value = values.iter().find(|value| value.number == i64::from(*number));
            value.map_or_else(String::new, |value| value.name.text.to_string())
        }
    }
}

/// One case of a table: name and files.
struct Case {
    name: String,
    files: BTreeMap<String, Vec<u8>>,
}

/// The cases of a table: `=== name`, then the text of `main.proto`; `--- path` starts a further file.
fn cases(table: &str) -> Vec<Case> {
    let text = fs::read_to_string(root().join("tests/data/protobuf").join(table)).expect("the table is committed");
    let mut cases: Vec<Case> = Vec::new();
    let mut file = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            file = "main.proto".to_owned();
            cases.push(Case { name: name.to_owned(), files: BTreeMap::from([(file.clone(), Vec::new())]) });
        } else if let Some(case) = cases.last_mut() {
            match line.strip_prefix("--- ") {
                Some(path) => file = path.to_owned(),
                None => case.files.entry(file.clone()).or_default().extend([line.as_bytes(), b"\n"].concat()),
            }
        }
    }
    cases
}

/// The cases of the table of options, and whether protoc accepts each.
fn option_cases() -> Vec<(Case, bool)> {
    let text = fs::read_to_string(root().join("tests/data/protobuf/options.txt")).expect("the table is committed");
    let (lines, imported) = text.split_once("--- o.proto\n").expect("the imported file stands at the end");
    let mut cases = Vec::new();
    for line in lines.lines() {
        let Some((mark @ ("+" | "-"), option)) = line.split_once(' ') else { continue };
        let main = format!("syntax = \"proto2\"; import \"o.proto\"; {option}\n");
        let files = BTreeMap::from([
            ("main.proto".to_owned(), main.into_bytes()),
            ("o.proto".to_owned(), imported.as_bytes().to_vec()),
        ]);
        cases.push((Case { name: option.to_owned(), files }, mark == "+"));
    }
    cases
}

fn our_errors(case: &Case) -> Vec<String> {
    with_schema(&snapshot(&case.files), &CheckOptions::default(), |_, problems| errors(problems))
}

#[test]
fn what_protoc_refuses_is_refused() {
    let accepted = cases("refused.txt").into_iter().filter(|case| our_errors(case).is_empty());
    let accepted: Vec<String> = accepted.map(|case| case.name).collect();
    assert!(accepted.is_empty(), "not refused:\n{}", accepted.join("\n"));
}

#[test]
fn what_protoc_accepts_is_accepted() {
    let refused = cases("accepted.txt").into_iter().map(|case| (our_errors(&case), case.name));
    let refused: Vec<String> = refused
        .filter(|(errors, _)| !errors.is_empty())
        .map(|(errors, name)| format!("{name}: {}", errors.join("; ")))
        .collect();
    assert!(refused.is_empty(), "refused:\n{}", refused.join("\n"));
}

#[test]
fn options_are_accepted_as_protoc_accepts_them() {
    let wrong = option_cases().into_iter().filter(|(case, accepts)| our_errors(case).is_empty() != *accepts);
    let wrong: Vec<String> = wrong
        .map(|(case, accepts)| format!("{}: protoc {}", case.name, if accepts { "accepts" } else { "refuses" }))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_refusal_names_a_place_and_a_remedy() {
    let mut poor = Vec::new();
    for case in cases("refused.txt") {
        with_schema(&snapshot(&case.files), &CheckOptions::default(), |_, problems| {
            for problem in problems {
                let is_placed = problem.site.as_ref().is_some_and(|site| {
                    case.files.get(site.file.as_ref()).is_some_and(|text| site.span.range().end <= text.len())
                });
                if !is_placed || problem.help.is_empty() || problem.message.ends_with('.') {
                    poor.push(format!("{}: {} / {}", case.name, problem.message, problem.help));
                }
            }
        });
    }
    assert!(poor.is_empty(), "{}", poor.join("\n"));
}

#[test]
fn the_tables_say_what_protoc_says() {
    let Some(protoc) = protoc() else { return };
    let refused = cases("refused.txt").into_iter().map(|case| (case, false));
    let accepted = cases("accepted.txt").into_iter().map(|case| (case, true));
    let all: Vec<(Case, bool)> = refused.chain(accepted).chain(option_cases()).collect();
    let wrong: Vec<String> = all
        .iter()
        .filter(|(case, expected)| {
            let folder = tempfile::tempdir().expect("there is room for temporary files");
            write(folder.path(), &case.files);
            compile(&protoc, folder.path(), &case.files, &folder.path().join("set.pb")).status.success() != *expected
        })
        .map(|(case, expected)| format!("{}: protoc {}", case.name, if *expected { "refuses" } else { "accepts" }))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Bytes, names and files are all that it takes to see what a witness shows.
#[test]
fn witnesses_of_fixtures_are_read_by_protoc() {
    let Some(protoc) = protoc() else { return };
    let mut wrong = Vec::new();
    let mut read = 0;
    for folder in folders_in(&root().join("fixtures/protobuf")) {
        let files = ["old", "new"].map(|side| proto_files(&folder.join(side)));
        let is_valid = |files: &BTreeMap<String, Vec<u8>>| differences(&protoc, files).is_ok();
        if !files.iter().all(is_valid) {
            continue;
        }
        let sides = Pair::new(snapshot(&files[0]), snapshot(&files[1]));
        let report = crate::support::report(Format::Protobuf, sides.as_ref(), &Policy::default());
        for evidence in report.findings.iter().flat_map(|finding| &finding.evidence) {
            if evidence.surface != Surface::Wire || evidence.runtime != "spec" || evidence.writer.is_empty() {
                continue;
            }
            let is_backward = evidence.direction == Direction::Backward;
            let roles = if is_backward { [&files[0], &files[1]] } else { [&files[1], &files[0]] };
            let written = decoded(&protoc, roles[0], &evidence.writer, evidence);
            let seen = decoded(&protoc, roles[1], &evidence.reader, evidence);
            read += 1;
            if !written || seen == (evidence.outcome == Outcome::Fails) {
                wrong.push(format!("{}: {evidence:?}", folder.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(read > 50, "only {read} witnesses were read");
}

/// Whether protoc reads the bytes of a witness as a message of that name.
fn decoded(protoc: &Path, files: &BTreeMap<String, Vec<u8>>, name: &str, evidence: &Evidence) -> bool {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    write(folder.path(), files);
    let imports: String = files.keys().map(|path| format!("import \"{path}\";\n")).collect();
    let wrapper = evidence.wrapper.replace("TYPE", &format!(".{name}"));
    let text = format!("syntax = \"proto2\";\npackage replay;\n{imports}{wrapper}\n");
    fs::write(folder.path().join("replay.proto"), text).expect("the folder is ours");
    let name = if wrapper.is_empty() { name } else { "replay.Wrapper" };
    let include = protoc_bin_vendored::include_path().expect("the crate that carries protoc carries its includes");
    let mut command = Command::new(protoc);
    command.current_dir(folder.path()).arg("-I.").arg("-I").arg(include);
    command.arg(format!("--decode={name}")).arg("replay.proto");
    let bytes: Vec<u8> = (0..evidence.bytes.len() / 2)
        .map(|at| u8::from_str_radix(&evidence.bytes[2 * at..2 * at + 2], 16).expect("bytes are hexadecimal"))
        .collect();
    let process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut process = process.expect("it ran a moment ago");
    process.stdin.take().expect("it listens").write_all(&bytes).expect("it listens");
    let output = process.wait_with_output().expect("it ends");
    output.status.success() && !String::from_utf8_lossy(&output.stderr).contains("missing required")
}
