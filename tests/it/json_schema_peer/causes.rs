//! Why validators disagree, where that is known: each cause with how it is told from the schemas and the instance.

use serde_json::Value as Json;

use super::make::Draft;

/// A validator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Validator {
    Python,
    Ajv,
}

/// A cause by its name: for whom it is one, and whether it may be at work.
type Cause = (&'static str, &'static [Validator], fn(&Matter<'_>) -> bool);

/// What was validated.
pub struct Matter<'m> {
    pub schemas: [&'m Json; 2],
    pub datum: &'m Json,
}

use Validator::{Ajv, Python};

const CAUSES: [Cause; 11] = [
    ("Ajv leaves to `unevaluatedItems` what `contains` has found", &[Ajv], |matter| {
        matter.any(|draft, schema| draft >= Draft::D2019 && schema.contains_key("unevaluatedItems"))
            && matter.any(|_, schema| schema.contains_key("contains"))
    }),
    ("Ajv passes an empty list where `contains: {}` stands beside a list of `items`", &[Ajv], |matter| {
        let holds_all =
            |schema: &Json| *schema == Json::Bool(true) || schema.as_object().is_some_and(|map| map.is_empty());
        matter.any(|_, schema| {
            schema.get("contains").is_some_and(holds_all) && schema.get("items").is_some_and(Json::is_array)
        }) && has(matter.datum, &|one| one.as_array().is_some_and(Vec::is_empty))
    }),
    (
        "Python takes the keys of `additionalProperties` for names that it has looked at, in 2019-09",
        &[Python],
        |matter| {
            let is_other = |schema: &serde_json::Map<String, Json>| {
                schema.get("additionalProperties").is_some_and(Json::is_object)
            };
            matter.any(|draft, schema| draft == Draft::D2019 && is_other(schema))
                && matter.any(|draft, schema| draft == Draft::D2019 && schema.contains_key("unevaluatedProperties"))
        },
    ),
    ("Ajv takes in what stands beside `$ref` before 2019-09", &[Ajv], |matter| {
        matter.any(|draft, schema| draft <= Draft::D7 && schema.contains_key("$ref") && schema.len() > 1)
    }),
    ("Ajv knows keywords of later drafts", &[Ajv], |matter| {
        let is_later = |draft: Draft, key: &str| match key {
            "const" | "contains" | "propertyNames" => draft < Draft::D6,
            "if" => draft < Draft::D7,
            "prefixItems" => draft < Draft::D2020,
            "dependentRequired"
            | "dependentSchemas"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "minContains"
            | "maxContains" => draft < Draft::D2019,
            "dependencies" | "additionalItems" => draft > Draft::D7,
            _ => false,
        };
        matter.any(|draft, schema| schema.keys().any(|key| is_later(draft, key)))
    }),
    ("Python ignores `dependencies` since 2019-09", &[Python], |matter| {
        matter.any(|draft, schema| draft >= Draft::D2019 && schema.contains_key("dependencies"))
    }),
    ("1.0 is no integer in draft 4", &[Python, Ajv], |matter| {
        matter.any(|draft, _| draft == Draft::D4)
            && has(matter.datum, &|one| one.is_f64() && one.as_f64().is_some_and(|n| n.fract() == 0.0))
    }),
    ("multiples of decimals", &[Python, Ajv], |matter| {
        matter.any(|_, schema| schema.get("multipleOf").and_then(Json::as_f64).is_some_and(|step| step.fract() != 0.0))
    }),
    ("numbers beyond 2^53", &[Python, Ajv], |matter| {
        has(matter.datum, &|one| one.as_f64().is_some_and(|number| number.abs() >= 9_007_199_254_740_992.0))
    }),
    ("`\\w` and `\\d` beyond ASCII", &[Python, Ajv], |matter| {
        let is_class = |text: &str| text.contains("\\w") || text.contains("\\d");
        matter.any(|_, schema| schema.get("pattern").and_then(Json::as_str).is_some_and(is_class))
            && !matter.datum.to_string().is_ascii()
    }),
    ("Python matches `$` before a line's end", &[Python], |matter| {
        has(matter.datum, &|one| one.as_str().is_some_and(|text| text.ends_with('\n')))
    }),
];

impl Matter<'_> {
    /// Whether a schema of either side is such.
    fn any(&self, mut is: impl FnMut(Draft, &serde_json::Map<String, Json>) -> bool) -> bool {
        self.schemas.iter().any(|root| {
            let draft = Draft::of(root);
            let mut open = vec![*root];
            while let Some(value) = open.pop() {
                match value {
                    Json::Array(list) => open.extend(list),
                    Json::Object(map) => {
                        if is(draft, map) {
                            return true;
                        }
                        open.extend(map.values());
                    }
                    _ => {}
                }
            }
            false
        })
    }
}

fn has(value: &Json, is: &dyn Fn(&Json) -> bool) -> bool {
    is(value)
        || match value {
            Json::Array(list) => list.iter().any(|one| has(one, is)),
            Json::Object(map) => map.values().any(|one| has(one, is)),
            _ => false,
        }
}

/// The first cause that may be at work.
pub fn cause(validator: Validator, matter: &Matter<'_>) -> Option<&'static str> {
    CAUSES.iter().find(|(_, of, is)| of.contains(&validator) && is(matter)).map(|(name, ..)| *name)
}
