//! The terms of the base: what they select, what they find there, and what they make of it.

use std::path::Path;
use std::sync::Arc;

use super::buf::BufTerms;
use super::safeguards::Guarded;
use super::terms::{Terms, Unit};
use crate::change::{Pair, Site, Span};
use crate::cli::CommonArgs;
use crate::config::loosened::loosened_areas;
use crate::failure::Failure;
use crate::formats::outline::Outlines;
use crate::formats::{CheckOptions, Checked, Format, unknown_root};
use crate::ordered::OrderedSet;
use crate::pipeline::{BaseTerms, check_formats};
use crate::rules::{Origin, Rule, RuleSet};
use crate::snapshot::Snapshot;
use crate::source::{Loaded, Request, Source, load};
use crate::syntax::problem::{Problem, Severity};
use crate::verdict::{PeerArea, Policy};

/// Which problems stand in the way of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strictness {
    /// `compare` reports every one.
    EveryProblem,
    /// `compare` of two versions that git has counts every one of the files that a change has to do with, and forgives those
    /// of the others, unless it is asked to read everything.
    EveryProblemOfChanged,
    /// `check` forgives problems in files that did not change and that no change reaches.
    Lenient,
}

/// By what a run judges.
#[derive(Clone, Copy)]
pub(super) struct Judges<'a> {
    /// The options.
    pub arguments: &'a CommonArgs,
    /// The configuration.
    pub terms: &'a Terms,
    /// The rules.
    pub rules: &'a RuleSet,
    /// Which problems count.
    pub strictness: Strictness,
    /// What is known of texts already.
    pub outlines: &'a Outlines,
    /// Whether parts of what is judged are likely to have been judged already.
    pub in_parts: bool,
}

impl Strictness {
    /// What is asked of files that are the same on both sides.
    fn options(self) -> CheckOptions {
        let lenient_unchanged = self == Strictness::Lenient;
        let changed_only = self == Strictness::EveryProblemOfChanged;
        CheckOptions { lenient_unchanged, changed_only, ..CheckOptions::default() }
    }

    /// What `compare` asks of two sources.
    pub(super) fn of_compare(sources: &Pair<Source>) -> Self {
        let is_gits = |source: &Source| matches!(source, Source::Git(_) | Source::WorkTree | Source::Index);
        match is_gits(&sources.old) && is_gits(&sources.new) {
            true => Strictness::EveryProblemOfChanged,
            false => Strictness::EveryProblem,
        }
    }
}

impl Judges<'_> {
    /// What each format finds out about what was loaded.
    pub(super) fn checked(&self, loaded: &Loaded, folder: &Path) -> Vec<(Format, Checked)> {
        let options =
            CheckOptions { outlines: self.outlines.clone(), in_parts: self.in_parts, ..self.strictness.options() };
        let units = self.terms.units(self.arguments, loaded, folder, options);
        let of_unit = |Unit { snapshots, options }: &Unit| {
            let mut checked = check_formats(snapshots.as_ref(), Format::ALL, options);
            self.blame_the_configuration(&mut checked, snapshots);
            checked
        };
        units.iter().flat_map(of_unit).collect()
    }

    /// A root that nobody knows and that no option names is told of where it is written.
    fn blame_the_configuration(&self, checked: &mut [(Format, Checked)], snapshots: &Pair<Snapshot>) {
        let config = self.terms.config();
        let unknown: OrderedSet<String> =
            checked.iter().flat_map(|(_, one)| one.unknown_roots.iter().cloned()).collect();
        let is_of_config = |name: &&String| unknown.contains(*name) && !self.arguments.root.contains(name);
        for name in config.roots.iter().flat_map(|root| &root.reachable_from).filter(is_of_config) {
            let told = unknown_root(name, snapshots.as_ref());
            let line = config.line_of_name(name).map_or_else(String::new, |line| format!(":{line}"));
            let message =
                format!("neither side declares `{name}`, which `reachable-from` names ({}{line})", config.name);
            let help = told.help.replace("give `--root` the full name", "write the full name");
            for (_, one) in &mut *checked {
                let problems = one.problems.new.iter_mut().filter(|problem| **problem == told);
                problems.for_each(|problem| {
                    *problem = Problem { message: message.clone(), help: help.clone(), ..told.clone() };
                });
            }
        }
    }
}

