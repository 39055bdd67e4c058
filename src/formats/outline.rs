//! What texts say at a glance, known by what identifies the texts: found out once for any number of versions and runs.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::ordered::{InOrder, OrderedMap};
use crate::snapshot::ContentId;

/// More outlines than this are not kept from one run to the next: those that the last run asked for are.
const MOST_KEPT: usize = 50_000;

/// What ties a file to others, imported or not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ties {
    /// The packages, or what the language has instead, that it declares something in: what is said of a package holds for
    /// all of its files.
    pub(crate) packages: Vec<String>,
    /// What it declares, by full names: where two files declare the same, it matters that there are two.
    pub(crate) names: Vec<String>,
    /// Whether data of any type may stand in what it declares.
    pub(crate) carries_any: bool,
}

/// What a text says at a glance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// The paths that it imports, in the order written.
    pub(crate) imports: Vec<String>,
    /// What ties it to others; that data of any type may stand in it means that it is worth to be asked.
    pub(crate) ties: Arc<Ties>,
}

/// The outlines of one language.
#[derive(Debug, Default)]
struct OfLanguage {
    by_id: FxHashMap<ContentId, Kept>,
    has_news: bool,
}

#[derive(Debug)]
struct Kept {
    outline: Arc<Outline>,
    /// Whether this run asked for it.
    is_used: bool,
}

/// Outlines by the language and the content of the texts; clones share what they know.
#[derive(Debug, Clone, Default)]
pub struct Outlines {
    known: Arc<Mutex<OrderedMap<&'static str, OfLanguage>>>,
    keeper: Option<Arc<dyn Keeper>>,
    whole: Option<Arc<Mutex<Last>>>,
    parts: Option<Arc<Mutex<Last>>>,
    texts: Option<Arc<Mutex<Last>>>,
}

/// What was found out of whole versions, of parts of two or of two texts, by what identifies all of their files: the last
/// ones.
#[derive(Debug, Default)]
struct Last {
    by_id: FxHashMap<ContentId, Arc<dyn Any + Send + Sync>>,
    /// In the order in which they were noted.
    ids: VecDeque<ContentId>,
}

/// So many whole versions are remembered.
const MOST_WHOLE: usize = 16;

/// So many parts of two versions are remembered.
const MOST_PARTS: usize = 2048;

/// So many texts are remembered with what they were before.
const MOST_TEXTS: usize = 1 << 16;

/// What keeps outlines from one run to the next.
pub trait Keeper: std::fmt::Debug + Send + Sync {
    /// What was written under a name.
    fn read(&self, name: &str) -> Option<Vec<u8>>;

    /// Writes something under a name, in the place of what is there.
    fn write(&self, name: &str, bytes: &[u8]);
}

impl Outlines {
    /// Outlines that are kept from one run to the next. What is kept is an offer: a run that cannot read it, or finds
    /// something else there, finds out the same.
    pub fn kept_by(keeper: Arc<dyn Keeper>) -> Self {
        Outlines { keeper: Some(keeper), ..Outlines::default() }
    }

    /// The same, for a run that compares many versions, each with several others: what is found out of whole versions and of
    /// parts of two is remembered as well, and so is what was found out of two texts of a file.
    #[must_use]
    pub fn of_many_versions(self) -> Self {
        Outlines { whole: Some(Arc::default()), parts: Some(Arc::default()), texts: Some(Arc::default()), ..self }
    }

    /// Whether anything is remembered of whole versions.
    pub(crate) fn are_of_many_versions(&self) -> bool {
        self.whole.is_some()
    }

    /// What was found out of a whole version.
    pub(crate) fn of_whole<T: Any + Send + Sync>(&self, id: ContentId) -> Option<Arc<T>> {
        find(self.whole.as_ref()?, id)
    }

