//! Both sides of a comparison, read: sources in, snapshots out.
//!
//! Knows how sides relate: a file is paired with a file, a folder of the work tree with the same folder of a revision,
//! and bytes that are the same on both sides are read and kept once.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::archive::{self, Contents};
use super::dir::{self, read_all, read_one, walk};
use super::git::{Network, Repository, Resolved, Tree};
use super::image::{self, ImageContents, ImageFile};
use super::modules;
use super::select::is_under;
use super::{GitSource, Selection, Snapshot, SnapshotFile, Source, Spelling, TreePath, path_text};
use crate::change::{Pair, Side};
use crate::failure::{Failure, nearest};
use crate::formats::{Format, LibraryFile};
use crate::syntax::problem::NotChecked;

/// Standard input larger than this is refused.
const MAX_STDIN: u64 = 256 << 20;

/// What to read.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where the sides come from.
    pub sources: Pair<Source>,
    /// Where relative paths start.
    pub cwd: PathBuf,
    /// Whether git may use the network.
    pub network: Network,
    /// The format of single files whose name does not say it.
    pub format: Option<Format>,
    /// What is judged; paths are those of the snapshots.
    pub selection: Selection,
    /// Import roots: inside each side, and in the working directory.
    pub include: Vec<String>,
    /// The repository around the working directory, if the caller has looked for it already.
    pub repository: Option<Repository>,
}

/// What was read.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The files that are judged.
    pub snapshots: Pair<Snapshot>,
    /// What was read, in words.
    pub labels: Pair<String>,
    /// Files that only supply types.
    pub library: Vec<LibraryFile>,
    /// Import roots inside the snapshots.
    pub include: Vec<String>,
    /// What was left out.
    pub not_checked: Vec<NotChecked>,
}

/// Reads both sides.
pub fn load(request: &Request) -> Result<Loaded, Failure> {
    let repository = find_repository(request)?;
    let repository = repository.as_ref();
    let sources = align(request, repository);
    let places = Pair::new(place(&sources.old, request, repository)?, place(&sources.new, request, repository)?);
    let names = file_names(places.as_ref(), request)?;
    let name = |side: Side| names.as_ref().map(|names| names.side(side).as_str());
    let old = || open(&places.old, name(Side::Old), repository);
    let new = || open(&places.new, name(Side::New), repository);
    // Git is waited for, and may as well be waited for twice at once; a folder is only listed.
    let (old, new) = if repository.is_some() { rayon::join(old, new) } else { (old(), new()) };
    let contents = Pair::new(old?, new?);
    let not_checked = unread(&contents);
    let mut library = Library::default();
    for content in [&contents.new, &contents.old] {
        library.add_imports(content);
    }
    let mut snapshots = read(contents, repository)?;
    if names.is_some() {
        // The sides need no neighbours of their own: these are looked up only when imported.
        for place in [&places.new, &places.old] {
            library.add_neighbours(place, repository)?;
        }
    } else {
        check_paths(&snapshots, &request.selection.paths)?;
        leave_out(&mut snapshots, &request.selection, &mut library);
    }
    check_not_empty(&snapshots, places.as_ref())?;
    let include = import_roots(request, repository, places.as_ref(), &snapshots, &mut library)?;
    for folder in modules::cached(&snapshots.new).into_iter().chain(modules::cached(&snapshots.old)) {
        library.add_folder(&folder, &[])?;
    }
    Ok(Loaded { snapshots, labels: places.map(|place| place.label()), library: library.finish(), include, not_checked })
}

/// A side, looked up but not read.
#[derive(Debug, Clone)]
enum Place {
    Folder {
        disk: PathBuf,
        label: String,
    },
    /// A folder of the work tree, without what is ignored.
    WorkTree {
        folder: String,
        label: String,
    },
    File {
        disk: PathBuf,
        label: String,
    },
    Archive {
        disk: PathBuf,
        label: String,
    },
    Image {
        file: ImageFile,
        label: String,
    },
    /// `path` is empty at the top; the tree is absent when a folder that was only inferred does not exist.
    GitFolder {
        id: String,
        path: String,
        exists: Exists,
        label: String,
    },
    GitFile {
        id: String,
        path: String,
        label: String,
    },
    /// What the next commit will hold.
    Index,
    Stdin,
    Empty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exists {
    Yes,
    No,
}

impl Place {
    fn label(&self) -> String {
        match self {
            Place::Folder { label, .. }
            | Place::WorkTree { label, .. }
            | Place::File { label, .. }
            | Place::Archive { label, .. }
            | Place::Image { label, .. }
            | Place::GitFolder { label, .. }
            | Place::GitFile { label, .. } => label.clone(),
            Place::Index => "index (what is staged)".to_owned(),
            Place::Stdin => "standard input".to_owned(),
            Place::Empty => "nothing (before the first commit)".to_owned(),
        }
    }

