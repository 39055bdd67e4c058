//! How instances of JSON Schemas are used: what writers write, whether formats are asserted, and in which encodings they
//! travel.

use std::process::Command;

use serde_json::{Map, Value, json};

use crate::git::{Place, commit, git_is_missing, report, repository, run};
use crate::support::dice::Dice;
use crate::support::peer::Peer;
use crate::support::{root, skip};

/// Values that are written in every encoding.
const VALUES: usize = 400;

const OLD: &str = r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#;
const MORE: &str = r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}"#;
const DATED: &str = r#"{"type": "object", "properties": {"a": {"type": "string", "format": "date"}}}"#;

fn place(old: &str, new: &str, configuration: &str) -> Place {
    let place = Place::new();
    place.write("old/topics/a.schema.json", old).write("new/topics/a.schema.json", new);
    place.write("wireproof.yaml", configuration);
    place
}

fn code(old: &str, new: &str, configuration: &str, options: &[&str]) -> i32 {
    let place = place(old, new, configuration);
    let ran = run(&place.path(""), &[&["compare", "old", "new"], options].concat());
    assert!(ran.code < 2, "{}{}", ran.out, ran.err);
    ran.code
}

#[test]
fn options_and_the_configuration_say_how_instances_are_used() {
    let of_folder = |text: &str| format!("roots:\n  topics:\n    {text}\n");
    for (new, option, key, other) in [
        (MORE, &["--writers", "any"][..], "writers: any", "writers: declared"),
        (DATED, &["--assert-formats"][..], "assert-formats: true", "assert-formats: false"),
    ] {
        assert_eq!(code(OLD, new, "", &[]), 0, "{key}");
        assert_eq!(code(OLD, new, "", option), 1, "{key}");
        assert_eq!(code(OLD, new, &format!("{key}\n"), &[]), 1, "{key}");
        assert_eq!(code(OLD, new, &of_folder(key), &[]), 1, "{key}");
        assert_eq!(code(OLD, new, &of_folder(key).replace("topics", "other"), &[]), 0, "{key}");
        assert_eq!(code(OLD, new, &format!("{key}\n{}", of_folder(other)), &[]), 0, "{key}");
        assert_eq!(code(OLD, new, &of_folder(other), option), 1, "options win: {key}");
    }
}

/// Forward, what writers of the new schema write of members that it does not name.
#[test]
fn writers_that_write_anything_are_asked_of_in_both_directions() {
    for (old, new, mode, expected) in [
        (MORE, OLD, "forward", 1),
        (MORE, OLD, "backward", 0),
        (
            OLD,
            r#"{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}"#,
            "backward",
            1,
        ),
        (OLD, r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {}}}"#, "full", 0),
    ] {
        assert_eq!(code(old, new, "", &["--writers", "any", "--mode", mode]), expected, "{mode}: {old} to {new}");
    }
}

#[test]
fn a_change_that_says_less_of_instances_passes_no_break() {
    if git_is_missing() {
        return;
    }
    let cases = [
        (MORE, "writers: any\n", "writers: declared\n", "writers"),
        (DATED, "assert-formats: true\n", "", "assert-formats"),
        (MORE, "roots: {topics: {writers: any}}\n", "", "roots.topics.writers"),
        (MORE, "writers: any\n", "writers: any\nroots: {topics: {writers: declared}}\n", "roots.topics.writers"),
    ];
    for (new, before, after, key) in cases {
        let place = repository();
        place.write("topics/a.schema.json", OLD).write("wireproof.yaml", before);
        commit(&place, "base");
        place.write("topics/a.schema.json", new).write("wireproof.yaml", after);
        let ran = run(&place.path(""), &["check", "--against", "git:HEAD", "--format", "json"]);
        assert_eq!(ran.code, 1, "{key}: {}{}", ran.out, ran.err);
        let report = report(&ran);
        let findings = report["findings"].as_array().expect("a list").iter();
        let of_policy: Vec<&str> = findings
            .filter(|finding| finding["rule"] == "policy/configuration-loosened")
            .filter_map(|finding| finding["path"].as_str())
            .collect();
        assert!(of_policy.contains(&key), "{key}: {of_policy:?}");
        assert!(of_policy.len() > 1, "the break itself is told as well: {of_policy:?}");
    }
}

