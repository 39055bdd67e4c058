//! Partial clones: objects that are not here and that a remote promised. Whoever reads one of them has git ask the remote for
//! it, each with a request of its own; here many are brought with one.

use std::fmt::Display;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, OnceLock};

use super::command::{Git, Network};

/// Whether a clone is a partial one, found out when somebody asks.
#[derive(Debug, Clone)]
pub(super) struct Promised(Arc<Packs>);

#[derive(Debug)]
struct Packs {
    folder: PathBuf,
    /// Whether one of them came from a remote that promised more.
    are_promised: OnceLock<bool>,
}

impl Promised {
    /// What packs in a folder say.
    pub(super) fn of_packs(folder: PathBuf) -> Self {
        Promised(Arc::new(Packs { folder, are_promised: OnceLock::new() }))
    }

    /// Whether a remote promised objects: a pack that came from it has a mark beside it.
    fn is_any(&self) -> bool {
        let Packs { folder, are_promised } = &*self.0;
        *are_promised.get_or_init(|| {
            let mut packs = std::fs::read_dir(folder).into_iter().flatten().flatten();
            packs.any(|pack| pack.path().extension().is_some_and(|extension| extension == "promisor"))
        })
    }

    /// Has objects brought that are not here. What cannot be brought is said by whoever reads it.
    pub(super) fn bring<I: Display>(&self, ids: &[I], git: &Git, home: &Path) {
        // Git asks for one just as well, and it knows which of them are here.
        if ids.len() < 2 || git.network == Network::Offline || !self.is_any() {
            return;
        }
        let mut git = git.command(home);
        git.args(["pack-objects", "--stdout", "--quiet", "--window=0"]);
        let Ok(mut child) = git.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn() else {
            return;
        };
        if let Some(pipe) = child.stdin.take() {
            let mut pipe = BufWriter::new(pipe);
            let _ = ids.iter().try_for_each(|id| writeln!(pipe, "{id}")).and_then(|()| pipe.flush());
        }
        let _ = child.wait();
    }
}
