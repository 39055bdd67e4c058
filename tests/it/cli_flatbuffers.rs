//! The program on FlatBuffers from outside: roots, includes, profiles, terms of folders, and what a report says.

use serde_json::Value as Json;

use crate::bad_input::compare;
use crate::git::{Place, Ran, commit, git_is_missing, repository, run};

fn pair(old: &str, new: &str) -> Place {
    let place = Place::new();
    place.write("old/a.fbs", old).write("new/a.fbs", new);
    place
}

fn json(ran: &Ran) -> Json {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err))
}

/// The errors: rule and path.
fn errors(ran: &Ran) -> Vec<String> {
    let report = json(ran);
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    let errors = findings.iter().filter(|finding| finding["severity"] == "error");
    let word = |finding: &Json, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    errors.map(|finding| format!("{} {}", word(finding, "rule"), word(finding, "path"))).collect()
}

fn compared(old: &str, new: &str, options: &[&str]) -> Ran {
    compare(&pair(old, new), &[&["--format", "json"], options].concat())
}

const MESSAGES: &str = "table Player { name: string; team: uint; }\ntable Tick { players: [Player]; }\nroot_type Tick;\n\
    table Info { n: int; }\nroot_type Info;\n";

#[test]
fn a_family_of_messages_in_one_file_is_judged_whole_unless_roots_are_named() {
    let new = MESSAGES.replace("name: string; team: uint;", "team: uint; name: string;");
    let ran = compared(MESSAGES, &new, &[]);
    assert_eq!((ran.code, errors(&ran).len()), (1, 2), "{}", ran.out);
    assert_eq!(compared(MESSAGES, &new, &["--root", "Tick"]).code, 1);
    assert_eq!(compared(MESSAGES, &new, &["--root", "Info"]).code, 0);
}

/// What else the file says, such as what it includes, is not asked for.
#[test]
fn a_root_that_is_asked_for_brings_along_what_its_file_says_of_its_data() {
    const TABLES: &str = "table R { f: int; }\ntable Q { g: string; }\n";
    let (of_root, of_identifier) = ("flatbuffers/root-type-changed a.fbs", "flatbuffers/file-identifier-changed a.fbs");
    let ends = "root_type R;\nfile_identifier \"ABCD\";\n";
    let cases = [
        (ends, "root_type Q;\nfile_identifier \"ABCD\";\n", "R", vec![of_root]),
        (ends, "root_type Q;\nfile_identifier \"ABCD\";\n", "Q", vec![of_root]),
        (ends, "root_type R;\nfile_identifier \"WXYZ\";\n", "R", vec![of_identifier]),
        // Another one above the last counts for nothing, and neither does what is asked for beside it.
        (ends, "root_type Q;\nroot_type R;\nfile_identifier \"ABCD\";\n", "R", vec![]),
        (ends, "root_type R;\nfile_identifier \"WXYZ\";\n", "Q", vec![]),
        (ends, "root_type R;\nfile_identifier \"ABCD\";\nfile_extension \"x\";\n", "R", vec![]),
    ];
    for (old, new, root, told) in cases {
        let ran = compared(&format!("{TABLES}{old}"), &format!("{TABLES}{new}"), &["--root", root]);
        assert_eq!(errors(&ran), told, "{new} {root}: {}", ran.out);
        assert_eq!(ran.code, i32::from(!told.is_empty()), "{new} {root}");
        let is_option = json(&ran)["findings"]
            .as_array()
            .is_some_and(|all| all.iter().any(|one| one["rule"] == "flatbuffers/file-extension-changed"));
        assert!(!is_option, "{}", ran.out);
    }
}

#[test]
fn what_a_change_of_a_place_does_to_readers_is_told_and_nothing_else() {
    let fields = |of: &str, fields: &str| format!("{of} table R {{ {fields} g: int; }} root_type R;");
    let cases = [
        // A number, and a struct of that number.
        ((fields("", "f: [int];"), fields("struct P { p: int; }", "f: [P];")), true),
        ((fields("", "f: int = null;"), fields("struct P { p: int; }", "f: P;")), true),
        (
            (
                fields("enum E: short { A, B }", "f: [E];"),
                fields("enum E: short { A, B } struct P { p: E; }", "f: [P];"),
            ),
            true,
        ),
        ((fields("", "f: [int];"), fields("struct P { p: float; }", "f: [P];")), false),
        ((fields("", "f: [int];"), fields("struct P { p: int; q: int; }", "f: [P];")), false),
        ((fields("", "f: int = null;"), fields("struct P (force_align: 8) { p: int; }", "f: P;")), false),
        ((fields("", "f: int;"), fields("struct P { p: int; }", "f: P;")), false),
        (
            (
                fields("enum E: short { A, B }", "f: [E];"),
                fields("enum E: short { B, A } struct P { p: E; }", "f: [P];"),
            ),
            false,
        ),
    ];
    assert_told(cases);
}

