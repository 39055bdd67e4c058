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

#[cfg(test)]
mod tests {
    use crate::ordered::OrderedSet;
    use std::sync::Arc;

    use super::*;
    use crate::verdict::PeerPolicy;

    fn ids(of: &[&str]) -> OrderedSet<String> {
        of.iter().map(|id| (*id).to_owned()).collect()
    }

    fn area(folder: &str, of: Option<&[&str]>) -> PeerArea {
        PeerArea {
            folder: Pair::new(Some(folder.to_owned()), Some(folder.to_owned())),
            peer: PeerPolicy {
                name: "buf/FILE".to_owned(),
                tool: "buf".to_owned(),
                format: "protobuf".to_owned(),
                ids: of.map(ids),
            },
            source: "buf.yaml:3".to_owned(),
            ignored: Vec::new(),
            unstable: Pair::default(),
        }
    }

    fn ignoring(path: &str, of: Option<&[&str]>) -> PeerArea {
        let ignored = vec![Ignored { path: path.to_owned(), ids: of.map(ids) }];
        PeerArea { ignored, ..area("a", Some(&["ONE", "TWO"])) }
    }

    fn told(old: &[PeerArea], new: &[PeerArea]) -> Vec<String> {
        let found = looser_areas(Pair::new(old, new));
        found.iter().map(|area| format!("{}: {} -> {}", area.folder, area.values.old, area.values.new)).collect()
    }

    #[test]
    fn fewer_rules_more_to_ignore_and_what_is_not_stable_are_told() {
        let both = || area("a", Some(&["ONE", "TWO"]));
        let unstable = Pair::new(OrderedSet::new(), OrderedSet::from([Arc::from("a/alpha.proto")]));
        let without_unstable = || PeerArea { unstable: unstable.clone(), ..both() };
        let fewer = "a: `buf/FILE` -> `buf/FILE` with fewer rules";
        for (strict, loose, expected) in [
            (both(), area("a", Some(&["ONE"])), fewer),
            (area("a", None), both(), fewer),
            (both(), ignoring("deep", None), "a: without it -> with more to ignore: `deep`"),
            (both(), ignoring("", Some(&["ONE"])), "a: without it -> with more to ignore: `everything` for ONE"),
            (both(), without_unstable(), "a: every package -> without those that are not stable"),
        ] {
            let (strict, loose) = (&[strict][..], &[loose][..]);
            assert_eq!(told(strict, loose), [expected]);
            assert_eq!(told(loose, strict), [""; 0], "it is stricter");
            assert_eq!(told(loose, loose), [""; 0], "it is the same");
        }
        let other = told(&[area("a", Some(&["ONE"]))], &[area("a", Some(&["TWO"]))]);
        assert_eq!(other, [fewer], "another rule is not the one that went");
        let more = PeerArea {
            ignored: [ignoring("deep", None).ignored, ignoring("flat", Some(&["TWO", "ONE"])).ignored].concat(),
            ..both()
        };
        assert_eq!(
            told(&[ignoring("deep", None)], &[more]),
            ["a: without it -> with more to ignore: `flat` for ONE, TWO"]
        );
    }

    #[test]
    fn an_area_is_compared_with_the_innermost_one_that_was_around_it() {
        let unset = "not set (every rule of wireproof) -> `buf/FILE`";
        let one = |folder: &str| area(folder, Some(&["ONE"]));
        let two = |folder: &str| area(folder, Some(&["ONE", "TWO"]));
        assert_eq!(told(&[], &[one("")]), [format!("the top folder: {unset}")]);
        let changes = super::super::loosened_areas(Pair::new(&[], &[one("")]), |_| None);
        assert_eq!(changes.iter().map(|change| &*change.path).collect::<Vec<_>>(), ["buf breaking of the top folder"]);
        assert_eq!(told(&[one("b")], &[one("a")]), [format!("a: {unset}")], "it was judged by our rules");
        assert_eq!(told(&[two("")], &[one("a/b")]), ["a/b: `buf/FILE` -> `buf/FILE` with fewer rules"]);
        assert_eq!(told(&[two(""), one("a")], &[one("a/b")]), [""; 0], "as around it before");
        assert_eq!(told(&[one(""), two("a")], &[one("a/b")]).len(), 1);
        assert_eq!(told(&[one("a")], &[]), [""; 0], "our rules judge now");
        let gone = PeerArea { folder: Pair::new(Some("a".to_owned()), None), ..one("a") };
        assert_eq!(told(&[], &[gone]), [""; 0], "it is not on the new side");
    }
}
