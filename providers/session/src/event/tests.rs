use super::*;

/// An identity to tell apart by its first byte.
pub(crate) fn identity(number: u8) -> Identity {
    Identity::from_bytes([number; 32])
}

/// A time.
pub(crate) fn at() -> Stamp {
    "2026-03-01T12:00:00.500Z".to_owned().try_into().unwrap()
}

pub(crate) fn begun(base: Identity) -> Fact {
    Fact::Begun(Begun {
        session: "s".parse().unwrap(),
        base,
        policy: identity(100),
        obligation_set: identity(101),
        files: 2,
        bytes: 3,
    })
}

pub(crate) fn candidate(before: Identity, after: Identity, ok: Option<bool>) -> Candidate {
    Candidate {
        document: identity(102),
        patch: identity(103),
        change_set: identity(104),
        before,
        after,
        intent: "say \"more\"\n\u{1f}".to_owned(),
        provenance: Some([("by".to_owned(), "me".to_owned())].into()),
        evidence: ok.map(|_| identity(105)),
        obligations_ok: ok,
    }
}

/// One fact of each kind.
pub(crate) fn facts() -> Vec<Fact> {
    let (a, b) = (identity(1), identity(2));
    vec![
        begun(a),
        Fact::Staged(candidate(a, b, Some(true))),
        Fact::Attempted(Attempted {
            candidate: candidate(a, b, Some(false)),
            attempt: 1,
        }),
        Fact::Tested(Tested {
            snapshot: a,
            evidence: b,
            obligations_ok: true,
            only: Some(vec!["unit".to_owned()]),
        }),
        Fact::Rebased(Rebased {
            mode: RebaseMode::Disjoint,
            from_base: a,
            base: b,
            from_current: a,
            current: b,
            evidence: a,
        }),
        Fact::Applied(Applied {
            base: a,
            target: b,
            change_set: a,
            written: 1,
            removed: 2,
            kept: vec!["0-a".to_owned()],
        }),
        Fact::Recovered(Recovered {
            from: JournalState::Writing,
            outcome: RecoveryOutcome::Base,
            conflicts: vec!["a/b".parse().unwrap()],
        }),
        Fact::Aborted {},
    ]
}

#[test]
fn each_kind_reads_back_from_its_one_spelling() {
    for fact in facts() {
        let word = fact.word();
        let event = Event::new(7, identity(9), at(), None, fact);
        let line = event.line();
        assert!(line.contains(&format!("\"kind\":\"{word}\"")), "{line}");
        assert_eq!(Event::parse(line.as_bytes()).unwrap(), event);
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        let keys: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
        let mut expected = ["schema", "seq", "prev", "kind", "at", "call", "data", "id"];
        expected.sort_unstable();
        let mut sorted = keys;
        sorted.sort_unstable();
        assert_eq!(sorted, expected);
    }
}

#[test]
fn every_other_spelling_is_refused() {
    let event = Event::new(
        0,
        NO_EVENT,
        at(),
        Some("call".to_owned()),
        begun(identity(1)),
    );
    let line = event.line();
    let spelled = |from: &str, to: &str| {
        assert!(line.contains(from), "{from}");
        Event::parse(line.replacen(from, to, 1).as_bytes()).unwrap_err()
    };
    for (from, to) in [
        ("{\"at\"", "{ \"at\""),
        ("\"seq\":0", "\"seq\":0,\"more\":1"),
        ("\"seq\":0", "\"seq\":0.0"),
        ("\"files\":2", "\"files\":2,\"more\":null"),
        ("\"call\":\"call\",", ""),
        ("session-event-v0.2", "session-event-v0.3"),
        ("\"session\":\"s\"", "\"session\":\"\\u0073\""),
        ("begun", "started"),
        ("500Z", "5Z"),
    ] {
        let error = spelled(from, to);
        assert!(!matches!(error, EventError::Identity), "{to}: {error}");
    }
    assert_eq!(spelled("\"files\":2", "\"files\":3"), EventError::Identity);
    assert_eq!(spelled("\"seq\":0", "\"seq\":1"), EventError::Identity);
}
