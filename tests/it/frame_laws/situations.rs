//! The situations that every language is asked about, in words that any language has a text for.

use Text::*;

/// What a file says. Files are called `a`, `b` and `c`; they declare the types `A`, `B` and `C`, in the namespace `shop`
/// unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// `A`, with one field.
    A,
    /// `A`, with a second field.
    AGrown,
    /// `A`, of which the only field is a text now.
    ABroken,
    /// `A` and an enum with two values.
    AWithEnum,
    /// The same with one value, and behind it the text breaks off.
    ACutOff,
    /// The same with one value, and a type that gives one number or name to two fields.
    ARefused,
    /// `A` and an enum that gives one number or name to two values.
    ValuesRefused,
    /// `A`, with something that compilers refuse and everybody understands: a default of another type, or a call without
    /// an answer that throws.
    AInvalid,
    /// The same, and a second field on a line of its own.
    AInvalidGrown,
    /// What is refused stands on another line.
    AInvalidNow,
    /// `A` with a field of type `B`, from the file `b`.
    AUsesB,
    /// The same with a second field.
    AUsesBGrown,
    /// `A` with a field of type `B`, and `B` beside it.
    AHoldsB,
    /// `A` with a field of its own, and an import of the file `b` that it does not use.
    AImportsB,
    /// `A` with a field of type `B`, from the file `b`, and a type `N` beside it.
    AUsesBBesideN,
    /// The same, and the field of `N` has another type.
    AUsesBBesideNBroken,
    /// `A` with a field of type `B`, from a file in the folder above.
    AUsesAbove,
    /// `B`, with one field.
    B,
    /// `B`, with a second field.
    BGrown,
    /// `B`, and a type that gives one number or name to two fields.
    BRefused,
    /// The same, with a field of type `A` from the file `a`.
    BRefusedUsesA,
    /// `C` with a field of type `B`, from the file `b`.
    CUsesB,
    /// `A`, defined twice.
    Twice,
    /// `Order` and another type that nothing refers to.
    Order,
    /// The same, where the field of `Order` is a text now.
    OrderBroken,
    /// The same, where the field of the other type is a text now.
    OtherBroken,
    /// `Order` in the namespace `store`.
    StoreOrder,
}

/// How the two sides are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Every problem counts.
    Compare,
    /// A problem in a file that is the same on both sides, and that no change reaches, is a warning.
    Check,
    /// As `Check`, and files are looked at that no change has to do with.
    Full,
    /// As `Compare`, and an import that leads nowhere is an error.
    Strict,
    /// As `Compare`, from the type of that full name on.
    FullRoot,
    /// As `Compare`, from the type of that name on.
    SimpleRoot,
    /// As `Compare`, from a type on that nobody declares.
    UnknownRoot,
}

/// A situation, and what every language has to say of it.
pub struct Row {
    /// What it is.
    pub situation: &'static str,
    /// How the sides are compared.
    pub command: Command,
    /// The files of the old side, without the endings of their names.
    pub old: &'static [(&'static str, Text)],
    /// The files of the new side.
    pub new: &'static [(&'static str, Text)],
    /// The verdict.
    pub verdict: &'static str,
    /// How many problems are errors, and how many are warnings.
    pub problems: (usize, usize),
    /// How many files are missing.
    pub not_checked: usize,
    /// Words that the problems and their help have.
    pub says: &'static [&'static str],
}

pub const COMPATIBLE: &str = "compatible";
pub const BREAKING: &str = "breaking";
pub const UNKNOWN: &str = "unknown";

/// A row in which nothing is wrong with either side.
const fn sound(
    situation: &'static str,
    command: Command,
    old: &'static [(&'static str, Text)],
    new: &'static [(&'static str, Text)],
    verdict: &'static str,
) -> Row {
    Row { situation, command, old, new, verdict, problems: (0, 0), not_checked: 0, says: &[] }
}

