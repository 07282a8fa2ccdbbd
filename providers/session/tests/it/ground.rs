//! What obligations run on, and what they can reach from there: the same for every kind of workspace that this machine has.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use lonis_session::command::Command;
use lonis_session::commands::{self, Surroundings};
use lonis_session::identity::{Domain, Identity};
use lonis_session::obligation::ground::{Grounds, Mounts};
use lonis_session::store::disk::RootDisk;
use lonis_session::store::objects::ReadObjects;
use lonis_session::store::stored::StoredObjects;
use serde_json::{Value, json};

use crate::program::{Root, code_of, replace};

/// A tree of its own with sessions whose obligation is a script of the shell.
struct World {
    folder: tempfile::TempDir,
    surroundings: Surroundings,
}

impl World {
    fn new(mounts: Mounts, script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut surroundings = Surroundings::of_process();
        surroundings.grounds = Grounds::up_to(mounts);
        let world = Self {
            folder,
            surroundings,
        };
        let policy = format!(
            "version = 1\n\n[files]\nsource = \"walk\"\n\n[[obligation]]\nname = \"runs\"\n\
            argv = [\"sh\", \"-c\", {}]\nscratch = [\"target\"]\n",
            json!(script)
        );
        world.write("lonis-session.toml", &policy);
        world.write(".gitignore", "target\n");
        world.write("a.txt", "one\n");
        world.write("d/b.txt", "two\n");
        world.write("d/e/c.txt", "three\n");
        world.write("gone/x.txt", "four\n");
        world.write("run", "#!/bin/sh\necho base\n");
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(world.path("run"), mode).unwrap();
        world
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("tree").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn run(&self, command: Command, session: &str, mut input: Value) -> Result<Value, Value> {
        input["root"] = json!(self.path(""));
        if command.has_session() {
            input["session"] = json!(session);
        }
        commands::run(command, &input, &self.surroundings)
            .map_err(|failure| json!({"code": failure.code().as_str(), "data": failure.result()}))
    }

    fn begin(&self, session: &str) {
        self.run(Command::Begin, session, json!({})).unwrap();
    }

    fn test(&self, session: &str) -> Result<Value, Value> {
        self.run(Command::Test, session, json!({}))
    }

    fn stage(&self, session: &str, ops: &[Value]) {
        let patch =
            json!({"schema": "genesis/semantic-patch-v0.2", "intent": "a test", "ops": ops});
        let input = json!({"patch": patch, "gate": "none"});
        self.run(Command::Stage, session, input).unwrap();
    }

    fn object(&self, domain: Domain, identity: &Value) -> Vec<u8> {
        let disk = RootDisk::open(&self.path("")).unwrap();
        let store = StoredObjects::open(&disk).unwrap();
        let identity: Identity = identity.as_str().unwrap().parse().unwrap();
        store.read(domain, &identity).unwrap()
    }

    /// What the obligation of a result wrote.
    fn said(&self, tested: &Value) -> String {
        let blob = &tested["results"][0]["stdout"]["blob"];
        String::from_utf8(self.object(Domain::Blob, blob)).unwrap()
    }

    fn verdict(&self, tested: &Value) -> Value {
        let bytes = self.object(Domain::Evidence, &tested["evidence"]);
        serde_json::from_slice::<Value>(&bytes).unwrap()["verdict"].clone()
    }
}

fn kept(tested: &Value) -> &str {
    tested["results"][0]["enforcement"]["workspace"]
        .as_str()
        .unwrap()
}

/// Says whether runs of a world are on the kind of ground that is asked for; what the machine has not is left out aloud.
#[expect(clippy::print_stdout, reason = "a test says what it leaves out")]
fn is_on(tested: &Value, mounts: Mounts) -> bool {
    let found = kept(tested);
    let is_so = match mounts {
        Mounts::Layers => found.starts_with("overlay"),
        Mounts::Folders => found.contains("namespace"),
        Mounts::None => !found.starts_with("overlay") && !found.contains("namespace"),
    };
    if !is_so {
        println!("left out: {mounts:?} cannot be had here, `{found}` is");
    }
    is_so
}

const ALL: [Mounts; 3] = [Mounts::Layers, Mounts::Folders, Mounts::None];

/// Everything that is there, with its mode and content.
const LOOK: &str = "find . -path ./target -prune -o -type f -printf '%m ' -print -exec cat {} ';' | LC_ALL=C sort; \
    find . -type d -not -path './target*' | LC_ALL=C sort";

#[test]
fn a_run_finds_exactly_the_snapshot() {
    let mut seen = Vec::new();
    for mounts in ALL {
        let world = World::new(mounts, LOOK);
        world.begin("s");
        let base = world.test("s").unwrap();
        let ops = [
            json!({"op": "replace-text", "path": "a.txt", "find": "one", "replace": "1"}),
            json!({"op": "delete-file", "path": "gone/x.txt", "pre": pre("four\n")}),
            json!({"op": "delete-file", "path": "d/b.txt", "pre": pre("two\n")}),
            json!({"op": "create-file", "path": "d/b.txt/under", "content": {"text": "now a directory\n"}}),
            json!({"op": "create-file", "path": "gone", "content": {"text": "now a file\n"}}),
            json!({"op": "set-executable", "path": "run", "executable": false}),
        ];
        world.stage("s", &ops);
        let changed = world.test("s").unwrap();
        let again = world.test("s").unwrap();
        is_on(&base, mounts);
        assert_eq!(world.said(&changed), world.said(&again), "{mounts:?}");
        assert!(
            world.said(&base).contains("./gone\n"),
            "{}",
            world.said(&base)
        );
        seen.push([&base, &changed].map(|tested| (world.said(tested), world.verdict(tested))));
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0], seen[2]);
    assert!(
        seen[0][1].0.contains("644 ./d/b.txt/under\n"),
        "{}",
        seen[0][1].0
    );
    assert!(seen[0][1].0.contains("644 ./gone\n"), "{}", seen[0][1].0);
}