    /// What was found out last of a whole version, whichever it was.
    pub(crate) fn last_whole<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let whole = self.whole.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        let last = whole.by_id.get(whole.ids.back()?)?.clone();
        drop(whole);
        last.downcast().ok()
    }

    /// Notes what was found out of a whole version.
    pub(crate) fn note_whole<T: Any + Send + Sync>(&self, id: ContentId, found: Arc<T>) {
        self.whole.iter().for_each(|whole| note(whole, (id, found.clone()), MOST_WHOLE));
    }

    /// What was found out of a part of two versions.
    pub(crate) fn of_part<T: Any + Send + Sync>(&self, id: ContentId) -> Option<Arc<T>> {
        find(self.parts.as_ref()?, id)
    }

    /// Notes what was found out of a part of two versions.
    pub(crate) fn note_part<T: Any + Send + Sync>(&self, id: ContentId, found: Arc<T>) {
        self.parts.iter().for_each(|parts| note(parts, (id, found.clone()), MOST_PARTS));
    }

    /// What was found out of two texts of a file when other versions were compared, or is found out now; `what` says what it
    /// is, and in which language.
    pub(crate) fn told_of_texts<T: Any + Send + Sync + Clone>(
        &self,
        what: &str,
        sides: [ContentId; 2],
        find_out: impl FnOnce() -> T,
    ) -> T {
        let Some(texts) = &self.texts else { return find_out() };
        let id = ContentId::of(&[what.as_bytes(), &sides[0].0, &sides[1].0].concat());
        if let Some(known) = find::<T>(texts, id) {
            return (*known).clone();
        }
        let found = find_out();
        note(texts, (id, Arc::new(found.clone())), MOST_TEXTS);
        found
    }

    fn lock(&self) -> MutexGuard<'_, OrderedMap<&'static str, OfLanguage>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those that are known of some contents.
    pub(crate) fn known(
        &self,
        language: &'static str,
        ids: impl Iterator<Item = ContentId>,
    ) -> FxHashMap<ContentId, Arc<Outline>> {
        let mut all = self.lock();
        let of_language = all.entry(language).or_insert_with(|| self.read(language));
        let known = ids.filter_map(|id| {
            let kept = of_language.by_id.get_mut(&id)?;
            kept.is_used = true;
            Some((id, kept.outline.clone()))
        });
        known.collect()
    }

    /// Notes what was found out.
    pub(crate) fn note(&self, language: &'static str, found: impl Iterator<Item = (ContentId, Arc<Outline>)>) {
        let mut all = self.lock();
        let of_language = all.entry(language).or_default();
        let before = of_language.by_id.len();
        of_language.by_id.extend(found.map(|(id, outline)| (id, Kept { outline, is_used: true })));
        of_language.has_news |= of_language.by_id.len() > before;
    }

    fn read(&self, language: &str) -> OfLanguage {
        let bytes = self.keeper.as_ref().and_then(|keeper| keeper.read(language));
        let by_id = bytes.and_then(|bytes| written::read(&bytes)).unwrap_or_default();
        OfLanguage { by_id, has_news: false }
    }

    /// Hands what is new to what keeps it.
    pub fn keep(&self) {
        let Some(keeper) = &self.keeper else { return };
        for (language, outlines) in self.lock().iter_mut().filter(|(_, outlines)| outlines.has_news) {
            outlines.has_news = false;
            let mut kept: Vec<(&ContentId, &Kept)> = outlines.by_id.iter().collect();
            kept.sort_in_order_by_key(|(id, kept)| (!kept.is_used, **id));
            kept.truncate(MOST_KEPT);
            keeper.write(language, &written::write(kept.into_iter().map(|(id, kept)| (id, &*kept.outline))));
        }
    }
}

fn find<T: Any + Send + Sync>(all: &Mutex<Last>, id: ContentId) -> Option<Arc<T>> {
    let known = all.lock().unwrap_or_else(PoisonError::into_inner).by_id.get(&id)?.clone();
    known.downcast().ok()
}

fn note<T: Any + Send + Sync>(all: &Mutex<Last>, (id, found): (ContentId, Arc<T>), most: usize) {
    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
    if all.by_id.insert(id, found).is_some() {
        // Noted again, it is the last one.
        all.ids.retain(|known| *known != id);
    }
    all.ids.push_back(id);
    if all.ids.len() > most
        && let Some(first) = all.ids.pop_front()
    {
        all.by_id.remove(&first);
    }
}

/// How outlines are written: one after the other, behind a digest of them all.
mod written {
    use super::{Arc, ContentId, FxHashMap, Kept, Outline, Ties};

    /// As many bytes as the digest has.
    const DIGEST: usize = 20;

