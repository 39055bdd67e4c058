//! The meta-schemas of the specifications, put together from what each dialect says of each keyword: Core and Validation of drafts 4, 6
//! and 7, and the vocabularies of 2019-09 and 2020-12 (Core, section 8.1.2). What is no assertion is left out: titles, defaults and
//! comments.

use serde_json::{Map, Value, json};

use crate::formats::json_schema::dialect::Draft;

/// What stands under a keyword.
#[derive(Debug, Clone, Copy)]
enum What {
    Anything,
    Flag,
    Text,
    Formatted(&'static str),
    Uri,
    Reference,
    Anchor,
    Id,
    Number,
    Step,
    Count,
    CountFrom0,
    /// One of a list that every dialect has.
    Values,
    AnyValues,
    Types,
    Names,
    Schema,
    SchemaOrFlag,
    Schemas,
    SchemaOrSchemas,
    SchemasByName,
    SchemasByPattern,
    NamesByName,
    SchemaOrNamesByName,
    Vocabularies,
}

use What::{
    Anchor, AnyValues, Anything, Count, CountFrom0, Flag, Formatted, Id, Names, NamesByName, Number, Reference, Schema,
    SchemaOrFlag, SchemaOrNamesByName, SchemaOrSchemas, Schemas, SchemasByName, SchemasByPattern, Step, Text, Types,
    Uri, Values, Vocabularies,
};

/// Keywords with what stands under each, and where that is said: a draft by its number, in newer ones a vocabulary by its first letters.
const KEYWORDS: [(&str, What, &str); 76] = [
    ("id", Text, "4"),
    ("$id", Formatted("uri-reference"), "6 7"),
    ("$id", Id, "19core 20core"),
    ("$schema", Text, "4"),
    ("$schema", Formatted("uri"), "6 7 19core"),
    ("$schema", Uri, "20core"),
    ("$ref", Formatted("uri-reference"), "6 7 19core"),
    ("$ref", Reference, "20core"),
    ("$anchor", Anchor, "19core 20core"),
    ("$recursiveRef", Formatted("uri-reference"), "19core"),
    ("$recursiveRef", Reference, "20"),
    ("$recursiveAnchor", Flag, "19core"),
    ("$recursiveAnchor", Anchor, "20"),
    ("$dynamicRef", Reference, "20core"),
    ("$dynamicAnchor", Anchor, "20core"),
    ("$vocabulary", Vocabularies, "19core 20core"),
    ("$comment", Text, "7 19core 20core"),
    ("$defs", SchemasByName, "19core 20core"),
    ("title", Text, "4 6 7 19meta 20meta"),
    ("description", Text, "4 6 7 19meta 20meta"),
    ("default", Anything, "4 6 7 19meta 20meta"),
    ("deprecated", Flag, "19meta 20meta"),
    ("readOnly", Flag, "7 19meta 20meta"),
    ("writeOnly", Flag, "7 19meta 20meta"),
    ("examples", AnyValues, "6 7 19meta 20meta"),
    ("multipleOf", Step, "4 6 7 19vali 20vali"),
    ("maximum", Number, "4 6 7 19vali 20vali"),
    ("exclusiveMaximum", Flag, "4"),
    ("exclusiveMaximum", Number, "6 7 19vali 20vali"),
    ("minimum", Number, "4 6 7 19vali 20vali"),
    ("exclusiveMinimum", Flag, "4"),
    ("exclusiveMinimum", Number, "6 7 19vali 20vali"),
    ("maxLength", Count, "4 6 7 19vali 20vali"),
    ("minLength", CountFrom0, "4 6 7 19vali 20vali"),
    ("pattern", Formatted("regex"), "4 6 7 19vali 20vali"),
    ("additionalItems", SchemaOrFlag, "4"),
    ("additionalItems", Schema, "6 7 19appl"),
    ("unevaluatedItems", Schema, "19appl 20unev"),
    ("prefixItems", Schemas, "20appl"),
    ("items", SchemaOrSchemas, "4 6 7 19appl"),
    ("items", Schema, "20appl"),
    ("maxItems", Count, "4 6 7 19vali 20vali"),
    ("minItems", CountFrom0, "4 6 7 19vali 20vali"),
    ("uniqueItems", Flag, "4 6 7 19vali 20vali"),
    ("contains", Schema, "6 7 19appl 20appl"),
    ("maxContains", Count, "19vali 20vali"),
    ("minContains", Count, "19vali 20vali"),
    ("maxProperties", Count, "4 6 7 19vali 20vali"),
    ("minProperties", CountFrom0, "4 6 7 19vali 20vali"),
    ("required", Names, "4 6 7 19vali 20vali"),
    ("additionalProperties", SchemaOrFlag, "4"),
    ("additionalProperties", Schema, "6 7 19appl 20appl"),
    ("unevaluatedProperties", Schema, "19appl 20unev"),
    ("definitions", SchemasByName, "4 6 7 19 20"),
    ("properties", SchemasByName, "4 6 7 19appl 20appl"),
    ("patternProperties", SchemasByName, "4"),
    ("patternProperties", SchemasByPattern, "6 7 19appl 20appl"),
    ("dependencies", SchemaOrNamesByName, "4 6 7 19 20"),
    ("dependentRequired", NamesByName, "19vali 20vali"),
    ("dependentSchemas", SchemasByName, "19appl 20appl"),
    ("propertyNames", Schema, "6 7 19appl 20appl"),
    ("const", Anything, "6 7 19vali 20vali"),
    ("enum", Values, "4 6"),
    ("enum", AnyValues, "7 19vali 20vali"),
    ("type", Types, "4 6 7 19vali 20vali"),
    ("format", Text, "4 6 7 19form 20form"),
    ("contentMediaType", Text, "7 19cont 20cont"),
    ("contentEncoding", Text, "7 19cont 20cont"),
    ("contentSchema", Schema, "19cont 20cont"),
    ("if", Schema, "7 19appl 20appl"),
    ("then", Schema, "7 19appl 20appl"),
    ("else", Schema, "7 19appl 20appl"),
    ("allOf", Schemas, "4 6 7 19appl 20appl"),
    ("anyOf", Schemas, "4 6 7 19appl 20appl"),
    ("oneOf", Schemas, "4 6 7 19appl 20appl"),
    ("not", Schema, "4 6 7 19appl 20appl"),
];

/// The vocabularies that newer dialects are put together from, in their order.
pub(super) const fn vocabularies(draft: Draft) -> &'static [&'static str] {
    match draft {
        Draft::D4 | Draft::D6 | Draft::D7 => &[],
        Draft::D2019 => &["core", "applicator", "validation", "meta-data", "format", "content"],
        Draft::D2020 => {
            &["core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content"]
        }
    }
}

