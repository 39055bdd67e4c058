//! One pair: what the report says of it, and what the validators say of that.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value as Json, json};

use super::causes::{Matter, Validator, cause};
use super::data::{Maker, Words};
use super::make::{Draft, is_known};
use super::{Peers, ask, validate};
use crate::laws_random::number;
use crate::peers::{Dice, SIDES, roles};
use crate::support::{Case, snapshot};
use wireproof::change::Pair;
use wireproof::evidence::{Direction, Outcome, Surface};
use wireproof::formats::{Format, Usages};
use wireproof::report::{Evidence, Report};
use wireproof::verdict::{Mode, Policy};
use wireproof::vocabulary::{SPEC, Verdict};

/// Instances made in each direction that is said to be safe, or could not be told, unless `DATA` says otherwise.
const DATA: usize = 250;
/// How many are made for one that was not there before, where others are all that can be had.
const REPEATED: usize = 4;
/// Of these, so many are given to the slower validator as well.
const SLOWLY: usize = 50;

/// How a verdict and the validators differ, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// A direction is said to be safe, and readers refuse what writers write.
    FalsePass,
    /// A validator does not confirm an instance.
    Witness,
    /// Writers are said to write an instance that their schema does not declare.
    Undeclared,
    /// What is said of a change is not what was observed of it.
    Unexplained,
    /// One of the two refuses a schema that the validators take.
    Validity,
    /// It panicked.
    Panic,
}

/// What came of a pair.
#[derive(Default)]
pub struct Judged {
    pub is_judged: bool,
    pub is_refused: bool,
    pub safe: usize,
    pub broken: usize,
    /// Directions that break nobody as far as is known, and could not be told.
    pub open: usize,
    /// What could not be told, in words.
    pub untold: Vec<String>,
    /// Directions that could not be told and break, as an instance made here shows.
    pub missed: usize,
    pub witnesses: usize,
    pub data: usize,
    pub causes: Vec<&'static str>,
    pub fault: Option<(Fault, String)>,
}

/// Asks for the report on a pair, and the validators about it.
pub fn judge(peers: &mut Peers, sides: &Pair<Json>, dice: &Dice) -> Judged {
    let mut judged = Judged::default();
    // Each definition there is data of its own, also beside a document that takes its place.
    if is_shelf(&sides.old) || is_shelf(&sides.new) {
        return judged;
    }
    let refused = load(peers, sides);
    let texts = sides.as_ref().map(|side| snapshot(&BTreeMap::from([("a.schema.json".to_owned(), side.to_string())])));
    let case = Case {
        name: "random".to_owned(),
        format: Format::JsonSchema,
        sides: texts,
        roots: Vec::new(),
        usages: Usages::default(),
    };
    let policy = Policy::default().with_mode(Mode::Full);
    let Ok(report) = catch_unwind(AssertUnwindSafe(|| case.report(&policy))) else {
        judged.fault = Some((Fault::Panic, "it panicked".to_owned()));
        return judged;
    };
    let (untold, errors): (Vec<_>, Vec<_>) =
        report.problems.iter().partition(|problem| problem.message.contains("could not be told"));
    judged.fault = match (refused, errors.first()) {
        (Some(_), Some(_)) => {
            judged.is_refused = true;
            return judged;
        }
        (Some(reason), None) => Some((Fault::Validity, format!("a validator refuses: {reason}"))),
        (None, Some(error)) if report.verdict == Verdict::Unknown && report.round_trips.unexplained == 0 => {
            Some((Fault::Validity, format!("we refuse: {}", error.message)))
        }
        (None, _) => None,
    };
    if judged.fault.is_some() {
        return judged;
    }
    judged.is_judged = true;
    judged.untold = untold.iter().map(|problem| problem.message.clone()).collect();
    let mut faults = Vec::new();
    if report.round_trips.unexplained > 0 {
        let told: Vec<&str> = report.problems.iter().map(|problem| &*problem.message).collect();
        faults.push((Fault::Unexplained, told.join("\n")));
    }
    faults.extend(replay(peers, sides, &report, &mut judged));
    for direction in [Direction::Backward, Direction::Forward] {
        faults.extend(search(peers, sides, (&report, direction), dice.clone(), &mut judged));
    }
    judged.fault = faults.into_iter().min();
    judged
}

/// Whether a document only keeps schemas for others, and speaks of no data.
fn is_shelf(schema: &Json) -> bool {
    let draft = Draft::of(schema);
    let kept = schema[draft.shelf()].as_object().is_some_and(|kept| !kept.is_empty());
    kept && schema.as_object().is_some_and(|map| !map.keys().any(|key| is_known(key, draft)))
}

/// Gives both sides to both validators; why one of them refuses a side.
fn load(peers: &mut Peers, sides: &Pair<Json>) -> Option<String> {
    let mut reason = None;
    for (label, schema) in [(SIDES.old, &sides.old), (SIDES.new, &sides.new)] {
        let asked = json!({ "side": label, "draft": Draft::of(schema).name(), "schema": schema });
        for peer in [&mut peers.python, &mut peers.ajv] {
            let told = ask(peer, &asked);
            reason = reason.or_else(|| told["refused"].as_str().map(str::to_owned));
        }
    }
    reason
}

