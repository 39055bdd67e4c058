//! The configuration file, valid by construction: whoever holds a [`Config`] need not check anything again.
//!
//! Reads no files: the caller brings the text. Nothing in it is ignored: an unknown key, a wrong value, a rule that does not
//! exist and a key of a later version are errors with their place.

pub mod buf;
pub mod history;
pub mod loosened;
mod place;
mod raw;
pub mod unmatched;
pub mod waiver_text;
pub mod waivers;
mod yaml;

use std::path::PathBuf;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::evidence::{Outcome, Surface};
use crate::failure::{Failure, nearest};
use crate::formats::{Encoding, Usage, Writers};
use crate::ordered::{InOrder, OrderedMap};
use crate::verdict::{Mode, Override};
use crate::vocabulary::vocabulary;

pub use place::relative;
pub use raw::schema;

use history::{History, RawHistory};
use place::Text;
use raw::{RawConfig, RawRoot, Words};

/// Where a configuration is looked for, in this order, in each folder from the working directory upwards.
pub const NAMES: [&str; 3] = ["wireproof.yaml", ".wireproof.yaml", ".github/wireproof.yaml"];

vocabulary! {
    /// Whose configuration judges a change.
    Judging {
        /// That of the base and that of the new side: the stricter counts.
        Both = "both",
        /// That of the new side alone.
        Head = "head",
    }
}

/// What the configuration says; everything is optional.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// Its name, for messages.
    pub name: String,
    /// Its text, for messages.
    pub text: String,
    /// The file it was read from; the caller knows it.
    pub file: Option<PathBuf>,
    /// The folder that its paths start from; the caller knows it.
    pub folder: Option<PathBuf>,
    /// Which directions must hold.
    pub mode: Option<Mode>,
    /// Which surfaces count.
    pub surfaces: Option<Vec<Surface>>,
    /// From which outcome on a finding breaks.
    pub fail_on: Option<Outcome>,
    /// Only files that match are judged.
    pub include: Option<Vec<Glob>>,
    /// Files that match are not judged.
    pub exclude: Option<Vec<Glob>>,
    /// Folders with terms of their own.
    pub roots: Vec<Root>,
    /// Rule id or family → what it is set to.
    pub rules: OrderedMap<String, Override>,
    /// The folder of the user's own rules.
    pub rules_dir: Option<PathBuf>,
    /// Packages whose findings are notes.
    pub unstable: Vec<Glob>,
    /// The waiver file, relative to the configuration.
    pub waivers: Option<String>,
    /// Whether comments in schemas are waivers.
    pub inline_waivers: Option<bool>,
    /// Whose configuration judges; that of the base decides.
    pub configuration: Option<Judging>,
    /// The branch that changes are merged into.
    pub base: Option<String>,
    /// Which versions before the base count.
    pub history: Option<History>,
    /// How instances of JSON Schemas are used.
    pub instances: Instances,
}

/// The command that prints the form of the configuration.
const FORM: &str = "`wireproof schema config`";

/// How instances of JSON Schemas are used, as far as it is said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Instances {
    /// What writers write.
    pub writers: Option<Writers>,
    /// Whether readers assert formats.
    pub assert_formats: Option<bool>,
    /// In which encodings instances travel.
    pub encodings: Option<Vec<Encoding>>,
}

impl Instances {
    /// The use, with what is not said as `usual` has it.
    pub fn over(&self, usual: &Usage) -> Usage {
        Usage {
            writers: self.writers.unwrap_or(usual.writers),
            asserts_formats: self.assert_formats.unwrap_or(usual.asserts_formats),
            encodings: self.encodings.clone().unwrap_or_else(|| usual.encodings.clone()),
        }
    }

    /// This, with what it does not say as `other` says it.
    #[must_use]
    pub fn or(&self, other: &Instances) -> Instances {
        Instances {
            writers: self.writers.or(other.writers),
            assert_formats: self.assert_formats.or(other.assert_formats),
            encodings: self.encodings.clone().or_else(|| other.encodings.clone()),
        }
    }
}

