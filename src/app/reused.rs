//! What a change takes that history had freed: numbers, ids and slots, told by the texts alone.
//!
//! Only what the base does not use is looked for, so that history is read where something new is there at all. Each distinct
//! content is read once, and parsed where it names one of the elements.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair, Site};
use crate::failure::Failure;
use crate::formats::{Format, Role, Used, declarations, say_the_same, used};
use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::parallel;
use crate::report::timeline::{Freed, Owner};
use crate::report::{Location, NUMBER_REUSED, NotChecked, Report};
use crate::snapshot::{Bytes, ContentId, Snapshot};
use crate::source::git::Repository;
use crate::source::git::history::{Commit, Step, Touched};
use crate::source::{GitSource, Loaded, Source};

/// So many commits that changed a schema are looked at, the newest first.
const MOST_COMMITS: usize = 20_000;
/// So many contents are read at a time, and so many bytes, as far as that can be told.
const AT_A_TIME: (usize, usize) = (4_000, 256 << 20);

/// How many contents are read next: few at first, then more, as large as they turn out to be.
struct Pace(usize);

impl Default for Pace {
    fn default() -> Self {
        Pace(64)
    }
}

impl Pace {
    /// Reads contents.
    fn read(&mut self, ids: &[&str], repository: &Repository) -> Result<Vec<Bytes>, Failure> {
        let texts = repository.blobs(ids)?;
        if !texts.is_empty() {
            self.note(texts.len(), texts.iter().map(|text| text.len()).sum());
        }
        Ok(texts)
    }

    fn note(&mut self, texts: usize, bytes: usize) {
        let (most, most_bytes) = AT_A_TIME;
        let fit = most_bytes.saturating_mul(texts).checked_div(bytes).unwrap_or(most);
        self.0 = fit.min(self.0 * 8).clamp(1, most);
    }

    /// How many of the next commits are looked at together.
    fn few(&self, steps: &[Step]) -> usize {
        let mut contents = 0;
        let fit = steps.iter().take_while(|step| {
            contents += 2 * step.files.len();
            contents <= self.0
        });
        fit.count().max(1)
    }
}

/// What was taken again.
#[derive(Debug, Default)]
pub(super) struct Reused {
    /// A change for each.
    pub changes: Vec<Change>,
    /// By which commit each was freed.
    pub freed: Vec<Taken>,
    /// Whether there is older history than was looked at.
    pub has_more: bool,
}

/// What was freed once and is taken now.
#[derive(Debug)]
pub(super) struct Taken {
    /// What takes it now.
    path: String,
    /// Where that stands.
    site: Site,
    /// The commit that freed it.
    commit: Commit,
}

/// A look at history, and what it showed.
pub(super) struct Looked<'a> {
    /// The base and the repository; `None` where the base is not in git.
    at: Option<(&'a GitSource, &'a Repository)>,
    found: RefCell<Result<Reused, Failure>>,
}

/// So many of them are shown with bytes: each is a comparison of its own.
const MOST_SHOWN: usize = 10;

impl<'a> Looked<'a> {
    /// A look at the history of a base.
    pub(super) fn of(base: &'a Source, repository: Option<&'a Repository>) -> Self {
        let at = match (base, repository) {
            (Source::Git(git), Some(repository)) => Some((git, repository)),
            _ => None,
        };
        Looked { at, found: RefCell::new(Ok(Reused::default())) }
    }

    /// What of both sides takes what history had freed.
    pub(super) fn changes(&self, loaded: &Loaded) -> Vec<Change> {
        let Some((base, repository)) = self.at else { return Vec::new() };
        let sides = loaded.snapshots.as_ref();
        let found = repository.resolve(&base.revision).and_then(|base| reused(sides, &base.id, repository));
        let changes = found.as_ref().map(|found| found.changes.clone()).unwrap_or_default();
        *self.found.borrow_mut() = found;
        changes
    }

