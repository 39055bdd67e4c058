//! Descriptor sets and images: what is compared from them is what is compared from their sources.
//!
//! The sets are written by the protoc that comes with a development dependency, and by `buf` 1.75, looked for in
//! `WIREPROOF_BUF` and on the search path. Where either cannot run, its tests say so loudly and pass.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;

use crate::buf::buf;
use crate::git::{Place, git, git_is_missing, run};
use crate::protoc::protoc;
use crate::support::{self, Case, all_cases, as_many, some_of};
use wireproof::change::Pair;
use wireproof::formats::Format;
use wireproof::formats::protobuf::descriptor::{self, Form};
use wireproof::report::{Report, json};
use wireproof::source::Snapshot;
use wireproof::verdict::Policy;
use wireproof::vocabulary::ProblemSeverity;

/// Whether the set knows where its elements came from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    Kept,
    Lost,
}

/// What is compared of a finding: rule, severity, element; and its lines, where they are known.
type Found = (String, String, String, Option<u32>, Option<u32>);

fn found(report: &Report, lines: Lines) -> BTreeSet<Found> {
    let line = |location: &Option<wireproof::report::Location>| match lines {
        Lines::Kept => location.as_ref().map(|location| location.line),
        Lines::Lost => None,
    };
    let shown = |finding: &wireproof::report::Finding| {
        let (old, new) = (line(&finding.old), line(&finding.new));
        (finding.rule.clone(), finding.severity.to_string(), finding.path.clone(), old, new)
    };
    report.findings.iter().map(shown).collect()
}

/// The set that protoc makes of a side; `None` where it refuses it.
fn set(protoc: &Path, side: &Snapshot, lines: Lines) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().expect("temporary folders can be made");
    let files: Vec<&str> = side.iter().map(|(path, _)| &**path).filter(|path| path.ends_with(".proto")).collect();
    for path in &files {
        let disk = folder.path().join(path);
        fs::create_dir_all(disk.parent().expect("it lies in the folder")).expect("the folder is ours");
        fs::write(disk, &side.get(path).expect("it was listed").bytes).expect("the folder is ours");
    }
    let include = protoc_bin_vendored::include_path().expect("the crate that carries protoc carries its includes");
    let mut command = Command::new(protoc);
    command.current_dir(folder.path()).arg("-I.").arg("-I").arg(include);
    command.args(["-o", "set.binpb", "--include_imports", "--retain_options"]);
    if lines == Lines::Kept {
        command.arg("--include_source_info");
    }
    let ran = command.args(files).output().expect("it ran a moment ago");
    ran.status.success().then(|| fs::read(folder.path().join("set.binpb")).expect("protoc wrote it"))
}

/// The judged files of a set.
fn printed(set: &[u8]) -> Snapshot {
    let decoded = descriptor::read(Form::Binary, set).expect("protoc wrote it");
    let judged = decoded.files.into_iter().filter(|file| !file.is_import);
    Snapshot::from_files(judged.map(|file| (file.path, file.text.into_bytes())))
}

/// What a case says from its sources and from its sets, where these differ.
fn difference(protoc: &Path, case: &Case, lines: Lines) -> Option<Result<(), String>> {
    let sets = Pair::new(set(protoc, &case.sides.old, lines)?, set(protoc, &case.sides.new, lines)?);
    let sides = sets.map(|set| printed(&set));
    let policy = Policy::default();
    let of_source = found(&support::report(Format::Protobuf, case.sides.as_ref(), &policy), lines);
    let report = support::report(Format::Protobuf, sides.as_ref(), &policy);
    let of_set = found(&report, lines);
    if of_source == of_set && report.problems.iter().all(|problem| problem.severity != ProblemSeverity::Error) {
        return Some(Ok(()));
    }
    let missing: Vec<_> = of_source.difference(&of_set).collect();
    let more: Vec<_> = of_set.difference(&of_source).collect();
    let problems: Vec<&String> = report.problems.iter().map(|problem| &problem.message).collect();
    Some(Err(format!(
        "{}\n    only from the source: {missing:?}\n    only from the set: {more:?}\n    {problems:?}",
        case.name
    )))
}

