//! Observations → evidence: does what round trips showed agree with what the rules claim?
//!
//! Claims and observations meet per identity. Several findings may share one identity (a field renamed and retyped),
//! and bytes do not tell which of them a reader feels: so the worst claim is compared with the worst observation.

use crate::change::Identity;
use crate::evidence::{Cell, Direction, Observation, Observed, Outcome, Surface};
use crate::judge::Judged;
use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::rules::{Class, EvidenceNeed};

pub use crate::vocabulary::{SPEC, Status};

/// A judged change with everything that round trips said about it.
#[derive(Debug, Clone)]
pub struct Finding<'a> {
    /// The change and its rule.
    pub judged: Judged<'a>,
    /// Whether the claim stands.
    pub standing: Standing,
    /// Per wire or JSON cell claimed worse than `safe`, worst first; other runtimes after the spec's.
    pub evidence: Vec<Evidence<'a>>,
    /// What only follows from the change, as findings by themselves: the worst of them counts.
    pub following: Vec<Finding<'a>>,
}

impl<'a> Finding<'a> {
    /// What is said of a judged change where there is nothing to attach.
    pub fn as_claimed(judged: Judged<'a>) -> Self {
        Finding { following: following(&judged), judged, standing: Standing::Stands, evidence: Vec::new() }
    }
}

/// What only follows from a change that is told: that leaves no bytes.
fn following<'a>(judged: &Judged<'a>) -> Vec<Finding<'a>> {
    let members = if judged.change.following().is_empty() { &[] } else { &judged.members[..] };
    members.iter().cloned().map(Finding::as_claimed).collect()
}

/// Whether a finding's claim stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It does.
    Stands,
    /// Its rule says that a witness decides; the element was written and read, and no reader was hurt.
    NotShown,
}

/// What was seen of one claim.
#[derive(Debug, Clone)]
pub struct Evidence<'a> {
    /// Where the claim applies.
    pub surface: Surface,
    /// Who reads whose data.
    pub direction: Direction,
    /// What was experienced; the claim itself when nothing was observable.
    pub outcome: Outcome,
    /// What that says about the claims.
    pub status: Status,
    /// The reading; `None` when nothing was observable, or when every reading was `safe`.
    pub observation: Option<&'a Observation>,
}

/// Findings with their evidence, and what no finding accounts for.
#[derive(Debug, Clone, Default)]
pub struct Attached<'a> {
    /// In the order of the judged changes.
    pub findings: Vec<Finding<'a>>,
    /// The spec's observations that are worse than `defaulted` and worse than any claim about their cell.
    pub unexplained: Vec<&'a Observation>,
}

/// Attaches what was observed to what is claimed.
pub fn attach<'a>(judged: Vec<Judged<'a>>, observed: &'a Observed) -> Attached<'a> {
    let seen = Seen::of(observed);
    let weighed: Vec<(Judged<'a>, Standing)> = judged.into_iter().map(|claim| seen.weigh(claim)).collect();
    let claims = Claims::of(weighed.iter().map(|(claim, _)| claim));
    let unexplained = observed.observations.iter().filter(|seen| claims.leave_unexplained(seen));
    let unexplained = unexplained.filter(|seen| !observed.doubted.contains(&seen.identity)).collect();
    let findings = weighed
        .into_iter()
        .map(|(judged, standing)| {
            let (evidence, following) = (seen.evidence(&judged, &claims), following(&judged));
            Finding { judged, standing, evidence, following }
        })
        .collect();
    Attached { findings, unexplained }
}

/// One cell of one identity that leaves bytes.
type Felt<'a> = (&'a Identity, Surface, Direction);

/// The worst standing claim per identity and cell.
struct Claims<'a>(OrderedMap<Felt<'a>, Outcome>);

impl<'a> Claims<'a> {
    fn of<'j>(judged: impl Iterator<Item = &'j Judged<'a>>) -> Self
    where
        'a: 'j,
    {
        let mut worst = OrderedMap::new();
        for claim in judged {
            let change = claim.change;
            for (surface, direction, outcome) in claim.impact.iter() {
                let entry = worst.entry((&change.identity, surface, direction)).or_insert(Outcome::Safe);
                *entry = (*entry).max(*outcome);
            }
        }
        Claims(worst)
    }

