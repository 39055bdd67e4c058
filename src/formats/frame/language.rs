//! What a language owes, and what it is handed for that: the texts, the files with their imports, the sides.
//!
//! This says what there is; how it comes about is said in the files that make it, which all know this one.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::declared::Declared;
use super::roots::Roots;
use super::search::Search;
use super::starts::Starts;
use super::templates;
use crate::change::{Change, Pair, Side, Span};
use crate::evidence::Observed;
use crate::formats::check::CheckOptions;
use crate::formats::division::{Division, Written};
use crate::formats::instances::Usages;
use crate::formats::outline::{Outline, Ties};
use crate::formats::refers::quoted_behind;
use crate::formats::used::{Declarations, Used};
use crate::ordered::OrderedSet;
use crate::snapshot::{Bytes, ContentId, Snapshot};
use crate::syntax::problem::{NotChecked, Problem};
use crate::syntax::tokens;

/// What a language says of one text. With [`Links`], [`Diffs`] and [`Probes`] it is all that a language owes; everything
/// else it gets.
pub trait Language: Sized + 'static {
    /// How a file is read, where the language has several notations.
    type Reading: Debug + Copy + Ord + Hash + Send + Sync;
    /// What one text says.
    type Tree<'b>: Send + Sync;
    /// What looks imports up.
    type Search<'b>: Search + Send + Sync;

    /// The word for an import.
    const IMPORT: &'static str;
    /// Whether a file is found by an address that it gives itself: one that is there may be lost all the same.
    const HAS_ADDRESSES: bool = false;
    /// The import path of a built-in file that is there in every version.
    const ALWAYS: Option<&'static str> = None;
    /// What a text of the language is called, and a text that may be mistaken for one and is in another language.
    const MISTAKEN_FOR: Option<[&'static str; 2]> = None;
    /// By which name outlines are noted, where [`Language::outline`] says of most texts what it can say.
    const OUTLINES: Option<&'static str> = None;

    /// How a file of a snapshot is read; `None` where it is not the language's.
    fn reading(path: &str, bytes: &Bytes) -> Option<Self::Reading>;

    /// Whether data may start from what a file holds, by its path, where it is known of all files together whether something
    /// goes on of what data starts from.
    fn starts_data(_path: &str) -> bool {
        false
    }

    /// What stands behind the name of a file that is read so, where its name does not say it: the ending of such names.
    fn ending(reading: Self::Reading) -> &'static str;

    /// Whether an import is that of a file whose name says that it is the language's.
    fn is_named(import: &str) -> bool {
        Self::reading_by_name(import).is_some()
    }

    /// Whether a text may import a file whose name does not say that it is the language's; perhaps it does not.
    fn may_refer(text: &[u8]) -> bool {
        quoted_behind(text, Self::IMPORT.as_bytes()).any(|path| !Self::is_named(&String::from_utf8_lossy(path)))
    }

    /// How a file from outside is read.
    fn reading_by_name(path: &str) -> Option<Self::Reading> {
        Self::reading(path, &Bytes::from([]))
    }

    /// What a text says, and what is wrong with it.
    fn parse<'b>(reading: Self::Reading, path: &Arc<str>, bytes: &'b [u8]) -> Content<'b, Self>;

    /// How texts are cut into tokens, where little else than these says anything; `None` where blanks or the ends of lines do.
    fn tokens(_reading: Self::Reading) -> Option<tokens::Style> {
        None
    }

    /// A tree is as good for a shorter time. (`tree` is the answer; the compiler has to be told for each language.)
    fn shorter<'t, 'b: 't>(tree: &'t Self::Tree<'b>) -> &'t Self::Tree<'t>;

    /// What a file imports, in the order written.
    fn imports<'i>(tree: &'i Self::Tree<'_>) -> Vec<Import<'i, Self>>;

    /// Whether a file of that text may use anything of what it imports. Where it cannot, a lost import takes nothing away.
    fn may_use(_text: &[u8], _import: &str) -> bool {
        true
    }

    /// Whether a file that was only guessed may be the one that is meant: it declares something that the importing one uses
    /// and that none of the files declares that are imported without a guess.
    fn may_declare(_importing: &Self::Tree<'_>, _guessed: &Self::Tree<'_>, _sure: &[&Self::Tree<'_>]) -> bool {
        true
    }

    /// Where the imports of a version lead.
    fn search<'b>(snapshot: &'b Snapshot, options: &'b CheckOptions) -> Self::Search<'b>;

    /// The file of that import path that is built into the language.
    fn builtin<'t>(_import: &str) -> Option<(&'static str, &'t Self::Tree<'t>)> {
        None
    }

    /// The names by which files lead to each other without imports.
    fn mentions(_tree: &Self::Tree<'_>) -> Mentions {
        Mentions::default()
    }

    /// Where what differs between two texts of one file concerns nobody but this file, what it imports, and whoever spells
    /// one of a few names: those names. Whatever else others take from it is there as before, and nothing that is said of
    /// the change depends on any of them.
    fn stays_inside(_old: &Self::Tree<'_>, _new: &Self::Tree<'_>) -> Option<Concerned> {
        None
    }

    /// The same of a file that the old side does not have.
    fn stays_inside_where_new(_new: &Self::Tree<'_>) -> Option<Concerned> {
        None
    }

    /// What a text says at a glance: no less than its tree says, and perhaps more; `None` where a glance is not enough. Only
    /// of languages in which nothing but imports leads from one file to another.
    fn outline(_text: &[u8]) -> Option<Outline> {
        None
    }

    /// The parts of a text that can name something: all but comments, or more.
    fn between_comments(text: &[u8]) -> Vec<&[u8]> {
        vec![text]
    }

    /// What ties a file to others that it does not import.
    fn ties(path: &str, tree: &Self::Tree<'_>) -> Ties;

    /// The contents that can only be understood with the help of other files.
    fn supplied<'b>(
        _contents: &Contents<'b, Self>,
        _versions: &[&'b Snapshot],
        _options: &'b CheckOptions,
    ) -> FxHashMap<ContentId, Supplied<'b, Self>> {
        FxHashMap::default()
    }

    /// The declarations of a text of which [`Language::used`] says the same where each stands alone; `None` where that is not so,
    /// or not seen at a glance.
    fn declarations(_text: &[u8]) -> Option<Declarations<'_>> {
        None
    }

    /// What data know the parts of the elements of a text by, where that can be freed and taken again: numbers, ids, slots, and
    /// names where these alone identify.
    fn used(_tree: &Self::Tree<'_>) -> Vec<Used> {
        Vec::new()
    }
}

