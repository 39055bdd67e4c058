//! The files of one version with everything that they import.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::contents::files;
use super::graph::{FileIds, Graph, Node, Origin};
use super::language::{Content, Contents, Gathered, Import, Input, Language, Linkage, Missing, Supplier, reading_in};
use super::search::{Search, Target};
use crate::change::Site;
use crate::formats::check::CheckOptions;
use crate::formats::instances::Usages;
use crate::formats::outline::Outline;
use crate::ordered::{InOrder, OrderedSet};
use crate::snapshot::{Lent, Snapshot, SnapshotFile};
use crate::syntax::problem::{NotChecked, Problem, Severity};

/// How many names of a file are told that nobody could look up.
const UNSURE_LIMIT: usize = 5;

impl<'t, L: Language> Input<'t, L> {
    /// A file that is judged and imports nothing.
    pub(crate) fn new(path: Arc<str>, tree: &'t L::Tree<'t>) -> Self {
        Input {
            import_path: path.clone(),
            path,
            id: None,
            bytes: &[],
            tree,
            problems: &[],
            is_library: false,
            terms: 0,
            is_unasked: false,
            imports: Vec::new(),
            import_problems: Vec::new(),
            doubts: Vec::new(),
        }
    }

    fn of<'b: 't>(path: Arc<str>, content: &'t Content<'b, L>) -> Self {
        let tree = L::shorter(&content.tree);
        Input { bytes: content.bytes, problems: &content.problems, ..Input::new(path, tree) }
    }

    /// Whether the text of the file could not be understood in whole.
    pub(crate) fn is_broken(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }

    /// Everything that is wrong with the file, without what is at a place where the text is wrong already. Of a file that
    /// only supplies types nothing but errors is told, and they are not the user's.
    fn report(&self, found: Vec<Problem>, all: &mut Vec<Problem>) {
        if self.is_unasked {
            return;
        }
        let place = |problem: &Problem| problem.site.as_ref().map(|site| site.span.start);
        let errors = self.problems.iter().filter(|problem| problem.severity != Severity::Warning);
        let told: FxHashSet<Option<u32>> = errors.map(place).collect();
        let own = self.problems.iter().cloned().map(|mut problem| {
            if let Some(site) = &mut problem.site {
                site.file = self.path.clone();
            }
            problem
        });
        let found = self.settled(found);
        let found = found.into_iter();
        let found = found.filter(|problem| !told.contains(&place(problem)));
        match self.is_library {
            false => all.extend(own.chain(found)),
            true => all.extend(
                own.chain(found)
                    .filter(|problem| problem.severity != Severity::Warning)
                    .map(|problem| Problem { severity: Severity::Warning, ..problem }),
            ),
        }
    }
}

impl<'t, L: Language> Input<'t, L> {
    /// What is wrong with imports and what linking found. Names that nobody could look up are told where an import is
    /// missing on one side only, and that import with them.
    fn settled(&self, found: Vec<Problem>) -> Vec<Problem> {
        let mut imports = self.import_problems.clone();
        if found.iter().any(|problem| problem.severity == Severity::Unsure) {
            for (index, problem) in &self.doubts {
                match index {
                    Some(index) => imports[*index] = problem.clone(),
                    None => imports.push(problem.clone()),
                }
            }
        }
        let lost = imports.iter().filter(|problem| problem.severity == Severity::Aside);
        let lost: FxHashSet<Option<Site>> = lost.map(|problem| problem.site.clone()).collect();
        let mut told = 0;
        let found = found.into_iter().filter_map(|problem| match problem.severity {
            // What uses something may be the import itself.
            Severity::Unsure if lost.contains(&problem.site) => None,
            Severity::Unsure => {
                told += 1;
                (!lost.is_empty() && told <= UNSURE_LIMIT).then(|| unsure::<L>(problem))
            }
            _ => Some(problem),
        });
        imports.into_iter().chain(found).collect()
    }
}

