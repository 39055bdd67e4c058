//! The configuration that users of buf have already: what its `breaking` sections mean for this run.
//!
//! As buf does, it is taken from the new side. Modules of the two sides are paired by name, else by folder, never by their
//! order. A module that the new side no longer has is judged by what the old side said of it.

use std::sync::Arc;

use crate::change::{Pair, Side, Site, Span};
use crate::config::buf::{BUF_NAME, BufBreaking, BufFile, BufIgnored, BufModule, Notice, Version, Word};
use crate::failure::Failure;
use crate::formats::{Format, protobuf};
use crate::ordered::OrderedSet;
use crate::rules::{Profile, RuleSet};
use crate::snapshot::Snapshot;
use crate::source::select::is_under;
use crate::source::{GitSource, Loaded, Request, Source, TreePath};
use crate::syntax::problem::{NotChecked, Problem, Severity};
use crate::verdict::{Ignored, PeerArea, PeerPolicy};

/// The name of the tool in tables of peers.
const TOOL: &str = "buf";

/// What buf judges by where nothing is said.
pub(super) const DEFAULT_PROFILE: &str = "buf/FILE";

/// What the `breaking` sections mean.
#[derive(Debug, Default)]
pub(super) struct BufTerms {
    /// Which parts are judged how.
    pub areas: Vec<PeerArea>,
    /// What is wrong with them.
    pub problems: Vec<Problem>,
    /// What of them is not done.
    pub not_checked: Vec<NotChecked>,
    /// Whether something else decides instead.
    pub is_overridden: bool,
    /// What is judged by where no section says anything and buf's own words are asked for.
    pub profile: Option<&'static Profile>,
    /// What lies in no module and buf does not read, where its own words are asked for: nothing breaks there.
    pub rest: Option<PeerArea>,
}

/// A `buf.yaml` that was named on the command line, and counts for everything.
#[derive(Debug, Clone)]
pub(super) struct NamedFile {
    /// As it was named.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// What the run says beside the files.
#[derive(Debug)]
pub(super) struct Surroundings<'a> {
    /// The file that was named instead of those of the new side.
    pub named: Option<&'a NamedFile>,
    /// What decides instead, in words.
    pub overridden: Option<String>,
    /// What buf would judge by without a section, where its own words are asked for.
    pub implied: Option<&'static Profile>,
    /// Whether all files are judged, so that a path which matches none is a slip.
    pub is_whole: bool,
}

/// A module with its file.
#[derive(Clone, Copy)]
struct Owned<'f> {
    file: &'f BufFile,
    module: &'f BufModule,
}

/// Reads the configuration of both sides.
pub(super) fn read(loaded: &Loaded, around: &Surroundings<'_>) -> Result<BufTerms, Failure> {
    let snapshots = &loaded.snapshots;
    let has_any = [&snapshots.old, &snapshots.new].into_iter().any(has_protobuf);
    let new = match around.named {
        // What buf would say of its own configuration is nobody's concern where nothing is judged by it.
        None if !has_any => return Ok(BufTerms::default()),
        Some(named) => BufFile::parse_at_the_top(&named.name, &named.text, rules())?.into_iter().collect(),
        None => files(&loaded.snapshots.new, Err)?,
    };
    if !new.iter().any(BufFile::speaks) {
        let silent = new.iter().filter(|_| around.overridden.is_none() && around.implied.is_none()).map(silent);
        let profile = around.implied.filter(|_| around.overridden.is_none());
        return Ok(BufTerms { not_checked: silent.collect(), profile, ..BufTerms::default() });
    }
    if let Some(instead) = &around.overridden {
        return Ok(BufTerms { not_checked: overridden(&new, instead), is_overridden: true, ..BufTerms::default() });
    }
    // What is wrong with the old side's configuration is wrong no more.
    let old = match around.named {
        Some(_) => Vec::new(),
        None => files(&loaded.snapshots.old, |_| Ok(()))?,
    };
    let mut terms = BufTerms::default();
    if around.implied.is_some() && around.named.is_none() {
        terms.leave_out_the_rest();
    }
    let modules = Pair::new(modules(&old), modules(&new));
    let partners = partners(&modules);
    for (owned, partner) in modules.new.iter().zip(&partners) {
        terms.add(*owned, partner.map(|index| modules.old[index]), &loaded.snapshots);
    }
    for (index, owned) in modules.old.iter().enumerate() {
        if partners.contains(&Some(index)) {
            continue;
        }
        let alone = modules.new.iter().zip(&partners).filter(|(_, partner)| partner.is_none());
        let alone: Vec<Owned<'_>> = alone.map(|(new, _)| *new).collect();
        if covered(owned.module, &alone) {
            terms.tell_moved(*owned, &alone);
        } else if !covered(owned.module, &modules.new) {
            let elsewhere = alone.iter().flat_map(|new| &new.module.folders).map(|folder| shown(folder)).collect();
            terms.add_gone(*owned, elsewhere, &loaded.snapshots);
        }
    }
    for file in &new {
        terms.tell(file, &loaded.snapshots, around.is_whole);
    }
    Ok(terms)
}

