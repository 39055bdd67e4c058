//! The plainest value of each type, as the default of a field has it.

use crate::formats::ways::json::{Text, values};
use crate::formats::ways::{FileEdit, Stage, Way};
use crate::syntax::json::{Json, JsonKind};

/// How deep types are followed.
const DEPTH: usize = 8;

/// The plainest value of a type.
pub(super) fn zero(text: &Text<'_>, ty: &Json<'_>) -> Option<String> {
    of(text, ty, DEPTH)
}

/// That of a type with a name of its own.
pub(super) fn of_word(word: &str) -> Option<&'static str> {
    match word {
        "null" => Some("null"),
        "boolean" => Some("false"),
        "int" | "long" => Some("0"),
        "float" | "double" => Some("0.0"),
        "string" | "bytes" => Some("\"\""),
        _ => None,
    }
}

fn of(text: &Text<'_>, ty: &Json<'_>, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    match &ty.kind {
        JsonKind::Text(word) => match of_word(word) {
            Some(zero) => Some(zero.to_owned()),
            None => of(text, declared(text, word)?, depth),
        },
        JsonKind::List(branches) => of(text, branches.first()?, depth),
        JsonKind::Object(_) => match ty.get("type").and_then(Json::as_text) {
            Some("array") => Some("[]".to_owned()),
            Some("map") => Some("{}".to_owned()),
            Some("enum") => {
                let first = || ty.get("symbols").and_then(|symbols| values(symbols).first());
                Some(text.at(ty.get("default").or_else(first)?.span).to_owned())
            }
            Some("fixed") => {
                let JsonKind::Number(size) = &ty.get("size")?.kind else { return None };
                let size: usize = size.parse().ok().filter(|size| *size <= 64)?;
                Some(format!("\"{}\"", "\\u0000".repeat(size)))
            }
            Some("record" | "error") => record(text, ty, depth),
            // A number without digits is no decimal.
            Some("bytes") if ty.get("logicalType").is_some() => Some("\"\\u0000\"".to_owned()),
            _ => of(text, ty.get("type")?, depth),
        },
        JsonKind::Null | JsonKind::Bool(_) | JsonKind::Number(_) => None,
    }
}

fn record(text: &Text<'_>, ty: &Json<'_>, depth: usize) -> Option<String> {
    let member = |field: &Json<'_>| {
        let value = match field.get("default") {
            Some(default) => text.at(default.span).to_owned(),
            None => of(text, field.get("type")?, depth)?,
        };
        Some(format!("{:?}: {value}", field.get("name")?.as_text()?))
    };
    let members: Option<Vec<String>> = values(ty.get("fields")?).iter().map(member).collect();
    Some(format!("{{{}}}", members?.join(", ")))
}

/// The declaration of a name in the same file.
fn declared<'j, 't>(text: &'j Text<'t>, word: &str) -> Option<&'j Json<'t>> {
    let last = |name: &str| name.rsplit('.').next().map(str::to_owned);
    let is_meant = |json: &Json<'_>| {
        let is_type = ["symbols", "size", "fields"].iter().any(|key| json.get(key).is_some());
        is_type && json.get("name").and_then(Json::as_text).and_then(last) == last(word)
    };
    text.objects().into_iter().map(|at| at.value).find(|json| is_meant(json))
}

/// A default that comes with a field and goes again, or stays.
pub(super) fn with_default(name: &str, zero: &str, edits: impl Fn() -> Vec<FileEdit>) -> Vec<Way> {
    let says = format!("add `{name}` with the default `{zero}`, which readers of old data see");
    let migrate = format!(
        "readers first, then writers, which fill `{name}`; wait until no data is left without it, or keep the default for good"
    );
    let stages = vec![
        Stage::expand(says.clone(), edits()),
        Stage::contract(format!("take the default of `{name}` away"), Vec::new()),
    ];
    vec![
        Way { stages, migrate, ..Way::default() },
        Way::one_step(says, edits(), format!("`{name}` has the default `{zero}`")),
    ]
}
