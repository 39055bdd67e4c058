//! The README and the pages of `docs/` do not lie: outputs are real, options exist, sentences are those of the
//! program, configurations are valid and links lead somewhere.

use std::fs;
use std::path::{Path, PathBuf};

use crate::git::run;
use crate::support::{expect_file, files_below, name_of, relative, root};
use wireproof::config::Config;
use wireproof::formats::Format;
use wireproof::rules::RuleSet;
use wireproof::text;
use wireproof::vocabulary::{Mode, Outcome, UpgradeOrder};

/// How the pages call the program: in a clone of the repository, and where it is installed.
const CALLS: [&str; 2] = ["cargo run --release --locked -- ", "wireproof "];

/// A fenced block: its language, its lines, and where it starts.
struct Block<'t> {
    language: &'t str,
    lines: Vec<&'t str>,
    line: usize,
}

/// The pages that people read, generated ones included.
fn pages() -> Vec<(PathBuf, String)> {
    let named = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].map(|name| root().join(name));
    let docs = files_below(&root().join("docs"));
    let pages = named.into_iter().chain(docs).filter(|path| path.extension().is_some_and(|end| end == "md"));
    pages.map(|path| (path.clone(), fs::read_to_string(&path).expect("pages are text"))).collect()
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).expect("the page exists")
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found: Vec<Block<'_>> = Vec::new();
    let mut is_open = false;
    for (at, line) in text.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(language) if !is_open => found.push(Block { language, lines: Vec::new(), line: at + 1 }),
            None if is_open => found.last_mut().expect("a block is open").lines.push(line),
            Some(_) | None => {}
        }
        is_open ^= line.starts_with("```");
    }
    found
}

/// The arguments of a line that calls the program, comments left out.
fn arguments(line: &str) -> Option<Vec<&str>> {
    let call = line.strip_prefix("$ ").unwrap_or(line);
    let rest = CALLS.into_iter().find_map(|start| call.strip_prefix(start))?;
    let rest = rest.split(" #").next().unwrap_or(rest);
    Some(words(rest))
}

/// The words of a command; what stands between quotes is one.
fn words(mut rest: &str) -> Vec<&str> {
    let mut words = Vec::new();
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return words };
        let (word, behind) = match first {
            '\'' | '"' => rest[1..].split_once(first).unwrap_or((&rest[1..], "")),
            _ => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        words.push(word.trim_matches(['\'', '"']));
        rest = behind;
    }
}

/// The page with what its `console` blocks print at this commit.
fn with_real_outputs(text: &str) -> String {
    let mut real = String::new();
    let mut is_console = false;
    for line in text.lines() {
        let shown = match line.strip_prefix("```") {
            Some(language) => {
                is_console = language == "console";
                format!("{line}\n")
            }
            None if !is_console => format!("{line}\n"),
            None => match arguments(line) {
                Some(arguments) => format!("{line}\n{}", run(root(), &arguments).out),
                None => String::new(),
            },
        };
        real.push_str(&shown);
    }
    real
}

