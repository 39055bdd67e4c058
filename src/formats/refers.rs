//! What texts refer to, as far as nobody parses them.

use memchr::{memchr, memmem};

/// A file that a text refers to by a name that is none of the language's.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// The last part of its path.
    pub name: String,
    /// The parts in front of it, folders among them.
    pub folders: Vec<String>,
    /// What stands behind the name of a file that is read as the text says.
    pub ending: &'static str,
}

/// What stands in quotes behind a word, with nothing between them but blanks, comments and another word.
pub(crate) fn quoted_behind<'t>(text: &'t [u8], word: &'t [u8]) -> impl Iterator<Item = &'t [u8]> {
    memmem::find_iter(text, word).filter_map(move |at| quoted(&text[at + word.len()..]))
}

fn quoted(mut rest: &[u8]) -> Option<&[u8]> {
    let mut words = 0;
    loop {
        rest = rest.trim_ascii_start();
        rest = match rest {
            [quote @ (b'"' | b'\''), inside @ ..] => return Some(&inside[..memchr(*quote, inside)?]),
            [b'/', b'/', ..] | [b'#', ..] => &rest[memchr(b'\n', rest)?..],
            [b'/', b'*', inside @ ..] => &inside[memmem::find(inside, b"*/")? + 2..],
            [first, ..] if first.is_ascii_alphabetic() && words == 0 => {
                words += 1;
                &rest[rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count()..]
            }
            _ => return None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::quoted_behind;

    #[test]
    fn what_is_imported_stands_in_quotes() {
        for (text, expected) in [
            ("import \"a\"; import public 'b';", vec!["a", "b"]),
            ("import // \"x\"\n # y\n /* \"z\" */ schema \"c\"", vec!["c"]),
            ("reimport \"d\"", vec!["d"]),
            ("important; import = \"e\"", vec![]),
            ("import two words \"f\"", vec![]),
            ("import \"g", vec![]),
        ] {
            let found: Vec<&[u8]> = quoted_behind(text.as_bytes(), b"import").collect();
            assert_eq!(found, expected.iter().map(|path| path.as_bytes()).collect::<Vec<_>>(), "{text}");
        }
    }
}
