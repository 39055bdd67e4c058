#!/usr/bin/env python3
"""Replays real histories of Protobuf, FlatBuffers, Thrift or Cap'n Proto schemas: every commit against its parent.

tests/runtimes/history.py CLONE... [--bin wireproof] [--ending proto] [--commits 100] [--jobs 2] [--compare] [--list]

A CLONE is a git repository, bare or not; a folder that is none stands for the clones in it. For each a line is printed: how
many commits, the exit codes, how many round trips no finding explains, how many findings that break have all their places on
lines that the commit did not touch, and the slowest run; then why commits could not be judged, and how often. A commit is
judged as a gate does, by `check --against git:COMMIT^ --head git:COMMIT`, and with --compare in full. With --list each commit
is named that could not be judged, or of which something is unexplained or outside.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import clones

# What may be a schema: a check judges all languages, and whatever else a commit touches need not be there.
SCHEMAS = ["*.proto", "*.thrift", "*.fbs", "*.capnp", "*.av*", "*.json", "*.yaml", "*.yml"]


def repositories(folder):
    """The clone, or the clones in a folder that is none."""
    if clones.git(folder, "rev-parse", "--git-dir") and os.path.exists(os.path.join(folder, "HEAD")) or os.path.exists(os.path.join(folder, ".git")):
        return [folder]
    inside = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    return [one for inner in inside if os.path.isdir(inner) for one in repositories(inner)]


def judge(arguments, clone, commit):
    sides = [f"git:{commit}^", f"git:{commit}"]
    command = ["compare", *sides] if arguments.compare else ["check", "--against", sides[0], "--head", sides[1]]
    command = [arguments.bin, *command, "--format", "json", "--no-config"]
    started = time.monotonic()
    try:
        done = subprocess.run(command, cwd=clone, capture_output=True, text=True, errors="replace", timeout=arguments.timeout)
    except subprocess.TimeoutExpired:
        return {"exit": "timeout", "seconds": arguments.timeout, "causes": ["it took too long"], "unexplained": 0, "outside": []}
    seconds = time.monotonic() - started
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        causes = done.stderr.strip().splitlines()[-1:]
        return {"exit": done.returncode, "seconds": seconds, "causes": causes, "unexplained": 0, "outside": []}
    touched = clones.touched(clone, commit, *SCHEMAS)
    return {
        "exit": done.returncode,
        "seconds": seconds,
        "causes": [one["message"] for one in report["problems"] if one["severity"] == "error"] if done.returncode not in (0, 1) else [],
        "unexplained": report["round_trips"]["unexplained"],
        "outside": [one["rule"] + " " + one["path"] for one in report["findings"] if one["breaking"] and clones.is_outside(one, touched)],
    }


def replay(arguments, clone):
    named = clones.commits(clone, [f"*.{arguments.ending}"], arguments.commits)
    with ThreadPoolExecutor(max_workers=arguments.jobs) as pool:
        judged = list(pool.map(lambda commit: judge(arguments, clone, commit), named))
    exits = collections.Counter(str(one["exit"]) for one in judged)
    told = " ".join(f"{code}:{count}" for code, count in sorted(exits.items()))
    unexplained = sum(one["unexplained"] for one in judged)
    outside = sum(len(one["outside"]) for one in judged)
    slowest = max((one["seconds"] for one in judged), default=0)
    print(f"{clone:<60} {len(judged):>5}  {told:<28} unexplained {unexplained:<4} outside {outside:<4} slowest {slowest:.1f} s")
    causes = collections.Counter(clones.shape(one["causes"][0]) for one in judged if one["causes"])
    for cause, count in causes.most_common():
        print(f"    {count:>4} {cause}")
    for commit, one in zip(named, judged):
        if arguments.list and (one["exit"] not in (0, 1) or one["unexplained"] or one["outside"]):
            print(f"    {commit[:12]} {one}")
    sys.stdout.flush()
    return collections.Counter(exits, unexplained=unexplained, outside=outside, commits=len(judged))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clones", nargs="+")
    parser.add_argument("--bin", default="wireproof")
    parser.add_argument("--ending", default="proto")
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    arguments.bin = os.path.abspath(arguments.bin) if os.sep in arguments.bin else arguments.bin
    total = collections.Counter()
    for folder in arguments.clones:
        for clone in repositories(folder):
            total.update(replay(arguments, clone))
    print(" ".join(f"{name}:{count}" for name, count in sorted(total.items())))


main()
