//! Rows 40 to 50: numbers, hashes, documents and what a provider says of itself.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use golden::Family;
use lonis::kind::ResultData;
use lonis::limits::{Bound, Limits};
use lonis::process::Program;
use lonis::{
    Attribution, BlockBounds, BlockKind, Call, ContentHash, Cost, Json, SchemaCheck, SeedBlock,
    SideEffects, SubprocessProvider, Tool, ToolContract, ToolRegistry, json_content_hash,
};
use misbehave::Handshake;
use serde::Deserialize;
use serde_json::{Value, json};

use super::host::{Ended, Ends, Host, MEMORY_MIB, WAYS, case, tool};
use crate::program::misbehave;

/// A block of this kind and data, as it stands on the wire.
fn block_text(kind: &str, data: &str) -> String {
    format!(
        r#"{{"schema_version":"lonis.block/v1","attribution":{{"identity":"a:b","provenance":{{"when":"2026-01-01T00:00:00Z","producer":"a:b"}}}},"payload":{{"kind":"{kind}","data":{data}}}}}"#
    )
}

/// Sends texts through a child, both ways.
fn through_child(host: &Host, text: &str, ends: Ends) -> [Ended; 2] {
    let folder = tempfile::tempdir().unwrap();
    let played = folder.path().join("played");
    fs::write(&played, text).unwrap();
    host.both(
        &tool(&["play", &format!("stdout={}", played.display())]),
        ends,
    )
}

/// Random bits, the same in every run.
struct Bits(u64);

impl Bits {
    fn next(&mut self) -> u64 {
        // The finaliser of splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Uniform in 0 to 1, without 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double")]
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[test]
fn case_40_numbers_are_read_correctly_rounded() {
    const EACH: usize = 20_000;
    case(MEMORY_MIB, |host| {
        let mut bits = Bits(40);
        host.takes(60_000, || {
            for _ in 0..EACH {
                let any = loop {
                    let double = f64::from_bits(bits.next());
                    if double.is_finite() {
                        break double;
                    }
                };
                // Normal by the method of Box and Muller.
                let turn = std::f64::consts::TAU * bits.unit();
                let normal = (-2.0 * (1.0 - bits.unit()).ln()).sqrt() * turn.cos();
                let span = (1_u64 << 53) - (1 << 50);
                #[expect(
                    clippy::cast_precision_loss,
                    reason = "below 2^53 every integer is a double"
                )]
                let integral = ((1 << 50) + bits.next() % span) as f64;
                for double in [any, bits.unit(), normal, integral] {
                    let text = lonis::canonical::text(&double).unwrap();
                    let read = Json::parse(&text).unwrap().to_value().as_f64().unwrap();
                    // Zero has one spelling, whatever its sign.
                    assert!(
                        read.to_bits() == double.to_bits() || double == 0.0,
                        "{text}"
                    );
                }
            }
        });
        let kept = Json::parse("9007199254740991.0").unwrap();
        assert_eq!(lonis::canonical::text(&kept).unwrap(), "9007199254740991");
        host.both(&tool(&["echo"]), Ends::well());
    });
}

#[test]
fn case_41_a_value_hashes_alike_on_both_sides_of_a_child() {
    case(MEMORY_MIB, |host| {
        let score = 0.932_330_286_888_139_3;
        let payload: BlockKind = ResultData::new(json!({"x": 0.1})).with_score(score).into();
        let here = SeedBlock::new(Attribution::new("a:b", "a:b"), payload);
        let sent = Json::parse(&serde_json::to_string(&here).unwrap()).unwrap();
        for way in WAYS {
            let ended = host.call(&tool(&["cat"]), way, Call::new(sent.clone()), Ends::well());
            let there = &ended.blocks[0];
            assert_eq!(there.content_hash().unwrap(), here.content_hash().unwrap());
            assert_eq!(there.payload(), here.payload());
        }
    });
}

#[derive(Deserialize)]
struct Vector {
    source: String,
    canonical: String,
    sha256: String,
}

/// Every vector has its text and hash in this build.
fn vectors_hold() {
    let mut count = 0;
    for case in Family::named("canonical").cases() {
        for vector in case.parse::<Vec<Vector>>() {
            let json = Json::parse(&vector.source).unwrap();
            assert_eq!(lonis::canonical::text(&json).unwrap(), vector.canonical);
            let expected: ContentHash = vector.sha256.parse().unwrap();
            assert_eq!(
                json_content_hash(&json.to_value()),
                expected,
                "{}",
                vector.source
            );
            count += 1;
        }
    }
    assert!(count > 700, "{count} vectors");
}

