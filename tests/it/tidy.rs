//! Rules of the repository, each with the few known exceptions; those lists may only shrink.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use crate::support::{files_below, folders_in, name_of, relative, root};
use wireproof::change::{ChangeKind, FactKey};
use wireproof::fingerprint::identifying;
use wireproof::formats::Format;
use wireproof::rules::{Cell, EvidenceNeed, POLICY, Rule, RuleSet, beside, placeholders};
use wireproof::vocabulary::{
    Class, Direction, Mode, Outcome, ProblemSeverity, ProblemSide, Severity, Side, Status, Surface, UpgradeOrder,
    Verdict, Vocabulary,
};

/// What every module may use, as it may use the standard library.
const EVERYONES: [&str; 2] = ["ordered", "parallel"];

/// Module → the modules it may use. What is not listed here is an absent dependency, and that is the architecture.
const WHO_MAY_USE_WHOM: &[(&str, &[&str])] = &[
    ("ordered", &[]),
    ("parallel", &[]),
    ("vocabulary", &[]),
    ("change", &["vocabulary"]),
    ("evidence", &["change", "vocabulary"]),
    ("text", &["vocabulary"]),
    ("lines", &["change"]),
    ("syntax", &["change", "vocabulary"]),
    ("value", &["change", "evidence"]),
    ("failure", &["text"]),
    ("snapshot", &[]),
    ("unseen", &["change", "snapshot", "syntax"]),
    ("source", &["change", "failure", "formats", "snapshot", "syntax", "text"]),
    ("formats", &["change", "evidence", "snapshot", "syntax", "text", "value", "vocabulary"]),
    ("rules", &["change", "evidence", "failure", "vocabulary"]),
    ("judge", &["change", "evidence", "rules", "syntax"]),
    ("attach", &["change", "evidence", "judge", "rules", "vocabulary"]),
    ("verdict", &["attach", "change", "evidence", "judge", "rules", "vocabulary"]),
    ("date", &[]),
    ("fingerprint", &["change", "text"]),
    ("safeguards", &["change", "date", "failure", "fingerprint", "snapshot"]),
    ("report", &["text", "vocabulary"]),
    ("github", &["failure", "report", "text", "vocabulary"]),
    ("explain", &["change", "evidence", "report", "rules", "text"]),
    (
        "assemble",
        &[
            "attach",
            "change",
            "evidence",
            "formats",
            "safeguards",
            "lines",
            "report",
            "rules",
            "shard",
            "snapshot",
            "source",
            "syntax",
            "text",
            "unseen",
            "verdict",
            "vocabulary",
            "waive",
        ],
    ),
    ("inline", &["change", "date", "safeguards", "snapshot"]),
    ("waive", &["attach", "change", "fingerprint", "inline", "safeguards", "judge", "snapshot", "verdict"]),
    ("shard", &["attach", "change", "formats", "verdict", "waive"]),
    (
        "pipeline",
        &[
            "assemble",
            "attach",
            "change",
            "evidence",
            "formats",
            "safeguards",
            "judge",
            "report",
            "rules",
            "shard",
            "snapshot",
            "source",
            "syntax",
            "unseen",
            "verdict",
            "vocabulary",
            "waive",
        ],
    ),
    (
        "plan",
        &["change", "formats", "judge", "pipeline", "report", "rules", "snapshot", "text", "verdict", "vocabulary"],
    ),
    (
        "config",
        &[
            "change",
            "date",
            "evidence",
            "failure",
            "fingerprint",
            "formats",
            "safeguards",
            "rules",
            "source",
            "syntax",
            "text",
            "verdict",
            "vocabulary",
        ],
    ),
    ("cli", &["change", "config", "evidence", "failure", "formats", "report", "rules", "source", "text", "verdict"]),
    (
        "app",
        &[
            "assemble",
            "change",
            "cli",
            "config",
            "date",
            "evidence",
            "explain",
            "failure",
            "fingerprint",
            "formats",
            "safeguards",
            "github",
            "pipeline",
            "plan",
            "report",
            "rules",
            "snapshot",
            "source",
            "syntax",
            "text",
            "unseen",
            "verdict",
            "vocabulary",
        ],
    ),
    ("main", &["app", "cli"]),
];

