//! The program as one line: load → parse → link → diff → judge → probe → attach → waive → decide → report.
//!
//! Loading is the caller's; parsing, linking, comparing and the round trips are each language's. No disk, no network, no
//! clock.

mod base_terms;

pub use self::base_terms::{BaseTerms, let_pass};
pub use crate::assemble::Input;

use std::cell::OnceCell;
use std::sync::Arc;

use self::base_terms::{Present, let_through};
use crate::assemble::{Concluded, assemble, witness_bytes};
use crate::attach::{Attached, Finding, attach};
use crate::change::{Identity, Pair, Side};
use crate::evidence::{Direction, Observation};
use crate::formats::{CheckOptions, Checked, Format, check_pair, formats_of, unknown_root};
use crate::judge::{Judgement, judge};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::report::{Report, Shard};
use crate::rules::{Origin, POLICY, Rule, RuleSet};
use crate::safeguards::{Safeguards, Scope};
use crate::shard::Elsewhere;
use crate::snapshot::Snapshot;
use crate::syntax::problem::{Problem, Severity};
use crate::unseen;
use crate::verdict::{Doubt, Policy};
use crate::vocabulary::ProblemSeverity;
use crate::waive::{Identifying, about_policy};

/// More unexplained observations than this are counted only.
const UNEXPLAINED_SHOWN: usize = 20;

/// Compares two snapshots in some formats and reports what it means.
pub fn check_snapshots(
    pair: Pair<&Snapshot>,
    formats: &[Format],
    options: &CheckOptions,
    rules: &RuleSet,
    policy: &Policy,
    labels: Pair<String>,
) -> Report {
    let part = |part: crate::formats::Part| Shard {
        number: part.number,
        of: part.of,
        inputs: String::new(),
        broken: Vec::new(),
    };
    let input = Input {
        shows_diffs: true,
        snapshots: pair,
        library: &options.library,
        checked: &check_formats(pair, formats, options),
        rules,
        policy,
        labels,
        arguments: Vec::new(),
        again: None,
        problems: Vec::new(),
        not_checked: Vec::new(),
        safeguards: &Safeguards::default(),
        unseen: &unseen::told(pair, &OrderedSet::new()),
        shard: options.part.map(part),
    };
    report(&input, None)
}

/// What each format finds out about two snapshots: parse → link → diff → probe.
pub fn check_formats(pair: Pair<&Snapshot>, formats: &[Format], options: &CheckOptions) -> Vec<(Format, Checked)> {
    let differing = if options.is_narrow() { differing(pair) } else { None };
    let counts = OnceCell::new();
    let counted = |format: Format| {
        let counts: &Pair<OrderedMap<Format, usize>> = counts.get_or_init(|| pair.map(counts_of));
        counts.as_ref().map(|side| side.get(&format).copied().unwrap_or_default())
    };
    // So few files of a format that they are looked at without need.
    let is_few = |format: Format| (1..=options.few).contains(&counted(format).new);
    let check = |format: Format| match &differing {
        Some(differing) if differing.is_empty() || !differing.contains(&format) && !is_few(format) => {
            Checked { files: counted(format), ..Checked::default() }
        }
        Some(_) | None => check_pair(format, pair, options),
    };
    let mut checked: Vec<(Format, Checked)> = formats.iter().map(|format| (*format, check(*format))).collect();
    // A root that one language declares is none of the others' business.
    let is_unknown = |root: &&String| checked.iter().all(|(_, checked)| checked.unknown_roots.contains(root));
    let unknown: Vec<_> = options.roots.iter().filter(is_unknown).map(|root| unknown_root(root, pair)).collect();
    if let Some((_, first)) = checked.first_mut() {
        first.problems.new.extend(unknown);
    }
    checked
}

/// The formats of which a file is not the same on both sides, where these differ in schemas alone; `None` where anything
/// else does: what says how schemas are found, or what cannot be seen.
fn differing(pair: Pair<&Snapshot>) -> Option<OrderedSet<Format>> {
    if !pair.old.has_roles_of(pair.new) {
        return None;
    }
    let formats = |path: &str| match pair.new.get(path) {
        Some(_) => formats_of(pair.new, path),
        None => formats_of(pair.old, path),
    };
    let mut differing = OrderedSet::new();
    for path in pair.old.differing(pair.new) {
        let formats = formats(path);
        if formats.is_empty() {
            return None;
        }
        differing.extend(formats);
    }
    Some(differing)
}

