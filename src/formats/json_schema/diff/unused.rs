//! Definitions that nothing here refers to: no data are known of them, so what was edited in them is told and not judged.

use rustc_hash::{FxHashMap, FxHashSet};

use super::content::content;
use super::walk::Walk;
use crate::change::{ChangeKind, FactKey, Pair};
use crate::formats::frame::differ::Draft;
use crate::formats::json_schema::link::stem;
use crate::formats::json_schema::model::{File, NodeId, Schema, met};
use crate::formats::json_schema::pairs::identity;

/// The name of a definition without that of its file.
pub(super) fn within<'n>(name: &'n str, file: &File) -> &'n str {
    name.strip_prefix(stem(&file.path)).unwrap_or(name)
}

/// Whether a schema is all of a document that is data.
pub(super) fn is_root(file: &File, node: NodeId) -> bool {
    !file.is_shelf && file.root == Some(node)
}

/// Tells of the definitions of documents of both sides that differ and were not compared.
pub(super) fn compare(walk: &mut Walk<'_>) {
    let schemas = walk.schemas;
    let led = schemas.map(led_to);
    for files in walk.files.clone() {
        let pair = schemas.zip(files, |schema, file| &schema.files[file]);
        let names = pair.new.names.iter().filter_map(|(name, new)| Some((within(name, pair.new), (*new)?)));
        let news: FxHashMap<&str, NodeId> = names.collect();
        for (name, old) in &pair.old.names {
            let inside = within(name, pair.old);
            let Some((old, new)) = (*old).zip(news.get(inside).copied()) else { continue };
            let is_told = is_root(pair.old, old) || is_root(pair.new, new) || is_in_note(schemas.new, pair.new, new);
            if !is_told && !led.old.contains(&old) && !led.new.contains(&new) {
                definition(walk, inside.trim_start_matches('.'), Pair::new(old, new));
            }
        }
    }
}

/// Whether a definition stands under what the dialect takes for a keyword that it does not know: that is told as a whole.
fn is_in_note(schema: &Schema, file: &File, definition: NodeId) -> bool {
    let container = schema.node(definition).pointer.split('/').nth(1);
    let notes = file.root.map(|root| &schema.node(root).notes);
    container.zip(notes).is_some_and(|(container, notes)| notes.contains_key(container))
}

/// The schemas that documents lead to which are data.
fn led_to(schema: &Schema) -> FxHashSet<NodeId> {
    schema.led_to(schema.files.iter().filter(|file| !file.is_shelf).filter_map(|file| file.root).collect())
}

fn definition(walk: &mut Walk<'_>, name: &str, nodes: Pair<NodeId>) {
    let schemas = walk.schemas;
    let says = |side: Pair<Option<NodeId>>| content(schemas, side);
    let is_edited = || says(Pair::new(Some(nodes.old), None)) != says(Pair::new(None, Some(nodes.new)));
    if walk.was_compared(met(schemas, nodes)) || walk.same.are(nodes) || !is_edited() {
        return;
    }
    let pair = walk.nodes(nodes);
    let at = schemas.zip(pair, |schema, node| Some(schema.site(node, node.span)));
    let place = schemas.new.location(pair.new);
    let draft = Draft::new(ChangeKind::AnnotationChanged, place.clone(), identity(schemas, pair, "definition")).at(at);
    let draft = draft.fact(FactKey::Container, place).fact(FactKey::Name, name);
    walk.note(draft.fact(FactKey::Role, "definition").fact(FactKey::Content, says(nodes.map(Some))));
}
