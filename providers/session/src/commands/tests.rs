//! Whole commands on disks that end, fail, lose power and count.

mod counts;
#[cfg(target_os = "linux")]
mod foreign;
mod killed;
mod power_loss;
mod traces;

use std::path::Path;
use std::rc::Rc;

use serde_json::json;

use super::*;
use crate::identity::{Domain, Identity};
use crate::obligation::ground::Grounds;
use crate::store::disk::simulated::SimulatedDisk;

/// A live tree, and what its sessions are told.
struct Tree {
    folder: tempfile::TempDir,
}

const BASE: [(&str, &str); 5] = [
    ("a.txt", "one\n"),
    ("gone/c.txt", "c\n"),
    ("gone/stays.txt", "bystander\n"),
    ("run.sh", "#!/bin/sh\n"),
    ("turn", "a file\n"),
];

const TARGET: [(&str, &str); 5] = [
    ("a.txt", "two\n"),
    ("gone/stays.txt", "bystander\n"),
    ("new/deep/n.txt", "n\n"),
    ("run.sh", "#!/bin/sh\n"),
    ("turn/x", "below\n"),
];

/// What a session changes in a [`Tree`]: every op, a file that becomes a directory, a directory that is new.
fn ops() -> Value {
    let pre = |text: &str| format!("blob:{}", Identity::of(Domain::Blob, text.as_bytes()));
    json!([
        {"op": "replace-text", "path": "a.txt", "find": "one", "replace": "two"},
        {"op": "create-file", "path": "new/deep/n.txt", "content": {"text": "n\n"}},
        {"op": "delete-file", "path": "gone/c.txt", "pre": pre("c\n")},
        {"op": "set-executable", "path": "run.sh", "executable": true, "pre": pre("#!/bin/sh\n")},
        {"op": "delete-file", "path": "turn", "pre": pre("a file\n")},
        {"op": "create-file", "path": "turn/x", "content": {"text": "below\n"}},
    ])
}

impl Tree {
    fn new() -> Self {
        let tree = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for (path, text) in BASE {
            tree.write(path, text);
        }
        tree
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Every file but those of the store, with its text and whether it may be executed; directories end in `/`.
    fn found(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        list(self.root(), "", &mut found);
        found.sort_unstable();
        found
    }

    /// Whether the tree is at base, or at the target; anything else is `None`.
    fn side(&self) -> Option<&'static str> {
        let found = self.found();
        let is = |files: &[(&str, &str)], executable: bool, directories: &[&str]| {
            let mut expected: Vec<(String, String)> = files
                .iter()
                .map(|(path, text)| {
                    let bit = if *path == "run.sh" && executable {
                        "x "
                    } else {
                        ""
                    };
                    ((*path).to_owned(), format!("{bit}{text}"))
                })
                .chain(
                    directories
                        .iter()
                        .map(|path| ((*path).to_owned(), String::new())),
                )
                .collect();
            expected.sort_unstable();
            expected == found
        };
        if is(&BASE, false, &["gone/"]) {
            Some("base")
        } else if is(&TARGET, true, &["gone/", "new/", "new/deep/", "turn/"]) {
            Some("target")
        } else {
            None
        }
    }

    fn input(&self, command: Command) -> Value {
        let mut input = json!({"root": self.root()});
        if command.has_session() {
            input["session"] = "s".into();
        }
        if command == Command::Stage {
            input["patch"] =
                json!({"schema": "genesis/semantic-patch-v0.2", "intent": "all ops", "ops": ops()});
        }
        input
    }

    fn run(&self, command: Command, surroundings: &Surroundings) -> Result<Value, Failure> {
        run(command, &self.input(command), surroundings)
    }

    /// Runs commands that have to pass.
    fn passes(&self, commands: &[Command], surroundings: &Surroundings) {
        for command in commands {
            if let Err(failure) = self.run(*command, surroundings) {
                panic!("{command:?}: {failure:?}");
            }
        }
    }
}

fn list(directory: &Path, above: &str, found: &mut Vec<(String, String)>) {
    use std::os::unix::fs::PermissionsExt;

    for entry in std::fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = format!("{above}{name}");
        if entry.file_type().unwrap().is_dir() {
            if path != ".lonis" {
                list(&entry.path(), &format!("{path}/"), found);
                found.push((format!("{path}/"), String::new()));
            }
        } else {
            let mode = entry.metadata().unwrap().permissions().mode();
            let bit = if mode & 0o100 == 0 { "" } else { "x " };
            let text = std::fs::read_to_string(entry.path()).unwrap();
            found.push((path, format!("{bit}{text}")));
        }
    }
}

/// Surroundings whose disk is made by this, for each command anew.
fn surroundings(open: impl Fn(&Path) -> io::Result<Box<dyn Disk>> + 'static) -> Surroundings {
    Surroundings {
        grounds: Grounds::default(),
        git: GitEnvironment::default(),
        clock: Box::new(SystemClock),
        temporary: None,
        registry: Registry::default(),
        hashes: ProgramHashes::default(),
        open_disk: Box::new(open),
    }
}

/// Every so manyth step in the check of a change, and each in `cargo xtask proof`.
fn every(few: usize) -> impl Iterator<Item = u64> {
    let step = if std::env::var_os("LONIS_PROOF").is_some() {
        1
    } else {
        few
    };
    (0..).step_by(step)
}

/// Surroundings of this machine.
fn real() -> Surroundings {
    surroundings(|root| Ok(Box::new(RootDisk::open(root)?)))
}

/// Surroundings whose store lies on a simulated disk.
fn simulated(disk: &Rc<SimulatedDisk>) -> Surroundings {
    let disk = Rc::clone(disk);
    surroundings(move |_| Ok(Box::new(Rc::clone(&disk))))
}

#[test]
fn a_lock_is_waited_for_as_long_as_the_frozen_policy_says() {
    let tree = Tree::new();
    let wait = |session: &str, request: &crate::request::Request| {
        let operation = session.to_owned();
        let place = place::Place::open(request, &real(), During(&operation)).unwrap();
        place.lock_wait().as_millis()
    };
    let asked =
        |command: Command| crate::request::Request::read(command, &tree.input(command)).unwrap();
    tree.write(
        "lonis-session.toml",
        "version = 1\n[session]\nlock_wait_millis = 7\n",
    );
    assert_eq!(wait("begin", &asked(Command::Begin)), 7);
    tree.passes(&[Command::Begin], &real());
    tree.write(
        "lonis-session.toml",
        "version = 1\n[session]\nlock_wait_millis = 9\n",
    );
    assert_eq!(wait("test", &asked(Command::Test)), 7);
    // A command about no session has the policy that is there.
    assert_eq!(wait("recover", &asked(Command::Recover)), 9);
    std::fs::remove_file(tree.root().join("lonis-session.toml")).unwrap();
    assert_eq!(wait("recover", &asked(Command::Recover)), 2_000);
}
