"""What Google's runtime experiences of two versions of a schema, for tests/it/runtimes.rs.

Each line of standard input is a JSON object: `old` and `new` (path -> text), `claims` (each with its `path`, its
`impact`: surface -> direction -> outcome, and the `members` of types that took each other's place there), `witnesses`, `messages` (how many are written of each type), `seed`. Each line of standard
output answers one: `refused` (sides that the compiler does not take), `messages` (how many were read), `problems`.

The judgement is made here from the definitions of outcomes alone, by code that shares nothing with the program under
test: random messages are written by the runtime under one version and read by it under the other.
"""

import contextlib
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.descriptor import FieldDescriptor as F
from google.protobuf.message import DecodeError
import grpc_tools
from grpc_tools import protoc

OUTCOMES = ["safe", "defaulted", "unrecognized", "lossy", "fails", "wrong"]
RANK = {name: rank for rank, name in enumerate(OUTCOMES)}
INCLUDE = os.path.join(os.path.dirname(grpc_tools.__file__), "_proto")
WRAPPERS = {
    f"google.protobuf.{name}Value"
    for name in ("Bool", "String", "Bytes", "Float", "Double", "Int32", "UInt32", "Int64", "UInt64")
}
# What is no plain object in JSON.
WELL_KNOWN = WRAPPERS | {
    f"google.protobuf.{name}"
    for name in ("Timestamp", "Duration", "FieldMask", "Struct", "Any", "Value", "ListValue")
}
# Of these only the extensions are written: options of one's own.
OPTIONS = {f"google.protobuf.{name}Options" for name in ("File", "Message", "Field")}
DEPTH = 3


class Side:
    """One version, compiled."""

    def __init__(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in files.items():
                target = os.path.join(folder, path)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, "w", encoding="utf-8") as out:
                    out.write(text)
            built = os.path.join(folder, "set.binpb")
            arguments = ["protoc", f"-I{folder}", f"-I{INCLUDE}", "--include_imports", f"-o{built}"]
            with silence():
                self.refused = protoc.main(arguments + sorted(files)) != 0
            if self.refused:
                return
            with open(built, "rb") as read:
                described = descriptor_pb2.FileDescriptorSet.FromString(read.read())
        self.described, self.in_java = described, None
        self.pool = descriptor_pool.DescriptorPool()
        self.types, self.methods, self.wrapped, self.known = {}, {}, set(), {}
        try:
            for file in described.file:
                self.pool.Add(file)
            for file in described.file:
                if file.name in files:
                    self.collect(self.pool.FindFileByName(file.name))
        except TypeError as error:
            # The compiler takes some names for JSON that the runtime refuses to load.
            self.refused = str(error)

    def collect(self, file):
        for extension in file.extensions_by_name.values():
            if extension.containing_type.full_name in OPTIONS:
                self.types[extension.containing_type.full_name] = extension.containing_type
        for service in file.services_by_name.values():
            for method in service.methods:
                self.methods[method.full_name] = (method.input_type, method.output_type)
        open_types = list(file.message_types_by_name.values())
        while open_types:
            one = open_types.pop()
            open_types += one.nested_types
            if not one.GetOptions().map_entry:
                self.types[one.full_name] = one

    def reach(self, descriptor):
        """The full names of what data of a type may hold: types, enums, extensions; `*` for anything."""
        names, left = set(), [descriptor]
        while left:
            one = left.pop()
            if one.full_name in names:
                continue
            names |= {one.full_name, "*"} if one.full_name == "google.protobuf.Any" else {one.full_name}
            for field in self.fields(one):
                names |= {field.full_name} if field.is_extension else set()
                names |= {field.enum_type.full_name} if field.enum_type else set()
                left += [field.message_type] if field.message_type else []
        return names

    def new(self, descriptor):
        return message_factory.GetMessageClass(descriptor)()

    def fields(self, descriptor):
        known = self.known.get(descriptor.full_name)
        if known is None:
            own = [] if descriptor.full_name in OPTIONS else list(descriptor.fields)
            known = self.known[descriptor.full_name] = own + list(self.pool.FindAllExtensions(descriptor))
        return known


