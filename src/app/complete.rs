//! `wireproof completions`, and what the scripts it prints ask for at the cursor.
//!
//! Branches, tags and files may have any name, and what a shell completes becomes part of a command. So names with anything
//! in them that a shell takes for more than a name are left out.

use std::path::Path;

use super::output::print;
use super::paths::working_directory;
use crate::cli::{AtCursor, Shell, With, at_cursor, definition};
use crate::failure::{Exit, Failure};
use crate::ordered::InOrder;
use crate::rules::RuleSet;
use crate::source::git::{Network, Repository};

const BASH: &str = include_str!("complete/wireproof.bash");
const ZSH: &str = include_str!("complete/wireproof.zsh");
const FISH: &str = include_str!("complete/wireproof.fish");

/// Prints the script of a shell.
pub(super) fn script(shell: Shell) -> Result<Exit, Failure> {
    let of_clap = |generator: &dyn Fn(&mut clap::Command, &mut Vec<u8>)| {
        let mut script = Vec::new();
        generator(&mut definition(usize::MAX), &mut script);
        print(&script)
    };
    let of_shell = |shell: clap_complete::Shell| {
        of_clap(&|command, out| clap_complete::generate(shell, command, "wireproof", out))
    };
    match shell {
        Shell::Bash => print(BASH.as_bytes()),
        Shell::Zsh => print(ZSH.as_bytes()),
        Shell::Fish => print(FISH.as_bytes()),
        Shell::Elvish => of_shell(clap_complete::Shell::Elvish),
        Shell::PowerShell => of_shell(clap_complete::Shell::PowerShell),
        Shell::Nushell => of_clap(&|command, out| {
            clap_complete::generate(clap_complete_nushell::Nushell, command, "wireproof", out);
        }),
    }
}

/// Prints what may stand at the cursor: a candidate on each line, a tab, and what it means. A line that starts with a colon
/// tells the shell what to do: `:files KEPT` and `:folders KEPT` to add paths behind what is kept of the word, `:nospace`
/// that something else has to follow.
pub(super) fn candidates(words: &[String]) -> Result<Exit, Failure> {
    let at = at_cursor(definition(usize::MAX), words);
    let cwd = working_directory()?;
    let mut found = Found::default();
    for with in &at.with {
        found.take(with, &at, &cwd);
    }
    let mut lines = Vec::new();
    lines.extend(found.are_starts.then(|| ":nospace\n".to_owned()));
    lines.extend(found.paths.map(|paths| format!(":{paths} {}\n", at.kept)));
    let fits = |(word, _): &&(String, String)| word.starts_with(&at.begun) && is_plain(word);
    let candidates = found.words.iter().filter(fits);
    lines.extend(candidates.map(|(word, means)| match means.as_str() {
        "" => format!("{}{word}\n", at.kept),
        means => format!("{}{word}\t{}\n", at.kept, crate::text::visible(means)),
    }));
    print(lines.concat().as_bytes())
}

/// Whether no shell takes a word for more than a word.
fn is_plain(word: &str) -> bool {
    word.chars().all(|letter| letter.is_alphanumeric() || "-_./:=@+,%#".contains(letter)) && !word.starts_with('#')
}

/// What was found for the cursor.
#[derive(Default)]
struct Found {
    words: Vec<(String, String)>,
    /// Whether something has to follow behind each.
    are_starts: bool,
    /// Which paths the shell is to add: `files` or `folders`.
    paths: Option<&'static str>,
}

impl Found {
    fn take(&mut self, with: &With, at: &AtCursor, cwd: &Path) {
        match with {
            With::Words(words) => self.words.extend(words.iter().cloned()),
            With::Starts(words) => {
                self.words.extend(words.iter().cloned());
                self.are_starts = true;
            }
            With::Files => self.paths = Some("files"),
            With::Folders => self.paths = Some("folders"),
            With::Rules => self.words.extend(rules(&at.begun, cwd)),
            With::Filters => self.words.extend(filters(cwd)),
            With::Versions => self.versions(&at.begun, cwd),
            With::Revisions => self.words.extend(revisions(cwd).into_iter().map(|name| (name, String::new()))),
            With::Histories => {
                let told = [
                    ("first-parent", "The commits that changed a schema"),
                    ("tags:", "Tags that match what follows, such as tags:v*"),
                    ("dir:", "Folders side by side, such as dir:versions/*"),
                ];
                self.words.extend(told.map(|(word, means)| (word.to_owned(), means.to_owned())));
                self.are_starts = at.begun.starts_with('t') || at.begun.starts_with('d');
            }
        }
    }

