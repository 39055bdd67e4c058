//! The terms of a run: what the options and the configuration say together. Options win.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use globset::{Glob, GlobSet};

use super::buf::{self, BufTerms, NamedFile, Surroundings};
use crate::change::Pair;
use crate::cli::{CommonArgs, ConfigArgs, Rendering};
use crate::config::{self, Config, Instances, Judging, Root, glob_set};
use crate::evidence::{Outcome, Surface};
use crate::failure::Failure;
use crate::formats::{CheckOptions, LibraryFile, SameTerms, Usage, Usages, formats_of, mapped};
use crate::ordered::InOrder;
use crate::rules::{Profile, RuleSet, RuleText};
use crate::snapshot::Snapshot;
use crate::source::beside::{Found, read_terms};
use crate::source::select::{Start, is_under};
use crate::source::{Loaded, Request, Selection};
use crate::syntax::problem::NotChecked;
use crate::verdict::{FolderTerms, PeerArea, Policy};

/// What the configuration says.
#[derive(Debug, Clone, Default)]
pub(super) struct Terms {
    config: Config,
    /// Whether the configuration of buf is looked for in the new version.
    reads_buf: bool,
    /// A `buf.yaml` that was named.
    buf: Option<NamedFile>,
}

/// Files that are compared together, and how.
pub(super) struct Unit {
    /// Both sides.
    pub snapshots: Pair<Snapshot>,
    /// What the comparison needs beside them.
    pub options: CheckOptions,
}

/// Reads the configuration and the user's own rules, and refuses what they do not know.
pub(super) fn read(arguments: &ConfigArgs, cwd: &Path) -> Result<(Terms, RuleSet), Failure> {
    let mut buf = None;
    let config = match (&arguments.config, arguments.no_config) {
        (_, true) => Config::default(),
        (Some(file), false) if file.file_name().is_some_and(|name| name == config::buf::BUF_NAME) => {
            let name = file.display().to_string();
            buf = Some(NamedFile { text: read_text(&cwd.join(file), file, Found::Named)?, name });
            Config::default()
        }
        (Some(file), false) => read_configuration(&cwd.join(file), file, Found::Named)?,
        (None, false) => find_configuration(cwd)?,
    };
    let rules = match &config.rules_dir {
        Some(folder) => {
            let texts = rule_files(folder, config.folder.as_deref());
            with_own(&texts.map_err(|failure| config.blamed("rules-dir", &failure))?)?
        }
        None => RuleSet::built_in().clone(),
    };
    config.check_rules(rules.names())?;
    Ok((Terms { config, reads_buf: !arguments.no_config, buf }, rules))
}

/// The terms of the base: its configuration, with its own rule files as paths and texts. `folder` is the one that its
/// paths start from, on disk.
pub(super) fn of_base(config: Config, folder: PathBuf, own: &[(String, String)]) -> Result<(Terms, RuleSet), Failure> {
    let rules = with_own(own)?;
    config.check_rules(rules.names())?;
    let config = Config { folder: Some(folder), ..config };
    Ok((Terms { config, reads_buf: true, buf: None }, rules))
}

/// The terms of the base where the command line names a `buf.yaml`: that file as it was.
pub(super) fn of_base_with_buf(file: Option<NamedFile>) -> (Terms, RuleSet) {
    let terms = Terms { config: Config::default(), reads_buf: file.is_some(), buf: file };
    (terms, RuleSet::built_in().clone())
}

/// The configuration that applies in a directory: the nearest one, up to the top of the repository.
fn find_configuration(directory: &Path) -> Result<Config, Failure> {
    let top = top_of(directory);
    for folder in directory.ancestors() {
        for name in config::NAMES {
            let file = folder.join(name);
            if file.symlink_metadata().is_ok_and(|data| !data.is_dir()) {
                let within = Found::Within(top.unwrap_or(folder));
                return read_configuration(&file, file.strip_prefix(directory).unwrap_or(&file), within);
            }
        }
        if folder.join(".git").exists() {
            break;
        }
    }
    Ok(Config::default())
}

/// The top of the work tree around a directory.
pub(super) fn top_of(directory: &Path) -> Option<&Path> {
    directory.ancestors().find(|folder| folder.join(".git").exists())
}

