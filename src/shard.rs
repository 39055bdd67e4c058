//! What one part of a divided check answers for.

use crate::attach::Finding;
use crate::change::Change;
use crate::formats::Checked;
use crate::ordered::OrderedSet;
use crate::verdict::{Decision, Doubt, Moves, Policy, decide, decide_one};
use crate::waive::Identified;

/// The files that other parts of a divided check answer for. What was found in them counts as claimed, so that no
/// observation is left unexplained and every finding has the id it has in the whole; it is decided and reported there.
#[derive(Debug, Default)]
pub struct Elsewhere<'a>(OrderedSet<&'a str>);

impl<'a> Elsewhere<'a> {
    /// What the languages left to other parts.
    pub fn of(checked: impl Iterator<Item = &'a Checked>) -> Self {
        Elsewhere(checked.flat_map(|checked| &checked.elsewhere).map(String::as_str).collect())
    }

    /// Whether this part answers for what was found in a file; `None` is what stands in no file.
    pub fn is_here(&self, file: Option<&str>) -> bool {
        !self.0.contains(file.unwrap_or_default())
    }

    /// Whether this part answers for a change.
    pub fn is_changed_here(&self, change: &Change) -> bool {
        self.is_here(change.at.new.as_ref().or(change.at.old.as_ref()).map(|site| &*site.file))
    }

    /// Decides about the findings of this part, which come first, and says of the others what they amount to alone.
    pub fn decide(&self, findings: &[Identified<'_>], policy: &Policy, doubt: Doubt) -> Decision {
        let moves = &Moves::of(findings.iter().map(|one| &one.finding));
        let here = findings.partition_point(|one| self.is_changed_here(one.finding.judged.change));
        let (here, others) = findings.split_at(here);
        let acknowledged: Vec<_> = here.iter().map(Identified::acknowledged).collect();
        let findings: Vec<&Finding<'_>> = here.iter().map(|one| &one.finding).collect();
        let mut decision = decide(&findings, &acknowledged, policy, moves, doubt);
        let alone = others.iter().map(|one| decide_one(&one.finding, policy, moves));
        decision.decided.extend(alone);
        decision.costs.resize(decision.decided.len(), Vec::new());
        decision
    }
}
