//! `soil run`.

use crate::program::{Project, Run, examples};

fn run(entry: &str, args: &str) -> Run {
    let words = ["run", "program.json", "--entry", entry, "--args", args];
    Run::soil(&examples(), &words)
}

#[test]
fn results_are_canonical() {
    for (entry, args, expected) in [
        ("clamp", "[2,8,9]", "8"),
        ("sensors::clamp", "[2, 8, -1]", "2"),
        ("fahrenheit", "[100]", "212.0"),
        (
            "status_text",
            r#"[{"tag":"High"},{"tag":"None"}]"#,
            "\"high\"",
        ),
        ("left_side", "[6]", "true"),
        (
            "total_units",
            r#"[[{"sku":"a","units":1},{"units":4,"sku":"b"}]]"#,
            "5",
        ),
        ("remove_units", "[5,3]", "2"),
    ] {
        assert_eq!(
            run(entry, args).answer(),
            format!("{expected}\n"),
            "{entry}"
        );
    }
}

#[test]
fn capabilities_come_from_the_real_world() {
    assert_eq!(run("is_fresh", "[0,1]").answer(), "false\n");
    let far = "9000000000000000000";
    assert_eq!(run("is_fresh", &format!("[{far},0]")).answer(), "true\n");
    let read = "read : (fs : Fs) -> (path : Path) -> io (Result Bytes FsError)\n\
                read fs path = fs_read_bytes fs path\n";
    let narrow = "narrow : (world : World) -> (path : Path) -> io (Result Bytes FsError)\n\
                  narrow world path = fs_read_bytes (world_fs world) path\n";
    let draws = "draws : (rand : Rand) -> io Bool\ndraws rand = rand_u64 rand != rand_u64 rand\n";
    let project = Project::new(&[
        ("m/read.soil", read),
        ("m/narrow.soil", narrow),
        ("m/draws.soil", draws),
        ("note", "hello"),
    ]);
    for (entry, args, expected) in [
        ("read", r#"["note"]"#, r#"{"tag":"Ok","value":"aGVsbG8="}"#),
        (
            "narrow",
            r#"["note"]"#,
            r#"{"tag":"Ok","value":"aGVsbG8="}"#,
        ),
        (
            "read",
            r#"["none"]"#,
            r#"{"tag":"Err","value":{"tag":"NotFound","value":{"path":"none"}}}"#,
        ),
        ("draws", "[]", "true"),
    ] {
        let words = ["run", "program.json", "--entry", entry, "--args", args];
        assert_eq!(
            project.soil(&words).answer(),
            format!("{expected}\n"),
            "{entry}"
        );
    }
}

#[test]
fn results_that_hold_functions_are_refused() {
    let add =
        "add : (n : I64) -> List (I64 -> I64)\nadd n = list_append list_empty (fun x -> x + n)\n";
    let project = Project::new(&[("m/add.soil", add)]);
    let run = project.soil(&["run", "program.json", "--entry", "add", "--args", "[1]"]);
    assert_eq!((run.code, run.places()), (2, vec!["usage -".to_owned()]));
}

#[test]
fn a_capability_may_have_another_name() {
    let clocks = r#"{"types":[{"name":"Watch","params":[],"strategy":{"tag":"Structural"},"body":{"tag":"Alias","value":{"ty":{"tag":"SCon","value":{"name":"Clock","args":[]}}}}}]}"#;
    let later = "later : (watch : Watch) -> io Bool\nlater watch = 0 < clock_now watch\n";
    let program = r#"{"types":"clocks.json","defs":["m/later.soil"]}"#;
    let project = Project::new(&[
        ("m/later.soil", later),
        ("clocks.json", clocks),
        ("own.json", program),
    ]);
    let run = project.soil(&["run", "own.json", "--entry", "later"]);
    assert_eq!(run.answer(), "true\n");
}

#[test]
fn modules_are_folders_whatever_a_path_goes_through() {
    let one = "one : I64\none = 1\n";
    let program = r#"{"types":"env.json","defs":["./m/./x/../one.soil"]}"#;
    let project = Project::new(&[
        ("m/one.soil", one),
        ("m/x/two.soil", "two : I64\ntwo = 2\n"),
        ("own.json", program),
    ]);
    let run = project.soil(&["run", "own.json", "--entry", "m::one"]);
    assert_eq!(run.answer(), "1\n");
}

#[test]
fn what_is_raised_is_a_diagnostic_with_its_trace() {
    let run = run("remove_units", "[3,5]");
    assert_eq!(
        (run.code, run.places()),
        (1, vec!["runtime-panic -".to_owned()])
    );
    let errors = run.errors();
    let message = errors[0]["message"].as_str().expect("a message");
    assert!(message.starts_with("overflow: "), "{message}");
    assert_eq!(errors[0]["notes"][0]["message"], "stock::remove_units");
}

#[test]
fn guards_blame_the_caller() {
    let text = std::fs::read_to_string(examples().join("stock/remove_units.soil"));
    let manifest = r#"{"types":"env.json","defs":["stock/remove_units.soil"],"guards":[
        {"def":"stock::remove_units","requires":[{"label":"enough","pred":"take <= have"}],"ensures":[]}]}"#;
    let project = Project::new(&[
        ("program.json", manifest),
        ("stock/remove_units.soil", &text.expect("it is there")),
    ]);
    let words = ["run", "program.json", "--entry", "remove_units", "--args"];
    let run = project.soil(&[&words[..], &["[3,5]"]].concat());
    assert_eq!(
        (run.code, run.places()),
        (1, vec!["guard-requires -".to_owned()])
    );
    assert!(run.stderr.contains("requires-violation: "), "{run:?}");
    assert_eq!(
        project.soil(&[&words[..], &["[5,3]"]].concat()).answer(),
        "2\n"
    );
}

