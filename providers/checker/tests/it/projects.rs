//! Whole projects: what `check` and `test` say of them, to people and to programs.

mod invariants;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::program::{Run, examples};

/// Runs the program in a folder.
fn checker(folder: &Path, words: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lonis-checker"));
    command.args(words).current_dir(folder);
    command.env_remove("TRELLIS_ROOT");
    Run::of(command.output().expect("the program starts"))
}

/// A function's spec of one case.
fn spec(name: &str, signature: &str, blocks: &str) -> String {
    format!(
        "---\nname: {name}\n---\n\nSays something.\n\n```soil-sig\n{signature}\n```\n\n{blocks}"
    )
}

const CASE: &str = "```test one\n(1) => 1\n```\n";

/// A project in a folder called `shop`.
struct Root(tempfile::TempDir);

impl Root {
    fn new(files: &[(&str, &str)]) -> Self {
        let root = Self(tempfile::tempdir().expect("a folder"));
        root.write("soil.toml", "");
        for (path, text) in files {
            root.write(path, text);
        }
        root
    }

    fn path(&self) -> std::path::PathBuf {
        self.0.path().join("shop")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
        fs::write(path, text).expect("it is written");
    }

    fn check(&self) -> Value {
        let run = checker(&self.path(), &["check", "--json"]);
        assert_eq!(run.stderr, "", "{run:?}");
        let document: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
        assert_eq!(run.code, i32::from(document["ok"] == false), "{run:?}");
        document
    }

    /// Gives code, file and marked text of each error.
    fn errors(&self) -> Vec<String> {
        self.listed("errors")
    }

    fn listed(&self, key: &str) -> Vec<String> {
        let document = self.check();
        let list = document[key].as_array().expect("a list");
        let shown = list.iter().map(|error| {
            let code = error["code"].as_str().expect("a code");
            let file = error["file"]["value"].as_str().unwrap_or("-");
            let span = &error["span"]["value"];
            let Some(start) = span["start"].as_u64() else {
                return format!("{code} {file}");
            };
            let end = span["end"].as_u64().expect("an end");
            let text = fs::read(self.path().join(file)).expect("the file is there");
            let offset = |number| usize::try_from(number).expect("it fits");
            let range = offset(start)..offset(end);
            format!("{code} {file} `{}`", String::from_utf8_lossy(&text[range]))
        });
        shown.collect()
    }
}

#[test]
fn the_examples_are_fine_but_for_one() {
    let run = checker(&examples(), &["check", "--json"]);
    let document: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    assert_eq!((run.code, &document["ok"]), (1, &json!(false)));
    assert_eq!(document["definitions"], 10);
    assert_eq!(document["checked"], 10);
    let errors = document["errors"].as_array().expect("a list");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["code"], "non-exhaustive-match");
    assert_eq!(errors[0]["repair_class"], "widen-match");
    assert_eq!(errors[0]["span"]["value"]["start"], 57);
    for module in ["sensors", "stock"] {
        let run = checker(&examples(), &["check", module]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
        assert!(
            run.stdout.ends_with("definitions checked, fine\n"),
            "{run:?}"
        );
    }
}

#[test]
fn the_tests_of_the_examples_pass() {
    let run = checker(&examples(), &["test", "--json"]);
    let document: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    let definitions = document["definitions"].as_array().expect("a list");
    assert_eq!(definitions.len(), 10);
    let mut passed = 0;
    for definition in definitions {
        match definition["definition"].as_str().expect("a name") {
            "rejected/level_rank" => {
                assert_eq!(definition["errors"][0]["code"], "non-exhaustive-match");
            }
            "sensors/classify" => assert_eq!(definition["errors"][0]["code"], "unfilled-hole"),
            _ => {
                let cases = definition["cases"].as_array().expect("a list");
                assert!(
                    cases.iter().all(|case| case["result"] == "pass"),
                    "{definition}"
                );
                passed += cases.len();
            }
        }
    }
    assert_eq!((run.code, passed), (1, 28));
    let [slash, colons] = ["stock/remove_units", "stock::remove_units"]
        .map(|name| checker(&examples(), &["test", name]).stdout);
    assert_eq!(slash, colons, "a name is taken as messages print it");
    let one = checker(&examples(), &["test", "stock/remove_units", "clamp"]);
    assert_eq!((one.code, one.stderr.as_str()), (0, ""), "{one:?}");
}

