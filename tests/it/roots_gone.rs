//! What disappears is no pass: a type that data starts from, in every language, in every way in which it can go. Each
//! attack has a harmless twin.

use crate::git::{Place, commit, git, git_is_missing, repository, run_in};

/// Files of the base, those of the change (`None`: deleted), and the exit code.
struct Case {
    name: &'static str,
    base: &'static [(&'static str, &'static str)],
    change: &'static [(&'static str, Option<&'static str>)],
    code: i32,
}

const PROTO: &str = "syntax = \"proto3\";\npackage shop.v1;\nmessage Order {\n  int64 id = 1;\n  string note = 2;\n}\n";
const THRIFT: &str = "struct Order {\n  1: i32 id\n  2: string note\n}\n";
const FBS: &str = "table Order {\n  id: int;\n  note: string;\n}\nroot_type Order;\n";
const AVSC: &str = r#"{"type": "record", "name": "shop.Order", "fields": [{"name": "id", "type": "long"}]}"#;

const CASES: &[Case] = &[
    // Everything is deleted.
    Case { name: "all of a proto file", base: &[("a.proto", PROTO)], change: &[("a.proto", None)], code: 1 },
    Case { name: "all of a thrift file", base: &[("a.thrift", THRIFT)], change: &[("a.thrift", None)], code: 1 },
    Case { name: "all of a fbs file", base: &[("a.fbs", FBS)], change: &[("a.fbs", None)], code: 1 },
    Case { name: "all of an avsc file", base: &[("a.avsc", AVSC)], change: &[("a.avsc", None)], code: 1 },
    // The type alone is deleted.
    Case {
        name: "a message",
        base: &[
            ("a.proto", PROTO),
            ("b.proto", "syntax = \"proto3\";\npackage shop.v1;\nmessage Other {\n  int32 x = 1;\n}\n"),
        ],
        change: &[("a.proto", Some("syntax = \"proto3\";\npackage shop.v1;\n"))],
        code: 1,
    },
    Case {
        name: "a root_type with its table",
        base: &[("a.fbs", "table Order {\n  id: int;\n}\ntable Other {\n  x: string;\n}\nroot_type Order;\n")],
        change: &[("a.fbs", Some("table Other {\n  x: string;\n}\n"))],
        code: 1,
    },
    Case {
        name: "a table that nothing needs beside a root",
        base: &[("a.fbs", "table Order {\n  id: int;\n}\ntable Other {\n  x: string;\n}\nroot_type Order;\n")],
        change: &[("a.fbs", Some("table Order {\n  id: int;\n}\nroot_type Order;\n"))],
        code: 0,
    },
    // The type is renamed and changed at once.
    Case {
        name: "a message renamed and broken",
        base: &[("a.proto", PROTO)],
        change: &[(
            "a.proto",
            Some("syntax = \"proto3\";\npackage shop.v1;\nmessage Order2 {\n  sint64 id = 1;\n  string note = 2;\n}\n"),
        )],
        code: 1,
    },
    Case {
        name: "a message of one field renamed and broken",
        base: &[("a.proto", "syntax = \"proto3\";\nmessage Order {\n  int64 id = 1;\n}\nservice S {\n}\n")],
        change: &[("a.proto", Some("syntax = \"proto3\";\nmessage Order2 {\n  sint64 id = 1;\n}\nservice S {\n}\n"))],
        code: 1,
    },
    Case {
        name: "a message renamed",
        base: &[("a.proto", PROTO)],
        change: &[(
            "a.proto",
            Some(
                "syntax = \"proto3\";\npackage shop.v1;\nmessage Order2 {\n  int64 id = 1;\n  string note = 2;\n  string more = 3;\n}\n",
            ),
        )],
        code: 0,
    },
    Case {
        name: "a struct renamed and broken",
        base: &[("a.thrift", THRIFT)],
        change: &[("a.thrift", Some("struct Order2 {\n  1: string id\n  2: string note\n}\n"))],
        code: 1,
    },
    Case {
        name: "a struct renamed",
        base: &[("a.thrift", THRIFT)],
        change: &[("a.thrift", Some("struct Order2 {\n  1: i32 id\n  2: string note\n  3: optional string more\n}\n"))],
        code: 0,
    },
    Case {
        name: "a table renamed and broken",
        base: &[("a.fbs", FBS)],
        change: &[("a.fbs", Some("table Order2 {\n  id: double;\n  note: string;\n}\nroot_type Order2;\n"))],
        code: 1,
    },
    Case {
        name: "moved to another package in another file, and broken",
        base: &[("a.proto", PROTO)],
        change: &[
            ("a.proto", None),
            (
                "b.proto",
                Some(
                    "syntax = \"proto3\";\npackage shop.v2;\nmessage Order {\n  sint64 id = 1;\n  string note = 2;\n}\n",
                ),
            ),
        ],
        code: 1,
    },
    // What only looks like it.
    Case {
        name: "a part goes with its field",
        base: &[(
            "a.proto",
            "syntax = \"proto3\";\nmessage Order {\n  int64 id = 1;\n  Part part = 2;\n}\nmessage Part {\n  int32 x = 1;\n}\n",
        )],
        change: &[(
            "a.proto",
            Some("syntax = \"proto3\";\nmessage Order {\n  int64 id = 1;\n  reserved 2;\n  reserved \"part\";\n}\n"),
        )],
        code: 0,
    },
    Case {
        name: "a new major version beside the old",
        base: &[("shop/v1/a.proto", PROTO)],
        change: &[(
            "shop/v2/a.proto",
            Some("syntax = \"proto3\";\npackage shop.v2;\nmessage Order {\n  string id = 1;\n}\n"),
        )],
        code: 0,
    },
    Case {
        name: "the file moves",
        base: &[("a.proto", PROTO), ("x.thrift", THRIFT), ("x.avsc", AVSC), ("x.fbs", FBS)],
        change: &[
            ("a.proto", None),
            ("b/a.proto", Some(PROTO)),
            ("x.avsc", None),
            ("y/x.avsc", Some(AVSC)),
            ("x.fbs", None),
            ("y/x.fbs", Some(FBS)),
        ],
        code: 0,
    },
    Case {
        name: "an enum that nothing needs",
        base: &[(
            "a.proto",
            "syntax = \"proto3\";\nmessage Order {\n  int64 id = 1;\n}\nenum Colour {\n  RED = 0;\n}\n",
        )],
        change: &[("a.proto", Some("syntax = \"proto3\";\nmessage Order {\n  int64 id = 1;\n}\n"))],
        code: 0,
    },
    Case {
        name: "a message that no method needs any more",
        base: &[(
            "a.proto",
            "syntax = \"proto3\";\nmessage A {\n  int64 id = 1;\n}\nmessage B {\n  string z = 4;\n}\nservice S {\n  rpc Do(A) returns (A);\n}\n",
        )],
        change: &[(
            "a.proto",
            Some("syntax = \"proto3\";\nmessage A {\n  int64 id = 1;\n}\nservice S {\n  rpc Do(A) returns (A);\n}\n"),
        )],
        code: 0,
    },
    Case {
        name: "a service in another file of the package",
        base: &[
            ("a.proto", PROTO),
            (
                "b.proto",
                "syntax = \"proto3\";\npackage shop.v1;\nmessage A {\n  int64 id = 1;\n}\nservice S {\n  rpc Do(A) returns (A);\n}\n",
            ),
        ],
        change: &[("a.proto", None)],
        code: 0,
    },
];

fn repository_of(case: &Case) -> Place {
    let repo = repository();
    repo.write("README.md", "what is here\n");
    for (name, text) in case.base {
        repo.write(name, text);
    }
    commit(&repo, "what is there");
    git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
    for (name, text) in case.change {
        match text {
            Some(text) => {
                repo.write(name, text);
            }
            None => std::fs::remove_file(repo.path(name)).expect("it is there"),
        }
    }
    repo
}

#[test]
fn a_type_that_data_starts_from_does_not_disappear_unseen() {
    if git_is_missing() {
        return;
    }
    let mut wrong = Vec::new();
    for case in CASES {
        let repo = repository_of(case);
        let ran = run_in(&repo.path(""), &["check"], &[]);
        if ran.code != case.code {
            wrong.push(format!("{}: exit {} and not {}\n{}{}", case.name, ran.code, case.code, ran.out, ran.err));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}
