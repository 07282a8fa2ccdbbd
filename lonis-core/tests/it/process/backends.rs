//! Every backend gives the same behaviour, as far as it reaches.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use lonis_core::limits::Bound;
use lonis_core::process::{
    self, Backend, HostDeath, Job, ProcessError, Program, StartPart, UnavailableReason,
};

use super::support::{BACKEND, limits};

const ALL: [Backend; 3] = [Backend::Clone3, Backend::PosixSpawn, Backend::Portable];

#[test]
fn the_backend_that_was_asked_for_is_used_and_named() {
    for backend in ALL {
        let program = Program::new("sh")
            .with_args(["-c", "exit 0"])
            .with_backend(backend);
        let outcome = process::run(&program, []).outcome;
        assert_eq!(outcome.backend, Some(backend));
        // Only the first can tie a child to its host before it runs.
        let tied = outcome.containment.expect("started").host_death;
        let expected = if backend == Backend::Clone3 {
            HostDeath::Leader
        } else {
            HostDeath::None
        };
        assert_eq!(tied, expected, "{backend:?}");
    }
}

#[test]
fn the_other_backends_behave_as_the_first() {
    // One after the other, since every test beside them is about time too.
    for backend in [Backend::PosixSpawn, Backend::Portable] {
        rerun(backend);
    }
}

/// Runs the tests of calls again, in a process whose programs are all started by this backend.
fn rerun(backend: Backend) {
    let own = std::env::current_exe().expect("this program has a path");
    #[expect(
        clippy::disallowed_methods,
        reason = "the host under test is a process of its own"
    )]
    let output = std::process::Command::new(own)
        .args([
            "process::bounds",
            "process::collected",
            "process::pulled",
            "--test-threads=2",
        ])
        .env(BACKEND, backend.word())
        .output()
        .expect("this program starts again");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{backend:?}: {text}");
    assert!(!text.contains(" 0 passed"), "no test was found: {text}");
}

#[test]
fn what_cannot_be_started_is_told_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, content: &str, mode| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("ours");
        path
    };
    let garbage = file("garbage", "garbage", 0o700);
    let interpreter = file("interpreter", "#!/nowhere/at/all\n", 0o700);
    for backend in ALL {
        let fail = |program: &Path| {
            let program = Program::new(program).with_backend(backend);
            process::run(&program, []).failure.expect("it cannot run")
        };
        assert!(
            matches!(fail(&garbage), ProcessError::Unavailable(it) if it.reason == UnavailableReason::ExecFormat)
        );
        let reason = UnavailableReason::BadInterpreter {
            interpreter: "/nowhere/at/all".into(),
        };
        assert!(matches!(fail(&interpreter), ProcessError::Unavailable(it) if it.reason == reason));
        let elsewhere = Program::new("sh")
            .with_cwd("/nowhere/at/all")
            .with_backend(backend);
        let failure = process::run(&elsewhere, []).failure;
        assert!(
            matches!(&failure, Some(ProcessError::Start { part: StartPart::WorkingDirectory, path: Some(path), .. })
                if path == Path::new("/nowhere/at/all")),
            "{backend:?}: {failure:?}"
        );
    }
}

#[test]
fn bounds_on_the_tree_hold_without_a_control_group() {
    for backend in [Backend::PosixSpawn, Backend::Portable] {
        let program = Program::new("sh")
            .with_args(["-c", "while :; do :; done"])
            .with_backend(backend);
        let set = [(Bound::MaxCpuMillis, 200), (Bound::TimeoutMillis, 120_000)];
        let captured = Job::new(&program).with_limits(limits(&set)).run();
        assert!(
            matches!(&captured.failure, Some(ProcessError::LimitExceeded(breach)) if breach.bound == Bound::MaxCpuMillis),
            "{captured:?}"
        );
    }
}
