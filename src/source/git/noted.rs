//! What the index notes of the files of the work tree: by that git itself knows which of them it need not look into.

use std::fs::Metadata;

/// Seconds and nanoseconds since 1970.
type Time = (i64, i64);

/// What `git ls-files --debug` prints of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Noted {
    changed: Time,
    modified: Time,
    inode: u64,
    size: u64,
}

impl Noted {
    /// Reads the lines of an entry, and how many bytes they take. `None` where they are not what is known of them.
    pub(super) fn read(text: &[u8]) -> Option<(Noted, usize)> {
        let mut rest = text;
        let changed = time(&mut rest, b"  ctime: ")?;
        let modified = time(&mut rest, b"\n  mtime: ")?;
        number(&mut rest, b"\n  dev: ")?;
        let inode = number(&mut rest, b"\tino: ")?;
        number(&mut rest, b"\n  uid: ")?;
        number(&mut rest, b"\tgid: ")?;
        let size = number(&mut rest, b"\n  size: ")?;
        rest = rest.strip_prefix(b"\tflags: ")?;
        rest = &rest[memchr::memchr(b'\n', rest)? + 1..];
        Some((Noted { changed, modified, inode, size }, text.len() - rest.len()))
    }

    /// What the file of the index has of an entry: times in seconds and nanoseconds, the inode and the size.
    pub(super) fn of_index(changed: [u32; 2], modified: [u32; 2], inode: u32, size: u32) -> Noted {
        let time = |[seconds, nanoseconds]: [u32; 2]| (i64::from(seconds), i64::from(nanoseconds));
        Noted { changed: time(changed), modified: time(modified), inode: inode.into(), size: size.into() }
    }

    /// What would be noted of a file as it is now. `None` where it is not known what times and sizes mean.
    #[cfg(unix)]
    pub(super) fn of(file: &Metadata) -> Option<Noted> {
        use std::os::unix::fs::MetadataExt;
        let changed = (file.ctime(), file.ctime_nsec());
        Some(Noted { changed, modified: (file.mtime(), file.mtime_nsec()), inode: file.ino(), size: file.size() })
    }

    /// What would be noted of a file as it is now. `None` where it is not known what times and sizes mean.
    #[cfg(not(unix))]
    pub(super) fn of(_file: &Metadata) -> Option<Noted> {
        None
    }

    /// The same of a file that was looked at from the folder it lies in.
    // How wide these numbers are differs from system to system.
    #[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions)]
    #[cfg(unix)]
    pub(super) fn of_stat(file: &rustix::fs::Stat) -> Option<Noted> {
        let (changed, modified) = (
            (i64::try_from(file.st_ctime).ok()?, i64::try_from(file.st_ctime_nsec).ok()?),
            (i64::try_from(file.st_mtime).ok()?, i64::try_from(file.st_mtime_nsec).ok()?),
        );
        let (inode, size) = (u64::try_from(file.st_ino).ok()?, u64::try_from(file.st_size).ok()?);
        Some(Noted { changed, modified, inode, size })
    }

    /// Whether a file is still what git looked at: nothing that is noted of it is another, and nobody wrote to it in the
    /// moment in which the index was written or later.
    pub(super) fn is_still(&self, file: Option<Noted>, index: Option<Noted>) -> bool {
        let (Some(file), Some(index)) = (file, index) else { return false };
        self.modified < index.modified
            && self.modified == file.modified
            && self.changed == file.changed
            // Git keeps 32 bits of both, and notes no size of what it wants to look into.
            && self.inode == file.inode & u64::from(u32::MAX)
            && self.size != 0
            && self.size == file.size
    }
}

/// The number behind some words.
fn number(text: &mut &[u8], words: &[u8]) -> Option<u64> {
    let rest = text.strip_prefix(words)?;
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut digits = rest[..length].iter().map(|byte| u64::from(byte - b'0'));
    let number = digits.try_fold(0u64, |number, digit| number.checked_mul(10)?.checked_add(digit));
    *text = &rest[length..];
    number.filter(|_| length > 0)
}

/// Seconds and nanoseconds behind some words.
fn time(text: &mut &[u8], words: &[u8]) -> Option<Time> {
    let seconds = number(text, words)?;
    let nanoseconds = number(text, b":")?;
    Some((i64::try_from(seconds).ok()?, i64::try_from(nanoseconds).ok()?))
}

#[cfg(test)]
mod tests {
    use super::Noted;

    const LINES: &str =
        "  ctime: 17:21\n  mtime: 16:20\n  dev: 65024\tino: 9978619\n  uid: 0\tgid: 0\n  size: 91\tflags: 0\n";

    #[test]
    fn lines_are_read_as_they_are_known_and_no_others() {
        let noted = Noted { changed: (17, 21), modified: (16, 20), inode: 9_978_619, size: 91 };
        assert_eq!(Noted::read(format!("{LINES}H 100644 …").as_bytes()), Some((noted, LINES.len())));
        assert_eq!(Noted::read(LINES.replace("mtime", "time").as_bytes()), None);
        assert_eq!(Noted::read(b"H 100644 name"), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_still_the_same_until_somebody_touches_it() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = |name: &str| folder.path().join(name);
        let look = |name: &str| Noted::of(&path(name).symlink_metadata().expect("it was written"));
        let by_stat = || Noted::of_stat(&rustix::fs::lstat(path("a.proto")).expect("it was written"));
        std::fs::write(path("a.proto"), "one").expect("the folder is ours");
        let file = look("a.proto");
        assert_eq!(file, by_stat());
        let noted =
            file.map(|file| Noted { inode: file.inode & u64::from(u32::MAX), ..file }).expect("it is known here");
        // In one moment with the file, the index says nothing.
        assert!(!noted.is_still(file, file) && !noted.is_still(file, None));
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(9);
        let index = std::fs::File::create(path("index")).expect("the folder is ours");
        index.set_modified(later).expect("the file is ours");
        assert!(noted.is_still(file, look("index")));
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(path("a.proto"), "two").expect("the folder is ours");
        assert!(!noted.is_still(look("a.proto"), look("index")));
        assert!(!noted.is_still(by_stat(), look("index")));
    }
}
