//! Sources as users of buf write them: `.git#branch=main,subdir=proto`, `image.bin#format=binpb,compression=gzip`.

use std::path::Path;

use super::archive;
use super::git::check_revision;
use super::image::{self, Compression, ImageFile};
use super::side::{GitSource, Source, TreePath};
use crate::failure::{Failure, nearest};
use crate::formats::protobuf::descriptor::Form;

/// What stands behind the `#`.
#[derive(Debug, Default)]
struct Options<'t> {
    format: Option<&'t str>,
    compression: Option<&'t str>,
    revision: Option<&'t str>,
    subdir: Option<&'t str>,
}

const KEYS: [&str; 7] = ["format", "compression", "branch", "tag", "commit", "ref", "subdir"];

/// How much buf clones; nothing is cloned here.
const IGNORED: [&str; 3] = ["depth", "filter", "recurse_submodules"];

/// Formats of buf that are understood here under other names or not at all.
const FORMATS: [&str; 8] = ["dir", "git", "tar", "zip", "binpb", "bin", "json", "protofile"];

/// Whether all that stands behind a `#` are options, by the names that they have.
pub(super) fn has_known_options(text: &str) -> bool {
    let is_known =
        |option: &str| option.split_once('=').is_some_and(|(key, _)| KEYS.contains(&key) || IGNORED.contains(&key));
    text.split_once('#').is_some_and(|(_, options)| options.split(',').all(is_known))
}

/// Understands a source with options; `None` when there are none.
pub(super) fn parse(text: &str, cwd: &Path) -> Option<Result<Source, Failure>> {
    let (base, options) = text.split_once('#')?;
    let has_options = options.split(',').all(|option| option.contains('='));
    (has_options && !options.is_empty()).then(|| source(text, base, options, cwd))
}

fn source(text: &str, base: &str, options: &str, cwd: &Path) -> Result<Source, Failure> {
    let options = understood(text, options)?;
    if base.contains("://") || base.starts_with("git@") {
        return Err(Failure::usage(
            format!("`{base}` is not on this machine, and wireproof downloads nothing"),
            "fetch it first: `git fetch URL main`, then compare with `git:FETCH_HEAD`",
        ));
    }
    let disk = cwd.join(if base.is_empty() { "." } else { base });
    let is_git =
        options.format == Some("git") || options.revision.is_some() || base.trim_end_matches('/').ends_with(".git");
    if is_git && options.format.is_none_or(|format| format == "git") {
        return git(base, &disk, &options, cwd);
    }
    if options.revision.is_some() {
        return Err(contradiction(text, "a revision belongs to a git repository"));
    }
    if !disk.exists() {
        return Err(Failure::usage(
            format!("there is no file or directory `{base}`"),
            "check the path before the `#`; it starts from the working directory",
        ));
    }
    let subdir = options.subdir.filter(|subdir| !subdir.is_empty() && *subdir != ".");
    match options.format {
        Some("dir" | "protofile") => Ok(Source::Path(subdir.map_or(disk.clone(), |subdir| disk.join(subdir)))),
        None if disk.is_dir() => Ok(Source::Path(subdir.map_or(disk.clone(), |subdir| disk.join(subdir)))),
        _ if subdir.is_some() => Err(contradiction(text, "`subdir` belongs to a directory or a git repository")),
        Some("tar" | "zip") => Ok(Source::Archive(disk)),
        None if archive::is_archive(base) => Ok(Source::Archive(disk)),
        _ => set(text, base, &disk, &options),
    }
}

fn understood<'t>(text: &str, written: &'t str) -> Result<Options<'t>, Failure> {
    let mut options = Options::default();
    for option in written.split(',') {
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        let place = match key {
            "format" => &mut options.format,
            "compression" => &mut options.compression,
            "branch" | "tag" | "commit" | "ref" => &mut options.revision,
            "subdir" => &mut options.subdir,
            ignored if IGNORED.contains(&ignored) => continue,
            other => return Err(unknown("option", other, text, &KEYS)),
        };
        if place.replace(value).is_some() {
            return Err(contradiction(text, &format!("`{key}` says again what was said already")));
        }
    }
    if let Some(format) = options.format.filter(|format| !FORMATS.contains(format)) {
        return Err(unknown("format", format, text, &FORMATS));
    }
    Ok(options)
}

