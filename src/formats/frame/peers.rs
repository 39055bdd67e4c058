//! What other tools report: told of the change that it follows from, or a change of its own.

use crate::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair, Site};
use crate::ordered::OrderedMap;

/// Where something stands: on one side at least.
#[derive(Debug, Clone)]
pub(crate) enum Where {
    /// It is gone.
    Old(Site),
    /// It is new.
    New(Site),
    /// It is there on both sides.
    Both(Pair<Site>),
}

impl Where {
    /// The place that is known, if a side has one.
    pub(crate) fn of(at: Pair<Option<Site>>) -> Option<Where> {
        match (at.old, at.new) {
            (Some(old), Some(new)) => Some(Where::Both(Pair::new(old, new))),
            (Some(old), None) => Some(Where::Old(old)),
            (None, Some(new)) => Some(Where::New(new)),
            (None, None) => None,
        }
    }

    /// Whether something stands at the same place of a side.
    pub(crate) fn meets(&self, at: &Pair<Option<Site>>) -> bool {
        let Pair { old, new } = Pair::<Option<Site>>::from(self.clone());
        (old.is_some() && old == at.old) || (new.is_some() && new == at.new)
    }

    /// Whether something stands at the same place of a side, or inside of it.
    pub(crate) fn is_around(&self, at: &Pair<Option<Site>>) -> bool {
        let is_inside = |(outer, inner): (Option<Site>, &Option<Site>)| {
            outer.zip(inner.as_ref()).is_some_and(|(outer, inner)| {
                let (around, within) = (outer.span, inner.span);
                outer.file == inner.file && around.start <= within.start && within.end <= around.end
            })
        };
        let Pair { old, new } = Pair::<Option<Site>>::from(self.clone());
        is_inside((old, &at.old)) || is_inside((new, &at.new))
    }
}

impl From<Where> for Pair<Option<Site>> {
    fn from(at: Where) -> Self {
        match at {
            Where::Old(old) => Pair::new(Some(old), None),
            Where::New(new) => Pair::new(None, Some(new)),
            Where::Both(Pair { old, new }) => Pair::new(Some(old), Some(new)),
        }
    }
}

/// A check of a tool that fails; `S` is what it can be about.
#[derive(Debug)]
pub(crate) struct Failure<S> {
    /// The name of the check.
    pub(crate) check: &'static str,
    /// What it is about.
    pub(crate) subject: S,
    /// Where.
    pub(crate) at: Where,
}

/// Something that a tool reports; `R` is what it says.
#[derive(Debug)]
pub(crate) struct Report<R> {
    /// The change that it follows from, by its place in the list; `None` where nothing changed.
    pub(crate) cause: Option<usize>,
    /// What identifies its subject where it stands alone.
    pub(crate) identity: Identity,
    /// What its subject is called.
    pub(crate) path: String,
    /// Where it stands.
    pub(crate) at: Where,
    /// What the tool says.
    pub(crate) says: R,
}

/// Tells each change what follows from it. What no change accounts for becomes a change of its own. `state` writes down
/// all that is said of one change.
pub(crate) fn tell<R>(
    changes: &mut Vec<Change>,
    reports: impl IntoIterator<Item = Report<R>>,
    state: impl Fn(&mut Change, Vec<R>),
) {
    let mut told: OrderedMap<usize, Vec<R>> = OrderedMap::new();
    let mut alone: OrderedMap<Identity, (String, Where, Vec<R>)> = OrderedMap::new();
    for Report { cause, identity, path, at, says } in reports {
        match cause {
            Some(index) => told.entry(index).or_default().push(says),
            None => alone.entry(identity).or_insert_with(|| (path, at, Vec::new())).2.push(says),
        }
    }
    for (index, says) in told {
        state(&mut changes[index], says);
    }
    for (identity, (path, at, says)) in alone {
        let mut change = Change::new(ChangeKind::PeerRefused, path, identity, at.into(), Facts::none());
        state(&mut change, says);
        changes.push(change);
    }
}

/// States the names of checks in a fact, each once and in the order in which they were reported.
pub(crate) fn state_checks(fact: FactKey) -> impl Fn(&mut Change, Vec<&'static str>) {
    move |change, checks| {
        let mut names: Vec<&str> = Vec::new();
        for check in checks {
            if !names.contains(&check) {
                names.push(check);
            }
        }
        change.facts = std::mem::take(&mut change.facts).with(fact, names.join(" "));
    }
}