    /// `git:` first, then its revisions, then what lies in one of them.
    fn versions(&mut self, begun: &str, cwd: &Path) {
        let Some(revision) = begun.strip_prefix("git:") else {
            self.paths = Some("files");
            let is_alone = !begun.is_empty() && "git:".starts_with(begun);
            self.words.push(("git:".to_owned(), "A revision of the repository".to_owned()));
            self.are_starts = is_alone;
            return;
        };
        match revision.split_once(':') {
            Some((revision, path)) => {
                self.words.extend(inside(revision, path, cwd).into_iter().map(|name| (name, String::new())));
                self.are_starts = true;
            }
            None => {
                let named = revisions(cwd).into_iter().map(|name| (format!("git:{name}"), String::new()));
                self.words.extend(named);
            }
        }
    }
}

/// The rules, one's own included where the configuration can be read, with their families.
fn known(cwd: &Path) -> RuleSet {
    super::terms::read(&Default::default(), cwd).map_or_else(|_| RuleSet::built_in().clone(), |(_, rules)| rules)
}

/// Ids of rules; ids without their format where what is begun is none of a format.
fn rules(begun: &str, cwd: &Path) -> Vec<(String, String)> {
    let rules = known(cwd);
    let whole: Vec<(String, String)> = rules.iter().map(|rule| (rule.id.clone(), rule.title.clone())).collect();
    if whole.iter().any(|(id, _)| id.starts_with(begun)) {
        return whole;
    }
    let mut short: Vec<(String, String)> =
        rules.iter().map(|rule| (rule.short_id().to_owned(), rule.title.clone())).collect();
    short.sort_in_order();
    short.dedup_by(|one, other| one.0 == other.0);
    short
}

/// Words that the list of rules can be narrowed down by: languages and families.
fn filters(cwd: &Path) -> Vec<(String, String)> {
    let rules = known(cwd);
    let words = rules.iter().flat_map(|rule| [rule.format().to_owned(), rule.family.clone()]);
    let words: crate::ordered::OrderedSet<String> = words.collect();
    words.into_iter().map(|word| (word, String::new())).collect()
}

/// What git answers here, if it does.
fn ask<const N: usize>(cwd: &Path, question: [&str; N]) -> Option<String> {
    Repository::discover(cwd, Network::Offline).ok()??.ask(question).ok()?
}

/// The names of branches and tags.
fn revisions(cwd: &Path) -> Vec<String> {
    let refs = ["for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags"];
    let mut names: Vec<String> = ask(cwd, refs).unwrap_or_default().lines().map(str::to_owned).collect();
    names.insert(0, "HEAD".to_owned());
    names
}

/// What lies in a folder of a revision, as `git:REF:PATH`.
fn inside(revision: &str, path: &str, cwd: &Path) -> Vec<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let tree = format!("{revision}:{folder}");
    // What starts with a dash would be an option.
    if revision.is_empty() || revision.starts_with('-') {
        return Vec::new();
    }
    let listed = ask(cwd, ["ls-tree", "-z", &tree]).unwrap_or_default();
    let entry = |line: &str| {
        let (kind, name) = line.split_once('\t')?;
        let end = if kind.contains(" tree ") { "/" } else { "" };
        let within = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        Some(format!("git:{revision}:{within}{name}{end}"))
    };
    listed.split('\0').filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_a_shell_would_run_is_no_candidate() {
        assert!(is_plain("git:origin/release-2.x") && is_plain("json=") && is_plain("größe"));
        for odd in ["git:$(id)", "git:a;b", "a`b`", "git:a|b", "a b", "git:x&y", "git:(x)", "git:a'b", "git:{a}"] {
            assert!(!is_plain(odd), "{odd}");
        }
    }
}