@contextlib.contextmanager
def silence():
    """The compiler writes to the standard error of the process."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def is_list(field):
    return field.is_repeated and not is_map(field)


# -- random messages ---------------------------------------------------------------------------------------------------

INTEGERS = {
    F.CPPTYPE_INT32: [0, 1, -1, 2, 127, 2**31 - 1, -(2**31)],
    F.CPPTYPE_UINT32: [0, 1, 2, 300, 2**31, 2**32 - 1],
    F.CPPTYPE_INT64: [0, 1, -1, 2, 2**31, 2**32, 2**32 + 1, 2**63 - 1, -(2**63)],
    F.CPPTYPE_UINT64: [0, 1, 2, 2**32, 2**32 + 1, 2**63, 2**64 - 1],
}
REALS = [0.0, -0.0, 1.0, 1.5, -1.0, 0.1, 3e10, float("nan"), float("inf"), 1e300]
TEXTS = ["", "x", "é", "1", "true", "AA==", "2020-01-01T00:00:00Z", "1s", "a" * 8, "\x08\x01", "\n\x01x"]
BYTES = [b"", b"\xff", b"x", b"\x08\x01", b"\n\x01x", b"\x00" * 8, b"\x80\x80\x80\x80\x10"]


class Maker:
    """Random messages of one side."""

    def __init__(self, side, reader, gone, dice):
        self.side, self.reader, self.gone, self.dice = side, reader, gone, dice

    def message(self, descriptor, density, depth=0):
        made = self.side.new(descriptor)
        if descriptor.full_name in WELL_KNOWN:
            self.well_known(made, descriptor, depth)
            return made
        for field in self.side.fields(descriptor):
            is_message = field.message_type is not None and not is_map(field)
            if not field.is_required and (self.dice.random() > density or is_message and depth >= DEPTH):
                continue
            if field.is_required and is_message and depth > DEPTH + 3:
                continue
            self.fill(made, field, depth)
        return made

    def fill(self, made, field, depth):
        if is_map(field):
            key, value = field.message_type.fields_by_name["key"], field.message_type.fields_by_name["value"]
            for _ in range(self.dice.choice([1, 1, 2, 3])):
                name = self.scalar(key)
                if value.message_type is not None:
                    if depth < DEPTH:
                        made_value = self.message(value.message_type, 0.6, depth + 1)
                        slot(made, field)[name].CopyFrom(made_value)
                else:
                    slot(made, field)[name] = self.scalar(value)
        elif is_list(field):
            for _ in range(self.dice.choice([1, 2, 2, 3])):
                if field.message_type is not None:
                    slot(made, field).add().CopyFrom(self.message(field.message_type, 0.5, depth + 1))
                else:
                    slot(made, field).append(self.scalar(field))
        elif field.message_type is not None:
            inner = slot(made, field)
            inner.SetInParent()
            inner.CopyFrom(self.message(field.message_type, self.dice.choice([0.3, 0.6, 1.0]), depth + 1))
        else:
            put(made, field, self.scalar(field))

    def scalar(self, field):
        kind = field.cpp_type
        if kind in INTEGERS:
            return self.dice.choice(INTEGERS[kind])
        if kind == F.CPPTYPE_BOOL:
            return self.dice.random() < 0.5
        if kind in (F.CPPTYPE_DOUBLE, F.CPPTYPE_FLOAT):
            value = self.dice.choice(REALS)
            return value if kind == F.CPPTYPE_DOUBLE else single(value)
        if kind == F.CPPTYPE_ENUM:
            numbers = [value.number for value in field.enum_type.values]
            if not field.enum_type.is_closed:
                numbers += [77, -5]
            return self.dice.choice(numbers)
        return self.dice.choice(TEXTS if field.type == F.TYPE_STRING else BYTES)

    def well_known(self, made, descriptor, depth):
        name = descriptor.name
        if name == "Timestamp":
            made.seconds, made.nanos = self.dice.choice([(0, 0), (1, 0), (1600000000, 5)])
        elif name == "Duration":
            made.seconds, made.nanos = self.dice.choice([(0, 0), (1, 0), (-3, -5), (90, 500000000)])
        elif name == "FieldMask":
            made.paths.extend(self.dice.choice([[], ["a"], ["a_b", "c.d"]]))
        elif name == "Any":
            self.any(made, depth)
        elif name == "Struct":
            for key in self.dice.choice([[], ["k"], ["name", "value"]]):
                self.value(made.fields[key], depth + 1)
        elif name == "ListValue":
            for _ in range(self.dice.choice([0, 1, 2])):
                self.value(made.values.add(), depth + 1)
        elif name == "Value":
            self.value(made, depth)
        else:
            made.value = self.scalar(descriptor.fields_by_name["value"])

    def any(self, made, depth):
        # What only the writer's version has is growth, and of that no more is asked than that it passes on the wire.
        types = set(self.side.types) if self.gone else self.side.types.keys() & self.reader.types.keys()
        # Options are no data, and whether a version knows their type hangs on what it imports.
        types = sorted(types - OPTIONS)
        if types and self.dice.random() < 0.8 and depth < DEPTH:
            inner = self.message(self.side.types[self.dice.choice(types)], 0.5, depth + 1)
            if inner.IsInitialized():
                made.type_url = "type.googleapis.com/" + inner.DESCRIPTOR.full_name
                made.value = inner.SerializeToString(deterministic=True)

    def value(self, made, depth):
        kinds = ["null_value", "number_value", "string_value", "bool_value", "struct_value", "list_value"]
        kind = self.dice.choice(kinds[: 4 if depth >= DEPTH else 6])
        if kind == "null_value":
            made.null_value = 0
        elif kind == "number_value":
            made.number_value = self.dice.choice([0.0, 1.0, 1.5, -2.0])
        elif kind == "string_value":
            made.string_value = self.dice.choice(TEXTS)
        elif kind == "bool_value":
            made.bool_value = True
        elif kind == "struct_value":
            made.struct_value.SetInParent()
            self.well_known(made.struct_value, made.struct_value.DESCRIPTOR, depth + 1)
        else:
            made.list_value.SetInParent()
            self.well_known(made.list_value, made.list_value.DESCRIPTOR, depth + 1)


def single(value):
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return float("inf")


def slot(message, field):
    return message.Extensions[field] if field.is_extension else getattr(message, field.name)


def put(message, field, value):
    if field.is_extension:
        message.Extensions[field] = value
    else:
        setattr(message, field.name, value)


# -- Java --------------------------------------------------------------------------------------------------------------


class Java:
    """protobuf-java, where WIREPROOF_PROTOBUF_JAVA is its class path: one process, a line for a line."""

    def __init__(self, class_path):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Protobuf.java")
        command = ["java", "-Xss4m", "-XX:TieredStopAtLevel=1", "-cp", class_path, script]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **question):
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def knows(self, name, side):
        if side.in_java is None or side.in_java[0] != len(side.described.file):
            answer = self.ask(side=name, set=side.described.SerializeToString().hex())
            side.in_java = (len(side.described.file), "why" not in answer)
        return side.in_java[1]

    def read(self, name, surface, side, descriptor, data):
        """What Java read, as a message of Python's, or the reason why there is none."""
        data = data.hex() if isinstance(data, bytes) else data
        answer = self.ask(side=name, type=descriptor.full_name, surface=surface, data=data)
        if "why" in answer:
            return None, answer["why"][:2000]
        message = side.new(descriptor)
        message.ParseFromString(bytes.fromhex(answer["bytes"]))
        return message, ""


JAVA = Java(os.environ["WIREPROOF_PROTOBUF_JAVA"]) if os.environ.get("WIREPROOF_PROTOBUF_JAVA") else None


# -- judging -----------------------------------------------------------------------------------------------------------


