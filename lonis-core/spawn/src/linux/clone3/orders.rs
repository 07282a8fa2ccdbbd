use std::{ffi::CStr, os::fd::RawFd, ptr, sync::OnceLock};

use libc::{c_int, c_long};

use crate::linux::{
    Group, Mount, Namespaces, SpawnError, Step, landlock,
    start::{Start, open_above_stdio},
    view::{LateRule, late_rule},
};

/// The child's system calls in order, and the one word that it writes back.
pub(super) struct Orders<'a> {
    pub(super) list: Vec<Order>,
    pub(super) fault: Option<SpawnError>,
    pub(super) failure: Option<SpawnError>,
    start: &'a Start<'a>,
    /// What some calls write; each stays where it is when the list of them grows.
    texts: Vec<String>,
    /// The rule for what a view allows, behind an address that stays.
    late_rule: Vec<LateRule>,
}

/// As many orders as most starts have.
const USUAL: usize = 32;

/// One system call; an address among its arguments leads to a constant or to what [`Orders`] borrows or owns.
pub(super) struct Order {
    pub(super) step: Step,
    pub(super) number: c_long,
    pub(super) arguments: [usize; 5],
    /// The only answer that is good, where not all are.
    pub(super) expected: Option<c_long>,
    /// The call is made with its first argument counted up to this one: a list of sixty calls would only be longer.
    pub(super) last: usize,
}

/// An empty mask, and the default action of a signal, whose record is no larger on both architectures.
static ZEROES: [u64; 4] = [0; 4];

impl<'a> Orders<'a> {
    pub(super) fn new(start: &'a Start<'a>) -> Result<Self, SpawnError> {
        let (list, texts, late_rule) = (Vec::with_capacity(USUAL), Vec::new(), Vec::new());
        let mut orders = Self {
            list,
            fault: start.fault,
            failure: None,
            start,
            texts,
            late_rule,
        };
        orders.detach();
        orders.connect();
        orders.close_others()?;
        orders.map_identity();
        orders.arrange();
        orders.confine();
        Ok(orders)
    }

    /// Signals and group.
    fn detach(&mut self) {
        let isolation = self.start.isolation;
        // One by one: the flag that clears handlers at the start leaves ignored signals ignored.
        let first = if isolation.keep_hangup { 2 } else { 1 };
        for [first, last] in [
            [first, libc::SIGKILL - 1],
            [libc::SIGKILL + 1, libc::SIGSTOP - 1],
            [libc::SIGSTOP + 1, 64],
        ] {
            let action = [word(first), address(&ZEROES), 0, 8];
            self.add(Step::Signals, libc::SYS_rt_sigaction, action);
            self.repeat_up_to(word(last));
        }
        match isolation.group {
            Group::Session => self.add(Step::Group, libc::SYS_setsid, []),
            Group::SharedTerminal => self.add(Step::Group, libc::SYS_setpgid, [0, 0]),
        }
    }

    /// Descriptors of its own, stdio, and the tie to the host.
    fn connect(&mut self) {
        let request = self.start.request;
        if shares_descriptors() {
            // The child gets copies of what it needs and all below; a host with thousands open pays for no others.
            let more = self.start.report.into_iter().chain(self.start.ruleset);
            let needed = self.start.stdio.into_iter().chain(more);
            let last_needed = needed.max().map_or(2, word);
            let unshare = libc::CLOSE_RANGE_UNSHARE as usize;
            let last = word(RawFd::MAX);
            let others = [(last_needed + 1).min(last), last, unshare];
            self.add(Step::Descriptors, libc::SYS_close_range, others);
        }
        // No source is among the targets, so none is overwritten, and each copy stays open on exec.
        let sources = self.start.stdio.into_iter().chain(self.start.report);
        for (source, target) in sources.zip(0..) {
            self.add(Step::Stdio, libc::SYS_dup3, [word(source), target, 0]);
        }
        if let Some(signal) = request.parent_death {
            let tie = [word(libc::PR_SET_PDEATHSIG), word(signal.number())];
            self.add(Step::ParentDeath, libc::SYS_prctl, tie);
            // A host that ended before the tie sends no signal. Among process numbers of its own the child sees none of
            // its host, and learns from its report that nobody reads it.
            if !request.namespaces.contains(Namespaces::PROCESSES) {
                self.add(Step::ParentDeath, libc::SYS_getppid, []);
                self.expect(std::process::id().into());
            }
        }
    }

