//! What a `buf.yaml` says about breaking changes: which of buf's rules count in which module, and where not.
//!
//! As in the module above, no files are read and nothing is ignored: what buf refuses is refused with its place, and what
//! buf lets pass without a word, such as a path that matches nothing, is told. A file that says nothing of `breaking`
//! and has no version that is known, or cannot be understood, says nothing here.

mod choice;
mod raw;
mod word;

use serde_saphyr::Spanned;

use super::place::Text;
use super::yaml::{self, Unread};
use crate::failure::Failure;
use crate::ordered::OrderedSet;
use crate::rules::PeerRule;

pub use word::{Notice, Version, Word};

use choice::Catalogue;
use raw::{RawBreaking, RawBuf};

/// The name of the file.
pub const BUF_NAME: &str = "buf.yaml";

/// Where the form of the file is explained.
const FORM: &str = "https://buf.build/docs/configuration/";

/// A `buf.yaml`, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufFile {
    /// Its path, for messages and places.
    pub path: String,
    /// The version of its form.
    pub version: Version,
    /// Its modules.
    pub modules: Vec<BufModule>,
    /// What buf takes without a word, or with one, and should be looked at.
    pub notices: Vec<Notice>,
    /// What of it is not done here: plugins, policies.
    pub not_done: Vec<Notice>,
}

/// A module: files with one configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufModule {
    /// Its name, such as `buf.build/acme/shop`, if it has one.
    pub name: Option<String>,
    /// The folder where its imports start, inside the version; the old form allows several.
    pub folders: Vec<String>,
    /// What is said about breaking changes, if anything.
    pub breaking: Option<BufBreaking>,
}

/// What is said about breaking changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufBreaking {
    /// The line where it starts.
    pub line: usize,
    /// The choice in words, for people: `FILE`.
    pub words: String,
    /// The rules that count.
    pub ids: OrderedSet<String>,
    /// Where they do not.
    pub ignored: Vec<BufIgnored>,
    /// Whether packages such as `shop.v1beta1` are left out.
    pub ignore_unstable_packages: bool,
}

/// A path that is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufIgnored {
    /// A file or a folder, from the module's folder; empty for the whole module.
    pub path: String,
    /// The rules concerned; `None` for all.
    pub ids: Option<OrderedSet<String>>,
    /// Where it is written.
    pub word: Word,
}

impl BufFile {
    /// Understands a file; `None` when it says nothing about breaking changes that could be understood.
    ///
    /// # Errors
    /// What buf refuses.
    pub fn parse(path: &str, text: &str, rules: &[PeerRule]) -> Result<Option<BufFile>, Failure> {
        Self::parse_in(folder_of(path), path, text, rules)
    }

    /// Understands a file that lies elsewhere and speaks of the top of the version.
    ///
    /// # Errors
    /// What buf refuses.
    pub fn parse_at_the_top(path: &str, text: &str, rules: &[PeerRule]) -> Result<Option<BufFile>, Failure> {
        Self::parse_in("", path, text, rules)
    }

    fn parse_in(folder: &str, path: &str, text: &str, rules: &[PeerRule]) -> Result<Option<BufFile>, Failure> {
        let text = Text { name: path, text: text.strip_prefix('\u{feff}').unwrap_or(text), form: FORM };
        let speaks =
            |line: &str| line.trim_start().trim_start_matches("- ").trim_start_matches('"').starts_with("breaking");
        let concerned = text.text.lines().any(speaks);
        let raw: RawBuf = match yaml::read_or_why(&text) {
            Ok(raw) => raw,
            // That the file cannot be understood is told with what it says of imports.
            Err(Unread::Other(_)) if !concerned => return Ok(None),
            Err(Unread::Key(_)) if !concerned && is_of_another_version(text.text) => return Ok(None),
            Err(Unread::Key(failure) | Unread::Other(failure)) => return Err(failure),
        };
        let version = match version(&text, &raw) {
            Ok(version) => version,
            Err(_) if !concerned => return Ok(None),
            Err(failure) => return Err(failure),
        };
        Reader { catalogue: Catalogue { text, rules, version }, folder }.file(path, raw).map(Some)
    }

    /// Whether any module has something to say.
    pub fn speaks(&self) -> bool {
        self.modules.iter().any(|module| module.breaking.is_some())
    }
}

