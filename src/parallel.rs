//! What is done to many at once, on the threads that `rayon` keeps.
//!
//! Its iterators are compiled anew for everything that is done with them, two thousand lines of intermediate code each; here
//! that is so of what is done alone.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// What is made of each, in the order of the list.
pub fn map<T: Sync, R: Send>(list: &[T], make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let made = Made::of(list.len());
    each(list.len(), &|at| made.set(at, make(&list[at])));
    made.all()
}

/// What is being made by several threads, each at its place.
struct Made<R>(Vec<Mutex<Option<R>>>);

impl<R> Made<R> {
    fn of(count: usize) -> Made<R> {
        Made((0..count).map(|_| Mutex::new(None)).collect())
    }

    fn set(&self, at: usize, one: R) {
        *self.0[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(one);
    }

    fn all(self) -> Vec<R> {
        self.0.into_iter().filter_map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }
}

/// As [`map`], with the place of each in the list and room for bytes, which whoever has it next finds as it was left.
pub fn map_with_room<T: Sync, R: Send>(list: &[T], make: impl Fn(&mut Vec<u8>, usize, &T) -> R + Sync) -> Vec<R> {
    let made = Made::of(list.len());
    let work: &(dyn Fn(&mut Vec<u8>, usize) + Sync) = &|room, at| made.set(at, make(room, at, &list[at]));
    (0..list.len()).into_par_iter().for_each_init(Vec::new, |room, at| work(room, at));
    made.all()
}

/// Bytes of stack, of which only what is needed is ever taken.
const DEEP: usize = 1 << 28;

thread_local! {
    /// Whether the stack of this thread is large.
    static IS_DEEP: Cell<bool> = const { Cell::new(false) };
}

/// Does something on a thread whose stack is large: what goes as deep as schemas and data do, several times over. `None` where
/// it panics, or where there can be no such thread. What is done on such a thread already stays there.
pub fn with_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    if IS_DEEP.get() {
        return catch_unwind(AssertUnwindSafe(work)).ok();
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(DEEP);
        let work = || {
            IS_DEEP.set(true);
            catch_unwind(AssertUnwindSafe(work)).ok()
        };
        thread.spawn_scoped(scope, work).ok()?.join().ok()?
    })
}

/// Does something for each number below a count.
pub fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

/// Does two things at once.
pub fn both<A: Send, B: Send>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut one, mut other) = (Some(one), Some(other));
    let (mut first, mut second) = (None, None);
    join(&mut || first = one.take().map(|one| one()), &mut || second = other.take().map(|other| other()));
    (first.expect("what panics goes on panicking"), second.expect("what panics goes on panicking"))
}

fn join(one: &mut (dyn FnMut() + Send), other: &mut (dyn FnMut() + Send)) {
    rayon::join(one, other);
}
