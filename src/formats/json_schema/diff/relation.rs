//! What an edit of a keyword does to the data that are valid, without looking at data: the claims.

use serde_json::Value;

use crate::change::Pair;
use crate::evidence::Outcome;
use crate::formats::json_schema::exclusive::types;

/// What became of the set of valid data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Relation {
    /// It did not grow.
    Tightened,
    /// It did not shrink.
    Loosened,
    /// It may have done both.
    Incomparable,
}

impl Relation {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Relation::Tightened => "tightened",
            Relation::Loosened => "loosened",
            Relation::Incomparable => "incomparable",
        }
    }

    /// Tightened where something came that had to be fulfilled.
    pub(super) const fn of_demand(has: Pair<bool>) -> Relation {
        if has.new { Relation::Tightened } else { Relation::Loosened }
    }

    /// The relation of sets from whether each holds the other.
    pub(super) const fn of_sets(new_holds_old: bool, old_holds_new: bool) -> Relation {
        match (new_holds_old, old_holds_new) {
            (true, _) => Relation::Loosened,
            (false, true) => Relation::Tightened,
            (false, false) => Relation::Incomparable,
        }
    }
}

/// What a schema inside does to the one that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Polarity {
    /// What is valid for it is no less valid for the other.
    Same,
    /// The other way round, as under `not`.
    Turned,
    /// Nobody can say, as under `oneOf`.
    Either,
    /// Nobody can say either, and nothing is demanded, as under `if`.
    Condition,
}

impl Polarity {
    pub(super) fn turned(self) -> Self {
        match self {
            Polarity::Same => Polarity::Turned,
            Polarity::Turned => Polarity::Same,
            Polarity::Either => Polarity::Either,
            Polarity::Condition => Polarity::Condition,
        }
    }

    /// The same where nobody can say any more.
    pub(super) fn unclear(self) -> Self {
        match self {
            Polarity::Same | Polarity::Either => Polarity::Either,
            Polarity::Turned | Polarity::Condition => Polarity::Condition,
        }
    }

    /// Whether it is known what it does.
    pub(super) fn is_clear(self) -> bool {
        match self {
            Polarity::Same | Polarity::Turned => true,
            Polarity::Either | Polarity::Condition => false,
        }
    }

    /// What names there are that must be there: those of members, or those that are asked for.
    pub(super) fn asks(self) -> &'static str {
        match self {
            Polarity::Same | Polarity::Either => "demand",
            Polarity::Turned | Polarity::Condition => "condition",
        }
    }

    /// The same where it is known of each side whether something is valid on it only.
    pub(super) fn claims_of_sides(self, only: Pair<bool>) -> Pair<Outcome> {
        let only = match self {
            Polarity::Same => only,
            Polarity::Turned => Pair::new(only.new, only.old),
            Polarity::Either | Polarity::Condition => only.map(|_| only.old || only.new),
        };
        only.map(|is_hurt| if is_hurt { Outcome::Fails } else { Outcome::Safe })
    }

    /// What new readers may see of old data, and old readers of new data, where a schema changed in that way.
    pub(super) const fn claims(self, relation: Relation) -> Pair<Outcome> {
        let (tightened, loosened) =
            (Pair::new(Outcome::Fails, Outcome::Safe), Pair::new(Outcome::Safe, Outcome::Fails));
        match (self, relation) {
            (Polarity::Same, Relation::Tightened) | (Polarity::Turned, Relation::Loosened) => tightened,
            (Polarity::Same, Relation::Loosened) | (Polarity::Turned, Relation::Tightened) => loosened,
            (Polarity::Either | Polarity::Condition, _) | (_, Relation::Incomparable) => {
                Pair::new(Outcome::Fails, Outcome::Fails)
            }
        }
    }
}

/// The relation of two lists of types.
pub(super) fn of_types(values: Pair<Option<&Value>>) -> Relation {
    let Pair { old, new } = values.map(types);
    let holds = |all: &[&str], some: &[&str]| some.iter().all(|ty| all.contains(ty));
    Relation::of_sets(holds(&new, &old), holds(&old, &new))
}

/// The relation of two values of a keyword that limits.
pub(super) fn of_limit(keyword: &str, values: Pair<Option<&Value>>) -> Relation {
    let (Some(old), Some(new)) = (values.old, values.new) else {
        return Relation::of_demand(values.map(|value| value.is_some()));
    };
    let (Some(old), Some(new)) = (old.as_f64(), new.as_f64()) else { return Relation::Incomparable };
    match keyword {
        "multipleOf" if divides(new, old) => Relation::Loosened,
        "multipleOf" if divides(old, new) => Relation::Tightened,
        "multipleOf" => Relation::Incomparable,
        // Numbers beyond what doubles keep apart.
        _ if old == new => Relation::Incomparable,
        _ if keyword.starts_with("min") || keyword == "exclusiveMinimum" => {
            Relation::of_demand(Pair::new(old > new, new > old))
        }
        _ => Relation::of_demand(Pair::new(old < new, new < old)),
    }
}

