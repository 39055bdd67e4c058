//! What is made from the rule files: the digest that is compiled in, and the pages.

use std::fmt::Write as _;
use std::fs;

use crate::support::{expect_file, files_below, folders_in, name_of, relative, root, updating};
use wireproof::rules::{PeerTable, Rule, RuleSet, RuleText};

/// `rules/<format>/*.yaml`: path and text. Deeper folders hold other data.
fn rule_files() -> Vec<(String, String)> {
    let folders = folders_in(&root().join("rules"));
    let paths =
        folders.iter().flat_map(|folder| files_below(folder).into_iter().filter(|path| path.parent() == Some(folder)));
    paths.map(|path| (relative(&path), fs::read_to_string(&path).expect("a rule file is text"))).collect()
}

/// `rules/<format>/peers/*.yaml`: path and text.
fn peer_files() -> Vec<(String, String)> {
    let folders = folders_in(&root().join("rules"));
    let paths = folders.iter().flat_map(|folder| files_below(&folder.join("peers")));
    paths.map(|path| (relative(&path), fs::read_to_string(&path).expect("a table is text"))).collect()
}

#[test]
fn the_digest_says_what_the_rule_files_say() {
    let files = rule_files();
    let texts: Vec<RuleText<'_>> = files.iter().map(|(file, text)| RuleText { file, text }).collect();
    let read = RuleSet::from_files(&texts).unwrap_or_else(|errors| {
        let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("these rule files are not rules:\n{}", told.join("\n"))
    });
    let ids = |set: &RuleSet| set.iter().map(|rule| rule.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(RuleSet::built_in()), ids(&read));
    for (digested, read) in RuleSet::built_in().iter().zip(read.iter()) {
        assert_eq!(format!("{digested:#?}"), format!("{read:#?}"), "{}", read.file);
    }
}

#[test]
fn the_digest_says_what_the_tables_of_other_tools_say() {
    let parse = |(file, text): &(String, String)| PeerTable::parse(RuleText { file, text });
    let read: Result<Vec<PeerTable>, _> = peer_files().iter().map(parse).collect();
    let mut read = read.unwrap_or_else(|error| panic!("{error}"));
    read.sort_by(|one, other| one.tool.cmp(&other.tool));
    let read_whole = |tables: &[PeerTable]| {
        assert!(tables.iter().any(|table| !table.rules().is_empty()), "one of them has rules to choose from");
        format!("{tables:#?}")
    };
    assert_eq!(read_whole(PeerTable::built_in()), read_whole(&read));
}

#[test]
fn the_pages_are_current() {
    let rules = RuleSet::built_in();
    let folder = root().join("docs/rules");
    let mut wanted = vec![folder.join("README.md")];
    let mut failures = vec![expect_file(&wanted[0], &index(rules))];
    for rule in rules.iter() {
        let path = folder.join(format!("{}-{}.md", rule.format(), rule.short_id()));
        let marked = format!("{}{}", made_from(&rule.file), wireproof::explain::page(rule));
        failures.push(expect_file(&path, &marked));
        wanted.push(path);
    }
    for stray in files_below(&folder).into_iter().filter(|path| !wanted.contains(path)) {
        if updating() {
            fs::remove_file(&stray).expect("a generated page can be removed");
        } else {
            failures.push(Err(format!("docs/rules/{} belongs to no rule", name_of(&stray))));
        }
    }
    let failures: Vec<String> = failures.into_iter().filter_map(Result::err).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The first line of a page, which readers of the page do not see and editors do.
fn made_from(file: &str) -> String {
    format!("<!-- Written from {file} by `UPDATE=1 cargo test`; do not edit. -->\n\n")
}

/// The table of all rules.
fn index(rules: &RuleSet) -> String {
    let mut text = "<!-- Written by `UPDATE=1 cargo test`; do not edit. -->\n\n# Rules\n\nEach rule is one file in `rules/<format>/`; these pages are made from them. \
                    `wireproof explain RULE` prints the same page.\n\n\
                    The outcomes are what readers of the other version's data experience on the wire: *backward* is a new \
                    reader of old data, *forward* an old reader of new data. An outcome in braces depends on the change.\n\n\
                    | rule | what it says | class | backward | forward |\n|---|---|---|---|---|\n"
        .to_owned();
    for rule in rules.iter() {
        writeln!(text, "{}", index_row(rule)).expect("a string can be written to");
    }
    text
}

fn index_row(rule: &Rule) -> String {
    use wireproof::evidence::{Direction, Surface};
    let class = rule.severity.map_or_else(|| rule.class.to_string(), |severity| format!("{}: {severity}", rule.class));
    let cell = |direction| rule.impact.get(Surface::Wire, direction).to_string();
    let page = format!("{}-{}.md", rule.format(), rule.short_id());
    let (backward, forward) = (cell(Direction::Backward), cell(Direction::Forward));
    format!("| [`{}`]({page}) | {} | {class} | {backward} | {forward} |", rule.id, rule.title.replace('|', "\\|"))
}
