//! Waivers from end to end, in real repositories: what passes, what does not any more, and what a change does to the gate.

use std::fs;

use serde_json::Value;
use wireproof::change::{FactKey, Pair};
use wireproof::config::Config;
use wireproof::config::loosened::{Version, loosened};
use wireproof::rules::{POLICY, RuleSet};

use crate::git::{Place, Ran, commit, git, git_is_missing, repository, run, run_in};

const OLD: &str = "syntax = \"proto3\";\npackage shop;\nmessage Order {\n  int32 id = 1;\n  string note = 2;\n}\n";
/// Without the field `note`, which breaks.
const NEW: &str = "syntax = \"proto3\";\npackage shop;\nmessage Order {\n  int32 id = 1;\n}\n";
const FILE: &str = ".wireproof-waivers.yaml";
const DAY: &[(&str, &str)] = &[("WIREPROOF_TODAY", "2026-06-15")];

/// A branch that removes a field, on top of a `main` with these further files.
fn branch(files: &[(&str, &str)]) -> Place {
    let repo = repository();
    repo.write("shop/order.proto", OLD);
    for (name, text) in files {
        repo.write(name, text);
    }
    commit(&repo, "what is there");
    git(&repo.path(""), &["switch", "--quiet", "--create", "topic"]);
    repo.write("shop/order.proto", NEW);
    repo
}

fn at(repo: &Place, arguments: &[&str]) -> Ran {
    run_in(&repo.path(""), arguments, DAY)
}

fn report(repo: &Place) -> Value {
    let ran = at(repo, &["--format", "json"]);
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err))
}

/// The findings of a rule.
fn of_rule<'r>(report: &'r Value, rule: &str) -> Vec<&'r Value> {
    report["findings"].as_array().expect("findings").iter().filter(|finding| finding["rule"] == rule).collect()
}

/// The id of the one finding that breaks.
fn breaking_id(report: &Value) -> String {
    let findings = report["findings"].as_array().expect("findings");
    let breaking: Vec<&Value> = findings.iter().filter(|finding| finding["breaking"] == true).collect();
    assert_eq!(breaking.len(), 1, "{report:#}");
    breaking[0]["id"].as_str().expect("an id").to_owned()
}

fn accept(repo: &Place, more: &[&str]) -> String {
    let id = breaking_id(&report(repo));
    let ran = at(repo, &[&["accept", &id, "--reason", "nobody sends it"], more].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with(&format!("{FILE}:")) && ran.out.contains(&id), "{}", ran.out);
    id
}

fn read(repo: &Place, name: &str) -> String {
    fs::read_to_string(repo.path(name)).expect("the file exists")
}

#[test]
fn what_is_accepted_passes_and_another_break_still_stops() {
    if git_is_missing() {
        return;
    }
    let repo = branch(&[]);
    assert_eq!(at(&repo, &[]).code, 1);
    let id = accept(&repo, &["--owner", "payments", "--until", "2026-06-15"]);
    let waived = report(&repo);
    assert_eq!((waived["verdict"].as_str(), at(&repo, &[]).code), (Some("compatible"), 0));
    let finding = of_rule(&waived, "protobuf/field-removed-unreserved")[0];
    assert_eq!((finding["severity"].as_str(), finding["breaking"].as_bool()), (Some("error"), Some(false)));
    let waiver = &finding["waiver"];
    assert_eq!(waiver["reason"], "nobody sends it");
    assert_eq!((waiver["owner"].as_str(), waiver["until"].as_str()), (Some("payments"), Some("2026-06-15")));
    assert_eq!((waiver["file"].as_str(), waiver["added_here"].as_bool()), (Some(FILE), Some(true)));
    let line = waiver["line"].as_u64().expect("a line") as usize;
    assert!(read(&repo, FILE).lines().nth(line - 1).is_some_and(|line| line.contains(&id)));
    let added = of_rule(&waived, "policy/waiver-added");
    assert_eq!((added.len(), added[0]["severity"].as_str()), (1, Some("note")));
    assert_eq!(waived["strictest_mode"], "full");

    repo.write("shop/order.proto", &NEW.replace("int32 id", "string id"));
    let more = report(&repo);
    assert_eq!((more["verdict"].as_str(), at(&repo, &[]).code), (Some("breaking"), 1));
    assert_ne!(breaking_id(&more), id);
}

