//! Where one configuration lets more pass than another: the old and the new one of a change.
//!
//! Looser is meant strictly: something exists that the old terms stop and the new ones do not. What became stricter is
//! nobody's business here. Rule files of your own are compared by their folder's name only.

mod areas;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use globset::Glob;

use self::areas::{LooserArea, looser_areas};
use super::history::History;
use super::place::find_word;
use super::{Config, Instances, Judging, Root};
use crate::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair, Site, Span};
use crate::evidence::{Outcome, Surface};
use crate::formats::Usage;
use crate::ordered::{OrderedMap, OrderedSet};
use crate::rules::{Cell, Class, POLICY, Rule, RuleSet, Severity};
use crate::safeguards::WaiverFile;
use crate::source::select::is_under;
use crate::verdict::{Mode, Override, PeerArea, Policy, USUAL_MODES};

/// The configuration of one side.
#[derive(Debug, Clone, Default)]
pub struct Version {
    /// What it says; without a file, nothing.
    pub config: Config,
    /// Its file as reports spell it.
    pub path: Option<Arc<str>>,
    /// The waiver file that it means, as reports spell it.
    pub waivers: String,
}

/// A key and its two values in words.
struct Looser {
    keys: Vec<String>,
    values: Pair<String>,
}

/// Names every key, so that a new one does not compile before somebody says here who compares it.
fn every_key_is_compared(config: &Config) {
    let Config {
        // Where the configuration lies says nothing about what it lets pass.
        name: _,
        text: _,
        file: _,
        folder: _,
        mode: _,
        surfaces: _,
        fail_on: _,
        include: _,
        exclude: _,
        roots,
        rules: _,
        rules_dir: _,
        unstable: _,
        // Compared by the file that is meant: `Version::waivers`.
        waivers: _,
        inline_waivers: _,
        configuration: _,
        base: _,
        history: _,
        instances,
    } = config;
    let compared = |instances: &Instances| {
        let Instances { writers: _, assert_formats: _, encodings: _ } = instances;
    };
    compared(instances);
    for root in roots {
        let Root { path: _, mode: _, surfaces: _, reachable_from: _, import_paths: _, instances } = root;
        compared(instances);
    }
}

/// One change for each key that became looser.
pub fn loosened(versions: Pair<&Version>, rules: &RuleSet) -> Vec<Change> {
    every_key_is_compared(&versions.new.config);
    let configs = Pair::new(&versions.old.config, &versions.new.config);
    let mut found = Vec::new();
    found.extend(mode(configs));
    found.extend(surfaces(configs));
    found.extend(fail_on(configs));
    found.extend(files(configs));
    found.extend(unstable(configs));
    found.extend(by_rule(configs, rules));
    found.extend(own_rules(configs));
    found.extend(folders(configs));
    let judging = configs.map(|config| config.configuration.unwrap_or(Judging::Both));
    if judging.new > judging.old {
        found.push(looser("configuration", format!("`{}`", judging.old), format!("`{}`", judging.new)));
    }
    if !configs.old.takes_comments() && configs.new.takes_comments() {
        found.push(looser("inline-waivers", "`false`".to_owned(), "`true`".to_owned()));
    }
    if configs.old.base != configs.new.base {
        let words = configs
            .map(|config| config.base.as_ref().map_or("the default branch".to_owned(), |name| format!("`{name}`")));
        found.push(looser("base", words.old, words.new));
    }
    found.extend(history(configs));
    found.extend(instances(&[], configs.map(|config| config.instances.clone())));
    let names = Pair::new(versions.old.waivers.clone(), versions.new.waivers.clone());
    if names.old != names.new {
        found.push(Looser { keys: vec!["waivers".to_owned()], values: names.map(|name| format!("`{name}`")) });
    }
    found.into_iter().map(|looser| change(looser, versions)).chain(imports(versions)).collect()
}

