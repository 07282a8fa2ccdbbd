use serde_json::json;

use super::*;

#[test]
fn identities_equal_the_published_vectors() {
    for (bytes, expected) in [
        (
            "hello\n",
            "fa22e6fc3e3f640eb337e296f41e211df7e833e92827a1795dab6a26a71f5af2",
        ),
        (
            "#!/bin/sh\nexit 0\n",
            "2b96bea99a44bfc2c43e19b296b172261a52f3546274926cda3caa18fdf5c4cb",
        ),
        (
            "README.md",
            "d9fd8a5cf282a32bde06993ec7623f3a492c1d42bec1b6a1c61d6fb6ef8904ab",
        ),
    ] {
        let identity = Identity::of(Domain::Blob, bytes.as_bytes());
        assert_eq!(identity.to_string(), expected);
    }
    let hello = Identity::of(Domain::Blob, b"hello\n");
    let op = json!({
        "find": "hello", "occurrence": {"index": 1, "of": 1}, "op": "replace-text", "ordinal": 0,
        "path": "README.md", "pre": format!("blob:{hello}"), "replace": "goodbye",
    });
    let patch = json!({"ops": [op], "schema": Domain::Patch.schema()});
    let obligations = json!({"schema": Domain::ObligationSet.schema(), "obligations": []});
    for (domain, value, expected) in [
        (
            Domain::Patch,
            patch,
            "5d375100fb9e8df64d0777c5628cdb72150424a9dfa8f675c596cdc93e298205",
        ),
        (
            Domain::PatchOp,
            op.clone(),
            "ea581924be7bca8cfb8cddca68f1cd976f1c9d2b2582fa49a8e35ec2250a80f4",
        ),
        (
            Domain::ObligationSet,
            obligations,
            "aafd2ae7145817c976f983221870c214b8120871bcd9829d362d2b3fcbee01c0",
        ),
    ] {
        let identity = Identity::of_json(domain, &value).unwrap();
        assert_eq!(identity.to_string(), expected, "{}", domain.name());
    }
}

#[test]
fn an_identity_reads_back_from_its_text_alone() {
    let identity = Identity::of(Domain::Event, b"x");
    let text = identity.to_string();
    assert_eq!(text.parse(), Ok(identity));
    assert_eq!(
        serde_json::from_value::<Identity>(json!(text)).unwrap(),
        identity
    );
    for bad in ["", &text[1..], &text.to_uppercase(), &"é".repeat(32)] {
        assert!(bad.parse::<Identity>().is_err(), "{bad}");
        assert!(
            serde_json::from_value::<Identity>(json!(bad)).is_err(),
            "{bad}"
        );
    }
}

#[test]
fn equal_bytes_differ_by_domain_and_not_by_pieces() {
    let mut pieces = IdentityHasher::new(Domain::Tree);
    pieces.update(b"ab");
    pieces.update(b"c");
    assert_eq!(pieces.finish(), Identity::of(Domain::Tree, b"abc"));
    assert_ne!(
        Identity::of(Domain::Tree, b"abc"),
        Identity::of(Domain::Blob, b"abc")
    );
}
