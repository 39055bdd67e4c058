//! `docs/security.md` promises nothing that no test holds it to.

use std::fs;

use crate::support::root;

/// The tests of a file, by the names that the page gives them.
fn tests_of(module: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(format!("tests/it/{module}.rs"))).unwrap_or_default();
    let after = text.split("#[test]\n").skip(1);
    let names = after.filter_map(|text| text.trim_start().strip_prefix("fn ")?.split('(').next());
    names.map(|name| format!("{module}::{name}")).collect()
}

fn page() -> String {
    fs::read_to_string(root().join("docs/security.md")).expect("the page")
}

#[test]
fn each_property_has_a_test_that_exists() {
    let page = page();
    let (_, table) = page.split_once("\n| property |").expect("the table");
    let rows: Vec<&str> = table.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 10, "{rows:?}");
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        let [_, attack, twin] = cells[..] else { panic!("three cells: {row}") };
        let named: Vec<&str> = attack.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty() && !twin.trim().is_empty(), "{row}");
        for name in named.into_iter().chain(twin.split('`').skip(1).step_by(2)) {
            let module = name.split("::").next().unwrap_or_default();
            assert!(tests_of(module).contains(&name.to_owned()), "there is no test {name}");
        }
    }
}

#[test]
fn no_test_of_an_attack_is_missing_from_the_page() {
    let page = page();
    for module in ["gate_cache", "gate_install", "git_trust", "not_seen", "terms_files", "untrusted_words"] {
        let tests = tests_of(module);
        assert!(!tests.is_empty(), "{module}");
        let missing: Vec<String> = tests.into_iter().filter(|name| !page.contains(&format!("`{name}`"))).collect();
        assert!(missing.is_empty(), "docs/security.md does not name {missing:?}");
    }
}
