//! Types behind imports that were not found, where roots are asked for.
//!
//! Such a type is compared by its name only. A file of the version may declare it all the same, under a path to which no import
//! leads: then the roots reach what has the name. Where nothing has it, and a file is called as the import is, nobody knows what
//! the roots reach.

use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::language::{Diffs, Gathered};
use super::roots::{Roots, simple_name};
use crate::change::{Pair, Site};
use crate::ordered::OrderedSet;
use crate::syntax::problem::{Problem, Severity};

/// What the roots of a side reach.
#[derive(Default)]
pub struct Reached {
    /// The full names of declarations.
    pub(crate) names: OrderedSet<Arc<str>>,
    /// The types that nothing in the version is called: the file that needs each, and its name as written.
    pub(crate) unknown: OrderedSet<(Arc<str>, String)>,
}

/// Declarations by their names.
pub(crate) struct ByName<'s, Id>(FxHashMap<&'s str, Vec<(&'s str, Id)>>);

impl<'s, Id: Copy + Eq + Hash> ByName<'s, Id> {
    /// Of all that has a full name.
    pub(crate) fn of(all: impl Iterator<Item = (&'s str, Id)>) -> Self {
        let mut found: FxHashMap<&str, Vec<(&str, Id)>> = FxHashMap::default();
        all.for_each(|(name, id)| found.entry(simple_name(name)).or_default().push((name, id)));
        ByName(found)
    }

    /// What a name may mean: those of which the one name is the end of the other, else all of its last part.
    pub(crate) fn meant(&self, written: &str) -> Vec<Id> {
        let bare = written.split(['<', '(']).next().unwrap_or(written);
        let name = bare.trim().trim_start_matches('.');
        let all = self.0.get(simple_name(name)).map_or(&[][..], Vec::as_slice);
        let is_end = |long: &str, short: &str| {
            long.strip_suffix(short).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        let fits = |full: &str| is_end(full, name) || is_end(name, full);
        let close: Vec<Id> = all.iter().filter(|(full, _)| fits(full)).map(|(_, id)| *id).collect();
        if close.is_empty() { all.iter().map(|(_, id)| *id).collect() } else { close }
    }
}

/// That it cannot be told what the roots reach, once for each import.
pub(super) fn problems<L: Diffs>(sides: Pair<(&L::Schema<'_>, &Gathered<'_, L>)>, roots: &Roots) -> Vec<Problem> {
    let mut told = OrderedSet::new();
    let mut found = Vec::new();
    for (schema, gathered) in [sides.new, sides.old] {
        for (path, name) in L::unknown(schema, roots) {
            for missing in gathered.missing.iter().filter(|one| gathered.inputs[one.input].path == path) {
                let Some(candidate) = called(gathered, &missing.import) else { continue };
                if told.insert((path.clone(), missing.import.clone())) {
                    let (word, import) = (L::IMPORT, &missing.import);
                    let message = format!(
                        "{word} `{import}` was not found, and the roots reach `{name}` behind it: whether `{candidate}` is that \
                         file is not known"
                    );
                    let site = Some(Site { file: path.clone(), span: missing.span });
                    found.push(Problem { severity: Severity::Error, site, message, help: missing.help.clone() });
                }
            }
        }
    }
    found
}

/// A judged file that is called as an import is.
fn called<'g, L: Diffs>(gathered: &'g Gathered<'_, L>, import: &str) -> Option<&'g str> {
    let last = |path: &str| path.rsplit('/').next().map(str::to_owned);
    gathered.judged().map(|input| &*input.path).find(|path| last(path) == last(import))
}
