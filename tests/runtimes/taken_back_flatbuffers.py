#!/usr/bin/env python3
"""Whether the tests of FlatBuffers and Thrift find again what was wrong once: each mend is taken back, and pairs are tried.

tests/runtimes/taken_back_flatbuffers.py [--pairs 3000] [NAME...]

The mends are those below: a place in a source file, what stood there, or might as well have stood there, and the test that
is to find it: random pairs beside the real library (`flatbuffers`, `thrift`), random pairs held to the laws (`flatbuffers
laws`, `thrift laws`), an example or a fixture (`cases`), or the name of a test of one case. All of them are built into one
program each, where a variable of the environment chooses the one that is taken back; the sources are restored. Prints for
each the first pair that shows it, and what it shows. A mend may name the seed and the pair to begin with.

With seed 5 these pairs show: 103 `every-root`, 299 `hidden-types`, 475 `nameless-member`, 158 `half-a-union`, 122
`small-vtable`, 181 `owners`, 125 `moved-in-a-struct`, 403 `narrow-enum`, 228 `replaced-struct`, 128 `aligned-struct`, 1212
`exchanged-root`, 799 `who-reads`, 102 `wrapper`, 714 `deprecated-text`; of Thrift 94 `list-in-list-as-set`, 25
`container-in-container`, 18 `keys-that-lose`. With other seeds: 9, pair 3891 `members-in-full` and 3043 `buffer-as-bytes`; 7,
pair 168 `discriminators`; 31, pair 3819 `buffer-as-flags`; 1, pair 438 `requires-itself`; 2, pair 470 `deprecated-key`.
"""

import argparse
import os
import re
import subprocess

import mends

SOURCES = os.path.join(mends.ROOT, "src", "formats")

# Name, file, what stands there, what is put in its place, what finds it, and where to begin.
MENDS = [
    # What is judged at all.
    ("every-root", "flatbuffers/diff/reach.rs", "met.insert(*id)",
     "met.insert(*id) && (schema.files.iter().all(|file| file.roots.is_empty()) || schema.files.iter().any(|file| file.last_root() == Some(*id)))",
     "flatbuffers"),
    # Unions and the verifier.
    ("hidden-types", "flatbuffers/verify.rs", "at.is_some() || self.kinds(id, field, table, vtable)?.is_some()", "at.is_some()", "flatbuffers"),
    ("nameless-member", "flatbuffers/compare.rs", "if matches!(writer, Type::Union(_)) { Outcome::Unrecognized } else { Outcome::Lossy }",
     "{ let _ = writer; Outcome::Unrecognized }", "flatbuffers"),
    ("half-a-union", "flatbuffers/verify.rs", "(index != NONE).then(|| Value::Branch { index, value: Box::new(Value::Null) })", "None", "flatbuffers"),
    ("small-vtable", "flatbuffers/verify.rs", "!size.is_multiple_of(2)", "!size.is_multiple_of(2) || size < 4", "flatbuffers"),
    ("members-in-full", "flatbuffers/generate.rs", "inside.members(ids, |number| pairing::by_number(container, number))", "Vec::new()", "flatbuffers", 9, 3500),
    ("discriminators", "flatbuffers/generate.rs", "self.maker.discriminators(&field.ty, *id)", "{ let _ = id; Vec::new() }", "flatbuffers", 7, 0),
    # Structs.
    ("owners", "flatbuffers/positions.rs", "!owners.tell_apart(wrote, reads)", "{ let _ = wrote; true }", "flatbuffers"),
    ("wrapped", "flatbuffers/positions.rs", "spot.offset == reads.offset && spot.scalar.size() == reads.scalar.size()",
     "spot.offset == reads.offset && spot.scalar.size() == reads.scalar.size() && spot.path == reads.path", "cases"),
    ("padding", "flatbuffers/positions.rs", "count == 0 && reads.end() <= writer.layout.size", "count == 0 && reads.end() > writer.layout.size", "cases"),
    ("moved-in-a-struct", "flatbuffers/positions.rs", "reader.list.iter().zip(sources(spots)).map(one).max().unwrap_or(Outcome::Safe)",
     "reader.list.iter().zip(sources(spots)).map(one).max().unwrap_or(Outcome::Safe).min(Outcome::Defaulted)", "flatbuffers"),
    ("narrow-enum", "flatbuffers/positions.rs", "wrote.scalar == reads.scalar || wrote.scalar == Scalar::Bool && reads.scalar.size() == 1", "true", "flatbuffers"),
    ("replaced-struct", "flatbuffers/diff/fields.rs", "self.replaced_struct_reads(types)", "{ let _ = self.replaced_struct_reads(types); None::<Pair<Outcome>> }",
     "flatbuffers"),
    ("aligned-struct", "flatbuffers/positions.rs", "spots.new.layout.align <= spots.old.layout.align", "true", "flatbuffers"),
    ("exchanged-root", "flatbuffers/probe.rs", "ToldOf::One(root)", "ToldOf::Itself", "flatbuffers"),
    # Where a finding stands, and witnesses.
    ("told-at-the-field", "flatbuffers/diff/fields.rs", "self.is_felt && both.stays()", "false", "a_table_in_the_place_of_another_is_told_at_the_field"),
    ("who-reads", "flatbuffers/stage.rs", "self.names.reader.clone()", "self.names.writer.clone()", "flatbuffers"),
    ("wrapper", "flatbuffers/stage.rs", "self.wrapper", '""', "flatbuffers"),
    ("from-x-to-x", "flatbuffers/diff/fields.rs", "Pair::new(sort(types.old), sort(types.new))", "Pair::new(None, sort(types.new))",
     "no_message_says_that_a_thing_became_what_it_was"),
    ("undeclared-once", "flatbuffers/link.rs", "!self.undeclared.insert((file, name.to_owned()))", "false", "cases"),
    # Buffers inside of bytes, and what requires itself.
    ("buffer-as-bytes", "flatbuffers/compare.rs", "self.unopened(Sides { writer, reader }, wrote)", "{ let _ = self.unopened(Sides { writer, reader }, wrote); None }",
     "flatbuffers", 9, 3000),
    ("buffer-as-flags", "flatbuffers/compare.rs", "matches!(items(&fields.reader.ty), Some(Type::Scalar(Scalar::I8 | Scalar::U8)))", "true", "flatbuffers", 31, 3500),
    ("requires-itself", "flatbuffers/generate.rs", "depth > EMPTY", "depth > EMPTY + DEEP", "flatbuffers", 1, 0),
    ("deprecated-key", "flatbuffers/verify.rs", "field.is_required && !field.is_deprecated", "field.is_required", "flatbuffers laws", 2, 0),
    ("deprecated-text", "flatbuffers/compare.rs", "fields.writer.default == Absence::Empty && !fields.writer.is_deprecated", "fields.writer.default == Absence::Empty",
     "flatbuffers laws"),
    # Thrift.
    ("list-in-list-as-set", "thrift/relation.rs", "element(Pair::new(wrote, read)).max(Outcome::Lossy)", "element(Pair::new(wrote, read))", "thrift"),
    ("container-in-container", "thrift/relation.rs",
     "// Out of step, a reader runs into the end or finds something that looks like data: at worst the latter.\n    Outcome::Wrong", "Outcome::Fails", "thrift"),
    ("optional-default", "thrift/diff/fields.rs", "Pair::new(read(sides, other), read(other, sides))",
     "{ let _ = Pair::new(read(sides, other), read(other, sides)); Pair::new(Outcome::Wrong, Outcome::Wrong) }", "cases"),
    ("keys-that-lose", "thrift/diff/members.rs", "self.in_keys", "false", "thrift"),
    ("another-exception", "thrift/compare.rs", "self.are_other_structs(types)", "{ let _ = self.are_other_structs(types); false }", "laws::honesty_the_worst_claim"),
    ("keys-in-contents", "thrift/compare.rs", "inner_structs(&writer.1, &reader.1, rest)", "inner_structs(&writer.0, &reader.0, rest)", "cases"),
]