/// Whether a text says that it has a version which is not known here.
fn is_of_another_version(text: &str) -> bool {
    let written = text.lines().find_map(|line| line.strip_prefix("version:"));
    let written = written.map(|rest| rest.split('#').next().unwrap_or(rest).trim().trim_matches(['"', '\'']));
    let is_known = |written: &str| Version::ALL.iter().any(|version| version.name() == written);
    written.is_some_and(|written| !written.is_empty() && !is_known(written))
}

/// The folder that a file lies in.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn version(text: &Text<'_>, raw: &RawBuf) -> Result<Version, Failure> {
    let Some(written) = &raw.version else {
        // What only older versions have says which one it is.
        let build = raw.build.as_ref().map(|build| build.value.as_ref().is_some_and(|build| build.roots.is_some()));
        let version = match build {
            Some(true) => Version::V1Beta1,
            Some(false) => Version::V1,
            None => Version::V2,
        };
        let help = format!("add the line `version: {}`; buf asks for it too", version.name());
        return Err(text.error_at(1, 1, 1, "`version` is not set", &help));
    };
    let known = Version::ALL.into_iter().find(|version| version.name() == written.value);
    known.ok_or_else(|| {
        let message = format!("`{}` is not a version of buf.yaml", written.value);
        Word::of(written).error(text, &message, "there are v2, v1 and v1beta1")
    })
}

/// A module of version 2, as it is listed.
struct Listed {
    path: String,
    name: Option<String>,
    /// Its own section, where it says something.
    own: Option<(Word, RawBreaking)>,
}

/// What it takes to read one file.
struct Reader<'a> {
    catalogue: Catalogue<'a>,
    folder: &'a str,
}

