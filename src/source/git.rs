//! git, through its own program and through one function: revisions, trees, blobs, the work tree, one commit fetched.
//!
//! Nothing is checked out. Both sides are read from the object database, each distinct blob once.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::{Arc, Mutex, PoisonError};

mod command;
mod enclosing;
pub mod history;
mod index;
pub(crate) mod later;
mod led;
mod lineage;
mod list;
mod lying;
mod noted;
mod pipe;
mod promised;
mod read;
mod texts;
mod together;
#[cfg(unix)]
mod tracked;

pub use command::Network;
use command::{ContentSetting, Git, cannot_start};
use lineage::{Lineage, Listed};
pub(crate) use lineage::{Lines, Looks};
use lying::Lying;
use pipe::SharedPipe;
use promised::Promised;
use texts::Texts;

use super::listing::MOST_HOPS;
use super::names::{normalised, path_text};
use super::object::ObjectId;
use super::select::is_under;
use super::sought::Sought;
use crate::failure::{Failure, nearest};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::snapshot::{Lent, Unseen};

/// A git repository and the place in it where the program was started.
#[derive(Debug, Clone)]
pub struct Repository {
    /// Where git is run: the top of the work tree, or the working directory of a bare repository.
    pub home: PathBuf,
    /// The top of the work tree; absent in a bare repository.
    pub top: Option<PathBuf>,
    /// The working directory inside the work tree: `services/shop`, empty at the top.
    pub prefix: String,
    /// Whether history is cut off somewhere.
    pub shallow: bool,
    /// Where the index is.
    index: PathBuf,
    git: Git,
    object_format: ObjectFormat,
    /// What of it is elsewhere.
    promised: Promised,
    /// What counts in its versions beside what names say.
    sought: Arc<Sought>,
    /// What revisions name that were asked for before: one run means one thing by a name.
    resolved: Arc<Mutex<OrderedMap<String, Resolved>>>,
    /// The git that is asked for single objects.
    pipe: SharedPipe,
    /// Versions that are listed together.
    lineage: Lineage,
    /// What was read of them.
    texts: Texts,
    /// Blobs that lie in the work tree as files.
    lying: Lying,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ObjectFormat {
    /// Blob ids are content ids.
    Sha1,
    /// Content ids are computed from the bytes.
    Other,
}

/// A commit or a tree that exists, by its full id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The full id.
    pub id: String,
}

impl Resolved {
    /// The id as reports spell it.
    pub fn short(&self) -> &str {
        self.id.get(..7).unwrap_or(&self.id)
    }
}

/// A tree, listed but not read yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tree {
    /// Its relevant files.
    pub files: Vec<Listed>,
    /// Those that are not judged, and why.
    pub lent: Vec<(Arc<str>, Lent)>,
    /// What cannot be seen.
    pub unseen: Vec<(Arc<str>, Unseen)>,
    /// Relevant names that are announced but not staged, so that a commit leaves them out.
    pub announced: Vec<String>,
    /// What the work tree has instead.
    pub on_disk: Option<OnDisk>,
    /// What the other side or this one holds in files that differ and are no schemas by their names, but may be some that a
    /// schema refers to; `None` where nobody looked.
    pub aside: Option<Vec<ObjectId>>,
    /// Which of the versions that belong together it is, where its files are all that counts in it.
    version: Option<usize>,
}

/// What the work tree has beside what the index says.
#[derive(Debug, Clone)]
pub(crate) struct OnDisk {
    /// The top of the work tree.
    top: PathBuf,
    /// Files that have to be read to know what they say, and whether they are there at all.
    others: Vec<(Arc<str>, bool)>,
    /// Files that may hold a configuration of this program, wherever they lie.
    pub configurations: OrderedSet<String>,
    /// Files that are no schemas by their names, may be some that a schema refers to, and are not known to be what the index
    /// says.
    pub aside: Vec<PathBuf>,
}

impl Tree {
    /// Leaves away the files that are not meant.
    pub(crate) fn keep(&mut self, is_meant: impl Fn(&str) -> bool) {
        self.files.retain(|file| is_meant(&file.path));
    }

