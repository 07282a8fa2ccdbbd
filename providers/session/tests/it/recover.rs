//! What `recover` tells beside what it mends: damage of the store, and what became of a call.

use std::fs;
use std::fs::File;

use serde_json::{Value, json};

use crate::program::{Root, code_of, create};

#[test]
fn every_damaged_byte_of_a_small_store_is_found_and_is_no_success() {
    let root = Root::new(&[("a", "one\n"), ("b", "two\n")]);
    root.passes(&["begin", "s"]);
    let whole = root.passes(&["recover", "--verify"]);
    assert_eq!(whole["damaged"], json!([]));
    let objects = root.tree().join(".lonis/session/objects");
    let segment = fs::read_dir(&objects).unwrap().next().unwrap().unwrap();
    let bytes = fs::read(segment.path()).unwrap();
    let (mut restored, mut lost) = (0, 0);
    // A prime step looks at every part of the file without reading it once for each of its bytes.
    for at in (0..bytes.len()).step_by(53) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x20;
        fs::remove_dir_all(&objects).unwrap();
        fs::create_dir(&objects).unwrap();
        fs::write(segment.path(), damaged).unwrap();
        let (code, envelope) = root.run(&["recover", "--verify"], &Value::Null);
        let found = envelope["data"]["damaged"].as_array().unwrap();
        assert!(!found.is_empty(), "byte {at}");
        // What the live tree has the bytes of is put back; the rest is no success.
        if found.iter().all(|one| one["repaired"] == true) {
            assert_eq!(code, 0, "byte {at}: {envelope}");
            let again = root.passes(&["recover", "--verify"]);
            assert_eq!(again["damaged"], json!([]), "byte {at}");
            assert!(!segment.path().exists(), "byte {at}");
            restored += 1;
        } else {
            let told = (code, code_of(&envelope));
            assert_eq!(
                told,
                (50, "session/snapshot-mismatch"),
                "byte {at}: {envelope}"
            );
            lost += 1;
        }
    }
    assert!(restored > 0 && lost > 0, "{restored} restored, {lost} lost");
    fs::remove_dir_all(&objects).unwrap();
    fs::create_dir(&objects).unwrap();
    fs::write(segment.path(), &bytes).unwrap();
    root.passes(&["recover", "--verify"]);
}

#[test]
fn a_lost_answer_is_looked_up_in_the_logs() {
    let root = Root::new(&[("a", "one\n")]);
    let effect = |call: &str| root.passes(&["recover", "--effect-of", call])["effect"].clone();
    assert_eq!(effect("first"), "none");
    root.passes(&["begin", "s", "--call", "first"]);
    assert_eq!(effect("first"), "committed");
    let (code, _) = root.run(
        &["stage", "s", "--call", "second", "--patch", "-"],
        &crate::program::patch(&[create("a", "there already\n")]),
    );
    assert_ne!(code, 0);
    assert_eq!(effect("second"), "none");
    let lock = File::open(root.tree().join(".lonis/session/transactions/s/lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(effect("second"), "unknown");
    assert_eq!(effect("first"), "committed");
}
