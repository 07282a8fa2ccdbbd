//! `begin`: the present tree becomes the base of a session, and the policy in force is frozen.

use std::collections::BTreeMap;

use lonis_diagnostics::{Code, Failure};
use serde_json::{Value, json};

use super::Surroundings;
use super::place::{MAX_POLICY_BYTES, Place, Session, shown};
use crate::diagnose::During;
use crate::engine::{MAX_OPEN_SESSIONS, Record, Status};
use crate::event::{Begun, Fact};
use crate::file_set::{POLICY_FILE, Reason};
use crate::identity::{Domain, Identity};
use crate::policy::{Policy, PolicyError};
use crate::request::Request;
use crate::session_id::SessionId;
use crate::snapshot::capture::{self, Capture};
use crate::snapshot::stat_cache::StatCache;
use crate::store::disk::Kind;
use crate::store::layout::{make_directories, transaction};
use crate::store::log::{self, Log};
use crate::store::objects::ObjectMap;
use crate::store::stored::StoredObjects;

/// How often a capture is made until the policy file in it is the one that was read.
const ATTEMPTS: usize = 3;
/// The most left-out paths in a result.
const MAX_SAMPLES: usize = 100;

pub(super) fn run(
    request: &Request,
    surroundings: &Surroundings,
    during: During<'_>,
) -> Result<Value, Failure> {
    let id = request.session(during)?;
    let place = Place::open(request, surroundings, during)?;
    place.prepare()?;
    let directory = transaction(id.as_str());
    make_directories(&place.disk, &directory).map_err(|error| {
        let diagnostic = during.diagnostic(
            Code::SessionStateWrite,
            format!("`{directory}` cannot be made"),
        );
        Failure::from(
            diagnostic
                .with("path", directory.clone())
                .with("reason", error.to_string()),
        )
    })?;
    super::recover::first(&place, surroundings)?;
    let _locks = place.lock(&id, &*surroundings.clock)?;
    let mut log = Log::read(&place.disk, &id).map_err(|error| during.fail(error))?;
    if let Some(record) = place.fold(&log)? {
        return existing(&Session { id, log, record }, request, during);
    }
    check_open_sessions(&place)?;
    let (policy, captured) = capture(&place, request)?;
    let fact = Fact::Begun(Begun {
        session: id,
        base: captured.identity,
        policy: policy.identity(),
        obligation_set: Identity::of(Domain::ObligationSet, &policy.obligation_set()),
        files: captured.snapshot.files,
        bytes: captured.snapshot.bytes,
    });
    let (clock, call) = (&*surroundings.clock, request.call.clone());
    let record = place.append(&mut log, clock, call, fact)?;
    Ok(answer(record.as_ref(), &captured))
}

/// A session that is there already: answered from its log where the call is the same.
fn existing(session: &Session, request: &Request, during: During<'_>) -> Result<Value, Failure> {
    if let Some(Fact::Begun(begun)) = session
        .answered(request.call.as_deref())
        .map(|event| &event.fact)
    {
        return Ok(json!({
            "transaction": shown(&session.record), "files": begun.files, "bytes": begun.bytes,
        }));
    }
    let status = session.record.status.word();
    let message = format!("session `{}` exists, and is {status}", session.id);
    let diagnostic = during.diagnostic(Code::SessionAlreadyExists, message);
    Err(diagnostic
        .with("session", session.id.as_str())
        .with("status", status)
        .into())
}

fn check_open_sessions(place: &Place<'_>) -> Result<(), Failure> {
    let during = place.during;
    let sessions: Vec<SessionId> = log::sessions(&place.disk).map_err(|error| {
        during
            .diagnostic(Code::IoRead, "sessions cannot be listed")
            .with("os_error", error.to_string())
    })?;
    if sessions.len() < MAX_OPEN_SESSIONS {
        return Ok(());
    }
    let is_open = |id: &SessionId| {
        let log = Log::read(&place.disk, id).ok();
        let record = log.and_then(|log| Record::fold(log.events()).ok().flatten());
        record.is_some_and(|record| record.status == Status::Open)
    };
    let open = sessions.iter().filter(|id| is_open(id)).count();
    if open < MAX_OPEN_SESSIONS {
        return Ok(());
    }
    let message = format!("{open} sessions are open, of at most {MAX_OPEN_SESSIONS}");
    let diagnostic = during
        .diagnostic(Code::SessionLimit, message)
        .with("key", "open sessions");
    Err(diagnostic
        .with("limit", MAX_OPEN_SESSIONS)
        .with("observed", open)
        .into())
}

