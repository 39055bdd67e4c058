//! What breaks: findings × policy → severities, the verdict, the mode ladder and the upgrade order.
//!
//! The rules say what readers experience; only here is it decided which of that matters.

mod areas;
mod peer;
mod places;
#[cfg(test)]
mod tests;

use std::borrow::Borrow;

use globset::GlobSet;

use crate::attach::{Finding, Standing};
use crate::change::{ChangeKind, PeerReport};
use crate::evidence::{Direction, Outcome, REFERENCE, Surface};
use crate::ordered::OrderedMap;
use crate::rules::{Class, Origin, POLICY, Rule, Severity};

use crate::vocabulary::vocabulary;
pub use crate::vocabulary::{Mode, UpgradeOrder, Verdict};
use areas::PeerSays;
pub use areas::{Ignored, PeerArea};
pub use peer::{PeerPolicy, ProfilePolicy};
pub use places::Moves;
use places::Place;

vocabulary! {
    /// What the configuration may set a rule or a family to.
    Override {
        /// Breaks.
        Error = "error",
        /// Does not break.
        Warning = "warning",
        /// Does not break.
        Note = "note",
        /// Is not reported.
        Off = "off",
    }
}

/// Formats whose users mean another mode than `full` when they name none: format → mode.
pub const USUAL_MODES: &[(&str, Mode)] = &[("avro", Mode::Backward), ("json-schema", Mode::Backward)];

/// What matters to the user.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Which directions must hold.
    pub mode: Mode,
    /// Formats with a mode of their own.
    pub modes: OrderedMap<&'static str, Mode>,
    /// As whom to judge, if not by our own rules.
    pub profile: Option<ProfilePolicy>,
    /// On which surfaces, in their own order, without repetition.
    pub surfaces: Vec<Surface>,
    /// The outcome from which on a compatibility finding breaks.
    pub fail_on: Outcome,
    /// The configuration's `rules:`: rule id or family → what it is set to. The id wins over the family.
    pub severities: OrderedMap<String, Override>,
    /// The configuration's `unstable:`: what lies in a package that matches is a note.
    pub unstable: GlobSet,
    /// The configuration's `roots:`: folders with terms of their own; the longest one that holds a file counts.
    pub folders: Vec<FolderTerms>,
    /// Parts that are judged as another tool's own configuration says; a profile and modes of folders win over it.
    pub areas: Vec<PeerArea>,
    /// Which of the versions before the one under review is the old side.
    pub reach: Reach,
}

/// Which of the versions before the one under review a comparison is with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    /// With the last one, which counts in every mode.
    #[default]
    Last,
    /// With one before that, which counts in transitive modes only: elsewhere what it finds is a note.
    Earlier,
}

/// A folder with terms of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderTerms {
    /// The folder inside the snapshots; empty for everything.
    pub folder: String,
    /// Which directions must hold here, if not those of the policy.
    pub mode: Option<Mode>,
    /// On which surfaces, if not those of the policy.
    pub surfaces: Option<Vec<Surface>>,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            mode: Mode::Full,
            modes: USUAL_MODES.iter().copied().collect(),
            profile: None,
            surfaces: vec![Surface::Wire],
            fail_on: Outcome::Lossy,
            severities: OrderedMap::new(),
            unstable: GlobSet::empty(),
            folders: Vec::new(),
            areas: Vec::new(),
            reach: Reach::Last,
        }
    }
}

impl Policy {
    /// Which directions must hold for a finding where its element stands now.
    pub(crate) fn mode_of(&self, finding: &Finding<'_>) -> Mode {
        let change = finding.judged.change;
        let file = change.at.new.as_ref().or(change.at.old.as_ref()).map(|site| &*site.file);
        self.mode_in(finding, file)
    }

    fn mode_in(&self, finding: &Finding<'_>, file: Option<&str>) -> Mode {
        // What is said about the safeguards concerns no reader, so no mode can turn it off.
        if is_about_policy(finding) {
            return Mode::Full;
        }
        let of_folder = self.folder_of(file).and_then(|folder| folder.mode);
        of_folder.unwrap_or_else(|| self.mode_for(finding.judged.format))
    }

    /// Whether another tool judges a format.
    pub(crate) fn is_judged_as_another(&self, format: &str) -> bool {
        self.profile.as_ref().is_some_and(|profile| profile.of(format).is_some())
    }

