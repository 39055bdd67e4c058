//! The safeguards of both sides: the configuration and the waivers in force, and those of the base.
//!
//! A base that cannot be read never stops a run: what could not be compared is said.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::buf::NamedFile;
use super::paths::lexical;
use super::terms::{self, Terms};
use super::unmatched;
use crate::change::Pair;
use crate::cli::ConfigArgs;
use crate::config::loosened::{self, AboutPolicy, Version};
use crate::config::{self, Config, Judging, waivers};
use crate::date::Date;
use crate::failure::{Exit, Failure};
use crate::formats::Format;
use crate::ordered::OrderedSet;
use crate::rules::RuleSet;
use crate::safeguards::{Safeguards, Scope, WaiverFile};
use crate::snapshot::{ContentId, Snapshot};
use crate::source::beside::{Beheld, Beside, Found, read_terms};
use crate::source::git::Repository;
use crate::source::{Loaded, Source};
use crate::syntax::problem::{NotChecked, Problem, Severity};
use crate::text::plural;

/// The variable that says which day it is, so that a run can be repeated.
pub(super) const TODAY: &str = "WIREPROOF_TODAY";

/// The safeguards, with what there is to say of them beside findings.
#[derive(Debug, Default)]
pub(super) struct Guarded {
    /// The safeguards.
    pub safeguards: Safeguards,
    /// How loud findings about policy are.
    pub severities: AboutPolicy,
    /// What could not be compared.
    pub not_checked: Vec<NotChecked>,
    /// What is wrong with the configuration of the base.
    pub problems: Vec<Problem>,
    /// The terms of the base, where they judge as well.
    pub base: Option<(Terms, RuleSet)>,
}

/// Configuration and waivers in force.
#[derive(Debug, Clone, Default)]
pub(super) struct InForce {
    /// Today, in UTC.
    pub today: Date,
    /// The waivers.
    pub waivers: WaiverFile,
    /// Where the waiver file is, or would be.
    pub file: PathBuf,
    /// Its text; empty where there is none.
    pub text: String,
    /// The configuration, and the name of the waiver file.
    pub version: Version,
    /// The top of the repository, or the working directory.
    root: PathBuf,
    /// Where a configuration is looked for, as paths inside the root.
    candidates: Option<Vec<String>>,
    /// Whose configuration judges, if the command line says it.
    judging: Option<Judging>,
    /// Whether the configuration was looked for, and not named.
    is_searched: bool,
}

/// Today in UTC, or what the environment says it is.
pub(super) fn today() -> Result<Date, Failure> {
    match std::env::var(TODAY) {
        Ok(text) if !text.is_empty() => Date::parse(&text)
            .map_err(|why| Failure::usage(format!("{TODAY}: {why}"), format!("write it as in {TODAY}=2026-12-31"))),
        _ => {
            let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            Ok(Date::of_unix_seconds(since.map_or(0, |since| since.as_secs())))
        }
    }
}

