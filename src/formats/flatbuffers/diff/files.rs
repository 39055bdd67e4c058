//! What concerns files and generated code: files, roots, identifiers, includes and attributes.

use std::sync::Arc;

use crate::change::{ChangeKind, FactKey, Pair, Site, Span};
use crate::evidence::Outcome;
use crate::formats::frame::declared::InFiles;
use crate::ordered::{OrderedMap, OrderedSet};

use super::super::model::{Attribute, FileId, Schema, SourceFile, Spelled};
use super::super::pairing;
use super::{Differ, Draft, Met, SAFE};

/// A declaration whose attributes are compared.
pub(super) struct Declared<'n> {
    pub role: &'static str,
    pub path: &'n str,
    pub sites: Pair<Site>,
}

/// Attributes that are told as changes of their own.
const TOLD: &[&str] =
    &["id", "deprecated", "required", "key", "nested_flatbuffer", "offset64", "vector64", "bit_flags", "force_align"];

impl<'s, 'b> Differ<'s, 'b> {
    /// Compares the files, and what they say of their data.
    pub(super) fn diff_files(&mut self, pairs: &[Pair<FileId>]) {
        for ids in pairs {
            self.diff_root(*ids);
            self.diff_identifier(*ids);
            self.diff_extension(*ids);
            self.diff_includes(*ids);
        }
        let (olds, news) = (pairing::own_files(self.schemas.old), pairing::own_files(self.schemas.new));
        let is_same = |path: &Arc<str>| olds.contains_key(path) && news.contains_key(path);
        for (path, old) in olds.iter().filter(|(path, _)| !is_same(path)) {
            let at = Pair::new(Some(self.schemas.old.site(*old, Span::default())), None);
            self.push(Draft::new(ChangeKind::FileRemoved, &**path, pairing::declaration("file", path)).at(at));
        }
        for (path, new) in news.iter().filter(|(path, _)| !is_same(path)) {
            let at = Pair::new(None, Some(self.schemas.new.site(*new, Span::default())));
            self.push(Draft::new(ChangeKind::FileAdded, &**path, pairing::declaration("file", path)).at(at));
        }
    }

    /// States at the root of a file that another type took its place: what readers of the one see of the other is told there.
    pub(super) fn exchange_root(&mut self, ids: Pair<FileId>) {
        let files = Pair::new(self.schemas.old.file(ids.old), self.schemas.new.file(ids.new));
        let Some(roots) = pairing::exchanged_root(self.schemas, files) else { return };
        let types = roots.map(|(id, _)| id);
        if self.is_replaced(Met::Type(types)) && self.own.exchanged.insert(ids) {
            self.replaced.at(self.changes.len(), [Met::Type(types)]);
            let names = self.type_names(types);
            self.root_changed(ids, "other", names, roots.map(|(_, span)| Some(span)));
        }
    }

    fn diff_root(&mut self, ids: Pair<FileId>) {
        let files = Pair::new(self.schemas.old.file(ids.old), self.schemas.new.file(ids.new));
        if pairing::exchanged_root(self.schemas, files).is_some() {
            // One of the two may have been found to continue as another since the roots were.
            return self.exchange_root(ids);
        }
        let alone = pairing::roots_of_one_side(self.schemas, files).map(|roots| roots.first().map(|(_, span)| *span));
        if alone.old.is_some() || alone.new.is_some() {
            let names = self.schemas.zip(files, root_names);
            // The compiler makes helpers for the last root, so they stay as long as there is one.
            let is_lost = !files.old.roots.is_empty() && files.new.roots.is_empty();
            let structure = if is_lost { "unnamed" } else { "named" };
            self.root_changed(ids, structure, names.as_ref().map(|names| &**names), alone);
        }
    }

    fn root_changed(&mut self, ids: Pair<FileId>, structure: &str, names: Pair<&str>, spans: Pair<Option<Span>>) {
        let files = self.schemas.zip(ids, |schema, id| schema.file(id));
        let identity = pairing::of_file(files, "root_type");
        let draft = Draft::new(ChangeKind::RootTypeChanged, &*files.new.path, identity)
            .at(self.sites(ids, spans))
            .fact(FactKey::Structure, structure)
            .fact(FactKey::OldValue, names.old)
            .fact(FactKey::NewValue, names.new);
        let worst = if structure == "other" { Outcome::Wrong } else { Outcome::Safe };
        self.push(draft.reads(Pair::new(worst, worst)));
    }

    fn diff_identifier(&mut self, ids: Pair<FileId>) {
        let files = Pair::new(self.schemas.old.file(ids.old), self.schemas.new.file(ids.new));
        let texts = files.map(|file| file.identifier.as_ref().map(|one| &*one.text));
        if texts.old == texts.new {
            return;
        }
        let rejects = |reader: Option<&str>| if reader.is_some() { Outcome::Fails } else { Outcome::Safe };
        let identity = pairing::of_file(files, "file_identifier");
        let draft = Draft::new(ChangeKind::FileIdentifierChanged, &*files.new.path, identity)
            .at(self.sites(ids, files.map(|file| file.identifier.as_ref().map(|one| one.span))))
            .fact(FactKey::OldValue, texts.old.unwrap_or("none"))
            .fact(FactKey::NewValue, texts.new.unwrap_or("none"));
        self.push(draft.reads(Pair::new(rejects(texts.new), rejects(texts.old))));
    }

