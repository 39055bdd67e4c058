//! What happened to schemas over time: the versions, who can read whom, when each break entered, and what numbers were freed.
//!
//! Plain data with its JSON form, and the two forms that people read.

mod html;
mod text;

use serde::{Deserialize, Serialize};

pub use self::html::render as html;
pub use self::text::render as text;
use super::model::Report;
use super::{Finding, NotChecked};
use crate::vocabulary::{Direction, Open, POLICY, Severity, Verdict};

/// The name of the JSON form, to which fields may be added and from which none goes.
pub const SCHEMA: &str = "wireproof.history/v1";

/// What happened to schemas over time.
#[derive(Debug, Clone, Serialize)]
pub struct Timeline {
    /// Of which files, in words.
    pub subject: String,
    /// The versions, oldest first.
    pub versions: Vec<Entry>,
    /// Each version and the one after it.
    pub steps: Vec<Step>,
    /// Who can read whom.
    pub matrix: Matrix,
    /// Numbers, ids and slots that were used once and are free or taken by something else.
    pub freed: Vec<Freed>,
    /// Whether only one element was asked for: its full name.
    pub element: Option<String>,
    /// What is not covered.
    pub not_checked: Vec<NotChecked>,
}

/// A version.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    /// What it is called: the start of a commit's id, a tag, a folder.
    pub name: String,
    /// The day, `2024-03-02`; empty where nobody says it.
    pub day: String,
    /// The first line of the commit's message; empty where there is none.
    pub subject: String,
    /// Why it could not be read; empty where it could.
    pub unread: String,
}

/// A version and the one after it.
#[derive(Debug, Clone, Serialize)]
pub struct Step {
    /// Which versions these are.
    pub versions: [usize; 2],
    /// Whether readers of the later one can read data of the earlier one.
    pub backward: Reads,
    /// Whether readers of the earlier one can read data of the later one.
    pub forward: Reads,
    /// What changed, as far as it is told: breaks, and everything that happened to the element that was asked for.
    pub changes: Vec<Entered>,
}

/// What is told of two versions.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Between {
    /// Whether readers can tell them apart, or cannot read one of them.
    pub is_new: bool,
    /// Whether readers of the later one can read data of the earlier one.
    pub backward: Reads,
    /// Whether readers of the earlier one can read data of the later one.
    pub forward: Reads,
    /// What changed, as far as it is told.
    pub changes: Vec<Entered>,
}

impl Between {
    /// What is told of two versions that hold the same.
    pub const fn the_same() -> Self {
        let reads = Reads::Compatible;
        Between { is_new: false, backward: reads, forward: reads, changes: Vec::new() }
    }
}

/// Whether readers of one version can read data of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reads {
    /// They can.
    Compatible,
    /// They cannot.
    Breaking,
    /// It could not be told.
    Unknown,
}

/// A change that entered with a step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Entered {
    /// The id of the finding.
    pub id: String,
    /// The rule.
    pub rule: String,
    /// Full name of the element.
    pub path: String,
    /// What changed.
    pub message: String,
    /// In which directions readers break.
    pub breaks: Vec<Direction>,
    /// The file, and the line in it.
    pub place: Option<(String, u32)>,
}

/// Who can read whom.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Matrix {
    /// The versions in it, oldest first; of versions that readers cannot tell apart the first.
    pub versions: Vec<usize>,
    /// One row for each reader, one cell in it for each writer.
    pub cells: Vec<Vec<Reads>>,
}

/// A number, id or slot that something had once.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Freed {
    /// The language.
    pub format: String,
    /// Full name of what it belongs to.
    pub element: String,
    /// What it is: a number, an id, a slot.
    pub role: String,
    /// Itself.
    pub number: String,
    /// What had it, the newest first, each with the version that took it from there.
    pub owners: Vec<Owner>,
    /// What has it now; empty where nothing does.
    pub now: String,
}

/// What had a number, and until when.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Owner {
    /// Name and type.
    pub name: String,
    /// The commit that freed the number, and its day.
    pub until: String,
}

impl Timeline {
    /// The JSON form, with a final line feed.
    pub fn json(&self) -> String {
        #[derive(Serialize)]
        struct Form<'t> {
            schema: &'static str,
            #[serde(flatten)]
            of: &'t Timeline,
        }
        let form = Form { schema: SCHEMA, of: self };
        let mut out = serde_json::to_string_pretty(&form).expect("a timeline is strings, numbers and lists");
        out.push('\n');
        crate::text::harmless_json(out)
    }

    /// The steps with which a break entered, newest first.
    fn breaks(&self) -> Vec<&Step> {
        let breaks = |step: &&Step| [step.backward, step.forward].contains(&Reads::Breaking);
        self.steps.iter().rev().filter(breaks).collect()
    }

    /// The steps of which nobody can tell.
    fn unknown(&self) -> usize {
        self.steps.iter().filter(|step| [step.backward, step.forward].contains(&Reads::Unknown)).count()
    }
}

/// In which directions readers break for a finding, whatever the mode and whoever has acknowledged it.
pub fn breaks(report: &Report, finding: &Finding) -> Vec<Direction> {
    if finding.format == POLICY || finding.severity != Severity::Error {
        return Vec::new();
    }
    let is_felt = |direction: &Direction| {
        finding.impact.iter().any(|cell| {
            cell.direction == *direction
                && report.surfaces.contains(&cell.surface)
                && is_from(&cell.outcome, &report.fail_on)
        })
    };
    Direction::ALL.iter().copied().filter(is_felt).collect()
}

fn is_from<T: PartialOrd>(outcome: &Open<T>, least: &Open<T>) -> bool {
    match (outcome, least) {
        (Open::Known(outcome), Open::Known(least)) => outcome >= least,
        _ => false,
    }
}

/// Whether readers break in a direction between the two versions of a report.
pub fn reads(report: &Report, direction: Direction) -> Reads {
    let breaks = report.findings.iter().any(|finding| breaks(report, finding).contains(&direction));
    match (breaks, &report.verdict) {
        (true, _) => Reads::Breaking,
        (false, Open::Known(Verdict::Compatible | Verdict::Breaking)) => Reads::Compatible,
        (false, _) => Reads::Unknown,
    }
}
