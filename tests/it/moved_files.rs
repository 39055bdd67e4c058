//! A file that moved is told once, with what only follows from that; and nothing weighs less for being told so.

use wireproof::change::Pair;
use wireproof::formats::Format;
use wireproof::report::Report;
use wireproof::rules::{Profile, RuleSet};
use wireproof::source::Snapshot;
use wireproof::verdict::{Override, Policy, ProfilePolicy};
use wireproof::vocabulary::{Severity, Surface};

use crate::support::{self, fixtures, name_of};

/// The fixtures in which a file moved that another one imports, and nothing else did.
fn fixtures_of_moves() -> Vec<support::Case> {
    let is_meant = |folder: &std::path::Path| name_of(folder) == "a-file-that-moved-is-one-note";
    fixtures().into_iter().filter(|(folder, _)| is_meant(folder)).map(|(_, case)| case).collect()
}

fn rules(report: &Report) -> Vec<String> {
    let mut rules: Vec<String> = report.findings.iter().map(|finding| finding.rule.clone()).collect();
    rules.sort();
    rules
}

#[test]
fn in_every_language_a_file_that_moved_is_one_note() {
    let cases = fixtures_of_moves();
    assert_eq!(cases.len(), Format::ALL.len());
    for case in cases {
        let report = case.report(&Policy::default());
        let [finding] = &report.findings[..] else { panic!("{}: {:?}", case.format.name(), rules(&report)) };
        assert_eq!(finding.rule, format!("{}/file-moved", case.format.name()));
        assert!(finding.severity == Severity::Note && !finding.breaking, "{}", finding.rule);
        assert!(finding.message.ends_with("1 file that imports it names the new path"), "{}", finding.message);
    }
}

