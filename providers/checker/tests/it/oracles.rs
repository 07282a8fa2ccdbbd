//! References: the cases of a spec put to a Python function or a command.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::job_root::{Root, checker};
use crate::outside::{NO_NAMESPACES, executable, run, spec, tested};
use crate::program::Run;

const HALF: &str = "half : (x : I64) -> panic I64\nhalf x = x / 2\n";
const CASES: &str = "```test some\n(8) => 4\n(-7) => -4\n```\n\n";

/// Makes a project of `m/half`, with a reference that stands in these files.
fn half(reference: &str, files: &[(&str, &str)]) -> Root {
    let blocks = format!("{CASES}```reference\n{reference}\n```\n");
    let root = Root::new(&[
        (
            "m/half.tr",
            &spec("half", "(x : I64) -> panic I64", &blocks),
        ),
        ("m/half.soil", HALF),
    ]);
    for (path, text) in files {
        executable(&root, path, text);
    }
    root
}

/// Gives the row of the reference.
fn row(definition: &Value) -> Value {
    let rows = definition["cases"].as_array().expect("the tests ran");
    rows.last().expect("there are some").clone()
}

#[test]
fn a_reference_that_agrees_passes() {
    let python = "def half(x):\n    print('this is no answer')\n    return x // 2\n";
    let shell = "#!/bin/sh\nread -r line\nline=${line#[}\nx=${line%]}\necho $(( (x - (x % 2 != 0 && x < 0)) / 2 ))\n";
    for (reference, file) in [
        ("ref/half.py::half", ("ref/half.py", python)),
        ("a/b/c/half.py::half", ("a/b/c/half.py", python)),
        ("cli tools/half.sh", ("tools/half.sh", shell)),
        ("cli   sh tools/half.sh", ("tools/half.sh", shell)),
    ] {
        let root = half(reference, &[file]);
        let Some(definition) = tested(&root, &[]) else {
            return;
        };
        let name = format!("derived:differential:{reference}");
        let passed = json!({"name": name, "result": "pass", "details": {"tag": "None"}});
        assert_eq!(row(&definition), passed);
        assert_eq!(definition["cases"].as_array().map(Vec::len), Some(3));
        // Nothing is written beside the reference.
        assert!(!root.has("ref/__pycache__"), "{reference}");
    }
}

#[test]
fn a_reference_that_gives_another_value_fails_with_the_case() {
    let truncates = "def half(x):\n    return int(x / 2)\n";
    let root = half("half.py::half", &[("half.py", truncates)]);
    let Some(definition) = tested(&root, &[]) else {
        return;
    };
    let row = row(&definition);
    assert_eq!(row["result"], "fail");
    assert_eq!(row["difference"], "$");
    let details = json!({"expected": "-4", "actual": "-3 at [-7]"});
    assert_eq!(row["details"]["value"], details);
}

