//! Names of one scope, which must differ.

use crate::change::Span;
use crate::ordered::InOrder;

use super::ast::{self, Type};
use super::universe::FileContext;

/// A declared name, its place and what it names.
pub(super) type Named<'n> = (&'n str, Span, &'static str);

/// Names of one scope must differ.
pub(super) fn check_names(context: &mut FileContext<'_, '_>, scope: &str, mut names: Vec<Named<'_>>) {
    names.sort_in_order_by_key(|(name, span, _)| (*name, span.start));
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
        let help = match (*first, *second) {
            ("field", _) | (_, "field") => {
                "rename one of the two; a change of a field's name does not change its bytes"
            }
            _ => "rename one of the two",
        };
        context.error(*span, message, help);
    }
}

fn with_article(what: &str) -> String {
    let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {what}")
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
