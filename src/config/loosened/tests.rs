use super::*;
use crate::rules::RuleText;

fn version(text: &str) -> Version {
    let config = Config::parse("wireproof.yaml", text).expect("valid");
    Version { config, path: Some("wireproof.yaml".into()), waivers: ".wireproof-waivers.yaml".to_owned() }
}

fn told(old: &str, new: &str) -> Vec<String> {
    told_by(old, new, RuleSet::built_in())
}

fn told_by(old: &str, new: &str, rules: &RuleSet) -> Vec<String> {
    let versions = Pair::new(version(old), version(new));
    let changes = loosened(versions.as_ref(), rules);
    let value = |change: &Change, key| change.facts.get(key).unwrap_or_default().to_owned();
    let line = |change: &Change| {
        let (old, new) = (value(change, FactKey::OldValue), value(change, FactKey::NewValue));
        format!("{}: {old} -> {new}", change.path)
    };
    changes.iter().map(line).collect()
}

#[test]
fn imports_that_lead_elsewhere_are_an_error_and_more_places_behind_are_none() {
    let paths = |root: &str, paths: &str| format!("roots: {{{root}: {{import-paths: [{paths}]}}}}");
    for (old, new, expected) in [
        (paths("m", "v1"), paths("m", "v2"), Some("roots.m.import-paths: `v1` -> `v2`")),
        (paths("m", "v1"), paths("m", "v2, v1"), Some("roots.m.import-paths: `v1` -> `v2`, `v1`")),
        (paths("m", "v1"), String::new(), Some("roots.m.import-paths: `v1` -> not set")),
        (paths("m", "v1"), paths("m", "v1, v2"), None),
        (paths("m", "v1"), paths("n", "v1"), None),
        (String::new(), paths("m", "v1"), None),
    ] {
        assert_eq!(told(&old, &new), expected.into_iter().collect::<Vec<_>>(), "{old} -> {new}");
    }
    let versions = Pair::new(version(&paths("m", "v1")), version(&paths("m", "v2")));
    let changes = loosened(versions.as_ref(), RuleSet::built_in());
    assert_eq!(changes[0].facts.get(FactKey::Weight), Some("error"));
}

#[test]
fn what_lets_more_pass_is_told_with_both_values() {
    for (old, new, expected) in [
        ("mode: full", "mode: backward", "mode: `full` -> `backward`"),
        ("mode: backward", "mode: forward", "mode: `backward` -> `forward`"),
        ("", "mode: none", "mode: not set (full, and backward for avro, backward for json-schema) -> `none`"),
        ("mode: full", "", "mode: `full` -> not set (full, and backward for avro, backward for json-schema)"),
        ("surfaces: [wire, json]", "surfaces: wire", "surfaces: `wire`, `json` -> `wire`"),
        ("", "surfaces: json", "surfaces: `wire` -> `json`"),
        ("", "fail-on: fails", "fail-on: `lossy` -> `fails`"),
        ("exclude: a/", "exclude: [a/, b/]", "exclude: `a/**` -> `a/**`, `b/**`"),
        ("", "include: a/", "include: not set (every schema) -> `a/**`"),
        ("include: [a/, b/]", "include: [a/]", "include: `a/**`, `b/**` -> `a/**`"),
        ("", "unstable: '*.v1alpha*'", "unstable: not set -> `*.v1alpha*`"),
        ("", "rules: {protobuf/field-reused: warning}", "rules.protobuf/field-reused: not set -> `warning`"),
        ("rules: {field-renamed: error}", "", "rules.field-renamed: `error` -> not set"),
        (
            "rules: {field-reused: error}",
            "rules: {field-reused: error, protobuf/field-reused: off}",
            "rules.protobuf/field-reused: `error` -> `off`",
        ),
        ("", "rules: {policy/configuration-loosened: off}", "rules.policy/configuration-loosened: not set -> `off`"),
        ("", "rules-dir: own", "rules-dir: not set -> `own`, whose rules may say less"),
        (
            "",
            "roots: {a: {mode: none}}",
            "roots.a.mode: not set (full, and backward for avro, backward for json-schema) -> `none`",
        ),
        ("mode: none\nroots: {a: {mode: full}}", "mode: none", "roots.a.mode: `full` -> `none`"),
        (
            "surfaces: [wire, json]",
            "surfaces: [wire, json]\nroots: {a: {surfaces: wire}}",
            "roots.a.surfaces: `wire`, `json` -> `wire`",
        ),
        ("", "roots: {a: {reachable-from: [s.T]}}", "roots.a.reachable-from: not set (everything) -> `s.T`"),
        (
            "roots: {a: {reachable-from: [s.T]}}",
            "roots: {a: {reachable-from: [s.U]}}",
            "roots.a.reachable-from: `s.T` -> `s.U`",
        ),
        // A folder's own word is compared with what holds around it, and only where one of the sides has one.
        (
            "surfaces: wire\nroots: {a: {surfaces: [wire, json]}}",
            "surfaces: wire",
            "roots.a.surfaces: `wire`, `json` -> `wire`",
        ),
        (
            "surfaces: [wire, json]\nroots: {a: {mode: full}}",
            "surfaces: wire\nroots: {a: {mode: full}}",
            "surfaces: `wire`, `json` -> `wire`",
        ),
        (
            "mode: full\nroots: {a: {surfaces: wire}}",
            "mode: none\nroots: {a: {surfaces: wire}}",
            "mode: `full` -> `none`",
        ),
    ] {
        assert_eq!(told(old, new), [expected], "{old:?} -> {new:?}");
    }
}

