//! The types of differences that the registry does not take for compatible.

/// Which differences are compatible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats::json_schema) enum Terms {
    /// `STRICT`, the policy that subjects have unless somebody says otherwise.
    Strict,
    /// `LENIENT`.
    Lenient,
}

/// Compatible under the lenient policy alone.
const LENIENT: [&str; 9] = [
    "ADDITIONAL_PROPERTIES_NARROWED",
    "ADDITIONAL_PROPERTIES_REMOVED",
    "OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL",
    "PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL",
    "PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL",
    "PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL",
    "REQUIRED_PROPERTY_WITH_DEFAULT_ADDED_TO_OPEN_CONTENT_MODEL",
    "UNEVALUATED_PROPERTIES_NARROWED",
    "UNEVALUATED_PROPERTIES_REMOVED",
];

/// What the checker ends with where it ends without an answer; the registry answers with an error of its own.
pub(super) const NULL: &str = "NullPointerException";
/// The same for schemas so deep that its stack does not suffice.
pub(super) const STACK: &str = "StackOverflowError";
/// The same for more branches than can be compared before the request times out.
pub(super) const TIME: &str = "TimeoutException";

impl Terms {
    /// Whether a type of difference is compatible; those that always are have no name here.
    pub(super) fn allow(self, kind: &str) -> bool {
        self == Terms::Lenient && LENIENT.contains(&kind)
    }
}
