//! The program around the pipeline: arguments → what to read → both sides → the report → bytes and an exit code.
//!
//! Everything that touches the outside meets here: the arguments, the environment, the files, the streams. What is
//! decided is decided elsewhere.

mod accept;
mod again;
mod ahead;
mod base;
mod before_base;
mod buf;
mod cache;
mod catalogue;
mod check;
mod comment;
mod complete;
mod elements;
mod fix;
mod history;
mod idle;
mod init;
mod links;
mod lock;
mod output;
mod paths;
mod plan;
mod progress;
mod remembered;
mod render;
mod reused;
mod run;
mod safeguards;
mod terms;
mod timeline;
mod unmatched;
mod unnamed;
mod versions;
mod way;

use std::ffi::OsString;

use crate::cli::{self, Command, ConfigArgs, SchemaOf};
use crate::failure::{Exit, Failure};
use crate::rules::RuleSet;

use output::{Console, complain, complain_about_arguments, print};
use paths::working_directory;

/// Runs the program with its arguments, the first of which is its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let cli = match cli::parse_at(arguments, output::width().unwrap_or(usize::MAX)) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are printed on standard output and are no failure; a closed pipe is none either.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Compatible };
            match error.use_stderr() {
                // What clap quotes are arguments, which may be the name of a stranger's branch or file.
                true => complain_about_arguments(&error.render().to_string()),
                false => drop(error.print()),
            }
            return exit;
        }
    };
    std::panic::set_hook(Box::new(|panic| complain(&our_mistake(panic))));
    match std::panic::catch_unwind(|| dispatch(cli.command)) {
        // The hook has said it.
        Err(_) => Exit::CouldNotTell,
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => {
            complain(&failure);
            failure.exit
        }
    }
}

/// A mistake in this program is no verdict about schemas.
fn our_mistake(panic: &std::panic::PanicHookInfo<'_>) -> Failure {
    let place = panic.location().map(|place| format!(" ({}:{})", place.file(), place.line())).unwrap_or_default();
    let said = panic.payload();
    let words = said.downcast_ref::<&str>().copied().or_else(|| said.downcast_ref::<String>().map(String::as_str));
    Failure::could_not_tell(
        format!("wireproof itself failed{place}: {}", words.unwrap_or("it did not say why")),
        "this is a bug in wireproof, not in your schemas; please report it with the two versions",
    )
}

fn dispatch(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Check(arguments) => check::check(&arguments),
        Command::Compare(arguments) => check::compare(&arguments),
        Command::Explain { rule, configuration, terminal } => {
            if catalogue::may_be_a_finding(&rule) {
                return check::explain(&rule, configuration, terminal);
            }
            catalogue::explain(&rule, &rules(&configuration)?, &Console::of(&terminal))
        }
        Command::Rules { words, format, configuration, terminal: _ } => {
            catalogue::list(format, &words, &rules(&configuration)?)
        }
        Command::Render { reports, exit_code, rendering, terminal } => {
            render::render(&reports, exit_code, &rendering, &terminal)
        }
        Command::Accept(arguments) => accept::accept(&arguments),
        Command::Fix(arguments) => fix::fix(&arguments),
        Command::History(arguments) => timeline::history(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Comment(arguments) => comment::comment(&arguments),
        Command::Init(arguments) => init::init(&arguments),
        Command::Completions { shell } => complete::script(shell),
        Command::Complete { words } => complete::candidates(&words),
        Command::Man => print(&man()?),
        Command::Schema { of: SchemaOf::Report } => print(crate::report::json::schema().as_bytes()),
        Command::Schema { of: SchemaOf::Config } => print(crate::config::schema().as_bytes()),
        Command::Schema { of: SchemaOf::Waivers } => print(crate::config::waivers::schema().as_bytes()),
    }
}

/// All rules, those of the configuration included.
fn rules(configuration: &ConfigArgs) -> Result<RuleSet, Failure> {
    let cwd = working_directory()?;
    terms::read(configuration, &cwd).map(|(_, rules)| rules)
}

/// Columns of a manual page.
const OF_MANUALS: usize = 78;

/// The manual: one page for the program and one section per command.
fn man() -> Result<Vec<u8>, Failure> {
    let unwritable = |error: std::io::Error| Failure::usage(format!("cannot write the manual page: {error}"), "");
    let mut program = cli::definition(OF_MANUALS);
    program.build();
    let mut page = Vec::new();
    let whole = clap_mangen::Man::new(program.clone());
    whole.render_title(&mut page).map_err(unwritable)?;
    whole.render_name_section(&mut page).map_err(unwritable)?;
    whole.render_synopsis_section(&mut page).map_err(unwritable)?;
    whole.render_description_section(&mut page).map_err(unwritable)?;
    for command in program.get_subcommands() {
        let title = format!(".SH \"WIREPROOF {}\"\n", command.get_name().to_uppercase());
        page.extend(title.as_bytes());
        let man = clap_mangen::Man::new(command.clone());
        let mut section = Vec::new();
        man.render_description_section(&mut section).map_err(unwritable)?;
        man.render_options_section(&mut section).map_err(unwritable)?;
        let section = String::from_utf8_lossy(&section);
        let section = section.replace(".SH DESCRIPTION\n", "").replace(".SH OPTIONS\n", "").replace(".SH ", ".SS ");
        page.extend(section.as_bytes());
        page.extend(as_it_is(command.get_after_long_help()).as_bytes());
    }
    page.extend(b".SH \"EXAMPLES AND EXIT CODES\"\n");
    page.extend(as_it_is(program.get_after_long_help()).as_bytes());
    Ok(page)
}

/// Text whose lines stay as they are.
fn as_it_is(text: Option<&clap::builder::StyledStr>) -> String {
    let Some(text) = text else { return String::new() };
    let escaped = text.to_string().replace('\\', "\\e").replace('-', "\\-");
    let lines: Vec<String> = escaped.lines().map(|line| format!("\\&{line}")).collect();
    format!(".PP\n.nf\n{}\n.fi\n", lines.join("\n"))
}
