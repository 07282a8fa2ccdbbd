use std::{fs, hint::black_box};

use lonis_spawn::{Backend, Step};

use crate::probe::{self, BACKENDS};

/// Page faults of this thread that read nothing from a disk, and page size.
fn faults() -> u64 {
    let stat = fs::read_to_string("/proc/thread-self/stat").unwrap();
    // The 10th member of the line, two of them before the closing bracket.
    stat.rsplit(')')
        .next()
        .unwrap()
        .split(' ')
        .nth(8)
        .unwrap()
        .parse()
        .unwrap()
}

#[test]
fn a_start_does_not_copy_the_hosts_memory() {
    const PAGE: usize = 4096;
    let mut memory = vec![1_u8; 256 << 20];
    for backend in BACKENDS {
        let plan = probe::plan(&["stay"]).with_backend(backend);
        // Whatever the first start touches for the first time.
        probe::run(&plan).unwrap().finish();
        memory
            .iter_mut()
            .step_by(PAGE)
            .for_each(|byte| *byte = byte.wrapping_add(1));
        let before = faults();
        let running = probe::run(&plan).unwrap();
        memory
            .iter_mut()
            .step_by(PAGE)
            .for_each(|byte| *byte = byte.wrapping_add(1));
        let after = faults();
        assert_eq!(running.started.backend(), backend);
        running.finish();
        assert!(
            after - before < 64,
            "{backend:?}: {} page faults",
            after - before
        );
    }
    black_box(&memory);
}

#[test]
fn many_starts_leave_nothing_behind() {
    for backend in BACKENDS {
        probe::run_host("host-of-many", backend);
    }
}

pub(crate) fn host_of_many(backend: Backend) {
    let held = || {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let maps = fs::read_to_string("/proc/self/maps")
            .unwrap()
            .lines()
            .count();
        (
            probe::descriptors("/proc/self/fd"),
            probe::status_line(&status, "SigBlk"),
            maps,
        )
    };
    let plan = probe::plan(&["exit", "0"]).with_backend(backend);
    probe::run(&plan).unwrap().finish();
    let before = held();
    for round in 0..1000 {
        // Every second one fails, late or early.
        let step = if round % 4 == 1 {
            Step::Exec
        } else {
            Step::Stdio
        };
        plan.inject_failures(step, if round % 2 == 0 { &[] } else { &[libc::ENOMEM] });
        let running = probe::run(&plan);
        assert_eq!(running.is_ok(), round % 2 == 0);
        if let Ok(running) = running {
            assert_eq!(running.finish().0, Some(0));
        }
    }
    assert_eq!(held(), before);
    // SAFETY: no status is asked for; the answer says whether any child is left.
    let left = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) };
    assert_eq!(left, -1, "no child is left, not even a zombie");
}
