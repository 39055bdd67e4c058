//! Makes a new rule with everything a rule needs:
//!
//! ```sh
//! NEW_RULE=protobuf/field-foo CHANGE=field-removed cargo test --test it new_rule
//! ```
//!
//! writes `rules/protobuf/field-foo.yaml`. Without `NEW_RULE` the test holds that what it would write is a rule.

use std::fs;

use crate::support::root;
use wireproof::change::ChangeKind;
use wireproof::formats::Format;
use wireproof::rules::{RuleSet, RuleText};

/// What the rule is made of, with the facts that it may ask for.
fn skeleton(id: &str, kind: ChangeKind) -> Result<String, String> {
    let form = "NEW_RULE is a format, a slash and a name in lower case with hyphens: `protobuf/field-foo`";
    let (format, name) = id.split_once('/').ok_or(form)?;
    let is_name =
        |name: &str| name.split('-').all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase()));
    Format::from_name(format).filter(|_| is_name(name)).ok_or(form)?;
    let facts = fs::read_to_string(root().join("src/rules/stated.txt")).map_err(|error| error.to_string())?;
    let line = facts.lines().find_map(|line| line.strip_prefix(&format!("{format} {kind}: ")));
    let stated =
        line.ok_or_else(|| format!("no change of {format} is a `{kind}`; docs/facts.md lists what there is"))?;
    let stated: String = stated.split_whitespace().map(|fact| format!("  #   {}\n", fact.replace('=', ": "))).collect();
    let since = env!("CARGO_PKG_VERSION");
    Ok(format!(
        r#"id: {id}
title: TODO one line without a final period
family: {kind} # TODO or the family of the rules that say the same of other formats
since: {since}
class: compatibility # or hygiene, with a `severity`
when:
  change: {kind}
  # Exactly one rule judges each change: ask for what keeps this one apart from the others. Stated are:
{stated}  facts: {{}}
impact: # What readers experience: safe, defaulted, unrecognized, lossy, fails, wrong, or the fact that says it: "{{reads-old}}"
  wire:   {{ backward: safe, forward: safe }}
  json:   {{ backward: safe, forward: safe }}
  source: {{ backward: safe, forward: safe }}
evidence: illustrates # or decides, where only a witness makes it a finding; or none, where there are no bytes
message: "`{{path}}` TODO what changed, from what to what"
why: |
  TODO who breaks, in which direction.
fix: |
  TODO what to do instead.
examples:
  - old: |
      TODO the smallest schema
    new: |
      TODO on which the rule fires
  - note: TODO what is so like it that one would expect a finding
    fires: false
    old: |
      TODO
    new: |
      TODO
"#
    ))
}

#[test]
fn a_new_rule_is_made() {
    let Some(id) = std::env::var_os("NEW_RULE") else { return };
    let kind =
        std::env::var("CHANGE").expect("CHANGE names the kind of change that the rule judges; see docs/facts.md");
    let kind = ChangeKind::from_name(&kind).unwrap_or_else(|| panic!("there is no kind `{kind}`; see docs/facts.md"));
    let id = id.to_string_lossy();
    let text = skeleton(&id, kind).unwrap_or_else(|error| panic!("{error}"));
    let path = root().join("rules").join(format!("{id}.yaml"));
    assert!(!path.exists(), "there is a rule {id} already");
    fs::write(&path, text).expect("the folder of the rules is writable");
    println!("wrote {}\nFill in every TODO, then: UPDATE=1 cargo test", path.display());
}

#[test]
fn what_a_new_rule_is_made_of_is_a_rule() {
    for (id, kind) in [
        ("protobuf/field-foo", ChangeKind::FieldRemoved),
        ("avro/field-foo", ChangeKind::FieldRemoved),
        ("flatbuffers/field-foo", ChangeKind::FieldRemoved),
        ("thrift/field-foo", ChangeKind::FieldRemoved),
    ] {
        let text = skeleton(id, kind).expect(id);
        let rules = RuleSet::from_files(&[RuleText { file: "new.yaml", text: &text }]);
        let rule = rules.unwrap_or_else(|errors| panic!("{}\n{text}", errors[0])).get(id).cloned().expect(id);
        assert_eq!((rule.when.kinds.as_slice(), rule.examples.len()), ([kind].as_slice(), 2));
    }
    for (id, kind) in [
        ("field-foo", ChangeKind::FieldRemoved),
        ("protobuf/Field", ChangeKind::FieldRemoved),
        ("proto/field-foo", ChangeKind::FieldRemoved),
        ("protobuf/field-foo", ChangeKind::FixedSizeChanged),
    ] {
        assert!(skeleton(id, kind).is_err(), "{id} {kind}");
    }
}
