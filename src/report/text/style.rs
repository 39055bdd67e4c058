//! How the report is drawn on a terminal: colours, width, how much is said.

use annotate_snippets::Renderer;
use annotate_snippets::renderer::{AnsiColor, DecorStyle, Effects, Style};

use super::super::overview::Weight;
use crate::vocabulary::{Open, Severity};

/// How to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextStyle {
    /// Whether to use colours.
    pub color: Color,
    /// How much to say.
    pub detail: Detail,
    /// Prose is wrapped at this many columns.
    pub width: usize,
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
        Self { color: Color::Plain, detail: Detail::Normal, width: 100 }
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
        renderer.decor_style(DecorStyle::Ascii).term_width(self.width.max(60))
    }

    /// Room for prose behind a label like `  = who breaks: `.
    pub(super) fn prose(&self) -> usize {
        self.width.max(60) - 18
    }
}

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

/// The colour of a weight.
pub(super) fn color_of_weight(weight: Weight) -> Style {
    match weight {
        Weight::Wrong | Weight::Fails | Weight::Lossy | Weight::Breaks | Weight::Error => BAD,
        Weight::Policy => POLICY,
        Weight::NotSeen | Weight::Warning | Weight::Unknown => UNSURE,
        Weight::Note => color_of(&Severity::Note.into()),
    }
}
