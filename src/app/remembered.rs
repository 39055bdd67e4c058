//! What earlier runs of `history` found out about commits, kept where outlines are: a commit never changes.
//!
//! All of it is an offer. What was found out by another build of the program, under other settings, or about other commits
//! lies under another key; what is not whole is not read. Versions that say that something was not checked are not kept,
//! since that may be at hand the next time.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::formats::outline::Keeper;
use crate::ordered::{OrderedMap, OrderedSet};
use crate::report::timeline::{Between, Freed};
use crate::snapshot::ContentId;

/// The name under which it is kept.
const NAME: &str = "history";
/// So many pairs of versions are kept, those of the last run first, …
const MOST_PAIRS: usize = 20_000;
/// … and of so many commits what was freed before them.
const MOST_HEADS: usize = 50;

/// What earlier runs found out, and this one.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    keeper: Option<Arc<dyn Keeper>>,
    /// What judged, and how.
    settings: String,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    kept: Kept,
    used: OrderedSet<String>,
    has_news: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    pairs: OrderedMap<String, Between>,
    freed: OrderedMap<String, Vec<Freed>>,
}

impl Remembered {
    /// What was kept by runs of this build with the same settings: everything that decides about the answers but the
    /// commits.
    pub(super) fn of(keeper: Option<Arc<dyn Keeper>>, settings: &dyn Debug) -> Self {
        let kept = keeper.as_ref().and_then(|keeper| understood(&keeper.read(NAME)?)).unwrap_or_default();
        let settings = format!("{} {settings:?}", env!("WIREPROOF_SOURCES"));
        let known = Mutex::new(Known { kept, ..Known::default() });
        Remembered { keeper, settings: ContentId::of(settings.as_bytes()).to_string(), known }
    }

    /// Nothing, and nothing will be.
    pub(super) fn nothing() -> Self {
        Remembered::default()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn key(&self, commits: &[&str]) -> String {
        ContentId::of(format!("{} {}", self.settings, commits.join(" ")).as_bytes()).to_string()
    }

    /// What was found out about two commits.
    pub(super) fn between(&self, commits: [&str; 2]) -> Option<Between> {
        self.keeper.as_ref()?;
        let key = self.key(&commits);
        let mut known = self.lock();
        let found = known.kept.pairs.get(&key).cloned()?;
        known.used.insert(key);
        Some(found)
    }

    /// Notes what was found out about two commits.
    pub(super) fn note(&self, commits: [&str; 2], between: &Between) {
        if self.keeper.is_some() {
            let (key, mut known) = (self.key(&commits), self.lock());
            known.kept.pairs.insert(key.clone(), between.clone());
            known.used.insert(key);
            known.has_news = true;
        }
    }

    /// What was used once before a commit and is not used so any more.
    pub(super) fn freed(&self, head: &str) -> Option<Vec<Freed>> {
        self.keeper.as_ref()?;
        let key = self.key(&[head]);
        let mut known = self.lock();
        let found = known.kept.freed.get(&key).cloned()?;
        known.used.insert(key);
        Some(found)
    }

    /// Notes what was freed before a commit.
    pub(super) fn note_freed(&self, head: &str, freed: &[Freed]) {
        if self.keeper.is_some() {
            let (key, mut known) = (self.key(&[head]), self.lock());
            known.kept.freed.insert(key.clone(), freed.to_vec());
            known.used.insert(key);
            known.has_news = true;
        }
    }

    /// Hands what is new to what keeps it.
    pub(super) fn keep(&self) {
        let (Some(keeper), mut known) = (&self.keeper, self.lock()) else { return };
        if std::mem::take(&mut known.has_news) {
            let Known { kept, used, .. } = &mut *known;
            forget(&mut kept.pairs, used, MOST_PAIRS);
            forget(&mut kept.freed, used, MOST_HEADS);
            if let Ok(text) = serde_json::to_vec(kept) {
                keeper.write(NAME, &[&ContentId::of(&text).0[..], &text].concat());
            }
        }
    }
}

/// Leaves as many as there may be, those that this run used first.
fn forget<T>(kept: &mut OrderedMap<String, T>, used: &OrderedSet<String>, most: usize) {
    let mut left = kept.len().saturating_sub(most);
    for is_last in [false, true] {
        kept.retain(|key, _| {
            let goes = left > 0 && (is_last || !used.contains(key));
            left -= usize::from(goes);
            !goes
        });
    }
}

/// What was kept; `None` where these are other bytes.
fn understood(bytes: &[u8]) -> Option<Kept> {
    let (digest, text) = bytes.split_first_chunk::<20>()?;
    (ContentId::of(text).0 == *digest).then(|| serde_json::from_slice(text).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::timeline::Reads;

    #[derive(Debug, Default)]
    struct InMemory(Mutex<Vec<u8>>);

    impl Keeper for InMemory {
        fn read(&self, _: &str) -> Option<Vec<u8>> {
            Some(self.0.lock().expect("nobody panics").clone())
        }

        fn write(&self, _: &str, bytes: &[u8]) {
            *self.0.lock().expect("nobody panics") = bytes.to_vec();
        }
    }

    fn between() -> Between {
        Between { is_new: true, backward: Reads::Breaking, forward: Reads::Compatible, changes: Vec::new() }
    }

    #[test]
    fn what_is_kept_is_found_by_the_same_settings_and_commits_alone() {
        let keeper: Arc<InMemory> = Arc::default();
        let of = |settings: &str| Remembered::of(Some(keeper.clone()), &settings);
        let first = of("wire");
        first.note(["a", "b"], &between());
        first.note_freed("b", &[]);
        first.keep();
        let again = of("wire");
        assert_eq!(again.between(["a", "b"]).map(|found| found.backward), Some(Reads::Breaking));
        assert!(again.freed("b").is_some() && again.freed("a").is_none());
        assert!(again.between(["b", "a"]).is_none() && of("json").between(["a", "b"]).is_none());
        let whole = keeper.read("").expect("it is there");
        for bytes in [&whole[..whole.len() - 1], &whole[1..], b"", &[&whole[..20], b"{}"].concat()] {
            keeper.write("", bytes);
            assert!(of("wire").between(["a", "b"]).is_none());
        }
        assert!(Remembered::nothing().between(["a", "b"]).is_none());
    }

    #[test]
    fn of_too_many_those_are_left_that_were_used() {
        let mut kept: OrderedMap<String, ()> = (0..9).map(|at| (at.to_string(), ())).collect();
        forget(&mut kept, &OrderedSet::from(["0".to_owned(), "4".to_owned(), "8".to_owned()]), 4);
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["0", "4", "7", "8"]);
        let all = kept.keys().cloned().collect();
        forget(&mut kept, &all, 2);
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["7", "8"]);
    }
}
