//! Names that nobody else has.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Returns a name that was not given before and cannot be guessed, so that it cannot be taken in advance.
pub(super) fn unused() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    static SEED: OnceLock<RandomState> = OnceLock::new();
    let mut hasher = SEED.get_or_init(RandomState::new).build_hasher();
    hasher.write_u64(NUMBER.fetch_add(1, Ordering::Relaxed));
    format!("lonis-{:016x}", hasher.finish())
}
