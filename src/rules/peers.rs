//! What other tools call a change: predicates over facts, apart from our own rules. Several may match one change.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::load::{RawWhen, from_yaml};
use super::{RuleError, RuleText, When, fill};
use crate::change::Change;
use crate::evidence::Direction;

/// What one tool reports of the changes of one format.
#[derive(Debug, Clone)]
pub struct PeerTable {
    /// The tool.
    pub tool: String,
    /// The format its file lies under.
    pub format: String,
    /// The tool's own rules, where it lets users choose among them.
    pub rules: Vec<PeerRule>,
    entries: Vec<Entry>,
}

/// A rule of another tool, as that tool lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerRule {
    /// Its name.
    pub id: String,
    /// Version of the tool's configuration → the categories by which users choose it.
    pub categories: BTreeMap<String, Vec<String>>,
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
}

impl PeerTable {
    /// Reads `rules/<format>/peers/<tool>.yaml`.
    ///
    /// # Errors
    /// What is wrong with its form.
    pub(super) fn parse(file: RuleText<'_>) -> Result<PeerTable, RuleError> {
        let raw: RawTable = from_yaml(file)?;
        let complain = |message: String| RuleError { file: file.file.to_owned(), place: None, message };
        let format = file.file.split('/').nth(1).unwrap_or_default().to_owned();
        let mut entries = Vec::new();
        for entry in raw.entries {
            let when = entry.when.map(RawWhen::into_when).transpose().map_err(complain)?;
            entries.push(Entry { when, direction: entry.direction, ids: entry.ids });
        }
        let rule = |(id, raw): (String, RawRule)| PeerRule {
            id,
            categories: raw.categories,
            deprecated: raw.deprecated,
            replaced_by: raw.replaced_by,
        };
        let rules = raw.rules.into_iter().map(rule).collect();
        Ok(PeerTable { tool: raw.tool, format, rules, entries })
    }

    /// The ids under which the tool reports a change.
    pub(super) fn ids<'t>(&'t self, change: &'t Change) -> impl Iterator<Item = PeerId> + 't {
        let matching = |entry: &&Entry| entry.when.as_ref().is_none_or(|when| when.matches(change));
        self.entries.iter().filter(matching).flat_map(move |entry| {
            let of = |id: String| PeerId { tool: self.tool.clone(), id, direction: entry.direction };
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTable {
    tool: String,
    entries: Vec<RawEntry>,
    #[serde(default)]
    rules: BTreeMap<String, RawRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    #[serde(rename = "in")]
    categories: BTreeMap<String, Vec<String>>,
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