/// How a file of a snapshot is read, by its own name or by one by which a text refers to it.
pub(super) fn reading_in<L: Language>(side: &Snapshot, path: &str, bytes: &Bytes) -> Option<L::Reading> {
    side.names(path).find_map(|name| L::reading(name, bytes))
}

/// Says in an implementation of [`Language`] whose texts have one notation by which name a file is such a text, what parses
/// it, and how it is cut into tokens, if that says enough.
macro_rules! one_notation {
    ($extension:literal, $parse:path, $tokens:expr) => {
        type Reading = ();

        fn reading(path: &str, _bytes: &$crate::snapshot::Bytes) -> Option<()> {
            path.ends_with($extension).then_some(())
        }

        fn ending((): ()) -> &'static str {
            $extension
        }

        fn parse<'b>(
            (): (),
            path: &std::sync::Arc<str>,
            bytes: &'b [u8],
        ) -> $crate::formats::frame::language::Content<'b, Self> {
            $crate::formats::frame::language::Content::of(bytes, $parse(path, bytes))
        }

        fn tokens((): ()) -> Option<$crate::syntax::tokens::Style> {
            $tokens
        }

        fn shorter<'t, 'b: 't>(tree: &'t Self::Tree<'b>) -> &'t Self::Tree<'t> {
            tree
        }
    };
}

pub(crate) use one_notation;

/// What a language says of the files of a side.
pub trait Links: Language {
    /// The files, every name resolved.
    type Schema<'t>: Send + Sync;

    /// What the full names in a file begin with, by its path, where what the file is called is a part of them.
    const STEM: Option<fn(&str) -> &str> = None;

    /// Whether what is behind an import that leads nowhere is compared by its name.
    const BY_NAME: bool = true;

    /// Resolves names, and checks what compilers check.
    fn link<'t>(gathered: &Gathered<'t, Self>, side: Side) -> Linkage<Self::Schema<'t>>;

    /// The types and services of a schema.
    fn declared<'s>(schema: &'s Self::Schema<'_>) -> Vec<Declared<'s>>;

    /// Where data can start, where nobody names it.
    fn starts<'s>(_schema: &'s Self::Schema<'_>) -> Starts<'s> {
        Starts::default()
    }

    /// Which file has to do with which other, beside those that it imports.
    fn references<'s>(_schema: &'s Self::Schema<'_>) -> Vec<(&'s str, &'s str)> {
        Vec::new()
    }

    /// What is wrong with data of a version whose schemas are sound.
    fn damaged(_snapshot: &Snapshot, _schema: &Self::Schema<'_>) -> Vec<Problem> {
        Vec::new()
    }
}