/// What is told of Protobuf files, each with what it says behind its syntax.
fn told(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<String> {
    let side = |files: &[(&str, &str)]| {
        Snapshot::from_files(
            files.iter().map(|(path, says)| (*path, format!("syntax = \"proto3\"; {says}").into_bytes())),
        )
    };
    let (old, new) = (side(old), side(new));
    let report = support::report(Format::Protobuf, Pair::new(&old, &new), &Policy::default());
    rules(&report).iter().map(|rule| rule.replace("protobuf/", "")).collect()
}

/// What full names begin with where the file is a part of them is no name of its own.
#[test]
fn a_file_of_cap_n_proto_that_is_called_otherwise_has_moved() {
    let orders = "@0xb1a2c3d4e5f60702; struct Order { size @0 :Size; enum Size { small @0; } } const most :Int32 = 3;";
    let user = "@0xb1a2c3d4e5f60701; using Orders = import \"order.capnp\"; struct User { order @0 :Orders.Order; }";
    let old = Snapshot::from_files([("order.capnp", orders.as_bytes()), ("user.capnp", user.as_bytes())]);
    let user = user.replace("order.capnp", "sale.capnp");
    let new = Snapshot::from_files([("sale.capnp", orders.as_bytes()), ("user.capnp", user.as_bytes())]);
    let report = support::report(Format::Capnp, Pair::new(&old, &new), &Policy::default());
    assert_eq!(rules(&report), ["capnp/file-moved"]);
}

const A: &str = "package p; message A { string id = 1; }";
const B: &str = "package p; message B { int64 sum = 1; }";
const BOTH: &str = "package p; message A { string id = 1; } message B { int64 sum = 1; }";

#[test]
fn a_file_moved_where_all_of_it_went_to_one_that_is_new() {
    let user = "import \"a.proto\"; package p; message U { A a = 1; }";
    let follows = user.replace("a.proto", "v/a.proto");
    assert_eq!(told(&[("a.proto", A), ("u.proto", user)], &[("v/a.proto", A), ("u.proto", &follows)]), ["file-moved"]);
    // What comes and goes inside is told by itself, and so is what comes from a file that stays.
    assert_eq!(told(&[("a.proto", A)], &[("v/a.proto", BOTH)]), ["file-moved", "message-added"]);
    assert_eq!(told(&[("a.proto", BOTH)], &[("v/a.proto", A)]), ["file-moved", "root-message-removed"]);
    let stays = "package p; message C { string c = 1; } message B { int64 sum = 1; }";
    let rest = "package p; message C { string c = 1; }";
    assert_eq!(
        told(&[("a.proto", A), ("c.proto", stays)], &[("v/a.proto", BOTH), ("c.proto", rest)]),
        ["file-moved", "type-moved"]
    );
    // A copy that stays is no second place to which anything went.
    let size = "package p; enum Size { SIZE_NONE = 0; }";
    let copied = told(&[("a.proto", size), ("vendor/a.proto", size)], &[("v/a.proto", size), ("vendor/a.proto", size)]);
    assert_eq!(copied, ["file-moved"]);
    // A file that declares nothing is known by what it says.
    let options = "import \"google/protobuf/descriptor.proto\"; \
                   extend google.protobuf.FieldOptions { string note = 50001; }";
    let moved = told(&[("o.proto", options), ("a.proto", A)], &[("v/o.proto", options), ("a.proto", A)]);
    assert_eq!(moved, ["file-moved"]);
}

#[test]
fn where_it_went_to_several_or_came_from_several_nothing_is_told_together() {
    let split = told(&[("a.proto", BOTH)], &[("x.proto", A), ("y.proto", B)]);
    assert_eq!(split, ["file-added", "file-added", "file-removed", "type-moved", "type-moved"]);
    let joined = told(&[("x.proto", A), ("y.proto", B)], &[("a.proto", BOTH)]);
    assert_eq!(joined, ["file-added", "file-removed", "file-removed", "type-moved", "type-moved"]);
    let stays = told(&[("a.proto", BOTH)], &[("a.proto", A), ("b.proto", B)]);
    assert_eq!(stays, ["file-added", "type-moved"]);
    let into = told(&[("a.proto", A), ("b.proto", B)], &[("b.proto", BOTH)]);
    assert_eq!(into, ["file-removed", "type-moved"]);
    let exchanged = told(&[("a.proto", A), ("b.proto", B)], &[("a.proto", B), ("b.proto", A)]);
    assert_eq!(exchanged, ["type-moved", "type-moved"]);
}

#[test]
fn what_a_move_changes_besides_is_told() {
    let package = A.replace("package p", "package q");
    assert_eq!(told(&[("a.proto", A)], &[("q/a.proto", &package)]), ["file-moved", "message-renamed"]);
    let user = "import \"a.proto\"; package p; message U { A a = 1; }";
    let publicly = user.replace("import \"a", "import public \"v/a");
    let moved = told(&[("a.proto", A), ("u.proto", user)], &[("v/a.proto", A), ("u.proto", &publicly)]);
    assert_eq!(moved, ["file-moved", "import-changed", "import-changed"], "it is imported otherwise now");
    let edited = A.replace("string id", "int64 id");
    assert_eq!(told(&[("a.proto", A)], &[("v/a.proto", &edited)]), ["file-moved", "wire-type-changed"]);
}

/// What a policy makes of the one finding: how grave it is, and whether it breaks; `None` where nothing is told.
fn decided(case: &support::Case, policy: &Policy) -> Option<(bool, bool)> {
    let report = case.report(policy);
    assert!(report.findings.len() < 2, "{}: {:?}", case.format.name(), rules(&report));
    report.findings.first().map(|one| (one.severity == Severity::Error, one.breaking))
}

fn setting(chosen: &[(&str, Override)]) -> Policy {
    let severities = chosen.iter().map(|(rule, level)| ((*rule).to_owned(), *level)).collect();
    Policy { severities, ..Policy::default() }
}

#[test]
fn who_refuses_what_follows_from_a_move_refuses_the_move() {
    let (note, error) = (Some((false, false)), Some((true, true)));
    for case in fixtures_of_moves() {
        let name = case.format.name();
        // In Avro only what data start from is told to have moved, in JSON Schema nothing but the file.
        let by_type = if matches!(name, "avro" | "json-schema") { note } else { error };
        assert_eq!(decided(&case, &setting(&[("type-moved", Override::Error)])), by_type, "{name}");
        let by_file = if matches!(name, "avro" | "json-schema" | "capnp") { note } else { error };
        assert_eq!(decided(&case, &setting(&[("file-removed", Override::Error)])), by_file, "{name}");
        // Who names the rule of the move means the move.
        let both = [("file-moved", Override::Note), ("type-moved", Override::Error)];
        assert_eq!(decided(&case, &setting(&both)), note, "{name}");
        assert_eq!(decided(&case, &setting(&[("file-moved", Override::Error)])), error, "{name}");
        assert_eq!(decided(&case, &setting(&[("file-moved", Override::Off)])), None, "{name}");
        let source = Policy { surfaces: vec![Surface::Source], ..Policy::default() };
        let mode = source.with_mode(wireproof::verdict::Mode::Full);
        let in_source = if matches!(name, "avro" | "json-schema") { note } else { error };
        assert_eq!(decided(&case, &mode), in_source, "{name}");
    }
}

#[test]
fn what_buf_reports_of_a_file_that_moved_counts_as_it_did() {
    let case = fixtures_of_moves().into_iter().find(|case| case.format == Format::Protobuf).expect("there is one");
    for (profile, refuses) in [("buf/FILE", true), ("buf/CSR", true), ("buf/PACKAGE", false), ("buf/WIRE", false)] {
        let profile = Profile::all().find(|one| one.name == profile).expect("it is built in");
        let policy =
            Policy { profile: Some(ProfilePolicy::from(profile.in_force(RuleSet::built_in()))), ..Policy::default() };
        assert_eq!(decided(&case, &policy), Some((refuses, refuses)), "{}", profile.name);
        let told: Vec<String> =
            case.report(&policy).findings[0].peer_reports.iter().map(|one| one.id.clone()).collect();
        assert_eq!(told, if refuses { vec!["FILE_NO_DELETE".to_owned()] } else { Vec::new() }, "{}", profile.name);
        // Who lets buf's finding pass where it was told lets it pass where it is told now.
        let policy = Policy { severities: [("file-removed".to_owned(), Override::Note)].into(), ..policy };
        assert_eq!(decided(&case, &policy), Some((false, false)), "{}", profile.name);
    }
}

/// Each language with the ending of its files, a sound file, and what no parser of it takes.
const BROKEN: [(Format, &str, &str); 6] = [
    (Format::Protobuf, "proto", "syntax = \"proto3\"; package p; message A { string id = 1; }"),
    (Format::Avro, "avsc", "{\"type\": \"record\", \"name\": \"A\", \"fields\": []}"),
    (Format::Flatbuffers, "fbs", "table A { id: string; }"),
    (Format::Thrift, "thrift", "struct A { 1: string id }"),
    (Format::Capnp, "capnp", "@0xb1a2c3d4e5f60702; struct A { id @0 :Text; }"),
    (Format::JsonSchema, "schema.json", "{\"type\": \"object\"}"),
];

/// What is wrong with a file, whichever sort of problem that is.
fn wrong(format: Format, text: &str) -> Vec<String> {
    let twice = match format {
        Format::Protobuf => text.replace('}', "} enum B { X = 0; } enum C { X = 0; }"),
        Format::Avro => text.replace("\"name\"", "\"doc\": \"a\", \"doc\": \"b\", \"name\""),
        Format::JsonSchema => text.replace('}', ", \"title\": \"a\", \"title\": \"b\"}"),
        _ => text.replace('}', "} ]]"),
    };
    vec![format!("{text} ]]"), twice]
}

#[test]
fn what_is_wrong_with_a_file_that_only_moved_is_a_warning_and_told_once() {
    use wireproof::formats::CheckOptions;
    use wireproof::pipeline::check_snapshots;
    use wireproof::verdict::Verdict;
    for (format, ending, sound) in BROKEN {
        for text in wrong(format, sound) {
            let side = |path: &str, text: &str| {
                let other = ("z/z.md".to_owned(), "z".to_owned());
                let files = [(format!("{path}.{ending}"), text.to_owned()), other];
                Snapshot::from_files(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())))
            };
            let told = |new: &Snapshot, (changed_only, lenient_unchanged): (bool, bool)| {
                let options = CheckOptions { changed_only, lenient_unchanged, ..CheckOptions::default() };
                let labels = Pair::new("old".to_owned(), "new".to_owned());
                let old = side("a/x", &text);
                let (rules, policy) = (RuleSet::built_in(), Policy::default());
                check_snapshots(Pair::new(&old, new), &[format], &options, rules, &policy, labels)
            };
            let places = |report: &Report| -> Vec<Option<String>> {
                report.problems.iter().map(|problem| problem.file.clone()).collect()
            };
            let moved = side("b/x", &text);
            let now = Some(format!("b/x.{ending}"));
            for strictness in [(true, false), (false, true)] {
                let report = told(&moved, strictness);
                assert_eq!(report.verdict, Verdict::Compatible, "{text}: {:?}", report.problems);
                assert!(places(&report).iter().all(|place| *place == now), "{text}: {:?}", report.problems);
                assert!(!report.problems.is_empty(), "{text}: it is said all the same");
                // What moved and is another has to be understood.
                let edited = side("b/x", &text.replace("]]", "]]]"));
                if text.contains("]]") {
                    assert_eq!(told(&edited, strictness).verdict, Verdict::Unknown, "{text}");
                }
            }
            // Who compares folders is told of every problem, once.
            let report = told(&moved, (false, false));
            assert_eq!(report.verdict, Verdict::Unknown, "{text}");
            assert!(places(&report).iter().all(|place| *place == now), "{text}: {:?}", report.problems);
        }
    }
}