    /// The report with what the last version before each removal shows of the reuse, and with what was not looked at.
    pub(super) fn told(&self, report: Report, pair: impl Fn(Source) -> Option<Report>) -> Report {
        let (found, mut report) = (self.found.borrow(), report);
        let gap =
            |what: &str, help: &str| NotChecked { file: String::new(), what: what.to_owned(), help: help.to_owned() };
        let found = match &*found {
            Ok(found) => found,
            Err(failure) => {
                let what = format!("whether what is new was used and freed before: {}", failure.message);
                report.not_checked.push(gap(&what, &failure.help));
                report.not_checked.sort_in_order();
                return report;
            }
        };
        if found.has_more {
            let what = format!("what was freed more than {} commits ago", crate::text::number(MOST_COMMITS));
            report.not_checked.push(gap(&what, "nothing is to be done about it"));
            report.not_checked.sort_in_order();
        }
        let mut pairs: OrderedMap<&str, Option<Report>> = OrderedMap::new();
        for finding in report.findings.iter_mut().filter(|finding| finding.rule == NUMBER_REUSED) {
            let file = finding.new.as_ref().map_or("", |at| &at.file);
            if let Some(format) = Format::of_path(file) {
                format.name().clone_into(&mut finding.format);
            }
            let is_it = |one: &&Taken| *one.site.file == *file && one.path == finding.path;
            let Some(freed) = found.freed.iter().find(is_it) else { continue };
            if pairs.len() >= MOST_SHOWN && !pairs.contains_key(&*freed.commit.id) {
                continue;
            }
            let shown = pairs.entry(&freed.commit.id).or_insert_with(|| pair(self.before(&freed.commit)?));
            let Some(shown) = shown else { continue };
            let at_place =
                shown.findings.iter().filter(|one| one.new.as_ref().map(line) == finding.new.as_ref().map(line));
            if let Some(most) = at_place.max_by_key(|one| (!one.evidence.is_empty(), one.impact.clone())) {
                finding.impact.clone_from(&most.impact);
                finding.evidence.clone_from(&most.evidence);
                finding.old.clone_from(&most.old);
            }
        }
        report
    }

    /// The version before a commit, at the place of the base.
    fn before(&self, commit: &Commit) -> Option<Source> {
        let (base, repository) = self.at?;
        let parent = repository.parents(&commit.id).ok()?.into_iter().next()?;
        Some(Source::Git(GitSource { revision: parent, reason: Some(commit.day.clone()), ..base.clone() }))
    }
}

fn line(at: &Location) -> (&str, u32) {
    (&at.file, at.line)
}

/// By what data know a part of an element.
type Key = (Format, String, Role, String);

/// The parts of a text, or of a declaration of it, that data know by other things than names.
type Parts = Arc<Vec<Used>>;

/// What is known of contents.
#[derive(Default)]
struct Known {
    /// Their parts, by their ids.
    of_contents: FxHashMap<String, (Format, Vec<Parts>)>,
    /// Those of single declarations.
    of_declarations: Mutex<FxHashMap<ContentId, Parts>>,
    /// Which contents differ from which in nothing but comments and blanks.
    alike: FxHashSet<(String, String)>,
    pace: Pace,
}

/// Texts of so many bytes have most of their declarations in common with those before them.
const LARGE: usize = 1 << 14;

impl Known {
    /// Reads what files held before and after they were edited, but where they say the same afterwards.
    fn read_edits(&mut self, files: &[&Touched], repository: &Repository) -> Result<(), Failure> {
        let all = beside_each_other(files.iter().flat_map(|file| contents(file)).collect());
        let texts = self.pace.read(&all.iter().map(|(id, _)| *id).collect::<Vec<_>>(), repository)?;
        let texts: FxHashMap<&str, &Bytes> = all.iter().map(|(id, _)| *id).zip(&texts).collect();
        let are_alike = |file: &Touched| {
            let text = |id| texts.get(id).copied();
            let texts = ids(file).and_then(|(old, new)| Some(Pair::new(text(old)?, text(new)?)));
            texts.is_some_and(|texts| say_the_same(&file.path, texts))
        };
        let alike = parallel::map(files, |file| are_alike(file));
        let alike = files.iter().zip(alike).filter_map(|(file, are_alike)| ids(file).filter(|_| are_alike));
        self.alike.extend(alike.map(|(old, new)| (old.to_owned(), new.to_owned())));
        let edited = files.iter().filter(|file| !self.are_alike(file));
        let wanted = edited.flat_map(|file| contents(file));
        let wanted: OrderedMap<&str, &str> = wanted.filter(|(id, _)| !self.of_contents.contains_key(*id)).collect();
        self.find_all(wanted.into_iter().filter_map(|(id, path)| Some((id, path, *texts.get(id)?))).collect());
        Ok(())
    }

