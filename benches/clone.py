#!/usr/bin/env python3
"""Measures checks between revisions of a clone, beside what no checker can be faster than.

    benches/clone.py CLONE BASE HEAD [--bin target/release/wireproof] [--runs 5] [--add PATH] [--commits 40]

Prints the medians of CPU seconds and peak memory: of `compare git:BASE git:HEAD`, of the same with `--full`, of HEAD beside
itself, of `check --against git:BASE` in a work tree of HEAD, of the same where a message was added to the file PATH, and of
`git diff-tree` with the reading of the files that differ. With --commits, those of all commits on the way to HEAD that changed a
.proto file, each beside its first parent. Nothing is kept from one run to the next, but where a row says so. The work tree is
made in a temporary folder; CLONE is not touched.
"""

import argparse
import os
import statistics
import subprocess
import tempfile

from measure import measured

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone")
    parser.add_argument("base")
    parser.add_argument("head")
    parser.add_argument("--bin", default=os.path.join(HERE, "..", "target", "release", "wireproof"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--add", metavar="PATH")
    parser.add_argument("--commits", type=int, default=0)
    arguments = parser.parse_args()
    os.environ["WIREPROOF_CACHE"] = "off"
    program, sides = os.path.abspath(arguments.bin), [f"git:{arguments.base}", f"git:{arguments.head}"]
    read = f"git diff-tree -r {arguments.base} {arguments.head} | awk '{{print $3; print $4}}' | grep -v '^0*$' | git cat-file --batch"
    rows = [
        ("compare", [program, "compare", *sides, "-q"], arguments.clone),
        ("compare --full", [program, "compare", *sides, "-q", "--full"], arguments.clone),
        ("equal", [program, "compare", sides[1], sides[1], "-q"], arguments.clone),
        ("git diff-tree and reading", ["sh", "-c", read], arguments.clone),
    ]
    print("| | CPU | peak | exit |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        tree = os.path.join(folder, "tree")
        subprocess.run(["git", "clone", "-q", "--no-checkout", arguments.clone, tree], check=True)
        fetch = ["git", "-C", tree, "fetch", "-q", os.path.abspath(arguments.clone), arguments.base, arguments.head]
        subprocess.run(fetch, check=True)
        subprocess.run(["git", "-C", tree, "checkout", "-q", arguments.head], check=True)
        check = [program, "check", "--against", sides[0], "-q"]
        rows.append(("check in the work tree", check, tree))
        for row in rows:
            tell(*row, arguments.runs)
        if arguments.add:
            with open(os.path.join(tree, arguments.add), "a", encoding="utf-8") as out:
                out.write("\nmessage AddedToMeasure { int32 a = 1; }\n")
            tell("check with a message added", check, tree, arguments.runs)
        if arguments.commits:
            for name, kept in [("off", "off"), ("others seen before", os.path.join(folder, "kept"))]:
                os.environ["WIREPROOF_CACHE"] = kept
                commits(name, program, arguments)


def commits(name, program, arguments):
    """The quartiles of a run each for commits."""
    log = ["git", "log", "--first-parent", "--format=%H", f"-{arguments.commits}", arguments.head, "--", "*.proto"]
    listed = subprocess.run(log, cwd=arguments.clone, capture_output=True, text=True, check=True).stdout.split()
    results = [measured([program, "compare", f"git:{one}~1", f"git:{one}", "-q"], arguments.clone) for one in listed]
    quartiles = statistics.quantiles([seconds for seconds, *_ in results], n=4)
    shown = " / ".join(f"{seconds * 1000:.0f}" for seconds in [*quartiles, max(one[0] for one in results)])
    print(f"| {len(listed)} commits, {name}: quartiles, most | {shown} ms | {max(one[1] for one in results):.0f} MB | |", flush=True)


def tell(name, command, place, runs):
    """The medians of so many runs after one that warms the caches."""
    results = [measured(command, place) for _ in range(runs + 1)][1:]
    seconds, peak = (statistics.median(one[index] for one in results) for index in (0, 1))
    print(f"| {name} | {seconds * 1000:.0f} ms | {peak:.0f} MB | {results[0][2]} |", flush=True)


main()
