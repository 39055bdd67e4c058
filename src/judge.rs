//! Changes × rules → judged changes. Total: every change gets exactly one judgement, if need be a loud one.
//!
//! This module does not look at schemas, policies or round trips.

use std::sync::Arc;

use crate::change::{Change, FactKey};
use crate::evidence::{Outcome, Surface};
use crate::ordered::{InOrder, OrderedMap};
use crate::rules::{
    Cell, Class, EvidenceNeed, Filled, Impact, Match, Origin, PeerId, Rule, RuleSet, Severity, When, fill,
};
use crate::syntax::problem::{Problem, Severity as ProblemSeverity};

/// A change and what the one rule that judges it claims.
#[derive(Debug, Clone)]
pub struct Judged<'a> {
    /// The format of both schemas.
    pub format: &'static str,
    /// What differs.
    pub change: &'a Change,
    /// The rule that judges it.
    pub rule: Arc<Rule>,
    /// What the rule claims, facts filled in.
    pub impact: Impact<Outcome>,
    /// The severity that the rule states, if it does.
    pub severity: Option<Severity>,
    /// Under which ids other tools report the same change.
    pub peers: Vec<PeerId>,
    /// The members of the change, judged. What they claim of data is in `impact`.
    pub members: Arc<[Judged<'a>]>,
}

/// All changes of one format, judged.
#[derive(Debug, Clone, Default)]
pub struct Judgement<'a> {
    /// One per change, in the order of the changes.
    pub judged: Vec<Judged<'a>>,
    /// Where the rules failed; each makes the verdict `unknown` unless something breaks anyway.
    pub problems: Vec<Problem>,
}

/// Judges every change of one format.
pub fn judge<'a>(format: &'static str, changes: &'a [Change], rules: &RuleSet) -> Judgement<'a> {
    let mut judgement = Judgement::default();
    // Types that hold each other are inside of each other: what is inside of one is judged once for all of them.
    let mut known: OrderedMap<usize, Arc<[Judged<'a>]>> = OrderedMap::new();
    for change in changes {
        let rule = match rules.matching(format, change) {
            Match::One(rule) => rule,
            Match::None => {
                judgement.problems.push(nobody_judges(change));
                Arc::new(unclassified(format, change))
            }
            Match::Several(several) => {
                judgement.problems.push(several_judge(change, &several));
                Arc::new(ambiguous(format, change, &several))
            }
        };
        let impact = rule.claims(&change.facts).unwrap_or_else(|missing| {
            judgement.problems.push(claim_without_fact(change, &rule, missing));
            Impact::everywhere(Outcome::Wrong)
        });
        let severity = rule.severity_of(&change.facts).unwrap_or_else(|missing| {
            judgement.problems.push(claim_without_fact(change, &rule, missing));
            Some(Severity::Error)
        });
        let mut peers = rules.peers(format, change);
        let members = known.entry(change.members.as_ptr() as usize).or_insert_with(|| {
            let inside = judge(format, &change.members, rules);
            judgement.problems.extend(inside.problems);
            inside.judged.into()
        });
        if !change.following().is_empty() {
            let others = members.iter().flat_map(|member| &member.peers);
            others.for_each(|peer| {
                if !peers.contains(peer) {
                    peers.push(peer.clone())
                }
            });
        }
        let impact = with_members(impact, members);
        let members = members.clone();
        judgement.judged.push(Judged { format, change, rule, impact, severity, peers, members });
    }
    judgement
}

/// What readers of data experience at a place is the worst that they experience of anything inside. Generated code is
/// what the rule of the place says.
fn with_members(impact: Impact<Outcome>, members: &[Judged<'_>]) -> Impact<Outcome> {
    impact.map(|surface, direction, own| match surface {
        Surface::Source => *own,
        Surface::Wire | Surface::Json => {
            let cells = members.iter().flat_map(|member| member.impact.iter());
            let same = cells.filter(|(other, towards, _)| (*other, *towards) == (surface, direction));
            same.map(|(.., outcome)| *outcome).fold(*own, Outcome::max)
        }
    })
}

/// How many of the members are named as reasons.
const REASONS: usize = 5;

impl Judged<'_> {
    /// What changed, in words.
    pub fn message(&self) -> Filled {
        fill(&self.rule.message, self.change)
    }

    /// Who breaks, and why.
    pub fn why(&self) -> Filled {
        fill(&self.rule.why, self.change)
    }

    /// What readers experience inside of the types that took each other's place, the worst first: some in words, and how
    /// many more there are.
    pub fn reasons(&self) -> (Vec<String>, usize) {
        let worst = |member: &Judged<'_>| {
            let cells = member.impact.iter().filter(|(surface, ..)| *surface != Surface::Source);
            cells.map(|(.., outcome)| *outcome).max().unwrap_or(Outcome::Safe)
        };
        let is_policy = |member: &Judged<'_>| member.rule.class == Class::Hygiene;
        let mut felt: Vec<&Judged<'_>> =
            self.members.iter().filter(|member| worst(member) > Outcome::Defaulted || is_policy(member)).collect();
        felt.sort_in_order_by_key(|member| (std::cmp::Reverse(worst(member)), &member.change.path, &member.rule.id));
        let mut reasons: Vec<String> = felt.iter().map(|member| member.message().text).collect();
        reasons.dedup();
        let more = reasons.len().saturating_sub(REASONS);
        reasons.truncate(REASONS);
        (reasons, more)
    }

    /// What to do.
    pub fn fix(&self) -> Filled {
        fill(&self.rule.fix, self.change)
    }
}