/// What the `breaking` sections of the base meant, for both sides: its modules where they are now, with the ignores, the
/// rules and the files they had. A file that cannot be read has no say.
pub(super) fn of_base(loaded: &Loaded) -> Vec<PeerArea> {
    let side = |snapshot| files(snapshot, |_| Ok(())).unwrap_or_default();
    let (old, new) = (side(&loaded.snapshots.old), side(&loaded.snapshots.new));
    if !old.iter().any(BufFile::speaks) {
        return Vec::new();
    }
    let modules = Pair::new(modules(&new), modules(&old));
    let mut terms = BufTerms::default();
    for (owned, partner) in modules.new.iter().zip(partners(&modules)) {
        let Some(breaking) = &owned.module.breaking else { continue };
        for (index, folder) in owned.module.folders.iter().enumerate() {
            let now = partner.and_then(|partner| modules.old[partner].module.folders.get(index)).unwrap_or(folder);
            let folders = Pair::new(Some(folder.clone()), Some(now.clone()));
            terms.areas.push(area(folders, owned.file, breaking, &loaded.snapshots));
        }
    }
    terms.areas
}

/// What is said of a `buf.yaml` above the folder that is compared: its paths start elsewhere, so it does not decide here.
pub(super) fn above(request: &Request, loaded: &Loaded) -> Option<NotChecked> {
    let Source::Git(GitSource { revision, path: Some(TreePath::Written(folder)), .. }) = &request.sources.old else {
        return None;
    };
    let sides = [&loaded.snapshots.old, &loaded.snapshots.new];
    let is_here = matches!(request.sources.new, Source::WorkTree | Source::Index | Source::Path(_));
    if !is_here || !sides.into_iter().any(has_protobuf) || loaded.snapshots.new.path(BUF_NAME).is_some() {
        return None;
    }
    let top = request.repository.as_ref()?.top.as_ref()?;
    let folders = folder.rmatch_indices('/').map(|(at, _)| format!("{}/", &folder[..at])).chain([String::new()]);
    let files = folders.map(|above| format!("{above}{BUF_NAME}"));
    let parsed = |file: String| BufFile::parse(&file, &std::fs::read_to_string(top.join(&file)).ok()?, rules()).ok()?;
    let file = files.into_iter().find_map(parsed).filter(BufFile::speaks)?;
    Some(NotChecked {
        what: format!("by its `breaking` section: it lies above the folder `{folder}`, so our own rules decide"),
        help: format!("name the folder as a part of the whole: `wireproof check {folder} --against git:{revision}`"),
        file: file.path,
    })
}

fn has_protobuf(side: &Snapshot) -> bool {
    side.iter().any(|(path, _)| Format::of_path(path) == Some(Format::Protobuf))
}

fn rules() -> &'static [crate::rules::PeerRule] {
    RuleSet::built_in().peer_rules(TOOL)
}

/// The configuration files of one side. Those inside of a module of version 2 are not read: buf does not either.
fn files(
    snapshot: &Snapshot,
    mut on_failure: impl FnMut(Failure) -> Result<(), Failure>,
) -> Result<Vec<BufFile>, Failure> {
    let mut found: Vec<BufFile> = Vec::new();
    let workspace = protobuf::workspace(snapshot);
    let may_be = snapshot.with_extension(|extension| extension == "yaml");
    for (path, content) in may_be.filter(|(path, _)| is_read(path, snapshot, workspace.as_deref())) {
        let parsed = match std::str::from_utf8(&content.bytes) {
            Ok(text) => BufFile::parse(path, text, rules()),
            Err(_) => Err(Failure::usage(format!("`{path}` is not UTF-8 text"), "save it as UTF-8")),
        };
        match parsed {
            Ok(file) => found.extend(file),
            Err(failure) => on_failure(failure)?,
        }
    }
    let inside = |file: &BufFile| {
        found.iter().any(|other| {
            let folders = || other.modules.iter().flat_map(|module| &module.folders);
            other.version == Version::V2
                && other.path != file.path
                && folders().any(|folder| is_under(&file.path, folder))
        })
    };
    let kept: Vec<bool> = found.iter().map(|file| !inside(file)).collect();
    let mut kept = kept.into_iter();
    found.retain(|_| kept.next().unwrap_or(true));
    Ok(found)
}