    /// Whether a file says after an edit what it said before.
    fn are_alike(&self, file: &Touched) -> bool {
        ids(file).is_some_and(|(old, new)| self.alike.contains(&(old.to_owned(), new.to_owned())))
    }

    /// Reads contents that are not known yet and that matter.
    fn read<'s>(
        &mut self,
        contents: impl Iterator<Item = (&'s str, &'s str)>,
        repository: &Repository,
        matters: &(dyn Fn(&[u8]) -> bool + Sync),
    ) -> Result<(), Failure> {
        let wanted = beside_each_other(contents.filter(|(id, _)| !self.of_contents.contains_key(*id)).collect());
        let bytes = self.pace.read(&wanted.iter().map(|(id, _)| *id).collect::<Vec<_>>(), repository)?;
        let matters = parallel::map(&bytes, |bytes| matters(bytes));
        let read = wanted.into_iter().zip(&bytes).zip(matters).filter(|(_, matters)| *matters);
        self.find_all(read.map(|(((id, path), bytes), _)| (id, path, bytes)).collect());
        Ok(())
    }

    /// Finds the parts of texts, by the ids of these and their paths.
    fn find_all(&mut self, texts: Vec<(&str, &str, &Bytes)>) {
        let of_text = |(id, path, bytes): &(&str, &str, &Bytes)| {
            Some(((*id).to_owned(), (Format::of_path(path)?, self.find(path, bytes))))
        };
        let found = parallel::map(&texts, of_text);
        self.of_contents.extend(found.into_iter().flatten());
    }

    /// The parts of a text.
    fn find(&self, path: &str, bytes: &Bytes) -> Vec<Parts> {
        let parts = |bytes: &Bytes| {
            let of_data = used(path, bytes).into_iter().filter(|part| part.role != Role::Name);
            Arc::new(of_data.collect::<Vec<_>>())
        };
        let declarations = if bytes.len() < LARGE { None } else { declarations(path, bytes) };
        let Some(declarations) = declarations else { return vec![parts(bytes)] };
        let known = || self.of_declarations.lock().unwrap_or_else(PoisonError::into_inner);
        let of_declaration = |text: Vec<u8>| {
            let id = ContentId::of(&text);
            let found = known().get(&id).cloned();
            found.unwrap_or_else(|| {
                let found = parts(&Bytes::from(text));
                known().entry(id).or_insert(found).clone()
            })
        };
        declarations.into_iter().map(of_declaration).collect()
    }
}

/// Name and type of those that had it.
type Owners = OrderedSet<(String, String)>;

/// Looks for what the new side takes, the old side does not use, and a commit before `base` had freed. What comes back
/// under its old name and type is no reuse.
///
/// # Errors
/// When history cannot be read.
pub(super) fn reused(sides: Pair<&Snapshot>, base: &str, repository: &Repository) -> Result<Reused, Failure> {
    let mut taken = taken(sides);
    if taken.is_empty() {
        return Ok(Reused::default());
    }
    let steps = repository.steps(base, MOST_COMMITS)?;
    let mut found = Reused { has_more: steps.has_more, ..Reused::default() };
    let mut pending: OrderedSet<Key> = taken.keys().cloned().collect();
    let mut rest = steps.steps.as_slice();
    let mut pace = Pace::default();
    while !rest.is_empty() && !pending.is_empty() {
        let (some, others) = rest.split_at(pace.few(rest));
        rest = others;
        let contents = Contents::read(some, &pending, repository, &mut pace)?;
        for step in some {
            for (key, owners) in contents.freed(step, &pending) {
                pending.remove(&key);
                let now = taken.remove(&key).unwrap_or_default();
                for (site, part) in now.into_iter().filter(|(_, part)| !is_one_of(part, &owners)) {
                    let change = change(&key, &site, &part, &owners, &step.commit);
                    found.freed.push(Taken { path: change.path.clone(), site, commit: step.commit.clone() });
                    found.changes.push(change);
                }
            }
        }
    }
    Ok(found)
}

