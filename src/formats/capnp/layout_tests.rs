//! Layouts beside those of the compiler: what `capnp compile -ocapnp` prints of a schema is that schema again, with the
//! place of each field in a comment behind it. The files were made so and are read here as schemas.

use crate::change::Span;
use crate::formats::capnp::Capnp;
use crate::formats::capnp::model::{Field, Schema, Slot, Struct, Type};
use crate::formats::check::CheckOptions;
use crate::formats::frame;
use crate::snapshot::Snapshot;

const PRINTED: &[(&str, &str)] =
    &[("every kind of member", include_str!("../../../tests/runtimes/capnp/layout.capnp"))];

/// The comment behind a place, up to the end of the line.
fn comment(text: &str, behind: Span) -> &str {
    let line = text[behind.end as usize..].lines().next().unwrap_or_default();
    line.split_once('#').map_or("", |(_, comment)| comment.trim())
}

fn said(field: &Field<'_>) -> String {
    let place = match field.slot {
        Slot::Void => "bits[0, 0)".to_owned(),
        Slot::Data { size, offset } => format!("bits[{}, {})", offset << size, (offset + 1) << size),
        Slot::Pointer(nth) => format!("ptr[{nth}]"),
    };
    match field.guards.last() {
        // A group in a union has the number, and not its members.
        Some(guard) if field.path.rsplit('.').count() == 1 => format!("{place}, union tag = {}", guard.member),
        _ => place,
    }
}

fn differences(text: &str) -> Vec<String> {
    let snapshot = Snapshot::from_files([("printed.capnp", text.as_bytes())]);
    let compare = |schema: &Schema<'_>, problems: &[crate::syntax::problem::Problem]| {
        let mut found: Vec<String> = problems.iter().map(|problem| format!("{problem:?}")).collect();
        let is_known = |of: &&Struct<'_>| of.fields.iter().all(|field| !matches!(field.ty, Type::Opaque(_)));
        for of in schema.structs.iter().filter(is_known) {
            let header = comment(text, of.name_span);
            let sizes = format!("{} bytes, {} ptrs", 8 * of.words, of.pointers);
            if header.contains(" bytes") && !header.starts_with(&sizes) {
                found.push(format!("{}: {sizes}, the compiler: {header}", of.full_name));
            }
            for field in &of.fields {
                let (ours, theirs) = (said(field), comment(text, field.span));
                if theirs.split(", union").next() != ours.split(", union").next() {
                    found.push(format!("{}.{}: {ours}, the compiler: {theirs}", of.full_name, field.path));
                }
            }
        }
        let unions = schema.structs.iter().flat_map(|of| of.unions.iter().map(|union| (&of.full_name, union)));
        let tags = text.lines().filter_map(|line| line.split_once("tag bits ")).map(|(_, bits)| bits);
        let tags = tags.filter_map(|bits| bits.split_once(')')).map(|(bits, _)| bits);
        for ((name, union), theirs) in unions.zip(tags) {
            let ours = format!("[{}, {}", union.offset * 16, (union.offset + 1) * 16);
            if ours != theirs {
                found.push(format!("{name}: union {}: {ours}), the compiler: {theirs})", union.path));
            }
        }
        found
    };
    frame::with_schema::<Capnp, _>(&snapshot, &CheckOptions::default(), |schema, problems| compare(schema, problems))
}

#[test]
fn fields_lie_where_the_compiler_puts_them() {
    for (name, text) in PRINTED {
        assert!(text.contains("bits["), "{name}: nothing is said of places");
        assert_eq!(differences(text), Vec::<String>::new(), "{name}");
    }
}
