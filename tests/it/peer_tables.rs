//! The tables of what models of other checkers say (`src/formats/*/*_tests.jsonl`, which the unit tests hold), put to the
//! checkers themselves where these are installed: `thrift --audit`, `flatc --conform`, and Java's checker of the Avro
//! registries.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value as Json, json};

use crate::avro_peer::{MODELLED, releases, start};
use crate::bounded;
use crate::support::{root, skip};

fn table(name: &str) -> Vec<Json> {
    let text = std::fs::read_to_string(root().join("src/formats").join(name)).expect("the table is there");
    let lines: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    assert!(lines.len() > 30, "{name} has {} lines", lines.len());
    lines
}

/// Writes a text to the file, or each of several to the file of its name.
fn write(side: &Json, file: &Path) {
    let folder = file.parent().expect("it has one");
    std::fs::create_dir_all(folder).expect("the folder can be written");
    match (side.as_object(), side.as_str()) {
        (Some(files), _) => files.iter().for_each(|(name, text)| write(text, &folder.join(name))),
        (None, text) => std::fs::write(file, text.expect("it is a text")).expect("the folder can be written"),
    }
}

/// Asks the tool, where it is installed, whether it lets pass exactly the lines of which nothing is said.
fn hold(tool: &str, table_name: &str, file: &str, refuses: impl Fn(&[PathBuf; 2]) -> Result<bool, String>) {
    if !Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success()) {
        return skip(tool, "whether it says of the lines of a table what the table says");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut broken = Vec::new();
    for (number, line) in (1..).zip(table(table_name)).filter(|(_, line)| line["unasked"].is_null()) {
        let files = ["old", "new"].map(|side| {
            let file = folder.path().join(number.to_string()).join(side).join(file);
            write(&line[side], &file);
            file
        });
        let is_refused = line["said"].as_array().expect("it is a list").iter().any(Json::is_array);
        let told = refuses(&files);
        if told != Ok(is_refused) {
            broken.push(format!("line {number}: {told:?}, not {}", line["said"]));
        }
    }
    assert!(broken.is_empty(), "{} of {table_name}:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn flatc_refuses_what_the_table_says() {
    hold("flatc", "flatbuffers/conform_tests.jsonl", "t.fbs", |[old, new]| {
        let output = bounded::run(Command::new("flatc").arg("--conform").arg(old).arg(new)).expect("it ends");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        match (output.status.success(), said.contains("schemas don't conform")) {
            (true, false) => Ok(false),
            (false, true) => Ok(true),
            _ => Err(said),
        }
    });
}

#[test]
fn thrift_audit_fails_where_the_table_says() {
    hold("thrift", "thrift/audit_tests.jsonl", "t.thrift", |[old, new]| {
        let output = bounded::run(Command::new("thrift").arg("--audit").arg(old).arg(new)).expect("it ends");
        match output.status.code() {
            Some(0) => Ok(false),
            Some(2) => Ok(true),
            _ => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    });
}

/// What it says: the type, the message and the pointer of each incompatibility. How it spells a field and a record that it
/// gives up with is its own affair.
fn printed<'j>(said: impl IntoIterator<Item = &'j Json>) -> BTreeSet<String> {
    let line = |one: &Json| match one[0].as_str() {
        Some(EXCEPTION) => EXCEPTION.to_owned(),
        _ => json!([one[0], one[1], one[2]]).to_string(),
    };
    said.into_iter().map(line).collect()
}

const EXCEPTION: &str = "AvroRuntimeException";

#[test]
fn java_says_of_avro_schemas_what_the_table_says() {
    let releases = releases();
    let Some((_, jars)) = releases.first().filter(|(release, _)| release == MODELLED) else {
        return skip("Avro for Java (Maven)", "whether its checker says of the lines of a table what the table says");
    };
    let mut java = start(jars).expect("Java runs where its libraries are installed");
    let mut broken = Vec::new();
    let lines = (1..).zip(table("avro/registry_tests.jsonl"));
    for (number, line) in lines.filter(|(_, line)| line["unasked"].is_null()) {
        let question = json!({ "old": line["old"], "new": line["new"], "seed": 0, "values": 0, "readings": [] });
        let answer: Json = serde_json::from_str(&java.ask(&question.to_string())).expect("Java writes JSON");
        for direction in ["backward", "forward"] {
            let of_java = match answer[direction]["throws"].is_string() {
                true => BTreeSet::from([EXCEPTION.to_owned()]),
                false => printed(answer[direction]["said"].as_array().into_iter().flatten()),
            };
            let ours = printed(line["said"][direction][0].as_array().into_iter().flatten());
            if answer[direction].is_null() || ours != of_java {
                broken.push(format!("line {number}, {direction}: {answer}, not {ours:?}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}:\n{}", broken.len(), broken.join("\n"));
}
