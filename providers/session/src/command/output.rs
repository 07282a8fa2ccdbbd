//! The schemas of what comes out: closed, so that a member which is in none of them is a fault.

use serde_json::{Value, json};

use super::Command;

/// The most paths that `begin` names of those that are left out.
const MAX_SAMPLES: u32 = 100;
/// The most patches and attempts of a record in a result.
const MAX_OF_RECORD: u32 = 32;
/// The most objects that a collection names.
const MAX_GC_SAMPLES: u32 = 50;

/// The schema of a result's data.
pub(super) fn schema(command: Command) -> Value {
    let mut members = own(command);
    let names = members.as_object().into_iter().flat_map(|all| all.keys());
    let needed = names.filter(|name| !is_optional(command, name));
    let mut required: Vec<String> = needed.cloned().collect();
    members["schema"] = json!({"const": command.kind()});
    required.push("schema".to_owned());
    if command.has_session() {
        members["transaction"] = record();
        required.push("transaction".to_owned());
    }
    members["omitted"] = json!({"type": "object", "additionalProperties": count(),
        "description": "how many items of a list are left out, by its name"});
    members["rendered"] = json!({"type": "string", "description": "the same for people"});
    required.sort_unstable();
    json!({"type": "object", "properties": members, "required": required, "additionalProperties": false})
}

/// Members that a result holds only where they were asked for or something is to be told by them.
fn is_optional(command: Command, name: &str) -> bool {
    match command {
        // A call that is answered from the log tells what stands there.
        Command::Begin => !["files", "bytes"].contains(&name),
        Command::Stage => name != "already_applied",
        Command::Test => name == "warnings",
        Command::Apply | Command::Status => true,
        Command::Diff => ["text", "left_out"].contains(&name),
        _ => false,
    }
}

fn own(command: Command) -> Value {
    match command {
        Command::Begin => json!({
            "files": count(), "bytes": count(),
            "excluded": closed(&json!({
                "count": count(),
                "by_reason": {"type": "object", "additionalProperties": count()},
                "samples": {"type": "array", "maxItems": MAX_SAMPLES, "items": left_out()},
            })),
            "boundaries": list(&closed(&json!({
                "path": path(), "commit": nullable("string"),
                "kind": {"enum": ["submodule", "nested-repository"]},
            }))),
            "warnings": warnings(),
        }),
        Command::Status => json!({
            "entries": list(&entry()), "excluded": list(&left_out()),
            "next_cursor": nullable("string"), "identity_v01": hash(),
        }),
        Command::Stage => json!({
            "patch": hash(), "change_set": hash(), "op_identities": list(&hash()),
            "changes": list(&change()), "obligations_ok": nullable("boolean"),
            "obligation_count": count(), "results": list(&result()), "reused": count(),
            "evidence": hash_or_null(), "attempt": nullable("integer"),
            "already_applied": flag(), "warnings": warnings(),
        }),
        Command::Test => json!({
            "evidence": hash(), "obligations_ok": flag(), "obligation_count": count(),
            "results": list(&result()), "reused": count(), "warnings": warnings(),
        }),
        Command::Apply => json!({
            "paths": list(&closed(&json!({
                "path": path(), "op": {"enum": ["create", "replace", "remove"]},
                "outcome": {"type": "string"}, "swap": nullable("string"),
            }))),
            "written": count(), "removed": count(), "rebased": flag(),
            "kept": list(&json!({"type": "string"})), "warnings": warnings(),
        }),
        Command::Abort => json!({}),
        Command::Diff => json!({
            "changes": list(&change()), "text": {"type": "string"},
            "left_out": list(&left_out()), "next_cursor": nullable("string"),
        }),
        Command::List => json!({
            "sessions": list(&closed(&json!({
                "session": id(), "status": status(true), "base_snapshot": hash_or_null(),
                "current_snapshot": hash_or_null(), "patch_count": nullable("integer"),
                "recovery_pending": nullable("boolean"), "log_head": hash_or_null(),
            }))),
            "next_cursor": nullable("string"),
        }),
        Command::Log => json!({
            "events": list(&event()), "head": hash_or_null(), "chain_ok": flag(),
        }),
        Command::Recover => json!({
            "recovered": list(&json!({"type": "object",
                "required": ["session", "from", "outcome", "paths"]})),
            "conflicts": {"type": "array"},
            "rebuilt": list(&json!({"type": "object"})),
            "orphans": list(&json!({"type": "string"})),
            "damaged": list(&json!({"type": "object"})),
            "effect": {"enum": [null, "committed", "none", "unknown"]},
        }),
        Command::Gc => json!({
            "live": count(), "dead": count(), "reclaim_bytes": count(), "roots": list(&id()),
            "samples": {"type": "array", "maxItems": MAX_GC_SAMPLES, "items": hash()},
            "removed": count(),
        }),
    }
}

fn closed(members: &Value) -> Value {
    let required: Vec<&String> = members
        .as_object()
        .into_iter()
        .flat_map(|all| all.keys())
        .collect();
    json!({"type": "object", "properties": members, "required": required, "additionalProperties": false})
}

fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items})
}

fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

fn flag() -> Value {
    json!({"type": "boolean"})
}

fn nullable(kind: &str) -> Value {
    json!({"type": [kind, "null"]})
}

fn hash() -> Value {
    json!({"type": "string", "pattern": "^[0-9a-f]{64}$"})
}

