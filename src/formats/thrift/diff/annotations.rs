//! Annotations, of whatever they stand at.

use crate::change::{ChangeKind, FactKey, Pair, Site, Span};
use crate::formats::frame::differ::Draft;
use crate::ordered::{OrderedMap, OrderedSet};

use super::super::model::Annotation;
use super::super::pairing;
use super::differ::Differ;

/// A declaration whose annotations are compared.
pub(super) struct Declared<'n> {
    pub role: &'static str,
    pub path: &'n str,
    pub sites: Pair<Site>,
}

impl<'b> Differ<'_, 'b> {
    /// Annotations that differ, by name.
    pub(super) fn annotations(&mut self, declared: &Declared<'_>, sides: Pair<&Vec<Annotation<'b>>>) {
        if sides.old.is_empty() && sides.new.is_empty() {
            return;
        }
        let values = sides.map(|side| {
            let mut found: OrderedMap<String, (String, Span)> = OrderedMap::new();
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
pub(super) type Named<'n, V> = (&'n str, Pair<Option<&'n (V, Span)>>);

/// What differs between two maps, places not counted.
pub(super) fn both<V: PartialEq>(sides: &Pair<OrderedMap<String, (V, Span)>>) -> Vec<Named<'_, V>> {
    let names: OrderedSet<&String> = sides.old.keys().chain(sides.new.keys()).collect();
    let pairs = names.into_iter().map(|name| (name.as_str(), Pair::new(sides.old.get(name), sides.new.get(name))));
    pairs.filter(|(_, pair)| pair.old.map(|(value, _)| value) != pair.new.map(|(value, _)| value)).collect()
}
