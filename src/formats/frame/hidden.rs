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
use crate::change::{Pair, Side};
use crate::ordered::OrderedSet;
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
    if found.old.is_empty() && found.new.is_empty() {
        return FxHashSet::default();
    }
    let full = |(_, name, _): &Hides| name.clone();
    let hidden = found.old.iter().chain(&found.new).map(full).collect();
    let at = |problems: &[Problem], found: &[Hides]| -> Vec<Arc<str>> {
        found.iter().filter_map(|(at, ..)| Some(problems[*at].site.as_ref()?.file.clone())).collect()
    };
    let files = [at(&sides.old.problems, &found.old), at(&sides.new.problems, &found.new)].concat();
    let nowhere = gathered.map(|side| Nowhere::of(side, &files));
    say(&mut sides.old.problems, found.old, Side::Old, nowhere.as_ref());
    say(&mut sides.new.problems, found.new, Side::New, nowhere.as_ref());
    hidden
}

/// The imports of some files that lead nowhere, those of the files that they import among them.
struct Nowhere(FxHashMap<Arc<str>, OrderedSet<String>>);

impl Nowhere {
    fn of<L: Links>(gathered: &Gathered<'_, L>, files: &[Arc<str>]) -> Self {
        let own = |input: &Input<'_, L>| -> Vec<String> {
            let imports = L::imports(input.tree).into_iter().zip(&input.imports);
            imports.filter(|(_, target)| target.is_none()).map(|(import, _)| import.path.to_owned()).collect()
        };
        let all = |file: usize| {
            let (mut seen, mut open) = (FxHashSet::default(), vec![file]);
            let mut imports = OrderedSet::new();
            while let Some(file) = open.pop() {
                if seen.insert(file) {
                    imports.extend(own(&gathered.inputs[file]));
                    open.extend(gathered.inputs[file].imports.iter().flatten());
                }
            }
            imports
        };
        let asked: FxHashSet<&Arc<str>> = files.iter().collect();
        let inputs = gathered.inputs.iter().enumerate().filter(|(_, input)| asked.contains(&input.path));
        Nowhere(inputs.map(|(at, input)| (input.path.clone(), all(at))).collect())
    }

    fn from(&self, file: &str) -> Option<&OrderedSet<String>> {
        self.0.get(file).filter(|imports| !imports.is_empty())
    }
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

/// Says of names why nobody knows what they mean on a side.
fn say(problems: &mut [Problem], found: Vec<Hides>, side: Side, nowhere: Pair<&Nowhere>) {
    let (here, there) = match side {
        Side::Old => (nowhere.old, nowhere.new),
        Side::New => (nowhere.new, nowhere.old),
    };
    let (known, lost) = match side {
        Side::Old => ("which only the new version declares", "so what it was before is not known"),
        Side::New => ("which the old version declares", "so what was known is not known any more"),
    };
    for (at, name, declared_in) in found {
        let problem = &mut problems[at];
        let file = problem.site.as_ref().map(|site| site.file.clone()).unwrap_or_default();
        problem.severity = Severity::Aside;
        (problem.message, problem.help) = match (here.from(&file), there.from(&file)) {
            (None, _) => (
                format!("what could not be read hides `{name}`, {known}, {lost} ({declared_in})"),
                "mend what cannot be read first".to_owned(),
            ),
            // The other version knew the type without that import.
            (Some(now), Some(then)) if now.iter().all(|import| then.contains(import)) => (
                format!("`{name}`, {known} ({declared_in}), is in no file that was found here, {lost}"),
                match side {
                    Side::Old => "pass `-I DIR` with a folder that holds the import that leads nowhere",
                    Side::New => {
                        "declare it, or import the file that does; where that is the import that leads nowhere, pass `-I DIR`"
                    }
                }
                .to_owned(),
            ),
            _ => (
                format!("an import that was not found hides `{name}`, {known}, {lost} ({declared_in})"),
                "see the import that leads nowhere: pass `-I DIR` with a folder that holds it".to_owned(),
            ),
        };
    }
}
