//! For each code that this crate raises, a text that gets it and the same text mended.
//!
//! They are read by the tests and by the reference page of codes, so that what the page shows is what the checker says.
//! The codes of jobs have theirs where jobs are.

mod draft;
mod run;
mod spec;
mod testing;

use super::Code;

/// A text that gets a code, and one without that mistake.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The code that the bad text gets, and no other.
    pub code: Code,
    /// What reads the texts.
    pub reader: Reader,
    /// The text with the mistake; where the code has a place, it stands between `«` and `»`.
    pub bad: &'static str,
    /// The text that is accepted.
    pub good: &'static str,
}

impl Example {
    const fn new(code: Code, reader: Reader, bad: &'static str, good: &'static str) -> Self {
        Self {
            code,
            reader,
            bad,
            good,
        }
    }
}

/// What reads an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The checker, as `main/f.soil`; the [`TYPES`] are declared, and the [`NEIGHBOURS`] belong to the program.
    Draft,
    /// The checker, as `main/_private.soil`.
    Private,
    /// The evaluator: a definition, its `requires` and `ensures`, and the call behind `$`.
    Run,
    /// The reader of `.tr` files, as the file of this path in the project `p`.
    Spec(&'static str),
    /// The reader of `.tr` files, which is given a file of the project `p` with this path.
    Place,
    /// Preflight, cases and properties: a `.tr` of a function, its body in a `soil` fence.
    Testing,
    /// The reader of `soil.toml`.
    Settings,
    /// The reader of locks: the line of that key in a lock of a function that has passed its test.
    Lock,
    /// The writer of locks, with the same line.
    LockWriter,
}

impl Reader {
    /// Says for people what a text of this kind is.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Draft => "`f.soil`",
            Self::Private => "`_private.soil`",
            Self::Run => "a definition and a call of it",
            Self::Place => "the path of a `.tr` file",
            Self::Spec(_) => "a `.tr` file",
            Self::Testing => "a `.tr` file and its body",
            Self::Settings => "`soil.toml`",
            Self::Lock | Self::LockWriter => "a line of a lock",
        }
    }
}

/// The types that drafts of examples may name.
pub const TYPES: &[&str] = &[
    "type Level = | Low | Normal | High",
    "type Alarm = | Low | Loud",
    "type Point = { x : I64, y : I64 }",
    "type Place = { x : I64, y : I64 }",
    "type Handle = opaque",
];

/// The files of the program in which a draft of an example stands, by path; the last one stands behind the draft.
pub const NEIGHBOURS: &[(&str, &str)] = &[
    ("left/twin.soil", "twin : I64\ntwin = 1\n"),
    ("left/_private.soil", "_hidden : I64\n_hidden = 1\n"),
    ("right/twin.soil", "twin : I64\ntwin = 2\n"),
    ("main/later.soil", "later : I64\nlater = 1\n"),
];

/// Lists all examples, in the order of the phases that raise their codes.
pub fn examples() -> impl Iterator<Item = &'static Example> {
    let parts = [draft::ALL, run::ALL, spec::ALL, testing::ALL];
    parts.into_iter().flatten()
}
