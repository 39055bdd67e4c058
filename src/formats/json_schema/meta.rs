//! The meta-schemas, as documents that any schema may refer to, and that of each dialect in one document, for a reader.

mod documents;

use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value, json};

use self::documents::{Document, vocabularies};
use super::address;
use super::dialect::{Draft, of_specification};
use super::notation::Notation;
use super::tree::{Tree, tree};

/// A meta-schema, or a part of one.
pub(super) struct BuiltIn {
    /// Its address, without scheme.
    address: &'static str,
    pub(super) path: Arc<str>,
    pub(super) tree: Tree<'static>,
}

/// All dialects.
const DRAFTS: [Draft; 5] = [Draft::D4, Draft::D6, Draft::D7, Draft::D2019, Draft::D2020];

static TEXTS: LazyLock<Vec<(Arc<str>, Vec<u8>)>> = LazyLock::new(|| {
    let of = |draft| documents_of(draft).map(|(_, document)| document);
    let text = |document: Document| (document.address().into(), document.value().to_string().into_bytes());
    DRAFTS.into_iter().flat_map(of).map(text).collect()
});

/// The meta-schema of a dialect and what it is put together from, by the names that it has for that.
fn documents_of(draft: Draft) -> impl Iterator<Item = (String, Document)> {
    let parts = vocabularies(draft).iter();
    let parts = parts.map(move |vocabulary| (format!("meta/{vocabulary}"), Document { draft, vocabulary }));
    std::iter::once((WHOLE.to_owned(), Document { draft, vocabulary: "" })).chain(parts)
}

static ALL: LazyLock<Vec<BuiltIn>> = LazyLock::new(|| {
    let read = |(path, text): &'static (Arc<str>, Vec<u8>)| {
        let (json, problems) = Notation::Json.read(path, text);
        let (tree, _) = tree(path, json, problems);
        Some(BuiltIn { address: of_specification(address::split(path).0)?, path: path.clone(), tree })
    };
    TEXTS.iter().filter_map(read).collect()
});

/// The meta-schema of a dialect as one document of 2020-12 that is complete in itself.
pub(super) fn whole(draft: Draft) -> Value {
    let rewritten = documents_of(draft).map(|(name, document)| {
        let mut part = document.value();
        rewrite(&mut part, &name, draft);
        (name, part)
    });
    json!({ "$ref": reference(WHOLE, ""), "$defs": Value::Object(rewritten.collect()) })
}

/// The name of what holds the others.
const WHOLE: &str = "whole";

fn reference(name: &str, fragment: &str) -> String {
    format!("#/$defs/{}{fragment}", name.replace('/', "~1"))
}

/// References as they lead in one document, and keywords as 2020-12 has them. What all that is put together leads back to is the
/// whole, and newer dialects assert no formats.
fn rewrite(value: &mut Value, own: &str, draft: Draft) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|value| rewrite(value, own, draft)),
        Value::Object(map) => {
            map.values_mut().for_each(|value| rewrite(value, own, draft));
            respell(map, own, draft);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn respell(map: &mut Map<String, Value>, own: &str, draft: Draft) {
    if map.get("$recursiveRef").is_some_and(Value::is_string) || map.get("$dynamicRef").is_some_and(Value::is_string) {
        map.insert("$ref".to_owned(), reference(WHOLE, "").into());
    } else if let Some(Value::String(written)) = map.get("$ref") {
        let (name, fragment) = written.split_once('#').unwrap_or((written, ""));
        let target = reference(if name.is_empty() { own } else { name }, fragment);
        map.insert("$ref".to_owned(), target.into());
    }
    if draft >= Draft::D2019 && map.get("format").is_some_and(Value::is_string) {
        map.remove("format");
    }
    if map.get("exclusiveMinimum") == Some(&Value::Bool(true))
        && let Some(bound) = map.remove("minimum")
    {
        map.insert("exclusiveMinimum".to_owned(), bound);
    }
    let is_of_names = |value: &Value| value.as_object().is_some_and(|map| map.values().all(Value::is_array));
    if map.get("dependencies").is_some_and(is_of_names)
        && let Some(needed) = map.remove("dependencies")
    {
        map.insert("dependentRequired".to_owned(), needed);
    }
}

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

    /// A schema without what is no assertion.
    fn plain(schema: &Value) -> Value {
        const SAID_ONLY: [&str; 7] =
            ["title", "description", "default", "$comment", "deprecated", "$vocabulary", "examples"];
        match schema {
            Value::Object(map) => {
                let kept = map.iter().filter(|(keyword, _)| !SAID_ONLY.contains(&keyword.as_str()));
                let inner = |(keyword, value): (&String, &Value)| {
                    let value = match (keyword.as_str(), value) {
                        ("properties" | "definitions" | "$defs", Value::Object(map)) => {
                            map.iter().map(|(name, schema)| (name.clone(), plain(schema))).collect()
                        }
                        (_, value) => plain(value),
                    };
                    (keyword.clone(), value)
                };
                Value::Object(kept.map(inner).collect())
            }
            Value::Array(list) => list.iter().map(plain).collect(),
            value => value.clone(),
        }
    }

    #[test]
    fn each_says_what_the_published_one_does() {
        use referencing::meta;
        let published: [&LazyLock<Arc<Value>>; 18] = [
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
        let own: Vec<Value> =
            DRAFTS.into_iter().flat_map(documents_of).map(|(_, document)| plain(&document.value())).collect();
        assert_eq!(own.len(), published.len());
        for one in published {
            let id = one.get("$id").or_else(|| one.get("id"));
            let same = own.iter().find(|own| own.get("$id").or_else(|| own.get("id")) == id);
            assert_eq!(same, Some(&plain(one)));
        }
    }

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