#[test]
fn what_is_the_same_or_stricter_is_not_told() {
    for (old, new) in [
        ("", ""),
        ("mode: backward", "mode: full"),
        ("mode: none", "mode: forward"),
        ("fail-on: fails", "fail-on: lossy"),
        ("surfaces: wire", "surfaces: [wire, json, source]"),
        ("exclude: [a/, b/]", "exclude: a/"),
        ("include: a/", ""),
        ("include: a/", "include: [a/, b/]"),
        ("unstable: '*.v1alpha*'", ""),
        ("rules: {protobuf/field-reused: warning}", ""),
        ("rules: {protobuf/field-reused: off}", "rules: {protobuf/field-reused: note}"),
        ("", "rules: {protobuf/field-reused: error}"),
        ("rules: {protobuf/reserved-number-removed: error}", ""),
        ("roots: {a: {mode: none}}", ""),
        ("mode: none", "mode: none\nroots: {a: {mode: none}}"),
        ("roots: {a: {reachable-from: [s.T]}}", "roots: {a: {reachable-from: [s.T, s.U]}}"),
        ("roots: {a: {reachable-from: [s.T, s.U]}}", "roots: {a: {reachable-from: [s.U, s.T]}}"),
        ("roots: {a: {reachable-from: [s.T]}}", ""),
        // The same lists, in whatever order.
        ("exclude: a/", "exclude: a/"),
        ("exclude: [a/, b/]", "exclude: [b/, a/]"),
        ("exclude: a/", "exclude: a/"),
        ("include: a/", "include: a/"),
        ("unstable: '*.v1alpha*'", "unstable: '*.v1alpha*'"),
        ("include: [a/, b/]", "include: [b/, a/]"),
        ("unstable: ['*.v1alpha*', '*.v1beta*']", "unstable: ['*.v1beta*', '*.v1alpha*']"),
        ("rules-dir: own", "rules-dir: own/"),
        ("rules: {field-reused: warning}", "rules: {field-reused: warning}"),
    ] {
        assert_eq!(told(old, new), Vec::<String>::new(), "{old:?} -> {new:?}");
    }
}

