//! What a check leaves aside changes nothing: in trees of many schemas of which a few change, the check that looks at
//! what the change has to do with finds the same as the one that looks at everything.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use crate::laws_random::{make, mutation, print, schema};
use crate::support::{Case, all_cases, snapshot};
use wireproof::change::Pair;
use wireproof::formats::{CheckOptions, Checked, Format, check_pair, declared};
use wireproof::source::Snapshot;
use wireproof::syntax::problem::{Problem, Severity};

/// Trees for each language, unless `NARROW_TREES` says otherwise; `.ci/run` says 60.
const TREES: usize = 30;

/// Random changes of one schema, unless `NARROW_PAIRS` says otherwise; `.ci/run` says 200.
const PAIRS: usize = 100;

/// Random lineages of versions, unless `NARROW_LINEAGES` says otherwise; `.ci/run` says 40.
const LINEAGES: usize = 20;

/// Numbers from a seed (a linear congruential generator with Knuth's constants).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits fit") % limit
    }
}

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// A Cap'n Proto file with other ids: cases are written with the same ones, and files of one id have to do with each other.
fn with_ids_of_its_own(bytes: &[u8], index: usize) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split("@0x");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| !letter.is_ascii_hexdigit()).unwrap_or(part.len());
        let (digits, rest) = part.split_at(end);
        match u64::from_str_radix(digits, 16) {
            Ok(id) if digits.len() == 16 => out += &format!("@0x{:016x}{rest}", id ^ ((index as u64 + 1) << 8)),
            _ => out += &format!("@0x{part}"),
        }
    }
    out.into_bytes()
}

/// Changes a text and nothing that it says.
fn add_nothing(path: &str, text: &mut Vec<u8>) {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending {
        "proto" | "fbs" | "thrift" | "avdl" => text.splice(0..0, b"// A licence.\n\n".iter().copied()).count(),
        "capnp" => text.splice(0..0, b"# A licence.\n\n".iter().copied()).count(),
        "json" | "avsc" | "avpr" => text.splice(0..0, b"\n \n".iter().copied()).count(),
        _ => 0,
    };
}

/// Some cases side by side in folders of their own, of which a few change.
struct Tree {
    sides: Pair<Snapshot>,
    changed: BTreeSet<String>,
    names: Vec<String>,
}

fn tree(cases: &[&Case], dice: &mut Dice) -> Tree {
    let count = 2 + dice.below(30);
    let changes = 1 + dice.below(3);
    let mut files: Pair<BTreeMap<String, Vec<u8>>> = Pair::default();
    let (mut changed, mut names) = (BTreeSet::new(), Vec::new());
    for index in 0..count {
        let case = cases[dice.below(cases.len())];
        let folder = format!("c{index}");
        let put = |to: &mut BTreeMap<String, Vec<u8>>, from: &Snapshot| {
            let copied = |path: &str, bytes: &[u8]| match path.ends_with(".capnp") && index % 8 != 1 {
                true => with_ids_of_its_own(bytes, index),
                false => bytes.to_vec(),
            };
            to.extend(from.iter().map(|(path, file)| (format!("{folder}/{path}"), copied(path, &file.bytes))));
        };
        put(&mut files.old, &case.sides.old);
        put(&mut files.new, if index < changes { &case.sides.new } else { &case.sides.old });
        if index >= changes && dice.below(4) == 0 {
            let of_case = files.new.iter_mut().filter(|(path, _)| path.starts_with(&format!("{folder}/")));
            of_case.for_each(|(path, text)| add_nothing(path, text));
        }
        if index < changes {
            changed.insert(format!("{folder}/"));
            names.push(case.name.clone());
        }
    }
    Tree { sides: files.map(Snapshot::from_files), changed, names }
}

fn spelled<T: Debug>(all: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut all: Vec<String> = all.into_iter().map(|one| format!("{one:?}")).collect();
    all.sort();
    all
}

/// The problems of what changed, and all errors.
fn problems<'p>(problems: &'p [Problem], changed: &BTreeSet<String>) -> impl Iterator<Item = &'p Problem> {
    problems.iter().filter(move |problem| {
        let file = problem.site.as_ref().map(|site| &*site.file);
        let is_near = file.is_none_or(|file| changed.iter().any(|folder| file.starts_with(folder)));
        problem.severity != Severity::Warning || is_near
    })
}

/// Whether a warning says that an import leads nowhere.
fn is_of_import(problem: &Problem) -> bool {
    problem.severity == Severity::Warning
        && problem.message.contains("was not found: its types are compared by name only")
}

/// What was found, without warnings of imports that another check has on the same side, at whichever file.
fn without_what_is_said_in(other: &Checked, checked: &Checked) -> Checked {
    let mut checked = checked.clone();
    for (problems, others) in
        [(&mut checked.problems.old, &other.problems.old), (&mut checked.problems.new, &other.problems.new)]
    {
        problems.retain(|one| !is_of_import(one) || others.iter().all(|other| other.message != one.message));
    }
    checked
}

