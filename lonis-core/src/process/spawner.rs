//! Threads that do nothing but start programs.
//!
//! A starting thread stands still until the program runs, and a child that is tied to its host is tied to the thread that
//! started it. So whoever must not stand still, or wants a tie that outlives the calling thread, has its programs started
//! here: these threads live as long as the process, and nobody joins them.

use std::collections::VecDeque;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use super::child_ends::keep_numbers;
use super::clock::Moment;
use super::failure::ProcessError;
use super::job::Job;
use super::live::{Live, Refused};
use super::system_error::SystemError;

/// Two are enough as a rule: a start costs a tenth of what the started program does before it has anything to say.
const USUAL_SPAWNERS: usize = 2;

/// Where starts take long, on a busy machine or from a file system that hangs, they are waited for side by side.
const MOST_SPAWNERS: usize = 16;

/// A start that takes longer is one that waits: its work takes a tenth of this.
const SLOW_START: Duration = Duration::from_millis(2);

/// Something that starts a program.
pub(crate) type Task = Box<dyn FnOnce() + Send>;

struct Queue {
    tasks: VecDeque<Task>,
    spawners: usize,
    idle: usize,
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue {
    tasks: VecDeque::new(),
    spawners: 0,
    idle: 0,
});
static ADDED: Condvar = Condvar::new();

fn lock() -> MutexGuard<'static, Queue> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a call on one of the threads, to which it is tied, and waits until it runs.
pub(crate) fn start(job: Job) -> Result<Live, Box<Refused>> {
    if let Err(error) = ensure_spawner() {
        return Err(Box::new(Refused {
            error: ProcessError::System(error),
            job,
        }));
    }
    let (sender, receiver) = mpsc::sync_channel(1);
    submit(Box::new(move || {
        // The one that asked waits below and cannot have gone.
        let _ = sender.send(Live::start(job, true));
    }));
    receiver
        .recv()
        .expect("a spawner does every task, and this one sends an answer")
}

/// Makes sure that a thread is there for the tasks to come.
///
/// # Errors
/// No thread is there and none can be made.
pub(crate) fn ensure_spawner() -> Result<(), SystemError> {
    let mut queue = lock();
    if queue.idle > queue.tasks.len() || queue.spawners >= USUAL_SPAWNERS {
        return Ok(());
    }
    match add_spawner(&mut queue) {
        Err(error) if queue.spawners == 0 => Err(SystemError::new(
            "start a thread",
            error.raw_os_error().unwrap_or(0),
        )),
        // Where there is one already, it does the work alone.
        _ => Ok(()),
    }
}

fn add_spawner(queue: &mut Queue) -> io::Result<()> {
    let thread = std::thread::Builder::new().name("lonis-spawner".to_owned());
    thread.spawn(work).map(|_| queue.spawners += 1)
}

/// Has a task done by one of the threads, of which there is one by now.
pub(crate) fn submit(task: Task) {
    lock().tasks.push_back(task);
    ADDED.notify_one();
}

fn work() {
    keep_numbers();
    let mut queue = lock();
    loop {
        while let Some(task) = queue.tasks.pop_front() {
            drop(queue);
            let begun = Moment::now();
            task();
            let is_slow = Moment::now().since(begun) > SLOW_START;
            queue = lock();
            if is_slow && !queue.tasks.is_empty() && queue.spawners < MOST_SPAWNERS {
                // Without a further thread the starts only take longer.
                let _ = add_spawner(&mut queue);
            }
        }
        queue.idle += 1;
        queue = ADDED.wait(queue).unwrap_or_else(PoisonError::into_inner);
        queue.idle -= 1;
    }
}
