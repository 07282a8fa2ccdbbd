use std::sync::atomic::{AtomicU8, Ordering};

/// The way in which a child is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// The `clone3` system call, with everything set before the program starts.
    Clone3,
    /// The C library's `posix_spawn`, where `clone3` is refused or this architecture has no entry code for it.
    PosixSpawn,
}

/// Something that a start asks for and that not every backend can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Setting {
    /// `Isolation::umask`.
    Umask,
    /// `Isolation::oom_score`.
    OomScore,
    /// `Isolation::nice`.
    Nice,
    /// `Isolation::limits`.
    Limits,
    /// `Isolation::no_new_privileges`.
    NoNewPrivileges,
    /// `Request::ruleset`.
    Landlock,
    /// `Request::parent_death`.
    ParentDeath,
    /// `Request::control_group` and `Request::namespaces`; a start that asks for one fails where it is missing.
    Containment,
}

/// When a [`Setting`] holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enforcement {
    /// From the program's first instruction on.
    BeforeStart,
    /// From shortly after its start on.
    Late,
    /// Never.
    Missing,
}

/// The backend of this process: none yet, or one of the two.
static CHOSEN: AtomicU8 = AtomicU8::new(UNDECIDED);
const UNDECIDED: u8 = 0;
const CLONE3: u8 = 1;
const POSIX_SPAWN: u8 = 2;

impl Backend {
    /// The backend of every plan that asks for none, decided once per process.
    pub fn chosen() -> Self {
        match CHOSEN.load(Ordering::Relaxed) {
            CLONE3 => Self::Clone3,
            POSIX_SPAWN => Self::PosixSpawn,
            _ => Self::found().choose(),
        }
    }

    /// When a setting holds for a child of this backend.
    pub const fn enforcement(self, setting: Setting) -> Enforcement {
        match (self, setting) {
            (Self::Clone3, _) => Enforcement::BeforeStart,
            (Self::PosixSpawn, Setting::OomScore | Setting::Nice | Setting::Limits) => {
                Enforcement::Late
            }
            (Self::PosixSpawn, _) => Enforcement::Missing,
        }
    }

    pub(crate) fn choose(self) -> Self {
        let code = if self == Self::Clone3 {
            CLONE3
        } else {
            POSIX_SPAWN
        };
        CHOSEN.store(code, Ordering::Relaxed);
        self
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn found() -> Self {
        // Without arguments the call starts nothing: a system that has it calls them invalid.
        // SAFETY: no pointer is followed for a size of zero.
        let answer = unsafe { libc::syscall(libc::SYS_clone3, std::ptr::null::<u64>(), 0) };
        debug_assert_eq!(answer, -1, "a start without arguments cannot work");
        match std::io::Error::last_os_error().raw_os_error() {
            Some(libc::ENOSYS | libc::EPERM) => Self::PosixSpawn,
            _ => Self::Clone3,
        }
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn found() -> Self {
        Self::PosixSpawn
    }
}
