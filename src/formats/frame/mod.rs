//! What every language gets: everything around parsing, linking, comparing, writing and reading.
//!
//! ```text
//! versions ─parse→ Contents ─gather→ files with what they import ─link→ Pair<Schema> ─diff→ changes + pairs ─probe→ Observed
//! ```
//!
//! A language states what is its own in [`Language`], [`Links`], [`Diffs`] and [`Probes`]. Whatever two languages would answer alike is answered here, once:
//! which files belong to a version, what is told of imports that lead nowhere, which problems a change has nothing to do
//! with, what is left out because it could not be read, what roots mean, and who probes what of a divided check.
//! `tests/it/frame_laws.rs` asks every language the same questions.

mod affected;
mod alike;
pub(super) mod behind;
pub(super) mod compared;
pub(super) mod comparison;
mod components;
mod concern;
pub(super) mod contents;
pub(super) mod declarations;
pub(super) mod declared;
pub(super) mod differ;
mod doubtful;
pub(super) mod ends;
pub(super) mod folders;
mod foreign;
mod gather;
mod graph;
mod headings;
mod hidden;
mod inside;
pub(super) mod language;
pub(super) mod meanings;
pub(super) mod moved;
mod narrow;
mod nearby;
pub(super) mod numbers;
mod old_problems;
mod outlines;
mod parts;
pub(super) mod peers;
pub(super) mod places;
pub(super) mod referred;
pub(super) mod replaced;
pub(super) mod roots;
pub(super) mod search;
pub(super) mod services;
mod starts;
mod taken_over;
mod templates;
pub(super) mod types;
mod untold;
mod used;
pub(super) mod words;

pub use self::declared::Declared;
pub use self::language::{
    Compared, Concerned, Content, Contents, Diff, Diffs, Gathered, Import, Input, Language, Linkage, Links, Mentions,
    Probes, Supplied, Supplier,
};

pub(crate) use self::alike::say_the_same;
pub(crate) use self::language::one_notation;
pub use self::starts::{Start, Starts};
pub(crate) use self::used::used;
pub use crate::formats::outline::{Outline, Ties};

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Change, Identity, Pair, Side};
use crate::evidence::Observed;
use crate::formats::check::{CheckOptions, Checked, Spec};
use crate::formats::division::Division;
use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::parallel;
use crate::snapshot::{ContentId, Snapshot};
use crate::syntax::problem::Problem;
use crate::syntax::problems::PROBLEM_LIMIT;

use self::affected::Carried;
use self::alike::alike;
use self::doubtful::Doubtful;
use self::foreign::Rewritten;
use self::gather::{Extent, doubt_found, gather, lost, refuse_lost};
use self::graph::{FileIds, Graph, affected_paths};
use self::narrow::{Asked, Concerns};
use self::old_problems::Excuses;
use self::outlines::Near;
use self::parts::{Files, Judged, Parts};
use self::roots::Roots;
use self::search::Search;

/// What the rest of the program knows of a language whose files hold schemas and nothing else, in one encoding, and are all
/// read.
pub(crate) const fn spec<L: Probes>(
    name: &'static str,
    title: &'static str,
    extensions: &'static [&'static str],
) -> Spec {
    Spec {
        built_in: &[],
        is_settled: |_| true,
        always: L::ALWAYS,
        name,
        title,
        extensions,
        data_extensions: &[],
        more_are_schemas: None,
        check: check::<L>,
        text_part: |_| None,
        as_utf8: None,
        may_wait: false,
        declared: names::<L>,
        references: referred::references::<L>,
        leads: referred::leads::<L>,
        embedded: None,
        may_be: |_| true,
        glance: L::outline,
        declarations: L::declarations,
        say_the_same: say_the_same::<L>,
        used: used::<L>,
        ways: |_| Vec::new(),
        braces: None,
    }
}

/// Compares the files of two versions that are the language's.
pub(crate) fn check<L: Probes>(pair: Pair<&Snapshot>, options: &CheckOptions) -> Checked {
    let may_be_in_parts = options.part.is_none() && options.is_narrow() && options.library.is_empty();
    match options.in_parts && may_be_in_parts {
        true => in_parts::<L>(pair, options),
        false => Parsed::<L>::new(pair, options).judged_whole(),
    }
}