/// The name of the judgement that no rule made.
pub const UNCLASSIFIED: &str = "unclassified";

/// The name of the judgement that several rules made.
pub const AMBIGUOUS: &str = "ambiguous";

const REPORT_IT: &str = "this is a bug in wireproof; please report it with the two schemas";

fn unclassified(format: &str, change: &Change) -> Rule {
    let facts: Vec<String> = change.facts.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    Rule {
        message: format!("`{{path}}` changed in a way that no rule judges: {}", change.kind),
        why: format!(
            "Nobody can say whether this is safe. What is known: {}.",
            if facts.is_empty() { "nothing".to_owned() } else { facts.join(", ") }
        ),
        fix: format!("Check the change by hand; {REPORT_IT}."),
        ..internal(format, UNCLASSIFIED, "A change that no rule judges", change)
    }
}

fn ambiguous(format: &str, change: &Change, rules: &[Arc<Rule>]) -> Rule {
    Rule {
        message: format!("`{{path}}` changed in a way that several rules judge: {}", ids(rules)),
        why: "The rules may contradict each other, so none of them was believed.".to_owned(),
        fix: format!("{}.", sentence(remedy(rules))),
        ..internal(format, AMBIGUOUS, "A change that several rules judge", change)
    }
}

/// Errs on the side of noise: an error in every mode but `none`, while it claims nothing about bytes, so that every
/// difference the round trips show stays unexplained.
fn internal(format: &str, name: &str, title: &str, change: &Change) -> Rule {
    Rule {
        id: format!("{format}/{name}"),
        title: title.to_owned(),
        family: name.to_owned(),
        since: "0.1.0".to_owned(),
        class: Class::Hygiene,
        severity: Some(Cell::Is(Severity::Error)),
        tolerates: None,
        when: When { kinds: vec![change.kind], facts: Default::default() },
        impact: Impact::everywhere(Cell::Is(Outcome::Safe)),
        evidence: EvidenceNeed::Illustrates,
        message: String::new(),
        why: String::new(),
        fix: String::new(),
        references: Vec::new(),
        examples: Default::default(),
        origin: Origin::BuiltIn,
        file: String::new(),
    }
}

fn nobody_judges(change: &Change) -> Problem {
    problem(format!("no rule judges the change `{}` of `{}`", change.kind, change.path), REPORT_IT)
}

