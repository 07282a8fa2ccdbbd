//! That the loader loads, and that no golden file lies about unread.

mod coverage;
mod loading;
