//! What generated C++ reads, beside what the table-driven peer reads: that one stands for the other.
//!
//! `flatc` generates the code of both sides of each pair, a `main` is written that verifies and reads through its accessors,
//! and fifty pairs are compiled into one program.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

use super::schema::{Field, Schema, Struct, Table, Type};
use super::{Flatbuffers, SIDES, ask, data, hexadecimal, program};
use crate::bounded;
use crate::laws_random::number;
use crate::peers::{Dice, Language as _, Loaded, Model as _, Peer};
use crate::support::skip;
use wireproof::change::Pair;

/// Pairs of a plain run, and those of one program.
const PAIRS: usize = 100;
const TOGETHER: usize = 50;
/// Messages of each table in each direction.
const MESSAGES: usize = 4;

#[test]
fn code_that_flatc_generates_reads_what_the_peer_reads() {
    let flatc = Command::new("flatc").arg("--version").output().is_ok_and(|output| output.status.success());
    let (Some(program), true) = (program(), flatc) else {
        return skip("flatc", "what generated C++ reads beside what the peer reads");
    };
    let (pairs, seed) = (number("PAIRS", PAIRS), number("SEED", 1));
    let language = Flatbuffers { program };
    let mut peer = language.start();
    let mut made = Vec::new();
    for index in 0.. {
        if made.len() >= pairs {
            break;
        }
        let mut dice = Dice((seed as u64) << 32 | index);
        let old = Schema::make(&mut dice);
        let sides = Pair::new(old.clone(), old.mutate(&mut dice));
        if let Loaded::Taken(_) = language.load(&mut peer, sides.as_ref()) {
            made.push((sides, dice));
        }
    }
    let mut differing = Vec::new();
    for together in made.chunks(TOGETHER) {
        differing.extend(differences(&language, &mut peer, together));
    }
    assert!(differing.is_empty(), "{} differ, such as {}", differing.len(), differing[0]);
}

/// What was read of one buffer by the peer: the number of the request, and what it read in one line.
type Expected = (String, String);

fn differences(language: &Flatbuffers, peer: &mut Peer, pairs: &[(Pair<Schema>, Dice)]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder for a moment");
    let mut code = PRELUDE.to_owned();
    let mut cases = String::new();
    let mut asked: Vec<Expected> = Vec::new();
    for (index, (sides, dice)) in pairs.iter().enumerate() {
        for (label, schema) in [("old", &sides.old), ("new", &sides.new)] {
            let space = format!("p{index}_{label}");
            generate(folder.path(), &space, schema);
            let _ = writeln!(code, "#include \"{space}_generated.h\"");
            cases += &readers(&space, schema);
        }
        asked.extend(requests(language, peer, index, sides, dice.clone()));
    }
    code += &cases;
    code += "int main() {\n  for (std::string line; std::getline(std::cin, line);) {\n    auto at = line.find(' ');\n    \
             std::cout << readers()[line.substr(0, at)](unhex(line.substr(at + 1))) << \"\\n\";\n  }\n}\n";
    std::fs::write(folder.path().join("main.cpp"), code).expect("the folder can be written");
    let program = compile(folder.path());
    let input: String = asked.iter().map(|(request, _)| format!("{request}\n")).collect();
    std::fs::write(folder.path().join("input"), input).expect("the folder can be written");
    let input = std::fs::File::open(folder.path().join("input")).expect("it was written");
    let output = Command::new(program).stdin(input).output().expect("it was compiled");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let told: Vec<&str> = told.lines().collect();
    assert_eq!(told.len(), asked.len(), "the generated code stopped: {}", String::from_utf8_lossy(&output.stderr));
    let differing = asked.iter().zip(told).filter(|((_, expected), told)| expected != told);
    differing
        .map(|((request, expected), told)| format!("{request}\n  peer      {expected}\n  generated {told}"))
        .collect()
}

fn generate(folder: &Path, space: &str, schema: &Schema) {
    let file = folder.join(format!("{space}.fbs"));
    std::fs::write(&file, format!("namespace {space};\n{}", schema.text())).expect("the folder can be written");
    let output = bounded::run(Command::new("flatc").arg("--cpp").arg("-o").arg(folder).arg(&file));
    let output = output.expect("flatc comes to an end");
    assert!(output.status.success(), "{}{}", String::from_utf8_lossy(&output.stdout), schema.text());
}

fn compile(folder: &Path) -> std::path::PathBuf {
    let library = std::env::var_os("WIREPROOF_FLATBUFFERS").expect("the peer was compiled with it");
    let out = folder.join("generated");
    let mut command = Command::new("g++");
    command.args(["-std=c++17", "-O0", "-w", "-I"]).arg(Path::new(&library).join("include")).arg("-I").arg(folder);
    let output = command.arg(folder.join("main.cpp")).arg("-o").arg(&out).output().expect("the peer was compiled");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the generated code does not compile:\n{}", &told[..told.len().min(3000)]);
    out
}

