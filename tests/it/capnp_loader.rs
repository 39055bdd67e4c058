//! `SchemaLoader` of the C++ library, its model and our own verdict on the changes that `docs/compare.md` lists.
//!
//! The real loader is asked where the library is installed; recorded verdicts of another release where they are beside the
//! repository.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value as Json;

use crate::capnp_peer::{ask, give, program};
use crate::peers::Peer;
use crate::support::{Case, skip, snapshot};
use wireproof::change::Pair;
use wireproof::formats::Format;
use wireproof::rules::{Profile, RuleSet};
use wireproof::verdict::Policy;
use wireproof::vocabulary::Verdict;

/// What changes, the two sides without the id of the file, whether the loader takes both, and whether we pass under `full`.
type Row = (&'static str, &'static str, &'static str, bool, bool);

const ROWS: &[Row] = &[
    // Breaks that the loader lets through.
    ("values inserted", "enum E { a @0; b @1; }", "enum E { a @0; c @1; b @2; }", true, false),
    (
        "ordinals exchanged",
        "struct S { a @0 :Int32; b @1 :Int32; }",
        "struct S { b @0 :Int32; a @1 :Int32; }",
        true,
        false,
    ),
    ("methods exchanged", "interface I { m @0 (); n @1 (); }", "interface I { n @0 (); m @1 (); }", true, false),
    ("default of a text", "struct S { a @0 :Text = \"x\"; }", "struct S { a @0 :Text = \"y\"; }", true, false),
    ("interface renamed", "interface I { m @0 (); }", "interface J { m @0 (); }", true, false),
    (
        "extends no more",
        "interface J { n @0 (); } interface I extends(J) { m @0 (); }",
        "interface J { n @0 (); } interface I { m @0 (); }",
        true,
        false,
    ),
    ("method removed", "interface I { m @0 (); n @1 (); }", "interface I { m @0 (); }", true, false),
    ("last field removed", "struct S { a @0 :Int32; b @1 :Text; }", "struct S { a @0 :Int32; }", true, false),
    (
        "list of bits",
        "struct S { a @0 :List(Bool); }",
        "struct S { a @0 :List(B); } struct B { b @0 :Bool; }",
        true,
        false,
    ),
    (
        "renamed and retyped",
        "struct S { a @0 :Int32; b @1 :Text; }",
        "struct T { a @0 :Text; b @1 :Text; }",
        true,
        false,
    ),
    // What groups ask of the groups around them depends on which of them is loaded first.
    (
        "out of a union of a struct, beside a group",
        "struct S { u :union { a @0 :Text; b @1 :Text; m :group { c @2 :Text; } } }",
        "struct S { g :group { b @1 :Text; } u :union { a @0 :Text; m :group { c @2 :Text; } } }",
        true,
        false,
    ),
    (
        "into a union of a struct, beside a group",
        "struct S { b @1 :Text; u :union { a @0 :Text; m :group { c @2 :Text; } } }",
        "struct S { u :union { a @0 :Text; b @1 :Text; m :group { c @2 :Text; } } }",
        true,
        false,
    ),
    (
        "out of a union of a struct, into a new group beside",
        "struct S { u :union { a @0 :Text; b @1 :Text; c @2 :Text; } }",
        "struct S { b @1 :Text; u :union { a @0 :Text; m :group { c @2 :Text; } } }",
        true,
        false,
    ),
    (
        "out of a union of a struct that has no group",
        "struct S { u :union { a @0 :Text; b @1 :Text; c @2 :Text; } }",
        "struct S { b @1 :Text; u :union { a @0 :Text; c @2 :Text; } }",
        false,
        false,
    ),
    (
        "out of an unnamed union, beside a group",
        "struct S { union { a @0 :Text; b @1 :Text; m :group { c @2 :Text; } } }",
        "struct S { b @1 :Text; union { a @0 :Text; m :group { c @2 :Text; } } }",
        false,
        false,
    ),
    (
        "out of a union of a group, beside a group",
        "struct S { g :group { u :union { a @0 :Text; b @1 :Text; m :group { c @2 :Text; } } } }",
        "struct S { b @1 :Text; g :group { u :union { a @0 :Text; m :group { c @2 :Text; } } } }",
        false,
        false,
    ),
    (
        "out of a union of a struct, of which another struct is made",
        "struct R { s @0 :S; } struct S { u :union { a @0 :Text; b @1 :Text; m :group { c @2 :Text; } } }",
        "struct R { s @0 :S; } struct S { b @1 :Text; u :union { a @0 :Text; m :group { c @2 :Text; } } }",
        true,
        false,
    ),
    // Refusals where no reader is hurt.
    ("bytes as data", "struct S { a @0 :List(UInt8); }", "struct S { a @0 :Data; }", false, true),
    (
        "ordinals of two sections",
        "struct S { a @0 :Int32; b @1 :Text; }",
        "struct S { b @0 :Text; a @1 :Int32; }",
        false,
        true,
    ),
    (
        "nothing becomes a number at the end",
        "struct S { a @0 :Text; b @1 :Void; }",
        "struct S { a @0 :Text; b @1 :Int32; }",
        false,
        true,
    ),
    (
        "struct renamed",
        "struct S { a @0 :T; } struct T { b @0 :Text; }",
        "struct S { a @0 :U; } struct U { b @0 :Text; }",
        false,
        true,
    ),
    (
        "struct of the same shape",
        "struct S { a @0 :T; } struct T { b @0 :Text; } struct U { b @0 :Text; }",
        "struct S { a @0 :U; } struct T { b @0 :Text; } struct U { b @0 :Text; }",
        false,
        true,
    ),
    (
        "moved to another scope",
        "struct S { a @0 :T; struct T { b @0 :Text; } }",
        "struct S { a @0 :T; } struct T { b @0 :Text; }",
        false,
        true,
    ),
    (
        "two fields in a group",
        "struct S { a @0 :Text; b @1 :Text; c @2 :Text; }",
        "struct S { g :group { a @0 :Text; b @1 :Text; } c @2 :Text; }",
        false,
        true,
    ),
    ("a stream", "interface I { m @0 (a :Text) -> (); }", "interface I { m @0 (a :Text) -> stream; }", false, true),
    (
        "parameters as a struct",
        "interface I { m @0 (a :Text); } struct P { a @0 :Text; }",
        "interface I { m @0 P; } struct P { a @0 :Text; }",
        false,
        true,
    ),
    (
        "a number that is none",
        "struct S { a @0 :Float64 = nan; }",
        "struct S { a @0 :Float64 = nan; b @1 :Text; }",
        false,
        true,
    ),
    // Both say the same.
    ("field added", "struct S { a @0 :Int32; }", "struct S { a @0 :Int32; b @1 :Text; }", true, true),
    (
        "list of structs",
        "struct S { a @0 :List(Int32); }",
        "struct S { a @0 :List(T); } struct T { b @0 :Int32; }",
        true,
        true,
    ),
    ("retyped", "struct S { a @0 :Int32; }", "struct S { a @0 :Int64; }", false, false),
    ("default of a number", "struct S { a @0 :Int32 = 1; }", "struct S { a @0 :Int32 = 2; }", false, false),
    (
        "into a union",
        "struct S { a @0 :Text; b @1 :Text; }",
        "struct S { union { a @0 :Text; b @1 :Text; } }",
        false,
        false,
    ),
];

fn case(sides: Pair<BTreeMap<String, String>>) -> Case {
    let sides = sides.map(|files| snapshot(&files));
    Case { name: "pair".to_owned(), format: Format::Capnp, sides, roots: Vec::new(), usages: Default::default() }
}

/// Whether our model of the loader takes both sides.
fn modelled(case: &Case) -> Verdict {
    let profile = Profile::all().find(|profile| profile.name == "capnp").expect("it is one of ours");
    let policy = Policy { profile: Some(profile.all_in_force(RuleSet::built_in())), ..Policy::default() };
    verdict(case, &policy)
}

fn verdict(case: &Case, policy: &Policy) -> Verdict {
    let told = case.report(policy).verdict;
    *[Verdict::Compatible, Verdict::Breaking, Verdict::Unknown]
        .iter()
        .find(|one| told == **one)
        .expect("it is one of three")
}

#[test]
fn what_the_page_says_of_the_loader_is_what_it_does() {
    let mut peer = program().map(|program| Peer::start(Command::new(program)));
    if peer.is_none() {
        skip("libcapnp-dev", "what SchemaLoader says of the changes that docs/compare.md lists");
    }
    let mut wrong = Vec::new();
    for (what, old, new, is_taken, passes) in ROWS {
        let file = |text: &str| BTreeMap::from([("a.capnp".to_owned(), format!("@0xd3a5e2f7c1b49086;\n{text}\n"))]);
        let sides = Pair::new(file(old), file(new));
        if let Some(peer) = &mut peer {
            let folder = tempfile::tempdir().expect("a folder for a moment");
            let Pair { old, new } = &sides;
            let refused = give(peer, "old", &folder.path().join("old"), old)
                .or_else(|| give(peer, "new", &folder.path().join("new"), new));
            assert_eq!(refused, None, "{what}");
            let told = ask(peer, &["loader"]);
            if (told == "ok") != *is_taken {
                wrong.push(format!("{what}: the loader: {told}"));
            }
        }
        let case = case(sides);
        if (modelled(&case) == Verdict::Compatible) != *is_taken {
            wrong.push(format!("{what}: the profile is wrong"));
        }
        let ours = verdict(&case, &Policy::default());
        if (ours == Verdict::Compatible) != *passes {
            wrong.push(format!("{what}: we say {}", ours.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_profile_gives_the_recorded_verdicts_of_the_loader() {
    let Some(folder) = std::env::var_os("WIREPROOF_AVRO_SAMPLES").map(PathBuf::from) else {
        return skip("recorded samples", "the profile capnp beside recorded verdicts of SchemaLoader 1.4");
    };
    let (mut compared, mut wrong) = (0, Vec::new());
    for name in ["capnp-matrix.jsonl", "capnp-real.jsonl"] {
        let Ok(text) = std::fs::read_to_string(folder.join(name)) else { continue };
        for line in text.lines() {
            let one: Json = serde_json::from_str(line).expect("a line is JSON");
            let recorded = one["peer"]["SchemaLoader-1.4.0"].as_str().unwrap_or_default().to_owned();
            let files = |side: &str| {
                let files = one[side].as_object().expect("files by path").iter();
                files.map(|(path, text)| (path.clone(), text.as_str().unwrap_or_default().to_owned())).collect()
            };
            let case = case(Pair::new(files("old"), files("new")));
            let ours = modelled(&case);
            if recorded.contains("parse-error") || ours == Verdict::Unknown {
                continue;
            }
            compared += 1;
            if (ours == Verdict::Compatible) == recorded.contains("incompatible") {
                wrong.push(format!("{}: recorded {recorded}, modelled {}", one["id"], ours.name()));
            }
        }
    }
    eprintln!("{compared} recorded verdicts of SchemaLoader compared");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
}
