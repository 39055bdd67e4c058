//! `wireproof fix`: the edits that findings suggest, made in the working tree and checked again.
//!
//! Nothing is kept that does not do what it is meant for: after the files are written, everything is checked once more, and a
//! file in which a finding still stands, or a new one came, gets its text back.

mod edits;

use std::path::{Path, PathBuf};

use self::edits::{Made, made};
use super::check::found_by_check;
use super::output::{print, print_exactly, write_durably};
use super::run::Run;
use crate::cli::FixArgs;
use crate::failure::{Exit, Failure, nearest};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::report::{Edit, Finding, PatchContext, Report};
use crate::text::{self, Difference};
use crate::vocabulary::{Class, Open, ProblemSeverity, Severity};

/// Runs the command.
pub(super) fn fix(arguments: &FixArgs) -> Result<Exit, Failure> {
    let check = arguments.as_check();
    let run = Run::prepare(&check.common)?;
    let report = found_by_check(&run, &check)?;
    let meant: Vec<&Finding> = report.findings.iter().filter(|finding| is_meant(finding, arguments)).collect();
    if let Some(unknown) = arguments.only.iter().find(|word| !report.findings.iter().any(|one| is_named(one, word))) {
        let found = report.findings.iter();
        let known = found.flat_map(|one| [one.rule.as_str(), one.rule.split_once('/').map_or("", |(_, name)| name)]);
        let help = match nearest(unknown, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`wireproof check -v` shows all findings with their ids and rules".to_owned(),
        };
        let message = format!("no finding has the id or the rule `{}`", text::visible(unknown));
        return Err(Failure::usage(message, help));
    }
    let folder = run.top.clone().unwrap_or_else(|| run.cwd.clone());
    let files = planned(&meant, &folder)?;
    let exit = |undone: &OrderedMap<String, String>| match undone.is_empty() && errors(&report).is_empty() {
        true => Exit::Compatible,
        false => Exit::CouldNotTell,
    };
    if arguments.dry_run {
        let outcome = Outcome { title: "would be fixed:", undone: &OrderedMap::new(), rest: 0 };
        print_exactly(&(patch(&files) + &told(&report, &meant, &files, &outcome)))?;
        return Ok(exit(outcome.undone));
    }
    write(&files, |file| &file.after)?;
    let (undone, rest) = match found_by_check(&run, &check) {
        Ok(again) => {
            let undone = spoilt(&report, &again, &files);
            let is_rest = |one: &&Finding| {
                let is_undone = one.place().is_some_and(|place| undone.contains_key(&place.file));
                is_error(one) && !is_undone && is_rest(one, &report, &files)
            };
            let rest = again.findings.iter().filter(is_rest).count();
            (undone, rest)
        }
        Err(failure) => {
            write(&files, |file| &file.before)?;
            return Err(failure);
        }
    };
    write(files.iter().filter(|file| undone.contains_key(&file.path)), |file| &file.before)?;
    print(told(&report, &meant, &files, &Outcome { title: "fixed:", undone: &undone, rest }).as_bytes())?;
    Ok(exit(&undone))
}

/// A file with the edits made in it.
struct File {
    /// As reports spell it.
    path: String,
    disk: PathBuf,
    before: String,
    after: String,
    /// The ids of the findings that the edits are for.
    ids: OrderedSet<String>,
    /// The ids of those whose edits are in the way of others.
    left: OrderedSet<String>,
}

/// Whether the edit of a finding is made: notes only where they are named, or where history is asked for and they say that
/// something it had is free.
fn is_meant(finding: &Finding, arguments: &FixArgs) -> bool {
    let is_free = || arguments.history.is_some() && finding.class == Class::Hygiene;
    let is_wanted = match &*arguments.only {
        [] => finding.severity != Severity::Note || is_free(),
        words => words.iter().any(|word| is_named(finding, word)),
    };
    is_wanted && finding.suggestion.is_some() && finding.waiver.is_none()
}

