//! Programs that answer a line for a line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A program that was started; it ends with the value.
pub struct Peer {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts it; `None` where there is no such program.
    pub fn start(command: &mut Command) -> Option<Peer> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let (questions, answers) = (process.stdin.take()?, BufReader::new(process.stdout.take()?));
        Some(Peer { process, questions, answers })
    }

    /// Its answer to a line; empty where it is gone.
    pub fn ask(&mut self, question: &str) -> String {
        let mut answer = String::new();
        let _ = writeln!(self.questions, "{question}").and_then(|()| self.answers.read_line(&mut answer));
        answer.truncate(answer.trim_end().len());
        answer
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
