//! The hidden line by which a comment is found again: whose it is, for which commit, and what it told.
//!
//! Two digests, because they answer two questions. `content` is what there is to tell: when it stays the same, nothing is
//! written. `body` is what was written, with the frame around it: when it does not fit any more, a person has edited the
//! comment, and it is put right. What was open when it was written is named as well, so that the next can tell what of that
//! is resolved.

use sha1::{Digest, Sha1};

/// How the marker of a comment begins. Another tool's comment never has it, and escaped text cannot.
const COMMENT: &str = "<!-- wireproof:comment v1 ";
/// How the marker of a remark on a line begins.
const REMARK: &str = "<!-- wireproof:remark v1 ";
const END: &str = " -->";
/// What is open is named as long as that takes no more bytes.
const ROOM: usize = 6_000;
/// A key in a marker is at most that long; a longer one is cut and told apart by its digest.
const LONGEST_KEY: usize = 160;

/// What the marker of a comment says. Everything but the key may be missing, where a person has edited it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// Which of several comments on one pull request this is, in the form that markers have.
    pub key: String,
    /// The commit it speaks of.
    pub sha: Option<String>,
    /// The digest of what it tells.
    pub content: Option<String>,
    /// Whether the text below the marker is what was written.
    pub intact: bool,
    /// What broke, as far as there was room to name it.
    pub open: Vec<Break>,
}

/// Something that breaks, in so few words as to find it again and to name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    /// The id of the finding.
    pub id: String,
    /// Its rule.
    pub rule: String,
    /// The full name of the element.
    pub path: String,
}

impl Break {
    /// One word, of which there may be several with commas in between.
    fn word(&self) -> String {
        [&self.id, &self.rule, &self.path].map(|part| encode(part)).join("~")
    }

    /// What such a word says. Of a name that was cut the start is left.
    fn of_word(word: &str) -> Option<Break> {
        let mut parts = word.split('~').map(decode);
        Some(Break { id: parts.next()?, rule: parts.next()?, path: parts.next()? })
    }
}

/// A comment: the marker, which names what is `open`, what there is to tell, how it is `shown` (with links that lead to one
/// commit), and the frame around it.
pub fn write((key, sha): (&str, Option<&str>), open: &[Break], content: &str, shown: &str, frame: &str) -> String {
    let below = format!("{}\n\n{frame}\n", shown.trim_end());
    let sha = sha.map(|sha| format!("sha={} ", encode(sha))).unwrap_or_default();
    let mut words = String::new();
    for word in open.iter().map(Break::word) {
        if words.len() + word.len() >= ROOM {
            break;
        }
        words.push_str(if words.is_empty() { "open=" } else { "," });
        words.push_str(&word);
    }
    let open = if words.is_empty() { words } else { format!("{words} ") };
    let (key, content, body) = (encode(key), digest(content), digest(&below));
    format!("{COMMENT}key={key} {sha}{open}content={content} body={body}{END}\n{below}")
}

/// The marker of a comment, if it has one: on a line of its own, from the first column on. A quoted marker is none.
pub fn read(body: &str) -> Option<Marker> {
    let (marker, below) = marked(body)?;
    // Without its end the marker hides all that follows.
    let closed = marker.strip_suffix(END);
    let words = closed.unwrap_or(marker);
    let value = |name: &str| words.split(' ').find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    let key = value("key").filter(|key| !key.is_empty())?;
    Some(Marker {
        key: key.to_owned(),
        sha: value("sha").map(str::to_owned),
        content: value("content").map(str::to_owned),
        open: value("open").map_or_else(Vec::new, |words| words.split(',').filter_map(Break::of_word).collect()),
        intact: closed.is_some() && value("body") == Some(&digest(below)) && body.starts_with(COMMENT),
    })
}

/// The first marker, without its beginning, and the text below it.
fn marked(body: &str) -> Option<(&str, &str)> {
    let mut rest = body;
    while !rest.is_empty() {
        let (line, below) = rest.split_once('\n').unwrap_or((rest, ""));
        if let Some(marker) = line.trim_end().strip_prefix(COMMENT) {
            return Some((marker, below));
        }
        rest = below;
    }
    None
}

/// The marker of a remark on a line, by which it is made only once.
pub fn write_remark(key: &str, finding: &str) -> String {
    format!("{REMARK}key={} finding={}{END}", encode(key), encode(finding))
}

/// The finding of which a remark speaks, if it is one under this key.
pub fn read_remark<'a>(body: &'a str, key: &str) -> Option<&'a str> {
    let line = body.lines().next()?.trim_end().strip_prefix(REMARK)?.strip_suffix(END)?;
    let (found, finding) = line.split_once(' ')?;
    (found.strip_prefix("key=")? == encode(key)).then_some(finding.strip_prefix("finding=")?)
}