#[test]
fn each_key_that_lets_more_pass_is_told_and_its_opposite_is_not() {
    for (strict, loose, expected) in [
        ("", "configuration: head", "configuration: `both` -> `head`"),
        ("inline-waivers: false", "", "inline-waivers: `false` -> `true`"),
        ("inline-waivers: false", "inline-waivers: true", "inline-waivers: `false` -> `true`"),
        ("mode: full-transitive", "mode: full", "mode: `full-transitive` -> `full`"),
        ("mode: backward-transitive", "mode: backward", "mode: `backward-transitive` -> `backward`"),
        ("history: first-parent", "", "history: `first-parent`, 100 versions -> not set"),
        (
            "history: {depth: 20}",
            "history: {depth: 10}",
            "history: `first-parent`, 20 versions -> `first-parent`, 10 versions",
        ),
        (
            "mode: full-transitive",
            "mode: full-transitive\nhistory: {depth: 10}",
            "history: `first-parent`, 100 versions -> `first-parent`, 10 versions",
        ),
        ("writers: any", "", "writers: `any` -> `declared`"),
        ("assert-formats: true", "", "assert-formats: `true` -> `false`"),
        ("encodings: json", "", "encodings: `json` -> not set"),
        ("encodings: [json, bson]", "encodings: bson", "encodings: `json`, `bson` -> `bson`"),
        ("roots: {a: {writers: any}}", "", "roots.a.writers: `any` -> `declared`"),
        (
            "roots: {a: {assert-formats: true}}",
            "roots: {a: {assert-formats: false}}",
            "roots.a.assert-formats: `true` -> `false`",
        ),
        // What holds around a folder is told once.
        ("writers: any\nroots: {a: {mode: full}}", "roots: {a: {mode: full}}", "writers: `any` -> `declared`"),
    ] {
        assert_eq!(told(strict, loose), [expected], "{strict:?} -> {loose:?}");
        assert_eq!(told(loose, strict), [""; 0], "{loose:?} -> {strict:?}");
        assert_eq!(told(strict, strict), [""; 0], "{strict:?} stays");
        assert_eq!(told(loose, loose), [""; 0], "{loose:?} stays");
    }
    assert_eq!(told("inline-waivers: false", "inline-waivers: false\nmode: full"), [""; 0]);
    // Neither says more than the other.
    for (old, new, expected) in [
        ("", "base: dev", "base: the default branch -> `dev`"),
        ("base: dev", "base: main", "base: `dev` -> `main`"),
        (
            "history: first-parent",
            "history: 'tags:v*'",
            "history: `first-parent`, 100 versions -> `tags:v*`, 100 versions",
        ),
        (
            "history: {tags: 'v*', depth: 10}",
            "history: {dir: 'v*', depth: 20}",
            "history: `tags:v*`, 10 versions -> `dir:v*`, 20 versions",
        ),
    ] {
        assert_eq!(told(old, new), [expected], "{old:?} -> {new:?}");
        assert_eq!(told(new, old).len(), 1, "{new:?} -> {old:?}");
    }
    // The mode that changed is what is told, where neither names a history.
    assert_eq!(told("mode: full-transitive", "mode: backward").len(), 1);
}

/// A rule that is at worst `defaulted`, so that the threshold decides whether it breaks.
const MILD: &str = "id: protobuf/mild\ntitle: T\nfamily: mild\nsince: 0.1.0\nclass: compatibility\n\
    when: { change: field-added }\nimpact:\n  wire: { backward: defaulted, forward: safe }\n  \
    json: { backward: safe, forward: safe }\n  source: { backward: safe, forward: safe }\n\
    message: M\nwhy: W\nfix: F\n";

#[test]
fn what_a_rule_is_without_a_word_follows_from_the_threshold_of_that_side() {
    let rules = RuleSet::from_files(&[RuleText { file: "mild.yaml", text: MILD }]).expect("well formed");
    let told = |old: [&str; 2], new: [&str; 2]| told_by(old.join("\n").as_str(), new.join("\n").as_str(), &rules);
    let (strict, warned) = ("fail-on: defaulted", "rules: {protobuf/mild: warning}");
    assert_eq!(told([strict, ""], [strict, warned]), ["rules.protobuf/mild: not set -> `warning`"]);
    assert_eq!(told([strict, warned], [strict, ""]), [""; 0], "it breaks again");
    assert_eq!(told(["", ""], ["", warned]), [""; 0], "it was a note, which is less");
    assert_eq!(told(["", warned], ["", ""]), ["rules.protobuf/mild: `warning` -> not set"]);
    assert_eq!(told(["", ""], [strict, warned]), [""; 0], "the old side did not stop it");
    let noted = "rules: {protobuf/mild: note}";
    assert_eq!(told(["", noted], ["", ""]), [""; 0], "it is a note without a word");
    let less = ["fail-on: `defaulted` -> `lossy`", "rules.protobuf/mild: `warning` -> not set"];
    assert_eq!(told([strict, warned], ["", ""]), less);
    let lossy = MILD.replace("defaulted", "lossy");
    let rules = RuleSet::from_files(&[RuleText { file: "lossy.yaml", text: &lossy }]).expect("well formed");
    let told = told_by("fail-on: wrong", &format!("fail-on: wrong\n{warned}"), &rules);
    assert_eq!(told, ["rules.protobuf/mild: not set -> `warning`"], "what is lossy is an error, breaking or not");
}

