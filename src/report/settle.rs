//! Whether what a saved report claims is borne out by what it holds. Anybody may have edited it since it was written.
//!
//! Nothing is judged again: a finding says itself whether it breaks, and a problem whether it stands in the way of a
//! verdict. The verdict only has to be the one that follows from them.

use super::{Finding, Problem, Report};
use crate::vocabulary::{Open, ProblemSeverity, Verdict};

/// The verdict that follows from findings and problems. Where neither speaks against it, it is the one claimed; a word
/// that this version does not know is no pass.
pub fn borne_out(report: &Report) -> Verdict {
    let in_doubt = report.round_trips.unexplained > 0
        || report.findings.iter().any(Finding::is_in_doubt)
        || report.problems.iter().any(|problem| problem.severity == ProblemSeverity::Error);
    match &report.verdict {
        _ if report.findings.iter().any(|finding| finding.breaking) => Verdict::Breaking,
        Open::Known(Verdict::Compatible) if !in_doubt => Verdict::Compatible,
        Open::Known(Verdict::Compatible | Verdict::Breaking | Verdict::Unknown) | Open::Unknown(_) => Verdict::Unknown,
    }
}

/// How the verdict contradicts the rest of the report, if it does.
pub fn contradiction(report: &Report) -> Option<&'static str> {
    let Open::Known(claimed) = report.verdict else { return None };
    match (claimed, borne_out(report)) {
        (Verdict::Compatible, Verdict::Breaking) => Some("its verdict is compatible, and a finding of it breaks"),
        (Verdict::Compatible, Verdict::Unknown) => Some("its verdict is compatible, and it could not tell everything"),
        (Verdict::Breaking, Verdict::Compatible | Verdict::Unknown) => {
            Some("its verdict is breaking, and no finding of it breaks")
        }
        (Verdict::Unknown, Verdict::Breaking) => Some("its verdict is unknown, and a finding of it breaks"),
        (Verdict::Compatible, Verdict::Compatible)
        | (Verdict::Breaking, Verdict::Breaking)
        | (Verdict::Unknown, Verdict::Compatible | Verdict::Unknown) => None,
    }
}

/// The report with the verdict that its findings bear out. Where that is another one, a problem says so.
#[must_use]
pub fn settled(report: Report) -> Report {
    let Some(contradiction) = contradiction(&report) else { return report };
    let verdict = borne_out(&report).into();
    let message = format!("the report was changed after it was written: {contradiction}");
    let help = "write it again with `wireproof check --format json`; what is shown follows the findings".to_owned();
    let mut problems = report.problems;
    problems.insert(0, Problem::error(message, help));
    Report { verdict, problems, ..report }
}
