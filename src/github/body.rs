//! The text of the comment: the report as Markdown, and a frame that says which commit and which run it is from.

use super::marker;
use super::plan::{Wanted, Worth};
use crate::report::Report;
use crate::report::links::{Links, is_plain_address};
use crate::report::markdown::{self, markup::code};
use crate::vocabulary::{ProblemSeverity, Severity, UpgradeOrder, Verdict};

/// What stands around the report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// Which of several comments on one pull request, such as `CI/check`.
    pub key: String,
    /// The commit that was checked.
    pub sha: Option<String>,
    /// Where the report's places can be looked at, the page of the run, and the day.
    pub links: Links,
    /// Where the report comes from.
    pub origin: Origin,
}

/// Who wrote the report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Origin {
    /// A run of this repository.
    #[default]
    Own,
    /// A run of a fork: its author could have written anything into it.
    Fork,
}

/// GitHub refuses more characters than that. It is kept in bytes, of which there are never fewer than characters or UTF-16
/// units, whichever GitHub counts.
pub const LARGEST: usize = 65_536;

/// The comment for a report.
pub fn wanted(report: &Report, frame: &Frame) -> Wanted {
    let around = around(frame);
    let content = markdown::render(report, &Links::default());
    let write = |shown: &str| marker::write(&frame.key, frame.sha.as_deref(), &content, shown, &around);
    let mut body = write(&markdown::render(report, &frame.links));
    if body.len() > LARGEST {
        body = write(&markdown::least(report));
    }
    Wanted { key: frame.key.clone(), body, worth: worth(report) }
}

/// Whether somebody has to be told: a pass with nothing but notes in any order of upgrades is no news.
fn worth(report: &Report) -> Worth {
    let clean = report.verdict == Verdict::Compatible
        && report.upgrade_order == UpgradeOrder::Any
        && report.findings.iter().all(|finding| finding.severity == Severity::Note && finding.waiver.is_none())
        && report.problems.iter().all(|problem| problem.severity != ProblemSeverity::Error);
    if clean { Worth::Silence } else { Worth::Telling }
}

fn around(frame: &Frame) -> String {
    let mut words = Vec::new();
    words.extend(frame.sha.as_ref().map(|sha| format!("Commit {}", code(sha.get(..12).unwrap_or(sha), 40))));
    words.extend(frame.links.made.as_ref().map(|day| format!("checked on {}", code(day, 10))));
    words.extend(frame.links.run.as_ref().filter(|run| is_plain_address(run)).map(|run| format!("[job]({run})")));
    words.push(code(&frame.key, 80));
    words.push("updated in place".to_owned());
    let line = format!("<sub>{}</sub>", words.join(" · "));
    match frame.origin {
        Origin::Own => line,
        Origin::Fork => format!(
            "> [!IMPORTANT]\n> This report was made by the fork's own run, and its author could have changed it. A maintainer \
             who needs certainty runs `wireproof check` on the branch.\n\n{line}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_address_becomes_a_link() {
        let links = |run: &str| Links { run: Some(run.to_owned()), ..Links::default() };
        let frame = |run: &str| Frame { key: "CI/check".to_owned(), links: links(run), ..Frame::default() };
        assert!(
            around(&frame("https://github.com/o/r/actions/runs/1")).contains("[job](https://github.com/o/r/actions")
        );
        for bad in ["https://x/) @everyone (", "javascript:alert(1)", "https://x/<b>"] {
            assert_eq!(around(&frame(bad)), "<sub>`CI/check` · updated in place</sub>", "{bad}");
        }
    }
}
