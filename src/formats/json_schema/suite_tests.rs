//! The official test suite of JSON Schema: what is read, brought into one form and written as one document of 2020-12 takes
//! and refuses what the suite says of the schema in its own dialect.
//!
//! `WIREPROOF_JSON_SCHEMA_SUITE` names the folder of the suite; `.ci/tools` installs it. The tests that the suite calls
//! optional are left out.

use std::path::Path;

use serde_json::{Value as Json, json};

use super::JsonSchema;
use super::emit::{Emitter, Form, Gaps};
use super::reader::Reader;
use crate::change::{Pair, Side};
use crate::formats::check::CheckOptions;
use crate::formats::frame::with_schema;
use crate::ordered::{OrderedMap, OrderedSet};
use crate::snapshot::Snapshot;

/// The folders of the suite, with the dialect of each.
const DRAFTS: [(&str, &str); 5] = [
    ("draft4", "http://json-schema.org/draft-04/schema#"),
    ("draft6", "http://json-schema.org/draft-06/schema#"),
    ("draft7", "http://json-schema.org/draft-07/schema#"),
    ("draft2019-09", "https://json-schema.org/draft/2019-09/schema"),
    ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
];

/// What the suite asks for and is not done: drafts, file, start of the description, and why.
const EXCEPTIONS: [(&[&str], &str, &str, &str); 4] = [
    (
        &["draft2019-09", "draft2020-12"],
        "refRemote",
        "remote HTTP ref with different $id",
        "nothing is fetched, so a file that gives itself another address is not found at the one it was fetched from",
    ),
    (&["draft2019-09", "draft2020-12"], "refRemote", "remote HTTP ref with different URN $id", "the same"),
    (
        &["draft2019-09", "draft2020-12"],
        "vocabulary",
        "schema that uses custom metaschema",
        "a dialect of one's own is not known, and said not to be",
    ),
    (&["draft2019-09", "draft2020-12"], "vocabulary", "ignore unrecognized optional vocabulary", "the same"),
];

/// Where the files of `remotes` are to be found.
const REMOTES: &str = "http://localhost:1234/";

#[test]
fn the_suite_is_answered_as_it_says() {
    let untested = "how schemas of all drafts are read, beside the official test suite";
    let Some(folder) = std::env::var_os("WIREPROOF_JSON_SCHEMA_SUITE") else {
        return skip("json-schema-test-suite", untested);
    };
    let folder = Path::new(&folder);
    let (mut asked, mut wrong, mut used) = (0, Vec::new(), OrderedSet::new());
    for (draft, dialect) in DRAFTS {
        let remotes = remotes(folder, draft, dialect);
        for (file, groups) in files(&folder.join("tests").join(draft)) {
            for group in groups.as_array().expect("a file of the suite is a list") {
                let name = group["description"].as_str().expect("it has one");
                let known = EXCEPTIONS.iter().position(|(drafts, of, start, _)| {
                    drafts.contains(&draft) && *of == file && name.starts_with(start)
                });
                asked += group["tests"].as_array().map_or(0, Vec::len);
                let told = told(group, dialect, &remotes);
                match (known, told.is_empty()) {
                    (Some(known), false) => drop(used.insert(known)),
                    (None, false) => wrong.push(format!("{draft}/{file}: {name}: {}", told.join("; "))),
                    (_, true) => {}
                }
            }
        }
    }
    let needless: Vec<_> =
        EXCEPTIONS.iter().enumerate().filter(|(index, _)| !used.contains(index)).map(|(_, one)| one).collect();
    eprintln!("{asked} tests of the suite, {} wrong", wrong.len());
    assert!(asked > 4_500, "the suite is not in {}: {asked}", folder.display());
    assert!(wrong.is_empty(), "{} groups:\n{}", wrong.len(), wrong.join("\n"));
    assert!(needless.is_empty(), "these are answered as the suite says: {needless:?}");
}

/// What of the tests that the suite calls optional is answered otherwise: file, start of the description, and why.
const OPTIONAL_EXCEPTIONS: [(&str, &str, &str); 0] = [];

