//! The files as they are wanted, with the edits of ways made in them.

use std::sync::Arc;

use crate::change::Edit;
use crate::formats::{FileEdit, Way};
use crate::ordered::{InOrder, OrderedMap};
use crate::snapshot::{ContentId, Snapshot, SnapshotFile};

/// Ways that go together, and of which some do what others do already.
#[derive(Debug, Clone)]
pub(super) struct Together {
    /// The ways, in the order of the breaks; `None` where another one does the same.
    pub(super) ways: Vec<Option<Way>>,
}

/// The way whose edits meet those of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meets(pub(super) usize);

impl Together {
    /// Puts ways together.
    pub(super) fn of(ways: Vec<Way>) -> Result<Together, Meets> {
        let mut replaced: Vec<FileEdit> = Vec::new();
        let mut together = Together { ways: Vec::new() };
        for (at, way) in ways.into_iter().enumerate() {
            let edits = way.stages.first().map(|stage| stage.edits.clone()).unwrap_or_default();
            let is_same = |other: &Way| {
                let is_about_it = !way.about.is_empty() && way.about == other.about;
                is_about_it || other.stages.first().is_some_and(|stage| !edits.is_empty() && stage.edits == edits)
            };
            let is_twin = together.ways.iter().flatten().any(is_same);
            let replaces = |edit: &&FileEdit| edit.edit.span.start < edit.edit.span.end;
            let own: Vec<FileEdit> = edits.iter().filter(replaces).cloned().collect();
            let is_made = is_twin || !own.is_empty() && own.iter().all(|edit| replaced.contains(edit));
            let meets = |edit: &FileEdit| {
                let crosses = |other: &FileEdit| {
                    let (one, two) = (edit.edit.span, other.edit.span);
                    edit.file == other.file && one.start < two.end && two.start < one.end
                };
                replaced.iter().any(|other| crosses(other) && other != edit)
            };
            if is_made {
                together.ways.push(None);
                continue;
            }
            if own.iter().any(meets) {
                return Err(Meets(at));
            }
            replaced.extend(own);
            together.ways.push(Some(way));
        }
        Ok(together)
    }

    /// How many schemas there are on the way.
    pub(super) fn stages(&self) -> usize {
        self.ways.iter().flatten().map(|way| way.stages.len()).max().unwrap_or(0)
    }

    /// The files after a step, with some more edits; `None` where edits meet.
    pub(super) fn files(&self, wanted: &Snapshot, stage: usize, more: &[FileEdit]) -> Option<Snapshot> {
        let mut by_file: OrderedMap<&Arc<str>, Vec<&Edit>> = OrderedMap::new();
        for FileEdit { file, edit } in more {
            by_file.entry(file).or_default().push(edit);
        }
        for way in self.ways.iter().flatten() {
            let Some(now) = way.stages.get(stage.min(way.stages.len().saturating_sub(1))) else { continue };
            for FileEdit { file, edit } in &now.edits {
                let edits = by_file.entry(file).or_default();
                if !edits.contains(&edit) {
                    edits.push(edit);
                }
            }
        }
        let mut files = wanted.clone();
        for (file, edits) in by_file {
            let before = wanted.get(file).map(|file| file.bytes.to_vec()).unwrap_or_default();
            let bytes = edited(&before, edits)?;
            files.insert(file.clone(), SnapshotFile { id: ContentId::of(&bytes), bytes: bytes.into() });
        }
        Some(files)
    }
}

/// A text with edits made; `None` where they meet or lie outside.
fn edited(before: &[u8], mut edits: Vec<&Edit>) -> Option<Vec<u8>> {
    edits.sort_in_order_by_key(|edit| (edit.span.start, edit.span.end));
    let (mut out, mut from) = (Vec::new(), 0);
    for edit in edits {
        out.extend(before.get(from..edit.span.start as usize)?);
        out.extend(edit.insert.as_bytes());
        from = edit.span.end as usize;
    }
    out.extend(before.get(from..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Span;
    use crate::formats::{Does, Stage};

    fn way(edits: &[(u32, u32, &str)]) -> Way {
        let edit = |(start, end, insert): &(u32, u32, &str)| FileEdit {
            file: "a".into(),
            edit: Edit { span: Span::new(*start, *end), insert: (*insert).to_owned() },
        };
        let edits = edits.iter().map(edit).collect();
        Way { stages: vec![Stage { does: Does::Expand, says: String::new(), edits }], ..Way::default() }
    }

    #[test]
    fn ways_that_do_the_same_are_one_and_those_that_meet_do_not_go_together() {
        let wanted = Snapshot::from_files([("a", b"abcdef".to_vec())]);
        let ways = vec![way(&[(1, 2, "X"), (3, 3, "+")]), way(&[(1, 2, "X")]), way(&[(4, 5, "")])];
        let together = Together::of(ways).expect("they go together");
        assert!(together.ways[1].is_none());
        let files = together.files(&wanted, 0, &[]).expect("they do not meet");
        assert_eq!(&*files.get("a").expect("it is there").bytes, b"aXc+df");
        assert_eq!(Together::of(vec![way(&[(1, 3, "X")]), way(&[(2, 4, "Y")])]).err(), Some(Meets(1)));
    }
}