    /// Forgets what lies in folders.
    pub(crate) fn keep_top_level(&mut self) {
        self.files.retain(|file| !file.path.contains('/'));
    }
}

/// Refuses revisions that git could take for an option.
pub(crate) fn check_revision(revision: &str) -> Result<(), Failure> {
    if revision.is_empty() {
        return Err(Failure::usage("a git source needs a revision", "write `git:main` or `git:v1.2:proto`"));
    }
    if revision.starts_with('-') || revision.contains(['\0', '\n']) {
        return Err(Failure::usage(
            format!("`{}` is not a revision", revision.escape_debug()),
            "write a branch, a tag or a commit id",
        ));
    }
    Ok(())
}

/// What git printed, without the final line break.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}

/// What is asked of git about the repository around a directory.
const QUESTIONS: [&str; 10] = [
    "rev-parse",
    "--is-inside-work-tree",
    "--show-object-format",
    "--is-shallow-repository",
    "--show-prefix",
    "--show-cdup",
    "--git-path",
    "index",
    "--git-path",
    "objects/pack",
];

#[cfg(not(unix))]
impl Repository {
    /// A version and the whole work tree, where they are that simple: nowhere, as nobody knows here what times mean.
    pub(crate) fn beside_work_tree(&self, _version: &str) -> Result<Option<crate::change::Pair<Tree>>, Failure> {
        Ok(None)
    }
}

impl Repository {
    /// The same with more that counts than what names say.
    pub(crate) fn looking_for(self, sought: Sought) -> Self {
        Repository { sought: Arc::new(sought), ..self }
    }

    /// The repository around a directory, if there is one.
    pub fn discover(directory: &Path, network: Network) -> Result<Option<Repository>, Failure> {
        let git = Git::at(directory, &enclosing::enclosing(directory)?, network)?;
        let output = git.run(directory, QUESTIONS)?;
        if !output.status.success() {
            let error = text(&output.stderr);
            if error.contains("safe.bareRepository") {
                return Err(Failure::could_not_tell(
                    "git refuses to read a repository without a work tree that nobody named (safe.bareRepository)",
                    "if it is yours, name it: GIT_DIR=\"$PWD\"",
                ));
            }
            if error.contains("dubious ownership") {
                return Err(Failure::could_not_tell(
                    "git refuses to read this repository because another user owns it",
                    "git config --global --add safe.directory \"$PWD\"",
                ));
            }
            return Ok(None);
        }
        let mut lines = output.stdout.split(|byte| *byte == b'\n');
        let mut next = || lines.next().unwrap_or_default();
        let inside = next() == b"true";
        if inside && git.is_nobodys() {
            return Err(enclosing::made_up(directory));
        }
        let object_format = if next() == b"sha1" { ObjectFormat::Sha1 } else { ObjectFormat::Other };
        let shallow = next() == b"true";
        let prefix = path_text(next()).trim_end_matches('/').to_owned();
        let up = PathBuf::from(String::from_utf8_lossy(next()).into_owned());
        let index = directory.join(String::from_utf8_lossy(next()).as_ref());
        let promised = Promised::of_packs(directory.join(String::from_utf8_lossy(next()).as_ref()));
        let top = inside.then(|| directory.join(up)).map(|top| top.canonicalize().unwrap_or(top));
        let home = top.clone().unwrap_or_else(|| directory.to_path_buf());
        let (sought, resolved, pipe, lineage, texts, lying) = Default::default();
        Ok(Some(Repository {
            home,
            top,
            prefix,
            shallow,
            index,
            git,
            object_format,
            promised,
            sought,
            resolved,
            pipe,
            lineage,
            texts,
            lying,
        }))
    }

    /// The same once more, after something has changed.
    pub(crate) fn again(&self) -> Result<Repository, Failure> {
        Ok(Repository::discover(&self.home, self.git.network)?.unwrap_or_else(|| self.clone()))
    }

