//! The second pass: the fields, extensions and methods of one file, every type resolved and every feature decided.

use std::borrow::Cow;

use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::syntax::problem::Problem;

use super::ast::{self, Label, OptionValueKind, Type};
use super::features;
use super::link_scope::{Entity, Found, Wanted};
use super::model::{
    Cardinality, Constant, Edition, EnumId, Features, Field, FileId, Kind, MessageId, Method, Presence,
};
use super::options_standard::{boolean, standard};
use super::universe::FileContext;

/// The largest field number.
pub(super) const MAX_NUMBER: i64 = 536_870_911;

/// What one file declares, in the order of declaration.
#[derive(Debug, Default)]
pub(super) struct Resolved<'a> {
    /// The fields of each message of the file.
    pub(super) fields: Vec<Vec<Field<'a>>>,
    /// Each extension of the file.
    pub(super) extensions: Vec<Field<'a>>,
    /// The methods of each service of the file.
    pub(super) methods: Vec<Vec<Method<'a>>>,
    /// What is wrong.
    pub(super) problems: Vec<Problem>,
}

/// Resolves everything that one file declares.
pub(super) fn resolve<'a>(mut context: FileContext<'_, 'a>) -> Resolved<'a> {
    let mut resolved = Resolved::default();
    let declared = context.declared().clone();
    for index in declared.messages {
        resolved.fields.push(message_fields(&mut context, index));
    }
    for index in declared.extensions {
        resolved.extensions.push(extension(&mut context, index));
    }
    for service in &context.schema().services[declared.services] {
        let methods = service.ast.methods.iter().map(|method| Method {
            ast: method,
            input: message_type(&mut context, &service.full_name, &method.input),
            output: message_type(&mut context, &service.full_name, &method.output),
        });
        resolved.methods.push(methods.collect());
    }
    resolved.problems = context.problems;
    resolved
}

fn message_fields<'a>(context: &mut FileContext<'_, 'a>, index: usize) -> Vec<Field<'a>> {
    let message = &context.schema().messages[index];
    let mut fields = Vec::with_capacity(message.ast.fields.len());
    let edition = context.file().edition;
    for field in &message.ast.fields {
        let oneof = field.oneof.and_then(|oneof| message.oneofs.get(oneof as usize));
        let parent =
            oneof.map_or(message.features, |oneof| features::refine(edition, message.features, &oneof.options));
        let place = Place { scope: &message.full_name, parent, groups: &message.messages };
        if (1..=MAX_NUMBER).contains(&field.number) {
            fields.push(build(context, place, field));
        }
    }
    drop_repeated(&mut fields);
    fields
}

/// Of fields that share a number or a name the first stays: the others are reported, and identify nothing.
fn drop_repeated(fields: &mut Vec<Field<'_>>) {
    let mut numbers = FxHashSet::with_capacity_and_hasher(fields.len(), FxBuildHasher);
    let mut names: FxHashSet<&str> = FxHashSet::with_capacity_and_hasher(fields.len(), FxBuildHasher);
    if fields.iter().all(|field| numbers.insert(field.number) && names.insert(&field.name)) {
        return;
    }
    let mut kept: Vec<Field<'_>> = Vec::with_capacity(fields.len());
    for field in fields.drain(..) {
        if !kept.iter().any(|before| before.number == field.number || before.name == field.name) {
            kept.push(field);
        }
    }
    *fields = kept;
}

fn extension<'a>(context: &mut FileContext<'_, 'a>, index: usize) -> Field<'a> {
    let schema = context.schema();
    let declared = &schema.extensions[index];
    let scope = context.universe.extension_scopes[index];
    let parent = scope.parent.map(|parent| schema.message(parent));
    let place = Place {
        scope: parent.map_or(&context.file().package, |parent| &parent.full_name),
        parent: parent.map_or(context.file().features, |parent| parent.features),
        groups: parent.map_or(&context.file().messages, |parent| &parent.messages),
    };
    let mut field = build(context, place, declared.ast);
    let first_of_block = scope.block.fields.first().is_some_and(|first| std::ptr::eq(first, declared.ast));
    let reported = context.problems.len();
    field.extendee = extendee(context, place.scope, &scope.block.extendee);
    if !first_of_block {
        context.problems.truncate(reported); // One report for the block.
    }
    field.name = declared.name.clone();
    field.json_name = format!("[{}]", declared.name).into();
    field.is_extension = true;
    if field.cardinality == Cardinality::Singular && field.presence == Presence::Implicit {
        field.presence = Presence::Explicit;
    }
    field
}

