//! What the reader of IDL understands, where it says things are, and what it refuses.

use serde_json::{Value, json};

use crate::syntax::json::{Json, JsonKind};

use super::*;
use crate::formats::avro::ast::Attribute;

fn read(text: &str) -> (Document<'_>, Vec<Problem>) {
    parse(&Arc::from("p.avdl"), text.as_bytes())
}

/// The document of a file that has no problem.
fn document(text: &str) -> Document<'_> {
    let (document, problems) = read(text);
    assert_eq!(problems, [], "{text}");
    document
}

/// Each problem as the text it points at, and its message.
fn problems(text: &str) -> Vec<(String, String)> {
    let describe = |problem: &Problem| {
        let span = problem.site.as_ref().expect("the parser knows places").span;
        (text[span.range()].to_owned(), problem.message.clone())
    };
    read(text).1.iter().map(describe).collect()
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

fn value(json: &Json<'_>) -> Value {
    match &json.kind {
        JsonKind::Null => Value::Null,
        JsonKind::Bool(value) => json!(value),
        JsonKind::Number(text) => serde_json::from_str(text).unwrap_or_else(|_| json!(format!("{text}!"))),
        JsonKind::Text(text) => json!(text),
        JsonKind::List(items) => items.iter().map(value).collect(),
        JsonKind::Object(members) => {
            Value::Object(members.iter().map(|member| (member.key.to_string(), value(&member.value))).collect())
        }
    }
}

fn texts(list: &[Spelled<'_>]) -> Vec<String> {
    list.iter().map(|one| one.text.to_string()).collect()
}

fn with_attributes(mut shown: Value, attributes: &[Attribute<'_>]) -> Value {
    for attribute in attributes {
        if !shown.is_object() {
            shown = json!({ "type": shown });
        }
        shown[&*attribute.name.text] = value(&attribute.value);
    }
    shown
}

fn named(kind: &str, names: &Names<'_>) -> Value {
    let mut shown = json!({ "type": kind, "name": names.name.text });
    if let Some(namespace) = &names.namespace {
        shown["namespace"] = json!(namespace.text);
    }
    if !names.aliases.is_empty() {
        shown["aliases"] = json!(texts(&names.aliases));
    }
    shown
}

/// A field as JSON schemas write it.
fn field(field: &Field<'_>) -> Value {
    let mut shown = json!({ "name": field.name.text, "type": schema(&field.schema) });
    if let Some(default) = &field.default {
        shown["default"] = value(default);
    }
    if let Some(order) = &field.order {
        shown["order"] = json!(order.text);
    }
    if !field.aliases.is_empty() {
        shown["aliases"] = json!(texts(&field.aliases));
    }
    with_attributes(shown, &field.attributes)
}

/// A schema as JSON writes it.
fn schema(node: &Node<'_>) -> Value {
    let shown = match &node.kind {
        NodeKind::Name(name) => json!(name.text),
        NodeKind::Record { names, is_error, fields } => {
            let mut shown = named(if *is_error { "error" } else { "record" }, names);
            shown["fields"] = fields.iter().map(field).collect();
            shown
        }
        NodeKind::Enum { names, symbols, default } => {
            let mut shown = named("enum", names);
            shown["symbols"] = json!(texts(symbols));
            if let Some(default) = default {
                shown["default"] = json!(default.text);
            }
            shown
        }
        NodeKind::Fixed { names, size } => {
            let mut shown = named("fixed", names);
            shown["size"] = json!(size.0);
            shown
        }
        NodeKind::Array(items) => json!({ "type": "array", "items": schema(items) }),
        NodeKind::Map(values) => json!({ "type": "map", "values": schema(values) }),
        NodeKind::Union(branches) => branches.iter().map(schema).collect(),
        NodeKind::Broken => json!("broken"),
    };
    with_attributes(shown, &node.attributes)
}

/// The type and the default of a single field, as JSON.
fn of_field(declared: &str) -> Value {
    let text = format!("record R {{ {declared}; }}");
    let document = document(&text);
    let NodeKind::Record { fields, .. } = &document.types[0].kind else { panic!("a record") };
    let mut shown = field(&fields[0]);
    shown.as_object_mut().expect("a field").remove("name");
    shown
}

#[test]
fn types_become_what_the_reference_compiler_makes_of_them() {
    let cases = [
        ("int a", json!("int")),
        ("null a", json!("null")),
        ("array<map<bytes>> a", json!({"type": "array", "items": {"type": "map", "values": "bytes"}})),
        (
            "union { null, com.example.Order, array<string> } a",
            json!(["null", "com.example.Order", {"type": "array", "items": "string"}]),
        ),
        ("date a", json!({"type": "int", "logicalType": "date"})),
        ("time_ms a", json!({"type": "int", "logicalType": "time-millis"})),
        ("timestamp_ms a", json!({"type": "long", "logicalType": "timestamp-millis"})),
        ("local_timestamp_ms a", json!({"type": "long", "logicalType": "local-timestamp-millis"})),
        ("uuid a", json!({"type": "string", "logicalType": "uuid"})),
        ("decimal(9, 2) a", json!({"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2})),
        ("decimal(0x10) a", json!({"type": "bytes", "logicalType": "decimal", "precision": 16, "scale": 0})),
        ("@logicalType(\"timestamp-micros\") long a", json!({"type": "long", "logicalType": "timestamp-micros"})),
        ("@logicalType(\"date\") date a", json!({"type": "int", "logicalType": "date"})),
        (
            "@java-class(\"java.util.Set\") array<@x.y({\"k\": [1, null]}) int> a",
            json!({"type": "array", "items": {"type": "int", "x.y": {"k": [1, null]}}, "java-class": "java.util.Set"}),
        ),
        ("@x(1) @x(2) string a", json!({"type": "string", "x": 2})),
        ("array<string?> a", json!({"type": "array", "items": ["null", "string"]})),
        ("date? a", json!(["null", {"type": "int", "logicalType": "date"}])),
        ("@x(1) union { int } a", json!(["int"])),
        ("@x(1) int? a", json!(["null", {"type": "int", "x": 1}])),
        ("`error` a", json!("error")),
        ("decimal a", json!("decimal")),
        ("array a", json!("array")),
        ("shop.`record`.Größe a", json!("shop.record.Größe")),
        ("my-shop.Order a", json!("my-shop.Order")),
    ];
    for (declared, expected) in cases {
        assert_eq!(of_field(declared), json!({ "type": expected }), "{declared}");
    }
}

#[test]
fn defaults_are_json_with_the_literals_of_java() {
    let cases = [
        ("null", json!(null)),
        ("true", json!(true)),
        ("-5", json!(-5)),
        ("-0", json!(0)),
        ("12L", json!(12)),
        ("0x1F", json!(31)),
        ("-0x8000000000000000", json!(i64::MIN)),
        ("010", json!(8)),
        ("1.5", json!(1.5)),
        ("1.5f", json!(1.5)),
        ("2d", json!(2.0)),
        (".5e1", json!(5.0)),
        ("+1.", json!(1.0)),
        ("-1e-3", json!(-0.001)),
        ("007.5", json!(7.5)),
        ("0x1.8p3", json!(12.0)),
        ("0x.8P-1D", json!(0.25)),
        ("NaN", json!("NaN!")),
        ("-Infinity", json!("-Infinity!")),
        ("1e999", json!("Infinity!")),
        ("\"\"", json!("")),
        (r#""a\n\"\'\\\t\u00e9\ud83d\ude00\101\477é""#, json!("a\n\"'\\\té😀A\u{27}7é")),
        ("{}", json!({})),
        ("[]", json!([])),
        ("{\"a\": [1, {\"b\": {}}], \"c\": \"d\"}", json!({"a": [1, {"b": {}}], "c": "d"})),
    ];
    for (written, expected) in cases {
        assert_eq!(of_field(&format!("Any a = {written}")), json!({ "type": "Any", "default": expected }), "{written}");
    }
}

#[test]
fn null_comes_first_unless_the_default_is_something_else() {
    assert_eq!(of_field("string? a"), json!({"type": ["null", "string"]}));
    assert_eq!(of_field("string? a = null"), json!({"type": ["null", "string"], "default": null}));
    assert_eq!(of_field("string? a = \"x\""), json!({"type": ["string", "null"], "default": "x"}));
    assert_eq!(of_field("union{null,string} a = \"x\""), json!({"type": ["null", "string"], "default": "x"}));
    let text = "record R { @x(1) int? a = 1, b, c = null; }";
    let shown = schema(&document(text).types[0]);
    let int = json!({"type": "int", "x": 1});
    assert_eq!(
        shown["fields"],
        json!([
            {"name": "a", "type": [int, "null"], "default": 1},
            {"name": "b", "type": ["null", int]},
            {"name": "c", "type": ["null", int], "default": null},
        ])
    );
}

#[test]
fn a_protocol_holds_types_imports_and_messages() {
    let text = r#"/** Says hello. */
@namespace("com.example") @version("1")
protocol Greeter {
  import idl "common.avdl";
  import protocol "old.avpr"; import schema "order.avsc";
  @aliases(["Kind", "a.Sort"]) @x(1) enum Colour { /** doc */ RED, @y(2) GREEN } = RED;
  @namespace("other") fixed Hash(16);
  error Rude { string message; }
  record Order { @order("DESCENDING") int @order("Ignore") @aliases(["former"]) @z({"k":1}) id = 0; }
  void nothing();
  Order get(string id, int? times = 3) throws Rude, com.example.Gone;
  @deprecated(true) void fire(@logicalType("date") int day) oneway;
  array<Order> `throws`();
}
"#
    .replace("@order(\"DESCENDING\") int", "int");
    let document = document(&text);
    let protocol = document.protocol.as_ref().expect("there is one");
    assert_eq!(
        (&*protocol.name.text, document.namespace.as_ref().map(|space| &*space.text)),
        ("Greeter", Some("com.example"))
    );
    assert_eq!(protocol.attributes[0].name.text, "version");
    let imports: Vec<_> = document.imports.iter().map(|import| (import.kind, slice(&text, import.path.span))).collect();
    let expected = [
        (ImportKind::Idl, "\"common.avdl\""),
        (ImportKind::Protocol, "\"old.avpr\""),
        (ImportKind::Schema, "\"order.avsc\""),
    ];
    assert_eq!(imports, expected);
    assert_eq!(
        document.types.iter().map(schema).collect::<Value>(),
        json!([
            {"type": "enum", "name": "Colour", "aliases": ["Kind", "a.Sort"], "symbols": ["RED", "GREEN"], "default": "RED", "x": 1},
            {"type": "fixed", "name": "Hash", "namespace": "other", "size": 16},
            {"type": "error", "name": "Rude", "fields": [{"name": "message", "type": "string"}]},
            {"type": "record", "name": "Order", "fields": [
                {"name": "id", "type": "int", "default": 0, "order": "ignore", "aliases": ["former"], "z": {"k": 1}}]},
        ])
    );
    let shown: Value = protocol
        .messages
        .iter()
        .map(|message| {
            let request: Value = message.request.iter().map(field).collect();
            let errors: Value = message.errors.iter().map(schema).collect();
            let attributes = message.attributes.len();
            json!([message.name.text, request, schema(&message.response), errors, message.is_one_way, attributes])
        })
        .collect();
    assert_eq!(
        shown,
        json!([
            ["nothing", [], "null", [], false, 0],
            ["get", [{"name": "id", "type": "string"}, {"name": "times", "type": ["int", "null"], "default": 3}], "Order", ["Rude", "com.example.Gone"], false, 0],
            ["fire", [{"name": "day", "type": {"type": "int", "logicalType": "date"}}], "null", [], true, 1],
            ["throws", [], {"type": "array", "items": "Order"}, [], false, 0],
        ])
    );
    assert_eq!(slice(&text, protocol.messages[1].span).lines().count(), 1);
    assert!(slice(&text, protocol.messages[1].span).starts_with("Order get("));
}

#[test]
fn the_namespace_of_a_protocol_may_be_in_its_name() {
    let document = document("@namespace(\"ignored\") protocol com.example.P { }");
    assert_eq!(document.namespace.expect("in the name").text, "com.example");
    assert_eq!(document.protocol.expect("there is one").name.text, "com.example.P");
}

#[test]
fn a_file_of_schemas_has_a_main_one() {
    let text = "namespace com.example;\nschema array<Order>;\nimport idl \"a.avdl\";\nrecord Order { int id; }\nimport schema \"b.avsc\";\nenum E {}\n\u{1a} anything {";
    let document = document(text);
    assert_eq!(document.namespace.map(|space| slice(text, space.span)), Some("com.example"));
    let main = document.main.expect("there is one");
    assert_eq!(slice(text, main.span), "array<Order>");
    assert_eq!(schema(&main), json!({"type": "array", "items": "Order"}));
    assert_eq!((document.types.len(), document.imports.len()), (2, 2));
    assert!(document.protocol.is_none());
}

#[test]
fn a_file_may_hold_nothing_or_declarations_only() {
    assert!(document("// nothing").types.is_empty());
    assert!(document("/**/").main.is_none());
    assert_eq!(document("\u{feff}error E { }").types.len(), 1);
}

#[test]
fn everything_has_its_place() {
    let text = "@x(1) record Order {\n  @y(2) string @z(3) name = \"a\" ;\n  int `error`, b = 0x2L;\n  uuid? id;\n}";
    let node = &document(text).types[0];
    assert_eq!(slice(text, node.span), text);
    let NodeKind::Record { names, fields, .. } = &node.kind else { panic!("a record") };
    assert_eq!(slice(text, names.name.span), "Order");
    assert_eq!(slice(text, node.attributes[0].name.span), "x");
    assert_eq!(slice(text, node.attributes[0].value.span), "1");
    let places: Vec<_> = fields.iter().map(|field| (slice(text, field.span), slice(text, field.schema.span))).collect();
    let expected = [
        ("@y(2) string @z(3) name = \"a\" ;", "@y(2) string"),
        ("`error`", "int"),
        ("b = 0x2L", "int"),
        ("uuid? id;", "uuid?"),
    ];
    assert_eq!(places, expected);
    assert_eq!(fields[1].name.text, "error");
    assert_eq!(slice(text, fields[2].default.as_ref().expect("there is one").span), "0x2L");
    let NodeKind::Union(branches) = &fields[3].schema.kind else { panic!("a union") };
    assert_eq!(slice(text, branches[0].span), "?");
    assert_eq!(slice(text, branches[1].span), "uuid");
    assert_eq!(slice(text, branches[1].attributes[0].value.span), "uuid");
}

#[test]
fn comments_may_stand_anywhere() {
    let text = "/* a /* b */ namespace /** doc */ a // c\n ; /**/ /***/ record /* ** */ R { /** d */ int /* x */ a = /* y */ 1 /** z */; } // end";
    assert_eq!(schema(&document(text).types[0])["fields"][0]["default"], json!(1));
}

#[test]
fn statements_have_their_order() {
    refuses("schema int; namespace a;", "namespace", "must be the first");
    refuses("namespace a; namespace b;", "namespace", "only one");
    refuses("record R {} schema R;", "schema", "before all imports and declarations");
    refuses("import idl \"a\"; protocol P {}", "protocol", "has begun with schemas");
    refuses("protocol P {} record R {}", "record", "expected the end of the file");
    refuses("@x(1) import idl \"a\";", "x", "cannot be annotated");
    refuses("@x(1) schema int;", "x", "cannot be annotated");
    refuses("int f;", "int", "expected `protocol`");
    refuses("}", "}", "closes nothing");
    refuses("record R {};", ";", "ends nothing");
    refuses("import \"a.avdl\";", "\"a.avdl\"", "expected `idl`, `protocol` or `schema`");
    refuses("import idl 'a.avdl';", "'a.avdl'", "double quotes");
}

#[test]
fn what_cannot_be_a_declaration_is_refused_at_its_place() {
    refuses("record int { }", "int", "built-in type");
    refuses("enum com.`uuid` { }", "com.`uuid`", "built-in type");
    refuses("record R {", "R", "never closed");
    refuses("record R { int a }", "", "expected `;`");
    refuses("record R { int a;; }", ";", "ends nothing");
    refuses("record R { int; }", ";", "expected a name after the type");
    refuses("record R { int a b; }", "", "expected `;`");
    refuses("record { }", "{", "expected a name for the record");
    refuses("enum E { A, }", "}", "expected a symbol");
    refuses("enum E { A B }", "B", "expected `}` or `,`");
    refuses("enum E { A } = A", "", "expected `;`");
    refuses("enum E { A };", ";", "ends nothing");
    refuses("fixed F(16)", "", "expected `;`");
    refuses("fixed F(-1);", "-1", "cannot be the size");
    refuses("fixed F(1L);", "1L", "cannot be the size");
    refuses("fixed F(4294967296);", "4294967296", "cannot be the size");
    refuses("fixed F(\"1\");", "\"1\"", "expected the size");
    refuses("protocol P { void a(int b,); }", ")", "expected a type");
    refuses("protocol P { int a() oneway; }", "int", "must return `void`");
    refuses("protocol P { void a() throws; }", ";", "expected the name of an error");
    refuses("protocol P { void a }", "}", "expected `(`");
    refuses("record R { a . b c; }", ".", "expected a name after the type");
    refuses("record R { a. b c; }", "", "without a space");
    refuses("record R { `a b c; }", "", "expected a backtick");
}

#[test]
fn what_cannot_be_a_type_is_refused_at_its_place() {
    refuses("record R { array<int>? a; }", "?", "can only follow");
    refuses("record R { union { } a; }", "}", "expected a type");
    refuses("record R { union { int string } a; }", "string", "expected `}` or `,`");
    refuses("record R { map<int a; }", "a", "expected `>`");
    refuses("record R { decimal(0) a; }", "0", "at least one digit");
    refuses("record R { decimal(2, 3) a; }", "3", "larger than the precision");
    refuses("record R { decimal(2, -3) a; }", "-3", "cannot be the scale");
    refuses("record R { `int` a; }", "`int`", "in backticks");
    refuses("record R { @x(1) Other a; }", "x", "references to types are not annotated");
    refuses("record R { @x(1) Other? a; }", "x", "references to types are not annotated");
    refuses("protocol P { @x(1) Other m(); }", "x", "references to types are not annotated");
    refuses("protocol P { @x(1) Other? m(); }", "x", "references to types are not annotated");
    refuses("record R { int NaN; }", "NaN", "is a number here");
    refuses("record R { @aliases([\"b\"]) int a; }", "aliases", "reserved");
    refuses("record R { @logicalType(\"time-millis\") date a; }", "logicalType", "of its own");
}

#[test]
fn what_cannot_be_an_annotation_is_refused_at_its_place() {
    refuses("@namespace(1) record R { }", "1", "takes a string");
    refuses("@aliases(\"a\") record R { }", "\"a\"", "list of strings");
    refuses("@aliases([\"a\", 2]) record R { }", "2", "list of strings");
    refuses("record R { int @order(\"up\") a; }", "\"up\"", "no order `up`");
    refuses("record R { int @doc(\"up\") a; }", "doc", "reserved");
    refuses("@default(\"A\") enum E { A }", "default", "reserved");
    refuses("@x record R { }", "record", "expected `(`");
    refuses("@x() record R { }", ")", "expected a value");
}

#[test]
fn what_cannot_be_a_value_is_refused_at_its_place() {
    let cases = [
        ("RED", "RED", "expected a value"),
        ("'a'", "'a'", "double quotes"),
        ("\"a\" \"b\"", "", "expected `;`"),
        (r#""\x41""#, "\\x", "not an escape"),
        ("\"a\tb\"", "\t", "control character"),
        ("9223372036854775808", "9223372036854775808", "64 bits"),
        ("0xffffffffffffffffff", "0xffffffffffffffffff", "64 bits"),
        ("09", "09", "octal"),
        ("0x1.8", "", "needs an exponent"),
        ("- 1", "1", "directly after the sign"),
        ("+1", "1", "directly after the sign"),
        ("1x", "x", "letter directly after a number"),
        ("{a: 1}", "a", "expected a key"),
        ("{\"a\" 1}", "1", "expected `:`"),
        ("[1 2]", "2", "expected `]`"),
    ];
    for (written, place, message) in cases {
        refuses(&format!("record R {{ Any a = {written}; }}"), place, message);
    }
}

#[test]
fn after_a_mistake_the_rest_of_the_file_is_read() {
    let text = "protocol P {\n  record A { int 1; string b; map<int c; long d; }\n  record B { Any x = { \"a\" 1 }; int y }\n  enum C { ; }\n  void m(int);\n  record D { int z; }\n}\n";
    let (document, problems) = read(text);
    assert_eq!(problems.len(), 6, "{problems:#?}");
    let names: Vec<_> = document.types.iter().map(|node| schema(node)["name"].clone()).collect();
    assert_eq!(names, ["A", "B", "C", "D"]);
    assert_eq!(
        schema(&document.types[0])["fields"],
        json!([{"name": "b", "type": "string"}, {"name": "d", "type": "long"}])
    );
    assert_eq!(schema(&document.types[1])["fields"], json!([{"name": "y", "type": "int"}]));
}

#[test]
fn deep_nesting_is_refused_and_does_no_harm() {
    let at_the_limit = |open: &str, inner: &str, close: &str, deep: usize| {
        format!("record R {{ {}{inner}{} a; }}", open.repeat(deep), close.repeat(deep))
    };
    assert_eq!(problems(&at_the_limit("array<", "int", ">", 127)), []);
    for text in [
        at_the_limit("array<", "int", ">", 128),
        at_the_limit("union{", "int", "}", 100_000),
        format!("record R {{ Any a = {}{}; }}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("record R {{ @x({}1) int a; }}", "{\"a\":".repeat(100_000)),
    ] {
        let problems = problems(&text);
        assert!(problems[0].1.contains("nested deeper than 128"), "{}", problems[0].1);
    }
}

#[test]
fn any_prefix_and_any_missing_byte_is_survived() {
    let text = "@n(\"a\")protocol P{import idl \"x\";@aliases([\"a\"])record R{union{null,`int`}a=-0x1.8p3,b={\"k\":[]};date? c;}enum E{A,B}=A;fixed F(3);R m(int é=NaN)throws a.B;void n()oneway;}\u{1a}";
    for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
        read(&text[..at]);
        let rest = text[at..].chars().next().map_or(0, char::len_utf8);
        read(&format!("{}{}", &text[..at], &text[at + rest..]));
        read(&format!("{}\\{}", &text[..at], &text[at..]));
        parse(&Arc::from("p.avdl"), &[&text.as_bytes()[..at], b"\xff", &text.as_bytes()[at..]].concat());
    }
}

#[test]
fn large_files_take_no_more_than_they_are_worth() {
    let names: Vec<String> = (0..50_000).map(|index| format!("a{index}")).collect();
    let branches: Vec<String> = (0..50_000).map(|index| format!("B{index}")).collect();
    let text = format!("record R {{ union {{ {} }} {}; int z; }}", branches.join(", "), names.join(", "));
    let (document, problems) = read(&text);
    assert!(problems[0].message.contains("too many fields share types"), "{problems:?}");
    assert_eq!(document.types.len(), 1);
    let annotations: String = names.iter().map(|name| format!("@{name}(1) ")).collect();
    let text = format!("record R {{ {annotations} int {}; }}", names.join(", "));
    assert_eq!(read(&text).1.len(), 1);
    assert_eq!(read(&format!("record R {{ int {}; }}", names.join(", "))).1, []);
}

/// Everything that the grammar has.
const EVERYTHING: &str = r#"/** d */ @namespace("shop") @v({"a": [1, 2.5e3, null]}) protocol P {
  import idl "x.avdl"; import schema "é.avsc";
  @aliases(["Old", "x.Y"]) record R { string? a, `error` = "\u00e9\101"; @p(1) int? d = 0x1F; /* c */ decimal(9,2) l;
    union { null, R, array<map<@y("z") uuid>> } v = null; E e = "A"; F f = "ab"; string @order("ignore") w = ""; // c
    double g = -0x1.8p3, h = NaN; shop.Größe-x y; }
  enum E { A, @x(true) B } = A; fixed F(2); @namespace("other") error Z {}
  void m(); R? n(int a, @p(false) long b = 3L) throws Z, other.Z; @q("") void o(date? a) oneway;
}
"#;

#[test]
fn damaged_copies_are_read() {
    let mut state = 1_u64;
    let mut below = |sides: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % sides.max(1)
    };
    let symbols = b"{}[]()<>;=,.\"'\\/*-@?`:+\0\xff\x1a\n";
    assert_eq!(problems(EVERYTHING), []);
    for _ in 0..3000 {
        let mut bytes = EVERYTHING.as_bytes().to_vec();
        for _ in 0..=below(4) {
            let (at, other) = (below(bytes.len()), below(bytes.len()));
            match below(4) {
                0 => bytes[at] = symbols[below(symbols.len())],
                1 => bytes.insert(at, symbols[below(symbols.len())]),
                2 => drop(bytes.drain(at..bytes.len().min(at + below(20)))),
                _ => {
                    let piece = bytes[at..bytes.len().min(at + 30)].to_vec();
                    bytes.splice(other..other, piece);
                }
            }
        }
        for problem in parse(&Arc::from("p.avdl"), &bytes).1 {
            let span = problem.site.expect("the parser knows places").span;
            assert!(span.start <= span.end && span.end as usize <= bytes.len(), "{}", String::from_utf8_lossy(&bytes));
            assert!(!problem.message.is_empty() && !problem.help.is_empty());
        }
    }
}
