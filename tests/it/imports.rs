//! What an import leads to, what happens when it leads nowhere, and whose problems excuse nobody.

use wireproof::change::Pair;
use wireproof::formats::protobuf::model::{Kind, Schema};
use wireproof::formats::protobuf::with_schema;
use wireproof::formats::{CheckOptions, Format, LibraryFile, check_pair};
use wireproof::source::Snapshot;
use wireproof::syntax::problem::{Problem, Severity};

fn snapshot(files: &[(&str, &str)]) -> Snapshot {
    Snapshot::from_files(files.iter().map(|(path, text)| (*path, text.as_bytes())))
}

/// The file that supplies the type of the first field of the first message of a file.
fn supplier(schema: &Schema<'_>, file: &str) -> Option<String> {
    let file = schema.files.iter().find(|candidate| *candidate.path == *file)?;
    let field = schema.message(*file.messages.first()?).fields.first()?;
    let Kind::Message(id) = field.kind else { return None };
    Some(schema.file(schema.message(id).file).path.to_string())
}

fn leads_to(files: &[(&str, &str)], options: &CheckOptions, from: &str) -> (Option<String>, Vec<Problem>) {
    with_schema(&snapshot(files), options, |schema, problems| (supplier(schema, from), problems.to_vec()))
}

const TYPE: &str = "syntax = \"proto3\"; package p; message T { int32 a = 1; }";
const USER: &str = "syntax = \"proto3\"; package u; import \"dir/t.proto\"; message U { p.T t = 1; }";

#[track_caller]
fn assert_leads(files: &[(&str, &str)], options: &CheckOptions, from: &str, expected: &str) {
    let (found, problems) = leads_to(files, options, from);
    assert_eq!(found.as_deref(), Some(expected), "{problems:?}");
    assert_eq!(problems, []);
}

#[test]
fn without_roots_the_exact_path_comes_first() {
    let files = [("dir/t.proto", TYPE), ("x/dir/t.proto", TYPE), ("x/u.proto", USER)];
    assert_leads(&files, &CheckOptions::default(), "x/u.proto", "dir/t.proto");
}

#[test]
fn without_roots_a_directory_above_the_importing_file_is_one() {
    let files = [("a/dir/t.proto", TYPE), ("b/dir/t.proto", TYPE), ("b/c/u.proto", USER)];
    assert_leads(&files, &CheckOptions::default(), "b/c/u.proto", "b/dir/t.proto");
}

#[test]
fn without_roots_the_nearest_file_of_that_ending_is_found() {
    let files = [("a/proto/dir/t.proto", TYPE), ("b/proto/dir/t.proto", TYPE), ("b/src/u.proto", USER)];
    assert_leads(&files, &CheckOptions::default(), "b/src/u.proto", "b/proto/dir/t.proto");
}

#[test]
fn given_roots_come_before_everything() {
    let files = [("dir/t.proto", TYPE), ("third_party/dir/t.proto", TYPE), ("u.proto", USER)];
    let options = CheckOptions { include: vec!["./third_party/".to_owned()], ..CheckOptions::default() };
    assert_leads(&files, &options, "u.proto", "third_party/dir/t.proto");
}

/// A file that imports `t.proto` below the path of a module, which no folder is called by.
const OF_MODULE: &str = "syntax = \"proto3\"; package u; import \"github.com/o/r/dir/t.proto\";\n\
    import \"github.com/o/r/dir/s.proto\"; message U { p.T t = 1; p.S s = 2; }";
const NEXT: &str = "syntax = \"proto3\"; package p; message S { int32 a = 1; }";

