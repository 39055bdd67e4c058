//! Files that a schema refers to by names that no schema of its language has: they are judged as if they had one, in a check of
//! a change as in one of everything, in git, in a work tree and in folders.

use std::collections::BTreeSet;

use crate::git::{Place, Ran, commit, git, git_is_missing, report, repository, run};
use crate::support::{is_windows, some_of, tries_everything};

/// A language: how a file is written that has a member of a type from another file, and that other file.
struct Language {
    name: &'static str,
    /// The ending of schemas.
    ending: &'static str,
    /// The ending of names that schemas do not have.
    odd: &'static str,
    /// The type `OWN` with a member of the type `TYPE` from the file `FILE`, whose name is `STEM` and an ending.
    holder: &'static str,
    /// The type `P`.
    part: &'static str,
    /// What stands in it, and what breaks readers in its place.
    broken: [&'static str; 2],
    /// The line on which it stands.
    line: i64,
    /// A type of no interest, `OWN`.
    other: &'static str,
}

const LANGUAGES: [Language; 9] = [
    Language {
        name: "protobuf",
        ending: ".proto",
        odd: ".txt",
        holder: "syntax = \"proto3\";\nimport \"lib/FILE\";\nmessage OWN {\n  TYPE x = 1;\n}\n",
        part: "syntax = \"proto3\";\nmessage P {\n  int32 y = 1;\n}\n",
        broken: ["int32", "string"],
        line: 3,
        other: "syntax = \"proto3\";\nmessage OWN {\n  int32 y = 1;\n}\n",
    },
    Language {
        name: "avro, IDL",
        ending: ".avdl",
        odd: ".txt",
        holder: "protocol OWNs {\n  import idl \"lib/FILE\";\n  record OWN {\n    TYPE x;\n  }\n}\n",
        part: "protocol Ps {\n  record P {\n    int y;\n  }\n}\n",
        broken: ["int y", "string y"],
        line: 3,
        other: "protocol OWNs {\n  record OWN {\n    int y;\n  }\n}\n",
    },
    Language {
        name: "avro, a schema",
        ending: ".avsc",
        odd: ".json",
        holder: "protocol OWNs {\n  import schema \"lib/FILE\";\n  record OWN {\n    TYPE x;\n  }\n}\n",
        part: "{\"type\": \"record\", \"name\": \"P\", \"fields\": [\n  {\"name\": \"y\",\n  \"type\": \"int\"}\n]}\n",
        broken: ["\"int\"", "\"string\""],
        line: 3,
        other: "protocol OWNs {\n  record OWN {\n    int y;\n  }\n}\n",
    },
    Language {
        name: "flatbuffers",
        ending: ".fbs",
        odd: ".inc",
        holder: "include \"lib/FILE\";\ntable OWN {\n  x: TYPE;\n}\n",
        part: "// One.\ntable P {\n  y: int;\n}\n",
        broken: ["int", "string"],
        line: 3,
        other: "table OWN {\n  y: int;\n}\n",
    },
    Language {
        name: "thrift",
        ending: ".thrift",
        odd: ".inc",
        holder: "include \"lib/FILE\"\nstruct OWN {\n  1: STEM.TYPE x\n}\n",
        part: "// One.\nstruct P {\n  1: i32 y\n}\n",
        broken: ["i32", "string"],
        line: 3,
        other: "struct OWN {\n  1: i32 y\n}\n",
    },
    Language {
        name: "capnp",
        ending: ".capnp",
        odd: ".cap",
        holder: "@0xbf5147cbbecf4ID;\nusing Lib = import \"lib/FILE\";\nstruct OWN {\n  x @0 :Lib.TYPE;\n}\n",
        part: "@0xbf5147cbbecf4aaa;\nstruct P {\n  y @0 :Int32;\n}\n",
        broken: ["Int32", "Text"],
        line: 3,
        other: "@0xbf5147cbbecf4ID;\nstruct OWN {\n  y @0 :Int32;\n}\n",
    },
    Language {
        name: "json-schema",
        ending: ".schema.json",
        odd: ".json",
        holder: "{\"properties\": {\n  \"x\": {\"$ref\": \"lib/FILE\"}}}\n",
        part: "{\n  \"properties\": {\n    \"y\": {\"type\": \"string\"}}}\n",
        broken: ["string", "integer"],
        line: 3,
        other: "{\"properties\": {\n  \"x\": {\"type\": \"string\"}}}\n",
    },
    Language {
        name: "json-schema, escaped",
        ending: ".schema.json",
        odd: ".inc",
        holder: "{\"properties\": {\n  \"x\": {\"\\u0024ref\": \"lib\\/FILE#\"}}}\n",
        part: "{\n  \"properties\": {\n    \"y\": {\"type\": \"string\"}}}\n",
        broken: ["string", "integer"],
        line: 3,
        other: "{\"properties\": {\n  \"x\": {\"type\": \"string\"}}}\n",
    },
    Language {
        name: "json-schema, YAML",
        ending: ".schema.yaml",
        odd: ".yml",
        holder: "properties:\n  x:\n    $ref: lib/FILE\n",
        part: "properties:\n  y:\n    type: string\n",
        broken: ["string", "integer"],
        line: 3,
        other: "properties:\n  x:\n    type: string\n",
    },
];

/// How a file is called by those that refer to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Called {
    AsSchemas,
    Otherwise,
}

