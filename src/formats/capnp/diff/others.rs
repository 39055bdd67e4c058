//! What concerns generated code and people only: constants, annotations, and which files there are.

use crate::change::{ChangeKind, FactKey, Pair, Site, Span};
use crate::ordered::OrderedMap;

use super::super::defaults;
use super::super::model::{Annotation, Other, SourceFile};
use super::differ::Differ;
use crate::formats::frame::declarations::namesakes;
use crate::formats::frame::declared::{InFiles, Named};
use crate::formats::frame::differ::{Draft, declaration};

/// The annotations that differ, by name, each with its value on either side; `none` where it is not there.
pub(super) fn differing(annotations: Pair<&Vec<Annotation>>) -> Vec<(String, Pair<String>)> {
    let of_side = |all: &[Annotation]| {
        let mut found: OrderedMap<String, Vec<String>> = OrderedMap::new();
        for one in all {
            let value = if one.value.is_empty() { "set".to_owned() } else { one.value.to_string() };
            found.entry(format!("${}", one.name)).or_default().push(value);
        }
        found
    };
    let Pair { old, new } = Pair::new(of_side(annotations.old), of_side(annotations.new));
    let names: crate::ordered::OrderedSet<&String> = old.keys().chain(new.keys()).collect();
    let shown = |values: Option<&Vec<String>>| values.map_or_else(|| "none".to_owned(), |values| values.join(", "));
    let differing = names.into_iter().filter(|name| old.get(*name) != new.get(*name));
    differing.map(|name| (name.clone(), Pair::new(shown(old.get(name)), shown(new.get(name))))).collect()
}

/// Where the id of a file is written; its beginning where none is.
fn place_of_id(file: &SourceFile) -> Span {
    file.id.map_or_else(Span::default, |(_, span)| span)
}

impl<'s, 'b> Differ<'s, 'b> {
    /// The annotations of two declarations of one kind.
    pub(super) fn annotations<T: Named>(&mut self, role: &str, of: Pair<&T>, annotations: Pair<&Vec<Annotation>>) {
        let sites = Pair::new(self.schemas.old.name_site(of.old), self.schemas.new.name_site(of.new)).map(Some);
        self.annotations_at((role, of.new.named().0), sites, annotations);
    }

    /// The annotations of anything else, by its role and its path.
    pub(super) fn annotations_at(
        &mut self,
        (role, path): (&str, &str),
        sites: Pair<Option<Site>>,
        annotations: Pair<&Vec<Annotation>>,
    ) {
        for (name, values) in differing(annotations) {
            let draft = Draft::new(ChangeKind::TypeOptionChanged, path, declaration("annotation", path))
                .at(sites.clone())
                .fact(FactKey::Role, role)
                .fact(FactKey::Effect, "annotation")
                .fact(FactKey::Name, name)
                .fact(FactKey::OldValue, values.old)
                .fact(FactKey::NewValue, values.new);
            self.push(draft);
        }
    }

    /// The annotations of the files that both sides have.
    pub(super) fn files(&mut self) {
        let Pair { old, new } = self.schemas;
        for after in new.files.iter().filter(|file| !file.is_library) {
            let Some(before) = old.files.iter().find(|file| file.path == after.path && !file.is_library) else {
                continue;
            };
            let id = |file: &SourceFile| file.id.map_or_else(|| "none".to_owned(), |(id, _)| format!("@0x{id:x}"));
            let ids = Pair::new(id(before), id(after));
            let is_other = ids.old != ids.new;
            let ids = is_other.then(|| ("the id".to_owned(), ids, Pair::new(place_of_id(before), place_of_id(after))));
            let annotations = differing(Pair::new(&before.annotations, &after.annotations));
            let place = |file: &SourceFile| file.annotations.first().map_or_else(Span::default, |one| one.span);
            let annotations =
                annotations.into_iter().map(|(name, values)| (name, values, Pair::new(place(before), place(after))));
            for (name, values, spans) in annotations.chain(ids) {
                let site = |file: &SourceFile, span| Some(Site { file: file.path.clone(), span });
                let draft = Draft::new(ChangeKind::FileOptionChanged, &*after.path, declaration("file", &after.path))
                    .at(Pair::new(site(before, spans.old), site(after, spans.new)))
                    .fact(FactKey::Name, name)
                    .fact(FactKey::OldValue, values.old)
                    .fact(FactKey::NewValue, values.new);
                self.push(draft);
            }
        }
    }

    /// Whether both are constants of one value.
    fn are_alike(&self, of: Pair<Option<&Other<'_>>>) -> bool {
        match of.map(|of| of.and_then(|of| of.value.as_ref())) {
            Pair { old: Some(old), new: Some(new) } => defaults::are_alike(self.schemas, Pair::new(old, new)),
            _ => false,
        }
    }

    /// Constants and declared annotations.
    pub(super) fn others(&mut self) {
        let all = Pair::new(&self.schemas.old.others[..], &self.schemas.new.others[..]);
        for (name, of) in namesakes(self.schemas, all) {
            let text = |of: Option<&Other<'_>>| of.map_or_else(|| "none".to_owned(), |of| of.text.to_string());
            let values = of.map(text);
            if without_blanks(&values.old) == without_blanks(&values.new) || self.are_alike(of) {
                continue;
            }
            let role = of.new.or(of.old).map_or("const", |of| of.role);
            let old = of.old.map(|of| self.schemas.old.name_site(of));
            let new = of.new.map(|of| self.schemas.new.name_site(of));
            let draft = Draft::new(ChangeKind::ConstantChanged, name, declaration("constant", name))
                .at(Pair::new(old, new))
                .fact(FactKey::Role, role)
                .fact(FactKey::OldValue, values.old)
                .fact(FactKey::NewValue, values.new);
            self.push(draft);
        }
    }
}

/// A text without the blanks outside of quotes.
fn without_blanks(text: &str) -> String {
    let mut is_quoted = false;
    let is_kept = |letter: &char| {
        is_quoted ^= *letter == '"';
        is_quoted || !letter.is_whitespace()
    };
    text.chars().filter(is_kept).collect()
}
