//! What is being done, on standard error, for those who wait in front of a terminal.
//!
//! A run that ends within a second shows nothing, and nothing is left on the screen afterwards.

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const REDRAW: Duration = Duration::from_millis(200);

/// A line that comes and goes; it goes at the latest when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Progress {
    shared: Arc<Shared>,
    drawing: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    step: &'static str,
    is_over: bool,
}

/// Whether a run may show progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Show {
    /// On a terminal.
    Yes,
    /// Never.
    No,
}

impl Progress {
    /// Starts to wait.
    pub(super) fn start(show: Show, step: &'static str) -> Self {
        let mut progress = Progress::default();
        progress.step(step);
        let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        if show == Show::Yes && std::io::stderr().is_terminal() && !dumb {
            let shared = progress.shared.clone();
            // Without a thread there is no line, which hurts nobody.
            progress.drawing = std::thread::Builder::new().spawn(move || draw(&shared)).ok();
        }
        progress
    }

    /// Says what is done from now on.
    pub(super) fn step(&self, step: &'static str) {
        self.shared.lock().step = step;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        if let Some(drawing) = self.drawing.take() {
            // It only draws; if it failed, there is nothing to tell.
            let _ = drawing.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn draw(shared: &Shared) {
    let started = Instant::now();
    let mut wait = PATIENCE;
    let mut is_drawn = false;
    let mut state = shared.lock();
    while !state.is_over {
        let woken = shared.changed.wait_timeout(state, wait);
        state = woken.unwrap_or_else(PoisonError::into_inner).0;
        if !state.is_over && started.elapsed() >= PATIENCE {
            let _ = write!(std::io::stderr(), "\r\x1b[Kwireproof: {} ({} s)", state.step, started.elapsed().as_secs());
            (is_drawn, wait) = (true, REDRAW);
        }
    }
    if is_drawn {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}
