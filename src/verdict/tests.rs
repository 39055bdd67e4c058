//! What breaks, on hand-made findings: rules with six stated outcomes, policies, and what other tools report.

use std::sync::Arc;

use globset::{Glob, GlobSet};

use super::*;
use crate::change::{Change, Facts, Identity, Pair, Site, Span};
use crate::judge::Judged;
use crate::ordered::OrderedSet;
use crate::rules::{Impact, PeerId, Profile, Rule, RuleSet, RuleText};

mod moves;

const OUTCOMES: [Outcome; 6] =
    [Outcome::Safe, Outcome::Defaulted, Outcome::Unrecognized, Outcome::Lossy, Outcome::Fails, Outcome::Wrong];

fn change(path: &str, file: &str, reports: &[&'static str]) -> Change {
    let site = Site { file: file.into(), span: Span::default() };
    let report = |id: &&'static str| PeerReport {
        tool: "buf",
        id,
        at: Pair::new(None, Some(site.clone())),
        message: "words".to_owned(),
        direction: None,
        pointer: None,
    };
    Change {
        kind: ChangeKind::FieldAdded,
        path: path.to_owned(),
        identity: Identity(path.to_owned()),
        at: Pair::new(Some(site.clone()), Some(site.clone())),
        facts: Facts::none(),
        suggestion: None,
        reports: reports.iter().map(report).collect(),
        members: Arc::default(),
        left_out: Default::default(),
        heading: None,
    }
}

fn rule(class: &str) -> Arc<Rule> {
    let text = format!(
        "id: protobuf/r\ntitle: T\nfamily: f\nsince: 0.1.0\nclass: {class}\nwhen: {{ change: field-added }}\n\
         impact:\n  wire: {{ backward: safe, forward: safe }}\n  json: {{ backward: safe, forward: safe }}\n  \
         source: {{ backward: safe, forward: safe }}\nmessage: M\nwhy: W\nfix: F\n"
    );
    let rules = RuleSet::from_files(&[RuleText { file: "r.yaml", text: &text }]).expect("well formed");
    Arc::new(rules.get("protobuf/r").expect("it is there").clone())
}

/// A finding whose cells on the wire are these, backward and forward, and whose others are safe.
fn finding<'c>(change: &'c Change, class: &str, wire: [Outcome; 2]) -> Finding<'c> {
    let safe = [Outcome::Safe; 2];
    let rule = rule(class);
    let judged = Judged {
        format: "protobuf",
        change,
        severity: rule.severity_of(&Facts::none()).expect("no fact is named"),
        rule,
        impact: Impact::new(wire, safe, safe),
        peers: Vec::new(),
        members: Arc::default(),
    };
    Finding::as_claimed(judged)
}

fn compatibility(change: &Change, wire: [Outcome; 2]) -> Finding<'_> {
    finding(change, "compatibility", wire)
}

fn decided(finding: &Finding<'_>, policy: &Policy) -> (Severity, bool) {
    let decided = decide_one(finding, policy, &Moves::default()).expect("it is not turned off");
    (decided.severity, decided.breaking)
}

fn policy(mode: Mode) -> Policy {
    Policy::default().with_mode(mode)
}

#[test]
fn severity_follows_from_the_outcome_and_breaking_from_the_threshold() {
    use Severity::{Error, Note, Warning};
    let usual = [Note, Note, Warning, Error, Error, Error];
    let change = change("p.M.x", "a.proto", &[]);
    for (least, fail_on) in OUTCOMES.into_iter().enumerate().skip(1) {
        for (at, outcome) in OUTCOMES.into_iter().enumerate() {
            let finding = compatibility(&change, [outcome, Outcome::Safe]);
            let breaks = at >= least;
            let expected = (if breaks { Error } else { usual[at] }, breaks);
            let policy = Policy { fail_on, ..policy(Mode::Full) };
            assert_eq!(decided(&finding, &policy), expected, "{outcome} with fail-on {fail_on}");
        }
    }
}

#[test]
fn what_a_rule_tolerates_warns_and_breaks_only_where_it_is_named() {
    let change = change("p.M.x", "a.proto", &[]);
    let tolerant = |wire| finding(&change, "compatibility\ntolerates: wrong", wire);
    let rounds = tolerant([Outcome::Wrong, Outcome::Safe]);
    assert_eq!(decided(&rounds, &policy(Mode::Full)), (Severity::Warning, false));
    assert_eq!(decided(&rounds, &policy(Mode::Forward)), (Severity::Note, false), "nothing rounds in that direction");
    let named = Policy { fail_on: Outcome::Wrong, ..policy(Mode::Full) };
    assert_eq!(decided(&rounds, &named), (Severity::Error, true));
    let fails = tolerant([Outcome::Wrong, Outcome::Fails]);
    assert_eq!(decided(&fails, &policy(Mode::Full)), (Severity::Error, true), "the other direction breaks as ever");
    assert_eq!(decided(&fails, &policy(Mode::Backward)), (Severity::Warning, false));
    assert_eq!(decided(&fails, &named), (Severity::Error, true));
}

