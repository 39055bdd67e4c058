//! The verdict beside what readers of the reference implementation experience, over random pairs of schemas.
//!
//! `tests/data/capnp/peer.cpp` compiles with the program `capnp`, and writes, reads and compares with its C++ library. What
//! is tried and how it is shown is said in [`crate::peers`]. Where program or library are missing, the test says so and
//! passes.

mod calls;
mod make;
mod mutate;
mod print;
mod schema;
mod seen;
mod texts;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value as Json;

use crate::peers::{Dice, Id, Language, Loaded, MESSAGES, Model, Peer, SIDES, is_unconfirmed, roles, run};
use crate::support::{root, skip};
use seen::Place;
use wireproof::change::Pair;
use wireproof::evidence::{Direction, Outcome};
use wireproof::formats::Format;
use wireproof::report::Evidence;

pub use schema::Schema;

#[test]
fn no_verdict_passes_what_hurts_readers_of_the_reference_implementation() {
    let Some(program) = program() else {
        return skip("libcapnp-dev", "verdicts beside what readers of Cap'n Proto's own implementation experience");
    };
    run(&Capnp { program });
}

struct Capnp {
    program: &'static PathBuf,
}

/// The compiled peer, if it can be had.
pub fn program() -> Option<&'static PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(compile).as_ref()
}

fn compile() -> Option<PathBuf> {
    let has =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    let probe = || {
        let mut command = Command::new("g++");
        command.args(["-std=c++17", "-fsyntax-only", "-include", "capnp/dynamic.h", "-x", "c++", "/dev/null"]);
        command.output().is_ok_and(|output| output.status.success())
    };
    if !has("capnp") || !has("g++") || !probe() {
        return None;
    }
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("capnp-peer");
    let mut command = Command::new("g++");
    command.args(["-std=c++17", "-O1", "-o"]).arg(&out).arg(root().join("tests/data/capnp/peer.cpp"));
    let output = command.args(["-lcapnp", "-lkj"]).output().ok()?;
    assert!(output.status.success(), "the peer does not compile:\n{}", String::from_utf8_lossy(&output.stderr));
    Some(out)
}

impl Model for Schema {
    fn make(dice: &mut Dice) -> Self {
        make::schema(dice)
    }

    fn mutate(&self, dice: &mut Dice) -> Self {
        mutate::mutate(self, dice)
    }

    fn print(&self) -> BTreeMap<String, String> {
        print::files(self)
    }

    fn elements(&self) -> Vec<Id> {
        Schema::elements(self)
    }

    fn without(&self, element: Id) -> Self {
        Schema::without(self, element)
    }

    fn edits(&self) -> &[&'static str] {
        &self.edits
    }
}

impl Language for Capnp {
    type Schema = Schema;
    const FORMAT: Format = Format::Capnp;
    const PROFILE: &'static str = "capnp";

    fn start(&self) -> Peer {
        Peer::start(Command::new(self.program))
    }

    fn load(&self, peer: &mut Peer, sides: Pair<&Schema>) -> Loaded {
        let folder = tempfile::tempdir().expect("a folder for a moment");
        for (side, schema) in [("old", sides.old), ("new", sides.new)] {
            let answer = give(peer, side, &folder.path().join(side), &schema.print());
            // Some unions that old files have make the compiler fail.
            let is_bug =
                |reason: &String| ["Uncaught exception", "compiler bug"].iter().any(|bug| reason.contains(bug));
            match answer {
                Some(reason) if is_bug(&reason) => return Loaded::Failed,
                Some(reason) => return Loaded::Refused(reason),
                None => {}
            }
        }
        Loaded::Taken(Some(ask(peer, &["loader"]) == "ok"))
    }

