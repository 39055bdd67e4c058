#!/usr/bin/env python3
"""Replays real histories of Avro schemas beside Java's checker: every commit that touches a schema, against its parent.

tests/runtimes/avro/history.py FOLDER... [--bin wireproof] [--commits 60] [--seconds 600] [--check] [--list]

A FOLDER is a clone of a git repository. Which file is the earlier version of which is found here without wireproof: the
file of the same path; for a new file the newest one before it whose path differs in its numbers only; else what goes with
the commit: the same text, the same full name, or the same name in another namespace. Names that other files define are put into the text where they are used first, from
the nearest folder. Then Java checks each pair both ways, as registries do, and what it says (direction, type, message) is
compared with what one run of wireproof over the whole commit prints. WIREPROOF_AVRO names the folder of the jars.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
JARS = os.path.join(os.environ.get("WIREPROOF_AVRO", ""), "1.12.1", "*")
PRIMITIVES = {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}
NAMED = {"record", "error", "enum", "fixed"}
DIRECTIONS = ("backward", "forward")


class Java:
    """Answers a line for a line."""

    def __init__(self):
        command = ["java", "-XX:+UseSerialGC", "-Xss4m", "-cp", JARS, os.path.join(HERE, "Peer.java")]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, encoding="utf-8")

    def ask(self, old, new):
        self.process.stdin.write(json.dumps({"old": old, "new": new, "values": 0, "readings": []}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


class Clone:
    def __init__(self, folder):
        self.folder = folder
        self.parsed = {}

    def git(self, *arguments):
        done = subprocess.run(["git", "-C", self.folder, *arguments], capture_output=True, check=False)
        return done.stdout.decode("utf-8", "replace")

    def commits(self, most):
        return self.git("log", "--format=%H", "--no-merges", "--min-parents=1", f"-n{most}", "--", "*.avsc").split()

    def tree(self, revision):
        """Path -> what the file says, of every schema of a revision."""
        listed = self.git("ls-tree", "-rz", revision).split("\0")
        found = {}
        for line in filter(None, listed):
            about, path = line.split("\t", 1)
            mode, _, blob = about.split()
            if path.endswith(".avsc") and mode.startswith("100"):
                found[path] = self.document(blob)
        return found

    def document(self, blob):
        if blob not in self.parsed:
            self.parsed[blob] = Document(self.git("cat-file", "blob", blob))
        return self.parsed[blob]


class Document:
    """The text of a file, its JSON if it is, and the named types in it: full name -> node."""

    def __init__(self, text):
        self.text, self.names, self.json, self.is_alone = text, {}, None, True
        try:
            self.json = json.loads(text)
        except ValueError:
            return
        self.collect(self.json, "")
        inlined = Inlined({}, None)
        inlined.node(self.json, "")
        self.is_alone = not inlined.unknown

    def collect(self, node, space):
        if isinstance(node, list):
            for one in node:
                self.collect(one, space)
        elif isinstance(node, dict):
            if isinstance(node.get("type"), (dict, list)):
                self.collect(node["type"], space)
            space = inside(node, space)
            if node.get("type") in NAMED and isinstance(node.get("name"), str):
                self.names.setdefault(full(node["name"], space), (node, space))
            for part in parts(node):
                self.collect(part, space)

    def root(self):
        is_named = isinstance(self.json, dict) and isinstance(self.json.get("name"), str)
        return full(self.json["name"], inside(self.json, "")) if is_named else None

    def short(self):
        return (self.root() or "").rpartition(".")[2]


def inside(node, space):
    """The namespace inside of a definition."""
    name = node.get("name")
    if node.get("type") not in NAMED or not isinstance(name, str):
        return space
    return name.rpartition(".")[0] if "." in name else node.get("namespace", space) or ""


def full(name, space):
    return name if "." in name or not space else f"{space}.{name}"


def parts(node):
    fields = [field.get("type") for field in node.get("fields") or () if isinstance(field, dict)]
    return fields + [node[key] for key in ("items", "values") if key in node]


class Inlined:
    """A schema in which names that other files define are defined where they are used first."""

    def __init__(self, tree, path):
        self.tree, self.path, self.seen, self.unknown = tree, path, set(), set()

    def node(self, node, space):
        if isinstance(node, str):
            return self.name(node, space)
        if isinstance(node, list):
            return [self.node(one, space) for one in node]
        if not isinstance(node, dict):
            return node
        kind = node.get("type")
        if kind in NAMED:
            space = inside(node, space)
            self.seen.add(full(str(node.get("name")), space))
        node = dict(node)
        if isinstance(kind, (dict, list)) or isinstance(kind, str) and kind not in NAMED | PRIMITIVES | {"array", "map"}:
            node["type"] = self.node(kind, space)
        for key in ("items", "values"):
            if key in node:
                node[key] = self.node(node[key], space)
        if isinstance(node.get("fields"), list):
            node["fields"] = [dict(field, type=self.node(field.get("type"), space)) for field in node["fields"]]
        return node

    def name(self, name, space):
        wanted = [full(name, space), name]
        if name in PRIMITIVES or any(one in self.seen for one in wanted):
            return name
        for one in wanted:
            for path in sorted(self.tree, key=lambda path: rank(self.path, path, one)):
                if one in self.tree[path].names:
                    node, inner = self.tree[path].names[one]
                    return self.node(dict(node, name=one.rpartition(".")[2], namespace=inner), "")
        self.unknown.add(name)
        return name


def rank(here, there, name):
    """The nearest folder first, then the file that is called like the type."""
    common = os.path.commonprefix([here.split("/")[:-1], there.split("/")[:-1]])
    stem = there.rpartition("/")[2].rpartition(".")[0].lower()
    return -len(common), not stem.endswith(name.rpartition(".")[2].lower()), there


def text(tree, path):
    document = tree[path]
    return document.text if document.is_alone else json.dumps(Inlined(tree, path).node(document.json, ""))


def numbers(path):
    """A path without its numbers, and these."""
    return re.sub(r"\d+([._-]\d+)*", "#", path), [int(number) for number in re.findall(r"\d+", path)]


def pairs(old, new):
    """Which old file each new one continues, with their texts; only those that differ. What continues nothing is paired
    with itself, to be parsed."""
    for path in sorted(new):
        before = path if path in old else earlier(old, new, path)
        if before is None:
            yield None, path, text(new, path), text(new, path)
            continue
        if old[before] is new[path] and old[before].is_alone:
            continue
        texts = text(old, before), text(new, path)
        if before != path or texts[0] != texts[1]:
            yield before, path, *texts


def earlier(old, new, path):
    family, version = numbers(path)
    older = [one for one in old if numbers(one)[0] == family and numbers(one)[1] < version]
    if older:
        return max(older, key=lambda one: numbers(one)[1])
    gone = [one for one in old if one not in new]
    ends = lambda one: -len(os.path.commonprefix([one[::-1], path[::-1]]))
    for is_same in (lambda one: one is new[path], lambda one: one.root() == new[path].root(), lambda one: one.short() == new[path].short()):
        same = [one for one in gone if old[one].root() is not None and is_same(old[one])]
        if same:
            return min(same, key=lambda one: (ends(one), one))
    return None


def of_java(java, old, new):
    """Per direction what Java's checker says of all pairs, and what it refuses."""
    said, refused, count = {direction: set() for direction in DIRECTIONS}, [], 0
    for before, path, *texts in pairs(old, new):
        answer = java.ask(*texts)
        count += before is not None
        sides = [answer[side] for side in ("old", "new") if side in answer]
        refused += [f"{path}: {sides[0]}"] if sides else []
        for direction in DIRECTIONS if not sides else ():
            found = answer[direction]
            told = [("AvroRuntimeException", found["throws"])] if "throws" in found else [tuple(one[:2]) for one in found["said"]]
            said[direction].update(told)
    return said, refused, count