#[test]
fn the_order_of_upgrades_tells_what_readers_experience_whatever_is_waived() {
    if git_is_missing() {
        return;
    }
    let repo = branch(&[]);
    repo.write("shop/order.proto", &OLD.replace("int32 id", "fixed32 id"));
    let order = report(&repo)["upgrade_order"].clone();
    assert_ne!(order, "any");
    accept(&repo, &[]);
    let waived = report(&repo);
    assert_eq!((waived["verdict"].as_str(), &waived["upgrade_order"]), (Some("compatible"), &order));
}

#[test]
fn a_waiver_of_the_base_is_not_new_and_goes_stale_once_its_break_is_merged() {
    if git_is_missing() {
        return;
    }
    let repo = branch(&[]);
    let id = accept(&repo, &[]);
    commit(&repo, "remove the field");
    git(&repo.path(""), &["switch", "--quiet", "main"]);
    git(&repo.path(""), &["merge", "--quiet", "--no-ff", "--no-edit", "topic"]);
    git(&repo.path(""), &["switch", "--quiet", "--create", "next"]);
    repo.write("shop/order.proto", &NEW.replace("}", "  int32 count = 3;\n}"));
    let next = report(&repo);
    let stale = of_rule(&next, "policy/waiver-stale");
    assert_eq!((next["verdict"].as_str(), stale.len()), (Some("compatible"), 1), "{next:#}");
    assert_eq!((stale[0]["path"].as_str(), stale[0]["severity"].as_str()), (Some(id.as_str()), Some("note")));
    assert!(stale[0]["fix"].as_str().is_some_and(|fix| fix.contains("accept --prune")));

    let kept = read(&repo, FILE);
    let dry = at(&repo, &["accept", "--prune", "--dry-run"]);
    assert_eq!((dry.code, read(&repo, FILE)), (0, kept), "{}", dry.out);
    let ran = at(&repo, &["accept", "--prune"]);
    assert!(ran.out.contains(&id) && !read(&repo, FILE).contains(&id), "{}", ran.out);
    assert!(of_rule(&report(&repo), "policy/waiver-stale").is_empty());
    assert!(at(&repo, &["accept", "--prune"]).out.contains("nothing to remove"));
}

#[test]
fn where_only_a_part_is_judged_no_waiver_is_called_needless() {
    if git_is_missing() {
        return;
    }
    let waivers = "- id: 9c1f03ab27de\n  reason: long ago\n";
    let repo = branch(&[(FILE, waivers), ("other/a.proto", "syntax = \"proto3\";\nmessage A {}\n")]);
    let ran = at(&repo, &["check", "other", "--format", "json"]);
    let part: Value = serde_json::from_str(&ran.out).expect("a report");
    assert!(of_rule(&part, "policy/waiver-stale").is_empty(), "{part:#}");
    let gaps = part["not_checked"].as_array().expect("gaps");
    assert!(gaps.iter().any(|gap| gap["what"].as_str().is_some_and(|what| what.contains("still needed"))), "{part:#}");
}

#[test]
fn a_waiver_ends_after_its_last_day() {
    if git_is_missing() {
        return;
    }
    let repo = branch(&[]);
    let id = accept(&repo, &["--until", "2026-06-15"]);
    let later = |today: &str| run_in(&repo.path(""), &["--format", "json"], &[("WIREPROOF_TODAY", today)]);
    assert_eq!(later("2026-06-15").code, 0);
    let ran = later("2026-06-16");
    assert_eq!(ran.code, 1);
    let report: Value = serde_json::from_str(&ran.out).expect("a report");
    assert_eq!(breaking_id(&report), id);
    let expired = of_rule(&report, "policy/waiver-expired");
    let message = expired[0]["message"].as_str().expect("a message");
    assert!(message.contains("ended on 2026-06-15, yesterday"), "{message}");
    assert_eq!(expired[0]["severity"], "warning");
    let wrong = later("2026-06-31");
    assert!(wrong.code == 2 && wrong.err.contains("WIREPROOF_TODAY"), "{}", wrong.err);
}

