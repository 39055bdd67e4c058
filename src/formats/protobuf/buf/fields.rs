//! Rules about fields, which pair by message and number, and extensions, which pair by extended message and number.

use crate::change::{Pair, Site, Span};
use crate::ordered::OrderedMap;

use super::super::ast::OptionNode;
use super::super::model::{Edition, Kind, Schema};
use super::image::{FieldView, Part, simple};
use super::options::{self, Languages};
use super::{Checker, Subject, defaults, quoted};

const WIRE_HELP: &str =
    "See https://developers.google.com/protocol-buffers/docs/proto3#updating for wire compatibility rules";
const JSON_HELP: &str = "https://developers.google.com/protocol-buffers/docs/proto3#json for JSON compatibility rules.";
const UTF8_HELP: &str = "Note that while string and bytes are compatible if the data is valid UTF-8, there is no way to \
                         enforce that a bytes field is UTF-8, so these fields may be incompatible.";

/// Two versions of a field and what they are called.
pub(super) struct FieldPair<'x, 's, 'a> {
    /// The message as messages name it.
    of: &'x str,
    /// The message by its full name.
    message: &'x str,
    fields: Pair<FieldView<'s, 'a>>,
}

impl<'s, 'a> Checker<'_, 's, 'a> {
    /// Extensions that both sides have.
    pub(super) fn extensions(&mut self) {
        let by_number = |schema: &'s Schema<'a>, names: &[&'s super::super::model::Field<'a>]| {
            let mut found: OrderedMap<(&'s str, i32), FieldView<'s, 'a>> = OrderedMap::new();
            for field in names {
                let Some(extendee) = field.extendee else { continue };
                let key = (&*schema.message(extendee).full_name, field.number);
                found.entry(key).or_insert_with(|| FieldView::extension(schema, field));
            }
            found
        };
        let Pair { old, new } = self.images;
        let olds = by_number(old.schema, &old.extensions_by_name.values().copied().collect::<Vec<_>>());
        let news = by_number(new.schema, &new.extensions_by_name.values().copied().collect::<Vec<_>>());
        for (key, field) in olds {
            if let Some(now) = news.get(&key) {
                self.field(key.0, key.0, Pair::new(field, *now));
            }
        }
    }

    /// Everything about two versions of a field: `of` is its message as messages name it, `message` its full name.
    pub(super) fn field(&mut self, of: &str, message: &str, fields: Pair<FieldView<'s, 'a>>) {
        let pair = FieldPair { of, message, fields };
        self.field_type(&pair);
        self.field_default(&pair);
        self.field_cardinality(&pair);
        if fields.old.name() != fields.new.name() {
            self.field_name(&pair);
        }
        let json_names = fields.map(|field| field.json_name());
        if json_names.old != json_names.new && pair.is_own() {
            let span = pair.option_span("json_name");
            let what =
                format!("changed option \"json_name\" from {} to {}", quoted(json_names.old), quoted(json_names.new));
            self.say("FIELD_SAME_JSON_NAME", &pair, span, &what);
        }
        self.field_oneof(&pair);
        self.field_text(&pair);
        self.field_jstype(&pair);
    }

    /// What a field's type is in another file.
    pub(super) fn field_reference(&mut self, of: &str, message: &str, fields: Pair<FieldView<'s, 'a>>) {
        let pair = FieldPair { of, message, fields };
        self.field_type(&pair);
        self.field_default(&pair);
    }

    fn at(&self, pair: &FieldPair<'_, 's, 'a>, spans: Pair<Span>) -> Pair<Option<Site>> {
        Pair::new(
            self.old_site(pair.fields.old.field.file, spans.old),
            self.new_site(pair.fields.new.field.file, spans.new),
        )
    }

    fn say(&mut self, rule: &'static str, pair: &FieldPair<'_, 's, 'a>, spans: Pair<Span>, what: &str) {
        let name = format!(" with name {}", quoted(pair.fields.new.name()));
        let message = format!("{} {what}.", pair.description(&name));
        self.report(rule, self.at(pair, spans), pair.subject(), message);
    }

    fn field_name(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let names = pair.fields.map(|field| quoted(field.name()));
        let message = format!("{} changed name from {} to {}.", pair.description(""), names.old, names.new);
        let at = self.at(pair, pair.fields.map(|field| field.name_span()));
        self.report("FIELD_SAME_NAME", at, pair.subject(), message);
    }

    fn field_type(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let kinds = pair.fields.map(|field| field.kind_word());
        let (Some(before), Some(after)) = (kinds.old, kinds.new) else { return };
        if before != after {
            return self.kind_changed(pair, Pair::new(before, after));
        }
        if !matches!(after, "message" | "group" | "enum") {
            return;
        }
        let names = pair.fields.map(|field| field.type_name());
        let (Some(was), Some(is)) = (names.old, names.new) else { return };
        if was == is {
            return;
        }
        let what = format!("changed type from {} to {}", quoted(&was), quoted(&is));
        let spans = pair.fields.map(|field| field.type_span());
        self.say("FIELD_SAME_TYPE", pair, spans, &what);
        if after != "enum" || !is_widened(pair) {
            self.say("FIELD_WIRE_JSON_COMPATIBLE_TYPE", pair, spans, &what);
            self.say("FIELD_WIRE_COMPATIBLE_TYPE", pair, spans, &what);
        }
    }

    fn kind_changed(&mut self, pair: &FieldPair<'_, 's, 'a>, kinds: Pair<&'static str>) {
        let shown = |kind: &'static str, field: &FieldView<'_, '_>| match kind {
            "group" if field.edition() != Edition::Proto2 => "message (delimited encoding)",
            kind => kind,
        };
        let Pair { old, new } = pair.fields;
        let what =
            format!("changed type from {} to {}", quoted(shown(kinds.old, &old)), quoted(shown(kinds.new, &new)));
        let spans = pair.fields.map(|field| field.type_span());
        self.say("FIELD_SAME_TYPE", pair, spans, &what);
        if json_group(kinds.old) != json_group(kinds.new) {
            let what = format!("{what}. {WIRE_HELP} and {}", JSON_HELP.trim_end_matches('.'));
            self.say("FIELD_WIRE_JSON_COMPATIBLE_TYPE", pair, spans, &what);
        }
        let widens = (kinds.old, kinds.new) == ("string", "bytes");
        if wire_group(kinds.old) != wire_group(kinds.new) && !widens {
            let narrows = (kinds.old, kinds.new) == ("bytes", "string");
            let more = if narrows { format!(". {}", UTF8_HELP.trim_end_matches('.')) } else { String::new() };
            self.say("FIELD_WIRE_COMPATIBLE_TYPE", pair, spans, &format!("{what}. {WIRE_HELP}{more}"));
        }
    }

    fn field_cardinality(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        if pair.fields.old.part != Part::Whole && pair.fields.new.part != Part::Whole {
            return;
        }
        let Pair { old, new } = pair.fields.map(|field| field.cardinality());
        if old == new {
            return;
        }
        let what = format!("changed cardinality from {} to {}", quoted(old), quoted(new));
        let spans = pair.fields.map(|field| field.span());
        let group =
            |cardinality: &'static str| if cardinality.starts_with("optional") { "optional" } else { cardinality };
        let wire_group = |cardinality| if cardinality == "map" { "repeated" } else { group(cardinality) };
        self.say("FIELD_SAME_CARDINALITY", pair, spans, &what);
        if group(old) != group(new) {
            self.say("FIELD_WIRE_JSON_COMPATIBLE_CARDINALITY", pair, spans, &what);
        }
        if wire_group(old) != wire_group(new) {
            self.say("FIELD_WIRE_COMPATIBLE_CARDINALITY", pair, spans, &what);
        }
    }

    fn field_default(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let Some(what) = defaults::difference(pair.fields) else { return };
        self.say("FIELD_SAME_DEFAULT", pair, pair.option_span("default"), &what);
    }

    fn field_oneof(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        if !pair.is_own() {
            return;
        }
        let what = match (oneof(&pair.fields.old), oneof(&pair.fields.new)) {
            (None, None) => return,
            (Some(old), Some(new)) if old == new => return,
            (Some(old), Some(new)) => format!("moved from oneof {} to oneof {}", quoted(old), quoted(new)),
            (Some(_), None) => "moved from inside to outside a oneof".to_owned(),
            (None, Some(_)) => "moved from outside to inside a oneof".to_owned(),
        };
        self.say("FIELD_SAME_ONEOF", pair, pair.fields.map(|field| field.span()), &what);
    }

    /// What generated code makes of texts.
    fn field_text(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let Pair { old, new } = pair.fields;
        let is_text = |field: FieldView<'_, '_>| matches!(field.kind(), Some(Kind::String | Kind::Bytes));
        if !is_text(old) || !is_text(new) || self.is_same_text(pair) {
            return;
        }
        if old.kind() == Some(Kind::String) && new.kind() == Some(Kind::String) {
            let utf8 = pair.fields.map(|field| if is_verified(&field) { "VERIFY" } else { "NONE" });
            if utf8.old != utf8.new {
                let spans = pair
                    .fields
                    .map(|field| options::feature_span(own_options(&field), "utf8_validation").unwrap_or(field.span()));
                let what = format!("changed UTF8 validation from {} to {}", utf8.old, utf8.new);
                self.say("FIELD_SAME_UTF8_VALIDATION", pair, spans, &what);
            }
            let java = pair.fields.map(|field| java_validation(&field));
            if java.old != java.new {
                let spans = pair.fields.map(|field| java_span(&field));
                let (before, after) = (quoted(java.old), quoted(java.new));
                let what = format!("changed Java string UTF8 validation from {before} to {after}");
                self.say("FIELD_SAME_JAVA_UTF8_VALIDATION", pair, spans, &what);
            }
        }
        if old.part != Part::Whole && new.part != Part::Whole {
            return;
        }
        let cpp = pair.fields.map(|field| cpp_string(&field));
        if cpp.old != cpp.new && (cpp.old, cpp.new) != ("STRING_PIECE", "STRING") {
            let spans = pair.fields.map(|field| {
                let own = own_options(&field);
                let set = options::span(own, "ctype").or_else(|| options::custom_span(own, "cpp", "string_type"));
                set.unwrap_or(field.span())
            });
            let what = format!("changed C++ string type from {} to {}", quoted(cpp.old), quoted(cpp.new));
            self.say("FIELD_SAME_CPP_STRING_TYPE", pair, spans, &what);
        }
    }

    /// Nothing about texts can differ where the file is as it was.
    fn is_same_text(&self, pair: &FieldPair<'_, 's, 'a>) -> bool {
        self.is_same_file(pair.fields.map(|field| field.field.file))
    }

    fn field_jstype(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let is_long = |field: FieldView<'_, '_>| {
            matches!(field.kind(), Some(Kind::Int64 | Kind::Uint64 | Kind::Sint64 | Kind::Fixed64 | Kind::Sfixed64))
        };
        if !is_long(pair.fields.old) || !is_long(pair.fields.new) {
            return;
        }
        let types = pair.fields.map(|field| options::text_or(own_options(&field), "jstype", "JS_NORMAL"));
        if types.old != types.new {
            let what = format!("changed option \"jstype\" from {} to {}", quoted(&types.old), quoted(&types.new));
            self.say("FIELD_SAME_JSTYPE", pair, pair.option_span("jstype"), &what);
        }
    }
}

