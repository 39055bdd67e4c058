//! Carries a plan out: reads the pull request and its comments, writes the one that is needed.

use serde_json::{Value, json};

use super::client::{Answer, Client, Listed, Repeat, Token, unexpected};
use super::marker::{self, Marker};
use super::plan::{Author, Comment, Plan, Step, Wanted, When, plan};
use super::subject::{Subject, commit};
use crate::failure::Failure;

/// A plan is made again after each surprise: so often. Two are usual after a new comment, to see whether another run made one.
const ROUNDS: usize = 5;

/// Whether to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// Write.
    Real,
    /// Only say what would be written.
    Rehearsal,
}

/// What became of the comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A new comment, where to look at it.
    Created(Option<String>),
    /// The comment that was there tells something else now.
    Updated(Option<String>),
    /// The comment that was there already tells it; nothing was written.
    Unchanged(Option<String>),
    /// There is nothing to tell and no comment to turn green.
    Silent,
    /// Nothing was written, and that is right; why.
    NotDue(String),
    /// The token may not write; what GitHub said.
    Refused(String),
}

/// Everything that came of a run, with what somebody should know beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// What became of the comment.
    pub outcome: Outcome,
    /// What went not quite as it should.
    pub warnings: Vec<String>,
}

/// A pull request that is open and stands at the commit that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pull {
    /// Its number.
    pub number: u64,
    /// The commit at its head.
    pub sha: Option<String>,
}

/// Finds the pull request and sees whether it is the time to write.
///
/// # Errors
/// When GitHub gives no usable answer.
pub fn find(client: &Client, repository: &str, subject: &Subject) -> Result<Result<Pull, Outcome>, Failure> {
    let (number, sha) = match subject {
        Subject::Absent(why) => return Ok(Err(Outcome::NotDue(why.clone()))),
        Subject::Pull { number, sha } => (*number, sha.clone()),
        Subject::Branch { owner, branch, sha } => match by_branch(client, repository, owner, branch, sha)? {
            Ok(number) => (number, Some(sha.clone())),
            Err(why) => return Ok(Err(Outcome::NotDue(why))),
        },
    };
    let path = format!("/repos/{repository}/pulls/{number}");
    let answer = client.get(&path)?;
    if answer.is_refusal() {
        let what = answer.words();
        let why = format!("there is no pull request {number} in {repository}, or the token may not see it ({what})");
        return Ok(Err(Outcome::NotDue(why)));
    }
    if !answer.is_success() {
        return Err(unexpected("GET", &path, &answer));
    }
    Ok(current(number, sha, &answer.body))
}

/// Whether the pull request is open and still where it was when the run started.
fn current(number: u64, sha: Option<String>, pull: &Value) -> Result<Pull, Outcome> {
    if pull["state"].as_str() == Some("closed") {
        return Err(Outcome::NotDue(format!("pull request {number} is closed")));
    }
    let head = commit(&pull["head"]["sha"]);
    match (&sha, &head) {
        (Some(sha), Some(head)) if !sha.eq_ignore_ascii_case(head) => {
            let (ours, theirs) = (short(sha), short(head));
            let why = format!(
                "this run checked {ours}, but pull request {number} is at {theirs} now; a newer run tells of that"
            );
            Err(Outcome::NotDue(why))
        }
        _ => Ok(Pull { number, sha: head.or(sha) }),
    }
}

fn short(sha: &str) -> &str {
    sha.get(..7).unwrap_or(sha)
}

/// The open pull request from a branch of a fork that stands at a commit.
fn by_branch(
    client: &Client,
    repository: &str,
    owner: &str,
    branch: &str,
    sha: &str,
) -> Result<Result<u64, String>, Failure> {
    let head = format!("{}:{}", percent(owner), percent(branch));
    let pulls = match client.list(&format!("/repos/{repository}/pulls?state=open&per_page=100&head={head}"))? {
        Listed::All(pulls, _) => pulls,
        Listed::Refused(answer) => {
            return Ok(Err(format!("the token may not list pull requests ({})", answer.words())));
        }
    };
    // A server that does not know the filter lists all of them, so owner, branch and commit are compared again.
    let fits = |pull: &&Value| {
        let head = &pull["head"];
        head["sha"].as_str() == Some(sha)
            && head["ref"].as_str() == Some(branch)
            && head["user"]["login"].as_str().is_none_or(|login| login.eq_ignore_ascii_case(owner))
    };
    let numbers: Vec<u64> = pulls.iter().filter(fits).filter_map(|pull| pull["number"].as_u64()).collect();
    Ok(match numbers[..] {
        [number] => Ok(number),
        [] => Err(format!("no open pull request stands at {}; it was closed, or a newer run tells of it", short(sha))),
        _ => Err(format!(
            "{} open pull requests stand at {}; pass `--pull-request N` to choose one",
            numbers.len(),
            short(sha)
        )),
    })
}

