//! One `git cat-file` that waits for questions: names are looked up and a few objects are read without starting git anew.

use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// So many questions fit into a pipe, so that neither side waits for the other.
const AT_ONCE: usize = 32;

/// What git answers with.
pub(super) type Answers = BufReader<ChildStdout>;

/// A process that all who read from one repository ask; started by the first question.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedPipe(Arc<Mutex<Option<Pipe>>>);

/// A `git cat-file` that waits for questions.
#[derive(Debug)]
struct Pipe {
    process: Child,
    questions: ChildStdin,
    answers: Answers,
}

impl SharedPipe {
    /// Asks for objects by their names, in this order. After an answer that was not understood nothing more is read of
    /// this process. `git` is how git is called.
    pub(super) fn ask<N: std::fmt::Display, T>(
        &self,
        git: impl FnOnce() -> Command,
        names: &[N],
        mut read: impl FnMut(&N, &mut Answers) -> std::io::Result<T>,
    ) -> std::io::Result<Vec<T>> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pipe = match shared.take() {
            Some(pipe) => pipe,
            None => Pipe::open(git())?,
        };
        let mut found = Vec::with_capacity(names.len());
        for names in names.chunks(AT_ONCE) {
            let questions: String = names.iter().map(|name| format!("{name}\n")).collect();
            pipe.questions.write_all(questions.as_bytes())?;
            pipe.questions.flush()?;
            for name in names {
                found.push(read(name, &mut pipe.answers)?);
            }
        }
        *shared = Some(pipe);
        Ok(found)
    }

    /// Has the next question answered by a process that sees what is there by then.
    pub(super) fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Pipe {
    fn open(mut git: Command) -> std::io::Result<Pipe> {
        git.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = git.spawn()?;
        match (process.stdin.take(), process.stdout.take()) {
            (Some(questions), Some(answers)) => Ok(Pipe { process, questions, answers: BufReader::new(answers) }),
            _ => Err(std::io::Error::other("git has no standard streams")),
        }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