fn differences(tree: &Tree, narrow: &Checked, full: &Checked) -> Vec<String> {
    let parts = |checked: &Checked| {
        [
            ("changes", spelled(&checked.changes)),
            ("observations", spelled(&checked.observed.observations)),
            ("exercised", spelled(&checked.observed.exercised)),
            ("problems of the old side", spelled(problems(&checked.problems.old, &tree.changed))),
            ("problems of the new side", spelled(problems(&checked.problems.new, &tree.changed))),
            ("files", spelled([checked.files])),
        ]
    };
    // What is missing is said once, at the first file that leads there: where all is looked at, that may be one aside.
    let (narrow, full) = (&without_what_is_said_in(full, narrow), &without_what_is_said_in(narrow, full));
    let mut found = Vec::new();
    for ((what, narrow), (_, full)) in parts(narrow).into_iter().zip(parts(full)) {
        let only = |some: &[String], others: &[String]| -> Vec<String> {
            some.iter().filter(|one| !others.contains(one)).take(2).cloned().collect()
        };
        if narrow != full {
            found.push(format!(
                "{what}:\n  narrow only: {:#?}\n  full only: {:#?}",
                only(&narrow, &full),
                only(&full, &narrow)
            ));
        }
    }
    found
}

#[test]
fn what_is_left_aside_changes_nothing() {
    let (trees, seed) = (number("NARROW_TREES", TREES), number("NARROW_SEED", 1));
    let all = all_cases();
    let mut broken = Vec::new();
    for format in Format::ALL.iter().copied() {
        let cases: Vec<&Case> = all.iter().filter(|case| case.format == format && case.roots.is_empty()).collect();
        let mut left_aside = 0;
        for index in 0..trees {
            let mut dice = Dice((seed as u64) << 32 | index as u64);
            let tree = tree(&cases, &mut dice);
            let check = |everything: bool| {
                let options = CheckOptions { lenient_unchanged: true, everything, ..CheckOptions::default() };
                check_pair(format, tree.sides.as_ref(), &options)
            };
            let (narrow, full) = (check(false), check(true));
            left_aside += usize::from(narrow.looked_at.new < full.looked_at.new);
            let found = differences(&tree, &narrow, &full);
            if !found.is_empty() {
                broken.push(format!("{} {index} ({}):\n{}", format.name(), tree.names.join(", "), found.join("\n")));
            }
        }
        if left_aside * 4 <= trees {
            broken.push(format!("{format:?}: only in {left_aside} of {trees} trees something was left aside"));
        }
    }
    assert!(broken.is_empty(), "{} times:\n{}", broken.len(), broken.join("\n\n"));
}

/// A file that has to do with all messages of a schema: it holds them in every way, and extends those that can be.
fn user(messages: &[String]) -> String {
    let mut text = "syntax = \"proto2\"; package user; import \"main.proto\"; import \"other.proto\";".to_owned();
    text.push_str(" import \"google/protobuf/descriptor.proto\"; message User {\n");
    for (at, name) in messages.iter().enumerate() {
        let at = at * 5;
        let numbers = [at + 1, at + 2, at + 3, at + 4];
        let [one, list, map, arm] = numbers;
        text.push_str(&format!("optional .{name} f{one} = {one}; repeated .{name} f{list} = {list};\n"));
        text.push_str(&format!("map<string, .{name}> f{map} = {map}; oneof o{arm} {{ .{name} f{arm} = {arm}; }}\n"));
    }
    text.push_str("}\nextend google.protobuf.FieldOptions {\n");
    for (at, name) in messages.iter().enumerate() {
        text.push_str(&format!("optional .{name} x{at} = {};\n", 70_000 + at));
    }
    text.push_str("}\n");
    text
}

/// The messages that a side declares at the top of a file: others may be local to it.
fn messages(side: &Snapshot) -> BTreeSet<String> {
    let is_message = |name: &str| {
        let mut parts = name.rsplit('.').map(|part| part.starts_with('M'));
        parts.next() == Some(true) && parts.next() != Some(true)
    };
    declared(side).into_iter().map(|(_, name)| name).filter(|name| is_message(name)).collect()
}

#[test]
fn who_uses_what_gained_something_need_not_be_asked() {
    let (pairs, seed) = (number("NARROW_PAIRS", PAIRS), number("NARROW_SEED", 1));
    let (mut broken, mut inside) = (Vec::new(), 0);
    for index in 0..pairs {
        let mut dice = schema::Dice((seed as u64) << 32 | index as u64);
        let old = make::schema(&mut dice);
        let new = mutation::mutate(&old, &mut dice, 1);
        let mut files = Pair::new(print::print(&old), print::print(&new));
        let sides = files.as_ref().map(snapshot);
        let both: Vec<String> = messages(&sides.old).intersection(&messages(&sides.new)).cloned().collect();
        for side in [&mut files.old, &mut files.new] {
            side.entry("other.proto".to_owned()).or_insert_with(|| "syntax = \"proto3\";".to_owned());
            side.insert("user.proto".to_owned(), user(&both));
            side.extend((0..10).map(|at| (format!("o{at}.proto"), other("proto", at))));
        }
        let sides = files.as_ref().map(snapshot);
        let tree = Tree { sides, changed: BTreeSet::from([String::new()]), names: Vec::new() };
        let check = |everything: bool| {
            let options = CheckOptions { lenient_unchanged: true, everything, few: 0, ..CheckOptions::default() };
            check_pair(Format::Protobuf, tree.sides.as_ref(), &options)
        };
        let narrow = check(false);
        if narrow.files_parsed > 4 || narrow.changes.is_empty() {
            continue;
        }
        inside += 1;
        let found = differences(&tree, &narrow, &check(true));
        if !found.is_empty() {
            broken.push(format!("{index}:\n{}\n{:#?}", found.join("\n"), files));
        }
    }
    println!("{inside} of {pairs} changes stay inside of their files");
    assert!(broken.is_empty(), "{} times:\n{}", broken.len(), broken[..broken.len().min(3)].join("\n\n"));
    assert!(inside * 20 > pairs, "only {inside} of {pairs} changes stay inside of their files");
}

