//! The world that a program run from the command line reaches.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::time::{SystemTime, UNIX_EPOCH};

use soil::eval::{ReadFailure, World};
use soil::values::SplitMix64;

/// Files, the clock and chance of this machine.
#[derive(Debug)]
pub(super) struct RealWorld {
    random: SplitMix64,
    max_file_bytes: u64,
}

impl RealWorld {
    /// Opens the world to a run; a file longer than the bound is not read.
    pub(super) fn new(max_file_bytes: u64) -> Self {
        // The keys of the standard hasher come from the system's own source of chance.
        let seed = RandomState::new().hash_one(0_u8);
        Self {
            random: SplitMix64::new(seed),
            max_file_bytes,
        }
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(path)?
            .take(self.max_file_bytes + 1)
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl World for RealWorld {
    fn read_file(&mut self, path: &str) -> Result<Vec<u8>, ReadFailure> {
        let bytes = self.read(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => ReadFailure::NotFound,
            _ => ReadFailure::Failed(error.to_string()),
        })?;
        if bytes.len() as u64 > self.max_file_bytes {
            let message = format!("the file is longer than {} bytes", self.max_file_bytes);
            return Err(ReadFailure::Failed(message));
        }
        Ok(bytes)
    }

    fn seconds(&mut self) -> i64 {
        let seconds =
            |duration: std::time::Duration| i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => seconds(since),
            Err(before) => -seconds(before.duration()),
        }
    }

    fn random(&mut self) -> u64 {
        self.random.next()
    }
}