/// What each part of the elements in some files was known by, in all of history, where it is not any more or where it is
/// something else.
///
/// # Errors
/// When history cannot be read.
pub(super) fn ever_used(
    head: &str,
    repository: &Repository,
    is_asked: &dyn Fn(&str) -> bool,
) -> Result<Vec<Freed>, Failure> {
    let steps = repository.steps(head, MOST_COMMITS)?.steps;
    let mut known = Known::default();
    // Of each path the newest content, which says what is used today.
    let mut newest: OrderedMap<&str, Option<&str>> = OrderedMap::new();
    let mut before: OrderedMap<Key, Vec<Owner>> = OrderedMap::new();
    let mut rest = steps.as_slice();
    while !rest.is_empty() {
        let (some, others) = rest.split_at(known.pace.few(rest));
        rest = others;
        // Where nothing was there before, nothing was let go.
        let may_let_go = |step: &&Step| step.files.iter().any(|file| file.old.is_some());
        let files = some.iter().filter(may_let_go).flat_map(|step| &step.files).filter(|file| is_asked(&file.path));
        known.read_edits(&files.collect::<Vec<_>>(), repository)?;
        for step in some {
            for file in step.files.iter().filter(|file| is_asked(&file.path)) {
                newest.entry(&file.path).or_insert(file.new.as_deref());
            }
            for (key, owners) in let_go(step, &known) {
                let until = format!("{} ({})", step.commit.id.get(..7).unwrap_or_default(), step.commit.day);
                let owner = |(name, ty): (String, String)| Owner {
                    name: if ty.is_empty() { name } else { format!("{ty} {name}") },
                    until: until.clone(),
                };
                before.entry(key).or_default().extend(owners.into_iter().map(owner));
            }
        }
    }
    let now = used_now(&newest, &before, repository, &mut known)?;
    let mut freed: Vec<Freed> = before.into_iter().filter_map(|(key, owners)| freed(key, owners, &now)).collect();
    // In the order of the numbers, which are texts where they are ids.
    freed.sort_in_order_by_cached_key(|one| {
        let number = one.number.parse::<i128>().ok();
        (one.format.clone(), one.element.clone(), one.role.clone(), number, one.number.clone())
    });
    Ok(freed)
}

/// What a number had and has; `None` where what has it now is what had it always.
fn freed(key: Key, mut owners: Vec<Owner>, now: &OrderedMap<Key, Owners>) -> Option<Freed> {
    let spelled = |(name, ty): &(String, String)| if ty.is_empty() { name.clone() } else { format!("{ty} {name}") };
    let now = now.get(&key).and_then(|owners| owners.first()).map(spelled).unwrap_or_default();
    owners.dedup_by(|one, other| one.name == other.name);
    owners.retain(|owner| owner.name != now);
    let (format, element, role, number) = key;
    (!owners.is_empty()).then(|| Freed {
        format: format.name().to_owned(),
        element,
        role: role.word().to_owned(),
        number,
        owners,
        now,
    })
}

/// Who has today what was let go once.
fn used_now(
    newest: &OrderedMap<&str, Option<&str>>,
    before: &OrderedMap<Key, Vec<Owner>>,
    repository: &Repository,
    known: &mut Known,
) -> Result<OrderedMap<Key, Owners>, Failure> {
    // What is made of a name begins with it.
    let names: FxHashSet<&[u8]> =
        before.keys().filter_map(|(_, element, ..)| words(simple(element).as_bytes()).next()).collect();
    let elements: FxHashSet<&str> = before.keys().map(|(_, element, ..)| &**element).collect();
    let names_one = |text: &[u8]| words(text).any(|word| names.contains(word));
    let contents: Vec<(&str, &str)> = newest.iter().filter_map(|(path, id)| Some(((*id)?, *path))).collect();
    let mut rest = contents.as_slice();
    while !rest.is_empty() {
        let (some, others) = rest.split_at(known.pace.0.min(rest.len()));
        rest = others;
        known.read(some.iter().copied(), repository, &names_one)?;
    }
    let mut now: OrderedMap<Key, Owners> = OrderedMap::new();
    for (format, parts) in contents.iter().filter_map(|(id, _)| known.of_contents.get(*id)) {
        for part in parts.iter().flat_map(|parts| &**parts).filter(|part| elements.contains(&*part.element)) {
            let key = key(*format, part);
            if before.contains_key(&key) {
                now.entry(key).or_default().insert((part.name.clone(), part.ty.clone()));
            }
        }
    }
    Ok(now)
}

/// The words of a text.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    text.split(move |byte| !is_of_word(byte)).filter(|word| !word.is_empty())
}

