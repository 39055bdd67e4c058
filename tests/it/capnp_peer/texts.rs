//! Random texts, most of which the compiler refuses: what it refuses is refused, and what it takes is accepted.
//!
//! They are made of random schemas and of the recorded snippets that the compiler takes, by changes of tokens and lines.
//! `TEXTS=3000 SEED=7` tries others than a plain run, and `FIRST=17 TEXTS=1` one of them again.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use rayon::prelude::*;

use super::{make, print};
use crate::bounded;
use crate::laws_random::number;
use crate::peers::Dice;
use crate::snippets;
use crate::support::{as_many, skip};
use wireproof::formats::Format;

/// Texts where everything is tried.
const TEXTS: usize = 300;
/// In a plain run.
const FEWER: usize = 100;
/// Differences that are shown.
const SHOWN: usize = 12;

/// What the compiler does with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Theirs {
    Takes,
    Refuses,
    /// It says itself that it has a bug, dies, or does not come to an end.
    Fails,
}

/// One that differs: which, how, and what both say of it.
type Difference = (usize, &'static str, String);

#[test]
fn what_the_compiler_takes_and_refuses_of_random_texts_is_accepted_and_refused() {
    if !Command::new("capnp").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return skip("capnp", "what a compiler takes and refuses of random texts");
    }
    let (texts, seed, first) = (number("TEXTS", as_many([TEXTS, FEWER])), number("SEED", 1), number("FIRST", 0));
    let known = snippets::taken("capnp");
    let all: Vec<(Theirs, Option<Difference>)> =
        (first..first + texts).into_par_iter().map(|at| one(&known, seed, at)).collect();
    let count = |theirs| all.iter().filter(|(said, _)| *said == theirs).count();
    let counts = [Theirs::Takes, Theirs::Refuses, Theirs::Fails].map(count);
    let wrong: Vec<&Difference> = all.iter().filter_map(|(_, difference)| difference.as_ref()).collect();
    eprintln!("capnp takes {}, refuses {}, fails with {}; {} differ", counts[0], counts[1], counts[2], wrong.len());
    let shown: Vec<String> = wrong.iter().take(SHOWN).map(|(at, how, told)| format!("{at}: {how}\n{told}")).collect();
    assert!(wrong.is_empty(), "{}", shown.join("\n\n"));
    assert!(texts < FEWER || counts[0] > texts / 20 && counts[1] > texts / 5, "most texts are of one kind");
}