/// Whether buf reads a file of that path: that of a module, not one in a hidden folder (a workflow that runs buf is often
/// called the same); where the top of the version lists the folders of its workspace, one of those, and where it has a file
/// of its own, no other.
fn is_read(path: &str, snapshot: &Snapshot, workspace: Option<&[String]>) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_hidden = folder.split('/').any(|part| part.starts_with('.'));
    let is_meant = match workspace {
        Some(folders) => folders.iter().any(|listed| listed == folder),
        None => folder.is_empty() || snapshot.path(BUF_NAME).is_none(),
    };
    name == BUF_NAME && !is_hidden && is_meant
}

fn modules(files: &[BufFile]) -> Vec<Owned<'_>> {
    files.iter().flat_map(|file| file.modules.iter().map(move |module| Owned { file, module })).collect()
}

/// For each new module the old one: that of the same name, else that of the same folder.
fn partners(modules: &Pair<Vec<Owned<'_>>>) -> Vec<Option<usize>> {
    let mut partners: Vec<Option<usize>> = vec![None; modules.new.len()];
    let same_name: fn(&BufModule, &BufModule) -> bool = |old, new| old.name.is_some() && old.name == new.name;
    let same_folder: fn(&BufModule, &BufModule) -> bool = |old, new| old.folders == new.folders;
    for same in [same_name, same_folder] {
        for (at, new) in modules.new.iter().enumerate() {
            if partners[at].is_none() {
                let free = |index: &usize| !partners.contains(&Some(*index));
                partners[at] =
                    (0..modules.old.len()).filter(free).find(|index| same(modules.old[*index].module, new.module));
            }
        }
    }
    partners
}

