//! The opinion: what each change means for readers, as data.
//!
//! One YAML file per rule in `rules/<format>/`, compiled in; users' own rules have the same form and replace the
//! built-in rule they match. This module does not know any format: a rule names its format in its id.

mod catalog;
mod load;
mod matching;
mod peers;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::change::{Change, ChangeKind, FactKey, Facts};
use crate::evidence::{Direction, Outcome, Surface};

use crate::vocabulary::vocabulary;
pub use crate::vocabulary::{Class, POLICY, Severity};
pub use load::{RuleError, RuleText};
pub use matching::Match;
pub use peers::{PeerId, PeerRule, PeerTable};

vocabulary! {
    /// What round trips have to say about a rule's claim.
    EvidenceNeed {
        /// The claim follows from the schemas; a witness shows it.
        Illustrates = "illustrates",
        /// The outcome depends on the data: the finding stands only with a witness.
        Decides = "decides",
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
    /// The severity of its findings; stated by hygiene rules only.
    pub severity: Option<Severity>,
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
    pub examples: Vec<Example>,
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
    pub facts: BTreeMap<FactKey, Vec<String>>,
}

/// Something for each of the six cells: surface × direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Impact<T> {
    cells: [[T; 2]; 3],
}

/// The claim a rule makes for one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// Always this.
    Is(Outcome),
    /// What that fact of the change says.
    Fact(FactKey),
}

/// A schema pair that shows what a rule is about.
#[derive(Debug, Clone)]
pub struct Example {
    /// What it shows, if that needs words.
    pub note: Option<String>,
    /// Whether the rule fires on it; otherwise it is a near miss.
    pub fires: bool,
    /// How many findings of the rule it gives when it fires.
    pub count: usize,
    /// Full names of the types that data starts from (`--root`); usually none are named.
    pub roots: Vec<String>,
    /// The files of the old side: path → text.
    pub old: BTreeMap<String, String>,
    /// The files of the new side: path → text.
    pub new: BTreeMap<String, String>,
}

/// All rules in force.
#[derive(Debug, Clone, Default)]
pub struct RuleSet {
    rules: Vec<Arc<Rule>>,
    by_kind: BTreeMap<ChangeKind, Vec<Arc<Rule>>>,
    peers: Arc<Vec<PeerTable>>,
}

impl RuleSet {
    /// The rules compiled in, parsed on first use.
    pub fn built_in() -> &'static RuleSet {
        load::built_in()
    }

    /// A set of exactly these rules.
    ///
    /// # Errors
    /// Every file that is not a rule, and every id used twice.
    pub fn from_files(files: &[RuleText<'_>]) -> Result<RuleSet, Vec<RuleError>> {
        load::from_files(files)
    }

    /// The files of the rules compiled in: path in the repository → text.
    pub fn built_in_files() -> &'static [(&'static str, &'static str)] {
        catalog::CATALOG
    }

    /// These rules and the user's own, given as files; a user's rule replaces the built-in rule it matches, or whose
    /// id it carries.
    ///
    /// # Errors
    /// Every file that is not a rule, and every two of the user's rules that could judge the same change.
    pub fn with_user_rules(&self, files: &[RuleText<'_>]) -> Result<RuleSet, Vec<RuleError>> {
        load::with_user_rules(self, files)
    }

    /// All rules, sorted by id.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().map(Arc::as_ref)
    }

    /// The rule of that id.
    pub fn get(&self, id: &str) -> Option<&Rule> {
        self.iter().find(|rule| rule.id == id)
    }

    /// Whether `rules:` in a configuration may name this: the id of a rule, or a family.
    pub fn names(&self, id_or_family: &str) -> bool {
        self.iter().any(|rule| rule.id == id_or_family || rule.family == id_or_family)
    }

    /// Which rule judges a change of that format.
    pub fn matching(&self, format: &str, change: &Change) -> Match {
        matching::matching(self.by_kind.get(&change.kind).map_or(&[], Vec::as_slice), format, change)
    }

    /// Under which ids other tools report a change of that format, sorted.
    pub fn peers(&self, format: &str, change: &Change) -> Vec<PeerId> {
        let tables = self.peers.iter().filter(|table| table.format == format);
        let mut ids: Vec<PeerId> = tables.flat_map(|table| table.ids(change)).collect();
        ids.sort();
        ids.dedup();
        ids
    }

    /// The rules of another tool, sorted by id; none where the tool has no choice of rules.
    pub fn peer_rules(&self, tool: &str) -> &[PeerRule] {
        self.peers.iter().find(|table| table.tool == tool).map_or(&[], |table| &table.rules)
    }

    /// The rules that another tool's category has in a version of that tool's configuration.
    pub fn peer_category(&self, tool: &str, version: &str, category: &str) -> BTreeSet<String> {
        let belongs = |rule: &&PeerRule| {
            rule.categories.get(version).is_some_and(|categories| categories.iter().any(|one| one == category))
        };
        self.peer_rules(tool).iter().filter(belongs).map(|rule| rule.id.clone()).collect()
    }

    /// The files of what other tools report: path in the repository → text.
    pub fn peer_files() -> &'static [(&'static str, &'static str)] {
        catalog::PEERS
    }

    fn of(mut rules: Vec<Arc<Rule>>) -> RuleSet {
        rules.sort_by(|one, other| one.id.cmp(&other.id));
        let mut by_kind: BTreeMap<ChangeKind, Vec<Arc<Rule>>> = BTreeMap::new();
        for rule in &rules {
            for kind in &rule.when.kinds {
                by_kind.entry(*kind).or_default().push(rule.clone());
            }
        }
        RuleSet { rules, by_kind, peers: Arc::default() }
    }
}