/// A path as reports spell it.
fn spelled(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

impl InForce {
    /// Reads the waiver file that the terms mean.
    pub(super) fn read(terms: &Terms, arguments: &ConfigArgs, cwd: &Path, top: Option<&Path>) -> Result<Self, Failure> {
        let root = top.unwrap_or(cwd).to_path_buf();
        let config = terms.config();
        let path = config.file.as_deref().map(|file| Arc::from(spelled(file, &root)));
        let folder = config.folder.as_deref().unwrap_or(&root);
        let file = folder.join(config.waivers.as_deref().unwrap_or(waivers::WAIVERS));
        let name = spelled(&file, &root);
        let text = if arguments.no_config { String::new() } else { read_waivers(&file, &name, &root)? };
        Ok(InForce {
            today: today()?,
            waivers: waivers::parse(&name, &text)?,
            file,
            text,
            version: Version { config: config.clone(), path, waivers: name },
            candidates: candidates(arguments, cwd, &root),
            judging: arguments.configuration,
            is_searched: arguments.config.is_none() && !arguments.no_config,
            root,
        })
    }

    /// The same with other waivers, and another configuration.
    pub(super) fn with_waivers(&self, waivers: WaiverFile, config: &Config) -> Self {
        InForce { waivers, version: Version { config: config.clone(), ..self.version.clone() }, ..self.clone() }
    }

    /// Reads the waiver file once more: somebody may have written to it meanwhile.
    pub(super) fn read_again(&mut self) -> Result<(), Failure> {
        self.text = read_waivers(&self.file, &self.version.waivers, &self.root)?;
        self.waivers = waivers::parse(&self.version.waivers, &self.text)?;
        Ok(())
    }

    /// The safeguards of `compare`: nobody says which configuration the old side had.
    pub(super) fn of_compare(&self) -> Guarded {
        let files = Pair::new(Snapshot::default(), self.files());
        Guarded {
            safeguards: Safeguards {
                today: self.today,
                waivers: self.waivers.clone(),
                files,
                without_comments: !self.version.config.takes_comments(),
                there: self.named_and_there(),
                ..Safeguards::default()
            },
            ..Guarded::default()
        }
    }

    /// Of the files and folders that waivers name those that are there. What is no path of the repository never was one.
    fn named_and_there(&self) -> OrderedSet<String> {
        let named = self.waivers.waivers.iter().flat_map(|waiver| [&waiver.file, &waiver.under]).flatten();
        let is_there = |path: &&String| match config::relative(path) {
            Some(path) => self.root.join(path).symlink_metadata().is_ok(),
            None => true,
        };
        named.filter(is_there).cloned().collect()
    }

    /// The safeguards of `check`, compared with those of the base.
    pub(super) fn of_check(
        &self,
        sources: Pair<&Source>,
        repository: Option<&Repository>,
        rules: &RuleSet,
        scope: Scope,
    ) -> Guarded {
        let mut guarded =
            Guarded { safeguards: Safeguards { scope, ..self.of_compare().safeguards }, ..Guarded::default() };
        let Some(candidates) = &self.candidates else { return guarded };
        let Some(base) = self.base(sources, repository, candidates) else { return guarded };
        if let Some(version) = &base.version {
            let versions = Pair::new(version, &self.version);
            guarded.safeguards.loosened = loosened::loosened(versions, rules);
            // The stricter of both counts, as with everything else that lets breaks pass.
            guarded.safeguards.without_comments |=
                !version.config.takes_comments() && self.judging != Some(Judging::Head);
            guarded.severities = loosened::about_policy(Pair::new(&version.config, &self.version.config), rules);
        }
        if let Some(version) = &base.version {
            guarded.problems.extend(self.without_foreign(
                &mut guarded.safeguards.waivers,
                version,
                base.waivers.as_ref(),
            ));
        }
        if let Some((file, why)) = base.unreadable.as_ref().filter(|_| self.judging != Some(Judging::Head)) {
            guarded.safeguards.loosened.push(loosened::unreadable(file, why, Some(&self.version)));
            // Nobody knows how loud the base has this, and the change alone does not say it.
            if base.version.is_none() {
                guarded.severities = loosened::about_policy(Pair::new(&Config::default(), &self.version.config), rules);
            }
        }
        if let Some(waivers) = &base.waivers {
            guarded.safeguards.loosened.extend(loosened::prolonged(Pair::new(waivers, &self.waivers)));
            guarded.safeguards.known =
                Some(waivers.waivers.iter().map(|waiver| (waiver.id.clone(), waiver.clone())).collect());
        }
        guarded.safeguards.files.old = base.files;
        guarded.not_checked = base.not_checked;
        guarded.problems.extend(base.problems);
        if let (Source::Index, Some(repository)) = (sources.new, repository) {
            guarded.problems.extend(self.not_staged(repository));
        }
        guarded.base = base.terms;
        if self.judging == Some(Judging::Head) || guarded.base.as_ref().is_some_and(|(terms, _)| terms.leaves_to_head())
        {
            guarded.base = None;
            guarded.not_checked.push(head_alone(self.judging));
        }
        guarded
    }

    /// What could be found out about the base; `None` where it is a copy of schemas, and there are no terms either.
    fn base(&self, sources: Pair<&Source>, repository: Option<&Repository>, candidates: &[String]) -> Option<Base> {
        // A folder or a file somewhere below is a copy of schemas and not of the configuration above them.
        let is_below = matches!(sources.new, Source::Path(path) if *path != self.root);
        let has_nothing = self.version.path.is_none() && self.waivers.waivers.is_empty();
        Some(match Beside::of(sources.old, repository) {
            Ok(Some(Beside::Folder(_))) if has_nothing && is_below => return None,
            Ok(Some(Beside::Folder(_))) if is_below => Base::unknown("", "the base is a copy of a part"),
            Ok(None) if has_nothing => return None,
            Ok(None) => Base::unknown("", "the base holds schemas only"),
            Ok(Some(packed @ Beside::Packed(_))) if matches!(packed.first(candidates), Ok(None)) => match has_nothing {
                true => return None,
                false => Base::unknown("", "the archive holds no configuration"),
            },
            Ok(Some(beside)) => Base::read(&beside, candidates, &self.root),
            Err(failure) => Base::unknown("", &failure.message),
        })
    }

    /// Leaves out the entries of a waiver file that this very change makes the one that counts: who may write to the one that
    /// the base means decides what is acknowledged. Entries that it has, before the change or after, count as they did.
    fn without_foreign(&self, file: &mut WaiverFile, base: &Version, known: Option<&WaiverFile>) -> Option<Problem> {
        let is_left_to_head = self.judging.or(base.config.configuration) == Some(Judging::Head);
        if base.waivers == self.version.waivers || is_left_to_head {
            return None;
        }
        let text = read_waivers(&self.root.join(&base.waivers), &base.waivers, &self.root).unwrap_or_default();
        let now = waivers::parse(&base.waivers, &text).unwrap_or_default();
        let agreed: OrderedSet<&str> =
            known.into_iter().chain([&now]).flat_map(|file| &file.waivers).map(|waiver| waiver.id.as_str()).collect();
        let before = file.waivers.len();
        file.waivers.retain(|waiver| agreed.contains(waiver.id.as_str()));
        let (left_out, new) = (before - file.waivers.len(), &self.version.waivers);
        (left_out > 0).then(|| Problem {
            severity: Severity::Warning,
            site: None,
            message: format!(
                "{} of `{new}` {} not count: this change makes it the waiver file, and `{}`, which is the one of the base, \
                 does not say so",
                plural(left_out, "waiver"),
                if left_out == 1 { "does" } else { "do" },
                base.waivers
            ),
            help: format!("acknowledge them in `{}`, or merge first what makes `{new}` the waiver file", base.waivers),
        })
    }

    /// Files that look like the configuration or the waiver file, and are none; whoever names one has chosen.
    pub(super) fn not_read(&self, cwd: &Path) -> Vec<Problem> {
        if !self.is_searched {
            return Vec::new();
        }
        unmatched::not_read(cwd, &self.root, self.version.path.as_deref(), &self.version.waivers)
    }

    /// Configurations beside what is judged that do not count, because the run started elsewhere.
    pub(super) fn set_aside(&self, loaded: &Loaded, folder: &Path) -> Vec<NotChecked> {
        // Whoever names a configuration, or none, has chosen.
        if !self.is_searched || loaded.configurations.as_ref().is_some_and(OrderedSet::is_empty) {
            return Vec::new();
        }
        let judged = loaded.snapshots.new.iter().map(|(path, _)| path).filter(|path| loaded.snapshots.new.judges(path));
        let mut folders: OrderedSet<&str> = OrderedSet::new();
        for path in judged.filter(|path| Format::of_path(path).is_some()) {
            let above = std::iter::successors(Some(&**path), |path| path.rsplit_once('/').map(|(folder, _)| folder));
            for below in above.skip(1) {
                if !folders.insert(below) {
                    break;
                }
            }
        }
        let name = |below: &str| config::NAMES.iter().map(|name| format!("{below}/{name}")).collect::<Vec<_>>();
        let is_there = |path: &String| match &loaded.configurations {
            Some(known) => known.contains(path),
            None => folder.join(path).symlink_metadata().is_ok_and(|data| !data.is_dir()),
        };
        let found = folders.into_iter().filter_map(|below| name(below).into_iter().find(is_there));
        let others = found.filter(|path| Some(path.as_str()) != self.version.path.as_deref());
        let told = others.map(|file| NotChecked {
            what: "by its own configuration: the nearest one above the folder that a run starts in counts".to_owned(),
            help: "put its terms under `roots:` of the one at the top, or start the run in its folder".to_owned(),
            file,
        });
        told.collect()
    }

    /// Terms that count in a hook and will be missing in the commit: they are read from the working tree.
    fn not_staged(&self, repository: &Repository) -> Vec<Problem> {
        let config = self.version.path.as_deref().map(|path| (path, self.version.config.text.as_str()));
        let waivers = Some((self.version.waivers.as_str(), self.text.as_str())).filter(|(_, text)| !text.is_empty());
        let is_staged = |path: &str, text: &str| {
            let id = repository.ask(["rev-parse", "--verify", "--quiet", &format!(":0:{path}")]).ok().flatten();
            let plain = text.replace("\r\n", "\n");
            let ids = [text, plain.as_str()].map(|text| ContentId::of(text.as_bytes()).to_string());
            id.is_some_and(|id| ids.contains(&id))
        };
        let told = config.into_iter().chain(waivers).filter(|(path, text)| !is_staged(path, text));
        let told = told.map(|(path, _)| Problem {
            severity: Severity::Warning,
            site: None,
            message: format!("`{path}` is not staged as it is here: it counts now and will not in the commit"),
            help: format!("git add {path}"),
        });
        told.collect()
    }

    /// The branch that the configuration of a version names as the one to compare with.
    pub(super) fn base_named_in(&self, version: &Beside) -> Option<String> {
        let found = version.first(self.candidates.as_ref()?).ok().flatten()?;
        Config::parse(&found.path, text(&found).ok()?).ok()?.base
    }

    fn files(&self) -> Snapshot {
        let config = self.version.path.iter().map(|path| (path.clone(), self.version.config.text.as_bytes().to_vec()));
        let waivers = (self.waivers.path.clone(), self.text.as_bytes().to_vec());
        Snapshot::from_files(config.chain([waivers]))
    }
}

/// Where the base would have its configuration; `None` where no configuration is to be read at all.
fn candidates(arguments: &ConfigArgs, cwd: &Path, root: &Path) -> Option<Vec<String>> {
    if arguments.no_config {
        return None;
    }
    if let Some(file) = &arguments.config {
        // A link keeps its own name: in the base it may lead elsewhere.
        let named = lexical(&cwd.join(file));
        if named.starts_with(root) {
            return Some(vec![spelled(&named, root)]);
        }
        let file = cwd.join(file);
        let file = file.canonicalize().unwrap_or(file);
        // What lies elsewhere is no part of any change.
        return file.starts_with(root).then(|| vec![spelled(&file, root)]);
    }
    let folders = cwd.ancestors().take_while(|folder| folder.starts_with(root));
    let files = folders.flat_map(|folder| config::NAMES.iter().map(move |name| folder.join(name)));
    Some(files.map(|file| spelled(&file, root)).collect())
}

/// A file that does not exist waives nothing.
fn read_waivers(file: &Path, name: &str, root: &Path) -> Result<String, Failure> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    let bytes = read_terms(file, Found::Within(&root)).map_err(|why| {
        Failure::usage(
            format!("cannot read the waiver file `{name}`: {why}"),
            "check `waivers` in the configuration, and that you may read the file",
        )
    })?;
    let Some(bytes) = bytes else { return Ok(String::new()) };
    String::from_utf8(bytes)
        .map_err(|_| Failure::usage(format!("the waiver file `{name}` is not UTF-8 text"), "save it as UTF-8"))
}