/// The configuration in a file; its paths start from its folder, or from the one above `.github`.
fn read_configuration(file: &Path, name: &Path, found: Found<'_>) -> Result<Config, Failure> {
    let text = read_text(file, name, found)?;
    let mut config = Config::parse(&name.display().to_string(), &text)?;
    let real = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    let folder = real.parent().unwrap_or(Path::new("/"));
    let folder = if folder.ends_with(".github") { folder.parent().unwrap_or(folder) } else { folder };
    config.rules_dir = config.rules_dir.map(|rules| folder.join(rules));
    config.folder = Some(folder.to_path_buf());
    config.file = Some(real.clone());
    Ok(config)
}

/// The text of a configuration file.
fn read_text(file: &Path, name: &Path, found: Found<'_>) -> Result<String, Failure> {
    let help = match found {
        Found::Named => "check the path given to --config",
        Found::Within(_) => "a configuration is a plain file of the repository; `--no-config` does without",
    };
    let unreadable =
        |why: &str| Failure::usage(format!("cannot read the configuration `{}`: {why}", name.display()), help);
    let bytes = read_terms(file, found).map_err(|why| unreadable(&why))?;
    let bytes = bytes.ok_or_else(|| unreadable("there is no such file"))?;
    String::from_utf8(bytes).map_err(|_| {
        Failure::usage(format!("the configuration `{}` is not UTF-8 text", name.display()), "save it as UTF-8")
    })
}

/// Whether a file below the folder of one's own rules is one, by its path.
pub(super) fn is_rule(path: &str) -> bool {
    path.ends_with(".yaml") || path.ends_with(".yml")
}

/// Whether a path names what lies in a folder, links aside.
fn is_below(path: &Path, folder: &Path) -> bool {
    let below = path.strip_prefix(folder).ok();
    below.is_some_and(|below| below.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)))
}

/// The rule files in a folder on disk, which a configuration in another one names: paths and texts.
pub(super) fn rule_files(folder: &Path, configured_in: Option<&Path>) -> Result<Vec<(String, String)>, Failure> {
    let unreadable = |path: &Path, error: std::io::Error| {
        Failure::usage(
            format!("cannot read the rules in `{}`: {error}", path.display()),
            "check `rules-dir` in the configuration",
        )
    };
    let real = folder.canonicalize().map_err(|error| unreadable(folder, error))?;
    let own = configured_in.and_then(top_of).filter(|top| is_below(folder, top));
    let within = own.or_else(|| top_of(&real)).unwrap_or(&real);
    if !real.starts_with(within.canonicalize().as_deref().unwrap_or(within)) {
        let error = std::io::Error::other("a link on the way to it leads out of the repository");
        return Err(unreadable(folder, error));
    }
    let mut texts: Vec<(String, String)> = Vec::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|error| unreadable(&folder, error))? {
            let path = entry.map_err(|error| unreadable(&folder, error))?.path();
            let is_rule = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
            if path.is_dir() && !path.is_symlink() {
                pending.push(path);
            } else if is_rule {
                let read = read_terms(&path, Found::Within(within)).map_err(std::io::Error::other);
                let bytes = read.map_err(|error| unreadable(&path, error))?.unwrap_or_default();
                let text = String::from_utf8(bytes).map_err(std::io::Error::other);
                texts.push((path.display().to_string(), text.map_err(|error| unreadable(&path, error))?));
            }
        }
    }
    texts.sort_in_order();
    Ok(texts)
}

/// The built-in rules together with those in some files: path and text of each.
fn with_own(texts: &[(String, String)]) -> Result<RuleSet, Failure> {
    if texts.is_empty() {
        return Ok(RuleSet::built_in().clone());
    }
    let files: Vec<RuleText<'_>> = texts.iter().map(|(file, text)| RuleText { file, text }).collect();
    RuleSet::built_in().with_user_rules(&files).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        Failure::usage(
            format!("your own rules cannot be used:\n  {}", lines.join("\n  ")),
            "a rule has the form of the built-in ones: `wireproof rules --format json`",
        )
    })
}

impl Terms {
    /// The configuration itself.
    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// Whether it says that the configuration of the new side judges alone.
    pub(super) fn leaves_to_head(&self) -> bool {
        self.config.configuration == Some(Judging::Head)
    }

    /// Whether both say the same.
    pub(super) fn is_same(&self, other: &Terms) -> bool {
        self.config.folder == other.config.folder && self.as_text() == other.as_text()
    }

