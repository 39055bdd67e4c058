//! Parts of a repository that are judged as another tool would, by the configuration that this tool finds there.
//!
//! The configuration is understood elsewhere. Here it is decided which of the tool's reports it lets count.

use std::sync::Arc;

use super::peer::PeerPolicy;
use crate::change::{Pair, PeerReport, Side, Site};
use crate::ordered::OrderedSet;

/// A part of a repository with a configuration of another tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerArea {
    /// Its folder on each side, `None` where it does not exist; empty for everything.
    pub folder: Pair<Option<String>>,
    /// As whom, and by which rules.
    pub peer: PeerPolicy,
    /// Where it is configured, for reports: `buf.yaml:3`.
    pub source: String,
    /// What the tool's configuration leaves out.
    pub ignored: Vec<Ignored>,
    /// The files of each side in packages that are not stable yet, where those are left out.
    pub unstable: Pair<OrderedSet<Arc<str>>>,
}

/// A file or a folder that is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// The path, from the folder of the area; empty for all of it.
    pub path: String,
    /// The ids concerned; `None` for all.
    pub ids: Option<OrderedSet<String>>,
}

impl PeerArea {
    /// Whether a file of a side lies in it; how long the folder is tells which of several counts.
    fn holds(&self, side: Side, file: &str) -> Option<usize> {
        let folder = self.folder.side(side).as_deref()?;
        below(folder, file).map(|_| folder.len())
    }

    /// Whether the tool's configuration leaves out what it reports under an id. Either place is enough.
    pub fn ignores(&self, id: &str, at: Pair<Option<&Site>>) -> bool {
        self.leaves_out(at, |ignored| ignored.ids.as_ref().is_none_or(|ids| ids.contains(id)))
    }

    /// Whether the tool's configuration leaves out everything at a place.
    fn ignores_all(&self, at: Pair<Option<&Site>>) -> bool {
        self.leaves_out(at, |ignored| ignored.ids.is_none())
    }

    fn leaves_out(&self, at: Pair<Option<&Site>>, counts: impl Fn(&Ignored) -> bool) -> bool {
        [(Side::Old, at.old), (Side::New, at.new)].into_iter().any(|(side, site)| {
            let Some(site) = site else { return false };
            if self.unstable.side(side).contains(&site.file) {
                return true;
            }
            let Some(rest) = self.folder.side(side).as_deref().and_then(|folder| below(folder, &site.file)) else {
                return false;
            };
            self.ignored.iter().any(|ignored| counts(ignored) && below(&ignored.path, rest).is_some())
        })
    }
}

/// What is left of a path below a folder.
fn below<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    if folder.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(folder)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// The area of a place: that of the new side's file, else that of the old side's; of several, the innermost.
pub(super) fn area_of<'a>(areas: &'a [PeerArea], at: Pair<Option<&Site>>) -> Option<&'a PeerArea> {
    let (side, site) = match (at.new, at.old) {
        (Some(site), _) => (Side::New, site),
        (None, Some(site)) => (Side::Old, site),
        (None, None) => return None,
    };
    let fitting = areas.iter().filter_map(|area| Some((area.holds(side, &site.file)?, area)));
    fitting.max_by_key(|(length, _)| *length).map(|(_, area)| area)
}

/// What an area makes of the reports about one change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PeerSays {
    /// The tool reports it.
    Reported,
    /// The tool's configuration leaves it out.
    Ignored,
    /// The tool has nothing to say here, or no rule that counts.
    Nothing,
}

/// Where a report points, on the side alone from which a change of file is looked at.
fn seen_from<'a>(place: Pair<Option<&'a Site>>, at: Pair<Option<&Site>>) -> Pair<Option<&'a Site>> {
    match (place.old, place.new) {
        (Some(old), Some(new)) if old.file != new.file => match (at.old, at.new) {
            (None, Some(_)) => Pair::new(None, Some(new)),
            (Some(_), None) => Pair::new(Some(old), None),
            (Some(_), Some(_)) | (None, None) => place,
        },
        _ => place,
    }
}

/// Whether any report counts; each is looked at in the area where it points.
pub(super) fn told(areas: &[PeerArea], area: &PeerArea, reports: &[PeerReport], at: Pair<Option<&Site>>) -> PeerSays {
    let mut ignored = area.ignores_all(at);
    for report in reports {
        let place = report.at.as_ref().map(Option::as_ref);
        let place = if place.old.is_none() && place.new.is_none() { at } else { seen_from(place, at) };
        let area = area_of(areas, place).unwrap_or(area);
        if area.peer.counts(report.tool, report.id) {
            if !area.ignores(report.id, place) {
                return PeerSays::Reported;
            }
            ignored = true;
        }
    }
    if ignored { PeerSays::Ignored } else { PeerSays::Nothing }
}
