//! What the parser reads, where it says things are, and what it refuses.

use super::*;

fn read(text: &str) -> (File<'_>, Vec<Problem>) {
    parse(&Arc::from("p.proto"), text.as_bytes())
}

/// The tree of a file that has no problem.
fn tree(text: &str) -> File<'_> {
    let (file, problems) = read(text);
    assert_eq!(problems, [], "{text}");
    file
}

/// Each problem as the text it points at, and its message.
fn problems(text: &str) -> Vec<(String, String)> {
    let (_, problems) = read(text);
    let describe = |problem: &Problem| {
        let span = problem.site.as_ref().expect("the parser knows places").span;
        (text[span.range()].to_owned(), problem.message.clone())
    };
    problems.iter().map(describe).collect()
}

/// One problem, whose message contains a text.
fn refuses(text: &str, place: &str, message: &str) {
    match problems(text).as_slice() {
        [(at, said)] => {
            assert_eq!(at, place, "{text}\n{said}");
            assert!(said.contains(message), "{text}\n{said}");
        }
        other => panic!("expected one problem in {text}\nfound {other:?}"),
    }
}

fn slice(text: &str, span: Span) -> &str {
    &text[span.range()]
}

#[test]
fn statements_of_a_file_have_exact_places() {
    let text = "\u{feff}// c\nsyntax = \"pro\" 'to3' ; package shop . v1;\nimport public \"a.proto\";\nimport weak 'b.proto';\noption java_package = \"j\";;";
    let file = tree(text);
    let syntax = file.syntax.expect("there is one");
    assert_eq!(syntax.value, "proto3");
    assert_eq!(slice(text, syntax.value_span), "\"pro\" 'to3'");
    assert_eq!(slice(text, syntax.span), "syntax = \"pro\" 'to3' ;");
    let package = file.package.expect("there is one");
    assert_eq!((&*package.text, slice(text, package.span)), ("shop.v1", "shop . v1"));
    assert_eq!(slice(text, file.package_span), "package shop . v1;");
    assert_eq!(file.imports[0].modifier, ImportModifier::Public);
    assert_eq!(slice(text, file.imports[0].path_span), "\"a.proto\"");
    assert_eq!(slice(text, file.imports[1].span), "import weak 'b.proto';");
    assert_eq!(slice(text, file.options[0].span), "option java_package = \"j\";");
    assert_eq!(slice(text, file.options[0].name_span), "java_package");
    assert_eq!(slice(text, file.options[0].value.span), "\"j\"");
}

#[test]
fn a_field_has_the_place_of_each_part() {
    let text = "message M {\n  optional .a . /* c */ b  name = 0x10 [deprecated = true, (x.y).z = -1] ;\n}";
    let message = &tree(text).messages[0];
    assert_eq!(slice(text, message.span), text);
    assert_eq!(slice(text, message.body), &text[10..]);
    let field = &message.fields[0];
    assert_eq!(slice(text, field.span), text.lines().nth(1).expect("three lines").trim());
    assert_eq!(field.label.map(|(label, span)| (label, slice(text, span))), Some((Label::Optional, "optional")));
    assert_eq!(slice(text, field.type_span), ".a . /* c */ b");
    assert!(matches!(&field.ty, Type::Named(name) if name.text == ".a.b"));
    assert_eq!((field.number, slice(text, field.number_span)), (16, "0x10"));
    assert_eq!(slice(text, field.name.span), "name");
    assert_eq!(slice(text, field.options[0].span), "deprecated = true");
    assert_eq!(slice(text, field.options[1].name_span), "(x.y).z");
    assert_eq!(slice(text, field.options[1].value.span), "-1");
    assert!(field.options[1].name[0].is_extension);
    assert_eq!(slice(text, field.options[1].name[0].name.span), "x.y");
}

