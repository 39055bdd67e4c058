//! What is understood of a `buf.yaml`, and what is refused. buf 1.75 does the same unless a test says otherwise.

use super::*;
use crate::rules::RuleSet;

fn parse(text: &str) -> Result<Option<BufFile>, Failure> {
    BufFile::parse("buf.yaml", text, RuleSet::built_in().peer_rules("buf"))
}

fn file(text: &str) -> BufFile {
    parse(text).expect("is understood").expect("speaks")
}

fn breaking(text: &str) -> BufBreaking {
    file(text).modules.remove(0).breaking.expect("has a section")
}

fn error(text: &str) -> String {
    parse(text).expect_err("must be refused").to_string()
}

fn category(version: &str, category: &str) -> OrderedSet<String> {
    RuleSet::built_in().peer_category("buf", version, category)
}

#[test]
fn a_file_without_a_section_says_nothing() {
    for text in [
        "",
        "# nothing\n",
        "version: v2\nlint:\n  use: [STANDARD]\n",
        "version: v2\nbreaking: ~\n",
        // What a later version has is not known. What cannot be understood is told elsewhere.
        "version: v9\n",
        "version: \"v9\" # the next\nsections: []\n",
        "name: {{ module }}\n",
        "version: [",
        "lint:\n  use: [DEFAULT]\n",
    ] {
        assert!(parse(text).expect("is no failure").is_none_or(|file| !file.speaks()), "{text}");
    }
}

#[test]
fn every_key_that_buf_has_is_known() {
    for text in [
        "version: v1beta1\nname: buf.build/a/b\ndeps:\n  - buf.build/c/d\nbuild:\n  roots: [proto]\n  excludes: [proto/x]\nlint:\n  \
         use: [DEFAULT]\n  rpc_allow_google_protobuf_empty_requests: true\nbreaking:\n  use: [FILE]\n",
        "version: v1\nname: buf.build/a/b\ndeps: []\nbuild:\n  excludes: [x]\nlint: {}\nbreaking: {}\n",
        "version: v2\nmodules:\n  - path: proto\n    name: buf.build/a/b\n    includes: [proto/i]\n    excludes: [proto/x]\n    lint:\n      \
         use: [STANDARD]\n    breaking:\n      use: [WIRE]\nname: buf.build/a/b\ndeps: [buf.build/c/d]\nlint:\n  \
         disallow_comment_ignores: true\nbreaking: {}\nplugins:\n  - plugin: p\n    options: {a: b}\npolicies:\n  - policy: q\n",
        "---\nversion: v1\nname: ~\ndeps:\nbuild:\nlint:\nbreaking:\n",
    ] {
        parse(text).unwrap_or_else(|failure| panic!("{text}{failure}"));
    }
}

#[test]
fn a_key_that_buf_does_not_have_is_refused_where_no_section_is() {
    for (text, place, said) in [
        ("version: v1\nbreakng:\n  use: [WIRE]\n", "buf.yaml:2:1", "did you mean `breaking`?"),
        ("version: v1\n\"breakng\":\n  use: [WIRE]\n", "buf.yaml:2:1", "did you mean `breaking`?"),
        (
            "version: v2\nmodules:\n  - path: a\n    braking:\n      use: [WIRE]\n",
            "buf.yaml:4:5",
            "did you mean `breaking`?",
        ),
        ("version: v2\nlnit: {}\n", "buf.yaml:2:1", "did you mean `lint`?"),
        ("a: [", "buf.yaml:1:1", "unknown key `a`"),
        ("version: v2\nothers: {}\n", "buf.yaml:2:1", "known here: version, name, deps"),
        ("version: v2\nbuild: {}\n", "buf.yaml:2:8", "`build` is a key of versions v1 and v1beta1"),
    ] {
        let message = error(text);
        assert!(message.contains(place) && message.contains(said), "{text}{message}");
    }
}

#[test]
fn without_use_it_is_the_category_file() {
    for version in ["v1beta1", "v1", "v2"] {
        for section in ["breaking: {}", "breaking:\n  use: []", "breaking:\n  use: ['']"] {
            let read = breaking(&format!("version: {version}\n{section}\n"));
            assert_eq!((read.ids, read.words.as_str()), (category(version, "FILE"), "FILE"), "{version} {section}");
        }
    }
}

