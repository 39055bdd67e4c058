//! How much values have taken over from constants: these may repeat each other, so that a few lines are of any size.

use std::cell::Cell;

/// Parts of constants that all values together take over.
const MOST: usize = 1 << 18;

/// How much was taken over by now.
#[derive(Debug, Default)]
pub(super) struct Copied {
    parts: Cell<usize>,
    /// Whether a constant is being taken over now.
    is_copying: Cell<bool>,
}

impl Copied {
    /// What a constant is, given with how many parts it has; nothing where too many were taken over before.
    pub(super) fn copy<T>(&self, evaluate: impl FnOnce() -> (T, usize)) -> Option<T> {
        if self.parts.get() > MOST {
            return None;
        }
        // What is in a constant is counted with it.
        let is_outermost = !self.is_copying.replace(true);
        let (found, count) = evaluate();
        if is_outermost {
            self.is_copying.set(false);
            self.parts.set(self.parts.get() + count);
        }
        Some(found)
    }
}
