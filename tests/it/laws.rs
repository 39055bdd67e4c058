//! The laws, over every rule example and every fixture.
//!
//! 1. Identity: a schema compared with itself changes nothing.
//! 2. Mirror: what a new reader sees of old data is what an old reader sees of new data when the two are exchanged.
//! 3. Totality: every change is judged by exactly one rule.
//! 4. Honesty: per identity the worst claim is the worst observation.
//! 5. Consequence: what loses data, is rejected or is misread breaks, whatever the rule is about.

use std::collections::{BTreeMap, BTreeSet};

use crate::compared::{COMPARED, Compared};
use crate::support::{Case, all_cases, mirrored, some_of};
use rayon::prelude::*;
use wireproof::attach::{Attached, Finding, SPEC, Standing, attach};
use wireproof::change::{Change, ChangeKind, FactKey, Identity, Pair};
use wireproof::evidence::{Direction, Observation, Observed, Outcome, Surface};
use wireproof::formats::{Checked, Format};
use wireproof::judge::{AMBIGUOUS, UNCLASSIFIED, judge};
use wireproof::ordered::OrderedMap;
use wireproof::rules::{EvidenceNeed, RuleSet};
use wireproof::syntax::problem::Severity;
use wireproof::verdict::{Mode, Moves, Policy, decide_one};

/// What is felt, where.
type Felt = BTreeMap<Cell, Outcome>;

type Cell = (Identity, Surface, Direction);

const BYTES: [Surface; 2] = [Surface::Wire, Surface::Json];

/// Encodings that the round trips of a format do not write: Thrift's JSON protocol goes by ids as its binary ones do,
/// and JSON of FlatBuffers and of Cap'n Proto is what one program makes of them.
const NOT_WRITTEN: &[(Format, Surface)] =
    &[(Format::Flatbuffers, Surface::Json), (Format::Thrift, Surface::Json), (Format::Capnp, Surface::Json)];

/// Runs a law over all cases and tells every failure, not only the first.
fn uphold(law: impl Fn(&Compared) -> Vec<String>) {
    let named =
        |one: &Compared| law(one).into_iter().map(|what| format!("{}: {what}", one.case.name)).collect::<Vec<_>>();
    let broken: Vec<String> = COMPARED.iter().flat_map(named).collect();
    assert!(broken.is_empty(), "{} times:\n{}", broken.len(), broken.join("\n"));
}

fn attached<'a>(case: &Case, checked: &'a Checked) -> Attached<'a> {
    attach(judge(case.format.name(), &checked.changes, RuleSet::built_in()).judged, &checked.observed)
}

/// Every law, on one pair of schemas: what breaks one, in words.
pub fn broken_by(case: &Case) -> Vec<String> {
    let mut broken = identity(case);
    broken.extend(broken_together(case, &case.check()));
    broken
}

/// The laws about two sides, of a pair that is compared already.
pub fn broken_together(case: &Case, there: &Checked) -> Vec<String> {
    let mut broken = broken_without_claims(case, there);
    broken.extend(dishonest(case, there));
    broken
}

/// The same without the law that every claim is the worst observation: only none may be worse than the claim.
pub fn broken_without_claims(case: &Case, there: &Checked) -> Vec<String> {
    let back = case.check_mirrored();
    let sides = Pair::new(there, &back);
    let mut broken = Vec::new();
    // A new version may not say all that was there before: what is refused when exchanged has no mirror.
    let mut problems = back.problems.old.iter().chain(&back.problems.new);
    if problems.all(|problem| problem.severity == Severity::Warning) {
        broken.extend(mirrors(sides, observed_in));
        broken.extend(mirrors(sides, |checked, direction| claimed_in(case, checked, direction)));
    }
    broken.extend(unjudged(case, there));
    broken.extend(unexplained(case, there));
    broken
}

#[test]
fn identity_a_schema_compared_with_itself_changes_nothing() {
    let cases = some_of(all_cases());
    let broken: Vec<String> = cases.par_iter().flat_map_iter(identity).collect();
    assert!(broken.is_empty(), "{} times:\n{}", broken.len(), broken.join("\n"));
}

/// What is said of a schema that is compared with itself.
pub fn identity(case: &Case) -> Vec<String> {
    let sides = [&case.sides.old, &case.sides.new];
    let alone = sides.map(|side| Case { sides: Pair::new(side.clone(), side.clone()), ..case.clone() }.check());
    let changes = alone.iter().flat_map(|checked| &checked.changes);
    let changes = changes.map(|change| format!("compared with itself: {} of {}", change.kind, change.path));
    let seen = alone.iter().flat_map(|checked| &checked.observed.observations);
    changes.chain(seen.map(|seen| format!("compared with itself: {} was {}", seen.identity, seen.outcome))).collect()
}