fn extendee(context: &mut FileContext<'_, '_>, scope: &str, name: &ast::Name<'_>) -> Option<MessageId> {
    match find_type(context, scope, name)? {
        Entity::Message(id) => Some(id),
        Entity::Enum(_) | Entity::Service(_) | Entity::Extension(_) | Entity::Value(_) | Entity::Package => {
            context.error(
                name.span,
                format!("`{}` is not a message, so it cannot be extended", name.text),
                "name a message that has an `extensions` statement",
            );
            None
        }
    }
}

fn message_type(context: &mut FileContext<'_, '_>, scope: &str, name: &ast::Name<'_>) -> Option<MessageId> {
    match find_type(context, scope, name)? {
        Entity::Message(id) => Some(id),
        Entity::Enum(_) | Entity::Service(_) | Entity::Extension(_) | Entity::Value(_) | Entity::Package => {
            context.error(
                name.span,
                format!("`{}` is not a message; methods take and give messages", name.text),
                "wrap the value in a message",
            );
            None
        }
    }
}

/// What surrounds a field.
#[derive(Clone, Copy)]
struct Place<'p> {
    /// The full name in which names are looked up.
    scope: &'p str,
    /// The features it inherits.
    parent: Features,
    /// The messages that the groups beside it declare, by index.
    groups: &'p [MessageId],
}

/// The field's own name: for a group the lower-cased name of its message.
pub(super) fn field_name<'a>(field: &'a ast::Field<'a>) -> Cow<'a, str> {
    match field.ty {
        Type::Group(_) => Cow::Owned(field.name.text.to_ascii_lowercase()),
        Type::Named(_) | Type::Map { .. } => Cow::Borrowed(&field.name.text),
    }
}

fn build<'a>(context: &mut FileContext<'_, 'a>, place: Place<'_>, ast: &'a ast::Field<'a>) -> Field<'a> {
    let edition = context.file().edition;
    let name = field_name(ast);
    let label = ast.label.map(|(label, _)| label);
    let (kind, cardinality) = field_type(context, place, ast, label);
    let features = field_features(edition, place.parent, ast, label);
    let is_text = kind == Kind::String || cardinality == Cardinality::Map { key: Kind::String };
    let field = Field {
        json_name: json_name(ast, &name),
        name,
        number: i32::try_from(ast.number).unwrap_or(0),
        kind,
        cardinality,
        presence: presence(kind, cardinality, ast, label, features),
        oneof: ast.oneof,
        packed: cardinality == Cardinality::Repeated && kind.is_packable() && features.packed,
        delimited: matches!(kind, Kind::Message(_))
            && !matches!(cardinality, Cardinality::Map { .. })
            && features.delimited,
        utf8: is_text && features.utf8,
        default: None,
        features,
        extendee: None,
        is_extension: false,
        file: context.id,
        ast,
    };
    let default = default(context, &field);
    Field { default, ..field }
}

fn field_type(
    context: &mut FileContext<'_, '_>,
    place: Place<'_>,
    ast: &ast::Field<'_>,
    label: Option<Label>,
) -> (Kind, Cardinality) {
    let cardinality = if label == Some(Label::Repeated) { Cardinality::Repeated } else { Cardinality::Singular };
    match &ast.ty {
        Type::Named(name) => (value_kind(context, place.scope, name), cardinality),
        Type::Group(index) => {
            (place.groups.get(*index as usize).map_or(Kind::Opaque, |id| Kind::Message(*id)), cardinality)
        }
        Type::Map { key, value } => {
            let key = value_kind(context, place.scope, key);
            (value_kind(context, place.scope, value), Cardinality::Map { key })
        }
    }
}

