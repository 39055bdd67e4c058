//! Ids of findings last: one finding of each rule is pinned, and no edit elsewhere changes any.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::compared::REPORTED;
use crate::support::{Case, as_many, examples, report, root, updating};
use wireproof::change::{ChangeKind, Pair};
use wireproof::fingerprint::identifying;
use wireproof::formats::Format;
use wireproof::report::Report;
use wireproof::rules::{POLICY, RuleSet};
use wireproof::source::Snapshot;
use wireproof::verdict::{Mode, Policy};
use wireproof::vocabulary::ProblemSeverity;

/// The finding of a rule in the first example on which it fires.
fn pinned() -> BTreeMap<String, String> {
    let rules = RuleSet::built_in().iter().filter(|rule| rule.format() != POLICY);
    let first = |rule: &wireproof::rules::Rule| {
        let fires = rule.examples.iter().map(|example| example.fires);
        let case = examples(rule).into_iter().zip(fires).find_map(|(case, fires)| fires.then_some(case))?;
        let report = case.report_with_roots(&Policy::default());
        let finding = report.findings.into_iter().find(|finding| finding.rule == rule.id)?;
        Some((rule.id.clone(), format!("{} {}", finding.id, finding.path)))
    };
    rules.filter_map(first).collect()
}

/// An id that changes voids waivers and alerts of everybody, so it fails here even with `UPDATE=1`: that only adds new
/// rules and drops those that are gone. Whoever means it gives `fingerprint::VERSION` a new number and removes the file, or, where
/// ids of some kinds did not tell apart what is not the same, the lines of these.
#[test]
fn the_id_of_one_finding_of_each_rule_is_pinned() {
    let path = root().join("tests/data/ids.txt");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let known: BTreeMap<&str, &str> = text.lines().filter_map(|line| line.split_once(' ')).collect();
    let found = pinned();
    let changed: Vec<String> = known
        .iter()
        .filter_map(|(rule, known)| Some((rule, known, found.get(*rule)?)))
        .filter(|(_, known, now)| *known != now)
        .map(|(rule, known, now)| format!("{rule}: {known} is now {now}"))
        .collect();
    assert!(changed.is_empty(), "ids changed:\n{}", changed.join("\n"));
    let lines: String = found.iter().map(|(rule, id)| format!("{rule} {id}\n")).collect();
    if updating() {
        fs::write(&path, lines).expect("the file can be written");
    } else {
        assert_eq!(text, lines, "rules came or went: UPDATE=1 cargo test --test it ids");
    }
}

/// What is told of the elements that a file declares, whatever else there is: their ids.
fn ids(report: &Report) -> BTreeSet<&str> {
    report.findings.iter().map(|finding| finding.id.as_str()).collect()
}

/// The names of the types that both sides declare at the top of a file, with the file. Read as text, so that the test
/// does not lean on what it tests.
fn declared(case: &Case) -> Vec<(String, String)> {
    let of = |side: &Snapshot| -> BTreeSet<(String, String)> {
        let files = side.iter().filter_map(|(path, file)| Some((path, std::str::from_utf8(&file.bytes).ok()?)));
        files
            .flat_map(|(path, text)| names(case.format, text).into_iter().map(|name| (path.to_string(), name)))
            .collect()
    };
    let (old, new) = (of(&case.sides.old), of(&case.sides.new));
    old.intersection(&new).cloned().collect()
}

fn names(format: Format, text: &str) -> Vec<String> {
    let word = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || "_.".contains(*c)).collect::<String>();
    let after = |keyword: &str| -> Vec<String> {
        text.lines().filter_map(|line| line.strip_prefix(keyword)).map(|rest| word(rest.trim_start())).collect()
    };
    let qualified = |keyword: &str, package: &str| -> Vec<String> {
        let package = after(package).into_iter().next();
        let full = |name: String| package.as_ref().map_or_else(|| name.clone(), |package| format!("{package}.{name}"));
        after(keyword).into_iter().map(full).collect()
    };
    match format {
        Format::Protobuf => qualified("message ", "package "),
        Format::Flatbuffers => qualified("table ", "namespace "),
        Format::Thrift | Format::Capnp => after("struct "),
        // The document itself.
        Format::JsonSchema => vec!["#".to_owned()],
        Format::Avro => {
            let of_key = |key: &str| {
                let (_, rest) = text.split_once(&format!("\"{key}\""))?;
                let (_, rest) = rest.split_once('"')?;
                Some(word(rest))
            };
            let is_one_record = text.trim_start().starts_with('{') && text.contains("\"record\"");
            let name = of_key("name").filter(|_| is_one_record);
            let namespace = of_key("namespace");
            let full = |name: String| match (&namespace, name.contains('.')) {
                (Some(namespace), false) => format!("{namespace}.{name}"),
                _ => name,
            };
            name.into_iter().map(full).collect()
        }
    }
}