    /// The name of a single file: `None` for folders, `Some(None)` for a file without a name.
    fn file_name(&self) -> Option<Option<String>> {
        match self {
            Place::File { disk, .. } => Some(disk.file_name().map(|name| path_text(name.as_encoded_bytes()))),
            Place::GitFile { path, .. } => Some(Some(path.rsplit('/').next().unwrap_or(path).to_owned())),
            Place::Stdin => Some(None),
            Place::Folder { .. }
            | Place::WorkTree { .. }
            | Place::Archive { .. }
            | Place::Image { .. }
            | Place::GitFolder { .. }
            | Place::Index
            | Place::Empty => None,
        }
    }

    /// Where the side lies on disk.
    fn disk(&self, repository: Option<&Repository>) -> Option<PathBuf> {
        match self {
            Place::Folder { disk, .. } => disk.canonicalize().ok(),
            Place::WorkTree { folder, .. } => Some(repository?.top.as_ref()?.join(folder)),
            Place::File { .. }
            | Place::Archive { .. }
            | Place::Image { .. }
            | Place::GitFolder { .. }
            | Place::GitFile { .. }
            | Place::Index
            | Place::Stdin
            | Place::Empty => None,
        }
    }
}

/// The repository, if any side needs one.
fn find_repository(request: &Request) -> Result<Option<Repository>, Failure> {
    let needs_git = |source: &Source| match source {
        Source::Git(_) | Source::WorkTree | Source::Index => true,
        Source::Path(path) => path.join(".git").exists(),
        Source::Archive(_) | Source::Image(_) | Source::Stdin | Source::Empty => false,
    };
    if !needs_git(&request.sources.old) && !needs_git(&request.sources.new) {
        return Ok(None);
    }
    match &request.repository {
        Some(repository) => Ok(Some(repository.clone())),
        None => Repository::discover(&request.cwd, request.network),
    }
}

/// `compare git:main proto` means the folder `proto` on both sides, and so does `check --against git:main:proto`.
fn align(request: &Request, repository: Option<&Repository>) -> Pair<Source> {
    let Pair { old, new } = &request.sources;
    let Some(repository) = repository else { return request.sources.clone() };
    let aligned = |git: &GitSource, path: &Path| match repository.inside(path) {
        Some(inside) if git.path.is_none() && !inside.is_empty() => {
            Source::Git(GitSource { path: Some(TreePath::Inferred(inside)), ..git.clone() })
        }
        _ => Source::Git(git.clone()),
    };
    match (old, new) {
        (Source::Git(git), Source::Path(path)) => Pair::new(aligned(git, path), new.clone()),
        (Source::Path(path), Source::Git(git)) => Pair::new(old.clone(), aligned(git, path)),
        (Source::Git(GitSource { path: Some(TreePath::Written(path)), .. }), Source::WorkTree) => match &repository.top
        {
            Some(top) => Pair::new(old.clone(), Source::Path(top.join(path))),
            None => request.sources.clone(),
        },
        _ => request.sources.clone(),
    }
}

fn place(source: &Source, request: &Request, repository: Option<&Repository>) -> Result<Place, Failure> {
    let label = |path: &Path| path_text(path.strip_prefix(&request.cwd).unwrap_or(path).as_os_str().as_encoded_bytes());
    match source {
        Source::Empty => Ok(Place::Empty),
        Source::Stdin => Ok(Place::Stdin),
        Source::Index => match (&request.sources.old, repository) {
            (_, None) => Err(not_a_repository()),
            (Source::Git(GitSource { path: Some(TreePath::Written(path)), revision, .. }), _) => Err(Failure::usage(
                format!("the whole index cannot be compared with one folder: git:{revision}:{path}"),
                format!("write `--staged --against git:{revision} -- {path}`"),
            )),
            (_, Some(_)) => Ok(Place::Index),
        },
        Source::Archive(disk) => Ok(Place::Archive { disk: disk.clone(), label: label(disk) }),
        Source::Image(file) => Ok(Place::Image { file: file.clone(), label: label(&file.disk) }),
        Source::WorkTree => match repository {
            Some(_) => Ok(Place::WorkTree { folder: String::new(), label: "working tree".to_owned() }),
            None => Err(not_a_repository()),
        },
        Source::Path(disk) if disk.is_dir() => {
            let label = Some(label(disk)).filter(|label| !label.is_empty()).unwrap_or_else(|| ".".to_owned());
            let inside = repository.and_then(|repository| repository.inside(disk));
            let beside_git =
                [&request.sources.old, &request.sources.new].iter().any(|side| matches!(side, Source::Git(_)));
            match inside {
                Some(folder) if beside_git || folder.is_empty() => Ok(Place::WorkTree { folder, label }),
                _ => Ok(Place::Folder { disk: disk.clone(), label }),
            }
        }
        Source::Path(disk) if disk.exists() => Ok(Place::File { disk: disk.clone(), label: label(disk) }),
        Source::Path(_) => Ok(Place::Empty),
        Source::Git(git) => git_place(git, repository),
    }
}

fn not_a_repository() -> Failure {
    Failure::could_not_tell(
        "this is not a git repository, so there is no earlier version to read",
        "run inside a clone, or compare two directories: `wireproof compare OLD_DIR NEW_DIR`",
    )
}

fn git_place(git: &GitSource, repository: Option<&Repository>) -> Result<Place, Failure> {
    let spelled = |failure: Failure| match git.spelling {
        Spelling::Explicit => failure,
        Spelling::Guessed => Failure {
            message: format!("there is no path `{}`; as a revision: {}", git.revision, failure.message),
            ..failure
        },
    };
    let Some(repository) = repository else {
        return Err(match git.spelling {
            Spelling::Explicit => not_a_repository(),
            Spelling::Guessed => Failure::usage(
                format!("there is no file or directory `{}`", git.revision),
                "check the path; it starts from the working directory",
            ),
        });
    };
    // A revision with a reason was chosen by us, and is the full id of a commit that is there.
    let resolved = match git.reason {
        Some(_) => Resolved { id: git.revision.clone() },
        None => repository.resolve(&git.revision).map_err(spelled)?,
    };
    let path = match &git.path {
        None => "",
        Some(TreePath::Written(path) | TreePath::Inferred(path)) => path,
    };
    let mut label = format!("git:{}", resolved.short());
    if !path.is_empty() {
        label.push_str(&format!(":{path}"));
    }
    match &git.reason {
        Some(reason) => label.push_str(&format!(" ({reason})")),
        None if !resolved.id.starts_with(&git.revision) => label.push_str(&format!(" ({})", git.revision)),
        None => {}
    }
    let (id, path_owned) = (resolved.id.clone(), path.to_owned());
    if path.is_empty() {
        return Ok(Place::GitFolder { id, path: path_owned, exists: Exists::Yes, label });
    }
    match repository.kind_at(&resolved.id, path)?.as_deref() {
        Some("blob") => Ok(Place::GitFile { id, path: path_owned, label }),
        Some(_) => Ok(Place::GitFolder { id, path: path_owned, exists: Exists::Yes, label }),
        None if matches!(git.path, Some(TreePath::Inferred(_))) => {
            Ok(Place::GitFolder { id, path: path_owned, exists: Exists::No, label })
        }
        None => Err(repository.no_such_path(&format!("git:{}", git.revision), &resolved.id, path)?),
    }
}

/// What two single files are called: both the same, which pairs them, unless they are written in two languages of one
/// format. `None` for folders.
fn file_names(places: Pair<&Place>, request: &Request) -> Result<Option<Pair<String>>, Failure> {
    let (old, new) = match (places.old.file_name(), places.new.file_name()) {
        (None, None) => return Ok(None),
        (Some(old), Some(new)) => (old, new),
        (Some(name), None) if is_nothing(places.new) => (name.clone(), name),
        (None, Some(name)) if is_nothing(places.old) => (name.clone(), name),
        (Some(_), None) | (None, Some(_)) => {
            return Err(Failure::usage(
                format!("a file cannot be compared with a folder: {} and {}", places.old.label(), places.new.label()),
                "name a file on both sides, or a folder on both sides",
            ));
        }
    };
    if matches!((places.old, places.new), (Place::Stdin, Place::Stdin)) {
        return Err(Failure::usage(
            "only one side can come from standard input",
            "give the other side as a file or as `git:REF:PATH`",
        ));
    }
    if let (Some(old), Some(new)) = (&old, &new)
        && let (Some(format), Some(other)) = (Format::of_path(old), Format::of_path(new))
        && format == other
        && extension(old) != extension(new)
    {
        return Ok(Some(Pair::new(old.clone(), new.clone())));
    }
    let name = new.or(old).unwrap_or_else(|| "stdin".to_owned());
    let both = |name: String| Ok(Some(Pair::new(name.clone(), name)));
    match (Format::of_path(&name), request.format) {
        (Some(_), _) => both(name),
        (None, Some(format)) => both(format!("{name}.{}", format.extensions()[0])),
        (None, None) => Err(Failure::usage(
            format!("the name `{name}` does not say which schema language the file is written in"),
            format!("add `--type {}`", Format::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().join("|")),
        )),
    }
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Whether a side is known to hold nothing, so that a file on the other side is simply added or removed.
fn is_nothing(place: &Place) -> bool {
    matches!(place, Place::Empty | Place::GitFolder { exists: Exists::No, .. })
}

/// A side with its files known, those of git not read yet.
enum Content {
    Ready { snapshot: Snapshot, links: Vec<String> },
    Packed(Contents),
    Printed(ImageContents),
    Listed(Tree),
}

fn open(place: &Place, name: Option<&str>, repository: Option<&Repository>) -> Result<Content, Failure> {
    let ready = |snapshot| Content::Ready { snapshot, links: Vec::new() };
    let single = |file: SnapshotFile| {
        let mut snapshot = Snapshot::default();
        snapshot.insert(name.unwrap_or("stdin"), file);
        ready(snapshot)
    };
    let git = || repository.ok_or_else(not_a_repository);
    match place {
        Place::Empty | Place::GitFolder { exists: Exists::No, .. } => Ok(ready(Snapshot::default())),
        Place::Stdin => read_stdin().map(single),
        Place::File { disk, .. } => read_one(disk).map(single),
        Place::Folder { disk, .. } => walk(disk).and_then(read_all).map(ready),
        Place::Archive { disk, .. } => archive::read(disk).map(Content::Packed),
        Place::Image { file, label } => image::read(file, label).map(Content::Printed),
        Place::WorkTree { folder, .. } => {
            let (snapshot, links) = git()?.work_tree(folder)?;
            Ok(Content::Ready { snapshot, links })
        }
        Place::Index => git()?.staged().map(Content::Listed),
        Place::GitFolder { id, path, .. } if path.is_empty() => git()?.list(id).map(Content::Listed),
        Place::GitFolder { id, path, .. } => git()?.list(&format!("{id}:{path}")).map(Content::Listed),
        Place::GitFile { id, path, .. } => git()?.list_file(id, path, name.unwrap_or(path)).map(Content::Listed),
    }
}

fn read_stdin() -> Result<SnapshotFile, Failure> {
    let mut bytes = Vec::new();
    let mut stream = std::io::stdin().lock().take(MAX_STDIN + 1);
    match stream.read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 <= MAX_STDIN => Ok(dir::snapshot_file(bytes)),
        Ok(_) => Err(Failure::could_not_tell("standard input is larger than 256 MiB", "give the schema as a file")),
        Err(error) => {
            Err(Failure::could_not_tell(format!("cannot read standard input: {error}"), "give the schema as a file"))
        }
    }
}

/// What git names but nobody reads.
fn unread(contents: &Pair<Content>) -> Vec<NotChecked> {
    let mut links: Vec<NotChecked> = Vec::new();
    for content in [&contents.old, &contents.new] {
        let Content::Listed(tree) = content else { continue };
        links.extend(tree.announced.iter().map(|path| NotChecked {
            file: path.clone(),
            what: "a file that is announced (`git add --intent-to-add`) but not staged".to_owned(),
            help: "it is no part of the commit; stage it with `git add` if it should be".to_owned(),
        }));
    }
    for content in [&contents.old, &contents.new] {
        let paths: &[String] = match content {
            Content::Ready { links, .. } => links,
            Content::Listed(tree) => &tree.links,
            Content::Packed(_) | Content::Printed(_) => &[],
        };
        if let Content::Printed(image) = content {
            links.extend(image.notes.iter().cloned());
        }
        links.extend(paths.iter().map(|path| NotChecked {
            file: path.clone(),
            what: "a symbolic link, which is not followed".to_owned(),
            help: "what it points to is checked if it is in the repository under its own name".to_owned(),
        }));
    }
    links.sort();
    links.dedup();
    links
}

/// Reads what git still has to supply, in one go for both sides, and takes archives out of their common folder.
fn read(contents: Pair<Content>, repository: Option<&Repository>) -> Result<Pair<Snapshot>, Failure> {
    match (contents.old, contents.new) {
        (Content::Listed(old), Content::Listed(new)) => {
            let mut both = git_read(repository, &[&old, &new], &[])?.into_iter();
            Ok(Pair::new(both.next().unwrap_or_default(), both.next().unwrap_or_default()))
        }
        (Content::Listed(old), new) => {
            let old = |new: &Snapshot| Ok(git_read(repository, &[&old], &[new])?.pop().unwrap_or_default());
            let mut forms = forms(new)
                .into_iter()
                .map(|new| Ok(Pair::new(old(&new)?, new)))
                .collect::<Result<Vec<_>, Failure>>()?;
            Ok(forms.swap_remove(best(&forms)))
        }
        (old, Content::Listed(new)) => {
            let new = |old: &Snapshot| Ok(git_read(repository, &[&new], &[old])?.pop().unwrap_or_default());
            let mut forms = forms(old)
                .into_iter()
                .map(|old| Ok(Pair::new(new(&old)?, old).mirrored()))
                .collect::<Result<Vec<_>, Failure>>()?;
            Ok(forms.swap_remove(best(&forms)))
        }
        (old, new) => {
            let news = forms(new);
            let pairs = |old: &Snapshot| news.iter().map(|new| Pair::new(old.clone(), new.clone())).collect::<Vec<_>>();
            let mut all: Vec<Pair<Snapshot>> = forms(old).iter().flat_map(pairs).collect();
            Ok(all.swap_remove(best(&all)))
        }
    }
}

/// The ways to read a side: an archive also without the one folder everything in it lies in.
fn forms(content: Content) -> Vec<Snapshot> {
    match content {
        Content::Ready { snapshot, .. } => vec![snapshot],
        Content::Listed(_) => Vec::new(),
        Content::Printed(ImageContents { snapshot, .. }) => vec![snapshot],
        Content::Packed(Contents { snapshot, folder: None }) => vec![snapshot],
        Content::Packed(Contents { snapshot, folder: Some(folder) }) => {
            let stripped = archive::without_folder(&snapshot, &folder);
            vec![snapshot, stripped]
        }
    }
}

/// The pair with the most paths in common, so that `shop-1.0/` meets `shop-1.1/`; the first of equals, and the last,
/// which has no folders left, when nothing is in common at all.
fn best(pairs: &[Pair<Snapshot>]) -> usize {
    let common = |pair: &Pair<Snapshot>| pair.old.iter().filter(|(path, _)| pair.new.get(path).is_some()).count();
    let counts: Vec<usize> = pairs.iter().map(common).collect();
    match counts.iter().max() {
        None | Some(0) => pairs.len().saturating_sub(1),
        Some(most) => counts.iter().position(|count| count == most).unwrap_or(0),
    }
}

fn git_read(repository: Option<&Repository>, trees: &[&Tree], known: &[&Snapshot]) -> Result<Vec<Snapshot>, Failure> {
    repository.ok_or_else(not_a_repository)?.read(trees, known)
}

/// Files that only supply types, by import path; the first of a path counts.
#[derive(Debug, Default)]
struct Library(BTreeMap<String, Arc<[u8]>>);

impl Library {
    fn add(&mut self, import_path: &str, bytes: &Arc<[u8]>) {
        if Format::of_path(import_path).is_some() && !self.0.contains_key(import_path) {
            self.0.insert(import_path.to_owned(), bytes.clone());
        }
    }

