use std::{ffi::CStr, fs, os::fd::RawFd};

use super::{CStrings, Isolation, Request, SpawnError, Step};

/// A request with its plan: all that a backend reads.
pub(super) struct Start<'a> {
    pub(super) request: &'a Request<'a>,
    pub(super) program: &'a CStr,
    pub(super) arguments: &'a CStrings,
    pub(super) environment: &'a CStrings,
    pub(super) isolation: &'a Isolation,
    /// None of them below 3, so that putting one in place never overwrites another.
    pub(super) stdio: [RawFd; 3],
    /// Not among the numbers that the child's descriptors get.
    pub(super) report: Option<RawFd>,
    pub(super) ruleset: Option<RawFd>,
    pub(super) fault: Option<SpawnError>,
}

/// Every open descriptor above stdio at this moment, for systems that cannot close a range.
///
/// One that another thread opens meanwhile, and does not close on exec, is missed; so this is the last way.
pub(super) fn open_above_stdio() -> Result<Vec<RawFd>, SpawnError> {
    let files = fs::read_dir("/proc/self/fd").map_err(SpawnError::at(Step::Descriptors))?;
    let numbers = files.filter_map(|file| file.ok()?.file_name().to_str()?.parse().ok());
    Ok(numbers.filter(|number| *number > 2).collect())
}