#[test]
fn the_path_of_a_module_is_left_out_where_nothing_else_leads_to_a_file() {
    let told = |files: &[(&str, &str)], include: &[&str]| {
        let include = include.iter().map(|root| (*root).to_owned()).collect();
        let (found, problems) = leads_to(files, &CheckOptions { include, ..CheckOptions::default() }, "a/u.proto");
        (found, problems.into_iter().map(|problem| problem.message + "; " + &problem.help).collect::<Vec<_>>())
    };
    let (user, t, s) = (("a/u.proto", OF_MODULE), ("dir/t.proto", TYPE), ("dir/s.proto", NEXT));
    // Once for all that begin so.
    let (found, problems) = told(&[user, t, s], &[]);
    assert_eq!(found.as_deref(), Some("dir/t.proto"));
    let [problem] = problems.as_slice() else { panic!("one problem, not {problems:?}") };
    for words in ["no folder is called `github.com/o/r`", "leads to dir/t.proto", "`-I github.com/o/r=.`"] {
        assert!(problem.contains(words), "{problem}");
    }
    // The longest end counts, and what is said comes before it.
    let longer = ("r/dir/t.proto", TYPE);
    assert_eq!(told(&[user, t, s, longer], &[]).0.as_deref(), Some("r/dir/t.proto"));
    let elsewhere = [("lib/dir/t.proto", TYPE), ("lib/dir/s.proto", NEXT)];
    let all = [&[user, t, s][..], &elsewhere].concat();
    assert_eq!(told(&all, &["github.com/o/r=lib"]), (Some("lib/dir/t.proto".to_owned()), vec![]));
    assert_eq!(told(&[user, t, s], &["github.com/o/r="]), (Some("dir/t.proto".to_owned()), vec![]));
    assert_eq!(told(&[user, elsewhere[0], elsewhere[1]], &["lib"]).0.as_deref(), Some("lib/dir/t.proto"));
    // A folder may be called so.
    let odd = [user, ("x=y/github.com/o/r/dir/t.proto", TYPE), ("x=y/github.com/o/r/dir/s.proto", NEXT)];
    assert_eq!(told(&odd, &["x=y"]), (Some("x=y/github.com/o/r/dir/t.proto".to_owned()), vec![]));
    // Two that it may be, one that declares nothing of what is used, and a name alone.
    let two = [user, ("one/dir/t.proto", TYPE), ("two/dir/t.proto", TYPE)];
    let foreign = [user, ("dir/t.proto", "syntax = \"proto3\"; package other; message T {}")];
    let alone = [user, ("t.proto", TYPE)];
    for (files, include) in [(&two[..], &["one", "two"][..]), (&foreign, &[]), (&alone, &[])] {
        let (found, problems) = told(files, include);
        assert_eq!(found, None, "{files:?}");
        assert!(problems.iter().all(|problem| problem.contains("was not found: ")), "{problems:?}");
    }
}

#[test]
fn what_is_built_in_is_found_before_the_end_of_its_path() {
    let user = "syntax = \"proto3\"; import \"google/protobuf/any.proto\"; message U { google.protobuf.Any t = 1; }";
    let files =
        [("protobuf/any.proto", "syntax = \"proto3\"; package google.protobuf; message Any {}"), ("u.proto", user)];
    assert_leads(&files, &CheckOptions::default(), "u.proto", "google/protobuf/any.proto");
}

#[test]
fn buf_names_the_roots_of_its_modules() {
    let buf = "version: v2\nmodules:\n  - path: one\n  - path: two/proto\n";
    let files = [("buf.yaml", buf), ("one/u.proto", USER), ("two/proto/dir/t.proto", TYPE), ("one/zdir/t.proto", TYPE)];
    assert_leads(&files, &CheckOptions::default(), "one/u.proto", "two/proto/dir/t.proto");
}

#[test]
fn older_files_of_buf_name_roots_too() {
    let files = [
        ("buf.work.yaml", "version: v1\ndirectories:\n  - api\n  - lib\n"),
        ("api/u.proto", USER),
        ("lib/buf.yaml", "version: v1\n"),
        ("lib/dir/t.proto", TYPE),
    ];
    assert_leads(&files, &CheckOptions::default(), "api/u.proto", "lib/dir/t.proto");
    let files = [
        ("buf.yaml", "version: v1beta1\nbuild:\n  roots:\n    - api\n    - lib\n"),
        ("api/u.proto", USER),
        ("lib/dir/t.proto", TYPE),
    ];
    assert_leads(&files, &CheckOptions::default(), "api/u.proto", "lib/dir/t.proto");
}

#[test]
fn files_that_buf_excludes_are_not_compared() {
    let buf = "version: v2\nmodules:\n  - path: .\n    excludes:\n      - draft\n";
    let old = snapshot(&[("buf.yaml", buf), ("a.proto", TYPE), ("draft/b.proto", "nonsense")]);
    let new = snapshot(&[("buf.yaml", buf), ("a.proto", TYPE), ("draft/b.proto", "other nonsense")]);
    let checked = check_pair(Format::Protobuf, Pair::new(&old, &new), &CheckOptions::default());
    assert_eq!((checked.files, checked.files_parsed), (Pair::new(1, 1), 1));
    assert_eq!(checked.problems, Pair::new(vec![], vec![]));
}

#[test]
fn a_broken_buf_yaml_is_said_and_roots_are_inferred() {
    let files = [("buf.yaml", "modules: [\n"), ("dir/t.proto", TYPE), ("u.proto", USER)];
    let (found, problems) = leads_to(&files, &CheckOptions::default(), "u.proto");
    assert_eq!(found.as_deref(), Some("dir/t.proto"));
    let [problem] = problems.as_slice() else { panic!("one problem, not {problems:?}") };
    assert_eq!(problem.severity, Severity::Warning);
}

