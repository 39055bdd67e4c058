//! What concerns generated code and people only: constants, annotations, and which files there are.

use std::collections::BTreeMap;

use crate::change::{ChangeKind, FactKey, Pair};

use super::super::model::{Annotation, Other};
use super::differ::Differ;
use crate::formats::frame::declarations::namesakes;
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::{Draft, declaration};

/// The annotations that differ, by name, each with its value on either side; `none` where it is not there.
pub(super) fn differing(annotations: Pair<&Vec<Annotation>>) -> Vec<(String, Pair<String>)> {
    let of_side = |all: &[Annotation]| {
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for one in all {
            let value = if one.value.is_empty() { "set".to_owned() } else { one.value.to_string() };
            found.entry(format!("${}", one.name)).or_default().push(value);
        }
        found
    };
    let Pair { old, new } = Pair::new(of_side(annotations.old), of_side(annotations.new));
    let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let shown = |values: Option<&Vec<String>>| values.map_or_else(|| "none".to_owned(), |values| values.join(", "));
    let differing = names.into_iter().filter(|name| old.get(*name) != new.get(*name));
    differing.map(|name| (name.clone(), Pair::new(shown(old.get(name)), shown(new.get(name))))).collect()
}

impl<'s, 'b> Differ<'s, 'b> {
    /// Constants and declared annotations.
    pub(super) fn others(&mut self) {
        let all = Pair::new(&self.schemas.old.others[..], &self.schemas.new.others[..]);
        for (name, of) in namesakes(self.schemas, all) {
            let text = |of: Option<&Other<'_>>| of.map_or_else(|| "none".to_owned(), |of| of.text.to_string());
            let values = of.map(text);
            if values.old == values.new {
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