#[test]
fn mirror_observations_of_exchanged_sides_are_exchanged() {
    uphold(|one| mirrors(Pair::new(&one.there, &one.back), observed_in));
}

fn observed_in(checked: &Checked, direction: Direction) -> BTreeMap<Identity, Outcome> {
    on_the_wire(observed(&checked.observed), direction)
}

#[test]
fn mirror_claims_about_exchanged_sides_are_exchanged() {
    uphold(|Compared { case, there, back }| {
        mirrors(Pair::new(there, back), |checked, direction| claimed_in(case, checked, direction))
    });
}

fn claimed_in(case: &Case, checked: &Checked, direction: Direction) -> BTreeMap<Identity, Outcome> {
    on_the_wire(claimed(&attached(case, checked).findings), direction)
}

/// Compares one direction with the other one of the exchanged sides. What an earlier writer put at a number that is
/// reserved by now is known to one side only: it has no mirror.
fn mirrors(checked: Pair<&Checked>, felt: impl Fn(&Checked, Direction) -> BTreeMap<Identity, Outcome>) -> Vec<String> {
    let Pair { old: there, new: back } = checked;
    let mut one_sided = about_earlier_data(there);
    one_sided.extend(about_earlier_data(back).iter().map(mirrored));
    one_sided.extend(moved_extensions(there));
    one_sided.extend(of_new_versions(there));
    one_sided.extend(of_new_versions(back).iter().map(mirrored));
    one_sided.extend(named_in_data(there));
    one_sided.extend(named_in_data(back).iter().map(mirrored));
    let mut forward = named_from_the_other_side(&felt(back, Direction::Forward));
    let mut backward = felt(there, Direction::Backward);
    for felt in [&mut forward, &mut backward] {
        felt.retain(|identity, _| !one_sided.contains(identity));
    }
    differences(&backward, &forward)
}

/// What changed in versions that came: these are held against the one before them, and one that goes against nothing.
fn of_new_versions(checked: &Checked) -> BTreeSet<Identity> {
    let file = |change: &Change| change.at.new.as_ref().map(|site| site.file.clone());
    let came = checked.changes.iter().filter(|change| change.facts.get(FactKey::Relation) == Some("version-added"));
    let files: BTreeSet<_> = came.filter_map(file).collect();
    let inside = checked.changes.iter().filter(|change| file(change).is_some_and(|file| files.contains(&file)));
    inside.flat_map(Change::identities).cloned().collect()
}

/// Messages that are gone and that data may name: whether a type exists has no mirror.
fn named_in_data(checked: &Checked) -> BTreeSet<Identity> {
    let gone = checked.changes.iter().filter(|change| change.kind == ChangeKind::MessageRemoved);
    gone.map(|change| change.identity.clone()).collect()
}

fn about_earlier_data(checked: &Checked) -> BTreeSet<Identity> {
    let concerned = checked.changes.iter().filter(|change| {
        [FactKey::NumberWas, FactKey::NumberNow].into_iter().any(|key| change.facts.get(key) == Some("reserved"))
    });
    concerned.map(|change| change.identity.clone()).collect()
}

#[test]
fn totality_every_change_is_judged_by_exactly_one_rule() {
    uphold(|one| unjudged(&one.case, &one.there));
}

/// What no rule judges, or several.
pub fn unjudged(case: &Case, checked: &Checked) -> Vec<String> {
    let judgement = judge(case.format.name(), &checked.changes, RuleSet::built_in());
    let loud = judgement.judged.iter().filter(|judged| [UNCLASSIFIED, AMBIGUOUS].contains(&judged.rule.short_id()));
    let told = loud.map(|judged| format!("{}; {}", judged.message().text, judged.why().text));
    told.chain(judgement.problems.iter().map(|problem| problem.message.clone())).collect()
}

#[test]
fn honesty_the_worst_claim_is_the_worst_observation() {
    uphold(|one| dishonest(&one.case, &one.there));
}

