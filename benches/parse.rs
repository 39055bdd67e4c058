//! How fast `.proto` files are read, in bytes per second, on files made up here.

use std::fmt::Write as _;
use std::sync::Arc;

use divan::counter::BytesCount;
use wireproof::formats::protobuf::parse::parse;

fn main() {
    divan::main();
}

/// A file with so many messages; with as much comment as API definitions usually have, or none.
fn source(messages: usize, comment: &str) -> String {
    let mut out = "syntax = \"proto3\";\n\npackage shop.v1;\n\nimport \"shop/v1/common.proto\";\n\n".to_owned();
    for message in 0..messages {
        let _ = writeln!(out, "{comment}message Order{message} {{");
        for field in 1..=8 {
            let _ = writeln!(
                out,
                "  {comment}repeated shop.v1.Line{field} line_items_{field} = {field} [deprecated = true];\n"
            );
        }
        let _ = writeln!(out, "  oneof payment {{\n    string card = 9;\n    bytes cash = 10;\n  }}\n}}\n");
    }
    out
}

#[divan::bench(args = ["", "// What this is for, in a sentence of the usual length, so that readers know.\n  "])]
fn file(bencher: divan::Bencher, comment: &str) {
    let text = source(200, comment);
    let name: Arc<str> = Arc::from("bench.proto");
    bencher.counter(BytesCount::of_str(&text)).bench(|| parse(&name, divan::black_box(text.as_bytes())));
}
