//! Calls: whether a method that a client calls is answered by the same method of a server of the other side.

use serde_json::Value as Json;

use super::ask;
use super::schema::{Kind, Method, Schema};
use crate::peers::{Id, Peer};
use wireproof::change::Pair;
use wireproof::evidence::{Direction, Outcome};

/// The worst that clients of the old side of a pair experience with servers of its new side.
pub fn worst(
    peer: &mut Peer,
    sides: Pair<&Schema>,
    labels: Pair<&str>,
    direction: Direction,
) -> Option<(Outcome, String)> {
    let answered = labels.map(|label| serde_json::from_str::<Json>(&ask(peer, &["calls", label])).expect("it is JSON"));
    let mut worst: Option<(Outcome, String)> = None;
    for id in sides.old.all(|kind| matches!(kind, Kind::Interface(..))) {
        if !matches!(sides.new.node(id).map(|node| &node.kind), Some(Kind::Interface(..))) {
            continue;
        }
        let none = Vec::new();
        let listed = sides
            .zip(answered.as_ref(), |side, answered| answered[side.display(id)].as_array().unwrap_or(&none).clone());
        for call in &listed.old {
            let outcome = called(sides, (id, direction), call, &listed.new);
            if worst.as_ref().is_none_or(|(so_far, _)| outcome > *so_far) {
                worst = Some((outcome, format!("{direction} {} {call}", sides.old.display(id))));
            }
        }
    }
    worst
}

fn called(sides: Pair<&Schema>, (id, direction): (Id, Direction), call: &Json, answered: &[Json]) -> Outcome {
    let name = |call: &Json| call["name"].as_str().unwrap_or_default().to_owned();
    let meant = method(sides.old, &name(call));
    let there = meant.and_then(|id| sides.new.node(id.0)?.kind.method(id.1));
    // A server that is older need not know what a client may call.
    let has = |of: Id| sides.new.all_above(id).contains(&of);
    let is_asked = |of: (Id, Id)| is_known(sides, of.0) && has(of.0);
    if direction == Direction::Forward && (there.is_none() || !meant.is_some_and(is_asked)) {
        return Outcome::Safe;
    }
    let is_same = |other: &&Json| other["interface"] == call["interface"] && other["ordinal"] == call["ordinal"];
    let Some(answer) = answered.iter().find(is_same) else { return Outcome::Fails };
    let is_renamed = || there.is_none_or(|there| there.name != name(call));
    match method(sides.new, &name(answer)) == meant || is_renamed() {
        true => Outcome::Safe,
        false => Outcome::Wrong,
    }
}

/// Whether an interface goes under the same name or the same id.
fn is_known(sides: Pair<&Schema>, id: Id) -> bool {
    let numbers = sides.map(|side| side.node(id).and_then(|node| node.number));
    sides.old.display(id) == sides.new.display(id) || numbers.old == numbers.new && numbers.old.is_some()
}

/// A method by its name, which no other has.
fn method(schema: &Schema, name: &str) -> Option<(Id, Id)> {
    schema.nodes.iter().find_map(|node| match &node.kind {
        Kind::Interface(_, methods) => {
            methods.iter().find(|method| method.name == name).map(|method| (node.id, method.id))
        }
        _ => None,
    })
}

impl Schema {
    /// An interface and all that it extends.
    fn all_above(&self, id: Id) -> Vec<Id> {
        let mut found = vec![id];
        let mut at = 0;
        while let Some(id) = found.get(at).copied() {
            if let Some(Kind::Interface(extends, _)) = self.node(id).map(|node| &node.kind) {
                found.extend(extends.iter().filter(|above| !found.contains(above)).copied().collect::<Vec<_>>());
            }
            at += 1;
        }
        found
    }
}

impl Kind {
    fn method(&self, id: Id) -> Option<&Method> {
        match self {
            Kind::Interface(_, methods) => methods.iter().find(|method| method.id == id),
            _ => None,
        }
    }
}
