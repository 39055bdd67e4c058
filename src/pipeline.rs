//! The pipeline in ten lines: two snapshots in, a report out. No disk, no network, no clock.

use crate::assemble::{AssembleInput, assemble};
use crate::change::Pair;
use crate::formats::{CheckOptions, Checked, Format, check_pair, unknown_root};
use crate::gate::Gate;
use crate::report::{Report, Shard};
use crate::rules::RuleSet;
use crate::source::Snapshot;
use crate::verdict::Policy;

/// Compares two snapshots in some formats and reports what it means.
pub fn check_snapshots(
    pair: Pair<&Snapshot>,
    formats: &[Format],
    options: &CheckOptions,
    rules: &RuleSet,
    policy: &Policy,
    labels: Pair<String>,
) -> Report {
    let checked = check_formats(pair, formats, options);
    assemble(AssembleInput {
        snapshots: pair,
        library: &options.library,
        checked: &checked,
        rules,
        policy,
        labels,
        arguments: Vec::new(),
        problems: Vec::new(),
        not_checked: Vec::new(),
        gate: &Gate::default(),
        shard: options.part.map(|part| Shard {
            number: part.number,
            of: part.of,
            inputs: String::new(),
            broken: Vec::new(),
        }),
    })
}

/// What each format finds out about two snapshots.
pub fn check_formats(pair: Pair<&Snapshot>, formats: &[Format], options: &CheckOptions) -> Vec<(Format, Checked)> {
    let nothing_to_do = nothing_can_differ(pair, options);
    let check = |format: Format| if nothing_to_do { unread(format, pair) } else { check_pair(format, pair, options) };
    let mut checked: Vec<(Format, Checked)> = formats.iter().map(|format| (*format, check(*format))).collect();
    // A root that one language declares is none of the others' business.
    let is_unknown = |root: &&String| checked.iter().all(|(_, checked)| checked.unknown_roots.contains(root));
    let unknown: Vec<_> = options.roots.iter().filter(is_unknown).map(|root| unknown_root(root)).collect();
    if let Some((_, first)) = checked.first_mut() {
        first.problems.new.extend(unknown);
    }
    checked
}

/// Whether all files are the same, and nobody asks what is wrong in files that did not change.
fn nothing_can_differ(pair: Pair<&Snapshot>, options: &CheckOptions) -> bool {
    let asks_more = !options.lenient_unchanged || options.strict_imports || !options.roots.is_empty();
    let same = |side: &Snapshot| side.iter().map(|(path, file)| (path.clone(), file.id)).collect::<Vec<_>>();
    !asks_more && pair.old.len() == pair.new.len() && same(pair.old) == same(pair.new)
}

/// Counts the files and reads none.
fn unread(format: Format, pair: Pair<&Snapshot>) -> Checked {
    let count = |side: &Snapshot| side.iter().filter(|(path, _)| Format::of_path(path) == Some(format)).count();
    Checked { files: pair.map(count), ..Checked::default() }
}