fn value_kind(context: &mut FileContext<'_, '_>, scope: &str, name: &ast::Name<'_>) -> Kind {
    if let Some(kind) = scalar(&name.text) {
        return kind;
    }
    match find_type(context, scope, name) {
        Some(Entity::Message(id)) => Kind::Message(id),
        Some(Entity::Enum(id)) => Kind::Enum(id),
        Some(Entity::Service(_) | Entity::Extension(_) | Entity::Value(_) | Entity::Package) => {
            context.error(
                name.span,
                format!("`{}` is neither a message nor an enum, so a field cannot hold it", name.text),
                "name a scalar type, a message or an enum",
            );
            Kind::Opaque
        }
        None => Kind::Opaque,
    }
}

fn scalar(word: &str) -> Option<Kind> {
    Some(match word {
        "double" => Kind::Double,
        "float" => Kind::Float,
        "int32" => Kind::Int32,
        "int64" => Kind::Int64,
        "uint32" => Kind::Uint32,
        "uint64" => Kind::Uint64,
        "sint32" => Kind::Sint32,
        "sint64" => Kind::Sint64,
        "fixed32" => Kind::Fixed32,
        "fixed64" => Kind::Fixed64,
        "sfixed32" => Kind::Sfixed32,
        "sfixed64" => Kind::Sfixed64,
        "bool" => Kind::Bool,
        "string" => Kind::String,
        "bytes" => Kind::Bytes,
        _ => return None,
    })
}

/// Resolves the name of a type and reports it when that fails, unless the type may stand in a file that is missing.
fn find_type(context: &mut FileContext<'_, '_>, scope: &str, name: &ast::Name<'_>) -> Option<Entity> {
    let found = context.universe.symbols.find(context.id, scope, &name.text, Wanted::Type);
    match found {
        Found::Entity(entity, file) => {
            check_visibility(context, entity, file, name);
            Some(entity)
        }
        _ if context.is_incomplete() => {
            context.unsure(name.span, &name.text);
            None
        }
        Found::Hidden(full_name) => {
            context.error(
                name.span,
                format!("`{}` means `{full_name}` here, which does not exist: names are searched from the innermost scope outwards", name.text),
                format!("write `.{}` to start from the outermost scope", name.text.trim_start_matches('.')),
            );
            None
        }
        Found::NotImported(file) => {
            let path = context.path_of(file).clone();
            context.error(
                name.span,
                format!("`{}` is declared in {path}, which this file does not import", name.text),
                format!("add `import \"{path}\";`"),
            );
            None
        }
        Found::Missing => {
            context.error(
                name.span,
                format!("`{}` is not defined", name.text),
                "declare it, import the file that does, or correct the name",
            );
            None
        }
    }
}

/// A type that is `local` to another file cannot be used (editions 2024 and later).
fn check_visibility(context: &mut FileContext<'_, '_>, entity: Entity, file: FileId, name: &ast::Name<'_>) {
    if file == context.id {
        return;
    }
    let schema = context.schema();
    let (visibility, is_nested, full_name) = match entity {
        Entity::Message(id) => {
            (schema.message(id).ast.visibility, schema.message(id).parent.is_some(), &schema.message(id).full_name)
        }
        Entity::Enum(id) => (
            schema.enumeration(id).ast.visibility,
            schema.enumeration(id).parent.is_some(),
            &schema.enumeration(id).full_name,
        ),
        Entity::Service(_) | Entity::Extension(_) | Entity::Value(_) | Entity::Package => return,
    };
    let owner = schema.file(file);
    let is_local = match visibility {
        Some((ast::Visibility::Local, _)) => true,
        Some((ast::Visibility::Export, _)) => false,
        None => default_visibility(owner.edition, owner.ast).is_local(is_nested),
    };
    if is_local {
        let path = context.path_of(file).clone();
        context.error(
            name.span,
            format!("`{full_name}` is local to {path}, so other files cannot use it"),
            format!("write `export` before its declaration in {path}, or use another type"),
        );
    }
}

/// Which declarations other files may use when they do not say it themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DefaultVisibility {
    /// All of them.
    ExportAll,
    /// Those at the top level.
    ExportTopLevel,
    /// None.
    LocalAll,
    /// None, and nested ones cannot be exported.
    Strict,
}