    /// What a set holds beside the files that are judged.
    fn add_imports(&mut self, content: &Content) {
        if let Content::Printed(image) = content {
            for (path, file) in &image.imports {
                self.add(path, &file.bytes);
            }
        }
    }

    /// All schemas of a folder on disk. Sides that lie below it are left out: they are compared, not imported.
    fn add_folder(&mut self, folder: &Path, sides: &[PathBuf]) -> Result<(), Failure> {
        let folder = folder.canonicalize().map_err(|error| dir::unreadable(folder, &error))?;
        let below: Vec<&PathBuf> = sides.iter().filter(|side| **side != folder && side.starts_with(&folder)).collect();
        let files = walk(&folder)?.into_iter().filter(|file| !below.iter().any(|side| file.disk.starts_with(side)));
        for (path, file) in read_all(files.collect())?.iter() {
            self.add(path, &file.bytes);
        }
        Ok(())
    }

    /// The schemas beside a single file, as `b.proto` and under the folders above: `shop/b.proto`, `proto/shop/b.proto`.
    fn add_neighbours(&mut self, place: &Place, repository: Option<&Repository>) -> Result<(), Failure> {
        let (above, snapshot) = match (place, repository) {
            (Place::File { disk, .. }, _) => {
                let real = disk.canonicalize().unwrap_or_else(|_| disk.clone());
                let folder = real.parent().unwrap_or(Path::new(""));
                (path_text(folder.as_os_str().as_encoded_bytes()), dir::read_folder(folder)?)
            }
            (Place::GitFile { id, path, .. }, Some(repository)) => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let mut tree = repository.list(&format!("{id}:{folder}"))?;
                tree.keep_top_level();
                (folder.to_owned(), git_read(Some(repository), &[&tree], &[])?.pop().unwrap_or_default())
            }
            _ => return Ok(()),
        };
        for (name, file) in snapshot.iter() {
            self.add(name, &file.bytes);
            let mut import_path = name.to_string();
            for folder in above.rsplit(['/', '\\']).filter(|folder| !folder.is_empty()).take(8) {
                import_path = format!("{folder}/{import_path}");
                self.add(&import_path, &file.bytes);
            }
        }
        Ok(())
    }

