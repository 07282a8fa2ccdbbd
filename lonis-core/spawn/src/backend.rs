/// The way in which a child is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// The `clone3` system call, with everything set before the program starts.
    Clone3,
}