/// Whether every multiple of `of` is one of `number`; only where whole numbers show it.
fn divides(number: f64, of: f64) -> bool {
    let is_whole = |number: f64| number.fract() == 0.0 && number.abs() < 9e15 && number > 0.0;
    is_whole(number) && is_whole(of) && (of as u64).is_multiple_of(number as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn limit(keyword: &str, old: Value, new: Value) -> Relation {
        of_limit(keyword, Pair::new(Some(&old), Some(&new)))
    }

    #[test]
    fn a_limit_is_tightened_loosened_or_neither() {
        for keyword in ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"] {
            assert_eq!(limit(keyword, json!(1), json!(2)), Relation::Tightened, "{keyword}");
            assert_eq!(limit(keyword, json!(2), json!(1)), Relation::Loosened, "{keyword}");
        }
        for keyword in ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"] {
            assert_eq!(limit(keyword, json!(1), json!(2)), Relation::Loosened, "{keyword}");
            assert_eq!(limit(keyword, json!(2), json!(1)), Relation::Tightened, "{keyword}");
        }
        // Doubles do not keep these apart, so nobody says which is the greater one.
        let (less, more) = (json!(9_007_199_254_740_992_u64), json!(9_007_199_254_740_993_u64));
        assert_eq!(limit("minimum", less.clone(), more.clone()), Relation::Incomparable);
        assert_eq!(limit("maximum", less, more), Relation::Incomparable);
        assert_eq!(limit("minimum", json!("1"), json!(2)), Relation::Incomparable, "no number");
        assert_eq!(of_limit("maximum", Pair::new(None, Some(&json!(3)))), Relation::Tightened);
        assert_eq!(of_limit("maximum", Pair::new(Some(&json!(3)), None)), Relation::Loosened);
    }

    #[test]
    fn a_multiple_of_whole_numbers_only_is_one_of_what_divides_it() {
        let multiple = |old: Value, new: Value| limit("multipleOf", old, new);
        assert_eq!(multiple(json!(6), json!(3)), Relation::Loosened);
        assert_eq!(multiple(json!(3), json!(6)), Relation::Tightened);
        assert_eq!(multiple(json!(4), json!(6)), Relation::Incomparable);
        // Not whole on one side, on the other, and cut to whole numbers one would divide the other.
        assert_eq!(multiple(json!(6.5), json!(3)), Relation::Incomparable);
        assert_eq!(multiple(json!(6), json!(3.5)), Relation::Incomparable);
        // No multiple by the specification, and nothing to divide by.
        assert_eq!(multiple(json!(6), json!(0)), Relation::Incomparable);
        assert_eq!(multiple(json!(0), json!(6)), Relation::Incomparable);
        assert_eq!(multiple(json!(-6), json!(3)), Relation::Incomparable);
        // Beyond what doubles hold exactly.
        assert_eq!(multiple(json!(9e15), json!(3)), Relation::Incomparable);
        assert_eq!(multiple(json!(8_999_999_999_999_994_u64), json!(3)), Relation::Loosened);
    }

    #[test]
    fn what_stands_in_a_schema_hurts_as_that_one_turns_it() {
        use Outcome::{Fails, Safe};
        let [only_old, only_new] = [Pair::new(true, false), Pair::new(false, true)];
        assert_eq!(Polarity::Same.claims_of_sides(only_old), Pair::new(Fails, Safe));
        assert_eq!(Polarity::Same.claims_of_sides(only_new), Pair::new(Safe, Fails));
        assert_eq!(Polarity::Turned.claims_of_sides(only_old), Pair::new(Safe, Fails));
        assert_eq!(Polarity::Turned.claims_of_sides(only_new), Pair::new(Fails, Safe));
        assert_eq!(Polarity::Either.claims_of_sides(only_old), Pair::new(Fails, Fails));
        assert_eq!(Polarity::Either.claims_of_sides(only_new), Pair::new(Fails, Fails));
        assert_eq!(Polarity::Either.claims_of_sides(Pair::new(false, false)), Pair::new(Safe, Safe));
        let turned = [Polarity::Same, Polarity::Turned, Polarity::Either].map(Polarity::turned);
        assert_eq!(turned, [Polarity::Turned, Polarity::Same, Polarity::Either]);
    }
}