fn hash_or_null() -> Value {
    json!({"type": ["string", "null"], "pattern": "^[0-9a-f]{64}$"})
}

fn id() -> Value {
    json!({"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"})
}

fn path() -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": 4096, "x-lonis-path": "workspace"})
}

fn status(with_damaged: bool) -> Value {
    let words = ["open", "applied", "aborted", "damaged"];
    json!({"enum": words[..words.len() - usize::from(!with_damaged)]})
}

fn warnings() -> Value {
    list(&closed(&json!({
        "name": {"type": "string"}, "path": nullable("string"), "detail": {"type": "string"},
    })))
}

/// A path that is left out; a name that no path can hold has an id.
fn left_out() -> Value {
    json!({"type": "object", "required": ["path", "reason"], "additionalProperties": false,
        "properties": {"path": {"type": "string"}, "reason": {"type": "string"}, "id": hash()}})
}

/// One side of a change: nothing, a file, or a link.
fn side() -> Value {
    json!({"type": ["object", "null"], "required": ["kind", "blob", "bytes"], "additionalProperties": false,
        "properties": {"kind": {"enum": ["file", "link"]}, "executable": flag(), "blob": hash(), "bytes": count()}})
}

fn change() -> Value {
    let splice = json!({"type": "object", "required": ["start", "end"], "additionalProperties": false,
        "properties": {"start": count(), "end": count(), "text": {"type": "string"}, "base64": {"type": "string"}}});
    json!({"type": "object", "required": ["path", "before", "after"], "additionalProperties": false,
        "properties": {"path": path(), "before": side(), "after": side(), "splices": list(&splice)}})
}

/// What stands at a path that was asked for.
fn entry() -> Value {
    json!({"type": "object", "required": ["path", "kind"], "additionalProperties": false,
    "properties": {
        "path": path(),
        "kind": {"enum": ["file", "link", "directory", "absent", "not-captured"]},
        "executable": flag(), "blob": hash(), "bytes": count(), "sha256": hash(),
        "files": count(), "reason": {"type": "string"},
        "text": {"type": "object"}, "definitions": list(&json!({"type": "object"})),
        "unparsed": closed(&json!({"code": {"type": "string"}, "limit": count(), "observed": count()})),
        "content": {"type": ["object", "null"]},
        "omitted": {"type": "object", "additionalProperties": count()},
    }})
}

/// The record.
fn record() -> Value {
    let patch = json!({
        "patch": hash(), "change_set": hash(), "before_snapshot": hash(), "after_snapshot": hash(),
        "obligations_ok": nullable("boolean"), "evidence": hash_or_null(), "intent": {"type": "string"},
    });
    let mut attempt = patch.clone();
    attempt["attempt"] = count();
    let newest =
        |items: &Value| json!({"type": "array", "maxItems": MAX_OF_RECORD, "items": closed(items)});
    let rebase = json!({
        "at_patch": count(), "from_base": hash(), "base": hash(), "from_current": hash(), "current": hash(),
    });
    let mut verification = closed(&json!({
        "snapshot": hash(), "evidence": hash(), "obligations_ok": flag(), "vacuous": flag(), "hermetic": flag(),
    }));
    verification["type"] = json!(["object", "null"]);
    closed(&json!({
        "schema": {"const": "genesis/agent-transaction-v0.2"},
        "session": id(), "status": status(false), "base_snapshot": hash(), "current_snapshot": hash(),
        "policy": hash(), "obligation_set": hash(), "patches": newest(&patch), "patch_count": count(),
        "rebases": list(&closed(&rebase)), "attempts": newest(&attempt), "attempt_count": count(),
        "verification": verification, "recovery_pending": flag(), "log_head": hash(),
    }))
}

fn event() -> Value {
    closed(&json!({
        "schema": {"const": "genesis/session-event-v0.2"}, "seq": count(), "prev": hash(),
        "kind": {"enum": ["begun", "staged", "attempted", "tested", "rebased", "applied", "recovered", "aborted"]},
        "at": {"type": "string"}, "call": nullable("string"), "data": {"type": "object"}, "id": hash(),
    }))
}

/// What one obligation showed.
fn result() -> Value {
    let output = closed(&json!({"blob": hash(), "bytes": count(), "redacted": flag()}));
    let texts = list(&json!({"type": "string"}));
    let mechanism = || json!({"type": "string"});
    closed(&json!({
        "name": {"type": "string"}, "kind": {"enum": ["command", "tool"]}, "ok": flag(),
        "code": nullable("string"), "declaration": hash(),
        "tool": closed(&json!({"name": {"type": "string"}, "blake3": nullable("string"),
            "contract": nullable("string"), "version": nullable("string")})),
        "env_names": texts, "env_digest": hash(), "exit": nullable("integer"), "signal": nullable("integer"),
        "duration_micros": count(), "stdout": output, "stderr": output, "mutated": texts,
        "scratch": closed(&json!({"paths": texts, "warm": flag()})),
        "limits": {"type": "object"},
        "enforcement": closed(&json!({"wall": mechanism(), "cpu": mechanism(), "memory": mechanism(),
            "output": mechanism(), "processes": mechanism(), "file_size": mechanism(),
            "network": mechanism(), "workspace": mechanism()})),
        "reused_from": hash_or_null(),
    }))
}
