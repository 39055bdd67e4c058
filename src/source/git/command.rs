//! How git is started: which program, with which settings, in which environment.
//!
//! Repositories are read that a stranger wrote. Git runs programs that configurations name, and some of them at a mere
//! look; so what could start one is switched off for every call, and nothing of the work tree is taken for git itself.
//! What a user needs to reach a server (a credential helper, an ssh command, a proxy) stays, because a configuration
//! that is content of a repository is never read: [`super::enclosing`] sees to that.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, OnceLock};

use super::enclosing::{Enclosing, Found};
use crate::failure::Failure;

/// Whether git may use the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Network {
    /// One missing commit may be fetched.
    #[default]
    Allowed,
    /// Never.
    Offline,
}

/// What git inherits from the environment beside what is set for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inherited {
    /// Everything.
    All,
    /// Not `GIT_DIR`: it names the repository around the directory anyway. Git sets it in hooks, and then takes the
    /// folder it stands in for the top of the work tree.
    AllButGitDir,
}

/// Settings of every call, each with its reason. They outrank every file.
const SETTINGS: &[&str] = &[
    // Started by each look at the work tree.
    "core.fsmonitor=false",
    // A fetch and a look at the index have hooks as well.
    "core.hooksPath=/dev/null",
    // Started by a fetch where objects are borrowed from elsewhere; this one answers that there are none.
    "core.alternateRefsCommand=true",
    // An address `ext::…` is a program.
    "protocol.ext.allow=never",
    // A fetch tidies up afterwards, which has hooks of its own, and takes time.
    "gc.auto=0",
    "maintenance.auto=false",
    // Nothing here is shown or edited by another program.
    "core.pager=cat",
    "core.editor=true",
    "log.showSignature=false",
];

/// How git is run for one repository.
#[derive(Debug, Clone)]
pub(super) struct Git {
    program: PathBuf,
    found: Found,
    inherited: Inherited,
    /// Further object databases: those of submodules, once they are asked for.
    pub(super) alternates: Arc<OnceLock<OsString>>,
    pub(super) network: Network,
}

impl Git {
    /// For what is around a directory.
    pub(super) fn at(directory: &Path, enclosing: &Enclosing, network: Network) -> Result<Git, Failure> {
        let program = program(enclosing.top.as_deref())?;
        let mut git =
            Git { program, found: enclosing.found, inherited: Inherited::All, alternates: Arc::default(), network };
        git.inherited = git.what_is_inherited(directory)?;
        Ok(git)
    }

    /// Whether nothing says whose repository this is.
    pub(super) fn is_nobodys(&self) -> bool {
        self.found == Found::Bare
    }

    /// Runs git once and waits for it.
    pub(super) fn run<S: AsRef<OsStr>>(
        &self,
        directory: &Path,
        arguments: impl IntoIterator<Item = S>,
    ) -> Result<Output, Failure> {
        let mut command = self.command(directory);
        command.args(arguments).stdin(Stdio::null()).output().map_err(|error| cannot_start(&error))
    }

    /// A call of git, to be completed. Nothing else in this program starts git.
    pub(super) fn command(&self, directory: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("--no-pager").current_dir(directory);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        match self.found {
            // There is a `.git`, or nothing; so nothing else may be taken for a repository.
            Found::WorkTree | Found::Nothing => drop(command.args(["-c", "safe.bareRepository=explicit"])),
            Found::Bare | Found::OwnBare => {}
        }
        command
            .env("LC_ALL", "C")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_LITERAL_PATHSPECS", "1")
            // What an object holds is what its id says, and no other object that somebody put in its place.
            .env("GIT_NO_REPLACE_OBJECTS", "1");
        if let Some(objects) = self.alternates.get().filter(|objects| !objects.is_empty()) {
            command.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects);
        }
        if self.network == Network::Offline {
            command.env("GIT_NO_LAZY_FETCH", "1");
        }
        if self.inherited == Inherited::AllButGitDir {
            command.env_remove("GIT_DIR");
        }
        command
    }

    /// Whether `GIT_DIR` says anything that the directory does not say by itself.
    fn what_is_inherited(&self, directory: &Path) -> Result<Inherited, Failure> {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if !is_set("GIT_DIR") || is_set("GIT_WORK_TREE") {
            return Ok(Inherited::All);
        }
        let place = |inherited| {
            let git = Git { inherited, ..self.clone() };
            git.run(directory, ["rev-parse", "--absolute-git-dir"])
        };
        let (with, without) = (place(Inherited::All)?, place(Inherited::AllButGitDir)?);
        let is_same = with.status.success() && without.status.success() && with.stdout == without.stdout;
        Ok(if is_same { Inherited::AllButGitDir } else { Inherited::All })
    }
}

