//! Sources as people write them: a path, a revision, `git:REF:PATH`, `-`.

use std::fs;
use std::io::Read;
use std::path::Path;

use super::git::Repository;
use super::side::{GitSource, Source, Spelling, TreePath};
use super::{archive, git, image, suffix};
use crate::failure::Failure;
use crate::formats::Format;

impl Source {
    /// Understands `git:REF[:PATH]`, a path with or without buf's options behind a `#`, or `-`. What exists is a path;
    /// whether it could as well be a revision is asked by [`refuse_ambiguous`]. With a language that somebody names a file is
    /// of that, whatever its name says.
    pub fn parse(text: &str, cwd: &Path, language: Option<Format>) -> Result<Source, Failure> {
        if text == "-" {
            return Ok(Source::Stdin);
        }
        if let Some(revision) = text.strip_prefix("git:") {
            return git_source(revision, Spelling::Explicit).map(Source::Git);
        }
        // A folder that a change adds under such a name is not what it means, to buf as to us.
        if suffix::has_known_options(text)
            && let Some(source) = suffix::parse(text, cwd)
        {
            return source;
        }
        let path = cwd.join(text);
        if !text.is_empty() && path.exists() {
            let is_schema = || language.map_or_else(|| is_schema(text, &path), |language| language != image::LANGUAGE);
            let form = image::named(text).filter(|_| path.is_file() && !is_schema());
            return Ok(match form {
                _ if path.is_file() && archive::is_archive(text) => Source::Archive(path),
                Some((form, compression)) => Source::Image(image::ImageFile { disk: path, form, compression }),
                None => Source::Path(path),
            });
        }
        if let Some(source) = suffix::parse(text, cwd) {
            return source;
        }
        if looks_like_path(text) {
            return Err(Failure::usage(
                format!("there is no file or directory `{text}`"),
                format!("check the path, or write `git:{text}` if it names a revision"),
            ));
        }
        git_source(text, Spelling::Guessed).map(Source::Git)
    }
}

/// Whether a name that exists as a path may be a revision as well, by its spelling.
pub(crate) fn may_be_both(text: &str, source: &Source) -> bool {
    let is_path = matches!(source, Source::Path(_) | Source::Archive(_) | Source::Image(_));
    let is_spelled_as_path = matches!(text, "." | "..")
        || ["./", "../", ".\\", "..\\", "/"].iter().any(|start| text.starts_with(start))
        || text.ends_with('/')
        || Path::new(text).is_absolute();
    is_path && !is_spelled_as_path
}

/// Refuses a name that is both a path and a revision: a change could add the path, and be compared with it.
pub(crate) fn refuse_ambiguous(text: &str, source: &Source, repository: &Repository) -> Result<(), Failure> {
    let revision = text.split_once(':').map_or(text, |(revision, _)| revision);
    if !may_be_both(text, source) || !repository.find(revision).is_ok_and(|found| found.is_some()) {
        return Ok(());
    }
    Err(Failure::usage(
        format!("`{text}` is a path here and a revision of the repository as well"),
        format!("write `git:{text}` for the revision, or `./{text}` for the path"),
    ))
}

/// `REF` or `REF:PATH`.
fn git_source(text: &str, spelling: Spelling) -> Result<GitSource, Failure> {
    let (revision, path) = match text.split_once(':') {
        Some((revision, path)) => (revision, Some(path.trim_end_matches('/'))),
        None => (text, None),
    };
    git::check_revision(revision)?;
    let path = path.filter(|path| !path.is_empty() && *path != ".").map(|path| TreePath::Written(path.to_owned()));
    Ok(GitSource { revision: revision.to_owned(), path, reason: None, spelling })
}

/// Whether a word that names nothing on disk was most likely meant as a path.
fn looks_like_path(text: &str) -> bool {
    let plain = !text.contains(':');
    text.is_empty()
        || text.starts_with(['.', '/', '~', '\\'])
        || (plain && (text.ends_with('/') || is_archive_or_set(text) || Format::of_path(text).is_some()))
}

/// So much of a file is looked at for what it says of itself.
const HEAD: u64 = 1 << 16;

/// Whether a file whose name may be that of a descriptor set is a schema: by its name, or by the dialect that it names.
fn is_schema(text: &str, path: &Path) -> bool {
    let mut head = Vec::new();
    let read = |file: fs::File| file.take(HEAD).read_to_end(&mut head).is_ok();
    Format::is_schema(text)
        || text.ends_with(".json")
            && fs::File::open(path).is_ok_and(read)
            && memchr::memmem::find(&head, b"json-schema.org/draft").is_some()
}

fn is_archive_or_set(text: &str) -> bool {
    archive::is_archive(text) || image::named(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Source, Failure> {
        Source::parse(text, Path::new(env!("CARGO_MANIFEST_DIR")), None)
    }

    #[test]
    fn a_language_that_is_named_decides_about_a_file_that_may_be_a_set() {
        let folder = std::env::temp_dir().join(format!("wireproof-spelled-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("can be made");
        let files = ["a.json", "a.schema.json", "a.bin", "a.pb", "a.json.gz", "a.proto"];
        files.iter().for_each(|file| fs::write(folder.join(file), "{}").expect("can be written"));
        for (file, language) in files.iter().flat_map(|file| Format::ALL.iter().map(move |language| (file, *language)))
        {
            let parsed = Source::parse(file, &folder, Some(language)).expect("exists");
            let is_set = language == image::LANGUAGE && !file.ends_with(".proto");
            assert_eq!(matches!(parsed, Source::Image(_)), is_set, "{file} {}", language.name());
        }
        let sets = files.iter().filter(|file| matches!(Source::parse(file, &folder, None), Ok(Source::Image(_))));
        assert_eq!(sets.collect::<Vec<_>>(), [&"a.json", &"a.bin", &"a.pb", &"a.json.gz"]);
        fs::remove_dir_all(&folder).expect("can be removed");
    }

    #[test]
    fn what_exists_is_a_path_and_git_forces() {
        assert!(matches!(parse("src"), Ok(Source::Path(_))));
        let Ok(Source::Git(git)) = parse("git:src") else { panic!("a revision") };
        assert_eq!((git.revision.as_str(), git.path), ("src", None));
    }

    #[test]
    fn a_word_that_names_nothing_is_a_revision() {
        let Ok(Source::Git(git)) = parse("v1.2:proto/shop/") else { panic!("a revision") };
        assert_eq!((git.revision.as_str(), git.path), ("v1.2", Some(TreePath::Written("proto/shop".into()))));
        assert!(parse("./absent").is_err());
        assert!(parse("absent.proto").is_err());
        assert!(parse("absent.tar.gz").is_err());
    }

    #[test]
    fn a_revision_never_becomes_an_option() {
        assert!(parse("git:--output=x").is_err());
        assert!(parse("git:").is_err());
    }
}
