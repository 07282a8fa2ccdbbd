//! Start and wait of one child that ends at once: each backend, bare and isolated, beside the ways that others have.

use std::ffi::CString;
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use command_group::CommandGroup;
use lonis_spawn::{Backend, Isolation, Limit, Plan, Request, Resource, Signal, spawn};
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, posix_spawn};
use nix::sys::wait::{WaitStatus, waitpid};
use wait_timeout::ChildExt;

use crate::case::{Case, Clock, Place};
use crate::kit::Kit;

const PLAIN: &str = "posix_spawn, plain";

pub(super) fn cases(kit: &Kit, _absent: &mut Vec<String>) -> Vec<Case> {
    let program = kit.child.clone();
    let case = |name: &str, operation: Box<dyn FnMut() -> bool>| {
        Case::new(name, Clock::Wall, operation, |ended| *ended).in_place(Place::SmallAndLarge)
    };
    let mut bare = Isolation::default();
    bare.limits.clear();
    bare.no_new_privileges = false;
    let mut full = Isolation::default();
    full.limits.push(Limit::at_most(Resource::OpenFiles, 256));
    full.limits
        .push(Limit::at_most(Resource::FileBytes, 1 << 30));
    let mut cases = vec![case(PLAIN, plain(&program)).large_at_most_any()];
    cases.push(
        case(
            "ours: clone3, nothing optional",
            ours(kit, Backend::Clone3, bare, false),
        )
        .beside(PLAIN)
        .large_at_most(2.0),
    );
    cases.push(
        case(
            "ours: clone3, full isolation",
            ours(kit, Backend::Clone3, full.clone(), true),
        )
        .at_most_reach(1.0, 0.85, PLAIN)
        .large_at_most(2.0),
    );
    cases.push(
        case(
            "ours: posix-spawn, isolation",
            ours(kit, Backend::PosixSpawn, full, false),
        )
        .at_most(1.15, PLAIN)
        .large_at_most(2.0),
    );
    for (name, operation) in peers(&program) {
        cases.push(case(name, operation).beside(PLAIN).large_at_most_any());
    }
    cases
}

fn ours(kit: &Kit, backend: Backend, isolation: Isolation, tied: bool) -> Box<dyn FnMut() -> bool> {
    let none: [&str; 0] = [];
    let plan = Plan::new(&kit.child, none, ["PATH=/usr/bin:/bin"]).expect("an absolute path");
    let plan = plan.with_backend(backend).with_isolation(isolation);
    let null = File::open("/dev/null").expect("every system has it");
    let directory =
        CString::new(kit.subfolder("spawn").as_os_str().as_bytes()).expect("a path of ours");
    Box::new(move || {
        let mut request = Request::new(null.as_fd(), null.as_fd(), null.as_fd());
        request.directory = Some(&directory);
        request.parent_death = tied.then_some(Signal::KILL);
        spawn(&plan, &request)
            .ok()
            .and_then(|started| started.reap().ok())
            .is_some_and(|reaped| reaped.status.success())
    })
}

fn plain(program: &Path) -> Box<dyn FnMut() -> bool> {
    let program = CString::new(program.as_os_str().as_bytes()).expect("a path of ours");
    let (actions, attributes) = (PosixSpawnFileActions::init(), PosixSpawnAttr::init());
    let (Ok(actions), Ok(attributes)) = (actions, attributes) else {
        return Box::new(|| false);
    };
    let environment: [CString; 0] = [];
    Box::new(move || {
        let arguments = [&program];
        posix_spawn(
            program.as_c_str(),
            &actions,
            &attributes,
            &arguments,
            &environment,
        )
        .and_then(|pid| waitpid(pid, None))
        .is_ok_and(|status| matches!(status, WaitStatus::Exited(_, 0)))
    })
}

fn quiet(mut command: Command) -> Command {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

type Peer = (&'static str, Box<dyn FnMut() -> bool>);

fn peers(program: &Path) -> Vec<Peer> {
    let absolute = {
        let program = program.to_owned();
        move || quiet(Command::new(&program))
    };
    let folder = program.parent().unwrap_or(Path::new("/")).to_owned();
    let name = program.file_name().unwrap_or_default().to_owned();
    let bare = move || {
        let mut command = quiet(Command::new(&name));
        command.env_clear().env("PATH", &folder);
        command
    };
    let (grouped, timed) = (absolute.clone(), absolute.clone());
    vec![
        (
            "std, absolute path",
            Box::new(move || absolute().status().is_ok_and(|status| status.success())),
        ),
        (
            "std, bare name after env_clear",
            Box::new(move || bare().status().is_ok_and(|status| status.success())),
        ),
        (
            "command-group",
            Box::new(move || {
                grouped()
                    .group_spawn()
                    .and_then(|mut child| child.wait())
                    .is_ok_and(|status| status.success())
            }),
        ),
        (
            "wait-timeout",
            Box::new(move || {
                timed()
                    .spawn()
                    .and_then(|mut child| child.wait_timeout(Duration::from_secs(5)))
                    .is_ok_and(|status| status.is_some_and(|status| status.success()))
            }),
        ),
    ]
}