#[test]
fn outputs_are_what_the_program_prints() {
    let broken: Vec<String> =
        pages().into_iter().filter_map(|(path, text)| expect_file(&path, &with_real_outputs(&text)).err()).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_tour_shows_the_run_of_the_readme_with_its_bytes() {
    let text = page("docs/tour.md");
    let shown = blocks(&text).into_iter().find(|block| block.language == "console").expect("the tour shows a run");
    let command = shown.lines[0].trim_start_matches("$ ");
    assert!(page("README.md").contains(command), "the README has another first command");
    let all = shown.lines.join("\n");
    assert!(all.contains("reuses number") && all.contains("bytes 10 01"), "{all}");
    let arguments = arguments(shown.lines[0]).expect("it calls the program");
    assert_eq!(run(root(), &arguments).code, 1, "the README says that the exit code is 1");
}

#[test]
fn commands_that_pages_show_are_understood() {
    let mut broken = Vec::new();
    for (path, text) in pages() {
        for block in blocks(&text).into_iter().filter(|block| ["sh", "console"].contains(&block.language)) {
            for arguments in block.lines.iter().filter_map(|line| arguments(line)) {
                let words = std::iter::once("wireproof").chain(arguments).map(Into::into);
                if let Err(error) = wireproof::cli::parse(words) {
                    broken.push(format!("{}:{}: {error}", relative(&path), block.line));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn modes_outcomes_and_orders_are_in_the_words_of_the_program() {
    let modes = |mode: Mode| format!("| `{mode}` | {} |", text::mode_sentence(&mode.into()));
    let outcomes = |outcome: Outcome| format!("| `{outcome}` | {} |", text::outcome_meaning(outcome, text::Role::Data));
    let orders = |order: UpgradeOrder| {
        let (upgrade, rollback) = (text::upgrade_order(&order.into()), text::rollback(&order.into()));
        format!("| `{order}` | {upgrade} | {rollback} |")
    };
    let mut wanted: Vec<String> = Mode::ALL.iter().map(|mode| modes(*mode)).collect();
    let (readme, page) = (page("README.md"), page("docs/modes.md"));
    assert!(wanted.iter().all(|row| readme.contains(row.as_str())), "README.md: {wanted:#?}");
    wanted.extend(Outcome::ALL.iter().copied().map(outcomes));
    wanted.extend(UpgradeOrder::ALL.iter().copied().map(orders));
    let missing: Vec<String> = wanted.into_iter().filter(|row| !page.contains(row.as_str())).collect();
    assert!(missing.is_empty(), "docs/modes.md lacks:\n{}", missing.join("\n"));
}

#[test]
fn configurations_that_pages_show_are_valid() {
    let text = page("docs/config.md");
    let shown: Vec<Block<'_>> = blocks(&text).into_iter().filter(|block| block.language == "yaml").collect();
    for block in &shown {
        let config = Config::parse("wireproof.yaml", &block.lines.join("\n"));
        assert!(config.is_ok(), "docs/config.md:{}: {}", block.line, config.expect_err("checked"));
    }
    let schema: serde_json::Value = serde_json::from_str(wireproof::config::schema()).expect("a JSON Schema is JSON");
    let keys = schema["properties"].as_object().expect("the configuration has keys");
    let absent: Vec<&String> = keys.keys().filter(|key| !text.contains(&format!("`{key}`"))).collect();
    assert!(absent.is_empty(), "docs/config.md does not explain {absent:?}");
    let shows =
        |key: &&String| shown.iter().any(|block| block.lines.iter().any(|line| line.starts_with(&format!("{key}:"))));
    let unseen: Vec<&String> = keys.keys().filter(|key| !shows(key)).collect();
    assert!(unseen.is_empty(), "docs/config.md has no example of {unseen:?}");
}

#[test]
fn rules_that_pages_name_exist() {
    let rules = RuleSet::built_in();
    let short: Vec<&str> = rules.iter().map(|rule| rule.short_id()).collect();
    let starts = ["field-", "enum-", "message-", "method-", "service-", "extension-", "integer-", "wire-type-"];
    let mut broken = Vec::new();
    // Generated pages name kinds of change and values of facts as well.
    let is_written =
        |(path, _): &(PathBuf, String)| !relative(path).starts_with("docs/rules/") && relative(path) != "docs/facts.md";
    for (path, text) in pages().into_iter().filter(is_written) {
        let words = text.split('`').skip(1).step_by(2);
        let is_file = |word: &str| word.ends_with('/') || [".rs", ".yaml"].iter().any(|ending| word.ends_with(ending));
        let named = words.filter(|word| !word.contains(char::is_whitespace) && !is_file(word));
        let unknown = named.filter(|word| match word.split_once('/') {
            Some((format, _)) if Format::from_name(format).is_some() => rules.names().all(|name| name != *word),
            _ => {
                starts.iter().any(|start| word.starts_with(start))
                    && !short.contains(word)
                    && rules.names().all(|name| name != *word)
            }
        });
        broken.extend(unknown.map(|word| format!("{}: there is no rule {word}", relative(&path))));
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    for (path, text) in pages() {
        let folder = path.parent().expect("a page lies in a folder");
        for target in links(&text).into_iter().filter(|target| !target.contains("://")) {
            let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
            let file = if file.is_empty() { path.clone() } else { folder.join(file) };
            if !file.exists() {
                broken.push(format!("{}: there is no {target}", relative(&path)));
            } else if anchor.is_some_and(|anchor| !has_heading(&file, anchor)) {
                broken.push(format!("{}: no heading for {target}", relative(&path)));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_page_is_reached_from_the_readme() {
    let (mut seen, mut open) = (Vec::new(), vec![root().join("README.md")]);
    while let Some(path) = open.pop() {
        let Ok(real) = path.canonicalize() else { continue };
        if seen.contains(&real) || real.extension().is_none_or(|end| end != "md") {
            continue;
        }
        let text = fs::read_to_string(&real).expect("pages are text");
        let folder = real.parent().expect("a page lies in a folder").to_path_buf();
        open.extend(links(&text).into_iter().map(|target| folder.join(target.split('#').next().unwrap_or(target))));
        seen.push(real);
    }
    let names: Vec<String> = seen.iter().map(|path| name_of(path)).collect();
    let lost = pages().into_iter().map(|(path, _)| name_of(&path)).filter(|name| !names.contains(name));
    let lost: Vec<String> = lost.collect();
    assert!(lost.is_empty(), "no link leads to {lost:?}");
}

/// The targets of all links outside of code.
fn links(text: &str) -> Vec<&str> {
    let mut is_code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        if !is_code {
            let starts = line.match_indices("](").map(|(at, opening)| at + opening.len());
            found.extend(starts.filter_map(|start| line[start..].split(')').next()));
        }
    }
    found
}

/// Whether a page has a heading of that anchor, spelled as GitHub does.
fn has_heading(page: &Path, anchor: &str) -> bool {
    let text = fs::read_to_string(page).unwrap_or_default();
    let spelled = |heading: &str| -> String {
        let kept = heading
            .trim()
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || "-_ ".contains(*c))
            .collect::<String>();
        kept.replace(' ', "-")
    };
    text.lines().filter(|line| line.starts_with('#')).any(|line| spelled(line.trim_start_matches('#')) == anchor)
}

/// What says in a page which action that is.
const WHICH: &str = "uses: OWNER/wireproof@COMMIT # where you found this page, and a commit of it";

/// The workflow that `init` writes where the action is called as pages call it.
fn workflow() -> String {
    let place = crate::git::Place::new();
    place.write("order.proto", "syntax = \"proto3\";\n");
    let ran = run(&place.path(""), &["init", "--github", "--action", "OWNER/wireproof@COMMIT"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = fs::read_to_string(place.path(".github/workflows/wireproof.yml")).expect("it was written");
    text.replace("uses: OWNER/wireproof@COMMIT", WHICH)
}

#[test]
fn the_workflow_that_pages_show_is_the_one_that_init_writes() {
    let workflow = workflow();
    for name in ["README.md", "docs/ci.md"] {
        let text = page(name);
        let at = text.find(WHICH).unwrap_or_else(|| panic!("{name} shows no workflow"));
        let start = text[..at].rfind("```yaml\n").expect("it is a block") + "```yaml\n".len();
        let end = at + text[at..].find("```").expect("it ends");
        let shown = format!("{}{workflow}{}", &text[..start], &text[end..]);
        expect_file(&root().join(name), &shown).unwrap_or_else(|difference| panic!("{difference}"));
    }
}

#[test]
fn actions_are_named_by_a_hash_and_by_one_alone() {
    let templates = ["src/app/init/check.yml", "src/app/init/forks.yml", "src/app/init/upload.yml"];
    let workflows = files_below(&root().join(".github/workflows")).into_iter().map(|path| relative(&path));
    let written = templates.into_iter().map(str::to_owned).chain(workflows).map(|name| (name.clone(), page(&name)));
    let pages = pages().into_iter().map(|(path, text)| (relative(&path), text));
    let mut known: std::collections::BTreeMap<String, String> = std::collections::BTreeMap::new();
    for (name, text) in written.chain(pages) {
        let used = text.lines().filter_map(|line| line.trim_start().trim_start_matches("- ").strip_prefix("uses: "));
        for (action, version) in used.filter_map(|used| used.split_once('@')) {
            if action == "OWNER/wireproof" {
                assert!(version.starts_with("COMMIT"), "{name}: {action}@{version}");
                continue;
            }
            let hash = version.split(' ').next().unwrap_or_default();
            let is_hash = hash.len() == 40 && hash.bytes().all(|digit| digit.is_ascii_hexdigit());
            assert!(is_hash && version.contains(" # v"), "{name}: {action}@{version} can be moved, or says no version");
            // Actions of one repository are of one commit.
            let repository = action.splitn(3, '/').take(2).collect::<Vec<_>>().join("/");
            let other = known.entry(repository).or_insert_with(|| version.to_owned());
            assert_eq!(other, version, "{name}: {action}");
        }
    }
}

#[test]
fn the_readme_is_short_enough_to_read() {
    let lines = page("README.md").lines().count();
    assert!(lines <= 200, "{lines} lines");
}
