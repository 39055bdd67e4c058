//! Tells each change what Confluent's registry makes of it.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::change::{Change, ChangeKind, FactKey, Identity, Pair, PeerReport, Site};
use crate::evidence::Direction;
use crate::formats::frame::differ::declaration;
use crate::formats::frame::peers::{self, Report, Where};
use crate::formats::json_schema::address::name_of;
use crate::formats::json_schema::linker::Place;
use crate::formats::json_schema::model::{Keyword, Node, NodeId, Part, Schema};
use crate::formats::json_schema::registry::{Difference, Terms, differences};
use crate::ordered::OrderedMap;
use crate::parallel;

/// Who reads under which terms, and the fact that says what is refused.
const ASKED: [(Direction, Terms, FactKey); 4] = [
    (Direction::Backward, Terms::Strict, FactKey::PeerReadsOld),
    (Direction::Forward, Terms::Strict, FactKey::PeerReadsNew),
    (Direction::Backward, Terms::Lenient, FactKey::PeerLenientReadsOld),
    (Direction::Forward, Terms::Lenient, FactKey::PeerLenientReadsNew),
];

/// As which tool the registry is known under terms, and what it says of a difference that it refuses.
const fn tool(terms: Terms) -> (&'static str, &'static str) {
    match terms {
        Terms::Strict => ("confluent", "not compatible under the policy STRICT"),
        Terms::Lenient => ("confluent-lenient", "not compatible under the policy LENIENT"),
    }
}

/// What the registry says of each pair of documents goes to the change of that place, or becomes a change of its own.
pub(super) fn say_what_the_registry_says(schemas: Pair<&Schema>, files: &[Pair<usize>], changes: &mut Vec<Change>) {
    let places = Places { schemas, nodes: schemas.map(by_place) };
    let refused = parallel::map(&ASKED, |(direction, terms, _)| refused(schemas, files, *direction, *terms));
    for ((direction, terms, fact), refused) in ASKED.into_iter().zip(refused) {
        let mut reports = Vec::new();
        let causes = Causes::of(changes);
        for one in refused {
            let of = match direction {
                Direction::Backward => one.places.clone(),
                Direction::Forward => one.places.clone().mirrored(),
            };
            let Some(at) = places.site(&of, &one.rest) else { continue };
            let path = places.path(&of, &one.rest);
            let identity = declaration("registry", &path);
            let cause = causes.find(&at, &path).or_else(|| causes.refused.get(&identity).copied());
            reports.push(Report { cause, identity, path, at: at.clone(), says: (one, at) });
        }
        let state_types = peers::state_checks(fact);
        peers::tell(changes, reports, |change, says| {
            state_types(change, says.iter().map(|(one, _)| one.kind).collect());
            if change.kind == ChangeKind::PeerRefused {
                state_reason(change, direction, &says[0].0);
            }
            let (tool, message) = tool(terms);
            change.reports.extend(says.into_iter().map(|(one, at)| PeerReport {
                tool,
                id: one.kind,
                at: at.into(),
                message: message.to_owned(),
                direction: Some(direction),
                pointer: Some(format!("#/{}", one.path)),
            }));
        });
    }
}

/// What the registry refuses of each pair of documents.
fn refused(schemas: Pair<&Schema>, files: &[Pair<usize>], direction: Direction, terms: Terms) -> Vec<Difference> {
    let mut found = Vec::new();
    for files in files {
        let roots = schemas.zip(*files, |schema, file| schema.shapes.root(file));
        let (Some(old), Some(new)) = (roots.old, roots.new) else { continue };
        let (shapes, ids) = (schemas.map(|schema| &schema.shapes), Pair::new(old, new));
        found.extend(match direction {
            Direction::Backward => differences(shapes, ids, terms),
            Direction::Forward => differences(shapes.mirrored(), ids.mirrored(), terms),
        });
    }
    found
}

/// Says in words what the registry refuses.
fn state_reason(change: &mut Change, direction: Direction, one: &Difference) {
    let reader = match direction {
        Direction::Backward => "new",
        Direction::Forward => "old",
    };
    let reason = format!("{} at #/{}, when the {reader} schema reads", one.kind, one.path);
    let known = change.facts.get(FactKey::Reason).map(|known| match known.contains(&reason) {
        true => known.to_owned(),
        false => format!("{known}; {reason}"),
    });
    change.facts = std::mem::take(&mut change.facts).with(FactKey::Reason, known.unwrap_or(reason));
}

/// Changes by where they stand.
struct Causes<'c> {
    changes: &'c [Change],
    /// The first at each place of each side.
    at: Pair<FxHashMap<&'c Site, usize>>,
    /// Those of each path, in their order.
    paths: OrderedMap<&'c str, Vec<usize>>,
    /// Those that are what the registry refuses by itself.
    refused: FxHashMap<&'c Identity, usize>,
}

