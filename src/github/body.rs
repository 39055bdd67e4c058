//! The text of the comment: the report as Markdown, and a frame that says which commit and which run it is from.

use rustc_hash::FxHashSet;

use super::marker::{self, Break, Marker};
use super::plan::{Wanted, Worth};
use crate::report::links::{Links, is_plain_address};
use crate::report::markdown::{self, markup::code};
use crate::report::{Finding, Report};
use crate::text;
use crate::vocabulary::{Open, ProblemSeverity, Severity, UpgradeOrder, Verdict};

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

/// More of what is resolved is counted.
const NAMED: usize = 5;

/// The comment for a report, in the place of one of which this is the marker.
pub fn wanted(report: &Report, frame: &Frame, before: Option<&Marker>) -> Wanted {
    let around = around(frame);
    let content = markdown::render(report, &Links::default());
    let (key, open) = ((&*frame.key, frame.sha.as_deref()), open(report, before));
    let write = |shown: &str| marker::write(key, &open, &content, shown, &around);
    let mut shown = markdown::render(report, &frame.links);
    if let Some(resolved) = before.and_then(|before| resolved(report, before)) {
        // Below the verdict.
        let (verdict, rest) = shown.split_once("\n\n").unwrap_or((&shown, ""));
        shown = format!("{verdict}\n\n{resolved}\n\n{rest}");
    }
    let mut body = write(&shown);
    if body.len() > LARGEST {
        body = write(&markdown::least(report));
    }
    Wanted { key: frame.key.clone(), body, worth: worth(report) }
}

/// What breaks and nobody has acknowledged. Where that could not be told, what was open before still is.
fn open(report: &Report, before: Option<&Marker>) -> Vec<Break> {
    if let (Open::Known(Verdict::Unknown), Some(before)) = (&report.verdict, before.filter(|before| before.intact)) {
        return before.open.clone();
    }
    let open = report.findings.iter().filter(|finding| finding.breaking && finding.waiver.is_none());
    let words =
        |finding: &Finding| Break { id: finding.id.clone(), rule: finding.rule.clone(), path: finding.path.clone() };
    open.map(words).collect()
}

/// What broke when the comment was last written and is not found any more. Where not all could be told, nothing is said.
fn resolved(report: &Report, before: &Marker) -> Option<String> {
    if !before.intact || !matches!(report.verdict, Open::Known(Verdict::Compatible | Verdict::Breaking)) {
        return None;
    }
    let found: FxHashSet<&str> = report.findings.iter().map(|finding| finding.id.as_str()).collect();
    let gone: Vec<&Break> = before.open.iter().filter(|one| !found.contains(one.id.as_str())).collect();
    if gone.is_empty() {
        return None;
    }
    let mut named: Vec<String> = gone
        .iter()
        .take(NAMED)
        .map(|one| format!("{} <sub>{}</sub>", code(&one.path, 100), code(&one.rule, 100)))
        .collect();
    named.extend((gone.len() > NAMED).then(|| format!("{} more", text::number(gone.len() - NAMED))));
    let since = before
        .sha
        .as_deref()
        .map_or_else(String::new, |sha| format!(" since {}", code(sha.get(..12).unwrap_or(sha), 40)));
    Some(format!("✅ **resolved{since}:** {}", text::list(&named)))
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
