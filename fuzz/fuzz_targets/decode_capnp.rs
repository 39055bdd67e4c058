//! Any bytes at all are read as a struct without a panic, and what is accepted is read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wireproof::formats::capnp::reread;

const SCHEMA: &str = "
@0xd3a5e2f7c1b49086;
enum E { a @0; b @1; }
struct Every {
  truth @0 :Bool; tiny @1 :Int8; small @2 :UInt16; number @3 :Int32 = 5; large @4 :UInt64; single @5 :Float32;
  real @6 :Float64; text @7 :Text; bytes @8 :Data; one @9 :E; next @10 :Every; list @11 :List(Every);
  bits @12 :List(Bool); nested @13 :List(List(Text)); any @14 :AnyPointer; client @15 :Client; void @16 :List(Void);
  union { left @17 :Int32; right :group { far @18 :Text; near @19 :UInt8; } }
  interface Client {}
}
";

fuzz_target!(|bytes: &[u8]| {
    reread(SCHEMA, "fuzz.Every", bytes);
});