/// A name that nobody could look up, as it is told.
fn unsure<L: Language>(mut problem: Problem) -> Problem {
    if let Some(name) = problem.unsure_name().filter(|_| L::HAS_ADDRESSES) {
        let word = L::IMPORT;
        (problem.message, problem.help) = (
            format!("`{name}` is not known, because no file was found to which this {word} leads"),
            format!("see the {word} of this file that was not found"),
        );
    }
    Problem { severity: Severity::Aside, ..problem }
}

/// How much of the library is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// What is imported.
    Imported,
    /// Every file of the library and every file that was not selected, because a name was found nowhere else.
    Everything,
}

/// Finds the files of one version and what they import, transitively; where only some are named, these files.
pub(super) fn gather<'t, 'b: 't, L: Language>(
    snapshot: &'b Snapshot,
    search: &'t L::Search<'b>,
    contents: &'t Contents<'b, L>,
    options: &'b CheckOptions,
    (extent, only): (Extent, Option<&FxHashSet<Arc<str>>>),
) -> Gathered<'t, L> {
    let mut gatherer = Gatherer {
        snapshot,
        search,
        contents,
        options,
        entered: FxHashMap::default(),
        missing: FxHashSet::default(),
        left_out: FxHashSet::default(),
        gathered: Gathered::of(Vec::new()),
    };
    gatherer.gathered.problems.extend_from_slice(search.problems());
    gatherer.gathered.not_checked.extend(search.left_out());
    let is_judged = |path: &Arc<str>| snapshot.judges(path) && search.judges(path);
    let judged: Vec<&Arc<str>> = match only {
        None => files::<L>(snapshot).map(|(path, ..)| path).filter(|path| is_judged(path)).collect(),
        Some(only) => {
            let there = only.iter().filter_map(|path| snapshot.entry(path));
            let of_language = there.filter(|(path, file)| reading_in::<L>(snapshot, path, &file.bytes).is_some());
            let mut judged: Vec<_> = of_language.map(|(path, _)| path).filter(|path| is_judged(path)).collect();
            judged.sort_in_order();
            judged
        }
    };
    for path in judged {
        if let Some(index) = gatherer.enter_file(path) {
            gatherer.gathered.inputs[index].import_path = Arc::from(search.import_path(path));
        }
    }
    gatherer.gathered.judged = gatherer.gathered.inputs.len();
    let others = || snapshot.iter().filter(|(path, _)| L::reading_by_name(path).is_some() && is_judged(path));
    gatherer.gathered.is_whole = others().nth(gatherer.gathered.judged).is_none();
    gatherer.gathered.is_alone = gatherer.gathered.judged == 1 && gatherer.gathered.is_whole;
    gatherer.enter_unasked(extent);
    let mut next = 0;
    while next < gatherer.gathered.inputs.len() {
        gatherer.follow(next);
        next += 1;
    }
    gatherer.gathered.always = L::ALWAYS.and_then(|path| match search.find("", path) {
        // A copy in the version stands for the built-in one, so that each side is linked with its own.
        Some(target @ Target::File(_)) if gatherer.entered.contains_key(&target) => {
            gatherer.entered.get(&target).copied()
        }
        _ => gatherer.enter_builtin(path),
    });
    let is_left = |(index, reading): (usize, Option<L::Reading>)| {
        reading.is_some() && !gatherer.entered.contains_key(&Target::Library(index))
    };
    let is_lent_left = |(path, ..): (&Arc<str>, _, _)| !gatherer.entered.contains_key(&Target::File(path.clone()));
    let has_more = library_readings::<L>(options).any(is_left) || lent::<L>(snapshot).any(is_lent_left);
    gatherer.gathered.inputs.iter_mut().for_each(|input| input.terms = options.terms.of(&input.path));
    Gathered { has_more, usages: options.usages.clone(), ..gatherer.gathered }
}

/// The files of a version that were not selected.
fn lent<L: Language>(snapshot: &Snapshot) -> impl Iterator<Item = (&Arc<str>, &SnapshotFile, L::Reading)> {
    let unselected = snapshot.lent_paths().filter(|path| snapshot.lent(path) == Some(&Lent::Unselected));
    unselected.filter_map(|path| {
        let (path, file) = snapshot.entry(path)?;
        Some((path, file, reading_in::<L>(snapshot, path, &file.bytes)?))
    })
}

