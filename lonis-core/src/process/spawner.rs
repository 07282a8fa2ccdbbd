//! Threads that do nothing but start programs.
//!
//! A starting thread stands still until the program runs, and a child that is tied to its host is tied to the thread that
//! started it. So whoever must not stand still, or wants a tie that outlives the calling thread, has its programs started
//! here: these threads live as long as the process, and nobody joins them. There are never more than two, however long
//! starts take: what a start waits for on a busy machine is the processor, which further threads would only divide.

use std::collections::VecDeque;
use std::io;
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
    if queue.idle > queue.tasks.len() || queue.spawners >= MOST_SPAWNERS {
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
            task();
            queue = lock();
        }
        queue.idle += 1;
        queue = ADDED.wait(queue).unwrap_or_else(PoisonError::into_inner);
        queue.idle -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn starts_that_take_long_do_not_add_threads() {
        // Every task is held until another one has begun, so that both threads stand in a start while more wait.
        const ROUNDS: usize = 8;
        let pair = Arc::new(Barrier::new(MOST_SPAWNERS));
        let (sender, receiver) = mpsc::channel();
        for _ in 0..ROUNDS * MOST_SPAWNERS {
            ensure_spawner().expect("a thread can be made");
            let (pair, sender) = (Arc::clone(&pair), sender.clone());
            submit(Box::new(move || {
                pair.wait();
                let spawners = lock().spawners;
                sender.send(spawners).expect("the test waits");
            }));
        }
        drop(sender);
        let seen: Vec<_> = receiver.iter().collect();
        assert_eq!(seen, [MOST_SPAWNERS; ROUNDS * MOST_SPAWNERS]);
    }
}
