//! Dropping deep values on a flat stack.

use std::cell::{Cell, RefCell};

use super::Value;

/// How many drops may stand within each other before the rest waits its turn.
///
/// Deep enough that ordinary values are dropped directly, far below what the smallest thread stack holds.
const MAX_NESTED: u32 = 64;

thread_local! {
    static NESTED: Cell<u32> = const { Cell::new(0) };
    static WAITING: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// Drops the parts of a thing that is being dropped.
///
/// A list of a million cells holds a chain of a million drops. Beyond a few levels the parts are put aside, and the outermost
/// drop takes them from there.
pub(super) fn release(parts: impl Iterator<Item = Value>) {
    let level = NESTED.get();
    if level >= MAX_NESTED {
        // Past the end of the thread's own values nothing can be put aside; then the parts are dropped here.
        let mut parts = Some(parts);
        let put_aside = WAITING.try_with(|waiting| {
            if let Some(parts) = parts.take() {
                waiting.borrow_mut().extend(parts);
            }
        });
        if put_aside.is_ok() {
            return;
        }
        parts.into_iter().flatten().for_each(drop);
        return;
    }
    NESTED.set(level + 1);
    parts.for_each(drop);
    if level == 0 {
        // The borrow ends before the drop, which may put further parts aside.
        while let Some(part) = WAITING
            .try_with(|waiting| waiting.borrow_mut().pop())
            .ok()
            .flatten()
        {
            drop(part);
        }
    }
    NESTED.set(level);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_a_million_is_dropped() {
        let mut chain = Value::Tag(0);
        for _ in 0..1_000_000 {
            chain = Value::variant(1, [Value::list(vec![chain])]);
        }
        drop(chain);
        assert_eq!(NESTED.get(), 0);
        let is_empty = WAITING.with(|waiting| waiting.borrow().is_empty());
        assert!(is_empty);
    }
}
