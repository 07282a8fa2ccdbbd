use std::io::Read;
use std::os::unix::process::ExitStatusExt;

use lonis_spawn::{ReapError, Signal, Step};

use crate::probe;

#[test]
fn the_exit_code_is_the_childs() {
    for code in [0, 1, 127, 255] {
        let running = probe::run(&probe::plan(&["exit", &code.to_string()])).unwrap();
        let reaped = running.started.reap().unwrap();
        assert_eq!(reaped.status.code(), Some(code));
    }
}

#[test]
fn a_running_child_is_not_reaped_and_takes_a_signal() {
    let mut running = probe::run(&probe::plan(&["stay"])).unwrap();
    running.wait_here();
    assert!(!running.started.has_exited().unwrap());
    let Err(ReapError::Running(started)) = running.started.try_reap() else {
        panic!("it waits for its stdin")
    };
    started.signal_group(Signal::TERMINATE).unwrap();
    let reaped = started.reap().unwrap();
    assert_eq!(reaped.status.signal(), Some(Signal::TERMINATE.number()));
}

#[test]
fn a_program_that_is_missing_fails_at_exec() {
    let plan =
        lonis_spawn::Plan::new(std::path::Path::new("/nowhere/tool"), [""; 0], [""; 0]).unwrap();
    let error = probe::run(&plan).err().unwrap();
    assert_eq!((error.step(), error.errno()), (Step::Exec, libc::ENOENT));
}

#[test]
fn input_and_output_go_through_the_pipes() {
    let mut running = probe::run(&probe::plan(&["stay"])).unwrap();
    running.wait_here();
    drop(running.stdin);
    assert!(running.started.reap().unwrap().status.success());
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    running.stdout.read_to_end(&mut output).unwrap();
    running.stderr.read_to_end(&mut errors).unwrap();
    assert_eq!((output, errors), (vec![], vec![]));
}
