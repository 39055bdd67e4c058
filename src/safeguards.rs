//! What a change does to the safeguards: which findings a waiver covers, and the findings about waivers and about a
//! configuration that was loosened.
//!
//! Data in, data out: the files were read and the day was asked for at the edge. Whether a covered finding breaks is
//! decided in `verdict` alone; here only ids meet. An id covers exactly itself: nothing is matched by likeness.

use std::sync::Arc;

use crate::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair, Site, Span};
use crate::date::Date;
use crate::failure::nearest;
use crate::fingerprint::earlier;
use crate::ordered::{OrderedMap, OrderedSet};
use crate::snapshot::{Snapshot, is_under};

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
    /// Whether it counts in later changes as well, without an end.
    pub standing: bool,
    /// The finding's rule as the entry has it, for those who read the file.
    pub rule: Option<String>,
    /// The finding's element as the entry has it.
    pub path: Option<String>,
    /// The finding's file as the entry has it.
    pub file: Option<String>,
    /// The file or the folder that the entry says its findings lie in.
    pub under: Option<String>,
    /// The line of the entry, from 1.
    pub line: u32,
    /// Where its id stands.
    pub span: Span,
    /// Where its last day stands.
    pub until_span: Option<Span>,
    /// The schema in which it is a comment; an entry of the waiver file has none.
    pub comment_in: Option<Arc<str>>,
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

/// What keeps breaks out of a repository, beside rules and terms.
#[derive(Debug, Clone, Default)]
pub struct Safeguards {
    /// Today, in UTC.
    pub today: Date,
    /// The waivers in force.
    pub waivers: WaiverFile,
    /// The waivers of the old side by their ids; `None` where there is nothing to compare with.
    pub known: Option<OrderedMap<String, Waiver>>,
    /// Where the configuration is looser than that of the old side.
    pub loosened: Vec<Change>,
    /// The configuration and the waiver file of both sides, for excerpts.
    pub files: Pair<Snapshot>,
    /// Whether everything was compared.
    pub scope: Scope,
    /// Whether comments in schemas acknowledge nothing.
    pub without_comments: bool,
    /// Of the files and folders that waivers name those that are there, also where no schema is.
    pub there: OrderedSet<String>,
}

/// A finding, as far as waivers care.
#[derive(Debug, Clone)]
pub struct Waivable<'a> {
    /// Its id.
    pub id: String,
    /// The id that it would have if no finding in another file were alike; empty where it has that one.
    pub alone_id: String,
    /// The id that it had before ids had a version; empty where nobody asks.
    pub earlier_id: String,
    /// Its rule.
    pub rule: String,
    /// Its element.
    pub path: &'a str,
    /// Where it stands on each side.
    pub sites: Pair<Option<&'a Site>>,
}

impl<'a> Waivable<'a> {
    /// The files that it stands in.
    fn files(&self) -> Pair<Option<&'a str>> {
        self.sites.map(|site| site.map(|site| &*site.file))
    }
}

/// What waivers are held against.
#[derive(Debug)]
pub struct Found<'a> {
    findings: Vec<Waivable<'a>>,
    sides: Pair<&'a Snapshot>,
    /// Files and folders that are there beside those of the sides.
    there: &'a OrderedSet<String>,
    /// Which findings have an id, had it earlier, or would have it alone.
    by_id: OrderedMap<String, Vec<usize>>,
}

impl<'a> Found<'a> {
    /// Every finding that has an id, and the files of both sides: an entry whose file is on neither, nor there beside them,
    /// has been left behind by a move.
    pub fn new(findings: Vec<Waivable<'a>>, sides: Pair<&'a Snapshot>, there: &'a OrderedSet<String>) -> Self {
        let mut by_id: OrderedMap<String, Vec<usize>> = OrderedMap::new();
        for (at, finding) in findings.iter().enumerate() {
            let ids = [&finding.id, &finding.earlier_id, &finding.alone_id];
            for id in ids.into_iter().filter(|id| !id.is_empty()) {
                by_id.entry(id.clone()).or_default().push(at);
            }
        }
        Found { findings, sides, there, by_id }
    }

