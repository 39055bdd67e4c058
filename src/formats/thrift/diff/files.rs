//! What concerns files and generated code: files, namespaces, includes, typedefs, constants and annotations.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::change::{ChangeKind, FactKey, Pair, Site, Span};

use super::super::model::{Annotation, Constant, FileId, Schema, SourceFile, Typedef};
use super::super::pairing;
use super::super::relation::{self, Relation};
use super::fields::{same_value, value_text};
use super::{Differ, Draft};

/// A declaration whose annotations are compared.
pub(super) struct Declared<'n> {
    pub role: &'static str,
    pub path: &'n str,
    pub sites: Pair<Site>,
}

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
                .collect::<BTreeMap<_, _>>()
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
            of.map(|include| (include.path.text.to_string(), ((), include.path.span))).collect::<BTreeMap<_, _>>()
        });
        for (included, values) in both(&includes) {
            let identity = pairing::declaration("include", &format!("{path} {included}"));
            let word = |side: Option<&((), Span)>| if side.is_some() { "include" } else { "none" };
            let draft = Draft::new(ChangeKind::ImportChanged, path, identity)
                .at(self.sites(ids, values.map(|value| value.map(|(_, span)| *span))))
                .fact(FactKey::Name, included)
                .fact(FactKey::OldValue, word(values.old))
                .fact(FactKey::NewValue, word(values.new));
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
        fn own<'s, 'b>(schema: &'s Schema<'b>) -> BTreeMap<&'s str, &'s Typedef<'b>> {
            let own = schema.typedefs.iter().filter(|one| !schema.file(one.file).is_library);
            own.map(|one| (&*one.full_name, one)).collect()
        }
        let (schemas, (olds, news)) = (self.schemas, (own(self.schemas.old), own(self.schemas.new)));
        let names: std::collections::BTreeSet<&str> = olds.keys().chain(news.keys()).copied().collect();
        for name in names {
            let pair = Pair::new(olds.get(name).copied(), news.get(name).copied());
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
            let at = Pair::new(
                pair.old.map(|one| schemas.old.site(one.file, one.name.span)),
                pair.new.map(|one| schemas.new.site(one.file, one.name.span)),
            );
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
        fn own<'s, 'b>(schema: &'s Schema<'b>) -> BTreeMap<&'s str, &'s Constant<'b>> {
            let own = schema.constants.iter().filter(|one| !schema.file(one.file).is_library);
            own.map(|one| (&*one.full_name, one)).collect()
        }
        let (schemas, (olds, news)) = (self.schemas, (own(self.schemas.old), own(self.schemas.new)));
        let names: std::collections::BTreeSet<&str> = olds.keys().chain(news.keys()).copied().collect();
        for name in names {
            let pair = Pair::new(olds.get(name).copied(), news.get(name).copied());
            let direction = match (pair.old, pair.new) {
                (Some(old), Some(new)) => {
                    let same_type = schemas.old.spelled(&old.ty) == schemas.new.spelled(&new.ty);
                    if same_type && same_value(Pair::new(&old.value, &new.value)) {
                        continue;
                    }
                    "changed"
                }
                (Some(_), None) => "removed",
                (None, _) => "added",
            };
            let at = Pair::new(
                pair.old.map(|one| schemas.old.site(one.file, one.name.span)),
                pair.new.map(|one| schemas.new.site(one.file, one.name.span)),
            );
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

    /// Annotations that differ, by name.
    pub(super) fn annotations(&mut self, declared: &Declared<'_>, sides: Pair<&Vec<Annotation<'b>>>) {
        if sides.old.is_empty() && sides.new.is_empty() {
            return;
        }
        let values = sides.map(|side| {
            let mut found: BTreeMap<String, (String, Span)> = BTreeMap::new();
            for one in side {
                let entry = found.entry(one.name.text.to_string()).or_insert((String::new(), one.name.span));
                entry.0 =
                    if entry.0.is_empty() { one.value.to_string() } else { format!("{}, {}", entry.0, one.value) };
            }
            found
        });
        for (name, pair) in both(&values) {
            let of = |value: Option<&(String, Span)>| match value {
                None => "unset".to_owned(),
                Some((text, _)) if text.is_empty() => "set".to_owned(),
                Some((text, _)) => text.clone(),
            };
            let kind = match declared.role {
                "field" => ChangeKind::FieldOptionChanged,
                _ => ChangeKind::TypeOptionChanged,
            };
            let at = |site: &Site, value: Option<&(String, Span)>| {
                Some(Site { file: site.file.clone(), span: value.map_or(site.span, |(_, span)| *span) })
            };
            let identity = pairing::declaration("annotation", &format!("{} {} {name}", declared.role, declared.path));
            let draft = Draft::new(kind, declared.path, identity)
                .at(Pair::new(at(&declared.sites.old, pair.old), at(&declared.sites.new, pair.new)))
                .fact(FactKey::Role, declared.role)
                .fact(FactKey::Name, name)
                .fact(FactKey::OldValue, of(pair.old))
                .fact(FactKey::NewValue, of(pair.new));
            self.push(draft);
        }
    }
}

/// A name with what each side has under it, and where.
type Named<'n, V> = (&'n str, Pair<Option<&'n (V, Span)>>);

/// What differs between two maps, places not counted.
fn both<V: PartialEq>(sides: &Pair<BTreeMap<String, (V, Span)>>) -> Vec<Named<'_, V>> {
    let names: std::collections::BTreeSet<&String> = sides.old.keys().chain(sides.new.keys()).collect();
    let pairs = names.into_iter().map(|name| (name.as_str(), Pair::new(sides.old.get(name), sides.new.get(name))));
    pairs.filter(|(_, pair)| pair.old.map(|(value, _)| value) != pair.new.map(|(value, _)| value)).collect()
}

fn own_files(schema: &Schema<'_>) -> BTreeMap<Arc<str>, FileId> {
    let ids = (0..).map(FileId);
    let own = schema.files.iter().zip(ids).filter(|(file, _): &(&SourceFile<'_>, FileId)| !file.is_library);
    own.map(|(file, id)| (file.path.clone(), id)).collect()
}
