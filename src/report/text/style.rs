//! How the report is drawn on a terminal: colours, width, how much is said.

use annotate_snippets::Renderer;
use annotate_snippets::renderer::{AnsiColor, DecorStyle, Effects, Style};

use super::super::overview::Weight;
use crate::text;
use crate::vocabulary::{Open, ProblemSeverity, Severity};

/// How to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextStyle {
    /// Whether to use colours.
    pub color: Color,
    /// How much to say.
    pub detail: Detail,
    /// Prose is wrapped at this many columns.
    pub width: usize,
    /// What becomes of lines that are looked for in logs: titles, problems, the foot.
    pub lines: LongLines,
}

/// What becomes of a line that says one thing and is longer than the width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongLines {
    /// It stays whole: a log is searched by lines.
    Whole,
    /// It is broken between words: a terminal would break it within them.
    Broken,
}

/// Whether to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// Text only.
    Plain,
    /// ANSI escape sequences.
    Ansi,
}

/// How much to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// The verdict, and one line for each finding that breaks.
    Quiet,
    /// What breaks in full, the rest in short.
    Normal,
    /// Everything in full.
    Verbose,
}

impl Default for TextStyle {
    fn default() -> Self {
        Self { color: Color::Plain, detail: Detail::Normal, width: 100, lines: LongLines::Whole }
    }
}

impl TextStyle {
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        match self.color {
            Color::Plain => text.to_owned(),
            Color::Ansi => format!("{style}{text}{style:#}"),
        }
    }

    /// A mark of something that holds, that breaks, or that means nothing.
    pub(crate) fn mark(&self, holds: Option<bool>, text: &str) -> String {
        let style = match holds {
            Some(true) => GOOD,
            Some(false) => BAD,
            None => DIM,
        };
        self.paint(style, text)
    }

    pub(crate) fn renderer(&self) -> Renderer {
        let renderer = match self.color {
            Color::Plain => Renderer::plain(),
            Color::Ansi => Renderer::styled(),
        };
        renderer.decor_style(DecorStyle::Ascii).term_width(self.width.max(NARROWEST))
    }

    /// Room for prose behind a label like `  = who breaks: `.
    pub(super) fn prose(&self) -> usize {
        self.room(18)
    }

    /// Columns for prose that so many others stand before.
    pub(crate) fn room(&self, before: usize) -> usize {
        self.width.max(NARROWEST) - before
    }

    /// Columns for a line that says one thing, with so many others before it.
    pub(crate) fn edge(&self, before: usize) -> usize {
        match self.lines {
            LongLines::Whole => usize::MAX,
            LongLines::Broken => self.room(before),
        }
    }

    /// A drawn block whose first line, a label and a message, is broken where it does not fit.
    pub(super) fn in_lines(&self, drawn: String, label: &str, message: &str) -> String {
        let lines = text::wrap(&format!("{label}: {message}"), self.edge(2)).join("\n  ");
        match lines.strip_prefix(label) {
            Some(rest) if rest.contains('\n') => drawn.replacen(&format!(": {message}"), rest, 1),
            Some(_) | None => drawn,
        }
    }
}

/// Longer messages hold a name nobody reads to its end; both ends stay.
pub(super) const MESSAGE_LENGTH: usize = 600;

/// A message on one line, at most so long that a screen holds it.
pub(super) fn message(words: &str) -> String {
    text::visible(&text::elide(words, MESSAGE_LENGTH)).into_owned()
}

/// A terminal of fewer columns breaks the lines itself.
const NARROWEST: usize = 40;

pub(crate) const BOLD: Style = Style::new().effects(Effects::BOLD);
pub(crate) const DIM: Style = Style::new().effects(Effects::DIMMED);
/// What `annotate-snippets` has for `Level::INFO`.
pub(super) const POLICY: Style = AnsiColor::BrightBlue.on_default().effects(Effects::BOLD);
pub(super) const GOOD: Style = AnsiColor::Green.on_default().effects(Effects::BOLD);
pub(super) const BAD: Style = AnsiColor::BrightRed.on_default().effects(Effects::BOLD);
pub(super) const UNSURE: Style = AnsiColor::Yellow.on_default().effects(Effects::BOLD);

/// The colour of a severity.
pub(super) fn color_of(severity: &Open<Severity>) -> Style {
    match severity {
        Open::Known(Severity::Error) => BAD,
        Open::Known(Severity::Warning) | Open::Unknown(_) => UNSURE,
        Open::Known(Severity::Note) => AnsiColor::BrightGreen.on_default().effects(Effects::BOLD),
    }
}

/// The colour of a problem.
pub(super) fn color_of_problem(severity: &Open<ProblemSeverity>) -> Style {
    match severity {
        Open::Known(ProblemSeverity::Error) => BAD,
        Open::Known(ProblemSeverity::Warning) | Open::Unknown(_) => UNSURE,
    }
}

/// The colour of a weight.
pub(super) fn color_of_weight(weight: Weight) -> Style {
    match weight {
        Weight::Wrong | Weight::Fails | Weight::Lossy | Weight::Breaks | Weight::Error => BAD,
        Weight::Refused | Weight::Policy | Weight::Guard => POLICY,
        Weight::NotSeen | Weight::Warning | Weight::Unknown => UNSURE,
        Weight::Note => color_of(&Severity::Note.into()),
    }
}
