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
