//! A work tree known from the index is the one that git lists: random edits, looked at both ways.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use super::super::later::Store;
use super::super::{Network, Repository, Tree};
use crate::change::Pair;
use crate::snapshot::Snapshot;

const NAMES: [&str; 14] = [
    "a.proto",
    "a/b.proto",
    "a/b/c.proto",
    "a-b/c.thrift",
    "a/ü.proto",
    "a/e.avsc",
    "a/x.txt",
    "buf.yaml",
    "deep/er/and/deeper/z.fbs",
    "deep/er/buf.lock",
    "a.b/wireproof.yaml",
    "wireproof.yaml",
    "ignored.d/i.proto",
    "new/n.capnp",
];

const LINKS: [&str; 2] = ["l.proto", "a/l.txt"];

fn git(folder: &Path, arguments: &[&str]) -> bool {
    let mut command = Command::new("git");
    for setting in ["user.name=a", "user.email=a@example.org", "commit.gpgsign=false", "core.autocrlf=false"] {
        command.args(["-c", setting]);
    }
    command
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null");
    command.output().is_ok_and(|output| output.status.success())
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    let _ = path.parent().map(fs::create_dir_all);
    let _ = fs::write(path, text);
}

/// A small generator: what is drawn next.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

fn edit(folder: &Path, dice: &mut Dice, round: usize) {
    let name = NAMES[dice.roll(NAMES.len())];
    let text = format!("// {round}\n");
    let gone = |path: &Path| drop(fs::remove_file(path).or_else(|_| fs::remove_dir_all(path)));
    match dice.roll(16) {
        0..=2 => write(folder, name, &text),
        3 => gone(&folder.join(name)),
        4 => drop(fs::rename(folder.join(name), folder.join(format!("{name}.proto")))),
        5 => drop(git(folder, &["add", "--all"])),
        6 => drop(git(folder, &["add", "--intent-to-add", "."])),
        7 => drop(git(folder, &["commit", "--quiet", "--all", "--message", "more"])),
        8 => drop(git(folder, &["update-index", "--assume-unchanged", name])),
        9 => drop(git(folder, &["update-index", "--no-assume-unchanged", name])),
        10 => drop(git(folder, &["update-index", "--index-version", ["2", "3", "4"][dice.roll(3)]])),
        11 => {
            // A file in the place of a folder, and a folder in the place of a file.
            let path = folder.join(name.rsplit_once('/').map_or(name, |(above, _)| above));
            gone(&path);
            let inside = format!("{name}/inside.proto");
            write(folder, [name, &inside][dice.roll(2)], &text);
        }
        12 => drop(symlink("a.proto", folder.join(LINKS[dice.roll(2)]))),
        13 => write(folder, name, &text),
        14 => drop(git(folder, &["reset", "--quiet", "--hard"])),
        _ => drop(git(folder, &["update-index", ["--skip-worktree", "--no-skip-worktree"][dice.roll(2)], name])),
    }
}

/// Takes away what is left to git.
fn make_plain(folder: &Path) {
    LINKS.iter().for_each(|link| drop(fs::remove_file(folder.join(link))));
    NAMES.iter().for_each(|name| _ = git(folder, &["update-index", "--no-skip-worktree", name]));
    git(folder, &["reset", "--quiet", "--hard"]);
}

fn files(snapshot: &Snapshot) -> Vec<(Arc<str>, String)> {
    snapshot.iter().map(|(path, file)| (path.clone(), file.id.to_string())).collect()
}

#[test]
fn what_the_index_says_is_what_git_lists() {
    let mut simple = 0;
    let first = std::env::var("TRACKED_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    for seed in first..first + 6 {
        let folder = tempfile::tempdir().expect("there is room");
        let folder = folder.path();
        let mut dice = Dice(seed);
        assert!(git(folder, &["init", "--quiet", "--initial-branch=main"]));
        NAMES[..NAMES.len() - 1].iter().for_each(|name| write(folder, name, name));
        write(folder, ".gitignore", "ignored.d\n*.proto.proto\n");
        assert!(git(folder, &["add", "--all"]) && git(folder, &["commit", "--quiet", "--message", "one"]));
        for round in 0..30 {
            (0..1 + dice.roll(3)).for_each(|_| edit(folder, &mut dice, round));
            let repository = Repository::discover(folder, Network::Offline).expect("git runs").expect("it is one");
            let base = repository.resolve(["HEAD", "main"][dice.roll(2)]).expect("it is there").id;
            let Some(both) = repository.beside_work_tree(&base).expect("git runs") else {
                make_plain(folder);
                continue;
            };
            simple += 1;
            let store = || Store::of(&repository, |_| false);
            let read = repository.read(&[&both.old, &both.new], &[], store().as_ref()).expect("it is read");
            let listed = repository.list_tree(&base).expect("it is listed");
            let listed = repository.plain_files(&listed, &crate::source::is_relevant).expect("no link was committed");
            let files_of = |tree: &Tree| tree.files.clone();
            let slow = repository.work_tree("", store().as_ref()).expect("it is listed");
            let at = format!("seed {seed}, round {round}");
            assert_eq!(files_of(&both.old), listed, "{at}: the version");
            assert_eq!(files(&read[1]), files(&slow), "{at}: the work tree");
            assert_eq!(read[1].unseen(), slow.unseen(), "{at}");
            let alone = repository.list((&base, "")).expect("it is listed");
            let two = repository.list_both(Pair::new((&base, ""), (&base, ""))).expect("they are listed");
            for tree in [&alone, &two.old, &two.new] {
                assert_eq!(files_of(tree), listed, "{at}: listed alone");
            }
        }
    }
    assert!(simple > 60, "{simple} of 180 were simple");
}

#[test]
fn an_index_that_breaks_off_is_none() {
    let folder = tempfile::tempdir().expect("there is room");
    let folder = folder.path();
    assert!(git(folder, &["init", "--quiet"]));
    NAMES.iter().for_each(|name| write(folder, name, name));
    for version in ["2", "3", "4"] {
        assert!(git(folder, &["add", "--all"]) && git(folder, &["update-index", "--index-version", version]));
        let bytes = fs::read(folder.join(".git/index")).expect("it was written");
        let whole = super::Index::read(&bytes).expect("it is plain");
        assert_eq!(whole.entries.len(), NAMES.len(), "version {version}");
        // What is cut off may be an extension, and never a name.
        for length in 0..bytes.len() {
            let entries = super::Index::read(&bytes[..length]).map_or(NAMES.len(), |index| index.entries.len());
            assert_eq!(entries, NAMES.len(), "version {version}, {length} bytes");
        }
    }
}
