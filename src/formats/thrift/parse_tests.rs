use std::fmt::Write;

use crate::change::Pair;
use crate::formats::check::{CheckOptions, LibraryFile};
use crate::formats::frame::Parsed;
use crate::formats::frame::check;
use crate::formats::thrift::model::{Requiredness, Schema, Sort, Struct, Type, Value, ValueKind};
use crate::formats::thrift::{Linkage, Thrift};
use crate::snapshot::Snapshot;
use crate::syntax::problem::{Problem, Severity};

/// Links some files as the new side, against an old side of its own.
fn with_linked<T>(
    sides: Pair<&[(&str, &[u8])]>,
    options: &CheckOptions,
    look: impl FnOnce(Pair<&Linkage<Schema<'_>>>) -> T,
) -> T {
    let snapshot = |files: &[(&str, &[u8])]| Snapshot::from_files(files.iter().map(|(path, text)| (*path, *text)));
    let (old, new) = (snapshot(sides.old), snapshot(sides.new));
    let parsed = Parsed::<Thrift>::new(Pair::new(&old, &new), options);
    let linked = parsed.link();
    look(linked.sides.as_ref())
}

fn with_one<T>(text: &[u8], look: impl FnOnce(&Linkage<Schema<'_>>) -> T) -> T {
    with_linked(Pair::new(&[], &[("shop.thrift", text)]), &CheckOptions::default(), |sides| look(sides.new))
}

/// Problems as `line:column severity message`.
fn told(text: &[u8], problems: &[Problem]) -> Vec<String> {
    let tell = |problem: &Problem| {
        let start = problem.site.as_ref().map_or(0, |site| site.span.start as usize);
        let before = &text[..start.min(text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
        let severity = if problem.severity == Severity::Error { "error" } else { "warning" };
        assert!(!problem.help.is_empty(), "{} says what to do", problem.message);
        format!("{line}:{column} {severity} {}", problem.message)
    };
    problems.iter().map(tell).collect()
}

/// Everything that is declared, one line each.
fn described(schema: &Schema<'_>) -> String {
    let mut out = String::new();
    for structure in &schema.structs {
        describe_struct(schema, structure, &mut out);
    }
    for item in &schema.enums {
        let values: Vec<String> =
            item.values.iter().map(|value| format!("{} = {}", value.name.text, value.number)).collect();
        let _ = writeln!(out, "enum {} {{ {} }}{}", item.full_name, values.join(", "), kept(&item.reserved));
    }
    for service in &schema.services {
        let parent = service.extends.as_ref().map_or(String::new(), |(name, id)| {
            let found = id.map_or("nothing".to_owned(), |id| schema.service(id).full_name.to_string());
            format!(" extends {} = {found}", name.text)
        });
        let functions: Vec<String> = service
            .functions
            .iter()
            .map(|function| {
                let oneway = if function.is_oneway { "oneway " } else { "" };
                format!("{oneway}{} {}", function.returns_written.text, function.name.text)
            })
            .collect();
        let _ = writeln!(out, "service {}{parent} {{ {} }}", service.full_name, functions.join(", "));
    }
    for typedef in &schema.typedefs {
        let _ = writeln!(out, "typedef {} = {}", typedef.full_name, schema.spelled(&typedef.ty));
    }
    for constant in &schema.constants {
        let (ty, value) = (schema.spelled(&constant.ty), shown(&constant.value));
        let _ = writeln!(out, "const {ty} {} = {value}", constant.full_name);
    }
    out
}

fn describe_struct(schema: &Schema<'_>, structure: &Struct<'_>, out: &mut String) {
    let word = match structure.sort {
        Sort::Struct => "struct",
        Sort::Union => "union",
        Sort::Exception => "exception",
        Sort::Arguments | Sort::Result => "of",
    };
    let fields = structure.fields.iter().map(|field| {
        let requiredness = match field.requiredness {
            Requiredness::Required => "required ",
            Requiredness::Optional => "optional ",
            Requiredness::Default => "",
        };
        let default = field.default.as_ref().map_or(String::new(), |value| format!(" = {}", shown(value)));
        format!("{}: {requiredness}{} {}{default}", field.id, schema.spelled(&field.ty), field.name.text)
    });
    let fields: Vec<String> = fields.collect();
    let reserved = kept(&structure.reserved);
    let _ = writeln!(out, "{word} {} {{ {} }}{reserved}", structure.full_name, fields.join(", "));
}

fn kept<N: std::fmt::Display>(ranges: &[(N, N)]) -> String {
    ranges.iter().map(|(first, last)| format!(" reserved {first}-{last}")).collect()
}

fn shown(value: &Value<'_>) -> String {
    match &value.kind {
        ValueKind::Integer(number) => number.to_string(),
        ValueKind::Double(number) => format!("{number:?}"),
        ValueKind::Text(text) => format!("{:?}", String::from_utf8_lossy(text)),
        ValueKind::Enum(id, number) => format!("enum {} {number}", id.0),
        ValueKind::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        ValueKind::Map(pairs) => {
            let pairs: Vec<String> =
                pairs.iter().map(|(key, value)| format!("{}: {}", shown(key), shown(value))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        ValueKind::Unknown(name) => format!("? {name}"),
    }
}

/// Text, and what it declares. All of it is read without any problem.
const GOOD: &[(&str, &str)] = &[
    ("", ""),
    ("struct A {}", "struct shop.A {  }"),
    (
        "struct A { 1: i32 a; 2: optional string b, 3: required binary c }",
        "struct shop.A { 1: i32 a, 2: optional string b, 3: required binary c }",
    ),
    ("struct A { i32 a 5: i32 b i32 c }", "struct shop.A { -1: i32 a, 5: i32 b, -2: i32 c }"),
    ("struct A { 0x10: byte a, +2: i8 b }", "struct shop.A { 16: i8 a, 2: i8 b }"),
    ("struct A { 1: list<map<string, set<double>>> a }", "struct shop.A { 1: list<map<string, set<double>>> a }"),
    (
        "struct A { 1: map cpp_type \"x\" <i16, i64> a; 2: list<bool> cpp_type \"y\" b }",
        "struct shop.A { 1: map<i16, i64> a, 2: list<bool> b }",
    ),
    (
        "struct namespace { 1: i32 include 2: B required 3: optional i32 struct 4: i32 list }\nstruct B {}",
        "struct shop.namespace { 1: i32 include, 2: shop.B required, 3: optional i32 struct, 4: i32 list }\nstruct shop.B {  }",
    ),
    ("struct A { 1: A & a (cpp.ref = \"1\", flag) } (x = \"y\");", "struct shop.A { 1: shop.A a }"),
    (
        "struct A xsd_all { 1: i32 a = 3 xsd_optional xsd_nillable xsd_attrs { 1: string b } (z) }",
        "struct shop.A { 1: i32 a = 3 }",
    ),
    (
        "union U { 1: i32 a, 2: required string b = 'x' }",
        "!1:40 warning `b` cannot be required in a union; it is taken for optional",
    ),
    ("exception E { 1: string why }", "exception shop.E { 1: string why }"),
    ("// c\n# c\n/* * / */ /**/ /***/ struct A { /** d */ 1: i32 a // x\n}", "struct shop.A { 1: i32 a }"),
    ("enum E { A, B = 5, C; D = -0x2 (x = 'y') E }", "enum shop.E { A = 0, B = 5, C = 6, D = -2, E = -1 }"),
    ("enum E {\n A = 1 // reserved: 4, 7-9\n}", "enum shop.E { A = 1 } reserved 4-4 reserved 7-9"),
    ("typedef Later Early typedef i64 Later", "typedef shop.Early = i64\ntypedef shop.Later = i64"),
    ("senum S { 'a', 'b' } struct A { 1: S s 2: slist t }", "!1:1 warning compilers no longer read `senum`"),
    ("typedef string uuid struct A { 1: uuid a }", "struct shop.A { 1: string a }\ntypedef shop.uuid = string"),
    ("struct A { 1: uuid a 2: float b }", "struct shop.A { 1: uuid a, 2: float b }"),
    (
        "const i32 A = -5; const double D = 1, const double F = -2.5e3 const bool T = true",
        "const i32 shop.A = -5\nconst double shop.D = 1.0\nconst double shop.F = -2500.0\nconst bool shop.T = 1",
    ),
    (
        "const i32 B = A; const i32 A = 010 const string S = \"a\\n\\\"\\\\'\"",
        "const i32 shop.B = 10\nconst i32 shop.A = 10\nconst string shop.S = \"a\\n\\\"\\\\'\"",
    ),
    (
        "const map<string, list<i32>> M = {'a': [1, 2; 3], 'b': [],}",
        "const map<string, list<i32>> shop.M = {\"a\": [1, 2, 3], \"b\": []}",
    ),
    (
        "enum E { X = 3 } const E A = E.X; const i32 B = E.X; const E C = 3; const E D = shop.E.X",
        "enum shop.E { X = 3 }\nconst shop.E shop.A = enum 0 3\nconst i32 shop.B = 3\nconst shop.E shop.C = enum 0 3\nconst shop.E shop.D = enum 0 3",
    ),
    (
        "service S { void a(), oneway void b(1: i32 x) async void c() i32 d(string y) throws (1: E e); }\nexception E {}",
        "exception shop.E {  }\nof shop.S.a() arguments {  }\nof shop.S.a() result {  }\nof shop.S.b() arguments { 1: i32 x }\nof shop.S.b() result {  }\nof shop.S.c() arguments {  }\nof shop.S.c() result {  }\nof shop.S.d() arguments { -1: string y }\nof shop.S.d() result { 0: optional i32 success, 1: optional shop.E e }\nservice shop.S { void a, oneway void b, oneway void c, i32 d }",
    ),
    ("service A {} service B extends A {} (x = 'y')", "service shop.A {  }\nservice shop.B extends A = shop.A {  }"),
    (
        "namespace java a.b-c (x = 'y')\nnamespace * z; cpp_namespace q\nphp_namespace r\njava_package s\ncpp_include \"<x>\"\nnamespace old\nstruct A {}",
        "struct shop.A {  }",
    ),
    ("enum E { A = 010 }", "enum shop.E { A = 10 }"),
    // The dialect.
    ("enum E { A = 010, B = 0b11, C = -017 }\npackage 'a.b/c'", "enum shop.E { A = 8, B = 3, C = -15 }"),
    ("package;\nstruct A { 010: i64 a = 0777777777777777777777 }", "struct shop.A { 8: i64 a = 9223372036854775807 }"),
    (
        "package \"a.b/c\"\nnamespace cpp2 \"x\"\nhs_include \"y.h\"\n@thrift.ReserveIds{ids = [4], id_ranges = {10: 15}}\nstruct A { 1: i32 a }",
        "struct shop.A { 1: i32 a } reserved 4-4 reserved 10-14",
    ),
    (
        "@x.Y @x.Z{a = 1, b = {'k': [T{c = 2}]}}\nstruct A { @x.Y 1: i32 a; @x.Y{} 2: i32 (p) b (q) }",
        "struct shop.A { 1: i32 a, 2: i32 b }",
    ),
    (
        "struct A { 1: i32 a } const A X = A{a = 1}; const A Y = {'a': 2}",
        "struct shop.A { 1: i32 a }\nconst shop.A shop.X = {\"a\": 1}\nconst shop.A shop.Y = {\"a\": 2}",
    ),
    ("safe permanent client exception E {}", "exception shop.E {  }"),
    (
        "interaction I { i32 a() }\nservice S { performs I; readonly idempotent i32 b(); I, stream<i32 throws (1: E e)> c(1: i32 x); sink<i32, string> d() I e() }\nexception E {}",
        "exception shop.E {  }\nof shop.I.a() arguments {  }\nof shop.I.a() result { 0: optional i32 success }\nof shop.S.performs I() arguments {  }\nof shop.S.performs I() result {  }\nof shop.S.b() arguments {  }\nof shop.S.b() result { 0: optional i32 success }\nof shop.S.c() arguments { 1: i32 x }\nof shop.S.c() result { 0: optional I, stream<i32 throws (1: E)> success }\nof shop.S.d() arguments {  }\nof shop.S.d() result { 0: optional sink<i32, string> success }\nof shop.S.e() arguments {  }\nof shop.S.e() result { 0: optional I success }\nservice shop.I { i32 a }\nservice shop.S { void performs I, i32 b, I, stream<i32 throws (1: E)> c, sink<i32, string> d, I e }",
    ),
    (
        "struct A {\n // reserved: 4, 7-9, 12 to 13\n # Reserved: 20 (was `x`)\n // reserved for later: 5\n 1: i32 a\n /* reserved: 30 */\n}",
        "struct shop.A { 1: i32 a } reserved 4-4 reserved 7-9 reserved 12-13 reserved 20-20 reserved 30-30",
    ),
    ("struct A { 1: string a = '\\d' } (r = \"\\w\")", "struct shop.A { 1: string a = \"d\" }"),
    ("struct A { 1: i32 a } (t = \"two\nlines\")", "struct shop.A { 1: i32 a }"),
];

#[test]
fn what_the_compilers_read_is_read() {
    for (text, expected) in GOOD {
        with_one(text.as_bytes(), |linkage| {
            let problems = told(text.as_bytes(), &linkage.problems);
            match expected.strip_prefix('!') {
                Some(warning) => assert_eq!(problems, [warning], "{text}"),
                None => {
                    assert_eq!(described(&linkage.schema).trim_end(), *expected, "{text}");
                    let is_old = |problem: &String| problem.contains("compilers no longer read");
                    assert!(problems.iter().all(is_old), "{text}: {problems:?}");
                }
            }
        });
    }
}

/// Text, and everything that is said about it.
const BAD: &[(&str, &[&str])] = &[
    ("struct A { 1: i32 a; 1: i32 b }", &["1:22 error id 1 of field `b` is that of `a` already"]),
    ("struct A { 1: i32 a; 2: i32 a }", &["1:29 error `a` is the name of field 1 already"]),
    ("struct A { 1: B b }", &["1:15 error `B` is not defined"]),
    ("struct A { 1: other.B b }", &["1:15 error `other.B` is not defined"]),
    ("struct A {}\nenum A {}", &["2:6 error `A` is defined in this file already"]),
    ("const i32 A = 1; const i32 A = 2", &["1:28 error `A` is defined in this file already"]),
    ("struct a.b {}", &["1:8 error `a.b` cannot be defined: a name has no dots"]),
    ("struct A { 1: void a }", &["1:15 error `void` is not a type of values"]),
    ("struct A { 40000: i32 a }", &["1:12 error id 40000 of field `a` does not fit into 16 bits"]),
    (
        "struct A { 0: i32 a, -5: i32 b }",
        &[
            "1:12 warning id 0 of field `a` is not positive, so the compiler takes -1 instead",
            "1:22 warning id -5 of field `b` is not positive, so the compiler takes -2 instead",
        ],
    ),
    ("struct A { -1: i32 a }", &["1:12 warning id -1 of field `a` is not positive"]),
    ("struct A {\n // reserved: 2\n 2: i32 a }", &["3:2 warning id 2 of field `a` is reserved in the same struct"]),
    (
        "enum E { A = 2147483648, B }",
        &["1:14 error enum value `A` has the number 2147483648, which does not fit into 32 bits"],
    ),
    ("enum E { A = 2147483647, B }", &["1:26 error enum `E` has no number left for `B` behind 2147483647"]),
    ("enum E { A, A }", &["1:13 error enum `E` has a value `A` already"]),
    ("const i64 A = 9223372036854775808", &["1:15 error this number does not fit into 64 bits"]),
    ("typedef B A typedef list<A> B", &["1:11 error typedef `A` stands for itself, so it is no type"]),
    ("typedef A A", &["1:11 error typedef `A` stands for itself, so it is no type"]),
    ("service A extends B {} service B extends A {}", &["1:19 error service `shop.A` extends itself"]),
    (
        "service A { void f() } service B extends A { void g() } service C extends B { void f() } \
         service D { void f() } service E extends D { void g() }",
        &["1:84 error function `f` is there already, in a service above"],
    ),
    ("struct B {} service A extends B {}", &["1:31 error `B` is not a service, so it cannot be extended"]),
    ("service S { void a() void a() }", &["1:27 error service `S` has a function `a` already"]),
    (
        "struct B {} service S { void a() throws (1: B b) }",
        &["1:45 error `B` cannot be thrown: it is not an exception"],
    ),
    (
        "exception E {} service S { oneway i32 a() throws (1: E e) }",
        &[
            "1:51 error function `a` is oneway, so it cannot throw anything",
            "1:35 warning function `a` is oneway, so what it returns is never seen",
        ],
    ),
    (
        "struct A { 1: byte a = 200; 2: string b = 1 }",
        &["1:24 warning this value does not fit the type i8", "1:43 error this value does not fit the type string"],
    ),
    (
        "const i32 A = 'a'; const list<i32> B = 5; enum E { X } const E C = 'X'; const double D = E.X; const bool F = 1.5",
        &[
            "1:15 error this value does not fit the type i32",
            "1:40 warning this value does not fit the type list<i32>",
            "1:68 warning this is no value of enum `shop.E`, and compilers take it for the one with the number 0",
            "1:90 warning this value does not fit the type double",
            "1:110 error this value does not fit the type bool",
        ],
    ),
    (
        "enum E { X = 1 } const E A = 'X'; const E B = 1.5; const list<E> C = ['E.X']; struct S { 1: E e = 'E.X' }",
        &[
            "1:30 error this value does not fit the type shop.E",
            "1:47 error this value does not fit the type shop.E",
            "1:71 error this value does not fit the type shop.E",
            "1:99 error this value does not fit the type shop.E",
        ],
    ),
    (
        "enum E { X = 1, Y = 0 } const E A = 1.5; const map<E, E> B = {'X': 'E.X'}; struct S { 1: E e = ['hello'] }",
        &[
            "1:37 warning this is no value of enum `shop.E`, and compilers take it for the one with the number 0",
            "1:63 warning this is no value of enum `shop.E`, and compilers take it for the one with the number 0",
            "1:68 warning this is no value of enum `shop.E`, and compilers take it for the one with the number 0",
            "1:96 warning this is no value of enum `shop.E`, and compilers take it for the one with the number 0",
        ],
    ),
    (
        "package 'a.b/c'; enum E { A = 089 }",
        &["1:31 error a number with a leading zero is octal, and 8 and 9 are not octal digits"],
    ),
    ("const i32 A = 0b2", &["1:16 error a letter directly after a number belongs to neither a number nor a name"]),
    (
        "enum E { X } struct A { 1: E a = X; 2: E b = Y; 3: E c = 7; 4: i32 d = X }",
        &[
            "1:34 warning `X` stands without the name of its enum, which compilers no longer accept",
            "1:46 warning `Y` is neither a constant nor a value of an enum",
            "1:58 warning enum `shop.E` has no value with the number 7",
            "1:72 warning `X` stands without the name of its enum, which compilers no longer accept",
        ],
    ),
    ("union U { 1: i32 a = 1, 2: i32 b = 2 }", &["1:32 warning `b` is the second member of a union with a default"]),
    ("const i32 A = B; const i32 B = A", &["1:32 warning constant `A` is part of its own value"]),
    ("struct A { 1: i32 a } const A X = {'b': 1}", &["1:36 warning `shop.A` has no field `b`"]),
    // Reading goes on behind what cannot be understood.
    (
        "struct A { 1 i32 a; 2: i32 }\nstruct B { 1: i32 a\nstruct C { 1: C c }",
        &[
            "1:14 error expected `:` after the id of a field, found `i32`",
            "1:28 error expected the name of a field, found `}`",
            "2:8 error struct `B` is never closed: another definition begins before its `}`",
        ],
    ),
    (
        "struct A { 1: list<i32 a; 2: set<> b; 3: i32 c",
        &[
            "1:24 error expected `>` at the end of the list, found `a`",
            "1:34 error expected the type of the elements, found `>`",
            "1:8 error struct `A` is never closed: the file ends before its `}`",
        ],
    ),
    (
        "strukt A { 1: i32 a }\nservice S {\n void a(1: i32, 2: )\n 5 b()\n void c(\n}",
        &[
            "1:1 error expected a definition, found `strukt`",
            "3:15 error expected the name of a field, found `,`",
            "3:20 error expected the type of a field, found `)`",
            "4:2 error expected the return type of a function, found the number 5",
            "6:1 error expected `)` after the fields of function `c`, found `}`",
        ],
    ),
    (
        "const i32 = 5\nconst i32 B 5\nconst i32 C = [1\nconst i32 D = -x\nconst map<i32, i32> E = {1: 2\nstruct F {}",
        &[
            "1:11 error expected a name for the constant, found `=`",
            "2:13 error expected `=` after the name of constant `B`, found the number 5",
            "3:15 error this list is never closed",
            "4:16 error expected a number after the sign, found `x`",
            "5:25 error this map is never closed",
        ],
    ),
    (
        "struct A { 1: string a = \"x }\nstruct B {}",
        &[
            "1:26 error this string is never closed",
            "1:8 error struct `A` is never closed: another definition begins before its `}`",
        ],
    ),
    (
        "struct é {}",
        &[
            "1:8 error `é` cannot stand here: names are made of ASCII letters, digits and `_`",
            "1:11 error expected a name after `struct`, found `{`",
        ],
    ),
    (
        "include shared\ninclude \"x\" as 5\nnamespace 5 x\n",
        &[
            "1:9 error expected the path of a file, found `shared`",
            "2:16 error expected a name for the included file, found the number 5",
            "3:11 error expected a language, or `*`, after `namespace`, found the number 5",
        ],
    ),
];

#[test]
fn what_the_compilers_refuse_is_refused_at_its_place() {
    for (text, expected) in BAD {
        with_one(text.as_bytes(), |linkage| {
            assert_eq!(told(text.as_bytes(), &linkage.problems), *expected, "{text}");
        });
    }
}

#[test]
fn latin_bytes_in_comments_and_texts_are_no_problem() {
    let text = b"// caf\xe9\nnamespace py \"caf\xe9\"\nstruct A { 1: string a = \"\xfc\" (x = \"\xe9\") } # \xff";
    with_one(text, |linkage| {
        assert!(linkage.problems.is_empty(), "{:?}", linkage.problems);
        let field = &linkage.schema.structs[0].fields[0];
        assert_eq!(field.default.as_ref().map(|value| &value.kind), Some(&ValueKind::Text((&b"\xfc"[..]).into())));
        assert_eq!(field.annotations[0].value, "é");
        assert_eq!(linkage.schema.files[0].namespaces[0].1.text, "café");
    });
}

#[test]
fn a_byte_order_mark_counts_in_places() {
    with_one(b"\xef\xbb\xbfstruct A {}", |linkage| assert_eq!(linkage.schema.structs[0].name_span.start, 10));
}

#[test]
fn annotations_are_kept_as_written() {
    let text = b"@a.B{c = [1]}\n@d.E\nstruct A { 1: i32 a (x = \"y\", z) } (p.q = \"r\")";
    with_one(text, |linkage| {
        let flat = |all: &[crate::formats::thrift::model::Annotation<'_>]| -> Vec<(String, String)> {
            all.iter().map(|one| (one.name.text.to_string(), one.value.to_string())).collect()
        };
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let structure = &linkage.schema.structs[0];
        assert_eq!(flat(&structure.annotations), [pair("@a.B", "{c = [1]}"), pair("@d.E", ""), pair("p.q", "r")]);
        assert_eq!(flat(&structure.fields[0].annotations), [pair("x", "y"), pair("z", "")]);
    });
}

/// Files, include roots, and the type of the first field of `Main`, with `?` in front where it is opaque.
type Include = (&'static [(&'static str, &'static str)], &'static [&'static str], &'static str);

const INCLUDES: &[Include] = &[
    (&[("a/main.thrift", "include 'shared.thrift'"), ("a/shared.thrift", "struct T {}")], &[], "shared.T"),
    (&[("a/main.thrift", "include '../b/shared.thrift'"), ("b/shared.thrift", "struct T {}")], &[], "shared.T"),
    (&[("a/main.thrift", "include 'x/shared.thrift'"), ("b/x/shared.thrift", "typedef i32 T")], &["b"], "i32"),
    (&[("a/main.thrift", "include 'x/shared.thrift'"), ("x/shared.thrift", "enum T {}")], &[], "shared.T"),
    (&[("a/b/main.thrift", "include 'x/shared.thrift'"), ("a/x/shared.thrift", "enum T {}")], &[], "shared.T"),
    (&[("main.thrift", "include 'x.thrift' as shared"), ("x.thrift", "struct T {}")], &[], "x.T"),
    (
        &[
            ("main.thrift", "include 'a/shared.thrift' include 'b/shared.thrift'"),
            ("a/shared.thrift", ""),
            ("b/shared.thrift", "struct T {}"),
        ],
        &[],
        "shared.T",
    ),
    (&[("main.thrift", "include 'shared.thrift'")], &[], "? shared.T"),
    (&[("main.thrift", "include 'shared.thrift'"), ("shared.thrift", "struct {")], &[], "? shared.T"),
    (
        &[
            ("main.thrift", "include 'shared.thrift'"),
            ("shared.thrift", "include 'main.thrift' struct T {1: main.Main m}"),
        ],
        &[],
        "shared.T",
    ),
    (&[("main.thrift", "include 'lib/shared.thrift'")], &[], "shared.T"),
];

#[test]
fn includes_lead_where_the_compiler_looks() {
    let library = LibraryFile { import_path: "lib/shared.thrift".into(), bytes: b"struct T {}"[..].into() };
    for (files, include, expected) in INCLUDES {
        let texts: Vec<(&str, String)> = files
            .iter()
            .map(|(path, text)| match path.ends_with("main.thrift") {
                true => (*path, format!("{text} struct Main {{ 1: shared.T t }}")),
                false => (*path, (*text).to_owned()),
            })
            .collect();
        let texts: Vec<(&str, &[u8])> = texts.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
        let include = include.iter().map(|root| (*root).to_owned()).collect();
        let options = CheckOptions { include, library: vec![library.clone()], ..CheckOptions::default() };
        with_linked(Pair::new(&[], &texts), &options, |sides| {
            let schema = &sides.new.schema;
            let main = schema.structs.iter().find(|item| &*item.full_name == "main.Main").expect("`Main` is declared");
            let ty = match &main.fields[0].ty {
                Type::Opaque(name) => format!("? {name}"),
                ty => schema.spelled(ty),
            };
            assert_eq!(ty, *expected, "{files:?}");
        });
    }
}

#[test]
fn an_include_that_is_missing_is_said_once_and_hides_what_it_may_define() {
    let text = b"include 'x/shared.thrift'\nstruct A { 1: shared.T t = shared.C; 2: list<shared.E> e }\nservice S extends shared.S {}";
    let options = |strict_imports| CheckOptions { strict_imports, ..CheckOptions::default() };
    let files: &[(&str, &[u8])] = &[("a.thrift", text)];
    with_linked(Pair::new(files, files), &options(false), |sides| {
        let expected = "1:9 warning include `x/shared.thrift` was not found: its types are compared by name only";
        assert_eq!(told(text, &sides.new.problems), [expected]);
    });
    let snapshot = Snapshot::from_files(files.iter().map(|(path, text)| (*path, *text)));
    let not_checked = check::<Thrift>(Pair::new(&snapshot, &snapshot), &options(false)).not_checked;
    assert_eq!(not_checked[0].what, "types of x/shared.thrift");
    assert_eq!(not_checked.len(), 1);
    with_linked(Pair::new(files, files), &options(true), |sides| {
        let expected = "1:9 error include `x/shared.thrift` was not found: imports are strict";
        assert_eq!(told(text, &sides.new.problems), [expected]);
    });
}

#[test]
fn an_include_that_is_lost_is_an_error_where_it_was_used() {
    let used: &[u8] = b"include 'b.thrift' struct A { 1: b.B b }";
    let unused: &[u8] = b"include 'b.thrift' struct A {}";
    for (text, severities) in [(used, &[Severity::Aside; 2][..]), (unused, &[Severity::Warning])] {
        let old: &[(&str, &[u8])] = &[("a.thrift", text), ("b.thrift", b"struct B {}")];
        for lenient_unchanged in [false, true] {
            let options = CheckOptions { lenient_unchanged, ..CheckOptions::default() };
            with_linked(Pair::new(old, &old[..1]), &options, |sides| {
                let problems = &sides.new.problems;
                assert_eq!(problems.iter().map(|problem| problem.severity).collect::<Vec<_>>(), severities);
                assert_eq!(problems[0].message.contains("leads to b.thrift"), text == used, "{problems:?}");
            });
        }
    }
}

#[test]
fn an_old_version_that_never_compiled_is_only_warned_of() {
    let files: &[(&str, &[u8])] = &[("a.thrift", b"struct A { 1: B b }")];
    with_linked(Pair::new(files, files), &CheckOptions::default(), |sides| {
        let severities = [&sides.old.problems[0].severity, &sides.new.problems[0].severity];
        assert_eq!(severities, [&Severity::Warning, &Severity::Error]);
    });
}

#[test]
fn who_forgets_an_include_is_told_where_the_name_is_defined() {
    let files: &[(&str, &[u8])] = &[("a.thrift", b"struct A { 1: B b, 2: b.B c }"), ("x/b.thrift", b"struct B {}")];
    with_linked(Pair::new(&[], files), &CheckOptions::default(), |sides| {
        let helps: Vec<&str> = sides.new.problems.iter().map(|problem| problem.help.as_ref()).collect();
        let expected = [
            "x/b.thrift defines it: include that file and write `b.B`",
            "nothing is included as `b`: add `include \"b.thrift\"`",
        ];
        assert_eq!(helps, expected);
    });
}

#[test]
fn files_that_no_change_touches_may_be_wrong_when_asked_for() {
    let wrong: &[u8] = b"struct W { 1: Nothing n }";
    let beside: &[u8] = b"include 'changed.thrift' struct W { 1: Nothing n }";
    let side = |changed| -> Vec<(&str, &[u8])> {
        vec![("apart.thrift", wrong), ("beside.thrift", beside), ("changed.thrift", changed)]
    };
    let options = CheckOptions { lenient_unchanged: true, ..CheckOptions::default() };
    with_linked(Pair::new(&side(b"struct A {}"), &side(b"struct B {}")), &options, |sides| {
        let errors = sides.new.problems.iter().filter(|problem| problem.severity == Severity::Error);
        let files: Vec<&str> =
            errors.filter_map(|problem| problem.site.as_ref()).map(|site| site.file.as_ref()).collect();
        assert_eq!(files, ["beside.thrift"]);
    });
}

#[test]
fn library_files_are_read_only_when_they_are_included_and_never_at_fault() {
    let file = |path: &str, text: &str| LibraryFile { import_path: path.into(), bytes: text.as_bytes().into() };
    let library = vec![file("b.thrift", "struct B { 1: Gone g }"), file("c.thrift", "struct {")];
    let options = CheckOptions { library, ..CheckOptions::default() };
    let new: &[(&str, &[u8])] = &[("a.thrift", b"include 'b.thrift' struct A { 1: b.B b }")];
    with_linked(Pair::new(&[], new), &options, |sides| {
        let paths: Vec<(&str, bool)> =
            sides.new.schema.files.iter().map(|file| (file.path.as_ref(), file.is_library)).collect();
        assert_eq!(paths, [("a.thrift", false), ("b.thrift", true)]);
        assert!(sides.new.problems.iter().all(|problem| problem.severity == Severity::Warning));
    });
}

/// A file that has a bit of everything.
const EVERYTHING: &str = include_str!("parse_tests.thrift");

#[test]
fn a_file_with_a_bit_of_everything_is_read() {
    with_one(EVERYTHING.as_bytes(), |linkage| {
        let problems = told(EVERYTHING.as_bytes(), &linkage.problems);
        assert_eq!(problems, ["11:1 warning compilers no longer read `senum`"]);
        assert_eq!(linkage.schema.structs.len(), 13);
    });
}

#[test]
fn a_file_may_end_anywhere_and_every_byte_may_be_wrong() {
    let bytes = EVERYTHING.as_bytes();
    for end in 0..bytes.len() {
        with_one(&bytes[..end], |linkage| assert!(linkage.problems.len() < 50, "cut at {end}"));
    }
    for at in 0..bytes.len() {
        for byte in [b'{', b'}', b'"', b'0', 0xff] {
            let mut damaged = bytes.to_vec();
            damaged[at] = byte;
            with_one(&damaged, |linkage| assert!(linkage.problems.len() < 120, "byte {byte} at {at}"));
        }
    }
}

#[test]
fn nothing_nests_without_end() {
    let deep = 100_000;
    let texts = [
        format!("struct A {{ 1: {}i32 a }} struct B {{}}", "list<".repeat(deep)),
        format!("const i32 A = {}1\nstruct B {{}}", "[".repeat(deep)),
        format!("const i32 A = {}1\nstruct B {{}}", "{1:".repeat(deep)),
        format!("@a.B{}\nstruct B {{}}", "{a={".repeat(deep)),
        format!("struct A {} struct B {{}}", "{".repeat(deep)),
        format!("service S {{ void a{} }}", "(".repeat(deep)),
        format!("service S {{ {} }}", "stream<i32 throws (1: ".repeat(deep)),
        format!("struct A {{ 1: i32 a xsd_attrs {} }}", "{".repeat(deep)),
        "}".repeat(deep),
        "@".repeat(deep),
        "/*".repeat(deep),
        "'".repeat(deep),
        "\"\n'".repeat(deep),
    ];
    for text in &texts {
        with_one(text.as_bytes(), |linkage| {
            let first = text.get(..20).unwrap_or(text);
            assert!(linkage.problems.iter().any(|problem| problem.severity == Severity::Error), "{first}");
            assert!(linkage.problems.len() < 250, "{first}");
        });
    }
}

#[test]
fn long_chains_and_doubling_types_and_values_end() {
    let mut types = "typedef i32 T0\n".to_owned();
    let mut values = "const list<i32> C0 = [1, 2]\n".to_owned();
    let mut services = "service S0 extends S20000 {}\n".to_owned();
    for next in 1..=20_000 {
        let last = next - 1;
        let _ = writeln!(types, "typedef map<T{last}, T{last}> T{next}\ntypedef U{next} U{last}");
        let _ = writeln!(values, "const list<i32> C{next} = [C{last}, C{last}]\nconst i32 D{last} = D{next}");
        let _ = writeln!(services, "service S{next} extends S{last} {{}}");
    }
    types.push_str("typedef i32 U20000\n");
    values.push_str("const i32 D20000 = 1\n");
    with_one(types.as_bytes(), |linkage| {
        assert!(linkage.problems[0].message.contains("too large"), "{:?}", linkage.problems[0]);
        assert_eq!(linkage.schema.typedefs[2].ty, Type::I32, "a long chain of names is followed to its end");
    });
    with_one(values.as_bytes(), |linkage| assert_eq!(linkage.schema.constants.len(), 40_002));
    with_one(services.as_bytes(), |linkage| assert!(linkage.problems[0].message.contains("extends itself")));
}

#[test]
fn long_names_and_many_fields_are_read() {
    let name = "a".repeat(1 << 20);
    let text = format!("struct {name} {{ 1: {name} {name} 1: i32 x }} enum {name} {{}}");
    with_one(text.as_bytes(), |linkage| {
        assert_eq!(linkage.problems.len(), 2);
        assert!(linkage.problems.iter().all(|problem| problem.message.len() < 2_000));
    });
    let mut text = "struct A {\n".to_owned();
    for id in 1..=10_000 {
        let _ = writeln!(text, " {id}: optional list<string> field_{id} = [] // reserved: {}", id + 10_000);
    }
    text.push_str("}\n");
    with_one(text.as_bytes(), |linkage| {
        assert_eq!(linkage.problems, []);
        let structure = &linkage.schema.structs[0];
        assert_eq!((structure.fields.len(), structure.reserved.len()), (10_000, 10_000));
    });
}
