//! What compilers take and refuse, and what we do: `tests/data/<language>/snippets.txt`, a line each.
//!
//! `takes` or `refuses` is the compiler's verdict, and is compared with it where it is installed; `loops` is what releases of
//! the compiler take, refuse or never come to an end with, so it is not asked. Behind it stands ours:
//! `accepted`, `warned` or `refused`. What is refused without need stops a gate, so whatever the compiler takes is accepted
//! or warned of. What a reader could feel and the compiler refuses is refused; what only a build feels may be a warning.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;

use crate::bounded;
use crate::support::{Case, root, skip, snapshot};
use wireproof::change::Pair;
use wireproof::formats::Format;
use wireproof::verdict::Policy;
use wireproof::vocabulary::Verdict;

struct Snippet {
    theirs: String,
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
            let text = next().replace("\\n", "\n");
            // Every file of Cap'n Proto has an id.
            let needs_id = language == "capnp" && !text.starts_with(['@', '#']);
            let text = if needs_id { format!("@0xd3a5e2f7c1b49086;\n{text}") } else { text };
            Snippet { theirs, ours, text }
        })
        .collect()
}

/// What we say of a text that was not there before.
fn ours(format: Format, extension: &str, text: &str) -> &'static str {
    judged(format, &BTreeMap::from([(format!("a.{extension}"), text.to_owned())])).0
}

/// What we say of files that were empty before, and what is wrong with them.
pub fn judged(format: Format, files: &BTreeMap<String, String>) -> (&'static str, String) {
    // An empty file of Cap'n Proto is none: it has no id.
    let empty = |path: &String| match format {
        Format::Capnp => {
            (path.clone(), format!("@{:#x};", 0xd3a5_e2f7_c1b4_9086u64 + u64::from(path.as_bytes()[0] - b'a')))
        }
        _ => (path.clone(), String::new()),
    };
    let before: BTreeMap<String, String> = files.keys().map(empty).collect();
    let sides = Pair::new(snapshot(&before), snapshot(files));
    let case = Case { name: "snippet".to_owned(), format, sides, roots: Vec::new(), usages: Default::default() };
    let report = case.report(&Policy::default());
    let has_problems = report.problems.iter().any(|problem| problem.file.is_some());
    let said = report.problems.iter().map(|problem| format!("{problem:?}")).collect::<Vec<_>>().join("\n");
    match (report.verdict == Verdict::Unknown, has_problems) {
        (true, _) => ("refused", said),
        (false, true) => ("warned", said),
        (false, false) => ("accepted", said),
    }
}

/// The texts of a language that its compiler takes.
pub fn taken(language: &str) -> Vec<String> {
    let taken = snippets(language).into_iter().filter(|snippet| snippet.theirs == "takes");
    taken.map(|snippet| snippet.text).collect()
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
        let is_stricter = snippet.theirs == "takes" && snippet.ours == "refused";
        assert!(!is_stricter || STRICTER.contains(&snippet.text.as_str()), "{} is refused without need", snippet.text);
    }
    if !Command::new(compiler[0]).arg("--version").output().is_ok_and(|output| output.status.success()) {
        return skip(compiler[0], "what a compiler takes and refuses beside what is recorded");
    }
    let folder = tempfile::tempdir().expect("a folder for a moment");
    let files: Vec<(&Snippet, PathBuf)> = snippets
        .iter()
        .enumerate()
        .filter(|(_, snippet)| snippet.theirs != "loops")
        .map(|(at, snippet)| {
            let file = folder.path().join(format!("s{at}.{extension}"));
            std::fs::write(&file, &snippet.text).expect("the folder can be written");
            (snippet, file)
        })
        .collect();
    let (taken, refused): (Vec<_>, Vec<_>) = files.iter().partition(|(snippet, _)| snippet.theirs == "takes");
    // What is taken is given to one process, and one by one only where that finds fault with anything.
    let all: Vec<&Path> = taken.iter().map(|(_, file)| &**file).collect();
    let alone = if takes(compiler, folder.path(), &all) { refused } else { files.iter().collect() };
    let differs = |(snippet, file): &&&(&Snippet, PathBuf)| {
        takes(compiler, folder.path(), &[file]) != (snippet.theirs == "takes")
    };
    let wrong: Vec<&str> = alone.par_iter().filter(differs).map(|(snippet, _)| &*snippet.text).collect();
    assert!(wrong.is_empty(), "{} takes or refuses, other than recorded:\n{}", compiler[0], wrong.join("\n"));
}

/// Refused though a compiler takes it: nothing that it wrote could be read, or the number is another one than is written.
const STRICTER: [&str; 2] =
    ["struct S { 32768: i32 a }", "@0xd3a5e2f7c1b49086;\nstruct S { a @0 :UInt64 = 18446744073709551616; }"];

/// Whether a compiler takes all of some files. One that does not come to an end takes nothing.
fn takes(compiler: &[&str], folder: &Path, files: &[&Path]) -> bool {
    let mut command = Command::new(compiler[0]);
    command.args(&compiler[1..]);
    let is_capnp = compiler[0] == "capnp";
    if !is_capnp {
        command.arg("-o").arg(folder);
    }
    match files {
        [file] => command.arg(file),
        // All have one id, so it takes none of them together.
        _ if is_capnp => return false,
        _ if compiler[0] == "flatc" => command.args(files),
        // It takes one file, with all that this one includes.
        _ => {
            let name = |file: &&Path| file.file_name().map(std::ffi::OsStr::to_os_string);
            let includes = files.iter().filter_map(name).map(|name| format!("include {name:?}\n")).collect::<String>();
            std::fs::write(folder.join("all.thrift"), includes).expect("the folder can be written");
            command.arg("-r").arg(folder.join("all.thrift"))
        }
    };
    bounded::run(&mut command).is_some_and(|output| output.status.success())
}

#[test]
fn what_flatc_takes_is_accepted_and_what_a_reader_could_feel_is_refused() {
    check(Format::Flatbuffers, "fbs", &["flatc", "--cpp"]);
}

#[test]
fn what_the_compiler_of_capnp_takes_is_accepted_and_what_it_refuses_is_refused() {
    check(Format::Capnp, "capnp", &["capnp", "compile", "-o-"]);
}

#[test]
fn what_the_compiler_of_thrift_takes_is_accepted_and_what_a_reader_could_feel_is_refused() {
    check(Format::Thrift, "thrift", &["thrift", "--gen", "json"]);
}
