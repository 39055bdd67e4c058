//! Any bytes at all are read without a panic, and every problem lies inside the file.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use wireproof::formats::protobuf::parse::parse;

fuzz_target!(|bytes: &[u8]| {
    let (_, problems) = parse(&Arc::from("fuzz.proto"), bytes);
    for problem in problems {
        let span = problem.site.expect("the parser knows places").span;
        assert!(span.start <= span.end && span.end as usize <= bytes.len());
    }
});