/// The same, part by part where that is possible: what is known of a part is not found out again.
fn in_parts<L: Probes>(pair: Pair<&Snapshot>, options: &CheckOptions) -> Checked {
    let sides = [pair.old, pair.new];
    let versions: Vec<_> = sides.into_iter().map(|side| (side, L::search(side, options))).collect();
    let contents = Contents::<L>::of(&versions, options);
    let alike = alike::<L>(&versions, options);
    let (near, found) = match outlines::near(&versions, &contents, &alike, options) {
        Some(Near::Files(files)) => (Some(files), None),
        Some(Near::Graphs(graphs, changed)) => {
            (None, outlines::parts(&versions, &contents, &alike, (graphs, &changed)))
        }
        None => (None, None),
    };
    let rules =
        |(_, search): &(_, L::Search<'_>)| Some((search.rules()?, search.left_out(), search.problems().to_vec()));
    let rules = versions.iter().map(rules).collect::<Option<Vec<_>>>();
    let mut parsed = Parsed { versions, contents, alike, options, near };
    if parsed.near.is_none() {
        let terms = rules.map(|rules| format!("{rules:?} {} {}", options.lenient_unchanged, options.changed_only));
        if let Some(judged) = found.zip(terms).and_then(|(parts, terms)| parsed.judged_in_parts(parts, &terms)) {
            return parts::together(&judged, parsed.counted());
        }
        return Parsed::<L>::new(pair, options).judged_whole();
    }
    parsed.judged_whole()
}

impl<L: Probes> Parsed<'_, L> {
    /// What is found out of all that is looked at.
    fn judged_whole(&self) -> Checked {
        Checked { files: self.counted(), ..judged(self).checked }
    }

    /// What is found out of each part; `None` where a text cannot be understood. Where something goes from one part and
    /// something comes into another, these are judged together.
    fn judged_in_parts(&mut self, mut parts: Parts, terms: &str) -> Option<Vec<Arc<Judged>>> {
        let files = std::mem::take(&mut parts.files);
        let mut all = Vec::new();
        for files in &files {
            all.push(self.judged_alone(files, parts.identity(files, terms))?);
        }
        let open = parts::open(all.iter().map(|judged| &**judged));
        if let Some(first) = open.first() {
            let together = open.iter().flat_map(|at| files[*at].iter().cloned()).collect();
            all[*first] = self.judged_alone(&together, parts.identity(&together, terms))?;
            let mut at = 0..all.len();
            all.retain(|_| at.next().is_none_or(|at| at == *first || !open.contains(&at)));
        }
        (!all.is_empty()).then_some(all)
    }

    fn judged_alone(&mut self, files: &Files, id: ContentId) -> Option<Arc<Judged>> {
        if let Some(known) = self.options.outlines.of_part(id) {
            return Some(known);
        }
        let before = self.parsed();
        self.contents.parse_all(&self.versions, Some(files));
        nearby::with_imports(&self.versions, &self.contents, self.options, files)?;
        self.near = Some(files.clone());
        let mut judged = judged(self);
        judged.checked.files_parsed -= before;
        let judged = Arc::new(judged);
        self.options.outlines.note_part(id, judged.clone());
        Some(judged)
    }
}

/// What is found out of two versions that were parsed.
fn judged<L: Probes>(parsed: &Parsed<'_, L>) -> Judged {
    let options = parsed.options;
    let [(old, _), .., (new, _)] = &*parsed.versions else { return Judged::default() };
    let pair = Pair::new(*old, *new);
    let linked = parsed.link();
    let differences = linked.diff();
    let observed = linked.probe(&differences);
    let elsewhere = linked.division(&differences).elsewhere();
    let is_open = match options.in_parts {
        true => linked.is_open(),
        false => Pair::default(),
    };
    let Linked { gathered, sides, .. } = linked;
    let mut problems = Pair::new(told(sides.old.problems, pair.old), told(sides.new.problems, pair.new));
    let Differences { found: Diff { mut changes, .. }, sound, roots } = differences;
    changes.truncate(sound);
    problems.new.extend(roots.problems);
    let not_checked = gathered.as_ref().map(|side| side.not_checked.iter());
    let checked = Checked {
        changes,
        observed,
        problems,
        missing: gathered.old.missing().chain(gathered.new.missing()).collect(),
        unnamed: gathered.old.unnamed.union(&gathered.new.unnamed).cloned().collect(),
        not_checked: not_checked.old.chain(not_checked.new).collect::<OrderedSet<_>>().into_iter().cloned().collect(),
        unknown_roots: roots.unknown,
        // Whoever wants to know counts them.
        files: Pair::default(),
        looked_at: gathered.as_ref().map(|side| side.judged),
        files_parsed: parsed.parsed(),
        elsewhere,
    };
    Judged { checked, is_open }
}