#[test]
fn what_a_change_of_a_type_does_to_readers_of_its_places_is_told_and_nothing_else() {
    const SAME: &str = "table A { x: int; a: A; }\ntable B { x: int; a: B; }\n";
    let fields = |of: &str, fields: &str| format!("{of} table R {{ {fields} g: int; }} root_type R;");
    let exchanged = |of: &str, ty: &str, text: &str| {
        let side = |ty: &str| format!("{of}{}", text.replace('?', ty));
        (side(if ty == "B" { "A" } else { "P" }), side(ty))
    };
    let both = |old: &str, new: &str, rest: &str| (fields(old, rest), fields(new, rest));
    let (one, two) = ("struct P { a: float; }", "struct P { a: int; }");
    let cases = [
        // A table of the same fields, which holds itself.
        (exchanged(SAME, "B", "union U { m: ? } table R { u: U; a: A; b: B; } root_type R;"), true),
        (exchanged(SAME, "B", "table R { u: [ubyte] (nested_flatbuffer: \"?\"); a: A; b: B; } root_type R;"), true),
        (exchanged(SAME, "B", "table R { u: ?; a: A; b: B; } root_type R;"), true),
        (
            exchanged(
                &SAME.replace("x: int; a: B", "x: float; a: B"),
                "B",
                "union U { m: ? } table R { u: U; a: A; b: B; } root_type R;",
            ),
            false,
        ),
        (exchanged(&SAME.replace("a: B;", "a: B; y: int;"), "B", "table R { u: ?; a: A; b: B; } root_type R;"), true),
        // What only fields hold that both sides have given up.
        (both(one, two, "f: P (deprecated);"), true),
        (both("table P { a: int; }", "table P { a: string; }", "f: P (deprecated);"), true),
        (both("enum E: byte { A, B }", "enum E: byte { B, A }", "f: E (deprecated);"), true),
        (both(one, two, "f: P (deprecated); h: [P];"), false),
        ((fields(one, "f: P (deprecated);"), fields(two, "f: P;")), false),
        // Verifiers do not look at the alignment of items.
        (
            exchanged(
                "struct P { a: long; b: long; } struct Q (force_align: 16) { a: long; b: long; }",
                "Q",
                "table R { v: [?]; } root_type R;",
            ),
            true,
        ),
        (
            exchanged(
                "struct P { a: long; b: long; } struct Q (force_align: 16) { a: long; b: long; }",
                "Q",
                "table R { v: ?; } root_type R;",
            ),
            false,
        ),
        // Some writers write what is the default as well.
        ((fields("enum E: ubyte { A }", "f: E; h: E;"), fields("enum E: ulong { A }", "f: E; h: E;")), false),
    ];
    assert_told(cases);
}

/// Two schemas, and whether the change from one to the other passes.
type Told = ((String, String), bool);

fn assert_told(cases: impl IntoIterator<Item = Told>) {
    for ((old, new), passes) in cases {
        let ran = compared(&old, &new, &[]);
        assert_eq!(ran.code, i32::from(!passes), "{old}\n{new}\n{}{}", ran.out, ran.err);
    }
}

/// Also in a file that moved, and with what both tables hold: nobody edited the fields of either.
#[test]
fn another_table_as_the_root_is_told_at_the_root_with_bytes() {
    let tables = "table Item { sku: string; }\ntable Order { id: string; total: double; items: [Item]; }\n\
        table Batch { orders: [Order]; closed: bool; }\n";
    for (old, new) in [("a.fbs", "a.fbs"), ("archive/a.fbs", "orders/a.fbs")] {
        let place = Place::new();
        place.write(format!("old/{old}"), &format!("{tables}root_type Order;\n"));
        place.write(format!("new/{new}"), &format!("{tables}root_type Batch;\n"));
        let ran = compare(&place, &["--format", "json"]);
        assert_eq!(errors(&ran), [format!("flatbuffers/root-type-changed {new}")], "{}", ran.out);
        let report = json(&ran);
        let findings = report["findings"].as_array().expect("findings");
        let of_root = findings.iter().find(|finding| finding["rule"] == "flatbuffers/root-type-changed");
        let of_root = of_root.expect("a finding at the root");
        let evidence = of_root["evidence"].as_array().expect("evidence");
        for direction in ["backward", "forward"] {
            let is_shown = |one: &Json| one["direction"] == direction && one["status"] == "agrees";
            assert!(evidence.iter().any(is_shown), "{direction}: {}", ran.out);
        }
        assert!(of_root["why"].as_str().is_some_and(|why| why.contains("reuses slot 1")), "{}", ran.out);
    }
}

