//! Entries of the configuration that match nothing, told where it is known what there is to match; and what `exclude` leaves
//! out.

use std::path::Path;
use std::sync::Arc;

use super::terms::Terms;
use crate::change::{Pair, Site};
use crate::config::unmatched::Unmatched;
use crate::config::waivers::WAIVERS;
use crate::config::{self, glob_set};
use crate::failure::Failure;
use crate::formats::formats_of;
use crate::ordered::OrderedSet;
use crate::report::Excluded;
use crate::snapshot::Snapshot;
use crate::source::select::{Start, is_under};
use crate::source::{Loaded, Request, Selection, Source, load};
use crate::syntax::problem::{Problem, Severity};

/// Warnings about such entries; `file` is the configuration as reports spell it. Only a version of the whole repository, seen
/// in full, says that something is not there.
pub(super) fn warnings(
    terms: &Terms,
    file: Option<&Arc<str>>,
    (request, loaded): (&Request, &Loaded),
    folder: &Path,
) -> Vec<Problem> {
    let config = terms.config();
    let impossible = config.impossible().into_iter().map(|entry| {
        let (what, help) = match &entry.meant {
            None => ("is like no name of a package", "write a glob on names, such as `*.v1alpha*`".to_owned()),
            Some(meant) => {
                ("matches only what has no package around it", format!("for packages that end in it, write `{meant}`"))
            }
        };
        warning(file, &entry, format!("`{}` in `unstable` {what}", entry.entry), &help)
    });
    let mut found: Vec<Problem> = impossible.collect();
    let has_entries = config.include.is_some() || config.exclude.is_some() || !config.roots.is_empty();
    if !has_entries || !is_whole(terms, request, loaded, folder) {
        return found;
    }
    let start = config.folder.as_deref().map(|configuration| Start::relate(configuration, folder)).unwrap_or_default();
    let sides = [&loaded.snapshots.new, &loaded.snapshots.old];
    let paths = sides.into_iter().flat_map(|side| side.iter()).filter_map(|(path, _)| start.to_configuration(path));
    let paths: Vec<_> = paths.collect();
    if !paths.is_empty() {
        found.extend(config.unmatched(paths.iter().map(|path| &**path)).iter().map(|entry| {
            let what =
                if entry.key == "import-paths" { "is a folder without any schema in" } else { "matches no schema of" };
            let message = format!("`{}` in `{}` {what} either version", entry.entry, entry.key);
            let start = "correct it or take it out; paths start from the folder of the configuration";
            let folder = entry.meant.as_ref().map(|meant| format!("what lies in a folder is matched by `{meant}`"));
            warning(file, entry, message, folder.as_deref().unwrap_or(start))
        }));
    }
    found
}

/// Why there is nothing to compare, where there are schemas and `include` and `exclude` leave them all out.
pub(super) fn everything_left_out(terms: &Terms, request: &Request) -> Option<Failure> {
    let config = terms.config();
    let key = match (&config.exclude, &config.include) {
        (Some(_), _) => "exclude",
        (None, Some(_)) => "include",
        (None, None) => return None,
    };
    let selection = Selection { include: None, exclude: None, ..request.selection.clone() };
    let loaded = load(&Request { selection, ..request.clone() }).ok()?;
    let has = |side: &Snapshot| side.iter().any(|(path, _)| !formats_of(side, path).is_empty());
    let both = config.exclude.is_some() && config.include.is_some();
    let failure = Failure::usage(
        format!(
            "there are schemas, and {} of the configuration {} them all out",
            if both { "`include` and `exclude`".to_owned() } else { format!("`{key}`") },
            if both { "leave" } else { "leaves" }
        ),
        "take something back; a repository whose schemas are not to be judged needs no check",
    );
    let Pair { old, new } = &loaded.snapshots;
    (has(old) || has(new)).then(|| config.blamed(key, &failure))
}

/// Names that people give to the configuration and to the waiver file, and that are not theirs.
const NOT_NAMES: [&str; 8] = [
    "wireproof.yml",
    ".wireproof.yml",
    ".github/wireproof.yml",
    "wireproof.json",
    "wireproof.toml",
    "wireproof-waivers.yaml",
    ".wireproof-waivers.yml",
    "wireproof-waivers.yml",
];

