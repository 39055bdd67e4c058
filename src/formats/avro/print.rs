//! A type as the text of a schema that stands for itself: every named type that it needs is written out where it is used
//! first, under its full name.
//!
//! What reading and writing depend on is there: names, aliases, defaults, recognised logical types. Documentation, the
//! order for sorting and other attributes are not.

use std::borrow::Cow;
use std::fmt::Write as _;

use rustc_hash::FxHashSet;

use crate::syntax::json::{Json, JsonKind};

use super::model::{Enum, Field, Fixed, Kind, Logical, Name, Record, Schema, TypeId};

/// The schema of a type as JSON on one line.
///
/// A name without a namespace cannot be referred to from inside a namespace in Avro's JSON; such a text says the name
/// all the same.
pub(crate) fn to_json(schema: &Schema<'_>, ty: TypeId) -> String {
    let mut out = String::new();
    let mut written = FxHashSet::default();
    // Definitions may lie in each other as deep as there are types, so what comes next waits on a stack of its own.
    let mut waiting = vec![Piece::Type(ty)];
    while let Some(piece) = waiting.pop() {
        match piece {
            Piece::Text(text) => out.push_str(&text),
            Piece::Type(ty) => {
                let name = schema.name(ty);
                match name {
                    Some(name) if !written.insert(ty) => put_text(&name.full, &mut out),
                    _ => waiting.extend(pieces(schema, ty).into_iter().rev()),
                }
            }
        }
    }
    out
}

/// What is written next.
enum Piece {
    Text(Cow<'static, str>),
    Type(TypeId),
}

fn pieces(schema: &Schema<'_>, ty: TypeId) -> Vec<Piece> {
    let logical = schema.ty(ty).logical.map(logical_members).unwrap_or_default();
    let text = |text: String| Piece::Text(Cow::Owned(text));
    let wrapped = |open: &str, part| vec![text(open.to_owned()), Piece::Type(part), Piece::Text(Cow::Borrowed("}"))];
    match schema.kind(ty) {
        Kind::Primitive(primitive) if logical.is_empty() => vec![text(format!("\"{}\"", primitive.name()))],
        Kind::Primitive(primitive) => vec![text(format!("{{\"type\":\"{}\"{logical}}}", primitive.name()))],
        Kind::Array(items) => wrapped("{\"type\":\"array\",\"items\":", items.ty),
        Kind::Map(values) => wrapped("{\"type\":\"map\",\"values\":", values.ty),
        Kind::Union(branches) => {
            let mut pieces = vec![Piece::Text(Cow::Borrowed("["))];
            for (index, branch) in branches.iter().enumerate() {
                pieces.extend((index > 0).then_some(Piece::Text(Cow::Borrowed(","))));
                pieces.push(Piece::Type(branch.ty));
            }
            pieces.push(Piece::Text(Cow::Borrowed("]")));
            pieces
        }
        Kind::Record(record) => record_pieces(record),
        Kind::Enum(symbols) => vec![text(enumeration(symbols))],
        Kind::Fixed(fixed) => vec![text(fixed_text(fixed, &logical))],
        Kind::Opaque(name) => vec![text(quoted(&name.full))],
    }
}

fn record_pieces(record: &Record<'_>) -> Vec<Piece> {
    let sort = if record.is_error { "error" } else { "record" };
    let mut open = head(sort, &record.name, &record.aliases);
    open.push_str(",\"fields\":[");
    let mut pieces = vec![Piece::Text(Cow::Owned(open))];
    for (index, field) in record.fields.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        let open = format!("{comma}{{\"name\":{},\"type\":", quoted(&field.name));
        pieces.push(Piece::Text(Cow::Owned(open)));
        pieces.push(Piece::Type(field.schema.ty));
        pieces.push(Piece::Text(Cow::Owned(field_end(field))));
    }
    pieces.push(Piece::Text(Cow::Borrowed("]}")));
    pieces
}

fn field_end(field: &Field<'_>) -> String {
    let mut out = String::new();
    if let Some(default) = &field.default {
        out.push_str(",\"default\":");
        put_json(default.json, &mut out);
    }
    if !field.aliases.is_empty() {
        let aliases = field.aliases.iter().map(|(alias, _)| &**alias);
        out.push_str(",\"aliases\":");
        put_texts(aliases, &mut out);
    }
    out.push('}');
    out
}

fn enumeration(symbols: &Enum<'_>) -> String {
    let mut out = head("enum", &symbols.name, &symbols.aliases);
    out.push_str(",\"symbols\":");
    put_texts(symbols.symbols.iter().map(|(symbol, _)| &**symbol), &mut out);
    let default = symbols.default.and_then(|(index, _)| symbols.symbols.get(index as usize));
    if let Some((symbol, _)) = default {
        out.push_str(",\"default\":");
        put_text(symbol, &mut out);
    }
    out.push('}');
    out
}

fn fixed_text(fixed: &Fixed, logical: &str) -> String {
    let mut out = head("fixed", &fixed.name, &fixed.aliases);
    put(format_args!(",\"size\":{}{logical}}}", fixed.size), &mut out);
    out
}

