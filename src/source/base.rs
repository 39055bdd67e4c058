//! What `check` compares with when nobody says.
//!
//! In a pull-request run the effect of merging: GitHub's merge commit against its first parent. Elsewhere the merge base
//! with the default branch, and only one that can be trusted: a shallow clone can give an older commit without any sign,
//! and then a deletion goes unseen. A base that is not certain is refused, never guessed.

use std::path::PathBuf;

use super::git::{Repository, Resolved};
use super::side::{GitSource, Source};
use crate::change::Pair;
use crate::failure::Failure;

/// What the surroundings say about the run; empty outside of a CI system.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// `GITHUB_EVENT_NAME`
    pub github_event: Option<String>,
    /// `GITHUB_EVENT_PATH`
    pub github_event_file: Option<PathBuf>,
    /// `GITHUB_SHA`
    pub github_sha: Option<String>,
    /// `PRE_COMMIT_FROM_REF`
    pub pre_commit_from: Option<String>,
    /// `PRE_COMMIT_TO_REF`
    pub pre_commit_to: Option<String>,
    /// `PRE_COMMIT_LOCAL_BRANCH`: what is being pushed
    pub pre_commit_pushed: Option<String>,
    /// `PRE_COMMIT`: whether pre-commit, or what reads its configuration, started this
    pub pre_commit: Option<String>,
    /// `GIT_INDEX_FILE`: git sets it for the hooks of a commit
    pub git_index: Option<String>,
}

impl Surroundings {
    /// Reads the environment.
    pub fn from_environment() -> Self {
        let text = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self {
            github_event: text("GITHUB_EVENT_NAME"),
            github_event_file: text("GITHUB_EVENT_PATH").map(PathBuf::from),
            github_sha: text("GITHUB_SHA"),
            pre_commit_from: text("PRE_COMMIT_FROM_REF"),
            pre_commit_to: text("PRE_COMMIT_TO_REF"),
            pre_commit_pushed: text("PRE_COMMIT_LOCAL_BRANCH"),
            pre_commit: text("PRE_COMMIT"),
            git_index: text("GIT_INDEX_FILE"),
        }
    }
}

impl Surroundings {
    /// The two ends that pre-commit names, for a push or with `--from-ref` and `--to-ref`.
    fn pre_commit_ends(&self) -> Option<(&str, &str)> {
        let (from, to) = (self.pre_commit_from.as_deref()?, self.pre_commit_to.as_deref()?);
        (!is_zero(from) && !is_zero(to)).then_some((from, to))
    }
}

/// Both sides, and how the new one is had somewhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The two sides.
    pub sources: Pair<Source>,
    /// What a work tree of a CI system is to others.
    pub elsewhere: Elsewhere,
}

/// What a work tree is to those who do not have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elsewhere {
    /// It is on this machine only.
    Nowhere,
    /// What merging this pull request makes, against what it merges into.
    Merge(u64),
    /// A commit.
    Commit(String),
}

impl Chosen {
    /// Two sides that stand for themselves.
    pub fn here(old: Source, new: Source) -> Self {
        Chosen { sources: Pair::new(old, new), elsewhere: Elsewhere::Nowhere }
    }
}

/// The branch that the configuration names instead of the default one.
#[derive(Clone, Copy)]
pub struct NamedBase<'a> {
    /// Its name.
    pub branch: &'a str,
    /// The branch that the configuration of a commit names.
    pub said_in: &'a dyn Fn(&str) -> Option<String>,
}

/// Where a base is looked for.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// What the surroundings say.
    pub around: &'a Surroundings,
    /// What the configuration says.
    pub named: Option<NamedBase<'a>>,
}

