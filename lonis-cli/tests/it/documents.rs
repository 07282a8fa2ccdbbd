//! `schema`, `validate` and `hash`.

use crate::program::Place;

const BLOCK: &str = r#"{"schema_version":"lonis.block/v1","attribution":{"identity":"a:b","provenance":{"when":"2026-08-10T12:00:00Z","producer":"a"}},"payload":{"kind":"message","data":{"content":"ping","role":"user"}}}"#;

#[test]
fn every_schema_is_listed_and_printed() {
    let place = Place::new();
    let lines = place.run(&["schema"]).ok().stdout;
    assert_eq!(lines.lines().count(), 20, "{lines}");
    assert!(lines.starts_with("block\thttps://"), "{lines}");
    for name in lines.lines().map(|line| line.split('\t').next().unwrap()) {
        let schema = place.run(&["schema", name]).ok().json();
        assert!(schema["$id"].as_str().unwrap().contains("lonis."), "{name}");
    }
    assert_eq!(
        place.run(&["--mode", "json", "schema"]).ok().json()["schemas"]
            .as_array()
            .unwrap()
            .len(),
        20
    );
}

#[test]
fn a_document_is_accepted_accepted_with_findings_or_rejected() {
    let place = Place::new();
    let validate = |words: &[&str], text: &str| {
        place.run_with_stdin(
            &[&["--mode", "json", "validate"], words].concat(),
            text.as_bytes(),
        )
    };
    assert_eq!(
        validate(&[], BLOCK).ok().json()["findings"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
    assert_eq!(
        validate(&[], &format!("[{BLOCK},{BLOCK}]\n{BLOCK}"))
            .ok()
            .json()["documents"],
        3
    );
    let odd = BLOCK.replace("2026-08-10T12:00:00Z", "yesterday");
    let findings = validate(&[], &odd).ok().json();
    assert_eq!(
        findings["findings"][0]["pointer"],
        "/attribution/provenance/when"
    );
    assert_eq!(
        validate(&["--strict"], &odd).error().kind().as_str(),
        "invalid_input"
    );
    let wrong = validate(&[], &BLOCK.replace("block/v1", "block/v9")).fails("invalid_input", 2);
    assert!(wrong.message().contains("lonis.block/v9"), "{wrong}");
    // A place is told from the start of the whole text.
    let two = format!("{BLOCK}\n{}", BLOCK.replace("payload", "pay"));
    let place_of_key = two.find("\"pay\"").unwrap();
    let wrong = validate(&[], &two).fails("invalid_input", 2);
    let told = format!("byte {place_of_key}");
    assert!(
        wrong.message().starts_with("block 2 ") && wrong.message().ends_with(&told),
        "{wrong}"
    );
    assert_eq!(
        wrong.details().unwrap().to_value()["byte_offset"],
        place_of_key
    );
    for (name, text) in [
        ("message", r#"{"content":"x"}"#),
        ("extension", r#"{"kind":"a.b","data":null}"#),
        ("error", r#"{"kind":"x","message":"y","exit_code":1}"#),
        ("tools_list", r#"[{"name":"a.b"}]"#),
        (
            "contract",
            r#"{"name":"a:b","description":"d","input_schema":"i/v1","output_schema":"o/v1","determinism":"deterministic","side_effects":"none","cost":"low"}"#,
        ),
        (
            "manifest",
            r#"{"name":"n","version":"1","description":"d","provider_type":"x","protocol_version":"0","tools":[]}"#,
        ),
    ] {
        validate(&["--as", name], text).ok();
        validate(&["--as", name], r#"{"content":5}"#).fails("invalid_input", 2);
    }
    let long = format!(r#"{{"content":"{}"}}"#, "x".repeat(16_385));
    assert_eq!(
        validate(&["--as", "message"], &long).ok().json()["findings"][0]["pointer"],
        "/content"
    );
}

#[test]
fn a_hash_is_of_a_block_or_of_any_value() {
    let place = Place::new();
    let hash = |words: &[&str], text: &str| {
        place
            .run_with_stdin(&[words, &["hash"]].concat(), text.as_bytes())
            .ok()
    };
    assert_eq!(
        hash(&[], BLOCK).stdout,
        "231d6ac90d285312b400776bc1b94bb761d67bd996743fe9781934b7d2c194b8\n"
    );
    assert_eq!(
        hash(&[], r#"{"a":1.0}"#).stdout,
        hash(&[], r#"{"a":1}"#).stdout
    );
    assert_eq!(hash(&["--mode", "json"], BLOCK).json()["of"], "block");
    assert_eq!(hash(&["--mode", "json"], "null").json()["of"], "json");
    place
        .run_with_stdin(&["--mode", "json", "hash"], b"1e400")
        .fails("invalid_input", 2);
}

#[test]
fn a_file_may_be_named_as_the_input_of_a_call_is() {
    let place = Place::new();
    std::fs::write(place.path("work/block.json"), BLOCK).unwrap();
    let hash = "231d6ac90d285312b400776bc1b94bb761d67bd996743fe9781934b7d2c194b8\n";
    for name in ["block.json", "@block.json"] {
        assert_eq!(place.run(&["hash", name]).ok().stdout, hash);
        let accepted = "1 block accepted, 0 findings\n";
        assert_eq!(place.run(&["validate", name]).ok().stdout, accepted);
    }
    for name in ["-", "@-"] {
        let run = place.run_with_stdin(&["hash", name], BLOCK.as_bytes());
        assert_eq!(run.ok().stdout, hash);
        place
            .run_with_stdin(&["validate", name], BLOCK.as_bytes())
            .ok();
    }
    for words in [
        ["hash", "@gone.json"],
        ["validate", "@gone.json"],
        ["hash", "@"],
        ["hash", "."],
    ] {
        let words = [&["--mode", "json"][..], &words].concat();
        place.run(&words).fails("invalid_input", 2);
    }
}

#[test]
fn nothing_at_all_has_no_hash() {
    let place = Place::new();
    for nothing in ["", " \n", "\u{feff}\n"] {
        let run = place.run_with_stdin(&["--mode", "json", "hash"], nothing.as_bytes());
        let error = run.fails("invalid_input", 2);
        assert!(error.message().contains("is empty"), "{error}");
    }
    // As the input of a call it is `null`.
    let call = ["--mode", "json", "call", "lonis:builtin:version", "-"];
    place.run_with_stdin(&call, b"").ok();
}

#[test]
fn people_read_counts_as_they_are_said() {
    let place = Place::new();
    let validate = |words: &[&str], text: &str| {
        place
            .run_with_stdin(&[&["validate"], words].concat(), text.as_bytes())
            .stdout
    };
    let odd = BLOCK.replace("2026-08-10T12:00:00Z", "yesterday");
    let last = |text: String| text.lines().last().map(str::to_owned).unwrap_or_default();
    assert_eq!(last(validate(&[], &odd)), "1 block accepted, 1 finding");
    assert_eq!(
        last(validate(&[], &format!("{odd}{odd}"))),
        "2 blocks accepted, 2 findings"
    );
    assert_eq!(
        last(validate(&["--as", "message"], r#"{"content":"x"}"#)),
        "1 document accepted, 0 findings"
    );
}
