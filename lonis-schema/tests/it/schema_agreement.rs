//! Types and schemas say the same: a document is read without error and limit finding exactly when its schema accepts it.
//!
//! Both are asked about the same instances: golden documents with one member changed, in every place and in every way
//! that a limit, a `null` rule, an open object or a type could tell apart; then with several changed at once.

use super::fixtures::{block_with, golden_block};
use golden::{Case, Family};
use lonis_schema::{
    BlockKind, Finding, ProviderManifest, ProviderToolList, SeedBlock, ToolContract, ToolError,
    schemas,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Lengths on each limit of a string, and one above.
const LENGTHS: &[usize] = &[
    0, 64, 65, 128, 129, 256, 257, 512, 513, 1024, 1025, 4096, 4097, 16_384, 16_385, 65_536, 65_537,
];

/// Counts on each limit of a list, and one above.
const COUNTS: &[usize] = &[0, 1, 64, 65, 256, 257, 1024, 1025, 4096, 4097];

/// A sort of document that both sides know.
struct Subject {
    name: &'static str,
    /// Reads the text, and tells whether it is accepted without a limit finding.
    accepts: fn(&Value) -> bool,
    validator: jsonschema::Validator,
    /// Whole documents to start from.
    bases: Vec<Value>,
}

fn no_limit(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| !finding.is_limit())
}

fn block_accepts(block: &Value) -> bool {
    SeedBlock::read(&block.to_string()).is_ok_and(|read| no_limit(&read.findings))
}

/// Whether a payload is accepted in a block, as a seed kind or as an extension.
fn payload_accepts(payload: &Value, is_seed: bool) -> bool {
    SeedBlock::read(&block_with(payload).to_string()).is_ok_and(|read| {
        let is_extension = matches!(read.value.payload(), BlockKind::Extension { .. });
        no_limit(&read.findings) && is_seed != is_extension
    })
}

fn subject(name: &'static str, accepts: fn(&Value) -> bool, bases: Vec<Value>) -> Subject {
    let schema = schemas::find(name).expect("in the catalogue").to_value();
    let validator = jsonschema::draft202012::new(&schema).expect("the schema can be compiled");
    Subject {
        name,
        accepts,
        validator,
        bases,
    }
}

fn subjects() -> Vec<Subject> {
    let contracts: Vec<Value> = Family::named("contracts")
        .cases()
        .iter()
        .map(Case::parse)
        .collect();
    let manifest = json!({
        "name": "acme", "version": "1", "description": "d", "provider_type": "external-executable",
        "protocol_version": "0", "tools": ["a.b"], "display_name": "Acme", "capabilities": ["a"],
    });
    let tools = json!([{"name": "a.b", "description": "d", "version": "1"}]);
    let mut envelope = golden_block("result");
    envelope["payload"] = json!({"kind": "result", "data": {"output": null}});
    let mut subjects = vec![
        subject("block", block_accepts, vec![envelope]),
        subject(
            "extension",
            |payload| payload_accepts(payload, false),
            vec![
                golden_block("extension")["payload"].clone(),
                json!({"kind": "", "data": null}),
            ],
        ),
        subject(
            "error",
            |error| ToolError::read(&error.to_string()).is_ok(),
            vec![json!({"kind": "k", "message": "m", "details": {}, "exit_code": 3})],
        ),
        subject(
            "contract",
            |contract| {
                ToolContract::read(&contract.to_string()).is_ok_and(|read| no_limit(&read.findings))
            },
            contracts,
        ),
        subject(
            "manifest",
            |manifest| ProviderManifest::read(&manifest.to_string()).is_ok(),
            vec![manifest],
        ),
        subject(
            "tools_list",
            |list| ProviderToolList::read(&list.to_string()).is_ok(),
            vec![json!({"provider": "acme", "tools": tools}), tools],
        ),
    ];
    for kind in BlockKind::SEED_KINDS {
        let base = golden_block(kind)["payload"].clone();
        subjects.push(subject(
            kind,
            |payload| payload_accepts(payload, true),
            vec![base],
        ));
    }
    subjects
}

/// Every place of a document, the root first.
fn places(document: &Value, at: String, found: &mut Vec<String>) {
    match document {
        Value::Object(members) => {
            for (key, member) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                places(member, format!("{at}/{key}"), found);
            }
        }
        Value::Array(items) => {
            if let Some(item) = items.first() {
                places(item, format!("{at}/0"), found);
            }
        }
        _ => {}
    }
    found.insert(0, at);
}