/// Which of the keys that say how instances are used let more pass than before.
fn instances(at: &[&str], said: Pair<Instances>) -> Vec<Looser> {
    let usages = said.as_ref().map(|said| said.over(&Usage::default()));
    let mut found = Vec::new();
    let mut add = |key: &str, values: Pair<String>| {
        let keys = at.iter().chain([&key]).map(|key| (*key).to_owned()).collect();
        found.push(Looser { keys, values });
    };
    if usages.new.writers < usages.old.writers {
        add("writers", usages.as_ref().map(|usage| format!("`{}`", usage.writers)));
    }
    if usages.old.asserts_formats && !usages.new.asserts_formats {
        add("assert-formats", usages.as_ref().map(|usage| format!("`{}`", usage.asserts_formats)));
    }
    if usages.old.encodings.iter().any(|encoding| !usages.new.encodings.contains(encoding)) {
        let names = |usage: &Usage| usage.encodings.iter().map(|one| one.name().to_owned()).collect::<Vec<_>>();
        add(
            "encodings",
            usages.as_ref().map(|usage| match usage.encodings.is_empty() {
                true => "not set".to_owned(),
                false => name_words(&names(usage)),
            }),
        );
    }
    found
}

/// Whether other versions are looked at than before, or fewer. A transitive mode has its own without that key.
fn history(configs: Pair<&Config>) -> Option<Looser> {
    let meant = |config: &Config| {
        let by_mode = config.mode.is_some_and(Mode::is_transitive).then(History::default);
        config.history.clone().or(by_mode)
    };
    let looks = configs.map(meant);
    let old = looks.old.as_ref()?;
    let is_less = looks.new.as_ref().is_none_or(|new| new.of != old.of || new.depth < old.depth);
    let words = |history: &Option<History>| match history {
        Some(history) => format!("`{}`, {} versions", history.spelled(), history.depth),
        None => "not set".to_owned(),
    };
    // Where neither says anything of it, the mode that changed is what is told.
    let is_said = configs.old.history.is_some() || configs.new.history.is_some();
    (is_less && is_said).then(|| looser("history", words(&looks.old), words(&looks.new)))
}

/// One change for each folder whose terms of another tool became looser. `site` says where an area is written.
pub fn loosened_areas(areas: Pair<&[PeerArea]>, site: impl Fn(&PeerArea) -> Option<Site>) -> Vec<Change> {
    let change = |LooserArea { folder, values, areas }: LooserArea<'_>| {
        let tool = areas.new.map_or("", |area| area.peer.tool.as_str());
        told(format!("{tool} breaking of {folder}"), values, areas.map(|area| area.and_then(&site)))
    };
    looser_areas(areas).into_iter().map(change).collect()
}

/// One change for each waiver that counts longer than before.
pub fn prolonged(files: Pair<&WaiverFile>) -> Vec<Change> {
    let mut found = Vec::new();
    for new in &files.new.waivers {
        let Some(old) = files.old.waivers.iter().find(|old| old.id == new.id) else { continue };
        let Some(ended) = old.until else { continue };
        if new.standing || new.until.is_some_and(|until| until > ended) {
            let words = new.until.map_or_else(|| "without an end".to_owned(), |until| until.to_string());
            let site = |file: &WaiverFile, span| Some(Site { file: file.path.clone(), span });
            let at = Pair::new(
                site(files.old, old.until_span.unwrap_or(old.span)),
                site(files.new, new.until_span.unwrap_or(new.span)),
            );
            found.push(told(format!("waivers.{}.until", new.id), Pair::new(ended.to_string(), words), at));
        }
    }
    found
}

/// How loud findings about policy are, whatever the new side says of it: the stricter of both sides, because a change
/// that silences what is said about it would be heard by nobody.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AboutPolicy {
    /// By rule.
    pub levels: OrderedMap<String, Override>,
    /// Rules and families of which each finding decides itself.
    pub by_finding: Vec<String>,
}

impl AboutPolicy {
    /// The levels of a policy, with these instead of what it says.
    pub fn rule_over(&self, levels: &mut OrderedMap<String, Override>) {
        levels.retain(|name, _| !self.by_finding.contains(name));
        levels.extend(self.levels.iter().map(|(name, level)| (name.clone(), *level)));
    }
}

