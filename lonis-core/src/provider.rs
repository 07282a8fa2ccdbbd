//! Other people's programs that offer several tools.

mod native_name;

pub use native_name::{NativeName, NativeNameError};
