//! Entries of a configuration that say nothing, or say it twice: told, and never where something may match after all.

use crate::git::{NEW, OLD, Place, commit, git, git_is_missing, repository, run};

/// A repository with two schemas, on a branch.
fn with(configuration: &str) -> Place {
    let repo = repository();
    repo.write("proto/m.proto", &OLD.replace("package shop", "package m")).write("wireproof.yaml", configuration);
    commit(&repo, "what is there");
    git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
    repo.write("notes.txt", "of the branch");
    repo
}

#[test]
fn an_entry_that_matches_nothing_is_a_warning() {
    if git_is_missing() {
        return;
    }
    let nothing = "matches no schema of either version";
    for (configuration, told) in [
        ("roots: {prto: {mode: none}}\n", Some(("`prto` in `roots`", nothing))),
        ("exclude: ['!proto/m.proto']\n", Some(("`!proto/m.proto` in `exclude`", nothing))),
        ("exclude: [/proto]\n", Some(("`/proto` in `exclude`", nothing))),
        ("exclude: [../x, proto/]\n", Some(("`../x` in `exclude`", nothing))),
        ("exclude: ['proto/m.proto ']\n", Some(("`proto/m.proto ` in `exclude`", nothing))),
        ("exclude:\n  - gone/\n", Some(("`gone/` in `exclude`", nothing))),
        ("include: ['**', 'none/**']\n", Some(("`none/**` in `include`", nothing))),
        ("exclude: [proto]\n", Some(("`proto` in `exclude`", "what lies in a folder is matched by `proto/`"))),
        ("exclude: [./proto]\n", Some(("`proto` in `exclude`", "what lies in a folder is matched by `proto/`"))),
        ("roots: {shop: {import-paths: [nowhere]}}\n", Some(("`nowhere` in `import-paths`", "without any schema"))),
        ("roots: {shop: {import-paths: [a=nowhere]}}\n", Some(("`a=nowhere` in `import-paths`", "without any schema"))),
        ("unstable: [v1alpha]\n", Some(("`v1alpha` in `unstable`", "write `*.v1alpha*`"))),
        ("unstable: ['v1alpha*']\n", Some(("`v1alpha*` in `unstable`", "write `*.v1alpha*`"))),
        ("unstable: ['']\n", Some(("`` in `unstable`", "like no name of a package"))),
        ("unstable: [proto/]\n", Some(("`proto/` in `unstable`", "like no name of a package"))),
        ("exclude: [proto/]\n", None),
        ("roots: {shop: {import-paths: [proto, ., a=proto, ../elsewhere]}}\n", None),
        ("unstable: [shop.v1alpha1, alpha]\n", None),
        ("exclude: ['**/*.proto']\ninclude: ['shop/**', proto/m.proto]\n", None),
        ("roots: {proto: {mode: none}, .: {mode: full}}\nunstable: ['*.v1alpha*']\n", None),
    ] {
        let repo = with(configuration);
        repo.write("shop/order.proto", OLD);
        let ran = run(&repo.path(""), &["check"]);
        let Some((entry, why)) = told else {
            let told = ["matches no", "is like no", "matches only", "without any schema"];
            assert!(told.iter().all(|words| !ran.out.contains(words)), "{configuration}{}", ran.out);
            continue;
        };
        assert!(
            ran.code == 0 && ran.out.contains(entry) && ran.out.contains(why),
            "{configuration}{}{}",
            ran.out,
            ran.err
        );
        assert!(ran.out.contains("wireproof.yaml:"), "{configuration}{}", ran.out);
    }
}

#[test]
fn a_configuration_that_leaves_out_everything_is_told() {
    if git_is_missing() {
        return;
    }
    for (configuration, said) in [
        (
            "mode: full\nexclude: ['**']\n",
            "`exclude` of the configuration leaves them all out\n  --> wireproof.yaml:2:1",
        ),
        ("include: [none/]\n", "`include` of the configuration leaves them all out\n  --> wireproof.yaml:1:1"),
        ("include: ['**']\nexclude: ['**']\n", "`include` and `exclude` of the configuration leave them all out"),
    ] {
        let ran = run(&with(configuration).path(""), &["check"]);
        assert!(ran.code == 2 && ran.err.contains(said), "{configuration}{}{}", ran.out, ran.err);
    }
}

