//! What schemas there are, and the configuration that follows: only what is no default and what `buf.yaml` does not say.

use super::step::{Action, Step, read};
use crate::config::NAMES;
use crate::failure::Failure;
use crate::formats::Format;
use crate::ordered::{OrderedMap, OrderedSet};
use crate::report::overview::FOLDERS_OF_COPIES;
use crate::source::survey::Survey;
use crate::text::{list, plural, visible};
use crate::verdict::{Mode, USUAL_MODES};

/// Folders that are named; more are counted.
const MOST_FOLDERS: usize = 4;

/// The schemas among files, each with its language.
pub(super) fn schemas(files: &[String]) -> Vec<(Format, &str)> {
    let schema = |file: &'_ String| Format::is_schema(file).then(|| Format::of_path(file)).flatten();
    files.iter().filter_map(|file| Some((schema(file)?, file.as_str()))).collect()
}

/// The languages that are recognised, with the ends of their file names.
pub(super) fn recognised() -> String {
    let of = |format: &Format| {
        let ends: Vec<String> = format.extensions().iter().map(|end| format!(".{end}")).collect();
        format!("{} ({})", format.title(), ends.join(", "))
    };
    list(&Format::ALL.iter().map(of).collect::<Vec<_>>())
}

/// `12 files of Protocol Buffers in proto/ and api/`, one for each language.
fn found(files: &[String]) -> Vec<String> {
    let mut by_format: OrderedMap<Format, (usize, OrderedSet<String>)> = OrderedMap::new();
    for (format, file) in schemas(files) {
        let entry = by_format.entry(format).or_default();
        entry.0 += 1;
        let folder = file.split_once('/').map_or("the top folder".to_owned(), |(top, _)| format!("{}/", visible(top)));
        entry.1.insert(folder);
    }
    let told = |(format, (count, folders)): (Format, (usize, OrderedSet<String>))| {
        let mut named: Vec<String> = folders.iter().take(MOST_FOLDERS).cloned().collect();
        if folders.len() > MOST_FOLDERS {
            named.push(plural(folders.len() - MOST_FOLDERS, "more folder"));
        }
        format!("{} of {} in {}", plural(count, "file"), format.title(), list(&named))
    };
    by_format.into_iter().map(told).collect()
}

/// The files of buf, of which the import roots are known.
fn of_buf(files: &[String]) -> Vec<&str> {
    let is_of_buf = |file: &&str| matches!(file.rsplit('/').next(), Some("buf.yaml" | "buf.work.yaml"));
    files.iter().map(String::as_str).filter(is_of_buf).collect()
}

/// What was found, for people.
pub(super) fn told(survey: &Survey) -> String {
    let mut lines = found(&survey.files);
    for file in of_buf(&survey.files) {
        lines.push(format!("{}, which says where imports start", visible(file)));
    }
    lines.push(match &survey.git {
        None => "no git repository".to_owned(),
        Some(git) => match &git.default_branch {
            Some(branch) => format!("a git repository; changes are compared with `{}`", visible(branch)),
            None => "a git repository without a default branch that could be told".to_owned(),
        },
    });
    lines.iter().map(|line| format!("found  {line}\n")).collect()
}

/// Folders of others, beside which there are schemas of one's own.
fn vendored(files: &[String]) -> Vec<String> {
    let folder_of = |file: &str| {
        let parts: Vec<&str> = file.split('/').collect();
        let at = parts[..parts.len() - 1].iter().position(|part| FOLDERS_OF_COPIES.contains(part))?;
        Some(format!("{}/", parts[..=at].join("/")))
    };
    let folders: Vec<Option<String>> = schemas(files).iter().map(|(_, file)| folder_of(file)).collect();
    if folders.iter().all(Option::is_some) {
        return Vec::new();
    }
    folders.into_iter().flatten().collect::<OrderedSet<_>>().into_iter().collect()
}

/// The configuration, unless there is one.
pub(super) fn step(survey: &Survey) -> Result<Step, Failure> {
    let path = NAMES[0].to_owned();
    for name in NAMES {
        if read(&survey.top, name)?.is_some() {
            return Ok(Step { path: name.to_owned(), action: Action::Present(name.to_owned()) });
        }
    }
    Ok(Step { path, action: Action::Create(text(&survey.files)) })
}

fn text(files: &[String]) -> String {
    let mut lines = vec![
        "# What wireproof checks. Everything has a default; `wireproof schema config` describes every key.".to_owned(),
    ];
    if !of_buf(files).is_empty() {
        lines.push("# Where imports start is said by buf's own files.".to_owned());
    }
    let formats: OrderedSet<Format> = schemas(files).iter().map(|(format, _)| *format).collect();
    lines.push(usual_mode(&formats));
    let vendored = vendored(files);
    if !vendored.is_empty() {
        lines.push(String::new());
        lines.push("# Not yours to break: they are not judged, and still supply types.".to_owned());
        lines.push("exclude:".to_owned());
        lines.extend(vendored.iter().map(|folder| format!("  - {}", quoted(&escaped(folder)))));
    }
    format!("{}\n", lines.join("\n"))
}

/// What is demanded of these languages where nothing is said.
fn usual_mode(formats: &OrderedSet<Format>) -> String {
    let is_backward = |format: &&Format| USUAL_MODES.contains(&(format.name(), Mode::Backward));
    let backward: Vec<&str> = formats.iter().filter(is_backward).map(|format| format.title()).collect();
    match backward.len() {
        0 => "# Without a `mode`, old and new must read each other's data (full).".to_owned(),
        all if all == formats.len() => {
            "# Without a `mode`, new readers must read old data (backward), as registries have it.".to_owned()
        }
        some => format!(
            "# Without a `mode`, {} {} judged backward, as registries have it, and the rest in full.",
            list(&backward),
            if some == 1 { "is" } else { "are" }
        ),
    }
}

/// A folder as a glob that matches nothing else.
fn escaped(folder: &str) -> String {
    let mut glob = String::new();
    for letter in folder.chars() {
        match letter {
            '*' | '?' | '[' | ']' | '{' | '}' => glob.push_str(&format!("[{letter}]")),
            letter => glob.push(letter),
        }
    }
    glob
}

/// A YAML text in double quotes, which are those of JSON.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text is JSON")
}
