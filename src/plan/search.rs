//! Which ways go together: one after the other is tried, and what a step breaks says whose way is the next to be tried.

use super::compose::{Meets, Together};
use super::model::{Asked, Holds, Judged, Refusal, Told, errors, felt, in_order};
use crate::change::Pair;
use crate::formats::{Broken, Does, FileEdit, Stage, Way, kept_declarations, ways};
use crate::ordered::OrderedMap;
use crate::report::Report;
use crate::snapshot::Snapshot;
use crate::text;
use crate::vocabulary::{Open, UpgradeOrder};

/// So many combinations of ways are tried.
const MOST: usize = 60;

/// What a step may need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strictness {
    /// Each step passes under the mode.
    UnderMode,
    /// Or it breaks nobody as long as an order is kept.
    InOrder,
    /// Each step passes under the mode, and what is wanted may be there beside all that there was.
    LastResort,
}

/// A schema on the way that holds.
pub(super) struct Held {
    pub(super) files: Snapshot,
    pub(super) report: Report,
    pub(super) holds: Holds,
}

/// Ways that go together, with a schema for each step.
pub(super) struct Found {
    pub(super) together: Together,
    pub(super) schemas: Vec<Held>,
    /// The files in which something of the old side stays for good.
    pub(super) stays: Vec<String>,
}

/// What was tried in vain: for each break what stood in the way of the best way.
#[derive(Default)]
pub(super) struct Tried {
    first: OrderedMap<usize, String>,
}

/// The changes that readers feel, those of one statement as often as there are findings.
pub(super) fn broken(judged: &Judged) -> Vec<Told> {
    let is_broken =
        |told: &&Told| felt(&judged.report).any(|one| one.rule == told.rule && one.path == told.change.path);
    judged.told.iter().filter(is_broken).cloned().collect()
}

/// Looks for ways that go together.
pub(super) fn search(asked: &Asked<'_>, broken: &[Told], strictness: Strictness, tried: &mut Tried) -> Option<Found> {
    if broken.is_empty() {
        return None;
    }
    let mut choices = vec![0_usize; broken.len()];
    for _ in 0..MOST {
        let offered = offered(asked, broken, &choices, strictness)?;
        let counts: Vec<usize> = offered.iter().map(|(_, count)| *count).collect();
        let chosen = offered.into_iter().map(|(way, _)| way).collect();
        let blamed = match Together::of(chosen) {
            Err(Meets(at)) => {
                tried.first.entry(at).or_insert_with(|| "its edits meet those for another break".to_owned());
                vec![at]
            }
            Ok(together) => match held_with_types(asked, &together, strictness) {
                Ok((schemas, stays)) => return Some(Found { together, schemas, stays }),
                Err(refused) => {
                    let blamed = refused.blamed(broken);
                    for at in blamed.iter().filter(|_| refused.says_something()) {
                        tried.first.entry(*at).or_insert_with(|| refused.said());
                    }
                    blamed
                }
            },
        };
        if !advance(&mut choices, &counts, &blamed) {
            return None;
        }
    }
    None
}

/// The way that is chosen for each break, and how many there are. Numbers that one takes are not those of the next.
fn offered(asked: &Asked<'_>, broken: &[Told], choices: &[usize], strictness: Strictness) -> Option<Vec<(Way, usize)>> {
    let mut taken = OrderedMap::new();
    let mut offered = Vec::new();
    for (told, choice) in broken.iter().zip(choices) {
        let mut all = ways(told.format, &Broken { change: &told.change, sides: asked.pair, taken: &taken });
        match strictness {
            Strictness::UnderMode => all.retain(|way| !way.is_last_resort),
            Strictness::InOrder => {
                all.retain(|way| !way.is_last_resort);
                all.push(as_wanted(told));
            }
            Strictness::LastResort => {}
        }
        let count = all.len();
        let way = all.into_iter().nth(*choice)?;
        for key in &way.takes {
            *taken.entry(key.clone()).or_default() += 1;
        }
        offered.push((way, count));
    }
    Some(offered)
}

/// A change made as it is wanted, which an order of upgrades may carry.
fn as_wanted(told: &Told) -> Way {
    let says = format!("change `{}` as wanted", told.change.path);
    Way { stages: vec![Stage { does: Does::Contract, says, edits: Vec::new() }], ..Way::default() }
}

/// Chooses the next way for those that are blamed, or else for one that has another; `false` where all have been tried.
fn advance(choices: &mut [usize], counts: &[usize], blamed: &[usize]) -> bool {
    let mut is_moved = false;
    for at in blamed {
        if choices[*at] + 1 < counts[*at] {
            choices[*at] += 1;
            is_moved = true;
        }
    }
    if is_moved {
        return true;
    }
    match (0..choices.len()).find(|at| !blamed.contains(at) && choices[*at] + 1 < counts[*at]) {
        Some(at) => {
            choices[at] += 1;
            true
        }
        None => false,
    }
}

/// A step that does not hold.
struct Refused {
    /// What breaks in it: path, rule and message.
    findings: Vec<(String, String, String)>,
    /// Why it could not be judged.
    wrong: Vec<String>,
}

impl Refused {
    fn says_something(&self) -> bool {
        !self.findings.is_empty() || !self.wrong.is_empty()
    }

    fn said(&self) -> String {
        let finding = self.findings.first().map(|(_, rule, message)| format!("{message} ({rule})"));
        let said = finding.or_else(|| self.wrong.first().cloned());
        text::shorten(&said.unwrap_or_else(|| "its edits meet those for another break".to_owned()), 200).into_owned()
    }

