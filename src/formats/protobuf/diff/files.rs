//! Files: package, syntax, options, imports.

use crate::change::{ChangeKind, FactKey, Pair, Span};
use crate::formats::frame::differ::{Draft, yes};
use crate::ordered::OrderedMap;

use super::super::ast::ImportModifier;
use super::super::model::{Edition, File, FileId, Schema};
use super::super::pairing;
use super::options::differences;
use super::state::{Differ, Path};

impl<'a> Differ<'_, 'a> {
    /// Compares the files that both sides have under one path.
    pub(super) fn pair_files(&mut self) {
        let (olds, news) = (own_files(self.schemas.old), own_files(self.schemas.new));
        for (path, old) in &olds {
            if let Some(new) = news.get(path) {
                self.diff_file(Pair::new(*old, *new));
            }
        }
    }

    fn diff_file(&mut self, ids: Pair<FileId>) {
        let files = Pair::new(self.schemas.old.file(ids.old), self.schemas.new.file(ids.new));
        let Pair { old, new } = files;
        if std::ptr::eq(old.ast, new.ast) {
            return;
        }
        if old.package != new.package {
            let at =
                Pair::new(self.old_site(ids.old, old.ast.package_span), self.new_site(ids.new, new.ast.package_span));
            let draft = Draft::new(ChangeKind::PackageChanged, &*new.path, pairing::declaration("package", &new.path))
                .at(at)
                .fact(FactKey::OldName, package_text(&old.package))
                .fact(FactKey::NewName, package_text(&new.package));
            self.push(draft);
            self.pair_by_package(ids);
        }
        if old.edition != new.edition {
            let span = |file: &File<'_>| file.ast.syntax.as_ref().map_or(Span::new(0, 0), |statement| statement.span);
            let draft = Draft::new(ChangeKind::SyntaxChanged, &*new.path, pairing::declaration("syntax", &new.path))
                .at(Pair::new(self.old_site(ids.old, span(old)), self.new_site(ids.new, span(new))))
                .fact(FactKey::OldValue, edition_text(old.edition))
                .fact(FactKey::NewValue, edition_text(new.edition));
            self.push(draft);
        }
        let features = self.language_features(ids, files.map(|file| &*file.ast.options), true);
        for difference in differences(&old.ast.options, &new.ast.options, &[]).into_iter().chain(features) {
            let identity = pairing::declaration("option", &format!("{} {}", new.path, difference.name));
            let at = Pair::new(
                difference.at.old.and_then(|span| self.old_site(ids.old, span)),
                difference.at.new.and_then(|span| self.new_site(ids.new, span)),
            );
            let draft = Draft::new(ChangeKind::FileOptionChanged, &*new.path, identity).at(at);
            self.push(difference.state(draft));
        }
        self.diff_imports(ids, files);
    }

    fn diff_imports(&mut self, ids: Pair<FileId>, files: Pair<&File<'a>>) {
        let imports = files.map(|file| {
            file.ast
                .imports
                .iter()
                .map(|import| (&*import.path, (import.modifier, import.span)))
                .collect::<OrderedMap<_, _>>()
        });
        let paths: crate::ordered::OrderedSet<&str> = imports.old.keys().chain(imports.new.keys()).copied().collect();
        for path in paths {
            let (old, new) = (imports.old.get(path), imports.new.get(path));
            if old.map(|(modifier, _)| modifier) == new.map(|(modifier, _)| modifier) {
                continue;
            }
            let word =
                |side: Option<&(ImportModifier, Span)>| side.map_or("none", |(modifier, _)| modifier_text(*modifier));
            let was_public = matches!(old, Some((ImportModifier::Public, _)));
            let is_public = matches!(new, Some((ImportModifier::Public, _)));
            let identity = pairing::declaration("import", &format!("{} {path}", files.new.path));
            let draft = Draft::new(ChangeKind::ImportChanged, &*files.new.path, identity)
                .at(Pair::new(
                    old.and_then(|(_, span)| self.old_site(ids.old, *span)),
                    new.and_then(|(_, span)| self.new_site(ids.new, *span)),
                ))
                .fact(FactKey::Name, path)
                .values(Pair::new(word(old), word(new)))
                .fact(FactKey::Role, if was_public && !is_public { "public-removed" } else { "other" });
            self.push(draft);
        }
    }

    /// Files without a counterpart.
    pub(super) fn leftover_files(&mut self) {
        let (olds, news) = (own_files(self.schemas.old), own_files(self.schemas.new));
        for (path, id) in &olds {
            if news.contains_key(path) {
                continue;
            }
            let file = self.schemas.old.file(*id);
            let all_continue = file.messages.iter().all(|message| self.declared.has_old(*message))
                && file.enums.iter().all(|declared| self.declared_enums.has_old(*declared));
            let draft = Draft::new(ChangeKind::FileRemoved, &**path, pairing::declaration("file", path))
                .at(Pair::new(self.old_site(*id, first_span(file)), None))
                .fact(FactKey::Needed, yes(!all_continue));
            self.push(draft);
        }
        for (path, id) in &news {
            if !olds.contains_key(path) {
                let at = Pair::new(None, self.new_site(*id, first_span(self.schemas.new.file(*id))));
                self.push(Draft::new(ChangeKind::FileAdded, &**path, pairing::declaration("file", path)).at(at));
            }
        }
    }
}

fn own_files(schema: &Schema<'_>) -> OrderedMap<Path, FileId> {
    let ids = (0..).map(FileId);
    let files = schema.files.iter().zip(ids).filter(|(file, _)| !file.is_builtin);
    files.map(|(file, id)| (file.path.clone(), id)).collect()
}

fn first_span(file: &File<'_>) -> Span {
    file.ast.syntax.as_ref().map_or(file.ast.package_span, |statement| statement.span)
}

fn modifier_text(modifier: ImportModifier) -> &'static str {
    match modifier {
        ImportModifier::Plain => "import",
        ImportModifier::Public => "import public",
        ImportModifier::Weak => "import weak",
        ImportModifier::Option => "import option",
    }
}

fn edition_text(edition: Edition) -> &'static str {
    match edition {
        Edition::Proto2 => "proto2",
        Edition::Proto3 => "proto3",
        Edition::E2023 => "edition 2023",
        Edition::E2024 => "edition 2024",
        Edition::E2026 => "edition 2026",
    }
}

/// A package as messages spell it; a file need not have one.
fn package_text(package: &str) -> &str {
    if package.is_empty() { "(none)" } else { package }
}
