//! What `buf.yaml` and `buf.work.yaml` say about import roots and about files that do not belong to the schema.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::change::Span;
use crate::formats::check::is_settings;
use crate::snapshot::{Snapshot, SnapshotFile};
use crate::syntax::problem::Problem;

/// What one side's configuration says.
#[derive(Debug, Default)]
pub(super) struct Roots {
    /// Import roots; the snapshot's own root is the empty path.
    pub(super) directories: Vec<String>,
    /// Whether modules from elsewhere are depended on.
    pub(super) has_dependencies: bool,
    /// What is wrong with the configuration.
    pub(super) problems: Vec<Problem>,
    excluded: Vec<Excluded>,
    /// Modules of which only some folders count.
    restricted: Vec<Restricted>,
}

/// A folder that a configuration leaves out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excluded {
    /// The folder.
    pub(super) folder: String,
    /// The file that says so.
    pub(super) said_in: String,
}

/// A module of which only some folders count.
#[derive(Debug, PartialEq, Eq)]
struct Restricted {
    directory: String,
    includes: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct BufYaml {
    version: Option<String>,
    modules: Option<Vec<Module>>,
    build: Option<Build>,
    deps: Option<Vec<IgnoredAny>>,
}

#[derive(Debug, Deserialize)]
struct Module {
    path: Option<String>,
    includes: Option<Vec<String>>,
    excludes: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct Build {
    roots: Option<Vec<String>>,
    excludes: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct BufWork {
    directories: Option<Vec<String>>,
}

/// Reads the configuration of one side.
pub(super) fn read(snapshot: &Snapshot) -> Roots {
    let mut roots = Roots::default();
    for (path, file) in settings(snapshot) {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        // What lies in a hidden folder is no configuration of buf: a workflow that runs buf is often called the same.
        if directory.split('/').any(|part| part.starts_with('.')) {
            continue;
        }
        match name {
            "buf.yaml" => match parse::<BufYaml>(path, &file.bytes) {
                Ok(config) => roots.add(path, directory, config),
                Err(problem) => roots.problems.push(problem),
            },
            "buf.work.yaml" => match parse::<BufWork>(path, &file.bytes) {
                Ok(config) => {
                    let directories = config.directories.unwrap_or_default();
                    roots.directories.extend(directories.iter().map(|inner| join(directory, inner)));
                }
                Err(problem) => roots.problems.push(problem),
            },
            "buf.lock" => {
                roots.has_dependencies |= contains(&file.bytes, b"name:") || contains(&file.bytes, b"remote:")
            }
            _ => {}
        }
    }
    roots
}

/// The files of settings of a version, in the order of their paths.
fn settings(snapshot: &Snapshot) -> Vec<(&Arc<str>, &SnapshotFile)> {
    let may_be = |extension: &str| matches!(extension, "yaml" | "lock");
    snapshot.with_extension(may_be).filter(|(path, _)| is_settings(path)).collect()
}

/// The folders that the `buf.work.yaml` at the top of a version lists; `None` where there is none that can be read.
pub(crate) fn workspace(snapshot: &Snapshot) -> Option<Vec<String>> {
    let file = snapshot.get("buf.work.yaml")?;
    let text = std::str::from_utf8(&file.bytes).ok()?;
    let listed = serde_saphyr::from_str::<BufWork>(text).ok()?.directories?;
    Some(listed.iter().map(|folder| join("", folder)).collect())
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

fn parse<'t, T: Deserialize<'t>>(path: &Arc<str>, bytes: &'t [u8]) -> Result<T, Problem> {
    let wrong = |at: usize, why: String| {
        let at = u32::try_from(at).unwrap_or_default();
        Problem::warning(
            path,
            Span::new(at, at.saturating_add(1)),
            format!("the file cannot be understood, so import roots are inferred: {why}"),
            "correct the file; `buf config ls-modules` shows what buf makes of it",
        )
    };
    let text = std::str::from_utf8(bytes).map_err(|error| wrong(error.valid_up_to(), "it is not UTF-8".to_owned()))?;
    serde_saphyr::from_str(text).map_err(|error| {
        let error = error.without_snippet();
        let (line, column) =
            error.location().map_or((1, 1), |location| (location.line() as usize, location.column() as usize));
        let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let message = error.to_string();
        let first = crate::text::of_yaml_parser(message.lines().next().unwrap_or_default());
        let why = first.replace(&format!(" at line {line}, column {column}"), "");
        wrong((start + column.saturating_sub(1)).min(text.len()), why)
    })
}

impl Roots {
    fn add(&mut self, said_in: &str, directory: &str, config: BufYaml) {
        let excluded = |inner: &String| Excluded { folder: join(directory, inner), said_in: said_in.to_owned() };
        self.has_dependencies |= config.deps.is_some_and(|deps| !deps.is_empty());
        let is_beta = config.version.as_deref() == Some("v1beta1");
        match config.modules {
            Some(modules) if !modules.is_empty() => {
                for module in modules {
                    let root = join(directory, module.path.as_deref().unwrap_or("."));
                    let includes: Vec<String> =
                        module.includes.iter().flatten().map(|inner| join(directory, inner)).collect();
                    if !includes.is_empty() {
                        self.restricted.push(Restricted { directory: root.clone(), includes });
                    }
                    self.directories.push(root);
                    self.excluded.extend(module.excludes.iter().flatten().map(excluded));
                }
            }
            _ => {
                let build = config.build.unwrap_or(Build { roots: None, excludes: None });
                match build.roots {
                    Some(roots) if is_beta => self.directories.extend(roots.iter().map(|inner| join(directory, inner))),
                    _ => self.directories.push(normal(directory)),
                }
                self.excluded.extend(build.excludes.iter().flatten().map(excluded));
            }
        }
    }

    /// What the configuration says of roots and of what is left out, wherever it says so.
    pub(super) fn rules(&self) -> String {
        format!("{:?} {:?} {:?}", self.directories, self.excluded, self.restricted)
    }

    /// The folders that are left out.
    pub(super) fn excluded(&self) -> &[Excluded] {
        &self.excluded
    }

    /// Whether a file does not belong to the schema.
    pub(super) fn excludes(&self, path: &str) -> bool {
        let left_out = |module: &Restricted| {
            is_below(path, &module.directory) && !module.includes.iter().any(|directory| is_below(path, directory))
        };
        self.excluded.iter().any(|excluded| is_below(path, &excluded.folder)) || self.restricted.iter().any(left_out)
    }

    /// The path by which a file of a module is imported: what is left of it below the innermost root.
    pub(super) fn import_path<'p>(&self, path: &'p str) -> &'p str {
        let roots = self.directories.iter().filter(|root| !root.is_empty() && is_below(path, root));
        match roots.max_by_key(|root| root.len()) {
            Some(root) => path[root.len()..].trim_start_matches('/'),
            None => path,
        }
    }
}

pub(super) fn is_below(path: &str, directory: &str) -> bool {
    directory.is_empty() || path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn join(directory: &str, inner: &str) -> String {
    normal(&format!("{directory}/{inner}"))
}

/// A path without `.`, empty parts and a trailing slash; `..` is followed as far as the root.
pub(super) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}
