//! What the test binaries share: the cases (rule examples and fixtures), running them, and files that tests write.

#![allow(dead_code, reason = "each test binary uses a part of it")]

pub mod avro;
pub mod dice;
pub mod github;
pub mod pairs;
pub mod peer;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use wireproof::change::{Identity, Pair, Suggestion};
use wireproof::formats::{CheckOptions, Checked, Encoding, Format, Usage, Usages, Writers, check_pair};
use wireproof::report::Report;
use wireproof::rules::{POLICY, Rule, RuleSet};
use wireproof::source::Snapshot;
use wireproof::verdict::Policy;

/// The root of the repository; the fuzz targets are a package in a folder of it.
pub fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    if package.ends_with("fuzz") { package.parent().unwrap_or(package) } else { package }
}

/// Says that a test, or a part of it, does not run here: the program or the system that it needs, and what is not tested.
///
/// A test that passes prints nothing, so `.ci/run` names a file in `WIREPROOF_SKIPS`, and counts and lists at its end what
/// was written there. No test may return early for want of something without calling this.
pub fn skip(needs: &str, untested: &str) {
    eprintln!("SKIPPED: {needs}: {untested}");
    let Some(path) = std::env::var_os("WIREPROOF_SKIPS") else { return };
    let thread = std::thread::current();
    let line = format!("{needs}\t{}\t{untested}\n", thread.name().unwrap_or("a test"));
    let file = fs::OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(line.as_bytes()))
        .expect("WIREPROOF_SKIPS names a file that can be written");
}

/// Whether this is Windows, where what is named cannot be tested.
pub fn is_windows(untested: &str) -> bool {
    if cfg!(windows) {
        skip("a system that is not Windows", untested);
    }
    cfg!(windows)
}

/// Whether to try everything that can be tried, as `.ci/run` does; a plain run comes to an end sooner.
pub fn tries_everything() -> bool {
    std::env::var_os("ALL_PAIRS").is_some()
}

/// How many of something are tried: all where everything is, and otherwise some.
pub fn as_many([all, some]: [usize; 2]) -> usize {
    if tries_everything() { all } else { some }
}

/// All of something where everything is tried, and otherwise each sixth of it.
pub fn some_of<T>(all: Vec<T>) -> Vec<T> {
    all.into_iter().step_by(as_many([1, 6])).collect()
}

/// Whether this run writes generated files instead of comparing them.
pub fn updating() -> bool {
    std::env::var_os("UPDATE").is_some_and(|value| value == "1")
}

/// Compares a generated file with what is on disk, or writes it.
pub fn expect_file(path: &Path, content: &str) -> Result<(), String> {
    let shown = path.strip_prefix(root()).unwrap_or(path).display();
    let on_disk = fs::read_to_string(path).unwrap_or_default();
    if on_disk == content {
        return Ok(());
    }
    if updating() {
        let folder = path.parent().ok_or("a file lies in a folder")?;
        fs::create_dir_all(folder).map_err(|error| format!("{shown}: {error}"))?;
        return fs::write(path, content).map_err(|error| format!("{shown}: {error}"));
    }
    let diff = similar::TextDiff::from_lines(on_disk.as_str(), content).unified_diff().context_radius(2).to_string();
    Err(format!("{shown} is not current; run UPDATE=1 cargo test and read the difference\n{diff}"))
}

/// All files below a folder, sorted.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries.filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// The folders directly in a folder, sorted.
pub fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).map(|entries| entries.filter_map(Result::ok).map(|entry| entry.path()).collect());
    let mut folders: Vec<PathBuf> = entries.unwrap_or_default();
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders
}

