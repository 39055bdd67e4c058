//! Imports that lead elsewhere since a file came to a place that is looked at earlier, although the file to which they led is
//! still there. Where nobody says where imports start, both may be the one that is meant.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::language::{Gathered, Import, Input, Language};
use super::search::Search;
use crate::snapshot::Snapshot;
use crate::syntax::problem::{Problem, Severity};

/// Says which imports of the new side do, each at its place.
pub(super) fn refuse<L: Language>(
    old: &Gathered<'_, L>,
    new: &mut Gathered<'_, L>,
    (snapshot, search): (&Snapshot, &L::Search<'_>),
) {
    let before: FxHashMap<&Arc<str>, &Input<'_, L>> = old.inputs.iter().map(|input| (&input.path, input)).collect();
    let is_same = |one: &Arc<str>, other: &Arc<str>| {
        let content = |path: &Arc<str>| snapshot.get(path).map(|file| file.id);
        content(one).is_none() || content(other).is_none() || content(one) == content(other)
    };
    let mut told: Vec<(usize, Problem)> = Vec::new();
    for (index, input) in new.inputs.iter().enumerate() {
        let Some(earlier) = before.get(&input.path) else { continue };
        for (import, was, is) in elsewhere(Leads { side: old, input: earlier }, Leads { side: new, input }) {
            if is_same(was, is)
                || !search.is_inferred(&input.path, import.path)
                || !L::may_use(input.bytes, import.path)
            {
                continue;
            }
            let word = L::IMPORT;
            let problem = Problem::warning(
                &input.path,
                import.span,
                format!(
                    "{word} `{}` may lead to {is}, which says something else than {was}, to which it leads in the old version and which is still there",
                    import.path
                ),
                format!("say where paths of {word}s start: `import-paths` in the configuration, or `-I DIR`"),
            );
            told.push((index, Problem { severity: Severity::Aside, ..problem }));
        }
    }
    for (index, problem) in told {
        new.inputs[index].import_problems.push(problem);
    }
}

/// A file of a side, and where its imports lead.
struct Leads<'s, 't, L: Language> {
    side: &'s Gathered<'t, L>,
    input: &'s Input<'t, L>,
}

impl<'s, L: Language> Leads<'s, '_, L> {
    fn paths(&self) -> impl Iterator<Item = Option<&'s Arc<str>>> {
        let side = self.side;
        self.input.imports.iter().map(|target| target.map(|target| &side.inputs[target].path))
    }
}

/// The imports of a file that lead to another file than before, with both files.
fn elsewhere<'s, L: Language>(
    old: Leads<'s, '_, L>,
    new: Leads<'s, '_, L>,
) -> Vec<(Import<'s, L>, &'s Arc<str>, &'s Arc<str>)> {
    // Mostly nothing is different.
    if old.paths().eq(new.paths()) {
        return Vec::new();
    }
    let was: FxHashMap<&str, &Arc<str>> = L::imports(old.input.tree)
        .into_iter()
        .zip(old.paths())
        .filter_map(|(import, path)| Some((import.path, path?)))
        .collect();
    let imports = L::imports(new.input.tree).into_iter().zip(new.paths());
    let both = imports.filter_map(|(import, is)| Some((*was.get(import.path)?, is?, import)));
    both.filter(|(was, is, _)| was != is).map(|(was, is, import)| (import, was, is)).collect()
}
