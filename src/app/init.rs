//! `wireproof init`: configuration, workflow and hook for the repository that it finds.
//!
//! It looks, shows what it will write, and writes it. It never overwrites: what is there already is left as it is, and
//! where it differs, that is said. So a second run writes nothing.

#[path = "init/config.rs"]
mod config;
#[path = "init/hooks.rs"]
mod hooks;
#[path = "init/step.rs"]
mod step;
#[path = "init/workflows.rs"]
mod workflows;

use std::fs;
use std::path::Path;

use super::output::{Console, print};
use super::paths::working_directory;
use super::unnamed::{self, Unnamed};
use crate::cli::InitArgs;
use crate::failure::{Exit, Failure};
use crate::report::text::TextStyle;
use crate::source::git::{Network, Repository};
use crate::source::survey::{Survey, survey};
use crate::text::{Difference, visible, wrap};
use step::{Action, Step};

/// Runs the command.
pub(super) fn init(arguments: &InitArgs) -> Result<Exit, Failure> {
    let cwd = working_directory()?;
    let found = survey(&cwd)?;
    if config::schemas(&found.files).is_empty() {
        let style = Console::of(&arguments.terminal).style;
        print(fitted(&nothing_found(&found), &style).as_bytes())?;
        return Ok(Exit::Compatible);
    }
    let steps = plan(&found, arguments)?;
    let mut out = config::told(&found);
    for step in &steps {
        out.push_str(&shown(step, arguments));
    }
    out.push_str(&next_steps(&found, &steps, arguments));
    // Shown first, so that a failure is about something that was announced.
    let style = Console::of(&arguments.terminal).style;
    print(fitted(&out, &style).as_bytes())?;
    if !arguments.dry_run {
        steps.iter().try_for_each(|step| write(&found.top, step))?;
    }
    let writes = steps.iter().filter(|step| matches!(step.action, Action::Create(_) | Action::Insert { .. })).count();
    let last = match (writes, arguments.dry_run) {
        (0, _) if steps.iter().all(|step| matches!(step.action, Action::Present(_))) => {
            "\nnothing to write: everything is there already\n".to_owned()
        }
        (0, _) => "\nnothing written\n".to_owned(),
        (count, true) => format!("\n{} would be written; nothing was, as --dry-run asks\n", files(count)),
        (count, false) => format!("\n{} written\n", files(count)),
    };
    print(fitted(&last, &style).as_bytes())
}

/// Lines of words broken where they do not fit, behind what they start with; lines of files stay.
fn fitted(out: &str, style: &TextStyle) -> String {
    let line = |line: &str| match line.split_once("  ").filter(|(label, _)| !label.is_empty()) {
        Some((label, words)) => {
            let behind = label.chars().count() + 2;
            let lines = wrap(words, style.edge(behind));
            format!("{label}  {}\n", lines.join(&format!("\n{}", " ".repeat(behind))))
        }
        None if line.starts_with(' ') => format!("{line}\n"),
        None => format!("{}\n", wrap(line, style.edge(0)).join("\n")),
    };
    out.lines().map(line).collect()
}

fn files(count: usize) -> String {
    crate::text::plural(count, "file")
}

fn plan(found: &Survey, arguments: &InitArgs) -> Result<Vec<Step>, Failure> {
    let any_is_named = arguments.github || arguments.pre_commit || arguments.forks;
    let is_there = |path: &str| found.top.join(path).exists();
    let is_on_github = found.git.as_ref().is_some_and(|git| git.is_on_github) || is_there(".github");
    let mut steps = vec![config::step(found)?];
    if arguments.github || arguments.forks || (!any_is_named && is_on_github) {
        steps.extend(workflows::steps(&found.top, arguments)?);
    }
    if arguments.pre_commit || (!any_is_named && is_there(hooks::FILE)) {
        steps.push(hooks::step(&found.top)?);
    }
    Ok(steps)
}

