//! The report as the JSON lines of `buf breaking --error-format json`.

use super::Report;

/// Renders the report.
pub fn render(_report: &Report) -> String {
    String::new()
}
