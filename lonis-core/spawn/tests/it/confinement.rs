use std::{
    fs,
    io::{Error, Read},
    os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd},
    path::{Path, PathBuf},
};

use lonis_spawn::{Backend, Isolation, Namespaces, Plan, spawn};

use crate::probe::{self, Pipes};

/// A ruleset that allows no new file anywhere; nothing where the system has no landlock.
fn ruleset() -> Option<OwnedFd> {
    const MAKE_REGULAR_FILE: u64 = 1 << 8;
    let handled = [MAKE_REGULAR_FILE];
    // SAFETY: the record is one word long, as the size says.
    let answer =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, handled.as_ptr(), 8, 0) };
    // SAFETY: the call succeeded, so the descriptor is new and nobody else's.
    (answer >= 0).then(|| unsafe { OwnedFd::from_raw_fd(i32::try_from(answer).unwrap()) })
}

#[test]
fn a_ruleset_holds_and_does_not_reach_the_program_as_a_descriptor() {
    let Some(ruleset) = ruleset() else {
        println!("skipped: no landlock here: {}", Error::last_os_error());
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new");
    let create = probe::plan(&["create", file.to_str().unwrap()]).with_backend(Backend::Clone3);
    let stay = probe::plan(&["stay"]).with_backend(Backend::Clone3);
    for number in [3, 4, 40] {
        // SAFETY: takes no pointer; the copy is closed on exec.
        let copy = unsafe { libc::fcntl(ruleset.as_raw_fd(), libc::F_DUPFD_CLOEXEC, number) };
        // SAFETY: a new descriptor that nobody else owns.
        let copy = unsafe { OwnedFd::from_raw_fd(copy) };
        let pipes = Pipes::new();
        let mut request = pipes.request();
        request.ruleset = Some(copy.as_fd());
        let started = spawn(&create, &request).unwrap();
        assert_eq!(pipes.of(started).finish().0, Some(libc::EACCES));
        let pipes = Pipes::new();
        let mut request = pipes.request();
        request.ruleset = Some(copy.as_fd());
        let started = spawn(&stay, &request).unwrap();
        let mut running = pipes.of(started);
        running.wait_here();
        assert_eq!(running.descriptors(), [0, 1, 2]);
        assert_eq!(running.finish().0, Some(0));
    }
    assert_eq!(
        probe::run(&create).unwrap().finish().0,
        Some(0),
        "the host itself is free"
    );
}

#[test]
fn a_report_is_the_fourth_descriptor_whatever_else_is_asked_for() {
    let (mut ours, theirs) = std::io::pipe().unwrap();
    let ruleset = ruleset();
    let shell = Path::new("/bin/sh");
    let write = Plan::new(shell, ["-c", "echo told >&3"], [""; 0]).unwrap();
    let write = write.with_backend(Backend::Clone3);
    for number in [3, 4, 5, 40] {
        for namespaces in [Namespaces::default(), Namespaces::USER] {
            // SAFETY: takes no pointer; the copy is closed on exec.
            let copy = unsafe { libc::fcntl(theirs.as_raw_fd(), libc::F_DUPFD_CLOEXEC, number) };
            // SAFETY: a new descriptor that nobody else owns.
            let copy = unsafe { OwnedFd::from_raw_fd(copy) };
            let pipes = Pipes::new();
            let mut request = pipes.request();
            request.report = Some(copy.as_fd());
            request.ruleset = ruleset.as_ref().map(AsFd::as_fd);
            request.namespaces = namespaces;
            match spawn(&write, &request) {
                Ok(started) => assert_eq!(pipes.of(started).finish().0, Some(0)),
                Err(error) if namespaces == Namespaces::USER => {
                    println!("skipped: no user namespaces here: {error}");
                    continue;
                }
                Err(error) => panic!("{error}"),
            }
            let mut told = [0; 5];
            ours.read_exact(&mut told).unwrap();
            assert_eq!(&told, b"told\n");
        }
    }
    let refused = write.with_backend(Backend::PosixSpawn);
    let pipes = Pipes::new();
    let mut request = pipes.request();
    request.report = Some(theirs.as_fd());
    let error = spawn(&refused, &request).unwrap_err();
    assert_eq!(error.errno(), libc::ENOSYS);
}

#[test]
fn new_privileges_are_given_up_unless_told_otherwise() {
    for (given_up, expected) in [(true, "1"), (false, "0")] {
        let mut isolation = Isolation::default();
        isolation.no_new_privileges = given_up;
        let plan = probe::plan(&["stay"])
            .with_backend(Backend::Clone3)
            .with_isolation(isolation);
        let mut running = probe::run(&plan).unwrap();
        running.wait_here();
        assert_eq!(running.status("NoNewPrivs"), expected);
        assert_eq!(running.finish().0, Some(0));
    }
}

#[test]
fn a_child_starts_in_its_namespaces_as_the_user_that_it_was() {
    let network = |process: &str| fs::read_link(format!("/proc/{process}/ns/net")).unwrap();
    // With a user namespace the other one needs no privileges.
    for namespaces in [
        Namespaces::NETWORK,
        Namespaces::USER.and(Namespaces::NETWORK),
    ] {
        let pipes = Pipes::new();
        let mut request = pipes.request();
        request.namespaces = namespaces;
        request.parent_death = Some(lonis_spawn::Signal::KILL);
        let started = match spawn(
            &probe::plan(&["stay"]).with_backend(Backend::Clone3),
            &request,
        ) {
            Ok(started) => started,
            Err(error) => {
                println!("skipped: {namespaces:?} cannot be had here: {error}");
                continue;
            }
        };
        let mut running = pipes.of(started);
        running.wait_here();
        let child = running.started.pid().to_string();
        assert_ne!(network(&child), network("self"), "{namespaces:?}");
        assert_eq!(running.status("Uid"), own_status("Uid"));
        assert_eq!(running.status("Gid"), own_status("Gid"));
        assert_eq!(running.descriptors(), [0, 1, 2]);
        assert_eq!(running.finish().0, Some(0));
    }
}

fn own_status(name: &str) -> String {
    probe::status_line(&fs::read_to_string("/proc/self/status").unwrap(), name)
}

/// A new folder in the version 2 tree, where there is one that can be written.
fn control_group() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let root = mounts
        .lines()
        .map(|line| line.split(' ').collect::<Vec<_>>())
        .find(|line| line[2] == "cgroup2")?;
    let folder = PathBuf::from(root[1]).join(format!("lonis-spawn-test-{}", std::process::id()));
    fs::create_dir(&folder).ok()?;
    Some(folder)
}

#[test]
fn a_child_starts_in_its_control_group() {
    let Some(folder) = control_group() else {
        println!("skipped: no version 2 control group that can be written");
        return;
    };
    let group = fs::File::open(&folder).unwrap();
    let pipes = Pipes::new();
    let mut request = pipes.request();
    request.control_group = Some(group.as_fd());
    let started = spawn(
        &probe::plan(&["stay"]).with_backend(Backend::Clone3),
        &request,
    )
    .unwrap();
    let mut running = pipes.of(started);
    running.wait_here();
    let members = fs::read_to_string(folder.join("cgroup.procs")).unwrap();
    assert_eq!(members.trim(), running.started.pid().to_string());
    assert_eq!(running.finish().0, Some(0));
    fs::remove_dir(&folder).unwrap();
}