#[test]
fn a_library_supplies_types_and_is_not_judged() {
    let library = vec![LibraryFile { import_path: "dir/t.proto".to_owned(), bytes: TYPE.as_bytes().into() }];
    let options = CheckOptions { library, ..CheckOptions::default() };
    assert_leads(&[("u.proto", USER)], &options, "u.proto", "dir/t.proto");
    with_schema(&snapshot(&[("u.proto", USER)]), &options, |schema, _| {
        let judged: Vec<&str> = schema.files.iter().filter(|file| !file.is_builtin).map(|file| &*file.path).collect();
        assert_eq!(judged, ["u.proto"]);
    });
}

#[test]
fn well_known_types_are_built_in_and_a_vendored_copy_shadows_them() {
    let user = "syntax = \"proto3\"; import \"google/protobuf/any.proto\"; message U { google.protobuf.Any t = 1; }";
    assert_leads(&[("u.proto", user)], &CheckOptions::default(), "u.proto", "google/protobuf/any.proto");
    let vendored = "syntax = \"proto3\"; package google.protobuf; message Any { int32 mine = 1; }";
    let files = [("third_party/google/protobuf/any.proto", vendored), ("u.proto", user)];
    assert_leads(&files, &CheckOptions::default(), "u.proto", "third_party/google/protobuf/any.proto");
}

const OPAQUE: &str = "syntax = \"proto3\"; import \"google/api/annotations.proto\";\n\
    message U { google.api.Thing t = 1; option (google.api.label) = \"x\"; }";

#[test]
fn an_import_that_is_not_found_is_a_warning_and_its_types_are_opaque() {
    let new = snapshot(&[("a/u.proto", OPAQUE)]);
    let checked = check_pair(Format::Protobuf, Pair::new(&new, &new), &CheckOptions::default());
    let [problem] = checked.problems.new.as_slice() else { panic!("one problem, not {:?}", checked.problems.new) };
    assert_eq!(problem.severity, Severity::Warning);
    let [left_out] = checked.not_checked.as_slice() else { panic!("one entry, not {:?}", checked.not_checked) };
    assert_eq!(left_out.what, "types of google/api/annotations.proto");
    assert!(left_out.help.contains("-I"), "{}", left_out.help);
    with_schema(&new, &CheckOptions::default(), |schema, _| {
        assert_eq!(schema.messages[0].fields[0].kind, Kind::Opaque);
    });
}

#[test]
fn an_import_that_one_side_lacks_is_an_error_there_and_so_is_what_is_used_of_it() {
    let whole = snapshot(&[("proto/dir/t.proto", TYPE), ("proto/u.proto", USER)]);
    let lost = snapshot(&[("proto/u.proto", USER)]);
    let severities = |pair: Pair<&Snapshot>| {
        let checked = check_pair(Format::Protobuf, pair, &CheckOptions::default());
        checked.problems.map(|side| side.iter().map(|problem| problem.severity).collect::<Vec<_>>())
    };
    assert_eq!(severities(Pair::new(&whole, &lost)), Pair::new(vec![], vec![Severity::Aside; 2]));
    assert_eq!(severities(Pair::new(&lost, &whole)), Pair::new(vec![Severity::Aside; 2], vec![]));
    assert_eq!(severities(Pair::new(&lost, &lost)), Pair::new(vec![Severity::Warning], vec![Severity::Warning]));
}

#[test]
fn an_import_that_took_the_place_of_another_is_told_where_others_miss_the_same() {
    let other = "syntax = \"proto3\"; import \"lib/stray.proto\"; message Other { x.Stray s = 1; }";
    let user = |path: &str| format!("syntax = \"proto3\"; import \"{path}\"; message User {{ lib.B b = 1; }}");
    let lib = "syntax = \"proto3\"; package lib; message B { int32 b = 1; }";
    let side = |path: &str| snapshot(&[("0.proto", other), ("a.proto", &user(path)), ("lib/b.proto", lib)]);
    let (before, after) = (side("lib/b.proto"), side("lib/stray.proto"));
    let checked = check_pair(Format::Protobuf, Pair::new(&before, &after), &CheckOptions::default());
    let aside = checked.problems.new.iter().filter(|problem| problem.severity == Severity::Aside);
    let told: Vec<&str> = aside.map(|problem| problem.message.as_str()).collect();
    assert!(told.iter().any(|message| message.contains("took the place of `lib/b.proto`")), "{told:?}");
    assert!(checked.missing.iter().eq(["lib/stray.proto"]), "{:?}", checked.missing);
}

