//! What was found, as steps for people.

use super::model::{Asked, Break, Holds, Plan, Schema, Step, felt, kind_of, mode};
use super::search::{Found, Held};
use crate::change::Pair;
use crate::ordered::InOrder;
use crate::report::Report;
use crate::snapshot::Snapshot;
use crate::text::{self, Difference};
use crate::vocabulary::{Class, Open, StepKind, UpgradeOrder};

/// The plan that ways make which go together.
pub(super) fn of_found(asked: &Asked<'_>, first: &Report, found: Found, instead: Option<String>) -> Plan {
    let ways: Vec<_> = found.together.ways.into_iter().flatten().collect();
    let count = found.schemas.len();
    let mut steps = Vec::new();
    let mut before = asked.pair.old.clone();
    for (stage, held) in found.schemas.into_iter().enumerate() {
        let mut says: Vec<String> = Vec::new();
        let mut kind = StepKind::Contract;
        for now in ways.iter().filter_map(|way| way.stages.get(stage)) {
            if kind_of(now.does) == StepKind::Expand {
                kind = StepKind::Expand;
            }
            if !says.contains(&now.says) {
                says.push(now.says.clone());
            }
        }
        let after = held.files.clone();
        steps.push(with_schema(kind, says, Pair::new(&before, &after), held));
        before = after;
        if stage + 1 < count {
            steps.push(migrate(ways.iter().filter(|way| stage + 1 < way.stages.len()).map(|way| way.migrate.clone())));
        }
    }
    let differs = ways.iter().filter_map(|way| way.differs.clone());
    let mut differs: Vec<String> = differs.collect();
    differs.dedup();
    differs
        .extend(found.stays.iter().map(|file| format!("what only the old version of `{file}` declares stays there")));
    Plan { mode: mode(first), breaks: breaks(first), steps, differs, instead }
}

fn migrate(says: impl Iterator<Item = String>) -> Step {
    let mut known: Vec<String> = Vec::new();
    for sentence in says.filter(|sentence| !sentence.is_empty()) {
        if !known.contains(&sentence) {
            known.push(sentence);
        }
    }
    let waits = Some(
        "queues, caches, files and backups count as data: how long old data live there is how long this step takes"
            .to_owned(),
    );
    Step { kind: StepKind::Migrate, says: known, deploy: None, waits, schema: None }
}

fn with_schema(kind: StepKind, says: Vec<String>, pair: Pair<&Snapshot>, held: Held) -> Step {
    let order = &held.report.upgrade_order;
    let deploy = Some(match held.holds {
        Holds::UnderMode if *order == Open::Known(UpgradeOrder::None) => "in any order that the mode leaves".to_owned(),
        Holds::UnderMode if *order == Open::Known(UpgradeOrder::Any) => "in any order".to_owned(),
        Holds::UnderMode | Holds::InOrder(_) => text::upgrade_order(order).to_owned(),
    });
    let waits = match held.holds {
        Holds::UnderMode => None,
        Holds::InOrder(order) => Some(gate(order)),
    };
    Step { kind, says, deploy, waits, schema: Some(schema(pair, held)) }
}

/// What the gate makes of a step that an order carries.
fn gate(order: UpgradeOrder) -> String {
    let until = match order {
        UpgradeOrder::WritersFirst => {
            "this step must not start for readers before no data is left that the old schema wrote"
        }
        UpgradeOrder::ReadersFirst => "this step must not start for writers before every reader has it",
        UpgradeOrder::Any | UpgradeOrder::None => "the order matters",
    };
    format!("{until}; the gate cannot see that and refuses it under this mode, so let it pass with `wireproof accept`")
}

fn schema(pair: Pair<&Snapshot>, held: Held) -> Schema {
    let policy = held.report.findings.iter().filter(|finding| finding.breaking && finding.waiver.is_none());
    let policy = policy.filter(|finding| finding.class == Open::Known(Class::Hygiene));
    Schema {
        diffs: diffs(pair),
        holds: held.holds,
        messages: held.report.round_trips.messages,
        policy: policy.map(|finding| (finding.rule.clone(), finding.message.clone())).collect(),
        files: held.files,
    }
}

/// The files that differ, each with its lines.
fn diffs(pair: Pair<&Snapshot>) -> Vec<(String, String)> {
    let text = |side: &Snapshot, path: &str| {
        side.get(path).map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).unwrap_or_default()
    };
    let mut paths = pair.new.differing(pair.old);
    paths.sort_in_order();
    let diff = |path: &std::sync::Arc<str>| {
        let (before, after) = (text(pair.old, path), text(pair.new, path));
        let patch = Difference::of(&before, &after).patch(&format!("a/{path}"), &format!("b/{path}"), 2);
        (path.to_string(), patch)
    };
    paths.into_iter().map(diff).collect()
}

fn breaks(report: &Report) -> Vec<Break> {
    felt(report)
        .map(|finding| Break { id: finding.id.clone(), rule: finding.rule.clone(), message: finding.message.clone() })
        .collect()
}

/// The shorter way, where an order of upgrades is enough.
pub(super) fn instead(order: UpgradeOrder) -> String {
    let order = text::upgrade_order(&Open::Known(order));
    format!(
        "make the change as it is wanted, and upgrade {order}; the gate then has to be told with `wireproof accept`"
    )
}

/// The plan where an order of upgrades is enough.
pub(super) fn of_order(asked: &Asked<'_>, report: Report, order: UpgradeOrder) -> Plan {
    let (mode, breaks) = (mode(&report), breaks(&report));
    let (first, then, until) = match order {
        UpgradeOrder::WritersFirst => (
            "the wanted schema goes to all writers, and to no reader",
            "it goes to readers",
            "wait until no writer of the old schema is left, and no data that one wrote: queues, caches, files and \
             backups count. Where old data never go, this is no way",
        ),
        UpgradeOrder::ReadersFirst | UpgradeOrder::Any | UpgradeOrder::None => (
            "the wanted schema goes to all readers, and to no writer",
            "it goes to writers",
            "wait until every reader has it",
        ),
    };
    let held = Held { files: asked.pair.new.clone(), report, holds: Holds::InOrder(order) };
    let step = with_schema(StepKind::Migrate, vec![first.to_owned()], asked.pair, held);
    let wait = Step {
        kind: StepKind::Migrate,
        says: vec![then.to_owned()],
        deploy: None,
        waits: Some(format!("before it: {until}")),
        schema: None,
    };
    Plan { mode, breaks, steps: vec![step, wait], differs: Vec::new(), instead: None }
}
