//! What is checked in a block that is built, and declared bounds on both sides.

use super::fixtures::message_with;
use lonis_schema::kind::Message;
use lonis_schema::{Attribution, BlockBounds, BlockKind, BoundsError, Finding, SeedBlock};
use serde_json::json;

#[test]
fn declared_bounds_are_checked_when_built_and_when_received() {
    let unbounded = || {
        SeedBlock::new(
            Attribution::new("tool:a", "acme:a"),
            Message::new("hello").into(),
        )
    };
    let bounds = BlockBounds {
        max_bytes: Some(1),
        ..BlockBounds::default()
    };
    let error = unbounded()
        .with_bounds(bounds)
        .expect_err("the data has more bytes");
    assert_eq!(
        error,
        BoundsError::Broken {
            bound: "max_bytes",
            limit: 1,
            seen: 19
        }
    );
    let fits = BlockBounds {
        max_bytes: Some(19),
        max_length: Some(5),
        max_items: Some(0),
        timeout_millis: Some(0),
    };
    assert_eq!(
        unbounded()
            .with_bounds(fits)
            .expect("all bounds hold")
            .bounds(),
        &fits
    );
    let short = BlockBounds {
        max_length: Some(4),
        ..BlockBounds::default()
    };
    assert!(unbounded().with_bounds(short).is_err());

    let text = message_with("/bounds", json!({"max_bytes": 1}));
    let received = SeedBlock::read(&text).expect("a block");
    assert_eq!(
        received
            .findings
            .iter()
            .map(Finding::is_limit)
            .collect::<Vec<_>>(),
        [false]
    );
    let hash = SeedBlock::read(&message_with("/warnings", json!([])))
        .expect("a block")
        .value
        .content_hash();
    assert_eq!(received.value.content_hash(), hash);
    assert_eq!(
        received.into_block().warnings(),
        ["host: `/bounds` declares `max_bytes` 1, seen 15"]
    );
    let fits = message_with(
        "/bounds",
        json!({"max_bytes": 15, "max_length": 1, "max_items": 0}),
    );
    assert_eq!(SeedBlock::read(&fits).expect("a block").findings, []);
}

#[test]
fn what_is_built_is_checked_by_the_same_rules() {
    let built = SeedBlock::new(
        Attribution::new("", "acme:a"),
        Message::new("x".repeat(16_385)).into(),
    )
    .with_warnings(vec!["w"; 257]);
    let places: Vec<String> = built
        .check()
        .expect("finite")
        .iter()
        .map(|finding| finding.pointer().to_owned())
        .collect();
    assert_eq!(
        places,
        [
            "/warnings",
            "/attribution/identity",
            "/payload/data/content"
        ]
    );
    let text = serde_json::to_string(&built).expect("written");
    let received: Vec<String> = SeedBlock::read(&text)
        .expect("the shape is right")
        .findings
        .iter()
        .map(|finding| finding.pointer().to_owned())
        .collect();
    assert_eq!(received, places);
    let extension = BlockKind::Extension {
        kind: "message".into(),
        data: json!(1).into(),
    };
    let built = SeedBlock::new(Attribution::new("tool:a", "acme:a"), extension);
    assert!(
        serde_json::to_string(&built).is_err(),
        "an extension has no seed kind's name"
    );
}

#[test]
fn an_empty_extension_kind_is_found_when_built_too() {
    let extension = |kind: &str| BlockKind::Extension {
        kind: kind.into(),
        data: json!(1).into(),
    };
    for (kind, place) in [("", "/payload/kind"), (&*"x".repeat(257), "/payload/kind")] {
        let built = SeedBlock::new(Attribution::new("tool:a", "acme:a"), extension(kind));
        let findings = built.check().expect("finite");
        assert_eq!(
            findings.iter().map(Finding::pointer).collect::<Vec<_>>(),
            [place]
        );
    }
}
