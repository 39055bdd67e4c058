#!/usr/bin/env python3
"""Whether the test against the runtimes finds again what was wrong once: each mend is taken back, and pairs are tried.

tests/runtimes/taken_back.py [--pairs 2000] [--seed 5] [NAME...]

The mends are those below: a place in a source file, and what stood there, or might as well have stood there. All of them
are built into one program, where a variable of the environment chooses the one that is taken back; the sources are
restored. Prints for each the first pair that shows it, and what it shows.
"""

import argparse
import os
import re
import subprocess

import mends

SOURCES = os.path.join(mends.ROOT, "src", "formats", "protobuf")

# Name, file, what stands there, what is put in its place.
MENDS = [
    ("required-enum", "uses.rs", "read.chain([Shape::Optional]).collect()", "[Shape::Optional].into_iter().collect()"),
    ("enum-in-list", "compare/enums.rs", "is_aside && fields.reader.cardinality != Cardinality::Singular", "false"),
    ("replaced-message", "compare.rs", "elements.are_disjoint()", "false"),
    ("gone-in-any", "diff/state.rs", "schemas.old.holds_any() && schemas.new.holds_any()", "false"),
    ("wrapper-values", "generate.rs", "Some(_) if depth > 0 => Attention::Every", "Some(_) if depth > 9 => Attention::Every"),
    ("merged-members", "generate.rs", "(0..longest).flat_map(|nth| of_each.iter().filter_map(move |all| all.get(nth).cloned()))",
     "of_each.iter().flatten().cloned()"),
    ("map-as-entries", "diff/meeting.rs", "is_map(old) != is_map(new)", "false"),
    ("entries-rejected", "compare/blame.rs", "value_of(self.writer, writer)?", "return None"),
    ("joined-and-retyped", "compare.rs", "items(wrote).all(|item| self.read_alone(fields, item).is_none())", "false"),
    ("json-names-moved", "compare.rs", "surface != Surface::Json {\n            return writer.number", "true {\n            return writer.number"),
    ("known-to-closed-enum", "compare/blame.rs", "self.lost_for_want_of_a_name(context, elements, (index, cause), wrote)", "Vec::new()"),
    ("minus-zero", "../../value.rs", "same_to_reader(meant, shown) || is_zero(meant) && is_zero(shown)", "same_to_reader(meant, shown)"),
    ("own-options", "diff/continued.rs", "self.is_of_the_language(files) && self.is_compared(types)", "false"),
]


def switched(name, here, taken):
    """What stands there, unless the environment takes it back."""
    is_taken = mends.is_taken(name)
    if here.startswith("Some(_) if "):
        return here.replace(" => ", f" && !{is_taken} => ")
    if name == "merged-members":
        here, taken = here + ".collect::<Vec<_>>()", taken + ".collect()"
    if "return writer.number" in here:
        return f"{is_taken} || " + here
    return mends.switched(name, here, taken)


def shown(program, name, seed, pairs, known=frozenset()):
    """The pairs that show a mend taken back, a hundred tried at a time, until there is one that is not known."""
    found = {}
    for at in range(0, pairs, 100):
        environment = dict(os.environ, TAKEN_BACK=name, RUNTIME_SEED=str(seed), RUNTIME_FIRST=str(at))
        environment |= {"RUNTIME_PAIRS": "100", "RUNTIME_SHOWN": "100", "RUST_BACKTRACE": "0"}
        ran = subprocess.run([program, "runtimes::", "--nocapture"], env=environment, capture_output=True, text=True, check=False)
        for pair, what in re.findall(r"== seed \d+, pair (\d+): ([-\w ]+)", ran.stdout + ran.stderr):
            found.setdefault(int(pair), what)
        if name and set(found) - known:
            break
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--program", help="a program that was built before")
    parser.add_argument("--check", action="store_true", help="say only whether all mends stand in the sources")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.check:
        mends.check(SOURCES, MENDS)
    program = arguments.program or mends.build(SOURCES, MENDS, switched)
    known = set(shown(program, "", arguments.seed, arguments.pairs))
    print(f"built {program}; with nothing taken back: {sorted(known)}", flush=True)
    for name in arguments.names or [mend[0] for mend in MENDS]:
        found = shown(program, name, arguments.seed, arguments.pairs, known)
        told = [f"pair {pair}: {what}" for pair, what in sorted(found.items()) if pair not in known][:1]
        print(f"{name:<24} seed {arguments.seed}, {(told or ['not found'])[0]}", flush=True)


main()