/// Whether the files of a module that is gone lie in another one now.
fn covered(gone: &BufModule, new: &[Owned<'_>]) -> bool {
    let folders = || new.iter().flat_map(|owned| &owned.module.folders);
    gone.folders.iter().all(|folder| folders().any(|other| is_under(folder, other)))
}

/// A file without a `breaking` section: buf takes FILE then, and who has not asked for that is judged by our own rules.
fn silent(file: &BufFile) -> NotChecked {
    NotChecked {
        file: file.path.clone(),
        what: "it has no `breaking` section, so our own rules decide, and not those of `buf breaking`".to_owned(),
        help: format!("`--profile {DEFAULT_PROFILE}` judges as `buf breaking` would"),
    }
}

fn overridden(files: &[BufFile], instead: &str) -> Vec<NotChecked> {
    let told = |file: &BufFile| {
        let breaking = file.modules.iter().find_map(|module| module.breaking.as_ref())?;
        Some(NotChecked {
            file: file.path.clone(),
            what: format!("its `breaking` section (line {}) is not in force: {instead} decides", breaking.line),
            help: "leave that out to have Protobuf judged as buf would".to_owned(),
        })
    };
    files.iter().filter_map(told).collect()
}

impl BufTerms {
    fn add(&mut self, owned: Owned<'_>, partner: Option<Owned<'_>>, snapshots: &Pair<Snapshot>) {
        let Some(breaking) = &owned.module.breaking else { return };
        for (index, folder) in owned.module.folders.iter().enumerate() {
            let before = partner.and_then(|partner| partner.module.folders.get(index)).unwrap_or(folder);
            let folders = Pair::new(Some(before.clone()), Some(folder.clone()));
            self.areas.push(area(folders, owned.file, breaking, snapshots));
        }
    }

    /// What lies in no module, buf does not read; where its own words are asked for, it is not judged either.
    fn leave_out_the_rest(&mut self) {
        let everything = Pair::new(Some(String::new()), Some(String::new()));
        let peer = PeerPolicy {
            name: format!("{TOOL}/none"),
            tool: TOOL.to_owned(),
            format: Format::Protobuf.name().to_owned(),
            ids: Some(OrderedSet::new()),
        };
        let source = "outside of its modules".to_owned();
        self.rest = Some(PeerArea { folder: everything, peer, source, ignored: Vec::new(), unstable: Pair::default() });
        self.not_checked.push(NotChecked {
            file: BUF_NAME.to_owned(),
            what: "files outside of its modules, which buf does not read".to_owned(),
            help: "with any other `--format` they are judged as ever".to_owned(),
        });
    }

    /// A module that lies in another one now, which has another root.
    fn tell_moved(&mut self, owned: Owned<'_>, alone: &[Owned<'_>]) {
        let now = alone.iter().flat_map(|new| &new.module.folders);
        let now: Vec<&String> = now.filter(|now| owned.module.folders.iter().any(|was| is_under(was, now))).collect();
        for (was, now) in owned.module.folders.iter().zip(now) {
            self.problems.push(Problem {
                severity: Severity::Warning,
                site: None,
                message: format!(
                    "the module {} is {} in the new version: where a module's path changes, buf takes its files for deleted",
                    shown(was),
                    shown(now)
                ),
                help: "where `buf breaking` reports deleted files that are still there, this is why".to_owned(),
            });
        }
    }

    /// A module that the new side does not have.
    fn add_gone(&mut self, owned: Owned<'_>, elsewhere: Vec<String>, snapshots: &Pair<Snapshot>) {
        let Some(breaking) = &owned.module.breaking else { return };
        let moved = match elsewhere.is_empty() {
            true => String::new(),
            false => format!(
                "; new there is {}: where a module's path changes, buf takes its files for deleted",
                elsewhere.join(", ")
            ),
        };
        for folder in &owned.module.folders {
            let name = owned.module.name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
            self.problems.push(Problem {
                severity: Severity::Warning,
                site: None,
                message: format!(
                    "the new version does not have the module {}{name} any more, so what it lost is judged by the old {}{moved}",
                    shown(folder),
                    owned.file.path
                ),
                help: "modules are paired by `name`, else by path; if the module moved, give it the same `name` as before".to_owned(),
            });
            self.areas.push(area(Pair::new(Some(folder.clone()), None), owned.file, breaking, snapshots));
        }
    }

    /// What is to be said about one file.
    fn tell(&mut self, file: &BufFile, snapshots: &Pair<Snapshot>, is_whole: bool) {
        let bytes = snapshots.new.get(&file.path).map(|file| &*file.bytes).unwrap_or_default();
        let mut warn = |word: &Word, message: String, help: String| {
            let site = Site { file: Arc::from(file.path.as_str()), span: span(bytes, word) };
            let site = (!bytes.is_empty()).then_some(site);
            let problem = Problem { severity: Severity::Warning, site, message, help };
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        };
        for Notice { word, message, help } in &file.notices {
            warn(word, message.clone(), help.clone());
        }
        for ignored in unmatched(file, snapshots).into_iter().filter(|_| is_whole) {
            let help = if ignored.word.text.contains(['*', '?']) {
                "buf takes it as a path, not as a pattern; name a file or a folder"
            } else if file.version == Version::V2 {
                "paths start from the folder of buf.yaml; correct or remove it"
            } else {
                "paths start from the root of the module; correct or remove it"
            };
            warn(&ignored.word, format!("`{}` matches no file, old or new", ignored.word.text), help.to_owned());
        }
        self.not_checked.extend(file.not_done.iter().map(|notice| NotChecked {
            file: file.path.clone(),
            what: notice.message.clone(),
            help: notice.help.clone(),
        }));
    }
}

/// A folder as buf.yaml names it.
fn shown(folder: &str) -> String {
    format!("`{}`", if folder.is_empty() { "." } else { folder })
}

fn area(folder: Pair<Option<String>>, file: &BufFile, breaking: &BufBreaking, snapshots: &Pair<Snapshot>) -> PeerArea {
    let unstable = |side: Side| match folder.side(side) {
        Some(folder) if breaking.ignore_unstable_packages => unstable_files(snapshots.side(side), folder),
        _ => OrderedSet::new(),
    };
    let unstable = Pair::new(unstable(Side::Old), unstable(Side::New));
    let ignored =
        breaking.ignored.iter().map(|ignored| Ignored { path: ignored.path.clone(), ids: ignored.ids.clone() });
    PeerArea {
        folder,
        peer: PeerPolicy {
            name: format!("{TOOL}/{}", breaking.words),
            tool: TOOL.to_owned(),
            format: Format::Protobuf.name().to_owned(),
            ids: Some(breaking.ids.clone()),
        },
        source: format!("{}:{}", file.path, breaking.line),
        ignored: ignored.collect(),
        unstable,
    }
}

