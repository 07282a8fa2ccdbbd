use std::{fs, io::ErrorKind, os::unix::fs::PermissionsExt, path::Path};

use lonis_spawn::{Backend, Isolation, Namespaces, Plan, PlanError, Signal, Step, spawn};

use crate::probe::{self, BACKENDS, Pipes};

/// A plan and a request that take every step.
fn fail_at(backend: Backend, step: Step) -> (Step, i32) {
    let mut isolation = Isolation::default();
    isolation.oom_score = Some(500);
    isolation.nice = Some(1);
    let plan = probe::plan(&["exit", "0"])
        .with_backend(backend)
        .with_isolation(isolation);
    let pipes = Pipes::new();
    let mut request = pipes.request();
    request.directory = Some(c"/");
    request.parent_death = Some(Signal::KILL);
    // Not a ruleset, and so a step that fails at once if it is not the one to fail.
    request.ruleset = (step == Step::Landlock).then(|| request.stdio[0]);
    if step == Step::IdentityMap {
        request.namespaces = Namespaces::USER;
    }
    plan.inject_failures(step, &[libc::ENOANO]);
    let error = spawn(&plan, &request).unwrap_err();
    (error.step(), error.errno())
}

#[test]
fn each_step_of_the_child_that_fails_is_named() {
    let steps = [
        Step::Start,
        Step::Signals,
        Step::Group,
        Step::Stdio,
        Step::ParentDeath,
        Step::Descriptors,
        Step::IdentityMap,
        Step::Directory,
        Step::OomScore,
        Step::Nice,
        Step::Limits,
        Step::NoNewPrivileges,
        Step::Landlock,
        Step::Mask,
        Step::Exec,
    ];
    for step in steps {
        assert_eq!(fail_at(Backend::Clone3, step), (step, libc::ENOANO));
    }
    for step in [
        Step::Start,
        Step::Stdio,
        Step::Directory,
        Step::Limits,
        Step::Exec,
    ] {
        assert_eq!(fail_at(Backend::PosixSpawn, step), (step, libc::ENOANO));
    }
}

#[test]
fn failures_are_met_one_by_one_and_then_no_more() {
    for backend in BACKENDS {
        let plan = probe::plan(&["exit", "0"]).with_backend(backend);
        plan.inject_failures(Step::Exec, &[libc::ETXTBSY, libc::EAGAIN]);
        for errno in [libc::ETXTBSY, libc::EAGAIN] {
            assert_eq!(
                probe::run(&plan).err().map(|error| error.errno()),
                Some(errno)
            );
        }
        assert_eq!(probe::run(&plan).unwrap().finish().0, Some(0));
    }
}

#[test]
fn a_program_that_cannot_run_fails_at_exec() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str, mode| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let rows = [
        (folder.path().join("missing"), libc::ENOENT),
        (folder.path().to_owned(), libc::EACCES),
        (file("not-executable", "#!/bin/sh\n", 0o600), libc::EACCES),
        (file("garbage", "garbage", 0o700), libc::ENOEXEC),
        (
            file("no-interpreter", "#!/nowhere/at/all\n", 0o700),
            libc::ENOENT,
        ),
        (file("below", "", 0o700).join("a-file"), libc::ENOTDIR),
    ];
    for backend in BACKENDS {
        for (program, errno) in &rows {
            let plan = probe::plan_of(program, &[], &[]).with_backend(backend);
            let error = probe::run(&plan).err().unwrap();
            assert_eq!(
                (error.step(), error.errno()),
                (Step::Exec, *errno),
                "{backend:?} {}",
                program.display()
            );
        }
        let long = "x".repeat(256 * 1024);
        let error = probe::run(&probe::plan(&[&long]).with_backend(backend))
            .err()
            .unwrap();
        assert_eq!((error.step(), error.errno()), (Step::Exec, libc::E2BIG));
    }
}

#[test]
fn a_directory_that_cannot_be_entered_is_told_from_the_program() {
    for backend in BACKENDS {
        for (directory, errno) in [
            (c"/nowhere/at/all", libc::ENOENT),
            (c"/proc/self/status", libc::ENOTDIR),
        ] {
            let pipes = Pipes::new();
            let mut request = pipes.request();
            request.directory = Some(directory);
            let error =
                spawn(&probe::plan(&["exit", "0"]).with_backend(backend), &request).unwrap_err();
            assert_eq!((error.step(), error.errno()), (Step::Directory, errno));
        }
    }
}

