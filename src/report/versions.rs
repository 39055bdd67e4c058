//! Several old versions and one new one: what each pair of them showed, put together.
//!
//! Every pair went the whole way of two versions, so nothing is judged again. The report is that of the last old version
//! and the new one, and what an earlier version showed beyond it is added; each finding says with which versions it breaks.

use rustc_hash::FxHashMap;

use super::{
    Finding, FindingVersion, ModeVerdict, NotChecked, Problem, Report, RoundTrips, Stats, Version, model::NOT_SEEN,
};
use crate::ordered::{InOrder, OrderedSet};
use crate::text;
use crate::vocabulary::{Direction, Mode, Open, POLICY, ProblemSeverity, ProblemSide, Severity, UpgradeOrder, Verdict};

/// The rules that call a waiver needless: one that covers what another version shows is not.
const NEEDLESS: [&str; 2] = ["policy/waiver-unused", "policy/waiver-stale"];

/// One old version.
#[derive(Debug, Clone)]
pub struct Compared {
    /// What was read, in words.
    pub name: String,
    /// What its comparison with the new version came to.
    pub found: Found,
}

/// What came of the comparison of an old version with the new one.
#[derive(Debug, Clone)]
pub enum Found {
    /// The report of these two.
    Report(Box<Report>),
    /// The version has the contents of a later one, which stands at this place of the list.
    Same(usize),
    /// The version could not be read: why, and what to do.
    Unread(String, String),
}

/// Which versions decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// The last old one alone; what is found with others is told.
    Last,
    /// All of them: a transitive mode is in force.
    All,
}

/// Puts the comparisons with all old versions, oldest first, into one report; `None` where the last of them has none.
pub fn merge(compared: &[Compared], counting: Counting) -> Option<Report> {
    let all = All { compared, counting };
    let last = all.report(compared.len().checked_sub(1)?)?;
    let findings = all.findings(last);
    let modes = all.modes(last, &findings);
    let problems = all.problems(last);
    let sum = |count: fn(&Report) -> usize| all.judged().map(count).sum();
    Some(Report {
        verdict: all.verdict(last, &findings).into(),
        strictest_mode: ModeVerdict::strictest(&modes),
        modes,
        versions: (0..compared.len()).map(|at| all.version(at)).collect(),
        upgrade_order: all.upgrade_order(last, &problems),
        findings,
        problems,
        not_checked: all.not_checked(last),
        round_trips: RoundTrips::of_all(all.judged()),
        stats: Stats {
            files_old: sum(|report| report.stats.files_old),
            files_new: last.stats.files_new,
            files_parsed: sum(|report| report.stats.files_parsed),
            changes: sum(|report| report.stats.changes),
            excluded: last.stats.excluded.clone(),
        },
        ..last.clone()
    })
}

/// All comparisons, and which of them decide.
struct All<'a> {
    compared: &'a [Compared],
    counting: Counting,
}

impl<'a> All<'a> {
    /// Where the comparison stands that a version shares, and its own place where it shares none.
    fn judged_at(&self, at: usize) -> usize {
        match self.compared.get(at).map(|one| &one.found) {
            Some(Found::Same(later)) if *later > at => self.judged_at(*later),
            Some(Found::Report(_) | Found::Same(_) | Found::Unread(..)) | None => at,
        }
    }

