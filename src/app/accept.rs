//! `wireproof accept`: one entry more in the waiver file, or those that are needed no more out of it.
//!
//! An entry is only written for a finding that exists, so that a typo never waits in the file for its finding.

use super::check::found_by_check;
use super::lock::Lock;
use super::output::{print, write_durably};
use super::paths::inside;
use super::render::read_report;
use super::run::Run;
use crate::cli::AcceptArgs;
use crate::config::waiver_text::{Covered, Entry, appended, renamed, without};
use crate::config::waivers::{ID_DIGITS, is_start_of_id};
use crate::date::Date;
use crate::failure::{Exit, Failure, nearest};
use crate::fingerprint::earlier;
use crate::report::{Finding, Report};
use crate::safeguards::Waiver;
use crate::snapshot::is_under;
use crate::text;
use crate::vocabulary::ProblemSeverity;

/// Fewer digits of an id are refused even where they are unique: the next change may have another finding like it.
const FEWEST_DIGITS: usize = 6;
/// Findings listed where an id is none of theirs.
const MOST_LISTED: usize = 20;
/// Characters of what a finding says, in an entry.
const LONGEST_WHAT: usize = 200;

/// Runs the command.
pub(super) fn accept(arguments: &AcceptArgs) -> Result<Exit, Failure> {
    let check = arguments.as_check();
    let mut run = Run::prepare(&check.common)?;
    let until = arguments.until.as_deref().map(|until| last_day(until, run.in_force.today)).transpose()?;
    let terms = Terms {
        reason: words(arguments.reason.as_deref(), "--reason", "say why the break is intended, for the reviewer")?,
        owner: words(arguments.owner.as_deref(), "--owner", "name who answers for it, or leave the option out")?,
        until: until.map(|until| until.to_string()),
    };
    let report = match &arguments.report {
        Some(file) => read_report(file)?,
        None => found_by_check(&run, &check)?,
    };
    // From here to the end nobody else adds an entry, and what others added meanwhile is read.
    let _alone = Lock::of(&run.in_force.file)?;
    run.in_force.read_again()?;
    let outcome = match (arguments.prune, Group::of(arguments, &run)?) {
        (true, _) => pruned(&run, &report)?,
        (false, Some(group)) => Some(recorded_together(&run, &report, &group, &terms)?),
        (false, None) => recorded(&run, &report, arguments, &terms)?,
    };
    let Some(Outcome { text, message }) = outcome else {
        return print(b"nothing to remove: every waiver counts and is needed\n");
    };
    let name = &run.in_force.version.waivers;
    if arguments.dry_run {
        return print(format!("nothing was written to {}; it would be:\n\n{message}", text::visible(name)).as_bytes());
    }
    write_durably(&run.in_force.file, text.as_bytes()).map_err(|error| {
        Failure::usage(
            format!("cannot write the waiver file `{name}`: {error}"),
            "check that its folder exists and that you may write to it",
        )
    })?;
    print(message.as_bytes())
}

/// What the options say about every entry.
struct Terms {
    reason: Option<String>,
    owner: Option<String>,
    until: Option<String>,
}

impl Terms {
    fn entry(&self, of: Covered, rule: &str) -> Entry {
        Entry {
            of,
            rule: rule.to_owned(),
            reason: self.reason.clone().unwrap_or_default(),
            owner: self.owner.clone(),
            until: self.until.clone(),
        }
    }
}

/// The new text of the file, and what to tell.
struct Outcome {
    text: String,
    message: String,
}

fn words(given: Option<&str>, option: &str, help: &str) -> Result<Option<String>, Failure> {
    match given.map(str::trim) {
        Some(text) if text::is_blank(text) => Err(Failure::usage(format!("{option} is blank"), help)),
        given => Ok(given.map(str::to_owned)),
    }
}