fn percent(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// Whose comments may be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Me {
    /// An app's installation: what bots wrote.
    Bot,
    /// A person's token: what this account wrote.
    Account(String),
    /// It could not be found out: what no person wrote.
    Unknown,
}

impl Me {
    /// Who the token stands for.
    ///
    /// # Errors
    /// When GitHub gives no usable answer.
    pub fn of(client: &Client, token: &Token) -> Result<Me, Failure> {
        if token.is_of_an_app() {
            return Ok(Me::Bot);
        }
        let answer = client.get("/user")?;
        Ok(match answer.body["login"].as_str() {
            Some(login) if answer.is_success() => Me::Account(login.to_owned()),
            _ => Me::Unknown,
        })
    }

    /// Whether an author is one of ours.
    pub fn wrote(&self, user: &Value) -> Author {
        let (kind, login) = (user["type"].as_str(), user["login"].as_str());
        let ours = match self {
            Me::Bot => kind == Some("Bot") || login.is_some_and(|login| login.ends_with("[bot]")),
            Me::Account(name) => login.is_some_and(|login| login.eq_ignore_ascii_case(name)),
            Me::Unknown => kind != Some("User") && login.is_some(),
        };
        if ours { Author::Ours } else { Author::Other }
    }
}

/// Brings the comment up to date, and says which text it has. What the text is may depend on the comment that it replaces.
///
/// # Errors
/// When GitHub gives no usable answer.
pub fn publish(
    client: &Client,
    repository: &str,
    pull: &Pull,
    me: &Me,
    compose: &dyn Fn(Option<&Marker>) -> Wanted,
    (when, writing): (When, Writing),
) -> Result<(Done, Wanted), Failure> {
    let mut wanted = compose(None);
    let mut desk = Desk { client, repository, pull, warnings: Vec::new(), refused: Vec::new(), written: None };
    for _ in 0..ROUNDS {
        let comments = match desk.comments(me)? {
            Ok(comments) => comments,
            Err(answer) => return Ok((desk.done(Outcome::Refused(answer.words())), wanted)),
        };
        let todo = plan(&comments, &wanted, when);
        if let Step::Update(id) = todo.step
            && let Some(before) = comments.iter().find(|comment| comment.id == id)
        {
            wanted = compose(marker::read(&before.body).as_ref());
        }
        let url = |id: u64| comments.iter().find(|comment| comment.id == id).and_then(|comment| comment.url.clone());
        if writing == Writing::Rehearsal {
            return Ok((desk.done(rehearsed(&todo, url)), wanted));
        }
        if let Some(outcome) = desk.carry_out(&todo, &wanted, url)? {
            return Ok((desk.done(outcome), wanted));
        }
    }
    Err(Failure::could_not_tell(
        "the comments of the pull request change faster than they can be read",
        "several runs seem to write under one key; give each its own with `--key`, then run the job again",
    ))
}

fn rehearsed(todo: &Plan, url: impl Fn(u64) -> Option<String>) -> Outcome {
    match todo.step {
        Step::Silent => Outcome::Silent,
        Step::Create => Outcome::Created(None),
        Step::Update(id) => Outcome::Updated(url(id)),
        Step::Keep(id) => Outcome::Unchanged(url(id)),
    }
}

/// One run's work on one pull request.
struct Desk<'a> {
    client: &'a Client,
    repository: &'a str,
    pull: &'a Pull,
    warnings: Vec<String>,
    /// Comments that look like ours and may not be changed.
    refused: Vec<u64>,
    /// What this run wrote, which a list may not show yet.
    written: Option<(Outcome, Comment)>,
}