    fn of(&self, waiver: &Waiver) -> Option<&Waivable<'a>> {
        let mut found = self.by_id.get(&waiver.id)?.iter().map(|at| &self.findings[*at]);
        let first = found.clone().next();
        found.find(|finding| self.is_true(waiver, finding)).or(first)
    }

    /// Whether what an entry says about its finding is true. Reviewers go by these words and not by an id, so an entry
    /// that speaks of something else covers nothing.
    fn is_true(&self, waiver: &Waiver, finding: &Waivable<'_>) -> bool {
        let is = |said: &Option<String>, true_word: &str| said.as_deref().is_none_or(|said| said == true_word);
        is(&waiver.rule, &finding.rule)
            && is(&waiver.path, finding.path)
            && waiver.file.as_deref().is_none_or(|file| self.is_file_of(file, finding))
            && waiver.under.as_deref().is_none_or(|folder| self.lies_under(folder, finding))
            && (waiver.id != finding.earlier_id || waiver.rule.is_some() && waiver.path.is_some())
            && (waiver.id != finding.alone_id || self.is_the_only_one_of(waiver, finding))
    }

    /// Whether an entry says in which file or folder its finding lies, and no other finding of that id lies there: then those
    /// in other files that are alike do not matter.
    fn is_the_only_one_of(&self, waiver: &Waiver, finding: &Waivable<'_>) -> bool {
        let lies_there = |finding: &Waivable<'_>| {
            let files = [finding.files().old, finding.files().new];
            let is_in = |said: &String| files.into_iter().flatten().any(|file| is_under(file, said));
            [&waiver.file, &waiver.under].into_iter().flatten().any(is_in)
        };
        let of_id = self.by_id.get(&waiver.id).into_iter().flatten().map(|at| &self.findings[*at]);
        lies_there(finding) && of_id.filter(|other| other.id != finding.id).all(|other| !lies_there(other))
    }

    fn is_file_of(&self, file: &str, finding: &Waivable<'_>) -> bool {
        let stands_there = [finding.files().old, finding.files().new].contains(&Some(file));
        let is_on_a_side = self.sides.old.get(file).is_some() || self.sides.new.get(file).is_some();
        stands_there || !is_on_a_side && !self.there.contains(file)
    }

    fn lies_under(&self, folder: &str, finding: &Waivable<'_>) -> bool {
        let is_in = |path: &str| is_under(path, folder);
        let has_none = |side: &Snapshot| side.iter().all(|(path, _)| !is_in(path));
        [finding.files().old, finding.files().new].into_iter().flatten().any(is_in)
            || has_none(self.sides.old) && has_none(self.sides.new) && !self.there.contains(folder)
    }
}

impl Safeguards {
    /// Whether any entry has an id of the earlier form.
    pub fn has_earlier_ids(&self) -> bool {
        self.waivers.waivers.iter().any(|waiver| waiver.id.len() == earlier::DIGITS)
    }

