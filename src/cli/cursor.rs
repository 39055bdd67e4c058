//! What may stand where the cursor is, for shells that complete a command line.

use clap::{Arg, Command as Definition};

use super::values::Rendering;

/// What may stand at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtCursor {
    /// What of the word at the cursor stays: `--output=json=` of `--output=json=re`.
    pub kept: String,
    /// What of it is completed: `re`.
    pub begun: String,
    /// With what.
    pub with: Vec<With>,
}

/// A kind of word that may stand somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum With {
    /// One of these, each with what it means.
    Words(Vec<(String, String)>),
    /// One of these, behind which something else has to follow at once: `json=`.
    Starts(Vec<(String, String)>),
    /// The id of a rule or a family of rules.
    Rules,
    /// A word that a list of rules is narrowed down by.
    Filters,
    /// A version: `git:REF`, `git:REF:PATH` or a path.
    Versions,
    /// A revision of git.
    Revisions,
    /// Versions before the base: `first-parent`, `tags:GLOB`, `dir:GLOB`.
    Histories,
    /// A file or a folder.
    Files,
    /// A folder.
    Folders,
}

/// What may stand at the cursor, behind these words of a program; the last of them is the one that the cursor is in.
pub fn at_cursor(mut program: Definition, words: &[String]) -> AtCursor {
    program.build();
    let (current, before) = words.split_last().map_or(("", &[][..]), |(last, before)| (last.as_str(), before));
    let check = program.find_subcommand("check").expect("check is a command");
    let named = before.first().and_then(|word| program.find_subcommand(word));
    let (command, rest) = named.map_or((check, before), |command| (command, &before[1..]));
    let place = Place::behind(command, rest);
    if let Some(option) = place.value_of {
        return value(option, current, "");
    }
    let is_option = current.starts_with('-') && current != "-" && !place.is_literal;
    if let Some((name, begun)) = current.split_once('=').filter(|_| is_option) {
        let option = command.get_arguments().find(|option| is_called(option, name));
        return match option {
            Some(option) => value(option, begun, &format!("{name}=")),
            None => AtCursor { kept: String::new(), begun: current.to_owned(), with: Vec::new() },
        };
    }
    let mut with = Vec::new();
    if before.is_empty() && !is_option {
        with.push(commands(&program));
    }
    if is_option {
        with.push(options(command));
        return AtCursor { kept: String::new(), begun: current.to_owned(), with };
    }
    let mut positional = command.get_positionals();
    let last = command.get_positionals().last().filter(|last| last.get_num_args().is_some_and(|n| n.max_values() > 1));
    if let Some(positional) = positional.nth(place.position).or(last) {
        let here = value(positional, current, "");
        with.extend(here.with);
        return AtCursor { with, ..here };
    }
    AtCursor { kept: String::new(), begun: current.to_owned(), with }
}

/// Where the cursor is among the arguments of a command.
struct Place<'c> {
    /// The option whose value it is.
    value_of: Option<&'c Arg>,
    /// How many arguments without a name stand before it.
    position: usize,
    /// Whether nothing is an option any more.
    is_literal: bool,
}

