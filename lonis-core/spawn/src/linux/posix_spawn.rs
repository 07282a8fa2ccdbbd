//! The `posix-spawn` backend: the C library's own fast path, for systems that refuse `clone3`.
//!
//! It sets what the library can set before the program starts, and what the system can set on a running process right
//! after; the rest is left out, as [`Isolation`] and [`Request`](super::Request) say.

use std::{
    ffi::{CStr, OsStr, c_int, c_short},
    fs, io, mem,
    os::fd::{FromRawFd, OwnedFd, RawFd},
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr,
};

use super::{
    Backend, Group, Isolation, Namespaces, SpawnError, Started, Step, start::Start, step::done,
};

pub(super) fn spawn(start: &Start<'_>) -> Result<Started, SpawnError> {
    let asks_more = start.request.control_group.is_some() || start.report.is_some();
    if asks_more || start.request.namespaces != Namespaces::default() {
        return Err(SpawnError::new(Step::Start, libc::ENOSYS));
    }
    let pid = match start.fault {
        Some(fault) => return Err(fault),
        None => posix_spawn(start)?,
    };
    match open_pidfd(pid).and_then(|pidfd| set_late(pid, start.isolation).map(|()| pidfd)) {
        Ok(pidfd) => Ok(Started::new(pid, pidfd, Backend::PosixSpawn)),
        Err(error) => {
            // SAFETY: the child is not reaped, so the number is its own until the second call has reaped it.
            unsafe {
                libc::kill(pid, libc::SIGKILL);
                libc::waitpid(pid, ptr::null_mut(), 0);
            }
            Err(error)
        }
    }
}

fn posix_spawn(start: &Start<'_>) -> Result<libc::pid_t, SpawnError> {
    let mut pid = 0;
    let directory = start.request.directory;
    let arguments = ptr::with_exposed_provenance(start.arguments.address());
    let environment = ptr::with_exposed_provenance(start.environment.address());
    // SAFETY: all records are initialised before they are used and destroyed once after it. The program is a C string,
    // both lists hold C strings that are only read and end in a null, and all of it outlives the calls.
    let errno = unsafe {
        let (mut attributes, mut actions, mut signals) =
            (mem::zeroed(), mem::zeroed(), mem::zeroed());
        libc::posix_spawnattr_init(&raw mut attributes);
        libc::posix_spawn_file_actions_init(&raw mut actions);
        libc::sigemptyset(&raw mut signals);
        libc::posix_spawnattr_setsigmask(&raw mut attributes, &raw const signals);
        libc::sigfillset(&raw mut signals);
        if start.isolation.keep_hangup {
            libc::sigdelset(&raw mut signals, libc::SIGHUP);
        }
        libc::posix_spawnattr_setsigdefault(&raw mut attributes, &raw const signals);
        libc::posix_spawnattr_setflags(&raw mut attributes, flags(start.isolation.group));
        let mut errno = 0;
        for (source, target) in start.stdio.into_iter().zip(0..) {
            errno |= libc::posix_spawn_file_actions_adddup2(&raw mut actions, source, target);
        }
        if let Some(path) = directory {
            errno |= libc::posix_spawn_file_actions_addchdir_np(&raw mut actions, path.as_ptr());
        }
        errno |= close_others(&mut actions);
        if errno == 0 {
            let (program, pid) = (start.program.as_ptr(), &raw mut pid);
            let (actions, attributes) = (&raw const actions, &raw const attributes);
            errno = libc::posix_spawn(pid, program, actions, attributes, arguments, environment);
        }
        libc::posix_spawn_file_actions_destroy(&raw mut actions);
        libc::posix_spawnattr_destroy(&raw mut attributes);
        errno
    };
    match errno {
        0 => Ok(pid),
        errno => Err(SpawnError::new(blame(errno, directory), errno)),
    }
}

fn flags(group: Group) -> c_short {
    let group = match group {
        Group::Session => c_int::from(libc::POSIX_SPAWN_SETSID),
        Group::SharedTerminal => libc::POSIX_SPAWN_SETPGROUP,
    };
    let flags = libc::POSIX_SPAWN_SETSIGDEF | libc::POSIX_SPAWN_SETSIGMASK | group;
    c_short::try_from(flags).expect("the library takes its flags in this type")
}

/// Closes everything above stdio; the record must be initialised.
#[cfg(target_env = "gnu")]
unsafe fn close_others(actions: &mut libc::posix_spawn_file_actions_t) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { libc::posix_spawn_file_actions_addclosefrom_np(actions, 3) }
}

/// Closes everything above stdio that is open now; the record must be initialised.
#[cfg(not(target_env = "gnu"))]
unsafe fn close_others(actions: &mut libc::posix_spawn_file_actions_t) -> c_int {
    // SAFETY: as the caller promises.
    let close = |number| unsafe { libc::posix_spawn_file_actions_addclose(actions, number) };
    match super::start::open_above_stdio() {
        Ok(open) => open
            .into_iter()
            .map(close)
            .fold(0, |first, errno| first | errno),
        Err(error) => error.errno(),
    }
}

/// The library gives an error number and no step, so the step is found by looking.
fn blame(errno: c_int, directory: Option<&CStr>) -> Step {
    let enter = |path: &CStr| fs::metadata(Path::new(OsStr::from_bytes(path.to_bytes())).join("."));
    match directory.map(enter) {
        _ if errno == libc::EAGAIN => Step::Start,
        Some(Err(_)) => Step::Directory,
        _ => Step::Exec,
    }
}

fn open_pidfd(pid: libc::pid_t) -> Result<OwnedFd, SpawnError> {
    // SAFETY: takes no pointer; the child is not reaped, so the number is its own.
    match RawFd::try_from(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) }) {
        // SAFETY: the system has just opened it, and nobody else owns it.
        Ok(pidfd @ 0..) => Ok(unsafe { OwnedFd::from_raw_fd(pidfd) }),
        _ => Err(SpawnError::at(Step::Pidfd)(io::Error::last_os_error())),
    }
}

fn set_late(pid: libc::pid_t, isolation: &Isolation) -> Result<(), SpawnError> {
    for limit in &isolation.limits {
        limit.apply_to(pid).map_err(SpawnError::at(Step::Limits))?;
    }
    if let Some(score) = isolation.oom_score {
        let file = format!("/proc/{pid}/oom_score_adj");
        fs::write(file, score.to_string()).map_err(SpawnError::at(Step::OomScore))?;
    }
    let Some(nice) = isolation.nice else {
        return Ok(());
    };
    // SAFETY: takes no pointer; the child is not reaped, so the number is its own.
    let answer = unsafe { libc::setpriority(libc::PRIO_PROCESS, pid.cast_unsigned(), nice.into()) };
    done(answer).map_err(SpawnError::at(Step::Nice))
}
