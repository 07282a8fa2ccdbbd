//! The child's ends of its pipes, at low numbers where a thread keeps some for them.
//!
//! A child gets copies of its host's descriptors up to the highest that it needs. With a thousand calls alive those are
//! thousands, and copying and closing them costs more than everything else of a start. So a thread that starts many
//! programs keeps three numbers from before there were so many.

use std::cell::Cell;
use std::ops::Deref;
use std::os::fd::OwnedFd;

use rustix::event::{EventfdFlags, eventfd};
use rustix::io::{DupFlags, Result, dup3};

use super::pipes::Ends;

thread_local! {
    static KEPT: Cell<Option<Kept>> = const { Cell::new(None) };
}

/// Three numbers, and what holds them while nothing is started.
struct Kept {
    holder: OwnedFd,
    ends: Ends,
}

/// The ends that a child is started with, closed on drop.
pub(crate) struct ChildEnds(Place);

enum Place {
    Own(Ends),
    /// Present until the drop.
    Kept(Option<Kept>),
}

/// Keeps three numbers for all that this thread starts from here on.
pub(crate) fn keep_numbers() {
    // Without them a start takes longer while many calls are alive, and nothing else.
    KEPT.set(Kept::new().ok());
}

impl ChildEnds {
    pub(crate) fn new(ends: Ends) -> Self {
        let Some(mut kept) = KEPT.take() else {
            return Self(Place::Own(ends));
        };
        let sources = [&ends.stdin, &ends.stdout, &ends.stderr];
        match fill(&mut kept.ends, sources) {
            Ok(()) => Self(Place::Kept(Some(kept))),
            // What was copied by then is closed with the numbers.
            Err(_) => Self(Place::Own(ends)),
        }
    }
}

impl Deref for ChildEnds {
    type Target = Ends;

    fn deref(&self) -> &Ends {
        match &self.0 {
            Place::Own(ends) => ends,
            Place::Kept(kept) => &kept.as_ref().expect("only the drop takes them out").ends,
        }
    }
}

impl Drop for ChildEnds {
    fn drop(&mut self) {
        if let Place::Kept(kept) = &mut self.0
            && let Some(kept) = kept.take()
            && let Ok(empty) = kept.emptied()
        {
            KEPT.set(Some(empty));
        }
    }
}

impl Kept {
    fn new() -> Result<Self> {
        let made = || eventfd(0, EventfdFlags::CLOEXEC);
        let ends = Ends {
            stdin: made()?,
            stdout: made()?,
            stderr: made()?,
        };
        let holder = made()?;
        Ok(Self { holder, ends })
    }

    fn emptied(self) -> Result<Self> {
        let Self { holder, mut ends } = self;
        fill(&mut ends, [&holder; 3])?;
        Ok(Self { holder, ends })
    }
}

/// Puts other descriptors at the numbers of these, which closes what was there.
fn fill(ends: &mut Ends, sources: [&OwnedFd; 3]) -> Result<()> {
    let places = [&mut ends.stdin, &mut ends.stdout, &mut ends.stderr];
    for (source, place) in sources.into_iter().zip(places) {
        dup3(source, place, DupFlags::CLOEXEC)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::thread;

    use super::*;
    use crate::process::pipes::Pipes;

    fn numbers(ends: &Ends) -> [i32; 3] {
        [&ends.stdin, &ends.stdout, &ends.stderr].map(AsRawFd::as_raw_fd)
    }

    fn is_ended(pipe: &OwnedFd) -> bool {
        rustix::io::read(pipe, &mut [0; 1]) == Ok(0)
    }

    #[test]
    fn a_thread_that_keeps_numbers_uses_them_for_every_start_and_closes_what_was_there() {
        let in_thread = || {
            keep_numbers();
            let mut seen = Vec::new();
            for _ in 0..3 {
                let pipes = Pipes::new().expect("pipes");
                let ends = ChildEnds::new(pipes.theirs);
                seen.push(numbers(&ends));
                assert!(!is_ended(&pipes.ours.stdout) && !is_ended(&pipes.ours.stderr));
                drop(ends);
                assert!(is_ended(&pipes.ours.stdout) && is_ended(&pipes.ours.stderr));
            }
            assert!(seen.iter().all(|numbers| *numbers == seen[0]), "{seen:?}");
        };
        thread::spawn(in_thread).join().expect("no panic");
    }

    #[test]
    fn another_thread_uses_the_pipes_as_they_are() {
        let in_thread = || {
            let pipes = Pipes::new().expect("pipes");
            let expected = numbers(&pipes.theirs);
            let ends = ChildEnds::new(pipes.theirs);
            assert_eq!(numbers(&ends), expected);
            drop(ends);
            assert!(is_ended(&pipes.ours.stdout));
        };
        thread::spawn(in_thread).join().expect("no panic");
    }
}
