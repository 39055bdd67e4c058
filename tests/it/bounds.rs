//! Work and memory grow with the size of the input and not with its square: each row is ended by the system where it takes
//! more processor time or memory than its size explains.

use std::fmt::Write as _;
use std::fs;

use crate::bad_input::{compare_within, run_within};
use crate::git::{Place, Ran, commit, git, git_is_missing, repository};
use crate::support::some_of;

/// Seconds of processor time for a row, with all assertions on a slow machine: a square takes many times that.
const SECONDS: u32 = 25;

/// Numbered pieces, one behind the other.
fn many(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect()
}

/// Numbered pieces with commas in between.
fn listed(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect::<Vec<_>>().join(",")
}

/// A pair of schemas: what grows in it, the ending of its files, both sides, and the exit code.
type Row = (&'static str, &'static str, [String; 2], i32);

fn run(rows: Vec<Row>) -> Vec<Ran> {
    let each = some_of(rows).into_iter().map(|(what, ending, [old, new], code)| {
        let place = Place::new();
        place.write(format!("old/m.{ending}"), &old).write(format!("new/m.{ending}"), &new);
        let ran = compare_within(SECONDS, &place, &["-q"]);
        let start: String = ran.out.chars().take(2000).collect();
        assert_eq!(ran.code, code, "{what} ({ending}): {start}{}", ran.err);
        assert!(!ran.out.contains("bug in wireproof"), "{what} ({ending}): {start}");
        ran
    });
    each.collect()
}

#[test]
fn values_of_enums_are_looked_up() {
    const COUNT: usize = 4_000;
    let both = |text: &dyn Fn(&str) -> String| [text("A"), text("B")];
    run(vec![
        (
            "renamed values",
            "avsc",
            both(&|name| {
                let symbols = listed(COUNT / 4, |at| format!("\"{name}{at}\""));
                format!("{{\"type\": \"enum\", \"name\": \"E\", \"symbols\": [{symbols}]}}")
            }),
            1,
        ),
        (
            "renamed values",
            "proto",
            both(&|name| {
                let values = many(COUNT, |at| format!("{name}{at} = {};", at + 1));
                format!("syntax = \"proto3\"; enum E {{ Z = 0; {values} }} message M {{ E e = 1; }}")
            }),
            0,
        ),
        (
            "renamed values",
            "fbs",
            both(&|name| {
                let values = listed(COUNT, |at| format!("{name}{at} = {}", at + 1));
                format!("enum E:int {{ {values} }} table M {{ e:E = {name}0; }}")
            }),
            0,
        ),
        (
            "renamed values",
            "thrift",
            both(&|name| {
                let values = listed(COUNT, |at| format!("{name}{at} = {}", at + 1));
                format!("enum E {{ {values} }} struct M {{ 1: E e }}")
            }),
            0,
        ),
    ]);
}

#[test]
fn values_with_other_numbers_are_numbered_once() {
    const COUNT: usize = 4_000;
    let both = |text: &dyn Fn(usize) -> String| [text(1), text(COUNT + 1)];
    let values = |first: usize| listed(COUNT, |at| format!("V{at} = {}", at + first));
    run(vec![
        (
            "values with other numbers",
            "fbs",
            both(&|first| format!("enum E:int {{ {} }} table M {{ e:E = V0; }}", values(first))),
            1,
        ),
        (
            "values with other numbers",
            "thrift",
            both(&|first| format!("enum E {{ {} }} struct M {{ 1: E e }}", values(first))),
            1,
        ),
    ]);
}

#[test]
fn structs_that_hold_themselves_come_to_an_end() {
    let sides = ["x: value; y: int;", "x: Point; value: Point;"];
    let sides =
        sides.map(|fields| format!("struct Point {{ {fields} }}\ntable Order {{ value: Point; }}\nroot_type Order;"));
    run(vec![("a struct of itself", "fbs", sides, 3)]);
}

