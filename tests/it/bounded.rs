//! Programs that may never come to an end, such as a compiler that follows a type which is its own.

use std::io::{Read as _, Seek as _};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Between two times that a program is asked whether it is done.
const PAUSE: Duration = Duration::from_millis(2);
/// How often it is asked: far more than a compiler needs for a few lines, on a machine that does much else.
const TIMES: usize = 10_000;

/// What a program says until it ends; nothing where it had to be killed.
pub fn run(command: &mut Command) -> Option<Output> {
    run_for(command, TIMES)
}

fn run_for(command: &mut Command, times: usize) -> Option<Output> {
    // A pipe that nobody reads would fill.
    let mut files = [(); 2].map(|()| tempfile::tempfile().expect("a file for a moment"));
    let [out, err] = files.each_ref().map(|file| file.try_clone().expect("a file may be open twice"));
    let mut child = command.stdin(Stdio::null()).stdout(out).stderr(err).spawn().expect("the program is there");
    let mut is_done = || {
        std::thread::sleep(PAUSE);
        child.try_wait().expect("it is ours")
    };
    let Some(status) = (0..times).find_map(|_| is_done()) else {
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
        return None;
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
    let shell = |script: &str, times| run_for(Command::new("sh").args(["-c", script]), times);
    if crate::support::is_windows("programs without end, which need a shell") {
        return;
    }
    assert!(shell("while :; do :; done", 200).is_none());
    let output = shell("echo out; echo err >&2; exit 3", TIMES).expect("it ends");
    assert_eq!((output.status.code(), &*output.stdout, &*output.stderr), (Some(3), &b"out\n"[..], &b"err\n"[..]));
}