#[test]
fn only_cells_of_the_mode_and_of_the_surfaces_count() {
    let change = change("p.M.x", "a.proto", &[]);
    for (mode, backward, forward) in [
        (Mode::None, false, false),
        (Mode::Backward, true, false),
        (Mode::Forward, false, true),
        (Mode::Full, true, true),
    ] {
        for (wire, breaks) in [([Outcome::Wrong, Outcome::Safe], backward), ([Outcome::Safe, Outcome::Wrong], forward)]
        {
            let expected = (if breaks { Severity::Error } else { Severity::Note }, breaks);
            assert_eq!(decided(&compatibility(&change, wire), &policy(mode)), expected, "{mode}: {wire:?}");
        }
    }
    let json = Policy { surfaces: vec![Surface::Json], ..policy(Mode::Full) };
    let wrong = compatibility(&change, [Outcome::Wrong; 2]);
    assert_eq!(decided(&wrong, &json), (Severity::Note, false), "another surface");
}

#[test]
fn a_hygiene_rule_states_its_severity_and_breaks_with_error_only() {
    let change = change("p.M.x", "a.proto", &[]);
    for severity in Severity::ALL {
        for (class, outcome) in [("hygiene", Outcome::Safe), ("hygiene\ntolerates: wrong", Outcome::Wrong)] {
            let finding = finding(&change, &format!("{class}\nseverity: {severity}"), [outcome; 2]);
            assert_eq!(decided(&finding, &policy(Mode::Full)), (*severity, *severity == Severity::Error));
            assert_eq!(decided(&finding, &policy(Mode::None)), (*severity, false), "nothing breaks in mode none");
        }
    }
}

#[test]
fn what_readers_feel_of_a_guard_that_is_gone_counts_where_it_is_worse() {
    let change = change("p.M.x", "a.proto", &[]);
    for severity in Severity::ALL {
        let text = format!("hygiene\nseverity: {severity}");
        let finding = finding(&change, &text, [Outcome::Lossy, Outcome::Safe]);
        assert_eq!(decided(&finding, &policy(Mode::Backward)), (Severity::Error, true));
        let other = (*severity, *severity == Severity::Error);
        assert_eq!(decided(&finding, &policy(Mode::Forward)), other, "nobody feels it in that direction");
        let named = Policy { fail_on: Outcome::Wrong, ..policy(Mode::Backward) };
        let breaks = *severity == Severity::Error;
        assert_eq!(
            decided(&finding, &named),
            (Severity::Error, breaks),
            "below what breaks it is an error all the same"
        );
    }
}

#[test]
fn the_configuration_wins_by_id_before_family() {
    let change = change("p.M.x", "a.proto", &[]);
    let finding = compatibility(&change, [Outcome::Wrong; 2]);
    let with = |severities: &[(&str, Override)]| Policy {
        severities: severities.iter().map(|(name, level)| ((*name).to_owned(), *level)).collect(),
        ..policy(Mode::Full)
    };
    assert_eq!(decided(&finding, &with(&[("f", Override::Note)])), (Severity::Note, false));
    assert_eq!(decided(&finding, &with(&[("f", Override::Warning)])), (Severity::Warning, false));
    let both = with(&[("f", Override::Off), ("protobuf/r", Override::Error)]);
    assert_eq!(decided(&finding, &both), (Severity::Error, true));
    assert_eq!(decide_one(&finding, &with(&[("f", Override::Off)]), &Moves::default()), None);
    let safe = compatibility(&change, [Outcome::Safe; 2]);
    assert_eq!(decided(&safe, &with(&[("f", Override::Error)])), (Severity::Error, true), "in every mode");
}

#[test]
fn what_was_not_shown_and_what_is_unstable_is_a_note() {
    let change = change("p.v1alpha.M.x", "a.proto", &[]);
    let wrong = compatibility(&change, [Outcome::Wrong; 2]);
    let not_shown = Finding { standing: Standing::NotShown, ..wrong.clone() };
    assert_eq!(decided(&not_shown, &policy(Mode::Full)), (Severity::Note, false));
    let globs = |glob: &str| GlobSet::builder().add(Glob::new(glob).expect("valid")).build().expect("valid");
    let unstable = |glob: &str| Policy { unstable: globs(glob), ..policy(Mode::Full) };
    assert_eq!(decided(&wrong, &unstable("*.v1alpha")), (Severity::Note, false));
    assert_eq!(decided(&wrong, &unstable("*.v1beta")), (Severity::Error, true));
}