    /// Whose way is to blame: what is found at the element or inside of it, else beside it, else all.
    fn blamed(&self, broken: &[Told]) -> Vec<usize> {
        let name = |path: &str| path.rsplit(['.', '/', '#']).next().unwrap_or(path).to_owned();
        let parent = |path: &str| path[..path.len() - name(path).len()].to_owned();
        let is_at = |path: &str, found: &str| found.starts_with(path) || path.starts_with(found);
        let is_beside = |path: &str, found: &str| parent(path) == parent(found);
        let by = |meets: &dyn Fn(&str, &str) -> bool| -> Vec<usize> {
            let is_met = |told: &Told| self.findings.iter().any(|(found, ..)| meets(&told.change.path, found));
            (0..broken.len()).filter(|at| is_met(&broken[*at])).collect()
        };
        let near = [by(&is_at), by(&is_beside)].into_iter().find(|found| !found.is_empty());
        near.unwrap_or_else(|| (0..broken.len()).collect())
    }
}

/// The schemas on the way. Where one cannot be understood without what only the old side declares, that stays as well: up to
/// the last step, or for good, and then the files are named.
fn held_with_types(
    asked: &Asked<'_>,
    together: &Together,
    strictness: Strictness,
) -> Result<(Vec<Held>, Vec<String>), Refused> {
    let stages = together.stages();
    let refused = match held(asked, together, strictness, (&[], 0)) {
        Err(refused) => refused,
        Ok(held) => return Ok((held, Vec::new())),
    };
    let kept = kept_declarations(asked.pair);
    if kept.is_empty() {
        return Err(refused);
    }
    match held(asked, together, strictness, (&kept, stages.saturating_sub(1))) {
        Ok(held) => Ok((held, Vec::new())),
        // What is no longer used may still name it.
        Err(again) if !again.wrong.is_empty() => {
            let held = held(asked, together, strictness, (&kept, stages)).map_err(|_| refused)?;
            let mut files: Vec<String> = kept.iter().map(|edit| edit.file.to_string()).collect();
            files.dedup();
            Ok((held, files))
        }
        Err(_) => Err(refused),
    }
}

/// The schemas on the way, where each step holds. Some edits are made in all of them up to one.
fn held(
    asked: &Asked<'_>,
    together: &Together,
    strictness: Strictness,
    (kept, until): (&[FileEdit], usize),
) -> Result<Vec<Held>, Refused> {
    let mut schemas: Vec<Held> = Vec::new();
    for stage in 0..together.stages() {
        let met = || Refused { findings: Vec::new(), wrong: Vec::new() };
        let more = if stage < until { kept } else { &[] };
        let files = together.files(asked.pair.new, stage, more).ok_or_else(met)?;
        let before = schemas.last().map_or(asked.pair.old, |held| &held.files);
        if stage > 0 && files.differing(before).is_empty() {
            return Err(met());
        }
        let (report, holds) = step(asked, Pair::new(before, &files), strictness)?;
        if asked.reaches_back {
            let earlier = schemas.iter().rev().skip(1).map(|held| &held.files);
            let earlier = earlier.chain((!schemas.is_empty()).then_some(asked.pair.old));
            for version in earlier {
                step(asked, Pair::new(version, &files), Strictness::UnderMode)?;
            }
        }
        schemas.push(Held { files, report, holds });
    }
    // To leave everything as it was is no way.
    let is_idle = schemas.last().is_none_or(|end| end.files.differing(asked.pair.old).is_empty());
    if is_idle {
        return Err(Refused { findings: Vec::new(), wrong: Vec::new() });
    }
    Ok(schemas)
}

/// What comes of one step.
fn step(asked: &Asked<'_>, pair: Pair<&Snapshot>, strictness: Strictness) -> Result<(Report, Holds), Refused> {
    let Judged { report, .. } = (asked.judge)(pair);
    let wrong = errors(&report);
    let finding = |one: &crate::report::Finding| (one.path.clone(), one.rule.clone(), one.message.clone());
    let findings: Vec<_> = felt(&report).map(finding).collect();
    if wrong.is_empty() && findings.is_empty() {
        return Ok((report, Holds::UnderMode));
    }
    match in_order(asked, &report) {
        Some(order) if wrong.is_empty() && strictness == Strictness::InOrder => Ok((report, Holds::InOrder(order))),
        _ => Err(Refused { findings, wrong }),
    }
}

/// Why there is no way, for each break.
pub(super) fn refusals(asked: &Asked<'_>, first: &Judged, broken: &[Told], tried: &Tried) -> Vec<Refusal> {
    let has_order =
        matches!(first.report.upgrade_order, Open::Known(UpgradeOrder::ReadersFirst | UpgradeOrder::WritersFirst));
    let why = |rule: &str, path: &str| -> String {
        let order = match (asked.reaches_back, has_order) {
            (true, true) => {
                "an order of upgrades would do, but the mode demands that data of every earlier version go on being read: \
                 the set of data is open, and waiting for its end is no way"
            }
            _ => "no order of upgrades helps",
        };
        let at = broken.iter().position(|told| told.rule == rule && told.change.path == path);
        match at.and_then(|at| tried.first.get(&at)) {
            Some(said) => format!("{order}, and what could stand beside it does not hold: {said}"),
            None => format!("{order}, and nothing is known that could stand beside it"),
        }
    };
    let refusal = |finding: &crate::report::Finding| Refusal {
        rule: finding.rule.clone(),
        message: finding.message.clone(),
        why: why(&finding.rule, &finding.path),
    };
    felt(&first.report).map(refusal).collect()
}
