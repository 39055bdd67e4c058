//! What a file says at a glance: its package, its imports, and what it declares outside of everything else.

use std::sync::Arc;

use crate::formats::frame::{Outline, Ties};
use crate::formats::used::Declarations;
use crate::syntax::skim::{Piece, Skim};

/// What a text says outside of braces, and the fields of its extensions; `None` where a glance is not enough.
pub(super) fn outline(text: &[u8]) -> Option<Outline> {
    let (mut package, mut names, mut imports) = (None, Vec::new(), Vec::new());
    let mut skim = Skim::of(text);
    while let Some(piece) = skim.next() {
        let Piece::Word(word) = piece else { continue };
        match word {
            b"package" if package.is_none() => package = Some(statement(&mut skim)),
            b"import" => imports.extend(import(&mut skim)?),
            b"message" | b"enum" | b"service" => names.extend(name(&mut skim)),
            b"extend" => extend(&mut skim, &mut names),
            _ => {}
        }
    }
    if skim.is_odd() {
        return None;
    }
    let package = package.unwrap_or_default();
    let carries_any = imports.iter().any(|import| import.ends_with(super::mentions::ANY_FILE));
    let names = names.into_iter().map(|name| format!("{package}.{name}")).collect();
    Some(Outline { imports, ties: Arc::new(Ties { packages: vec![package], names, carries_any }) })
}

/// Whether a text may be in the language: it begins with statements of it and declares or imports something. False where it
/// begins otherwise, so that no compiler takes it.
pub(super) fn may_be(text: &[u8]) -> bool {
    let mut skim = Skim::of(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text));
    let mut imports = false;
    while let Some(piece) = skim.next() {
        match piece {
            Piece::Sign(b';') => {}
            Piece::Word(b"syntax" | b"edition") => return skim.next() == Some(Piece::Sign(b'=')),
            Piece::Word(b"message" | b"enum" | b"service" | b"extend") => {
                let behind = skim.by_ref().find(|piece| !matches!(piece, Piece::Word(_) | Piece::Sign(b'.')));
                return matches!(behind, Some(Piece::Braces(_))) || skim.is_odd();
            }
            Piece::Word(b"package" | b"option") => {
                let is_end = |piece: &Piece<'_>| matches!(piece, Piece::Sign(b';'));
                if !skim.by_ref().take(LONGEST_STATEMENT).any(|piece| is_end(&piece)) {
                    return skim.is_odd();
                }
            }
            Piece::Word(b"import") => {
                let behind = skim.by_ref().find(|piece| !matches!(piece, Piece::Word(_)));
                if !matches!(behind, Some(Piece::Text(_))) {
                    return false;
                }
                imports = true;
            }
            Piece::Text(_) if imports => {}
            _ => return false,
        }
    }
    imports || skim.is_odd()
}

/// A package or an option with more pieces than this was written by nobody.
const LONGEST_STATEMENT: usize = 1000;

/// The statements by which a file says its syntax and its package, and its messages and enums.
pub(super) fn declarations(text: &[u8]) -> Option<Declarations<'_>> {
    let (mut head, mut each, mut skim) = (Vec::new(), Vec::new(), Skim::of(text));
    while let Some(piece) = skim.next() {
        let Piece::Word(word) = piece else { continue };
        let start = skim.position() - word.len();
        let is_declared = match word {
            b"syntax" | b"edition" | b"package" => false,
            b"message" | b"enum" => true,
            _ => continue,
        };
        let is_end = |piece: &Piece<'_>| matches!(piece, Piece::Sign(b';') | Piece::Braces(_));
        skim.find(is_end)?;
        let statement = &text[start..skim.position()];
        match is_declared {
            true => each.push(statement),
            false => head.extend_from_slice(&[statement, b"\n"].concat()),
        }
    }
    (!skim.is_odd()).then_some(Declarations { head, each })
}

fn spelled(word: &[u8]) -> String {
    String::from_utf8_lossy(word).into_owned()
}

/// The words and points up to the end of a statement.
fn statement(skim: &mut Skim<'_>) -> String {
    let mut said = String::new();
    for piece in skim {
        match piece {
            Piece::Word(word) => said.push_str(&spelled(word)),
            Piece::Sign(b'.') => said.push('.'),
            Piece::Sign(_) | Piece::Text(_) | Piece::Braces(_) => break,
        }
    }
    said
}

