#!/usr/bin/env python3
"""Runs wireproof on inputs that grow, and says how its time and memory grow with them.

    benches/bounds.py [--bin target/release/wireproof] [NAME…]

Each row doubles the size. What grows as n·log n doubles its time and a little; the last column says by how much it grew.
"""

import argparse
import json
import os
import tempfile

from measure import measured

SCALARS = ("int", "string")


def record(name, fields):
    return {"type": "record", "name": name, "fields": fields}


def avro_shared(size):
    """Records that hold the next one in ten fields: as many paths as ten to the power of the depth."""
    def side(kind):
        inner = record(f"R{size}", [{"name": "x", "type": kind}])
        for level in range(size - 1, -1, -1):
            name = inner["name"]
            fields = [{"name": "f0", "type": inner}] + [{"name": f"f{n}", "type": name} for n in range(1, 10)]
            inner = record(f"R{level}", fields)
        return json.dumps(inner)
    return "avsc", side("int"), side("long")


def avro_union(size):
    """Branches that are called otherwise on each side."""
    def side(mark):
        branches = [record(f"{mark}{at}", [{"name": f"f{at}", "type": "int"}]) for at in range(size)]
        return json.dumps(record("R", [{"name": "u", "type": branches}]))
    return "avsc", side("A"), side("B")


def avro_symbols(size):
    side = lambda mark: json.dumps({"type": "enum", "name": "E", "symbols": [f"{mark}{at}" for at in range(size)]})  # noqa: E731
    return "avsc", side("A"), side("B")


def avro_fields(size):
    side = lambda kind: json.dumps(record("R", [{"name": f"f{at}", "type": kind} for at in range(size)]))  # noqa: E731
    return "avsc", side("int"), side("string")


def lines(head, line, tail, suffix, kinds=SCALARS):
    def made(size):
        side = lambda kind: head + "".join(line.format(n=at + 1, kind=kind) for at in range(size)) + tail  # noqa: E731
        return suffix, side(kinds[0]), side(kinds[1])
    return made


def thrift_chain(size):
    def side(kind):
        services = [f"service S0 {{ {kind} get() }}\n"]
        services += [f"service S{at} extends S{at - 1} {{ i32 of_{at}() }}\n" for at in range(1, size)]
        return "".join(services)
    return "thrift", side("i32"), side("string")


def errors(size):
    text = 'syntax = "proto3";\n' + "".join(f"message M{at} {{ Missing{at} x = 1; }}\n" for at in range(size))
    return "proto", text, text + "message More {}\n"


def json_members(size):
    """Each member is asked for data of its own: three edits, of which one is felt by itself."""
    def side(schema):
        return json.dumps({"type": "object", "properties": {f"f{at}": schema for at in range(size)}})
    return "schema.json", side({"type": "integer", "minimum": 0}), side({"type": "string", "minLength": 1})


def binary(size):
    data = bytes(range(256)) * (size // 256)
    return "proto", data, data + b"\0"


CASES = {
    "avro: records shared in depth": (avro_shared, (10, 20, 40)),
    "avro: unions of renamed records": (avro_union, (750, 1500, 3000, 6000)),
    "avro: renamed symbols": (avro_symbols, (5000, 10000, 20000)),
    "avro: fields retyped": (avro_fields, (1250, 2500, 5000)),
    "protobuf: fields retyped": (lines('syntax = "proto3";\nmessage M {\n', "  {kind} f{n} = {n};\n", "}\n", "proto", ("int32", "string")), (1250, 2500, 5000)),
    "flatbuffers: fields retyped": (lines("table T {\n", "  f{n}: {kind};\n", "}\nroot_type T;\n", "fbs"), (1250, 2500, 5000)),
    "thrift: fields retyped": (lines("struct S {\n", "  {n}: optional {kind} f{n}\n", "}\n", "thrift", ("i32", "string")), (1250, 2500, 5000, 10000)),
    "thrift: chains of services": (thrift_chain, (2500, 5000, 10000)),
    "json schema: members retyped": (json_members, (300, 600, 1200, 2400)),
    "protobuf: errors": (errors, (25000, 50000, 100000)),
    "protobuf: one binary file": (binary, (1 << 20, 1 << 21, 1 << 22)),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="target/release/wireproof")
    parser.add_argument("names", nargs="*", help="beginnings of the names of rows; all of them by default")
    given = parser.parse_args()
    program = os.path.abspath(given.bin)
    print("| | size | CPU | peak | exit | times the CPU before |\n|---|---|---|---|---|---|")
    for name, (make, sizes) in CASES.items():
        if given.names and not any(name.startswith(start) for start in given.names):
            continue
        before = None
        for size in sizes:
            suffix, old, new = make(size)
            with tempfile.TemporaryDirectory() as folder:
                for side, text in (("old", old), ("new", new)):
                    os.mkdir(os.path.join(folder, side))
                    with open(os.path.join(folder, side, f"a.{suffix}"), "wb") as out:
                        out.write(text if isinstance(text, bytes) else text.encode())
                seconds, peak, code = measured([program, "compare", "old", "new", "-q"], folder)
            grown = f"{seconds / before:.1f}" if before else ""
            print(f"| {name} | {size:,} | {seconds:.2f} s | {peak:.0f} MB | {code} | {grown} |", flush=True)
            before = max(seconds, 0.005)


main()
