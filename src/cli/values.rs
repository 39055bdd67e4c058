//! The words options take.

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::config::Judging;
use crate::config::history::History;
use crate::evidence::{Outcome, Surface};
use crate::failure::nearest;
use crate::formats::{Encoding, Format, Part, Writers};
use crate::ordered::OrderedSet;
use crate::rules::{PeerTable, Profile};
use crate::text::mode_sentence;
use crate::verdict::Mode;

/// When to use colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// When to have a comment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum CommentWhen {
    /// When there is something to tell
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// A form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Rendering {
    /// For people, in a terminal
    Text,
    /// For programs (wireproof.report/v1)
    Json,
    /// For pull requests and job summaries
    Markdown,
    /// One page for a browser, complete and offline
    Html,
    /// For code scanning (SARIF 2.1.0)
    Sarif,
    /// For CI systems that show test results
    Junit,
    /// Annotations in a GitHub Actions log (workflow commands)
    Github,
    /// Verdict and counts as `key=value` lines, for the output file of a GitHub step
    GithubOutput,
    /// GitLab's code quality report
    Gitlab,
    /// The lines that `buf breaking --error-format json` prints
    Buf,
}

/// How to list rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Listing {
    /// One line per rule
    Text,
    /// Everything about each rule
    Json,
}

/// What a JSON Schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaOf {
    /// The report
    Report,
    /// The configuration file
    Config,
    /// The waiver file
    Waivers,
}

/// A shell that completes command lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// Bash
    Bash,
    /// Zsh
    Zsh,
    /// Fish
    Fish,
    /// Elvish: commands, options and fixed values
    Elvish,
    /// Nushell: commands, options and fixed values
    Nushell,
    /// PowerShell: commands, options and fixed values
    #[value(name = "powershell")]
    PowerShell,
}

/// A report to write to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// In which form.
    pub rendering: Rendering,
    /// Where to.
    pub path: PathBuf,
}

/// A word of the closed vocabulary.
pub(super) fn judging() -> impl TypedValueParser<Value = Judging> {
    PossibleValuesParser::new(Judging::ALL.iter().map(|judging| PossibleValue::new(judging.name())))
        .map(|name| Judging::from_name(&name).unwrap_or(Judging::Both))
}

/// `FORMAT=PATH`
pub(super) fn output(text: &str) -> Result<Output, String> {
    let names = || {
        Rendering::value_variants()
            .iter()
            .filter_map(|form| form.to_possible_value().map(|value| value.get_name().to_owned()))
    };
    let forms = || names().collect::<Vec<_>>().join(", ");
    let (form, path) = text
        .split_once('=')
        .ok_or_else(|| format!("write FORMAT=PATH, for example `json=report.json` (formats: {})", forms()))?;
    let rendering = Rendering::from_str(form, false).map_err(|_| {
        let known: Vec<String> = names().collect();
        match nearest(form, known.iter().map(String::as_str)) {
            Some(near) => format!("`{form}` is not a format; did you mean `{near}`?"),
            None => format!("`{form}` is not a format; there are {}", forms()),
        }
    })?;
    if path.is_empty() {
        return Err(format!("the path is missing after `{form}=`"));
    }
    if path == "-" {
        return Err(format!("standard output is chosen with `--format {form}`; after `{form}=` comes a file"));
    }
    Ok(Output { rendering, path: PathBuf::from(path) })
}

/// `OWNER/NAME@REF`, as a workflow names an action.
pub(super) fn action(text: &str) -> Result<String, String> {
    let is_plain = |word: &str, more: &str| {
        !word.is_empty() && word.chars().all(|letter| letter.is_ascii_alphanumeric() || more.contains(letter))
    };
    let parts = text.split_once('@').and_then(|(name, reference)| {
        let (owner, name) = name.split_once('/')?;
        Some(is_plain(owner, "-_") && is_plain(name, "-_./") && is_plain(reference, "-_./"))
    });
    match parts {
        Some(true) => Ok(text.to_owned()),
        _ => Err("name the action as workflows do: `OWNER/NAME@COMMIT`".to_owned()),
    }
}

