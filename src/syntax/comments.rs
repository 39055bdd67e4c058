//! Which comments belong to which element: those at the end of its line, and those on lines of their own that touch it.
//!
//! Edits put texts between elements. They leave every comment with what it is about.

use std::ops::Range;

use super::lexer::CommentStyle;

/// What stands between two tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Blank,
    LineEnd,
    Comment,
}

/// The blanks and comments behind a place, up to the next token.
struct Gap<'t> {
    text: &'t [u8],
    at: usize,
    style: CommentStyle,
}

impl Gap<'_> {
    /// Where a comment ends that begins here.
    fn comment(&self) -> Option<usize> {
        let rest = self.text.get(self.at..)?;
        let line = || {
            let line = rest.split(|byte| *byte == b'\n').next().unwrap_or(rest);
            self.at + line.len() - usize::from(line.ends_with(b"\r"))
        };
        match (rest, self.style) {
            ([b'#', ..], CommentStyle::Hash | CommentStyle::SlashesAndHash) => Some(line()),
            ([b'/', b'/', ..], CommentStyle::Slashes | CommentStyle::SlashesAndHash) => Some(line()),
            ([b'/', b'*', inside @ ..], CommentStyle::Slashes | CommentStyle::SlashesAndHash) => {
                let close = inside.windows(2).position(|pair| pair == b"*/");
                Some(close.map_or(self.text.len(), |close| self.at + 2 + close + 2))
            }
            _ => None,
        }
    }
}

impl Iterator for Gap<'_> {
    type Item = (Piece, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        let (piece, end) = match self.text.get(start)? {
            b'\n' => (Piece::LineEnd, start + 1),
            b' ' | b'\t' | b'\r' => (Piece::Blank, start + 1),
            _ => (Piece::Comment, self.comment()?),
        };
        self.at = end;
        Some((piece, start..end))
    }
}

/// Where the next token begins behind a place.
pub(crate) fn next_token(text: &[u8], at: usize, style: CommentStyle) -> usize {
    Gap { text, at, style }.last().map_or(at, |(_, range)| range.end)
}

/// Whether a comment stands between a place and the next token.
pub(crate) fn is_commented(text: &[u8], at: usize, style: CommentStyle) -> bool {
    Gap { text, at, style }.any(|(piece, _)| piece == Piece::Comment)
}

/// Where the comments behind a statement end that are about it: those up to the end of its line, and where comments stand
/// below what they are about, as after `#`, those on the lines that follow. Comments before something else on the line are
/// about that.
pub(crate) fn end_behind(text: &[u8], at: usize, style: CommentStyle) -> usize {
    let (mut end, mut seen, mut breaks) = (at, at, 0);
    for (piece, range) in (Gap { text, at, style }) {
        match piece {
            Piece::Blank => {}
            Piece::Comment => (seen, breaks) = (range.end, 0),
            Piece::LineEnd => {
                (end, breaks) = (seen, breaks + 1);
                if breaks > 1 || style != CommentStyle::Hash {
                    return end;
                }
            }
        }
        if range.end == text.len() {
            return seen;
        }
    }
    end
}

/// Where the comments begin that stand right above a statement, on lines of their own or before it on its line; the
/// statement itself where there are none, or comments stand below what they are about. `behind` is the end of what stands
/// before it, whose line has comments of its own.
pub(crate) fn start_above(text: &[u8], behind: usize, start: usize, style: CommentStyle) -> usize {
    if style == CommentStyle::Hash {
        return start;
    }
    let (mut first, mut breaks, mut is_own_line) = (start, 0, behind == 0);
    for (piece, range) in (Gap { text, at: behind, style }).take_while(|(_, range)| range.end <= start) {
        match piece {
            Piece::Blank => {}
            Piece::Comment => {
                first = if is_own_line { first.min(range.start) } else { first };
                breaks = 0;
            }
            Piece::LineEnd => {
                (is_own_line, breaks) = (true, breaks + 1);
                first = if breaks > 1 { start } else { first };
            }
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is behind a `|`, up to where the comments end.
    fn behind(text: &str, style: CommentStyle) -> String {
        let at = text.find('|').expect("a mark") + 1;
        text[at..end_behind(text.as_bytes(), at, style)].to_owned()
    }

    #[test]
    fn comments_at_the_end_of_a_line_are_about_it() {
        for (text, about) in [
            ("a;| // of a\n b;", " // of a"),
            ("a;| // of a\r\n b;", " // of a"),
            ("a;| /* of a */ // and this\n", " /* of a */ // and this"),
            ("a;| /* of\n a */\n b;", " /* of\n a */"),
            ("a;| // of a", " // of a"),
            ("a;| /* of b */ b;", ""),
            ("a;| }", ""),
            ("a;|\n // of b\n b;", ""),
            ("a;| # no comment\n", ""),
        ] {
            assert_eq!(behind(text, CommentStyle::Slashes), about, "{text}");
        }
        let below = "a @0;| # of a\n # also of a\n\n # of nothing\n b @1;";
        assert_eq!(behind(below, CommentStyle::Hash), " # of a\n # also of a");
        assert_eq!(behind("a @0;|\n # of a\n}", CommentStyle::Hash), "\n # of a");
        assert_eq!(behind("a; | # of a\n # of b\n b;", CommentStyle::SlashesAndHash), " # of a");
    }

    #[test]
    fn comments_right_above_a_statement_are_about_it() {
        for (text, about) in [
            ("a; // of a\n // of b\n |b;", "// of b\n "),
            ("a;\n /* of\n b */\n |b;", "/* of\n b */\n "),
            ("a;\n // of nothing\n\n // of b\n // too\n |b;", "// of b\n // too\n "),
            ("a;\n // of nothing\n\n |b;", ""),
            ("a; |b;", ""),
            ("a;\n /* of b */ |b;", "/* of b */ "),
        ] {
            let start = text.find('|').expect("a mark");
            let above = start_above(text.as_bytes(), 2, start, CommentStyle::Slashes);
            assert_eq!(&text[above..start], about, "{text}");
        }
        assert_eq!(start_above(b"// of a\na;", 0, 8, CommentStyle::Slashes), 0);
        assert_eq!(start_above(b"a;\n# of a\nb;", 2, 10, CommentStyle::Hash), 10);
    }

    #[test]
    fn the_next_token_stands_behind_blanks_and_comments() {
        assert_eq!(next_token(b"a /* { */ // {\n {", 1, CommentStyle::Slashes), 16);
        assert!(is_commented(b"a /* b */ ;", 1, CommentStyle::Slashes));
        assert!(!is_commented(b"a  ; // b", 1, CommentStyle::Slashes));
    }
}
