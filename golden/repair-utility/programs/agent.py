"""A scripted agent of the repair benchmark: one request on stdin, one answer on stdout.

It has one table of strategies. What is shown of a failure, its text for people or its entry, is only read into the
same facts; each strategy sees the facts, never which of the two they came from.
"""

import json
import re
import sys

DELIMITERS = ",:[]{}()\""
OPENERS = {"(": ")", "[": "]", "{": "}"}
NAMED = {"comma": ",", "colon": ":"}


# Facts of a failure.


def from_message(message):
    """Reads the three fields of the text for people."""
    fields = {}
    label = None
    for line in message.splitlines():
        head = re.match(r"(error|cause|next)(\[[^\]]*\])?: ?", line)
        if head:
            label = head.group(1)
            fields[label] = line if label == "error" else line[head.end():]
        elif label:
            fields[label] += " " + line.strip()
    first = re.match(r"error\[([^\]]*)\]: \S+ failed for (.*)", fields.get("error", ""))
    cause = fields.get("cause", "")
    following = fields.get("next", "")
    subject = first.group(2) if first else ""
    place = re.match(r"(.+):(\d+):(\d+)$", subject)
    quoted = re.findall(r"`([^`]*)`", cause)
    nearest = re.findall(r"`([^`]*)`", cause.partition("the nearest are")[2])
    expected = re.search(r"expected `([^`]*)`", cause)
    pointer = re.search(r"`(/[^`]*)`", following)
    return {
        "code": first.group(1) if first else "",
        "path": place.group(1) if place else (quoted[1] if len(quoted) > 1 else subject),
        "line": int(place.group(2)) if place else None,
        "column": int(place.group(3)) if place else None,
        "reason": cause,
        "nearest": nearest[0] if nearest else None,
        "expected": expected.group(1) if expected else None,
        "pointer": pointer.group(1) if pointer else None,
        "review": "review" in following,
    }


def from_entry(entry):
    """Reads the members of the entry, and of its plan where there is one."""
    parameters = entry["parameters"]
    span = entry["primary_span"]
    nearest = parameters.get("nearest") or [None]
    names = nearest[0]["path"] if isinstance(nearest[0], dict) else None
    expected = re.search(r"expected `([^`]*)`", str(parameters.get("rule", "")))
    plan = entry.get("repair_plan")
    if plan is not None:
        review = not plan["authorization"]["automatic_allowed"]
    else:
        review = not any(action["automaticEligible"] for action in entry["safe_repair_actions"])
    return {
        "code": entry["code"],
        "path": span["source"] if span else parameters.get("path"),
        "line": span["startLine"] if span else None,
        "column": span["startColumn"] if span else None,
        "reason": entry["message"],
        "nearest": "/".join(names) if names else None,
        "expected": expected.group(1) if expected else None,
        "pointer": parameters.get("pointer"),
        "review": review,
    }


# Well-formedness, as far as a delimiter shows in it.


def json_holds(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


class Toml:
    """Walks a TOML text, of which it knows what delimiters stand in."""

    SCALAR = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[+\-\w.:]+')
    KEY = re.compile(r'(?:[\w\-]+|"[^"\n]*")(?:\.(?:[\w\-]+|"[^"\n]*"))*')
    BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
    END = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|$)")

    def __init__(self, text):
        self.text = text
        self.at = 0

    def take(self, pattern):
        found = pattern.match(self.text, self.at)
        if not found:
            raise ValueError
        self.at = found.end()

    def word(self, word):
        if not self.text.startswith(word, self.at):
            raise ValueError
        self.at += len(word)

    def skip(self, blanks=" \t"):
        while self.at < len(self.text) and self.text[self.at] in blanks:
            self.at += 1

    def value(self):
        opener = self.text[self.at:self.at + 1]
        if opener not in ("[", "{"):
            self.take(self.SCALAR)
            return
        closer = OPENERS[opener]
        self.at += 1
        self.take(self.BLANK)
        while not self.text.startswith(closer, self.at):
            if opener == "{":
                self.pair()
            else:
                self.value()
            self.take(self.BLANK)
            if not self.text.startswith(closer, self.at):
                self.word(",")
                self.take(self.BLANK)
        self.at += 1

    def pair(self):
        self.take(self.KEY)
        self.skip()
        self.word("=")
        self.skip()
        self.value()

    def document(self):
        self.take(self.BLANK)
        while self.at < len(self.text):
            if self.text.startswith("[", self.at):
                width = 2 if self.text.startswith("[[", self.at) else 1
                self.at += width
                self.take(self.KEY)
                self.word("]" * width)
            else:
                self.pair()
            self.take(self.END)
            self.take(self.BLANK)


