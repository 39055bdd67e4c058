//! Documents → [`Shapes`]: which keywords the checker takes together.
//!
//! Two loaders stand in front of it: one for the drafts 4, 6 and 7 (`older`), one for 2019-09 and 2020-12 (`newer`). Both
//! sort the keywords of a schema by the kind that they are about, whether `type` names it or not; what is about several
//! kinds becomes an `allOf` that nobody wrote.

use super::loader::{Loader, Written};
use super::shape::{Kind, Shapes};
use super::{newer, older};
use crate::formats::json_schema::dialect::Draft;
use crate::formats::json_schema::linker::Linker;
use crate::syntax::json::Json;

/// Loads the documents of one side that are judged, and what they refer to.
pub(in crate::formats::json_schema) fn load(linker: &Linker<'_>) -> Shapes {
    let mut loader = Loader::new(linker, kind);
    for (document, file) in linker.schema.files.iter().enumerate() {
        // No registry has schemas of BSON.
        let root = file.root.filter(|_| !file.is_library && !file.is_shelf && !file.is_bson).and_then(|_| {
            let json = linker.documents[document].json.as_ref()?;
            // Without `$schema` the registry takes draft 7.
            let draft = json.get("$schema").and_then(Json::as_text).and_then(Draft::of_address).unwrap_or(Draft::D7);
            Some(loader.schema(json, (document, String::new()), draft))
        });
        loader.shapes.roots.push(root);
        loader.follow();
    }
    loader.shapes
}

fn kind<'t>(loader: &mut Loader<'_, 't>, of: Written<'t, '_>) -> Kind {
    match of.draft {
        Draft::D4 | Draft::D6 | Draft::D7 => older::kind(loader, of),
        Draft::D2019 | Draft::D2020 => newer::kind(loader, of),
    }
}
