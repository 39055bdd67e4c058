//! Several old versions: which pairs are compared, and their reports put together.

use std::cell::RefCell;
use std::path::Path;

use super::base::Strictness;
use super::run::{Asked, OnePair, Run};
use super::way::Asks;
use crate::change::{Change, Pair};
use crate::failure::{Exit, Failure};
use crate::report::Report;
use crate::report::versions::{Compared, Counting, Found, merge};
use crate::snapshot::ContentId;
use crate::source::git::Repository;
use crate::source::{Loaded, Source};
use crate::verdict::Reach;
use crate::vocabulary::ProblemSide;

/// Who named the old versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// The user: they are called as any source is, and a wrong name is wrong usage.
    ByUser,
    /// History: they have names already, but for the last, and one that cannot be read is not established.
    ByHistory,
}

/// Old versions, oldest first, with the new one.
pub(super) struct Versions<'a> {
    /// The old versions: how they are called, and where they come from.
    pub old: &'a [(String, Source)],
    /// Who named them.
    pub named: Named,
    /// The new one.
    pub new: &'a Source,
    /// What is judged; nothing for everything.
    pub paths: &'a [String],
    /// Where the paths of the snapshots start on disk.
    pub folder: &'a Path,
    /// Whether all versions decide.
    pub counting: Counting,
    /// What else is to be judged of the last old version and the new one.
    pub more: &'a dyn Fn(&Loaded) -> Vec<Change>,
    /// The repository, if any side needs one.
    pub repository: Option<&'a Repository>,
}

impl Versions<'_> {
    /// Compares each old version with the new one, the last one first, and puts the reports together. What the last one
    /// was called is what the report calls its old side.
    ///
    /// # Errors
    /// When the last version or the new one cannot be read, or any version is named wrongly.
    pub(super) fn found_out(
        &self,
        run: &Run<'_>,
        strictness: fn(&Pair<Source>) -> Strictness,
    ) -> Result<Report, Failure> {
        let contents: RefCell<Vec<(usize, String)>> = RefCell::default();
        let mut compared: Vec<Compared> = Vec::new();
        for (at, (name, source)) in self.old.iter().enumerate().rev() {
            let is_last = at + 1 == self.old.len();
            let known = |loaded: &Loaded| same_as(&mut contents.borrow_mut(), at, contents_of(loaded));
            let sources = Pair::new(source.clone(), self.new.clone());
            let reach = if is_last { Reach::Last } else { Reach::Earlier };
            let strictness = strictness(&sources);
            let nothing = |_: &Loaded| Vec::new();
            let more: &dyn Fn(&Loaded) -> Vec<Change> = if is_last { self.more } else { &nothing };
            let asked = Asked {
                paths: self.paths,
                folder: self.folder,
                strictness,
                reach,
                follows: false,
                in_parts: false,
                known: &known,
                more,
                way: Asks::Nothing,
            };
            let found = match run.found_out_once(sources, &asked, self.repository.cloned()) {
                Ok(OnePair::Report(report)) => Found::Report(report),
                Ok(OnePair::Known(later)) => Found::Same(later),
                Err(failure) if !is_last && (failure.exit == Exit::CouldNotTell || self.named == Named::ByHistory) => {
                    Found::Unread(failure.message, failure.help)
                }
                Err(failure) => return Err(failure),
            };
            let found = in_folders(found, (self.named, source, self.new));
            let name = match &found {
                Found::Report(report) if self.named == Named::ByUser || is_last => report.old.source.clone(),
                Found::Report(_) | Found::Same(_) | Found::Unread(..) => name.clone(),
            };
            compared.push(Compared { name, found });
        }
        run.keep_outlines();
        compared.reverse();
        let nothing = || Failure::could_not_tell("there is no old version", "name at least one, the oldest first");
        merge(&compared, self.counting).ok_or_else(nothing)
    }
}

impl Versions<'_> {
    /// The report of one version before the last and the new one; `None` where there is none.
    pub(super) fn one_pair(&self, run: &Run<'_>, old: Source, strictness: Strictness) -> Option<Report> {
        let (known, more) = (|_: &Loaded| None, |_: &Loaded| Vec::new());
        let (paths, folder, reach) = (self.paths, self.folder, Reach::Earlier);
        let asked = Asked {
            paths,
            folder,
            strictness,
            reach,
            follows: false,
            in_parts: false,
            known: &known,
            more: &more,
            way: Asks::Nothing,
        };
        match run.found_out_once(Pair::new(old, self.new.clone()), &asked, self.repository.cloned()) {
            Ok(OnePair::Report(report)) => Some(*report),
            Ok(OnePair::Known(_)) | Err(_) => None,
        }
    }
}

/// Versions that history found in folders side by side: what stands in them is called by its whole path.
fn in_folders(found: Found, (named, old, new): (Named, &Source, &Source)) -> Found {
    let is_folder = |source: &Source| matches!(source, Source::Path(path) if path.is_dir());
    let Found::Report(mut report) = found else { return found };
    if named == Named::ByHistory && is_folder(old) && is_folder(new) {
        let folders = Pair::new(report.old.source.clone(), report.new.source.clone());
        report.call_files(ProblemSide::Old, |file| Some(format!("{}/{file}", folders.old)));
        report.call_files(ProblemSide::New, |file| Some(format!("{}/{file}", folders.new)));
    }
    Found::Report(report)
}

/// The version with these contents that is judged already; else this one is it from now on. A version may be read twice.
fn same_as(contents: &mut Vec<(usize, String)>, at: usize, id: String) -> Option<usize> {
    contents.retain(|(known, _)| *known != at);
    let same = contents.iter().find(|(_, known)| *known == id).map(|(at, _)| *at);
    if same.is_none() {
        contents.push((at, id));
    }
    same
}

/// Fingerprint of what the old side holds, and of what was read beside it.
fn contents_of(loaded: &Loaded) -> String {
    let mut text = String::new();
    for (path, file) in loaded.snapshots.old.iter() {
        text.push_str(&format!("{path:?} {}\n", file.id));
    }
    for (path, unseen) in loaded.snapshots.old.unseen() {
        text.push_str(&format!("unseen {path:?} {unseen:?}\n"));
    }
    for (path, file) in loaded.snapshots.new.iter() {
        text.push_str(&format!("new {path:?} {}\n", file.id));
    }
    for file in &loaded.library {
        text.push_str(&format!("library {:?} {}\n", file.import_path, ContentId::of(&file.bytes)));
    }
    text.push_str(&format!("{:?} {:?}\n", loaded.include, loaded.single.as_ref().map(|single| &single.old.path)));
    ContentId::of(text.as_bytes()).to_string()
}