    fn finish(self) -> Vec<LibraryFile> {
        self.0.into_iter().map(|(import_path, bytes)| LibraryFile { import_path, bytes }).collect()
    }
}

/// Refuses paths under which neither side has a schema: most likely a slip, and nothing would be judged.
fn check_paths(snapshots: &Pair<Snapshot>, paths: &[String]) -> Result<(), Failure> {
    let schemas = || [&snapshots.old, &snapshots.new].into_iter().flat_map(|side| side.iter()).map(|(path, _)| path);
    for wanted in paths {
        if !schemas().any(|path| Format::of_path(path).is_some() && is_under(path, wanted)) {
            let folders = schemas().filter_map(|path| path.rsplit_once('/')).map(|(folder, _)| folder);
            let help = match nearest(wanted, folders) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("schemas are recognised by their ending: {}", endings_known()),
            };
            return Err(Failure::usage(
                format!("there are no schema files under `{wanted}`, neither old nor new"),
                help,
            ));
        }
    }
    Ok(())
}

/// Without a single schema there is nothing to answer, and saying "compatible" would be a lie.
fn check_not_empty(snapshots: &Pair<Snapshot>, places: Pair<&Place>) -> Result<(), Failure> {
    let has_schema = |snapshot: &Snapshot| snapshot.iter().any(|(path, _)| Format::of_path(path).is_some());
    if has_schema(&snapshots.old) || has_schema(&snapshots.new) {
        return Ok(());
    }
    Err(Failure::usage(
        format!("no schema files found, neither in {} nor in {}", places.old.label(), places.new.label()),
        format!(
            "schemas are recognised by their ending ({}); check the paths, and `include` and `exclude` in the configuration",
            endings_known()
        ),
    ))
}

