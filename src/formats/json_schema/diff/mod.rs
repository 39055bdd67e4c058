//! Two sides → changes with facts, and the documents and edits that the round trips need.

mod branches;
mod content;
mod encodings;
mod files;
mod keywords;
mod objects;
mod registries;
mod relation;
mod unused;
mod visit;
mod walk;
mod written;

use crate::change::{Change, Pair};
use crate::formats::frame::roots::Roots;
use crate::formats::frame::{Diff, Diffs};

use super::language::JsonSchema;
use super::model::Schema;
use super::pairs::Pairs;

impl Diffs for JsonSchema {
    type Pairs = Pairs;

    fn diff(schemas: Pair<&Schema>, roots: &Roots) -> Diff<Pairs> {
        let mut walk = walk::Walk::new(schemas);
        files::compare(&mut walk, roots);
        let files = std::mem::take(&mut walk.files);
        let (mut changes, pairs): (Vec<Change>, Pairs) = walk.finish();
        registries::say_what_the_registry_says(schemas, &files, &mut changes);
        Diff { changes, pairs }
    }
}
