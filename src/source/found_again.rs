//! Schemas that a change takes out of sight: moved to where nothing is judged, or found again under a name that is none
//! of a schema.

use std::cmp::Ordering;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::comments::Notation;
use super::git::Repository;
use super::listing::Held;
use super::others::{LARGEST, Looked, Other, look, others};
use super::place::Place;
use crate::change::Pair;
use crate::failure::Failure;
use crate::formats::{Format, declared, declared_outside, formats_of};
use crate::ordered::{InOrder, OrderedMap, OrderedSet};
use crate::snapshot::{Bytes, ContentId, Hidden, Lent, Snapshot, Unseen};
use crate::syntax::problem::NotChecked;

/// Has the new side's file judged where a judged schema went and stands, by what it declares or by its words, in a file
/// that is not selected: what was judged is judged, wherever it goes.
pub(super) fn claim_moved(snapshots: &mut Pair<Snapshot>) {
    let unselected =
        |path: &&Arc<str>| snapshots.new.lent(path) == Some(&Lent::Unselected) && differs(snapshots.as_ref(), path);
    let candidates: OrderedSet<&Arc<str>> = snapshots.new.iter().map(|(path, _)| path).filter(unselected).collect();
    if candidates.is_empty() {
        return;
    }
    let mut moved = declared_again(snapshots.as_ref(), &candidates);
    let lost = Lost::of(&snapshots.old, gone(snapshots.as_ref()));
    for path in candidates.iter().filter(|_| !lost.files.is_empty()) {
        let Some(file) = snapshots.new.get(path) else { continue };
        if lost.may_be_of(file.bytes.len() as u64) && !lost.found_in(&file.bytes).is_empty() {
            moved.push((*path).clone());
        }
    }
    moved.iter().for_each(|path| snapshots.new.claim(path));
}

fn differs(sides: Pair<&Snapshot>, path: &str) -> bool {
    sides.old.get(path).map(|file| file.id) != sides.new.get(path).map(|file| file.id)
}

/// Files that declare what judged files of the old side declared and those of the new side do not.
fn declared_again(sides: Pair<&Snapshot>, candidates: &OrderedSet<&Arc<str>>) -> Vec<Arc<str>> {
    let judged = |side: &Snapshot| schemas(side, &|path| side.judges(path) && differs(sides, path));
    let lost = judged(sides.old);
    if lost.is_empty() {
        return Vec::new();
    }
    let kept = judged(sides.new);
    // Where nothing that stands by itself is gone, nothing went elsewhere.
    if let (Some(before), Some(after)) = (declared_outside_of(&lost), declared_outside_of(&kept))
        && before.is_subset(&after)
    {
        return Vec::new();
    }
    let names = |side: &Snapshot| declared(side).into_iter().map(|(_, name)| name).collect::<OrderedSet<_>>();
    let (before, after) = (names(&lost), names(&kept));
    let found = declared(&schemas(sides.new, &|path| candidates.contains(&Arc::from(path)))).into_iter();
    let found = found.filter(|(_, name)| before.contains(name) && !after.contains(name));
    found.map(|(file, _)| Arc::from(file)).collect()
}

/// Some of the schemas of a side, as a side of their own.
fn schemas(side: &Snapshot, is_meant: &dyn Fn(&str) -> bool) -> Snapshot {
    let mut some = side.with_paths(|path| (Format::is_schema(path) && is_meant(path)).then(|| Arc::from(path)));
    let paths: Vec<Arc<str>> = some.iter().map(|(path, _)| path.clone()).collect();
    paths.iter().for_each(|path| some.claim(path));
    some
}

/// Whether all that a file declared is declared by judged files of the new side that did not declare it before: it moved
/// there, and is compared there.
fn is_declared_elsewhere(sides: Pair<&Snapshot>, path: &str) -> bool {
    let gone = declared(&schemas(sides.old, &|other| other == path));
    let judged = |side: &Snapshot| declared(&schemas(side, &|path| side.judges(path) && differs(sides, path)));
    let before: OrderedSet<(String, String)> = judged(sides.old).into_iter().collect();
    let after = judged(sides.new).into_iter().filter(|known| !before.contains(known));
    let fresh: OrderedSet<String> = after.map(|(_, name)| name).collect();
    !gone.is_empty() && gone.iter().all(|(_, name)| fresh.contains(name))
}

