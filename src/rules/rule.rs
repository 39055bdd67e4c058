//! What a rule says: which changes it judges, what readers experience, and the words.

use std::fmt;

use super::examples::Examples;
use crate::change::{ChangeKind, FactKey, Facts};
use crate::evidence::{Direction, Outcome, Surface};
use crate::ordered::OrderedMap;
use crate::vocabulary::{Class, Severity, Vocabulary, vocabulary};

vocabulary! {
    /// What round trips have to say about a rule's claim.
    EvidenceNeed {
        /// The claim follows from the schemas; a witness shows it.
        Illustrates = "illustrates",
        /// The outcome depends on the data: the finding stands only with a witness.
        Decides = "decides",
        /// How bad it is depends on the data: a witness may show less harm than is claimed, and none does not mean that there
        /// is none.
        Measures = "measures",
        /// The change has no bytes: the existence of a method, a declaration.
        None = "none",
    }
}

/// Where a rule comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Compiled in.
    BuiltIn,
    /// The user's own.
    User,
}

/// One opinion.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The name, `protobuf/field-removed-unreserved`; its first part is the format. Never reused.
    pub id: String,
    /// One line for people.
    pub title: String,
    /// What ties the same idea together across formats.
    pub family: String,
    /// The version of wireproof that first had it.
    pub since: String,
    /// What its findings are judged by.
    pub class: Class,
    /// The severity of its findings, unless readers experience something that is more severe; stated by hygiene rules only.
    pub severity: Option<Cell<Severity>>,
    /// An outcome that the format allows: it warns and does not break, unless the policy names this very outcome. Where a
    /// hygiene rule states one, no data are expected to hold what it is about, and no outcome makes it more severe.
    pub tolerates: Option<Outcome>,
    /// Which changes it judges.
    pub when: When,
    /// What readers experience.
    pub impact: Impact<Cell>,
    /// What round trips have to say about it.
    pub evidence: EvidenceNeed,
    /// What changed, with `{path}` and facts in braces.
    pub message: String,
    /// Who breaks, and why.
    pub why: String,
    /// What to do.
    pub fix: String,
    /// Further reading.
    pub references: Vec<String>,
    /// Schema pairs on which it fires, and near misses on which it does not.
    pub examples: Examples,
    /// Where it comes from.
    pub origin: Origin,
    /// The file it was read from.
    pub file: String,
}

/// The condition of a rule: equality and any-of, nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct When {
    /// Any of these kinds.
    pub kinds: Vec<ChangeKind>,
    /// All of these facts, each with any of its values. The value `absent` means that the fact was not stated.
    pub facts: OrderedMap<FactKey, Vec<String>>,
}

/// Something for each of the six cells: surface × direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Impact<T> {
    cells: [[T; 2]; 3],
}

/// What a rule says: the claim for one cell, or how severe its findings are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell<T = Outcome> {
    /// Always this.
    Is(T),
    /// What that fact of the change says.
    Fact(FactKey),
}

impl Rule {
    /// The format it is about: the first part of its id.
    pub fn format(&self) -> &str {
        format_of(&self.id)
    }

    /// The id without the format.
    pub fn short_id(&self) -> &str {
        self.id.split_once('/').map_or(self.id.as_str(), |(_, name)| name)
    }

    /// The claims with the facts of a change filled in.
    ///
    /// # Errors
    /// A cell names a fact that the change does not state, or that is no outcome.
    pub fn claims(&self, facts: &Facts) -> Result<Impact<Outcome>, FactKey> {
        self.impact.try_map(|cell| cell.of(facts))
    }

    /// The severity that it states for a change with these facts; `None` where it follows from the claims.
    ///
    /// # Errors
    /// It names a fact that the change does not state, or that is no severity.
    pub fn severity_of(&self, facts: &Facts) -> Result<Option<Severity>, FactKey> {
        self.severity.map(|severity| severity.of(facts)).transpose()
    }
}

impl<T: Vocabulary> Cell<T> {
    fn of(&self, facts: &Facts) -> Result<T, FactKey> {
        match self {
            Cell::Is(word) => Ok(*word),
            Cell::Fact(key) => facts.get(*key).and_then(T::named).ok_or(*key),
        }
    }
}

/// The format in the id of a rule.
pub(super) fn format_of(id: &str) -> &str {
    id.split_once('/').map_or("", |(format, _)| format)
}

impl<T> Impact<T> {
    /// The six cells; each pair is backward, forward.
    pub const fn new(wire: [T; 2], json: [T; 2], source: [T; 2]) -> Self {
        Self { cells: [wire, json, source] }
    }

    /// One cell.
    pub fn get(&self, surface: Surface, direction: Direction) -> &T {
        &self.cells[surface as usize][direction as usize]
    }

    /// All cells in the order of reports.
    pub fn iter(&self) -> impl Iterator<Item = (Surface, Direction, &T)> {
        Surface::ALL.iter().flat_map(move |surface| {
            Direction::ALL.iter().map(move |direction| (*surface, *direction, self.get(*surface, *direction)))
        })
    }

    /// The same cells, each changed.
    pub fn map<U>(&self, mut change: impl FnMut(Surface, Direction, &T) -> U) -> Impact<U> {
        let mut both = |surface| {
            [Direction::Backward, Direction::Forward]
                .map(|direction| change(surface, direction, self.get(surface, direction)))
        };
        Impact { cells: [both(Surface::Wire), both(Surface::Json), both(Surface::Source)] }
    }

    /// The same cells, each changed, or the first failure.
    pub(crate) fn try_map<U, E>(&self, mut change: impl FnMut(&T) -> Result<U, E>) -> Result<Impact<U>, E> {
        let [wire, json, source] = &self.cells;
        let mut both = |pair: &[T; 2]| Ok([change(&pair[0])?, change(&pair[1])?]);
        Ok(Impact { cells: [both(wire)?, both(json)?, both(source)?] })
    }
}

impl<T: Copy> Impact<T> {
    /// The same in every cell.
    pub const fn everywhere(value: T) -> Self {
        Self { cells: [[value; 2]; 3] }
    }
}

impl<T: fmt::Display> fmt::Display for Cell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Is(word) => write!(f, "{word}"),
            Cell::Fact(key) => write!(f, "{{{key}}}"),
        }
    }
}