impl<'s, 'a> FieldPair<'_, 's, 'a> {
    /// Whether the field is one of the message's own and no extension.
    fn is_own(&self) -> bool {
        !self.fields.old.field.is_extension
    }

    fn description(&self, name: &str) -> String {
        let sort = if self.fields.new.field.is_extension { "Extension" } else { "Field" };
        format!("{sort} \"{}\"{name} on message {}", self.fields.new.number(), quoted(self.of))
    }

    /// Where the field sets an option, else the field.
    fn option_span(&self, option: &str) -> Pair<Span> {
        self.fields.map(|field| options::span(own_options(&field), option).unwrap_or(field.span()))
    }

    /// The type of the new field, and the oneof that it is in.
    fn elsewhere(&self) -> Vec<String> {
        let oneof = oneof(&self.fields.new).map(|name| format!("{}.{name}", self.message));
        self.fields.new.type_name().map(std::borrow::Cow::into_owned).into_iter().chain(oneof).collect()
    }

    fn subject(&self) -> Subject {
        let Pair { old, new } = self.fields;
        // The parts of a map belong to its field.
        let declaring = new.message.filter(|_| new.part != Part::Whole);
        let (message, number) = match declaring {
            Some(message) => (&*message.full_name, new.field.number),
            None => (self.message, new.field.number),
        };
        Subject::Field {
            message: message.to_owned(),
            number,
            names: Pair::new(Some(old.field.name.to_string()), Some(new.field.name.to_string())),
            elsewhere: self.elsewhere(),
            is_extension: new.field.is_extension,
        }
    }
}

