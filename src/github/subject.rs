//! Which pull request a run is about, and which of its commits: from the event that started the run, never from a report.

use serde_json::Value;

use crate::failure::Failure;
use crate::text;

/// What to comment on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// This pull request; the commit is what was checked, where that is known.
    Pull {
        /// Its number.
        number: u64,
        /// The commit at its head when the run started.
        sha: Option<String>,
    },
    /// A pull request from a fork that the event does not number: to be found by its branch and commit.
    Branch {
        /// Who owns the fork.
        owner: String,
        /// The branch in the fork.
        branch: String,
        /// The commit that was checked.
        sha: String,
    },
    /// The run is about no pull request; why.
    Absent(String),
}

/// What an event is about.
///
/// # Errors
/// When the event is one of a pull request and does not say of which.
pub fn of_event(name: &str, event: &Value) -> Result<Subject, Failure> {
    match name {
        "pull_request" | "pull_request_target" => {
            let pull = &event["pull_request"];
            let number = pull["number"]
                .as_u64()
                .or_else(|| event["number"].as_u64())
                .ok_or_else(|| incomplete(name, "pull_request.number", "name the pull request: `--pull-request N`"))?;
            Ok(Subject::Pull { number, sha: commit(&pull["head"]["sha"]) })
        }
        "workflow_run" => Ok(absent(name, "; to comment on what another workflow checked, pass `--from-fork`")),
        "issue_comment" => Ok(absent(name, " and no commit; pass `--pull-request N --sha SHA`")),
        _ => Ok(absent(name, "")),
    }
}

fn absent(name: &str, more: &str) -> Subject {
    Subject::Absent(format!("the event `{}` names no pull request{more}", text::visible(&text::shorten(name, 40))))
}

/// What another workflow's run was about, for the workflow that comments on its behalf.
///
/// For a fork GitHub leaves the list of pull requests empty; then owner and branch must find it. Both come from GitHub, not
/// from the fork's run.
///
/// # Errors
/// When the event is no `workflow_run`, or does not say what ran.
pub fn of_workflow_run(name: &str, event: &Value) -> Result<Subject, Failure> {
    if name != "workflow_run" {
        return Err(Failure::usage(
            format!("`--from-fork` needs the event `workflow_run`; this is `{}`", text::visible(name)),
            "run it in a workflow with `on: workflow_run`; everywhere else leave the option out",
        ));
    }
    let run = &event["workflow_run"];
    let lacks = |what| incomplete(name, what, "name the pull request and its commit: `--pull-request N --sha SHA`");
    if run["event"].as_str().is_some_and(|kind| !kind.starts_with("pull_request")) {
        return Ok(Subject::Absent("the workflow that ran was not started by a pull request".to_owned()));
    }
    let sha = commit(&run["head_sha"]).ok_or_else(|| lacks("workflow_run.head_sha"))?;
    let listed: Vec<u64> = run["pull_requests"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|pull| commit(&pull["head"]["sha"]).is_none_or(|head| head == sha))
        .filter_map(|pull| pull["number"].as_u64())
        .collect();
    if let [number] = listed[..] {
        return Ok(Subject::Pull { number, sha: Some(sha) });
    }
    let owner = run["head_repository"]["owner"]["login"].as_str();
    let owner = owner.ok_or_else(|| lacks("workflow_run.head_repository.owner.login"))?;
    let branch = run["head_branch"].as_str().ok_or_else(|| lacks("workflow_run.head_branch"))?;
    Ok(Subject::Branch { owner: owner.to_owned(), branch: branch.to_owned(), sha })
}

/// The name of the workflow that ran, which keeps the comments of several apart.
pub fn workflow_of_run(event: &Value) -> Option<&str> {
    event["workflow_run"]["name"].as_str().filter(|name| !name.is_empty())
}

/// A commit's full name, if it is one.
pub fn commit(value: &Value) -> Option<String> {
    value.as_str().filter(|sha| is_commit(sha)).map(str::to_ascii_lowercase)
}

