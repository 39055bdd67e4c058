//! What of both versions could not be seen: which of it matters, as changes with facts, and what only is told.
//!
//! Matters: a schema is or was there, or something was there before of which nobody knows what it held, and it is not the
//! same on both sides; where files are judged, or where a judged file imports it. Data in, data out.

use std::sync::Arc;

use crate::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair, Site, Span};
use crate::ordered::OrderedSet;
use crate::snapshot::{Hidden, Snapshot, Unseen};
use crate::syntax::problem::NotChecked;

/// Longer words about what is there are cut in the middle.
const LONG: usize = 200;

/// What there is to tell.
#[derive(Debug, Default)]
pub struct Gaps {
    /// What matters: it could not be told whether it breaks.
    pub changes: Vec<Change>,
    /// What differs and can hurt nobody, as far as is known.
    pub differing: Vec<NotChecked>,
    /// What is the same on both sides.
    pub same: Vec<NotChecked>,
}

/// Something that a side could not see, and what is there on each.
struct Spot<'a> {
    path: &'a Arc<str>,
    sides: Pair<Option<&'a Unseen>>,
    /// Whether each side has a schema there.
    has_schemas: Pair<bool>,
}

/// Looks at what both sides could not see. `missing` are the imports of judged files that lead nowhere.
pub fn told(pair: Pair<&Snapshot>, missing: &OrderedSet<String>) -> Gaps {
    let paths: OrderedSet<&Arc<str>> = pair.old.unseen().keys().chain(pair.new.unseen().keys()).collect();
    let mut told = Gaps::default();
    for path in paths {
        let sides = pair.map(|side| side.unseen().get(path));
        let spot = Spot { path, sides, has_schemas: pair.map(|side| side.has_schema_under(path)) };
        match spot.weight(missing) {
            Weight::Matters => told.changes.push(spot.change()),
            Weight::Differs => told.differing.push(spot.gap()),
            Weight::Same => told.same.push(spot.gap()),
            Weight::Nothing => {}
        }
    }
    told
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    Matters,
    Differs,
    Same,
    Nothing,
}

impl Spot<'_> {
    /// What was or is there, the new side's word first.
    fn unseen(&self) -> &Unseen {
        let Pair { old, new } = self.sides;
        let hidden = |side: Option<&'_ Unseen>| side.is_some_and(|unseen| unseen.what != Hidden::Nothing);
        let told = if hidden(new) { new } else { old.or(new) };
        told.expect("a spot is made of something that is not seen")
    }

    fn weight(&self, missing: &OrderedSet<String>) -> Weight {
        let Pair { old, new } = self.sides;
        let is_nothing = |side: Option<&Unseen>| side.is_some_and(|unseen| unseen.what == Hidden::Nothing);
        if old.is_none_or(|_| is_nothing(old)) && new.is_none_or(|_| is_nothing(new)) {
            return Weight::Nothing;
        }
        if let (Some(old), Some(new)) = (old, new)
            && old.what == new.what
            && old.identity == new.identity
        {
            return Weight::Same;
        }
        // What is known to have held no schema can only gain some.
        let was_there = self.has_schemas.old || old.is_some() && !is_nothing(old);
        let is_weak = self.unseen().what == Hidden::LinkedFolder && !self.has_schemas.old && !self.has_schemas.new
            || is_nothing(new);
        let is_imported = was_there && missing.iter().any(|import| self.may_hold(import));
        match was_there && !is_weak && self.unseen().is_selected || is_imported {
            true => Weight::Matters,
            false => Weight::Differs,
        }
    }

    /// Whether an import could lead here.
    fn may_hold(&self, import: &str) -> bool {
        match self.unseen().what {
            Hidden::Submodule | Hidden::LinkedFolder | Hidden::Unreadable => true,
            Hidden::Link | Hidden::Pointer | Hidden::Large | Hidden::Twice | Hidden::Renamed | Hidden::Nothing => {
                self.path.strip_suffix(import).is_some_and(|above| above.is_empty() || above.ends_with('/'))
            }
        }
    }

    fn change(&self) -> Change {
        let site = |is_there: bool| is_there.then(|| Site { file: self.path.clone(), span: Span::new(0, 0) });
        let there = self.sides.map(|side| side.is_some());
        let at = Pair::new(
            site(there.old || self.has_schemas.old),
            site(there.new || self.has_schemas.new || !there.old && !self.has_schemas.old),
        );
        let state = |side: Option<&Unseen>, has_schemas: bool| match side {
            Some(unseen) => unseen.identity.clone(),
            None if has_schemas => "seen".to_owned(),
            None => "nothing".to_owned(),
        };
        let facts = Facts::none()
            .with(FactKey::OldValue, state(self.sides.old, self.has_schemas.old))
            .with(FactKey::NewValue, state(self.sides.new, self.has_schemas.new))
            .with(FactKey::Name, self.words())
            .with(FactKey::Hint, self.unseen().remedy.clone());
        Change {
            kind: ChangeKind::NotSeen,
            path: self.path.to_string(),
            identity: Identity(format!("unseen {}", self.path)),
            at,
            facts,
            suggestion: None,
            members: Arc::default(),
            left_out: Default::default(),
            heading: None,
            reports: Vec::new(),
        }
    }

    fn gap(&self) -> NotChecked {
        NotChecked { file: self.path.to_string(), what: self.words(), help: self.unseen().remedy.clone() }
    }

    /// What it is, and what happened to it.
    fn words(&self) -> String {
        let Pair { old, new } = self.sides;
        let noun = noun(self.unseen().what);
        let identity = |side: Option<&Unseen>| side.map(|unseen| unseen.identity.clone()).unwrap_or_default();
        let (before, now) = (identity(old), identity(new));
        match (old, new) {
            (Some(_), Some(_)) if before == now => noun.to_owned(),
            (Some(_), Some(_)) => format!("{noun}; it was {} and is {}", short(&before), short(&now)),
            (None, Some(_)) if self.has_schemas.old => format!("{noun} ({}), where a schema was", short(&now)),
            (None, Some(_)) => format!("{noun} ({})", short(&now)),
            (Some(_), None) if self.has_schemas.new => {
                format!("it was {noun} ({}), and is a schema now", short(&before))
            }
            (Some(_), None) => format!("it was {noun} ({}), and is gone", short(&before)),
            (None, None) => noun.to_owned(),
        }
    }
}

/// A commit by its first digits; anything else up to the end of its line, of something very long the beginning and the end.
fn short(identity: &str) -> String {
    let is_id = identity.len() >= 40 && identity.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_id {
        return identity[..7].to_owned();
    }
    let line: Vec<char> = identity.lines().next().unwrap_or_default().chars().collect();
    match line.len() <= LONG {
        true => line.into_iter().collect(),
        false => line[..LONG / 2].iter().chain(&['…']).chain(&line[line.len() - LONG / 2..]).collect(),
    }
}

const fn noun(what: Hidden) -> &'static str {
    match what {
        Hidden::Submodule => "a submodule whose commit is not here",
        Hidden::Link => "a symbolic link that leads out of what is compared, or nowhere",
        Hidden::LinkedFolder => "a link to a folder outside of what is compared, or to nothing",
        Hidden::Pointer => "a pointer to a large file that is not here",
        Hidden::Large => "a file that a schema refers to, and that is too large to be read",
        Hidden::Unreadable => "it may not be read",
        Hidden::Twice => "there twice, with different contents",
        Hidden::Renamed => "a schema went, and much of it stands under this name, which is none of a schema",
        Hidden::Nothing => "a submodule without schemas",
    }
}
