//! Random doubles keep their bits and their hash through every writer and reader.

use lonis_schema::kind::ResultData;
use lonis_schema::number::Number;
use lonis_schema::{Attribution, BlockKind, Json, SeedBlock, Timestamp, json_content_hash};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

/// The classes of doubles: their neighbours, sizes and lengths of digits differ.
fn classes() -> [(&'static str, BoxedStrategy<f64>); 4] {
    let any_bits = any::<u64>()
        .prop_map(f64::from_bits)
        .prop_filter("finite", |double| double.is_finite());
    let uniform = 0.0..1.0_f64;
    // By the Box-Muller transform.
    let normal = (f64::MIN_POSITIVE..1.0, 0.0..std::f64::consts::TAU)
        .prop_map(|(radius, angle)| (-2.0 * radius.ln()).sqrt() * angle.cos());
    #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53")]
    let integral = (1_u64 << 50..=1 << 53).prop_map(|integer| integer as f64);
    [
        ("any bits", any_bits.boxed()),
        ("uniform", uniform.boxed()),
        ("normal", normal.boxed()),
        ("integral", integral.boxed()),
    ]
}

fn check_each_class(cases: u32, test: impl Fn(f64) -> Result<(), TestCaseError>) {
    for (class, doubles) in classes() {
        TestRunner::new(ProptestConfig::with_cases(cases))
            .run(&doubles, &test)
            .unwrap_or_else(|error| panic!("{class}: {error}"));
    }
}

#[test]
fn the_canonical_spelling_reads_back_to_the_same_bits() {
    check_each_class(20_000, |double| {
        let text = Number::try_from(double).unwrap().to_string();
        let again = Number::read(&text).unwrap();
        // The sign of zero is the one thing that the spelling drops.
        let expected = if double == 0.0 { 0.0 } else { double };
        prop_assert_eq!(again.as_f64().to_bits(), expected.to_bits(), "{}", &text);
        prop_assert_eq!(again.to_string(), text);
        Ok(())
    });
}

#[test]
fn values_are_read_as_written_and_hash_alike() {
    check_each_class(20_000, |double| {
        let value = json!({ "n": double });
        let hash = json_content_hash(&value);
        let written = value.to_string();
        let read = Json::parse(&written).unwrap();
        prop_assert_eq!(read.content_hash(), hash, "{}", &written);
        for again in [
            read.to_value(),
            serde_json::from_str::<Value>(&written).unwrap(),
        ] {
            let bits = again["n"].as_f64().map(f64::to_bits);
            prop_assert_eq!(bits, Some(double.to_bits()), "{}", &written);
            prop_assert_eq!(json_content_hash(&again), hash, "{}", &written);
        }
        Ok(())
    });
}

#[test]
fn typed_blocks_are_read_as_written_and_hash_alike() {
    check_each_class(2_000, |double| {
        let data = ResultData::new(json!([double])).with_score(double);
        let when: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        let block = SeedBlock::new(
            Attribution::at("tool:a", "acme:a", when),
            BlockKind::Result(data),
        );
        let hash = block.content_hash().unwrap();
        let written = serde_json::to_string(&block).unwrap();
        let read = SeedBlock::read(&written).unwrap();
        prop_assert_eq!(&read.findings, &[]);
        prop_assert_eq!(read.value.content_hash().unwrap(), hash, "{}", &written);
        let BlockKind::Result(data) = read.value.payload() else {
            panic!("{written}")
        };
        prop_assert_eq!(
            data.score.map(f64::to_bits),
            Some(double.to_bits()),
            "{}",
            &written
        );
        Ok(())
    });
}
