//! Dependencies that `buf.lock` pins, where buf's module cache on this machine already holds them.
//!
//! Nothing is downloaded. What the cache lacks stays missing, and the comparison says which types it could not see.

use std::path::{Path, PathBuf};

use crate::ordered::InOrder;
use crate::snapshot::{Snapshot, name_of};

/// A pinned version of a module.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Pinned {
    /// `buf.build/googleapis/googleapis`
    name: String,
    commit: String,
}

/// The folders of the cache that hold the modules pinned on a side.
pub(super) fn cached(snapshot: &Snapshot) -> Vec<PathBuf> {
    let locks =
        snapshot.with_extension(|extension| extension == "lock").filter(|(path, _)| name_of(path) == "buf.lock");
    let pinned: Vec<Pinned> = locks.flat_map(|(_, file)| pinned(&String::from_utf8_lossy(&file.bytes))).collect();
    if pinned.is_empty() {
        return Vec::new();
    }
    let Some(modules) = cache_folder().map(|cache| cache.join("v3").join("modules")) else { return Vec::new() };
    // One folder per kind of digest; a commit lies in one of them.
    let Ok(kinds) = std::fs::read_dir(&modules) else { return Vec::new() };
    let mut kinds: Vec<PathBuf> = kinds.flatten().map(|entry| entry.path()).collect();
    kinds.sort_in_order();
    let folders = |module: &Pinned| {
        kinds
            .iter()
            .map(|kind| kind.join(&module.name).join(&module.commit).join("files"))
            .find(|folder| folder.is_dir())
    };
    pinned.iter().filter_map(folders).collect()
}

/// Where buf keeps what it downloaded.
fn cache_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("BUF_CACHE_DIR")
        .or_else(|| variable("XDG_CACHE_HOME").map(|cache| cache.join("buf")))
        .or_else(|| variable("LOCALAPPDATA").filter(|_| cfg!(windows)).map(|cache| cache.join("buf")))
        .or_else(|| variable("HOME").map(|home| Path::new(&home).join(".cache").join("buf")))
}

/// The modules of a `buf.lock`, in the form of version 1 (`remote`, `owner`, `repository`) or 2 (`name`).
fn pinned(lock: &str) -> Vec<Pinned> {
    let mut found = Vec::new();
    let (mut parts, mut module) = ([const { String::new() }; 3], Pinned::default());
    let mut finish = |parts: &mut [String; 3], module: &mut Pinned| {
        if module.name.is_empty() {
            module.name = parts.join("/");
        }
        let is_plain = |text: &str| {
            !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) && text != ".."
        };
        if module.name.split('/').count() == 3 && module.name.split('/').all(is_plain) && is_plain(&module.commit) {
            found.push(std::mem::take(module));
        }
        *module = Pinned::default();
        *parts = [const { String::new() }; 3];
    };
    for line in lock.lines() {
        let line = line.trim();
        let entry = line.strip_prefix("- ");
        if entry.is_some() {
            finish(&mut parts, &mut module);
        }
        let Some((key, value)) = entry.unwrap_or(line).split_once(':') else { continue };
        let value = value.trim().trim_matches(['"', '\'']).to_owned();
        match key.trim() {
            "remote" => parts[0] = value,
            "owner" => parts[1] = value,
            "repository" => parts[2] = value,
            "name" => module.name = value,
            "commit" => module.commit = value.replace('-', ""),
            _ => {}
        }
    }
    finish(&mut parts, &mut module);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_lock_file_are_understood() {
        let first = "version: v1\ndeps:\n  - remote: buf.build\n    owner: googleapis\n    repository: googleapis\n    commit: 0a1b\n    digest: shake256:00\n";
        let second = "# Generated\nversion: v2\ndeps:\n  - name: buf.build/googleapis/googleapis\n    commit: 0a1b\n    digest: b5:00\n";
        let expected = [Pinned { name: "buf.build/googleapis/googleapis".into(), commit: "0a1b".into() }];
        assert_eq!(pinned(first), expected);
        assert_eq!(pinned(second), expected);
    }

    #[test]
    fn a_lock_file_never_leads_out_of_the_cache() {
        assert!(pinned("deps:\n  - name: ../../etc\n    commit: ab\n").is_empty());
        assert!(pinned("deps:\n  - name: buf.build/x/..\n    commit: ab\n").is_empty());
        assert!(pinned("version: v2\n").is_empty());
    }
}
