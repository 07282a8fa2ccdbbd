//! Other people's programs as tools.

pub mod decode;
