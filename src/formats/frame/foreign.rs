//! Files that one side has in this schema language and the other in another one.
//!
//! Two languages may share a notation, and with it the names of files: what was an Avro schema may be a JSON Schema now.
//! Nobody who reads the one reads the other, and that is known without comparing anything inside. A file that is in another
//! language wherever it stands is not judged, and that is said.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::differ::declaration;
use super::language::{Gathered, Input, Language};
use crate::change::{Change, ChangeKind, FactKey, Facts, Pair, Side, Site, Span};
use crate::syntax::problem::{Problem, Severity};

/// A file of both sides in two languages.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rewritten {
    /// What it holds.
    words: Pair<&'static str>,
    /// Where that shows.
    at: Pair<Site>,
}

/// Takes out what is said of files that the other side has in this language, and settles how grave the rest is.
pub(super) fn settle<L: Language>(
    problems: Pair<&mut Vec<Problem>>,
    gathered: Pair<&Gathered<'_, L>>,
) -> Vec<Rewritten> {
    let is_foreign = |problem: &Problem| problem.severity == Severity::Foreign;
    if !problems.old.iter().chain(problems.new.iter()).any(is_foreign) {
        return Vec::new();
    }
    let not_read = Pair::new(not_read(problems.old), not_read(problems.new));
    let mut rewritten = Vec::new();
    for (side, problems) in [(Side::Old, problems.old), (Side::New, problems.new)] {
        let (sides, not_read) = match side {
            Side::Old => (gathered, &not_read.new),
            Side::New => (gathered.mirrored(), &not_read.old),
        };
        problems.retain_mut(|problem| {
            let Some(site) = problem.site.as_ref().filter(|_| is_foreign(problem)) else { return true };
            let other = counterpart(sides, &site.file);
            if let Some((other, [own, foreign])) = other.zip(L::MISTAKEN_FOR)
                && !not_read.contains(&other.path)
            {
                let (words, at) = (Pair::new(foreign, own), Pair::new(site.clone(), start(other)));
                let found = match side {
                    Side::Old => Rewritten { words, at },
                    Side::New => Rewritten { words: words.mirrored(), at: at.mirrored() },
                };
                // A neighbour of the same name that only supplies types says the same.
                if !rewritten.contains(&found) {
                    rewritten.push(found);
                }
                return false;
            }
            // What went held nothing that is judged here.
            let is_gone = other.is_none() && side == Side::Old;
            problem.severity = if is_gone { Severity::Warning } else { Severity::Error };
            true
        });
    }
    rewritten
}

/// The files that could not be read, or are in another language.
fn not_read(problems: &[Problem]) -> FxHashSet<Arc<str>> {
    let grave = problems.iter().filter(|problem| matches!(problem.severity, Severity::Error | Severity::Foreign));
    grave.filter_map(|problem| problem.site.as_ref().map(|site| site.file.clone())).collect()
}

/// The file of the second side that a file of the first one is compared with.
fn counterpart<'g, 't, L: Language>(sides: Pair<&'g Gathered<'t, L>>, file: &Arc<str>) -> Option<&'g Input<'t, L>> {
    match sides.map(|side| &side.inputs[..side.judged]) {
        // Two files that were named to be compared may be called what they like.
        Pair { old: [one], new: [other] } if one.path == *file => Some(other),
        Pair { new, .. } => new.iter().find(|other| other.path == *file),
    }
}

/// The first sign of a file.
fn start<L: Language>(input: &Input<'_, L>) -> Site {
    let at = input.bytes.len() - input.bytes.trim_ascii_start().len();
    let at = u32::try_from(at).unwrap_or_default();
    Site { file: input.path.clone(), span: Span::new(at, at + 1) }
}

/// Says of each that it is in another language, instead of all that would be said of what it held.
pub(super) fn tell(rewritten: &[Rewritten], changes: &mut Vec<Change>) {
    changes.retain(|change| !rewritten.iter().any(|one| is_inside(change, one)));
    changes.extend(rewritten.iter().map(|Rewritten { words, at }| {
        let path = &at.new.file;
        let facts = Facts::none().with(FactKey::OldValue, words.old).with(FactKey::NewValue, words.new);
        let identity = declaration("language", path);
        Change::new(ChangeKind::LanguageChanged, path.to_string(), identity, at.clone().map(Some), facts)
    }));
}

/// Whether all that a change speaks of stands in such a file.
fn is_inside(change: &Change, file: &Rewritten) -> bool {
    let sites = [(&change.at.old, &file.at.old), (&change.at.new, &file.at.new)];
    let mut stated = sites.into_iter().filter_map(|(site, at)| Some((site.as_ref()?, at))).peekable();
    stated.peek().is_some() && stated.all(|(site, at)| site.file == at.file)
}
