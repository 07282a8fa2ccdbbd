//! The threads of a walk: each takes one directory after the other, and what they found is put together in order.

use std::num::NonZero;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::{Directory, Ground, Walk};
use crate::file_set::{FileSet, FileSetError, Member};

/// From so many waiting directories on, more threads are worth their start.
const HELPED_FROM: usize = 16;

/// More threads than this only wait for the file system.
const MAX_THREADS: usize = 8;

/// What was found in one directory.
#[derive(Default)]
struct Part {
    set: FileSet,
    /// The directories in it by their number, each with the number of members that come before it.
    below: Vec<(usize, usize)>,
}

#[derive(Default)]
struct State {
    /// Directories that nobody has taken yet.
    open: Vec<(usize, Directory)>,
    /// How many are being looked at.
    taken: usize,
    /// By the number of the directory.
    parts: Vec<Part>,
    failure: Option<FileSetError>,
    /// Whether nothing more is to be taken: after a failure, and where a thread panicked.
    is_over: bool,
}

#[derive(Default)]
struct Crew {
    state: Mutex<State>,
    /// There are directories to take, or there will be no more.
    changed: Condvar,
}

/// Walks all that lies below a directory. After a failure the set is what was found until then.
pub(super) fn all(ground: &Ground<'_>, first: Directory) -> (FileSet, Option<FileSetError>) {
    let crew = Crew::default();
    crew.lock().add(first);
    crew.work(ground, HELPED_FROM);
    if crew.lock().open.len() >= HELPED_FROM {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        // They are joined at the end of the scope, when there is nothing left to take.
        thread::scope(|scope| {
            for _ in 1..threads.min(MAX_THREADS) {
                let work = || crew.work(ground, usize::MAX);
                // Where the system makes no more threads, this one walks alone.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            crew.work(ground, usize::MAX);
        });
    }
    let state = crew.state.into_inner();
    let State { parts, failure, .. } = state.unwrap_or_else(PoisonError::into_inner);
    (joined(parts), failure)
}

impl Crew {
    /// A thread that panicked held no lock; its panic goes on when it is joined.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes directories until there are no more, none is to be looked at, or so many wait that help is wanted.
    fn work(&self, ground: &Ground<'_>, helped_from: usize) {
        let mut state = self.lock();
        loop {
            if state.is_over || state.open.len() >= helped_from {
                break;
            }
            let Some((number, directory)) = state.open.pop() else {
                if state.taken == 0 {
                    break;
                }
                let waited = self.changed.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.taken += 1;
            drop(state);
            let mut walk = Walk {
                ground,
                set: FileSet::default(),
                below: Vec::new(),
            };
            let guard = OnPanic(self);
            let looked = walk.directory(directory);
            drop(guard);
            state = self.lock();
            state.taken -= 1;
            let is_more = walk.below.len() > 1;
            state.put(number, walk);
            if let Err(failure) = looked {
                state.failure.get_or_insert(failure);
                state.is_over = true;
            }
            if is_more || state.open.is_empty() || state.is_over {
                self.changed.notify_all();
            }
        }
        self.changed.notify_all();
    }
}

/// Lets the other threads go home where this one panics: what it has taken is never put back.
struct OnPanic<'c>(&'c Crew);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().is_over = true;
            self.0.changed.notify_all();
        }
    }
}

impl State {
    fn add(&mut self, directory: Directory) -> usize {
        let number = self.parts.len();
        self.parts.push(Part::default());
        self.open.push((number, directory));
        number
    }

    fn put(&mut self, number: usize, walk: Walk<'_>) {
        let below = walk.below.into_iter();
        let below = below.map(|(place, directory)| (place, self.add(directory)));
        let below = below.collect();
        self.parts[number] = Part {
            set: walk.set,
            below,
        };
    }
}

/// All parts as one set, its members in the order of their paths: in a directory its names ascend, those of directories with their
/// slash, and so do the paths.
fn joined(mut parts: Vec<Part>) -> FileSet {
    let mut set = FileSet::default();
    let count = parts.iter().map(|part| part.set.members.len()).sum();
    set.members = Vec::with_capacity(count);
    let mut take = |number: usize, set: &mut FileSet| {
        let part: Part = std::mem::take(&mut parts[number]);
        set.excluded.extend(part.set.excluded);
        set.boundaries.extend(part.set.boundaries);
        let members = part.set.members.into_iter().enumerate().peekable();
        (members, part.below.into_iter().peekable())
    };
    let mut around = vec![take(0, &mut set)];
    while let Some((members, below)) = around.last_mut() {
        let place = members.peek().map_or(usize::MAX, |(place, _)| *place);
        if let Some((_, number)) = below.next_if(|(before, _)| *before <= place) {
            around.push(take(number, &mut set));
        } else if let Some((_, member)) = members.next() {
            set.members.push(member);
        } else {
            around.pop();
        }
    }
    let ascend = |left: &Member, right: &Member| left.path <= right.path;
    if !set.members.is_sorted_by(ascend) {
        set.members
            .sort_unstable_by(|left, right| left.path.cmp(&right.path));
    }
    set
}
