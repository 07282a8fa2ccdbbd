//! Projects, jobs and machines that mean no good: every command answers or refuses, and nothing else happens.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::job_root::{CLAMP, GOOD, Job, Root, WRONG, checker, draft, nothing};
use crate::program::Run;

/// Gives the codes of a run that answered with a document or was refused with one; anything else is a fault.
fn codes(run: &Run, what: &str) -> Vec<String> {
    assert!(
        run.stdout.is_empty() != run.stderr.is_empty(),
        "{what}: {run:?}"
    );
    assert!(
        run.stdout.len() + run.stderr.len() < 2 << 20,
        "{what}: it says too much"
    );
    let text = if run.stdout.is_empty() {
        &run.stderr
    } else {
        &run.stdout
    };
    let document: Value =
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{what}: {error}: {run:?}"));
    let mut found = Vec::new();
    collect(&document, &mut found);
    assert!(!found.contains(&"internal".to_owned()), "{what}: {run:?}");
    // A red result is a document too; what is refused has no other answer.
    let is_fitting = if run.stdout.is_empty() {
        run.code != 0
    } else {
        run.code <= 1
    };
    assert!(is_fitting, "{what}: {run:?}");
    found
}

fn collect(document: &Value, found: &mut Vec<String>) {
    match document {
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(members) => match members.get("code").and_then(Value::as_str) {
            Some(code) => found.push(code.to_owned()),
            None => members.values().for_each(|value| collect(value, found)),
        },
        _ => {}
    }
}

/// Runs each command that reads a project.
fn every_command(root: &Root, what: &str) {
    for words in [
        &["check", "--json"][..],
        &["status", "--json"],
        &["test", "--json"],
        &["refresh", "--json"],
        &["accept", "clamp", "--json"],
        &["answer", "clamp", "--text", "Yes.", "--json"],
        &["job", "list", "--json"],
        &["job", "open", "clamp"],
    ] {
        codes(&root.run(words), &format!("{what}: {words:?}"));
    }
}

/// Specs by what is wrong with them.
fn hostile_specs() -> Vec<(&'static str, Vec<u8>)> {
    let front = |lines: &str| CLAMP.replacen("name: clamp\n", lines, 1).into_bytes();
    vec![
        ("empty", Vec::new()),
        ("one line", b"---".to_vec()),
        ("never closed", b"---\nname: clamp\n".to_vec()),
        (
            "mark of byte order",
            [b"\xef\xbb\xbf", CLAMP.as_bytes()].concat(),
        ),
        (
            "two bytes a unit",
            CLAMP.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        ),
        (
            "ends of another system",
            CLAMP.replace('\n', "\r\n").into_bytes(),
        ),
        ("zero bytes", CLAMP.replace(' ', "\0").into_bytes()),
        ("no text", [CLAMP.as_bytes(), b"\xff\xfe\xc0\x80"].concat()),
        ("anchors", front("name: &a clamp\ntags: [*a, *a, *a]\n")),
        (
            "types of another language",
            front("name: !!python/object:os.system clamp\n"),
        ),
        ("a path for a name", front("name: ../../etc/passwd\n")),
        ("an absolute path for a name", front("name: /etc/passwd\n")),
        ("escapes in a name", front("name: \"cl\\u0061mp\"\n")),
        ("a terminal's codes", front("name: \u{1b}[2Jclamp\n")),
        (
            "keys twice",
            front("name: clamp\nname: clamp\nname: clamp\n"),
        ),
        (
            "a key without end",
            front(&format!("name: clamp\n{}: 1\n", "k".repeat(200_000))),
        ),
        (
            "many tags",
            front(&format!(
                "name: clamp\ntags: [{}]\n",
                "a, ".repeat(50_000) + "a"
            )),
        ),
        (
            "many keys",
            front(&(0..20_000).fold("name: clamp\n".to_owned(), |text, key| {
                text + &format!("k{key}: 1\n")
            })),
        ),
        (
            "lists in lists",
            front(&format!("name: clamp\ntags: {}\n", "[".repeat(100_000))),
        ),
        (
            "many blocks",
            [
                CLAMP.as_bytes(),
                "```test t\n(0, 1, 2) => 1\n```\n".repeat(5_000).as_bytes(),
            ]
            .concat(),
        ),
        (
            "many fences",
            [CLAMP.as_bytes(), "```\n".repeat(50_000).as_bytes()].concat(),
        ),
        (
            "values in values",
            CLAMP
                .replace(
                    "(0, 10, 5) => 5",
                    &format!("({}) => 5", "[".repeat(100_000)),
                )
                .into_bytes(),
        ),
        (
            "a deep type",
            CLAMP
                .replace(
                    "(x : I64)",
                    &format!("(x : {}I64)", "List (".repeat(50_000)),
                )
                .into_bytes(),
        ),
        (
            "a deep clause",
            CLAMP
                .replace(
                    "result <= high",
                    &format!("{}result <= high", "not ".repeat(100_000)),
                )
                .into_bytes(),
        ),
        (
            "a megabyte",
            [CLAMP.as_bytes(), "words ".repeat(200_000).as_bytes()].concat(),
        ),
    ]
}