/// How loud findings about policy are.
pub fn about_policy(configs: Pair<&Config>, rules: &RuleSet) -> AboutPolicy {
    let level = |rule: &Rule| {
        let of = |config| level_of(config, rule).or_else(|| by_itself(rule));
        match (of(configs.old), of(configs.new)) {
            (Some(old), Some(new)) => Some(if rank(old) > rank(new) { old } else { new }),
            // Where the finding decides how loud it is, a word for one side only may make it louder.
            (Some(Override::Error), None) | (None, Some(Override::Error)) => Some(Override::Error),
            (Some(_), None) | (None, Some(_) | None) => None,
        }
    };
    let mut found = AboutPolicy::default();
    for rule in rules.of_format(POLICY) {
        match level(rule) {
            Some(level) => drop(found.levels.insert(rule.id.clone(), level)),
            None => found.by_finding.extend([rule.id.clone(), rule.family.clone()]),
        }
    }
    found
}

fn looser(key: &str, old: String, new: String) -> Looser {
    Looser { keys: vec![key.to_owned()], values: Pair::new(old, new) }
}

/// Formats whose modes can differ: all that have one of their own, and everything else.
fn kinds_of_format() -> Vec<&'static str> {
    Policy::default().modes.keys().copied().chain([""]).collect()
}

fn loses_a_direction(modes: Pair<Option<Mode>>) -> bool {
    let usual = Policy::default();
    kinds_of_format().into_iter().any(|format| {
        let modes = modes.map(|mode| mode.unwrap_or(usual.mode_for(format)));
        let loses = modes.old.directions().iter().any(|direction| !modes.new.directions().contains(direction));
        loses || modes.old.is_transitive() && !modes.new.is_transitive()
    })
}

fn mode_words(mode: Option<Mode>) -> String {
    mode.map_or_else(
        || {
            let own = USUAL_MODES.iter().map(|(format, mode)| format!("{mode} for {format}"));
            format!("not set ({}, and {})", Policy::default().mode, own.collect::<Vec<_>>().join(", "))
        },
        |mode| format!("`{mode}`"),
    )
}

fn mode(configs: Pair<&Config>) -> Option<Looser> {
    let modes = configs.map(|config| config.mode);
    loses_a_direction(modes).then(|| looser("mode", mode_words(modes.old), mode_words(modes.new)))
}

const USUAL_SURFACES: &[Surface] = &[Surface::Wire];

fn surface_words(surfaces: &[Surface]) -> String {
    let names: Vec<String> = surfaces.iter().map(|surface| format!("`{surface}`")).collect();
    names.join(", ")
}

fn loses_a_surface(surfaces: Pair<&[Surface]>) -> bool {
    surfaces.old.iter().any(|surface| !surfaces.new.contains(surface))
}

fn surfaces(configs: Pair<&Config>) -> Option<Looser> {
    let surfaces = configs.map(|config| config.surfaces.as_deref().unwrap_or(USUAL_SURFACES));
    loses_a_surface(surfaces).then(|| looser("surfaces", surface_words(surfaces.old), surface_words(surfaces.new)))
}

fn fail_on(configs: Pair<&Config>) -> Option<Looser> {
    let outcomes = configs.map(|config| config.fail_on.unwrap_or(Outcome::Lossy));
    let words = |outcome| format!("`{outcome}`");
    (outcomes.new > outcomes.old).then(|| looser("fail-on", words(outcomes.old), words(outcomes.new)))
}

fn glob_words(globs: &[Glob], none: &str) -> String {
    if globs.is_empty() {
        return none.to_owned();
    }
    globs.iter().map(|glob| format!("`{}`", glob.glob())).collect::<Vec<_>>().join(", ")
}

/// Whether a list has something that another one lacks.
fn has_more(list: &[Glob], other: &[Glob]) -> bool {
    list.iter().any(|glob| !other.iter().any(|known| known.glob() == glob.glob()))
}

