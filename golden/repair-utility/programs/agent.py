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
    alone = re.search(r"` at (\d+):(\d+) seems to have no", cause)
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
        "alone": alone and (int(alone.group(1)), int(alone.group(2))),
    }


def from_entry(entry):
    """Reads the members of the entry, and of its plan where there is one."""
    parameters = entry["parameters"]
    span = entry["primary_span"]
    nearest = parameters.get("nearest") or [None]
    names = nearest[0]["path"] if isinstance(nearest[0], dict) else None
    expected = re.search(r"expected `([^`]*)`", str(parameters.get("rule", "")))
    alone = parameters.get("unpaired")
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
        "alone": alone and (alone["line"], alone["column"]),
    }


# Well-formedness, as far as a delimiter shows in it.


def json_holds(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def json_scope(text):
    """The part of a text in which the fault is: up to the line where reading stops."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        end = text.find("\n", error.pos + 1)
        return 0, end + 1 if end >= 0 else len(text)
    return 0, -1


def toml_scope(text):
    """The part of a text in which the fault is: the statement where reading stops, and the one before."""
    toml = Toml(text)
    try:
        toml.document()
    except ValueError:
        end = text.find("\n", toml.at)
        return toml.starts[-2:][0], end + 1 if end >= 0 else len(text)
    return 0, -1


class Toml:
    """Walks a TOML text, of which it knows what delimiters stand in."""

    SCALAR = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[+\-\w.:]+')
    KEY = re.compile(r'(?:[\w\-]+|"[^"\n]*")(?:\.(?:[\w\-]+|"[^"\n]*"))*')
    BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
    END = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|$)")

    def __init__(self, text):
        self.text = text
        self.at = 0
        self.starts = [0]

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
            self.starts.append(self.at)
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


# How a text is laid out.


PLAIN = re.compile(r'"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|(?:#|//)[^\n]*|[()\[\]{},:=]')


def indent(line):
    return len(line) - len(line.lstrip(" \t"))


def faults_of_layout(text):
    """Counts what no one would write: blanks at ends, brackets whose lines do not stand below each other."""
    lines = text.split("\n")
    faults = sum(line != line.rstrip() for line in lines)
    opened = []
    for token in PLAIN.finditer(text):
        mark, at = token.group(), token.start()
        row = text.count("\n", 0, at)
        column = at - text.rfind("\n", 0, at) - 1
        before, after = lines[row][:column], lines[row][column + len(mark):]
        if mark in OPENERS:
            opened.append((row, mark, after))
        elif mark in OPENERS.values() and opened:
            first, opener, rest = opened.pop()
            faults += OPENERS[opener] != mark
            if first != row:
                faults += indent(lines[first]) != indent(lines[row])
                faults += bool(before.strip(" \t)]}"))
                faults += bool(rest.strip(" \t([{")) and rest.strip()[:1] not in ("#", "/")
                faults += sum(bool(line.strip()) and indent(line) <= indent(lines[first]) for line in lines[first + 1:row])
                faults += any(not line.strip() for line in lines[first + 1:row])
        elif mark in (",", ":"):
            faults += before != before.rstrip() or bool(after) and after[0] not in " \t" and mark == ","
        elif mark[0] == '"':
            faults += before[-1:].isalnum() or after[:1].isalnum() or after[:1] == '"'
    return faults


# Edits of one text.


def changes(text, first, last):
    """All edits of one delimiter in a part of a text: each is (start, end, text)."""
    for at in range(first, min(last, len(text)) + 1):
        if text[at:at + 1] and text[at] in DELIMITERS:
            yield at, at + 1, ""
        for mark in DELIMITERS:
            yield at, at, mark


def done(text, edit):
    start, end, put = edit
    return text[:start] + put + text[end:]


def offset(text, line, column):
    lines = text.split("\n")
    return sum(len(one) + 1 for one in lines[:line - 1]) + column - 1


def mend(text, hint, alone, wanted, holds, scope):
    """The edit after which the text is well-formed and best laid out; none where edits of several lines are as good."""
    found = []
    for edit in changes(text, *scope):
        after = done(text, edit)
        if holds(after):
            found.append((faults_of_layout(after), edit))
    least = min((faults for faults, _ in found), default=0)
    best = [edit for faults, edit in found if faults == least]
    if len({line_at(text, edit[0]) for edit in best}) > 1 and alone is not None:
        best = [edit for edit in best if line_at(text, edit[0]) == line_at(text, alone)]
    if len({line_at(text, edit[0]) for edit in best}) != 1:
        return None

    def order(edit):
        start, end, put = edit
        is_doubled = end > start and text[start] in (text[start - 1:start], text[end:end + 1])
        return not is_doubled, abs(start - hint), put != wanted

    return min(best, key=order)


def line_at(text, at):
    return text.count("\n", 0, at)


def ends_of_lines(text):
    return [at for at in range(len(text) + 1) if text[at:at + 1] in ("", "\n")]


def best_laid(text, places, put):
    """The place after which a program text is balanced and best laid out, the last one of equals."""
    found = [(faults_of_layout(done(text, (at, at, put))), -at) for at in places if code_holds(done(text, (at, at, put)))]
    return [(-min(found)[1], -min(found)[1], put)] if found else []


def closing(text, at):
    """Where the closer of an opener may stand: at the end of what its line holds, or below it."""
    closer = OPENERS[text[at]]
    end = text.find("\n", at)
    end = end if end >= 0 else len(text)
    line = text[at + 1:end]
    if not line.strip() or closer == "}":
        yield from best_laid(text, [one for one in ends_of_lines(text) if one > at], closer)
    kept = re.match(r"(.*?)(?:\s*->.*|[\s;,{?]*)$", line)
    for place in (at + 1 + kept.end(1), end):
        yield place, place, closer
    for place in range(end, at, -1):
        if text[place:place + 1] in (";", ",", ")", "{", "?", ".", " "):
            yield place, place, closer


def opening(text, at):
    """Where the opener of a closer may stand: at the end of the line that it stands below, or where its line lacks it."""
    opener = [one for one, closer in OPENERS.items() if closer == text[at]][0]
    start = text.rfind("\n", 0, at) + 1
    if not text[start:at].strip():
        yield from best_laid(text, [one for one in ends_of_lines(text) if one < at], opener)
    line = text[start:at]
    likely = [r"\w!(?=\w)", r"\bpub(?=super|crate)", r"\w!?(?=[\"&|])", r"\w!?$", r"[a-z_]\w*(?=[^\w(!.:\s])"]
    for pattern in likely:
        for found in re.finditer(pattern, line):
            yield start + found.end(), start + found.end(), opener


def mend_code(text, alone):
    """One delimiter of a program text: a doubled one goes, a missing one comes where its line shows it."""
    openers, closers = unmatched(text)
    suspects = openers + closers
    if alone is not None:
        suspects = [alone] + suspects
    for at in suspects:
        if text[at] in (text[at - 1:at], text[at + 1:at + 2]) and code_holds(done(text, (at, at + 1, ""))):
            return at, at + 1, ""
    for at in suspects:
        for edit in closing(text, at) if text[at] in OPENERS else opening(text, at):
            if code_holds(done(text, edit)):
                return edit
    return None


# The strategies: each gives edits of one file, or none.


def in_file(facts, files):
    path = facts["path"]
    if path not in files or facts["line"] is None:
        return None
    text = files[path]
    wanted = [mark for name, mark in NAMED.items() if name in facts["reason"]]
    holds = json_holds if path.endswith(".json") else toml_holds
    hint = offset(text, facts["line"], facts["column"])
    alone = facts["alone"] and offset(text, *facts["alone"])
    scope = json_scope(text) if path.endswith(".json") else toml_scope(text)
    edit = mend(text, hint, alone, wanted[0] if wanted else None, holds, scope)
    return edit and (path, edit)


def in_definition(facts, files):
    raw = files["change.json"]
    op = json.loads(raw)["ops"][0]
    text = op.get("text", "")
    # What is said of lines is about the file with the new text, which starts where the old one does.
    old = re.search(r"(?m)^[^\n/]*\bfn %s\b" % re.escape(op["target"]["path"][-1]), files.get(op["path"], ""))
    begins = files[op["path"]].count("\n", 0, old.start()) if old else 0
    alone = facts["alone"] and offset(text, facts["alone"][0] - begins, facts["alone"][1])
    is_bracket = alone is not None and 0 <= alone < len(text) and text[alone] in "()[]{}"
    edit = mend_code(text, alone if is_bracket else None)
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
