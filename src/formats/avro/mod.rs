//! Apache Avro: schemas, protocols and IDL, by the specification 1.12.

pub mod ast;
pub(crate) mod codec;
mod compare;
mod compare_scalars;
mod diff;
mod gather;
mod generate;
mod idl;
mod idl_json;
mod idl_types;
pub(crate) mod json;
mod lenient;
mod link;
mod log;
pub mod model;
mod place;
pub(crate) mod probe;
mod registry;
mod relation;
pub(crate) mod resolve;
mod resolve_java;
mod schema_json;
mod trail;

use crate::change::Pair;
use crate::evidence::Observed;
use crate::formats::{CheckOptions, Checked, Format};
use crate::source::Snapshot;
use crate::syntax::problem::NotChecked;

use self::gather::{Contents, Extent};
use self::link::Linkage;
use self::model::Schema;

/// Compares the Avro files of two snapshots.
pub fn check(pair: Pair<&Snapshot>, options: &CheckOptions) -> Checked {
    let parsed = Parsed::new(pair, options);
    let linked = parsed.link();
    let differences = linked.diff();
    let observed = linked.probe(&differences);
    let Linked { sides, files, .. } = linked;
    let not_checked: std::collections::BTreeSet<NotChecked> =
        sides.old.not_checked.into_iter().chain(sides.new.not_checked).collect();
    Checked {
        changes: differences.0.changes,
        observed,
        problems: Pair::new(sides.old.problems, sides.new.problems),
        not_checked: not_checked.into_iter().collect(),
        files,
        files_parsed: parsed.contents.parsed(),
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
        Parsed { pair, options, contents: Contents::new(&[pair.old, pair.new], options) }
    }

    /// Resolves every name of both sides and checks what the reference parser checks.
    pub fn link(&self) -> Linked<'_> {
        let Parsed { pair, options, contents } = self;
        let mut gathered = pair.map(|snapshot| gather::gather(snapshot, contents, options, Extent::Imported));
        gather::refuse_lost(&gathered.old, &mut gathered.new);
        let mut sides = both(|| link::link(&gathered.old), || link::link(&gathered.new));
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
        Linked { sides, files, options }
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
    options: &'t CheckOptions,
}

impl Linked<'_> {
    /// What changed, and which types were compared with which.
    pub fn diff(&self) -> Differences {
        Differences(diff::diff(self.schemas(), self.options))
    }

    /// Writes synthetic data with one side and reads it with the other.
    pub fn probe(&self, differences: &Differences) -> Observed {
        probe::probe(self.schemas(), &differences.0.meetings, &differences.0.changes)
    }

    fn schemas(&self) -> Pair<&Schema<'_>> {
        Pair::new(&self.sides.old.schema, &self.sides.new.schema)
    }
}

/// The third stage: what differs.
#[derive(Debug)]
pub struct Differences(diff::Diff);

/// Whether a path names an Avro file.
pub(crate) fn is_schema(path: &str) -> bool {
    Format::of_path(path) == Some(Format::Avro)
}