#[test]
fn bounds_end_a_run() {
    let text = "spin : (n : I64) -> div I64\nspin n = spin n\n";
    let project = Project::new(&[("m/spin.soil", text)]);
    let run = project.soil(&["run", "program.json", "--entry", "spin", "--args", "[1]"]);
    assert_eq!(
        (run.code, run.places()),
        (1, vec!["fuel-exhausted -".to_owned()])
    );
}

#[test]
fn holes_do_not_run_wherever_they_are() {
    let run = run("classify", r#"[{"sensor":"a","value":1.0}]"#);
    let place = "unfilled-hole sensors/classify.soil 84..97".to_owned();
    assert_eq!((run.code, run.places()), (1, vec![place]));
    let project = Project::new(&[
        ("m/one.soil", "one : I64\none = ?later\n"),
        ("m/two.soil", "two : I64\ntwo = one\n"),
        ("m/three.soil", "three : I64\nthree = 3\n"),
    ]);
    let run = project.soil(&["run", "program.json", "--entry", "two"]);
    assert_eq!(run.places(), ["unfilled-hole m/one.soil 16..22"]);
    let run = project.soil(&["run", "program.json", "--entry", "three"]);
    assert_eq!(run.answer(), "3\n");
}

#[test]
fn arguments_that_are_no_values_are_malformed() {
    for (args, place) in [
        ("[", "not JSON"),
        ("{}", "`$` must be an array"),
        (r#"[[{"sku":"a","units":-1}]]"#, "`$[0][0].units`"),
        (r#"[[{"sku":"a"}]]"#, "`$[0][0]`"),
    ] {
        let run = run("total_units", args);
        assert_eq!(run.places(), ["malformed-input -"]);
        assert_eq!(run.code, 2);
        let message = run.errors()[0]["message"].to_string();
        assert!(message.contains(place), "{args}: {message}");
    }
}

#[test]
fn a_program_with_mistakes_does_not_run() {
    let words = [
        "run",
        "rejected.json",
        "--entry",
        "level_rank",
        "--args",
        "[]",
    ];
    let run = Run::soil(&examples(), &words);
    assert_eq!(run.code, 1);
    assert_eq!(
        run.places(),
        ["non-exhaustive-match rejected/level_rank.soil 57..102"]
    );
}