/// git, as `PATH` finds it outside of the work tree. Entries that are not absolute depend on where one stands, which is
/// mostly in the work tree.
fn program(top: Option<&Path>) -> Result<PathBuf, Failure> {
    let Some(path) = std::env::var_os("PATH") else { return Ok(PathBuf::from("git")) };
    let mut passed_over = None;
    for folder in std::env::split_paths(&path) {
        let file = folder.join(NAME);
        if !is_program(&file) {
            continue;
        }
        let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        if folder.is_absolute() && !top.is_some_and(|top| real.starts_with(top)) {
            return Ok(file);
        }
        passed_over.get_or_insert(file);
    }
    Err(match passed_over {
        None => not_found("git is needed here and was not found"),
        Some(file) => not_found(&format!(
            "git is needed here, and the only one on PATH lies in the work tree, where a change could have put it: {}",
            file.display().to_string().escape_debug()
        )),
    })
}

const NAME: &str = if cfg!(windows) { "git.exe" } else { "git" };

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

fn not_found(message: &str) -> Failure {
    Failure::could_not_tell(message, "install git, or compare directories: `wireproof compare OLD_DIR NEW_DIR`")
}

pub(super) fn cannot_start(error: &std::io::Error) -> Failure {
    match error.kind() {
        std::io::ErrorKind::NotFound => not_found("git is needed here and was not found"),
        _ => not_found(&format!("git cannot be started: {error}")),
    }
}

/// A setting of a file that is content of the work tree: `[include] path = ../.gitconfig` brings such files in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ContentSetting {
    /// The key as git prints it: sections and names in lower case.
    pub(super) key: String,
}

impl ContentSetting {
    /// Those among what `git config --list --show-scope --show-origin -z` prints in the top of a work tree.
    pub(super) fn among(listing: &[u8], top: &Path) -> Vec<ContentSetting> {
        let words: Vec<&[u8]> = listing.split(|byte| *byte == 0).collect();
        let mut found = Vec::new();
        for entry in words.chunks_exact(3) {
            let [scope, origin, setting] = entry else { continue };
            if !matches!(*scope, b"local" | b"worktree") {
                continue;
            }
            let Some(file) = String::from_utf8_lossy(origin).strip_prefix("file:").map(|file| top.join(file)) else {
                continue;
            };
            let real = file.canonicalize().unwrap_or(file);
            let is_content = real.strip_prefix(top).is_ok_and(|inside| !inside.starts_with(".git"));
            if is_content {
                let key = setting.split(|byte| *byte == b'\n').next().unwrap_or_default();
                found.push(ContentSetting { key: String::from_utf8_lossy(key).into_owned() });
            }
        }
        found
    }

    /// Whether a fetch could obey it: run a program, or talk to somebody else.
    pub(super) fn is_of_a_fetch(&self) -> bool {
        const SECTIONS: [&str; 8] =
            ["credential.", "http.", "https.", "protocol.", "remote.", "ssh.", "url.", "uploadpack."];
        const KEYS: [&str; 3] = ["core.sshcommand", "core.gitproxy", "core.askpass"];
        SECTIONS.iter().any(|section| self.key.starts_with(section)) || KEYS.contains(&self.key.as_str())
    }

    /// The arguments that take a filter for the content of files away again.
    pub(super) fn without_filter(&self) -> Option<[OsString; 2]> {
        let (name, end) = self.key.strip_prefix("filter.")?.rsplit_once('.')?;
        let value = match end {
            "clean" | "smudge" | "process" => "",
            "required" => "false",
            _ => return None,
        };
        Some(["-c".into(), format!("filter.{name}.{end}={value}").into()])
    }
}
