//! The parts of a divided check, put together: the same report that one run would have made.
//!
//! Parts carry everything that is needed, so nothing is judged again: findings and observations are divided among them,
//! problems and gaps are the same in each or their own, and what follows from all of it is a matter of "any" and "all".
//! Numbers of files are the same in each part, which reads all of them; changes, types and messages are added up.

use super::{Finding, ModeVerdict, NotChecked, Problem, Report, RoundTrips, Shard, Stats};
use crate::ordered::{InOrder, OrderedSet};
use crate::vocabulary::{Direction, Mode, Open, ProblemSeverity, UpgradeOrder, Verdict, Vocabulary};

/// Puts the parts of one check together; each comes with the name of its file.
///
/// # Errors
/// When they are not parts, not of one check, or one is there twice. A part that is missing is no error: the report then
/// says so, and its verdict is never `compatible`.
pub fn merge(parts: Vec<(String, Report)>) -> Result<Report, Box<Problem>> {
    let mut shards: Vec<(Shard, String, Report)> = Vec::new();
    for (name, report) in parts {
        let shard = report.shard.clone().ok_or_else(|| whole(&name))?;
        shards.push((shard, name, report));
    }
    shards.sort_in_order_by_key(|(shard, _, _)| shard.number);
    let Some(((first, first_name, pattern), others)) = shards.split_first() else {
        return Err(refused("there is no report".to_owned(), "name the parts: `wireproof render part-*.json`"));
    };
    for (shard, name, report) in others {
        if let Some(difference) = difference((first, pattern), (shard, report)) {
            return Err(refused(
                format!("`{name}` and `{first_name}` are not parts of one check: {difference}"),
                "render the parts of one run together: same commit, same options, same version",
            ));
        }
    }
    if let Some(twice) = shards.windows(2).find(|two| two[0].0.number == two[1].0.number) {
        let (one, other, shard) = (&twice[0].1, &twice[1].1, &twice[0].0);
        return Err(refused(
            format!("`{one}` and `{other}` are both part {} of {}", shard.number, shard.of),
            "name each part once",
        ));
    }
    for (shard, name, report) in &shards {
        undecidable(shard, report).map_or(Ok(()), |what| {
            Err(refused(
                format!("`{name}` has {what}, which this version does not know"),
                "put the parts together with the version of wireproof that wrote them",
            ))
        })?;
    }
    let present: OrderedSet<u32> = shards.iter().map(|(shard, _, _)| shard.number).collect();
    let missing: Vec<u32> = (1..=first.of).filter(|number| !present.contains(number)).collect();
    let parts: Vec<(&Shard, &Report)> = shards.iter().map(|(shard, _, report)| (shard, report)).collect();
    combine(&parts, &missing)
}

fn whole(name: &str) -> Box<Problem> {
    refused(
        format!("`{name}` is a whole report: only the parts that `--shard` makes can be put together"),
        "render one report at a time",
    )
}

fn refused(message: String, help: &str) -> Box<Problem> {
    Box::new(Problem::error(message, help.to_owned()))
}

/// A word that the whole would have to be decided by, and that only another version knows.
fn undecidable(shard: &Shard, report: &Report) -> Option<String> {
    fn unknown<T: Vocabulary>(what: &str, word: &Open<T>) -> Option<String> {
        match word {
            Open::Known(_) => None,
            Open::Unknown(word) => Some(format!("{what} `{}`", crate::text::visible(&crate::text::shorten(word, 80)))),
        }
    }
    let of_shard = || shard.broken.iter().find_map(|direction| unknown("the direction", direction));
    let of_modes = || report.modes.iter().find_map(|mode| unknown("the mode", &mode.mode));
    let of_problems = || report.problems.iter().find_map(|problem| unknown("the severity", &problem.severity));
    let order = || unknown("the upgrade order", &report.upgrade_order);
    unknown("the verdict", &report.verdict).or_else(order).or_else(of_shard).or_else(of_modes).or_else(of_problems)
}

/// The first thing in which a part is not of the same check, in words.
fn difference(first: (&Shard, &Report), other: (&Shard, &Report)) -> Option<String> {
    let terms = |(shard, report): (&Shard, &Report)| {
        let words = |words: &[String]| words.join(" ");
        let formats = report.modes_by_format.iter().map(|(format, mode)| format!("{format}: {mode}"));
        [
            ("the version of wireproof", format!("{} {}", report.tool.name, report.tool.version)),
            ("the number of parts", shard.of.to_string()),
            ("the old side", report.old.source.clone()),
            ("the new side", report.new.source.clone()),
            ("the mode", report.mode.to_string()),
            ("the mode of some formats", formats.collect::<Vec<_>>().join(", ")),
            ("the surfaces in force", words(&report.surfaces.iter().map(Open::to_string).collect::<Vec<_>>())),
            ("the profile", report.profile.clone().unwrap_or_default()),
            ("the threshold", report.fail_on.to_string()),
            ("the arguments", words(&report.arguments)),
            ("the files, the configuration or the rules that were read", shard.inputs.clone()),
        ]
    };
    let (of_first, of_other) = (terms(first), terms(other));
    let mut both = of_first.into_iter().zip(of_other);
    let ((what, expected), (_, found)) = both.find(|((_, expected), (_, found))| expected != found)?;
    let shown = |text: &str| match text {
        "" => "none".to_owned(),
        text => format!("`{}`", crate::text::visible(crate::text::shorten(text, 120).as_ref())),
    };
    // A fingerprint tells people nothing.
    let told =
        if found == other.0.inputs { String::new() } else { format!(": {} and {}", shown(&found), shown(&expected)) };
    Some(format!("they differ in {what}{told}"))
}