fn write(top: &Path, step: &Step) -> Result<(), Failure> {
    let text = match &step.action {
        Action::Create(text) | Action::Insert { new: text, .. } => text,
        Action::Present(_) | Action::Differs { .. } | Action::ByHand { .. } => return Ok(()),
    };
    let path = top.join(&step.path);
    let folder = path.parent().unwrap_or(top);
    fs::create_dir_all(folder).and_then(|()| super::output::write_file(&path, text.as_bytes())).map_err(|error| {
        Failure::usage(
            format!("cannot write `{}`: {error}", step.path),
            "check that you may write there; `wireproof init --dry-run` shows what to write by hand",
        )
    })
}

fn shown(step: &Step, arguments: &InitArgs) -> String {
    let path = &step.path;
    let verb = if arguments.dry_run { "would write" } else { "write" };
    match &step.action {
        Action::Create(text) => format!("\n{verb}  {path}\n{}", difference("", text)),
        Action::Insert { old, new } => format!("\n{verb}  {path}\n{}", difference(old, new)),
        Action::Present(place) if place == path => format!("\nthere already  {path}\n"),
        Action::Present(place) => format!("\nthere already  {path}: {}\n", visible(place)),
        Action::Differs { old, new } => {
            format!(
                "\nleft alone  {path}: it is there, and says something else than init would\n{}",
                difference(old, new)
            )
        }
        Action::ByHand { why, snippet } => {
            format!("\nleft alone  {path}: {why}. Add this by hand:\n{}", difference("", snippet))
        }
    }
}

/// Lines that go and lines that come, with those around them.
fn difference(old: &str, new: &str) -> String {
    let mut out = String::new();
    for group in Difference::of(old, new).groups(3) {
        for line in group.lines() {
            let line = format!("  {} {}", line.mark, visible(line.text.trim_end_matches(['\n', '\r'])));
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out
}

fn nothing_found(found: &Survey) -> String {
    let place = if found.git.is_some() { "in this repository" } else { "in this folder" };
    let repository = Repository::discover(&found.top, Network::Offline).ok().flatten();
    let unnamed = repository.and_then(|repository| unnamed::found(&repository));
    let named = unnamed.map_or_else(String::new, |Unnamed { message, command }| {
        format!("{message}: such files are judged where they are named, as in `{command}`\n")
    });
    let known = config::recognised();
    format!("no schemas found {place}, so there is nothing to set up\n{named}recognised are {known}\n")
}

/// What is left to do for people.
fn next_steps(found: &Survey, steps: &[Step], arguments: &InitArgs) -> String {
    let mut next = Vec::new();
    let has_placeholder = |step: &Step| match &step.action {
        Action::Create(text) => text.contains(workflows::PLACEHOLDER),
        _ => false,
    };
    if steps.iter().any(has_placeholder) {
        next.push(format!(
            "there is no release of wireproof yet: in the workflows, replace `{}` by the repository and the commit that \
             you trust, or run init with `--action OWNER/wireproof@COMMIT`",
            workflows::PLACEHOLDER
        ));
    }
    if found.git.is_none() {
        next.push("this is no git repository: compare two folders, `wireproof compare OLD NEW`".to_owned());
    } else {
        next.push("see what it says of your last change: `wireproof check`".to_owned());
    }
    let did = |path: &str| steps.iter().any(|step| step.path.starts_with(path));
    let others = [
        ("--github", "the workflow for GitHub", did(".github/workflows/wireproof.yml")),
        ("--pre-commit", "the hook for pre-commit", did(hooks::FILE)),
        ("--forks", "the workflow that comments on pull requests from forks", arguments.forks),
    ];
    let others = others.iter().filter(|(_, _, is_done)| !is_done).map(|(flag, what, _)| format!("`{flag}` {what}"));
    let others: Vec<String> = others.collect();
    if !others.is_empty() {
        next.push(format!("not asked for: {}", others.join(", ")));
    }
    let lines: Vec<String> = next.iter().map(|line| format!("next  {line}\n")).collect();
    format!("\n{}", lines.concat())
}