#[test]
fn an_id_is_matched_exactly_and_a_typo_is_told_with_the_nearest() {
    if git_is_missing() {
        return;
    }
    let repo = branch(&[]);
    let id = breaking_id(&report(&repo));
    let other = if id.ends_with('0') { "1" } else { "0" };
    let typo = format!("{}{other}", &id[..15]);
    repo.write(FILE, &format!("- id: \"{typo}\"\n  reason: gone\n"));
    let found = report(&repo);
    assert_eq!((found["verdict"].as_str(), breaking_id(&found)), (Some("breaking"), id.clone()));
    let unused = of_rule(&found, "policy/waiver-unused");
    assert_eq!((unused.len(), unused[0]["path"].as_str()), (1, Some(typo.as_str())));
    assert!(unused[0]["why"].as_str().is_some_and(|why| why.contains(&id)), "{found:#}");

    repo.write(FILE, &format!("- id: \"{id}\"\n  rule: protobuf/field-renamed\n  reason: harmless\n"));
    let disguised = report(&repo);
    assert_eq!(disguised["verdict"], "breaking", "an entry that names another rule covers nothing");
    assert_eq!(of_rule(&disguised, "policy/waiver-unused").len(), 1);
}

#[test]
fn an_entry_of_the_version_before_still_counts_is_told_and_gets_its_new_id() {
    if git_is_missing() {
        return;
    }
    let (rule, path) = ("avro/fixed-size-changed", "shop.Digest");
    // What the version before printed for this very change.
    let earlier = "f5ee9d7a07b8";
    let schema = |size: u32| format!("{{\"type\": \"fixed\", \"name\": \"shop.Digest\", \"size\": {size}}}");
    let repo = branch(&[("digest.avsc", &schema(16))]);
    repo.write("shop/order.proto", OLD);
    repo.write("digest.avsc", &schema(32));
    let id = breaking_id(&report(&repo));
    let entry = |more: &str| format!("- id: \"{earlier}\"\n{more}  reason: both sides go together\n");

    repo.write(FILE, &entry(""));
    assert_eq!(at(&repo, &[]).code, 1, "an id of the earlier form alone proves nothing");
    repo.write(FILE, &entry(&format!("  rule: {rule}\n  path: {path}\n")));
    let found = report(&repo);
    let told = of_rule(&found, "policy/waiver-outdated");
    assert_eq!((found["verdict"].as_str(), told.len()), (Some("compatible"), 1), "{found:#}");
    assert!(told[0]["message"].as_str().is_some_and(|message| message.contains(&id)), "{found:#}");

    let ran = at(&repo, &["accept", "--prune"]);
    assert!(ran.out.contains(earlier) && ran.out.contains(&id), "{}{}", ran.out, ran.err);
    assert!(read(&repo, FILE).contains(&id) && !read(&repo, FILE).contains(earlier));
    let after = report(&repo);
    assert_eq!((after["verdict"].as_str(), of_rule(&after, "policy/waiver-outdated").len()), (Some("compatible"), 0));
}

#[test]
fn a_waiver_follows_its_file_and_counts_for_no_other() {
    if git_is_missing() {
        return;
    }
    let repo = branch(&[]);
    accept(&repo, &[]);
    assert!(read(&repo, FILE).contains("  file: shop/order.proto\n"), "{}", read(&repo, FILE));
    git(&repo.path(""), &["mv", "shop/order.proto", "order.proto"]);
    assert_eq!(at(&repo, &[]).code, 0, "the file moves in the same change");
    repo.write(FILE, &read(&repo, FILE).replace("shop/order.proto", "gone/long/ago.proto"));
    assert_eq!(at(&repo, &[]).code, 0, "the file moved since the entry was written");
    repo.write("other.proto", "syntax = \"proto3\";\n");
    repo.write(FILE, &read(&repo, FILE).replace("gone/long/ago.proto", "other.proto"));
    let other = report(&repo);
    assert_eq!((other["verdict"].as_str(), of_rule(&other, "policy/waiver-unused").len()), (Some("breaking"), 1));
}