class Judge:
    """What a reader experienced of one message, in one direction on one surface."""

    def __init__(self, writer, reader, surface):
        self.writer, self.reader, self.surface = writer, reader, surface
        self.worst, self.why = 0, ""

    def pairs(self, written, read):
        """Each field that is written, with the one of the reader that continues it."""
        key = (written.full_name, read.full_name)
        known = self.writer.known.get((self.reader, key))
        if known is None:
            wrote, reads = self.writer.fields(written), self.reader.fields(read)
            known = [(field, self.partner(field, wrote, reads)) for field in wrote]
            self.writer.known[self.reader, key] = known
        return known

    def tell(self, outcome, why):
        if RANK[outcome] > self.worst:
            self.worst, self.why = RANK[outcome], why

    def partner(self, written, wrote, read):
        """The field of the other message that continues one: by name where the name moved, else by number."""
        others = {(one.is_extension, own_name(one)): one for one in read}
        named = others.get((written.is_extension, own_name(written)))
        if named is not None:
            return named
        numbered = next((one for one in read if one.number == written.number), None)
        if numbered is None:
            return None
        mine = {(one.is_extension, own_name(one)) for one in wrote}
        return None if (numbered.is_extension, own_name(numbered)) in mine else numbered

    def message(self, written, read, path):
        names = (written.DESCRIPTOR.full_name, read.DESCRIPTOR.full_name)
        if self.surface == "json" and names[0] != names[1] and (names[0] in WELL_KNOWN or names[1] in WELL_KNOWN):
            plain = [unwrapped(one) for one in (written, read)]
            if not any(hasattr(one, "DESCRIPTOR") for one in plain) and same(*plain):
                return
            if written.ByteSize() or read.ByteSize():
                self.tell("wrong", f"{path}: {names[0]} was taken for {names[1]}")
            return
        if self.surface == "json" and names[0] == names[1] == "google.protobuf.Any":
            self.any(written, read, path)
            return
        pairs, reads = self.pairs(written.DESCRIPTOR, read.DESCRIPTOR), self.reader.fields(read.DESCRIPTOR)
        claimed = set()
        if pairs and reads and names[0] != names[1] and written.ListFields():
            if not any(other for _, other in pairs):
                self.tell("lossy", f"{path}: {names[1]} shares nothing with {names[0]}")
        for field, other in pairs:
            if other is None:
                continue
            claimed.add(other.number)
            self.field((written, field), (read, other), f"{path}.{field.name}")
        for field in reads:
            if field.number not in claimed and has(read, field):
                self.tell("wrong", f"{path}.{field.name}: read, and nobody wrote it")

    def any(self, written, read, path):
        if written.type_url != read.type_url:
            self.tell("wrong", f"{path}: {written.type_url} was taken for {read.type_url}")
            return
        name = written.type_url.rsplit("/", 1)[-1]
        if name in self.writer.types and name in self.reader.types:
            pair = self.writer.new(self.writer.types[name]), self.reader.new(self.reader.types[name])
            pair[0].ParseFromString(written.value)
            pair[1].ParseFromString(read.value)
            self.message(pair[0], pair[1], path)

    def field(self, written, read, path):
        (message, field), (other, reader) = written, read
        wrote, seen = has(message, field), has(other, reader)
        if not wrote and not seen:
            self.absent(field, reader, path)
        elif not wrote:
            if not (singular(reader) and shows_default(message, field, other, reader)):
                self.tell("wrong", f"{path}: read {show(slot(other, reader))}, and nobody wrote it")
        elif not seen:
            value = slot(message, field)
            if is_list(field) and not self.named(list(value), field, reader, path):
                return
            if is_map(field) and is_map(reader):
                described = [one.message_type.fields_by_number[2] for one in (field, reader)]
                if described[0].enum_type and not self.named(list(value.values()), *described, path):
                    return
            self.lost(value, field, slot_or_none(other, reader), reader, path)
        elif self.surface == "wire" and not singular(field) and singular(reader) and len(slot(message, field)) > 1:
            self.merged(written, read, path)
        else:
            self.values((slot(message, field), field), (slot(other, reader), reader), path)

    def merged(self, written, read, path):
        """A list or a map read as one: what is seen must be what one of its elements alone would show."""
        (message, field), (other, reader) = written, read
        for element in slot(message, field):
            alone, seen = self.writer.new(message.DESCRIPTOR), self.reader.new(other.DESCRIPTOR)
            if is_map(field) and field.message_type.fields_by_name["value"].message_type is not None:
                slot(alone, field)[element].CopyFrom(slot(message, field)[element])
            elif is_map(field):
                slot(alone, field)[element] = slot(message, field)[element]
            elif field.message_type is not None:
                slot(alone, field).add().CopyFrom(element)
            else:
                slot(alone, field).append(element)
            try:
                seen.ParseFromString(alone.SerializePartialToString(deterministic=True))
            except DecodeError:
                # What is no message alone may be one behind another.
                continue
            if has(seen, reader) and same_content(slot(seen, reader), slot(other, reader)):
                self.tell("lossy", f"{path}: one of several elements is left")
                if is_map(field):
                    self.maps((slot(alone, field), field), (slot(seen, reader), reader), path)
                return
        self.tell("wrong", f"{path}: {show(slot(other, reader))} is none of the elements")

    def absent(self, field, reader, path):
        if not (singular(field) and singular(reader)) or field.message_type or reader.message_type:
            return
        if is_text(field) != is_text(reader):
            return
        if field.enum_type and reader.enum_type:
            # A default that has the same name is the same to whoever reads it, whatever its number.
            meant = [
                {one.name for one in of.enum_type.values if one.number == of.default_value} for of in (field, reader)
            ]
            if meant[0] & meant[1]:
                return
            # No name stands in data that are not there, so numbers are compared in JSON as well.
            judge = Judge(self.writer, self.reader, "wire")
            judge.enums(field.default_value, field.enum_type, reader.default_value, reader.enum_type, path)
            self.tell(OUTCOMES[judge.worst], judge.why)
        elif not same(field.default_value, reader.default_value):
            self.tell("wrong", f"{path}: absent, was {show(field.default_value)}, is {show(reader.default_value)}")

    def lost(self, value, field, shown, reader, path):
        value = unwrapped(value) if self.surface == "json" else value
        if singular(field) and singular(reader) and not reader.has_presence:
            if same(value, shown):
                return
            if field.enum_type and reader.enum_type:
                # The default that is shown may be what the name means to the reader.
                judge = Judge(self.writer, self.reader, self.surface)
                judge.enums(value, field.enum_type, shown, reader.enum_type, path)
                if judge.worst <= RANK["unrecognized"]:
                    self.tell(OUTCOMES[judge.worst], judge.why)
                    return
        if reader.enum_type is not None and singular(reader) and singular(field) and field.message_type is None:
            number = value if isinstance(value, int) else None
            unnamed = number is not None and cut(number) not in reader.enum_type.values_by_number
            names = field.enum_type.values_by_number if field.enum_type else {}
            name = names[number].name if number in names else ""
            if self.surface == "json" and name and name not in reader.enum_type.values_by_name:
                self.tell("unrecognized", f"{path}: {name} is not known")
                return
            if unnamed and reader.enum_type.is_closed and (self.surface == "json" or field.number == reader.number):
                aliases = [one.name for one in field.enum_type.values if one.number == number] if field.enum_type else []
                moved = any(one in reader.enum_type.values_by_name for one in aliases)
                self.tell("lossy" if moved else "unrecognized", f"{path}: {show(value)} has no name")
                return
        if is_list(field) and singular(reader) and self.set_aside(list(value), field, reader):
            self.tell("unrecognized", f"{path}: {show(value)} has no name")
            return
        self.tell("lossy", f"{path}: {show(value)} was dropped")

    def set_aside(self, values, field, reader):
        """Whether a single field shows none of a list because a closed enum names none: it would have set aside each alone."""
        if self.surface != "wire" or field.is_packed or field.number != reader.number or field.message_type is not None:
            return False
        if reader.enum_type is None or not reader.enum_type.is_closed:
            return False
        names = field.enum_type.values if field.enum_type else []
        moved = {one.number for one in names if one.name in reader.enum_type.values_by_name}
        known = reader.enum_type.values_by_number
        return all(isinstance(one, int) and cut(one) not in known and one not in moved for one in values)

    def values(self, written, read, path):
        (value, field), (seen, reader) = written, read
        if is_map(field) or is_map(reader):
            self.maps(written, read, path)
        elif is_list(field) and is_list(reader):
            self.lists(list(value), field, list(seen), reader, path)
        elif is_list(reader):
            self.lists([value], field, list(seen), reader, path)
        elif is_list(field):
            elements = list(value)
            if len(elements) == 1:
                self.value(elements[0], field, seen, reader, path)
            elif any(self.is_same(one, field, seen, reader) for one in elements):
                self.tell("lossy", f"{path}: one of {len(elements)} elements is left")
            else:
                self.tell("wrong", f"{path}: {show(seen)} is none of the elements")
        else:
            self.value(value, field, seen, reader, path)

    def named(self, values, field, reader, path):
        """Without the names that a reader of JSON leaves out, whether its enum is open or closed."""
        if self.surface != "json" or not field.enum_type or not reader.enum_type:
            return values
        names = field.enum_type.values_by_number
        known = [v for v in values if v not in names or names[v].name in reader.enum_type.values_by_name]
        if len(known) < len(values):
            self.tell("lossy", f"{path}: a name is not known")
        return known

    def lists(self, written, field, read, reader, path):
        written = self.named(written, field, reader, path)
        if len(written) == len(read):
            for one, other in zip(written, read):
                self.value(one, field, other, reader, path + "[]")
            return
        at = 0
        for other in read:
            while at < len(written) and not self.is_same(written[at], field, other, reader):
                at += 1
            if at == len(written):
                self.tell("wrong", f"{path}: {show(other)} is none of the elements")
                return
            at += 1
        self.tell("lossy", f"{path}: {len(written)} elements became {len(read)}")

    def maps(self, written, read, path):
        (value, field), (seen, reader) = written, read
        wrote, reads = entries(value, field, is_map(reader)), entries(seen, reader)
        elements = [] if is_map(reader) else list(seen) if is_list(reader) else [seen]
        is_bare = elements and all(hasattr(one, "DESCRIPTOR") and not one.ListFields() for one in elements)
        if reads is None and is_bare:
            self.tell("lossy", f"{path}: nothing of the entries is left")
            return
        if is_map(field) and reader.message_type is not None and reads is None and self.parts(value, field, elements, path):
            return
        if wrote is None or reads is None:
            elements = [seen[key] for key in seen] if is_map(reader) else list(seen) if is_list(reader) else [seen]
            # A message may be read as one in which no value is; a key that is no message is something else then.
            held = field.message_type.fields_by_number if field.message_type else {}
            is_empty = not is_map(reader) and all(
                hasattr(one, "DESCRIPTOR")
                and says_nothing(one)
                and all(part.number in held and is_message(held[part.number]) for part, _ in one.ListFields())
                for one in elements
            )
            self.tell("lossy" if is_empty else "wrong", f"{path}: what was no map is one, or the other way")
            return
        if not is_map(field) and any(len(keys_of(one)) > 1 for one in (value if is_list(field) else [value])):
            self.tell("lossy", f"{path}: of several keys of an entry one is left")
        left = list(reads)
        held = [one for _, one in wrote if not isinstance(one[0], list)]
        if held and held[0][1] is not None and reads is not None:
            described = reader.message_type.fields_by_number.get(2)
            kept = self.named([one[0] for one in held], held[0][1], described, path) if described else None
            if kept is not None and len(kept) < len(held):
                wrote = [entry for entry in wrote if isinstance(entry[1][0], list) or entry[1][0] in kept]
        # Of equal keys the last one is kept.
        for key, one in reversed(wrote):
            # Where keys were lost, several entries have the same one: each is looked for by its value as well.
            alike = [entry for entry in left if same(entry[0], key)]
            parts = one[0] if isinstance(one[0], list) else [one[0]]
            is_one = lambda seen: any(self.is_same(part, one[1], seen[0], seen[1]) for part in parts)  # noqa: B023, E731
            exact = (entry for entry in alike if entry[1][2] and one[2] and is_one(entry[1]))
            # A key that is not there says nothing of the place: what is alike in value stands for it.
            near = (entry for entry in alike if not entry[1][3] and is_one(entry[1]))
            # What lost something of its own, such as keys inside of it, is nearer than what never had it.
            is_left = lambda seen: any(self.is_same(part, one[1], seen[0], seen[1], "lossy") for part in parts)  # noqa: B023, E731
            likely = (entry for entry in alike if not entry[1][3] and entry[1][2] and is_left(entry[1]))
            match = next(exact, next(near, next(likely, alike[0] if alike else None)))
            if match is None:
                if any(same(entry[0], key) for entry in reads):
                    self.tell("lossy", f"{path}: one of equal keys is left")
                else:
                    self.tell("lossy", f"{path}: the entry {show(key)} was dropped")
                continue
            left.remove(match)
            if len(parts) > 1:
                self.tell("lossy" if is_one(match[1]) else "wrong", f"{path}[{show(key)}]: several values became one")
                continue
            if one[0] is None:
                # An empty list: the reader of a map shows a default for it, which is what nothing looks like there.
                if not shows_nothing(match[1][0]):
                    self.tell("wrong", f"{path}[{show(key)}]: read {show(match[1][0])}, and nobody wrote it")
                continue
            before = [other for other_key, other in wrote if other is not one and same(other_key, key) and len(parts) == 1]
            if match[1][2] and before and not is_one(match[1]):
                # What is inside of it may have lost something of its own.
                if any(not isinstance(other[0], list) and self.is_same(*other[:2], *match[1][:2], "lossy") for other in before):
                    self.tell("lossy", f"{path}: the last of equal keys was dropped, and one before it is left")
                    continue
            if not match[1][2]:
                self.lost(one[0], one[1], match[1][0], match[1][1], f"{path}[{show(key)}]")
                continue
            self.value(one[0], one[1], match[1][0], match[1][1], f"{path}[{show(key)}]")
        # A key of another wire type is not there; its value is one that was written, or nobody wrote it.
        for _, one in (entry for entry in left if not entry[1][3] and entry[1][2]):
            if not any(isinstance(part[0], list) or self.is_same(*part[:2], *one[:2], "lossy") for _, part in wrote):
                self.tell("wrong", f"{path}: {show(one[0])} is no value of an entry")
        left = [entry for entry in left if entry[1][3]]
        if left:
            self.tell("wrong", f"{path}: the key {show(left[0][0])} was never written")

    def parts(self, value, field, elements, path):
        """Entries read as messages that have a place for one of key and value only: whether that is so."""
        described = [field.message_type.fields_by_number[number] for number in (1, 2)]
        numbers = elements[0].DESCRIPTOR.fields_by_number if elements else {}
        both = [(one, numbers[one.number]) for one in described if one.number in numbers]
        # A number has no place in a message, nor either in a map.
        places = [(one, place) for one, place in both if not is_map(place) and is_message(one) == is_message(place)]
        others = [place for one, place in both if (one, place) not in places]
        if len(places) != 1 or any(has(one, place) for one in elements for place in others):
            return False
        writer, reader = places[0]
        if reader.is_repeated and any(len(slot(one, reader)) > 1 for one in elements):
            return False
        written = list(value) if writer.number == 1 else [value[key] for key in value]
        for one in (one for one in elements if has(one, reader)):
            # What is nested may have lost keys of its own.
            if not any(self.is_same(part, writer, only(one, reader), reader, "lossy") for part in written):
                self.tell("lossy" if says_nothing(one) else "wrong", f"{path}: {show(one)} is no part of an entry")
        self.tell("lossy", f"{path}: the keys or the values have no place")
        return True

    def is_same(self, value, field, seen, reader, most="unrecognized"):
        inner = Judge(self.writer, self.reader, self.surface)
        inner.value(value, field, seen, reader, "")
        return inner.worst <= RANK[most]

    def value(self, value, field, seen, reader, path):
        messages = (hasattr(value, "DESCRIPTOR"), hasattr(seen, "DESCRIPTOR"))
        if all(messages):
            self.message(value, seen, path)
        elif any(messages):
            both = [unwrapped(one) for one in (value, seen)]
            are_plain = not any(hasattr(one, "DESCRIPTOR") for one in both)
            # 0.1 was meant, and 0.1 is read, in whatever precision.
            is_single = are_plain and (is_float(field) or is_of(value, "google.protobuf.FloatValue"))
            is_meant = is_single and isinstance(both[1], float) and single(both[1]) == both[0]
            if not (self.surface == "json" and are_plain and (is_meant or same(*both))):
                self.tell("wrong", f"{path}: {show(value)} became {show(seen)}")
        elif field is not None and field.enum_type and reader.enum_type:
            self.enums(value, field.enum_type, seen, reader.enum_type, path)
        elif self.surface == "json" and is_float(field) and isinstance(seen, float) and single(seen) == value:
            pass  # 0.1 was meant, and 0.1 is read, in whatever precision
        elif not same(value, seen) or self.surface == "wire" and isinstance(value, float) != isinstance(seen, float):
            # On the wire no number becomes a `float`: where they are equal, it is another field's that is seen.
            self.tell("wrong", f"{path}: {show(value)} became {show(seen)}")
        elif reader is not None and reader.enum_type and seen not in reader.enum_type.values_by_number:
            self.tell("unrecognized", f"{path}: {show(value)} has no name")

    def enums(self, value, written, seen, read, path):
        names = [one.name for one in written.values if one.number == value]
        if self.surface == "json" and names:
            known = read.values_by_name.get(names[0])
            if known is None or known.number != seen:
                self.tell("wrong", f"{path}: {names[0]} became {seen}")
            return
        if value != seen:
            self.tell("wrong", f"{path}: {value} became {seen}")
            return
        shown = [one.name for one in read.values if one.number == seen]
        if set(names) & set(shown) or not names:
            return
        moved = [name for name in names if name in read.values_by_name]
        moved += [name for name in shown if name in written.values_by_name]
        if shown and moved:
            self.tell("wrong", f"{path}: {names[0]} became {shown[0]}")
        elif not shown:
            self.tell("lossy" if moved else "unrecognized", f"{path}: {names[0]} has no name")


