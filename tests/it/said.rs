//! Sentences of reports that were not so, each as a case: what is said in its place, in every form that says it.

use crate::git::{Place, Ran, commit, git, git_is_missing, run, run_in};

const FORMS: [&str; 4] = ["text", "markdown", "html", "github"];

/// `old/` and `new/` with a file each.
fn sides(path: &str, old: &str, new: &str) -> Place {
    let place = Place::new();
    place.write(format!("old/{path}"), old).write(format!("new/{path}"), new);
    place
}

/// What a comparison prints in a form.
fn compared(place: &Place, form: &str, arguments: &[&str]) -> Ran {
    run(&place.path(""), &[&["compare", "old", "new", "--format", form], arguments].concat())
}

fn proto(body: &str) -> String {
    format!("syntax = \"proto3\";\npackage depot;\n{body}\n")
}

/// What a page says, without its marks.
fn plain(page: &str) -> String {
    page.replace("<code>", "").replace("</code>", "").replace(['`', '\\'], "")
}

#[test]
fn who_refuses_what_no_reader_feels_is_said_in_every_form() {
    let pallet = |name: &str| proto(&format!("message Pallet {{ int32 {name} = 1; }}"));
    let thrift = |name: &str| format!("struct {name} {{ 1: i32 x }}\n");
    let json =
        |more: &str| format!("{{\"type\": \"object\", \"properties\": {{\"a\": {{\"type\": \"string\"}}{more}}}}}\n");
    let added = json(", \"b\": {\"type\": \"string\"}");
    for (path, old, new, profile, reports) in [
        (
            "p.proto",
            pallet("weight_kg"),
            pallet("weight"),
            "buf/FILE",
            "buf reports FIELD_SAME_JSON_NAME and FIELD_SAME_NAME",
        ),
        ("a.thrift", thrift("A"), thrift("B"), "thrift", "thrift reports struct-missing"),
        (
            "a.schema.json",
            json(""),
            added,
            "confluent",
            "confluent reports OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL",
        ),
    ] {
        let place = sides(path, &old, &new);
        for form in FORMS {
            let ran = compared(&place, form, &["--profile", profile]);
            let said = plain(&ran.out);
            assert_eq!(ran.code, 1, "{said}{}", ran.err);
            assert!(
                said.to_lowercase().contains(&format!("refused by {profile}: 1 error").to_lowercase()),
                "{form}: {said}"
            );
            assert!(said.contains(&format!("no reader: {reports}")), "{form}: {said}");
            assert!(!said.contains("nobody on the surfaces") && !said.contains("that breaks nobody"), "{form}: {said}");
        }
        let text = compared(&place, "text", &["--profile", profile]).out;
        assert!(text.contains(&format!("passes, by what {profile} reports")) || text.contains("by what"), "{text}");
    }
}

#[test]
fn who_refuses_is_said_where_the_tool_has_its_own_configuration_or_a_rule_is_an_error() {
    if git_is_missing() {
        return;
    }
    let place = Place::new();
    git(&place.path(""), &["init", "--quiet", "--initial-branch=main"]);
    place.write("buf.yaml", "version: v2\nmodules:\n  - path: proto\nbreaking:\n  use: [FILE]\n");
    place.write("proto/p.proto", &proto("message Pallet { int32 weight_kg = 1; }"));
    commit(&place, "first");
    place.write("proto/p.proto", &proto("message Pallet { int32 weight = 1; }"));
    for form in FORMS {
        let said = plain(&run(&place.path(""), &["check", "--format", form]).out);
        assert!(said.to_lowercase().contains("refused by buf/file: 1 error; no reader breaks"), "{form}: {said}");
        assert!(said.contains("no reader: buf reports FIELD_SAME_JSON_NAME and FIELD_SAME_NAME"), "{form}: {said}");
    }
    std::fs::remove_file(place.path("buf.yaml")).expect("it was there");
    place.write("wireproof.yaml", "rules:\n  protobuf/field-renamed: error\n");
    let said = run(&place.path(""), &["check", "--against", "git:main"]).out;
    assert!(said.contains("no reader: its rule is an error here, whatever readers feel"), "{said}");
    assert!(said.starts_with("✗ refused: 1 error"), "{said}");
}

