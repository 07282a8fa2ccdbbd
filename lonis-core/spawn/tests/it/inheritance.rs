use std::{
    collections::BTreeSet,
    ffi::{CString, OsStr, OsString},
    fs,
    os::{
        fd::AsRawFd,
        unix::{
            ffi::{OsStrExt, OsStringExt},
            fs::PermissionsExt,
        },
    },
};

use lonis_spawn::{Backend, CStrings, Plan, Step, spawn};

use crate::{
    failures::refuse_system_call,
    probe::{self, BACKENDS, Pipes},
};

/// A descriptor that every program started by the usual ways would get.
fn leak() -> fs::File {
    let file = fs::File::open("/proc/self/status").unwrap();
    // SAFETY: takes no pointer.
    let answer = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFD, 0) };
    assert_eq!(answer, 0);
    file
}

#[test]
fn a_leaked_descriptor_of_the_host_does_not_reach_the_child() {
    for backend in BACKENDS {
        let _leaked = leak();
        let mut running = probe::run(&probe::plan(&["stay"]).with_backend(backend)).unwrap();
        running.wait_here();
        assert_eq!(running.descriptors(), [0, 1, 2], "{backend:?}");
        assert_eq!(running.finish().0, Some(0));
    }
}

#[test]
fn no_start_closes_a_descriptor_of_its_host() {
    let steps = [
        None,
        Some(Step::Descriptors),
        Some(Step::Stdio),
        Some(Step::Exec),
    ];
    for (backend, step) in BACKENDS
        .into_iter()
        .flat_map(|backend| steps.map(|step| (backend, step)))
    {
        let plan = probe::plan(&["exit", "0"]).with_backend(backend);
        if let Some(step) = step {
            plan.inject_failures(step, &[libc::ENOANO]);
        }
        let before: Vec<fs::File> = (0..64).map(|_| leak()).collect();
        let started = probe::run(&plan);
        // Numbers that were free are taken again below, so that a stranger in a kept place would be noticed.
        let after: Vec<fs::File> = (0..64).map(|_| leak()).collect();
        for file in before.iter().chain(&after) {
            assert!(file.metadata().is_ok(), "{backend:?} {step:?}");
        }
        let numbers: BTreeSet<_> = before
            .iter()
            .chain(&after)
            .map(fs::File::as_raw_fd)
            .collect();
        assert_eq!(
            numbers.len(),
            before.len() + after.len(),
            "{backend:?} {step:?}"
        );
        drop(started.map(probe::Running::finish));
    }
}

#[test]
fn descriptors_are_closed_one_by_one_where_no_range_can_be() {
    probe::run_host("host-without-ranges", Backend::Clone3);
}

pub(crate) fn host_without_ranges(backend: Backend) {
    refuse_system_call(libc::SYS_close_range, libc::ENOSYS);
    let leaked = leak();
    // SAFETY: takes no pointer.
    assert!(unsafe { libc::fcntl(leaked.as_raw_fd(), libc::F_DUPFD, 500) } >= 500);
    let mut running = probe::run(&probe::plan(&["stay"]).with_backend(backend)).unwrap();
    running.wait_here();
    assert_eq!(running.descriptors(), [0, 1, 2]);
}

#[test]
fn the_environment_is_what_was_listed_and_nothing_else() {
    for backend in BACKENDS {
        let words = ["environment"];
        for listed in [&["A=1", "B=two words", "C="][..], &[][..]] {
            let plan = probe::plan_of(&probe::program(), &words, listed).with_backend(backend);
            let (_, output, _) = probe::run(&plan).unwrap().finish();
            assert_eq!(output.split_terminator('\0').collect::<Vec<_>>(), listed);
        }
    }
}

#[test]
fn a_request_replaces_arguments_and_environment_of_its_plan() {
    for backend in BACKENDS {
        let plan = probe::plan(&["exit", "1"]).with_backend(backend);
        let arguments = CStrings::new(["name", "lonis-spawn-probe", "environment"]).unwrap();
        let environment = CStrings::new(["HOME=/elsewhere"]).unwrap();
        let pipes = Pipes::new();
        let mut request = pipes.request();
        request.arguments = Some(&arguments);
        request.environment = Some(&environment);
        let started = spawn(&plan, &request).unwrap();
        assert_eq!(
            pipes.of(started).finish(),
            (Some(0), "HOME=/elsewhere\0".into(), String::new())
        );
        // The plan is as it was.
        assert_eq!(probe::run(&plan).unwrap().finish().0, Some(1));
    }
}

#[test]
fn words_and_paths_may_be_any_bytes_but_zero() {
    let word = OsString::from_vec((1..=255).collect());
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join(OsStr::from_bytes(b"pro\xff gram\n"));
    fs::copy(probe::program(), &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
    let words = [
        OsString::from("lonis-spawn-probe"),
        "words".into(),
        word.clone(),
    ];
    let directory = folder.path().join(OsStr::from_bytes(b"\xfe\xfd"));
    fs::create_dir(&directory).unwrap();
    let directory = CString::new(directory.as_os_str().as_bytes()).unwrap();
    for backend in BACKENDS {
        let plan = Plan::new(&program, &words, ["LANG=C"])
            .unwrap()
            .with_backend(backend);
        let pipes = Pipes::new();
        let mut request = pipes.request();
        request.directory = Some(&directory);
        let started = spawn(&plan, &request).unwrap();
        let (code, output, errors) = pipes.of(started).finish();
        assert_eq!((code, errors), (Some(0), String::new()));
        assert_eq!(output, format!("{:x?}", word.as_encoded_bytes()));
    }
}

#[test]
fn the_child_starts_in_the_directory_of_its_request() {
    let folder = tempfile::tempdir().unwrap();
    let directory = CString::new(folder.path().as_os_str().as_bytes()).unwrap();
    for backend in BACKENDS {
        let pipes = Pipes::new();
        let mut request = pipes.request();
        request.directory = Some(&directory);
        let started = spawn(&probe::plan(&["stay"]).with_backend(backend), &request).unwrap();
        let mut running = pipes.of(started);
        running.wait_here();
        let entered = fs::read_link(format!("/proc/{}/cwd", running.started.pid())).unwrap();
        assert_eq!(entered, folder.path().canonicalize().unwrap());
        assert_eq!(running.finish().0, Some(0));
    }
}

#[test]
fn a_new_file_has_no_bits_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new");
    let plan = probe::plan(&["create", file.to_str().unwrap()]).with_backend(Backend::Clone3);
    assert_eq!(probe::run(&plan).unwrap().finish().0, Some(0));
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
}