    fn worst(&self, cell: Felt<'_>) -> Outcome {
        self.0.get(&cell).copied().unwrap_or(Outcome::Safe)
    }

    fn leave_unexplained(&self, seen: &Observation) -> bool {
        let claimed = self.worst((&seen.identity, seen.surface, seen.direction));
        seen.runtime == SPEC && seen.outcome > Outcome::Defaulted && seen.outcome > claimed
    }
}

/// The observations, found by identity and cell.
struct Seen<'a> {
    by_cell: OrderedMap<Felt<'a>, Vec<&'a Observation>>,
    exercised: OrderedSet<Felt<'a>>,
    /// Those of which some value was left out.
    partly: OrderedSet<Felt<'a>>,
    /// Those that were looked into and could not be told.
    undecided: OrderedSet<Felt<'a>>,
    /// The changes that they are of.
    doubted: OrderedSet<&'a Identity>,
}

impl<'a> Seen<'a> {
    fn of(observed: &'a Observed) -> Self {
        let mut by_cell: OrderedMap<Felt<'a>, Vec<&'a Observation>> = OrderedMap::new();
        for seen in &observed.observations {
            by_cell.entry((&seen.identity, seen.surface, seen.direction)).or_default().push(seen);
        }
        for cell in by_cell.values_mut() {
            cell.sort_in_order_by_key(|seen| (seen.runtime != SPEC, seen.runtime, std::cmp::Reverse(seen.outcome)));
        }
        let felt = |(identity, surface, direction): &'a Cell| (identity, *surface, *direction);
        let exercised = observed.exercised.iter().map(felt).chain(by_cell.keys().copied()).collect();
        let undecided = || observed.undecided.iter().flat_map(|undecided| &undecided.cells);
        Seen {
            by_cell,
            exercised,
            partly: observed.partly.iter().map(felt).collect(),
            undecided: undecided().map(felt).collect(),
            doubted: undecided().map(|(identity, ..)| identity).collect(),
        }
    }

    fn in_cell(&self, cell: Felt<'a>) -> &[&'a Observation] {
        self.by_cell.get(&cell).map_or(&[], Vec::as_slice)
    }

    /// Where data decide, a claim shrinks to what was seen; when nobody was hurt at all, it falls. What was never
    /// exercised, or only in part, proves nothing, so there the claim stands.
    fn weigh(&self, judged: Judged<'a>) -> (Judged<'a>, Standing) {
        match judged.rule.evidence {
            // What the members of a type do to data of another, data show.
            EvidenceNeed::Illustrates if judged.members.is_empty() => return (judged, Standing::Stands),
            EvidenceNeed::None => return (judged, Standing::Stands),
            EvidenceNeed::Illustrates | EvidenceNeed::Measures | EvidenceNeed::Decides => {}
        }
        // That synthetic data showed no harm proves nothing where they cannot be all that there are.
        let is_proven = judged.rule.evidence == EvidenceNeed::Decides || !judged.members.is_empty();
        let shown = |claimed: Outcome, seen: Outcome| match claimed >= Outcome::Lossy && seen < Outcome::Lossy {
            true if !is_proven => claimed,
            _ => claimed.min(seen),
        };
        let change = judged.change;
        let impact = judged.impact.map(|surface, direction, claimed| match surface {
            // That it could not be told is a problem of its own; a break needs a witness.
            Surface::Wire | Surface::Json if self.undecided.contains(&(&change.identity, surface, direction)) => {
                Outcome::Safe
            }
            Surface::Wire | Surface::Json if self.is_told((&change.identity, surface, direction)) => {
                shown(*claimed, self.worst((&change.identity, surface, direction)))
            }
            Surface::Wire | Surface::Json | Surface::Source => *claimed,
        });
        let shown = Judged { impact, ..judged.clone() };
        let is_doubted = self.doubted.contains(&change.identity);
        // A guard that is missing inside is missing whatever data show.
        let is_policy = judged.members.iter().any(|member| member.rule.class == Class::Hygiene);
        let is_felt = felt_cells(&shown).next().is_some() || felt_cells(&judged).next().is_none();
        let stands = is_policy || is_doubted || is_felt;
        (shown, if stands { Standing::Stands } else { Standing::NotShown })
    }

