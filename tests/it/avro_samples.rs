//! Data that Java's reader has read, read again by the reader that decides and by the one that models Java's.
//!
//! The samples are not part of the repository. A folder of them is named by an environment variable; each line of its
//! `*.jsonl` files is a JSON object with the files of the writer (`old`) and of the reader (`new`), one `s.avsc` each, and
//! `samples`: the bytes (`hex`), and either `ok` with Java's text of what it read (`reader_json`) or an `error`.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use wireproof::change::Pair;
use wireproof::formats::avro::{Dialect, Linked, Parsed};
use wireproof::formats::{CheckOptions, Format, check_pair};
use wireproof::source::Snapshot;

use crate::support::skip;

/// Names the folder with the samples.
const FOLDER: &str = "WIREPROOF_AVRO_SAMPLES";

/// The shape of a reader's schema, and what is wrong with it.
type Defect = (fn(&Json) -> bool, &'static str);

/// What Java 1.12.1 refuses although its own rules say otherwise, by the shape of the reader's schema, and why.
const DEFECTS_OF_JAVA: &[Defect] = &[(
    has_empty_list_for_a_union,
    "1.12.1 looks for the items of an empty list in the union that it is the default of, says that the union is not an \
     array, and fails whatever the data; 1.12.2 reads the default",
)];

/// Whether there is a field whose default is an empty list and whose type is a union that starts with an array.
fn has_empty_list_for_a_union(schema: &Json) -> bool {
    match schema {
        Json::Object(members) => {
            let is_empty = members.get("default").and_then(Json::as_array).is_some_and(Vec::is_empty);
            let starts_with_array = schema["type"][0]["type"] == "array";
            is_empty && starts_with_array || members.values().any(has_empty_list_for_a_union)
        }
        Json::Array(parts) => parts.iter().any(has_empty_list_for_a_union),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}

#[test]
fn samples_of_java_are_read_as_java_reads_them() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        skip("recorded samples of Java", &format!("readers of Avro beside Java's; {FOLDER} names no folder"));
        return;
    };
    let mut told = Told::default();
    for line in lines(Path::new(&folder)) {
        let case: Json = serde_json::from_str(&line).expect("every line is a JSON object");
        told.case(&case);
    }
    eprintln!(
        "{} samples of {} pairs: {} refused by the specification's reader only, {} that Java gets wrong",
        told.samples, told.pairs, told.refused_by_specification, told.defects
    );
    assert!(told.samples > 0, "there is no sample in {}", Path::new(&folder).display());
    assert!(told.wrong.is_empty(), "{} of {}:\n{}", told.wrong.len(), told.samples, told.wrong.join("\n"));
}

fn lines(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("the folder of samples can be listed");
    let mut paths: Vec<_> = files.map(|file| file.expect("it can be listed").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    paths.sort();
    let texts = paths.iter().map(|path| fs::read_to_string(path).expect("samples are text"));
    let lines = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    lines.filter(|line| line.contains("\"s.avsc\"")).collect()
}

#[test]
fn recorded_schemas_that_are_equal_differ_in_nothing() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        skip("recorded samples of Java", &format!("equal schemas that others wrote; {FOLDER} names no folder"));
        return;
    };
    let mut texts: Vec<String> = Vec::new();
    for line in lines(Path::new(&folder)) {
        let case: Json = serde_json::from_str(&line).expect("every line is a JSON object");
        texts.extend(["old", "new"].iter().filter_map(|side| case[side]["s.avsc"].as_str().map(str::to_owned)));
    }
    texts.sort();
    texts.dedup();
    let alone = texts.iter().map(|text| vec![("s.avsc".to_owned(), text.clone())]);
    // Many of them define the same names.
    let together = texts.chunks(7).map(|texts| {
        let path = |at: usize| format!("v{}/{}.avsc", at % 3, at / 3);
        texts.iter().enumerate().map(|(at, text)| (path(at), text.clone())).collect::<Vec<_>>()
    });
    let mut folders = 0;
    for files in alone.chain(together) {
        let side = Snapshot::from_files(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())));
        let checked = check_pair(Format::Avro, Pair::new(&side, &side), &CheckOptions::default());
        assert!(checked.changes.is_empty(), "{files:#?}: {:?}", checked.changes);
        assert!(checked.observed.observations.is_empty(), "{files:#?}");
        folders += 1;
    }
    eprintln!("{folders} folders of {} schemas are equal to themselves", texts.len());
}

#[derive(Default)]
struct Told {
    pairs: usize,
    samples: usize,
    refused_by_specification: usize,
    defects: usize,
    wrong: Vec<String>,
}