/// A folder with terms of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The folder, relative to the configuration.
    pub path: String,
    /// Which directions must hold here.
    pub mode: Option<Mode>,
    /// Which surfaces count here.
    pub surfaces: Option<Vec<Surface>>,
    /// Where imports start, relative to the configuration.
    pub import_paths: Vec<String>,
    /// Types or services; only what they reach is judged here.
    pub reachable_from: Vec<String>,
    /// How instances of the JSON Schemas here are used.
    pub instances: Instances,
}

impl Config {
    /// The configuration in a text; `name` is for messages.
    pub fn parse(name: &str, text: &str) -> Result<Config, Failure> {
        let text = Text { name, text: text.strip_prefix('\u{feff}').unwrap_or(text), form: FORM };
        let raw: RawConfig = yaml::read(&text)?;
        let globs = |key: &str, words: Option<Words>| words.map(|words| globs(&text, key, &words.0)).transpose();
        let mut roots = Vec::new();
        for (path, raw) in raw.roots.unwrap_or_default() {
            let root = root(&text, &path, raw)?;
            refuse_twice(&text, &path, &root, &roots)?;
            roots.push(root);
        }
        let mut rules = OrderedMap::new();
        for (key, level) in raw.rules.unwrap_or_default() {
            let level = member(&text, &key, &level, Override::ALL, |level| level.name())?;
            rules.insert(key, level);
        }
        Ok(Config {
            name: name.to_owned(),
            text: text.text.to_owned(),
            file: None,
            folder: None,
            mode: raw.mode.map(|mode| mode_named(&text, &mode)).transpose()?,
            surfaces: raw.surfaces.map(|names| surfaces(&text, &names.0)).transpose()?,
            fail_on: raw.fail_on.map(|name| fail_on(&text, &name)).transpose()?,
            include: globs("include", raw.include)?,
            exclude: globs("exclude", raw.exclude)?,
            roots,
            rules,
            rules_dir: raw.rules_dir.map(PathBuf::from),
            unstable: globs("unstable", raw.unstable)?.unwrap_or_default(),
            waivers: raw.waivers.map(|path| waiver_path(&text, &path)).transpose()?,
            inline_waivers: raw.inline_waivers,
            configuration: raw
                .configuration
                .map(|word| member(&text, "configuration", &word, Judging::ALL, |judging| judging.name()))
                .transpose()?,
            base: raw.base.map(|name| branch(&text, name)).transpose()?,
            history: raw.history.map(|raw| history(&text, raw)).transpose()?,
            instances: instances(&text, (raw.writers, raw.assert_formats, raw.encodings))?,
        })
    }

    /// Refuses `rules:` that name neither a rule nor a family; the caller knows which there are.
    pub fn check_rules<'a>(&self, known: impl Iterator<Item = &'a str> + Clone) -> Result<(), Failure> {
        let Some(unknown) = self.rules.keys().find(|key| !known.clone().any(|name| name == key.as_str())) else {
            return Ok(());
        };
        let near = nearest(unknown, known.clone())
            .or_else(|| known.clone().find(|name| name.ends_with(&format!("/{unknown}"))));
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`wireproof rules` lists every rule and its family".to_owned(),
        };
        Err(Text { name: &self.name, text: &self.text, form: FORM }.error_at_word(
            unknown,
            &format!("there is no rule and no family `{unknown}`"),
            &help,
        ))
    }
}

impl Config {
    /// A failure that a key is to blame for, with the place of the key.
    pub fn blamed(&self, key: &str, failure: &Failure) -> Failure {
        Text { name: &self.name, text: &self.text, form: FORM }.error_at_word(key, &failure.message, &failure.help)
    }

    /// The line that a name stands in, counted from 1.
    pub fn line_of_name(&self, name: &str) -> Option<usize> {
        let is_there = |line: &str| !line.trim_start().starts_with('#') && place::find_word(line, name).is_some();
        self.text.lines().position(is_there).map(|at| at + 1)
    }

