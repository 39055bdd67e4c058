//! What `--help` says below the options, laid out for the width there is.
//!
//! A text is made of paragraphs, a line each, and of lists, whose items start with two spaces. What an item means stands
//! behind three spaces or more. The items below `Examples:` are commands: where one is too long, it is broken between its
//! words as a shell takes it.

use crate::text::wrap;

/// Wider lines are hard to read.
pub(super) const WIDEST: usize = 100;
/// A terminal of fewer columns breaks the lines itself.
const NARROWEST: usize = 40;
/// Below this an option and what it means do not fit beside each other.
pub(super) const NARROW: usize = 60;
/// What an item means is put beside it where it has so many columns there.
const MEANING: usize = 30;
const GAP: &str = "   ";

/// The short text of the program itself.
pub(super) const EXIT_CODES: &str = "\
Without a command, the options are those of `check`: see `wireproof check --help`.
Exit codes: 0 compatible, 1 breaking, 2 usage or configuration error, 3 could not tell (never a pass)";

/// The long text of the program itself.
pub(super) const EXAMPLES: &str = "\
Without a command, the options are those of `check`: see `wireproof check --help`.

Examples:
  wireproof   the working tree against its merge base with main
  wireproof check --mode backward   only: can new readers read old data?
  wireproof check --against git:v1.4   against a tag
  wireproof compare old/ new/   two directories
  wireproof compare git:main:proto proto   a folder of a branch and a directory
  wireproof compare shop-1.0.tar.gz git:HEAD   a release archive and a commit
  wireproof explain protobuf/field-reused   what a rule says, and why

Exit codes:
  0   compatible under the mode in force
  1   at least one finding breaks
  2   usage or configuration error
  3   could not tell: a schema does not parse, the base is not trustworthy; never a pass";

const CHECK: &str = "\
The base, without --against:
  in a GitHub pull-request run, the effect of merging: the merge commit against its first parent, for which a clone of \
depth 1 is enough;
  in a merge queue or on a push, what the event names;
  else the merge base with the default branch, if it can be trusted: in a shallow clone history may be cut off before it, \
and then the command that brings the rest is printed and no verdict.

