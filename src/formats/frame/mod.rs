//! What every language gets: everything around parsing, linking, comparing, writing and reading.
//!
//! ```text
//! versions ─parse→ Contents ─gather→ files with what they import ─link→ Pair<Schema> ─diff→ changes + pairs ─probe→ Observed
//! ```
//!
//! A language states what is its own in [`Language`]. Whatever two languages would answer alike is answered here, once:
//! which files belong to a version, what is told of imports that lead nowhere, which problems a change has nothing to do
//! with, what is left out because it could not be read, what roots mean, and who probes what of a divided check.
//! `tests/it/frame_laws.rs` asks every language the same questions.

mod affected;
pub(super) mod contents;
pub(super) mod differ;
mod doubtful;
pub(super) mod gather;
mod old_problems;
pub(super) mod peers;
pub(super) mod roots;
pub(super) mod search;

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::change::{Change, Pair, Side, Span};
use crate::evidence::Observed;
use crate::formats::check::{CheckOptions, Checked};
use crate::formats::division::{Division, Written};
use crate::snapshot::{ContentId, Snapshot};
use crate::syntax::problem::Problem;

use self::contents::{Content, Contents, Supplied};
use self::doubtful::Doubtful;
use self::gather::{Extent, Gathered, gather, refuse_lost};
use self::roots::Roots;
use self::search::Search;

/// What a language owes. Everything else it gets.
pub trait Language: Sized + 'static {
    /// How a file is read, where the language has several notations.
    type Reading: Debug + Copy + Ord + Hash + Send + Sync;
    /// What one text says.
    type Tree<'b>: Send + Sync;
    /// What looks imports up.
    type Search<'b>: Search + Send + Sync;
    /// The files of a side, every name resolved.
    type Schema<'t>: Send + Sync;
    /// What was compared with what.
    type Pairs: Debug;

    /// The word for an import.
    const IMPORT: &'static str;
    /// The import path of a built-in file that is there in every version.
    const ALWAYS: Option<&'static str> = None;

    /// How a file of a snapshot is read; `None` where it is not the language's.
    fn reading(path: &str, bytes: &[u8]) -> Option<Self::Reading>;

    /// How a file from outside is read.
    fn reading_by_name(path: &str) -> Option<Self::Reading> {
        Self::reading(path, &[])
    }

    /// Parse: what a text says, and what is wrong with it.
    fn parse<'b>(reading: Self::Reading, path: &Arc<str>, bytes: &'b [u8]) -> Content<'b, Self>;

    /// A tree is as good for a shorter time. (`tree` is the answer; the compiler has to be told for each language.)
    fn shorter<'t, 'b: 't>(tree: &'t Self::Tree<'b>) -> &'t Self::Tree<'t>;

    /// What a file imports, in the order written.
    fn imports<'i>(tree: &'i Self::Tree<'_>) -> Vec<Import<'i, Self>>;

    /// Where the imports of a version lead.
    fn search<'b>(snapshot: &'b Snapshot, options: &'b CheckOptions) -> Self::Search<'b>;

    /// The file of that import path that is built into the language.
    fn builtin<'t>(_import: &str) -> Option<(&'static str, &'t Self::Tree<'t>)> {
        None
    }

    /// The names by which files lead to each other without imports.
    fn mentions(_tree: &Self::Tree<'_>) -> Mentions {
        Mentions::default()
    }

    /// The contents that can only be understood with the help of other files.
    fn supplied<'b>(
        _contents: &Contents<'b, Self>,
        _versions: &[&'b Snapshot],
        _options: &'b CheckOptions,
    ) -> FxHashMap<ContentId, Supplied<'b, Self>> {
        FxHashMap::default()
    }

    /// Link: resolves names, and checks what compilers check.
    fn link<'t>(gathered: &Gathered<'t, Self>, side: Side) -> Linkage<Self::Schema<'t>>;

    /// The types and services of a schema.
    fn declared<'s>(schema: &'s Self::Schema<'_>) -> Vec<Declared<'s>>;

    /// Which file has to do with which other, beside those that it imports.
    fn references<'s>(_schema: &'s Self::Schema<'_>) -> Vec<(&'s str, &'s str)> {
        Vec::new()
    }

    /// Pair, facts and relation: what differs, and what met.
    fn diff(schemas: Pair<&Self::Schema<'_>>, roots: &Roots) -> Diff<Self::Pairs>;

    /// Leaves the pairs of types whose files are `sound`.
    fn retain(pairs: &mut Self::Pairs, schemas: Pair<&Self::Schema<'_>>, are_sound: &dyn Fn(Pair<&str>) -> bool);

    /// Codec and generate: what readers of the one side see of data of the other.
    fn probe(compared: &Compared<'_, '_, Self>, division: &Division) -> Observed;

    /// What of that is written at all.
    fn written<'s>(compared: &Compared<'s, '_, Self>) -> Vec<Written<'s>>;

    /// What is wrong with data of a version whose schemas are sound.
    fn damaged(_snapshot: &Snapshot, _schema: &Self::Schema<'_>) -> Vec<Problem> {
        Vec::new()
    }
}

/// An import as written.
pub struct Import<'i, L: Language> {
    /// Its path.
    pub(crate) path: &'i str,
    /// Where the path stands.
    pub(crate) span: Span,
    /// How the file is read.
    pub(crate) reading: L::Reading,
}

