//! What a change does to the gate itself: which findings a waiver covers, and the findings about waivers.
//!
//! Data in, data out: the files were read and the day was asked for at the edge. Whether a covered finding breaks is
//! decided in `verdict` alone; here only ids meet. An id covers exactly itself: nothing is matched by likeness.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair, Site, Span};
use crate::date::Date;
use crate::failure::nearest;
use crate::source::Snapshot;

/// One entry of a waiver file, valid: the id has its form, the reason says something, the last day exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiver {
    /// The finding's id.
    pub id: String,
    /// Why the break is intended.
    pub reason: String,
    /// Who answers for it.
    pub owner: Option<String>,
    /// The last day on which it counts.
    pub until: Option<Date>,
    /// The finding's rule as the entry has it, for those who read the file.
    pub rule: Option<String>,
    /// The finding's element as the entry has it.
    pub path: Option<String>,
    /// The line of the entry, from 1.
    pub line: u32,
    /// Where its id stands.
    pub span: Span,
    /// Where its last day stands.
    pub until_span: Option<Span>,
}

/// A waiver file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WaiverFile {
    /// Its path as reports spell it.
    pub path: Arc<str>,
    /// Its entries, in their order.
    pub waivers: Vec<Waiver>,
}

/// Whether everything was compared that a waiver could speak of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scope {
    /// A waiver that matches nothing is not needed.
    Whole,
    /// It may well belong to what was left out.
    #[default]
    Part,
}

/// What the gate is made of, beside rules and terms.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    /// Today, in UTC.
    pub today: Date,
    /// The waivers in force.
    pub waivers: WaiverFile,
    /// The ids that the waiver file of the old side has; `None` where there is none to compare with.
    pub known: Option<BTreeSet<String>>,
    /// Where the configuration is looser than that of the old side.
    pub loosened: Vec<Change>,
    /// The configuration and the waiver file of both sides, for excerpts.
    pub files: Pair<Snapshot>,
    /// Whether everything was compared.
    pub scope: Scope,
}

/// A finding, as far as waivers care.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its rule.
    pub rule: &'a str,
    /// Its element.
    pub path: &'a str,
}

impl Gate {
    /// The waiver that covers a finding today.
    pub fn waiver_of(&self, finding: Known<'_>) -> Option<&Waiver> {
        let entry = self.waivers.waivers.iter().find(|waiver| waiver.id == finding.id)?;
        (entry.is_of(finding) && entry.counts_on(self.today)).then_some(entry)
    }

    /// Whether a waiver came with the very change.
    pub fn is_added(&self, waiver: &Waiver) -> bool {
        self.known.as_ref().is_some_and(|known| !known.contains(&waiver.id))
    }

