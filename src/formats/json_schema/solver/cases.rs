//! Cases: what conditions say of one kind of value, divided until nothing is left to choose.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::datum::Datum;
use super::members::Members;
use super::nodes::{Kind, Literal, Node};
use super::{Found, Solver};

/// What is known of one kind of value.
#[derive(Debug, Clone)]
pub(super) struct Case {
    kind: Kind,
    /// What holds and was not looked at yet.
    open: Vec<Literal>,
    holds: FxHashSet<Literal>,
    /// What is plain.
    plain: Vec<Literal>,
    /// Of each of these one has to hold, with all that it says.
    choices: Vec<Rc<Vec<Vec<Literal>>>>,
    /// Whether something holds of which nothing is known.
    is_doubtful: bool,
}

impl Case {
    /// How many conditions are in it.
    fn size(&self) -> usize {
        let choices = self.choices.iter().map(|choice| 1 + choice.len()).sum::<usize>();
        self.open.len() + self.holds.len() + self.plain.len() + choices
    }

    fn choose(&mut self, choice: Vec<Vec<Literal>>) {
        self.choices.push(Rc::new(choice));
    }
}

/// How deep it is looked whether a condition says anything of a kind of value.
const DEEPEST_GLANCE: usize = 4;
/// Branches beyond which not each pair of them is looked at.
const MOST_BRANCHES: usize = 60;

