//! Files that some program fills in first: what cannot be understood in them is no mistake of whoever wrote them.

use crate::syntax::problem::{Problem, Severity};

/// What programs put their values in place of, by what it begins and ends with.
const PLACEHOLDERS: [(&str, &str); 6] = [("{{", "}}"), ("${", "}"), ("{%", "%}"), ("<%", "%>"), ("@", "@"), ("{", "}")];

/// Longer names are none.
const LONGEST: usize = 60;
/// How far around an error is looked at, in bytes.
const AROUND: usize = 160;
/// How many errors are looked at.
const MOST: usize = 50;

/// Says so at the first error that stands in a line with something to be filled in.
pub(super) fn say(bytes: &[u8], problems: &mut [Problem]) {
    let is_error = |problem: &&mut Problem| problem.severity == Severity::Error && problem.site.is_some();
    let first = problems.iter_mut().filter(is_error).take(MOST).find_map(|problem| {
        let at = problem.site.as_ref().map_or(0, |site| site.span.start as usize);
        Some((placeholder(line(bytes, at))?, problem))
    });
    if let Some((found, problem)) = first {
        let end = if problem.help.is_empty() { "" } else { "; " };
        problem.help.push_str(end);
        problem.help.push_str(&format!(
            "`{found}` looks like a place that a program fills in: if this is a template, name it under `exclude` in the configuration, and check what is made of it"
        ));
    }
}

/// The line that a place lies in, as far as it is near; none where it is not plain text.
fn line(bytes: &[u8], at: usize) -> &str {
    let at = at.min(bytes.len());
    let (first, last) = (at.saturating_sub(AROUND), bytes.len().min(at + AROUND));
    let start = bytes[first..at].iter().rposition(|byte| *byte == b'\n').map_or(first, |end| first + end + 1);
    let end = bytes[at..last].iter().position(|byte| *byte == b'\n').map_or(last, |end| at + end);
    std::str::from_utf8(&bytes[start..end]).unwrap_or_default()
}

/// The first thing in a line that is to be filled in. What stands between braces or signs alone has to be a name in capitals.
fn placeholder(line: &str) -> Option<&str> {
    PLACEHOLDERS.into_iter().find_map(|(begin, end)| {
        line.match_indices(begin).find_map(|(at, _)| {
            let inner = &line[at + begin.len()..];
            let length = inner.find(end).filter(|length| (1..=LONGEST).contains(length))?;
            let name = &inner[..length];
            let is_named = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
            let is_certain = begin.len() > 1 || name.len() > 1 && is_named;
            is_certain.then(|| &line[at..at + begin.len() + length + end.len()])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_found() {
        let found = [
            ("package {PACKAGE_NAME};", Some("{PACKAGE_NAME}")),
            ("option go_package = {{ .Path }};", Some("{{ .Path }}")),
            ("package @NAME@;", Some("@NAME@")),
            ("{% if x %}", Some("{% if x %}")),
            ("message A { optional B b = 1; }", None),
            ("enum E { AA }", None),
            ("{\"name\": \"a@b.c, d@e.f\"}", None),
        ];
        for (line, expected) in found {
            assert_eq!(placeholder(line), expected, "{line}");
        }
    }
}
