//! What is asked for again and again and found out once: for each message, or for each type by several threads.

use std::cell::RefCell;
use std::hash::Hash;
use std::rc::Rc;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use crate::evidence::Surface;
use crate::ordered::OrderedMap;

/// The names and numbers of an enum.
#[derive(Debug)]
pub(in crate::formats) struct EnumNames {
    by_number: FxHashMap<i128, Vec<Arc<str>>>,
    by_name: FxHashMap<Arc<str>, i128>,
}

impl EnumNames {
    /// The names and numbers of values in their order.
    pub(in crate::formats) fn of<'n>(values: impl Iterator<Item = (&'n str, i128)>) -> Self {
        let mut names = EnumNames { by_number: FxHashMap::default(), by_name: FxHashMap::default() };
        for (name, number) in values {
            let name: Arc<str> = name.into();
            names.by_number.entry(number).or_default().push(name.clone());
            names.by_name.entry(name).or_insert(number);
        }
        names
    }

    /// The names of a number.
    pub(in crate::formats) fn names(&self, number: i128) -> &[Arc<str>] {
        self.by_number.get(&number).map_or(&[], Vec::as_slice)
    }

    /// The number of a name.
    pub(in crate::formats) fn number(&self, name: &str) -> Option<i128> {
        self.by_name.get(name).copied()
    }

    /// Whether a name has another number elsewhere.
    pub(in crate::formats) fn is_moved(&self, other: &EnumNames, name: &str) -> bool {
        matches!((self.number(name), other.number(name)), (Some(one), Some(two)) if one != two)
    }
}

/// What is found out once for each of many things, by whoever asks first.
#[derive(Debug, Default)]
pub(in crate::formats) struct Lazily<T>(Vec<OnceLock<T>>);

impl<T> Lazily<T> {
    /// For so many things.
    pub(in crate::formats) fn new(count: usize) -> Self {
        Lazily((0..count).map(|_| OnceLock::new()).collect())
    }

    /// What was found out of one of them.
    pub(in crate::formats) fn get(&self, index: usize, find: impl FnOnce() -> T) -> &T {
        self.0[index].get_or_init(find)
    }
}

/// What is found out once for each key, by whoever asks first.
#[derive(Debug)]
pub(in crate::formats) struct Shared<K, V>(RwLock<FxHashMap<K, Arc<V>>>);

impl<K, V> Default for Shared<K, V> {
    fn default() -> Self {
        Shared(RwLock::default())
    }
}

impl<K: Eq + Hash, V> Shared<K, V> {
    /// What was found out of a key. What finds it out may ask for other keys.
    pub(in crate::formats) fn get(&self, key: K, find: impl FnOnce() -> V) -> Arc<V> {
        if let Some(known) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let found = Arc::new(find());
        self.0.write().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(found).clone()
    }
}

/// What was found out of messages: many findings may have the same one for a witness.
#[derive(Debug)]
pub(in crate::formats) struct PerMessage<T>(RefCell<FxHashMap<usize, Rc<T>>>);

impl<T> Default for PerMessage<T> {
    fn default() -> Self {
        PerMessage(RefCell::default())
    }
}

impl<T> PerMessage<T> {
    /// What was found out of the message of that number.
    pub(in crate::formats) fn get(&self, nth: usize, find: impl FnOnce() -> T) -> Rc<T> {
        if let Some(known) = self.0.borrow().get(&nth) {
            return known.clone();
        }
        let found = Rc::new(find());
        self.0.borrow_mut().insert(nth, found.clone());
        found
    }
}

/// In which message what is felt of that which nobody wrote was told: it is the same in each, so the smallest that was
/// read on a surface shows it, and of a wide type no other need be looked at for it.
#[derive(Debug, Default)]
pub(in crate::formats) struct Smallest(RefCell<OrderedMap<Surface, (usize, usize)>>);

impl Smallest {
    /// Takes note of a message that was read, and says whether it is smaller than all before it.
    pub(in crate::formats) fn takes_over(&self, surface: Surface, size: (usize, usize)) -> bool {
        let mut known = self.0.borrow_mut();
        let is_smallest = known.get(&surface).is_none_or(|known| size < *known);
        if is_smallest {
            known.insert(surface, size);
        }
        is_smallest
    }
}
