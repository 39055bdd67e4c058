//! Standard input, which may never end: who waits for it for long is told so.

use std::io::{Read, Write};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// After so long without an end, a line says what is waited for.
const PATIENCE: Duration = Duration::from_secs(3);

/// Standard input. Where it has not ended after three seconds, standard error says once that it is waited for.
pub fn standard_input() -> impl Read {
    let (over, wait) = channel();
    // Without a thread nobody is told, which changes nothing else.
    let _ = std::thread::Builder::new().spawn(move || {
        if wait.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            let told = "wireproof: `-` is standard input, which has not ended yet; end it, or give a file";
            let _ = writeln!(std::io::stderr(), "{told}");
        }
    });
    Watched { stream: std::io::stdin(), _over: over }
}

/// Dropped when all was read, which ends the wait.
struct Watched {
    stream: std::io::Stdin,
    _over: Sender<()>,
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.stream.read(buffer)
    }
}