/// The only modules that touch the world outside; `config` reads its one file.
const MAY_DO_IO: &[&str] = &["source", "config", "github", "app", "main"];

const OUTSIDE: &[&str] =
    &["std::fs", "std::process", "std::net", "std::env", "io::stdin", "io::stdout", "io::stderr", "println!", "ureq::"];

/// What speaks to people of the words of the report, and must name them by their types.
const SPEAKERS: &[&str] = &["src/report", "src/github", "src/text.rs", "src/explain.rs", "src/app", "src/assemble.rs"];

/// Where the words of the report are spelled: the wire form of one version.
const SPELLS_WORDS: &[&str] = &["src/report/v1.rs"];

/// Words of other vocabularies that are spelled as ours are: file, word, whose it is.
const WORDS_OF_OTHERS: &[(&str, &str, &str)] = &[
    ("src/github/notice.rs", "warning", "a workflow command of GitHub"),
    ("src/report/github.rs", "error", "a workflow command of GitHub"),
    ("src/report/github.rs", "warning", "a workflow command of GitHub"),
    ("src/report/merge.rs", "none", "prose: there is no such argument"),
    ("src/report/sarif.rs", "breaking", "a property of a result"),
    ("src/report/sarif.rs", "error", "a level of SARIF"),
    ("src/report/sarif.rs", "new", "a property of the run"),
    ("src/report/sarif.rs", "note", "a level of SARIF"),
    ("src/report/sarif.rs", "old", "a property of the run"),
    ("src/report/sarif.rs", "warning", "a level of SARIF"),
];

/// Lines of the longest file of the program.
const SITTING: usize = 700;

/// Functions longer than a screen: file, function, why.
const LONG_FUNCTIONS: &[(&str, &str, &str)] =
    &[("src/fingerprint.rs", "identifying", "a table: which facts identify, for each kind of change")];

/// Lines of the longest function that fits a screen.
const SCREEN: usize = 60;

/// Kinds of change that no format produces yet, or no rule judges yet.
const UNUSED_KINDS: &[ChangeKind] = &[];

/// Facts that no format states yet, or no rule asks for or names and no id depends on.
const UNUSED_FACTS: &[FactKey] = &[FactKey::Nested, FactKey::LastOfPackage, FactKey::Container];

struct SourceFile {
    path: PathBuf,
    name: String,
    text: String,
}

impl SourceFile {
    /// The module directly below the crate.
    fn module(&self) -> &str {
        let inside = self.name.trim_start_matches("src/");
        inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs")
    }

    /// Without its own tests, which stand last; nothing of a file that is all tests.
    fn without_tests(&self) -> &str {
        if self.name.ends_with("_tests.rs") || self.name.ends_with("/tests.rs") {
            return "";
        }
        self.text.split("#[cfg(test)]").next().unwrap_or(&self.text)
    }
}

fn rust_files(folder: &str) -> Vec<SourceFile> {
    let paths =
        files_below(&root().join(folder)).into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    paths
        .map(|path| {
            let text = fs::read_to_string(&path).expect("source files are text");
            SourceFile { name: relative(&path), path, text }
        })
        .collect()
}

fn assert_none(what: &str, found: impl IntoIterator<Item = String>) {
    let found: Vec<String> = found.into_iter().collect();
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

/// The modules that a text names after `crate::`, groups in braces opened.
fn named_modules(text: &str) -> BTreeSet<String> {
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let compact: String = code.split_whitespace().collect();
    let mut found = BTreeSet::new();
    for (at, _) in compact.match_indices("crate::") {
        let rest = &compact[at + "crate::".len()..];
        let word = |text: &str| {
            text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect::<String>()
        };
        match rest.strip_prefix('{') {
            None => drop(found.insert(word(rest))),
            Some(group) => found.extend(members(group).into_iter().map(word)),
        }
    }
    found
}

/// The members of a group of imports, up to its closing brace.
fn members(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                found.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        if letter == '}' && depth == 0 && start == at + 1 {
            break;
        }
    }
    found.into_iter().filter(|member| !member.is_empty()).collect()
}