With --staged, what the next commit will hold (git's index) against the merge base, or against the last commit where there \
is none or that is it; where pre-commit runs for a push, what is pushed.

Examples:
  wireproof check
  wireproof check --staged
  wireproof check --history=tags:v* --mode backward-transitive
  wireproof check proto/shop --surface wire,json
  wireproof check --against git:origin/release-2 --output json=report.json --output markdown=report.md";

const COMPARE: &str = "\
Versions come oldest first; the last one is under review. Several old ones serve the transitive modes, and the other modes \
look at the last of them.

A version is a file, a directory, an archive (.tar, .tar.gz, .tgz, .zip), `git:REF`, `git:REF:PATH`, or `-` for one schema \
on standard input; for Protobuf also a descriptor set or an image of buf (.binpb, .pb, .bin, .desc, .json, each also .gz or \
.zst), and buf's own spelling: `.git#branch=main,subdir=proto`.
A name that is a path and a revision is refused: `git:NAME` is the revision, `./NAME` the path.
An Avro data file (.avro) stands for the schema inside it, and its first records are read as well.

Examples:
  wireproof compare old.proto new.proto
  wireproof compare orders.avro order.avsc   can the new schema read this file?
  wireproof compare git:v1.0 git:v2.0 --mode backward
  wireproof compare v1.avsc v2.avsc v3.avsc --mode backward-transitive
  git show main:order.proto | wireproof compare --type protobuf - order.proto";

const INIT: &str = "\
Without --github, --pre-commit and --forks it writes what fits the repository. What is there already is never overwritten: \
the same text is left as it is, and where the text differs, the difference is shown.

Exit codes: 0 done, or nothing to do; 2 a file cannot be read or written

Examples:
  wireproof init --dry-run
  wireproof init --github --forks --action octocat/wireproof@<commit>";

const ACCEPT: &str = "\
One entry is put into the waiver file: `.wireproof-waivers.yaml` beside the configuration or at the top of the repository, \
unless the configuration names another one. Commit it with the change: reviewers see who let what pass.

Examples:
  wireproof accept 9c1f03ab27de --reason 'no client sends it since May' --owner payments --until 2026-12-31
  wireproof accept 9c1f03ab27de --reason 'see the plan of the migration' --report report.json --dry-run
  wireproof accept --under proto/legacy --reason 'nobody reads these any more'
  wireproof accept --prune   forget the waivers that have ended or done their job";

const RENDER: &str = "\
The parts of one check, made with `--shard 1/3` to `--shard 3/3`, become one report. Parts of different inputs, terms or \
versions are refused. A part that is missing is said, and then the verdict is never `compatible`.

Examples:
  wireproof render report.json --format markdown
  wireproof render part-*.json --exit-code --output markdown=report.md --output sarif=report.sarif";

const FIX: &str = "\
What is removed without a guard is reserved, and a default or an alias that is missing is put in: the edits that a report \
shows under `fix`. They are made in the working tree; formatting and comments stay, and what is reserved in one place is one \
statement. Then everything is checked again: a file in which a finding still stands, or something new is wrong, gets its \
text back.

Exit codes: 0 done, or nothing to do; 2 a file cannot be read or written; 3 a file could not be judged, or an edit was taken \
back

Examples:
  wireproof fix --dry-run > fixes.patch   the patch only; `git apply` takes it
  wireproof fix --only field-removed-unreserved
  wireproof fix proto/shop --against git:v1.4";

const COMMENT: &str = "\
The token comes from GITHUB_TOKEN or GH_TOKEN; it needs `pull-requests: write`. Without one, or with one that may not write, \
as in a run from a fork, the headline is said as a notice and the exit code is 0.

One comment per key is created and then updated in place. Nothing is written when it already tells the same, when the pull \
request has moved on or is closed, and when there is nothing to tell and no comment to turn green.

Exit codes: 0 done, or rightly not done; 2 usage; 3 GitHub cannot be reached. The verdict of the report does not matter \
here: that is the exit code of `wireproof check`.

Examples:
  wireproof comment report.json
  wireproof comment report.json --dry-run --repository octocat/shop --pull-request 7";

const PLAN: &str = "\
For each break it tries ways round it: what is new stands beside the old, writers and readers move, the old goes. Each \
schema on the way is written out and checked against the one before as `compare` would; a plan whose steps do not all hold \
is not shown. Where an order of upgrades alone is enough, the plan is that order and what to wait for.

Exit codes: 0 there is a plan, or nothing breaks; 1 there is no way, and the reason for each break is printed; 2 usage; \
3 the two versions could not be compared

Examples:
  wireproof plan old/ new/
  wireproof plan git:main:proto proto --mode backward
  wireproof plan v1.avsc v2.avsc --output markdown=checklist.md
  wireproof plan old/ new/ --output schemas=steps   each schema on the way, in steps/step-1, steps/step-3";

const HISTORY: &str = "\
Versions are the commits on the first-parent line that changed a schema, the tags that match, or folders side by side. Each \
is compared with the one after it, and the newest that differ are compared with each other. Breaks count as readers feel \
them, whatever the mode and whoever acknowledged them.

Exit codes: 0 shown; 2 wrong usage; 3 history could not be read

Examples:
  wireproof history proto/shop
  wireproof history --of=tags:v* --format html > history.html
  wireproof history --element shop.v1.Order
  wireproof history --since v1.0 --matrix 30";

/// The text of a command.
pub(super) fn of(command: &str) -> Option<&'static str> {
    Some(match command {
        "check" => CHECK,
        "compare" => COMPARE,
        "init" => INIT,
        "accept" => ACCEPT,
        "render" => RENDER,
        "fix" => FIX,
        "comment" => COMMENT,
        "plan" => PLAN,
        "history" => HISTORY,
        _ => return None,
    })
}

