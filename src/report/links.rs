//! Where the places of a report can be looked at on a server, as far as whoever renders it knows.

use super::Location;

/// What a comment and a page link to; every address is plain: it can stand in Markdown and HTML as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Links {
    /// The files of the new side: `https://github.com/o/r/blob/COMMIT/`.
    pub new: Option<String>,
    /// The files of the old side.
    pub old: Option<String>,
    /// The pages of rules: `https://github.com/o/wireproof/blob/REF/docs/rules/`.
    pub rules: Option<String>,
    /// The page of the run.
    pub run: Option<String>,
    /// What was checked, in words: repository, pull request, commit.
    pub subject: Vec<String>,
    /// The day on which it was made, `2026-11-22`.
    pub made: Option<String>,
}

impl Links {
    /// A line of the new side.
    pub(crate) fn new_line(&self, at: &Location) -> Option<String> {
        line(self.new.as_deref()?, at)
    }

    /// A line of the old side.
    pub(crate) fn old_line(&self, at: &Location) -> Option<String> {
        line(self.old.as_deref()?, at)
    }

    /// The page of a rule. Rules of a team's own have none.
    pub(crate) fn rule(&self, id: &str) -> Option<String> {
        let page = id.replacen('/', "-", 1);
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        page.bytes().all(is_name).then_some(())?;
        Some(format!("{}{page}.md", self.rules.as_deref()?))
    }
}

/// An address that can stand in a link as it is.
pub fn is_plain_address(address: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b":/.-_".contains(&byte);
    address.starts_with("https://") && address.bytes().all(is_plain)
}

fn line(base: &str, at: &Location) -> Option<String> {
    // A path of an archive, or one that climbs, is no file of the repository.
    if at.file.is_empty() || at.file.starts_with('/') || at.file.split('/').any(|part| part == ".." || part == ".") {
        return None;
    }
    Some(format!("{base}{}#L{}", encoded(&at.file), at.line))
}

/// A path with everything but plain characters as escapes.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(file: &str) -> Location {
        let text = String::new();
        Location { file: file.to_owned(), line: 7, column: 1, end_line: 7, end_column: 2, text }
    }

    #[test]
    fn a_path_is_encoded_and_never_leads_elsewhere() {
        let links = Links { new: Some("https://h/o/r/blob/c/".to_owned()), ..Links::default() };
        assert_eq!(
            links.new_line(&at("a b/ü).proto")).as_deref(),
            Some("https://h/o/r/blob/c/a%20b/%C3%BC%29.proto#L7")
        );
        assert_eq!(links.new_line(&at("../x.proto")), None);
        assert_eq!(links.old_line(&at("x.proto")), None);
    }

    #[test]
    fn a_rule_has_a_page_where_its_name_is_plain() {
        let links = Links { rules: Some("https://h/docs/rules/".to_owned()), ..Links::default() };
        assert_eq!(links.rule("avro/alias-added").as_deref(), Some("https://h/docs/rules/avro-alias-added.md"));
        assert_eq!(links.rule("a/b) @everyone"), None);
    }
}