/// A file that uses types of another one and is in nobody's way.
fn user_of(format: Format, file: &str, types: &[&str]) -> (String, String) {
    let fields = |line: &dyn Fn(usize, &str) -> String| -> String {
        types.iter().enumerate().map(|(at, name)| line(at + 1, name)).collect()
    };
    match format {
        Format::Protobuf => {
            let fields = fields(&|at, name| format!("  .{name} f{at} = {at};\n"));
            let any = "import \"google/protobuf/any.proto\";\n";
            let head = format!("syntax = \"proto3\";\npackage unrelated;\nimport \"{file}\";\n{any}");
            let body = format!("message User {{\n{fields}  google.protobuf.Any held = 1000;\n}}\n");
            ("unrelated/user.proto".to_owned(), head + &body)
        }
        Format::Flatbuffers => {
            let fields = fields(&|at, name| format!("  f{at}:{name};\n"));
            let text = format!("include \"{file}\";\nnamespace unrelated;\ntable User {{\n{fields}}}\n");
            ("unrelated_user.fbs".to_owned(), text)
        }
        Format::Thrift => {
            let program = file.rsplit_once('/').map_or(file, |(_, name)| name).trim_end_matches(".thrift");
            let fields = fields(&|at, name| format!("  {at}: optional {program}.{name} f{at}\n"));
            ("unrelated_user.thrift".to_owned(), format!("include \"{file}\"\nstruct User {{\n{fields}}}\n"))
        }
        Format::Capnp => {
            let fields = fields(&|at, name| format!("  f{at} @{} :Used.{name};\n", at - 1));
            let head = format!("@0xfedcba9876543210;\nusing Used = import \"{file}\";\n");
            ("unrelated_user.capnp".to_owned(), format!("{head}struct User {{\n{fields}}}\n"))
        }
        Format::JsonSchema => {
            let field = |at: usize, name: &str| format!("\"f{at}\": {{\"$ref\": \"{file}{name}\"}}");
            let fields: Vec<String> = types.iter().enumerate().map(|(at, name)| field(at, name)).collect();
            let text = format!("{{\"type\": \"object\", \"properties\": {{{}}}}}", fields.join(", "));
            ("unrelated_user.schema.json".to_owned(), text)
        }
        Format::Avro => {
            let field = |at, name: &str| format!("{{\"name\": \"f{at}\", \"type\": [\"null\", \"{name}\"]}}");
            let fields: Vec<String> = types.iter().enumerate().map(|(at, name)| field(at, name)).collect();
            let fields = fields.join(", ");
            let text = format!("{{\"type\": \"record\", \"name\": \"unrelated.User\", \"fields\": [{fields}]}}");
            ("unrelated/user.avsc".to_owned(), text)
        }
    }
}

fn with(side: &Snapshot, more: &(String, String)) -> Snapshot {
    let files = side.iter().map(|(path, file)| (path.to_string(), file.bytes.to_vec()));
    Snapshot::from_files(files.chain([(more.0.clone(), more.1.clone().into_bytes())]).collect::<Vec<_>>())
}

/// Files elsewhere, on both sides alike: with the users of each file's types, moved, edited.
fn situations(case: &Case) -> Vec<(String, Pair<Snapshot>)> {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, name) in declared(case) {
        files.entry(file).or_default().push(name);
    }
    let both = |old: &(String, String), new: &(String, String)| {
        Pair::new(with(&case.sides.old, old), with(&case.sides.new, new))
    };
    let mut found = Vec::new();
    for (file, types) in &files {
        let types: Vec<&str> = types.iter().map(String::as_str).collect();
        let user = user_of(case.format, file, &types);
        found.push((format!("used by {}", user.1), both(&user, &user)));
    }
    let alone = user_of(case.format, "", &[]);
    let is_whole = |line: &&str| !line.ends_with("\"\"") && !line.ends_with("\"\";");
    let alone = (alone.0, alone.1.lines().filter(is_whole).map(|line| format!("{line}\n")).collect::<String>());
    let moved = (format!("elsewhere/{}", alone.0.rsplit('/').next().unwrap_or_default()), alone.1.clone());
    found.push(("beside an unrelated file".to_owned(), both(&alone, &alone)));
    found.push(("beside an unrelated file that moves".to_owned(), both(&alone, &moved)));
    found
}

