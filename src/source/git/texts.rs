//! Texts that were read of a repository whose versions are compared again and again.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::snapshot::ContentId;

/// So many bytes are kept before the older ones are let go: twice as many at most. All distinct texts that 500 versions of a
/// large repository lead to are some 200 MB, of which each is looked at by several comparisons; where less is kept than they
/// are, git is asked for half of them again.
const MOST: usize = 256 << 20;

/// The texts that were asked for last, shared by all who read from one repository.
#[derive(Debug, Clone, Default)]
pub(super) struct Texts(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    young: FxHashMap<ContentId, Arc<[u8]>>,
    old: FxHashMap<ContentId, Arc<[u8]>>,
    /// How many bytes the young ones have.
    size: usize,
}

/// What is known of some texts, in their order, and the places of those of which nothing is.
pub(super) type Known = (Vec<Option<Arc<[u8]>>>, Vec<usize>);

impl Texts {
    /// A text, where it is known.
    pub(super) fn get(&self, id: &ContentId) -> Option<Arc<[u8]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id)
    }

    /// The same of many; what has no id is not known.
    pub(super) fn known(&self, ids: impl Iterator<Item = Option<ContentId>>) -> Known {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known: Vec<Option<Arc<[u8]>>> = ids.map(|id| kept.get(&id?)).collect();
        let left = (0..known.len()).filter(|at| known[*at].is_none()).collect();
        (known, left)
    }

    /// Keeps a text for a while.
    pub(super) fn keep(&self, id: ContentId, text: &Arc<[u8]>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(id, text.clone());
    }
}

impl Kept {
    fn get(&mut self, id: &ContentId) -> Option<Arc<[u8]>> {
        if let Some(text) = self.young.get(id) {
            return Some(text.clone());
        }
        let text = self.old.remove(id)?;
        self.add(*id, text.clone());
        Some(text)
    }

    /// Keeps a text, once: two threads that wanted the same both bring it.
    fn add(&mut self, id: ContentId, text: Arc<[u8]>) {
        let size = text.len();
        if self.young.insert(id, text).is_some() {
            return;
        }
        self.size += size;
        if self.size > MOST {
            (self.old, self.size) = (std::mem::take(&mut self.young), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_asks_for_any_more_is_let_go() {
        let texts = Texts::default();
        let id = |at: usize| ContentId::of(&at.to_le_bytes());
        let text: Arc<[u8]> = Arc::from(vec![b'a'; MOST / 8]);
        for at in 0..100 {
            texts.keep(id(at), &text);
            assert_eq!(texts.get(&id(0)).map(|text| text.len()), Some(text.len()), "{at}");
        }
        let known = (0..100).filter(|at| texts.get(&id(*at)).is_some()).count();
        assert!((9..=20).contains(&known), "{known}");
        assert!(texts.get(&id(99)).is_some() && texts.get(&id(50)).is_none());
    }
}
