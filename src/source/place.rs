//! Where a side lies, once its source is looked up: on disk, in a tree of git, in an archive. Nothing is read yet.

use std::path::{Path, PathBuf};

use super::git::{Repository, Resolved};
use super::image::ImageFile;
use super::names::path_text;
use super::request::Request;
use super::side::{GitSource, Source, Spelling, TreePath};
use crate::change::Pair;
use crate::failure::Failure;
use crate::formats::Format;

/// A side, looked up but not read.
#[derive(Debug, Clone)]
pub(super) enum Place {
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
pub(super) enum Exists {
    Yes,
    No,
}

impl Place {
    /// What it is, in words.
    pub(super) fn label(&self) -> String {
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
    pub(super) fn disk(&self, repository: Option<&Repository>) -> Option<PathBuf> {
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

/// Looks a side up.
pub(super) fn place(source: &Source, request: &Request, repository: Option<&Repository>) -> Result<Place, Failure> {
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

/// Git is asked for, and there is none.
pub(super) fn not_a_repository() -> Failure {
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
pub(super) fn file_names(places: Pair<&Place>, request: &Request) -> Result<Option<Pair<String>>, Failure> {
    let (old, new) = match (places.old.file_name(), places.new.file_name()) {
        (None, None) => return Ok(None),
        (Some(old), Some(new)) => (old, new),
        (Some(name), None) if is_nothing(places.new) => (name.clone(), name),
        (None, Some(name)) if is_nothing(places.old) => (name.clone(), name),
        (Some(_), None) | (None, Some(_))
            if [places.old, places.new].iter().any(|place| matches!(place, Place::Image { .. })) =>
        {
            return Err(Failure::usage(
                format!(
                    "{} and {} cannot be compared: one is read as a descriptor set or an image of buf, by its name",
                    places.old.label(),
                    places.new.label()
                ),
                "give a JSON Schema a name that ends in `.schema.json`, and compare files of one language",
            ));
        }
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
    let (old, new) = (old.map(|name| in_language(name, request)), new.map(|name| in_language(name, request)));
    if let (Some(old), Some(new)) = (&old, &new)
        && let (Some(format), Some(other)) = (Format::of_path(old), Format::of_path(new))
    {
        if format != other {
            return Err(in_two_languages(Pair::new((old.as_str(), format), (new.as_str(), other))));
        }
        if extension(old) != extension(new) {
            return Ok(Some(Pair::new(old.clone(), new.clone())));
        }
    }
    let name = new.or(old).unwrap_or_else(|| in_language("stdin".to_owned(), request));
    match Format::of_path(&name) {
        Some(_) => Ok(Some(Pair::new(name.clone(), name))),
        None => Err(Failure::usage(
            format!("the name `{name}` does not say which schema language the file is written in"),
            format!("add `--type {}`", Format::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().join("|")),
        )),
    }
}

/// The name by which a file is read: its own, unless that is none of the language that somebody names.
fn in_language(name: String, request: &Request) -> String {
    match request.format {
        Some(format) if Format::of_path(&name) != Some(format) => format!("{name}.{}", format.extensions()[0]),
        _ => name,
    }
}

/// Two files in two languages have no versions of one schema in them.
fn in_two_languages(files: Pair<(&str, Format)>) -> Failure {
    let words = files.map(|(name, format)| format!("`{name}` is {}", format.title()));
    Failure::usage(
        format!("{} and {}: no reader of one language reads data of another", words.old, words.new),
        "compare versions in one language; of a schema that moves to another, write and read both for a while",
    )
}

/// A file that goes by another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalledAs {
    /// Its path in the snapshot.
    pub path: String,
    /// What people call it.
    pub called: String,
}

/// What single files are called, whatever they were named to be paired.
pub(super) fn called(names: Pair<String>, places: Pair<&Place>) -> Pair<CalledAs> {
    let called = |path: String, place: &Place| {
        let own = place.file_name().flatten();
        CalledAs { called: own.unwrap_or_else(|| path.clone()), path }
    };
    Pair::new(called(names.old, places.old), called(names.new, places.new))
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Whether a side is known to hold nothing, so that a file on the other side is simply added or removed.
fn is_nothing(place: &Place) -> bool {
    matches!(place, Place::Empty | Place::GitFolder { exists: Exists::No, .. })
}
