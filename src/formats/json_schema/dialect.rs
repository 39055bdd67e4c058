//! The dialects of JSON Schema, and which keywords each of them knows and what stands under them.

use crate::syntax::json::{Json, JsonKind};

/// A dialect, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Draft {
    D4,
    D6,
    D7,
    D2019,
    D2020,
}

/// The dialect of a schema that names none, and is written as none of the older ones.
pub(super) const DEFAULT: Draft = Draft::D2020;

/// The addresses of the meta-schemas, without scheme and empty fragment.
const ADDRESSES: [(&str, Draft); 5] = [
    ("json-schema.org/draft-04/schema", Draft::D4),
    ("json-schema.org/draft-06/schema", Draft::D6),
    ("json-schema.org/draft-07/schema", Draft::D7),
    ("json-schema.org/draft/2019-09/schema", Draft::D2019),
    ("json-schema.org/draft/2020-12/schema", Draft::D2020),
];

/// The address of a meta-schema or of a part of one, without scheme and empty fragment; `None` where the specifications
/// have none there.
pub(super) fn of_specification(address: &str) -> Option<&str> {
    let plain = address.trim_end_matches('#');
    let plain = plain.strip_prefix("https://").or_else(|| plain.strip_prefix("http://"))?;
    let parts = ["json-schema.org/draft/2019-09/meta/", "json-schema.org/draft/2020-12/meta/"];
    let is_known = ADDRESSES.iter().any(|(known, _)| *known == plain) || parts.iter().any(|of| plain.starts_with(of));
    is_known.then_some(plain)
}

/// Whether `$schema` names what was the newest dialect when somebody read it (draft 4, section 6.1 of the core).
pub(super) fn is_of_no_draft(address: &str) -> bool {
    let plain = address.trim_end_matches('#');
    ["http://json-schema.org/schema", "https://json-schema.org/schema"].contains(&plain)
}

impl Draft {
    /// The dialect of an address as it stands in `$schema`; with `http` or `https`, with or without `#`.
    pub(super) fn of_address(address: &str) -> Option<Draft> {
        let plain = of_specification(address)?;
        ADDRESSES.iter().find(|(known, _)| *known == plain).map(|(_, draft)| *draft)
    }

    /// The dialect of a document that names none: the newest in which its keywords mean anything.
    pub(super) fn implied(json: &Json<'_>) -> Draft {
        let JsonKind::Object(members) = &json.kind else { return DEFAULT };
        let of_members = members.iter().map(|member| match (&*member.key, &member.value.kind) {
            ("exclusiveMinimum" | "exclusiveMaximum", JsonKind::Bool(_)) => D4,
            ("items", JsonKind::List(schemas)) => oldest(schemas.iter()).min(D7),
            ("additionalItems", _) => Draft::implied(&member.value).min(D7),
            // As draft 7 has it, since what only later ones know holds nothing that only earlier ones do.
            (keyword, kind) => match (shape(keyword, D7), kind) {
                (Schema | Items, _) => Draft::implied(&member.value),
                (List, JsonKind::List(schemas)) => oldest(schemas.iter()),
                (_, JsonKind::Object(named)) if keyword == "$defs" => oldest(named.iter().map(|member| &member.value)),
                (Map | Dependencies | Definitions, JsonKind::Object(named)) => {
                    oldest(named.iter().map(|member| &member.value))
                }
                _ => DEFAULT,
            },
        });
        of_members.min().unwrap_or(DEFAULT)
    }

    /// The dialect that a document names in `$schema`.
    pub(super) fn of_document(json: &Json<'_>) -> Option<Draft> {
        Draft::of_address(json.get("$schema")?.as_text()?)
    }

    /// The keyword that gives a schema its address.
    pub(super) const fn id_keyword(self) -> &'static str {
        if matches!(self, Draft::D4) { "id" } else { "$id" }
    }

    /// Whether everything beside a `$ref` means nothing (drafts 4 to 7, Core §8.3 there).
    pub(super) fn ref_stands_alone(self) -> bool {
        self <= Draft::D7
    }

    /// Whether a schema may be `true` or `false`.
    pub(super) fn has_boolean_schemas(self) -> bool {
        self >= Draft::D6
    }
}