/// More parts than this are a mistake.
const MOST_PARTS: u32 = 1000;

/// `K/N`
pub(super) fn shard(text: &str) -> Result<Part, String> {
    let number =
        |digits: &str| digits.parse::<u32>().ok().filter(|_| digits.bytes().all(|digit| digit.is_ascii_digit()));
    let (number, of) = text
        .split_once('/')
        .and_then(|(one, of)| Some((number(one)?, number(of)?)))
        .ok_or("write which part, and of how many: `1/3`")?;
    match (number, of) {
        (_, 0) => Err("there is at least one part: `1/1`".to_owned()),
        (_, of) if of > MOST_PARTS => Err(format!("there are at most {MOST_PARTS} parts")),
        (number, of) if number == 0 || number > of => Err(format!("parts are counted from 1 to {of}")),
        (number, of) => Ok(Part { number, of }),
    }
}

/// A word of the closed vocabulary.
pub(super) fn writers() -> impl TypedValueParser<Value = Writers> {
    PossibleValuesParser::new(Writers::ALL.iter().map(|writers| PossibleValue::new(writers.name())))
        .map(|name| Writers::from_name(&name).unwrap_or(Writers::Declared))
}

/// A word of the closed vocabulary.
pub(super) fn encoding() -> impl TypedValueParser<Value = Encoding> {
    PossibleValuesParser::new(Encoding::ALL.iter().map(|encoding| PossibleValue::new(encoding.name())))
        .map(|name| Encoding::from_name(&name).unwrap_or(Encoding::Json))
}

pub(super) fn history(text: &str) -> Result<History, String> {
    History::parse(text)
}

pub(super) fn mode() -> impl TypedValueParser<Value = Mode> {
    ModeParser
}

/// Modes are also taken as registries write them: `BACKWARD_TRANSITIVE`.
#[derive(Clone)]
struct ModeParser;

impl TypedValueParser for ModeParser {
    type Value = Mode;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Mode, clap::Error> {
        let plain = value.to_string_lossy();
        let plain = Mode::of_registry(&plain).map_or_else(|| plain.into_owned(), |mode| mode.name().to_owned());
        words(Mode::ALL, |mode| mode.name(), |_| true).parse_ref(command, argument, std::ffi::OsStr::new(&plain))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let value = |mode: &Mode| PossibleValue::new(mode.name()).help(mode_sentence(&(*mode).into()));
        Some(Box::new(Mode::ALL.iter().map(value)))
    }
}

pub(super) fn profile() -> impl TypedValueParser<Value = &'static Profile> {
    let names: OrderedSet<&str> = Profile::all().map(|profile| profile.name.as_str()).collect();
    PossibleValuesParser::new(names.into_iter().map(PossibleValue::new))
        .map(|word| Profile::all().find(|profile| profile.name == word).expect("clap accepts only the names listed"))
}

pub(super) fn profile_help() -> String {
    let tools = PeerTable::built_in().iter().map(|table| {
        let names: Vec<&str> = table.profiles.iter().map(|profile| profile.name.as_str()).collect();
        format!("{} ({})", names.join(", "), table.means)
    });
    format!("Judge as another tool would: {}", tools.collect::<Vec<_>>().join(", "))
}

pub(super) fn surface() -> impl TypedValueParser<Value = Surface> {
    words(Surface::ALL, |surface| surface.name(), |_| true)
}

pub(super) fn fail_on() -> impl TypedValueParser<Value = Outcome> {
    words(Outcome::ALL, |outcome| outcome.name(), |outcome| outcome != Outcome::Safe)
}

pub(super) fn schema_language() -> impl TypedValueParser<Value = Format> {
    words(Format::ALL, |format| format.name(), |_| true)
}

/// Members of a closed vocabulary by their names.
fn words<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
    allowed: fn(T) -> bool,
) -> impl TypedValueParser<Value = T> {
    let values = all.iter().copied().filter(|member| allowed(*member)).map(|member| PossibleValue::new(name(member)));
    PossibleValuesParser::new(values).map(move |word| {
        all.iter().copied().find(|member| name(*member) == word).expect("clap accepts only the names listed")
    })
}