#[test]
fn what_a_part_is_called_makes_it_no_part_of_a_package() {
    let globs = GlobSet::builder().add(Glob::new("*.v1alpha*").expect("valid")).build().expect("valid");
    let terms = Policy { unstable: globs, ..policy(Mode::Full) };
    for (path, container, passes) in [
        ("p.v1alpha.M.x", "", true),
        ("p.v1.v1alphaM.x", "", true),
        ("p.v1.M.v1alpha_x", "", false),
        ("p.v1.M.v1alpha_x[]", "", false),
        ("p.v1.M.v1alpha.x", "p.v1.M", false),
        ("p.v1.S.v1alpha().x", "", false),
        ("p.v1alpha.S.f().x", "", true),
        ("a.v1alpha.json#/properties/x", "", true),
        ("a.json#/properties/x.v1alpha", "a.json#/properties", false),
    ] {
        let mut change = change(path, "a.proto", &[]);
        change.kind = ChangeKind::FieldTypeChanged;
        if !container.is_empty() {
            change.facts = change.facts.with(crate::change::FactKey::Container, container);
        }
        let wrong = compatibility(&change, [Outcome::Wrong; 2]);
        assert_eq!(decided(&wrong, &terms).1, !passes, "{path}");
    }
}

#[test]
fn a_folder_has_terms_of_its_own_and_the_longest_counts() {
    let folder = |folder: &str, mode| FolderTerms { folder: folder.to_owned(), mode: Some(mode), surfaces: None };
    let terms = Policy {
        folders: vec![folder("a", Mode::None), folder("a/b", Mode::Full), folder("c", Mode::None)],
        ..policy(Mode::Full)
    };
    for (file, breaks) in
        [("a/x.proto", false), ("a/b/x.proto", true), ("ab/x.proto", true), ("c", false), ("d/x.proto", true)]
    {
        let change = change("p.M.x", file, &[]);
        let finding = compatibility(&change, [Outcome::Wrong; 2]);
        assert_eq!(decided(&finding, &terms).1, breaks, "{file}");
    }
    let surfaces = FolderTerms { folder: String::new(), mode: None, surfaces: Some(vec![Surface::Source]) };
    let change = change("p.M.x", "a.proto", &[]);
    let elsewhere = Policy { folders: vec![surfaces], ..policy(Mode::Full) };
    assert!(!decided(&compatibility(&change, [Outcome::Wrong; 2]), &elsewhere).1, "no finding on this surface");
}

fn peer(ids: Option<&[&str]>) -> PeerPolicy {
    PeerPolicy {
        name: "buf/TEST".to_owned(),
        tool: "buf".to_owned(),
        format: "protobuf".to_owned(),
        ids: ids.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect()),
    }
}

fn profile(ids: Option<&[&str]>) -> Option<ProfilePolicy> {
    Some(ProfilePolicy::from(peer(ids)))
}

#[test]
fn under_a_profile_breaks_what_the_tool_reports_and_nothing_else() {
    let change = change("p.M.x", "a.proto", &[]);
    let reported = |tool: &str, direction| {
        let mut finding = compatibility(&change, [Outcome::Wrong, Outcome::Safe]);
        finding.judged.peers.push(PeerId {
            tool: tool.to_owned(),
            id: "SAME".to_owned(),
            direction,
            is_recorded: true,
        });
        finding
    };
    let under = |mode, ids| Policy { profile: profile(ids), ..policy(mode) };
    let error = (Severity::Error, true);
    let warning = (Severity::Warning, false);
    assert_eq!(decided(&reported("buf", None), &under(Mode::Full, None)), error);
    assert_eq!(decided(&reported("buf", None), &under(Mode::Full, Some(&["SAME"]))), error);
    assert_eq!(decided(&reported("buf", None), &under(Mode::Full, Some(&["OTHER"]))), warning, "it does not count");
    assert_eq!(decided(&reported("avro", None), &under(Mode::Full, None)), warning, "another tool");
    let forward = reported("buf", Some(Direction::Forward));
    assert_eq!(decided(&forward, &under(Mode::Forward, None)), error);
    assert_eq!(decided(&forward, &under(Mode::Backward, None)), warning, "the other direction");
    assert_eq!(decided(&reported("buf", None), &under(Mode::None, None)), (Severity::Note, false));
    let mut foreign = reported("avro", None);
    foreign.judged.format = "avro";
    assert_eq!(decided(&foreign, &under(Mode::Full, None)), error, "another format is judged by its rule");
}

fn area(folder: &str, ids: &[&str], ignored: &[(&str, Option<&str>)]) -> PeerArea {
    let ignored = ignored
        .iter()
        .map(|(path, id)| Ignored { path: (*path).to_owned(), ids: id.map(|id| OrderedSet::from([id.to_owned()])) });
    PeerArea {
        folder: Pair::new(Some(folder.to_owned()), Some(folder.to_owned())),
        peer: peer(Some(ids)),
        source: "buf.yaml:3".to_owned(),
        ignored: ignored.collect(),
        unstable: Pair::default(),
    }
}