/// What could be found out about the base.
#[derive(Default)]
struct Base {
    version: Option<Version>,
    waivers: Option<WaiverFile>,
    files: Snapshot,
    not_checked: Vec<NotChecked>,
    problems: Vec<Problem>,
    terms: Option<(Terms, RuleSet)>,
    /// A file of terms that it has, which works on disk and cannot be read in it, and why.
    unreadable: Option<(String, String)>,
}

impl Base {
    fn unknown(file: &str, why: &str) -> Base {
        let what = format!("whether the configuration or the waivers became looser: {}", first_line(why));
        Base { not_checked: vec![NotChecked { file: file.to_owned(), what, help: String::new() }], ..Base::default() }
    }

    /// What was wrong in the base may be mended in this very change, so it judges nothing: by such a configuration nothing
    /// was let into the base. One that is only out of reach may have let in much, and is no pass.
    fn broken(file: &str, failure: &Failure) -> Base {
        if failure.exit == Exit::CouldNotTell {
            let unreadable = Some((file.to_owned(), first_line(&failure.message).to_owned()));
            return Base { unreadable, ..Base::default() };
        }
        let problem = Problem {
            severity: Severity::Warning,
            site: None,
            message: format!("the configuration of the base cannot be read: {}", first_line(&failure.message)),
            help: "this change is judged by its own configuration alone".to_owned(),
        };
        Base { problems: vec![problem], ..Base::default() }
    }