/// The situations.
pub const ROWS: &[Row] = &[
    // Files that cannot be read in whole.
    Row {
        problems: (0, 2),
        ..sound(
            "a refused file that no change reaches is excused",
            Command::Full,
            &[("a", A), ("lib/b", BRefused)],
            &[("a", AGrown), ("lib/b", BRefused)],
            COMPATIBLE,
        )
    },
    Row {
        problems: (2, 0),
        ..sound(
            "a comparison excuses nothing",
            Command::Compare,
            &[("a", A), ("lib/b", BRefused)],
            &[("a", AGrown), ("lib/b", BRefused)],
            UNKNOWN,
        )
    },
    Row {
        problems: (2, 0),
        ..sound(
            "a refused file that a changed file imports is not excused",
            Command::Check,
            &[("a", AUsesB), ("lib/b", BRefused)],
            &[("a", AUsesBGrown), ("lib/b", BRefused)],
            UNKNOWN,
        )
    },
    Row {
        problems: (2, 0),
        ..sound(
            "a refused file that imports a changed file is not excused",
            Command::Check,
            &[("a", A), ("lib/b", BRefusedUsesA)],
            &[("a", AGrown), ("lib/b", BRefusedUsesA)],
            UNKNOWN,
        )
    },
    Row {
        problems: (1, 0),
        ..sound(
            "a file that is refused now is an error",
            Command::Check,
            &[("a", A), ("lib/b", B)],
            &[("a", A), ("lib/b", BRefused)],
            UNKNOWN,
        )
    },
    Row {
        problems: (1, 0),
        ..sound(
            "a file that was refused before is an error",
            Command::Check,
            &[("a", A), ("lib/b", BRefused)],
            &[("a", A), ("lib/b", B)],
            UNKNOWN,
        )
    },
    Row {
        problems: (1, 0),
        ..sound(
            "a break beside a refused file breaks",
            Command::Check,
            &[("a", A), ("lib/b", B)],
            &[("a", ABroken), ("lib/b", BRefused)],
            BREAKING,
        )
    },
    // What was dropped from judging is not written either.
    Row {
        problems: (2, 0),
        ..sound(
            "a text that breaks off behind a change is only that",
            Command::Compare,
            &[("a", AWithEnum)],
            &[("a", ACutOff)],
            UNKNOWN,
        )
    },
    Row {
        problems: (1, 0),
        ..sound(
            "a refused type beside a changed enum is only that",
            Command::Compare,
            &[("a", AWithEnum)],
            &[("a", ARefused)],
            UNKNOWN,
        )
    },
    Row {
        problems: (2, 0),
        ..sound(
            "two fields of one number or name on both sides are no change",
            Command::Compare,
            &[("a", ARefused)],
            &[("a", ARefused)],
            UNKNOWN,
        )
    },
    Row {
        problems: (2, 0),
        ..sound(
            "two values of one number or name on both sides are no change",
            Command::Compare,
            &[("a", ValuesRefused)],
            &[("a", ValuesRefused)],
            UNKNOWN,
        )
    },
    Row {
        problems: (1, 0),
        ..sound("a name that is defined twice is an error", Command::Compare, &[("a", A)], &[("a", Twice)], UNKNOWN)
    },
    // Problems on lines that nobody touched.
    Row {
        problems: (0, 2),
        ..sound(
            "an old problem on a line that did not change is a warning",
            Command::Check,
            &[("a", AInvalid)],
            &[("a", AInvalidGrown)],
            COMPATIBLE,
        )
    },
    Row {
        problems: (2, 0),
        ..sound(
            "who compares two versions is told of every problem of both",
            Command::Compare,
            &[("a", AInvalid)],
            &[("a", AInvalidGrown)],
            UNKNOWN,
        )
    },
    Row {
        problems: (1, 0),
        ..sound("a new problem is an error", Command::Compare, &[("a", A)], &[("a", AInvalidNow)], UNKNOWN)
    },
    // Imports.
    Row {
        problems: (0, 2),
        not_checked: 1,
        says: &["`lib/b.", "was not found", "pass `-I DIR`"],
        ..sound(
            "an import that is missing on both sides is a warning",
            Command::Compare,
            &[("a", AUsesB)],
            &[("a", AUsesBGrown)],
            COMPATIBLE,
        )
    },
    Row {
        problems: (0, 2),
        not_checked: 1,
        ..sound(
            "a missing file is told once",
            Command::Compare,
            &[("a", AUsesB), ("c", CUsesB)],
            &[("a", AUsesBGrown), ("c", CUsesB)],
            COMPATIBLE,
        )
    },
    Row {
        problems: (2, 0),
        says: &["imports are strict"],
        ..sound(
            "a missing import is an error where imports are strict",
            Command::Strict,
            &[("a", AUsesB)],
            &[("a", AUsesBGrown)],
            UNKNOWN,
        )
    },
    Row {
        problems: (2, 0),
        not_checked: 1,
        says: &["in the old version it leads to lib/b.", "bring the file back or remove the", "B` is not known"],
        ..sound(
            "an import that is missing now is an error, and so is what is used of it",
            Command::Check,
            &[("a", AUsesB), ("lib/b", B)],
            &[("a", AUsesB)],
            UNKNOWN,
        )
    },
    Row {
        problems: (2, 0),
        not_checked: 1,
        ..sound(
            "nobody knows whether what an import that is missing now led to is needed",
            Command::Compare,
            &[("a", AUsesB), ("lib/b", B)],
            &[("a", AUsesBGrown)],
            UNKNOWN,
        )
    },
    Row {
        problems: (2, 0),
        not_checked: 1,
        ..sound(
            "what was not found before and is there now is no fault of ours",
            Command::Compare,
            &[("a", AUsesB)],
            &[("a", AUsesBGrown), ("lib/b", B)],
            UNKNOWN,
        )
    },
    Row {
        problems: (2, 0),
        not_checked: 1,
        ..sound(
            "a break beside an import that is missing now breaks",
            Command::Check,
            &[("a", AUsesBBesideN), ("lib/b", B)],
            &[("a", AUsesBBesideNBroken)],
            BREAKING,
        )
    },
    Row {
        problems: (2, 0),
        not_checked: 1,
        says: &["only the new version has lib/b.", "B` is not known", "`-I DIR`"],
        ..sound(
            "what was used of an import that was missing before is not known",
            Command::Check,
            &[("a", AUsesB)],
            &[("a", AUsesB), ("lib/b", B)],
            UNKNOWN,
        )
    },
    Row {
        problems: (0, 1),
        not_checked: 1,
        ..sound(
            "an import that was missing before is a warning where nothing is used of it",
            Command::Check,
            &[("a", AImportsB)],
            &[("a", AImportsB), ("lib/b", B)],
            COMPATIBLE,
        )
    },
    Row {
        problems: (1, 1),
        not_checked: 1,
        says: &["B`, which the old version declares", "pass `-I DIR`"],
        ..sound(
            "a type that goes behind an import that leads nowhere is not known any more",
            Command::Check,
            &[("a", AHoldsB)],
            &[("a", AUsesB)],
            UNKNOWN,
        )
    },
    Row {
        problems: (1, 1),
        not_checked: 1,
        says: &["B`, which only the new version declares"],
        ..sound(
            "a type that was behind an import that leads nowhere was not known",
            Command::Check,
            &[("a", AUsesB)],
            &[("a", AHoldsB)],
            UNKNOWN,
        )
    },
    sound(
        "an import that is found is no problem",
        Command::Strict,
        &[("a", AUsesB), ("lib/b", B)],
        &[("a", AUsesBGrown), ("lib/b", BGrown)],
        COMPATIBLE,
    ),
    Row {
        problems: (0, 2),
        not_checked: 1,
        says: &["compare the directory that holds `common/b."],
        ..sound(
            "an import that leads out of what is compared is told so",
            Command::Compare,
            &[("a", AUsesAbove)],
            &[("a", AUsesAbove)],
            COMPATIBLE,
        )
    },
    // Roots.
    sound("a root by its full name is judged", Command::FullRoot, &[("a", Order)], &[("a", OrderBroken)], BREAKING),
    sound("a root by its simple name is judged", Command::SimpleRoot, &[("a", Order)], &[("a", OrderBroken)], BREAKING),
    sound(
        "what no root reaches is not judged",
        Command::SimpleRoot,
        &[("a", Order)],
        &[("a", OtherBroken)],
        COMPATIBLE,
    ),
    Row {
        problems: (1, 0),
        says: &["`Order` may be"],
        ..sound(
            "a simple name of two types is an error",
            Command::SimpleRoot,
            &[("a", Order), ("b", StoreOrder)],
            &[("a", Order), ("b", StoreOrder)],
            UNKNOWN,
        )
    },
    sound(
        "a full name tells them apart",
        Command::FullRoot,
        &[("a", Order), ("b", StoreOrder)],
        &[("a", OrderBroken), ("b", StoreOrder)],
        BREAKING,
    ),
    Row {
        problems: (1, 0),
        says: &["neither side declares the root `Nowhere`"],
        ..sound(
            "a root that nobody declares is an error",
            Command::UnknownRoot,
            &[("a", Order)],
            &[("a", OrderBroken)],
            UNKNOWN,
        )
    },
    // Sides and files.
    sound("the same on both sides", Command::Compare, &[("a", A)], &[("a", A)], COMPATIBLE),
    sound("an empty old side", Command::Compare, &[], &[("a", A)], COMPATIBLE),
    sound("an empty new side", Command::Compare, &[("a", A), ("lib/b", B)], &[], BREAKING),
    sound("a file that moves", Command::Compare, &[("lib/b", B)], &[("new/b", B)], COMPATIBLE),
    sound(
        "a file that moves beside another",
        Command::Check,
        &[("a", A), ("lib/b", B)],
        &[("a", A), ("new/b", B)],
        COMPATIBLE,
    ),
];