    /// Whether comments in schemas are waivers.
    pub fn takes_comments(&self) -> bool {
        self.inline_waivers.unwrap_or(true)
    }
}

/// One set from several globs.
pub fn glob_set(globs: &[Glob]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(glob.clone());
    }
    set.build().unwrap_or_default()
}

fn globs(text: &Text<'_>, key: &str, patterns: &[String]) -> Result<Vec<Glob>, Failure> {
    let mut globs = Vec::new();
    for pattern in patterns {
        // In paths `*` stops at a slash; in package names there are none, so `*.v1alpha*` covers what is below.
        let trimmed = pattern.trim_start_matches("./");
        let spelled = if trimmed.ends_with('/') { format!("{trimmed}**") } else { trimmed.to_owned() };
        let glob = GlobBuilder::new(&spelled).literal_separator(true).build().map_err(|error| {
            text.error_at_value(
                key,
                pattern,
                &format!("`{pattern}` in `{key}` is not a glob: {}", error.kind()),
                "for example `proto/**/*.proto`",
            )
        })?;
        globs.push(glob);
    }
    Ok(globs)
}

fn root(text: &Text<'_>, path: &str, raw: RawRoot) -> Result<Root, Failure> {
    let inside = crate::config::place::relative(path).ok_or_else(|| {
        text.error_at_word(
            path,
            &format!("the root `{path}` lies outside of the configuration's folder"),
            "name a folder below it, such as `proto/public`",
        )
    })?;
    Ok(Root {
        path: inside,
        mode: raw.mode.map(|mode| mode_named(text, &mode)).transpose()?,
        surfaces: raw.surfaces.map(|names| surfaces(text, &names.0)).transpose()?,
        import_paths: raw.import_paths.map(|words| words.0).unwrap_or_default(),
        reachable_from: raw.reachable_from.map(|words| words.0).unwrap_or_default(),
        instances: instances(text, (raw.writers, raw.assert_formats, raw.encodings))?,
    })
}

/// A folder that is spelled in two ways is a key given twice.
fn refuse_twice(text: &Text<'_>, path: &str, root: &Root, others: &[Root]) -> Result<(), Failure> {
    match others.iter().any(|other| other.path == root.path) {
        false => Ok(()),
        true => Err(text.error_at_value(
            "roots",
            path,
            &format!(
                "the folder `{}` is given twice in `roots`, here as `{path}`",
                if root.path.is_empty() { "." } else { &root.path }
            ),
            "keep one of the two",
        )),
    }
}

/// The name of a branch, as git allows them.
fn branch(text: &Text<'_>, name: String) -> Result<String, Failure> {
    let is_wrong = |part: &str| part.is_empty() || part.starts_with(['.', '-']) || part.ends_with(".lock");
    let is_refused = |char: char| char.is_control() || " ~^:?*[\\".contains(char);
    let is_name = !name.split('/').any(is_wrong) && !name.contains(is_refused) && !name.ends_with('.');
    match is_name && !name.contains("..") && !name.contains("@{") && !name.starts_with("refs/") {
        true => Ok(name),
        false => Err(text.error_at_value(
            "base",
            &name,
            &format!("`{name}` in `base` is not the name of a branch"),
            "write the name alone, as in `base: develop`",
        )),
    }
}

/// A waiver file elsewhere could not be reviewed together with the change.
fn waiver_path(text: &Text<'_>, path: &str) -> Result<String, Failure> {
    let inside = place::relative(path).filter(|inside| !inside.is_empty());
    inside.ok_or_else(|| {
        text.error_at_value(
            "waivers",
            path,
            &format!("the waiver file `{path}` lies outside of the configuration's folder"),
            &format!("name a file below it, such as `{}`", waivers::WAIVERS),
        )
    })
}

