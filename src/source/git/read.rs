//! Objects read: a few by the git that waits for questions, many by several that are started for them.

use std::fmt::Display;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::Stdio;
use std::sync::Arc;

use super::command::cannot_start;
use super::pipe::Answers;
use super::{ObjectFormat, Repository};
use crate::failure::Failure;
use crate::parallel;
use crate::snapshot::{ContentId, SnapshotFile};
use crate::source::object::ObjectId;

/// Which of the blobs that were asked for, and its bytes.
type SmallBlob = (usize, Arc<[u8]>);

/// What stands before an object.
struct Header {
    id: String,
    kind: String,
    size: usize,
}

impl Header {
    /// `ID KIND SIZE`; else what git said instead.
    fn read(pipe: &mut impl BufRead) -> std::io::Result<Result<Header, String>> {
        let mut line = String::new();
        pipe.read_line(&mut line)?;
        let line = line.trim_end();
        let mut parts = line.splitn(3, ' ');
        let (id, kind, size) = (parts.next(), parts.next(), parts.next().and_then(|size| size.parse().ok()));
        Ok(match (id, kind, size) {
            (Some(id), Some(kind), Some(size)) => Ok(Header { id: id.to_owned(), kind: kind.to_owned(), size }),
            _ if line.is_empty() => Err("git ended early".to_owned()),
            _ => Err(line.to_owned()),
        })
    }

    /// The bytes behind it, and the line break behind these, in the place of others.
    fn bytes_into(&self, buffer: &mut Vec<u8>, pipe: &mut impl BufRead) -> std::io::Result<()> {
        buffer.resize(self.size + 1, 0);
        pipe.read_exact(buffer)?;
        buffer.truncate(self.size);
        Ok(())
    }

    /// The bytes behind it, and the line break behind these.
    fn bytes(&self, pipe: &mut impl BufRead) -> std::io::Result<Arc<[u8]>> {
        let mut bytes: Arc<[u8]> = std::iter::repeat_n(0u8, self.size).collect();
        pipe.read_exact(Arc::get_mut(&mut bytes).expect("nobody else has it yet"))?;
        pipe.read_exact(&mut [0u8])?;
        Ok(bytes)
    }
}

/// Asks for many objects, with several processes where they are that many.
fn in_parts<I: Sync, T: Send>(
    ids: &[I],
    part: impl Fn(&[I]) -> Result<Vec<T>, Failure> + Send + Sync,
) -> Result<Vec<T>, Failure> {
    const WORTH_A_PROCESS: usize = 600;
    let processes = (ids.len() / WORTH_A_PROCESS).clamp(1, rayon::current_num_threads().min(8));
    let parts: Vec<&[I]> = ids.chunks(ids.len().div_ceil(processes).max(1)).collect();
    let parts: Result<Vec<Vec<T>>, Failure> = parallel::map(&parts, |some| part(some)).into_iter().collect();
    Ok(parts?.into_iter().flatten().collect())
}

/// A blob that is wanted, with its place among those that were asked for.
pub(super) struct Wanted<I> {
    pub(super) at: usize,
    pub(super) id: I,
}

impl<I: Display> Display for Wanted<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.id.fmt(f)
    }
}

impl Repository {
    /// The commit that a plain name leads to, where the git that waits for questions knows it. What it does not know is
    /// asked for in full.
    pub(super) fn commit_at_once(&self, revision: &str) -> Option<String> {
        self.commits_at_once(std::slice::from_ref(&revision))?.pop()?
    }

