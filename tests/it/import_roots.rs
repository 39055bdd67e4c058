//! Where imports start: what `-I` and `import-paths` say, and what is said of them.

use serde_json::Value;

use crate::git::{Place, commit, git, git_is_missing, report, run};

const TYPE: &str = "syntax = \"proto3\"; package p; message T { int32 a = 1; }";

fn user(module: &str, is_new: bool) -> String {
    let more = if is_new { " int32 n = 2;" } else { "" };
    format!("syntax = \"proto3\"; package u; import \"{module}dir/t.proto\"; message U {{ p.T t = 1;{more} }}")
}

fn compared(place: &Place, more: &[&str]) -> Value {
    report(&run(&place.path(""), &[&["compare", "old", "new", "--format", "json"][..], more].concat()))
}

/// What is said beside the findings.
fn said(report: &Value) -> Vec<String> {
    let texts = |list: &str, key: &str| -> Vec<String> {
        let all = report[list].as_array().expect("a list");
        all.iter().map(|one| one[key].as_str().expect("a text").to_owned()).collect()
    };
    [texts("problems", "message"), texts("not_checked", "what")].concat()
}

#[test]
fn imports_that_get_the_path_of_a_module_in_front_lead_where_they_led() {
    let place = Place::new();
    place.write("old/dir/t.proto", TYPE).write("new/dir/t.proto", TYPE);
    place.write("old/a/u.proto", &user("", false)).write("new/a/u.proto", &user("github.com/o/r/", true));
    let report = compared(&place, &[]);
    assert_eq!(report["verdict"], "compatible", "{report:#}");
    assert!(said(&report)[0].starts_with("no folder is called `github.com/o/r`"), "{report:#}");
    for root in ["github.com/o/r=.", "github.com/o/r/=./"] {
        let report = compared(&place, &["-I", root]);
        assert_eq!((&report["verdict"], said(&report)), (&Value::from("compatible"), vec![]), "{root}: {report:#}");
    }
}

#[test]
fn a_module_may_lie_in_a_folder_of_the_disk_or_of_both_sides() {
    let place = Place::new();
    place.write("lib/dir/t.proto", TYPE).write("wireproof.yaml", "roots:\n  a:\n    import-paths: ['m.org/r=lib']\n");
    place.write("old/a/u.proto", &user("m.org/r/", false)).write("new/a/u.proto", &user("m.org/r/", true));
    let report = compared(&place, &["-I", "m.org/r=lib", "--no-config"]);
    assert_eq!((&report["verdict"], said(&report)), (&Value::from("compatible"), vec![]), "{report:#}");
    assert!(!said(&compared(&place, &["--no-config"])).is_empty());
    place.write("old/lib/dir/t.proto", TYPE).write("new/lib/dir/t.proto", TYPE);
    let report = compared(&place, &["--config", "wireproof.yaml"]);
    assert_eq!((&report["verdict"], said(&report)), (&Value::from("compatible"), vec![]), "{report:#}");
}

#[test]
fn a_root_that_is_nowhere_is_said() {
    let place = Place::new();
    place.write("old/u.proto", TYPE).write("new/u.proto", TYPE).write("new/sub/v.proto", "syntax = \"proto3\";");
    for (root, is_there) in
        [(".", true), ("sub", true), ("old", true), ("m=sub", true), ("x", false), ("m=x", false), ("old:new", false)]
    {
        let report = compared(&place, &["-I", root]);
        let said = said(&report);
        match is_there {
            true => assert_eq!(said, Vec::<String>::new(), "{root}"),
            false => {
                assert!(said[0].starts_with(&format!("imports below `{root}`: there is no such folder")), "{said:?}")
            }
        }
    }
}

#[test]
fn a_file_that_comes_before_the_one_that_is_meant_leaves_a_doubt() {
    let place = Place::new();
    let order = "syntax = \"proto3\"; package p; import \"money.proto\"; message Order { Money total = 1; }";
    let money = |ty: &str| format!("syntax = \"proto3\"; package p; message Money {{ {ty} amount = 1; }}");
    for side in ["old", "new"] {
        place.write(format!("{side}/proto/shop/order.proto"), order);
    }
    place.write("old/proto/money.proto", &money("int32")).write("new/proto/money.proto", &money("string"));
    place.write("new/money.proto", &money("int32"));
    let is_told =
        |more: &[&str]| said(&compared(&place, more)).iter().any(|line| line.contains("may lead to money.proto"));
    assert!(is_told(&[]));
    assert!(!is_told(&["-I", "proto"]), "where imports start is said");
    place.write("new/proto/money.proto", &money("int32"));
    assert!(!is_told(&[]), "both say the same");
}

