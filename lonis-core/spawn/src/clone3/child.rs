//! What the child does between its start and its program, step by step.
//!
//! It shares the host's memory and runs on a stack of its own. So everything here is raw system calls on values that the parent
//! has prepared: no allocation, no lock, no environment, no panic, and nothing of the standard library that could do one of them.

use std::{
    ffi::{CStr, c_void},
    os::fd::RawFd,
    ptr,
};

use super::entry::{checked, system_call};
use crate::{
    c_strings::CStrings,
    isolation::{Group, Isolation},
    signal::Signal,
    step::{SpawnError, Step},
};

/// All that the child needs, and the one word that it writes back.
pub(super) struct Orders<'a> {
    pub(super) program: &'a CStr,
    pub(super) arguments: &'a CStrings,
    pub(super) environment: &'a CStrings,
    pub(super) directory: Option<&'a CStr>,
    pub(super) isolation: &'a Isolation,
    pub(super) oom_score: Option<&'a str>,
    pub(super) stdio: [RawFd; 3],
    pub(super) ruleset: Option<RawFd>,
    pub(super) parent_death: Option<Signal>,
    /// The host's number, where the child can see it.
    pub(super) host: Option<libc::pid_t>,
    pub(super) fault: Option<SpawnError>,
    pub(super) failure: Option<SpawnError>,
}

