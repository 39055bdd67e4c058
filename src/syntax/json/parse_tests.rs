use super::*;

fn read(text: &[u8]) -> (Option<Json<'_>>, Vec<Problem>) {
    parse(&Arc::from("a.json"), text)
}

/// The value written back without space, texts quoted as Rust quotes them.
fn written(json: &Json<'_>) -> String {
    match &json.kind {
        JsonKind::Null => "null".to_owned(),
        JsonKind::Bool(value) => value.to_string(),
        JsonKind::Number(digits) => digits.to_string(),
        JsonKind::Text(text) => format!("{text:?}"),
        JsonKind::List(values) => format!("[{}]", values.iter().map(written).collect::<Vec<_>>().join(",")),
        JsonKind::Object(members) => {
            let members = members.iter().map(|member| format!("{:?}:{}", member.key, written(&member.value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
    }
}

#[test]
fn what_is_json_is_read() {
    let cases: &[(&[u8], &str)] = &[
        (b"null", "null"),
        (b" true\r\n\t", "true"),
        (b"-0.5e+10", "-0.5e+10"),
        (b"0", "0"),
        (b"[]", "[]"),
        (b"{}", "{}"),
        (br#"{"a": [1, 2], "a": {}}"#, r#"{"a":[1,2],"a":{}}"#),
        (br#""\"\\\/\b\f\n\r\t\u00e9""#, r#""\"\\/\u{8}\u{c}\n\r\té""#),
        (br#""\ud83d\ude00""#, "\"\u{1f600}\""),
        (br#""\ud83d""#, "\"\u{fffd}\""),
        (br#""\ud83d\u0041""#, "\"\u{fffd}A\""),
        ("\"Grüße\"".as_bytes(), "\"Grüße\""),
        (b"\xef\xbb\xbf1", "1"),
        (b"// one\n/* two **/ 1 // three", "1"),
        (b"[1 /* \xff */, 2]", "[1,2]"),
    ];
    for (text, expected) in cases {
        let (json, problems) = read(text);
        assert_eq!(problems, [], "{}", String::from_utf8_lossy(text));
        assert_eq!(written(&json.expect("without problems there is a value")), *expected);
    }
}

#[test]
fn what_is_no_json_is_refused_at_its_place() {
    let cases: &[(&[u8], (u32, u32), &str)] = &[
        (b"", (0, 0), "nothing in the file"),
        (b"\xef\xbb\xbf // only a comment", (21, 21), "nothing in the file"),
        (b"1 2", (2, 3), "only one value"),
        (b"{} }", (3, 4), "only one value"),
        (b"{\"a\" 1}", (5, 6), "`:` is expected, but `1`"),
        (b"{\"a\": }", (6, 7), "a value is expected, but `}`"),
        (b"{\"a\": 1,}", (8, 9), "a key behind `,` is expected"),
        (b"{a: 1}", (1, 2), "a key is expected, but `a`"),
        (b"{\"a\": 1 \"b\": 2}", (8, 9), "`,` or `}` is expected"),
        (b"[1,]", (3, 4), "a value behind `,`"),
        (b"[1", (2, 2), "the end of the file"),
        (b"nul", (0, 3), "`nul` is no JSON value"),
        (b"NaN", (0, 3), "`NaN` is no JSON value"),
        (b"'a'", (0, 1), "a value is expected"),
        (b"01", (0, 2), "start with a zero"),
        (b"+1", (0, 1), "a value is expected"),
        (b".5", (0, 1), "a value is expected"),
        (b"5.", (2, 2), "behind the point"),
        (b"1e", (2, 2), "of the exponent"),
        (b"-", (1, 1), "a digit is expected"),
        (b"0x1", (1, 2), "the end of the number"),
        (b"\"a", (0, 1), "not closed"),
        (b"\"a\nb\"", (2, 3), "the control character U+000A"),
        (b"\"a\\x\"", (2, 4), "no escape"),
        (b"\"\\u12g4\"", (1, 5), "four hexadecimal digits"),
        (b"\"a\xffb\"", (2, 3), "the byte 0xff is not UTF-8"),
        (b"[\xff]", (1, 2), "the byte 0xff, which is not UTF-8"),
        ("[é]".as_bytes(), (1, 3), "`é`"),
        (b"/* ", (0, 2), "not closed"),
        (b"/ 1", (0, 1), "a value or a comment"),
    ];
    for (text, (start, end), expected) in cases {
        let (json, problems) = read(text);
        let shown = String::from_utf8_lossy(text);
        assert!(json.is_none() && problems.len() == 1, "{shown}");
        assert!(problems[0].message.contains(expected), "{shown}: {}", problems[0].message);
        let site = problems[0].site.as_ref().expect("every fault has a place");
        assert_eq!(site.span, Span::new(*start, *end), "{shown}");
    }
}

#[test]
fn another_encoding_is_called_so() {
    for text in [&b"\xff\xfe{\0}\0"[..], b"[\xe9]", b"[\"\xe9\"]"] {
        assert_eq!(read(text).1[0].help, "save the file as UTF-8");
    }
}

#[test]
fn places_are_those_in_the_file_as_read() {
    let text = b"\xef\xbb\xbf{ \"k\" : [ 12 , \"x\\n\" ] }";
    let (json, _) = read(text);
    let json = json.expect("it is JSON");
    let JsonKind::Object(members) = &json.kind else { panic!("it is an object") };
    let JsonKind::List(values) = &members[0].value.kind else { panic!("it is a list") };
    let at = |span: Span| std::str::from_utf8(&text[span.range()]).expect("it is UTF-8");
    assert_eq!(at(json.span), "{ \"k\" : [ 12 , \"x\\n\" ] }");
    assert_eq!(at(members[0].key_span), "\"k\"");
    assert_eq!((at(values[0].span), at(values[1].span)), ("12", "\"x\\n\""));
}

#[test]
fn texts_without_escapes_are_not_copied() {
    let (json, _) = read(br#"["plain", "esc\u0061ped"]"#);
    let Some(Json { kind: JsonKind::List(values), .. }) = json else { panic!("it is a list") };
    assert!(matches!(&values[0].kind, JsonKind::Text(Cow::Borrowed("plain"))));
    assert!(matches!(&values[1].kind, JsonKind::Text(Cow::Owned(text)) if text == "escaped"));
}

#[test]
fn nesting_ends_at_its_limit_and_not_with_the_stack() {
    let deep = |depth: usize| [vec![b'['; depth], vec![b']'; depth]].concat();
    assert_eq!(read(&deep(DEPTH_LIMIT)).1, []);
    for depth in [DEPTH_LIMIT + 1, 100_000] {
        let text = deep(depth);
        let (json, problems) = read(&text);
        assert!(json.is_none());
        let site = problems[0].site.as_ref().expect("the fault has a place");
        assert_eq!(site.span, Span::new(DEPTH_LIMIT as u32, DEPTH_LIMIT as u32 + 1));
    }
}
