//! Content hashes of blocks: over the typed value, the same for every spelling of it.

use super::fixtures::block_text;
use lonis_schema::kind::{Evidence, ResultData};
use lonis_schema::{Attribution, BlockKind, SeedBlock, Timestamp, ToolContract};
use serde_json::json;

fn hash(kind: &str, data: &str) -> String {
    let read =
        SeedBlock::read(&block_text(kind, data)).unwrap_or_else(|error| panic!("{data}: {error}"));
    read.value
        .content_hash()
        .expect("finite numbers")
        .to_string()
}

#[test]
fn the_vectors_of_the_wire_contract_hold() {
    let vectors = [
        (
            "message",
            r#"{"role":"user","content":"ping"}"#,
            "231d6ac90d285312b400776bc1b94bb761d67bd996743fe9781934b7d2c194b8",
        ),
        (
            "question",
            r#"{"text":"go?","context":{"n":2.0},"options":["y","n"]}"#,
            "b72cdfd12c82d7961898511508d2ccfff8aa98422b156cd551d181a82db76b7d",
        ),
        (
            "answer",
            r#"{"question":"go?","text":"y","confidence":0.25}"#,
            "d5d54fdbb16291cb72b57d3a00e5e689fd5e9952ac6f5b1a977f1333836cfcd8",
        ),
        (
            "decision",
            r#"{"statement":"ship","rationale":"tests pass","alternatives":["wait"]}"#,
            "309a79aeeda9a88c7103b0ee967d74b96c922fde130144a2038027d94ed3494c",
        ),
        (
            "action",
            r#"{"verb":"write","target":"a.txt","parameters":{"mode":420},"status":"running"}"#,
            "86b6188b736e7fc118fb91f0d36db39a1911db32139bc8e9863e9fedbc3541d0",
        ),
        (
            "assumption",
            r#"{"statement":"disk is local","status":"refuted"}"#,
            "9d5492d409bc0b6400a70e29c14a753b36d150777399f2f0061be0d0ac705a49",
        ),
        (
            "summary",
            r#"{"of":["h1","h2"],"text":"two items"}"#,
            "b19216040e80b7f45ab265471d68e67bd82e6a5746d9caf171287d393225276e",
        ),
    ];
    for (kind, data, expected) in vectors {
        assert_eq!(hash(kind, data), expected, "{data}");
    }
}

#[test]
fn spellings_of_one_typed_value_hash_alike() {
    let alike = [
        (
            "message",
            r#"{"content":"a"}"#,
            r#" { "reply_to" : null, "content":"\u0061" } "#,
        ),
        (
            "question",
            r#"{"text":"a"}"#,
            r#"{"text":"a","context":null,"options":[]}"#,
        ),
        (
            "outcome",
            r#"{"status":"error","kind":"k","message":"m"}"#,
            r#"{"message":"m","details":null,"kind":"k","exit_code":null,"status":"error"}"#,
        ),
        (
            "outcome",
            r#"{"status":"error","kind":"k","message":"m","exit_code":5}"#,
            r#"{"status":"error","kind":"k","message":"m","exit_code":5.0}"#,
        ),
        (
            "result",
            r#"{"output":{"a":1,"b":100},"duration_micros":1}"#,
            r#"{"duration_micros":1e0,"output":{"b":1e2,"a":1.0}}"#,
        ),
        (
            "result",
            r#"{"output":1,"score":9007199254740992}"#,
            r#"{"output":1.0,"score":9007199254740993}"#,
        ),
        (
            "acme.x",
            r#"{"b":[1,2],"a":0}"#,
            r#"{"a":-0.0,"b":[1.0,2e0]}"#,
        ),
    ];
    for (kind, one, other) in alike {
        assert_eq!(hash(kind, one), hash(kind, other), "{one} and {other}");
    }
    let different = [
        ("result", r#"{"output":null}"#, r#"{"output":false}"#),
        (
            "result",
            r#"{"output":9007199254740992}"#,
            r#"{"output":9007199254740993}"#,
        ),
        ("acme.x", "null", "[]"),
        ("acme.x", r#"{"a":null}"#, "{}"),
    ];
    for (kind, one, other) in different {
        assert_ne!(hash(kind, one), hash(kind, other), "{one} and {other}");
    }
    assert_ne!(hash("acme.x", "null"), hash("acme.y", "null"));
}

#[test]
fn a_contract_is_hashed_without_what_older_readers_ignore() {
    let contract = ToolContract::new("acme:a", "b");
    let plain = serde_json::to_value(&contract).expect("plain data");
    let mut extended = plain.clone();
    extended["input_json_schema"] = json!({"type": "object"});
    extended["output_json_schema"] = json!(7);
    extended["later"] = json!({"x": 1});
    extended["verification"] = json!(null);
    let plain_hash = hash("capability", &plain.to_string());
    assert_eq!(hash("capability", &extended.to_string()), plain_hash);
    let with_schema: BlockKind = contract
        .with_input_json_schema(json!({"type": "object"}))
        .into();
    assert_eq!(
        built(with_schema).content_hash().expect("finite").as_str(),
        plain_hash
    );
    extended["verification"] = json!({"tier": "curated", "more": 1});
    let curated = hash("capability", &extended.to_string());
    assert_ne!(curated, plain_hash);
    extended["verification"] = json!({"tier": "curated"});
    assert_eq!(hash("capability", &extended.to_string()), curated);
}

#[test]
fn a_score_hashes_alike_on_both_sides_of_a_pipe() {
    let here = built(
        ResultData::new(json!({"x": 0.1}))
            .with_score(0.932_330_286_888_139_3)
            .into(),
    );
    let sent = serde_json::to_string(&here).expect("finite");
    let there = SeedBlock::read(&sent).expect("a block").value;
    assert_eq!(here.content_hash(), there.content_hash());
    assert_eq!(here, there);
}

#[test]
fn not_a_number_is_an_error_and_never_null() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let evidence = Evidence::new("k", "s").with_weight(number);
        for block in [
            built(ResultData::new(json!(1)).with_score(number).into()),
            built(
                ResultData::new(json!(1))
                    .with_evidence(vec![evidence])
                    .into(),
            ),
        ] {
            assert!(block.content_hash().is_err());
            assert!(serde_json::to_string(&block).is_err());
            assert!(serde_json::to_value(&block).is_err());
        }
    }
}

fn built(payload: BlockKind) -> SeedBlock {
    let when = Timestamp::new("2026-03-01T12:00:00Z").expect("RFC 3339");
    SeedBlock::new(Attribution::at("tool:a", "acme:a", when), payload)
}