/// The problems that are spelled out: of each file as many as somebody reads, and one of a file that is no text. The rest
/// is counted, and is as severe as the worst of it.
fn told(problems: Vec<Problem>, side: &Snapshot) -> Vec<Problem> {
    let mut counts: FxHashMap<Option<Arc<str>>, usize> = FxHashMap::default();
    let most = |file: &Option<Arc<str>>| {
        let is_text = file.as_deref().and_then(|file| side.get(file)).is_none_or(|file| is_text(&file.bytes));
        // What reads texts has a limit of its own, and says behind it what it left out.
        if is_text { PROBLEM_LIMIT + 1 } else { 1 }
    };
    let mut limits: FxHashMap<Option<Arc<str>>, usize> = FxHashMap::default();
    let mut kept = Vec::new();
    let mut left_out: OrderedMap<Option<Arc<str>>, (usize, Problem)> = OrderedMap::new();
    for mut problem in problems {
        let file = problem.site.as_ref().map(|site| site.file.clone());
        let limit = *limits.entry(file.clone()).or_insert_with(|| most(&file));
        let count = counts.entry(file.clone()).or_default();
        *count += 1;
        if *count <= limit {
            if limit == 1 {
                problem.message = format!("the file is no text: {}", problem.message);
            }
            kept.push(problem);
        } else if limit > 1 {
            let (count, worst) = left_out.entry(file).or_insert_with(|| (0, problem.clone()));
            *count += 1;
            worst.severity = worst.severity.min(problem.severity);
        }
    }
    for (_, (count, worst)) in left_out {
        let message = format!("{count} more problems in this file are left out");
        kept.push(Problem { message, help: "mend the first ones and run again".to_owned(), ..worst });
    }
    kept
}

/// Whether bytes are those of a text: no zero among them, and nearly all of them UTF-8.
fn is_text(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(4096)];
    let wrong: usize = start.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    memchr::memchr(0, bytes).is_none() && wrong * 10 <= start.len()
}

/// What the files of a version declare: file and full name of each.
pub(crate) fn names<L: Links>(snapshot: &Snapshot) -> Vec<(String, String)> {
    let options = CheckOptions::default();
    let parsed = Parsed::<L>::of(&[snapshot], &options);
    let gathered = parsed.gather(0, Extent::Imported, None);
    let linked = L::link(&gathered, Side::New);
    let own = L::declared(&linked.schema).into_iter().filter(|declared| declared.is_own);
    own.map(|declared| (declared.file.to_owned(), declared.name.to_owned())).collect()
}

/// The first stage: what stands in the files of some versions, each distinct content parsed once.
pub struct Parsed<'b, L: Language> {
    versions: Vec<(&'b Snapshot, L::Search<'b>)>,
    contents: Contents<'b, L>,
    /// The files that are not the same in two versions and say the same.
    alike: Files,
    options: &'b CheckOptions,
    /// The files that are looked at, where those tell that no others have to be.
    near: Option<FxHashSet<Arc<str>>>,
}

impl<'b, L: Language> Parsed<'b, L> {
    /// Parses the files of an old and a new version.
    pub fn new(pair: Pair<&'b Snapshot>, options: &'b CheckOptions) -> Self {
        Self::of(&[pair.old, pair.new], options)
    }