fn endings_known() -> String {
    let known: Vec<String> =
        Format::ALL.iter().flat_map(|format| format.extensions()).map(|ending| format!(".{ending}")).collect();
    known.join(", ")
}

/// Takes the files that are not judged out of the snapshots. They go on supplying types, by every ending of their path
/// that is theirs alone, because where imports start is not known here.
fn leave_out(snapshots: &mut Pair<Snapshot>, selection: &Selection, library: &mut Library) {
    if selection.selects_everything() {
        return;
    }
    let mut outside: BTreeMap<String, Arc<[u8]>> = BTreeMap::new();
    for snapshot in [&mut snapshots.new, &mut snapshots.old] {
        let mut kept = Snapshot::default();
        for (path, file) in snapshot.iter() {
            if selection.selects(path) || Format::of_path(path).is_none() {
                kept.insert(path.clone(), file.clone());
            } else {
                outside.entry(path.to_string()).or_insert_with(|| file.bytes.clone());
            }
        }
        *snapshot = kept;
    }
    let mut owners: BTreeMap<&str, usize> = BTreeMap::new();
    for ending in outside.keys().flat_map(|path| endings(path)) {
        *owners.entry(ending).or_default() += 1;
    }
    for (path, bytes) in &outside {
        for ending in endings(path).filter(|ending| *ending == path || owners.get(ending) == Some(&1)) {
            library.add(ending, bytes);
        }
    }
}