    /// The command line names a `buf.yaml` instead.
    fn read_buf(beside: &Beside, path: &str) -> Base {
        let named = beside.first(&[path.to_owned()]).and_then(|found| {
            let named = |found: Beheld| Ok(NamedFile { name: path.to_owned(), text: text(&found)?.to_owned() });
            found.map(named).transpose()
        });
        match named {
            Ok(named) => Base { terms: Some(terms::of_base_with_buf(named)), ..Base::default() },
            Err(failure) => Base::broken(path, &failure),
        }
    }

    fn read(beside: &Beside, candidates: &[String], root: &Path) -> Base {
        if let [only] = candidates
            && only.rsplit('/').next() == Some(config::buf::BUF_NAME)
        {
            return Base::read_buf(beside, only);
        }
        let version = match beside.first(candidates).and_then(|found| version(found.as_ref())) {
            Ok(version) => version,
            Err(failure) => return Base::broken("configuration", &failure),
        };
        let terms = match terms_of(&version, beside, root) {
            Ok(terms) => terms,
            Err(failure) => return Base::broken("configuration", &failure),
        };
        let config = version.path.iter().map(|path| (path.clone(), version.config.text.as_bytes().to_vec()));
        let mut base = Base { files: Snapshot::from_files(config), terms, ..Base::default() };
        let found = beside.first(std::slice::from_ref(&version.waivers));
        let parsed = found.and_then(|found| Ok((waivers_of(&version.waivers, found.as_ref())?, found)));
        match parsed {
            Ok((waivers, found)) => {
                let file = found.map(|found| (waivers.path.clone(), found.bytes));
                let both = base.files.iter().map(|(path, file)| (path.clone(), file.bytes.to_vec())).chain(file);
                base.files = Snapshot::from_files(both.collect::<Vec<_>>());
                base.waivers = Some(waivers);
            }
            Err(failure) if failure.exit == Exit::CouldNotTell => {
                base.unreadable = Some((version.waivers.clone(), first_line(&failure.message).to_owned()));
            }
            Err(failure) => {
                let what =
                    format!("which waivers are new: the old file cannot be read: {}", first_line(&failure.message));
                base.not_checked.push(NotChecked { file: version.waivers.clone(), what, help: String::new() });
            }
        }
        base.version = Some(version);
        base
    }
}