#[test]
fn specs_of_any_bytes_are_read_or_refused() {
    for (what, text) in hostile_specs() {
        let root = Root::clamp();
        root.write("shop/clamp.soil", GOOD);
        fs::write(root.path().join("shop/clamp.tr"), text).expect("it is written");
        every_command(&root, what);
    }
    for text in [
        format!("{}x", "[".repeat(10_000)),
        "a.".repeat(10_000),
        "\0".to_owned(),
    ] {
        let root = Root::clamp();
        root.write("soil.toml", &text);
        every_command(&root, "soil.toml");
    }
}

/// Texts that are no JSON, or none of the form that is wanted.
fn hostile_json() -> Vec<Vec<u8>> {
    let mut texts: Vec<Vec<u8>> = [
        "",
        " ",
        "{",
        "null",
        "true",
        "[]",
        "{}",
        "\"text\"",
        "1e999",
        "-0",
        "NaN",
        "{\"a\":1,\"a\":2}",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec();
    texts.extend([
        b"\xff\xfe{\x00}\x00".to_vec(),
        b"{\"name\":\"\xff\"}".to_vec(),
        b"{\"name\":\"\\ud800\"}".to_vec(),
        "[".repeat(200_000).into_bytes(),
        "{\"a\":".repeat(200_000).into_bytes(),
        format!("{{\"a\":\"{}\"}}", "x".repeat(1 << 20)).into_bytes(),
        format!("{{\"seq\":{}}}", "9".repeat(5_000)).into_bytes(),
    ]);
    texts
}

#[test]
fn files_of_a_project_that_are_no_json_are_refused_where_they_matter() {
    for text in hostile_json() {
        let root = Root::clamp();
        root.write("shop/clamp.soil", GOOD);
        let what = String::from_utf8_lossy(&text[..text.len().min(30)]).into_owned();
        for file in ["shop/clamp.lock", "shop/clamp.question.json"] {
            fs::write(root.path().join(file), &text).expect("it is written");
            every_command(&root, &format!("{file}: {what}"));
            fs::remove_file(root.path().join(file)).expect("it is there");
        }
    }
}

#[test]
fn files_of_a_job_that_are_no_json_leave_it_usable_or_say_so() {
    let root = Root::clamp();
    // Each of so many files takes each of a few texts of every sort.
    for text in hostile_json().into_iter().step_by(4) {
        let what = String::from_utf8_lossy(&text[..text.len().min(30)]).into_owned();
        for file in [
            "files.json",
            "found.json",
            "evidence.json",
            "asking.json",
            "draft.next.json",
            "draft.json",
            "closing.json",
            "outcome.json",
            "job.json",
        ] {
            let job = root.open(&["clamp"]);
            job.write(GOOD);
            fs::write(job.path(file), &text).expect("it is written");
            let what = format!("{file}: {what}");
            let mut said = Vec::new();
            for tool in ["check_types", "run_tests"] {
                said.extend(codes(&job.call(tool, &nothing()), &what));
            }
            let expected: &[&str] = match file {
                "job.json" => &["job-not-running"; 2],
                "draft.json" => &["io"; 2],
                _ => &[],
            };
            assert_eq!(said, expected, "{what}");
            if file != "job.json" {
                job.write(GOOD);
                assert_eq!(codes(&job.call("check_types", &nothing()), &what), [""; 0]);
            }
            let closed = root.run(&["job", "close", &job.0, "--remove"]);
            codes(&closed, &what);
            if file != "job.json" {
                assert!(
                    closed.stdout.contains("\"tag\":\"Green\""),
                    "{what}: {closed:?}"
                );
            }
            for name in ["soil", "lock"] {
                // What a close wrote is taken back for the next round.
                let _ = fs::remove_file(root.path().join(format!("shop/clamp.{name}")));
            }
        }
    }
}

#[test]
fn tools_take_no_input_that_is_no_object() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    for text in hostile_json() {
        let words = ["--mode", "ndjson", "call", "trellis.write_soil"];
        let run = Run::on(&mut checker(Path::new("/"), &words), &text);
        let error: Value = serde_json::from_str(&run.stderr).expect("one error");
        let kind = error["kind"].as_str().expect("a kind");
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
        assert!(
            ["checker/usage", "invalid_input", "bad_input"].contains(&kind),
            "{kind}"
        );
    }
    assert_eq!(job.record()["turns"], 0);
}

