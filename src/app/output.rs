//! Standard output, standard error and report files.

use std::io::{BufWriter, IsTerminal, Write};
use std::path::Path;
use std::time::Instant;

use super::links::links;
use super::progress::Show;
use crate::cli::{ColorChoice, RenderArgs, Rendering, TerminalArgs};
use crate::failure::{Exit, Failure};
use crate::report::text::{Color, Detail, LongLines, TextStyle};
use crate::report::{Report, buf, github, gitlab, html, json, junit, markdown, outputs, sarif, text};

/// How to talk to the user.
#[derive(Debug, Clone)]
pub(super) struct Console {
    /// How to draw on standard output.
    pub style: TextStyle,
    /// Whether to show progress.
    pub progress: Show,
    timings: bool,
}

/// Bytes that are written at once.
const AT_ONCE: usize = 1 << 16;
/// Wider prose is hard to read.
const WIDEST: usize = 120;

impl Console {
    /// From the options and the environment.
    pub(super) fn of(terminal: &TerminalArgs) -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let forced = std::env::var("CLICOLOR_FORCE").is_ok_and(|value| !value.is_empty() && value != "0");
        let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        let color = match terminal.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => !set("NO_COLOR") && (forced || (std::io::stdout().is_terminal() && !dumb)),
        };
        let verbose =
            terminal.verbose || (!terminal.quiet && std::env::var("RUNNER_DEBUG").is_ok_and(|value| value == "1"));
        let detail = match (terminal.quiet, verbose) {
            (true, _) => Detail::Quiet,
            (false, true) => Detail::Verbose,
            (false, false) => Detail::Normal,
        };
        let color = if color { Color::Ansi } else { Color::Plain };
        let hidden = terminal.no_progress || terminal.quiet || verbose;
        let progress = if hidden { Show::No } else { Show::Yes };
        let style = TextStyle { color, detail, ..TextStyle::default() };
        let style = match width() {
            Some(width) => TextStyle { width, lines: LongLines::Broken, ..style },
            None => style,
        };
        Console { style, progress, timings: verbose }
    }

    /// Whether standard output gets the report as text.
    pub(super) fn prints_text(&self, rendering: &RenderArgs) -> bool {
        rendering.format.unwrap_or(Rendering::Text) == Rendering::Text
    }

    /// Says how long a step took, for those who asked.
    pub(super) fn timing(&self, step: &str, since: Instant) {
        if self.timings {
            let _ = writeln!(std::io::stderr(), "{step:>7} {:8.1} ms", since.elapsed().as_secs_f64() * 1000.0);
        }
    }
}

/// How wide the terminal is, if standard output is one.
pub(super) fn width() -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|width| width.parse().ok());
    let asked = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0).min(WIDEST));
    let asked = || if std::io::stdout().is_terminal() { asked() } else { None };
    said.or_else(asked)
}

/// Prints on standard output. A reader that went away is no failure.
pub(super) fn print(bytes: &[u8]) -> Result<Exit, Failure> {
    print_with(|out| out.write_all(bytes))
}

/// Prints lines whose bytes matter to whoever reads them. Nothing of them acts on a terminal; all else gets them as they are.
pub(super) fn print_exactly(lines: &str) -> Result<Exit, Failure> {
    match std::io::stdout().is_terminal() {
        true => print(on_a_screen(lines).as_bytes()),
        false => print(lines.as_bytes()),
    }
}

/// Lines as a terminal gets them; how they end is nothing that acts on it.
fn on_a_screen(lines: &str) -> String {
    crate::text::visible_lines(&lines.replace("\r\n", "\n")).into_owned()
}