#[test]
fn files_that_only_say_of_themselves_that_they_are_schemas_are_named() {
    if git_is_missing() {
        return;
    }
    let repo = Place::new();
    git(&repo.path(""), &["init", "--quiet", "--initial-branch=main"]);
    let schema = "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"type\": \"object\"\n}\n";
    repo.write("package.json", "{\"$schema\": \"https://json.example.org/package.json\"}\n").write(".x/y.json", schema);
    commit(&repo, "none yet");
    let ran = run(&repo.path(""), &["check"]);
    assert!(ran.code == 0 && !ran.out.contains("$schema"), "{}", ran.out);
    repo.write("api/schemas/a.json", schema)
        .write("api/schemas/b/c.yaml", "$schema: http://json-schema.org/draft-07/schema#\n");
    for command in ["check", "init"] {
        let ran = run(&repo.path(""), &[command]);
        let said = "`api/schemas/a.json` and 1 more are JSON Schemas by their `$schema`, and not by their names";
        assert!(ran.code == 0 && ran.out.contains(said), "{}{}", ran.out, ran.err);
        assert!(ran.out.contains("`wireproof check api/schemas`"), "{}", ran.out);
    }
    let ran = run(&repo.path(""), &["check", "api/schemas"]);
    assert!(ran.code == 0 && !ran.out.contains("by their `$schema`"), "{}{}", ran.out, ran.err);
    repo.write("x.proto", OLD);
    assert!(!run(&repo.path(""), &["check"]).out.contains("by their `$schema`"));
}

#[test]
fn no_entry_is_told_that_may_match_what_is_not_seen() {
    if git_is_missing() {
        return;
    }
    let repo = with("exclude: [gone/, proto/]\nroots: {old: {mode: none}}\n");
    repo.write("shop/order.proto", NEW);
    // What only the old version has is something; two folders, and parts of a version, say nothing of the rest.
    repo.write("gone/x.proto", OLD).write("old/x.proto", OLD);
    commit(&repo, "what goes");
    git(&repo.path(""), &["rm", "--quiet", "-r", "gone", "old"]);
    for arguments in
        [&["check", "--against", "git:HEAD"][..], &["compare", "git:HEAD:shop", "shop"], &["compare", "shop", "proto"]]
    {
        let ran = run(&repo.path(""), arguments);
        assert!(!ran.out.contains("matches no schema"), "{arguments:?}{}{}", ran.out, ran.err);
    }
    let ran = run(&repo.path(""), &["check", "--against", "git:main", "--type", "avro"]);
    assert!(!ran.out.contains("matches no schema"), "{}{}", ran.out, ran.err);
}

#[test]
fn what_is_written_wrong_is_told_in_words() {
    if git_is_missing() {
        return;
    }
    for (configuration, said) in [
        (
            "roots:\n  proto: {mode: full}\n  proto/: {mode: none}\n",
            "the folder `proto` is given twice in `roots`, here as `proto/`",
        ),
        ("roots:\n  proto: {mode: full}\n  ./proto: {mode: none}\n", "the folder `proto` is given twice in `roots`"),
        ("roots:\n  .: {mode: full}\n  ./: {mode: none}\n", "the folder `.` is given twice in `roots`"),
        ("history: {depth: 0}\n", "expected a number from 1 on"),
        ("mode: full\n---\nmode: none\n", "a second document begins here"),
    ] {
        let ran = run(&with(configuration).path(""), &["check"]);
        assert!(ran.code == 2 && ran.err.contains(said), "{configuration}{}{}", ran.out, ran.err);
        assert!(ran.err.contains("wireproof.yaml:"), "{configuration}{}", ran.err);
        for word in ["untagged", "from_str", "RawHistory"] {
            assert!(!ran.err.contains(word), "{configuration}{}", ran.err);
        }
    }
    let repo = with("");
    repo.write("x.schema.yaml", "$schema: https://json-schema.org/draft/2020-12/schema\n---\ntype: string\n");
    let ran = run(&repo.path(""), &["check"]);
    assert!(ran.out.contains("a second document begins here") && !ran.out.contains("from_str"), "{}", ran.out);
}