impl Solver<'_> {
    /// A value of one kind of which some conditions hold.
    pub(super) fn of_kind(&mut self, kind: Kind, conditions: &[Literal]) -> Found<Datum> {
        let is_out = |literal: &Literal| self.glance(*literal, kind, 0) == Some(false);
        if conditions.iter().any(is_out) {
            return Found::Nothing;
        }
        self.divide(Case {
            kind,
            open: conditions.to_vec(),
            holds: FxHashSet::default(),
            plain: Vec::new(),
            choices: Vec::new(),
            is_doubtful: false,
        })
    }

    /// Whether a condition holds of all values of a kind, or of none, as far as that is seen at once.
    fn glance(&self, literal: Literal, kind: Kind, depth: usize) -> Option<bool> {
        let found = match self.nodes.shared(literal) {
            Node::Kinds(kinds) => Some(kind.is_in(*kinds)),
            Node::Among(numbers) => {
                let is_any = numbers.iter().any(|number| Kind::of(self.nodes.value(*number)) == kind);
                if is_any { None } else { Some(false) }
            }
            Node::All(parts) if depth < DEEPEST_GLANCE => {
                self.looks_at(parts.len());
                let mut all = Some(true);
                for part in parts {
                    match self.glance(*part, kind, depth + 1) {
                        Some(true) => {}
                        Some(false) => return Some(literal.is_denied()),
                        None => all = None,
                    }
                }
                all
            }
            node => node.about().filter(|about| !kind.is_in(*about)).map(|_| true),
        };
        found.map(|holds| holds != literal.is_denied())
    }

    fn divide(&mut self, mut case: Case) -> Found<Datum> {
        loop {
            if !self.settle(&mut case) {
                return Found::Nothing;
            }
            match self.without_the_settled(&mut case) {
                None => return Found::Nothing,
                Some(false) => break,
                Some(true) => {}
            }
        }
        self.looks_at(case.size());
        if !self.may_go_on() {
            return Found::Unknown;
        }
        let Some(next) = (0..case.choices.len()).min_by_key(|index| case.choices[*index].len()) else {
            let found = self.plain_of(case.kind, &case.plain);
            return found.doubted(case.is_doubtful);
        };
        if self.plain_of(case.kind, &case.plain) == Found::Nothing {
            return Found::Nothing;
        }
        let alternatives = case.choices.swap_remove(next);
        Found::first(alternatives.iter().map(|alternative| {
            let mut with = case.clone();
            // What was looked at before need not be again.
            if let [one] = alternative[..] {
                case.open.extend(self.leaves_no_choice(one).then(|| one.denied()));
            }
            with.open.extend(alternative);
            self.looks_at(alternative.len());
            self.divide(with)
        }))
    }

    /// Whether neither a condition nor its denial leaves anything to choose.
    fn leaves_no_choice(&self, literal: Literal) -> bool {
        matches!(self.nodes.shared(literal), Node::Required(_) | Node::Kinds(_))
    }

    /// Brings what is open to where it belongs; whether it can hold.
    fn settle(&mut self, case: &mut Case) -> bool {
        while let Some(literal) = case.open.pop() {
            if case.holds.contains(&literal.denied()) {
                return false;
            }
            if !case.holds.insert(literal) {
                continue;
            }
            match self.glance(literal, case.kind, 0) {
                Some(true) => {}
                Some(false) => return false,
                None => {
                    if !self.place(literal, case) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Leaves choices out that are made, and takes those of which one alternative is left. Whether something is open then;
    /// `None` where one has none left.
    fn without_the_settled(&mut self, case: &mut Case) -> Option<bool> {
        let mut kept = Vec::new();
        let is_object = case.kind == Kind::OBJECT && !case.choices.is_empty();
        let members = is_object.then(|| self.members_of(&case.plain));
        for mut choice in std::mem::take(&mut case.choices) {
            self.looks_at(choice.iter().map(Vec::len).sum());
            let mut left = Vec::new();
            let mut is_made = false;
            for (index, alternative) in choice.iter().enumerate() {
                match self.all_hold(alternative, case, members.as_ref()) {
                    Some(true) => is_made = true,
                    Some(false) => {}
                    None => left.push(index),
                }
            }
            if is_made {
                continue;
            }
            if left.len() < choice.len() {
                choice = Rc::new(left.into_iter().map(|index| choice[index].clone()).collect());
            }
            match choice.len() {
                0 => return None,
                1 => case.open.extend(choice.iter().flatten()),
                _ => kept.push(choice),
            }
        }
        case.choices = kept;
        Some(!case.open.is_empty())
    }

    /// Whether all of some conditions hold in a case, where that is seen.
    fn all_hold(&mut self, literals: &[Literal], case: &Case, members: Option<&Members>) -> Option<bool> {
        let mut all = Some(true);
        for literal in literals {
            let decided = self.is_decided(*literal, case);
            match decided.or_else(|| members.and_then(|members| self.follows(*literal, members, 0))) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => all = None,
            }
        }
        all
    }

    /// Divides one condition; whether it can hold.
    fn place(&mut self, literal: Literal, case: &mut Case) -> bool {
        let is_denied = literal.is_denied();
        match &*self.nodes.node(literal) {
            Node::All(parts) if is_denied => case.choose(parts.iter().map(|part| vec![part.denied()]).collect()),
            Node::All(parts) => case.open.extend(parts),
            Node::One(branches) => return self.place_one(branches, is_denied, case),
            Node::If(condition, then, other) => {
                let [then, other] = [then, other].map(|part| part.with(is_denied));
                case.choose(vec![vec![*condition, then], vec![condition.denied(), other]]);
            }
            Node::Defined(number) => {
                let defined = self.nodes.defined(*number);
                case.open.push(defined.with(is_denied));
            }
            Node::Unknown(_) => case.is_doubtful = true,
            Node::Contains(inner, least, most) if is_denied => {
                let mut choice = Vec::new();
                if let Some(fewer) = least.checked_sub(1) {
                    choice.push(vec![self.nodes.literal(Node::Contains(*inner, 0, fewer))]);
                }
                if let Some(more) = most.checked_add(1) {
                    choice.push(vec![self.nodes.literal(Node::Contains(*inner, more, usize::MAX))]);
                }
                case.choose(choice);
            }
            Node::Dependent(name, inner) => {
                let required = self.nodes.literal(Node::Required(name.clone()));
                match is_denied {
                    true => case.open.extend([required, inner.denied()]),
                    false => case.choose(vec![vec![required.denied()], vec![*inner]]),
                }
            }
            Node::OtherMembers(schema, inner) => return self.place_left(*schema, *inner, true, is_denied, case),
            Node::OtherItems(schema, inner) => return self.place_left(*schema, *inner, false, is_denied, case),
            Node::Among(numbers) if case.kind.is_in(Kind::LIST) || case.kind.is_in(Kind::OBJECT) => {
                let of_kind = numbers.iter().filter(|number| Kind::of(self.nodes.value(**number)) == case.kind);
                let each: Vec<Vec<Literal>> = of_kind
                    .copied()
                    .collect::<Vec<_>>()
                    .into_iter()
                    .map(|number| self.nodes.parts_of(number))
                    .collect();
                match is_denied {
                    true => each
                        .into_iter()
                        .for_each(|parts| case.choose(parts.into_iter().map(|part| vec![part.denied()]).collect())),
                    false => case.choose(each),
                }
            }
            _ => case.plain.push(literal),
        }
        true
    }

    fn place_one(&mut self, branches: &[Literal], is_denied: bool, case: &mut Case) -> bool {
        let may_be = |literal: &Literal| self.glance(*literal, case.kind, 0) != Some(false);
        let branches: Vec<Literal> = branches.iter().copied().filter(may_be).collect();
        let others =
            |at: usize| branches.iter().enumerate().filter(move |(index, _)| *index != at).map(|(_, one)| one.denied());
        if !is_denied {
            let one = |at: usize| std::iter::once(branches[at]).chain(others(at)).collect();
            case.choose((0..branches.len()).map(one).collect());
            return true;
        }
        let mut choice = vec![branches.iter().map(|branch| branch.denied()).collect::<Vec<_>>()];
        if branches.len() > MOST_BRANCHES {
            case.is_doubtful = true;
        } else {
            let pairs = (0..branches.len()).flat_map(|one| (0..one).map(move |other| (other, one)));
            choice.extend(pairs.map(|(one, other)| vec![branches[one], branches[other]]));
        }
        case.choose(choice);
        true
    }

    /// Whether a condition holds in a case, where that is decided.
    pub(super) fn is_decided(&self, literal: Literal, case: &Case) -> Option<bool> {
        match (case.holds.contains(&literal), case.holds.contains(&literal.denied())) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => self.glance(literal, case.kind, 0),
        }
    }

    /// What is left over says something: first it is decided which of the schemas beside it hold.
    fn place_left(
        &mut self,
        schema: usize,
        inner: Literal,
        is_of_members: bool,
        is_denied: bool,
        case: &mut Case,
    ) -> bool {
        let place = self.nodes.schemas[schema];
        let left = self.left(place, is_of_members, case);
        match left {
            Err(undecided) => {
                // Once it is decided, this is asked again.
                let again = match is_of_members {
                    true => Node::OtherMembers(schema, inner),
                    false => Node::OtherItems(schema, inner),
                };
                let again = self.nodes.literal(again).with(is_denied);
                case.holds.remove(&again);
                case.choose(vec![vec![undecided, again], vec![undecided.denied(), again]]);
            }
            Ok(None) => return !is_denied,
            Ok(Some(left)) => case.open.push(self.nodes.rest(left, inner).with(is_denied)),
        }
        true
    }
}