fn combine(parts: &[(&Shard, &Report)], missing: &[u32]) -> Result<Report, Box<Problem>> {
    let pattern = parts[0].1;
    let any = |verdict: Verdict| parts.iter().any(|(_, report)| report.verdict == verdict);
    let verdict = match (any(Verdict::Breaking), any(Verdict::Unknown) || !missing.is_empty()) {
        (true, _) => Verdict::Breaking,
        (false, true) => Verdict::Unknown,
        (false, false) => Verdict::Compatible,
    };
    let problems = problems(parts, missing);
    let findings = findings(parts)?;
    let modes = modes(parts, missing, &findings);
    let gaps: OrderedSet<NotChecked> = parts.iter().flat_map(|(_, report)| &report.not_checked).cloned().collect();
    let sum = |count: fn(&Report) -> usize| parts.iter().map(|(_, report)| count(report)).sum();
    let most = |count: fn(&Stats) -> usize| parts.iter().map(|(_, report)| count(&report.stats)).max().unwrap_or(0);
    Ok(Report {
        verdict: verdict.into(),
        strictest_mode: ModeVerdict::strictest(&modes),
        modes,
        upgrade_order: upgrade_order(parts, &problems).into(),
        findings,
        problems,
        not_checked: gaps.into_iter().collect(),
        round_trips: RoundTrips::of_all(parts.iter().map(|(_, report)| *report)),
        stats: Stats {
            files_old: most(|stats| stats.files_old),
            files_new: most(|stats| stats.files_new),
            files_parsed: most(|stats| stats.files_parsed),
            changes: sum(|report| report.stats.changes),
            excluded: pattern.stats.excluded.clone(),
        },
        shard: None,
        plan: parts.iter().find_map(|(_, part)| part.plan.clone()),
        ..pattern.clone()
    })
}

/// A mode passes if it passes in every part, and there is every part. The mode that demands nothing always does.
fn modes(parts: &[(&Shard, &Report)], missing: &[u32], findings: &[Finding]) -> Vec<ModeVerdict> {
    let passes = |mode: &ModeVerdict| {
        let agrees = |other: &ModeVerdict| other.mode == mode.mode && other.passes == mode.passes;
        let everywhere = parts.iter().all(|(_, report)| report.modes.iter().any(agrees));
        mode.passes && everywhere && (missing.is_empty() || mode.mode == Mode::None)
    };
    let of_first = parts[0].1.modes.iter();
    of_first.map(|mode| ModeVerdict::of(mode.mode.clone(), passes(mode), findings)).collect()
}

fn upgrade_order(parts: &[(&Shard, &Report)], problems: &[Problem]) -> UpgradeOrder {
    let is_in_doubt = problems.iter().any(|problem| problem.severity == ProblemSeverity::Error);
    let breaks = |direction: Direction| {
        let is_broken = |shard: &Shard| shard.broken.iter().any(|broken| *broken == direction);
        parts.iter().any(|(shard, report)| is_broken(shard) || report.is_untold(direction))
    };
    // A part in which nobody breaks may still want servers before clients.
    let servers_first = parts.iter().any(|(_, report)| report.upgrade_order == UpgradeOrder::ReadersFirst);
    match (is_in_doubt, breaks(Direction::Backward), breaks(Direction::Forward)) {
        (true, _, _) | (false, true, true) => UpgradeOrder::None,
        (false, true, false) => UpgradeOrder::WritersFirst,
        (false, false, true) => UpgradeOrder::ReadersFirst,
        (false, false, false) if servers_first => UpgradeOrder::ReadersFirst,
        (false, false, false) => UpgradeOrder::Any,
    }
}

/// What was found in a file is all in one part and in order there, so the order of the files is the order of the whole.
/// What concerns no part alone is in each of them, and the same.
fn findings(parts: &[(&Shard, &Report)]) -> Result<Vec<Finding>, Box<Problem>> {
    let mut found: Vec<Finding> = parts.iter().flat_map(|(_, report)| &report.findings).cloned().collect();
    found.sort_in_order_by(|one, other| file_of(one).cmp(&file_of(other)));
    let mut seen: crate::ordered::OrderedMap<&str, &Finding> = crate::ordered::OrderedMap::new();
    let mut again = OrderedSet::new();
    for (index, finding) in found.iter().enumerate() {
        match seen.get(finding.id.as_str()) {
            None => drop(seen.insert(&finding.id, finding)),
            Some(known) if *known == finding => drop(again.insert(index)),
            Some(_) => {
                return Err(refused(
                    format!("two parts tell different things of the finding {}", finding.id),
                    "the reports were changed, or this is a bug in wireproof: please report it",
                ));
            }
        }
    }
    let mut index = 0;
    found.retain(|_| {
        index += 1;
        !again.contains(&(index - 1))
    });
    Ok(found)
}

fn file_of(finding: &Finding) -> Option<&str> {
    finding.place().map(|place| place.file.as_str())
}

fn problems(parts: &[(&Shard, &Report)], missing: &[u32]) -> Vec<Problem> {
    let told = parts.iter().flat_map(|(_, report)| &report.problems).cloned();
    let of = parts[0].0.of;
    let absent = missing.iter().map(|number| {
        Problem::error(
            format!("part {number} of {of} is missing: what it would have found is not known"),
            format!("run the check with `--shard {number}/{of}` as well, and render all {of} parts together"),
        )
    });
    let all: OrderedSet<Problem> = told.chain(absent).collect();
    let mut all: Vec<Problem> = all.into_iter().collect();
    all.sort_in_order_by(|one, other| one.place().cmp(&other.place()));
    all
}
