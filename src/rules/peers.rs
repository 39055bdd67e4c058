//! What other tools call a change: predicates over facts, apart from our own rules. Several may match one change. And as
//! which tools a run can judge.

use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;

use super::catalog::{PEERS, PeerDigest};
use super::fill::fill;
use super::form::{RawWhen, RuleError, RuleText, Wrong, from_yaml};
use super::rule::When;
use crate::change::Change;
use crate::evidence::Direction;
use crate::ordered::{InOrder, OrderedMap};

type LazyRules = LazyLock<Vec<PeerRule>, Box<dyn FnOnce() -> Vec<PeerRule> + Send>>;

/// What one tool reports of the changes of one format.
#[derive(Debug)]
pub struct PeerTable {
    /// The tool.
    pub tool: String,
    /// The format its file lies under.
    pub format: String,
    /// What it means to judge as the tool does, for people.
    pub means: String,
    /// As whom of its kind a run can judge, the strictest first.
    pub profiles: Vec<Profile>,
    /// Read when somebody asks.
    rules: LazyRules,
    entries: Vec<Entry>,
    /// Ids that stand for the tool giving up, under which it records nothing.
    given_up: Vec<String>,
}

/// As whom to judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The name on the command line and in reports.
    pub name: String,
    /// The tool whose ids decide.
    pub tool: String,
    /// The format it judges; other formats are judged as ever.
    pub format: String,
    /// Which of the tool's rules count, where not all of them do.
    pub category: Option<Category>,
}

/// A category of a tool's rules, as one version of the tool's configuration has it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Category {
    /// Its name.
    pub name: String,
    /// The version.
    pub version: String,
}

impl Profile {
    /// Every profile, sorted by tool.
    pub fn all() -> impl Iterator<Item = &'static Profile> {
        built_in().iter().flat_map(|table| &table.profiles)
    }
}

/// A rule of another tool, as that tool lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerRule {
    /// Its name.
    pub id: String,
    /// Version of the tool's configuration → the categories by which users choose it.
    pub categories: OrderedMap<String, Vec<String>>,
    /// Whether it does nothing any more.
    pub deprecated: bool,
    /// What the tool takes instead.
    pub replaced_by: Vec<String>,
}

/// Changes and the ids under which the tool reports them.
#[derive(Debug, Clone)]
struct Entry {
    /// Which changes; `None` for all.
    when: Option<When>,
    /// Whom the tool speaks of; `None` for both directions.
    direction: Option<Direction>,
    /// Ids; facts in braces are filled in, and may be several ids with spaces in between. A fact that a change does not
    /// state is no id.
    ids: Vec<String>,
}

/// One id under which a tool reports a change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PeerId {
    /// The tool.
    pub tool: String,
    /// Its name for the change.
    pub id: String,
    /// Whom it speaks of; `None` for both directions.
    pub direction: Option<Direction>,
    /// Whether the tool records the change under that name; otherwise it gives up there, and the name is what it ends with.
    pub is_recorded: bool,
}

/// What the other tools say, sorted by tool; read on first use.
pub(super) fn built_in() -> &'static [PeerTable] {
    static TABLES: OnceLock<Vec<PeerTable>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut tables: Vec<PeerTable> = PEERS.iter().map(PeerTable::of_digest).collect();
        tables.sort_in_order_by(|one, other| one.tool.cmp(&other.tool));
        tables
    })
}

impl PeerTable {
    /// Every table that is compiled in, sorted by tool.
    pub fn built_in() -> &'static [PeerTable] {
        built_in()
    }

    /// Reads `rules/<format>/peers/<tool>.yaml`.
    ///
    /// # Errors
    /// What is wrong with its form.
    pub fn parse(file: RuleText<'_>) -> Result<PeerTable, RuleError> {
        let raw: RawTable = from_yaml(file)?;
        raw.into_table(file.file).map_err(|wrong| wrong.into_error(file))
    }

    fn of_digest(digest: &'static PeerDigest) -> PeerTable {
        const READ: &str = "a test reads every built-in table";
        let raw: RawTable = serde_json::from_str(digest.table).expect(READ);
        let rules = || rules(serde_json::from_str(digest.rules).expect(READ));
        PeerTable { rules: LazyLock::new(Box::new(rules)), ..raw.into_table(digest.file).expect(READ) }
    }

    /// The tool's own rules, sorted by id, where it lets users choose among them.
    pub fn rules(&self) -> &[PeerRule] {
        &self.rules
    }

    /// Whether the tool reports anything under an id, however its letters are written.
    pub fn knows(&self, id: &str) -> bool {
        self.known().any(|known| known.eq_ignore_ascii_case(id))
    }

    /// All ids under which the tool reports anything.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        let of_entries = self.entries.iter().flat_map(|entry| &entry.ids);
        of_entries.chain(self.rules().iter().map(|rule| &rule.id)).map(String::as_str)
    }

    /// The ids under which the tool reports a change.
    pub(super) fn ids<'t>(&'t self, change: &'t Change) -> impl Iterator<Item = PeerId> + 't {
        let matching = |entry: &&Entry| entry.when.as_ref().is_none_or(|when| when.matches(change));
        self.entries.iter().filter(matching).flat_map(move |entry| {
            let of = |id: String| {
                let is_recorded = !self.given_up.contains(&id);
                PeerId { tool: self.tool.clone(), id, direction: entry.direction, is_recorded }
            };
            entry.ids.iter().flat_map(|id| spelled(id, change)).map(of).collect::<Vec<_>>()
        })
    }
}

fn spelled(id: &str, change: &Change) -> Vec<String> {
    let filled = fill(id, change);
    if !filled.missing.is_empty() {
        return Vec::new();
    }
    filled.text.split_whitespace().map(str::to_owned).collect()
}

fn rules(raw: OrderedMap<String, RawRule>) -> Vec<PeerRule> {
    let rule = |(id, raw): (String, RawRule)| PeerRule {
        id,
        categories: raw.categories,
        deprecated: raw.deprecated,
        replaced_by: raw.replaced_by,
    };
    raw.into_iter().map(rule).collect()
}

impl RawTable {
    fn into_table(self, file: &str) -> Result<PeerTable, Wrong> {
        let format = file.split('/').nth(1).unwrap_or_default().to_owned();
        let mut entries = Vec::new();
        for entry in self.entries {
            let when = entry.when.map(RawWhen::into_when).transpose()?;
            entries.push(Entry { when, direction: entry.direction, ids: entry.ids });
        }
        let profile = |raw: RawProfile| Profile {
            name: raw.name,
            tool: self.tool.clone(),
            format: format.clone(),
            category: raw.category,
        };
        let profiles = self.profiles.into_iter().map(profile).collect();
        let rules: LazyRules = LazyLock::new(Box::new(|| rules(self.rules)));
        Ok(PeerTable { tool: self.tool, format, means: self.means, profiles, rules, entries, given_up: self.given_up })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTable {
    tool: String,
    means: String,
    profiles: Vec<RawProfile>,
    entries: Vec<RawEntry>,
    #[serde(default, rename = "given-up")]
    given_up: Vec<String>,
    #[serde(default)]
    rules: OrderedMap<String, RawRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProfile {
    name: String,
    category: Option<Category>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    #[serde(rename = "in")]
    categories: OrderedMap<String, Vec<String>>,
    #[serde(default)]
    deprecated: bool,
    #[serde(default, rename = "replaced-by")]
    replaced_by: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEntry {
    when: Option<RawWhen>,
    direction: Option<Direction>,
    ids: Vec<String>,
}