/// What the base makes of the change.
pub(super) struct ByBase {
    rules: RuleSet,
    policy: Policy,
    /// What it selects and what was found there, where that is not what this change selects.
    own: Option<(Loaded, Vec<(Format, Checked)>)>,
}

impl ByBase {
    /// What the base makes of what was loaded; `None` where its terms are those of the change. Files that only the base
    /// selects are read here. Where its terms for another tool are stricter, the safeguards hear of it.
    pub(super) fn read(
        ours: Judges<'_>,
        guarded: &mut Guarded,
        request: &Request,
        (paths, folder): (&[String], &Path),
        (loaded, buf): (&Loaded, &BufTerms),
    ) -> Option<ByBase> {
        let (terms, rules) = guarded.base.take()?;
        let areas = terms.buf_of_base(ours.arguments, loaded);
        let is_same = terms.is_same(ours.terms) && areas == buf.areas && own_rules(&rules) == own_rules(ours.rules);
        if is_same {
            return None;
        }
        if !buf.is_overridden {
            let site = |area: &PeerArea| site_of(area, &loaded.snapshots);
            guarded.safeguards.loosened.extend(loosened_areas(Pair::new(&*areas, &*buf.areas), site));
        }
        let own = match terms.reach_as_far_as(ours.terms) {
            true => None,
            false => match found(Judges { terms: &terms, ..ours }, request, (paths, folder)) {
                Ok(own) => Some(own),
                Err(failure) => {
                    guarded.problems.push(not_judged(&failure));
                    None
                }
            },
        };
        if let Some((own, _)) = &own {
            let sides = [
                (&own.snapshots.old, &mut guarded.safeguards.files.old),
                (&own.snapshots.new, &mut guarded.safeguards.files.new),
            ];
            for (from, to) in sides {
                from.iter().for_each(|(path, file)| to.insert(path.clone(), file.clone()));
            }
        }
        let areas = buf.rest.iter().cloned().chain(areas).collect();
        let mut policy = Policy { areas, ..terms.policy(ours.arguments, folder) };
        guarded.severities.rule_over(&mut policy.severities);
        Some(ByBase { rules, policy, own })
    }

    /// The same, for those who judge.
    pub(super) fn terms<'a>(&'a self, loaded: &'a Loaded, ours: &'a [(Format, Checked)]) -> BaseTerms<'a> {
        let (loaded, checked) = match &self.own {
            Some((own, checked)) => (own, checked.as_slice()),
            None => (loaded, ours),
        };
        BaseTerms { checked, snapshots: loaded.snapshots.as_ref(), rules: &self.rules, policy: &self.policy }
    }
}

fn found(
    base: Judges<'_>,
    request: &Request,
    (paths, folder): (&[String], &Path),
) -> Result<(Loaded, Vec<(Format, Checked)>), Failure> {
    let (selection, include) = (base.terms.selection(paths, folder), base.terms.include(base.arguments, folder));
    let request = Request { selection, include, ..request.clone() };
    let loaded = load(&request)?;
    let checked = base.checked(&loaded, folder);
    if !loaded.is_doubtful() && !loaded.lacks_files(&checked) {
        return Ok((loaded, checked));
    }
    let loaded = load(&Request { may_wait: false, ..request })?;
    let checked = base.checked(&loaded, folder);
    Ok((loaded, checked))
}

fn not_judged(failure: &Failure) -> Problem {
    Problem {
        severity: Severity::Warning,
        site: None,
        message: format!("what the base selects cannot be read: {}", failure.message),
        help: "this change is judged by its own configuration alone".to_owned(),
    }
}

/// What rules of the user's say, wherever they were read.
pub(super) fn own_rules(rules: &RuleSet) -> Vec<String> {
    let own = rules.iter().filter(|rule| rule.origin == Origin::User);
    own.map(|rule| format!("{:?}", Rule { file: String::new(), ..rule.clone() })).collect()
}

/// Where the section of an area starts: its source names the file and the line.
fn site_of(area: &PeerArea, snapshots: &Pair<Snapshot>) -> Option<Site> {
    let (path, line) = area.source.rsplit_once(':')?;
    let line: usize = line.parse().ok()?;
    let file = snapshots.new.get(path).or_else(|| snapshots.old.get(path))?;
    let before = file.bytes.split_inclusive(|byte| *byte == b'\n').take(line.saturating_sub(1));
    let start = u32::try_from(before.map(<[u8]>::len).sum::<usize>()).ok()?;
    Some(Site { file: Arc::from(path), span: Span::new(start, start + 1) })
}