fn files(configs: Pair<&Config>) -> Vec<Looser> {
    let mut found = Vec::new();
    let includes = configs.map(|config| config.include.as_deref().unwrap_or_default());
    let all = "not set (every schema)";
    if !includes.new.is_empty() && (includes.old.is_empty() || has_more(includes.old, includes.new)) {
        found.push(looser("include", glob_words(includes.old, all), glob_words(includes.new, all)));
    }
    let excludes = configs.map(|config| config.exclude.as_deref().unwrap_or_default());
    if has_more(excludes.new, excludes.old) {
        found.push(looser("exclude", glob_words(excludes.old, "not set"), glob_words(excludes.new, "not set")));
    }
    found
}

fn unstable(configs: Pair<&Config>) -> Option<Looser> {
    let globs = configs.map(|config| config.unstable.as_slice());
    let words = |globs| glob_words(globs, "not set");
    has_more(globs.new, globs.old).then(|| looser("unstable", words(globs.old), words(globs.new)))
}

const fn rank(level: Override) -> u8 {
    match level {
        Override::Error => 3,
        Override::Warning => 2,
        Override::Note => 1,
        Override::Off => 0,
    }
}

/// How loud a rule about policy is without a word of the configuration; `None` where that depends on the finding.
fn by_itself(rule: &Rule) -> Option<Override> {
    match rule.severity {
        Some(Cell::Is(severity)) => Some(stated(severity)),
        Some(Cell::Fact(_)) => None,
        None => Some(Override::Warning),
    }
}

const fn stated(severity: Severity) -> Override {
    match severity {
        Severity::Error => Override::Error,
        Severity::Warning => Override::Warning,
        Severity::Note => Override::Note,
    }
}

fn level_of(config: &Config, rule: &Rule) -> Option<Override> {
    config.rules.get(&rule.id).or_else(|| config.rules.get(&rule.family)).copied()
}

/// The loudest that a rule is without a word of the configuration.
fn loudest(rule: &Rule, threshold: Outcome) -> Override {
    match (rule.class, rule.severity) {
        (Class::Hygiene, Some(Cell::Is(severity))) => stated(severity),
        (Class::Hygiene, Some(Cell::Fact(_)) | None) => Override::Error,
        (Class::Compatibility, _) => {
            let level = |cell: &Cell| match cell {
                Cell::Fact(_) => Override::Error,
                Cell::Is(outcome) if *outcome >= threshold => Override::Error,
                Cell::Is(Outcome::Unrecognized) => Override::Warning,
                Cell::Is(_) => Override::Note,
            };
            rule.impact
                .iter()
                .map(|(_, _, cell)| level(cell))
                .max_by_key(|level| rank(*level))
                .unwrap_or(Override::Note)
        }
    }
}

/// Whether a rule may be less loud than before. One that is set to `error` breaks in every mode; without that word
/// only a hygiene rule that states `error` does.
fn is_lower(rule: &Rule, levels: Pair<Option<Override>>, thresholds: Pair<Outcome>) -> bool {
    let by_default = thresholds.map(|threshold| loudest(rule, threshold));
    match (levels.old, levels.new) {
        (None, None) => false,
        (Some(old), Some(new)) => rank(new) < rank(old),
        (None, Some(new)) => rank(new) < rank(by_default.old),
        (Some(Override::Error), None) => rule.class != Class::Hygiene || by_default.new != Override::Error,
        (Some(old), None) => rank(by_default.new) < rank(old),
    }
}

