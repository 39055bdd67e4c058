//! Protocol Buffers: proto2, proto3 and editions 2023 and 2024.

pub mod ast;
mod buf;
mod builtin;
pub(crate) mod codec;
pub(crate) mod compare;
pub mod descriptor;
mod diff;
mod elements;
mod features;
mod fix;
pub(crate) mod generate;
mod import_roots;
mod imports;
pub(crate) mod json;
mod link;
mod link_fields;
mod link_graph;
mod link_scope;
mod maker;
pub mod model;
mod names;
mod observer;
mod options;
mod options_literal;
mod options_support;
pub mod pairing;
pub mod parse;
mod parse_members;
mod parse_options;
mod parts;
mod payloads;
pub(crate) mod probe;
mod relation;
mod stage;
mod trees;
mod types;
mod validate;
mod validate_enums;
mod validate_extensions;
mod validate_fields;
mod validate_messages;
mod validate_shared;
mod validate_style;
mod well_known;

use rustc_hash::{FxHashMap, FxHashSet};

pub use self::probe::reread;

use crate::change::{FactKey, Pair};
use crate::evidence::Observed;
use crate::formats::division::Division;
use crate::formats::sides::{Doubtful, both, not_checked};
use crate::formats::{CheckOptions, Checked};
use crate::source::Snapshot;
use crate::syntax::problem::{NotChecked, Problem, Severity};

use self::imports::Gathered;
use self::model::Schema;
use self::trees::Trees;

/// Compares the `.proto` files of two snapshots.
pub fn check(pair: Pair<&Snapshot>, options: &CheckOptions) -> Checked {
    let parsed = Parsed::new(pair, options);
    let linked = parsed.link();
    let mut differences = linked.diff();
    linked.drop_doubtful(&mut differences);
    let observed = linked.probe(&differences);
    let elsewhere = linked.division(&differences).elsewhere();
    let Linked { sides, files, .. } = linked;
    let Differences(diff::Diff { changes, unknown_roots, .. }) = differences;
    let problems = Pair::new(sides.old.problems, sides.new.problems);
    Checked {
        changes,
        observed,
        problems,
        not_checked: not_checked(Pair::new(sides.old.not_checked, sides.new.not_checked)),
        unknown_roots,
        files,
        files_parsed: parsed.trees.parsed(),
        elsewhere,
    }
}

/// The first stage: the syntax trees of both sides, each distinct content parsed once.
#[derive(Debug)]
pub struct Parsed<'b> {
    pair: Pair<&'b Snapshot>,
    options: &'b CheckOptions,
    roots: Pair<import_roots::Roots>,
    trees: Trees<'b>,
}

impl<'b> Parsed<'b> {
    /// Parses the `.proto` files of two snapshots.
    pub fn new(pair: Pair<&'b Snapshot>, options: &'b CheckOptions) -> Self {
        let roots = pair.map(import_roots::read);
        let wanted = wanted(pair, roots.as_ref());
        let trees = Trees::new(pair.old.iter().chain(pair.new.iter()), &wanted, options);
        Parsed { pair, options, roots, trees }
    }

    /// Resolves every name of both sides and checks what the compiler checks.
    pub fn link(&self) -> Linked<'_> {
        let Parsed { pair, options, roots, trees } = self;
        let mut gathered = both(
            || imports::gather(pair.old, &roots.old, options, trees),
            || imports::gather(pair.new, &roots.new, options, trees),
        );
        imports::refuse_lost(&gathered.old, &mut gathered.new);
        let excused = if options.lenient_unchanged {
            Pair::new(unaffected(*pair, gathered.as_ref()), unaffected(pair.mirrored(), gathered.as_ref().mirrored()))
        } else {
            Pair::default()
        };
        let files = gathered.as_ref().map(|side| side.judged);
        let sides = both(|| finish(gathered.old, &excused.old), || finish(gathered.new, &excused.new));
        Linked { sides, files, options }
    }
}

/// The second stage: two linked sides.
pub struct Linked<'t> {
    sides: Pair<Side<'t>>,
    files: Pair<usize>,
    options: &'t CheckOptions,
}

impl Linked<'_> {
    /// What changed, and which types were compared with which.
    pub fn diff(&self) -> Differences {
        Differences(diff::diff(self.schemas(), self.options))
    }

    /// Writes synthetic messages with one side and reads them with the other.
    pub fn probe(&self, differences: &Differences) -> Observed {
        let diff = &differences.0;
        probe::probe(self.schemas(), &diff.pairs, &diff.changes, &self.division(differences))
    }

    /// Which part of that is asked for.
    fn division(&self, differences: &Differences) -> Division {
        let diff = &differences.0;
        let schemas = self.schemas();
        let written = || probe::written(schemas, &diff.pairs);
        let references = || [schemas.old, schemas.new].into_iter().flat_map(references).collect();
        Division::of(self.options.part, &diff.changes, written, references)
    }

    /// Leaves out what was found in files that one side could not read.
    fn drop_doubtful(&self, differences: &mut Differences) {
        let problems = Pair::new(&*self.sides.old.problems, &*self.sides.new.problems);
        let Some(doubtful) = Doubtful::of(problems) else { return };
        let diff::Diff { changes, pairs, .. } = &mut differences.0;
        let schemas = self.schemas();
        let is_sound = |old: model::FileId, new: model::FileId| {
            !doubtful.has(&schemas.old.file(old).path) && !doubtful.has(&schemas.new.file(new).path)
        };
        let in_doubtful_file = |container: &str| {
            let messages = schemas.new.messages_by_name.get(container).into_iter().flatten();
            let enums = schemas.new.enums_by_name.get(container).into_iter().flatten();
            let mut files = messages
                .map(|id| schemas.new.message(*id).file)
                .chain(enums.map(|id| schemas.new.enumeration(*id).file));
            files.any(|file| doubtful.has(&schemas.new.file(file).path))
        };
        changes.retain(|change| {
            !doubtful.touches(change) && !change.facts.get(FactKey::Container).is_some_and(in_doubtful_file)
        });
        pairs.messages.retain(|pair| {
            is_sound(schemas.old.message(pair.types.old).file, schemas.new.message(pair.types.new).file)
        });
        pairs.enums.retain(|pair| {
            is_sound(schemas.old.enumeration(pair.types.old).file, schemas.new.enumeration(pair.types.new).file)
        });
    }

    fn schemas(&self) -> Pair<&Schema<'_>> {
        Pair::new(&self.sides.old.schema, &self.sides.new.schema)
    }
}

