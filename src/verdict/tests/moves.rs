//! What went to another file or got another name: where it is judged, and by which side of a report.

use super::*;
use crate::change::FactKey;

fn site_in(file: &str) -> Option<Site> {
    Some(Site { file: file.into(), span: Span::default() })
}

/// Two files of one element: what it was in and what it is in.
fn between(path: &str, files: Pair<Option<&str>>) -> Change {
    Change { at: files.map(|file| file.and_then(site_in)), ..change(path, "", &[]) }
}

/// What tells that a declaration has another file or another name.
fn moved(kind: ChangeKind, names: Pair<&str>, files: Pair<&str>) -> Change {
    let facts = Facts::none().with(FactKey::OldName, names.old).with(FactKey::NewName, names.new);
    Change { kind, facts, ..between(names.new, files.map(Some)) }
}

/// What is decided of a change that hurts, where others tell of moves.
fn decided_among(change: &Change, moves: &[Change], terms: &Policy) -> (Severity, bool) {
    let moves: Vec<Finding<'_>> = moves.iter().map(|change| compatibility(change, [Outcome::Safe; 2])).collect();
    let finding = compatibility(change, [Outcome::Wrong; 2]);
    let decided = decide_one(&finding, terms, &Moves::of(&moves)).expect("it is not turned off");
    (decided.severity, decided.breaking)
}

#[test]
fn what_goes_to_another_file_is_judged_by_the_stricter_terms_of_both() {
    let folder = |folder: &str, mode| FolderTerms { folder: folder.to_owned(), mode: Some(mode), surfaces: None };
    let terms = Policy { folders: vec![folder("a", Mode::Full), folder("b", Mode::None)], ..policy(Mode::None) };
    let (breaks, passes) = ((Severity::Error, true), (Severity::Note, false));
    let a_to_b = Pair::new("a/x.proto", "b/x.proto");
    assert_eq!(decided_among(&between("p.M.x", a_to_b.map(Some)), &[], &terms), breaks);
    let back = Pair::new(Some("b/x.proto"), Some("a/x.proto"));
    assert_eq!(decided_among(&between("p.M.x", back), &[], &terms), breaks);
    let stays = Pair::new(Some("b/x.proto"), Some("b/x.proto"));
    assert_eq!(decided_among(&between("p.M.x", stays), &[], &terms), passes);
    // An element that is new or gone stood, or would stand, where what holds it did or does.
    let holder = [moved(ChangeKind::TypeMoved, Pair::new("p.M", "p.M"), a_to_b)];
    let new = between("p.M.x", Pair::new(None, Some("b/x.proto")));
    assert_eq!(decided_among(&new, &holder, &terms), breaks);
    assert_eq!(decided_among(&new, &[], &terms), passes, "nothing moved");
    assert_eq!(decided_among(&between("p.Mx.y", new.at.as_ref().map(|_| Some("b/x.proto"))), &holder, &terms), passes);
    let unsaid = [Change { kind: ChangeKind::FieldAdded, ..holder[0].clone() }];
    assert_eq!(decided_among(&new, &unsaid, &terms), passes, "no move is told");
    let mut foreign = compatibility(&holder[0], [Outcome::Safe; 2]);
    foreign.judged.format = "avro";
    let finding = compatibility(&new, [Outcome::Wrong; 2]);
    let decided = decide_one(&finding, &terms, &Moves::of([&foreign])).expect("it is not turned off");
    assert!(!decided.breaking, "a type of another format moved");
}

#[test]
fn what_gets_another_name_is_judged_by_both_names() {
    let globs = |glob: &str| GlobSet::builder().add(Glob::new(glob).expect("valid")).build().expect("valid");
    let unstable = |glob: &str| Policy { unstable: globs(glob), ..policy(Mode::Full) };
    let (breaks, passes) = ((Severity::Error, true), (Severity::Note, false));
    let file = Pair::new("x.proto", "x.proto");
    let names = Pair::new("p.v1.M", "p.v2alpha.M");
    let change = between("p.v2alpha.M.x", file.map(Some));
    for kind in
        [ChangeKind::MessageRenamed, ChangeKind::EnumRenamed, ChangeKind::FixedRenamed, ChangeKind::ServiceRenamed]
    {
        let renamed = [moved(kind, names, file)];
        assert_eq!(decided_among(&change, &renamed, &unstable("*.v2alpha")), breaks, "the old name is stable");
        assert_eq!(decided_among(&change, &renamed, &unstable("*.v*")), passes, "neither is");
    }
    assert_eq!(decided_among(&change, &[], &unstable("*.v2alpha")), passes, "nothing was renamed");
    // Told apart: that it moved, and what it is called now, in whichever order.
    let went = moved(ChangeKind::TypeMoved, Pair::new("p.M", "p.M"), Pair::new("a.proto", "b.proto"));
    let called = moved(ChangeKind::MessageRenamed, Pair::new("p.M", "p.N"), Pair::new("a.proto", "b.proto"));
    let gone = between("p.M.x", Pair::new(Some("a.proto"), None));
    for moves in [[went.clone(), called.clone()], [called, went]] {
        assert_eq!(decided_among(&gone, &moves, &unstable("p.M")), breaks, "the new name is stable");
    }
}

