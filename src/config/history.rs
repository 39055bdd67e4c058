//! Which versions before the base count: what `history:` and `--history` say.

use std::num::NonZeroU32;

use globset::{Glob, GlobBuilder};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Unexpected, Visitor};

/// So many versions before the base are looked at where nobody says otherwise.
pub const USUAL_DEPTH: NonZeroU32 = NonZeroU32::new(100).expect("it is not zero");

/// Which versions before the base count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// Where they are found.
    pub of: Versions,
    /// How many at most, the newest first.
    pub depth: NonZeroU32,
}

/// Where versions are found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Versions {
    /// The commits on the first-parent line of the base that changed a schema.
    FirstParent,
    /// The tags that match, in the natural order of their names.
    Tags(Glob),
    /// The folders or files that match, in the natural order of their names; the last is under review.
    Dir(Glob),
}

impl Default for History {
    fn default() -> Self {
        History { of: Versions::FirstParent, depth: USUAL_DEPTH }
    }
}

impl History {
    /// What an option says: `first-parent`, `tags:v*` or `dir:schemas/v*`.
    ///
    /// # Errors
    /// When it is none of these, or its glob is none.
    pub fn parse(text: &str) -> Result<History, String> {
        let of = match text.split_once(':') {
            None if text == "first-parent" => Versions::FirstParent,
            Some(("tags", pattern)) => Versions::Tags(glob(pattern)?),
            Some(("dir", pattern)) => Versions::Dir(glob(pattern)?),
            Some(_) | None => {
                return Err(format!(
                    "`{text}` names no versions: there are `first-parent`, `tags:GLOB` and `dir:GLOB`"
                ));
            }
        };
        Ok(History { of, ..History::default() })
    }

    /// As `--history` takes it.
    pub fn spelled(&self) -> String {
        match &self.of {
            Versions::FirstParent => "first-parent".to_owned(),
            Versions::Tags(glob) => format!("tags:{}", glob.glob()),
            Versions::Dir(glob) => format!("dir:{}", glob.glob()),
        }
    }
}

fn glob(pattern: &str) -> Result<Glob, String> {
    let plain = pattern.trim_start_matches("./").trim_end_matches('/');
    if plain.is_empty() {
        return Err("a glob is missing, such as `v*`".to_owned());
    }
    let built = GlobBuilder::new(plain).literal_separator(true).build();
    built.map_err(|error| format!("`{plain}` is not a glob: {}", error.kind()))
}

/// `history:` as it is written.
#[derive(Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(untagged))]
pub(super) enum RawHistory {
    /// `first-parent`, `tags:GLOB` or `dir:GLOB`.
    Word(String),
    /// The same as keys.
    Keys(RawKeys),
}

/// At most one of `tags` and `dir`; without them the first-parent line of the base.
#[derive(Debug, Default, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct RawKeys {
    /// A glob on the names of tags.
    pub tags: Option<String>,
    /// A glob on folders or files.
    pub dir: Option<String>,
    /// How many versions at most, the newest first. Default: 100.
    #[cfg_attr(test, schemars(with = "Option<NonZeroU32>", range(min = 1)))]
    pub depth: Option<Depth>,
}

// Not `untagged`: what is wrong inside of the keys has its own place.
impl<'de> Deserialize<'de> for RawHistory {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordOrKeys;
        impl<'de> Visitor<'de> for WordOrKeys {
            type Value = RawHistory;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("`first-parent`, `tags:GLOB` or `dir:GLOB`, or the keys `tags`, `dir` and `depth`")
            }
            fn visit_str<E>(self, text: &str) -> Result<RawHistory, E> {
                Ok(RawHistory::Word(text.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawHistory, A::Error> {
                RawKeys::deserialize(MapAccessDeserializer::new(map)).map(RawHistory::Keys)
            }
        }
        deserializer.deserialize_any(WordOrKeys)
    }
}

/// A number from 1 on.
#[derive(Debug)]
pub(super) struct Depth(NonZeroU32);

impl<'de> Deserialize<'de> for Depth {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Depth;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number from 1 on")
            }
            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Depth, E> {
                let depth = u32::try_from(number).ok().and_then(NonZeroU32::new);
                depth.map(Depth).ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
            }
            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Depth, E> {
                let depth = u32::try_from(number).ok().and_then(NonZeroU32::new);
                depth.map(Depth).ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
            }
        }
        deserializer.deserialize_any(Number)
    }
}

impl RawHistory {
    /// What it means.
    pub(super) fn understood(self) -> Result<History, String> {
        let keys = match self {
            RawHistory::Word(word) => return History::parse(&word),
            RawHistory::Keys(keys) => keys,
        };
        let of = match (keys.tags, keys.dir) {
            (None, None) => Versions::FirstParent,
            (Some(pattern), None) => Versions::Tags(glob(&pattern)?),
            (None, Some(pattern)) => Versions::Dir(glob(&pattern)?),
            (Some(_), Some(_)) => return Err("versions are tags or folders, and not both".to_owned()),
        };
        Ok(History { of, depth: keys.depth.map_or(USUAL_DEPTH, |depth| depth.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_names_versions_or_is_refused() {
        for text in ["first-parent", "tags:v*", "dir:schemas/v*"] {
            assert_eq!(History::parse(text).map(|history| history.spelled()).as_deref(), Ok(text));
        }
        for (text, said) in [("tags", "names no versions"), ("tags:", "a glob is missing"), ("dir:[", "not a glob")] {
            let refused = History::parse(text).expect_err("it is refused");
            assert!(refused.contains(said), "{text}: {refused}");
        }
    }
}