/// None of these is written whole; what differs in them is judged by how they lie.
#[test]
fn structs_of_any_size_are_judged_by_how_they_are_declared() {
    let of_arrays = |item: &str, counts: [usize; 3]| {
        let [first, second, third] = counts;
        format!("struct A{{a:[{item}:{first}];}} struct Q{{a:[A:{second}];}} struct P{{q:[Q:{third}];}}")
    };
    let of_structs = |first: &str| {
        let each = many(26, |at| format!("struct S{}{{a:S{at};b:S{at};}}\n", at + 1));
        format!("struct S0{{a:{first};}}\n{each}")
    };
    let table = |structs: &str, fields: &str| format!("{structs} table R{{{fields} x:int;}} root_type R;");
    let both = |old: String, new: String, fields: &str| [table(&old, fields), table(&new, fields)];
    let arrays = of_arrays("ubyte", [1000, 1000, 1000]);
    let wide = many(500, |at| format!("f{at}:[P];"));
    run(vec![
        ("an array in arrays", "fbs", [table(&arrays, "p:P;"), table(&arrays, "p:P; y:int;")], 1),
        (
            "an array in arrays that nobody edits",
            "fbs",
            [table(&arrays, "p:P;"), table(&arrays, "p:P;").replace("x:int;", "x:int; y:int;")],
            0,
        ),
        ("items of arrays", "fbs", both(arrays.clone(), of_arrays("ushort", [1000, 1000, 1000]), "p:[P];"), 1),
        (
            "a large array",
            "fbs",
            both(of_arrays("ubyte", [1000, 60, 1]), of_arrays("byte", [1000, 60, 1]), "p:[P];"),
            1,
        ),
        (
            "a larger array",
            "fbs",
            both(of_arrays("ubyte", [4000, 1000, 1]), of_arrays("byte", [4000, 1000, 1]), "p:[P];"),
            1,
        ),
        (
            "fields of large structs",
            "fbs",
            [
                table(&of_arrays("ubyte", [1000, 60, 1]), &wide),
                table(&of_arrays("ubyte", [1000, 60, 1]), &wide).replace("x:int", "x:float"),
            ],
            1,
        ),
        ("structs of structs", "fbs", both(of_structs("int"), of_structs("float"), "p:[S26];"), 1),
        (
            "structs of structs that nobody edits",
            "fbs",
            [
                table(&of_structs("int"), "p:[S26];"),
                table(&of_structs("int"), "p:[S26]; q:[S20];").replace("x:int; ", "x:int;"),
            ],
            1,
        ),
    ]);
}

#[test]
fn words_of_a_checker_are_kept_once() {
    let symbols = |name: &str| listed(3_000, |at| format!("\"{name}{at}\""));
    let sides = ["A", "B"].map(symbols);
    let sides = sides.map(|symbols| format!("{{\"type\": \"enum\", \"name\": \"E\", \"symbols\": [{symbols}]}}"));
    let ran = run(vec![("one message about all symbols", "avsc", sides, 1)]);
    assert!(ran[0].out.len() < 1 << 20, "{}", ran[0].out.len());
}

#[test]
fn fields_are_looked_up() {
    const COUNT: usize = 600;
    let sides = |one: &dyn Fn(&str) -> String, types: [&str; 2]| types.map(one);
    run(vec![
        (
            "changed fields",
            "fbs",
            sides(
                &|ty| format!("table T {{ {} }} root_type T;", many(COUNT, |at| format!("a{at}:{ty};"))),
                ["int", "long"],
            ),
            1,
        ),
        (
            "changed fields",
            "thrift",
            sides(
                &|ty| format!("struct T {{ {} }}", many(COUNT, |at| format!("{}: {ty} a{at};", at + 1))),
                ["i32", "string"],
            ),
            1,
        ),
        (
            "changed fields",
            "proto",
            sides(
                &|ty| {
                    let fields = many(COUNT, |at| format!("{ty} a{at} = {};", at + 1));
                    format!("syntax = \"proto3\"; message T {{ {fields} }}")
                },
                ["int32", "string"],
            ),
            1,
        ),
        (
            "changed fields",
            "avsc",
            sides(
                &|ty| {
                    let fields = listed(COUNT, |at| format!("{{\"name\": \"a{at}\", \"type\": \"{ty}\"}}"));
                    format!("{{\"type\": \"record\", \"name\": \"R\", \"fields\": [{fields}]}}")
                },
                ["int", "string"],
            ),
            1,
        ),
    ]);
}

