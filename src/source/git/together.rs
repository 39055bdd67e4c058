//! Versions of a lineage listed: one process says what the newest holds, and one in what each differs from the next.

use std::io::Write;
use std::process::Stdio;
use std::sync::{Arc, PoisonError};

use super::command::cannot_start;
use super::lineage::{Line, Lines, Listed, Looks, Remembered, Replaced, Versions};
use super::list::{aside_at, parts, replaced_at};
use super::{Repository, Tree};
use crate::change::Pair;
use crate::failure::Failure;
use crate::formats::Format;
use crate::ordered::{InOrder, OrderedSet};
use crate::source::names::is_relevant;
use crate::source::object::ObjectId;

/// Whether a file can count for somebody.
fn may_count(path: &str) -> bool {
    is_relevant(path) || Format::of_path(path).is_some()
}

/// What stood in versions in the place of what is there now, and what either holds aside.
type Steps = (Vec<Vec<Replaced>>, Vec<Vec<ObjectId>>);

impl Repository {
    /// What two of them, and those between them, hold in files that differ, are no schemas by their names and may be some that
    /// a schema refers to; `None` where they are not remembered.
    pub(crate) fn aside_between(&self, sides: Pair<&str>) -> Option<Vec<ObjectId>> {
        let remembered = self.lineage.get();
        let versions = self.listed(&remembered)?;
        let (old, new) = (*versions.places.get(sides.old)?, *versions.places.get(sides.new)?);
        Some(versions.aside[old.min(new)..old.max(new)].concat())
    }

    /// Whether one of some blobs is wanted: for what it says, as a link that leads somewhere, or since it is not here or larger
    /// than that. Of versions that belong together each is looked at once.
    pub(crate) fn any_wanted(
        &self,
        ids: &[ObjectId],
        largest: u64,
        looks: &dyn Fn(&[u8]) -> Looks,
        leads: &dyn Fn(&str) -> bool,
    ) -> Result<bool, Failure> {
        let remembered = self.lineage.get();
        let seen = || remembered.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let ids: OrderedSet<ObjectId> = ids.iter().copied().collect();
        let is_wanted = |looks: &Looks| match looks {
            Looks::Wanted => true,
            Looks::Link(name) => leads(name),
            Looks::Other => false,
        };
        let known: Vec<Looks> = ids.iter().filter_map(|id| seen().get(id).cloned()).collect();
        if known.iter().any(is_wanted) {
            return Ok(true);
        }
        let left: Vec<ObjectId> = ids.into_iter().filter(|id| !seen().contains_key(id)).collect();
        let sizes = self.sizes(&left)?;
        if sizes.contains(&None) {
            return Ok(true);
        }
        let is_small = |(_, size): &(ObjectId, Option<u64>)| size.is_some_and(|size| size <= largest);
        let (small, large): (Vec<_>, Vec<_>) = left.into_iter().zip(sizes).partition(is_small);
        let small: Vec<ObjectId> = small.into_iter().map(|(id, _)| id).collect();
        let found: Vec<Looks> = self.read_blobs(&small)?.iter().map(|file| looks(&file.bytes)).collect();
        let is_any = found.iter().any(is_wanted) || !large.is_empty();
        // What nobody looks into may be anything.
        seen().extend(small.into_iter().zip(found).chain(large.into_iter().map(|(id, _)| (id, Looks::Wanted))));
        Ok(is_any)
    }

    /// Has versions listed together, which are named by the ids of their commits, newest first.
    pub(crate) fn remember(&self, ids: Vec<String>) {
        self.lineage.set(ids);
    }

    /// Forgets all of them.
    pub(crate) fn forget(&self) {
        self.lineage.set(Vec::new());
    }

    /// The versions that were to be remembered; `None` where there are none, or it is not that simple.
    pub(crate) fn lines(&self) -> Option<Lines> {
        let remembered = self.lineage.get();
        let versions = self.listed(&remembered)?;
        let both = [&versions.sure, &versions.perhaps];
        let newest = both.iter().flat_map(|line| line.newest()).map(|file| (file.path.clone(), file.blob.to_string()));
        let spelled = |(path, blob): &Replaced| (path.clone(), blob.map(|blob| blob.to_string()));
        let steps = |sides: fn(&Line) -> &[Vec<Replaced>]| {
            let steps = sides(&versions.sure).iter().zip(sides(&versions.perhaps));
            steps.map(|(sure, perhaps)| sure.iter().chain(perhaps).map(spelled).collect()).collect()
        };
        Some(Lines { newest: newest.collect(), replaced: steps(Line::replaced), newer: steps(Line::newer) })
    }