def own_name(field):
    return field.full_name if field.is_extension else field.name


def singular(field):
    return not field.is_repeated


def is_text(field):
    return field.cpp_type == F.CPPTYPE_STRING


def is_float(field):
    return field is not None and field.cpp_type == F.CPPTYPE_FLOAT


def has(message, field):
    if field.is_repeated:
        return len(slot(message, field)) > 0
    if field.has_presence:
        return message.HasExtension(field) if field.is_extension else message.HasField(field.name)
    return any(known.number == field.number for known, _ in message.ListFields())


def is_of(value, name):
    return hasattr(value, "DESCRIPTOR") and value.DESCRIPTOR.full_name == name


def says_nothing(message):
    """A message, or messages in messages, in which no value is: nobody reads anything there that was not written."""
    return all(
        field.message_type is not None
        and not is_map(field)
        and all(says_nothing(one) for one in (value if is_list(field) else [value]))
        for field, value in message.ListFields()
    )


def unwrapped(value):
    """A wrapper and its value have the same JSON form."""
    name = value.DESCRIPTOR.full_name if hasattr(value, "DESCRIPTOR") else ""
    return value.value if name in WRAPPERS else value


def same_content(one, other):
    if not hasattr(one, "DESCRIPTOR"):
        return same(one, other)
    contents = []
    for message in (one, other):
        known = type(message)()
        known.CopyFrom(message)
        known.DiscardUnknownFields()
        contents.append(known.SerializePartialToString(deterministic=True))
    return contents[0] == contents[1]