#[test]
fn drafts_of_any_text_are_stored_or_refused() {
    let signature = "clamp : (low : I64) -> (high : I64) -> (x : I64) -> I64\nclamp low high x = ";
    let doubling = (0..40).fold("let a0 = (x, x) in ".to_owned(), |text, step| {
        text + &format!("let a{} = [a{step}, a{step}] in ", step + 1)
    });
    let drafts = [
        ("a megabyte", format!("{signature}{}1", " ".repeat(1 << 20))),
        (
            "open brackets",
            format!("{signature}{}", "(".repeat(300_000)),
        ),
        (
            "brackets",
            format!("{signature}{}1{}", "(".repeat(300_000), ")".repeat(300_000)),
        ),
        (
            "a long sum",
            format!("{signature}1{}", " + 1".repeat(100_000)),
        ),
        (
            "functions in functions",
            format!("{signature}{}1", "(fun y -> ".repeat(50_000)),
        ),
        ("a long word", format!("{signature}{}", "a".repeat(900_000))),
        (
            "a long number",
            format!("{signature}{}", "9".repeat(900_000)),
        ),
        (
            "a long text",
            format!("{signature}\"{}\"", "a".repeat(900_000)),
        ),
        ("zero bytes", format!("{signature}\0\0")),
        (
            "signs that turn lines",
            format!("{signature}\u{202e}x\u{2028}y"),
        ),
        ("half a pair", format!("{signature}\"\\u{{d800}}\"")),
        (
            "many holes",
            format!("{signature}{}?z", "?a + ".repeat(20_000)),
        ),
        ("types that double", format!("{signature}{doubling}x")),
    ];
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    for (what, soil) in drafts {
        codes(&job.call("write_soil", &draft(&soil)), what);
        codes(&job.call("check_types", &nothing()), what);
        codes(&job.call("run_tests", &nothing()), what);
    }
    job.write(GOOD);
    assert_eq!(job.close()["outcome"]["tag"], "Green");
}

#[test]
fn links_lead_nowhere() {
    let outside = tempfile::tempdir().expect("a folder");
    let target = outside.path().join("target");
    let secret = outside.path().join("secret");
    fs::write(&secret, "words that are nobody's business").expect("it is written");
    fs::create_dir(&target).expect("it is made");
    let files = [
        "shop/clamp.tr",
        "shop/clamp.soil",
        "shop/clamp.lock",
        "shop/clamp.log",
        "shop/clamp.question.json",
        "shop/_module.tr",
        "_project.tr",
        ".lonis",
        ".lonis/jobs",
        ".lonis/write.lock",
        ".lonis/.gitignore",
        ".lonis/jobs/.lock",
        ".lonis/jobs/.new",
        "shop/.clamp.lock.new",
        "shop/.clamp.soil.new",
    ];
    for file in files {
        for to in [&secret, &target, &outside.path().join("absent")] {
            let root = Root::clamp();
            let link = root.path().join(file);
            let _ = fs::remove_file(&link);
            fs::create_dir_all(link.parent().expect("a folder")).expect("it is made");
            symlink(to, &link).expect("it is made");
            every_command(&root, file);
            let opened = root.run(&["job", "open", "clamp"]);
            if opened.code == 0 {
                let opened: Value = serde_json::from_str(&opened.stdout).expect("a document");
                let job = Job(opened["job"].as_str().expect("a path").to_owned());
                codes(&job.call("write_soil", &draft(GOOD)), file);
                codes(&root.run(&["job", "close", &job.0]), file);
            }
            let text = fs::read_to_string(&secret).expect("it is there");
            assert_eq!(text, "words that are nobody's business", "{file}");
            let made = fs::read_dir(&target).expect("it is there").count();
            assert_eq!(
                (made, outside.path().join("absent").exists()),
                (0, false),
                "{file}"
            );
        }
    }
}