#[test]
fn in_an_area_of_another_tool_its_configuration_decides() {
    let areas = || vec![area("a", &["SAME"], &[("deep", None), ("x.proto", Some("SAME"))])];
    let terms = Policy { areas: areas(), ..policy(Mode::Full) };
    for (file, reports, expected, remark) in [
        ("a/m.proto", &["SAME"][..], (Severity::Error, true), None),
        ("a/m.proto", &["OTHER"], (Severity::Warning, false), Some("lets through")),
        ("a/m.proto", &[], (Severity::Warning, false), Some("lets through")),
        ("a/x.proto", &["SAME"], (Severity::Note, false), Some("ignores")),
        ("a/deep/m.proto", &["SAME"], (Severity::Note, false), Some("ignores")),
        ("b/m.proto", &[], (Severity::Error, true), None),
    ] {
        let change = change("p.M.x", file, reports);
        let finding = compatibility(&change, [Outcome::Wrong; 2]);
        assert_eq!(decided(&finding, &terms), expected, "{file}: {reports:?}");
        let said = terms.remark(&finding).map(|remark| match remark {
            Remark::Ignored { tool: "buf", source: "buf.yaml:3" } => "ignores",
            Remark::LetThrough { tool: "buf", source: "buf.yaml:3" } => "lets through",
            Remark::Ignored { .. } | Remark::LetThrough { .. } => "somebody else",
        });
        assert_eq!(said, remark, "{file}: {reports:?}");
    }
    let change = change("p.M.x", "a/m.proto", &["OTHER"]);
    let finding = compatibility(&change, [Outcome::Wrong; 2]);
    let profile = Policy { profile: profile(Some(&["OTHER"])), areas: areas(), ..policy(Mode::Full) };
    assert_eq!(profile.remark(&finding), None, "a profile wins over the configuration of the tool");
    let harmless = compatibility(&change, [Outcome::Safe; 2]);
    assert_eq!(terms.remark(&harmless), None, "nobody is hurt");
    assert!(!decided(&finding, &Policy { areas: areas(), ..policy(Mode::None) }).1, "nothing breaks in mode none");
}

#[test]
fn a_report_counts_as_the_profile_or_the_area_has_it() {
    let counts = |policy: &Policy, file: &str| {
        let change = change("p.M.x", file, &["SAME"]);
        policy.counts_report(&change.reports[0])
    };
    assert!(counts(&policy(Mode::Full), "a.proto"), "nobody has chosen");
    let under = |ids: &[&str]| Policy { profile: profile(Some(ids)), ..policy(Mode::Full) };
    assert!(counts(&under(&["SAME"]), "a.proto"));
    assert!(!counts(&under(&["OTHER"]), "a.proto"));
    let in_area = Policy { areas: vec![area("a", &["SAME"], &[("x.proto", Some("SAME"))])], ..policy(Mode::Full) };
    assert!(counts(&in_area, "a/m.proto"));
    assert!(!counts(&in_area, "a/x.proto"));
    assert!(!counts(&in_area, "b/m.proto"), "the tool has no configuration there");
    let others = Policy { areas: vec![area("a", &["OTHER"], &[])], ..policy(Mode::Full) };
    assert!(!counts(&others, "a/m.proto"), "the configuration does not name it");
}

#[test]
fn a_profile_is_in_force_in_every_format_that_its_tool_judges_and_leaves_other_tools_alone() {
    let named = |name: &str| {
        let profile = Profile::all().find(|profile| profile.name == name).expect("it is built in");
        profile.all_in_force(RuleSet::built_in())
    };
    let formats = |name: &str| -> OrderedSet<String> {
        named(name).of_formats.iter().map(|peer| peer.format.to_string()).collect()
    };
    assert_eq!(formats("flatc"), OrderedSet::from(["flatbuffers".to_owned()]));
    assert_eq!(formats("confluent"), ["avro", "json-schema"].map(str::to_owned).into());
    let wire = named("buf/WIRE");
    assert!(
        wire.leaves_out("buf", "FIELD_SAME_NAME") && !wire.leaves_out("buf", "FIELD_NO_DELETE_UNLESS_NUMBER_RESERVED")
    );
    assert!(!wire.leaves_out("thrift", "field-removed"));
}

#[test]
fn every_profile_names_rules_of_its_tool() {
    for profile in Profile::all() {
        let in_force = profile.in_force(RuleSet::built_in());
        assert_eq!(in_force.ids.is_some(), profile.category.is_some(), "{}", profile.name);
        assert!(in_force.ids.is_none_or(|ids| ids.len() > 10), "{} has rules", profile.name);
    }
}