    fn git<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Result<Output, Failure> {
        self.git.run(&self.home, arguments)
    }

    /// Runs git here; what it prints, or `None` if it says no.
    pub(crate) fn ask<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Result<Option<String>, Failure> {
        let output = self.git(arguments)?;
        Ok(output.status.success().then(|| text(&output.stdout)))
    }

    /// The commit, else the tree, that a revision names; `None` if there is none.
    pub fn find(&self, revision: &str) -> Result<Option<Resolved>, Failure> {
        check_revision(revision)?;
        let known = || self.resolved.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(resolved) = known().get(revision) {
            return Ok(Some(resolved.clone()));
        }
        self.refuse_two_meanings(revision)?;
        if let Some(id) = self.commit_at_once(revision) {
            let resolved = Resolved { id };
            known().insert(revision.to_owned(), resolved.clone());
            return Ok(Some(resolved));
        }
        for kind in ["commit", "tree"] {
            if let Some(id) = self.ask(["rev-parse", "--verify", "--quiet", &format!("{revision}^{{{kind}}}")])? {
                let resolved = Resolved { id };
                known().insert(revision.to_owned(), resolved.clone());
                return Ok(Some(resolved));
            }
        }
        Ok(None)
    }

    /// Refuses a name that a tag and a branch have which are not the same: git takes the tag, and whoever may push one would
    /// say what is compared.
    fn refuse_two_meanings(&self, revision: &str) -> Result<(), Failure> {
        let name = revision.split(['~', '^', '@', ':', '{']).next().unwrap_or_default();
        let is_id = name.len() >= 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_gits_own = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        if is_id || is_gits_own || name.starts_with("refs/") {
            return Ok(());
        }
        let kinds = ["refs/tags/", "refs/heads/", "refs/remotes/", "refs/remotes/origin/"];
        let meant = self.commits_of(&kinds.map(|kind| format!("{kind}{name}")))?;
        let Some((first, id)) = meant.first() else { return Ok(()) };
        // A branch here may well be behind the one of its name at the remote; a tag in its place is another thing.
        let is_branch = |reference: &str| !reference.starts_with(kinds[0]);
        let differs = |(other, of_other): &&(String, String)| {
            of_other != id && !(is_branch(first) && other.starts_with(kinds[3]))
        };
        let Some((other, _)) = meant.iter().find(differs) else { return Ok(()) };
        Err(Failure::usage(
            format!("`{name}` is both `{first}` and `{other}`, and they are not the same commit"),
            format!("write which one is meant: `git:{first}` or `git:{other}`"),
        ))
    }

    /// Those of some references that exist, with their commits.
    fn commits_of(&self, references: &[String]) -> Result<Vec<(String, String)>, Failure> {
        if let Some(ids) = self.commits_at_once(references) {
            let both = references.iter().cloned().zip(ids);
            return Ok(both.filter_map(|(reference, id)| Some((reference, id?))).collect());
        }
        let mut found = Vec::new();
        for reference in references {
            let question = ["rev-parse", "--verify", "--quiet", &format!("{reference}^{{commit}}")];
            found.extend(self.ask(question)?.map(|id| (reference.clone(), id)));
        }
        Ok(found)
    }

    /// The commit or tree that a revision names.
    pub fn resolve(&self, revision: &str) -> Result<Resolved, Failure> {
        match self.find(revision)? {
            Some(resolved) => Ok(resolved),
            None => Err(self.no_such_revision(revision)?),
        }
    }