/// The files of the library, and how those of the language are read.
fn library_readings<L: Language>(options: &CheckOptions) -> impl Iterator<Item = (usize, Option<L::Reading>)> {
    options.library.iter().enumerate().map(|(index, file)| (index, L::reading_by_name(&file.import_path)))
}

/// An import of the new side that led to a file on the old side has lost it: the schema is not whole, and its types must
/// not pass for unknown ones.
pub(super) fn refuse_lost<L: Language>(old: &Gathered<'_, L>, new: &mut Gathered<'_, L>) {
    if new.missing.is_empty() {
        return;
    }
    let led_to = old.judged_files_of_imports();
    let before: FxHashMap<&Arc<str>, &Input<'_, L>> = old.inputs.iter().map(|input| (&input.path, input)).collect();
    let there: FxHashSet<Arc<str>> = new.inputs.iter().map(|input| input.path.clone()).collect();
    for Missing { input, problem, import, span, help } in &new.missing {
        let input = &mut new.inputs[*input];
        let word = L::IMPORT;
        let (message, remedy) = match led_to.get(&**import) {
            // It is read all the same, and what it declares is found by its names.
            Some(before) if there.contains(&***before) && !L::HAS_ADDRESSES => continue,
            Some(before) if there.contains(&***before) => (
                format!("in the old version it leads to {before}, which is not called so any more"),
                format!("give {before} its address back, or have the {word} lead to what it is called now"),
            ),
            Some(before) => (
                format!("in the old version it leads to {before}, which the new version does not have"),
                format!("bring the file back or remove the {word}; where the file moved elsewhere, {help}"),
            ),
            // Where the statement is new, it may be the one that took the place of another.
            None => {
                let Some(earlier) = before.get(&input.path).map(|earlier| paths_of_imports(earlier)) else { continue };
                let now = paths_of_imports(input);
                let is_new = earlier.iter().all(|path| *path != **import);
                let gone = earlier.into_iter().filter(|path| !now.contains(path));
                let known = gone.filter_map(|path| led_to.get(&path).map(|file| (path, *file)));
                // Of several the first whose end is the most alike.
                let replaced = known.min_by_key(|(path, _)| std::cmp::Reverse(common_end(path, import)));
                let Some((path, file)) = replaced.filter(|_| is_new) else { continue };
                (
                    format!(
                        "it took the place of `{path}`, which led to {file}, so what was known is not known any more"
                    ),
                    format!("mend its path or bring `{path}` back; where the file lies elsewhere, {help}"),
                )
            }
        };
        if !L::may_use(input.bytes, import) {
            continue;
        }
        let told = Problem {
            severity: Severity::Aside,
            ..Problem::warning(&input.path, *span, format!("{word} `{import}` was not found: {message}"), remedy)
        };
        match problem {
            Some(problem) => input.import_problems[*problem] = told,
            None => input.import_problems.push(told),
        }
    }
}

/// How many parts two paths have in common at their ends.
fn common_end(one: &str, other: &str) -> usize {
    one.rsplit('/').zip(other.rsplit('/')).take_while(|(one, other)| one == other).count()
}

/// The reverse: an import of the old side that leads nowhere, where the new side has the file. What is used of it was never
/// known, so nobody can say whether it is the same now.
pub(super) fn doubt_found<L: Language>(old: &mut Gathered<'_, L>, new: &Gathered<'_, L>) {
    if old.missing.is_empty() {
        return;
    }
    let leads_to = new.judged_files_of_imports();
    let there: FxHashSet<Arc<str>> = old.inputs.iter().map(|input| input.path.clone()).collect();
    for Missing { input, problem, import, span, help } in &old.missing {
        let input = &mut old.inputs[*input];
        let Some(now) = leads_to.get(&**import).filter(|now| !there.contains(&***now)) else { continue };
        if !L::may_use(input.bytes, import) {
            continue;
        }
        let word = L::IMPORT;
        let told = Problem {
            severity: Severity::Aside,
            ..Problem::warning(
                &input.path,
                *span,
                format!(
                    "{word} `{import}` was not found: only the new version has {now}, so what it was before is not known"
                ),
                match L::HAS_ADDRESSES {
                    true => format!("in the old version, {help}"),
                    false => {
                        format!(
                            "pass `-I DIR` with a folder that holds `{import}` as the old version was built with it"
                        )
                    }
                },
            )
        };
        input.doubts.push((*problem, told));
    }
}