fn unknown(what: &str, word: &str, text: &str, known: &[&str]) -> Failure {
    let help = match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("understood here: {}", known.join(", ")),
    };
    Failure::usage(format!("the {what} `{word}` in `{text}` is not understood"), help)
}

fn contradiction(text: &str, why: &str) -> Failure {
    Failure::usage(format!("`{text}` contradicts itself: {why}"), "correct what stands behind the `#`")
}

/// The repository around the working directory is the only one.
fn git(base: &str, disk: &Path, options: &Options<'_>, cwd: &Path) -> Result<Source, Failure> {
    let top = cwd.ancestors().find(|folder| folder.join(".git").exists());
    let is_own = |top: &Path| {
        let real = disk.canonicalize().ok();
        real.is_some() && [top.to_path_buf(), top.join(".git")].iter().any(|own| own.canonicalize().ok() == real)
    };
    if !top.is_some_and(is_own) {
        return Err(Failure::usage(
            format!("`{base}` is not the git repository you stand in"),
            "change to it; or fetch from it: `git fetch PATH main`, then compare with `git:FETCH_HEAD`",
        ));
    }
    let revision = options.revision.unwrap_or("HEAD");
    check_revision(revision)?;
    let subdir = options.subdir.map(|subdir| subdir.trim_start_matches("./").trim_end_matches('/'));
    let path = subdir.filter(|subdir| !subdir.is_empty() && *subdir != ".");
    Ok(Source::Git(GitSource {
        path: path.map(|path| TreePath::Written(path.to_owned())),
        ..GitSource::tree(revision)
    }))
}

fn set(text: &str, base: &str, disk: &Path, options: &Options<'_>) -> Result<Source, Failure> {
    let known = image::named(base);
    let form = match options.format {
        Some("json") => Form::Json,
        Some(_) => Form::Binary,
        None => match known {
            Some((form, _)) => form,
            None => return Err(contradiction(text, "neither the name nor `format` says what the file is")),
        },
    };
    let compression = match options.compression {
        Some("none") => Compression::None,
        Some("gzip") => Compression::Gzip,
        Some("zstd") => Compression::Zstd,
        Some(other) => return Err(unknown("compression", other, text, &["none", "gzip", "zstd"])),
        None => image::compression_of(base).1,
    };
    Ok(Source::Image(ImageFile { disk: disk.to_path_buf(), form, compression }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Source, Failure> {
        parse(text, Path::new(env!("CARGO_MANIFEST_DIR"))).expect("has options")
    }

    #[test]
    fn a_hash_in_a_name_is_no_option() {
        assert!(parse("a#b.proto", Path::new(".")).is_none());
        assert!(parse("proto", Path::new(".")).is_none());
        assert!(parse("proto#", Path::new(".")).is_none());
    }

    #[test]
    fn folders_and_sets_take_options() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(parsed("src#subdir=source").expect("valid"), Source::Path(root.join("src").join("source")));
        let set = parsed("Cargo.toml#format=binpb,compression=gzip").expect("valid");
        let expected = ImageFile { disk: root.join("Cargo.toml"), form: Form::Binary, compression: Compression::Gzip };
        assert_eq!(set, Source::Image(expected));
    }

    #[test]
    fn what_is_not_understood_is_told() {
        let message = |text: &str| parsed(text).expect_err("must be refused").to_string();
        assert!(message("src#banana=1").contains("the option `banana`"));
        assert!(message("src#brnch=main").contains("did you mean `branch`?"));
        assert!(message("src#format=txtpb").contains("the format `txtpb`"));
        assert!(message("Cargo.toml#format=bin,compression=lz4").contains("the compression `lz4`"));
        assert!(message("https://example.com/x.git#branch=main").contains("downloads nothing"));
        assert!(message("Cargo.toml#format=bin,subdir=a").contains("`subdir` belongs"));
        assert!(message("absent#format=bin").contains("there is no file"));
    }
}
