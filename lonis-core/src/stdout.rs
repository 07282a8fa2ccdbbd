//! Standard output, honest about being closed.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::io::Errno;

/// The number of standard output.
const NUMBER: i32 = 1;

/// Standard output, where a write fails if this process was started without one.
///
/// The standard library throws away what is written then, and a result that nobody got would look delivered.
#[derive(Debug)]
pub struct Stdout(io::Stdout);

/// Returns this process's standard output.
///
/// # Example
/// ```
/// use std::io::Write;
///
/// // Fails for an output that is closed or full.
/// writeln!(lonis_core::stdout(), "a result")?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn stdout() -> Stdout {
    Stdout(io::stdout())
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !bytes.is_empty() && lonis_spawn::was_closed_at_start(NUMBER) {
            return Err(Errno::BADF.into());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl AsFd for Stdout {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