/// Gives every instance of the report to the validators.
fn replay(peers: &mut Peers, sides: &Pair<Json>, report: &Report, judged: &mut Judged) -> Vec<(Fault, String)> {
    let mut faults = Vec::new();
    for witness in report.findings.iter().flat_map(|finding| &finding.evidence).filter(|one| is_witness(one)) {
        let Some(direction) = Direction::from_name(witness.direction.as_str()) else { continue };
        let datum: Json = serde_json::from_str(&witness.bytes).expect("the bytes of an instance are its text");
        judged.witnesses += 1;
        let of_roles = roles(direction, SIDES);
        let python = validate(&mut peers.python, of_roles, &[&datum])[0];
        let ajv = validate(&mut peers.ajv, of_roles, &[&datum])[0];
        let matter = Matter { schemas: [&sides.old, &sides.new], datum: &datum };
        for (validator, name, [wrote, read, _]) in [(Validator::Python, "Python", python), (Validator::Ajv, "Ajv", ajv)]
        {
            if (wrote, read) == (Some(true), Some(false)) {
                continue;
            }
            match cause(validator, &matter) {
                Some(cause) => judged.causes.push(cause),
                None => {
                    let told = format!("{direction} {datum}: {name}: the writer {wrote:?}, the reader {read:?}");
                    faults.push((Fault::Witness, told));
                }
            }
        }
        if python[2] == Some(false) && python[0] == Some(true) {
            faults.push((Fault::Undeclared, format!("{direction} {datum} is not declared")));
        }
    }
    faults
}

fn is_witness(one: &Evidence) -> bool {
    one.runtime == SPEC && one.surface == Surface::Json && one.outcome == Outcome::Fails && !one.bytes.is_empty()
}

/// Looks for an instance that refutes that a direction is safe.
fn search(
    peers: &mut Peers,
    sides: &Pair<Json>,
    (report, direction): (&Report, Direction),
    mut dice: Dice,
    judged: &mut Judged,
) -> Option<(Fault, String)> {
    let reader = if direction == Direction::Backward { "whether new" } else { "whether old" };
    let is_untold = judged.untold.iter().any(|told| told.starts_with(reader));
    let cells = report.findings.iter().flat_map(|finding| &finding.impact);
    let breaks = cells
        .filter(|cell| cell.surface == Surface::Wire && cell.direction == direction)
        .any(|cell| cell.outcome == Outcome::Fails);
    if breaks {
        judged.broken += 1;
        return None;
    }
    let schemas = roles(direction, sides.as_ref());
    let data = made(schemas, &mut dice);
    let refuted = refuted(peers, sides, direction, &data, judged);
    match (is_untold, refuted) {
        (true, found) => {
            judged.open += 1;
            judged.missed += usize::from(found.is_some());
            if let Some(datum) = found {
                judged.untold.push(format!("{direction} {datum} shows it"));
            }
            None
        }
        (false, Some(datum)) => Some((Fault::FalsePass, format!("{direction} {datum}"))),
        (false, None) => {
            judged.safe += 1;
            None
        }
    }
}

/// Instances after the writer's schema, and some after the reader's.
fn made(schemas: Pair<&Json>, dice: &mut Dice) -> Vec<Json> {
    let words = Words::of([schemas.old, schemas.new]);
    let wanted = number("DATA", DATA);
    let (mut data, mut known): (Vec<Json>, BTreeSet<String>) = Default::default();
    let most = if wanted > DATA { wanted * REPEATED } else { wanted };
    for index in 0..most {
        if data.len() == wanted {
            break;
        }
        let root = if index % 5 == 4 { schemas.new } else { schemas.old };
        let one = Maker { root, words: &words, fullness: [10, 50, 100][index % 3] }.datum(dice);
        if known.insert(one.to_string()) {
            data.push(one);
        }
    }
    data
}

/// The first instance that writers write and readers refuse, as all validators say.
fn refuted(
    peers: &mut Peers,
    sides: &Pair<Json>,
    direction: Direction,
    data: &[Json],
    judged: &mut Judged,
) -> Option<Json> {
    let of_roles = roles(direction, SIDES);
    let all: Vec<&Json> = data.iter().collect();
    let answers = validate(&mut peers.ajv, of_roles, &all);
    judged.data += answers.iter().filter(|[wrote, ..]| *wrote == Some(true)).count();
    let is_shown = |[wrote, read, _]: &[Option<bool>; 3]| (*wrote, *read) == (Some(true), Some(false));
    let asked: Vec<(&Json, bool)> = data
        .iter()
        .zip(&answers)
        .enumerate()
        .filter(|(index, (_, answer))| is_shown(answer) || *index < SLOWLY)
        .map(|(_, (datum, answer))| (datum, is_shown(answer)))
        .take(3 * SLOWLY)
        .collect();
    let of_python = validate(&mut peers.python, of_roles, &asked.iter().map(|(datum, _)| *datum).collect::<Vec<_>>());
    for ((datum, by_ajv), answer) in asked.into_iter().zip(of_python) {
        let is_declared = answer[2] == Some(true);
        let matter = Matter { schemas: [&sides.old, &sides.new], datum };
        match (is_shown(&answer), by_ajv) {
            (true, true) if is_declared => return Some(datum.clone()),
            // Only one of the two says so, and what it is known to err in is not at work.
            (true, false) if is_declared && cause(Validator::Python, &matter).is_none() => return Some(datum.clone()),
            (true, false) => judged.causes.extend(cause(Validator::Python, &matter)),
            (false, true) if answer[0] != Some(true) || answer[1] != Some(false) => {
                judged.causes.extend(cause(Validator::Ajv, &matter).or(cause(Validator::Python, &matter)));
            }
            _ => {}
        }
    }
    None
}