/// Where the worst claim is not the worst observation.
pub fn dishonest(case: &Case, checked: &Checked) -> Vec<String> {
    let attached = attached(case, checked);
    let (claims, seen) = (claimed(&attached.findings), observed(&checked.observed));
    let assumed = assumed(&attached.findings);
    let moved = moved_extensions(checked);
    let mut broken = Vec::new();
    for cell in exercised(&checked.observed).into_iter().filter(|(identity, ..)| !moved.contains(identity)) {
        let claim = claims.get(&cell).copied().unwrap_or(Outcome::Safe);
        let truth = seen.get(&cell).copied().unwrap_or(Outcome::Safe);
        let is_assumed = assumed.get(&cell).is_some_and(|assumed| claim < truth && truth <= *assumed);
        // What was written in part, and is told so, shows that it is as bad as that, not that it is no worse.
        let is_cut = claim > truth && !checked.observed.left_out.is_empty() && checked.observed.partly.contains(&cell);
        let (identity, surface, direction) = cell;
        if claim != truth && !is_assumed && !is_cut {
            broken.push(format!("{surface} {direction} of {identity}: claimed {claim}, observed {truth}"));
        }
    }
    broken.extend(told(&attached));
    broken
}

/// What was observed and no claim accounts for.
pub fn unexplained(case: &Case, checked: &Checked) -> Vec<String> {
    told(&attached(case, checked))
}

fn told(attached: &Attached<'_>) -> Vec<String> {
    let told = |seen: &&Observation| format!("unexplained: {} was {}", seen.identity, seen.outcome);
    attached.unexplained.iter().map(told).collect()
}

#[test]
fn consequence_what_readers_feel_breaks() {
    uphold(|one| let_through(&attached(&one.case, &one.there)));
}

/// The findings by which readers lose something, and which break nothing all the same where these readers count.
pub fn let_through(attached: &Attached<'_>) -> Vec<String> {
    let mut broken = Vec::new();
    for (direction, mode) in [(Direction::Backward, Mode::Backward), (Direction::Forward, Mode::Forward)] {
        for surface in BYTES {
            let policy = Policy { mode, modes: OrderedMap::new(), surfaces: vec![surface], ..Policy::default() };
            let is_felt = |finding: &&Finding<'_>| {
                let cells = finding.judged.impact.iter();
                let felt = cells.filter(|(at, towards, _)| (*at, *towards) == (surface, direction));
                let is_shown = finding.standing == Standing::Stands && finding.judged.rule.tolerates.is_none();
                is_shown && felt.map(|(.., outcome)| *outcome).any(|outcome| outcome >= Outcome::Lossy)
            };
            let decided = |finding: &&Finding<'_>| decide_one(finding, &policy, &Moves::default());
            let quiet = attached.findings.iter().filter(is_felt);
            let quiet = quiet.filter(|finding| !decided(finding).is_some_and(|decided| decided.breaking));
            broken.extend(quiet.map(|finding| {
                format!(
                    "{} of {} breaks nothing in {mode} {surface}",
                    finding.judged.rule.id, finding.judged.change.path
                )
            }));
        }
    }
    broken
}

#[test]
fn honesty_every_claim_about_bytes_is_put_to_the_test() {
    uphold(|one| untested(&one.case, &one.there));
}

/// What is claimed about bytes that nobody wrote.
pub fn untested(case: &Case, checked: &Checked) -> Vec<String> {
    let attached = attached(case, checked);
    let exercised = exercised(&checked.observed);
    let claims = claimed(&attached.findings).into_iter().filter(|(_, outcome)| *outcome > Outcome::Safe);
    let written = claims.filter(|((_, surface, _), _)| !NOT_WRITTEN.contains(&(case.format, *surface)));
    // Where not everything could be written, that is said instead.
    let is_tried = |cell: &Cell| exercised.contains(cell) || checked.observed.partly.contains(cell);
    let untested = written.filter(|(cell, _)| !is_tried(cell) && checked.not_checked.is_empty());
    untested
        .map(|((identity, surface, direction), outcome)| {
            format!("{surface} {direction} of {identity}: claimed {outcome}, but never written")
        })
        .collect()
}

/// Where a moved extension was and is. It is one change of two containers, judged by its name, which is on no wire:
/// bytes only show that each container has it on one side.
#[test]
fn the_bytes_of_a_witness_are_told_without_gaps() {
    uphold(|one| parts(&one.there.observed));
}

/// The deciding reader's parts lie inside the message, one behind the other; what was written has no gap.
fn parts(observed: &Observed) -> Vec<String> {
    let mut broken = Vec::new();
    for seen in &observed.observations {
        let witness = &seen.witness;
        let told = [("written", &witness.written_parts), ("read", &witness.read_parts)];
        for (whose, parts) in told {
            let mut at = 0;
            for part in parts {
                let has_gap = whose == "written" && part.start != at;
                if part.start < at || part.end <= part.start || part.end > witness.bytes.len() || has_gap {
                    broken.push(format!("{}: {whose} part {part:?} behind byte {at}", seen.identity));
                }
                at = part.end;
            }
            let is_whole = at == witness.bytes.len();
            let is_short = seen.surface == Surface::Wire && witness.bytes.len() <= 512;
            if whose == "written" && is_short && seen.runtime == SPEC && !is_whole {
                broken.push(format!("{}: bytes from {at} on of {:02x?} are not told", seen.identity, witness.bytes));
            }
        }
    }
    broken
}