#[test]
fn what_a_run_changes_is_told_and_gone_for_the_next_one() {
    let script = "if [ -e target/second ]; then exit 0; fi; mkdir -p target; touch target/second; \
        echo more >> a.txt; rm d/b.txt; rm -r d/e; mkdir -p d/e; echo x > d/e/new; chmod 700 gone; \
        chmod 644 run; rm -r gone; echo file > gone; mkdir cache; echo y > cache/y; cp lonis-session.toml z; \
        mv z lonis-session.toml; touch .gitignore; mkfifo pipe";
    let mut told = Vec::new();
    for mounts in ALL {
        let world = World::new(mounts, script);
        world.begin("s");
        let refused = world.test("s").unwrap_err();
        assert_eq!(refused["code"], "session/obligations-failed");
        let first = &refused["data"];
        is_on(first, mounts);
        assert_eq!(first["results"][0]["code"], "obligation/mutated-snapshot");
        told.push((first["results"][0]["mutated"].clone(), world.verdict(first)));
        let second = world.test("s").unwrap();
        assert_eq!(second["results"][0]["scratch"]["warm"], true);
        // Nothing of it reached the live tree.
        assert_eq!(fs::read_to_string(world.path("a.txt")).unwrap(), "one\n");
        assert!(world.path("gone/x.txt").is_file());
    }
    let expected = json!(["a.txt", "d/b.txt", "d/e/c.txt", "gone/x.txt", "run"]);
    assert_eq!(told[0].0, expected);
    assert!(told.iter().all(|each| *each == told[0]), "{told:?}");
}

#[test]
fn a_run_is_clean_again_whatever_the_one_before_left() {
    let script = format!(
        "if [ -e target/second ]; then {LOOK}; exit 0; fi; mkdir -p target; touch target/second; {LOOK}; \
        rm -r d; echo file > d; rm -r gone; mkdir gone; echo other > gone/x.txt; ln -s a.txt link; mkdir -p deep/er"
    );
    for mounts in ALL {
        let world = World::new(mounts, &script);
        world.begin("s");
        let first = world.test("s").unwrap_err();
        let second = world.test("s").unwrap();
        assert_eq!(
            world.said(&first["data"]),
            world.said(&second),
            "{mounts:?}"
        );
    }
}

#[test]
fn a_run_reaches_nothing_but_its_workspace() {
    let script = "live=\"$(dirname \"$(dirname \"$(dirname \"$(dirname \"$(dirname \"$PWD\")\")\")\")\")\"; \
        echo mine > own && echo mine > target.txt && echo mine > \"$TMPDIR/mine\" || exit 3; \
        (echo stolen > \"$live/a.txt\") 2>/dev/null && echo wrote; \
        (echo stolen > \"$live/new\") 2>/dev/null && echo made; \
        rm -f \"$live/a.txt\" 2>/dev/null && echo removed; \
        mv \"$live/d\" \"$live/moved\" 2>/dev/null && echo moved; \
        (cd \"$live/.lonis\" && find . -not -path '*/workspace/*' | LC_ALL=C sort)";
    for mounts in ALL {
        let world = World::new(mounts, script);
        world.begin("s");
        let tested = world.test("s").unwrap();
        is_on(&tested, mounts);
        let said = world.said(&tested);
        if kept(&tested).ends_with("landlock") {
            for word in ["wrote", "made", "removed", "moved"] {
                assert!(!said.lines().any(|line| line == word), "{mounts:?}: {said}");
            }
            assert_eq!(fs::read_to_string(world.path("a.txt")).unwrap(), "one\n");
            assert!(world.path("d/e/c.txt").is_file());
        } else {
            println!("left out: `{}`", kept(&tested));
        }
        let in_sight = [
            ".",
            "./session",
            "./session/transactions",
            "./session/transactions/s",
            "./session/transactions/s/workspace",
        ];
        if mounts != Mounts::None && is_on(&tested, mounts) {
            assert_eq!(said.lines().collect::<Vec<_>>(), in_sight, "{mounts:?}");
        }
    }
}

