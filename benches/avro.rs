//! How long it takes to check 10,000 pairs of Avro schemas in one process: without proof and with it.
//!
//! The pairs are the examples of the rules, or those of a folder of `*.jsonl` files that `WIREPROOF_AVRO_SAMPLES` names
//! (objects with `old` and `new`: path → text), over and over.

use std::path::Path;
use std::sync::LazyLock;

use divan::counter::ItemsCount;
use wireproof::attach::attach;
use wireproof::change::Pair;
use wireproof::evidence::Observed;
use wireproof::formats::avro::Parsed;
use wireproof::formats::{CheckOptions, Format, check_pair};
use wireproof::judge::judge;
use wireproof::ordered::OrderedMap;
use wireproof::rules::RuleSet;
use wireproof::source::Snapshot;
use wireproof::verdict::{Doubt, Moves, Policy, decide};

fn main() {
    LazyLock::force(&PAIRS);
    eprintln!("{} distinct pairs", PAIRS.len());
    divan::main();
}

/// How many pairs are checked.
const CHECKED: usize = 10_000;

static PAIRS: LazyLock<Vec<Pair<Snapshot>>> = LazyLock::new(|| match std::env::var_os("WIREPROOF_AVRO_SAMPLES") {
    Some(folder) => recorded(Path::new(&folder)),
    None => examples(),
});
static OPTIONS: LazyLock<CheckOptions> = LazyLock::new(CheckOptions::default);

fn examples() -> Vec<Pair<Snapshot>> {
    let rules = RuleSet::built_in().iter().filter(|rule| rule.format() == Format::Avro.name());
    let side = |files: &OrderedMap<String, String>| {
        Snapshot::from_files(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())))
    };
    let of_rule = |rule: &wireproof::rules::Rule| -> Vec<_> {
        rule.examples.iter().map(|example| Pair::new(side(&example.old), side(&example.new))).collect()
    };
    rules.flat_map(of_rule).collect()
}

fn recorded(folder: &Path) -> Vec<Pair<Snapshot>> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().contains("avro")))
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .collect();
    files.sort();
    let texts = files.iter().map(|file| std::fs::read_to_string(file).expect("a recorded file is text"));
    let lines: Vec<String> = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    lines.iter().map(|line| pair(&serde_json::from_str(line).expect("a recorded line is JSON"))).collect()
}

fn pair(case: &serde_json::Value) -> Pair<Snapshot> {
    let side = |name: &str| {
        let files = case[name].as_object().expect("a recorded side has files");
        let text = |text: &serde_json::Value| text.as_str().unwrap_or_default().as_bytes().to_vec();
        Snapshot::from_files(files.iter().map(|(path, value)| (path.as_str(), text(value))))
    };
    Pair::new(side("old"), side("new"))
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn ten_thousand_pairs_parsed(bencher: divan::Bencher) {
    bencher.counter(ItemsCount::new(CHECKED)).bench_local(|| {
        for pair in PAIRS.iter().cycle().take(CHECKED) {
            divan::black_box(Parsed::new(pair.as_ref(), &OPTIONS));
        }
    });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn ten_thousand_pairs_linked(bencher: divan::Bencher) {
    bencher.counter(ItemsCount::new(CHECKED)).bench_local(|| {
        for pair in PAIRS.iter().cycle().take(CHECKED) {
            let parsed = Parsed::new(pair.as_ref(), &OPTIONS);
            divan::black_box(parsed.link());
        }
    });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn ten_thousand_pairs_compared(bencher: divan::Bencher) {
    bencher.counter(ItemsCount::new(CHECKED)).bench_local(|| {
        for pair in PAIRS.iter().cycle().take(CHECKED) {
            let parsed = Parsed::new(pair.as_ref(), &OPTIONS);
            let linked = parsed.link();
            divan::black_box(linked.diff());
        }
    });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn ten_thousand_pairs_without_proof(bencher: divan::Bencher) {
    let policy = Policy::default();
    bencher.counter(ItemsCount::new(CHECKED)).bench_local(|| {
        for pair in PAIRS.iter().cycle().take(CHECKED) {
            let parsed = Parsed::new(pair.as_ref(), &OPTIONS);
            let linked = parsed.link();
            let differences = linked.diff();
            let judged = judge(Format::Avro.name(), differences.changes(), RuleSet::built_in()).judged;
            let nothing = Observed::default();
            let attached = attach(judged, &nothing);
            divan::black_box(decide(&attached.findings, &[], &policy, &Moves::default(), Doubt::None));
        }
    });
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn ten_thousand_pairs_with_proof(bencher: divan::Bencher) {
    let policy = Policy::default();
    bencher.counter(ItemsCount::new(CHECKED)).bench_local(|| {
        for pair in PAIRS.iter().cycle().take(CHECKED) {
            let checked = check_pair(Format::Avro, pair.as_ref(), &OPTIONS);
            let judged = judge(Format::Avro.name(), &checked.changes, RuleSet::built_in()).judged;
            let attached = attach(judged, &checked.observed);
            divan::black_box(decide(&attached.findings, &[], &policy, &Moves::default(), Doubt::None));
        }
    });
}