/// Whether a word is the full name of a commit, of SHA-1 or SHA-256.
pub fn is_commit(word: &str) -> bool {
    matches!(word.len(), 40 | 64) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `owner/name`, and nothing that would lead elsewhere inside an address.
///
/// # Errors
/// When it has another form.
pub fn repository(text: &str) -> Result<String, Failure> {
    let part = |part: &str| {
        !matches!(part, "" | "." | "..") && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    match text.split_once('/') {
        Some((owner, name)) if part(owner) && part(name) => Ok(text.to_owned()),
        _ => Err(Failure::usage(
            format!("`{}` is no repository", crate::text::visible(&crate::text::shorten(text, 100))),
            "write OWNER/NAME, for example `--repository octocat/hello-world`",
        )),
    }
}

fn incomplete(event: &str, field: &str, help: &str) -> Failure {
    Failure::usage(format!("the event `{event}` has no `{field}`"), help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const SHA: &str = "1111111111111111111111111111111111111111";

    #[test]
    fn a_pull_request_event_names_number_and_commit() {
        let event = json!({"number": 7, "pull_request": {"number": 7, "head": {"sha": SHA}}});
        let expected = Subject::Pull { number: 7, sha: Some(SHA.to_owned()) };
        assert_eq!(of_event("pull_request", &event), Ok(expected.clone()));
        assert_eq!(of_event("pull_request_target", &event), Ok(expected));
    }

    #[test]
    fn what_an_event_lacks_is_said() {
        let error = of_event("pull_request", &json!({"pull_request": {}})).expect_err("no number");
        assert!(error.message.contains("pull_request.number"), "{error}");
        assert_eq!(of_event("pull_request", &json!({"number": 3})), Ok(Subject::Pull { number: 3, sha: None }));
        assert_eq!(
            of_event("pull_request", &json!({"number": 3, "pull_request": {"head": {"sha": "main"}}})),
            Ok(Subject::Pull { number: 3, sha: None }),
            "a branch is no commit"
        );
    }

    #[test]
    fn other_events_have_no_pull_request() {
        for name in ["push", "merge_group", "issue_comment", "workflow_run", "schedule", ""] {
            assert!(matches!(of_event(name, &json!({"number": 7})), Ok(Subject::Absent(_))), "{name}");
        }
    }

    #[test]
    fn a_run_of_a_fork_is_found_by_its_branch() {
        let run = |pulls: Value| {
            json!({"workflow_run": {"event": "pull_request", "head_sha": SHA, "head_branch": "fix",
                "head_repository": {"owner": {"login": "someone"}}, "pull_requests": pulls}})
        };
        let branch = Subject::Branch { owner: "someone".to_owned(), branch: "fix".to_owned(), sha: SHA.to_owned() };
        assert_eq!(of_workflow_run("workflow_run", &run(json!([]))), Ok(branch.clone()));
        assert_eq!(of_workflow_run("workflow_run", &run(Value::Null)), Ok(branch.clone()));
        let two = json!([{"number": 7}, {"number": 8}]);
        assert_eq!(of_workflow_run("workflow_run", &run(two)), Ok(branch));
        let listed = run(json!([{"number": 7, "head": {"sha": SHA}}]));
        let pull = Subject::Pull { number: 7, sha: Some(SHA.to_owned()) };
        assert_eq!(of_workflow_run("workflow_run", &listed), Ok(pull));
        assert!(of_workflow_run("push", &listed).is_err());
        assert!(of_workflow_run("workflow_run", &json!({})).is_err());
        let pushed = json!({"workflow_run": {"event": "push", "head_sha": SHA}});
        assert!(matches!(of_workflow_run("workflow_run", &pushed), Ok(Subject::Absent(_))));
    }

    #[test]
    fn a_repository_is_two_plain_words() {
        assert!(repository("octo-cat/hello.world_1").is_ok());
        for bad in ["", "octocat", "a/b/c", "../x", "a/..", "a/b?c", "a b/c", "a/b\n"] {
            assert!(repository(bad).is_err(), "{bad}");
        }
    }
}