#[test]
fn a_program_of_the_tree_is_the_one_of_the_snapshot() {
    for mounts in ALL {
        let world = World::new(mounts, "true");
        let policy = "version = 1\n[files]\nsource = \"walk\"\n[[obligation]]\nname = \"runs\"\nargv = [\"./run\"]\n";
        world.write("lonis-session.toml", policy);
        world.begin("s");
        let base = world.test("s").unwrap();
        assert_eq!(world.said(&base), "base\n");
        let op = json!({"op": "replace-text", "path": "run", "find": "base", "replace": "patched"});
        world.stage("s", &[op]);
        let changed = world.test("s").unwrap();
        assert_eq!(world.said(&changed), "patched\n", "{mounts:?}");
        let hash = |tested: &Value| tested["results"][0]["tool"]["blake3"].clone();
        assert_ne!(hash(&base), hash(&changed));
        let bytes = b"#!/bin/sh\necho patched\n";
        assert_eq!(hash(&changed), blake3::hash(bytes).to_hex().as_str());
    }
}

#[test]
fn a_layer_that_somebody_changed_is_told_until_it_is_recovered() {
    // As processes of their own: a lock of this one is held a moment longer where another test starts a child meanwhile.
    let policy = "version = 1\n[[obligation]]\nname = \"runs\"\nargv = [\"true\"]\n";
    let root = Root::new(&[
        ("a.txt", "one\n"),
        ("d/e/c.txt", "three\n"),
        ("lonis-session.toml", policy),
    ]);
    root.passes(&["begin", "s"]);
    let tested = root.stages("s", &[replace("a.txt", "one", "1")]);
    if !is_on(&tested, Mounts::Layers) {
        return;
    }
    let layer = root.tree().join(".lonis/session/transactions/s/workspace");
    for path in ["a.txt", "d/e/c.txt"] {
        let path = layer.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "planted\n").unwrap();
        let (code, refused) = root.run(&["test", "s"], &Value::Null);
        assert_eq!(
            (code, code_of(&refused)),
            (50, "session/workspace-tampered"),
            "{path:?}"
        );
        let recovered = root.passes(&["recover"]);
        assert_eq!(recovered["rebuilt"][0]["what"], "workspace", "{recovered}");
        root.passes(&["test", "s"]);
        assert_eq!(fs::read_to_string(layer.join("a.txt")).unwrap(), "1\n");
        assert!(!layer.join("d/e/c.txt").exists());
    }
    // What is no part of the snapshot simply goes.
    fs::write(layer.join("stray"), "x").unwrap();
    root.passes(&["test", "s"]);
    assert!(!layer.join("stray").exists());
}

#[test]
fn a_frozen_tree_that_somebody_changed_proves_nothing_and_is_written_again() {
    for path in ["a.txt", "stray"] {
        let world = World::new(Mounts::Layers, "cat a.txt");
        world.begin("s");
        let tested = world.test("s").unwrap();
        if !is_on(&tested, Mounts::Layers) {
            return;
        }
        let tree = frozen(&world);
        assert_eq!(tree.len(), 1);
        fs::write(tree[0].join(path), "planted\n").unwrap();
        let refused = world.test("s").unwrap_err();
        assert_eq!(refused["code"], "session/workspace-tampered", "{path}");
        assert!(!tree[0].exists());
        let tested = world.test("s").unwrap();
        assert_eq!(world.said(&tested), "one\n");
    }
}

#[test]
fn frozen_trees_share_what_did_not_change_and_go_with_the_last_session() {
    let world = World::new(Mounts::Layers, "true");
    world.begin("one");
    if !is_on(&world.test("one").unwrap(), Mounts::Layers) {
        return;
    }
    // Stamps are trusted only once they are at rest; another look at the first tree waits for that.
    world.write("a.txt", "another\n");
    world.begin("two");
    world.test("two").unwrap();
    let trees = frozen(&world);
    assert_eq!(trees.len(), 2);
    for tree in &trees {
        let links = fs::metadata(tree.join("a.txt")).unwrap().nlink();
        assert_eq!(links, 1, "what changed is a file of its own");
    }
    let shared = trees.iter().map(|tree| tree.join("d/b.txt"));
    let bytes: Vec<_> = shared.map(|file| fs::read(file).unwrap()).collect();
    assert_eq!(bytes, [b"two\n", b"two\n"]);
    // Neither is taken for changed because the other came.
    world.test("one").unwrap();
    world.test("two").unwrap();
    for session in ["one", "two"] {
        world.run(Command::Abort, session, json!({})).unwrap();
        let open = usize::from(session == "one");
        world
            .run(Command::Gc, "", json!({"dry_run": false}))
            .unwrap();
        assert_eq!(frozen(&world).len(), open);
        let directory = world.path(".lonis/session/transactions").join(session);
        for name in ["workspace", "workspace.work", "view", "view.memory"] {
            assert!(!directory.join(name).exists(), "{name}");
        }
    }
}

fn frozen(world: &World) -> Vec<PathBuf> {
    let base = world.path(".lonis/session/base");
    let entries = fs::read_dir(base)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries.filter(|path| is_tree(path)).collect()
}

fn is_tree(path: &Path) -> bool {
    path.is_dir()
}

fn pre(text: &str) -> String {
    format!("blob:{}", Identity::of(Domain::Blob, text.as_bytes()))
}