    /// Whether the worst that was seen of a cell is the worst that there is to see.
    fn is_told(&self, cell: Felt<'a>) -> bool {
        self.exercised.contains(&cell) && !self.partly.contains(&cell)
    }

    /// The worst outcome that decides about a cell.
    fn worst(&self, cell: Felt<'a>) -> Outcome {
        let decisive = self.in_cell(cell).iter().filter(|seen| seen.runtime == SPEC);
        decisive.map(|seen| seen.outcome).max().unwrap_or(Outcome::Safe)
    }

    fn evidence(&self, claim: &Judged<'a>, claims: &Claims<'_>) -> Vec<Evidence<'a>> {
        let mut evidence: Vec<Evidence<'a>> =
            felt_cells(claim).flat_map(|cell| self.of_cell(claim, cell, claims)).collect();
        evidence.extend(self.of_others(claim));
        evidence.sort_in_order_by_key(|shown| {
            let runtime = shown.observation.map_or(SPEC, |seen| seen.runtime);
            let place = (shown.surface, shown.direction, runtime);
            (runtime != SPEC, shown.observation.is_none(), std::cmp::Reverse(shown.outcome), place)
        });
        evidence
    }

    /// Runtimes that fare worse than the claim, in cells where the deciding reader is not hurt at all.
    fn of_others(&self, claim: &Judged<'a>) -> Vec<Evidence<'a>> {
        let change = claim.change;
        let safe = claim.impact.iter().filter(|(surface, _, outcome)| {
            *surface != Surface::Source && **outcome == Outcome::Safe && claim.rule.evidence != EvidenceNeed::None
        });
        let cells = safe.flat_map(|(surface, direction, _)| {
            let seen = self.in_cell((&change.identity, surface, direction)).iter();
            seen.filter(|seen| seen.runtime != SPEC && seen.outcome > Outcome::Defaulted)
        });
        cells
            .map(|seen| Evidence {
                surface: seen.surface,
                direction: seen.direction,
                outcome: seen.outcome,
                status: Status::Contradicts,
                observation: Some(seen),
            })
            .collect()
    }

    fn of_cell(
        &self,
        claim: &Judged<'a>,
        cell: (Surface, Direction, Outcome),
        claims: &Claims<'_>,
    ) -> Vec<Evidence<'a>> {
        let (surface, direction, outcome) = cell;
        let change = claim.change;
        let identity = &change.identity;
        let nothing = |outcome, status| Evidence { surface, direction, outcome, status, observation: None };
        let cell = (identity, surface, direction);
        let worst = claims.worst(cell);
        let is_enough = claim.rule.evidence != EvidenceNeed::Measures || self.worst(cell) >= Outcome::Lossy;
        let is_seen = self.is_told(cell) && (is_enough || worst < Outcome::Lossy)
            || self.exercised.contains(&cell) && self.worst(cell) >= worst;
        if claim.rule.evidence == EvidenceNeed::None || !is_seen {
            return vec![nothing(outcome, Status::NotObservable)];
        }
        let status = |seen: Outcome| if seen == worst { Status::Agrees } else { Status::Contradicts };
        let observed = self.in_cell(cell);
        // What another finding about the same element claims and this one does not, is shown there.
        if observed.first().is_some_and(|seen| seen.runtime == SPEC && seen.outcome > outcome && seen.outcome <= worst)
        {
            return vec![nothing(outcome, Status::NotObservable)];
        }
        let mut shown: Vec<Evidence<'a>> = Vec::new();
        if observed.first().is_none_or(|seen| seen.runtime != SPEC) {
            shown.push(nothing(Outcome::Safe, status(Outcome::Safe)));
        }
        shown.extend(observed.iter().map(|seen| Evidence {
            surface,
            direction,
            outcome: seen.outcome,
            status: status(seen.outcome),
            observation: Some(seen),
        }));
        shown
    }
}

