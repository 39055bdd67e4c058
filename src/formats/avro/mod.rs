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
mod lenient;
mod link;
pub(crate) mod model;
mod observer;
mod place;
pub(crate) mod print;
pub(crate) mod probe;
mod registry;
mod relation;
pub(crate) mod resolve;
mod resolve_java;
mod resolve_replay;
mod schema_json;
mod trail;

use rustc_hash::FxHashSet;

use crate::change::{Change, Pair};
use crate::evidence::Observed;
use crate::formats::{CheckOptions, Checked};
use crate::source::Snapshot;
use crate::syntax::problem::{NotChecked, Problem, Severity};

pub(super) use self::container::text_part;

use self::gather::{Contents, Extent};
use self::link::Linkage;
use self::model::Schema;

pub use self::resolve::Dialect;

/// Compares the Avro files of two snapshots.
pub fn check(pair: Pair<&Snapshot>, options: &CheckOptions) -> Checked {
    let parsed = Parsed::new(pair, options);
    let linked = parsed.link();
    let mut differences = linked.diff();
    linked.drop_doubtful(&mut differences);
    let observed = linked.probe(&differences);
    let Linked { sides, files, .. } = linked;
    let mut problems = Pair::new(sides.old.problems, sides.new.problems);
    problems.new.extend(differences.0.unknown_roots.iter().map(|root| unknown_root(root)));
    let not_checked: std::collections::BTreeSet<NotChecked> =
        sides.old.not_checked.into_iter().chain(sides.new.not_checked).collect();
    Checked {
        changes: differences.0.changes,
        observed,
        problems,
        not_checked: not_checked.into_iter().collect(),
        files,
        files_parsed: parsed.contents.parsed(),
    }
}

fn unknown_root(root: &str) -> Problem {
    Problem {
        severity: Severity::Error,
        site: None,
        message: format!("neither side declares the root `{root}`"),
        help: "give `--root` the full name of a record, an enum, a fixed or a protocol".to_owned(),
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
            lenient::excuse(*pair, &mut sides.new);
            lenient::excuse(pair.mirrored(), &mut sides.old);
        }
        let files = gathered.as_ref().map(|side| side.judged);
        Linked { sides, files, pair: *pair, options }
    }
}

/// Works on the two sides at the same time.
fn both<T: Send>(old: impl FnOnce() -> T + Send, new: impl FnOnce() -> T + Send) -> Pair<T> {
    let (old, new) = rayon::join(old, new);
    Pair::new(old, new)
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
        Differences(diff::diff(self.schemas(), self.options))
    }

    /// Writes synthetic data with one side and reads it with the other, and real data where there is some.
    pub fn probe(&self, differences: &Differences) -> Observed {
        let samples = Pair::new(
            container_schema::samples(self.pair.old, &self.sides.old.schema),
            container_schema::samples(self.pair.new, &self.sides.new.schema),
        );
        probe::probe(self.schemas(), &differences.0.meetings, &differences.0.changes, samples.as_ref())
    }

    /// Leaves out what was found in files that one side could not read: an element that seems to be gone may stand in
    /// the part that was not understood. The problems of these files say that the verdict does not cover them.
    fn drop_doubtful(&self, differences: &mut Differences) {
        let doubtful: FxHashSet<&str> = [&self.sides.old, &self.sides.new]
            .into_iter()
            .flat_map(|side| &side.problems)
            .filter(|problem| problem.severity == Severity::Error)
            .filter_map(|problem| problem.site.as_ref().map(|site| &*site.file))
            .collect();
        if doubtful.is_empty() {
            return;
        }
        let diff::Diff { changes, meetings, .. } = &mut differences.0;
        changes.retain(|change| {
            let mut sites = [&change.at.old, &change.at.new].into_iter().flatten();
            sites.all(|site| !doubtful.contains(&*site.file))
        });
        let schemas = self.schemas();
        let is_sound = |schema: &Schema<'_>, ty| !doubtful.contains(&*schema.file(schema.ty(ty).file).path);
        meetings.retain(|meeting| is_sound(schemas.old, meeting.types.old) && is_sound(schemas.new, meeting.types.new));
    }

    fn schemas(&self) -> Pair<&Schema<'_>> {
        Pair::new(&self.sides.old.schema, &self.sides.new.schema)
    }
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
