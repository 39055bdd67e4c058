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
mod observer;
mod pairing;
mod parse;
mod parse_members;
mod parse_types;
mod probe;
mod relation;

use rustc_hash::FxHashSet;

use crate::change::{Change, Pair};
use crate::evidence::Observed;
use crate::formats::{CheckOptions, Checked};
use crate::source::Snapshot;
use crate::syntax::problem::{NotChecked, Severity};

use self::includes::Contents;
use self::link::Linkage;
use self::model::Schema;

/// Compares the `.thrift` files of two snapshots.
pub fn check(pair: Pair<&Snapshot>, options: &CheckOptions) -> Checked {
    let parsed = Parsed::new(pair, options);
    let linked = parsed.link();
    let mut differences = linked.diff();
    linked.drop_doubtful(&mut differences);
    let observed = linked.probe(&differences);
    let Linked { sides, files, .. } = linked;
    let problems = Pair::new(sides.old.problems, sides.new.problems);
    let not_checked: std::collections::BTreeSet<NotChecked> =
        sides.old.not_checked.into_iter().chain(sides.new.not_checked).collect();
    Checked {
        changes: differences.0.changes,
        observed,
        problems,
        not_checked: not_checked.into_iter().collect(),
        unknown_roots: differences.0.unknown_roots,
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
    /// Parses the `.thrift` files of two snapshots.
    pub fn new(pair: Pair<&'b Snapshot>, options: &'b CheckOptions) -> Self {
        Parsed { pair, options, contents: Contents::new([pair.old, pair.new], options) }
    }

    /// Follows includes, resolves names and checks what the compiler checks.
    pub fn link(&self) -> Linked<'_> {
        let Parsed { pair, options, contents } = self;
        let mut gathered = pair.map(|snapshot| includes::gather(snapshot, contents, options));
        includes::refuse_lost(&gathered.old, &mut gathered.new);
        let sides = gathered.as_ref().map(link::link);
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
        probe::probe(self.schemas(), &differences.0.pairs, &differences.0.changes)
    }

    /// Leaves out what was found in files that one side could not read.
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
        let diff::Diff { changes, pairs, .. } = &mut differences.0;
        changes.retain(|change| {
            let mut sites = [&change.at.old, &change.at.new].into_iter().flatten();
            sites.all(|site| !doubtful.contains(&*site.file))
        });
        let schemas = self.schemas();
        let is_sound = |path: &str| !doubtful.contains(path);
        pairs.structs.retain(|pair| {
            is_sound(&schemas.old.file(schemas.old.structure(pair.types.old).file).path)
                && is_sound(&schemas.new.file(schemas.new.structure(pair.types.new).file).path)
        });
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
