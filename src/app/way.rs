//! The way to what is wanted without a break, as a report names it: the command, and the steps where they cost little.

use std::cell::{Cell, RefCell};

use crate::change::Pair;
use crate::plan::{Answer, Asked, Judge, Judged, Step, breaks, plan};
use crate::report::{Again, Report, Way, WayStep};
use crate::snapshot::Snapshot;

/// Steps are looked for among so many files.
const FILES: usize = 200;
/// And where so many bytes differ.
const BYTES: usize = 32 * 1024;
/// And for so many breaks: of more, each comparison costs much, and nobody reads the steps in a report.
const BREAKS: usize = 20;
/// So many comparisons are made for it.
const COMPARISONS: usize = 24;

/// What a report says of the way.
#[derive(Debug, Clone, Copy)]
pub(super) enum Asks<'a> {
    /// Nothing: no command would show it.
    Nothing,
    /// The command that looks for it.
    Command(&'a Again),
    /// The steps as well.
    Steps(&'a Again),
}

impl<'a> Asks<'a> {
    /// What the command says, and whether the steps are told as well.
    pub(super) fn of(command: Option<&'a Again>, with_steps: bool) -> Self {
        match (command, with_steps) {
            (None, _) => Asks::Nothing,
            (Some(command), false) => Asks::Command(command),
            (Some(command), true) => Asks::Steps(command),
        }
    }

    /// What a report of a pair says of the way that leads from the one to the other. `first` says what was found between
    /// them, and `wanted.judge` is asked of the steps.
    pub(super) fn way(self, report: &Report, wanted: &Asked<'_>, first: impl FnOnce() -> Judged) -> Option<Way> {
        let breaks = breaks(report);
        let (command, looks) = match self {
            _ if breaks == 0 => return None,
            Asks::Nothing => return None,
            Asks::Command(command) => (command, false),
            Asks::Steps(command) => (command, breaks <= BREAKS && is_cheap(wanted.pair)),
        };
        let named = |tried| Way { command: command.clone(), tried, steps: Vec::new(), differs: Vec::new() };
        if !looks {
            return Some(named(false));
        }
        let first = RefCell::new(Some(first()));
        let left = Cell::new(COMPARISONS);
        let judge = |pair: Pair<&Snapshot>| {
            if let Some(first) = first.take() {
                return first;
            }
            match left.get().checked_sub(1) {
                Some(rest) => {
                    left.set(rest);
                    (wanted.judge)(pair)
                }
                None => Judged { told: Vec::new(), report: Report::unanswered("too many comparisons", "") },
            }
        };
        let judge: &Judge<'_> = &judge;
        match plan(&Asked { judge, ..*wanted }) {
            Answer::Plan(plan) => {
                let step = |step: Step| WayStep {
                    kind: step.kind.into(),
                    says: step.says,
                    deploy: step.deploy,
                    wait: step.waits,
                };
                let steps = plan.steps.into_iter().map(step).collect();
                Some(Way { steps, differs: plan.differs, ..named(true) })
            }
            Answer::NotNeeded | Answer::CannotTell(_) => None,
            Answer::NoWay(_) => Some(named(left.get() > 0)),
        }
    }
}

/// Whether comparing these again and again costs little.
fn is_cheap(pair: Pair<&Snapshot>) -> bool {
    let is_few = pair.old.iter().count() <= FILES && pair.new.iter().count() <= FILES;
    let length = |side: &Snapshot, path: &str| side.get(path).map_or(0, |file| file.bytes.len());
    let bytes = || -> usize {
        let differing = pair.new.differing(pair.old);
        differing.iter().map(|path| length(pair.old, path) + length(pair.new, path)).sum()
    };
    is_few && bytes() <= BYTES
}
