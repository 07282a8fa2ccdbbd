use std::os::unix::process::ExitStatusExt;

use lonis_spawn::{ReapError, Signal};

use crate::probe::{self, BACKENDS};

#[test]
fn the_exit_code_is_the_childs() {
    for backend in BACKENDS {
        for code in [0, 1, 127, 255] {
            let plan = probe::plan(&["exit", &code.to_string()]).with_backend(backend);
            let running = probe::run(&plan).unwrap();
            assert_eq!(running.started.backend(), backend);
            let reaped = running.started.reap().unwrap();
            assert_eq!(reaped.status.code(), Some(code));
        }
    }
}

#[test]
fn an_exit_is_seen_without_a_reap_and_then_reaped_with_its_usage() {
    let running = probe::run(&probe::plan(&["exit", "3"])).unwrap();
    while !running.started.has_exited().unwrap() {
        std::thread::yield_now();
    }
    assert!(
        running.started.has_exited().unwrap(),
        "looking takes nothing away"
    );
    assert_eq!(
        running.status("State").chars().next(),
        Some('Z'),
        "not reaped by looking"
    );
    let reaped = running.started.try_reap().unwrap();
    assert_eq!(reaped.status.code(), Some(3));
    assert!(
        reaped.usage.max_resident_bytes > 64 * 1024,
        "{:?}",
        reaped.usage
    );
}

#[test]
fn a_running_child_is_given_back_by_a_reap_that_does_not_wait() {
    for signal in [Signal::TERMINATE, Signal::KILL] {
        let mut running = probe::run(&probe::plan(&["stay"])).unwrap();
        running.wait_here();
        assert!(!running.started.has_exited().unwrap());
        let Err(ReapError::Running(started)) = running.started.try_reap() else {
            panic!("it waits for its stdin")
        };
        started.signal_group(signal).unwrap();
        assert_eq!(
            started.reap().unwrap().status.signal(),
            Some(signal.number())
        );
    }
}

#[test]
fn a_stopped_child_goes_on_when_it_is_told_to() {
    let mut running = probe::run(&probe::plan(&["stay"])).unwrap();
    running.wait_here();
    running.started.signal_group(Signal::STOP).unwrap();
    while !running.status("State").starts_with('T') {
        std::thread::yield_now();
    }
    assert!(!running.started.has_exited().unwrap(), "a stop is no exit");
    running.started.signal_group(Signal::CONTINUE).unwrap();
    assert_eq!(running.finish().0, Some(0));
}

#[test]
fn a_child_that_has_ended_takes_signals_without_effect() {
    let running = probe::run(&probe::plan(&["exit", "0"])).unwrap();
    while !running.started.has_exited().unwrap() {
        std::thread::yield_now();
    }
    running.started.signal_group(Signal::KILL).unwrap();
    assert!(running.started.reap().unwrap().status.success());
}