/// The path behind `import`, where one follows, which may be written in pieces. Of one with escapes more has to be known.
fn import(skim: &mut Skim<'_>) -> Option<Option<String>> {
    let mut path = None;
    let mut ahead = skim.clone();
    while let Some(piece) = ahead.next() {
        match piece {
            Piece::Word(_) if path.is_none() => {}
            Piece::Text(text) if text.contains(&b'\\') => return None,
            Piece::Text(text) => path.get_or_insert_with(String::new).push_str(&spelled(text)),
            Piece::Word(_) | Piece::Sign(_) | Piece::Braces(_) => break,
        }
        *skim = ahead.clone();
    }
    Some(path)
}

/// The word that follows, if one does.
fn name(skim: &mut Skim<'_>) -> Option<String> {
    let mut ahead = skim.clone();
    let Some(Piece::Word(word)) = ahead.next() else { return None };
    *skim = ahead;
    Some(spelled(word))
}

/// The names of the fields that a file puts into a message of another.
fn extend(skim: &mut Skim<'_>, names: &mut Vec<String>) {
    let fields = skim.find_map(|piece| match piece {
        Piece::Braces(fields) => Some(Some(fields)),
        Piece::Sign(b';') => Some(None),
        Piece::Sign(_) | Piece::Word(_) | Piece::Text(_) => None,
    });
    let mut last = None;
    for piece in Skim::of(fields.flatten().unwrap_or_default()) {
        match piece {
            Piece::Word(word) => last = Some(word),
            Piece::Sign(b'=') => names.extend(last.take().map(spelled)),
            Piece::Sign(_) | Piece::Text(_) | Piece::Braces(_) => last = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::used::used;
    use super::super::{mentions, parse};
    use super::*;
    use crate::change::Span;
    use crate::formats::used::Used;

    #[test]
    fn a_glance_sees_what_a_parser_sees() {
        let text = br#"
            edition = "2024"; // message No {}
            package shop /* x */ . v1;
            import public "a/b.proto"; import weak 'c' "d.proto"; import option "google/protobuf/any.proto";
            option (x.y) = { message: "a" nested { } };
            export message Order { message Inner {} extend Q { int32 inner = 4; } }
            local enum State { A = 0; }
            service Shop { rpc Get(Order) returns (Order) { option a = 1; } }
            extend google.protobuf.FieldOptions { string note = 1 [json_name = "x"]; repeated group G = 2 { int32 g = 3; } }
        "#;
        let seen = outline(text).expect("nothing is odd");
        let (tree, _) = parse::parse(&Arc::from("a.proto"), text);
        let parsed = mentions::ties(&tree);
        assert_eq!(seen.ties.packages, parsed.packages);
        let missed: Vec<_> = parsed.names.iter().filter(|name| !seen.ties.names.contains(name)).collect();
        assert!(missed.is_empty(), "{missed:?} of {:?}", seen.ties.names);
        assert_eq!(seen.imports, ["a/b.proto", "cd.proto", "google/protobuf/any.proto"]);
        assert!(seen.ties.carries_any);
    }

    #[test]
    fn what_is_odd_is_left_to_a_parser() {
        for text in ["import \"a\\x2eproto\";", "message A {", "import \"a", "}"] {
            assert!(outline(text.as_bytes()).is_none(), "{text}");
        }
    }

    /// The texts of the fixtures.
    fn texts(folder: &std::path::Path, found: &mut Vec<Vec<u8>>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.extension().is_some_and(|ending| ending == "proto") {
                true => found.extend(std::fs::read(path)),
                false if path.is_dir() => texts(&path, found),
                false => {}
            }
        }
    }

    /// What the declarations of a text use each by itself that the text does not, and the other way around.
    fn used_otherwise(text: &[u8], tree: &super::super::ast::File<'_>) -> Vec<String> {
        let Some(Declarations { head, each }) = declarations(text) else { return Vec::new() };
        let spelled = |used: Vec<Used>| -> Vec<String> {
            used.into_iter().map(|part| format!("{:?}", Used { span: Span::default(), ..part })).collect()
        };
        let alone = each.iter().flat_map(|declaration| {
            let text = [&head, *declaration].concat();
            spelled(used(&parse::parse(&Arc::from("a.proto"), &text).0))
        });
        let (mut alone, mut whole): (Vec<String>, Vec<String>) = (alone.collect(), spelled(used(tree)));
        alone.sort();
        whole.sort();
        if alone == whole { Vec::new() } else { vec![format!("{alone:?}"), format!("{whole:?}")] }
    }

    /// What is wrong with a glance at a text that a parser understands.
    fn missed(text: &[u8]) -> Option<String> {
        let (tree, problems) = parse::parse(&Arc::from("a.proto"), text);
        let is_understood = problems.iter().all(|problem| !problem.is_error());
        let seen = outline(text).filter(|_| is_understood)?;
        let parsed = mentions::ties(&tree);
        let imports: Vec<&str> = tree.imports.iter().map(|import| &*import.path).collect();
        let has_all = imports.iter().all(|path| seen.imports.iter().any(|import| import == path))
            && parsed.names.iter().all(|name| seen.ties.names.contains(name))
            && parsed.packages == seen.ties.packages
            && (seen.ties.carries_any || !parsed.carries_any);
        let wrong = used_otherwise(text, &tree);
        if !wrong.is_empty() {
            return Some(format!("{}\n{wrong:#?}", String::from_utf8_lossy(text)));
        }
        (!has_all).then(|| format!("{}\n{imports:?} {parsed:?}\n{seen:?}", String::from_utf8_lossy(text)))
    }

    #[test]
    fn a_glance_misses_nothing_of_what_a_parser_understands() {
        const PARTS: [&str; 18] = [
            "\"",
            "'",
            "{",
            "}",
            "//",
            "/*",
            "*/",
            "\n",
            "\\",
            "import \"x.proto\";",
            "package q;",
            "message Z {}",
            ";",
            "extend",
            "option (a) = { b: \"}\" };",
            "\u{feff}",
            "\r",
            "enum Y { Y0 = 0; }",
        ];
        let mut all = Vec::new();
        texts(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"), &mut all);
        assert!(all.len() > 100, "{} texts", all.len());
        let (mut dice, mut understood) = (7_u64, 0);
        let mut below = |limit: usize| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(dice >> 33).expect("31 bits") % limit.max(1)
        };
        for text in &all {
            assert_eq!(missed(text), None);
            for _ in 0..40 {
                let mut other = text.clone();
                let at = below(other.len());
                match below(3) {
                    0 => drop(other.splice(at..at, PARTS[below(PARTS.len())].bytes())),
                    1 => drop(other.splice(at..(at + below(12)).min(text.len()), [])),
                    _ => {
                        other.splice(at..at, PARTS[below(PARTS.len())].bytes());
                        let at = below(other.len());
                        other.splice(at..at, PARTS[below(PARTS.len())].bytes());
                    }
                }
                assert_eq!(missed(&other), None);
                let (_, problems) = parse::parse(&Arc::from("a.proto"), &other);
                understood += usize::from(problems.iter().all(|problem| !problem.is_error()));
            }
        }
        assert!(understood > all.len(), "{understood} changed texts were understood");
    }

    #[test]
    fn a_text_is_known_by_its_first_statements() {
        for (text, expected) in [
            ("syntax = \"proto3\";", true),
            ("edition = '2023';", true),
            ("// One.\n/* Two. */ message A { int32 a = 1; }", true),
            ("package a.b;\nimport \"c.txt\";\noption (d) = { e: 1 };\nenum F { G = 0; }", true),
            ("import public \"a.txt\";", true),
            ("extend .a.B { int32 c = 1; }", true),
            ("message A { int32 a", true),
            ("\u{feff}message A {}", true),
            ("", false),
            ("# A title", false),
            ("A text with a message and an enum.", false),
            ("{\"message\": {}}", false),
            ("package main\n\nimport \"fmt\"\n\nfunc main() {}\n", false),
            ("package a.b;\nimport c.d;\npublic class E {}", false),
            ("enum A<T> { B(T) }", false),
            ("import a, { b } from \"c\";", false),
            ("message: all is well", false),
        ] {
            assert_eq!(may_be(text.as_bytes()), expected, "{text}");
        }
    }
}