/// How many files of each format are judged; none is read for that.
fn counts_of(side: &Snapshot) -> OrderedMap<Format, usize> {
    let mut of_extensions: OrderedMap<&str, usize> = OrderedMap::new();
    side.extensions().for_each(|(extension, count)| *of_extensions.entry(extension).or_default() += count);
    let (mut counts, mut unclear): (OrderedMap<Format, usize>, OrderedSet<&str>) = Default::default();
    for (extension, count) in of_extensions {
        match Format::of_extension(extension) {
            Some(format) => *counts.entry(format).or_default() += count,
            None => _ = unclear.insert(extension),
        }
    }
    let unclear = &unclear;
    let others = side.with_extension(move |extension| unclear.contains(extension));
    let others = others.filter_map(|(path, _)| Some((path, Format::of_path(path)?)));
    let by_own_name = |path: &Arc<str>, format: &Format| formats_of(side, path).contains(format);
    for (_, format) in others.filter(|(path, format)| by_own_name(path, format)) {
        *counts.entry(format).or_default() += 1;
    }
    for (path, format) in side.called().flat_map(|path| formats_of(side, path).into_iter().map(move |of| (path, of))) {
        *counts.entry(format).or_default() += usize::from(Format::of_path(path) != Some(format));
    }
    for format in side.lent_paths().flat_map(|path| formats_of(side, path)) {
        counts.entry(format).and_modify(|count| *count -= 1);
    }
    counts.retain(|_, count| *count > 0);
    counts
}

/// What it all means: judge → attach → waive → decide → report. With the terms of the base, what passes only because
/// the change loosens them is a finding as well.
pub fn report(input: &Input<'_>, base: Option<&BaseTerms<'_>>) -> Report {
    let elsewhere = Elsewhere::of(input.checked.iter().map(|(_, checked)| checked));
    let mut problems = input_problems(input);

    let judged = judged(input.checked, input.rules);
    let loosened = judge(POLICY, &input.safeguards.loosened, input.rules);
    let unseen = judge(POLICY, &input.unseen.changes, input.rules);
    let of_rules = judged.iter().flat_map(|(_, judgement)| &judgement.problems);
    let of_rules = of_rules.chain(&loosened.problems).chain(&unseen.problems);
    problems.extend(of_rules.map(|problem| (None, problem.clone())));

    let attached = attached(judged);
    // What nobody asked about makes no verdict unknown.
    let (unexplained, aside): (Vec<&Observation>, Vec<&Observation>) =
        attached.unexplained.iter().partition(|seen| input.policy.surfaces.contains(&seen.surface));
    let own = own_rules(&attached.findings);
    for (seen, severity) in [(&unexplained, Severity::Error), (&aside, Severity::Warning)] {
        problems.extend(unexplained_problems(seen, severity, &own).into_iter().map(|problem| (None, problem)));
    }

    let (undecided, aside) = undecided(input);
    problems.extend(undecided);

    let mut identifying = Identifying::default();
    identifying.add(attached.findings);
    let present =
        Present { findings: &identifying.findings, policy: input.policy, problems: &problems, elsewhere: &elsewhere };
    let through = base.map(|base| let_through(base, input.safeguards, &present)).unwrap_or_default();
    identifying.add(about_policy(judge(POLICY, &through, input.rules)));
    identifying.add(about_policy(loosened));
    identifying.add(about_policy(unseen));
    let scope = if is_in_doubt(&problems) { Scope::Part } else { input.safeguards.scope };
    let waivers = identifying.waive(input.safeguards, input.snapshots, scope);
    let about_waivers = judge(POLICY, &waivers.changes, input.rules);
    problems.extend(about_waivers.problems.iter().map(|problem| (None, problem.clone())));
    identifying.add(about_policy(about_waivers));
    let findings = identifying.in_order(|change| elsewhere.is_changed_here(change));

    // What passes through the change of terms was not looked into by these terms.
    let aside = if through.is_empty() { aside } else { [true; 2] };
    let doubt = match (is_in_doubt(&problems), aside) {
        (true, _) => Doubt::CannotTell,
        (false, [false, false]) => Doubt::None,
        (false, aside) => Doubt::Aside(aside),
    };
    let decision = elsewhere.decide(&findings, input.policy, doubt);

    let (unexplained, untold) = (unexplained.len(), waivers.untold);
    assemble(input, Concluded { findings, decision, problems, unexplained, untold, elsewhere })
}

type JudgedFormat<'a> = (&'a Checked, Judgement<'a>);

