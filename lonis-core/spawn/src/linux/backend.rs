use std::{io, sync::OnceLock};

/// The way in which a child is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// The `clone3` system call, with everything set before the program starts.
    Clone3,
    /// The C library's `posix_spawn`, where `clone3` is refused or this architecture has no entry code for it.
    PosixSpawn,
}

impl Backend {
    /// The backend of every plan that asks for none, decided once per process.
    pub fn chosen() -> Self {
        static CHOSEN: OnceLock<Backend> = OnceLock::new();
        *CHOSEN.get_or_init(|| {
            // A call without arguments starts nothing: a system that has it finds them invalid.
            // SAFETY: no pointer is followed for a size of zero.
            unsafe { libc::syscall(libc::SYS_clone3, 0_usize, 0_usize) };
            let answer = io::Error::last_os_error().raw_os_error();
            let refused = matches!(answer, Some(libc::ENOSYS | libc::EPERM));
            let has_entry = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
            if has_entry && !refused {
                Self::Clone3
            } else {
                Self::PosixSpawn
            }
        })
    }
}
