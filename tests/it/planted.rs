//! A long history in which numbers, ids, slots and names are freed, taken again, renamed, moved and brought back: every reuse
//! is found, with the commit that freed what it takes, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::process::Command;

use crate::git::{Place, clean, git, git_is_missing, run};
use crate::support::as_many;

/// Commits where everything is tried, and in a plain run.
const COMMITS: [usize; 2] = [2_000, 300];

/// So many of each kind are planted in each language.
const OF_EACH: usize = 15;

/// Files whose edits free nothing.
const OTHERS: usize = 20;

/// A field: what identifies it where numbers do, its name, and whether it is a text or a number.
type Field<'f> = (usize, &'f str, bool);

/// A language: how files end, and how a record of some fields is written in it.
struct Language {
    ending: &'static str,
    text: fn(&str, &[Field<'_>]) -> String,
    /// What is called so again in data that know fields by their names.
    taken: Field<'static>,
}

const LANGUAGES: [Language; 4] = [
    Language { ending: "proto", text: protobuf, taken: (2, "weight", false) },
    Language { ending: "thrift", text: thrift, taken: (2, "weight", false) },
    Language { ending: "fbs", text: flatbuffers, taken: (2, "weight", false) },
    Language { ending: "avsc", text: avro, taken: (2, "note", false) },
];

fn protobuf(name: &str, fields: &[Field<'_>]) -> String {
    let field = |(number, name, is_text): &Field<'_>| {
        format!("  {} {name} = {number};\n", if *is_text { "string" } else { "int32" })
    };
    let fields: String = fields.iter().map(field).collect();
    format!("syntax = \"proto3\";\npackage {name};\nmessage Order {{\n{fields}}}\n")
}

fn thrift(name: &str, fields: &[Field<'_>]) -> String {
    let field = |(id, name, is_text): &Field<'_>| {
        format!("  {id}: optional {} {name}\n", if *is_text { "string" } else { "i32" })
    };
    let fields: String = fields.iter().map(field).collect();
    format!("namespace java {name}\nstruct Order_{name} {{\n{fields}}}\n")
}

fn flatbuffers(name: &str, fields: &[Field<'_>]) -> String {
    let field = |(_, name, is_text): &Field<'_>| format!("  {name}:{};\n", if *is_text { "string" } else { "int" });
    let fields: String = fields.iter().map(field).collect();
    format!("namespace {name};\ntable Order {{\n{fields}}}\nroot_type Order;\n")
}

fn avro(name: &str, fields: &[Field<'_>]) -> String {
    let field = |(_, name, is_text): &Field<'_>| match is_text {
        true => format!("    {{\"name\": \"{name}\", \"type\": \"string\", \"default\": \"\"}}"),
        false => format!("    {{\"name\": \"{name}\", \"type\": \"int\", \"default\": 0}}"),
    };
    let fields: Vec<String> = fields.iter().map(field).collect();
    let fields = fields.join(",\n");
    format!("{{\"type\": \"record\", \"name\": \"Order\", \"namespace\": \"{name}\", \"fields\": [\n{fields}\n]}}\n")
}

/// What happens to the second field of a file, long ago and now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Planted {
    /// It went, and something else takes what identified it.
    Reused,
    /// It went, and comes back.
    BroughtBack,
    /// It got another name, and a third field comes.
    Renamed,
    /// The file moved, and a third field comes.
    Moved,
}

const ID: Field<'_> = (1, "id", false);
const NOTE: Field<'_> = (2, "note", true);
const REMARK: Field<'_> = (2, "remark", true);
const MORE: Field<'_> = (3, "more", false);

/// A file in which something is planted.
struct Plant {
    language: &'static Language,
    planted: Planted,
    name: String,
    /// The commit in which it happens.
    at: usize,
}

impl Plant {
    fn path(&self) -> String {
        format!("{}.{}", self.name, self.language.ending)
    }

    fn moved(&self) -> String {
        format!("elsewhere/{}", self.path())
    }

    fn text(&self, fields: &[Field<'_>]) -> String {
        (self.language.text)(&self.name, fields)
    }

    /// What the commit writes; nothing for a file that goes.
    fn then(&self) -> Vec<(String, Option<String>)> {
        match self.planted {
            Planted::Reused | Planted::BroughtBack => vec![(self.path(), Some(self.text(&[ID])))],
            Planted::Renamed => vec![(self.path(), Some(self.text(&[ID, REMARK])))],
            Planted::Moved => vec![(self.path(), None), (self.moved(), Some(self.text(&[ID, NOTE])))],
        }
    }

    /// What is under review.
    fn now(&self) -> (String, Option<String>) {
        match self.planted {
            Planted::Reused => (self.path(), Some(self.text(&[ID, self.language.taken]))),
            Planted::BroughtBack => (self.path(), Some(self.text(&[ID, NOTE]))),
            Planted::Renamed => (self.path(), Some(self.text(&[ID, REMARK, MORE]))),
            Planted::Moved => (self.moved(), Some(self.text(&[ID, NOTE, MORE]))),
        }
    }
}

/// Numbers that look like dice.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// All that is planted, each in a commit of its own.
fn plants(dice: &mut Dice, commits: usize) -> Vec<Plant> {
    let mut free: Vec<usize> = (1..commits).collect();
    let mut plants = Vec::new();
    for language in &LANGUAGES {
        for planted in [Planted::Reused, Planted::BroughtBack, Planted::Renamed, Planted::Moved] {
            for number in 0..OF_EACH {
                let name = format!("{}_{number}_{}", format!("{planted:?}").to_lowercase(), language.ending);
                plants.push(Plant { language, planted, name, at: free.swap_remove(dice.below(free.len())) });
            }
        }
    }
    plants
}

fn other(number: usize, fields: usize) -> (String, Option<String>) {
    let language = &LANGUAGES[number % LANGUAGES.len()];
    let names: Vec<String> = (0..=fields).map(|at| format!("field{at}")).collect();
    let fields: Vec<Field<'_>> = names.iter().enumerate().map(|(at, name)| (at + 1, name.as_str(), false)).collect();
    let name = format!("other{number}");
    (format!("{name}.{}", language.ending), Some((language.text)(&name, &fields)))
}

/// The commits as `git fast-import` reads them: `main` with all that happened, and `next` with what is under review.
fn told(plants: &[Plant], commits: usize) -> String {
    let mut told = String::new();
    let mut commit = |branch: &str, at: usize, subject: &str, files: &[(String, Option<String>)]| {
        let time = 1_500_000_000 + at * 3_600;
        told.push_str(&format!("commit refs/heads/{branch}\nmark :{}\n", at + 1));
        told.push_str(&format!("committer author <author@example.org> {time} +0000\n"));
        told.push_str(&format!("data {}\n{subject}\n", subject.len()));
        if at > 0 {
            told.push_str(&format!("from :{at}\n"));
        }
        for (path, text) in files {
            match text {
                Some(text) => told.push_str(&format!("M 100644 inline {path}\ndata {}\n{text}\n", text.len())),
                None => told.push_str(&format!("D {path}\n")),
            }
        }
    };
    let first = plants.iter().map(|plant| (plant.path(), Some(plant.text(&[ID, NOTE]))));
    let settings = ("wireproof.yaml".to_owned(), Some("history:\n  depth: 1\n".to_owned()));
    let first: Vec<_> = first.chain((0..OTHERS).map(|number| other(number, 0))).chain([settings]).collect();
    commit("main", 0, "all of it", &first);
    for at in 1..commits {
        match plants.iter().find(|plant| plant.at == at) {
            Some(plant) => commit("main", at, &format!("what happens to {}", plant.name), &plant.then()),
            None => commit("main", at, "one more field", &[other(at % OTHERS, at / OTHERS + 1)]),
        }
    }
    let now: Vec<_> = plants.iter().map(Plant::now).collect();
    commit("next", commits, "under review", &now);
    told
}

#[test]
fn in_a_long_history_every_reuse_is_found_and_nothing_else() {
    if git_is_missing() {
        return;
    }
    let seed = std::env::var("PLANTED_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let commits = as_many(COMMITS);
    let plants = plants(&mut Dice(seed), commits);
    let place = Place::new();
    let top = place.path("");
    git(&top, &["init", "-q", "-b", "main", "."]);
    let stream = Place::new();
    stream.write("commits", &told(&plants, commits));
    let mut import = Command::new("git");
    clean(&mut import);
    let commits = File::open(stream.path("commits")).expect("they were written");
    let import = import.current_dir(&top).args(["fast-import", "--quiet"]).stdin(commits).status().expect("git runs");
    assert!(import.success());
    git(&top, &["reset", "--quiet", "--hard", "main"]);
    let listed = git(&top, &["log", "--format=%h %cs %s", "--abbrev=7", "main"]);
    let by_subject: BTreeMap<&str, (&str, &str)> = listed
        .lines()
        .filter_map(|line| {
            let (id, rest) = line.split_once(' ')?;
            let (day, subject) = rest.split_once(' ')?;
            Some((subject, (id, day)))
        })
        .collect();

    let arguments = ["check", "--against", "git:main", "--head", "git:next", "--history", "--mode", "none"];
    let ran = run(&top, &[&arguments[..], &["--format", "json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("no report: {}", ran.err));
    let findings = report["findings"].as_array().expect("findings");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let (reused, others): (Vec<_>, Vec<_>) =
        findings.iter().partition(|finding| finding["rule"] == "policy/number-reused");
    let breaking: Vec<_> = others.into_iter().filter(|finding| finding["breaking"] == true).collect();
    assert!(breaking.is_empty(), "{breaking:?}");
    let found: BTreeMap<String, String> =
        reused.into_iter().map(|finding| (text(&finding["new"]["file"]), text(&finding["message"]))).collect();
    let planted: Vec<&Plant> = plants.iter().filter(|plant| plant.planted == Planted::Reused).collect();
    let expected: BTreeSet<String> = planted.iter().map(|plant| plant.path()).collect();
    assert_eq!(found.keys().cloned().collect::<BTreeSet<_>>(), expected);
    for plant in planted {
        let subject = format!("what happens to {}", plant.name);
        let (id, day) = by_subject[&*subject];
        let cited = format!("until {id} ({day}, \"{subject}\")");
        let message = &found[&plant.path()];
        assert!(message.contains(&cited), "{message}\n{cited}");
    }
}