/// What nobody here touches: another team's file that uses the types, and a merge of main that brings one.
#[test]
fn a_waiver_outlives_files_of_others_and_merges() {
    if git_is_missing() {
        return;
    }
    let user =
        "{\"name\": \"s.B\", \"type\": \"record\", \"fields\": [{\"name\": \"u\", \"type\": [\"null\", \"s.A\"]}]}";
    let record = |more: &str| {
        format!(
            "{{\"name\": \"s.A\", \"type\": \"record\", \"fields\": [{{\"name\": \"x\", \"type\": \"int\"}}{more}]}}"
        )
    };
    let thrift = |more: &str| format!("struct A {{ 1: i32 x{more} }}\n");
    for (name, old, new, other, text) in [
        ("a.avsc", record(""), record(", {\"name\": \"y\", \"type\": \"int\"}"), "b.avsc", user),
        (
            "a.thrift",
            thrift("; 2: required i32 y"),
            thrift(""),
            "b.thrift",
            "include \"a.thrift\"\nstruct B { 1: a.A a }\n",
        ),
    ] {
        let repo = branch(&[(name, &old)]);
        repo.write("shop/order.proto", OLD);
        repo.write(name, &new);
        accept(&repo, &[]);
        commit(&repo, "remove the field");
        git(&repo.path(""), &["switch", "--quiet", "main"]);
        repo.write(other, text);
        commit(&repo, "somebody else's file");
        git(&repo.path(""), &["switch", "--quiet", "topic"]);
        assert_eq!(at(&repo, &[]).code, 0);
        git(&repo.path(""), &["merge", "--quiet", "--no-edit", "main"]);
        let ran = at(&repo, &[]);
        assert_eq!(ran.code, 0, "{}", ran.out);
        assert!(!ran.out.contains("waiver-unused"), "{}", ran.out);
    }
}

#[test]
fn a_broken_waiver_file_is_a_usage_error_with_its_place() {
    if git_is_missing() {
        return;
    }
    let repo = branch(&[]);
    for (text, place) in [
        ("- id: 9c1f03ab27de\n  reasn: x\n", ":2:3"),
        ("- id: 9c1f03ab27de\n  reason: x\n  until: 2026-02-30\n", ":3:10"),
        ("- id: 9c1f03ab27de\n  reason: x\n- id: 9c1f03ab27de\n  reason: x\n", ":3:7"),
    ] {
        repo.write(FILE, text);
        for command in [&["check"][..], &["accept", "9c1f03ab27de", "--reason", "x"]] {
            let ran = at(&repo, command);
            assert_eq!(ran.code, 2, "{}", ran.out);
            assert!(ran.err.contains(&format!("{FILE}{place}")), "{}", ran.err);
        }
        assert_eq!(at(&repo, &["--no-config"]).code, 1, "without configuration there are no waivers");
    }
}

#[test]
fn the_id_of_a_change_does_not_depend_on_its_line() {
    if git_is_missing() {
        return;
    }
    let repo = branch(&[]);
    let id = breaking_id(&report(&repo));
    repo.write("shop/order.proto", &NEW.replace("message", "// Lines\n\n// and more lines.\nmessage"));
    assert_eq!(breaking_id(&report(&repo)), id);
    git(&repo.path(""), &["mv", "shop/order.proto", "shop/orders.proto"]);
    assert_eq!(breaking_id(&report(&repo)), id);
}

/// The loosened keys with their severities.
fn looser(report: &Value) -> Vec<String> {
    let found = of_rule(report, "policy/configuration-loosened");
    let told = found.iter().map(|one| format!("{}: {}", one["path"].as_str().unwrap_or("?"), one["severity"]));
    told.collect()
}

