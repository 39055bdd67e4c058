//! Copies of files that are built into a language: one that comes or goes is compared with the built-in one.

use crate::git::{Place, commit, git, git_is_missing, repository, run};

/// A schema that imports a built-in file, and that file: its path, its text, and another text that breaks.
struct Case {
    path: &'static str,
    imports: &'static str,
    copy: &'static str,
    same: &'static str,
    broken: &'static str,
}

const CASES: [Case; 2] = [
    Case {
        path: "x.proto",
        imports: "syntax = \"proto3\";\npackage x;\nimport \"google/protobuf/duration.proto\";\n\
                  message X { google.protobuf.Duration m = 1; }\n",
        copy: "google/protobuf/duration.proto",
        same: include_str!("../../src/formats/protobuf/builtin/google/protobuf/duration.proto"),
        broken: "syntax = \"proto3\";\npackage google.protobuf;\n\
                 message Duration { string seconds = 1; int32 nanos = 2; }\n",
    },
    Case {
        path: "x.capnp",
        imports: "@0xd3a5e2f7c1b49086;\nusing S = import \"/capnp/stream.capnp\";\nstruct X { m @0 :S.StreamResult; }\n",
        copy: "capnp/stream.capnp",
        same: "@0x86c366a91393f3f8;\nstruct StreamResult @0x995f9a3377c0b16e {}\n",
        broken: "@0x86c366a91393f3f8;\nenum StreamResult @0x995f9a3377c0b16e { a @0; }\n",
    },
];

fn code(repo: &Place) -> i32 {
    // An enum in the place of an empty struct is felt by code.
    let surfaces = if repo.path("x.capnp").exists() { "wire,source" } else { "wire" };
    let ran = run(&repo.path(""), &["check", "--surface", surfaces]);
    assert!(matches!(ran.code, 0 | 1), "{}{}", ran.out, ran.err);
    ran.code
}

#[test]
fn a_copy_of_a_built_in_file_is_compared_with_it_when_it_comes_and_when_it_goes() {
    if git_is_missing() {
        return;
    }
    for Case { path, imports, copy, same, broken } in CASES {
        for (text, breaks) in [(same, 0), (broken, 1)] {
            for folder in ["", "third_party/"] {
                if path.ends_with("capnp") && !folder.is_empty() {
                    continue;
                }
                let repo = repository();
                repo.write(path, imports);
                commit(&repo, "what is there");
                git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
                let at = format!("{folder}{copy}");
                repo.write(&at, text);
                assert_eq!(code(&repo), breaks, "{at} comes");
                git(&repo.path(""), &["switch", "--quiet", "main"]);
                commit(&repo, "the copy");
                git(&repo.path(""), &["switch", "--quiet", "--create", "other"]);
                git(&repo.path(""), &["rm", "--quiet", &at]);
                assert_eq!(code(&repo), breaks, "{at} goes");
                // One that moves, or that stands in for nothing, is a file like any other.
                git(&repo.path(""), &["reset", "--quiet", "--hard"]);
                std::fs::remove_file(repo.path(&at)).expect("a file");
                repo.write(format!("vendor/{copy}"), text);
                if !path.ends_with("capnp") {
                    assert_eq!(code(&repo), 0, "{at} moves");
                }
            }
        }
        let repo = repository();
        let alone = if path.ends_with("proto") { "message X {}\n" } else { "@0xd3a5e2f7c1b49086;\nstruct X {}\n" };
        repo.write(path, alone);
        commit(&repo, "without the import");
        git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
        repo.write(copy, broken);
        assert_eq!(code(&repo), 0, "{copy} is new, and nobody imported it");
    }
}

/// Nothing on the other side imports the file, which is there all the same.
#[test]
fn a_copy_that_comes_or_goes_with_all_that_imports_it_changes_nothing() {
    if git_is_missing() {
        return;
    }
    let says_more = |out: &str| out.contains("FileOptions`") || out.contains("bug in");
    for (copy, import) in [
        ("vendor/google/protobuf/descriptor.proto", "google/protobuf/descriptor.proto"),
        ("vendor/old/descriptor.proto", "old/descriptor.proto"),
    ] {
        let repo = repository();
        repo.write("shop.proto", "syntax = \"proto3\";\nmessage Order { string id = 1; }\n");
        commit(&repo, "a message");
        git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
        let older = "syntax = \"proto2\";\npackage google.protobuf;\nmessage FileOptions {\n  reserved 40;\n  \
                     optional bool cc_enable_arenas = 31 [default = false];\n  extensions 1000 to max;\n}\n\
                     message MessageOptions { extensions 1000 to max; }\n";
        repo.write(copy, older);
        let option = format!(
            "syntax = \"proto2\";\nimport \"{import}\";\nextend google.protobuf.FileOptions {{ optional string owner = \
             50001; }}\n"
        );
        repo.write("vendor/options.proto", &option);
        let ran = run(&repo.path(""), &["check"]);
        assert!(ran.code == 0 && !says_more(&ran.out), "{copy} comes\n{}{}", ran.out, ran.err);
        git(&repo.path(""), &["switch", "--quiet", "main"]);
        commit(&repo, "the copy");
        git(&repo.path(""), &["switch", "--quiet", "--create", "other"]);
        git(&repo.path(""), &["rm", "--quiet", "-r", "vendor"]);
        let ran = run(&repo.path(""), &["check"]);
        assert!(ran.code == 0 && !says_more(&ran.out), "{copy} goes\n{}{}", ran.out, ran.err);
    }
}

#[test]
fn a_copy_of_what_differs_between_releases_changes_nothing() {
    if git_is_missing() {
        return;
    }
    let repo = repository();
    let options = "syntax = \"proto3\";\npackage shop;\nimport \"google/protobuf/descriptor.proto\";\n\
                   extend google.protobuf.FileOptions { string owner = 50001; }\n";
    repo.write("shop.proto", options);
    commit(&repo, "an option");
    git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
    let older = "syntax = \"proto2\";\npackage google.protobuf;\nmessage FileOptions {\n  optional string java_package = 1;\n  \
                 optional bool php_generic_services = 42 [default = false];\n  extensions 1000 to max;\n}\n\
                 message MessageOptions { extensions 1000 to max; }\nmessage FieldOptions { extensions 1000 to max; }\n";
    repo.write("google/protobuf/descriptor.proto", older);
    let ran = run(&repo.path(""), &["check"]);
    assert!(ran.code == 0 && !ran.out.contains("bug in"), "{}{}", ran.out, ran.err);
    git(&repo.path(""), &["switch", "--quiet", "main"]);
    commit(&repo, "the copy");
    git(&repo.path(""), &["switch", "--quiet", "--create", "other"]);
    git(&repo.path(""), &["rm", "--quiet", "google/protobuf/descriptor.proto"]);
    let ran = run(&repo.path(""), &["check"]);
    assert!(ran.code == 0 && !ran.out.contains("bug in"), "{}{}", ran.out, ran.err);
}

#[test]
fn what_is_built_in_is_the_same_under_a_path_that_is_not_found() {
    let place = Place::new();
    for (side, path) in [("old", "example.org/vendored/any/any.proto"), ("new", "google/protobuf/any.proto")] {
        let text = format!(
            "syntax = \"proto3\";\npackage shop;\nimport \"{path}\";\nmessage Order {{\n  google.protobuf.Any detail = 1;\n}}\n"
        );
        place.write(format!("{side}/shop/order.proto"), &text);
    }
    for sides in [["old", "new"], ["new", "old"]] {
        let ran = run(&place.path(""), &["compare", sides[0], sides[1], "--no-config"]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    }
}