/// `a/b/c`, `b/c`, `c`.
fn endings(path: &str) -> impl Iterator<Item = &str> {
    std::iter::once(path).chain(path.match_indices('/').map(|(slash, _)| &path[slash + 1..]))
}

/// The import roots inside the snapshots; those that lie elsewhere on disk are read into the library.
fn import_roots(
    request: &Request,
    repository: Option<&Repository>,
    places: Pair<&Place>,
    snapshots: &Pair<Snapshot>,
    library: &mut Library,
) -> Result<Vec<String>, Failure> {
    let disks: Vec<PathBuf> = [places.old, places.new].iter().filter_map(|place| place.disk(repository)).collect();
    let mut roots: Vec<String> = Vec::new();
    for written in &request.include {
        let disk = request.cwd.join(written);
        let of_repository = repository
            .and_then(|repository| repository.inside(&disk).or_else(|| normalised(&repository.prefix, written)));
        let inside: Vec<String> = normalised("", written).into_iter().chain(of_repository).collect();
        let has = |side: &Snapshot| side.iter().any(|(path, _)| inside.iter().any(|root| is_under(path, root)));
        // What both sides have themselves is not looked for a third time. A folder that git ignores is in neither.
        let in_both = has(&snapshots.old) && has(&snapshots.new);
        let lies_in_a_side = disk.canonicalize().is_ok_and(|real| disks.iter().any(|side| real.starts_with(side)));
        if !(in_both && lies_in_a_side) && disk.is_dir() {
            library.add_folder(&disk, &disks)?;
        }
        roots.extend(inside);
    }
    let mut seen = BTreeSet::new();
    roots.retain(|root| seen.insert(root.clone()));
    Ok(roots)
}

