//! The workflows for GitHub: the check, and the comment on pull requests from forks.

use std::fs;
use std::path::Path;

use super::step::{Action, Step, read, wanted};
use crate::cli::InitArgs;
use crate::failure::Failure;
use crate::ordered::InOrder;

/// What stands for the action as long as there is none to name.
pub(super) const PLACEHOLDER: &str = "OWNER/wireproof@0000000000000000000000000000000000000000";

const FOLDER: &str = ".github/workflows";
const CHECK: &str = include_str!("check.yml");
const UPLOAD: &str = include_str!("upload.yml");
const FORKS: &str = include_str!("forks.yml");

/// The workflows that are asked for.
pub(super) fn steps(top: &Path, arguments: &InitArgs) -> Result<Vec<Step>, Failure> {
    let (action, note) = action(arguments);
    let filled = |template: &str| template.replace("ACTION_NOTE\n", &note).replace("ACTION", &action);
    let path = format!("{FOLDER}/wireproof.yml");
    let more = if arguments.forks { UPLOAD } else { "" };
    let mut check = wanted(top, &path, filled(&format!("{CHECK}{more}")))?;
    // What init wrote for forks as well is what it would write.
    if let Action::Differs { old, .. } = &check.action
        && old.replace("\r\n", "\n") == filled(&format!("{CHECK}{UPLOAD}"))
    {
        check.action = Action::Present(path.clone());
    }
    let mut checking = path.clone();
    if let (Action::Create(_), Some(other)) = (&check.action, other_workflow(top)?) {
        checking = format!("{FOLDER}/{other}");
        check.action = Action::Present(format!("wireproof is used in {checking}"));
    }
    // What is missing in a workflow of this name is shown with it.
    let is_told = matches!(check.action, Action::Create(_) | Action::Differs { .. });
    let mut steps = vec![check];
    if arguments.forks {
        let uploads = is_told || read(top, &checking)?.is_some_and(|text| text.contains("name: wireproof-report"));
        if !uploads {
            let why = "the workflow for forks needs the report that the check uploads";
            steps.push(Step { path: checking, action: Action::ByHand { why, snippet: UPLOAD.to_owned() } });
        }
        steps.push(wanted(top, &format!("{FOLDER}/wireproof-forks.yml"), filled(FORKS))?);
    }
    Ok(steps)
}

/// The action to name, and what to say about it above.
fn action(arguments: &InitArgs) -> (String, String) {
    let note = |words: &str| format!("      # {words}\n");
    if let Some(action) = &arguments.action {
        return (action.clone(), String::new());
    }
    match env!("CARGO_PKG_REPOSITORY").strip_prefix("https://github.com/") {
        Some(repository) => {
            let version = concat!("v", env!("CARGO_PKG_VERSION"));
            let words = "To be safe from a tag that moves, replace it by the commit that you trust.";
            (format!("{}@{version}", repository.trim_end_matches('/')), note(words))
        }
        None => (
            PLACEHOLDER.to_owned(),
            note("There is no release yet: name the repository and the commit that you trust."),
        ),
    }
}

/// A workflow by another name that runs wireproof already.
fn other_workflow(top: &Path) -> Result<Option<String>, Failure> {
    let Ok(entries) = fs::read_dir(top.join(FOLDER)) else { return Ok(None) };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".yml") || name.ends_with(".yaml"))
        .filter(|name| name != "wireproof-forks.yml")
        .collect();
    names.sort_in_order();
    for name in names {
        let text = read(top, &format!("{FOLDER}/{name}"))?.unwrap_or_default();
        let is_used = text.lines().map(str::trim_start).any(|line| {
            let line = line.trim_start_matches("- ");
            !line.starts_with('#') && (line.contains("/wireproof@") || line.contains("wireproof check"))
        });
        if is_used {
            return Ok(Some(name));
        }
    }
    Ok(None)
}