#[test]
fn maps_oneofs_and_reserved_statements() {
    let text = "syntax = \"proto3\"; message M { map< string , .a.B > m = 1; oneof o { option x = 1; int32 a = 2; group G = 3 { int32 b = 1; } } reserved 4, 5 to 9, 10 to max; reserved \"a\", \"b\" 'c'; }";
    let message = &tree(text).messages[0];
    assert_eq!(slice(text, message.fields[0].type_span), "map< string , .a.B >");
    assert!(
        matches!(&message.fields[0].ty, Type::Map { key, value } if key.text == "string" && slice(text, value.span) == ".a.B")
    );
    let names: Vec<_> = message.fields.iter().map(|field| (&*field.name.text, field.oneof)).collect();
    assert_eq!(names, [("m", None), ("a", Some(0)), ("G", Some(0))]);
    let group = &message.fields[2];
    assert_eq!((group.ty.clone(), slice(text, group.type_span)), (Type::Group(0), "group"));
    assert!(message.messages[0].is_group);
    assert_eq!(message.messages[0].span, group.span);
    assert_eq!(slice(text, group.span), "group G = 3 { int32 b = 1; }");
    assert_eq!(message.oneofs[0].options.len(), 1);
    let ranges: Vec<_> =
        message.reserved[0].ranges.iter().map(|range| (range.start, range.end, range.to_max)).collect();
    assert_eq!(ranges, [(4, 4, false), (5, 9, false), (10, LARGEST_FIELD_NUMBER, true)]);
    assert_eq!(slice(text, message.reserved[0].ranges[1].span), "5 to 9");
    assert_eq!(slice(text, message.reserved[1].span), "reserved \"a\", \"b\" 'c';");
    assert_eq!(message.reserved[1].names[1].name.text, "bc");
}

#[test]
fn groups_of_extensions_belong_to_the_enclosing_messages() {
    let file = tree(
        "extend X { repeated group Top = 1 { optional group In = 2 {} } } message M { extend .X { optional group G = 2 {} } }",
    );
    assert_eq!(file.extends[0].fields[0].ty, Type::Group(0));
    assert_eq!(file.messages[0].name.text, "Top");
    assert_eq!(file.messages[0].messages[0].name.text, "In");
    assert_eq!(file.messages[1].messages[0].name.text, "G");
    assert_eq!(file.messages[1].extends[0].extendee.text, ".X");
}

#[test]
fn extension_ranges_carry_options_and_message_sets_reach_further() {
    let file = tree(
        "message M { extensions 4 to max [verification = UNVERIFIED]; } message S { extensions 4 to max; option message_set_wire_format = true; }",
    );
    assert_eq!(file.messages[0].extension_ranges[0].ranges[0].end, LARGEST_FIELD_NUMBER);
    assert_eq!(file.messages[0].extension_ranges[0].options.len(), 1);
    assert_eq!(file.messages[1].extension_ranges[0].ranges[0].end, 2_147_483_646);
}

#[test]
fn enums_have_values_of_either_sign() {
    let text = "enum E { option allow_alias = true; A = - 0x1 [deprecated = true]; B = 2147483647; reserved -5 to -3, 7 to max; reserved \"C\";; }";
    let this = &tree(text).enums[0];
    let values: Vec<_> = this.values.iter().map(|value| (value.number, slice(text, value.number_span))).collect();
    assert_eq!(values, [(-1, "- 0x1"), (2147483647, "2147483647")]);
    assert_eq!(slice(text, this.values[0].span), "A = - 0x1 [deprecated = true];");
    assert_eq!(this.reserved[0].ranges[0].start, -5);
    assert_eq!(this.reserved[0].ranges[1].end, 2147483647);
    assert_eq!(slice(text, this.body), &text[7..]);
}

#[test]
fn services_stream_either_way() {
    let text = "service S { option x = 1; ; rpc A(M) returns (stream .a.N); rpc stream(stream stream) returns (N) { ; option y = {}; } }";
    let service = &tree(text).services[0];
    assert_eq!(service.options.len(), 1);
    let [first, second] = service.methods.as_slice() else { panic!("two methods") };
    assert_eq!((first.client_streaming, &*first.output.text), (None, ".a.N"));
    assert_eq!(first.server_streaming.map(|span| slice(text, span)), Some("stream"));
    assert_eq!((&*second.name.text, &*second.input.text), ("stream", "stream"));
    assert!(second.client_streaming.is_some() && second.server_streaming.is_none());
    assert_eq!(slice(text, second.span), "rpc stream(stream stream) returns (N) { ; option y = {}; }");
}