fn one(known: &[String], seed: usize, at: usize) -> (Theirs, Option<Difference>) {
    let mut dice = Dice(((seed as u64) << 32) ^ (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let (files, edits) = changed(known, &mut dice);
    let (theirs, said) = compile(&files);
    let (ours, problems) = snippets::judged(Format::Capnp, &files);
    let how = match (theirs, ours) {
        (Theirs::Takes, "refused") => "refused without need",
        (Theirs::Refuses, "accepted") => "accepted",
        _ => return (theirs, None),
    };
    // Numbers above 64 bits are another number to the compiler than is written.
    if how == "refused without need" && problems.contains("does not fit in 64 bits") {
        return (theirs, None);
    }
    if how == "accepted" && is_known(&said, &files) {
        return (theirs, None);
    }
    let texts: String = files.iter().map(|(path, text)| format!("--- {path}\n{text}\n")).collect();
    (theirs, Some((at, how, format!("{edits:?}\n{texts}theirs: {said}\nours: {problems}"))))
}

/// What the compiler refuses and we do not, as `docs/compare.md` says: values where a parameter stands for another one, `:.`
/// without a blank, and a value alone for a struct, which compilers take since release 1.0.
fn is_known(said: &str, files: &BTreeMap<String, String>) -> bool {
    let expected = said.split("Type mismatch; expected ").nth(1).and_then(|rest| rest.split('.').next());
    let is_plain = |name: &str| name.starts_with("List(") || TYPES[..18].contains(&name);
    said.contains("is a generic type parameter")
        || said.contains("Parse error") && files.values().any(|text| text.contains(":."))
        || expected.is_some_and(|name| !is_plain(name))
}

/// The files of a schema after a few changes of one of them.
fn changed(known: &[String], dice: &mut Dice) -> (BTreeMap<String, String>, Vec<String>) {
    let mut files = match dice.percent(35) {
        true => print::files(&make::schema(dice)),
        false => {
            let mut text = dice.pick(known).unwrap_or_default();
            if dice.percent(30) {
                // What another declares stands in a scope of its own.
                let other = dice.pick(known).unwrap_or_default();
                let body = other.split_once('\n').map_or("", |(_, body)| body);
                text.push_str(&format!("\nstruct Around {{ {body} }}"));
            }
            BTreeMap::from([("a.capnp".to_owned(), text)])
        }
    };
    let paths: Vec<String> = files.keys().cloned().collect();
    let path = dice.pick(&paths).unwrap_or_default();
    let mut edits = Vec::new();
    if let Some(text) = files.get_mut(&path) {
        for _ in 0..if dice.percent(65) { 1 } else { 2 + dice.below(2) } {
            let mut tokens = tokens(text);
            if tokens.len() < 4 {
                break;
            }
            edits.push(edit(&mut tokens, dice));
            *text = tokens.concat();
        }
    }
    (files, edits)
}

/// What is put in at random, whatever stands there.
const POOL: &[&str] = &[
    "struct",
    "union",
    "group",
    "enum",
    "interface",
    "using",
    "const",
    "annotation",
    "extends",
    "import",
    "embed",
    "void",
    "true",
    "inf",
    "nan",
    "null",
    "stream",
    "T",
    "S",
    "E",
    "c",
    "a",
    "x",
    "0",
    "1",
    "@0",
    "@1",
    "@2",
    "@65534",
    "@65535",
    "0x1f",
    "017",
    "1.5",
    "-",
    "1e3",
    "\"t\"",
    "0x\"ff\"",
    "'t'",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ":",
    "=",
    ",",
    ".",
    "$",
    "->",
    "*",
    "@",
    "!",
    "@0xd3a5e2f7c1b49000",
    "@0xd3a5e2f7c1b49086",
    ":group",
    ":union",
    "(T)",
    "(Text)",
    "[T]",
    "$Cxx.name(\"x\")",
    "import \"/capnp/c++.capnp\"",
    "# c\n",
    "using import",
    "@1!",
    "@0 !",
    "= 5",
    "= \"t\"",
];

/// What is put in the place of a name that may be one of a type.
const TYPES: &[&str] = &[
    "Void",
    "Bool",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
    "Float32",
    "Float64",
    "Text",
    "Data",
    "AnyPointer",
    "AnyStruct",
    "AnyList",
    "Capability",
    "List",
    "List(Int32)",
    "List(List(Text))",
    "List(AnyPointer)",
    "S",
    "E",
    "T",
    "I",
    "S(Text)",
    "List(S)",
    "Nope",
    ".S",
    "Around",
    "Around.S",
    "import \"/capnp/c++.capnp\".name",
];

/// What is put between two statements.
const STATEMENTS: &[&str] = &[
    "union { p @2 :Int32; q @3 :Text; }",
    "g :group { p @2 :Int32; }",
    "u :union { p @2 :Int32; q @3 :Text; }",
    "union { p @1 :Int32; q @2 :Text; }",
    "g :group { p @1 :Int32; union { q @2 :Void; r @3 :Bool; } }",
    "z @0 :Int32;",
    "u @1 :union { p @2 :Int32; q @3 :Text; }",
    "u @3 :union { p @1 :Int32; q @2 :Text; }",
    "z @1 :Text = \"t\";",
    "z @1 :Int32 = 5;",
    "z @1 :List(Int8) = [1, 2];",
    "z @1 :P(Text);",
    "z @1 :S = (a = 3);",
    "z @2 :AnyPointer;",
    "struct I { i @0 :Int32; }",
    "struct P(V) { v @0 :V; }",
    "struct S {}",
    "struct Q @0xd3a5e2f7c1b49087 {}",
    "enum F { f @0; }",
    "enum F { f @0; g @1 $n(\"x\"); }",
    "interface J { j @0 () -> (); }",
    "interface K extends(I) {}",
    "m @0 (a :Int32) -> (b :Text);",
    "m @1 [V] (a :V = null, b :Int32 = 3) -> stream;",
    "m @1 S -> S;",
    "const k :Int32 = 3;",
    "const k :Float64 = -inf;",
    "const k :Data = 0x\"f f\";",
    "const k :List(S) = [()];",
    "annotation n(*) :Text;",
    "annotation n(struct, field) :Void;",
    "using U = Int32;",
    "using .S;",
    "using S.T;",
    "using V = U;",
    "$n(\"x\");",
    "using Cxx = import \"/capnp/c++.capnp\";",
    "$Cxx.namespace(\"x\");",
    "a @1;",
    "b @1;",
    "@0xd3a5e2f7c1b49088;",
];

fn edit(tokens: &mut Vec<String>, dice: &mut Dice) -> String {
    let is_word = |token: &&(usize, &String)| !token.1.trim().is_empty();
    let all: Vec<usize> = tokens.iter().enumerate().filter(|token| is_word(&token)).map(|(at, _)| at).collect();
    // The id of the file is changed seldom.
    let from = if dice.percent(95) && all.len() > 4 { 3 } else { 0 };
    let (at, other) = (all[from + dice.below(all.len() - from)], all[from + dice.below(all.len() - from)]);
    let picked = |dice: &mut Dice, from: &[&'static str]| dice.pick(from).unwrap_or("0").to_owned();
    let what = dice.below(20);
    let was = tokens[at].clone();
    match what {
        0 => tokens[at].clear(),
        1 => {
            let next = all.iter().find(|next| **next > at).copied().unwrap_or(at);
            tokens.swap(at, next);
        }
        2 => tokens[at] = picked(dice, POOL),
        3 | 4 => tokens.insert(at, picked(dice, POOL) + " "),
        5..=8 => alike(tokens, at, dice),
        9..=11 => respell(&mut tokens[at], dice),
        12..=14 => {
            let is_type = |at: &usize| tokens[*at].starts_with(|first: char| first.is_ascii_uppercase());
            let types: Vec<usize> = all.into_iter().filter(is_type).collect();
            if let Some(at) = dice.pick(&types) {
                tokens[at] = picked(dice, TYPES);
            }
        }
        15 => statement(tokens, at, None),
        16 => statement(tokens, at, Some(other)),
        _ => {
            let place = tokens[..at].iter().rposition(|token| is_end(token)).map_or(0, |end| end + 1);
            tokens.insert(place, format!(" {} ", picked(dice, STATEMENTS)));
        }
    }
    format!("{what} at {was:?}")
}

/// Whether a statement ends with a token, or one begins behind it.
fn is_end(token: &str) -> bool {
    [";", "{", "}"].contains(&token)
}

/// A number or a name near what it was.
fn respell(token: &mut String, dice: &mut Dice) {
    if token.starts_with(|first: char| first.is_ascii_digit()) {
        let near: Vec<String> = match token.parse::<i64>() {
            Ok(number) => {
                let times = number.saturating_mul(100_000);
                let near = [number.saturating_add(1), number - 1, -number, number.saturating_add(300), times];
                near.map(|near| near.to_string()).into()
            }
            Err(_) => ["0", "7", "0x8", "1.25"].map(str::to_owned).into(),
        };
        *token = dice.pick(&near).unwrap_or_default();
        return;
    }
    let Some(first) = token.chars().next().filter(char::is_ascii_alphabetic) else { return };
    let rest = token[1..].to_owned();
    let flipped = if first.is_ascii_lowercase() { first.to_ascii_uppercase() } else { first.to_ascii_lowercase() };
    *token = match dice.below(4) {
        0 | 1 => format!("{flipped}{rest}"),
        2 => format!("{token}_x"),
        _ => format!("{token}2"),
    };
}

/// A name or a number becomes another of the text, so that two things are called the same or one is called as nothing is.
fn alike(tokens: &mut [String], at: usize, dice: &mut Dice) {
    let kind = |token: &str| token.chars().next().map(|first| (first.is_ascii_lowercase(), first.is_ascii_uppercase()));
    let own = kind(&tokens[at]);
    let others: Vec<String> =
        tokens.iter().filter(|token| kind(token) == own && **token != tokens[at]).cloned().collect();
    if let Some(other) = dice.pick(&others) {
        tokens[at] = other;
    }
}

/// Takes a statement away, up to its `;` or all of its braces; or puts it elsewhere as well.
fn statement(tokens: &mut Vec<String>, at: usize, elsewhere: Option<usize>) {
    let start = tokens[..at].iter().rposition(|token| is_end(token)).map_or(0, |end| end + 1);
    let mut depth = 0;
    let mut end = start;
    while end < tokens.len() {
        match tokens[end].as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        end += 1;
        if depth <= 0 && [";", "}"].contains(&tokens[end - 1].as_str()) {
            break;
        }
    }
    let moved: Vec<String> = tokens[start..end].to_vec();
    match elsewhere {
        None => drop(tokens.drain(start..end)),
        Some(other) => {
            let place = tokens[..other].iter().rposition(|token| is_end(token)).map_or(0, |end| end + 1);
            tokens.splice(place..place, moved);
        }
    }
}

/// Names, numbers and texts as they are, everything else by the letter, with what is between them.
fn tokens(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_of_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let length = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            '-' if rest.starts_with("->") => 2,
            '#' => rest.find('\n').unwrap_or(rest.len()),
            _ if is_of_word(first) => rest.find(|letter| !is_of_word(letter)).unwrap_or(rest.len()),
            _ if first.is_whitespace() => rest.find(|letter: char| !letter.is_whitespace()).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, more) = rest.split_at(length);
        found.push(token.to_owned());
        rest = more;
    }
    found
}

fn compile(files: &BTreeMap<String, String>) -> (Theirs, String) {
    let folder = tempfile::tempdir().expect("a folder for a moment");
    for (path, text) in files {
        std::fs::write(folder.path().join(path), text).expect("the folder can be written");
    }
    let paths: Vec<&Path> = files.keys().map(Path::new).collect();
    let mut command = Command::new("capnp");
    command.current_dir(folder.path()).env("PWD", folder.path()).args(["compile", "-o-", "-I."]).args(paths);
    let Some(output) = bounded::run(&mut command) else { return (Theirs::Fails, "no end".to_owned()) };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_bug = ["Uncaught exception", "compiler bug"].iter().any(|bug| said.contains(bug));
    match output.status.code() {
        Some(0) => (Theirs::Takes, said),
        Some(_) if !is_bug => (Theirs::Refuses, said),
        _ => (Theirs::Fails, said),
    }
}