#[test]
fn a_change_that_loosens_the_configuration_is_told_with_both_places() {
    if git_is_missing() {
        return;
    }
    let repo = branch(&[("wireproof.yaml", "mode: full\nsurfaces: [wire, json]\n")]);
    repo.write("wireproof.yaml", "# less\nmode: backward\nexclude: [old/]\n");
    let found = report(&repo);
    let warnings = ["exclude: \"warning\"", "mode: \"warning\"", "surfaces: \"warning\""];
    let mut told = looser(&found);
    told.sort();
    assert_eq!(told, warnings, "{found:#}");
    let mode =
        *of_rule(&found, "policy/configuration-loosened").iter().find(|one| one["path"] == "mode").expect("mode");
    assert_eq!(mode["message"], "`mode` of the configuration became looser: it was `full` and is `backward`");
    assert_eq!((mode["old"]["line"].as_u64(), mode["new"]["line"].as_u64()), (Some(1), Some(2)));
    assert_eq!(mode["new"]["file"], "wireproof.yaml");

    fs::remove_file(repo.path("wireproof.yaml")).expect("removed");
    let deleted = report(&repo);
    // Without a word about the mode, Avro is judged backward.
    assert_eq!(looser(&deleted), ["mode: \"warning\"", "surfaces: \"warning\""]);
    assert!(of_rule(&deleted, "policy/configuration-loosened")[0]["new"].is_null());
}

#[test]
fn the_base_says_how_loud_a_loosening_is() {
    if git_is_missing() {
        return;
    }
    let strict = "rules:\n  policy/configuration-loosened: error\n";
    let repo = branch(&[("wireproof.yaml", strict)]);
    repo.write("wireproof.yaml", "mode: none\nunstable: ['**']\nrules:\n  policy/configuration-loosened: off\n");
    let ran = at(&repo, &["--format", "json"]);
    let found: Value = serde_json::from_str(&ran.out).expect("a report");
    assert_eq!((ran.code, found["verdict"].as_str()), (1, Some("breaking")), "{found:#}");
    assert_eq!(looser(&found).len(), 4, "three keys, and the break that passes by them: {found:#}");
    assert!(looser(&found).iter().all(|one| one.ends_with("\"error\"")), "{found:#}");
    let none = found["modes"].as_array().expect("modes").iter().find(|mode| mode["mode"] == "none").expect("none");
    assert_eq!(none["passes"], false, "no mode lets it pass");
}

#[test]
fn a_base_that_cannot_be_read_is_said_and_stops_nothing() {
    if git_is_missing() {
        return;
    }
    let repo = branch(&[("wireproof.yaml", "mode: sideways\n"), (FILE, "- id: 9c1f03ab27de\n  reason: x\n")]);
    repo.write("wireproof.yaml", "mode: none\n");
    let found = report(&repo);
    assert_eq!(found["verdict"], "compatible");
    let problems = found["problems"].as_array().expect("problems");
    let is_told = |problem: &Value| {
        let message = problem["message"].as_str().unwrap_or_default();
        problem["severity"] == "warning" && message.contains("configuration of the base cannot be read")
    };
    assert!(problems.iter().any(is_told), "{found:#}");

    let repo = branch(&[(FILE, "- id: nonsense\n  reason: x\n")]);
    repo.write(FILE, "");
    let found = report(&repo);
    let gaps = found["not_checked"].as_array().expect("gaps");
    assert!(gaps.iter().any(|gap| gap["what"].as_str().is_some_and(|what| what.contains("which waivers are new"))));
}

#[test]
fn a_waiver_that_counts_longer_or_lies_elsewhere_is_told() {
    if git_is_missing() {
        return;
    }
    let entry = |until: &str| format!("- id: 9c1f03ab27de\n  reason: x\n{until}");
    let repo = branch(&[(FILE, &entry("  until: 2026-07-01\n"))]);
    repo.write(FILE, &entry("  standing: true\n"));
    let found = report(&repo);
    assert_eq!(looser(&found), ["waivers.9c1f03ab27de.until: \"warning\""]);
    repo.write("wireproof.yaml", "waivers: api/w.yaml\n").write("api/w.yaml", "");
    assert_eq!(looser(&report(&repo)), ["waivers: \"warning\""]);
}