    /// Parses the files of any number of versions.
    pub fn of(versions: &[&'b Snapshot], options: &'b CheckOptions) -> Self {
        let versions: Vec<_> = versions.iter().map(|snapshot| (*snapshot, L::search(snapshot, options))).collect();
        let mut contents = Contents::of(&versions, options);
        let alike = alike::<L>(&versions, options);
        let near = outlines::outlined(&versions, &mut contents, &alike, options);
        if near.is_some() {
            return Parsed { versions, contents, alike, options, near };
        }
        contents.parse_all(&versions, None);
        let mut parsed = Parsed { versions, contents, alike, options, near };
        // With more versions, others may be compared than the first and the last.
        if parsed.versions.len() == 2 && options.is_narrow() {
            parsed.near = parsed.needed();
            if let Some(needed) = &parsed.near {
                parsed.contents.keep_only(&parsed.versions, needed);
            }
        }
        parsed
    }

    /// The files that the change from the first version to the last has to do with, as far as their texts say.
    fn needed(&self) -> Option<FxHashSet<Arc<str>>> {
        let pair = Pair::new(0, self.versions.len() - 1);
        let ids = FileIds::default();
        let graph = |version| {
            let gathered = self.gather(version, Extent::Imported, None);
            gathered.graph(&ids, |input| Arc::new(Outline::of::<L>(&input.path, input.tree)))
        };
        let graphs: Pair<Graph> = pair.map(graph);
        let (snapshots, everybody) = (pair.map(|version| self.versions[version].0), |_: &str| Concerns::ItsPackage);
        let (carries_any, users) = (|_: &str| true, FxHashSet::default());
        let alike = &self.alike;
        let asked = Asked { carries_any: &carries_any, alike, concerns: &everybody, users: &users };
        narrow::needed::<L>(graphs.as_ref(), snapshots, &asked)
    }

    /// How many distinct contents were parsed.
    pub(crate) fn parsed(&self) -> usize {
        self.contents.parsed()
    }

    /// How many files of both versions are judged, whether or not they are looked at.
    fn counted(&self) -> Pair<usize> {
        let count = |(side, search): &(&Snapshot, L::Search<'_>)| {
            contents::files::<L>(side).filter(|(path, ..)| side.judges(path) && search.judges(path)).count()
        };
        match &*self.versions {
            [old, .., new] => Pair::new(count(old), count(new)),
            _ => Pair::default(),
        }
    }

    fn gather(&self, version: usize, extent: Extent, only: Option<&FxHashSet<Arc<str>>>) -> Gathered<'_, L> {
        let (snapshot, search) = &self.versions[version];
        gather(snapshot, search, &self.contents, self.options, (extent, only))
    }
}