/// Contents by their ids with their paths, those of one path beside each other: so git reads them sooner.
fn beside_each_other<'s>(contents: OrderedMap<&'s str, &'s str>) -> Vec<(&'s str, &'s str)> {
    let mut contents: Vec<(&str, &str)> = contents.into_iter().collect();
    contents.sort_in_order_by_key(|(_, path)| *path);
    contents
}

/// What a file held before and after, by its id, with its path.
fn contents(file: &Touched) -> impl Iterator<Item = (&str, &str)> {
    file.old.iter().chain(&file.new).map(|id| (id.as_str(), file.path.as_str()))
}

/// The ids of what a file held before and after, where it was there.
fn ids(file: &Touched) -> Option<(&str, &str)> {
    Some((file.old.as_deref()?, file.new.as_deref()?))
}

/// What a commit took a number from, or gave to something else: what its files had before and none has after.
fn let_go(step: &Step, known: &Known) -> OrderedMap<Key, Owners> {
    let edited: Vec<&Touched> = step.files.iter().filter(|file| !known.are_alike(file)).collect();
    let all = |id: fn(&Touched) -> &Option<String>| {
        let contents = edited.iter().filter_map(move |file| known.of_contents.get(id(file).as_ref()?));
        contents.flat_map(|(format, parts)| parts.iter().map(|parts| (*format, parts)))
    };
    // Declarations that are as they were let nothing go.
    let kept: FxHashSet<*const Vec<Used>> = all(|file| &file.new).map(|(_, parts)| Arc::as_ptr(parts)).collect();
    let before = all(|file| &file.old).filter(|(_, parts)| !kept.contains(&Arc::as_ptr(parts)));
    let before: Vec<(Format, &Used)> =
        before.flat_map(|(format, parts)| parts.iter().map(move |one| (format, one))).collect();
    let elements: FxHashSet<&str> = before.iter().map(|(_, part)| &*part.element).collect();
    let after = all(|file| &file.new).flat_map(|(format, parts)| parts.iter().map(move |one| (format, one)));
    type Part<'p> = (Format, &'p str, Role, &'p str, &'p str, &'p str);
    fn spelled((format, part): (Format, &Used)) -> Part<'_> {
        (format, &part.element, part.role, &part.slot, &part.name, &part.ty)
    }
    let after: FxHashSet<Part<'_>> = after.filter(|(_, part)| elements.contains(&*part.element)).map(spelled).collect();
    let mut gone: OrderedMap<Key, Owners> = OrderedMap::new();
    for (format, part) in before.into_iter().filter(|one| !after.contains(&spelled(*one))) {
        gone.entry(key(format, part)).or_default().insert((part.name.clone(), part.ty.clone()));
    }
    gone
}

/// What the new side knows parts by that the old side does not. What stands in files that are the same is in both.
fn taken(sides: Pair<&Snapshot>) -> OrderedMap<Key, Vec<(Site, Used)>> {
    let mut taken: OrderedMap<Key, Vec<(Site, Used)>> = OrderedMap::new();
    let differing = sides.new.differing(sides.old);
    let files = [sides.old, sides.new].into_iter().flat_map(|side| differing.iter().filter_map(|path| side.get(path)));
    Bytes::read_all(files.map(|file| &file.bytes));
    for path in differing.iter().filter(|path| sides.new.judges(path)) {
        for (key, part) in parts(path, sides.new.get(path).map(|file| &file.bytes)) {
            taken.entry(key).or_default().push((Site { file: Arc::clone(path), span: part.span }, part));
        }
    }
    for path in &differing {
        for (key, _) in parts(path, sides.old.get(path).map(|file| &file.bytes)) {
            taken.remove(&key);
        }
    }
    taken
}

fn parts(path: &str, bytes: Option<&Bytes>) -> Vec<(Key, Used)> {
    let Some((format, bytes)) = Format::of_path(path).zip(bytes) else { return Vec::new() };
    used(path, bytes).into_iter().map(|part| (key(format, &part), part)).collect()
}

fn key(format: Format, part: &Used) -> Key {
    (format, part.element.clone(), part.role, part.slot.clone())
}

/// Whether a part is one that was there before. Types are compared by the last part of their names: the way to a type may
/// be written in several ways.
fn is_one_of(part: &Used, owners: &Owners) -> bool {
    let last = |ty: &str| ty.rsplit('.').next().unwrap_or_default().to_owned();
    owners.iter().any(|(name, ty)| *name == part.name && last(ty) == last(&part.ty))
}

