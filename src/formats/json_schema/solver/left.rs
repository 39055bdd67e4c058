//! What schemas beside a keyword leave over (`unevaluatedProperties`, `unevaluatedItems`; Core, section 11).

use super::Solver;
use super::cases::Case;
use super::nodes::{Literal, Node, Nodes, Place, Text};

/// How deep it is looked for schemas that evaluate anything.
const DEEPEST: usize = 12;

/// What is left over of members and items.
#[derive(Debug, Default)]
pub(super) struct Left {
    is_of_members: bool,
    names: Vec<Text>,
    patterns: Vec<Text>,
    /// The first item that is left.
    first: usize,
    /// Items that are valid for one of these are not.
    contained: Vec<Literal>,
    /// Whether nothing is.
    is_nothing: bool,
}

impl<'d> Solver<'d> {
    /// What a schema leaves over, as far as it is decided which of those beside it hold; `None` where that is nothing. One that is
    /// not decided where it matters.
    pub(super) fn left(&mut self, place: Place<'d>, is_of_members: bool, case: &Case) -> Result<Option<Left>, Literal> {
        let mut left = Left { is_of_members, ..Left::default() };
        let mut open: Vec<(Place<'d>, bool)> = vec![(place, true)];
        while let Some((place, is_outer)) = open.pop() {
            // What looks at one value may be much, and each decision has it looked at again.
            self.steps += 1;
            left.take(place, is_outer, &mut self.nodes);
            for (literal, part) in self.beside(place) {
                match self.is_decided(literal, case) {
                    Some(true) => open.push((part, false)),
                    None if left.matters(part, &self.nodes, 0) => return Err(literal),
                    Some(false) | None => {}
                }
            }
        }
        Ok((!left.is_nothing).then_some(left))
    }

    /// The schemas that look at the same value, each with what it depends on.
    fn beside(&mut self, place: Place<'d>) -> Vec<(Literal, Place<'d>)> {
        let nodes = &mut self.nodes;
        let plain = place.list("allOf").chain(place.list("anyOf")).chain(place.list("oneOf"));
        let mut beside: Vec<(Literal, Place<'d>)> = plain.map(|part| (nodes.schema(part), part)).collect();
        if let Some((at, (_, target))) = place.child("$ref").and_then(|at| Some((at, nodes.target(at)?))) {
            beside.push((nodes.reference(at), target));
        }
        if let Some(condition) = place.child("if") {
            let literal = nodes.schema(condition);
            beside.push((literal, condition));
            beside.extend(place.child("then").map(|then| (literal, then)));
            beside.extend(place.child("else").map(|other| (literal.denied(), other)));
        }
        let dependent = place.map("dependentSchemas");
        beside.extend(dependent.map(|(name, inner)| (nodes.literal(Node::Required(name.as_str().into())), inner)));
        beside
    }
}

impl Left {
    /// Takes away what a schema itself evaluates.
    fn take<'d>(&mut self, place: Place<'d>, is_outer: bool, nodes: &mut Nodes<'d>) {
        if self.is_of_members {
            self.names.extend(place.map("properties").map(|(name, _)| Text::from(name.as_str())));
            self.patterns.extend(place.map("patternProperties").map(|(pattern, _)| Text::from(pattern.as_str())));
            let has_rest = place.child("additionalProperties").is_some();
            self.is_nothing |= has_rest || !is_outer && place.child("unevaluatedProperties").is_some();
        } else {
            self.first = self.first.max(place.list("prefixItems").count());
            self.contained.extend(place.child("contains").map(|inner| nodes.schema(inner)));
            let has_rest = place.child("items").is_some();
            self.is_nothing |= has_rest || !is_outer && place.child("unevaluatedItems").is_some();
        }
    }

    /// Whether a schema, or one beside it, may evaluate anything.
    fn matters(&self, place: Place<'_>, nodes: &Nodes<'_>, depth: usize) -> bool {
        let own: &[&str] = match self.is_of_members {
            true => &["properties", "patternProperties", "additionalProperties", "unevaluatedProperties"],
            false => &["prefixItems", "items", "contains", "unevaluatedItems"],
        };
        if depth > DEEPEST || own.iter().any(|keyword| place.child(keyword).is_some()) {
            return true;
        }
        let lists = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|keyword| place.list(keyword));
        let plain = ["if", "then", "else"].into_iter().filter_map(|keyword| place.child(keyword));
        let reference = place.child("$ref").and_then(|at| nodes.target(at)).map(|(_, target)| target);
        let dependent = place.map("dependentSchemas").map(|(_, inner)| inner);
        lists.chain(plain).chain(reference).chain(dependent).any(|inner| self.matters(inner, nodes, depth + 1))
    }
}

impl Nodes<'_> {
    /// That what is left over is as another condition says.
    pub(super) fn rest(&mut self, left: Left, inner: Literal) -> Literal {
        match left.is_of_members {
            true => self.literal(Node::Others(left.names, left.patterns, inner)),
            false => {
                let inner = self.any_of(left.contained.into_iter().chain([inner]).collect());
                self.literal(Node::ItemsFrom(left.first, inner))
            }
        }
    }
}