/// A document: the meta-schema of a draft, or of one of its vocabularies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Document {
    pub(super) draft: Draft,
    /// Nothing where it is the whole.
    pub(super) vocabulary: &'static str,
}

impl Document {
    /// Its address.
    pub(super) fn address(self) -> String {
        let of_parts = |year: &str| match self.vocabulary {
            "" => format!("https://json-schema.org/draft/{year}/schema"),
            vocabulary => format!("https://json-schema.org/draft/{year}/meta/{vocabulary}"),
        };
        match self.draft {
            Draft::D4 => "http://json-schema.org/draft-04/schema#".to_owned(),
            Draft::D6 => "http://json-schema.org/draft-06/schema#".to_owned(),
            Draft::D7 => "http://json-schema.org/draft-07/schema#".to_owned(),
            Draft::D2019 => of_parts("2019-09"),
            Draft::D2020 => of_parts("2020-12"),
        }
    }

    /// What it says.
    pub(super) fn value(self) -> Value {
        let whole = Document { vocabulary: "", ..self };
        let mut map = Map::from_iter([("$schema".to_owned(), Value::from(whole.address()))]);
        let mut say = |keyword: &str, value: Value| drop(map.insert(keyword.to_owned(), value));
        say(if self.draft == Draft::D4 { "id" } else { "$id" }, self.address().into());
        say("type", if self.draft == Draft::D4 { json!("object") } else { json!(["object", "boolean"]) });
        let said = KEYWORDS.iter().filter(|(.., places)| places.split(' ').any(|place| self.is_at(place)));
        let properties: Map<String, Value> =
            said.map(|(keyword, what, _)| ((*keyword).to_owned(), self.form(*what))).collect();
        say("properties", properties.into());
        let definitions = self.definitions();
        if !definitions.is_empty() {
            say(self.definitions_are_under(), definitions.into());
        }
        match self.draft {
            Draft::D4 => {
                say("dependencies", json!({ "exclusiveMaximum": ["maximum"], "exclusiveMinimum": ["minimum"] }));
            }
            Draft::D6 | Draft::D7 => {}
            Draft::D2019 => say("$recursiveAnchor", true.into()),
            Draft::D2020 => say("$dynamicAnchor", "meta".into()),
        }
        let parts = vocabularies(self.draft);
        if self.vocabulary.is_empty() && !parts.is_empty() {
            say("allOf", parts.iter().map(|part| json!({ "$ref": format!("meta/{part}") })).collect());
        }
        Value::Object(map)
    }

    /// Whether a place is this document.
    fn is_at(self, place: &str) -> bool {
        let (draft, vocabulary) = place.split_at(place.find(char::is_alphabetic).unwrap_or(place.len()));
        let is_draft = match self.draft {
            Draft::D4 => draft == "4",
            Draft::D6 => draft == "6",
            Draft::D7 => draft == "7",
            Draft::D2019 => draft == "19",
            Draft::D2020 => draft == "20",
        };
        is_draft && vocabulary.is_empty() == self.vocabulary.is_empty() && self.vocabulary.starts_with(vocabulary)
    }

