//! The `posix-spawn` backend: the C library's own fast path, for systems that refuse `clone3`.
//!
//! It sets what the library can set before the program starts, and what the system can set on a running process right after.
//! [`Backend::enforcement`] says which is which, and what is left.

use std::{
    ffi::{CStr, c_int, c_short},
    fs,
    mem::MaybeUninit,
    os::fd::{FromRawFd, OwnedFd},
};

use crate::{
    backend::Backend,
    isolation::{Group, Isolation, Namespaces},
    plan::Plan,
    signal::{Signal, empty_set},
    spawn::{Lifted, Request},
    started::Started,
    step::{SpawnError, Step},
};

pub(crate) fn spawn(
    plan: &Plan,
    request: &Request<'_>,
    lifted: &Lifted,
    fault: Option<SpawnError>,
) -> Result<Started, SpawnError> {
    if let Some(fault) = fault {
        return Err(fault);
    }
    if request.control_group.is_some() || request.namespaces != Namespaces::default() {
        return Err(SpawnError::new(Step::Start, libc::ENOSYS));
    }
    let isolation = request.isolation.unwrap_or(&plan.isolation);
    let directory = request.directory.or(plan.directory.as_deref());
    let attributes = Attributes::new(isolation)?;
    let actions = Actions::new(lifted, directory)?;
    let arguments = request.arguments.unwrap_or(&plan.arguments);
    let environment = request.environment.unwrap_or(&plan.environment);
    let mut pid = 0;
    // SAFETY: the program is a C string, both lists end in a null and hold C strings that are only read, and attributes and
    // actions are initialised; all of them outlive the call.
    let errno = unsafe {
        libc::posix_spawn(
            &raw mut pid,
            plan.program.as_ptr(),
            &raw const actions.0,
            &raw const attributes.0,
            arguments.as_ptr().cast(),
            environment.as_ptr().cast(),
        )
    };
    if errno != 0 {
        return Err(SpawnError::new(blame(errno, directory), errno));
    }
    let started = Started::new(pid, open_pidfd(pid)?, Backend::PosixSpawn);
    match set_late(pid, isolation) {
        Ok(()) => Ok(started),
        Err(error) => {
            // It holds to its end; the error that matters is the first one.
            let _ = started.signal(Signal::KILL);
            let _ = started.reap();
            Err(error)
        }
    }
}

/// The library gives an error number and no step, so the step is found by looking.
fn blame(errno: c_int, directory: Option<&CStr>) -> Step {
    let enterable = |directory: &CStr| {
        let directory = [directory.to_bytes(), b"/.\0"].concat();
        // SAFETY: a text that ends in a zero byte and outlives the call.
        unsafe { libc::access(directory.as_ptr().cast(), libc::X_OK) == 0 }
    };
    match errno {
        libc::EAGAIN | libc::ENOSYS => Step::Start,
        _ if directory.is_some_and(|directory| !enterable(directory)) => Step::Directory,
        _ => Step::Exec,
    }
}