    /// Whether a direction must hold for a format at a place in a file, by what readers experience: where another tool
    /// judges, what it says is known whatever they do.
    pub fn asks(&self, format: &str, file: Option<&str>, direction: Direction) -> bool {
        if self.is_judged_as_another(format) {
            return false;
        }
        let of_folder = self.folder_of(file).and_then(|folder| folder.mode);
        of_folder.unwrap_or_else(|| self.mode_for(format)).directions().contains(&direction)
    }

    /// Which directions must hold for a format, folders aside.
    pub fn mode_for(&self, format: &str) -> Mode {
        self.modes.get(format).copied().unwrap_or(self.mode)
    }

    /// The same with one mode for everything.
    #[must_use]
    pub fn with_mode(self, mode: Mode) -> Self {
        Policy { mode, modes: OrderedMap::new(), ..self }
    }

    /// Whether a mode is in force somewhere in which every earlier version counts.
    pub fn reaches_back(&self) -> bool {
        let of_folders = self.folders.iter().filter_map(|folder| folder.mode);
        [self.mode].into_iter().chain(self.modes.values().copied()).chain(of_folders).any(Mode::is_transitive)
    }

    /// Which surfaces count at a place.
    fn surfaces_of(&self, place: &Place<'_>) -> &[Surface] {
        self.folder_of(place.file()).and_then(|folder| folder.surfaces.as_deref()).unwrap_or(&self.surfaces)
    }

    /// The part with another tool's configuration that a place lies in, where that decides.
    fn area_of(&self, place: &Place<'_>) -> Option<&PeerArea> {
        if self.profile.is_some() || self.folder_of(place.file()).is_some_and(|folder| folder.mode.is_some()) {
            return None;
        }
        let area = areas::area_of(&self.areas, place.sites())?;
        (area.peer.format == place.finding.judged.format).then_some(area)
    }

    /// Whether what another tool reports would be told by that tool, as it is configured here.
    pub fn counts_report(&self, report: &PeerReport) -> bool {
        let at = report.at.as_ref().map(Option::as_ref);
        match (&self.profile, areas::area_of(&self.areas, at)) {
            (Some(profile), _) => !profile.leaves_out(report.tool, report.id),
            (None, Some(area)) if area.peer.tool == report.tool => {
                area.peer.counts(report.tool, report.id) && !area.ignores(report.id, at)
            }
            (None, _) => self.areas.iter().all(|area| area.peer.tool != report.tool),
        }
    }

    /// Why the configuration of another tool makes something else of a finding than its rule would, if it does.
    pub(crate) fn remark(&self, finding: &Finding<'_>) -> Option<Remark<'_>> {
        let place = Place::of(finding);
        let area = self.area_of(&place)?;
        match areas::told(&self.areas, area, &finding.judged.change.reports, place.sites()) {
            PeerSays::Ignored => Some(Remark::Ignored { tool: &area.peer.tool, source: &area.source }),
            PeerSays::Nothing if by_rule(&place, self, self.mode_of(finding)).breaking => {
                Some(Remark::LetThrough { tool: &area.peer.tool, source: &area.source })
            }
            PeerSays::Reported | PeerSays::Nothing => None,
        }
    }

    /// The rules that the configuration makes graver, and that judge what only follows from a finding.
    pub(crate) fn raised_with<'f>(&self, finding: &'f Finding<'_>) -> OrderedMap<&'f str, Override> {
        if configured(&finding.judged.rule, self).is_some() {
            return OrderedMap::new();
        }
        let set = finding.following.iter().filter_map(|one| {
            let chosen = configured(&one.judged.rule, self)?;
            matches!(chosen, Override::Error | Override::Warning).then_some((&*one.judged.rule.id, chosen))
        });
        set.collect()
    }

    fn folder_of(&self, file: Option<&str>) -> Option<&FolderTerms> {
        let file = file?;
        let holds = |terms: &&FolderTerms| {
            terms.folder.is_empty()
                || file.strip_prefix(terms.folder.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.folders.iter().filter(holds).max_by_key(|terms| terms.folder.len())
    }
}

/// What the configuration of another tool does to a finding; each with the tool and the place of that configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remark<'p> {
    /// It has the tool ignore what it would report.
    Ignored {
        /// The tool.
        tool: &'p str,
        /// Where it is configured.
        source: &'p str,
    },
    /// It names no rule of the tool that covers this, and readers are hurt.
    LetThrough {
        /// The tool.
        tool: &'p str,
        /// Where it is configured.
        source: &'p str,
    },
}

/// What a finding amounts to under a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decided {
    /// How much it matters.
    pub severity: Severity,
    /// Whether it breaks.
    pub breaking: bool,
}

/// Everything that follows from findings and policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The answer.
    pub verdict: Verdict,
    /// Per finding; `None` where the configuration turned it off.
    pub decided: Vec<Option<Decided>>,
    /// Every mode that two versions can tell of, and whether it would pass.
    pub modes: Vec<(Mode, bool)>,
    /// Per finding: the modes that would not pass for it alone.
    pub costs: Vec<Vec<Mode>>,
    /// The strictest mode that would pass.
    pub strictest: Mode,
    /// In which order to upgrade.
    pub upgrade_order: UpgradeOrder,
    /// The directions in which readers of data break, whatever the mode: what the order follows from.
    pub broken: Vec<Direction>,
}