/// Reads the policy and captures the tree; the policy file in the capture is the one that was read.
fn capture(place: &Place<'_>, request: &Request) -> Result<(Policy, Capture), Failure> {
    let during = place.during;
    let mut store = StoredObjects::open(&place.disk).map_err(|error| during.fail(error))?;
    let cache = if request.fresh {
        StatCache::default()
    } else {
        StatCache::load(&place.disk)
    };
    for _ in 0..ATTEMPTS {
        let (policy, blob) = read_policy(place)?;
        let rules = policy.file_rules().map_err(|error| during.fail(error))?;
        let began = capture::file_system_time(&place.live, &place.disk).unwrap_or_default();
        let mut frozen = ObjectMap::new();
        frozen.add(Domain::Policy, policy.canonical());
        frozen.add(Domain::ObligationSet, policy.obligation_set());
        let captured = capture::store(&place.live, &rules, &cache, &mut store, &frozen)
            .map_err(|error| during.fail(error))?;
        if captured.get(POLICY_FILE).map(|entry| entry.blob()) != blob {
            let mut excluded = captured.excluded.iter();
            if excluded.any(|left| left.path == POLICY_FILE && left.reason == Reason::TooLarge) {
                let limit = policy.files.max_file_bytes.get();
                let expected =
                    format!("a file of at most {limit} bytes, its own `files.max_file_bytes`");
                return Err(not_a_policy(during, &expected, "a longer one"));
            }
            continue;
        }
        check_scratch(&policy, &captured, during)?;
        // Without it the next capture reads all files again, and is as right.
        let _ = captured.remember(began, &cache, &place.disk);
        return Ok((policy, captured));
    }
    let message = format!("`{POLICY_FILE}` kept changing while it was captured");
    let diagnostic = during.diagnostic(Code::SessionSnapshotUnstable, message);
    Err(diagnostic
        .with("path", POLICY_FILE)
        .with("reason", "it kept changing")
        .into())
}

/// Refuses scratch that holds a managed path: what a run keeps is no part of a snapshot.
fn check_scratch(policy: &Policy, captured: &Capture, during: During<'_>) -> Result<(), Failure> {
    for (index, obligation) in policy.obligations.iter().enumerate() {
        let held = obligation.scratch.iter().find_map(|scratch| {
            let mut paths = captured.entries().map(|(path, _)| path);
            paths.find(|path| path.is_within(scratch))
        });
        if let Some(held) = held {
            return Err(during.fail(PolicyError {
                key: format!("obligation.{index}.scratch"),
                expected: "directories that hold no path of the snapshot".to_owned(),
                received: format!("`{held}`"),
                span: None,
            }));
        }
    }
    Ok(())
}

/// The policy file as it stands, and which blob it is; the defaults where there is none.
pub(super) fn read_policy(place: &Place<'_>) -> Result<(Policy, Option<Identity>), Failure> {
    let during = place.during;
    let unreadable = |reason: String| {
        let diagnostic = during.diagnostic(
            Code::SessionSnapshotRead,
            format!("`{POLICY_FILE}` cannot be read"),
        );
        Failure::from(diagnostic.with("path", POLICY_FILE).with("reason", reason))
    };
    let bytes = place
        .live
        .read(POLICY_FILE, MAX_POLICY_BYTES)
        .map_err(|error| unreadable(error.to_string()))?;
    let Some(bytes) = bytes else {
        check_absent(place)?;
        return Ok((Policy::default(), None));
    };
    let text = std::str::from_utf8(&bytes).map_err(|_| unreadable("it is not UTF-8".to_owned()))?;
    let policy = Policy::parse(text).map_err(|error| during.fail(error))?;
    Ok((policy, Some(Identity::of(Domain::Blob, &bytes))))
}

/// Refuses what stands in the place of a policy file and is none: the defaults hold only where nothing stands.
fn check_absent(place: &Place<'_>) -> Result<(), Failure> {
    let during = place.during;
    let stands = place.live.look(POLICY_FILE).map_err(|error| {
        let diagnostic = during.diagnostic(
            Code::SessionSnapshotRead,
            format!("`{POLICY_FILE}` cannot be looked at"),
        );
        Failure::from(
            diagnostic
                .with("path", POLICY_FILE)
                .with("reason", error.to_string()),
        )
    })?;
    let received = match stands.map(|stat| stat.kind) {
        None => return Ok(()),
        Some(Kind::Link) => "a link",
        Some(Kind::Directory) => "a directory",
        Some(Kind::Other) => "a pipe, a socket or a device",
        Some(Kind::File) => "a file that was put there while it was read",
    };
    Err(not_a_policy(during, "a regular file", received))
}

fn not_a_policy(during: During<'_>, expected: &str, received: &str) -> Failure {
    let message = format!("`{POLICY_FILE}` is {received}, and a policy is {expected}");
    let diagnostic = during.diagnostic(Code::SessionConfigInvalid, message);
    let diagnostic = diagnostic
        .with("key", POLICY_FILE)
        .with("expected", expected)
        .with("received", received);
    diagnostic.with_fact("path", POLICY_FILE).into()
}

fn answer(record: Option<&Record>, captured: &Capture) -> Value {
    let mut by_reason: BTreeMap<String, u64> = BTreeMap::new();
    for excluded in &captured.excluded {
        let reason = json!(excluded.reason);
        *by_reason
            .entry(reason.as_str().unwrap_or_default().to_owned())
            .or_default() += 1;
    }
    let warnings: Vec<Value> = captured
        .case_clashes
        .iter()
        .filter_map(|paths| {
            let names: Vec<&str> = paths
                .iter()
                .map(crate::path::WorkspacePath::as_str)
                .collect();
            let detail = format!("one path where case does not count: {}", names.join(", "));
            Some(json!({"name": "case-clash", "path": names.first()?, "detail": detail}))
        })
        .collect();
    json!({
        "transaction": record.map(shown),
        "files": captured.snapshot.files,
        "bytes": captured.snapshot.bytes,
        "excluded": {
            "count": captured.excluded.len(),
            "by_reason": by_reason,
            "samples": captured.excluded.iter().take(MAX_SAMPLES).collect::<Vec<_>>(),
        },
        "boundaries": captured.boundaries,
        "warnings": warnings,
    })
}