/// What a reader takes for what nobody wrote is felt in every message: of a wide type it is looked at in one.
#[test]
fn what_nobody_wrote_is_looked_at_once() {
    const COUNT: usize = 1_500;
    let sides = |one: &dyn Fn(usize) -> String| [one(1), one(2)];
    run(vec![
        (
            "changed defaults",
            "fbs",
            sides(&|value| {
                let fields = many(COUNT, |at| format!("a{at}:int = {value};"));
                format!("table T {{ {fields} }} root_type T;")
            }),
            1,
        ),
        (
            "changed defaults",
            "proto",
            sides(&|value| {
                let fields = many(COUNT, |at| format!("optional int32 a{at} = {} [default = {value}];", at + 1));
                format!("syntax = \"proto2\"; message T {{ {fields} }}")
            }),
            1,
        ),
        (
            "changed defaults",
            "thrift",
            sides(&|value| {
                let fields = many(COUNT, |at| format!("{}: i32 a{at} = {value};", at + 1));
                format!("struct T {{ {fields} }}")
            }),
            0,
        ),
        (
            "changed defaults",
            "avsc",
            sides(&|value| {
                let field = |at| format!("{{\"name\": \"a{at}\", \"type\": \"int\", \"default\": {value}}}");
                let fields = listed(COUNT, field);
                format!("{{\"type\": \"record\", \"name\": \"R\", \"fields\": [{fields}]}}")
            }),
            0,
        ),
    ]);
}

#[test]
fn members_of_unions_are_looked_up() {
    let avro = |name: &str| {
        let branches = listed(300, |at| {
            format!(
                "{{\"type\": \"record\", \"name\": \"{name}{at}\", \"fields\": [{{\"name\": \"a\", \"type\": \"int\"}}]}}"
            )
        });
        format!("{{\"type\": \"record\", \"name\": \"R\", \"fields\": [{{\"name\": \"u\", \"type\": [{branches}]}}]}}")
    };
    // Every record has fields of its own, so that none is the other by its structure.
    let told_apart = |(name, ty): (&str, &str)| {
        let records = listed(300, |at| {
            let fields = format!("[{{\"name\": \"a{at}\", \"type\": \"{ty}\"}}]");
            format!("{{\"type\": \"record\", \"name\": \"{name}{at}\", \"fields\": {fields}}}")
        });
        format!("[{records}]")
    };
    // Every branch is sought among as many, by both of the names that it might have.
    let renamed = |name: &str| {
        let records = listed(1_500, |at| {
            let fields =
                format!("[{{\"name\": \"f{at}\", \"type\": \"int\"}}, {{\"name\": \"a\", \"type\": \"string\"}}]");
            format!("{{\"type\": \"record\", \"name\": \"n{}.{name}{at}\", \"fields\": {fields}}}", at % 7)
        });
        format!("{{\"type\": \"record\", \"name\": \"R\", \"fields\": [{{\"name\": \"u\", \"type\": [{records}]}}]}}")
    };
    let flat = |name: &str| {
        let tables = many(200, |at| format!("table {name}{at} {{ a:int; }}\n"));
        let members = listed(200, |at| format!("{name}{at}"));
        format!("{tables}union U {{ {members} }} table R {{ u:U; }} root_type R;")
    };
    let thrift = |(name, ty): (&str, &str)| {
        let structs = many(300, |at| format!("struct {name}{at} {{ 1: {ty} a }}\n"));
        let members = listed(300, |at| format!("{}: {name}{at} b{at}", at + 1));
        format!("{structs}union U {{ {members} }} struct R {{ 1: U u }}")
    };
    run(vec![
        ("other members", "avsc", ["B", "C"].map(avro), 1),
        ("renamed records", "avsc", ["B", "C"].map(renamed), 1),
        ("records of other names", "avsc", [("B", "int"), ("C", "string")].map(told_apart), 1),
        ("renamed members", "fbs", ["B", "C"].map(flat), 0),
        ("changed members", "thrift", [("B", "i32"), ("B", "string")].map(thrift), 1),
    ]);
}