/// The version of `serde_json` that a lock file names.
fn locked(lock: &str) -> Vec<u32> {
    let (_, after) = lock
        .split_once("name = \"serde_json\"\nversion = \"")
        .unwrap();
    let (version, _) = after.split_once('"').unwrap();
    version
        .split('.')
        .map(|part| part.parse().unwrap())
        .collect()
}

#[test]
fn case_42_the_oldest_and_the_newest_reader_give_the_same_hashes() {
    case(MEMORY_MIB, |host| {
        host.takes(60_000, vectors_hold);
        assert_eq!(
            lonis::canonical::text(&Json::parse("1e16").unwrap()).unwrap(),
            "1e+16"
        );
        // The build beside the workspace hashes the same vectors with the oldest that the manifest allows.
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let read = |path: &str| fs::read_to_string(root.join(path)).unwrap();
        let manifest = read("Cargo.toml");
        let (_, least) = manifest.split_once("serde_json = { version = \"").unwrap();
        let (least, _) = least.split_once('"').unwrap();
        let least: Vec<u32> = least.split('.').map(|part| part.parse().unwrap()).collect();
        assert_eq!(locked(&read("golden/interop/Cargo.lock")), least);
        assert!(
            locked(&read("Cargo.lock")) > least,
            "the workspace builds with a newer one"
        );
        assert!(read("golden/interop/tests/it/hashes.rs").contains("Family::named(\"canonical\")"));
        host.both(&tool(&["echo"]), Ends::well());
    });
}

#[test]
fn case_43_keys_are_really_sorted() {
    case(MEMORY_MIB, |host| {
        let one = r#"{"b":{"z":1,"a":2},"a":[{"y":1,"x":2}]}"#;
        let other = r#"{"a":[{"x":2,"y":1}],"b":{"a":2,"z":1}}"#;
        let hash = |text: &str| {
            let [ended, _] = through_child(host, &block_text("t.x", text), Ends::well());
            ended.blocks[0].content_hash().unwrap()
        };
        // The same in every build: `cargo xtask check json` runs the vectors under each feature of the reader.
        assert_eq!(hash(one), hash(other));
        assert_eq!(
            Json::parse(one).unwrap().content_hash().as_str(),
            "00892b8d4c35424dddca0c2ca7e57474ab090b0e07cf8df38124cc706e5b2f40"
        );
    });
}

#[test]
fn case_44_numbers_are_normalised_from_their_text() {
    case(MEMORY_MIB, |host| {
        let hash = |text: &str| Json::parse(text).unwrap().content_hash();
        assert_eq!(hash("0.10"), hash("0.1"));
        assert_eq!(hash("-0"), hash("0"));
        assert_eq!(hash("18446744073709551616"), hash("1.8446744073709552e19"));
        assert!(Json::parse("1e400").is_err());
        let words = ["malformed", "case=infinity"];
        for ended in host.both(&tool(&words), Ends::with("invalid_output", 9)) {
            assert!(ended.error.unwrap().message().contains("1e400"));
        }
    });
}

/// What a document comes to, and whether its schema accepts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Clean,
    /// A finding that is a limit, which the schema refuses.
    Limit,
    Rejected,
}

