"""Picks the sources of the held-out cases: names of files on stdin, the hash of the agent as argument, the sources on stdout.

Run by hand in a checkout, once for each agent: `git ls-files | python3 golden/repair-utility/programs/pick.py HASH`. Which
files are taken follows from the hash, so that it is known only once the agent is fixed. Half of all files, those of which
the hash of the name is even, are left to whoever writes an agent.
"""

import hashlib
import json
import re
import sys

NOTES = "What stands here is looked after by the people of the queue.\n"
SCHEMA = "genesis/semantic-patch-v0.2"
EACH = 5
SIZES = range(200, 2501)


def patch(intent, op):
    return json.dumps({"schema": SCHEMA, "intent": intent, "ops": [op]}, ensure_ascii=False)


def source(name, path, text, change, changed, **more):
    return dict(name=name, path=path, files={path: text, "notes.txt": NOTES}, change=change, changed=changed, **more)


def of_json(name, text):
    try:
        value = json.loads(text)
    except ValueError:
        return []
    if not isinstance(value, dict) or not text.startswith("{\n"):
        return []
    keys = [k for k, v in value.items() if isinstance(v, (str, bool, int, float)) and re.fullmatch(r"[a-z_]+", k)]
    if not keys:
        return []
    path = "file.json"
    line = next((l for l in text.split("\n") if re.match(r'  "%s": ' % keys[0], l)), None)
    if line is None:
        return []
    change = patch("note it", {"op": "set-key", "path": path, "pointer": "/" + keys[0], "value": "noted"})
    found = [source(name, path, text, change, [line], delimiter=True)]
    listed = text.replace("{\n", '{\n  "owners": ["ops"],\n', 1)
    change = patch("name a second owner", {"op": "append-item", "path": path, "pointer": "/owners", "value": "data"})
    found.append(source(name + "-list", path, listed, change, ['  "owners": ["ops"],'], list='["ops"]'))
    return found


def of_toml(name, text):
    head = re.search(r"(?m)^\[[a-z.-]+\]\n([a-z_-]+) = (\"[^\"\n]*\"|\d+|true|false)$", text)
    if not head:
        return []
    path = "file.toml"
    table = head.group(0).split("]")[0][1:].split(".")
    change = patch("note it", {"op": "set-key", "path": path, "pointer": "/" + "/".join(table + [head.group(1)]), "value": "noted"})
    found = [source(name, path, text, change, [head.group(0).split("\n")[1]], delimiter=True)]
    listed = 'owners = ["ops"]\n' + text
    change = patch("name a second owner", {"op": "append-item", "path": path, "pointer": "/owners", "value": "data"})
    found.append(source(name + "-list", path, listed, change, ['owners = ["ops"]'], list='["ops"]'))
    return found


def of_rust(name, text):
    found = re.search(r"(?m)^(?:pub(?:\(\w+\))? )?fn ([a-z_]+)[^\n]*\{\n(?:(?!\})[^\n]*\n){4,20}?\}\n", text)
    if not found or text.count("fn %s" % found.group(1)) > 1:
        return []
    path = "file.rs"
    body = found.group(0)
    first, rest = body.split("\n", 1)
    new = first + "\n    // What is held is checked by the caller.\n" + rest
    change = patch("say who checks", {"op": "replace-definition", "path": path, "target": {"path": [found.group(1)]}, "text": new})
    return [source(name, path, text, change, body.split("\n"), names=[found.group(1)], delimiter=True)]


def plain(source):
    """The lines that a check can be about."""
    lines = source["files"][source["path"]].split("\n")
    return [line for line in lines if line.strip() and line not in source["changed"] and lines.count(line) == 1]


def is_held_out(path):
    return not path.startswith("golden/repair-utility/") and hashlib.sha256(path.encode()).digest()[-1] % 2 == 1


def main():
    seed = "lonis/repair-utility-sources-v0.1\n" + sys.argv[1]
    paths = [path for path in sys.stdin.read().split() if is_held_out(path)]
    paths.sort(key=lambda path: hashlib.sha256((seed + "\n" + path).encode()).hexdigest())
    sources = []
    for suffix, name, make in ((".json", "json", of_json), (".toml", "toml", of_toml), (".rs", "rust", of_rust)):
        count = 0
        for path in paths:
            if count == EACH or not path.endswith(suffix):
                continue
            with open(path, encoding="utf-8") as file:
                text = file.read()
            made = make("%s-%d" % (name, count + 1), text) if len(text) in SIZES else []
            if made and all(len(plain(one)) >= 6 for one in made):
                sources.extend(made)
                count += 1
    sys.stdout.write(json.dumps({"sources": sources}, ensure_ascii=False, indent=1, sort_keys=True) + "\n")


main()