#[test]
fn types_of_protocols_are_paired_at_once() {
    let side =
        |name: &str| format!("protocol P {{ {} }}", many(1_500, |at| format!("record {name}{at} {{ int a; }}\n")));
    run(vec![("renamed records of a protocol", "avdl", ["A", "B"].map(side), 1)]);
}

#[test]
fn chains_and_shared_types_are_followed_once() {
    let chain = |ty: &str| {
        many(2_000, |at| {
            let parent = at.checked_sub(1).map(|parent| format!("extends S{parent}")).unwrap_or_default();
            format!("service S{at} {parent} {{ void m{at}(1: {ty} a) }}\n")
        })
    };
    let shared = |ty: &str| {
        let mut text = format!("\"{ty}\"");
        for level in (0..30).rev() {
            let below = if level == 29 { format!("\"{ty}\"") } else { format!("\"R{}\"", level + 1) };
            let mut record = format!("{{\"type\": \"record\", \"name\": \"R{level}\", \"fields\": [");
            let _ = write!(record, "{{\"name\": \"f0\", \"type\": {text}}}");
            for at in 1..10 {
                let _ = write!(record, ",{{\"name\": \"f{at}\", \"type\": {below}}}");
            }
            text = record + "]}";
        }
        text
    };
    run(vec![
        ("services that extend each other", "thrift", ["i32", "string"].map(chain), 1),
        ("records that share records", "avsc", ["int", "string"].map(shared), 1),
    ]);
}

#[test]
fn errors_are_counted_beyond_those_that_somebody_reads() {
    const COUNT: usize = 100_000;
    let proto = |body: &str| format!("syntax = \"proto3\"; message A {{ {body} }}");
    let rows = vec![
        ("errors", "proto", [proto("int32 x = 1;"), "message @ { ;\n".repeat(COUNT)], 3),
        ("errors", "fbs", ["table A { x:int; }".to_owned(), "table @ { ;\n".repeat(COUNT)], 3),
        ("errors", "thrift", ["struct A { 1: i32 x }".to_owned(), "struct @ { ;\n".repeat(COUNT)], 3),
        ("errors", "avsc", ["\"int\"".to_owned(), format!("[{}1]", "@,".repeat(COUNT))], 3),
        ("errors", "avdl", ["namespace a; schema int;".to_owned(), "record @ { ;\n".repeat(COUNT)], 3),
        (
            "unknown types",
            "proto",
            [proto("int32 x = 1;"), proto(&many(10_000, |at| format!("Nope{at} f{at} = {};\n", at + 1)))],
            3,
        ),
        (
            "unknown types",
            "fbs",
            [
                "table A { x:int; }".to_owned(),
                format!("table A {{ {} }}", many(10_000, |at| format!("f{at}:Nope{at};\n"))),
            ],
            3,
        ),
    ];
    for ran in run(rows) {
        assert!(ran.out.len() < 60_000, "{} bytes: {}", ran.out.len(), ran.out.chars().take(500).collect::<String>());
    }
}