impl<L: Links> Parsed<'_, L> {
    /// Links the first version as the old side and the last one as the new side.
    pub fn link(&self) -> Linked<'_, L> {
        self.link_versions(Pair::new(0, self.versions.len() - 1))
    }

    /// Links two of the versions: follows imports, resolves names, checks what compilers check.
    pub fn link_versions(&self, pair: Pair<usize>) -> Linked<'_, L> {
        let mut gathered = pair.map(|version| self.gather(version, Extent::Imported, self.near.as_ref()));
        let snapshots = pair.map(|version| self.versions[version].0);
        let needed = &self.near;
        let around = &self.versions[pair.new];
        refuse_lost(&gathered.old, &mut gathered.new);
        taken_over::refuse(&gathered.old, &mut gathered.new, (around.0, &around.1));
        doubt_found(&mut gathered.old, &gathered.new);
        let (old, new) = (|| L::link(&gathered.old, Side::Old), || L::link(&gathered.new, Side::New));
        let (old, new) = if self.contents.is_large() { parallel::both(old, new) } else { (old(), new()) };
        let mut linked = Pair::new(old, new);
        if linked.old.lacks_names && gathered.old.has_more {
            gathered.old = self.gather(pair.old, Extent::Everything, needed.as_ref());
            doubt_found(&mut gathered.old, &gathered.new);
            linked.old = L::link(&gathered.old, Side::Old);
        }
        if linked.new.lacks_names && gathered.new.has_more {
            gathered.new = self.gather(pair.new, Extent::Everything, needed.as_ref());
            refuse_lost(&gathered.old, &mut gathered.new);
            taken_over::refuse(&gathered.old, &mut gathered.new, (around.0, &around.1));
            linked.new = L::link(&gathered.new, Side::New);
        }
        let hidden = hidden::tell::<L>(&mut linked, gathered.as_ref());
        let mut sides = Pair::new(gathered.old.report(linked.old), gathered.new.report(linked.new));
        let rewritten =
            foreign::settle::<L>(Pair::new(&mut sides.old.problems, &mut sides.new.problems), gathered.as_ref());
        let have_problems = !sides.old.problems.is_empty() || !sides.new.problems.is_empty();
        let carried = if have_problems { affected::carried(gathered.as_ref()) } else { Carried::default() };
        if have_problems && self.options.forgives_unchanged() {
            let (ids, nothing) = (FileIds::default(), Arc::<Outline>::default());
            let graphs = gathered.as_ref().map(|side| side.graph(&ids, |_| nothing.clone()));
            let reached = affected_paths(graphs.as_ref(), &self.alike, &carried);
            affected::excuse(&mut sides.new.problems, &reached);
            let gone = affected::gone(gathered.as_ref());
            let mut left = affected_paths(graphs.as_ref().mirrored(), &self.alike, &affected::back(&carried));
            left.retain(|path| !gone.contains(path));
            affected::excuse(&mut sides.old.problems, &left);
        }
        let excuses = Excuses::of(self.options);
        old_problems::settle(&mut sides.old.problems, &mut sides.new.problems, snapshots, excuses);
        for (side, snapshot) in [(&mut sides.old, snapshots.old), (&mut sides.new, snapshots.new)] {
            if !side.problems.iter().any(Problem::is_error) {
                side.problems.extend(L::damaged(snapshot, &side.schema));
            }
        }
        let unread = doubtful::unread(&sides.old.problems, &sides.new.problems);
        let lost = lost(&gathered.old, &gathered.new, &sides.new.problems);
        affected::tell_once(&mut sides.old.problems, &sides.new.problems, &carried);
        Linked { gathered, sides, snapshots, unread, lost, hidden, rewritten, options: self.options }
    }
}

/// The second stage: two linked sides.
pub struct Linked<'t, L: Links> {
    gathered: Pair<Gathered<'t, L>>,
    pub(crate) sides: Pair<Linkage<L::Schema<'t>>>,
    snapshots: Pair<&'t Snapshot>,
    /// Files in which a side has errors that may hide elements.
    unread: FxHashSet<Arc<str>>,
    /// Files that the old side has, and that the new one imports and did not find.
    lost: FxHashSet<Arc<str>>,
    /// The full names of types that a side has behind an import that leads nowhere, and the other one declares.
    hidden: FxHashSet<String>,
    /// Files that one side has in another language.
    rewritten: Vec<Rewritten>,
    options: &'t CheckOptions,
}

impl<'t, L: Links> Linked<'t, L> {
    /// The two sides.
    pub(crate) fn schemas(&self) -> Pair<&L::Schema<'t>> {
        Pair::new(&self.sides.old.schema, &self.sides.new.schema)
    }
}

impl<L: Links> Linked<'_, L> {
    /// Whether each side has a file or declares something that the other one does not.
    fn is_open(&self) -> Pair<bool> {
        let mut names = self.schemas().map(|schema| {
            let own = L::declared(schema).into_iter().filter(|one| one.is_own);
            own.map(|one| one.name).collect::<FxHashSet<_>>()
        });
        names.old.extend(self.gathered.old.judged().map(|input| &*input.path));
        names.new.extend(self.gathered.new.judged().map(|input| &*input.path));
        Pair::new(!names.old.is_subset(&names.new), !names.new.is_subset(&names.old))
    }
}