def slot_or_none(message, field):
    return None if field.message_type is not None and singular(field) else slot(message, field)


def shows_default(message, field, other, reader):
    """Whether what stands there is what the writer meant by leaving the field out."""
    if not singular(field) or field.message_type or reader.message_type:
        return False
    return not field.has_presence and same(slot(message, field), slot(other, reader))


def entries(value, field, with_lists=False):
    """Key and (value, field, is there) of a map, or of messages like entries; None where it is neither. A list of several
    values is none of an entry, unless lists are asked for."""
    if is_map(field):
        described = field.message_type.fields_by_name["value"]
        return [(key, (value[key], described, True, True)) for key in sorted(value, key=str)]
    if field.message_type is None:
        return None
    key = field.message_type.fields_by_number.get(1)
    content = field.message_type.fields_by_number.get(2)
    if key is None or content is None or key.message_type or is_map(content):
        return None
    elements = list(value) if is_list(field) else [value]
    # Of several keys of an entry a map takes the last; a map's own is read as a list of one.
    if key.is_repeated and not all(len(slot(one, key)) <= 1 for one in elements) and not with_lists:
        return None
    has_several = [content.is_repeated and len(slot(one, content)) > 1 for one in elements]
    if any(has_several) and not with_lists:
        return None
    held = [list(slot(one, content)) if several else only(one, content) for one, several in zip(elements, has_several)]
    keys = [last_key(one, key) for one in elements]
    return [(name, (part, content, has(one, content), has(one, key))) for one, name, part in zip(elements, keys, held)]


