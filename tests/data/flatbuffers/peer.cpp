// Reads and writes FlatBuffers by the library of Google, driven by the schemas that its own parser read.
//
// Reading takes the steps that generated C++ code takes: the checks of `Verify` in the order of the fields, then the
// accessors. One request a line on standard input, one answer a line on standard output, fields apart by tabs:
//
//   side  WHICH  HEX        a schema in hexadecimal, as the side `old` or `new`  → ok | refused REASON
//   conform                 whether the new side conforms to the old one         → ok | refused REASON
//   names WHICH             enums and unions of a side                           → JSON
//   write WHICH  TYPE HEX   JSON text as a table of a side                       → hexadecimal | refused REASON
//   read  WHICH  TYPE HEX   a buffer as a table of a side                        → JSON | rejected
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "flatbuffers/idl.h"
#include "flatbuffers/verifier.h"

namespace fb = flatbuffers;
using Bytes = std::vector<uint8_t>;

static std::string json_text(const std::string &text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    char escaped[8];
    if (c < 0x20 || c == '"' || c == '\\' || c >= 0x7f) {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
      out += escaped;
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + "\"";
}

static std::string hex(const uint8_t *data, size_t size) {
  static const char digits[] = "0123456789abcdef";
  std::string out;
  for (size_t at = 0; at < size; at++) {
    out += digits[data[at] >> 4];
    out += digits[data[at] & 15];
  }
  return out;
}

static Bytes unhex(const std::string &text) {
  Bytes out;
  for (size_t at = 0; at + 1 < text.size(); at += 2) {
    out.push_back(static_cast<uint8_t>(std::stoi(text.substr(at, 2), nullptr, 16)));
  }
  return out;
}

static std::string full_name(const fb::Definition &of) {
  return of.defined_namespace ? of.defined_namespace->GetFullyQualifiedName(of.name) : of.name;
}

static std::string real(double value) {
  if (std::isnan(value)) return "{\"real\":\"nan\"}";
  if (std::isinf(value)) return value > 0 ? "{\"real\":\"inf\"}" : "{\"real\":\"-inf\"}";
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", value);
  return "{\"real\":\"" + std::string(text) + "\"}";
}

// What stands inline, where it is known to lie inside the buffer.
static std::string number(const fb::Type &type, const uint8_t *at) {
  std::string value;
  switch (type.base_type) {
    case fb::BASE_TYPE_BOOL: return fb::ReadScalar<uint8_t>(at) ? "true" : "false";
    case fb::BASE_TYPE_CHAR: value = std::to_string(fb::ReadScalar<int8_t>(at)); break;
    case fb::BASE_TYPE_UTYPE:
    case fb::BASE_TYPE_UCHAR: value = std::to_string(fb::ReadScalar<uint8_t>(at)); break;
    case fb::BASE_TYPE_SHORT: value = std::to_string(fb::ReadScalar<int16_t>(at)); break;
    case fb::BASE_TYPE_USHORT: value = std::to_string(fb::ReadScalar<uint16_t>(at)); break;
    case fb::BASE_TYPE_INT: value = std::to_string(fb::ReadScalar<int32_t>(at)); break;
    case fb::BASE_TYPE_UINT: value = std::to_string(fb::ReadScalar<uint32_t>(at)); break;
    case fb::BASE_TYPE_LONG: value = std::to_string(fb::ReadScalar<int64_t>(at)); break;
    case fb::BASE_TYPE_ULONG: value = std::to_string(fb::ReadScalar<uint64_t>(at)); break;
    case fb::BASE_TYPE_FLOAT: return real(fb::ReadScalar<float>(at));
    case fb::BASE_TYPE_DOUBLE: return real(fb::ReadScalar<double>(at));
    default: return "null";
  }
  if (!type.enum_def) return value;
  return "{\"enum\":" + json_text(full_name(*type.enum_def)) + ",\"number\":" + value + "}";
}

static size_t width(const fb::Type &type) { return fb::InlineSize(type); }

static void leaves(const fb::Type &type, const uint8_t *base, size_t at, const std::string &path, std::string &out) {
  if (type.base_type == fb::BASE_TYPE_STRUCT) {
    for (auto field : type.struct_def->fields.vec) {
      auto inner = path + (path.empty() ? "" : ",") + json_text(field->name);
      leaves(field->value.type, base, at + field->value.offset, inner, out);
    }
  } else if (type.base_type == fb::BASE_TYPE_ARRAY) {
    auto items = type.VectorType();
    for (size_t index = 0; index < type.fixed_length; index++) {
      leaves(items, base, at + index * width(items), path + "," + std::to_string(index), out);
    }
  } else {
    out += (out.empty() ? "" : ",") + ("{\"at\":" + std::to_string(at)) + ",\"path\":[" + path + "],\"size\":" +
           std::to_string(width(type)) + ",\"value\":" + number(type, base + at) + "}";
  }
}

static std::string structure(const fb::StructDef &of, const uint8_t *at) {
  std::string out;
  leaves(fb::Type(fb::BASE_TYPE_STRUCT, const_cast<fb::StructDef *>(&of)), at, 0, "", out);
  return "{\"struct\":" + json_text(full_name(of)) + ",\"leaves\":[" + out + "]}";
}

// A table of any type; the library's own class keeps its parts private.
static const fb::Table *table_at(const uint8_t *at) { return reinterpret_cast<const fb::Table *>(at); }
static const uint8_t *raw(const fb::Table *table) { return reinterpret_cast<const uint8_t *>(table); }

struct Checker {
  fb::Verifier &verifier;

  bool root(const fb::StructDef &of, const uint8_t *buffer, size_t size) {
    if (size < FLATBUFFERS_MIN_BUFFER_SIZE) return false;
    const auto offset = verifier.VerifyOffset<fb::uoffset_t>(size_t{0});
    return offset && table(of, table_at(buffer + offset));
  }

  bool table(const fb::StructDef &of, const fb::Table *at) {
    if (!at) return true;
    if (!verifier.VerifyTableStart(raw(at))) return false;
    for (auto field : of.fields.vec) {
      if (!field->deprecated && !member(*field, at)) return false;
    }
    return verifier.EndTable();
  }

  bool member(const fb::FieldDef &field, const fb::Table *at) {
    const auto slot = field.value.offset;
    const auto &type = field.value.type;
    const auto offset = at->GetOptionalFieldOffset(slot);
    if (fb::IsScalar(type.base_type) || fb::IsStruct(type)) {
      if (!offset) return !field.IsRequired();
      return verifier.VerifyFieldStruct(raw(at), offset, width(type), fb::InlineAlignment(type));
    }
    if (!offset) {
      if (field.IsRequired()) return false;
    } else if (field.offset64 ? !verifier.VerifyOffset<fb::uoffset64_t>(raw(at), offset)
                              : !verifier.VerifyOffset<fb::uoffset_t>(raw(at), offset)) {
      return false;
    }
    const uint8_t *to = field.offset64 ? at->GetPointer64<const uint8_t *>(slot) : at->GetPointer<const uint8_t *>(slot);
    return target(field, at, to);
  }

  bool target(const fb::FieldDef &field, const fb::Table *at, const uint8_t *to) {
    const auto &type = field.value.type;
    const fb::voffset_t before = field.value.offset - sizeof(fb::voffset_t);
    switch (type.base_type) {
      case fb::BASE_TYPE_STRING: return verifier.VerifyString(reinterpret_cast<const fb::String *>(to));
      case fb::BASE_TYPE_STRUCT: return table(*type.struct_def, table_at(to));
      case fb::BASE_TYPE_UNION: {
        const auto kind = at->GetField<uint8_t>(before, 0);
        return branch(*type.enum_def, kind, to);
      }
      case fb::BASE_TYPE_VECTOR64: {
        return !to || verifier.VerifyVectorOrString<fb::uoffset64_t>(to, width(type.VectorType()));
      }
      case fb::BASE_TYPE_VECTOR: break;
      default: return true;
    }
    const auto items = type.VectorType();
    if (items.base_type == fb::BASE_TYPE_UNION) {
      if (to && !verifier.VerifyVectorOrString<fb::uoffset_t>(to, 4)) return false;
      const auto kinds = at->GetPointer<const fb::Vector<uint8_t> *>(before);
      const auto values = reinterpret_cast<const fb::Vector<fb::Offset<void>> *>(to);
      if (!values || !kinds) return !values && !kinds;
      if (values->size() != kinds->size()) return false;
      for (fb::uoffset_t index = 0; index < values->size(); index++) {
        const auto value = reinterpret_cast<const uint8_t *>(values->Get(index));
        if (!branch(*items.enum_def, kinds->Get(index), value)) return false;
      }
      return true;
    }
    if (to && !verifier.VerifyVectorOrString<fb::uoffset_t>(to, width(items))) return false;
    if (!to) return true;
    if (field.nested_flatbuffer) return nested(field, reinterpret_cast<const fb::Vector<uint8_t> *>(to));
    return elements(items, reinterpret_cast<const fb::Vector<fb::Offset<void>> *>(to));
  }

  bool elements(const fb::Type &items, const fb::Vector<fb::Offset<void>> *all) {
    if (!fb::IsString(items) && !fb::IsTable(items)) return true;
    for (fb::uoffset_t index = 0; index < all->size(); index++) {
      const auto to = reinterpret_cast<const uint8_t *>(all->Get(index));
      const bool good = fb::IsString(items) ? verifier.VerifyString(reinterpret_cast<const fb::String *>(to))
                                            : table(*items.struct_def, table_at(to));
      if (!good) return false;
    }
    return true;
  }

  bool nested(const fb::FieldDef &field, const fb::Vector<uint8_t> *buffer) {
    fb::Verifier inside(buffer->data(), buffer->size());
    return Checker{inside}.root(*field.nested_flatbuffer, buffer->data(), buffer->size());
  }

  bool branch(const fb::EnumDef &of, uint8_t kind, const uint8_t *to) {
    const auto member = of.ReverseLookup(kind);
    if (!member || kind == 0) return true;
    const auto &type = member->union_type;
    if (fb::IsString(type)) return verifier.VerifyString(reinterpret_cast<const fb::String *>(to));
    if (fb::IsTable(type)) return table(*type.struct_def, table_at(to));
    return verifier.VerifyFieldStruct(to, 0, type.struct_def->bytesize, type.struct_def->minalign);
  }
};

// Accessors, of a buffer that was verified.
static std::string read_table(const fb::StructDef &of, const fb::Table *at);

static std::string branch(const fb::EnumDef &of, uint8_t kind, const uint8_t *to) {
  const auto member = of.ReverseLookup(kind);
  std::string out = "{\"union\":" + json_text(full_name(of)) + ",\"number\":" + std::to_string(kind) + ",\"value\":";
  if (!member || !to || kind == 0) return out + (to && !member ? "\"unknown\"}" : "null}");
  const auto &type = member->union_type;
  if (fb::IsString(type)) {
    const auto text = reinterpret_cast<const fb::String *>(to);
    return out + "{\"text\":\"" + hex(text->Data(), text->size()) + "\"}}";
  }
  return out + (fb::IsTable(type) ? read_table(*type.struct_def, table_at(to)) : structure(*type.struct_def, to)) + "}";
}

static std::string element(const fb::Type &items, const uint8_t *at) {
  if (fb::IsStruct(items)) return structure(*items.struct_def, at);
  if (fb::IsScalar(items.base_type)) return number(items, at);
  const auto to = at + fb::ReadScalar<fb::uoffset_t>(at);
  if (fb::IsTable(items)) return read_table(*items.struct_def, table_at(to));
  const auto text = reinterpret_cast<const fb::String *>(to);
  return "{\"text\":\"" + hex(text->Data(), text->size()) + "\"}";
}

static std::string list(const fb::FieldDef &field, const fb::Table *at, const uint8_t *to) {
  const auto items = field.value.type.VectorType();
  const bool wide = field.value.type.base_type == fb::BASE_TYPE_VECTOR64;
  const size_t count = wide ? fb::ReadScalar<uint64_t>(to) : fb::ReadScalar<uint32_t>(to);
  const uint8_t *data = to + (wide ? 8 : 4);
  if (field.nested_flatbuffer) {
    const auto inner = read_table(*field.nested_flatbuffer, table_at(data + fb::ReadScalar<fb::uoffset_t>(data)));
    return "{\"nested\":true," + inner.substr(1);
  }
  const bool of_unions = items.base_type == fb::BASE_TYPE_UNION;
  const fb::voffset_t before = field.value.offset - sizeof(fb::voffset_t);
  const auto kinds = of_unions ? at->GetPointer<const fb::Vector<uint8_t> *>(before) : nullptr;
  std::string out;
  for (size_t index = 0; index < count; index++) {
    if (index) out += ",";
    if (of_unions) {
      const auto place = data + 4 * index;
      out += branch(*items.enum_def, kinds ? kinds->Get(index) : 0, place + fb::ReadScalar<fb::uoffset_t>(place));
    } else {
      out += element(items, data + index * width(items));
    }
  }
  return "{\"list\":[" + out + "],\"width\":" + std::to_string(width(items)) + "}";
}

static std::string constant(const fb::FieldDef &field) {
  const auto &type = field.value.type;
  if (field.IsOptional()) return "null";
  if (fb::IsFloat(type.base_type)) return real(std::strtod(field.value.constant.c_str(), nullptr));
  if (!fb::IsScalar(type.base_type)) {
    if (fb::IsString(type) && field.IsDefault() && field.value.constant != "0") {
      const auto &text = field.value.constant;
      return "{\"text\":\"" + hex(reinterpret_cast<const uint8_t *>(text.data()), text.size()) + "\"}";
    }
    return fb::IsVector(type) && field.value.constant == "[]" ? "{\"list\":[],\"width\":" + std::to_string(width(type.VectorType())) + "}" : "null";
  }
  if (type.base_type == fb::BASE_TYPE_BOOL) return field.value.constant == "0" ? "false" : "true";
  if (!type.enum_def) return field.value.constant;
  return "{\"enum\":" + json_text(full_name(*type.enum_def)) + ",\"number\":" + field.value.constant + "}";
}

static std::string value(const fb::FieldDef &field, const fb::Table *at) {
  const auto slot = field.value.offset;
  const auto &type = field.value.type;
  if (type.base_type == fb::BASE_TYPE_UNION) {
    const auto kind = at->GetField<uint8_t>(slot - sizeof(fb::voffset_t), 0);
    const auto to = at->GetPointer<const uint8_t *>(slot);
    return kind == 0 ? "null" : branch(*type.enum_def, kind, to);
  }
  const auto offset = at->GetOptionalFieldOffset(slot);
  if (!offset) return constant(field);
  if (fb::IsScalar(type.base_type)) return number(type, raw(at) + offset);
  if (fb::IsStruct(type)) return structure(*type.struct_def, raw(at) + offset);
  const uint8_t *to = field.offset64 ? at->GetPointer64<const uint8_t *>(slot) : at->GetPointer<const uint8_t *>(slot);
  if (fb::IsTable(type)) return read_table(*type.struct_def, table_at(to));
  if (fb::IsVector(type)) return list(field, at, to);
  const auto text = reinterpret_cast<const fb::String *>(to);
  return "{\"text\":\"" + hex(text->Data(), text->size()) + "\"}";
}

static bool is_discriminator(const fb::FieldDef &field) {
  const auto &type = field.value.type;
  return type.base_type == fb::BASE_TYPE_UTYPE || (fb::IsVector(type) && type.element == fb::BASE_TYPE_UTYPE);
}

static std::string read_table(const fb::StructDef &of, const fb::Table *at) {
  std::string fields;
  for (auto field : of.fields.vec) {
    if (is_discriminator(*field)) continue;
    const auto has = at->GetOptionalFieldOffset(field->value.offset) != 0;
    // What is deprecated has no accessor, and is not verified either.
    const auto seen = field->deprecated ? std::string("null") : value(*field, at);
    fields += (fields.empty() ? "" : ",") + ("{\"name\":" + json_text(field->name)) +
              ",\"slot\":" + std::to_string((field->value.offset - 4) / 2) +
              ",\"deprecated\":" + (field->deprecated ? "true" : "false") + ",\"has\":" + (has ? "true" : "false") +
              ",\"default\":" + constant(*field) + ",\"value\":" + seen + "}";
  }
  return "{\"table\":" + json_text(full_name(of)) + ",\"fields\":[" + fields + "]}";
}

static fb::IDLOptions options() {
  fb::IDLOptions options;
  options.strict_json = true;
  options.lang_to_generate = fb::IDLOptions::kCpp;
  return options;
}

struct Side {
  std::unique_ptr<fb::Parser> parser;
};

static std::string one_line(std::string text) {
  for (auto &c : text) {
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  }
  return text;
}

static std::string names(const fb::Parser &parser) {
  std::string out;
  for (auto one : parser.enums_.vec) {
    std::string values;
    for (auto value : one->Vals()) {
      values += (values.empty() ? "" : ",") + json_text(value->name) + ":" + std::to_string(value->GetAsInt64());
    }
    out += (out.empty() ? "" : ",") + json_text(full_name(*one)) + ":{" + values + "}";
  }
  return "{" + out + "}";
}

static const fb::StructDef *table_of(Side &side, const std::string &name) {
  const auto found = side.parser ? side.parser->LookupStruct(name) : nullptr;
  return found && !found->fixed ? found : nullptr;
}

static std::string answer(Side (&sides)[2], const std::vector<std::string> &words) {
  if (words[0] == "conform") {
    const auto told = sides[1].parser->ConformTo(*sides[0].parser);
    return told.empty() ? "ok" : "refused " + one_line(told);
  }
  auto &side = sides[words.at(1) == "new"];
  if (words[0] == "names") return names(*side.parser);
  const size_t last = words[0] == "side" ? 2 : 3;
  const auto bytes = unhex(words.size() > last ? words[last] : "");
  if (words[0] == "side") {
    side.parser.reset(new fb::Parser(options()));
    const std::string text(bytes.begin(), bytes.end());
    return side.parser->Parse(text.c_str()) ? "ok" : "refused " + one_line(side.parser->error_);
  }
  const auto of = table_of(side, words.at(2));
  if (!of) return "refused no such table";
  if (words[0] == "write") {
    const std::string text(bytes.begin(), bytes.end());
    side.parser->SetRootType(words.at(2).c_str());
    if (!side.parser->Parse(text.c_str())) return "refused " + one_line(side.parser->error_);
    return hex(side.parser->builder_.GetBufferPointer(), side.parser->builder_.GetSize());
  }
  if (words[0] != "read") return "refused no such request";
  // Alignment is judged by addresses in the buffer, so the copy is aligned as buffers are.
  std::vector<uint64_t> aligned(bytes.size() / 8 + 1);
  auto data = reinterpret_cast<uint8_t *>(aligned.data());
  std::copy(bytes.begin(), bytes.end(), data);
  fb::Verifier verifier(data, bytes.size());
  if (!Checker{verifier}.root(*of, data, bytes.size())) return "rejected";
  return read_table(*of, table_at(data + fb::ReadScalar<fb::uoffset_t>(data)));
}

int main() {
  Side sides[2];
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<std::string> words;
    std::istringstream split(line);
    for (std::string word; std::getline(split, word, '\t');) words.push_back(word);
    if (words.empty()) continue;
    std::cout << answer(sides, words) << std::endl;
  }
}