/// Modes are also taken as registries write them.
fn mode_named(text: &Text<'_>, name: &str) -> Result<Mode, Failure> {
    Mode::of_registry(name).map_or_else(|| member(text, "mode", name, Mode::ALL, |mode| mode.name()), Ok)
}

fn history(text: &Text<'_>, raw: RawHistory) -> Result<History, Failure> {
    let help = "for example `history: first-parent`, or the keys `tags`, `dir` and `depth` below it";
    raw.understood().map_err(|why| text.error_at_word("history", &why, help))
}

fn surfaces(text: &Text<'_>, names: &[String]) -> Result<Vec<Surface>, Failure> {
    let mut chosen = Vec::new();
    for name in names {
        chosen.push(member(text, "surfaces", name, Surface::ALL, |surface| surface.name())?);
    }
    if chosen.is_empty() {
        return Err(text.error_at_word(
            "surfaces",
            "`surfaces` is empty, so nothing would be judged",
            "list at least one of wire, json, source; to let everything pass, set `mode: none`",
        ));
    }
    chosen.sort_in_order();
    chosen.dedup();
    Ok(chosen)
}

fn instances(
    text: &Text<'_>,
    (writers, assert_formats, encodings): (Option<String>, Option<bool>, Option<Words>),
) -> Result<Instances, Failure> {
    let named = |names: Words| {
        let members = names.0.iter().map(|name| member(text, "encodings", name, Encoding::ALL, |one| one.name()));
        let mut found = members.collect::<Result<Vec<Encoding>, Failure>>()?;
        found.sort_in_order();
        found.dedup();
        Ok(found)
    };
    Ok(Instances {
        writers: writers.map(|word| member(text, "writers", &word, Writers::ALL, |one| one.name())).transpose()?,
        assert_formats,
        encodings: encodings.map(named).transpose()?,
    })
}

fn fail_on(text: &Text<'_>, name: &str) -> Result<Outcome, Failure> {
    let outcomes: Vec<Outcome> = Outcome::ALL.iter().copied().filter(|outcome| *outcome != Outcome::Safe).collect();
    member(text, "fail-on", name, &outcomes, |outcome| outcome.name())
}