def keys_of(entry):
    """The keys of a message that is like an entry, where they are a list."""
    key = entry.DESCRIPTOR.fields_by_number.get(1)
    return list(slot(entry, key)) if key is not None and key.is_repeated else []


def last_key(entry, key):
    """The key of an entry; of several the last, of none what a map makes up."""
    if not key.is_repeated:
        return slot(entry, key)
    keys = list(slot(entry, key))
    return keys[-1] if keys else made_up(key)


def made_up(field):
    """What the reader of a map takes for a key that is not there."""
    if is_text(field):
        return "" if field.type == field.TYPE_STRING else b""
    return 0


def is_message(field):
    return field.message_type is not None


def only(message, field):
    """The value of a field; of a list its one element, or nothing."""
    value = slot(message, field)
    return value if singular(field) else value[0] if len(value) else None


def shows_nothing(value):
    return value is None or (not value.ListFields() if hasattr(value, "DESCRIPTOR") else not value)


def cut(number):
    return (number + 2**31) % 2**32 - 2**31


def same(one, other):
    if isinstance(one, float) and isinstance(other, float) and one != one:
        return other != other
    if isinstance(one, str) and isinstance(other, bytes):
        return one.encode() == other
    if isinstance(one, bytes) and isinstance(other, str):
        return one == other.encode()
    return one == other


def show(value):
    return " ".join(str(value).split())[:60]


# -- one pair ----------------------------------------------------------------------------------------------------------


def read(surface, reader, descriptor, data):
    """The message that was read, or the reason why there is none."""
    message = reader.new(descriptor)
    try:
        if surface == "wire":
            message.ParseFromString(data)
        else:
            json_format.Parse(data, message, ignore_unknown_fields=True, descriptor_pool=reader.pool)
    except (DecodeError, json_format.ParseError, ValueError, TypeError, AttributeError, KeyError, OverflowError) as error:
        return None, f"{type(error).__name__}: {' '.join(str(error).split())[:2000]}"
    if not message.IsInitialized():
        return None, f"missing: {', '.join(message.FindInitializationErrors())[:80]}"
    return message, ""


def write(surface, writer, message):
    """The data, or nothing where the writer itself would not read it back."""
    try:
        if surface == "wire":
            data = message.SerializeToString(deterministic=True)
        else:
            data = json_format.MessageToJson(message, descriptor_pool=writer.pool, indent=None, ensure_ascii=False)
    except (json_format.Error, ValueError, TypeError, AttributeError, KeyError, DecodeError):
        return None
    back, _ = read(surface, writer, message.DESCRIPTOR, data)
    if back is None:
        return None
    if back.SerializeToString(deterministic=True) != message.SerializeToString(deterministic=True):
        return None
    return data


def judged(surface, writer, reader, wrote, descriptor, seen, reason):
    judge = Judge(writer, reader, surface)
    if seen is None:
        judge.tell("fails", reason)
        return judge
    try:
        judge.message(wrote, seen, wrote.DESCRIPTOR.name)
    except UnicodeDecodeError as error:
        # Where UTF-8 is not checked, a text that is none is taken, and cannot be looked at.
        judge.tell("fails", f"{wrote.DESCRIPTOR.name}: {error}")
    return judge


def can_be_shown(side, surface, message):
    try:
        Judge(side, side, surface).message(message, message, message.DESCRIPTOR.name)
    except UnicodeDecodeError:
        return False
    return True


def difference(runtime, surface, claimed, judge, rejected):
    """Why a runtime may experience worse than is claimed of all readers; nothing where that is no reason."""
    if surface != "json":
        if RANK[claimed] >= RANK["fails"] and "invalid tag (zero)" in rejected:
            return f"wire: {runtime} takes fields of number 0, which others reject"
        return None
    if RANK[claimed] >= RANK["fails"]:
        return f"json: {runtime} takes what others reject"
    if "Failed to parse [" in judge.why and extends_another(judge):
        return "json: Python takes an extension of another message for one that it does not know"
    if "does not have extensions" in judge.why or "Extension doesn't match" in judge.why:
        return "json: Python rejects extensions that it does not know"
    return None


