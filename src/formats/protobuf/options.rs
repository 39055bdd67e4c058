//! What protoc refuses about options: names that lead nowhere, values of the wrong type, options set twice, and options
//! that do not belong where they stand or when they stand.
//!
//! An option is a path through the message of its kind (`google.protobuf.FieldOptions` and so on): plain parts are
//! fields, parts in parentheses are extensions, looked up from the scope of the element. Literals are checked in
//! [`super::options_literal`].

use crate::change::Span;

use super::ast::{self, OptionNamePart, OptionNode, OptionValueKind};
use super::link_scope::{Entity, Found, Wanted};
use super::model::{Cardinality, Edition, EnumId, Field, Kind, MessageId};
use super::options_literal;
use super::options_support;
use super::options_target::Target;
use super::universe::FileContext;

/// Checks every option of one file.
pub(super) fn check(context: &mut FileContext<'_, '_>) {
    let file = context.file();
    let declared = context.declared().clone();
    let package: &str = &file.package;
    check_element(context, Target::File, package, &file.ast.options);
    for index in declared.messages {
        let message = &context.schema().messages[index];
        let outer = parent_scope(&message.full_name);
        check_element(context, Target::Message, outer, &message.ast.options);
        check_fields(context, &message.full_name, &message.ast.fields);
        for oneof in &message.ast.oneofs {
            check_element(context, Target::Oneof, &message.full_name, &oneof.options);
        }
        for ranges in &message.ast.extension_ranges {
            check_element(context, Target::ExtensionRange, outer, &ranges.options);
        }
        for block in &message.ast.extends {
            check_fields(context, &message.full_name, &block.fields);
        }
    }
    for index in declared.enums {
        let item = &context.schema().enums[index];
        let outer = parent_scope(&item.full_name);
        check_element(context, Target::Enum, outer, &item.ast.options);
        for value in &item.ast.values {
            check_element(context, Target::EnumValue, outer, &value.options);
            options_support::check_definition(context, &value.name, &value.options);
        }
    }
    for block in &file.ast.extends {
        check_fields(context, package, &block.fields);
    }
    for service in &context.schema().services[declared.services] {
        check_element(context, Target::Service, package, &service.ast.options);
        for method in &service.ast.methods {
            check_element(context, Target::Method, &service.full_name, &method.options);
        }
    }
}

fn check_fields(context: &mut FileContext<'_, '_>, scope: &str, fields: &[ast::Field<'_>]) {
    for field in fields {
        check_element(context, Target::Field, scope, &field.options);
        options_support::check_definition(context, &field.name, &field.options);
    }
}

fn parent_scope(full_name: &str) -> &str {
    full_name.rsplit_once('.').map_or("", |(parent, _)| parent)
}

/// The options of one element while they are checked.
pub(super) struct Element<'e> {
    pub(super) target: Target,
    /// Where names of extensions are looked up.
    pub(super) scope: &'e str,
    /// What is set already: paths of field numbers.
    set: Vec<Vec<i32>>,
}