/// The files that only the old side has and that the new one imports all the same, or by another path in place of theirs,
/// which is told there: what they declare is used, and may lie elsewhere.
pub(super) fn lost<L: Language>(old: &Gathered<'_, L>, new: &Gathered<'_, L>, told: &[Problem]) -> FxHashSet<Arc<str>> {
    let lead_nowhere = new.inputs.iter().filter(|input| input.imports.contains(&None)).flat_map(|input| {
        let nowhere = L::imports(input.tree).into_iter().zip(&input.imports).filter(|(_, target)| target.is_none());
        nowhere.map(move |(import, _)| (input, import))
    });
    let is_told = |(from, import): &(&Input<'_, L>, Import<'_, L>)| {
        let is_at = |site: &Site| site.file == from.path && site.span == import.span;
        told.iter().any(|problem| problem.is_error() && problem.site.as_ref().is_some_and(is_at))
    };
    let told: Vec<_> = lead_nowhere.filter(is_told).map(|(from, import)| (from, import.path.to_owned())).collect();
    if told.is_empty() {
        return FxHashSet::default();
    }
    let mut led_to = old.judged_files_of_imports();
    for input in old.inputs.iter().take(old.judged) {
        led_to.entry(input.import_path.to_string()).or_insert(&input.path);
    }
    let there: FxHashSet<&Arc<str>> = new.inputs.iter().map(|input| &input.path).collect();
    let files = told.iter().flat_map(|(from, import)| match led_to.get(import) {
        Some(file) => vec![*file],
        None => replaced(old, from).iter().filter_map(|import| led_to.get(import).copied()).collect(),
    });
    files.filter(|file| !there.contains(file)).cloned().collect()
}

/// What a file of the new side imported on the old one and does not any more.
fn replaced<L: Language>(old: &Gathered<'_, L>, now: &Input<'_, L>) -> Vec<String> {
    let Some(before) = old.inputs.iter().find(|input| input.path == now.path) else { return Vec::new() };
    let kept = paths_of_imports(now);
    paths_of_imports(before).into_iter().filter(|import| !kept.contains(import)).collect()
}

fn paths_of_imports<L: Language>(input: &Input<'_, L>) -> Vec<String> {
    L::imports(input.tree).into_iter().map(|one| one.path.to_owned()).collect()
}

impl<'t, L: Language> Gathered<'t, L> {
    /// Files that are judged and import nothing.
    pub(crate) fn of(inputs: Vec<Input<'t, L>>) -> Self {
        Gathered {
            judged: inputs.len(),
            is_alone: inputs.len() == 1,
            is_whole: true,
            inputs,
            always: None,
            not_checked: Vec::new(),
            problems: Vec::new(),
            missing: Vec::new(),
            unnamed: OrderedSet::new(),
            has_more: false,
            usages: Usages::default(),
        }
    }

    /// The imports that lead nowhere.
    pub(super) fn missing(&self) -> impl Iterator<Item = String> {
        self.missing.iter().filter(|missing| missing.problem.is_some()).map(|missing| missing.import.clone())
    }

    /// The judged files that imports lead to.
    fn judged_files_of_imports(&self) -> FxHashMap<String, &Arc<str>> {
        let mut files = FxHashMap::default();
        for input in &self.inputs {
            for (written, target) in L::imports(input.tree).into_iter().zip(&input.imports) {
                if let Some(target) = target.filter(|target| *target < self.judged) {
                    files.entry(written.path.to_string()).or_insert(&self.inputs[target].path);
                }
            }
        }
        files
    }