#[test]
fn a_file_that_is_no_text_is_one_problem() {
    let mut noise = 1u64;
    let bytes: Vec<u8> = std::iter::repeat_with(|| {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (noise >> 56) as u8
    })
    .take(100_000)
    .collect();
    for (ending, text) in [
        ("proto", "syntax = \"proto3\"; message A { int32 x = 1; }"),
        ("fbs", "table A { x:int; }"),
        ("thrift", "struct A { 1: i32 x }"),
        ("avsc", "\"int\""),
        ("avdl", "namespace a; schema int;"),
    ] {
        let place = Place::new();
        place.write(format!("old/m.{ending}"), text).write(format!("new/m.{ending}"), "");
        fs::write(place.path(&format!("new/m.{ending}")), &bytes).expect("a file");
        let ran = compare_within(SECONDS, &place, &["--format", "json"]);
        assert_eq!(ran.code, 3, "{ending}: {}", ran.err);
        let report: serde_json::Value = serde_json::from_str(&ran.out).expect("a report is JSON");
        assert_eq!(report["problems"].as_array().map(Vec::len), Some(1), "{ending}: {}", report["problems"]);
    }
}

#[test]
fn members_of_json_schemas_are_asked_where_they_are_met() {
    const COUNT: usize = 200;
    // Three edits of each member, of which one can be felt by itself.
    let member = |at: usize, is_edited: bool| match is_edited {
        true => format!("\"f{at}\": {{\"type\": \"string\", \"minLength\": 1}}"),
        false => format!("\"f{at}\": {{\"type\": \"integer\", \"minimum\": 0}}"),
    };
    let schema = |demanded: usize, is_edited: &dyn Fn(usize) -> bool| {
        let members = listed(COUNT, |at| member(at, is_edited(at)));
        let required = listed(demanded, |at| format!("\"f{}\"", at * 2));
        format!("{{\"type\": \"object\", \"properties\": {{{members}}}, \"required\": [{required}]}}")
    };
    run(vec![
        ("retyped members", "schema.json", [schema(0, &|_| false), schema(0, &|_| true)], 1),
        // A datum has all that is demanded, and each of it has to be valid.
        ("a retyped member beside many", "schema.json", [schema(100, &|_| false), schema(100, &|at| at == 7)], 1),
        ("a retyped member of many", "schema.json", [schema(100, &|_| false), schema(100, &|at| at == 8)], 1),
    ]);
}

#[test]
fn ways_to_one_definition_are_not_counted() {
    const LEVELS: usize = 30;
    let schema = |leaf: &str| {
        let level = |at: usize| {
            let members = listed(8, |member| format!("\"m{member}\": {{\"$ref\": \"#/$defs/d{}\"}}", at + 1));
            format!("\"d{at}\": {{\"type\": \"object\", \"properties\": {{{members}}}}}")
        };
        let levels = listed(LEVELS, level);
        format!("{{\"$ref\": \"#/$defs/d0\", \"$defs\": {{{levels}, \"d{LEVELS}\": {{\"type\": \"{leaf}\"}}}}}}")
    };
    run(vec![("definitions in depth", "schema.json", [schema("integer"), schema("string")], 1)]);
}

/// Each definition refers to four others, so that all are around each other. What is asked about one edit is asked of the schemas
/// that look at its datum.
#[test]
fn definitions_that_refer_to_each_other_are_asked_as_far_as_a_datum_reaches() {
    const COUNT: usize = 600;
    let schema = |is_edited: &dyn Fn(usize) -> bool| {
        let of_one = |at: usize| {
            let members =
                listed(4, |way| format!("\"m{way}\": {{\"$ref\": \"#/$defs/d{}\"}}", (at * 7 + way * 131 + 1) % COUNT));
            let leaf = if is_edited(at) { "string" } else { "integer" };
            format!(
                "\"d{at}\": {{\"type\": \"object\", \"properties\": {{\"a\": {{\"type\": \"{leaf}\"}}, {members}}}}}"
            )
        };
        format!("{{\"$ref\": \"#/$defs/d0\", \"$defs\": {{{}}}}}", listed(COUNT, of_one))
    };
    run(vec![
        ("one definition of many", "schema.json", [schema(&|_| false), schema(&|at| at == 77)], 1),
        ("every eighth definition of many", "schema.json", [schema(&|_| false), schema(&|at| at % 8 == 5)], 1),
    ]);
}

