//! A declaration that both sides have: its options, its keywords and the file it stands in.

use crate::change::{ChangeKind, FactKey, Pair, Span};
use crate::formats::frame::differ::Draft;

use super::super::ast::{OptionNode, Visibility};
use super::super::model::FileId;
use super::super::pairing;
use super::options::differences;
use super::state::Differ;

/// A declaration that both sides have.
#[derive(Clone, Copy)]
pub(super) struct Declared<'x> {
    pub role: &'static str,
    pub path: &'x str,
    pub top_level: bool,
    pub files: Pair<FileId>,
    pub names: Pair<Span>,
}

impl Differ<'_, '_> {
    /// Options of anything but a field or a file.
    pub(super) fn type_options(&mut self, context: &Declared<'_>, options: Pair<&Vec<OptionNode<'_>>>) {
        let slices = Pair::new(&**options.old, &**options.new);
        let features = self.language_features(context.files, slices, false);
        for difference in differences(options.old, options.new, &["idempotency_level"]).into_iter().chain(features) {
            let identity = pairing::declaration("option", &format!("{} {}", context.path, difference.name));
            let at = Pair::new(
                self.old_site(context.files.old, difference.at.old.unwrap_or(context.names.old)),
                self.new_site(context.files.new, difference.at.new.unwrap_or(context.names.new)),
            );
            let draft = Draft::new(ChangeKind::TypeOptionChanged, context.path, identity).at(at);
            self.push(difference.state(draft).fact(FactKey::Role, context.role));
        }
    }

    /// The `export` and `local` keywords.
    pub(super) fn visibility(&mut self, context: &Declared<'_>, keywords: Pair<Option<(Visibility, Span)>>) {
        let word = |keyword: Option<(Visibility, Span)>| match keyword {
            Some((Visibility::Export, _)) => "export",
            Some((Visibility::Local, _)) => "local",
            None => "default",
        };
        if word(keywords.old) == word(keywords.new) {
            return;
        }
        let at = Pair::new(
            self.old_site(context.files.old, keywords.old.map_or(context.names.old, |(_, span)| span)),
            self.new_site(context.files.new, keywords.new.map_or(context.names.new, |(_, span)| span)),
        );
        let identity = pairing::declaration("visibility", context.path);
        let draft = Draft::new(ChangeKind::VisibilityChanged, context.path, identity)
            .at(at)
            .fact(FactKey::OldValue, word(keywords.old))
            .fact(FactKey::NewValue, word(keywords.new));
        self.push(draft);
    }

    /// A top-level declaration in another file.
    pub(super) fn moved(&mut self, context: &Declared<'_>) {
        let old = &self.schemas.old.file(context.files.old).path;
        let new = &self.schemas.new.file(context.files.new).path;
        let is_supplied = self.schemas.zip(context.files, |schema, file| schema.file(file).is_builtin);
        // What a compiler brings along stands nowhere in the repository.
        if !context.top_level || old == new || is_supplied.old || is_supplied.new {
            return;
        }
        let draft = Draft::new(ChangeKind::TypeMoved, context.path, pairing::declaration("moved", context.path))
            .at(Pair::new(
                self.old_site(context.files.old, context.names.old),
                self.new_site(context.files.new, context.names.new),
            ))
            .fact(FactKey::OldValue, &**old)
            .fact(FactKey::NewValue, &**new);
        self.push(draft);
    }
}