#[test]
fn modules_use_only_what_the_table_allows() {
    let table: BTreeMap<&str, &[&str]> = WHO_MAY_USE_WHOM.iter().copied().collect();
    let mut broken = Vec::new();
    for file in rust_files("src").iter().filter(|file| file.name != "src/lib.rs") {
        let module = file.module();
        let Some(allowed) = table.get(module) else {
            broken.push(format!("{}: the module `{module}` is not in the table", file.name));
            continue;
        };
        let used = named_modules(file.without_tests());
        let foreign = used
            .iter()
            .filter(|name| *name != module && !EVERYONES.contains(&name.as_str()) && !allowed.contains(&name.as_str()));
        broken.extend(foreign.map(|name| format!("{}: `{module}` may not use `{name}`", file.name)));
    }
    assert_none("these uses are not in WHO_MAY_USE_WHOM", broken);
}

/// Iterators of `rayon` are compiled anew for everything that is done with them; see the module.
#[test]
fn what_is_done_at_once_is_done_by_the_module_for_it() {
    let files = rust_files("src");
    let others = files.iter().filter(|file| file.module() != "parallel");
    let broken = others
        .filter(|file| ["par_iter", "par_chunks", "rayon::join"].iter().any(|own| file.without_tests().contains(own)));
    assert_none("these files use threads without `parallel`", broken.map(|file| file.name.clone()));
}

/// The standard library compiles its own anew for each type; see the module.
#[test]
fn order_is_kept_by_the_module_for_it() {
    const ITS_OWN: [&str; 7] =
        ["BTreeMap", "BTreeSet", ".sort()", ".sort_by(", ".sort_by_key(", ".sort_by_cached_key(", ".sort_unstable"];
    let files = rust_files("src");
    let others = files.iter().filter(|file| file.module() != "ordered" && !file.name.ends_with("_tests.rs"));
    let broken = others.filter(|file| ITS_OWN.iter().any(|own| file.without_tests().contains(own)));
    assert_none("these files keep things in order without `ordered`", broken.map(|file| file.name.clone()));
}

#[test]
fn formats_do_not_see_each_other() {
    let broken = rust_files("src/formats").into_iter().flat_map(|file| {
        let others = Format::ALL
            .iter()
            .map(|format| format.name())
            .filter(|name| !file.name.starts_with(&format!("src/formats/{name}")));
        let seen =
            others.filter(|name| file.name != "src/formats/mod.rs" && file.text.contains(&format!("formats::{name}")));
        seen.map(|name| format!("{} sees {name}", file.name)).collect::<Vec<_>>()
    });
    assert_none("a format knows itself only", broken);
}

#[test]
fn only_the_edge_touches_the_world_outside() {
    let inner = rust_files("src").into_iter().filter(|file| !MAY_DO_IO.contains(&file.module()));
    let broken = inner.flat_map(|file| {
        let code: String = file.without_tests().lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let touched: Vec<&str> = OUTSIDE.iter().copied().filter(|word| code.contains(word)).collect();
        touched.into_iter().map(|word| format!("{} uses {word}", file.name)).collect::<Vec<_>>()
    });
    assert_none(&format!("only {MAY_DO_IO:?} do input and output"), broken);
}

/// Every function with its length in lines, as `cargo fmt` lays it out.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let Some(name) = function_name(code) else { continue };
        let close = format!("{}}}", &line[..line.len() - code.len()]);
        let opens =
            lines[at..].iter().find(|line| line.ends_with(['{', ';', '}'])).is_some_and(|line| line.ends_with('{'));
        let length = lines[at..].iter().position(|line| *line == close);
        if let (true, Some(length)) = (opens, length) {
            found.push((name, length + 1));
        }
    }
    found
}

fn function_name(code: &str) -> Option<String> {
    const BEFORE: [&str; 5] = ["pub", "pub(crate)", "pub(super)", "const", "async"];
    let mut words = code.split_whitespace().skip_while(|word| BEFORE.contains(word));
    let name = words.next().filter(|word| *word == "fn").and_then(|_| words.next())?;
    Some(name.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect())
}

