#!/usr/bin/env python3
"""Whether the tests against Java's Avro find again what was wrong once: each mend is taken back, and pairs are tried.

tests/runtimes/taken_back_avro.py [--pairs 3000] [--seed 5] [NAME...]

The mends are those below: a place in a source file, what stood there, or might as well have stood there, and the test that
is to find it: random pairs (`avro_peer`), random folders (`avro_folder_peer`), folders compared with themselves (`equal`), or
the name of a test of one case. All of them are built into one program, where a variable of the environment chooses the one
that is taken back; the sources are restored. Prints for each the first pair that shows it, and what it shows.

With seed 8 pair 89 shows `alias-twice`, with seed 22 pair 2074 `java-unwritten-defaults` and pair 9223 `harm-of-its-own`.
The first 3,000 pairs of seed 31 show nothing of `not-read-not-claimed` and `fixed-not-meant`: a test of one case each shows
these two.
"""

import argparse
import os
import re
import subprocess

import mends

SOURCES = os.path.join(mends.ROOT, "src", "formats", "avro")

# Name, file, what stands there, what is put in its place, what finds it.
MENDS = [
    # Versions side by side.
    ("version-before", "diff/pairing.rs", "family.is_one_with(other) && other.version < family.version", "false", "avro_folder_peer"),
    ("version-numbers", "diff/pairing.rs", "rest[..end].parse().unwrap_or(u64::MAX)", "u64::from(rest.as_bytes()[0])", "avro_folder_peer"),
    ("version-in-names", "diff/pairing.rs", "stem.len() < part.len() && (before.is_empty() || before.ends_with('_'))", "false", "avro_folder_peer"),
    ("version-gone", "diff/pairing.rs", "newest.or_else(|| self.heir(old))", "newest.filter(|_| false)", "avro_folder_peer"),
    ("nearest-folder", "link/names.rs", "nearest(&linker.schema.file(open.file).path, linker.judged(known), path)", "known.to_vec()", "avro_folder_peer"),
    ("renamed-and-versioned", "diff/pairing.rs", "families[*first].is_one_with(&families[*other])", "false && *first == *other", "versions_whose_names_get"),
    # What is equal, and neighbours.
    ("same-places-first", "diff/pairing.rs", "pairer.same_places()", "()", "equal"),
    ("broken-neighbour", "link/names.rs", "linker.logs[file].error(span, message, help)", "linker.logs[file].warning(span, message, help)",
     "what_a_broken_neighbour_may_define_is_not_known"),
    ("not-selected", "../frame/gather.rs", "lent::<L>(snapshot).any(is_lent_left)", "false && lent::<L>(snapshot).any(is_lent_left)", "what_was_not_selected_supplies_types"),
    ("gone-with-its-file", "../frame/affected.rs", "!defined.is_empty() && defined.iter().all(|name| !known.contains(name.as_str()))", "false", "a_file_that_goes_takes"),
    ("old-problems", "../frame/old_problems.rs", "passage(problem, snapshots).is_some_and(|known| others.contains(&known))", "false", "what_java_reads_though_it_stands_twice"),
    # What Java's decoder does, and that it is said.
    ("java-is-told", "../../verdict.rs", "seen.runtime == REFERENCE", "false", "avro_peer"),
    ("java-aliases", "resolve_java.rs", "self.fields.get(self.name(&record.name.full))",
     "self.fields.iter().find(|(full, _)| simple(full) == record.name.simple()).map(|(_, aliases)| aliases)", "avro_peer"),
    ("java-spelled-defaults", "resolve_java.rs", "renames.broken_default(sides.writer, id, || around(&types, at))", "None", "avro_peer"),
    ("java-later-branches", "resolve_java_default.rs", "written(schema, field)?",
     "field.default.as_ref()?.value.clone()", "avro_peer"),
    ("java-names-in-unions", "resolve_java.rs", "reading.renames.name(&name.full) == &*other.full",
     "simple(reading.renames.name(&name.full)) == other.simple()", "avro_peer"),
    ("java-only-aliases", "resolve_java.rs", "has_none || is_same_schema(sides, writer, reader)", "has_none", "avro_peer"),
    ("other-names-in-unions", "diff/unions.rs", "names.old != names.new", "false", "what_javas_decoder_loses_is_a_warning"),
    # Witnesses.
    ("whole-is-rejected", "stage.rs", 'format!("{reason}; but for that it would be {part}").into()', "{ let _ = reason; part }", "avro_peer"),
    ("null-proves-nothing", "generate.rs", "nulls == Nulls::Avoided && is_null(first)", "false", "avro_peer"),
    # The same again, which the one before hides.
    ("null-proves-nothing", "generate.rs", "element.differs || self.is_renamed(types, element)", "element.differs", None),
    ("not-read-not-claimed", "diff/named.rs", "self.nothing_is_read_unless(before, Pair::new(is_found(new, old), is_found(old, new)))", "()", "what_differs_in_a_field_that_readers_do_not_find"),
    ("not-read-not-told", "compare/walk.rs", "(self.seen.told, self.seen.rejected, self.failures) = (told, rejected, failures)",
     "{ self.seen.told.extend(told); let _ = (rejected, failures); }", "avro_peer"),
    ("rejected-not-wrong", "compare/walk.rs", "known.reason.is_some() || known.outcome >= outcome && reason.is_none()", "known.outcome >= outcome",
     "a_fixed_that_its_readers_reject_by_its_name"),
    ("fixed-not-meant", "diff/mod.rs", "reading.outcome(writer, reader) == Outcome::Fails && !is_text",
     "reading.outcome(writer, reader) == Outcome::Fails && !is_text && !matches!(kinds, (Kind::Fixed(one), Kind::Fixed(other)) if one.size == other.size)", "a_fixed_that_its_readers_reject_by_its_name"),
    ("text-of-bytes-meant", "diff/mod.rs", "matches!(kinds, (Kind::Primitive(Primitive::Bytes), Kind::Primitive(Primitive::String)))", "false", "avro_peer"),
    ("java-unwritten-defaults", "resolve.rs", "self.unmade_default()", "None", "avro_peer"),
    ("another-than-the-default", "generate.rs", "reader.is_some_and(|field| field.default.is_some())", "false", "avro_peer"),
    ("harm-of-its-own", "../roundtrip/findings.rs", "runtime != SPEC && is_told && told.outcome >= Outcome::Lossy", "false", "avro_peer"),
    ("first-ambiguous", "diff/named.rs", "index.is_some() && list.first().copied() == index", "index.is_some_and(|index| list.contains(&index))", "avro_peer"),
    # The registries' checker.
    ("checker-afresh", "registry.rs", "self.guesses > guesses", "false", "avro_folder_peer"),
    ("checker-in-order", "registry.rs", "open.unwrap_or(takers.wanted.len())", "open.map_or(takers.wanted.len(), |_| 0)", "avro_folder_peer"),
    ("checker-pointers", "registry.rs", 'Pointer::Name(pointer, "items")', 'Pointer::Name(pointer, "values")', "avro_peer"),
    ("alias-twice", "link.rs", "seen.insert(&*alias.text)", "{ seen.insert(&*alias.text); true }", "avro_peer"),
    # What Java refuses.
    ("encodings", "encoding.rs", "utf16(bytes, u16::from_le_bytes)", "None", "json_in_another_encoding"),
    ("name-in-no-namespace", "link/names.rs", "if *candidates[0] == *candidates[1] { &candidates[..1] } else { &candidates[..] }", "&candidates[..1]", "avro_peer"),
]