#[test]
fn links_in_a_job_lead_nowhere() {
    let outside = tempfile::tempdir().expect("a folder");
    let secret = outside.path().join("secret");
    fs::write(&secret, "words that are nobody's business").expect("it is written");
    for file in [
        "job.json",
        "lock",
        "draft.soil",
        "draft.json",
        "draft.next.json",
        "found.json",
        "evidence.json",
        "files.json",
        "asking.json",
        "closing.json",
        "outcome.json",
        "cache",
        "bundle",
        "bundle/spec.md",
        ".draft.soil.new",
        ".job.json.new",
    ] {
        let root = Root::clamp();
        let job = root.open(&["clamp"]);
        let link = job.path(file);
        if link.is_dir() {
            fs::remove_dir_all(&link).expect("it is there");
        } else {
            let _ = fs::remove_file(&link);
        }
        symlink(&secret, &link).expect("it is made");
        for (tool, input) in [
            ("write_soil", draft(WRONG)),
            ("run_tests", nothing()),
            ("read_context", json!({"path": "spec.md"})),
            (
                "ask_human",
                json!({"kind": "Rule", "question": "Why?", "hole": null, "options": []}),
            ),
        ] {
            let run = job.call(tool, &input);
            codes(&run, file);
            assert!(
                !run.stdout.contains("nobody's business"),
                "{file} {tool}: {run:?}"
            );
        }
        codes(&root.run(&["job", "close", &job.0, "--remove"]), file);
        let text = fs::read_to_string(&secret).expect("it is there");
        assert_eq!(text, "words that are nobody's business", "{file}");
    }
}

#[test]
fn pipes_are_not_waited_for() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    job.write(GOOD);
    let pipe = |path: &Path| {
        let _ = fs::remove_file(path);
        let status = std::process::Command::new("mkfifo").arg(path).status();
        assert!(status.expect("it starts").success());
    };
    for file in [
        "shop/clamp.log",
        "shop/clamp.lock",
        "shop/clamp.question.json",
        "shop/clamp.soil",
        "_project.tr",
    ] {
        pipe(&root.path().join(file));
        every_command(&root, file);
        codes(&root.run(&["job", "show", &job.0, "--json"]), file);
        codes(&job.call("check_types", &nothing()), file);
        fs::remove_file(root.path().join(file)).expect("it is there");
    }
    for file in [
        "draft.soil",
        "draft.json",
        "found.json",
        "files.json",
        "asking.json",
        "job.json",
    ] {
        let job = root.open(&["clamp"]);
        job.write(GOOD);
        pipe(&job.path(file));
        codes(&job.call("run_tests", &nothing()), file);
        codes(&root.run(&["job", "show", &job.0, "--json"]), file);
        codes(&root.run(&["job", "close", &job.0]), file);
        let _ = fs::remove_file(root.path().join("shop/clamp.lock"));
        let _ = fs::remove_file(root.path().join("shop/clamp.soil"));
    }
}

/// Runs the program where no file can grow past a number of blocks, as on a full disk.
fn on_a_full_disk(blocks: u32, words: &[&str], input: &Value) -> Run {
    let script = format!("ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", &script, env!("CARGO_BIN_EXE_lonis-checker")])
        .args(words)
        .current_dir("/")
        .env_clear();
    Run::on(&mut command, input.to_string().as_bytes())
}