/// The two sides of `check` without `--against`; `head` is what `--head` said.
pub fn choose(place: &Place<'_>, head: Option<Source>) -> Result<Chosen, Failure> {
    let Place { repository, around, named } = *place;
    let new = head.clone().unwrap_or(Source::WorkTree);
    let revision = match &new {
        Source::Git(git) => git.revision.clone(),
        _ => "HEAD".to_owned(),
    };
    if head.is_none()
        && let Some((from, to)) = around.pre_commit_ends()
    {
        let ends = Pair::new(&repository.resolve(from)?, &repository.resolve(to)?).map(Resolved::clone);
        let old = merge_base(repository, &ends, from)?;
        return Ok(Chosen::here(Source::Git(old), Source::Git(GitSource::tree(to))));
    }
    let Some(tip) = repository.find(&revision)? else {
        return match head {
            Some(_) => Err(repository
                .resolve(&revision)
                .err()
                .unwrap_or_else(|| Failure::could_not_tell("the head moved", ""))),
            None => before_the_first_commit(repository, new),
        };
    };
    match github(place, &tip)? {
        Some((old, elsewhere)) => {
            // Only what is checked out is something else to others.
            let elsewhere = if new == Source::WorkTree { elsewhere } else { Elsewhere::Nowhere };
            Ok(Chosen { sources: Pair::new(Source::Git(old), new), elsewhere })
        }
        None => Ok(Chosen::here(default_base(repository, named, &tip, &new)?, new)),
    }
}

/// The two sides of `check --staged`, which is what a hook asks: the index against the merge base with the default branch,
/// as a pull request will be judged. So a branch may change what it brought itself, and a merge is not blamed for what it
/// brings. Where there is no such base, the last commit counts.
///
/// Where pre-commit runs for a push, what is pushed counts instead. Where it runs outside of a commit and nothing is
/// staged, as `pre-commit run --all-files` in a CI system does, the index says nothing, and the usual sides count.
pub fn choose_staged(place: &Place<'_>) -> Result<Chosen, Failure> {
    let Place { repository, around, named } = *place;
    if around.pre_commit_ends().is_some() {
        return choose(place, None);
    }
    if let Some(pushed) = &around.pre_commit_pushed {
        let revision = if repository.find(pushed)?.is_some() { pushed.as_str() } else { "HEAD" };
        return choose(place, Some(Source::Git(GitSource::tree(revision))));
    }
    let Some(tip) = repository.find("HEAD")? else { return before_the_first_commit(repository, Source::Index) };
    if around.pre_commit.is_some() && around.git_index.is_none() && !repository.has_staged(&tip)? {
        return choose(place, None);
    }
    Ok(Chosen::here(base_of_index(repository, named, &tip)?, Source::Index))
}

fn base_of_index(repository: &Repository, named: Option<NamedBase<'_>>, tip: &Resolved) -> Result<Source, Failure> {
    let branches = base_branches(repository, named)?;
    if branches.is_empty() {
        return Ok(last_commit(tip));
    }
    // A merge in the making has its other parents in `MERGE_HEAD`; the commit that it will be is between them.
    let merged = repository.merged()?;
    let heads: Vec<&str> = std::iter::once(tip.id.as_str()).chain(merged.iter().map(String::as_str)).collect();
    let certain = earliest_base(repository, &branches, &heads);
    Ok(match certain {
        Ok(base) if base.revision != tip.id => Source::Git(base),
        Ok(_) | Err(_) => last_commit(tip),
    })
}

/// Everything is new, but only where there really is no commit yet.
fn before_the_first_commit(repository: &Repository, new: Source) -> Result<Chosen, Failure> {
    match repository.ask(["rev-parse", "--verify", "--quiet", "HEAD"])? {
        None => Ok(Chosen::here(Source::Empty, new)),
        Some(id) => Err(Failure::could_not_tell(
            format!("the last commit ({}) cannot be read", id.get(..7).unwrap_or(&id)),
            "check the repository with `git fsck`",
        )),
    }
}

/// The base that GitHub's event names, if this is such a run.
fn github(place: &Place<'_>, head: &Resolved) -> Result<Option<(GitSource, Elsewhere)>, Failure> {
    let Place { repository, around, .. } = *place;
    let commit = || Elsewhere::Commit(head.id.clone());
    let Some(event) = around.github_event.as_deref() else { return Ok(None) };
    match event {
        "pull_request" | "pull_request_target" => {
            let base = pull_request(repository, around, head)?;
            let is_merge = base.reason.as_deref() == Some(EFFECT_OF_MERGING);
            let merge = number(around).filter(|_| is_merge).map(Elsewhere::Merge);
            Ok(Some((base, merge.unwrap_or_else(commit))))
        }
        "merge_group" => {
            let base = event_text(around, "/merge_group/base_sha")?
                .ok_or_else(|| bad_event("merge_group", "merge_group.base_sha"))?;
            repository.ensure_commit(&base, "the base of the merge group")?;
            Ok(Some((because(base, "base of the merge group"), commit())))
        }
        "push" => Ok(push(place, head)?.map(|base| (base, commit()))),
        _ => Ok(None),
    }
}