/// What files declare that is not inside of something else, where their texts show it at a glance.
fn declared_outside_of(side: &Snapshot) -> Option<OrderedSet<String>> {
    let of_file = |path: &str, bytes: &[u8]| declared_outside(Format::of_path(path)?, bytes);
    let names = side.iter().map(|(path, file)| of_file(path, &file.bytes));
    Some(names.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Says where a judged schema went and much of it stands under a name that is none of a schema; and where that could not be
/// told, because too much else came.
pub(super) fn hide_renamed(
    snapshots: &mut Pair<Snapshot>,
    places: Pair<&Place>,
    repository: Option<&Repository>,
) -> Result<Option<NotChecked>, Failure> {
    let lost = Lost::of(&snapshots.old, gone(snapshots.as_ref()));
    if lost.files.is_empty() {
        return Ok(None);
    }
    let before = match places.old {
        Place::GitFolder { id, path, .. } if path.is_empty() => Some(id.as_str()),
        _ => None,
    };
    let largest = lost.largest.min(LARGEST);
    let (new, old) = (others(places.new, repository, before, largest)?, others(places.old, repository, None, largest)?);
    let (Some(new), Some(old)) = (new, old) else { return Ok(None) };
    // What is judged is a schema, whatever its name says.
    let is_judged = |path: &str| snapshots.new.get(path).is_some() && snapshots.new.judges(path);
    let is_other = |path: &String, other: &Other| old.get(path) != Some(other) && !is_judged(path);
    let changed: Vec<(&String, &Other)> = new.iter().filter(|(path, other)| is_other(path, other)).collect();
    let is_new = |name: &str, bytes: &[u8]| match old.get(name) {
        None => true,
        Some(Other::Held(Held::Disk(disk))) => std::fs::read(disk).is_ok_and(|before| before != bytes),
        Some(Other::Held(Held::Blob(id))) => id.content() != Some(ContentId::of(bytes)),
        Some(Other::Packed(before)) => **before != *bytes,
    };
    let found_in = |name: &str, bytes: &[u8]| {
        let found = lost.found_in(bytes);
        if found.is_empty() || is_new(name, bytes) { found } else { Vec::new() }
    };
    let looked = look(&changed, repository, &|size| lost.may_be_of(size), &found_in)?;
    let mut without: Vec<&str> = Vec::new();
    for (at, (path, _)) in lost.files.iter().enumerate() {
        let Some((name, _)) = looked.made.iter().find(|(_, found)| found.contains(&at)) else {
            without.push(path);
            continue;
        };
        if !is_declared_elsewhere(snapshots.as_ref(), path) {
            let unseen = Unseen {
                what: Hidden::Renamed,
                identity: format!("now `{name}`"),
                remedy: format!("Give `{name}` the name of a schema again, or let readers of the old one go first."),
                is_selected: true,
            };
            snapshots.new.hide(path.clone(), unseen);
        }
    }
    Ok(not_looked_for(&without, &looked))
}

/// What is said where some of the files in which schemas may stand were not looked into.
fn not_looked_for<T>(lost: &[&str], looked: &Looked<T>) -> Option<NotChecked> {
    let first = *lost.first().filter(|_| looked.is_cut)?;
    let others = lost.len() - 1;
    let all = if others == 0 { String::new() } else { format!(" (and {others} more that went)") };
    Some(NotChecked {
        file: first.to_owned(),
        what: format!(
            "whether this schema{all} stands under a name that is none of a schema: too many files came or changed to look into all of them"
        ),
        help: "make the change of schemas by itself, or look into these files".to_owned(),
    })
}

/// The judged schemas of the old side that the new side does not have, under no name of a schema.
fn gone<'s>(sides: Pair<&'s Snapshot>) -> Vec<Arc<str>> {
    let is_schema = |side: &Snapshot, path: &str| !formats_of(side, path).is_empty();
    let differing = sides.old.differing(sides.new);
    let absent = differing.iter().copied().filter(|path| sides.new.get(path).is_none());
    let absent: Vec<&Arc<str>> =
        absent.filter(|path| is_schema(sides.old, path)).filter(|path| sides.old.judges(path)).collect();
    if absent.is_empty() {
        return Vec::new();
    }
    let is_new = |path: &&Arc<str>| sides.new.judges(path) && sides.old.get(path).is_none();
    let added: Vec<&Arc<str>> =
        differing.into_iter().filter(|path| is_schema(sides.new, path)).filter(is_new).collect();
    let bytes = |side: &'s Snapshot, paths: &[&'s Arc<str>]| -> Vec<&'s Bytes> {
        paths.iter().filter_map(|path| side.get(path)).map(|file| &file.bytes).collect()
    };
    // What came under another name as it was need not be read.
    let ids = |side: &'s Snapshot, paths: &[&'s Arc<str>]| -> FxHashSet<ContentId> {
        paths.iter().filter_map(|path| side.get(path)).map(|file| file.id).collect()
    };
    let (went, came) = (ids(sides.old, &absent), ids(sides.new, &added));
    let is_in = |side: &'s Snapshot, ids: &FxHashSet<ContentId>, path: &Arc<str>| {
        side.get(path).is_some_and(|file| ids.contains(&file.id))
    };
    let absent: Vec<&Arc<str>> = absent.into_iter().filter(|path| !is_in(sides.old, &came, path)).collect();
    let added: Vec<&Arc<str>> = added.into_iter().filter(|path| !is_in(sides.new, &went, path)).collect();
    if absent.is_empty() {
        return Vec::new();
    }
    Bytes::read_all(bytes(sides.old, &absent).into_iter().chain(bytes(sides.new, &added)));
    let lost = Lost::of(sides.old, absent.into_iter().cloned().collect());
    let mut moved: OrderedSet<usize> = OrderedSet::new();
    for file in added.iter().filter_map(|path| sides.new.get(path)) {
        moved.extend(lost.found_in(&file.bytes));
    }
    let left = lost.files.into_iter().enumerate().filter(|(at, _)| !moved.contains(at));
    left.map(|(_, (path, _))| path).collect()
}

