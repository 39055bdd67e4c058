//! Room for what goes as deep as schemas and data do.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Bytes of stack, of which only what it needs is ever taken: it goes as deep as schemas do, several times
/// over.
const ROOM: usize = 1 << 28;

/// Does something where the stack is large; `None` where it fails.
pub(super) fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(ROOM);
        thread.spawn_scoped(scope, || catch_unwind(AssertUnwindSafe(work)).ok()).ok()?.join().ok()?
    })
}