/// Files that use enums in every way, or lead to them; with each enum come a value that both sides have and whether
/// its first value is 0.
fn enum_users(enums: &[(String, String, bool)]) -> Vec<(&'static str, String)> {
    const HEAD: &str = "syntax = \"proto2\"; package";
    let mut uses = format!("{HEAD} user; import \"main.proto\"; import \"other.proto\";");
    uses.push_str(" import \"google/protobuf/descriptor.proto\";\n");
    let (mut fields, mut options, mut set, mut far) = (String::new(), String::new(), String::new(), String::new());
    for (at, (name, value, starts_with_zero)) in enums.iter().enumerate() {
        let [one, list, map, arm] = [1, 2, 3, 4].map(|number| at * 5 + number);
        fields.push_str(&format!(
            "optional .{name} f{one} = {one} [default = {value}]; repeated .{name} f{list} = {list};\n"
        ));
        fields.push_str(&format!("oneof o{arm} {{ .{name} f{arm} = {arm}; }}\n"));
        if *starts_with_zero {
            fields.push_str(&format!("map<string, .{name}> f{map} = {map};\n"));
        }
        options.push_str(&format!("optional .{name} x{at} = {};\n", 70_000 + at));
        set.push_str(&format!("optional string s{at} = {} [(x{at}) = {value}];\n", at + 1));
        far.push_str(&format!("message F{at} {{ required .{name} e = 1; }}\n"));
    }
    uses.push_str(&format!("message Uses {{ {fields} }}\nextend google.protobuf.FieldOptions {{ {options} }}\n"));
    uses.push_str(&format!("message Set {{ {set} }}\n"));
    let holder = "import \"uses.proto\"; message Holder { optional user.Uses one = 1; repeated user.Uses list = 2;
        map<string, user.Uses> map = 3; oneof o { user.Uses arm = 4; } optional user.Set set = 5; }
        service S { rpc Do(user.Uses) returns (Holder); }";
    vec![
        ("uses.proto", uses),
        ("holder.proto", format!("{HEAD} holder; {holder}")),
        ("relay.proto", format!("{HEAD} relay; import public \"main.proto\"; import public \"other.proto\";")),
        ("far.proto", format!("{HEAD} far; import \"relay.proto\"; {far}")),
        ("held.proto", format!("{HEAD} held; import \"far.proto\"; message Held {{ repeated far.F0 list = 1; }}")),
    ]
}

#[test]
fn who_uses_an_enum_is_looked_at_and_a_new_file_changes_nothing_else() {
    let (pairs, seed) = (number("NARROW_PAIRS", PAIRS), number("NARROW_SEED", 1));
    let (mut broken, mut left_aside, mut of_enums) = (Vec::new(), 0, 0);
    for index in 0..pairs {
        let mut dice = schema::Dice((seed as u64) << 32 | index as u64 | 1 << 63);
        let old = make::schema(&mut dice);
        let new = mutation::mutate(&old, &mut dice, 2);
        let enums = |of: &schema::Schema| -> BTreeMap<String, schema::EnumFacts> {
            of.names().into_values().filter_map(|named| Some((named.full_name, named.enumeration?))).collect()
        };
        let after = enums(&new);
        let both = enums(&old).into_iter().filter_map(|(name, was)| {
            // One that is declared in a message may be local to its file.
            let is = after.get(&name).filter(|_| !name.rsplit('.').skip(1).any(|part| part.starts_with('M')))?;
            let value = was.names.into_iter().find(|value| is.names.contains(value))?;
            Some((name, value, was.starts_with_zero && is.starts_with_zero))
        });
        let both: Vec<_> = both.collect();
        if both.is_empty() {
            continue;
        }
        let users = enum_users(&both);
        let mut files = Pair::new(print::print(&old), print::print(&new));
        for side in [&mut files.old, &mut files.new] {
            side.entry("other.proto".to_owned()).or_insert_with(|| "syntax = \"proto3\";".to_owned());
            side.extend(users.iter().map(|(path, text)| ((*path).to_owned(), text.clone())));
            side.extend((0..10).map(|at| (format!("o{at}.proto"), other("proto", at))));
        }
        if dice.below(3) == 0 {
            let package = ["shop.v1", "shop", "user", "", "fresh"][dice.below(5)];
            let package = if package.is_empty() { String::new() } else { format!("package {package};") };
            let name = ["Uses", "Fresh", "M1", "v1"][dice.below(4)];
            let text = format!("syntax = \"proto3\"; {package} message {name} {{ enum I {{ Z = 0; }} I i = 1; }}");
            files.new.insert("fresh.proto".to_owned(), text);
        }
        let sides = files.as_ref().map(snapshot);
        let tree = Tree { sides, changed: BTreeSet::from([String::new()]), names: Vec::new() };
        let check = |everything: bool| {
            let options = CheckOptions { lenient_unchanged: true, everything, few: 0, ..CheckOptions::default() };
            check_pair(Format::Protobuf, tree.sides.as_ref(), &options)
        };
        let (narrow, full) = (check(false), check(true));
        left_aside += usize::from(!full.changes.is_empty() && narrow.looked_at.new < full.looked_at.new);
        of_enums +=
            usize::from(full.changes.iter().any(|change| format!("{:?}", change.kind).starts_with("EnumValue")));
        let found = differences(&tree, &narrow, &full);
        if !found.is_empty() {
            broken.push(format!("{index}:\n{}\n{:#?}", found.join("\n"), files));
        }
    }
    println!("{left_aside} of {pairs} times something was left aside; {of_enums} times a value of an enum changed");
    assert!(broken.is_empty(), "{} times:\n{}", broken.len(), broken[..broken.len().min(3)].join("\n\n"));
    assert!(left_aside * 4 > pairs && of_enums * 20 > pairs, "{left_aside} and {of_enums} of {pairs}");
}

