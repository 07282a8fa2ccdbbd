//! Definitions of a language without a grammar here, by the tool that the policy names.

use std::fs;

use serde_json::{Value, json};

use crate::program::{Root, code_of, patch};

/// Each line is a definition, named by its first word.
const REGISTRY: &str = r#"
[tools."demo:definitions"]
description = "Locates the lines of a text."
command = "awk"
args = ['BEGIN{printf "{\"definitions\":["} {split($0,w," "); if(NR>1)printf ","; printf "{\"path\":[\"%s\"],\"kind\":\"value\",\"start\":%d,\"end\":%d}",w[1],o,o+length($0); o+=length($0)+1} END{print "]}"}']
stdin = { from = "text" }
mapping = "json"

[tools."demo:liar"]
description = "Names bytes that are no part of the text."
command = "echo"
args = ['{"definitions":[{"path":["one"],"kind":"value","start":0,"end":99999}]}']
mapping = "json"
"#;

fn edit() -> Value {
    patch(&[json!({
        "op": "replace-definition", "path": "x.toy",
        "target": {"path": ["two"]}, "text": "two = 20",
    })])
}

fn root(tool: &str) -> (Root, String) {
    let policy = format!("version = 1\n[languages]\ntoy = \"{tool}\"\n");
    let files = [
        ("x.toy", "one = 1\ntwo = 2\nthree = 3\n"),
        ("lonis-session.toml", &policy),
    ];
    let root = Root::new(&files);
    let registry = root.beside("lonis.toml");
    fs::write(&registry, REGISTRY).unwrap();
    root.passes(&["begin", "s"]);
    let registry = registry.to_str().unwrap().to_owned();
    (root, registry)
}

#[test]
fn a_tool_of_the_policy_locates_definitions() {
    let (root, registry) = root("demo:definitions");
    let words = [
        "--providers",
        registry.as_str(),
        "stage",
        "s",
        "--patch",
        "-",
    ];
    let (code, staged) = root.run(&words, &edit());
    assert_eq!(code, 0, "{staged}");
    root.passes(&["apply", "s"]);
    assert_eq!(
        root.read("x.toy").unwrap(),
        "one = 1\ntwo = 20\nthree = 3\n"
    );
}

#[test]
fn without_the_registry_or_with_a_lie_the_patch_is_refused() {
    let (root, registry) = root("demo:definitions");
    let (code, refused) = root.run(&["stage", "s", "--patch", "-"], &edit());
    assert_ne!(code, 0);
    let text = refused.to_string();
    assert!(text.contains("--providers"), "{text}");
    drop((root, registry));

    let (root, registry) = self::root("demo:liar");
    let words = [
        "--providers",
        registry.as_str(),
        "stage",
        "s",
        "--patch",
        "-",
    ];
    let (code, refused) = root.run(&words, &edit());
    assert_eq!((code, code_of(&refused)), (2, "patch/format-parse"));
}
