//! What Java's checker says of pairs of schemas, by a table.

use serde_json::{Value as Json, json};

use super::super::Avro;
use super::*;
use crate::formats::check::CheckOptions;
use crate::formats::frame::with_schema;
use crate::formats::table_tests::{assert_table, told as told_of_changes};

fn told(checker: &mut Checker<'_, '_>, names: Pair<&str>, types: Pair<TypeId>) -> Json {
    let found = checker.check(&Trail::top(names), types);
    let of_types = |one: &Incompatibility| {
        one.types.map(|types| [checker.schemas.old.called(types.old), checker.schemas.new.called(types.new)])
    };
    let line = |one: &Incompatibility| {
        let Printed { kind, message, pointer } = &one.printed;
        json!([kind, &**message, &**pointer, one.identity.0, of_types(one)])
    };
    found.iter().map(line).collect()
}

/// What is said both ways of what data is, and then of all types that have one name on both sides, which share what is
/// known by then.
fn said(schemas: Pair<&Schema<'_>>) -> [Json; 2] {
    let roots = schemas.map(|schema| schema.roots[0].schema.ty);
    [Side::New, Side::Old].map(|reader| {
        let mut checker = Checker::new(schemas, reader);
        let names = Pair::new(schemas.old.called(roots.old), schemas.new.called(roots.new));
        let mut said = vec![told(&mut checker, names, roots)];
        for (index, _) in (0..).zip(&schemas.old.types) {
            let old = TypeId(index);
            let Some(name) = schemas.old.name(old).filter(|_| old != roots.old) else { continue };
            for new in schemas.new.by_name.get(&name.full).into_iter().flatten() {
                let more = told(&mut checker, Pair::new(&name.full, &name.full), Pair::new(old, *new));
                if more != json!([]) {
                    said.push(json!({ &*name.full: more }));
                }
            }
        }
        Json::from(said)
    })
}

#[test]
fn what_is_said_of_each_pair_is_in_the_table() {
    let options = CheckOptions::default();
    assert_table("formats/avro/registry_tests.jsonl", "t.avsc", |pair| {
        let [backward, forward] = with_schema::<Avro, _>(pair.old, &options, |old, _| {
            with_schema::<Avro, _>(pair.new, &options, |new, _| said(Pair::new(old, new)))
        });
        json!({ "backward": backward, "forward": forward, "changes": told_of_changes::<Avro>(pair) })
    });
}
