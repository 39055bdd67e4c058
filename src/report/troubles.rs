//! Problems in the input and what was not checked, as every form tells them: alike ones together, and each thing once.
//!
//! It leaves nothing out: what is told with another is named with it or counted.

use rustc_hash::FxHashMap;

use super::{NotChecked, Problem, Report};
use crate::ordered::{InOrder, OrderedSet};
use crate::text;
use crate::vocabulary::{Open, ProblemSeverity, ProblemSide};

/// A problem at one place. Where both sides have it, it is told once.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spot<'a> {
    pub(crate) problem: &'a Problem,
    /// The sides that have it, where that is known.
    pub(crate) side: Option<Open<ProblemSide>>,
}

/// A problem, and those that are alike but for the names in them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trouble<'a> {
    pub(crate) first: Spot<'a>,
    pub(crate) others: Vec<Spot<'a>>,
}

/// So few problems alike are still told one by one.
const APART: usize = 5;

impl<'a> Trouble<'a> {
    /// Whether it keeps the verdict from being told.
    pub(crate) fn is_error(&self) -> bool {
        self.first.problem.severity == ProblemSeverity::Error
    }

    /// How many problems it holds.
    pub(crate) fn count(&self) -> usize {
        1 + self.others.len()
    }

    /// Those with a line of their own, and whether the rest is only named: a few are told one by one.
    pub(crate) fn told(&self) -> impl Iterator<Item = &Spot<'a>> {
        let apart = if self.count() > APART { 0 } else { self.others.len() };
        std::iter::once(&self.first).chain(self.others.iter().take(apart))
    }

    /// Where the others are, so many at most: ``likewise `b.proto` (m.proto:4) and 3 more``; nothing where all have a line
    /// of their own.
    pub(crate) fn likewise(&self, most: usize) -> Option<String> {
        if self.count() <= APART {
            return None;
        }
        let one = |spot: &Spot<'_>| {
            let place = spot.place();
            match (name(&spot.problem.message), place) {
                (Some(name), Some(place)) => format!("`{}` ({place})", text::elide(name, 100)),
                (Some(name), None) => format!("`{}`", text::elide(name, 100)),
                (None, place) => place.unwrap_or_else(|| text::elide(&spot.problem.message, 100).into_owned()),
            }
        };
        let mut named: Vec<String> = self.others.iter().take(most).map(one).collect();
        let more = self.others.len().saturating_sub(most);
        named.extend((more > 0).then(|| format!("{} more", text::number(more))));
        Some(format!("likewise {}", text::list(&named)))
    }
}

impl Spot<'_> {
    /// `old shop/user.proto:4`, with the side where only one has it.
    pub(crate) fn place(&self) -> Option<String> {
        let file = self.problem.file.as_ref()?;
        let side = match &self.side {
            Some(Open::Known(ProblemSide::Both)) | None => String::new(),
            side @ Some(Open::Known(ProblemSide::Old | ProblemSide::New) | Open::Unknown(_)) => {
                text::problem_side(side.as_ref()).into_owned()
            }
        };
        let line = self.problem.line.map(|line| format!(":{line}")).unwrap_or_default();
        let column = self.problem.line.and(self.problem.column).map(|column| format!(":{column}")).unwrap_or_default();
        Some(format!("{side}{}{line}{column}", text::elide(file, 200)))
    }
}

/// All problems, those that keep the verdict from being told first.
pub(crate) fn troubles(report: &Report) -> Vec<Trouble<'_>> {
    let mut sorted: Vec<&Problem> = report.problems.iter().collect();
    sorted.sort_in_order_by_key(|problem| problem.severity != ProblemSeverity::Error);
    let mut spots: Vec<Spot<'_>> = Vec::new();
    let mut known: FxHashMap<_, usize> = FxHashMap::default();
    for problem in sorted {
        let same = (problem.severity.as_str(), problem.file.as_deref(), problem.message.as_str());
        let at = known.get(&same).copied().filter(|at| spots[*at].problem.side != problem.side);
        match at {
            Some(at) => spots[at].side = Some(ProblemSide::Both.into()),
            None => {
                known.insert(same, spots.len());
                spots.push(Spot { problem, side: problem.side.clone() });
            }
        }
    }
    let mut troubles: Vec<Trouble<'_>> = Vec::new();
    let mut alike: FxHashMap<(&str, String), usize> = FxHashMap::default();
    for spot in spots {
        let kind = (spot.problem.severity.as_str(), shape(&spot.problem.message));
        match alike.get(&kind) {
            Some(at) => troubles[*at].others.push(spot),
            None => {
                alike.insert(kind, troubles.len());
                troubles.push(Trouble { first: spot, others: Vec::new() });
            }
        }
    }
    troubles
}

/// What the verdict does not cover, without what a problem of the same file says already.
pub(crate) fn not_checked(report: &Report) -> Vec<&NotChecked> {
    let told: OrderedSet<(&str, &str)> = report
        .problems
        .iter()
        .filter_map(|problem| Some((problem.file.as_deref()?, problem.help.trim())))
        .filter(|(_, help)| !help.is_empty())
        .collect();
    report.not_checked.iter().filter(|gap| !told.contains(&(gap.file.as_str(), gap.help.trim()))).collect()
}

/// A message without what stands between backticks.
fn shape(message: &str) -> String {
    message.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// What a message speaks of, where that is one thing.
fn name(message: &str) -> Option<&str> {
    let mut parts = message.split('`');
    let name = parts.nth(1)?;
    (parts.count() == 1).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_alike_but_for_their_names() {
        assert_eq!(shape("import `a` was not found"), shape("import `b` was not found"));
        assert_ne!(shape("import `a` was not found"), shape("include `a` was not found"));
        assert_eq!(name("import `a` was not found"), Some("a"));
        assert_eq!(name("`a` is not `b`"), None);
        assert_eq!(name("nothing"), None);
    }
}
