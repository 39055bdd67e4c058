//! What every language is asked and what it answers. It lies below the languages; the list of them lies above.

use std::sync::Arc;

use super::division::Part;
use super::instances::Usages;
use super::outline::{Outline, Outlines};
use super::refers::Reference;
use super::same_terms::SameTerms;
use super::used::{Declarations, Used};
use super::ways::braces::Braces;
use super::ways::{Broken, Way};
use crate::change::{Change, Pair, Span};
use crate::evidence::Observed;
use crate::ordered::OrderedSet;
use crate::snapshot::{Bytes, Snapshot, name_of};
use crate::syntax::problem::{NotChecked, Problem};

/// The text of a file in UTF-8, by its path; `None` where it is that already.
pub(crate) type AsUtf8 = fn(&str, &[u8]) -> Option<Vec<u8>>;

/// The files that a text embeds, as it writes their paths.
pub(crate) type Embedded = fn(&[u8]) -> Vec<String>;

/// The files to which some files of a version lead, by the roots of imports.
pub(crate) type Leads = fn(&Snapshot, &[String], &OrderedSet<Arc<str>>) -> Vec<Arc<str>>;

/// What the rest of the program knows of a language; each states it beside its own code.
pub(crate) struct Spec {
    /// The name used on the command line, in reports and as the folder of its rules.
    pub(crate) name: &'static str,
    /// What people call it.
    pub(crate) title: &'static str,
    /// The file name extensions, without the dot; the first is that of an example.
    pub(crate) extensions: &'static [&'static str],
    /// The extensions of files that hold data and name its schema, or that may hold anything.
    pub(crate) data_extensions: &'static [&'static str],
    /// Where those may be schemas: whether a file says of itself that it is one. All of them are where the language is asked
    /// for by its name.
    pub(crate) more_are_schemas: Option<fn(&[u8]) -> bool>,
    /// Compares the files of two snapshots.
    pub(crate) check: fn(Pair<&Snapshot>, &CheckOptions) -> Checked,
    /// The part of a file that is text, where that is not all of it.
    pub(crate) text_part: fn(&[u8]) -> Option<Span>,
    /// The text of a file in UTF-8, by its path, where the language may be written in another encoding and this one is.
    pub(crate) as_utf8: Option<AsUtf8>,
    /// Whether files are read only when somebody wants to know what they say: which files a change has to do with is found
    /// out from those that changed, as far as that is possible.
    pub(crate) may_wait: bool,
    /// What the files of a version declare: file and full name.
    pub(crate) declared: fn(&Snapshot) -> Vec<(String, String)>,
    /// The files that a text, by the name by which it is read, refers to by names that are none of the language's.
    pub(crate) references: fn(&str, &[u8]) -> Vec<Reference>,
    /// The files to which some files of a version lead, with roots of imports, and whose names are none of the language's.
    pub(crate) leads: Leads,
    /// The files that a text embeds, as it writes their paths, where the language knows that.
    pub(crate) embedded: Option<Embedded>,
    /// Whether a text with such a name may be the language's; false only where it surely is not.
    pub(crate) may_be: fn(&[u8]) -> bool,
    /// The files that every compiler of the language brings along: the path by which each is imported, and its text.
    pub(crate) built_in: &'static [(&'static str, &'static [u8])],
    /// Those of them whose data are what they are whatever compiler brings them; the others differ from release to release.
    pub(crate) is_settled: fn(&str) -> bool,
    /// The import path of the one that is there in every version, whether or not something imports it.
    pub(crate) always: Option<&'static str>,
    /// What a text says at a glance; `None` where a glance is not enough.
    pub(crate) glance: fn(&[u8]) -> Option<Outline>,
    /// What is needed of a text to say of each of its declarations alone what its elements are known by in data, and these.
    pub(crate) declarations: fn(&[u8]) -> Option<Declarations<'_>>,
    /// Whether nothing but comments and blanks differs in two texts of a file, by its path.
    pub(crate) say_the_same: fn(&str, Pair<&Bytes>) -> bool,
    /// What the elements of one file, by its path, are known by in data.
    pub(crate) used: fn(&str, &Bytes) -> Vec<Used>,
    /// How it is written, where declarations stand in braces: what ways round a break need to know, and what brings
    /// declarations back.
    pub(crate) braces: Option<&'static Braces>,
    /// Ways round a break besides, the best first.
    pub(crate) ways: fn(&Broken<'_>) -> Vec<Way>,
}

/// What files of settings are called.
pub(crate) const SETTINGS: [&str; 4] = ["buf.gen.yaml", "buf.lock", "buf.work.yaml", "buf.yaml"];

/// The two parts of a root of imports that is written as `PREFIX=DIR`: imports that begin with the one start in the other.
pub(crate) fn mapped(root: &str) -> Option<(&str, &str)> {
    let (prefix, folder) = root.split_once('=')?;
    let prefix = prefix.trim_matches('/');
    (!prefix.is_empty()).then_some((prefix, folder))
}

