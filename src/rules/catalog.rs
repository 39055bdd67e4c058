//! Every built-in rule and every table of another tool, as the build script (`build.rs`) digests them from `rules/`.

/// A rule file.
#[derive(Debug)]
pub(super) struct RuleDigest {
    /// Its path in the repository.
    pub file: &'static str,
    /// The rule's id.
    pub id: &'static str,
    /// Its family.
    pub family: &'static str,
    /// The kinds of change that it judges.
    pub kinds: &'static [&'static str],
    /// The rule without its examples, as JSON.
    pub rule: &'static str,
    /// Its examples, as JSON.
    pub examples: &'static str,
}

/// A file of what another tool says.
pub(super) struct PeerDigest {
    /// Its path in the repository.
    pub file: &'static str,
    /// The table without the tool's rules, as JSON.
    pub table: &'static str,
    /// The tool's rules, as JSON.
    pub rules: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/rules.rs"));