/// What is special about it, the ending, the files of both sides (an empty one is not there), and how many files are looked
/// at.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str, &'static str)], usize);

/// Situations in which a file matters that the change leads to by no import; beside each, ten files that do not.
const SITUATIONS: &[Row] = &[
    (
        "a message gains a field, and others hold it",
        "proto",
        &[
            ("a", "package a; message A { string s = 1; }", "package a; message A { string s = 1; int32 t = 2; }"),
            (
                "b",
                "package b; import \"a.proto\"; message B { a.A a = 1; }",
                "package b; import \"a.proto\"; message B { a.A a = 1; }",
            ),
        ],
        1,
    ),
    (
        "a file goes that imported a built-in one, and another still does",
        "proto",
        &[
            (
                "a",
                "package a; import \"google/protobuf/field_mask.proto\"; message A { google.protobuf.FieldMask m = 1; }",
                "",
            ),
            (
                "b",
                "package b; import \"google/protobuf/field_mask.proto\"; message B { google.protobuf.FieldMask m = 1; }",
                "package b; import \"google/protobuf/field_mask.proto\"; message B { google.protobuf.FieldMask m = 1; }",
            ),
        ],
        1,
    ),
    (
        "a message is new that nobody else spells",
        "proto",
        &[
            (
                "a",
                "package a; message A { string s = 1; }",
                "package a; message A { string s = 1; } message New { A a = 1; }",
            ),
            (
                "b",
                "package b; import \"a.proto\"; message B { a.A a = 1; } message Newer {}",
                "package b; import \"a.proto\"; message B { a.A a = 1; } message Newer {}",
            ),
        ],
        1,
    ),
    (
        "a message is new, and its name is spelled by who has nothing to do with it",
        "proto",
        &[
            ("a", "package a; message A {}", "package a; message A {} message New { A a = 1; }"),
            ("b", "package b; message New { string s = 1; }", "package b; message New { string s = 1; }"),
            (
                "c",
                "package c; import \"b.proto\"; message C { b.New new = 1; }",
                "package c; import \"b.proto\"; message C { b.New new = 1; }",
            ),
        ],
        1,
    ),
    (
        "a message is new, and a name means it that meant another",
        "proto",
        &[
            ("a", "package x.y; message A {}", "package x.y; message A {} message New { string s = 1; }"),
            (
                "b",
                "package x.y; import \"a.proto\"; import \"z.proto\"; message B { New new = 1; A a = 2; }",
                "package x.y; import \"a.proto\"; import \"z.proto\"; message B { New new = 1; A a = 2; }",
            ),
            ("z", "package x; message New { int32 i = 1; }", "package x; message New { int32 i = 1; }"),
        ],
        3,
    ),
    (
        "a message is new, and a name means it elsewhere by a public import",
        "proto",
        &[
            ("a", "package x.y; message A {}", "package x.y; message A {} message New { string s = 1; }"),
            ("p", "import public \"a.proto\";", "import public \"a.proto\";"),
            (
                "b",
                "package x.y.z; import \"p.proto\"; import \"o.proto\"; message B { New new = 1; }",
                "package x.y.z; import \"p.proto\"; import \"o.proto\"; message B { New new = 1; }",
            ),
            ("o", "package x; message New { int32 i = 1; }", "package x; message New { int32 i = 1; }"),
        ],
        4,
    ),
    (
        "a message is new, and another file declares the same",
        "proto",
        &[
            ("a", "package a; message A {}", "package a; message A {} message New { string s = 1; }"),
            ("b", "package a; message New { int32 i = 1; }", "package a; message New { int32 i = 1; }"),
        ],
        2,
    ),
    (
        "a message is new, and a value of an enum is called like it",
        "proto",
        &[
            ("a", "package a; message A {}", "package a; message A {} message New { string s = 1; }"),
            ("b", "package a; enum E { Z = 0; New = 1; }", "package a; enum E { Z = 0; New = 1; }"),
        ],
        2,
    ),
    (
        "a message is new, and an import is no wrong guess any more",
        "proto",
        &[
            ("deep/q/a", "package t; message S {}", "package t; message S {} message T { string t = 1; }"),
            (
                "b/u",
                "package u; import \"q/a.proto\"; message U { t.T t = 1; }",
                "package u; import \"q/a.proto\"; message U { t.T t = 1; }",
            ),
        ],
        2,
    ),
    (
        "an enum and a service are new that nobody else spells",
        "proto",
        &[
            (
                "a",
                "package a; message A {}",
                "package a; message A {} enum E { E_Z = 0; } service S { rpc R(A) returns (A); }",
            ),
            (
                "b",
                "package b; import \"a.proto\"; message B { a.A a = 1; }",
                "package b; import \"a.proto\"; message B { a.A a = 1; }",
            ),
        ],
        1,
    ),
    (
        "an enum is new, and a message is called like its value",
        "proto",
        &[
            ("a", "package a; message A {}", "package a; message A {} enum E { Z = 0; New = 1; }"),
            ("b", "package a; message New { int32 i = 1; }", "package a; message New { int32 i = 1; }"),
        ],
        2,
    ),
    (
        "a field goes, which nobody sets",
        "proto",
        &[
            ("a", "package a; message A { string s = 1; string t = 2; }", "package a; message A { string s = 1; }"),
            (
                "b",
                "package b; import \"a.proto\"; message B { a.A a = 1; }",
                "package b; import \"a.proto\"; message B { a.A a = 1; }",
            ),
            ("c", "package c; message C { string t = 1; }", "package c; message C { string t = 1; }"),
        ],
        1,
    ),
    (
        "a field goes that an option sets",
        "proto",
        &[
            ("a", "package a; message A { string s = 1; string t = 2; }", "package a; message A { string s = 1; }"),
            (
                "b",
                "package b; import \"a.proto\"; import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FieldOptions { a.A a = 50001; }",
                "package b; import \"a.proto\"; import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FieldOptions { a.A a = 50001; }",
            ),
            (
                "c",
                "package c; import \"b.proto\"; message C { int32 c = 1 [(b.a) = { t: \"x\" }]; }",
                "package c; import \"b.proto\"; message C { int32 c = 1 [(b.a) = { t: \"x\" }]; }",
            ),
        ],
        3,
    ),
    (
        "an import is new, and what it leads to is held",
        "proto",
        &[
            (
                "a",
                "package a; message A { string s = 1; }",
                "package a; import \"b.proto\"; message A { string s = 1; b.B b = 2; }",
            ),
            ("b", "package b; message B {}", "package b; message B {}"),
            (
                "c",
                "package c; import \"a.proto\"; message C { a.A a = 1; }",
                "package c; import \"a.proto\"; message C { a.A a = 1; }",
            ),
        ],
        2,
    ),
    (
        "an import is new, and files import each other",
        "proto",
        &[
            (
                "a",
                "package a; message A { string s = 1; }",
                "package a; import \"b.proto\"; message A { string s = 1; b.B b = 2; }",
            ),
            (
                "b",
                "package b; import \"a.proto\"; message B { a.A a = 1; }",
                "package b; import \"a.proto\"; message B { a.A a = 1; }",
            ),
        ],
        2,
    ),
    (
        "a message changes, which an option holds that another file sets",
        "proto",
        &[
            (
                "a",
                "package a; message A { string s = 1; string t = 2; }",
                "package a; message A { string s = 1; int32 t = 2; }",
            ),
            (
                "b",
                "package b; import \"a.proto\"; import \"google/protobuf/descriptor.proto\"; \
                 extend google.protobuf.FieldOptions { a.A a = 50001; }",
                "package b; import \"a.proto\"; import \"google/protobuf/descriptor.proto\"; \
                 extend google.protobuf.FieldOptions { a.A a = 50001; }",
            ),
            (
                "c",
                "package c; import \"b.proto\"; message C { int32 c = 1 [(b.a).t = \"x\"]; }",
                "package c; import \"b.proto\"; message C { int32 c = 1 [(b.a).t = \"x\"]; }",
            ),
        ],
        3,
    ),
    (
        "data of any type have a place elsewhere",
        "proto",
        &[
            ("a", "package a; message Gone { string s = 1; }", "package a; message Now { string s = 1; }"),
            (
                "b",
                "package b; import \"google/protobuf/any.proto\"; message B { google.protobuf.Any any = 1; }",
                "package b; import \"google/protobuf/any.proto\"; message B { google.protobuf.Any any = 1; }",
            ),
        ],
        2,
    ),
    (
        "a service of the package says where data start",
        "proto",
        &[
            ("a", "package a; message Gone { string s = 1; } message Kept {}", "package a; message Kept {}"),
            ("b", "package a; service S {}", "package a; service S {}"),
        ],
        2,
    ),
    (
        "another file of the package has what a file lost",
        "proto",
        &[("a", "package a; message A {}", ""), ("b", "package a; message B {}", "package a; message B {}")],
        1,
    ),
    (
        "a file that is new takes the place of one that is imported",
        "proto",
        &[
            ("b/x/t", "", "package t; message T { string t = 1; }"),
            ("a/x/t", "package t; message T { int32 t = 1; }", "package t; message T { int32 t = 1; }"),
            (
                "b/u",
                "package u; import \"x/t.proto\"; message U { t.T t = 1; }",
                "package u; import \"x/t.proto\"; message U { t.T t = 1; }",
            ),
        ],
        3,
    ),
    (
        "who imports what is imported publicly",
        "proto",
        &[
            ("a", "package a; enum E { Z = 0; ONE = 1; }", "package a; enum E { Z = 0; TWO = 1; }"),
            ("b", "import public \"a.proto\";", "import public \"a.proto\";"),
            (
                "c",
                "package c; import \"b.proto\"; import \"d.proto\"; message C { a.E e = 1; d.D d = 2; }",
                "package c; import \"b.proto\"; import \"d.proto\"; message C { a.E e = 1; d.D d = 2; }",
            ),
            ("d", "package d; message D {}", "package d; message D {}"),
        ],
        4,
    ),
    (
        "a value is new, and a message is called like it",
        "proto",
        &[
            ("a", "package a; enum E { Z = 0; }", "package a; enum E { Z = 0; B = 1; }"),
            ("b", "package a; message B { string b = 1; }", "package a; message B { string b = 1; }"),
        ],
        2,
    ),
    (
        "a value is new, and nobody is called like it or has the enum",
        "proto",
        &[
            ("a", "package a; enum E { Z = 0; }", "package a; enum E { Z = 0; B = 1; }"),
            ("b", "package a; message C { string b = 1; }", "package a; message C { string b = 1; }"),
        ],
        1,
    ),
    (
        "a value is new, and a field has the enum",
        "proto",
        &[
            ("a", "package a; enum E { Z = 0; }", "package a; enum E { Z = 0; B = 1; }"),
            (
                "b",
                "import \"a.proto\"; package b; message C { map<int32, a.E> b = 1; }",
                "import \"a.proto\"; package b; message C { map<int32, a.E> b = 1; }",
            ),
            ("c", "package c; message C { string b = 1; }", "package c; message D { string b = 1; }"),
        ],
        3,
    ),
    (
        "two files declare the same",
        "proto",
        &[
            ("a", "package a; message A { string a = 1; }", "package a; message A { int32 a = 1; }"),
            ("b", "package a; message A { bytes a = 1; }", "package a; message A { bytes a = 1; }"),
        ],
        2,
    ),
    (
        "a name that an import does not lead to",
        "avsc",
        &[
            (
                "a",
                "{\"type\": \"record\", \"name\": \"n.A\", \"fields\": [{\"name\": \"a\", \"type\": \"int\"}]}",
                "{\"type\": \"record\", \"name\": \"n.A\", \"fields\": [{\"name\": \"a\", \"type\": \"string\"}]}",
            ),
            (
                "b",
                "{\"type\": \"record\", \"name\": \"m.B\", \"fields\": [{\"name\": \"a\", \"type\": \"n.A\"}]}",
                "{\"type\": \"record\", \"name\": \"m.B\", \"fields\": [{\"name\": \"a\", \"type\": \"n.A\"}]}",
            ),
        ],
        2,
    ),
    (
        "a program of the same name",
        "thrift",
        &[
            ("x/p", "struct A { 1: i32 a }", "struct A { 1: string a }"),
            ("y/p", "struct A { 1: i64 a }", "struct A { 1: i64 a }"),
        ],
        2,
    ),
    (
        "who includes what changed",
        "fbs",
        &[
            ("a", "namespace a; table A { a:int; }", "namespace a; table A { a:string; }"),
            (
                "b",
                "include \"a.fbs\"; namespace b; table B { a:a.A; } root_type B;",
                "include \"a.fbs\"; namespace b; table B { a:a.A; } root_type B;",
            ),
        ],
        2,
    ),
    (
        "an address that a schema gives itself",
        "schema.json",
        &[
            (
                "a",
                "{\"$id\": \"https://example.com/money\", \"type\": \"integer\"}",
                "{\"$id\": \"https://example.com/money\", \"type\": \"string\"}",
            ),
            (
                "b",
                "{\"properties\": {\"a\": {\"$ref\": \"https://example.com/money\"}}}",
                "{\"properties\": {\"a\": {\"$ref\": \"https://example.com/money\"}}}",
            ),
        ],
        2,
    ),
    (
        "an enum gains a value, and it matters to who uses it and not to who holds its users",
        "proto",
        &[
            ("a", "package a; enum E { N = 0; } message A {}", "package a; enum E { N = 0; M = 1; } message A {}"),
            (
                "b",
                "package b; import \"a.proto\"; message B { repeated a.E e = 1; }",
                "package b; import \"a.proto\"; message B { repeated a.E e = 1; }",
            ),
            (
                "c",
                "package c; import \"b.proto\"; message C { b.B b = 1; }",
                "package c; import \"b.proto\"; message C { b.B b = 1; }",
            ),
            (
                "d",
                "package d; import \"a.proto\"; /* E */ message D { a.A a = 1; } // M",
                "package d; import \"a.proto\"; /* E */ message D { a.A a = 1; } // M",
            ),
        ],
        2,
    ),
    (
        "a value of an enum gets another number, and an option is set to it",
        "proto",
        &[
            (
                "a",
                "package a; import \"google/protobuf/descriptor.proto\"; enum E { N = 0; M = 1; }
                 extend google.protobuf.FieldOptions { E e = 7000; }",
                "package a; import \"google/protobuf/descriptor.proto\"; enum E { N = 0; M = 2; }
                 extend google.protobuf.FieldOptions { E e = 7000; }",
            ),
            (
                "b",
                "package b; import \"a.proto\"; message B { string s = 1 [(a.e) = M]; }",
                "package b; import \"a.proto\"; message B { string s = 1 [(a.e) = M]; }",
            ),
        ],
        2,
    ),
    (
        "a file is new in a package that others have, and they do not spell what it declares",
        "proto",
        &[
            ("a", "", "package a; message New { string s = 1; } enum E { Z = 0; }"),
            ("b", "package a; message B {} // New", "package a; message B {} // New"),
            ("c", "package a.b; message C { C New = 1; }", "package a.b; message C { C New = 1; }"),
        ],
        1,
    ),
    (
        "a file is new that an import did not find",
        "proto",
        &[
            ("a", "", "package a; message A { string s = 1; }"),
            (
                "b",
                "package b; import \"a.proto\"; message B { a.A a = 1; }",
                "package b; import \"a.proto\"; message B { a.A a = 1; }",
            ),
        ],
        2,
    ),
    (
        "a file is new that declares what another declares",
        "proto",
        &[
            ("a", "", "package a; message A { string s = 1; }"),
            ("b", "package a; message A { int32 i = 1; }", "package a; message A { int32 i = 1; }"),
        ],
        2,
    ),
    (
        "a file is new, and its package is called as a message of who has nothing to do with it",
        "proto",
        &[
            ("a", "", "package b.B.c; message A {}"),
            ("b", "package b; message B { string s = 1; }", "package b; message B { string s = 1; }"),
        ],
        1,
    ),
    (
        "a value is new, and others in another package call something of theirs the same",
        "proto",
        &[
            (
                "a",
                "package g.api; message A { string s = 1; }",
                "package g.api; message A { string s = 1; } enum E { ZERO = 0; BLOCK = 1; }",
            ),
            (
                "b",
                "package g.cloud; import \"a.proto\"; enum F { Y = 0; BLOCK = 1; } message B { g.api.A a = 1; F f = 2; }",
                "package g.cloud; import \"a.proto\"; enum F { Y = 0; BLOCK = 1; } message B { g.api.A a = 1; F f = 2; }",
            ),
        ],
        1,
    ),
    (
        "a message is new that stands before a package of the same name",
        "proto",
        &[
            (
                "a",
                "package g; message A { string s = 1; }",
                "package g; message A { string s = 1; } message api { message M { string s = 1; } }",
            ),
            (
                "b",
                "package g.x; import \"a.proto\"; import \"c.proto\"; message B { api /* . */ .M m = 1; }",
                "package g.x; import \"a.proto\"; import \"c.proto\"; message B { api /* . */ .M m = 1; }",
            ),
            ("c", "package api; message M { int32 i = 1; }", "package api; message M { int32 i = 1; }"),
        ],
        3,
    ),
    (
        "a file of many names shows that an Any has a place somewhere, and so does one of few",
        "proto",
        &[
            ("a", "package a; message A { string s = 1; } message M {}", "package a; message A { string s = 1; }"),
            (
                "b",
                "package b; import \"google/protobuf/any.proto\"; import \"c.proto\"; message B { google.protobuf.Any a = 1; c.C c = 2; }",
                "package b; import \"google/protobuf/any.proto\"; import \"c.proto\"; message B { google.protobuf.Any a = 1; c.C c = 2; }",
            ),
            ("c", "package c; message C { int32 i = 1; }", "package c; message C { int32 i = 1; }"),
            (
                "d",
                "package d; import \"google/protobuf/any.proto\"; message D { google.protobuf.Any a = 1; }",
                "package d; import \"google/protobuf/any.proto\"; message D { google.protobuf.Any a = 1; }",
            ),
        ],
        2,
    ),
    (
        "a file is new, and nearer to an import than another",
        "proto",
        &[
            ("x/d/a", "", "package a; message A { string s = 1; }"),
            ("y/d/a", "package a; message A { int32 i = 1; }", "package a; message A { int32 i = 1; }"),
            (
                "x/b",
                "package b; import \"d/a.proto\"; message B { a.A a = 1; }",
                "package b; import \"d/a.proto\"; message B { a.A a = 1; }",
            ),
        ],
        3,
    ),
    (
        "a package that is built in, of which another file still has a part",
        "proto",
        &[
            (
                "a",
                "package a; import \"google/protobuf/any.proto\"; message A { google.protobuf.Any x = 1; }",
                "package a; message A {}",
            ),
            (
                "b",
                "package b; import \"google/protobuf/empty.proto\"; message B { google.protobuf.Empty x = 1; }",
                "package b; import \"google/protobuf/empty.proto\"; message B { google.protobuf.Empty x = 1; }",
            ),
        ],
        2,
    ),
];

