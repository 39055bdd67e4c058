//! The verdict beside what readers of Apache's Thrift runtime experience, over random pairs of programs.
//!
//! `tests/data/thrift/peer.py` writes and reads with the runtime for Python, in both protocols, as generated code does.
//! Where the compiler is installed, it is asked whether it takes a program, and its `--audit` whether a change passes. What
//! is tried and how it is shown is said in [`crate::peers`]. Where the runtime is missing, the test says so and passes.

mod data;
mod make;
mod schema;
mod seen;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value as Json, json};

use crate::bounded;
use crate::peers::{Dice, Id, Language, Loaded, MESSAGES, Model, Peer, SIDES, is_unconfirmed, roles, run};
use crate::support::{root, skip};
pub use schema::Schema;
use seen::Names;
use wireproof::change::Pair;
use wireproof::evidence::{Direction, Outcome};
use wireproof::formats::Format;
use wireproof::report::Evidence;

#[test]
fn no_verdict_passes_what_hurts_readers_of_the_real_runtime() {
    let python = std::env::var("WIREPROOF_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let known = Command::new(&python).args(["-c", "import thrift.protocol.TCompactProtocol"]).output();
    if !known.is_ok_and(|output| output.status.success()) {
        return skip("thrift", "verdicts beside what readers of Apache's Thrift runtime experience");
    }
    let compiler = Command::new("thrift").arg("--version").output().is_ok_and(|output| output.status.success());
    if !compiler {
        skip("thrift-compiler", "random Thrift programs beside the compiler and its audit");
    }
    run(&Thrift { python, has_compiler: compiler });
}

struct Thrift {
    python: String,
    has_compiler: bool,
}

impl Model for Schema {
    fn make(dice: &mut Dice) -> Self {
        make::schema(dice)
    }

    fn mutate(&self, dice: &mut Dice) -> Self {
        make::mutate(self, dice)
    }

    fn print(&self) -> BTreeMap<String, String> {
        self.files()
    }

    fn elements(&self) -> Vec<Id> {
        Schema::elements(self)
    }

    fn without(&self, element: Id) -> Self {
        Schema::without(self, element)
    }
}

impl Language for Thrift {
    type Schema = Schema;
    const FORMAT: Format = Format::Thrift;
    const PROFILE: &'static str = "thrift";

    fn start(&self) -> Peer {
        let mut command = Command::new(&self.python);
        command.arg(root().join("tests/data/thrift/peer.py"));
        Peer::start(command)
    }

    fn load(&self, peer: &mut Peer, sides: Pair<&Schema>) -> Loaded {
        for (side, schema) in [("old", sides.old), ("new", sides.new)] {
            peer.ask(&json!({ "side": side, "spec": schema.spec() }).to_string());
        }
        if !self.has_compiler {
            return Loaded::Taken(None);
        }
        let folder = tempfile::tempdir().expect("a folder for a moment");
        let [old, new] = [("old", sides.old), ("new", sides.new)].map(|(side, schema)| {
            let inside = folder.path().join(side);
            std::fs::create_dir(&inside).expect("the folder is new");
            for (path, text) in schema.files() {
                std::fs::write(inside.join(path), text).expect("the folder can be written");
            }
            inside
        });
        audit(&old, &new)
    }

    fn worst_seen(
        &self,
        peer: &mut Peer,
        sides: Pair<&Schema>,
        direction: Direction,
        dice: &mut Dice,
    ) -> Option<(Outcome, String)> {
        let (sides, labels) = (roles(direction, sides), roles(direction, SIDES));
        let told = sides.map(|side| (side.names(), side.spec()));
        let readers = sides.new.wholes();
        let mut worst: Option<(Outcome, String)> = None;
        for whole in sides.old.wholes() {
            if !readers.iter().any(|other| other.name == whole.name) {
                continue;
            }
            for _ in 0..MESSAGES {
                let value = data::whole(sides.old, &whole, dice);
                let asked = json!({
                    "writer": labels.old, "as": whole.name, "reader": labels.new, "by": whole.name, "value": value,
                });
                for answer in answers(peer, &asked) {
                    let Some(outcome) = experienced(&told, &answer) else { continue };
                    if worst.as_ref().is_none_or(|(so_far, _)| outcome > *so_far) {
                        worst = Some((outcome, format!("{direction} {} {value}\n{answer}", whole.name)));
                    }
                }
            }
        }
        worst
    }

    fn replay(&self, peer: &mut Peer, sides: Pair<&Schema>, witness: &Evidence) -> Option<String> {
        let direction = Direction::from_name(witness.direction.as_str())?;
        let (sides, labels) = (roles(direction, sides), roles(direction, SIDES));
        let mut told = sides.map(|side| (side.names(), side.spec()));
        let mut types = Pair::new(witness.writer.clone(), witness.reader.clone());
        if !witness.wrapper.is_empty() {
            for (label, (_, spec), name) in
                [(labels.old, &mut told.old, &mut types.old), (labels.new, &mut told.new, &mut types.new)]
            {
                let ty = match witness.wrapper.contains("set<TYPE>") {
                    true => json!(["set", ["struct", name]]),
                    false => json!(["enum", name]),
                };
                let field = json!({ "id": 1, "name": "value", "type": ty, "required": false, "default": null });
                spec["Wrapper"] = json!({ "sort": "struct", "fields": [field] });
                "Wrapper".clone_into(name);
                peer.ask(&json!({ "side": label, "spec": spec }).to_string());
            }
        }
        let protocol = if witness.type_name.ends_with("(compact protocol)") { "compact" } else { "binary" };
        let asked = json!({
            "writer": labels.old, "as": types.old, "reader": labels.new, "by": types.new, "protocol": protocol,
            "bytes": witness.bytes,
        });
        let answer = answers(peer, &asked).pop()?;
        match experienced(&told, &answer) {
            None => Some(format!("the writer itself rejects it: {answer}")),
            Some(seen) => is_unconfirmed(witness, seen).then(|| format!("the runtime: {seen}, {answer}")),
        }
    }
}

fn answers(peer: &mut Peer, asked: &Json) -> Vec<Json> {
    serde_json::from_str(&peer.ask(&asked.to_string())).expect("the peer writes JSON")
}

/// What a reader experienced; nothing where the writer rejects its own bytes.
fn experienced(told: &Pair<(Json, Json)>, answer: &Json) -> Option<Outcome> {
    let names = Names { enums: Pair::new(&told.old.0, &told.new.0), structs: Pair::new(&told.old.1, &told.new.1) };
    match (answer["wrote"].get("rejected"), answer["read"].get("rejected")) {
        (Some(_), _) => None,
        (None, Some(_)) => Some(Outcome::Fails),
        (None, None) => Some(seen::structs(&names, &answer["wrote"], &answer["read"])),
    }
}

/// What the compiler says of both sides: 0 and 2 are verdicts of its audit, all else is a program that it refuses.
fn audit(old: &Path, new: &Path) -> Loaded {
    let file = |folder: &Path| -> PathBuf { folder.join("a.thrift") };
    for folder in [old, new] {
        let mut compile = Command::new("thrift");
        if let Err(reason) = compiled(compile.args(["--gen", "json", "-r", "-o"]).arg(folder).arg(file(folder)), &[0]) {
            return Loaded::Refused(reason);
        }
    }
    let mut command = Command::new("thrift");
    // Each word has one folder behind it.
    command.arg("-Iold").arg(old).arg("-Inew").arg(new);
    match compiled(command.arg("--audit").arg(file(old)).arg(file(new)), &[0, 2]) {
        Ok(code) => Loaded::Taken(Some(code == 0)),
        Err(reason) => Loaded::Refused(reason),
    }
}

/// The code that the compiler ends with, if it is one of these; else what it says.
fn compiled(command: &mut Command, codes: &[i32]) -> Result<i32, String> {
    let Some(output) = bounded::run(command) else { return Err(format!("{command:?} did not come to an end")) };
    let code = output.status.code().filter(|code| codes.contains(code));
    code.ok_or_else(|| format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)))
}