fn moved_extensions(checked: &Checked) -> BTreeSet<Identity> {
    let renamed = checked.changes.iter().filter(|change| change.kind == ChangeKind::MessageRenamed);
    let renamed: Vec<(&str, &str)> =
        renamed.filter_map(|change| Some((change.facts.get(FactKey::OldName)?, &*change.path))).collect();
    let mut places = BTreeSet::new();
    for change in checked.changes.iter().filter(|change| change.kind == ChangeKind::ExtensionMoved) {
        let number = change.facts.get(FactKey::Number).unwrap_or_default();
        for container in [FactKey::OldValue, FactKey::NewValue].into_iter().filter_map(|key| change.facts.get(key)) {
            places.insert(Identity(format!("{container}#{number}")));
            // A container that was renamed is called by both of its names.
            for (old, new) in renamed.iter().filter(|(old, new)| [*old, *new].contains(&container)) {
                places.insert(Identity(format!("{old}>{new}#{number}")));
            }
        }
    }
    places
}

/// What was written and read at all.
fn exercised(observed: &Observed) -> BTreeSet<Cell> {
    let seen = observed.observations.iter().filter(|seen| seen.runtime == SPEC);
    let seen = seen.map(|seen| (seen.identity.clone(), seen.surface, seen.direction));
    observed.exercised.iter().cloned().chain(seen).collect()
}

/// The worst claim per identity about bytes.
fn claimed(findings: &[Finding<'_>]) -> Felt {
    worst_of(findings.iter().filter(|finding| finding.judged.rule.evidence != EvidenceNeed::None))
}

/// The worst that rules assume without looking at data, as of types that nobody knows.
fn assumed(findings: &[Finding<'_>]) -> Felt {
    worst_of(findings.iter().filter(|finding| finding.judged.rule.evidence == EvidenceNeed::None))
}

fn worst_of<'f, 'a: 'f>(findings: impl Iterator<Item = &'f Finding<'a>>) -> Felt {
    let mut worst = Felt::new();
    for finding in findings {
        for (surface, direction, outcome) in
            finding.judged.impact.iter().filter(|(surface, ..)| BYTES.contains(surface))
        {
            let cell =
                worst.entry((finding.judged.change.identity.clone(), surface, direction)).or_insert(Outcome::Safe);
            *cell = (*cell).max(*outcome);
        }
    }
    worst
}

/// What the deciding reader experienced.
fn observed(observed: &Observed) -> Felt {
    let mut worst = Felt::new();
    for seen in observed.observations.iter().filter(|seen| seen.runtime == SPEC) {
        let cell = worst.entry((seen.identity.clone(), seen.surface, seen.direction)).or_insert(Outcome::Safe);
        *cell = (*cell).max(seen.outcome);
    }
    worst
}

/// Per identity, the wire in one direction, worse than `safe`.
fn on_the_wire(felt: Felt, wanted: Direction) -> BTreeMap<Identity, Outcome> {
    let cells = felt.into_iter().filter(|((_, surface, direction), outcome)| {
        (*surface, *direction) == (Surface::Wire, wanted) && *outcome > Outcome::Safe
    });
    cells.map(|((identity, ..), outcome)| (identity, outcome)).collect()
}

fn named_from_the_other_side(felt: &BTreeMap<Identity, Outcome>) -> BTreeMap<Identity, Outcome> {
    felt.iter().map(|(identity, outcome)| (mirrored(identity), *outcome)).collect()
}

fn differences(there: &BTreeMap<Identity, Outcome>, back: &BTreeMap<Identity, Outcome>) -> Vec<String> {
    let all: BTreeSet<&Identity> = there.keys().chain(back.keys()).collect();
    let of = |felt: &BTreeMap<Identity, Outcome>, identity| felt.get(identity).copied().unwrap_or(Outcome::Safe);
    let differs = all.into_iter().filter(|identity| of(there, identity) != of(back, identity));
    differs
        .map(|identity| {
            format!("{identity}: {} backward, but {} forward when exchanged", of(there, identity), of(back, identity))
        })
        .collect()
}