/// The child's first and only function.
///
/// # Safety
/// `orders` must lead to an [`Orders`] that nobody touches until the child has left the shared memory.
pub(super) unsafe extern "C" fn run(orders: *mut c_void) -> ! {
    // SAFETY: as the caller promises; the parent stands still.
    let orders = unsafe { &mut *orders.cast::<Orders<'_>>() };
    // SAFETY: this is the child.
    orders.failure = unsafe { orders.follow() }.err();
    loop {
        // SAFETY: ends this process alone.
        unsafe { system_call(libc::SYS_exit_group, [127, 0, 0, 0, 0]) };
    }
}

impl Orders<'_> {
    /// Takes every step in order; the last one does not return where it succeeds.
    ///
    /// # Safety
    /// Only in a process of its own, since each step changes the whole of it.
    unsafe fn follow(&self) -> Result<(), SpawnError> {
        // SAFETY: the callee asks for no more than this function does.
        unsafe {
            self.default_signals()?;
            self.lead_group()?;
            self.place_stdio()?;
            self.die_with_host()?;
            self.close_others()?;
            self.enter_directory()?;
            self.set_priorities()?;
            self.set_limits()?;
            self.confine()?;
            self.execute()
        }
    }

    unsafe fn default_signals(&self) -> Result<(), SpawnError> {
        // All bits zero is the default action on both architectures.
        let default = [0_u64; 4];
        for signal in 1..=64_i32 {
            let unchangeable = signal == libc::SIGKILL || signal == libc::SIGSTOP;
            if unchangeable || (signal == libc::SIGHUP && self.isolation.keep_hangup) {
                continue;
            }
            // One by one: the flag that clears handlers at the start leaves ignored signals ignored.
            // SAFETY: the action is larger than the system's record and outlives the call.
            unsafe {
                self.call(
                    Step::Signals,
                    libc::SYS_rt_sigaction,
                    [word(signal), address(&default), 0, 8],
                )?;
            };
        }
        Ok(())
    }

    unsafe fn lead_group(&self) -> Result<(), SpawnError> {
        // SAFETY: neither call takes a pointer.
        match self.isolation.group {
            Group::Session => unsafe { self.call(Step::Group, libc::SYS_setsid, []) },
            Group::SharedTerminal => unsafe { self.call(Step::Group, libc::SYS_setpgid, [0, 0]) },
        }
    }

    unsafe fn place_stdio(&self) -> Result<(), SpawnError> {
        let [stdin, stdout, stderr] = self.stdio;
        // No source is below 3, so none is overwritten, and each copy is left open on exec.
        for (source, target) in [(stdin, 0), (stdout, 1), (stderr, 2)] {
            // SAFETY: takes no pointer.
            unsafe { self.call(Step::Stdio, libc::SYS_dup3, [word(source), target, 0])? };
        }
        Ok(())
    }

    unsafe fn die_with_host(&self) -> Result<(), SpawnError> {
        let Some(signal) = self.parent_death else {
            return Ok(());
        };
        let arguments = [word(libc::PR_SET_PDEATHSIG), word(signal.number()), 0, 0, 0];
        // SAFETY: takes no pointer.
        unsafe { self.call(Step::ParentDeath, libc::SYS_prctl, arguments)? };
        // SAFETY: takes no pointer.
        let parent = unsafe { system_call(libc::SYS_getppid, [0; 5]) };
        match self.host {
            // A host that ended before the signal was asked for sends none; nobody reads this error.
            Some(host) if parent != host as isize => {
                Err(SpawnError::new(Step::ParentDeath, libc::ESRCH))
            }
            _ => Ok(()),
        }
    }

    unsafe fn close_others(&self) -> Result<(), SpawnError> {
        let last = word(RawFd::MAX);
        // SAFETY: takes no pointer.
        let close = |from: usize, to: usize| unsafe {
            self.call(Step::Descriptors, libc::SYS_close_range, [from, to, 0])
        };
        let Some(ruleset) = self.ruleset.map(word) else {
            return close(3, last);
        };
        if ruleset > 3 {
            close(3, ruleset.wrapping_sub(1))?;
        }
        close(ruleset.wrapping_add(1), last)
    }

    unsafe fn enter_directory(&self) -> Result<(), SpawnError> {
        // SAFETY: takes no pointer and cannot fail.
        unsafe {
            self.call(
                Step::Directory,
                libc::SYS_umask,
                [self.isolation.umask as usize],
            )?;
        };
        let Some(directory) = self.directory else {
            return Ok(());
        };
        // SAFETY: a C string that outlives the call.
        unsafe {
            self.call(
                Step::Directory,
                libc::SYS_chdir,
                [directory.as_ptr().expose_provenance()],
            )
        }
    }

    unsafe fn set_priorities(&self) -> Result<(), SpawnError> {
        if let Some(score) = self.oom_score {
            let path = address(c"/proc/self/oom_score_adj".to_bytes_with_nul());
            let arguments = [
                word(libc::AT_FDCWD),
                path,
                word(libc::O_WRONLY | libc::O_CLOEXEC),
                0,
            ];
            // SAFETY: a C string that outlives the call.
            let file = unsafe { self.answer(Step::OomScore, libc::SYS_openat, arguments)? };
            // SAFETY: the text is valid for its length. The descriptor closes on exec.
            unsafe {
                self.call(
                    Step::OomScore,
                    libc::SYS_write,
                    [file, address(score.as_bytes()), score.len()],
                )?;
            };
        }
        let Some(nice) = self.isolation.nice else {
            return Ok(());
        };
        // SAFETY: takes no pointer.
        unsafe {
            self.call(
                Step::Nice,
                libc::SYS_setpriority,
                [libc::PRIO_PROCESS as usize, 0, word(nice.into())],
            )
        }
    }

    unsafe fn set_limits(&self) -> Result<(), SpawnError> {
        for limit in &self.isolation.limits {
            let both = [limit.value; 2];
            let arguments = [0, limit.resource.number() as usize, address(&both), 0];
            // SAFETY: the pair is the system's record of a soft and a hard limit; no old one is asked for.
            unsafe { self.call(Step::Limits, libc::SYS_prlimit64, arguments)? };
        }
        Ok(())
    }

    unsafe fn confine(&self) -> Result<(), SpawnError> {
        if self.isolation.no_new_privileges {
            let arguments = [word(libc::PR_SET_NO_NEW_PRIVS), 1, 0, 0, 0];
            // SAFETY: takes no pointer.
            unsafe { self.call(Step::NoNewPrivileges, libc::SYS_prctl, arguments)? };
        }
        let Some(ruleset) = self.ruleset else {
            return Ok(());
        };
        // SAFETY: takes no pointer.
        unsafe {
            self.call(
                Step::Landlock,
                libc::SYS_landlock_restrict_self,
                [word(ruleset), 0],
            )
        }
    }

    unsafe fn execute(&self) -> Result<(), SpawnError> {
        let none = 0_u64;
        let arguments = [libc::SIG_SETMASK as usize, address(&[none]), 0, 8];
        // SAFETY: the mask is valid for the eight bytes that the last argument names.
        unsafe { self.call(Step::Mask, libc::SYS_rt_sigprocmask, arguments)? };
        let (list, environment) = (self.arguments.as_ptr(), self.environment.as_ptr());
        let arguments = [
            self.program.as_ptr().expose_provenance(),
            list.expose_provenance(),
            environment.expose_provenance(),
        ];
        // SAFETY: a C string and two lists of them that end in a null.
        unsafe { self.call(Step::Exec, libc::SYS_execve, arguments) }
    }

    /// A call whose answer says no more than that it worked.
    ///
    /// # Safety
    /// The arguments must be valid for that call.
    unsafe fn call<const N: usize>(
        &self,
        step: Step,
        number: i64,
        arguments: [usize; N],
    ) -> Result<(), SpawnError> {
        // SAFETY: as the caller promises.
        unsafe { self.answer(step, number, arguments) }.map(|_| ())
    }

    /// The one place where the child meets the system, and where a test puts itself between them.
    ///
    /// # Safety
    /// The arguments must be valid for that call.
    unsafe fn answer<const N: usize>(
        &self,
        step: Step,
        number: i64,
        arguments: [usize; N],
    ) -> Result<usize, SpawnError> {
        if let Some(fault) = self.fault
            && fault.step() == step
        {
            return Err(fault);
        }
        let mut padded = [0; 5];
        for (place, argument) in padded.iter_mut().zip(arguments) {
            *place = argument;
        }
        // SAFETY: as the caller promises.
        checked(unsafe { system_call(number, padded) })
            .map_err(|errno| SpawnError::new(step, errno))
    }
}

/// An `int` as the system reads it from a register.
const fn word(value: i32) -> usize {
    (value as isize).cast_unsigned()
}

fn address<T>(values: &[T]) -> usize {
    ptr::from_ref(values).expose_provenance()
}
