//! Both sides of a comparison, read: sources in, snapshots out.
//!
//! Knows how sides relate: a file is paired with a file, a folder of the work tree with the same folder of a revision,
//! and bytes that are the same on both sides are read and kept once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::content::{Content, forms, git_read, open_both};
use super::found_again::{claim_moved, hide_renamed};
use super::git::Repository;
use super::git::later::Store;
use super::library::Library;
use super::place::{CalledAs, Place, called, file_names, place};
use super::referred::{Around, folder_inside};
use super::request::{Nothing, Request};
use super::roles::{leave_out, settle};
use super::select::is_under;
use super::shadowed::supply;
use super::side::{GitSource, Source, TreePath};
use super::sought::Sought;
use super::{embedded, modules, outside, pointers};
use crate::change::{Pair, Side};
use crate::failure::{Failure, nearest};
use crate::formats::{Checked, Format, LibraryFile, as_utf8, formats_of, mapped, may_be_recoded};
use crate::ordered::{InOrder, OrderedSet};
use crate::snapshot::{Lent, Snapshot};
use crate::syntax::problem::NotChecked;

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
    /// Two single files that were paired under one name: that name, and what each of them is called.
    pub single: Option<Pair<CalledAs>>,
    /// Where configurations of this program lie in the work tree; `None` where nobody looked.
    pub(crate) configurations: Option<OrderedSet<String>>,
    /// Whether every file was asked what it refers to by names that schemas do not have.
    pub(crate) is_whole: bool,
    /// What reads files that were not needed at once.
    pub(crate) store: Option<Arc<Store>>,
}

impl Loaded {
    /// Whether a file that was wanted later could not be read, or was not what it seemed to be. Then everything has to be
    /// read at once.
    pub fn is_doubtful(&self) -> bool {
        self.store.as_ref().is_some_and(|store| store.is_doubtful())
    }

    /// Whether files are not here to which others refer by names that schemas do not have: a file that nobody had asked does.
    /// Then everything has to be read at once.
    pub(crate) fn lacks_files(&self, checked: &[(Format, Checked)]) -> bool {
        let lacks = |(format, checked): &(Format, Checked)| format.may_wait() && !checked.unnamed.is_empty();
        !self.is_whole && checked.iter().any(lacks)
    }
}

/// Reads both sides.
pub fn load(request: &Request) -> Result<Loaded, Failure> {
    let repository = find_repository(request)?;
    let sources = align(request, repository.as_ref());
    let sought = Sought::new(request.format, &request.selection, is_place(&sources.old) && is_place(&sources.new));
    let repository = repository.map(|repository| repository.looking_for(sought.clone()));
    let repository = repository.as_ref();
    let places = Pair::new(place(&sources.old, request, repository)?, place(&sources.new, request, repository)?);
    let names = file_names(places.as_ref(), request)?;
    let name = |side: Side| names.as_ref().map(|names| names.side(side).as_str());
    let store =
        repository.filter(|_| request.may_wait).and_then(|repository| Store::of(repository, pointers::is_pointer));
    let store = store.as_ref();
    let single = Pair::new(name(Side::Old), name(Side::New));
    let contents = open_both(places.as_ref(), single, (repository, &sought), store)?;
    let mut not_checked = unread(&contents);
    let configurations = contents.new.configurations().cloned();
    let mut library = Library::default();
    for content in [&contents.new, &contents.old] {
        library.add_imports(content);
    }
    let around = Around::new(request, places.as_ref(), repository, contents.as_ref());
    let mut snapshots = read(contents, repository, store)?;
    sought.leave_schemas(&mut snapshots);
    let is_whole = names.is_some() || around.take_in(&mut snapshots)?;
    not_checked.extend(embedded::changed(&around, snapshots.as_ref())?);
    for side in [&mut snapshots.old, &mut snapshots.new] {
        side.rewrite(may_be_recoded, as_utf8);
    }
    if names.is_some() {
        // The sides need no neighbours of their own: these are looked up only when imported.
        for place in [&places.new, &places.old] {
            library.add_neighbours(place, repository)?;
        }
    } else {
        supply(&mut snapshots, (&request.cwd, &request.include));
        check_paths(&snapshots, &request.selection.paths, request.nothing)?;
        leave_out(&mut snapshots, &request.selection);
        claim_moved(&mut snapshots);
    }
    outside::bring(request, repository, places.as_ref(), &mut snapshots)?;
    pointers::resolve(&mut snapshots, repository)?;
    settle(&mut snapshots);
    if names.is_none() {
        not_checked.extend(hide_renamed(&mut snapshots, places.as_ref(), repository)?);
    }
    if request.nothing != Nothing::Passes || [&snapshots.old, &snapshots.new].into_iter().any(has_schemas) {
        check_not_empty(&snapshots, places.as_ref())?;
    }
    let (include, missing) = import_roots(request, repository, places.as_ref(), &snapshots, &mut library)?;
    not_checked.extend(missing);
    for folder in modules::cached(&snapshots.new).into_iter().chain(modules::cached(&snapshots.old)) {
        library.add_folder("", &folder, &[])?;
    }
    let single = names.map(|names| called(names, places.as_ref()));
    let labels = places.map(|place| place.label());
    let (library, store) = (library.finish(), store.cloned());
    Ok(Loaded { snapshots, labels, library, include, not_checked, single, configurations, is_whole, store })
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
        if let Content::Printed(image) = content {
            links.extend(image.notes.iter().cloned());
        }
    }
    links.sort_in_order();
    links.dedup();
    links
}