#[test]
fn what_a_change_leads_to_by_no_import_is_looked_at() {
    for (what, ending, files, most) in SITUATIONS {
        let side = |text: &dyn Fn(&(&str, &str, &str)) -> String| {
            let own = files.iter().map(|row| (format!("{}.{ending}", row.0), text(row)));
            let own = own.filter(|(_, text)| !text.is_empty());
            let others = (0..10).map(|at| (format!("o{at}.{ending}"), other(ending, at)));
            Snapshot::from_files(own.chain(others).map(|(path, text)| (path, text.into_bytes())))
        };
        let syntax = |text: &str| match (*ending, text) {
            ("proto", text) if !text.is_empty() => format!("syntax = \"proto3\"; {text}"),
            (_, text) => text.to_owned(),
        };
        let sides = Pair::new(side(&|row| syntax(row.1)), side(&|row| syntax(row.2)));
        let tree = Tree { sides, changed: BTreeSet::from([String::new()]), names: Vec::new() };
        let format = Format::of_path(&format!("a.{ending}")).expect("it is a schema's");
        let check = |everything: bool| {
            let options = CheckOptions { lenient_unchanged: true, everything, few: 0, ..CheckOptions::default() };
            check_pair(format, tree.sides.as_ref(), &options)
        };
        let (narrow, full) = (check(false), check(true));
        let found = differences(&tree, &narrow, &full);
        assert!(!full.changes.is_empty(), "{what}");
        assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
        assert_eq!(narrow.looked_at.new, *most, "{what}");
    }
}