    /// The linked files with everything that is wrong with them, and not only what linking found.
    pub(super) fn report<S>(&self, linked: Linkage<S>) -> Linkage<S> {
        let mut by_file: FxHashMap<Arc<str>, Vec<Problem>> = FxHashMap::default();
        let mut all = self.problems.clone();
        for problem in linked.problems {
            match problem.site.as_ref().map(|site| site.file.clone()) {
                Some(file) => by_file.entry(file).or_default().push(problem),
                None => all.push(problem),
            }
        }
        for input in &self.inputs {
            input.report(by_file.remove(&input.path).unwrap_or_default(), &mut all);
        }
        Linkage { problems: all, ..linked }
    }

    /// Which input leads to which: by its imports, or by a name that it uses. A name that is not defined where it could be
    /// read may be in what could not be read.
    pub(super) fn references(&self) -> Vec<(usize, usize)> {
        let inputs = || self.inputs.iter().enumerate();
        let imports = inputs().flat_map(|(from, input)| input.imports.iter().flatten().map(move |to| (from, *to)));
        let mut found: Vec<(usize, usize)> = imports.collect();
        let mentions: Vec<_> = self.inputs.iter().map(|input| L::mentions(input.tree)).collect();
        let mut defined: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (file, mentions) in mentions.iter().enumerate() {
            for name in &mentions.defines {
                defined.entry(name).or_default().push(file);
            }
        }
        let broken: Vec<usize> = inputs().filter(|(_, input)| input.is_broken()).map(|(file, _)| file).collect();
        for (file, mentions) in mentions.iter().enumerate() {
            for names in &mentions.uses {
                let mut targets = names.iter().filter_map(|name| defined.get(name.as_str())).peekable();
                let unknown = targets.peek().is_none().then_some(&broken);
                let targets = targets.chain(unknown).flatten();
                found.extend(targets.filter(|target| **target != file).map(|target| (file, *target)));
            }
        }
        found.sort_in_order();
        found.dedup();
        found
    }

    /// The same with what the files are, and what is said of each at a glance.
    pub(super) fn graph(&self, ids: &FileIds, outline: impl Fn(&Input<'_, L>) -> Arc<Outline>) -> Graph {
        let mut graph = Graph::new(ids.clone());
        let mut outside: FxHashMap<&Arc<str>, usize> = FxHashMap::default();
        let numbers = self.inputs.iter().map(|input| {
            let origin = match input.id {
                Some(_) => Origin::Version,
                None => {
                    let called_so = outside.entry(&input.path).or_default();
                    *called_so += 1;
                    Origin::Outside(*called_so)
                }
            };
            ids.of(&input.path, origin)
        });
        let numbers: Vec<usize> = numbers.collect();
        for (index, (input, at)) in self.inputs.iter().zip(&numbers).enumerate() {
            let node = Node {
                import_path: input.import_path.clone(),
                is_judged: index < self.judged,
                is_broken: input.is_broken(),
                ..Node::new(input.path.clone(), input.id, outline(input))
            };
            graph.put(*at, node);
        }
        let mut names = vec![Vec::new(); self.inputs.len()];
        self.references().into_iter().for_each(|(from, to)| names[from].push(numbers[to]));
        for ((input, at), names) in self.inputs.iter().zip(&numbers).zip(names) {
            let imports = input.imports.iter().map(|target| target.map(|target| numbers[target]));
            graph.lead(*at, imports.collect(), names);
        }
        graph
    }
}

struct Gatherer<'t, 'b, L: Language> {
    snapshot: &'b Snapshot,
    search: &'t L::Search<'b>,
    contents: &'t Contents<'b, L>,
    options: &'b CheckOptions,
    /// The inputs so far.
    entered: FxHashMap<Target, usize>,
    /// The paths of imports that were told to be missing.
    missing: FxHashSet<String>,
    /// What was left out of imports, and told.
    left_out: FxHashSet<String>,
    gathered: Gathered<'t, L>,
}

impl<'t, 'b: 't, L: Language> Gatherer<'t, 'b, L> {
    fn add(&mut self, target: Target, input: Input<'t, L>) -> usize {
        self.gathered.inputs.push(input);
        self.entered.insert(target, self.gathered.inputs.len() - 1);
        self.gathered.inputs.len() - 1
    }

