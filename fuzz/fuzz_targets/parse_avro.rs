//! Any bytes at all are read as a schema, a protocol, IDL and data without a panic; every problem lies inside the file,
//! and what is compared with itself has not changed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wireproof::change::Pair;
use wireproof::formats::{CheckOptions, avro};
use wireproof::source::Snapshot;

fuzz_target!(|bytes: &[u8]| {
    for path in ["fuzz.avsc", "fuzz.avpr", "fuzz.avdl", "fuzz.avro"] {
        let snapshot = Snapshot::from_files([(path, bytes)]);
        let checked = avro::check(Pair::new(&snapshot, &snapshot), &CheckOptions::default());
        assert!(checked.changes.is_empty());
        for problem in checked.problems.new {
            let span = problem.site.expect("there is only one file").span;
            assert!(span.start <= span.end && span.end as usize <= bytes.len());
        }
    }
});
