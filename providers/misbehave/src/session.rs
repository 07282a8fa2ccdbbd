//! The group and the session a process belongs to.
//!
//! The safe wrappers of `getpgid` and `getsid` know no 0, which is what a container sees of a group or session that was
//! started outside its PID namespace; so the kernel's own text is read.

/// The process group: the process id of its leader, 0 when the leader stands outside the PID namespace.
///
/// `None` where the process has ended or the platform has no `/proc`.
#[must_use]
pub fn group_of(pid: i32) -> Option<i32> {
    stat_field(pid, 2)
}

/// The session: the process id of its leader, 0 when the leader stands outside the PID namespace.
///
/// `None` where the process has ended or the platform has no `/proc`.
#[must_use]
pub fn session_of(pid: i32) -> Option<i32> {
    stat_field(pid, 3)
}

/// A field of `/proc/PID/stat`, counted from the one behind the name.
fn stat_field(pid: i32, index: usize) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program may hold anything, a bracket and blanks too: what counts comes after its last bracket.
    let (_, after) = stat.rsplit_once(')')?;
    after.split_ascii_whitespace().nth(index)?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{group_of, session_of};

    #[test]
    fn a_running_process_has_both_and_an_impossible_one_neither() {
        let own = std::process::id().cast_signed();
        assert!(group_of(own).is_some() && session_of(own).is_some());
        assert_eq!((group_of(i32::MAX), session_of(i32::MAX)), (None, None));
    }
}