#[test]
fn a_function_fits_a_screen() {
    let mut needed = BTreeSet::new();
    let mut broken = Vec::new();
    for file in ["src", "tests"].into_iter().flat_map(rust_files) {
        for (function, length) in functions(&file.text).into_iter().filter(|(_, length)| *length > SCREEN) {
            if LONG_FUNCTIONS.iter().any(|(path, name, _)| *path == file.name && *name == function) {
                needed.insert((file.name.clone(), function));
            } else {
                broken.push(format!("{}: `{function}` has {length} lines", file.name));
            }
        }
    }
    assert_none("these functions are longer than a screen", broken);
    let stale =
        LONG_FUNCTIONS.iter().filter(|(path, name, _)| !needed.contains(&((*path).to_owned(), (*name).to_owned())));
    assert_none("these exceptions are no longer needed", stale.map(|(path, name, _)| format!("{path}: `{name}`")));
}

#[test]
fn nothing_is_unwrapped_outside_of_tests() {
    let broken = rust_files("src").into_iter().flat_map(|file| {
        let lines = file.without_tests().lines().enumerate().filter(|(_, line)| line.contains(".unwrap()"));
        lines.map(|(at, _)| format!("{}:{}", file.path.display(), at + 1)).collect::<Vec<_>>()
    });
    assert_none("say why it cannot happen, with `expect`", broken);
}

/// Every word of the vocabularies that a report holds.
fn words_of_the_report() -> BTreeSet<&'static str> {
    fn names<T: Vocabulary>() -> Vec<&'static str> {
        T::ALL.iter().map(|word| word.name()).collect()
    }
    let all = [
        names::<Verdict>(),
        names::<Mode>(),
        names::<Surface>(),
        names::<Direction>(),
        names::<Outcome>(),
        names::<UpgradeOrder>(),
        names::<Severity>(),
        names::<Class>(),
        names::<Status>(),
        names::<Side>(),
        names::<ProblemSide>(),
        names::<ProblemSeverity>(),
    ];
    all.into_iter().flatten().collect()
}

/// The code of the files that speak to people of the report, without comments and tests.
fn speakers() -> Vec<(String, String)> {
    let speaks = |file: &SourceFile| SPEAKERS.iter().any(|place| file.name.starts_with(place));
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let code = |file: SourceFile| {
        let lines: Vec<&str> = file.without_tests().lines().filter(is_code).collect();
        (file.name.clone(), lines.join("\n"))
    };
    rust_files("src").into_iter().filter(speaks).map(code).collect()
}

#[test]
fn the_words_of_the_report_are_types_and_not_literals() {
    let words = words_of_the_report();
    let (mut broken, mut needed) = (Vec::new(), BTreeSet::new());
    for (file, code) in speakers().into_iter().filter(|(file, _)| !SPELLS_WORDS.contains(&file.as_str())) {
        for literal in code.split('"').filter(|literal| words.contains(literal)) {
            match WORDS_OF_OTHERS.iter().find(|(place, word, _)| *place == file && *word == literal) {
                Some(exception) => drop(needed.insert(exception)),
                None => broken.push(format!("{file}: {literal:?}")),
            }
        }
    }
    assert_none("name the member, `Verdict::Breaking`, instead of its word", broken);
    let stale = WORDS_OF_OTHERS.iter().filter(|exception| !needed.contains(exception));
    assert_none("these exceptions are no longer needed", stale.map(|(file, word, _)| format!("{file}: {word:?}")));
}