/// A relative path from a folder, without `.` and `..`; `None` if it is absolute or leads out.
pub(crate) fn normalised(folder: &str, path: &str) -> Option<String> {
    let path = path.replace('\\', "/");
    if Path::new(&path).is_absolute() || path.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_are_made_from_the_folder_one_stands_in() {
        assert_eq!(normalised("services/shop", "../proto/./v1").as_deref(), Some("services/proto/v1"));
        assert_eq!(normalised("", ".").as_deref(), Some(""));
        assert_eq!(normalised("", "../x"), None);
        assert_eq!(normalised("", "/x"), None);
    }

    #[test]
    fn what_is_not_judged_still_supplies_types() {
        let files = [("proto/shop/order.proto", "o"), ("third_party/google/type/money.proto", "m"), ("buf.yaml", "b")];
        let snapshot = Snapshot::from_files(files.map(|(path, text)| (path, text.as_bytes())));
        let mut snapshots = Pair::new(snapshot.clone(), snapshot);
        let mut library = Library::default();
        leave_out(&mut snapshots, &Selection { paths: vec!["proto".into()], ..Selection::default() }, &mut library);
        assert_eq!(
            snapshots.new.iter().map(|(path, _)| &**path).collect::<Vec<_>>(),
            ["buf.yaml", "proto/shop/order.proto"]
        );
        let library = library.finish();
        assert!(library.iter().any(|file| file.import_path == "google/type/money.proto"));
    }
}