/// The configuration of the base.
fn version(found: Option<&Beheld>) -> Result<Version, Failure> {
    let Some(found) = found else {
        return Ok(Version { waivers: waivers::WAIVERS.to_owned(), ..Version::default() });
    };
    let config = Config::parse(&found.path, text(found)?)?;
    let folder = folder_of(&found.path);
    let name = config.waivers.as_deref().unwrap_or(waivers::WAIVERS);
    let waivers = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    Ok(Version { config, path: Some(Arc::from(found.path.as_str())), waivers })
}

/// The terms of the base. A folder without a configuration is a copy of schemas, and nobody says what its terms were.
fn terms_of(version: &Version, beside: &Beside, root: &Path) -> Result<Option<(Terms, RuleSet)>, Failure> {
    match beside {
        Beside::Folder(_) | Beside::Packed(_) if version.path.is_none() => return Ok(None),
        Beside::Nothing => return Ok(None),
        Beside::Tree { .. } | Beside::Folder(_) | Beside::Packed(_) => {}
    }
    let folder = folder_of(version.path.as_deref().unwrap_or_default());
    let mut own = Vec::new();
    if let Some(rules) = &version.config.rules_dir {
        own = rules_of_base(folder, rules, beside, root)?;
    }
    let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    terms::of_base(version.config.clone(), root.join(folder), &own).map(Some)
}