    fn report(&self, at: usize) -> Option<&'a Report> {
        match &self.compared.get(self.judged_at(at))?.found {
            Found::Report(report) => Some(report),
            Found::Same(_) | Found::Unread(..) => None,
        }
    }

    /// The reports, each once, oldest first.
    fn judged(&self) -> impl Iterator<Item = &'a Report> {
        self.compared.iter().filter_map(|one| match &one.found {
            Found::Report(report) => Some(&**report),
            Found::Same(_) | Found::Unread(..) => None,
        })
    }

    /// The versions before the last, each that was compared by itself.
    fn earlier(&self) -> impl DoubleEndedIterator<Item = &'a Compared> {
        let own = self.judged_at(self.compared.len().saturating_sub(1));
        let is_earlier = move |(at, one): &(usize, &Compared)| *at != own && !matches!(one.found, Found::Same(_));
        self.compared.iter().enumerate().filter(is_earlier).map(|(_, one)| one)
    }

    /// What the last version showed, and what only earlier ones did, in the order of reports.
    fn findings(&self, last: &Report) -> Vec<Finding> {
        let mut found: Vec<Finding> = last.findings.clone();
        let mut places: FxHashMap<&str, usize> =
            last.findings.iter().enumerate().map(|(at, finding)| (finding.id.as_str(), at)).collect();
        for report in self.earlier().rev().filter_map(|one| one.report()) {
            for finding in report.findings.iter().filter(|finding| finding.format != POLICY) {
                match places.get(finding.id.as_str()) {
                    Some(at) => graver(&mut found[*at], finding),
                    None => {
                        places.insert(&finding.id, found.len());
                        found.push(finding.clone());
                    }
                }
            }
        }
        let by_id: Vec<Option<FxHashMap<&str, &Finding>>> = (0..self.compared.len())
            .map(|at| Some(self.report(at)?.findings.iter().map(|one| (one.id.as_str(), one)).collect()))
            .collect();
        let doubts: Vec<bool> = self.compared.iter().map(|one| one.doubt().is_some()).collect();
        for finding in &mut found {
            let mut costs: OrderedSet<Open<Mode>> = OrderedSet::new();
            let of_last = by_id.last().and_then(Option::as_ref).and_then(|last| last.get(finding.id.as_str()));
            costs.extend(of_last.iter().flat_map(|one| one.costs.iter().cloned()));
            let of_any = by_id.iter().flatten().filter_map(|known| known.get(finding.id.as_str()));
            costs.extend(of_any.flat_map(|one| one.costs.iter().filter_map(transitive)));
            finding.costs = costs.into_iter().collect();
            if finding.format != POLICY {
                let shown = self.compared.iter().zip(&by_id);
                let shown = shown.zip(&doubts).map(|((one, known), doubt)| {
                    // What is not established may hold it.
                    let known = known.as_ref().filter(|known| !doubt || known.contains_key(finding.id.as_str()));
                    with(one, known, &finding.id)
                });
                finding.versions = shown.collect();
            }
        }
        forget_needless(&mut found);
        found.sort_in_order_by(|one, other| place(one).cmp(&place(other)));
        found
    }

    /// The modes of two versions, of the last; then the transitive ones, which pass where each version passes.
    fn modes(&self, last: &Report, findings: &[Finding]) -> Vec<ModeVerdict> {
        let of_last = last.modes.iter().map(|rung| ModeVerdict::of(rung.mode.clone(), rung.passes, findings));
        let transitive = Mode::OF_TWO.iter().filter_map(|mode| Some((*mode, mode.transitive()?)));
        let everywhere = transitive.map(|(mode, transitive)| {
            let passes = (0..self.compared.len()).all(|at| self.report(at).is_some_and(|one| passes(one, mode)));
            ModeVerdict::of(transitive.into(), passes, findings)
        });
        of_last.chain(everywhere).collect()
    }

    fn version(&self, at: usize) -> Version {
        let told = |mode: Mode| match self.report(at) {
            None => Verdict::Unknown,
            Some(report) if passes(report, mode) => Verdict::Compatible,
            Some(report) if report.findings.iter().any(|one| one.costs.contains(&mode.into())) => Verdict::Breaking,
            Some(_) => Verdict::Unknown,
        };
        let shared = self.judged_at(at);
        Version {
            name: self.compared[at].name.clone(),
            backward: told(Mode::Backward).into(),
            forward: told(Mode::Forward).into(),
            same_as: (shared != at).then(|| self.compared[shared].name.clone()),
        }
    }

    fn verdict(&self, last: &Report, findings: &[Finding]) -> Verdict {
        let in_doubt = self.counting == Counting::All && self.earlier().any(|one| one.doubt().is_some());
        match &last.verdict {
            _ if findings.iter().any(|finding| finding.breaking) => Verdict::Breaking,
            Open::Known(Verdict::Compatible) if !in_doubt => Verdict::Compatible,
            Open::Known(Verdict::Compatible | Verdict::Breaking | Verdict::Unknown) | Open::Unknown(_) => {
                Verdict::Unknown
            }
        }
    }

    /// In which order to upgrade so that no version in force breaks.
    fn upgrade_order(&self, last: &Report, problems: &[Problem]) -> Open<UpgradeOrder> {
        if self.counting == Counting::Last {
            return last.upgrade_order.clone();
        }
        if problems.iter().any(|problem| problem.severity == ProblemSeverity::Error) {
            return UpgradeOrder::None.into();
        }
        let any = |order: UpgradeOrder| self.judged().any(|report| report.upgrade_order == order);
        let breaks = |direction| self.judged().any(|report| is_broken(report, direction));
        match (breaks(Direction::Backward), breaks(Direction::Forward)) {
            _ if any(UpgradeOrder::None) => UpgradeOrder::None,
            (true, true) => UpgradeOrder::None,
            (true, false) => UpgradeOrder::WritersFirst,
            (false, true) => UpgradeOrder::ReadersFirst,
            (false, false) if any(UpgradeOrder::ReadersFirst) => UpgradeOrder::ReadersFirst,
            (false, false) => UpgradeOrder::Any,
        }
        .into()
    }

    /// The problems of the last version, and one for each earlier one that is not established.
    fn problems(&self, last: &Report) -> Vec<Problem> {
        let severity = match self.counting {
            Counting::All => ProblemSeverity::Error,
            Counting::Last => ProblemSeverity::Warning,
        };
        let of_earlier = self.earlier().filter_map(|one| {
            let first = one.doubt()?;
            let message = format!("the version `{}` is not established: {}", one.name, first.message);
            Some(Problem { severity: severity.into(), message, ..first })
        });
        let all: OrderedSet<Problem> = last.problems.iter().cloned().chain(of_earlier).collect();
        let mut all: Vec<Problem> = all.into_iter().collect();
        all.sort_in_order_by(|one, other| one.place().cmp(&other.place()));
        all
    }

    /// What the last version did not cover, what only others did not, and the versions that are not established.
    fn not_checked(&self, last: &Report) -> Vec<NotChecked> {
        let mut gaps: OrderedSet<NotChecked> = last.not_checked.iter().cloned().collect();
        for one in self.earlier() {
            if one.doubt().is_some() {
                let what = format!("the version `{}`: it is not established", one.name);
                let help = "mend it or leave it out; the other versions are judged without it".to_owned();
                gaps.insert(NotChecked { file: String::new(), what, help });
            }
            let of_it = one.report().into_iter().flat_map(|report| &report.not_checked);
            for gap in of_it.filter(|gap| !last.not_checked.contains(gap)) {
                gaps.insert(NotChecked { what: format!("{} (with `{}`)", gap.what, one.name), ..gap.clone() });
            }
        }
        gaps.into_iter().collect()
    }
}