#[test]
fn use_is_a_union_and_except_takes_away() {
    let read = breaking(
        "version: v2\nbreaking:\n  use:\n    - WIRE\n    - FILE_SAME_GO_PACKAGE\n  except: [FIELD_SAME_ONEOF]\n",
    );
    let mut expected = category("v2", "WIRE");
    expected.insert("FILE_SAME_GO_PACKAGE".to_owned());
    expected.remove("FIELD_SAME_ONEOF");
    assert_eq!(read.ids, expected);
    assert_eq!(read.words, "WIRE+FILE_SAME_GO_PACKAGE without FIELD_SAME_ONEOF");
    assert_eq!(read.line, 2);
}

#[test]
fn what_use_names_must_exist_in_that_version() {
    let message = error("version: v2\nbreaking:\n  use:\n    - FILE\n    - wire-json\n");
    assert!(message.contains("buf.yaml:5:7") && message.contains("did you mean `WIRE_JSON`?"), "{message}");
    let message = error("version: v1\nbreaking:\n  use: [CSR]\n");
    assert!(message.contains("buf.yaml:3:9") && message.contains("it is known to `version: v2`"), "{message}");
    assert!(
        error("version: v2\nbreaking:\n  use: [FIELD_SAME_LABEL]\n").contains("`version: v1beta1` and `version: v1`")
    );
    assert!(error("version: v2\nbreaking:\n  except: [NOPE]\n").contains("no rule and no category `NOPE`"));
    let message = error("version: v2\nbreaking:\n  ignore_only:\n    NOPE: [proto]\n");
    assert!(message.contains("buf.yaml:4:5"), "{message}");
}

/// buf speaks of a bug of its own here.
#[test]
fn a_choice_of_nothing_is_told_in_words() {
    let message = error("version: v2\nbreaking:\n  use: [FILE]\n  except: [FILE]\n");
    assert!(message.contains("buf.yaml:4:12") && message.contains("nothing is left"), "{message}");
    let message = error("version: v2\nbreaking:\n  use: [MESSAGE_SAME_MESSAGE_SET_WIRE_FORMAT]\n");
    assert!(message.contains("names no rule that still does anything"), "{message}");
}

#[test]
fn a_deprecated_rule_is_replaced_with_a_word() {
    let read = file("version: v1\nbreaking:\n  use: [FIELD_SAME_LABEL]\n");
    let expected =
        ["FIELD_SAME_CARDINALITY", "FIELD_WIRE_COMPATIBLE_CARDINALITY", "FIELD_WIRE_JSON_COMPATIBLE_CARDINALITY"];
    let ids = read.modules[0].breaking.as_ref().expect("a section").ids.clone();
    assert_eq!(ids, expected.map(str::to_owned).into());
    assert_eq!((read.notices.len(), read.notices[0].word.line), (1, 3));
}

#[test]
fn unknown_keys_and_keys_of_other_versions_have_a_place() {
    let message = error("version: v2\nbreaking:\n  use: [WIRE]\n  ignores: [a]\n");
    assert!(message.contains("buf.yaml:4:3") && message.contains("did you mean `ignore`?"), "{message}");
    for (text, key) in [
        ("version: v1\nmodules:\n  - path: a\nbreaking: {}\n", "`modules`"),
        ("version: v2\nbuild:\n  excludes: [a]\nbreaking: {}\n", "`build`"),
        ("version: v1\nbuild:\n  roots: [a]\nbreaking: {}\n", "`build.roots`"),
        ("version: v1\nbreaking:\n  allow_comment_ignores: true\n", "`allow_comment_ignores`"),
    ] {
        assert!(error(text).contains(key), "{text}: {}", error(text));
    }
    assert!(error("breaking: {}\n").contains("`version` is not set"));
    // The next error must not be that the version has no such key.
    for (text, version) in [
        ("breaking: {}\n", "v2"),
        ("build:\n  excludes: [a]\nbreaking: {}\n", "v1"),
        ("build:\n  roots: [a]\nbreaking: {}\n", "v1beta1"),
    ] {
        let asked = format!("version: {version}`");
        assert!(error(text).contains(&asked), "{}", error(text));
        assert!(parse(&format!("version: {version}\n{text}")).is_ok(), "{text}");
    }
    assert!(error("version: v3\nbreaking: {}\n").contains("`v3` is not a version"));
    assert!(error("version: v2\nbreaking: {}\nbreaking: {}\n").contains("given twice"));
}