#[test]
fn of_what_went_elsewhere_a_report_is_looked_at_from_each_side() {
    let reported = |element: Pair<Option<&str>>, report: Pair<Option<&str>>, terms: &Policy| {
        let mut change = change("p.M.x", "", &["SAME"]);
        change.at = element.map(|file| file.and_then(site_in));
        change.reports[0].at = report.map(|file| file.and_then(site_in));
        decided(&compatibility(&change, [Outcome::Wrong; 2]), terms)
    };
    let (breaks, note) = ((Severity::Error, true), (Severity::Note, false));
    let a_to_b = Pair::new(Some("a/x.proto"), Some("b/x.proto"));
    for (a, b) in [("OTHER", "SAME"), ("SAME", "OTHER")] {
        let terms = Policy { areas: vec![area("a", &[a], &[]), area("b", &[b], &[])], ..policy(Mode::Full) };
        assert_eq!(reported(a_to_b, a_to_b, &terms), breaks, "a counts {a}, b counts {b}");
    }
    // Where the report itself went nowhere, both of its sides count.
    let unstable = Pair::new(OrderedSet::from([Arc::from("c.proto")]), OrderedSet::new());
    let terms = Policy { areas: vec![PeerArea { unstable, ..area("", &["SAME"], &[]) }], ..policy(Mode::Full) };
    assert_eq!(reported(a_to_b, Pair::new(Some("c.proto"), Some("c.proto")), &terms), note);
    // Where the element went nowhere, both sides of the report count.
    let terms = Policy { areas: vec![area("", &["SAME"], &[("a", None)])], ..policy(Mode::Full) };
    let stays = Pair::new(Some("m.proto"), Some("m.proto"));
    assert_eq!(reported(stays, a_to_b, &terms), note);
    let in_a = Pair::new(Some("a/m.proto"), Some("a/m.proto"));
    assert_eq!(reported(in_a, Pair::new(None, None), &terms), note, "it points nowhere, so the element's place counts");
}

/// A file that moved, with what only follows from that.
fn file_moved<'c>(change: &'c Change, following: Vec<Finding<'c>>) -> Finding<'c> {
    let mut told = compatibility(change, [Outcome::Safe; 2]);
    told.judged.rule =
        Arc::new(Rule { id: "protobuf/moved".to_owned(), family: "moved".to_owned(), ..(*told.judged.rule).clone() });
    told.judged.members = following.iter().map(|one| one.judged.clone()).collect();
    Finding { following, ..told }
}

#[test]
fn of_a_file_that_moved_the_worst_counts_that_follows_from_it() {
    let a_to_b = Pair::new("a/x.proto", "b/x.proto");
    let went = moved(ChangeKind::TypeMoved, Pair::new("p.M", "p.M"), a_to_b);
    let file = Change {
        kind: ChangeKind::FileMoved,
        members: [went.clone()].into(),
        ..between("b/x.proto", a_to_b.map(Some))
    };
    let (breaks, note) = ((Severity::Error, true), (Severity::Note, false));
    let of = |wire| file_moved(&file, vec![compatibility(&went, [Outcome::Safe; 2]), compatibility(&went, wire)]);
    let hurts = of([Outcome::Wrong; 2]);
    assert_eq!(decided(&of([Outcome::Safe; 2]), &policy(Mode::Full)), note);
    assert_eq!(decided(&hurts, &policy(Mode::Full)), breaks);
    let set = |rule: &str, level| Policy { severities: [(rule.to_owned(), level)].into(), ..policy(Mode::Full) };
    assert_eq!(decided(&of([Outcome::Safe; 2]), &set("protobuf/r", Override::Error)), breaks);
    assert_eq!(decided(&hurts, &set("f", Override::Warning)), (Severity::Warning, false));
    assert_eq!(decided(&hurts, &set("moved", Override::Note)), note, "the move itself is named");
    assert_eq!(decide_one(&hurts, &set("f", Override::Off), &Moves::default()), None, "nothing is left to tell");
    assert_eq!(set("f", Override::Error).raised_with(&hurts), [("protobuf/r", Override::Error)].into());
    assert!(set("moved", Override::Error).raised_with(&hurts).is_empty());
    // What somebody else's rule says of the move counts beside that.
    let mut theirs = of([Outcome::Safe; 2]);
    theirs.judged = compatibility(&file, [Outcome::Wrong; 2]).judged;
    assert_eq!(decided(&theirs, &policy(Mode::Full)), note, "ours says no more than what follows");
    theirs.judged.rule = Arc::new(Rule { origin: crate::rules::Origin::User, ..(*theirs.judged.rule).clone() });
    assert_eq!(decided(&theirs, &policy(Mode::Full)), breaks);
    // What is inside of a type that went with its file is judged in both places.
    let folder = |folder: &str, mode| FolderTerms { folder: folder.to_owned(), mode: Some(mode), surfaces: None };
    let terms = Policy { folders: vec![folder("a", Mode::Full), folder("b", Mode::None)], ..policy(Mode::None) };
    let new = between("p.M.x", Pair::new(None, Some("b/x.proto")));
    let inside = compatibility(&new, [Outcome::Wrong; 2]);
    let decided = decide_one(&inside, &terms, &Moves::of([&of([Outcome::Safe; 2])])).expect("it is not turned off");
    assert!(decided.breaking);
}