fn by_rule(configs: Pair<&Config>, rules: &RuleSet) -> Vec<Looser> {
    // Nothing is lower by the same words, and the rules need not be read.
    if configs.old.rules == configs.new.rules {
        return Vec::new();
    }
    // What is lossy is an error wherever it does not break.
    let thresholds = configs.map(|config| config.fail_on.unwrap_or(Outcome::Lossy).min(Outcome::Lossy));
    let mut found: OrderedMap<&str, Pair<String>> = OrderedMap::new();
    for rule in rules.iter() {
        let levels = configs.map(|config| level_of(config, rule));
        if !is_lower(rule, levels, thresholds) {
            continue;
        }
        let key = [configs.new, configs.old].into_iter().find_map(|config| {
            [&rule.id, &rule.family].into_iter().find(|name| config.rules.contains_key(name.as_str()))
        });
        let words = |level: Option<Override>| level.map_or_else(|| "not set".to_owned(), |level| format!("`{level}`"));
        found.entry(key.unwrap_or(&rule.id)).or_insert_with(|| levels.map(words));
    }
    found.into_iter().map(|(key, values)| Looser { keys: vec!["rules".to_owned(), key.to_owned()], values }).collect()
}

/// Rules of your own replace ours, and nobody can tell by their names how.
fn own_rules(configs: Pair<&Config>) -> Option<Looser> {
    let folder = |config: &Config| {
        let own = config.rules_dir.as_ref()?;
        let inside = config.folder.as_ref().and_then(|folder| own.strip_prefix(folder).ok()).unwrap_or(own);
        Some(inside.to_string_lossy().replace('\\', "/").trim_end_matches('/').to_owned())
    };
    let folders = configs.map(folder);
    let words = |folder: &Option<String>| {
        folder.as_ref().map_or_else(|| "not set".to_owned(), |folder| format!("`{folder}`, whose rules may say less"))
    };
    (folders.old != folders.new).then(|| looser("rules-dir", words(&folders.old), words(&folders.new)))
}

/// The terms that hold at a folder: those of the longest folder around it.
fn root_at<'c>(config: &'c Config, path: &str) -> Option<&'c Root> {
    config.roots.iter().filter(|root| is_under(path, &root.path)).max_by_key(|root| root.path.len())
}

fn folders(configs: Pair<&Config>) -> Vec<Looser> {
    let paths: OrderedSet<&str> =
        configs.old.roots.iter().chain(&configs.new.roots).map(|root| root.path.as_str()).collect();
    let mut found = Vec::new();
    for path in paths {
        let roots = configs.map(|config| root_at(config, path));
        let mut add = |key: &str, values: Pair<String>| {
            found.push(Looser { keys: vec!["roots".to_owned(), path.to_owned(), key.to_owned()], values });
        };
        let own_mode = roots.map(|root| root.and_then(|root| root.mode));
        let modes = Pair::new(own_mode.old.or(configs.old.mode), own_mode.new.or(configs.new.mode));
        if (own_mode.old.is_some() || own_mode.new.is_some()) && loses_a_direction(modes) {
            add("mode", modes.map(mode_words));
        }
        let own = roots.map(|root| root.and_then(|root| root.surfaces.as_deref()));
        let of = |own: Option<&'_ [Surface]>, config: &Config| -> Vec<Surface> {
            own.or(config.surfaces.as_deref()).unwrap_or(USUAL_SURFACES).to_vec()
        };
        let surfaces = Pair::new(of(own.old, configs.old), of(own.new, configs.new));
        if (own.old.is_some() || own.new.is_some()) && loses_a_surface(surfaces.as_ref().map(Vec::as_slice)) {
            add("surfaces", surfaces.map(|surfaces| surface_words(&surfaces)));
        }
        let reached = roots.map(|root| root.map(|root| root.reachable_from.as_slice()).unwrap_or_default());
        let fewer = reached.old.is_empty() || reached.old.iter().any(|name| !reached.new.contains(name));
        if !reached.new.is_empty() && fewer {
            add("reachable-from", reached.map(name_words));
        }
        let own = roots.map(|root| root.map(|root| root.instances.clone()).unwrap_or_default());
        if own.old != own.new {
            let said = Pair::new(own.old.or(&configs.old.instances), own.new.or(&configs.new.instances));
            found.extend(instances(&["roots", path], said));
        }
    }
    found
}