impl<'c> Place<'c> {
    fn behind(command: &'c Definition, words: &[String]) -> Place<'c> {
        let mut place = Place { value_of: None, position: 0, is_literal: false };
        for word in words {
            if place.value_of.take().is_some() {
                continue;
            }
            if place.is_literal || !word.starts_with('-') || word == "-" {
                place.position += 1;
            } else if word == "--" {
                place.is_literal = true;
            } else {
                let option = command.get_arguments().find(|option| is_called(option, word));
                place.value_of = option.filter(|option| takes_value(option) && !option.is_require_equals_set());
            }
        }
        place
    }
}

/// Whether a word is the name of an option, as it is written: `--mode`, `-I`.
fn is_called(option: &Arg, word: &str) -> bool {
    let short = option.get_short().is_some_and(|short| word.strip_prefix('-') == Some(short.encode_utf8(&mut [0; 4])));
    let long = option.get_long_and_visible_aliases().unwrap_or_default();
    short || word.strip_prefix("--").is_some_and(|name| long.contains(&name))
}

fn takes_value(option: &Arg) -> bool {
    option.get_action().takes_values()
}

/// The first line of a help, without markup.
fn line(help: Option<&clap::builder::StyledStr>) -> String {
    help.map(ToString::to_string).unwrap_or_default().lines().next().unwrap_or_default().to_owned()
}

fn commands(program: &Definition) -> With {
    With::Words(
        program.get_subcommands().map(|command| (command.get_name().to_owned(), line(command.get_about()))).collect(),
    )
}

fn options(command: &Definition) -> With {
    let shown = command.get_arguments().filter(|option| !option.is_positional() && !option.is_hide_set());
    let named = shown.filter_map(|option| Some((format!("--{}", option.get_long()?), line(option.get_help()))));
    With::Words(named.collect())
}

/// With what the value of an argument is completed; `before` stands before it in the same word.
fn value(argument: &Arg, text: &str, before: &str) -> AtCursor {
    let (mut kept, mut begun) = (before.to_owned(), text.to_owned());
    let known = argument.get_possible_values();
    if argument.get_value_delimiter() == Some(',')
        && let Some((done, last)) = text.rsplit_once(',')
    {
        kept.push_str(&format!("{done},"));
        last.clone_into(&mut begun);
    }
    let name = argument.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
    let with = match (argument.get_id().as_str(), name) {
        _ if !known.is_empty() => {
            let shown = known.iter().filter(|value| !value.is_hide_set());
            vec![With::Words(shown.map(|value| (value.get_name().to_owned(), line(value.get_help()))).collect())]
        }
        ("rule", _) | (_, "RULE" | "ID|RULE") => vec![With::Rules],
        ("words", _) => vec![With::Filters],
        (_, "SOURCE" | "VERSION" | "OLD" | "WANTED") => vec![With::Versions],
        (_, "REV") => vec![With::Revisions],
        (_, "VERSIONS") => vec![With::Histories],
        (_, "DIR") => vec![With::Folders],
        (_, "FORMAT=PATH") => match text.split_once('=') {
            Some((form, path)) => {
                kept.push_str(&format!("{form}="));
                path.clone_into(&mut begun);
                vec![if form == "schemas" { With::Folders } else { With::Files }]
            }
            None => vec![With::Starts(forms(argument))],
        },
        (_, "FILE" | "PATH" | "REPORT") => vec![With::Files],
        _ => Vec::new(),
    };
    AtCursor { kept, begun, with }
}

/// The forms that an option of `FORMAT=PATH` takes: those that its help names.
fn forms(argument: &Arg) -> Vec<(String, String)> {
    use clap::ValueEnum;
    let forms = Rendering::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let forms = forms.map(|form| (format!("{}=", form.get_name()), line(form.get_help())));
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let words: Vec<&str> = help.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').collect();
    let mut known: Vec<(String, String)> =
        forms.filter(|(form, _)| words.contains(&form.trim_end_matches('='))).collect();
    if help.contains("schemas=") {
        known.push(("schemas=".to_owned(), "The schema of each step, into a folder".to_owned()));
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: &str) -> AtCursor {
        at_cursor(super::super::definition(usize::MAX), &line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    fn names(at: &AtCursor) -> Vec<&str> {
        at.with
            .iter()
            .flat_map(|with| match with {
                With::Words(words) | With::Starts(words) => words.as_slice(),
                _ => &[],
            })
            .map(|(name, _)| name.as_str())
            .collect()
    }

    #[test]
    fn a_command_or_what_check_takes_comes_first() {
        let first = at("");
        assert!(names(&first).contains(&"compare") && first.with.contains(&With::Files), "{first:?}");
        assert!(!names(&first).contains(&"__complete"));
        assert!(names(&at("--mo")).contains(&"--mode"));
        assert!(names(&at("explain --")).contains(&"--no-config"));
    }

    #[test]
    fn values_are_those_of_their_option() {
        assert!(names(&at("--mode ")).contains(&"backward-transitive"));
        assert_eq!(names(&at("rules --format ")), ["text", "json"]);
        let list = at("check --surface wire,js");
        assert_eq!((list.kept.as_str(), list.begun.as_str()), ("wire,", "js"));
        assert_eq!(at("explain field-").with, [With::Rules]);
        assert_eq!(at("fix --only field-").with, [With::Rules]);
        assert_eq!(at("rules avro one").with, [With::Filters]);
        assert_eq!(at("compare old git:").with, [With::Versions]);
        assert_eq!(at("check --against git:").with, [With::Versions]);
        assert_eq!(at("history --since ").with, [With::Revisions]);
        assert_eq!(at("check --history=").with, [With::Histories]);
        assert_eq!(at("accept --reason ").with, []);
    }

    #[test]
    fn a_form_comes_before_its_path() {
        assert!(names(&at("check --output ")).contains(&"github-output="));
        let path = at("check --output=json=re");
        assert_eq!((path.kept.as_str(), path.begun.as_str()), ("--output=json=", "re"));
        assert_eq!(path.with, [With::Files]);
        assert_eq!(names(&at("plan a b --output ")), ["text=", "json=", "markdown=", "schemas="]);
        assert_eq!(at("plan a b --output schemas=st").with, [With::Folders]);
    }
}