impl Compared {
    fn report(&self) -> Option<&Report> {
        match &self.found {
            Found::Report(report) => Some(report),
            Found::Same(_) | Found::Unread(..) => None,
        }
    }

    /// The first reason why this version is not established, if it is not. What is wrong on the new side alone is told
    /// of that side.
    fn doubt(&self) -> Option<Problem> {
        let report = match &self.found {
            Found::Report(report) => report,
            Found::Same(_) => return None,
            Found::Unread(message, help) => return Some(Problem::error(message.clone(), help.clone())),
        };
        let is_new = |problem: &Problem| problem.side == Some(ProblemSide::New.into());
        let mut wrong =
            report.problems.iter().filter(|problem| problem.severity == ProblemSeverity::Error && !is_new(problem));
        if let Some(first) = wrong.next() {
            let more = wrong.count();
            let others =
                if more > 0 { format!(" (and {} more)", text::plural(more, "problem")) } else { String::new() };
            return Some(Problem { message: format!("{}{others}", first.message), ..first.clone() });
        }
        let unseen = report.findings.iter().find(|finding| finding.rule == NOT_SEEN && finding.is_in_doubt());
        unseen.map(|finding| Problem::error(finding.message.clone(), finding.fix.clone()))
    }
}

fn passes(report: &Report, mode: Mode) -> bool {
    report.modes.iter().any(|rung| rung.mode == mode && rung.passes)
}

