"""What fastavro reads of data, a line of JSON for a line of JSON.

A question has the texts of the `writer`'s and the `reader`'s schema, and `bytes`, a list of data in hexadecimal. The answer
has `refused`, the reason why a schema is, or `read`: of each datum its `value`, or the `error` with which it was rejected.
Logical types are left out of both schemas, so values are numbers and bytes as they were written.
"""

import io
import json
import math
import sys

from fastavro import parse_schema, schemaless_reader


def plain(schema):
    """A schema without logical types."""
    if isinstance(schema, list):
        return [plain(branch) for branch in schema]
    if not isinstance(schema, dict):
        return schema
    without = ("logicalType", "precision", "scale")
    return {key: plain(part) if key in ("type", "items", "values", "fields") else part for key, part in schema.items() if key not in without}


def shown(schema, value, names):
    """A value as JSON: bytes as text of the same numbers, fixed as a list of numbers."""
    if isinstance(schema, list):
        return shown(branch(schema, value, names), value, names)
    if isinstance(schema, str) and schema in names:
        return shown(names[schema], value, names)
    kind = schema["type"] if isinstance(schema, dict) else schema
    if isinstance(kind, (dict, list)):
        return shown(kind, value, names)
    if kind in ("record", "error"):
        return {field["name"]: shown(field["type"], value[field["name"]], names) for field in schema["fields"]}
    if kind == "array":
        return [shown(schema["items"], item, names) for item in value]
    if kind == "map":
        return {key: shown(schema["values"], item, names) for key, item in value.items()}
    if kind == "fixed":
        return [byte - 256 if byte > 127 else byte for byte in value]
    if kind == "bytes":
        return value.decode("latin-1")
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def branch(branches, value, names):
    """The branch of a union that a value is likely to be of."""

    def full(schema):
        named = names.get(schema, schema) if isinstance(schema, str) else schema
        return named if isinstance(named, dict) else {"type": named}

    def fits(schema):
        kind = full(schema)["type"]
        if kind in ("record", "error"):
            return isinstance(value, dict) and set(value) == {field["name"] for field in full(schema)["fields"]}
        if kind == "fixed":
            return isinstance(value, bytes) and len(value) == full(schema)["size"]
        if kind == "enum":
            return value in full(schema)["symbols"]
        kinds = {"null": type(None), "boolean": bool, "int": int, "long": int, "float": float, "double": float}
        kinds |= {"string": str, "bytes": bytes, "array": list, "map": dict}
        return type(value) is kinds[kind]

    return next(schema for schema in branches if fits(schema))


def answer(question):
    sides = {}
    try:
        for side in ("writer", "reader"):
            names = {}
            sides[side] = parse_schema(plain(json.loads(question[side])), named_schemas=names), names
    except Exception as error:
        return {"refused": f"{type(error).__name__}: {error}"}
    read = []
    for text in question["bytes"]:
        try:
            value = schemaless_reader(io.BytesIO(bytes.fromhex(text)), sides["writer"][0], sides["reader"][0])
            read.append({"value": shown(*sides["reader"][:1], value, sides["reader"][1])})
        except Exception as error:
            read.append({"error": f"{type(error).__name__}: {error}"})
    return {"read": read}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
