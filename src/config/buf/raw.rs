//! The form of `buf.yaml`, all versions in one. Which key belongs to which version is decided in the module above.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_saphyr::Spanned;

use crate::ordered::OrderedMap;

/// A whole `buf.yaml`. Sections that have nothing to do with breaking changes are not looked into.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBuf {
    pub version: Option<Spanned<String>>,
    pub name: Option<String>,
    #[serde(rename = "deps")]
    _deps: Option<IgnoredAny>,
    pub modules: Option<Spanned<Option<Vec<RawModule>>>>,
    pub build: Option<Spanned<Option<RawBuild>>>,
    #[serde(rename = "lint")]
    _lint: Option<IgnoredAny>,
    pub breaking: Option<Spanned<Option<RawBreaking>>>,
    pub plugins: Option<Spanned<IgnoredAny>>,
    pub policies: Option<Spanned<IgnoredAny>>,
}

/// A module of version 2.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawModule {
    pub path: Option<Spanned<String>>,
    pub name: Option<String>,
    #[serde(rename = "includes")]
    _includes: Option<IgnoredAny>,
    #[serde(rename = "excludes")]
    _excludes: Option<IgnoredAny>,
    #[serde(rename = "lint")]
    _lint: Option<IgnoredAny>,
    pub breaking: Option<Spanned<Option<RawBreaking>>>,
}

/// What belongs to a module of version 1.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBuild {
    pub roots: Option<Spanned<Option<Vec<String>>>>,
    #[serde(rename = "excludes")]
    _excludes: Option<IgnoredAny>,
}

/// Which rules count, and where not.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBreaking {
    #[serde(rename = "use")]
    pub uses: Option<Vec<Spanned<String>>>,
    pub except: Option<Vec<Spanned<String>>>,
    pub ignore: Option<Vec<Spanned<String>>>,
    pub ignore_only: Option<OrderedMap<String, Option<Vec<Spanned<String>>>>>,
    pub ignore_unstable_packages: Option<bool>,
    pub disable_builtin: Option<Spanned<bool>>,
}

impl RawBreaking {
    /// Whether it says nothing; then a module takes over what stands at the top.
    pub(super) fn says_nothing(&self) -> bool {
        let empty = |words: &Option<Vec<Spanned<String>>>| words.as_ref().is_none_or(Vec::is_empty);
        empty(&self.uses)
            && empty(&self.except)
            && empty(&self.ignore)
            && self.ignore_only.as_ref().is_none_or(OrderedMap::is_empty)
            && !self.ignore_unstable_packages.unwrap_or_default()
            && !self.disable_builtin.as_ref().is_some_and(|disabled| disabled.value)
    }
}
