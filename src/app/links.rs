//! Where the places of a report can be looked at: what the environment of a run on GitHub says about itself.

use super::safeguards::today;
use crate::report::Report;
use crate::report::links::{Links, is_plain_address};

/// What a run on GitHub links to; nothing elsewhere. `sha` is the commit that reviewers look at, where that is known.
pub(super) fn links(report: &Report, sha: Option<&str>) -> Links {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let plain = |address: String| is_plain_address(&address).then_some(address);
    let (Some(server), Some(repository)) = (variable("GITHUB_SERVER_URL"), variable("GITHUB_REPOSITORY")) else {
        return Links::default();
    };
    let sha = sha.map(str::to_owned).or_else(|| variable("GITHUB_SHA"));
    // A run of a pull request compares what merging gives, and the lines are of that.
    let is_merge = report.again.as_ref().is_some_and(|again| again.pull_request.is_some());
    let merge = variable("GITHUB_EVENT_NAME").filter(|event| is_merge && event == "pull_request");
    let compared = merge.and_then(|_| variable("GITHUB_SHA")).or_else(|| sha.clone());
    let files = |commit: &str| plain(format!("{server}/{repository}/blob/{commit}/"));
    let number = variable("GITHUB_REF")
        .and_then(|name| Some(name.strip_prefix("refs/pull/")?.split_once('/')?.0.to_owned()))
        .map(|number| format!("pull request #{number}"));
    let commit = sha.as_ref().map(|sha| format!("commit {}", sha.get(..12).unwrap_or(sha)));
    Links {
        new: compared.as_deref().and_then(files),
        old: commit_of(&report.old.source).and_then(files),
        rules: variable("WIREPROOF_RULE_PAGES").and_then(plain),
        run: variable("GITHUB_RUN_ID").and_then(|run| plain(format!("{server}/{repository}/actions/runs/{run}"))),
        subject: std::iter::once(repository.clone()).chain(number).chain(commit).collect(),
        made: today().ok().map(|day| day.to_string()),
    }
}

/// The commit of a source such as `git:3f2a91c (merge base of main)`.
fn commit_of(source: &str) -> Option<&str> {
    let name = source.strip_prefix("git:")?.split(' ').next()?;
    (name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(name)
}
