//! Protocols: what they hold, what is wrong with them, and what they import.

use super::*;

#[test]
fn protocols_are_understood() {
    with(&[("a.avpr", PROTOCOL)], &CheckOptions::default(), |linkage| {
        assert_eq!(linkage.problems, []);
        let schema = &linkage.schema;
        let [protocol] = &schema.protocols[..] else { panic!("there is one protocol") };
        assert_eq!(&*protocol.name.full, "p.Shop");
        assert_eq!(protocol.types.iter().map(|ty| schema.called(*ty)).collect::<Vec<_>>(), ["p.Order", "p.Gone"]);
        let [buy, ping] = &protocol.messages[..] else { panic!("there are two messages") };
        assert_eq!((buy.name.as_ref(), buy.is_one_way, ping.is_one_way), ("buy", false, true));
        assert_eq!(schema.called(buy.request), "p.Shop.buy.request");
        assert!(!schema.by_name.contains_key("p.Shop.buy.request"));
        let request = schema.record(buy.request).expect("a request is a record");
        assert_eq!(schema.called(request.fields[0].schema.ty), "p.Order");
        let Kind::Union(errors) = schema.kind(buy.errors.ty) else { panic!("errors are a union") };
        assert_eq!(errors.iter().map(|error| schema.called(error.ty)).collect::<Vec<_>>(), ["string", "p.Gone"]);
        assert_eq!((schema.called(buy.response.ty), schema.called(ping.response.ty)), ("p.Order", "null"));
        assert_eq!((buy.attributes.len(), protocol.attributes.len(), schema.roots.len()), (1, 1, 0));
    });
}

#[test]
fn what_is_wrong_with_a_protocol_is_told_at_its_place() {
    let message = |message: &str| format!(r#"{{"protocol": "P", "messages": {{"m": {message}}}}}"#);
    let cases = [
        ("«[]»".to_owned(), "a list is not a protocol"),
        ("«{»}".to_owned(), "needs a name under `protocol`"),
        (r#"{"protocol": "P", "types": «{}»}"#.to_owned(), "`types` is an object"),
        (r#"{"protocol": "P", "types": [«"int"»]}"#.to_owned(), "not the definition of a type"),
        (r#"{"protocol": "P", "messages": «[]»}"#.to_owned(), "`messages` is a list"),
        (message("«1»"), "a number is not a message"),
        (message(r#"«{»"response": "null"}"#), "needs a `request`"),
        (r#"{"protocol": "P", "messages": {«"m"»: {"request": []}}}"#.to_owned(), "has no `response`"),
        (message(r#"{"request": [], "response": «"X"»}"#), "`X` is not defined"),
        (message(r#"{"request": [], "response": "null", "one-way": «1»}"#), "`one-way` is a number"),
        (message(r#"{"request": [], "response": «"int"», "one-way": true}"#), "returns something"),
        (message(r#"{"request": [], "one-way": true, "errors": «[]»}"#), "cannot declare errors"),
        (message(r#"{"request": [], "response": "null", "errors": [«"int"»]}"#), "`int` is not an error"),
        (
            r#"{"protocol": "P", "types": [{"type": "record", "name": "R", "fields": []}],
                "messages": {"m": {"request": [], "response": "null", "errors": [«"R"»]}}}"#
                .to_owned(),
            "`R` is not an error",
        ),
        (
            message(r#"{"request": [{"name": "a", "type": "int", "default": «"x"»}], "response": "null"}"#),
            "the default of `a` does not fit",
        ),
    ];
    for (marked, expected) in cases {
        check_problem("a.avpr", &marked, Severity::Error, expected);
    }
}

/// Every protocol, and its messages with the names of their parameters and where they are declared.
fn messages(files: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
    with(files, &CheckOptions::default(), |linkage| {
        assert!(linkage.problems.is_empty(), "{:#?}", linkage.problems);
        let schema = &linkage.schema;
        let shown = |message: &crate::formats::avro::model::Message<'_>| {
            let request = schema.record(message.request).expect("parameters are a record");
            let names: Vec<&str> = request.fields.iter().map(|field| &*field.name).collect();
            format!("{}({}) in {}", request.name.full, names.join(", "), schema.file(message.file).path)
        };
        let of = |protocol: &crate::formats::avro::model::Protocol<'_>| {
            (protocol.name.full.to_string(), protocol.messages.iter().map(shown).collect())
        };
        schema.protocols.iter().map(of).collect()
    })
}

#[test]
fn the_messages_of_an_imported_protocol_are_those_of_the_importing_one() {
    let base = r#"{"protocol": "n.Base", "types": [{"type": "fixed", "name": "Id", "size": 4}],
        "messages": {"get": {"request": [{"name": "id", "type": "Id"}], "response": "null"}}}"#;
    let middle = r#"protocol Middle { import protocol "base.avpr"; import schema "a.avsc"; void put(int a); }"#;
    let top = r#"protocol Top { void get(int early); import idl "middle.avdl"; void put(int late); }"#;
    let files = [("a.avsc", "\"int\""), ("base.avpr", base), ("middle.avdl", middle), ("top.avdl", top)];
    let expected = [
        ("n.Base", &["n.Base.get.request(id) in base.avpr"][..]),
        ("Middle", &["Middle.get.request(id) in base.avpr", "Middle.put.request(a) in middle.avdl"]),
        ("Top", &["Top.get.request(id) in base.avpr", "Top.put.request(late) in top.avdl"]),
    ];
    let owned = |(name, of): &(&str, &[&str])| (name.to_string(), of.iter().map(ToString::to_string).collect());
    assert_eq!(messages(&files), expected.iter().map(owned).collect::<Vec<(String, Vec<String>)>>());
}

#[test]
fn protocols_may_import_each_other() {
    let one = r#"protocol One { import idl "two.avdl"; void a(); }"#;
    let two = r#"protocol Two { import idl "one.avdl"; void b(); }"#;
    let of = |name: &str, all: [&str; 2]| (name.to_owned(), all.map(ToOwned::to_owned).to_vec());
    assert_eq!(
        messages(&[("one.avdl", one), ("two.avdl", two)]),
        [
            of("One", ["One.b.request() in two.avdl", "One.a.request() in one.avdl"]),
            of("Two", ["Two.a.request() in one.avdl", "Two.b.request() in two.avdl"]),
        ]
    );
}