/// A digest of text. Line ends and final white space do not count: GitHub's editor changes them.
pub fn digest(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let digest = Sha1::digest(text.trim_end().as_bytes());
    digest.iter().take(10).map(|byte| format!("{byte:02x}")).collect()
}

/// One word that cannot end an HTML comment: letters, digits, `.`, `_` and `/` stay, all other bytes become `%XX`.
pub fn encode(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'/' => out.push(char::from(byte)),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    if out.len() > LONGEST_KEY {
        out.truncate(LONGEST_KEY);
        out.push('~');
        out.push_str(&digest(text));
    }
    out
}

/// What [`encode`] made one word of.
fn decode(word: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = word.as_bytes();
    while let [first, more @ ..] = rest {
        let hex = more.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.filter(|_| *first == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &more[2..] } else { more };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA: &str = "1111111111111111111111111111111111111111";

    #[test]
    fn what_was_written_reads_back() {
        let body = write(("CI/check", Some(SHA)), &[], "**breaking**\n", "**breaking**\n", "frame");
        let marker = read(&body).expect("a marker");
        assert_eq!(marker.key, "CI/check");
        assert_eq!(marker.sha.as_deref(), Some(SHA));
        assert_eq!(marker.content, Some(digest("**breaking**")));
        assert!(marker.intact);
        assert!(read(&body.replace('\n', "\r\n")).is_some_and(|marker| marker.intact), "as the editor stores it");
    }

    #[test]
    fn what_was_open_reads_back_as_far_as_there_is_room() {
        let one = |path: &str| Break { id: "9c1f03ab27de41b0".into(), rule: "protobuf/x".into(), path: path.into() };
        let told = |open: &[Break]| read(&write(("k", None), open, "a", "a", "frame")).expect("a marker").open;
        let odd = [one("shop.Order.größe"), one("a,b~c --> %41 <x>"), one("")];
        assert_eq!(told(&odd), odd);
        assert_eq!(told(&[]), []);
        let many = vec![one(&"x.".repeat(40)); 200];
        let kept = told(&many).len();
        assert!((40..100).contains(&kept), "{kept}");
        let long = one(&"x".repeat(900));
        assert_eq!(told(std::slice::from_ref(&long))[0].path, "x".repeat(LONGEST_KEY));
    }

    #[test]
    fn an_edited_comment_is_no_longer_intact() {
        let body = write(("CI/check", Some(SHA)), &[], "**breaking**", "**breaking**", "frame");
        for edited in [
            body.replace("breaking", "fine"),
            format!("Hello!\n{body}"),
            format!("{body}\nThanks"),
            body.replace(" body=", " bdy="),
            body.replace(" -->", ""),
        ] {
            let marker = read(&edited).expect("the marker is still there");
            assert!(!marker.intact, "{edited}");
            assert_eq!(marker.key, "CI/check");
        }
    }

    #[test]
    fn a_quoted_or_broken_marker_is_none() {
        let body = write(("CI/check", Some(SHA)), &[], "text", "text", "frame");
        let quoted: String = body.lines().map(|line| format!("> {line}\n")).collect();
        assert_eq!(read(&quoted), None);
        assert_eq!(read(&body.replace("wireproof:comment", "wireproof")), None);
        assert_eq!(read(&body.replace("key=CI/check", "key=")), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn a_key_cannot_leave_its_marker() {
        for key in ["a --> <b>", "x key=y", "--", "größe\n", "a\u{202e}b", "@everyone | <script>"] {
            let body = write((key, None), &[], "text", "text", "frame");
            let first = body.lines().next().expect("a line");
            let inside = first.strip_prefix("<!--").and_then(|line| line.strip_suffix("-->")).expect("one comment");
            assert!(!inside.contains("--") && !inside.contains('>') && inside.is_ascii(), "{first}");
            assert_eq!(read(&body).map(|marker| marker.key), Some(encode(key)));
        }
        assert_ne!(encode(&"x".repeat(500)), encode(&"x".repeat(501)));
        assert!(encode(&"é".repeat(500)).len() < 200);
    }

    #[test]
    fn a_remark_is_known_by_key_and_finding() {
        let marker = write_remark("CI/check", "9c1f03ab27de");
        let body = format!("{marker}\ntext");
        assert_eq!(read_remark(&body, "CI/check"), Some("9c1f03ab27de"));
        assert_eq!(read_remark(&body, "CI/other"), None);
        assert_eq!(read_remark(&format!("> {body}"), "CI/check"), None);
    }
}