#[test]
fn accept_refuses_what_would_not_help() {
    if git_is_missing() {
        return;
    }
    let repo = branch(&[]);
    let id = breaking_id(&report(&repo));
    for (arguments, words) in [
        (vec!["ffffffffffff", "--reason", "x"], vec!["no finding has the id `ffffffffffff`", "what breaks:", &id]),
        (vec![&id[..4], "--reason", "x"], vec!["no finding has the id", "16 digits"]),
        (vec!["../../etc", "--reason", "x"], vec!["no finding has the id"]),
        (vec![&id, "--reason", " "], vec!["--reason is blank"]),
        (vec![&id, "--reason", "x", "--owner", ""], vec!["--owner is blank"]),
        (vec![&id, "--reason", "x", "--until", "2026-06-14"], vec!["is over", "today is 2026-06-15"]),
        (vec![&id, "--reason", "x", "--until", "31.12.2026"], vec!["--until", "YYYY-MM-DD"]),
        (vec![&id], vec!["--reason"]),
        (vec![&id, "--prune"], vec!["cannot be used with"]),
    ] {
        let ran = at(&repo, &[vec!["accept"], arguments.clone()].concat());
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.out);
        assert!(words.iter().all(|word| ran.err.contains(word)), "{arguments:?}: {}", ran.err);
        assert!(!repo.path(FILE).exists(), "{arguments:?} wrote the file");
    }
    accept(&repo, &[]);
    let again = at(&repo, &["accept", &id, "--reason", "x"]);
    assert!(again.code == 2 && again.err.contains("already"), "{}", again.err);
    let note = of_rule(&report(&repo), "policy/waiver-added")[0]["id"].as_str().expect("an id").to_owned();
    let about_itself = at(&repo, &["accept", &note, "--reason", "x"]);
    assert!(about_itself.code == 2 && about_itself.err.contains("cannot be waived"), "{}", about_itself.err);
}

#[test]
fn accept_keeps_what_people_wrote_and_takes_findings_from_a_report_too() {
    if git_is_missing() {
        return;
    }
    let repo = branch(&[]);
    let mine = "# Ask the team first.\n- id: 9c1f03ab27de # long ago\n  reason: 'x'\n";
    repo.write(FILE, mine);
    let id = breaking_id(&report(&repo));
    at(&repo, &["--output", "json=report.json"]);
    let dry = at(&repo, &["accept", &id[..6], "--reason", "x: y", "--report", "report.json", "--dry-run"]);
    assert!(dry.code == 0 && dry.out.contains(&format!("- id: {id}")), "{}{}", dry.out, dry.err);
    assert_eq!(read(&repo, FILE), mine);
    let ran = at(&repo, &["accept", &id[..6], "--reason", "x: \"y\"\n#z", "--report", "report.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let now = read(&repo, FILE);
    assert!(now.starts_with(mine) && now.contains(&format!("id: {id}")), "{now}");
    assert_eq!(at(&repo, &[]).code, 0);
    let finding = report(&repo)["findings"].as_array().expect("findings").iter().find(|one| one["id"] == *id).cloned();
    assert_eq!(finding.expect("found")["waiver"]["reason"], "x: \"y\"\n#z");
}

#[test]
fn the_file_may_lie_where_the_configuration_says_and_its_folder_counts() {
    if git_is_missing() {
        return;
    }
    let repo = branch(&[(".github/wireproof.yaml", "waivers: api/waivers.yaml\n"), ("api/readme", "")]);
    let id = breaking_id(&report(&repo));
    let below = run_in(&repo.path("shop"), &["accept", &id, "--reason", "gone"], DAY);
    assert!(below.code == 0 && below.out.starts_with("api/waivers.yaml:4"), "{}{}", below.out, below.err);
    assert_eq!(at(&repo, &[]).code, 0);
    assert_eq!(run_in(&repo.path("shop"), &["check"], DAY).code, 0);
}

#[test]
fn compare_uses_the_waivers_in_force_and_calls_none_needless() {
    let place = Place::new();
    place.write("old/shop/order.proto", OLD).write("new/shop/order.proto", NEW);
    let compare = ["compare", "old", "new", "--format", "json"];
    let found: Value = serde_json::from_str(&run(&place.path(""), &compare).out).expect("a report");
    let id = breaking_id(&found);
    place.write(FILE, &format!("- id: \"{id}\"\n  reason: gone\n- id: \"000000000000\"\n  reason: other\n"));
    let ran = run(&place.path(""), &compare);
    let waived: Value = serde_json::from_str(&ran.out).expect("a report");
    assert_eq!(ran.code, 0, "{waived:#}");
    assert_eq!(of_rule(&waived, "protobuf/field-removed-unreserved")[0]["waiver"]["added_here"], false);
    assert!(waived["findings"].as_array().expect("findings").iter().all(|one| one["format"] != "policy"));
}

#[test]
fn a_copy_of_the_schemas_is_no_base_for_the_configuration() {
    let place = Place::new();
    place.write("wireproof.yaml", "mode: none\n").write(FILE, "- id: 9c1f03ab27de\n  reason: x\n");
    place.write("copy/order.proto", OLD).write("shop/order.proto", NEW);
    let ran = run(&place.path(""), &["check", "--against", "copy", "shop", "--format", "json"]);
    let found: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err));
    assert!(found["findings"].as_array().expect("findings").iter().all(|one| one["format"] != "policy"), "{found:#}");
    assert!(found["not_checked"].to_string().contains("became looser"), "{found:#}");
    fs::remove_file(place.path("wireproof.yaml")).expect("removed");
    fs::remove_file(place.path(FILE)).expect("removed");
    let ran = run(&place.path(""), &["check", "--against", "copy", "shop", "--format", "json"]);
    let found: Value = serde_json::from_str(&ran.out).expect("a report");
    assert_eq!(found["not_checked"].as_array().map(Vec::len), Some(0), "{found:#}");
}