/// The files of a version, and what they say.
type Files = Vec<(String, String)>;

impl Language {
    fn ending(&self, called: Called) -> &'static str {
        match called {
            Called::AsSchemas => self.ending,
            Called::Otherwise => self.odd,
        }
    }

    /// Schemas that refer to others are written in this one.
    fn of_holders(&self) -> &'static str {
        if self.name.starts_with("avro") { ".avdl" } else { self.ending }
    }

    fn holder(&self, own: &str, (stem, ty): (&str, &str), ending: &str) -> String {
        let text = self.holder.replace("FILE", &format!("{stem}{ending}")).replace("STEM", stem);
        // A file in the folder refers to one that lies beside it.
        let text = if own == "M" && self.name != "protobuf" { text.replace("lib/", "") } else { text };
        text.replace("TYPE", ty).replace("OWN", own).replace("ID", if own == "M" { "aab" } else { "aac" })
    }

    fn broken(&self) -> String {
        self.part.replacen(self.broken[0], self.broken[1], 1)
    }

    /// A schema that refers to a file, with what that says, if it is there.
    fn one_step(&self, called: Called, part: Option<String>) -> Files {
        let ending = self.ending(called);
        let holder = (format!("a{}", self.of_holders()), self.holder("A", ("part", "P"), ending));
        std::iter::once(holder).chain(part.map(|part| (format!("lib/part{ending}"), part))).collect()
    }

    /// The same with one more file between them, which is called so, too.
    fn two_steps(&self, called: Called, part: Option<String>) -> Files {
        let ending = self.ending(called);
        let between = if self.name == "avro, a schema" && called == Called::AsSchemas { ".avdl" } else { ending };
        let holder = self.holder("A", ("between", "M"), between).replace("import schema", "import idl");
        let mut files = self.one_step(called, part);
        files[0].1 = holder;
        files.push((format!("lib/between{between}"), self.holder("M", ("part", "P"), ending)));
        files
    }

    /// So many schemas of no interest that only those are looked at which a change has to do with.
    fn many(&self) -> Files {
        let other = |at: usize| {
            let text = self.other.replace("OWN", &format!("Other{at}")).replace("ID", &format!("{at:03x}"));
            (format!("others/o{at}{}", self.of_holders()), text)
        };
        (1..=310).map(other).collect()
    }
}

/// What is said of two versions: the exit code, and each finding and problem with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    code: i32,
    lines: BTreeSet<String>,
}

fn said(directory: &Place, arguments: &[&str]) -> Said {
    let ran = run(&directory.path(""), &[arguments, &["--format", "json"]].concat());
    let report = report(&ran);
    let place = |at: &serde_json::Value| match at["file"].as_str() {
        Some(file) => format!("{file}:{}", at["line"]),
        None => String::new(),
    };
    let findings = report["findings"].as_array().into_iter().flatten();
    let findings =
        findings.map(|finding| format!("{} {} {}", finding["rule"], place(&finding["old"]), place(&finding["new"])));
    let problems = report["problems"].as_array().into_iter().flatten();
    let problems = problems.map(|problem| format!("{} {} {}", problem["severity"], place(problem), problem["message"]));
    Said { code: ran.code, lines: findings.chain(problems).collect() }
}