def extends_another(judge):
    """Whether the extension that could not be parsed extends another message on the reader's side than on the writer's."""
    name = re.search(r"Failed to parse \[([\w.]+)\]", judge.why)[1]
    extended = []
    for side in (judge.writer, judge.reader):
        try:
            extended.append(side.pool.FindExtensionByName(name).containing_type.full_name)
        except KeyError:
            return False
    return extended[0] != extended[1]


def shortfall(surface, told, seen, has_map, why):
    """Why Python may experience less than a witness tells; nothing where that is no reason."""
    if told == "wrong" and seen == "lossy" and why.endswith("is no part of an entry"):
        return "messages in which no value is, where an entry held something else, are less than a value nobody wrote"
    if told == "wrong" and seen == "lossy" and why.endswith("the keys or the values have no place"):
        return "what another enum calls the number of a part of an entry is not asked"
    if told == "unrecognized" and seen == "safe":
        return "an arm of a oneof that the reader does not know is no value here"
    if surface == "json" and (told in ("fails", "lossy") or seen == "fails"):
        return "json: Python takes what others reject"
    if surface == "wire" and told in ("wrong", "fails") and has_map:
        return "wire: upb sets entries of maps aside whole"
    if surface == "wire" and told == "wrong" and seen == "safe":
        return "wire: upb hands on text that is none"
    return None


def is_plain(one):
    """Whether it is a message and no enum."""
    return hasattr(one, "fields_by_number")


def is_entry(one):
    return is_plain(one) and one.GetOptions().map_entry


def keys(field):
    """What a reader knows a field by: its number, in JSON its names."""
    return field.number, field.name, field.json_name


def meetings(old, new):
    """Which types meet where one field is read as another: messages, or enums."""
    if new is None:
        return []
    pairs = [(old.message_type, new.message_type), (old.enum_type, new.enum_type)]
    return [pair for pair in pairs if None not in pair]


