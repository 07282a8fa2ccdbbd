//! What the figures were measured on.

use std::fs;

use crate::kit::{Kit, first_line};

/// The machine as it is at the start.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) kernel: String,
    pub(crate) cores: usize,
    pub(crate) libc: String,
    pub(crate) compiler: String,
    pub(crate) backend: String,
    pub(crate) containment: String,
    pub(crate) child: &'static str,
}

impl Machine {
    pub(crate) fn look(kit: &Kit) -> Self {
        let name = rustix::system::uname();
        Self {
            kernel: format!(
                "{} {} {}",
                name.sysname().to_string_lossy(),
                name.release().to_string_lossy(),
                name.machine().to_string_lossy()
            ),
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            libc: first_line("ldd", &["--version"]).unwrap_or_else(|| "unknown".to_owned()),
            compiler: first_line("rustc", &["--version"]).unwrap_or_else(|| "unknown".to_owned()),
            backend: format!("{:?}", lonis_spawn::Backend::chosen()),
            containment: mechanisms(),
            child: if kit.child_is_c {
                "static C"
            } else {
                "static Rust, since there is no C compiler"
            },
        }
    }

    pub(crate) fn lines(&self) -> String {
        format!(
            "kernel {}, {} cores, {}; harness linked dynamically, the measured `lonis` statically\n\
             {}; backend {}; containment {}; child {}",
            self.kernel,
            self.cores,
            self.libc,
            self.compiler,
            self.backend,
            self.containment,
            self.child
        )
    }
}

/// Tries the mechanisms that a call can be held by, on a call that asks for a tree.
fn mechanisms() -> String {
    use lonis::process::{Job, Level, Program};
    let mut found = vec!["session".to_owned()];
    let asks = Program::new("true").with_containment(Level::Tree);
    let outcome = Job::new(&asks).run().outcome;
    found.extend(
        outcome
            .containment
            .map(|held| held.mechanism.word().to_owned()),
    );
    if fs::metadata("/proc/self/task").is_ok() {
        found.push("child-subreaper".to_owned());
    }
    found.dedup();
    found.join(", ")
}

/// The load of the last minute.
pub(crate) fn load() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ')
        .next()
        .and_then(|first| first.parse().ok())
        .unwrap_or(f64::NAN)
}