    /// Waivers that match no finding, although nothing says that they are needed no more.
    pub fn untold(&self, findings: &[Known<'_>], scope: Scope) -> usize {
        let unmatched = |waiver: &&Waiver| findings.iter().all(|finding| finding.id != waiver.id);
        match scope {
            Scope::Part if self.known.is_some() => self.waivers.waivers.iter().filter(unmatched).count(),
            Scope::Whole | Scope::Part => 0,
        }
    }

    /// What there is to say about the waivers themselves: those that are new, that ended, that match nothing.
    pub fn changes(&self, findings: &[Known<'_>], scope: Scope) -> Vec<Change> {
        self.waivers.waivers.iter().filter_map(|waiver| self.change(waiver, findings, scope)).collect()
    }

    fn change(&self, waiver: &Waiver, findings: &[Known<'_>], scope: Scope) -> Option<Change> {
        let about = |kind, path: &str| self.about(waiver, kind, path);
        let mut same_id = findings.iter().filter(|finding| finding.id == waiver.id);
        if let Some(finding) = same_id.next() {
            return match waiver.until {
                _ if !waiver.is_of(*finding) => {
                    let hint = format!("The id is that of `{}` at `{}`.", finding.rule, finding.path);
                    Some(about(ChangeKind::WaiverUnused, &waiver.id).stating(FactKey::Hint, hint))
                }
                Some(until) if !waiver.counts_on(self.today) => {
                    let since = match until.days_until(self.today) {
                        1 => "yesterday".to_owned(),
                        days => format!("{days} days ago"),
                    };
                    let change = about(ChangeKind::WaiverExpired, finding.path).stating(FactKey::Rule, finding.rule);
                    Some(change.stating(FactKey::Until, until.to_string()).stating(FactKey::Since, since))
                }
                _ if self.is_added(waiver) => {
                    let change = about(ChangeKind::WaiverAdded, finding.path).stating(FactKey::Rule, finding.rule);
                    Some(change.stating(FactKey::Terms, waiver.terms()))
                }
                _ => None,
            };
        }
        match (scope, &self.known) {
            (Scope::Part, _) | (_, None) => None,
            (Scope::Whole, Some(known)) if known.contains(&waiver.id) => {
                Some(about(ChangeKind::WaiverStale, &waiver.id).stating(FactKey::Name, waiver.subject()))
            }
            (Scope::Whole, Some(_)) => {
                Some(about(ChangeKind::WaiverUnused, &waiver.id).stating(FactKey::Hint, hint(&waiver.id, findings)))
            }
        }
    }

    fn about(&self, waiver: &Waiver, kind: ChangeKind, path: &str) -> Change {
        let site = Site { file: self.waivers.path.clone(), span: waiver.span };
        let reason: Vec<&str> = waiver.reason.split_whitespace().collect();
        Change {
            kind,
            path: path.to_owned(),
            identity: Identity(format!("waiver {}", waiver.id)),
            at: Pair::new(None, Some(site)),
            facts: Facts::none().with(FactKey::Waiver, &*waiver.id).with(FactKey::Reason, reason.join(" ")),
            suggestion: None,
            reports: Vec::new(),
        }
    }
}

impl Waiver {
    /// Whether it still counts on a day: the last day does.
    pub fn counts_on(&self, day: Date) -> bool {
        self.until.is_none_or(|until| day <= until)
    }

    /// Whether what the entry says about its finding is true. Reviewers go by these words and not by an id, so an
    /// entry that speaks of something else covers nothing.
    fn is_of(&self, finding: Known<'_>) -> bool {
        self.rule.as_deref().is_none_or(|rule| rule == finding.rule)
            && self.path.as_deref().is_none_or(|path| path == finding.path)
    }

    /// Who answers for it and how long it counts, in words.
    fn terms(&self) -> String {
        let owner = self.owner.as_ref().map_or_else(|| "nobody named as owner".to_owned(), |who| format!("by {who}"));
        let until = self.until.map_or_else(|| "without an end".to_owned(), |until| format!("until {until}"));
        format!("{owner}, {until}")
    }

    /// What the entry says it is about.
    fn subject(&self) -> String {
        match (&self.rule, &self.path) {
            (Some(rule), Some(path)) => format!("`{path}` ({rule})"),
            (None, Some(path)) => format!("`{path}`"),
            (Some(rule), None) => format!("a finding of {rule}"),
            (None, None) => "a finding".to_owned(),
        }
    }
}

/// Which finding an id was most likely meant for.
fn hint(id: &str, findings: &[Known<'_>]) -> String {
    match nearest(id, findings.iter().map(|finding| finding.id)) {
        Some(near) => {
            let meant = findings.iter().find(|finding| finding.id == near);
            let what = meant.map(|meant| format!(" (`{}` at `{}`)", meant.rule, meant.path)).unwrap_or_default();
            format!("The nearest id of a finding is `{near}`{what}.")
        }
        None if findings.is_empty() => "This change has no findings at all.".to_owned(),
        None => "No finding has an id like it.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUND: Known<'_> = Known { id: "9c1f03ab27de", rule: "protobuf/field-reused", path: "shop.Order.note" };

    fn waiver(id: &str, until: Option<&str>) -> Waiver {
        Waiver {
            id: id.to_owned(),
            reason: "the old app is gone".to_owned(),
            owner: Some("payments".to_owned()),
            until: until.map(|day| Date::parse(day).expect("a day")),
            rule: None,
            path: None,
            line: 3,
            span: Span::new(8, 20),
            until_span: None,
        }
    }

    fn gate(waiver: Waiver, known: &[&str]) -> Gate {
        Gate {
            today: Date::parse("2026-06-15").expect("a day"),
            waivers: WaiverFile { path: "waivers.yaml".into(), waivers: vec![waiver] },
            known: Some(known.iter().map(|id| (*id).to_owned()).collect()),
            scope: Scope::Whole,
            ..Gate::default()
        }
    }

    fn kinds(gate: &Gate, findings: &[Known<'_>]) -> Vec<ChangeKind> {
        gate.changes(findings, gate.scope).into_iter().map(|change| change.kind).collect()
    }

    #[test]
    fn the_last_day_counts_and_the_day_after_does_not() {
        for (until, covers) in [(None, true), (Some("2026-06-15"), true), (Some("2026-06-14"), false)] {
            let gate = gate(waiver(FOUND.id, until), &[FOUND.id]);
            assert_eq!(gate.waiver_of(FOUND).is_some(), covers, "{until:?}");
            let expected = if covers { vec![] } else { vec![ChangeKind::WaiverExpired] };
            assert_eq!(kinds(&gate, &[FOUND]), expected);
        }
    }

    #[test]
    fn an_id_covers_itself_only() {
        let gate = gate(waiver("9c1f03ab27df", None), &[]);
        assert!(gate.waiver_of(FOUND).is_none());
        let changes = gate.changes(&[FOUND], Scope::Whole);
        assert_eq!(changes[0].kind, ChangeKind::WaiverUnused);
        assert!(changes[0].facts.get(FactKey::Hint).is_some_and(|hint| hint.contains(FOUND.id)), "{changes:?}");
    }

    #[test]
    fn what_is_new_and_what_was_there_already_are_told_apart() {
        assert_eq!(kinds(&gate(waiver(FOUND.id, None), &[]), &[FOUND]), [ChangeKind::WaiverAdded]);
        assert_eq!(kinds(&gate(waiver(FOUND.id, None), &[FOUND.id]), &[FOUND]), []);
        assert_eq!(kinds(&gate(waiver(FOUND.id, None), &[]), &[]), [ChangeKind::WaiverUnused]);
        assert_eq!(kinds(&gate(waiver(FOUND.id, None), &[FOUND.id]), &[]), [ChangeKind::WaiverStale]);
    }

    #[test]
    fn where_only_a_part_was_compared_nothing_is_called_unused() {
        let gate = gate(waiver(FOUND.id, None), &[FOUND.id]);
        assert!(gate.changes(&[], Scope::Part).is_empty());
        assert_eq!(gate.untold(&[], Scope::Part), 1);
        assert_eq!(gate.untold(&[], Scope::Whole), 0);
    }

    #[test]
    fn an_entry_that_speaks_of_something_else_covers_nothing() {
        let harmless = Waiver { rule: Some("protobuf/field-renamed".to_owned()), ..waiver(FOUND.id, None) };
        let gate = gate(harmless, &[FOUND.id]);
        assert!(gate.waiver_of(FOUND).is_none());
        assert_eq!(kinds(&gate, &[FOUND]), [ChangeKind::WaiverUnused]);
    }
}
