"""Writes and reads Thrift by Apache's runtime, in both protocols, as the code does that its compiler generates.

One request a line on standard input, one answer a line on standard output, both JSON:

  {"side": "old", "spec": {NAME: {"sort": SORT, "fields": [FIELD]}}}  → {}
  {"writer": "old", "as": NAME, "reader": "new", "by": NAME, "value": {FIELD: VALUE}}
                                                → [{"protocol", "bytes", "wrote": READING, "read": READING}]
  {"writer", "as", "reader", "by", "protocol", "bytes"}               → the same, of bytes that are there

FIELD is {"id", "name", "type", "required", "default"}; a type is a word, or a list that starts with one: ["list", T],
["set", T], ["map", K, V], ["struct", NAME], ["enum", NAME]. What a reader rejects is {"rejected": REASON}.
"""
import json
import sys

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TCompactProtocol import TCompactProtocol
from thrift.Thrift import TType
from thrift.transport.TTransport import TMemoryBuffer

PROTOCOLS = {"binary": TBinaryProtocol, "compact": TCompactProtocol}
LONGEST = 1 << 20
TYPES = {
    "bool": (TType.BOOL, "Bool"),
    "i8": (TType.BYTE, "Byte"),
    "i16": (TType.I16, "I16"),
    "i32": (TType.I32, "I32"),
    "i64": (TType.I64, "I64"),
    "double": (TType.DOUBLE, "Double"),
    "string": (TType.STRING, "String"),
    "binary": (TType.STRING, "Binary"),
    "list": (TType.LIST, None),
    "set": (TType.SET, None),
    "map": (TType.MAP, None),
    "struct": (TType.STRUCT, None),
    "enum": (TType.I32, "I32"),
}


class Rejected(Exception):
    pass


def word(ty):
    return ty if isinstance(ty, str) else ty[0]


def ttype(ty):
    return TYPES[word(ty)][0]


# Skipping decodes texts in Python alone; others step over the bytes.
def without_decoding(base):
    class Protocol(base):
        skipping = 0

        def skip(self, ttype, *rest):
            self.skipping += 1
            try:
                return super().skip(ttype, *rest)
            finally:
                self.skipping -= 1

        def readString(self):
            return self.readBinary() if self.skipping else super().readString()

    return Protocol


def protocol(name, data=b""):
    kind = without_decoding(PROTOCOLS[name])
    return kind(TMemoryBuffer(data), string_length_limit=LONGEST, container_length_limit=LONGEST)


def write(spec, out, ty, value):
    kind = word(ty)
    if kind == "struct":
        out.writeStructBegin(ty[1])
        for field in spec[ty[1]]["fields"]:
            if field["name"] in value:
                out.writeFieldBegin(field["name"], ttype(field["type"]), field["id"])
                write(spec, out, field["type"], value[field["name"]])
                out.writeFieldEnd()
        out.writeFieldStop()
        out.writeStructEnd()
    elif kind in ("list", "set"):
        getattr(out, "write" + kind.title() + "Begin")(ttype(ty[1]), len(value))
        for item in value:
            write(spec, out, ty[1], item)
        getattr(out, "write" + kind.title() + "End")()
    elif kind == "map":
        out.writeMapBegin(ttype(ty[1]), ttype(ty[2]), len(value))
        for key, item in value:
            write(spec, out, ty[1], key)
            write(spec, out, ty[2], item)
        out.writeMapEnd()
    else:
        value = bytes.fromhex(value) if kind == "binary" else value
        getattr(out, "write" + TYPES[kind][1])(value)


def same(value):
    """What equal values have in common."""
    def plain(of):
        if isinstance(of, dict):
            # A field with its default equals one that is not there, as in generated code.
            return {key: plain(item) for key, item in of.items() if key not in ("has", "default")}
        return [plain(item) for item in of] if isinstance(of, list) else of

    return json.dumps(plain(value), sort_keys=True)


def read(spec, source, ty):
    kind = word(ty)
    if kind == "struct":
        return read_struct(spec, source, ty[1])
    if kind in ("list", "set"):
        _, size = getattr(source, "read" + kind.title() + "Begin")()
        items = [read(spec, source, ty[1]) for _ in range(size)]
        getattr(source, "read" + kind.title() + "End")()
        if kind == "set":
            kept = list({same(item): item for item in items}.values())
            merged.update({"any": True} if len(kept) < len(items) else {})
            items = kept
        return {kind: items}
    if kind == "map":
        _, _, size = source.readMapBegin()
        entries = {}
        for _ in range(size):
            key = read(spec, source, ty[1])
            entries[same(key)] = [key, read(spec, source, ty[2])]
        merged.update({"any": True} if len(entries) < size else {})
        source.readMapEnd()
        return {"map": list(entries.values())}
    value = getattr(source, "read" + TYPES[kind][1])()
    # Whole numbers have no width in Python alone; nobody else reads this one.
    bits = {"i8": 8, "i16": 16, "i32": 32, "enum": 32}.get(kind, 64)
    if isinstance(value, int) and not -(1 << bits - 1) <= value < 1 << bits - 1:
        return {"beyond": value}
    if kind == "enum":
        return {"enum": ty[1], "number": value}
    if kind == "double":
        return {"real": repr(value)}
    if kind in ("string", "binary"):
        return {"text": (value.encode() if kind == "string" else value).hex()}
    return value


def read_struct(spec, source, name):
    of = spec[name]
    fields = {field["id"]: field for field in of["fields"]}
    found = {}
    source.readStructBegin()
    while True:
        _, kind, number = source.readFieldBegin()
        if kind == TType.STOP:
            break
        field = fields.get(number)
        if field is not None and ttype(field["type"]) == kind:
            found[number] = read(spec, source, field["type"])
        else:
            source.skip(kind)
        source.readFieldEnd()
    source.readStructEnd()
    missing = [field["name"] for field in of["fields"] if field["required"] and field["id"] not in found]
    if missing:
        raise Rejected("required: " + ", ".join(missing))
    if of["sort"] == "union" and len(found) > 1:
        raise Rejected("several members of a union")
    told = []
    for field in of["fields"]:
        value = found.get(field["id"], field["default"])
        told.append({"id": field["id"], "name": field["name"], "has": field["id"] in found, "value": value,
                     "default": field["default"]})
    return {"struct": name, "sort": of["sort"], "fields": told}


def reading(spec, name, kind, data, is_own=False):
    merged.clear()
    try:
        value = read(spec, protocol(kind, data), ["struct", name])
        if is_own and merged:
            raise Rejected("a writer writes what is equal to it once")
        return value
    except Exception as error:  # whatever the runtime raises, the message is rejected
        return {"rejected": f"{type(error).__name__}: {error}"}


def told(request):
    writer, reader = sides[request["writer"]], sides[request["reader"]]
    answers = []
    for kind in [request["protocol"]] if "protocol" in request else PROTOCOLS:
        if "bytes" in request:
            data = bytes.fromhex(request["bytes"])
        else:
            out = protocol(kind)
            write(writer, out, ["struct", request["as"]], request["value"])
            data = out.trans.getvalue()
        answers.append({
            "protocol": kind,
            "bytes": data.hex(),
            "wrote": reading(writer, request["as"], kind, data, is_own=True),
            "read": reading(reader, request["by"], kind, data),
        })
    return answers


sides = {}
# Whether equal items or keys were read, of which one is kept.
merged = {}
for line in sys.stdin:
    request = json.loads(line)
    if "side" in request:
        sides[request["side"]] = request["spec"]
        answer = {}
    else:
        answer = told(request)
    print(json.dumps(answer), flush=True)
