//! FlatBuffers.

mod ast;
mod codec;
mod compare;
mod conform;
mod diff;
mod elements;
mod fix;
mod generate;
mod includes;
mod layout;
mod link;
mod link_enums;
mod link_fields;
mod link_values;
pub(crate) mod model;
mod names;
mod pairing;
mod parse;
mod parse_types;
mod parts;
mod probe;
mod relation;
mod stage;
mod uses;
mod values;
mod verify;

use crate::change::{Change, Pair};
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

/// Compares the `.fbs` files of two snapshots.
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
    /// Parses the `.fbs` files of two snapshots.
    pub fn new(pair: Pair<&'b Snapshot>, options: &'b CheckOptions) -> Self {
        Parsed { pair, options, contents: Contents::new([pair.old, pair.new], options) }
    }

    /// Follows includes, resolves names and checks what the compiler checks.
    pub fn link(&self) -> Linked<'_> {
        let Parsed { pair, options, contents } = self;
        let gathered = pair.map(|snapshot| includes::gather(snapshot, contents, options));
        let mut sides = gathered.as_ref().map(link::link);
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
        let objects =
            |types: Pair<model::ObjectId>| are_sound(Pair::new(old.object(types.old).file, new.object(types.new).file));
        pairs.objects.retain(|pair| objects(pair.types));
        pairs.roots.retain(|types| objects(*types));
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
    let includes = schema
        .files
        .iter()
        .flat_map(|file| file.includes.iter().map(move |target| (&*file.path, &*schema.file(*target).path)));
    includes.collect()
}

/// What a schema declares: types and services.
fn declared<'s>(schema: &'s Schema<'_>) -> Vec<Declared<'s>> {
    let one = |name: &'s str, file: model::FileId| {
        let file = schema.file(file);
        Declared { name, file: &file.path, is_own: !file.is_library }
    };
    let objects = schema.objects.iter().map(|of| one(&of.full_name, of.file));
    let enums = schema.enums.iter().map(|of| one(&of.full_name, of.file));
    objects.chain(enums).chain(schema.services.iter().map(|of| one(&of.full_name, of.file))).collect()
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