# What finds it: the test to run, and how the pair is told.
RANDOM = {
    "flatbuffers": "flatbuffers_peer::no_verdict",
    "thrift": "thrift_peer::no_verdict",
    "flatbuffers laws": "laws_random::models::the_laws_hold_for_random_flatbuffers",
    "thrift laws": "laws_random::models::the_laws_hold_for_random_thrift",
}
SEED = 5
STEP = 500


def run(program, name, words, variables):
    environment = dict(os.environ, TAKEN_BACK=name, RUST_BACKTRACE="0", SHOWN="1", **variables)
    ran = subprocess.run([program, *words], cwd=mends.ROOT, env=environment, capture_output=True, text=True, errors="replace", check=False)
    return ran.returncode, ran.stdout + ran.stderr


def found(programs, name, finder, start, pairs):
    """What shows a mend taken back: a pair of some hundreds that are tried at a time, or a test of one case."""
    if finder not in RANDOM:
        words = ["--format", "terse"] if finder == "cases" else [finder]
        code, said = run(programs["cases" if finder == "cases" else "it"], name, words, {})
        failed = re.findall(r"^(?:test |    )(\S+)(?: \.\.\. FAILED)?$", said, re.MULTILINE)
        return f"{finder}: {failed[0]}" if code and failed else "not found" if code == 0 else said[-300:]
    seed, first = start
    for at in range(first, first + pairs, STEP):
        code, said = run(programs["it"], name, [RANDOM[finder]], {"SEED": str(seed), "FIRST": str(at), "PAIRS": str(STEP)})
        shown = re.search(r"^== (?:(\w+), )?seed \d+, pair (\d+)", said, re.MULTILINE)
        if shown:
            told = re.search(r"^(claimed|unexplained|wire|an observed|the library|the runtime|we refuse|the peer|it panicked).*", said[shown.end():], re.MULTILINE)
            return f"{finder}: seed {seed}, pair {shown[2]}: {shown[1] or 'law'}: {told[0][:110] if told else ''}"
        if code:
            return f"{finder}: seed {seed}, from {at}: {said[-200:]}"
    return f"{finder}: not found in {pairs} pairs from {first} of seed {seed}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=3000)
    parser.add_argument("--programs", nargs=2, metavar=("IT", "CASES"), help="programs that were built before")
    parser.add_argument("--check", action="store_true", help="say only whether all mends stand in the sources")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.check:
        mends.check(SOURCES, MENDS)
    programs = dict(zip(("it", "cases"), arguments.programs or ())) or mends.build_all(SOURCES, MENDS, ["it", "cases"])
    print(f"built {programs}", flush=True)
    for finder in [] if arguments.names else [*RANDOM, "cases"]:
        print(f"with nothing taken back: {found(programs, '', finder, (SEED, 0), STEP)}", flush=True)
    for name, _, _, _, finder, *start in MENDS:
        if finder and name in (arguments.names or [name]):
            print(f"{name:<24} {found(programs, name, finder, tuple(start) or (SEED, 0), arguments.pairs)}", flush=True)


main()