#[test]
fn containment_that_the_library_cannot_give_is_refused() {
    let pipes = Pipes::new();
    let mut request = pipes.request();
    request.namespaces = Namespaces::USER.and(Namespaces::NETWORK);
    let plan = probe::plan(&["exit", "0"]).with_backend(Backend::PosixSpawn);
    let error = spawn(&plan, &request).unwrap_err();
    assert_eq!((error.step(), error.errno()), (Step::Start, libc::ENOSYS));
}

#[test]
fn a_host_without_descriptors_left_is_told_so() {
    probe::run_host("host-without-descriptors", Backend::Clone3);
}

pub(crate) fn host_without_descriptors(backend: Backend) {
    let pipes = Pipes::new();
    let plan = probe::plan(&["exit", "0"]).with_backend(backend);
    let next = i32::try_from(fs::read_dir("/proc/self/fd").unwrap().count()).unwrap();
    let none = libc::rlimit {
        rlim_cur: libc::rlim_t::try_from(next - 1).unwrap(),
        rlim_max: 1024,
    };
    // SAFETY: the record is valid for the call.
    let answer = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const none) };
    assert_eq!(answer, 0);
    let error = spawn(&plan, &pipes.request()).unwrap_err();
    assert_eq!((error.step(), error.errno()), (Step::Start, libc::EMFILE));
}

#[test]
fn the_library_stands_in_where_a_filter_hides_clone3() {
    probe::run_host("host-behind-a-filter", Backend::PosixSpawn);
}

pub(crate) fn host_behind_a_filter() {
    refuse_system_call(libc::SYS_clone3, libc::ENOSYS);
    assert_eq!(Backend::chosen(), Backend::PosixSpawn);
    let running = probe::run(&probe::plan(&["exit", "4"])).unwrap();
    assert_eq!(running.started.backend(), Backend::PosixSpawn);
    assert_eq!(running.finish().0, Some(4));
    let forced = probe::plan(&["exit", "4"]).with_backend(Backend::Clone3);
    let error = probe::run(&forced).err().unwrap();
    assert_eq!((error.step(), error.errno()), (Step::Start, libc::ENOSYS));
}

/// Makes one system call fail in this process from now on, as a container's filter does.
pub(crate) fn refuse_system_call(number: libc::c_long, errno: i32) {
    let statement = |code: u32, jt, k| libc::sock_filter {
        code: u16::try_from(code).unwrap(),
        jt,
        jf: 0,
        k,
    };
    let (errno, number) = (
        u32::try_from(errno).unwrap(),
        u32::try_from(number).unwrap(),
    );
    let mut program = [
        statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 1, number),
        statement(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW),
        statement(
            libc::BPF_RET | libc::BPF_K,
            0,
            libc::SECCOMP_RET_ERRNO | errno,
        ),
    ];
    let filter = libc::sock_fprog {
        len: 4,
        filter: program.as_mut_ptr(),
    };
    // SAFETY: the filter leads to four statements, which the system copies.
    let answers = unsafe {
        [
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
            libc::prctl(
                libc::PR_SET_SECCOMP,
                libc::SECCOMP_MODE_FILTER,
                &raw const filter,
                0,
                0,
            ),
        ]
    };
    assert_eq!(answers, [0, 0], "{}", std::io::Error::last_os_error());
}

#[test]
fn plans_that_no_system_could_carry_out_are_refused() {
    let none: [&str; 0] = [];
    for program in ["tool", "./tool", "sub/tool", ""] {
        let error = Plan::new(Path::new(program), none, none).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("program `{program}` is not an absolute path")
        );
    }
    let rows = [
        ("/a\0b", "c", "D=e"),
        ("/ab", "c\0", "D=e"),
        ("/ab", "c", "D=\0"),
    ];
    for (program, argument, variable) in rows {
        let error = Plan::new(Path::new(program), [argument], [variable]).unwrap_err();
        assert!(matches!(error, PlanError::ZeroByte(_)), "{error}");
    }
}

#[test]
fn an_error_says_step_and_cause() {
    let plan = probe::plan_of(Path::new("/nowhere/tool"), &[], &[]);
    let error = probe::run(&plan).err().unwrap();
    let cause = std::io::Error::from(ErrorKind::NotFound).kind();
    assert_eq!(
        std::io::Error::from_raw_os_error(error.errno()).kind(),
        cause
    );
    assert!(
        error
            .to_string()
            .starts_with("starting a child failed at step `Exec`: "),
        "{error}"
    );
}
