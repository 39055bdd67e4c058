"""Reads values in MessagePack, CBOR and BSON, and writes them again.

A line of standard input is a JSON object: `value`, and for each encoding its bytes in hexadecimal, or null where it is said
that the value cannot be written. The answer is a line: empty, or what is wrong.
"""

import json
import sys

import bson
import cbor2
import msgpack


def plain(value):
    """A value with numbers told apart by their kind, since Python takes 1 for 1.0 and True."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return (type(value).__name__.replace("Int64", "int"), value)


def wrong(asked):
    value = asked["value"]
    if msgpack.packb(value).hex() != asked["MessagePack"]:
        return f"MessagePack: {msgpack.packb(value).hex()} and not {asked['MessagePack']}"
    read = cbor2.loads(bytes.fromhex(asked["CBOR"]))
    if plain(read) != plain(value):
        return f"CBOR is read as {read}"
    shortest = cbor2.dumps(value, canonical=True)
    if len(shortest) * 2 != len(asked["CBOR"]):
        return f"CBOR: {len(shortest)} bytes are enough"
    try:
        written = bson.encode(value).hex() if isinstance(value, dict) else None
    except (OverflowError, bson.errors.InvalidDocument):
        written = None
    if written != asked["BSON"]:
        return f"BSON: {written} and not {asked['BSON']}"
    if written is not None and plain(bson.decode(bytes.fromhex(written))) != plain(value):
        return "BSON is read as another value"
    return ""


for line in sys.stdin:
    print(wrong(json.loads(line)), flush=True)
