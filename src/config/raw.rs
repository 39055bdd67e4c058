//! The form of the configuration file, and its JSON Schema. What values mean is decided in the module above.

use serde::{Deserialize, Deserializer};

use super::history::RawHistory;
use crate::ordered::OrderedMap;

/// The configuration file of wireproof.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[cfg_attr(test, schemars(title = "wireproof configuration"))]
pub(super) struct RawConfig {
    /// Which directions must hold: `none`, `backward` (new readers can read old data), `forward` (old readers can read
    /// new data) or `full` (both); with `-transitive` behind it, with every earlier version. Default: `full`, and for Avro
    /// and JSON Schema `backward`.
    #[cfg_attr(test, schemars(extend("enum" = [
        "none", "backward", "forward", "full", "backward-transitive", "forward-transitive", "full-transitive"
    ])))]
    pub mode: Option<String>,
    /// Which surfaces count; findings that only concern others are notes. Default: `[wire]`.
    #[cfg_attr(test, schemars(with = "Option<tests::SurfaceList>"))]
    pub surfaces: Option<Words>,
    /// From which outcome on a finding breaks. Default: `lossy`.
    #[cfg_attr(test, schemars(extend("enum" = ["defaulted", "unrecognized", "lossy", "fails", "wrong"])))]
    pub fail_on: Option<String>,
    /// Globs on paths; only files that match are judged.
    #[cfg_attr(test, schemars(with = "Option<tests::TextList>"))]
    pub include: Option<Words>,
    /// Globs on paths; files that match are not judged, and still supply types to others.
    #[cfg_attr(test, schemars(with = "Option<tests::TextList>"))]
    pub exclude: Option<Words>,
    /// Folders with terms of their own.
    pub roots: Option<OrderedMap<String, RawRoot>>,
    /// Rule id or family → `error`, `warning`, `note` or `off`.
    #[cfg_attr(test, schemars(with = "Option<OrderedMap<String, tests::Level>>"))]
    pub rules: Option<OrderedMap<String, String>>,
    /// Folder of your own rule files.
    pub rules_dir: Option<String>,
    /// Globs on package names whose findings are notes, such as `*.v1alpha*`.
    #[cfg_attr(test, schemars(with = "Option<tests::TextList>"))]
    pub unstable: Option<Words>,
    /// File of the waivers, relative to this one. Default: `.wireproof-waivers.yaml`.
    pub waivers: Option<String>,
    /// Whether a comment `wireproof:allow RULE reason` at an element in a schema is a waiver. Default: `true`.
    pub inline_waivers: Option<bool>,
    /// Whose configuration judges a change: `both` (that of the base and that of the change, and the stricter counts; the
    /// default) or `head` (that of the change alone). Counts in the base.
    #[cfg_attr(test, schemars(extend("enum" = ["both", "head"])))]
    pub configuration: Option<String>,
    /// The branch that changes are merged into, where that is not the default branch: `check` and the commit hook compare
    /// with the merge base with it. Counts once the default branch has it.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub base: Option<String>,
    /// Which versions before the base count: `first-parent` (the commits that changed a schema; the default of transitive
    /// modes), `tags:GLOB` or `dir:GLOB`; or keys.
    pub history: Option<RawHistory>,
    /// JSON Schema: whether writers write only the members that their schema names (`declared`, the default) or everything
    /// that is valid (`any`).
    #[cfg_attr(test, schemars(extend("enum" = ["declared", "any"])))]
    pub writers: Option<String>,
    /// JSON Schema: whether readers reject what does not have the `format` that the schema names. Default: `false`.
    pub assert_formats: Option<bool>,
    /// JSON Schema: in which encodings instances travel; what their data models cannot hold, or hold otherwise, is told.
    #[cfg_attr(test, schemars(with = "Option<tests::EncodingList>"))]
    pub encodings: Option<Words>,
}

/// A folder with terms of its own.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct RawRoot {
    /// Which directions must hold here.
    #[cfg_attr(test, schemars(extend("enum" = [
        "none", "backward", "forward", "full", "backward-transitive", "forward-transitive", "full-transitive"
    ])))]
    pub mode: Option<String>,
    /// Which surfaces count here.
    #[cfg_attr(test, schemars(with = "Option<tests::SurfaceList>"))]
    pub surfaces: Option<Words>,
    /// Where imports start.
    #[cfg_attr(test, schemars(with = "Option<tests::TextList>"))]
    pub import_paths: Option<Words>,
    /// Types or services; only what they reach is judged here.
    #[cfg_attr(test, schemars(with = "Option<tests::TextList>"))]
    pub reachable_from: Option<Words>,
    /// What writers of the JSON Schemas here write.
    #[cfg_attr(test, schemars(extend("enum" = ["declared", "any"])))]
    pub writers: Option<String>,
    /// Whether readers of the JSON Schemas here assert formats.
    pub assert_formats: Option<bool>,
    /// In which encodings instances of the JSON Schemas here travel.
    #[cfg_attr(test, schemars(with = "Option<tests::EncodingList>"))]
    pub encodings: Option<Words>,
}

/// One text or a list of texts.
#[derive(Debug, Default)]
pub(super) struct Words(pub Vec<String>);

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Words;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a text or a list of texts")
            }
            fn visit_str<E>(self, text: &str) -> Result<Words, E> {
                Ok(Words(vec![text.to_owned()]))
            }
            // What YAML takes for a number or a truth value was meant as a word.
            fn visit_i64<E>(self, number: i64) -> Result<Words, E> {
                Ok(Words(vec![number.to_string()]))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Words, E> {
                Ok(Words(vec![number.to_string()]))
            }
            fn visit_f64<E>(self, number: f64) -> Result<Words, E> {
                Ok(Words(vec![number.to_string()]))
            }
            fn visit_bool<E>(self, truth: bool) -> Result<Words, E> {
                Ok(Words(vec![truth.to_string()]))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Words, A::Error> {
                let mut words = Vec::new();
                while let Some(word) = list.next_element()? {
                    words.push(word);
                }
                Ok(Words(words))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// The JSON Schema of the configuration file, as text: held against the types above by the tests, and written by them.
pub fn schema() -> &'static str {
    include_str!("config.schema.json")
}

/// Types as the JSON Schema shows them, which lists what may be written in each way.
#[cfg(test)]
mod tests {
    use schemars::{JsonSchema, schema_for};

    use super::RawConfig;
    use crate::formats::table_tests::assert_schema;

    #[test]
    fn the_schema_of_the_configuration_is_that_of_its_types() {
        assert_schema("config/config.schema.json", &schema_for!(RawConfig));
    }

    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its JSON Schema is used")]
    pub(super) enum TextList {
        One(String),
        Several(Vec<String>),
    }

    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its JSON Schema is used")]
    pub(super) enum SurfaceList {
        One(SurfaceName),
        Several(Vec<SurfaceName>),
    }

    #[derive(JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    #[expect(dead_code, reason = "only its JSON Schema is used")]
    pub(super) enum SurfaceName {
        Wire,
        Json,
        Source,
    }

    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its JSON Schema is used")]
    pub(super) enum EncodingList {
        One(EncodingName),
        Several(Vec<EncodingName>),
    }

    #[derive(JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[expect(dead_code, reason = "only its JSON Schema is used")]
    pub(super) enum EncodingName {
        Json,
        MessagePack,
        Cbor,
        Bson,
    }

    #[derive(JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    #[expect(dead_code, reason = "only its JSON Schema is used")]
    pub(super) enum Level {
        Error,
        Warning,
        Note,
        Off,
    }
}
