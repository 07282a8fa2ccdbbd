//! What becomes of descendants that try to get away, at each level.

use std::sync::Arc;
use std::time::Duration;

use lonis_core::limits::Bound;
use lonis_core::process::{
    self, Backend, CancelToken, Captured, Job, LeftBehindReason, Level, Mechanism, OtherChildren,
    ProcessError, Program, adopt_orphans,
};

use super::support::{Handshake, backend, in_own_process, limits, python, within};

/// What a deadline leaves the programs to announce themselves.
const T: u64 = 4_000;
const G: Duration = Duration::from_millis(250);
const D: Duration = Duration::from_millis(250);

/// A leader with one descendant that stays and three that get away in different ways, all deaf to TERM.
///
/// They announce themselves by a file each, with the number that this process sees; the leader then does what `last` says.
pub(super) fn escapes(handshake: &Handshake, last: &str) -> Program {
    let script = format!(
        r#"
import os, signal, sys, time
folder = sys.argv[1]
signal.signal(signal.SIGTERM, signal.SIG_IGN)
ready, announce = os.pipe()
def stay(name):
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2): os.dup2(null, number)
    with open(os.path.join(folder, name + ".new"), "w") as file: file.write(os.readlink("/proc/self"))
    os.rename(os.path.join(folder, name + ".new"), os.path.join(folder, name))
    os.write(announce, b"x")
    time.sleep(100)
    os._exit(0)
def fork(work):
    if os.fork() == 0: work(); os._exit(0)
def session(): os.setsid(); stay("session")
def twice(): fork(lambda: stay("twice"))
def both(): os.setsid(); fork(lambda: stay("both"))
fork(lambda: stay("group"))
fork(session); fork(twice); fork(both)
seen = 0
while seen < 4: seen += len(os.read(ready, 4))
{last}
"#
    );
    python(&script).with_args([handshake.path("")])
}

pub(super) const NAMES: [&str; 4] = ["group", "session", "twice", "both"];

pub(super) fn assert_level(captured: &Captured, level: Level, mechanism: Mechanism) {
    let containment = captured.outcome.containment.expect("started");
    assert_eq!(
        (containment.level, containment.mechanism),
        (level, mechanism)
    );
}

/// Runs a program until all four have got away as far as they do, and then has it ended.
pub(super) fn ended_once_away(program: &Program, handshake: &Handshake) -> Captured {
    let token = CancelToken::new();
    let job = Job::new(program).with_cancel(token.clone());
    let captured = std::thread::scope(|scope| {
        scope.spawn(|| {
            for name in NAMES {
                handshake.wait_for(name);
            }
            token.cancel();
        });
        job.run()
    });
    assert_eq!(
        captured.failure,
        Some(ProcessError::Cancelled),
        "{captured:?}"
    );
    captured
}

fn timing_out(program: &Program) -> Captured {
    let job = Job::new(program).with_limits(limits(&[(Bound::TimeoutMillis, T)]));
    let captured = within(Duration::from_millis(T) + G, || job.run());
    assert!(
        matches!(captured.failure, Some(ProcessError::Timeout { .. })),
        "{captured:?}"
    );
    captured
}

#[test]
fn a_group_ends_what_stayed_in_it() {
    let handshake = Handshake::new();
    let captured = ended_once_away(&escapes(&handshake, "time.sleep(100)"), &handshake);
    let mechanism = match backend() {
        Some(Backend::Portable) => Mechanism::ProcessGroup,
        _ => Mechanism::Session,
    };
    assert_level(&captured, Level::Group, mechanism);
    handshake.assert_ended(&["group", "twice"]);
    for name in ["session", "both"] {
        let pid = handshake.pid(name);
        assert!(
            super::support::stat(pid).is_some(),
            "the level promises nothing about `{name}`"
        );
        super::support::kill(pid);
    }
}

#[test]
fn a_control_group_ends_every_descendant() {
    let handshake = Handshake::new();
    let program = escapes(&handshake, "time.sleep(100)").with_containment(Level::Tree);
    let probe = process::run(&python("pass").with_containment(Level::Tree), []);
    if let Some(ProcessError::LevelNotHeld { missing, .. }) = probe.failure {
        println!("skipped: {missing}");
        return;
    }
    let captured = ended_once_away(&program, &handshake);
    assert_level(&captured, Level::Tree, Mechanism::ControlGroup);
    assert!(
        captured.outcome.notes.is_empty(),
        "{:?}",
        captured.outcome.notes
    );
    handshake.assert_ended(&NAMES);
}