/// Buffers of both sides, each read by both.
fn requests(
    language: &Flatbuffers,
    peer: &mut Peer,
    index: usize,
    sides: &Pair<Schema>,
    mut dice: Dice,
) -> Vec<Expected> {
    language.load(peer, sides.as_ref());
    let mut asked = Vec::new();
    for (writer, of) in [(SIDES.old, sides.as_ref()), (SIDES.new, sides.as_ref().mirrored())] {
        for id in of.old.starts().intersection(&of.new.starts()) {
            let name = format!("T{id}");
            for _ in 0..MESSAGES {
                let json = data::table(of, *id, &mut dice, 0).to_string();
                let bytes = ask(peer, &["write", writer, &name, &hexadecimal(json.as_bytes())]);
                if bytes.starts_with("refused") {
                    continue;
                }
                for reader in [SIDES.old, SIDES.new] {
                    let read = ask(peer, &["read", reader, &name, &bytes]);
                    let told = serde_json::from_str(&read).map_or(read, |read| line(&read));
                    asked.push((format!("p{index}_{reader}_{name} {bytes}"), told));
                }
            }
        }
    }
    asked
}

/// What the peer read, in the words of the generated reader.
fn line(read: &Json) -> String {
    let all = |key: &str, of: &dyn Fn(&Json) -> String| {
        read[key].as_array().map(|all| all.iter().map(of).collect::<Vec<_>>().join(","))
    };
    if let Some(fields) = all("fields", &|field| match field["deprecated"] == true {
        true => String::new(),
        false => format!("{}={}", field["name"].as_str().unwrap_or_default(), line(&field["value"])),
    }) {
        return format!("({fields})");
    }
    if let Some(leaves) = all("leaves", &|leaf| line(&leaf["value"])) {
        return format!("{{{leaves}}}");
    }
    if let Some(items) = all("list", &line) {
        return format!("[{items}]");
    }
    match read {
        Json::Null => "-".to_owned(),
        Json::Bool(truth) => u8::from(*truth).to_string(),
        Json::String(word) => word.clone(),
        _ if read.get("union").is_some() => format!("{}:{}", read["number"], line(&read["value"])),
        _ if read.get("text").is_some() => format!("'{}'", read["text"].as_str().unwrap_or_default()),
        _ if read.get("real").is_some() => read["real"].as_str().unwrap_or_default().to_owned(),
        _ => read.get("number").unwrap_or(read).to_string(),
    }
}

const PRELUDE: &str = r#"#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>
#include "flatbuffers/flatbuffers.h"
using Bytes = std::vector<uint8_t>;
static std::map<std::string, std::function<std::string(const Bytes &)>> &readers() {
  static std::map<std::string, std::function<std::string(const Bytes &)>> all;
  return all;
}
struct Add { Add(const char *name, std::function<std::string(const Bytes &)> reads) { readers()[name] = reads; } };
static Bytes unhex(const std::string &text) {
  Bytes out;
  for (size_t at = 0; at + 1 < text.size(); at += 2) out.push_back(std::stoi(text.substr(at, 2), nullptr, 16));
  return out;
}
static std::string show(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}
static std::string show(float value) { return show(static_cast<double>(value)); }
template <typename T> static std::string show(T value) {
  if constexpr (std::is_enum<T>::value) return show(static_cast<std::underlying_type_t<T>>(value));
  else if constexpr (std::is_signed<T>::value) return std::to_string(static_cast<long long>(value));
  else return std::to_string(static_cast<unsigned long long>(value));
}
static std::string show(const flatbuffers::String *text) {
  static const char digits[] = "0123456789abcdef";
  if (!text) return "-";
  std::string out = "'";
  for (unsigned char c : text->str()) { out += digits[c >> 4]; out += digits[c & 15]; }
  return out + "'";
}
template <typename T> static std::string show(flatbuffers::Optional<T> value) { return value ? show(*value) : "-"; }
"#;