/// What a language says of two sides.
pub trait Diffs: Links {
    /// What was compared with what.
    type Pairs: Debug;

    /// Pairs, and states facts: what differs, and what met.
    fn diff(schemas: Pair<&Self::Schema<'_>>, roots: &Roots) -> Diff<Self::Pairs>;

    /// The types that roots reach and nothing in the version is called: the file that needs each, and its name as written.
    /// None in a language whose types are known by their full names wherever they stand.
    fn unknown(_schema: &Self::Schema<'_>, _roots: &Roots) -> OrderedSet<(Arc<str>, String)> {
        OrderedSet::new()
    }
}

/// What readers of the one side see of data of the other.
pub trait Probes: Diffs {
    /// Writes and reads data of whatever differs.
    fn probe(compared: &Compared<'_, '_, Self>, division: &Division) -> Observed;

    /// What of that is written at all.
    fn written<'s>(compared: &Compared<'s, '_, Self>) -> Vec<Written<'s>>;
}

/// What one text says.
pub struct Content<'b, L: Language> {
    /// The text.
    pub(crate) bytes: &'b [u8],
    /// What could be understood.
    pub(crate) tree: L::Tree<'b>,
    /// What is wrong; the places may name another file of the same content.
    pub(crate) problems: Vec<Problem>,
    /// What of the file is not looked at.
    pub(crate) not_checked: Option<NotChecked>,
}

/// What a text says with the help of other files.
pub struct Supplied<'b, L: Language> {
    /// What it says.
    pub(crate) content: Content<'b, L>,
    /// The files that define its types.
    pub(crate) suppliers: Vec<Supplier<L>>,
}

/// A file that defines types for another which does not import it.
pub enum Supplier<L: Language> {
    /// A file of a version, by its path and its content.
    File(Arc<str>, (ContentId, L::Reading)),
    /// A file of the library, by its place in the options.
    Library(usize),
}

impl<'b, L: Language> Content<'b, L> {
    /// What was understood of a text, all of which is looked at.
    pub(crate) fn of(bytes: &'b [u8], (tree, mut problems): (L::Tree<'b>, Vec<Problem>)) -> Self {
        templates::say(bytes, &mut problems);
        Content { bytes, tree, problems, not_checked: None }
    }
}

impl<L: Language> Clone for Supplier<L> {
    fn clone(&self) -> Self {
        match self {
            Supplier::File(path, key) => Supplier::File(path.clone(), *key),
            Supplier::Library(index) => Supplier::Library(*index),
        }
    }
}

/// A content of the versions, parsed when it is needed for the first time.
pub(super) struct Slot<'b, L: Language> {
    pub(super) path: &'b Arc<str>,
    pub(super) bytes: &'b Bytes,
    /// Apart, since most contents are never parsed.
    pub(super) content: OnceLock<Box<Content<'b, L>>>,
    /// Whether it was parsed and is not needed any more; who needs it after all has it parsed again.
    pub(super) is_forgotten: bool,
}

/// The contents of all versions, and of the library as far as they are needed.
pub struct Contents<'b, L: Language> {
    pub(super) by_id: FxHashMap<(ContentId, L::Reading), Slot<'b, L>>,
    /// By the place of the file in the options; it is read as it is imported first.
    pub(super) library: Vec<OnceLock<Content<'b, L>>>,
    /// Contents that need other files to be understood.
    pub(super) supplied: FxHashMap<ContentId, Supplied<'b, L>>,
    pub(super) options: &'b CheckOptions,
    pub(super) is_large: bool,
}

