//! The words options take.

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::evidence::{Outcome, Surface};
use crate::formats::Format;
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

/// A form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Rendering {
    /// For people, in a terminal
    Text,
    /// For programs (wireproof.report/v1)
    Json,
    /// For pull requests and job summaries
    Markdown,
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
}

/// A report to write to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// In which form.
    pub rendering: Rendering,
    /// Where to.
    pub path: PathBuf,
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
    let rendering =
        Rendering::from_str(form, false).map_err(|_| format!("`{form}` is not a format; there are {}", forms()))?;
    if path.is_empty() {
        return Err(format!("the path is missing after `{form}=`"));
    }
    Ok(Output { rendering, path: PathBuf::from(path) })
}

pub(super) fn mode() -> impl TypedValueParser<Value = Mode> {
    words(Mode::ALL, |mode| mode.name(), |_| true)
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
