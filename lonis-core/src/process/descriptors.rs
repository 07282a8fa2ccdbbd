//! The soft limit on descriptors of this process, and of the tools that it starts.

use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::system_error::SystemError;

/// Enough for sixteen thousand calls at one time; more makes programs slow that close every number there could be.
const MOST_DESCRIPTORS: u64 = 65_536;

/// The soft limit before it was raised.
static BEFORE: OnceLock<u64> = OnceLock::new();

/// Raises the soft limit of this process, so that many calls can be alive at one time. Tools keep the one before.
///
/// It is for programs that own their process: a library has no say in this.
///
/// # Units and bounds
/// Up to 65 536, or the hard limit where that is lower; a soft limit that is higher is left as it is.
///
/// # Errors
/// The system's own.
pub fn raise_descriptor_limit() -> Result<(), SystemError> {
    let present = getrlimit(Resource::Nofile);
    let wanted = present
        .maximum
        .map_or(MOST_DESCRIPTORS, |hard| hard.min(MOST_DESCRIPTORS));
    let Some(soft) = present.current.filter(|soft| *soft < wanted) else {
        return Ok(());
    };
    BEFORE.get_or_init(|| soft);
    let raised = Rlimit {
        current: Some(wanted),
        maximum: present.maximum,
    };
    setrlimit(Resource::Nofile, raised)
        .map_err(|error| SystemError::of("raise the limit on descriptors", error))
}

/// Returns the soft limit that tools get in place of a raised one.
pub(crate) fn limit_before() -> Option<u64> {
    BEFORE.get().copied()
}