impl<'c> Causes<'c> {
    fn of(changes: &'c [Change]) -> Self {
        let (mut at, mut paths) = (Pair::<FxHashMap<&Site, usize>>::default(), OrderedMap::<&str, Vec<usize>>::new());
        let mut refused = FxHashMap::default();
        for (index, change) in changes.iter().enumerate() {
            if change.kind == ChangeKind::PeerRefused {
                refused.entry(&change.identity).or_insert(index);
                continue;
            }
            paths.entry(&*change.path).or_default().push(index);
            if let Some(site) = &change.at.old {
                at.old.entry(site).or_insert(index);
            }
            if let Some(site) = &change.at.new {
                at.new.entry(site).or_insert(index);
            }
        }
        Causes { changes, at, paths, refused }
    }

    /// The change at a place: on the same lines of a side, else what stands on it, in it, or, the nearest, around it.
    fn find(&self, at: &Where, path: &str) -> Option<usize> {
        let Pair { old, new } = Pair::<Option<Site>>::from(at.clone());
        let of_old = old.and_then(|site| self.at.old.get(&site));
        let of_new = new.and_then(|site| self.at.new.get(&site));
        of_old.into_iter().chain(of_new).min().copied().or_else(|| self.near(at, path))
    }

    /// Of the changes with the path, or with a longer one, those are meant that stand inside of the place: that a member is
    /// required is told of the member, and stands elsewhere.
    fn near(&self, at: &Where, path: &str) -> Option<usize> {
        let inner = format!("{path}/");
        let longer = self.paths.range(&*inner..).take_while(|(other, _)| other.starts_with(&inner));
        let exact = self.paths.get(path).into_iter().flatten().copied();
        let within = exact.clone().chain(longer.flat_map(|(_, indices)| indices.iter().copied()));
        let is_inside = |index: &usize| at.is_around(&self.changes[*index].at);
        let inside = exact.filter(is_inside).min().or_else(|| within.clone().filter(is_inside).min());
        let mut around = path.rmatch_indices('/').filter_map(|(end, _)| self.paths.get(&path[..end])?.first().copied());
        inside.or_else(|| within.min()).or_else(|| around.next())
    }
}

/// The places of both sides.
struct Places<'s> {
    schemas: Pair<&'s Schema>,
    nodes: Pair<FxHashMap<(usize, &'s str), NodeId>>,
}

fn by_place(schema: &Schema) -> FxHashMap<(usize, &str), NodeId> {
    let nodes = schema.nodes.iter().enumerate();
    nodes.map(|(id, node)| ((node.file, &*node.pointer), NodeId(id as u32))).collect()
}

impl Places<'_> {
    /// Where something stands on the sides that have it; where neither has, since nothing is validated by it, the nearest
    /// schema around it.
    fn site(&self, of: &Pair<Arc<Place>>, rest: &str) -> Option<Where> {
        let both = |pointers: &Pair<&str>, rest: &str| {
            Where::of(Pair::new(
                site(self.schemas.old, &self.nodes.old, (of.old.0, pointers.old), rest),
                site(self.schemas.new, &self.nodes.new, (of.new.0, pointers.new), rest),
            ))
        };
        let mut pointers = Pair::new(&*of.old.1, &*of.new.1);
        if let Some(exact) = both(&pointers, rest) {
            return Some(exact);
        }
        loop {
            if let Some(around) = both(&pointers, "") {
                return Some(around);
            }
            if pointers.old.is_empty() && pointers.new.is_empty() {
                return None;
            }
            pointers = pointers.map(|pointer| pointer.rsplit_once('/').map_or("", |(around, _)| around));
        }
    }

    /// `shop/order.schema.json#/properties/id`, as the paths of changes are spelled.
    fn path(&self, of: &Pair<Arc<Place>>, rest: &str) -> String {
        let (file, pointer) = &*of.new;
        let slash = if rest.is_empty() { "" } else { "/" };
        format!("{}#{pointer}{slash}{rest}", self.schemas.new.files[*file].path)
    }
}

fn site(schema: &Schema, nodes: &FxHashMap<(usize, &str), NodeId>, of: (usize, &str), rest: &str) -> Option<Site> {
    let find = |pointer: &str| nodes.get(&(of.0, pointer)).map(|id| schema.node(*id));
    let whole = |node: &Node| schema.site(node, node.span);
    if rest.is_empty() {
        return find(of.1).map(whole);
    }
    let (keyword, name) = rest.split_once('/').unwrap_or((rest, ""));
    // The registry knows one keyword for both.
    let spelled = match keyword {
        "dependencies" => &[keyword, "dependentSchemas", "dependentRequired"][..],
        _ => &[keyword][..],
    };
    let mut under = spelled.iter().filter_map(|keyword| find(&format!("{}/{keyword}/{name}", of.1)));
    if let Some(node) = find(&format!("{}/{rest}", of.1)).or_else(|| under.next()) {
        return Some(whole(node));
    }
    let node = find(of.1)?;
    let is_meant = |known: &&Keyword| spelled.contains(&known.written);
    let known = node.keywords.get(keyword).or_else(|| node.keywords.values().find(is_meant))?;
    match &known.part {
        Part::Value(Value::Array(names)) if !name.is_empty() => {
            let name = name_of(name);
            let index = names.iter().position(|one| one.as_str() == Some(&*name))?;
            Some(schema.site(node, known.elements.get(index).copied().unwrap_or(known.span)))
        }
        _ => Some(schema.site(node, known.span)),
    }
}
