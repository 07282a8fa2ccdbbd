//! Many calls at once: one supervisor drives them all, and so many run as the machine has room for.

mod admission;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use super::captured::{Captured, Done};
use super::job::Job;
use admission::Ticket;

/// Calls at one time for each core, where no width is asked for. More gain nothing: a tool's start is mostly computing.
const CALLS_PER_CORE: usize = 4;

/// Runs many jobs, a bounded number of them at one time, without a thread for each.
///
/// All pools of a process share one supervising and at most two starting threads. What does not fit into the process's
/// descriptors or the user's pipes waits, and is never refused for that; its time starts with its program.
///
/// # Example
/// ```
/// use lonis_core::process::{Job, Pool, Program};
///
/// let echo = Program::new("cat");
/// let jobs = (0..20).map(|number| Job::new(&echo).with_stdin(format!("{number}")));
/// let results = Pool::new().run_all(jobs);
/// assert_eq!(results[7].stdout, b"7");
/// ```
#[derive(Clone)]
pub struct Pool {
    inner: Arc<Inner>,
}

struct Inner {
    width: usize,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<(Job, Done)>,
    running: usize,
}

impl Pool {
    /// Creates a pool of the default width, four jobs for each core.
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self::with_width(cores * CALLS_PER_CORE)
    }

    /// Creates a pool in which this many jobs run at one time.
    ///
    /// # Units and bounds
    /// A count; 0 is 1. More than the process has descriptors for is not reached.
    pub fn with_width(width: usize) -> Self {
        Self {
            inner: Arc::new(Inner {
                width: width.max(1),
                queue: Mutex::default(),
            }),
        }
    }

    /// Returns how many jobs run at one time.
    pub fn width(&self) -> usize {
        self.inner.width
    }

    /// Adds a job. `done` gets what it gave, on the supervisor's thread, where it must not wait for anything.
    ///
    /// A job's stderr listener is called on that thread too.
    pub fn submit(&self, job: Job, done: impl FnOnce(Captured) + Send + 'static) {
        self.inner.lock().waiting.push_back((job, Box::new(done)));
        Inner::pump(&self.inner);
    }

    /// Runs all jobs and returns what they gave, in their order.
    pub fn run_all(&self, jobs: impl IntoIterator<Item = Job>) -> Vec<Captured> {
        let mut results = Vec::new();
        self.run_each(jobs, |index, captured| {
            if results.len() <= index {
                results.resize_with(index + 1, || None);
            }
            results[index] = Some(captured);
        });
        results.into_iter().flatten().collect()
    }

    /// Runs all jobs, and gives what each gave to a function in the calling thread as soon as it has ended.
    ///
    /// The function gets the number of the job, counted from 0. Jobs are taken from the iterator as there is room, so
    /// that a long list is never held in memory.
    ///
    /// # Panics
    /// When `each` does; jobs that were started then run to their end.
    pub fn run_each(
        &self,
        jobs: impl IntoIterator<Item = Job>,
        mut each: impl FnMut(usize, Captured),
    ) {
        let (sender, receiver) = mpsc::channel();
        let mut jobs = jobs.into_iter().enumerate();
        let mut outstanding = 0;
        loop {
            // Twice the width: the next ones wait at the pool and not in this thread's next turn.
            while outstanding < 2 * self.inner.width
                && let Some((index, job)) = jobs.next()
            {
                let sender = sender.clone();
                // Fails when `each` has panicked: then nobody wants the rest.
                self.submit(job, move |captured| drop(sender.send((index, captured))));
                outstanding += 1;
            }
            if outstanding == 0 {
                break;
            }
            let (index, captured) = receiver
                .recv()
                .expect("every job that is submitted is answered");
            outstanding -= 1;
            each(index, captured);
        }
    }
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Pool")
            .field("width", &self.inner.width)
            .finish_non_exhaustive()
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets as many jobs go on as the width allows.
    fn pump(inner: &Arc<Self>) {
        loop {
            let mut queue = inner.lock();
            if queue.running >= inner.width {
                break;
            }
            let Some((job, done)) = queue.waiting.pop_front() else {
                break;
            };
            queue.running += 1;
            drop(queue);
            let place = Place(Arc::clone(inner));
            let done = Box::new(move |captured| {
                // Given back also when the caller's function panics.
                let _place = place;
                done(captured);
            });
            admission::enter(Ticket { job, done });
        }
    }
}

/// One job's place in the width of its pool.
struct Place(Arc<Inner>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.lock().running -= 1;
        Inner::pump(&self.0);
    }
}