/// Whether a file says how schemas are found, and is none itself.
pub(crate) fn is_settings(path: &str) -> bool {
    // Nearly all paths end in something else, and this is asked of every path.
    if !path.ends_with(".yaml") && !path.ends_with(".lock") {
        return false;
    }
    SETTINGS.contains(&name_of(path))
}

/// Whether a name ends in a dot and one of some extensions, which may have dots themselves.
pub(crate) fn has_end(path: &str, extensions: &[&str]) -> bool {
    let is_end = |end: &&str| {
        let dot = path.len().checked_sub(end.len() + 1).and_then(|at| path.as_bytes().get(at));
        dot == Some(&b'.') && path.ends_with(*end)
    };
    extensions.iter().any(is_end)
}

/// Reading so many files takes a few milliseconds.
const FEW: usize = 300;

/// What a comparison needs beside the two snapshots.
#[derive(Debug, Clone)]
pub struct CheckOptions {
    /// Import roots in order, relative to the snapshot; an absent one is ignored on that side.
    pub include: Vec<String>,
    /// Schema files from outside the snapshots that imports may lead to (import roots in the working directory, a
    /// module cache): import path → text. They supply types and are not judged themselves.
    pub library: Vec<LibraryFile>,
    /// Names of types or services, in full or their last parts where these mean one; when not empty only what they reach
    /// is judged.
    pub roots: Vec<String>,
    /// An import that cannot be found is an error.
    pub strict_imports: bool,
    /// Problems in files that are the same on both sides and not reachable from a change are warnings.
    pub lenient_unchanged: bool,
    /// Files that are the same on both sides and not reachable from a change need not be looked at.
    pub changed_only: bool,
    /// Only this part of the round trips; the comparison is always whole.
    pub part: Option<Part>,
    /// Up to so many files of a language are read sooner than somebody asks whether they have to be.
    pub few: usize,
    /// Files that are the same on both sides are looked at even where no change has to do with them.
    pub everything: bool,
    /// How instances of JSON Schemas are used.
    pub usages: Usages,
    /// On whose terms files are judged: of several that may be what became of one, those on the same terms come first.
    pub terms: SameTerms,
    /// What is known of texts already; whoever checks again and again shares it.
    pub outlines: Outlines,
    /// What has nothing to do with each other is compared by itself, and is known where it was compared before: for whoever
    /// compares many versions, of which most pairs differ in the same.
    pub in_parts: bool,
}

impl Default for CheckOptions {
    fn default() -> Self {
        CheckOptions {
            include: Vec::new(),
            library: Vec::new(),
            roots: Vec::new(),
            strict_imports: false,
            lenient_unchanged: false,
            changed_only: false,
            part: None,
            few: FEW,
            everything: false,
            usages: Usages::default(),
            terms: SameTerms::default(),
            outlines: Outlines::default(),
            in_parts: false,
        }
    }
}

impl CheckOptions {
    /// Whether a problem in a file that is the same on both sides, and that no change has to do with, is a warning: where such files
    /// need not be read, whether one is does not decide.
    pub(crate) fn forgives_unchanged(&self) -> bool {
        self.lenient_unchanged || self.is_narrow()
    }

    /// Whether files that no change has to do with are left aside. What is asked of all files needs all.
    pub(crate) fn is_narrow(&self) -> bool {
        let asks_all = self.strict_imports || !self.roots.is_empty();
        (self.lenient_unchanged || self.changed_only) && !self.everything && !asks_all
    }
}

/// A schema file that only supplies types.
#[derive(Debug, Clone)]
pub struct LibraryFile {
    /// The path by which it is imported.
    pub import_path: String,
    /// Its bytes.
    pub bytes: std::sync::Arc<[u8]>,
}

/// Everything a format found out about a pair of snapshots.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// What changed.
    pub changes: Vec<Change>,
    /// What the round trips showed.
    pub observed: Observed,
    /// What is wrong with either side.
    pub problems: Pair<Vec<Problem>>,
    /// Imports that lead nowhere, on either side.
    pub missing: OrderedSet<String>,
    /// Imports that lead nowhere and whose names are none of the language's: somebody may have to look for such files.
    pub unnamed: OrderedSet<String>,
    /// What was not checked.
    pub not_checked: Vec<NotChecked>,
    /// Those of [`CheckOptions::roots`] that neither side declares in this language.
    pub unknown_roots: Vec<String>,
    /// Files understood on each side.
    pub files: Pair<usize>,
    /// Files of those that were linked and compared: all, or only what a change has to do with.
    pub looked_at: Pair<usize>,
    /// Files parsed; a file that is the same on both sides is parsed once.
    pub files_parsed: usize,
    /// Files for which another part of the check answers: what changed in them was not written and read here.
    pub elsewhere: OrderedSet<String>,
}