/// Whether something stands in the way of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// Nothing does.
    None,
    /// Nothing that was asked; but what readers experience in these directions could not be told: backward, forward.
    Aside([bool; 2]),
    /// An error-severity problem or an unexplained observation.
    CannotTell,
}

impl Doubt {
    /// Whether it could not be told what readers experience in a direction.
    fn is_about(self, direction: Direction) -> bool {
        match (self, direction) {
            (Doubt::None, _) => false,
            (Doubt::CannotTell, _) => true,
            (Doubt::Aside([backward, _]), Direction::Backward) => backward,
            (Doubt::Aside([_, forward]), Direction::Forward) => forward,
        }
    }
}

/// Whether somebody has acknowledged a finding. It keeps its severity and does not break.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Acknowledged {
    /// Nobody has.
    #[default]
    No,
    /// A waiver covers it.
    Yes,
}

/// Decides about everything. What is acknowledged breaks in no mode; what readers experience, and so the order of
/// upgrades, stays as it is. `acknowledged` says it of each finding; what it does not reach is not. `moves` says what
/// came from another file or had another name.
pub fn decide<'f>(
    findings: &[impl Borrow<Finding<'f>>],
    acknowledged: &[Acknowledged],
    policy: &Policy,
    moves: &Moves,
    doubt: Doubt,
) -> Decision {
    let findings: Vec<&Finding<'f>> = findings.iter().map(Borrow::borrow).collect();
    let places: Vec<Vec<Place<'_>>> = findings.iter().map(|finding| places(finding, policy, moves)).collect();
    let under = |asked: Asked| {
        places.iter().enumerate().map(move |(at, places)| {
            let decided = decide_at(places, policy, asked)?;
            let is_waived = acknowledged.get(at) == Some(&Acknowledged::Yes);
            Some(Decided { breaking: decided.breaking && !is_waived, ..decided })
        })
    };
    let is_unseen = under(Asked::Terms).zip(&findings).enumerate().any(|(at, (decided, finding))| {
        let is_loud = decided.is_some_and(|decided| decided.severity == Severity::Error);
        is_loud && is_not_seen(finding) && acknowledged.get(at) != Some(&Acknowledged::Yes)
    });
    let doubt = if is_unseen { Doubt::CannotTell } else { doubt };
    let breaks = |mode: Mode| -> Vec<bool> {
        let felt = places.iter().map(|places| is_felt(places, policy, mode));
        let breaks = under(Asked::Mode(mode)).map(|decided| decided.is_some_and(|decided| decided.breaking));
        breaks.zip(felt).map(|(breaks, felt)| breaks && felt).collect()
    };
    let breaks: Vec<(Mode, Vec<bool>)> = Mode::OF_TWO.iter().map(|mode| (*mode, breaks(*mode))).collect();
    let costs_at = |at: usize| breaks.iter().filter(|(_, breaks)| breaks[at]).map(|(mode, _)| *mode).collect();
    let costs = (0..places.len()).map(costs_at).collect();
    // What could not be told passes nowhere: the one mode that demands nothing aside.
    let is_told = |mode: Mode| mode.directions().iter().all(|direction| !doubt.is_about(*direction));
    let passes = |(mode, breaks): &(Mode, Vec<bool>)| (*mode, is_told(*mode) && !breaks.contains(&true));
    let modes: Vec<(Mode, bool)> = breaks.iter().map(passes).collect();
    let strictest = modes.iter().rev().find(|(_, passes)| *passes).map_or(Mode::None, |(mode, _)| *mode);
    let decided: Vec<Option<Decided>> = under(Asked::Terms).collect();
    let verdict = match (decided.iter().flatten().any(|decided| decided.breaking), doubt) {
        (true, _) => Verdict::Breaking,
        (false, Doubt::CannotTell) => Verdict::Unknown,
        (false, Doubt::None | Doubt::Aside(_)) => Verdict::Compatible,
    };
    let broken = broken(&places, policy);
    let upgrade_order = upgrade_order(&findings, &broken, doubt);
    Decision { verdict, decided, modes, costs, strictest, upgrade_order, broken }
}

