//! The report as workflow commands, which GitHub shows as annotations.

use super::Report;

/// Renders the report.
pub fn render(_report: &Report) -> String {
    String::new()
}