    fn worst_seen(
        &self,
        peer: &mut Peer,
        sides: Pair<&Schema>,
        direction: Direction,
        dice: &mut Dice,
    ) -> Option<(Outcome, String)> {
        let (sides, labels) = (roles(direction, sides), roles(direction, SIDES));
        let mut worst = calls::worst(peer, sides, labels, direction);
        let readers = sides.new.records();
        for writer in &sides.old.records() {
            let Some(reader) = readers.iter().find(|reader| reader.key == writer.key) else { continue };
            // Who was renamed and has no id of its own is met where it is used.
            if writer.name != reader.name && (writer.number != reader.number || writer.number == 0) {
                continue;
            }
            for _ in 0..MESSAGES {
                let seed = dice.below(1 << 48).to_string();
                let bytes = ask(peer, &["write", labels.old, &writer.name, &seed]);
                let readings = Pair::new(
                    read(peer, labels.old, &writer.name, &bytes),
                    read(peer, labels.new, &reader.name, &bytes),
                );
                let from = (writer.key.1 == 0).then_some(writer.key.0);
                let place = |schema| Place { schema, bound: None, from, given: None };
                let fields = Pair::new(writer.fields, reader.fields);
                let outcome = seen::records(sides.map(place), fields, readings.as_ref());
                if worst.as_ref().is_none_or(|(so_far, _)| outcome > *so_far) {
                    let told =
                        format!("{direction} {} {bytes}\nwrote {}\nread {}", writer.name, readings.old, readings.new);
                    worst = Some((outcome, told));
                }
            }
        }
        worst
    }

    fn replay(&self, peer: &mut Peer, sides: Pair<&Schema>, witness: &Evidence) -> Option<String> {
        let direction = Direction::from_name(witness.direction.as_str())?;
        // What is wrapped is an enum, which every struct that holds it shows as well.
        if !witness.wrapper.is_empty() {
            return None;
        }
        let (sides, labels) = (roles(direction, sides), roles(direction, SIDES));
        let names = Pair::new(&*witness.writer, &*witness.reader);
        let found = sides.zip(names, |side, name| side.records().into_iter().find(|one| one.ours == *name));
        let (Some(writer), Some(reader)) = (found.old, found.new) else { return Some("no such type".to_owned()) };
        let readings = Pair::new(
            read(peer, labels.old, &writer.name, &witness.bytes),
            read(peer, labels.new, &reader.name, &witness.bytes),
        );
        let told = Outcome::from_name(witness.outcome.as_str())?;
        let place = |schema, key: (Id, u8)| {
            let from = (key.1 == 0).then_some(key.0);
            Place { schema, bound: None, from, given: None }
        };
        let places = Pair::new(place(sides.old, writer.key), place(sides.new, reader.key));
        let seen = seen::records(places, Pair::new(writer.fields, reader.fields), readings.as_ref());
        // Fields that nobody can follow are compared by us and not here; then that the library reads both counts.
        let is_read = readings.new.get("!").is_none() && !readings.new.to_string().contains("{\"!\":");
        let seen = if is_read { told.max(seen).min(Outcome::Wrong) } else { Outcome::Fails };
        // What stands for a type that is taken the library knows, and may reject what we only see to be there.
        let shown = witness.read.to_string();
        let is_other =
            !is_read && ["(rejected", "<list", "<struct", "<capability>"].iter().any(|word| shown.contains(word));
        let is_wrong = (told == Outcome::Fails) == is_read || is_unconfirmed(witness, seen);
        (is_wrong && !is_other).then(|| format!("the library: {}\n{}", readings.old, readings.new))
    }
}

/// Gives a side to the peer; why it is refused, if it is.
pub fn give(peer: &mut Peer, side: &str, folder: &std::path::Path, files: &BTreeMap<String, String>) -> Option<String> {
    for (path, text) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(folder)).expect("the folder can be made");
        std::fs::write(path, text).expect("the folder can be written");
    }
    let folder = folder.to_string_lossy();
    let mut words = vec!["side", side, &folder];
    words.extend(files.keys().map(String::as_str));
    ask(peer, &words).strip_prefix("refused ").map(str::to_owned)
}

pub fn ask(peer: &mut Peer, words: &[&str]) -> String {
    peer.ask(&words.join("\t"))
}

fn read(peer: &mut Peer, label: &str, name: &str, bytes: &str) -> Json {
    let answer = ask(peer, &["read", label, name, bytes]);
    serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{name} {bytes}: {error}: {answer}"))
}