/// Schemas that went, by what they say.
#[derive(Debug, Default)]
struct Lost {
    vocabulary: Vocabulary,
    files: Vec<(Arc<str>, Readings)>,
    /// The smallest and the largest file in which half of one of them may stand, and little else but comments.
    smallest: u64,
    largest: u64,
}

impl Lost {
    /// A file that is so many times larger than a schema that went, and larger than this, is not that schema.
    const MANY: u64 = 16;
    const LARGE: u64 = 64 << 10;

    fn of(side: &Snapshot, paths: Vec<Arc<str>>) -> Self {
        let mut lost = Lost { smallest: u64::MAX, ..Lost::default() };
        for path in paths {
            let Some(file) = side.get(&path) else { continue };
            let own = formats_of(side, &path).first().map_or(Notation::ANY, |format| Notation::of(*format, &path));
            let readings: OrderedSet<Notation> = [Notation::ANY, own].into_iter().collect();
            let read = |notation: Notation| (notation, lost.vocabulary.learn(&file.bytes, notation));
            let readings: Readings = readings.into_iter().map(read).collect();
            // There is a byte between two words.
            let words = readings.iter().map(|(_, words)| words.all as u64).min().unwrap_or_default();
            lost.smallest = lost.smallest.min(words).max(1);
            lost.largest = lost.largest.max(Self::LARGE + Self::MANY * file.bytes.len() as u64);
            lost.files.push((path, readings));
        }
        lost
    }

    /// Whether a file of that size may be one of them.
    fn may_be_of(&self, size: u64) -> bool {
        (self.smallest..=self.largest).contains(&(size + 1))
    }

    /// Those of which a text says at least half, and little else.
    fn found_in(&self, text: &[u8]) -> Vec<usize> {
        let notations: OrderedSet<Notation> =
            self.files.iter().flat_map(|(_, readings)| readings).map(|(notation, _)| *notation).collect();
        let words: OrderedMap<Notation, Words> =
            notations.into_iter().map(|notation| (notation, self.vocabulary.words(text, notation))).collect();
        let is_alike = |readings: &Readings| readings.iter().any(|(notation, lost)| lost.is_half_of(&words[notation]));
        let alike = self.files.iter().enumerate().filter(|(_, (_, readings))| is_alike(readings));
        alike.map(|(at, _)| at).collect()
    }
}

