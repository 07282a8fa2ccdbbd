//! Which starts are under way in this process.
//!
//! Until its program runs, a child has copies of all descriptors of its host, the ends of other calls' pipes among them.
//! On a busy machine that can last longer than a drain, and a pipe that is held open so is not held by the call's own
//! tree.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

struct UnderWay {
    next: u64,
    numbers: BTreeSet<u64>,
}

static UNDER_WAY: Mutex<UnderWay> = Mutex::new(UnderWay {
    next: 0,
    numbers: BTreeSet::new(),
});

fn lock() -> MutexGuard<'static, UnderWay> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One start, from before its child exists until its program runs or it has failed.
pub(crate) struct Start(u64);

impl Start {
    pub(crate) fn begin() -> Self {
        let mut under_way = lock();
        let number = under_way.next;
        under_way.next += 1;
        under_way.numbers.insert(number);
        Self(number)
    }
}

impl Drop for Start {
    fn drop(&mut self) {
        lock().numbers.remove(&self.0);
    }
}

/// The starts whose children may have copies of a call's pipes.
#[derive(Debug, Default)]
pub(crate) struct Suspects(Vec<u64>);

impl Suspects {
    /// Returns the starts that are under way. Later ones copy nothing that is closed here by now.
    pub(crate) fn present() -> Self {
        Self(lock().numbers.iter().copied().collect())
    }

    /// Returns whether one of them is still under way, and forgets those that are not.
    pub(crate) fn are_under_way(&mut self) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let under_way = lock();
        self.0.retain(|number| under_way.numbers.contains(number));
        !self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_that_were_under_way_are_suspects() {
        let before = Start::begin();
        let mut suspects = Suspects::present();
        let after = Start::begin();
        assert!(suspects.are_under_way());
        drop(before);
        // Starts of other tests may be among them, and end.
        let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while suspects.are_under_way() {
            assert!(
                std::time::Instant::now() < until,
                "the later one is no suspect"
            );
            std::thread::yield_now();
        }
        drop(after);
    }
}