/// The files that files lead to: by their imports, and from a message to the files that extend it.
fn references<'s>(schema: &'s Schema<'_>) -> Vec<(&'s str, &'s str)> {
    let path = |file: model::FileId| &*schema.file(file).path;
    let imports = schema.files.iter().flat_map(|file| {
        let targets = file.imports.iter().flatten();
        targets.map(move |target| (&*file.path, path(*target)))
    });
    let extended = schema.messages.iter().flat_map(|message| {
        let extensions = message.extended_by.iter().map(|extension| schema.extension(*extension).file);
        extensions.map(move |file| (path(message.file), path(file)))
    });
    imports.chain(extended).collect()
}

/// The third stage: what differs.
#[derive(Debug)]
pub struct Differences(diff::Diff);

/// Parses and links the `.proto` files of one snapshot and shows the result to `visit`.
pub fn with_schema<T>(
    snapshot: &Snapshot,
    options: &CheckOptions,
    visit: impl FnOnce(&Schema<'_>, &[Problem]) -> T,
) -> T {
    let pair = Pair::new(snapshot, snapshot);
    let roots = import_roots::read(snapshot);
    let wanted = wanted(pair, Pair::new(&roots, &roots));
    let trees = Trees::new(snapshot.iter(), &wanted, options);
    let side = finish(imports::gather(snapshot, &roots, options, &trees), &FxHashSet::default());
    visit(&side.schema, &side.problems)
}

/// One side, ready to be compared.
struct Side<'t> {
    schema: Schema<'t>,
    problems: Vec<Problem>,
    not_checked: Vec<NotChecked>,
}

fn finish<'t>(gathered: Gathered<'t>, excused: &FxHashSet<std::sync::Arc<str>>) -> Side<'t> {
    let Gathered { files, descriptor, mut problems, not_checked, .. } = gathered;
    let linked = link::link(files, descriptor);
    problems.extend(linked.problems);
    for problem in &mut problems {
        if problem.site.as_ref().is_some_and(|site| excused.contains(&site.file)) {
            problem.severity = Severity::Warning;
        }
    }
    Side { schema: linked.schema, problems, not_checked }
}

/// The distinct contents that are certainly needed, each with one of its paths.
fn wanted<'s>(
    pair: Pair<&'s Snapshot>,
    roots: Pair<&import_roots::Roots>,
) -> Vec<(&'s std::sync::Arc<str>, crate::source::ContentId)> {
    let mut seen = FxHashSet::default();
    let mut wanted = Vec::new();
    for (snapshot, roots) in [(pair.old, roots.old), (pair.new, roots.new)] {
        for path in imports::judged(snapshot, roots) {
            let id = snapshot.get(path).expect("the path came from the snapshot's own listing").id;
            if seen.insert(id) {
                wanted.push((path, id));
            }
        }
    }
    wanted
}

/// The files of the new side that are the same on both sides and from which no import leads to a change.
fn unaffected(pair: Pair<&Snapshot>, gathered: Pair<&Gathered<'_>>) -> FxHashSet<std::sync::Arc<str>> {
    let targets = |side: &Gathered<'_>, index: usize| -> Vec<Option<std::sync::Arc<str>>> {
        let imports = side.files[index].imports.iter();
        imports.map(|target| target.map(|target| side.files[target.0 as usize].path.clone())).collect()
    };
    let before: FxHashMap<&str, usize> =
        gathered.old.files.iter().enumerate().map(|(index, file)| (file.path.as_ref(), index)).collect();
    let mut importers: Vec<Vec<usize>> = vec![Vec::new(); gathered.new.files.len()];
    let mut affected = vec![false; gathered.new.files.len()];
    let mut open = Vec::new();
    for (index, file) in gathered.new.files.iter().enumerate() {
        for target in file.imports.iter().flatten() {
            importers[target.0 as usize].push(index);
        }
        let id = |snapshot: &Snapshot| snapshot.get(&file.path).map(|file| file.id);
        let same = before
            .get(file.path.as_ref())
            .is_some_and(|old| targets(gathered.old, *old) == targets(gathered.new, index));
        if !same || id(pair.old) != id(pair.new) {
            open.push(index);
        }
    }
    while let Some(index) = open.pop() {
        if !std::mem::replace(&mut affected[index], true) {
            open.extend(&importers[index]);
        }
    }
    let files = gathered.new.files.iter().zip(affected);
    files.filter(|(_, affected)| !affected).map(|(file, _)| file.path.clone()).collect()
}
