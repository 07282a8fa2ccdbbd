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
    pub(super) oom_score: Option<String>,
    /// The maps of a new user namespace: the host's user and group, under their own numbers.
    pub(super) identity: Option<[String; 2]>,
    pub(super) stdio: [RawFd; 3],
    pub(super) ruleset: Option<RawFd>,
    /// What is closed one by one; empty where the system closes a range.
    pub(super) listed: Vec<RawFd>,
    pub(super) parent_death: Option<Signal>,
    /// The host's number, where the child can see it.
    pub(super) host: Option<u32>,
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
        // SAFETY: the steps ask for no more than this function does.
        unsafe {
            self.default_signals()?;
            self.map_identity()?;
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
        // All bits zero is the default action on both architectures, whose record is no larger.
        let default = [0_u64; 4];
        // One by one: the flag that clears handlers at the start leaves ignored signals ignored.
        for signal in 1..=64 {
            let unchangeable = signal == libc::SIGKILL || signal == libc::SIGSTOP;
            if unchangeable || (signal == libc::SIGHUP && self.isolation.keep_hangup) {
                continue;
            }
            let action = [word(signal), address(&default), 0, 8];
            // SAFETY: the action outlives the call, and no old one is asked for.
            unsafe { self.call(Step::Signals, libc::SYS_rt_sigaction, action)? };
        }
        Ok(())
    }

    unsafe fn map_identity(&self) -> Result<(), SpawnError> {
        let Some([users, groups]) = &self.identity else {
            return Ok(());
        };
        // Without privileges the kernel takes a group's map only from a process that has given up on changing groups.
        let files = [
            (c"/proc/self/setgroups", "deny"),
            (c"/proc/self/uid_map", users),
            (c"/proc/self/gid_map", groups),
        ];
        for (file, text) in files {
            // SAFETY: as this function's caller promises.
            unsafe { self.write(Step::IdentityMap, file, text)? };
        }
        Ok(())
    }

    unsafe fn lead_group(&self) -> Result<(), SpawnError> {
        let number = match self.isolation.group {
            Group::Session => libc::SYS_setsid,
            Group::SharedTerminal => libc::SYS_setpgid,
        };
        // SAFETY: neither call takes a pointer.
        unsafe { self.call(Step::Group, number, [0, 0]) }
    }

    unsafe fn place_stdio(&self) -> Result<(), SpawnError> {
        // No source is below 3, so none is overwritten, and each copy stays open on exec.
        for (source, target) in self.stdio.into_iter().zip(0..) {
            // SAFETY: takes no pointer.
            unsafe { self.call(Step::Stdio, libc::SYS_dup3, [word(source), target, 0])? };
        }
        Ok(())
    }

    unsafe fn die_with_host(&self) -> Result<(), SpawnError> {
        let Some(signal) = self.parent_death else {
            return Ok(());
        };
        let tie = [word(libc::PR_SET_PDEATHSIG), word(signal.number()), 0, 0, 0];
        // SAFETY: takes no pointer.
        unsafe { self.call(Step::ParentDeath, libc::SYS_prctl, tie)? };
        // SAFETY: takes no pointer.
        let parent = unsafe { system_call(libc::SYS_getppid, [0; 5]) };
        match self.host {
            // A host that ended before the signal was asked for sends none; nobody reads this error.
            Some(host) if parent.cast_unsigned() != host as usize => {
                Err(SpawnError::new(Step::ParentDeath, libc::ESRCH))
            }
            _ => Ok(()),
        }
    }

    unsafe fn close_others(&self) -> Result<(), SpawnError> {
        for descriptor in self
            .listed
            .iter()
            .filter(|listed| Some(**listed) != self.ruleset)
        {
            // One that another thread has closed since is no failure.
            // SAFETY: takes no pointer.
            unsafe { system_call(libc::SYS_close, [word(*descriptor), 0, 0, 0, 0]) };
        }
        if !self.listed.is_empty() {
            return Ok(());
        }
        let last = word(RawFd::MAX);
        let spared = self.ruleset.map_or(last, word);
        for range in [
            [3, spared.wrapping_sub(1), 0],
            [spared.wrapping_add(1), last, 0],
        ] {
            let [from, to, _] = range;
            if from <= to {
                // SAFETY: takes no pointer.
                unsafe { self.call(Step::Descriptors, libc::SYS_close_range, range)? };
            }
        }
        Ok(())
    }

    unsafe fn enter_directory(&self) -> Result<(), SpawnError> {
        let umask = [self.isolation.umask as usize];
        // SAFETY: takes no pointer.
        unsafe { self.call(Step::Directory, libc::SYS_umask, umask)? };
        let Some(directory) = self.directory else {
            return Ok(());
        };
        let directory = [directory.as_ptr().expose_provenance()];
        // SAFETY: a C string that outlives the call.
        unsafe { self.call(Step::Directory, libc::SYS_chdir, directory) }
    }

    unsafe fn set_priorities(&self) -> Result<(), SpawnError> {
        if let Some(score) = &self.oom_score {
            // SAFETY: as this function's caller promises.
            unsafe { self.write(Step::OomScore, c"/proc/self/oom_score_adj", score)? };
        }
        let Some(nice) = self.isolation.nice else {
            return Ok(());
        };
        let priority = [libc::PRIO_PROCESS as usize, 0, word(nice.into())];
        // SAFETY: takes no pointer.
        unsafe { self.call(Step::Nice, libc::SYS_setpriority, priority) }
    }

    unsafe fn set_limits(&self) -> Result<(), SpawnError> {
        for limit in &self.isolation.limits {
            let both = [limit.value; 2];
            let limit = [0, limit.resource.number(), address(&both), 0];
            // SAFETY: the pair is the system's record of a soft and a hard limit; no old one is asked for.
            unsafe { self.call(Step::Limits, libc::SYS_prlimit64, limit)? };
        }
        Ok(())
    }

    unsafe fn confine(&self) -> Result<(), SpawnError> {
        if self.isolation.no_new_privileges {
            let promise = [word(libc::PR_SET_NO_NEW_PRIVS), 1, 0, 0, 0];
            // SAFETY: takes no pointer.
            unsafe { self.call(Step::NoNewPrivileges, libc::SYS_prctl, promise)? };
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
        let mask = [libc::SIG_SETMASK as usize, address(&[0_u64]), 0, 8];
        // SAFETY: the mask is valid for the eight bytes that the last argument names.
        unsafe { self.call(Step::Mask, libc::SYS_rt_sigprocmask, mask)? };
        let program = [
            self.program.as_ptr().expose_provenance(),
            self.arguments.as_ptr().expose_provenance(),
            self.environment.as_ptr().expose_provenance(),
        ];
        // SAFETY: a C string and two lists of them that end in a null.
        unsafe { self.call(Step::Exec, libc::SYS_execve, program) }
    }

    /// Writes a text to a file of the system's; the descriptor closes on exec.
    ///
    /// # Safety
    /// Only in the child.
    unsafe fn write(&self, step: Step, file: &CStr, text: &str) -> Result<(), SpawnError> {
        let flags = word(libc::O_WRONLY | libc::O_CLOEXEC);
        let file = [
            word(libc::AT_FDCWD),
            file.as_ptr().expose_provenance(),
            flags,
            0,
        ];
        // SAFETY: a C string that outlives the call.
        let file = unsafe { self.answer(step, libc::SYS_openat, file)? };
        // SAFETY: the text is valid for its length.
        unsafe {
            self.call(
                step,
                libc::SYS_write,
                [file, address(text.as_bytes()), text.len()],
            )
        }
    }

    /// A call whose answer says no more than that it worked.
    ///
    /// # Safety
    /// The arguments must be valid for that call.
    unsafe fn call<const N: usize>(
        &self,
        step: Step,
        number: libc::c_long,
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
        number: libc::c_long,
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