/// The same of what is written as it is made.
fn print_with(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<Exit, Failure> {
    // Standard output looks for the ends of lines in all that it is given.
    let mut out = BufWriter::with_capacity(AT_ONCE, std::io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Ok(()) => Ok(Exit::Compatible),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(Exit::Compatible),
        Err(error) => {
            Err(Failure::usage(format!("cannot write to standard output: {error}"), "check where it is redirected to"))
        }
    }
}

/// Says on standard error why the run ends.
pub(super) fn complain(failure: &Failure) {
    let _ = writeln!(std::io::stderr(), "{failure}");
}

/// Says on standard error what is wrong with the arguments.
pub(super) fn complain_about_arguments(message: &str) {
    let lines: Vec<String> = message.trim_end().lines().map(crate::text::harmless_line).collect();
    let _ = writeln!(std::io::stderr(), "{}", lines.join("\n"));
}

/// Writes all forms of the report that were asked for: files first, so that a closed pipe cannot lose them.
pub(super) fn write(report: &Report, rendering: &RenderArgs, console: &Console) -> Result<(), Failure> {
    write_files(report, rendering)?;
    match rendering.format.unwrap_or(Rendering::Text) {
        Rendering::Json => print_with(|out| json::write(report, out)).map(|_| ()),
        form => print(rendered(report, form, &console.style).as_bytes()).map(|_| ()),
    }
}

/// A run that ended before there was anything to compare: whoever reads the files that were asked for is told why. An old
/// report, or a comment made of it, would be taken for the answer.
pub(super) fn unanswered(failure: Failure, rendering: &RenderArgs) -> Failure {
    // What keeps a file from being written may be the failure itself.
    let (said, place) = failure.apart();
    let mut report = Report::unanswered(said, &failure.help);
    for (problem, (file, line, column)) in report.problems.iter_mut().zip(place) {
        (problem.file, problem.line, problem.column) = (Some(file.to_owned()), Some(line), Some(column));
    }
    let _ = write_files(&report, rendering);
    failure
}

/// The same, but nothing is said as text on standard output.
pub(super) fn write_quietly(report: &Report, rendering: &RenderArgs, console: &Console) -> Result<(), Failure> {
    if console.prints_text(rendering) { write_files(report, rendering) } else { write(report, rendering, console) }
}

fn write_files(report: &Report, rendering: &RenderArgs) -> Result<(), Failure> {
    for output in &rendering.output {
        let written = match output.rendering {
            Rendering::Json => write_whole(&output.path, Durable::No, |out| json::write(report, out)),
            form => write_file(&output.path, rendered(report, form, &TextStyle::default()).as_bytes()),
        };
        written.map_err(|error| {
            Failure::usage(
                format!("cannot write the report to `{}`: {error}", output.path.display()),
                "check that the folder exists and that you may write to it",
            )
        })?;
    }
    Ok(())
}

fn rendered(report: &Report, form: Rendering, style: &TextStyle) -> String {
    match form {
        Rendering::Text => text::render(report, style),
        Rendering::Json => json::render(report),
        Rendering::Markdown => markdown::render(report, &links(report, None)),
        Rendering::Html => html::render(report, &links(report, None)),
        Rendering::Sarif => sarif::render(report),
        Rendering::Junit => junit::render(report),
        Rendering::Github => github::render(report),
        Rendering::GithubOutput => outputs::render(report),
        Rendering::Gitlab => gitlab::render(report),
        Rendering::Buf => buf::render(report),
    }
}

/// Whether a file must be on the disk before this goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durable {
    Yes,
    No,
}

/// Writes a whole file or nothing: whoever waits for it never reads half a report.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    write_whole(path, Durable::No, |out| out.write_all(bytes))
}

/// The same, and a loss of power after it loses nothing.
pub(super) fn write_durably(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    write_whole(path, Durable::Yes, |out| out.write_all(bytes))
}

fn write_whole(
    path: &Path,
    durable: Durable,
    give: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let into = |file: &std::fs::File| {
        let mut out = BufWriter::with_capacity(AT_ONCE, file);
        give(&mut out)?;
        out.flush()
    };
    let is_special = path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir());
    if is_special {
        return into(&std::fs::OpenOptions::new().write(true).open(path)?);
    }
    let name = path.file_name().ok_or_else(|| std::io::Error::other("this is not the name of a file"))?;
    let mut unfinished = std::ffi::OsString::from(".");
    unfinished.push(name);
    unfinished.push(format!(".{}.tmp", std::process::id()));
    let unfinished = path.with_file_name(unfinished);
    let write = || {
        let file = std::fs::File::create(&unfinished)?;
        into(&file)?;
        if durable == Durable::Yes {
            file.sync_all()?;
        }
        std::fs::rename(&unfinished, path)
    };
    let written = write();
    if let (Ok(()), Durable::Yes, Some(folder)) = (&written, durable, path.parent()) {
        // The new name is on the disk once its folder is; where a folder cannot be opened, the system sees to that.
        let _ = std::fs::File::open(folder).and_then(|folder| folder.sync_all());
    }
    if written.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_on_a_screen_does_not_act_on_it() {
        let patch = "-  // \u{1b}]0;title\u{7}\r\n+  // \u{202e}red\u{1b}[31m\r\n \tsame\n";
        assert_eq!(on_a_screen(patch), "-  // \\u{1b}]0;title\\u{7}\n+  // \\u{202e}red\\u{1b}[31m\n \tsame\n");
    }
}