#[test]
fn the_verdict_the_ladder_and_the_order_follow_from_what_breaks() {
    let change = change("p.M.x", "a.proto", &[]);
    let (safe, wrong) = (Outcome::Safe, Outcome::Wrong);
    for (wire, verdict, strictest, order) in [
        ([safe, safe], Verdict::Compatible, Mode::Full, UpgradeOrder::Any),
        ([wrong, safe], Verdict::Breaking, Mode::Forward, UpgradeOrder::WritersFirst),
        ([safe, wrong], Verdict::Breaking, Mode::Backward, UpgradeOrder::ReadersFirst),
        ([wrong, wrong], Verdict::Breaking, Mode::None, UpgradeOrder::None),
    ] {
        let findings = [compatibility(&change, wire)];
        let decision = decide(&findings, &[], &policy(Mode::Full), &Moves::default(), Doubt::None);
        assert_eq!((decision.verdict, decision.strictest, decision.upgrade_order), (verdict, strictest, order));
        let waived = decide(&findings, &[Acknowledged::Yes], &policy(Mode::Full), &Moves::default(), Doubt::None);
        let expected = (Verdict::Compatible, Mode::Full, order);
        assert_eq!((waived.verdict, waived.strictest, waived.upgrade_order), expected, "a waiver moves no reader");
        let doubtful = decide(&findings, &[], &policy(Mode::Full), &Moves::default(), Doubt::CannotTell);
        let told = if verdict == Verdict::Breaking { Verdict::Breaking } else { Verdict::Unknown };
        assert_eq!((doubtful.verdict, doubtful.upgrade_order), (told, UpgradeOrder::None));
        let pass: Vec<Mode> = doubtful.modes.iter().filter(|(_, passes)| *passes).map(|(mode, _)| *mode).collect();
        assert_eq!(pass, [Mode::None], "what could not be told passes nowhere else");
    }
}

/// The same finding, said of the safeguards.
fn about_the_gate(change: &Change) -> Finding<'_> {
    let mut finding = finding(change, "hygiene\nseverity: error", [Outcome::Safe; 2]);
    finding.judged.format = POLICY;
    finding
}

#[test]
fn no_mode_folder_or_package_has_a_say_in_what_is_said_of_the_gate() {
    let change = change("p.v1alpha.M", "a.proto", &[]);
    let finding = about_the_gate(&change);
    let unstable = GlobSet::builder().add(Glob::new("*.v1alpha").expect("valid")).build().expect("valid");
    let folder = FolderTerms { folder: String::new(), mode: Some(Mode::None), surfaces: None };
    for terms in [
        policy(Mode::None),
        policy(Mode::Forward),
        Policy { folders: vec![folder], ..policy(Mode::Full) },
        Policy { unstable, ..policy(Mode::Full) },
    ] {
        assert_eq!(terms.mode_of(&finding), Mode::Full);
        assert_eq!(decided(&finding, &terms), (Severity::Error, true));
    }
    let decision = decide(&[finding], &[], &policy(Mode::None), &Moves::default(), Doubt::None);
    assert_eq!((decision.verdict, decision.strictest), (Verdict::Breaking, Mode::None));
    assert!(decision.modes.iter().all(|(_, passes)| !passes), "it passes in no mode: {:?}", decision.modes);
}

#[test]
fn what_earlier_versions_break_is_a_note_where_only_the_last_one_counts() {
    let change = change("p.M.x", "a.proto", &[]);
    let finding = compatibility(&change, [Outcome::Wrong; 2]);
    let earlier = |mode| Policy { reach: Reach::Earlier, ..policy(mode) };
    assert_eq!(decided(&finding, &earlier(Mode::Full)), (Severity::Note, false));
    assert_eq!(decided(&finding, &earlier(Mode::FullTransitive)), (Severity::Error, true));
    assert_eq!(decided(&finding, &policy(Mode::Full)), (Severity::Error, true));
    let decision = decide(&[finding], &[], &earlier(Mode::Full), &Moves::default(), Doubt::None);
    assert!(decision.costs[0].contains(&Mode::Full), "the ladder tells what each mode would say of it");
    assert!(!policy(Mode::Full).reaches_back() && policy(Mode::FullTransitive).reaches_back());
    let of_format = Policy { modes: OrderedMap::from([("avro", Mode::BackwardTransitive)]), ..policy(Mode::Full) };
    let folder = FolderTerms { folder: "a".to_owned(), mode: Some(Mode::ForwardTransitive), surfaces: None };
    let of_folder = Policy { folders: vec![folder], ..policy(Mode::Full) };
    assert!(of_format.reaches_back() && of_folder.reaches_back());
}

#[test]
fn a_number_that_is_used_again_is_under_the_mode_of_its_place() {
    let reused = Change { kind: ChangeKind::NumberReused, ..change("p.M.x", "a.proto", &[]) };
    let mut finding = compatibility(&reused, [Outcome::Wrong, Outcome::Safe]);
    finding.judged.format = POLICY;
    assert_eq!(decided(&finding, &policy(Mode::Backward)), (Severity::Error, true));
    assert!(!decided(&finding, &policy(Mode::Forward)).1, "nobody reads old data");
}

#[test]
fn what_is_safe_breaks_at_no_threshold_and_what_no_mode_looks_at_is_a_note() {
    let change = change("p.M.x", "a.proto", &[]);
    let lowest = |fail_on, mode| Policy { fail_on, ..policy(mode) };
    let safe = compatibility(&change, [Outcome::Safe; 2]);
    assert_eq!(decided(&safe, &lowest(Outcome::Safe, Mode::Full)), (Severity::Note, false));
    let wrong = compatibility(&change, [Outcome::Wrong; 2]);
    assert_eq!(decided(&wrong, &lowest(Outcome::Defaulted, Mode::None)), (Severity::Note, false));
}

