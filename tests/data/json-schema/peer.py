"""Validates JSON by the `jsonschema` of PyPI, and says what the writers of a schema write.

One request a line on standard input, one answer a line on standard output, both JSON:

  {"side": "old", "draft": "7", "schema": SCHEMA}         → {} or {"refused": REASON}
  {"writer": "old", "reader": "new", "data": [VALUE]}     → [[VALID FOR THE WRITER, VALID FOR THE READER, DECLARED]]

Where validation itself fails, the three are null. What is declared is said in docs/json-schema.md, "What writers write",
and computed here from the text of the schema: nothing is shared with the program under test.
"""
import json
import re
import sys

import jsonschema

CLASSES = {
    "4": jsonschema.Draft4Validator,
    "6": jsonschema.Draft6Validator,
    "7": jsonschema.Draft7Validator,
    "2019-09": jsonschema.Draft201909Validator,
    "2020-12": jsonschema.Draft202012Validator,
}
# Keywords under which schemas look at the same value.
LISTS = ("allOf", "anyOf", "oneOf")
NOTES = {"title", "description", "default", "examples", "$comment", "format"}


def schemas_of(value):
    return value.values() if isinstance(value, dict) else ()


class Side:
    def __init__(self, draft, schema):
        kind = CLASSES[draft]
        kind.check_schema(schema)
        self.root = schema
        self.validator = kind(schema)
        self.is_lone = draft in ("4", "6", "7")
        self.has_tuples = draft != "2020-12"

    def takes(self, value):
        return self.validator.is_valid(value)

    def holds(self, schema, value):
        return self.validator.evolve(schema=schema).is_valid(value)

    def target(self, reference):
        place = self.root
        for part in reference.split("/")[1:]:
            part = part.replace("~1", "/").replace("~0", "~")
            place = place[int(part)] if isinstance(place, list) else place[part]
        return place

    def beside(self, schema, value, applies, found):
        """Adds the schemas that look at a value: all of them, or those that apply to it."""
        if not isinstance(schema, dict) or any(schema is other for other in found):
            return
        if "$ref" in schema:
            if self.is_lone:
                return self.beside(self.target(schema["$ref"]), value, applies, found)
        found.append(schema)
        if "$ref" in schema:
            self.beside(self.target(schema["$ref"]), value, applies, found)
        for keyword in LISTS:
            for branch in schema.get(keyword, ()):
                if keyword == "allOf" or not applies or self.holds(branch, value):
                    self.beside(branch, value, applies, found)
        if "if" in schema:
            for keyword, wanted in (("then", True), ("else", False)):
                if keyword in schema and (not applies or self.holds(schema["if"], value) == wanted):
                    self.beside(schema[keyword], value, applies, found)
        for keyword in ("dependentSchemas", "dependencies"):
            for name, inner in schema.get(keyword, {}).items():
                if isinstance(inner, (dict, bool)) and (not applies or isinstance(value, dict) and name in value):
                    self.beside(inner, value, applies, found)

    def is_assertion(self, schema):
        if isinstance(schema, dict) and "$ref" in schema and (self.is_lone or not set(schema) - NOTES - {"$ref"}):
            return self.is_assertion(self.target(schema["$ref"]))
        return isinstance(schema, dict) and bool(set(schema) - NOTES)

    def is_declared(self, roots, value):
        applying, all_of_them = [], []
        for root in roots:
            self.beside(root, value, True, applying)
            self.beside(root, value, False, all_of_them)
        if isinstance(value, dict):
            return self.are_members_declared(applying, all_of_them, value)
        if isinstance(value, list):
            return self.are_items_declared(applying, all_of_them, value)
        return True

    def are_members_declared(self, applying, all_of_them, value):
        names = lambda schema: list(schema.get("properties", {})) + list(schema.get("required", []))
        some = any(names(schema) or schema.get("patternProperties") for schema in all_of_them)
        others = ("additionalProperties", "unevaluatedProperties")
        is_map = any(self.is_assertion(schema.get(keyword)) for schema in all_of_them for keyword in others)
        for name, member in value.items():
            fitting = lambda schema: [p for p in schema.get("patternProperties", {}) if re.search(p, name)]
            if some and not is_map and not any(name in names(one) or fitting(one) for one in applying):
                return False
            inner = []
            for schema in applying:
                own = [schema["properties"][name]] if name in schema.get("properties", {}) else []
                own += [schema["patternProperties"][pattern] for pattern in fitting(schema)]
                inner += own or [schema[keyword] for keyword in others if keyword in schema]
            if not self.is_declared(inner, member):
                return False
        return True

    def are_items_declared(self, applying, all_of_them, value):
        tuples = [self.tuple(schema) for schema in all_of_them]
        longest = max([len(prefix) for prefix, _ in tuples], default=0)
        says = any(self.is_assertion(rest) for _, rest in tuples)
        # Among several schemas nobody says which of them is the tuple.
        if len(all_of_them) == 1 and longest and not says and len(value) > longest:
            return False
        for index, item in enumerate(value):
            inner = []
            for prefix, rest in [self.tuple(schema) for schema in applying]:
                inner += [prefix[index]] if index < len(prefix) else [] if rest is None else [rest]
            if not self.is_declared(inner, item):
                return False
        return True

    def tuple(self, schema):
        """The schemas of the first items, and that of all others."""
        items = schema.get("items")
        if self.has_tuples and isinstance(items, list):
            return items, schema.get("additionalItems", schema.get("unevaluatedItems"))
        prefix = [] if self.has_tuples else schema.get("prefixItems", [])
        return prefix, items if items is not None else schema.get("unevaluatedItems")


def answer(sides, asked):
    if "side" in asked:
        try:
            sides[asked["side"]] = Side(asked["draft"], asked["schema"])
        except Exception as error:  # any reason will do: it is shown
            return {"refused": str(error).splitlines()[0]}
        return {}
    writer, reader = sides[asked["writer"]], sides[asked["reader"]]
    told = []
    for value in asked["data"]:
        try:
            wrote = writer.takes(value)
            told.append([wrote, reader.takes(value), wrote and writer.is_declared([writer.root], value)])
        except Exception:  # such as a pattern that Python does not know
            told.append([None, None, None])
    return told


def main():
    sides = {}
    for line in sys.stdin:
        print(json.dumps(answer(sides, json.loads(line))), flush=True)


main()