impl DefaultVisibility {
    const fn is_local(self, is_nested: bool) -> bool {
        match self {
            DefaultVisibility::ExportAll => false,
            DefaultVisibility::ExportTopLevel => is_nested,
            DefaultVisibility::LocalAll | DefaultVisibility::Strict => true,
        }
    }
}

/// The file's `default_symbol_visibility`.
pub(super) fn default_visibility(edition: Edition, file: &ast::File<'_>) -> DefaultVisibility {
    let own = features::own(&file.options, "default_symbol_visibility").map(|value| &value.kind);
    match own {
        Some(OptionValueKind::Identifier { text: "EXPORT_ALL", .. }) => DefaultVisibility::ExportAll,
        Some(OptionValueKind::Identifier { text: "EXPORT_TOP_LEVEL", .. }) => DefaultVisibility::ExportTopLevel,
        Some(OptionValueKind::Identifier { text: "LOCAL_ALL", .. }) => DefaultVisibility::LocalAll,
        Some(OptionValueKind::Identifier { text: "STRICT", .. }) => DefaultVisibility::Strict,
        _ => match edition {
            Edition::Proto2 | Edition::Proto3 | Edition::E2023 => DefaultVisibility::ExportAll,
            Edition::E2024 => DefaultVisibility::ExportTopLevel,
            Edition::E2026 => DefaultVisibility::Strict,
        },
    }
}

fn field_features(edition: Edition, parent: Features, ast: &ast::Field<'_>, label: Option<Label>) -> Features {
    let mut features = features::refine(edition, parent, &ast.options);
    if edition >= Edition::E2023 {
        return features;
    }
    match label {
        Some(Label::Required) => features.field_presence = Presence::Required,
        Some(Label::Optional) => features.field_presence = Presence::Explicit,
        Some(Label::Repeated) | None => {}
    }
    if let Some(packed) = boolean(&ast.options, "packed") {
        features.packed = packed;
    }
    if matches!(ast.ty, Type::Group(_)) {
        features.delimited = true;
    }
    features
}

fn presence(
    kind: Kind,
    cardinality: Cardinality,
    ast: &ast::Field<'_>,
    label: Option<Label>,
    features: Features,
) -> Presence {
    if cardinality != Cardinality::Singular {
        return Presence::Implicit;
    }
    let tracks_anyway = ast.oneof.is_some() || matches!(kind, Kind::Message(_) | Kind::Opaque);
    match (label, features.field_presence) {
        (Some(Label::Required), _) | (_, Presence::Required) => Presence::Required,
        (Some(Label::Optional), _) | (_, Presence::Explicit) => Presence::Explicit,
        (_, Presence::Implicit) if tracks_anyway => Presence::Explicit,
        (_, Presence::Implicit) => Presence::Implicit,
    }
}

impl Kind {
    /// Whether repeated values can be packed.
    pub(super) const fn is_packable(self) -> bool {
        match self {
            Kind::String | Kind::Bytes | Kind::Message(_) | Kind::Opaque => false,
            Kind::Double
            | Kind::Float
            | Kind::Int32
            | Kind::Int64
            | Kind::Uint32
            | Kind::Uint64
            | Kind::Sint32
            | Kind::Sint64
            | Kind::Fixed32
            | Kind::Fixed64
            | Kind::Sfixed32
            | Kind::Sfixed64
            | Kind::Bool
            | Kind::Enum(_) => true,
        }
    }
}

fn json_name<'a>(ast: &'a ast::Field<'a>, name: &Cow<'a, str>) -> Cow<'a, str> {
    if let Some(option) = standard(&ast.options, "json_name")
        && let OptionValueKind::Bytes(bytes) = &option.value.kind
    {
        return String::from_utf8_lossy(bytes);
    }
    if name.contains('_') { lower_camel(name).into() } else { name.clone() }
}

/// The name that a field has in JSON unless it says otherwise.
pub(super) fn lower_camel(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    let mut raise = false;
    for character in name.chars() {
        if character == '_' {
            raise = true;
        } else if raise {
            result.push(character.to_ascii_uppercase());
            raise = false;
        } else {
            result.push(character);
        }
    }
    result
}

