//! Values that stand for the end of an enum, `KIND_MAX` and the like: they are not written, and move whenever a value is
//! added before them.

use crate::change::Pair;
use crate::evidence::Outcome;

use super::words::words;

/// Last words of their names, behind at least one other, and what the one at the other end is called that makes a value like
/// others of it: `AGE_MAX` beside `AGE_MIN`.
const LAST_WORDS: [(&str, &str); 3] = [("max", "min"), ("last", "first"), ("count", "")];
/// The first word, but for the `k` of a constant, of a name that says how many there are of what stands behind it:
/// `NUM_KINDS`, `kNumKinds`.
const NUMBER: &str = "num";

/// In which way a value has another number, as [`FactKey::Direction`](crate::change::FactKey::Direction) has it: it stands
/// for the `end` of its enum, or else readers take one value for another (`swapped`) or do not (`moved`). Each side is its
/// number and all names and numbers of its enum.
pub(crate) fn direction<'n, I: Iterator<Item = (&'n str, i128)> + Clone>(
    name: &str,
    sides: Pair<(i128, I)>,
    reads: Pair<Outcome>,
) -> &'static str {
    if moves_with_end(name, sides) { "end" } else { without_end(reads) }
}

/// The same of what is never the end of anything, as a union's member.
pub(crate) fn without_end(reads: Pair<Outcome>) -> &'static str {
    if reads.old.max(reads.new) == Outcome::Wrong { "swapped" } else { "moved" }
}

/// Whether a value that keeps its name moves with the end of its enum: it is named for that, on neither side another value
/// has a number beyond its own, and none is named for the other end that has a number to itself.
fn moves_with_end<'n, I: Iterator<Item = (&'n str, i128)> + Clone>(name: &str, sides: Pair<(i128, I)>) -> bool {
    let is_end = |(own, all): (i128, I)| {
        let is_alone = |number: i128| all.clone().filter(|(_, other)| *other == number).count() == 1;
        let is_other_end = |(other, number)| are_two_ends(name, other) && is_alone(number);
        all.clone().all(|(_, last)| last <= own) && !all.clone().any(is_other_end)
    };
    is_named_for_end(name) && is_end(sides.old) && is_end(sides.new)
}

/// Whether a name says so of something: a word by itself is a value like others, the `MAX` of what is asked for.
fn is_named_for_end(name: &str) -> bool {
    let words = words(name);
    let Some(first) = words.iter().position(|word| word != "k") else { return false };
    let is_last = words.last().is_some_and(|last| LAST_WORDS.iter().any(|(word, _)| word == last));
    first + 1 < words.len() && (is_last || words[first] == NUMBER)
}

/// Whether a name is another one with the word for the other end in place of its last.
fn are_two_ends(name: &str, other: &str) -> bool {
    let (words, others) = (words(name), words(other));
    match (words.split_last(), others.split_last()) {
        (Some((last, before)), Some((first, there))) => {
            before == there && LAST_WORDS.contains(&(last.as_str(), first.as_str()))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ends_are_known_as_whole_words() {
        for name in ["KIND_MAX", "kind_last", "NUM_KINDS", "Kind_Max", "k_EKindMax", "KindCount", "kNumKinds"] {
            assert!(is_named_for_end(name), "{name}");
        }
        for name in [
            "CLIMAX",
            "DISCOUNT",
            "LAST_NAME",
            "MAX_SPEED",
            "NUMBER",
            "ENUM_VALUE",
            "",
            "BALLAST",
            "Discount",
            "KIND_NUM",
            "NUM",
            "COUNT",
            "MAX",
            "last",
            "kCount",
            "ERR_NUM_INVALID",
            "K_ERR_NUM_INVALID",
            "_",
        ] {
            assert!(!is_named_for_end(name), "{name}");
        }
    }

    #[test]
    fn only_what_is_last_on_both_sides_moves_with_the_end() {
        let named = |numbers: &[i128]| -> Vec<(&str, i128)> { numbers.iter().map(|number| ("", *number)).collect() };
        let moves = |old: &[i128], new: &[i128]| {
            moves_with_end("KIND_MAX", Pair::new((2, named(old).into_iter()), (3, named(new).into_iter())))
        };
        assert!(moves(&[0, 1, 2], &[0, 1, 2, 3]));
        // A name for the last value shares its number.
        assert!(moves(&[0, 1, 2, 2], &[0, 1, 2, 3, 3]));
        assert!(!moves(&[0, 1, 2, 7], &[0, 1, 2, 3]));
        assert!(!moves(&[0, 1, 2], &[0, 1, 2, 3, 4]));
    }
    #[test]
    fn what_has_another_end_is_a_value_like_others() {
        let moves = |name: &str, old: &[(&str, i128)], new: &[(&str, i128)]| {
            moves_with_end(name, Pair::new((2, old.iter().copied()), (3, new.iter().copied())))
        };
        let sums = [("AGE_SUM", 0), ("AGE_MIN", 1), ("AGE_MAX", 2)];
        assert!(!moves("AGE_MAX", &sums, &[("AGE_SUM", 0), ("AGE_MIN", 1), ("AGE_AVG", 2), ("AGE_MAX", 3)]));
        assert!(!moves("posLast", &[("posFirst", 0), ("posLast", 2)], &[("posFirst", 0), ("posLast", 3)]));
        // Names for the limits of all values share the number of the first one.
        let limits = [("AGE_MIN", 0), ("AGE_OLD", 0), ("AGE_MAX", 2)];
        assert!(moves("AGE_MAX", &limits, &[("AGE_MIN", 0), ("AGE_OLD", 0), ("AGE_MAX", 3)]));
        assert!(moves("AGE_MAX", &[("PRICE_MIN", 0), ("AGE_MAX", 2)], &[("PRICE_MIN", 0), ("AGE_MAX", 3)]));
    }
}
