//! Apache Avro: schemas, protocols and IDL, by the specification 1.12.

pub(crate) mod ast;
mod canonical;
pub(crate) mod codec;
mod compare;
mod compare_scalars;
mod container;
mod container_schema;
mod diff;
mod gather;
mod generate;
mod idl;
mod idl_json;
mod idl_types;
pub(crate) mod json;
mod legible;
mod lenient;
mod link;
pub(crate) mod model;
mod names;
mod observer;
mod parts;
mod place;
pub(crate) mod print;
pub(crate) mod probe;
mod registry;
mod relation;
pub(crate) mod resolve;
mod resolve_java;
mod resolve_replay;
mod schema_json;
mod second;
mod stage;
mod trail;

use crate::change::{Change, Pair};
use crate::evidence::Observed;
use crate::formats::division::{Division, Written};
use crate::formats::frame::Declared;
use crate::formats::frame::doubtful::Doubtful;
use crate::formats::frame::roots::Roots;
use crate::formats::sides::{both, not_checked};
use crate::formats::{CheckOptions, Checked};
use crate::source::Snapshot;

pub(super) use self::container::text_part;

use self::container_schema::Samples;
use self::gather::{Contents, Extent};
use self::link::Linkage;
use self::model::Schema;
use self::probe::Work;

pub use self::resolve::Dialect;

/// Compares the Avro files of two snapshots.
pub fn check(pair: Pair<&Snapshot>, options: &CheckOptions) -> Checked {
    let parsed = Parsed::new(pair, options);
    let linked = parsed.link();
    let mut differences = linked.diff();
    linked.drop_doubtful(&mut differences);
    let observed = linked.probe(&differences);
    let elsewhere = linked.division(&differences).elsewhere();
    let Linked { sides, files, .. } = linked;
    let damaged =
        Pair::new(container_schema::damaged(pair.old, &sides.old), container_schema::damaged(pair.new, &sides.new));
    let mut problems = Pair::new(sides.old.problems, sides.new.problems);
    problems.old.extend(damaged.old);
    problems.new.extend(damaged.new);
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
    /// Parses the Avro files of two snapshots.
    pub fn new(pair: Pair<&'b Snapshot>, options: &'b CheckOptions) -> Self {
        Parsed { pair, options, contents: Contents::new([pair.old, pair.new], options) }
    }

    /// Resolves every name of both sides and checks what the reference parser checks.
    pub fn link(&self) -> Linked<'_> {
        let Parsed { pair, options, contents } = self;
        let mut gathered = pair.map(|snapshot| gather::gather(snapshot, contents, options, Extent::Imported));
        gather::refuse_lost(&gathered.old, &mut gathered.new);
        let mut sides = match contents.is_large() {
            true => both(|| link::link(&gathered.old), || link::link(&gathered.new)),
            false => gathered.as_ref().map(link::link),
        };
        if sides.old.lacks_names && gathered.old.has_more {
            gathered.old = gather::gather(pair.old, contents, options, Extent::Everything);
            sides.old = link::link(&gathered.old);
        }
        if sides.new.lacks_names && gathered.new.has_more {
            gathered.new = gather::gather(pair.new, contents, options, Extent::Everything);
            gather::refuse_lost(&gathered.old, &mut gathered.new);
            sides.new = link::link(&gathered.new);
        }
        if options.lenient_unchanged {
            lenient::excuse(*pair, &mut sides.new, Some(&sides.old.schema));
            lenient::excuse(pair.mirrored(), &mut sides.old, None);
        }
        let files = gathered.as_ref().map(|side| side.judged);
        Linked { sides, files, pair: *pair, options }
    }
}

/// The second stage: two linked sides.
pub struct Linked<'t> {
    sides: Pair<Linkage<'t>>,
    files: Pair<usize>,
    pair: Pair<&'t Snapshot>,
    options: &'t CheckOptions,
}

