// Asks the reference implementation of Cap'n Proto, a line for a line; the words of a line have tabs between them.
//
//   side SIDE FOLDER FILE...       -> "ok", or "refused" and what the compiler says
//   loader                         -> "ok" where SchemaLoader takes the nodes of both sides, or "incompatible" and why not
//   write SIDE TYPE SEED           -> a random message in hexadecimal
//   read SIDE TYPE HEX             -> what a reader sees, in JSON
//   calls SIDE                     -> every method that each interface answers, in JSON
//
// SIDE is old or new. TYPE is a display name of the compiler, a.capnp:Outer.Name, or the name of an interface with a method
// and $Params or $Results behind it. What accessors reject is {"!": message} in place of the value.
#include <capnp/any.h>
#include <capnp/dynamic.h>
#include <capnp/message.h>
#include <capnp/schema-loader.h>
#include <capnp/schema.capnp.h>
#include <capnp/serialize.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace cp = capnp;
namespace sc = capnp::schema;

static std::string one_line(std::string text) {
  for (char &c : text) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return text;
}

static std::string hex(const uint8_t *data, size_t size) {
  static const char *digits = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < size; ++i) {
    out += digits[data[i] >> 4];
    out += digits[data[i] & 15];
  }
  return out;
}

static std::vector<uint8_t> from_hex(const std::string &text) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) bytes.push_back(std::stoi(text.substr(i, 2), nullptr, 16));
  return bytes;
}

static std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c < 0x20 || c > 0x7e) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", c);
      out += code;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// Random numbers that are the same on every machine.
