//! The derives, as users of the facade meet them.

mod capabilities;
mod payload;
mod ui;
