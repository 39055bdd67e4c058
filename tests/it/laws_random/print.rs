//! The model as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::schema::{
    EXTENSIONS, Enum, Field, File, Id, KNOWN, Message, Named, OPTIONS, Presence, Schema, Shape, Syntax, Type,
    is_closed, is_option,
};

/// The files: path → text.
pub fn print(schema: &Schema) -> BTreeMap<String, String> {
    let names = schema.names();
    let paths: Vec<&str> = schema.files.iter().map(|file| file.path.as_str()).collect();
    let printed = schema.files.iter().enumerate().map(|(index, file)| {
        let page = Page { file, names: &names };
        (file.path.clone(), page.print(index, &paths))
    });
    printed.collect()
}

struct Page<'s> {
    file: &'s File,
    names: &'s BTreeMap<Id, Named>,
}

impl Page<'_> {
    fn print(&self, index: usize, paths: &[&str]) -> String {
        let mut text = match self.file.syntax {
            Syntax::Proto2 => "syntax = \"proto2\";\n".to_owned(),
            Syntax::Proto3 => "syntax = \"proto3\";\n".to_owned(),
            Syntax::Edition2023 => "edition = \"2023\";\n".to_owned(),
            Syntax::Edition2024 => "edition = \"2024\";\n".to_owned(),
        };
        if !self.file.package.is_empty() {
            let _ = writeln!(text, "package {};", self.file.package);
        }
        for import in self.imports(index, paths) {
            let _ = writeln!(text, "import \"{import}\";");
        }
        if self.file.syntax.is_edition() {
            for (feature, value) in &self.file.features {
                let _ = writeln!(text, "option features.{feature} = {value};");
            }
        }
        self.file.enums.iter().for_each(|one| self.enumeration(one, 0, &mut text));
        self.file.messages.iter().for_each(|message| self.message(message, 0, &mut text));
        for extend in &self.file.extends {
            let option = OPTIONS.iter().find(|(id, _)| *id == extend.extendee).map(|(_, name)| *name);
            let extendee = option.unwrap_or_else(|| &self.names[&extend.extendee].full_name);
            let _ = writeln!(text, "extend .{extendee} {{");
            self.field(&extend.field, None, 1, &mut text);
            text.push_str("}\n");
        }
        for service in &self.file.services {
            let _ = writeln!(text, "service {} {{", service.name);
            for method in &service.methods {
                let stream = |is: bool| if is { "stream " } else { "" };
                let (input, output) = (&self.names[&method.input].full_name, &self.names[&method.output].full_name);
                let (asks, answers) = (stream(method.streams.0), stream(method.streams.1));
                let _ = writeln!(text, "  rpc {}({asks}.{input}) returns ({answers}.{output});", method.name);
            }
            text.push_str("}\n");
        }
        text
    }

    fn imports(&self, index: usize, paths: &[&str]) -> BTreeSet<String> {
        let mut types = Vec::new();
        self.file.messages.iter().for_each(|message| types_of(message, &mut types));
        types.extend(self.file.extends.iter().flat_map(|extend| [extend.field.ty, Type::Named(extend.extendee)]));
        let methods = self.file.services.iter().flat_map(|service| &service.methods);
        types.extend(methods.flat_map(|method| [Type::Named(method.input), Type::Named(method.output)]));
        let import = |ty: Type| match ty {
            Type::Scalar(_) => None,
            Type::Named(id) => {
                self.names.get(&id).filter(|named| named.file != index).map(|named| paths[named.file].to_owned())
            }
            Type::Known(name) => {
                let file = KNOWN.iter().find(|(known, _)| *known == name).map_or("empty", |(_, file)| file);
                Some(format!("google/protobuf/{file}.proto"))
            }
        };
        let mut imports: BTreeSet<String> = types.into_iter().filter_map(import).collect();
        if self.file.extends.iter().any(|extend| is_option(extend.extendee)) {
            imports.insert("google/protobuf/descriptor.proto".to_owned());
        }
        imports
    }

    fn message(&self, message: &Message, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        let _ = writeln!(text, "{indent}message {} {{", message.name);
        self.content(message, depth + 1, text);
        let _ = writeln!(text, "{indent}}}");
    }

    fn content(&self, message: &Message, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        let is_edition = self.file.syntax.is_edition();
        for number in &message.reserved_numbers {
            let _ = writeln!(text, "{indent}reserved {number};");
        }
        for name in &message.reserved_names {
            let quote = if is_edition { "" } else { "\"" };
            let _ = writeln!(text, "{indent}reserved {quote}{name}{quote};");
        }
        if message.is_extensible && self.file.syntax != Syntax::Proto3 {
            let _ = writeln!(text, "{indent}extensions {} to {};", EXTENSIONS.start, EXTENSIONS.end - 1);
        }
        message.enums.iter().for_each(|one| self.enumeration(one, depth, text));
        let groups: BTreeSet<Id> =
            message.fields.iter().filter(|field| self.is_inline(field)).filter_map(type_id).collect();
        for inner in message.messages.iter().filter(|inner| !groups.contains(&inner.id)) {
            self.message(inner, depth, text);
        }
        for field in message.fields.iter().filter(|field| field.oneof.is_none()) {
            self.field(field, Some(message), depth, text);
        }
        for oneof in &message.oneofs {
            let members: Vec<&Field> = message.fields.iter().filter(|field| field.oneof == Some(oneof.id)).collect();
            if members.is_empty() {
                continue;
            }
            let _ = writeln!(text, "{indent}oneof {} {{", oneof.name);
            members.into_iter().for_each(|field| self.field(field, Some(message), depth + 1, text));
            let _ = writeln!(text, "{indent}}}");
        }
    }

    fn is_inline(&self, field: &Field) -> bool {
        field.is_group && self.file.syntax == Syntax::Proto2
    }

    /// One field; `parent` is `None` for extensions.
    fn field(&self, field: &Field, parent: Option<&Message>, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        let label = self.label(field);
        let options = self.options(field, parent.is_none());
        let options = if options.is_empty() { String::new() } else { format!(" [{}]", options.join(", ")) };
        let group = parent
            .filter(|_| self.is_inline(field))
            .and_then(|parent| parent.messages.iter().find(|inner| Type::Named(inner.id) == field.ty));
        if let Some(group) = group {
            let _ = writeln!(text, "{indent}{label}group {} = {} {{", group.name, field.number);
            self.content(group, depth + 1, text);
            let _ = writeln!(text, "{indent}}}");
            return;
        }
        let ty = match field.shape {
            Shape::Map(key) => format!("map<{key}, {}>", self.type_name(field.ty)),
            Shape::Singular | Shape::Repeated => self.type_name(field.ty),
        };
        let _ = writeln!(text, "{indent}{label}{ty} {} = {}{options};", field.name, field.number);
    }

    fn type_name(&self, ty: Type) -> String {
        match ty {
            Type::Scalar(name) => name.to_owned(),
            Type::Named(id) => format!(".{}", self.names[&id].full_name),
            Type::Known(name) => format!(".google.protobuf.{name}"),
        }
    }

    fn label(&self, field: &Field) -> &'static str {
        match (field.shape, self.file.syntax, field.presence) {
            (Shape::Map(_), ..) => "",
            (Shape::Repeated, ..) => "repeated ",
            _ if field.oneof.is_some() => "",
            (_, Syntax::Proto2, Presence::Required) => "required ",
            (_, Syntax::Proto2, _) | (_, Syntax::Proto3, Presence::Explicit) => "optional ",
            (_, Syntax::Proto3 | Syntax::Edition2023 | Syntax::Edition2024, _) => "",
        }
    }

    fn is_message(&self, field: &Field) -> bool {
        match field.ty {
            Type::Scalar(_) => false,
            Type::Known(_) => true,
            Type::Named(id) => self.names[&id].enumeration.is_none(),
        }
    }

    fn options(&self, field: &Field, is_extension: bool) -> Vec<String> {
        let mut options = Vec::new();
        let is_singular = field.shape == Shape::Singular;
        let is_packable = match field.ty {
            Type::Scalar(name) => !["string", "bytes"].contains(&name),
            Type::Named(_) | Type::Known(_) => !self.is_message(field),
        };
        let is_packable = field.shape == Shape::Repeated && is_packable;
        if self.file.syntax.is_edition() {
            options.extend(self.features(field, is_extension, is_packable));
        } else if let Some(packed) = field.packed.filter(|_| is_packable) {
            options.push(format!("packed = {packed}"));
        }
        let may_have_default = self.file.syntax != Syntax::Proto3 && is_singular && !self.file.is_implicit(field);
        let default = field.default.filter(|_| may_have_default).and_then(|seed| self.default(field, seed));
        options.extend(default.map(|value| format!("default = {value}")));
        options.extend(field.json_name.as_ref().map(|name| format!("json_name = \"{name}\"")));
        options.extend(field.deprecated.then(|| "deprecated = true".to_owned()));
        options
    }

    fn features(&self, field: &Field, is_extension: bool, is_packable: bool) -> Vec<String> {
        let mut features = Vec::new();
        let is_message = self.is_message(field);
        let presence = match field.presence {
            Presence::Plain => None,
            Presence::Explicit => Some("EXPLICIT"),
            Presence::Implicit => Some("IMPLICIT").filter(|_| !is_message),
            Presence::Required => Some("LEGACY_REQUIRED"),
        };
        if field.shape == Shape::Singular && field.oneof.is_none() && !is_extension {
            features.extend(presence.map(|value| format!("features.field_presence = {value}")));
        }
        if let Some(packed) = field.packed.filter(|_| is_packable) {
            let value = if packed { "PACKED" } else { "EXPANDED" };
            features.push(format!("features.repeated_field_encoding = {value}"));
        }
        let is_map = matches!(field.shape, Shape::Map(_));
        if let Some(utf8) = field.utf8.filter(|_| field.ty == Type::Scalar("string") && !is_map) {
            features.push(format!("features.utf8_validation = {}", if utf8 { "VERIFY" } else { "NONE" }));
        }
        let delimited = field.delimited.or(field.is_group.then_some(true));
        if let Some(delimited) = delimited.filter(|_| is_message && !is_map) {
            let value = if delimited { "DELIMITED" } else { "LENGTH_PREFIXED" };
            features.push(format!("features.message_encoding = {value}"));
        }
        features
    }

    fn default(&self, field: &Field, seed: i64) -> Option<String> {
        let small = seed.rem_euclid(5);
        Some(match field.ty {
            Type::Known(_) => return None,
            Type::Named(id) => {
                let facts = self.names[&id].enumeration.as_ref()?;
                facts.names.get(small as usize % facts.names.len().max(1))?.clone()
            }
            Type::Scalar("bool") => (small % 2 == 0).to_string(),
            Type::Scalar("string" | "bytes") => format!("\"{}\"", "x".repeat(small as usize)),
            Type::Scalar("double" | "float") => ["-0.0", "0.0", "2.5", "nan", "-inf"][small as usize].to_owned(),
            Type::Scalar("uint32" | "uint64" | "fixed32" | "fixed64") => small.to_string(),
            Type::Scalar(_) => (small - 2).to_string(),
        })
    }

    fn enumeration(&self, one: &Enum, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        let _ = writeln!(text, "{indent}enum {} {{", one.name);
        let is_edition = self.file.syntax.is_edition();
        if is_edition && one.is_closed.is_some() {
            let value = if is_closed(self.file, one) { "CLOSED" } else { "OPEN" };
            let _ = writeln!(text, "{indent}  option features.enum_type = {value};");
        }
        let numbers: BTreeSet<i32> = one.values.iter().map(|value| value.number).collect();
        if numbers.len() < one.values.len() {
            let _ = writeln!(text, "{indent}  option allow_alias = true;");
        }
        for number in &one.reserved {
            let _ = writeln!(text, "{indent}  reserved {number};");
        }
        for name in &one.reserved_names {
            let quote = if is_edition { "" } else { "\"" };
            let _ = writeln!(text, "{indent}  reserved {quote}{name}{quote};");
        }
        for value in &one.values {
            let _ = writeln!(text, "{indent}  {} = {};", value.name, value.number);
        }
        let _ = writeln!(text, "{indent}}}");
    }
}

fn type_id(field: &Field) -> Option<Id> {
    match field.ty {
        Type::Named(id) => Some(id),
        Type::Scalar(_) | Type::Known(_) => None,
    }
}

fn types_of(message: &Message, types: &mut Vec<Type>) {
    types.extend(message.fields.iter().map(|field| field.ty));
    message.messages.iter().for_each(|inner| types_of(inner, types));
}