#[test]
fn that_no_reader_breaks_is_said_only_where_none_does() {
    let account = |body: &str| proto(&format!("message Account {{ {body} }}"));
    let place = sides("p.proto", &account("int32 cents = 1; string memo = 2;"), &account("int64 cents = 1;"));
    for form in FORMS {
        let said = compared(&place, form, &["--mode", "backward"]).out;
        assert!(!said.contains("no reader breaks"), "old readers see other numbers, {form}: {said}");
    }
    place.write("new/p.proto", &account("int32 cents = 1;"));
    let said = compared(&place, "text", &["--mode", "backward"]).out;
    assert!(said.starts_with("✗ policy: 1 error; no reader breaks"), "{said}");
    place.write("new/q.thrift", "struct A { 1: i32 x\n");
    let said = compared(&place, "text", &[]).out;
    assert!(said.contains("upgrade order: not established") && !said.contains("no reader breaks"), "{said}");
    let place = sides("k.proto", &proto("enum K { Z = 0; B = 1; }"), &proto("enum K { Z = 0; }"));
    for form in FORMS {
        let said = compared(&place, form, &[]).out;
        assert!(
            said.to_lowercase().contains("policy: 1 error") && !said.contains("no reader breaks"),
            "{form}: {said}"
        );
    }
}

#[test]
fn a_guard_is_called_policy_in_every_mode_and_a_threshold_is_no_mode() {
    let place =
        sides("a.proto", &proto("message A { int32 x = 1; int32 y = 2; }"), &proto("message A { int32 x = 1; }"));
    let said = compared(&place, "text", &["--mode", "none"]).out;
    assert!(said.starts_with("✓ compatible: 1 policy error that does not break in this mode"), "{said}");
    assert!(said.contains("policy[protobuf/field-removed-unreserved]"), "{said}");
    let place = sides("a.thrift", "struct A { 1: i32 x }\n", "struct A { 1: string x }\n");
    let said = compared(&place, "text", &["--fail-on", "wrong"]).out;
    assert!(said.starts_with("✓ compatible: 1 error that does not break at this threshold"), "{said}");
}

#[test]
fn an_import_that_is_not_found_is_one_line_and_said_once() {
    let place = Place::new();
    for number in 0..3 {
        let imports = "import \"google/api/annotations.proto\";\nimport \"buf/validate/validate.proto\";";
        let text = |field: &str| {
            format!("syntax = \"proto3\";\npackage x;\n{imports}\nmessage M{number} {{ int32 a = 1; {field} }}\n")
        };
        place.write(format!("old/m{number}.proto"), &text(""));
        place.write(format!("new/m{number}.proto"), &text("int32 b = 2;"));
    }
    for form in FORMS {
        let said = plain(&compared(&place, form, &[]).out);
        let count = said.matches("google/api/annotations.proto was not found").count();
        assert_eq!(count, 1, "{form}: {said}");
        assert!(!said.contains("types of google/api"), "{form}: {said}");
    }
    let said = compared(&place, "text", &[]).out;
    assert!(said.lines().count() <= 24, "{said}");
    let verbose = compared(&place, "text", &["-v"]).out;
    assert!(
        verbose.contains("| import \"google/api/annotations.proto\";") || verbose.contains("3 | import"),
        "{verbose}"
    );
}

#[test]
fn problems_alike_are_told_together_and_fit_on_a_screen() {
    let place = Place::new();
    for number in 0..42 {
        let text =
            |field: &str| format!("include \"u{number}.thrift\"\nstruct A{number} {{ 1: u{number}.X a {field} }}\n");
        place.write(format!("old/m{number}.thrift"), &text(""));
        place.write(format!("new/m{number}.thrift"), &text("2: optional i32 z"));
    }
    let said = compared(&place, "text", &[]).out;
    assert!(said.lines().count() <= 60, "{} lines: {said}", said.lines().count());
    assert!(said.contains("warning ×42: include `u0.thrift` was not found"), "{said}");
    assert!(compared(&place, "text", &["-v"]).out.matches("was not found").count() >= 42, "all of them with -v");
    let comment = compared(&place, "markdown", &[]).out;
    assert!(comment.find("A field was added") < comment.find("was not found"), "findings come first: {comment}");
    for number in 0..42 {
        place.write(format!("new/m{number}.thrift"), &format!("struct A{number} {{ 1: Gone{number} a }}\n"));
    }
    let said = compared(&place, "text", &[]).out;
    assert!(said.lines().count() <= 60, "{} lines: {said}", said.lines().count());
    assert!(said.contains("likewise `Gone"), "{said}");
}

