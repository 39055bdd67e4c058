//! The report as JSON, and reading it back for `wireproof render`. The form itself is `v1`.

use std::io::Write;

use super::model::Written;
use super::v1::{self, SCHEMA};
use super::{Problem, Report};
use crate::text;

/// The report as pretty JSON, with a final line feed.
pub fn render(report: &Report) -> String {
    let mut out = Vec::new();
    write(report, &mut out).expect("a report is strings, numbers and maps with string keys");
    String::from_utf8(out).expect("JSON is text")
}

/// The same, written as it is made: a report of very many findings is hundreds of megabytes.
///
/// # Errors
/// When it cannot be written.
pub fn write(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    serde_json::to_writer_pretty(Harmless(&mut *out), &v1::Report::<Written<'_>>::from(report))?;
    out.write_all(b"\n")
}

/// Writes JSON without characters that act on a screen. What is written at once is whole characters.
struct Harmless<'w>(&'w mut dyn Write);

impl Write for Harmless<'_> {
    fn write(&mut self, part: &[u8]) -> std::io::Result<usize> {
        match std::str::from_utf8(part) {
            // Ends of lines are most of what is no letter, and harmless.
            Ok(text) if !text.is_ascii() || text.bytes().any(|byte| byte.is_ascii_control() && byte != b'\n') => {
                self.0.write_all(text::harmless_json(text.to_owned()).as_bytes())?;
            }
            _ => self.0.write_all(part)?,
        }
        Ok(part.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

/// Reads a saved report. The problem says what is wrong with the text, and where.
///
/// # Errors
/// When the text is no JSON, is no wireproof report, or has a schema that this version does not read.
pub fn parse(text: &str) -> Result<Report, Box<Problem>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| {
        let help = "pass a file that `wireproof check --format json` or `--output json=PATH` wrote";
        at(&error, format!("the report is not valid JSON: {}", what(&error)), help)
    })?;
    match value.get("schema") {
        Some(serde_json::Value::String(schema)) if schema == SCHEMA => {}
        Some(serde_json::Value::String(other)) => return Err(refused(other)),
        _ => {
            let message = format!("the file is JSON but no wireproof report: it has no \"schema\": \"{SCHEMA}\"");
            return Err(problem(message, "pass a file that `wireproof check --format json` wrote"));
        }
    }
    serde_json::from_str::<v1::Report>(text).map(Report::from).map_err(|error| {
        let message = format!("the file says it is a {SCHEMA} but does not have its form: {}", what(&error));
        at(
            &error,
            message,
            "write the report again with `wireproof check --format json`; `wireproof schema` prints the form",
        )
    })
}

/// The JSON Schema of the report, as text.
pub fn schema() -> &'static str {
    v1::FORM
}

fn refused(schema: &str) -> Box<Problem> {
    let found = crate::text::visible(crate::text::shorten(schema, 80).as_ref()).into_owned();
    let help = if schema.starts_with("wireproof.report/") {
        "render it with the version of wireproof that wrote it, or write it again with this one"
    } else {
        "pass a file that `wireproof check --format json` wrote"
    };
    problem(format!("the report's schema is \"{found}\", but this version reads only \"{SCHEMA}\""), help)
}

/// serde_json repeats the place at the end of its message; the problem carries it in fields of its own.
fn what(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(message, _)| message.to_owned())
}

fn at(error: &serde_json::Error, message: String, help: &str) -> Box<Problem> {
    let mut problem = problem(message, help);
    problem.line = u32::try_from(error.line()).ok().filter(|line| *line > 0);
    problem.column = u32::try_from(error.column()).ok().filter(|column| *column > 0);
    problem
}

fn problem(message: String, help: &str) -> Box<Problem> {
    Box::new(Problem::error(message, help.to_owned()))
}
