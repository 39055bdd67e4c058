//! Descriptor sets and buf's images → the schemas they were made from.
//!
//! A set is read with the codec of this format, under the definition that is built in, and each file in it is printed as
//! source. From there on it is a schema like any other. With source info every element stands on the line it came from.
//! Options of a set's own are known by the extensions that the set defines; what nothing defines is told and left out.

mod members;
mod options;
mod page;
mod print;

use serde_json::Value as Json;

use crate::formats::check::CheckOptions;
use crate::ordered::OrderedSet;
use crate::snapshot::Snapshot;
use crate::value::{Record, Value};

use self::members::{records, text};
use super::codec::{self, Input, Types};
use super::model::{Kind, MessageId, Schema};
use super::{builtin, json, with_schema};

/// How a set is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The binary encoding.
    Binary,
    /// ProtoJSON.
    Json,
}

/// A set, printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decoded {
    /// Its files, in its order.
    pub files: Vec<DecodedFile>,
    /// Options that nothing in the set defines, in words.
    pub left_out: Vec<String>,
}

/// One file of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedFile {
    /// The path by which it is imported.
    pub path: String,
    /// Its source.
    pub text: String,
    /// Whether elements stand on the lines they came from.
    pub has_places: bool,
    /// Whether it only supplies types: buf says so, or it is one of the well-known files.
    pub is_import: bool,
}

/// What a set is read under before its own extensions are known.
const FRAME: &str = "syntax = \"proto2\";\nimport \"google/protobuf/descriptor.proto\";\n\
    import \"google/protobuf/cpp_features.proto\";\nimport \"google/protobuf/java_features.proto\";\n\
    import \"google/protobuf/go_features.proto\";\nimport \"google/protobuf/c_sharp_features.proto\";\n";

/// The name of that file; no import can lead to it.
const FRAME_PATH: &str = "\u{1}/set.proto";

/// buf's own field of a file: whether it is an import, among others.
const BUF_EXTENSION: i32 = 8042;

/// Reads a set.
///
/// # Errors
/// Why the bytes are no set of schemas, in words without a final period.
pub fn read(form: Form, bytes: &[u8]) -> Result<Decoded, String> {
    let input = Encoded::new(form, bytes)?;
    let mut decoded = input.decode(Snapshot::from_files([(FRAME_PATH, FRAME.as_bytes().to_vec())]))?;
    if decoded.files.is_empty() {
        return Err("it holds no schema".to_owned());
    }
    // Options of its own are told from anything else only with the definitions in it.
    if !decoded.left_out.is_empty() && decoded.files.iter().any(|file| file.text.contains("extend ")) {
        let own = decoded.files.iter().filter(|file| builtin::find(&file.path).is_none());
        let own = own.map(|file| (file.path.as_str(), file.text.clone().into_bytes()));
        let frame = std::iter::once((FRAME_PATH, FRAME.as_bytes().to_vec()));
        decoded = input.decode(Snapshot::from_files(frame.chain(own)))?;
    }
    Ok(decoded)
}

/// The bytes of a set, looked at once.
struct Encoded<'b> {
    bytes: &'b [u8],
    json: Option<Json>,
    /// The files that only supply types, by position.
    imports: OrderedSet<usize>,
}

impl<'b> Encoded<'b> {
    fn new(form: Form, bytes: &'b [u8]) -> Result<Self, String> {
        match form {
            Form::Binary => Ok(Encoded { bytes, json: None, imports: binary_imports(bytes)? }),
            Form::Json => {
                let json: Json = serde_json::from_slice(bytes).map_err(|error| format!("it is not JSON: {error}"))?;
                if json.get("file").and_then(Json::as_array).is_none() {
                    return Err("its JSON has no list `file`, as a FileDescriptorSet has".to_owned());
                }
                let imports = json_imports(&json);
                Ok(Encoded { bytes, json: Some(json), imports })
            }
        }
    }

    /// Reads and prints it under a schema that has the definition of descriptors.
    fn decode(&self, frame: Snapshot) -> Result<Decoded, String> {
        with_schema(&frame, &CheckOptions::default(), |schema, _| {
            let types = Types::of(schema);
            let id = message_id(schema, "google.protobuf.FileDescriptorSet").ok_or("the definition is missing")?;
            let read = match &self.json {
                Some(_) => json::read(types, id, self.bytes),
                None => codec::decode(types, id, self.bytes),
            };
            let set = read.map_err(|error| format!("it is not a set of schemas: {}", error.reason))?;
            let mut unknown = OrderedSet::new();
            match &self.json {
                Some(json) => unknown_members(schema, json, &mut unknown),
                None => unknown_fields(types, id, self.bytes, &mut unknown),
            }
            let files: Vec<&Record> = records(&set, 1).collect();
            if let Some(name) = files.iter().find_map(|file| forged(types, file, names_of(file))) {
                return Err(format!("`{name}` in it is no name, and would say something else in a schema"));
            }
            let names = print::Names::of(&files);
            let print = |(index, file): (usize, &&Record)| -> Result<DecodedFile, String> {
                let path = text(file, 1).ok_or("a file in it has no name")?;
                let printed = print::file(types, &names, file)?;
                let is_import = self.imports.contains(&index) || builtin::find(&path).is_some();
                Ok(DecodedFile { text: printed.text, has_places: printed.has_places, path, is_import })
            };
            let files = files.iter().enumerate().map(print).collect::<Result<Vec<_>, String>>()?;
            Ok(Decoded { files, left_out: unknown.into_iter().collect() })
        })
    }
}