/// Everything that may stand in a place instead of what stands there; none: the member is gone.
fn replacements(current: &Value) -> Vec<Option<Value>> {
    let mut values = vec![None];
    let plain = [
        json!(null),
        json!(true),
        json!([]),
        json!({}),
        json!([null]),
        json!({"tier": "curated", "source": 1}),
        json!({"tier": "auto_extracted", "source": "a", "extracted_at": null}),
        json!({"tier": "probed"}),
        json!({"tier": "measured"}),
        json!("pending"),
        json!("Pending"),
        json!("error"),
        json!("none"),
        json!("message"),
        json!("é".repeat(256)),
        json!("é".repeat(257)),
        json!("lonis.block/v2"),
        json!(-1),
        json!(0),
        json!(1),
        json!(255),
        json!(256),
        json!(4096),
        json!(4097),
        json!(64.0),
        json!(4097.0),
        json!(256.0),
        json!(-0.0),
        json!(0.5),
        json!(1.000_000_1),
        json!(-0.000_000_1),
        json!(u64::MAX),
        json!(18_446_744_073_709_551_616.0),
        json!(18_446_744_073_709_549_568.0),
        json!(1e300),
        json!(-1e300),
    ];
    values.extend(plain.map(Some));
    match current {
        Value::String(_) => {
            let texts = LENGTHS.iter().map(|length| json!("x".repeat(*length)));
            values.extend(texts.map(Some));
        }
        Value::Array(items) => {
            let item = items.first().cloned().unwrap_or(json!("x"));
            values.extend(
                COUNTS
                    .iter()
                    .map(|count| Some(Value::Array(vec![item.clone(); *count]))),
            );
            values.push(Some(json!([item, 7])));
            values.push(Some(json!([item, null])));
        }
        Value::Object(members) => {
            let mut more = members.clone();
            more.insert("later".to_owned(), json!({"any": 1}));
            values.push(Some(Value::Object(more)));
            values.push(Some(members.values().cloned().collect()));
        }
        _ => {}
    }
    values
}

/// Puts a value into a place; false where the place cannot lose its member.
fn put(document: &mut Value, place: &str, value: Option<Value>) -> bool {
    if let Some(value) = value {
        *document
            .pointer_mut(place)
            .expect("a place of the document") = value;
        return true;
    }
    let Some((parent, key)) = place.rsplit_once('/') else {
        return false;
    };
    match document.pointer_mut(parent) {
        Some(Value::Object(members)) => members
            .remove(&key.replace("~1", "/").replace("~0", "~"))
            .is_some(),
        _ => false,
    }
}

/// Compares both sides, and returns what they say.
fn agreed(subject: &Subject, document: &Value, what: &str) -> bool {
    let read = (subject.accepts)(document);
    let valid = subject.validator.is_valid(document);
    let shown: String = document.to_string().chars().take(2000).collect();
    assert_eq!(
        read, valid,
        "{}: {what}: read {read}, schema {valid}: {shown}",
        subject.name
    );
    read
}

#[test]
fn one_change_anywhere_is_judged_alike() {
    for subject in &subjects() {
        let (mut accepted, mut refused) = (0, 0);
        for base in &subject.bases {
            assert!(
                agreed(subject, base, "as it is"),
                "{} has a good base",
                subject.name
            );
            let mut all = Vec::new();
            places(base, String::new(), &mut all);
            for place in all {
                let current = base.pointer(&place).expect("a place of the document");
                for value in replacements(current) {
                    let shown: String = value.as_ref().map_or("gone".into(), |value| {
                        value.to_string().chars().take(80).collect()
                    });
                    let mut changed = base.clone();
                    if put(&mut changed, &place, value) {
                        let is_accepted =
                            agreed(subject, &changed, &format!("`{place}` is {shown}"));
                        *(if is_accepted {
                            &mut accepted
                        } else {
                            &mut refused
                        }) += 1;
                    }
                }
            }
        }
        assert!(
            accepted > 10 && refused > 40,
            "{}: {accepted} and {refused}",
            subject.name
        );
    }
}

/// The subjects, made once for all generated cases.
static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(subjects);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn several_changes_at_once_are_judged_alike(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec(any::<[prop::sample::Index; 2]>(), 1..5),
        base in any::<prop::sample::Index>(),
    ) {
        let subject = which.get(&SUBJECTS);
        let mut document = base.get(&subject.bases).clone();
        for [place, value] in changes {
            let mut all = Vec::new();
            places(&document, String::new(), &mut all);
            let place = place.get(&all);
            let current = document.pointer(place).expect("a place of the document").clone();
            let value = value.get(&replacements(&current)).clone();
            put(&mut document, place, value);
        }
        agreed(subject, &document, "several changes");
    }
}
