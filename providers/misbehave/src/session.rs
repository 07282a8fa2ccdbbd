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
    fn a_child_stands_where_its_parent_does() {
        let own = session_of(std::process::id().cast_signed()).expect("a running process has one");
        let mut child = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .expect("cat is there");
        let pid = child.id().cast_signed();
        assert_eq!(session_of(pid), Some(own));
        assert_eq!(group_of(pid), group_of(std::process::id().cast_signed()));
        drop(child.stdin.take());
        child.wait().expect("it ends with its input");
        assert_eq!(session_of(pid), None);
    }
}