/// The fields of descriptors that hold names, which are printed as they are. Reserved names are, in editions.
const NAMES: &[&str] =
    &["reserved_name", "default_value", "name", "package", "type_name", "extendee", "input_type", "output_type"];

fn names_of(file: &Record) -> &'static [&'static str] {
    if text(file, 12).as_deref() == Some("editions") { NAMES } else { &NAMES[1..] }
}

/// The first text in a descriptor that stands where a name is printed and is none.
fn forged(types: Types<'_, '_>, record: &Record, names: &[&str]) -> Option<String> {
    let id = MessageId(record.ty);
    let descriptor = types.schema.message(id).full_name.strip_prefix("google.protobuf.")?;
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_.+-".contains(char);
    record.fields.iter().find_map(|(number, value)| {
        let field = types.field(id, *number)?;
        let is_path = descriptor == "FileDescriptorProto" && field.name == "name";
        let holds_name = descriptor.ends_with("DescriptorProto") && names.contains(&&*field.name) && !is_path;
        let is_quoted = field.name == "default_value" && [Some(9), Some(12)].contains(&members::number(record, 5));
        let one = |value: &Value| match value {
            Value::Record(inner) => forged(types, inner, names),
            Value::Text(bytes) if holds_name && !is_quoted => {
                let text = String::from_utf8_lossy(bytes).into_owned();
                (!text.chars().all(is_plain)).then_some(text)
            }
            _ => None,
        };
        match value {
            Value::List(values) => values.iter().find_map(one),
            value => one(value),
        }
    })
}

fn message_id(schema: &Schema<'_>, name: &str) -> Option<MessageId> {
    schema.messages_by_name.get(name).and_then(|ids| ids.first()).copied()
}

/// The files that buf marks as imports.
fn binary_imports(bytes: &[u8]) -> Result<OrderedSet<usize>, String> {
    let mut imports = OrderedSet::new();
    let mut index = 0;
    for (number, file) in fields(bytes)? {
        if number == 1 {
            let marked = fields(file)?.into_iter().filter(|(number, _)| *number == BUF_EXTENSION);
            if marked.into_iter().any(|(_, extension)| extension.windows(2).next() == Some(&[0x08, 0x01])) {
                imports.insert(index);
            }
            index += 1;
        }
    }
    Ok(imports)
}

fn json_imports(json: &Json) -> OrderedSet<usize> {
    let files = json.get("file").and_then(Json::as_array).into_iter().flatten();
    let marked = |file: &Json| {
        let extension = file.get("bufExtension").or_else(|| file.get("buf_extension"));
        extension.and_then(|extension| extension.get("isImport").or_else(|| extension.get("is_import")))
            == Some(&Json::Bool(true))
    };
    files.enumerate().filter(|(_, file)| marked(file)).map(|(index, _)| index).collect()
}

/// The length-prefixed fields of a message.
fn fields(bytes: &[u8]) -> Result<Vec<(i32, &[u8])>, String> {
    const LENGTH_PREFIXED: u32 = 2;
    let mut input = Input(bytes);
    let mut found = Vec::new();
    while !input.0.is_empty() {
        let mut next = || -> Result<(), codec::ReadError> {
            let (number, wire) = input.tag()?;
            match wire {
                LENGTH_PREFIXED => {
                    let length = input.varint()?;
                    found.push((number, input.take(length)?));
                }
                _ => codec::skip(number, wire, &mut input, codec::Nesting::top())?,
            }
            Ok(())
        };
        next().map_err(|error| format!("it is not a set of schemas: {}", error.reason))?;
    }
    Ok(found)
}

/// What a set says that its definition does not know: options without a definition. buf's own field is known.
fn unknown_fields(types: Types<'_, '_>, id: MessageId, bytes: &[u8], unknown: &mut OrderedSet<String>) {
    let mut input = Input(bytes);
    let name = &types.schema.message(id).full_name;
    while let Ok((number, wire)) = input.tag() {
        let known = types.field(id, number);
        let is_message = |kind: Kind| matches!(kind, Kind::Message(_));
        match (known, wire) {
            (Some(field), 2) if is_message(field.kind) => {
                let Some(inner) = input.varint().and_then(|length| input.take(length)).ok() else { return };
                if let Kind::Message(id) = field.kind {
                    unknown_fields(types, id, inner, unknown);
                }
                continue;
            }
            (None, _) if number != BUF_EXTENSION => {
                unknown.insert(format!("the option with the number {number} of {name}"));
            }
            _ => {}
        }
        if codec::skip(number, wire, &mut input, codec::Nesting::top()).is_err() {
            return;
        }
    }
}

/// Members in brackets that name no extension.
fn unknown_members(schema: &Schema<'_>, json: &Json, unknown: &mut OrderedSet<String>) {
    match json {
        Json::Object(members) => {
            for (name, value) in members {
                let extension = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
                if let Some(name) = extension.filter(|name| !schema.extensions.iter().any(|known| known.name == *name))
                {
                    unknown.insert(format!("the option ({name})"));
                }
                unknown_members(schema, value, unknown);
            }
        }
        Json::Array(values) => values.iter().for_each(|value| unknown_members(schema, value, unknown)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

#[cfg(test)]
mod tests;
