//! Steps: what loops over the parts of a file take, counted in tests alone, so that a bound is held by a count and not by a time.

#[cfg(test)]
thread_local! {
    static TAKEN: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts steps of this thread.
#[inline]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    TAKEN.set(TAKEN.get() + steps);
    #[cfg(not(test))]
    let _ = steps;
}

/// The steps that something takes.
#[cfg(test)]
pub(crate) fn taken(act: impl FnOnce()) -> usize {
    let before = TAKEN.get();
    act();
    TAKEN.get() - before
}