    /// The same for several, each with its commit, if it has one.
    pub(super) fn commits_at_once<T: AsRef<str>>(&self, revisions: &[T]) -> Option<Vec<Option<String>>> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'~');
        let is_odd = |revision: &str| !revision.bytes().all(is_plain) || revision.contains("..");
        if revisions.iter().any(|revision| is_odd(revision.as_ref())) {
            return None;
        }
        let read = |_: &String, pipe: &mut Answers| match Header::read(pipe)? {
            Ok(header) => header.bytes(pipe).map(|_| Some(header)),
            Err(_) => Ok(None),
        };
        let names: Vec<String> = revisions.iter().map(|revision| format!("{}^{{commit}}", revision.as_ref())).collect();
        let headers = self.pipe.ask(|| self.git.command(&self.home), &names, read).ok()?;
        let is_commit = |header: &Header| header.kind == "commit" && ObjectId::read(header.id.as_bytes()).is_some();
        Some(headers.into_iter().map(|header| header.filter(is_commit).map(|header| header.id)).collect())
    }

    /// Whether a version has nothing at some paths, where the git that waits for questions can say so. That it does not say
    /// so means nothing.
    pub(super) fn has_none(&self, id: &str, paths: &[String]) -> bool {
        let is_odd = |path: &String| path.split('/').any(|part| matches!(part, "" | "." | ".."));
        let Some(top) = self.names_in(&format!("{id}^{{tree}}")).filter(|_| !paths.iter().any(is_odd)) else {
            return false;
        };
        let has = |names: &[Vec<u8>], name: &str| names.iter().any(|one| one == name.as_bytes());
        paths.iter().all(|path| match path.split_once('/') {
            Some((folder, inside)) if has(&top, folder) => {
                let is_near = !inside.contains('/') && !folder.contains('\n');
                let names = is_near.then(|| self.names_in(&format!("{id}:{folder}"))).flatten();
                names.is_some_and(|names| !has(&names, inside))
            }
            Some(_) => true,
            None => !has(&top, path),
        })
    }

    /// The names in a folder of a version; `None` where it is none, or cannot be read.
    fn names_in(&self, tree: &str) -> Option<Vec<Vec<u8>>> {
        let read = |_: &&str, pipe: &mut Answers| match Header::read(pipe)? {
            Ok(header) => header.bytes(pipe).map(|bytes| Some((header, bytes))),
            Err(_) => Ok(None),
        };
        let (header, bytes) = self.pipe.ask(|| self.git.command(&self.home), &[tree], read).ok()?.pop()??;
        let (mut names, mut rest) = (Vec::new(), &*bytes);
        // `MODE NAME`, a zero, and the bytes of an id.
        while let Some(end) = memchr::memchr(0, rest) {
            let space = rest[..end].iter().position(|byte| *byte == b' ')?;
            names.push(rest[space + 1..end].to_vec());
            rest = rest.get(end + 1 + header.id.len() / 2..)?;
        }
        (header.kind == "tree" && rest.is_empty()).then_some(names)
    }

    /// Has blobs brought that a remote promised, with one request.
    pub(crate) fn bring<I: Display>(&self, ids: &[I]) {
        self.promised.bring(ids, &self.git, &self.home);
    }

    /// One object, by the git that waits for questions.
    pub(super) fn object_at_once(&self, id: &impl Display) -> std::io::Result<Arc<[u8]>> {
        let read = |id: &&_, pipe: &mut Answers| self.read_object(id, pipe);
        let file = self.pipe.ask(|| self.git.command(&self.home), &[id], read)?.pop();
        file.map(|file| file.bytes.shared().clone()).ok_or_else(|| std::io::Error::other("git said nothing"))
    }

    /// Reads blobs in the order asked for, with several processes when there are many.
    pub(super) fn read_blobs<I: Display + Sync>(&self, ids: &[I]) -> Result<Vec<SnapshotFile>, Failure> {
        /// So few are not worth a process of their own.
        const FEW: usize = 64;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.bring(ids);
        if ids.len() <= FEW
            && let Ok(files) =
                self.pipe.ask(|| self.git.command(&self.home), ids, |id, pipe| self.read_object(id, pipe))
        {
            return Ok(files);
        }
        in_parts(ids, |part| self.read_batch(part))
    }

    /// Shows blobs to somebody, and says what came of each in the order asked for. None of them is kept.
    pub(super) fn visit_blobs<I: Display + Sync, T: Send>(
        &self,
        ids: &[I],
        look: &(dyn Fn(&I, &[u8]) -> T + Sync),
    ) -> Result<Vec<T>, Failure> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.bring(ids);
        in_parts(ids, |part| {
            let mut buffer = Vec::new();
            self.batch("--batch", part, |id, pipe| {
                let header = Header::read(pipe)?.map_err(std::io::Error::other)?;
                header.bytes_into(&mut buffer, pipe)?;
                Ok(look(id, &buffer))
            })
        })
    }

    /// What is made of blobs, each with its path, in their order. None of them is kept.
    pub(crate) fn look_into<T: Send>(
        &self,
        blobs: &[(&String, ObjectId)],
        make: &(dyn Fn(&str, &[u8]) -> T + Sync),
    ) -> Result<Vec<(String, T)>, Failure> {
        let wanted: Vec<Wanted<ObjectId>> =
            blobs.iter().enumerate().map(|(at, (_, id))| Wanted { at, id: *id }).collect();
        let made = self.visit_blobs(&wanted, &|wanted, bytes| make(blobs[wanted.at].0, bytes))?;
        Ok(blobs.iter().map(|(path, _)| (*path).clone()).zip(made).collect())
    }

    /// The blobs that are not larger than that, each with its place among the ids.
    pub(crate) fn small_blobs<I: Display + Sync>(&self, ids: &[I], largest: u64) -> Result<Vec<SmallBlob>, Failure> {
        let sizes = self.sizes(ids)?;
        let small: Vec<usize> = (0..ids.len()).filter(|at| sizes[*at].is_some_and(|size| size <= largest)).collect();
        let wanted: Vec<&I> = small.iter().map(|at| &ids[*at]).collect();
        Ok(small
            .into_iter()
            .zip(self.read_blobs(&wanted)?.into_iter().map(|file| file.bytes.shared().clone()))
            .collect())
    }

    /// How large blobs are, in the order asked for; nothing of those that are not here.
    pub(crate) fn sizes<I: Display + Sync>(&self, ids: &[I]) -> Result<Vec<Option<u64>>, Failure> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.bring(ids);
        let size = |_: &I, pipe: &mut Answers| {
            let mut line = String::new();
            pipe.read_line(&mut line)?;
            Ok(line.trim_end().rsplit(' ').next().and_then(|size| size.parse::<u64>().ok()))
        };
        self.batch("--batch-check", ids, size)
    }

    fn read_batch<I: Display + Sync>(&self, ids: &[I]) -> Result<Vec<SnapshotFile>, Failure> {
        self.batch("--batch", ids, |id, pipe| self.read_object(id, pipe))
    }

    /// One `git cat-file`: a thread writes the ids while this one reads, so that neither pipe can block the other.
    fn batch<I: Display + Sync, T>(
        &self,
        question: &str,
        ids: &[I],
        mut read: impl FnMut(&I, &mut Answers) -> std::io::Result<T>,
    ) -> Result<Vec<T>, Failure> {
        let mut child = self
            .git
            .command(&self.home)
            .args(["cat-file", question, "--buffer"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| cannot_start(&error))?;
        let stdin = child.stdin.take().expect("standard input was asked for");
        let stdout = child.stdout.take().expect("standard output was asked for");
        let answers = std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut pipe = BufWriter::with_capacity(1 << 16, stdin);
                // A failed write means that git ended early, which the reading side reports.
                let _ = ids.iter().try_for_each(|id| writeln!(pipe, "{id}")).and_then(|()| pipe.flush());
            });
            let mut pipe = BufReader::with_capacity(1 << 17, stdout);
            ids.iter().map(|id| read(id, &mut pipe)).collect::<std::io::Result<Vec<T>>>()
        });
        let ended = child.wait();
        let failed = |error: std::io::Error| {
            Failure::could_not_tell(
                format!("git could not read the schemas of a version: {error}"),
                "check the repository with `git fsck`; in a partial clone, run `git fetch` with the network available",
            )
        };
        let answers = answers.map_err(failed)?;
        ended.map_err(failed)?;
        Ok(answers)
    }

    fn read_object(&self, id: &impl Display, pipe: &mut impl BufRead) -> std::io::Result<SnapshotFile> {
        let wrong = |answer: String| std::io::Error::other(format!("object {id}: {answer}"));
        let header = Header::read(pipe)?.map_err(wrong)?;
        let bytes = header.bytes(pipe)?;
        let id = match self.object_format {
            ObjectFormat::Sha1 => ObjectId::read(header.id.as_bytes()).and_then(ObjectId::content),
            ObjectFormat::Other => None,
        };
        Ok(SnapshotFile { id: id.unwrap_or_else(|| ContentId::of(&bytes)), bytes: bytes.into() })
    }
}