/// Writes a version in the place of another.
fn written(place: &Place, folder: &str, [before, now]: [&Files; 2]) {
    for (path, _) in before {
        std::fs::remove_file(place.path(&format!("{folder}{path}"))).expect("a file that was written");
    }
    for (path, text) in now {
        place.write(format!("{folder}{path}"), text);
    }
}

fn said_of_folders([old, new]: [&Files; 2]) -> Said {
    let folders = Place::new();
    written(&folders, "old/", [&Vec::new(), old]);
    written(&folders, "new/", [&Vec::new(), new]);
    said(&folders, &["compare", "old", "new"])
}

/// Compares two versions in every way, in folders and in a repository with other schemas: all ways say the same.
fn said_in_every_way(language: &Language, versions: [&Files; 2], others: &Files, what: &str) -> Said {
    let expected = said_of_folders(versions);
    let place = repository();
    written(&place, "", [&Vec::new(), others]);
    place.write("src/main.rs", "fn main() {}\n");
    written(&place, "", [&Vec::new(), versions[0]]);
    commit(&place, "old");
    written(&place, "", [versions[0], versions[1]]);
    place.write("src/main.rs", "fn main() { }\n");
    let ask = |way: &'static [&'static str]| (way, said(&place, way));
    let mut answers = vec![ask(&["check", "--against", "git:HEAD"])];
    git(&place.path(""), &["add", "--all"]);
    answers.push(ask(&["check", "--staged", "--against", "git:HEAD"]));
    commit(&place, "new");
    answers.extend([
        ask(&["compare", "git:HEAD^", "git:HEAD"]),
        ask(&["compare", "--full", "git:HEAD^", "git:HEAD"]),
        ask(&["check", "--against", "git:HEAD^"]),
    ]);
    let where_else = format!("{} beside {} others, {what}", language.name, others.len());
    for (way, answer) in answers {
        assert_eq!(answer, expected, "{where_else}: {way:?}");
    }
    // In the version before these nothing of it is there yet.
    let with_earlier = said(&place, &["check", "--history", "--against", "git:HEAD^"]);
    let has_all = with_earlier.code == expected.code && with_earlier.lines.is_superset(&expected.lines);
    assert!(has_all, "{where_else}: {with_earlier:?} and not {expected:?}");
    expected
}

/// What is said where the files are called as schemas are, with the names that they have otherwise.
fn as_called_otherwise(language: &Language, said: Said) -> Said {
    let rename = |line: String| {
        let line = line.replace(&format!("part{}", language.ending), &format!("part{}", language.odd));
        let between = if language.name == "avro, a schema" { ".avdl" } else { language.ending };
        line.replace(&format!("between{between}"), &format!("between{}", language.odd))
    };
    Said { lines: said.lines.into_iter().map(rename).collect(), ..said }
}

/// The files of a version that refers to a file over so many steps.
type Steps = fn(&Language, Called, Option<String>) -> Files;

/// What a file says on both sides that is referred to, if it is there.
type Parts = [Option<String>; 2];

