//! Avro as people keep it: in folders, several versions side by side, with names that several files define.

use std::collections::{BTreeMap, BTreeSet};

use crate::support;
use wireproof::change::Pair;
use wireproof::evidence::{Outcome, REFERENCE};
use wireproof::formats::{CheckOptions, Format, check_pair};
use wireproof::report::Report;
use wireproof::source::Snapshot;
use wireproof::verdict::{Mode, Policy};
use wireproof::vocabulary::{Direction, Verdict};

type Files = BTreeMap<String, String>;

fn files(texts: &[(&str, &str)]) -> Files {
    texts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

fn compare(old: &Files, new: &Files) -> Report {
    let sides = Pair::new(support::snapshot(old), support::snapshot(new));
    support::report(Format::Avro, sides.as_ref(), &Policy { mode: Mode::Backward, ..Policy::default() })
}

/// What fired, each as `rule path`, without notes of versions that came or went.
fn fired(report: &Report) -> Vec<String> {
    let findings = report.findings.iter().filter(|finding| !finding.rule.starts_with("avro/version-"));
    let findings = findings.filter(|finding| finding.rule != "avro/type-moved");
    findings.map(|finding| format!("{} {}", finding.rule, finding.path)).collect()
}

fn errors(report: &Report) -> Vec<String> {
    let problems = report.problems.iter().filter(|problem| problem.severity.to_string() == "error");
    problems.map(|problem| problem.message.clone()).collect()
}

fn record(name: &str, fields: &str) -> String {
    format!("{{\"type\": \"record\", \"name\": \"{name}\", \"fields\": [{fields}]}}\n")
}

const ID: &str = r#"{"name": "id", "type": "string"}"#;

/// Where the schemas of version `k` of twenty stand, and in which namespace.
struct Layout {
    title: &'static str,
    order: fn(u32) -> String,
    money: fn(u32) -> String,
    namespace: fn(u32) -> String,
}

/// `1`, `2`, … as `1.0`, `1.1`, `1.2`, `2.0`, ….
fn parts(k: u32) -> (u32, u32) {
    (k / 3 + 1, k % 3)
}

/// Ten ways to keep versions side by side.
const LAYOUTS: [Layout; 10] = [
    Layout {
        title: "a folder for each version",
        order: |k| format!("v{k}/Order.avsc"),
        money: |k| format!("v{k}/Money.avsc"),
        namespace: |_| "shop".to_owned(),
    },
    Layout {
        title: "a folder for each major and minor version",
        order: |k| format!("schema/{}/{}/order.avsc", parts(k).0, parts(k).1),
        money: |k| format!("schema/{}/{}/money.avsc", parts(k).0, parts(k).1),
        namespace: |_| "shop".to_owned(),
    },
    Layout {
        title: "the version in the names of files",
        order: |k| format!("order-v{k}.avsc"),
        money: |k| format!("money-v{k}.avsc"),
        namespace: |k| format!("shop.v{k}"),
    },
    Layout {
        title: "a folder for each type, a file for each version",
        order: |k| format!("Order/{k}.avsc"),
        money: |k| format!("Money/{k}.avsc"),
        namespace: |k| format!("shop.v{k}"),
    },
    Layout {
        title: "the version in the path and in the namespace",
        order: |k| format!("com/shop/v{k}/Order.avsc"),
        money: |k| format!("com/shop/v{k}/Money.avsc"),
        namespace: |k| format!("com.shop.v{k}"),
    },
    Layout {
        title: "the version in folders, in names of files and in the namespace",
        order: |k| format!("{0}/{1}/shop.v{0}_{1}.order.avsc", parts(k).0, parts(k).1),
        money: |k| format!("{0}/{1}/shop.v{0}_{1}.money.avsc", parts(k).0, parts(k).1),
        namespace: |k| format!("shop.v{}_{}", parts(k).0, parts(k).1),
    },
    Layout {
        title: "versions of three numbers",
        order: |k| format!("{}.{}.0/Order.avsc", parts(k).0, parts(k).1),
        money: |k| format!("{}.{}.0/Money.avsc", parts(k).0, parts(k).1),
        namespace: |_| "shop".to_owned(),
    },
    Layout {
        title: "deep below other folders",
        order: |k| format!("src/main/avro/Order/v{k}/Order.avsc"),
        money: |k| format!("src/main/avro/Order/v{k}/Money.avsc"),
        namespace: |_| "shop".to_owned(),
    },
    Layout {
        title: "dates",
        order: |k| format!("2026-01-{k:02}/order.avsc"),
        money: |k| format!("2026-01-{k:02}/money.avsc"),
        namespace: |_| "shop".to_owned(),
    },
    Layout {
        title: "a suffix of the namespace, and numbers that files count",
        order: |k| format!("{k:04}_order.avsc"),
        money: |k| format!("{k:04}_money.avsc"),
        namespace: |k| format!("shop_v{k}"),
    },
];

const VERSIONS: u32 = 20;

/// The two files of a version. Every version differs from every other one, and no two steps differ in the same way.
fn version(layout: &Layout, k: u32) -> Files {
    let namespace = (layout.namespace)(k);
    let amount = if k % 4 < 2 { "long" } else { "int" };
    let currency = if k % 5 == 4 { "\"default\": \"\", " } else { "" };
    let money = record(
        &format!("{namespace}.Money"),
        &format!(r#"{{"name": "amount", "type": "{amount}"}}, {{{currency}"name": "c{}", "type": "string"}}"#, k / 5),
    );
    let step = format!(r#"{{"name": "f{k}", "type": "int", "default": {k}}}"#);
    let order = record(
        &format!("{namespace}.Order"),
        &format!(r#"{ID}, {{"name": "price", "type": "{namespace}.Money"}}, {step}"#),
    );
    BTreeMap::from([((layout.order)(k), order), ((layout.money)(k), money)])
}

/// The versions up to one.
fn versions(layout: &Layout, last: u32) -> Files {
    (1..=last).flat_map(|k| version(layout, k)).collect()
}

#[test]
fn a_new_version_is_judged_against_the_one_before_it() {
    for layout in &LAYOUTS {
        for k in 1..VERSIONS {
            let step = format!("{}: {k} to {}", layout.title, k + 1);
            let beside = compare(&versions(layout, k), &versions(layout, k + 1));
            let alone = compare(&version(layout, k), &version(layout, k + 1));
            assert_eq!(errors(&beside), Vec::<String>::new(), "{step}");
            assert_eq!(beside.verdict, alone.verdict, "{step}");
            let mut of_alone = fired(&alone);
            of_alone.retain(|finding| !finding.starts_with("avro/file-moved"));
            assert_eq!(fired(&beside), of_alone, "{step}");
            let told: Vec<_> = beside.findings.iter().filter(|one| one.rule == "avro/version-added").collect();
            assert_eq!(told.len(), 2, "{step}");
            for (path, finding) in [((layout.money)(k), told[0]), ((layout.order)(k), told[1])] {
                let old = finding.old.as_ref().map(|at| at.file.clone());
                assert_eq!(old, Some(path.clone()), "{step}");
                assert!(finding.message.contains(&path), "{}", finding.message);
            }
        }
    }
}

#[test]
fn a_version_that_goes_is_no_removal_of_its_types() {
    for layout in &LAYOUTS {
        let all = versions(layout, VERSIONS);
        for k in 1..=VERSIONS {
            let gone = version(layout, k);
            let left: Files =
                all.iter().filter(|(path, _)| !gone.contains_key(*path)).map(|(p, t)| (p.clone(), t.clone())).collect();
            let report = compare(&all, &left);
            let rules: Vec<&str> = report.findings.iter().map(|finding| finding.rule.as_str()).collect();
            assert_eq!(rules, ["avro/version-removed"; 2], "{}: without {k}", layout.title);
            assert_eq!(report.verdict.to_string(), "compatible", "{}: without {k}", layout.title);
        }
    }
}

#[test]
fn whole_versions_compared_as_folders_are_no_removal_and_addition() {
    for layout in &LAYOUTS {
        for k in 1..VERSIONS {
            let report = compare(&version(layout, k), &version(layout, k + 1));
            let is_broken = record_step_breaks(k);
            assert_eq!(report.verdict == Verdict::Breaking, is_broken, "{}: {k}", layout.title);
        }
    }
}

/// Whether new readers cannot read what version `k` wrote: `long` became `int`, or a field without a default came.
fn record_step_breaks(k: u32) -> bool {
    let narrows = (k % 4 < 2) && (k + 1) % 4 >= 2;
    let gains = k / 5 != (k + 1) / 5;
    narrows || gains
}

#[test]
fn where_no_schema_of_a_side_continues_that_is_no_pass() {
    let old = files(&[("a.avsc", &record("x.A", ID)), ("b.avsc", &record("x.B", ID))]);
    let new = files(&[("c.avsc", &record("y.C", ID)), ("d.avsc", &record("y.D", ID))]);
    let report = compare(&old, &new);
    assert_eq!(report.verdict.to_string(), "breaking");
    assert_eq!(fired(&report)[..2], ["avro/root-type-removed x.A", "avro/root-type-removed x.B"]);
    let report = compare(&old, &files(&[("n/a.avsc", &record("y.A", ID)), ("n/b.avsc", &record("y.B", ID))]));
    let moved = |name: &str| format!("avro/file-moved n/{name}.avsc");
    let renamed = |name: &str| format!("avro/namespace-changed y.{name}");
    assert_eq!(fired(&report), [moved("a"), renamed("A"), moved("b"), renamed("B")]);
}

#[test]
fn the_definition_in_the_nearest_folder_is_meant() {
    let order = record("shop.Order", r#"{"name": "price", "type": "shop.Money"}"#);
    let money = |ty: &str| record("shop.Money", &format!(r#"{{"name": "amount", "type": "{ty}"}}"#));
    let side = |here: &str| {
        files(&[("a/orders/order.avsc", &order), ("a/money.avsc", &money(here)), ("b/money.avsc", &money("string"))])
    };
    let report = compare(&side("int"), &side("long"));
    assert_eq!((errors(&report), fired(&report)), (vec![], vec!["avro/type-widened shop.Money.amount".to_owned()]));
    let same = |at: &str| files(&[("order.avsc", &order), ("a/money.avsc", &money("int")), (at, &money("string"))]);
    let report = compare(&same("b/money.avsc"), &same("b/money.avsc"));
    assert_eq!(errors(&report).len(), 1, "two that are as near are not told apart");
}

#[test]
fn two_protocols_that_define_a_record_of_one_name_are_two() {
    let protocol = |name: &str, more: &str| {
        format!(
            r#"{{"protocol": "{name}", "namespace": "g", "types": [{}], "messages": {{}}}}"#,
            record("E", &format!("{ID}{more}"))
        )
    };
    let m = r#", {"name": "m", "type": "int"}"#;
    let side = files(&[("a.avpr", &protocol("P1", "")), ("b.avpr", &protocol("P2", m))]);
    assert_eq!(fired(&compare(&side, &side)), Vec::<String>::new());
    let idl =
        |name: &str, more: &str| format!("@namespace(\"g\") protocol {name} {{ record E {{ string id; {more} }} }}");
    let side = files(&[("a.avdl", &idl("P1", "")), ("b.avdl", &idl("P2", "int m;"))]);
    assert_eq!(fired(&compare(&side, &side)), Vec::<String>::new());
    let grown = files(&[("a.avdl", &idl("P1", "")), ("b.avdl", &idl("P2", "int m; int n;"))]);
    assert_eq!(fired(&compare(&side, &grown)), ["avro/field-added-without-default g.E.n"]);
}

#[test]
fn a_neighbour_that_cannot_be_read_is_no_pass_for_what_needs_it() {
    let uses = record("c.R", r#"{"name": "x", "type": "Nope"}"#);
    let side = files(&[("s.avsc", &uses), ("broken.avsc", "{")]);
    let report = compare(&side, &side);
    assert_eq!(report.verdict.to_string(), "unknown");
    let is_told = report.problems.iter().any(|one| one.message.contains("`c.Nope` is not defined"));
    assert!(is_told, "{:?}", errors(&report));
}

#[test]
fn a_neighbour_that_cannot_be_read_and_did_not_change_is_no_pass_either() {
    let options = CheckOptions { lenient_unchanged: true, ..CheckOptions::default() };
    let uses = |more: &str| record("c.R", &format!(r#"{{"name": "x", "type": "Money"}}{more}"#));
    let errors = |texts: Pair<&str>| {
        let side = |text: &str| support::snapshot(&files(&[("s.avsc", text), ("broken.avsc", "{")]));
        let sides = texts.map(side);
        let checked = check_pair(Format::Avro, sides.as_ref(), &options);
        checked.problems.new.iter().filter(|problem| problem.is_error()).count()
    };
    let more = r#", {"name": "n", "type": "int", "default": 0}"#;
    assert_eq!(errors(Pair::new(&uses(""), &uses(more))), 1, "what is used may stand in the file that is broken");
    let alone = |more: &str| record("c.R", &format!("{ID}{more}"));
    assert_eq!(errors(Pair::new(&alone(""), &alone(more))), 0, "nothing of the broken file is used");
}

#[test]
fn what_javas_decoder_loses_is_a_warning() {
    let note = r#"{"name": "note", "type": ["null", "string"], "default": null}"#;
    let remark = r#"{"name": "remark", "type": ["null", "string"], "default": null, "aliases": ["note"]}"#;
    let pair = |old: &str, new: &str| compare(&files(&[("a.avsc", old)]), &files(&[("a.avsc", new)]));
    let warned = |report: &Report| -> Vec<String> {
        let graves = report.findings.iter().filter(|one| one.severity.to_string() == "warning");
        graves.map(|one| one.rule.clone()).collect()
    };
    let moved =
        pair(&record("shop.Order", &format!("{ID}, {note}")), &record("shop.v2.Order", &format!("{ID}, {remark}")));
    assert_eq!(warned(&moved), ["avro/field-renamed"]);
    assert_eq!(moved.verdict, Verdict::Compatible);
    let stayed =
        pair(&record("shop.Order", &format!("{ID}, {note}")), &record("shop.Order", &format!("{ID}, {remark}")));
    assert_eq!(warned(&stayed), Vec::<String>::new());
    let late =
        r#"{"name": "kind", "type": [{"type": "enum", "name": "Kind", "symbols": ["A"]}, "null"], "default": null}"#;
    let added = pair(&record("shop.Order", ID), &record("shop.Order", &format!("{ID}, {late}")));
    assert_eq!(warned(&added), ["avro/field-added"]);
    let price = |field: &str, default: &str| {
        let inner = record("shop.Price", field);
        record("shop.Order", &format!(r#"{{"name": "price", "type": {inner}, "default": {default}}}"#))
    };
    let spelled = pair(
        &price(r#"{"name": "amount", "type": "int"}"#, r#"{"amount": 0}"#),
        &price(r#"{"name": "value", "type": "int", "aliases": ["amount"]}"#, r#"{"value": 0}"#),
    );
    assert_eq!(warned(&spelled), ["avro/field-renamed"]);
    assert_eq!(spelled.verdict, Verdict::Compatible);
    let enumeration = |name: &str| format!(r#"{{"type": "enum", "name": "{name}", "symbols": ["X", "Y"]}}"#);
    let field = |ty: &str| record("shop.Order", &format!(r#"{{"name": "e", "type": {ty}}}"#));
    let inside = pair(&field(&enumeration("a.E")), &field(&format!(r#"["null", {}]"#, enumeration("b.E"))));
    assert!(!warned(&inside).is_empty(), "{:?}", fired(&inside));
    let beside = |name: &str, ty: &str| {
        let other = record("shop.Other", &format!(r#"{{"name": "f", "type": "{ty}"}}"#));
        field(&format!("[{}, {other}]", enumeration(name)))
    };
    let moved = pair(&beside("a.E", "int"), &beside("b.E", "long"));
    assert_eq!(warned(&moved), ["avro/namespace-changed"]);
    assert_eq!(moved.verdict, Verdict::Compatible);
}

/// A default that spells a field by the name which an alias of the reader changes. As Java 1.12.1 has each.
#[test]
fn java_takes_such_a_default_only_where_another_branch_takes_it() {
    let price = |field: &str, others: &str, default: &str| {
        let inner = record("shop.Price", field);
        record("shop.Order", &format!(r#"{ID}, {{"name": "price", "type": [{inner}{others}], "default": {default}}}"#))
    };
    let is_rejected = |ty: &str, others: &str, default: &str| {
        let old = price(&format!(r#"{{"name": "amount", "type": {ty}}}"#), others, default);
        let new =
            price(&format!(r#"{{"name": "value", "type": {ty}, "aliases": ["amount"], "default": 1}}"#), others, "{}");
        let new = if ty == "\"int\"" { new } else { new.replace(r#""default": 1"#, r#""default": {}"#) };
        let report = compare(&files(&[("a.avsc", &old)]), &files(&[("a.avsc", &new)]));
        let evidence = report.findings.iter().flat_map(|finding| &finding.evidence);
        let mut of_java = evidence.filter(|one| one.runtime == REFERENCE && one.direction == Direction::Backward);
        of_java.any(|one| one.outcome == Outcome::Fails)
    };
    let map = |values: &str| format!(r#", {{"type": "map", "values": {values}}}"#);
    let other = |more: &str| record("shop.Other", &format!(r#"{{"name": "x", "type": "int"{more}}}"#));
    let beside = |other: String| format!(", {other}");
    let spelled = r#"{"amount": 0}"#;
    for others in [map(r#""int""#), map(r#""double""#), map(r#"["null", "long"]"#), beside(other(r#", "default": 0"#))]
    {
        assert!(!is_rejected(r#""int""#, &others, spelled), "{others}");
    }
    let no_list = map(r#"{"type": "array", "items": "int"}"#);
    for others in [r#", "null""#.to_owned(), map(r#""string""#), no_list, map(&other("")), beside(other(""))] {
        assert!(is_rejected(r#""int""#, &others, spelled), "{others}");
    }
    // A member that meant nothing is the field now.
    assert!(is_rejected(r#""int""#, "", r#"{"amount": 0, "value": "x"}"#));
    assert!(!is_rejected(r#""int""#, "", r#"{"amount": 0, "value": 2}"#));
    // Java looks for the fields of the record around, which has none yet, and gives up.
    let around = map(r#""Order""#) + &beside(other(r#", "default": 0"#));
    let ints = r#"{"type": "map", "values": "int"}"#;
    assert!(is_rejected(ints, &around, r#"{"amount": {}}"#));
    assert!(!is_rejected(ints, &beside(other(r#", "default": 0"#)), r#"{"amount": {}}"#));
}

#[test]
fn no_evidence_speaks_against_the_rule_that_it_stands_below() {
    let two = |aliases: &str| {
        record("R", &format!(r#"{{"name": "a", "type": "int"{aliases}}}, {{"name": "b", "type": "int"}}"#))
    };
    // The reader fails before it comes to the alias: a field is new and has no default.
    let late =
        record("R", r#"{"name": "c", "type": "int"}, {"name": "a", "type": "int", "aliases": ["b"], "default": 0}"#);
    for (old, new) in [(two(""), two(r#", "aliases": ["b"]"#)), (two(""), late)] {
        let report = compare(&files(&[("a.avsc", &old)]), &files(&[("a.avsc", &new)]));
        assert_eq!(report.verdict, Verdict::Breaking);
        let evidence = report.findings.iter().flat_map(|finding| &finding.evidence);
        let against = evidence.filter(|one| one.runtime == "spec" && one.status.to_string() == "contradicts");
        assert_eq!(against.count(), 0, "{:?}", fired(&report));
    }
}

#[test]
fn what_java_reads_though_it_stands_twice_is_judged() {
    let idl = |text: &str| files(&[("a.avdl", &format!("@namespace(\"g\") protocol P {{ {text} }}"))]);
    let side = |ty: &str| idl(&format!("record R {{ {ty} x; }} record R {{ {ty} x; }} int m(); void m({ty} y);"));
    let report = compare(&side("int"), &side("int"));
    assert_eq!(errors(&report), Vec::<String>::new());
    assert_eq!(report.verdict, Verdict::Compatible);
    assert!(report.problems.len() >= 2, "{:?}", report.problems);
    let report = compare(&side("long"), &side("int"));
    assert_eq!(report.verdict, Verdict::Breaking);
    let differing = idl("record R { int x; } record R { long x; }");
    assert_eq!(errors(&compare(&differing, &differing)).len(), 1);
    let options = CheckOptions { lenient_unchanged: true, ..CheckOptions::default() };
    let twice = |more: &str| {
        let field = format!("{{\"name\": \"f\",\n\"doc\": \"a\", \"doc\": \"b\",\n\"type\": \"int\"}}{more}");
        support::snapshot(&files(&[("s.avsc", &record("c.R", &field))]))
    };
    let sides = Pair::new(twice(""), twice(",\n{\"name\": \"g\", \"type\": \"int\", \"default\": \"no\"}"));
    let checked = check_pair(Format::Avro, sides.as_ref(), &options);
    let errors: Vec<&str> =
        checked.problems.new.iter().filter(|one| one.is_error()).map(|one| one.message.as_str()).collect();
    let [only] = &errors[..] else { panic!("{errors:?}") };
    assert!(
        only.contains("the default of `g` does not fit"),
        "what is new is an error, what was there a warning: {only}"
    );
}

#[test]
fn what_was_wrong_before_a_file_moved_is_wrong_as_before() {
    let text = record("c.R", "{\"name\": \"f\", \"type\": \"int\", \"default\": \"no\"}");
    let side = |path: &str, text: &str| support::snapshot(&files(&[(path, text)]));
    let options = CheckOptions { lenient_unchanged: true, ..CheckOptions::default() };
    for (path, text_there, errors) in [("b/s.avsc", &*text, 0), ("b/s.avsc", &text.replace("no", "yes"), 1)] {
        let sides = Pair::new(side("a/s.avsc", &text), side(path, text_there));
        let checked = check_pair(Format::Avro, sides.as_ref(), &options);
        assert!(!checked.problems.new.is_empty());
        let found = checked.problems.new.iter().filter(|one| one.is_error()).count();
        assert_eq!(found, errors, "{:?}", checked.problems.new);
    }
}

/// Every text that the tests have, as one side.
fn all_sides() -> Vec<(String, Snapshot)> {
    let cases = support::all_cases().into_iter().filter(|case| case.format == Format::Avro);
    cases
        .flat_map(|case| {
            [(format!("{} old", case.name), case.sides.old), (format!("{} new", case.name), case.sides.new)]
        })
        .collect()
}

#[test]
fn what_is_equal_differs_in_nothing() {
    let mut sides = all_sides();
    for layout in &LAYOUTS {
        sides.push((layout.title.to_owned(), support::snapshot(&versions(layout, VERSIONS))));
    }
    assert!(sides.len() > 200, "{}", sides.len());
    for (name, side) in &sides {
        let checked = check_pair(Format::Avro, Pair::new(side, side), &CheckOptions::default());
        assert!(checked.changes.is_empty(), "{name}: {:?}", checked.changes);
        assert!(checked.observed.observations.is_empty(), "{name}");
    }
}

/// A generator of numbers, so that random folders are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    fn pick<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.below(words.len())]
    }
}

/// A file of a random folder: a schema, a protocol or IDL, with names that others have too.
fn random_file(dice: &mut Dice) -> (String, String) {
    let folder = dice.pick(&["", "a/", "a/b/", "v1/", "v2/", "v10/", "1/0/", "1/1/"]);
    let namespace = dice.pick(&["x", "x.v1", "x.v2", "y"]);
    let (name, other) = (dice.pick(&["A", "B", "C"]), dice.pick(&["A", "B", "C"]));
    let ty = dice.pick(&["int", "long", "string", "bytes"]);
    let alias = dice.pick(&["", r#", "aliases": ["id"]"#, r#", "aliases": ["q"]"#]);
    let fields = format!(r#"{ID}, {{"name": "f", "type": ["null", "{ty}"]{alias}}}"#);
    let using = format!(r#"{ID}, {{"name": "o", "type": ["null", "{namespace}.{other}"]}}"#);
    let stem = dice.pick(&["a", "b", "a-v1", "a-v2"]);
    match dice.below(6) {
        0 => (
            format!("{folder}{stem}.avpr"),
            format!(
                r#"{{"protocol": "P{name}", "namespace": "{namespace}", "types": [{}], "messages":
                {{"m": {{"request": [{{"name": "a", "type": "{name}"}}], "response": "null"}}}}}}"#,
                record(name, &fields)
            ),
        ),
        1 => (
            format!("{folder}{stem}.avdl"),
            format!(
                "@namespace(\"{namespace}\") protocol P{name} {{ record {name} {{ string id; {ty} q; }} {name} get(); }}"
            ),
        ),
        2 => (format!("{folder}{stem}.avsc"), record(&format!("{namespace}.{name}"), &using)),
        3 => (
            format!("{folder}{stem}.avsc"),
            format!(
                "[{}, {{\"type\": \"array\", \"items\": \"{ty}\"}}]",
                record(&format!("{namespace}.{name}"), &fields)
            ),
        ),
        _ => (format!("{folder}{stem}.avsc"), record(&format!("{namespace}.{name}"), &fields)),
    }
}

#[test]
fn random_folders_that_are_equal_differ_in_nothing() {
    let number = |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let first = number("FIRST", 0);
    for index in first..first + number("FOLDERS", 300) {
        let mut dice = Dice(number("SEED", 1) << 32 | index);
        let count = 1 + dice.below(9);
        let side: Files = (0..count).map(|_| random_file(&mut dice)).collect();
        let report = compare(&side, &side);
        assert!(report.findings.is_empty(), "{index}: {side:#?}\n{:?}", fired(&report));
        // What was there is still there: a file that comes changes nothing about the others.
        let mut more = side.clone();
        more.insert("zz/other.avsc".to_owned(), record("zz.Other", ID));
        let report = compare(&side, &more);
        if report.verdict.to_string() != "unknown" {
            assert_eq!(fired(&report), ["avro/type-added zz.Other"], "{index}: {side:#?}");
        }
    }
}

#[test]
fn versions_that_come_together_are_told_not_to_be_compared_with_each_other() {
    let layout = &LAYOUTS[0];
    let (old, new) = (versions(layout, 3), versions(layout, 5));
    let report = compare(&old, &new);
    let told: Vec<&str> = report.findings.iter().map(|finding| finding.rule.as_str()).collect();
    assert_eq!(told.iter().filter(|rule| **rule == "avro/version-skipped").count(), 2, "{told:?}");
    let from = |first: u32| -> Files { (first..=5).flat_map(|k| version(layout, k)).collect() };
    let report = compare(&from(2), &from(1));
    assert_eq!(fired(&report), ["avro/type-added shop.Money", "avro/type-added shop.Order"]);
    assert_eq!(report.verdict, Verdict::Compatible, "nothing is compared with what is newer");
}

#[test]
fn of_several_that_are_as_near_the_one_whose_file_is_called_like_the_type_is_meant() {
    let order = record("shop.Order", r#"{"name": "price", "type": "shop.Money"}"#);
    let money = |ty: &str| record("shop.Money", &format!(r#"{{"name": "amount", "type": "{ty}"}}"#));
    let side =
        |ty: &str| files(&[("order.avsc", &order), ("money.avsc", &money(ty)), ("simple.avsc", &money("string"))]);
    let report = compare(&side("int"), &side("long"));
    assert_eq!(errors(&report), Vec::<String>::new());
    assert_eq!(fired(&report), ["avro/type-widened shop.Money.amount"]);
}

#[test]
fn what_java_refuses_of_names_and_defaults_is_refused() {
    let inner = r#"{"type": "record", "name": "a.Inner", "fields": [{"name": "m", "type": ["null", "Money"]}]}"#;
    let around = record("Money", &format!(r#"{{"name": "x", "type": ["null", {inner}]}}"#));
    let early = record("R", r#"{"name": "x", "type": {"type": "array", "items": "R"}, "default": [{"x": []}]}"#);
    let fine = record("R", r#"{"name": "x", "type": {"type": "array", "items": "R"}, "default": []}"#);
    for (text, is_refused) in [(around, true), (early, true), (fine, false)] {
        let side = files(&[("a.avsc", &text)]);
        let report = compare(&side, &side);
        assert_eq!(!errors(&report).is_empty(), is_refused, "{text}: {:?}", report.problems);
    }
}

#[test]
fn a_file_that_goes_takes_what_was_wrong_with_it_along() {
    let options = CheckOptions { lenient_unchanged: true, ..CheckOptions::default() };
    let uses = record("x.Uses", r#"{"name": "a", "type": "A"}"#);
    let others = [("v1/a.avsc", record("x.A", "")), ("v2/a.avsc", record("x.A", ID))];
    let others: Vec<(&str, &str)> = others.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let errors = |new: &[(&str, &str)]| {
        let old = support::snapshot(&files(&[&others[..], &[("u/uses.avsc", &*uses)]].concat()));
        let new = support::snapshot(&files(&[&others[..], new].concat()));
        let checked = check_pair(Format::Avro, Pair::new(&old, &new), &options);
        let all = checked.problems.old.iter().chain(&checked.problems.new);
        all.filter(|problem| problem.is_error()).count()
    };
    assert_eq!(errors(&[]), 0);
    let moved = record("y.Uses", ID);
    assert_eq!(errors(&[("u/used.avsc", &moved)]), 1, "it may go on under another name");
}

#[test]
fn what_differs_in_a_field_that_readers_do_not_find_is_not_claimed_of_them() {
    let old = record("R", r#"{"name": "f", "type": ["float", "null"], "default": -1.25}"#);
    let new = record("R", r#"{"name": "q", "type": ["float", "double", "null"], "default": -1.25, "aliases": ["f"]}"#);
    let sides = Pair::new(&old, &new).map(|text| support::snapshot(&files(&[("a.avsc", text)])));
    let report = support::report(Format::Avro, sides.as_ref(), &Policy::default().with_mode(Mode::Forward));
    let breaking = report.findings.iter().filter(|finding| finding.breaking);
    let breaking: Vec<&str> = breaking.map(|finding| finding.rule.as_str()).collect();
    assert_eq!(breaking, ["avro/field-renamed"]);
    let outcomes = report.findings.iter().flat_map(|finding| &finding.evidence);
    let forward = outcomes.filter(|one| one.direction.to_string() == "forward" && one.runtime == "spec");
    let worst = forward.map(|one| one.outcome.to_string()).max();
    assert_eq!(worst.as_deref(), Some("lossy"));
    let side = |field: &str| files(&[("s.avsc", &record("c.R", field))]);
    let old = side(r#"{"name": "a", "type": "int", "default": 0}"#);
    let report = compare(&old, &side(r#"{"name": "f", "type": "string", "aliases": ["a"]}"#));
    let retyped = report.findings.iter().find(|one| one.rule == "avro/type-changed").expect("its type is another");
    let towards: BTreeSet<String> = retyped.evidence.iter().map(|one| one.direction.to_string()).collect();
    assert_eq!(towards, BTreeSet::from(["backward".to_owned()]), "old readers take their default");
}

#[test]
fn a_fixed_that_its_readers_reject_by_its_name_is_not_read_as_something_else() {
    let side = |name: &str, more: &str| {
        let fixed = format!(r#"{{"type": "fixed", "name": "{name}", "size": 16, "logicalType": {more}}}"#);
        record("R", &format!(r#"{{"name": "x", "type": {fixed}}}"#))
    };
    let (old, new) = (side("F1", r#""uuid""#), side("F2", r#""decimal", "precision": 1, "aliases": ["F1"]"#));
    let sides = Pair::new(&old, &new).map(|text| support::snapshot(&files(&[("a.avsc", text)])));
    let report = support::report(Format::Avro, sides.as_ref(), &Policy::default().with_mode(Mode::Full));
    assert_eq!(report.round_trips.unexplained, 0);
    let renamed = report.findings.iter().find(|one| one.rule == "avro/type-renamed-with-alias").expect("it is renamed");
    let spec = renamed.evidence.iter().filter(|one| one.runtime == "spec");
    let told: Vec<(String, bool)> = spec
        .map(|one| (one.outcome.to_string(), one.read.as_str().is_some_and(|text| text.contains("no alias"))))
        .collect();
    assert_eq!(told, [("fails".to_owned(), true), ("fails".to_owned(), true)]);
    let meant =
        report.findings.iter().find(|one| one.rule == "avro/logical-type-meaning").expect("its meaning is another");
    let towards: BTreeSet<String> = meant.evidence.iter().map(|one| one.direction.to_string()).collect();
    assert_eq!(towards, BTreeSet::from(["backward".to_owned()]), "what old readers reject means nothing to them");
}

#[test]
fn an_alias_that_stands_twice_is_one() {
    let old = record("R", r#"{"name": "a", "type": "int"}"#);
    let new = record("R", r#"{"name": "c", "type": "int", "aliases": ["a", "a"]}"#);
    let report = compare(&files(&[("a.avsc", &old)]), &files(&[("a.avsc", &new)]));
    let backward = report.findings.iter().flat_map(|finding| &finding.peer_reports);
    let backward = backward.filter(|one| one.direction.as_ref().is_some_and(|way| way.to_string() == "backward"));
    assert_eq!(backward.map(|one| one.id.clone()).collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn bytes_that_arrive_as_a_text_mean_what_its_logical_type_says() {
    let field = |ty: &str| record("R", &format!(r#"{{"name": "b", "type": {{{ty}}}}}"#));
    let old = field(r#""type": "bytes", "logicalType": "decimal", "precision": 1"#);
    let new = field(r#""type": "string", "logicalType": "uuid""#);
    let sides = Pair::new(&old, &new).map(|text| support::snapshot(&files(&[("a.avsc", text)])));
    let report = support::report(Format::Avro, sides.as_ref(), &Policy::default().with_mode(Mode::Full));
    assert_eq!((report.round_trips.unexplained, report.verdict), (0, Verdict::Breaking.into()));
}

#[test]
fn versions_whose_names_get_a_version_continue_in_what_stood_nearest() {
    let alert = |name: &str, more: &str| record(&format!("{name}.Alert"), &format!("{ID}{more}"));
    let f = |k: u32| format!(r#", {{"name": "f{k}", "type": "int", "default": 0}}"#);
    let old: Vec<(String, String)> = (1..4).map(|k| (format!("{k}/0/alert.avsc"), alert("l", &f(k)))).collect();
    let new = alert("l.v3_0", &f(3));
    let report = compare(&old.into_iter().collect(), &files(&[("3/0/v3_0.alert.avsc", &new)]));
    assert_eq!(fired(&report), ["avro/file-moved 3/0/v3_0.alert.avsc", "avro/namespace-changed l.v3_0.Alert"]);
    assert_eq!(report.verdict, Verdict::Compatible);
}
