//! The test's side of `misbehave`: finds the program, and hears what its processes announce.
//!
//! A test asks [`program()`] for the executable, opens a [`Handshake`], passes [`Handshake::argument`] to the mode and
//! then waits for announcements instead of sleeping. Every process of the fixture keeps its end of the handshake open
//! for as long as it lives, so [`Handshake::wait_gone`] knows of each end without a process id. The modes themselves
//! stand in the program; `misbehave --list` prints them.

mod handshake;
mod program;
mod session;

pub use handshake::{Announcement, Handshake, HandshakeError};
pub use program::program;
pub use session::{group_of, session_of};