# What finds it: the tests to run, and the variables that say how many and from which.
RANDOM = {
    "avro_peer": ("avro_peer::", "AVRO_SEED", "AVRO_FIRST", "AVRO_PAIRS"),
    "avro_folder_peer": ("avro_folder_peer::", "AVRO_SEED", "AVRO_FIRST", "AVRO_FOLDERS"),
    "equal": ("avro_folders::random_folders", "SEED", "FIRST", "FOLDERS"),
}


def run(program, name, test, variables):
    environment = dict(os.environ, TAKEN_BACK=name, RUST_BACKTRACE="0", **variables)
    ran = subprocess.run([program, test, "--nocapture"], cwd=mends.ROOT, env=environment, capture_output=True, text=True, errors="replace", check=False)
    return ran.returncode, ran.stdout + ran.stderr


def found(program, name, finder, seed, pairs):
    """What shows a mend taken back: a pair of some hundreds that are tried at a time, or a test of one case."""
    if finder not in RANDOM:
        code, said = run(program, name, finder, {})
        failed = re.findall(r"^test (\S+) \.\.\. FAILED", said, re.MULTILINE)
        return f"test {failed[0]}" if failed else "not found" if code == 0 else said[-300:]
    test, seeds, first, count = RANDOM[finder]
    step = 500
    for at in range(0, pairs, step):
        code, said = run(program, name, test, {seeds: str(seed), first: str(at), count: str(step), "AVRO_SHOWN": "1"})
        shown = re.search(r"== seed \d+, pair (\d+): (.*)", said)
        if shown:
            return f"seed {seed}, pair {shown[1]}: {shown[2][:150]}"
        if code:
            told = re.search(r"panicked at [^\n]*\n([^\n]*)", said)
            return f"seed {seed}, folder {told[1][:60] if told else said[-200:]}"
    return "not found"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--program", help="a program that was built before")
    parser.add_argument("--check", action="store_true", help="say only whether all mends stand in the sources")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.check:
        mends.check(SOURCES, MENDS)
    program = arguments.program or mends.build(SOURCES, MENDS)
    print(f"built {program}", flush=True)
    for finder in [] if arguments.names else RANDOM:
        print(f"with nothing taken back: {finder}: {found(program, '', finder, arguments.seed, arguments.pairs)}", flush=True)
    for name, *_, finder in MENDS:
        if finder and name in (arguments.names or [name]):
            print(f"{name:<24} {finder:<18} {found(program, name, finder, arguments.seed, arguments.pairs)}", flush=True)


main()