/// The cells of a claim that bytes could show: wire and JSON, worse than `safe`.
fn felt_cells(claim: &Judged<'_>) -> impl Iterator<Item = (Surface, Direction, Outcome)> {
    let cells = claim.impact.iter().map(|(surface, direction, outcome)| (surface, direction, *outcome));
    cells.filter(|(surface, _, outcome)| *surface != Surface::Source && *outcome > Outcome::Safe)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::change::{Change, ChangeKind, Facts, Pair};
    use crate::evidence::Witness;
    use crate::rules::{Impact, RuleSet, RuleText};

    const X: &str = "p.M#1";

    fn change() -> Change {
        Change {
            kind: ChangeKind::FieldAdded,
            path: "p.M.x".to_owned(),
            identity: Identity(X.to_owned()),
            at: Pair::new(None, None),
            facts: Facts::none(),
            suggestion: None,
            reports: Vec::new(),
            members: Arc::default(),
            left_out: Default::default(),
            heading: None,
        }
    }

    /// What a rule claims of the wire, backward; the rest is safe.
    fn claim<'c>(change: &'c Change, evidence: &str, wire: Outcome) -> Judged<'c> {
        claim_of(change, "compatibility", evidence, wire)
    }

    fn claim_of<'c>(change: &'c Change, class: &str, evidence: &str, wire: Outcome) -> Judged<'c> {
        let text = format!(
            "id: protobuf/r\ntitle: T\nfamily: f\nsince: 0.1.0\nclass: {class}\nwhen: {{ change: field-added }}\n\
             impact:\n  wire: {{ backward: safe, forward: safe }}\n  json: {{ backward: safe, forward: safe }}\n  \
             source: {{ backward: safe, forward: safe }}\nevidence: {evidence}\nmessage: M\nwhy: W\nfix: F\n"
        );
        let rules = RuleSet::from_files(&[RuleText { file: "r.yaml", text: &text }]).expect("well formed");
        let safe = [Outcome::Safe; 2];
        Judged {
            format: "protobuf",
            change,
            rule: Arc::new(rules.get("protobuf/r").expect("it is there").clone()),
            impact: Impact::new([wire, Outcome::Safe], safe, safe),
            severity: None,
            peers: Vec::new(),
            members: Arc::default(),
        }
    }

    fn seen(runtime: &'static str, outcome: Outcome) -> Observation {
        let witness = Witness {
            type_name: "p.M".to_owned(),
            wrote: serde_json::json!({}).into(),
            bytes: Vec::new(),
            read: serde_json::json!({}).into(),
            written_parts: Vec::new(),
            read_parts: Vec::new(),
            ..Witness::default()
        };
        let (surface, direction) = (Surface::Wire, Direction::Backward);
        Observation { identity: Identity(X.to_owned()), runtime, surface, direction, outcome, witness }
    }

    fn observed(seen: &[(&'static str, Outcome)]) -> Observed {
        Observed {
            observations: seen.iter().map(|(runtime, outcome)| self::seen(runtime, *outcome)).collect(),
            exercised: vec![(Identity(X.to_owned()), Surface::Wire, Direction::Backward)],
            ..Observed::default()
        }
    }

    #[test]
    fn where_data_decide_a_claim_shrinks_to_the_worst_that_the_deciding_reader_saw() {
        use Outcome::{Fails, Lossy, Safe, Unrecognized, Wrong};
        let change = change();
        for (claimed, shown, left, standing) in [
            (Wrong, &[(SPEC, Lossy)][..], Lossy, Standing::Stands),
            (Wrong, &[(SPEC, Unrecognized), (SPEC, Fails)], Fails, Standing::Stands),
            (Lossy, &[(SPEC, Wrong)], Lossy, Standing::Stands),
            (Wrong, &[], Safe, Standing::NotShown),
            (Wrong, &[("another", Wrong)], Safe, Standing::NotShown),
            (Safe, &[], Safe, Standing::Stands),
        ] {
            let observed = observed(shown);
            let attached = attach(vec![claim(&change, "decides", claimed)], &observed);
            let finding = &attached.findings[0];
            let cell = finding.judged.impact.iter().map(|(.., outcome)| *outcome).max();
            assert_eq!((cell, finding.standing), (Some(left), standing), "claimed {claimed}, seen {shown:?}");
        }
        let never_written = Observed::default();
        let attached = attach(vec![claim(&change, "decides", Wrong)], &never_written);
        assert_eq!(attached.findings[0].standing, Standing::Stands, "what was never written proves nothing");
    }

    #[test]
    fn what_is_worse_than_any_claim_and_than_a_default_is_unexplained() {
        use Outcome::{Defaulted, Fails, Lossy, Safe, Unrecognized};
        let change = change();
        for (claimed, shown, unexplained) in [
            (Safe, (SPEC, Defaulted), 0),
            (Safe, (SPEC, Unrecognized), 1),
            (Defaulted, (SPEC, Unrecognized), 1),
            (Lossy, (SPEC, Lossy), 0),
            (Lossy, (SPEC, Fails), 1),
            (Safe, ("another", Fails), 0),
        ] {
            let observed = observed(&[shown]);
            let attached = attach(vec![claim(&change, "illustrates", claimed)], &observed);
            assert_eq!(attached.unexplained.len(), unexplained, "claimed {claimed}, seen {shown:?}");
            assert_eq!(attach(Vec::new(), &observed).unexplained.is_empty(), shown.0 != SPEC || shown.1 == Defaulted);
        }
    }

    #[test]
    fn evidence_of_the_deciding_reader_stands_first_and_says_whether_it_agrees() {
        use Outcome::{Fails, Lossy, Safe, Unrecognized, Wrong};
        let change = change();
        let told = |claimed, shown: &[(&'static str, Outcome)]| {
            let observed = observed(shown);
            let attached = attach(vec![claim(&change, "illustrates", claimed)], &observed);
            let evidence = attached.findings[0].evidence.iter();
            let who = |shown: &Evidence<'_>| shown.observation.map_or("nobody", |seen| seen.runtime);
            evidence.map(|shown| (who(shown), shown.outcome, shown.status)).collect::<Vec<_>>()
        };
        let (agrees, contradicts) = (Status::Agrees, Status::Contradicts);
        assert_eq!(
            told(Lossy, &[("a", Wrong), (SPEC, Lossy), ("b", Lossy)]),
            [(SPEC, Lossy, agrees), ("a", Wrong, contradicts), ("b", Lossy, agrees)]
        );
        assert_eq!(told(Lossy, &[(SPEC, Fails)]), [(SPEC, Fails, contradicts)]);
        for claimed in [Outcome::Defaulted, Lossy] {
            assert_eq!(told(claimed, &[]), [("nobody", Safe, contradicts)], "claimed {claimed}");
        }
        assert_eq!(told(Lossy, &[("a", Lossy)]), [("nobody", Safe, contradicts), ("a", Lossy, agrees)]);
        assert_eq!(told(Safe, &[("a", Unrecognized), ("b", Outcome::Defaulted)]), [("a", Unrecognized, contradicts)]);
    }

    #[test]
    fn bytes_that_show_what_another_finding_claims_are_no_proof_of_a_lesser_claim() {
        use Outcome::{Fails, Lossy, Wrong};
        let change = change();
        for (claims, shown, lesser) in [
            ([Wrong, Fails], Wrong, (Fails, Status::NotObservable)),
            ([Wrong, Fails], Fails, (Fails, Status::Contradicts)),
            ([Fails, Fails], Fails, (Fails, Status::Agrees)),
            ([Lossy, Lossy], Fails, (Fails, Status::Contradicts)),
        ] {
            let observed = observed(&[(SPEC, shown), ("another", shown)]);
            let judged = claims.map(|claimed| claim(&change, "illustrates", claimed));
            let attached = attach(judged.to_vec(), &observed);
            let of = |at: usize| attached.findings[at].evidence.first().map(|seen| (seen.outcome, seen.status));
            assert_eq!(of(1), Some(lesser), "{claims:?}, seen {shown:?}");
            assert_eq!(of(0).map(|(outcome, _)| outcome), Some(shown), "{claims:?}, seen {shown:?}");
        }
    }

    /// The one cell that all of this is about.
    fn cell() -> Cell {
        (Identity(X.to_owned()), Surface::Wire, Direction::Backward)
    }

    /// What is left of a claim, and where it stands.
    fn weighed(judged: Judged<'_>, observed: &Observed) -> (Outcome, Standing) {
        let attached = attach(vec![judged], observed);
        let finding = &attached.findings[0];
        (finding.judged.impact.iter().map(|(.., outcome)| *outcome).max().expect("there are cells"), finding.standing)
    }

    #[test]
    fn what_data_measure_is_not_disproved_by_data_that_show_no_harm() {
        use Outcome::{Fails, Lossy, Safe, Unrecognized, Wrong};
        let change = change();
        for (evidence, claimed, shown, left, standing) in [
            ("measures", Lossy, &[][..], Lossy, Standing::Stands),
            ("measures", Wrong, &[(SPEC, Unrecognized)], Wrong, Standing::Stands),
            ("measures", Wrong, &[(SPEC, Lossy)], Lossy, Standing::Stands),
            ("measures", Unrecognized, &[], Safe, Standing::NotShown),
            ("illustrates", Wrong, &[(SPEC, Lossy)], Wrong, Standing::Stands),
            ("none", Fails, &[(SPEC, Lossy)], Fails, Standing::Stands),
        ] {
            let left_of = weighed(claim(&change, evidence, claimed), &observed(shown));
            assert_eq!(left_of, (left, standing), "{evidence}: claimed {claimed}, seen {shown:?}");
        }
        let partly = Observed { partly: vec![cell()], ..observed(&[(SPEC, Unrecognized)]) };
        assert_eq!(weighed(claim(&change, "decides", Wrong), &partly), (Wrong, Standing::Stands), "some was left out");
    }

    #[test]
    fn what_stands_in_another_type_is_what_data_show_and_a_missing_guard_inside_stays() {
        use Outcome::{Fails, Lossy, Safe};
        let change = change();
        for (class, shown, left, standing) in [
            ("compatibility", &[(SPEC, Lossy)][..], Lossy, Standing::Stands),
            ("compatibility", &[], Safe, Standing::NotShown),
            ("hygiene\nseverity: error", &[], Safe, Standing::Stands),
        ] {
            let members = vec![claim_of(&change, class, "illustrates", Fails)];
            let judged = Judged { members: members.into(), ..claim(&change, "illustrates", Fails) };
            assert_eq!(weighed(judged, &observed(shown)), (left, standing), "{class}, seen {shown:?}");
        }
    }

    #[test]
    fn what_could_not_be_told_is_no_break_and_does_not_fall() {
        let change = change();
        let undecided = crate::evidence::Undecided {
            cells: vec![cell()],
            direction: Direction::Backward,
            at: Pair::new(None, None),
            message: String::new(),
            help: String::new(),
            lacks: Pair::default(),
            is_told: false,
        };
        let undecided = Observed { undecided: vec![undecided], ..Observed::default() };
        let left = weighed(claim(&change, "measures", Outcome::Wrong), &undecided);
        assert_eq!(left, (Outcome::Safe, Standing::Stands));
    }

    #[test]
    fn data_speak_of_a_cell_where_they_are_all_there_are_or_as_bad_as_the_claim() {
        use Outcome::{Lossy, Safe, Unrecognized, Wrong};
        let change = change();
        let told = |evidence, claimed, observed: &Observed| {
            let attached = attach(vec![claim(&change, evidence, claimed)], observed);
            let shown = attached.findings[0].evidence.iter();
            shown.map(|shown| (shown.outcome, shown.status)).collect::<Vec<_>>()
        };
        let (agrees, contradicts, nothing) = (Status::Agrees, Status::Contradicts, Status::NotObservable);
        assert_eq!(told("measures", Lossy, &observed(&[])), [(Lossy, nothing)], "no harm is no proof");
        assert_eq!(told("measures", Lossy, &observed(&[(SPEC, Lossy)])), [(Lossy, agrees)]);
        assert_eq!(told("illustrates", Unrecognized, &observed(&[])), [(Safe, contradicts)]);
        assert_eq!(told("illustrates", Wrong, &observed(&[(SPEC, Lossy)])), [(Lossy, contradicts)]);
        let partly = |shown| Observed { partly: vec![cell()], ..observed(&[(SPEC, shown)]) };
        assert_eq!(told("illustrates", Wrong, &partly(Lossy)), [(Wrong, nothing)], "what was left out may be worse");
        assert_eq!(told("illustrates", Lossy, &partly(Lossy)), [(Lossy, agrees)]);
        assert_eq!(told("none", Lossy, &observed(&[(SPEC, Lossy)])), [(Lossy, nothing)]);
        assert_eq!(told("none", Safe, &observed(&[("another", Wrong)])), [], "it is asked of nobody");
        assert_eq!(told("illustrates", Lossy, &Observed::default()), [(Lossy, nothing)], "never written");
    }
}
