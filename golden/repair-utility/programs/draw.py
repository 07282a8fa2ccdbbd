"""Draws the held-out cases: the sources on stdin, the cases on stdout.

The seed is the hash of the agent, so that it is known only once the agent is fixed, and a changed agent has other cases.
"""

import hashlib
import json
import re
import sys

DELIMITERS = {".json": ",:[]{}\"", ".toml": "[]\"", ".rs": "()[]{}"}
STRING = r'"(?:[^"\\\n]|\\.)*"'
TOKENS = {
    DELIMITERS[".json"]: re.compile(STRING + r"|[,:\[\]{}]"),
    DELIMITERS[".toml"]: re.compile(r'"""[\s\S]*?"""|' + STRING + r"|'[^'\n]*'|#[^\n]*|[\[\]]"),
    DELIMITERS[".rs"]: re.compile(STRING + r"|//[^\n]*|'(?:[^'\\\n]|\\.)'|[()\[\]{}]"),
}
EACH = 30
STAGE = ["stage", "fix", "--gate", "none", "--patch", "-"]


class Draw:
    """Numbers that follow from a text alone."""

    def __init__(self, seed):
        self.seed = seed
        self.count = 0

    def below(self, bound):
        self.count += 1
        drawn = hashlib.sha256(("%s:%d" % (self.seed, self.count)).encode()).digest()
        return int.from_bytes(drawn[:8], "big") % bound

    def one(self, items):
        return items[self.below(len(items))]


def suffix(path):
    return path[path.rindex("."):]


def policy(kept, path, more=""):
    """The policy of a case: what has to hold beside the command is that the lines stay."""
    text = "version = 1\n" + more
    for name, line in kept:
        argv = json.dumps(["grep", "-qxF", "--", line, path], ensure_ascii=False)
        text += '\n[[obligation]]\nname = "%s"\nargv = %s\n' % (name, argv)
    return text


def kept_lines(draw, source, fault):
    """Two lines of the file that neither the fault nor the change touches."""
    text = source["files"][source["path"]]
    broken = fault["start"] if fault and fault["path"] == source["path"] else None
    lines = []
    at = 0
    for line in text.split("\n"):
        near = broken is not None and at - 1 <= broken <= at + len(line) + 1
        if line.strip() and line not in source["changed"] and not near and text.split("\n").count(line) == 1:
            lines.append(line)
        at += len(line) + 1
    first = draw.one(lines)
    second = draw.one([line for line in lines if line != first])
    return [("first-line", first), ("second-line", second)]


def places(text, marks):
    """Where the delimiters of a text stand; what is in its strings and comments is none, their quotes are."""
    found = []
    for token in TOKENS[marks].finditer(text):
        if token.group() in marks:
            found.append(token.start())
        elif '"' in marks and re.fullmatch(STRING, token.group()):
            found += [token.start(), token.end() - 1]
    return found


def delimiter(draw, source, is_missing):
    path, text = source["path"], source["files"][source["path"]]
    marks = DELIMITERS[suffix(path)]
    if suffix(path) == ".rs":
        # The fault is in the definition that the change brings, which stands in the document as a string.
        path, document = "change.json", source["change"]
        text = json.loads(document)["ops"][0]["text"]
        base = document.index(json.dumps(text, ensure_ascii=False))
        place = draw.one(places(text, marks))
        at = base + len(json.dumps(text[:place], ensure_ascii=False)) - 1
        text = document
    else:
        at = draw.one(places(text, marks))
    if is_missing:
        return {"path": path, "start": at, "end": at + 1, "text": ""}
    return {"path": path, "start": at, "end": at, "text": text[at]}


def wrong_type(draw, source):
    path, text = source["path"], source["files"][source["path"]]
    listed = source["list"]
    at = text.index(listed)
    return {"path": path, "start": at, "end": at + len(listed), "text": listed[1:-1]}


def misspelled(draw, source):
    text = source["change"]
    name = source["names"][-1]
    at = text.index('"%s"' % name, text.index('"target"')) + 1
    place = draw.below(len(name))
    kinds = {
        "dropped": {"start": at + place, "end": at + place + 1, "text": ""},
        "doubled": {"start": at + place, "end": at + place, "text": name[place]},
        "other": {"start": at + place, "end": at + place + 1, "text": "z" if name[place] != "z" else "y"},
    }
    return dict(kinds[draw.one(sorted(kinds))], path="change.json")


def version(draw, source):
    text = source["change"]
    known = "genesis/semantic-patch-v0.2"
    at = text.index(known)
    other = draw.one(["genesis/semantic-patch-v0.1", "genesis/semantic-patch-v0.3", "genesis/semantic-patch-v1",
                      "genesis/semantic-patch", "semantic-patch-v0.2", "genesis/patch-v0.2"])
    return {"path": "change.json", "start": at, "end": at + len(known), "text": other}


def review(draw, source, kind):
    """A case in which only abstention is right."""
    kept = kept_lines(draw, source, None)
    path = source["path"]
    if kind == "protected":
        return policy(kept, path, '\n[files]\nprotect = ["%s"]\n' % path), "policy/protected-path", STAGE, None
    if kind == "bound":
        return policy(kept, path, "\n[files]\nmax_files = 1\n"), "session/snapshot-limit", ["begin", "fix"], None
    text = policy(kept, path) + 'network = "deny"\n'
    ops = [{"find": 'network = "deny"', "op": "replace-text", "path": "lonis-session.toml",
            "replace": 'network = "inherit"'}]
    change = json.dumps({"schema": "genesis/semantic-patch-v0.2", "intent": "open the network", "ops": ops})
    return text, "policy/policy-file-edit", STAGE, change


CODES = {"wrong-type": "patch/pointer-type", "definition-name": "patch/definition-missing", "version": "patch/schema"}


def case(draw, family, number, sources):
    pools = {
        "missing-delimiter": "delimiter", "extra-delimiter": "delimiter", "wrong-type": "list",
        "definition-name": "names", "version": "change", "review-required": "change",
    }
    pool = [source for source in sources if source.get(pools[family])]
    source = pool[number % len(pool)] if family != "review-required" else draw.one(pool)
    found = {"family": family, "id": "%s-%02d" % (family, number + 1), "source": source["name"]}
    if family == "review-required":
        kind = ("protected", "bound", "network")[number % 3]
        text, code, argv, change = review(draw, source, kind)
        return dict(found, argv=argv, change=change, fault=None, first_code=code, policy=text)
    if family.endswith("delimiter"):
        fault = delimiter(draw, source, family.startswith("missing"))
        code = "patch/syntax-regression" if fault["path"] == "change.json" else "patch/format-parse"
    else:
        fault = {"wrong-type": wrong_type, "definition-name": misspelled, "version": version}[family](draw, source)
        code = CODES[family]
    text = policy(kept_lines(draw, source, fault), source["path"])
    return dict(found, argv=STAGE, change=None, fault=fault, first_code=code, policy=text)


def main():
    asked = json.loads(sys.stdin.read())
    seed = hashlib.sha256(("lonis/repair-utility-seed-v0.1\n" + asked["agent_sha256"]).encode()).hexdigest()
    families = ["definition-name", "extra-delimiter", "missing-delimiter", "review-required", "version", "wrong-type"]
    cases = []
    for family in families:
        draw = Draw(seed + "/" + family)
        cases.extend(case(draw, family, number, asked["sources"]) for number in range(asked.get("each", EACH)))
    found = {"agent_sha256": asked["agent_sha256"], "cases": cases, "seed": seed}
    sys.stdout.write(json.dumps(found, sort_keys=True, ensure_ascii=False) + "\n")


main()