#[test]
fn a_match_over_words_of_the_report_names_each() {
    const TYPES: [&str; 12] = [
        "Verdict::",
        "Mode::",
        "Surface::",
        "Direction::",
        "Outcome::",
        "UpgradeOrder::",
        "Severity::",
        "Class::",
        "Status::",
        "Side::",
        "ProblemSide::",
        "ProblemSeverity::",
    ];
    let mut broken = Vec::new();
    for (file, code) in speakers() {
        let lines: Vec<&str> = code.lines().collect();
        let indent = |line: &str| line.len() - line.trim_start().len();
        let is_wild = |line: &str| {
            let arm = line.trim_start().split(" => ").next().unwrap_or_default();
            line.contains(" => ") && !arm.is_empty() && arm.chars().all(|letter| "_(), |".contains(letter))
        };
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_wild(line)) {
            let above = lines[..at].iter().rev().take_while(|other| indent(other) >= indent(line));
            let arms = above.filter(|other| indent(other) == indent(line) && other.contains("=>"));
            let patterns = arms.map(|arm| arm.split("=>").next().unwrap_or_default());
            if patterns.into_iter().any(|pattern| TYPES.iter().any(|name| pattern.contains(name))) {
                broken.push(format!("{file}: {}", line.trim()));
            }
        }
    }
    assert_none("name every member: a new one must be a compile error here", broken);
}

/// The paths that a text names behind a prefix, groups in braces opened.
fn spelled_out(prefix: &str, rest: &str, out: &mut BTreeSet<String>) {
    if let Some(group) = rest.strip_prefix('{') {
        return members(group).into_iter().for_each(|member| spelled_out(prefix, member, out));
    }
    let word: String = rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    let path = format!("{prefix}{word}");
    match rest[word.len()..].strip_prefix("::") {
        Some(rest) => spelled_out(&format!("{path}::"), rest, out),
        None => drop(out.insert(path)),
    }
}

/// The module of a file: `report::html::bytes`.
fn module_path(file: &SourceFile) -> String {
    file.name.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::")
}

/// The other files of a folder from which a file takes something.
fn imports<'f>(file: &SourceFile, files: &'f [SourceFile]) -> BTreeSet<&'f str> {
    let code: String = file.without_tests().lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let compact: String = code.split_whitespace().collect();
    let own = module_path(file);
    let mut named = BTreeSet::new();
    for (at, _) in compact.match_indices("crate::") {
        spelled_out("", &compact[at + "crate::".len()..], &mut named);
    }
    for (at, _) in compact.match_indices("super::").filter(|(at, _)| !compact[..*at].ends_with("super::")) {
        let (mut above, mut rest) = (own.as_str(), &compact[at..]);
        while let Some(behind) = rest.strip_prefix("super::") {
            (above, rest) = (above.rsplit_once("::").map_or("", |(above, _)| above), behind);
        }
        spelled_out(&format!("{above}::"), rest, &mut named);
    }
    let declared = code.split("mod ").skip(1).filter_map(|rest| rest.split_once(';')).map(|(name, _)| name);
    named.extend(declared.filter(|name| has_path(&compact, name)).map(|name| format!("{own}::{name}")));
    let holds = |module: &str, path: &str| {
        path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    let owner = |path: &String| {
        let holders = files.iter().filter(|other| holds(&module_path(other), path));
        holders.max_by_key(|other| module_path(other).len()).map(|other| other.name.as_str())
    };
    named.iter().filter_map(owner).filter(|name| *name != file.name).collect()
}

/// Whether a text takes something from a module of that name.
fn has_path(text: &str, module: &str) -> bool {
    let path = format!("{module}::");
    text.match_indices(&path).any(|(at, _)| {
        !text[..at].ends_with(|before: char| before.is_alphanumeric() || "_:".contains(before))
            || text[..at].ends_with("use")
    })
}

/// What a file leads to by its imports, and by theirs.
fn reachable<'f>(file: &str, imports: &BTreeMap<&'f str, BTreeSet<&'f str>>) -> BTreeSet<&'f str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = imports[file].iter().copied().collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(imports[next].iter().copied());
        }
    }
    reached
}

#[test]
fn files_do_not_import_each_other_in_a_circle() {
    let files = rust_files("src");
    let mut left: BTreeMap<&str, BTreeSet<&str>> =
        files.iter().map(|file| (file.name.as_str(), imports(file, &files))).collect();
    assert!(left.values().flatten().count() > files.len() / 2, "the imports were not found");
    let reached: BTreeMap<&str, BTreeSet<&str>> = left.keys().map(|file| (*file, reachable(file, &left))).collect();
    left.retain(|file, imports| {
        imports.retain(|other| reached[other].contains(file));
        !imports.is_empty()
    });
    let names = |imports: &BTreeSet<&str>| imports.iter().copied().collect::<Vec<_>>().join(", ");
    let broken = left.iter().map(|(file, imports)| format!("{file} imports {}", names(imports)));
    assert_none("these files import each other", broken);
}