/// Files that look like the configuration or the waiver file and do not count, in the folders where it is looked for.
pub(super) fn not_read(cwd: &Path, top: &Path, file: Option<&str>, waivers: &str) -> Vec<Problem> {
    let mut found = Vec::new();
    for folder in cwd.ancestors().take_while(|folder| folder.starts_with(top)) {
        let called = |name: &str| {
            let path = folder.join(name);
            path.strip_prefix(top).unwrap_or(&path).to_string_lossy().replace('\\', "/")
        };
        let is_file = |name: &str| folder.join(name).is_file();
        let others = NOT_NAMES.into_iter().filter(|name| is_file(name) && called(name) != waivers);
        found.extend(others.map(|name| {
            let meant = if name.contains("waivers") { WAIVERS } else { config::NAMES[0] };
            warning_of(format!("`{}` is not read", called(name)), format!("call it `{meant}`"))
        }));
        let known: Vec<&str> = config::NAMES.into_iter().filter(|name| is_file(name)).collect();
        let second = known.iter().filter(|name| file.is_some_and(|file| file != called(name)) && known.len() > 1);
        found.extend(second.map(|name| {
            let message = format!("`{}` is not read: there is a configuration beside it", called(name));
            warning_of(message, format!("put its terms into `{}`", file.unwrap_or_default()))
        }));
    }
    found
}

fn warning_of(message: String, help: String) -> Problem {
    Problem { severity: Severity::Warning, site: None, message, help }
}

/// The schemas that `exclude` leaves out of what was asked for.
pub(super) fn excluded(
    terms: &Terms,
    file: Option<&Arc<str>>,
    (loaded, paths): (&Loaded, &[String]),
    folder: &Path,
) -> Option<Excluded> {
    let config = terms.config();
    let globs = glob_set(config.exclude.as_deref()?);
    let start = config.folder.as_deref().map(|configuration| Start::relate(configuration, folder)).unwrap_or_default();
    let is_asked = |path: &str| paths.is_empty() || paths.iter().any(|asked| is_under(path, asked));
    let is_left_out = |path: &str| start.to_configuration(path).is_some_and(|path| globs.is_match(&*path));
    let sides = [&loaded.snapshots.new, &loaded.snapshots.old];
    // What others refer to is a schema whatever it is called.
    let of_side =
        |side| Snapshot::iter(side).map(|(path, _)| &**path).filter(|path| !formats_of(side, path).is_empty());
    let schemas = sides.into_iter().flat_map(of_side);
    let left_out: OrderedSet<&str> = schemas.filter(|path| is_asked(path) && is_left_out(path)).collect();
    let name = file.map_or(config.name.as_str(), |file| file);
    let by = format!("{name}:{}", config.line_of_exclude());
    (!left_out.is_empty()).then_some(Excluded { files: left_out.len(), by })
}

/// Whether everything is seen that lies in the folder of the configuration.
fn is_whole(terms: &Terms, request: &Request, loaded: &Loaded, folder: &Path) -> bool {
    let is_version = match &request.sources.new {
        Source::WorkTree | Source::Index => true,
        Source::Git(git) => git.path.is_none(),
        Source::Path(_) | Source::Archive(_) | Source::Image(_) | Source::Stdin | Source::Empty => false,
    };
    let top = request.repository.as_ref().and_then(|repository| repository.top.as_deref());
    let holds = terms.folder().is_some_and(|configuration| configuration.starts_with(folder));
    let is_seen = loaded.snapshots.new.unseen().is_empty() && loaded.snapshots.old.unseen().is_empty();
    is_version && top == Some(folder) && holds && is_seen && request.format.is_none() && loaded.single.is_none()
}

fn warning(file: Option<&Arc<str>>, entry: &Unmatched, message: String, help: &str) -> Problem {
    let site = file.map(|file| Site { file: file.clone(), span: entry.span });
    Problem { severity: Severity::Warning, site, message, help: help.to_owned() }
}
