//! The pipeline in ten lines: two snapshots in, a report out. No disk, no network, no clock.

use crate::assemble::{AssembleInput, assemble};
use crate::change::Pair;
use crate::formats::{CheckOptions, Checked, Format, check_pair};
use crate::report::Report;
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
        problems: Vec::new(),
        not_checked: Vec::new(),
    })
}

/// What each format finds out about two snapshots.
pub fn check_formats(pair: Pair<&Snapshot>, formats: &[Format], options: &CheckOptions) -> Vec<(Format, Checked)> {
    formats.iter().map(|format| (*format, check_pair(*format, pair, options))).collect()
}