/// A push to the default branch brings what came since the last one. A push to another branch is one of several that
/// will be merged together, so what the earlier ones broke counts as well: the merge base.
fn push(place: &Place<'_>, head: &Resolved) -> Result<Option<GitSource>, Failure> {
    let Place { repository, around, named } = *place;
    let pushed = event_text(around, "/ref")?.unwrap_or_default();
    let default = event_text(around, "/repository/default_branch")?;
    let default = match default {
        Some(default) => Some(default),
        None => default_branch_name(repository)?,
    };
    let default = match (named, default) {
        (Some(named), Some(default))
            if repository.branch(&default)?.is_some_and(|tip| is_agreed(&named, named.branch, &tip)) =>
        {
            Some(named.branch.to_owned())
        }
        (_, default) => default,
    };
    if let (Some(branch), Some(default)) = (pushed.strip_prefix("refs/heads/"), default)
        && branch != default
    {
        let Some(tip) = repository.branch(&default)? else { return Err(no_branch(repository, &default)?) };
        let base = merge_base(repository, &Pair::new(tip, head.clone()), &default)?;
        return Ok((base.revision != head.id).then_some(base));
    }
    match event_text(around, "/before")? {
        Some(before) if !is_zero(&before) && before != head.id => {
            repository.ensure_commit(&before, "the commit before this push")?;
            Ok(Some(because(before, "before the push")))
        }
        _ => Ok(None),
    }
}

/// The number of the pull request of an event.
fn number(around: &Surroundings) -> Option<u64> {
    let event = event(around).ok()?;
    event.pointer("/pull_request/number").or_else(|| event.pointer("/number"))?.as_u64()
}

/// Why a base was chosen that is what a pull request merges into.
const EFFECT_OF_MERGING: &str = "effect of merging";

/// The merge commit's first parent: exactly what merging does. Needs no history at all.
fn pull_request(repository: &Repository, around: &Surroundings, head: &Resolved) -> Result<GitSource, Failure> {
    let parents = repository.parents(&head.id)?;
    let proposed = event_text(around, "/pull_request/head/sha").ok().flatten();
    let is_merge_of_this = match (&proposed, parents.as_slice()) {
        (Some(proposed), [_, second]) => second == proposed,
        (None, [_, _]) => around.github_sha.as_deref() == Some(head.id.as_str()),
        _ => false,
    };
    if is_merge_of_this {
        let base = parents[0].clone();
        repository.ensure_commit(&base, "the branch this pull request merges into")?;
        return Ok(because(base, EFFECT_OF_MERGING));
    }
    let base = event_text(around, "/pull_request/base/sha")?
        .ok_or_else(|| bad_event("pull_request", "pull_request.base.sha"))?;
    if base == head.id {
        return Err(Failure::could_not_tell(
            "the base of the pull request is checked out, not its changes, so there is nothing to compare",
            "with `pull_request_target`, check out the merge: `ref: refs/pull/NUMBER/merge` (and run nothing from it)",
        ));
    }
    let name = event_text(around, "/pull_request/base/ref")?.unwrap_or_else(|| base.clone());
    repository.ensure_commit(&base, "the branch this pull request merges into")?;
    // The fetch may have cut history off anew: the verified merge base asks git again.
    let repository = repository.again()?;
    merge_base(&repository, &Pair::new(repository.resolve(&base)?, head.clone()), &name)
}

/// A text in GitHub's event file.
fn event_text(around: &Surroundings, pointer: &str) -> Result<Option<String>, Failure> {
    Ok(event(around)?.pointer(pointer).and_then(|value| value.as_str()).map(str::to_owned))
}

/// GitHub's event file.
fn event(around: &Surroundings) -> Result<serde_json::Value, Failure> {
    let unreadable = |error: String| {
        Failure::could_not_tell(
            format!("GitHub's event file (GITHUB_EVENT_PATH) cannot be read: {error}"),
            "name the base: `--against git:REF`",
        )
    };
    let path = around.github_event_file.as_ref().ok_or_else(|| unreadable("the variable is not set".into()))?;
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))
}