/// The formats that are asserted, patterns, and numbers that are too large for some.
#[test]
fn formats_and_patterns_are_as_the_suite_says() {
    let Some(folder) = std::env::var_os("WIREPROOF_JSON_SCHEMA_SUITE") else {
        return skip("json-schema-test-suite", "formats and patterns, beside the official test suite");
    };
    let optional = Path::new(&folder).join("tests/draft2020-12/optional");
    let formats = files(&optional.join("format")).into_iter();
    let formats = formats.filter(|(name, _)| name == "ecmascript-regex" || super::formats::texts(name).is_some());
    let others = files(&optional)
        .into_iter()
        .filter(|(name, _)| ["bignum", "ecmascript-regex", "float-overflow", "non-bmp-regex"].contains(&name.as_str()));
    let (mut asked, mut wrong) = (0, Vec::new());
    for (file, groups) in formats.chain(others) {
        for group in groups.as_array().expect("a file of the suite is a list") {
            let reader = Reader::new(&group["schema"]);
            for test in group["tests"].as_array().into_iter().flatten() {
                asked += 1;
                let takes = reader.as_ref().map(|reader| reader.takes(&test["data"]));
                let name = format!("{}: {}", group["description"], test["description"]);
                let is_known = OPTIONAL_EXCEPTIONS.iter().any(|(of, start, _)| *of == file && name.contains(start));
                if takes != test["valid"].as_bool() && !is_known {
                    wrong.push(format!("{file}: {name}: {takes:?}"));
                }
            }
        }
    }
    assert!(asked > 400, "the suite is not in {}: {asked}", optional.display());
    assert!(wrong.is_empty(), "{} tests:\n{}", wrong.len(), wrong.join("\n"));
}

/// Says that a test does not run here, as the other tests do.
fn skip(needs: &str, untested: &str) {
    use std::io::Write as _;
    eprintln!("SKIPPED: {needs}: {untested}");
    let Some(path) = std::env::var_os("WIREPROOF_SKIPS") else { return };
    let line = format!("{needs}\tthe_suite_is_answered_as_it_says\t{untested}\n");
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("WIREPROOF_SKIPS names a file");
}

/// The JSON files of a folder, by their names without ending.
fn files(folder: &Path) -> OrderedMap<String, Json> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let read = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let text = std::fs::read_to_string(entry.path()).ok()?;
        Some((name.strip_suffix(".json")?.to_owned(), serde_json::from_str(&text).expect("the suite is JSON")))
    });
    read.collect()
}

/// The files of a draft that schemas refer to over the network, each with the address that it is to be found at.
fn remotes(folder: &Path, draft: &str, dialect: &str) -> OrderedMap<String, Json> {
    let root = folder.join("remotes");
    let (mut found, mut open) = (OrderedMap::new(), vec![String::new()]);
    while let Some(inside) = open.pop() {
        let here = root.join(&inside);
        for (name, mut schema) in files(&here) {
            let path = format!("{inside}{name}.json");
            let id = if draft == "draft4" { "id" } else { "$id" };
            if let Json::Object(members) = &mut schema {
                members.entry("$schema").or_insert_with(|| json!(dialect));
                members.entry(id).or_insert_with(|| json!(format!("{REMOTES}{path}")));
            }
            found.insert(path, schema);
        }
        let folders = std::fs::read_dir(&here).into_iter().flatten().filter_map(Result::ok);
        let names = folders.filter(|one| one.path().is_dir()).filter_map(|one| one.file_name().into_string().ok());
        open.extend(
            names.filter(|name| name == draft || !name.starts_with("draft")).map(|name| format!("{inside}{name}/")),
        );
    }
    found
}

/// What is answered otherwise than the suite says.
fn told(group: &Json, dialect: &str, remotes: &OrderedMap<String, Json>) -> Vec<String> {
    let mut schema = group["schema"].clone();
    if let Json::Object(members) = &mut schema {
        members.entry("$schema").or_insert_with(|| json!(dialect));
    }
    let mut files = vec![("a.schema.json".to_owned(), schema.to_string().into_bytes())];
    if schema.to_string().contains("://") {
        files.extend(remotes.iter().map(|(path, schema)| (path.clone(), schema.to_string().into_bytes())));
    }
    let side = Snapshot::from_files(files);
    with_schema::<JsonSchema, _>(&side, &CheckOptions::default(), |schema, problems| {
        let Some(root) = schema.files.iter().find(|file| &*file.path == "a.schema.json").and_then(|file| file.root)
        else {
            return vec![format!("it is not read: {problems:?}")];
        };
        let emitter = Emitter::new(Pair::new(schema, schema), Side::Old, Form::Plain, &[]).with(Gaps::TakeAll);
        let Some(reader) = Reader::new(&emitter.document(root, true)) else {
            return vec!["no reader can be built".to_owned()];
        };
        let tests = group["tests"].as_array().into_iter().flatten();
        let wrong = tests.filter(|test| reader.takes(&test["data"]) != (test["valid"] == true));
        wrong.map(|test| test["description"].as_str().unwrap_or_default().to_owned()).collect()
    })
}