/// Files, each a path and a text.
type Files<'a> = &'a [(&'a str, &'a str)];

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "it is one table, and reads best as a whole"
)]
fn each_fault_is_reported_where_it_is() {
    let half = spec("half", "half : (x : I64) -> I64", CASE);
    let half = half.as_str();
    let body = "half : (x : I64) -> I64\nhalf x = x\n";
    let shape = |body: &str| {
        format!("---\nname: Shape\n---\n\nA shape.\n\n```soil-type\ntype Shape = {body}\n```\n")
    };
    let cases: &[(Files<'_>, &[&str])] = &[
        (&[("m/half.tr", half), ("m/half.soil", body)], &[]),
        // A call of what has a spec and no body is no mistake.
        (
            &[
                ("m/half.tr", half),
                (
                    "m/twice.soil",
                    "twice : I64 -> I64\ntwice a = half (half a)\n",
                ),
            ],
            &[],
        ),
        (
            &[("m/half.soil", "half : I64 -> Bool\nhalf a = a\n")],
            &["type-mismatch m/half.soil `a`"],
        ),
        (
            &[
                ("m/half.tr", half),
                ("m/half.soil", "half : (x : I64) -> U64\nhalf x = 1\n"),
            ],
            &["draft-signature-mismatch m/half.soil `(x : I64) -> U64`"],
        ),
        (
            &[
                ("m/half.soil", "half : I64 -> I64\nhalf a = twice a\n"),
                ("m/twice.soil", "twice : I64 -> I64\ntwice a = half a\n"),
            ],
            &["state-cycle m/half.soil `half`"],
        ),
        (
            &[("m/shape.tr", &shape("{ side : Lenght }"))],
            &["tr-type-syntax m/shape.tr `Shape`"],
        ),
        (
            &[
                ("m/shape.tr", &shape("{ side : I64 }")),
                ("n/shape.tr", &shape("opaque")),
            ],
            &["tr-type-syntax n/shape.tr `Shape`"],
        ),
        (
            &[(
                "m/half.tr",
                &spec("half", "half : (x : I64) -> Lenght", CASE),
            )],
            &["unknown-type m/half.tr `Lenght`"],
        ),
        (
            &[
                (
                    "m/half.tr",
                    &spec(
                        "half",
                        "half : (x : I64) -> I64",
                        &format!("```ensures\nless: result <= y\n```\n\n{CASE}"),
                    ),
                ),
                ("m/half.soil", body),
            ],
            &["unknown-name m/half.tr `y`"],
        ),
        // Clauses call what is total alone; properties may call the rest.
        (
            &[
                (
                    "m/half.tr",
                    &spec(
                        "half",
                        "half : (x : I64) -> I64",
                        &format!(
                            "```ensures\nfirst: list_nth list_empty result == x\n```\n\n{CASE}"
                        ),
                    ),
                ),
                ("m/half.soil", body),
            ],
            &["effect-violation m/half.tr `list_nth list_empty result`"],
        ),
        (
            &[
                (
                    "m/half.tr",
                    &spec(
                        "half",
                        "half : (x : I64) -> I64",
                        &format!("```ensures\nfar: go away result == x\n```\n\n{CASE}"),
                    ),
                ),
                ("m/half.soil", body),
                (
                    "m/away.soil",
                    "away : (x : I64) -> panic I64\naway x = x + 1\n",
                ),
                (
                    "m/go.soil",
                    "go : (f : I64 -> e I64) -> (x : I64) -> e I64\ngo f x = f x\n",
                ),
            ],
            &["effect-violation m/half.tr `go away result`"],
        ),
        // One mistake of a file of types or of a fence is one report.
        (
            &[("m/shape.tr", &shape("{ a : I64, b : I64 ignored = c }"))],
            &["tr-ignored-default m/shape.tr `c`"],
        ),
        (
            &[("m/shape.tr", &shape("{ a : I64, b : I64 ignored = \"x\" }"))],
            &["tr-ignored-default m/shape.tr `b`"],
        ),
        (
            &[(
                "m/shape.tr",
                &shape("| Box { a : I64, b : Utf8 ignored = a }"),
            )],
            &["tr-ignored-default m/shape.tr `b`"],
        ),
        (
            &[(
                "m/shape.tr",
                &shape("{ a : I64, b : I64 ignored = a, c : Path ignored = \"p\" }"),
            )],
            &[],
        ),
        (
            &[("m/shape.tr", &shape("{ a : I64 -> I64 }"))],
            &["malformed-input m/shape.tr `I64 -> I64`"],
        ),
        (
            &[("m/half.tr", half.trim_end().trim_end_matches('`'))],
            &["tr-block-info m/half.tr ````test one`"],
        ),
        (
            &[(
                "m/half.tr",
                &half.replace("```test one", "```test xfail one"),
            )],
            &["tr-block-info m/half.tr `one`"],
        ),
        (
            &[("m/half.tr", &half.replace("name: half", "name: halve"))],
            &["tr-name-mismatch m/half.tr `halve`"],
        ),
        (
            &[("m/half.lock", "{}"), ("m/half.tr", half)],
            &["lock-malformed m/half.lock"],
        ),
        (
            &[("soil.toml", "name = 1\n")],
            &["config-unknown-key soil.toml `name`"],
        ),
        (
            &[("soil.toml", "entrypoint = \"main\"\n")],
            &["config-bad-value soil.toml"],
        ),
        (
            &[(
                "m/_module.tr",
                "---\nname: m\n---\n\nWords.\n\n```exports\nhalf\ntype Shape\n```\n",
            )],
            &[
                "unknown-name m/_module.tr `half`",
                "unknown-type m/_module.tr `Shape`",
            ],
        ),
        (
            &[(
                "m/half.tr",
                &half.replace("name: half", "name: half\ntags: [odd]"),
            )],
            &["tr-undeclared-tag m/half.tr `odd`"],
        ),
        // What does not read was not judged, for the reason that is reported.
        (
            &[("m/half.soil", "half : I64 ->\n")],
            &["check-incomplete -", "parse-expected m/half.soil ``"],
        ),
        (
            &[
                ("m/deep/half.soil", "nonsense"),
                (".git/half.soil", "nonsense"),
            ],
            &[],
        ),
    ];
    for (files, expected) in cases {
        let root = Root::new(files);
        assert_eq!(root.errors(), *expected, "{files:?}");
    }
}

#[test]
fn a_check_that_is_not_finished_says_so() {
    let root = Root::new(&[
        ("m/half.soil", "half : I64 ->\n"),
        ("m/one.soil", "one : I64\none = 1\n"),
    ]);
    let document = root.check();
    assert_eq!(
        (&document["definitions"], &document["checked"]),
        (&json!(2), &json!(1))
    );
    let errors = document["errors"].as_array().expect("a list");
    assert_eq!(
        (&errors[0]["code"], &errors[0]["root"]),
        (&json!("check-incomplete"), &json!(1))
    );
    assert_eq!(errors[0]["params"], json!({"checked": 1, "total": 2}));
}

#[test]
fn a_name_that_is_younger_than_a_body_is_a_warning() {
    let lock = |hash: &str| {
        let none = format!("sha256:{}", "0".repeat(64));
        json!({
            "lock_format": 1, "name": "f", "kind": "function",
            "versions": {"trellis": "0.3.0", "soil": "0.3.0"},
            "spec": {"provenance": "human", "hashes": {"formal": none, "test": none, "prose": none},
                "prose_state": "fresh", "blocks": [], "pinned": false, "escape_hatches": [], "decisions": {}},
            "lowering": {"soil_hash": hash, "provenance": "agent", "provider": null, "model": null,
                "private_helpers": [], "calls": [], "decisions": {"scope_hash": none, "applied": []}},
            "checks": {"types": "ok", "termination": "verified", "refinements": {}, "holes": 0},
            "tests": [], "oracles": [], "accepted": false
        })
        .to_string()
    };
    let body = "f : (x : I64) -> I64\nf half = half\n";
    let files = [
        ("m/f.tr", spec("f", "f : (x : I64) -> I64", CASE)),
        ("m/f.soil", body.to_owned()),
        ("m/half.soil", "half : I64\nhalf = 1\n".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    let root = Root::new(&files);
    assert_eq!(root.errors(), ["shadowing m/f.soil `half`"]);
    root.write(
        "program.json",
        r#"{"types":"env.json","defs":["m/f.soil"]}"#,
    );
    root.write("env.json", r#"{"types":[]}"#);
    let hashes = Run::soil(&root.path(), &["hash", "program.json"]);
    let hashes: Value = serde_json::from_str(hashes.answer()).expect("it is JSON");
    root.write(
        "m/f.lock",
        &lock(hashes["defs"][0]["soil_hash"].as_str().expect("a hash")),
    );
    assert_eq!(root.errors(), [""; 0]);
    assert_eq!(root.listed("warnings"), ["shadowing m/f.soil `half`"]);
}

#[test]
fn nothing_outside_the_root_is_read() {
    let root = Root::new(&[("m/one.soil", "one : I64\none = 1\n")]);
    let outside = root.0.path().join("outside");
    fs::create_dir(&outside).expect("it is made");
    fs::write(outside.join("two.soil"), "two : I64\ntwo = \"2\"\n").expect("it is written");
    symlink(&outside, root.path().join("linked")).expect("it is linked");
    assert_eq!(root.errors(), [""; 0]);
    symlink(outside.join("two.soil"), root.path().join("m/two.soil")).expect("it is linked");
    assert_eq!(root.errors(), ["io m/two.soil"]);
}

#[test]
fn two_runs_and_two_folders_give_the_same_bytes() {
    let files: Vec<(String, String)> = (0..30)
        .map(|number| {
            let next = number + 1;
            let text = format!("f{number} : I64 -> Bool\nf{number} a = f{next} (a + gone)\n");
            (format!("m{}/f{number}.soil", number % 3), text)
        })
        .collect();
    let given = |files: &[(String, String)]| {
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        let root = Root::new(&files);
        let first = checker(&root.path(), &["check", "--json"]);
        assert_eq!(checker(&root.path(), &["check", "--json"]), first);
        first.stdout
    };
    let mut shuffled = files.clone();
    shuffled.reverse();
    shuffled.swap(3, 17);
    assert_eq!(given(&files), given(&shuffled));
}

#[test]
fn refusals_have_the_exit_codes_of_tools() {
    let root = Root::new(&[
        ("m/one.tr", &spec("one", "one : (x : I64) -> I64", CASE)),
        ("n/one.soil", "one : I64\none = 1\n"),
    ]);
    let empty = tempfile::tempdir().expect("a folder");
    let cases: &[(&Path, &[&str], i32, &str)] = &[
        (empty.path(), &["check"], 1, "config-no-root"),
        (&root.path(), &["check", "nothing"], 2, "usage"),
        (&root.path(), &["test", "nothing"], 2, "usage"),
        (&root.path(), &["test", "one"], 2, "usage"),
        (
            &root.path(),
            &["check", "--root", "/no/such/folder"],
            1,
            "config-no-root",
        ),
    ];
    for (folder, words, code, expected) in cases {
        let run = checker(folder, words);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (*code, ""),
            "{words:?} {run:?}"
        );
        assert!(
            run.stderr.starts_with(&format!("error[{expected}]: ")),
            "{run:?}"
        );
        let run = checker(folder, &[words, &["--json"][..]].concat());
        assert_eq!(run.code, *code);
        assert_eq!(run.errors()[0]["code"], *expected);
    }
    // The root is also that of a folder above, or the one that the environment names.
    assert_eq!(checker(&root.path().join("m"), &["check"]).code, 0);
    let mut command = Command::new(env!("CARGO_BIN_EXE_lonis-checker"));
    command
        .arg("check")
        .current_dir(empty.path())
        .env("TRELLIS_ROOT", root.path());
    assert_eq!(Run::of(command.output().expect("it starts")).code, 0);
    // A definition without a body has no tests that could run.
    let run = checker(&root.path(), &["test", "m/one", "--json"]);
    let document: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    assert_eq!(
        (run.code, &document["definitions"][0]["errors"][0]["code"]),
        (1, &json!("no-draft"))
    );
}

#[test]
fn a_failing_test_is_shown_with_a_case_to_keep() {
    let property = "```property small\nforall x : I64\nhalf x < 5\n```\n";
    let root = Root::new(&[
        (
            "m/half.tr",
            &spec("half", "half : (x : I64) -> I64", property),
        ),
        ("m/half.soil", "half : (x : I64) -> I64\nhalf x = x\n"),
    ]);
    let run = checker(&root.path(), &["test"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{run:?}");
    assert!(run.stdout.contains("  fail small\n"), "{run:?}");
    assert!(run.stdout.contains("    case     (5) => …\n"), "{run:?}");
    let run = checker(&root.path(), &["test", "--json"]);
    let document: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    let found = &document["definitions"][0]["cases"][0]["counterexample"];
    assert_eq!(
        (&found["args"], &found["generator"]),
        (&json!(["5"]), &json!("soil-gen/1"))
    );
}

#[test]
fn a_configuration_that_is_no_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("soil.toml")).expect("it is made");
    let run = checker(folder.path(), &["check", "--json"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(run.places(), ["config-io soil.toml"]);
}

#[test]
fn a_property_that_says_little_is_a_warning() {
    let property = "```property rare\nforall x : I64\nx == 424242 implies half x == x\n```\n";
    let root = Root::new(&[
        (
            "m/half.tr",
            &spec("half", "half : (x : I64) -> I64", property),
        ),
        ("m/half.soil", "half : (x : I64) -> I64\nhalf x = x\n"),
    ]);
    let run = checker(&root.path(), &["test", "--json"]);
    assert_eq!(run.code, 0, "{run:?}");
    let document: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    let warnings = document["definitions"][0]["warnings"]
        .as_array()
        .expect("a list");
    let codes: Vec<&str> = warnings
        .iter()
        .filter_map(|found| found["code"].as_str())
        .collect();
    assert_eq!(codes, ["clause-vacuous", "property-rarely-applies"]);
}

#[test]
fn specs_with_a_body_are_looked_at_as_well() {
    let signature = "g : (x : I64) -> I64";
    let body = |text: &str| format!("{signature}\n{text}\n");
    let low = spec(
        "low",
        "low : (x : I64) -> Bool",
        "```test one\n(1) => true\n(9) => false\n```\n",
    );
    let table = [
        ("```test one\n(1, 2) => 2\n```\n", "tr-test-syntax"),
        (
            "```test one\n(1) => 1\n(1) => 3\n```\n",
            "preflight-contradiction",
        ),
        (
            "```requires\nr: low x\n```\n```test one\n(1) => 1\n(9) => 9\n```\n",
            "preflight-case-outside-domain",
        ),
        (
            "```requires\nr: x < 0\n```\n```test one xfail\n(1) => 1\n```\n",
            "preflight-case-outside-domain preflight-vacuous-requires",
        ),
        (
            "```ensures\ne: x <= x\n```\n```test one\n(1) => 1\n```\n",
            "preflight-trivial-ensures",
        ),
        (
            "```reference\ncli cat\n```\n```test one\n(1) => 1\n```\n",
            "",
        ),
    ];
    // A body that is right, one with a hole, one that is wrong, one that reaches what is wrong, and none.
    let bodies = [
        "g x = x",
        "g x = ?later",
        "g x = \"x\"",
        "g x = wrong x",
        "",
    ];
    let wrong = (
        "shop/wrong.soil",
        "wrong : (x : I64) -> I64\nwrong x = \"x\"\n",
    );
    for (blocks, code) in table {
        for text in bodies {
            let (low_body, body) = ("low : (x : I64) -> Bool\nlow x = x < 5\n", body(text));
            let spec = spec("g", signature, blocks);
            let mut files = vec![
                ("shop/g.tr", spec.as_str()),
                ("other/low.tr", &low),
                ("other/low.soil", low_body),
                wrong,
            ];
            if !text.is_empty() {
                files.push(("shop/g.soil", &body));
            }
            let document = Root::new(&files).check();
            let list = |key: &str| document[key].as_array().expect("a list").clone();
            let found = list("errors");
            let of_spec = found
                .iter()
                .filter(|one| one["file"]["value"] == "shop/g.tr");
            let codes: Vec<&str> = of_spec.filter_map(|one| one["code"].as_str()).collect();
            // Only where there is no body does the look go to the machine for a reference.
            assert_eq!(codes.join(" "), code, "{text}: {document}");
        }
    }
}

#[test]
fn what_a_requires_names_is_looked_at_whatever_its_body_is() {
    let signature = "low : (x : I64) -> Bool";
    let contrary = spec(
        "low",
        signature,
        "```test one\n(1) => true\n(1) => false\n```\n",
    );
    let caller = spec(
        "g",
        "g : (x : I64) -> I64",
        "```requires\nr: low x\n```\n```test one\n(1) => 1\n```\n",
    );
    for text in [
        "low x = x < 5",
        "low x = low x",
        "low x = ?later",
        "low x = nope x",
        "low x = 1",
        "low x = (x",
        "low = fun x -> wrong",
        "",
    ] {
        let body = format!("{signature}\n{text}\n");
        let mut files = vec![("shop/g.tr", caller.as_str()), ("other/low.tr", &contrary)];
        if !text.is_empty() {
            files.push(("other/low.soil", &body));
        }
        let root = Root::new(&files);
        let document = root.check();
        let of = |path: &str| -> Vec<&str> {
            let errors = document["errors"].as_array().expect("a list").iter();
            let found = errors.filter(|one| one["file"]["value"] == path);
            found.filter_map(|one| one["code"].as_str()).collect()
        };
        assert_eq!(of("other/low.tr"), ["preflight-contradiction"], "{text}");
        // That the clause cannot be evaluated says nothing of the cases of its owner.
        assert!(of("shop/g.tr").is_empty(), "{text}: {document}");
    }
}

#[test]
fn a_look_at_specs_keeps_warnings_and_modules_apart() {
    let truth = spec(
        "t",
        "t : (x : I64) -> Bool",
        "```test one\n(1) => true\n```\n",
    );
    let root = Root::new(&[
        ("shop/t.tr", &truth),
        ("shop/t.soil", "t : (x : I64) -> Bool\nt x = x == x\n"),
    ]);
    let document = root.check();
    assert_eq!(document["ok"], true, "{document}");
    assert_eq!(
        document["warnings"][0]["code"],
        "preflight-unexercised-variant"
    );
    // A module that is not asked for is not told of.
    let bad = spec(
        "g",
        "g : (x : I64) -> I64",
        "```test one\n(1) => 1\n(1) => 3\n```\n",
    );
    let root = Root::new(&[
        ("shop/t.tr", &truth),
        ("shop/t.soil", "t : (x : I64) -> Bool\nt x = x == x\n"),
        ("other/g.tr", &bad),
        ("other/g.soil", "g : (x : I64) -> I64\ng x = x\n"),
    ]);
    for (module, code, ended) in [
        ("shop", None, 0),
        ("other", Some("preflight-contradiction"), 1),
    ] {
        let run = checker(&root.path(), &["check", module, "--json"]);
        let document: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
        assert_eq!(document["errors"][0]["code"].as_str(), code, "{document}");
        assert_eq!(run.code, ended);
    }
}

#[test]
fn a_function_without_parameters_has_one_outcome() {
    let twice = spec("one", "one : I64", "```test a\n() => 1\n() => 2\n```\n");
    for body in [None, Some("one : I64\none = 1\n")] {
        let mut files = vec![("shop/one.tr", twice.as_str())];
        files.extend(body.map(|body| ("shop/one.soil", body)));
        let root = Root::new(&files);
        let document = root.check();
        let code = &document["errors"][0]["code"];
        assert_eq!(code, "preflight-contradiction", "{document}");
        let refused = checker(&root.path(), &["job", "open", "one"]);
        assert_eq!(&refused.errors()[0]["code"], code, "{refused:?}");
    }
}

#[test]
fn specs_without_a_body_are_looked_at_and_named() {
    let signature = "g : (x : I64) -> I64";
    let good = ("shop/g.tr", spec("g", signature, CASE));
    let table = [
        ("```test one\n(1, 2) => 2\n```\n", "tr-test-syntax"),
        ("```test one\n(1) => \"a\"\n```\n", "tr-test-syntax"),
        (
            "```test one\n(1) => 2\n(1) => 3\n```\n",
            "preflight-contradiction",
        ),
    ];
    for (blocks, code) in table {
        let root = Root::new(&[
            ("shop/g.tr", &spec("g", signature, blocks)),
            ("shop/f.tr", &spec("f", "f : (x : I64) -> I64", CASE)),
            ("shop/f.soil", "f : (x : I64) -> I64\nf x = x\n"),
        ]);
        let document = root.check();
        assert_eq!(document["ok"], false, "{document}");
        assert_eq!(document["unwritten"], json!(["shop/g"]), "{document}");
        assert_eq!(document["definitions"], 1, "{document}");
        assert_eq!(document["errors"][0]["code"], code, "{document}");
        assert_eq!(
            document["errors"][0]["file"]["value"], "shop/g.tr",
            "{document}"
        );
        let refused = checker(&root.path(), &["job", "open", "shop/g"]);
        assert_eq!(refused.errors()[0]["code"], code, "{refused:?}");
    }
    // A function of that name in another module takes nothing from a good spec.
    let root = Root::new(&[
        (good.0, &good.1),
        ("other/g.soil", "g : (x : I64) -> I64\ng x = x\n"),
    ]);
    assert_eq!(root.check()["ok"], true);
    let opened = checker(&root.path(), &["job", "open", "shop/g"]);
    assert_eq!(opened.code, 0, "{opened:?}");
    let root = Root::new(&[(good.0, &good.1)]);
    let run = checker(&root.path(), &["check"]);
    let line = "1 spec has no body yet, only the spec was looked at: shop/g\n";
    assert!(run.answer().ends_with(line), "{run:?}");
    let run = checker(&root.path(), &["test"]);
    let line = "1 spec has no body yet, not tested: shop/g\n";
    assert!(run.answer().ends_with(line), "{run:?}");
    let run = checker(&root.path(), &["test", "--json"]);
    let document: Value = serde_json::from_str(run.answer()).expect("it is JSON");
    assert_eq!(
        document,
        json!({"definitions": [], "unwritten": ["shop/g"]})
    );
}