#[test]
fn a_file_is_read_in_one_sitting() {
    let long = rust_files("src").into_iter().filter(|file| file.text.lines().count() > SITTING);
    assert_none("these files are too long", long.map(|file| file.name));
}

#[test]
fn rule_ids_are_file_names() {
    let broken = RuleSet::built_in().iter().filter(|rule| rule.file != format!("rules/{}.yaml", rule.id));
    assert_none("the id of a rule is its path", broken.map(|rule| format!("{} in {}", rule.id, rule.file)));
    let is_known = |rule: &Rule| Format::from_name(rule.format()).is_some() || rule.format() == POLICY;
    let foreign = RuleSet::built_in().iter().filter(|rule| !is_known(rule));
    assert_none("the folder of a rule is a format, or `policy`", foreign.map(|rule| rule.id.clone()));
}

#[test]
fn every_rule_shows_when_it_fires_and_when_it_does_not() {
    let lacks =
        |rule: &Rule| match (rule.examples.iter().any(|one| one.fires), rule.examples.iter().any(|one| !one.fires)) {
            (true, true) => None,
            (false, _) => Some(format!("{} has no example on which it fires", rule.id)),
            (true, false) => Some(format!("{} has no near miss", rule.id)),
        };
    // What is said about the gate itself is not shown by two schemas; `waivers.rs` shows it in repositories.
    let shown = RuleSet::built_in().iter().filter(|rule| rule.format() != POLICY);
    assert_none("a rule has an example and a near miss", shown.filter_map(lacks));
}

#[test]
fn no_two_rules_can_judge_one_change() {
    let rules: Vec<&Rule> = RuleSet::built_in().iter().collect();
    let pairs = rules.iter().enumerate().flat_map(|(at, one)| rules[at + 1..].iter().map(move |other| (*one, *other)));
    let meeting = pairs.filter(|(one, other)| one.may_overlap(other));
    assert_none(
        "make their facts exclude each other",
        meeting.map(|(one, other)| format!("{} and {}", one.id, other.id)),
    );
}

#[test]
fn rules_read_well() {
    let broken = RuleSet::built_in().iter().flat_map(|rule| {
        let texts = [("title", &rule.title), ("message", &rule.message)];
        let ended = texts.into_iter().filter(|(_, text)| text.ends_with('.') || text.contains('\n'));
        let ended = ended.map(|(what, _)| format!("{}: the {what} is one line without a final period", rule.id));
        let empty = [("why", &rule.why), ("fix", &rule.fix)].into_iter().filter(|(_, text)| text.trim().is_empty());
        let empty = empty.map(|(what, _)| format!("{}: `{what}` is empty", rule.id));
        let nameless =
            (!rule.message.contains("{path}")).then(|| format!("{}: the message does not name the element", rule.id));
        ended.chain(empty).chain(nameless).collect::<Vec<_>>()
    });
    assert_none("what, why and what to do", broken);
}

/// Rules about what generic types are given where no message is written: in calls, and by whoever gives the types; and about which calls
/// an object answers. What the one
/// type is to readers of the other is known by declaration, and `capnp_generics` holds it against the library. And rules about
/// readers in single languages, which the reader that decides is none of.
const FELT_BY_DECLARATION: &[&str] = &[
    "capnp/interface-extended-otherwise",
    "capnp/interface-replaced",
    "capnp/method-type-argument-changed",
    "capnp/type-parameters-moved",
    "protobuf/field-enum-closed",
    "protobuf/field-enum-opened",
];

#[test]
fn a_claim_without_bytes_is_about_declarations() {
    let felt = |rule: &&Rule| rule.impact.iter().any(|(_, _, cell)| matches!(cell, Cell::Fact(_)));
    let known = |rule: &&Rule| FELT_BY_DECLARATION.contains(&rule.id.as_str());
    let found = || RuleSet::built_in().iter().filter(|rule| rule.evidence == EvidenceNeed::None).filter(felt);
    let broken = found().filter(|rule| !known(rule));
    assert_none("nothing is read where there are no bytes", broken.map(|rule| rule.id.clone()));
    assert_eq!(found().filter(known).count(), FELT_BY_DECLARATION.len(), "a rule needs no exception");
}