    fn no_such_revision(&self, revision: &str) -> Result<Failure, Failure> {
        let known = self.ask(["for-each-ref", "--format=%(refname:short)"])?.unwrap_or_default();
        let message = format!("git knows no revision `{revision}` in this repository");
        let mut help = match nearest(revision, known.lines()) {
            // A name that is nearly one that there is was mistyped; any other may be missing from this clone.
            Some(near) if !self.shallow => return Ok(Failure::usage(message, format!("did you mean `{near}`?"))),
            Some(near) => format!("did you mean `{near}`?"),
            None if revision.contains("..") => {
                "name one version here; the two of a range are `wireproof compare git:OLD git:NEW`".to_owned()
            }
            None => "list what there is with `git branch --all` and `git tag`".to_owned(),
        };
        if self.shallow {
            help.push_str("\nthis clone is shallow; `git fetch --unshallow --tags origin` brings the rest");
        } else if let Some(remote) = self.remote()?
            && !revision.contains(['~', '^', ':', '@', '{', '*', '?', '[', '\\', ' '])
            && !revision.contains("..")
        {
            let branch = revision.strip_prefix(&format!("{remote}/")).unwrap_or(revision);
            help.push_str(&format!(
                "\nif it only exists on the remote: `git fetch {remote} {branch}`, then use `git:FETCH_HEAD`"
            ));
        }
        Ok(Failure::could_not_tell(message, help))
    }

    /// What stands at a path of a revision: `blob`, `tree` or nothing.
    pub(crate) fn kind_at(&self, id: &str, path: &str) -> Result<Option<String>, Failure> {
        self.ask(["cat-file", "-t", &format!("{id}:{path}")])
    }