/// Full names that a file defines, and names of other files that it uses.
#[derive(Debug, Default)]
pub struct Mentions {
    /// What it defines.
    pub(crate) defines: Vec<String>,
    /// What it uses.
    pub(crate) uses: Vec<String>,
}

/// One side, linked.
#[derive(Debug, Default)]
pub struct Linkage<S> {
    /// Everything that could be understood.
    pub(crate) schema: S,
    /// What is wrong.
    pub(crate) problems: Vec<Problem>,
    /// Whether a name was found nowhere, and no missing import accounts for that.
    pub(crate) lacks_names: bool,
}

/// A type or a service that a schema declares.
#[derive(Debug, Clone, Copy)]
pub struct Declared<'s> {
    /// Its full name.
    pub(crate) name: &'s str,
    /// Its file.
    pub(crate) file: &'s str,
    /// Whether that is judged, and does not only supply types.
    pub(crate) is_own: bool,
}

/// The outcome of comparing two sides.
#[derive(Debug, Default)]
pub struct Diff<P> {
    /// What changed, in no particular order.
    pub(crate) changes: Vec<Change>,
    /// What was compared with what.
    pub(crate) pairs: P,
}

/// Two sides and what differs, as the round trips need it.
pub struct Compared<'s, 't, L: Language> {
    /// The sides.
    pub(crate) schemas: Pair<&'s L::Schema<'t>>,
    /// What was compared with what.
    pub(crate) pairs: &'s L::Pairs,
    /// What changed.
    pub(crate) changes: &'s [Change],
    /// The files.
    pub(crate) snapshots: Pair<&'s Snapshot>,
}

/// Compares the files of two versions that are the language's.
pub(crate) fn check<L: Language>(pair: Pair<&Snapshot>, options: &CheckOptions) -> Checked {
    let parsed = Parsed::<L>::new(pair, options);
    let linked = parsed.link();
    let differences = linked.diff();
    let observed = linked.probe(&differences);
    let elsewhere = linked.division(&differences).elsewhere();
    let Linked { gathered, sides, .. } = linked;
    let mut problems = Pair::new(sides.old.problems, sides.new.problems);
    problems.new.extend(differences.roots.problems);
    let not_checked = gathered.as_ref().map(|side| side.not_checked.iter());
    Checked {
        changes: differences.found.changes,
        observed,
        problems,
        not_checked: not_checked.old.chain(not_checked.new).collect::<BTreeSet<_>>().into_iter().cloned().collect(),
        unknown_roots: differences.roots.unknown,
        files: gathered.as_ref().map(|side| side.judged),
        files_parsed: parsed.parsed(),
        elsewhere,
    }
}

/// The first stage: what stands in the files of some versions, each distinct content parsed once.
pub struct Parsed<'b, L: Language> {
    versions: Vec<(&'b Snapshot, L::Search<'b>)>,
    contents: Contents<'b, L>,
    options: &'b CheckOptions,
}

impl<'b, L: Language> Parsed<'b, L> {
    /// Parses the files of an old and a new version.
    pub fn new(pair: Pair<&'b Snapshot>, options: &'b CheckOptions) -> Self {
        Self::of(&[pair.old, pair.new], options)
    }

    /// Parses the files of any number of versions.
    pub fn of(versions: &[&'b Snapshot], options: &'b CheckOptions) -> Self {
        let versions: Vec<_> = versions.iter().map(|snapshot| (*snapshot, L::search(snapshot, options))).collect();
        let contents = Contents::new(&versions, options);
        Parsed { versions, contents, options }
    }

    /// Links the first version as the old side and the last one as the new side.
    pub fn link(&self) -> Linked<'_, L> {
        self.link_versions(Pair::new(0, self.versions.len() - 1))
    }