/// Types that hold each other, each of whose fields has the next type instead: every type takes the place of every other.
#[test]
fn types_that_take_each_others_places_are_compared_as_far_as_anybody_waits() {
    const COUNT: usize = 150;
    let sides = |text: &dyn Fn(usize, usize, usize) -> String, start: &str| {
        [1, 2].map(|by| {
            let each = many(COUNT, |at| format!("{}\n", text(at, (at + by) % COUNT, (7 * at + 3) % COUNT)));
            format!("{start}\n{each}")
        })
    };
    let ran = run(vec![
        (
            "a ring",
            "proto",
            sides(
                &|at, next, far| format!("message M{at} {{ M{next} n = 1; M{far} m = 2; int32 a{at} = 3; }}"),
                "syntax = \"proto3\";",
            ),
            3,
        ),
        (
            "a ring",
            "thrift",
            sides(
                &|at, next, far| {
                    format!("struct M{at} {{ 1: optional M{next} n; 2: optional M{far} m; 3: optional i32 a{at} }}")
                },
                "",
            ),
            3,
        ),
        (
            "a ring",
            "capnp",
            sides(
                &|at, next, far| format!("struct M{at} {{ n @0 :M{next}; m @1 :M{far}; a{at} @2 :Int32; }}"),
                "@0xb7f1d2c3a4958607;",
            ),
            3,
        ),
    ]);
    for ran in ran {
        assert!(ran.out.contains("not all of them are compared"), "{}", ran.out);
    }
    // Names are nothing to buffers: here all of them are alike.
    run(vec![(
        "a ring",
        "fbs",
        sides(&|at, next, far| format!("table M{at} {{ n:M{next}; m:M{far}; a{at}:int; }}"), ""),
        0,
    )]);
}

#[test]
fn numbers_and_names_that_are_reserved_one_by_one_are_looked_up() {
    const COUNT: usize = 3_000;
    let fields = many(COUNT, |at| format!("string f{at} = {};\n", at + 2));
    let reserved = many(COUNT, |at| format!("reserved {};\nreserved \"f{at}\";\n", at + 2));
    let ranges =
        |word: &str, by: usize| many(COUNT, |at| format!("{word} {} to {};\n", 10 * at + 10, 10 * at + 10 + by));
    let message = |body: &str| format!("syntax = \"proto2\";\nmessage M {{\n optional int32 a = 1;\n{body}}}\n");
    run(vec![
        ("removed fields", "proto", [message(&fields.replace("string", "optional string")), message(&reserved)], 0),
        ("reserved ranges", "proto", [message(&ranges("reserved", 5)), message(&ranges("reserved", 4))], 1),
        ("ranges for extensions", "proto", [message(&ranges("extensions", 5)), message(&ranges("extensions", 4))], 0),
    ]);
}

#[test]
fn oneofs_are_known_by_their_members() {
    const COUNT: usize = 2_000;
    let message = |body: &str| format!("syntax = \"proto3\";\nmessage M {{\n{body}}}\n");
    let fields = many(COUNT, |at| format!("int32 f{at} = {};\n", at + 1));
    let oneofs = |name: &str| many(COUNT, |at| format!("oneof {name}{at} {{ int32 f{at} = {}; }}\n", at + 1));
    run(vec![
        ("oneofs that are gone", "proto", [message(&oneofs("o")), message(&fields)], 0),
        ("oneofs with other names", "proto", [message(&oneofs("o")), message(&oneofs("p"))], 0),
        ("fields that join a oneof", "proto", [message(&fields), message(&format!("oneof o {{\n{fields}}}\n"))], 1),
    ]);
}

#[test]
fn types_of_the_same_fields_are_found_by_their_names() {
    const COUNT: usize = 4_000;
    let sides = ["p", "q"].map(|package| {
        let each = many(COUNT, |at| format!("message M{at} {{ int64 id = 1; string name = 2; }}\n"));
        format!("syntax = \"proto3\";\npackage {package};\n{each}")
    });
    run(vec![("types in another package", "proto", sides, 0)]);
}