fn several_judge(change: &Change, rules: &[Arc<Rule>]) -> Problem {
    let message = format!("several rules judge the change `{}` of `{}`: {}", change.kind, change.path, ids(rules));
    problem(message, remedy(rules))
}

fn claim_without_fact(change: &Change, rule: &Rule, missing: FactKey) -> Problem {
    let message =
        format!("the rule `{}` claims `{{{missing}}}` for `{}`, which states no such outcome", rule.id, change.path);
    let help = match rule.origin {
        Origin::BuiltIn => REPORT_IT,
        Origin::User => "name an outcome in this cell, or ask in `when.facts` for changes that state the fact",
    };
    problem(message, help)
}

/// The site is left out: the message names the element, and its finding has the place.
fn problem(message: String, help: &str) -> Problem {
    Problem { severity: ProblemSeverity::Error, site: None, message, help: help.to_owned() }
}

fn remedy(rules: &[Arc<Rule>]) -> &'static str {
    match rules.first().map(|rule| rule.origin) {
        Some(Origin::User) => "make the `when.facts` of these rules exclude each other",
        Some(Origin::BuiltIn) | None => REPORT_IT,
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn ids(rules: &[Arc<Rule>]) -> String {
    let quoted: Vec<String> = rules.iter().map(|rule| format!("`{}`", rule.id)).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::{ChangeKind, Facts, Identity, Pair};
    use crate::evidence::Direction;
    use crate::rules::RuleText;

    fn rule(id: &str, wire: &str) -> String {
        format!(
            "id: protobuf/{id}\ntitle: T\nfamily: f\nsince: 0.1.0\nclass: compatibility\nwhen: {{ change: field-added }}\n\
             impact:\n  wire: {{ backward: {wire}, forward: safe }}\n  json: {{ backward: safe, forward: safe }}\n  \
             source: {{ backward: safe, forward: safe }}\nmessage: M\nwhy: W\nfix: F\n"
        )
    }

    fn change(kind: ChangeKind) -> Change {
        Change {
            kind,
            path: "p.M.x".to_owned(),
            identity: Identity("p.M#1".to_owned()),
            at: Pair::new(None, None),
            facts: Facts::none(),
            suggestion: None,
            reports: Vec::new(),
            members: Arc::default(),
            left_out: Default::default(),
            heading: None,
        }
    }

    fn rules(texts: &[String]) -> RuleSet {
        let files: Vec<RuleText<'_>> = texts.iter().map(|text| RuleText { file: "r.yaml", text }).collect();
        RuleSet::from_files(&files).expect("well formed")
    }

    fn judged(rules: &[(&str, &str)]) -> (Rule, Outcome, usize) {
        let rules = self::rules(&rules.iter().map(|(id, wire)| rule(id, wire)).collect::<Vec<_>>());
        let changes = [change(ChangeKind::FieldAdded)];
        let judgement = judge("protobuf", &changes, &rules);
        let first = &judgement.judged[0];
        let worst = first.impact.iter().map(|(.., outcome)| *outcome).max().expect("there are cells");
        ((*first.rule).clone(), worst, judgement.problems.len())
    }

    #[test]
    fn what_no_rule_judges_or_several_do_is_an_error_that_claims_nothing() {
        for (rules, name) in [(&[][..], UNCLASSIFIED), (&[("one", "wrong"), ("two", "safe")], AMBIGUOUS)] {
            let (rule, worst, problems) = judged(rules);
            assert_eq!(
                (rule.short_id(), rule.class, rule.severity),
                (name, Class::Hygiene, Some(Cell::Is(Severity::Error)))
            );
            assert_eq!((worst, problems), (Outcome::Safe, 1), "{name}");
        }
    }

    #[test]
    fn a_claim_of_a_fact_that_is_not_stated_is_the_worst_claim_and_a_problem() {
        let (rule, worst, problems) = judged(&[("told", "'{reads-old}'")]);
        assert_eq!((rule.short_id(), worst, problems), ("told", Outcome::Wrong, 1));
        assert_eq!(judged(&[("one", "lossy")]).1, Outcome::Lossy);
    }

    #[test]
    fn what_is_wrong_with_the_judgement_of_a_member_is_told() {
        let rules = rules(&[rule("told", "safe")]);
        let member = change(ChangeKind::FieldRemoved);
        let around = Change { members: vec![member].into(), ..change(ChangeKind::FieldAdded) };
        let judgement = judge("protobuf", std::slice::from_ref(&around), &rules);
        let told: Vec<&str> = judgement.problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(told, ["no rule judges the change `field-removed` of `p.M.x`"]);
        assert_eq!(judgement.judged[0].members[0].rule.short_id(), UNCLASSIFIED);
    }

    #[test]
    fn readers_of_data_feel_what_members_do_and_compilers_what_the_place_does() {
        let hurts = rule("hurts", "lossy").replace("field-added", "field-removed");
        let hurts = hurts.replace("source: { backward: safe", "source: { backward: fails");
        let rules = rules(&[rule("told", "safe"), hurts]);
        let around =
            Change { members: vec![change(ChangeKind::FieldRemoved)].into(), ..change(ChangeKind::FieldAdded) };
        let judgement = judge("protobuf", std::slice::from_ref(&around), &rules);
        let felt = judgement.judged[0].impact.iter().filter(|(.., outcome)| **outcome != Outcome::Safe);
        let felt: Vec<(Surface, Direction, Outcome)> =
            felt.map(|(surface, to, outcome)| (surface, to, *outcome)).collect();
        assert_eq!(felt, [(Surface::Wire, Direction::Backward, Outcome::Lossy)]);
    }

    #[test]
    fn a_severity_of_a_fact_that_is_not_stated_is_an_error_and_a_problem() {
        let text = rule("told", "safe").replace("class: compatibility", "class: hygiene\nseverity: \"{weight}\"");
        let rules = rules(&[text]);
        let changes = [change(ChangeKind::FieldAdded)];
        let judgement = judge("protobuf", &changes, &rules);
        assert_eq!(judgement.judged[0].severity, Some(Severity::Error));
        let told: Vec<&str> = judgement.problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(told, ["the rule `protobuf/told` claims `{weight}` for `p.M.x`, which states no such outcome"]);
    }

    #[test]
    fn of_members_that_are_told_alike_one_is_a_reason() {
        let rules = rules(&[rule("told", "safe"), rule("hurts", "lossy").replace("field-added", "field-removed")]);
        let removed = || change(ChangeKind::FieldRemoved);
        let around = Change { members: vec![removed(), removed()].into(), ..change(ChangeKind::FieldAdded) };
        let judgement = judge("protobuf", std::slice::from_ref(&around), &rules);
        assert_eq!(judgement.judged[0].reasons(), (vec!["M".to_owned()], 0));
    }

    #[test]
    fn whoever_wrote_the_rules_is_told_what_to_do() {
        let change = change(ChangeKind::FieldAdded);
        let rules = rules(&[rule("one", "safe"), rule("two", "safe")]);
        let of = |origin: Origin| -> Vec<Arc<Rule>> {
            rules.iter().map(|rule| Arc::new(Rule { origin, ..rule.clone() })).collect()
        };
        let (ours, theirs) = (of(Origin::BuiltIn), of(Origin::User));
        let several = several_judge(&change, &theirs);
        let who = "several rules judge the change `field-added` of `p.M.x`: `protobuf/one`, `protobuf/two`";
        let exclude = "make the `when.facts` of these rules exclude each other";
        assert_eq!((several.message.as_str(), several.help.as_str()), (who, exclude));
        assert_eq!(several_judge(&change, &ours).help, REPORT_IT);
        assert_eq!(
            ambiguous("protobuf", &change, &theirs).fix,
            "Make the `when.facts` of these rules exclude each other."
        );
        let missing = |rule: &Rule| claim_without_fact(&change, rule, FactKey::ReadsOld).help;
        assert_eq!(missing(&ours[0]), REPORT_IT);
        assert!(missing(&theirs[0]).starts_with("name an outcome in this cell"));
    }
}