#[test]
fn no_unrelated_file_changes_an_id() {
    let mut broken = Vec::new();
    let (mut tried, mut kept) = (0, 0);
    let every = as_many([1, 4]);
    for (index, (case, before)) in REPORTED.iter().filter(|(case, _)| case.roots.is_empty()).enumerate() {
        // Where something cannot be understood, what was found there is left out, and more files may be in doubt.
        if before.problems.iter().any(|problem| problem.severity == ProblemSeverity::Error) {
            continue;
        }
        for (what, sides) in situations(case).into_iter().skip(index % every).step_by(every) {
            let after = report(case.format, sides.as_ref(), &Policy::default());
            if after.problems.iter().any(|problem| problem.severity == ProblemSeverity::Error) {
                continue;
            }
            tried += 1;
            let now = ids(&after);
            kept += before.findings.len();
            let lost = before.findings.iter().filter(|finding| !now.contains(finding.id.as_str()));
            // The existence of a type may stop to matter where another file needs it, and a finding may go with that.
            let renamed =
                lost.filter(|lost| after.findings.iter().any(|one| one.path == lost.path && one.rule == lost.rule));
            broken.extend(renamed.map(|one| format!("{}: {} of {} {what}", case.name, one.rule, one.path)));
        }
    }
    assert!(broken.is_empty(), "{} ids changed:\n{}", broken.len(), broken.join("\n"));
    assert!(
        tried * every > 1000 && kept * every > 1500,
        "only {tried} situations with {kept} findings could be looked at"
    );
}

#[test]
fn what_identifies_is_never_what_others_say_or_decide() {
    use wireproof::change::FactKey as F;
    let others = [
        F::PeerReadsOld,
        F::PeerReadsNew,
        F::PeerReports,
        F::Through,
        F::Needed,
        F::Replaced,
        F::Branches,
        F::ReadsOld,
        F::ReadsNew,
        F::JsonReadsOld,
        F::JsonReadsNew,
        F::LastOfPackage,
        F::Structure,
    ];
    for kind in ChangeKind::ALL {
        let wrong: Vec<_> = identifying(*kind).iter().filter(|key| others.contains(key)).collect();
        assert!(wrong.is_empty(), "{kind}: {wrong:?}");
    }
}

/// What comes at one place under one name may be anything: whoever accepts one has not accepted another.
#[test]
fn what_comes_at_one_place_has_an_id_for_what_it_says() {
    let json = |keywords: &str| format!("{{\"type\": \"object\", \"properties\": {{\"a\": {{}}{keywords}}}");
    let layout = |fields: &str| format!("struct S {{ {fields} }} table M {{ s:S; }} root_type M;");
    let rows = [
        (
            Format::JsonSchema,
            "a.schema.json",
            json("}"),
            json("}, \"not\": {\"required\": [\"a\"]}"),
            json("}, \"not\": {\"minProperties\": 1}"),
        ),
        (
            Format::JsonSchema,
            "a.schema.json",
            json("}"),
            json("}, \"if\": {}, \"then\": {\"required\": [\"a\"]}"),
            json("}, \"if\": {}, \"then\": false"),
        ),
        (
            Format::JsonSchema,
            "a.schema.json",
            json("}, \"anyOf\": [{\"required\": [\"a\"]}]"),
            json("}, \"anyOf\": [{\"required\": [\"a\"]}, {\"maxProperties\": 0}]"),
            json("}, \"anyOf\": [{\"required\": [\"a\"]}, {}]"),
        ),
        (
            Format::JsonSchema,
            "a.schema.json",
            json("}"),
            json(", \"b\": {\"type\": \"string\"}}, \"required\": [\"b\"]"),
            json(", \"b\": {\"const\": 5}}, \"required\": [\"b\"]"),
        ),
        (
            Format::JsonSchema,
            "a.schema.json",
            json("}"),
            json("}, \"patternProperties\": {\"a\": false}"),
            json("}, \"patternProperties\": {\"a\": {\"const\": 1}}"),
        ),
        (Format::Flatbuffers, "a.fbs", layout("a:int; b:int;"), layout("a:int; b:float;"), layout("b:int; a:int;")),
        (
            Format::Flatbuffers,
            "a.fbs",
            layout("a:int; b:int;"),
            layout("a:int; b:int; c:int;"),
            layout("c:int; a:int; b:int;"),
        ),
    ];
    for (format, file, old, one, other) in rows {
        let of = |new: &str| -> BTreeSet<String> {
            let sides =
                Pair::new(old.as_str(), new).map(|text| Snapshot::from_files([(file, text.as_bytes().to_vec())]));
            let report = report(format, sides.as_ref(), &Policy::default().with_mode(Mode::Full));
            let breaking = report.findings.into_iter().filter(|finding| finding.breaking);
            breaking.map(|finding| finding.id).collect()
        };
        let (of_one, of_other) = (of(&one), of(&other));
        assert!(!of_one.is_empty() && !of_other.is_empty() && of_one.is_disjoint(&of_other), "{one}\n{other}");
    }
}
