//! The ways in which output is written.

use crate::words::words;

words! {
    /// How blocks are written to stdout.
    OutputMode {
        /// Text for people.
        Human = "human",
        /// One JSON document.
        Json = "json",
        /// One JSON value a line.
        Ndjson = "ndjson",
    }
}

impl OutputMode {
    /// Every mode: the default of `Capabilities::output_formats`.
    pub const ALL: &'static [Self] = &[Self::Human, Self::Json, Self::Ndjson];

    /// Returns whether output in this mode is for programs.
    pub const fn is_machine(self) -> bool {
        matches!(self, Self::Json | Self::Ndjson)
    }
}