impl Reader<'_> {
    fn error(&self, word: &Word, message: &str, help: &str) -> Failure {
        word.error(&self.catalogue.text, message, help)
    }

    fn file(&self, path: &str, raw: RawBuf) -> Result<BufFile, Failure> {
        self.refuse_other_versions(&raw)?;
        let mut notices = Vec::new();
        let not_done = not_done(&raw);
        let modules = match self.catalogue.version {
            Version::V2 => self.modules(raw, &mut notices)?,
            Version::V1 | Version::V1Beta1 => vec![self.module(raw, &mut notices)?],
        };
        Ok(BufFile { path: path.to_owned(), version: self.catalogue.version, modules, notices, not_done })
    }

    /// Keys of another version than the file's own.
    fn refuse_other_versions(&self, raw: &RawBuf) -> Result<(), Failure> {
        let is_v2 = self.catalogue.version == Version::V2;
        let roots = raw.build.as_ref().and_then(|build| build.value.as_ref()?.roots.as_ref().map(Word::at));
        let wrong = [
            ("modules", raw.modules.as_ref().map(Word::at).filter(|_| !is_v2), "version v2"),
            ("plugins", raw.plugins.as_ref().map(Word::at).filter(|_| !is_v2), "version v2"),
            ("policies", raw.policies.as_ref().map(Word::at).filter(|_| !is_v2), "version v2"),
            ("build", raw.build.as_ref().map(Word::at).filter(|_| is_v2), "versions v1 and v1beta1"),
            ("build.roots", roots.filter(|_| self.catalogue.version == Version::V1), "version v1beta1"),
        ];
        let name = self.catalogue.version.name();
        match wrong.into_iter().find_map(|(key, word, of)| Some((key, word?, of))) {
            Some((key, word, of)) => Err(self.error(
                &word,
                &format!("`{key}` is a key of {of}, and this file says `version: {name}`"),
                "remove the key or change the version; `buf config migrate` writes version v2",
            )),
            None => Ok(()),
        }
    }

    /// The one module of a file of version 1.
    fn module(&self, raw: RawBuf, notices: &mut Vec<Notice>) -> Result<BufModule, Failure> {
        let roots = raw.build.and_then(|build| build.value?.roots?.value).unwrap_or_default();
        let mut folders: Vec<String> = roots.iter().map(|root| self.inside(root)).collect();
        if folders.is_empty() {
            folders.push(self.folder.to_owned());
        }
        let section = raw.breaking.and_then(section);
        let breaking = match section {
            Some((at, section)) => Some(self.breaking(&at, &section, &self.own_paths(&section)?, notices)?),
            None => None,
        };
        Ok(BufModule { name: raw.name, folders, breaking })
    }

    /// The modules of a file of version 2.
    fn modules(&self, raw: RawBuf, notices: &mut Vec<Notice>) -> Result<Vec<BufModule>, Failure> {
        let top = raw.breaking.and_then(section);
        let listed = raw.modules.and_then(|modules| modules.value).unwrap_or_default();
        let mut found: Vec<Listed> = Vec::new();
        for module in listed {
            let path = match &module.path {
                Some(path) => self.clean(&Word::of(path), "modules")?,
                None => String::new(),
            };
            let own = module.breaking.and_then(section).filter(|(_, section)| !section.says_nothing());
            found.push(Listed { path, name: module.name, own });
        }
        if found.is_empty() {
            found.push(Listed { path: String::new(), name: raw.name, own: None });
        }
        let paths: Vec<String> = found.iter().map(|listed| listed.path.clone()).collect();
        if let Some((_, section)) = &top {
            self.outside_of_modules(&paths, section, notices)?;
        }
        let mut modules = Vec::new();
        for Listed { path, name, own } in found {
            let breaking = match (&own, &top) {
                (Some((at, section)), _) => {
                    let ignored = self.own_paths(section)?;
                    self.refuse_outside(&path, &ignored)?;
                    Some(self.breaking(at, section, &below(&path, ignored), notices)?)
                }
                (None, Some((at, section))) => {
                    let ignored = below(&path, self.own_paths(section)?);
                    Some(self.breaking(at, section, &ignored, notices)?)
                }
                (None, None) => None,
            };
            modules.push(BufModule { name, folders: vec![self.inside(&path)], breaking });
        }
        notices.dedup();
        Ok(modules)
    }

    /// Says which paths at the top lie in no module.
    fn outside_of_modules(
        &self,
        modules: &[String],
        section: &RawBreaking,
        notices: &mut Vec<Notice>,
    ) -> Result<(), Failure> {
        for ignored in self.own_paths(section)? {
            if !modules.iter().any(|module| strip(module, &ignored.path).is_some()) {
                notices.push(Notice {
                    message: format!("`{}` lies in no module, so nothing is ignored by it", ignored.word.text),
                    help: format!(
                        "paths start from the folder of buf.yaml: `{}/…`",
                        modules.first().map_or("", String::as_str)
                    ),
                    word: ignored.word,
                });
            }
        }
        Ok(())
    }

    /// A module's own section may only speak of the module.
    fn refuse_outside(&self, module: &str, ignored: &[BufIgnored]) -> Result<(), Failure> {
        match ignored.iter().find(|ignored| strip(module, &ignored.path).is_none()) {
            Some(ignored) => Err(self.error(
                &ignored.word,
                &format!("`{}` lies outside of the module `{module}`", ignored.word.text),
                "paths start from the folder of buf.yaml, also in the section of a module",
            )),
            None => Ok(()),
        }
    }

    /// One section with the paths that concern one module.
    fn breaking(
        &self,
        at: &Word,
        section: &RawBreaking,
        ignored: &[BufIgnored],
        notices: &mut Vec<Notice>,
    ) -> Result<BufBreaking, Failure> {
        let words = |words: &Option<Vec<Spanned<String>>>| words.iter().flatten().map(Word::of).collect::<Vec<_>>();
        let (uses, except) = (words(&section.uses), words(&section.except));
        let disabled = section.disable_builtin.as_ref().filter(|disabled| disabled.value);
        let (words, ids) = match disabled {
            Some(disabled) => {
                notices.push(Notice {
                    word: Word::at(disabled),
                    message: "`disable_builtin` turns every rule off, so nothing can break here".to_owned(),
                    help: "rules of plugins are not run by wireproof".to_owned(),
                });
                ("no rules".to_owned(), OrderedSet::new())
            }
            None => self.catalogue.choose(&uses, &except, notices)?,
        };
        // What only_ignore names is checked even where no path of it lies in this module.
        for key in section.ignore_only.iter().flat_map(|map| map.keys()) {
            self.catalogue.ids_of(&self.key(key), notices)?;
        }
        let everything = ignored.iter().find(|ignored| ignored.path.is_empty() && ignored.ids.is_none());
        notices.extend(everything.map(|ignored| Notice {
            word: ignored.word.clone(),
            message: format!("`{}` ignores the whole module, so nothing can break here", ignored.word.text),
            help: "name the files or folders that may change".to_owned(),
        }));
        Ok(BufBreaking {
            line: self.line_of_key(at.line),
            words,
            ids,
            ignored: ignored.to_vec(),
            ignore_unstable_packages: section.ignore_unstable_packages.unwrap_or_default(),
        })
    }

    /// The line of `breaking:` above the first line of its section.
    fn line_of_key(&self, first: usize) -> usize {
        let lines: Vec<&str> = self.catalogue.text.text.lines().take(first).collect();
        let key = lines.iter().rposition(|line| line.trim_start().trim_start_matches("- ").starts_with("breaking"));
        key.map_or(first, |index| index + 1)
    }

    /// The place of a key of `ignore_only`.
    fn key(&self, key: &str) -> Word {
        let lines = self.catalogue.text.text.lines().enumerate();
        let starts = |line: &str| {
            let rest = line.trim_start().trim_start_matches(['"', '\'']).strip_prefix(key)?;
            rest.trim_start_matches(['"', '\''])
                .trim_start()
                .starts_with(':')
                .then_some(line.len() - line.trim_start().len())
        };
        let found = lines.into_iter().find_map(|(index, line)| Some((index + 1, starts(line)? + 1)));
        let (line, column) = found.unwrap_or((1, 1));
        Word { text: key.to_owned(), line, column }
    }

    /// Every ignored path of a section, from the folder of the file.
    fn own_paths(&self, section: &RawBreaking) -> Result<Vec<BufIgnored>, Failure> {
        let mut found: Vec<BufIgnored> = Vec::new();
        let mut add = |key: &str, ids: Option<OrderedSet<String>>, paths: &[Spanned<String>]| {
            let start = found.len();
            for path in paths {
                let word = Word::of(path);
                let path = self.clean(&word, key)?;
                found.push(BufIgnored { path, ids: ids.clone(), word });
            }
            self.refuse_nested(key, &found[start..])
        };
        add("ignore", None, section.ignore.as_deref().unwrap_or_default())?;
        for (key, paths) in section.ignore_only.iter().flatten() {
            let ids = self.catalogue.ids_of(&self.key(key), &mut Vec::new())?;
            add("ignore_only", Some(ids), paths.as_deref().unwrap_or_default())?;
        }
        Ok(found)
    }

    /// buf does not allow a path inside of another one.
    fn refuse_nested(&self, key: &str, paths: &[BufIgnored]) -> Result<(), Failure> {
        let inside =
            |one: &BufIgnored, other: &BufIgnored| one.path != other.path && strip(&other.path, &one.path).is_some();
        for one in paths {
            if let Some(other) = paths.iter().find(|other| inside(one, other)) {
                let (within, around) = (&one.word.text, &other.word.text);
                return Err(self.error(
                    &one.word,
                    &format!(
                        "`{within}` in `{key}` lies inside of `{around}`, which is ignored already; buf refuses that"
                    ),
                    "remove the inner one",
                ));
            }
        }
        Ok(())
    }

    /// A path below the folder of the file, without `.` and `..`.
    fn clean(&self, word: &Word, key: &str) -> Result<String, Failure> {
        super::place::relative(&word.text).ok_or_else(|| {
            let message = format!("`{}` in `{key}` leads outside of the folder of buf.yaml", word.text);
            self.error(word, &message, "name a file or folder below it, such as `proto/shop`")
        })
    }

    /// A path from the folder of the file → from the top of the version.
    fn inside(&self, path: &str) -> String {
        super::place::relative(format!("{}/{path}", self.folder).trim_start_matches('/')).unwrap_or_default()
    }
}

/// A section that is there and not empty, with its place.
fn section(raw: Spanned<Option<RawBreaking>>) -> Option<(Word, RawBreaking)> {
    let at = Word::at(&raw);
    raw.value.map(|section| (at, section))
}

/// What is left of a path below a folder.
fn strip<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    if folder.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(folder)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// The paths that lie in a module, from the module's folder.
fn below(module: &str, ignored: Vec<BufIgnored>) -> Vec<BufIgnored> {
    let inside = |ignored: BufIgnored| Some(BufIgnored { path: strip(module, &ignored.path)?.to_owned(), ..ignored });
    ignored.into_iter().filter_map(inside).collect()
}

fn not_done(raw: &RawBuf) -> Vec<Notice> {
    let what = [("plugins", &raw.plugins), ("policies", &raw.policies)];
    let notice = |(key, value): (&str, &Option<Spanned<serde::de::IgnoredAny>>)| {
        let word = Word::at(value.as_ref()?);
        let message = format!("the rules of `{key}` are not run by wireproof");
        Some(Notice { word, message, help: "run `buf breaking` for them".to_owned() })
    };
    what.into_iter().filter_map(notice).collect()
}

#[cfg(test)]
mod tests;
