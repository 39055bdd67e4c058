//! What protoc refuses about declarations, file by file. Options are checked in [`super::options`].
//!
//! The order inside a file is that of the checks, not of the text; whoever reports sorts.

use crate::change::Span;

use super::ast::{OptionValueKind, Type};
use super::features;
use super::link::{FileContext, is_true, standard};
use super::link_fields::{DefaultVisibility, default_visibility};
use super::model::{Edition, EnumId, MessageId};
use super::{ast, validate_enums, validate_extensions, validate_fields, validate_messages, validate_style};

pub(super) use super::validate_shared::shared_names;

/// Checks everything that one file declares.
pub(super) fn check(context: &mut FileContext<'_, '_>) {
    let declared = context.declared().clone();
    check_file(context);
    check_top_level_names(context);
    for index in declared.messages {
        let id = MessageId(u32::try_from(index).expect("ids are of 32 bits"));
        validate_messages::check(context, id);
        validate_fields::check_message(context, id);
    }
    for index in declared.enums {
        validate_enums::check(context, EnumId(u32::try_from(index).expect("ids are of 32 bits")));
    }
    for index in declared.extensions {
        validate_fields::check_extension(context, index);
        validate_extensions::check(context, index);
    }
    for service in &context.schema().services[declared.services] {
        let names = service.ast.methods.iter().map(|method| (method.name.text.as_ref(), method.name.span, "method"));
        check_names(context, &service.full_name, names.collect());
    }
    validate_style::check(context);
}

/// A declared name, its place and what it names.
pub(super) type Named<'n> = (&'n str, Span, &'static str);

/// Names of one scope must differ.
pub(super) fn check_names(context: &mut FileContext<'_, '_>, scope: &str, mut names: Vec<Named<'_>>) {
    names.sort_unstable_by_key(|(name, span, _)| (*name, span.start));
    for pair in names.windows(2) {
        let [(name, _, first), (again, span, second)] = pair else { continue };
        if name != again {
            continue;
        }
        let of = if scope.is_empty() { String::new() } else { format!(" in `{scope}`") };
        let message = if *first == "enum value" || *second == "enum value" {
            format!(
                "`{name}` is declared twice{of}, as {} and as {}: names of enum values live beside their enum, as in C++",
                with_article(first),
                with_article(second)
            )
        } else {
            format!("`{name}` is declared twice{of}, as {} and as {}", with_article(first), with_article(second))
        };
        context.error(*span, message, "rename one of the two; a change of a field's name does not change its bytes");
    }
}

fn with_article(what: &str) -> String {
    let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {what}")
}

fn check_top_level_names(context: &mut FileContext<'_, '_>) {
    let ast = context.file().ast;
    let mut names: Vec<Named<'_>> = Vec::new();
    names.extend(ast.messages.iter().map(|item| (item.name.text.as_ref(), item.name.span, "message")));
    names.extend(ast.services.iter().map(|item| (item.name.text.as_ref(), item.name.span, "service")));
    add_enums(&mut names, &ast.enums);
    let extensions = extension_names(&ast.extends);
    names.extend(extensions.iter().map(|(name, span)| (name.as_str(), *span, "extension")));
    check_names(context, &context.file().package, names);
}

/// Enums and their values share the scope around them.
pub(super) fn add_enums<'n>(names: &mut Vec<Named<'n>>, enums: &'n [ast::Enum<'n>]) {
    for item in enums {
        names.push((&item.name.text, item.name.span, "enum"));
        names.extend(item.values.iter().map(|value| (value.name.text.as_ref(), value.name.span, "enum value")));
    }
}

/// The simple names of extensions, those of groups in lower case.
pub(super) fn extension_names(blocks: &[ast::Extend<'_>]) -> Vec<(String, Span)> {
    let fields = blocks.iter().flat_map(|block| &block.fields);
    fields
        .map(|field| match field.ty {
            Type::Group(_) => (field.name.text.to_ascii_lowercase(), field.name.span),
            Type::Named(_) | Type::Map { .. } => (field.name.text.to_string(), field.name.span),
        })
        .collect()
}

fn check_file(context: &mut FileContext<'_, '_>) {
    let file = context.file();
    check_imports(context);
    let presence = features::own(&file.ast.options, "field_presence");
    if let Some(value) = presence
        && matches!(value.kind, OptionValueKind::Identifier { text: "LEGACY_REQUIRED", .. })
        && file.edition >= Edition::E2023
    {
        context.refuse(
            value.span,
            "a file cannot make every field required",
            "set `field_presence = LEGACY_REQUIRED` on the fields that are meant",
        );
    }
    if file.edition >= Edition::E2023
        && let Some(option) = standard(&file.ast.options, "java_string_check_utf8")
    {
        context.refuse(
            option.span,
            "`java_string_check_utf8` does not exist in editions",
            "use the feature `(pb.java).utf8_validation`",
        );
    }
    let generic = ["cc_generic_services", "java_generic_services"];
    if is_lite(&file.ast.options) && generic.iter().any(|option| is_true(&file.ast.options, option)) {
        for service in &file.ast.services {
            context.refuse(
                service.name.span,
                format!(
                    "service `{}` stands in a file with `optimize_for = LITE_RUNTIME` and generic services",
                    service.name.text
                ),
                "set `cc_generic_services` and `java_generic_services` to false, or optimize for something else",
            );
        }
    }
    if default_visibility(file.edition, file.ast) == DefaultVisibility::Strict {
        for message in &file.ast.messages {
            check_nested_exports(context, message);
        }
    }
}

/// Whether a file's code is generated for the lite runtime.
pub(super) fn is_lite(options: &[ast::OptionNode<'_>]) -> bool {
    standard(options, "optimize_for")
        .is_some_and(|option| matches!(option.value.kind, OptionValueKind::Identifier { text: "LITE_RUNTIME", .. }))
}

fn check_imports(context: &mut FileContext<'_, '_>) {
    let file = context.file();
    for (index, import) in file.ast.imports.iter().enumerate() {
        if file.ast.imports[..index].iter().any(|before| before.path == import.path) {
            context.refuse(
                import.span,
                format!("`{}` is imported twice", import.path),
                "take one of the two imports out",
            );
        }
        let Some(target) = file.imports.get(index).copied().flatten() else { continue };
        if is_lite(&context.schema().file(target).ast.options) && !is_lite(&file.ast.options) {
            context.refuse(
                import.span,
                format!(
                    "`{}` is made for the lite runtime, which files of the full runtime cannot import",
                    import.path
                ),
                "set `option optimize_for = LITE_RUNTIME;` here too, or remove it there",
            );
        }
    }
}

fn check_nested_exports(context: &mut FileContext<'_, '_>, message: &ast::Message<'_>) {
    let is_namespace = !matches!(message.visibility, Some((ast::Visibility::Export, _)))
        && message.fields.is_empty()
        && message
            .reserved
            .iter()
            .flat_map(|statement| &statement.ranges)
            .any(|range| range.start == 1 && range.to_max);
    let nested = message.messages.iter().map(|inner| (&inner.name, inner.visibility, false));
    let enums = message.enums.iter().map(|inner| (&inner.name, inner.visibility, is_namespace));
    for (name, visibility, is_allowed) in nested.chain(enums) {
        if let Some((ast::Visibility::Export, span)) = visibility
            && !is_allowed
        {
            context.refuse(
                span,
                format!("`{}` is nested and cannot be exported under `default_symbol_visibility = STRICT`", name.text),
                "move it to the top level, or take `export` out",
            );
        }
    }
    for inner in &message.messages {
        check_nested_exports(context, inner);
    }
}