class Pair:
    """Both versions, and the types that stand for the same on both."""

    def __init__(self, case):
        self.case = case
        self.sides = {"old": Side(case["old"]), "new": Side(case["new"])}
        self.problems, self.messages, self.differences, self.claimed = {}, 0, {}, {}
        self.named = set()
        for side in self.sides.values():
            if not side.refused:
                self.named |= set(side.types).union(*(side.reach(one) for one in side.types.values()))

    def types(self):
        old, new = self.sides["old"], self.sides["new"]
        pairs = [(old.types[name], new.types[name]) for name in sorted(old.types) if name in new.types]
        for name in sorted(old.methods):
            pairs += zip(old.methods[name], new.methods.get(name, ()))
        return list(dict.fromkeys(pairs))

    def claims(self, pair):
        """What is claimed of data of two types: at what they reach, and at what is neither type nor option."""
        key = tuple(one.full_name for one in pair)
        if key not in self.claimed:
            reached = self.sides["old"].reach(pair[0]) | self.sides["new"].reach(pair[1])
            worst = {surface: {"backward": "safe", "forward": "safe"} for surface in ("wire", "json")}
            for claim in self.case["claims"]:
                places = [claim["path"].rsplit(".", cut)[0] for cut in range(claim["path"].count(".") + 1)]
                is_placed = any(place in self.named for place in places)
                if is_placed and "*" not in reached and not reached.intersection(places):
                    continue
                for surface, by_direction in claim["impact"].items():
                    for direction, outcome in by_direction.items():
                        if RANK[outcome] > RANK[worst[surface][direction]]:
                            worst[surface][direction] = outcome
            self.claimed[key] = worst
        return self.claimed[key]

    def met(self):
        """The names of what data of the one version lets a reader take for something of the other: types and extensions."""
        left, pairs = self.types(), set()
        while left:
            pair = left.pop()
            if pair in pairs:
                continue
            pairs.add(pair)
            if not is_plain(pair[0]):
                continue
            others = {key: field for field in self.sides["new"].fields(pair[1]) for key in keys(field)}
            for field in self.sides["old"].fields(pair[0]):
                for key in keys(field):
                    left += meetings(field, others.get(key))
        # An entry of a map has no name of its own.
        named = [pair for pair in pairs if not any(is_entry(one) for one in pair)]
        own = {one.full_name for pair in named for one in pair}
        held = [side.fields(pair[at]) for pair in named for at, side in enumerate(self.sides.values()) if is_plain(pair[at])]
        return own | {field.full_name for fields in held for field in fields if field.is_extension}

    def owner(self, path):
        """The innermost type, or the extension, that a path leads into."""
        places = [path.rsplit(".", cut)[0] for cut in range(path.count(".") + 1)]
        return next((place for place in places if place in self.named), None)

    def reasons(self):
        """What a claim says of members of other types is of types that data lets meet."""
        met = self.met()
        if "google.protobuf.Any" in met:
            return
        for claim in self.case["claims"]:
            if self.owner(claim["path"]) not in met:
                continue
            for member in claim["members"]:
                if self.owner(member) not in met | {None}:
                    self.problem("unmet", (), f"{claim['path']} speaks of {member}, whose type meets none")

    def problem(self, kind, key, text, rank=0):
        known = self.problems.get((kind, key))
        if known is None or known[0] < rank:
            self.problems[kind, key] = (rank, text)

    def random(self):
        dice = random.Random(self.case["seed"])
        for direction in ("backward", "forward"):
            writer, reader = self.roles(direction)
            maker = Maker(writer, reader, direction == "backward", dice)
            for pair in self.types():
                claims = self.claims(pair)
                ids = pair if direction == "backward" else pair[::-1]
                for round_ in range(self.case["messages"]):
                    density = (0.15, 0.35, 0.7, 1.0)[round_ % 4]
                    # Texts take ten times as long as bytes.
                    surfaces = ("wire", "json") if round_ % 8 < 4 else ("wire",)
                    self.message(direction, maker.message(ids[0], density), ids[1], claims, surfaces)

    def roles(self, direction):
        order = ("old", "new") if direction == "backward" else ("new", "old")
        return self.sides[order[0]], self.sides[order[1]]

    def message(self, direction, made, descriptor, claims, surfaces):
        writer, reader = self.roles(direction)
        if not made.IsInitialized():
            return
        for surface in surfaces:
            data = write(surface, writer, made)
            if data is None:
                continue
            self.messages += 1
            claimed = claims[surface][direction]
            seen = {}
            readings = list(self.readings(direction, surface, descriptor, data))
            rejected = " ".join(reason for _, message, reason in readings if message is None)
            for runtime, message, reason in readings:
                judge = judged(surface, writer, reader, made, descriptor, message, reason)
                seen[runtime] = OUTCOMES[judge.worst]
                if judge.worst > max(RANK[claimed], RANK["defaulted"]):
                    cause = difference(runtime, surface, claimed, judge, rejected)
                    if cause:
                        self.differ(cause)
                        continue
                    shown = data.hex() if isinstance(data, bytes) else data
                    self.problem(
                        "understated",
                        (runtime, surface, direction),
                        f"{surface} {direction}: claimed {claimed}, {runtime} saw {OUTCOMES[judge.worst]} "
                        f"({judge.why}); {made.DESCRIPTOR.full_name} wrote {shown[:300]}",
                        judge.worst,
                    )
            if len(set(seen.values())) > 1:
                self.differ(f"{surface}: Python {seen['Python']}, Java {seen['Java']}")

    def differ(self, cause):
        self.differences[cause] = self.differences.get(cause, 0) + 1

    def readings(self, direction, surface, descriptor, data):
        """What each runtime reads."""
        name, reader = ("new" if direction == "backward" else "old"), self.roles(direction)[1]
        yield "Python", *read(surface, reader, descriptor, data)
        if not JAVA or not JAVA.knows(name, reader):
            return
        if surface == "json" and '"[' in data:
            self.differ("json: Java has no extensions, and is not asked")
        else:
            yield "Java", *JAVA.read(name, surface, reader, descriptor, data)

    def witness(self, witness):
        surface, direction = witness["surface"], witness["direction"]
        writer, reader = self.roles(direction)
        wrote_type = self.find(writer, witness["writer"], witness["wrapper"])
        read_type = self.find(reader, witness["reader"], witness["wrapper"])
        if wrote_type is None or read_type is None:
            self.problem("unplayable", (witness["writer"], witness["reader"]), str(witness)[:300])
            return
        data = bytes.fromhex(witness["bytes"])
        data = data if surface == "wire" else data.decode()
        wrote, reason = read(surface, writer, wrote_type, data)
        if wrote is None:
            self.problem("witness", (surface, "writer"), f"the writer itself says {reason}: {witness}")
            return
        if not can_be_shown(writer, surface, wrote):
            self.differ(f"{surface}: Python cannot show a text of a witness that is no UTF-8")
            return
        judges = {}
        for runtime, message, why in self.readings(direction, surface, read_type, data):
            judges[runtime] = judged(surface, writer, reader, wrote, read_type, message, why)
        told = RANK[witness["outcome"]]
        judge = judges["Python"]
        if judge.worst >= told:  # another element may fare worse
            return
        if "Java" in judges and judges["Java"].worst >= told:
            self.differ(f"{surface}: a witness of {witness['outcome']} is confirmed by Java only")
            return
        has_map = self.is_map(reader, read_type, witness)
        cause = shortfall(surface, witness["outcome"], OUTCOMES[judge.worst], has_map, judge.why)
        if cause:
            self.differ(cause)
            return
        self.problem(
            "witness",
            (surface, witness["outcome"]),
            f"{surface} {direction}: told {witness['outcome']}, seen {OUTCOMES[judge.worst]} ({judge.why}): {witness}",
        )

    def is_map(self, side, descriptor, witness):
        """Whether a map is read anywhere in a witness."""
        open_types, seen = [descriptor], set()
        while open_types:
            one = open_types.pop()
            if one.full_name in seen:
                continue
            seen.add(one.full_name)
            for field in side.fields(one):
                if is_map(field):
                    return True
                if field.message_type is not None:
                    open_types.append(field.message_type)
        return False

    def find(self, side, name, wrapper):
        try:
            if not wrapper:
                return side.pool.FindMessageTypeByName(name)
            held = side.pool.FindEnumTypeByName(name)
        except KeyError:
            return None
        shape = wrapper.split("{")[1].split()[0].split("<")[0]
        package = f"wrapped.{shape}_.{name}"
        if package in side.wrapped:
            return side.pool.FindMessageTypeByName(package + ".Wrapper")
        side.wrapped.add(package)
        file = descriptor_pb2.FileDescriptorProto(name=package, package=package, syntax="proto2")
        file.dependency.append(held.file.name)
        message = file.message_type.add(name="Wrapper")
        field = message.field.add(name="value", number=1, type=F.TYPE_ENUM, type_name="." + name)
        labels = {"optional": F.LABEL_OPTIONAL, "required": F.LABEL_REQUIRED}
        field.label = labels.get(shape, F.LABEL_REPEATED)
        if shape == "map":
            entry = message.nested_type.add(name="ValueEntry")
            entry.options.map_entry = True
            entry.field.add(name="key", number=1, label=F.LABEL_OPTIONAL, type=F.TYPE_STRING)
            content = entry.field.add(name="value", number=2, label=F.LABEL_OPTIONAL, type=F.TYPE_ENUM)
            content.type_name = field.type_name
            field.type, field.type_name = F.TYPE_MESSAGE, f".{package}.Wrapper.ValueEntry"
        side.pool.Add(file)
        side.described.file.append(file)
        return side.pool.FindMessageTypeByName(package + ".Wrapper")

    def answer(self):
        refused = [name for name, side in self.sides.items() if side.refused]
        if not refused:
            self.reasons()
            self.random()
            for witness in self.case["witnesses"]:
                self.witness(witness)
        problems = [{"kind": kind, "what": text} for (kind, _), (_, text) in self.problems.items()]
        return {
            "refused": refused,
            "messages": self.messages,
            "problems": problems,
            "differences": self.differences,
        }


def main():
    for line in sys.stdin:
        try:
            answer = Pair(json.loads(line)).answer()
        except Exception as error:  # noqa: BLE001 - told to the test, which fails
            answer = {"refused": [], "messages": 0, "problems": [{"kind": "harness", "what": repr(error)}]}
        print(json.dumps(answer), flush=True)


main()
