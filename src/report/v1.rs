//! The wire form `wireproof.report/v1`: the report as JSON, and reading it back.
//!
//! Fields may be added here, never changed or removed. Words of vocabularies are strings; one that this version does not
//! know is read as what it is ([`Open`]), while the JSON Schema lists those that this version writes. Records in which the
//! model of the program does not differ from this form are declared here only.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ordered::OrderedMap;
use crate::vocabulary::{
    Class, Direction, Mode, Open, Outcome, ProblemSeverity, ProblemSide, Severity, Status, StepKind, Surface,
    UpgradeOrder, Verdict, Vocabulary,
};

/// The name of this form.
pub const SCHEMA: &str = "wireproof.report/v1";

/// Everything a run found out.
// What is written makes its findings one by one, since there may be very many.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report<F = Vec<Finding>> {
    /// Always `wireproof.report/v1`.
    pub schema: String,
    /// Which program wrote it.
    pub tool: Tool,
    /// The answer.
    pub verdict: Open<Verdict>,
    /// The mode in force.
    pub mode: Open<Mode>,
    /// Formats with a mode of their own, where it is another one: format → mode.
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub modes_by_format: OrderedMap<String, Open<Mode>>,
    /// The surfaces in force.
    pub surfaces: Vec<Open<Surface>>,
    /// The peer whose verdict was asked for, if any.
    pub profile: Option<String>,
    /// Parts that were judged by the configuration another tool has in the repository, and not by the mode.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged_by: Vec<JudgedBy>,
    /// The configuration that counts, where it was found in a folder below the top of the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configured_by: Option<String>,
    /// The outcome from which on a finding breaks (`--fail-on`).
    pub fail_on: Open<Outcome>,
    /// Arguments beside sources, mode, surfaces and threshold, which it takes to reproduce the report: `--root shop.v1.Order`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// The command that gives the report again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Again>,
    /// The old side.
    pub old: SourceInfo,
    /// The new side.
    pub new: SourceInfo,
    /// The strictest mode under which the change would pass.
    pub strictest_mode: Open<Mode>,
    /// Verdict under each mode, from the loosest to the strictest: mode → whether it passes. The transitive modes are
    /// there where one is in force or several old versions were compared.
    pub modes: Vec<ModeVerdict>,
    /// The old versions, oldest first, where a transitive mode is in force or there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<Version>,
    /// In which order to upgrade.
    pub upgrade_order: Open<UpgradeOrder>,
    /// What was found, sorted by file, position and rule.
    pub findings: F,
    /// What is wrong with the inputs.
    pub problems: Vec<Problem>,
    /// What the verdict does not cover.
    pub not_checked: Vec<NotChecked>,
    /// How much was proven by writing and reading.
    pub round_trips: RoundTrips,
    /// Counts.
    pub stats: Stats,
    /// What changed in the text of the schemas that findings speak of, shortened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diffs: Vec<FileDiff>,
    /// Which part of a larger check this is, with `--shard`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The way to what is wanted without a break, where readers feel one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Way>,
}

/// A part of the repository that is judged as another tool's own configuration says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JudgedBy {
    /// As whom, and by which rules: `buf/FILE`.
    pub profile: String,
    /// The format it concerns.
    pub format: String,
    /// The folder; empty for everything.
    pub folder: String,
    /// Where it is configured: `buf.yaml:3`.
    pub source: String,
}

/// The program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tool {
    /// `wireproof`
    pub name: String,
    /// Its version.
    pub version: String,
}

/// One side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SourceInfo {
    /// What was read, in words: `git:3f2a91c (merge base of main)`, `working tree`.
    pub source: String,
}

/// Whether a mode passes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ModeVerdict {
    /// The mode.
    pub mode: Open<Mode>,
    /// Whether the change passes under it.
    pub passes: bool,
    /// The id of the first finding for which it does not pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<String>,
}

/// One of the old versions, and what readers experience with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Version {
    /// What was read, in words.
    pub name: String,
    /// Whether new readers can read its data.
    pub backward: Open<Verdict>,
    /// Whether its readers can read new data.
    pub forward: Open<Verdict>,
    /// The earlier version with the very same contents, with which it was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
}

/// What a finding means to one of the old versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FindingVersion {
    /// The name of the version, as in the list of the report.
    pub name: String,
    /// Whether the finding is there between that version and the new one.
    pub found: bool,
    /// Whether it breaks with that version under the policy in force.
    pub breaking: bool,
    /// Whether it keeps new readers from reading data of that version.
    pub backward: Open<Verdict>,
    /// Whether it keeps readers of that version from reading new data.
    pub forward: Open<Verdict>,
}