fn last_day(text: &str, today: Date) -> Result<Date, Failure> {
    let until = Date::parse(text)
        .map_err(|why| Failure::usage(format!("--until: {why}"), "write the last day as in 2026-12-31"))?;
    if until < today {
        return Err(Failure::usage(
            format!("--until {until} is over: today is {today} (UTC), so the waiver would not count on a single day"),
            "name a day that comes, or leave the option out",
        ));
    }
    Ok(until)
}

/// Entries for the findings meant.
fn recorded(run: &Run<'_>, report: &Report, arguments: &AcceptArgs, terms: &Terms) -> Result<Option<Outcome>, Failure> {
    let name = run.in_force.version.waivers.as_str();
    let mut text = run.in_force.text.clone();
    let mut told = Vec::new();
    let mut done: Vec<&str> = Vec::new();
    for word in &arguments.ids {
        let finding = meant(word, report)?;
        if done.contains(&finding.id.as_str()) {
            continue;
        }
        done.push(&finding.id);
        is_new(run, finding)?;
        let of = Covered::One {
            id: finding.id.clone(),
            path: finding.path.clone(),
            file: finding.place().map(|place| place.file.clone()).unwrap_or_default(),
            what: what(finding),
        };
        let entry = terms.entry(of, &finding.rule);
        let written = appended(name, &text, &entry)?;
        let place = format!("{}:{}", text::visible(name), written.line);
        told.push(format!("{place}\n{}\n", text::visible_lines(&written.entry)));
        if !finding.breaking && !finding.is_in_doubt() {
            told.push(format!(
                "note: `{}` does not break in this mode; the entry covers it in every mode\n",
                finding.id
            ));
        }
        text = written.text;
    }
    told.push(committed(name));
    Ok(Some(Outcome { text, message: told.join("\n") }))
}

fn committed(name: &str) -> String {
    format!("Commit {} with the change: whoever reviews it sees what passes, and why.\n", text::visible(name))
}

fn what(finding: &Finding) -> String {
    text::shorten(&finding.message, LONGEST_WHAT).into_owned()
}

/// Refuses a finding that the file has already.
fn is_new(run: &Run<'_>, finding: &Finding) -> Result<(), Failure> {
    let Some(known) = run.in_force.waivers.waivers.iter().find(|waiver| waiver.id == finding.id) else {
        return Ok(());
    };
    let ended = match finding.breaking {
        _ if !known.counts_on(run.in_force.today) => ", and has ended",
        true => ", from an earlier change",
        false => "",
    };
    Err(Failure::usage(
        format!("`{}` is in {}:{} already{ended}", finding.id, run.in_force.version.waivers, known.line),
        "change `reason`, `owner`, `until` or `standing` of that entry, or remove it first: the file is yours",
    ))
}

/// What one entry for several findings is about.
struct Group {
    rule: Option<String>,
    under: Option<String>,
}

impl Group {
    fn of(arguments: &AcceptArgs, run: &Run<'_>) -> Result<Option<Group>, Failure> {
        let top = run.top.as_deref().unwrap_or(&run.cwd);
        let under = arguments
            .under
            .as_ref()
            .map(|path| inside(std::slice::from_ref(path), (&run.cwd, top), true))
            .transpose()?;
        let group = Group { rule: arguments.rule.clone(), under: under.and_then(|mut paths| paths.pop()) };
        Ok((group.rule.is_some() || group.under.is_some()).then_some(group))
    }

    fn holds(&self, finding: &Finding) -> bool {
        let place = finding.place().map_or("", |place| place.file.as_str());
        self.rule.as_ref().is_none_or(|rule| finding.is_by(rule))
            && self.under.as_ref().is_none_or(|folder| is_under(place, folder))
    }

    fn words(&self) -> String {
        let rule = self.rule.as_ref().map(|rule| format!("by the rule `{rule}`"));
        let under = self.under.as_ref().map(|under| format!("under `{under}`"));
        text::visible(&rule.into_iter().chain(under).collect::<Vec<_>>().join(" ")).into_owned()
    }
}

