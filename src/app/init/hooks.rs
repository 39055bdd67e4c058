//! The entry for pre-commit. An existing file keeps every comment: lines are added and nothing else is touched.

use std::path::Path;

use super::step::{Action, Step, read};
use crate::failure::Failure;

/// The file that pre-commit reads, and prek too.
pub(super) const FILE: &str = ".pre-commit-config.yaml";

const HOOK: &str = include_str!("hook.yml");

/// The entry, where it is not there yet.
pub(super) fn step(top: &Path) -> Result<Step, Failure> {
    let action = match read(top, FILE)? {
        None => Action::Create(format!("repos:\n{}", indented(HOOK, "  "))),
        Some(old) if has_hook(&old) => Action::Present(FILE.to_owned()),
        Some(old) => match inserted(&old) {
            Some(new) => Action::Insert { old, new },
            None => Action::ByHand {
                why: "its `repos:` are not written as a plain list, and nothing is changed that is not understood",
                snippet: HOOK.to_owned(),
            },
        },
    };
    Ok(Step { path: FILE.to_owned(), action })
}

fn has_hook(text: &str) -> bool {
    text.lines().map(str::trim).any(|line| {
        let line = line.trim_start_matches("- ").trim();
        let id = line.strip_prefix("id:").map(|id| id.split('#').next().unwrap_or(id).trim().trim_matches(['"', '\'']));
        id.is_some_and(|id| id == "wireproof" || id.starts_with("wireproof-"))
    })
}

fn indented(text: &str, by: &str) -> String {
    text.lines().map(|line| format!("{by}{line}\n")).collect()
}

/// The text with the entry as the first below `repos:`, if that is certain to add one entry and to change nothing else.
fn inserted(text: &str) -> Option<String> {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut at = 0;
    let mut lines = text.split_inclusive('\n');
    let place = loop {
        let line = lines.next()?;
        at += line.len();
        let words = line.trim_end();
        if words == "repos:" || words.strip_prefix("repos:").is_some_and(|rest| rest.trim_start().starts_with('#')) {
            break at;
        }
    };
    let says_something = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let first = lines.find(says_something)?;
    let indent = &first[..first.len() - first.trim_start().len()];
    if !first.trim_start().starts_with("- ") || !indent.bytes().all(|byte| byte == b' ') {
        return None;
    }
    let entry = indented(HOOK, indent).replace('\n', end);
    let missing_end = if text[..place].ends_with('\n') { "" } else { end };
    let new = format!("{}{missing_end}{entry}{}", &text[..place], &text[place..]);
    adds_one_entry(text, &new).then_some(new)
}

/// Whether the new text says what the old one says, and one more entry.
fn adds_one_entry(old: &str, new: &str) -> bool {
    let parsed = |text: &str| serde_saphyr::from_str::<serde_json::Value>(text).ok();
    let (Some(old), Some(mut new)) = (parsed(old), parsed(new)) else { return false };
    let Some(repos) = new.get_mut("repos").and_then(serde_json::Value::as_array_mut) else { return false };
    if repos.is_empty() {
        return false;
    }
    let added = repos.remove(0);
    added["hooks"][0]["id"] == "wireproof" && new == old
}