/// Rules of the two classes with a level each, in the order of loudness.
#[test]
fn each_level_is_louder_than_the_next() {
    let text = |id: &str, class: &str, wire: &str| {
        let head = format!("id: protobuf/{id}\ntitle: T\nfamily: {id}\nsince: 0.1.0\nclass: {class}\n");
        let rest = "when: { change: field-added }\nmessage: M\nwhy: W\nfix: F\n";
        let others = "json: { backward: safe, forward: safe }\n  source: { backward: safe, forward: safe }\n";
        format!("{head}{rest}impact:\n  wire: {{ backward: {wire}, forward: safe }}\n  {others}")
    };
    for (class, wire, levels) in [
        ("compatibility", "lossy", ["error", "warning", "note", "off"]),
        ("compatibility", "unrecognized", ["warning", "warning", "note", "off"]),
        ("compatibility", "safe", ["note", "warning", "note", "off"]),
        ("compatibility", "'{reads-old}'", ["error", "warning", "note", "off"]),
        ("hygiene\nseverity: error", "safe", ["error", "warning", "note", "off"]),
        ("hygiene\nseverity: '{weight}'", "safe", ["error", "warning", "note", "off"]),
        ("hygiene\nseverity: warning", "safe", ["warning", "warning", "note", "off"]),
        ("hygiene\nseverity: note", "safe", ["note", "warning", "note", "off"]),
    ] {
        let text = text("r", class, wire);
        let rules = RuleSet::from_files(&[RuleText { file: "r.yaml", text: &text }]).expect("well formed");
        let rank = |level: &str| ["off", "note", "warning", "error"].iter().position(|one| *one == level);
        let set = |level: &str| format!("rules: {{r: {level}}}");
        let by_default = levels[0];
        for level in &levels[1..] {
            let is_told = !told_by("", &set(level), &rules).is_empty();
            assert_eq!(is_told, rank(level) < rank(by_default), "{class} {wire}: not set -> {level}");
            let is_told = !told_by(&set(level), "", &rules).is_empty();
            assert_eq!(is_told, rank(by_default) < rank(level), "{class} {wire}: {level} -> not set");
            // What is lossy stays an error where it does not break.
            let mild = |rest: &str| format!("fail-on: fails\n{rest}");
            let is_told = !told_by(&mild(""), &mild(&set(level)), &rules).is_empty();
            assert_eq!(is_told, rank(level) < rank(by_default), "{class} {wire}: not set -> {level}, above lossy");
        }
    }
}

#[test]
fn a_threshold_above_lossy_makes_no_rule_less_loud() {
    // What is lossy is an error in any case; that `fail-on` went up is told by itself.
    let fails = "fail-on: fails";
    assert_eq!(told(fails, "fail-on: fails\nrules: {field-renumbered: warning}").len(), 1);
    assert_eq!(told("rules: {field-renumbered: warning}", fails), ["fail-on: `lossy` -> `fails`"]);
    let warned = "fail-on: wrong\nrules: {field-renumbered: warning}";
    assert_eq!(told("fail-on: wrong", warned), ["rules.field-renumbered: not set -> `warning`"]);
    assert_eq!(told(warned, "fail-on: wrong"), [""; 0]);
}