/// A file to link.
pub struct Input<'t, L: Language> {
    /// Its path in the snapshot, or the path by which a file from outside is imported.
    pub(crate) path: Arc<str>,
    /// The path by which others import it.
    pub(crate) import_path: Arc<str>,
    /// What identifies its text, where it is of the snapshot.
    pub(super) id: Option<ContentId>,
    /// Its text.
    pub(crate) bytes: &'t [u8],
    /// What it says.
    pub(crate) tree: &'t L::Tree<'t>,
    /// What was wrong with its text; the places may name another file of the same content.
    pub(crate) problems: &'t [Problem],
    /// Whether it only supplies types.
    pub(crate) is_library: bool,
    /// The number of the terms on which it is judged.
    pub(crate) terms: usize,
    /// Whether nothing names the file, so that nothing is said of it.
    pub(super) is_unasked: bool,
    /// The inputs that its imports lead to, in the order of the imports.
    pub(crate) imports: Vec<Option<usize>>,
    /// What is wrong with its imports.
    pub(super) import_problems: Vec<Problem>,
    /// What is wrong with them instead, by their places there if they have one, where names are used that nobody could look
    /// up.
    pub(super) doubts: Vec<(Option<usize>, Problem)>,
}

/// The files of one version.
pub struct Gathered<'t, L: Language> {
    /// The judged files in the order of their paths, then those that only supply types.
    pub(crate) inputs: Vec<Input<'t, L>>,
    /// How many of the files are judged.
    pub(crate) judged: usize,
    /// Whether one file is judged, and the version has no other one that was not looked at: such a file is known without
    /// its name.
    pub(crate) is_alone: bool,
    /// Whether the version has no other file that is judged and was not looked at.
    pub(crate) is_whole: bool,
    /// The input that is there in every version, [`Language::ALWAYS`].
    pub(crate) always: Option<usize>,
    /// What is not looked at: imports that were not found, parts of files.
    pub(super) not_checked: Vec<NotChecked>,
    /// What is wrong, and with no file of the language.
    pub(super) problems: Vec<Problem>,
    pub(super) missing: Vec<Missing>,
    /// Those whose names are none of the language's.
    pub(super) unnamed: OrderedSet<String>,
    /// Whether the library has more files than were imported.
    pub(super) has_more: bool,
    /// How instances of the schemas are used, where they have such.
    pub(crate) usages: Usages,
}

impl<'t, L: Language> Gathered<'t, L> {
    /// The judged files, in the order of their paths.
    pub(super) fn judged(&self) -> impl Iterator<Item = &Input<'t, L>> {
        self.inputs[..self.judged].iter()
    }
}

/// An import that was not found, and the warning about it, where it is the first of that path.
pub(super) struct Missing {
    pub(super) input: usize,
    pub(super) problem: Option<usize>,
    pub(super) import: String,
    pub(super) span: Span,
    pub(super) help: String,
}

/// An import as written.
pub struct Import<'i, L: Language> {
    /// Its path.
    pub(crate) path: &'i str,
    /// Where the path stands.
    pub(crate) span: Span,
    /// How the file is read.
    pub(crate) reading: L::Reading,
}

/// Full names that a file defines, and names of other files that it uses.
#[derive(Debug, Default)]
pub struct Mentions {
    /// What it defines.
    pub(crate) defines: Vec<String>,
    /// What it uses, each by all the names that it may mean.
    pub(crate) uses: Vec<Vec<String>>,
}

/// The names of a file by which others take from it what is not as before.
#[derive(Debug, Clone, Default)]
pub struct Concerned {
    /// The full names that only the new text declares.
    pub(crate) declared: Vec<String>,
    /// The full names of members that are gone or are others now.
    pub(crate) members: Vec<String>,
    /// The full names of what is not what it was, and is felt by who leads to the file and uses it.
    pub(crate) felt: Vec<String>,
}

/// One side, linked.
#[derive(Debug, Default)]
pub struct Linkage<S> {
    /// Everything that could be understood.
    pub(crate) schema: S,
    /// What is wrong.
    pub(crate) problems: Vec<Problem>,
    /// Whether a name was found nowhere, and no missing import accounts for that.
    pub(crate) lacks_names: bool,
}

/// The outcome of comparing two sides.
#[derive(Debug, Default)]
pub struct Diff<P> {
    /// What changed, in no particular order.
    pub(crate) changes: Vec<Change>,
    /// What was compared with what.
    pub(crate) pairs: P,
}

/// Two sides and what differs, as the round trips need it.
pub struct Compared<'s, 't, L: Diffs> {
    /// The sides.
    pub(crate) schemas: Pair<&'s L::Schema<'t>>,
    /// What was compared with what.
    pub(crate) pairs: &'s L::Pairs,
    /// What changed.
    pub(crate) changes: &'s [Change],
    /// The files.
    pub(crate) snapshots: Pair<&'s Snapshot>,
}