    /// For each finding the waiver that covers it today.
    pub fn covering(&self, found: &Found<'_>) -> Vec<Option<&Waiver>> {
        // No id is in the file twice, so an entry has the id of a finding, or the one that it had earlier.
        let entries: OrderedMap<&str, &Waiver> =
            self.waivers.waivers.iter().map(|waiver| (waiver.id.as_str(), waiver)).collect();
        let covers = |finding: &Waivable<'_>| {
            let ids = [finding.id.as_str(), finding.earlier_id.as_str(), finding.alone_id.as_str()];
            let mut entries = ids.into_iter().filter_map(|id| entries.get(id).copied());
            entries.find(|entry| found.is_true(entry, finding) && self.counts(entry))
        };
        found.findings.iter().map(covers).collect()
    }

    /// Whether a waiver covers what it means to: today, and in this change.
    pub fn counts(&self, waiver: &Waiver) -> bool {
        waiver.counts_on(self.today) && !self.is_spent(waiver)
    }

    /// Whether a waiver was there before, for the change that it came with and for no other.
    pub fn is_spent(&self, waiver: &Waiver) -> bool {
        !waiver.counts_later() && self.earlier(waiver).is_some_and(|earlier| earlier.reason == waiver.reason)
    }

    /// Whether a waiver came with the very change, or counts again only through it.
    pub fn is_added(&self, waiver: &Waiver) -> bool {
        match (&self.known, self.earlier(waiver)) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(_), Some(earlier)) => !earlier.counts_later() && !self.is_spent(waiver),
        }
    }

    /// The same entry on the old side.
    fn earlier(&self, waiver: &Waiver) -> Option<&Waiver> {
        self.known.as_ref()?.get(&waiver.id)
    }

    /// Waivers that match no finding, although nothing says that they are needed no more.
    pub fn untold(&self, found: &Found<'_>, scope: Scope) -> usize {
        match scope {
            Scope::Part if self.known.is_some() => {
                self.waivers.waivers.iter().filter(|waiver| found.of(waiver).is_none()).count()
            }
            Scope::Whole | Scope::Part => 0,
        }
    }

    /// What there is to say about the waivers themselves: those that are new, that ended, that match nothing.
    pub fn changes(&self, found: &Found<'_>, scope: Scope) -> Vec<Change> {
        let change = |waiver: &Waiver| match found.of(waiver) {
            Some(finding) => self.about_matching(waiver, finding, found),
            None => self.about_unmatched(waiver, found, scope),
        };
        self.waivers.waivers.iter().filter_map(change).collect()
    }

    fn about_matching(&self, waiver: &Waiver, finding: &Waivable<'_>, found: &Found<'_>) -> Option<Change> {
        let about = |kind, path: &str| self.about(waiver, kind, path);
        match waiver.until {
            _ if !found.is_true(waiver, finding) => {
                let place = finding.files().new.or(finding.files().old).unwrap_or_default();
                let hint = format!("The id is that of `{}` at `{}` in {place}.", finding.rule, finding.path);
                Some(about(ChangeKind::WaiverUnused, &waiver.id).stating(FactKey::Hint, hint))
            }
            Some(until) if !waiver.counts_on(self.today) => {
                let since = match until.days_until(self.today) {
                    1 => "yesterday".to_owned(),
                    days => format!("{days} days ago"),
                };
                let change = about(ChangeKind::WaiverExpired, finding.path).stating(FactKey::Rule, &*finding.rule);
                Some(change.stating(FactKey::Until, until.to_string()).stating(FactKey::Since, since))
            }
            _ if self.is_spent(waiver) => {
                Some(about(ChangeKind::WaiverSpent, finding.path).stating(FactKey::Rule, &*finding.rule))
            }
            _ if waiver.id == finding.earlier_id => {
                let change = about(ChangeKind::WaiverOutdated, finding.path).stating(FactKey::Rule, &*finding.rule);
                Some(change.stating(FactKey::NewValue, &*finding.id))
            }
            _ if self.is_added(waiver) => {
                let change = about(ChangeKind::WaiverAdded, finding.path).stating(FactKey::Rule, &*finding.rule);
                Some(change.stating(FactKey::Terms, waiver.terms()))
            }
            _ => None,
        }
    }

    fn about_unmatched(&self, waiver: &Waiver, found: &Found<'_>, scope: Scope) -> Option<Change> {
        match (scope, &self.known) {
            (Scope::Part, _) | (_, None) => None,
            (Scope::Whole, Some(_)) if self.earlier(waiver).is_some() => {
                let change = self.about(waiver, ChangeKind::WaiverStale, &waiver.id);
                Some(change.stating(FactKey::Name, waiver.subject()))
            }
            (Scope::Whole, Some(_)) => {
                let change = self.about(waiver, ChangeKind::WaiverUnused, &waiver.id);
                Some(change.stating(FactKey::Hint, hint(&waiver.id, &found.findings)))
            }
        }
    }

    /// The file that a waiver stands in.
    pub fn file_of<'w>(&'w self, waiver: &'w Waiver) -> &'w Arc<str> {
        waiver.comment_in.as_ref().unwrap_or(&self.waivers.path)
    }

    /// These, with what comments in schemas acknowledge. What the waiver file covers already stays its own.
    #[must_use]
    pub fn with(&self, comments: Vec<Waiver>, known: Vec<Waiver>) -> Self {
        let mut all = self.clone();
        let entries: OrderedSet<&str> = self.waivers.waivers.iter().map(|entry| entry.id.as_str()).collect();
        let is_new = |waiver: &Waiver| !entries.contains(waiver.id.as_str());
        all.waivers.waivers.extend(comments.into_iter().filter(is_new));
        if let Some(all) = &mut all.known {
            all.extend(known.into_iter().filter(is_new).map(|waiver| (waiver.id.clone(), waiver)));
        }
        all
    }

    fn about(&self, waiver: &Waiver, kind: ChangeKind, path: &str) -> Change {
        let site = Site { file: self.file_of(waiver).clone(), span: waiver.span };
        let reason: Vec<&str> = waiver.reason.split_whitespace().collect();
        Change {
            kind,
            path: path.to_owned(),
            identity: Identity(format!("waiver {}", waiver.id)),
            at: Pair::new(None, Some(site)),
            facts: Facts::none().with(FactKey::Waiver, &*waiver.id).with(FactKey::Reason, reason.join(" ")),
            suggestion: None,
            reports: Vec::new(),
            members: Arc::default(),
            left_out: Default::default(),
            heading: None,
        }
    }
}