fn check_element(context: &mut FileContext<'_, '_>, target: Target, scope: &str, options: &[OptionNode<'_>]) {
    if options.is_empty() {
        return;
    }
    let Some(root) = options_message(context, target.message()) else { return };
    let mut element = Element { target, scope, set: Vec::new() };
    let mut pseudo: Vec<&str> = Vec::new();
    for option in options {
        match option.name.as_slice() {
            [part]
                if target == Target::Field
                    && !part.is_extension
                    && matches!(part.name.text.as_ref(), "default" | "json_name") =>
            {
                if pseudo.contains(&part.name.text.as_ref()) {
                    report_set_twice(context, option);
                }
                pseudo.push(&part.name.text);
            }
            _ => check_option(context, &mut element, root, option),
        }
    }
}

/// The message of that name: the built-in one, unless there is none.
fn options_message(context: &FileContext<'_, '_>, name: &str) -> Option<MessageId> {
    let universe = context.universe;
    let mut own = None;
    for (entity, file) in universe.symbols.all(name) {
        if let Entity::Message(id) = entity
            && (own.is_none() || Some(file) == universe.descriptor)
        {
            own = Some(id);
        }
    }
    own
}

fn check_option(
    context: &mut FileContext<'_, '_>,
    element: &mut Element<'_>,
    root: MessageId,
    option: &OptionNode<'_>,
) {
    if let Some(first) = option.name.first()
        && !first.is_extension
    {
        if first.name.text == "uninterpreted_option" {
            context.error(first.name.span, "`uninterpreted_option` is kept for compilers", "use another option");
            return;
        }
        if first.name.text == "features" && context.file().edition < Edition::E2023 {
            context.error(
                option.span,
                "features exist in editions only",
                "write `edition = \"2023\";` instead of `syntax`, or take the option out",
            );
            return;
        }
    }
    let mut message = root;
    let mut path: Vec<i32> = Vec::with_capacity(option.name.len());
    for (index, part) in option.name.iter().enumerate() {
        let Some(field) = find_part(context, element, message, option, index) else { return };
        options_support::check_use(context, element.target, field, part.name.span);
        path.push(field.number);
        if index + 1 == option.name.len() {
            check_value(context, element, option, field, &path);
            return;
        }
        message = match (field.kind, field.cardinality) {
            (Kind::Message(inner), Cardinality::Singular) => inner,
            (Kind::Opaque, _) => return,
            (Kind::Message(_), Cardinality::Repeated | Cardinality::Map { .. }) => {
                context.error(
                    part.name.span,
                    format!(
                        "`{}` is a repeated message, so its fields cannot be set one by one",
                        spelled(&option.name[..=index])
                    ),
                    format!("write `{} = {{ … }}` once for each message", spelled(&option.name[..=index])),
                );
                return;
            }
            _ => {
                context.error(
                    part.name.span,
                    format!("`{}` is not a message, so it has no fields to set", spelled(&option.name[..=index])),
                    "end the option's name here",
                );
                return;
            }
        };
    }
}

/// An option's name as people write it.
fn spelled(parts: &[OptionNamePart<'_>]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .map(|part| if part.is_extension { format!("({})", part.name.text) } else { part.name.text.to_string() })
        .collect();
    parts.join(".")
}

/// The field that one part of an option's name means. Reports when there is none.
fn find_part<'u>(
    context: &mut FileContext<'u, '_>,
    element: &Element<'_>,
    message: MessageId,
    option: &OptionNode<'_>,
    index: usize,
) -> Option<&'u Field<'u>> {
    let schema = context.schema();
    let part = &option.name[index];
    let holder = schema.message(message);
    if part.is_extension {
        return find_extension(context, element.scope, &holder.full_name, part, option);
    }
    let found = holder.fields.iter().find(|field| field.name == part.name.text);
    let found = found.or_else(|| in_other_copies(context, &holder.full_name, &part.name.text));
    if found.is_none() {
        let name = spelled(&option.name[..=index]);
        context.aside(
            part.name.span,
            format!("there is no option `{name}`: `{}` has no field `{}`", holder.full_name, part.name.text),
            if index == 0 {
                format!("correct the name; a custom option stands in parentheses, `({name})`")
            } else {
                "correct the name".to_owned()
            },
        );
    }
    found
}

/// A field that only the snapshot's own copy of a standard message has.
fn in_other_copies<'u>(context: &FileContext<'u, '_>, full_name: &str, field: &str) -> Option<&'u Field<'u>> {
    let schema = context.schema();
    let copies = schema.messages_by_name.get(full_name)?;
    copies.iter().find_map(|copy| schema.message(*copy).fields.iter().find(|candidate| candidate.name == field))
}

