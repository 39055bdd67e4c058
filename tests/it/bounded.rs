//! Programs that may never come to an end, such as a compiler that follows a type which is its own.

use std::io::{Read as _, Seek as _};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Far more than a compiler needs for a few lines, on a machine that does much else.
const LIMIT: Duration = Duration::from_secs(20);
/// How often is asked whether it is done.
const PAUSE: Duration = Duration::from_millis(2);

/// What a program says until it ends; nothing where it had to be killed.
pub fn run(command: &mut Command) -> Option<Output> {
    run_for(command, LIMIT)
}

fn run_for(command: &mut Command, limit: Duration) -> Option<Output> {
    // A pipe that nobody reads would fill.
    let mut files = [(); 2].map(|()| tempfile::tempfile().expect("a file for a moment"));
    let [out, err] = files.each_ref().map(|file| file.try_clone().expect("a file may be open twice"));
    let mut child = command.stdin(Stdio::null()).stdout(out).stderr(err).spawn().expect("the program is there");
    let end = Instant::now() + limit;
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is ours") {
            break status;
        }
        if Instant::now() > end {
            child.kill().expect("it is ours");
            child.wait().expect("it is ours");
            return None;
        }
        std::thread::sleep(PAUSE);
    };
    let [stdout, stderr] = files.each_mut().map(|file| {
        let mut told = Vec::new();
        file.rewind().expect("it is a file");
        file.read_to_end(&mut told).expect("it is a file");
        told
    });
    Some(Output { status, stdout, stderr })
}

#[test]
fn a_program_without_end_is_killed_and_another_is_heard() {
    let shell = |script: &str| run_for(Command::new("sh").args(["-c", script]), Duration::from_millis(500));
    if crate::support::is_windows("programs without end, which need a shell") {
        return;
    }
    assert!(shell("while :; do :; done").is_none());
    let output = shell("echo out; echo err >&2; exit 3").expect("it ends");
    assert_eq!((output.status.code(), &*output.stdout, &*output.stderr), (Some(3), &b"out\n"[..], &b"err\n"[..]));
}