    pub(super) fn write<'o>(outlines: impl Iterator<Item = (&'o ContentId, &'o Outline)>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (id, outline) in outlines {
            bytes.extend_from_slice(&id.0);
            bytes.push(u8::from(outline.ties.carries_any));
            for texts in [&outline.imports, &outline.ties.packages, &outline.ties.names] {
                number(texts.len(), &mut bytes);
                for text in texts {
                    number(text.len(), &mut bytes);
                    bytes.extend_from_slice(text.as_bytes());
                }
            }
        }
        let digest = ContentId::of(&bytes);
        [&digest.0[..], &bytes].concat()
    }

    /// Seven bits a byte, the lowest first; the last byte has the highest bit clear.
    fn number(mut value: usize, bytes: &mut Vec<u8>) {
        while value >= 0x80 {
            bytes.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
    }

    /// What was written; `None` where these are other bytes.
    pub(super) fn read(bytes: &[u8]) -> Option<FxHashMap<ContentId, Kept>> {
        let (digest, bytes) = bytes.split_first_chunk::<DIGEST>()?;
        if ContentId::of(bytes).0 != *digest {
            return None;
        }
        let (mut rest, mut found) = (bytes, FxHashMap::default());
        while !rest.is_empty() {
            let (id, behind) = rest.split_first_chunk::<DIGEST>()?;
            let (carries_any, mut behind) = behind.split_first()?;
            let [imports, packages, names] = [texts(&mut behind)?, texts(&mut behind)?, texts(&mut behind)?];
            let ties = Arc::new(Ties { packages, names, carries_any: *carries_any != 0 });
            let outline = Arc::new(Outline { imports, ties });
            found.insert(ContentId(*id), Kept { outline, is_used: false });
            rest = behind;
        }
        Some(found)
    }

    fn texts(rest: &mut &[u8]) -> Option<Vec<String>> {
        let count = length(rest)?;
        // A text has at least the byte that says how long it is.
        let mut texts = Vec::with_capacity(count.min(rest.len()));
        for _ in 0..count {
            let length = length(rest)?;
            let (text, behind) = rest.split_at_checked(length)?;
            texts.push(String::from_utf8(text.to_vec()).ok()?);
            *rest = behind;
        }
        Some(texts)
    }

    fn length(rest: &mut &[u8]) -> Option<usize> {
        let mut value = 0;
        for shift in [0, 7, 14, 21] {
            let (byte, behind) = rest.split_first()?;
            *rest = behind;
            value |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default)]
    struct InMemory(Mutex<OrderedMap<String, Vec<u8>>>);

    impl Keeper for InMemory {
        fn read(&self, name: &str) -> Option<Vec<u8>> {
            self.0.lock().expect("nobody panics").get(name).cloned()
        }

        fn write(&self, name: &str, bytes: &[u8]) {
            self.0.lock().expect("nobody panics").insert(name.to_owned(), bytes.to_vec());
        }
    }

    fn outline(at: usize) -> Arc<Outline> {
        let ties = Ties {
            packages: vec!["shop.v1".to_owned()],
            names: (0..at).map(|at| format!("shop.v1.{}{at}", "N".repeat(at * 50))).collect(),
            carries_any: at.is_multiple_of(2),
        };
        Arc::new(Outline { imports: vec![String::new(), "ä/b.proto".to_owned()], ties: Arc::new(ties) })
    }

    #[test]
    fn what_is_kept_is_what_was_found_out() {
        let keeper: Arc<InMemory> = Arc::default();
        let all: Vec<_> = (0..20).map(|at| (ContentId::of(&[at as u8]), outline(at))).collect();
        let first = Outlines::kept_by(keeper.clone());
        first.note("protobuf", all.iter().cloned());
        first.keep();
        let second = Outlines::kept_by(keeper.clone());
        let known = second.known("protobuf", all.iter().map(|(id, _)| *id));
        assert_eq!(known, all.iter().cloned().collect());
        assert!(second.known("thrift", all.iter().map(|(id, _)| *id)).is_empty());
    }

    #[test]
    fn other_bytes_are_nothing() {
        let keeper: Arc<InMemory> = Arc::default();
        let first = Outlines::kept_by(keeper.clone());
        first.note("protobuf", (0..9).map(|at| (ContentId::of(&[at as u8]), outline(at))));
        first.keep();
        let whole = keeper.read("protobuf").expect("it was kept");
        let of = |bytes: &[u8]| {
            keeper.write("protobuf", bytes);
            Outlines::kept_by(keeper.clone()).known("protobuf", (0..9).map(|at| ContentId::of(&[at]))).len()
        };
        assert_eq!(of(&whole), 9);
        for length in [0, 5, 20, 21, whole.len() / 2, whole.len() - 1] {
            let cut = &whole[..length];
            assert_eq!(of(cut), 0, "{length} bytes");
            // Even where somebody made the digest right.
            let body = cut.get(20..).unwrap_or_default();
            let forged = [&ContentId::of(body).0[..], body].concat();
            assert!(of(&forged) < 9, "{length} bytes");
        }
    }
}