fn find_extension<'u>(
    context: &mut FileContext<'u, '_>,
    scope: &str,
    holder: &str,
    part: &OptionNamePart<'_>,
    option: &OptionNode<'_>,
) -> Option<&'u Field<'u>> {
    let schema = context.schema();
    let name = &part.name;
    let found = context.universe.symbols.find(context.id, scope, &name.text, Wanted::Anything);
    let extension = match &found {
        Found::Entity(Entity::Extension(id), _) => Some(schema.extension(*id)),
        _ => None,
    };
    let found_depth = extension.map_or(0, |extension| parent_scope(&extension.name).len());
    let hidden =
        !name.text.contains('.') && is_hidden_by_member(context, scope, &name.text, found_depth, extension.is_some());
    if let Some(extension) = extension.filter(|_| !hidden) {
        let extendee = extension.extendee?;
        if *schema.message(extendee).full_name == *holder {
            return Some(extension);
        }
    }
    if context.is_incomplete() && !hidden && extension.is_none() {
        return None; // It may stand in a file that was not found.
    }
    report_no_extension(context, holder, part, option, found, hidden);
    None
}

/// Whether a field, a oneof or an enum value of a message around is found before the extension.
fn is_hidden_by_member(
    context: &FileContext<'_, '_>,
    scope: &str,
    name: &str,
    found_depth: usize,
    is_found: bool,
) -> bool {
    let schema = context.schema();
    let scopes = std::iter::successors(Some(scope), |scope| scope.rsplit_once('.').map(|(outer, _)| outer));
    for inner in scopes.take_while(|inner| !inner.is_empty() && (!is_found || inner.len() > found_depth)) {
        let own = schema.messages_by_name.get(inner).into_iter().flatten().map(|id| schema.message(*id));
        for message in own.filter(|message| message.file == context.id) {
            let is_member = message.fields.iter().any(|field| field.name == name)
                || message.ast.oneofs.iter().any(|oneof| oneof.name.text == name)
                || message.ast.enums.iter().flat_map(|item| &item.values).any(|value| value.name.text == name);
            if is_member {
                return true;
            }
        }
    }
    false
}

fn report_no_extension(
    context: &mut FileContext<'_, '_>,
    holder: &str,
    part: &OptionNamePart<'_>,
    option: &OptionNode<'_>,
    found: Found,
    hidden: bool,
) {
    let name = &part.name.text;
    let absolute = format!("write `.{}` to start from the outermost scope", name.trim_start_matches('.'));
    let (message, help) = match found {
        _ if hidden => {
            (format!("`{name}` means something else in this scope, not an extension of `{holder}`"), absolute)
        }
        Found::Entity(Entity::Extension(_), _) => (
            format!("`{name}` is not an extension of `{holder}`, so it cannot be set here"),
            "set it on what it was declared for".to_owned(),
        ),
        Found::Entity(..) => (format!("`{name}` is not an extension of `{holder}`"), "name an extension".to_owned()),
        Found::Hidden(full_name) => (
            format!(
                "`{name}` means `{full_name}` here, which does not exist: names are searched from the innermost scope outwards"
            ),
            absolute,
        ),
        Found::NotImported(file) => {
            let path = context.path_of(file);
            (
                format!("option `{}` is declared in {path}, which this file does not import", spelled(&option.name)),
                format!("add `import \"{path}\";`"),
            )
        }
        Found::Missing => (
            format!("there is no option `{}`", spelled(&option.name)),
            "correct the name, or import the file that declares the option".to_owned(),
        ),
    };
    context.aside(part.name.span, message, help);
}

fn report_set_twice(context: &mut FileContext<'_, '_>, option: &OptionNode<'_>) {
    context.error(option.name_span, format!("option `{}` is set twice", spelled(&option.name)), "keep one of the two");
}