/// The last part of a path, as text.
pub fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A path inside the repository, with `/`.
pub fn relative(path: &Path) -> String {
    let inside = path.strip_prefix(root()).unwrap_or(path);
    inside.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// How instances are used, as options of the command line say it.
fn usages(options: &[String]) -> Usages {
    let mut usual = Usage::default();
    for option in options {
        match option.split_once('=').unwrap_or((option, "")) {
            ("--assert-formats", "") => usual.asserts_formats = true,
            ("--writers", word) => usual.writers = Writers::from_name(word).expect("a word"),
            ("--encodings", words) => {
                usual.encodings =
                    words.split(',').map(|word| Encoding::from_name(word).expect("an encoding")).collect();
            }
            _ => panic!("no example is run with {option}"),
        }
    }
    Usages { usual, folders: Vec::new() }
}

/// One schema pair.
#[derive(Clone)]
pub struct Case {
    /// A sentence, or the rule and the number of its example.
    pub name: String,
    /// The language of the schemas.
    pub format: Format,
    /// Both sides.
    pub sides: Pair<Snapshot>,
    /// The types that data starts from; usually none are named.
    pub roots: Vec<String>,
    /// How instances are used.
    pub usages: Usages,
}

impl Case {
    /// Compares the sides, or the sides exchanged.
    pub fn check(&self) -> Checked {
        check_pair(self.format, self.sides.as_ref(), &self.options())
    }

    /// Compares the sides with old and new exchanged.
    pub fn check_mirrored(&self) -> Checked {
        check_pair(self.format, self.sides.as_ref().mirrored(), &self.options())
    }

    /// How it is checked.
    pub fn options(&self) -> CheckOptions {
        CheckOptions { roots: self.roots.clone(), usages: self.usages.clone(), ..CheckOptions::default() }
    }

    /// The whole pipeline.
    pub fn report(&self, policy: &Policy) -> Report {
        report(self.format, self.sides.as_ref(), policy)
    }

    /// The whole pipeline, for the roots of the case.
    pub fn report_with_roots(&self, policy: &Policy) -> Report {
        report_with(self.format, self.sides.as_ref(), &self.options(), policy)
    }
}

/// The whole pipeline with the built-in rules.
pub fn report(format: Format, sides: Pair<&Snapshot>, policy: &Policy) -> Report {
    report_with(format, sides, &CheckOptions::default(), policy)
}

fn report_with(format: Format, sides: Pair<&Snapshot>, options: &CheckOptions, policy: &Policy) -> Report {
    let labels = Pair::new("old".to_owned(), "new".to_owned());
    let mut report =
        wireproof::pipeline::check_snapshots(sides, &[format], options, RuleSet::built_in(), policy, labels);
    "0.0.0".clone_into(&mut report.tool.version);
    report
}

/// A snapshot of files in memory.
pub fn snapshot<'f>(files: impl IntoIterator<Item = (&'f String, &'f String)>) -> Snapshot {
    Snapshot::from_files(files.into_iter().map(|(path, text)| (path.as_str(), text.as_bytes())))
}

/// A snapshot of a folder.
pub fn folder_snapshot(folder: &Path) -> Snapshot {
    let files = files_below(folder).into_iter().map(|path| {
        let inside = relative(&path)[relative(folder).len() + 1..].to_owned();
        (inside, fs::read(&path).expect("a file of the repository can be read"))
    });
    Snapshot::from_files(files)
}

/// The examples of a rule; those of rules about the gate are no schemas.
pub fn examples(rule: &Rule) -> Vec<Case> {
    if rule.format() == POLICY {
        return Vec::new();
    }
    let format = Format::from_name(rule.format()).expect("a test checks that rule ids start with a format");
    let case = |(index, example): (usize, &wireproof::rules::Example)| Case {
        name: format!("{}::example-{}", rule.id, index + 1),
        format,
        sides: Pair::new(snapshot(&example.old), snapshot(&example.new)),
        roots: example.roots.clone(),
        usages: usages(&example.options),
    };
    rule.examples.iter().enumerate().map(case).collect()
}

/// Every fixture: `fixtures/<format>/<a-sentence>/`.
pub fn fixtures() -> Vec<(PathBuf, Case)> {
    let folders = Format::ALL.iter().flat_map(|format| {
        let folder = root().join("fixtures").join(format.name());
        folders_in(&folder).into_iter().map(move |path| (*format, path))
    });
    folders
        .map(|(format, path)| {
            let sides = Pair::new(path.join("old"), path.join("new")).map(|side| folder_snapshot(&side));
            let case = Case { name: relative(&path), format, sides, roots: Vec::new(), usages: Default::default() };
            (path, case)
        })
        .collect()
}

/// Every rule example and every fixture.
pub fn all_cases() -> Vec<Case> {
    let examples = RuleSet::built_in().iter().flat_map(examples);
    examples.chain(fixtures().into_iter().map(|(_, case)| case)).collect()
}

/// The new side with a suggestion applied.
pub fn applied(new: &Snapshot, suggestion: &Suggestion) -> Result<Snapshot, String> {
    let file = new.get(&suggestion.file).ok_or("the suggestion names a file that the new side lacks")?;
    let mut text = file.bytes.to_vec();
    for edit in suggestion.edits.iter().rev() {
        if text.get(edit.span.range()).is_none() {
            return Err(format!("the edit {edit:?} lies outside of the file"));
        }
        text.splice(edit.span.range(), edit.insert.bytes());
    }
    let others =
        new.iter().map(|(path, file)| (path.clone(), file.bytes.to_vec())).filter(|(path, _)| *path != suggestion.file);
    Ok(Snapshot::from_files(others.chain([(suggestion.file.clone(), text)])))
}

/// The identity as it is called when old and new are exchanged: `a>b#1` is `b>a#1`.
pub fn mirrored(identity: &Identity) -> Identity {
    let text = &identity.0;
    if let Some((old, new)) = text.split_once('>')
        && old.contains(['#', '=', '|', '[', '{', '!'])
    {
        return Identity(format!("{new}>{old}"));
    }
    let end = text.rfind(['#', '@', '=']).unwrap_or(text.len());
    let (container, rest) = text.split_at(end);
    // What is declared of a type has a word in front of the type: `sort:a.B>a.C`.
    let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase());
    let (what, container) = match container.split_once(':').filter(|(what, _)| is_word(what)) {
        Some((what, container)) => (format!("{what}:"), container),
        None => (String::new(), container),
    };
    match container.split_once('>') {
        Some((old, new)) => Identity(format!("{what}{new}>{old}{rest}")),
        None => identity.clone(),
    }
}
