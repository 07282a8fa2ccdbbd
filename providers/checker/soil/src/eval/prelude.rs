//! The prelude as a checked program.

use std::sync::LazyLock;

use crate::check::{CheckOptions, Checked, Depth, check};
use crate::program::prelude;

static CHECKED: LazyLock<Checked<'static>> = LazyLock::new(|| {
    check(
        prelude(),
        CheckOptions {
            depth: Depth::Matches,
            is_rich: false,
        },
    )
});

/// Gives what is known of the prelude.
pub(super) fn checked_prelude() -> &'static Checked<'static> {
    &CHECKED
}
