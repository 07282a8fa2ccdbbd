//! TERM, INT and HUP end all calls at once, and then the server.

use std::io;
use std::thread;

use lonis::process::{OtherChildren, adopt_orphans, raise_descriptor_limit, restore_child_signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Makes this process one that can look after others, and listens; `told` is called from a thread of its own.
pub(crate) fn listen(told: impl Fn() + Send + 'static) -> io::Result<()> {
    // A parent that ignores the signal would make the ends of our children unknowable.
    restore_child_signal();
    // Where the kernel refuses, a call holds the level `group`, and its audit says so.
    let _ = adopt_orphans(OtherChildren::None);
    // With the limit as it is, fewer calls run at one time and the others wait.
    let _ = raise_descriptor_limit();
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    // Never joined: it waits for signals until the end of the process, and holds nothing.
    thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            for _ in signals.forever() {
                told();
            }
        })?;
    Ok(())
}