    fn close_others(&mut self) -> Result<(), SpawnError> {
        let last = word(RawFd::MAX);
        let spared = self.start.ruleset.map_or(last, word);
        if closes_ranges() {
            for [from, to] in [[word(self.first_other()), spared - 1], [spared + 1, last]] {
                if from <= to {
                    self.add(Step::Descriptors, libc::SYS_close_range, [from, to, 0]);
                }
            }
            return Ok(());
        }
        for number in open_above_stdio()?.into_iter().map(word) {
            if number != spared && number >= word(self.first_other()) {
                self.add(Step::Descriptors, libc::SYS_close, [number]);
            }
        }
        Ok(())
    }

    /// The lowest number that is not one of the child's own.
    fn first_other(&self) -> RawFd {
        self.start.report.map_or(3, |_| 4)
    }

    fn map_identity(&mut self) {
        if self.start.request.namespaces.contains(Namespaces::USER) {
            // SAFETY: neither call takes a pointer or can fail.
            let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
            let (user, group) = (format!("{user} {user} 1"), format!("{group} {group} 1"));
            // Without privileges the kernel takes a map of groups only from a process that has given up on changing
            // them.
            self.write(Step::IdentityMap, c"/proc/self/setgroups", "deny".into());
            self.write(Step::IdentityMap, c"/proc/self/uid_map", user);
            self.write(Step::IdentityMap, c"/proc/self/gid_map", group);
        }
    }

    /// The mounts of a view, and the rules for folders that stand there only now.
    fn arrange(&mut self) {
        let Some(view) = self.start.request.view else {
            return;
        };
        // What is mounted here is not to show in the host's own namespace.
        let private = [0, text(c"/"), 0, flags(libc::MS_REC | libc::MS_PRIVATE), 0];
        self.add(Step::View, libc::SYS_mount, private);
        for mount in &view.mounts {
            let mount = match mount {
                Mount::Overlay { target, options } => {
                    let kind = text(c"overlay");
                    [kind, text(target), kind, 0, text(options)]
                }
                Mount::Bind { source, target } => {
                    let flags = flags(libc::MS_BIND | libc::MS_REC);
                    [text(source), text(target), 0, flags, 0]
                }
            };
            self.add(Step::View, libc::SYS_mount, mount);
        }
        let Some(ruleset) = self.start.ruleset else {
            return;
        };
        let free = self.lowest_free();
        self.late_rule = vec![late_rule(free)];
        for folder in &view.writable {
            let how = libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC;
            let open = [word(libc::AT_FDCWD), text(folder), word(how), 0];
            self.add(Step::View, libc::SYS_openat, open);
            self.expect(free.into());
            let rule = address(&self.late_rule);
            let allow = [word(ruleset), landlock::PATH_BENEATH, rule, 0];
            self.add(Step::View, libc::SYS_landlock_add_rule, allow);
            self.add(Step::View, libc::SYS_close, [word(free)]);
        }
    }

    /// The descriptor that the next file gets which the child opens.
    fn lowest_free(&self) -> RawFd {
        let lowest = self.first_other();
        let is_taken = self.start.ruleset == Some(lowest);
        lowest + RawFd::from(is_taken)
    }