fn bad_event(event: &str, key: &str) -> Failure {
    Failure::could_not_tell(
        format!("GitHub's `{event}` event does not say `{key}`"),
        "name the base: `--against git:REF`",
    )
}

fn because(revision: String, reason: &str) -> GitSource {
    GitSource { reason: Some(reason.to_owned()), ..GitSource::tree(revision) }
}

fn is_zero(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte == b'0')
}

/// The default branch: its short name and its last commit.
struct DefaultBranch {
    name: String,
    tip: Resolved,
}

/// The short name of the default branch, if there is one.
pub(crate) fn default_branch_name(repository: &Repository) -> Result<Option<String>, Failure> {
    Ok(default_branch(repository)?.map(|branch| branch.name))
}

/// Names that default branches have, the usual ones first.
const USUAL_NAMES: [&str; 6] = ["main", "master", "trunk", "develop", "mainline", "default"];

/// The default branch, if there is one; of several that may be it, the one with the most usual name.
fn default_branch(repository: &Repository) -> Result<Option<DefaultBranch>, Failure> {
    Ok(default_branches(repository)?.into_iter().next())
}

/// What the remote says is its default branch, else the branches of usual names there, the most usual one first: which of them
/// it is nobody says, and whoever may push can make one. Else one here, else what `git init` would make.
fn default_branches(repository: &Repository) -> Result<Vec<DefaultBranch>, Failure> {
    let remote = repository.remote()?.unwrap_or_else(|| "origin".to_owned());
    let there = |name: &str| format!("refs/remotes/{remote}/{name}");
    let here = |name: &str| format!("refs/heads/{name}");
    let configured = repository.ask(["config", "--get", "init.defaultBranch"])?;
    let names = || USUAL_NAMES.iter().copied().chain(configured.as_deref());
    let told = [there("HEAD")];
    let (at_remote, at_home): (Vec<String>, Vec<String>) = (names().map(there).collect(), names().map(here).collect());
    let question = ["for-each-ref", "--format=%(refname) %(objectname) %(symref)"].into_iter();
    let all = told.iter().chain(&at_remote).chain(&at_home).map(String::as_str);
    let listing = repository.ask(question.chain(all))?.unwrap_or_default();
    let branch = |candidate: &String| {
        let mut lines = listing.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        let words = lines.find(|words| words[0] == candidate)?;
        let target = words.get(2).copied().unwrap_or_default();
        let branch = if target.is_empty() { candidate } else { target };
        let name = branch.strip_prefix(&there("")).or_else(|| branch.strip_prefix("refs/heads/")).unwrap_or(branch);
        Some(DefaultBranch { name: name.to_owned(), tip: Resolved { id: (*words.get(1)?).to_owned() } })
    };
    let one_of = |candidates: &[String]| candidates.iter().find_map(branch);
    if let Some(told) = one_of(&told) {
        return Ok(vec![told]);
    }
    let mut found: Vec<DefaultBranch> = Vec::new();
    for branch in at_remote.iter().filter_map(branch) {
        if found.iter().all(|known| known.name != branch.name) {
            found.push(branch);
        }
    }
    if found.is_empty() {
        found.extend(one_of(&at_home));
    }
    Ok(found)
}

/// The branch that this one will be merged into: its upstream, where that is not the same branch elsewhere, as `push -u`
/// makes it; else the default branch.
fn base_branch(repository: &Repository) -> Result<Vec<DefaultBranch>, Failure> {
    let Some(current) = repository.ask(["symbolic-ref", "--quiet", "--short", "HEAD"])? else {
        return default_branches(repository);
    };
    let format = "--format=%(upstream:short) %(upstream)";
    let upstream = repository.ask(["for-each-ref", format, &format!("refs/heads/{current}")])?.unwrap_or_default();
    let (short, full) = upstream.trim().rsplit_once(' ').unwrap_or_default();
    let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    if short.is_empty() || last(short) == last(&current) {
        return default_branches(repository);
    }
    match repository.find(full)? {
        Some(tip) => Ok(vec![DefaultBranch { name: short.to_owned(), tip }]),
        None => default_branches(repository),
    }
}

/// Whether a branch names this one as the base, so that no change makes itself the base of its own judgement.
fn is_agreed(named: &NamedBase<'_>, branch: &str, tip: &Resolved) -> bool {
    (named.said_in)(&tip.id).as_deref() == Some(branch)
}