/// Whether a break is one that readers feel in a mode. The ladder of modes speaks of readers only: a guard that is missing
/// fails the check and colours no mode. What hides a break from the check is none of these; it breaks in all modes.
fn is_felt(places: &[Place<'_>], policy: &Policy, mode: Mode) -> bool {
    places.iter().any(|place| {
        let is_guard = place.finding.judged.rule.class == Class::Hygiene && !is_about_policy(place.finding);
        let is_ours = policy.profile.is_none() && policy.area_of(place).is_none();
        !(is_guard && is_ours) || by_outcomes(place, policy, mode.directions()).breaking
    })
}

/// Under which mode a finding is looked at.
#[derive(Debug, Clone, Copy)]
enum Asked {
    /// Under the one that the terms have for its place.
    Terms,
    /// Under this one, wherever it stands.
    Mode(Mode),
}

/// Decides about one finding by the terms; `None` when the configuration turned it off.
pub fn decide_one(finding: &Finding<'_>, policy: &Policy, moves: &Moves) -> Option<Decided> {
    decide_at(&places(finding, policy, moves), policy, Asked::Terms)
}

/// Where a finding is judged, and as what. Of a file that moved counts all that only follows from that, as if it were told
/// by itself, so that nothing weighs less for being told together; unless the configuration names the rule of the move.
fn places<'f>(finding: &'f Finding<'f>, policy: &Policy, moves: &Moves) -> Vec<Place<'f>> {
    let is_named = configured(&finding.judged.rule, policy).is_some();
    let following = if is_named { &[] } else { &finding.following[..] };
    let mut places: Vec<Place<'f>> = following.iter().flat_map(|one| moves.places(one)).collect();
    if places.is_empty() || finding.judged.rule.origin == Origin::User {
        places.extend(moves.places(finding));
    }
    places
}

/// The strictest of what is decided at the places of one finding.
fn decide_at(places: &[Place<'_>], policy: &Policy, asked: Asked) -> Option<Decided> {
    let decided = places.iter().filter_map(|place| {
        let mode = match asked {
            Asked::Mode(mode) if !is_about_policy(place.finding) => mode,
            Asked::Mode(_) | Asked::Terms => policy.mode_in(place.finding, place.file()),
        };
        let is_out_of_reach = matches!(asked, Asked::Terms) && policy.reach == Reach::Earlier && !mode.is_transitive();
        let decided = decide_place(place, policy, mode)?;
        Some(if is_out_of_reach { Decided::without_break(Severity::Note) } else { decided })
    });
    // The most severe is the least.
    decided.max_by_key(|decided| (decided.breaking, std::cmp::Reverse(decided.severity)))
}

fn decide_place(place: &Place<'_>, policy: &Policy, mode: Mode) -> Option<Decided> {
    let finding = place.finding;
    let chosen = configured(&finding.judged.rule, policy);
    let profile = policy.profile.as_ref().and_then(|profile| profile.of(finding.judged.format));
    let area = policy.area_of(place);
    let not_shown = profile.is_none() && area.is_none() && finding.standing == Standing::NotShown;
    let quiet = not_shown || is_promised_nothing(place, policy);
    let decided = match chosen {
        Some(Override::Off) => return None,
        _ if quiet => Decided::without_break(Severity::Note),
        Some(Override::Error) => Decided { severity: Severity::Error, breaking: !is_not_seen(finding) },
        Some(Override::Warning) => Decided::without_break(Severity::Warning),
        Some(Override::Note) => Decided::without_break(Severity::Note),
        None => match (profile, area) {
            (Some(profile), _) => by_profile(place, policy, mode, profile),
            (None, Some(area)) => by_area(place, policy, mode, area),
            (None, None) => by_rule(place, policy, mode),
        },
    };
    Some(Decided { breaking: decided.breaking && mode != Mode::None, ..decided })
}

impl Decided {
    const fn without_break(severity: Severity) -> Self {
        Decided { severity, breaking: false }
    }
}

/// What the tool of the profile reports breaks, and nothing else does.
fn by_profile(place: &Place<'_>, policy: &Policy, mode: Mode, profile: &PeerPolicy) -> Decided {
    let in_force = |direction: Option<Direction>| match direction {
        Some(direction) => mode.directions().contains(&direction),
        None => !mode.directions().is_empty(),
    };
    let reported =
        place.finding.judged.peers.iter().any(|peer| profile.counts(&peer.tool, &peer.id) && in_force(peer.direction));
    if reported {
        return Decided { severity: Severity::Error, breaking: true };
    }
    Decided::without_break(by_rule(place, policy, mode).severity.max(Severity::Warning))
}

/// What the tool reports under its own configuration breaks, and nothing else does. What it has no eye for stays a
/// warning; what it was told to leave out is a note.
fn by_area(place: &Place<'_>, policy: &Policy, mode: Mode, area: &PeerArea) -> Decided {
    match areas::told(&policy.areas, area, &place.finding.judged.change.reports, place.sites()) {
        PeerSays::Reported if !mode.directions().is_empty() => Decided { severity: Severity::Error, breaking: true },
        PeerSays::Ignored => Decided::without_break(Severity::Note),
        PeerSays::Reported | PeerSays::Nothing => {
            Decided::without_break(by_rule(place, policy, mode).severity.max(Severity::Warning))
        }
    }
}

fn by_rule(place: &Place<'_>, policy: &Policy, mode: Mode) -> Decided {
    let judged = &place.finding.judged;
    match judged.rule.class {
        Class::Hygiene => {
            let severity = judged.severity.unwrap_or(Severity::Error);
            let stated = Decided { severity, breaking: severity == Severity::Error && !is_not_seen(place.finding) };
            // That a guard is gone makes nothing of what readers feel of it milder.
            let felt = by_outcomes(place, policy, mode.directions());
            if felt.severity < severity && judged.rule.tolerates.is_none() { felt } else { stated }
        }
        Class::Compatibility => {
            let by_outcome = by_outcomes(place, policy, mode.directions());
            match of_members(place.finding, policy) {
                // That a guard is gone breaks, whatever threshold there is for what readers feel.
                Some(severity) if severity <= by_outcome.severity => {
                    Decided { severity, breaking: severity == Severity::Error }
                }
                _ => by_outcome,
            }
        }
    }
}

/// What the outcomes in force come to. One that the rule tolerates only warns, unless it is the very one from which on the
/// policy lets findings break.
fn by_outcomes(place: &Place<'_>, policy: &Policy, directions: &[Direction]) -> Decided {
    let tolerated = place.finding.judged.rule.tolerates.filter(|outcome| *outcome != policy.fail_on);
    let is_tolerated = |outcome: &Outcome| Some(*outcome) == tolerated;
    let in_force = outcomes_in_force(place, policy, directions);
    let worst = in_force.iter().copied().filter(|outcome| !is_tolerated(outcome)).max();
    let decided = by_outcome(worst.unwrap_or(Outcome::Safe), policy.fail_on);
    match in_force.iter().any(is_tolerated) || is_lost_on_the_reference(place, policy, directions) {
        true => Decided { severity: decided.severity.min(Severity::Warning), ..decided },
        false => decided,
    }
}

/// Whether the reference implementation, as modelled, loses or rejects in force what the reader that decides keeps.
fn is_lost_on_the_reference(place: &Place<'_>, policy: &Policy, directions: &[Direction]) -> bool {
    let surfaces = policy.surfaces_of(place);
    place.finding.evidence.iter().any(|shown| {
        shown.outcome >= Outcome::Lossy
            && shown.observation.is_some_and(|seen| seen.runtime == REFERENCE)
            && surfaces.contains(&shown.surface)
            && directions.contains(&shown.direction)
    })
}

/// What a missing guard among the members of a replaced type amounts to: the place has one severity.
fn of_members(finding: &Finding<'_>, policy: &Policy) -> Option<Severity> {
    let guards = finding.judged.members.iter().filter(|member| member.rule.class == Class::Hygiene);
    let severities = guards.filter_map(|member| match configured(&member.rule, policy) {
        Some(Override::Off) => None,
        Some(Override::Error) => Some(Severity::Error),
        Some(Override::Warning) => Some(Severity::Warning),
        Some(Override::Note) => Some(Severity::Note),
        None => Some(member.severity.unwrap_or(Severity::Error)),
    });
    // The most severe is the least.
    severities.min()
}

/// The contract's formula: `error` from `lossy` on, `warning` at `unrecognized`, else a note; an error in any case at
/// or above the threshold, and breaking only there.
fn by_outcome(worst: Outcome, fail_on: Outcome) -> Decided {
    let breaking = worst >= fail_on && worst > Outcome::Safe;
    let severity = match worst {
        _ if breaking => Severity::Error,
        Outcome::Lossy | Outcome::Fails | Outcome::Wrong => Severity::Error,
        Outcome::Unrecognized => Severity::Warning,
        Outcome::Safe | Outcome::Defaulted => Severity::Note,
    };
    Decided { severity, breaking }
}

fn outcomes_in_force(place: &Place<'_>, policy: &Policy, directions: &[Direction]) -> Vec<Outcome> {
    let cells = place.finding.judged.impact.iter();
    let surfaces = policy.surfaces_of(place);
    let in_force = cells.filter(|(surface, direction, _)| surfaces.contains(surface) && directions.contains(direction));
    in_force.map(|(_, _, outcome)| *outcome).collect()
}

fn configured(rule: &Rule, policy: &Policy) -> Option<Override> {
    policy.severities.get(&rule.id).or_else(|| policy.severities.get(&rule.family)).copied()
}

/// Whether a finding is about the safeguards: no mode, package or folder has a say in it.
fn is_about_policy(finding: &Finding<'_>) -> bool {
    finding.judged.format == POLICY && finding.judged.change.kind != ChangeKind::NumberReused
}

/// Whether a finding says that something could not be seen: then nobody knows whether it breaks.
fn is_not_seen(finding: &Finding<'_>) -> bool {
    finding.judged.change.kind == ChangeKind::NotSeen
}

/// Whether a finding is about an element that the team promises nothing of.
fn is_promised_nothing(place: &Place<'_>, policy: &Policy) -> bool {
    !is_about_policy(place.finding) && place.is_in(&policy.unstable)
}

/// Only what readers experience counts here: a missing guard breaks nobody, whatever the order, and what another tool lets
/// through hurts as much as what it reports.
fn broken(places: &[Vec<Place<'_>>], policy: &Policy) -> Vec<Direction> {
    let breaks = |direction: &Direction| {
        // Whatever the class: most hygiene rules claim nothing that hurts, and those that do are heard.
        let hurts = |place: &Place<'_>| counts(place, policy) && by_outcomes(place, policy, &[*direction]).breaking;
        places.iter().any(|places| places.iter().any(hurts))
    };
    Direction::ALL.iter().copied().filter(breaks).collect()
}

/// Whether what a finding claims was shown where it had to be, and the team has not said that it does not count.
fn counts(place: &Place<'_>, policy: &Policy) -> bool {
    let is_taken_back = matches!(
        configured(&place.finding.judged.rule, policy),
        Some(Override::Off | Override::Warning | Override::Note)
    );
    !is_taken_back && !is_promised_nothing(place, policy) && place.finding.standing != Standing::NotShown
}

/// A new method wants its servers first, which is readers first. A direction that could not be told is to be avoided as one
/// that breaks is.
fn upgrade_order(findings: &[&Finding<'_>], broken: &[Direction], doubt: Doubt) -> UpgradeOrder {
    let breaks = |direction: Direction| broken.contains(&direction) || doubt.is_about(direction);
    let servers_first = || {
        let is_new_method = |kind| matches!(kind, ChangeKind::MethodAdded | ChangeKind::ServiceAdded);
        findings.iter().any(|finding| is_new_method(finding.judged.change.kind))
    };
    match (breaks(Direction::Backward), breaks(Direction::Forward)) {
        (true, true) => UpgradeOrder::None,
        (true, false) => UpgradeOrder::WritersFirst,
        (false, true) => UpgradeOrder::ReadersFirst,
        (false, false) if servers_first() => UpgradeOrder::ReadersFirst,
        (false, false) => UpgradeOrder::Any,
    }
}