#[test]
fn a_hygiene_rule_that_states_no_severity_is_an_error() {
    let change = change("p.M.x", "a.proto", &[]);
    let mut finding = finding(&change, "hygiene\nseverity: note", [Outcome::Safe; 2]);
    finding.judged.severity = None;
    assert_eq!(decided(&finding, &policy(Mode::Full)), (Severity::Error, true));
}

#[test]
fn another_tool_decides_about_what_no_witness_shows_and_one_of_its_ids_is_enough() {
    let change = change("p.M.x", "a/m.proto", &["SAME"]);
    let mut finding = Finding { standing: Standing::NotShown, ..compatibility(&change, [Outcome::Wrong; 2]) };
    let id = |id: &str| PeerId { tool: "buf".to_owned(), id: id.to_owned(), direction: None, is_recorded: true };
    finding.judged.peers.extend([id("OTHER"), id("SAME")]);
    let profile = Policy { profile: profile(Some(&["SAME"])), ..policy(Mode::Full) };
    assert_eq!(decided(&finding, &profile), (Severity::Error, true));
    let areas = |mode| Policy { areas: vec![area("a", &["SAME"], &[])], ..policy(mode) };
    assert_eq!(decided(&finding, &areas(Mode::Full)), (Severity::Error, true));
    assert_eq!(decided(&finding, &areas(Mode::None)), (Severity::Note, false));
    let folder = |mode| FolderTerms { folder: "a".to_owned(), mode, surfaces: None };
    let folders = |mode| Policy { folders: vec![folder(mode)], ..areas(Mode::Full) };
    assert_eq!(decided(&finding, &folders(None)), (Severity::Error, true), "the area decides still");
    assert_eq!(decided(&finding, &folders(Some(Mode::Full))), (Severity::Note, false), "a mode of the folder wins");
}

#[test]
fn of_areas_inside_of_each_other_the_innermost_counts() {
    let terms = Policy { areas: vec![area("a", &["OUTER"], &[]), area("a/b", &["INNER"], &[])], ..policy(Mode::Full) };
    let breaks = |file: &str, id: &'static str| {
        let change = change("p.M.x", file, &[]);
        let site = Site { file: file.into(), span: Span::default() };
        let at = Pair::new(Some(site.clone()), Some(site));
        let report = PeerReport { tool: "buf", id, at, message: String::new(), direction: None, pointer: None };
        let change = Change { reports: vec![report], ..change };
        decided(&compatibility(&change, [Outcome::Wrong; 2]), &terms).1
    };
    assert!(breaks("a/x.proto", "OUTER") && !breaks("a/x.proto", "INNER"));
    assert!(breaks("a/b/x.proto", "INNER") && !breaks("a/b/x.proto", "OUTER"));
}

#[test]
fn what_an_area_leaves_out_is_a_note_whether_or_not_the_tool_reports_it() {
    let everything = area("a", &["SAME"], &[("deep", None), ("x.proto", Some("SAME"))]);
    let unstable = Pair::new(OrderedSet::new(), OrderedSet::from([Arc::from("a/alpha.proto")]));
    let terms = Policy { areas: vec![PeerArea { unstable, ..everything }], ..policy(Mode::Full) };
    for (file, severity) in [
        ("a/deep/m.proto", Severity::Note),
        ("a/alpha.proto", Severity::Note),
        ("a/x.proto", Severity::Warning),
        ("a/m.proto", Severity::Warning),
    ] {
        let change = change("p.M.x", file, &[]);
        let finding = compatibility(&change, [Outcome::Wrong; 2]);
        assert_eq!(decided(&finding, &terms), (severity, false), "{file}");
        // It passes, and readers see it all the same.
        let decision = decide(&[finding], &[], &terms, &Moves::default(), Doubt::None);
        assert_eq!((decision.verdict, decision.upgrade_order), (Verdict::Compatible, UpgradeOrder::None), "{file}");
    }
}

#[test]
fn an_area_is_the_whole_of_a_side_or_stands_on_one_side_only() {
    let of = |folder: Pair<Option<&str>>| PeerArea {
        folder: folder.map(|folder| folder.map(str::to_owned)),
        ..area("", &["SAME"], &[("deep", None)])
    };
    let change = change("p.M.x", "deep/m.proto", &["SAME"]);
    let finding = compatibility(&change, [Outcome::Wrong; 2]);
    for (folder, expected) in [
        (Pair::new(Some(""), Some("")), (Severity::Note, false)),
        (Pair::new(None, Some("")), (Severity::Note, false)),
        (Pair::new(None, Some("deep")), (Severity::Error, true)),
        (Pair::new(Some(""), None), (Severity::Error, true)),
    ] {
        let terms = Policy { areas: vec![of(folder)], ..policy(Mode::Full) };
        assert_eq!(decided(&finding, &terms), expected, "{folder:?}");
    }
}