/// One judged change.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// Fingerprint: sixteen hexadecimal digits over what identifies the change, independent of lines, files and wording.
    pub id: String,
    /// The rule, `protobuf/field-reused`.
    pub rule: String,
    /// The rule's one-line title.
    pub title: String,
    /// What ties the same idea together across formats.
    pub family: String,
    /// `protobuf`
    pub format: String,
    /// How much it matters.
    pub severity: Open<Severity>,
    /// Whether the finding breaks under the policy in force.
    pub breaking: bool,
    /// The modes that do not pass for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub costs: Vec<Open<Mode>>,
    /// Where several old versions were compared: what it means to each, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<FindingVersion>,
    /// Full name of the element.
    pub path: String,
    /// What changed.
    pub message: String,
    /// Who breaks, and why.
    pub why: String,
    /// What to do.
    pub fix: String,
    /// What it is judged by.
    pub class: Open<Class>,
    /// surface → direction → outcome; all six cells.
    #[cfg_attr(test, schemars(schema_with = "tests::impact_schema"))]
    pub impact: OrderedMap<String, OrderedMap<String, Open<Outcome>>>,
    /// Where it stands on the old side.
    pub old: Option<Location>,
    /// Where it stands on the new side.
    pub new: Option<Location>,
    /// What peers call the same change: tool → ids.
    pub peers: OrderedMap<String, Vec<String>>,
    /// What peers say of it in their own words, where that is modelled: the ids that count under the profile in force,
    /// or all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub peer_reports: Vec<PeerReport>,
    /// What round trips showed.
    pub evidence: Vec<Evidence>,
    /// Text edits that mend what can be mended mechanically.
    pub suggestion: Option<Suggestion>,
    /// The waiver that covers the finding.
    pub waiver: Option<Waiver>,
}

/// What a peer says of a finding. Places are counted as that peer counts them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PeerReport {
    /// The peer.
    pub tool: String,
    /// Its id.
    pub id: String,
    /// The file of the new side that it points at; `null` where it names none.
    pub file: Option<String>,
    /// First line, from 1.
    pub line: u32,
    /// First column, from 1.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// One past the last column.
    pub end_column: u32,
    /// What it says.
    pub message: String,
    /// Whose reading of whose data it speaks of; left out where it knows no direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Open<Direction>>,
    /// The JSON pointer that it prints; left out where it prints none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
}

/// Who acknowledged a break, why, and until when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Waiver {
    /// Why the break is intended.
    pub reason: String,
    /// Who answers for it.
    pub owner: Option<String>,
    /// The last day on which it counts, `2026-12-31`; `null` for no end.
    pub until: Option<String>,
    /// The waiver file.
    pub file: String,
    /// The line of its entry, from 1.
    pub line: u32,
    /// Whether the entry is new in the very change that it covers.
    pub added_here: bool,
}

/// What changed in the text of one schema file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FileDiff {
    /// Path on the old side; `null` where the file is new.
    pub old: Option<String>,
    /// Path on the new side; `null` where the file was deleted.
    pub new: Option<String>,
    /// The changed lines with three lines around them.
    pub hunks: Vec<Hunk>,
    /// Whether lines were left out, because the file or all files together differ too much.
    pub truncated: bool,
}

/// Lines that changed together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Hunk {
    /// Number of the first line on the old side, from 1.
    pub old_line: u32,
    /// Number of the first line on the new side, from 1.
    pub new_line: u32,
    /// The lines, each with a space, `-` or `+` before it, without line ends.
    pub lines: Vec<String>,
}

/// What some bytes of a witness are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BytePart {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The field they belong to, by its path inside the message, `lines[0].count`; empty where they belong to none.
    pub field: String,
    /// What they are, in few words: `tag of field 2, varint`, `length 5`, `-1`.
    pub what: String,
}

/// Which part of a larger check a report is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Shard {
    /// Which one, from 1.
    pub number: u32,
    /// Of how many.
    pub of: u32,
    /// What was read and under which terms, as forty hexadecimal digits: parts that differ in it do not belong together.
    #[serde(default)]
    pub inputs: String,
    /// The directions in which readers break, whatever the mode: from those of all parts follows the upgrade order.
    #[serde(default)]
    pub broken: Vec<Open<Direction>>,
}

/// A place in a file. Lines and columns start at 1, columns count UTF-16 units, the end is exclusive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Location {
    /// Path inside the snapshot.
    pub file: String,
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// One past the last column.
    pub end_column: u32,
    /// The text of the lines from `line` to `end_line` (at most six), so that a saved report renders with its snippets.
    pub text: String,
}