/// Fourteen messages in a package with a name of ordinary length, of which three fields change in each.
fn warehouse() -> Place {
    let kinds =
        ["int32", "int64", "uint32", "uint64", "sint32", "fixed32", "float", "double", "bool", "string", "bytes"];
    let text = |shift: usize| {
        let message = |at: usize| {
            let kind = |field: usize| kinds[(at + field + shift * (field + 1)) % kinds.len()];
            let (one, two, three) = (kind(0), kind(1), kind(2));
            let extra = if shift == 0 { "string remark = 4;" } else { "" };
            format!(
                "message ShipmentRecord{at} {{\n  {one} counts = 1;\n  {two} weight_in_grams = 2;\n  {three} carrier = 3;\n  {extra}\n}}\n"
            )
        };
        format!(
            "syntax = \"proto3\";\npackage acme.warehouse.inventory.v1;\n{}",
            (0..14).map(message).collect::<String>()
        )
    };
    sides("proto/acme/warehouse/inventory/v1/shipments.proto", &text(0), &text(1))
}

#[test]
fn many_changes_fit_on_a_screen_whatever_they_are_called() {
    let place = warehouse();
    let said = compared(&place, "text", &[]).out;
    assert!(said.lines().count() <= 60, "{} lines:\n{said}", said.lines().count());
    assert!(said.contains("in `acme.warehouse.inventory.v1`"), "the package is said once: {said}");
    let all = compared(&place, "text", &["-v"]).out;
    for at in 0..14 {
        assert!(all.contains(&format!("ShipmentRecord{at}.counts")), "{at}");
    }
}

#[test]
fn annotations_show_the_gravest_first_as_every_form_does() {
    let place = warehouse();
    let text = compared(&place, "text", &[]).out;
    let annotations = compared(&place, "github", &[]).out;
    let rules = |lines: &str, mark: &str| -> Vec<String> {
        let found = lines.lines().filter(|line| line.starts_with(mark) && line.contains("protobuf/"));
        found.filter_map(|line| Some(line.split("protobuf/").nth(1)?.split([']', ')']).next()?.to_owned())).collect()
    };
    let listed: Vec<String> =
        ["wrong", "fails", "lossy", "policy"].iter().flat_map(|word| rules(&text, word)).collect();
    let shown = rules(&annotations, "::error");
    assert!(shown.len() > 3, "{annotations}");
    assert_eq!(listed[..shown.len().min(9)], shown[..shown.len().min(9)], "{text}\n{annotations}");
}

#[test]
fn annotations_of_policy_say_so_and_copies_stand_with_the_original() {
    let old = proto("message A { int32 x = 1; int32 y = 2; }");
    let new = proto("message A { int32 x = 1; }");
    let place = Place::new();
    for folder in ["proto", "vendor/acme/proto", "node_modules/@acme/schemas"] {
        place.write(format!("old/{folder}/a.proto"), &old).write(format!("new/{folder}/a.proto"), &new);
    }
    let said = compared(&place, "github", &[]).out;
    let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("::error")).collect();
    assert_eq!(errors.len(), 1, "{said}");
    assert!(errors[0].contains("file=proto/a.proto") && errors[0].contains("::policy: "), "{said}");
    assert!(errors[0].contains("The same in 2 copies"), "{said}");
    for form in ["sarif", "gitlab"] {
        assert!(compared(&place, form, &[]).out.contains("policy: `depot.A.y`"), "{form}");
    }
}