#[test]
fn what_cannot_be_asked_is_an_oracle_error() {
    let raises = "def half(x):\n    raise ValueError('not today')\n";
    let kills = "import os, signal\ndef half(x):\n    os.kill(os.getpid(), signal.SIGKILL)\n";
    let python = |text: &'static str| ("half.py::half", vec![("half.py", text)]);
    let shell = |text: &'static str| ("cli ./half.sh", vec![("half.sh", text)]);
    let cases = [
        (("gone.py::half", vec![]), "`gone.py` cannot be read"),
        (
            ("cli no-such-program-anywhere", vec![]),
            "is in no folder of PATH",
        ),
        (("cli ./gone", vec![]), "does not exist"),
        (
            ("half.py::other", vec![("half.py", raises)]),
            "has no attribute 'other'",
        ),
        (python(raises), "ended with status 1: ValueError: not today"),
        (python(kills), "ended with SIGKILL"),
        (python("half ="), "SyntaxError"),
        (python("import no_such_module"), "ModuleNotFoundError"),
        (
            python("import sys\ndef half(x):\n    sys.exit(0)\n"),
            "is not JSON",
        ),
        (python("def half(x):\n    return 'four'\n"), "`$` "),
        (python("def half(x):\n    return 4.0\n"), "`$` "),
        (
            python("def half(x):\n    return float('nan')\n"),
            "ValueError",
        ),
        (python("def half(x):\n    return {1, 2}\n"), "TypeError"),
        (python("def half(x):\n    return 1 << 70\n"), "`$` "),
        (
            python("def half(x, y):\n    return 4\n"),
            "missing 1 required positional argument",
        ),
        (shell("#!/bin/sh\nexit 3\n"), "ended with status 3"),
        (shell("#!/bin/sh\n"), "is not JSON"),
        (shell("#!/bin/sh\necho 4 4\n"), "is not JSON"),
        (
            shell("#!/bin/sh\necho '{\"a\":1,\"a\":2}'\n"),
            "stands twice",
        ),
        (shell("#!/bin/sh\nprintf '\\377'\n"), "is not JSON"),
        (
            shell("#!/bin/sh\nprintf '%0200d' 0 | tr 0 '['\n"),
            "nest deeper",
        ),
        (shell("#!/bin/sh\necho 9223372036854775808\n"), "`$` "),
        (shell("#!/no/such/interpreter\n"), "interpreter"),
        (shell("#!/bin/sh\nyes\n"), "stdout is over its limit"),
        (shell("#!/bin/sh\nyes >&2\n"), "stderr is over its limit"),
    ];
    for ((reference, files), reason) in cases {
        let root = half(reference, &files);
        let Some(definition) = tested(&root, &[]) else {
            return;
        };
        // The cases of the spec stand all the same.
        let cases = definition["cases"].as_array().expect("they ran");
        let results: Vec<&Value> = cases.iter().map(|case| &case["result"]).collect();
        assert_eq!(results, ["pass", "pass"], "{reference} {files:?}");
        let errors = definition["errors"].as_array().expect("a list");
        assert_eq!(errors.len(), 1, "{errors:?}");
        let error = &errors[0];
        assert_eq!(error["code"], "oracle-error");
        assert_eq!(error["repair_class"], "fix-config");
        let message = error["message"].as_str().expect("a text");
        assert!(
            message.starts_with(&format!("the reference `{reference}` ")),
            "{message}"
        );
        assert!(message.contains(reason), "{message} / {reason}");
        // The line that names the reference.
        let start = error["span"]["value"]["start"].as_u64().expect("a place");
        let text = root.read("m/half.tr");
        assert!(text[usize::try_from(start).expect("small")..].starts_with(reference));
        assert_eq!(error["file"]["value"], "m/half.tr");
    }
}

#[test]
fn a_machine_without_python_or_a_shell_says_so() {
    let root = half(
        "half.py::half",
        &[("half.py", "def half(x):\n    return x // 2\n")],
    );
    let tested = |words: &[&str]| {
        let mut command = checker(&root.path(), &[&["test", "--json"], words].concat());
        let run = Run::of(
            command
                .env("PATH", root.path())
                .output()
                .expect("it starts"),
        );
        let document: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
        document["definitions"][0]["errors"].clone()
    };
    let errors = tested(&[]);
    assert_eq!(errors[0]["code"], "oracle-error");
    let message = errors[0]["message"].as_str().expect("a text");
    assert!(
        message.ends_with("cannot run: `python3` is in no folder of PATH"),
        "{message}"
    );
    root.write(
        "m/half.tr",
        &spec("half", "(x : I64) -> panic I64", "```cram c\n$ true\n```\n"),
    );
    let errors = tested(&["--real"]);
    assert_eq!(errors[0]["code"], "io");
    let message = errors[0]["message"].as_str().expect("a text");
    // What a machine lacks first is told first.
    if !message.contains(NO_NAMESPACES) {
        let expected = "the session `c` cannot run: `sh` is in no folder of PATH";
        assert_eq!(message, expected);
    }
}

#[test]
fn links_are_no_references() {
    let root = half(
        "ref/half.py::half",
        &[("real/half.py", "def half(x): return 1")],
    );
    symlink("real", root.path().join("ref")).expect("it is made");
    let Some(definition) = tested(&root, &[]) else {
        return;
    };
    assert_eq!(definition["errors"][0]["code"], "oracle-error");
    let root = half("ref.py::half", &[("real.py", "def half(x): return 1")]);
    symlink("real.py", root.path().join("ref.py")).expect("it is made");
    let definition = tested(&root, &[]).expect("namespaces are there");
    let message = definition["errors"][0]["message"].as_str();
    assert!(
        message.is_some_and(|text| text.contains("is a link")),
        "{message:?}"
    );
}

#[test]
fn a_check_runs_no_reference_and_misses_its_file() {
    let root = half(
        "half.py::half",
        &[("half.py", "open('ran', 'w')\ndef half(x): return 1\n")],
    );
    let checked = run(&root, &["check", "--json"]).expect("nothing runs");
    assert_eq!(
        (checked.code, checked.stderr.as_str()),
        (0, ""),
        "{checked:?}"
    );
    assert!(!root.has("ran"));
    for (reference, errors) in [
        ("gone/half.py::half", 1),
        ("cli no-such-program-anywhere", 0),
    ] {
        let root = half(reference, &[]);
        let checked = run(&root, &["check", "--json"]).expect("nothing runs");
        let document: Value = serde_json::from_str(&checked.stdout).expect("it is JSON");
        let found = document["errors"].as_array().expect("a list");
        assert_eq!(found.len(), errors, "{found:?}");
        for one in found {
            assert_eq!(one["code"], "oracle-error");
            assert_eq!(one["file"]["value"], "m/half.tr");
        }
    }
}