#[test]
fn a_mode_says_in_which_direction_a_slot_must_be_understood() {
    let (old, new) =
        ("table T { a: int; }\nroot_type T;\n", "table T { a: int; b: string (required); }\nroot_type T;\n");
    for (mode, code) in [("none", 0), ("forward", 0), ("backward", 1), ("full", 1)] {
        assert_eq!(compared(old, new, &["--mode", mode]).code, code, "{mode}");
    }
}

#[test]
fn the_profile_judges_as_flatc_does_and_says_what_it_lets_through() {
    let (old, new) = ("table T { a: string; }\nroot_type T;\n", "table T { a: string (required); }\nroot_type T;\n");
    assert_eq!(compared(old, new, &[]).code, 1);
    let ran = compared(old, new, &["--profile", "flatc"]);
    assert_eq!((ran.code, errors(&ran)), (0, Vec::new()), "{}", ran.out);
    let (old, new) = ("table T { a: float = 1000.0; }\n", "table T { a: float = 1e3; }\n");
    assert_eq!(compared(old, new, &[]).code, 0);
    assert_eq!(compared(old, new, &["--profile", "flatc"]).code, 1);
}

#[test]
fn includes_are_found_beside_the_file_above_it_and_where_options_say() {
    let place = Place::new();
    for (side, ty) in [("old", "int"), ("new", "long")] {
        place.write(format!("{side}/lib/p.fbs"), &format!("struct P {{ a: {ty}; }}\n"));
        place.write(format!("{side}/app/a.fbs"), "include \"p.fbs\";\ntable T { p: P; }\nroot_type T;\n");
    }
    let ran = compare(&place, &["--format", "json", "-I", "lib"]);
    assert_eq!((ran.code, errors(&ran)), (1, vec!["flatbuffers/struct-layout-changed P".to_owned()]), "{}", ran.out);
}

#[test]
fn schemas_that_no_buffer_is_written_with_are_judged_by_their_code_alone() {
    if git_is_missing() {
        return;
    }
    let place = repository();
    place.write("wireproof.yaml", "roots:\n  definitions:\n    surfaces: [source]\n");
    place.write("definitions/a.fbs", "table T { a: int; b: int; }\nroot_type T;\n");
    commit(&place, "first");
    place.write("definitions/a.fbs", "table T { b: int; a: int; }\nroot_type T;\n");
    commit(&place, "second");
    let compared =
        |options: &[&str]| run(&place.path(""), &[&["compare", "git:HEAD~1", "git:HEAD"], options].concat()).code;
    assert_eq!((compared(&[]), compared(&["--no-config"])), (0, 1));
}

#[test]
fn a_witness_names_who_wrote_who_read_and_what_it_is_wrapped_in() {
    let ran = compared(
        "struct P { a: int; b: int; }\ntable T { p: P; }\nroot_type T;\n",
        "struct P { b: int; a: int; }\ntable T { p: P; }\nroot_type T;\n",
        &[],
    );
    let report = json(&ran);
    let evidence = &report["findings"][0]["evidence"][0];
    assert_eq!((&evidence["writer"], &evidence["reader"]), (&"P".into(), &"P".into()), "{evidence}");
    let wrapper = evidence["wrapper"].as_str().unwrap_or_default();
    assert!(wrapper.contains("value: TYPE (id: 2)") && wrapper.contains("root_type Wrapper"), "{wrapper}");
}

#[test]
fn a_table_in_the_place_of_another_is_told_at_the_field() {
    let types = "table A { x: int; }\ntable B { y: string; }\n";
    let ran = compared(
        &format!("{types}table S {{ f: A; a: A; b: B; }}\nroot_type S;\n"),
        &format!("{types}table S {{ f: B; a: A; b: B; }}\nroot_type S;\n"),
        &[],
    );
    assert_eq!((ran.code, errors(&ran)), (1, vec!["flatbuffers/type-replaced S.f".to_owned()]), "{}", ran.out);
}

#[test]
fn no_message_says_that_a_thing_became_what_it_was() {
    for (old, new) in [
        ("struct C { x: int; }\ntable T { c: [C]; }\n", "table C { x: int; }\ntable T { c: [C]; }\n"),
        ("enum C : byte { A }\ntable T { c: C; }\n", "enum C : int { A }\ntable T { c: C; }\n"),
        ("enum C : byte { A }\ntable T { c: C; }\n", "struct C { x: int; }\ntable T { c: C; }\n"),
        ("struct P { a: int; b: int; }\ntable T { c: P; }\n", "struct P { b: int; a: int; }\ntable T { c: P; }\n"),
    ] {
        let report = json(&compared(old, new, &[]));
        for finding in report["findings"].as_array().into_iter().flatten() {
            let message = finding["message"].as_str().unwrap_or_default();
            let halves = message.split_once(" from ").and_then(|(_, rest)| rest.split_once(" to "));
            assert!(halves.is_none_or(|(before, after)| before != after), "{message}");
        }
    }
}