#[test]
fn copies_of_json_schemas_stand_with_the_original_and_groups_have_whole_names() {
    let schema = |kind: &str| {
        let property = |at: usize| format!("\"f{at}\": {{\"type\": \"{kind}\"}}");
        format!(
            "{{\"type\": \"object\", \"properties\": {{\n{}\n}}}}\n",
            (0..6).map(property).collect::<Vec<_>>().join(",\n")
        )
    };
    let place = Place::new();
    for folder in ["proto", "vendor/acme/proto", "node_modules/@acme/schemas"] {
        place.write(format!("old/{folder}/ship.schema.json"), &schema("string"));
        place.write(format!("new/{folder}/ship.schema.json"), &schema("integer"));
    }
    let said = compared(&place, "text", &[]).out;
    assert!(said.contains("`#/properties/f1` ("), "{said}");
    assert!(!said.contains("`.json#"), "{said}");
    assert!(said.contains("the same in 12 copies"), "{said}");
}

#[test]
fn what_changed_is_shown_where_an_element_has_several_lines_or_the_line_is_long() {
    let record = |more: &str| {
        format!(
            "{{\n  \"type\": \"record\", \"name\": \"A\",\n  \"fields\": [\n    {{\"name\": \"a\", \"type\": \"int\"}}{more}\n  ]\n}}\n"
        )
    };
    let place = sides(
        "a.avsc",
        &record(""),
        &record(",\n    {\n      \"name\": \"currency\",\n      \"type\": \"string\"\n    }"),
    );
    let said = compared(&place, "markdown", &["--mode", "full"]).out;
    assert!(said.contains("+ { \"name\": \"currency\", \"type\": \"string\" }"), "{said}");
    let map = |value: &str| proto(&format!("message A {{ map<string,{value}> m = 4; }}"));
    let place = sides("a.proto", &map(" int32"), &map("\n  string"));
    let said = compared(&place, "markdown", &[]).out;
    assert!(
        said.contains("+ message A { map<string, string> m = 4; }") || said.contains("+ map<string, string> m = 4;"),
        "{said}"
    );
    let long = |kind: &str| {
        let field =
            |at: usize| format!("{{\"name\":\"field{at}\",\"type\":\"{}\"}}", if at == 80 { kind } else { "int" });
        format!(
            "{{\"type\":\"record\",\"name\":\"A\",\"fields\":[{}]}}\n",
            (0..120).map(field).collect::<Vec<_>>().join(",")
        )
    };
    let place = sides("a.avsc", &long("int"), &long("string"));
    let said = compared(&place, "text", &[]).out;
    assert!(
        said.contains("\"name\":\"field80\",\"type\":\"int\"")
            && said.contains("\"name\":\"field80\",\"type\":\"string\""),
        "{said}"
    );
    let comment = compared(&place, "markdown", &[]).out;
    let shown: Vec<&str> =
        comment.lines().filter(|line| line.starts_with(['-', '+']) && line.contains("field80")).collect();
    assert!(shown.len() >= 4 && shown.iter().any(|line| line.contains("\"field80\",\"type\":\"string\"")), "{comment}");
}

#[test]
fn where_several_are_told_together_their_ids_are_said_to_be_where_they_are() {
    let fields = |kind: &str| (1..6).map(|at| format!("{at}: {kind} f{at}\n")).collect::<String>();
    let place = sides(
        "a.thrift",
        &format!("struct A {{ {} }}\n", fields("i32")),
        &format!("struct A {{ {} }}\n", fields("string")),
    );
    if git_is_missing() {
        return;
    }
    git(&place.path(""), &["init", "--quiet", "--initial-branch=main"]);
    place.write("a.thrift", &format!("struct A {{ {} }}\n", fields("i32")));
    commit(&place, "first");
    place.write("a.thrift", &format!("struct A {{ {} }}\n", fields("string")));
    let said = run(&place.path(""), &["check", "a.thrift"]).out;
    assert!(said.contains("`-v` has the ids of the 4 others, `--rule RULE` takes all of a rule"), "{said}");
    assert_eq!(run(&place.path(""), &["check", "a.thrift", "-v"]).out.matches("= id: ").count(), 5);
}

