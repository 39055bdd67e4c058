use super::*;
use crate::formats::json_schema::formats;
use crate::formats::json_schema::random::Random;

#[test]
fn every_format_that_is_asserted_is_known_and_has_its_texts() {
    for (name, format) in NAMES {
        let texts = formats::texts(name).expect("it is listed");
        assert!(texts.iter().all(|text| format.has(text)), "{name}: {texts:?}");
    }
}

/// Texts that are near to having a format.
fn near(random: &mut Random, texts: &[&str]) -> String {
    const PIECES: [&str; 44] = [
        "0",
        "1",
        "9",
        "a",
        "Z",
        "T",
        "-",
        "+",
        ":",
        ".",
        "/",
        "~",
        "~0",
        "#",
        "?",
        "@",
        "[",
        "]",
        "::",
        "%41",
        "%",
        "{",
        "}",
        "{a}",
        "{+a*,b:3}",
        "é",
        " ",
        "P",
        "D",
        "M",
        "Y",
        "60",
        "24",
        "\"",
        "xn--",
        "\\",
        "v1.",
        "_",
        ",",
        "=",
        "a.b",
        "127.0.0.1",
        "",
        "\u{E000}",
    ];
    let mut letters: Vec<String> = random.pick(texts).copied().unwrap_or_default().chars().map(String::from).collect();
    for _ in 0..random.below(4) {
        let at = random.below(letters.len() + 1);
        if random.percent(60) || letters.is_empty() {
            letters.insert(at.min(letters.len()), random.pick(&PIECES).copied().unwrap_or_default().to_owned());
        } else {
            letters.remove(at.min(letters.len() - 1));
        }
    }
    letters.concat()
}

#[test]
fn the_library_that_validates_says_the_same() {
    let mut random = Random::new(3);
    let mut wrong = Vec::new();
    for (name, format) in NAMES {
        let schema = serde_json::json!({ "format": name });
        let peer = jsonschema::options().should_validate_formats(true).build(&schema).expect("a schema");
        for _ in 0..4_000 {
            let more = [
                "joe.\"x\"@[IPv6:::1]",
                "\"a b\"@x.y",
                "//u@h:1/p?q#f",
                "a://[::1]:8/",
                "http://[v1.a]/",
                "1-1-1",
                "P1Y2M3DT4H5M6S",
                "P3W",
                "0#",
            ];
            let texts = if random.percent(70) { formats::texts(name).unwrap_or_default() } else { &more[..] };
            let text = near(&mut random, texts);
            // The library asks of what stands in Punycode that it is made of letters, too.
            let is_coded = text.contains("xn--");
            if !is_coded && format.has(&text) != peer.is_valid(&serde_json::json!(text)) {
                wrong.push(format!("{name}: {text:?} {}", format.has(&text)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} texts:\n{}", wrong.len(), wrong.join("\n"));
}