/// What happens to what is referred to, and which exit code that has; `None` where it is what it would be of a schema.
fn each_situation(language: &Language) {
    let (old, broken) = (Some(language.part.to_owned()), Some(language.broken()));
    let situations: [(&str, Parts, Option<i32>); 4] = [
        ("it is edited", [old.clone(), broken], Some(1)),
        ("it goes", [old.clone(), None], None),
        ("it comes", [None, old.clone()], None),
        ("it stays", [old.clone(), old], Some(0)),
    ];
    let all_steps = [(1, Language::one_step as Steps), (2, Language::two_steps as Steps)];
    for (what, parts, code) in situations {
        for (count, steps) in &all_steps[..if matches!(what, "it is edited" | "it goes") { 2 } else { 1 }] {
            let sides = |called: Called| parts.clone().map(|part| steps(language, called, part));
            let [plain_old, plain_new] = sides(Called::AsSchemas);
            let [odd_old, odd_new] = sides(Called::Otherwise);
            let plain = said_of_folders([&plain_old, &plain_new]);
            let odd = said_in_every_way(language, [&odd_old, &odd_new], &Files::new(), what);
            assert_eq!(odd, as_called_otherwise(language, plain), "{}, {what}", language.name);
            if let Some(code) = code {
                assert_eq!(odd.code, code, "{}, {what}: {odd:?}", language.name);
            }
            if what == "it goes" {
                assert_ne!(odd.code, 0, "{}, {what}: {odd:?}", language.name);
            }
            // Among many others, two steps show what one does.
            if code == Some(1) && (tries_everything() || *count == 2) {
                said_in_every_way(language, [&odd_old, &odd_new], &language.many(), what);
            }
            let at = format!("lib/part{}:{}", language.odd, language.line);
            if what == "it is edited" {
                assert!(odd.lines.iter().any(|line| line.contains(&at)), "{}: {odd:?}", language.name);
            }
        }
    }
}

#[test]
fn what_is_referred_to_is_judged_whatever_it_is_called() {
    if git_is_missing() {
        return;
    }
    std::thread::scope(|scope| {
        for language in some_of(LANGUAGES.iter().collect()) {
            scope.spawn(move || each_situation(language));
        }
    });
}

/// Beside a schema that refers to a file there is another one of that name, to which nobody refers.
#[test]
fn a_namesake_to_which_nobody_refers_stays_out() {
    if git_is_missing() {
        return;
    }
    for language in some_of(LANGUAGES.iter().collect()) {
        let with_namesake = |text: String| {
            let mut files = language.one_step(Called::Otherwise, Some(language.part.to_owned()));
            files.push((format!("elsewhere/part{}", language.odd), text));
            files
        };
        let [old, new] = [language.part.to_owned(), language.broken()].map(with_namesake);
        let answer = said_in_every_way(language, [&old, &new], &Files::new(), "a namesake is edited");
        assert_eq!(answer, Said { code: 0, lines: BTreeSet::new() }, "{}", language.name);
    }
}

fn language(name: &str) -> &'static Language {
    LANGUAGES.iter().find(|language| language.name == name).expect("a language of the table")
}

/// In a repository of many schemas the file that changed leads to one that did not, and this one to a file that is called
/// otherwise: nobody had asked it.
#[test]
fn what_an_unchanged_schema_refers_to_is_found() {
    if git_is_missing() {
        return;
    }
    let language = language("protobuf");
    let with = |ty: &str| {
        let mut files = language.one_step(Called::Otherwise, Some(language.part.to_owned()));
        let text = "syntax = \"proto3\";\nimport \"a.proto\";\nmessage C {\n  A a = 1;\n  int32 y = 2;\n}\n";
        files.push(("c.proto".to_owned(), text.replace("int32", ty)));
        files
    };
    let answer = said_in_every_way(language, [&with("int32"), &with("string")], &language.many(), "another is edited");
    let expected = BTreeSet::from(["\"protobuf/wire-type-changed\" c.proto:5 c.proto:5".to_owned()]);
    assert_eq!(answer, Said { code: 1, lines: expected });
}

/// What is judged of such files: each configuration and each path, and of how many files on each side.
const SELECTED: [(&str, &[&str], u64); 8] = [
    ("", &[], 2),
    ("include: ['**/*.thrift']\n", &[], 2),
    ("include: ['a.thrift']\n", &[], 1),
    ("include: ['a.thrift', 'lib/*.inc']\n", &[], 2),
    ("exclude: ['lib/**']\n", &[], 1),
    ("exclude: ['lib/*.inc']\n", &[], 1),
    ("", &["lib"], 1),
    ("roots:\n  lib:\n    mode: full\n", &[], 2),
];

