#!/usr/bin/env python3
"""A provider of Lonis: one program, four commands, JSON in and out. A tool is an entry of TOOLS."""

import json
import sys
from datetime import datetime, timezone

PROVIDER = "{{name}}"
VERSION = "0.1.0"
DESCRIPTION = "Greets people by name."


class Refused(Exception):
    """What a tool raises when it cannot answer: becomes the one error on stderr."""

    def __init__(self, kind, message, code, **details):
        super().__init__(message)
        self.error = {"kind": kind, "message": message, "exit_code": code}
        if details:
            self.error["details"] = details


def greet(data):
    """Yields the data of a `message` block for each name; each is written as it comes."""
    names = data.get("names")
    if not isinstance(names, list):
        raise Refused("invalid_input", "`names` is a list", 2, pointer="/names")
    for at, name in enumerate(names):
        if not isinstance(name, str) or not name:
            raise Refused("invalid_input", "a name is a string that is not empty", 2, pointer=f"/names/{at}")
    for name in names:
        yield {"content": f"Hello, {name}!"}


TOOLS = {
    "{{name}}.greet": {
        "run": greet,
        "description": "Greets people by name.",
        "input": {
            "type": "object",
            "properties": {"names": {"type": "array", "items": {"type": "string", "minLength": 1}}},
            "required": ["names"],
            "additionalProperties": False,
            "examples": [{"names": ["Ada", "Grace"]}],
        },
    },
}


def contract(name):
    return {
        "name": name,
        "description": TOOLS[name]["description"],
        "input_schema": f"{name}.input/v1",
        "output_schema": f"{name}.output/v1",
        "determinism": "deterministic",
        "side_effects": "none",
        "cost": "low",
        "input_json_schema": TOOLS[name]["input"],
    }


def block(name, kind, data):
    when = datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")
    return {
        "schema_version": "lonis.block/v1",
        "attribution": {
            "identity": name.replace(".", ":"),
            "provenance": {"when": when, "producer": f"lonis-{PROVIDER}"},
        },
        "payload": {"kind": kind, "data": data},
    }


def without_repeats(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key stands twice")
    return members


def known(name):
    if name not in TOOLS:
        raise Refused("not_found", f"no tool is called `{name}`", 3)
    return name


def call(name):
    tool = TOOLS[known(name)]
    try:
        data = json.loads(sys.stdin.buffer.read(), object_pairs_hook=without_repeats)
    except (ValueError, RecursionError) as error:
        raise Refused("invalid_input", f"the input is not one JSON value: {error}", 2)
    members = tool["input"]["properties"]
    if not isinstance(data, dict) or set(data) - set(members):
        raise Refused("invalid_input", f"the input is an object of {', '.join(members)}", 2, pointer="")
    for result in tool["run"](data):
        say(block(name, "message", result))


def say(value):
    print(json.dumps(value), flush=True)


def main(words):
    if words[:1] == ["--mode"]:
        words = words[2:]
    match words:
        case ["manifest"]:
            say({
                "name": PROVIDER,
                "version": VERSION,
                "description": DESCRIPTION,
                "provider_type": "external-executable",
                "protocol_version": "lonis.provider/v1",
                "tools": list(TOOLS),
            })
        case ["tools", "list"]:
            rows = [{"name": name, "description": tool["description"], "version": VERSION} for name, tool in TOOLS.items()]
            say({"provider": PROVIDER, "tools": rows})
        case ["tools", "describe", name]:
            say(contract(known(name)))
        case ["call", name]:
            call(name)
        case _:
            raise Refused("invalid_input", "the commands are manifest, tools list, tools describe NAME, call NAME", 2)


try:
    main(sys.argv[1:])
except Refused as refused:
    print(json.dumps(refused.error), file=sys.stderr)
    sys.exit(refused.error["exit_code"])
