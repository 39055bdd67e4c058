//! Schema pairs that show what a rule is about. Only pages and tests look at them, so those of the built-in rules stay
//! in their digest until somebody does.

use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::ordered::OrderedMap;

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
    /// Options of the command line without which the rule has nothing to say, such as `--assert-formats`.
    pub options: Vec<String>,
    /// The files of the old side: path → text.
    pub old: OrderedMap<String, String>,
    /// The files of the new side: path → text.
    pub new: OrderedMap<String, String>,
}

/// The examples of a rule, read when they are first looked at.
#[derive(Clone, Default)]
pub struct Examples {
    /// The format and the examples as JSON, until they are read.
    digest: Option<(String, &'static str)>,
    read: OnceLock<Vec<Example>>,
}

impl Examples {
    /// Those of a built-in rule.
    pub(super) fn of_digest(format: &str, json: &'static str) -> Examples {
        Examples { digest: Some((format.to_owned(), json)), read: OnceLock::new() }
    }

    /// Those of a rule file that was read as a whole.
    pub(super) fn of_file(format: &str, raw: Vec<RawExample>) -> Examples {
        let file = file_name(format);
        let examples: Vec<Example> = raw.into_iter().map(|example| example.into_example(&file)).collect();
        Examples { digest: None, read: OnceLock::from(examples) }
    }
}

impl Deref for Examples {
    type Target = [Example];

    fn deref(&self) -> &[Example] {
        self.read.get_or_init(|| {
            let Some((format, json)) = &self.digest else { return Vec::new() };
            let raw: Vec<RawExample> = serde_json::from_str(json).expect("a test reads every built-in example");
            let file = file_name(format);
            raw.into_iter().map(|example| example.into_example(&file)).collect()
        })
    }
}

impl fmt::Debug for Examples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// What the one file of an example is called where it is not named after the format.
const FILE_NAMES: &[(&str, &str)] = &[
    ("avro", "example.avsc"),
    ("flatbuffers", "example.fbs"),
    ("json-schema", "example.schema.json"),
    ("policy", "wireproof.yaml"),
    ("protobuf", "example.proto"),
];

/// What the one file of an example is called, if the example does not say.
fn file_name(format: &str) -> String {
    let named = FILE_NAMES.iter().find(|(name, _)| *name == format);
    named.map_or_else(|| format!("example.{format}"), |(_, file)| (*file).to_owned())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawExample {
    note: Option<String>,
    old: RawFiles,
    new: RawFiles,
    fires: Option<bool>,
    count: Option<usize>,
    #[serde(default)]
    roots: Vec<String>,
    #[serde(default)]
    options: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text here, or file names with a text each")]
enum RawFiles {
    One(String),
    Several(OrderedMap<String, String>),
}

impl RawExample {
    fn into_example(self, file: &str) -> Example {
        let fires = self.fires.unwrap_or(true);
        Example {
            note: self.note,
            fires,
            count: self.count.unwrap_or(usize::from(fires)),
            roots: self.roots,
            options: self.options,
            old: self.old.into_files(file),
            new: self.new.into_files(file),
        }
    }
}

impl RawFiles {
    fn into_files(self, file: &str) -> OrderedMap<String, String> {
        match self {
            RawFiles::One(text) => OrderedMap::from([(file.to_owned(), text)]),
            RawFiles::Several(files) => files,
        }
    }
}
