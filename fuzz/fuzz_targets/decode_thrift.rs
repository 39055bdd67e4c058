//! Any bytes at all are read as a struct, in both protocols, without a panic, and what is accepted is read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wireproof::formats::thrift::reread;

const PROGRAM: &str = "
enum E { A = 1, B = 2 }
union U { 1: i32 number; 2: string text; 3: list<U> more }
struct Every {
  1: bool truth; 2: i8 tiny; 3: i16 small; 4: i32 number; 5: i64 large; 6: double real; 7: string text; 8: binary bytes;
  9: uuid id; 10: E one; 11: U either; 12: optional Every next; 13: list<Every> list; 14: set<bool> set;
  15: map<string, list<i64>> map; 16: map<double, U> odd; 17: map<U, map<E, bool>> nested; 300: required i32 far; -1: i32 below
}
";

fuzz_target!(|bytes: &[u8]| {
    reread(PROGRAM, "fuzz.Every", bytes);
});
