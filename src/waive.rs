//! Findings → findings with ids, and with the waivers that cover them; the one sort and the one de-duplication.
//!
//! Ids come first and waivers meet them; then come the findings about waivers, which no waiver covers.

use std::borrow::Cow;
use std::sync::Arc;

use crate::attach::Finding;
use crate::change::{Change, Pair};
use crate::fingerprint::{self, earlier};
use crate::inline;
use crate::judge::{Judged, Judgement};
use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::safeguards::{Found, Safeguards, Scope, Waivable, Waiver};
use crate::snapshot::Snapshot;
use crate::verdict::Acknowledged;

/// A finding with its id, and the waiver that covers it today.
#[derive(Debug)]
pub struct Identified<'a> {
    /// The finding.
    pub finding: Finding<'a>,
    /// Its id.
    pub id: String,
    /// The id that it would have if no finding in another file were alike; empty where it has that one.
    pub alone_id: String,
    /// Its waiver.
    pub waiver: Option<Covering>,
}

/// The waiver that covers a finding.
#[derive(Debug)]
pub struct Covering {
    /// The waiver.
    pub waiver: Waiver,
    /// The file that it stands in.
    pub file: Arc<str>,
    /// Whether it comes with the very change.
    pub is_added: bool,
}

impl Identified<'_> {
    /// Whether somebody has acknowledged the finding.
    pub fn acknowledged(&self) -> Acknowledged {
        if self.waiver.is_some() { Acknowledged::Yes } else { Acknowledged::No }
    }
}

/// Findings with ids, equal ones once. No two ids are the same.
#[derive(Debug, Default)]
pub struct Identifying<'a> {
    /// The findings.
    pub findings: Vec<Identified<'a>>,
    ids: Ids,
}

/// What waivers have to do with findings.
#[derive(Debug, Default)]
pub struct Waivers {
    /// What there is to say about the waivers themselves.
    pub changes: Vec<Change>,
    /// How many there are of which nobody can say whether they are needed.
    pub untold: usize,
}

impl<'a> Identifying<'a> {
    /// Takes findings in.
    pub fn add(&mut self, found: Vec<Finding<'a>>) {
        let numbered = self.ids.number(found);
        self.findings.extend(numbered);
    }

    /// Covers findings with waivers. `scope` says whether everything was compared that a waiver could speak of.
    pub fn waive(&mut self, safeguards: &Safeguards, sides: Pair<&Snapshot>, scope: Scope) -> Waivers {
        let findings: Vec<Waivable<'_>> = self.findings.iter().map(|one| waivable(one, safeguards)).collect();
        let inline = inline::acknowledged(&findings, sides, !safeguards.without_comments);
        let safeguards = match inline.waivers.is_empty() {
            true => Cow::Borrowed(safeguards),
            false => Cow::Owned(safeguards.with(inline.waivers, inline.known)),
        };
        let found = Found::new(findings, sides, &safeguards.there);
        let covering = safeguards.covering(&found).into_iter().map(|waiver| {
            waiver.map(|waiver| Covering {
                waiver: waiver.clone(),
                file: safeguards.file_of(waiver).clone(),
                is_added: safeguards.is_added(waiver),
            })
        });
        let covering: Vec<Option<Covering>> = covering.collect();
        let mut changes = safeguards.changes(&found, scope);
        if scope == Scope::Whole && safeguards.known.is_some() {
            changes.extend(inline.unused);
        }
        if safeguards.known.is_some() {
            changes.extend(inline.prolonged);
        }
        let waivers = Waivers { changes, untold: safeguards.untold(&found, scope) };
        self.findings.iter_mut().zip(covering).for_each(|(one, waiver)| one.waiver = waiver);
        waivers
    }

    /// All findings by file, position, rule and path; those for which `is_here` does not hold come last.
    pub fn in_order(self, is_here: impl Fn(&Change) -> bool) -> Vec<Identified<'a>> {
        let mut findings = self.findings;
        findings.sort_in_order_by(|one, other| position(&one.finding).cmp(&position(&other.finding)));
        findings.sort_in_order_by_key(|one| !is_here(one.finding.judged.change));
        findings
    }
}

/// Findings about the safeguards: no round trip ever looks at it, so there is nothing to attach.
pub fn about_policy(judgement: Judgement<'_>) -> Vec<Finding<'_>> {
    judgement.judged.into_iter().map(Finding::as_claimed).collect()
}

fn waivable<'f>(one: &Identified<'f>, safeguards: &Safeguards) -> Waivable<'f> {
    let Judged { change, rule, .. } = &one.finding.judged;
    let earlier_id = if safeguards.has_earlier_ids() { earlier::id(&rule.id, change) } else { String::new() };
    let sites = change.at.as_ref().map(Option::as_ref);
    let (id, alone_id) = (one.id.clone(), one.alone_id.clone());
    Waivable { id, alone_id, earlier_id, rule: rule.id.clone(), path: &change.path, sites }
}

/// The ids given so far.
#[derive(Debug, Default)]
struct Ids {
    taken: OrderedSet<String>,
    /// By the id that a finding would have alone, and its file: which number the next of the same is tried with.
    next: OrderedMap<(String, Box<str>), usize>,
}

impl Ids {
    /// Sorts, drops what is said twice, and gives each finding its id.
    fn number<'a>(&mut self, mut found: Vec<Finding<'a>>) -> Vec<Identified<'a>> {
        found.sort_in_order_by(|one, other| position(one).cmp(&position(other)));
        found.dedup_by(|one, other| {
            one.judged.rule.id == other.judged.rule.id && one.judged.change == other.judged.change
        });
        let number = |finding| {
            let (id, alone_id) = self.fingerprint(&finding);
            Identified { id, alone_id, finding, waiver: None }
        };
        found.into_iter().map(number).collect()
    }

    /// The few findings that are alike in all that identifies them lie in different files, or are told apart by their
    /// order. The id, and the one that it would be without the others, where that is another.
    fn fingerprint(&mut self, finding: &Finding<'_>) -> (String, String) {
        let Judged { format, change, .. } = finding.judged;
        let site = change.at.new.as_ref().or(change.at.old.as_ref());
        let file = site.map_or("", |site| &*site.file);
        let alone = fingerprint::id(format, change, "");
        if self.taken.insert(alone.clone()) {
            return (alone, String::new());
        }
        let next = self.next.entry((alone.clone(), Box::from(file))).or_insert(1);
        loop {
            let apart = if *next == 1 { file.to_owned() } else { format!("{file} {next}") };
            *next += 1;
            let id = fingerprint::id(format, change, &apart);
            if self.taken.insert(id.clone()) {
                return (id, alone);
            }
        }
    }
}

fn position<'f>(finding: &'f Finding<'_>) -> impl Ord + use<'f> {
    let change = finding.judged.change;
    let site = change.at.new.as_ref().or(change.at.old.as_ref());
    (site, finding.judged.rule.id.as_str(), change.path.as_str(), &change.identity)
}