#[test]
fn option_values_of_every_kind() {
    let value = |text: &str| {
        let source = format!("option x = {text};");
        tree(&source).options.remove(0).value.kind.clone_static()
    };
    assert_eq!(value("SPEED"), "SPEED");
    assert_eq!(value("- inf"), "-inf");
    assert_eq!(value("-9223372036854775808"), "-9223372036854775808");
    assert_eq!(value("18446744073709551615"), "18446744073709551615");
    assert_eq!(value("18446744073709551616"), "18446744073709552000.0");
    assert_eq!(value("-9223372036854775809"), "-9223372036854775808.0");
    assert_eq!(value("-1.5e1"), "-15.0");
    assert_eq!(value("'a' \"\\x62\""), "\"ab\"");
    assert_eq!(
        value("{a:1 b{} c<d:[1,-2]>,[e.f]:{g:h}; [t.co/x.Y]{} i:[] j[{}]}"),
        "{a:1 b:{} c:{d:[1,-2]} [e.f]:{g:h} [t.co/x.Y]:{} i:[] j:[{}]}"
    );
}

trait CloneStatic {
    fn clone_static(&self) -> String;
}

impl CloneStatic for OptionValueKind<'_> {
    fn clone_static(&self) -> String {
        match self {
            OptionValueKind::Identifier { text, negative } => format!("{}{text}", if *negative { "-" } else { "" }),
            OptionValueKind::Integer { magnitude, negative } => {
                format!("{}{magnitude}", if *negative { "-" } else { "" })
            }
            OptionValueKind::Float(value) => format!("{value:?}")
                .replace("1.8446744073709552e19", "18446744073709552000.0")
                .replace("-9.223372036854776e18", "-9223372036854775808.0"),
            OptionValueKind::Bytes(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
            OptionValueKind::Message(fields) => {
                let fields: Vec<String> = fields
                    .iter()
                    .map(|field| {
                        let (open, close) = if field.is_bracketed { ("[", "]") } else { ("", "") };
                        format!("{open}{}{close}:{}", field.name.text, field.value.kind.clone_static())
                    })
                    .collect();
                format!("{{{}}}", fields.join(" "))
            }
            OptionValueKind::List(items) => {
                let items: Vec<String> = items.iter().map(|item| item.kind.clone_static()).collect();
                format!("[{}]", items.join(","))
            }
        }
    }
}

#[test]
fn literal_fields_have_exact_places() {
    let text = "option (o) = { a : 1 , [ b . c ] < d : 'e' > ; };";
    let option = &tree(text).options[0];
    let OptionValueKind::Message(fields) = &option.value.kind else { panic!("a message") };
    assert_eq!(slice(text, option.value.span), "{ a : 1 , [ b . c ] < d : 'e' > ; }");
    assert_eq!(slice(text, fields[0].span), "a : 1");
    assert_eq!(slice(text, fields[1].span), "[ b . c ] < d : 'e' >");
    assert_eq!((&*fields[1].name.text, slice(text, fields[1].name.span)), ("b.c", "b . c"));
    assert_eq!(slice(text, fields[1].value.span), "< d : 'e' >");
}

