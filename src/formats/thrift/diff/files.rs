//! What concerns files and generated code: files, namespaces, includes, typedefs, constants and annotations.

use std::sync::Arc;

use crate::change::{ChangeKind, FactKey, Pair, Site, Span};
use crate::ordered::OrderedMap;

use super::super::made::{self, Likeness};
use super::super::model::{Constant, FileId, Schema, SourceFile, Typedef};
use super::super::pairing;
use super::super::relation::{self, Relation};
use super::annotations::both;
use super::differ::Differ;
use super::values::value_text;
use crate::formats::frame::declarations::namesakes;
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::Draft;

impl<'s, 'b> Differ<'s, 'b> {
    /// Compares the files, and what they declare beside types and services.
    pub(super) fn pair_files(&mut self) {
        let (olds, news) = (own_files(self.schemas.old), own_files(self.schemas.new));
        for (path, old) in &olds {
            match news.get(path) {
                Some(new) => self.diff_file(Pair::new(*old, *new)),
                None => {
                    let at = Pair::new(Some(self.schemas.old.site(*old, Span::default())), None);
                    self.push(Draft::new(ChangeKind::FileRemoved, &**path, pairing::declaration("file", path)).at(at));
                }
            }
        }
        for (path, new) in news.iter().filter(|(path, _)| !olds.contains_key(*path)) {
            let at = Pair::new(None, Some(self.schemas.new.site(*new, Span::default())));
            self.push(Draft::new(ChangeKind::FileAdded, &**path, pairing::declaration("file", path)).at(at));
        }
        self.typedefs();
        self.constants();
    }

    fn diff_file(&mut self, ids: Pair<FileId>) {
        let files = Pair::new(self.schemas.old.file(ids.old), self.schemas.new.file(ids.new));
        let path = &*files.new.path;
        let namespaces = files.map(|file| {
            let of = file.namespaces.iter();
            of.map(|(scope, name)| (scope.text.to_string(), (name.text.to_string(), name.span)))
                .collect::<OrderedMap<_, _>>()
        });
        for (scope, values) in both(&namespaces) {
            let identity = pairing::declaration("namespace", &format!("{path} {scope}"));
            let draft = Draft::new(ChangeKind::FileOptionChanged, path, identity)
                .at(self.sites(ids, values.map(|value| value.map(|(_, span)| *span))))
                .fact(FactKey::Name, format!("namespace {scope}"))
                .fact(FactKey::OldValue, values.old.map_or("unset", |(name, _)| name))
                .fact(FactKey::NewValue, values.new.map_or("unset", |(name, _)| name));
            self.push(draft);
        }
        let includes = files.map(|file| {
            let of = file.includes.iter();
            of.map(|include| (include.path.text.to_string(), ((), include.path.span))).collect::<OrderedMap<_, _>>()
        });
        for (included, values) in both(&includes) {
            let identity = pairing::declaration("include", &format!("{path} {included}"));
            let word = |side: Option<&((), Span)>| if side.is_some() { "include" } else { "none" };
            let draft = Draft::new(ChangeKind::ImportChanged, path, identity)
                .at(self.sites(ids, values.map(|value| value.map(|(_, span)| *span))))
                .fact(FactKey::Name, included)
                .values(values.map(word));
            self.push(draft);
        }
    }

    fn sites(&self, ids: Pair<FileId>, spans: Pair<Option<Span>>) -> Pair<Option<Site>> {
        Pair::new(
            spans.old.map(|span| self.schemas.old.site(ids.old, span)),
            spans.new.map(|span| self.schemas.new.site(ids.new, span)),
        )
    }

    fn typedefs(&mut self) {
        let schemas = self.schemas;
        for (name, pair) in namesakes(schemas, schemas.map(|schema| &schema.typedefs[..])) {
            let direction = match (pair.old, pair.new) {
                (Some(old), Some(new)) => {
                    let types = Pair::new(&old.ty, &new.ty);
                    match relation::relation(schemas, types) {
                        Relation::Same | Relation::StructReplaced | Relation::EnumReplaced => continue,
                        _ => "changed",
                    }
                }
                (Some(_), None) => "removed",
                (None, _) => "added",
            };
            let at = schemas.zip(pair, |schema, one| one.map(|one| schema.name_site(one)));
            let spelled = |schema: &Schema<'_>, one: Option<&Typedef<'_>>| {
                one.map_or_else(|| "none".to_owned(), |one| schema.spelled(&one.ty))
            };
            let draft = Draft::new(ChangeKind::TypedefChanged, name, pairing::declaration("typedef", name))
                .at(at)
                .fact(FactKey::Direction, direction)
                .fact(FactKey::OldType, spelled(schemas.old, pair.old))
                .fact(FactKey::NewType, spelled(schemas.new, pair.new));
            self.push(draft);
        }
    }

    fn constants(&mut self) {
        let schemas = self.schemas;
        for (name, pair) in namesakes(schemas, schemas.map(|schema| &schema.constants[..])) {
            let direction = match (pair.old, pair.new) {
                (Some(old), Some(new)) => {
                    let same_type = schemas.old.spelled(&old.ty) == schemas.new.spelled(&new.ty);
                    // Where only the defaults of its structs differ, that is told of them.
                    let (types, values) = (Pair::new(&old.ty, &new.ty), Pair::new(&old.value, &new.value));
                    if same_type && (made::same_text(values) || made::same(schemas, types, values) == Likeness::Same) {
                        continue;
                    }
                    "changed"
                }
                (Some(_), None) => "removed",
                (None, _) => "added",
            };
            let at = schemas.zip(pair, |schema, one| one.map(|one| schema.name_site(one)));
            let text = |schema: &Schema<'_>, one: Option<&Constant<'_>>| {
                one.map_or_else(
                    || "none".to_owned(),
                    |one| format!("{} {}", schema.spelled(&one.ty), value_text(&one.value)),
                )
            };
            let draft = Draft::new(ChangeKind::ConstantChanged, name, pairing::declaration("constant", name))
                .at(at)
                .fact(FactKey::Direction, direction)
                .fact(FactKey::OldValue, text(schemas.old, pair.old))
                .fact(FactKey::NewValue, text(schemas.new, pair.new));
            self.push(draft);
        }
    }
}

fn own_files(schema: &Schema<'_>) -> OrderedMap<Arc<str>, FileId> {
    let ids = (0..).map(FileId);
    let own = schema.files.iter().zip(ids).filter(|(file, _): &(&SourceFile<'_>, FileId)| !file.is_library);
    own.map(|(file, id)| (file.path.clone(), id)).collect()
}