def of_wireproof(arguments, clone, commit):
    sides = [f"git:{commit}^", f"git:{commit}"]
    sides = ["check", "--against", sides[0], "--head", sides[1]] if arguments.check else ["compare", *sides]
    command = [arguments.bin, *sides, "--profile", "avro", "--mode", "full", "--format", "json", "--no-config"]
    done = subprocess.run(command, cwd=clone.folder, capture_output=True, text=True, errors="replace", timeout=300, check=False)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return done.returncode, None, [done.stderr.strip()[:200]]
    said = {direction: set() for direction in DIRECTIONS}
    for finding in report["findings"]:
        for one in finding.get("peer_reports", ()):
            if one["tool"] == "avro":
                said[one["direction"]].add((one["id"], one["message"]))
    causes = [problem["message"] for problem in report["problems"] if problem["severity"] == "error"]
    return done.returncode, said, causes


def judge(arguments, java, clone, commit):
    """What is to be counted of a commit, and what is to be shown of it."""
    old, new = clone.tree(f"{commit}^"), clone.tree(commit)
    said, refused, count = of_java(java, old, new)
    code, printed, causes = of_wireproof(arguments, clone, commit)
    words = {"pairs": count, f"exit {code}": 1, "incompatible": sum(bool(said[direction]) for direction in DIRECTIONS)}
    if code == 3 or printed is None:
        words["could not be judged" + (", refused by Java as well" if refused else "")] = 1
        return words, causes[:1] + refused[:1]
    if refused:
        return words | {"refused by Java only": 1}, refused[:1]
    shown = []
    for direction in DIRECTIONS:
        if bool(said[direction]) != bool(printed[direction]):
            words["other verdict"] = words.get("other verdict", 0) + 1
        elif said[direction] != printed[direction]:
            words["other words"] = words.get("other words", 0) + 1
        else:
            continue
        shown.append(f"{direction}: Java alone {sorted(said[direction] - printed[direction])[:3]}, "
                     f"we alone {sorted(printed[direction] - said[direction])[:3]}")
    return words, shown


def replay(arguments, java, folder):
    clone, counts, shown, until = Clone(folder), collections.Counter(), [], time.monotonic() + arguments.seconds
    for commit in clone.commits(arguments.commits):
        if time.monotonic() > until:
            break
        words, told = judge(arguments, java, clone, commit)
        counts.update(words, commits=1)
        shown += [f"    {commit[:12]} {line}" for line in told]
    print(folder, dict(sorted(counts.items())), flush=True)
    if arguments.list:
        print("\n".join(shown), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--bin", default="wireproof")
    parser.add_argument("--commits", type=int, default=60)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    arguments.bin = os.path.abspath(arguments.bin) if os.sep in arguments.bin else arguments.bin
    java = Java()
    for folder in arguments.folders:
        replay(arguments, java, folder)


main()