#[test]
fn fields_of_a_wide_struct_cost_what_is_written_of_them() {
    const COUNT: usize = 1_200;
    let file = |body: &str| format!("@0xb7f1d2c3a4958607;\nstruct S {{\n{body}}}\n");
    let fields = |name: &str, ty: &str| file(&many(COUNT, |at| format!("{name}{at} @{at} :{ty};\n")));
    run(vec![
        ("fields with other names", "capnp", [fields("f", "Text"), fields("g", "Text")], 0),
        ("fields of other types", "capnp", [fields("f", "UInt32"), fields("f", "Int32")], 1),
    ]);
}

#[test]
fn constants_that_repeat_constants_are_taken_over_as_often_as_anybody_reads() {
    let sides = [1, 2].map(|first| {
        let each = many(400, |at| format!("const c{} :P = (a = .c{at}, b = .c{at});\n", at + 1));
        format!(
            "@0xb7f1d2c3a4958607;\nstruct P {{ a @0 :P; b @1 :P; n @2 :Int32; }}\nconst c0 :P = (n = {first});\n{each}"
        )
    });
    run(vec![("constants", "capnp", sides, 0)]);
}

#[test]
fn what_came_beside_a_schema_that_went_is_not_read_where_it_cannot_be_that_schema() {
    let small = "syntax = \"proto3\"; package p; message M { int32 a = 1; }".to_owned();
    // What is larger may be larger elsewhere, and is known for what it is by its beginning.
    let large = format!("{small}\n// {}", "x ".repeat(200_000));
    for went in [small, large] {
        let place = Place::new();
        let stays = "syntax = \"proto3\"; package stays; message S { int32 a = 1; }";
        place.write("old/m.proto", &went).write("old/s.proto", stays).write("new/s.proto", stays);
        for at in 0..150 {
            let file = fs::File::create(place.path(&format!("new/{at}.exe"))).expect("a file");
            file.set_len((4 << 20) - 1).expect("its size");
        }
        let ran = compare_within(SECONDS, &place, &["-q"]);
        assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    }
}

/// A file on one line, so that whoever looks for the end of a line for each of them is found out.
#[test]
fn what_is_reserved_is_told_one_by_one() {
    const COUNT: usize = 10_000;
    let message = |start: &str, ranges: &str| format!("syntax = \"proto2\"; message M {{ {start} {ranges}; }}");
    let sides = |start: &str, one: &dyn Fn(usize) -> String| {
        [0, 1].map(|side| message(start, &listed(COUNT, |at| one(2 * at + side + 1))))
    };
    run(vec![
        ("reserved numbers", "proto", sides("reserved", &|number| number.to_string()), 1),
        ("reserved names", "proto", sides("reserved", &|number| format!("\"n{number}\"")), 0),
        ("ranges for extensions", "proto", sides("extensions", &|number| number.to_string()), 0),
    ]);
}

#[test]
fn acknowledgements_are_told_apart_by_their_lines_and_numbered_once() {
    const COUNT: usize = 10_000;
    if git_is_missing() {
        return;
    }
    let file = |ty: &str, behind: &str| format!("syntax = \"proto3\";\nmessage M {{ {ty} a = 1; }} {behind}\n");
    let lines = "\n// wireproof:allow protobuf/wire-type-changed M.a words";
    let rows =
        [("on one line", format!("// {}", "wireproof:allow ".repeat(COUNT)), 1), ("equal", lines.repeat(COUNT), 0)];
    for (what, behind, code) in rows {
        let place = repository();
        place.write("m.proto", &file("int32", ""));
        commit(&place, "one");
        git(&place.path(""), &["checkout", "-qb", "change"]);
        place.write("m.proto", &file("string", &behind));
        commit(&place, "two");
        let ran = run_within(SECONDS, &place, &["check", "-q"]);
        assert_eq!(ran.code, code, "{what}: {}{}", ran.out.chars().take(2000).collect::<String>(), ran.err);
    }
}