#[test]
fn other_languages_know_prefixes_too() {
    for (ending, [types, user]) in [
        ("thrift", ["struct T { 1: i32 a }", "include \"m/r/dir/t.thrift\"\nstruct U { 1: t.T t }"]),
        ("fbs", ["table T { a:int; }", "include \"m/r/dir/t.fbs\"; table U { t:T; }"]),
        (
            "capnp",
            [
                "@0xb0000000000000a1; struct T { a @0 :Int32; }",
                "@0xb0000000000000a2; using S = import \"/m/r/dir/t.capnp\"; struct U { t @0 :S.T; }",
            ],
        ),
    ] {
        let place = Place::new();
        for side in ["old", "new"] {
            place.write(format!("{side}/lib/dir/t.{ending}"), types).write(format!("{side}/u.{ending}"), user);
        }
        place.write(format!("new/lib/dir/t.{ending}"), &format!("{types}\n"));
        assert!(!said(&compared(&place, &[])).is_empty(), "{ending}");
        assert_eq!(said(&compared(&place, &["-I", "m/r=lib"])), Vec::<String>::new(), "{ending}");
    }
}

/// What lies beside a compared folder of a version, below a root of imports, is that of its own version on each side.
#[test]
fn each_side_has_its_own_version_of_what_lies_beside_it() {
    if git_is_missing() {
        return;
    }
    type Language = (&'static str, &'static str, &'static str, [&'static str; 2]);
    let languages: [Language; 5] = [
        (
            "proto",
            "syntax = \"proto3\"; package u; import \"common/t.proto\"; message U { p.T t = 1; }",
            "syntax = \"proto3\"; package p; message T { TYPE a = 1; }",
            ["int32", "string"],
        ),
        (
            "thrift",
            "include \"common/t.thrift\"\nstruct U { 1: optional t.T t }",
            "struct T { 1: optional TYPE a }",
            ["i32", "string"],
        ),
        ("fbs", "include \"common/t.fbs\"; table U { t:T; } root_type U;", "table T { a:TYPE; }", ["int", "string"]),
        (
            "capnp",
            "@0xb0000000000000b2; using S = import \"/common/t.capnp\"; struct U { t @0 :S.T; }",
            "@0xb0000000000000b1; struct T { a @0 :TYPE; }",
            ["Int32", "Text"],
        ),
        (
            "avdl",
            "@namespace(\"u\") protocol P { import idl \"common/t.avdl\"; record U { p.T t; } }",
            "@namespace(\"p\") protocol Q { record T { TYPE a; } }",
            ["int", "string"],
        ),
    ];
    for (ending, user, common, types) in languages {
        let repo = Place::new();
        git(&repo.path(""), &["init", "--quiet", "--initial-branch=main"]);
        let write = |ty| repo.write(format!("shared/common/t.{ending}"), &common.replace("TYPE", ty));
        repo.write(format!("api/u.{ending}"), user);
        write(types[0]);
        commit(&repo, "old");
        let file = format!("api/u.{ending}");
        let (of_main, of_head) = (format!("git:main:{file}"), format!("git:HEAD:{file}"));
        let compared = |expected: i32| {
            let all: [[&str; 2]; 4] =
                [["git:main:api", "api"], ["git:main:api", "git:HEAD:api"], [&of_main, &file], [&of_main, &of_head]];
            for sides in all {
                let ran = run(&repo.path(""), &[&["compare"][..], &sides, &["-I", "shared"]].concat());
                assert_eq!(ran.code, expected, "{ending} {sides:?}:\n{}{}", ran.out, ran.err);
                assert!(!ran.out.contains("not found"), "{ending} {sides:?}:\n{}", ran.out);
            }
        };
        compared(0);
        git(&repo.path(""), &["checkout", "--quiet", "-b", "change"]);
        write(types[1]);
        commit(&repo, "new");
        compared(1);
    }
}