    /// A file of the snapshot, with what it says; how it is read depends on its name and its text.
    fn enter_file(&mut self, path: &Arc<str>) -> Option<usize> {
        let target = Target::File(path.clone());
        if let Some(index) = self.entered.get(&target) {
            return Some(*index);
        }
        let file = self.snapshot.get(path)?;
        let key = (file.id, reading_in::<L>(self.snapshot, path, &file.bytes)?);
        let content = match self.contents.supplied(file.id) {
            Some(supplied) => &supplied.content,
            None => self.contents.get(key)?,
        };
        let not_checked = content.not_checked.iter().cloned();
        self.gathered.not_checked.extend(not_checked.map(|gap| NotChecked { file: path.to_string(), ..gap }));
        Some(self.add(target, Input { id: Some(file.id), ..Input::of(path.clone(), content) }))
    }

    /// A file of the library; read when it is met for the first time.
    fn enter_library(&mut self, library: usize, reading: L::Reading) -> usize {
        let target = Target::Library(library);
        if let Some(index) = self.entered.get(&target) {
            return *index;
        }
        let path: Arc<str> = Arc::from(self.options.library[library].import_path.as_str());
        let content = self.contents.of_library(library, reading);
        self.add(target, Input { is_library: true, ..Input::of(path, content) })
    }

    fn enter_builtin(&mut self, path: &str) -> Option<usize> {
        let (path, tree) = L::builtin(path)?;
        let target = Target::Builtin(path);
        if let Some(index) = self.entered.get(&target) {
            return Some(*index);
        }
        Some(self.add(target, Input { is_library: true, ..Input::new(Arc::from(path), tree) }))
    }

    /// Takes in files that nothing imports: where asked to, the whole library and what was not selected, and what defines
    /// the types of data.
    fn enter_unasked(&mut self, extent: Extent) {
        if extent == Extent::Everything {
            for (index, reading) in library_readings::<L>(self.options) {
                let is_new = !self.entered.contains_key(&Target::Library(index));
                if let Some(reading) = reading {
                    // Nobody named the file, so what is wrong with it concerns nobody.
                    let input = self.enter_library(index, reading);
                    self.gathered.inputs[input].is_unasked |= is_new;
                }
            }
            for (path, ..) in lent::<L>(self.snapshot) {
                let before = self.gathered.inputs.len();
                if let Some(input) = self.enter_file(path).filter(|input| *input >= before) {
                    (self.gathered.inputs[input].is_library, self.gathered.inputs[input].is_unasked) = (true, true);
                }
            }
        }
        let supplied = self.snapshot.iter().filter_map(|(_, file)| self.contents.supplied(file.id));
        for supplier in supplied.flat_map(|supplied| &supplied.suppliers) {
            self.enter_supplier(supplier);
        }
    }

    fn enter_supplier(&mut self, supplier: &'t Supplier<L>) {
        match supplier {
            Supplier::Library(index) => {
                if let Some(reading) = L::reading_by_name(&self.options.library[*index].import_path) {
                    self.enter_library(*index, reading);
                }
            }
            Supplier::File(path, key) => {
                let target = Target::File(path.clone());
                if let (false, Some(content)) = (self.entered.contains_key(&target), self.contents.get(*key)) {
                    self.add(target, Input { is_library: true, ..Input::of(path.clone(), content) });
                }
            }
        }
    }

    /// Follows the imports of an input.
    fn follow(&mut self, index: usize) {
        let tree = self.gathered.inputs[index].tree;
        let path = self.gathered.inputs[index].path.clone();
        let imports = L::imports(tree).into_iter().map(|import| {
            let found = self.target(&path, &import);
            match found {
                Some(found) => self.report_left_out(index, &import, found),
                None => self.report_missing(index, &import),
            }
            found
        });
        let imports = imports.collect();
        self.gathered.inputs[index].imports = imports;
    }