#[test]
fn a_report_is_looked_at_where_it_points_on_either_side() {
    let terms = Policy { areas: vec![area("a", &["SAME"], &[("x.proto", None)])], ..policy(Mode::Full) };
    let site = |file: &str| Some(Site { file: file.into(), span: Span::default() });
    for (at, breaks) in [
        (Pair::new(None, None), true),
        (Pair::new(site("a/x.proto"), None), false),
        (Pair::new(None, site("a/x.proto")), false),
        (Pair::new(site("a/m.proto"), None), true),
    ] {
        let mut change = change("p.M.x", "a/m.proto", &["SAME"]);
        change.reports[0].at = at.clone();
        assert_eq!(decided(&compatibility(&change, [Outcome::Wrong; 2]), &terms).1, breaks, "{at:?}");
    }
    let gone = Change { at: Pair::new(site("a/x.proto"), None), ..change("p.M.x", "a/x.proto", &[]) };
    assert_eq!(decided(&compatibility(&gone, [Outcome::Wrong; 2]), &terms), (Severity::Note, false), "it is gone");
}

#[test]
fn what_could_not_be_told_of_a_direction_passes_in_no_mode_that_asks_for_it() {
    let change = change("p.M.x", "a.proto", &[]);
    let findings = [compatibility(&change, [Outcome::Safe; 2])];
    for (aside, expected, order) in [
        ([true, false], vec![Mode::None, Mode::Forward], UpgradeOrder::WritersFirst),
        ([false, true], vec![Mode::None, Mode::Backward], UpgradeOrder::ReadersFirst),
        ([true, true], vec![Mode::None], UpgradeOrder::None),
        ([false, false], vec![Mode::None, Mode::Forward, Mode::Backward, Mode::Full], UpgradeOrder::Any),
    ] {
        let decision = decide(&findings, &[], &policy(Mode::Full), &Moves::default(), Doubt::Aside(aside));
        let passing = |mode: &Mode| decision.modes.iter().any(|(other, passes)| other == mode && *passes);
        let passes = expected.iter().filter(|mode| passing(mode)).count();
        let all = decision.modes.iter().filter(|(_, passes)| *passes).count();
        assert_eq!((passes, all), (expected.len(), expected.len()), "{aside:?}: {:?}", decision.modes);
        assert_eq!(decision.verdict, Verdict::Compatible, "nobody asked for it");
        assert_eq!(decision.upgrade_order, order, "it works whatever the answer is");
    }
}

#[test]
fn what_is_not_seen_makes_a_verdict_unknown_where_it_is_loud_and_nobody_took_it_on() {
    let unseen = Change { kind: ChangeKind::NotSeen, ..change("a.proto", "a.proto", &[]) };
    let said = |severity: &str, acknowledged: Acknowledged| {
        let mut finding = finding(&unseen, &format!("hygiene\nseverity: {severity}"), [Outcome::Safe; 2]);
        finding.judged.format = POLICY;
        decide(&[finding], &[acknowledged], &policy(Mode::Full), &Moves::default(), Doubt::None).verdict
    };
    assert_eq!(said("error", Acknowledged::No), Verdict::Unknown);
    assert_eq!(said("error", Acknowledged::Yes), Verdict::Compatible);
    assert_eq!(said("warning", Acknowledged::No), Verdict::Compatible);
}

#[test]
fn the_ladder_shows_a_missing_guard_under_a_profile_or_an_area_and_where_readers_feel_it() {
    let change = change("p.M.x", "a/m.proto", &["SAME"]);
    let guard = |class: &str, outcome: Outcome| {
        let mut finding = finding(&change, &format!("{class}\nseverity: error"), [outcome, Outcome::Safe]);
        let id = PeerId { tool: "buf".to_owned(), id: "SAME".to_owned(), direction: None, is_recorded: true };
        finding.judged.peers.push(id);
        finding
    };
    let colours = |finding: Finding<'_>, terms: &Policy| {
        let decision = decide(&[finding], &[], terms, &Moves::default(), Doubt::None);
        (decision.verdict, decision.costs[0].clone())
    };
    let usual = policy(Mode::Full);
    let of_readers = [Mode::Forward, Mode::Backward, Mode::Full];
    let among = |costs: &[Mode]| of_readers.iter().filter(|mode| costs.contains(mode)).count();
    let (verdict, costs) = colours(guard("hygiene", Outcome::Safe), &usual);
    assert_eq!((verdict, among(&costs)), (Verdict::Breaking, 0), "nobody feels it");
    let (_, costs) = colours(guard("hygiene", Outcome::Wrong), &usual);
    assert!(costs.contains(&Mode::Backward) && !costs.contains(&Mode::Forward), "{costs:?}");
    let under = Policy { profile: profile(None), ..policy(Mode::Full) };
    assert_eq!(among(&colours(guard("hygiene", Outcome::Safe), &under).1), 3, "the tool says it of all modes");
    let in_area = Policy { areas: vec![area("a", &["SAME"], &[])], ..policy(Mode::Full) };
    assert_eq!(among(&colours(guard("hygiene", Outcome::Safe), &in_area).1), 3, "as the tool is configured");
    let set = Policy { severities: OrderedMap::from([("f".to_owned(), Override::Error)]), ..policy(Mode::Full) };
    let harmless = finding(&change, "compatibility", [Outcome::Safe; 2]);
    assert_eq!(among(&colours(harmless, &set).1), 3, "set to an error, it breaks in all modes");
}