fn judged<'a>(checked: &'a [(Format, Checked)], rules: &RuleSet) -> Vec<JudgedFormat<'a>> {
    checked.iter().map(|(format, checked)| (checked, judge(format.name(), &checked.changes, rules))).collect()
}

fn attached(judged: Vec<JudgedFormat<'_>>) -> Attached<'_> {
    let mut attached = Attached::default();
    for (checked, judgement) in judged {
        let of_format = attach(judgement.judged, &checked.observed);
        attached.findings.extend(of_format.findings);
        attached.unexplained.extend(of_format.unexplained);
    }
    attached
}

fn is_in_doubt(problems: &[(Option<Side>, Problem)]) -> bool {
    problems.iter().any(|(_, problem)| problem.severity.reported() == ProblemSeverity::Error)
}

/// What the round trips looked into and could not tell: an error where the direction has to hold, else a warning. And in
/// which directions there is any of the second sort.
fn undecided(input: &Input<'_>) -> (Vec<(Option<Side>, Problem)>, [bool; 2]) {
    let (mut problems, mut aside) = (Vec::new(), [false, false]);
    // Several changes of one schema are one question.
    let mut said: OrderedSet<(&str, Severity)> = OrderedSet::new();
    for (format, checked) in input.checked {
        for undecided in &checked.observed.undecided {
            // What is gone is shown where it was.
            let (side, site) = match &undecided.at {
                Pair { new: None, old: Some(old) } => (Side::Old, Some(old)),
                Pair { new, .. } => (Side::New, new.as_ref()),
            };
            let is_asked = input.policy.asks(format.name(), site.map(|site| &*site.file), undecided.direction);
            let severity = if is_asked { Severity::Error } else { Severity::Warning };
            aside[usize::from(undecided.direction == Direction::Forward)] |= !is_asked;
            if undecided.is_told || !said.insert((&undecided.message, severity)) {
                continue;
            }
            let (message, help) = (undecided.message.clone(), undecided.help.clone());
            problems.push((Some(side), Problem { severity, site: site.cloned(), message, help }));
        }
    }
    (problems, aside)
}

fn input_problems(input: &Input<'_>) -> Vec<(Option<Side>, Problem)> {
    let mut problems: Vec<(Option<Side>, Problem)> =
        input.problems.iter().map(|problem| (None, problem.clone())).collect();
    for (_, checked) in input.checked {
        for side in [Side::Old, Side::New] {
            problems.extend(checked.problems.side(side).iter().map(|problem| (Some(side), problem.clone())));
        }
    }
    problems
}

/// The rules of the user's own that judge elements.
fn own_rules<'f>(findings: &'f [Finding<'_>]) -> OrderedMap<&'f Identity, Arc<Rule>> {
    let judged = findings.iter().map(|finding| &finding.judged);
    let own = judged.filter(|judged| judged.rule.origin == Origin::User);
    own.map(|judged| (&judged.change.identity, judged.rule.clone())).collect()
}

/// What no finding accounts for is our bug, or that of a rule of the user's own, and the verdict says that it could not be
/// told.
fn unexplained_problems(
    unexplained: &[&Observation],
    severity: Severity,
    own: &OrderedMap<&Identity, Arc<Rule>>,
) -> Vec<Problem> {
    const OURS: &str = "this is a bug in wireproof, please report it with the two schemas";
    let problem = |message: String, rule: Option<&Arc<Rule>>| Problem {
        severity,
        site: None,
        message,
        help: match rule {
            Some(rule) => {
                format!(
                    "your own rule `{}` in {} claims less than this: let it claim what the bytes show",
                    rule.id, rule.file
                )
            }
            None => OURS.to_owned(),
        },
    };
    let shown = unexplained.iter().take(UNEXPLAINED_SHOWN);
    let shown = shown.map(|seen| problem(unexplained_message(seen), own.get(&seen.identity)));
    let left = unexplained.len().saturating_sub(UNEXPLAINED_SHOWN);
    let first = unexplained.first().and_then(|seen| own.get(&seen.identity));
    let rest = (left > 0).then(|| problem(format!("{left} more observed outcomes are unexplained"), first));
    shown.chain(rest).collect()
}

fn unexplained_message(seen: &Observation) -> String {
    format!(
        "an observed outcome is unexplained: {} {} of `{}` was {}; wrote `{}` {} (bytes {}), read {}",
        seen.surface,
        seen.direction,
        seen.identity,
        seen.outcome,
        seen.witness.type_name,
        seen.witness.wrote,
        witness_bytes(seen),
        seen.witness.read,
    )
}