/// The member of a closed vocabulary that a word names.
fn member<T: Copy>(
    text: &Text<'_>,
    key: &str,
    word: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, Failure> {
    if let Some(found) = all.iter().copied().find(|member| name(*member) == word) {
        return Ok(found);
    }
    let names: Vec<&str> = all.iter().map(|member| name(*member)).collect();
    let mut help = format!("one of {}", names.join(", "));
    if let Some(near) = nearest(word, names.iter().copied()) {
        help = format!("did you mean `{near}`? ({help})");
    }
    Err(text.error_at_value(key, word, &format!("`{word}` is not a value of `{key}`"), &help))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Config::parse("wireproof.yaml", text).expect_err("must be refused").to_string()
    }

    #[test]
    fn whoever_looks_through_a_work_tree_knows_what_they_are_called() {
        assert!(NAMES.iter().all(|name| crate::source::is_configuration(&format!("a/{name}"))));
    }

    #[test]
    fn every_key_of_this_version_is_understood() {
        let config = Config::parse(
            "wireproof.yaml",
            "mode: backward\nsurfaces: [json, wire]\nfail-on: fails\ninclude: ['proto/**']\nexclude: vendor/\n\
             roots:\n  proto/public:\n    mode: full\n    surfaces: wire\n    import-paths: [proto]\n    reachable-from: [shop.v1.Store]\n\
             rules:\n  protobuf/field-reused: warning\n  field-removed: off\nrules-dir: own-rules\nunstable: ['*.v1alpha*']\n\
             waivers: ./api/waivers.yaml\nbase: develop\n",
        )
        .expect("a valid configuration");
        assert_eq!(config.mode, Some(Mode::Backward));
        assert_eq!(config.surfaces, Some(vec![Surface::Wire, Surface::Json]));
        assert_eq!(config.fail_on, Some(Outcome::Fails));
        assert_eq!(config.rules["field-removed"], Override::Off);
        assert_eq!(config.roots[0].path, "proto/public");
        assert_eq!((config.waivers.as_deref(), config.base.as_deref()), (Some("api/waivers.yaml"), Some("develop")));
        assert!(glob_set(&config.unstable).is_match("shop.v1alpha1"));
        assert!(glob_set(&config.exclude.expect("given")).is_match("vendor/a/b.proto"));
    }

    #[test]
    fn an_empty_file_says_nothing() {
        assert!(Config::parse("wireproof.yaml", "").expect("valid").mode.is_none());
        assert!(Config::parse("wireproof.yaml", "# nothing yet\n").expect("valid").mode.is_none());
    }

    #[test]
    fn an_unknown_key_is_an_error_with_its_place_and_the_nearest_key() {
        let message = error("mode: full\nfail_on: lossy\n");
        assert!(message.contains("wireproof.yaml:2:1"), "{message}");
        assert!(message.contains("did you mean `fail-on`?"), "{message}");
        assert!(message.contains("2 | fail_on: lossy"), "{message}");
    }

    #[test]
    fn a_wrong_value_is_an_error_with_its_place() {
        let message = error("mode: ful\n");
        assert!(message.contains("wireproof.yaml:1:7") && message.contains("did you mean `full`?"), "{message}");
        assert!(error("surfaces: [wire, jsn]\n").contains("did you mean `json`?"));
        assert!(error("rules:\n  field-reused: fatal\n").contains("wireproof.yaml:2:17"));
        assert!(error("mode: [full]\n").contains("wireproof.yaml:1:"));
    }

    #[test]
    fn a_key_without_a_value_is_an_error_with_its_place() {
        for (text, place, key) in [
            ("mode:\n", "1:1", "mode"),
            ("rules: {}\nmode: ~\n", "2:1", "mode"),
            ("mode: full\nexclude:\n", "2:1", "exclude"),
            ("rules: null\n", "1:1", "rules"),
            ("rules:\n  field-reused:\n", "2:3", "field-reused"),
            ("roots:\n  shop:\nmode: none\n", "2:3", "shop"),
            ("roots: {shop: {mode: }}\n", "1:16", "mode"),
            ("inline-waivers: Null\n", "1:1", "inline-waivers"),
            ("history:\n  depth:\n", "2:3", "depth"),
        ] {
            let message = error(text);
            assert!(message.contains(&format!("wireproof.yaml:{place}\n")), "{text:?}: {message}");
            assert!(message.contains(&format!("`{key}` has no value")), "{text:?}: {message}");
        }
        assert!(error("exclude: [a, ~]\n").contains("an entry of the list has no value"));
        assert!(Config::parse("wireproof.yaml", "exclude: ['~', 'null']\n").is_ok());
    }

    #[test]
    fn keys_of_later_versions_are_refused_and_not_ignored() {
        let text = "roots:\n  proto:\n    profile: buf/FILE\n";
        assert!(error(text).contains("not available yet in this version"), "{text}");
    }

    #[test]
    fn how_instances_are_used_is_said_for_all_and_for_folders() {
        let text = "writers: any\nencodings: [cbor, json, cbor]\nroots:\n  events:\n    assert-formats: true\n    writers: declared\n";
        let config = Config::parse("wireproof.yaml", text).expect("valid");
        let all = config.instances.over(&Usage::default());
        assert_eq!((all.writers, all.asserts_formats), (Writers::Any, false));
        assert_eq!(all.encodings, [Encoding::Json, Encoding::Cbor]);
        let here = config.roots[0].instances.over(&all);
        assert_eq!((here.writers, here.asserts_formats, here.encodings), (Writers::Declared, true, all.encodings));
        assert!(error("encodings: [bsn]\n").contains("did you mean `bson`?"));
        assert!(error("writers: all\n").contains("one of declared, any"));
        assert!(error("assert-formats: perhaps\n").contains("wireproof.yaml:1:"));
    }

    #[test]
    fn what_yaml_takes_for_something_else_is_told_in_words() {
        for text in ["exclude: [*.proto]\n", "exclude: [**/*.proto]\n", "unstable: *.v1alpha*\n"] {
            let message = error(text);
            assert!(message.contains("wireproof.yaml:1:11") && message.contains("put it in quotes"), "{message}");
            assert!(!message.contains("anchor"), "{message}");
        }
        let message = error("mode: full\n<<<<<<< ours\nmode: none\n=======\n>>>>>>> theirs\n");
        assert!(message.contains("wireproof.yaml:2:1") && message.contains("a conflict"), "{message}");
        let message = error("mode: full\nexclude: [\"a\\\\b\\\\\"]\n");
        assert!(message.contains("`a\\b\\` in `exclude`") && message.contains("wireproof.yaml:2:1"), "{message}");
    }

    #[test]
    fn history_is_a_word_or_keys() {
        let history = |text: &str| Config::parse("wireproof.yaml", text).expect("valid").history.expect("it is there");
        assert_eq!(history("history: tags:v*\n"), history("history:\n  tags: v*\n"));
        assert_eq!(history("history: {depth: 3}\n").depth.get(), 3);
        assert!(error("history: everything\n").contains("names no versions"));
        assert!(error("history: {tags: a, dir: b}\n").contains("not both"));
        for (text, place, said) in [
            ("history:\n  tags: v*\n  depth: -1\n", "3:3", "expected a number from 1 on"),
            ("history: {depth: three}\n", "1:11", "expected a number from 1 on"),
            ("history: {depht: 3}\n", "1:11", "did you mean `depth`?"),
            ("history: {tags: v*, tags: w*}\n", "1:21", "given twice"),
            ("history: [a]\n", "1:1", "or the keys `tags`, `dir` and `depth`"),
            ("history: 5\n", "1:1", "or the keys `tags`, `dir` and `depth`"),
        ] {
            let message = error(text);
            assert!(
                message.contains(&format!("wireproof.yaml:{place}\n")) && message.contains(said),
                "{text}{message}"
            );
        }
        let config = Config::parse("wireproof.yaml", "mode: BACKWARD_TRANSITIVE\n").expect("valid");
        assert_eq!(config.mode, Some(Mode::BackwardTransitive));
    }

    #[test]
    fn the_waiver_file_lies_beside_the_configuration_or_below() {
        for path in ["../w.yaml", "/etc/w.yaml", "."] {
            let message = error(&format!("mode: full\nwaivers: {path}\n"));
            assert!(message.contains("wireproof.yaml:2:10") && message.contains("outside"), "{message}");
        }
    }

    #[test]
    fn the_base_is_the_name_of_a_branch() {
        for name in ["develop", "release/2.x", "team@home"] {
            let config = Config::parse("wireproof.yaml", &format!("base: {name}\n")).expect(name);
            assert_eq!(config.base.as_deref(), Some(name));
        }
        for name in [
            "''",
            "-x",
            "--upload-pack=x",
            "a..b",
            "a b",
            "a~1",
            "HEAD^",
            "a:b",
            "@{u}",
            "/a",
            "a/",
            "refs/heads/a",
            "a/.b",
            "x.lock",
            "[a]",
        ] {
            let message = error(&format!("base: {name}\n"));
            assert!(message.contains("wireproof.yaml:1:") || message.contains("branch"), "{name}: {message}");
        }
    }

    #[test]
    fn a_key_given_twice_is_an_error() {
        assert!(error("mode: full\nmode: none\n").contains("wireproof.yaml:2:1"));
    }

    #[test]
    fn an_unknown_rule_is_reported() {
        let config = Config::parse("wireproof.yaml", "rules:\n  field-resued: off\n").expect("valid");
        let message =
            config.check_rules(["protobuf/field-reused", "field-reused"].into_iter()).expect_err("unknown").to_string();
        assert!(message.contains("did you mean `field-reused`?"), "{message}");
    }
}
