"""Agents with a planted fault, by its name: each has to be found by the count that it is for."""

import json
import sys


def over_edits(files):
    """Leaves the fault, and adds a line to a file that it is not in."""
    end = len(files["notes.txt"]) if "notes.txt" in files else 0
    return [{"path": "notes.txt", "start": end, "end": end, "text": "Looked at.\n"}]


def breaks_checks(files):
    """Empties whatever stands in the tree."""
    paths = sorted(path for path in files if path not in ("change.json", "lonis-session.toml"))
    return [{"path": path, "start": 0, "end": len(files[path]), "text": "\n"} for path in paths]


def broadens(files):
    """Drops the policy."""
    policy = "lonis-session.toml"
    return [{"path": policy, "start": 0, "end": len(files[policy]), "text": "version = 1\n"}]


def main():
    request = json.loads(sys.stdin.read())
    faults = {"over-edits": over_edits, "breaks-checks": breaks_checks, "broadens": broadens}
    edits = faults[sys.argv[1]](request["files"])
    response = {"action": "repair", "edits": edits, "handler": None}
    sys.stdout.write(json.dumps(response, sort_keys=True, separators=(",", ":")) + "\n")


main()