#[test]
fn a_narrow_terminal_breaks_between_words() {
    let place = warehouse();
    for width in [40, 60, 80] {
        let columns = width.to_string();
        let said = run_in(&place.path(""), &["compare", "old", "new"], &[("COLUMNS", &columns)]).out;
        let is_command =
            |line: &str| ["reproduce", "explain", "accept", "plan"].iter().any(|name| line.starts_with(name));
        let is_drawn =
            |line: &str| [" | ", "-->", ":::", " bytes ", " wrote ", " read "].iter().any(|part| line.contains(part));
        for line in said.lines().filter(|line| !is_command(line) && !is_drawn(line)) {
            let is_one_word = line.split_whitespace().count() <= 3;
            assert!(line.chars().count() <= width || is_one_word, "{width}: {line:?}\n{said}");
        }
    }
}

#[test]
fn the_end_of_a_long_message_says_what_changed() {
    let nested = |kind: &str| {
        let inner = format!("{{\"type\": \"{kind}\"}}");
        (0..16).fold(inner, |inner, at| {
            format!("{{\"type\": \"object\", \"properties\": {{\"a_section_with_a_long_name_{at}\": {inner}}}}}")
        })
    };
    let place = sides("a.schema.json", &nested("integer"), &nested("string"));
    let said = compared(&place, "markdown", &["--mode", "full"]).out;
    let line = said.lines().find(|line| line.starts_with("- ⛔")).unwrap_or_else(|| panic!("{said}"));
    assert!(line.contains("from integer to string"), "{line}");
}

#[test]
fn a_page_is_called_what_its_heading_says_and_tells_findings_together() {
    let place = warehouse();
    let page = compared(&place, "html", &[]).out;
    let heading = page.split("<h1>").nth(1).and_then(|rest| rest.split("</h1>").next()).unwrap_or_default();
    let title = page.split("<title>wireproof: ").nth(1).and_then(|rest| rest.split(" (").next()).unwrap_or_default();
    assert!(!title.is_empty() && heading.to_lowercase().contains(&title.to_lowercase()), "{title} {heading}");
    assert!(page.contains("<details class=\"group "), "groups as elsewhere");
    let text = compared(&place, "text", &[]).out;
    let gravest = text.split("the gravest, `").nth(1).and_then(|rest| rest.split('`').next());
    if let Some(path) = gravest {
        let first = page.split("<details class=\"finding ").nth(1).unwrap_or_default();
        assert!(first.contains(path), "{path}: {first}");
    }
}

#[test]
fn where_all_types_went_it_is_not_said_that_they_have_no_bytes() {
    let place = sides("a.thrift", "struct A { 1: i32 x }\nstruct B { 1: i32 x }\n", "const i32 C = 1\n");
    let said = compared(&place, "text", &[]).out;
    assert!(!said.contains("no changed type has bytes of its own"), "{said}");
    assert!(said.contains("no changed type with bytes of its own is on both sides"), "{said}");
}

#[test]
fn what_only_a_tool_would_say_that_nobody_uses_is_counted() {
    let text = |kind: &str| format!("typedef i32 Id\nstruct A {{ 1: {kind} x, 2: i32 y }}\n");
    let place = sides("a.thrift", &text("i32"), &text("Id"));
    for form in FORMS {
        let said = compared(&place, form, &[]).out;
        assert!(!said.contains("thrift/audit-refused"), "{form}: {said}");
        assert!(form == "github" || said.contains("1 note of what only another tool would report"), "{form}: {said}");
    }
    assert!(compared(&place, "text", &["-v"]).out.contains("note[thrift/audit-refused]"));
    assert!(compared(&place, "text", &["--profile", "thrift"]).out.contains("refused[thrift/audit-refused]"));
    assert!(compared(&place, "json", &[]).out.contains("thrift/audit-refused"));
}