fn check_value(
    context: &mut FileContext<'_, '_>,
    element: &mut Element<'_>,
    option: &OptionNode<'_>,
    field: &Field<'_>,
    path: &[i32],
) {
    if field.cardinality == Cardinality::Singular {
        if element.set.iter().any(|before| before.starts_with(path)) {
            report_set_twice(context, option);
        }
        element.set.push(path.to_vec());
    }
    match (field.kind, &option.value.kind) {
        (Kind::Opaque, _) => {}
        _ if matches!(field.cardinality, Cardinality::Map { .. }) => {
            options_literal::check_map(context, element.target, field, &option.value);
        }
        (Kind::Message(message), OptionValueKind::Message(fields)) => {
            let mut below = options_literal::Paths { path: path.to_vec(), set: Vec::new() };
            let literal = options_literal::Literal { target: element.target, message, span: option.value.span };
            options_literal::check(context, &literal, fields, &mut below);
            if field.cardinality == Cardinality::Singular {
                element.set.append(&mut below.set);
            }
        }
        (Kind::Message(_), _) => context.error(
            option.value.span,
            format!("option `{}` is a message", spelled(&option.name)),
            format!("write `{0} = {{ … }}`, or set one field with `{0}.field = …`", spelled(&option.name)),
        ),
        (Kind::Enum(id), OptionValueKind::Identifier { text, negative: false }) => {
            check_enum_value(context, id, text, option.value.span)
        }
        (kind, value) => {
            if let Some(wrong) = scalar_offence(context, kind, value) {
                context.error(
                    option.value.span,
                    format!("option `{}` needs {wrong}", spelled(&option.name)),
                    "correct the value",
                );
            }
        }
    }
}

fn check_enum_value(context: &mut FileContext<'_, '_>, id: EnumId, text: &str, span: Span) {
    let item = context.schema().enumeration(id);
    let Some(value) = item.ast.values.iter().find(|value| value.name.text == text) else {
        let names: Vec<&str> = item.ast.values.iter().take(8).map(|value| value.name.text.as_ref()).collect();
        context.error(
            span,
            format!("enum `{}` has no value `{text}`", item.full_name),
            format!("its values are {}", names.join(", ")),
        );
        return;
    };
    options_support::check_enum_value_use(context, item, value, span);
}

/// What a scalar option needs when its value is not that.
fn scalar_offence(context: &FileContext<'_, '_>, kind: Kind, value: &OptionValueKind<'_>) -> Option<String> {
    let integer = |min: i128, max: i128| {
        let number = match value {
            OptionValueKind::Integer { magnitude, negative: false } => Some(i128::from(*magnitude)),
            OptionValueKind::Integer { magnitude, negative: true } => Some(-i128::from(*magnitude)),
            _ => None,
        };
        (!number.is_some_and(|number| (min..=max).contains(&number))).then(|| format!("an integer from {min} to {max}"))
    };
    match kind {
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => integer(i128::from(i32::MIN), i128::from(i32::MAX)),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => integer(i128::from(i64::MIN), i128::from(i64::MAX)),
        Kind::Uint32 | Kind::Fixed32 => integer(0, i128::from(u32::MAX)),
        Kind::Uint64 | Kind::Fixed64 => integer(0, i128::from(u64::MAX)),
        Kind::Double | Kind::Float => match value {
            OptionValueKind::Integer { .. } | OptionValueKind::Float(_) => None,
            OptionValueKind::Identifier { text: "inf" | "nan", .. } => None,
            _ => Some("a number".to_owned()),
        },
        Kind::Bool => match value {
            OptionValueKind::Identifier { text: "true" | "false", negative: false } => None,
            _ => Some("`true` or `false`".to_owned()),
        },
        Kind::String | Kind::Bytes => match value {
            OptionValueKind::Bytes(_) => None,
            _ => Some("a text in quotes".to_owned()),
        },
        Kind::Enum(id) => Some(format!("the name of a value of `{}`", context.schema().enumeration(id).full_name)),
        Kind::Message(_) | Kind::Opaque => None,
    }
}