/// Whether readers break in a direction, or it could not be told: what is waived counts too, as they feel it all the same.
fn is_broken(report: &Report, direction: Direction) -> bool {
    let (mode, order) = match direction {
        Direction::Backward => (Mode::Backward, UpgradeOrder::WritersFirst),
        Direction::Forward => (Mode::Forward, UpgradeOrder::ReadersFirst),
    };
    let hurts = |finding: &Finding| {
        let felt = |cell: &super::Cell| {
            cell.direction == direction && report.surfaces.contains(&cell.surface) && cell.outcome >= report.fail_on
        };
        finding.waiver.is_some() && finding.impact.iter().any(felt)
    };
    let costs = |finding: &Finding| finding.costs.contains(&mode.into());
    let is_known = || report.findings.iter().any(|finding| costs(finding) || hurts(finding));
    report.upgrade_order == order && (is_known() || report.is_untold(direction))
}

fn transitive(mode: &Open<Mode>) -> Option<Open<Mode>> {
    match mode {
        Open::Known(mode) => mode.transitive().map(Into::into),
        Open::Unknown(_) => None,
    }
}

/// What a finding is to one version.
fn with(one: &Compared, known: Option<&FxHashMap<&str, &Finding>>, id: &str) -> FindingVersion {
    let found = known.and_then(|known| known.get(id));
    let told = |mode: Mode| match (known, found) {
        (None, _) => Verdict::Unknown,
        (Some(_), Some(finding)) if finding.costs.contains(&mode.into()) => Verdict::Breaking,
        (Some(_), Some(_) | None) => Verdict::Compatible,
    };
    FindingVersion {
        name: one.name.clone(),
        found: found.is_some(),
        breaking: found.is_some_and(|finding| finding.breaking),
        backward: told(Mode::Backward).into(),
        forward: told(Mode::Forward).into(),
    }
}

/// Takes out what calls waivers needless that cover something.
pub(super) fn forget_needless(found: &mut Vec<Finding>) {
    let waivers = found.iter().filter_map(|one| one.waiver.as_ref());
    let used: OrderedSet<(String, u32)> = waivers.map(|waiver| (waiver.file.clone(), waiver.line)).collect();
    let is_needless = |one: &Finding| {
        let at = one.new.as_ref().map(|at| (at.file.clone(), at.line));
        NEEDLESS.contains(&&*one.rule) && at.is_some_and(|at| used.contains(&at))
    };
    found.retain(|one| !is_needless(one));
}

/// Makes one finding of two with the same id, seen with two versions: the graver one, and what the other one adds to it.
pub(super) fn graver(kept: &mut Finding, earlier: &Finding) {
    if earlier.severity == Severity::Note {
        return;
    }
    let weight = |finding: &Finding| (!finding.breaking, finding.severity.clone());
    let other = match weight(earlier) < weight(kept) {
        true => std::mem::replace(kept, earlier.clone()),
        false => earlier.clone(),
    };
    for cell in other.impact {
        let is_it = |known: &&mut super::Cell| known.surface == cell.surface && known.direction == cell.direction;
        let Some(known) = kept.impact.iter_mut().find(is_it).filter(|known| known.outcome < cell.outcome) else {
            continue;
        };
        known.outcome = cell.outcome;
        let shown = other.evidence.iter();
        let shown = shown.filter(|seen| seen.surface == cell.surface && seen.direction == cell.direction);
        kept.evidence.extend(shown.cloned());
    }
}

/// By what findings are sorted: file, position, rule.
pub(super) fn place(finding: &Finding) -> impl Ord + '_ {
    let at = finding.place().map(|at| (&at.file, at.line, at.column, at.end_line, at.end_column));
    (at, &finding.rule, &finding.path)
}