impl<L: Diffs> Linked<'_, L> {
    /// What changed, and what was compared with what; without what stands in files that a side could not read.
    pub fn diff(&self) -> Differences<L> {
        let schemas = self.schemas();
        let mut roots =
            Roots::resolve(&self.options.roots, || Pair::new(L::declared(schemas.old), L::declared(schemas.new)));
        let mut found = L::diff(schemas, &roots);
        if !roots.is_everything() {
            let sides = Pair::new((schemas.old, &self.gathered.old), (schemas.new, &self.gathered.new));
            roots.problems.extend(behind::problems::<L>(sides, &roots));
        }
        foreign::tell(&self.rewritten, &mut found.changes);
        if roots.is_everything() {
            starts::mark(&mut found.changes, |gone| {
                let old = &self.gathered.old;
                let path = |input: usize| &*old.inputs[input].path;
                let imports: Vec<_> = old.references().into_iter().map(|(from, to)| (path(from), path(to))).collect();
                L::starts(schemas.old).all(&imports, gone)
            });
        }
        headings::show(&mut found.changes, self.snapshots, || {
            Pair::new(L::declared(schemas.old), L::declared(schemas.new))
        });
        moved::tell(&mut found.changes, self.gathered.as_ref(), roots.is_everything(), || {
            Pair::new(L::declared(schemas.old), L::declared(schemas.new))
        });
        let mut sound = found.changes.len();
        if let Some(doubtful) = Doubtful::of(&self.unread, (&self.lost, &self.hidden), || L::declared(schemas.new)) {
            found.changes.sort_in_order_by_cached_key(|change| !doubtful.is_sound(change));
            sound = found.changes.partition_point(|change| doubtful.is_sound(change));
        }
        Differences { found, sound, roots }
    }
}

impl<'t, L: Probes> Linked<'t, L> {
    /// Writes synthetic data with one side and reads it with the other, and real data where there is some. Data of sound
    /// types may hold others: what is seen of those is no more judged than they are.
    pub fn probe(&self, differences: &Differences<L>) -> Observed {
        let mut observed = L::probe(&self.compared(differences), &self.division(differences));
        let doubted = differences.doubted();
        if !doubted.is_empty() {
            let is_sound = |identity: &Identity| !doubted.contains(identity);
            observed.observations.retain(|seen| is_sound(&seen.identity));
            observed.exercised.retain(|(identity, ..)| is_sound(identity));
            observed.partly.retain(|(identity, ..)| is_sound(identity));
        }
        inside::say_what_is_not_known(&differences.found.changes[..differences.sound], &mut observed);
        untold::say(&differences.found.changes[..differences.sound], &mut observed);
        untold::tell_once(&mut observed, Pair::new(&*self.sides.old.problems, &*self.sides.new.problems));
        let not_judged = &differences.found.changes[differences.sound..];
        observed.doubted.extend(not_judged.iter().flat_map(Change::identities).cloned());
        observed
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
        let division = Division::of(self.options.part, differences.changes(), || L::written(&compared), references);
        division.without(self.unread.clone())
    }
}

/// The third stage: what differs.
pub struct Differences<L: Diffs> {
    found: Diff<L::Pairs>,
    /// How many of the changes are judged. Those behind them touch files that a side could not read.
    sound: usize,
    roots: Roots,
}

impl<L: Diffs> Differences<L> {
    /// What changed, in no particular order.
    pub fn changes(&self) -> &[Change] {
        &self.found.changes[..self.sound]
    }

    /// What is identified by nothing but changes that are not judged.
    fn doubted(&self) -> FxHashSet<&Identity> {
        let (sound, doubted) = self.found.changes.split_at(self.sound);
        let doubted: FxHashSet<&Identity> = doubted.iter().flat_map(Change::identities).collect();
        let sound: FxHashSet<&Identity> =
            if doubted.is_empty() { FxHashSet::default() } else { sound.iter().flat_map(Change::identities).collect() };
        doubted.difference(&sound).copied().collect()
    }
}

/// Parses and links the files of one version, and shows the result to `visit`.
pub(crate) fn with_schema<L: Links, T>(
    snapshot: &Snapshot,
    options: &CheckOptions,
    visit: impl FnOnce(&L::Schema<'_>, &[Problem]) -> T,
) -> T {
    let parsed = Parsed::<L>::of(&[snapshot], options);
    let gathered = parsed.gather(0, Extent::Imported, None);
    let mut side = gathered.report(L::link(&gathered, Side::New));
    old_problems::settle(&mut [], &mut side.problems, Pair::new(snapshot, snapshot), Excuses::Nothing);
    visit(&side.schema, &side.problems)
}