struct Dice {
  uint64_t state;
  uint64_t next() {
    state += 0x9e3779b97f4a7c15ull;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  size_t below(size_t end) { return end == 0 ? 0 : next() % end; }
  bool percent(size_t part) { return below(100) < part; }
};

struct Side {
  std::unique_ptr<cp::MallocMessageBuilder> request;
  std::unique_ptr<cp::SchemaLoader> loader;
  std::map<std::string, uint64_t> names;
};

static std::string slurp(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Compiles the files of a side; why not, if not.
static std::string compile(Side &side, const std::string &folder, const std::vector<std::string> &files) {
  std::string command = "cd '" + folder + "' && capnp compile -o- -I'" + folder + "'";
  for (auto &file : files) command += " '" + file + "'";
  command += " > .out 2> .err";
  int code = std::system(command.c_str());
  if (code != 0) {
    std::string told = slurp(folder + "/.err");
    return told.empty() ? "the compiler ends with " + std::to_string(code) : told;
  }
  std::string bytes = slurp(folder + "/.out");
  std::vector<cp::word> words(bytes.size() / sizeof(cp::word));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char *>(words.data()));
  cp::ReaderOptions options;
  options.traversalLimitInWords = 1u << 30;
  cp::FlatArrayMessageReader message(kj::arrayPtr(words.data(), words.size()), options);
  side.request.reset(new cp::MallocMessageBuilder);
  side.request->setRoot(message.getRoot<sc::CodeGeneratorRequest>());
  side.loader.reset(new cp::SchemaLoader);
  side.names.clear();
  for (auto node : side.request->getRoot<sc::CodeGeneratorRequest>().asReader().getNodes()) {
    side.loader->load(node);
    side.names[node.getDisplayName().cStr()] = node.getId();
  }
  return "";
}

// What SchemaLoader says of the nodes of both sides.
static std::string compare(Side *sides) {
  cp::SchemaLoader loader;
  std::string told;
  for (int at = 0; at < 2; ++at) {
    for (auto node : sides[at].request->getRoot<sc::CodeGeneratorRequest>().asReader().getNodes()) {
      KJ_IF_MAYBE(exception, kj::runCatchingExceptions([&]() { loader.load(node); })) {
        told += std::string(node.getDisplayName().cStr()) + ": " + exception->getDescription().cStr() + "; ";
      }
    }
  }
  return told.empty() ? "ok" : "incompatible " + one_line(told);
}

static bool is_any_list(cp::Type type) { return type.isList() && type.asList().getElementType().isAnyPointer(); }

// Writing.

using Unconstrained = sc::Type::AnyPointer::Unconstrained;

// Which pointers a field of any kind may hold.
static Unconstrained::Which kind_of(cp::StructSchema::Field field) {
  auto type = field.getProto().getSlot().getType();
  if (!type.isAnyPointer() || !type.getAnyPointer().isUnconstrained()) return Unconstrained::ANY_KIND;
  return type.getAnyPointer().getUnconstrained().which();
}

static void fill(cp::DynamicStruct::Builder to, Dice &dice, int depth);
static void fill_list(cp::DynamicList::Builder to, cp::Type type, Dice &dice, int depth);

static cp::DynamicValue::Reader number(cp::Type type, Dice &dice) {
  static const int64_t small[] = {0, 1, 2, 3, 7, 42, 127, -1, -2, -128};
  static const int64_t large[] = {255, 256, 32767, -32768, 65535, 65536, 2147483647, -2147483648ll, 4294967295ll};
  int64_t value = dice.percent(70) ? small[dice.below(10)] : large[dice.below(9)];
  switch (type.which()) {
    case sc::Type::BOOL: return dice.percent(50);
    case sc::Type::INT8: return int64_t(int8_t(value));
    case sc::Type::INT16: return int64_t(int16_t(value));
    case sc::Type::INT32: return int64_t(int32_t(value));
    case sc::Type::INT64: return dice.percent(20) ? INT64_MIN : value;
    case sc::Type::UINT8: return uint64_t(uint8_t(value));
    case sc::Type::UINT16: return uint64_t(uint16_t(value));
    case sc::Type::UINT32: return uint64_t(uint32_t(value));
    case sc::Type::UINT64: return dice.percent(20) ? UINT64_MAX : uint64_t(value);
    case sc::Type::FLOAT32: return double(float(value) * (dice.percent(50) ? 0.5f : 1.0f));
    case sc::Type::FLOAT64: return double(value) * (dice.percent(50) ? 0.25 : 1.0);
    case sc::Type::ENUM: {
      auto of = type.asEnum();
      return cp::DynamicEnum(of, dice.below(of.getEnumerants().size()));
    }
    default: return cp::VOID;
  }
}

static std::string some_text(Dice &dice) {
  static const char *texts[] = {"", "t", "some text", "0123456789abcdef"};
  return texts[dice.below(4)];
}

static std::vector<kj::byte> some_data(Dice &dice) {
  switch (dice.below(4)) {
    case 0: return {};
    case 1: return {0x7a};
    case 2: return {0xff, 0x00, 0x68, 0x69};
    default: return {'z', 0};
  }
}

static void fill_any(cp::AnyPointer::Builder to, Unconstrained::Which kind, Dice &dice) {
  bool may_struct = kind == Unconstrained::ANY_KIND || kind == Unconstrained::STRUCT;
  bool may_list = kind == Unconstrained::ANY_KIND || kind == Unconstrained::LIST;
  if (may_struct && (!may_list || dice.percent(40))) {
    auto of = to.initAsAnyStruct(1, 1);
    of.getDataSection()[0] = 7;
  } else if (may_list && dice.percent(50)) {
    to.setAs<cp::Text>("any");
  } else if (may_list) {
    to.initAs<cp::List<uint32_t>>(2).set(1, 9);
  }
}

static void fill_field(cp::DynamicStruct::Builder to, cp::StructSchema::Field field, Dice &dice, int depth) {
  auto type = field.getType();
  switch (type.which()) {
    case sc::Type::TEXT: {
      auto text = some_text(dice);
      to.set(field, cp::Text::Reader(text.c_str(), text.size()));
      break;
    }
    case sc::Type::DATA: {
      auto data = some_data(dice);
      to.set(field, cp::Data::Reader(data.data(), data.size()));
      break;
    }
    case sc::Type::LIST:
      if (is_any_list(type)) break;
      fill_list(to.init(field, dice.below(depth > 0 ? 4 : 2)).as<cp::DynamicList>(), type, dice, depth);
      break;
    case sc::Type::STRUCT:
      if (depth > 0 || dice.percent(30)) fill(to.init(field).as<cp::DynamicStruct>(), dice, depth - 1);
      break;
    case sc::Type::INTERFACE: break;
    case sc::Type::ANY_POINTER: {
      fill_any(to.init(field).as<cp::AnyPointer>(), kind_of(field), dice);
      break;
    }
    default: to.set(field, number(type, dice));
  }
}

static void fill_list(cp::DynamicList::Builder to, cp::Type type, Dice &dice, int depth) {
  auto items = type.asList().getElementType();
  for (uint at = 0; at < to.size(); ++at) {
    switch (items.which()) {
      case sc::Type::TEXT: {
        auto text = some_text(dice);
        if (dice.percent(80)) to.set(at, cp::Text::Reader(text.c_str(), text.size()));
        break;
      }
      case sc::Type::DATA: {
        auto data = some_data(dice);
        if (dice.percent(80)) to.set(at, cp::Data::Reader(data.data(), data.size()));
        break;
      }
      case sc::Type::LIST:
        if (!is_any_list(items)) {
          fill_list(to.init(at, dice.below(3)).as<cp::DynamicList>(), items, dice, depth - 1);
        }
        break;
      case sc::Type::STRUCT: fill(to[at].as<cp::DynamicStruct>(), dice, depth - 1); break;
      case sc::Type::INTERFACE:
      case sc::Type::ANY_POINTER: break;
      default: to.set(at, number(items, dice));
    }
  }
}

static void fill_member(cp::DynamicStruct::Builder to, cp::StructSchema::Field field, Dice &dice, int depth) {
  if (field.getProto().isGroup()) {
    fill(to.init(field).as<cp::DynamicStruct>(), dice, depth);
  } else {
    fill_field(to, field, dice, depth);
  }
}

static void fill(cp::DynamicStruct::Builder to, Dice &dice, int depth) {
  if (depth < 0) return;
  auto schema = to.getSchema();
  auto members = schema.getUnionFields();
  if (members.size() > 0 && dice.percent(80)) {
    auto member = members[dice.below(members.size())];
    if (member.getProto().isSlot() && (member.getType().isInterface() || dice.percent(20))) {
      to.clear(member);
    } else {
      fill_member(to, member, dice, depth);
    }
  }
  for (auto field : schema.getNonUnionFields()) {
    if (field.getProto().isGroup() || dice.percent(75)) fill_member(to, field, dice, depth);
  }
}

// Reading.

static std::string shown(cp::DynamicStruct::Reader of);

static std::string bits(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "{\"f\": \"%.17g\"}", value);
  return text;
}