impl Waiver {
    /// Whether it still counts on a day: the last day does.
    pub fn counts_on(&self, day: Date) -> bool {
        self.until.is_none_or(|until| day <= until)
    }

    /// Whether it covers a break of a later change, too.
    pub fn counts_later(&self) -> bool {
        self.standing || self.until.is_some()
    }

    /// Who answers for it and how long it counts, in words.
    fn terms(&self) -> String {
        let owner = self.owner.as_ref().map_or_else(|| "nobody named as owner".to_owned(), |who| format!("by {who}"));
        let until = match self.until {
            Some(until) => format!("until {until}"),
            None if self.standing => "without an end".to_owned(),
            None => "in this change".to_owned(),
        };
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
fn hint(id: &str, findings: &[Waivable<'_>]) -> String {
    match nearest(id, findings.iter().map(|finding| finding.id.as_str())) {
        Some(near) => {
            let meant = findings.iter().find(|finding| finding.id == near);
            let what = meant.map(|meant| format!(" (`{}` at `{}`)", meant.rule, meant.path)).unwrap_or_default();
            format!("The nearest id of a finding is `{near}`{what}.")
        }
        None if findings.is_empty() => "This change has no findings at all.".to_owned(),
        None if id.len() == earlier::DIGITS => {
            "It is an id of an earlier form; today's have sixteen digits.".to_owned()
        }
        None => "No finding has an id like it.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "9c1f03ab27de41b0";
    const EARLIER: &str = "0123456789ab";

    /// One finding, in a file that both sides have.
    fn with_found<T>(visit: impl FnOnce(&Found<'_>) -> T) -> T {
        let side = Snapshot::from_files(["shop/order.proto", "shop/other.proto"].map(|path| (path, Vec::new())));
        let site = Site { file: "shop/order.proto".into(), span: Span::new(0, 1) };
        let finding = Waivable {
            id: ID.to_owned(),
            alone_id: String::new(),
            earlier_id: EARLIER.to_owned(),
            rule: "protobuf/field-reused".to_owned(),
            path: "shop.Order.note",
            sites: Pair::new(Some(&site), Some(&site)),
        };
        let there = ["README.md", "docs"].into_iter().map(str::to_owned).collect();
        visit(&Found::new(vec![finding], Pair::new(&side, &side), &there))
    }

    fn covers(safeguards: &Safeguards) -> bool {
        with_found(|found| safeguards.covering(found)[0].is_some())
    }

    fn kinds(safeguards: &Safeguards) -> Vec<ChangeKind> {
        with_found(|found| safeguards.changes(found, safeguards.scope).into_iter().map(|change| change.kind).collect())
    }

    fn kinds_without_findings(safeguards: &Safeguards, scope: Scope) -> Vec<ChangeKind> {
        let side = Snapshot::default();
        let found = Found::new(Vec::new(), Pair::new(&side, &side), &safeguards.there);
        safeguards.changes(&found, scope).into_iter().map(|change| change.kind).collect()
    }

    fn waiver(id: &str, until: Option<&str>) -> Waiver {
        Waiver {
            id: id.to_owned(),
            reason: "the old app is gone".to_owned(),
            owner: Some("payments".to_owned()),
            until: until.map(|day| Date::parse(day).expect("a day")),
            rule: None,
            path: None,
            file: None,
            under: None,
            line: 3,
            span: Span::new(8, 20),
            standing: true,
            until_span: None,
            comment_in: None,
        }
    }

    fn safeguards(waiver: Waiver, known: &[&str]) -> Safeguards {
        Safeguards {
            today: Date::parse("2026-06-15").expect("a day"),
            waivers: WaiverFile { path: "waivers.yaml".into(), waivers: vec![waiver] },
            known: Some(known.iter().map(|id| ((*id).to_owned(), self::waiver(id, None))).collect()),
            scope: Scope::Whole,
            ..Safeguards::default()
        }
    }

    #[test]
    fn the_last_day_counts_and_the_day_after_does_not() {
        for (until, is_covered) in [(None, true), (Some("2026-06-15"), true), (Some("2026-06-14"), false)] {
            let safeguards = safeguards(waiver(ID, until), &[ID]);
            assert_eq!(covers(&safeguards), is_covered, "{until:?}");
            assert_eq!(kinds(&safeguards), if is_covered { vec![] } else { vec![ChangeKind::WaiverExpired] });
        }
    }

    #[test]
    fn an_id_covers_itself_only() {
        let safeguards = safeguards(waiver("9c1f03ab27de41b1", None), &[]);
        assert!(!covers(&safeguards));
        let changes = with_found(|found| safeguards.changes(found, Scope::Whole));
        assert_eq!(changes[0].kind, ChangeKind::WaiverUnused);
        assert!(changes[0].facts.get(FactKey::Hint).is_some_and(|hint| hint.contains(ID)), "{changes:?}");
    }

    #[test]
    fn what_is_new_and_what_was_there_already_are_told_apart() {
        assert_eq!(kinds(&safeguards(waiver(ID, None), &[])), [ChangeKind::WaiverAdded]);
        assert_eq!(kinds(&safeguards(waiver(ID, None), &[ID])), []);
        let (new, known) = (safeguards(waiver(ID, None), &[]), safeguards(waiver(ID, None), &[ID]));
        assert_eq!(kinds_without_findings(&new, Scope::Whole), [ChangeKind::WaiverUnused]);
        assert_eq!(kinds_without_findings(&known, Scope::Whole), [ChangeKind::WaiverStale]);
    }

    #[test]
    fn where_only_a_part_was_compared_nothing_is_called_unused() {
        let safeguards = safeguards(waiver(ID, None), &[ID]);
        assert!(kinds_without_findings(&safeguards, Scope::Part).is_empty());
        let side = Snapshot::default();
        let nothing = Found::new(Vec::new(), Pair::new(&side, &side), &safeguards.there);
        assert_eq!((safeguards.untold(&nothing, Scope::Part), safeguards.untold(&nothing, Scope::Whole)), (1, 0));
    }

    #[test]
    fn an_entry_that_speaks_of_something_else_covers_nothing() {
        let of_rule = |rule: &str| Waiver { rule: Some(rule.to_owned()), ..waiver(ID, None) };
        let of_path = |path: &str| Waiver { path: Some(path.to_owned()), ..waiver(ID, None) };
        let of_file = |file: &str| Waiver { file: Some(file.to_owned()), ..waiver(ID, None) };
        let below = |folder: &str| Waiver { under: Some(folder.to_owned()), ..waiver(ID, None) };
        for entry in [
            of_rule("protobuf/field-renamed"),
            of_path("shop.Order.id"),
            of_file("shop/other.proto"),
            of_file("README.md"),
            below("docs"),
        ] {
            let safeguards = safeguards(entry.clone(), &[ID]);
            assert!(!covers(&safeguards), "{entry:?}");
            assert_eq!(kinds(&safeguards), [ChangeKind::WaiverUnused], "{entry:?}");
        }
        for entry in [
            of_rule("protobuf/field-reused"),
            of_path("shop.Order.note"),
            of_file("shop/order.proto"),
            of_file("where/it/was.proto"),
            below("shop"),
            below("where/they/were"),
        ] {
            assert!(covers(&safeguards(entry.clone(), &[ID])), "{entry:?}");
        }
    }

    #[test]
    fn an_id_of_the_earlier_form_counts_where_the_entry_names_its_finding_and_is_told() {
        assert!(!covers(&safeguards(waiver(EARLIER, None), &[EARLIER])), "48 bits alone prove nothing");
        let named = Waiver {
            rule: Some("protobuf/field-reused".to_owned()),
            path: Some("shop.Order.note".to_owned()),
            ..waiver(EARLIER, None)
        };
        let safeguards = safeguards(named, &[EARLIER]);
        assert!(covers(&safeguards) && safeguards.has_earlier_ids());
        assert_eq!(kinds(&safeguards), [ChangeKind::WaiverOutdated]);
        assert_eq!(kinds_without_findings(&safeguards, Scope::Whole), [ChangeKind::WaiverStale]);
    }

    #[test]
    fn an_id_of_the_earlier_form_needs_both_rule_and_path() {
        let rule = Some("protobuf/field-reused".to_owned());
        let path = Some("shop.Order.note".to_owned());
        for (rule, path, is_covered) in [(rule.clone(), None, false), (None, path.clone(), false), (rule, path, true)] {
            let safeguards = safeguards(Waiver { rule, path, ..waiver(EARLIER, None) }, &[EARLIER]);
            assert_eq!(covers(&safeguards), is_covered, "{:?}", safeguards.waivers);
        }
    }

    #[test]
    fn one_entry_of_the_earlier_form_is_enough_to_look_for_them() {
        let mut safeguards = safeguards(waiver(ID, None), &[]);
        assert!(!safeguards.has_earlier_ids());
        safeguards.waivers.waivers.push(waiver(EARLIER, None));
        assert!(safeguards.has_earlier_ids());
    }

    #[test]
    fn a_file_that_one_side_still_has_is_no_file_left_behind() {
        let files = |path: &str| Snapshot::from_files([(path, Vec::new())]);
        let entry = Waiver { file: Some("shop/there.proto".to_owned()), ..waiver(ID, None) };
        let safeguards = safeguards(entry, &[ID]);
        let (with, without) = (files("shop/there.proto"), files("shop/order.proto"));
        for (old, new, is_covered) in [(&with, &without, false), (&without, &with, false), (&without, &without, true)] {
            let finding = with_found(|found| Waivable {
                path: "shop.Order.note",
                sites: Pair::default(),
                ..found.findings[0].clone()
            });
            let found = Found::new(vec![finding], Pair::new(old, new), &safeguards.there);
            assert_eq!(safeguards.covering(&found)[0].is_some(), is_covered);
        }
    }

    #[test]
    fn what_was_not_compared_is_counted_only_where_there_is_a_file_to_compare_with() {
        let side = Snapshot::default();
        let alone = Safeguards { known: None, ..safeguards(waiver(ID, None), &[]) };
        let nothing = Found::new(Vec::new(), Pair::new(&side, &side), &alone.there);
        assert_eq!(alone.untold(&nothing, Scope::Part), 0);
        assert_eq!(with_found(|found| safeguards(waiver(ID, None), &[]).untold(found, Scope::Part)), 0, "it matches");
    }

    #[test]
    fn the_hint_names_the_nearest_id_or_says_why_there_is_none() {
        let said = |id: &str| with_found(|found| hint(id, &found.findings));
        assert_eq!(
            said("9c1f03ab27de41b1"),
            format!("The nearest id of a finding is `{ID}` (`protobuf/field-reused` at `shop.Order.note`).")
        );
        assert_eq!(said("ffffffffffffffff"), "No finding has an id like it.");
        assert_eq!(said("ffffffffffff"), "It is an id of an earlier form; today's have sixteen digits.");
        assert_eq!(hint(ID, &[]), "This change has no findings at all.");
    }
}