#[test]
fn a_module_with_a_section_of_its_own_has_nothing_of_the_one_at_the_top() {
    let read = file(
        "version: v2\nmodules:\n  - path: a\n    name: buf.build/acme/a\n    breaking:\n      use: [WIRE]\n  - path: b\n  - path: c\n    breaking: {}\n\
         breaking:\n  use: [PACKAGE]\n  ignore: [a/x, b/x]\n  ignore_unstable_packages: true\n",
    );
    let of = |index: usize| read.modules[index].breaking.as_ref().expect("a section");
    assert_eq!((of(0).words.as_str(), of(0).ignored.len(), of(0).ignore_unstable_packages), ("WIRE", 0, false));
    for index in [1, 2] {
        assert_eq!((of(index).words.as_str(), of(index).ignore_unstable_packages), ("PACKAGE", true));
    }
    let paths: Vec<&str> = of(1).ignored.iter().map(|ignored| ignored.path.as_str()).collect();
    assert_eq!(paths, ["x"]);
    assert!(of(2).ignored.is_empty());
    assert_eq!(read.modules[0].folders, ["a"]);
}

#[test]
fn ignored_paths_start_from_the_file_in_v2_and_from_the_root_in_v1() {
    let read = file("version: v2\nmodules:\n  - path: proto\nbreaking:\n  ignore: [./proto/a/, a]\n");
    let section = read.modules[0].breaking.as_ref().expect("a section");
    assert_eq!(section.ignored.iter().map(|ignored| ignored.path.as_str()).collect::<Vec<_>>(), ["a"]);
    assert_eq!(read.notices.len(), 1, "{:?}", read.notices);
    let read = BufFile::parse(
        "x/buf.yaml",
        "version: v1beta1\nbuild:\n  roots: [p, q]\nbreaking:\n  ignore: [a]\n",
        RuleSet::built_in().peer_rules("buf"),
    );
    let read = read.expect("is understood").expect("speaks");
    assert_eq!(read.modules[0].folders, ["x/p", "x/q"]);
    assert_eq!(read.modules[0].breaking.as_ref().expect("a section").ignored[0].path, "a");
}

#[test]
fn paths_that_buf_refuses_are_refused() {
    for (text, words) in [
        ("version: v2\nbreaking:\n  ignore: [../x]\n", "leads outside"),
        ("version: v2\nbreaking:\n  ignore: [/x]\n", "leads outside"),
        ("version: v2\nbreaking:\n  ignore: [a, a/b.proto]\n", "lies inside of `a`"),
        ("version: v2\nbreaking:\n  ignore_only:\n    WIRE: [a, a/b.proto]\n", "lies inside of `a`"),
        ("version: v2\nmodules:\n  - path: p\n    breaking:\n      ignore: [a]\n", "outside of the module `p`"),
        ("version: v2\nmodules:\n  - path: p\n    breaking:\n      ignore: [.]\n", "outside of the module `p`"),
        ("version: v2\nmodules:\n  - path: ../p\nbreaking: {}\n", "leads outside"),
    ] {
        assert!(error(text).contains(words), "{text}: {}", error(text));
    }
}

/// buf ignores everything without a word.
#[test]
fn a_module_that_is_ignored_as_a_whole_is_told() {
    let read = file("version: v2\nbreaking:\n  ignore: [.]\n");
    assert!(read.notices[0].message.contains("ignores the whole module"), "{:?}", read.notices);
    let read = file("version: v2\nbreaking:\n  disable_builtin: true\n");
    assert!(read.notices[0].message.contains("turns every rule off"), "{:?}", read.notices);
    assert!(read.modules[0].breaking.as_ref().expect("a section").ids.is_empty());
}

#[test]
fn what_is_not_done_is_told() {
    let read = file("version: v2\nplugins:\n  - plugin: own\nbreaking:\n  use: [WIRE]\n");
    assert!(read.not_done[0].message.contains("`plugins`"), "{:?}", read.not_done);
}