#[test]
fn editions_have_visibility_and_bare_reserved_names() {
    let text = "edition = \"2024\"; import option \"o.proto\"; export message M { local enum E { A = 0; reserved B, max; } repeated int32 a = 1; reserved to; }";
    let file = tree(text);
    assert!(file.syntax.as_ref().is_some_and(|syntax| syntax.is_edition));
    assert_eq!(file.imports[0].modifier, ImportModifier::Option);
    let message = &file.messages[0];
    assert_eq!(message.visibility.map(|(word, span)| (word, slice(text, span))), Some((Visibility::Export, "export")));
    assert!(slice(text, message.span).starts_with("export message M {"));
    assert_eq!(message.enums[0].visibility.map(|(word, _)| word), Some(Visibility::Local));
    let names: Vec<_> = message.enums[0].reserved[0].names.iter().map(|name| (&*name.name.text, name.quoted)).collect();
    assert_eq!(names, [("B", false), ("max", false)]);
}

#[test]
fn keywords_are_names_where_compilers_allow_it() {
    let text = "syntax = \"proto3\";
        package message.enum;
        message optional { message N {} }
        message M {
          int32 message = 1; int32 syntax = 2; int32 reserved = 3; int32 option = 4; int32 optional = 5; int32 max = 6;
          int32 group = 7; int32 map = 8; int32 int32 = 9; int32 inf = 10; int32 oneof = 11; int32 extensions = 12;
          optional.N n = 13;
          optional optional.N o = 14;
          repeated message p = 15;
          .message.enum.M q = 16;
          map r = 17;
          stream s = 18; rpc t = 19; import u = 20; to v = 21; returns w = 22; export x = 23; local y = 24;
          oneof z { message z1 = 25; reserved z2 = 26; }
        }
        enum E { message = 0; max = 1; to = 2; }
        service S { rpc rpc(stream.M) returns (message); }";
    let file = tree(text);
    let fields = &file.messages[1].fields;
    let types: Vec<_> = fields.iter().skip(12).map(|field| slice(text, field.type_span)).collect();
    assert_eq!(
        types,
        [
            ".N",
            "optional.N",
            "message",
            ".message.enum.M",
            "map",
            "stream",
            "rpc",
            "import",
            "to",
            "returns",
            "export",
            "local",
            "message",
            "reserved"
        ]
    );
    assert!(fields[12].label.is_some(), "`optional.N` is the label and `.N`");
    assert_eq!(file.services[0].methods[0].input.text, ".M");
}

#[test]
fn what_begins_a_declaration_cannot_be_a_bare_type() {
    refuses("syntax='proto3'; message M { message a = 1; }", "=", "begins a declaration");
    refuses("syntax='proto3'; message M { map.N a = 1; }", "map", "cannot begin with the word `map`");
    refuses("edition='2024'; message M { local a = 1; }", "local", "before `message` and `enum`");
    refuses("syntax='proto3'; message M { int32.N a = 1; }", ".", "expected a name for the field");
}

#[test]
fn labels_follow_the_dialect() {
    refuses("message M { int32 a = 1; }", "int32", "field `a` has no label; proto2 needs");
    refuses("extend M { int32 a = 1; }", "int32", "has no label");
    refuses("edition='2023'; message M { optional int32 a = 1; }", "optional", "does not exist in editions");
    refuses("edition='2023'; message M { required int32 a = 1; }", "required", "does not exist in editions");
    refuses("message M { repeated map<int32, int32> a = 1; }", "repeated", "cannot have a label");
    refuses("message M { oneof o { optional int32 a = 1; } }", "optional", "at most one member");
    refuses("message M { oneof o { map<int32, int32> a = 1; } }", "map", "member of a oneof");
    refuses("extend M { map<int32, int32> a = 1; }", "map", "an extension cannot be a map");
    refuses("edition='2023'; message M { group G = 1 {} }", "group", "groups do not exist in editions");
    refuses("message M { optional group g = 1 {} }", "g", "capital letter");
    refuses("message M { optional group G = 1; }", ";", "has no body");
}