#[test]
fn a_subreaper_ends_and_reaps_every_descendant() {
    in_own_process(
        "process::tree::a_subreaper_ends_and_reaps_every_descendant",
        || {
            adopt_orphans(OtherChildren::None).expect("the kernel has it");
            adopt_orphans(OtherChildren::None).expect("a second call changes nothing");
            let handshake = Handshake::new();
            let captured = ended_once_away(&escapes(&handshake, "time.sleep(100)"), &handshake);
            assert_level(&captured, Level::Tree, Mechanism::ChildSubreaper);
            assert_eq!(captured.outcome.left_behind, []);
            handshake.assert_gone(&NAMES);

            // A leader that leaves in good time.
            let handshake = Handshake::new();
            let captured = within(D, || process::run(&escapes(&handshake, ""), []));
            assert_eq!(captured.failure, None);
            assert!(captured.outcome.descendants_ended);
            let said = "processes of the tool outlived it; they were ended";
            assert_eq!(captured.outcome.notes, [said]);
            handshake.assert_gone(&NAMES);

            // And one that leaves nothing behind.
            let captured = process::run(&python("print(1)"), []);
            assert!(!captured.outcome.descendants_ended);
        },
    );
}

#[test]
fn a_subreaper_leaves_other_calls_and_other_children_alone() {
    in_own_process(
        "process::tree::a_subreaper_leaves_other_calls_and_other_children_alone",
        || {
            #[expect(
                clippy::disallowed_methods,
                reason = "a child that the host starts by other means"
            )]
            let mut own = std::process::Command::new("sleep")
                .arg("60")
                .spawn()
                .expect("started");
            let own_pid = own.id();
            adopt_orphans(OtherChildren::Known(Box::new(move |pid| pid == own_pid)))
                .expect("there");

            let first = Arc::new(Handshake::new());
            let second = Handshake::new();
            let other = {
                let first = Arc::clone(&first);
                std::thread::spawn(move || {
                    let last = "import pathlib\nwhile not (pathlib.Path(folder) / 'go').exists(): time.sleep(0.01)";
                    process::run(&escapes(&first, last), [])
                })
            };
            for name in NAMES {
                first.wait_for(name);
            }
            let captured = ended_once_away(&escapes(&second, "time.sleep(100)"), &second);
            assert_level(&captured, Level::Tree, Mechanism::ChildSubreaper);
            second.assert_gone(&NAMES);
            for name in NAMES {
                assert!(
                    super::support::stat(first.pid(name)).is_some(),
                    "`{name}` of the other call"
                );
            }
            std::fs::write(first.path("go"), "").expect("written");
            let captured = other.join().expect("no panic");
            assert_eq!(captured.failure, None);
            first.assert_gone(&NAMES);

            assert!(
                own.try_wait().expect("ours to wait for").is_none(),
                "the host's own child"
            );
            own.kill().expect("killed");
            own.wait().expect("reaped");
        },
    );
}

#[test]
fn an_orphan_that_nothing_ties_to_its_call_waits_for_all_that_may_own_it() {
    in_own_process(
        "process::tree::an_orphan_that_nothing_ties_to_its_call_waits_for_all_that_may_own_it",
        || {
            adopt_orphans(OtherChildren::None).expect("the kernel has it");
            let handshake = Arc::new(Handshake::new());
            let other = {
                let handshake = Arc::clone(&handshake);
                std::thread::spawn(move || {
                    let script = format!(
                        "import pathlib, time\npathlib.Path('{0}').touch()\nwhile not pathlib.Path('{1}').exists(): time.sleep(0.01)",
                        handshake.path("there").display(),
                        handshake.path("go").display()
                    );
                    process::run(&python(&script), [])
                })
            };
            handshake.wait_for("there");
            // It leaves session and folder, and its leader exits, so nothing tells whose it was.
            let script = format!(
                "import os, time\nif os.fork() == 0:\n  os.setsid(); os.chdir('/')\n  for n in (0, 1, 2): os.close(n)\n  open('{0}.new', 'w').write(str(os.getpid())); os.rename('{0}.new', '{0}')\n  time.sleep(100)\nwhile not os.path.exists('{0}'): time.sleep(0.01)",
                handshake.path("stray").display()
            );
            let captured = process::run(&python(&script), []);
            assert_eq!(captured.failure, None);
            let stray = handshake.pid("stray");
            let left: Vec<_> = captured
                .outcome
                .left_behind
                .iter()
                .map(|left| (left.pid, left.reason))
                .collect();
            assert_eq!(left, [(stray, LeftBehindReason::Shared)]);
            std::fs::write(handshake.path("go"), "").expect("written");
            let captured = other.join().expect("no panic");
            assert_eq!(captured.outcome.left_behind, []);
            handshake.assert_gone(&["stray"]);
        },
    );
}

#[test]
fn fifty_forking_children_leave_nothing_behind() {
    in_own_process(
        "process::tree::fifty_forking_children_leave_nothing_behind",
        || {
            adopt_orphans(OtherChildren::None).expect("the kernel has it");
            let script = "
import os, time
for number in range(50):
    if os.fork() == 0:
        if number % 2: os.setsid()
        while True:
            if os.fork() == 0:
                time.sleep(0.02); os._exit(0)
            os.wait()
time.sleep(100)";
            timing_out(&python(script));
            let own = std::process::id();
            let list =
                std::fs::read_to_string(format!("/proc/self/task/{own}/children")).expect("there");
            assert_eq!(list, "", "nothing is left");
        },
    );
}