/// Imports lead elsewhere: a path stands before those that there were, or one of them is gone, under whatever root. Both
/// versions are read with the import paths of the new one, so that a break can hide in where imports led before.
fn imports(versions: Pair<&Version>) -> Option<Change> {
    let roots = versions.map(|version| version.config.roots.as_slice());
    let led = roots.map(|roots| roots.iter().flat_map(|root| root.import_paths.clone()).collect::<Vec<String>>());
    if led.new.starts_with(&led.old) {
        return None;
    }
    let root = roots.new.iter().chain(roots.old).find(|root| !root.import_paths.is_empty())?.path.clone();
    let keys = vec!["roots".to_owned(), root, "import-paths".to_owned()];
    let values = led.map(|paths| if paths.is_empty() { "not set".to_owned() } else { name_words(&paths) });
    let (was, is) = (&values.old, &values.new);
    let looser = format!("of the configuration leads imports elsewhere, in both versions: it was {was} and is {is}");
    let change = change(Looser { keys, values }, versions);
    let facts = change.facts.with(FactKey::Looser, looser).with(FactKey::Weight, Severity::Error.name());
    Some(Change { facts, ..change })
}

fn name_words(names: &[String]) -> String {
    if names.is_empty() {
        return "not set (everything)".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn change(looser: Looser, versions: Pair<&Version>) -> Change {
    let site = |version: &Version| {
        Some(Site { file: version.path.clone()?, span: place_of(&version.config.text, &looser.keys) })
    };
    let at = versions.map(site);
    told(looser.keys.join("."), looser.values, at)
}

/// That nobody can tell whether a file of terms became looser, because what the base has in its place cannot be read. It is as
/// loud as a break that slips through: what cannot be read could stop any.
pub fn unreadable(file: &str, why: &str, now: Option<&Version>) -> Change {
    let site = now.and_then(|now| now.path.clone()).map(|file| Site { file, span: Span::default() });
    let looser = format!("of the base cannot be read ({why}), so that nobody can tell what passes only without it");
    let change = told(file.to_owned(), Pair::new(String::new(), String::new()), Pair::new(None, site));
    let facts = Facts::none().with(FactKey::Looser, looser).with(FactKey::Weight, Severity::Error.name());
    Change { identity: Identity(format!("unreadable {file}")), facts, ..change }
}

fn told(key: String, values: Pair<String>, at: Pair<Option<Site>>) -> Change {
    let looser = format!("of the configuration became looser: it was {} and is {}", values.old, values.new);
    let facts = Facts::none()
        .with(FactKey::Looser, looser)
        .with(FactKey::Weight, Severity::Warning.name())
        .with(FactKey::OldValue, values.old)
        .with(FactKey::NewValue, values.new);
    let identity = Identity(format!("configuration {key}"));
    Change::new(ChangeKind::ConfigurationLoosened, key, identity, at, facts)
}

/// The line of a key, or the nearest line that leads to it; the start of the file when there is none.
fn place_of(text: &str, keys: &[String]) -> Span {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        lines.push((start, line.trim_end()));
        start += line.len();
    }
    let is_key = |line: &str, key: &str| {
        let rest = line.trim_start().trim_start_matches(['"', '\'', '{', ' ']).strip_prefix(key);
        rest.is_some_and(|rest| rest.trim_start_matches(['"', '\'', '/']).trim_start().starts_with(':'))
    };
    let mut at = None;
    for key in keys {
        // A mapping may also stand in one line with its parent.
        let here = at.and_then(|at: usize| lines.get(at));
        if here.is_some_and(|(_, line)| find_word(line, key).is_some()) {
            continue;
        }
        let mut below = lines.iter().enumerate().skip(at.map_or(0, |at| at + 1));
        match below.find(|(_, (_, line))| is_key(line, key)) {
            Some((index, _)) => at = Some(index),
            None => break,
        }
    }
    let Some((start, line)) = at.and_then(|at| lines.get(at)) else { return Span::default() };
    let indent = line.len() - line.trim_start().len();
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(start + indent), offset(start + line.len()))
}