    /// The path as a failure, with what stands nearby.
    pub(crate) fn no_such_path(&self, label: &str, id: &str, path: &str) -> Result<Failure, Failure> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let listing = self.ask(["ls-tree", "--name-only", &format!("{id}:{folder}")])?.unwrap_or_default();
        let help = match nearest(name, listing.lines()) {
            Some(near) if folder.is_empty() => format!("did you mean `{near}`?"),
            Some(near) => format!("did you mean `{folder}/{near}`?"),
            None => {
                "paths are relative to the top of the repository; `git ls-tree --name-only REF` lists them".to_owned()
            }
        };
        Ok(Failure::could_not_tell(format!("there is no `{path}` in {label}"), help))
    }

    /// One file of a version as a tree of its own; where it is a link, the file that this leads to.
    pub(crate) fn list_file(&self, id: &str, path: &str, name: &str) -> Result<Tree, Failure> {
        const LINK: &str = "120000 ";
        let nowhere = || {
            Failure::could_not_tell(
                format!("`{path}` is a link that leads out of the repository, or nowhere"),
                "name the file itself",
            )
        };
        let mut real = path.to_owned();
        for _ in 0..MOST_HOPS {
            let entry = self.ask(["ls-tree", "--full-tree", id, "--", &real])?.unwrap_or_default();
            let blob = entry.split([' ', '\t']).nth(2).filter(|_| !entry.is_empty()).ok_or_else(nowhere)?;
            if !entry.starts_with(LINK) {
                let blob = ObjectId::read(blob.as_bytes()).ok_or_else(nowhere)?;
                let files = vec![Listed { path: Arc::from(name), blob }];
                return Ok(Tree { files, ..Tree::default() });
            }
            let target = self.ask(["cat-file", "blob", blob])?.unwrap_or_default();
            let folder = real.rsplit_once('/').map_or("", |(folder, _)| folder);
            real = normalised(folder, &target).filter(|path| !path.is_empty()).ok_or_else(nowhere)?;
        }
        Err(nowhere())
    }

    /// Whether the index differs from a commit at all.
    pub(crate) fn has_staged(&self, head: &Resolved) -> Result<bool, Failure> {
        let quiet = ["diff-index", "--cached", "--no-ext-diff", "--quiet", "--ita-invisible-in-index", &head.id, "--"];
        Ok(self.ask(quiet)?.is_none())
    }

    /// Whether a schema of the work tree differs from the last commit.
    pub(crate) fn has_changed_schemas(&self) -> Result<bool, Failure> {
        let status =
            ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty"];
        // Filters of the user (LFS) take part; a filter that the work tree itself brings is a stranger's program.
        let strange = self.content_settings()?;
        let without = strange.iter().filter_map(ContentSetting::without_filter).flatten();
        let output = self.git(without.chain(status.map(OsString::from)))?;
        let changed = |entry: &[u8]| entry.get(3..).is_some_and(|name| self.sought.counts(&path_text(name)));
        Ok(output.stdout.split(|byte| *byte == 0).any(changed))
    }

    /// The remote that branches come from: `origin`, or the only one there is.
    pub(crate) fn remote(&self) -> Result<Option<String>, Failure> {
        let listing = self.ask(["remote"])?.unwrap_or_default();
        let mut remotes = listing.lines();
        match (remotes.next(), remotes.next()) {
            (Some(only), None) => Ok(Some(only.to_owned())),
            _ => Ok(listing.lines().find(|remote| *remote == "origin").map(str::to_owned)),
        }
    }

    /// The last commit of a branch of that name: at the remote, else here.
    pub(crate) fn branch(&self, name: &str) -> Result<Option<Resolved>, Failure> {
        let remote = self.remote()?.unwrap_or_else(|| "origin".to_owned());
        match self.find(&format!("refs/remotes/{remote}/{name}"))? {
            Some(found) => Ok(Some(found)),
            None => self.find(&format!("refs/heads/{name}")),
        }
    }

    /// The other parents of a merge that is being made.
    pub(crate) fn merged(&self) -> Result<Vec<String>, Failure> {
        let path = self.ask(["rev-parse", "--git-path", "MERGE_HEAD"])?.unwrap_or_default();
        let text = std::fs::read_to_string(self.home.join(path)).unwrap_or_default();
        Ok(text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect())
    }

    /// Whether a commit is in the object database.
    pub(crate) fn has_commit(&self, id: &str) -> Result<bool, Failure> {
        Ok(self.ask(["cat-file", "-e", &format!("{id}^{{commit}}")])?.is_some())
    }

    /// The parents a commit names, whether or not they are here: unlike `rev-parse`, this is not cut off by a shallow clone.
    pub(crate) fn parents(&self, commit: &str) -> Result<Vec<String>, Failure> {
        let text = self.ask(["cat-file", "-p", commit])?.unwrap_or_default();
        let headers = text.lines().take_while(|line| !line.is_empty());
        Ok(headers.filter_map(|line| line.strip_prefix("parent ")).map(str::to_owned).collect())
    }

    /// Makes sure that a commit is here, fetching exactly it if that is allowed.
    pub(crate) fn ensure_commit(&self, id: &str, what: &str) -> Result<(), Failure> {
        check_revision(id)?;
        if self.has_commit(id)? {
            return Ok(());
        }
        // A depth in a full clone would cut off history that is there.
        let depth = self.shallow.then_some("--depth=1");
        let remedy = format!("git fetch {}origin {id}", if self.shallow { "--depth=1 " } else { "" });
        if self.git.network == Network::Offline {
            return Err(Failure::could_not_tell(
                format!("{what} ({}) is not in this clone, and --offline forbids to fetch it", &id[..id.len().min(7)]),
                format!("run `{remedy}` first, or leave out --offline"),
            ));
        }
        if self.git.is_nobodys() {
            return Err(Failure::could_not_tell(
                format!(
                    "{what} ({}) is not here, and is not fetched into a repository without a work tree that nobody named",
                    &id[..id.len().min(7)]
                ),
                format!("run `{remedy}` yourself, or name the repository: set GIT_DIR"),
            ));
        }
        if let Some(strange) = self.content_settings()?.into_iter().find(ContentSetting::is_of_a_fetch) {
            return Err(Failure::could_not_tell(
                format!(
                    "{what} ({}) is not in this clone, and is not fetched: `{}` is set by a file of the work tree, which \
                     a change could have written",
                    &id[..id.len().min(7)],
                    strange.key.escape_debug()
                ),
                format!(
                    "run `{remedy}` yourself, or take the file out of the repository's configuration (include.path)"
                ),
            ));
        }
        self.pipe.close();
        let output = self.git(
            ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules"].into_iter().chain(depth).chain(["origin", id]),
        )?;
        if output.status.success() && self.has_commit(id)? {
            return Ok(());
        }
        let reason = text(&output.stderr).lines().last().unwrap_or("git gave no reason").to_owned();
        Err(Failure::could_not_tell(
            format!("{what} ({}) is not in this clone and cannot be fetched: {reason}", &id[..id.len().min(7)]),
            format!(
                "run `{remedy}` before wireproof; with actions/checkout, set `fetch-depth: 0` or leave `persist-credentials` on"
            ),
        ))
    }

    /// What files of the work tree set in this repository's configuration: mostly nothing.
    fn content_settings(&self) -> Result<Vec<ContentSetting>, Failure> {
        let Some(top) = &self.top else { return Ok(Vec::new()) };
        let listing = self.git(["config", "--list", "--includes", "--show-scope", "--show-origin", "-z"])?;
        if !listing.status.success() {
            return Err(git_failed("list its configuration", &listing));
        }
        Ok(ContentSetting::among(&listing.stdout, top))
    }

    /// The commits at which a shallow clone is cut off.
    pub(crate) fn shallow_commits(&self) -> Result<Vec<String>, Failure> {
        let path = self.ask(["rev-parse", "--git-path", "shallow"])?.unwrap_or_default();
        let text = std::fs::read_to_string(self.home.join(path)).unwrap_or_default();
        Ok(text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect())
    }

    /// A path on disk as a path inside the work tree; `None` outside of it.
    pub(crate) fn inside(&self, path: &Path) -> Option<String> {
        let path = path.canonicalize().ok()?;
        let inside = path.strip_prefix(self.top.as_deref()?).ok()?;
        let text = path_text(inside.as_os_str().as_encoded_bytes());
        let text = if std::path::MAIN_SEPARATOR == '/' { text } else { text.replace(std::path::MAIN_SEPARATOR, "/") };
        (!is_under(&text, ".git")).then_some(text)
    }
}