#[test]
fn a_full_disk_loses_nothing_that_was_stored() {
    let root = Root::clamp();
    // Long enough that some files fit where others do not.
    let long = |number: usize| {
        let sum = " + 0".repeat(number);
        GOOD.replace("then low\n", &format!("then low{sum}\n"))
    };
    for blocks in [0, 1, 2, 4, 8, 16] {
        let job = root.open(&["clamp"]);
        let mut input = draft(&long(400));
        input["job"] = json!(job.0);
        job.write(GOOD);
        let words = ["--mode", "ndjson", "call", "trellis.write_soil"];
        let run = on_a_full_disk(blocks, &words, &input);
        let said = codes(&run, &format!("{blocks}"));
        assert!(said.is_empty() || said == ["io"], "{blocks}: {run:?}");
        // The draft is the former one or the new one, and the log reads line by line but for what was cut off.
        let block = job.block("check_types", &nothing());
        let events = root.read("shop/clamp.log");
        let last = events.lines().last().expect("a line");
        let last: Value =
            serde_json::from_str(last).unwrap_or_else(|error| panic!("{blocks}: {error}: {last}"));
        assert_eq!(last["name"], "trellis.check_types", "{blocks}");
        let kept = block["provenance"]["plan_hash"].clone();
        job.write(GOOD);
        let good = job.block("check_types", &nothing())["provenance"]["plan_hash"].clone();
        assert_eq!(kept == good, !said.is_empty(), "{blocks}: {run:?}");
        let run = on_a_full_disk(blocks, &["job", "close", &job.0], &nothing());
        let said = codes(&run, &format!("close {blocks}"));
        if !said.is_empty() {
            assert_eq!((said, run.code), (vec!["io".to_owned()], 8), "{blocks}");
            assert_eq!(job.close()["outcome"]["tag"], "Green", "{blocks}");
        }
        assert_eq!(root.read("shop/clamp.soil"), GOOD, "{blocks}");
        let report = root.run(&["check", "--json"]);
        assert!(report.answer().contains("\"ok\":true"), "{report:?}");
        for name in ["soil", "lock"] {
            fs::remove_file(root.path().join(format!("shop/clamp.{name}"))).expect("it is there");
        }
    }
    let before = root.jobs();
    let words = [
        "job",
        "open",
        "clamp",
        "--root",
        root.path().to_str().expect("a text"),
    ]
    .map(str::to_owned);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let run = on_a_full_disk(0, &words, &nothing());
    assert_eq!((codes(&run, "open"), run.code), (vec!["io".to_owned()], 8));
    assert_eq!(root.jobs(), before, "no directory is left");
}

#[test]
fn two_at_once_do_not_get_into_each_others_way() {
    let root = Root::clamp();
    let started: Vec<_> = (0..6)
        .map(|_| {
            checker(&root.path(), &["job", "open", "clamp"])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("it starts")
        })
        .collect();
    let mut jobs: Vec<Job> = started
        .into_iter()
        .map(|child| {
            let run = Run::of(child.wait_with_output().expect("it ends"));
            let opened: Value = serde_json::from_str(run.answer()).expect("a document");
            Job(opened["job"].as_str().expect("a path").to_owned())
        })
        .collect();
    jobs.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(
        root.jobs(),
        (1..=6)
            .map(|number| format!("shop.clamp.{number}"))
            .collect::<Vec<_>>()
    );
    for job in &jobs {
        job.write(GOOD);
    }
    // Each job is closed twice at once: one of all is the first to write, the others find what it wrote.
    let closing: Vec<_> = jobs
        .iter()
        .flat_map(|job| [job, job])
        .map(|job| {
            checker(Path::new("/"), &["job", "close", &job.0])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("it starts")
        })
        .collect();
    let mut tags = Vec::new();
    for child in closing {
        let run = Run::of(child.wait_with_output().expect("it ends"));
        let said = codes(&run, "close");
        if said.is_empty() {
            let ended: Value = serde_json::from_str(&run.stdout).expect("a document");
            tags.push(ended["outcome"]["tag"].as_str().expect("a word").to_owned());
        } else {
            tags.push(said[0].clone());
        }
    }
    tags.sort_unstable();
    let expected = [
        vec!["Green"; 1],
        vec!["Invalidated"; 5],
        vec!["job-not-running"; 6],
    ]
    .concat();
    assert_eq!(tags, expected);
    assert_eq!(root.read("shop/clamp.soil"), GOOD);
    // The events of all of them are numbered one after the other.
    let log = root.read("shop/clamp.log");
    for (number, line) in (1..).zip(log.lines()) {
        let event: Value = serde_json::from_str(line).expect("one event");
        assert_eq!(event["seq"], number, "{log}");
    }
}
