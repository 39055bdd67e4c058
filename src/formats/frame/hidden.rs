//! Types that one side declares, and that the other side has behind an import that leads nowhere.
//!
//! What is behind such an import is compared by its name alone. That says nothing where the other side knows the type: what
//! was known is hidden now, or what was hidden is known now, and nobody can tell whether it is the same. Where the full name
//! is still declared in a judged file, what stands there is compared.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::declared::Declared;
use super::language::{Gathered, Input, Linkage, Links};
use super::roots::simple_name;
use crate::change::Pair;
use crate::syntax::problem::{Problem, Severity};

/// Makes errors of the names that hide what the other side declares; the full names of what they hide. Files that had an
/// import and lost it tell so themselves.
pub(super) fn tell<L: Links>(
    sides: &mut Pair<Linkage<L::Schema<'_>>>,
    gathered: Pair<&Gathered<'_, L>>,
) -> FxHashSet<String> {
    let names = Pair::new(names(&sides.old.problems), names(&sides.new.problems));
    if !L::BY_NAME || names.old.is_empty() && names.new.is_empty() {
        return FxHashSet::default();
    }
    let declared = Pair::new(L::declared(&sides.old.schema), L::declared(&sides.new.schema));
    let found = Pair::new(
        hides::<L>(&sides.old.problems, [&names.new, &told(gathered.old, &names.old)], (&declared.new, &declared.old)),
        hides::<L>(&sides.new.problems, [&names.old, &told(gathered.new, &names.new)], (&declared.old, &declared.new)),
    );
    let full = |(_, name, _): &Hides| name.clone();
    let hidden = found.old.iter().chain(&found.new).map(full).collect();
    let (old, new) = (
        "which only the new version declares, so what it was before is not known",
        "which the old version declares, so what was known is not known any more",
    );
    say(&mut sides.old.problems, found.old, old);
    say(&mut sides.new.problems, found.new, new);
    hidden
}

/// The file and the name, as written, of what a side could not look up.
type Names = FxHashSet<(Arc<str>, String)>;

fn names(problems: &[Problem]) -> Names {
    problems.iter().filter_map(name).collect()
}

fn name(problem: &Problem) -> Option<(Arc<str>, String)> {
    Some((problem.site.as_ref()?.file.clone(), problem.unsure_name()?.to_owned()))
}

/// The names of files that tell of an import which the other side has.
fn told<L: Links>(gathered: &Gathered<'_, L>, names: &Names) -> Names {
    let tells = |input: &&Input<'_, L>| {
        !input.doubts.is_empty() || input.import_problems.iter().any(|problem| problem.severity == Severity::Aside)
    };
    let files: FxHashSet<&Arc<str>> = gathered.inputs.iter().filter(tells).map(|input| &input.path).collect();
    names.iter().filter(|(file, _)| files.contains(file)).cloned().collect()
}

/// A problem by its place in the list, and the full name and the file of what it hides.
type Hides = (usize, String, String);

/// The names that a side could not look up, and the other one could, but for some: once for each file and name.
fn hides<L: Links>(
    problems: &[Problem],
    but: [&Names; 2],
    (known, own): (&[Declared<'_>], &[Declared<'_>]),
) -> Vec<Hides> {
    let still: FxHashSet<&str> = own.iter().filter(|one| one.is_own).map(|one| one.name).collect();
    let mut gone: FxHashMap<&str, &Declared<'_>> = FxHashMap::default();
    // What is built into the language is the same under whatever path a version finds it.
    let is_known = |one: &&Declared<'_>| one.is_own || L::builtin(one.file).is_none();
    for one in known.iter().filter(is_known).filter(|one| !still.contains(one.name)) {
        gone.entry(simple_name(one.name)).or_insert(one);
    }
    let mut seen = Names::default();
    let mut found = Vec::new();
    for (at, problem) in problems.iter().enumerate() {
        let Some(unknown) = name(problem).filter(|unknown| but.iter().all(|names| !names.contains(unknown))) else {
            continue;
        };
        let Some(one) = gone.get(simple_name(&unknown.1)) else { continue };
        if seen.insert(unknown) {
            found.push((at, one.name.to_owned(), one.file.to_owned()));
        }
    }
    found
}

fn say(problems: &mut [Problem], found: Vec<Hides>, what: &str) {
    for (at, name, file) in found {
        let problem = &mut problems[at];
        problem.severity = Severity::Aside;
        problem.message = format!("an import that was not found hides `{name}`, {what} ({file})");
        "see the import that leads nowhere: pass `-I DIR` with a folder that holds it".clone_into(&mut problem.help);
    }
}