fn open_pidfd(pid: libc::pid_t) -> Result<OwnedFd, SpawnError> {
    // SAFETY: takes no pointer; the child is not reaped, so the number is its own.
    let answer = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    let Ok(descriptor @ 0..) = c_int::try_from(answer) else {
        let error = SpawnError::last(Step::Pidfd);
        let no_status = std::ptr::null_mut();
        // SAFETY: still the child's own number until the second call has reaped it.
        unsafe {
            libc::kill(pid, libc::SIGKILL);
            libc::waitpid(pid, no_status, 0);
        }
        return Err(error);
    };
    // SAFETY: the system has just opened it, and nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

fn set_late(pid: libc::pid_t, isolation: &Isolation) -> Result<(), SpawnError> {
    for limit in &isolation.limits {
        limit
            .apply_to(pid)
            .map_err(|error| SpawnError::from_io(Step::Limits, &error))?;
    }
    if let Some(score) = isolation.oom_score {
        let written = fs::write(format!("/proc/{pid}/oom_score_adj"), score.to_string());
        written.map_err(|error| SpawnError::from_io(Step::OomScore, &error))?;
    }
    let Some(nice) = isolation.nice else {
        return Ok(());
    };
    // SAFETY: takes no pointer; the child is not reaped, so the number is its own.
    match unsafe { libc::setpriority(libc::PRIO_PROCESS, pid.cast_unsigned(), nice.into()) } {
        0 => Ok(()),
        _ => Err(SpawnError::last(Step::Nice)),
    }
}

/// Turns an answer of the library, which is zero or an error number, into a result.
fn checked(step: Step, errno: c_int) -> Result<(), SpawnError> {
    if errno == 0 {
        Ok(())
    } else {
        Err(SpawnError::new(step, errno))
    }
}

struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    fn new(isolation: &Isolation) -> Result<Self, SpawnError> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: the record is valid for writing.
        checked(Step::Start, unsafe {
            libc::posix_spawnattr_init(attributes.as_mut_ptr())
        })?;
        // SAFETY: the call above has initialised it.
        let mut attributes = Self(unsafe { attributes.assume_init() });
        let record = &raw mut attributes.0;
        let mut signals = empty_set();
        // SAFETY: the set and the record are initialised, and the numbers are signals and flags of the library's own.
        unsafe {
            checked(
                Step::Mask,
                libc::posix_spawnattr_setsigmask(record, &raw const signals),
            )?;
            libc::sigfillset(&raw mut signals);
            if isolation.keep_hangup {
                libc::sigdelset(&raw mut signals, libc::SIGHUP);
            }
            checked(
                Step::Signals,
                libc::posix_spawnattr_setsigdefault(record, &raw const signals),
            )?;
            checked(Step::Group, libc::posix_spawnattr_setpgroup(record, 0))?;
            checked(
                Step::Start,
                libc::posix_spawnattr_setflags(record, flags(isolation.group)),
            )?;
        }
        Ok(attributes)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised by `new`, and not used after this.
        unsafe { libc::posix_spawnattr_destroy(&raw mut self.0) };
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

/// What the library does with descriptors and directory, in this order.
struct Actions(libc::posix_spawn_file_actions_t);

impl Actions {
    fn new(lifted: &Lifted, directory: Option<&CStr>) -> Result<Self, SpawnError> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: the record is valid for writing.
        checked(Step::Start, unsafe {
            libc::posix_spawn_file_actions_init(actions.as_mut_ptr())
        })?;
        // SAFETY: the call above has initialised it.
        let mut actions = Self(unsafe { actions.assume_init() });
        let record = &raw mut actions.0;
        for (source, target) in lifted.stdio.into_iter().zip(0..) {
            // SAFETY: the record is initialised.
            let errno = unsafe { libc::posix_spawn_file_actions_adddup2(record, source, target) };
            checked(Step::Stdio, errno)?;
        }
        if let Some(directory) = directory {
            // SAFETY: the record is initialised, and the library copies the path.
            let errno =
                unsafe { libc::posix_spawn_file_actions_addchdir_np(record, directory.as_ptr()) };
            checked(Step::Directory, errno)?;
        }
        actions.close_others()?;
        Ok(actions)
    }

    #[cfg(target_env = "gnu")]
    fn close_others(&mut self) -> Result<(), SpawnError> {
        // SAFETY: the record is initialised.
        let errno = unsafe { libc::posix_spawn_file_actions_addclosefrom_np(&raw mut self.0, 3) };
        checked(Step::Descriptors, errno)
    }

    #[cfg(not(target_env = "gnu"))]
    fn close_others(&mut self) -> Result<(), SpawnError> {
        crate::descriptors::open_above_stdio()?
            .into_iter()
            .try_for_each(|descriptor| {
                // SAFETY: the record is initialised.
                let errno =
                    unsafe { libc::posix_spawn_file_actions_addclose(&raw mut self.0, descriptor) };
                checked(Step::Descriptors, errno)
            })
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: initialised by `new`, and not used after this.
        unsafe { libc::posix_spawn_file_actions_destroy(&raw mut self.0) };
    }
}
