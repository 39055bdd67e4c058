//! Changes between types, or between defaults, of which one is not known, since it is in no file that was found: what readers
//! make of each other's data there nobody can tell, neither that they are hurt nor that they are not.

use rustc_hash::FxHashSet;

use crate::change::{Change, ChangeKind, FactKey, Identity, Pair, Site};
use crate::evidence::{Direction, Observed, Outcome, Surface, Undecided};
use crate::syntax::problem::Problem;

/// Says of each such change that it could not be told, in both directions. What was seen there is a guess as well: where
/// everything else lies may follow from what is not known.
pub(super) fn say(changes: &[Change], observed: &mut Observed) {
    let all = || changes.iter().flat_map(|change| std::iter::once(change).chain(change.members.iter()));
    let defaults = all().filter(|change| is_of_an_unknown_default(change));
    observed.undecided.extend(defaults.flat_map(undecided_default));
    let untold: Vec<&Change> = all().filter(|change| is_of_an_unknown_type(change)).collect();
    if untold.is_empty() {
        return;
    }
    let identities: FxHashSet<&Identity> = untold.iter().map(|change| &change.identity).collect();
    observed.observations.retain(|seen| !identities.contains(&seen.identity));
    observed.exercised.retain(|(identity, ..)| !identities.contains(identity));
    observed.partly.retain(|(identity, ..)| !identities.contains(identity));
    for change in untold {
        let directions = [
            (Direction::Backward, "new readers can read old data"),
            (Direction::Forward, "old readers can read new data"),
        ];
        for (direction, readers) in directions {
            observed.undecided.push(undecided(change, direction, readers));
        }
    }
}

/// Where an error says of something that it was not found, it is not said besides that what depends on it could not be told.
pub(super) fn tell_once(observed: &mut Observed, problems: Pair<&[Problem]>) {
    for undecided in &mut observed.undecided {
        let places = [(&undecided.lacks.old, problems.old), (&undecided.lacks.new, problems.new)];
        undecided.is_told = places.into_iter().any(|(place, problems)| {
            let Some(place) = place else { return false };
            let is_there = |site: &Site| {
                site.file == place.file && place.span.start <= site.span.start && site.span.end <= place.span.end
            };
            problems.iter().any(|problem| problem.is_error() && problem.site.as_ref().is_some_and(is_there))
        });
    }
}

fn is_of_an_unknown_type(change: &Change) -> bool {
    let is = |key, word| change.facts.get(key) == Some(word);
    match change.kind {
        ChangeKind::AnnotationChanged | ChangeKind::FieldDefaultChanged => false,
        _ => is(FactKey::Relation, "opaque") || is(FactKey::Relation, "unknown") || is(FactKey::Structure, "unknown"),
    }
}

fn is_of_an_unknown_default(change: &Change) -> bool {
    let is = |key| change.facts.get(key) == Some("unknown");
    change.kind == ChangeKind::FieldDefaultChanged && (is(FactKey::Default) || is(FactKey::Relation))
}

/// In each direction in which readers feel it if the defaults differ. All else that was seen at the field stands.
fn undecided_default(change: &Change) -> impl Iterator<Item = Undecided> {
    let directions = [
        (Direction::Backward, FactKey::ReadsOld, "new readers see what writers of old data meant"),
        (Direction::Forward, FactKey::ReadsNew, "old readers see what writers of new data meant"),
    ];
    let felt = directions.into_iter().filter(|(_, key, _)| change.facts.get(*key) != Some(Outcome::Safe.name()));
    felt.map(|(direction, _, readers)| Undecided {
        cells: Vec::new(),
        direction,
        at: change.at.clone(),
        message: format!(
            "whether {readers} where nothing was written at `{}` could not be told: one default at least is not known, {} \
             before and {} now",
            change.path,
            change.facts.get(FactKey::OldValue).unwrap_or("a default"),
            change.facts.get(FactKey::NewValue).unwrap_or("a default"),
        ),
        help: "see that the file is found that says what it is: `-I DIR`, with a folder that holds it".to_owned(),
        lacks: Pair::default(),
        is_told: false,
    })
}

fn undecided(change: &Change, direction: Direction, readers: &str) -> Undecided {
    let cell = |surface| (change.identity.clone(), surface, direction);
    let called = |key| change.facts.get(key).unwrap_or("a type");
    let message = format!(
        "whether {readers} at `{}` could not be told: one of its types at least is not known, {} before and {} now",
        change.path,
        called(FactKey::OldType),
        called(FactKey::NewType),
    );
    Undecided {
        cells: vec![cell(Surface::Wire), cell(Surface::Json)],
        direction,
        at: change.at.clone(),
        message,
        help: "see that the file is found that declares it: `-I DIR`, with a folder that holds it".to_owned(),
        lacks: Pair::default(),
        is_told: false,
    }
}