/// A schema that has to do with nothing.
fn other(ending: &str, at: usize) -> String {
    match ending {
        "proto" => format!("syntax = \"proto3\"; package o{at}; message O {{ string o = 1; }}"),
        "fbs" => format!("namespace o{at}; table O {{ o:int; }} root_type O;"),
        "thrift" => "struct O { 1: string o }".to_owned(),
        "schema.json" => format!("{{\"type\": \"object\", \"properties\": {{\"o{at}\": {{\"type\": \"string\"}}}}}}"),
        _ => format!("{{\"type\": \"enum\", \"name\": \"o{at}.O\", \"symbols\": [\"A\"]}}"),
    }
}

/// A path of a lineage.
fn lineage_path(dice: &mut Dice) -> String {
    const FOLDERS: [&str; 4] = ["", "a/", "b/", "b/a/"];
    format!("{}f{}.proto", FOLDERS[dice.below(FOLDERS.len())], dice.below(9))
}

/// The text of a file of a lineage, by its path.
fn lineage_text(dice: &mut Dice, own: &str) -> String {
    let package = ["p", "p.q", "r"][dice.below(3)];
    let mut text = format!("syntax = \"proto3\";\npackage {package};\n");
    for _ in 0..dice.below(4) {
        let import = match dice.below(6) {
            0 => "google/protobuf/any.proto".to_owned(),
            1 => format!("f{}.proto", dice.below(9)),
            _ => lineage_path(dice),
        };
        let is_before = |one: &str, other: &str| one.rsplit('/').next() < other.rsplit('/').next();
        if (import.starts_with("google/") || is_before(&import, own)) && !text.contains(&format!("\"{import}\"")) {
            let public = if dice.below(4) == 0 { "public " } else { "" };
            text.push_str(&format!("import {public}\"{import}\";\n"));
        }
    }
    if text.contains("any.proto") {
        let name: String = own.chars().filter(char::is_ascii_alphanumeric).collect();
        text.push_str(&format!("message Any{name} {{ google.protobuf.Any any = 1; }}\n"));
    }
    for at in 0..dice.below(4) {
        let name = format!("M{}{at}", dice.below(30));
        let number = 1 + dice.below(3);
        let ty = ["int32", "string", "bytes"][dice.below(3)];
        let inner = ["", "enum I { N = 0; }", "message I {}", "// an enum"][dice.below(4)];
        text.push_str(&format!("message {name} {{ {ty} x = {number}; {inner}\n}}\n"));
        if dice.below(6) == 0 {
            text.push_str(&format!("service S{} {{ rpc Do({name}) returns ({name}); }}\n", dice.below(90)));
        }
    }
    if dice.below(3) == 0 {
        text.push_str(&format!("enum E{} {{ Z{} = 0; }}\n", dice.below(90), dice.below(900)));
    }
    if dice.below(6) == 0 {
        let number = 1000 + dice.below(900);
        text.push_str("import \"google/protobuf/descriptor.proto\";\n");
        text.push_str(&format!("extend google.protobuf.FileOptions {{ string e{number} = {number}; }}\n"));
    }
    text
}