    /// Directory, priorities, limits and confinement, and then the program.
    fn confine(&mut self) {
        let (request, isolation) = (self.start.request, self.start.isolation);
        self.add(Step::Directory, libc::SYS_umask, [isolation.umask as usize]);
        if let Some(directory) = request.directory {
            self.add(Step::Directory, libc::SYS_chdir, [text(directory)]);
        }
        if let Some(score) = isolation.oom_score {
            let score = score.to_string();
            self.write(Step::OomScore, c"/proc/self/oom_score_adj", score);
        }
        if let Some(nice) = isolation.nice {
            self.add(Step::Nice, libc::SYS_setpriority, [0, 0, word(nice.into())]);
        }
        for limit in &isolation.limits {
            let limit = [0, limit.resource as usize, address(&limit.values), 0];
            self.add(Step::Limits, libc::SYS_prlimit64, limit);
        }
        if isolation.no_new_privileges {
            let promise = [word(libc::PR_SET_NO_NEW_PRIVS), 1];
            self.add(Step::NoNewPrivileges, libc::SYS_prctl, promise);
        }
        if let Some(ruleset) = self.start.ruleset {
            let ruleset = [word(ruleset), 0];
            self.add(Step::Landlock, libc::SYS_landlock_restrict_self, ruleset);
        }
        let mask = [word(libc::SIG_SETMASK), address(&ZEROES), 0, 8];
        self.add(Step::Mask, libc::SYS_rt_sigprocmask, mask);
        let program = text(self.start.program);
        let (arguments, environment) = (self.start.arguments, self.start.environment);
        let program = [program, arguments.address(), environment.address()];
        self.add(Step::Exec, libc::SYS_execve, program);
    }

    /// Writes a text to a file of the system's, through the lowest descriptor that `close_others` has left free.
    fn write(&mut self, step: Step, file: &'static CStr, content: String) {
        let free = self.lowest_free();
        let file = [word(libc::AT_FDCWD), text(file), word(libc::O_WRONLY), 0];
        self.add(step, libc::SYS_openat, file);
        self.expect(free.into());
        let write = [word(free), address(content.as_bytes()), content.len()];
        self.add(step, libc::SYS_write, write);
        self.add(step, libc::SYS_close, [word(free)]);
        self.texts.push(content);
    }

    fn add<const N: usize>(&mut self, step: Step, number: c_long, given: [usize; N]) {
        let mut arguments = [0; 5];
        arguments[..N].copy_from_slice(&given);
        let expected = None;
        self.list.push(Order {
            step,
            number,
            arguments,
            expected,
            last: arguments[0],
        });
    }

    fn expect(&mut self, answer: c_long) {
        self.latest().expected = Some(answer);
    }

    fn repeat_up_to(&mut self, last: usize) {
        self.latest().last = last;
    }

    fn latest(&mut self) -> &mut Order {
        self.list.last_mut().expect("an order was just added")
    }
}

/// Whether a child starts with the host's own table of descriptors, and takes its part of it as its first step.
///
/// The flag for it came with the call that closes ranges.
pub(super) fn shares_descriptors() -> bool {
    closes_ranges()
}

fn closes_ranges() -> bool {
    static WORKS: OnceLock<bool> = OnceLock::new();
    let last = word(RawFd::MAX);
    // Nothing is open at the very end of the range, so asking closes nothing.
    // SAFETY: takes no pointer.
    let works = || unsafe { libc::syscall(libc::SYS_close_range, last, last, 0) } == 0;
    *WORKS.get_or_init(works)
}

/// An `int` as the system reads it from a register.
const fn word(value: c_int) -> usize {
    (value as isize).cast_unsigned()
}

/// Flags of a mount; both systems of this backend have words of 64 bits.
fn flags(value: libc::c_ulong) -> usize {
    usize::try_from(value).unwrap_or_default()
}

fn text(value: &CStr) -> usize {
    value.as_ptr().expose_provenance()
}

fn address<T>(values: &[T]) -> usize {
    ptr::from_ref(values).expose_provenance()
}