#[test]
fn another_tool_is_asked_what_it_says_and_not_what_readers_experience() {
    let usual = policy(Mode::Backward);
    assert!(usual.asks("protobuf", Some("a.proto"), Direction::Backward));
    assert!(!usual.asks("protobuf", Some("a.proto"), Direction::Forward));
    let under = Policy { profile: profile(None), ..policy(Mode::Full) };
    assert!(!under.asks("protobuf", Some("a.proto"), Direction::Backward));
    assert!(under.asks("avro", Some("a.avsc"), Direction::Backward), "the tool does not judge that format");
    assert!(under.is_judged_as_another("protobuf") && !under.is_judged_as_another("avro"));
    let folder = FolderTerms { folder: "a".to_owned(), mode: Some(Mode::Forward), surfaces: None };
    let of_folder = Policy { folders: vec![folder], ..policy(Mode::Backward) };
    assert!(of_folder.asks("protobuf", Some("a/m.proto"), Direction::Forward));
    assert!(!of_folder.asks("protobuf", Some("a/m.proto"), Direction::Backward));
}

#[test]
fn what_the_reference_alone_loses_in_force_is_a_warning() {
    let change = change("p.M.x", "a.avsc", &[]);
    let seen = |runtime, outcome| crate::evidence::Observation {
        identity: change.identity.clone(),
        runtime,
        surface: Surface::Wire,
        direction: Direction::Backward,
        outcome,
        witness: crate::evidence::Witness::default(),
    };
    let decided_where = |runtime: &'static str, outcome: Outcome, terms: &Policy| {
        let seen = seen(runtime, outcome);
        let mut finding = compatibility(&change, [Outcome::Safe; 2]);
        finding.evidence.push(crate::attach::Evidence {
            surface: seen.surface,
            direction: seen.direction,
            outcome,
            status: crate::attach::Status::Contradicts,
            observation: Some(&seen),
        });
        decided(&finding, terms)
    };
    let (warning, note) = ((Severity::Warning, false), (Severity::Note, false));
    assert_eq!(decided_where(REFERENCE, Outcome::Lossy, &policy(Mode::Backward)), warning);
    assert_eq!(decided_where(REFERENCE, Outcome::Unrecognized, &policy(Mode::Backward)), note, "nothing is lost");
    assert_eq!(decided_where("another", Outcome::Lossy, &policy(Mode::Backward)), note);
    assert_eq!(decided_where(REFERENCE, Outcome::Lossy, &policy(Mode::Forward)), note, "the other direction");
    let json = Policy { surfaces: vec![Surface::Json], ..policy(Mode::Backward) };
    assert_eq!(decided_where(REFERENCE, Outcome::Lossy, &json), note, "another surface");
}

#[test]
fn a_guard_that_is_missing_inside_of_a_replaced_type_counts_as_the_configuration_has_it() {
    let change = change("p.M.x", "a.proto", &[]);
    let with_guard = |severity: &str, outcome: Outcome| {
        let mut place = compatibility(&change, [outcome, Outcome::Safe]);
        let guard = finding(&change, &format!("hygiene\nseverity: {severity}"), [Outcome::Safe; 2]);
        let mut rule = (*guard.judged.rule).clone();
        rule.family = "guards".to_owned();
        let guard = Judged { rule: Arc::new(rule), ..guard.judged };
        place.judged.members = [guard, compatibility(&change, [Outcome::Safe; 2]).judged].into();
        place
    };
    let set = |level| Policy { severities: OrderedMap::from([("guards".to_owned(), level)]), ..policy(Mode::Full) };
    let (error, warning, note) = ((Severity::Error, true), (Severity::Warning, false), (Severity::Note, false));
    for (severity, plain) in [("error", error), ("warning", warning), ("note", note)] {
        let place = with_guard(severity, Outcome::Safe);
        assert_eq!(decided(&place, &policy(Mode::Full)), plain, "{severity}");
        assert_eq!(decided(&place, &set(Override::Off)), note, "{severity}, turned off");
        assert_eq!(decided(&place, &set(Override::Error)), error, "{severity}, set to error");
        assert_eq!(decided(&place, &set(Override::Warning)), warning, "{severity}, set to warning");
        assert_eq!(decided(&place, &set(Override::Note)), note, "{severity}, set to note");
    }
    let high = Policy { fail_on: Outcome::Wrong, ..policy(Mode::Full) };
    assert_eq!(decided(&with_guard("error", Outcome::Lossy), &high), error, "the guard is gone all the same");
    assert_eq!(decided(&with_guard("warning", Outcome::Lossy), &high), (Severity::Error, false));
    assert_eq!(decided(&with_guard("warning", Outcome::Unrecognized), &high), warning);
    let low = Policy { fail_on: Outcome::Defaulted, ..policy(Mode::Full) };
    assert_eq!(decided(&with_guard("error", Outcome::Defaulted), &low), error);
}