/// The oneof that a field is in.
fn oneof<'s>(field: &FieldView<'s, '_>) -> Option<&'s str> {
    let index = field.field.oneof.filter(|_| field.part == Part::Whole)?;
    field.message?.oneofs.get(index as usize).map(|oneof| &*oneof.name.text)
}

/// The options of the field itself; the parts of a map have none.
fn own_options<'s, 'a>(field: &FieldView<'s, 'a>) -> &'s [OptionNode<'a>] {
    if field.part == Part::Whole { &field.field.ast.options } else { &[] }
}

/// Whether the new enum has the old one's short name and all its values.
fn is_widened(pair: &FieldPair<'_, '_, '_>) -> bool {
    let enums = pair.fields.map(|field| match field.kind() {
        Some(Kind::Enum(id)) => Some(field.schema.enumeration(id)),
        _ => None,
    });
    let (Some(old), Some(new)) = (enums.old, enums.new) else { return false };
    let has =
        |name: &str, number: i64| new.ast.values.iter().any(|value| value.name.text == name && value.number == number);
    simple(&old.full_name) == simple(&new.full_name)
        && old.ast.values.iter().all(|value| has(&value.name.text, value.number))
}

/// Types that buf takes to be one on the wire.
fn wire_group(kind: &'static str) -> &'static str {
    match kind {
        "int32" | "int64" | "uint32" | "uint64" | "bool" => "varint",
        "sint32" | "sint64" => "zigzag",
        "fixed32" | "sfixed32" => "32 bits",
        "fixed64" | "sfixed64" => "64 bits",
        other => other,
    }
}

/// Types that buf takes to be one on the wire and in JSON.
fn json_group(kind: &'static str) -> &'static str {
    match kind {
        "int32" | "uint32" => "32-bit varint",
        "int64" | "uint64" => "64-bit varint",
        "fixed32" | "sfixed32" => "32 bits",
        "fixed64" | "sfixed64" => "64 bits",
        other => other,
    }
}

fn is_verified(field: &FieldView<'_, '_>) -> bool {
    field.field.features.utf8
}

/// The features of other languages, as the file, the messages around, the oneof and the field set them.
fn languages(field: &FieldView<'_, '_>) -> Languages {
    let schema = field.schema;
    let file = schema.file(field.field.file);
    let mut languages = Languages::of(file.edition).refine(&file.ast.options);
    let mut around = Vec::new();
    let mut message = field.message;
    while let Some(one) = message {
        around.push(one);
        message = one.parent.map(|parent| schema.message(parent));
    }
    for message in around.iter().rev() {
        languages = languages.refine(&message.ast.options);
    }
    if let (Some(oneof), Some(message)) = (field.field.oneof, field.message)
        && let Some(oneof) = message.oneofs.get(oneof as usize)
    {
        languages = languages.refine(&oneof.options);
    }
    // The parts of a map take what the map sets.
    languages.refine(&field.field.ast.options)
}

fn cpp_string(field: &FieldView<'_, '_>) -> &'static str {
    let ctype = options::find(own_options(field), "ctype").filter(|_| field.edition() < Edition::E2024);
    match ctype.map(options::text).as_deref() {
        Some("CORD") => "CORD",
        Some("STRING_PIECE") => "STRING_PIECE",
        Some("STRING") => "STRING",
        _ => languages(field).cpp_string,
    }
}

fn java_validation(field: &FieldView<'_, '_>) -> &'static str {
    let file = field.schema.file(field.field.file);
    let stated = options::find(&file.ast.options, "java_string_check_utf8");
    let verifies = match stated {
        Some(option) => options::text(option) == "true",
        None if file.edition < Edition::E2023 => false,
        None => languages(field).java_verify,
    };
    if verifies || is_verified(field) { "VERIFY" } else { "NONE" }
}

fn java_span(field: &FieldView<'_, '_>) -> Span {
    let file = field.schema.file(field.field.file);
    let of_file = options::span(&file.ast.options, "java_string_check_utf8");
    let of_field = || options::custom_span(own_options(field), "java", "utf8_validation");
    of_file.or_else(of_field).unwrap_or(field.span())
}