#[test]
fn such_a_file_is_selected_by_its_path_and_by_the_name_that_a_schema_would_have() {
    if git_is_missing() {
        return;
    }
    let language = language("thrift");
    for (configuration, paths, files) in SELECTED {
        let of_names = |called: Called| {
            let part = |text: String| language.one_step(called, Some(text));
            let [old, new] = [language.part.to_owned(), language.broken()].map(part);
            let place = Place::new();
            git(&place.path(""), &["init", "--quiet", "--initial-branch=main"]);
            place.write("wireproof.yaml", &configuration.replace(".inc", language.ending(called)));
            written(&place, "", [&Files::new(), &old]);
            commit(&place, "old");
            written(&place, "", [&old, &new]);
            let options = [&["check", "--against", "git:HEAD"], paths].concat();
            let ran = run(&place.path(""), &[&options[..], &["--format", "json"]].concat());
            (said(&place, &options), report(&ran)["stats"].clone())
        };
        let (odd, stats) = of_names(Called::Otherwise);
        let (plain, plain_stats) = of_names(Called::AsSchemas);
        assert_eq!(odd, as_called_otherwise(language, plain), "{configuration} {paths:?}");
        assert_eq!(stats, plain_stats, "{configuration} {paths:?}");
        let counted = ["files_old", "files_new"].map(|side| stats[side].as_u64());
        assert_eq!(counted, [Some(files); 2], "{configuration} {paths:?}");
    }
}

/// What is behind a link belongs to a side as well.
#[test]
fn what_is_behind_a_link_is_judged() {
    if git_is_missing() || is_windows("links") {
        return;
    }
    #[cfg(unix)]
    for language in some_of(LANGUAGES.iter().collect()) {
        let odd = language.odd;
        let place = repository();
        let [old, new] = [language.part.to_owned(), language.broken()];
        written(&place, "", [&Files::new(), &language.one_step(Called::Otherwise, None)]);
        place.write(format!("real/text{odd}"), &old).write("lib/others/nothing", "");
        let link = place.path(&format!("lib/part{odd}"));
        std::os::unix::fs::symlink(format!("../real/text{odd}"), link).expect("a link");
        commit(&place, "old");
        place.write(format!("real/text{odd}"), &new);
        let of_work_tree = said(&place, &["check", "--against", "git:HEAD"]);
        commit(&place, "new");
        let of_commits = said(&place, &["compare", "git:HEAD^", "git:HEAD"]);
        assert_eq!(of_work_tree, of_commits, "{}", language.name);
        assert_eq!(of_commits.code, 1, "{}: {of_commits:?}", language.name);
    }
}

/// Where what differs leads nowhere, the schemas are not read to know whether they refer to it.
#[test]
fn one_line_is_no_link_unless_it_leads_somewhere() {
    if git_is_missing() {
        return;
    }
    for (now, is_read) in [("1.1", false), ("1.1\n", false), ("../x/1.1", false), ("order.proto", true), ("..", true)] {
        let place = repository();
        place.write("shop/order.proto", "syntax = \"proto3\";\nmessage Order {}\n").write("VERSION.txt", "1.0");
        commit(&place, "old");
        place.write("VERSION.txt", now);
        commit(&place, "new");
        let top = place.path("");
        let blob = git(&top, &["rev-parse", "HEAD:shop/order.proto"]);
        std::fs::remove_file(top.join(".git/objects").join(&blob[..2]).join(&blob[2..])).expect("a loose object");
        // What is the same on disk would be read from there.
        std::fs::remove_file(top.join("shop/order.proto")).expect("our own file");
        let ran = run(&top, &["compare", "git:HEAD^", "git:HEAD"]);
        assert_eq!(ran.code != 0, is_read, "{now:?}: {}{}", ran.out, ran.err);
    }
}