    fn diff_extension(&mut self, ids: Pair<FileId>) {
        let files = Pair::new(self.schemas.old.file(ids.old), self.schemas.new.file(ids.new));
        let text = |of: &Option<Spelled<'b>>| of.as_ref().map_or_else(|| "none".to_owned(), |one| one.text.to_string());
        let texts = files.map(|file| text(&file.extension));
        if texts.old != texts.new {
            let path = &*files.new.path;
            let identity = pairing::declaration("file_extension", path);
            let draft = Draft::new(ChangeKind::FileOptionChanged, path, identity)
                .at(self.sites(ids, files.map(|file| file.extension.as_ref().map(|one| one.span))))
                .fact(FactKey::Name, "file_extension")
                .fact(FactKey::OldValue, texts.old)
                .fact(FactKey::NewValue, texts.new);
            self.push(draft);
        }
    }

    fn diff_includes(&mut self, ids: Pair<FileId>) {
        let files = Pair::new(self.schemas.old.file(ids.old), self.schemas.new.file(ids.new));
        // What one side did not find is known by what is written.
        let both = [files.old, files.new].into_iter().flat_map(|file| &file.includes);
        let lost: OrderedSet<&str> = both.filter(|(_, file)| file.is_none()).map(|(path, _)| &*path.text).collect();
        let included = |schema: &Schema<'_>, of: &SourceFile<'_>| -> OrderedMap<String, Span> {
            let one = |(path, file): &(Spelled<'_>, Option<FileId>)| {
                let found = file.filter(|_| !lost.contains(&*path.text));
                let name = found.map_or_else(|| path.text.to_string(), |id| schema.file(id).path.to_string());
                (name, path.span)
            };
            of.includes.iter().map(one).collect()
        };
        let Pair { old, new } = self.schemas;
        let included = Pair::new(included(old, files.old), included(new, files.new));
        let names: OrderedSet<&String> = included.old.keys().chain(included.new.keys()).collect();
        for name in names {
            let spans = included.as_ref().map(|side| side.get(name));
            if spans.old.is_some() == spans.new.is_some() {
                continue;
            }
            let path = &*files.new.path;
            let word = |span: Option<&Span>| if span.is_some() { "include" } else { "none" };
            let identity = pairing::declaration("include", &format!("{path} {name}"));
            let sites =
                Pair::new(spans.old.map(|at| old.site(ids.old, *at)), spans.new.map(|at| new.site(ids.new, *at)));
            let draft = Draft::new(ChangeKind::ImportChanged, path, identity)
                .at(sites)
                .fact(FactKey::Name, name)
                .values(spans.map(word));
            self.push(draft);
        }
    }

    fn sites(&self, ids: Pair<FileId>, spans: Pair<Option<Span>>) -> Pair<Option<Site>> {
        let Pair { old, new } = self.schemas;
        Pair::new(
            Some(old.site(ids.old, spans.old.unwrap_or_default())),
            Some(new.site(ids.new, spans.new.unwrap_or_default())),
        )
    }

    /// Attributes that differ, by name.
    pub(super) fn attributes(&mut self, declared: &Declared<'_>, sides: Pair<&Vec<Attribute<'b>>>) {
        let values = sides.map(|side| {
            // Of a struct it is told of its layout; of a field it is only how a vector lies.
            let is_of_vector = |name: &str| name == "force_align" && declared.role == "field";
            let meant = side.iter().filter(|one| !TOLD.contains(&&*one.name.text) || is_of_vector(&one.name.text));
            meant.map(|one| (one.name.text.to_string(), one)).collect::<OrderedMap<_, _>>()
        });
        let names: OrderedSet<&String> = values.old.keys().chain(values.new.keys()).collect();
        for name in names {
            let pair = Pair::new(values.old.get(name).copied(), values.new.get(name).copied());
            if pair.old.map(|one| &one.value) != pair.new.map(|one| &one.value) {
                self.attribute(declared, name, pair);
            }
        }
    }

    fn attribute(&mut self, declared: &Declared<'_>, name: &str, pair: Pair<Option<&Attribute<'b>>>) {
        let text = |one: Option<&Attribute<'b>>| match one {
            None => "unset".to_owned(),
            Some(one) if one.value.is_empty() => "set".to_owned(),
            Some(one) => one.value.to_string(),
        };
        let at = |site: &Site, one: Option<&Attribute<'b>>| {
            Some(Site { file: site.file.clone(), span: one.map_or(site.span, |one| one.name.span) })
        };
        let kind = match declared.role {
            "field" => ChangeKind::FieldOptionChanged,
            _ => ChangeKind::TypeOptionChanged,
        };
        let identity = pairing::declaration("attribute", &format!("{} {} {name}", declared.role, declared.path));
        let draft = Draft::new(kind, declared.path, identity)
            .at(Pair::new(at(&declared.sites.old, pair.old), at(&declared.sites.new, pair.new)))
            .fact(FactKey::Role, declared.role)
            .fact(FactKey::Name, name)
            .fact(FactKey::OldValue, text(pair.old))
            .fact(FactKey::NewValue, text(pair.new));
        self.push(draft.reads(SAFE));
    }
}

/// The roots that a file names, as a text.
fn root_names(schema: &Schema<'_>, file: &SourceFile<'_>) -> String {
    let mut names: Vec<&str> = file.roots.iter().map(|(id, _)| &*schema.object(*id).full_name).collect();
    names.dedup();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