#[test]
fn the_vocabulary_is_used_by_rules_and_formats() {
    let is_of_gate = |file: &SourceFile| {
        ["safeguards", "config", "unseen"].contains(&file.module()) || file.name == "src/app/reused.rs"
    };
    let of_gate = rust_files("src").into_iter().filter(is_of_gate);
    let formats: String = rust_files("src/formats").into_iter().chain(of_gate).map(|file| file.text).collect();
    let rules = RuleSet::built_in();
    let judged: BTreeSet<ChangeKind> = rules.iter().flat_map(|rule| rule.when.kinds.iter().copied()).collect();
    let of_peers = RuleSet::peer_files().flat_map(|(_, text)| placeholders(text)).filter_map(FactKey::from_name);
    let of_ids = ChangeKind::ALL.iter().flat_map(|kind| identifying(*kind)).copied();
    let used: BTreeSet<FactKey> = rules.iter().flat_map(facts_of).chain(of_peers).chain(of_ids).collect();
    let mut broken = Vec::new();
    for kind in ChangeKind::ALL {
        let alive = judged.contains(kind) && has_word(&formats, &format!("ChangeKind::{kind:?}"));
        broken.extend(
            (alive == UNUSED_KINDS.contains(kind)).then(|| format!("{kind}: judged {}", judged.contains(kind))),
        );
    }
    for key in FactKey::ALL {
        let alive = used.contains(key) && has_word(&formats, &format!("FactKey::{key:?}"));
        broken.extend(
            (alive == UNUSED_FACTS.contains(key)).then(|| format!("{key}: asked for or named {}", used.contains(key))),
        );
    }
    assert_none(
        "a kind or fact is produced by a format and used by a rule or an id, or is in the list of exceptions",
        broken,
    );
}

/// What a rule asks for, claims or names.
fn facts_of(rule: &Rule) -> Vec<FactKey> {
    let claimed = rule.impact.iter().filter_map(|(_, _, cell)| match cell {
        Cell::Fact(key) => Some(*key),
        Cell::Is(_) => None,
    });
    let severity = rule.severity.and_then(|severity| match severity {
        Cell::Fact(key) => Some(key),
        Cell::Is(_) => None,
    });
    let claimed = claimed.chain(severity);
    let texts = [&rule.message, &rule.why, &rule.fix];
    let named = texts.into_iter().flat_map(|text| placeholders(text)).filter_map(FactKey::from_name);
    let named = named.flat_map(|key| std::iter::once(key).chain(beside(key)));
    rule.when.facts.keys().copied().chain(claimed).chain(named).collect()
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !text[at + word.len()..].starts_with(|next: char| next.is_alphanumeric()))
}

#[test]
fn a_fixture_is_two_sides_and_what_is_expected_of_them() {
    let mut broken = Vec::new();
    for folder in folders_in(&root().join("fixtures")) {
        if Format::from_name(&name_of(&folder)).is_none() {
            broken.push(format!("{} is not a format", relative(&folder)));
        }
        for fixture in folders_in(&folder) {
            let name = name_of(&fixture);
            if name.split('-').count() < 3
                || name.chars().any(|letter| !(letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-'))
            {
                broken.push(format!("{} is not a sentence in lower case with hyphens", relative(&fixture)));
            }
            if !(fixture.join("old").is_dir() || fixture.join("new").is_dir()) {
                broken.push(format!("{} has no side", relative(&fixture)));
            }
            if !(fixture.join("expect.json").exists() || fixture.join("expect.txt").exists()) {
                broken.push(format!("{} expects nothing", relative(&fixture)));
            }
            let large = files_below(&fixture)
                .into_iter()
                .filter(|path| fs::metadata(path).is_ok_and(|file| file.len() > 200_000));
            broken.extend(large.map(|path| format!("{} is not minimal", relative(&path))));
        }
    }
    assert_none("fixtures", broken);
}
