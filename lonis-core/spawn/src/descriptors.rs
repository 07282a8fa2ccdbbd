use std::{fs, os::fd::RawFd, sync::OnceLock};

use crate::step::{SpawnError, Step};

/// What has to be closed one by one: every open descriptor above stdio where the system cannot close a range, else nothing.
///
/// A descriptor that another thread opens meanwhile, and forgets to close on exec, is missed; that is why this is the last way.
pub(crate) fn listed_for_closing() -> Result<Vec<RawFd>, SpawnError> {
    static RANGE_WORKS: OnceLock<bool> = OnceLock::new();
    // Nothing is open at the very end of the range, so asking closes nothing.
    // SAFETY: takes no pointer.
    let works = || unsafe { libc::syscall(libc::SYS_close_range, u32::MAX, u32::MAX, 0) } == 0;
    if *RANGE_WORKS.get_or_init(works) {
        Ok(Vec::new())
    } else {
        open_above_stdio()
    }
}

/// Every open descriptor above stdio at this moment.
pub(crate) fn open_above_stdio() -> Result<Vec<RawFd>, SpawnError> {
    let unreadable = |error| SpawnError::from_io(Step::Descriptors, &error);
    let mut open = Vec::new();
    for entry in fs::read_dir("/proc/self/fd").map_err(unreadable)? {
        let number = entry.map_err(unreadable)?.file_name();
        open.extend(
            number
                .to_str()
                .and_then(|number| number.parse::<RawFd>().ok())
                .filter(|number| *number > 2),
        );
    }
    Ok(open)
}
