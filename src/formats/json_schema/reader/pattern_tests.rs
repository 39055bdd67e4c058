use super::*;
use crate::formats::json_schema::random::Random;

fn find(pattern: &str, text: &str) -> Found {
    Pattern::new(pattern).unwrap_or_else(|| panic!("{pattern} is a pattern")).find(text)
}

fn tried(pattern: &str, text: &str) -> Found {
    search(&Program::new(&Pattern::new(pattern).unwrap_or_else(|| panic!("{pattern} is a pattern")).item), text)
}

#[test]
fn what_no_automaton_says_is_found_by_trying() {
    for (pattern, text, told) in [
        (r"(a)\1", "xaa", true),
        (r"^(a|b)\1$", "ab", false),
        (r"^(?:(a)|b)\1$", "b", true),
        ("(?=a)b", "ab", false),
        ("^(?=.*[0-9])(?=.*[a-z]).{3,}$", "ab1", true),
        ("^(?=.*[0-9])(?=.*[a-z]).{3,}$", "abc", false),
        ("^(?!foo)", "foot", false),
        ("^(?!foo)", "boot", true),
        ("(?<!x)y", "xy", false),
        ("(?<!x)y", "zy", true),
        ("(?<=ab+)c", "abbc", true),
        ("(?<=^ab+)c", "xabbc", false),
        (r"^(?<=(.)\1)c", "aac", false),
        (r"(?<=\1(.))c", "aac", true),
        (r"\bword\b", "a word!", true),
        (r"\bword\b", "swords", false),
        (r"a\Bb", "ab", true),
        ("[]", "a", false),
        ("^[^]$", "\n", true),
        (r"^\p{L}+$", "école", true),
        (r"^\p{L}+$", "a1", false),
        (r"^\P{Lu}$", "A", false),
        (r"^\p{Script=Greek}$", "α", true),
        (r"^[\p{Nd}_]+$", "৪_2", true),
        (r"^\cJ$", "\n", true),
        (r"^\uD83D\uDC32$", "🐲", true),
        (r"^[\uD83D\uDC32-\u{1F433}]$", "🐳", true),
        (r"^[\u0000-\uDFFF]$", "a", true),
        (r"[\uD800-\uDBFF]", "🐲", false),
        (r"^(?<n>a)\k<n>$", "aa", true),
        ("^(?:a*)*$", "aaa", true),
        ("^(?:a*)*b", "aaab", true),
        (r"^(?:(a)|(b))*\1$", "aba", false),
        (r"^(?:|a){3}b\b", "aab", true),
        (r"^(a{2}){2,3}?\b$", "aaaaaa", true),
        (r"^(a{2}){2,3}?\b$", "aaaaa", false),
        ("^(?i:é)x$", "Éx", true),
        ("^(?i:é)x$", "ÉX", false),
        ("(?i)abc", "ABC", true),
        (r"(?i:(s)\1)", "sſ", true),
        ("(?m:^b$)", "a\nb\nc", true),
        ("^(?s:.)$", "\n", true),
        (r"\Aa\z", "a", true),
    ] {
        assert_eq!(find(pattern, text), if told { Found::Yes } else { Found::No }, "{pattern} {text}");
    }
}

#[test]
fn what_is_no_pattern_is_none() {
    for pattern in [
        "(",
        ")",
        "[",
        "a**",
        "a++",
        "+",
        "{",
        "a{2,1}",
        "a{2",
        r"\",
        r"\1",
        r"\k<n>",
        r"\a",
        "[b-a]",
        r"[\w-z]",
        "(?<1>a)",
        r"\p{Nothing}",
        "(?>a)",
        r"\u{110000}",
        "(?",
        "(?i",
        r"\08",
        "*",
    ] {
        assert!(Pattern::new(pattern).is_none(), "{pattern}");
    }
    for pattern in ["]", "}", "(?i)a", r"\Aa", "^*", "(?P<n>a)", r"\x{41}"] {
        assert!(Pattern::new(pattern).is_some() && !is_pattern(pattern), "{pattern}");
    }
    assert!(is_pattern(r"\-\@\_[\-\]]{2,}(?i-s:a)(?:b)??"));
    assert!(Pattern::new(&"(".repeat(100_000)).is_none());
}

#[test]
fn what_takes_too_long_is_not_told() {
    assert_eq!(tried("^(a+)+$", &format!("{}b", "a".repeat(100))), Found::Unknown);
    assert_eq!(find("^(a+)+$", &format!("{}b", "a".repeat(100))), Found::No);
    assert_eq!(find(r"^(?:(?:){1000000000}){1000000000}\b", "a"), Found::Yes);
    assert_eq!(tried("^.{1000000}", "a"), Found::No);
}

/// Some pattern of a few letters.
fn pattern(random: &mut Random, depth: usize) -> String {
    const ATOMS: [&str; 11] = ["a", "b", "[ab]", "[^a]", ".", r"\d", r"\w", "é", r"\s", "-", r"[^\s\-\dé]"];
    let inner = |random: &mut Random| pattern(random, depth + 1);
    match random.below(if depth > 4 { 1 } else { 6 }) {
        0 => random.pick(&ATOMS).copied().unwrap_or("a").to_owned(),
        1 => format!("({}|{})", inner(random), inner(random)),
        2 => format!("{}{}", inner(random), inner(random)),
        3 => {
            let times = random.pick(&["?", "*", "+", "{2}", "{1,2}", "*?", "{0,3}?"]).copied().unwrap_or("?");
            format!("(?:{}){times}", inner(random))
        }
        4 => format!("^{}", inner(random)),
        _ => format!("{}$", inner(random)),
    }
}

#[test]
fn automata_and_trying_come_to_the_same() {
    let mut random = Random::new(23);
    let letters = ["a", "b", "1", "_", "é", "\n", " ", "-"];
    let mut unknown = 0;
    for _ in 0..1_500 {
        let written = pattern(&mut random, 0);
        let pattern = Pattern::new(&written).expect("it is a pattern");
        let program = Program::new(&pattern.item);
        for _ in 0..8 {
            let length = random.below(6);
            let text: String = (0..length).filter_map(|_| random.pick(&letters).copied()).collect();
            assert!(matches!(pattern.engine.get_or_init(|| pattern.engine()), Engine::Automaton(_)), "{written}");
            match search(&program, &text) {
                Found::Unknown => unknown += 1,
                tried => assert_eq!(tried, pattern.find(&text), "{written} {text:?}"),
            }
        }
    }
    assert!(unknown < 25, "{unknown}");
}

#[test]
fn how_texts_begin_is_what_the_whole_pattern_says() {
    let patterns = [
        "^a",
        "^ab",
        "^ab*",
        "^ab+",
        "^ab?",
        "^ab{0}",
        "^ab{1,2}c",
        "^a|b",
        "^a-b_c$",
        "^a/b:",
        "^ab(b|c)",
        "^ab[c]",
        "^a.b",
    ];
    let texts = ["", "a", "b", "ab", "abb", "abc", "abbc", "a-b_c", "a-b_c ", "a/b:", "a/b:c", "ba", "aab", "a\nb"];
    for pattern in patterns {
        for text in texts {
            assert_eq!(find(pattern, text), tried(pattern, text), "{pattern} {text:?}");
        }
    }
}
