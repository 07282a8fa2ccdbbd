use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

use super::super::super::job::Job;
use super::super::super::program::Program;
use super::*;

/// Counts how often a task is woken.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// An engine that this thread moves by hand, and a quiet call that it watches for a task.
struct Watched {
    engine: Engine,
    live: Live,
    number: CallNumber,
    woken: Arc<Woken>,
}

impl Watched {
    fn new() -> Self {
        let supervisor = Arc::new(Supervisor::new().expect("descriptors are there"));
        let mut engine = Engine::new(Arc::clone(&supervisor));
        let quiet = Program::new("sleep").with_args(["600"]);
        let live = Live::start(Job::new(&quiet), false).expect("started");
        let number = supervisor.new_number();
        engine.receive(Message::Watch {
            number,
            shared: Arc::clone(live.shared()),
            cancel: None,
        });
        Self {
            engine,
            live,
            number,
            woken: Arc::default(),
        }
    }

    /// Has a task begin to wait, with events that come while it still holds its call.
    fn begin_wait(&mut self, meanwhile: &[Ready]) {
        let shared = Arc::clone(self.live.shared());
        let mut control = shared.lock();
        control.begin_wait();
        for ready in meanwhile {
            self.engine.look(self.number, *ready);
        }
        assert!(control.is_awaited(), "a held call is left alone");
    }

    /// Tells the supervisor whom to wake, as a task does after it has let go of its call.
    fn wait(&mut self) {
        self.engine.receive(Message::Await {
            number: self.number,
            waker: Arc::clone(&self.woken).into(),
        });
    }

    fn wakes(&self) -> usize {
        self.woken.0.load(Ordering::SeqCst)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let mut control = self.live.shared().lock();
        control.blame(Cause::Dropped);
        control.machine_mut().forgo_grace(Moment::now());
        while !control.machine().is_over() {
            control.look_for_exit();
            control.proceed(Moment::now());
        }
    }
}

const STDOUT: Ready = Ready {
    stdin: false,
    stdout: true,
    stderr: false,
    event: false,
};

#[test]
fn an_event_that_comes_while_a_task_holds_its_call_wakes_it_at_the_next_look() {
    let nothing = Ready::default();
    for meanwhile in [
        &[STDOUT][..],
        // A look without an event of its own forgets none.
        &[STDOUT, nothing],
        &[nothing, Ready::PIPES, nothing],
    ] {
        let mut watched = Watched::new();
        watched.begin_wait(meanwhile);
        assert_eq!(watched.wakes(), 0);
        watched.wait();
        assert_eq!(watched.wakes(), 1, "{meanwhile:?}");
    }
}

#[test]
fn an_event_between_letting_go_and_waiting_wakes_the_task() {
    let mut watched = Watched::new();
    watched.begin_wait(&[]);
    watched.engine.look(watched.number, STDOUT);
    watched.wait();
    assert_eq!(watched.wakes(), 1);
}

#[test]
fn a_task_without_an_event_sleeps_and_an_event_is_told_once() {
    let mut watched = Watched::new();
    watched.begin_wait(&[Ready::default()]);
    watched.wait();
    assert_eq!(watched.wakes(), 0, "nothing has happened");
    watched.engine.look(watched.number, STDOUT);
    assert_eq!(watched.wakes(), 1);
    watched.begin_wait(&[]);
    watched.wait();
    assert_eq!(watched.wakes(), 1, "that event was told already");
}