    /// Whether both select the same files and compare them in the same way, so that what one found serves the other.
    pub(super) fn reach_as_far_as(&self, other: &Terms) -> bool {
        let reach = |terms: &Terms| {
            let Config { folder, include, exclude, roots, instances, .. } = &terms.config;
            let globs = |globs: &Option<Vec<Glob>>| {
                globs.iter().flatten().map(|glob| glob.glob().to_owned()).collect::<Vec<_>>()
            };
            let roots: Vec<Root> = match terms.units_needed() {
                true => roots.iter().map(|root| Root { mode: None, surfaces: None, ..root.clone() }).collect(),
                false => Vec::new(),
            };
            let used: Vec<(String, Instances)> = terms
                .config
                .roots
                .iter()
                .map(|root| (root.path.clone(), root.instances.clone()))
                .filter(|(_, said)| *said != Instances::default())
                .collect();
            let is_needed = include.is_some() || exclude.is_some() || !roots.is_empty() || !used.is_empty();
            let files = (include.as_ref().map(|_| globs(include)), globs(exclude));
            (folder.clone().filter(|_| is_needed), files, roots, (instances.clone(), used))
        };
        reach(self) == reach(other)
    }

    /// The folder of the configuration.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.config.folder.as_deref()
    }

    /// The configuration as it is called from the top of the repository, where it lies in a folder below and nobody named it.
    pub(super) fn in_folder(&self, top: Option<&Path>, arguments: &ConfigArgs) -> Option<String> {
        let (file, folder) = self.config.file.as_deref().zip(self.config.folder.as_deref())?;
        let top = top?.canonicalize().ok().filter(|top| top != folder && arguments.config.is_none())?;
        let inside = file.strip_prefix(top).ok()?;
        Some(inside.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/"))
    }

    /// All that the configuration says, wherever it lies: two runs with the same text have the same terms.
    pub(super) fn as_text(&self) -> String {
        let Config { folder, rules_dir, .. } = &self.config;
        let below = folder.as_ref().zip(rules_dir.as_ref()).and_then(|(folder, rules)| rules.strip_prefix(folder).ok());
        let rules_dir = below.map(Path::to_path_buf);
        format!("{:?}\n", Config { name: String::new(), file: None, folder: None, rules_dir, ..self.config.clone() })
    }

    /// How paths of the configuration relate to those of the snapshots.
    fn start(&self, folder: &Path) -> Start {
        self.config.folder.as_deref().map(|configuration| Start::relate(configuration, folder)).unwrap_or_default()
    }

    /// What is judged.
    pub(super) fn selection(&self, paths: &[String], folder: &Path) -> Selection {
        let start = self.start(folder);
        let roots = self.config.roots.iter().filter_map(|root| start.to_snapshots(&root.path));
        Selection {
            paths: if paths.iter().any(String::is_empty) { Vec::new() } else { paths.to_vec() },
            named: paths.iter().cloned().chain(roots).collect(),
            include: self.config.include.as_deref().map(glob_set),
            exclude: self.config.exclude.as_deref().map(glob_set),
            start,
        }
    }

    /// Whether imports may lead into folders of the disk.
    pub(super) fn may_import_from_disk(&self, arguments: &CommonArgs) -> bool {
        !arguments.include.is_empty() || self.config.roots.iter().any(|root| !root.import_paths.is_empty())
    }

    /// Import roots as they are written; those of the configuration start from its folder.
    pub(super) fn include(&self, arguments: &CommonArgs, folder: &Path) -> Vec<String> {
        let mut include = arguments.include.clone();
        if self.units_needed() {
            return include;
        }
        let start = self.start(folder);
        for root in &self.config.roots {
            include.extend(root.import_paths.iter().filter_map(|path| root_inside(&start, path)));
        }
        include
    }

    /// Which findings break.
    pub(super) fn policy(&self, arguments: &CommonArgs, folder: &Path) -> Policy {
        let start = self.start(folder);
        let mut surfaces =
            arguments.surface.clone().or_else(|| self.config.surfaces.clone()).unwrap_or_else(|| vec![Surface::Wire]);
        surfaces.sort_in_order();
        surfaces.dedup();
        let of_folder = |root: &Root| {
            Some(FolderTerms {
                folder: start.to_snapshots(&root.path)?,
                mode: root.mode.filter(|_| arguments.mode.is_none()),
                surfaces: root.surfaces.clone().filter(|_| arguments.surface.is_none()),
            })
        };
        let usual = Policy::default();
        let stated = arguments.mode.or(self.config.mode);
        let usual = match stated {
            Some(mode) => usual.with_mode(mode),
            None => usual,
        };
        Policy {
            profile: arguments.profile.map(|profile| profile.all_in_force(RuleSet::built_in())),
            surfaces,
            fail_on: arguments.fail_on.or(self.config.fail_on).unwrap_or(Outcome::Lossy),
            severities: self.config.rules.clone(),
            unstable: if self.config.unstable.is_empty() { GlobSet::empty() } else { glob_set(&self.config.unstable) },
            folders: self.config.roots.iter().filter_map(of_folder).collect(),
            ..usual
        }
    }

    /// What users of buf have configured already; `is_whole` when no paths narrow the run down.
    pub(super) fn buf(&self, arguments: &CommonArgs, loaded: &Loaded, is_whole: bool) -> Result<BufTerms, Failure> {
        if !self.reads_buf {
            return Ok(BufTerms::default());
        }
        let overridden = self.instead_of_buf(arguments);
        let is_whole = is_whole && self.config.include.is_none() && self.config.exclude.is_none();
        let is_asked = arguments.rendering.format == Some(Rendering::Buf);
        let implied = Profile::all().find(|profile| is_asked && profile.name == buf::DEFAULT_PROFILE);
        buf::read(loaded, &Surroundings { named: self.buf.as_ref(), overridden, implied, is_whole })
    }

    /// What is said of a configuration of buf that lies above what is compared.
    pub(super) fn buf_above(&self, arguments: &CommonArgs, request: &Request, loaded: &Loaded) -> Option<NotChecked> {
        let is_looked_for = self.reads_buf && self.buf.is_none() && self.instead_of_buf(arguments).is_none();
        if is_looked_for { buf::above(request, loaded) } else { None }
    }

    /// What buf's configuration in the base says, of which these are the terms.
    pub(super) fn buf_of_base(&self, arguments: &CommonArgs, loaded: &Loaded) -> Vec<PeerArea> {
        match (&self.buf, self.instead_of_buf(arguments)) {
            (Some(_), _) => self.buf(arguments, loaded, false).map(|terms| terms.areas).unwrap_or_default(),
            (None, None) if self.reads_buf => buf::of_base(loaded),
            (None, Some(_) | None) => Vec::new(),
        }
    }

    /// What decides about Protobuf instead of buf's configuration, in words.
    fn instead_of_buf(&self, arguments: &CommonArgs) -> Option<String> {
        let given = |option: &str, value: &str| format!("`{option} {value}`");
        match (arguments.profile, arguments.mode, self.config.mode) {
            (Some(profile), _, _) => Some(given("--profile", &profile.name)),
            (None, Some(mode), _) => Some(given("--mode", mode.name())),
            (None, None, Some(mode)) => Some(format!("`mode: {mode}` in {}", self.config.name)),
            (None, None, None) => None,
        }
    }

    /// How instances are used.
    fn usages(&self, arguments: &CommonArgs, folder: &Path) -> Usages {
        let start = self.start(folder);
        let usual = arguments.instances().or(&self.config.instances).over(&Usage::default());
        let own = self.config.roots.iter().filter(|root| root.instances != Instances::default());
        let own = own.filter_map(|root| {
            let said = arguments.instances().or(&root.instances);
            Some((start.to_snapshots(&root.path)?, said.over(&usual)))
        });
        Usages { folders: own.collect(), usual }
    }

    /// Which folders are judged on the same terms.
    fn terms_of_folders(&self, folder: &Path) -> SameTerms {
        let start = self.start(folder);
        let usual = Policy::default();
        let own = |root: Option<&Root>| {
            let mode = root.and_then(|root| root.mode).or(self.config.mode).unwrap_or(usual.mode);
            let surfaces = root.and_then(|root| root.surfaces.as_ref()).or(self.config.surfaces.as_ref());
            (mode, surfaces.unwrap_or(&usual.surfaces).clone())
        };
        let mut known = vec![own(None)];
        let mut folders = Vec::new();
        for root in &self.config.roots {
            let Some(path) = start.to_snapshots(&root.path) else { continue };
            let own = own(Some(root));
            let number = known.iter().position(|other| *other == own).unwrap_or(known.len());
            if number == known.len() {
                known.push(own);
            }
            folders.push((path, number));
        }
        SameTerms { folders }
    }

    /// Whether some folder must be compared on its own.
    fn units_needed(&self) -> bool {
        self.config.roots.iter().any(|root| !root.import_paths.is_empty() || !root.reachable_from.is_empty())
    }

    /// What is compared together: everything, unless folders have import paths or entry points of their own.
    pub(super) fn units(
        &self,
        arguments: &CommonArgs,
        loaded: &Loaded,
        folder: &Path,
        asked: CheckOptions,
    ) -> Vec<Unit> {
        let options = CheckOptions {
            include: loaded.include.clone(),
            library: loaded.library.clone(),
            roots: arguments.root.clone(),
            strict_imports: arguments.strict_imports,
            part: arguments.shard,
            everything: arguments.full,
            usages: self.usages(arguments, folder),
            terms: self.terms_of_folders(folder),
            ..asked
        };
        if !self.units_needed() {
            return vec![Unit { snapshots: loaded.snapshots.clone(), options }];
        }
        let start = self.start(folder);
        let mut roots: Vec<(String, &Root)> =
            self.config.roots.iter().filter_map(|root| Some((start.to_snapshots(&root.path)?, root))).collect();
        // The longest folder that holds a file counts.
        roots.sort_in_order_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
        let owner = |path: &str| roots.iter().position(|(folder, _)| is_under(path, folder));
        let mut units = Vec::new();
        for index in (0..roots.len()).map(Some).chain([None]) {
            let snapshots = loaded
                .snapshots
                .as_ref()
                .map(|side| part(side, |path| owner(path) == index || formats_of(side, path).is_empty()));
            let has_none = |side: &Snapshot| side.iter().all(|(path, _)| formats_of(side, path).is_empty());
            if has_none(&snapshots.old) && has_none(&snapshots.new) {
                continue;
            }
            let mut options = options.clone();
            if let Some((_, root)) = index.map(|index| &roots[index]) {
                let own = root.import_paths.iter().filter_map(|path| root_inside(&start, path));
                options.include.splice(0..0, own);
                options.roots.extend(root.reachable_from.iter().cloned());
            }
            options.library.extend(neighbours(&loaded.snapshots, &options.include, |path| owner(path) != index));
            units.push(Unit { snapshots, options });
        }
        units
    }
}