    fn listed<'r>(&self, remembered: &'r Remembered) -> Option<&'r Versions> {
        if remembered.ids.is_empty() {
            return None;
        }
        remembered.listed.get_or_init(|| self.list_versions(&remembered.ids)).as_ref()
    }

    /// The relevant files of two versions that were to be remembered; `None` where that is not so, or not that simple.
    pub(super) fn remembered(&self, sides: Pair<&str>) -> Option<Pair<Tree>> {
        Some(Pair::new(self.version(sides.old)?, self.version(sides.new)?))
    }

    /// The relevant files of one of them.
    pub(crate) fn version(&self, id: &str) -> Option<Tree> {
        let remembered = self.lineage.get();
        let versions = self.listed(&remembered)?;
        let at = *versions.places.get(id)?;
        let mut files = versions.sure.files(at);
        if !self.sought.may_count_others() {
            return Some(Tree { files, version: Some(at), ..Tree::default() });
        }
        let sure = files.len();
        files.extend(versions.perhaps.files(at).into_iter().filter(|file| self.sought.counts(&file.path)));
        if files.len() > sure {
            files.sort_in_order_by(|one, other| one.path.cmp(&other.path));
        }
        Some(Tree { files, ..Tree::default() })
    }

    fn list_versions(&self, ids: &[String]) -> Option<Versions> {
        let is_id = |id: &String| ObjectId::read(id.as_bytes()).is_some();
        let newest = ids.first().filter(|_| ids.iter().all(is_id))?;
        // One after the other: whoever waits here for another thread might begin with another pair meanwhile, and wait for
        // this very list.
        let newest = self.plain_files(&self.list_tree(newest).ok()?, &may_count);
        let (steps, aside) = self.replaced_between(ids).ok().flatten()?;
        let is_sure = |path: &Arc<str>| is_relevant(path);
        let (sure, perhaps): (Vec<Listed>, Vec<Listed>) = newest?.into_iter().partition(|file| is_sure(&file.path));
        let (mut sure_steps, mut perhaps_steps) = (Vec::new(), Vec::new());
        for step in steps {
            let (sure, perhaps) = step.into_iter().partition(|(path, _)| is_sure(path));
            sure_steps.push(sure);
            perhaps_steps.push(perhaps);
        }
        let places = ids.iter().enumerate().map(|(at, id)| (id.clone(), at)).collect();
        let (sure, perhaps) = (Line::new(sure, sure_steps), Line::new(perhaps, perhaps_steps));
        Some(Versions { places, sure, perhaps, aside })
    }

    /// What stood in each version where the one before it in the list has something else: one process answers for all.
    /// And what either holds aside. Nothing where links or submodules are concerned.
    fn replaced_between(&self, ids: &[String]) -> Result<Option<Steps>, Failure> {
        let question = ["diff-tree", "--stdin", "--always", "-r", "-z", "--raw", "--no-abbrev", "--no-renames"];
        let mut git = self.git.command(&self.home);
        git.args(question).arg("--ignore-submodules=none");
        let mut child = git
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| cannot_start(&error))?;
        let stdin = child.stdin.take();
        let output = std::thread::scope(|scope| {
            scope.spawn(move || {
                let Some(mut pipe) = stdin else { return };
                // A failed write means that git ended early, and then answers are missing.
                let _ = ids.windows(2).try_for_each(|pair| writeln!(pipe, "{} {}", pair[0], pair[1]));
            });
            child.wait_with_output()
        });
        let output = output.map_err(|error| cannot_start(&error))?;
        let (mut steps, mut aside): Steps = Default::default();
        let mut parts = parts(&output.stdout).filter(|part| !part.is_empty());
        while let Some(part) = parts.next() {
            // A version, or a path at which it is not as the one before.
            let last = aside.len().saturating_sub(1);
            match (part.first(), steps.last_mut()) {
                (Some(b':'), Some(step)) => {
                    // Mirrored: what the list has first is the newer one, and the other one stands for its parent.
                    let name = parts.next().unwrap_or_default();
                    let Some(replaced) = replaced_at(part, name, &may_count) else { return Ok(None) };
                    step.extend(replaced);
                    aside[last].extend(aside_at(part, name));
                }
                (Some(b':'), None) => return Ok(None),
                _ => {
                    steps.push(Vec::new());
                    aside.push(Vec::new());
                }
            }
        }
        Ok((output.status.success() && steps.len() + 1 == ids.len()).then_some((steps, aside)))
    }
}