/// One entry for all that breaks by a rule or in a place: it lists what it covers, and covers nothing that comes later.
fn recorded_together(run: &Run<'_>, report: &Report, group: &Group, terms: &Terms) -> Result<Outcome, Failure> {
    let counts = |finding: &&Finding| (finding.breaking || finding.is_in_doubt()) && finding.waiver.is_none();
    let can_be = |finding: &&Finding| !finding.rule.starts_with("policy/waiver-");
    let found = report.findings.iter().filter(counts).filter(can_be).filter(|finding| group.holds(finding));
    let found: Vec<&Finding> = found.collect();
    let Some(first) = found.first() else {
        return Err(Failure::usage(format!("nothing breaks {}", group.words()), candidates(report)));
    };
    for finding in &found {
        is_new(run, finding)?;
    }
    let rule = if found.iter().all(|finding| finding.rule == first.rule) { first.rule.as_str() } else { "" };
    let each = found.iter().map(|finding| (finding.id.clone(), format!("{}: {}", finding.rule, what(finding))));
    let under = group.under.clone().filter(|under| !under.is_empty()).or_else(|| common(&found));
    let of = Covered::Several { under, each: each.collect() };
    let name = run.in_force.version.waivers.as_str();
    let written = appended(name, &run.in_force.text, &terms.entry(of, rule))?;
    let place = format!("{}:{}", text::visible(name), written.line);
    let exact = "It covers these and no later ones.";
    let message = format!("{place}\n{}\n\n{exact} {}", text::visible_lines(&written.entry), committed(name));
    Ok(Outcome { text: written.text, message })
}

/// The file or the folder that all findings lie in, where there is one below the top.
fn common(found: &[&Finding]) -> Option<String> {
    let mut files = found.iter().map(|finding| finding.place().map(|place| place.file.as_str()));
    let mut common = files.next()??;
    for file in files {
        let file = file?;
        while !is_under(file, common) {
            common = common.rsplit_once('/')?.0;
        }
    }
    Some(common.to_owned())
}

/// The finding that an id, or its first digits, means.
fn meant<'r>(word: &str, report: &'r Report) -> Result<&'r Finding, Failure> {
    let shown = text::visible(text::shorten(word, 60).as_ref()).into_owned();
    let too_short = word.len() < FEWEST_DIGITS || !is_start_of_id(word);
    let found: Vec<&Finding> = match too_short {
        true => Vec::new(),
        false => report.findings.iter().filter(|finding| finding.id.starts_with(word)).collect(),
    };
    match found.as_slice() {
        [only] if only.rule.starts_with("policy/waiver-") => Err(Failure::usage(
            format!("`{}` is a finding about a waiver, and those cannot be waived", only.id),
            format!("`wireproof explain {}` says what to do", only.rule),
        )),
        [only] => Ok(only),
        [] => {
            let form = too_short.then(|| {
                format!("an id has {ID_DIGITS} digits out of 0-9 and a-f; the first {FEWEST_DIGITS} may be enough")
            });
            let near = nearest(word, report.findings.iter().map(|finding| finding.id.as_str()));
            let near = near.map(|near| format!("did you mean `{near}`?"));
            let help: Vec<String> = form.into_iter().chain(near).chain([candidates(report)]).collect();
            Err(Failure::usage(format!("no finding has the id `{shown}`"), help.join("\n")))
        }
        several => Err(Failure::usage(
            format!("`{shown}` is the start of {} ids", several.len()),
            several.iter().map(|finding| line(finding)).collect::<Vec<_>>().join("\n"),
        )),
    }
}

fn line(finding: &Finding) -> String {
    let message = text::shorten(&finding.message, 100).into_owned();
    format!("{}  {}: {}", finding.id, text::visible(&finding.rule), text::visible(&message))
}