    /// The input that an import leads to.
    fn target(&mut self, from: &str, import: &Import<'_, L>) -> Option<usize> {
        match self.search.find(from, import.path)? {
            Target::File(path) if self.is_wrong_guess(from, import.path, &path) => match L::builtin(import.path) {
                Some(_) => self.enter_builtin(import.path),
                None => None,
            },
            Target::File(path) => {
                let before = self.gathered.inputs.len();
                let index = self.enter_file(&path)?;
                // What is judged was there already.
                self.gathered.inputs[index].is_library |= index >= before;
                Some(index)
            }
            Target::Library(library) => Some(self.enter_library(library, import.reading)),
            Target::Builtin(path) => self.enter_builtin(path),
        }
    }

    /// Whether a file was only guessed and declares nothing of what the importing file uses, beside what it has from
    /// imports that are no guesses.
    fn is_wrong_guess(&mut self, from: &str, import: &str, path: &Arc<str>) -> bool {
        if !self.search.is_guess(from, import) {
            return false;
        }
        let Some(index) = self.entered.get(&Target::File(Arc::from(from))) else { return false };
        let importing = self.gathered.inputs[*index].tree;
        let Some(guessed) = self.tree(path) else { return false };
        let sure = L::imports(importing).into_iter().filter(|import| !self.search.is_guess(from, import.path));
        let found = sure.filter_map(|import| match self.search.find(from, import.path)? {
            Target::File(path) => self.tree(&path),
            Target::Library(_) | Target::Builtin(_) => None,
        });
        !L::may_declare(importing, guessed, &found.collect::<Vec<_>>())
    }

    fn tree(&self, path: &Arc<str>) -> Option<&'t L::Tree<'t>> {
        let file = self.snapshot.get(path)?;
        let content = self.contents.get((file.id, reading_in::<L>(self.snapshot, path, &file.bytes)?))?;
        Some(L::shorter(&content.tree))
    }

    /// Says once that imports lead to files only without what they begin with.
    fn report_left_out(&mut self, index: usize, import: &Import<'_, L>, found: usize) {
        let target = &self.gathered.inputs[found];
        if target.id.is_none() || target.path.ends_with(import.path) {
            return;
        }
        let (word, from, path) = (L::IMPORT, &self.gathered.inputs[index].path, import.path);
        let Some((prefix, folder)) = self.search.left_out_of(from, path) else { return };
        if !self.left_out.insert(prefix.to_owned()) {
            return;
        }
        let message = format!(
            "no folder is called `{prefix}`, so what begins so is looked for without it: {word} `{path}` leads to {}",
            target.path
        );
        let help = format!("pass `-I {prefix}={folder}` to say so, or `-I DIR` where such files lie elsewhere");
        let problem = Problem::warning(from, import.span, message, help);
        self.gathered.inputs[index].import_problems.push(problem);
    }

    fn report_missing(&mut self, index: usize, import: &Import<'_, L>) {
        let (word, path) = (L::IMPORT, import.path);
        if !L::is_named(path) {
            self.gathered.unnamed.insert(path.to_owned());
        }
        let input = &mut self.gathered.inputs[index];
        let (file, problems) = (&input.path, &mut input.import_problems);
        if let Some((message, help)) = self.search.unusable(path) {
            problems.push(Problem::error(file, import.span, message, help));
            return;
        }
        let help = self.search.help(path);
        let is_strict = self.options.strict_imports.then_some("imports are strict");
        if let Some(why) = self.search.must_exist(file, path).or(is_strict) {
            let message = format!("{word} `{path}` was not found: {why}");
            problems.push(Problem::error(file, import.span, message, help));
            return;
        }
        let is_first = self.missing.insert(path.to_owned());
        let problem = is_first.then_some(problems.len());
        let missing = Missing { input: index, problem, import: path.to_owned(), span: import.span, help: help.clone() };
        self.gathered.missing.push(missing);
        if !is_first {
            return;
        }
        let (what, by) = if L::HAS_ADDRESSES { ("schemas", "address") } else { ("types", "name") };
        let message = format!("{word} `{path}` was not found: its {what} are compared by {by} only");
        problems.push(Problem::warning(file, import.span, message, help.clone()));
        let gap = NotChecked { file: file.to_string(), what: format!("{what} of {path}"), help };
        self.gathered.not_checked.push(gap);
    }
}