impl Rule {
    /// The format it is about: the first part of its id.
    pub fn format(&self) -> &str {
        self.id.split_once('/').map_or("", |(format, _)| format)
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
        self.impact.try_map(|cell| match cell {
            Cell::Is(outcome) => Ok(*outcome),
            Cell::Fact(key) => facts.get(*key).and_then(Outcome::from_name).ok_or(*key),
        })
    }

    /// Whether some change could match both rules, as far as their conditions tell.
    pub fn may_overlap(&self, other: &Rule) -> bool {
        self.format() == other.format() && self.when.may_overlap(&other.when)
    }
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

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Is(outcome) => write!(f, "{outcome}"),
            Cell::Fact(key) => write!(f, "{{{key}}}"),
        }
    }
}

/// A text with its placeholders filled, and the facts it asked for in vain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// The text; a fact that the change does not state prints `?`.
    pub text: String,
    /// The placeholders without a fact.
    pub missing: Vec<FactKey>,
}

/// Fills `{path}` and every fact named in braces. Braces around anything else stay, so that a text may show schemas.
pub fn fill(template: &str, change: &Change) -> Filled {
    let mut filled = Filled { text: String::with_capacity(template.len() + 32), missing: Vec::new() };
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        filled.text.push_str(&rest[..open]);
        let Some((name, after)) = placeholder(&rest[open..]) else {
            filled.text.push('{');
            rest = &rest[open + 1..];
            continue;
        };
        rest = after;
        match (name, FactKey::from_name(name)) {
            ("path", _) => filled.text.push_str(&change.path),
            (_, Some(key)) => match change.facts.get(key) {
                Some(value) => filled.text.push_str(value),
                None => {
                    filled.text.push('?');
                    filled.missing.push(key);
                }
            },
            (_, None) => {
                filled.text.push('{');
                filled.text.push_str(name);
                filled.text.push('}');
            }
        }
    }
    filled.text.push_str(rest);
    filled
}

/// The name in the braces that `text` starts with, and what follows them; `None` when the braces hold anything but
/// one word.
fn placeholder(text: &str) -> Option<(&str, &str)> {
    let (name, after) = text.strip_prefix('{')?.split_once('}')?;
    let is_word =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    is_word.then_some((name, after))
}

/// The names of all placeholders of a text.
pub fn placeholders(template: &str) -> Vec<&str> {
    template.match_indices('{').filter_map(|(at, _)| placeholder(&template[at..])).map(|(name, _)| name).collect()
}
