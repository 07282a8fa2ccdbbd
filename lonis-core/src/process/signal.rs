//! Names of the signals that can end a process.

/// Returns the name of a signal number on this system.
pub(crate) fn name(number: i32) -> Option<&'static str> {
    use rustix::process::Signal;
    let names = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::VTALARM, "SIGVTALRM"),
        (Signal::PROF, "SIGPROF"),
        (Signal::SYS, "SIGSYS"),
    ];
    let known = names
        .into_iter()
        .find(|(signal, _)| signal.as_raw() == number);
    known.map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_common_signals_have_names() {
        assert_eq!(super::name(9), Some("SIGKILL"));
        assert_eq!(super::name(11), Some("SIGSEGV"));
        assert_eq!(super::name(0), None);
    }
}
