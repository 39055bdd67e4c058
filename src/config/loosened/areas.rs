//! Where the configuration of another tool lets more pass than the one of the base.

use crate::change::Pair;
use crate::source::select::is_under;
use crate::verdict::{Ignored, PeerArea};

/// A folder whose terms of another tool became looser.
pub(super) struct LooserArea<'a> {
    /// The folder, in words.
    pub(super) folder: &'a str,
    /// What the terms were and are, in words.
    pub(super) values: Pair<String>,
    /// Both areas.
    pub(super) areas: Pair<Option<&'a PeerArea>>,
}

/// Each folder whose terms of another tool became looser.
pub(super) fn looser_areas<'a>(areas: Pair<&'a [PeerArea]>) -> Vec<LooserArea<'a>> {
    let mut found = Vec::new();
    for new in areas.new {
        let Some(folder) = new.folder.new.as_deref() else { continue };
        let around = areas.old.iter().filter_map(|old| Some((old.folder.new.as_deref()?, old)));
        let around = around.filter(|(outer, _)| is_under(folder, outer));
        let old = around.max_by_key(|(outer, _)| outer.len()).map(|(_, old)| old);
        let Some(values) = looser(old, new) else { continue };
        let folder = if folder.is_empty() { "the top folder" } else { folder };
        found.push(LooserArea { folder, values, areas: Pair::new(old, Some(new)) });
    }
    found
}

/// What an area was and is, in words, if something that counted does so no more.
fn looser(old: Option<&PeerArea>, new: &PeerArea) -> Option<Pair<String>> {
    let Some(old) = old else {
        return Some(Pair::new("not set (every rule of wireproof)".to_owned(), format!("`{}`", new.peer.name)));
    };
    // Where it counts and where it is written loosens nothing.
    let PeerArea { folder: _, peer, source: _, ignored, unstable } = new;
    let fewer_rules = match (&old.peer.ids, &peer.ids) {
        (None, Some(_)) => true,
        (Some(old), Some(new)) => !old.is_subset(new),
        (_, None) => false,
    };
    if fewer_rules {
        return Some(Pair::new(format!("`{}`", old.peer.name), format!("`{}` with fewer rules", peer.name)));
    }
    let more: Vec<String> = ignored.iter().filter(|ignored| !old.ignored.contains(ignored)).map(in_words).collect();
    if !more.is_empty() {
        return Some(Pair::new("without it".to_owned(), format!("with more to ignore: {}", more.join(", "))));
    }
    let has_any = |unstable: &Pair<_>| unstable.as_ref() != Pair::default().as_ref();
    (has_any(unstable) && !has_any(&old.unstable))
        .then(|| Pair::new("every package".to_owned(), "without those that are not stable".to_owned()))
}

fn in_words(ignored: &Ignored) -> String {
    let Ignored { path, ids } = ignored;
    let path = if path.is_empty() { "everything" } else { path };
    match ids {
        None => format!("`{path}`"),
        Some(ids) => format!("`{path}` for {}", ids.iter().cloned().collect::<Vec<_>>().join(", ")),
    }
}
