//! Values of options as buf compares them.

use crate::change::Span;

use super::super::ast::{LiteralField, OptionNode, OptionValueKind};
use super::super::features::{each_of_language, language};
use super::super::model::Edition;

/// A standard option of that name.
pub(super) fn find<'o, 'a>(options: &'o [OptionNode<'a>], name: &str) -> Option<&'o OptionNode<'a>> {
    options.iter().find(|option| matches!(&*option.name, [part] if !part.is_extension && part.name.text == name))
}

/// Where a standard option stands.
pub(super) fn span(options: &[OptionNode<'_>], name: &str) -> Option<Span> {
    find(options, name).map(|option| option.span)
}

/// The word or the text that an option is set to.
pub(super) fn text(option: &OptionNode<'_>) -> String {
    match &option.value.kind {
        OptionValueKind::Identifier { text, .. } => (*text).to_owned(),
        OptionValueKind::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        OptionValueKind::Integer { magnitude, .. } => magnitude.to_string(),
        OptionValueKind::Float(_) | OptionValueKind::Message(_) | OptionValueKind::List(_) => String::new(),
    }
}

/// The value of an option, or its default.
pub(super) fn text_or(options: &[OptionNode<'_>], name: &str, default: &str) -> String {
    find(options, name).map_or_else(|| default.to_owned(), text)
}

/// Where the element itself sets a feature: the option, or the line of a literal.
pub(super) fn feature_span(options: &[OptionNode<'_>], feature: &str) -> Option<Span> {
    let place = |option: &OptionNode<'_>| {
        let [first, rest @ ..] = &*option.name else { return None };
        match (rest, &option.value.kind) {
            _ if first.is_extension || first.name.text != "features" => None,
            ([part], _) if !part.is_extension && part.name.text == feature => Some(option.span),
            ([], OptionValueKind::Message(fields)) => {
                let sets = |field: &&LiteralField<'_>| !field.is_bracketed && field.name.text == feature;
                fields.iter().find(sets).map(|field| field.span)
            }
            _ => None,
        }
    };
    options.iter().find_map(place)
}

/// The features of other languages that buf looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Languages {
    /// `(pb.cpp).string_type`
    pub cpp_string: &'static str,
    /// `(pb.java).utf8_validation = VERIFY`
    pub java_verify: bool,
}

impl Languages {
    /// What an edition means before any option is applied.
    pub(super) fn of(edition: Edition) -> Self {
        let cpp_string = if edition >= Edition::E2024 { "VIEW" } else { "STRING" };
        Languages { cpp_string, java_verify: false }
    }

    /// Refined by the options of an element.
    pub(super) fn refine(self, options: &[OptionNode<'_>]) -> Self {
        let mut languages = self;
        each_of_language(options, |extension, feature, value, _| languages.set(extension, feature, &value.kind));
        languages
    }

    fn set(&mut self, extension: &str, feature: &str, value: &OptionValueKind<'_>) {
        let is = |word: &str, number: u64| match value {
            OptionValueKind::Identifier { text, negative: false } => *text == word,
            OptionValueKind::Integer { magnitude, negative: false } => *magnitude == number,
            _ => false,
        };
        match (extension, feature) {
            ("cpp", "string_type") => {
                let known = [("VIEW", 1), ("CORD", 2), ("STRING", 3)].into_iter();
                let set = known.filter(|(word, number)| is(word, *number)).map(|(word, _)| word).next();
                self.cpp_string = set.unwrap_or(self.cpp_string);
            }
            ("java", "utf8_validation") => self.java_verify = is("VERIFY", 2),
            _ => {}
        }
    }
}

/// Where the element itself sets a feature of another language, else the features of that language, else features at all
/// in a literal.
pub(super) fn custom_span(options: &[OptionNode<'_>], wanted: &str, feature: &str) -> Option<Span> {
    let mut found = None;
    each_of_language(options, |extension, name, _, span| {
        if extension == wanted && name == feature {
            found = Some(span);
        }
    });
    found.or_else(|| options.iter().find_map(|option| literal_span(option, wanted)))
}

fn literal_span(option: &OptionNode<'_>, wanted: &str) -> Option<Span> {
    let [first, rest @ ..] = &*option.name else { return None };
    let OptionValueKind::Message(fields) = &option.value.kind else { return None };
    match rest {
        _ if first.is_extension || first.name.text != "features" => None,
        [extension] => (extension.is_extension && language(&extension.name.text) == wanted).then_some(option.span),
        [] => {
            let inner = fields.iter().find(|field| field.is_bracketed && language(&field.name.text) == wanted);
            Some(inner.map_or(option.span, |field| field.span))
        }
        _ => None,
    }
}