#[test]
fn every_form_for_people_says_who_why_and_until_when_and_how_to_accept() {
    if git_is_missing() {
        return;
    }
    let repo = branch(&[]);
    let id = breaking_id(&report(&repo));
    let command = format!("wireproof accept {id} --reason \"…\"");
    for form in ["text", "markdown"] {
        assert!(at(&repo, &["--format", form]).out.contains(&command), "{form}");
    }
    accept(&repo, &["--owner", "payments", "--until", "2026-12-31"]);
    for form in ["text", "markdown"] {
        let out = at(&repo, &["--format", form]).out;
        assert!(out.lines().next().is_some_and(|line| line.contains("1 waived")), "{out}");
        for word in ["until 2026-12-31, by payments", "nobody sends it", FILE] {
            assert!(out.contains(word), "{form} lacks {word}: {out}");
        }
        assert!(!out.contains(&command), "{out}");
    }
}

#[test]
fn the_parts_of_a_divided_check_speak_of_waivers_once() {
    if git_is_missing() {
        return;
    }
    let other = OLD.replace("Order", "Offer");
    let repo = branch(&[("shop/offer.proto", &other), (FILE, "- id: 9c1f03ab27de\n  reason: long ago\n")]);
    repo.write("wireproof.yaml", "mode: backward\n");
    accept(&repo, &["--mode", "full"]);
    repo.write("shop/offer.proto", &NEW.replace("Order", "Offer"));
    for part in ["1/2", "2/2"] {
        at(&repo, &["--shard", part, "--output", &format!("json=part-{}.json", &part[..1])]);
    }
    let merged = at(&repo, &["render", "part-1.json", "part-2.json", "--format", "json"]);
    assert_eq!(merged.out, at(&repo, &["--format", "json"]).out, "{}", merged.err);
    let merged: Value = serde_json::from_str(&merged.out).expect("a report");
    for rule in ["policy/waiver-added", "policy/waiver-stale", "policy/configuration-loosened"] {
        assert_eq!(of_rule(&merged, rule).len(), 1, "{rule}: {merged:#}");
    }
}

