use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::super::simulated::SimulatedDisk;
use super::*;

/// What both disks have to answer alike.
fn check(disk: &dyn Disk) {
    disk.create_dir("d").unwrap();
    disk.create_file("d/a", b"one", 0o644).unwrap();
    assert_eq!(
        disk.create_file("d/a", b"", 0o644).unwrap_err().kind(),
        ErrorKind::AlreadyExists
    );
    disk.append("d/a", b" two").unwrap();
    disk.cut("d/a", 5).unwrap();
    disk.set_mode("d/a", 0o750).unwrap();
    let look = disk.look("d/a").unwrap().unwrap();
    assert_eq!(
        (look.kind, look.mode, look.bytes, look.links),
        (Kind::File, 0o750, 5, 1)
    );
    assert!(look.is_executable());
    disk.create_link("l", b"d").unwrap();
    assert_eq!(disk.read_link("l").unwrap(), b"d");
    assert_eq!(disk.look("l").unwrap().unwrap().kind, Kind::Link);
    assert!(
        disk.look("l/a").is_err(),
        "a link on the way is never followed"
    );
    assert!(disk.read("l", u64::MAX).is_err() && disk.read("d", u64::MAX).is_err());
    for absent in ["x", "x/y", "d/a/b"] {
        assert_eq!(disk.look(absent).unwrap(), None, "{absent}");
    }
    disk.exchange("d/a", "l").unwrap();
    assert_eq!(disk.read("l", u64::MAX).unwrap(), b"one t");
    assert_eq!(
        disk.rename_new("l", "d/a").unwrap_err().kind(),
        ErrorKind::AlreadyExists
    );
    disk.rename("l", "d/a").unwrap();
    disk.link("d/a", "d/b").unwrap();
    assert_eq!(disk.look("d/b").unwrap().unwrap().links, 2);
    assert_eq!(disk.list("d").unwrap(), ["a", "b"]);
    assert_eq!(
        disk.remove_dir("d").unwrap_err().kind(),
        ErrorKind::DirectoryNotEmpty
    );
    disk.rename_new("d/b", "c").unwrap();
    disk.remove_file("d/a").unwrap();
    for path in ["c", "d", ""] {
        disk.sync(path).unwrap();
    }
    disk.sync_all().unwrap();
    disk.remove_dir("d").unwrap();
    assert_eq!(disk.list("").unwrap(), ["c"]);
}

#[test]
fn a_real_and_a_simulated_disk_answer_alike() {
    let folder = tempfile::tempdir().unwrap();
    check(&RootDisk::open(folder.path()).unwrap());
    check(&SimulatedDisk::new());
}

#[test]
fn nothing_above_or_behind_a_link_is_reached() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("outside"), "kept").unwrap();
    let inside = folder.path().join("inside");
    std::fs::create_dir(&inside).unwrap();
    symlink("..", inside.join("up")).unwrap();
    let disk = RootDisk::open(&inside).unwrap();
    assert!(disk.read("up/outside", u64::MAX).is_err());
    assert!(disk.create_file("up/new", b"", 0o644).is_err());
    assert!(disk.remove_file("up/outside").is_err());
    assert!(disk.rename("up/outside", "here").is_err());
    assert_eq!(
        std::fs::read(folder.path().join("outside")).unwrap(),
        b"kept"
    );
}

#[test]
fn attributes_and_owner_go_along() {
    let folder = tempfile::tempdir().unwrap();
    let disk = RootDisk::open(folder.path()).unwrap();
    disk.create_file("a", b"", 0o644).unwrap();
    disk.create_file("b", b"", 0o644).unwrap();
    let file = std::fs::File::open(folder.path().join("a")).unwrap();
    // Not every file system takes user attributes; there, none is lost either.
    let set = fs::fsetxattr(&file, "user.lonis", b"v", XattrFlags::empty()).is_ok();
    assert!(disk.copy_attributes("a", "b").unwrap());
    let copy = std::fs::File::open(folder.path().join("b")).unwrap();
    let mut value = [0; 8];
    let read = fs::fgetxattr(&copy, "user.lonis", &mut value);
    assert_eq!(read.is_ok(), set);
    assert_eq!(copy.metadata().unwrap().permissions().mode() & 0o777, 0o644);
}

#[test]
fn what_is_made_elsewhere_has_the_group_that_its_directory_hands_down() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let folder = tempfile::tempdir().unwrap();
    let disk = RootDisk::open(folder.path()).unwrap();
    for (parent, mode, handed) in [("plain", 0o755, 0), ("shared", 0o2775, 0o2000)] {
        disk.create_dir(parent).unwrap();
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(folder.path().join(parent), permissions).unwrap();
        disk.create_dir("made").unwrap();
        disk.create_file("file", b"", 0o644).unwrap();
        for path in ["made", "file"] {
            disk.inherit_group(path, parent).unwrap();
        }
        let stat = |path: &str| folder.path().join(path).metadata().unwrap();
        assert_eq!(stat("made").mode() & 0o2000, handed, "{parent}");
        assert_eq!(stat("file").mode() & 0o2000, 0, "{parent}");
        assert_eq!(stat("made").gid(), stat(parent).gid());
        disk.remove_dir("made").unwrap();
        disk.remove_file("file").unwrap();
    }
    assert!(disk.inherit_group("plain", "missing").is_err());
}

#[test]
fn a_segment_that_is_held_open_is_the_one_of_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let disk = RootDisk::open(folder.path()).unwrap();
    let read = |path: &str| disk.read_range(path, 0, 8).ok();
    for number in 0..6 {
        let path = format!("{number}.seg");
        disk.create_file(&path, path.as_bytes(), 0o644).unwrap();
    }
    for number in (0..6).chain(0..6) {
        let path = format!("{number}.seg");
        assert_eq!(read(&path).unwrap(), path.as_bytes());
    }
    disk.exchange("4.seg", "5.seg").unwrap();
    assert_eq!(read("5.seg").unwrap(), b"4.seg");
    disk.rename("4.seg", "5.seg").unwrap();
    assert_eq!(read("5.seg").unwrap(), b"5.seg");
    assert_eq!(read("4.seg"), None);
    disk.remove_file("5.seg").unwrap();
    assert_eq!(read("5.seg"), None);
    disk.rename_new("3.seg", "5.seg").unwrap();
    assert_eq!(read("5.seg").unwrap(), b"3.seg");
}
