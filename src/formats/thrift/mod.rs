//! Apache Thrift, with the fbthrift dialect as far as public files use it.

mod ast;
mod audit;
mod codec;
mod compare;
mod diff;
mod fix;
mod generate;
mod includes;
mod link;
mod link_types;
mod link_values;
pub(crate) mod model;
mod names;
mod observer;
mod pairing;
mod parse;
mod parse_members;
mod parse_types;
mod parts;
mod probe;
mod relation;
mod stage;

use crate::change::{Change, Pair, Side};
use crate::evidence::Observed;
use crate::formats::division::Division;
use crate::formats::sides::{Doubtful, not_checked};
use crate::formats::{CheckOptions, Checked};
use crate::source::Snapshot;

use self::includes::{Contents, Gathered};
use self::link::Linkage;
use self::model::Schema;

/// Compares the `.thrift` files of two snapshots.
pub fn check(pair: Pair<&Snapshot>, options: &CheckOptions) -> Checked {
    let parsed = Parsed::new(pair, options);
    let linked = parsed.link();
    let mut differences = linked.diff();
    linked.drop_doubtful(&mut differences);
    let observed = linked.probe(&differences);
    let elsewhere = linked.division(&differences).elsewhere();
    let Linked { sides, files, .. } = linked;
    let problems = Pair::new(sides.old.problems, sides.new.problems);
    Checked {
        changes: differences.0.changes,
        observed,
        problems,
        not_checked: not_checked(Pair::new(sides.old.not_checked, sides.new.not_checked)),
        unknown_roots: differences.0.unknown_roots,
        files,
        files_parsed: parsed.contents.parsed(),
        elsewhere,
    }
}

/// The first stage: what stands in the files of both sides, each distinct content parsed once.
#[derive(Debug)]
pub struct Parsed<'b> {
    pair: Pair<&'b Snapshot>,
    options: &'b CheckOptions,
    contents: Contents<'b>,
}

impl<'b> Parsed<'b> {
    /// Parses the `.thrift` files of two snapshots.
    pub fn new(pair: Pair<&'b Snapshot>, options: &'b CheckOptions) -> Self {
        Parsed { pair, options, contents: Contents::new([pair.old, pair.new], options) }
    }

    /// Follows includes, resolves names and checks what the compiler checks.
    pub fn link(&self) -> Linked<'_> {
        let Parsed { pair, options, contents } = self;
        let gathered = pair.map(|snapshot| includes::gather(snapshot, contents, options));
        let (old, new) = (|| link::link(&gathered.old, Side::Old), || link::link(&gathered.new, Side::New));
        let (old, new) = if contents.is_large() { rayon::join(old, new) } else { (old(), new()) };
        let mut sides = Pair::new(old, new);
        includes::refuse_lost(gathered.as_ref(), &mut sides.new);
        if options.lenient_unchanged {
            gathered.new.excuse(*pair, &gathered.old, &mut sides.new);
            gathered.old.excuse(pair.mirrored(), &Gathered::default(), &mut sides.old);
        }
        let files = gathered.as_ref().map(|side| side.judged);
        Linked { sides, files, options }
    }
}

/// The second stage: two linked sides.
pub struct Linked<'t> {
    sides: Pair<Linkage<'t>>,
    files: Pair<usize>,
    options: &'t CheckOptions,
}

impl Linked<'_> {
    /// What changed, and which types were compared with which.
    pub fn diff(&self) -> Differences {
        Differences(diff::diff(self.schemas(), self.options))
    }

    /// Writes synthetic data with one side and reads it with the other.
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
        changes.retain(|change| !doubtful.touches(change));
        let schemas = self.schemas();
        let is_sound = |path: &str| !doubtful.has(path);
        pairs.structs.retain(|pair| {
            is_sound(&schemas.old.file(schemas.old.structure(pair.types.old).file).path)
                && is_sound(&schemas.new.file(schemas.new.structure(pair.types.new).file).path)
        });
    }

    fn schemas(&self) -> Pair<&Schema<'_>> {
        Pair::new(&self.sides.old.schema, &self.sides.new.schema)
    }
}

/// The files that files include.
fn references<'s>(schema: &'s Schema<'_>) -> Vec<(&'s str, &'s str)> {
    let includes = schema.files.iter().flat_map(|file| {
        let targets = file.includes.iter().filter_map(|include| include.file);
        targets.map(move |target| (&*file.path, &*schema.file(target).path))
    });
    includes.collect()
}

/// The third stage: what differs.
#[derive(Debug)]
pub struct Differences(diff::Diff);

impl Differences {
    /// What changed, in no particular order.
    pub fn changes(&self) -> &[Change] {
        &self.0.changes
    }
}

/// Reads bytes as a struct of a program, in both protocols, and asserts that what is accepted is read back the same after
/// it was written again; whether anything was accepted. `name` has the program in front, which is `fuzz`. This is what
/// the fuzz target runs.
pub fn reread(program: &str, name: &str, bytes: &[u8]) -> bool {
    let snapshot = Snapshot::from_files([("fuzz.thrift", program.as_bytes())]);
    let options = CheckOptions::default();
    let parsed = Parsed::new(Pair::new(&snapshot, &snapshot), &options);
    let linked = parsed.link();
    let schema = linked.schemas().new;
    let id = schema.structs_by_name.get(name).and_then(|ids| ids.first().copied());
    id.is_some_and(|id| probe::reread(schema, id, bytes))
}