fn is_named(finding: &Finding, word: &str) -> bool {
    finding.is_by(word) || word.len() >= 6 && finding.id.starts_with(word)
}

/// The files with their edits, in the order of their paths.
fn planned(meant: &[&Finding], folder: &Path) -> Result<Vec<File>, Failure> {
    let mut by_file: OrderedMap<&str, Vec<&Finding>> = OrderedMap::new();
    for finding in meant {
        if let Some(suggestion) = &finding.suggestion {
            by_file.entry(&suggestion.file).or_default().push(finding);
        }
    }
    let mut files = Vec::new();
    for (path, findings) in by_file {
        let disk = folder.join(path);
        let before = std::fs::read_to_string(&disk).map_err(|error| {
            let path = text::visible(path);
            Failure::usage(format!("cannot read `{path}`: {error}"), "fixes are made in the working tree only")
        })?;
        // Offsets mean something in the text that was checked, and in no other.
        let is_other = |context: &PatchContext| {
            before.get(context.start as usize..).is_none_or(|rest| !rest.starts_with(&context.text))
        };
        let mut contexts = findings.iter().filter_map(|finding| finding.suggestion.as_ref()?.context.as_ref());
        if contexts.any(is_other) {
            let message = format!("`{}` is not the text that was checked", text::visible(path));
            return Err(Failure::usage(message, "run in the folder whose files are the new side, or run again"));
        }
        let wanted: Vec<(&str, &[Edit])> = findings
            .iter()
            .filter_map(|finding| Some((finding.id.as_str(), finding.suggestion.as_ref()?.edits.as_slice())))
            .collect();
        let Made { text: after, made, left } = made(&before, &wanted);
        files.push(File { path: path.to_owned(), disk, before, after, ids: made, left });
    }
    Ok(files)
}

fn write<'f>(files: impl IntoIterator<Item = &'f File>, text: fn(&File) -> &String) -> Result<(), Failure> {
    for file in files {
        write_durably(&file.disk, text(file).as_bytes()).map_err(|error| {
            let path = text::visible(&file.path);
            Failure::usage(format!("cannot write `{path}`: {error}"), "check that you may write to it")
        })?;
    }
    Ok(())
}

/// The files in which an edit did not do what it was for, each with what is wrong: its finding is still there, or something
/// came that was not.
fn spoilt(before: &Report, after: &Report, files: &[File]) -> OrderedMap<String, String> {
    let key = |finding: &Finding| (finding.id.clone(), finding.rule.clone());
    let known: OrderedSet<(String, String)> = before.findings.iter().map(key).collect();
    let mut spoilt = OrderedMap::new();
    // What cannot be laid at the door of one file is laid at all.
    let mut lay = |path: Option<&str>, why: &str| {
        let at = |file: &&File| path == Some(file.path.as_str());
        let has_door = files.iter().any(|file| at(&file));
        for file in files.iter().filter(|file| at(file) || !has_door) {
            spoilt.entry(file.path.clone()).or_insert_with(|| why.to_owned());
        }
    };
    for finding in &after.findings {
        let is_kept = known.contains(&key(finding));
        let of = files.iter().find(|file| file.ids.contains(&finding.id));
        if let Some(file) = of.filter(|_| is_kept) {
            lay(Some(&file.path), &format!("it is still found: {}", finding.message));
        } else if !is_kept && is_error(finding) && !is_rest(finding, before, files) {
            lay(finding.place().map(|place| place.file.as_str()), &finding.message);
        }
    }
    let were = errors(before);
    for (file, message) in errors(after).into_iter().filter(|error| !were.contains(error)) {
        lay(file.as_deref(), &message);
    }
    spoilt
}

