//! Nothing but tests: what is written here is read by the published crates, and the other way round.
