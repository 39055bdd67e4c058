//! What compilers take and refuse, and what we do: `tests/data/<language>/snippets.txt`, a line each.
//!
//! `takes` or `refuses` is the compiler's verdict, and is compared with it where it is installed. Behind it stands ours:
//! `accepted`, `warned` or `refused`. What is refused without need stops a gate, so whatever the compiler takes is accepted
//! or warned of. What a reader could feel and the compiler refuses is refused; what only a build feels may be a warning.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use rayon::prelude::*;

use crate::support::{Case, root, skip, snapshot};
use wireproof::change::Pair;
use wireproof::formats::Format;
use wireproof::verdict::Policy;
use wireproof::vocabulary::Verdict;

struct Snippet {
    is_taken: bool,
    ours: String,
    text: String,
}

fn snippets(language: &str) -> Vec<Snippet> {
    let path = root().join("tests/data").join(language).join("snippets.txt");
    let all = std::fs::read_to_string(path).expect("it is a file of the repository");
    let lines = all.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut parts = line.splitn(3, ' ');
            let mut next = || parts.next().expect("a line has three parts").to_owned();
            let (theirs, ours) = (next(), next());
            Snippet { is_taken: theirs == "takes", ours, text: next().replace("\\n", "\n") }
        })
        .collect()
}

/// What we say of a text that was not there before.
fn ours(format: Format, extension: &str, text: &str) -> &'static str {
    let file = |text: &str| snapshot(&BTreeMap::from([(format!("a.{extension}"), text.to_owned())]));
    let case = Case { name: "snippet".to_owned(), format, sides: Pair::new(file(""), file(text)), roots: Vec::new() };
    let report = case.report(&Policy::default());
    let has_problems = report.problems.iter().any(|problem| problem.file.is_some());
    match (report.verdict == Verdict::Unknown, has_problems) {
        (true, _) => "refused",
        (false, true) => "warned",
        (false, false) => "accepted",
    }
}

fn check(format: Format, extension: &str, compiler: &[&str]) {
    let snippets = snippets(format.name());
    let differs = |snippet: &&Snippet| ours(format, extension, &snippet.text) != snippet.ours;
    let wrong: Vec<String> = snippets
        .par_iter()
        .filter(differs)
        .map(|snippet| format!("{}: {}, not {}", snippet.text, ours(format, extension, &snippet.text), snippet.ours))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for snippet in &snippets {
        let is_stricter = snippet.is_taken && snippet.ours == "refused";
        assert!(!is_stricter || STRICTER.contains(&snippet.text.as_str()), "{} is refused without need", snippet.text);
    }
    if !Command::new(compiler[0]).arg("--version").output().is_ok_and(|output| output.status.success()) {
        return skip(compiler[0], "what a compiler takes and refuses beside what is recorded");
    }
    let folder = tempfile::tempdir().expect("a folder for a moment");
    let differs = |(at, snippet): &(usize, &Snippet)| {
        let inside = folder.path().join(at.to_string());
        std::fs::create_dir(&inside).expect("the folder is new");
        takes(compiler, &inside, extension, &snippet.text) != snippet.is_taken
    };
    let wrong: Vec<&str> = snippets.par_iter().enumerate().filter(differs).map(|(_, one)| &*one.text).collect();
    assert!(wrong.is_empty(), "{} takes or refuses, other than recorded:\n{}", compiler[0], wrong.join("\n"));
}

/// Refused though a compiler takes it: nothing that it wrote could be read.
const STRICTER: [&str; 1] = ["struct S { 32768: i32 a }"];

fn takes(compiler: &[&str], folder: &Path, extension: &str, text: &str) -> bool {
    let file = folder.join(format!("a.{extension}"));
    std::fs::write(&file, text).expect("the folder can be written");
    let mut command = Command::new(compiler[0]);
    command.args(&compiler[1..]).arg("-o").arg(folder).arg(file);
    command.output().expect("the compiler is there").status.success()
}

#[test]
fn what_flatc_takes_is_accepted_and_what_a_reader_could_feel_is_refused() {
    check(Format::Flatbuffers, "fbs", &["flatc", "--cpp"]);
}

#[test]
fn what_the_compiler_of_thrift_takes_is_accepted_and_what_a_reader_could_feel_is_refused() {
    check(Format::Thrift, "thrift", &["thrift", "--gen", "json"]);
}
