//! References that take their time: nobody is kept from writing to the project meanwhile, and what was written counts.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::thread;

use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::Value;

use crate::job_root::{Job, Root, checker};
use crate::outside::{executable, run, spec};
use crate::program::Run;

const SIGNATURE: &str = "(x : I64) -> panic I64";
const CASE: &str = "```test some\n(9) => 4\n```\n";
const BODY: &str = "half : (x : I64) -> panic I64\nhalf x = x / 2\n";
const OTHER_BODY: &str = "half : (x : I64) -> panic I64\nhalf x = (x + 0) / 2\n";

/// Says that it was started, and waits to be told its answer.
const REFERENCE: &str =
    "#!/bin/sh\ncat >/dev/null\necho s >ref/started\nread answer <ref/told\necho \"$answer\"\n";

/// A project whose reference waits, and both ends of the pipes to it.
struct Waiting {
    root: Root,
    started: File,
    told: File,
}

impl Waiting {
    /// Makes it; none where the machine cannot close the network off.
    fn new() -> Option<Self> {
        let quick = spec(
            "half",
            SIGNATURE,
            &format!("{CASE}\n```reference\ncli echo 4\n```\n"),
        );
        let root = Root::new(&[("m/half.tr", &quick), ("m/half.soil", BODY)]);
        run(&root, &["test", "--json"])?;
        std::fs::remove_file(root.path().join("m/half.soil")).expect("it is there");
        let slow = quick.replace("cli echo 4", "cli ./ref/wait.sh");
        root.write("m/half.tr", &slow);
        executable(&root, "ref/wait.sh", REFERENCE);
        let pipe = |name: &str| {
            let path = root.path().join("ref").join(name);
            mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).expect("it is made");
            // With both ends open neither side waits for the other to open its own.
            let pipe = OpenOptions::new().read(true).write(true).open(path);
            pipe.expect("it is there")
        };
        let (started, told) = (pipe("started"), pipe("told"));
        Some(Self {
            root,
            started,
            told,
        })
    }

    /// Opens a job and stores a draft in it.
    fn job(&self) -> Job {
        let opened = run(&self.root, &["job", "open", "half"]).expect("namespaces are there");
        let opened: Value = serde_json::from_str(opened.answer()).expect("a document");
        let job = Job(opened["job"].as_str().expect("a path").to_owned());
        job.write(BODY);
        job
    }

    /// Starts the program, and waits until its reference runs.
    fn start(&self, words: &[&str]) -> thread::JoinHandle<Run> {
        let mut command = checker(&self.root.path(), words);
        command.env("PATH", std::env::var_os("PATH").expect("there is one"));
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child: Child = piped.spawn().expect("it starts");
        let mut started = self.started.try_clone().expect("it is open");
        let waiter = thread::spawn(move || {
            let run = Run::of(child.wait_with_output().expect("it ends"));
            started.write_all(b"e\n").expect("the pipe is open");
            run
        });
        let is_asked = self.is_asked();
        assert!(is_asked, "it ended first: {:?}", waiter.join());
        waiter
    }

    /// Waits for the reference to be started, or for the program to end.
    fn is_asked(&self) -> bool {
        let mut said = [0; 2];
        (&self.started).read_exact(&mut said).expect("a line");
        said == *b"s\n"
    }

    /// Says whether the project can be taken for writing.
    fn is_free(&self) -> bool {
        let path = self.root.path().join(".lonis/write.lock");
        let _ = std::fs::create_dir_all(path.parent().expect("a folder"));
        let mut options = OpenOptions::new();
        let lock = options.write(true).create(true).truncate(false).open(path);
        lock.expect("it opens").try_lock().is_ok()
    }

    fn answer(&self) {
        (&self.told).write_all(b"4\n").expect("the pipe is open");
    }
}

/// Ends a job, changes the project while its reference runs, and gives the outcome.
fn closed(change: impl FnOnce(&Root)) -> Option<String> {
    let waiting = Waiting::new()?;
    let job = waiting.job();
    let close = waiting.start(&["job", "close", &job.0]);
    assert!(waiting.is_free());
    change(&waiting.root);
    waiting.answer();
    let run = close.join().expect("it waits");
    let document: Value = serde_json::from_str(run.answer()).expect("a document");
    let outcome = document["outcome"]["tag"].as_str().expect("a word");
    let is_green = outcome == "Green";
    assert_eq!(waiting.root.has("m/half.soil"), is_green, "{document}");
    Some(outcome.to_owned())
}

#[test]
fn a_job_that_ends_holds_nobody_up() {
    let Some(outcome) = closed(|_| {}) else {
        return;
    };
    assert_eq!(outcome, "Green");
}

#[test]
fn what_changed_while_the_reference_ran_is_seen() {
    let changes: [fn(&Root); 3] = [
        |root| {
            root.write(
                "m/half.tr",
                &root.read("m/half.tr").replace("Says", "Tells"),
            );
        },
        |root| root.write("m/half.lock", "{}\n"),
        |root| root.write("_project.tr", DECIDED),
    ];
    for change in changes {
        let Some(outcome) = closed(change) else {
            return;
        };
        assert_eq!(outcome, "Invalidated");
    }
}

const DECIDED: &str =
    "---\nname: project\n---\n\nSays what holds.\n\n```decisions\nzero: rounds down\n```\n";

#[test]
fn a_lock_is_refreshed_with_results_of_what_stands_there() {
    for (body, runs) in [(BODY, 1), (OTHER_BODY, 2)] {
        let Some(waiting) = Waiting::new() else {
            return;
        };
        waiting.root.write("m/half.soil", BODY);
        let refresh = waiting.start(&["refresh"]);
        assert!(waiting.is_free());
        waiting.root.write("m/half.soil", body);
        waiting.answer();
        for _ in 1..runs {
            assert!(waiting.is_asked(), "the tests of another body run again");
            // Now under the lock, so that nothing can change any more.
            assert!(!waiting.is_free());
            waiting.answer();
        }
        let run = refresh.join().expect("it waits");
        assert_eq!(run.answer(), "m/half: written\n");
        assert!(!waiting.is_asked(), "it ran more often than {runs} times");
        let status = run_status(&waiting.root);
        assert_eq!(status, "m/half  tested\n");
    }
}

fn run_status(root: &Root) -> String {
    let status = run(root, &["status"]).expect("nothing runs");
    status.answer().to_owned()
}