/// One observation of a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Evidence {
    /// Who read: `spec` decides, other names illustrate.
    pub runtime: String,
    /// The encoding.
    pub surface: Open<Surface>,
    /// Who read whose data.
    pub direction: Open<Direction>,
    /// What the reader experienced.
    pub outcome: Open<Outcome>,
    /// What that says about the claim.
    pub status: Open<Status>,
    /// The type that was written.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Full name of the type that was written.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub writer: String,
    /// Full name of the type that was read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reader: String,
    /// Where the value was wrapped to be written: the wrapper in the language of the schemas; `TYPE` stands for `writer`
    /// where it was written and for `reader` where it was read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub wrapper: String,
    /// What was written.
    #[serde(serialize_with = "shared", deserialize_with = "to_share")]
    pub wrote: Arc<serde_json::Value>,
    /// The bytes: hexadecimal on the wire, the text itself in JSON. Empty when nothing could be observed.
    pub bytes: String,
    /// What was read.
    #[serde(serialize_with = "shared", deserialize_with = "to_share")]
    pub read: Arc<serde_json::Value>,
    /// The bytes as the writer meant them, in ascending order; empty where that is not told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written_parts: Vec<BytePart>,
    /// The bytes as the reader took them, as far as it got.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_parts: Vec<BytePart>,
    /// What the value costs in the encodings in which it travels, where these are named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub encoded: Vec<Encoded>,
}

/// Writes a value that others have as well.
fn shared<S: Serializer>(value: &serde_json::Value, serializer: S) -> Result<S::Ok, S::Error> {
    value.serialize(serializer)
}

/// Reads a value that others may have as well.
fn to_share<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Arc<serde_json::Value>, D::Error> {
    serde_json::Value::deserialize(deserializer).map(Arc::new)
}

/// A value in an encoding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Encoded {
    /// The encoding, as people call it.
    pub encoding: String,
    /// How many bytes it takes; `null` where it cannot be written.
    pub length: Option<u32>,
    /// The bytes in hexadecimal; empty where they are too many to show, or there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub bytes: String,
    /// Why it cannot be written.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub refused: String,
}

/// Text edits on the new side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Suggestion {
    /// Path inside the new snapshot.
    pub file: String,
    /// Edits in ascending order, in bytes.
    pub edits: Vec<Edit>,
    /// The lines the edits touch, so that a saved report renders as a patch; `null` when they are too far apart.
    #[serde(default)]
    pub context: Option<PatchContext>,
}

/// Whole lines of the file that a suggestion edits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PatchContext {
    /// Number of the first line, from 1.
    pub line: u32,
    /// Offset of the first byte in the file.
    pub start: u32,
    /// The lines: those with an edit and one before and after, with their line ends.
    pub text: String,
}

/// Replace bytes `start..end` by `insert`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Edit {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The new text.
    pub insert: String,
}

/// Something is wrong with an input.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Problem {
    /// How much it matters.
    pub severity: Open<ProblemSeverity>,
    /// On which side; `null` when it concerns none.
    pub side: Option<Open<ProblemSide>>,
    /// The file, `null` when it concerns none.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column, from 1, in UTF-16 units.
    pub column: Option<u32>,
    /// The line's text, for rendering.
    pub text: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// What the verdict does not cover.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NotChecked {
    /// The file.
    pub file: String,
    /// What.
    pub what: String,
    /// What would supply it.
    pub help: String,
}

/// The command that gives a report again, in the folder where it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Again {
    /// The pull request whose merge is fetched first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u64>,
    /// The arguments of the program.
    pub words: Vec<String>,
}

/// The way from the old version to the new one in steps that break nobody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Way {
    /// The command that shows it with its schemas, or says why there is none.
    pub command: Again,
    /// Whether steps were looked for: they are where that costs little.
    pub tried: bool,
    /// The steps, each of which was checked; none where none were found or looked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<WayStep>,
    /// In what the end differs from the new version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<String>,
}

/// A step of the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WayStep {
    /// What it is.
    pub kind: Open<StepKind>,
    /// What to do, as sentences.
    pub says: Vec<String>,
    /// Who deploys first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deploy: Option<String>,
    /// What to wait for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<String>,
}

/// How much was proven.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RoundTrips {
    /// Types written at least once.
    pub types: usize,
    /// Messages written by one side and read by the other.
    pub messages: usize,
    /// Messages whose outcome no finding accounts for.
    pub unexplained: usize,
}

/// Counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Stats {
    /// Schema files on the old side.
    pub files_old: usize,
    /// Schema files on the new side.
    pub files_new: usize,
    /// Files parsed; a file equal on both sides counts once.
    pub files_parsed: usize,
    /// Changes found.
    pub changes: usize,
    /// Schema files that the configuration leaves out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excluded: Option<Excluded>,
}

/// Schema files that the configuration leaves out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Excluded {
    /// How many; a file that is on both sides counts once.
    pub files: usize,
    /// Where that is said: file and line of `exclude`.
    pub by: String,
}

impl<T: Vocabulary> Serialize for Open<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de, T: Vocabulary> Deserialize<'de> for Open<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Open::of_name(&Cow::<str>::deserialize(deserializer)?))
    }
}

/// The JSON Schema of this form: held against the types above by the tests, and written by them.
pub(super) const FORM: &str = include_str!("v1.schema.json");

#[cfg(test)]
#[path = "v1_tests.rs"]
mod tests;