/// A root of imports of the configuration, from the top of the sides: a folder, or `PREFIX=DIR`.
fn root_inside(start: &Start, written: &str) -> Option<String> {
    let inside = |folder: &str| start.to_snapshots(folder.trim_end_matches('/'));
    match mapped(written) {
        Some((prefix, folder)) => Some(format!("{prefix}={}", inside(folder)?)),
        None => inside(written),
    }
}

/// The files of a side that a condition holds for.
fn part(side: &Snapshot, keep: impl Fn(&str) -> bool) -> Snapshot {
    side.with_paths(|path| keep(path).then(|| Arc::from(path)))
}

/// The files of other units, which supply types: by their path, and by what is left of it under an import root.
fn neighbours(snapshots: &Pair<Snapshot>, include: &[String], outside: impl Fn(&str) -> bool) -> Vec<LibraryFile> {
    let mut library = Vec::new();
    let mut add = |import_path: &str, bytes: &Arc<[u8]>| {
        library.push(LibraryFile { import_path: import_path.to_owned(), bytes: bytes.clone() });
    };
    let sides = [&snapshots.new, &snapshots.old].into_iter();
    for (side, path, file) in sides.flat_map(|side| side.iter().map(move |(path, file)| (side, path, file))) {
        if outside(path) && !formats_of(side, path).is_empty() {
            add(path, file.bytes.shared());
            for root in include.iter().filter(|root| !root.is_empty()) {
                let below = |folder: &str| match folder {
                    "" => Some(path.as_ref()),
                    folder => path.strip_prefix(folder)?.strip_prefix('/'),
                };
                if let Some(rest) = below(root) {
                    add(rest, file.bytes.shared());
                }
                if let Some((prefix, rest)) = mapped(root).and_then(|(prefix, folder)| Some((prefix, below(folder)?))) {
                    add(&format!("{prefix}/{rest}"), file.bytes.shared());
                }
            }
        }
    }
    library.sort_in_order_by(|one, other| one.import_path.cmp(&other.import_path));
    library.dedup_by(|later, first| later.import_path == first.import_path);
    library
}