/// The readers of all tables of a side.
fn readers(space: &str, schema: &Schema) -> String {
    let mut code = format!("namespace {space} {{\n");
    for table in &schema.tables {
        let _ = writeln!(code, "static std::string read(const T{} *of);", table.id);
    }
    for one in &schema.structs {
        code += &struct_reader(one);
    }
    for union in &schema.unions {
        let _ = writeln!(code, "static std::string read_U{}(int kind, const void *of) {{", union.id);
        let _ = writeln!(code, "  auto out = std::to_string(kind) + \":\";\n  if (!of) return out + \"-\";");
        for (at, member) in union.members.iter().enumerate() {
            let value = match &member.ty {
                Type::Struct(id) => format!("read(static_cast<const S{id} *>(of))"),
                Type::Table(id) => format!("read(static_cast<const T{id} *>(of))"),
                _ => "show(static_cast<const flatbuffers::String *>(of))".to_owned(),
            };
            let _ = writeln!(code, "  if (kind == {}) return out + {value};", at + 1);
        }
        code += "  return out + \"unknown\";\n}\n";
    }
    for table in &schema.tables {
        code += &table_reader(table);
        let name = format!("T{}", table.id);
        let _ = writeln!(
            code,
            "static Add add_{name}(\"{space}_{name}\", [](const Bytes &bytes) -> std::string {{\n  \
             std::vector<uint64_t> aligned(bytes.size() / 8 + 1);\n  \
             auto data = reinterpret_cast<uint8_t *>(aligned.data());\n  \
             std::copy(bytes.begin(), bytes.end(), data);\n  \
             flatbuffers::Verifier verifier(data, bytes.size());\n  \
             if (!verifier.VerifyBuffer<{name}>(nullptr)) return \"rejected\";\n  \
             return read(flatbuffers::GetRoot<{name}>(data));\n}});"
        );
    }
    code + "}\n"
}

fn struct_reader(one: &Struct) -> String {
    let mut code = format!("static std::string leaves(const S{} *of) {{\n  std::string out;\n", one.id);
    for field in &one.fields {
        let name = &field.name;
        let leaf = |value: &str, ty: &Type| match ty {
            Type::Struct(_) => format!("leaves({value})"),
            _ => format!("show({value}) + \",\""),
        };
        let _ = match &field.ty {
            Type::Array(items, count) => {
                let value = format!("of->{name}()->Get(at)");
                writeln!(code, "  for (int at = 0; at < {count}; at++) out += {};", leaf(&value, items))
            }
            Type::Struct(_) => writeln!(code, "  out += {};", leaf(&format!("&of->{name}()"), &field.ty)),
            ty => writeln!(code, "  out += {};", leaf(&format!("of->{name}()"), ty)),
        };
    }
    code += "  return out;\n}\n";
    let _ = writeln!(
        code,
        "static std::string read(const S{} *of) {{\n  if (!of) return \"-\";\n  auto out = leaves(of);\n  \
         if (!out.empty()) out.pop_back();\n  return \"{{\" + out + \"}}\";\n}}",
        one.id
    );
    code
}

fn table_reader(table: &Table) -> String {
    let mut code = format!("static std::string read(const T{} *of) {{\n  if (!of) return \"-\";\n", table.id);
    code += "  std::string out = \"(\";\n";
    for (at, field) in table.fields.iter().enumerate() {
        if at > 0 {
            code += "  out += \",\";\n";
        }
        if !field.is_deprecated {
            let _ = writeln!(code, "  out += \"{}=\" + {};", field.name, field_reader(field));
        }
    }
    code + "  return out + \")\";\n}\n"
}

fn field_reader(field: &Field) -> String {
    let name = &field.name;
    let list = |value: &str, item: &str| {
        format!(
            "[&]() -> std::string {{ auto all = {value}; if (!all) return \"-\"; std::string list; \
             for (flatbuffers::uoffset_t at = 0; at < all->size(); at++) list += (at ? \",\" : \"\") + {item}; \
             return \"[\" + list + \"]\"; }}()"
        )
    };
    match &field.ty {
        _ if field.nested.is_some() => {
            format!("(of->{name}() ? read(of->{name}_nested_root()) : std::string(\"-\"))")
        }
        Type::Scalar(_) | Type::Enum(_) | Type::Text => format!("show(of->{name}())"),
        Type::Struct(_) | Type::Table(_) => format!("read(of->{name}())"),
        Type::Union(id) => {
            let value = format!("read_U{id}(static_cast<int>(of->{name}_type()), of->{name}())");
            format!("(static_cast<int>(of->{name}_type()) ? {value} : std::string(\"-\"))")
        }
        Type::Vector(items) => match &**items {
            Type::Union(id) => {
                let kind = format!("of->{name}_type() ? static_cast<int>(of->{name}_type()->Get(at)) : 0");
                list(&format!("of->{name}()"), &format!("std::string(read_U{id}({kind}, all->Get(at)))"))
            }
            Type::Struct(_) | Type::Table(_) => list(&format!("of->{name}()"), "read(all->Get(at))"),
            _ => list(&format!("of->{name}()"), "show(all->Get(at))"),
        },
        Type::Array(..) => "std::string(\"-\")".to_owned(),
    }
}
