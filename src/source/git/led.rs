//! Single files of a version, through links as a checkout has them: the terms of a base lie where those on disk do.

use super::{Repository, git_failed, text};
use crate::failure::Failure;
use crate::ordered::OrderedMap;
use crate::source::listing::{LONGEST_TARGET, MOST_HOPS};
use crate::source::names::path_text;

/// Links can make a short path a long way.
const MOST_STEPS: usize = 1000;

/// How `ls-tree` spells what stands at a path.
const LINK: &str = "120000";
const SUBMODULE: &str = "160000";
const FOLDER: &str = "040000";

/// What stands at a path: mode and object.
type Entry = (String, String);

/// Where a path leads once its links are followed.
enum Led {
    File(String, Entry),
    Folder(String),
    Nothing,
}

impl Repository {
    /// The first of several files that a version has, with its own path and its bytes.
    pub(crate) fn first_blob(&self, id: &str, paths: &[String]) -> Result<Option<(String, Vec<u8>)>, Failure> {
        if self.has_none(id, paths) {
            return Ok(None);
        }
        let asked: Vec<String> = paths.iter().flat_map(|path| above(path).chain([path.clone()])).collect();
        let found = self.entries(&["ls-tree", "-z", "--full-tree", id, "--"], &asked)?;
        let is_link = |path: &str| found.get(path).is_some_and(|(mode, _)| mode == LINK);
        for path in paths {
            let led = match found.get(path) {
                _ if is_link(path) || above(path).any(|folder| is_link(&folder)) => self.led(id, path)?,
                Some(entry) if entry.0 != SUBMODULE && entry.0 != FOLDER => Led::File(path.clone(), entry.clone()),
                Some(_) | None => Led::Nothing,
            };
            match led {
                Led::File(path, entry) => return Ok(Some((path.clone(), self.blob(&path, &entry)?))),
                Led::Folder(_) if is_link(path) => return Err(astray(path, "a link that leads to a folder")),
                Led::Folder(_) | Led::Nothing => {}
            }
        }
        Ok(None)
    }

    /// The files of a version below a folder that are wanted, with their paths and bytes.
    pub(crate) fn blobs_below(
        &self,
        id: &str,
        folder: &str,
        is_wanted: fn(&str) -> bool,
    ) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let listing = ["ls-tree", "-r", "-z", "--full-tree", id, "--"];
        let below = |folder: &str| match folder {
            "" => self.entries(&listing, &[]),
            folder => self.entries(&listing, &[format!("{folder}/")]),
        };
        let mut found = below(folder)?;
        if found.is_empty()
            && let Led::Folder(real) = self.led(id, folder)?
        {
            found = below(&real)?;
        }
        let mut blobs = Vec::new();
        for (path, entry) in &found {
            match entry.0.as_str() {
                SUBMODULE => return Err(astray(path, "another repository")),
                _ if !is_wanted(path) => {}
                LINK => match self.led(id, path)? {
                    Led::File(real, entry) => blobs.push((path.clone(), self.blob(&real, &entry)?)),
                    Led::Folder(_) | Led::Nothing => return Err(astray(path, "a link that leads to no file")),
                },
                _ => blobs.push((path.clone(), self.blob(path, entry)?)),
            }
        }
        Ok(blobs)
    }

    /// Follows a path of a version through every link on its way.
    fn led(&self, id: &str, path: &str) -> Result<Led, Failure> {
        let nowhere = || astray(path, "a link that leads out of the repository, or nowhere");
        let mut left: Vec<String> = path.rsplit('/').map(str::to_owned).collect();
        let (mut at, mut last, mut hops) = (Vec::new(), None, 0);
        for _ in 0..MOST_STEPS {
            let Some(part) = left.pop() else {
                let real = at.join("/");
                return Ok(match last.filter(|(mode, _): &Entry| mode != FOLDER) {
                    Some(entry) => Led::File(real, entry),
                    None => Led::Folder(real),
                });
            };
            match part.as_str() {
                "" | "." => continue,
                ".." if at.pop().is_none() => return Err(nowhere()),
                ".." => {
                    last = None;
                    continue;
                }
                _ => at.push(part),
            }
            let here = at.join("/");
            let entry =
                self.entries(&["ls-tree", "-z", "--full-tree", id, "--"], std::slice::from_ref(&here))?.remove(&here);
            let Some((mode, object)) = entry else {
                return if hops == 0 { Ok(Led::Nothing) } else { Err(nowhere()) };
            };
            match mode.as_str() {
                SUBMODULE => return Err(astray(path, "in another repository")),
                LINK => {
                    let target = self.blob(&here, &(mode, object))?;
                    let target = String::from_utf8(target).map_err(|_| nowhere())?;
                    hops += 1;
                    if hops > MOST_HOPS || target.len() > LONGEST_TARGET || target.starts_with('/') {
                        return Err(nowhere());
                    }
                    at.pop();
                    left.extend(target.rsplit('/').map(str::to_owned));
                    last = None;
                }
                FOLDER => last = Some((mode, object)),
                // Below a file there is nothing.
                _ if left.iter().any(|part| !matches!(part.as_str(), "" | ".")) => return Err(nowhere()),
                _ => last = Some((mode, object)),
            }
        }
        Err(nowhere())
    }

    /// What a listing has at some paths: path → mode and object.
    fn entries(&self, listing: &[&str], paths: &[String]) -> Result<OrderedMap<String, Entry>, Failure> {
        let output = self.git(listing.iter().copied().chain(paths.iter().map(String::as_str)))?;
        if !output.status.success() {
            return Err(git_failed("list the files of a version", &output));
        }
        let mut found = OrderedMap::new();
        for entry in output.stdout.split(|byte| *byte == 0) {
            let Some(tab) = entry.iter().position(|byte| *byte == b'\t') else { continue };
            let words = text(&entry[..tab]);
            let mut words = words.split(' ').map(str::to_owned);
            if let (Some(mode), _, Some(blob)) = (words.next(), words.next(), words.next()) {
                found.insert(path_text(&entry[tab + 1..]), (mode, blob));
            }
        }
        Ok(found)
    }

    fn blob(&self, path: &str, (mode, blob): &Entry) -> Result<Vec<u8>, Failure> {
        if !mode.starts_with("100") && mode != LINK {
            return Err(astray(path, "no plain file"));
        }
        let output = self.git(["cat-file", "blob", blob])?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(git_failed("read a file of a version", &output)),
        }
    }
}

/// The folders that a path lies in, but for the top.
fn above(path: &str) -> impl Iterator<Item = String> {
    path.match_indices('/').map(|(at, _)| path[..at].to_owned())
}

fn astray(path: &str, what: &str) -> Failure {
    Failure::could_not_tell(format!("`{path}` is {what} in the base"), "")
}
