//! Whether a change of one file concerns others.
//!
//! Others take from a file its package, its imports, its names, what enums and extensions say, and what an option may set: the fields of
//! its messages, where they have a name, a type, a label and a oneof. Whoever sets a field in an option spells its name, and
//! whoever means a type that is new, or declares one of the same name, spells that. Numbers, new fields and methods are
//! nobody else's.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::ast::{Enum, Field, File, ImportModifier, Label, Message, OptionNode, Service, Type};
use super::parse::STYLE;
use crate::change::Span;
use crate::formats::frame::Concerned;
use crate::ordered::OrderedSet;
use crate::syntax::lexer::{Lexer, TokenKind};
use crate::syntax::problems::Problems;

/// The names by which others may take from the new text what they did not find in the old one, or found as something else;
/// `None` where they may take something by other means.
pub(super) fn stays_inside(old: &File<'_>, new: &File<'_>) -> Option<Concerned> {
    let (was, is) = (Text(old.bytes), Text(new.bytes));
    if is_of_the_language(old) || is_of_the_language(new) || was.of_file(old) != is.of_file(new) {
        return None;
    }
    // What is imported for the file alone is seen by nobody else; but what goes may be gone altogether.
    let (_, added) = kept_and_added(&old.imports, &new.imports, |import| (import.path.to_string(), import.modifier))?;
    if added.iter().any(|import| import.modifier == ImportModifier::Public) {
        return None;
    }
    let mut found = Comparison { was, is, concerned: Concerned::default() };
    let package = package(new);
    found.services(&old.services, &new.services, package)?;
    found.enums(&old.enums, &new.enums, package)?;
    found.messages(&old.messages, &new.messages, package)?;
    Some(found.concerned)
}

/// The names by which others may take something from a file that is new; `None` where they may do so by other means.
/// Whoever imports it changed, or is known to import something else than before.
pub(super) fn stays_inside_where_new(new: &File<'_>) -> Option<Concerned> {
    if is_of_the_language(new) || !new.extends.is_empty() {
        return None;
    }
    let mut found = Comparison { was: Text(&[]), is: Text(new.bytes), concerned: Concerned::default() };
    let package = package(new);
    found.services(&[], &new.services, package)?;
    found.enums(&[], &new.enums, package)?;
    found.messages(&[], &new.messages, package)?;
    Some(found.concerned)
}

/// Whether every compiler brings it along, so that all extend it and read it.
fn is_of_the_language(file: &File<'_>) -> bool {
    package(file).starts_with("google.protobuf")
}

fn package<'f>(file: &'f File<'_>) -> &'f str {
    file.package.as_ref().map_or("", |package| &*package.text)
}

/// The bytes of a file.
#[derive(Clone, Copy)]
struct Text<'a>(&'a [u8]);

/// What a file tells those who generate code from it, and nobody else.
const OF_GENERATORS: [&str; 14] = [
    "cc_enable_arenas",
    "csharp_namespace",
    "deprecated",
    "go_package",
    "java_generate_equals_and_hash",
    "java_multiple_files",
    "java_outer_classname",
    "java_package",
    "objc_class_prefix",
    "php_class_prefix",
    "php_metadata_namespace",
    "php_namespace",
    "ruby_package",
    "swift_prefix",
];

/// What a part of a text says: its tokens, without the comments between them.
type Said = Vec<u8>;