/// Versions of a tree, one after the other: files come, go, change and import others, and some are called alike.
fn lineage(dice: &mut Dice) -> Vec<Snapshot> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for _ in 0..14 {
        let path = lineage_path(dice);
        let text = lineage_text(dice, &path);
        files.insert(path, text);
    }
    let mut versions = Vec::new();
    for _ in 0..8 {
        versions.push(Snapshot::from_files(files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes()))));
        for _ in 0..1 + dice.below(3) {
            let path = lineage_path(dice);
            match (dice.below(4), files.get_mut(&path)) {
                (0, _) => drop(files.remove(&path)),
                (1, Some(text)) => text.insert_str(0, &format!("// M{} is a word here\n", dice.below(30))),
                _ => {
                    let text = lineage_text(dice, &path);
                    files.insert(path, text);
                }
            }
        }
    }
    versions
}

#[test]
fn what_was_found_out_of_a_version_before_changes_nothing() {
    let (lineages, seed) = (number("NARROW_LINEAGES", LINEAGES), number("NARROW_SEED", 1));
    let mut broken = Vec::new();
    let mut left_aside = 0;
    for index in 0..lineages {
        let mut dice = Dice((seed as u64) << 32 | index as u64);
        let versions = lineage(&mut dice);
        let names = versions.iter().map(|version| version.iter().map(|(path, _)| format!("{path}/")).collect());
        let names: Vec<BTreeSet<String>> = names.collect();
        let many = CheckOptions::default().outlines.of_many_versions();
        for distance in [1, 3] {
            for at in 0..versions.len() - distance {
                let sides = Pair::new(&versions[at], &versions[at + distance]);
                let check = |everything: bool, in_parts: bool| {
                    let outlines = many.clone();
                    let options = CheckOptions {
                        lenient_unchanged: true,
                        everything,
                        few: 0,
                        outlines,
                        in_parts,
                        ..CheckOptions::default()
                    };
                    check_pair(Format::Protobuf, sides, &options)
                };
                let (narrow, full) = (check(false, false), check(true, false));
                // Of what no compiler takes there is more than one way to tell.
                let problems = full.problems.old.iter().chain(&full.problems.new);
                if problems.filter(|problem| problem.severity != Severity::Warning).count() > 0 {
                    continue;
                }
                left_aside += usize::from(narrow.looked_at.new < full.looked_at.new);
                let tree = Tree {
                    sides: sides.map(Snapshot::clone),
                    changed: names[at].union(&names[at + distance]).cloned().collect(),
                    names: Vec::new(),
                };
                let mut found = differences(&tree, &narrow, &full);
                found.extend(differences(&tree, &check(false, true), &full));
                if !found.is_empty() {
                    broken.push(format!("{index}, {at} to {}:\n{}", at + distance, found.join("\n")));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{} times:\n{}", broken.len(), broken.join("\n\n"));
    assert!(left_aside > lineages, "only {left_aside} times something was left aside");
}