impl Desk<'_> {
    fn done(self, outcome: Outcome) -> Done {
        Done { outcome, warnings: self.warnings }
    }

    /// The comments there are, or the answer that refuses to tell.
    fn comments(&mut self, me: &Me) -> Result<Result<Vec<Comment>, Answer>, Failure> {
        let path = format!("/repos/{}/issues/{}/comments?per_page=100", self.repository, self.pull.number);
        let entries = match self.client.list(&path)? {
            Listed::Refused(answer) if answer.is_refusal() => return Ok(Err(answer)),
            Listed::Refused(answer) => return Err(unexpected("GET", &path, &answer)),
            Listed::All(entries, warning) => {
                if let Some(warning) = warning.filter(|warning| !self.warnings.contains(warning)) {
                    self.warnings.push(warning);
                }
                entries
            }
        };
        let mut comments: Vec<Comment> = entries.iter().filter_map(|entry| known(entry, me)).collect();
        comments.retain(|comment| !self.refused.contains(&comment.id));
        if let Some((_, written)) = &self.written
            && !comments.iter().any(|comment| comment.id == written.id)
        {
            comments.push(written.clone());
        }
        Ok(Ok(comments))
    }

    /// Does one step; `None` when it has to be looked again.
    fn carry_out(
        &mut self,
        todo: &Plan,
        wanted: &Wanted,
        url: impl Fn(u64) -> Option<String>,
    ) -> Result<Option<Outcome>, Failure> {
        match todo.step {
            Step::Silent => Ok(Some(Outcome::Silent)),
            Step::Keep(id) => {
                self.delete(&todo.duplicates)?;
                let ours = self.written.take().filter(|(_, written)| written.id == id).map(|(outcome, _)| outcome);
                Ok(Some(ours.unwrap_or_else(|| Outcome::Unchanged(url(id)))))
            }
            Step::Create => self.create(wanted),
            Step::Update(id) => {
                let path = format!("/repos/{}/issues/comments/{id}", self.repository);
                let text = json!({ "body": wanted.body });
                let answer = self.client.change("PATCH", &path, Some(&text), Repeat::Allowed)?;
                if answer.is_refusal() {
                    self.refused.push(id);
                    return Ok(None);
                }
                if !answer.is_success() {
                    return Err(unexpected("PATCH", &path, &answer));
                }
                self.delete(&todo.duplicates)?;
                Ok(Some(Outcome::Updated(address(&answer).or_else(|| url(id)))))
            }
        }
    }

    /// Writes a new comment. Then it has to be looked whether another run did the same meanwhile.
    fn create(&mut self, wanted: &Wanted) -> Result<Option<Outcome>, Failure> {
        let path = format!("/repos/{}/issues/{}/comments", self.repository, self.pull.number);
        let text = json!({ "body": wanted.body });
        // Should a lost answer lead to two comments, the next look finds and deletes the second.
        let answer = self.client.change("POST", &path, Some(&text), Repeat::Allowed)?;
        if answer.is_refusal() {
            return Ok(Some(Outcome::Refused(answer.words())));
        }
        if !answer.is_success() {
            return Err(unexpected("POST", &path, &answer));
        }
        let outcome = Outcome::Created(address(&answer));
        let Some(id) = answer.body["id"].as_u64() else { return Ok(Some(outcome)) };
        let comment = Comment { id, body: wanted.body.clone(), author: Author::Ours, url: address(&answer) };
        self.written = Some((outcome, comment));
        Ok(None)
    }

    fn delete(&mut self, duplicates: &[u64]) -> Result<(), Failure> {
        for id in duplicates {
            let path = format!("/repos/{}/issues/comments/{id}", self.repository);
            let answer = self.client.change("DELETE", &path, None, Repeat::Allowed)?;
            // Another run may have been faster.
            if !answer.is_success() && answer.status != 404 {
                self.warnings.push(format!("a second comment of the same key stays: {}", answer.words()));
            }
        }
        Ok(())
    }
}

fn known(entry: &Value, me: &Me) -> Option<Comment> {
    Some(Comment {
        id: entry["id"].as_u64()?,
        body: entry["body"].as_str().unwrap_or_default().to_owned(),
        author: me.wrote(&entry["user"]),
        url: entry["html_url"].as_str().map(str::to_owned),
    })
}

fn address(answer: &Answer) -> Option<String> {
    answer.body["html_url"].as_str().map(str::to_owned)
}
