//! How long each stage of a comparison takes: parse, link (resolve), diff and probe, on two versions made up here.

use std::fmt::Write as _;
use std::sync::LazyLock;

use wireproof::change::Pair;
use wireproof::formats::protobuf::Parsed;
use wireproof::formats::{CheckOptions, Format, check_pair};
use wireproof::source::Snapshot;

fn main() {
    LazyLock::force(&VERSIONS);
    divan::main();
}

const FILES: usize = 400;
const MESSAGES: usize = 20;

static VERSIONS: LazyLock<Pair<Snapshot>> = LazyLock::new(|| Pair::new(snapshot(Version::Old), snapshot(Version::New)));
static OPTIONS: LazyLock<CheckOptions> = LazyLock::new(CheckOptions::default);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    Old,
    New,
}

/// So many files of so many messages that refer to each other across files. In the new version one file in twenty
/// has a changed type, a removed field and a new enum value.
fn snapshot(version: Version) -> Snapshot {
    Snapshot::from_files(
        (0..FILES).map(|file| (format!("shop/v1/file_{file}.proto"), source(file, version).into_bytes())),
    )
}

fn source(file: usize, version: Version) -> String {
    let is_changed = version == Version::New && file.is_multiple_of(20);
    let before = file.saturating_sub(1);
    let mut out = "syntax = \"proto3\";\n\npackage shop.v1;\n\n".to_owned();
    if file > 0 {
        let _ = writeln!(out, "import \"shop/v1/file_{before}.proto\";\n");
    }
    for message in 0..MESSAGES {
        let id = format!("{file}x{message}");
        let total = if is_changed { "sint64" } else { "int64" };
        let note = if is_changed { "" } else { "  string note = 5;\n" };
        let value = if is_changed { format!("    GONE_{id} = 2;\n") } else { String::new() };
        let neighbour = if file > 0 { format!("  M{before}x{message} neighbour = 6;\n") } else { String::new() };
        let _ = writeln!(
            out,
            "// An order of the shop, with what belongs to it.\nmessage M{id} {{\n  string id = 1;\n  {total} total = 2;\n  \
             repeated int32 codes = 3;\n  map<string, string> labels = 4;\n{note}{neighbour}  State state = 7;\n  \
             enum State {{\n    NONE_{id} = 0;\n    OPEN_{id} = 1;\n{value}  }}\n}}\n"
        );
    }
    out
}

#[divan::bench(sample_count = 20)]
fn parse(bencher: divan::Bencher) {
    bencher.bench(|| Parsed::new(VERSIONS.as_ref(), &OPTIONS));
}

#[divan::bench(sample_count = 20)]
fn resolve(bencher: divan::Bencher) {
    let parsed = Parsed::new(VERSIONS.as_ref(), &OPTIONS);
    bencher.bench_local(|| {
        divan::black_box(parsed.link());
    });
}

#[divan::bench(sample_count = 20)]
fn diff(bencher: divan::Bencher) {
    let parsed = Parsed::new(VERSIONS.as_ref(), &OPTIONS);
    let linked = parsed.link();
    bencher.bench_local(|| linked.diff());
}

#[divan::bench(sample_count = 20)]
fn probe(bencher: divan::Bencher) {
    let parsed = Parsed::new(VERSIONS.as_ref(), &OPTIONS);
    let linked = parsed.link();
    let differences = linked.diff();
    bencher.bench_local(|| linked.probe(&differences));
}

#[divan::bench(sample_count = 20)]
fn everything(bencher: divan::Bencher) {
    bencher.bench(|| check_pair(Format::Protobuf, VERSIONS.as_ref(), &OPTIONS));
}
