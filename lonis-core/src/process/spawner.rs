//! Threads that do nothing but start programs.
//!
//! A starting thread stands still until the program runs, and a child that is tied to its host is tied to the thread that
//! started it. So whoever must not stand still, or wants a tie that outlives the calling thread, has its programs started
//! here: these threads live as long as the process, and nobody joins them.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};

use super::child_ends::keep_numbers;
use super::failure::ProcessError;
use super::job::Job;
use super::live::{Live, Refused};
use super::system_error::SystemError;

/// Two are enough: a start costs a tenth of what the started program does before it has anything to say.
const MOST_SPAWNERS: usize = 2;

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
    if queue.idle > queue.tasks.len() || queue.spawners == MOST_SPAWNERS {
        return Ok(());
    }
    match std::thread::Builder::new()
        .name("lonis-spawner".to_owned())
        .spawn(work)
    {
        Ok(_) => queue.spawners += 1,
        Err(error) if queue.spawners == 0 => {
            return Err(SystemError::new(
                "start a thread",
                error.raw_os_error().unwrap_or(0),
            ));
        }
        // The one that is there does the work alone.
        Err(_) => {}
    }
    Ok(())
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
            task();
            queue = lock();
        }
        queue.idle += 1;
        queue = ADDED.wait(queue).unwrap_or_else(PoisonError::into_inner);
        queue.idle -= 1;
    }
}