/// Reads what git still has to supply, in one go for both sides, and takes archives out of their common folder.
fn read(
    contents: Pair<Content>,
    repository: Option<&Repository>,
    store: Option<&Arc<Store>>,
) -> Result<Pair<Snapshot>, Failure> {
    match (contents.old, contents.new) {
        (Content::Listed(old), Content::Listed(new)) => {
            let mut both = git_read(repository, &[&old, &new], &[], store)?.into_iter();
            Ok(Pair::new(both.next().unwrap_or_default(), both.next().unwrap_or_default()))
        }
        (Content::Listed(old), new) => {
            let old = |new: &Snapshot| Ok(git_read(repository, &[&old], &[new], store)?.pop().unwrap_or_default());
            let mut forms = forms(new)
                .into_iter()
                .map(|new| Ok(Pair::new(old(&new)?, new)))
                .collect::<Result<Vec<_>, Failure>>()?;
            Ok(forms.swap_remove(best(&forms)))
        }
        (old, Content::Listed(new)) => {
            let new = |old: &Snapshot| Ok(git_read(repository, &[&new], &[old], store)?.pop().unwrap_or_default());
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

/// The pair with the most paths in common, so that `shop-1.0/` meets `shop-1.1/`; the first of equals, and the last,
/// which has no folders left, when nothing is in common at all.
fn best(pairs: &[Pair<Snapshot>]) -> usize {
    if pairs.len() == 1 {
        return 0;
    }
    let common = |pair: &Pair<Snapshot>| pair.old.iter().filter(|(path, _)| pair.new.get(path).is_some()).count();
    let counts: Vec<usize> = pairs.iter().map(common).collect();
    match counts.iter().max() {
        None | Some(0) => pairs.len().saturating_sub(1),
        Some(most) => counts.iter().position(|count| count == most).unwrap_or(0),
    }
}

/// Refuses paths under which neither side has a schema: most likely a slip, and nothing would be judged.
fn check_paths(snapshots: &Pair<Snapshot>, paths: &[String], nothing: Nothing) -> Result<(), Failure> {
    if paths.is_empty() {
        return Ok(());
    }
    let sides = [&snapshots.old, &snapshots.new];
    let paths_of = |side: &'_ Snapshot| -> Vec<Arc<str>> {
        side.iter().map(|(path, _)| path).filter(|path| is_there(side, path)).cloned().collect()
    };
    let known = sides.map(paths_of).concat();
    let schemas = || known.iter();
    let missing: Vec<&String> = paths.iter().filter(|wanted| !schemas().any(|path| is_under(path, wanted))).collect();
    let wanted = match (missing.first(), nothing) {
        (None, _) => return Ok(()),
        (Some(_), Nothing::IsWrongEverywhere) if missing.len() < paths.len() => return Ok(()),
        (Some(wanted), _) => wanted,
    };
    let folders = schemas().filter_map(|path| path.rsplit_once('/')).map(|(folder, _)| folder);
    let help = match nearest(wanted, folders) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("schemas are recognised by their ending: {}; {SAID}", endings_known()),
    };
    Err(Failure::usage(format!("there are no schema files under `{wanted}`, neither old nor new"), help))
}

/// Whether a source was named as a place and not only as a version of a repository.
fn is_place(source: &Source) -> bool {
    match source {
        Source::Path(_) | Source::Archive(_) => true,
        Source::Git(git) => git.path.is_some(),
        Source::WorkTree | Source::Index | Source::Image(_) | Source::Stdin | Source::Empty => false,
    }
}

fn has_schemas(side: &Snapshot) -> bool {
    let is_one = |path: &str| {
        Format::is_schema(path) || Format::of_path(path).is_some_and(Format::is_of_schemas) && side.judges(path)
    };
    side.iter().any(|(path, _)| is_one(path))
}

/// Whether a file is a schema that somebody asked for.
fn is_there(snapshot: &Snapshot, path: &str) -> bool {
    !formats_of(snapshot, path).is_empty() && snapshot.lent(path) != Some(&Lent::Unselected)
}

/// Without a single schema there is nothing to answer, and saying "compatible" would be a lie.
fn check_not_empty(snapshots: &Pair<Snapshot>, places: Pair<&Place>) -> Result<(), Failure> {
    let has_schema = |snapshot: &Snapshot| snapshot.iter().any(|(path, _)| is_there(snapshot, path));
    let hides = |snapshot: &Snapshot| !snapshot.unseen().is_empty();
    if hides(&snapshots.old) || hides(&snapshots.new) || has_schema(&snapshots.old) || has_schema(&snapshots.new) {
        return Ok(());
    }
    Err(Failure::usage(
        format!("no schema files found, neither in {} nor in {}", places.old.label(), places.new.label()),
        format!(
            "schemas are recognised by their ending ({}); {SAID}; check the paths, and `include` and `exclude` in the configuration",
            endings_known()
        ),
    ))
}

/// What counts beside the endings.
const SAID: &str = "other JSON and YAML by a `$schema` of json-schema.org, under a path that is named";

fn endings_known() -> String {
    let known: Vec<String> =
        Format::ALL.iter().flat_map(|format| format.extensions()).map(|ending| format!(".{ending}")).collect();
    known.join(", ")
}

/// The import roots inside the snapshots, and what is said of those that are nowhere; those that lie elsewhere on disk are
/// read into the library.
fn import_roots(
    request: &Request,
    repository: Option<&Repository>,
    places: Pair<&Place>,
    snapshots: &Pair<Snapshot>,
    library: &mut Library,
) -> Result<(Vec<String>, Vec<NotChecked>), Failure> {
    let disks: Vec<PathBuf> = [places.old, places.new].iter().filter_map(|place| place.disk(repository)).collect();
    let (mut roots, mut missing): (Vec<String>, Vec<NotChecked>) = Default::default();
    for written in &request.include {
        let mut is_there = false;
        for (prefix, folder) in mapped(written).into_iter().chain([("", written.as_str())]) {
            let disk = request.cwd.join(folder);
            let inside = folder_inside(request, repository, folder);
            let has = |side: &Snapshot| side.iter().any(|(path, _)| inside.iter().any(|root| is_under(path, root)));
            let has = Pair::new(has(&snapshots.old), has(&snapshots.new));
            is_there |= has.old || has.new || disk.exists();
            // What both sides have themselves is not looked for a third time. A folder that git ignores is in neither.
            let lies_in_a_side = disk.canonicalize().is_ok_and(|real| disks.iter().any(|side| real.starts_with(side)));
            let before = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
            if !(has.old && has.new && lies_in_a_side) && disk.is_dir() {
                library.add_folder(&before, &disk, &disks)?;
            }
            roots.extend(inside.into_iter().map(|folder| match prefix {
                "" => folder,
                prefix => format!("{prefix}={folder}"),
            }));
        }
        if !is_there {
            missing.push(no_root(written));
        }
    }
    let mut seen = OrderedSet::new();
    roots.retain(|root| seen.insert(root.clone()));
    Ok((roots, missing))
}

fn no_root(written: &str) -> NotChecked {
    NotChecked {
        file: String::new(),
        what: format!("imports below `{written}`: there is no such folder, neither in what is compared nor on disk"),
        help: "mend what `-I` or `import-paths` says: one folder for each, or `PREFIX=DIR` for imports that begin with PREFIX and start in DIR".to_owned(),
    }
}