impl Linked<'_> {
    /// What changed, and which types were compared with which.
    pub fn diff(&self) -> Differences {
        let roots = Roots::resolve(&self.options.roots, || self.schemas().map(declared));
        Differences { found: diff::diff(self.schemas(), &roots), roots }
    }

    /// Writes synthetic data with one side and reads it with the other, and real data where there is some.
    pub fn probe(&self, differences: &Differences) -> Observed {
        let samples = self.samples();
        probe::probe(&self.work(differences, samples.as_ref()), &self.division(differences))
    }

    fn samples(&self) -> Pair<Samples> {
        Pair::new(
            container_schema::samples(self.pair.old, &self.sides.old.schema),
            container_schema::samples(self.pair.new, &self.sides.new.schema),
        )
    }

    fn work<'w>(&'w self, differences: &'w Differences, samples: Pair<&'w Samples>) -> Work<'w, 'w> {
        let diff::Diff { meetings, changes, .. } = &differences.found;
        Work { schemas: self.schemas(), meetings, changes, samples }
    }

    /// Which part of that is asked for.
    fn division(&self, differences: &Differences) -> Division {
        let schemas = self.schemas();
        let written = || {
            let samples = self.samples();
            let files = probe::written(&self.work(differences, samples.as_ref()));
            let path = |files: Pair<model::FileId>| {
                Pair::new(&*schemas.old.file(files.old).path, &*schemas.new.file(files.new).path)
            };
            let name =
                |types: Pair<model::TypeId>| Pair::new(schemas.old.called(types.old), schemas.new.called(types.new));
            files.into_iter().map(|(files, types)| Written { files: path(files), names: name(types) }).collect()
        };
        let references = || [schemas.old, schemas.new].into_iter().flat_map(references).collect();
        Division::of(self.options.part, &differences.found.changes, written, references)
    }

    /// Leaves out what was found in files that one side could not read.
    fn drop_doubtful(&self, differences: &mut Differences) {
        let problems = Pair::new(&*self.sides.old.problems, &*self.sides.new.problems);
        let Some(doubtful) = Doubtful::of(problems, || declared(self.schemas().new)) else { return };
        let diff::Diff { changes, meetings, .. } = &mut differences.found;
        changes.retain(|change| doubtful.is_sound(change));
        let Pair { old, new } = self.schemas();
        meetings.retain(|meeting| {
            let files = Pair::new(old.ty(meeting.types.old).file, new.ty(meeting.types.new).file);
            doubtful.are_sound(Pair::new(&old.file(files.old).path, &new.file(files.new).path))
        });
    }

    fn schemas(&self) -> Pair<&Schema<'_>> {
        Pair::new(&self.sides.old.schema, &self.sides.new.schema)
    }
}

/// The files that files lead to, by the types that they name.
fn references<'s>(schema: &'s Schema<'_>) -> Vec<(&'s str, &'s str)> {
    let of_type = |ty: &'s model::Type<'_>| -> Vec<model::Use> {
        match &ty.kind {
            model::Kind::Record(record) => record.fields.iter().map(|field| field.schema).collect(),
            model::Kind::Array(inner) | model::Kind::Map(inner) => vec![*inner],
            model::Kind::Union(branches) => branches.clone(),
            model::Kind::Primitive(_) | model::Kind::Enum(_) | model::Kind::Fixed(_) | model::Kind::Opaque(_) => {
                Vec::new()
            }
        }
    };
    let of_types = schema.types.iter().flat_map(of_type);
    let of_roots = schema.roots.iter().map(|root| root.schema);
    let messages = schema.protocols.iter().flat_map(|protocol| &protocol.messages);
    let of_messages = messages.flat_map(|message| [message.response, message.errors]);
    let uses = of_types.chain(of_roots).chain(of_messages);
    let uses = uses.map(|used| (used.file, schema.ty(used.ty))).filter(|(_, ty)| ty.kind.name().is_some());
    let files = uses.map(|(from, ty)| (&*schema.file(from).path, &*schema.file(ty.file).path));
    files.filter(|(from, to)| from != to).collect()
}

/// What a schema declares: types and services.
fn declared<'s>(schema: &'s Schema<'_>) -> Vec<Declared<'s>> {
    let one = |name: &'s str, file: model::FileId| {
        let file = schema.file(file);
        Declared { name, file: &file.path, is_own: !file.is_library }
    };
    let types =
        schema.by_name.iter().flat_map(|(name, types)| types.iter().map(move |ty| (&**name, schema.ty(*ty).file)));
    let protocols = schema.protocols.iter().map(|protocol| (&*protocol.name.full, protocol.file));
    types.chain(protocols).map(|(name, file)| one(name, file)).collect()
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

/// Reads bytes as data of the schema in a text, in both encodings, and asserts that what is accepted is read back the
/// same after it was written again; whether anything was accepted. This is what the fuzz target runs.
pub fn reread(schema: &str, bytes: &[u8]) -> bool {
    let snapshot = Snapshot::from_files([("fuzz.avsc", schema.as_bytes())]);
    let options = CheckOptions::default();
    let parsed = Parsed::new(Pair::new(&snapshot, &snapshot), &options);
    let linked = parsed.link();
    let schema = linked.schemas().new;
    let Some(ty) = schema.roots.first().map(|root| root.schema.ty) else { return false };
    let from_binary = codec::decode(schema, ty, bytes).map(|(value, _)| value).ok();
    let from_json = std::str::from_utf8(bytes).ok().and_then(|text| json::decode(schema, ty, text).ok());
    for value in [&from_binary, &from_json].into_iter().flatten() {
        let mut written = Vec::new();
        codec::encode(schema, ty, value, &mut written).expect("what was read can be written");
        let again = codec::decode(schema, ty, &written);
        assert!(matches!(&again, Ok((again, [])) if again == value), "the bytes changed {value:?} to {again:?}");
        if let Ok(text) = json::encode(schema, ty, value) {
            let again = json::decode(schema, ty, &text);
            assert!(again.as_ref() == Ok(value), "JSON changed {value:?} to {again:?}");
        }
    }
    from_binary.or(from_json).is_some()
}

#[cfg(test)]
mod differential_tests;