impl Told {
    fn case(&mut self, case: &Json) {
        let side = |side: &str| {
            let text = case[side]["s.avsc"].as_str().expect("each side is one schema");
            Snapshot::from_files([("s.avsc", text.as_bytes())])
        };
        let Some(samples) = case["samples"].as_array() else { return };
        let snapshots = Pair::new(side("old"), side("new"));
        let options = CheckOptions::default();
        let reader =
            case["new"]["s.avsc"].as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let parsed = Parsed::new(snapshots.as_ref(), &options);
        let linked = parsed.link();
        self.pairs += 1;
        for sample in samples {
            self.samples += 1;
            if let Err(wrong) = self.sample(&linked, &reader, sample) {
                self.wrong.push(format!("{} {}: {wrong}", case["id"], sample["hex"]));
            }
        }
    }

    fn sample(&mut self, linked: &Linked<'_>, reader: &Json, sample: &Json) -> Result<(), String> {
        let bytes = unhex(sample["hex"].as_str().expect("the bytes of a sample are written in hexadecimal"));
        let java = linked.replay(&bytes, Dialect::Java)?;
        let specified = linked.replay(&bytes, Dialect::Specification)?;
        let Some(text) = sample["reader_json"].as_str() else {
            let error = sample["error"].as_str().unwrap_or_default();
            if java.is_ok() && DEFECTS_OF_JAVA.iter().any(|(has_shape, _)| has_shape(reader)) {
                self.defects += 1;
                return Ok(());
            }
            let read = |read: &Json| format!("read as {read}, where Java fails: {error}");
            return java.as_ref().map_or(Ok(()), |value| Err(read(value)));
        };
        let expected = number_words_quoted(text);
        let expected: Json = serde_json::from_str(&expected).map_err(|error| format!("{text} is not JSON: {error}"))?;
        let agrees = |value: &Json| is_same(value, &expected);
        match java {
            Ok(value) if agrees(&value) => {}
            Ok(value) => return Err(format!("read as {value}, and {text} by Java")),
            Err(reason) => return Err(format!("refused ({reason}), and read as {text} by Java")),
        }
        match specified {
            Ok(value) if agrees(&value) => {}
            Ok(value) => return Err(format!("read by the specification as {value}, and {text} by Java")),
            Err(_) => self.refused_by_specification += 1,
        }
        Ok(())
    }
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks_exact(2);
    digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).expect("digits are ASCII"), 16).expect("two digits"))
        .collect()
}

/// Java writes what JSON has no number for as a bare word at times.
fn number_words_quoted(text: &str) -> String {
    match text {
        "NaN" | "Infinity" | "-Infinity" => format!("\"{text}\""),
        _ => text.to_owned(),
    }
}

/// Whether two values are the same: integers exactly, real numbers as the bits that were read. A number of single
/// precision has more than one text, and Java's is not always the shortest.
fn is_same(ours: &Json, java: &Json) -> bool {
    match (ours, java) {
        (Json::Number(ours), Json::Number(java)) => {
            if ours.is_i64() || java.is_i64() {
                return ours == java;
            }
            let (Some(ours), Some(java)) = (ours.as_f64(), java.as_f64()) else { return false };
            let is_single = f64::from(ours as f32) == ours;
            ours.to_bits() == java.to_bits() || is_single && (ours as f32).to_bits() == (java as f32).to_bits()
        }
        (Json::Array(ours), Json::Array(java)) => {
            ours.len() == java.len() && ours.iter().zip(java).all(|(ours, java)| is_same(ours, java))
        }
        (Json::Object(ours), Json::Object(java)) => {
            ours.len() == java.len()
                && ours.iter().all(|(key, ours)| java.get(key).is_some_and(|java| is_same(ours, java)))
        }
        _ => ours == java,
    }
}

#[test]
fn values_are_compared_by_their_bits_and_not_by_their_text() {
    let json = |text: &str| serde_json::from_str::<Json>(text).expect("the test writes JSON");
    let single = Json::from(f64::from(-1_170_105_035_f32));
    assert!(is_same(&single, &json("-1.17010509E9")));
    assert!(is_same(&single, &json("-1.1701051E9")));
    assert!(!is_same(&single, &json("-1.17010522E9")));
    assert!(!is_same(&Json::from(0.1), &json("0.10000000149011612")));
    assert!(!is_same(&json("1"), &json("1.0")));
    assert!(is_same(&json("{\"a\":[1],\"b\":\"x\"}"), &json("{\"b\":\"x\",\"a\":[1]}")));
    assert!(!is_same(&json("{\"a\":[1]}"), &json("{\"a\":[1],\"b\":null}")));
    assert_eq!(unhex("00ff7f"), [0, 255, 127]);
    assert_eq!(number_words_quoted("-Infinity"), "\"-Infinity\"");
    assert!(has_empty_list_for_a_union(&json(
        "{\"fields\":[{\"type\":[{\"type\":\"array\",\"items\":\"int\"}],\"default\":[]}]}"
    )));
    assert!(!has_empty_list_for_a_union(&json(
        "{\"fields\":[{\"type\":{\"type\":\"array\",\"items\":\"int\"},\"default\":[]}]}"
    )));
}