#[test]
fn a_guess_is_dropped_where_other_imports_supply_what_it_could() {
    let own = "syntax = \"proto3\"; package log; import \"google/protobuf/descriptor.proto\";\n\
        extend google.protobuf.FieldOptions { string name = 50001; }";
    let user = "syntax = \"proto3\"; package rpc; import \"options.proto\"; import \"log/options.proto\";\n\
        message R { string a = 1 [(log.name) = \"a\"]; }\n\
        service S { rpc Check(R) returns (R) { option (away.options).multi = true; } }";
    let files = [("p/log/options.proto", own), ("p/rpc/agent.proto", user)];
    let side = snapshot(&files);
    let checked = check_pair(Format::Protobuf, Pair::new(&side, &side), &CheckOptions::default());
    let told: Vec<&Problem> = checked.problems.new.iter().collect();
    assert!(told.iter().all(|problem| problem.severity == Severity::Warning), "{told:?}");
    assert!(told.iter().any(|problem| problem.message.contains("`options.proto` was not found")), "{told:?}");
}

#[test]
fn strict_imports_make_it_an_error() {
    let options = CheckOptions { strict_imports: true, ..CheckOptions::default() };
    let (_, problems) = leads_to(&[("a/u.proto", OPAQUE)], &options, "a/u.proto");
    assert_eq!(problems.iter().map(|problem| problem.severity).collect::<Vec<_>>(), [Severity::Error]);
}

#[test]
fn where_buf_knows_the_dependency_the_help_is_its_command() {
    let buf = "version: v2\ndeps:\n  - buf.build/googleapis/googleapis\n";
    let (_, problems) = leads_to(&[("buf.yaml", buf), ("a/u.proto", OPAQUE)], &CheckOptions::default(), "a/u.proto");
    assert!(problems[0].help.contains("buf export"), "{}", problems[0].help);
}

#[test]
fn copies_that_never_meet_may_define_one_name() {
    let files = [("a/t.proto", TYPE), ("b/t.proto", "syntax = \"proto3\"; package p; message T {}")];
    let (_, problems) = leads_to(&files, &CheckOptions::default(), "a/t.proto");
    assert_eq!(problems, []);
}

#[test]
fn a_problem_far_from_every_change_is_only_a_warning_when_asked() {
    let broken = "syntax = \"proto3\"; message B { Missing m = 1; }";
    let old = snapshot(&[("broken.proto", broken), ("t.proto", TYPE)]);
    let new = snapshot(&[("broken.proto", broken), ("t.proto", "syntax = \"proto3\"; package p; message T {}")]);
    let severities = |options: &CheckOptions| {
        let checked = check_pair(Format::Protobuf, Pair::new(&old, &new), options);
        checked.problems.map(|side| side.iter().map(|problem| problem.severity).collect::<Vec<_>>())
    };
    assert_eq!(severities(&CheckOptions::default()), Pair::new(vec![Severity::Error], vec![Severity::Error]));
    let lenient = CheckOptions { lenient_unchanged: true, ..CheckOptions::default() };
    assert_eq!(severities(&lenient), Pair::new(vec![], vec![]));
    let lenient = CheckOptions { everything: true, ..lenient };
    assert_eq!(severities(&lenient), Pair::new(vec![Severity::Warning], vec![Severity::Warning]));
}

#[test]
fn a_file_is_not_far_from_a_change_that_reaches_it_through_imports() {
    let user = "syntax = \"proto3\"; import \"t.proto\"; message B { p.T t = 1; }";
    let old = snapshot(&[("u.proto", user), ("t.proto", TYPE)]);
    let lenient = CheckOptions { lenient_unchanged: true, ..CheckOptions::default() };
    for new in
        [snapshot(&[("u.proto", user), ("t.proto", "syntax = \"proto3\"; package p;")]), snapshot(&[("u.proto", user)])]
    {
        let checked = check_pair(Format::Protobuf, Pair::new(&old, &new), &lenient);
        assert!(
            checked.problems.new.iter().any(|problem| problem.severity == Severity::Error),
            "{:?}",
            checked.problems
        );
    }
}

#[test]
fn each_content_is_parsed_once() {
    let files = [("a/t.proto", TYPE), ("b/t.proto", TYPE), ("c.proto", "syntax = \"proto3\";")];
    let checked =
        check_pair(Format::Protobuf, Pair::new(&snapshot(&files), &snapshot(&files)), &CheckOptions::default());
    assert_eq!((checked.files, checked.files_parsed), (Pair::new(3, 3), 2));
}