#[test]
fn what_the_configuration_leaves_out_is_counted_with_its_place() {
    let place = sides("a.proto", &proto("message A { int32 x = 1; }"), &proto("message A { string x = 1; }"));
    for side in ["old", "new"] {
        place.write(format!("{side}/vendor/b.proto"), &proto("message B {}"));
        place.write(format!("{side}/vendor/c.proto"), &proto("message C {}"));
    }
    place.write("wireproof.yaml", "# ours\nmode: full\nexclude: ['**/vendor/']\n");
    let said = "1 file old, 1 new, 2 parsed; 2 excluded by wireproof.yaml:3";
    for form in ["text", "markdown", "html"] {
        let ran = compared(&place, form, &[]);
        assert!(ran.out.contains(said), "{form}: {}", ran.out);
    }
    let report: serde_json::Value = serde_json::from_str(&compared(&place, "json", &[]).out).expect("a report");
    let expected = serde_json::json!({ "files": 2, "by": "wireproof.yaml:3" });
    assert_eq!(report["stats"]["excluded"], expected);
    let without = compared(&place, "text", &["--no-config"]);
    assert!(!without.out.contains("excluded"), "{}", without.out);
}

#[test]
fn a_configuration_in_a_folder_is_named() {
    if git_is_missing() {
        return;
    }
    let place = crate::git::repository();
    place.write("wireproof.yaml", "mode: full\n").write("shop/wireproof.yaml", "mode: none\n");
    commit(&place, "terms");
    place.write("shop/order.proto", crate::git::NEW);
    for form in ["text", "markdown", "html"] {
        let check = |folder: &str| run(&place.path(folder), &["check", "--against", "git:HEAD", "--format", form]);
        let (below, top) = (check("shop"), check(""));
        assert!(plain(&below.out).contains("configured by shop/wireproof.yaml"), "{form}: {}{}", below.out, below.err);
        assert!(!top.out.contains("configured by"), "{form}: {}", top.out);
    }
}

#[test]
fn a_backtick_in_a_name_stays_in_its_code() {
    let schema =
        |kind: &str| format!("{{\"type\": \"object\", \"properties\": {{\"a`b\": {{\"type\": \"{kind}\"}}}}}}\n");
    let place = sides("x.schema.json", &schema("integer"), &schema("string"));
    let text = compared(&place, "text", &[]).out;
    assert!(text.contains("``x.schema.json#/properties/a`b``"), "{text}");
    let markdown = compared(&place, "markdown", &[]).out;
    assert!(markdown.contains("a&#96;b</code>"), "{markdown}");
    let outside: String = markdown.split("```").step_by(2).collect();
    let odd: Vec<&str> = outside.lines().filter(|line| line.matches('`').count() % 2 == 1).collect();
    assert!(odd.is_empty(), "{odd:#?}");
    let page = compared(&place, "html", &[]).out;
    assert!(page.contains("<code>x.schema.json#/properties/a`b</code>"), "{page}");
}

#[test]
fn a_page_about_nothing_that_was_compared_has_no_empty_frames() {
    let place = sides("a.proto", &proto(""), &proto(""));
    let ran = compared(&place, "text", &["--config", "absent.yaml", "--output", "html=page.html"]);
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    if let Ok(page) = std::fs::read_to_string(place.path("page.html")) {
        assert!(!page.contains("<ol class=ladder></ol>") && !page.contains("<h2 id=order>"), "{page}");
    }
    let ran = compared(&place, "html", &["--root", "depot.Absent"]);
    assert!(ran.out.contains("<h2 id=modes>") && !ran.out.contains("<ol class=steps>"), "{}", ran.out);
}

#[test]
fn what_init_says_fits_the_terminal() {
    let place = Place::new();
    for folder in ["inventory", "payments", "shipments", "warehouse", "returns"] {
        place.write(format!("{folder}/a.proto"), &proto("message A {}"));
    }
    let narrow = run_in(&place.path(""), &["init", "--dry-run", "--github"], &[("COLUMNS", "50")]);
    let words = narrow.out.lines().filter(|line| !line.starts_with("  +"));
    let wide: Vec<&str> = words.filter(|line| line.chars().count() > 50 && line.trim().contains(' ')).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    let log = run(&place.path(""), &["init", "--dry-run", "--github"]);
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(squeezed(&narrow.out), squeezed(&log.out));
}
