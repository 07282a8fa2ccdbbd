use super::*;

fn record() -> Record {
    let hash = |text: &str| Hash(Digest::of([text]));
    Record {
        job_format: JOB_FORMAT,
        definition: "stock/left_side".to_owned(),
        root: PathBuf::from("/project"),
        state: State::Running,
        budget: 24_000,
        caps: Caps {
            turns: 60,
            wall_ms: 1_800_000,
            cost_micros: None,
        },
        limits: Limits::default(),
        spec_hashes: SpecHashes {
            formal: hash("formal"),
            test: hash("test"),
            prose: hash("prose"),
        },
        decisions: DecisionHashes {
            scope_hash: hash("scope"),
            entries_digest: hash("entries"),
        },
        callee_hashes: CalleeHashes::of(&[CalleeHash {
            name: "stock::item".to_owned(),
            hash: hash("item"),
        }]),
        previous_soil_hash: None,
        bundle_digest: hash("bundle"),
        provider: None,
        model: Some("m".to_owned()),
        opened: 1,
        turns: 0,
        cost_micros: 0,
        plain: false,
        cap_untold: false,
    }
}

#[test]
fn what_is_written_reads_back() {
    for plain in [false, true] {
        let record = Record { plain, ..record() };
        let text = record.text();
        assert_eq!(text.contains("plain"), plain);
        assert_eq!(Record::read(text.as_bytes()), Some(record));
    }
    assert_eq!((record().module(), record().name()), ("stock", "left_side"));
}

#[test]
fn other_forms_are_refused() {
    let text = record().text();
    let cases = [
        (r#""job_format":1"#, r#""job_format":2"#),
        (r#""job_format":1"#, r#""job_format":1,"extra":1"#),
        (r#""job_format":1,"#, ""),
        (r#""state":"running""#, r#""state":"walking""#),
        (r#""turns":0"#, r#""turns":-1"#),
        ("stock/left_side", "left_side"),
        ("/project", "project"),
        ("sha256:", "sha1:"),
    ];
    for (from, to) in cases {
        assert!(text.contains(from), "{from}");
        let changed = text.replace(from, to);
        assert_eq!(Record::read(changed.as_bytes()), None, "{to}");
    }
    assert_eq!(Record::read(b""), None);
}