impl<'a> Text<'a> {
    /// The bytes of a part.
    fn spells(self, span: Span) -> &'a [u8] {
        self.0.get(span.range()).unwrap_or_default()
    }

    fn of(self, span: Span) -> Said {
        let part = self.spells(span);
        let mut said = Vec::with_capacity(part.len());
        let mut lexer = Lexer::new(part, STYLE);
        let mut problems = Problems::new(&Arc::from(""));
        loop {
            let token = lexer.next_token(&mut problems);
            if token.kind == TokenKind::End {
                break;
            }
            said.extend_from_slice(&part[token.span.range()]);
            said.push(b' ');
        }
        // What is no token is left as it is.
        if problems.count() == 0 { said } else { part.to_vec() }
    }

    /// What of a file others see, beside its messages.
    fn of_file(self, file: &File<'_>) -> Vec<Said> {
        let mut parts = vec![file.syntax.as_ref().map_or_else(Vec::new, |statement| self.of(statement.span))];
        parts.push(self.of(file.package_span));
        let concerns_others = |option: &&OptionNode<'_>| match option.name.as_slice() {
            [part] => part.is_extension || !OF_GENERATORS.contains(&&*part.name.text),
            _ => true,
        };
        parts.extend(file.options.iter().filter(concerns_others).map(|option| self.of(option.span)));
        parts.extend(file.extends.iter().map(|one| self.of(one.span)));
        parts
    }

    fn options(self, options: &[OptionNode<'_>]) -> impl Iterator<Item = Said> {
        options.iter().map(move |option| self.of(option.span))
    }

    /// What of a message others see, beside its fields and what is nested in it.
    fn of_message(self, message: &Message<'_>) -> Vec<Said> {
        let visibility = message.visibility.map_or_else(Vec::new, |(_, span)| self.of(span));
        let mut parts = vec![self.of(message.name.span), visibility];
        parts.extend(self.options(&message.options));
        parts.extend(message.extends.iter().map(|one| self.of(one.span)));
        parts.extend(message.oneofs.iter().flat_map(|oneof| &oneof.options).map(|option| self.of(option.span)));
        if !message.extension_ranges.is_empty() {
            // Others put fields of their own into it.
            parts.push(self.of(message.span));
        }
        parts
    }

    /// What of a field an option can meet.
    fn of_field(self, message: &Message<'_>, field: &Field<'_>) -> Option<[Said; 5]> {
        let label = field.label.map_or_else(Vec::new, |(_, span)| self.of(span));
        let oneof = field.oneof.and_then(|index| message.oneofs.get(index as usize));
        let oneof = oneof.map_or_else(Vec::new, |oneof| self.of(oneof.name.span));
        let ty = match &field.ty {
            Type::Named(_) | Type::Map { .. } => self.of(field.type_span),
            // Its message is compared by itself.
            Type::Group(_) => b"group".to_vec(),
        };
        // How a field is present is an option of it.
        let features = field
            .options
            .iter()
            .filter(|option| option.name.first().is_some_and(|part| &*part.name.text == "features"));
        let mut features = features.map(|option| self.of(option.span));
        let feature = features.next().unwrap_or_default();
        features.next().is_none().then_some([self.of(field.name.span), ty, label, oneof, feature])
    }
}

/// Two texts, and what others may find in the one and not in the other.
struct Comparison<'a> {
    was: Text<'a>,
    is: Text<'a>,
    concerned: Concerned,
}

/// What was there before and still is, in the same order, and what is new; `None` where something went.
fn kept_and_added<'n, T, N: PartialEq>(
    old: &[T],
    new: &'n [T],
    name: impl Fn(&T) -> N,
) -> Option<(Vec<&'n T>, Vec<&'n T>)> {
    let names: Vec<N> = old.iter().map(&name).collect();
    let (kept, added): (Vec<&T>, Vec<&T>) = new.iter().partition(|one| names.contains(&name(one)));
    let is_all = kept.len() == old.len() && kept.iter().zip(&names).all(|(one, was)| name(one) == *was);
    is_all.then_some((kept, added))
}

