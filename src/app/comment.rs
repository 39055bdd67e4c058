//! `wireproof comment`: the report as a comment on its pull request.
//!
//! Here the environment is read and the outcome is said. Who may not write is no failure: the headline goes to the log, and
//! the exit code is 0, so that a fork's run is as green or red as `check` made it.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::links::links;
use super::output::print;
use super::render::{parse_report, read_report};
use crate::cli::{CommentArgs, CommentWhen};
use crate::failure::{Exit, Failure};
use crate::github::body::{self, Frame, Origin};
use crate::github::client::{Client, Token};
use crate::github::foreign;
use crate::github::marker::Marker;
use crate::github::notice::{self, Level};
use crate::github::plan::{Wanted, When};
use crate::github::reviewer::review;
use crate::github::sticky::{self, Done, Me, Outcome, Writing};
use crate::github::subject::{self, Subject};
use crate::report::{Report, markdown, summary};
use crate::source::standard_input;
use crate::text;

/// Where GitHub's API is, when nobody says.
const GITHUB: &str = "https://api.github.com";
/// A report from a fork is at most so large.
const LARGEST_FOREIGN_REPORT: u64 = 16 << 20;

/// Runs the command.
pub(super) fn comment(arguments: &CommentArgs) -> Result<Exit, Failure> {
    let around = Surroundings::read(arguments)?;
    let report = match arguments.from_fork {
        true => foreign_report(&arguments.report)?,
        false => read_report(&arguments.report)?,
    };
    if arguments.when == CommentWhen::Never {
        around.say(Level::Notice, "no comment, as `--when never` asks");
        return Ok(Exit::Compatible);
    }
    let subject = around.subject(arguments)?;
    let client = Client::new(&around.api, around.token.clone(), around.roots.as_deref())?;
    let repository = around.repository(arguments, &subject)?;
    let Some(token) = &around.token else {
        let why = "there is no token: GITHUB_TOKEN is empty";
        if arguments.dry_run {
            let wanted = body::wanted(&report, &around.frame(arguments, &report, None), None);
            return rehearse(&Done { outcome: Outcome::Refused(why.to_owned()), warnings: Vec::new() }, &wanted, None);
        }
        return around.fall_back(arguments, &report, why);
    };
    let pull = match sticky::find(&client, &repository, &subject)? {
        Ok(pull) => pull,
        Err(outcome) => return around.tell(arguments, &report, &Done { outcome, warnings: Vec::new() }),
    };
    let frame = around.frame(arguments, &report, pull.sha.clone());
    let compose = |before: Option<&Marker>| body::wanted(&report, &frame, before);
    let when = if arguments.when == CommentWhen::Always { When::Always } else { When::Auto };
    let writing = if arguments.dry_run { Writing::Rehearsal } else { Writing::Real };
    let me = Me::of(&client, token)?;
    let (done, wanted) = sticky::publish(&client, &repository, &pull, &me, &compose, (when, writing))?;
    let may_write = !matches!(done.outcome, Outcome::Refused(_));
    let remarks = match arguments.review && may_write {
        true => Some(review(&client, &repository, &pull, &me, (&report, &wanted.key), writing)?),
        false => None,
    };
    if arguments.dry_run {
        return rehearse(&done, &wanted, remarks);
    }
    let exit = around.tell(arguments, &report, &done)?;
    remarks.iter().for_each(|words| around.line(&text::visible_lines(words)));
    Ok(exit)
}

/// What the environment says about the run.
struct Surroundings {
    api: String,
    token: Option<Token>,
    /// The authorities to trust, in PEM, where the environment names them.
    roots: Option<Vec<u8>>,
    repository: Option<String>,
    event: Option<(String, Value)>,
    workflow: Option<String>,
    job: Option<String>,
    in_actions: bool,
    summary: Option<PathBuf>,
    quiet: bool,
}

