use std::{
    io::Write,
    os::fd::{BorrowedFd, IntoRawFd},
};

use lonis_spawn::{Backend, Request, spawn};

use crate::probe::{self, BACKENDS};

#[test]
fn input_and_output_go_through_the_pipes() {
    for backend in BACKENDS {
        let mut running = probe::run(&probe::plan(&["echo"]).with_backend(backend)).unwrap();
        running.stdin.write_all("grüße".as_bytes()).unwrap();
        assert_eq!(running.finish(), (Some(0), "grüße".into(), "GRÜSSE".into()));
    }
}

#[test]
fn pipes_below_three_are_put_in_place_in_every_order() {
    for backend in BACKENDS {
        probe::run_host("host-with-low-pipes", backend);
    }
}

/// A host whose pipes lie on 0, 1 and 2 themselves, as after a start with these closed.
pub(crate) fn host_with_low_pipes(backend: Backend) {
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let pipes: [_; 3] = std::array::from_fn(|_| std::io::pipe().unwrap());
        let [
            (stdin, mut to_child),
            (from_stdout, stdout),
            (from_stderr, stderr),
        ] = pipes;
        let ends = [
            stdin.into_raw_fd(),
            stdout.into_raw_fd(),
            stderr.into_raw_fd(),
        ];
        // What this host was started with comes back after each round.
        // SAFETY: takes no pointer; the numbers are used as what they stand for and nothing else.
        let saved: [_; 3] =
            std::array::from_fn(|number| unsafe { libc::dup(i32::try_from(number).unwrap()) });
        for (end, place) in ends.into_iter().zip(order) {
            // SAFETY: takes no pointer; closed on exec, as ours are.
            unsafe {
                libc::dup3(end, place, libc::O_CLOEXEC);
                libc::close(end);
            }
        }
        // SAFETY: the three numbers are open for the whole of the start.
        let [stdin, stdout, stderr] = order.map(|number| unsafe { BorrowedFd::borrow_raw(number) });
        let plan = probe::plan(&["echo"]).with_backend(backend);
        let started = spawn(&plan, &Request::new(stdin, stdout, stderr));
        for (saved, place) in saved.into_iter().zip(0..) {
            // SAFETY: takes no pointer; the second call closes what was opened above.
            unsafe {
                libc::dup2(saved, place);
                libc::close(saved);
            }
        }
        to_child.write_all(b"text").unwrap();
        drop(to_child);
        let read = |mut pipe: std::io::PipeReader| std::io::read_to_string(&mut pipe).unwrap();
        assert_eq!(
            (read(from_stdout), read(from_stderr)),
            ("text".into(), "TEXT".into()),
            "{order:?}"
        );
        assert!(started.unwrap().reap().unwrap().status.success());
    }
}

#[test]
fn one_source_may_serve_twice() {
    for backend in BACKENDS {
        let pipes = probe::Pipes::new();
        let mut request = pipes.request();
        request.stdio[2] = request.stdio[1];
        let started = spawn(&probe::plan(&["echo"]).with_backend(backend), &request).unwrap();
        let mut running = pipes.of(started);
        running.stdin.write_all(b"text").unwrap();
        assert_eq!(
            running.finish(),
            (Some(0), "textTEXT".into(), String::new())
        );
    }
}

#[test]
fn a_source_that_was_closed_fails_at_stdio() {
    for backend in BACKENDS {
        let pipes = probe::Pipes::new();
        let mut request = pipes.request();
        // SAFETY: far above every limit, so nothing is there.
        request.stdio[1] = unsafe { BorrowedFd::borrow_raw(i32::MAX) };
        let error = spawn(&probe::plan(&["echo"]).with_backend(backend), &request).unwrap_err();
        assert_eq!(error.errno(), libc::EBADF, "{backend:?}");
        if backend == Backend::Clone3 {
            assert_eq!(error.step(), lonis_spawn::Step::Stdio);
        }
    }
}

#[test]
fn starts_of_many_threads_do_not_mix() {
    for backend in BACKENDS {
        let plan = probe::plan(&["echo"]).with_backend(backend);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let plan = &plan;
                scope.spawn(move || {
                    for round in 0..40 {
                        let text = format!("thread {thread} round {round}");
                        let mut running = probe::run(plan).unwrap();
                        running.stdin.write_all(text.as_bytes()).unwrap();
                        // Ends only if no sibling holds an end of these pipes.
                        assert_eq!(
                            running.finish(),
                            (Some(0), text.clone(), text.to_uppercase())
                        );
                    }
                });
            }
        });
    }
}