/// A text laid out for so many columns.
pub(super) fn laid_out(text: &str, width: usize) -> String {
    let width = width.clamp(NARROWEST, WIDEST);
    let lines: Vec<&str> = text.lines().collect();
    let mut out = Vec::new();
    let mut at = 0;
    let mut are_commands = false;
    while at < lines.len() {
        let items = lines[at..].iter().take_while(|line| line.starts_with("  ")).count();
        if items > 0 {
            list(&lines[at..at + items], are_commands, width, &mut out);
            at += items;
            continue;
        }
        are_commands = lines[at] == "Examples:";
        // Wrapping drops an empty line.
        if lines[at].is_empty() {
            out.push(String::new())
        } else {
            out.extend(wrap(lines[at], width))
        }
        at += 1;
    }
    out.join("\n")
}

/// Items, with what they mean beside them where all have room for that, and else below.
fn list(items: &[&str], are_commands: bool, width: usize, out: &mut Vec<String>) {
    let items: Vec<(&str, Option<&str>)> = items
        .iter()
        .map(|item| item.trim_start())
        .map(|item| item.split_once(GAP).map_or((item, None), |(name, meaning)| (name, Some(meaning.trim()))))
        .collect();
    let explained = items.iter().filter(|(_, meaning)| meaning.is_some());
    let column = explained.map(|(name, _)| name.chars().count()).max().unwrap_or(0) + 4;
    let are_beside = column + 2 + MEANING <= width;
    for (name, meaning) in items {
        let mut lines = if are_commands { command(name, width) } else { hanging(name, "  ", "    ", width) };
        let Some(meaning) = meaning else {
            out.extend(lines);
            continue;
        };
        if are_beside && lines.len() == 1 {
            let first = format!("{:<column$}", lines.remove(0), column = column + 2);
            out.extend(hanging(meaning, &first, &" ".repeat(column + 2), width));
        } else {
            out.extend(lines);
            out.extend(hanging(meaning, "      ", "      ", width));
        }
    }
}

/// Prose behind a first line's start, and behind another for those that follow.
fn hanging(prose: &str, first: &str, next: &str, width: usize) -> Vec<String> {
    let room = width.saturating_sub(first.chars().count().max(next.chars().count()));
    let lines = wrap(prose, room).into_iter().enumerate();
    lines.map(|(at, line)| format!("{}{line}", if at == 0 { first } else { next })).collect()
}

/// A command, in as many lines as it takes; what stands between quotes stays together.
fn command(line: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::from("  ")];
    for word in words(line) {
        let last = lines.last_mut().expect("there is a first line");
        let is_first = last.trim().is_empty();
        // A backslash and the space before it have to fit as well.
        if !is_first && last.chars().count() + word.chars().count() + 3 > width {
            last.push_str(" \\");
            lines.push(format!("      {word}"));
        } else {
            last.push_str(if is_first { "" } else { " " });
            last.push_str(word);
        }
    }
    lines
}

fn words(line: &str) -> Vec<&str> {
    let (mut words, mut start, mut is_quoted) = (Vec::new(), 0, false);
    for (at, letter) in line.char_indices() {
        is_quoted ^= letter == '\'';
        if letter == ' ' && !is_quoted {
            words.push(&line[start..at]);
            start = at + 1;
        }
    }
    words.push(&line[start..]);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "What it is about, in a sentence.\n\nExamples:\n  wireproof check   all of it\n  \
                        wireproof accept 9c1f03ab27de --reason 'no client sends it' --owner payments\n\nExit codes:\n  0   fine";

    #[test]
    fn where_there_is_room_what_an_item_means_stands_beside_it() {
        let wide = laid_out(TEXT, 100);
        assert!(wide.contains("\n  wireproof check    all of it\n"), "{wide}");
        assert!(wide.ends_with("Exit codes:\n  0    fine"), "{wide}");
        assert!(wide.contains("--reason 'no client sends it' --owner payments\n"), "{wide}");
    }

    #[test]
    fn a_command_is_broken_as_a_shell_takes_it() {
        let narrow = laid_out(TEXT, 40);
        assert!(
            narrow.starts_with("What it is about, in a sentence.\n\nExamples:\n  wireproof check\n      all of it\n")
        );
        let command =
            "  wireproof accept 9c1f03ab27de \\\n      --reason 'no client sends it' \\\n      --owner payments\n";
        assert!(narrow.contains(command), "{narrow}");
        assert!(narrow.lines().all(|line| line.chars().count() <= 40), "{narrow}");
    }
}
