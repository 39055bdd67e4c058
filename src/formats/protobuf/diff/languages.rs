//! Features of single languages, `features.(pb.java).…`: what they change of generated code, and which enums they close.

use crate::change::{ChangeKind, FactKey, Identity, Pair, Span};
use crate::evidence::Outcome;
use crate::formats::frame::differ::Draft;
use crate::ordered::OrderedSet;

use super::super::ast::OptionNode;
use super::super::features::default_of_language;
use super::super::model::{Cardinality, Field, FileId, Kind, Presence};
use super::options::{OptionDifference, language_features, set_for_language};
use super::state::{Differ, Reads};

/// The feature that closes an enum for one field, which is a change of its own.
const CLOSED_ENUM: &str = "legacy_closed_enum";

/// The languages that have it.
const CLOSING: [(&str, &str); 2] = [("cpp", "C++"), ("java", "Java")];

impl<'s> Differ<'s, '_> {
    /// The features of languages that differ at an element which sets them, by their effective values. What the file says
    /// differs there.
    pub(super) fn language_features(
        &self,
        files: Pair<FileId>,
        options: Pair<&[OptionNode<'_>]>,
        is_file: bool,
    ) -> Vec<OptionDifference> {
        let set: OrderedSet<(&str, &str)> =
            language_features(options.old).chain(language_features(options.new)).collect();
        let mut found = Vec::new();
        for (language, feature) in set.into_iter().filter(|(_, feature)| *feature != CLOSED_ENUM) {
            let own = options.map(|options| set_for_language(options, language, feature));
            let of_file = self.of_file(files, language, feature);
            let effective = own.clone().zip(of_file.clone(), |own, file| own.map(|(text, _)| text).or(file));
            let follows = !is_file && of_file.old != of_file.new && effective == of_file;
            if effective.old != effective.new && !follows {
                let name = format!("features.({}).{feature}", written(language));
                found.push(OptionDifference { name, at: own.map(|own| own.map(|(_, span)| span)), values: effective });
            }
        }
        found
    }

    /// What the files say of a feature, or else their editions.
    fn of_file(&self, files: Pair<FileId>, language: &str, feature: &str) -> Pair<Option<String>> {
        self.schemas.zip(files, |schema, id| {
            let file = schema.file(id);
            let default = || default_of_language(file.edition, language, feature).map(str::to_owned);
            set_for_language(&file.ast.options, language, feature).map(|(text, _)| text).or_else(default)
        })
    }

    /// That single languages read a field of an open enum as one of a closed enum now, or no longer do.
    pub(super) fn closed_for_languages(&self, fields: Pair<&Field<'_>>) -> Option<ClosedFor> {
        let enums = match fields.map(|field| field.kind) {
            Pair { old: Kind::Enum(old), new: Kind::Enum(new) } => Pair::new(old, new),
            _ => return None,
        };
        let are_open = self.schemas.zip(enums, |schema, id| !schema.enumeration(id).is_closed);
        if !are_open.old || !are_open.new {
            return None;
        }
        let files = fields.map(|field| field.file);
        let mut found: Option<ClosedFor> = None;
        for (language, title) in CLOSING {
            let of_file = self.of_file(files, language, CLOSED_ENUM);
            let own = fields.map(|field| set_for_language(&field.ast.options, language, CLOSED_ENUM));
            let closed = own.clone().zip(of_file, |own, file| own.map(|(text, _)| text).or(file));
            let closed = closed.map(|text| text.as_deref() == Some("true"));
            if closed.old == closed.new {
                continue;
            }
            let stated = self.schemas.zip(files, |schema, id| {
                let options = &schema.file(id).ast.options;
                set_for_language(options, language, CLOSED_ENUM)
            });
            let spans = own.zip(stated, |own, file| own.or(file).map(|(_, span)| span));
            match &mut found {
                Some(found) if found.is_closed == closed.new => {
                    found.languages = format!("{} and {title}", found.languages)
                }
                _ => found = Some(ClosedFor { languages: title.to_owned(), is_closed: closed.new, at: spans }),
            }
        }
        found
    }
}

/// That an enum is closed, or open, in single languages where it is held by a field.
pub(super) struct ClosedFor {
    languages: String,
    is_closed: bool,
    /// The statements that say so.
    pub(super) at: Pair<Option<Span>>,
}

impl ClosedFor {
    /// The change, at a field.
    pub(super) fn draft(&self, path: String, identity: &Identity, fields: Pair<&Field<'_>>) -> Draft {
        let identity = Identity(format!("{identity}/{CLOSED_ENUM}"));
        let unknown = |reader: &Field<'_>| match (reader.cardinality, reader.presence) {
            (Cardinality::Singular, Presence::Required) => Outcome::Fails,
            (Cardinality::Singular, _) => Outcome::Unrecognized,
            (Cardinality::Repeated | Cardinality::Map { .. }, _) => Outcome::Lossy,
        };
        let reads = match self.is_closed {
            true => Pair::new(unknown(fields.new), Outcome::Safe),
            false => Pair::new(Outcome::Safe, unknown(fields.old)),
        };
        let draft = Draft::new(ChangeKind::EnumOpennessChanged, path, identity)
            .fact(FactKey::Role, "field")
            .fact(FactKey::Name, &*self.languages)
            .fact(FactKey::Direction, if self.is_closed { "closed" } else { "opened" });
        Reads { wire: reads, json: reads }.state(draft)
    }
}

/// `cpp` is `pb.cpp`.
fn written(language: &str) -> String {
    if language.contains('.') { language.to_owned() } else { format!("pb.{language}") }
}