#[test]
fn numbers_must_be_possible() {
    for number in ["0", "-1", "2147483648", "1.5", "99999999999999999999"] {
        let text = format!("syntax='proto3'; message M {{ int32 a = {number}; }}");
        refuses(&text, number, "cannot be the number of field `a`");
        assert_eq!(read(&text).0.messages[0].fields[0].number, 0, "the field is still there");
    }
    refuses("syntax='proto3'; message M { int32 a; }", ";", "field `a` has no number");
    refuses("enum E { A = 2147483648; }", "2147483648", "does not fit in 32 bits");
    refuses("enum E { A = -2147483649; }", "-2147483649", "does not fit in 32 bits");
    refuses("message M { reserved 5 to 3; }", "5 to 3", "ends at 3 before it starts at 5");
    refuses("message M { reserved 0; }", "0", "out of range");
    refuses("message M { extensions 1 to 2147483647; }", "2147483647", "out of range");
    refuses("option x = 0xffffffffffffffffff;", "0xffffffffffffffffff", "does not fit in 64 bits");
}

#[test]
fn statements_stand_where_they_may() {
    refuses("package a; syntax = 'proto3';", "syntax", "must be the first statement");
    refuses("syntax = 'proto3'; syntax = 'proto3';", "syntax", "second `syntax`");
    refuses("syntax = 'proto4';", "'proto4'", "unknown syntax \"proto4\"");
    refuses("edition = '2022';", "'2022'", "unknown edition \"2022\"");
    refuses("package a; package b;", "package", "second `package`");
    refuses("import option 'a';", "option", "needs edition 2024");
    refuses("edition='2024'; import weak 'a';", "weak", "does not exist since edition 2024");
    refuses("edition='2024'; import option 'a'; import 'b';", "'b'", "must come last");
    refuses("export message M {}", "export", "needs edition 2024");
    refuses("message M { oneof o {} }", "o", "oneof `o` has no members");
    refuses("enum E {}", "E", "has no values");
    refuses("extend M {}", "M", "with nothing");
    refuses("extend M { optional int32 a = 1;; }", ";", "empty statement");
    refuses("message M { reserved a; }", "a", "stands in quotes");
    refuses("edition='2023'; message M { reserved 'a'; }", "'a'", "without quotes");
    refuses("message M {} }", "}", "closes nothing");
    refuses("message M { message N {", "N", "never closed");
    refuses("service S { rpc A(int32) returns (M); }", "int32", "must be a message");
    refuses("message M { optional int32 a = 1 [deprecated = true,]; }", "]", "the name of an option");
}

#[test]
fn bytes_that_are_no_tokens_are_refused_in_place() {
    refuses("message Mé {}", "é", "cannot stand here");
    refuses("message M\u{1} {}", "\u{1}", "control character 0x01");
    refuses("message M {}\0", "\0", "control character 0x00");
    refuses("// a\0", "\0", "NUL byte in this comment");
    refuses("option x = 'a\0b';", "\0", "NUL byte in this string");
    refuses("option x = 'a", "'a", "no closing quote");
    refuses("/* a", "/*", "never closed");
    refuses("/* a /* b */", "/*", "do not nest");
    refuses("option x = 'a\\qb';", "\\", "not an escape sequence");
    refuses("option x = '\\u12';", "\\u12", "not an escape sequence");
    refuses("option x = '\\U00200000';", "\\U00200000", "not an escape sequence");
    refuses("option x = 08;", "08", "octal");
    refuses("option x = 0x;", "0x", "no digit follows");
    refuses("option x = 1.2.3;", ".", "second decimal point");
    refuses("option x = 01.5;", ".", "cannot have a decimal point");
    refuses("option x = 1e;", "e", "no digits");
    refuses("option x = 5m;", "m", "directly after a number");
    refuses("option x = {a:b.5};", ".", "read in two ways");
    tree("/*/ */ // \u{1}é\n/**/\u{b}\u{c}\r\noption x = 'é\u{1}';");
}