/// What could have been meant: everything that breaks.
fn candidates(report: &Report) -> String {
    let counts = |finding: &&Finding| finding.breaking || finding.is_in_doubt();
    let breaking: Vec<&Finding> = report.findings.iter().filter(counts).collect();
    if breaking.is_empty() {
        return format!("nothing breaks here: {} against {}", report.new.source, report.old.source);
    }
    let mut lines = vec!["what breaks:".to_owned()];
    lines.extend(breaking.iter().take(MOST_LISTED).map(|finding| format!("  {}", line(finding))));
    if breaking.len() > MOST_LISTED {
        lines.push(format!("  and {} more: `wireproof check -q` lists them", breaking.len() - MOST_LISTED));
    }
    lines.join("\n")
}

/// Without the waivers that have ended, and without those that were there before and match nothing any more.
fn pruned(run: &Run<'_>, report: &Report) -> Result<Option<Outcome>, Failure> {
    if report.problems.iter().any(|problem| problem.severity == ProblemSeverity::Error) {
        return Err(Failure::could_not_tell(
            "not everything could be compared, so nobody can say which waivers are needed",
            "see what is wrong with `wireproof check`, and mend it first",
        ));
    }
    let new_and_unused = |id: &str| {
        let unused = report.findings.iter().filter(|finding| finding.rule == "policy/waiver-unused");
        unused.into_iter().any(|finding| finding.path == id)
    };
    let is_needed = |waiver: &Waiver| {
        let covers =
            |known: &crate::report::Waiver| known.line == waiver.line && known.file == run.in_force.version.waivers;
        report.findings.iter().any(|finding| finding.id == waiver.id || finding.waiver.as_ref().is_some_and(covers))
    };
    let why = |waiver: &Waiver| match waiver.until {
        Some(until) if !waiver.counts_on(run.in_force.today) => Some(format!("ended on {until}")),
        _ if is_needed(waiver) || new_and_unused(&waiver.id) => None,
        _ => Some("matches no finding any more".to_owned()),
    };
    let waivers = &run.in_force.waivers.waivers;
    let gone: Vec<(&str, String)> =
        waivers.iter().filter_map(|waiver| Some((waiver.id.as_str(), why(waiver)?))).collect();
    let outdated = outdated(run, report);
    if gone.is_empty() && outdated.is_empty() {
        return Ok(None);
    }
    let ids: Vec<&str> = gone.iter().map(|(id, _)| *id).collect();
    let name = run.in_force.version.waivers.as_str();
    // New ids first: the places of entries are those of the text as it was read.
    let text = without(name, &renamed(name, &run.in_force.text, &outdated)?, &ids)?;
    let removed: Vec<String> = gone.iter().map(|(id, why)| format!("  {id}  {why}\n")).collect();
    let replaced: Vec<String> = outdated.iter().map(|(waiver, id)| format!("  {}  is now {id}\n", waiver.id)).collect();
    let told = [("removed from", removed), ("replaced in", replaced)];
    let told = told.iter().filter(|(_, lines)| !lines.is_empty());
    let message = told.map(|(what, lines)| format!("{what} {}:\n{}", text::visible(name), lines.concat()));
    Ok(Some(Outcome { message: message.collect(), text }))
}

/// The waivers with ids of an earlier form whose findings are there, with the ids of today.
fn outdated<'r>(run: &'r Run<'_>, report: &'r Report) -> Vec<(&'r Waiver, &'r str)> {
    let id_of = |waiver: &Waiver| {
        let is_its =
            |known: &crate::report::Waiver| known.line == waiver.line && known.file == run.in_force.version.waivers;
        let covered = report.findings.iter().find(|finding| finding.waiver.as_ref().is_some_and(is_its));
        covered.map(|finding| finding.id.as_str())
    };
    let waivers = run.in_force.waivers.waivers.iter().filter(|waiver| waiver.id.len() == earlier::DIGITS);
    waivers.filter_map(|waiver| Some((waiver, id_of(waiver)?))).collect()
}
