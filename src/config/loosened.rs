//! Where one configuration lets more pass than another: the old and the new one of a change.
//!
//! Looser is meant strictly: something exists that the old terms stop and the new ones do not. What became stricter is
//! nobody's business here. Rule files of your own are compared by their folder's name only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use globset::Glob;

use super::place::find_word;
use super::{Config, Root};
use crate::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair, Site, Span};
use crate::evidence::{Outcome, Surface};
use crate::gate::WaiverFile;
use crate::rules::{Cell, Class, POLICY, Rule, RuleSet, Severity};
use crate::source::select::is_under;
use crate::verdict::{Mode, Override, Policy};

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
    } = config;
    for root in roots {
        // An import that is not found any more is a problem of its own.
        let Root { path: _, mode: _, surfaces: _, reachable_from: _, import_paths: _ } = root;
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
    let names = Pair::new(versions.old.waivers.clone(), versions.new.waivers.clone());
    if names.old != names.new {
        found.push(Looser { keys: vec!["waivers".to_owned()], values: names.map(|name| format!("`{name}`")) });
    }
    found.into_iter().map(|looser| change(looser, versions)).collect()
}

/// One change for each waiver that counts longer than before.
pub fn prolonged(files: Pair<&WaiverFile>) -> Vec<Change> {
    let mut found = Vec::new();
    for new in &files.new.waivers {
        let Some(old) = files.old.waivers.iter().find(|old| old.id == new.id) else { continue };
        let Some(ended) = old.until else { continue };
        if new.until.is_none_or(|until| until > ended) {
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

/// How loud findings about policy are: the stricter of both sides, because a change that silences what is said about
/// it would be heard by nobody.
pub fn about_policy(configs: Pair<&Config>, rules: &RuleSet) -> BTreeMap<String, Override> {
    let about = rules.iter().filter(|rule| rule.format() == POLICY);
    let level = |rule: &Rule| {
        let of = |config| level_of(config, rule).unwrap_or(stated(rule.severity.unwrap_or(Severity::Warning)));
        let (old, new) = (of(configs.old), of(configs.new));
        if rank(old) > rank(new) { old } else { new }
    };
    about.map(|rule| (rule.id.clone(), level(rule))).collect()
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
        modes.old.directions().iter().any(|direction| !modes.new.directions().contains(direction))
    })
}

fn mode_words(mode: Option<Mode>) -> String {
    mode.map_or_else(|| "not set (full, and backward for avro)".to_owned(), |mode| format!("`{mode}`"))
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
        (Class::Hygiene, severity) => stated(severity.unwrap_or(Severity::Error)),
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
    // What is lossy is an error wherever it does not break.
    let thresholds = configs.map(|config| config.fail_on.unwrap_or(Outcome::Lossy).min(Outcome::Lossy));
    let mut found: BTreeMap<&str, Pair<String>> = BTreeMap::new();
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
    let paths: BTreeSet<&str> =
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
    }
    found
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

fn told(key: String, values: Pair<String>, at: Pair<Option<Site>>) -> Change {
    Change {
        kind: ChangeKind::ConfigurationLoosened,
        identity: Identity(format!("configuration {key}")),
        path: key,
        at,
        facts: Facts::none().with(FactKey::OldValue, values.old).with(FactKey::NewValue, values.new),
        suggestion: None,
        reports: Vec::new(),
        members: Arc::default(),
    }
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
    let mut from = 0;
    for key in keys {
        let found = lines.iter().enumerate().skip(from).find(|(_, (_, line))| is_key(line, key));
        // A mapping may also stand in one line with its parent.
        let here = at.and_then(|at: usize| lines.get(at).map(|(_, line)| (at, *line)));
        match (here.filter(|(_, line)| from > 0 && find_word(line, key).is_some()), found) {
            (Some((index, _)), _) => at = Some(index),
            (None, Some((index, _))) => (at, from) = (Some(index), index + 1),
            (None, None) => break,
        }
        from = from.max(at.map_or(0, |at| at + 1));
    }
    let Some((start, line)) = at.and_then(|at| lines.get(at)) else { return Span::default() };
    let indent = line.len() - line.trim_start().len();
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(start + indent), offset(start + line.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleText;

    fn version(text: &str) -> Version {
        let config = Config::parse("wireproof.yaml", text).expect("valid");
        Version { config, path: Some("wireproof.yaml".into()), waivers: ".wireproof-waivers.yaml".to_owned() }
    }

    fn told(old: &str, new: &str) -> Vec<String> {
        told_by(old, new, RuleSet::built_in())
    }

    fn told_by(old: &str, new: &str, rules: &RuleSet) -> Vec<String> {
        let versions = Pair::new(version(old), version(new));
        let changes = loosened(versions.as_ref(), rules);
        let value = |change: &Change, key| change.facts.get(key).unwrap_or_default().to_owned();
        let line = |change: &Change| {
            let (old, new) = (value(change, FactKey::OldValue), value(change, FactKey::NewValue));
            format!("{}: {old} -> {new}", change.path)
        };
        changes.iter().map(line).collect()
    }

    #[test]
    fn what_lets_more_pass_is_told_with_both_values() {
        for (old, new, expected) in [
            ("mode: full", "mode: backward", "mode: `full` -> `backward`"),
            ("mode: backward", "mode: forward", "mode: `backward` -> `forward`"),
            ("", "mode: none", "mode: not set (full, and backward for avro) -> `none`"),
            ("mode: full", "", "mode: `full` -> not set (full, and backward for avro)"),
            ("surfaces: [wire, json]", "surfaces: wire", "surfaces: `wire`, `json` -> `wire`"),
            ("", "surfaces: json", "surfaces: `wire` -> `json`"),
            ("", "fail-on: fails", "fail-on: `lossy` -> `fails`"),
            ("exclude: a/", "exclude: [a/, b/]", "exclude: `a/**` -> `a/**`, `b/**`"),
            ("", "include: a/", "include: not set (every schema) -> `a/**`"),
            ("include: [a/, b/]", "include: [a/]", "include: `a/**`, `b/**` -> `a/**`"),
            ("", "unstable: '*.v1alpha*'", "unstable: not set -> `*.v1alpha*`"),
            ("", "rules: {protobuf/field-reused: warning}", "rules.protobuf/field-reused: not set -> `warning`"),
            ("rules: {field-renamed: error}", "", "rules.field-renamed: `error` -> not set"),
            (
                "rules: {field-reused: error}",
                "rules: {field-reused: error, protobuf/field-reused: off}",
                "rules.protobuf/field-reused: `error` -> `off`",
            ),
            (
                "",
                "rules: {policy/configuration-loosened: off}",
                "rules.policy/configuration-loosened: not set -> `off`",
            ),
            ("", "rules-dir: own", "rules-dir: not set -> `own`, whose rules may say less"),
            ("", "roots: {a: {mode: none}}", "roots.a.mode: not set (full, and backward for avro) -> `none`"),
            ("mode: none\nroots: {a: {mode: full}}", "mode: none", "roots.a.mode: `full` -> `none`"),
            (
                "surfaces: [wire, json]",
                "surfaces: [wire, json]\nroots: {a: {surfaces: wire}}",
                "roots.a.surfaces: `wire`, `json` -> `wire`",
            ),
            ("", "roots: {a: {reachable-from: [s.T]}}", "roots.a.reachable-from: not set (everything) -> `s.T`"),
            (
                "roots: {a: {reachable-from: [s.T]}}",
                "roots: {a: {reachable-from: [s.U]}}",
                "roots.a.reachable-from: `s.T` -> `s.U`",
            ),
            // A folder's own word is compared with what holds around it, and only where one of the sides has one.
            (
                "surfaces: wire\nroots: {a: {surfaces: [wire, json]}}",
                "surfaces: wire",
                "roots.a.surfaces: `wire`, `json` -> `wire`",
            ),
            (
                "surfaces: [wire, json]\nroots: {a: {mode: full}}",
                "surfaces: wire\nroots: {a: {mode: full}}",
                "surfaces: `wire`, `json` -> `wire`",
            ),
            (
                "mode: full\nroots: {a: {surfaces: wire}}",
                "mode: none\nroots: {a: {surfaces: wire}}",
                "mode: `full` -> `none`",
            ),
        ] {
            assert_eq!(told(old, new), [expected], "{old:?} -> {new:?}");
        }
    }

    #[test]
    fn what_is_the_same_or_stricter_is_not_told() {
        for (old, new) in [
            ("", ""),
            ("mode: backward", "mode: full"),
            ("mode: none", "mode: forward"),
            ("fail-on: fails", "fail-on: lossy"),
            ("surfaces: wire", "surfaces: [wire, json, source]"),
            ("exclude: [a/, b/]", "exclude: a/"),
            ("include: a/", ""),
            ("include: a/", "include: [a/, b/]"),
            ("unstable: '*.v1alpha*'", ""),
            ("rules: {protobuf/field-reused: warning}", ""),
            ("rules: {protobuf/field-reused: off}", "rules: {protobuf/field-reused: note}"),
            ("", "rules: {protobuf/field-reused: error}"),
            ("rules: {protobuf/reserved-number-removed: error}", ""),
            ("roots: {a: {mode: none}}", ""),
            ("mode: none", "mode: none\nroots: {a: {mode: none}}"),
            ("roots: {a: {reachable-from: [s.T]}}", "roots: {a: {reachable-from: [s.T, s.U]}}"),
            ("roots: {a: {reachable-from: [s.T, s.U]}}", "roots: {a: {reachable-from: [s.U, s.T]}}"),
            ("roots: {a: {reachable-from: [s.T]}}", ""),
            // The same lists, in whatever order.
            ("exclude: a/", "exclude: a/"),
            ("exclude: [a/, b/]", "exclude: [b/, a/]"),
            ("exclude: a/", "exclude: a/"),
            ("include: a/", "include: a/"),
            ("unstable: '*.v1alpha*'", "unstable: '*.v1alpha*'"),
            ("include: [a/, b/]", "include: [b/, a/]"),
            ("unstable: ['*.v1alpha*', '*.v1beta*']", "unstable: ['*.v1beta*', '*.v1alpha*']"),
            ("rules-dir: own", "rules-dir: own/"),
            ("rules: {field-reused: warning}", "rules: {field-reused: warning}"),
        ] {
            assert_eq!(told(old, new), Vec::<String>::new(), "{old:?} -> {new:?}");
        }
    }

    /// A rule that is at worst `defaulted`, so that the threshold decides whether it breaks.
    const MILD: &str = "id: protobuf/mild\ntitle: T\nfamily: mild\nsince: 0.1.0\nclass: compatibility\n\
        when: { change: field-added }\nimpact:\n  wire: { backward: defaulted, forward: safe }\n  \
        json: { backward: safe, forward: safe }\n  source: { backward: safe, forward: safe }\n\
        message: M\nwhy: W\nfix: F\n";

    #[test]
    fn what_a_rule_is_without_a_word_follows_from_the_threshold_of_that_side() {
        let rules = RuleSet::from_files(&[RuleText { file: "mild.yaml", text: MILD }]).expect("well formed");
        let told = |old: [&str; 2], new: [&str; 2]| told_by(old.join("\n").as_str(), new.join("\n").as_str(), &rules);
        let (strict, warned) = ("fail-on: defaulted", "rules: {protobuf/mild: warning}");
        assert_eq!(told([strict, ""], [strict, warned]), ["rules.protobuf/mild: not set -> `warning`"]);
        assert_eq!(told([strict, warned], [strict, ""]), [""; 0], "it breaks again");
        assert_eq!(told(["", ""], ["", warned]), [""; 0], "it was a note, which is less");
        assert_eq!(told(["", warned], ["", ""]), ["rules.protobuf/mild: `warning` -> not set"]);
        assert_eq!(told(["", ""], [strict, warned]), [""; 0], "the old side did not stop it");
        let noted = "rules: {protobuf/mild: note}";
        assert_eq!(told(["", noted], ["", ""]), [""; 0], "it is a note without a word");
        let less = ["fail-on: `defaulted` -> `lossy`", "rules.protobuf/mild: `warning` -> not set"];
        assert_eq!(told([strict, warned], ["", ""]), less);
        let lossy = MILD.replace("defaulted", "lossy");
        let rules = RuleSet::from_files(&[RuleText { file: "lossy.yaml", text: &lossy }]).expect("well formed");
        let told = told_by("fail-on: wrong", &format!("fail-on: wrong\n{warned}"), &rules);
        assert_eq!(told, ["rules.protobuf/mild: not set -> `warning`"], "what is lossy is an error, breaking or not");
    }

    /// Rules of the two classes with a level each, in the order of loudness.
    #[test]
    fn each_level_is_louder_than_the_next() {
        let text = |id: &str, class: &str, wire: &str| {
            let head = format!("id: protobuf/{id}\ntitle: T\nfamily: {id}\nsince: 0.1.0\nclass: {class}\n");
            let rest = "when: { change: field-added }\nmessage: M\nwhy: W\nfix: F\n";
            let others = "json: { backward: safe, forward: safe }\n  source: { backward: safe, forward: safe }\n";
            format!("{head}{rest}impact:\n  wire: {{ backward: {wire}, forward: safe }}\n  {others}")
        };
        for (class, wire, levels) in [
            ("compatibility", "lossy", ["error", "warning", "note", "off"]),
            ("compatibility", "unrecognized", ["warning", "warning", "note", "off"]),
            ("compatibility", "safe", ["note", "warning", "note", "off"]),
            ("compatibility", "'{reads-old}'", ["error", "warning", "note", "off"]),
            ("hygiene\nseverity: error", "safe", ["error", "warning", "note", "off"]),
            ("hygiene\nseverity: warning", "safe", ["warning", "warning", "note", "off"]),
            ("hygiene\nseverity: note", "safe", ["note", "warning", "note", "off"]),
        ] {
            let text = text("r", class, wire);
            let rules = RuleSet::from_files(&[RuleText { file: "r.yaml", text: &text }]).expect("well formed");
            let rank = |level: &str| ["off", "note", "warning", "error"].iter().position(|one| *one == level);
            let set = |level: &str| format!("rules: {{r: {level}}}");
            let by_default = levels[0];
            for level in &levels[1..] {
                let is_told = !told_by("", &set(level), &rules).is_empty();
                assert_eq!(is_told, rank(level) < rank(by_default), "{class} {wire}: not set -> {level}");
                let is_told = !told_by(&set(level), "", &rules).is_empty();
                assert_eq!(is_told, rank(by_default) < rank(level), "{class} {wire}: {level} -> not set");
                // What is lossy stays an error where it does not break.
                let mild = |rest: &str| format!("fail-on: fails\n{rest}");
                let is_told = !told_by(&mild(""), &mild(&set(level)), &rules).is_empty();
                assert_eq!(is_told, rank(level) < rank(by_default), "{class} {wire}: not set -> {level}, above lossy");
            }
        }
    }

    #[test]
    fn a_threshold_above_lossy_makes_no_rule_less_loud() {
        // What is lossy is an error in any case; that `fail-on` went up is told by itself.
        let fails = "fail-on: fails";
        assert_eq!(told(fails, "fail-on: fails\nrules: {field-renumbered: warning}").len(), 1);
        assert_eq!(told("rules: {field-renumbered: warning}", fails), ["fail-on: `lossy` -> `fails`"]);
        let warned = "fail-on: wrong\nrules: {field-renumbered: warning}";
        assert_eq!(told("fail-on: wrong", warned), ["rules.field-renumbered: not set -> `warning`"]);
        assert_eq!(told(warned, "fail-on: wrong"), [""; 0]);
    }

    #[test]
    fn the_innermost_folder_counts() {
        let around = "roots: {a: {mode: none}, a/b: {mode: full}}";
        assert_eq!(told(around, "roots: {a: {mode: none}}"), ["roots.a/b.mode: `full` -> `none`"]);
        assert_eq!(
            told("roots: {a: {mode: full}}", "roots: {a: {mode: full}, a/b: {mode: none}}"),
            ["roots.a/b.mode: `full` -> `none`"]
        );
        let reached = |names: &str| format!("roots: {{a: {{reachable-from: [{names}]}}}}");
        assert_eq!(told(&reached("s.T, s.U"), &reached("s.T")), ["roots.a.reachable-from: `s.T`, `s.U` -> `s.T`"]);
    }

    #[test]
    fn another_waiver_file_is_told() {
        let versions = Pair::new(version(""), Version { waivers: "other.yaml".to_owned(), ..version("") });
        let changes = loosened(versions.as_ref(), RuleSet::built_in());
        assert_eq!(changes.iter().map(|change| change.path.as_str()).collect::<Vec<_>>(), ["waivers"]);
    }

    #[test]
    fn a_change_cannot_silence_what_is_said_about_it() {
        let name = "policy/configuration-loosened";
        let level = |old: &str, new: &str| {
            let versions = Pair::new(version(old), version(new));
            about_policy(Pair::new(&versions.old.config, &versions.new.config), RuleSet::built_in())[name]
        };
        let set = |level: &str| format!("rules: {{{name}: {level}}}");
        assert_eq!(level("", &set("off")), Override::Warning);
        assert_eq!(level(&set("error"), ""), Override::Error);
        assert_eq!(level(&set("off"), &set("off")), Override::Off);
        assert_eq!(level("", ""), Override::Warning);
        assert_eq!(level(&set("note"), &set("off")), Override::Note, "each step counts");
        assert_eq!(level(&set("note"), &set("warning")), Override::Warning);
    }

    #[test]
    fn the_place_is_the_line_of_the_key() {
        let text = "# mode: none\nmode: full\nrules:\n  field-reused: off\n  protobuf/field-renamed: note\nroots:\n  a/b:\n    mode: none\n";
        let line = |keys: &[&str]| {
            let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
            &text[place_of(text, &keys).range()]
        };
        assert_eq!(line(&["mode"]), "mode: full");
        assert_eq!(line(&["rules", "protobuf/field-renamed"]), "protobuf/field-renamed: note");
        assert_eq!(line(&["roots", "a/b", "mode"]), "mode: none");
        assert_eq!(line(&["roots", "absent", "mode"]), "roots:");
        assert_eq!(line(&["fail-on"]), "");
        let flow = "rules: {field-reused: off}\n";
        assert_eq!(&flow[place_of(flow, &["rules".to_owned(), "field-reused".to_owned()]).range()], flow.trim_end());
    }

    #[test]
    fn a_waiver_that_counts_longer_is_told() {
        let file = |until: &str| {
            crate::config::waivers::parse("w.yaml", &format!("- id: 9c1f03ab27de\n  reason: x\n{until}"))
                .expect("valid")
        };
        let count = |old: &str, new: &str| prolonged(Pair::new(&file(old), &file(new))).len();
        assert_eq!(count("  until: 2026-01-01\n", "  until: 2026-02-01\n"), 1);
        assert_eq!(count("  until: 2026-01-01\n", ""), 1);
        assert_eq!(count("  until: 2026-01-01\n", "  until: 2025-02-01\n"), 0);
        assert_eq!(count("  until: 2026-01-01\n", "  until: 2026-01-01\n"), 0);
        assert_eq!(count("", "  until: 2026-02-01\n"), 0);
    }
}