def toml_holds(text):
    try:
        Toml(text).document()
    except ValueError:
        return False
    return True


CODE = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|\'(?:[^\'\\]|\\.)\'|[(){}\[\]]')


def unmatched(text):
    """The delimiters of a program text that have no partner, openers and closers, by place."""
    opened = []
    closers = []
    for token in CODE.finditer(text):
        mark = token.group()
        if mark in OPENERS:
            opened.append(token.start())
        elif mark in OPENERS.values():
            if opened and OPENERS[text[opened[-1]]] == mark:
                opened.pop()
            elif len(opened) > 1 and OPENERS[text[opened[-2]]] == mark:
                return opened[-1:], []
            else:
                return [], [token.start()]
    return opened, closers


def code_holds(text):
    return unmatched(text) == ([], [])


# Edits of one text, nearest first.


def changes(text, hint, wanted):
    """All edits of one delimiter, by the distance from a place; an edit is (start, end, text)."""
    found = []
    for at in range(len(text) + 1):
        before = text[at - 1:at]
        after = text[at:at + 1]
        if after and after in DELIMITERS and (after == before or text[at + 1:at + 2] == after):
            found.append((abs(at - hint), 0, (at, at + 1, "")))
        for mark in DELIMITERS:
            if mark in "([{" and (not after or after in " \t\n"):
                continue
            if mark in ",:)]}" and (not before or before in " \t\n") and not blank_line(text, at):
                continue
            found.append((abs(at - hint), 1 if mark == wanted else 2, (at, at, mark)))
        if after and after in DELIMITERS:
            found.append((abs(at - hint) + 2, 3, (at, at + 1, "")))
    found.sort(key=lambda one: (one[0], one[1]))
    return [edit for _, _, edit in found]