#[test]
fn definitions_and_patterns_of_a_json_schema_are_made_ready_once() {
    const DIALECT: &str = "\"$schema\": \"https://json-schema.org/draft/2020-12/schema\"";
    let both = |text: &dyn Fn(&str) -> String| ["integer", "string"].map(|ty| format!("{{{DIALECT}, {}}}", text(ty)));
    run(vec![
        (
            "definitions that are data of their own",
            "schema.json",
            both(&|ty| format!("\"$defs\": {{{}}}", listed(2_000, |at| format!("\"d{at}\": {{\"type\": \"{ty}\"}}")))),
            1,
        ),
        (
            "patterns of names",
            "schema.json",
            both(&|ty| {
                let each = listed(100, |at| format!("\"^a{at}.*b\": {{\"type\": \"{ty}\"}}"));
                format!("\"patternProperties\": {{{each}}}")
            }),
            1,
        ),
        (
            "beginnings of names",
            "schema.json",
            both(&|ty| {
                let each = listed(300, |at| format!("\"^a{at}_\": {{\"type\": \"{ty}\"}}"));
                format!("\"patternProperties\": {{{each}}}")
            }),
            1,
        ),
    ]);
}

#[test]
fn many_edits_of_one_json_schema_share_what_shows_them() {
    const DIALECT: &str = "\"$schema\": \"https://json-schema.org/draft/2020-12/schema\"";
    let names = |start: usize, count: usize| listed(count, |at| format!("\"m{}\"", at + start));
    let required = |start: usize, count: usize| format!("{{{DIALECT}, \"required\": [{}]}}", names(start, count));
    run(vec![
        ("members that are demanded", "schema.json", [format!("{{{DIALECT}}}"), required(0, 1_500)], 1),
        ("members that are demanded instead of others", "schema.json", [required(0, 200), required(100, 200)], 1),
    ]);
}

#[test]
fn each_member_that_is_missing_is_named() {
    let schema = |required: usize| {
        let names = listed(required, |at| format!("\"m{at}\""));
        format!("{{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"required\": [{names}]}}")
    };
    let place = Place::new();
    place.write("old/m.schema.json", &schema(0)).write("new/m.schema.json", &schema(60));
    let ran = compare_within(SECONDS, &place, &["--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("a report is JSON");
    for at in [0, 7, 30, 59] {
        let missing = format!("the required member \\\"m{at}\\\" is missing");
        assert!(report["findings"].to_string().contains(&missing), "{missing}: {}", ran.err);
    }
}

#[test]
fn branches_that_a_member_tells_apart_are_looked_up_by_it() {
    const COUNT: usize = 300;
    let both = |keyword: &str| {
        ["integer", "string"].map(|ty| {
            let branches = listed(COUNT, |at| {
                let members = format!("\"k\": {{\"const\": \"k{at}\"}}, \"v\": {{\"type\": \"{ty}\"}}");
                format!("{{\"type\": \"object\", \"properties\": {{{members}}}, \"required\": [\"k\"]}}")
            });
            format!("{{\"{keyword}\": [{branches}]}}")
        })
    };
    run(vec![
        ("branches of which one holds", "schema.json", both("oneOf"), 1),
        ("branches of which any holds", "schema.json", both("anyOf"), 1),
    ]);
}

#[test]
fn extensions_of_a_message_are_looked_up() {
    const COUNT: usize = 3_000;
    let sides = ["int32", "string"].map(|ty| {
        let fields = many(COUNT, |at| format!("optional {ty} f{at} = {};\n", at + 1));
        format!("syntax = \"proto2\";\nmessage M {{ extensions 1 to max; }}\nextend M {{\n{fields}}}\n")
    });
    run(vec![("retyped extensions", "proto", sides, 1)]);
}