impl Surroundings {
    fn read(arguments: &CommentArgs) -> Result<Surroundings, Failure> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let event = match (variable("GITHUB_EVENT_NAME"), variable("GITHUB_EVENT_PATH")) {
            // Who names the pull request does not need the event, and a broken one must not stand in the way.
            (Some(name), Some(path)) if arguments.pull_request.is_none() => Some((name, read_event(Path::new(&path))?)),
            _ => None,
        };
        let repository = variable("GITHUB_REPOSITORY");
        Ok(Surroundings {
            api: arguments.api_url.clone().or_else(|| variable("GITHUB_API_URL")).unwrap_or_else(|| GITHUB.to_owned()),
            token: variable("GITHUB_TOKEN").or_else(|| variable("GH_TOKEN")).and_then(|token| Token::new(&token)),
            roots: variable("SSL_CERT_FILE").map(|path| read_roots(Path::new(&path))).transpose()?,
            repository,
            event,
            workflow: variable("GITHUB_WORKFLOW"),
            job: variable("GITHUB_JOB"),
            in_actions: variable("GITHUB_ACTIONS").is_some_and(|value| value == "true"),
            summary: variable("GITHUB_STEP_SUMMARY").map(PathBuf::from),
            quiet: arguments.terminal.quiet,
        })
    }

    /// Which pull request the run is about; options win over the event.
    fn subject(&self, arguments: &CommentArgs) -> Result<Subject, Failure> {
        let given = arguments.sha.as_ref().map(|sha| given_commit(sha)).transpose()?;
        if let Some(number) = arguments.pull_request {
            return Ok(Subject::Pull { number, sha: given });
        }
        let Some((name, event)) = &self.event else {
            return Err(Failure::usage(
                "it is not known which pull request to comment on: there is no event (GITHUB_EVENT_PATH)",
                "name it: `wireproof comment REPORT.json --repository OWNER/NAME --pull-request N`",
            ));
        };
        let subject = match arguments.from_fork {
            true => subject::of_workflow_run(name, event)?,
            false => subject::of_event(name, event)?,
        };
        Ok(match (subject, given) {
            (Subject::Pull { number, .. }, Some(sha)) => Subject::Pull { number, sha: Some(sha) },
            (subject, _) => subject,
        })
    }

    fn repository(&self, arguments: &CommentArgs, subject: &Subject) -> Result<String, Failure> {
        match arguments.repository.as_ref().or(self.repository.as_ref()) {
            Some(repository) => subject::repository(repository),
            // Nothing will be asked for.
            None if matches!(subject, Subject::Absent(_)) => Ok(String::new()),
            None => Err(Failure::usage(
                "it is not known in which repository the pull request is",
                "name it: `--repository OWNER/NAME`, or set GITHUB_REPOSITORY",
            )),
        }
    }

    fn frame(&self, arguments: &CommentArgs, report: &Report, sha: Option<String>) -> Frame {
        let own = || {
            let parts: Vec<&str> = self.workflow.iter().chain(&self.job).map(String::as_str).collect();
            if parts.is_empty() { "wireproof".to_owned() } else { parts.join("/") }
        };
        // One workflow comments for all that check; their comments are told apart by whom it comments for.
        let of_run = || {
            let (_, event) = self.event.as_ref().filter(|_| arguments.from_fork)?;
            subject::workflow_of_run(event).map(|name| format!("{name}/from-fork"))
        };
        Frame {
            key: arguments.key.clone().or_else(of_run).unwrap_or_else(own),
            links: links(report, sha.as_deref()),
            sha,
            origin: if arguments.from_fork { Origin::Fork } else { Origin::Own },
        }
    }

    /// Says what became of the comment.
    fn tell(&self, arguments: &CommentArgs, report: &Report, done: &Done) -> Result<Exit, Failure> {
        for warning in &done.warnings {
            self.say(Level::Warning, warning);
        }
        match &done.outcome {
            Outcome::Refused(why) => {
                let why = format!("the token may not comment on the pull request ({why})");
                return self.fall_back(arguments, report, &why);
            }
            Outcome::NotDue(why) => self.say(Level::Notice, &format!("no comment: {why}")),
            other => self.line(&words(other)),
        }
        Ok(Exit::Compatible)
    }

    /// Without a comment the headline is still told, where people look.
    fn fall_back(&self, arguments: &CommentArgs, report: &Report, why: &str) -> Result<Exit, Failure> {
        let headline =
            format!("{}; mode {}; {}", summary::verdict(report), summary::mode(report), summary::compared(report));
        self.say(Level::Notice, &format!("{}\nNo comment: {why}.", text::shorten(&headline, 600)));
        if arguments.summary_fallback {
            match &self.summary {
                Some(summary) => append(summary, &markdown::render(report, &links(report, None)))?,
                None => self.say(Level::Notice, "there is no job summary either: GITHUB_STEP_SUMMARY is not set"),
            }
        }
        Ok(Exit::Compatible)
    }

    fn say(&self, level: Level, message: &str) {
        match self.in_actions {
            true => self.line(&notice::command(level, message)),
            false => self.line(&text::visible_lines(message)),
        }
    }

    fn line(&self, line: &str) {
        // A notice is worth its line even for those who want few.
        if !self.quiet || line.starts_with("::") {
            let _ = writeln!(std::io::stdout(), "{line}");
        }
    }
}