/// What of some contents matters.
struct Contents(FxHashMap<String, OrderedMap<Key, Owners>>);

impl Contents {
    fn read(
        steps: &[Step],
        pending: &OrderedSet<Key>,
        repository: &Repository,
        pace: &mut Pace,
    ) -> Result<Contents, Failure> {
        let mut wanted: OrderedMap<&str, &str> = OrderedMap::new();
        for file in steps.iter().flat_map(|step| &step.files) {
            let format = Format::of_path(&file.path);
            if pending.iter().any(|(of, ..)| Some(*of) == format) {
                wanted.extend(contents(file));
            }
        }
        let wanted = beside_each_other(wanted);
        let ids: Vec<&str> = wanted.iter().map(|(id, _)| *id).collect();
        let bytes = pace.read(&ids, repository)?;
        let names: OrderedSet<&str> = pending.iter().map(|(_, element, ..)| simple(element)).collect();
        let finders: Vec<memchr::memmem::Finder<'_>> =
            names.iter().map(|name| memchr::memmem::Finder::new(*name)).collect();
        let matters = |bytes: &Bytes| finders.iter().any(|finder| finder.find(bytes).is_some());
        let known = wanted.into_iter().zip(&bytes).filter(|(_, bytes)| matters(bytes)).map(|((id, path), bytes)| {
            let mut owners: OrderedMap<Key, Owners> = OrderedMap::new();
            for (key, part) in parts(path, Some(bytes)).into_iter().filter(|(key, _)| pending.contains(key)) {
                owners.entry(key).or_default().insert((part.name, part.ty));
            }
            (id.to_owned(), owners)
        });
        Ok(Contents(known.collect()))
    }

    /// What a commit freed: what its files had before and none of them has after, so that a move frees nothing.
    fn freed(&self, step: &Step, pending: &OrderedSet<Key>) -> OrderedMap<Key, Owners> {
        let of = |id: fn(&Touched) -> &Option<String>| {
            let mut all: OrderedMap<Key, Owners> = OrderedMap::new();
            for known in step.files.iter().filter_map(|file| self.0.get(id(file).as_ref()?)) {
                for (key, owners) in known.iter().filter(|(key, _)| pending.contains(key)) {
                    all.entry(key.clone()).or_default().extend(owners.iter().cloned());
                }
            }
            all
        };
        let after = of(|file| &file.new);
        let mut before = of(|file| &file.old);
        before.retain(|key, _| !after.contains_key(key));
        before
    }
}

/// The last part of a full name: what stands in the text at its declaration.
fn simple(element: &str) -> &str {
    let plain = element.trim_end_matches("()");
    plain.rsplit('.').next().unwrap_or(plain)
}

fn change(key: &Key, site: &Site, part: &Used, owners: &Owners, commit: &Commit) -> Change {
    let (_, element, role, slot) = key;
    let (name, ty) = owners.first().cloned().unwrap_or_default();
    let owner = if ty.is_empty() { name } else { format!("{ty} {name}") };
    let subject = match commit.subject.trim() {
        "" => String::new(),
        subject => format!(", \"{}\"", crate::text::elide(subject, 120)),
    };
    let since = format!("{} ({}{subject})", commit.id.get(..7).unwrap_or(&commit.id), commit.day);
    let facts = Facts::none()
        .with(FactKey::Role, role.word())
        .with(FactKey::Number, slot.clone())
        .with(FactKey::OldName, owner)
        .with(FactKey::NewName, part.name.clone())
        .with(FactKey::NewType, part.ty.clone())
        .with(FactKey::Since, since);
    Change {
        kind: ChangeKind::NumberReused,
        path: format!("{element}.{}", part.name),
        identity: Identity(format!("reused {element} {} {slot}", role.word())),
        at: Pair::new(None, Some(site.clone())),
        facts,
        suggestion: None,
        members: Arc::default(),
        left_out: Default::default(),
        heading: None,
        reports: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_large_contents_few_are_read_at_a_time() {
        let mut pace = Pace::default();
        let mut after = |texts: usize, bytes: usize| {
            pace.note(texts, bytes);
            pace.0
        };
        assert_eq!([after(64, 64 << 14), after(512, 512 << 14), after(4_000, 0)], [512, 4_000, 4_000]);
        assert_eq!([after(64, 64 << 22), after(1, 1 << 32), after(1, 1 << 22)], [64, 1, 8]);
    }
}
