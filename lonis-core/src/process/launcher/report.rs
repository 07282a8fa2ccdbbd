//! What a launcher tells its host, one message of eight bytes for each step.

/// One message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// The tool runs.
    Started,
    /// The tool was not executed.
    NotStarted {
        /// The system's error number for it.
        errno: i32,
    },
    /// The tool has ended and is reaped.
    Ended {
        /// Its status as the system gives it.
        status: i32,
        /// Whether nothing that it started is left.
        is_alone: bool,
    },
}

/// The length of a message, far below what a pipe takes as a whole.
pub(crate) const LENGTH: usize = 8;

impl Report {
    /// Returns the message in the form that goes through the pipe.
    pub(crate) fn bytes(self) -> [u8; LENGTH] {
        let (kind, value) = match self {
            Self::Started => (b'S', 0),
            Self::NotStarted { errno } => (b'N', errno),
            Self::Ended {
                status,
                is_alone: false,
            } => (b'E', status),
            Self::Ended {
                status,
                is_alone: true,
            } => (b'A', status),
        };
        let mut bytes = [0; LENGTH];
        bytes[0] = kind;
        bytes[4..].copy_from_slice(&value.to_le_bytes());
        bytes
    }

    /// Reads a message; `None` for what no launcher writes.
    pub(crate) fn read(bytes: [u8; LENGTH]) -> Option<Self> {
        let [kind, 0, 0, 0, value @ ..] = bytes else {
            return None;
        };
        let value = i32::from_le_bytes(value);
        Some(match kind {
            b'S' => Self::Started,
            b'N' => Self::NotStarted { errno: value },
            b'E' | b'A' => Self::Ended {
                status: value,
                is_alone: kind == b'A',
            },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else_is() {
        for report in [
            Report::Started,
            Report::NotStarted { errno: 2 },
            Report::Ended {
                status: 0x0300,
                is_alone: false,
            },
            Report::Ended {
                status: 9,
                is_alone: true,
            },
        ] {
            assert_eq!(Report::read(report.bytes()), Some(report));
        }
        for bytes in [*b"nonsense", [0; LENGTH], *b"S\x01\0\0\0\0\0\0"] {
            assert_eq!(Report::read(bytes), None);
        }
    }
}