def blank_line(text, at):
    """Says whether a place ends a line of blanks alone, where a delimiter may have stood."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line = text[start:end if end >= 0 else len(text)]
    return bool(line) and not line.strip() and at == start + len(line) or line == "" and at == len(text)


def done(text, edit):
    start, end, put = edit
    return text[:start] + put + text[end:]


def offset(text, line, column):
    lines = text.split("\n")
    return sum(len(one) + 1 for one in lines[:line - 1]) + column - 1


def mend(text, hint, wanted, holds):
    for edit in changes(text, hint, wanted):
        if holds(done(text, edit)):
            return edit
    return None


def mend_code(text, hint):
    """One delimiter of a program text: a doubled one goes, a missing one comes where its line shows it."""
    openers, closers = unmatched(text)
    for at in openers + closers:
        if text[at] in (text[at - 1:at], text[at + 1:at + 2]) and code_holds(done(text, (at, at + 1, ""))):
            return at, at + 1, ""
    blanks = [at for at in range(len(text) + 1) if blank_line(text, at)]
    for at in openers:
        closer = OPENERS[text[at]]
        for place in [place for place in blanks if place > at and closer == "}"]:
            if code_holds(done(text, (place, place, closer))):
                return place, place, closer
        end = text.find("\n", at)
        line = text[at:end if end >= 0 else len(text)]
        tails = [place for place in range(at + 1, at + len(line) + 1) if text[place:place + 1] in ";,){?. \n"]
        for place in tails or [at + len(line)]:
            if code_holds(done(text, (place, place, closer))):
                return place, place, closer
    for at in closers:
        opener = [one for one, closer in OPENERS.items() if closer == text[at]][0]
        start = text.rfind("\n", 0, at) + 1
        for word in re.finditer(r"[a-z_]\w*!?(?=[^\w(!.:\s])", text[start:at]):
            place = start + word.end()
            if code_holds(done(text, (place, place, opener))):
                return place, place, opener
    return mend(text, hint, None, code_holds)


# The strategies: each gives edits of one file, or none.


def in_file(facts, files):
    path = facts["path"]
    if path not in files or facts["line"] is None:
        return None
    text = files[path]
    wanted = [mark for name, mark in NAMED.items() if name in facts["reason"]]
    holds = json_holds if path.endswith(".json") else toml_holds
    edit = mend(text, offset(text, facts["line"], facts["column"]), wanted[0] if wanted else None, holds)
    return edit and (path, edit)


def in_definition(facts, files):
    raw = files["change.json"]
    op = json.loads(raw)["ops"][0]
    text = op.get("text", "")
    first = text.split("\n")[0]
    lines = files.get(op["path"], "").split("\n")
    begins = lines.index(first) if first in lines else 0
    line = max(1, (facts["line"] or 1) - begins)
    edit = mend_code(text, min(len(text), offset(text, line, facts["column"] or 1)))
    if edit is None:
        return None
    # The text stands in the document as a string: the place moves by what is escaped before it.
    shown = json.dumps(text, ensure_ascii=False)
    base = raw.find(shown)
    if base < 0:
        return None
    start = base + len(json.dumps(text[:edit[0]], ensure_ascii=False)) - 1
    end = base + len(json.dumps(text[:edit[1]], ensure_ascii=False)) - 1
    return "change.json", (start, end, json.dumps(edit[2])[1:-1])


def as_list(facts, files):
    op = json.loads(files["change.json"])["ops"][0]
    path = op["path"]
    key = re.escape(op["pointer"].split("/")[-1])
    text = files.get(path, "")
    mark = "=" if path.endswith(".toml") else ":"
    name = '"%s"' % key if path.endswith(".json") else key
    value = r'("(?:[^"\\\n]|\\.)*"|[^\s\[\]{},#"][^\n,#]*)'
    found = re.search(r"(?m)(?:^|[\s{,])" + name + r"\s*" + mark + r"[ \t]*" + value, text)
    if not found:
        return None
    scalar = found.group(1).rstrip()
    return path, (found.start(1), found.start(1) + len(scalar), "[" + scalar + "]")


def as_nearest(facts, files):
    if not facts["nearest"]:
        return None
    raw = files["change.json"]
    names = json.loads(raw)["ops"][0]["target"]["path"]
    right = re.split(r"/|::|\.", facts["nearest"])
    if len(right) != len(names):
        return None
    start = raw.index('"path"', raw.index('"target"'))
    wrong = [(old, new) for old, new in zip(names, right) if old != new]
    if len(wrong) != 1:
        return None
    at = raw.index(json.dumps(wrong[0][0]), start)
    return "change.json", (at + 1, at + 1 + len(wrong[0][0]), wrong[0][1])


def as_expected(facts, files):
    if not facts["expected"] or facts["pointer"] != "/schema":
        return None
    raw = files["change.json"]
    found = re.search(r'"schema"\s*:\s*"([^"]*)"', raw)
    return "change.json", (found.start(1), found.end(1), facts["expected"])


STRATEGIES = {
    "patch/format-parse": in_file,
    "patch/syntax-regression": in_definition,
    "patch/definition-unparsable": in_definition,
    "patch/pointer-type": as_list,
    "patch/definition-missing": as_nearest,
    "patch/schema": as_expected,
}


def answer(request):
    view = request["view"]
    facts = from_message(view["message"]) if "message" in view else from_entry(view["entry"])
    if facts["review"]:
        return {"action": "abstain", "handler": "review"}
    strategy = STRATEGIES.get(facts["code"])
    edit = strategy(facts, request["files"]) if strategy else None
    if edit is None or edit[0] not in request["may_change"]:
        return {"action": "abstain", "handler": None}
    path, (start, end, text) = edit
    change = {"path": path, "start": start, "end": end, "text": text}
    return {"action": "repair", "edits": [change], "handler": strategy.__name__}


def main():
    response = answer(json.loads(sys.stdin.read()))
    sys.stdout.write(json.dumps(response, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n")


main()