#[test]
fn bytes_that_are_not_utf8_are_accepted_in_comments_only() {
    let place = |bytes: &[u8]| {
        let (_, problems) = parse(&Arc::from("p.proto"), bytes);
        let describe = |problem: &Problem| (problem.site.as_ref().map(|site| site.span), problem.message.clone());
        problems.iter().map(describe).collect::<Vec<_>>()
    };
    assert_eq!(place(b"// \xff\n/* \xff */ message a { a./* \xff */b c = 1; }").len(), 1, "only the label is missing");
    assert_eq!(place(b"option x = 'a\xffb';"), [(Some(Span::new(13, 14)), "this is not valid UTF-8".to_owned())]);
    assert_eq!(place(b"message \xff\xfe M {}"), [(Some(Span::new(8, 10)), "this is not valid UTF-8".to_owned())]);
    assert_eq!(place(b"import '\\xff';").len(), 1, "a path must be text");
    assert_eq!(place(b"option x = '\\xff';"), [], "an option may be bytes");
}

#[test]
fn one_file_may_have_several_problems_and_the_rest_is_read() {
    let text = "syntax = \"proto3\";
message A {
  int32 a = 1
  int32 b = ;
  int32 c = 3 [deprecated = , packed = true];
  what is this { int32 x = 1; }
  int32 d = 4;
}
mesage B { int32 a = 1; }
enum E { X = 0; Y; Z = 2 }
service S { foo; rpc A(M) returns (M); }
message C { option (o) = { a: [1 2], b: 3 }; int32 a = 1; }
";
    let (file, problems) = read(text);
    let lines: Vec<usize> = problems
        .iter()
        .map(|problem| text[..problem.site.as_ref().expect("a place").span.start as usize].matches('\n').count() + 1)
        .collect();
    assert_eq!(lines, [3, 4, 5, 6, 9, 10, 10, 11, 12], "{problems:#?}");
    let names: Vec<_> = file.messages.iter().map(|message| &*message.name.text).collect();
    assert_eq!(names, ["A", "C"]);
    let fields: Vec<_> = file.messages[0].fields.iter().map(|field| (&*field.name.text, field.number)).collect();
    assert_eq!(fields, [("a", 1), ("b", 0), ("c", 3), ("d", 4)]);
    assert_eq!(file.enums[0].values.len(), 2);
    assert_eq!(file.services[0].methods.len(), 1);
    assert_eq!(file.messages[1].fields.len(), 1);
}

#[test]
fn messages_nest_as_deep_as_in_the_reference_compiler() {
    let nested = |depth: usize| format!("{}{}", "message M{".repeat(depth), "}".repeat(depth));
    tree(&nested(31));
    refuses(&nested(32), "M", "deeper than 31 levels");
    let groups = |depth: usize| format!("message M{{{}{}}}", "optional group G=1{".repeat(depth), "}".repeat(depth));
    tree(&groups(30));
    refuses(&groups(31), "G", "deeper than 31 levels");
}

#[test]
fn depth_is_a_problem_and_never_a_crash() {
    for (open, close) in
        [("message M{", "}"), ("option x={a{", "}"), ("extend M{optional group G=1{", "}}"), ("[", "]")]
    {
        let text = format!("{}{}", open.repeat(10_000), close.repeat(10_000));
        assert!(!read(&text).1.is_empty(), "{open}");
        assert!(!read(&open.repeat(10_000)).1.is_empty(), "{open}");
    }
    let literal =
        |open: &str, close: &str, depth| format!("option x = {{{}{}}};", open.repeat(depth), close.repeat(depth));
    tree(&literal("a{", "}", 99));
    for (open, close) in [("a{", "}"), ("a<", ">"), ("a:[{", "}]")] {
        refuses(&literal(open, close, 10_000), &open[open.len() - 1..], "deeper than 100 levels");
    }
}

#[test]
fn a_file_full_of_problems_says_how_many_are_left_out() {
    let (_, problems) = read(&"foo;\n".repeat(1000));
    assert_eq!(problems.len(), 101);
    assert_eq!(problems[100].message, "900 more problems in this file are left out");
}

#[test]
fn an_empty_file_is_a_file() {
    for text in ["", " ", "\u{feff}", "// c", "/* c */", ";"] {
        assert_eq!(tree(text), File { bytes: text.as_bytes(), ..File::default() });
    }
}