/// So is what is behind a link to a folder, to a folder behind another link, and behind a link that leads elsewhere now.
#[test]
fn what_is_behind_a_linked_folder_is_judged() {
    if git_is_missing() || is_windows("links") {
        return;
    }
    #[cfg(unix)]
    for language in some_of(LANGUAGES.iter().collect()) {
        let part = format!("part{}", language.odd);
        for what in ["it is edited", "it is edited behind two links", "the link leads elsewhere"] {
            let place = repository();
            written(&place, "", [&Files::new(), &language.one_step(Called::Otherwise, None)]);
            let link = |to: &str, from: &str| {
                let _ = std::fs::remove_file(place.path(from));
                std::os::unix::fs::symlink(to, place.path(from)).expect("a link");
            };
            place.write(format!("real/inner/{part}"), language.part);
            place.write(format!("next/inner/{part}"), &language.broken());
            if what == "it is edited behind two links" {
                link("real", "by");
                link("by/inner", "lib");
            } else {
                link("real/inner", "lib");
            }
            commit(&place, "old");
            match what {
                "the link leads elsewhere" => link("next/inner", "lib"),
                _ => drop(place.write(format!("real/inner/{part}"), &language.broken())),
            }
            let of_work_tree = said(&place, &["check", "--against", "git:HEAD"]);
            commit(&place, "new");
            let of_commits = said(&place, &["compare", "git:HEAD^", "git:HEAD"]);
            assert_eq!(of_work_tree, of_commits, "{}, {what}", language.name);
            assert_eq!(of_commits.code, 1, "{}, {what}: {of_commits:?}", language.name);
        }
    }
}

/// What is too large to be read, and is not the same, is no pass.
#[test]
fn what_is_too_large_is_told() {
    if git_is_missing() {
        return;
    }
    let language = language("protobuf");
    let large = |text: &str| format!("{text}// {}\n", "x".repeat(4 << 20));
    let [old, same, new] = [language.part, language.part, &language.broken()].map(large);
    let place = repository();
    written(&place, "", [&Files::new(), &language.one_step(Called::Otherwise, Some(old))]);
    commit(&place, "old");
    place.write("lib/part.txt", &same).write("lib/README.md", "other");
    let unchanged = said(&place, &["check", "--against", "git:HEAD"]);
    assert_eq!(unchanged.code, 0, "{unchanged:?}");
    place.write("lib/part.txt", &new);
    let of_work_tree = said(&place, &["check", "--against", "git:HEAD"]);
    commit(&place, "new");
    let of_commits = said(&place, &["check", "--against", "git:HEAD^"]);
    for said in [of_work_tree, of_commits] {
        assert_ne!(said.code, 0, "{said:?}");
        assert!(said.lines.iter().any(|line| line.contains("lib/part.txt")), "{said:?}");
    }
}

/// A default may stand in a file that a schema of Cap'n Proto embeds: where that changed it is said, whatever else did.
#[test]
fn an_embedded_file_that_changes_is_said() {
    let schema =
        "@0xb0000000000000c1; struct R { a @0 :Text = embed \"data/t.txt\"; b @1 :Data = embed \"/logo.png\"; }\n";
    let said = |ran: &Ran| {
        let report = report(ran);
        assert_eq!(report["verdict"], "compatible", "{report:#}");
        let all = report["not_checked"].as_array().expect("a list").clone();
        all.iter().map(|one| one["what"].as_str().expect("a text").to_owned()).collect::<Vec<_>>()
    };
    let place = Place::new();
    for side in ["old", "new"] {
        place.write(format!("{side}/proto/r.capnp"), schema).write(format!("{side}/proto/data/t.txt"), "x");
        place.write(format!("{side}/logo.png"), "one").write(format!("{side}/other.txt"), side);
    }
    let compared = || said(&run(&place.path(""), &["compare", "old", "new", "--format", "json"]));
    assert_eq!(compared(), Vec::<String>::new());
    place.write("new/proto/data/t.txt", "y").write("new/logo.png", "two");
    let told = compared();
    assert!(told.len() == 2 && told[0].contains("`logo.png`") && told[1].contains("`proto/data/t.txt`"), "{told:?}");
    if git_is_missing() {
        return;
    }
    let repo = Place::new();
    git(&repo.path(""), &["init", "--quiet", "--initial-branch=main"]);
    repo.write("proto/r.capnp", schema).write("proto/data/t.txt", "x").write("logo.png", "one");
    commit(&repo, "old");
    let checked = || said(&run(&repo.path(""), &["check", "--against", "git:main", "--format", "json"]));
    assert_eq!(checked(), Vec::<String>::new());
    repo.write("logo.png", "two");
    let told = checked();
    assert!(told.len() == 1 && told[0].contains("`logo.png`"), "{told:?}");
}
