//! Starts and reaps one isolated child.