/// The start of a definition. A name without a namespace says so, lest it be taken to be in that of what it lies in.
fn head(sort: &str, name: &Name, aliases: &[Name]) -> String {
    let mut out = format!("{{\"type\":\"{sort}\",\"name\":{}", quoted(&name.full));
    if name.namespace().is_empty() {
        out.push_str(",\"namespace\":\"\"");
    }
    if !aliases.is_empty() {
        out.push_str(",\"aliases\":");
        put_texts(aliases.iter().map(|alias| &*alias.full), &mut out);
    }
    out
}

/// The members that say what a logical type is.
fn logical_members(logical: Logical) -> String {
    let name = logical.name();
    match logical {
        Logical::Decimal { precision, scale } => {
            format!(",\"logicalType\":\"{name}\",\"precision\":{precision},\"scale\":{scale}")
        }
        _ => format!(",\"logicalType\":\"{name}\""),
    }
}

fn put(text: impl std::fmt::Display, out: &mut String) {
    write!(out, "{text}").expect("writing to a text does not fail");
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn put_text(text: &str, out: &mut String) {
    out.push_str(&quoted(text));
}

fn put_texts<'t>(texts: impl Iterator<Item = &'t str>, out: &mut String) {
    let texts: Vec<String> = texts.map(quoted).collect();
    put(format_args!("[{}]", texts.join(",")), out);
}

/// As written, without blanks. The parser limits how deep it goes.
fn put_json(json: &Json<'_>, out: &mut String) {
    match &json.kind {
        JsonKind::Null => out.push_str("null"),
        JsonKind::Bool(value) => put(value, out),
        JsonKind::Number(digits) => out.push_str(digits),
        JsonKind::Text(text) => put_text(text, out),
        JsonKind::List(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                put_json(value, out);
            }
            out.push(']');
        }
        JsonKind::Object(members) => {
            out.push('{');
            for (index, member) in members.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                put_text(&member.key, out);
                out.push(':');
                put_json(&member.value, out);
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Pair;
    use crate::formats::avro::Parsed;
    use crate::formats::check::CheckOptions;
    use crate::snapshot::Snapshot;

    /// The first schema of a text, printed.
    fn printed(text: &str) -> String {
        let snapshot = Snapshot::from_files([("s.avsc", text.as_bytes())]);
        let options = CheckOptions::default();
        let parsed = Parsed::new(Pair::new(&snapshot, &snapshot), &options);
        let linked = parsed.link();
        assert!(linked.sides.new.problems.is_empty(), "{:?}", linked.sides.new.problems);
        let schema = linked.schemas().new;
        to_json(schema, schema.roots[0].schema.ty)
    }

    #[test]
    fn a_type_is_written_with_all_that_it_needs_and_nothing_else() {
        let cases = [
            ("\"int\"", "\"int\""),
            ("{\"type\": \"int\", \"more\": 1}", "\"int\""),
            ("{\"type\": \"int\", \"logicalType\": \"date\"}", "{\"type\":\"int\",\"logicalType\":\"date\"}"),
            (
                "{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 4, \"scale\": 2}",
                "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":4,\"scale\":2}",
            ),
            (
                "[\"null\", {\"type\": \"array\", \"items\": \"long\"}]",
                "[\"null\",{\"type\":\"array\",\"items\":\"long\"}]",
            ),
            ("{\"type\": \"map\", \"values\": [\"int\"]}", "{\"type\":\"map\",\"values\":[\"int\"]}"),
            (
                "{\"type\": \"fixed\", \"name\": \"F\", \"namespace\": \"a\", \"aliases\": [\"G\"], \"size\": 2}",
                "{\"type\":\"fixed\",\"name\":\"a.F\",\"aliases\":[\"a.G\"],\"size\":2}",
            ),
            (
                "{\"type\": \"enum\", \"name\": \"E\", \"doc\": \"e\", \"symbols\": [\"A\", \"B\"], \"default\": \"B\"}",
                "{\"type\":\"enum\",\"name\":\"E\",\"namespace\":\"\",\"symbols\":[\"A\",\"B\"],\"default\":\"B\"}",
            ),
            (
                "{\"type\": \"record\", \"name\": \"a.R\", \"fields\": [{\"name\": \"x\", \"type\": [\"null\", \"R\"], \
                 \"default\": null, \"aliases\": [\"y\"]}, {\"name\": \"z\", \"type\": {\"type\": \"array\", \"items\": \"R\"}}, \
                 {\"name\": \"m\", \"type\": {\"type\": \"map\", \"values\": \"string\"}, \"default\": {\"k\" : \"\\u00ff\\n\"}}]}",
                "{\"type\":\"record\",\"name\":\"a.R\",\"fields\":[{\"name\":\"x\",\"type\":[\"null\",\"a.R\"],\
                 \"default\":null,\"aliases\":[\"y\"]},{\"name\":\"z\",\"type\":{\"type\":\"array\",\"items\":\"a.R\"}},\
                 {\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":\"string\"},\"default\":{\"k\":\"ÿ\\n\"}}]}",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(printed(text), expected);
            assert_eq!(printed(expected), expected, "what is printed says the same");
        }
    }
}