#[test]
fn the_examples_of_the_rules_about_policy_are_true() {
    let rules = RuleSet::built_in();
    let version = |text: &str| Version {
        config: Config::parse("wireproof.yaml", text).expect("an example is a configuration"),
        path: Some("wireproof.yaml".into()),
        waivers: FILE.to_owned(),
    };
    let mut shown = 0;
    for (rule, example) in rules
        .iter()
        .filter(|rule| rule.format() == POLICY)
        .flat_map(|rule| rule.examples.iter().map(move |example| (rule, example)))
    {
        let sides = Pair::new(version(&example.old["wireproof.yaml"]), version(&example.new["wireproof.yaml"]));
        let changes = loosened(sides.as_ref(), rules);
        assert_eq!(changes.len(), example.count, "{}: {:?}", rule.id, example.note);
        assert!(changes.iter().all(|change| change.facts.get(FactKey::OldValue).is_some()));
        shown += 1;
    }
    assert!(shown >= 3, "{shown} examples");
}

#[test]
fn a_folder_or_a_rule_is_accepted_in_one_entry_that_covers_what_it_lists() {
    if git_is_missing() {
        return;
    }
    let legacy = OLD.replace("package shop", "package legacy");
    let repo = branch(&[("legacy/order.proto", &legacy), ("wireproof.yaml", "mode: full\n")]);
    repo.write("legacy/order.proto", &legacy.replace("int32 id", "string id").replace("  string note = 2;\n", ""));
    assert_eq!(of_rule(&report(&repo), "protobuf/field-removed-unreserved").len(), 2);
    let group = ["accept", "--reason", "the old shop is closed", "--under", "legacy"];
    let elsewhere = at(&repo, &["accept", "--reason", "x", "--under", "nowhere"]);
    assert!(elsewhere.code == 2 && elsewhere.err.contains("nothing breaks under `nowhere`"), "{}", elsewhere.err);
    let shown = at(&repo, &[&group[..], &["--dry-run"]].concat());
    assert!(shown.code == 0 && shown.out.contains("covers:"), "{}{}", shown.out, shown.err);
    assert!(!repo.path(FILE).exists(), "a dry run writes nothing");
    let ran = at(&repo, &group);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.out.matches("    - ").count(), 2, "{}", ran.out);
    // What breaks elsewhere goes on breaking, and so does what comes later in the same folder.
    let after = report(&repo);
    let waived = |report: &Value| {
        let findings = report["findings"].as_array().expect("findings");
        findings.iter().filter(|finding| !finding["waiver"].is_null()).count()
    };
    assert_eq!((at(&repo, &[]).code, waived(&after)), (1, 2));
    breaking_id(&after);
    let rule = ["accept", "--reason", "nobody reads it", "--rule", "protobuf/field-removed-unreserved"];
    assert_eq!(at(&repo, &rule).code, 0);
    assert_eq!(at(&repo, &[]).code, 0);
    repo.write("legacy/other.proto", "syntax = \"proto3\";\npackage legacy;\nmessage Other { string a = 1; }\n");
    repo.write("legacy/order.proto", &legacy.replace("int32 id", "bytes id").replace("  string note = 2;\n", ""));
    assert_eq!(at(&repo, &[]).code, 1, "another break of the same place is another finding");
    // An entry whose words are not true covers nothing.
    let text = read(&repo, FILE).replace("under: legacy", "under: shop");
    repo.write(FILE, &text);
    repo.write("legacy/order.proto", &legacy.replace("int32 id", "string id").replace("  string note = 2;\n", ""));
    assert_eq!(at(&repo, &[]).code, 1);
    // Once nothing of it is needed, pruning takes the whole entry.
    repo.write("legacy/order.proto", &legacy);
    commit(&repo, "undone, with its waivers");
    git(&repo.path(""), &["branch", "--force", "main"]);
    assert_eq!(at(&repo, &["accept", "--prune"]).code, 0);
    assert!(!read(&repo, FILE).contains("covers:"), "{}", read(&repo, FILE));
}
