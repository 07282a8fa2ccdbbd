//! The bounds of one server, each with its range.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

/// Where the tools come from and what bounds the server.
#[derive(Debug, Clone, Args)]
pub(crate) struct Settings {
    /// The reviewed file that says which tools are offered, and how [default: `lonis-mcp.toml` beside the user's `lonis.toml`, where there is one].
    #[arg(long, value_name = "FILE")]
    pub(crate) exposure: Option<PathBuf>,
    /// The directory that tools with a workspace work in, and that no root of a client lies outside of [default: the working directory].
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace_root: Option<PathBuf>,
    /// Calls that may wait.
    #[arg(long, default_value_t = 64, value_parser = range(1, 4_096), value_name = "N")]
    pub(crate) max_queue: u64,
    /// Calls that run at one time.
    #[arg(long, default_value_t = 4, value_parser = range(1, 64), value_name = "N")]
    pub(crate) max_running: u64,
    /// Time for what runs when the client closes its end, in milliseconds.
    #[arg(long, default_value_t = 1_500, value_parser = range(0, 3_600_000), value_name = "N")]
    pub(crate) drain_timeout_ms: u64,
    /// Calls that are finished when the client closes its end; the others are not begun.
    #[arg(long, default_value_t = 8, value_parser = range(0, 4_096), value_name = "N")]
    pub(crate) max_drain_requests: u64,
    /// The longest line that is read, in bytes.
    #[arg(long, default_value_t = 1 << 20, value_parser = range(256, 16 << 20), value_name = "N")]
    pub(crate) max_frame_bytes: u64,
    /// The longest line that is written, in bytes.
    #[arg(long, default_value_t = 4 << 20, value_parser = range(1_024, 16 << 20), value_name = "N")]
    pub(crate) max_output_bytes: u64,
    /// The longest result that is sent whole, in bytes; a longer one is read in pages.
    #[arg(long, default_value_t = 64 << 10, value_parser = range(1_024, 16 << 20), value_name = "N")]
    pub(crate) inline_bytes: u64,
    /// Frames that are read before the server drains.
    #[arg(long, default_value_t = 100_000, value_parser = range(1, u64::MAX), value_name = "N")]
    pub(crate) max_requests: u64,
    /// Roots that a client may name.
    #[arg(long, default_value_t = 32, value_parser = range(1, 1_024), value_name = "N")]
    pub(crate) max_roots: u64,
    /// Time that calls wait for the client's roots, in milliseconds.
    #[arg(long, default_value_t = 5_000, value_parser = range(100, 60_000), value_name = "N")]
    pub(crate) roots_timeout_ms: u64,
}

fn range(least: u64, most: u64) -> clap::builder::RangedU64ValueParser {
    clap::builder::RangedU64ValueParser::new().range(least..=most)
}

/// Makes a size of a count that a range bounds.
pub(crate) fn size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

impl Settings {
    pub(crate) fn drain_timeout(&self) -> Duration {
        Duration::from_millis(self.drain_timeout_ms)
    }

    pub(crate) fn roots_timeout(&self) -> Duration {
        Duration::from_millis(self.roots_timeout_ms)
    }

    /// The bounds as clients are told.
    pub(crate) fn limits(&self) -> Value {
        json!({
            "max_queue": self.max_queue,
            "max_running": self.max_running,
            "drain_timeout_ms": self.drain_timeout_ms,
            "max_drain_requests": self.max_drain_requests,
            "max_frame_bytes": self.max_frame_bytes,
            "max_output_bytes": self.max_output_bytes,
            "inline_bytes": self.inline_bytes,
            "max_requests": self.max_requests,
            "max_roots": self.max_roots,
            "roots_timeout_ms": self.roots_timeout_ms,
        })
    }
}
