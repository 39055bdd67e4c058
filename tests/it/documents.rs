//! What pages say of lists that the code has, held against these lists: report formats, commands, schema languages, words.
//! And what the repository promises of its own tests and dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use clap::ValueEnum;

use crate::support::{files_below, relative, root};
use wireproof::cli::{Rendering, command_names};
use wireproof::formats::Format;
use wireproof::vocabulary::{
    Class, Direction, Mode, Outcome, Severity, Side, Status, Surface, UpgradeOrder, Verdict, Vocabulary,
};

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The report formats as the command line spells them.
fn report_formats() -> Vec<String> {
    let values = Rendering::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    values.map(|value| value.get_name().to_owned()).collect()
}

#[test]
fn pages_name_every_report_format() {
    let (formats, readme, compare) = (page("docs/formats.md"), page("README.md"), page("docs/compare.md"));
    let table = formats.split("\n## ").next().expect("the page starts with the table");
    let rows: BTreeSet<&str> = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let known = report_formats();
    assert_eq!(rows, known.iter().map(String::as_str).collect(), "docs/formats.md");
    let ours = compare.lines().find_map(|line| line.strip_prefix("| reports | ")?.split(" |").next());
    let ours = ours.expect("docs/compare.md has a row of report formats").to_lowercase();
    let ours: BTreeSet<&str> = ours.split(", ").collect();
    // What a step of a workflow reads is no report for people or programs to compare.
    for format in known.iter().filter(|name| *name != "github-output") {
        assert!(readme.contains(&format!("`{format}`")), "README.md does not name {format}");
        assert!(ours.contains(format.as_str()), "docs/compare.md does not name {format}");
    }
}

#[test]
fn pages_show_every_command() {
    let pages: String =
        files_below(&root().join("docs")).iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
    let text = page("README.md") + &pages;
    let unseen: Vec<String> =
        command_names().into_iter().filter(|name| !text.contains(&format!("wireproof {name}"))).collect();
    assert!(unseen.is_empty(), "no page shows {unseen:?}");
}

#[test]
fn the_readme_names_every_schema_language_with_its_files() {
    let readme = page("README.md");
    for format in Format::ALL {
        for extension in format.extensions() {
            let row = readme.lines().find(|line| line.starts_with("| ") && line.contains(&format!("`.{extension}`")));
            assert!(row.is_some(), "README.md has no row for .{extension} ({})", format.name());
        }
    }
}

/// The terms of the glossary, in its order, and what each means.
fn terms(text: &str) -> Vec<(&str, &str)> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    rows.filter(|(term, _)| *term != "term").collect()
}

/// The words of a vocabulary that the glossary has to spell below a term.
fn words<T: Vocabulary>() -> Vec<&'static str> {
    T::ALL.iter().map(|member| member.name()).collect()
}

#[test]
fn the_glossary_has_each_word_once_and_every_vocabulary() {
    let text = page("docs/glossary.md");
    let terms = terms(&text);
    let unsorted: Vec<_> = terms.windows(2).filter(|two| two[0].0 >= two[1].0).map(|two| two[1].0).collect();
    assert!(unsorted.is_empty(), "in the wrong order, or twice: {unsorted:?}");
    let meaning = |term: &str| terms.iter().find(|(name, _)| *name == term).map(|(_, meaning)| *meaning);
    let vocabularies = [
        ("class", words::<Class>()),
        ("direction", words::<Direction>()),
        ("mode", words::<Mode>()),
        ("outcome", words::<Outcome>()),
        ("severity", words::<Severity>()),
        ("side", words::<Side>()),
        ("status", words::<Status>()),
        ("surface", words::<Surface>()),
        ("upgrade order", words::<UpgradeOrder>()),
        ("verdict", words::<Verdict>()),
    ];
    for (term, words) in vocabularies {
        let said = meaning(term).unwrap_or_else(|| panic!("there is no entry `{term}`")).to_lowercase();
        let absent: Vec<&str> = words.into_iter().filter(|word| !said.contains(word)).collect();
        assert!(absent.is_empty(), "`{term}` does not name {absent:?}");
    }
    for (term, meaning_of_it) in &terms {
        let Some(other) = meaning_of_it.strip_prefix("See ") else { continue };
        assert!(meaning(other.trim_end_matches('.')).is_some(), "`{term}` refers to `{other}`, which is not there");
    }
}

#[test]
fn every_direct_dependency_is_used() {
    let manifest = page("Cargo.toml");
    let names = |section: &str| -> Vec<String> {
        let lines = manifest.lines().skip_while(|line| *line != section).skip(1);
        let lines = lines.take_while(|line| !line.starts_with('['));
        lines.filter_map(|line| Some(line.split_once(" = ")?.0.replace('-', "_"))).collect()
    };
    let text_below = |folders: &[&str]| -> String {
        let files = folders.iter().flat_map(|folder| files_below(&root().join(folder)));
        files
            .filter(|path| path.extension().is_some_and(|end| end == "rs"))
            .map(|path| page(&relative(&path)))
            .collect()
    };
    let own = text_below(&["src"]);
    let tests = text_below(&["tests", "benches"]) + &own;
    for (section, text) in [("[dependencies]", &own), ("[dev-dependencies]", &tests)] {
        let found = names(section);
        assert!(!found.is_empty(), "{section} is empty");
        let unused: Vec<String> = found.into_iter().filter(|name| !text.contains(&format!("{name}::"))).collect();
        assert!(unused.is_empty(), "{section}: nothing uses {unused:?}");
    }
}

/// A crate that the build script takes with other features than the program is compiled twice.
#[test]
fn no_crate_is_compiled_twice_for_the_program() {
    let mut command = Command::new(env!("CARGO"));
    command.args(["tree", "--offline", "--locked", "--prefix=none", "--no-dedupe", "--format={p}|{f}"]);
    let output = command.args(["--edges", "normal,build"]).current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut features: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let listed = String::from_utf8_lossy(&output.stdout);
    for (name, with) in listed.lines().filter_map(|line| line.split_once('|')) {
        features.entry(name).or_default().insert(with);
    }
    assert!(features.len() > 100, "{features:?}");
    let twice: Vec<_> = features.iter().filter(|(_, with)| with.len() > 1).collect();
    assert!(twice.is_empty(), "these have several sets of features: {twice:?}");
}

/// Files of the tests that may look at a clock, and why.
const MAY_LOOK_AT_A_CLOCK: &[(&str, &str)] =
    &[("tests/support/github.rs", "a server that a test forgot ends after a while; nothing is asserted")];

#[test]
fn tests_say_in_one_place_that_they_skip_and_measure_no_time() {
    let this = "tests/it/documents.rs";
    for path in files_below(&root().join("tests")).iter().filter(|path| path.extension().is_some_and(|end| end == "rs"))
    {
        let name = relative(path);
        let text = page(&name);
        let may_skip = name == "tests/support/mod.rs" || name == this;
        assert!(may_skip || !text.contains("SKIPPED"), "{name}: say it through support::skip, so that it is counted");
        let may_measure = name == this || MAY_LOOK_AT_A_CLOCK.iter().any(|(allowed, _)| *allowed == name);
        let measures = ["Instant::now", "SystemTime::now", ".elapsed()"].iter().any(|word| text.contains(word));
        assert!(
            may_measure || !measures,
            "{name}: bound work, size or processor time; a clock tells how busy a machine is"
        );
    }
}
