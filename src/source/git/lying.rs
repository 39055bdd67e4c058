//! Blobs that lie in the work tree as files, where they are read sooner than git unpacks them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::snapshot::ContentId;

/// So many can be asked for before it is worth knowing all of them by what they hold.
const FEW: usize = 32;
/// What is larger is left to git.
const LARGEST: u64 = 64 << 20;

/// Which blobs lie in a folder of the work tree, by what the index says; shared by all who read from a repository.
#[derive(Debug, Clone, Default)]
pub(super) struct Lying(Arc<OnceLock<Files>>);

#[derive(Debug)]
struct Files {
    folder: PathBuf,
    files: Vec<(ContentId, Arc<str>)>,
    /// Their paths by what they hold; found out when many are wanted.
    paths: OnceLock<FxHashMap<ContentId, Arc<str>>>,
}

impl Lying {
    /// Notes where files lie, the first time.
    pub(super) fn set(&self, folder: &Path, files: impl Iterator<Item = (ContentId, Arc<str>)>) {
        self.0.get_or_init(|| Files { folder: folder.to_path_buf(), files: files.collect(), paths: OnceLock::new() });
    }

    /// Has so many asked for next; whether anything lies there at all.
    pub(super) fn expects(&self, count: usize) -> bool {
        let Some(known) = self.0.get() else { return false };
        if count > FEW {
            known.paths.get_or_init(|| known.files.iter().cloned().collect());
        }
        true
    }

    /// Reads a file in the place of others. It is taken only where it still is what the id says, whatever happened to it
    /// meanwhile and whatever git makes of files as it writes them.
    pub(super) fn read(&self, id: &ContentId, buffer: &mut Vec<u8>) -> bool {
        let Some(known) = self.0.get() else { return false };
        let path = match known.paths.get() {
            Some(paths) => paths.get(id),
            None => known.files.iter().find_map(|(of, path)| (of == id).then_some(path)),
        };
        let Some(mut file) = path.and_then(|path| plain_file(&known.folder.join(&**path))) else { return false };
        buffer.clear();
        file.read_to_end(buffer).is_ok() && ContentId::of(buffer) == *id
    }
}

/// Opens a file of a sensible size and nothing else: a pipe would be waited for, and some devices have no end.
fn plain_file(path: &Path) -> Option<File> {
    #[cfg(unix)]
    let file = {
        use rustix::fs::{CWD, Mode, OFlags, openat};
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        File::from(openat(CWD, path, flags, Mode::empty()).ok()?)
    };
    #[cfg(not(unix))]
    let file = File::open(path).ok()?;
    let is_plain = file.metadata().is_ok_and(|file| file.is_file() && file.len() <= LARGEST);
    is_plain.then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_lies_there_is_taken_where_it_is_a_file_that_holds_what_the_id_says() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("a.proto");
        let id = ContentId::of(b"one");
        for many in [0, FEW + 1] {
            let lying = Lying::default();
            assert!(!lying.expects(many) && !lying.read(&id, &mut Vec::new()), "nothing is known yet");
            let others = (0..9).map(|at| (ContentId::of(&[at]), Arc::from("b.proto")));
            lying.set(folder.path(), others.chain([(id, Arc::from("a.proto"))]));
            assert!(lying.expects(many));
            let mut buffer = b"of another".to_vec();
            let mut read = |id: &ContentId| lying.read(id, &mut buffer).then(|| buffer.clone());
            std::fs::write(&path, "one").expect("the folder is ours");
            assert_eq!(read(&id), Some(b"one".to_vec()));
            assert_eq!((read(&ContentId::of(b"two")), read(&ContentId::of(&[0]))), (None, None));
            std::fs::write(&path, "two").expect("the folder is ours");
            assert_eq!(read(&id), None);
            std::fs::remove_file(&path).expect("it is ours");
            assert_eq!(read(&id), None);
            // Whoever opened this as a file would wait for somebody to write.
            let made = std::process::Command::new("mkfifo").arg(&path).status();
            assert!(made.is_err() || read(&id).is_none());
            let _ = std::fs::remove_file(&path);
            std::os::unix::fs::symlink("/dev/zero", &path).expect("the folder is ours");
            assert_eq!(read(&id), None);
            std::fs::remove_file(&path).expect("it is ours");
        }
    }
}
