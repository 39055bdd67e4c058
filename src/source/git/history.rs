//! What came before a commit: the commits that changed a schema, and the tags.

use std::process::Output;
use std::sync::Arc;

use super::read::Wanted;
use super::{Repository, git_failed, path_text, text};
use crate::failure::Failure;
use crate::formats::Format;
use crate::snapshot::Bytes;
use crate::source::names::is_relevant;
use crate::source::object::ObjectId;

/// So many times as many commits are asked for where too few of them count.
const MORE: usize = 8;

/// A commit of the past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The full id.
    pub id: String,
    /// The day on which it was committed, as its author's clock had it: `2024-03-02`.
    pub day: String,
    /// The first line of its message.
    pub subject: String,
}

/// What came before a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past {
    /// The commits that changed a schema, newest first.
    pub commits: Vec<Commit>,
    /// Whether there are older ones than were asked for.
    pub has_more: bool,
}

/// What one commit did to the schemas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The commit.
    pub commit: Commit,
    /// The files that it changed.
    pub files: Vec<Touched>,
}

/// A file that a commit changed: the ids of its contents before and after, where it was there as a plain file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// Its path.
    pub path: String,
    /// What it held before.
    pub old: Option<String>,
    /// What it holds after.
    pub new: Option<String>,
}

/// What was done to the schemas before a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Steps {
    /// Newest first.
    pub steps: Vec<Step>,
    /// Whether there are older ones than were asked for.
    pub has_more: bool,
}

/// A tag, and the commit that it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// Its name, without `refs/tags/`.
    pub name: String,
    /// The commit and its day; `None` where the tag leads to something else.
    pub commit: Option<(String, String)>,
}

impl Repository {
    /// The commits from `commit` back, along first parents, that changed a schema; `most` at most.
    ///
    /// # Errors
    /// When git fails, as it does where objects are missing.
    pub fn past(&self, commit: &str, most: usize) -> Result<Past, Failure> {
        if self.sought.may_count_others() {
            return self.past_of_named(commit, most);
        }
        let output = self.log((commit, most, false), &["--format=%H %cs %s"])?;
        let records = output.split(|byte| *byte == 0).filter(|record| !record.is_empty());
        let mut commits: Vec<Commit> = records.filter_map(|record| understood(&text(record))).collect();
        let has_more = commits.len() > most;
        commits.truncate(most);
        Ok(Past { commits, has_more })
    }

    /// The same where names say too little: each commit is asked what it touched. No more of them than are needed.
    fn past_of_named(&self, commit: &str, most: usize) -> Result<Past, Failure> {
        // What only says how schemas are found is no version of one.
        let counts = |path: &str| Format::is_schema(path) || !is_relevant(path) && self.sought.counts(path);
        let mut asked = most;
        loop {
            let steps = self.steps_of(commit, asked, true)?;
            let is_all = steps.len() <= asked;
            let counted = steps.into_iter().filter(|step| step.files.iter().any(|file| counts(&file.path)));
            let mut commits: Vec<Commit> = counted.map(|step| step.commit).collect();
            let has_more = commits.len() > most;
            if has_more || is_all {
                commits.truncate(most);
                return Ok(Past { commits, has_more });
            }
            asked = asked.saturating_add(1).saturating_mul(MORE);
        }
    }

    /// What the commits from `commit` back, along first parents, did to schemas; `most` at most.
    ///
    /// # Errors
    /// When git fails, as it does where objects are missing.
    pub fn steps(&self, commit: &str, most: usize) -> Result<Steps, Failure> {
        let mut steps = self.steps_of(commit, most, false)?;
        let has_more = steps.len() > most;
        steps.truncate(most);
        Ok(Steps { steps, has_more })
    }

    /// One more than so many; with others also those of files that may be anything else.
    fn steps_of(&self, commit: &str, most: usize, with_others: bool) -> Result<Vec<Step>, Failure> {
        // Of a merge, what it brought to its first parent.
        let output =
            self.log((commit, most, with_others), &["-m", "--raw", "--no-abbrev", "--format=%x01%H %cs %s"])?;
        let mut steps: Vec<Step> = Vec::new();
        let mut records = output.split(|byte| *byte == 0);
        while let Some(record) = records.next() {
            let record = text(record);
            let record = record.trim_start_matches('\n');
            if let Some(commit) = record.strip_prefix('\u{1}').and_then(understood) {
                steps.push(Step { commit, files: Vec::new() });
            } else if let (Some(entry), Some(step)) = (record.strip_prefix(':'), steps.last_mut()) {
                // Its path is the next record, whatever that looks like.
                let path = records.next().map(path_text).unwrap_or_default();
                step.files.extend(touched(entry, path));
            }
        }
        Ok(steps)
    }

    /// Which files of schemas the commits from `commit` back, along first parents, gave another path: the path before and
    /// the one after, the newest first. `most` commits at most that changed a schema.
    ///
    /// # Errors
    /// When git fails, as it does where objects are missing.
    pub fn moves(&self, commit: &str, most: usize) -> Result<Vec<(String, String)>, Failure> {
        let form = ["-m", "--find-renames", "--diff-filter=R", "--name-status", "--format="];
        let output = self.log((commit, most, self.sought.may_count_others()), &form)?;
        // `R095`, the path before, the path after.
        let mut parts = output.split(|byte| *byte == 0).filter(|part| !part.is_empty());
        let mut moves = Vec::new();
        while let Some(status) = parts.next() {
            if text(status).trim_start_matches('\n').starts_with('R') {
                moves.extend(parts.next().zip(parts.next()).map(|(old, new)| (path_text(old), path_text(new))));
            }
        }
        Ok(moves)
    }