    const fn definitions_are_under(self) -> &'static str {
        match self.draft {
            Draft::D4 | Draft::D6 | Draft::D7 => "definitions",
            Draft::D2019 | Draft::D2020 => "$defs",
        }
    }

    /// What the document says under names of its own.
    fn definitions(self) -> Map<String, Value> {
        let (count, count_from_0) = self.counts();
        let numbers = || {
            let of_0 = match self.draft {
                Draft::D4 | Draft::D6 | Draft::D7 => json!({ "allOf": [self.named(count), {}] }),
                Draft::D2019 | Draft::D2020 => self.named(count),
            };
            [(count, json!({ "type": "integer", "minimum": 0 })), (count_from_0, of_0)]
        };
        let types = ["array", "boolean", "integer", "null", "number", "object", "string"];
        let mut names = json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true });
        if self.draft == Draft::D4 {
            names["minItems"] = 1.into();
        }
        let lists = [("simpleTypes", json!({ "enum": types })), ("stringArray", names)];
        let schemas = ("schemaArray", json!({ "type": "array", "minItems": 1, "items": self.schema() }));
        let all: Vec<(&str, Value)> = match (self.draft, self.vocabulary) {
            (Draft::D4 | Draft::D6 | Draft::D7, _) => numbers().into_iter().chain(lists).chain([schemas]).collect(),
            (_, "applicator") => vec![schemas],
            (_, "validation") => numbers().into_iter().chain(lists).collect(),
            (Draft::D2020, "core") => vec![
                ("anchorString", json!({ "type": "string", "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$" })),
                ("uriString", json!({ "type": "string", "format": "uri" })),
                ("uriReferenceString", json!({ "type": "string", "format": "uri-reference" })),
            ],
            _ => Vec::new(),
        };
        all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// What whole numbers that are not negative are called.
    const fn counts(self) -> (&'static str, &'static str) {
        match self.draft {
            Draft::D4 => ("positiveInteger", "positiveIntegerDefault0"),
            _ => ("nonNegativeInteger", "nonNegativeIntegerDefault0"),
        }
    }

    /// A reference to a definition, which may be one of a vocabulary.
    fn named(self, name: &str) -> Value {
        let is_of_core = matches!(name, "anchorString" | "uriString" | "uriReferenceString");
        let document = match (self.draft, self.vocabulary) {
            (Draft::D2019 | Draft::D2020, "") if is_of_core => "meta/core",
            (Draft::D2019 | Draft::D2020, "") => "meta/validation",
            _ => "",
        };
        json!({ "$ref": format!("{document}#/{}/{name}", self.definitions_are_under()) })
    }

    /// Any schema.
    fn schema(self) -> Value {
        match self.draft {
            Draft::D4 | Draft::D6 | Draft::D7 => json!({ "$ref": "#" }),
            Draft::D2019 => json!({ "$recursiveRef": "#" }),
            Draft::D2020 => json!({ "$dynamicRef": "#meta" }),
        }
    }

    fn form(self, what: What) -> Value {
        let anything = if self.draft <= Draft::D6 { json!({}) } else { json!(true) };
        let is_newest = self.draft == Draft::D2020;
        match what {
            Anything => anything,
            Flag => json!({ "type": "boolean" }),
            Text => json!({ "type": "string" }),
            Formatted(format) => json!({ "type": "string", "format": format }),
            Uri => self.named("uriString"),
            Reference => self.named("uriReferenceString"),
            Anchor if is_newest => self.named("anchorString"),
            Anchor => json!({ "type": "string", "pattern": "^[A-Za-z][-A-Za-z0-9.:_]*$" }),
            Id => {
                let of = if is_newest { Reference } else { Formatted("uri-reference") };
                let mut id = self.form(of);
                id["pattern"] = "^[^#]*#?$".into();
                id
            }
            Number => json!({ "type": "number" }),
            Step if self.draft == Draft::D4 => json!({ "type": "number", "minimum": 0, "exclusiveMinimum": true }),
            Step => json!({ "type": "number", "exclusiveMinimum": 0 }),
            Count => self.named(self.counts().0),
            CountFrom0 => self.named(self.counts().1),
            Values => json!({ "type": "array" }),
            AnyValues => json!({ "type": "array", "items": anything }),
            Types => {
                let one = self.named("simpleTypes");
                json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1, "uniqueItems": true }] })
            }
            Names => self.named("stringArray"),
            Schema => self.schema(),
            SchemaOrFlag => json!({ "anyOf": [{ "type": "boolean" }, self.schema()] }),
            Schemas => json!({ "$ref": format!("#/{}/schemaArray", self.definitions_are_under()) }),
            SchemaOrSchemas => json!({ "anyOf": [self.schema(), self.form(Schemas)] }),
            SchemasByName => json!({ "type": "object", "additionalProperties": self.schema() }),
            SchemasByPattern => {
                json!({ "type": "object", "additionalProperties": self.schema(), "propertyNames": { "format": "regex" } })
            }
            NamesByName => json!({ "type": "object", "additionalProperties": self.form(Names) }),
            SchemaOrNamesByName => {
                json!({ "type": "object", "additionalProperties": { "anyOf": [self.schema(), self.form(Names)] } })
            }
            Vocabularies => {
                let names = if is_newest { self.form(Uri) } else { self.form(Formatted("uri")) };
                json!({ "type": "object", "propertyNames": names, "additionalProperties": { "type": "boolean" } })
            }
        }
    }
}