#[test]
fn a_validator_of_mongodb_is_judged_with_the_types_of_bson() {
    let validator = |inner: &str| format!(r#"{{"collMod": "c", "validator": {{"$jsonSchema": {inner}}}}}"#);
    let of = |types: &str| format!(r#"{{"bsonType": "object", "properties": {{"a": {{"bsonType": {types}}}}}}}"#);
    let closed = |names: &str| format!(r#"{{"properties": {{{names}}}, "additionalProperties": false}}"#);
    for (old, new, code, shown) in [
        (of(r#""int""#), of(r#"["int", "long"]"#), 0, ""),
        (of(r#"["int", "long"]"#), of(r#""int""#), 1, "$numberLong"),
        (of(r#"["int", "long", "double", "decimal"]"#), of(r#""number""#), 0, ""),
        (of(r#""number""#), of(r#"["int", "long", "double"]"#), 1, "$numberDecimal"),
        (of(r#""date""#), of(r#"["date", "timestamp"]"#), 0, ""),
        (of(r#""date""#), of(r#""string""#), 1, "$date"),
        (of(r#""bool""#), of(r#"["bool", "null"]"#), 0, ""),
        (closed(r#""a": {}, "_id": {}"#), closed(r#""a": {}"#), 1, "_id"),
        (closed(r#""a": {}, "_id": {}"#), closed(r#""a": {}, "_id": {}, "b": {}"#), 0, ""),
        (
            r#"{"properties": {"a": {"enum": [1, 2]}}}"#.into(),
            r#"{"properties": {"a": {"enum": [1, 2, 3]}}}"#.into(),
            0,
            "",
        ),
    ] {
        let place = place(&validator(&old), &validator(&new), "");
        let ran = run(&place.path(""), &["compare", "old", "new"]);
        assert_eq!(ran.code, code, "{old} {new} {}{}", ran.out, ran.err);
        assert!(ran.out.contains(shown) && !ran.out.contains("$bson"), "{old} {new} {}", ran.out);
    }
}

#[test]
fn what_mongodb_refuses_is_refused() {
    for (schema, word) in [
        (r#"{"$jsonSchema": {"type": "integer"}}"#, "no type `integer`"),
        (r#"{"$jsonSchema": {"bsonType": "int32"}}"#, "`int32` is no name"),
        (r#"{"$jsonSchema": {"type": "string", "bsonType": "string"}}"#, "stands beside `type`"),
        (r#"{"$jsonSchema": {"items": {"format": "date"}}}"#, "`format` is no keyword"),
        (r#"{"$jsonSchema": {"enum": [{"$oid": "65f0c0ffee0123456789abcd"}]}}"#, "cannot be compared yet"),
        (r#"{"$jsonSchema": 5}"#, "no valid schema"),
    ] {
        let place = place(r#"{"$jsonSchema": {}}"#, schema, "");
        let ran = run(&place.path(""), &["compare", "old", "new"]);
        assert_eq!(ran.code, 3, "{schema} {}{}", ran.out, ran.err);
        assert!(ran.out.contains(word), "{schema} {}", ran.out);
    }
    let (old, new) = (r#"{"type": "object"}"#, r#"{"$jsonSchema": {"bsonType": "object", "required": ["a"]}}"#);
    let ran = run(&place(old, new, "").path(""), &["compare", "old", "new"]);
    assert_eq!(ran.code, 3, "what is no validator on one side is compared with nothing: {}", ran.out);
}

/// What is told of encodings, by the names of their rules and a word of the message.
#[test]
fn what_an_encoding_cannot_hold_is_told_where_it_is_let_in() {
    let integer = |maximum: &str| {
        format!(r#"{{"type": "object", "properties": {{"v": {{"type": "integer", "minimum": 0{maximum}}}}}}}"#)
    };
    let small = integer(r#", "maximum": 9"#);
    let of = |schema: &str| format!(r#"{{"type": "object", "properties": {{"v": {schema}}}}}"#);
    for (old, new, told) in [
        (small.clone(), integer(r#", "maximum": 9007199254740992"#), vec!["JSON"]),
        (small.clone(), integer(r#", "maximum": 9223372036854775807"#), vec!["JSON"]),
        (small.clone(), integer(r#", "maximum": 9223372036854775808"#), vec!["JSON", "BSON"]),
        (small.clone(), integer(r#", "maximum": 36893488147419103232"#), vec!["JSON", "BSON", "MessagePack", "CBOR"]),
        (small.clone(), integer(""), vec!["JSON", "BSON", "MessagePack", "CBOR"]),
        (integer(""), integer(r#", "maximum": 9007199254740991"#), vec![]),
        (small.clone(), small.clone(), vec![]),
        (of("{}"), of(r#"{"type": "string", "maxLength": 20000000}"#), vec!["16 MiB"]),
        (of(r#"{"type": "integer"}"#), of(r#"{"type": "number"}"#), vec!["1 and 1.0"]),
        (of(r#"{"type": "string"}"#), of(r#"{"type": "string", "contentEncoding": "base64"}"#), vec!["bytes"]),
        (of(r#"{"type": "string"}"#), of(r#"{"type": "string", "format": "date-time"}"#), vec!["dates"]),
        (of("{}"), of(r#"{"properties": {"$set": {}}}"#), vec!["MongoDB"]),
        (
            OLD.to_owned(),
            OLD.replace("{\"a\"", "{\"deep\": {\"items\": {\"properties\": {\"x.y\": {}}}}, \"a\""),
            vec!["MongoDB"],
        ),
        (OLD.to_owned(), "{}".to_owned(), vec!["top level"]),
    ] {
        let place = place(&old, &new, "encodings: [json, messagepack, cbor, bson]\n");
        let ran = run(&place.path(""), &["compare", "old", "new", "--format", "json"]);
        let report = report(&ran);
        let messages: Vec<&str> = report["findings"]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|finding| finding["family"] == "encoding-affected")
            .filter_map(|finding| finding["message"].as_str())
            .collect();
        assert_eq!(messages.is_empty(), told.is_empty(), "{old} to {new}: {messages:?}");
        // No other encoding is named beside those that cannot hold it.
        let named = ["JSON", "MessagePack", "CBOR", "BSON"]
            .into_iter()
            .filter(|name| messages.iter().any(|one| one.contains(name)));
        if told.contains(&"JSON") {
            assert_eq!(named.count(), told.len(), "{old} to {new}: {messages:?}");
        }
        for word in &told {
            assert!(messages.iter().any(|message| message.contains(word)), "{old} to {new}: {word} in {messages:?}");
        }
    }
}

/// A value of every kind.
fn value(dice: &mut Dice, depth: usize) -> Value {
    let kinds = if depth > 3 { 5 } else { 7 };
    match dice.below(kinds) {
        0 => Value::Null,
        1 => json!(dice.below(2) == 0),
        2 => {
            let edge: i128 = 1 << [5, 7, 8, 15, 16, 31, 32, 53, 63, 64][dice.below(10)];
            let near = edge + dice.below(3) as i128 - 1;
            let number = if dice.below(2) == 0 { near } else { -near };
            i64::try_from(number)
                .map(Value::from)
                .or_else(|_| u64::try_from(number).map(Value::from))
                .unwrap_or(json!(0))
        }
        3 => {
            let powers = [-40.0, -24.0, -14.0, -3.0, -1.0, 3.0, 16.0, 120.0, 200.0];
            json!((1.0 + dice.below(3) as f64 / 4.0) * f64::powf(2.0, powers[dice.below(powers.len())]) + 0.5)
        }
        4 => json!("aé😀".repeat([0, 1, 3, 8, 40, 9_000][dice.below(6)])),
        5 => {
            let length = [0, 1, 3, 15, 16, 40][dice.below(if depth == 0 { 6 } else { 3 })];
            (0..length).map(|_| value(dice, depth + 1)).collect()
        }
        _ => {
            let length = [0, 1, 3, 15, 16, 40][dice.below(if depth == 0 { 6 } else { 3 })];
            Value::Object((0..length).map(|at| (format!("m{at}"), value(dice, depth + 1))).collect::<Map<_, _>>())
        }
    }
}

#[test]
fn other_programs_read_what_is_said_to_be_the_bytes() {
    let program = std::env::var("WIREPROOF_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let is_here = Command::new(&program).args(["-c", "import msgpack, cbor2, bson"]).output();
    if !is_here.is_ok_and(|out| out.status.success()) {
        return skip(
            "msgpack, cbor2 and pymongo (PyPI)",
            "JSON data in MessagePack, CBOR and BSON beside other programs",
        );
    }
    let script = root().join("tests/runtimes/json_schema/encodings.py");
    let mut peer = Peer::start(Command::new(program).arg(script)).expect("it starts");
    let mut dice = Dice(1);
    let (mut shown, mut refused) = (0, 0);
    for at in 0..VALUES {
        let inner = value(&mut dice, 0);
        let whole = if at % 2 == 0 { json!({ "v": inner }) } else { inner };
        let Some(encoded) = encoded(&whole) else { continue };
        shown += 1;
        refused += usize::from(encoded["BSON"].is_null());
        let mut question = encoded;
        question.insert("value".to_owned(), whole);
        assert_eq!(peer.ask(&Value::Object(question.clone()).to_string()), "", "{}", Value::Object(question));
    }
    assert!(shown > VALUES / 4 && refused > 10, "{shown} shown, {refused} refused by BSON");
}

/// A value in every encoding, as a report shows it; `None` where it is too long for that.
fn encoded(value: &Value) -> Option<Map<String, Value>> {
    use wireproof::change::Pair;
    use wireproof::formats::{CheckOptions, Encoding, Format, Usage, Usages};
    let sides = Pair::new(json!({ "enum": [value] }).to_string(), "false".to_owned());
    let sides = sides.map(|text| wireproof::source::Snapshot::from_files([("a.schema.json", text.into_bytes())]));
    let usual = Usage { encodings: Encoding::ALL.to_vec(), ..Usage::default() };
    let options = CheckOptions { usages: Usages { usual, folders: Vec::new() }, ..CheckOptions::default() };
    let checked = wireproof::formats::check_pair(Format::JsonSchema, sides.as_ref(), &options);
    let witness = &checked.observed.observations.first().expect("no value is taken any more").witness;
    assert_eq!(&*witness.wrote, value, "the one value that is allowed");
    let one = |encoded: &wireproof::evidence::Encoded| {
        let hex = |bytes: &Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        (encoded.encoding.to_owned(), encoded.written.as_ref().map_or(Value::Null, |bytes| json!(hex(bytes))))
    };
    Some(witness.encoded.iter().map(one).collect())
}

#[test]
fn a_property_that_comes_says_who_wrote_it_before() {
    use wireproof::change::Pair;
    use wireproof::formats::Format;
    use wireproof::source::Snapshot;
    use wireproof::verdict::Policy;
    let (other, came) = (r#""a": {"type": "string"}"#, r#""x:b": {"type": "string"}"#);
    let base = r#"{"patternProperties": {"^x:.*$": {}}}"#;
    for (old, new, others, why) in [
        (
            format!(r#"{{"allOf": [{{"$ref": "base.schema.json"}}, {{"properties": {{{other}}}}}]}}"#),
            format!(r#"{{"allOf": [{{"$ref": "base.schema.json"}}, {{"properties": {{{other}, {came}}}}}]}}"#),
            vec![("base", base)],
            "where the pattern `^x:.*$` at `base.schema.json#` allows it another one",
        ),
        (
            format!(r#"{{"properties": {{{other}}}, "required": ["x:b"]}}"#),
            format!(r#"{{"properties": {{{other}, {came}}}, "required": ["x:b"]}}"#),
            vec![],
            "since `required` at `a.schema.json#` names it",
        ),
        (
            r#"{"type": "object"}"#.to_owned(),
            format!(r#"{{"type": "object", "properties": {{{came}}}}}"#),
            vec![],
            "since their schema names no member of this object",
        ),
        (
            format!(r#"{{"properties": {{{other}}}, "additionalProperties": {{"type": "number"}}}}"#),
            format!(r#"{{"properties": {{{other}, {came}}}, "additionalProperties": {{"type": "number"}}}}"#),
            vec![],
            "since `additionalProperties` at `a.schema.json#` allows members of any name",
        ),
        (
            format!(r#"{{"properties": {{{other}}}}}"#),
            format!(r#"{{"properties": {{{other}, {came}}}}}"#),
            vec![],
            "only where no schema that applies names a member, or with `--writers any`",
        ),
    ] {
        let side = |text: &str| {
            let own = std::iter::once(("a", text)).chain(others.iter().copied());
            Snapshot::from_files(own.map(|(name, text)| (format!("{name}.schema.json"), text.as_bytes())))
        };
        let (old, new) = (side(&old), side(&new));
        let report = crate::support::report(Format::JsonSchema, Pair::new(&old, &new), &Policy::default());
        let finding = report.findings.iter().find(|finding| finding.rule == "json-schema/property-added");
        let said = finding.map(|finding| finding.why.replace('\n', " ")).unwrap_or_default();
        assert!(said.contains(&format!("Old writers write such a value {why}.")), "{said}");
    }
}