/// The paths to be ignored that neither side has.
fn unmatched<'f>(file: &'f BufFile, snapshots: &Pair<Snapshot>) -> Vec<&'f BufIgnored> {
    let schemas: Vec<&str> = [&snapshots.old, &snapshots.new]
        .into_iter()
        .flat_map(|side| side.iter())
        .map(|(path, _)| &**path)
        .filter(|path| Format::of_path(path) == Some(Format::Protobuf))
        .collect();
    let matches = |module: &BufModule, ignored: &BufIgnored| {
        module.folders.iter().any(|folder| {
            let wanted = format!("{folder}/{}", ignored.path);
            let wanted = wanted.trim_matches('/');
            schemas.iter().any(|path| is_under(path, wanted))
        })
    };
    let of = |module: &'f BufModule| module.breaking.iter().flat_map(|breaking| &breaking.ignored);
    let mut unmatched: Vec<&BufIgnored> = Vec::new();
    for module in &file.modules {
        unmatched.extend(of(module).filter(|ignored| !matches(module, ignored)));
    }
    unmatched
}

/// The files below a folder whose package is not stable yet.
fn unstable_files(snapshot: &Snapshot, folder: &str) -> OrderedSet<Arc<str>> {
    let inside = snapshot.iter().filter(|(path, _)| is_under(path, folder));
    let schemas = inside.filter(|(path, _)| Format::of_path(path) == Some(Format::Protobuf));
    let unstable = schemas.filter(|(path, file)| {
        let (tree, _) = protobuf::parse::parse(path, &file.bytes);
        tree.package.is_some_and(|package| is_unstable(&package.text))
    });
    unstable.map(|(path, _)| path.clone()).collect()
}

/// Whether buf takes a package for one that may still break: `shop.v1beta1`, `shop.v1p2alpha`, `shop.v1testing`.
fn is_unstable(package: &str) -> bool {
    let Some((_, version)) = package.rsplit_once('.') else { return false };
    let Some(version) = version.strip_prefix('v') else { return false };
    let digits = version.bytes().take_while(u8::is_ascii_digit).count();
    let (major, rest) = version.split_at(digits);
    let positive =
        |number: &str| number.bytes().all(|byte| byte.is_ascii_digit()) && number.bytes().any(|byte| byte != b'0');
    if !positive(major) {
        return false;
    }
    if rest.starts_with("test") {
        return true;
    }
    let Some((patch, stage)) = ["alpha", "beta"].iter().find_map(|stage| rest.split_once(stage)) else { return false };
    let patch_is_fine = patch.is_empty() || patch.strip_prefix('p').is_some_and(positive);
    patch_is_fine && (stage.is_empty() || positive(stage))
}

/// The bytes of a word at a line and a column.
fn span(bytes: &[u8], word: &Word) -> Span {
    let text = String::from_utf8_lossy(bytes);
    let start: usize = text.split_inclusive('\n').take(word.line.saturating_sub(1)).map(str::len).sum();
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let before: usize = line.chars().take(word.column.saturating_sub(1)).map(char::len_utf8).sum();
    let at = |offset: usize| u32::try_from(offset.min(bytes.len())).unwrap_or(u32::MAX);
    Span::new(at(start + before), at(start + before + word.text.len().max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_unstable_as_buf_has_it() {
        for package in ["a.v1alpha", "a.v1alpha1", "a.v1beta2", "a.v1p1beta1", "a.v1test", "a.v1testfoo", "a.v10alpha1"]
        {
            assert!(is_unstable(package), "{package}");
        }
        for package in [
            "a.v0",
            "a.v1",
            "a.v1main",
            "a.v1rc1",
            "a.unstable",
            "a.v1beta1.sub",
            "v1beta1",
            "a.v0beta1",
            "a.v1alphax",
            "",
        ] {
            assert!(!is_unstable(package), "{package}");
        }
    }
}
