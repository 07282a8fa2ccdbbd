//! A signal while an obligation runs ends the obligation first, and then the program.

use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::program::{PROGRAM, Root, patch, replace};

/// An obligation that says that it runs, and then waits, as what it started does; all hold the pipe open.
fn policy(pipe: &Path) -> String {
    let script = format!("exec 3>'{}'; echo up >&3; sleep 600 & wait", pipe.display());
    let folder = pipe.parent().unwrap().display();
    format!(
        "version = 1\n\n[[obligation]]\nname = \"waits\"\nargv = [\"sh\", \"-c\", \"{script}\"]\nenv = {{ TMPDIR = \"{folder}\" }}\n"
    )
}

fn succeeds(program: &str, words: &[&str]) {
    let status = Command::new(program).args(words).status().unwrap();
    assert!(status.success(), "{program} {words:?}");
}

#[test]
fn a_signal_ends_the_obligation_and_puts_its_folders_away() {
    let patch = patch(&[replace("a.txt", "one", "two")]).to_string();
    for (signal, number) in [("INT", 2), ("TERM", 15)] {
        for command in ["stage", "test"] {
            let outside = tempfile::tempdir().unwrap();
            let temporary = outside.path().join("tmp");
            let document = outside.path().join("patch.json");
            let pipe = outside.path().join("pipes/pipe");
            fs::create_dir(&temporary).unwrap();
            fs::create_dir(pipe.parent().unwrap()).unwrap();
            fs::write(&document, &patch).unwrap();
            succeeds("mkfifo", &[pipe.to_str().unwrap()]);
            let policy = policy(&pipe);
            let root = Root::new(&[("a.txt", "one\n"), ("lonis-session.toml", &policy)]);
            root.passes(&["begin", "s"]);
            let mut words = vec![command, "s"];
            if command == "stage" {
                words.extend(["--patch", document.to_str().unwrap()]);
            }
            let child = Command::new(PROGRAM)
                .args(&words)
                .current_dir(root.tree())
                .env("TMPDIR", &temporary)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut heard = File::open(&pipe).unwrap();
            let mut up = [0; 3];
            heard.read_exact(&mut up).unwrap();
            assert_ne!(fs::read_dir(&temporary).unwrap().count(), 0);
            succeeds("sh", &["-c", &format!("kill -{signal} {}", child.id())]);
            let output = child.wait_with_output().unwrap();
            assert_eq!(
                output.status.signal(),
                Some(number),
                "{words:?}: {output:?}"
            );
            // The pipe ends with the last process that holds it.
            assert_eq!(heard.read_to_end(&mut Vec::new()).unwrap(), 0);
            let left: Vec<_> = fs::read_dir(&temporary).unwrap().collect();
            assert!(left.is_empty(), "{signal} {words:?}: {left:?}");
            let events = root.passes(&["log", "s"])["events"].clone();
            assert_eq!(events.as_array().unwrap().len(), 1, "{events}");
        }
    }
}