    /// Links two of the versions: follows imports, resolves names, checks what compilers check.
    pub fn link_versions(&self, pair: Pair<usize>) -> Linked<'_, L> {
        let mut gathered = pair.map(|version| self.gather(version, Extent::Imported));
        refuse_lost(&gathered.old, &mut gathered.new);
        let (old, new) = (|| L::link(&gathered.old, Side::Old), || L::link(&gathered.new, Side::New));
        let (old, new) = if self.contents.is_large() { rayon::join(old, new) } else { (old(), new()) };
        let mut linked = Pair::new(old, new);
        if linked.old.lacks_names && gathered.old.has_more {
            gathered.old = self.gather(pair.old, Extent::Everything);
            linked.old = L::link(&gathered.old, Side::Old);
        }
        if linked.new.lacks_names && gathered.new.has_more {
            gathered.new = self.gather(pair.new, Extent::Everything);
            refuse_lost(&gathered.old, &mut gathered.new);
            linked.new = L::link(&gathered.new, Side::New);
        }
        let mut sides = Pair::new(gathered.old.report(linked.old), gathered.new.report(linked.new));
        let snapshots = pair.map(|version| self.versions[version].0);
        if self.options.lenient_unchanged {
            affected::excuse(&mut sides.new.problems, &affected::affected(gathered.as_ref()));
            affected::excuse(&mut sides.old.problems, &affected::affected(gathered.as_ref().mirrored()));
        }
        old_problems::settle(&mut sides.old.problems, &mut sides.new.problems, snapshots);
        for (side, snapshot) in [(&mut sides.old, snapshots.old), (&mut sides.new, snapshots.new)] {
            if !side.problems.iter().any(Problem::is_error) {
                side.problems.extend(L::damaged(snapshot, &side.schema));
            }
        }
        Linked { gathered, sides, snapshots, options: self.options }
    }

    /// How many distinct contents were parsed.
    pub(crate) fn parsed(&self) -> usize {
        self.contents.parsed()
    }

    fn gather(&self, version: usize, extent: Extent) -> Gathered<'_, L> {
        let (snapshot, search) = &self.versions[version];
        gather(snapshot, search, &self.contents, self.options, extent)
    }
}

/// The second stage: two linked sides.
pub struct Linked<'t, L: Language> {
    gathered: Pair<Gathered<'t, L>>,
    pub(crate) sides: Pair<Linkage<L::Schema<'t>>>,
    snapshots: Pair<&'t Snapshot>,
    options: &'t CheckOptions,
}

impl<'t, L: Language> Linked<'t, L> {
    /// What changed, and what was compared with what; without what stands in files that a side could not read.
    pub fn diff(&self) -> Differences<L> {
        let schemas = self.schemas();
        let roots =
            Roots::resolve(&self.options.roots, || Pair::new(L::declared(schemas.old), L::declared(schemas.new)));
        let mut found = L::diff(schemas, &roots);
        let problems = Pair::new(&*self.sides.old.problems, &*self.sides.new.problems);
        if let Some(doubtful) = Doubtful::of(problems, || L::declared(schemas.new)) {
            found.changes.retain(|change| doubtful.is_sound(change));
            L::retain(&mut found.pairs, schemas, &|paths| doubtful.are_sound(paths));
        }
        Differences { found, roots }
    }

    /// Writes synthetic data with one side and reads it with the other, and real data where there is some.
    pub fn probe(&self, differences: &Differences<L>) -> Observed {
        L::probe(&self.compared(differences), &self.division(differences))
    }

    fn compared<'s>(&'s self, differences: &'s Differences<L>) -> Compared<'s, 't, L> {
        let Diff { changes, pairs } = &differences.found;
        Compared { schemas: self.schemas(), pairs, changes, snapshots: self.snapshots }
    }

    /// Which part of that is asked for.
    fn division(&self, differences: &Differences<L>) -> Division {
        let compared = self.compared(differences);
        let schemas = [compared.schemas.old, compared.schemas.new];
        let gathered = [&self.gathered.old, &self.gathered.new];
        let references = || {
            let imports = gathered.into_iter().flat_map(|side| {
                let path = move |input: usize| &*side.inputs[input].path;
                side.references().into_iter().map(move |(from, to)| (path(from), path(to)))
            });
            imports.chain(schemas.into_iter().flat_map(L::references)).collect()
        };
        Division::of(self.options.part, &differences.found.changes, || L::written(&compared), references)
    }

    /// The two sides.
    pub(crate) fn schemas(&self) -> Pair<&L::Schema<'t>> {
        Pair::new(&self.sides.old.schema, &self.sides.new.schema)
    }
}

/// The third stage: what differs.
pub struct Differences<L: Language> {
    found: Diff<L::Pairs>,
    roots: Roots,
}

impl<L: Language> Differences<L> {
    /// What changed, in no particular order.
    pub fn changes(&self) -> &[Change] {
        &self.found.changes
    }
}

/// Parses and links the files of one version, and shows the result to `visit`.
pub(crate) fn with_schema<L: Language, T>(
    snapshot: &Snapshot,
    options: &CheckOptions,
    visit: impl FnOnce(&L::Schema<'_>, &[Problem]) -> T,
) -> T {
    let parsed = Parsed::<L>::of(&[snapshot], options);
    let gathered = parsed.gather(0, Extent::Imported);
    let mut side = gathered.report(L::link(&gathered, Side::New));
    old_problems::settle(&mut [], &mut side.problems, Pair::new(snapshot, snapshot));
    visit(&side.schema, &side.problems)
}
