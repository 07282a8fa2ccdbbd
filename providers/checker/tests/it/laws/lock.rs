//! Laws of reading and writing locks.

use soil::lock::Lock;

/// Checks the laws on any text.
///
/// # Panics
/// Where one does not hold.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(lock) = Lock::read(bytes) else {
        return;
    };
    // What may not be written is refused, whatever was read.
    let Ok(text) = lock.write(|_| true) else {
        return;
    };
    let again = Lock::read(text.as_bytes()).expect("what is written reads");
    assert_eq!(again, lock, "{text}");
    assert_eq!(again.write(|_| true).ok(), Some(text));
}