/// Whether a text says of itself that it is a schema: `$schema` names one of the dialects.
pub(super) fn is_said(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"$schema").any(|at| {
        let value = &text[at..text.len().min(at + LONGEST_ADDRESS)];
        memchr::memmem::find(value, b"json-schema.org/").is_some()
    })
}

/// How far from its keyword the address of a dialect ends at most.
const LONGEST_ADDRESS: usize = 80;

/// What stands under a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A value that is no schema.
    Value,
    /// One schema.
    Schema,
    /// A list of schemas, not empty.
    List,
    /// Schemas by names.
    Map,
    /// One schema, or a list of them: a tuple.
    Items,
    /// By names a schema, or a list of names.
    Dependencies,
    /// The address of another schema.
    Reference,
    /// Schemas by names that assert nothing where they stand.
    Definitions,
    /// Nothing that validation looks at.
    Note,
}

use Draft::{D4, D6, D7, D2019, D2020};
use Shape::{Definitions, Dependencies, Items, List, Map, Note, Reference, Schema, Value};

/// Every keyword with what stands under it, and in which dialects it means that, from the first to the last.
const KEYWORDS: &[(&str, Shape, Draft, Draft)] = &[
    ("$ref", Reference, D4, D2020),
    ("$recursiveRef", Reference, D2019, D2019),
    ("$dynamicRef", Reference, D2020, D2020),
    ("definitions", Definitions, D4, D2020),
    ("$defs", Definitions, D2019, D2020),
    ("type", Value, D4, D2020),
    ("enum", Value, D4, D2020),
    ("const", Value, D6, D2020),
    ("multipleOf", Value, D4, D2020),
    ("minimum", Value, D4, D2020),
    ("maximum", Value, D4, D2020),
    ("exclusiveMinimum", Value, D4, D2020),
    ("exclusiveMaximum", Value, D4, D2020),
    ("minLength", Value, D4, D2020),
    ("maxLength", Value, D4, D2020),
    ("pattern", Value, D4, D2020),
    ("format", Note, D4, D2020),
    // MongoDB only, where it stands in place of `type`.
    ("bsonType", Note, D4, D4),
    ("items", Items, D4, D2019),
    ("items", Schema, D2020, D2020),
    ("prefixItems", List, D2020, D2020),
    ("additionalItems", Schema, D4, D2019),
    ("unevaluatedItems", Schema, D2019, D2020),
    ("minItems", Value, D4, D2020),
    ("maxItems", Value, D4, D2020),
    ("uniqueItems", Value, D4, D2020),
    ("contains", Schema, D6, D2020),
    ("minContains", Value, D2019, D2020),
    ("maxContains", Value, D2019, D2020),
    ("properties", Map, D4, D2020),
    ("patternProperties", Map, D4, D2020),
    ("additionalProperties", Schema, D4, D2020),
    ("unevaluatedProperties", Schema, D2019, D2020),
    ("propertyNames", Schema, D6, D2020),
    ("minProperties", Value, D4, D2020),
    ("maxProperties", Value, D4, D2020),
    ("required", Value, D4, D2020),
    ("dependencies", Dependencies, D4, D2020),
    ("dependentRequired", Value, D2019, D2020),
    ("dependentSchemas", Map, D2019, D2020),
    ("allOf", List, D4, D2020),
    ("anyOf", List, D4, D2020),
    ("oneOf", List, D4, D2020),
    ("not", Schema, D4, D2020),
    ("if", Schema, D7, D2020),
    ("then", Schema, D7, D2020),
    ("else", Schema, D7, D2020),
];

fn oldest<'j>(schemas: impl Iterator<Item = &'j Json<'j>>) -> Draft {
    schemas.map(Draft::implied).min().unwrap_or(DEFAULT)
}

/// What stands under a keyword of a dialect. What a dialect does not know is a note in it.
pub(super) fn shape(keyword: &str, draft: Draft) -> Shape {
    let known = KEYWORDS.iter().find(|(name, _, from, to)| *name == keyword && (*from..=*to).contains(&draft));
    known.map_or(Note, |(_, shape, ..)| *shape)
}

/// The keyword as a constant, where any dialect knows it.
pub(super) fn known(keyword: &str) -> Option<&'static str> {
    KEYWORDS.iter().find(|(name, ..)| *name == keyword).map(|(name, ..)| *name)
}
