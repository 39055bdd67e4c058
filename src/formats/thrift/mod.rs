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
use crate::formats::frame::Declared;
use crate::formats::frame::doubtful::Doubtful;
use crate::formats::frame::roots::Roots;
use crate::formats::sides::not_checked;
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
    let mut problems = Pair::new(sides.old.problems, sides.new.problems);
    problems.new.extend(differences.roots.problems);
    Checked {
        changes: differences.found.changes,
        observed,
        problems,
        not_checked: not_checked(Pair::new(sides.old.not_checked, sides.new.not_checked)),
        unknown_roots: differences.roots.unknown,
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
        let roots = Roots::resolve(&self.options.roots, || self.schemas().map(declared));
        Differences { found: diff::diff(self.schemas(), &roots), roots }
    }

    /// Writes synthetic data with one side and reads it with the other.
    pub fn probe(&self, differences: &Differences) -> Observed {
        let diff = &differences.found;
        probe::probe(self.schemas(), &diff.pairs, &diff.changes, &self.division(differences))
    }

    /// Which part of that is asked for.
    fn division(&self, differences: &Differences) -> Division {
        let diff = &differences.found;
        let schemas = self.schemas();
        let written = || probe::written(schemas, &diff.pairs);
        let references = || [schemas.old, schemas.new].into_iter().flat_map(references).collect();
        Division::of(self.options.part, &diff.changes, written, references)
    }

    /// Leaves out what was found in files that one side could not read.
    fn drop_doubtful(&self, differences: &mut Differences) {
        let problems = Pair::new(&*self.sides.old.problems, &*self.sides.new.problems);
        let Some(doubtful) = Doubtful::of(problems, || declared(self.schemas().new)) else { return };
        let diff::Diff { changes, pairs, .. } = &mut differences.found;
        changes.retain(|change| doubtful.is_sound(change));
        let Pair { old, new } = self.schemas();
        let are_sound = |files: Pair<model::FileId>| {
            doubtful.are_sound(Pair::new(&old.file(files.old).path, &new.file(files.new).path))
        };
        pairs.structs.retain(|pair| {
            are_sound(Pair::new(old.structure(pair.types.old).file, new.structure(pair.types.new).file))
        });
        pairs.enums.retain(|pair| {
            are_sound(Pair::new(old.enumeration(pair.types.old).file, new.enumeration(pair.types.new).file))
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

/// What a schema declares: types and services.
fn declared<'s>(schema: &'s Schema<'_>) -> Vec<Declared<'s>> {
    let one = |name: &'s str, file: model::FileId| {
        let file = schema.file(file);
        Declared { name, file: &file.path, is_own: !file.is_library }
    };
    let declares_data = |of: &&model::Struct<'_>| !matches!(of.sort, model::Sort::Arguments | model::Sort::Result);
    let structs = schema.structs.iter().filter(declares_data).map(|of| one(&of.full_name, of.file));
    let enums = schema.enums.iter().map(|of| one(&of.full_name, of.file));
    structs.chain(enums).chain(schema.services.iter().map(|of| one(&of.full_name, of.file))).collect()
}

/// The third stage: what differs.
#[derive(Debug)]
pub struct Differences {
    found: diff::Diff,
    roots: Roots,
}

impl Differences {
    /// What changed, in no particular order.
    pub fn changes(&self) -> &[Change] {
        &self.found.changes
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
