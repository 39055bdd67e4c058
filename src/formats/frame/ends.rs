//! Values that stand for the end of an enum, `KIND_MAX` and the like: they are not written, and move whenever a value is
//! added before them.

use crate::change::Pair;
use crate::evidence::Outcome;

use super::words::words;

/// Last words of their names.
const LAST_WORDS: [&str; 3] = ["max", "last", "count"];
/// The first word, but for the `k` of a constant, of a name that says how many there are of what stands behind it:
/// `NUM_KINDS`, `kNumKinds`.
const NUMBER: &str = "num";

/// In which way a value has another number, as [`FactKey::Direction`](crate::change::FactKey::Direction) has it: it stands
/// for the `end` of its enum, or else readers take one value for another (`swapped`) or do not (`moved`). Each side is its
/// number and all of its enum's.
pub(crate) fn direction<I: Iterator<Item = i128>>(
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

/// Whether a value that keeps its name moves with the end of its enum: it is named for that, and on neither side another
/// value has a number beyond its own.
fn moves_with_end<I: Iterator<Item = i128>>(name: &str, sides: Pair<(i128, I)>) -> bool {
    let is_last = |(own, all): (i128, I)| all.max().is_none_or(|last| last <= own);
    is_named_for_end(name) && is_last(sides.old) && is_last(sides.new)
}

fn is_named_for_end(name: &str) -> bool {
    let words = words(name);
    let is_last = words.last().is_some_and(|last| LAST_WORDS.contains(&last.as_str()));
    let said = words.iter().position(|word| word != "k");
    is_last || said.is_some_and(|first| words[first] == NUMBER && first + 1 < words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ends_are_known_as_whole_words() {
        for name in ["KIND_MAX", "kind_last", "COUNT", "NUM_KINDS", "Kind_Max", "k_EKindMax", "KindCount", "kNumKinds"]
        {
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
            "ERR_NUM_INVALID",
            "K_ERR_NUM_INVALID",
            "_",
        ] {
            assert!(!is_named_for_end(name), "{name}");
        }
    }

    #[test]
    fn only_what_is_last_on_both_sides_moves_with_the_end() {
        let moves = |old: &[i128], new: &[i128]| {
            moves_with_end("KIND_MAX", Pair::new((2, old.iter().copied()), (3, new.iter().copied())))
        };
        assert!(moves(&[0, 1, 2], &[0, 1, 2, 3]));
        // A name for the last value shares its number.
        assert!(moves(&[0, 1, 2, 2], &[0, 1, 2, 3, 3]));
        assert!(!moves(&[0, 1, 2, 7], &[0, 1, 2, 3]));
        assert!(!moves(&[0, 1, 2], &[0, 1, 2, 3, 4]));
    }
}
