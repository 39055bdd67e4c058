/** Everything once. */
namespace java shop.orders (x = "y")
namespace * shop
package "example.com/shop"
cpp_include "<vector>"

const i32 LIMIT = 0x10
const map<string, list<double>> RATES = {'a': [1, 2.5], "b": []}

enum Color { RED = 1, GREEN, /* none */ BLUE = -3 (deprecated) }
senum Old { 'x', 'y' }
typedef map<i64, set<Money>> Purses (z)

@thrift.ReserveIds{ids = [7], id_ranges = {10: 12}}
struct Money {
  1: required i64 minor = LIMIT; // reserved: 4, 20-22
  2: optional Color color = Color.GREEN,
  3: list<string> cpp_type "x" notes xsd_optional (q = 'r')
  uuid key
}

union Choice { 1: Money money 2: string text = "t" }
safe exception Gone { 1: string why }

interaction Talk { void say(1: string what) }
service Base { oneway void ping() }
service Shop extends Base {
  performs Talk;
  Purses purses(1: i32 a = 1, 2: Choice b) throws (1: Gone gone) (r)
  readonly Money, stream<float throws (1: Gone g)> watch();
}