fn words(outcome: &Outcome) -> String {
    let at = |what: &str, url: &Option<String>| match url {
        Some(url) => format!("{what}: {}", text::visible(url)),
        None => what.to_owned(),
    };
    match outcome {
        Outcome::Created(url) => at("created the comment", url),
        Outcome::Updated(url) => at("updated the comment", url),
        Outcome::Unchanged(url) => at("the comment already tells this", url),
        Outcome::Silent => "nothing to tell, and no comment to turn green".to_owned(),
        Outcome::NotDue(why) => format!("no comment: {}", text::visible(why)),
        Outcome::Refused(why) => format!("no comment: {}", text::visible(why)),
    }
}

fn rehearse(done: &Done, wanted: &Wanted, remarks: Option<String>) -> Result<Exit, Failure> {
    let would = match &done.outcome {
        Outcome::Created(_) => "would create a comment".to_owned(),
        Outcome::Updated(url) => format!("would update the comment {}", url.as_deref().unwrap_or_default()),
        other => words(other),
    };
    let mut out = format!("dry run: {would}\n");
    done.warnings.iter().for_each(|warning| out.push_str(&format!("warning: {warning}\n")));
    out.extend(remarks.map(|words| format!("{words}\n")));
    print(format!("{}\n{}", text::visible_lines(&out), wanted.body).as_bytes())
}

fn given_commit(sha: &str) -> Result<String, Failure> {
    match subject::is_commit(sha) {
        true => Ok(sha.to_ascii_lowercase()),
        false => Err(Failure::usage(
            format!("`{}` is not the full name of a commit", text::visible(&text::shorten(sha, 80))),
            "give all 40 digits: `git rev-parse HEAD`",
        )),
    }
}

fn read_event(path: &Path) -> Result<Value, Failure> {
    let unreadable = |why: String| {
        Failure::usage(
            format!("the event `{}` cannot be read: {why}", path.display()),
            "check GITHUB_EVENT_PATH, or name the pull request: `--pull-request N`",
        )
    };
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))
}

fn read_roots(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| {
        Failure::usage(
            format!("the certificates `{}` cannot be read: {error}", path.display()),
            "check SSL_CERT_FILE, or unset it to use Mozilla's",
        )
    })
}

fn append(summary: &Path, markdown: &str) -> Result<(), Failure> {
    let file = std::fs::OpenOptions::new().append(true).create(true).open(summary);
    file.and_then(|mut file| file.write_all(markdown.as_bytes())).map_err(|error| {
        Failure::usage(
            format!("cannot write the job summary `{}`: {error}", summary.display()),
            "check GITHUB_STEP_SUMMARY, or leave `--summary-fallback` out",
        )
    })
}

/// A report that a stranger's run made: bounded in size, and refused where it says what `wireproof check` never writes.
fn foreign_report(path: &Path) -> Result<Report, Failure> {
    let refused = |why: String| {
        Failure::usage(
            format!("the report `{}` is not one that `wireproof check` writes: {why}", path.display()),
            "nothing was commented; look at the fork's run itself, which may have been tampered with",
        )
    };
    let mut text = String::new();
    let opened: std::io::Result<Box<dyn Read>> = match path == Path::new("-") {
        true => Ok(Box::new(standard_input())),
        false => std::fs::File::open(path).map(|file| Box::new(file) as Box<dyn Read>),
    };
    let read = opened.and_then(|source| source.take(LARGEST_FOREIGN_REPORT + 1).read_to_string(&mut text));
    let size = read.map_err(|error| {
        Failure::usage(format!("cannot read the report `{}`: {error}", path.display()), "give the file of the artifact")
    })?;
    if size as u64 > LARGEST_FOREIGN_REPORT {
        return Err(refused(format!("it has more than {} bytes", text::number(LARGEST_FOREIGN_REPORT as usize))));
    }
    let report = parse_report(path, &text)?;
    foreign::examine(&report).map_err(refused)?;
    Ok(report)
}