impl Comparison<'_> {
    fn are_spelled_alike(&self, old: Span, new: Span) -> bool {
        let (was, is) = (self.was.spells(old), self.is.spells(new));
        was == is && !was.is_empty()
    }

    /// Notes a new name of a scope.
    fn declare(&mut self, scope: &str, name: &str) {
        self.concerned.declared.push(join(scope, name));
    }

    fn services(&mut self, old: &[Service<'_>], new: &[Service<'_>], scope: &str) -> Option<()> {
        let (kept, added) = kept_and_added(old, new, |one| one.name.text.to_string())?;
        added.iter().for_each(|one| self.declare(scope, &one.name.text));
        let options = |text: Text<'_>, of: &Service<'_>| text.options(&of.options).collect::<Vec<_>>();
        let is_same = |(old, new): (&Service<'_>, &&Service<'_>)| options(self.was, old) == options(self.is, new);
        old.iter().zip(&kept).all(is_same).then_some(())
    }

    fn enums(&mut self, old: &[Enum<'_>], new: &[Enum<'_>], scope: &str) -> Option<()> {
        let (kept, added) = kept_and_added(old, new, |one| one.name.text.to_string())?;
        for one in added {
            self.declare(scope, &one.name.text);
            // Values stand beside their enum, and not in it.
            one.values.iter().for_each(|value| self.declare(scope, &value.name.text));
        }
        for (old, new) in old.iter().zip(kept) {
            if self.are_spelled_alike(old.span, new.span) || self.was.of(old.span) == self.is.of(new.span) {
                continue;
            }
            // What a value means, or that it has no name, is felt wherever the enum or the value is used.
            let had: FxHashSet<&str> = old.values.iter().map(|value| &*value.name.text).collect();
            let values = old.values.iter().chain(&new.values).map(|value| &*value.name.text);
            let felt = values.chain([&*new.name.text]).map(|name| join(scope, name));
            self.concerned.felt.extend(felt.collect::<OrderedSet<_>>());
            for value in new.values.iter().filter(|value| !had.contains(&*value.name.text)) {
                self.declare(scope, &value.name.text);
            }
        }
        Some(())
    }

    fn messages(&mut self, old: &[Message<'_>], new: &[Message<'_>], scope: &str) -> Option<()> {
        let (kept, added) = kept_and_added(old, new, |one| (one.name.text.to_string(), one.is_group))?;
        for one in added {
            if one.is_group || !extends_nothing(one) {
                return None;
            }
            self.declare(scope, &one.name.text);
        }
        for (old, new) in old.iter().zip(kept) {
            if self.are_spelled_alike(old.span, new.span) {
                continue;
            }
            if self.was.of_message(old) != self.is.of_message(new) {
                return None;
            }
            let scope = join(scope, &new.name.text);
            self.fields(old, new, &scope)?;
            self.enums(&old.enums, &new.enums, &scope)?;
            self.messages(&old.messages, &new.messages, &scope)?;
        }
        Some(())
    }

    /// Notes the fields that an option met before, and that are not what they were.
    fn fields(&mut self, old: &Message<'_>, new: &Message<'_>, scope: &str) -> Option<()> {
        let said = |text: Text<'_>, of: &Message<'_>| {
            of.fields.iter().map(|field| text.of_field(of, field)).collect::<Option<Vec<_>>>()
        };
        let (before, now) = (said(self.was, old)?, said(self.is, new)?);
        let (had, has): (FxHashSet<_>, FxHashSet<_>) = (before.iter().collect(), now.iter().collect());
        // What is required of a message is required wherever somebody spells one out, and how a field is present may be said
        // by an option of it.
        let is_free = |field: &Field<'_>, said: &[Said; 5]| {
            !matches!(field.label, Some((Label::Required, _))) && said[4].is_empty()
        };
        let other = |(field, said): &(&Field<'_>, &[Said; 5])| {
            // Its type goes with it.
            let is_type = matches!(field.ty, Type::Map { .. } | Type::Group(_));
            (is_free(field, said) && !is_type).then(|| join(scope, &field.name.text))
        };
        let gone = old.fields.iter().zip(&before).filter(|(_, said)| !has.contains(said));
        let gone: Vec<String> = gone.map(|one| other(&one)).collect::<Option<_>>()?;
        self.concerned.members.extend(gone);
        let mut come = new.fields.iter().zip(&now).filter(|(_, said)| !had.contains(said));
        come.all(|(field, said)| is_free(field, said)).then_some(())
    }
}

fn join(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}.{name}") }
}

/// Whether a message puts nothing into others, and others can put nothing into it.
fn extends_nothing(message: &Message<'_>) -> bool {
    message.extends.is_empty() && message.extension_ranges.is_empty() && message.messages.iter().all(extends_nothing)
}
