//! What protoc refuses about declarations, file by file. Options are checked in [`super::options`].
//!
//! The order inside a file is that of the checks, not of the text; whoever reports sorts.

use super::ast::OptionValueKind;
use super::features;
use super::link_fields::{DefaultVisibility, default_visibility};
use super::model::{Edition, EnumId, MessageId};
use super::options_standard::{is_lite, is_true, standard};
use super::universe::FileContext;
use super::validate_names::{Named, add_enums, check_names, extension_names};
use super::{ast, validate_enums, validate_extensions, validate_fields, validate_messages, validate_style};

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