/// So many branches are asked one after the other which one is the base.
const MOST_NAMED: usize = 16;

/// The branches that count where nobody knows the default branch: the one that the configuration names, the one that it names
/// itself, and so on to one that names itself. None where one of them names no other: then it is the default branch that
/// counts, as without the key.
fn named_in_turn(repository: &Repository, named: &NamedBase<'_>) -> Result<Vec<DefaultBranch>, Failure> {
    let mut branches: Vec<DefaultBranch> = Vec::new();
    let mut next = named.branch.to_owned();
    while branches.len() < MOST_NAMED {
        let Some(tip) = repository.branch(&next)? else { return Err(no_branch(repository, &next)?) };
        let said = (named.said_in)(&tip.id);
        branches.push(DefaultBranch { name: next, tip });
        match said {
            None => return Ok(Vec::new()),
            Some(said) if branches.iter().any(|known| known.name == said) => return Ok(branches),
            Some(said) => next = said,
        }
    }
    Ok(branches)
}

/// The branches whose merge bases count, of which the earliest does: the one that the configuration names, and as long as
/// the default branch does not name it as well, the one that would count without.
fn base_branches(repository: &Repository, named: Option<NamedBase<'_>>) -> Result<Vec<DefaultBranch>, Failure> {
    let Some(named) = named else { return base_branch(repository) };
    let Some(tip) = repository.branch(named.branch)? else { return Err(no_branch(repository, named.branch)?) };
    let chosen = DefaultBranch { name: named.branch.to_owned(), tip };
    let defaults = default_branches(repository)?;
    if defaults.is_empty() {
        return match repository.remote()? {
            // Whoever may push there can make a branch that names itself.
            Some(_) => Err(no_default_branch(repository)?),
            None => named_in_turn(repository, &named),
        };
    }
    // Where several may be the default one, each has to say so.
    let is_agreed = defaults.iter().all(|default| is_agreed(&named, named.branch, &default.tip));
    let usual = if is_agreed { Vec::new() } else { base_branch(repository)? };
    Ok(std::iter::once(chosen).chain(usual.into_iter().filter(|usual| usual.name != named.branch)).collect())
}

/// The earliest of the merge bases with some branches: whatever came after any of them is judged.
fn earliest_base(repository: &Repository, branches: &[DefaultBranch], heads: &[&str]) -> Result<GitSource, Failure> {
    let mut earliest: Option<GitSource> = None;
    for branch in branches {
        let base = merge_base_of(repository, &branch.tip, heads, &branch.name)?;
        let is_earlier = match &earliest {
            Some(known) => {
                let question = ["merge-base", "--is-ancestor", &known.revision, &base.revision];
                repository.ask(question)?.is_none()
            }
            None => true,
        };
        if is_earlier {
            earliest = Some(base);
        }
    }
    match earliest {
        Some(base) => Ok(base),
        None => Err(no_default_branch(repository)?),
    }
}

/// The merge base with the default branch; on the default branch itself the last commit, or the one before it.
fn default_base(
    repository: &Repository,
    named: Option<NamedBase<'_>>,
    head: &Resolved,
    new: &Source,
) -> Result<Source, Failure> {
    let current = repository.ask(["symbolic-ref", "--quiet", "--short", "HEAD"])?;
    let is_here = matches!(new, Source::WorkTree);
    let branches = match is_here || named.is_some() {
        true => base_branches(repository, named)?,
        false => default_branches(repository)?,
    };
    let Some(default) = branches.first() else {
        return match new {
            Source::WorkTree if repository.has_changed_schemas()? => Ok(last_commit(head)),
            _ => Err(no_default_branch(repository)?),
        };
    };
    let base = earliest_base(repository, &branches, &[&head.id])?;
    if base.revision != head.id {
        return Ok(Source::Git(base));
    }
    if *new == Source::WorkTree && repository.has_changed_schemas()? {
        return Ok(last_commit(head));
    }
    let on_default = match &current {
        Some(branch) => *branch == default.name,
        None => default.tip == *head,
    };
    if !on_default && *new == Source::WorkTree {
        return Ok(Source::Git(base));
    }
    match repository.parents(&head.id)?.first() {
        None => Ok(Source::Empty),
        Some(parent) => {
            repository.ensure_commit(parent, "the commit before the last one")?;
            Ok(Source::Git(because(parent.clone(), &format!("the commit before the last one of {}", default.name))))
        }
    }
}

