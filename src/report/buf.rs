//! The report as the JSON lines of `buf breaking --error-format json`: scripts that read those read these.
//!
//! What does not parse comes first, as buf has it. Only what buf would report stands here, in its order: findings of other languages and those that buf misses do not.
//! What a waiver covers is left out, as what buf is told to ignore is. The report itself has everything.

use serde::Serialize;

use super::{PeerReport, Problem, Report};
use crate::ordered::OrderedSet;
use crate::text;
use crate::vocabulary::ProblemSeverity;

/// One line, its keys in buf's order.
#[derive(Serialize)]
struct Line<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'r str>,
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
    #[serde(rename = "type")]
    id: &'r str,
    message: &'r str,
}

/// Renders the report.
pub fn render(report: &Report) -> String {
    let findings = report.findings.iter().filter(|finding| finding.waiver.is_none());
    let told = findings.flat_map(|finding| &finding.peer_reports).filter(|told| told.tool == "buf");
    let sorted: OrderedSet<_> = told.map(|told| (order(told), told)).collect();
    let mut out: String = report.problems.iter().filter_map(not_built).collect();
    for (_, told) in sorted {
        out.push_str(&line(told));
    }
    out
}

/// A file that is wrong in itself.
fn not_built(problem: &Problem) -> Option<String> {
    let path = problem.file.as_deref().filter(|_| problem.severity == ProblemSeverity::Error)?;
    let (line, column) = (problem.line.unwrap_or(1), problem.column.unwrap_or(1));
    let line = Line {
        path: Some(path),
        start_line: line,
        start_column: column,
        end_line: line,
        end_column: column,
        id: "COMPILE",
        message: &problem.message,
    };
    Some(written(&line))
}

/// By place, what names no file first, then by rule and words.
fn order(told: &PeerReport) -> impl Ord + '_ {
    (&told.file, told.line, told.column, &told.id, &told.message, told.end_line, told.end_column)
}

fn line(told: &PeerReport) -> String {
    let line = Line {
        path: told.file.as_deref(),
        start_line: told.line,
        start_column: told.column,
        end_line: told.end_line,
        end_column: told.end_column,
        id: &told.id,
        message: &told.message,
    };
    written(&line)
}

fn written(line: &Line<'_>) -> String {
    let mut text = serde_json::to_string(line).expect("strings and numbers can always be written");
    text.push('\n');
    text::harmless_json(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_keys_of_buf_and_no_path_where_buf_names_none() {
        let told = |file: Option<&str>| PeerReport {
            tool: "buf".to_owned(),
            id: "FILE_NO_DELETE".to_owned(),
            file: file.map(str::to_owned),
            line: 1,
            column: 2,
            end_line: 3,
            end_column: 4,
            message: "Previously present file \"a.proto\" was deleted.\n".to_owned(),
            direction: None,
            pointer: None,
        };
        let rest = r#""start_line":1,"start_column":2,"end_line":3,"end_column":4,"type":"FILE_NO_DELETE","message":"Previously present file \"a.proto\" was deleted.\n"}"#;
        assert_eq!(line(&told(None)), format!("{{{rest}\n"));
        assert_eq!(line(&told(Some("b.proto"))), format!("{{\"path\":\"b.proto\",{rest}\n"));
        let (nowhere, somewhere) = (told(None), told(Some("")));
        assert!(order(&nowhere) < order(&somewhere), "what names no file comes first");
    }
}
