use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::*;
use crate::file_set::{FileSetRules, GitEnvironment};
use crate::snapshot::capture;
use crate::store::disk::RootDisk;
use crate::store::objects::ObjectMap;

struct Fixture {
    folder: tempfile::TempDir,
    live: LiveTree,
    disk: RootDisk,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let live = LiveTree::open(folder.path(), GitEnvironment::default()).unwrap();
        let disk = RootDisk::open(folder.path()).unwrap();
        layout::prepare(&disk).unwrap();
        let fixture = Self { folder, live, disk };
        fixture.write("a", "one");
        fixture.write("d/b", "two");
        fixture.write("d/e/c", "three");
        fixture.write("run", "#!/bin/sh\n");
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(fixture.path("run"), mode).unwrap();
        symlink("d/b", fixture.path("link")).unwrap();
        fixture
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Captures the live tree into the store.
    fn snapshot(&self) -> Identity {
        let mut objects = StoredObjects::open(&self.disk).unwrap();
        let rules = FileSetRules::default();
        capture::store(
            &self.live,
            &rules,
            &StatCache::default(),
            &mut objects,
            &ObjectMap::new(),
        )
        .unwrap()
        .identity
    }

    fn workspace(&self, scratch: &[&str]) -> Workspace<'_> {
        let scratch = scratch.iter().map(|path| WorkspacePath::new(path).unwrap());
        Workspace::open(&self.live, &self.disk, "s", scratch.collect()).unwrap()
    }

    fn bring(&self, snapshot: &Identity) -> Result<Brought, WorkspaceError> {
        let objects = StoredObjects::open(&self.disk).unwrap();
        self.workspace(&["target"])
            .bring_to(&objects, snapshot, None)
    }

    /// A path in the workspace.
    fn inside(&self, path: &str) -> PathBuf {
        self.path(".lonis/session/transactions/s/workspace")
            .join(path)
    }

    /// Asserts that the workspace holds exactly a snapshot, and links that stay inside.
    fn assert_is(&self, snapshot: &Identity) {
        let live = LiveTree::open(&self.inside(""), GitEnvironment::default()).unwrap();
        let rules = FileSetRules {
            source: crate::file_set::Source::Walk,
            exclude: crate::file_set::Globs::new(["target/"]).unwrap(),
            ..FileSetRules::default()
        };
        let seen = capture::look(&live, &rules, &StatCache::default(), None).unwrap();
        assert_eq!(seen.identity, *snapshot);
        let empty = seen
            .excluded
            .iter()
            .filter(|excluded| excluded.path != "target");
        assert_eq!(empty.count(), 0, "no empty directory is left");
    }
}

fn inode(path: &Path) -> (u64, i64) {
    let metadata = fs::symlink_metadata(path).unwrap();
    (metadata.ino(), metadata.mtime_nsec())
}

#[test]
fn only_what_differs_is_written_again() {
    let fixture = Fixture::new();
    let first = fixture.snapshot();
    let brought = fixture.bring(&first).unwrap();
    assert_eq!((brought.written, brought.kept), (5, 0));
    fixture.assert_is(&first);
    let stood = ["a", "d/b", "run", "link"].map(|path| inode(&fixture.inside(path)));
    fixture.write("d/e/c", "changed");
    fixture.write("new/file", "");
    fs::remove_file(fixture.path("run")).unwrap();
    let second = fixture.snapshot();
    let brought = fixture.bring(&second).unwrap();
    assert_eq!((brought.written, brought.kept, brought.removed), (2, 3, 2));
    fixture.assert_is(&second);
    for (path, stood) in [("a", stood[0]), ("d/b", stood[1]), ("link", stood[3])] {
        assert_eq!(inode(&fixture.inside(path)), stood, "{path}");
    }
    let brought = fixture.bring(&first).unwrap();
    assert_eq!((brought.written, brought.kept), (2, 3));
    fixture.assert_is(&first);
    assert!(fixture.bring(&first).unwrap().written == 0);
}

#[test]
fn what_others_change_in_a_workspace_is_tampering_and_nothing_is_touched() {
    type Change = fn(&Path);
    let changes: [(&str, Change); 6] = [
        ("a", |path| fs::write(path, "two").unwrap()),
        ("d/b", |path| fs::remove_file(path).unwrap()),
        ("run", |path| {
            fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
        }),
        ("link", |path| {
            fs::remove_file(path).unwrap();
            symlink("a", path).unwrap();
        }),
        ("a", |path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        }),
        ("d/e/c", |path| {
            fs::remove_file(path).unwrap();
            symlink("/etc/hostname", path).unwrap();
        }),
    ];
    for (path, change) in changes {
        let fixture = Fixture::new();
        let snapshot = fixture.snapshot();
        fixture.bring(&snapshot).unwrap();
        change(&fixture.inside(path));
        match fixture.bring(&snapshot) {
            Err(WorkspaceError::Tampered { paths }) => {
                assert_eq!(paths, [WorkspacePath::new(path).unwrap()]);
            }
            other => panic!("{path}: {other:?}"),
        }
        fixture.workspace(&[]).clear().unwrap();
        fixture.bring(&snapshot).unwrap();
        fixture.assert_is(&snapshot);
    }
}

#[test]
fn a_file_that_is_only_touched_is_not_tampered_with() {
    let fixture = Fixture::new();
    let snapshot = fixture.snapshot();
    fixture.bring(&snapshot).unwrap();
    fs::write(fixture.inside("a"), "one").unwrap();
    assert_eq!(fixture.bring(&snapshot).unwrap().written, 0);
}