/// The words of a text, read with the comments of its own language and with those of any: where it stands elsewhere, it is
/// a part of a text of its language, or of another one.
type Readings = Vec<(Notation, Words)>;

/// The words that occur in some texts, each with its number.
#[derive(Debug, Default)]
struct Vocabulary {
    numbers: FxHashMap<Vec<u8>, u32>,
}

/// The words of a text by their numbers, each with how often it occurs.
#[derive(Debug, Default)]
struct Words {
    /// In the order of the numbers; without words that the vocabulary does not know.
    counts: Vec<(u32, usize)>,
    all: usize,
}

/// The words of a text without its comments, one after the other.
fn each_word(bytes: &[u8], notation: Notation, mut take: impl FnMut(&[u8])) {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    notation.uncommented(bytes).split(|byte| !is_part(byte)).filter(|word| !word.is_empty()).for_each(&mut take);
}

impl Vocabulary {
    /// The words of a text, which are known from now on.
    fn learn(&mut self, bytes: &[u8], notation: Notation) -> Words {
        let mut numbers: Vec<u32> = Vec::new();
        each_word(bytes, notation, |word| {
            let known = self.numbers.get(word).copied();
            numbers.push(known.unwrap_or_else(|| {
                let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
                self.numbers.insert(word.to_vec(), next);
                next
            }));
        });
        let all = numbers.len();
        Words::of(numbers, all)
    }

    /// The words of a text.
    fn words(&self, bytes: &[u8], notation: Notation) -> Words {
        let (mut numbers, mut all): (Vec<u32>, usize) = (Vec::new(), 0);
        each_word(bytes, notation, |word| {
            all += 1;
            numbers.extend(self.numbers.get(word));
        });
        Words::of(numbers, all)
    }
}

impl Words {
    fn of(mut numbers: Vec<u32>, all: usize) -> Self {
        numbers.sort_in_order();
        let counts = numbers.chunk_by(|one, next| one == next).map(|same| (same[0], same.len())).collect();
        Words { counts, all }
    }

    /// Whether at least half of the words of either stand in the other.
    fn is_half_of(&self, other: &Words) -> bool {
        let wanted = self.all.max(other.all);
        if self.all.min(other.all) * 2 < wanted {
            return false;
        }
        // What could be common at most, as far as both were looked at.
        let (mut common, mut left) = (0, self.all);
        let (mut ours, mut theirs) = (self.counts.as_slice(), other.counts.as_slice());
        while let ([(one, here), ours_on @ ..], [(two, there), theirs_on @ ..]) = (ours, theirs) {
            match one.cmp(two) {
                Ordering::Less => {
                    (ours, left) = (ours_on, left - here);
                    if (common + left) * 2 < wanted {
                        return false;
                    }
                }
                Ordering::Greater => theirs = theirs_on,
                Ordering::Equal => {
                    (ours, theirs, left) = (ours_on, theirs_on, left - here);
                    common += here.min(there);
                }
            }
        }
        common > 0 && common * 2 >= wanted
    }
}

#[cfg(test)]
mod tests {
    use super::{Notation, Vocabulary};

    #[test]
    fn texts_are_the_same_by_half_of_their_words() {
        let mut vocabulary = Vocabulary::default();
        for (one, other, expected) in [
            ("message A { int32 a = 1; }", "message A { int32 a = 1; }", true),
            ("message A { int32 a = 1; }", "// moved\nmessage A { int32 a = 1; string b = 2; }", true),
            ("a a a b", "a b b b", true),
            ("a a a b", "a c c d", false),
            ("a b", "a b c d e", false),
            ("a b c", "x y z", false),
            ("/* l i c e n c e\n */ a b", "// l i c e n c e\nc d", false),
            ("# l i c e n c e\na b", "<!-- l i c e n c e --> c d", false),
            ("# l i c e n c e\na b // that", "/* other */ a b", true),
            ("a \"http://b.c\" d", "a \"http://b.c\" e", true),
            ("a#b c#d", "a#b c#e", true),
            ("/* a b c d", "a b c d", false),
            ("", "", false),
        ] {
            let [one, other] = [one, other].map(|text| vocabulary.learn(text.as_bytes(), Notation::ANY));
            assert_eq!((one.is_half_of(&other), other.is_half_of(&one)), (expected, expected), "{one:?} {other:?}");
        }
    }
}