/// The rule files of the base. Those outside of the repository are no part of any change, and are read from disk.
fn rules_of_base(folder: &str, rules: &Path, beside: &Beside, root: &Path) -> Result<Vec<(String, String)>, Failure> {
    let below = match config::relative(&format!("./{folder}/{}", rules.to_string_lossy())) {
        Some(below) if !rules.is_absolute() => below,
        _ => {
            let disk = root.join(folder).join(rules);
            let unread = |failure: Failure| Failure::could_not_tell(failure.message, failure.help);
            let real = disk.canonicalize().unwrap_or_else(|_| disk.clone());
            let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
            match real.strip_prefix(root) {
                Ok(inside) => inside.to_string_lossy().replace('\\', "/"),
                Err(_) => return terms::rule_files(&disk, None).map_err(unread),
            }
        }
    };
    let found = beside.below(&below, terms::is_rule)?;
    found.iter().map(|file| Ok((file.path.clone(), text(file)?.to_owned()))).collect()
}

/// The folder that the paths of a configuration start from.
fn folder_of(path: &str) -> &str {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    folder.strip_suffix(".github").unwrap_or(folder).trim_end_matches('/')
}

/// That the base does not judge is said in every report.
fn head_alone(asked: Option<Judging>) -> NotChecked {
    let who = match asked {
        Some(_) => "`--configuration head`",
        None => "`configuration: head` in the configuration of the base",
    };
    NotChecked {
        file: String::new(),
        what: format!(
            "whether a break passes only because the configuration changed: {who} lets the new one judge alone"
        ),
        help: "without it, the terms of the base judge as well".to_owned(),
    }
}

fn waivers_of(path: &str, found: Option<&Beheld>) -> Result<WaiverFile, Failure> {
    match found {
        Some(found) => waivers::parse(path, text(found)?),
        None => waivers::parse(path, ""),
    }
}

fn text(found: &Beheld) -> Result<&str, Failure> {
    let not_text = |_| Failure::could_not_tell(format!("`{}` is not UTF-8 text", found.path), "save it as UTF-8");
    std::str::from_utf8(&found.bytes).map_err(not_text)
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}