/// Whether a finding is what is left of one that an edit was for: the element is removed still, and what readers feel of that no
/// edit takes away.
fn is_rest(finding: &Finding, before: &Report, files: &[File]) -> bool {
    let was = |one: &&Finding| one.path == finding.path && files.iter().any(|file| file.ids.contains(&one.id));
    let is_no_worse = |was: &Finding| {
        let cells = finding.impact.iter().zip(&was.impact);
        cells.into_iter().all(|(now, was)| {
            let are_of_one = (&now.surface, &now.direction) == (&was.surface, &was.direction);
            are_of_one && matches!((&now.outcome, &was.outcome), (Open::Known(now), Open::Known(was)) if now <= was)
        })
    };
    finding.class == Class::Compatibility && before.findings.iter().filter(was).any(is_no_worse)
}

fn is_error(finding: &Finding) -> bool {
    finding.severity == Severity::Error
}

/// What is wrong with the inputs: files and messages.
fn errors(report: &Report) -> Vec<(Option<String>, String)> {
    let errors = report.problems.iter().filter(|problem| problem.severity == ProblemSeverity::Error);
    errors.map(|problem| (problem.file.clone(), problem.message.clone())).collect()
}

/// Lines around what is changed.
const CONTEXT: usize = 3;

/// All files as one patch, as `git apply` and `patch -p1` take it.
fn patch(files: &[File]) -> String {
    let one = |file: &File| {
        let (old, new) = (format!("a/{}", file.path), format!("b/{}", file.path));
        Difference::of(&file.before, &file.after).patch(&old, &new, CONTEXT)
    };
    files.iter().filter(|file| file.before != file.after).map(one).collect()
}

/// How it ended.
struct Outcome<'o> {
    /// Over what was fixed.
    title: &'static str,
    /// The files that have their text back, and why.
    undone: &'o OrderedMap<String, String>,
    /// How many findings stand for what no edit takes away.
    rest: usize,
}

/// What was done, and what is left.
fn told(report: &Report, meant: &[&Finding], files: &[File], outcome: &Outcome<'_>) -> String {
    let undone = outcome.undone;
    let line = |finding: &&Finding| {
        let message = text::shorten(&finding.message, 100).into_owned();
        format!("  {}  {}: {}\n", finding.id, text::visible(&finding.rule), text::visible(&message))
    };
    let list = |title: &str, wanted: &dyn Fn(&Finding) -> bool| {
        let lines: String = meant.iter().filter(|finding| wanted(finding)).map(line).collect();
        if lines.is_empty() { String::new() } else { format!("{title}\n{lines}") }
    };
    let of = |finding: &Finding| {
        let suggestion = finding.suggestion.as_ref()?;
        files.iter().find(|file| file.path == suggestion.file)
    };
    let is_undone = |finding: &Finding| of(finding).is_some_and(|file| undone.contains_key(&file.path));
    let is_made = |finding: &Finding| of(finding).is_some_and(|file| file.ids.contains(&finding.id));
    let is_left = |finding: &Finding| of(finding).is_some_and(|file| file.left.contains(&finding.id));
    let mut out = list(outcome.title, &|finding| is_made(finding) && !is_undone(finding));
    out.push_str(&list("taken back, since checking again found something wrong:", &is_undone));
    for (path, why) in undone {
        out.push_str(&format!("  {}: {}\n", text::visible(path), text::visible(&text::shorten(why, 200))));
    }
    out.push_str(&list("left for another run, since the edits meet others:", &|one| is_left(one) && !is_undone(one)));
    let is_open = |finding: &&Finding| finding.breaking && finding.waiver.is_none() && finding.suggestion.is_none();
    let open = report.findings.iter().filter(is_open).count() + outcome.rest;
    if open > 0 {
        let what = match open {
            1 => "1 finding that breaks has".to_owned(),
            open => format!("{} that break have", text::plural(open, "finding")),
        };
        out.push_str(&format!("{what} no edit to offer: `wireproof check` says what to do\n"));
    }
    if out.is_empty() {
        out = "nothing to fix: no finding has an edit to offer\n".to_owned();
    }
    for (file, message) in errors(report) {
        let place = file.map_or_else(String::new, |file| format!("{}: ", text::visible(&file)));
        out.push_str(&format!("could not be judged: {place}{}\n", text::visible(&message)));
    }
    out
}
