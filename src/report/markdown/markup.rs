//! Text of a schema as Markdown: code, prose or a block, and nothing more.

use crate::text::{self, Piece};

/// A code block whose fence is longer than any run of backticks inside.
pub(crate) fn fenced(language: &str, content: &str) -> String {
    let content = content.replace("##[", "#\\#[");
    let longest = content.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", content.trim_end())
}

/// An identifier as code, on one line, at most `most` characters. Code mentions nobody and links nowhere.
pub(crate) fn code(text: &str, most: usize) -> String {
    let shown = clip(text, most);
    let plain = |c: char| !matches!(c, '`' | '|' | '\\');
    let edges = shown.starts_with(' ') || shown.ends_with(' ') || shown.is_empty();
    // `##[` is a command to a CI runner when the report is printed into a log.
    if !edges && shown.chars().all(plain) && !shown.contains("##[") {
        return format!("`{shown}`");
    }
    // Inside a table neither a pipe nor a backtick can be trusted to a code span; entities survive everywhere.
    format!("<code>{}</code>", entities(&shown))
}

/// What is folded, below its title.
pub(super) fn details(title: &str, body: &str) -> String {
    format!("<details>\n<summary>{title}</summary>\n\n{body}\n\n</details>")
}

/// Text inside an HTML element such as `<summary>`.
pub(super) fn html(text: &str, most: usize) -> String {
    entities(&clip(text, most))
}

/// Text made visible, on one line, about `most` characters: what happened often stands at the end, so both ends stay. Cut
/// twice: a name of a megabyte must not be escaped whole.
pub(super) fn clip(text: &str, most: usize) -> String {
    text::elide(&text::visible(&text::elide(text, most + 1)), most).into_owned()
}

fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' | ',' | '-' | '/' | '.' | '(' | ')' => out.push(c),
            c if c.is_ascii() => out.push_str(&format!("&#{};", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// Prose with code between backticks, on one line, at most `most` characters; everything else is text and nothing more.
pub(crate) fn prose(text: &str, most: usize) -> String {
    let one_line = text::elide(text.trim(), most + 1).replace('\n', " ");
    let shown = clip(&one_line, most);
    let mut out = String::with_capacity(shown.len() + 16);
    for piece in text::pieces(&shown) {
        match piece {
            Piece::Words(words) => escape(words, &mut out),
            Piece::Code(inside) => out.push_str(&code(inside, most)),
        }
    }
    out
}

/// Escapes Markdown and HTML, and takes the power from mentions, issue numbers and bare addresses by a zero-width space.
fn escape(text: &str, out: &mut String) {
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        match c {
            '&' | '<' | '>' | '|' | '\\' | '`' | '$' => out.push_str(&format!("&#{};", u32::from(c))),
            '*' | '_' | '[' | ']' | '~' => {
                out.push('\\');
                out.push(c);
            }
            '@' => out.push_str("@&#8203;"),
            '#' if next.is_ascii_digit() => out.push_str("#&#8203;"),
            '#' => out.push_str("\\#"),
            '!' if next == '[' => out.push_str("&#33;"),
            '-' if next.is_ascii_digit() && before == 'H' => out.push_str("-&#8203;"),
            ':' if next == '/' || next == ':' => out.push_str(":&#8203;"),
            '.' if out.len() >= 3 && out.as_bytes()[out.len() - 3..].eq_ignore_ascii_case(b"www") => {
                out.push_str("&#8203;.")
            }
            c => out.push(c),
        }
        before = c;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_code_and_nothing_else() {
        assert_eq!(code("shop.v1.User", 99), "`shop.v1.User`");
        assert_eq!(code("a`b|c", 99), "<code>a&#96;b&#124;c</code>");
        assert_eq!(code("a\n@x", 99), "<code>a&#92;n&#64;x</code>");
        assert_eq!(code("", 99), "<code></code>");
    }

    #[test]
    fn prose_keeps_code_and_disarms_the_rest() {
        assert_eq!(
            prose("`a.b` is *new*, ask @team about #12", 99),
            "`a.b` is \\*new\\*, ask @&#8203;team about #&#8203;12"
        );
        assert_eq!(prose("``a`b`` is new", 99), "<code>a&#96;b</code> is new");
        assert_eq!(prose("<script> | ` alone", 99), "&#60;script&#62; &#124; &#96; alone");
        assert_eq!(prose("see https://e.vil and www.e.vil", 99), "see https:&#8203;//e.vil and www&#8203;.e.vil");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("text", "a ```` b"), "`````text\na ```` b\n`````");
    }
}
