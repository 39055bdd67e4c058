//! Which versions before the base count: what `history:` and `--history` say.

use std::num::NonZeroU32;

use globset::{Glob, GlobBuilder};
use serde::Deserialize;

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
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "expected `first-parent`, `tags:GLOB` or `dir:GLOB` here, or the keys `tags`, `dir` and `depth`, a number from 1 on"
)]
pub(super) enum RawHistory {
    /// `first-parent`, `tags:GLOB` or `dir:GLOB`.
    Word(String),
    /// The same as keys.
    Keys(RawKeys),
}

/// At most one of `tags` and `dir`; without them the first-parent line of the base.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct RawKeys {
    /// A glob on the names of tags.
    pub tags: Option<String>,
    /// A glob on folders or files.
    pub dir: Option<String>,
    /// How many versions at most, the newest first. Default: 100.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub depth: Option<NonZeroU32>,
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
        Ok(History { of, depth: keys.depth.unwrap_or(USUAL_DEPTH) })
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
