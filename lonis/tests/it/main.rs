//! The derives, as users of the facade meet them.

mod capabilities;
mod dependents;
mod payload;
mod ui;