fn last_commit(head: &Resolved) -> Source {
    Source::Git(because(head.id.clone(), "the last commit"))
}

/// The command that fetches all branches, and the rest of a shallow clone's history.
fn fetch_all(repository: &Repository, remote: &str) -> String {
    let whole = if repository.shallow { "--unshallow " } else { "" };
    format!("git fetch {whole}{remote} '+refs/heads/*:refs/remotes/{remote}/*'")
}

fn no_default_branch(repository: &Repository) -> Result<Failure, Failure> {
    let message = "there is no base to compare with: nothing here says which branch is the default one";
    let Some(remote) = repository.remote()? else {
        return Ok(Failure::could_not_tell(message, "name the base: `wireproof check --against git:REF`"));
    };
    let fetch = fetch_all(repository, &remote);
    let help = format!(
        "{fetch} && git remote set-head {remote} --auto\nor name the base: `wireproof check --against git:REF`"
    );
    Ok(Failure::could_not_tell(message, help))
}

fn no_branch(repository: &Repository, name: &str) -> Result<Failure, Failure> {
    let remote = repository.remote()?.unwrap_or_else(|| "origin".to_owned());
    let help = format!(
        "{}\nwith actions/checkout, set `fetch-depth: 0`; or name the base: `--against SOURCE`",
        fetch_all(repository, &remote)
    );
    Ok(Failure::could_not_tell(
        format!("the branch {name} is not in this clone, so there is no merge base with it"),
        help,
    ))
}

/// The one merge base, if it is certain.
///
/// Certain means: no commit at which history is cut off lies on a path between the two, so that every path to the true
/// base is visible, and git finds exactly one candidate.
fn merge_base(repository: &Repository, ends: &Pair<Resolved>, name: &str) -> Result<GitSource, Failure> {
    merge_base_of(repository, &ends.old, &[&ends.new.id], name)
}

/// The same for the commit that several heads will be merged into.
fn merge_base_of(repository: &Repository, old: &Resolved, heads: &[&str], name: &str) -> Result<GitSource, Failure> {
    if heads.contains(&old.id.as_str()) {
        return Ok(because(old.id.clone(), &format!("tip of {name}")));
    }
    if repository.shallow {
        let mut between = String::new();
        for head in heads {
            between.push_str(&repository.ask(["rev-list", &format!("{}...{head}", old.id)])?.unwrap_or_default());
            between.push('\n');
        }
        let cut = repository.shallow_commits()?;
        if between.lines().any(|commit| cut.iter().any(|shallow| shallow == commit)) {
            return Err(untrusted(
                format!(
                    "the merge base with {name} cannot be trusted: this clone is shallow and history is cut off before it"
                ),
                "git fetch --unshallow origin",
            ));
        }
    }
    let question = ["merge-base", "--all", old.id.as_str()].into_iter().chain(heads.iter().copied());
    let found = repository.ask(question)?.unwrap_or_default();
    let bases: Vec<&str> = found.lines().collect();
    match bases.as_slice() {
        [base] => Ok(because((*base).to_owned(), &format!("merge base of {name}"))),
        [] if repository.shallow => Err(untrusted(
            format!("no merge base with {name} is visible: this clone is shallow"),
            "git fetch --unshallow origin",
        )),
        [] => Err(Failure::could_not_tell(
            format!("the branch has no commit in common with {name}"),
            format!("name the base: `wireproof check --against git:{}`", old.short()),
        )),
        several => Err(Failure::could_not_tell(
            format!(
                "there are {} merge bases with {name} ({}): the branches were merged into each other",
                several.len(),
                several.iter().map(|id| id.get(..7).unwrap_or(id)).collect::<Vec<_>>().join(", "),
            ),
            format!(
                "merge {name} into this branch once more, or name the base: `wireproof check --against git:{}`",
                several[0].get(..7).unwrap_or(several[0])
            ),
        )),
    }
}

fn untrusted(message: String, command: &str) -> Failure {
    Failure::could_not_tell(
        message,
        format!("{command}\nwith actions/checkout, set `fetch-depth: 0`; or name the base: `--against SOURCE`"),
    )
}