#[test]
fn case_45_decoder_schema_and_validation_agree() {
    use Verdict::{Clean, Limit, Rejected};
    case(MEMORY_MIB, |host| {
        let message = block_text("message", r#"{"content":"a"}"#);
        let with = |key: &str, value: Value| {
            let mut block: Value = serde_json::from_str(&message).unwrap();
            block[key] = value;
            block.to_string()
        };
        let contract = |key: &str, value: Value| {
            let mut contract = serde_json::to_value(ToolContract::new("a:b", "d")).unwrap();
            contract[key] = value;
            block_text("capability", &contract.to_string())
        };
        let plan = |most: u32| {
            let normalization = json!({"normalized": true, "max_rewrites": most});
            let data = json!({"steps": [], "normalization": normalization});
            block_text("plan", &data.to_string())
        };
        let long = "x".repeat(16_385);
        let outcome = r#"{"status":"error","kind":"k","message":"m","exit_code":5.0}"#;
        let documents = [
            (
                block_text("message", r#"{"content":"a","role":null}"#),
                Clean,
            ),
            (
                block_text("question", r#"{"text":"a","options":null}"#),
                Rejected,
            ),
            (contract("verification", json!({"tier": "curated"})), Clean),
            (contract("later", json!([1])), Clean),
            (
                block_text("message", &json!({ "content": long }).to_string()),
                Limit,
            ),
            (
                block_text("answer", r#"{"text":"a","confidence":7}"#),
                Limit,
            ),
            (plan(0), Limit),
            (plan(5_000), Limit),
            (with("warnings", json!(vec!["w"; 257])), Limit),
            (block_text(&"k".repeat(257), "1"), Limit),
            (with("schema_version", json!("lonis.block/v2")), Rejected),
            (with("bounds", json!({"max_items": 64.0})), Clean),
            (
                with("provenance", json!({"seed": 18_446_744_073_709_551_616.0})),
                Rejected,
            ),
            (
                block_text("result", r#"{"output":null,"duration_micros":1.0}"#),
                Clean,
            ),
            (block_text("outcome", outcome), Clean),
        ];
        let schema = lonis::schemas::find("block").unwrap().to_value();
        let schema = host.takes(20_000, || SchemaCheck::compile(&schema).unwrap());
        for (text, expected) in documents {
            let decoded = match SeedBlock::read(&text) {
                Err(_) => Rejected,
                Ok(read) if read.findings.iter().any(lonis::Finding::is_limit) => Limit,
                Ok(_) => Clean,
            };
            assert_eq!(decoded, expected, "{text}");
            let accepted = schema.check(&serde_json::from_str(&text).unwrap()).is_ok();
            assert_eq!(accepted, expected == Clean, "{text}");
            let ends = match expected {
                Rejected => Ends::with("invalid_output", 9),
                Clean | Limit => Ends::well(),
            };
            for ended in through_child(host, &text, ends) {
                let warned = ended
                    .blocks
                    .iter()
                    .any(|block| !block.warnings().is_empty());
                assert_eq!(warned, expected == Limit, "{text}");
            }
        }
    });
}

#[test]
fn case_46_declared_bounds_are_checked_on_both_sides() {
    case(MEMORY_MIB, |host| {
        let payload: BlockKind = ResultData::new(json!("long")).into();
        let bounds = BlockBounds {
            max_bytes: Some(1),
            ..BlockBounds::default()
        };
        let built = SeedBlock::new(Attribution::new("a:b", "a:b"), payload);
        built.with_bounds(bounds).unwrap_err();
        let words = ["malformed", "case=broken-bounds"];
        for ended in host.both(&tool(&words), Ends::well()) {
            let [block] = &ended.blocks[..] else {
                panic!("{ended:?}")
            };
            let [warning] = block.warnings() else {
                panic!("{block:?}")
            };
            assert!(warning.starts_with("host: `/bounds`"), "{warning}");
            let unbounded = SeedBlock::read(&block_text("t.x", "\"long\""))
                .unwrap()
                .value;
            assert_eq!(
                block.content_hash().unwrap(),
                unbounded.content_hash().unwrap()
            );
        }
    });
}

#[test]
fn case_47_an_unknown_marker_is_not_read_as_ours() {
    case(MEMORY_MIB, |host| {
        let words = ["malformed", "case=unknown-marker"];
        for ended in host.both(&tool(&words), Ends::with("invalid_output", 9)) {
            assert!(ended.error.unwrap().message().contains("foo.bar/v9"));
        }
    });
}

#[test]
fn case_48_receipt_is_lenient_and_building_is_strict() {
    case(MEMORY_MIB, |host| {
        let contract = serde_json::to_string(&ToolContract::new("a:b", "d")).unwrap();
        let named_badly = contract.replace("\"a:b\"", "\"bad\"");
        let good = block_text("t.x", "1");
        let cases = [
            (block_text("capability", &named_badly), 1),
            (
                good.replace("\"identity\":\"a:b\"", "\"identity\":\"karpal-discovery\""),
                0,
            ),
            (good.replace("2026-01-01T00:00:00Z", "yesterday"), 1),
            (block_text("", "1"), 1),
        ];
        for (text, findings) in cases {
            assert_eq!(
                SeedBlock::read(&text).unwrap().findings.len(),
                findings,
                "{text}"
            );
            for ended in through_child(host, &text, Ends::well()) {
                let [block] = &ended.blocks[..] else {
                    panic!("{ended:?}")
                };
                assert_eq!(block.warnings().len(), findings, "{text}");
                let read = SeedBlock::read(&text).unwrap().value;
                assert_eq!(block.content_hash().unwrap(), read.content_hash().unwrap());
            }
        }
        let nameless = SeedBlock::new(
            Attribution::new("", "a:b"),
            ResultData::new(json!(1)).into(),
        );
        assert_eq!(nameless.check().unwrap().len(), 1);
    });
}

fn provider(options: &[&str]) -> SubprocessProvider {
    SubprocessProvider::of_program(Program::new(misbehave()).with_args(options))
}

#[test]
fn case_49_what_a_provider_says_is_negotiated_and_checked() {
    case(MEMORY_MIB, |host| {
        let protocol = provider(&["manifest=wrong-protocol"]);
        host.does(Ends::with("unsupported_protocol", 69), || {
            protocol.manifest()
        })
        .unwrap_err();

        let odd = provider(&["list=odd-names"]);
        let mut registry = ToolRegistry::new();
        let refused = host
            .does(Ends::well(), || odd.register_all(&mut registry))
            .unwrap();
        assert_eq!((registry.len(), refused.len()), (5, 12));
        let collision = refused
            .iter()
            .find(|refusal| refusal.native == "a:b")
            .unwrap();
        let (kind, code) = (collision.error.kind().as_str(), collision.error.exit_code());
        assert_eq!((kind, code), ("already_registered", 1));

        let mut handshake = Handshake::new().unwrap();
        let direct = provider(&[&handshake.argument()]);
        for name in ["", "a..b", "--help"] {
            host.does(Ends::with("invalid_input", 2), || direct.tool(name))
                .unwrap_err();
        }
        assert_eq!(handshake.heard(), []);

        let other = provider(&["describe=other", "tools=echo"]);
        let described = || other.describe("misbehave.echo");
        host.does(Ends::with("invalid_output", 9), described)
            .unwrap_err();
        let hosted = provider(&["describe=read-only", "tools=echo"]);
        let contract = hosted.tool("misbehave.echo").unwrap().contract().unwrap();
        assert_eq!(
            (contract.side_effects(), contract.cost()),
            (SideEffects::ReadOnly, Cost::Low)
        );
    });
}

const ANSWERS: &str = r#"
case "$*" in
  *manifest*|M) echo '{"name":"s","version":"1","description":"d","provider_type":"x","protocol_version":"0","tools":["a.b"]}';;
  *list*|L) echo '[{"name":"a.b"},{"name":"--x"}]';;
  *describe*|D*) echo '{"name":"a.b","description":"d","input_schema":"i/v1","output_schema":"o/v1","determinism":"deterministic","side_effects":"none","cost":"low"}';;
  *) cat >/dev/null;;
esac"#;

/// A provider that answers from a script and writes down what it was started with.
fn script(folder: &Path, last: &str) -> SubprocessProvider {
    let (new, log) = (folder.join("new"), folder.join("asked"));
    let text = format!(
        "#!/bin/sh\necho \"$@\" >> {}\n{ANSWERS}\n{last}\n",
        log.display()
    );
    fs::write(&new, text).unwrap();
    fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(new, folder.join("provider")).unwrap();
    SubprocessProvider::new(folder.join("provider"))
}

#[test]
fn case_50_a_provider_has_limits_arguments_and_answers_of_its_own() {
    case(MEMORY_MIB, |host| {
        let kibibyte = Limits::new().with(Bound::MaxStderrBytes, 1_024).unwrap();
        let noisy = provider(&[])
            .with_limits(kibibyte)
            .tool("misbehave.noise,bytes=1025")
            .unwrap();
        for ended in host.both(&noisy, Ends::with("output_limit_exceeded", 7)) {
            assert_eq!(ended.details()["limit_bytes"], 1_024);
        }

        let folder = tempfile::tempdir().unwrap();
        let asked = || {
            let log = fs::read_to_string(folder.path().join("asked")).unwrap_or_default();
            log.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let own = script(folder.path(), "")
            .with_manifest_args(["M"])
            .with_tools_list_args(["L"])
            .with_describe_args(["D"])
            .with_call_args(["C"]);
        let mut registry = ToolRegistry::new();
        let refused = host
            .does(Ends::well(), || own.register_all(&mut registry))
            .unwrap();
        let natives: Vec<&str> = refused
            .iter()
            .map(|refusal| refusal.native.as_str())
            .collect();
        assert_eq!((registry.len(), natives), (1, vec!["--x"]));
        host.both(&own.tool("a.b").unwrap(), Ends::well());
        let words: std::collections::BTreeSet<String> = asked().into_iter().collect();
        assert_eq!(
            words.iter().collect::<Vec<_>>(),
            ["C a.b", "D a.b", "L", "M"]
        );

        let described = || {
            asked()
                .iter()
                .filter(|line| line.contains("describe"))
                .count()
        };
        let plain = script(folder.path(), "# another");
        for _ in 0..2 {
            host.does(Ends::well(), || plain.describe("a.b")).unwrap();
        }
        assert_eq!(described(), 1);
        script(folder.path(), "# changed");
        host.does(Ends::well(), || plain.describe("a.b")).unwrap();
        assert_eq!(described(), 2);
    });
}
