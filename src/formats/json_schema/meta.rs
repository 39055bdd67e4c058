//! The meta-schemas, as documents that any schema may refer to. Their texts come with the library that validates.

use std::sync::{Arc, LazyLock};

use referencing::meta;
use serde_json::Value;

use super::address;
use super::dialect::of_specification;
use super::notation::Notation;
use super::tree::{Tree, tree};

/// A meta-schema, or a part of one.
pub(super) struct BuiltIn {
    /// Its address, without scheme.
    address: &'static str,
    pub(super) path: Arc<str>,
    pub(super) tree: Tree<'static>,
}

static TEXTS: LazyLock<Vec<(Arc<str>, Vec<u8>)>> = LazyLock::new(|| {
    let all: [&LazyLock<Arc<Value>>; 18] = [
        &meta::DRAFT4,
        &meta::DRAFT6,
        &meta::DRAFT7,
        &meta::DRAFT201909,
        &meta::DRAFT201909_APPLICATOR,
        &meta::DRAFT201909_CONTENT,
        &meta::DRAFT201909_CORE,
        &meta::DRAFT201909_FORMAT,
        &meta::DRAFT201909_META_DATA,
        &meta::DRAFT201909_VALIDATION,
        &meta::DRAFT202012,
        &meta::DRAFT202012_APPLICATOR,
        &meta::DRAFT202012_CONTENT,
        &meta::DRAFT202012_CORE,
        &meta::DRAFT202012_FORMAT_ANNOTATION,
        &meta::DRAFT202012_META_DATA,
        &meta::DRAFT202012_UNEVALUATED,
        &meta::DRAFT202012_VALIDATION,
    ];
    let id = |schema: &Value| schema.get("$id").or_else(|| schema.get("id")).and_then(Value::as_str).map(Arc::from);
    all.iter().filter_map(|schema| Some((id(schema)?, schema.to_string().into_bytes()))).collect()
});

static ALL: LazyLock<Vec<BuiltIn>> = LazyLock::new(|| {
    let read = |(path, text): &'static (Arc<str>, Vec<u8>)| {
        let (json, problems) = Notation::Json.read(path, text);
        let (tree, _) = tree(path, json, problems);
        Some(BuiltIn { address: of_specification(address::split(path).0)?, path: path.clone(), tree })
    };
    TEXTS.iter().filter_map(read).collect()
});

/// All of them, each in the same place always.
pub(super) fn all() -> &'static [BuiltIn] {
    &ALL
}

/// Which of them has an address, with `http` or `https`.
pub(super) fn find(address: &str) -> Option<usize> {
    let plain = of_specification(address)?;
    ALL.iter().position(|one| one.address == plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_meta_schema_is_there_and_refers_to_what_is_there() {
        assert_eq!(all().len(), TEXTS.len());
        for one in all() {
            assert!(one.tree.draft.is_some(), "{}", one.path);
            assert_eq!(one.tree.imports, Vec::new(), "{}", one.path);
        }
        assert!(find("https://json-schema.org/draft-07/schema").is_some());
        assert!(find("https://json-schema.org/draft/2020-12/meta/core").is_some());
        assert!(find("https://example.com/draft-07/schema").is_none());
    }
}