#[test]
fn the_innermost_folder_counts() {
    let around = "roots: {a: {mode: none}, a/b: {mode: full}}";
    assert_eq!(told(around, "roots: {a: {mode: none}}"), ["roots.a/b.mode: `full` -> `none`"]);
    assert_eq!(
        told("roots: {a: {mode: full}}", "roots: {a: {mode: full}, a/b: {mode: none}}"),
        ["roots.a/b.mode: `full` -> `none`"]
    );
    let reached = |names: &str| format!("roots: {{a: {{reachable-from: [{names}]}}}}");
    assert_eq!(told(&reached("s.T, s.U"), &reached("s.T")), ["roots.a.reachable-from: `s.T`, `s.U` -> `s.T`"]);
}

#[test]
fn another_waiver_file_is_told() {
    let versions = Pair::new(version(""), Version { waivers: "other.yaml".to_owned(), ..version("") });
    let changes = loosened(versions.as_ref(), RuleSet::built_in());
    assert_eq!(changes.iter().map(|change| change.path.as_str()).collect::<Vec<_>>(), ["waivers"]);
}

#[test]
fn a_change_cannot_silence_what_is_said_about_it() {
    let name = "policy/configuration-loosened";
    let level = |old: &str, new: &str| {
        let versions = Pair::new(version(old), version(new));
        let about = about_policy(Pair::new(&versions.old.config, &versions.new.config), RuleSet::built_in());
        let mut levels = versions.new.config.rules;
        about.rule_over(&mut levels);
        levels.get(name).copied()
    };
    let set = |level: &str| format!("rules: {{{name}: {level}}}");
    assert_eq!(level("", &set("off")), None, "the finding decides");
    assert_eq!(level("", "rules: {configuration-loosened: off}"), None);
    assert_eq!(level(&set("error"), ""), Some(Override::Error));
    assert_eq!(level(&set("off"), &set("off")), Some(Override::Off));
    assert_eq!(level("", ""), None);
    assert_eq!(level(&set("note"), &set("off")), Some(Override::Note), "each step counts");
    assert_eq!(level(&set("note"), &set("warning")), Some(Override::Warning));
    let about = about_policy(Pair::new(&Config::default(), &Config::default()), RuleSet::built_in());
    assert_eq!(about.levels["policy/waiver-unused"], Override::Warning);
}

#[test]
fn the_place_is_the_line_of_the_key() {
    let text = "# mode: none\nmode: full\nrules:\n  field-reused: off\n  protobuf/field-renamed: note\nroots:\n  a/b:\n    mode: none\n";
    let line = |keys: &[&str]| {
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        &text[place_of(text, &keys).range()]
    };
    assert_eq!(line(&["mode"]), "mode: full");
    assert_eq!(line(&["rules", "protobuf/field-renamed"]), "protobuf/field-renamed: note");
    assert_eq!(line(&["roots", "a/b", "mode"]), "mode: none");
    assert_eq!(line(&["roots", "absent", "mode"]), "roots:");
    assert_eq!(line(&["fail-on"]), "");
    let flow = "rules: {field-reused: off}\n";
    assert_eq!(&flow[place_of(flow, &["rules".to_owned(), "field-reused".to_owned()]).range()], flow.trim_end());
    // What stands below under the same word is another key.
    let both = "rules: { mode: full }\nmode: backward\n";
    assert_eq!(&both[place_of(both, &["rules".to_owned(), "mode".to_owned()]).range()], "rules: { mode: full }");
}

#[test]
fn a_waiver_that_counts_longer_is_told() {
    let file = |until: &str| {
        crate::config::waivers::parse("w.yaml", &format!("- id: 9c1f03ab27de\n  reason: x\n{until}")).expect("valid")
    };
    let count = |old: &str, new: &str| prolonged(Pair::new(&file(old), &file(new))).len();
    assert_eq!(count("  until: 2026-01-01\n", "  until: 2026-02-01\n"), 1);
    assert_eq!(count("  until: 2026-01-01\n", ""), 0);
    assert_eq!(count("  until: 2026-01-01\n", "  standing: true\n"), 1);
    assert_eq!(count("  until: 2026-01-01\n", "  until: 2025-02-01\n"), 0);
    assert_eq!(count("  until: 2026-01-01\n", "  until: 2026-01-01\n"), 0);
    assert_eq!(count("", "  until: 2026-02-01\n"), 0);
}