#[test]
fn a_fork_bomb_is_ended_whole() {
    // Far over the bound, and yet so few that a machine whose looks come late is none the worse.
    let bomb = "import os, time\ndef half(x):\n    for _ in range(200):\n        if os.fork() == 0:\n            os.setsid()\n            time.sleep(600)\n    time.sleep(600)\n";
    let root = half("half.py::half", &[("half.py", bomb)]);
    let Some(definition) = tested(&root, &[]) else {
        return;
    };
    let message = definition["errors"][0]["message"]
        .as_str()
        .expect("an error");
    // Two hundred interpreters are also more memory than is allowed; which of the two a look sees first is chance.
    let bounds = ["`max_processes`", "`max_memory_bytes`"];
    let is_over = |bound: &&str| message.contains(&format!("{bound} is over its limit of "));
    assert!(bounds.iter().any(is_over), "{message}");
}

#[test]
fn a_reference_sees_nothing_of_its_caller() {
    let looks = "import os, socket\n\
        def half(x):\n    assert 'SECRET_OF_THE_CALLER' not in os.environ\n    assert not os.listdir(os.environ['HOME'])\n    \
        assert not os.listdir(os.environ['TMPDIR'])\n    assert os.path.exists('soil.toml')\n    \
        assert [name for _, name in socket.if_nameindex()] in ([], ['lo'])\n    \
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()\n    try:\n        \
        socket.create_connection(('127.0.0.1', 9), 5)\n    except OSError as error:\n        \
        assert error.errno == 101, error\n    return x // 2\n";
    let root = half("half.py::half", &[("half.py", looks)]);
    let Some(definition) = tested(&root, &[]) else {
        return;
    };
    assert_eq!(definition["errors"], Value::Null);
    assert_eq!(row(&definition)["result"], "pass");
}

#[test]
fn modules_beside_a_reference_are_found_and_hide_none_of_its_runner() {
    let root = half(
        "ref/half.py::half",
        &[
            (
                "ref/half.py",
                "import beside\ndef half(x):\n    return beside.halved(x)\n",
            ),
            ("ref/beside.py", "def halved(x):\n    return x // 2\n"),
            ("json.py", "raise RuntimeError('the wrong one')\n"),
            ("os.py", "raise RuntimeError('the wrong one')\n"),
        ],
    );
    let Some(definition) = tested(&root, &[]) else {
        return;
    };
    assert_eq!(row(&definition)["result"], "pass", "{definition}");
}

#[test]
fn only_values_that_have_to_come_are_asked_for() {
    let blocks = "```test panics\n(1) => panic\n```\n\n```test known xfail\n(2) => 7\n```\n\n\
        ```reference\nhalf.py::half\n```\n";
    let body = "half : (x : I64) -> panic I64\nhalf x = x / (x - 1)\n";
    let root = Root::new(&[
        ("m/half.tr", &spec("half", "(x : I64) -> panic I64", blocks)),
        ("m/half.soil", body),
        ("half.py", "raise SystemExit(1)"),
    ]);
    let Some(definition) = tested(&root, &[]) else {
        return;
    };
    // Nothing was compared, so no row says that all is well.
    assert_eq!(definition["errors"], Value::Null, "{definition}");
    assert_eq!(definition["cases"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_capability_can_be_given_to_no_reference() {
    let signature = "(clock : Clock) -> io I64";
    let blocks =
        "```test some\nwith now = fake_clock 5\n(now) => 5\n```\n\n```reference\ncli cat\n```\n";
    let root = Root::new(&[
        ("m/seconds.tr", &spec("seconds", signature, blocks)),
        (
            "m/seconds.soil",
            "seconds : (clock : Clock) -> io I64\nseconds clock = clock_now clock\n",
        ),
    ]);
    let Some(definition) = tested(&root, &[]) else {
        return;
    };
    let error = &definition["errors"][0];
    assert_eq!(error["code"], "oracle-error");
    let message = error["message"].as_str().expect("a text");
    assert!(message.contains("can be given no capability"), "{message}");
    // No draft could be accepted either, so no model is asked for one.
    let refused = run(&root, &["job", "open", "seconds"]).expect("nothing runs");
    assert_eq!(refused.errors()[0]["code"], "oracle-error");
}
