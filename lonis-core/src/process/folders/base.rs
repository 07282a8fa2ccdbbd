//! Where private folders usually are.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::fs::{Access, StatVfsMountFlags, access, statfs, statvfs};

/// A filesystem in memory that most systems have. Making and removing an empty folder there costs a few microseconds;
/// on a disk with a journal the removal waits for whatever else is being written, for milliseconds on a busy machine.
const IN_MEMORY: &str = "/dev/shm";

/// What the kernel calls a filesystem in memory.
const TMPFS_MAGIC: u64 = 0x0102_1994;

/// Room that has to be there, so that a tool which does write into its directory is not the one that fills it.
const LEAST_ROOM_BYTES: u64 = 1 << 30;

/// Returns the directory below which folders of calls are made.
///
/// `TMPDIR` decides if it is set. Else a bare working directory, which hardly any tool writes to, lies in memory where
/// that is as good as a disk; a home and a temporary directory, which are there to be written to, lie on disk.
pub(super) fn usual(with_home: bool) -> &'static Path {
    static TEMPORARY: OnceLock<PathBuf> = OnceLock::new();
    static BARE: OnceLock<PathBuf> = OnceLock::new();
    let temporary = TEMPORARY.get_or_init(env::temp_dir);
    if with_home {
        return temporary;
    }
    BARE.get_or_init(|| {
        let is_chosen = env::var_os("TMPDIR").is_some_and(|path| !path.is_empty());
        let in_memory = Path::new(IN_MEMORY);
        if !is_chosen && is_as_good_as_a_disk(in_memory) {
            in_memory.to_owned()
        } else {
            temporary.clone()
        }
    })
}

/// Tells whether folders in memory have room, may be written to, and can hold programs that are executed.
fn is_as_good_as_a_disk(path: &Path) -> bool {
    let is_in_memory = statfs(path).is_ok_and(|stat| u64::try_from(stat.f_type) == Ok(TMPFS_MAGIC));
    let has_room = statvfs(path).is_ok_and(|stat| {
        !stat.f_flag.contains(StatVfsMountFlags::NOEXEC)
            && stat.f_bavail.saturating_mul(stat.f_frsize) >= LEAST_ROOM_BYTES
    });
    is_in_memory && has_room && access(path, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_on_disk_or_missing_is_not_in_memory() {
        assert!(!is_as_good_as_a_disk(Path::new("/nonexistent")));
        assert!(!is_as_good_as_a_disk(Path::new("/proc")));
        assert!(usual(true).is_absolute() && usual(false).is_absolute());
    }
}