/// The ids that git gives to nothing.
struct Empty {
    blob: &'static str,
    tree: &'static str,
}

const EMPTY_SHA1: Empty =
    Empty { blob: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904" };

const EMPTY_SHA256: Empty = Empty {
    blob: "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
    tree: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};

fn not_merged(paths: &OrderedSet<String>) -> Failure {
    let named: Vec<String> = paths.iter().take(3).map(|path| format!("`{}`", path.escape_debug())).collect();
    let more = paths.len().saturating_sub(named.len());
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    Failure::could_not_tell(
        format!("the index holds a conflict, so it is not known what the commit will be: {}{more}", named.join(", ")),
        "resolve the conflict and `git add` the result",
    )
}

fn no_work_tree() -> Failure {
    Failure::could_not_tell(
        "this repository is bare: it has no work tree",
        "name both sides: `wireproof compare git:OLD git:NEW`",
    )
}

fn git_failed(what: &str, output: &Output) -> Failure {
    let error = text(&output.stderr);
    Failure::could_not_tell(
        format!("git could not {what}: {}", error.lines().last().unwrap_or("no reason given")),
        "check the repository with `git fsck`",
    )
}

/// A path below a folder as git spells it, as the system spells it.
fn below(folder: &Path, name: &[u8]) -> PathBuf {
    let mut path = PathBuf::with_capacity(folder.as_os_str().len() + name.len() + 1);
    path.push(folder);
    path.push(&*os_path(name));
    path
}

/// A path as git spells it, as the system spells it.
#[cfg(unix)]
fn os_path(name: &[u8]) -> Cow<'_, Path> {
    use std::os::unix::ffi::OsStrExt;
    Cow::Borrowed(Path::new(OsStr::from_bytes(name)))
}

/// A path as git spells it, as the system spells it.
#[cfg(not(unix))]
fn os_path(name: &[u8]) -> Cow<'_, Path> {
    Cow::Owned(PathBuf::from(String::from_utf8_lossy(name).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_that_look_like_options_are_refused() {
        assert!(check_revision("--upload-pack=touch x").is_err());
        assert!(check_revision("main").is_ok());
    }
}