static std::string shown_any(cp::AnyPointer::Reader of, Unconstrained::Which kind = Unconstrained::ANY_KIND) {
  if (of.isNull()) return "null";
  // The accessors that the compiler makes for each kind.
  if (kind == Unconstrained::STRUCT) of.getAs<cp::AnyStruct>();
  if (kind == Unconstrained::LIST) of.getAs<cp::AnyList>();
  if (kind == Unconstrained::CAPABILITY) KJ_REQUIRE(of.isCapability(), "expected a capability");
  if (of.isStruct()) return "{\"a\": \"struct\"}";
  if (of.isList()) return "{\"a\": \"list\"}";
  return "{\"a\": \"capability\"}";
}

static std::string shown(cp::DynamicValue::Reader value, cp::Type type) {
  switch (value.getType()) {
    case cp::DynamicValue::VOID: return "\"void\"";
    case cp::DynamicValue::BOOL: return value.as<bool>() ? "true" : "false";
    case cp::DynamicValue::INT: return std::to_string(value.as<int64_t>());
    case cp::DynamicValue::UINT: return std::to_string(value.as<uint64_t>());
    case cp::DynamicValue::FLOAT: return bits(value.as<double>());
    case cp::DynamicValue::TEXT: {
      auto text = value.as<cp::Text>();
      return "{\"t\": \"" + hex(reinterpret_cast<const uint8_t *>(text.begin()), text.size()) + "\"}";
    }
    case cp::DynamicValue::DATA: {
      auto data = value.as<cp::Data>();
      return "{\"d\": \"" + hex(data.begin(), data.size()) + "\"}";
    }
    case cp::DynamicValue::ENUM: return "{\"e\": " + std::to_string(value.as<cp::DynamicEnum>().getRaw()) + "}";
    case cp::DynamicValue::STRUCT: return "{\"s\": " + shown(value.as<cp::DynamicStruct>()) + "}";
    case cp::DynamicValue::LIST: {
      auto list = value.as<cp::DynamicList>();
      auto items = type.asList().getElementType();
      std::string out = "[";
      for (uint at = 0; at < list.size(); ++at) {
        std::string item;
        KJ_IF_MAYBE(exception, kj::runCatchingExceptions([&]() { item = shown(list[at], items); })) {
          item = "{\"!\": " + quoted(exception->getDescription().cStr()) + "}";
        }
        out += (at == 0 ? "" : ", ") + item;
      }
      return out + "]";
    }
    case cp::DynamicValue::CAPABILITY: return "{\"a\": \"capability\"}";
    case cp::DynamicValue::ANY_POINTER: return shown_any(value.as<cp::AnyPointer>());
    default: return "{\"!\": \"unknown\"}";
  }
}

// Structs inside of defaults: a struct that is a default of a field of itself has no end.
static int defaults = 0;

static bool is_null(cp::DynamicStruct::Reader of, cp::StructSchema::Field field) {
  auto type = field.getType();
  if (!(type.isStruct() || type.isInterface() || type.isAnyPointer() || is_any_list(type))) return false;
  auto written = field.getProto().getSlot().getDefaultValue();
  bool has_default = written.isStruct() && !written.getStruct().isNull() && defaults == 0;
  return !has_default && !of.has(field);
}