fn compare_all(lines: Lines) {
    let Some(protoc) = protoc() else { return };
    let cases: Vec<Case> = all_cases().into_iter().filter(|case| case.format == Format::Protobuf).collect();
    let cases = some_of(cases);
    let compared: Vec<(String, Result<(), String>)> = cases
        .par_iter()
        .filter(|case| case.roots.is_empty())
        .filter_map(|case| Some((case.name.clone(), difference(&protoc, case, lines)?)))
        .collect();
    assert!(compared.len() > as_many([150, 50]), "only {} of {} cases were compared", compared.len(), cases.len());
    let wrong: Vec<&String> = compared.iter().filter_map(|(_, outcome)| outcome.as_ref().err()).collect();
    let all: Vec<String> = wrong.iter().map(|one| format!("  {one}")).collect();
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), compared.len(), all.join("\n"));
}

#[test]
fn sets_with_source_info_say_what_their_sources_say_on_the_same_lines() {
    compare_all(Lines::Kept);
}

#[test]
fn sets_without_source_info_say_what_their_sources_say() {
    compare_all(Lines::Lost);
}

#[test]
fn what_is_printed_from_a_set_compiles_to_the_same_set() {
    let Some(protoc) = protoc() else { return };
    let text = fs::read(support::root().join("tests/data/sets/everything.proto")).expect("it is committed");
    let side = Snapshot::from_files([("everything.proto", text)]);
    let first = set(&protoc, &side, Lines::Lost).expect("protoc takes it");
    for lines in [Lines::Lost, Lines::Kept] {
        let printed = printed(&set(&protoc, &side, lines).expect("protoc takes it"));
        let text = String::from_utf8_lossy(&printed.get("everything.proto").expect("it is judged").bytes).into_owned();
        let again = set(&protoc, &printed, Lines::Lost).unwrap_or_else(|| panic!("protoc refuses:\n{text}"));
        // Without places, nested types may come in another order.
        assert!(lines == Lines::Lost || first == again, "another set comes from:\n{text}");
        let report = support::report(Format::Protobuf, Pair::new(&side, &printed), &Policy::default());
        let said: Vec<&String> = report.findings.iter().map(|finding| &finding.message).collect();
        assert!(said.is_empty() && report.problems.is_empty(), "{said:?} {:?} in:\n{text}", report.problems);
    }
}

const OLD: &str =
    "syntax = \"proto3\";\n\npackage shop.v1;\n\nmessage Order {\n  int32 id = 1;\n\n  string note = 2;\n}\n";
const NEW: &str =
    "syntax = \"proto3\";\n\npackage shop.v1;\n\nmessage Order {\n  string id = 1;\n\n  string note = 2;\n}\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn shop(text: &str) -> Snapshot {
    Snapshot::from_files([("shop/order.proto", text.as_bytes().to_vec())])
}

/// A place with `old.ENDING` and `new.ENDING`.
fn sets(protoc: &Path, ending: &str, pack: fn(&[u8]) -> Vec<u8>) -> Place {
    let place = Place::new();
    for (name, text) in [("old", OLD), ("new", NEW)] {
        let bytes = set(protoc, &shop(text), Lines::Kept).expect("protoc takes it");
        fs::write(place.path(&format!("{name}.{ending}")), pack(&bytes)).expect("the folder is ours");
    }
    place
}

