//! What reads and what proves: the one place that knows which library does.
//!
//! Both work on documents of [`super::emit`]: 2020-12, complete in themselves. Formats stand in them only where they are
//! asserted. The prover is asked for proofs only: whatever it is not sure of, refuses or cannot compute is no answer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use jsonschema::canonical::{CanonicalSchema, Containment, Satisfiability, options};
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

/// Steps that a pattern may take on one text before it counts as not matching to be told.
const BACKTRACK_LIMIT: usize = 20_000;

/// Larger documents are not given to the prover as a whole: its forms multiply.
const PROVER_LIMIT: usize = 400_000;

/// Whether a schema of a document names a format.
fn has_formats(document: &Value) -> bool {
    match document {
        Value::Array(list) => list.iter().any(has_formats),
        Value::Object(map) => map.iter().any(|(key, value)| key == "format" && value.is_string() || has_formats(value)),
        _ => false,
    }
}

/// What decides about data.
pub(super) struct Reader(Validator);

impl Reader {
    /// The reader of a document; `None` where it cannot be built, as with a pattern that no engine knows.
    pub(super) fn new(document: &Value) -> Option<Reader> {
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT);
        let asserts = has_formats(document);
        let options = jsonschema::options().should_validate_formats(asserts).with_pattern_options(patterns).offline();
        let built = catch_unwind(AssertUnwindSafe(|| options.build(document)));
        built.ok()?.ok().map(Reader)
    }

    /// The reader of texts in which a pattern is found.
    pub(super) fn of_pattern(pattern: &str) -> Option<Reader> {
        Reader::new(&serde_json::json!({ "pattern": pattern }))
    }

    /// Whether data are valid.
    pub(super) fn takes(&self, data: &Value) -> bool {
        catch_unwind(AssertUnwindSafe(|| self.0.is_valid(data))).unwrap_or(false)
    }

    /// Why data are not valid, in one sentence; where a limit was met and not the schema, nothing.
    pub(super) fn refuses(&self, data: &Value) -> Option<String> {
        let errors = catch_unwind(AssertUnwindSafe(|| {
            let is_limit = |error: &jsonschema::ValidationError<'_>| {
                matches!(error.kind(), jsonschema::error::ValidationErrorKind::BacktrackLimitExceeded { .. })
            };
            let mut told = Vec::new();
            for error in self.0.iter_errors(data).take(8) {
                if is_limit(&error) {
                    return None;
                }
                let place = error.instance_path().to_string();
                told.push(if place.is_empty() { error.to_string() } else { format!("{place}: {error}") });
            }
            told.into_iter().next()
        }));
        errors.ok()?
    }
}

/// A document as the prover has it.
pub(super) struct Form(CanonicalSchema);

impl Form {
    pub(super) fn new(document: &Value) -> Option<Form> {
        if document.to_string().len() > PROVER_LIMIT {
            return None;
        }
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT);
        let asserts = has_formats(document);
        let options = options().should_validate_formats(asserts).with_pattern_options(patterns).offline();
        catch_unwind(AssertUnwindSafe(|| options.canonicalize(document))).ok()?.ok().map(Form)
    }

    /// Whether it is proven that all data of another document are valid.
    pub(super) fn covers(&self, writer: &Form) -> bool {
        let answer = catch_unwind(AssertUnwindSafe(|| self.0.covers(&writer.0)));
        matches!(answer, Ok(Ok(Containment::Yes)))
    }

    /// The data of this document that another one refuses, as a document; `None` where that cannot be said.
    pub(super) fn without(&self, reader: &Form) -> Option<Value> {
        let difference = catch_unwind(AssertUnwindSafe(|| {
            let difference = self.0.subtract(&reader.0).ok()?;
            (difference.satisfiability() != Satisfiability::No).then(|| difference.to_json_schema())
        }));
        difference.ok()?
    }
}