#[test]
fn what_a_run_changes_is_told_and_put_back() {
    let fixture = Fixture::new();
    let snapshot = fixture.snapshot();
    fixture.bring(&snapshot).unwrap();
    let mut workspace = fixture.workspace(&["target"]);
    workspace.begin_run().unwrap();
    fs::write(fixture.inside("a"), "run").unwrap();
    fs::remove_file(fixture.inside("d/b")).unwrap();
    fs::create_dir_all(fixture.inside("cache/deep")).unwrap();
    fs::write(fixture.inside("cache/deep/x"), "").unwrap();
    fs::write(fixture.inside("d/e/out"), "").unwrap();
    fs::create_dir_all(fixture.inside("target/debug")).unwrap();
    fs::write(fixture.inside("target/debug/kept"), "").unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"odd-\xff");
    fs::create_dir_all(fixture.inside("").join(odd).join("in")).unwrap();
    fs::set_permissions(fixture.inside("cache"), fs::Permissions::from_mode(0o0)).unwrap();
    let mutations = workspace.end_run().unwrap();
    let told: Vec<_> = mutations
        .iter()
        .map(|mutation| (mutation.path.as_str(), mutation.after.is_some()))
        .collect();
    assert_eq!(told, [("a", true), ("d/b", false)]);
    for gone in ["cache", "d/e/out"] {
        assert!(!fixture.inside(gone).exists(), "{gone}");
    }
    assert!(!fixture.inside("").join(odd).exists());
    let brought = fixture.bring(&snapshot).unwrap();
    assert_eq!(brought.written, 2);
    fixture.assert_is(&snapshot);
    assert!(
        fixture.inside("target/debug/kept").exists(),
        "scratch stays"
    );
}

#[test]
fn a_run_that_changes_nothing_leaves_a_clean_workspace() {
    let fixture = Fixture::new();
    let snapshot = fixture.snapshot();
    fixture.bring(&snapshot).unwrap();
    let mut workspace = fixture.workspace(&[]);
    workspace.begin_run().unwrap();
    assert_eq!(workspace.end_run().unwrap(), []);
    fs::write(fixture.inside("a"), "two").unwrap();
    assert!(matches!(
        fixture.bring(&snapshot),
        Err(WorkspaceError::Tampered { .. })
    ));
}

#[test]
fn a_crash_while_something_runs_is_not_tampering() {
    let fixture = Fixture::new();
    let snapshot = fixture.snapshot();
    fixture.bring(&snapshot).unwrap();
    let mut workspace = fixture.workspace(&[]);
    workspace.begin_run().unwrap();
    drop(workspace);
    let running = fixture.path(".lonis/session/transactions/s/workspace.running");
    assert!(running.exists());
    fs::write(fixture.inside("a"), "half").unwrap();
    assert_eq!(fixture.bring(&snapshot).unwrap().written, 1);
    fixture.assert_is(&snapshot);
    assert!(!running.exists());
    // From here on nothing of ours explains a change.
    fs::write(fixture.inside("a"), "two").unwrap();
    assert!(matches!(
        fixture.bring(&snapshot),
        Err(WorkspaceError::Tampered { .. })
    ));
}

#[test]
fn a_crash_while_files_are_written_is_not_tampering() {
    let fixture = Fixture::new();
    let snapshot = fixture.snapshot();
    fixture.bring(&snapshot).unwrap();
    let mut workspace = fixture.workspace(&[]);
    workspace
        .note(State::Writing, &snapshot, Vec::new())
        .unwrap();
    fs::write(fixture.inside("a"), "").unwrap();
    fs::remove_file(fixture.inside("d/b")).unwrap();
    drop(workspace);
    assert_eq!(fixture.bring(&snapshot).unwrap().written, 2);
    fixture.assert_is(&snapshot);
    fs::remove_file(fixture.path(".lonis/session/transactions/s/workspace.manifest")).unwrap();
    fs::write(fixture.inside("a"), "").unwrap();
    assert_eq!(fixture.bring(&snapshot).unwrap().written, 1);
    fixture.assert_is(&snapshot);
}

#[test]
fn links_that_lead_out_are_left_out() {
    for (path, text, expected) in [
        ("a", "b", false),
        ("a", "../b", true),
        ("d/a", "../b", false),
        ("d/a", "../../b", true),
        ("d/a", "x/../../b", false),
        ("d/a", "/etc", true),
        ("a", "./.", false),
    ] {
        let path = WorkspacePath::new(path).unwrap();
        assert_eq!(
            link_escapes(&path, text.as_bytes()),
            expected,
            "{path} to {text}"
        );
    }
    let fixture = Fixture::new();
    symlink("/etc", fixture.path("d/out")).unwrap();
    let snapshot = fixture.snapshot();
    let brought = fixture.bring(&snapshot).unwrap();
    assert_eq!(brought.left_out, [WorkspacePath::new("d/out").unwrap()]);
    assert!(fixture.inside("d/out").symlink_metadata().is_err());
    assert_eq!(fixture.bring(&snapshot).unwrap().written, 0);
}

#[test]
fn a_damaged_object_is_never_written_for_good() {
    let fixture = Fixture::new();
    let snapshot = fixture.snapshot();
    let segment = fixture.path(".lonis/session/objects/1.seg");
    let bytes = fs::read(&segment).unwrap();
    let at = bytes
        .windows(5)
        .position(|bytes| bytes == b"three")
        .unwrap();
    let mut damaged = bytes.clone();
    damaged[at] = b'T';
    fs::write(&segment, damaged).unwrap();
    assert!(matches!(
        fixture.bring(&snapshot),
        Err(WorkspaceError::Object(ObjectError::Mismatch { .. }))
    ));
    fs::write(&segment, bytes).unwrap();
    fixture.bring(&snapshot).unwrap();
    fixture.assert_is(&snapshot);
}