// Each field by the names of the groups around it and its own; of a union only the member that is set.
static void show(cp::DynamicStruct::Reader of, const std::string &prefix, std::string &out) {
  auto one = [&](cp::StructSchema::Field field) {
    std::string name = prefix + field.getProto().getName().cStr();
    if (field.getProto().isGroup()) {
      show(of.get(field).as<cp::DynamicStruct>(), name + ".", out);
      return;
    }
    std::string value;
    int is_default = field.getType().isStruct() && !of.has(field);
    KJ_IF_MAYBE(exception, kj::runCatchingExceptions([&]() {
      KJ_DEFER(defaults = std::max(0, defaults - is_default));
      bool is_nothing = is_null(of, field);
      defaults += is_default;
      if (is_nothing) {
        value = "null";
      } else if (field.getType().isAnyPointer()) {
        value = shown_any(of.get(field).as<cp::AnyPointer>(), kind_of(field));
      } else {
        value = shown(of.get(field), field.getType());
      }
    })) {
      value = "{\"!\": " + quoted(exception->getDescription().cStr()) + "}";
    }
    out += (out.empty() ? "" : ", ") + quoted(name) + ": " + value;
  };
  for (auto field : of.getSchema().getNonUnionFields()) one(field);
  KJ_IF_MAYBE(member, of.which()) { one(*member); }
}

static std::string shown(cp::DynamicStruct::Reader of) {
  std::string out;
  show(of, "", out);
  return "{" + out + "}";
}

// Calls.

static void gather(cp::InterfaceSchema of, std::set<uint64_t> &seen, std::string &out, Side &side) {
  if (!seen.insert(of.getProto().getId()).second) return;
  for (auto method : of.getMethods()) {
    if (!out.empty()) out += ", ";
    out += "{\"interface\": \"" + std::to_string(of.getProto().getId()) + "\", \"ordinal\": " + std::to_string(method.getIndex()) +
           ", \"name\": " + quoted(method.getProto().getName().cStr()) +
           ", \"in\": " + quoted(method.getParamType().getProto().getDisplayName().cStr()) +
           ", \"out\": " + quoted(method.getResultType().getProto().getDisplayName().cStr()) + "}";
  }
  for (auto above : of.getSuperclasses()) gather(above, seen, out, side);
}

static std::string calls(Side &side) {
  std::string out;
  for (auto &named : side.names) {
    auto schema = side.loader->get(named.second);
    if (!schema.getProto().isInterface()) continue;
    std::string methods;
    std::set<uint64_t> seen;
    gather(schema.asInterface(), seen, methods, side);
    out += (out.empty() ? "" : ", ") + quoted(named.first) + ": [" + methods + "]";
  }
  return "{" + out + "}";
}

static std::string written(Side &side, cp::StructSchema type, uint64_t seed) {
  Dice dice{seed};
  // Small segments are what makes far pointers.
  bool is_split = dice.percent(25);
  cp::MallocMessageBuilder message(is_split ? 4 : 1024,
                                   is_split ? cp::AllocationStrategy::FIXED_SIZE : cp::AllocationStrategy::GROW_HEURISTICALLY);
  auto root = message.initRoot<cp::DynamicStruct>(type);
  if (!dice.percent(8)) fill(root, dice, 3);
  auto words = cp::messageToFlatArray(message);
  auto bytes = words.asBytes();
  return hex(bytes.begin(), bytes.size());
}

static std::string read(cp::StructSchema type, const std::vector<uint8_t> &bytes) {
  std::vector<cp::word> words((bytes.size() + 7) / 8);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t *>(words.data()));
  std::string out;
  KJ_IF_MAYBE(exception, kj::runCatchingExceptions([&]() {
    cp::FlatArrayMessageReader message(kj::arrayPtr(words.data(), words.size()));
    out = shown(message.getRoot<cp::DynamicStruct>(type));
  })) {
    out = "{\"!\": " + quoted(exception->getDescription().cStr()) + "}";
  }
  return out;
}

static std::string answer(Side *sides, const std::vector<std::string> &words) {
  if (words[0] == "loader") return compare(sides);
  Side &side = sides[words.at(1) == "old" ? 0 : 1];
  if (words[0] == "side") {
    auto told = compile(side, words.at(2), {words.begin() + 3, words.end()});
    return told.empty() ? "ok" : "refused " + one_line(told);
  }
  if (words[0] == "calls") return calls(side);
  auto found = side.names.find(words.at(2));
  if (found == side.names.end()) return "unknown";
  auto type = side.loader->get(found->second).asStruct();
  if (words[0] == "write") return written(side, type, std::stoull(words.at(3)));
  if (words[0] == "read") return read(type, from_hex(words.at(3)));
  return "no such request";
}

int main() {
  Side sides[2];
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<std::string> words;
    std::istringstream split(line);
    for (std::string word; std::getline(split, word, '\t');) words.push_back(word);
    if (words.empty()) continue;
    std::string told;
    KJ_IF_MAYBE(exception, kj::runCatchingExceptions([&]() { told = answer(sides, words); })) {
      told = "failed " + one_line(exception->getDescription().cStr());
    }
    std::cout << told << std::endl;
  }
}