    /// What some blobs hold, in the order asked for. Versions of one file that stand beside each other are read sooner: git
    /// makes one out of the other.
    ///
    /// # Errors
    /// When one is missing.
    pub fn blobs(&self, ids: &[&str]) -> Result<Vec<Bytes>, Failure> {
        let content = |id: &&str| ObjectId::read(id.as_bytes())?.content();
        let (known, left) = self.texts.known(ids.iter().map(content));
        let left: Vec<&str> = left.into_iter().map(|at| ids[at]).collect();
        let read: Vec<Bytes> = self.read_blobs(&left)?.into_iter().map(|file| file.bytes).collect();
        if self.lineage.is_any() {
            // Whoever compares the versions wants to know the same.
            let ids = left.iter().map(content);
            ids.zip(&read).for_each(|(id, bytes)| _ = id.map(|id| self.texts.keep(id, bytes.shared())));
        }
        let mut read = read.into_iter();
        Ok(known.into_iter().filter_map(|known| known.map(Bytes::from).or_else(|| read.next())).collect())
    }

    /// What is made of some blobs, in the order asked for, of which no more are held than are kept in any case.
    ///
    /// # Errors
    /// When one is missing.
    pub(crate) fn look_at<T: Send>(
        &self,
        ids: &[&str],
        look: &(dyn Fn(usize, &[u8]) -> T + Sync),
    ) -> Result<Vec<T>, Failure> {
        let content = |id: &str| ObjectId::read(id.as_bytes())?.content();
        let (known, left) = self.texts.known(ids.iter().map(|id| content(id)));
        let left: Vec<Wanted<&str>> = left.into_iter().map(|at| Wanted { at, id: ids[at] }).collect();
        let keeps = self.lineage.is_any();
        let read = self.visit_blobs(&left, &|wanted, bytes| {
            if let Some(id) = content(wanted.id).filter(|_| keeps) {
                self.texts.keep(id, &Arc::from(bytes));
            }
            look(wanted.at, bytes)
        })?;
        let mut read = read.into_iter();
        let known = known.into_iter().enumerate();
        Ok(known.filter_map(|(at, known)| known.map(|text| look(at, &text)).or_else(|| read.next())).collect())
    }

    /// `git log` along first parents, of the commits that changed a file that may be a schema: one more than `most`.
    fn log(&self, (commit, most, with_others): (&str, usize, bool), form: &[&str]) -> Result<Vec<u8>, Failure> {
        let mut command = self.git.command(&self.home);
        // The patterns are this program's own, and nobody's file names; and they mean what they mean by default.
        for way in ["LITERAL", "GLOB", "NOGLOB", "ICASE"] {
            command.env_remove(format!("GIT_{way}_PATHSPECS"));
        }
        command.args(["-c", "log.showRoot=true", "log", "-z", "--first-parent", "--no-renames", "--encoding=UTF-8"]);
        command.args(form).arg(format!("--max-count={}", most.saturating_add(1))).args([commit, "--"]);
        let output = command.args(schemas(with_others)).stdin(std::process::Stdio::null()).output();
        let output = output.map_err(|error| super::cannot_start(&error))?;
        succeeded("read the history", &output)?;
        Ok(output.stdout)
    }

    /// All tags, in no order that means anything.
    ///
    /// # Errors
    /// When git fails.
    pub fn tags(&self) -> Result<Vec<Tag>, Failure> {
        const FORM: &str = "--format=%(refname:strip=2)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00\
                            %(*objectname)%00%(committerdate:short)%00%(*committerdate:short)";
        let output = self.git(["for-each-ref", FORM, "refs/tags"])?;
        succeeded("list its tags", &output)?;
        let listing = text(&output.stdout);
        let tag = |line: &str| {
            let parts: Vec<&str> = line.split('\0').collect();
            let [name, kind, id, kind_within, id_within, day, day_within] = parts.as_slice() else { return None };
            let commit = match (*kind, *kind_within) {
                ("commit", _) => Some((id, day)),
                (_, "commit") => Some((id_within, day_within)),
                _ => None,
            };
            let commit = commit.map(|(id, day)| ((*id).to_owned(), (*day).to_owned()));
            Some(Tag { name: (*name).to_owned(), commit })
        };
        Ok(listing.lines().filter_map(tag).collect())
    }
}

/// What names the files that are schemas: a star and how they end, in whatever folder, which git compares four times faster
/// than `**/` in front. With others, also those that may be schemas and may be anything else.
fn schemas(with_others: bool) -> impl Iterator<Item = String> {
    let others = move |format: &Format| format.is_of_schemas() && with_others;
    let endings = Format::ALL.iter().flat_map(move |format| {
        let data = if others(format) { format.data_extensions() } else { &[] };
        format.extensions().iter().chain(data)
    });
    endings.map(|ending| format!(":(top)*.{ending}"))
}

fn understood(record: &str) -> Option<Commit> {
    let (id, rest) = record.trim_start_matches('\n').split_once(' ')?;
    let (day, subject) = rest.split_once(' ').unwrap_or((rest, ""));
    Some(Commit { id: id.to_owned(), day: day.to_owned(), subject: subject.to_owned() })
}

/// What stands between the colon of an entry and its path: modes, ids, and what happened.
fn touched(entry: &str, path: String) -> Option<Touched> {
    let parts: Vec<&str> = entry.split(' ').collect();
    let [old_mode, new_mode, old, new, _] = parts.as_slice() else { return None };
    // Links and submodules hold no schema of their own.
    let plain = |mode: &str, id: &str| mode.starts_with("100").then(|| id.to_owned());
    Some(Touched { path, old: plain(old_mode, old), new: plain(new_mode, new) })
}

fn succeeded(what: &str, output: &Output) -> Result<(), Failure> {
    if output.status.success() { Ok(()) } else { Err(git_failed(what, output)) }
}