#[test]
fn sets_are_sources_however_they_are_packed() {
    let Some(protoc) = protoc() else { return };
    type Form = (&'static str, fn(&[u8]) -> Vec<u8>);
    let forms: [Form; 4] = [("binpb", <[u8]>::to_vec), ("desc", <[u8]>::to_vec), ("binpb.gz", gzip), ("pb.zst", zstd)];
    for (ending, pack) in forms {
        let place = sets(&protoc, ending, pack);
        let ran =
            run(&place.path(""), &["compare", &format!("old.{ending}"), &format!("new.{ending}"), "--format", "json"]);
        assert_eq!(ran.code, 1, "{ending}: {}{}", ran.out, ran.err);
        let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(report["findings"][0]["new"]["file"], "shop/order.proto");
        assert_eq!(
            (&report["findings"][0]["new"]["line"], &report["findings"][0]["new"]["column"]),
            (&6.into(), &3.into())
        );
        assert_eq!(report["not_checked"], serde_json::json!([]), "{ending}");
        let named = format!("old.{ending}");
        fs::copy(place.path(&named), place.path("old.file")).expect("it was written");
        let compression = if ending.ends_with("gz") {
            "gzip"
        } else if ending.ends_with("zst") {
            "zstd"
        } else {
            "none"
        };
        let source = format!("old.file#format=binpb,compression={compression}");
        let ran = run(&place.path(""), &["compare", &source, &format!("new.{ending}")]);
        assert_eq!(ran.code, 1, "{source}: {}{}", ran.out, ran.err);
    }
}

#[test]
fn a_set_without_source_info_says_whose_lines_it_tells() {
    let Some(protoc) = protoc() else { return };
    let place = Place::new();
    place.write("new/shop/order.proto", NEW);
    fs::write(place.path("old.binpb"), set(&protoc, &shop(OLD), Lines::Lost).expect("protoc takes it")).expect("ours");
    let ran = run(&place.path(""), &["compare", "old.binpb", "new"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("the set has no source info"), "{}", ran.out);
}

#[test]
fn a_set_is_a_base_and_a_head_of_a_check() {
    let Some(protoc) = protoc() else { return };
    let place = sets(&protoc, "binpb", <[u8]>::to_vec);
    place.write("shop/order.proto", NEW);
    for arguments in [
        &["check", "--against", "old.binpb", "shop"][..],
        &["check", "--against", "old.binpb", "--head", "new.binpb"][..],
    ] {
        let ran = run(&place.path(""), arguments);
        assert_eq!(ran.code, 1, "{arguments:?}: {}{}", ran.out, ran.err);
    }
    let ran = run(&place.path(""), &["check", "--against", "new.binpb", "--head", "new.binpb"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn a_broken_set_is_no_pass_and_no_panic() {
    let Some(protoc) = protoc() else { return };
    let place = Place::new();
    place.write("new/shop/order.proto", NEW);
    let bytes = set(&protoc, &shop(OLD), Lines::Kept).expect("protoc takes it");
    let packed = [gzip(&bytes), zstd(&bytes)];
    let bomb = vec![0u8; 100 << 20];
    let files: [(&str, Vec<u8>); 8] = [
        ("empty.binpb", Vec::new()),
        ("short.binpb", bytes[..bytes.len() - 3].to_vec()),
        ("text.binpb", b"syntax = \"proto3\";".to_vec()),
        ("text.json", b"{\"files\": 1}".to_vec()),
        ("short.binpb.gz", packed[0][..packed[0].len() - 9].to_vec()),
        ("short.binpb.zst", packed[1][..packed[1].len() / 2].to_vec()),
        ("other.binpb.zst", packed[0].clone()),
        ("bomb.binpb.zst", zstd(&bomb)),
    ];
    for (name, bytes) in files {
        fs::write(place.path(name), bytes).expect("the folder is ours");
        let ran = run(&place.path(""), &["compare", name, "new"]);
        assert_eq!(ran.code, 3, "{name}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("cannot read the descriptor set"), "{name}: {}", ran.err);
    }
}

#[test]
fn buf_spells_sources_of_git_like_this() {
    if git_is_missing() {
        return;
    }
    let place = Place::new();
    place.write("proto/shop/order.proto", OLD);
    git(&place.path(""), &["init", "-q", "-b", "main"]);
    git(&place.path(""), &["add", "."]);
    git(&place.path(""), &["commit", "-qm", "first"]);
    git(&place.path(""), &["tag", "v1"]);
    place.write("proto/shop/order.proto", NEW);
    for source in [
        ".git#branch=main,subdir=proto",
        ".git#tag=v1",
        ".#format=git,ref=main",
        "./.git#subdir=proto,depth=1",
        ".git#commit=HEAD",
    ] {
        let ran = run(&place.path(""), &["check", "--against", source]);
        assert_eq!(ran.code, 1, "{source}: {}{}", ran.out, ran.err);
    }
    for source in ["https://example.com/x.git#branch=main", "ssh://git@example.com/x.git", "git@example.com:o/x.git"] {
        let ran = run(&place.path(""), &["check", "--against", source]);
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains("fetch it first"), "{}", ran.err);
        let ran = run(&place.path(""), &["compare", source, "proto"]);
        assert!(ran.code == 2 && ran.err.contains("fetch it first"), "{}", ran.err);
    }
}

/// The paths in a `buf.yaml` start from its folder, so it does not speak of a version that starts below.
#[test]
fn a_buf_yaml_above_the_folder_that_is_compared_is_told() {
    if git_is_missing() {
        return;
    }
    let place = Place::new();
    place.write("proto/shop/order.proto", OLD);
    place.write("buf.yaml", "version: v2\nmodules: [{path: proto}]\nbreaking:\n  use: [WIRE]\n");
    git(&place.path(""), &["init", "-q", "-b", "main"]);
    git(&place.path(""), &["add", "."]);
    git(&place.path(""), &["commit", "-qm", "first"]);
    place.write("proto/shop/order.proto", NEW);
    let said = "it lies above the folder `proto`, so our own rules decide";
    for options in [&["--against", ".git#branch=main,subdir=proto"][..], &["--against", "git:main:proto"]] {
        let ran = run(&place.path(""), &[&["check"], options].concat());
        assert!(ran.code == 1 && ran.out.contains(said), "{}{}", ran.out, ran.err);
        assert!(ran.out.contains("`wireproof check proto --against git:main`"), "{}", ran.out);
        let ran = run(&place.path(""), &[&["check", "--mode", "full"], options].concat());
        assert!(ran.code == 1 && !ran.out.contains(said), "{}{}", ran.out, ran.err);
    }
    let ran = run(&place.path(""), &["check", "proto", "--against", "git:main"]);
    assert!(ran.out.contains("judged as buf/WIRE (buf.yaml:3)") && !ran.out.contains(said), "{}{}", ran.out, ran.err);
}

#[test]
fn images_of_buf_say_what_their_sources_say() {
    let Some(buf) = buf() else { return };
    let place = Place::new();
    place.write("old/shop/order.proto", OLD).write("new/shop/order.proto", NEW);
    let expected = found(&compared(&place, "old", "new"), Lines::Kept);
    for ending in ["binpb", "json", "binpb.gz", "binpb.zst", "json.gz", "json.zst"] {
        for side in ["old", "new"] {
            build(&buf, &place.path(side), &place.path(&format!("{side}.{ending}")));
        }
        let report = compared(&place, &format!("old.{ending}"), &format!("new.{ending}"));
        assert_eq!(found(&report, Lines::Kept), expected, "{ending}");
        assert!(report.not_checked.is_empty(), "{ending}: {:?}", report.not_checked);
    }
}

fn build(buf: &Path, folder: &Path, image: &PathBuf) {
    let ran = Command::new(buf).arg("build").arg(folder).arg("-o").arg(image).output().expect("it ran a moment ago");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

fn compared(place: &Place, old: &str, new: &str) -> Report {
    let ran = run(&place.path(""), &["compare", old, new, "--format", "json"]);
    json::parse(&ran.out).unwrap_or_else(|problem| panic!("{}: {}{}", problem.message, ran.out, ran.err))
}

#[test]
fn a_set_in_which_a_name_is_none_is_refused() {
    let place = Place::new();
    let set = |package: &str| {
        format!(
            "{{\"file\": [{{\"name\": \"a.proto\", \"package\": \"{package}\", \"syntax\": \"proto3\", \
             \"messageType\": [{{\"name\": \"M\"}}]}}]}}"
        )
    };
    place.write("old.json", &set("p")).write("new.json", &set("p; message M { int32 a = 1; } //"));
    let ran = run(&place.path(""), &["compare", "old.json", "new.json"]);
    assert!(ran.code == 3 && ran.err.contains("is no name"), "{}{}", ran.out, ran.err);
    assert_eq!(run(&place.path(""), &["compare", "old.json", "old.json"]).code, 0);
}
