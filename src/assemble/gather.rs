//! All findings in their final order, each with its id and the waiver that covers it.
//!
//! Ids come first and waivers meet them; then come the findings about waivers, which no waiver covers.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::{AssembleInput, Elsewhere, Files};
use crate::attach::{Finding, Standing};
use crate::change::Change;
use crate::fingerprint::{self, earlier};
use crate::gate::{Found, Gate, Known, Scope, Waiver};
use crate::judge::{Judged, judge};
use crate::report;
use crate::rules::POLICY;
use crate::syntax::problem::Problem;
use crate::verdict::{Acknowledged, Decided};

/// Changes that are only found once every other finding has its id; they live as long as their findings.
pub(super) struct Changes {
    /// Whether everything was compared.
    pub scope: Scope,
    /// What there is to say about waivers.
    pub about_waivers: OnceCell<Vec<Change>>,
}

/// Findings, sorted by file, position, rule and path, equal ones once; those that other parts answer for come last.
pub(super) struct Gathered<'a> {
    /// The findings.
    pub findings: Vec<Finding<'a>>,
    /// What the rules about policy fail to judge.
    pub problems: Vec<Problem>,
    /// Waivers of which nobody can say whether they are needed.
    pub untold: usize,
    ids: Vec<String>,
    waivers: Vec<Option<&'a Waiver>>,
}

/// A finding on its way into the order.
struct Numbered<'a> {
    finding: Finding<'a>,
    id: String,
    waiver: Option<&'a Waiver>,
}

/// Gives each finding its id and its waiver, and adds those about policy.
pub(super) fn gather<'a>(
    found: Vec<Finding<'a>>,
    input: &AssembleInput<'a>,
    elsewhere: &Elsewhere<'_>,
    changes: &'a Changes,
) -> Gathered<'a> {
    let (gate, rules) = (input.gate, input.rules);
    let mut ids = Ids::default();
    let mut problems = Vec::new();
    let mut judged = |changes: &'a [Change]| {
        let judgement = judge(POLICY, changes, rules);
        problems.extend(judgement.problems);
        // No round trip ever looks at the gate, so there is nothing to attach.
        let as_claimed = |judged| Finding { judged, standing: Standing::Stands, evidence: Vec::new() };
        judgement.judged.into_iter().map(as_claimed).collect::<Vec<_>>()
    };
    let mut all = ids.number(found);
    all.extend(ids.number(judged(&gate.loosened)));
    let found =
        Found { findings: all.iter().map(|one| known(&one.finding, &one.id, gate)).collect(), sides: input.snapshots };
    let covering = gate.covering(&found);
    let untold = gate.untold(&found, changes.scope);
    let about_waivers = changes.about_waivers.get_or_init(|| gate.changes(&found, changes.scope));
    all.iter_mut().zip(covering).for_each(|(one, waiver)| one.waiver = waiver);
    all.extend(ids.number(judged(about_waivers)));
    let order = |one: &Numbered<'a>, other: &Numbered<'a>| position(&one.finding).cmp(&position(&other.finding));
    all.sort_by(order);
    all.sort_by_key(|one| !elsewhere.is_changed_here(one.finding.judged.change));
    let mut gathered = Gathered { findings: Vec::new(), problems, untold, ids: Vec::new(), waivers: Vec::new() };
    for Numbered { finding, id, waiver } in all {
        gathered.findings.push(finding);
        gathered.ids.push(id);
        gathered.waivers.push(waiver);
    }
    gathered
}

fn known<'f>(finding: &Finding<'f>, id: &str, gate: &Gate) -> Known<'f> {
    let Judged { change, rule, .. } = &finding.judged;
    let earlier_id = if gate.has_earlier_ids() { earlier::id(&rule.id, change) } else { String::new() };
    let files = change.at.as_ref().map(|site| site.as_ref().map(|site| &*site.file));
    Known { id: id.to_owned(), earlier_id, rule: rule.id.clone(), path: &change.path, files }
}

impl Gathered<'_> {
    /// Which findings somebody has acknowledged.
    pub(super) fn acknowledged(&self) -> Vec<Acknowledged> {
        let covered = |waiver: &Option<&Waiver>| if waiver.is_some() { Acknowledged::Yes } else { Acknowledged::No };
        self.waivers.iter().map(covered).collect()
    }

    /// The findings of the report: all but those that the configuration turned off.
    pub(super) fn told(
        &self,
        decided: Vec<Option<Decided>>,
        files: &mut Files<'_>,
        input: &AssembleInput<'_>,
    ) -> Vec<report::Finding> {
        let mut told = Vec::new();
        for (at, decided) in decided.into_iter().enumerate() {
            if let (Some(decided), Some(finding)) = (decided, self.findings.get(at)) {
                let waiver = self.waivers[at].map(|waiver| as_reported(waiver, input.gate));
                told.push(files.finding(finding, decided, self.ids[at].clone(), waiver, input.policy));
            }
        }
        told
    }
}

fn as_reported(waiver: &Waiver, gate: &Gate) -> report::Waiver {
    report::Waiver {
        reason: waiver.reason.clone(),
        owner: waiver.owner.clone(),
        until: waiver.until.map(|until| until.to_string()),
        file: gate.waivers.path.to_string(),
        line: waiver.line,
        added_here: gate.is_added(waiver),
    }
}

/// The ids given so far.
#[derive(Default)]
struct Ids {
    taken: BTreeSet<String>,
}

impl Ids {
    /// Sorts, drops what is said twice, and gives each finding its id.
    fn number<'a>(&mut self, mut found: Vec<Finding<'a>>) -> Vec<Numbered<'a>> {
        found.sort_by(|one, other| position(one).cmp(&position(other)));
        found.dedup_by(|one, other| {
            one.judged.rule.id == other.judged.rule.id && one.judged.change == other.judged.change
        });
        let number = |finding| Numbered { id: self.fingerprint(&finding), finding, waiver: None };
        found.into_iter().map(number).collect()
    }

    /// The few findings that are alike in all that identifies them lie in different files, or are told apart by their
    /// order.
    fn fingerprint(&mut self, finding: &Finding<'_>) -> String {
        let Judged { format, change, .. } = finding.judged;
        let site = change.at.new.as_ref().or(change.at.old.as_ref());
        let file = site.map_or("", |site| &*site.file);
        let apart = (0..).map(|again| match again {
            0 => String::new(),
            1 => file.to_owned(),
            _ => format!("{file} {again}"),
        });
        let mut ids = apart.map(|apart| fingerprint::id(format, change, &apart));
        ids.find(|id| self.taken.insert(id.clone())).expect("there is no end of numbers")
    }
}

fn position<'f>(finding: &'f Finding<'_>) -> impl Ord + use<'f> {
    let change = finding.judged.change;
    let site = change.at.new.as_ref().or(change.at.old.as_ref());
    (site, finding.judged.rule.id.as_str(), change.path.as_str(), &change.identity)
}
