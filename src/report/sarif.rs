//! The report as SARIF 2.1.0, for code scanning.

use super::Report;

/// Renders the report.
pub fn render(_report: &Report) -> String {
    String::new()
}
