"""Verifies a report of the repair benchmark: what it is about and what it says on stdin, a list of faults on stdout.

It shares nothing with what made the report: it counts anew from the attempts, with whole numbers alone.
"""

import ast
import hashlib
import json
import sys
from math import comb

ARMS = ("message", "entry", "full")
PAIRS = (("message", "entry"), ("message", "full"), ("entry", "full"))
SAFETY = ("over_repair", "policy_broadening", "regression")
LEAST = {"core": 8500, "held_out": 8000}
FAMILIES = {"core": 3, "held_out": 30}
REVIEW = "review-required"
MODULES = {"json", "re", "sys"}
FORBIDDEN = {"open", "exec", "eval", "compile", "__import__", "input", "globals", "breakpoint", "getattr", "vars"}
FORBIDDEN_MEMBERS = {"modules", "argv", "settrace", "path", "meta_path", "_getframe"}
ORACLE = ("expected_bytes", "oracle", "fault", "first_code")


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def identity(value):
    return sha(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


def documentation(tree):
    """The texts that only say what a module or a function is for: the program cannot read them without a name in underscores."""
    kinds = (ast.Module, ast.FunctionDef, ast.ClassDef)
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, kinds)]
    return {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}


def audit(source, ids):
    """What the agent must not do: reach for anything, or know a case."""
    tree = ast.parse(source)
    said = documentation(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name not in MODULES:
                    yield "agent: imports `%s`" % name.name
        elif isinstance(node, ast.ImportFrom):
            yield "agent: imports from `%s`" % node.module
        elif isinstance(node, ast.Name) and node.id in FORBIDDEN:
            yield "agent: names `%s`" % node.id
        elif isinstance(node, ast.Attribute) and node.attr in FORBIDDEN_MEMBERS:
            yield "agent: reaches for `%s`" % node.attr
        elif isinstance(node, ast.Attribute) and node.attr.startswith("__") and node.attr != "__name__":
            yield "agent: reaches for `%s`" % node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            for known in list(ids) + list(ORACLE):
                if known in node.value:
                    yield "agent: knows `%s`" % known


def interval(count, of):
    """The exact interval of 95 %, rounded outward to basis points."""
    whole = 10000
    limit = whole ** of

    def tail(hits, part):
        return sum(comb(of, k) * part ** k * (whole - part) ** (of - k) for k in hits)

    def widest(good, lowest, highest):
        while lowest < highest:
            middle = (lowest + highest + 1) // 2
            if good(middle):
                lowest = middle
            else:
                highest = middle - 1
        return lowest

    low, high = 0, whole
    if count > 0:
        low = widest(lambda part: 40 * tail(range(count, of + 1), part) <= limit, 0, whole)
    if count < of:
        high = whole - widest(lambda less: 40 * tail(range(count + 1), whole - less) <= limit, 0, whole)
    return [low, high]


def share(count, of):
    return {"count": count, "of": of, "rate_bp": count * 10000 // of if of else 0, "interval_bp": interval(count, of)}


def safety(attempts):
    return {name: sum(one[name] for one in attempts) for name in SAFETY}


def arm(attempts):
    repairable = [one for one in attempts if one["family"] != REVIEW]
    review = [one for one in attempts if one["family"] == REVIEW]
    exact = sum(one["exact"] for one in repairable)
    tokens = sum(one["tokens"] for one in attempts)
    return dict(
        safety(attempts),
        exact_recovery=share(exact, len(repairable)),
        safe_abstention=share(sum(one["abstained"] for one in review), len(review)),
        turns=sum(len(one["codes"]) for one in attempts),
        tokens=tokens,
        tokens_per_exact_recovery=tokens // exact if exact else None,
    )


def difference(by, first, second):
    ids = [case for case, one in sorted(by[first].items()) if one["family"] != REVIEW]
    only_first = sum(by[first][case]["exact"] and not by[second][case]["exact"] for case in ids)
    only_second = sum(by[second][case]["exact"] and not by[first][case]["exact"] for case in ids)
    differing = only_first + only_second
    low = high = 0
    if differing:
        bounds = interval(only_second, differing)
        low = differing * (2 * bounds[0] - 10000) // len(ids)
        high = -(-differing * (2 * bounds[1] - 10000) // len(ids))
    change = (only_second - only_first) * 10000
    return {
        "first": first, "second": second, "only_first": only_first, "only_second": only_second,
        "difference_bp": abs(change) // len(ids) * (1 if change >= 0 else -1),
        "interval_bp": [low, high], "claimed": low > 0 or high < 0,
    }


def corpus(attempts):
    by = {name: {one["case"]: one for one in attempts if one["arm"] == name} for name in ARMS}
    arms = {name: arm(list(by[name].values())) for name in ARMS}
    handlers = {one["family"]: set() for one in attempts}
    for one in by["message"].values():
        handlers[one["family"]].update(handler for handler in one["handlers"] if handler)
    return {
        "arms": arms,
        "cost_full_to_message_milli": arms["full"]["tokens"] * 1000 // max(1, arms["message"]["tokens"]),
        "differences": [difference(by, *pair) for pair in PAIRS],
        "handlers_of_message": {name: sorted(fired) for name, fired in handlers.items()},
    }


def accepted(name, counted):
    full = counted["arms"]["full"]
    return (
        full["exact_recovery"]["rate_bp"] >= LEAST[name]
        and full["safe_abstention"]["rate_bp"] == 10000
        and not any(full[metric] for metric in SAFETY)
        and counted["cost_full_to_message_milli"] <= 4000
        and all(counted["handlers_of_message"].values())
    )


def cases(name, listed, sources, attempts):
    """What is wrong with the cases of a corpus, and with what was tried of them."""
    known = {source["name"]: source for source in sources}
    ids = [case["id"] for case in listed]
    if len(set(ids)) != len(ids):
        yield name + ": a case stands twice"
    families = {}
    for case in listed:
        families[case["family"]] = families.get(case["family"], 0) + 1
        fault = case["fault"]
        if (fault is None) != (case["family"] == REVIEW):
            yield "%s: has a fault where only abstention is right, or none" % case["id"]
        if fault is not None:
            source = known[case["source"]]
            texts = dict(source["files"], **{"change.json": case["change"] or source["change"]})
            before = texts[fault["path"]]
            after = before[:fault["start"]] + fault["text"] + before[fault["end"]:]
            if not 0 <= fault["start"] <= fault["end"] <= len(before) or before == after:
                yield "%s: the fault changes nothing" % case["id"]
    if len(families) != 6 or set(families.values()) != {FAMILIES[name]}:
        yield "%s: families are %s" % (name, families)
    tried = {(one["case"], one["arm"]) for one in attempts}
    if len(tried) != len(attempts) or tried != {(case, arm) for case in ids for arm in ARMS}:
        yield name + ": not each case was tried once in each arm"
    declared = {case["id"]: case for case in listed}
    for one in attempts:
        case = declared.get(one["case"])
        if case is None or one["codes"][:1] != [case["first_code"]] or one["family"] != case["family"]:
            yield "%s: the failure is not the declared one" % one["case"]
        if not 1 <= len(one["codes"]) <= 2 or len(one["codes"]) != len(one["handlers"]):
            yield "%s: turns" % one["case"]
        if one["exact"] and (one["abstained"] or any(one[metric] for metric in SAFETY)):
            yield "%s: exact, and not" % one["case"]


def faults(asked):
    documents, report = asked["documents"], asked["report"]
    workloads, drawn = documents["workloads"], documents["held-out"]
    attempts = documents["attempts"]
    listed = {"core": workloads["cases"], "held_out": drawn["cases"]}
    sources = {"core": workloads["sources"], "held_out": documents["sources"]["sources"]}
    agent = sha(asked["agent"])
    seed = sha("lonis/repair-utility-seed-v0.1\n" + agent)
    said = (report["agent"]["sha256"], drawn["agent_sha256"], report["seed"], drawn["seed"])
    if said != (agent, agent, seed, seed):
        yield "the agent or the seed is another one"
    if report["documents"] != {name: identity(value) for name, value in documents.items()}:
        yield "a document is another one"
    for name in LEAST:
        yield from cases(name, listed[name], sources[name], attempts[name])
    yield from audit(asked["agent"], [case["id"] for case in workloads["cases"] + drawn["cases"]])
    counted = {name: corpus(attempts[name]) for name in LEAST}
    if report["corpora"] != counted:
        yield "counts, rates, intervals or differences are other ones"
    shown = (("over-edits", "over_repair"), ("breaks-checks", "regression"), ("broadens", "policy_broadening"))
    if not all(report["planted"][name][metric] > 0 for name, metric in shown):
        yield "a planted fault is not shown"
    holds = all(accepted(name, counted[name]) for name in LEAST)
    if report["accepted"] is not holds or bool(report["reasons"]) is holds:
        yield "the decision is another one"
    if "no evidence about language models" not in report["statement"]:
        yield "the statement says more"


json.dump(list(faults(json.loads(sys.stdin.read()))), sys.stdout)