fn default(context: &mut FileContext<'_, '_>, field: &Field<'_>) -> Option<Constant> {
    let option = standard(&field.ast.options, "default")?;
    let value = &option.value;
    match constant(context, field.kind, &value.kind) {
        Ok(constant) => constant,
        Err((message, help)) => {
            context.refuse(value.span, message, help);
            None
        }
    }
}

type Wrong = (String, String);

fn constant(context: &FileContext<'_, '_>, kind: Kind, value: &OptionValueKind<'_>) -> Result<Option<Constant>, Wrong> {
    let constant = match kind {
        Kind::Double => Constant::Float(float(value)?),
        #[expect(clippy::cast_possible_truncation, reason = "a float default is rounded to single precision")]
        Kind::Float => Constant::Float(f64::from(float(value)? as f32)),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => integer(value, i128::from(i32::MIN), i128::from(i32::MAX))?,
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => integer(value, i128::from(i64::MIN), i128::from(i64::MAX))?,
        Kind::Uint32 | Kind::Fixed32 => integer(value, 0, i128::from(u32::MAX))?,
        Kind::Uint64 | Kind::Fixed64 => integer(value, 0, i128::from(u64::MAX))?,
        Kind::Bool => match value {
            OptionValueKind::Identifier { text: "true", negative: false } => Constant::Bool(true),
            OptionValueKind::Identifier { text: "false", negative: false } => Constant::Bool(false),
            _ => return Err(wrong("a bool's default is `true` or `false`")),
        },
        Kind::String | Kind::Bytes => match value {
            OptionValueKind::Bytes(bytes) => Constant::Bytes(bytes.to_vec()),
            _ => return Err(wrong("the default of a string or bytes field is a text in quotes")),
        },
        Kind::Message(_) => {
            return Err(("a message field cannot have a default".to_owned(), "take the default out".to_owned()));
        }
        Kind::Enum(id) => Constant::Enum(enum_value(context, id, value)?),
        Kind::Opaque => return Ok(None),
    };
    Ok(Some(constant))
}

fn wrong(message: &str) -> Wrong {
    (message.to_owned(), "correct the default or take it out".to_owned())
}

fn integer(value: &OptionValueKind<'_>, min: i128, max: i128) -> Result<Constant, Wrong> {
    let OptionValueKind::Integer { magnitude, negative } = value else {
        return Err(wrong("the default of an integer field is an integer"));
    };
    if *negative && min == 0 {
        return Err(wrong("an unsigned field cannot have a negative default"));
    }
    let number = if *negative { -i128::from(*magnitude) } else { i128::from(*magnitude) };
    if number < min || number > max {
        return Err(wrong(&format!("the default is out of range: the type holds {min} to {max}")));
    }
    Ok(Constant::Int(number))
}

fn float(value: &OptionValueKind<'_>) -> Result<f64, Wrong> {
    let sign = |negative: bool| if negative { -1.0 } else { 1.0 };
    match value {
        OptionValueKind::Float(number) => Ok(*number),
        #[expect(
            clippy::cast_precision_loss,
            reason = "as protoc reads an integer where a number with a point is meant"
        )]
        OptionValueKind::Integer { magnitude, negative } => Ok(*magnitude as f64 * sign(*negative)),
        OptionValueKind::Identifier { text: "inf", negative } => Ok(f64::INFINITY * sign(*negative)),
        OptionValueKind::Identifier { text: "nan", .. } => Ok(f64::NAN),
        OptionValueKind::Identifier { .. }
        | OptionValueKind::Bytes(_)
        | OptionValueKind::Message(_)
        | OptionValueKind::List(_) => Err(wrong("the default of a float or double field is a number, `inf` or `nan`")),
    }
}

fn enum_value(context: &FileContext<'_, '_>, id: EnumId, value: &OptionValueKind<'_>) -> Result<i32, Wrong> {
    let item = context.schema().enumeration(id);
    let OptionValueKind::Identifier { text, negative: false } = value else {
        return Err(wrong("the default of an enum field is the name of one of its values"));
    };
    match item.ast.values.iter().find(|value| value.name.text == *text) {
        Some(value) => Ok(i32::try_from(value.number).unwrap_or(0)),
        None => {
            Err((format!("enum `{}` has no value named `{text}`", item.full_name), "name one of its values".to_owned()))
        }
    }
}
